"""A coordinator that moves suspended runs between worker processes.

    python examples/coordinator.py [--workers 3] [--runs 12]

Each run is a script with several slow questions. A worker gets a run as bytes, drives it
until it asks something, and gives bytes back; the process keeps nothing. The coordinator
has the answers, and hands the run to the next worker: it goes on in another process each
time, and no worker waits for an answer.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
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

    process: int
    blob: bytes = b""
    call_id: str = ""
    args: Tuple[str, ...] = ()
    output: str = ""


def begin(number: int, cities: List[str]) -> bytes:
    """A run that has begun and done nothing yet."""
    with Sandbox(tools={"weather": None}, files={"/home/user/job.sh": SCRIPT}) as sandbox:
        return sandbox.commands.start(["bash", "job.sh", *cities]).dump()


def work(blob: bytes, answer: Optional[Tuple[str, Dict[str, Any]]]) -> Leg:
    """In a worker: one leg of a run."""
    run = Run.load(blob)
    with run.sandbox as sandbox:
        if answer is not None:
            call_id, fields = answer
            run.resume(call_id, **fields)
        event = run.next()
        if isinstance(event, Finished):
            report = sandbox.files.read_text("/home/user/sorted")
            return Leg(os.getpid(), output=event.result.check().stdout + report)
        assert isinstance(event, ToolCall)
        return Leg(os.getpid(), run.dump(), event.call_id, tuple(event.args))


def coordinate(workers: int, runs: int) -> Dict[int, Tuple[str, Set[int]]]:
    """The output of every run, and the processes it was in."""
    context = multiprocessing.get_context("spawn")
    pools = [concurrent.futures.ProcessPoolExecutor(1, context) for _ in range(workers)]
    legs = {pools[n % workers].submit(work, begin(n, CITIES[n % 3 :]), None): n for n in range(runs)}
    seen: Dict[int, List[int]] = collections.defaultdict(list)
    asked: Set[str] = set()
    ended: Dict[int, Tuple[str, Set[int]]] = {}
    while legs:
        for future in concurrent.futures.wait(legs, return_when=concurrent.futures.FIRST_COMPLETED).done:
            number, leg = legs.pop(future), future.result()
            seen[number].append(leg.process)
            if not leg.call_id:
                ended[number] = leg.output, set(seen[number])
                continue
            assert leg.call_id not in asked, "a question came twice"
            asked.add(leg.call_id)
            answer = WEATHER.get(leg.args[0])
            fields: Dict[str, Any] = {"stdout": answer} if answer else {"stderr": "no such city\n", "exit_code": 1}
            next_pool = pools[(number + len(seen[number])) % workers]
            legs[next_pool.submit(work, leg.blob, (leg.call_id, fields))] = number
    for pool in pools:
        pool.shutdown()
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
    fewest = min(len(processes) for _, processes in ended.values())
    print(f"{len(ended)} runs ended; each of them ran in at least {fewest} of {options.workers} processes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
