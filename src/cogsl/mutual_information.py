"""The MI estimator's network."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import elu

from cogsl.nn import add_bias, glorot, prelu, unit_rows, zeros
from cogsl.sparse import matmul

_PRELU_START = 0.25


class ViewEncoder(nn.Module):
    """The encoder of one view; the caller gives the product V X W, as it may know parts of it.

    Implements Eq. (15): H = sigma(GCN(V, X)) = PReLU(V X W); with a bias, PReLU(V X W + b).
    """

    def __init__(
        self,
        n_features: int,
        n_hidden: int,
        *,
        bias: bool = False,
        generator: torch.Generator,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.weight = glorot(n_features, n_hidden, generator=generator, dtype=dtype)
        self.slope = nn.Parameter(torch.full((1,), _PRELU_START, dtype=dtype))
        self.bias = zeros(n_hidden, dtype=dtype) if bias else None

    def forward(self, smoothed: Tensor) -> Tensor:
        """Return H for the rows of V X W, B x d."""
        return prelu(add_bias(smoothed, self.bias), self.slope)


class Projector(nn.Module):
    """The two-layer perceptron that all views share.

    Implements Eq. (16): H_p = W1 sigma(W0 H + b0) + b1, sigma = ELU.
    """

    def __init__(self, n_hidden: int, *, generator: torch.Generator, dtype: torch.dtype) -> None:
        super().__init__()
        self.first = glorot(n_hidden, n_hidden, generator=generator, dtype=dtype)
        self.first_bias = zeros(n_hidden, dtype=dtype)
        self.second = glorot(n_hidden, n_hidden, generator=generator, dtype=dtype)
        self.second_bias = zeros(n_hidden, dtype=dtype)

    def forward(self, hidden: Tensor) -> Tensor:
        """Return H_p, B x d."""
        inner = elu(matmul(hidden, self.first.t()) + self.first_bias)
        return matmul(inner, self.second.t()) + self.second_bias


class MIEstimator(nn.Module):
    """One encoder a view (the final view's is the last) and the shared projector."""

    def __init__(
        self,
        n_features: int,
        n_hidden: int,
        n_views: int,
        *,
        bias: bool = False,
        generator: torch.Generator,
        dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.encoders = nn.ModuleList(
            ViewEncoder(n_features, n_hidden, bias=bias, generator=generator, dtype=dtype)
            for _ in range(n_views + 1)
        )
        self.projector = Projector(n_hidden, generator=generator, dtype=dtype)

    @property
    def encoder_weights(self) -> list[Tensor]:
        """W of every encoder, D x d."""
        return [encoder.weight for encoder in self.encoders]  # type: ignore[misc]

    def forward(self, view: int, smoothed: Tensor) -> Tensor:
        """Return the projected embeddings of a view as unit rows, B x d.

        Parameters
        ----------
        view : number of the view.
        smoothed : V X W of the sampled nodes, B x d.
        """
        return unit_rows(self.projector(self.encoders[view](smoothed)))
