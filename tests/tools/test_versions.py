"""Lowest versions are read from pyproject.toml."""

from __future__ import annotations

import pytest

from versions import bounds, normal, read, table


def test_bounds_of_this_project_can_be_read() -> None:
    names = {bound.name for bound in bounds()}
    assert {"numpy", "numba", "pyarrow", "pytest", "pandas"} <= names
    assert "ruff" not in names, "what no test needs is not installed"


def test_a_bound() -> None:
    assert read("numpy>=2.0").pinned("lowest") == "numpy==2.0"
    assert read("psycopg[binary] >= 3.2").pinned("newest") == "psycopg[binary]>=3.2"
    assert read("numba>=0.61,<1").pinned("lowest") == "numba==0.61"
    with pytest.raises(SystemExit, match="numpy"):
        read("numpy")


def test_a_table() -> None:
    assert normal("SQLAlchemy_x") == "sqlalchemy-x"
    assert table(["a", "b"], [["one", "2"]]) == "a    b\n---  -\none  2"
