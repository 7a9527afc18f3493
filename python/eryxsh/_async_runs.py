"""AsyncRun: a running script on an event loop."""

from __future__ import annotations

import contextlib
import inspect
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Dict,
    Generator,
    List,
    Mapping,
    Optional,
    Set,
    Tuple,
    TypeVar,
    Union,
    overload,
)

from . import _turns, _wire
from ._errors import AlreadyResumedError, RunGoneError, RunSuspended
from ._events import Event, Finished, InputNeeded, LimitReached
from ._limits import DEFAULT_TIMEOUT, Limits
from ._results import CommandResult
from ._runs import AnyRun, Need, Run, abandon
from ._tools import Answer, Suspend, ToolCall, answer
from ._turns import Turn, drivers, hand_over, queues, task_turn

if TYPE_CHECKING:
    import asyncio

    from ._async import AsyncSandbox

T = TypeVar("T")

SLICE = 2_000_000
"""ns of a script, then the event loop gets its turn."""


class AsyncRun(AnyRun):
    """``Run`` on an event loop: the same members, awaitable.

    The script runs on the loop's thread, 2 ms at a time; waits are awaited.
    Pending calls of async tools run at the same time.
    """

    __slots__ = ("_async_sandbox", "_tasks")

    def __init__(self, sandbox: AsyncSandbox, run_id: str) -> None:
        super().__init__(sandbox._sandbox, run_id, slice_ns=SLICE)
        self._async_sandbox = sandbox
        self._tasks: Dict[str, asyncio.Task[Optional[str]]] = {}

    @property
    def sandbox(self) -> AsyncSandbox:
        """The sandbox it runs in."""
        return self._async_sandbox

    @classmethod
    async def load(
        cls,
        blob: bytes,
        *,
        tools: Any = None,
        key: Optional[bytes] = None,
        store: Any = None,
        timeout: Optional[float] = DEFAULT_TIMEOUT,
        limits: Optional[Limits] = None,
        isolation: Any = None,
    ) -> AsyncRun:
        """See ``Run.load``."""
        from ._async import AsyncSandbox

        run = Run.load(blob, tools=tools, key=key, store=store, timeout=timeout, limits=limits, isolation=isolation)
        return AsyncRun._of(AsyncSandbox._around(run._sandbox), run)

    @classmethod
    def _of(cls, sandbox: AsyncSandbox, run: Run) -> AsyncRun:
        made = cls(sandbox, run._id)
        made._chunks, made._errors = run._chunks, run._errors
        return made

    async def next(self, *, wait: bool = True) -> Event:
        """See ``Run.next``."""
        return await self._async(self._next(wait))

    async def events(self) -> AsyncIterator[Event]:
        """See ``Run.events``."""
        yielded: Set[str] = set()
        while True:
            event = await self._async(self._next_or_output())
            if isinstance(event, ToolCall):
                if event.call_id in yielded:
                    return
                yielded.add(event.call_id)
            yield event
            if isinstance(event, Finished):
                return

    async def drive(self) -> CommandResult:
        """See ``Run.drive``."""
        return await self._async(self._to_end())

    async def resume(
        self,
        event: Union[ToolCall, InputNeeded, LimitReached, str],
        *,
        stdout: Union[str, bytes] = "",
        stderr: Union[str, bytes] = "",
        exit_code: int = 0,
        error: Optional[BaseException] = None,
        data: Optional[Union[str, bytes]] = None,
        add: Optional[Mapping[str, float]] = None,
    ) -> None:
        """See ``Run.resume``."""
        self._feed(event, stdout, stderr, exit_code, error, data, add)

    async def pending(self) -> List[ToolCall]:
        """See ``Run.pending``."""
        return self._unanswered()

    async def result(self) -> CommandResult:
        """See ``Run.result``."""
        return self._outcome()

    @overload
    async def dump(self, *, key: Optional[bytes] = None, store: None = None) -> bytes: ...
    @overload
    async def dump(self, *, store: Any) -> str: ...
    async def dump(self, *, key: Optional[bytes] = None, store: Any = None) -> Union[bytes, str]:
        """See ``Run.dump``."""
        if store is None:
            return self._export(key)
        import asyncio

        return await asyncio.to_thread(self._keep, store, key)

    @overload
    async def fork(self, count: None = None, *, reseed: Optional[int] = None) -> AsyncRun: ...
    @overload
    async def fork(self, count: int, *, reseed: Optional[int] = None) -> List[AsyncRun]: ...
    async def fork(self, count: Optional[int] = None, *, reseed: Optional[int] = None) -> Union[AsyncRun, List[AsyncRun]]:
        """See ``Run.fork``."""
        from ._async import AsyncSandbox

        plain = Run(self._sandbox, self._id)
        plain._chunks, plain._errors, plain._result = self._chunks, self._errors, self._result
        kids = [AsyncRun._of(AsyncSandbox._around(kid._sandbox), kid) for kid in plain.fork(count or 1, reseed=reseed)]
        return kids[0] if count is None else kids

    async def suspend(self) -> None:
        """See ``Run.suspend``."""
        handle = self._sandbox._live()
        _wire.run_suspend(handle, run=self._id)
        _turns.wake(handle)

    async def cancel(self) -> None:
        """See ``Run.cancel``."""
        if not self._cancel():
            return
        handle = self._sandbox._live()
        turn = task_turn()
        try:
            if drivers.setdefault(handle, turn) is turn:
                await self._async(self._end(), turn)
        finally:
            _turns.give(handle, turn)

    async def _call_function(self, call: ToolCall) -> None:
        self._respond(call.call_id, await self._ask(call, self._function(call)))

    async def _ask(self, call: ToolCall, function: Callable[[ToolCall], Any]) -> Answer:
        try:
            value = function(call)
            return answer(await value if inspect.isawaitable(value) else value)
        except Exception as error:
            return self._failed(call, error)

    async def _async(self, steps: Generator[Need, Any, T], turn: Optional[Turn] = None) -> T:
        """Supply what the steps need in this task, in this sandbox's turn (taken here unless given)."""
        import asyncio

        handle = self._sandbox._handle or self._sandbox._live()
        mine = turn or task_turn()
        try:
            if turn is None and drivers.setdefault(handle, mine) is not mine:
                await _turns.wait_async(handle, mine)
            value: Any = None
            while True:
                need = steps.send(value)
                value = None
                if isinstance(need, tuple):
                    value = await self._ask_all(need, mine)
                elif need == 0:
                    await asyncio.sleep(0)
                else:
                    await mine.wait_async(need)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        except (RunSuspended, AlreadyResumedError):
            raise
        except BaseException:
            if drivers.get(handle) is mine:
                abandon(handle, self._id, patience=0.1)
            raise
        finally:
            try:
                if self._tasks:
                    await self._stop_tasks()
            finally:
                if turn is None and handle in drivers and drivers[handle] is mine:
                    del drivers[handle]
                    if handle in queues:
                        hand_over(handle)

    async def _stop_tasks(self) -> None:
        import asyncio

        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask_all(self, calls: Tuple[ToolCall, ...], turn: Turn) -> Dict[str, str]:
        """Make the calls' functions work at the same time, until one of them has answered."""
        import asyncio

        token = _turns.enter(turn)
        try:
            for call in calls:
                if call.call_id not in self._tasks:
                    self._tasks[call.call_id] = asyncio.ensure_future(self._answered(call))
        finally:
            _turns.leave(token)
        await asyncio.wait(self._tasks.values(), return_when=asyncio.FIRST_COMPLETED)
        declined = {}
        for call_id, task in list(self._tasks.items()):
            if task.done():
                del self._tasks[call_id]
                said = task.result()
                if said is not None:
                    declined[call_id] = said
        return declined

    async def _answered(self, call: ToolCall) -> Optional[str]:
        """Answer a call: None, or what Suspend said."""
        try:
            reply = await self._ask(call, self._function(call))
        except Suspend as reason:
            return str(reason)
        with contextlib.suppress(RunGoneError):  # cancelled meanwhile
            self._respond(call.call_id, reply)
        return None
