"""Short forms of tests/moved.py: samples of every suite, moved between two processes while they run."""

from __future__ import annotations

from typing import Iterator

import pytest

import moved
from corpora import SUITES

SEED = 20_260


@pytest.fixture(scope="module")
def pair() -> Iterator[moved.Pair]:
    """Two processes for all tests."""
    made = moved.Pair()
    yield made
    made.close()


@pytest.mark.parametrize("suite", [*SUITES, "sessions"])
def test_moved_at_random_points(pair: moved.Pair, suite: str) -> None:
    """One case in thirty, at six points of each of its scripts."""
    for case in list(moved.recorded(suite))[7::30]:
        assert moved.compare(pair, case, 6, SEED)[1] is None, case.name


@pytest.mark.parametrize("suite", SUITES)
def test_moved_after_every_step(pair: moved.Pair, suite: str) -> None:
    """One case in a hundred, after each of its first 2,000 steps."""
    for case in list(moved.recorded(suite))[11::100]:
        assert moved.compare(pair, case, moved.EVERY, SEED)[1] is None, case.name


@pytest.mark.parametrize("suite", [*SUITES, "sessions"])
def test_the_same_bytes_twice(pair: moved.Pair, suite: str) -> None:
    """A virtual clock and a seed: one case in twenty ends as the same bytes in two processes."""
    for case in list(moved.recorded(suite))[3::20]:
        assert moved.compare(pair, case, 0, SEED)[1] is None, case.name


def test_a_difference_is_seen(pair: moved.Pair) -> None:
    """What a script prints that does depend on where it runs is reported."""
    case = moved.Case("differs", ("echo a; echo b; echo c",), {}, {})
    plain = pair.ask(moved.whole, case)
    assert moved.moved(pair, case, plain, 2, moved.random.Random(1)) is None
    other = moved.Case("differs", ("echo a; echo b; echo d",), {}, {})
    assert "stdout" in str(moved.moved(pair, other, plain, 2, moved.random.Random(1)))


def test_every_point_is_another_process(pair: moved.Pair) -> None:
    """The two processes take turns, and neither is this one."""
    seen = [pair.ask(moved.os.getpid) for _ in range(4)]
    assert seen[0] == seen[2] != seen[1] == seen[3]
    assert moved.os.getpid() not in seen
