"""The benchmarks of large graphs, on small ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import batches, denoising, scaling


def record(nodes: int, **figures: float) -> dict[str, Any]:
    usual = {"views_seconds": 1.0, "iteration_seconds": 1.0, "peak_bytes": 2.0**30}
    return {"nodes": nodes, "estimated_bytes": 2.0**30, **usual, **figures}


def test_the_exponent_of_a_power_law_is_found_from_30_000_nodes_up() -> None:
    sizes = (10_000, 30_000, 100_000, 1_000_000)
    records = [record(n, iteration_seconds=3e-6 * n**1.3) for n in sizes]
    records[0]["iteration_seconds"] = 1e9  # too small a graph to count
    assert scaling.exponent(records, "iteration_seconds") == pytest.approx(1.3)


def test_limits_are_held_against_the_figures() -> None:
    sound = [record(n, views_seconds=n**1.1, peak_bytes=n * 1e3) for n in (30_000, 1_000_000)]
    for each in sound:
        each["estimated_bytes"] = 1.2 * each["peak_bytes"]
    assert all(kept for kept, _ in scaling.verdicts("x", sound))
    steep = [record(n, views_seconds=n**1.2) for n in (30_000, 1_000_000)]
    large = [record(30_000, peak_bytes=17 * 2.0**30, estimated_bytes=17 * 2.0**30), record(10**6)]
    wrong = [record(30_000, estimated_bytes=1.3 * 2.0**30), record(10**6)]
    for broken, word in ((steep, "exponent of views"), (large, "GiB"), (wrong, "estimate")):
        failed = [text for kept, text in scaling.verdicts("x", broken) if not kept]
        assert len(failed) == 1
        assert word in failed[0]


@pytest.mark.parametrize("clusters", [1, 10])
def test_a_case_is_measured_in_a_process_of_its_own(clusters: int) -> None:
    measured = scaling.measure_alone(scaling.Case("subgraph", 2000, 2, clusters))
    assert measured["nodes"] == 2000
    assert measured["iteration_seconds"] > 0
    assert measured["views_seconds"] > 0
    assert measured["peak_bytes"] > 100 * 2**20
    assert scaling.format_table("x", [measured]).row_count == 2


def test_the_plot_is_drawn(tmp_path: Path) -> None:
    records = [record(n, views_seconds=n * 1e-5) for n in (30_000, 1_000_000)]
    scaling.draw({"diffusion": records, "subgraph": records}, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 10_000


def test_the_closed_share_of_the_distance() -> None:
    accuracy = {denoising.GIVEN: [60.0, 70.0], denoising.TRUE: [90.0, 100.0], "x": [80.0, 80.0]}
    assert denoising.closed_share(accuracy, "x") == pytest.approx(0.5)


def test_every_variant_runs_on_its_graph() -> None:
    overrides = (("iterations", "2"),)
    records = []
    for variant in denoising.VARIANTS:
        run = denoising.Run(variant, 2000, 0.3, 0, 8, overrides)
        records.append(denoising.run_one(run))
        assert records[-1]["variant"] == variant
    given, true, *_ = (r["accuracy"] for r in records)
    assert true > given
    assert denoising.format_table("x", records).row_count == 4


def test_mini_batches_are_held_against_the_whole_graph() -> None:
    runs = [batches.Run("wine", seed, n, (("iterations", "2"),)) for n in (1, 9) for seed in (0, 1)]
    table = batches.format_table("wine", [batches.run_one(run) for run in runs])
    assert table.row_count == 2
    assert str(table.caption).split(":")[0] in ("pass", "FAIL")
