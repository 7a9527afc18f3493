"""SECURITY.md: each row of its table names tests, and they exist."""

from __future__ import annotations

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parent.parent
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TEXT.splitlines() if line.startswith("| ")][1:]
NAMES = re.compile(r"`([\w/]+\.(?:go|py))`|\b(Test\w+|test_\w+)\b")


def named(cell: str) -> list[tuple[str, str]]:
    """The tests that a cell names: file and function."""
    path, found = "", []
    for file, test in NAMES.findall(cell):
        if file:
            path = file
        else:
            found.append((path, test))
    return found


def test_there_are_rows() -> None:
    """The table is read."""
    assert len(ROWS) >= 12
    assert all(len(row) == 3 for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:40] for row in ROWS])
def test_row(row: list[str]) -> None:
    """Each promise has a test; what the cell says besides tests is the word and."""
    tests = named(row[2])
    assert tests
    assert NAMES.sub("", row[2]).replace(",", "").split() in ([], ["and"])
    for path, test in tests:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:def|func|async def) {test}\(", text, re.M), f"{path} has no {test}"


def test_limits_named_exist() -> None:
    """The keywords and profiles the page tells people to use."""
    import eryxsh

    assert eryxsh.Limits.hardened()
    takers = (eryxsh.Sandbox.export_state, eryxsh.Sandbox.from_state, eryxsh.Mount.host)
    for name in re.findall(r"`(\w+)=`", TEXT):
        assert any(name in f.__code__.co_varnames for f in takers), name
