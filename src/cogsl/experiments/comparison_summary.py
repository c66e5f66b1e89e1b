"""What a comparison showed: a row a method, the verdict, and both as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cogsl.evaluation.protocol import Record
from cogsl.evaluation.provenance import versions
from cogsl.evaluation.statistics import PairedDifference, holm, mean_and_deviation
from cogsl.experiments.comparison import REFERENCE, Comparison
from cogsl.experiments.presets import find_method
from cogsl.experiments.records import write_record
from cogsl.experiments.verdict import Evidence, Verdict, decide
from cogsl.experiments.verdict_words import Words, put_in_words


@dataclass(frozen=True, kw_only=True)
class Row:
    """A method's figures over all splits, as shares; seconds are those of a run.

    ``lead`` is what CoGSL has over it, with the corrected 95 % interval; ``p`` is the corrected
    p-value of that, and ``p_holm`` the same for as many methods as there are. CoGSL has none.
    """

    method: str
    title: str
    learns_graph: bool
    accuracy: float
    deviation: float
    macro_f1: float
    seconds: float
    lead: PairedDifference | None = None
    p: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True)
class Summary:
    """All rows, the verdict, the verdict in words, and the commits with which runs were done."""

    comparison: Comparison
    evidence: Evidence
    rows: tuple[Row, ...]
    verdict: Verdict
    words: Words
    commits: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything but the runs' own records, ready for JSON."""
        plan, sizes = self.comparison.plan, self.comparison.sizes
        return {
            "graph": self.comparison.title,
            "answer": self.verdict.answer,
            "words": asdict(self.words),
            "gain": self.verdict.gain._asdict(),
            "learner": self.verdict.learner,
            "rival": self.verdict.rival,
            "splits_needed": self.verdict.splits,
            "labels_needed": self.verdict.labels,
            "least": self.evidence.least,
            "test_to_train": self.evidence.test_to_train,
            "plan": asdict(plan) | {"methods": list(plan.methods)},
            "sizes": asdict(sizes),
            "rows": [_as_json(row) for row in self.rows],
            "accuracy": {name: list(values) for name, values in self.evidence.accuracy.items()},
            "versions": versions(),
            "commits": list(self.commits),
        }

    def write(self, folder: Path) -> Path:
        """Write ``comparison.json``."""
        path = folder / "comparison.json"
        write_record(path, self.as_json())
        return path


def summarise(comparison: Comparison, records: Sequence[Record], least: float) -> Summary:
    """Return what the records of a comparison show."""
    evidence = comparison.evidence(records, least)
    others = [name for name in comparison.plan.methods if name != REFERENCE]
    p_values = [evidence.p_value(REFERENCE, name) for name in others]
    corrected = dict(zip(others, zip(p_values, holm(p_values), strict=True), strict=True))
    rows = []
    for name in comparison.plan.methods:
        runs = [record for record in records if record["method"] == name]
        lead = evidence.difference(REFERENCE, name) if name != REFERENCE else None
        p, p_holm = corrected.get(name, (None, None))
        rows.append(_row(name, runs, lead, p, p_holm))
    verdict = decide(evidence)
    titles = {row.method: row.title for row in rows}
    seconds = {row.method: row.seconds for row in rows}
    words = put_in_words(evidence, verdict, titles, seconds)
    commits = sorted({record["commit"] or "" for record in records})
    return Summary(comparison, evidence, tuple(rows), verdict, words, tuple(commits))


def _row(
    name: str,
    runs: Sequence[Record],
    lead: PairedDifference | None,
    p: float | None,
    p_holm: float | None,
) -> Row:
    method = find_method(name)
    accuracy, deviation = mean_and_deviation([run["accuracy"] for run in runs])
    return Row(
        method=name,
        title=method.about.title,
        learns_graph=method.learns_graph,
        accuracy=accuracy,
        deviation=deviation,
        macro_f1=mean_and_deviation([run["macro_f1"] for run in runs])[0],
        seconds=mean_and_deviation([run["seconds"] for run in runs])[0],
        lead=lead,
        p=p,
        p_holm=p_holm,
    )


def _as_json(row: Row) -> dict[str, Any]:
    return asdict(row) | {"lead": None if row.lead is None else row.lead._asdict()}
