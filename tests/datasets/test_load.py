"""Where a data set is looked for, how it is split, and what is said when it cannot be had."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cogsl.datasets import DATASETS, load
from cogsl.datasets.base import Statistics
from cogsl.datasets.files import Archive, write_archive
from cogsl.datasets.on_disk import FileDataset
from cogsl.errors import DataUnavailableError, SettingValueError, UnknownNameError


def archive(n_edges: int = 3) -> Archive:
    """Return a path of 40 nodes with two classes, the last node without a label."""
    nodes = np.arange(40)
    return {
        "edge_index": np.stack([nodes[:n_edges], nodes[1 : n_edges + 1]]),
        "y": np.append(nodes[:39] % 2, 0),
        "unlabelled": np.array([39]),
        "x_data": np.full(40, 4.0, dtype=np.float32),
        "x_indices": nodes % 5,
        "x_indptr": np.arange(41),
        "x_shape": np.array([40, 5]),
        "train_index": np.array([0, 1, 2, 3]),
        "val_index": np.array([4, 5]),
        "test_mask": nodes > 35,
    }


class Toy(FileDataset):
    name = "toy"
    title = "Toy"
    file = "toy.npz"
    sources = ("https://example.org/toy.txt",)
    raw_files = ("toy.txt",)
    has_official_split = True
    default_split = "official"
    balanced = True
    statistics = Statistics(
        nodes=40, edges=3, features=5, classes=2, homophily=0.0, train=4, val=6, test=10
    )
    fetched = 0

    def fetch(self, folder: Path) -> Path:
        self.fetched += 1
        (folder / "toy.txt").write_text("7")
        return folder

    def convert(self, folder: Path) -> Archive:
        return archive(int((folder / "toy.txt").read_text()))


class Unreachable(Toy):
    def fetch(self, folder: Path) -> Path:
        raise OSError("no network")


def test_the_root_goes_before_the_variable_and_the_variable_before_the_cache(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, variable = tmp_path / "root", tmp_path / "variable"
    monkeypatch.setenv("COGSL_DATA", str(variable))
    for n_edges, folder in ((1, root), (2, variable), (3, cache)):
        write_archive(folder / "toy.npz", archive(n_edges))
    toy = Toy()
    assert toy.load(root).n_edges == 1
    assert toy.load().n_edges == 2
    shutil.rmtree(variable)
    assert toy.load().n_edges == 3
    (root / "toy.npz").unlink()
    assert toy.load(root).n_edges == 3
    assert toy.fetched == 0


def test_a_download_is_kept_in_the_cache(cache: Path) -> None:
    toy = Toy()
    assert not toy.is_at_hand()
    assert toy.load().n_edges == 7
    assert toy.is_at_hand()
    assert toy.load().n_edges == 7
    assert toy.fetched == 1
    assert [path.name for path in cache.iterdir()] == ["toy.npz"]


def test_upstream_files_that_are_laid_by_hand_are_read(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.txt").write_text("5")
    toy = Toy()
    assert toy.is_at_hand(tmp_path)
    assert toy.load(tmp_path).n_edges == 5
    assert toy.fetched == 0


def test_without_network_the_error_says_what_to_fetch_and_where_to_put_it(cache: Path) -> None:
    with pytest.raises(DataUnavailableError) as raised:
        Unreachable().load()
    said = str(raised.value)
    for phrase in ("'toy'", "no network", "https://example.org/toy.txt", str(cache / "toy")):
        assert phrase in said
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 cut off"])
def test_a_broken_file_is_named(cache: Path, content: bytes) -> None:
    (cache / "toy.npz").write_bytes(content)
    with pytest.raises(DataUnavailableError, match=r"toy\.npz' cannot be read as .* 'toy'"):
        Toy().load()


def test_a_file_without_a_part_is_named_with_the_part(cache: Path) -> None:
    stored = archive()
    del stored["y"]
    write_archive(cache / "toy.npz", stored)
    with pytest.raises(DataUnavailableError, match=r"toy\.npz' .* \(KeyError: 'y'\)"):
        Toy().load()


def test_nodes_without_a_label_have_none_and_are_in_no_split(cache: Path) -> None:
    write_archive(cache / "toy.npz", archive())
    graph = Toy().load(split="stratified")
    assert graph.labels[39] == -1
    assert 39 not in np.concatenate([graph.train, graph.val, graph.test])


def test_indices_and_masks_make_the_official_split(cache: Path) -> None:
    write_archive(cache / "toy.npz", archive())
    graph = Toy().load(split="official")
    assert graph.train.tolist() == [0, 1, 2, 3]
    assert graph.test.tolist() == [36, 37, 38, 39]


def test_a_balanced_split_by_seed_draws_each_class_alike(cache: Path) -> None:
    write_archive(cache / "toy.npz", archive())
    graph = Toy().load(split="stratified", split_seed=5)
    assert np.bincount(graph.labels[graph.train]).tolist() == [2, 2]
    assert (len(graph.val), len(graph.test)) == (6, 10)


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="'citeser'; did you mean 'citeseer'"):
        load("citeser")


def test_an_unknown_split_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="'oficial'; did you mean 'official'"):
        load("wine", split="oficial")


def test_an_official_split_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SettingValueError, match="'wine' has no official split"):
        load("wine", split="official")


def test_a_negative_split_seed_is_refused() -> None:
    with pytest.raises(SettingValueError, match="Got -1"):
        load("wine", split_seed=-1)


def test_the_list_of_data_sets_loads_neither_torch_nor_scikit_learn() -> None:
    source = Path(__file__).parents[2] / "src"
    code = (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        "from cogsl.datasets import DATASETS\n"
        "DATASETS['cora'].statistics, DATASETS['cora'].is_at_hand()\n"
        "sys.exit('torch' in sys.modules or 'sklearn' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_every_file_data_set_says_where_it_comes_from() -> None:
    on_disk = [dataset for dataset in DATASETS.values() if isinstance(dataset, FileDataset)]
    assert len(on_disk) == 8
    assert all(source.startswith("https://") for dataset in on_disk for source in dataset.sources)
