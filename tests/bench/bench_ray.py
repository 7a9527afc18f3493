"""Forks of one base on a Ray cluster of this machine: python tests/bench/bench_ray.py [--forks 10000] [--workers 2] [--mb 100] [--kills 2]

Each fork runs a script that changes it, and comes back; meanwhile workers are killed. Printed: forks a second, the bytes that
travelled for each, what the workers read of the store, and the same beside a plain pickle of the
whole sandbox through Ray, of which fewer are made.
"""

from __future__ import annotations

import argparse
import os
import pickle
import signal
import sys
import tempfile
import time
from typing import Any, Dict, List, Tuple

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

from eryxsh import Sandbox

SCRIPT = 'i=$((ITEM % 1000)); echo "$ITEM $(head -c 4096 /data/$((i % 100))/$i | wc -c)" > result; echo "$ITEM"'


def base_of(mb: int) -> Sandbox:
    """A sandbox with so many MB in files of 100 kB."""
    files = {f"/data/{i % 100}/{i}": os.urandom(100_000) for i in range(mb * 10)}
    return Sandbox(files=files, timeout=None)


def work(sandbox: Sandbox, item: int) -> Tuple[str, Sandbox, int]:
    """What is done in a fork: a little, and the fork comes back, with the process it was in."""
    return sandbox.commands.run(SCRIPT, env={"ITEM": str(item)}).stdout, sandbox, os.getpid()


def read_bytes() -> int:
    """What a process has read so far, through system calls."""
    with open("/proc/self/io") as io:
        return int(next(line for line in io if line.startswith("rchar")).split()[1])


def measured(forks: int, workers: int, mb: int, place: str, kills: int) -> Dict[str, float]:
    """One run; the figures by name."""
    import ray

    from eryxsh.ray import Pool

    base = base_of(mb)
    figures: Dict[str, float] = {"mb": mb, "forks": forks, "workers": workers}
    begun = time.perf_counter()
    with Pool(base, store=place, workers=workers) as pool:
        figures["save_s"] = time.perf_counter() - begun

        def loaded(sandbox: Sandbox, item: int) -> Tuple[int, int]:
            time.sleep(0.5)  # so that each worker has one
            return os.getpid(), read_bytes()

        begun = time.perf_counter()
        first = dict(pool.map(loaded, range(2 * workers), chunk=1))
        figures["load_s"] = time.perf_counter() - begun
        figures["processes"] = len(first)
        before = pool.traffic
        begun = time.perf_counter()
        kept: List[Sandbox] = []
        deaths = {forks * (i + 1) // (kills + 2) for i in range(kills)}
        for item, (said, sandbox, process) in enumerate(pool.map(work, range(forks))):
            assert said == f"{item}\n", said
            kept.append(sandbox)
            if item in deaths:
                os.kill(process, signal.SIGKILL)
        figures["forks_per_s"] = forks / (time.perf_counter() - begun)
        traffic = pool.traffic
        assert traffic.items - before.items == forks
        figures["sent_per_fork"] = (traffic.sent - before.sent) / forks
        figures["received_per_fork"] = (traffic.received - before.received) / forks
        last = dict(pool.map(loaded, range(2 * workers), chunk=1))
        both = set(first) & set(last)
        figures["read_per_fork"] = sum(last[p] - first[p] for p in both) / forks if both else float("nan")
        for item in (0, forks // 2, forks - 1):
            begun = time.perf_counter()
            assert kept[item].files.read_text("result").endswith(" 4096\n")
            figures["use_s"] = time.perf_counter() - begun
        figures.update(whole(base, max(forks // 500, 2), ray))
    return figures


def whole(base: Sandbox, forks: int, ray: Any) -> Dict[str, float]:
    """The same with the whole sandbox in each pickle."""
    size = len(pickle.dumps(base))
    remote = ray.remote(work)
    begun = time.perf_counter()
    for item in range(forks):
        said, sandbox, _ = ray.get(remote.remote(base, item))
        assert said == f"{item}\n"
        sandbox.close()
    return {"whole_forks_per_s": forks / (time.perf_counter() - begun), "whole_bytes": 2 * size}


def main(arguments: List[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--forks", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--mb", type=int, default=100)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--store", help="any place that a Store takes; by default a folder that goes at the end")
    options = parser.parse_args(arguments)
    import ray

    ray.init("local", num_cpus=options.workers, include_dashboard=False, log_to_driver=False, logging_level="error")
    with tempfile.TemporaryDirectory() as folder:
        f = measured(options.forks, options.workers, options.mb, options.store or folder + "/store", options.kills)
    print(f"a base of {f['mb']:.0f} MB: saved in {f['save_s']:.2f} s, loaded by {f['processes']:.0f} workers in {f['load_s']:.2f} s")
    print(f"{f['forks']:.0f} forks: {f['forks_per_s']:.0f} a second, with {options.kills} kills")
    print(f"  travelled for each: {f['sent_per_fork']:.0f} bytes there, {f['received_per_fork']:.0f} bytes back")
    if not options.kills:
        print(f"  read by the workers from files, of the store and all else, for each: {f['read_per_fork']:.0f} bytes")
    print(f"  first use of a fork that came back: {f['use_s'] * 1000:.0f} ms")
    print(f"with the whole sandbox in each pickle: {f['whole_forks_per_s']:.2f} a second, {f['whole_bytes']:.0f} bytes for each")
    ratio = f["whole_bytes"] / (f["sent_per_fork"] + f["received_per_fork"])
    print(f"ratios: {ratio:.0f} times fewer bytes, {f['forks_per_s'] / f['whole_forks_per_s']:.0f} times faster")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
