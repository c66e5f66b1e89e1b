"""Basic views of a graph: one file each, listed in ``VIEWS``."""

from cogsl.views.adjacency import Adjacency
from cogsl.views.base import BasicView, Change, ExpectedView, View
from cogsl.views.diffusion import Diffusion
from cogsl.views.knn import KNN
from cogsl.views.subgraph import Subgraph

VIEWS: dict[str, type[View]] = {
    "adjacency": Adjacency,
    "knn": KNN,
    "diffusion": Diffusion,
    "subgraph": Subgraph,
}

__all__ = [
    "KNN",
    "VIEWS",
    "Adjacency",
    "BasicView",
    "Change",
    "Diffusion",
    "ExpectedView",
    "Subgraph",
    "View",
]
