"""What a process of its own costs: each call in this process and with ``isolation="process"``, side by side.

    python tests/bench/bench_isolation.py [--quick]

Medians. Small calls must not cost more than 60 µs more; 100 MB not several times as much.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from typing import Callable, List, Tuple

from eryxsh import Sandbox

MOST = 60.0  # µs that a small call may take longer


def medians(here: Callable[[], object], there: Callable[[], object], rounds: int) -> Tuple[float, float]:
    """Microseconds of both, which take turns."""
    samples: Tuple[List[float], List[float]] = ([], [])
    for _ in range(rounds):
        for work, found in ((here, samples[0]), (there, samples[1])):
            started = time.perf_counter()
            work()
            found.append((time.perf_counter() - started) * 1e6)
    return statistics.median(samples[0]), statistics.median(samples[1])


def main() -> int:
    """Print the table; the exit status says whether a small call takes too long."""
    quick = "--quick" in sys.argv[1:]
    big = os.urandom(100 << 20)
    small: List[Tuple[str, Callable[[Sandbox], object]]] = [
        ("files.exists", lambda sb: sb.files.exists("/k")),
        ("files.read, 1 KB", lambda sb: sb.files.read("/k")),
        ("files.write, 1 KB", lambda sb: sb.files.write("/k", b"x" * 1024)),
        ("run('echo hi')", lambda sb: sb.commands.run("echo hi")),
        ("run('ask'), a tool", lambda sb: sb.commands.run("ask")),
        ("snapshot, drop", lambda sb: sb.snapshots.drop(sb.snapshot())),
        ("fork, close", lambda sb: sb.fork().close()),
    ]
    large: List[Tuple[str, Callable[[Sandbox], object]]] = [
        ("files.write, 100 MB", lambda sb: sb.files.write("/big", big)),
        ("files.read, 100 MB", lambda sb: sb.files.read("/big")),
    ]
    missed = 0
    tools = {"ask": lambda: "answer"}
    with Sandbox(tools=tools) as here, Sandbox(tools=tools, isolation="process") as there:
        for sandbox in (here, there):
            sandbox.files.write("/k", b"x" * 1024)
        print(f"{'':<22}{'in process':>14}{'own process':>14}{'added':>12}{'ratio':>8}")
        for name, work in small + large:
            rounds = (200 if quick else 3000) if (name, work) in small else (3 if quick else 9)
            near, far = medians(lambda work=work: work(here), lambda work=work: work(there), rounds)  # type: ignore[misc]
            bad = rounds > 100 and far - near > MOST
            missed += bad
            print(f"{name:<22}{near:>11.1f} µs{far:>11.1f} µs{far - near:>9.1f} µs{far / near:>8.1f}{'  MISSED' if bad else ''}")
    near, far = medians(lambda: Sandbox().close(), lambda: Sandbox(isolation="process").close(), 5 if quick else 30)
    print(f"{'Sandbox(), close':<22}{near:>11.1f} µs{far:>11.1f} µs{far - near:>9.1f} µs")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
