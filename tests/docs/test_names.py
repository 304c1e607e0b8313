"""The names gg offers."""

from __future__ import annotations

import pytest

import gg


def test_exported_names_are_sorted_and_resolve() -> None:
    """`gg.__all__` is sorted, each of its names is there, and each comes from where its module says."""
    assert gg.__all__ == sorted(gg.__all__)
    for name in gg.__all__:
        value = getattr(gg, name)
        assert value.__name__ == name
        assert value.__module__.startswith("gg.")


def test_exported_names_are_the_public_ones() -> None:
    """What `dir` shows and what is exported are the same, and nothing else is reached by accident."""
    assert dir(gg) == gg.__all__
    assert set(gg._HOMES) == set(gg.__all__)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = gg.no_such_name  # type: ignore[attr-defined]
