"""What ``clock=`` and ``seed=`` of a sandbox mean."""

from __future__ import annotations

import datetime
from typing import Any, Optional, Tuple

_VIRTUAL_START = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def seed_of(seed: Any) -> Optional[int]:
    """A seed as the core takes it: the lowest 64 bits."""
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"a seed is an int or None, not {seed!r}")
    return (seed + (1 << 63)) % (1 << 64) - (1 << 63)


def clock_of(clock: Any) -> Tuple[bool, int]:
    """Whether a clock is virtual, and its start in ns since 1970."""
    if clock == "virtual":
        clock = _VIRTUAL_START
    if not isinstance(clock, datetime.datetime):
        raise ValueError(f"clock is 'real', 'virtual' or a datetime, not {clock!r}")
    if clock.tzinfo is None:
        clock = clock.replace(tzinfo=datetime.timezone.utc)
    if not 1970 <= clock.year < 2262:
        raise ValueError(f"clock: {clock} is not between 1970 and 2262")
    return True, max((clock - _EPOCH) // datetime.timedelta(microseconds=1), 0) * 1000
