"""Sandbox: bash over an in-memory file system, as an object."""

from __future__ import annotations

import contextlib
import datetime
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    TypeVar,
    Union,
    overload,
)

from . import _mounts, _native, _persistence, _turns, _wire
from ._clock import clock_of, seed_of
from ._commands import Commands, _environment, nanoseconds
from ._diff import Diff
from ._env import Env
from ._errors import EryxshError, SandboxClosedError
from ._files import Files, content, path_text
from ._history import History
from ._limits import DEFAULT_TIMEOUT, Limits, changed
from ._merge import MergeResult, OnConflict, merge
from ._mounts import Mounts
from ._results import Analysis, Info, SnapshotInfo, StateInfo, Usage, analysis, info, state_info, usage
from ._runs import Asked, Run
from ._snapshots import Snapshots
from ._tools import Tool, as_tool, registry, wire_tools
from ._transfer import holder, signing_key, state_bytes

if TYPE_CHECKING:
    from ._isolation import Isolation, Place
    from ._store import Store

S = TypeVar("S", bound="Sandbox")
F = TypeVar("F", bound=Callable[..., Any])

_new = object.__new__
_TIMEOUT_NS = 30_000_000_000
_NO_TOOLS: Dict[str, Tool] = {}  # shared by all sandboxes without tools; never changed
_NOBODY: contextlib.nullcontext[None] = contextlib.nullcontext()


class NotYetError(EryxshError, NotImplementedError):
    """A feature of the interface that this version does not have; it is never ignored silently."""


class Runs:
    """``sb.runs``: the runs of a sandbox. There is one active run at most."""

    __slots__ = ("_sandbox",)

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def active(self) -> Optional[Run]:
        """The run that has begun and not ended, or None; so a loaded or forked sandbox gives its run."""
        handle = self._sandbox._live()
        found = _wire.run_active(handle)["run"]
        if not found:
            return None
        run = Run(self._sandbox, found)
        run._chunks = list(_wire.run_output(handle, found))
        return run


class Sandbox:
    """A bash sandbox inside this process: no container, no subprocess, no access to the host.

    ``isolation="process"`` is for scripts of strangers: the same, but the core is in a child process, and whatever
    kills that ends in SandboxDiedError (see ``Isolation``).

    ``files``: path to content. ``env``: exported variables, added to the default
    ones; the host's are never inherited. ``cwd``: where the shell starts, by default
    the home, ``/home/USER``. ``user``, ``hostname``: what the shell says they are.
    ``timeout``: seconds for one command; None is no limit. ``limits``: see Limits.
    ``mounts``: what is shown below which path, see ``mount``.
    ``tools``: Python functions as shell commands, ``{"name": callable}`` or
    ``[Tool, ...]``; None as callable leaves every call to be answered from outside.
    ``clock``: ``"real"``, ``"virtual"`` (counts steps, from 2000-01-01) or the
    datetime at which a virtual clock starts (UTC if it is naive). ``seed``: of
    ``$RANDOM`` and ``/dev/urandom``, its lowest 64 bits; None draws one.

    One thread at a time runs commands, the others wait their turn; everything
    else may be used from any thread at any time.

    >>> with Sandbox(files={"/data/log.csv": "alice,95\\nbob,80\\n"}) as sb:
    ...     sb.commands.run("sort -t, -k2 -n /data/log.csv | head -1").stdout
    'bob,80\\n'
    """

    __slots__ = ("__weakref__", "_asked", "_away", "_handle", "_home", "_mounted", "_place", "_timeout_ns", "_tools")

    def __init__(
        self,
        *,
        files: Optional[Mapping[str, Union[str, bytes]]] = None,
        env: Optional[Mapping[str, str]] = None,
        cwd: Optional[str] = None,
        user: str = "user",
        hostname: str = "sandbox",
        timeout: Optional[float] = DEFAULT_TIMEOUT,
        limits: Optional[Limits] = None,
        tools: Union[Mapping[str, Any], Sequence[Tool], None] = None,
        mounts: Optional[Mapping[str, Any]] = None,
        network: Any = None,
        persistence: str = "ephemeral",
        namespace: str = "default",
        store: Any = None,
        clock: Union[str, datetime.datetime] = "real",
        seed: Optional[int] = None,
        isolation: Union[str, Isolation, None] = None,
    ) -> None:
        self._handle = 0
        self._place: Optional[Place] = None  # of the process that holds it, if it is not this one
        self._home: Optional[_persistence.Home] = None  # where it is kept
        self._away: Optional[_persistence.Absent] = None  # where it is while it takes no memory
        self._asked: List[Asked] = []  # a call that Run.next has given out, then its answer
        self._tools = _NO_TOOLS if tools is None else registry(tools)
        self._timeout_ns = _TIMEOUT_NS if timeout is DEFAULT_TIMEOUT else nanoseconds(timeout)
        if network is not None:
            raise self._not_yet("network=")
        home = None
        if persistence != "ephemeral" or namespace != "default" or store is not None:
            home = _persistence.home(persistence, namespace, store)
        if cwd is not None and not path_text(cwd).startswith("/"):
            raise ValueError(f"cwd is an absolute path, not {cwd!r}")
        if files is not None and not isinstance(files, Mapping):
            raise TypeError(f"files maps paths to contents and is no {type(files).__name__}")
        virtual, start = (None, None) if clock == "real" else clock_of(clock)
        origin: Dict[str, Any] = {
            "env": None if env is None else _environment(env),
            "cwd": cwd,
            "user": None if user == "user" else user,
            "hostname": None if hostname == "sandbox" else hostname,
            "limits": None if limits is None else changed(limits),
            "virtual": virtual,
            "start": start,
            "seed": seed_of(seed),
            "files": None if files is None else {path_text(p): content(d) for p, d in files.items()},
            "tools": wire_tools(self._tools) if self._tools else None,
        }
        if isolation is not None:
            self._place = place_of(isolation, limits, origin)
        self._handle = _wire.sandbox_new(**origin) if self._place is None else self._place.new()
        self._mounted = () if mounts is None else tuple(mounts.items())  # for reset
        if home is not None:
            self._move_in(home)
        _mounts.begin(self)

    def _move_in(self, home: _persistence.Home) -> None:
        """Live in a store from now on."""
        try:
            if home.mode == "persistent":
                home.load(self._handle)
        except BaseException:
            home.leave()
            self.close()
            raise
        self._home = home
        if self._place is not None:
            self._place.keep(self._handle, home)
        if home.mode == "persistent":
            _persistence.autosave.add(self)

    @classmethod
    def _around(cls: Type[S], handle: int, like: Sandbox) -> S:
        made = cls._bare(like._tools, like._timeout_ns, like._mounted)
        made._handle = handle
        made._place = None if like._place is None else like._place.copy()
        return made

    @classmethod
    def _bare(cls: Type[S], tools: Dict[str, Tool], timeout_ns: Optional[int], mounted: Tuple[Tuple[str, Any], ...] = ()) -> S:
        """One without a state, which has no home and is in no process yet."""
        made = cls.__new__(cls)
        made._handle = 0
        made._place = None
        made._home = None
        made._away = None
        made._asked = []
        made._mounted = mounted
        made._timeout_ns = timeout_ns
        made._tools = tools
        return made

    @property
    def _isolation(self) -> Optional[Isolation]:
        """How it has a process of its own, None if it has none."""
        return None if self._place is None else self._place.how

    @classmethod
    def create(cls: Type[S], **options: Any) -> S:
        """The constructor, under the name e2b and codepod give it."""
        return cls(**options)

    @classmethod
    def from_state(
        cls: Type[S],
        blob: bytes,
        *,
        key: Optional[bytes] = None,
        base: Union[Sandbox, Store, None] = None,
        timeout: Optional[float] = DEFAULT_TIMEOUT,
        limits: Optional[Limits] = None,
        tools: Union[Mapping[str, Any], Sequence[Tool], None] = None,
        isolation: Union[str, Isolation, None] = None,
        mounts: Optional[Mapping[str, Any]] = None,
    ) -> S:
        """A new sandbox out of what ``export_state`` or ``Run.dump`` gave.

        A state never lifts a limit: each is the tighter of the saved one and that of
        ``limits``, or of ``Limits()`` if there are none. A sandbox that was made with
        more than the defaults is loaded with the ``limits`` it was made with, and
        ``Limits.unlimited()`` trusts what the state says of its own.

        Raises CapabilityError if ``tools`` lacks a function the state needs, and
        StateError (StateTooNewError, SignatureError, ScriptDriftError) for bytes
        that cannot be read.
        """
        return cls._out_of(
            _wire.sandbox_from_state,
            blob,
            key=key,
            base=base,
            timeout=timeout,
            limits=limits,
            tools=tools,
            isolation=isolation,
            mounts=mounts,
        )[0]

    @classmethod
    def _out_of(
        cls: Type[S],
        method: Callable[..., Any],
        blob: bytes,
        *,
        key: Optional[bytes] = None,
        base: Union[Sandbox, Store, None] = None,
        timeout: Optional[float] = DEFAULT_TIMEOUT,
        limits: Optional[Limits] = None,
        tools: Union[Mapping[str, Any], Sequence[Tool], None] = None,
        isolation: Union[str, Isolation, None] = None,
        mounts: Optional[Mapping[str, Any]] = None,
    ) -> Tuple[S, Any]:
        """What ``from_state`` gives, and what the method it is done with has answered."""
        mounted = () if mounts is None else tuple(mounts.items())
        made = cls._bare(_NO_TOOLS if tools is None else registry(tools), nanoseconds(timeout), mounted)
        bounds: Dict[str, Any] = {
            "tools": wire_tools(made._tools) if made._tools else None,
            "limits": None if limits is None else changed(limits),
        }
        if isolation is not None:
            made._place = place_of(isolation, limits, bounds)
        process = 0 if made._place is None else made._place.enter()
        with _NOBODY if base is None else holder(base, blob, process) as held:
            answer = method(state_bytes(blob), key=signing_key(key), base=held, process=process or None, **bounds)
        made._handle = answer if isinstance(answer, int) else answer["sandbox"]
        if mounted:
            _mounts.begin(made)
        return made, answer

    from_snapshot = from_state

    @staticmethod
    def inspect(blob: bytes, *, key: Optional[bytes] = None) -> StateInfo:
        """What a blob holds, without loading it. With a key its signature is checked."""
        return state_info(_wire.sandbox_inspect(state_bytes(blob), key=signing_key(key)))

    # The nouns.

    @property
    def files(self) -> Files:
        """The file system."""
        return Files(self)

    @property
    def commands(self) -> Commands:
        """Run scripts."""
        made = _new(Commands)  # without __init__: it is asked for at every command
        made._sandbox = self
        return made

    @property
    def env(self) -> Env:
        """The variables."""
        return Env(self)

    @property
    def history(self) -> History:
        """The commands of the past."""
        return History(self)

    @property
    def snapshots(self) -> Snapshots:
        """The snapshots that ``snapshot`` kept."""
        return Snapshots(self)

    @property
    def pid(self) -> Optional[int]:
        """The process that holds it (``isolation=``), None when that is this one."""
        return None if self._place is None or self._place.child is None else self._place.child.pid

    @property
    def runs(self) -> Runs:
        """The active run."""
        return Runs(self)

    # States.

    def snapshot(self, name: Optional[str] = None) -> str:
        """Keep the state, files and shell, under the id it gives: O(1), also while a run is suspended.

        Raises QuotaExceededError when snapshots would retain more than ``Limits.retained``.
        """
        return _wire.sandbox_snapshot(self._live(), name=name)

    def restore(self, id: Union[str, SnapshotInfo], *, reseed: Optional[int] = None) -> None:
        """Back to a snapshot, by id or name, files and shell. Random numbers repeat unless there is a ``reseed``.

        Of several with one name it is the newest.

        Raises SnapshotNotFoundError. Runs that were active are gone (RunGoneError).
        """
        _wire.sandbox_restore(self._live(), _snapshot(id) or "", reseed=seed_of(reseed))
        _turns.wake(self._handle, stop=True)

    @overload
    def fork(self: S, count: None = None, *, reseed: Optional[int] = None) -> S: ...
    @overload
    def fork(self: S, count: int, *, reseed: Optional[int] = None) -> List[S]: ...
    def fork(self: S, count: Optional[int] = None, *, reseed: Optional[int] = None) -> Union[S, List[S]]:
        """An independent copy, O(1), also while a run is suspended; with a count a list of them.

        With ``reseed`` the i-th copy draws its random numbers, and the ids of its tool calls, from
        ``reseed + i``: several processes that fork one saved state each give another, or they make the
        same ids.

        >>> from eryxsh import Sandbox
        >>> sb = Sandbox()
        >>> child = sb.fork()
        >>> child.commands.run("echo changed > f").exit_code, sb.files.exists("f")
        (0, False)
        """
        if count is not None and (isinstance(count, bool) or not isinstance(count, int)):
            raise TypeError(f"fork: a count is an int, not {count!r}")
        if count is not None and count < 1:
            raise ValueError(f"fork: a count of {count}")
        handles = _wire.sandbox_fork(self._live(), 1 if count is None else count, reseed=seed_of(reseed))
        forks = [type(self)._around(handle, self) for handle in handles]
        return forks[0] if count is None else forks

    def export_state(self, *, key: Optional[bytes] = None, have: Optional[Sequence[str]] = None) -> bytes:
        """Everything as one blob, a suspended run included; with a key it is signed (HMAC-SHA256).

        ``have``: what the receiver has, and is left out of the files: snapshots of this sandbox by id or
        name, or the id of the commit it was last saved or loaded as. Such a thin pack costs what changed
        since, and is loaded with ``base=``.

        >>> from eryxsh import Sandbox
        >>> sb = Sandbox(files={"/data": "x" * 100_000})
        >>> first, before = sb.export_state(), sb.snapshot()
        >>> _ = sb.commands.run("echo new > f")
        >>> row = sb.export_state(have=[before])
        >>> len(first) > 100_000, len(row) < 4000
        (True, True)
        >>> back = Sandbox.from_state(row, base=Sandbox.from_state(first))
        >>> back.commands.run("cat f; wc -c < /data").stdout
        'new\\n100000\\n'
        """
        return _wire.sandbox_export(self._live(), key=signing_key(key), have=None if have is None else tuple(have))

    def _export(self, key: Optional[bytes], run: str) -> bytes:
        """``export_state`` while a run is active."""
        return _wire.sandbox_export(self._live(), key=signing_key(key), run=run)

    def import_state(self, blob: bytes, *, key: Optional[bytes] = None, base: Union[Sandbox, Store, None] = None) -> None:
        """Replace everything by what ``export_state`` gave, or raise and change nothing.

        ``base``: a sandbox, which may be this one, or a Store that holds what a thin pack
        (``export_state(have=…)``) was made without; something that is missing is a StateError.
        A state never lifts a limit: each is the tighter of the saved one and this
        sandbox's own, which stay what ``reset`` brings back.

        Raises StateError (StateTooNewError, SignatureError, ScriptDriftError, CapabilityError).
        """
        self._revive()
        with holder(base, blob, self._live()) as held:
            _wire.sandbox_import(self._live(), state_bytes(blob), key=signing_key(key), base=held)
        _turns.wake(self._handle, stop=True)

    restore_snapshot = import_state

    def reset(self) -> None:
        """As new, with the same constructor arguments; after ``import_state`` those of the imported one, but for the limits."""
        if not self._revive():
            _wire.sandbox_reset(self._live())
        _mounts.begin(self)
        _turns.wake(self._handle, stop=True)

    def save_state(self, *, note: str = "") -> None:
        """Save now (persistence modes ``session`` and ``persistent``): the next commit of the namespace.

        The cost follows what changed since the last save. Raises ConflictError when somebody else
        has saved there since this sandbox was made, loaded or saved, PersistenceError when the
        store fails: what was there before is there then.

        >>> from eryxsh import Sandbox
        >>> store = {}
        >>> with Sandbox(persistence="session", store=store) as sb:
        ...     _ = sb.commands.run("x=5; echo hi > f")
        ...     sb.save_state()
        >>> with Sandbox(persistence="session", store=store) as sb:
        ...     sb.load_state(), sb.commands.run("echo $x; cat f").stdout
        (True, '5\\nhi\\n')
        """
        self._at_home("save_state").save(self._live(), note=note)

    def load_state(self) -> bool:
        """Load what was saved last (persistence modes ``session`` and ``persistent``); False when there is nothing.

        It replaces everything, or raises and changes nothing, as ``import_state`` does.
        """
        home = self._at_home("load_state")
        self._revive()
        found = home.load(self._live())
        if found:
            _turns.wake(self._handle, stop=True)
        return found

    def clear_persisted_state(self) -> None:
        """Forget all that was saved in this namespace (persistence modes ``session`` and ``persistent``). The sandbox stays as it is."""
        self._live()
        self._at_home("clear_persisted_state").clear()

    def _at_home(self, what: str) -> _persistence.Home:
        self._live()
        if self._home is None:
            raise _persistence.off(what)
        return self._home

    def offload(self, store: Any = None) -> None:
        """Write everything to a store and free the memory; the next use, or ``rehydrate``, brings it back.

        ``store``: a Store or what makes one; by default that of the modes ``session`` and ``persistent``. What
        does not travel in ``export_state`` (snapshots without a name, what ``undo`` goes back to) is gone.

        >>> from eryxsh import Sandbox
        >>> sb = Sandbox(files={"/data": "x" * 100_000})
        >>> sb.offload({})
        >>> sb.files.stat("/data").size
        100000
        """
        self._live()
        self._leave(_persistence.Away.leave(self, store))

    def _leave(self, away: _persistence.Absent) -> None:
        """Free the memory: the state is elsewhere."""
        self._away = away
        self._discard()

    def _take(self, found: Sandbox) -> None:
        """Have the state of another sandbox, which has none then: it was elsewhere."""
        self._place, found._place = found._place, None
        self._handle, found._handle = found._handle, 0
        self._away = None

    def rehydrate(self) -> None:
        """Back into memory after ``offload``; if it is there already nothing happens."""
        self._live()

    def _come_back(self) -> None:
        away = self._away
        if away is None:
            raise SandboxClosedError("the sandbox is closed")
        away.back(self)

    def diff(self, a: Union[str, SnapshotInfo, None] = None, b: Union[str, SnapshotInfo, None] = None) -> Diff:
        """What differs between two snapshots (ids, names, or what ``snapshots.list`` gives).

        Without ``b`` up to now; without ``a`` since the sandbox was made or loaded. The cost follows
        the changes. Raises SnapshotNotFoundError.

        >>> from eryxsh import Sandbox
        >>> sb = Sandbox()
        >>> _ = sb.commands.run("echo hi > f; x=1")
        >>> print(sb.diff())
        A /home/user/f
        $ x: unset -> '1'
        """
        return Diff(_wire.sandbox_diff(self._live(), a=_snapshot(a), b=_snapshot(b)), self._place)

    def merge(self, other: Sandbox, base: Union[str, SnapshotInfo, Sandbox, None] = None, on_conflict: OnConflict = "raise") -> MergeResult:
        """Bring in what ``other`` changed, files and shell: a three-way merge, whose cost follows the changes.

        It is compared with the state where the two parted: the fork that made one of them, or the
        last that both come from; after a merge, what was merged then. Going back (``restore``,
        ``undo``) is a change like any other; ``reset`` and ``import_state`` begin anew, and forks
        know of their last 16 generations. ``base`` gives another state: a snapshot (id or name) of
        this sandbox or the other, or a sandbox.

        What is changed on both sides alike is no conflict, nor are different lines of one text;
        files are followed when they are renamed, and what one side adds to a directory goes where the other
        moved that (git's ``merge.directoryRenames=true``, without its guess from the files). What excludes each other is decided by
        ``on_conflict``: ``"raise"`` a MergeConflictError, and nothing is changed; ``"ours"`` or
        ``"theirs"`` for each conflict; ``"markers"`` leaves what ``git merge`` would, texts with
        diff3's markers; or a callable that is given each MergeConflict and gives one of these three
        words, the content, or None for the error. ``undo`` takes a merge back in one step.

        A mount of the host's is a boundary: it is not brought along, nothing goes into one (NotImplementedError; a directory
        that it covers is merged below it), and what an overlay changed is refused with the same error.

        Raises NoAncestorError when the two have nothing in common, SandboxBusyError while either has a run.

        >>> from eryxsh import Sandbox
        >>> sb = Sandbox(files={"/w/list": "one\\n"})
        >>> workers = sb.fork(3)
        >>> for i, worker in enumerate(workers):
        ...     _ = worker.commands.run(f"echo {i} > /w/part{i}; echo {i} >> /w/list")
        >>> [len(sb.merge(w, on_conflict=lambda c: c.ours + c.theirs.splitlines(True)[-1]).conflicts) for w in workers]
        [0, 1, 1]
        >>> sb.commands.run("cd /w; echo *; cat list").stdout
        'list part0 part1 part2\\none\\n0\\n1\\n2\\n'
        """
        return merge(self, other, base, on_conflict)

    def undo(self, n: int = 1) -> None:
        """Back to before the n-th last command, files and shell; ``redo`` comes forward again.

        Each command leaves a state behind, O(1), as many as ``Limits.undo`` says. A run that
        is going counts as a command, and is gone. Raises SnapshotNotFoundError for one that is not kept.

        >>> from eryxsh import Sandbox
        >>> sb = Sandbox()
        >>> _ = sb.commands.run("echo one > f"), sb.commands.run("rm f")
        >>> sb.undo()
        >>> sb.commands.run("cat f").stdout
        'one\\n'
        """
        _wire.sandbox_undo(self._live(), _count("undo", n))
        _turns.wake(self._handle, stop=True)

    def redo(self, n: int = 1) -> None:
        """Forward again by n of the commands that were undone, until something new is run.

        Raises SnapshotNotFoundError when fewer were undone.
        """
        _wire.sandbox_redo(self._live(), _count("redo", n))
        _turns.wake(self._handle, stop=True)

    # Tools.

    @overload
    def tool(self, name: F) -> F: ...
    @overload
    def tool(
        self,
        name: Optional[str] = None,
        *,
        description: str = "",
        usage: str = "",
        examples: Sequence[str] = (),
        category: str = "",
        suspend: bool = False,
    ) -> Callable[[F], F]: ...
    def tool(
        self,
        name: Any = None,
        *,
        description: str = "",
        usage: str = "",
        examples: Sequence[str] = (),
        category: str = "",
        suspend: bool = False,
    ) -> Any:
        """A decorator that registers a function as a shell command; the function stays as it is.

        >>> from eryxsh import Sandbox
        >>> sb = Sandbox()
        >>> @sb.tool
        ... def shout(text: str) -> str:
        ...     return text.upper() + "\\n"
        >>> sb.commands.run("shout hi").stdout
        'HI\\n'
        """

        def register(function: F) -> F:
            made = as_tool(
                name if isinstance(name, str) else function.__name__.strip("_").replace("_", "-"),
                function,
                description=description,
                usage=usage,
                examples=examples,
                category=category,
                suspend=suspend,
            )
            self._register(made)
            return function

        return register(name) if callable(name) else register

    def _register(self, made: Tool) -> None:
        tools = {**self._tools, made.name: made}
        _wire.sandbox_set_tools(self._live(), tools=wire_tools(tools))
        self._tools = tools

    # People and programs that look.

    def analyze(self, script: str) -> Analysis:
        """What a script would run, without running it. ParseError (line, column) if it is no script."""
        return analysis(_wire.sandbox_analyze(self._handle, script))

    def usage(self) -> Usage:
        """Counters, saved and restored with the state."""
        return usage(_wire.sandbox_usage(self._live()))

    def info(self) -> Info:
        """What the sandbox is: user, clock, limits, commands, tools."""
        return info(_wire.sandbox_info(self._live()))

    def tree(self, path: str = "/") -> str:
        """The files below a directory as indented text."""
        return self.files.tree(path)

    def rpc(self, method: str, /, **params: Any) -> Any:
        """Call a method of the JSON-RPC server (``capi/RPC.md``), in this process; gives its result.

        What the sandbox says no to raises what it raises elsewhere; an unknown method, and parameters
        that do not fit, raise ``eryxsh.rpc.RpcError``, a ValueError with ``.code``.

        >>> from eryxsh import Sandbox
        >>> sb = Sandbox(clock="virtual")
        >>> _ = sb.rpc("run", command="echo hi")
        >>> sb.rpc("shell.history.list")
        {'entries': [{'index': 1, 'command': 'echo hi', 'timestamp': 946684800000}]}
        """
        from . import rpc  # few programs pay for it

        return rpc.call(self, method, params)

    # Whoever runs.

    def suspend(self) -> None:
        """From any thread: what runs now pauses, its clock stopped, until ``resume``. Nothing running: nothing happens."""
        handle = self._live()
        turn = _turns.drivers.get(handle)
        if turn is not None:
            turn.paused = True
            _wire.run_suspend(handle)
            _turns.wake(handle)

    def resume(self) -> None:
        """From any thread: what ``suspend`` paused goes on."""
        handle = self._live()
        turn = _turns.drivers.get(handle)
        if turn is not None:
            turn.paused = False
            _turns.wake(handle)

    # The end.

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._handle == 0 and self._away is None

    def close(self) -> None:
        """End the sandbox: what runs is cancelled, the memory is free. Twice is fine; forks live on.

        A persistent one is saved first; it is closed even if that fails (PersistenceError, ConflictError).
        """
        home, self._home = self._home, None
        try:
            if home is not None:
                self._move_out(home)
        finally:
            away, self._away = self._away, None
            if away is not None:
                away.forget()
            self._discard()

    def _move_out(self, home: _persistence.Home) -> None:
        """Leave the store, in persistent mode with everything saved."""
        _persistence.autosave.drop(self)
        try:
            if home.mode == "persistent" and home.ours and (self._handle or self._away is not None):
                self._live()
                home.save(self._handle, if_changed=True)
        finally:
            home.leave()

    def _discard(self) -> None:
        handle, self._handle = self._handle, 0
        if handle:
            _native.discard(handle)
            if self._place is not None:
                self._place.child = None
            _turns.wake(handle, stop=True)

    def _revive(self) -> bool:
        """Begin anew, in another process, if the one that held the sandbox has died; whether it had."""
        if self._place is None or self._away is not None or not self._place.dead:
            return False
        handle, self._handle = self._handle, self._place.new()
        self._asked.clear()
        if self._tools:
            _wire.sandbox_set_tools(self._handle, tools=wire_tools(self._tools))
        if self._home is not None:
            self._place.keep(self._handle, self._home)
        _turns.wake(handle, stop=True)
        return True

    def destroy(self) -> None:
        """``close``, under codepod's name."""
        self.close()

    def kill(self) -> None:
        """``close``, under e2b's name."""
        self.close()

    def __enter__(self: S) -> S:
        self._live()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __del__(self, _discard: Callable[[int], None] = _native.discard) -> None:
        handle = getattr(self, "_handle", 0)  # without one where the constructor's arguments did not fit
        if handle:
            if self._home is not None:
                with contextlib.suppress(Exception):
                    self.close()  # nobody is there to be told what fails; whoever wants to know closes
            _discard(handle)

    def __copy__(self: S) -> S:
        return self.fork()

    def __deepcopy__(self: S, memo: Dict[int, Any]) -> S:
        return self.fork()

    def __reduce__(self) -> Tuple[Any, ...]:
        from ._pickling import reduced  # few programs pay for it

        return reduced(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {'closed' if self.closed else hex(self._handle)}>"

    def _live(self) -> int:
        """The handle; SandboxClosedError after close. Whatever it is asked for comes after the answer to a call."""
        if not self._handle:
            self._come_back()
        if self._asked:
            self._settle()
        return self._handle

    def _settle(self) -> None:
        """Give the answer that waits for the next step, or forget the call that has just been given out."""
        with contextlib.suppress(IndexError):  # another thread was faster
            asked = self._asked.pop()
            if type(asked) is tuple:
                _native.call(_wire._RUN_ANSWER, (self._handle, *asked))

    # What later versions have.

    @staticmethod
    def _not_yet(what: str) -> NotYetError:
        return NotYetError(f"{what} does not exist in this version of eryxsh yet")

    @property
    def mounts(self) -> Mounts:
        """What is mounted, by path."""
        return Mounts(self)

    def mount(self, path: str, source: Any) -> None:
        """Show the files of ``source`` below a directory, which is made if it is not there and hidden as long.

        ``source`` is a directory of the host (``Mount.host``); or a dict, path to content, or a VirtualFileSystem:
        read now, once, and the sandbox's own from then on. It is read-only unless the object is ``writable``.

        Raises NotADirectoryError, QuotaExceededError, ValueError (a path that is not below the mount).
        """
        _mounts.mount(self._live(), path, source)

    def unmount(self, path: str) -> None:
        """Take a mount away: what it hid is there again.

        Raises OSError: EBUSY while a file in it is open, a shell works in it or something is mounted in it; EINVAL for no mount.
        """
        _wire.sandbox_unmount(self._live(), path_text(path))


def place_of(isolation: Union[str, Isolation], limits: Optional[Limits], origin: Dict[str, Any]) -> Place:
    """Where an isolated sandbox is going to be."""
    from ._isolation import Place  # most programs have none

    return Place(isolation, limits, origin)


def _snapshot(which: Any) -> Optional[str]:
    """The id or name of a snapshot."""
    if which is None or isinstance(which, str):
        return which
    if isinstance(which, SnapshotInfo):
        return which.id
    raise TypeError(f"snapshot: an id, a name or a SnapshotInfo is needed, not {type(which).__name__}")


def _count(what: str, n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"{what}: a number of commands is an int, not {n!r}")
    if n < 1:
        raise ValueError(f"{what}: a number of commands from 1 is needed, not {n}")
    return n
