"""Persistence: a sandbox that has a home in a store.

``session``: it is saved and loaded when somebody says so. ``persistent``: it is loaded when it
is made and saved in the background, 1 s after the last change, 10 s at the latest, at
checkpoints and when it is closed.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Dict, Optional

from . import _native, _wire
from ._errors import ConflictError, PersistenceError, SandboxDiedError

if TYPE_CHECKING:
    from ._locks import Lock
    from ._sandbox import Sandbox
    from ._store import Store

MODES = ("ephemeral", "session", "persistent")

QUIET = 1.0  # seconds without a change after which a persistent sandbox is saved
LATEST = 10.0  # seconds after the first change
_LOOK = 0.2  # seconds between looks
_PATIENCE = 5.0  # seconds after which the background tries again what failed


def home(mode: Any, namespace: Any, store: Any) -> Optional[Home]:
    """Where a sandbox of these arguments lives, None for an ephemeral one.

    Raises ValueError for an unknown mode or a namespace that is none, PersistenceError for a
    store that nothing would be written to.
    """
    if mode not in MODES:
        raise ValueError(f"persistence is one of {', '.join(MODES)}, not {mode!r}")
    if mode != "ephemeral":
        return Home(mode, namespace, store)
    if store is not None or namespace != "default":
        raise PersistenceError(
            'an ephemeral sandbox keeps nothing, so store= and namespace= have no use: they go with persistence="session" or "persistent"'
        )
    return None


def off(what: str) -> PersistenceError:
    """The error of a method that needs another mode."""
    return PersistenceError(
        f'{what}: this sandbox is ephemeral and keeps nothing; Sandbox(persistence="session") turns saving on, '
        "and export_state() gives everything as bytes in any mode"
    )


class Home:
    """A namespace of a store in which one sandbox is kept, and what is known to stand there.

    Each save must follow the one that this sandbox was loaded or saved as, or that stood there
    when it was made: if somebody else wrote since, it is a ConflictError and theirs stays.
    """

    def __init__(self, mode: str, namespace: str, store: Any) -> None:
        from ._store import encoded, store_of

        encoded(namespace)
        self.mode = mode
        self.namespace = namespace
        self.store, self._own = store_of(store)  # its own is closed with the sandbox
        self._writing = threading.RLock()
        self._lock: Optional[Lock] = None
        self.ref = self.store._ref(namespace)
        self.seen = -1  # stamp of what was saved
        self.changed = 0.0  # when a stamp was seen that was not saved; 0: none
        self.last = 0.0  # when the stamp changed last
        self.stamp = -1
        self.lost = False  # somebody else writes here: the background has given up, and who saves or closes is told
        self.again = 0.0  # when the background tries again after a failure
        self._pid = os.getpid()

    def load(self, handle: int) -> bool:
        """Give a sandbox the state that stands there; False when there is none."""
        with self._writing:
            ref = self.store._ref(self.namespace)
            if ref is None:
                self.ref = None
                return False
            self.store.read(ref, sandbox=handle)
            self.ref = ref
            self.settled(handle)
            return True

    def save(self, handle: int, *, note: str = "", if_changed: bool = False) -> None:
        """Save a sandbox now."""
        with self._writing:
            if self.mode == "persistent":
                self._hold()
            stamp = _wire.store_stamp(handle)
            self.ref = self.store.write(handle, self.namespace, note=note, expect=self.ref, if_changed=if_changed)
            self.lost, self.again = False, 0.0
            self.settled(handle, stamp)

    def checkpoint(self, handle: int) -> None:
        """A script has reached a checkpoint."""
        if self.mode == "persistent":
            self.save(handle)

    def settled(self, handle: int, stamp: Optional[int] = None) -> None:
        """What there is now is saved."""
        self.seen = self.stamp = _wire.store_stamp(handle) if stamp is None else stamp + 1  # that of the save itself
        self.changed = 0.0

    def _hold(self) -> None:
        """Hold the namespace's lock."""
        from ._locks import Lock
        from ._store import MAIN, encoded

        if self._lock is None:
            self._lock = Lock(self.store.backend, f"locks/{encoded(self.namespace)}/{MAIN}", f"namespace {self.namespace!r}")
        elif time.monotonic() >= self._lock.due:
            self._lock.renew()

    def keep(self) -> None:
        """Renew the lock if it is due."""
        if self._lock is not None and time.monotonic() >= self._lock.due and self._writing.acquire(blocking=False):
            try:
                self._lock.renew()
            finally:
                self._writing.release()

    def clear(self) -> None:
        """Forget what stands there."""
        with self._writing:
            self.store.delete(self.namespace)
            self.ref = None
            self.seen = -1

    @property
    def ours(self) -> bool:
        """Whether the sandbox is of this process, and not of the one it was forked from."""
        return os.getpid() == self._pid

    def leave(self) -> None:
        """Give everything back."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        if self._own:
            self.store.close()

    def due(self, handle: int, now: float) -> bool:
        """Whether the sandbox is to be saved now: it changed and is quiet, or it changed long ago."""
        stamp = _wire.store_stamp(handle)
        if stamp == self.seen:
            return False
        if stamp != self.stamp:
            self.stamp, self.last = stamp, now
        if not self.changed:
            self.changed = now
        return now - self.last >= QUIET or now - self.changed >= LATEST


class Absent:
    """Where a sandbox is while it takes no memory."""

    __slots__ = ("_coming",)

    def __init__(self) -> None:
        self._coming = threading.Lock()

    def back(self, sandbox: Sandbox) -> None:
        """Bring it back, if no other thread has done it meanwhile."""
        with self._coming:
            if sandbox._away is self:
                self._bring(sandbox)

    def _bring(self, sandbox: Sandbox) -> None:
        raise NotImplementedError

    def forget(self) -> None:
        """It is not needed any more."""


class Away(Absent):
    """A sandbox that is in a store and nowhere else for now."""

    __slots__ = ("_limits", "_namespace", "_own", "_store")

    def __init__(self, store: Store, own: bool, limits: Dict[str, int]) -> None:
        super().__init__()
        self._store = store
        self._own = own  # closed with this
        self._limits = limits
        self._namespace = f"offload-{os.urandom(12).hex()}"

    @classmethod
    def leave(cls, sandbox: Sandbox, place: Any) -> Away:
        """Write a sandbox to its store, or to another one."""
        from ._store import store_of

        if place is not None:
            store, own = store_of(place)
        elif sandbox._home is not None:
            store, own = sandbox._home.store, False
        else:
            raise PersistenceError("offload: this sandbox is ephemeral: give it a store to go to, offload(store=…)")
        made = cls(store, own, dict(_wire.sandbox_info(sandbox._handle)["limits"]))
        try:
            store.write(sandbox._handle, made._namespace)
        except BaseException:
            made._end()
            raise
        return made

    def _bring(self, sandbox: Sandbox) -> None:
        from ._tools import wire_tools

        ref = self._store._need(self._namespace, "main")
        tools = wire_tools(sandbox._tools) if sandbox._tools else None
        process = None if sandbox._place is None else sandbox._place.enter()
        sandbox._handle = self._store.read(ref, limits=self._limits, tools=tools, process=process)
        sandbox._away = None
        self.forget()

    def forget(self) -> None:
        """It is not needed any more."""
        with contextlib.suppress(Exception):  # the bytes stay until somebody sees to them
            self._store.delete(self._namespace)
        self._end()

    def _end(self) -> None:
        if self._own:
            self._store.close()


def _complain(home: Home, error: Exception) -> None:
    import logging  # for few

    logging.getLogger("eryxsh").error("namespace %r is not saved: %s", home.namespace, error)


class Autosave:
    """The one background thread of a process that saves persistent sandboxes."""

    def __init__(self) -> None:
        self._sandboxes: Dict[int, weakref.ref[Sandbox]] = {}
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None

    def add(self, sandbox: Sandbox) -> None:
        """Save a sandbox from now on."""
        with self._lock:
            self._sandboxes[id(sandbox)] = weakref.ref(sandbox)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="eryxsh-autosave", daemon=True)
                self._thread.start()

    def drop(self, sandbox: Sandbox) -> None:
        """Do not save it any more."""
        with self._lock:
            self._sandboxes.pop(id(sandbox), None)

    def _run(self) -> None:
        while True:
            time.sleep(_LOOK)
            with self._lock:
                for key in [key for key, found in self._sandboxes.items() if found() is None]:
                    del self._sandboxes[key]
                if not self._sandboxes:
                    self._thread = None
                    return
                sandboxes = list(self._sandboxes.values())
            for found in sandboxes:
                sandbox = found()
                if sandbox is not None:
                    self._look(sandbox)
                del sandbox

    def _look(self, sandbox: Sandbox) -> None:
        home, handle = sandbox._home, sandbox._handle
        now = time.monotonic()
        if home is None or not handle or home.lost or now < home.again:
            return
        try:
            home.keep()
            if home.due(handle, now):
                home.save(handle, if_changed=True)
        except Exception as error:
            if not sandbox._handle:
                return  # it was closed meanwhile, and saved by that
            home.lost = isinstance(error, (ConflictError, SandboxDiedError))
            home.again = now + _PATIENCE
            _complain(home, error)

    def flush(self) -> None:
        """Save everything now: the process ends."""
        for found in list(self._sandboxes.values()):
            sandbox = found()
            home = None if sandbox is None else sandbox._home
            if sandbox is not None and home is not None and sandbox._handle:
                try:
                    home.save(sandbox._handle, if_changed=True)
                except Exception as error:
                    _complain(home, error)
                home.leave()
                sandbox._home = None

    def forked(self) -> None:
        """In a child made by fork: the sandboxes are its parent's."""
        self.__init__()  # type: ignore[misc]


autosave = Autosave()
_native.before_exit(autosave.flush)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=autosave.forked)
