"""Proximal operators of the l1 and of the nuclear norm, in place on dense matrices.

prox_{t R}(Z) = argmin_S 1/2 ||S - Z||_F^2 + t R(S)
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softshrink

SMALL = 512
"""Up to this many rows a symmetric matrix is always decomposed as a whole."""

_MOST = 0.5  # share of N up to which a block of vectors is cheaper than all of them
_FRESH = 8  # random vectors that join the block each time
_STRIPES = 8  # of rows, each computed up to the diagonal
_TURNS = 6  # how often a block is multiplied before all vectors are computed
_FIRST_TURNS = 8  # how often a block of random vectors is multiplied before it is used


class Shrunk(NamedTuple):
    """What is left of a matrix's singular values: how many are above 0, and their sum."""

    rank: int
    nuclear_norm: float


def soft_threshold_(matrix: Tensor, threshold: float) -> Tensor:
    """Replace each entry z by sgn(z) max(|z| - t, 0): the proximal operator of t ||.||_1."""
    torch.ops.aten.softshrink.out(matrix, threshold, out=matrix)
    return matrix


def singular_value_threshold_(matrix: Tensor, threshold: float) -> Shrunk:
    """Replace U diag(s) V^T by U diag(max(s - t, 0)) V^T: the proximal operator of t ||.||_*.

    By a full decomposition, for any matrix; ``SymmetricThreshold`` is several times faster.
    """
    U, values, Vt = torch.linalg.svd(matrix, full_matrices=False)
    rank = int((values > threshold).sum())
    values = values[:rank] - threshold
    torch.mm(U[:, :rank] * values, Vt[:rank], out=matrix)
    return Shrunk(rank, float(values.sum()))


class SymmetricThreshold:
    """The same for a symmetric matrix that changes little from call to call, N x N.

    Z = V diag(l) V^T becomes V diag(sgn(l) max(|l| - t, 0)) V^T. Only eigenvalues beyond the
    threshold are needed. While they are many, and up to ``SMALL`` rows, all are computed
    (``eigh``). Once they are few, those of the last call and some more start a block Q that is
    multiplied with Z until the eigenvectors in it are good enough; it is doubled until it
    holds eigenvalues below the threshold.

    How good is enough: let U be the block's r eigenvectors beyond the threshold, H = U^T Z U. If no
    eigenvalue of the rest, (I - U U^T) Z (I - U U^T), is beyond it, the result is that of a matrix
    at distance sqrt(2) ||Z U - U H||_F from Z, and as a proximal operator enlarges no distance, its
    error is at most that. It is kept below ``tolerance`` times t sqrt(r), which is how far the
    operator moves the matrix at least. That nothing beyond the threshold is left in the rest is
    seen from eigenvalues below it inside the block, in which some vectors are random and new.

    Parameters
    ----------
    generator : draws the random vectors.
    tolerance : see above.
    small : up to this many rows all eigenvectors are computed.
    """

    def __init__(
        self, *, generator: torch.Generator, tolerance: float = 0.01, small: int = SMALL
    ) -> None:
        self.tolerance, self.small = tolerance, small
        self._generator = generator
        self._basis: Tensor | None = None  # N x m, what the next block starts from

    def __call__(self, matrix: Tensor, threshold: float) -> Shrunk:
        """Replace the matrix by its proximal operator."""
        values, vectors = self._from_block(matrix, threshold) or self._from_all(matrix, threshold)
        shrunk = softshrink(values, threshold)
        _compose_(matrix, shrunk, vectors)
        return Shrunk(int((shrunk != 0).sum()), float(shrunk.abs().sum()))

    def _from_all(self, matrix: Tensor, threshold: float) -> tuple[Tensor, Tensor]:
        """Return eigenvalues and eigenvectors of the whole matrix, N and N x N, or fewer."""
        values, vectors = torch.linalg.eigh(matrix)
        n, rank = len(values), int((values.abs() > threshold).sum())
        width = _block_width(rank)
        if n <= self.small or width > _MOST * n:
            return values, vectors
        order = values.abs().argsort(descending=True)[:width]
        return self._keep(values[order], vectors[:, order], rank)

    def _from_block(self, matrix: Tensor, threshold: float) -> tuple[Tensor, Tensor] | None:
        """Return the eigenvalues beyond the threshold, r, with vectors; None if a block is no use.

        The basis is given away: whoever succeeds sets a new one.
        """
        basis, self._basis = self._basis, None
        if basis is None:
            return None
        block = matrix @ torch.cat([basis, random_block(matrix, _FRESH, self._generator)], dim=1)
        for _ in range(_TURNS):
            values, vectors, images = _rayleigh_ritz(matrix, block)
            rank = int((values.abs() > threshold).sum())
            if len(values) - rank < _FRESH:
                if 2 * len(values) > _MOST * len(matrix):
                    return None
                fresh = random_block(matrix, len(values), self._generator)
                images = torch.cat([images, matrix @ fresh], dim=1)
            elif _bound(values, vectors, images, rank) <= self.tolerance * threshold * rank**0.5:
                width = min(_block_width(rank), len(values))
                return self._keep(values[:width], vectors[:, :width], rank)
            block = images
        return None

    def _keep(self, values: Tensor, vectors: Tensor, rank: int) -> tuple[Tensor, Tensor]:
        """Start the next block from these, the largest first; return those above the threshold."""
        self._basis = vectors
        return values[:rank], vectors[:, :rank]


class LeadingThreshold:
    """Lowers only the largest singular values of a symmetric matrix, N x N, by a truncated SVD.

    Z becomes Z - V diag(l - s) V^T, s = sgn(l) max(|l| - t, 0), l and V the leading eigenvalues
    and their vectors. The proximal operator itself lowers the others by at most t, too, so the
    result is within t of it in the spectral norm and within t sqrt(N - rank) in Frobenius' norm,
    where the best matrix of that rank would be as far off as all that it leaves out.

    The vectors are the best in the span of a block, the last call's vectors times its matrix, so
    they become Z's own while it changes little. However far they are from these, Z is moved by at
    most t in the spectral norm.

    Parameters
    ----------
    generator : draws the random vectors.
    rank : how many singular values are lowered.
    """

    def __init__(self, *, generator: torch.Generator, rank: int) -> None:
        self.rank = rank
        self._generator = generator
        self._basis: Tensor | None = None  # N x m, the last vectors times their matrix

    def __call__(self, matrix: Tensor, threshold: float) -> Shrunk:
        """Lower the leading singular values in place; return what is left of these."""
        values, vectors, images = _rayleigh_ritz(matrix, self._block(matrix))
        self._basis = images[:, : self._width(matrix)]
        values, vectors = values[: self.rank], vectors[:, : self.rank]
        shrunk = softshrink(values, threshold)
        _compose_(matrix, shrunk - values, vectors, keep=1.0)
        return Shrunk(int((shrunk != 0).sum()), float(shrunk.abs().sum()))

    def _block(self, matrix: Tensor) -> Tensor:
        """Return vectors near the leading ones, and some random ones that find what is new."""
        if self._basis is not None:
            fresh = min(_FRESH, len(matrix) - self._basis.shape[1])
            found = matrix @ random_block(matrix, fresh, self._generator)
            return torch.cat([self._basis, found], dim=1)
        block = random_block(matrix, self._width(matrix), self._generator)
        for _ in range(_FIRST_TURNS):
            block = torch.linalg.qr(matrix @ block).Q
        return block

    def _width(self, matrix: Tensor) -> int:
        return min(_block_width(self.rank), len(matrix))


def random_block(like: Tensor, width: int, generator: torch.Generator) -> Tensor:
    """Return random vectors for a matrix, N x width."""
    return torch.randn(len(like), width, generator=generator, dtype=like.dtype)


def _compose_(matrix: Tensor, values: Tensor, vectors: Tensor, *, keep: float = 0.0) -> None:
    """Write V diag(l) V^T, and ``keep`` times the matrix, over a symmetric matrix.

    One half is computed, the other is its mirror image.
    """
    scaled = vectors * values
    step = -(-len(matrix) // _STRIPES)
    for start in range(0, len(matrix), step):
        rows, below = slice(start, start + step), slice(0, start + step)
        matrix[rows, below].addmm_(scaled[rows], vectors[below].T, beta=keep)
        matrix[:start, rows] = matrix[rows, :start].T
        corner = matrix[rows, rows]
        corner.copy_(torch.tril(corner) + torch.tril(corner, -1).T)


def _block_width(rank: int) -> int:
    """Return how many vectors a block for ``rank`` eigenvalues has."""
    return rank + max(2 * _FRESH, rank // 8)


def _rayleigh_ritz(matrix: Tensor, block: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the best eigenpairs in the block's span, the largest first, and Z times the vectors.

    m, N x m and N x m.
    """
    Q = torch.linalg.qr(block).Q
    ZQ = matrix @ Q
    values, W = torch.linalg.eigh(Q.T @ ZQ)
    order = values.abs().argsort(descending=True)
    W = W[:, order]
    return values[order], Q @ W, ZQ @ W


def _bound(values: Tensor, vectors: Tensor, images: Tensor, rank: int) -> float:
    """Return sqrt(2) ||Z U - U H||_F for the first ``rank`` vectors U."""
    residual = images[:, :rank] - vectors[:, :rank] * values[:rank]
    return math.sqrt(2.0) * float(residual.norm())
