"""What saving, loading and sharing cost: python tests/bench/bench_store.py [--large | --scale | --beside | --autosave]

Figures of one run on one machine; ratios to tar, to a copy and to SHA-256 are what counts.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import io
import os
import statistics
import tarfile
import tempfile
import time
from typing import Any, Callable, Dict, List

from eryxsh import Limits, Sandbox, Store, _persistence, _wire

LARGE = Limits(files=2_000_000, file_bytes=4 << 30, steps=10**12, time=None)


def clock(work: Callable[[], Any], times: int = 1) -> float:
    """The median of so many runs, in seconds."""
    taken: List[float] = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def tree(files: int, size: int) -> Sandbox:
    """A sandbox with so many files in directories of 100."""
    sb = Sandbox(limits=LARGE)
    block = os.urandom(size)
    made: Dict[str, bytes] = {}
    for i in range(files):
        made[f"/data/{i // 100}/{i}"] = i.to_bytes(4, "big") + block
        if len(made) == 10_000 or i == files - 1:
            sb.files.write_many(made)
            made = {}
    return sb


def small_saves(files: int, size: int, place: Any, changes: List[int]) -> None:
    """Saves after so many changed files of a tree."""
    with tree(files, size) as sb:
        store = Store(place)
        first = clock(lambda: store.save(sb))
        print(f"{files} files of {size + 4} bytes: first save {first * 1000:.1f} ms")
        for changed in changes:
            spent: List[float] = []
            wrote = 0
            for turn in range(5):
                chosen = range(0, files, max(files // changed, 1))[:changed]
                sb.files.write_many({f"/data/{i // 100}/{i}": f"changed {turn}\n" for i in chosen})
                before = total(place)
                spent.append(clock(lambda: store.save(sb)))
                wrote = total(place) - before
            print(f"  {changed:6} changed: {statistics.median(spent) * 1000:8.2f} ms, {wrote:9} bytes")
        print(f"  nothing changed: {clock(lambda: store.write(sb._live(), 'default', if_changed=True), 5) * 1000:.2f} ms")
        print(f"  load: {clock(store.load) * 1000:.1f} ms")


def total(place: Any) -> int:
    """Bytes in a dict of values."""
    return sum(len(v) for v in place.values()) if isinstance(place, dict) else 0


def throughput() -> None:
    """A full save of 100 MB beside tar and SHA-256."""
    with tree(1000, 100_000) as sb:
        content = {f.path: sb.files.read(f.path) for f in sb.files.list("/data", recursive=True) if f.type == "file"}

        def tarred() -> None:
            out = io.BytesIO()
            with tarfile.open(fileobj=out, mode="w") as archive:
                for path, data in content.items():
                    member = tarfile.TarInfo(path)
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
            hashlib.sha256(out.getbuffer()).digest()

        def copied(data: bytes) -> None:
            hashlib.sha256(bytes(bytearray(data))).digest()

        tar = clock(tarred, 3)
        save = clock(lambda: Store({}).save(sb.fork()), 3)
        print(f"100 MB: tar + SHA-256 {tar * 1000:.0f} ms, save {save * 1000:.0f} ms: {tar / save:.2f} of its speed")
        blob = sb.export_state()
        copy = clock(lambda: copied(blob), 3)
        out = clock(sb.export_state, 3)
        back = clock(lambda: Sandbox.from_state(blob, limits=LARGE), 3)
        print(f"  copy + SHA-256 {copy * 1000:.0f} ms")
        print(f"  export {out * 1000:.0f} ms ({copy / out:.2f}), import {back * 1000:.0f} ms ({copy / back:.2f})")


def scale(namespaces: int, files: int, place: Any, **options: Any) -> None:
    """A store of many namespaces, each with files of its own, and what is done with one of them."""
    start = time.perf_counter()
    with Store(place, **options) as store:
        for n in range(namespaces):
            with Sandbox(files={f"/data/{i}": b"%d " % i + os.urandom(200) for i in range(files)}) as sb:
                store.save(sb, f"n{n}")
        built = time.perf_counter() - start
        objects = sum(pack["objects"] for ref in store._refs() for pack in _wire.store_ref(ref)["packs"])
    print(f"{namespaces} namespaces, {objects} objects: built in {built:.1f} s")
    last = f"n{namespaces - 1}"

    def opened() -> None:
        with Store(place, **options) as store:
            _ = store.identity

    def change(sb: Sandbox, store: Store) -> float:
        sb.files.write("/data/0", os.urandom(200))
        return clock(lambda: store.save(sb, last))

    print(f"  open {clock(opened, 5) * 1000:9.2f} ms")
    with Store(place, **options) as store:
        print(f"  load one {clock(lambda: store.load(last).close(), 5) * 1000:5.2f} ms")
        with store.load(last) as sb:
            print(f"  save after one change {statistics.median(change(sb, store) for _ in range(5)) * 1000:.2f} ms")
        print(f"  branches of one {clock(lambda: store.branches(last), 5) * 1000:.2f} ms")
        print(f"  log of one {clock(lambda: store.log(last), 5) * 1000:.2f} ms")
        listed = clock(store.namespaces, 3)
        print(f"  list all {listed * 1000:.1f} ms: {listed / namespaces * 1e6:.1f} µs a namespace")
        print(f"  inspect {clock(store.inspect) * 1000:.0f} ms")
        for n in range(0, namespaces, 100):
            store.delete(f"n{n}")
        done = []
        spent = clock(lambda: done.append(store.gc(grace=0)))
        print(f"  gc of one in 100 {spent * 1000:.0f} ms: {spent / namespaces * 1e6:.1f} µs a namespace, {done[0].packs} packs deleted")
        spent = clock(lambda: store.gc())
        print(f"  gc with nothing to do {spent * 1000:.0f} ms: {spent / namespaces * 1e6:.1f} µs a namespace")


def beside() -> None:
    """The same states in bashkit, where it is installed: what it calls a snapshot, and its commits."""
    import bashkit

    print(f"{'':24}{'snapshot':>22}{'full save':>22}{'after one change':>22}   (ours, bashkit, how many times faster)")
    for files, size in ((1_000, 100), (9_900, 100), (950, 100_000)):
        with tree(files, size) as sb:
            other, folders = bashkit.Bash(), set()
            for f in sb.files.list("/data", recursive=True):
                if f.type == "file":
                    folder = f.path.rpartition("/")[0]
                    if folder not in folders:
                        other.mkdir(folder, recursive=True)
                        folders.add(folder)
                    other.write_file(f.path, sb.files.read(f.path).hex()[: f.size])  # it takes text
            rows = [(clock(sb.snapshot, 20), clock(other.snapshot, 3))]
            kept: Dict[str, Any] = {}
            place: Dict[str, bytes] = {}
            store = Store(place)
            commits: List[Any] = []

            def commit(other: Any = other, kept: Dict[str, Any] = kept, commits: List[Any] = commits) -> None:
                made = other.commit(parents=[commits[-1].id] if commits else None, have=list(kept))
                kept.update(made.objects)
                commits.append(made)

            save = functools.partial(store.save, sb)
            rows.append((clock(save), clock(commit)))
            ours, theirs = [], []
            for turn in range(15):
                sb.files.write("/data/0/0", f"changed {turn}\n")
                other.write_file("/data/0/0", f"changed {turn}\n")
                ours.append(clock(save))
                theirs.append(clock(commit))
            rows.append((statistics.median(ours), statistics.median(theirs)))
            shown = "".join(f"{_time(a):>8} {_time(b):>7} {b / a:>5.0f}" for a, b in rows)
            print(f"{files:>6} files, {files * size / 1e6:5.1f} MB {shown}")


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:.1f}us" if seconds < 1e-3 else f"{seconds * 1e3:.1f}ms"


def autosave(seconds: float = 8.0) -> None:
    """How long a command takes in a sandbox of 100 MB that is saved in the background, and in one that is not."""
    taken: Dict[str, List[float]] = {"ephemeral": [], "persistent": []}
    _persistence.LATEST = 0.25  # not once in ten seconds, but all the time
    with tempfile.TemporaryDirectory() as top, tree(1000, 100_000) as base:
        blob = base.export_state()
        sandboxes = {mode: _home(mode, f"{top}/{mode}", blob) for mode in taken}
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for mode, sb in sandboxes.items():  # one after the other: the machine's own noise is in both
                sb.files.write("/data/0/0", os.urandom(100))
                start = time.perf_counter()
                sb.commands.run("echo hi")
                taken[mode].append(time.perf_counter() - start)
                time.sleep(0.001)
        for sb in sandboxes.values():
            sb.close()
        with Store(f"{top}/persistent") as store:
            saves = len(store.log())
    print(f"echo hi in 100 MB, {len(taken['persistent'])} times, {saves} saves meanwhile:")
    for share in (0.5, 0.99, 0.999):
        a, b = (sorted(taken[mode])[int(share * len(taken[mode]))] for mode in taken)
        print(f"  p{share * 100:g}: {a * 1e6:.0f} us without, {b * 1e6:.0f} us with: {b / a:.2f}")


def _home(mode: str, place: str, blob: bytes) -> Sandbox:
    """A sandbox in a mode with a state."""
    options: Dict[str, Any] = {} if mode == "ephemeral" else {"persistence": mode, "store": place}
    sb = Sandbox(limits=LARGE, **options)
    sb.import_state(blob)
    return sb


def main() -> None:
    """All of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="trees of 100,000 and 1,000,000 files, too")
    parser.add_argument("--scale", action="store_true", help="only stores of 100, 1,000 and 10,000 namespaces, of 100 objects each")
    parser.add_argument("--beside", action="store_true", help="only a table beside bashkit, which must be installed")
    parser.add_argument("--autosave", action="store_true", help="only what saving in the background does to a command")
    options = parser.parse_args()
    if options.beside or options.autosave:
        beside() if options.beside else autosave()
        return
    if options.scale:
        for namespaces in (100, 1_000, 10_000):
            print("in memory:")
            scale(namespaces, 96, {})
            with tempfile.TemporaryDirectory() as top:
                print("SQLite:")
                scale(namespaces, 96, f"sqlite:///{top}/file.db")
                print("a directory, without fsync:")
                scale(namespaces, 96, os.path.join(top, "directory"), fsync=False)
        return
    throughput()
    small_saves(1_000, 100, {}, [1, 10, 100, 1000])
    small_saves(10_000, 10_000, {}, [1, 10, 100, 1000])
    with tempfile.TemporaryDirectory() as top:
        small_saves(10_000, 10_000, os.path.join(top, "directory"), [1, 100])
        small_saves(10_000, 10_000, f"sqlite:///{top}/file.db", [1, 100])
    if options.large:
        small_saves(100_000, 100, {}, [1, 10, 100, 1000])
        small_saves(1_000_000, 20, {}, [1, 10, 100, 1000])


if __name__ == "__main__":
    main()
