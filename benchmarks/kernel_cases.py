"""The kernels and what they replace, as pairs of calls that give the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor
from torch.nn.functional import dropout as plain_dropout
from torch.nn.functional import normalize
from torch.nn.functional import prelu as plain_prelu

from benchmarks.claims import REFERENCE
from cogsl import datasets
from cogsl.experiments.presets import resolve
from cogsl.losses import infonce
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.cogsl_parts import build_views
from cogsl.nn import dropout, prelu, unit_rows
from cogsl.seeding import Seeds
from cogsl.sparse import SparseMatrix, product, scope_softmax, symmetric_normalise
from cogsl.sparse.kernels import KERNELS, active_kernels
from cogsl.training import adam
from cogsl.view_estimator import EstimationPlan

IntArray = npt.NDArray[np.int64]

NODES, ENTRIES = 3_327, 117_325  # of the reference graph and of its estimated diffusion view
FEATURES, FEATURE_ENTRIES = 3_703, 105_165
COLUMNS = 128
BATCH = 1_000  # nodes sampled for InfoNCE
PICKED = 12_662  # rows of a gather
TAU = 0.5

Work = Callable[[], Tensor | tuple[Tensor, ...]]


@dataclass(frozen=True, eq=False)
class Problem:
    """A view, N x N, and sparse features, N x D, with the generator of everything else."""

    name: str
    view: SparseMatrix
    features: SparseMatrix
    generator: torch.Generator

    @property
    def n_nodes(self) -> int:
        """Number of nodes, N."""
        return self.view.pattern.n_rows

    @property
    def picked(self) -> int:
        """Rows of a gather, in the proportion of the reference graph."""
        return PICKED * self.n_nodes // NODES

    def normal(self, *shape: int) -> Tensor:
        """Return normal numbers."""
        return torch.randn(*shape, generator=self.generator)


@dataclass(frozen=True, eq=False)
class Case:
    """Our way and an alternative; where ``same`` is set both return the same numbers."""

    operation: str
    our_way: str
    ours: Work
    other_way: str
    other: Work
    same: bool = True


# ------------------------------------------------------------------------------- problems


def reference_problem() -> Problem:
    """Return the estimated diffusion view of the reference graph, as training sees it."""
    graph = datasets.load(REFERENCE)
    method = CoGSL(**resolve("cogsl", REFERENCE, "paper"))
    plan = EstimationPlan.of(build_views(method, graph, Seeds(0))[-1], torch.float32)
    values = symmetric_normalise(plan.pattern, plan.constant)
    view = SparseMatrix(plan.pattern, values, symmetric=True)
    features = SparseMatrix.from_scipy(sp.csr_array(graph.features), torch.float32)
    return Problem(f"{REFERENCE}, diffusion view", view, features, torch.Generator().manual_seed(0))


def random_problem(n_nodes: int) -> Problem:
    """Return a random pattern with its diagonal, and random features, as dense as the reference."""
    rng = np.random.default_rng(0)
    row, col = _distinct_pairs(rng, n_nodes, n_nodes - 1, ENTRIES * n_nodes // NODES - n_nodes)
    col += col >= row  # the diagonal is left out
    row, col = np.concatenate([row, np.arange(n_nodes)]), np.concatenate([col, np.arange(n_nodes)])
    n_features = FEATURES * n_nodes // NODES
    n_entries = round(FEATURE_ENTRIES / NODES / FEATURES * n_nodes * n_features)
    pairs = _distinct_pairs(rng, n_nodes, n_features, n_entries)
    view, features = (
        sp.csr_array((rng.uniform(0.1, 1.0, len(coords[0])), coords), shape=(n_nodes, n_cols))
        for coords, n_cols in (((row, col), n_nodes), (pairs, n_features))
    )
    return Problem(
        "random pattern",
        SparseMatrix.from_scipy(view, torch.float32),
        SparseMatrix.from_scipy(features, torch.float32),
        torch.Generator().manual_seed(0),
    )


def _distinct_pairs(
    rng: np.random.Generator, n_rows: int, n_cols: int, size: int
) -> tuple[IntArray, IntArray]:
    return np.divmod(rng.choice(n_rows * n_cols, size, replace=False), n_cols)


# ---------------------------------------------------------------------------------- cases


def cases(problem: Problem) -> Iterator[Case]:
    """Yield every case, each made when its turn comes."""
    yield from product_cases(problem)
    yield from feature_cases(problem)
    yield from dense_cases(problem)
    for n_nodes in sorted({min(BATCH, problem.n_nodes), problem.n_nodes}):
        yield infonce_case(problem, n_nodes)
    yield adam_case(problem)
    yield dropout_case(problem)
    yield gather_case(problem)
    yield softmax_case(problem)
    yield softmax_case(problem, spread=40.0)
    yield normalise_case(problem)
    yield from function_cases(problem)
    if active_kernels() is KERNELS["mkl"]:
        yield from portable_cases(problem)


def product_cases(problem: Problem) -> Iterator[Case]:
    """The product on a pattern, its gradient for the values, and the CSR tensor it needs."""
    view, pattern = problem.view, problem.view.pattern
    row, col = pattern.row.long(), pattern.col.long()
    x, grad = problem.normal(problem.n_nodes, COLUMNS), problem.normal(problem.n_nodes, COLUMNS)
    shape = view.shape

    def by_gather() -> Tensor:
        return torch.zeros_like(x).index_add_(0, row, view.values[:, None] * x.index_select(0, col))

    def from_parts() -> Tensor:
        return torch.sparse_csr_tensor(
            pattern.crow, pattern.col, view.values, shape, check_invariants=False
        )

    def from_pairs() -> Tensor:
        pairs = torch.stack([row, col])
        coo = torch.sparse_coo_tensor(pairs, view.values, shape, check_invariants=False)
        return coo.to_sparse_csr().values()

    yield Case(
        f"view times {COLUMNS} columns", "CSR", lambda: view @ x, "gather, index_add", by_gather
    )
    yield Case(
        f"the same, into {COLUMNS} fresh columns",
        "own memory",
        lambda: view @ x,
        "torch's @",
        lambda: from_parts() @ x,
    )
    yield Case(
        "gradient for the view's values",
        "sampled product",
        lambda: active_kernels().sampled(pattern.crow, pattern.col, grad, x),
        "gather, row-wise dot",
        lambda: (grad.index_select(0, row) * x.index_select(0, col)).sum(dim=1),
    )
    yield Case(
        "making the CSR tensor",
        "from parts",
        lambda: from_parts().values(),
        "from pairs",
        from_pairs,
    )


def feature_cases(problem: Problem) -> Iterator[Case]:
    """Features times a weight, and the weight's gradient."""
    features = problem.features
    n_features = features.shape[1]
    dense = torch.from_numpy(features.to_scipy().toarray())
    weight, grad = problem.normal(n_features, COLUMNS), problem.normal(problem.n_nodes, COLUMNS)
    flipped, values = features.transposed_parts()
    transposed = SparseMatrix(flipped, values)
    yield Case(
        "features times weight", "CSR", lambda: features @ weight, "dense", lambda: dense @ weight
    )
    yield Case(
        "gradient for that weight",
        "CSR of the transpose",
        lambda: transposed @ grad,
        "dense",
        lambda: dense.t() @ grad,
    )


def dense_cases(problem: Problem) -> Iterator[Case]:
    """Dense products as InfoNCE has them, by the library that is faster here and by PyTorch's."""
    n = min(BATCH, problem.n_nodes)
    x, y, similar = (problem.normal(n, width) for width in (COLUMNS, COLUMNS, n))
    yield Case(
        f"{n:,} x {COLUMNS} times its transpose",
        "oneDNN on AMD",
        lambda: product(x, y.t()),
        "torch's @",
        lambda: x @ y.t(),
    )
    yield Case(
        f"{n:,} x {n:,}, transposed, times {COLUMNS} columns",
        "oneDNN on AMD",
        lambda: product(similar.t(), x),
        "torch's @",
        lambda: similar.t() @ x,
    )


def infonce_case(problem: Problem, n_nodes: int) -> Case:
    """InfoNCE, forward and backward."""
    left, right = (normalize(problem.normal(n_nodes, COLUMNS)).requires_grad_() for _ in range(2))

    def plain() -> Tensor:
        similar = torch.exp(left @ right.t() / TAU)
        positive = similar.diagonal()
        forth, back = positive / similar.sum(dim=1), positive / similar.sum(dim=0)
        return -0.5 * (torch.log(forth) + torch.log(back)).mean()

    return Case(
        f"InfoNCE of {n_nodes:,} nodes, both passes",
        "fused",
        lambda: torch.autograd.grad(infonce(left, right, TAU), (left, right)),
        "autograd",
        lambda: torch.autograd.grad(plain(), (left, right)),
    )


def adam_case(problem: Problem) -> Case:
    """A step of Adam on the weights of three MI encoders."""
    shape = problem.features.shape[1], COLUMNS

    def new_weights() -> list[torch.nn.Parameter]:
        weights = [torch.nn.Parameter(torch.zeros(shape)) for _ in range(3)]
        for weight in weights:
            weight.grad = torch.ones(shape)
        return weights

    fused_weights, plain_weights = new_weights(), new_weights()
    fused, plain = adam(fused_weights, lr=0.01), torch.optim.Adam(plain_weights, lr=0.01)

    def fused_step() -> Tensor:
        fused.step()
        return fused_weights[0].detach()

    def plain_step() -> Tensor:
        plain.step()
        return plain_weights[0].detach()

    numbers = 3 * shape[0] * shape[1] / 1e6
    return Case(f"Adam on {numbers:.1f} M weights", "fused", fused_step, "plain", plain_step)


def dropout_case(problem: Problem) -> Case:
    """Dropout with a generator of its own beside PyTorch's, which draws from global state."""
    x, noise = problem.normal(problem.picked, COLUMNS), torch.Generator().manual_seed(0)
    return Case(
        f"dropout on {problem.picked:,} x {COLUMNS}",
        "own generator",
        lambda: dropout(x, 0.5, generator=noise),
        "torch's",
        lambda: plain_dropout(x, 0.5),
        same=False,
    )


def gather_case(problem: Problem) -> Case:
    """The backward pass of a gather."""
    width = COLUMNS // 2
    x = problem.normal(problem.n_nodes, width).requires_grad_()
    index = torch.randint(problem.n_nodes, (problem.picked,), generator=problem.generator)
    grad = problem.normal(problem.picked, width)
    selected, indexed = x.index_select(0, index), x[index]

    def backward(result: Tensor) -> Tensor:
        return torch.autograd.grad(result, x, grad, retain_graph=True)[0]

    return Case(
        f"backward of a gather, {problem.picked:,} x {width}",
        "index_select",
        lambda: backward(selected),
        "x[index]",
        lambda: backward(indexed),
    )


def softmax_case(problem: Problem, spread: float = 1.0) -> Case:
    """The softmax over each row's stored entries, forward and backward.

    Scores that lie far apart have exponentials too small for a number.
    """
    pattern, row = problem.view.pattern, problem.view.pattern.row.long()
    scores, grad = spread * problem.normal(pattern.nnz), problem.normal(pattern.nnz)
    scores.requires_grad_()
    lowest = torch.full((problem.n_nodes,), -torch.inf)

    def by_scatter() -> Tensor:
        largest = lowest.scatter_reduce(0, row, scores.detach(), "amax")
        weights = torch.exp(scores - largest.index_select(0, row))
        sums = torch.zeros(problem.n_nodes).index_add(0, row, weights)
        return weights / sums.index_select(0, row)

    return Case(
        f"scope softmax{', scores far apart' if spread > 1 else ''}, both passes",
        "on the pattern",
        lambda: _gradient(scope_softmax(pattern, scores), scores, grad),
        "scatter, autograd",
        lambda: _gradient(by_scatter(), scores, grad),
    )


def normalise_case(problem: Problem) -> Case:
    """The symmetric normalisation, forward and backward."""
    pattern = problem.view.pattern
    row, col = pattern.row.long(), pattern.col.long()
    values, grad = problem.view.values.clone().requires_grad_(), problem.normal(pattern.nnz)

    def by_index_add() -> Tensor:
        scale = torch.zeros(problem.n_nodes).index_add(0, row, values).rsqrt()
        return scale.index_select(0, row) * values * scale.index_select(0, col)

    return Case(
        "symmetric normalise, both passes",
        "on the pattern",
        lambda: _gradient(symmetric_normalise(pattern, values), values, grad),
        "index_add, autograd",
        lambda: _gradient(by_index_add(), values, grad),
    )


def function_cases(problem: Problem) -> Iterator[Case]:
    """PReLU and the scaling to unit rows, forward and backward."""
    shape = min(BATCH, problem.n_nodes), COLUMNS
    x, grad = problem.normal(*shape).requires_grad_(), problem.normal(*shape)
    slope = torch.full((1,), 0.25, requires_grad=True)
    yield Case(
        f"PReLU of {shape[0]:,} rows, both passes",
        "own gradient",
        lambda: torch.autograd.grad(prelu(x, slope), (x, slope), grad),
        "torch's",
        lambda: torch.autograd.grad(plain_prelu(x, slope), (x, slope), grad),
    )
    yield Case(
        f"unit rows, {shape[0]:,} of them, both passes",
        "own gradient",
        lambda: _gradient(unit_rows(x), x, grad),
        "torch's",
        lambda: _gradient(normalize(x), x, grad),
    )


def portable_cases(problem: Problem) -> Iterator[Case]:
    """The fast kernels beside those that take over where there is no MKL."""
    pattern, values = problem.view.pattern, problem.view.values
    x, grad = problem.normal(problem.n_nodes, COLUMNS), problem.normal(problem.n_nodes, COLUMNS)
    crow, col = pattern.crow, pattern.col
    fast, portable = KERNELS["mkl"], KERNELS["portable"]
    yield Case(
        "kernel: product",
        "MKL",
        lambda: fast.product(crow, col, values, pattern.n_cols, x),
        "portable",
        lambda: portable.product(crow, col, values, pattern.n_cols, x),
    )
    yield Case(
        "kernel: sampled product",
        "MKL",
        lambda: fast.sampled(crow, col, grad, x),
        "portable",
        lambda: portable.sampled(crow, col, grad, x),
    )


def _gradient(result: Tensor, leaf: Tensor, grad: Tensor) -> Tensor:
    return torch.autograd.grad(result, leaf, grad)[0]
