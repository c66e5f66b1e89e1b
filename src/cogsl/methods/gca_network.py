"""The networks of GCA: a two-layer GCN, and the projection in which views are compared."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import elu, linear

from cogsl.nn import ACTIVATIONS, FeatureMatrix, glorot, prelu, unit_rows
from cogsl.sparse import SparseMatrix

_PRELU_START = 0.25
ENCODER_ACTIVATIONS = ("prelu", *ACTIVATIONS)


class Encoder(nn.Module):
    """H = sigma(V sigma(V X W0 + b0) W1 + b1); the first layer is twice as wide as the second.

    Parameters
    ----------
    n_features, hidden : columns of X and of H.
    activation : sigma; the slope of "prelu" is learned and both layers share it.
    generator : draws the weights.
    """

    def __init__(
        self, n_features: int, hidden: int, *, activation: str, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.activation = activation
        self.first = glorot(n_features, 2 * hidden, generator=generator, dtype=torch.float32)
        self.second = glorot(2 * hidden, hidden, generator=generator, dtype=torch.float32)
        self.first_bias = nn.Parameter(torch.zeros(2 * hidden))
        self.second_bias = nn.Parameter(torch.zeros(hidden))
        is_learned = activation == "prelu"
        self.slope = nn.Parameter(torch.full((1,), _PRELU_START)) if is_learned else None

    def forward(
        self, view: SparseMatrix, features: FeatureMatrix, mask: Tensor | None = None
    ) -> Tensor:
        """Return H, N x hidden.

        Parameters
        ----------
        view : V, N x N, normalised.
        features : X, N x D.
        mask : 0 for the features that are masked, 1 for the others, D; X diag(m) W = X (diag(m) W),
            so that sparse features are left as they are.
        """
        weight = self.first if mask is None else self.first * mask[:, None]
        if isinstance(features, Tensor) and features.shape[1] < weight.shape[1]:
            smoothed = (view @ features) @ weight  # fewer columns to smooth
        else:
            smoothed = view @ (features @ weight)
        hidden = self._activate(smoothed + self.first_bias)
        return self._activate(view @ (hidden @ self.second) + self.second_bias)

    def _activate(self, x: Tensor) -> Tensor:
        return ACTIVATIONS[self.activation](x) if self.slope is None else prelu(x, self.slope)


class Projection(nn.Module):
    """Z = W1 ELU(W0 H + b0) + b1 as unit rows, so that products of them are cosines."""

    def __init__(self, hidden: int, inner: int, *, generator: torch.Generator) -> None:
        super().__init__()
        self.first = glorot(inner, hidden, generator=generator, dtype=torch.float32)
        self.second = glorot(hidden, inner, generator=generator, dtype=torch.float32)
        self.first_bias = nn.Parameter(torch.zeros(inner))
        self.second_bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, hidden: Tensor) -> Tensor:
        """Return Z, B x hidden."""
        inner = elu(linear(hidden, self.first, self.first_bias))
        return unit_rows(linear(inner, self.second, self.second_bias))
