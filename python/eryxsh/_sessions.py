"""Sessions: eryx's and bashkit's vocabulary, thin.

A session is something that executes code and keeps its state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Protocol, runtime_checkable

from ._commands import DEFAULT
from ._results import CommandResult
from ._sandbox import Sandbox

if TYPE_CHECKING:
    from ._async import AsyncSandbox


@runtime_checkable
class Session(Protocol):
    """Executes code and keeps its state between executions."""

    def execute(self, code: str) -> CommandResult:
        """Run code in the state the last execution left."""
        ...

    def reset(self) -> None:
        """As new."""
        ...


@runtime_checkable
class SnapshotSession(Session, Protocol):
    """A session whose state can be bytes."""

    def snapshot_state(self) -> bytes:
        """The whole state."""
        ...

    def restore_state(self, state: bytes) -> None:
        """Replace the state."""
        ...


class InProcessSession:
    """A SnapshotSession over a sandbox; it makes one if none is given.

    >>> session = InProcessSession()
    >>> _ = session.execute("x=1")
    >>> state = session.snapshot_state()
    >>> session.reset()
    >>> session.restore_state(state)
    >>> session.execute("echo $x").stdout
    '1\\n'
    """

    __slots__ = ("sandbox",)

    def __init__(self, sandbox: Optional[Sandbox] = None, **options: Any) -> None:
        self.sandbox = Sandbox(**options) if sandbox is None else _only(sandbox, options)

    def execute(self, code: str, *, timeout: Optional[float] = DEFAULT) -> CommandResult:
        """Run a script; ``timeout`` in seconds, by default the sandbox's."""
        return self.sandbox.commands.run(code, timeout=timeout)

    def reset(self) -> None:
        """As new, with the sandbox's own arguments."""
        self.sandbox.reset()

    def snapshot_state(self) -> bytes:
        """Everything, as ``export_state``."""
        return self.sandbox.export_state()

    def restore_state(self, state: bytes) -> None:
        """Replace everything, as ``import_state``."""
        self.sandbox.import_state(state)

    def close(self) -> None:
        """Close the sandbox."""
        self.sandbox.close()

    def __enter__(self) -> InProcessSession:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class AsyncInProcessSession:
    """InProcessSession with awaitable members, over an AsyncSandbox."""

    __slots__ = ("sandbox",)

    def __init__(self, sandbox: Optional[AsyncSandbox] = None, **options: Any) -> None:
        from ._async import AsyncSandbox

        self.sandbox = AsyncSandbox(**options) if sandbox is None else _only(sandbox, options)

    async def execute(self, code: str) -> CommandResult:
        """Run a script."""
        return await self.sandbox.commands.run(code)

    async def reset(self) -> None:
        """As new, with the sandbox's own arguments."""
        await self.sandbox.reset()

    async def snapshot_state(self) -> bytes:
        """Everything, as ``export_state``."""
        return await self.sandbox.export_state()

    async def restore_state(self, state: bytes) -> None:
        """Replace everything, as ``import_state``."""
        await self.sandbox.import_state(state)

    async def close(self) -> None:
        """Close the sandbox."""
        await self.sandbox.close()

    async def __aenter__(self) -> AsyncInProcessSession:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()


class SessionExecutor:
    """Keeps one live world between executions, made at the first one.

    ``factory`` makes the sandbox, by default ``Sandbox(**options)``.

    >>> executor = SessionExecutor(env={"A": "1"})
    >>> _ = executor.execute("B=2")
    >>> executor.execute("echo $A$B").stdout, executor.executions
    ('12\\n', 2)
    """

    __slots__ = ("_factory", "_session", "executions")

    def __init__(self, factory: Optional[Callable[[], Sandbox]] = None, **options: Any) -> None:
        if factory is not None and options:
            raise TypeError("either a factory or the options of a Sandbox")
        self._factory = factory or (lambda: Sandbox(**options))
        self._session: Optional[InProcessSession] = None
        self.executions = 0
        """How many since it was made or reset."""

    @property
    def session(self) -> InProcessSession:
        """The live session."""
        if self._session is None:
            self._session = InProcessSession(self._factory())
        return self._session

    def execute(self, code: str) -> CommandResult:
        """Run a script in the state the last one left."""
        result = self.session.execute(code)
        self.executions += 1
        return result

    def reset(self) -> None:
        """As new."""
        if self._session is not None:
            self._session.reset()
        self.executions = 0

    def snapshot_state(self) -> bytes:
        """Everything, as ``export_state``."""
        return self.session.snapshot_state()

    def restore_state(self, state: bytes) -> None:
        """Replace everything, as ``import_state``."""
        self.session.restore_state(state)

    def close(self) -> None:
        """Close the session; the next execution makes a new one."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def __enter__(self) -> SessionExecutor:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _only(sandbox: Any, options: Any) -> Any:
    if options:
        raise TypeError(f"options ({', '.join(options)}) have no use beside a sandbox that exists")
    return sandbox
