"""Pickles that say where a sandbox is.

A pickle of a sandbox has everything by value. While ``Store.references`` is entered it has
a place in the store instead: a namespace and a commit, and with a ``base`` what differs from
that commit. Such a sandbox comes into memory when it is used first.
"""

from __future__ import annotations

import contextlib
import contextvars
import pickle
import secrets
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, Optional, Tuple, Type, TypeVar

from ._errors import RunGoneError, SnapshotNotFoundError
from ._limits import Limits
from ._persistence import Absent

if TYPE_CHECKING:
    from ._isolation import Isolation
    from ._runs import Run
    from ._sandbox import Sandbox
    from ._store import Store
    from ._tools import Tool

S = TypeVar("S", bound="Sandbox")
Reduced = Tuple[Callable[..., Any], Tuple[Any, ...]]

_entered: contextvars.ContextVar[Optional[References]] = contextvars.ContextVar("eryxsh-references", default=None)


class References:
    """A store that pickles made and read meanwhile refer to; what it has loaded as a base stays loaded."""

    def __init__(self, store: Store, base: Optional[str] = None, tools: Optional[Dict[str, Tool]] = None) -> None:
        self.store = store
        self.base = base
        self.tools = tools or {}  # instead of those of a pickle, by name
        if base is not None:
            from ._store import split

            split(base)
        self._bases: Dict[str, Sandbox] = {}
        self._loading = threading.Lock()
        self._address = b""  # once it was asked for

    @contextlib.contextmanager
    def entered(self) -> Iterator[References]:
        """Pickle and unpickle with it, in this thread or task."""
        token = _entered.set(self)
        try:
            yield self
        finally:
            _entered.reset(token)

    def hold(self, ref: str, sandbox: Sandbox) -> None:
        """Take a sandbox for the state of a commit: whoever has it need not load it."""
        self._bases[ref] = sandbox

    def sandbox(self, ref: str, tools: Any = ()) -> Sandbox:
        """The state of a commit, loaded once and not to be changed."""
        with self._loading:
            if ref not in self._bases:
                self._bases[ref] = _load(self.store, ref, tools or self.tools)
            return self._bases[ref]

    def release(self) -> None:
        """Free what was loaded."""
        with self._loading:
            while self._bases:
                self._bases.popitem()[1].close()

    def reduced(self, sandbox: Sandbox) -> Elsewhere:
        """Where a sandbox is."""
        if isinstance(sandbox._away, Elsewhere) and sandbox._away.identity == self.store.identity:
            return sandbox._away  # it was not used since
        from ._store import split

        for ref in (self.base, self._home(sandbox)) if self.base is not None else ():
            with contextlib.suppress(SnapshotNotFoundError):  # it was not made from that, or saved as something else since
                if ref is not None:
                    return self._elsewhere(ref, sandbox.export_state(have=[split(ref)[1]]))
        self._address = self._address or address(self.store)  # before anything is saved
        namespace = f"pickle-{secrets.token_hex(12)}"
        return self._elsewhere(f"{namespace}@{self.store.save(sandbox, namespace)}")

    def _elsewhere(self, ref: str, pack: Optional[bytes] = None) -> Elsewhere:
        self._address = self._address or address(self.store)
        return Elsewhere(self.store.identity, self._address, ref, pack)

    def _home(self, sandbox: Sandbox) -> Optional[str]:
        """Where a sandbox was saved last that lives in this store."""
        from ._store import commit_of

        home = sandbox._home
        if home is None or home.ref is None or home.store.identity != self.store.identity:
            return None
        return f"{home.namespace}@{commit_of(home.ref)}"


class Elsewhere(Absent):
    """A sandbox that is a commit of a store, or what differs from it, until it is used: the commit belongs to whoever made it."""

    __slots__ = ("_references", "identity", "pack", "place", "ref")

    def __init__(self, identity: str, place: bytes, ref: str, pack: Optional[bytes] = None) -> None:
        super().__init__()
        self.identity = identity  # of the store
        self.place = place  # its address
        self.ref = ref
        self.pack = pack
        into = _entered.get()
        self._references = into if into is not None and into.store.identity == identity else None

    def __reduce__(self) -> Reduced:
        return Elsewhere, (self.identity, self.place, self.ref, self.pack)

    @property
    def _store(self) -> Store:
        return store_at(self.place) if self._references is None else self._references.store

    def _bring(self, sandbox: Sandbox) -> None:
        tools, how = tuple(sandbox._tools.values()), sandbox._isolation
        sandbox._take(_load(self._store, self.ref, tools, how) if self.pack is None else self._over_base(self.pack, tools, how))

    def _over_base(self, pack: bytes, tools: Any, isolation: Optional[Isolation]) -> Sandbox:
        from ._sandbox import Sandbox

        if self._references is not None:
            base = self._references.sandbox(self.ref, tools)
            return Sandbox.from_state(pack, base=base, tools=tools, limits=_trusted(), isolation=isolation)
        with _load(self._store, self.ref, tools) as base:
            return Sandbox.from_state(pack, base=base, tools=tools, limits=_trusted(), isolation=isolation)


_stores: Dict[bytes, Store] = {}  # one for each place that pickles told of, as long as the process lives
_opening = threading.Lock()


def address(store: Store) -> bytes:
    """Where a store is, for another process. TypeError for one that is of this process alone."""
    return pickle.dumps(store.backend)


def store_at(place: bytes) -> Store:
    """The store at an address, opened once in this process."""
    from ._store import Store

    with _opening:
        if place not in _stores:
            _stores[place] = Store(pickle.loads(place))
        return _stores[place]


def reduced(sandbox: Sandbox) -> Reduced:
    """A sandbox for a pickle: by value, or where it is."""
    tools = tuple(sandbox._tools.values())
    into = _entered.get()
    if into is None:
        return _by_value, (type(sandbox), sandbox.export_state(), sandbox._timeout_ns, tools, sandbox._isolation)
    return _elsewhere, (type(sandbox), into.reduced(sandbox), sandbox._timeout_ns, tools, sandbox._isolation)


def reduced_run(run: Run) -> Reduced:
    """A run for a pickle: its sandbox, and its result if it has ended."""
    return _run, (run._sandbox, run.id, run._result)


def _by_value(cls: Type[S], blob: bytes, timeout_ns: Optional[int], tools: Any, isolation: Optional[Isolation]) -> S:
    made = cls.from_state(blob, tools=tools, limits=_trusted(), isolation=isolation)
    made._timeout_ns = timeout_ns
    return made


def _elsewhere(cls: Type[S], where: Elsewhere, timeout_ns: Optional[int], tools: Any, isolation: Optional[Isolation]) -> S:
    from ._sandbox import place_of
    from ._tools import registry

    made = cls._bare(registry(tools), timeout_ns)
    made._place = None if isolation is None else place_of(isolation, _trusted(), {})
    made._away = where
    into = _entered.get()
    if into is not None:
        made._tools.update((name, tool) for name, tool in into.tools.items() if name in made._tools)
    return made


def _run(sandbox: Sandbox, run_id: str, result: Any) -> Run:
    from ._runs import Run

    if result is not None:
        run = Run(sandbox, run_id)
        run._result = result
        return run
    found = sandbox.runs.active()
    if found is None or found.id != run_id:
        raise RunGoneError(f"the run {run_id} was not active any more when it was pickled", path=run_id)
    return found


def _load(store: Store, ref: str, tools: Any, isolation: Optional[Isolation] = None) -> Sandbox:
    from ._store import split

    namespace, commit = split(ref)
    return store.load(namespace, commit=commit, tools=tools, limits=_trusted(), isolation=isolation)


def _trusted() -> Limits:
    """A pickle is trusted with much more than what its sandbox may use."""
    return Limits.unlimited(pipe=None)
