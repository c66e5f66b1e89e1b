"""Sparse matrices on fixed patterns: the only room that may densify."""

from cogsl.sparse.dense import matmul, product, use_onednn
from cogsl.sparse.kernels import use_kernels
from cogsl.sparse.ops import (
    SparseMatrix,
    add_both_ways,
    columns_to_entries,
    row_sums,
    rows_to_entries,
    sampled_product,
    scope_softmax,
    symmetric_normalise,
)
from cogsl.sparse.pattern import Pattern, union

__all__ = [
    "Pattern",
    "SparseMatrix",
    "add_both_ways",
    "columns_to_entries",
    "matmul",
    "product",
    "row_sums",
    "rows_to_entries",
    "sampled_product",
    "scope_softmax",
    "symmetric_normalise",
    "union",
    "use_kernels",
    "use_onednn",
]
