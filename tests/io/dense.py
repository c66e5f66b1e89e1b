"""Features of either form as an array."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cogsl.graph import Features


def dense(features: Features) -> npt.NDArray[np.float32]:
    return features if isinstance(features, np.ndarray) else features.toarray()
