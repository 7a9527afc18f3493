"""Exceptions.

Every one derives from ``EryxshError``, and also from the builtin that a person
would catch where there is one. File errors are the builtins themselves
(``FileNotFoundError``, ``IsADirectoryError``, ``PermissionError``, …) with ``.path``.
"""

from __future__ import annotations

import builtins
import errno as _errno
import threading
import time
from typing import Any, Mapping, NoReturn, Optional, Tuple

__all__ = [
    "AlreadyResumedError",
    "CapabilityError",
    "CommandError",
    "ConflictError",
    "EryxshError",
    "ForkedSandboxError",
    "MergeConflictError",
    "NoAncestorError",
    "NotSuspendableError",
    "ParseError",
    "PersistenceError",
    "QuotaExceededError",
    "RunGoneError",
    "RunSuspended",
    "SandboxBusyError",
    "SandboxClosedError",
    "SandboxDiedError",
    "ScriptDriftError",
    "SignatureError",
    "SnapshotNotFoundError",
    "StateError",
    "StateTooNewError",
]


class EryxshError(Exception):
    """The base of all exceptions of this package.

    Attributes: ``message``; ``path``, the path, name or id it is about (or None);
    ``limit``, the limit that was met (or None).

    >>> from eryxsh import EryxshError, Sandbox
    >>> try:
    ...     Sandbox().restore("no-such-id")
    ... except EryxshError as error:
    ...     print(error)
    restore: no-such-id: no such snapshot
    """

    path: Optional[str] = None
    limit: Optional[str] = None

    def __init__(self, message: str = "", *, path: Optional[str] = None, limit: Optional[str] = None) -> None:
        super().__init__(message)
        self.message = message
        if path is not None:
            self.path = path
        if limit is not None:
            self.limit = limit

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Tuple[Any, ...]:
        # not through __init__, whose parameters differ from class to class
        return _rebuilt, (type(self), self.args), self.__dict__


def _rebuilt(cls: type, args: Tuple[Any, ...]) -> Any:
    error = cls.__new__(cls, *args)
    error.args = args
    return error


class SandboxClosedError(EryxshError, ValueError):
    """The sandbox was closed (or the interpreter is ending). A ``ValueError``, as for a closed file."""


class SandboxBusyError(EryxshError, RuntimeError):
    """Another run is active in the sandbox; the message names it."""


class SandboxDiedError(EryxshError, RuntimeError):
    """The process of a sandbox with ``isolation="process"`` has died; the sandbox's state is gone with it.

    ``.signal``: name of the signal that ended it, or None. ``.exit_code``: its status, or None. ``.memory``: the bytes
    it might take, if it was for more than these that it died. ``.saved``: id of the commit that ``load_state`` loads, or None.
    """

    def __init__(
        self,
        message: str = "",
        *,
        signal: Optional[str] = None,
        exit_code: Optional[int] = None,
        memory: Optional[int] = None,
        saved: Optional[str] = None,
        path: Optional[str] = None,
    ) -> None:
        super().__init__(message, path=path)
        self.signal = signal
        self.exit_code = exit_code
        self.memory = memory
        self.saved = saved


class RunGoneError(EryxshError, LookupError):
    """The run has ended, or its sandbox was restored to a state without it."""


class RunSuspended(EryxshError):
    """``drive`` met a call that nobody here can answer. Not a failure: ``.run`` carries on from there."""

    def __init__(self, message: str = "", *, run: Any = None, path: Optional[str] = None) -> None:
        super().__init__(message, path=path)
        self.run = run


class ForkedSandboxError(EryxshError, RuntimeError):
    """The sandbox belongs to the process that this one was forked from. Make a new one, or move it as bytes."""


class CommandError(EryxshError, RuntimeError):
    """A command checked with ``check=True`` or ``result.check()`` failed; ``.result`` is its result."""

    def __init__(self, message: str = "", *, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class ParseError(EryxshError, ValueError):
    """``analyze`` was given a script that is not one; ``.line`` and ``.column`` count from 1."""

    def __init__(self, message: str = "", *, line: int = 0, column: int = 0, path: Optional[str] = None) -> None:
        super().__init__(message, path=path)
        self.line = line
        self.column = column


class SnapshotNotFoundError(EryxshError, KeyError):
    """No snapshot (history entry, commit) has this id; ``.path`` is the id."""


class StateError(EryxshError, ValueError):
    """A state that cannot be read. The sandbox it was meant for is unchanged."""


class StateTooNewError(StateError):
    """The state was written by a newer version than this one."""


class SignatureError(StateError):
    """The state's signature is missing, or was made with another key."""


class ScriptDriftError(StateError):
    """The saved script no longer parses to what was saved."""


class CapabilityError(StateError):
    """A tool or a mount that the state needs is not here; ``.path`` is its name."""


class NotSuspendableError(EryxshError, RuntimeError):
    """A command cannot be saved where it is; ``.path`` names it."""


class AlreadyResumedError(EryxshError, RuntimeError):
    """A call was answered before; ``.path`` is its call_id."""


class PersistenceError(EryxshError, RuntimeError):
    """Saving or loading is not possible; the message says what to change."""


class ConflictError(PersistenceError):
    """Somebody else changed the same first: nothing was overwritten. Of an overlay's commit ``.paths`` says where."""

    def __init__(self, message: str = "", *, paths: Tuple[str, ...] = (), path: Optional[str] = None) -> None:
        super().__init__(message, path=path)
        self.paths = paths


class MergeConflictError(EryxshError, RuntimeError):
    """Both sides of a merge changed the same, and nobody decided; nothing was merged. ``.conflicts`` says what."""

    def __init__(self, message: str = "", *, conflicts: Tuple[Any, ...] = (), path: Optional[str] = None) -> None:
        super().__init__(message, path=path)
        self.conflicts = conflicts


class NoAncestorError(EryxshError, LookupError):
    """A merge of two sandboxes that come from no common state: ``base=`` says what to compare them with."""


class QuotaExceededError(EryxshError, OSError):
    """No room: bytes, files, or what snapshots retain. ``.errno`` is ENOSPC or EDQUOT, ``.limit`` the limit's name."""

    def __init__(self, message: str = "", *, path: Optional[str] = None, limit: Optional[str] = None, errno: int = _errno.EDQUOT) -> None:
        super().__init__(message, path=path, limit=limit)
        self.errno = errno
        self.strerror = message
        self.filename = path

    def __reduce__(self) -> Tuple[Any, ...]:
        fields = {"errno": self.errno, "strerror": self.strerror, "filename": self.filename}
        return _rebuilt, (type(self), self.args), {**self.__dict__, **fields}


def os_error(errno: int, message: str, path: Optional[str] = None) -> OSError:
    """The builtin exception of an errno of this system, with ``.path``.

    >>> os_error(2, "No such file or directory", "/x").path
    '/x'
    """
    error = OSError(errno, message, path) if path else OSError(errno, message)
    error.path = path  # type: ignore[attr-defined]
    return error


# Linux numbers that other systems count differently
_HERE = {
    number: getattr(_errno, name)
    for number, name in {
        11: "EAGAIN", 35: "EDEADLK", 36: "ENAMETOOLONG", 38: "ENOSYS", 39: "ENOTEMPTY", 40: "ELOOP", 95: "EOPNOTSUPP", 122: "EDQUOT",
    }.items()
    if hasattr(_errno, name)
}  # fmt: skip


_CLOSING = 254  # the interpreter is ending


def _stand_still() -> NoReturn:
    """What becomes of a daemon thread when the interpreter ends, here as in CPython: it just stops, without a traceback."""
    while True:
        time.sleep(3600)


def from_wire(fields: Mapping[str, Any]) -> BaseException:
    """The exception for the fields of an Error answer (``_wire.Error``)."""
    from eryxsh import _wire

    if fields["kind"] == _CLOSING and threading.current_thread().daemon:
        _stand_still()
    name = _wire.KINDS.get(fields["kind"], "EryxshError")
    path = fields["path"] or None
    limit = fields["limit"] or None
    errno = _HERE.get(fields["errno"], fields["errno"])  # the core's numbers are Linux's
    text = fields["message"] or name
    if name == "OSError":
        return os_error(errno, text, path)
    if name == "QuotaExceededError":
        return QuotaExceededError(text, path=path, limit=limit, errno=errno or _errno.EDQUOT)
    subject = [fields["op"]] if fields["op"] and not text.startswith(fields["op"]) else []
    message = ": ".join([*subject, *([path] if path and path not in text else []), text])
    if name == "ParseError":
        return ParseError(message, line=fields["line"], column=fields["column"], path=path)
    cls = globals().get(name) or getattr(builtins, name)
    error: BaseException = cls(message)
    error.path = path  # type: ignore[attr-defined]
    error.limit = limit  # type: ignore[attr-defined]
    return error


for _name in __all__:
    globals()[_name].__module__ = "eryxsh"  # as users import them, and as tracebacks show them
