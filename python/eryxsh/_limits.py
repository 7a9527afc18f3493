"""Limits: every bound of a sandbox, with its default."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, Mapping, Optional

DEFAULT_TIMEOUT = 30.0
"""Seconds a command may take where nothing else is said."""

# (default, hardened), in the order of the core's table; None is no limit. A
# test compares this with core/limit.
TABLE: Dict[str, tuple[Optional[float], Optional[float]]] = {
    "time": (None, 60.0),
    "steps": (None, 50_000_000),
    "memory": (1 << 30, 64 << 20),
    "file_bytes": (1 << 30, 64 << 20),
    "files": (1 << 20, 20_000),
    "file_size": (1 << 42, 1 << 32),
    "output": (16 << 20, 1 << 20),
    "depth": (50_000, 2_000),
    "processes": (2_000, 64),
    "open_files": (1_024, 128),
    "pipe": (64 << 10, 64 << 10),
    "glob": (10_000_000, 200_000),
    "regex_steps": (50_000_000, 2_000_000),
    "history": (1_000, 1_000),
    "undo": (50, 10),
    "retained": (256 << 20, 32 << 20),
    "frames": (1 << 20, 50_000),
}


def _int(name: str) -> Optional[int]:
    value = TABLE[name][0]
    return None if value is None else int(value)


@dataclasses.dataclass(frozen=True)
class Limits:
    """The bounds of a sandbox. ``None`` lifts one.

    The defaults are generous: an honest script never meets one. A limit that is
    met ends the run with exit code 137, ``error_class="LIMIT_EXCEEDED"`` and
    ``limit`` set to its name; only ``output`` cuts and goes on, flagged. Two names
    are no fields: ``timeout``, the call's own (exit code 124), and ``deadlock``,
    when every process waits for another (exit code 1). Nesting that would overflow
    the stack ends with ``depth``, and one word beyond 256 MiB or a brace expansion
    to a million words with ``memory``, whatever the fields say.

    >>> Limits(steps=1_000_000, file_bytes=10 << 20).steps
    1000000
    >>> Limits.hardened(time=5).time
    5.0
    """

    time: Optional[float] = TABLE["time"][0]
    """Seconds of running and sleeping over the sandbox's life."""
    steps: Optional[int] = _int("steps")
    """Machine steps over the sandbox's life."""
    memory: Optional[int] = _int("memory")
    """Bytes held by variables, buffers and utilities."""
    file_bytes: Optional[int] = _int("file_bytes")
    """Bytes stored in the file system."""
    files: Optional[int] = _int("files")
    """Files, directories and links in the file system."""
    file_size: Optional[int] = _int("file_size")
    """Logical bytes of one file (holes count)."""
    output: Optional[int] = _int("output")
    """Bytes of each output stream of one call; what is beyond is cut and flagged."""
    depth: Optional[int] = _int("depth")
    """Nested functions, sourced files, evals and substitutions."""
    processes: Optional[int] = _int("processes")
    """Live processes."""
    open_files: Optional[int] = _int("open_files")
    """File descriptors of one process."""
    pipe: Optional[int] = _int("pipe")
    """Bytes buffered in one pipe; a writer waits."""
    glob: Optional[int] = _int("glob")
    """Directory entries looked at by one expansion."""
    regex_steps: Optional[int] = _int("regex_steps")
    """Backtracking steps of one match."""
    history: Optional[int] = _int("history")
    """History entries kept; the oldest go."""
    undo: Optional[int] = _int("undo")
    """Commands whose state before them is kept; the oldest go."""
    retained: Optional[int] = _int("retained")
    """Bytes that snapshots and undo hold beyond the live files."""
    frames: Optional[int] = _int("frames")
    """Control frames of one process."""

    def __post_init__(self) -> None:
        for name in TABLE:
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"limit {name}: a number or None is needed, not {value!r}")
            if not value > 0 or math.isinf(value):
                raise ValueError(f"limit {name}: {value!r} is not a positive number (None lifts a limit)")
            if name == "time":
                object.__setattr__(self, name, float(value))
            elif int(value) != value:
                raise ValueError(f"limit {name}: {value!r} is not a whole number")
            else:
                object.__setattr__(self, name, int(value))

    @classmethod
    def hardened(cls, **overrides: Optional[float]) -> Limits:
        """Limits for scripts nobody has read; any of them can be given another value."""
        values: Dict[str, Optional[float]] = {name: hard for name, (_, hard) in TABLE.items()}
        values.update(overrides)
        return cls(**values)  # type: ignore[arg-type]  # __post_init__ checks and converts

    @classmethod
    def unlimited(cls, **overrides: Optional[float]) -> Limits:
        """No limit but those given, and the size of a pipe: without it a writer would never wait."""
        values: Dict[str, Optional[float]] = dict.fromkeys(TABLE)
        values["pipe"] = TABLE["pipe"][0]
        values.update(overrides)
        return cls(**values)  # type: ignore[arg-type]  # __post_init__ checks and converts


_MOST = 1 << 62  # what the core lets a budget grow to


def amounts(add: Any) -> Dict[str, int]:
    """What ``resume(add=…)`` adds to budgets, as the core takes it: times in ns."""
    if not isinstance(add, Mapping):
        raise TypeError(f"add is a mapping of limits to amounts, not {add!r}")
    wire: Dict[str, int] = {}
    for name, value in add.items():
        if not isinstance(name, str):
            raise TypeError(f"add: {name!r} is not the name of a limit")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"add: a number is needed for {name}, not {value!r}")
        if not value > 0 or math.isinf(value):
            raise ValueError(f"add: {value!r} for {name} is not a positive number")
        if name in ("timeout", "time"):
            value *= 1e9
        elif int(value) != value:
            raise ValueError(f"add: {value!r} for {name} is not a whole number")
        wire[name] = math.ceil(min(value, _MOST))
    return wire


def changed(limits: Limits) -> Dict[str, int]:
    """What differs from the defaults, as the core takes it: 0 is no limit, time is in ns."""
    if limits is DEFAULT_LIMITS:
        return {}
    if not isinstance(limits, Limits):
        raise TypeError(f"limits is a Limits, not {limits!r}")
    wire: Dict[str, int] = {}
    for name, (default, _) in TABLE.items():
        value = getattr(limits, name)
        if value != default:
            wire[name] = 0 if value is None else math.ceil(min(value * 1e9 if name == "time" else value, _MOST))
    return wire


DEFAULT_LIMITS = Limits()
