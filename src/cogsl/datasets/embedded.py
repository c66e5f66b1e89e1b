"""Data sets that come with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cogsl.datasets.base import Dataset, Split
from cogsl.datasets.preparation import standardise

if TYPE_CHECKING:
    from cogsl.graph import Graph


class EmbeddedDataset(Dataset):
    """A table that comes with scikit-learn, made a graph: its cosine KNN graph.

    Columns are standardised first. A row of the graph has ``neighbours`` entries, the node itself
    among them, before it is made symmetric.
    """

    loader: ClassVar[str]
    neighbours: ClassVar[int]

    def is_at_hand(self, root: str | Path | None = None) -> bool:
        """Return True: it comes with a dependency."""
        return True

    def _read(self, root: str | Path | None, split_seed: int) -> tuple[Graph, Split | None]:
        from sklearn import datasets

        from cogsl.graph import Graph

        features, labels = getattr(datasets, self.loader)(return_X_y=True)
        graph = Graph.from_features(
            standardise(features), labels=labels, neighbours=self.neighbours, name=self.name
        )
        return graph, None
