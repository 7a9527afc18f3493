"""What a mounted directory of the host costs, beside plain files: python tests/bench/bench_mounts.py [FILES]

A directory of many files (100,000 if not told otherwise) is mounted in each mode; then what a mount, a snapshot, a fork and
the first read of files take is measured, the reads beside open and read of Python in the same run. The bounds are those of
the design: a mount 20 ms, a snapshot as without a mount, a first read twice a plain one.
"""

from __future__ import annotations

import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, List

from eryxsh import Mount, Sandbox

READS = 1000


def timed(do: Callable[[], object]) -> float:
    begin = time.perf_counter()
    do()
    return time.perf_counter() - begin


def make(top: Path, count: int) -> List[str]:
    """So many files of 1 KiB, 100 in a directory."""
    names = []
    for i in range(count):
        name = f"d{i // 10_000}/e{i // 100}/f{i}"
        if i % 100 == 0:
            (top / name).parent.mkdir(parents=True)
        (top / name).write_bytes(b"x" * 1024)
        names.append(name)
    return names


def read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def main(count: int) -> None:
    top = Path(tempfile.mkdtemp())
    try:
        names = make(top, count)
        chosen = random.Random(1).sample(names, min(READS, count))
        plain = statistics.median(timed(lambda n=n: read(f"{top}/{n}")) for n in chosen)  # type: ignore[misc]
        print(f"{count} files; open and read in Python {plain * 1e6:.1f} µs, without a mount a snapshot {snapshots(Sandbox()):.1f} µs")
        for mode in ("ro", "overlay", "rw"):
            sb = Sandbox()
            mount = timed(lambda sb=sb, mode=mode: sb.mount("/repo", Mount.host(top, mode=mode)))  # type: ignore[misc]
            first = statistics.median(timed(lambda sb=sb, n=n: sb.files.read(f"/repo/{n}")) for n in chosen)  # type: ignore[misc]
            line = f"{mode:8} mount {mount * 1e3:.2f} ms, first read {first * 1e6:.1f} µs ({first / plain:.2f}),"
            line += f" snapshot {snapshots(sb):.1f} µs"
            if mode == "overlay":
                change = timed(lambda sb=sb: sb.commands.run("cd /repo; for f in d0/e0/*; do echo y > $f; done"))  # type: ignore[misc]
                diff = timed(sb.mounts["/repo"].diff)
                after = snapshots(sb)
                commit = timed(sb.mounts["/repo"].commit)
                line += f"; 100 changed files: change {change * 1e3:.1f} ms, snapshot {after:.1f} µs, diff {diff * 1e3:.1f} ms,"
                line += f" commit {commit * 1e3:.0f} ms"
            print(line)
    finally:
        shutil.rmtree(top)


def snapshots(sb: Sandbox) -> float:
    """What a snapshot takes, in µs."""
    return statistics.median(timed(sb.snapshot) for _ in range(200)) * 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
