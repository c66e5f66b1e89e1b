"""What a run of CoGSL will need: entries of the views first, then bytes and seconds from these."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cogsl.cost import Cost, Estimate, GraphSize, slowness
from cogsl.methods.cogsl_parts import views_of
from cogsl.methods.cogsl_settings import CoGSLSettings
from cogsl.views import ExpectedView

_INDEX = 4  # bytes of an index; where there are more entries than it can count, 8
_BASE_BYTES = 60 << 20  # libraries that are loaded late, and what does not grow
_OWN_ENTRIES = 0.05  # share of a view's entries that no larger view has, if both follow the edges

# On the reference machine, one thread.
_BASE_SECONDS = 1.2  # libraries that are loaded late
_PLAN_SECONDS = 1.0e-6  # to work out the plan of an entry
_ENTRY_SECONDS = 3.0e-8  # to estimate an entry and use it in two convolutions, forward
_NODE_SECONDS = 3.0e-7  # for a node's predictions and confidence, forward
_PRODUCT_SECONDS = 3.0e-11  # for a multiplication in a dense product
_TRAINING = 3.0  # a step with its gradient takes that many times longer than forward alone


@dataclass(frozen=True)
class Counts:
    """What there will be of everything, in the whole graph or in one batch.

    ``basic``, ``scope`` and ``symmetric`` are sums over the views, ``union`` is the final view's.
    """

    size: GraphSize
    basic: float
    scope: float
    symmetric: float
    union: float

    def share(self, part: float) -> Counts:
        """Return the counts of a batch that holds this share of the nodes.

        Pairs across the border of a batch are lost; clusters lose few.
        """
        s = self.size
        features = None if s.feature_entries is None else int(s.feature_entries * part)
        size = GraphSize(
            nodes=max(1, int(s.nodes * part)),
            entries=int(s.entries * part),
            features=s.features,
            classes=s.classes,
            train=max(1, int(s.train * part)),
            feature_entries=features,
        )
        sums = (self.basic, self.scope, self.symmetric, self.union)
        return Counts(size, *(part * count for count in sums))


def estimate(settings: CoGSLSettings, size: GraphSize) -> Estimate:
    """Return what a run on a graph of that size needs."""
    views = [view.expect(size) for view in views_of(settings)]
    whole = count(settings, size, views)
    share = settings.clusters_per_batch / settings.clusters if settings.in_batches else 1.0
    part, rounds = whole.share(min(1.0, share)), max(1.0, 1 / share)
    kept = whole.basic * 20.0 if settings.in_batches else 0.0  # the basic views themselves
    plan = rounds * _PLAN_SECONDS * (part.symmetric + part.union)
    making = slowness() * sum(view.seconds for view in views)
    step = rounds * iteration_seconds(settings, part) + (plan if settings.in_batches else 0.0)
    once = 0.0 if settings.in_batches else plan
    held = _BASE_BYTES + sum(view.held_bytes for view in views) + kept
    return Estimate(
        views=Cost(_BASE_SECONDS + making + slowness() * once, held + 36.0 * whole.basic),
        iteration=Cost(slowness() * step, held + part_bytes(settings, part)),
        iterations=settings.iterations,
        result=Cost(slowness() * _PLAN_SECONDS * whole.union, held + result_bytes(whole)),
        remedy=_remedy(settings),
    )


def count(settings: CoGSLSettings, size: GraphSize, views: list[ExpectedView]) -> Counts:
    """Return the counts of the whole graph."""
    sizes = sorted((view.symmetric for view in views), reverse=True)
    follow = all(view.follows_edges for view in views_of(settings))
    union = sizes[0] + (_OWN_ENTRIES if follow else 1.0) * sum(sizes[1:])
    return Counts(
        size,
        basic=sum(view.entries for view in views),
        scope=sum(view.scope for view in views),
        symmetric=sum(sizes),
        union=min(union, float(size.nodes) ** 2),
    )


def part_bytes(settings: CoGSLSettings, part: Counts) -> float:
    """Return the bytes at the peak of an iteration on a part, all in all.

    What lasts: features, features smoothed by each view, plans, transposes. What a step holds:
    scores and values of each view with their gradients, embeddings and predictions of each node.
    """
    word = 8 if settings.precision == "float64" else 4
    index = _INDEX if max(part.union, part.symmetric) < 2**31 else 8
    m, n, s = len(settings.views), part.size.nodes, part.size
    if s.feature_entries is None:
        features = float(word * n * s.features * (1 + m))
    else:
        features = 2.0 * (word + index) * s.feature_entries
    lasting = (
        features
        + part.basic * (3 * index + 2 * word)
        + part.scope * 3 * index
        + part.symmetric * (4 * index + word)
        + part.union * 3 * index
    )
    nodes = 2.0 * n * (m * settings.estimator_hidden + (m + 1) * settings.classifier_hidden)
    nodes += 3 * n * (m + 1) * s.classes
    scored = 3 if settings.scorer == "linear" else 5
    step = word * (nodes + scored * part.scope + 7 * part.symmetric + 5 * part.union)
    batch = min(n, settings.mi_batch or n)
    reached = min(float(n), batch * part.union / n)
    mutual = reached * (s.features + settings.mi_hidden) + 20 * batch * settings.mi_hidden
    mutual *= word * (m + 1)
    return lasting + step + mutual + 8 * min(batch**2, 2**24)


def result_bytes(whole: Counts) -> float:
    """Return the bytes of all views as matrices, and of making the learned graph from the last."""
    return 8.0 * whole.symmetric + 40.0 * whole.union + 40.0 * whole.size.nodes * whole.size.classes


def iteration_seconds(settings: CoGSLSettings, part: Counts) -> float:
    """Return the seconds of one iteration on a part, on the reference machine."""
    s, n, m = part.size, part.size.nodes, len(settings.views)
    forward = (
        _ENTRY_SECONDS * (part.scope + 2 * part.symmetric + 2 * part.union)
        + _NODE_SECONDS * n * (m + 1)
        + _PRODUCT_SECONDS * s.multiplied * (m * settings.estimator_hidden)
    )
    batch = min(n, settings.mi_batch or n)
    pairs = math.comb(m + 1, 2)
    reached = min(1.0, batch * part.union / n / n)
    contrast = 6.0 * pairs * batch * batch * settings.mi_hidden
    contrast += 3 * (m + 1) * reached * s.multiplied * settings.mi_hidden
    learned = min(1.0, s.train * part.union / n / n)
    supervised = 3 * (m + 1) * learned * s.multiplied * settings.classifier_hidden
    return (
        forward * (_TRAINING * settings.view_steps + 2)
        + _PRODUCT_SECONDS * contrast * (settings.mi_steps + settings.view_steps)
        + _PRODUCT_SECONDS * supervised * settings.classifier_steps
    )


def _remedy(settings: CoGSLSettings) -> str:
    """Return which settings to change where the memory does not suffice."""
    if not settings.in_batches:
        return "Train in mini-batches, e.g. with --set clusters=50 (of which 4 make a batch)."
    return (
        "Make the batches smaller with more 'clusters' or fewer 'clusters_per_batch', or the views "
        "with a lower 'scope'."
    )
