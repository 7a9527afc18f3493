"""Store: sandboxes that last, in any place for bytes.

The core makes the bytes and reads them (``state/FORMAT.md``, "The store"); here they
are moved. What stands where:

* ``store``: the store's identity, made once;
* ``packs/xx/<id>``: objects, never changed;
* ``refs/<namespace>/<branch>``, ``tags/<namespace>/<tag>``: a commit and the packs that have it;
* ``hooks/xx/<id>``: a pack that has a content, so that another namespace need not save it again;
* ``locks/<namespace>/<branch>``: who keeps writing;
* ``doomed/<id>``: a pack that nobody needed when it was looked for, and goes after the grace period.

A save writes packs, then the ref if it is still what it was when the save began: a
process that dies leaves packs that nobody needs, never half a state.
"""

from __future__ import annotations

import contextlib
import datetime
import secrets
import time
from typing import TYPE_CHECKING, Any, Container, Dict, Iterator, List, Optional, Sequence, Set, Tuple, Union
from urllib.parse import unquote

from . import _wire, backends
from ._errors import ConflictError, PersistenceError, StateError, StateTooNewError
from ._results import when

if TYPE_CHECKING:
    from ._sandbox import Sandbox

MAIN = "main"
GRACE = 3600.0  # seconds
_FORMAT = b"eryxsh store 1\n"
_NAME_LIMIT = 120  # bytes of a namespace, branch or tag
_INDEX = 64 << 10  # bytes from the end of a pack, where its index is as a rule
_TRIES = 5  # of a save whose packs went away meanwhile
_CANDIDATES = 8  # packs of others that a save looks at
_MANY = 1000  # values that are asked for at once
_ANY = object()


class Commit:
    """A saved state in the history of a namespace.

    ``id`` (64 hexadecimal digits), ``parents`` (their ids, the one it was made from first),
    ``time`` (aware, when it was saved), ``command`` (the last one before), ``note``,
    ``files`` and ``bytes`` (how many there are), ``running`` (a script is suspended in it).
    """

    __slots__ = ("bytes", "command", "files", "id", "note", "parents", "running", "time")

    def __init__(self, info: Any) -> None:
        self.id: str = info["id"].hex()
        self.parents: Tuple[str, ...] = tuple(p.hex() for p in info["parents"])
        self.time: datetime.datetime = when(info["time"])
        self.command: str = info["command"]
        self.note: str = info["note"]
        self.files: int = info["files"]
        self.bytes: int = info["bytes"]
        self.running: bool = info["kind"] == "run"

    def __repr__(self) -> str:
        said = self.note or self.command
        shown = said if len(said) <= 60 else said[:57] + "..."
        return f"<Commit {self.id[:12]} {self.time:%Y-%m-%d %H:%M:%S} {shown!r}>"


class Collected:
    """What ``Store.gc`` did: ``packs`` and ``bytes`` deleted, ``doomed`` packs that go next time, ``kept`` packs, ``commits`` forgotten."""

    __slots__ = ("bytes", "commits", "doomed", "kept", "packs")

    def __init__(self, packs: int, size: int, doomed: int, kept: int, commits: int = 0) -> None:
        self.packs, self.bytes, self.doomed, self.kept, self.commits = packs, size, doomed, kept, commits

    def __repr__(self) -> str:
        return f"<Collected packs={self.packs} bytes={self.bytes} doomed={self.doomed} kept={self.kept} commits={self.commits}>"


class StoreInfo:
    """What ``Store.inspect`` found: ``namespaces`` (name → {branch: commit id}), ``tags``, ``packs``, ``bytes``."""

    __slots__ = ("bytes", "namespaces", "packs", "tags")

    def __init__(self, namespaces: Dict[str, Dict[str, str]], tags: Dict[str, Dict[str, str]], packs: int, size: int) -> None:
        self.namespaces, self.tags, self.packs, self.bytes = namespaces, tags, packs, size

    def __repr__(self) -> str:
        return f"<StoreInfo namespaces={len(self.namespaces)} packs={self.packs} bytes={self.bytes}>"

    def __str__(self) -> str:
        lines = [f"{len(self.namespaces)} namespaces, {self.packs} packs, {self.bytes} bytes"]
        for name in sorted(self.namespaces):
            refs = [f"{branch} {commit[:12]}" for branch, commit in sorted(self.namespaces[name].items())]
            refs += [f"tag {tag} {commit[:12]}" for tag, commit in sorted(self.tags.get(name, {}).items())]
            lines.append(f"  {name}: {', '.join(refs)}")
        return "\n".join(lines)


class Store:
    """Where sandboxes are kept: namespaces of commits, in any place for bytes.

    ``place`` is whatever ``eryxsh.backends.open`` takes: None (the user's data directory),
    a path, ``sqlite:///file.db``, ``postgresql://…``, ``redis://…``, an fsspec URL, a dict,
    or an object with the ``Backend`` protocol. Any number of processes may use one store at
    the same time, and any number of threads one Store.

    >>> from eryxsh import Sandbox, Store
    >>> store = Store({})
    >>> with Sandbox() as sb:
    ...     _ = sb.commands.run("echo hi > f")
    ...     first = store.save(sb, "work")
    ...     _ = sb.commands.run("rm f")
    ...     second = store.save(sb, "work")
    >>> [c.command for c in store.log("work")]
    ['rm f', 'echo hi > f']
    >>> store.load("work", commit=first).commands.run("cat f").stdout
    'hi\\n'
    """

    def __init__(self, place: Any = None, **options: Any) -> None:
        self.backend = backends.open(place, **options)
        self._identity: Optional[str] = None

    # Saving and loading.

    def save(self, sandbox: Sandbox, namespace: str = "default", *, branch: str = MAIN, note: str = "") -> str:
        """Save a sandbox, a suspended run included, as the next commit of a namespace; gives its id.

        The cost follows what changed since it was last saved or loaded here. The commit before is
        its parent. Raises ConflictError when somebody else saves at the same time, BackendError when
        the place fails: what was there before is still there.
        """
        ref = self.write(sandbox._live(), namespace, branch, note=note)
        return commit_of(ref)

    def load(
        self, namespace: str = "default", *, branch: str = MAIN, commit: Optional[str] = None, tag: Optional[str] = None, **options: Any
    ) -> Sandbox:
        """A new sandbox with the state of a namespace: its last commit, another one by id, or a tag.

        ``options`` are ``tools``, ``limits``, ``timeout`` and ``isolation``, as of ``Sandbox.from_state``. Raises
        KeyError when there is no such namespace, StateError when it cannot be read.
        """
        return self._open(self._need(namespace, branch) if tag is None else self._tagged(namespace, tag), commit, **options)

    checkout = load

    def log(self, namespace: str = "default", *, branch: str = MAIN, limit: Optional[int] = None) -> List[Commit]:
        """The commits of a namespace, the newest first, each made from the one after it."""
        ref = self._ref(namespace, branch)
        return [] if ref is None else self._commits(ref, limit)

    # Names.

    def namespaces(self) -> List[str]:
        """The namespaces that have something, in order."""
        return sorted({_decoded(key.split("/")[1]) for key in self.backend.list("refs/")})

    def branches(self, namespace: str = "default") -> List[str]:
        """The branches of a namespace, in order."""
        return self._names("refs", namespace)

    def tags(self, namespace: str = "default") -> List[str]:
        """The tags of a namespace, in order."""
        return self._names("tags", namespace)

    def _names(self, kind: str, namespace: str) -> List[str]:
        return sorted(_decoded(key.split("/")[2]) for key in self.backend.list(f"{kind}/{encoded(namespace)}/"))

    def branch(self, namespace: str, name: str, *, at: Optional[str] = None, of: str = MAIN) -> None:
        """Begin a branch at a commit, by default the last of another branch. Raises ConflictError when there is one of that name."""
        self._name(ref_key(namespace, name), self._need(namespace, of), at, "branch", name)

    def tag(self, namespace: str, name: str, *, at: Optional[str] = None, of: str = MAIN) -> None:
        """Give a commit a name that stays with it. Raises ConflictError when it is taken."""
        self._name(_tag_key(namespace, name), self._need(namespace, of), at, "tag", name)

    def _name(self, key: str, ref: bytes, at: Optional[str], what: str, name: str) -> None:
        if at is not None and all(c.id != at for c in self._commits(ref)):
            raise KeyError(f"no commit {at!r}")
        new = _wire.store_point(ref, commit=None if at is None else bytes.fromhex(at), time=time.time_ns())
        if not self.backend.cas(key, None, new):
            raise ConflictError(f"there is a {what} {name!r} already")

    def delete(self, namespace: str = "default", *, branch: Optional[str] = None, tag: Optional[str] = None) -> bool:
        """Forget a namespace, or one branch or tag of it; says whether there was one. The bytes go with ``gc``."""
        if tag is not None:
            keys = [_tag_key(namespace, tag)]
        elif branch is not None:
            keys = [ref_key(namespace, branch)]
        else:
            keys = list(self.backend.list(f"refs/{encoded(namespace)}/")) + list(self.backend.list(f"tags/{encoded(namespace)}/"))
        there = [key for key in keys if self._get(key) is not None]
        self.backend.delete_many(there)
        return bool(there)

    # Care.

    def gc(self, *, grace: float = GRACE, keep: Union[int, datetime.timedelta, None] = None) -> Collected:
        """Delete packs that nothing leads to, while others may write.

        A pack that nothing leads to, and that is older than ``grace`` seconds, is doomed; one that
        was doomed ``grace`` seconds ago, and still nothing leads to, is deleted. So it takes two
        calls, except with ``grace=0``, which is for a store that nobody writes to.

        ``keep`` forgets the beginning of each branch's and tag's history first: all but its last so
        many commits, or those older than a timedelta. The last one always stays, with its id.
        """
        if grace < 0:
            raise ValueError(f"gc: a grace of {grace} seconds")
        commits = self._forget(keep)
        doomed = {key.rpartition("/")[2] for key in self.backend.list("doomed/")}
        live = self._live_packs()
        gone: Dict[str, int] = {}
        marked = kept = 0
        for key in list(self.backend.list("packs/")):
            pack = key.rpartition("/")[2]
            if pack in live:
                kept += 1
                continue
            try:
                size, age = self.backend.stat(key)
                if pack in doomed:
                    _, age = self.backend.stat(f"doomed/{pack}")
            except KeyError:
                continue  # somebody else was faster
            if age < grace:
                marked += pack in doomed
            elif pack in doomed or grace == 0:
                gone[pack] = size
            else:
                self.backend.put(f"doomed/{pack}", b"")
                marked += 1
        late = self._live_packs() if gone else set()  # whoever needs one since
        freed = {pack: size for pack, size in gone.items() if pack not in late}
        self.backend.delete_many([_pack_key(pack) for pack in freed])
        self.backend.delete_many([f"doomed/{pack}" for pack in doomed if pack in live or pack in late or pack in gone])
        self._unhook(freed)
        return Collected(len(freed), sum(freed.values()), marked, kept + len(gone) - len(freed), commits)

    def _forget(self, keep: Union[int, datetime.timedelta, None]) -> int:
        """Forget the beginning of every history; how many commits are forgotten."""
        most = since = 0
        if keep is None:
            return 0
        if isinstance(keep, datetime.timedelta):
            since = max(time.time_ns() - int(keep.total_seconds() * 1e9), 1)
        elif isinstance(keep, bool) or not isinstance(keep, int):
            raise TypeError(f"gc: keep is a number of commits or a timedelta, not {type(keep).__name__}")
        elif keep < 1:
            raise ValueError(f"gc: keep is at least 1 commit, not {keep}")
        else:
            most = keep
        return sum(self._shorten(key, ref, most, since) for kind in ("refs/", "tags/") for key, ref in self._values(kind))

    def _shorten(self, key: str, ref: Optional[bytes], most: int, since: int) -> int:
        """Forget the beginning of one history."""
        for _ in range(_TRIES):
            if ref is None:
                return 0
            read = _wire.store_read(ref, "trim", most=most, since=since)
            try:
                self._fetch(read)
                trimmed = _wire.store_trimmed(read)
            finally:
                _wire.store_forget(read)
            if not trimmed["gone"]:
                return 0
            self.backend.put_many({_pack_key(p["id"].hex()): p["data"] for p in trimmed["packs"]})
            if self.backend.cas(key, ref, trimmed["ref"]):
                return trimmed["gone"]
            ref = self._get(key)  # somebody has saved meanwhile
        return 0  # it is for the next time

    def verify(self, namespace: Optional[str] = None) -> List[str]:
        """Read everything, of one namespace or of all, and say what is wrong: nothing, it is to be hoped."""
        faults: List[str] = []
        prefixes = ("refs/", "tags/") if namespace is None else tuple(f"{kind}/{encoded(namespace)}/" for kind in ("refs", "tags"))
        seen: Set[bytes] = set()
        for key in (key for prefix in prefixes for key in sorted(self.backend.list(prefix))):
            ref = self._get(key)
            if ref is None or ref in seen:
                continue
            seen.add(ref)
            try:
                read = _wire.store_read(ref, "check")
            except StateError as error:
                faults.append(f"{key}: {error}")
                continue
            try:
                faults += [f"{key}: {fault}" for fault in self._check(read)]
            finally:
                _wire.store_forget(read)
        return faults

    def _check(self, read: int) -> Iterator[str]:
        for missing in _wire.store_need(read):
            try:
                data = self.backend.get(_pack_key(missing["pack"].hex()))
            except KeyError:
                yield f"pack {missing['pack'].hex()} is missing"
                continue
            _wire.store_give(read, missing["pack"], missing["start"], data)
        _wire.store_need(read)
        yield from _wire.store_checked(read)["faults"]

    def inspect(self) -> StoreInfo:
        """What there is, for people. The names are read, not the states."""
        found: Dict[str, Dict[str, Dict[str, str]]] = {"refs": {}, "tags": {}}
        for kind, names in found.items():
            for key, ref in self._values(f"{kind}/"):
                _, space, name = key.split("/")
                names.setdefault(_decoded(space), {})[_decoded(name)] = commit_of(ref)
        packs = size = 0
        for key in self.backend.list("packs/"):
            packs += 1
            size += self.backend.stat(key)[0]
        return StoreInfo(found["refs"], found["tags"], packs, size)

    def references(self, base: Optional[str] = None) -> contextlib.AbstractContextManager[object]:
        """While it is entered, pickles say where a sandbox is, and not what it is.

        A sandbox (or its run) that is pickled meanwhile, by whatever uses pickle, is saved here under a
        namespace of its own, ``pickle-…``, and the pickle has namespace and commit: some hundred bytes. With
        ``base``, NAMESPACE@COMMIT of a state in this store, the pickle of a sandbox that was made from it,
        and not saved since, has what differs from that state, and nothing is saved.

        What is unpickled comes into memory when it is used first; what is unpickled while it is entered
        loads a base once. The store must be one that the other process reaches, too. Its address is in the
        pickle, a password in it as well.

        >>> import pickle, tempfile
        >>> from eryxsh import Sandbox, Store
        >>> store = Store(tempfile.mkdtemp() + "/store")
        >>> sb = Sandbox(files={"/data": "x" * 100_000})
        >>> with store.references():
        ...     reference = pickle.dumps(sb)
        >>> len(pickle.dumps(sb)) > 100_000, len(reference) < 1000
        (True, True)
        >>> pickle.loads(reference).commands.run("wc -c < /data").stdout
        '100000\\n'
        """
        from ._pickling import References

        return References(self, base).entered()

    def __reduce__(self) -> Tuple[Any, ...]:
        return Store, (self.backend,)

    def close(self) -> None:
        """Give back connections and files. Twice is fine."""
        self.backend.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.backend!r}>"

    # How it is done.

    @property
    def identity(self) -> str:
        """The store's own name, wherever its bytes are moved; made with the first save."""
        if self._identity is None:
            while True:
                text = self._get("store")
                if text is None:
                    text = _FORMAT + secrets.token_hex(16).encode() + b"\n"
                    if not self.backend.cas("store", None, text):
                        continue
                if not text.startswith(b"eryxsh store "):
                    raise StateError(f"{self.backend!r} holds something else than a store")
                if not text.startswith(_FORMAT):
                    raise StateTooNewError(f"{self.backend!r} was written by a newer version: {text[:40]!r}")
                self._identity = text[len(_FORMAT) :].strip().decode("ascii", "replace")
                break
        return self._identity

    def write(
        self, handle: int, namespace: str, branch: str = MAIN, *, note: str = "", expect: Any = _ANY, if_changed: bool = False
    ) -> bytes:
        """Save a sandbox by its handle; gives the ref that stands for it now.

        ``expect``: the ref that must stand there, None for none; without it, whatever stands there.
        ``if_changed``: write nothing if the state is the one that is there.
        """
        key = ref_key(namespace, branch)
        whole = False
        for _ in range(_TRIES):
            current = self._get(key)
            if expect is not _ANY and not same_commit(current, expect):
                raise ConflictError(_CONFLICT.format(namespace=namespace), path=namespace)
            begun = _wire.store_save(handle, self.identity, whole=whole, if_changed=if_changed and current is not None)
            if not begun["save"]:
                if current is not None and begun["base"] == bytes.fromhex(commit_of(current)):
                    return current
                begun = _wire.store_save(handle, self.identity)  # the same state, but not here
            done = None
            try:
                done = self._put(begun, key, current, note)
                if done is not None:
                    return done
            finally:
                _wire.store_saved(begun["save"], ref=done)
            now = self._get(key)
            if not same_commit(now, current):
                raise ConflictError(_CONFLICT.format(namespace=namespace), path=namespace)
            whole = now == current  # packs went away; else gc() has shortened the history meanwhile
        raise PersistenceError(f"the packs that {namespace!r} needs go away while it is saved: the grace period of gc() is too short")

    def _put(self, begun: Any, key: str, current: Optional[bytes], note: str) -> Optional[bytes]:
        """Write what a save has to write; None when somebody else wrote, or packs went away."""
        save = begun["save"]
        self._find_known(save, begun["hooks"])
        parents = [bytes.fromhex(commit_of(current))] if current is not None else []
        sealed = _wire.store_seal(
            save, parents=parents, time=time.time_ns(), command=begun["command"], note=note, onto=[current] if current is not None else None
        )
        began = time.monotonic()
        fresh = {p["id"]: _wire.store_pack(save, p["id"]) for p in sealed["packs"] if p["new"]}
        ref = self._merge(sealed, fresh, save)
        self.backend.put_many({_pack_key(pack.hex()): data for pack, data in fresh.items()})
        had = {p["id"] for p in _wire.store_ref(current)["packs"]} if current is not None else set()
        others = [p["id"].hex() for p in _wire.store_ref(ref)["packs"] if p["id"] not in fresh and p["id"] not in had]
        if not self._there(others) or time.monotonic() - began > GRACE / 2:
            return None
        if not self.backend.cas(key, current, ref):
            return None
        if not self._there(others):
            raise PersistenceError("packs of another namespace were deleted while they came into use: gc() with too short a grace period")
        self._hook(begun["hooks"], fresh)
        return ref

    def _find_known(self, save: int, hooks: Sequence[bytes]) -> None:
        """Look for packs that have what is to be saved."""
        if not hooks:
            return
        found = self.backend.get_many([_hook_key(id) for id in hooks])
        votes: Dict[str, int] = {}
        for value in found.values():
            name = value.decode("ascii", "replace")
            votes[name] = votes.get(name, 0) + 1
        for pack in sorted(votes, key=lambda p: -votes[p])[:_CANDIDATES]:
            try:
                size, _ = self.backend.stat(_pack_key(pack))
                index = self._tail(pack, size)
            except (KeyError, ValueError):
                continue  # it is gone
            if self._there([pack]):
                _wire.store_known(save, bytes.fromhex(pack), size, index)

    def _tail(self, pack: str, size: int) -> bytes:
        """The end of a pack with its whole index."""
        tail = self.backend.get_range(_pack_key(pack), max(0, size - _INDEX), min(size, _INDEX))
        need = 4 + int.from_bytes(tail[-4:], "big")
        if need > len(tail):
            tail = self.backend.get_range(_pack_key(pack), max(0, size - need), need)
        return tail

    def _merge(self, sealed: Any, fresh: Dict[bytes, bytes], save: int) -> bytes:
        """Make one pack of many small ones, and give the ref that has it."""
        ref: bytes = sealed["ref"]
        if not sealed["merge"]:
            return ref
        parts: List[bytes] = []
        for pack in sealed["merge"]:
            try:
                parts.append(fresh[pack] if pack in fresh else self.backend.get(_pack_key(pack.hex())))
            except KeyError:
                return ref  # it is for the check of a save to say that
        merged = _wire.store_merge(ref, parts, process=save)
        for pack in sealed["merge"]:
            fresh.pop(pack, None)
        fresh[merged["pack"]] = merged["data"]
        return bytes(merged["ref"])

    def _holding(self, needs: Sequence[str]) -> Sandbox:
        """A sandbox with the state of a commit, wherever in the store it is."""
        if not needs:
            raise StateError("this is no thin pack that a store could complete: it names no commit")
        for ref in self._refs():
            if any(c.id == needs[0] for c in self._commits(ref)):
                return self._open(ref, needs[0])
        raise StateError(f"no namespace of the store has commit {needs[0]}")

    def _open(self, ref: bytes, commit: Optional[str], **options: Any) -> Sandbox:
        from ._sandbox import Sandbox

        return Sandbox._out_of(lambda _, **given: self.read(ref, commit=commit, **given), b"", **options)[0]

    def _refs(self) -> Iterator[bytes]:
        """What refs and tags are now."""
        for kind in ("refs/", "tags/"):
            for _, ref in self._values(kind):
                yield ref

    def _values(self, prefix: str) -> Iterator[Tuple[str, bytes]]:
        """Keys and their values, many at a time."""
        keys = list(self.backend.list(prefix))
        for i in range(0, len(keys), _MANY):
            yield from self.backend.get_many(keys[i : i + _MANY]).items()

    def _there(self, packs: Sequence[str]) -> bool:
        """Whether packs are in the store and not doomed."""
        if not packs:
            return True
        if self.backend.get_many([f"doomed/{pack}" for pack in packs]):
            return False
        try:
            for pack in packs:
                self.backend.stat(_pack_key(pack))
        except KeyError:
            return False
        return True

    def _hook(self, hooks: Sequence[bytes], fresh: Dict[bytes, bytes]) -> None:
        """Make a pack known for its content, best effort."""
        large = [pack for pack, data in fresh.items() if len(data) > _INDEX]
        if hooks and large:
            self.backend.put_many({_hook_key(id): large[i * len(large) // len(hooks)].hex().encode() for i, id in enumerate(hooks)})

    def _unhook(self, packs: Container[str]) -> None:
        if packs:
            self.backend.delete_many([key for key, pack in self._values("hooks/") if pack.decode("ascii", "replace") in packs])

    def read(
        self,
        ref: bytes,
        *,
        commit: Optional[str] = None,
        sandbox: Optional[int] = None,
        tools: Any = None,
        limits: Any = None,
        process: Optional[int] = None,
        **_: Any,
    ) -> int:
        """Load what a ref stands for: into a sandbox, or as a new one; gives the handle."""
        read = _wire.store_read(
            ref,
            "state",
            store=self.identity,
            commit=None if commit is None else bytes.fromhex(commit),
            limits=limits,
            sandbox=sandbox,
            process=process if sandbox is None else sandbox,
        )
        try:
            self._fetch(read)
            return _wire.store_open(read, sandbox=sandbox, limits=limits, tools=tools)
        finally:
            _wire.store_forget(read)

    def _fetch(self, read: int) -> None:
        """Give a reading the bytes it wants until it wants none."""
        while True:
            wanted = _wire.store_need(read)
            if not wanted:
                return
            for want in wanted:
                key = _pack_key(want["pack"].hex())
                try:
                    data = self.backend.get_range(key, want["start"], want["size"])
                except KeyError:
                    raise StateError(f"pack {want['pack'].hex()} is missing from the store", path=key) from None
                _wire.store_give(read, want["pack"], want["start"], data)

    def _live_packs(self) -> Set[str]:
        """The packs that refs and tags lead to."""
        return {p["id"].hex() for ref in self._refs() for p in _wire.store_ref(ref)["packs"]}

    def _commits(self, ref: bytes, limit: Optional[int] = None) -> List[Commit]:
        read = _wire.store_read(ref, "log", most=limit)
        try:
            self._fetch(read)
            return [Commit(info) for info in _wire.store_log(read)]
        finally:
            _wire.store_forget(read)

    def _get(self, key: str) -> Optional[bytes]:
        try:
            return bytes(self.backend.get(key))
        except KeyError:
            return None

    def _ref(self, namespace: str, branch: str = MAIN) -> Optional[bytes]:
        return self._get(ref_key(namespace, branch))

    def _need(self, namespace: str, branch: str) -> bytes:
        ref = self._ref(namespace, branch)
        if ref is None:
            raise KeyError(f"{namespace!r} has no state" + (f" on branch {branch!r}" if branch != MAIN else ""))
        return ref

    def _tagged(self, namespace: str, tag: str) -> bytes:
        ref = self._get(_tag_key(namespace, tag))
        if ref is None:
            raise KeyError(f"{namespace!r} has no tag {tag!r}")
        return ref


_CONFLICT = (
    "namespace {namespace!r}: somebody else has saved since this sandbox was loaded or saved; nothing was written. "
    "load_state() takes over theirs, and another namespace or branch keeps both"
)


@contextlib.contextmanager
def opened(place: Any) -> Iterator[Store]:
    """A Store of anything that makes one; closed again if it was made here."""
    store, own = store_of(place)
    try:
        yield store
    finally:
        if own:
            store.close()


def store_of(place: Any) -> Tuple[Store, bool]:
    """A Store of anything that makes one, and whether it was made here, for the caller to close."""
    return (place, False) if isinstance(place, Store) else (Store(place), True)


def commit_of(ref: bytes) -> str:
    """The id of the commit a ref leads to."""
    return _wire.store_ref(ref)["commit"].hex()


def split(ref: str) -> Tuple[str, str]:
    """Namespace and commit of the text that stands for a state in a store."""
    namespace, at, commit = ref.rpartition("@")
    if not at or not namespace:
        raise ValueError(f"{ref[:80]!r} is not NAMESPACE@COMMIT, which dump(store=…) gives for a run")
    return namespace, commit


def same_commit(a: Optional[bytes], b: Optional[bytes]) -> bool:
    """Whether two refs lead to the same commit: a merge of packs changes the ref alone."""
    return a == b or a is not None and b is not None and commit_of(a) == commit_of(b)


def encoded(name: Union[str, Any]) -> str:
    """A name as a part of a key: exact, whatever it holds. Raises ValueError for an empty or too long one."""
    if not isinstance(name, str):
        raise TypeError(f"a name is a str, not {type(name).__name__}")
    raw = name.encode("utf-8", "surrogateescape")
    if not raw or len(raw) > _NAME_LIMIT:
        raise ValueError(f"a namespace, branch or tag has 1 to {_NAME_LIMIT} bytes, not {len(raw)}: {name[:80]!r}")
    return "".join(chr(b) if chr(b) in _PLAIN else f"%{b:02x}" for b in raw)


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def _decoded(part: str) -> str:
    return unquote(part, errors="surrogateescape")


def ref_key(namespace: str, branch: str = MAIN) -> str:
    """Where the ref of a branch stands."""
    return f"refs/{encoded(namespace)}/{encoded(branch)}"


def _tag_key(namespace: str, tag: str) -> str:
    return f"tags/{encoded(namespace)}/{encoded(tag)}"


def _pack_key(pack: str) -> str:
    return f"packs/{pack[:2]}/{pack}"


def _hook_key(id: bytes) -> str:
    text = id[:8].hex()
    return f"hooks/{text[:2]}/{text}"
