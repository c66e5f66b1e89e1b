"""A verdict in three sentences: the answer, its reason, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cogsl.experiments.verdict import NO, OPEN, YES, Evidence, Verdict, least_tested

NO_GRAPH, FEATURE_GRAPH, GIVEN_GRAPH = "mlp", "knn_gcn", "gcn"
"""The three rivals that tell what features and edges are worth."""


@dataclass(frozen=True)
class Words:
    """A sentence each."""

    verdict: str
    reason: str
    advice: str


def put_in_words(
    evidence: Evidence, verdict: Verdict, titles: Mapping[str, str], seconds: Mapping[str, float]
) -> Words:
    """Return the three sentences.

    Parameters
    ----------
    evidence, verdict : what was seen, and what was decided on it.
    titles : what to call each method.
    seconds : the mean time of a run of each method.
    """
    say = _Sentences(evidence, verdict, titles, seconds)
    if verdict.answer == YES:
        return Words(say.yes(), say.why_yes(), say.use(verdict.learner, verdict.rival))
    if verdict.answer == NO:
        return Words(say.no(), say.why_no(), say.use(verdict.rival, verdict.learner))
    assert verdict.answer == OPEN
    return Words(say.open(), say.why_open(), say.more())


def points(share: float) -> str:
    """Return a difference in points with its sign, e.g. ``+1.3``."""
    return f"{100 * share:+.1f}"


@dataclass(frozen=True)
class _Sentences:
    """What can be said of a verdict."""

    evidence: Evidence
    verdict: Verdict
    titles: Mapping[str, str]
    seconds: Mapping[str, float]

    @property
    def gain(self) -> str:
        """E.g. "CoGSL minus GCN is +1.3 points of accuracy"."""
        learner, rival = self.titles[self.verdict.learner], self.titles[self.verdict.rival]
        return f"{learner} minus {rival} is {points(self.verdict.gain.mean)} points of accuracy"

    @property
    def least(self) -> str:
        """E.g. "1.0"."""
        return f"{100 * self.evidence.least:.1f}"

    def has(self, method: str) -> str:
        """E.g. "GCN 71.1 %"."""
        return f"{self.titles[method]} {100 * self.evidence.mean(method):.1f} %"

    def yes(self) -> str:
        low, high = (points(end) for end in self.verdict.gain[1:])
        return f"Yes, structure learning helps here: {self.gain} [{low}, {high}]."

    def no(self) -> str:
        return (
            f"No, structure learning brings no gain worth having here: {self.gain}, and at most "
            f"{points(self.verdict.gain.high)}; {self.least} would matter."
        )

    def open(self) -> str:
        low, high = (points(end) for end in self.verdict.gain[1:])
        return f"Cannot tell yet: {self.gain}, and may be anything from {low} to {high}."

    def why_yes(self) -> str:
        """Say how sure it is, and what the given graph was worth."""
        learner = self.verdict.learner
        largest = max(self.evidence.p_value(learner, rival) for rival in self.evidence.rivals)
        names = ", ".join(self.titles[rival] for rival in self.evidence.rivals)
        above = self._graph_over_features()
        if above is None:
            graph = ""
        elif above > 0:
            graph = " The given graph is of use, and the learned one of more."
        else:
            graph = " The given graph is of no use as it is."
        p = f"largest p {largest:.3f}" if largest >= 0.001 else "each p below 0.001"
        return f"It is above each of {names} beyond chance ({p}).{graph}"

    def why_no(self) -> str:
        """Say which case it is: nothing to learn, a good graph, or a useless one."""
        evidence, rival = self.evidence, self.verdict.rival
        small = " There is a gain, but a small one." if self.verdict.gain.low > 0 else ""
        if evidence.mean(rival) < evidence.largest_class + evidence.least:
            return (
                "Neither the features nor the graph tell the classes: no method is above the "
                f"{100 * evidence.largest_class:.1f} % that are of the most frequent class."
            )
        if not {NO_GRAPH, FEATURE_GRAPH, GIVEN_GRAPH} <= set(evidence.rivals):
            return f"{self.has(rival)} is as good without learning a graph.{small}"
        figures = ", ".join(self.has(m) for m in (NO_GRAPH, FEATURE_GRAPH, GIVEN_GRAPH))
        return f"{self._given_graph(rival)} ({figures}).{small}"

    def _given_graph(self, rival: str) -> str:
        """Say what the given graph is worth beside none, and beside that of similar features."""
        evidence, above = self.evidence, self._graph_over_features()
        assert above is not None
        if evidence.accuracy[GIVEN_GRAPH] == evidence.accuracy[FEATURE_GRAPH]:
            worth = "is good enough as it is" if above > 0 else "adds nothing to them"
            return f"The given graph is that of similar features, and {worth}"
        if rival in evidence.edge_readers and above > 0:
            return "The given graph is already good"
        if rival in evidence.edge_readers or above > 0:
            return "What there is in the graph is had without learning it"
        return "The given graph adds nothing to the features"

    def _graph_over_features(self) -> float | None:
        """Return by how much GCN is above MLP: the lower end if that is positive, else 0 or less.

        None without both.
        """
        if not {NO_GRAPH, GIVEN_GRAPH} <= set(self.evidence.rivals):
            return None
        return self.evidence.difference(GIVEN_GRAPH, NO_GRAPH).low

    def why_open(self) -> str:
        gain, least = self.verdict.gain, self.evidence.least
        if gain.high < least:
            return (
                f"Too few nodes are labelled to leave out a gain of {self.least} points: it takes "
                f"{least_tested(least):.0f} that are tested, whatever they show."
            )
        return (
            f"The interval holds both no gain and one of {self.least} points, which would matter."
        )

    def use(self, one: str, other: str) -> str:
        """Advise one method, with the times of both."""
        times = (f"{self.seconds[m]:.1f} s" for m in (one, other))
        mine, theirs = times
        return f"Use '{one}' ({mine} a run); '{other}' takes {theirs}."

    def more(self) -> str:
        """Say how many splits or labels it would take."""
        n_labels, verdict = self.evidence.n_labels, self.verdict
        if verdict.splits is not None:
            more = verdict.splits - self.evidence.n_splits
            return (
                f"If the differences stay as they are, {more} more splits of these labels decide: "
                f"--splits {verdict.splits}."
            )
        if verdict.labels is not None:
            more = verdict.labels - n_labels
            return (
                "More splits of these labels would not decide. If the differences stay as they "
                f"are, about {more:,} more labelled nodes would ({verdict.labels:,} in all)."
            )
        return (
            "No number of splits or labels that could be had would decide: the difference is too "
            "near the one that matters. Raise --least, or take the cheaper method, "
            f"'{self._cheaper()}'."
        )

    def _cheaper(self) -> str:
        return min((self.verdict.learner, self.verdict.rival), key=self.seconds.__getitem__)
