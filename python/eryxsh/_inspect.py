"""``eryxsh inspect``: what is in a store, or in a blob, for people."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Iterator, List, Optional

from . import _wire
from ._display import columns, pictured
from ._errors import EryxshError
from ._results import StateInfo, state_info
from ._store import Commit, Store, commit_of

_SQLITE = b"SQLite format 3\0"


def main(words: List[str]) -> int:
    """Print what there is: 0, 1 when something is wrong with it, 2 when there is nothing to read."""
    options = _parser().parse_args(words)
    try:
        blob = _blob(options.place)
        if blob is None:
            return _store(options.place, options.namespace, options.verify)
        if options.namespace is not None or options.verify:
            return _failed("a blob has no namespaces, and is verified when it is loaded")
        _write(_state(state_info(_wire.sandbox_inspect(blob))))
    except (EryxshError, OSError, ValueError) as error:
        return _failed(f"{options.place or 'the default store'}: {error}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eryxsh inspect",
        description="Say what is in a store: namespaces, branches, tags and sizes, or the commits of one namespace; "
        "or what a blob of export_state() or Run.dump() holds. Nothing is changed.",
    )
    parser.add_argument("place", metavar="PLACE", nargs="?", help="a directory, a URL or a file (default: the user's data directory)")
    parser.add_argument("namespace", metavar="NAMESPACE", nargs="?", help="list its commits, the newest first")
    parser.add_argument("--verify", action="store_true", help="read every byte and say what is wrong")
    return parser


def _blob(place: Optional[str]) -> Optional[bytes]:
    """The bytes of a blob, None for a store."""
    if place is None or "://" in place:
        return None
    if os.path.isdir(place):
        if not os.path.exists(os.path.join(place, "store")):  # to open it would make one
            raise ValueError("this folder holds no store")
        return None
    with open(place, "rb") as file:
        data = file.read(len(_SQLITE))
        if data == _SQLITE:
            raise ValueError(f"this is a database: its name as a store is sqlite:///{place}")
        return data + file.read()


def _store(place: Optional[str], namespace: Optional[str], verify: bool) -> int:
    with Store(place) as store:
        if next(iter(store.backend.list("store")), None) is None:
            return _failed(f"{store.backend!r} holds no store")
        _ = store.identity  # another version's is said to be that
        if namespace is None:
            _write(f"store {store.identity}: {store.inspect()}")
        else:
            _write("\n".join(_namespace(store, namespace)))
        faults = store.verify(namespace) if verify else []
    for fault in faults:
        _write(fault)
    if verify and not faults:
        _write("verified: every bit is where it should be")
    return 1 if faults else 0


def _namespace(store: Store, namespace: str) -> Iterator[str]:
    """A namespace's branches with their commits, and its tags."""
    branches = store.branches(namespace)
    if not branches:
        raise ValueError(f"there is no namespace {namespace!r}")
    for branch in branches:
        commits = store.log(namespace, branch=branch)
        yield f"{branch}: {len(commits)} commits"
        yield from (f"  {_commit(c)}" for c in commits)
    for tag in store.tags(namespace):
        yield f"tag {tag}: {commit_of(store._tagged(namespace, tag))[:12]}"


def _commit(c: Commit) -> str:
    said = " ".join((c.note or c.command).split())
    kind = "  running" if c.running else ""
    return f"{c.id[:12]}  {c.time:%Y-%m-%d %H:%M:%S}  {c.files} files, {c.bytes} bytes{kind}  {said[:60]}".rstrip()


def _state(info: StateInfo) -> str:
    rows = [
        ("kind", info.kind),
        ("version", str(info.version)),
        ("size", f"{info.size} bytes"),
        ("created", f"{info.created:%Y-%m-%d %H:%M:%S} UTC"),
        ("files", f"{info.files}, {info.bytes} bytes"),
        ("signed", "yes" if info.signed else "no"),
    ]
    lists = {"tools": info.tools, "features": info.features, "dropped": info.dropped, "needs": info.needs}
    return columns(rows + [(name, ", ".join(values)) for name, values in lists.items() if values])


def _write(text: str) -> None:
    """Print a text whatever the terminal can show; control characters of names and commands stay harmless."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(pictured(text).encode(encoding, "replace").decode(encoding) + "\n")


def _failed(text: str) -> int:
    sys.stderr.write(f"eryxsh inspect: {text}\n")
    return 2
