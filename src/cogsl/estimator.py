"""CoGSL as an estimator of scikit-learn: rows of features in, classes out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from cogsl.datasets.splits import validation_split
from cogsl.errors import (
    LabelError,
    LengthMismatchError,
    SettingValueError,
    TooFewClassesError,
)
from cogsl.extension import extend
from cogsl.graph import Graph
from cogsl.io.labels import encode_labels
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.cogsl_settings import CoGSLSettings
from cogsl.seeding import Seeds
from cogsl.settings import coerce_settings, settings_of
from cogsl.sparse.blocks import blocks

FloatArray = npt.NDArray[np.float64]


@dataclass(kw_only=True, eq=False, repr=False)
class CoGSLClassifier(CoGSLSettings, ClassifierMixin, BaseEstimator):  # type: ignore[misc] # untyped
    """CoGSL behaving as scikit-learn's ``LabelSpreading`` does: fitted on all rows, few labelled.

    A row is a node. The settings of ``CoGSL`` are parameters of the same names (``cogsl run
    --help-settings`` lists them), beside

    - ``random_state``: an int is the seed of the run; a ``RandomState`` or None draws one;
    - ``neighbours``: how many of the nearest nodes (by cosine) a node without edges is joined to,
      itself counted among them;
    - ``val_share``: the share of the labelled rows that is held back, class by class, to choose the
      iteration that is kept. Each class keeps a label for training, so that some class must have
      two.

    After ``fit`` of N rows with D features and C classes:

    - ``classes_``: the classes, sorted, C;
    - ``transduction_``: the predicted class of each row of ``fit``, N;
    - ``label_distributions_``: the probabilities behind it, N x C;
    - ``learned_graph_``: the learned ``Graph``; its ``adjacency`` is a CSR matrix, N x N;
    - ``fusion_weights_``: how much each row took from each view, N x views;
    - ``n_iter_``: how many iterations ran;
    - ``n_features_in_``: D; ``feature_names_in_``: the columns' names if X had some;
    - ``method_``: the fitted ``CoGSL``, with its ``history_``; ``graph_``: what it was fitted on.
    """

    random_state: Any = 0
    neighbours: int = 20
    val_share: float = 0.2

    def fit(self, X: Any, y: Any, adjacency: Any = None) -> Self:
        """Learn a graph and classify its nodes.

        Parameters
        ----------
        X : features, N x D, dense or sparse.
        y : the class of each row: whole numbers, words or what else can be sorted. Unknown are -1,
            NaN and None; among words also "" and "-1".
        adjacency : weights of the edges, N x N, dense or sparse; None joins each row to those most
            like it. Cross-validation cannot pass it on, as it takes rows out of X alone.
        """
        method = self._method()
        X = validate_data(self, X, accept_sparse="csr", ensure_min_samples=2)
        labels, self.classes_ = encode_labels(_column(X, y))
        _check_classes(self.classes_)
        seed = _seed(self.random_state)
        train, val = validation_split(
            labels, val_share=self.val_share, generator=Seeds(seed).numpy("split")
        )
        given: dict[str, Any] = {"labels": labels, "train": train, "val": val}
        if adjacency is None:
            self.graph_ = Graph.from_features(X, neighbours=self.neighbours, **given)
        else:
            self.graph_ = Graph.from_scipy(_matrix(adjacency), features=X, **given)
        self.method_ = method.fit(self.graph_, seed=seed)
        self._nodes: dict[bytes, int] = {}
        for node, row in enumerate(_fingerprints(X)):
            self._nodes.setdefault(row, node)
        self.label_distributions_ = method.predict_proba()
        self.transduction_ = self.classes_[method.predict()]
        self.learned_graph_, self.fusion_weights_ = method.learned_graph_, method.fusion_weights_
        self.n_iter_ = method.n_iter_
        return self

    def predict_proba(self, X: Any, adjacency: Any = None) -> FloatArray:
        """Return the class probabilities of n rows, n x C, without training.

        A row that equals one of ``fit`` (of several the first) gets what ``fit`` predicted for it.
        Any other is a new node: it joins the graph, by its edges or else by its nearest known
        nodes, and the trained networks classify it there. New rows of one call share a graph, so
        that each changes the others' probabilities; call row by row where that must not be.

        Parameters
        ----------
        X : features, n x D, dense or sparse.
        adjacency : weights of the edges of these rows, n x N to the rows of ``fit``, or n x (N + n)
            to those and then to one another. A row that has an edge is always a new node.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        links = self._links(adjacency, X.shape[0])
        nodes = np.array([self._nodes.get(row, -1) for row in _fingerprints(X)])
        nodes[_joined(links)] = -1
        probabilities: FloatArray = self.label_distributions_[nodes]
        new = np.flatnonzero(nodes < 0)
        if len(new):
            n = self.graph_.n_nodes
            edges = links[new][:, np.concatenate([np.arange(n), n + new])].tocoo()
            square = sp.coo_array((edges.data, (n + edges.row, edges.col)), (n + len(new),) * 2)
            extended = extend(self.graph_, X[new], square, neighbours=self.neighbours - 1)
            probabilities[new] = self.method_.predict_proba_on(extended)[n:]
        return probabilities

    def predict(self, X: Any, adjacency: Any = None) -> npt.NDArray[Any]:
        """Return the most probable class of n rows, n; the parameters are ``predict_proba``'s."""
        most = self.predict_proba(X, adjacency).argmax(axis=1)
        classes: npt.NDArray[Any] = self.classes_[most]
        return classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _method(self) -> CoGSL:
        """Return CoGSL with these settings, all of which are checked."""
        if not isinstance(self.neighbours, int | np.integer) or self.neighbours < 2:
            raise SettingValueError(
                "The 'neighbours' parameter of CoGSLClassifier must be a whole number >= 2, as a "
                f"node is counted among its own. Got {self.neighbours!r} instead."
            )
        given = {name: getattr(self, name) for name in settings_of(CoGSLSettings)}
        method = CoGSL(**coerce_settings(CoGSL, given))
        method.validate()
        return method

    def _links(self, adjacency: Any, n_new: int) -> sp.csr_array:
        """Return the edges of n new rows to N known and n new ones, n x (N + n)."""
        n = self.graph_.n_nodes
        if adjacency is None:
            return sp.csr_array((n_new, n + n_new))
        links = sp.csr_array(_matrix(adjacency), copy=True)
        if links.shape not in ((n_new, n), (n_new, n + n_new)):
            raise LengthMismatchError(
                f"The adjacency must be of shape {n_new} x {n}, the new rows' edges to those of "
                f"'fit', or {n_new} x {n + n_new}, to one another too. Got shape {links.shape} "
                "instead."
            )
        links.eliminate_zeros()
        parts = (links.data, links.indices, links.indptr)
        return sp.csr_array(parts, shape=(n_new, n + n_new))


def _column(X: Any, y: Any) -> npt.NDArray[Any]:
    """Return y as an array of one label a row of X."""
    if y is None:
        raise LabelError(
            "CoGSLClassifier requires y to be passed, but the target y is None. Give the class of "
            "each row, and -1 where it is unknown."
        )
    if not hasattr(y, "__array__"):  # NumPy would turn None and NaN in a list into words
        y = np.array(y, dtype=object)
    labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
    check_consistent_length(X, labels)
    return labels


def _check_classes(classes: npt.NDArray[Any]) -> None:
    if len(classes) < 2:
        raise TooFewClassesError(
            f"y must hold two classes or more. Got {classes.tolist()} instead; -1 stands for an "
            "unknown class, so call a class of that name something else."
        )


def _seed(random_state: Any) -> int:
    """Return an int as it is, or draw one as scikit-learn's estimators do."""
    generator = check_random_state(random_state)
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator.randint(np.iinfo(np.int32).max))


def _matrix(adjacency: Any) -> Any:
    """Return a SciPy matrix as it is, anything else as an array."""
    return adjacency if sp.issparse(adjacency) else np.asarray(adjacency)


def _joined(links: sp.csr_array) -> npt.NDArray[np.bool_]:
    """Tell which of n new rows have an edge, of n x (N + n)."""
    n_new, n_all = links.shape
    entries = links.tocoo()
    column = entries.col - (n_all - n_new)  # the new row that an edge leads to; below 0 a known one
    joins = entries.row != column
    joined = np.zeros(n_new, dtype=np.bool_)
    joined[entries.row[joins]] = True
    joined[column[joins & (column >= 0)]] = True
    return joined


def _fingerprints(X: Any) -> Iterator[bytes]:
    """Yield a hash of each row: equal numbers, dense or sparse, have equal ones."""
    for part in blocks(X.shape[0], row_bytes=24 * X.shape[1]):
        rows = sp.csr_array(X[part], dtype=np.float64, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        columns = rows.indices.astype(np.int64)
        for start, stop in pairwise(rows.indptr.tolist()):
            held = columns[start:stop].tobytes() + rows.data[start:stop].tobytes()
            yield hashlib.blake2b(held, digest_size=16).digest()
