"""Does structure learning help? The decision, from figures of methods on the same splits: pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cogsl.errors import InputError
from cogsl.evaluation.statistics import (
    PairedDifference,
    half_width,
    mean_and_deviation,
    paired_difference,
    paired_p_value,
)

YES, NO, OPEN = "yes", "no", "cannot tell yet"

ERROR = 0.05
"""How often a verdict may be wrong by chance; each end of an interval has half of it."""

MOST_SPLITS = 200
"""More splits than these are not asked for."""

MOST_LABELS = 100.0
"""Nor are more labels than so many times those that there are."""

_GROWTH = 1.02  # step of the search for the number of labels
_RULE_OF_THREE = 3.0


def check_least(least: float) -> None:
    """Raise ``InputError`` for what cannot be the smallest difference that matters."""
    if not 0.0 < least < 1.0:
        raise InputError(
            "The smallest difference that matters must be a share between 0 and 1, e.g. 0.01 for "
            f"one point. Got {least} instead."
        )


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was seen.

    Parameters
    ----------
    accuracy : of each method, one share a split; all on the same splits, in the same order.
    learners : the methods that learn a graph. All others are their rivals.
    edge_readers : the methods that read the given edges.
    n_labels : labelled nodes, from which splits are drawn.
    n_test : test nodes of a split.
    largest_class : the share of the labelled nodes that are of the most frequent class.
    least : the smallest difference in accuracy that matters.
    """

    accuracy: Mapping[str, Sequence[float]]
    learners: tuple[str, ...]
    edge_readers: frozenset[str]
    n_labels: int
    n_test: int
    largest_class: float
    least: float = 0.01

    def __post_init__(self) -> None:
        if not self.learners or not self.rivals or not set(self.learners) <= set(self.accuracy):
            raise InputError(
                "A verdict needs figures of a method that learns a graph and of one that does not. "
                f"Got {', '.join(self.accuracy) or 'none'} instead."
            )
        check_least(self.least)

    @property
    def rivals(self) -> tuple[str, ...]:
        """The methods that learn no graph."""
        return tuple(name for name in self.accuracy if name not in self.learners)

    @property
    def n_splits(self) -> int:
        """Number of splits, J."""
        return len(self.accuracy[self.learners[0]])

    @property
    def test_to_train(self) -> float:
        """Test nodes for each labelled node that is none, r.

        Nadeau and Bengio's n_test / n_train, where all labelled nodes are in one of the two. What
        stands behind it is the share of test nodes that two splits have in common, n_test /
        n_labels; so labelled nodes that validate, or that a split leaves out, count below the line.
        """
        return self.n_test / (self.n_labels - self.n_test)

    def mean(self, method: str) -> float:
        """Return a method's mean accuracy."""
        return mean_and_deviation(self.accuracy[method])[0]

    def difference(self, one: str, other: str) -> PairedDifference:
        """Return the mean of one method minus another, with its corrected 95 % interval."""
        a, b = self.accuracy[one], self.accuracy[other]
        return paired_difference(a, b, 1.0 - ERROR, test_to_train=self.test_to_train)

    def p_value(self, one: str, other: str) -> float:
        """Return the corrected p-value of that difference."""
        a, b = self.accuracy[one], self.accuracy[other]
        return paired_p_value(a, b, test_to_train=self.test_to_train)


@dataclass(frozen=True)
class Verdict:
    """The answer, and what it rests on.

    Parameters
    ----------
    answer : ``YES``, ``NO`` or ``OPEN``.
    learner : the method that learns a graph of which it speaks, the best of them.
    rival : the best of the others, by mean accuracy; of two alike, one that reads the edges.
    gain : what the learner has over the best rival; ``low`` and ``high`` are those of ``gain_of``.
    splits : how many splits in all would decide, where that can be; else None.
    labels : how many labelled nodes in all would decide, where that can be; else None.
    """

    answer: str
    learner: str
    rival: str
    gain: PairedDifference
    splits: int | None = None
    labels: int | None = None


def decide(evidence: Evidence) -> Verdict:
    """Return the verdict.

    The gain of a learner is what it has over the best rival; which one is best is not known.

    - "yes": some learner is above *each* rival beyond chance, and its gain may matter.
    - "no": every learner's gain is below ``least`` beyond chance.
    - else it cannot be told yet. If the differences stay as they are, the interval is short enough
      with J' splits, t_{J'-1} s sqrt(1 / J' + r); or, as s^2 falls like 1 / n, with n' labelled
      nodes in the same shares, t_{J-1} s sqrt(n / n') sqrt(1 / J + r). The smallest numbers that
      suffice are named. No J' suffices if t s sqrt(r) is too long already.
    """
    gains = {name: gain_of(evidence, name) for name in evidence.learners}
    learner = max(gains, key=lambda name: (gains[name].low, gains[name].mean))
    answer = _answer(evidence, evidence.n_splits)
    return Verdict(
        answer,
        learner,
        max(evidence.rivals, key=lambda name: (evidence.mean(name), name in evidence.edge_readers)),
        gains[learner],
        *((_splits_needed(evidence), _labels_needed(evidence)) if answer == OPEN else ()),
    )


def gain_of(
    evidence: Evidence, learner: str, n_splits: int | None = None, growth: float = 1.0
) -> PairedDifference:
    """Return a learner's gain over the best rival, min_k (learner - rival k), and its interval.

    - The lower end is the lowest of the rivals' 95 % intervals: the learner has to be above each of
      them (an intersection-union test, so their number costs nothing). For several learners the
      level is that of Bonferroni, as one of them is enough.
    - The upper end is the lowest of the upper ends, at Bonferroni's level: one rival that is as
      good is enough, and we look for it.

    Parameters
    ----------
    n_splits, growth : the interval is that which as many splits, or so many times the labels, would
        give if the differences stayed as they are; by default what was seen.
    """
    n, found = n_splits or evidence.n_splits, []
    upward = 1.0 - ERROR / len(evidence.learners)
    downward = 1.0 - ERROR / len(evidence.rivals)
    for rival in evidence.rivals:
        pairs = zip(evidence.accuracy[learner], evidence.accuracy[rival], strict=True)
        mean, deviation = mean_and_deviation([a - b for a, b in pairs])
        low, high = (
            half_width(deviation / math.sqrt(growth), n, c, test_to_train=evidence.test_to_train)
            for c in (upward, downward)
        )
        found.append(PairedDifference(mean, mean - low, mean + high))
    return PairedDifference(*(min(ends) for ends in zip(*found, strict=True)))


def least_tested(least: float) -> float:
    """Return how many different nodes must be tested before a "no" can be said.

    Of n nodes on which two methods never differ, up to 3 / n may in truth be different (the rule of
    three, at 95 %): where differences are rare their spread says nothing.
    """
    return _RULE_OF_THREE / least


def _answer(evidence: Evidence, n_splits: int, growth: float = 1.0) -> str:
    """Return the answer that so many splits, or so many times the labels, give or would give."""
    gains = [gain_of(evidence, name, n_splits, growth) for name in evidence.learners]
    missed = (1.0 - evidence.n_test / evidence.n_labels) ** n_splits
    tested = growth * evidence.n_labels * (1.0 - missed)
    if all(g.high < evidence.least for g in gains) and tested >= least_tested(evidence.least):
        return NO
    return YES if any(g.low > 0.0 for g in gains) else OPEN


def _splits_needed(evidence: Evidence) -> int | None:
    counts = range(evidence.n_splits + 1, MOST_SPLITS + 1)
    return next((n for n in counts if _answer(evidence, n) != OPEN), None)


def _labels_needed(evidence: Evidence) -> int | None:
    steps = math.ceil(math.log(MOST_LABELS, _GROWTH))
    for growth in (_GROWTH**step for step in range(1, steps + 1)):
        if _answer(evidence, evidence.n_splits, growth) != OPEN:
            return math.ceil(growth * evidence.n_labels)
    return None
