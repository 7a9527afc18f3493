"""Commands: run a script, start one, cancel."""

from __future__ import annotations

from threading import get_ident
from typing import (
    TYPE_CHECKING,
    Any,
    Awaitable,
    Callable,
    Dict,
    Final,
    Generator,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from . import _native, _turns, _wire
from ._async_runs import SLICE, AsyncRun
from ._errors import EryxshError
from ._files import path_text
from ._limits import Limits, changed
from ._results import CommandResult
from ._runs import AnyRun, Run, abandon, text_sink
from ._tools import as_bytes
from ._turns import Turn, drivers, hand_over, queues, task_turn, thread_turn, wait_async
from ._turns import wait as wait_for

if TYPE_CHECKING:
    from ._async import AsyncSandbox
    from ._sandbox import Sandbox


_RUN = _wire._RUN_RUN
_DONE: Final = _wire.DONE


class _Sentinel:
    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name

    def __reduce__(self) -> str:
        return self._name


DEFAULT: Any = _Sentinel("DEFAULT")
"""The sandbox's own value, as for ``commands.run(timeout=DEFAULT)``."""
PIPE: Any = _Sentinel("PIPE")
"""``commands.start(stdin=PIPE)``: the script's reads come as InputNeeded events."""


class _Done:
    """What may be awaited and need not be: it happened already."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, None, None]:
        yield from ()


DONE: Awaitable[None] = _Done()
Command = Union[str, Sequence[str]]
Text = Union[str, bytes, bytearray, memoryview]
Callback = Callable[[str], Any]


class Commands:
    """``sb.commands``: scripts run in the sandbox's one shell, which keeps its state between calls.

    >>> from eryxsh import Sandbox
    >>> sb = Sandbox()
    >>> sb.commands.run("cd /tmp; greet() { echo hi $1; }").exit_code
    0
    >>> sb.commands.run("greet you; pwd").stdout
    'hi you\\n/tmp\\n'
    """

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def run(
        self,
        command: Command,
        *,
        stdin: Optional[Text] = None,
        env: Optional[Mapping[str, str]] = None,
        cwd: Any = None,
        timeout: Optional[float] = DEFAULT,
        check: bool = False,
        on_stdout: Optional[Callback] = None,
        on_stderr: Optional[Callback] = None,
        limits: Optional[Limits] = None,
    ) -> CommandResult:
        """Run a script to its end and give its result, whatever its exit code.

        ``command``: shell text, or a list (one command, no parsing, no expansion).
        ``stdin``: its input; None is end of file. ``env``, ``cwd``: for this call
        only. ``timeout``: seconds; None is no limit. ``check``: raise CommandError
        unless the exit code is 0. ``on_stdout``, ``on_stderr``: get the output as it
        comes, decoded; it is not in the result then. Descriptors 0, 1 and 2 are the
        caller's in every run, whatever ``exec`` made of them in one before; others
        that it opened stay open.

        A timeout ends with 124, a limit with 137, ``cancel`` with 130; what was
        written so far is kept. Ctrl-C raises KeyboardInterrupt, an exception in a
        callback propagates; the script is stopped, the sandbox stays usable.

        Raises SandboxBusyError while a started run waits, and in a tool or
        callback of this very sandbox; RunSuspended at a tool call nobody here
        answers. Another thread's call is waited for.

        >>> from eryxsh import Sandbox
        >>> Sandbox().commands.run("sort | head -1", stdin="b\\na\\n").stdout
        'a\\n'
        """
        sandbox = self._sandbox
        handle = sandbox._handle or sandbox._live()
        turn = Turn()  # thread_turn, without the call
        turn.thread = get_ident()
        try:
            if drivers.setdefault(handle, turn) is not turn:
                wait_for(handle, turn)
            answer = _native.call(  # _wire.run_run, without the half microsecond that passing names takes
                _RUN,
                (
                    handle,
                    command if isinstance(command, str) else None,
                    None if isinstance(command, str) else _words(command),
                    None if stdin is None else _input(stdin),
                    None,
                    None if env is None else _environment(env),
                    None if cwd is None else path_text(cwd),
                    sandbox._timeout_ns if timeout is DEFAULT else nanoseconds(timeout),
                    None if limits is None else changed(limits),
                    None,
                    True,
                    None,
                    None if on_stdout is None and on_stderr is None else _taken(on_stdout, on_stderr),
                ),
            )
            if answer["tag"] == _DONE and on_stdout is None and on_stderr is None:
                result = CommandResult()
                result._done = answer
            else:
                run = Run(sandbox, answer["run"])
                _attach(run, answer, on_stdout, on_stderr)
                result = run._sync(run._to_end(), turn)
        except BaseException as error:
            if _from_outside(error) and drivers.get(handle) is turn:
                abandon(handle)
            raise
        finally:
            if drivers.get(handle) is turn:
                del drivers[handle]
                if handle in queues:
                    hand_over(handle)
        return result.check() if check else result

    async def arun(
        self,
        command: Command,
        *,
        stdin: Optional[Text] = None,
        env: Optional[Mapping[str, str]] = None,
        cwd: Any = None,
        timeout: Optional[float] = DEFAULT,
        check: bool = False,
        on_stdout: Optional[Callback] = None,
        on_stderr: Optional[Callback] = None,
        limits: Optional[Limits] = None,
    ) -> CommandResult:
        """``run`` on an event loop: 2 ms of the script at a time, waits awaited, async tools awaited."""
        from ._async import AsyncSandbox

        return await AsyncSandbox._around(self._sandbox).commands.run(
            command,
            stdin=stdin,
            env=env,
            cwd=cwd,
            timeout=timeout,
            check=check,
            on_stdout=on_stdout,
            on_stderr=on_stderr,
            limits=limits,
        )

    def start(
        self,
        command: Command,
        *,
        stdin: Any = None,
        env: Optional[Mapping[str, str]] = None,
        cwd: Any = None,
        timeout: Optional[float] = DEFAULT,
        limits: Optional[Limits] = None,
        on_limit: str = "stop",
    ) -> Run:
        """A Run that has not begun: ``next``, ``events`` or ``drive`` make it go on.

        As ``run``, and ``stdin=PIPE`` makes its reads InputNeeded events, and
        ``on_limit="suspend"`` a timeout or budget a LimitReached event.

        Raises SandboxBusyError while another run is active.
        """
        sandbox = self._sandbox
        handle = sandbox._handle or sandbox._live()
        turn = thread_turn()
        try:
            if drivers.setdefault(handle, turn) is not turn:
                wait_for(handle, turn)
            return Run(sandbox, _wire.run_start(handle, **start_arguments(sandbox, command, stdin, env, cwd, timeout, limits, on_limit)))
        finally:
            if handle in drivers and drivers[handle] is turn:
                del drivers[handle]
                if handle in queues:
                    hand_over(handle)

    def cancel(self) -> None:
        """From any thread: end whatever runs, with status 130. Nothing running: nothing happens."""
        sandbox = self._sandbox
        handle = sandbox._live()
        if handle in drivers:
            _wire.run_cancel(handle)
            _turns.wake(handle, stop=True)
            return
        run = sandbox.runs.active()
        if run is not None:
            run.cancel()


class AsyncCommands:
    """``Commands`` on an event loop."""

    __slots__ = ("_async_sandbox",)

    def __init__(self, sandbox: AsyncSandbox) -> None:
        self._async_sandbox = sandbox

    async def run(
        self,
        command: Command,
        *,
        stdin: Optional[Text] = None,
        env: Optional[Mapping[str, str]] = None,
        cwd: Any = None,
        timeout: Optional[float] = DEFAULT,
        check: bool = False,
        on_stdout: Optional[Callback] = None,
        on_stderr: Optional[Callback] = None,
        limits: Optional[Limits] = None,
    ) -> CommandResult:
        """See ``Commands.run``. Cancelling the task stops the script."""
        sandbox = self._async_sandbox._sandbox
        handle = sandbox._handle or sandbox._live()
        turn = task_turn()
        try:
            if drivers.setdefault(handle, turn) is not turn:
                await wait_async(handle, turn)
            answer = _wire.run_run(
                handle,
                script=command if isinstance(command, str) else None,
                argv=None if isinstance(command, str) else _words(command),
                stdin=None if stdin is None else _input(stdin),
                env=None if env is None else _environment(env),
                cwd=None if cwd is None else path_text(cwd),
                timeout=sandbox._timeout_ns if timeout is DEFAULT else nanoseconds(timeout),
                limits=None if limits is None else changed(limits),
                keep=True,
                slice_ns=SLICE,
                taken=_taken(on_stdout, on_stderr),
            )
            if answer["tag"] == _DONE and on_stdout is None and on_stderr is None:
                result = CommandResult()
                result._done = answer
            else:
                run = AsyncRun(self._async_sandbox, answer["run"])
                _attach(run, answer, on_stdout, on_stderr)
                result = await run._async(run._to_end(), turn)
        except BaseException as error:
            if _from_outside(error) and drivers.get(handle) is turn:
                abandon(handle, patience=0.1)
            raise
        finally:
            if handle in drivers and drivers[handle] is turn:
                del drivers[handle]
                if handle in queues:
                    hand_over(handle)
        return result.check() if check else result

    arun = run

    async def start(
        self,
        command: Command,
        *,
        stdin: Any = None,
        env: Optional[Mapping[str, str]] = None,
        cwd: Any = None,
        timeout: Optional[float] = DEFAULT,
        limits: Optional[Limits] = None,
        on_limit: str = "stop",
    ) -> AsyncRun:
        """See ``Commands.start``."""
        sandbox = self._async_sandbox._sandbox
        handle = sandbox._handle or sandbox._live()
        turn = task_turn()
        try:
            if drivers.setdefault(handle, turn) is not turn:
                await wait_async(handle, turn)
            arguments = start_arguments(sandbox, command, stdin, env, cwd, timeout, limits, on_limit)
            return AsyncRun(self._async_sandbox, _wire.run_start(handle, **arguments))
        finally:
            if handle in drivers and drivers[handle] is turn:
                del drivers[handle]
                if handle in queues:
                    hand_over(handle)

    def cancel(self) -> Awaitable[None]:
        """From any thread or task, at once: end whatever runs, with status 130. Awaiting it is fine, and not needed."""
        self._async_sandbox._sandbox.commands.cancel()
        return DONE


def _attach(run: AnyRun, answer: _wire.Answer, on_stdout: Optional[Callback], on_stderr: Optional[Callback]) -> None:
    """Make a run of the answer its first slice gave."""
    run._answer = answer
    run._taken = _taken(on_stdout, on_stderr)
    if run._taken is not None:
        run._sink = text_sink(on_stdout, on_stderr, run._chunks)


def _taken(on_stdout: Optional[Callback], on_stderr: Optional[Callback]) -> Optional[int]:
    """The streams that callbacks take: the sum of their numbers; None is none."""
    return (1 if on_stdout is not None else 0) + (2 if on_stderr is not None else 0) or None


def _from_outside(error: BaseException) -> bool:
    """Whether an exception was raised by a signal handler or the event loop, not by the core or by an argument."""
    return isinstance(error, TimeoutError) or not isinstance(
        error, (EryxshError, ValueError, TypeError, OSError, NotImplementedError, ImportError)
    )


def start_arguments(
    sandbox: Sandbox,
    command: Command,
    stdin: Any,
    env: Optional[Mapping[str, str]],
    cwd: Any,
    timeout: Optional[float],
    limits: Optional[Limits],
    on_limit: str,
) -> Dict[str, Any]:
    """The parameters of run.start."""
    if on_limit not in ("stop", "suspend"):
        raise ValueError(f"on_limit is 'stop' or 'suspend', not {on_limit!r}")
    return {
        "script": command if isinstance(command, str) else None,
        "argv": None if isinstance(command, str) else _words(command),
        "stdin": None if stdin is None or stdin is PIPE else _input(stdin),
        "pipe": stdin is PIPE or None,
        "env": None if env is None else _environment(env),
        "cwd": None if cwd is None else path_text(cwd),
        "timeout": sandbox._timeout_ns if timeout is DEFAULT else nanoseconds(timeout),
        "limits": None if limits is None else changed(limits),
        "suspend_on_limit": on_limit == "suspend" or None,
        "keep": True,
    }


def _words(command: Any) -> Tuple[str, ...]:
    if isinstance(command, (bytes, bytearray)) or not isinstance(command, Iterable):
        raise TypeError(f"a command is a str or a list of str, not {type(command).__name__}")
    words: List[str] = list(command)
    if not words:
        raise ValueError("a command given as a list needs its name")
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"a command is a str or a list of str; the list has {word!r}")
    return tuple(words)


def _input(stdin: Any) -> bytes:
    if stdin is PIPE:
        raise ValueError("stdin=PIPE needs commands.start: a Run gives InputNeeded events")
    if isinstance(stdin, bytes):
        return stdin
    return as_bytes(stdin)


def _environment(env: Mapping[str, str]) -> Dict[str, str]:
    if not isinstance(env, Mapping):
        raise TypeError(f"env maps names to values and is no {type(env).__name__}")
    made = dict(env)
    for name, value in made.items():
        check_variable(name, value)
    return made


def check_variable(name: Any, value: Any) -> None:
    """Refuse what cannot be an exported variable."""
    if not isinstance(name, str) or not isinstance(value, str):
        raise TypeError(f"env: names and values are str, not {name!r}: {value!r}")
    if not name.isidentifier() or not name.isascii():
        raise ValueError(f"env: {name!r} cannot be a variable's name")
    if "\0" in value:
        raise ValueError(f"env: the value of {name} has a NUL byte")


def nanoseconds(timeout: Optional[float]) -> Optional[int]:
    """A timeout in seconds for the core; None is none."""
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"a timeout is a number of seconds or None, not {timeout!r}")
    if not timeout > 0:
        raise ValueError(f"a timeout of {timeout!r} seconds: None is no limit")
    return min(int(timeout * 1e9), (1 << 63) - 1) if timeout < 1e10 else None
