"""AsyncSandbox: Sandbox on an event loop.

The script runs on the loop's thread, 2 ms at a time, then the loop gets its turn;
sleeps and async tools are awaited. There is no thread. What takes microseconds
(files, snapshots) is awaitable for the sake of one rule, and does not suspend.
"""

from __future__ import annotations

from typing import (
    IO,
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
    overload,
)

from ._async_runs import AsyncRun
from ._commands import DONE, AsyncCommands
from ._diff import Diff
from ._env import AsyncEnv
from ._files import Data, Files, HostPath, Match
from ._history import AsyncHistory
from ._merge import MergeResult, OnConflict
from ._mounts import Mounts
from ._paths import PathLike, SandboxPath
from ._results import Analysis, FileInfo, Info, SnapshotInfo, StateInfo, Usage
from ._sandbox import Sandbox
from ._snapshots import AsyncSnapshots

if TYPE_CHECKING:
    from ._store import Store


class AsyncFiles:
    """``Files`` with awaitable members; ``open`` and ``path`` give the ordinary objects."""

    __slots__ = ("_files",)

    def __init__(self, files: Files) -> None:
        self._files = files

    async def read(self, path: PathLike) -> bytes:
        """See ``Files.read``."""
        return self._files.read(path)

    async def read_text(self, path: PathLike, encoding: str = "utf-8", errors: str = "strict") -> str:
        """See ``Files.read_text``."""
        return self._files.read_text(path, encoding, errors)

    async def write(self, path: PathLike, data: Data) -> None:
        """See ``Files.write``."""
        self._files.write(path, data)

    async def write_many(self, files: Union[Mapping[str, Data], Iterable[Tuple[PathLike, Data]]]) -> None:
        """See ``Files.write_many``."""
        self._files.write_many(files)

    async def append(self, path: PathLike, data: Data) -> None:
        """See ``Files.append``."""
        self._files.append(path, data)

    async def edit(self, path: PathLike, old: Union[str, bytes], new: Union[str, bytes], count: Optional[int] = 1) -> int:
        """See ``Files.edit``."""
        return self._files.edit(path, old, new, count)

    def open(
        self,
        path: PathLike,
        mode: str = "r",
        buffering: int = -1,
        encoding: Optional[str] = None,
        errors: Optional[str] = None,
        newline: Optional[str] = None,
    ) -> IO[Any]:
        """See ``Files.open``; not awaited."""
        return self._files.open(path, mode, buffering, encoding, errors, newline)

    def path(self, *segments: Union[str, SandboxPath], cwd: str = "") -> SandboxPath:
        """See ``Files.path``; not awaited."""
        return self._files.path(*segments, cwd=cwd)

    async def list(self, path: PathLike, recursive: bool = False) -> List[FileInfo]:
        """See ``Files.list``."""
        return self._files.list(path, recursive)

    async def stat(self, path: PathLike, *, follow_symlinks: bool = True) -> FileInfo:
        """See ``Files.stat``."""
        return self._files.stat(path, follow_symlinks=follow_symlinks)

    async def exists(self, path: PathLike) -> bool:
        """See ``Files.exists``."""
        return self._files.exists(path)

    async def is_file(self, path: PathLike) -> bool:
        """See ``Files.is_file``."""
        return self._files.is_file(path)

    async def is_dir(self, path: PathLike) -> bool:
        """See ``Files.is_dir``."""
        return self._files.is_dir(path)

    async def glob(self, pattern: str) -> List[str]:
        """See ``Files.glob``."""
        return self._files.glob(pattern)

    async def grep(self, pattern: str, path: PathLike = ".") -> List[Match]:
        """See ``Files.grep``."""
        return self._files.grep(pattern, path)

    async def walk(self, path: PathLike = "/") -> AsyncIterator[Tuple[str, List[str], List[str]]]:
        """See ``Files.walk``."""
        for step in self._files.walk(path):
            yield step

    async def tree(self, path: PathLike = "/") -> str:
        """See ``Files.tree``."""
        return self._files.tree(path)

    async def to_dict(self, path: PathLike = "/") -> Dict[str, bytes]:
        """See ``Files.to_dict``."""
        return self._files.to_dict(path)

    async def resolve(self, path: PathLike) -> str:
        """See ``Files.resolve``."""
        return self._files.resolve(path)

    async def mkdir(self, path: PathLike, parents: bool = True, exist_ok: bool = True, *, mode: int = 0o755) -> None:
        """See ``Files.mkdir``."""
        self._files.mkdir(path, parents, exist_ok, mode=mode)

    async def rm(self, path: PathLike, recursive: bool = False, missing_ok: bool = False) -> None:
        """See ``Files.rm``."""
        self._files.rm(path, recursive, missing_ok)

    remove = rm

    async def rmdir(self, path: PathLike) -> None:
        """See ``Files.rmdir``."""
        self._files.rmdir(path)

    async def rename(self, old: PathLike, new: PathLike) -> None:
        """See ``Files.rename``."""
        self._files.rename(old, new)

    async def copy(self, source: PathLike, target: PathLike, recursive: bool = False) -> None:
        """See ``Files.copy``."""
        self._files.copy(source, target, recursive)

    async def chmod(self, path: PathLike, mode: int) -> None:
        """See ``Files.chmod``."""
        self._files.chmod(path, mode)

    async def touch(self, path: PathLike, *, mode: int = 0o644, exist_ok: bool = True) -> None:
        """See ``Files.touch``."""
        self._files.touch(path, mode=mode, exist_ok=exist_ok)

    async def symlink(self, target: PathLike, path: PathLike) -> None:
        """See ``Files.symlink``."""
        self._files.symlink(target, path)

    async def link(self, target: PathLike, path: PathLike) -> None:
        """See ``Files.link``."""
        self._files.link(target, path)

    async def readlink(self, path: PathLike) -> str:
        """See ``Files.readlink``."""
        return self._files.readlink(path)

    async def upload(self, host: HostPath, path: PathLike) -> None:
        """See ``Files.upload``."""
        self._files.upload(host, path)

    async def download(self, path: PathLike, host: HostPath) -> None:
        """See ``Files.download``."""
        self._files.download(path, host)

    async def export_tar(self, path: PathLike = "/") -> bytes:
        """See ``Files.export_tar``."""
        return self._files.export_tar(path)

    async def import_tar(self, data: Union[bytes, IO[bytes]], path: PathLike = "/") -> None:
        """See ``Files.import_tar``."""
        self._files.import_tar(data, path)


class AsyncRuns:
    """``Runs`` with awaitable members."""

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: AsyncSandbox) -> None:
        self._sandbox = sandbox

    async def active(self) -> Optional[AsyncRun]:
        """See ``Runs.active``."""
        run = self._sandbox._sandbox.runs.active()
        return None if run is None else AsyncRun._of(self._sandbox, run)


class AsyncSandbox:
    """``Sandbox`` on an event loop: the same arguments, ``async with``, awaitable members.

    Making one is not awaited. Tools may be async functions; pending calls of
    several work at the same time. Cancelling a task stops the script it runs.
    Tasks that run commands in one sandbox take turns.

    >>> import asyncio
    >>> async def main():
    ...     async with AsyncSandbox() as sb:
    ...         return (await sb.commands.run("echo hi")).stdout
    >>> asyncio.run(main())
    'hi\\n'
    """

    __slots__ = ("__weakref__", "_sandbox")

    def __init__(self, **options: Any) -> None:
        self._sandbox = Sandbox(**options)

    @classmethod
    def _around(cls, sandbox: Sandbox) -> AsyncSandbox:
        made = cls.__new__(cls)
        made._sandbox = sandbox
        return made

    @classmethod
    async def create(cls, **options: Any) -> AsyncSandbox:
        """The constructor, awaitable."""
        return cls(**options)

    @classmethod
    async def from_state(cls, blob: bytes, **options: Any) -> AsyncSandbox:
        """See ``Sandbox.from_state``."""
        return cls._around(Sandbox.from_state(blob, **options))

    from_snapshot = from_state

    @staticmethod
    async def inspect(blob: bytes, *, key: Optional[bytes] = None) -> StateInfo:
        """See ``Sandbox.inspect``."""
        return Sandbox.inspect(blob, key=key)

    @property
    def files(self) -> AsyncFiles:
        """The file system."""
        return AsyncFiles(self._sandbox.files)

    @property
    def commands(self) -> AsyncCommands:
        """Run scripts."""
        return AsyncCommands(self)

    @property
    def env(self) -> AsyncEnv:
        """The variables."""
        return AsyncEnv(self)

    @property
    def mounts(self) -> Mounts:
        """What is mounted, by path."""
        return self._sandbox.mounts

    @property
    def history(self) -> AsyncHistory:
        """The commands of the past."""
        return AsyncHistory(self)

    @property
    def snapshots(self) -> AsyncSnapshots:
        """The snapshots that ``snapshot`` kept."""
        return AsyncSnapshots(self)

    @property
    def runs(self) -> AsyncRuns:
        """The active run."""
        return AsyncRuns(self)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._sandbox.closed

    @property
    def pid(self) -> Optional[int]:
        """The process that holds it, None when that is this one."""
        return self._sandbox.pid

    async def snapshot(self, name: Optional[str] = None) -> str:
        """See ``Sandbox.snapshot``."""
        return self._sandbox.snapshot(name)

    async def restore(self, id: Union[str, SnapshotInfo], *, reseed: Optional[int] = None) -> None:
        """See ``Sandbox.restore``."""
        self._sandbox.restore(id, reseed=reseed)

    @overload
    async def fork(self, count: None = None, *, reseed: Optional[int] = None) -> AsyncSandbox: ...
    @overload
    async def fork(self, count: int, *, reseed: Optional[int] = None) -> List[AsyncSandbox]: ...
    async def fork(self, count: Optional[int] = None, *, reseed: Optional[int] = None) -> Union[AsyncSandbox, List[AsyncSandbox]]:
        """See ``Sandbox.fork``."""
        if count is None:
            return self._around(self._sandbox.fork(reseed=reseed))
        return [self._around(child) for child in self._sandbox.fork(count, reseed=reseed)]

    async def export_state(self, *, key: Optional[bytes] = None, have: Optional[Sequence[str]] = None) -> bytes:
        """See ``Sandbox.export_state``."""
        return self._sandbox.export_state(key=key, have=have)

    async def import_state(self, blob: bytes, *, key: Optional[bytes] = None, base: Union[AsyncSandbox, Store, None] = None) -> None:
        """See ``Sandbox.import_state``."""
        self._sandbox.import_state(blob, key=key, base=base._sandbox if isinstance(base, AsyncSandbox) else base)

    restore_snapshot = import_state

    async def reset(self) -> None:
        """See ``Sandbox.reset``."""
        self._sandbox.reset()

    async def mount(self, path: str, source: Any) -> None:
        """See ``Sandbox.mount``."""
        self._sandbox.mount(path, source)

    async def unmount(self, path: str) -> None:
        """See ``Sandbox.unmount``."""
        self._sandbox.unmount(path)

    async def diff(self, a: Union[str, SnapshotInfo, None] = None, b: Union[str, SnapshotInfo, None] = None) -> Diff:
        """See ``Sandbox.diff``; the Diff is the ordinary object."""
        return self._sandbox.diff(a, b)

    async def merge(
        self, other: AsyncSandbox, base: Union[str, SnapshotInfo, AsyncSandbox, None] = None, on_conflict: OnConflict = "raise"
    ) -> MergeResult:
        """See ``Sandbox.merge``; the MergeResult is the ordinary object, and the callable an ordinary function."""
        if not isinstance(other, AsyncSandbox):
            raise TypeError(f"merge: an AsyncSandbox is needed, not {type(other).__name__}")
        return self._sandbox.merge(other._sandbox, base._sandbox if isinstance(base, AsyncSandbox) else base, on_conflict)

    async def undo(self, n: int = 1) -> None:
        """See ``Sandbox.undo``."""
        self._sandbox.undo(n)

    async def redo(self, n: int = 1) -> None:
        """See ``Sandbox.redo``."""
        self._sandbox.redo(n)

    async def save_state(self, *, note: str = "") -> None:
        """See ``Sandbox.save_state``."""
        await _in_thread(lambda: self._sandbox.save_state(note=note))

    async def load_state(self) -> bool:
        """See ``Sandbox.load_state``."""
        found: bool = await _in_thread(self._sandbox.load_state)
        return found

    async def offload(self, store: Any = None) -> None:
        """See ``Sandbox.offload``."""
        await _in_thread(lambda: self._sandbox.offload(store))

    async def rehydrate(self) -> None:
        """See ``Sandbox.rehydrate``."""
        await _in_thread(self._sandbox.rehydrate)

    async def clear_persisted_state(self) -> None:
        """See ``Sandbox.clear_persisted_state``."""
        await _in_thread(self._sandbox.clear_persisted_state)

    def tool(self, name: Any = None, **details: Any) -> Any:
        """See ``Sandbox.tool``; not awaited. The function may be async."""
        return self._sandbox.tool(name, **details)

    async def analyze(self, script: str) -> Analysis:
        """See ``Sandbox.analyze``."""
        return self._sandbox.analyze(script)

    async def rpc(self, method: str, /, **params: Any) -> Any:
        """See ``Sandbox.rpc``. What runs, runs on another thread."""
        return await _in_thread(lambda: self._sandbox.rpc(method, **params))

    async def usage(self) -> Usage:
        """See ``Sandbox.usage``."""
        return self._sandbox.usage()

    async def info(self) -> Info:
        """See ``Sandbox.info``."""
        return self._sandbox.info()

    async def tree(self, path: str = "/") -> str:
        """See ``Sandbox.tree``."""
        return self._sandbox.tree(path)

    def suspend(self) -> Awaitable[None]:
        """See ``Sandbox.suspend``. It happens at once; awaiting it is fine, and not needed."""
        self._sandbox.suspend()
        return DONE

    def resume(self) -> Awaitable[None]:
        """See ``Sandbox.resume``. It happens at once; awaiting it is fine, and not needed."""
        self._sandbox.resume()
        return DONE

    async def close(self) -> None:
        """See ``Sandbox.close``."""
        await self._end()

    async def destroy(self) -> None:
        """``close``, under codepod's name."""
        await self._end()

    async def kill(self) -> None:
        """``close``, under e2b's name."""
        await self._end()

    async def __aenter__(self) -> AsyncSandbox:
        self._sandbox._live()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._end()

    async def _end(self) -> None:
        if self._sandbox._home is None:
            self._sandbox.close()
        else:
            await _in_thread(self._sandbox.close)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _unpickled, (type(self), self._sandbox)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'closed' if self.closed else hex(self._sandbox._handle)}>"


def _unpickled(cls: Type[AsyncSandbox], sandbox: Sandbox) -> AsyncSandbox:
    return cls._around(sandbox)


async def _in_thread(work: Callable[[], Any]) -> Any:
    """What waits for a store does not hold the event loop up."""
    import asyncio

    return await asyncio.to_thread(work)
