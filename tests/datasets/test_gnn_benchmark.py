"""MS Academic and Amazon Photo, whose upstream archives have one form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from cogsl.datasets.amazon_photo import AmazonPhoto
from cogsl.datasets.files import Archive
from cogsl.datasets.ms_academic import MSAcademic
from cogsl.graph import Graph

WORDS = np.array([[2.0, 0.0, 1.0], [0.0, 0.0, 4.0], [1.0, 1.0, 0.0]])


def write_raw(path: Path) -> None:
    """Write an archive of gnn-benchmark's form: CSR parts, labels, and names as pickled objects."""
    adjacency = csr_array(np.array([[0, 1, 0], [0, 0, 1], [0, 1, 0]], dtype=np.float32))
    parts: dict[str, Any] = {}
    for prefix, matrix in (("adj", adjacency), ("attr", csr_array(WORDS))):
        parts |= {
            f"{prefix}_data": matrix.data,
            f"{prefix}_indices": matrix.indices,
            f"{prefix}_indptr": matrix.indptr,
            f"{prefix}_shape": np.array(matrix.shape),
        }
    names = np.array(["a", None, "c"], dtype=object)
    np.savez(path, labels=np.array([0, 1, 1], dtype=np.int32), node_names=names, **parts)


@pytest.mark.parametrize("dataset", [MSAcademic(), AmazonPhoto()])
def test_the_archive_upstream_becomes_ours_and_its_objects_are_left_alone(
    dataset: MSAcademic | AmazonPhoto, tmp_path: Path
) -> None:
    write_raw(tmp_path / dataset.raw_files[0])
    archive: Archive = dataset.convert(tmp_path)
    assert set(archive) == {"edge_index", "y", "x_data", "x_indices", "x_indptr", "x_shape"}
    assert archive["edge_index"].tolist() == [[0, 1, 2], [1, 2, 1]]
    assert archive["y"].tolist() == [0, 1, 1]


def test_ms_academic_counts_each_keyword_once(tmp_path: Path) -> None:
    write_raw(tmp_path / "ms_academic_cs.npz")
    features = MSAcademic().prepare_features(MSAcademic().convert(tmp_path))
    assert isinstance(features, csr_array)
    expected = [[0.5, 0, 0.5], [0, 0, 1], [0.5, 0.5, 0]]
    np.testing.assert_array_equal(features.toarray(), expected)


def test_all_keywords_of_an_author_weigh_the_same(load_if_at_hand: Callable[..., Graph]) -> None:
    features = load_if_at_hand("ms_academic").features
    assert isinstance(features, csr_array)
    lengths = np.diff(features.indptr)
    np.testing.assert_allclose(features.data, np.repeat(1 / lengths, lengths), rtol=1e-6)
