"""The two models of GEN over pairs of nodes, and the EM algorithm that fits them.

A pair's posterior depends on three things only: the classes r and s of its ends, and the number e
of the M observations that show it. So all N (N - 1) / 2 pairs are counted once into a table, blocks
x (M + 1), and EM runs on the table: exact, O(C^2 M) a turn, and nothing N x N. Pairs that no
observation shows are counted in closed form, as all pairs of the block without the others.

A block is an unordered pair of classes {r, s}; there are B = C (C + 1) / 2 of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import xlog1py, xlogy

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_UNKNOWN = 0.5  # a rate of which no pair says anything


@dataclass(frozen=True, eq=False)
class Parameters:
    """What EM estimates.

    Parameters
    ----------
    omega : Omega, the probability of an edge in each block, B.
    alpha : the probability that an observation shows an edge.
    beta : the probability that an observation shows a pair that is no edge.
    """

    omega: Floats
    alpha: float
    beta: float

    def change(self, other: Parameters) -> float:
        """Return the largest difference of any parameter."""
        rates = max(abs(self.alpha - other.alpha), abs(self.beta - other.beta))
        return max(rates, float(np.abs(self.omega - other.omega).max()))


@dataclass(frozen=True, eq=False)
class Fit:
    """What EM leaves.

    Parameters
    ----------
    parameters : the last ones.
    posterior : Q of each block and each number of observations, B x (M + 1).
    likelihoods : log P(O) of the parameters of each turn.
    """

    parameters: Parameters
    posterior: Floats
    likelihoods: list[float]


def block_numbers(n_classes: int) -> Ints:
    """Return the number of each pair of classes' block, C x C, symmetric."""
    numbers = np.zeros((n_classes, n_classes), dtype=np.int64)
    first, second = np.triu_indices(n_classes)
    numbers[first, second] = numbers[second, first] = np.arange(len(first))
    return numbers


def block_sizes(classes: Ints, n_classes: int) -> Ints:
    """Return how many pairs of different nodes each block has, B.

    n_r n_s for two classes, n_r (n_r - 1) / 2 within one.
    """
    n = np.bincount(classes, minlength=n_classes)
    pairs = np.outer(n, n)
    np.fill_diagonal(pairs, n * (n - 1) // 2)
    sizes: Ints = pairs[np.triu_indices(n_classes)]
    return sizes


def entry_blocks(seen: sp.csr_array, classes: Ints, n_classes: int) -> Ints:
    """Return the block of each stored entry, nnz."""
    rows = np.repeat(classes, np.diff(seen.indptr))
    blocks: Ints = block_numbers(n_classes)[rows, classes[seen.indices]]
    return blocks


def count_pairs(seen: sp.csr_array, classes: Ints, n_classes: int, n_observations: int) -> Ints:
    """Return how many pairs of each block e observations show, B x (M + 1).

    Parameters
    ----------
    seen : E, N x N, how many observations show each pair; symmetric, zero diagonal.
    classes : c, N.
    n_classes : C.
    n_observations : M.
    """
    sizes, width = block_sizes(classes, n_classes), n_observations + 1
    keys = entry_blocks(seen, classes, n_classes) * width + seen.data
    counts: Ints = np.bincount(keys, minlength=len(sizes) * width).reshape(-1, width) // 2
    counts[:, 0] = sizes - counts[:, 1:].sum(axis=1)
    return counts


def log_joint(parameters: Parameters, n_observations: int) -> tuple[Floats, Floats]:
    """Return log P(O_ij, G_ij = 1) and log P(O_ij, G_ij = 0) of each cell, B x (M + 1) both.

    Omega alpha^e (1 - alpha)^(M - e)  and  (1 - Omega) beta^e (1 - beta)^(M - e)
    """
    shown = np.arange(n_observations + 1)
    hidden = n_observations - shown
    alpha, beta, omega = parameters.alpha, parameters.beta, parameters.omega[:, None]
    is_edge = xlogy(1, omega) + xlogy(shown, alpha) + xlog1py(hidden, -alpha)
    is_none = xlog1py(1, -omega) + xlogy(shown, beta) + xlog1py(hidden, -beta)
    return is_edge, is_none


def posterior(parameters: Parameters, n_observations: int) -> Floats:
    """Return Q, the probability of an edge, of each cell, B x (M + 1): the E-step.

    Q = Omega alpha^e (1 - alpha)^(M - e)
        / [Omega alpha^e (1 - alpha)^(M - e) + (1 - Omega) beta^e (1 - beta)^(M - e)]

    What the parameters hold to be impossible says nothing: Q is Omega there.
    """
    is_edge, is_none = log_joint(parameters, n_observations)
    either = np.logaddexp(is_edge, is_none)
    Q = np.tile(parameters.omega[:, None], n_observations + 1)
    possible = np.isfinite(either)
    Q[possible] = np.exp(is_edge[possible] - either[possible])
    return Q


def log_likelihood(parameters: Parameters, counts: Ints) -> float:
    """Return log P(O) = sum over all pairs of log [P(O_ij, G_ij = 1) + P(O_ij, G_ij = 0)]."""
    either = np.logaddexp(*log_joint(parameters, counts.shape[1] - 1))
    occurs = counts > 0
    return float((counts[occurs] * either[occurs]).sum())


def maximise(Q: Floats, counts: Ints) -> Parameters:
    """Return the parameters that fit the posterior best: the M-step.

    Omega_rs = sum of Q / number of pairs in block {r, s},
    alpha = sum Q_ij E_ij / (M sum Q_ij),  beta = sum (1 - Q_ij) E_ij / (M sum (1 - Q_ij)),
    the sums over all pairs i < j. A block without pairs has no edges.

    Parameters
    ----------
    Q : B x (M + 1).
    counts : how many pairs have each of them, B x (M + 1).
    """
    n_observations = counts.shape[1] - 1
    shown = np.arange(n_observations + 1)
    edges, others = counts * Q, counts * (1.0 - Q)
    sizes = counts.sum(axis=1)
    omega = np.divide(edges.sum(axis=1), sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    return Parameters(
        omega=np.minimum(omega, 1.0),  # a sum of Q = 1 may be rounded up
        alpha=_rate((edges * shown).sum(), n_observations * edges.sum()),
        beta=_rate((others * shown).sum(), n_observations * others.sum()),
    )


def _rate(part: Any, whole: Any) -> float:
    """Return part / whole."""
    return min(float(part / whole), 1.0) if whole > 0 else _UNKNOWN


def fit_models(counts: Ints, *, tolerance: float, max_iterations: int) -> Fit:
    """Run EM until no parameter moves by more than ``tolerance``.

    It starts from Q = e / M, the share of the observations that show a pair. So alpha begins above
    beta, and nothing is drawn.

    Parameters
    ----------
    counts : how many pairs of each block e observations show, B x (M + 1).
    tolerance : of alpha, beta and Omega.
    max_iterations : turns at most.
    """
    n_observations = counts.shape[1] - 1
    start = np.arange(n_observations + 1) / n_observations
    parameters = maximise(np.tile(start, (len(counts), 1)), counts)
    likelihoods = [log_likelihood(parameters, counts)]
    for _ in range(max_iterations):
        previous = parameters
        parameters = maximise(posterior(previous, n_observations), counts)
        likelihoods.append(log_likelihood(parameters, counts))
        if parameters.change(previous) <= tolerance:
            break
    return Fit(parameters, posterior(parameters, n_observations), likelihoods)
