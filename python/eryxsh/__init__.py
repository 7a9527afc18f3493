"""eryxsh: bash inside the Python process.

A sandbox is a bash over an in-memory file system: no container, no subprocess,
no access to the host.

>>> from eryxsh import Sandbox
>>> with Sandbox() as sb:
...     sb.files.write("/data/log.csv", b"name,score\\nalice,95\\nbob,80\\n")
...     sb.commands.run("sort -t, -k2 -rn /data/log.csv | head -1").stdout
'alice,95\\n'

Snapshots and forks are O(1), a state is one portable blob, and a running script
is a value: ``sb.commands.start`` gives a Run that can be stopped anywhere,
dumped to bytes, and loaded in another process on another day.
"""

from __future__ import annotations

import typing as _typing

from ._async import AsyncSandbox
from ._async_runs import AsyncRun
from ._commands import DEFAULT, PIPE
from ._diff import Diff, FileChange
from ._errors import (
    AlreadyResumedError,
    CapabilityError,
    CommandError,
    ConflictError,
    EryxshError,
    ForkedSandboxError,
    MergeConflictError,
    NoAncestorError,
    NotSuspendableError,
    ParseError,
    PersistenceError,
    QuotaExceededError,
    RunGoneError,
    RunSuspended,
    SandboxBusyError,
    SandboxClosedError,
    SandboxDiedError,
    ScriptDriftError,
    SignatureError,
    SnapshotNotFoundError,
    StateError,
    StateTooNewError,
)
from ._events import Checkpoint, Event, Finished, InputNeeded, LimitReached, Output, Sleeping, Suspended
from ._limits import Limits
from ._merge import MergeConflict, MergeResult
from ._mounts import DirEntry, FileStat, MemoryFS, Mount, MountPoint, Mounts, VirtualFileSystem
from ._paths import SandboxPath
from ._results import (
    Analysis,
    AnalyzedCommand,
    CommandResult,
    FileInfo,
    HistoryEntry,
    Info,
    Redirect,
    SnapshotInfo,
    StateInfo,
    Usage,
)
from ._runs import Run
from ._sandbox import Sandbox
from ._sessions import AsyncInProcessSession, InProcessSession, Session, SessionExecutor, SnapshotSession
from ._tools import Extension, Suspend, Tool, ToolCall, ToolResult, tool
from ._version import __version__

if _typing.TYPE_CHECKING:
    from ._isolation import Isolation
    from ._store import Commit, Store

_LATER = {"Commit": "_store", "Isolation": "_isolation", "Store": "_store"}


def __getattr__(name: str) -> object:
    """What is imported when it is first asked for."""
    if name in _LATER:
        import importlib

        return getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "DEFAULT",
    "PIPE",
    "AlreadyResumedError",
    "Analysis",
    "AnalyzedCommand",
    "AsyncInProcessSession",
    "AsyncRun",
    "AsyncSandbox",
    "CapabilityError",
    "Checkpoint",
    "CommandError",
    "CommandResult",
    "Commit",
    "ConflictError",
    "Diff",
    "DirEntry",
    "EryxshError",
    "Event",
    "Extension",
    "FileChange",
    "FileInfo",
    "FileStat",
    "Finished",
    "ForkedSandboxError",
    "HistoryEntry",
    "InProcessSession",
    "Info",
    "InputNeeded",
    "Isolation",
    "LimitReached",
    "Limits",
    "MemoryFS",
    "MergeConflict",
    "MergeConflictError",
    "MergeResult",
    "Mount",
    "MountPoint",
    "Mounts",
    "NoAncestorError",
    "NotSuspendableError",
    "Output",
    "ParseError",
    "PersistenceError",
    "QuotaExceededError",
    "Redirect",
    "Run",
    "RunGoneError",
    "RunSuspended",
    "Sandbox",
    "SandboxBusyError",
    "SandboxClosedError",
    "SandboxDiedError",
    "SandboxPath",
    "ScriptDriftError",
    "Session",
    "SessionExecutor",
    "SignatureError",
    "Sleeping",
    "SnapshotInfo",
    "SnapshotNotFoundError",
    "SnapshotSession",
    "StateError",
    "StateInfo",
    "StateTooNewError",
    "Store",
    "Suspend",
    "Suspended",
    "Tool",
    "ToolCall",
    "ToolResult",
    "Usage",
    "VirtualFileSystem",
    "__version__",
    "tool",
]
