"""The methods, by the name that the command line knows them by."""

from cogsl.methods.base import About, NodeClassifier
from cogsl.methods.cogsl import CoGSL
from cogsl.methods.dgi import DGI
from cogsl.methods.gat import GAT
from cogsl.methods.gca import GCA
from cogsl.methods.gcn import GCN
from cogsl.methods.gen import GEN
from cogsl.methods.graphsage import GraphSAGE
from cogsl.methods.idgl import IDGL
from cogsl.methods.knn_gcn import KNNGCN
from cogsl.methods.label_spreading import LabelSpreading
from cogsl.methods.lds import LDS
from cogsl.methods.mlp import MLP
from cogsl.methods.prognn import ProGNN

METHODS: dict[str, type[NodeClassifier]] = {
    "cogsl": CoGSL,
    "dgi": DGI,
    "gca": GCA,
    "gcn": GCN,
    "gat": GAT,
    "graphsage": GraphSAGE,
    "lds": LDS,
    "prognn": ProGNN,
    "idgl": IDGL,
    "gen": GEN,
    "mlp": MLP,
    "knn_gcn": KNNGCN,
    "label_spreading": LabelSpreading,
}

__all__ = [
    "DGI",
    "GAT",
    "GCA",
    "GCN",
    "GEN",
    "IDGL",
    "KNNGCN",
    "LDS",
    "METHODS",
    "MLP",
    "About",
    "CoGSL",
    "GraphSAGE",
    "LabelSpreading",
    "NodeClassifier",
    "ProGNN",
]
