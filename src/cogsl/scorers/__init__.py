"""Ways to score the pairs of a scope."""

from cogsl.scorers.agreement import AgreementScorer
from cogsl.scorers.base import ALL, Nodes, Scorer
from cogsl.scorers.cosine import CosineScorer
from cogsl.scorers.linear import LinearScorer

SCORERS: dict[str, type[LinearScorer] | type[CosineScorer]] = {
    "linear": LinearScorer,
    "agreement": AgreementScorer,
    "cosine": CosineScorer,
}

__all__ = [
    "ALL",
    "SCORERS",
    "AgreementScorer",
    "CosineScorer",
    "LinearScorer",
    "Nodes",
    "Scorer",
]
