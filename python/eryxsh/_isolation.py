"""Isolation: sandboxes whose core is in a process of its own.

Nothing is implemented twice: a handle says which process it belongs to, and ``_ext.call``
sends the same request there over a socket instead of into the library (``_process.c``).
A sandbox and its forks share one process, so that a fork stays O(1); it lives as long as
one of them does, or something they gave out (a Diff). What has no handle yet (a new sandbox,
a state that is read) names the process by ``Child.route``.

A process that dies takes no other with it: pending and later calls raise SandboxDiedError, and ``reset``,
``import_state`` and ``load_state`` begin anew in another process.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import os
import pathlib
import signal
import socket
import sys
import tempfile
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Dict, Final, NoReturn, Optional, Union

from . import _native, _wire
from ._errors import ForkedSandboxError, SandboxClosedError, SandboxDiedError
from ._limits import TABLE, Limits

if TYPE_CHECKING:
    from ._persistence import Home

_DRIVES: Final = frozenset((_wire._RUN_RUN[0], _wire._RUN_STEP[0], _wire._SYSTEM_PING[0]))  # they return within a slice
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # without which some Pythons do not start
_DEFAULTED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_ENDING = 1.0  # seconds a process may take to end after it closed its sockets


@dataclasses.dataclass(frozen=True)
class Isolation:
    """How a sandbox has a process of its own: ``Sandbox(isolation=Isolation(...))``; ``"process"`` is ``Isolation()``.

    >>> from eryxsh import Sandbox
    >>> with Sandbox(isolation=Isolation(memory=512 << 20)) as sb:
    ...     sb.commands.run("echo hi").stdout
    'hi\\n'
    """

    memory: Optional[int] = None
    """Bytes that the process may take, for the sandbox and its forks together; more ends it. None: what the limits of
    the sandbox allow, with room for garbage. The operating system holds it to that in steps of 64 MiB (on Linux)."""
    grace: float = 10.0
    """Seconds after which a process that no longer answers is ended."""

    def __post_init__(self) -> None:
        if self.memory is not None and (isinstance(self.memory, bool) or not isinstance(self.memory, int) or self.memory < 1 << 20):
            raise ValueError(f"isolation: memory is a number of bytes from 1 MiB, not {self.memory!r}")
        if isinstance(self.grace, bool) or not isinstance(self.grace, (int, float)) or not self.grace > 0:
            raise ValueError(f"isolation: grace is a positive number of seconds, not {self.grace!r}")


def isolation_of(given: Union[str, Isolation]) -> Isolation:
    """What ``isolation=`` means."""
    if isinstance(given, Isolation):
        return given
    if given != "process":
        raise ValueError(f"isolation is None, 'process' or an Isolation, not {given!r}")
    return Isolation()


def cap(how: Isolation, limits: Optional[Limits]) -> int:
    """Bytes a process may take: twice what the limits let a sandbox hold, since the collector lets garbage grow to that."""
    if how.memory is not None:
        return how.memory
    held = 0
    for name in ("memory", "file_bytes", "retained"):
        value = None if limits is None else getattr(limits, name)
        held += int(value or TABLE[name][0] or 0)
    return 2 * held + (256 << 20)


class Child:
    """A process that holds sandboxes. It ends when nobody refers to this object any more."""

    __slots__ = (
        "__weakref__", "_end", "_ended", "_errors", "_host", "_late", "_lock", "_seen",
        "grace", "homes", "memory", "number", "pid",
    )  # fmt: skip

    def __init__(self, memory: int, grace: float) -> None:
        native = _native.far((_late, _gone))
        self.memory, self.grace = memory, grace
        self.homes: Dict[int, Home] = {}  # by handle: where what was saved is
        self._lock = threading.RLock()
        self._host = os.getpid()
        self._end: Optional[int] = None  # status of waitpid, once it has ended
        self._ended = False  # by us, because nobody needs it
        self._late = 0.0  # seconds it had not answered when it was ended for that
        self._seen = time.monotonic()  # when it was known to live
        ours, theirs = socket.socketpair()
        self._errors = _scratch()
        self.number = int(native.far_add(_above(ours.detach())))
        their_end = _above(theirs.detach())
        try:
            self.pid = _spawn(native, self.number, their_end, self._errors, memory)
        except BaseException:
            native.far_end(self.number)
            native.far_free(self.number)
            os.close(self._errors)
            raise
        finally:
            os.close(their_end)
        _children[self.number] = weakref.ref(self)

    @property
    def route(self) -> int:
        """What a request gives as ``process`` to be answered there."""
        return (1 << 22 | self.number) << 40

    def lives(self) -> bool:
        """Whether the process is there, and this one's."""
        return self._host == os.getpid() and not self._ended and not self._reap(os.WNOHANG)

    def late(self, method: int, seconds: float) -> None:
        """A call has not been answered for so long: end a process that hangs."""
        if seconds < self.grace or time.monotonic() - self._seen < self.grace:
            return
        if method not in _DRIVES:  # it may have much to do: does another call get an answer?
            _wire.system_ping(b"", process=self.route)
            self._seen = time.monotonic()
            return
        with self._lock:
            self._late = seconds
            self._kill()

    def error(self, handle: int) -> Exception:
        """Why there is no answer any more."""
        if self._host != os.getpid():
            return ForkedSandboxError("the sandbox belongs to the process this one was forked from: load state here, or make a new one")
        if self._ended:
            return SandboxClosedError("the sandbox is closed")
        with self._lock:
            self._finish()
            return self._died(self._end or 0, handle)

    def _died(self, status: int, handle: int) -> SandboxDiedError:
        said = os.pread(self._errors, 4096, 0).decode("utf-8", "replace").strip()
        lines = said.splitlines() or [""]
        first = lines[-1] if lines[0].startswith("Traceback") else lines[0]
        memory = None
        name = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else None
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        if self._late:
            why = f"it did not answer for {self._late:.0f} s and was ended"
        elif any(words in said for words in _NO_MEMORY):
            memory = self.memory
            why = f"it needed more memory than the {memory >> 20} MiB that it may take"
        elif name is not None:
            why = f"{name} ended it" + (", as the system does when its memory is used up" if name == "SIGKILL" else "")
        else:
            why = f"it ended with status {code}"
        from ._store import commit_of

        home = self.homes.get(handle)
        saved = None if home is None or home.ref is None else commit_of(home.ref)
        back = "load_state() loads what was saved last" if saved else "reset() or import_state() begin anew"
        text = f"the process of the sandbox has died: {why}" + (f" ({first})" if first and memory is None else "") + f"; {back}"
        return SandboxDiedError(text, signal=name, exit_code=code, memory=memory, saved=saved)

    def end(self) -> None:
        """End the process: nobody needs it any more."""
        with self._lock:
            if self._host == os.getpid() and self._end is None:
                self._ended = True
                self._kill()
                self._finish()

    def _kill(self) -> None:
        if not self._reap(os.WNOHANG):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _finish(self) -> None:
        """Wait for the end of a process that has closed its sockets, or was ended."""
        until = time.monotonic() + _ENDING
        while not self._reap(os.WNOHANG):
            if self._ended or self._late or time.monotonic() > until:
                self._kill()
                self._reap(0)
                break
            time.sleep(0.001)

    def _reap(self, how: int) -> bool:
        """Whether it has ended; what leads to it is given back then."""
        with self._lock:
            if self._end is None:
                try:
                    pid, status = os.waitpid(self.pid, how)
                except ChildProcessError:  # somebody else waits for all children of this process
                    pid, status = self.pid, 0
                if pid == 0:
                    return False
                self._end = status
                _native.far((_late, _gone)).far_end(self.number)
            return True

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # there is nobody to tell
            if hasattr(self, "pid"):
                self.end()
                os.close(self._errors)
                _native.far((_late, _gone)).far_free(self.number)


_NO_MEMORY = ("out of memory", "cannot allocate memory", "Cannot allocate memory")
_children: Dict[int, weakref.ref[Child]] = {}


def child_of(handle: int) -> Optional[Child]:
    """The process that holds what a handle names; None for this one."""
    generation = handle >> 40
    found = _children.get(generation & ((1 << 22) - 1)) if generation >> 22 else None
    return None if found is None else found()


def _late(number: int, method: int, milliseconds: int) -> None:
    found = _children.get(number)
    child = None if found is None else found()
    if child is not None:
        child.late(method, milliseconds / 1000)


def _gone(number: int, handle: int) -> NoReturn:
    found = _children.get(number)
    child = None if found is None else found()
    raise SandboxClosedError("the sandbox is closed") if child is None else child.error(handle)


def _end_all() -> None:
    """The interpreter ends."""
    for found in list(_children.values()):
        child = found()
        if child is not None:
            child.end()


_native.at_end(_end_all)


def _above(fd: int) -> int:
    """The same descriptor, not one of the three that a program has."""
    if fd > 2:
        return fd
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(fd)


def _scratch() -> int:
    """A file without a name, for what a dying process says."""
    if hasattr(os, "memfd_create"):
        return _above(os.memfd_create("eryxsh-errors", os.MFD_CLOEXEC))
    with tempfile.TemporaryFile() as file:
        return _above(os.dup(file.fileno()))


def _spawn(native: Any, number: int, control: int, errors: int, memory: int) -> int:
    if not sys.executable:
        raise SandboxDiedError("isolation='process' starts Python, and sys.executable does not say where it is")
    here = pathlib.Path(__file__)
    words = [sys.executable, "-I", "-S", "-B", str(here.with_name("_child.py")), native.__file__, str(_native.library())]
    words += [_wire.FINGERPRINT, str(1 << 22 | number), str(memory), str(os.getpid())]
    env = {name: os.environ[name] for name in _KEPT if name in os.environ}
    actions = [
        (os.POSIX_SPAWN_DUP2, control, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, errors, 2),
    ]
    env["MALLOC_ARENA_MAX"] = "1"  # each would take 64 MiB of the address space
    return os.posix_spawn(sys.executable, words, env, file_actions=actions, setsigmask=(), setsigdef=_DEFAULTED)


class Place:
    """Where an isolated sandbox is, and how to make it again."""

    __slots__ = ("_origin", "child", "how")

    def __init__(self, isolation: Union[str, Isolation], limits: Optional[Limits], origin: Dict[str, Any]) -> None:
        how = isolation_of(isolation)
        self.how = dataclasses.replace(how, memory=cap(how, limits))
        self._origin = origin  # what sandbox.new was given
        self.child: Optional[Child] = None

    def enter(self) -> int:
        """A process for the sandbox, a new one if there is none; gives what names it."""
        if self.child is None or not self.child.lives():
            self.child = Child(self.how.memory or 0, self.how.grace)
        return self.child.route

    def new(self) -> int:
        """The sandbox as it was made, in a process that lives; gives its handle."""
        return _wire.sandbox_new(**self._origin, process=self.enter())

    def copy(self) -> Place:
        """Of a fork: in the same process."""
        made = Place.__new__(Place)
        made.how, made._origin, made.child = self.how, self._origin, self.child
        return made

    def keep(self, handle: int, home: Home) -> None:
        """What SandboxDiedError says of a sandbox that is saved."""
        if self.child is not None:
            self.child.homes[handle] = home

    @property
    def dead(self) -> bool:
        """Whether there was a process and it has died. One that hangs is ended."""
        if self.child is not None:
            try:
                _wire.system_ping(b"", process=self.child.route)
            except SandboxDiedError:
                return True
        return False
