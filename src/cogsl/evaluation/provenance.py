"""What a result was made with: versions, commit, and the content of the graph."""

from __future__ import annotations

import functools
import hashlib
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import cogsl

if TYPE_CHECKING:
    from cogsl.graph import Features, Graph

_LIBRARIES = ("numpy", "scipy", "torch", "torch_geometric")


@functools.cache
def versions() -> dict[str, str | None]:
    """Return the versions of Python, cogsl and the libraries that decide a result."""
    libraries = {name: _version(name) for name in _LIBRARIES}
    return {"python": platform.python_version(), "cogsl": cogsl.__version__, **libraries}


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


@functools.cache
def commit() -> str | None:
    """Return the commit of the checkout this package lies in, or None if it lies in none.

    "-dirty" is appended if a tracked file differs from it.
    """
    root = Path(cogsl.__file__).resolve().parents[2]  # <root>/src/cogsl/__init__.py
    # An installed package may lie below somebody else's checkout, whose commit says nothing.
    if _git(root, "rev-parse", "--show-toplevel") != str(root):
        return None
    return _git(root, "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*")


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints, or None if it fails or is not there."""
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def content_hash(graph: Graph) -> str:
    """Return a hash of all that training and evaluation read; the graph's name is no part of it."""
    digest = hashlib.sha256()
    for matrix in (graph.adjacency, graph.features):
        for part in _parts(matrix):
            _add(digest, part)
        digest.update(repr(matrix.shape).encode())
    for nodes in (graph.labels, graph.train, graph.val, graph.test):
        _add(digest, nodes)
    return digest.hexdigest()


def _parts(matrix: Features) -> tuple[np.ndarray, ...]:
    """Return the arrays that make up a dense or CSR matrix."""
    if isinstance(matrix, np.ndarray):
        return (matrix,)
    return (np.asarray(matrix.indptr), np.asarray(matrix.indices), np.asarray(matrix.data))


def _add(digest: hashlib._Hash, array: np.ndarray) -> None:
    """Add an array's shape and values; whole numbers count alike in every width."""
    kind = "<i8" if np.issubdtype(array.dtype, np.integer) else array.dtype.newbyteorder("<")
    digest.update(repr(array.shape).encode())
    digest.update(np.ascontiguousarray(array, dtype=kind).tobytes())
