"""Benchmarks of running scripts as data, pydantic-monty and bashkit beside us where they are installed.

    python tests/bench/bench_runs.py [NAME ...]

Everything that is compared alternates in one run, so that a busy machine is busy for
both. Of two numbers of ours and theirs the ratio is what to look at: of the medians,
as a user meets the calls between other work; the minima are of the luckiest call of
each (theirs is answered by another process, which may be awake or not). Times are
microseconds.
"""

from __future__ import annotations

import gc
import statistics
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Tuple

from eryxsh import Run, Sandbox, Suspended, ToolCall

try:
    import pydantic_monty as monty
except ImportError:
    monty = None
try:
    import bashkit
except ImportError:
    bashkit = None

BENCHES: Dict[str, Callable[[], None]] = {}
ROUNDS = 300

SHELL = 'total=0; for name in a b c; do r=$(approve "$name"); ((total += ${#r})); done; echo $total'
PYTHON = """
total = 0
for name in ['a', 'b', 'c']:
    r = approve(name)
    total += len(r)
total
"""


def bench(function: Callable[[], None]) -> Callable[[], None]:
    """Register a benchmark under its function's name."""
    BENCHES[function.__name__] = function
    return function


class Clock:
    """Samples by name."""

    def __init__(self) -> None:
        self.samples: Dict[str, List[float]] = {}

    def __call__(self, name: str, work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Time one call."""
        started = time.perf_counter()
        value = work(*arguments, **options)
        self.samples.setdefault(name, []).append((time.perf_counter() - started) * 1e6)
        return value

    def median(self, name: str) -> float:
        """The middle sample."""
        return statistics.median(self.samples[name])


def _ours(clock: Clock) -> int:
    with Sandbox(tools={"approve": None}) as sandbox:
        sandbox.commands.run(":")
        run, call = clock("start", _first, sandbox)
        blob = clock("dump", run.dump)
        run.cancel()
    loaded = clock("load", Run.load, blob)
    [call] = loaded.pending()
    call = clock("resume", _answered, loaded, call)
    _answered(loaded, call)
    loaded.resume(loaded.pending()[0], stdout="no")
    assert loaded.drive().stdout == "8\n"
    loaded.sandbox.close()
    return len(blob)


def _first(sandbox: Sandbox) -> Tuple[Run, ToolCall]:
    run = sandbox.commands.start(SHELL)
    call = run.next()
    assert isinstance(call, ToolCall)
    return run, call


def _answered(run: Run, call: ToolCall) -> Any:
    run.resume(call, stdout="yes" if call.args[0] != "c" else "no")
    return run.next()


def _theirs(clock: Clock, pool: Any) -> int:
    with pool.checkout() as session:
        session.feed_run("1 + 1")
        snapshot = clock("start", _their_first, session)
        blob = clock("dump", snapshot.dump)
    with pool.checkout() as session:
        snapshot = clock("load", session.load_snapshot, blob)
        snapshot = clock("resume", snapshot.resume, {"return_value": "yes"})
        snapshot = snapshot.resume({"return_value": "yes"})
        assert snapshot.resume({"return_value": "no"}).output == 8
    return len(blob)


def _their_first(session: Any) -> Any:
    snapshot = session.feed_start(PYTHON, external_lookup={"approve": len})
    if isinstance(snapshot, monty.NameLookupSnapshot):
        snapshot = snapshot.resume_auto()
    assert isinstance(snapshot, monty.FunctionSnapshot)
    return snapshot


MOVES = ("start", "dump", "load", "resume")


def measured() -> Tuple[Clock, Clock, List[int]]:
    """Both products' times of the moves, taken in turns, and the bytes of their dumps; theirs are empty without them."""
    ours, theirs = Clock(), Clock()
    sizes = [0, 0]
    pool = monty.Monty(min_processes=2).__enter__() if monty else None
    gc.collect()
    for _ in range(ROUNDS):
        sizes[0] = _ours(ours)
        if pool:
            sizes[1] = _theirs(theirs, pool)
    if pool:
        pool.__exit__(None, None, None)
    return ours, theirs, sizes


@bench
def moves() -> None:
    """Start to the first tool call, dump, load, resume to the next call."""
    ours, theirs, sizes = measured()
    for name in MOVES:
        line = f"{name:<24} eryxsh {ours.median(name):8.1f} (min {min(ours.samples[name]):7.1f})"
        if theirs.samples:
            line += f"   monty {theirs.median(name):8.1f} (min {min(theirs.samples[name]):7.1f})"
            line += f"   ratio of medians {ours.median(name) / theirs.median(name):.2f}"
            line += f", of minima {min(ours.samples[name]) / min(theirs.samples[name]):.2f}"
        print(line)
    print(f"dump bytes               eryxsh {sizes[0]}" + (f"   monty {sizes[1]}" if theirs.samples else ""))


def weighed() -> Tuple[int, int, Dict[int, int]]:
    """Bytes of an idle sandbox's blob, what a small script's run adds, and a silent run's blob after 10 and 5,000 calls."""
    sandbox = Sandbox(tools={"approve": None})
    idle = len(sandbox.export_state())
    run, _ = _first(sandbox)
    added = len(run.dump()) - idle
    run.cancel()
    run = sandbox.commands.start('while :; do x=$(approve "$x"); done', timeout=None)
    found = {}
    for number in range(1, 5001):
        call = run.next()
        assert isinstance(call, ToolCall)
        if number in (10, 5000):
            found[number] = len(run.dump())
        run.resume(call, stdout="yes")
    run.cancel()
    return idle, added, found


@bench
def sizes() -> None:
    """What a small script's run adds to the blob, and what calls that are over leave."""
    idle, added, found = weighed()
    print(f"a small run adds         {added} bytes to {idle}")
    grown = found[5000] / found[10] - 1
    print(f"blob after 10 calls {found[10]}, after 5,000 {found[5000]} ({grown:+.2%})")


PAIRS = (  # the body of a loop with a tool, and with a builtin
    ("silent", ":"),
    ("prints $i", "echo $i"),
    ("r=$(prints $i)", "r=$(echo $i)"),
    ("prints $i; echo x", "echo $i; echo x"),
)


@bench
def calls() -> None:
    """A tool called in a loop, beyond the same loop with a builtin in its place."""
    loop = "for ((i = 0; i < 2000; i++)); do %s; done"
    ours = Sandbox(tools={"silent": lambda call: "", "prints": lambda call: f"{call.args[0]}\n"})
    works: Dict[str, Callable[[], Any]] = {}
    for call, plain in PAIRS:
        works[f"eryxsh {call}"] = lambda call=call: ours.commands.run(loop % call)  # type: ignore[misc]
        works[f"eryxsh {call}, without"] = lambda plain=plain: ours.commands.run(loop % plain)  # type: ignore[misc]
    if bashkit and hasattr(bashkit, "ScriptedTool"):
        tool = bashkit.ScriptedTool("x")
        tool.add_tool("silent", "nothing", callback=lambda params, stdin=None: "")
        works["bashkit silent"] = lambda: tool.execute_sync(loop % "silent")
        works["bashkit silent, without"] = lambda: tool.execute_sync(loop % ":")
    clock = Clock()
    for _ in range(15):
        for name, work in works.items():
            clock(name, work)
    best = {name: min(samples) / 2000 for name, samples in clock.samples.items()}
    for name in works:
        if not name.endswith(", without"):
            turn, alone = best[name], best[f"{name}, without"]
            print(f"{name:<26} {turn - alone:6.2f} a call ({turn:.2f} a turn, {alone:.2f} without)")


@bench
def suspend() -> None:
    """From run.suspend() on another thread to Suspended."""
    for script in (
        "while :; do :; done",
        "sleep 1000",
        "sort /dev/zero",
        "yes | grep x",
        "f() { (($1)) && f $(($1 - 1)); }; while :; do echo $(f 900 | head -c 1); done",
    ):
        samples = []
        for _ in range(15):
            with Sandbox(timeout=None) as sandbox:
                run = sandbox.commands.start(script)
                asked: List[float] = []

                def ask(run: Run = run, asked: List[float] = asked) -> None:
                    asked.append(time.perf_counter())
                    run.suspend()

                timer = threading.Timer(0.02, ask)
                timer.start()
                event = run.next()
                samples.append((time.perf_counter() - asked[0]) * 1e3)
                assert isinstance(event, Suspended), event
                timer.join()
                run.cancel()
        print(f"{script:<40.40} median {statistics.median(samples):6.2f} ms, longest {max(samples):6.2f} ms")


@bench
def crowd() -> None:
    """100,000 suspended runs in one process."""
    base = Sandbox(tools={"approve": None})
    run, _ = _first(base)
    gc.collect()
    before = _resident()
    many = []
    started = time.perf_counter()
    for _ in range(100):
        many += run.fork(1000)
    took = time.perf_counter() - started
    gc.collect()
    print(f"{len(many):,} forks: {(_resident() - before) / len(many):.0f} bytes each, {took / len(many) * 1e6:.1f} us each")
    many.clear()
    gc.collect()
    before = _resident()
    started = time.perf_counter()
    for _ in range(20_000):
        kid = Sandbox(tools={"approve": None})
        _first(kid)
        many.append(kid.runs.active())
    took = time.perf_counter() - started
    gc.collect()
    print(f"{len(many):,} started: {(_resident() - before) / len(many):.0f} bytes each, {took / len(many) * 1e6:.1f} us each")


def _resident() -> int:
    from eryxsh import _wire

    _wire.system_gc()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def main(names: List[str]) -> None:
    """Run the benchmarks named, or all."""
    for name in names or BENCHES:
        print(f"-- {name}: {(BENCHES[name].__doc__ or '').strip()}", flush=True)
        BENCHES[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
