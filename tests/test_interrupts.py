"""The short form of tests/interrupts.py."""

from __future__ import annotations

import sys

import pytest

import interrupts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what the machine makes a thread wait is read from /proc")


def test_interruptions_of_what_takes_long() -> None:
    """SIGINT and cancel() in the middle of some of all that can take long: heard in time, and the sandbox works afterwards."""
    n, wrong = interrupts.check(of=7)
    assert wrong == []
    assert n > 40
