"""The short form of tests/nesting.py."""

from __future__ import annotations

import nesting


def test_deep_nesting() -> None:
    """A part of the cases, 10,000 and 100,000 deep: an answer or an error, in time, and the process lives."""
    n, wrong = nesting.check([10_000, 100_000], of=5)
    assert wrong == []
    assert n > 300
