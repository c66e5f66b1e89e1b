from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix, save_npz

from cogsl.datasets.blogcatalog import BlogCatalog
from cogsl.datasets.preparation import csr_from_parts


@pytest.mark.parametrize("comma", [" ", ",", "\t"])
def test_the_files_upstream_become_an_archive(tmp_path: Path, comma: str) -> None:
    words = np.array([[0.0, 2.0], [1.0, 0.0], [3.0, 3.0]])
    save_npz(tmp_path / "attrs.npz", csr_matrix(words))
    (tmp_path / "edgelist.txt").write_text(f"0{comma}1\n2{comma}1\n")
    (tmp_path / "labels.txt").write_text("0 1\n1 3\n2 2\n")
    archive = BlogCatalog().convert(tmp_path)
    assert archive["edge_index"].tolist() == [[0, 2], [1, 1]]
    assert archive["y"].tolist() == [0, 2, 1]
    np.testing.assert_array_equal(csr_from_parts(archive).toarray(), words)
