"""What merging costs: python tests/bench/bench_merge.py [--files 100000] [--forks 8] [--changed 100]

Forks of one base, each with its own changed files, are merged into it, one after the other; beside it the same for
a hundredth of the files, which costs as much: the cost follows what changed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from typing import List

from eryxsh import Limits, Sandbox

LARGE = Limits(files=2_000_000, file_bytes=4 << 30, steps=10**12, time=None)


def base_of(files: int) -> Sandbox:
    """Files of twenty lines in directories of a hundred."""
    sb = Sandbox(limits=LARGE)
    text = "".join(f"line {i}\n" for i in range(20))
    for start in range(0, files, 10_000):
        sb.files.write_many({f"/data/{i // 100}/{i}": f"{i}\n{text}" for i in range(start, min(files, start + 10_000))})
    return sb


def merged(files: int, forks: int, changed: int) -> List[float]:
    """Seconds of each of five times that all forks are merged."""
    taken: List[float] = []
    with base_of(files) as base:
        text = "".join(f"line {i}\n" for i in range(20))
        for turn in range(5):
            kids = base.fork(forks)
            for n, kid in enumerate(kids):
                chosen = [(i * (files // (changed * forks) or 1) * forks + n) % files for i in range(changed)]
                kid.files.write_many({f"/data/{i // 100}/{i}": f"{i}\n{text}fork {n} {turn}\n" for i in chosen})
            with base.fork() as target:
                start = time.perf_counter()
                for kid in kids:
                    target.merge(kid)
                taken.append(time.perf_counter() - start)
                assert len(target.files.read_text("/data/0/0").splitlines()) == 22
            for kid in kids:
                kid.close()
    return taken


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--forks", type=int, default=8)
    parser.add_argument("--changed", type=int, default=100)
    options = parser.parse_args()
    for files in (options.files // 100, options.files):
        taken = merged(max(files, options.forks * options.changed), options.forks, options.changed)
        print(
            f"{options.forks} forks, {options.changed} changed files each, over {files} files: "
            f"{statistics.median(taken) * 1000:.1f} ms ({min(taken) * 1000:.1f} to {max(taken) * 1000:.1f}), {os.cpu_count()} cores"
        )


if __name__ == "__main__":
    main()
