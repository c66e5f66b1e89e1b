"""The benchmarks compare like with like, and judge only what was claimed."""

from __future__ import annotations

import dataclasses
import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks import accuracy, iteration, kernels, search
from benchmarks.claims import SMALL, Claim, claim_for, judge
from benchmarks.dense_oracle import DenseIteration, fits
from benchmarks.kernel_cases import ENTRIES, NODES, cases, random_problem
from cogsl import datasets
from cogsl.experiments.specs import read_spec
from cogsl.graph import Graph
from cogsl.methods import METHODS
from cogsl.methods.cogsl import CoGSL
from cogsl.seeding import Seeds

TINY = SMALL[0]


def test_both_ways_of_every_case_give_the_same_numbers() -> None:
    compared = [case for case in cases(random_problem(150)) if case.same]
    assert len(compared) > 9
    for case in compared:
        torch.testing.assert_close(case.ours(), case.other(), rtol=1e-4, atol=1e-5)


def test_random_pattern_stores_its_diagonal_and_no_pair_twice() -> None:
    pattern = random_problem(150).view.pattern
    assert pattern.nnz == ENTRIES * 150 // NODES
    assert pattern.diagonal.numel() == 150
    assert len(set(zip(pattern.row.tolist(), pattern.col.tolist(), strict=True))) == pattern.nnz


def test_kernels_write_a_ratio_for_every_row(tmp_path: Path) -> None:
    path = tmp_path / "kernels.json"
    assert kernels.main(["--nodes", "60", "--seconds", "0", "--output", str(path)]) == 0
    rows = json.loads(path.read_text())["rows"]
    assert rows
    assert all(row["ratio"] == pytest.approx(row["other_ms"] / row["ms"]) for row in rows)


def test_iteration_writes_every_part_and_judges_no_shortened_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "iteration.json"
    short = ["--dataset", TINY, "--iterations", "2", "--epochs", "3", "--skip-profile"]
    assert iteration.main([*short, "--output", str(path)]) == 0
    record = json.loads(path.read_text())
    assert record["run"]["n_iterations"] == 2
    assert record["run"]["gradient_steps"] == 2 * (1 + 1 + 5)
    assert {"views", "classifiers", "mi", "validation"} <= record["run"]["phases"].keys()
    assert record["example"]["n_epochs"] == 3
    assert [beside["dataset"] for beside in record["oracle"]] == [TINY]
    assert "not judged" in capsys.readouterr().out


def test_an_unknown_setting_ends_in_an_error_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert iteration.main(["--dataset", TINY, "--set", "tua=1"]) == 2
    assert "did you mean 'tau'" in capsys.readouterr().err


def test_limits_pass_fail_or_are_not_judged() -> None:
    claim = Claim({"seconds": 5.0})
    kept = [judge(claim, {"seconds": seconds}, [])[0].kept for seconds in (4.0, 6.0, None)]
    assert kept == [True, False, None]
    assert judge(claim, {"seconds": 4.0}, ["iterations is 2"])[0].kept is None


def test_most_data_sets_have_no_limit() -> None:
    claimed = [name for name in datasets.DATASETS if claim_for(name).limits]
    assert 0 < len(claimed) < len(datasets.DATASETS)


def test_each_dense_step_trains_its_own_parameters_only() -> None:
    method = CoGSL(estimator_hidden=4, mi_hidden=8)
    dense = DenseIteration(method, datasets.load(TINY), Seeds(0))
    groups = {"omega": dense.omega, "theta": dense.theta, "phi": dense.phi}
    steps = {"omega": dense.view_step, "theta": dense.classifier_step, "phi": dense.mi_step}
    for trained, step in steps.items():
        before = {name: [p.clone() for p in group] for name, group in groups.items()}
        step()
        for name, group in groups.items():
            moved = any(not torch.equal(a, b) for a, b in zip(before[name], group, strict=True))
            assert moved == (name == trained)


def test_dense_oracle_is_kept_from_graphs_that_it_cannot_hold() -> None:
    assert fits(CoGSL(), 500)
    assert not fits(CoGSL(), NODES)


def test_search_judges_by_validation_nodes_alone() -> None:
    graph = datasets.load(TINY)
    for half in search.halves_of(graph, 100):
        assert set(half.train) == set(graph.train)
        assert set(half.val) | set(half.test) == set(graph.val)
        assert abs(len(half.val) - len(half.test)) <= 1


def test_shuffled_test_labels_change_no_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = [
        search.Trial(TINY, candidate, 100, half, method="mlp")
        for candidate in ("default", "decay_5e-2")
        for half in (0, 1)
    ]
    chosen = [search.run_trial(trial) for trial in trials]
    original = search.graph_of

    def shuffled(trial: search.Trial) -> Graph:
        graph = original(trial)
        labels = graph.labels.copy()
        labels[graph.test] = np.random.default_rng(0).permutation(labels[graph.test])
        assert not np.array_equal(labels, graph.labels)
        return dataclasses.replace(graph, labels=labels)

    monkeypatch.setattr(search, "graph_of", shuffled)
    again = [search.run_trial(trial) for trial in trials]
    assert search.accuracies(again) == search.accuracies(chosen)
    assert search.best_of(again) == search.best_of(chosen)


def test_search_holds_every_candidate_against_the_first() -> None:
    trials = [search.Trial(TINY, "gcn", split, half) for split in (100, 101) for half in (0, 1)]
    records = [search.run_trial(trial) for trial in trials]
    other = [{**record, "candidate": "other", "accuracy": 0.5} for record in records]
    table = search.format_table(TINY, records + other)
    names, accuracies, differences, _ = (list(column.cells) for column in table.columns)
    mean = 25 * sum(record["accuracy"] for record in records)
    assert names == ["gcn", "other"]
    assert accuracies == [f"{mean:.2f}", "50.00"]
    assert str(differences[1]).startswith(f"{50 - mean:+.2f} [")


def test_candidates_are_settings_of_their_methods() -> None:
    files = list(search.CANDIDATES.glob("*.toml"))
    assert {file.stem for file in files} <= METHODS.keys()
    for file in files:
        for name in search.read_candidates(file.stem):
            search.method_of(search.Trial(TINY, name, 100, 0, method=file.stem)).validate()


@pytest.mark.parametrize("common", [(), (("epochs", "50"),)])
def test_the_best_candidate_becomes_a_preset(
    tmp_path: Path, common: tuple[tuple[str, str], ...]
) -> None:
    records = [
        {"candidate": name, "split_seed": split, "accuracy": accuracy, "overrides": common}
        for name, accuracies in {"default": (0.5, 0.7), "less_dropout": (0.9, 0.6)}.items()
        for split, accuracy in enumerate(accuracies)
    ]
    assert search.best_of(records) == "less_dropout"
    path = search.write_preset("gat", TINY, records, tmp_path)
    assert path == tmp_path / "gat" / "paper" / f"{TINY}.toml"
    text = path.read_text()
    assert tomllib.loads(text) == search.read_candidates("gat")["less_dropout"]
    assert ("epochs = 50" in text) == bool(common)


def test_a_graph_that_is_drawn_is_another_one_in_each_split() -> None:
    size = (("nodes", "2000"), ("mean_degree", "4"), ("iterations", "3"))
    one, other = (
        search.graph_of(search.Trial("synthetic", "default", split, 0, size))
        for split in (100, 101)
    )
    assert one.n_nodes == other.n_nodes == 2000
    assert not np.array_equal(one.adjacency.indices, other.adjacency.indices)
    assert search.method_of(search.Trial("synthetic", "default", 100, 0, size)).max_iterations == 3


def test_settings_for_all_candidates_give_way_to_their_own() -> None:
    common = (("scale_decay", "false"), ("classifier_weight_decay", "0.5"))
    decays = {
        name: search.method_of(search.Trial(TINY, name, 100, 0, common)).get_params()
        for name in ("relu", "decay_2e-2", "gcn")
    }
    assert decays["relu"]["classifier_weight_decay"] == 0.5
    assert decays["decay_2e-2"]["classifier_weight_decay"] == 2e-2
    assert decays["gcn"]["weight_decay"] == 5e-4


def first_run(dataset: str = TINY) -> accuracy.Job:
    jobs = accuracy.first_jobs(dataset, ["gcn"], ["default"], {}, output=Path("runs"), threads=1)
    assert len(jobs) == 1
    return jobs[0]


@pytest.mark.parametrize(("seconds", "runs"), [(59.0, 10), (61.0, 3), (601.0, 1)])
def test_long_runs_are_repeated_less_often(seconds: float, runs: int) -> None:
    more = accuracy.more_jobs(first_run(), {"seconds": seconds}, None)
    assert [job.seed for job in more] == list(range(1, runs))
    assert all(job.split_seed == job.seed for job in more)


def test_a_public_split_stays_and_a_failed_run_is_not_repeated() -> None:
    fixed = first_run(next(n for n in accuracy.DATASETS if not datasets.DATASETS[n].draws_splits))
    assert {job.split_seed for job in accuracy.more_jobs(fixed, {"seconds": 1.0}, 4)} == {0}
    assert accuracy.more_jobs(fixed, {"failure": "no memory"}, None) == []


def test_presets_that_a_method_lacks_are_not_run() -> None:
    jobs = accuracy.first_jobs(
        TINY, ["cogsl", "label_spreading"], ["default", "paper"], {}, output=Path("runs"), threads=1
    )
    found = [(job.method, job.preset) for job in jobs]
    assert found == [("cogsl", "default"), ("cogsl", "paper"), ("label_spreading", "default")]


def test_a_baseline_is_too_weak_below_two_deviations_or_a_point_and_a_half() -> None:
    assert accuracy.least(90.0, 2.0) == 86.0
    assert accuracy.least(90.0, 0.1) == 88.5
    weak = [figures[0] - 10 for figures in accuracy.printed(TINY)["gcn"]]
    assert accuracy.shortfall(TINY, "gcn", weak).startswith("macro_f1 8.")
    assert accuracy.shortfall(TINY, "gcn", [100.0] * 3) == ""
    assert accuracy.shortfall(TINY, "mlp", [0.0] * 3) == ""


def test_the_paper_prints_every_method_for_most_data_sets() -> None:
    for name in ("wine", "breast_cancer", "digits", "polblogs", "citeseer"):
        assert len(accuracy.printed(name)) == 10
    assert accuracy.printed("citeseer")["gcn"] == [[67.4, 0.3], [70.1, 0.2], [89.9, 0.2]]
    assert "lds" not in accuracy.printed("ms_academic")


def test_the_paper_s_numbers_are_the_same_wherever_they_stand() -> None:
    spec = read_spec("table-classification")
    title = {series.name: series.method for series in spec.series}
    for name, rows in spec.printed.items():
        means = {method: [m for m, _ in row] for method, row in accuracy.printed(name).items()}
        assert {title[series]: list(numbers) for series, numbers in rows.items()} == means


def test_leads_are_taken_over_the_runs_that_both_have() -> None:
    def runs(*figures: float) -> list[dict[str, float]]:
        return [{"seed": k, "split_seed": k, "macro_f1": f} for k, f in enumerate(figures)]

    ours, theirs = accuracy.paired(runs(0.9, 0.8, 0.1), runs(0.8, 0.7))
    assert ours == pytest.approx([90.0, 80.0])
    assert theirs == pytest.approx([80.0, 70.0])


def test_runs_that_failed_have_a_row_that_says_why() -> None:
    record = {"method": "gcn", "preset": "default", "failure": "It would need 9 GiB."}
    columns = accuracy.format_table(TINY, [record]).columns
    cells = [next(iter(column.cells)) for column in columns]
    assert cells[:3] == ["gcn", "0", "It would need 9 GiB."]
