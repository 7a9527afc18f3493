"""Runs: a running script as a value.

A run lives in its sandbox; a Run object only knows its id and what it has shown
so far. What drives it is written once, as generators that yield what they need
from outside: seconds to wait, or tool calls to answer. ``Run`` supplies that on a
thread, ``AsyncRun`` (_async_runs.py) in a task.
"""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import time
from typing import (
    TYPE_CHECKING,
    Any,
    Awaitable,
    Callable,
    Dict,
    Final,
    Generator,
    Iterator,
    List,
    Mapping,
    Optional,
    Set,
    Tuple,
    TypeVar,
    Union,
    cast,
    overload,
)

from . import _native, _turns, _wire
from ._errors import (
    AlreadyResumedError,
    CapabilityError,
    EryxshError,
    ForkedSandboxError,
    RunGoneError,
    RunSuspended,
    SandboxBusyError,
    SandboxClosedError,
    StateError,
)
from ._events import Checkpoint, Event, Finished, InputNeeded, LimitReached, Output, Sleeping, Suspended
from ._limits import DEFAULT_TIMEOUT, Limits, amounts
from ._results import Chunk, CommandResult, pieces, result_of, when
from ._tools import PLAIN, Answer, Suspend, Tool, ToolCall, answer, as_bytes, failure, status
from ._turns import Turn, drivers, hand_over, queues, thread_turn

if TYPE_CHECKING:
    from ._files import Files
    from ._sandbox import Sandbox

T = TypeVar("T")
Sink = Callable[[int, bytes], None]
"""Takes output as it comes: 1 or 2, and bytes."""

Need = Union[float, Tuple[ToolCall, ...], None]
"""What a driver waits for: seconds (0: let others run), None (until woken), or answers to tool calls."""

Asked = Union[str, Tuple[str, str, Optional[bytes], Optional[bytes], Optional[int]]]
"""The id of a call that waits for its answer, or a run with such an id and the answer: stdout, stderr, status."""

# Called without the time that passing names takes.
_STEP, _ANSWER, _EXPORT = _wire._RUN_STEP, _wire._RUN_ANSWER, _wire._SANDBOX_EXPORT
_CALLS: Final = _wire.CALLS
_BOTH = 3  # streams
_PATIENCE = 1.0  # seconds a cancelled run may take to end
_LOOK = 1.0  # seconds between looks whether the process of a sleeping run is still there


class AnyRun:
    """What Run and AsyncRun have in common: the state, and the steps as generators."""

    __slots__ = ("__weakref__", "_answer", "_chunks", "_errors", "_id", "_last", "_result", "_sandbox", "_sink", "_slice", "_taken")

    def __init__(self, sandbox: Sandbox, run_id: str, *, slice_ns: Optional[int] = None) -> None:
        self._sandbox = sandbox
        self._id = run_id
        self._slice = slice_ns
        self._sink: Optional[Sink] = None  # output goes there and is not kept
        self._chunks: List[Chunk] = []  # output that is kept for the result
        self._taken: Optional[int] = None  # streams the sink takes, which the core does not keep for a dump: their sum
        self._errors: Tuple[BaseException, ...] = ()
        self._last = 0  # number of the youngest call that next gave out
        self._answer: Optional[_wire.Answer] = None  # of a step whose event was not looked at yet
        self._result: Optional[CommandResult] = None

    @property
    def id(self) -> str:
        """The id of the run; kept by dump and load, new in a fork."""
        return self._id

    def __repr__(self) -> str:
        state = "ended" if self._result is not None else "active"
        return f"{type(self).__name__}({self._id!r}, {state})"

    # What needs neither thread nor task.

    def _files(self) -> Files:
        return self._sandbox.files

    def _call_function(self, call: ToolCall) -> Any:
        raise NotImplementedError

    def _feed(
        self,
        event: Union[ToolCall, InputNeeded, LimitReached, str],
        stdout: Union[str, bytes],
        stderr: Union[str, bytes],
        exit_code: int,
        error: Optional[BaseException],
        data: Optional[Union[str, bytes]],
        add: Optional[Mapping[str, float]],
    ) -> None:
        handle = self._sandbox._live()
        if isinstance(event, InputNeeded):
            if data is None:
                raise TypeError("InputNeeded is answered with data=bytes (b'' is end of file)")
            _wire.run_input(handle, self._id, data=as_bytes(data))
        elif isinstance(event, LimitReached):
            if not add:
                raise TypeError(f"LimitReached is answered with add={{{event.limit!r}: amount}}")
            _wire.run_add(handle, self._id, amounts(add))
        elif isinstance(event, (ToolCall, str)):
            call_id = event if isinstance(event, str) else event.call_id
            if data is not None or add is not None:
                raise TypeError("a tool call is answered with stdout=, stderr= and exit_code=, or error=")
            if error is not None:
                if not isinstance(error, BaseException) or stdout or stderr or exit_code:
                    raise TypeError("error= is an exception, and stands alone: its text is stderr, the exit code is 1")
                name = event.name if isinstance(event, ToolCall) else self._name_of(call_id)
                self._respond(call_id, failure(name, error))
                self._errors += (error,)
            else:
                self._respond(call_id, (as_bytes(stdout), as_bytes(stderr), status(exit_code), None))
        elif isinstance(event, (Output, Checkpoint, Suspended, Sleeping, Finished)):
            raise TypeError(f"{type(event).__name__} needs no answer: call next or drive")
        else:
            raise TypeError(f"an event or a call_id is answered, not {event!r}")

    def _respond(self, call_id: str, reply: Answer) -> None:
        out, err, code, error = reply
        _native.call(_ANSWER, (self._sandbox._live(), self._id, call_id, out or None, err or None, code or None, error))

    def _name_of(self, call_id: str) -> str:
        for call in self._unanswered():
            if call.call_id == call_id:
                return call.name
        return "tool"

    def _unanswered(self) -> List[ToolCall]:
        if self._result is not None:
            return []
        info = _wire.run_active(self._sandbox._live())
        if info["run"] != self._id:
            raise RunGoneError(f"the run {self._id} is gone: it ended, or its sandbox went back to another state", path=self._id)
        if len(info["calls"]) == 1:
            self._sandbox._asked.append(info["calls"][0]["id"])
        return [self._tool_call(c) for c in info["calls"]]

    def _tool_call(self, c: _wire.Call) -> ToolCall:
        return ToolCall(self, c)

    def _export(self, key: Optional[bytes]) -> bytes:
        if self._result is not None:
            raise RunGoneError(f"the run {self._id} has ended: export_state saves its sandbox", path=self._id)
        return self._sandbox._export(key, self._id)

    def _keep(self, place: Any, key: Optional[bytes]) -> str:
        """Save the sandbox with the run in a store."""
        from ._store import opened

        if key is not None:
            raise ValueError("dump: a key signs bytes; a store has what it holds under its own sums")
        active = self._sandbox.runs.active()
        if self._result is not None or active is None or active.id != self._id:
            raise RunGoneError(f"the run {self._id} is not active", path=self._id)
        with opened(place) as store:
            namespace = f"run-{self._id}"
            return f"{namespace}@{store.save(self._sandbox, namespace)}"

    def _outcome(self) -> CommandResult:
        if self._result is None:
            raise SandboxBusyError(f"the run {self._id} has not ended: drive it first", path=self._id)
        return self._result

    def _cancel(self) -> bool:
        """Leave the note; whether somebody must drive the run to its end."""
        if self._result is not None:
            return False
        handle = self._sandbox._live()
        _wire.run_cancel(handle, run=self._id)
        _turns.wake(handle, stop=True)
        return handle not in drivers

    def _take(self, output: Tuple[Chunk, ...]) -> None:
        if self._sink is None:
            self._chunks.extend(output)
            return
        for stream, data in pieces(output):
            self._sink(stream, data)

    def _finish(self, done: _wire.Done) -> CommandResult:
        # Of tools that failed before a load only the texts are left.
        told = done["tool_errors"]
        earlier = [EryxshError(text) for text in told[: max(len(told) - len(self._errors), 0)]]
        self._result = result_of(done, self._chunks, [*earlier, *self._errors])
        return self._result

    def _advance(self, wait: bool = True, showing: bool = False, number: Optional[int] = None) -> Generator[Need, Any, _wire.Answer]:
        """Step until something comes that the script cannot do by itself; when ``showing``, output for ``events`` is such a thing.

        What a caller takes comes chunk by chunk, each before he is asked for more: what he has not seen is still in the core.
        With ``number`` one tool call comes at a time: see ``_event``.
        """
        while True:
            step, self._answer = self._answer, None
            if step is None:
                taken = _BOTH if showing else self._taken
                step = _wire.run_step(self._sandbox._live(), self._id, slice_ns=self._slice, taken=taken, number=number)
            if step["output"] and showing:
                if step["tag"] == _wire.SLICE:
                    yield 0.0
                else:
                    self._answer = cast("_wire.Answer", {**step, "output": ()})
                return step
            if step["output"]:
                self._take(step["output"])
            if step["tag"] == _wire.SLICE:
                yield 0.0
            elif step["tag"] == _wire.SLEEPING and wait:
                need = max(step["wait"], 0) / 1e9
                yield need if self._sandbox._place is None else min(need, _LOOK)
            elif step["tag"] == _wire.SUSPENDED and self._paused():
                while self._paused():
                    yield None
            else:
                return step

    def _paused(self) -> bool:
        turn = drivers.get(self._sandbox._handle)
        return turn is not None and turn.paused and not turn.stopping

    def _next(self, wait: bool = True) -> Generator[Need, Any, Event]:
        if self._result is not None:
            return Finished(self._result)
        step = yield from self._advance(wait, number=self._last + 1)
        return self._event(step)

    def _next_or_output(self) -> Generator[Need, Any, Event]:
        """What ``events`` gives next."""
        if self._result is not None:
            return Finished(self._result)
        step = yield from self._advance(showing=True, number=self._last + 1)
        if step["output"]:
            stream, data = step["output"][0]
            return Output("stdout" if stream == 1 else "stderr", data)
        return self._event(step)

    def _event(self, step: _wire.Answer) -> Event:
        if step["tag"] == _wire.CALLS:
            # Calls come oldest first and are numbered as they come: those not given out yet are behind the last.
            calls = step["calls"]
            call = calls[0]
            if len(calls) > 1:
                call = next((c for c in calls if _number(c["id"]) > self._last), call)
            self._last = max(self._last, _number(call["id"]))
            return self._tool_call(call)
        if step["tag"] == _wire.DONE:
            return Finished(self._finish(step))
        if step["tag"] == _wire.SLEEPING:
            return Sleeping(when(step["until"]), max(step["wait"], 0) / 1e9)
        if step["tag"] == _wire.INPUT:
            return InputNeeded(step["fd"])
        if step["tag"] == _wire.LIMITED:
            return LimitReached(step["limit"])
        if step["tag"] == _wire.CHECKPOINTED:
            if self._sandbox._home is not None:
                self._sandbox._home.checkpoint(self._sandbox._handle)
            return Checkpoint(step["name"] or None, step["snapshot"] or None)
        return Suspended()

    def _to_end(self) -> Generator[Need, Any, CommandResult]:
        """Drive, with the registered functions, until the end or until nobody here can go on."""
        if self._result is not None:
            return self._result
        declined: Dict[str, str] = {}  # calls whose function raised Suspend, and what it said
        while True:
            step = yield from self._advance()
            if step["tag"] == _wire.DONE:
                return self._finish(step)
            if step["tag"] == _wire.CALLS:
                calls = [self._tool_call(c) for c in step["calls"]]
                ready = tuple(c for c in calls if c.call_id not in declined and self._answers(c.name))
                if not ready:
                    said = declined.get(calls[0].call_id)
                    raise self._stuck(f"{calls[0].name} waits for an answer ({said or calls[0].call_id})", calls[0].name)
                declined.update((yield ready))
            elif step["tag"] != _wire.CHECKPOINTED:
                event = self._event(step)
                raise self._stuck(f"it waits: {event}", self._id)

    def _stuck(self, why: str, about: str) -> RunSuspended:
        return RunSuspended(f"the run {self._id} is suspended: {why}", run=self, path=about)

    def _tool(self, name: str) -> Optional[Tool]:
        return self._sandbox._tools.get(name)

    def _answers(self, name: str) -> bool:
        tool = self._tool(name)
        return tool is not None and tool.answers

    def _function(self, call: ToolCall) -> Callable[[ToolCall], Any]:
        tool = self._tool(call.name)
        if tool is None:
            raise CapabilityError(f"no function is registered for the tool {call.name}", path=call.name)
        return tool.implementation()

    def _failed(self, call: ToolCall, error: Exception) -> Answer:
        self._errors += (error,)
        return failure(call.name, error)

    def _end(self) -> Generator[Need, Any, None]:
        """Drive a cancelled run to its end: tool calls are not made. One that is gone meanwhile has ended."""
        with contextlib.suppress(RunGoneError):
            yield from self._ending()

    def _ending(self) -> Generator[Need, Any, None]:
        deadline = time.monotonic() + _PATIENCE
        while self._result is None and time.monotonic() < deadline:
            step = _wire.run_step(self._sandbox._live(), self._id, slice_ns=self._slice)
            if step["output"]:
                self._chunks.extend(step["output"])
            if step["tag"] == _wire.DONE:
                self._finish(step)
            elif step["tag"] == _wire.SLICE:
                yield 0.0
            elif step["tag"] == _wire.SLEEPING:
                yield min(max(step["wait"], 0) / 1e9, 0.02)
            else:
                break
        if self._result is None:
            _wire.run_drop(self._sandbox._live(), self._id)


class Run(AnyRun):
    """A running script, made by ``sb.commands.start`` or ``Run.load``.

    It can be stopped anywhere, made into bytes, and go on in another process on
    another day. One thread drives it at a time; ``suspend`` and ``cancel`` come
    from any thread.

    >>> from eryxsh import Sandbox
    >>> sb = Sandbox(tools={"approve": None})
    >>> run = sb.commands.start('r=$(approve "the plan") && echo "answer: $r"')
    >>> call = run.next()
    >>> blob = run.dump()                                  # bytes; another process, another day
    >>> run = Run.load(blob)
    >>> run.resume(call.call_id, stdout="yes")
    >>> run.drive().stdout
    'answer: yes\\n'
    """

    __slots__ = ()

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox it runs in."""
        return self._sandbox

    @classmethod
    def load(
        cls,
        blob: Union[bytes, str],
        *,
        tools: Any = None,
        key: Optional[bytes] = None,
        store: Any = None,
        timeout: Optional[float] = DEFAULT_TIMEOUT,
        limits: Optional[Limits] = None,
        isolation: Any = None,
    ) -> Run:
        """A Run, in a sandbox of its own, out of what ``dump`` gave: bytes, or the text of a ``store``.

        ``tools`` must have every name that held a function when the run was dumped
        (CapabilityError); a name registered as None needs nothing. ``timeout`` is for
        later commands, the run keeps what is left of its own; ``limits`` bound the saved
        ones as in ``Sandbox.from_state``; ``isolation`` is the sandbox's. Loading a blob twice repeats its call ids on
        purpose: it is a retry.

        Raises StateError (StateTooNewError, SignatureError, ScriptDriftError) for
        bytes that cannot be read or hold no run.
        """
        from ._sandbox import Sandbox

        if isinstance(blob, str):
            return cls._kept(blob, store, tools=tools, timeout=timeout, limits=limits, isolation=isolation)
        if store is not None:
            raise TypeError("load: what was dumped to a store is known by a text, not by bytes")
        sandbox, loaded = Sandbox._out_of(_wire.run_load, blob, key=key, tools=tools, timeout=timeout, limits=limits, isolation=isolation)
        run = cls(sandbox, loaded["run"])
        run._chunks = list(loaded["output"])
        return run

    @classmethod
    def _kept(cls, ref: str, place: Any, **options: Any) -> Run:
        """A Run out of a store."""
        from ._store import opened, split

        namespace, commit = split(ref)
        if place is None:
            raise TypeError("load: the store is needed that the run was dumped to")
        with opened(place) as store:
            sandbox = store.load(namespace, commit=commit, **options)
        run = sandbox.runs.active()
        if run is None:
            sandbox.close()
            raise StateError(f"{ref} holds no run: Store.load loads it", path=ref)
        return run

    def next(self, *, wait: bool = True) -> Event:
        """Go on until something happens: a ToolCall, Checkpoint, InputNeeded, LimitReached, Suspended or Finished.

        The oldest unanswered tool call that this object has not given out comes
        first; when all have been and nothing else can go on, the oldest again.
        Sleeps are waited out, or with ``wait=False`` come as Sleeping.

        Raises RunGoneError if the sandbox was restored under it.
        """
        handle = self._sandbox._handle or self._sandbox._live()
        turn = thread_turn()
        try:
            if drivers.setdefault(handle, turn) is not turn:
                _turns.wait(handle, turn)
            if self._answer is None and self._result is None:  # most runs come to a call at once
                try:
                    step = self._go_on()
                except BaseException:
                    if drivers.get(handle) is turn:
                        abandon(handle, self._id)
                    raise
                if step["tag"] == _CALLS and not step["output"]:
                    if len(step["calls"]) == 1:
                        self._sandbox._asked.append(step["calls"][0]["id"])
                    return self._event(step)
                self._answer = step
            return self._sync(self._next(wait), turn)
        finally:
            if handle in drivers and drivers[handle] is turn:
                del drivers[handle]
                if handle in queues:
                    hand_over(handle)

    def _go_on(self) -> _wire.Answer:
        """A step, with the answer that ``resume`` has left for it: one way into the library less."""
        sandbox = self._sandbox
        if sandbox._asked:
            try:
                asked = sandbox._asked.pop()
            except IndexError:  # another thread was faster
                asked = ""
            if type(asked) is tuple:
                if asked[0] == self._id:
                    return _native.call(_STEP, (sandbox._live(), self._id, self._slice, None, None, *asked[1:], None, self._last + 1))
                _native.call(_ANSWER, (sandbox._live(), *asked))
        return _native.call(_STEP, (sandbox._live(), self._id, self._slice, None, None, None, None, None, None, None, self._last + 1))

    def events(self) -> Iterator[Event]:
        """All that happens, Output included, up to Finished.

        It ends earlier when every tool call has come and nothing goes on before
        one is answered. Whoever leaves it early loses nothing: what it has not
        given out comes with the next ``events``, or is in the result.
        """
        yielded: Set[str] = set()
        while True:
            event = self._sync(self._next_or_output())
            if isinstance(event, ToolCall):
                if event.call_id in yielded:
                    return
                yielded.add(event.call_id)
            yield event
            if isinstance(event, Finished):
                return

    def drive(self) -> CommandResult:
        """Answer tool calls with the registered functions until the end, and give the result.

        Raises RunSuspended, which carries this run, at a call nobody here answers:
        its tool is None or has ``suspend=True``, or its function raised Suspend.
        """
        return self._sync(self._to_end())

    def resume(
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
        """Answer an event; the run goes on at the next ``next`` or ``drive``.

        A ToolCall (or its call_id): ``stdout``, ``stderr``, ``exit_code``, or
        ``error=exception``. InputNeeded: ``data``. LimitReached: ``add``.

        Raises AlreadyResumedError for what was answered before or never asked,
        RunGoneError when the run has ended, TypeError and ValueError for an answer
        that does not fit. Nothing has changed then.
        """
        if type(event) is ToolCall and error is None and data is None and add is None:
            out = stdout.encode("utf-8", "surrogateescape") if type(stdout) is str else as_bytes(stdout)
            err = as_bytes(stderr) if stderr else None
            reply = self._id, event.call_id, out or None, err, (exit_code and status(exit_code)) or None
            asked = self._sandbox._asked
            try:
                if asked and asked[0] == event.call_id:  # nothing has happened since it was given out
                    asked[0] = reply
                    return
            except IndexError:  # another thread has begun something
                pass
            _native.call(_ANSWER, (self._sandbox._live(), *reply))
            return
        self._feed(event, stdout, stderr, exit_code, error, data, add)

    def pending(self) -> List[ToolCall]:
        """The unanswered tool calls, oldest first; also right after load."""
        return self._unanswered()

    def result(self) -> CommandResult:
        """The result of a run that has ended; SandboxBusyError before.

        Its stdout is everything written since start, across dumps, except what a
        callback or an Output event took.
        """
        return self._outcome()

    @overload
    def dump(self, *, key: Optional[bytes] = None, store: None = None) -> bytes: ...
    @overload
    def dump(self, *, store: Any) -> str: ...
    def dump(self, *, key: Optional[bytes] = None, store: Any = None) -> Union[bytes, str]:
        """The run and its sandbox as bytes, signed if there is a key.

        With a ``store`` (a Store, or what makes one) they are saved there, at the cost of what
        changed since the last dump, and what comes back is a short text for ``Run.load``: the
        run's namespace in the store and the commit. ``Store.delete`` of the namespace, which is
        before the ``@``, forgets the run.

        Raises NotSuspendableError where a command cannot be saved, RunGoneError
        when the script has ended, which it has when ``events`` gives the last output.
        """
        if key is None and store is None and self._result is None:
            return _native.call(_EXPORT, (self._sandbox._live(), None, None, self._id))
        return self._export(key) if store is None else self._keep(store, key)

    @overload
    def fork(self, count: None = None, *, reseed: Optional[int] = None) -> Run: ...
    @overload
    def fork(self, count: int, *, reseed: Optional[int] = None) -> List[Run]: ...
    def fork(self, count: Optional[int] = None, *, reseed: Optional[int] = None) -> Union[Run, List[Run]]:
        """Independent futures of the running script, each in a fork of the sandbox, O(1) each.

        Pending calls get new ids there; ``forked_from`` tells the old one.
        """
        self._unanswered()  # raises if it is gone
        if self._result is not None:
            raise RunGoneError(f"the run {self._id} has ended: fork its sandbox", path=self._id)
        kids = [self._in_fork(sandbox) for sandbox in self._sandbox.fork(1 if count is None else count, reseed=reseed)]
        return kids[0] if count is None else kids

    def __copy__(self) -> Run:
        return self.fork() if self._result is None else self._ended()

    def __deepcopy__(self, memo: Dict[int, Any]) -> Run:
        return self.__copy__()

    def __reduce__(self) -> Tuple[Any, ...]:
        from ._pickling import reduced_run  # few programs pay for it

        return reduced_run(self)

    def _ended(self) -> Run:
        run = Run(self._sandbox, self._id)
        run._result = self._result
        return run

    def _in_fork(self, sandbox: Sandbox) -> Run:
        run = Run(sandbox, _wire.run_active(sandbox._live())["run"])
        run._chunks = list(self._chunks)
        run._errors = self._errors
        return run

    def suspend(self) -> None:
        """From any thread: stop at the next step; whoever drives gets Suspended (``drive``: RunSuspended)."""
        handle = self._sandbox._live()
        _wire.run_suspend(handle, run=self._id)
        _turns.wake(handle)

    def cancel(self) -> None:
        """From any thread: end with status 130. What was done stays; the script's traps do not run.

        A run that has ended, or is gone with the state it was in, stays as it is.
        """
        if not self._cancel():
            return
        handle = self._sandbox._live()
        turn = thread_turn()
        try:
            if drivers.setdefault(handle, turn) is turn:  # otherwise somebody came meanwhile: he finds it cancelled, and is not waited for
                self._sync(self._end(), turn)
        finally:
            _turns.give(handle, turn)

    def _call_function(self, call: ToolCall) -> None:
        self._respond(call.call_id, self._ask(call, self._function(call)))

    def _ask(self, call: ToolCall, function: Callable[[ToolCall], Any]) -> Answer:
        try:
            return self._told(function(call))
        except Exception as error:
            return self._failed(call, error)

    @staticmethod
    def _told(value: Any) -> Answer:
        if type(value) not in PLAIN and inspect.isawaitable(value):
            value = _value_of(value)
        return answer(value)

    def _sync(self, steps: Generator[Need, Any, T], turn: Optional[Turn] = None) -> T:
        """Supply what the steps need on this thread, in this sandbox's turn (taken here unless given)."""
        handle = self._sandbox._handle or self._sandbox._live()
        mine = turn or thread_turn()
        try:
            if turn is None and drivers.setdefault(handle, mine) is not mine:
                _turns.wait(handle, mine)
            value: Any = None
            while True:
                need = steps.send(value)
                value = None
                if isinstance(need, tuple):
                    value = self._ask_all(need, mine)
                elif need is None or need > 0:
                    mine.wait(need)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        except (RunSuspended, AlreadyResumedError):
            raise
        except BaseException:
            if drivers.get(handle) is mine:
                abandon(handle, self._id)
            raise
        finally:
            if turn is None and handle in drivers and drivers[handle] is mine:
                del drivers[handle]
                if handle in queues:
                    hand_over(handle)

    def _ask_all(self, calls: Tuple[ToolCall, ...], turn: Turn) -> Dict[str, str]:
        """Answer the calls; those whose function raised Suspend, with what it said.

        An answer is given before the next function is called: what that one saves has it.
        """
        declined = {}
        token = _turns.enter(turn)
        try:
            for call in calls:
                try:
                    reply = self._ask(call, self._function(call))
                except Suspend as reason:
                    declined[call.call_id] = str(reason)
                    continue
                if len(calls) > 1 or self._sink is not None:
                    self._respond(call.call_id, reply)
                else:
                    declined.update(self._one_by_one(call, reply))
        finally:
            _turns.leave(token)
        return declined

    def _one_by_one(self, call: ToolCall, reply: Answer) -> Dict[str, str]:
        """Answer a call and go on, as long as one call after another is all that happens."""
        functions = {name: tool.function for name, tool in self._sandbox._tools.items() if tool.function is not None and tool.ready}
        handle = self._sandbox._live()
        run = handle, self._id, self._slice
        take = self._chunks.extend
        while True:
            out, err, code, error = reply
            step = _wire.run_step(
                handle,
                self._id,
                slice_ns=self._slice,
                call_id=call.call_id,
                stdout=out or None,
                stderr=err or None,
                status=code or None,
                error=error,
            )
            step, again, value, raised = _native.serve(_wire._RUN_STEP, run, functions, ToolCall, self, take, step)
            if again is None:
                self._answer = step
                return {}
            call = again
            if isinstance(raised, Suspend):
                self._answer = step
                return {call.call_id: str(raised)}
            try:
                if raised is not None:
                    raise raised
                reply = self._told(value)
            except Exception as failed:
                reply = self._failed(call, failed)


def _number(call_id: str) -> int:
    """The place of a call among those of its sandbox."""
    return int(call_id[call_id.rindex("-") + 1 :])


def abandon(handle: int, run_id: str = "", *, patience: float = _PATIENCE) -> None:
    """Its driver leaves by an exception: cancel a run (or the active one) and drive it to its end.

    After ``patience`` seconds it is dropped.
    """
    try:
        _wire.run_cancel(handle, run=run_id or None)
        run_id = run_id or _wire.run_active(handle)["run"]
        if not run_id:
            return
        deadline = time.monotonic() + patience
        try:
            while time.monotonic() < deadline:
                step = _wire.run_step(handle, run_id)
                if step["tag"] == _wire.DONE:
                    return
                if step["tag"] == _wire.SLEEPING:
                    time.sleep(min(max(step["wait"], 0) / 1e9, 0.02))
                elif step["tag"] != _wire.SLICE:
                    break
        finally:
            with contextlib.suppress(RunGoneError):
                _wire.run_drop(handle, run_id)
    except (RunGoneError, SandboxClosedError, ForkedSandboxError):
        return  # it ended by itself, or with its sandbox


def text_sink(on_stdout: Optional[Callable[[str], Any]], on_stderr: Optional[Callable[[str], Any]], rest: List[Chunk]) -> Sink:
    """A sink that decodes for callbacks; a stream without a callback goes to rest.

    Characters come whole: the core holds back the first bytes of one until it has the others.
    """

    def sink(stream: int, data: bytes) -> None:
        callback = on_stdout if stream == 1 else on_stderr
        if callback is None:
            rest.append((stream, data))
        else:
            callback(data.decode("utf-8", "surrogateescape"))

    return sink


def _value_of(awaitable: Awaitable[Any]) -> Any:
    """What an awaitable gives, on a thread that awaits nothing."""
    import asyncio
    import concurrent.futures

    async def main() -> Any:
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    # This thread's loop is busy with us: use another thread's.
    context = contextvars.copy_context()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(context.run, asyncio.run, main()).result()
