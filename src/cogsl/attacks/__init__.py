"""Attacks: one file each, listed in ``ATTACKS``. A graph goes in, a worse one comes out."""

from cogsl.attacks.base import Attack, EdgeAttack
from cogsl.attacks.edge_addition import EdgeAddition
from cogsl.attacks.edge_deletion import EdgeDeletion
from cogsl.attacks.feature_noise import FeatureNoise

ATTACKS: dict[str, type[Attack]] = {
    "edge_deletion": EdgeDeletion,
    "edge_addition": EdgeAddition,
    "feature_noise": FeatureNoise,
}

__all__ = ["ATTACKS", "Attack", "EdgeAddition", "EdgeAttack", "EdgeDeletion", "FeatureNoise"]
