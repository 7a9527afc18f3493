"""Turns: one driver at a time, handed over in order, on threads and in tasks."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Iterator, List

import pytest

from eryxsh import SandboxBusyError, _turns
from eryxsh._turns import Turn, thread_turn

HANDLE = -7  # no sandbox has it


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """After each test nobody drives and nobody waits."""
    yield
    assert HANDLE not in _turns.drivers
    assert HANDLE not in _turns.queues


def take() -> Turn:
    turn = thread_turn()
    if _turns.drivers.setdefault(HANDLE, turn) is not turn:
        _turns.wait(HANDLE, turn)
    return turn


def waiting() -> int:
    return len(_turns.queues.get(HANDLE, ()))


def until(condition: object, seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.001)


def test_handed_over_in_order() -> None:
    """Waiters get the turn in the order they came, even against a holder that takes it again at once."""
    order: List[int] = []
    turn = take()

    def work(i: int) -> None:
        mine = take()
        order.append(i)
        _turns.give(HANDLE, mine)

    threads = []
    for i in range(5):
        thread = threading.Thread(target=work, args=(i,))
        thread.start()
        threads.append(thread)
        until(lambda i=i: waiting() == i + 1)
    _turns.give(HANDLE, turn)
    again = take()  # behind all of them
    order.append(99)
    _turns.give(HANDLE, again)
    for thread in threads:
        thread.join(10)
    assert order == [0, 1, 2, 3, 4, 99]


def test_many_threads_never_overlap() -> None:
    """Eight threads, 300 turns each: never two at once, none lost."""
    inside = 0
    count = 0

    def work() -> None:
        nonlocal inside, count
        for _ in range(300):
            turn = take()
            inside += 1
            assert inside == 1
            count += 1
            inside -= 1
            _turns.give(HANDLE, turn)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert count == 8 * 300


def test_same_thread_is_refused() -> None:
    """Whoever drives on this thread cannot be waited for on it."""
    turn = take()
    with pytest.raises(SandboxBusyError, match="its own sandbox"):
        take()
    _turns.give(HANDLE, turn)


def test_context_of_a_tool_is_refused() -> None:
    """asyncio.to_thread and the like carry the context of the tool into another thread."""
    import contextvars

    turn = take()
    token = _turns.enter(turn)
    context = contextvars.copy_context()
    _turns.leave(token)
    caught: List[BaseException] = []

    def work() -> None:
        try:
            context.run(take)
        except SandboxBusyError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert len(caught) == 1
    _turns.give(HANDLE, turn)
    # When that run has ended, the same context may wait for other runs and drive itself.
    _turns.give(HANDLE, context.run(take))


def test_giving_what_was_never_got() -> None:
    """A turn that somebody else holds is not given away by its waiter."""
    turn = take()
    _turns.give(HANDLE, thread_turn())
    assert _turns.drivers[HANDLE] is turn
    _turns.give(HANDLE, turn)


def test_wake_ends_a_wait_and_is_not_lost() -> None:
    """A wake before the wait, or during it, ends it."""
    turn = take()
    _turns.wake(HANDLE)
    started = time.monotonic()
    turn.wait(30)
    threading.Timer(0.05, _turns.wake, [HANDLE]).start()
    turn.wait(None)
    assert time.monotonic() - started < 10
    _turns.give(HANDLE, turn)


def test_tasks_take_turns() -> None:
    """Tasks wait without blocking the loop; a cancelled waiter leaves the queue."""
    order: List[object] = []

    async def work(i: int) -> None:
        turn = thread_turn()
        try:
            if _turns.drivers.setdefault(HANDLE, turn) is not turn:
                await _turns.wait_async(HANDLE, turn)
            order.append(i)
            await asyncio.sleep(0.01)
            order.append(-i)
        finally:
            _turns.give(HANDLE, turn)

    async def main() -> None:
        tasks = [asyncio.ensure_future(work(i)) for i in (1, 2, 3, 4)]
        await asyncio.sleep(0.005)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())
    assert order == [1, -1, 2, -2, 4, -4]


def test_thread_hands_over_to_task() -> None:
    """A task can wait for a thread."""
    got = threading.Event()
    release = threading.Event()

    def work() -> None:
        turn = take()
        got.set()
        release.wait(10)
        _turns.give(HANDLE, turn)

    thread = threading.Thread(target=work)
    thread.start()
    assert got.wait(10)

    async def main() -> bool:
        turn = thread_turn()
        assert _turns.drivers.setdefault(HANDLE, turn) is not turn
        asyncio.get_running_loop().call_later(0.02, release.set)
        await _turns.wait_async(HANDLE, turn)
        mine = _turns.drivers[HANDLE] is turn
        _turns.give(HANDLE, turn)
        return mine

    assert asyncio.run(main())
    thread.join(10)
