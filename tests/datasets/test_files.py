from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cogsl.datasets.files import read_archive, search_folders, write_archive
from cogsl.errors import DataUnavailableError


def test_folders_are_the_root_then_the_variable_then_the_cache(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert search_folders(None) == [cache]
    monkeypatch.setenv("COGSL_DATA", str(tmp_path / "variable"))
    assert search_folders(str(tmp_path)) == [tmp_path, tmp_path / "variable", cache]


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataUnavailableError, match=r"must be a folder\. Got .*nowhere"):
        search_folders(tmp_path / "nowhere")


def test_an_archive_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "set.npz"
    write_archive(path, {"a": np.arange(3), "b": np.array(["x"])})
    stored = read_archive(path)
    assert set(stored) == {"a", "b"}
    np.testing.assert_array_equal(stored["a"], [0, 1, 2])
    assert [entry.name for entry in path.parent.iterdir()] == ["set.npz"]


def test_an_archive_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "set.npz"
    write_archive(path, {"a": np.arange(3)})

    def fail(stream: object, **arrays: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="no space left"):
        write_archive(path, {"a": np.arange(9)})
    assert list(tmp_path.iterdir()) == [path]
    np.testing.assert_array_equal(read_archive(path)["a"], [0, 1, 2])


def test_pickled_objects_are_never_read(tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    np.savez(path, a=np.array([{"an": "object"}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle=False"):
        read_archive(path)
