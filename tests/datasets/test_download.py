"""What is fetched, from where; PyTorch Geometric's own downloading is replaced by small files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from cogsl.datasets import DATASETS
from cogsl.datasets.on_disk import FileDataset

# PyTorch Geometric compiles helpers with torch.jit when it is imported.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")


def file_dataset(name: str) -> FileDataset:
    dataset = DATASETS[name]
    assert isinstance(dataset, FileDataset)
    return dataset


@pytest.mark.parametrize(
    ("name", "module"),
    [("ms_academic", "coauthor"), ("amazon_photo", "amazon"), ("wikics", "wikics")],
)
def test_the_class_of_pyg_fetches_our_source_and_processes_nothing(
    name: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def download(address: str, folder: str) -> None:
        asked.append(address)
        Path(folder, address.rpartition("/")[2]).touch()

    monkeypatch.setattr(f"torch_geometric.datasets.{module}.download_url", download)
    dataset = file_dataset(name)
    folder = dataset.fetch(tmp_path)
    assert asked == list(dataset.sources)
    assert [path.name for path in folder.iterdir()] == list(dataset.raw_files)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == list(folder.iterdir())


def test_blogcatalog_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = file_dataset("blogcatalog")
    asked = []

    def download(address: str, folder: str, name: str) -> str:
        asked.append(address)
        path = Path(folder, name)
        with zipfile.ZipFile(path, "w") as packed:
            for raw in dataset.raw_files:
                packed.writestr(f"blogcatalog.attr/{raw}", "")
        return str(path)

    monkeypatch.setattr(
        "torch_geometric.datasets.attributed_graph_dataset.download_google_url", download
    )
    folder = dataset.fetch(tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == sorted(dataset.raw_files)
    assert len(asked) == 1
    assert dataset.sources[0].endswith(asked[0])


@pytest.mark.parametrize("name", ["citeseer", "cora", "pubmed"])
def test_the_eight_files_of_planetoid_are_fetched_and_not_opened(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def copy(address: str, folder: str) -> None:
        Path(folder, address.rpartition("/")[2]).write_text("not a pickle")

    monkeypatch.setattr("torch_geometric.datasets.planetoid.fs.cp", copy)
    folder = file_dataset(name).fetch(tmp_path)
    parts = ("allx", "ally", "graph", "test.index", "tx", "ty", "x", "y")
    assert sorted(path.name for path in folder.iterdir()) == [f"ind.{name}.{p}" for p in parts]


def test_polblogs_comes_from_its_two_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_address(address: str, timeout: float) -> io.BytesIO:
        return io.BytesIO(address.encode())

    monkeypatch.setattr("cogsl.datasets.download.urlopen", open_address)
    dataset = file_dataset("polblogs")
    folder = dataset.fetch(tmp_path)
    said = tuple((folder / name).read_text() for name in dataset.raw_files)
    assert said == dataset.sources
    assert [address.rpartition("/")[2] for address in said] == list(dataset.raw_files)
