"""Errors that say how to mend things."""

from __future__ import annotations

import math

import pytest

from cogsl.errors import CogslError, MissingExtraError, import_extra


def test_a_library_that_is_there_is_imported() -> None:
    assert import_extra("math", extra="scale", purpose="Counting") is math


def test_a_missing_library_is_named_with_its_extra() -> None:
    with pytest.raises(MissingExtraError, match=r"Flying needs.*'no_such_library'") as caught:
        import_extra("no_such_library", extra="wings", purpose="Flying")
    assert "pip install 'compact-gsl[wings]'" in str(caught.value)
    assert isinstance(caught.value, CogslError)
    assert isinstance(caught.value, ImportError)
