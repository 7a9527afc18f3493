"""Benchmarks of the Python package, bashkit beside it where it is installed.

    python tests/bench/bench_python.py [NAME ...]

Each measurement alternates between the products in one run, so that a busy
machine is busy for both; the ratio is what to compare. Times are medians and
minima in microseconds unless said.
"""

from __future__ import annotations

import gc
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

from eryxsh import Sandbox, _native, _wire

try:
    import bashkit
except ImportError:
    bashkit = None

Work = Callable[[], object]
BENCHES: Dict[str, Callable[[], None]] = {}


def bench(function: Callable[[], None]) -> Callable[[], None]:
    """Register a benchmark under its function's name."""
    BENCHES[function.__name__] = function
    return function


def times(works: List[Optional[Work]], rounds: int, batch: int) -> List[List[float]]:
    """Microseconds a call of each, `rounds` samples of `batch` calls, interleaved."""
    found: List[List[float]] = [[] for _ in works]
    gc.collect()
    for _ in range(rounds):
        for work, samples in zip(works, found):
            if work is None:
                continue
            started = time.perf_counter()
            for _ in range(batch):
                work()
            samples.append((time.perf_counter() - started) / batch * 1e6)
    return found


def report(name: str, ours: Work, theirs: Optional[Work] = None, *, rounds: int = 40, batch: int = 20) -> None:
    """Print one line: ours, bashkit's, the ratio."""
    a, b = times([ours, theirs], rounds, batch)
    line = f"{name:<34} eryxsh {statistics.median(a):12.2f} (min {min(a):10.2f})"
    if b:
        line += f"   bashkit {statistics.median(b):12.2f} (min {min(b):10.2f})   {statistics.median(b) / statistics.median(a):8.2f}x"
    print(line, flush=True)


def theirs(make: Callable[[], Work]) -> Optional[Work]:
    """What bashkit does for it, None where it is not installed or cannot."""
    if bashkit is None:
        return None
    try:
        work = make()
        work()
    except Exception as error:
        print(f"bashkit cannot: {error}", file=sys.stderr)
        return None
    return work


def fill(count: int, size: int) -> Tuple[Sandbox, Any]:
    """A sandbox of each product with the same files."""
    sb = Sandbox()
    data = b"some text of a source file, line by line\n" * (size // 41 + 1)
    sb.files.write_many({f"/w/f{i}": data[:size] for i in range(count)})
    other = None
    if bashkit is not None:
        other = bashkit.Bash()
        other.execute_sync("mkdir -p /w")
        for i in range(count):
            other.fs().write_file(f"/w/f{i}", data[:size])
    return sb, other


@bench
def create() -> None:
    """A new sandbox, dropped again; and with the first command."""
    report("create and drop", Sandbox, theirs(lambda: lambda: bashkit.Bash()))
    report(
        "create, echo hi, drop",
        lambda: Sandbox().commands.run("echo hi"),
        theirs(lambda: lambda: bashkit.Bash().execute_sync("echo hi")),
    )


@bench
def echo() -> None:
    """A short command in a live sandbox; what Python adds to the native call."""
    sb = Sandbox()
    other = bashkit.Bash() if bashkit is not None else None
    run = sb.commands.run
    report("echo hi", lambda: run("echo hi").stdout, theirs(lambda: lambda: other.execute_sync("echo hi").stdout), batch=100)
    second = Sandbox()
    method, arguments = _wire._RUN_RUN, (second._handle, "echo hi", None, None, None, None, None, 30_000_000_000, None, None, True, None)
    inner, outer = times([lambda: _native.call(method, arguments), lambda: run("echo hi")], 60, 200)
    added = statistics.median(outer) - statistics.median(inner)
    print(f"{'  of it, Python over the native call':<34} {added:.2f} us (min {min(outer) - min(inner):.2f})")
    report("files.write + read, 100 bytes", lambda: (sb.files.write("/f", b"x" * 100), sb.files.read("/f")), batch=100)


@bench
def states() -> None:
    """Snapshot, restore, fork, export and import of an empty and of a full sandbox."""
    for label, count, size in (("empty", 0, 0), ("1,000 x 1 KB", 1000, 1000), ("10 x 1 MB", 10, 1_000_000)):
        sb, other = fill(count, size)
        id = sb.snapshot()
        blob = sb.export_state()

        def snap(sb: Sandbox = sb) -> None:
            sb.snapshots.drop(sb.snapshot())

        report(f"snapshot, {label}", snap, theirs(lambda other=other: other.snapshot), rounds=15, batch=3)
        saved = other.snapshot() if other is not None else None
        report(
            f"restore, {label}",
            lambda sb=sb, id=id: sb.restore(id),
            theirs(lambda other=other, saved=saved: lambda: other.restore_snapshot(saved)),
            rounds=15,
            batch=3,
        )
        report(
            f"fork, {label}",
            lambda sb=sb: sb.fork(),
            theirs(lambda other=other: lambda: bashkit.Bash.from_snapshot(other.snapshot())),
            rounds=15,
            batch=3,
        )
        report(
            f"export, {label} ({len(blob):,} B)",
            lambda sb=sb: sb.export_state(),
            theirs(lambda other=other: other.snapshot),
            rounds=15,
            batch=2,
        )
        report(
            f"import, {label}",
            lambda blob=blob: Sandbox.from_state(blob),
            theirs(lambda saved=saved: lambda: bashkit.Bash.from_snapshot(saved)),
            rounds=15,
            batch=2,
        )


@bench
def runs() -> None:
    """A tool call, and a suspended run as bytes."""
    sb = Sandbox(tools={"tool": lambda call: "x"})
    script = "for ((i = 0; i < 100; i++)); do tool $i > /dev/null; done"
    a = times([lambda: sb.commands.run(script)], 20, 5)[0]
    print(f"{'tool call in a loop':<34} {statistics.median(a) / 100:.2f} us each")
    sb = Sandbox(tools={"ask": None})
    run = sb.commands.start("for i in 1 2 3; do echo $(ask $i); done")
    run.next()
    blob = run.dump()
    report(f"dump of a run ({len(blob):,} B)", run.dump)
    report("load of a run", lambda: type(run).load(blob))


@bench
def memory() -> None:
    """Idle sandboxes in one process: 10,000 of ours, 1,000 of bashkit's, in fresh interpreters."""
    for module, name, count in (("eryxsh", "Sandbox", 10_000), ("bashkit", "Bash", 1_000)):
        code = f"""
import gc, os
from {module} import {name} as make
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
first = [make() for _ in range(50)]
gc.collect()
before = resident()
kept = [make() for _ in range({count})]
print((resident() - before) / {count})
"""
        if module == "eryxsh" or bashkit is not None:
            out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            shown = f"{float(out.stdout):,.0f} B each" if out.returncode == 0 else f"failed: {out.stderr[-200:]}"
            print(f"{f'{count:,} idle sandboxes':<34} {module:<8} {shown}", flush=True)


@bench
def interrupt() -> None:
    """Ctrl-C: from the signal to the exception, in milliseconds."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for script in ("while :; do :; done", "sleep 100", "yes > /dev/null", "sort /dev/zero"):
        found = []
        sb = Sandbox(timeout=None)
        for _ in range(7):
            sent: List[float] = []

            def send(sent: List[float] = sent) -> None:
                sent.append(time.perf_counter())
                os.kill(os.getpid(), signal.SIGINT)

            timer = threading.Timer(0.1, send)
            timer.start()
            try:
                sb.commands.run(script)
            except KeyboardInterrupt:
                found.append((time.perf_counter() - sent[0]) * 1e3)
            timer.join()
        print(f"{'Ctrl-C in ' + script:<34} median {statistics.median(found):6.1f} ms, max {max(found):6.1f} ms", flush=True)


def main(names: List[str]) -> None:
    """Run the benchmarks of these names, by default all."""
    for name in names or BENCHES:
        BENCHES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
