"""States that nobody's machine has written, a short form of hostile_blobs.py: no internal error, no death, no hang."""

from __future__ import annotations

import pytest

import hostile_blobs
from eryxsh import StateError

STEP = 11  # every so many of the blobs with one field changed: the others are in the long form


@pytest.mark.parametrize("each", [True, False], ids=["each field", "by chance"])
def test_a_made_up_state_is_refused_or_ends(each: bool) -> None:
    """What is changed in a golden blob is told by the load, or does no harm."""
    maker: hostile_blobs.Maker
    if each:
        maker = hostile_blobs.Each(1, "")
        numbers = range(0, len(maker), STEP)
    else:
        maker, numbers = hostile_blobs.Maker(11, ""), range(2500)
    counts, wrong = hostile_blobs.attack(maker, numbers, show=False)
    assert wrong == []
    assert sum(counts.values()) == len(numbers) >= 2500
    assert counts["loaded"] > len(numbers) // 4, "most blobs are refused: nothing is tried"
    assert counts[StateError.__name__] > len(numbers) // 10, "hardly a blob is refused: nothing is changed"
