"""What was learned, in one paragraph of words made from the figures."""

from __future__ import annotations

import math

import numpy as np

from cogsl.io import Difference
from cogsl.report.learned import Learned
from cogsl.report.page_changes import Changes
from cogsl.report.page_curves import pairs_of
from cogsl.report.page_nodes import judged_part
from cogsl.report.phrases import listed

_SLIGHT = 0.005  # a smaller change of homophily is called none
_PERCENT = "\u00a0%"  # does not stand alone at the beginning of a line


def in_words(learned: Learned, changes: Changes) -> str:
    """Say what was trained on what, how well it predicts, and what became of the edges."""
    sentences = [_run(learned), _quality(learned)]
    if changes.strongest is None or changes.whole is None:
        sentences.append("The method learns no graph, so the edges are those that were given.")
    else:
        sentences += _edges(changes, changes.strongest, changes.whole)
    sentences += [_information(learned), _fusion(learned)]
    return " ".join(filter(None, sentences))


def _run(learned: Learned) -> str:
    """Say what was trained on what, and which iteration was kept."""
    graph, record = learned.given.graph, learned.record
    method = str(record.get("method", "The method"))
    on = f"{graph.n_nodes:,} nodes and {_edges_of(graph.n_edges)}"
    words = f"{method} learned from {_labels(len(graph.train))} on a graph of {on}"
    if "n_iter" in record:
        words += f", in {_iterations(int(record['n_iter']))}"
        if record.get("best_iter") is not None:
            words += f", of which number {int(record['best_iter']) + 1:,} was kept"
    return f"{words}."


def _quality(learned: Learned) -> str:
    """Say how many of the test nodes are right, or of the validation nodes without any."""
    part, nodes = judged_part(learned.given.graph)
    if not len(nodes):
        return "No labelled test or validation nodes say how good its predictions are."
    right = np.mean(learned.predicted[nodes] == learned.given.graph.labels[nodes])
    share = f"{100 * right:.1f}{_PERCENT} of the {len(nodes):,} {part} nodes"
    words = f"It puts {share} into the right class"
    if part == "validation":
        return f"{words}, which also chose the iteration; there are no test nodes."
    return f"{words}."


def _edges(changes: Changes, strongest: Difference, whole: Difference) -> list[str]:
    """Say how many edges are kept, added and dropped, and whether like nodes came together."""
    n_given, n_learned, n_standing = (
        seen.edges for seen in (changes.before, whole.after, strongest.after)
    )
    if not n_learned:
        return [f"The learned graph has no edges; of {_edges_of(n_given, 'given')} none is left."]
    tied = " and those that tie" if n_standing > n_given else ""
    stand = f"of which the {n_standing:,} strongest stand, as many as were given{tied}"
    if n_standing == n_learned:
        stand = "all of which stand"
    words = [f"The learned graph weighs {n_learned:,} pairs of nodes, {stand}."]
    if not n_given:
        return [*words, "No edges were given, so all are new."]
    share = f"{100 * strongest.kept / n_given:.1f}{_PERCENT}"
    words.append(
        f"They keep {strongest.kept:,} of the {_edges_of(n_given, 'given')} ({share}); "
        f"{strongest.added:,} are new, and {strongest.dropped:,} given ones are dropped."
    )
    return [*words, _dropped(whole.dropped, strongest.dropped), _homophily(strongest)]


def _dropped(n_gone: int, n_dropped: int) -> str:
    """Say whether the dropped edges are gone, or only too weak to stand."""
    if n_gone == n_dropped:
        return "The dropped ones are not in the learned graph at all." if n_dropped else ""
    weaker = "in the learned graph too, but weaker than those that stand"
    if not n_gone:
        return f"All of the dropped ones are {weaker}."
    gone = f"{n_gone:,} {'is' if n_gone == 1 else 'are'} gone"
    return f"Of the dropped ones {gone}; the others are {weaker}."


def _homophily(found: Difference) -> str:
    """Say how the share of edges between equal labels changed."""
    before, after = found.before.homophily, found.after.homophily
    if math.isnan(before) or math.isnan(after):
        return "Too few labels are known to say whether the edges join equal ones."
    verb = "rises" if after > before else "falls"
    if abs(after - before) < _SLIGHT:
        verb = "hardly changes"
    words = f"Homophily, the share of edges between equal labels, {verb}: {before:.3f} before, "
    alike = [
        f"{100 * share:.0f}{_PERCENT} of the {name}"
        for name, share in zip(("kept", "added", "dropped"), found.same_label, strict=True)
        if not math.isnan(share)
    ]
    return f"{words}{after:.3f} after; equal labels are joined by {listed(alike)} ones."


def _information(learned: Learned) -> str:
    """Say what became of the mutual information of each pair of views."""
    if not learned.history:
        return ""
    last = learned.record.get("best_iter")
    kept = learned.history[last if isinstance(last, int) else -1]
    first = pairs_of(learned.history[0], learned.view_names)
    pairs = [
        f"of {name} from {first[name]:.2f} to {value:.2f}"
        for name, value in pairs_of(kept, learned.view_names).items()
        if name in first and math.isfinite(first[name]) and math.isfinite(value)
    ]
    if not pairs:
        return ""
    went = f"mutual information of views went: {listed(pairs)}"
    return f"From the first to the kept iteration the {went}."


def _fusion(learned: Learned) -> str:
    """Say how much each view gave to the learned graph."""
    if learned.fusion_weights is None:
        return ""
    means = learned.fusion_weights.mean(axis=0)
    shares = [
        f"{100 * share:.0f}{_PERCENT} from {name}"
        for name, share in zip(learned.view_names, means.tolist(), strict=True)
    ]
    return f"On average a node's edges come {listed(shares)}."


def _labels(count: int) -> str:
    return f"{count:,} labelled node{'s' * (count != 1)}"


def _edges_of(count: int, kind: str = "") -> str:
    return f"{count:,} {f'{kind} ' * bool(kind)}edge{'s' * (count != 1)}"


def _iterations(count: int) -> str:
    return f"{count:,} iteration{'s' * (count != 1)}"
