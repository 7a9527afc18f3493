"""Running scripts moved between two processes: what they do must not show it.

    python tests/moved.py                       every recorded case and agent session, moved at random safe points
    python tests/moved.py --every               moved after every one of the first 2,000 steps
    python tests/moved.py --twice               no move: each runs once in each process, and ends as the same bytes
    python tests/moved.py oils --only alias     some of them
    python tests/moved.py --seed 7 --stops 20   other points, more of them

A case runs once in one process without a stop. Then it runs again: at each stop it is
dumped, and the other of two processes loads it and goes on. Both times the clock is
virtual and the seed the same, so at the end not only the output but the whole state,
exported, must be the same bytes; and a case that gave what bash gave must give it again.
Sessions are moved between their calls and inside them. The seed of the points is printed;
the exit status is 1 if anything differed.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import hashlib
import json
import multiprocessing
import os
import random
import sys
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from corpora import HERE, SUITES, cases, same
from eryxsh import Checkpoint, Finished, Limits, Run, Sandbox, ToolCall, _wire

EVERY = 2_000  # steps after each of which a run is moved
_PATIENCE = 120.0  # seconds for one leg of a run
_ENV = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}


@dataclasses.dataclass(frozen=True)
class Case:
    """Scripts run one after the other in one sandbox, and what bash gave where that is known."""

    name: str
    scripts: Tuple[str, ...]
    files: Dict[str, str]
    env: Dict[str, str]
    stdin: Optional[str] = None
    wants: Tuple[Optional[Tuple[str, int]], ...] = ()  # stdout and exit code of each script
    tools: Tuple[str, ...] = ()  # names of tools, answered by their calls' ids
    after: Tuple[Tuple[str, str], ...] = ()  # path and SHA-256 of files at the end
    memory: int = 0  # the limit, in bytes, if it is not the usual one


@dataclasses.dataclass(frozen=True)
class Ending:
    """What a run left."""

    stdout: str
    stderr: str
    exit_code: int
    steps: int
    blob: bytes


# In a worker.


def _make(case: Case) -> Sandbox:
    limits = Limits(memory=case.memory) if case.memory else None
    sb = Sandbox(env=case.env, clock="virtual", seed=1, timeout=20, limits=limits, tools=dict.fromkeys(case.tools))
    for name, text in case.files.items():
        path = os.path.normpath(os.path.join("/home/user", name))
        sb.files.write(path, text.encode("utf-8", "surrogateescape"))
        if text.startswith("#!"):
            sb.files.chmod(path, 0o755)
    return sb


def answered(run: Run, call: ToolCall) -> None:
    """Answer a call by what its id says: the same whoever answers it, and where."""
    rng = random.Random(call.call_id)
    lines = [f"{call.name} {' '.join(call.args)}", call.stdin.decode("utf-8", "replace"), "a b\nc\n", "x" * rng.randrange(9000)]
    picked = "".join(rng.sample(lines, rng.randrange(4)))
    run.resume(call, stdout=picked, stderr=rng.choice(["", "", "told\n"]), exit_code=rng.choice([0, 0, 1, 3]))


def _ending(run: Run) -> Ending:
    while not isinstance(event := run.next(), Finished):
        if isinstance(event, ToolCall):
            answered(run, event)
        elif not isinstance(event, Checkpoint):
            raise AssertionError(f"unexpected {event}")
    result = event.result
    return Ending(result.stdout, result.stderr, result.exit_code, result.steps, run.sandbox.export_state())


def whole(case: Case) -> List[Ending]:
    """Run a case without a stop."""
    with _make(case) as sb:
        return [_ending(sb.commands.start(script, stdin=case.stdin, timeout=20)) for script in case.scripts]


def made(case: Case) -> bytes:
    """The state before the first script."""
    with _make(case) as sb:
        return sb.export_state()


def begun(blob: bytes, script: str, stdin: Optional[str]) -> bytes:
    """A state with a script begun in it."""
    with Sandbox.from_state(blob, timeout=20) as sb:
        return sb.commands.start(script, stdin=stdin, timeout=20).dump()


def gone(blob: bytes, steps: int) -> Any:
    """A run that went on for so many safe points, or to a call nothing goes on before: bytes, or its Ending.

    If it was at such a call, that is answered first: a process that comes there does not answer itself.
    """
    run = Run.load(blob)
    with run.sandbox as sb:
        if sb.export_state() != blob:
            raise AssertionError("saving what was loaded gives other bytes")
        answer = _wire.run_step(sb._live(), run.id, steps=1)
        if answer["tag"] == _wire.CALLS:
            answered(run, run.pending()[0])
            answer = _wire.run_step(sb._live(), run.id, steps=steps)
        elif answer["tag"] != _wire.DONE and steps > 1:
            answer = _wire.run_step(sb._live(), run.id, steps=steps - 1)
        if answer["tag"] == _wire.DONE:
            run._answer = answer
            return _ending(run)
        return run.dump()


def finished(blob: bytes) -> Ending:
    """A run that went on to its end."""
    run = Run.load(blob)
    with run.sandbox:
        return _ending(run)


def _serve(pipe: Any) -> None:
    while True:
        function, arguments = pipe.recv()
        try:
            pipe.send((True, function(*arguments)))
        except Exception as error:
            pipe.send((False, f"{type(error).__name__}: {error}"))


# In the process that compares.


class MovedError(Exception):
    """Something went wrong in a worker."""


class Pair:
    """Two processes; each answer comes from the other one than the one before."""

    def __init__(self) -> None:
        self._workers: List[Any] = [None, None]
        self._turn = 0
        self.moves = 0

    def ask(self, function: Any, *arguments: Any) -> Any:
        """What a function gives in the process whose turn it is."""
        self._turn ^= 1
        process, pipe = self._workers[self._turn] or self._start()
        pipe.send((function, arguments))
        try:
            if not pipe.poll(_PATIENCE):
                raise MovedError("no answer: a hang")
            good, value = pipe.recv()
        except (EOFError, OSError):
            raise MovedError("the process died") from None
        except BaseException:
            process.kill()
            process.join()
            raise
        finally:
            if not process.is_alive():
                self._workers[self._turn] = None
        if not good:
            raise MovedError(value)
        self.moves += 1
        return value

    def _start(self) -> Any:
        context = multiprocessing.get_context("spawn")
        mine, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        self._workers[self._turn] = process, mine
        return process, mine

    def close(self) -> None:
        """End both."""
        for worker in self._workers:
            if worker is not None:
                worker[0].kill()


def stops_of(steps: int, count: int, rng: random.Random) -> List[int]:
    """Steps between stops, for a run of so many: all of the first 2,000, or so many at random."""
    if count >= EVERY:
        return [1] * min(steps, EVERY)
    at = sorted(rng.sample(range(1, max(steps, 2)), min(count, max(steps - 1, 1))))
    return [b - a for a, b in zip([0, *at], at)]


def moved(pair: Pair, case: Case, plain: Sequence[Ending], count: int, rng: random.Random) -> Optional[str]:
    """Run a case with stops; what differs, or None."""
    blob = pair.ask(made, case)
    for number, (script, want) in enumerate(zip(case.scripts, plain)):
        state: Any = pair.ask(begun, blob, script, case.stdin)
        at = 0
        for steps in stops_of(want.steps, count, rng):
            try:
                state = pair.ask(gone, state, steps)
            except MovedError as error:
                return f"script {number}, after step {at}: {error}"
            at += steps
            if isinstance(state, Ending):
                break
        if not isinstance(state, Ending):
            state = pair.ask(finished, state)
        for field in ("stdout", "stderr", "exit_code", "steps"):
            got, should = getattr(state, field), getattr(want, field)
            if got != should:
                return f"script {number}: {field} {got!r:.300}, without a stop {should!r:.300}"
        if state.blob != want.blob:
            return f"script {number}: its state at the end differs: {_first_difference(state.blob, want.blob)}"
        blob = state.blob
    return None


def _first_difference(a: bytes, b: bytes) -> str:
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"{len(a)} and {len(b)} bytes, at {at}: {a[max(at - 30, 0) : at + 30]!r} and {b[max(at - 30, 0) : at + 30]!r}"


def as_bash(case: Case, plain: Sequence[Ending]) -> bool:
    """Whether a case gave what bash gave."""
    for script, want, got in zip(case.scripts, case.wants, plain):
        if want is not None and not (same(script, got.stdout, want[0]) and got.exit_code == want[1]):
            return False
    if not case.after:
        return True
    with Sandbox.from_state(plain[-1].blob) as sb:
        for path, digest in case.after:
            if not sb.files.is_file(path) or hashlib.sha256(sb.files.read(path)).hexdigest() != digest:
                return False
    return True


def recorded(suite: str) -> Iterator[Case]:
    """The cases of a suite, or the agent sessions."""
    if suite == "sessions":
        with gzip.open(HERE / "agent_sessions.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                session = json.loads(line)
                calls = session["calls"]
                yield Case(
                    session["id"],
                    tuple(c["script"] for c in calls),
                    session["files"],
                    {"HOME": "/home/user", "USER": "user", "TZ": "UTC"},
                    None,
                    tuple((c["stdout"], c["rc"]) if c["compare"] else None for c in calls),
                    after=tuple(sorted(session["after"].items())),
                )
        return
    for case in cases(suite):
        yield Case(
            case["id"],
            (case["script"],),
            case.get("files") or {},
            {**_ENV, **(case.get("env") or {})},
            case.get("stdin") or None,
            ((case["expect_stdout"], case["expect_status"]),),
        )


def compare(pair: Pair, case: Case, count: int, seed: int) -> Tuple[bool, Optional[str]]:
    """Whether a case is as bash, and what differs when it is moved (count 0: when it runs again in the other process)."""
    try:
        plain = pair.ask(whole, case)
        if count == 0:
            again = pair.ask(whole, case)
            difference = _first_difference(again[-1].blob, plain[-1].blob)
            return as_bash(case, plain), None if again == plain else f"not the same twice: {difference}"
        return as_bash(case, plain), moved(pair, case, plain, count, random.Random(f"{seed} {case.name}"))
    except MovedError as error:
        return False, str(error)


def main(argv: List[str]) -> int:
    """Run the suites; 1 if something differed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("suites", nargs="*", default=[*SUITES, "sessions"])
    parser.add_argument("--every", action="store_true", help=f"move after each of the first {EVERY:,} steps")
    parser.add_argument("--twice", action="store_true", help="do not move: run each case in both processes")
    parser.add_argument("--stops", type=int, default=6, help="random stops of each script")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the random stops")
    parser.add_argument("--only", default="", help="cases whose name contains it")
    parser.add_argument("--part", default="1/1", help="i/n: the i-th of n parts, to share the work")
    options = parser.parse_args(argv)
    part, parts = map(int, options.part.split("/"))
    pair = Pair()
    differed = total = passed = 0
    print(f"seed {options.seed}")
    for suite in options.suites:
        started, moves, count, good, bad = time.perf_counter(), pair.moves, 0, 0, 0
        for index, case in enumerate(recorded(suite)):
            if options.only not in case.name or index % parts != part - 1:
                continue
            stops = 0 if options.twice else EVERY if options.every else options.stops
            bash, difference = compare(pair, case, stops, options.seed)
            count, good, bad = count + 1, good + bash, bad + (difference is not None)
            if difference is not None:
                print(f"{suite}/{case.name}: {difference}", flush=True)
        took = time.perf_counter() - started
        print(f"{suite:10} {count:5} cases, {good:5} as bash, {bad:3} differ", end="")
        print(f", {pair.moves - moves:8} legs, {took:6.1f} s", flush=True)
        differed, total, passed = differed + bad, total + count, passed + good
    pair.close()
    print(f"moved: {total} cases, {passed} as bash without a stop, {differed} differ")
    return 1 if differed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
