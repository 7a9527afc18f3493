"""Turns: one thread or task drives a sandbox at a time, the others wait.

Nothing is kept for a sandbox that nobody drives: a turn is an entry of one
dictionary for as long as somebody drives, a queue exists while somebody waits.
The turn is handed over, so that a thread in a loop cannot starve the others.

Whoever takes and gives turns writes, without a function call between them::

    turn = thread_turn()
    try:
        if drivers.setdefault(handle, turn) is not turn:
            wait(handle, turn)
        ...
    finally:
        if handle in drivers and drivers[handle] is turn:
            del drivers[handle]
            if handle in queues:
                hand_over(handle)

because a signal handler may raise at any call: a turn that is not given back
would make the sandbox busy for ever. (Before Python 3.11 it may raise between
any two operations, so turns of this thread that nothing on its stack holds are
taken for given.)

Whoever drives may be waiting (a sleep, a pause): ``wake`` makes it look again.
"""

from __future__ import annotations

import collections
import contextvars
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Deque, Dict, Optional, Tuple

from ._errors import SandboxBusyError

if TYPE_CHECKING:
    import asyncio

_LONGEST = 3600.0  # seconds; a waiter that is woken in vain waits again
_SIGNALS = 0.25  # seconds between looks for a signal that came to another thread: it wakes nobody
_LOOK = 1.0  # seconds between looks whether the holder of a turn is still there


class Turn:
    """Somebody's right to drive a sandbox."""

    # Most turns live for microseconds and never need these: not set until they are.
    task: Any = None  # for a turn of a task
    poked = False  # somebody called wake since the last look
    paused = False  # by Sandbox.suspend
    stopping = False  # cancelled or closed: a pause ends
    waker: Any = None  # has set(); while the driver waits
    gate: Any = None  # has release(); while it waits for the turn

    thread: int  # of whoever drives

    def wait(self, seconds: Optional[float]) -> None:
        """Sleep on the driving thread; ``wake`` ends it early."""
        self.waker = event = threading.Event()
        end = time.monotonic() + (_LONGEST if seconds is None else min(seconds, _LONGEST))
        while not self.poked and (left := end - time.monotonic()) > 0 and not event.wait(min(left, _SIGNALS)):
            continue
        self.waker = None
        self.poked = False

    async def wait_async(self, seconds: Optional[float]) -> None:
        """Sleep in the driving task; ``wake`` ends it early."""
        gate = _Gate()
        self.waker = gate
        if not self.poked:
            await gate.wait(_LONGEST if seconds is None else min(seconds, _LONGEST))
        self.waker = None
        self.poked = False


def thread_turn() -> Turn:
    """A Turn for this thread."""
    turn = Turn()
    turn.thread = threading.get_ident()
    return turn


def task_turn() -> Turn:
    """A Turn for the task that runs now."""
    import asyncio  # not at the top: a program that awaits nothing should not pay for it

    turn = thread_turn()
    turn.task = asyncio.current_task()
    return turn


class _Gate:
    """An event for a task that any thread can set."""

    __slots__ = ("future", "loop")

    def __init__(self) -> None:
        import asyncio

        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[None] = self.loop.create_future()

    def set(self) -> None:
        try:
            self.loop.call_soon_threadsafe(self._set)
        except RuntimeError:
            return  # its loop is closed: nobody waits any more

    release = set

    def _set(self) -> None:
        if not self.future.done():
            self.future.set_result(None)

    async def wait(self, seconds: Optional[float]) -> None:
        import asyncio

        await asyncio.wait({self.future}, timeout=seconds)


drivers: Dict[int, Turn] = {}
"""Who drives, by handle. ``drivers.setdefault(handle, turn) is turn`` takes a free turn."""

queues: Dict[int, Deque[Turn]] = {}
"""Who waits, by handle."""

_guard = threading.Lock()  # of queues
_inside: contextvars.ContextVar[Tuple[Turn, ...]] = contextvars.ContextVar("eryxsh_inside", default=())


def wait(handle: int, turn: Turn) -> None:
    """Get the turn of a sandbox that somebody else drives, on this thread.

    Raises SandboxBusyError if that somebody is this thread: a tool or a callback
    that runs commands in its own sandbox.
    """
    gate = threading.Lock()
    gate.acquire()
    turn.gate = gate
    if _enqueue(handle, turn, same_thread=True):
        return
    try:
        while not gate.acquire(timeout=_LOOK) and not _take_over(handle, turn):
            pass
    except BaseException:
        _leave(handle, turn)
        raise


async def wait_async(handle: int, turn: Turn) -> None:
    """Get the turn of a sandbox that somebody else drives, in this task."""
    gate = _Gate()
    turn.gate = gate
    if _enqueue(handle, turn, same_thread=False):
        return
    try:
        await gate.wait(None)
    except BaseException:
        _leave(handle, turn)
        raise


def give(handle: int, turn: Turn) -> None:
    """Give the turn to whoever waits longest. A turn that was never got is fine."""
    if handle in drivers and drivers[handle] is turn:
        del drivers[handle]
        if handle in queues:
            hand_over(handle)


def wake(handle: int, *, stop: bool = False) -> None:
    """Make the driver of a sandbox, if it waits, look again; stop ends its pause too."""
    turn = drivers.get(handle)
    if turn is not None:
        if stop:
            turn.stopping = True
        turn.poked = True
        waker = turn.waker
        if waker is not None:
            waker.set()


def enter(turn: Turn) -> contextvars.Token[Tuple[Turn, ...]]:
    """Mark what this context does from now on as done by a tool of the turn's run."""
    return _inside.set((*_inside.get(), turn))


def leave(token: contextvars.Token[Tuple[Turn, ...]]) -> None:
    """End ``enter``."""
    _inside.reset(token)


def _enqueue(handle: int, turn: Turn, *, same_thread: bool) -> bool:
    with _guard:
        # The queue is there before the turn is asked for: give looks for it after it gave.
        queue = queues.setdefault(handle, collections.deque())
        owner = drivers.setdefault(handle, turn)
        if owner is not turn and same_thread and owner.thread == turn.thread and not _held(owner):
            owner = drivers[handle] = turn
        if owner is not turn and not (owner in _inside.get() or (same_thread and owner.thread == turn.thread)):
            queue.append(turn)
            return False
        if not queue:
            del queues[handle]
        if owner is turn:
            return True
    raise SandboxBusyError(
        "the sandbox is running a command that waits for this one: a tool or callback cannot use the commands of its own sandbox "
        "(its files, or another sandbox, are fine)"
    )


def hand_over(handle: int) -> None:
    """Give a turn that is free to whoever waits longest."""
    with _guard:
        queue = queues.get(handle)
        if queue and drivers.setdefault(handle, queue[0]) is queue[0]:
            queue.popleft().gate.release()
        if not queue:
            queues.pop(handle, None)


def _take_over(handle: int, turn: Turn) -> bool:
    """Whether a waiter got the turn because it was free, or its holder's thread has died."""
    with _guard:
        owner = drivers.setdefault(handle, turn)
        if owner is not turn and owner.thread not in sys._current_frames():
            owner = drivers[handle] = turn
        if owner is turn and turn in queues.get(handle, ()):
            queues[handle].remove(turn)
            if not queues[handle]:
                del queues[handle]
    return owner is turn


def _held(turn: Turn) -> bool:
    """Whether a turn of this thread is still in use: by a task, or by a frame of this stack."""
    if turn.task is not None:
        return not turn.task.done()
    frame: Any = sys._getframe()
    while frame is not None:
        if frame.f_globals is not globals() and any(value is turn for value in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False


def _leave(handle: int, turn: Turn) -> None:
    with _guard:
        queue = queues.get(handle)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del queues[handle]
    give(handle, turn)


def _after_fork_in_child() -> None:
    global _guard
    _guard = threading.Lock()
    drivers.clear()
    queues.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
