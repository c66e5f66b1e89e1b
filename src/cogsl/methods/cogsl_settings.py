"""The settings of CoGSL: meaning, paper symbol, default and range of each."""

from __future__ import annotations

from dataclasses import dataclass

from cogsl.errors import SettingValueError
from cogsl.fusion import FUSIONS
from cogsl.losses import LEAST_TAU
from cogsl.nn import ACTIVATIONS
from cogsl.scorers import SCORERS
from cogsl.settings import setting
from cogsl.views import VIEWS


@dataclass(kw_only=True, eq=False)
class CoGSLSettings:
    """Everything that can be set; a tuple with one entry stands for every view."""

    views: tuple[str, ...] = setting(
        ("adjacency", "diffusion"), "the basic views, two or more", choices=tuple(VIEWS)
    )
    scope: tuple[int, ...] = setting(
        (1, 40),
        "which pairs are estimated anew: hops (adjacency, knn, subgraph) or "
        "entries a row (diffusion), one for each view",
        symbol="k, h",
        low=1,
    )
    mu: tuple[float, ...] = setting(
        (2.0,), "weight of the estimate beside the basic view", symbol="mu", low=0.0
    )
    self_loops: bool = setting(
        False, "give the estimated views self-loops beside those that the basic views have"
    )
    knn_neighbours: int = setting(20, "entries a row of the knn view, self included", low=1)
    teleport: float = setting(
        0.05,
        "teleport probability of the diffusion",
        symbol="alpha",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    subgraph_share: float = setting(
        0.5, "share of the edges that the subgraph view keeps", low=0.0, high=1.0, open_low=True
    )
    estimator_hidden: int = setting(
        32, "size of the view estimator's embeddings", symbol="d_es", low=1
    )
    estimator_dropout: float = setting(
        0.5, "dropout of those embeddings", symbol="ve_drop", low=0.0, high=1.0, open_high=True
    )
    estimator_lr: float = setting(
        0.01, "learning rate of the view estimator", symbol="ve_lr", low=0.0, open_low=True
    )
    estimator_lr_decay: float = setting(
        0.99, "factor on that rate after each iteration", low=0.0, high=1.0, open_low=True
    )
    estimator_weight_decay: float = setting(0.0, "weight decay of the view estimator", low=0.0)
    scorer: str = setting(
        "agreement",
        "how a pair is scored: the paper's linear form; 'agreement', the same and how likely both "
        "ends are of one class, by the predictions on the basic views; or a scaled cosine",
        choices=tuple(SCORERS),
    )
    fusion: str = setting("adaptive", "how views are fused", choices=tuple(FUSIONS))
    epsilon: float = setting(
        0.1, "how strongly confidence decides the fusion", symbol="epsilon", low=0.0
    )
    lam: float = setting(
        0.5,
        "largest probability (1) or margin (0) as confidence",
        symbol="lambda",
        low=0.0,
        high=1.0,
    )
    classifier_hidden: int = setting(16, "hidden size of the classifiers", low=1)
    classifier_dropout: float = setting(
        0.5, "dropout of the classifiers", low=0.0, high=1.0, open_high=True
    )
    dropout_in_views: bool = setting(
        False, "that dropout acts while views are trained and fused for training, too"
    )
    activation: str = setting(
        "elu", "activation of the classifiers", symbol="sigma", choices=tuple(ACTIVATIONS)
    )
    bias: bool = setting(True, "classifiers add a learned bias in each layer")
    encoder_bias: bool = setting(
        False, "the layers of the view estimator and of the MI estimator's encoders add one, too"
    )
    classifier_lr: float = setting(0.01, "learning rate of the classifiers", low=0.0, open_low=True)
    classifier_weight_decay: float = setting(0.2, "weight decay of the classifiers", low=0.0)
    scale_decay: bool = setting(
        True,
        "divide that decay by the number of training nodes, and multiply it by l^(2/3), l the "
        "root mean square length of the feature rows",
    )
    mi_hidden: int = setting(128, "size of the MI estimator's embeddings", low=1)
    mi_lr: float = setting(0.01, "learning rate of the MI estimator", low=0.0, open_low=True)
    mi_batch: int | None = setting(
        500, "nodes sampled for the MI term; 'all' takes every node", symbol="B", low=2
    )
    tau: float = setting(0.5, "temperature of InfoNCE", symbol="tau", low=LEAST_TAU)
    eta_rate: float = setting(1e-3, "r in eta = log(1 + r t), t the iteration", symbol="r", low=0.0)
    eta_min: float = setting(0.05, "least eta", symbol="eta", low=0.0)
    eta_max: float = setting(0.1, "largest eta", symbol="eta", low=0.0)
    iterations: int = setting(100, "outer iterations", symbol="T", low=1)
    classifier_steps: int = setting(5, "classifier steps an iteration", symbol="rho_Theta", low=1)
    mi_steps: int = setting(2, "MI estimator steps an iteration", symbol="rho_Phi", low=0)
    view_steps: int = setting(1, "view estimator steps an iteration", symbol="rho_Omega", low=0)
    keep: str = setting(
        "smoothed",
        "which iteration is kept: 'joint', the paper's rule (validation accuracy at least, and "
        "loss below, the kept ones); 'smoothed', the lowest validation loss of predictions that "
        "are averaged over the views and smoothed over iterations, which are also the result",
        choices=("joint", "smoothed"),
    )
    clusters: int = setting(
        1,
        "clusters that the nodes are cut into for mini-batches; 1: no mini-batches",
        low=1,
    )
    clusters_per_batch: int = setting(
        4, "clusters in a mini-batch, drawn anew in each iteration", low=1
    )
    patience: int | None = setting(
        None, "stop after this many iterations without a new kept state; 'none' never stops", low=1
    )
    precision: str = setting("float32", "number type", choices=("float32", "float64"))

    def check_views(self) -> None:
        """Raise ``SettingValueError`` if the settings of the views do not fit together."""
        if len(self.views) < 2:
            raise SettingValueError(
                "The 'views' setting of CoGSL must name two views or more. "
                f"Got {self.views!r} instead."
            )
        for name, given in (("scope", self.scope), ("mu", self.mu)):
            if len(given) not in (1, len(self.views)):
                raise SettingValueError(
                    f"The '{name}' setting of CoGSL must have one entry or one for each of the "
                    f"{len(self.views)} views. Got {given!r} instead."
                )
        if self.eta_min > self.eta_max:
            raise SettingValueError(
                f"The 'eta_min' setting of CoGSL must be at most 'eta_max' ({self.eta_max:g}). "
                f"Got {self.eta_min:g} instead."
            )

    @property
    def in_batches(self) -> bool:
        """Whether training goes by mini-batches; all clusters in one are the whole graph."""
        return self.clusters > self.clusters_per_batch

    @property
    def n_batches(self) -> int:
        """How many batches an iteration goes through."""
        return -(-self.clusters // self.clusters_per_batch) if self.in_batches else 1

    def per_view(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """Return one value for each view."""
        return values * len(self.views) if len(values) == 1 else values
