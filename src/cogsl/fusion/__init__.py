"""Ways to fuse estimated views into the final one."""

from cogsl.fusion.adaptive import AdaptiveFusion, importance
from cogsl.fusion.attention import AttentionFusion
from cogsl.fusion.average import AverageFusion
from cogsl.fusion.base import Fusion, FusionPlan, fuse

FUSIONS: dict[str, type[AdaptiveFusion] | type[AverageFusion] | type[AttentionFusion]] = {
    "adaptive": AdaptiveFusion,
    "average": AverageFusion,
    "attention": AttentionFusion,
}

__all__ = [
    "FUSIONS",
    "AdaptiveFusion",
    "AttentionFusion",
    "AverageFusion",
    "Fusion",
    "FusionPlan",
    "fuse",
    "importance",
]
