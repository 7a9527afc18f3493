"""A coordinator that moves suspended runs between worker processes.

    python examples/coordinator.py [--workers 3] [--runs 12]

Each run is a script with several slow questions. A worker gets a run as bytes, drives it
until it asks something, and gives bytes back; the process keeps nothing. The coordinator
has the answers, and hands the run to whichever worker is free: a run goes on in another
process each time, and no worker waits for an answer.
"""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from eryxsh import Finished, Run, Sandbox, ToolCall

SCRIPT = """
report() { printf '%s: %s\\n' "$1" "$2" >> "$HOME/report"; }
for city in "$@"; do
    temperature=$(weather "$city") || { report "$city" unknown; continue; }
    if ((temperature > 25)); then report "$city" "hot, $temperature"; else report "$city" "$temperature"; fi
done
sort report | tee sorted | wc -l
"""
CITIES = ["Oslo", "Lima", "Cairo", "Atlantis", "Perth", "Quito"]
WEATHER = {"Oslo": "4", "Lima": "19", "Cairo": "33", "Perth": "27", "Quito": "15"}


class Leg(NamedTuple):
    """What a worker made of a run: it asks something, or has ended."""

    number: int
    process: int
    blob: bytes = b""
    call_id: str = ""
    args: Tuple[str, ...] = ()
    output: str = ""


def begin(number: int, cities: List[str]) -> bytes:
    """A run that has begun and done nothing yet."""
    with Sandbox(tools={"weather": None}, files={"/home/user/job.sh": SCRIPT}) as sandbox:
        return sandbox.commands.start(["bash", "job.sh", *cities]).dump()


def work(job: Tuple[int, bytes, Optional[Tuple[str, Dict[str, Any]]]]) -> Leg:
    """In a worker: one leg of a run."""
    number, blob, answer = job
    run = Run.load(blob)
    with run.sandbox as sandbox:
        if answer is not None:
            call_id, fields = answer
            run.resume(call_id, **fields)
        event = run.next()
        if isinstance(event, Finished):
            report = sandbox.files.read_text("/home/user/sorted")
            return Leg(number, os.getpid(), output=event.result.check().stdout + report)
        assert isinstance(event, ToolCall)
        return Leg(number, os.getpid(), run.dump(), event.call_id, tuple(event.args))


def coordinate(workers: int, runs: int) -> Dict[int, Tuple[str, Set[int]]]:
    """The output of every run, and the processes it was in."""
    waiting: collections.deque[Any] = collections.deque()
    for number in range(runs):
        waiting.append((number, begin(number, CITIES[number % 3 :]), None))
    seen: Dict[int, Set[int]] = collections.defaultdict(set)
    asked: Set[str] = set()
    ended: Dict[int, Tuple[str, Set[int]]] = {}
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        while waiting:
            jobs, waiting = waiting, collections.deque()
            for leg in pool.imap_unordered(work, jobs):
                seen[leg.number].add(leg.process)
                if not leg.call_id:
                    ended[leg.number] = leg.output, seen[leg.number]
                    continue
                assert leg.call_id not in asked, "a question came twice"
                asked.add(leg.call_id)
                answer = WEATHER.get(leg.args[0])
                fields: Dict[str, Any] = {"stdout": answer} if answer else {"stderr": "no such city\n", "exit_code": 1}
                waiting.append((leg.number, leg.blob, (leg.call_id, fields)))
    return ended


def main(arguments: List[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--runs", type=int, default=12)
    options = parser.parse_args(arguments)
    ended = coordinate(options.workers, options.runs)
    for number, (output, _) in sorted(ended.items())[:3]:
        print(f"run {number}: " + "; ".join(output.splitlines()))
    several = sum(len(processes) > 1 for _, processes in ended.values())
    print(f"{len(ended)} runs ended; {several} of them ran in more than one of {options.workers} processes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
