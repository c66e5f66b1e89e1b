"""Graph convolution and the two-layer classifier that is built from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import elu, relu

from cogsl.nn.init import dropout, glorot, zeros
from cogsl.nn.inputs import FeatureMatrix, feature_rows
from cogsl.sparse import SparseMatrix

FEW = 0.25  # share of the nodes up to which some rows are worked out by themselves
_MOST_REACHED = 0.7  # share of the nodes above which picking features costs more than it spares
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": relu, "elu": elu}


class Convolving(Protocol):
    """A normalised view, in whatever form: all that is asked of it is its product."""

    def __matmul__(self, dense: Tensor) -> Tensor:
        """Return V times ``dense``."""


def graph_convolution(view: Convolving, projected: Tensor) -> Tensor:
    """Convolve on a view that is already normalised.

    Implements Eq. (1): GCN(A, H) = D^-1/2 A D^-1/2 (H W).

    Parameters
    ----------
    view : D^-1/2 A D^-1/2, N x N.
    projected : H W, N x d.
    """
    return view @ projected


def add_bias(x: Tensor, bias: Tensor | None) -> Tensor:
    """Return x + b, or x itself if the layer has no bias."""
    return x if bias is None else x + bias


class Propagated:
    """V X W for a fixed view and fixed features, asked for with many weights.

    Dense features are smoothed once, (V X) W; sparse ones stay sparse, V (X W). Where few rows are
    asked for, only what they reach is touched.
    """

    def __init__(self, view: SparseMatrix, features: FeatureMatrix) -> None:
        self.view = view
        self.features = features

    def __call__(self, weight: Tensor, rows: Tensor | None = None) -> Tensor:
        """Return V X W, N x d, or only some of its rows."""
        if isinstance(self.features, Tensor):
            return self._smooth(self.features, rows) @ weight
        if rows is None:
            return graph_convolution(self.view, self.features @ weight)
        view, features = self._near(rows)
        return graph_convolution(view, features @ weight)

    def _near(self, rows: Tensor) -> tuple[SparseMatrix, FeatureMatrix]:
        """Return some rows of V, and of X and V only what these rows reach if that is little."""
        view = self.view.rows(rows)
        reached = view.pattern.used_columns
        if reached.numel() > _MOST_REACHED * view.shape[1]:
            return view, self.features
        return view.columns(reached), feature_rows(self.features, reached)

    def _smooth(self, features: Tensor, rows: Tensor | None) -> Tensor:
        """Return V X for dense features, N x D, or only some of its rows."""
        if rows is None:
            return self._smoothed
        if rows.numel() > FEW * self.view.shape[0]:
            return self._smoothed.index_select(0, rows)
        view = self.view.rows(rows)
        reached = view.pattern.used_columns
        return view.columns(reached) @ features.index_select(0, reached)

    @cached_property
    def _smoothed(self) -> Tensor:
        """V X for dense features, N x D."""
        assert isinstance(self.features, Tensor)
        return self.view @ self.features


class GCNClassifier(nn.Module):
    """A two-layer GCN; the caller gives the first layer's product, as it may know it already.

    Implements Eq. (6), (13): O = softmax(V sigma(V X W0) W1), sigma = ReLU or ELU.

    With ``bias``, beyond the paper: O = softmax(V sigma(V X W0 + b0) W1 + b1).
    """

    def __init__(
        self,
        n_features: int,
        n_hidden: int,
        n_classes: int,
        *,
        rate: float,
        activation: str = "relu",
        bias: bool = False,
        generator: torch.Generator,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.rate, self.activation = rate, activation
        self.first = glorot(n_features, n_hidden, generator=generator, dtype=dtype)
        self.second = glorot(n_hidden, n_classes, generator=generator, dtype=dtype)
        self.first_bias, self.second_bias = (
            zeros(n, dtype=dtype) if bias else None for n in (n_hidden, n_classes)
        )

    def forward(
        self, view: Convolving, smoothed: Tensor, *, generator: torch.Generator | None = None
    ) -> Tensor:
        """Return log O for the rows of ``view``.

        Parameters
        ----------
        view : the rows that are wanted, M x N (all rows, or those of labelled nodes).
        smoothed : V X W0, N x hidden.
        generator : draws the dropout mask; None means no dropout.
        """
        hidden = ACTIVATIONS[self.activation](add_bias(smoothed, self.first_bias))
        hidden = dropout(hidden, self.rate, generator=generator)
        output = graph_convolution(view, hidden @ self.second)
        return torch.log_softmax(add_bias(output, self.second_bias), dim=1)
