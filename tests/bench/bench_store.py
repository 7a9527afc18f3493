"""What saving, loading and sharing cost: python tests/bench/bench_store.py [--large]

Figures of one run on one machine; ratios to tar, to a copy and to SHA-256 are what counts.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import statistics
import tarfile
import tempfile
import time
from typing import Any, Callable, Dict, List

from eryxsh import Limits, Sandbox, Store

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


def main() -> None:
    """All of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="trees of 100,000 and 1,000,000 files, too")
    options = parser.parse_args()
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
