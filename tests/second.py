"""A second set of recorded cases, of other projects' suites, against a floor: where they are.

    python tests/second.py [--cases FOLDER] [SUITE...]    compare the counts with tests/corpora/second.json
    python tests/second.py --raise [SUITE...]             write the counts into it where they have risen

The cases are of GPL'd suites and are not part of this repository: FOLDER (by default $ERYXSH_SECOND, or
../shared/corpora/second beside the repository) has SUITE.jsonl of each; where it is not there is nothing to
do. Only how many pass is kept. --raise counts the cases that pass three times out of
three, so that one that depends on the machine's load is not in the floor; whoever mends something runs
it and commits the file. A run that is below the floor tries what failed once more before it says so.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import time
from typing import Any, Dict, List

from corpora import passes

TOP = pathlib.Path(__file__).resolve().parent.parent
FLOOR = TOP / "tests/corpora/second.json"
TRIES = 3


def read(path: pathlib.Path) -> List[Any]:
    """The cases of a suite."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def steady(cases: List[Any]) -> int:
    """How many pass every time."""
    for _ in range(TRIES):
        cases = [case for case in cases if passes(case)]
    return len(cases)


def passed(cases: List[Any], floor: int, show: int) -> int:
    """How many pass; what failed is tried again if they are too few."""
    failed = [case for case in cases if not passes(case)]
    if len(cases) - len(failed) < floor:
        failed = [case for case in failed if not passes(case)]
    for case in failed[:show]:
        print(f"   {case['id']}")
    return len(cases) - len(failed)


def main(argv: List[str]) -> int:
    """Run the suites that are there; 1 if one fell below its floor."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    near = os.environ.get("ERYXSH_SECOND") or TOP.parent / "shared/corpora/second"
    parser.add_argument("--cases", type=pathlib.Path, default=pathlib.Path(near))
    parser.add_argument("--raise", dest="lift", action="store_true", help="write risen counts into second.json")
    parser.add_argument("--show", type=int, default=0, help="name so many failures of each suite")
    parser.add_argument("suites", nargs="*")
    options = parser.parse_args(argv)
    if not options.cases.is_dir():
        print(f"skipped: {options.cases} is not there")
        return 0
    floor: Dict[str, int] = json.loads(FLOOR.read_text()) if FLOOR.exists() else {}
    fell = False
    for suite in options.suites or sorted(p.stem for p in options.cases.glob("*.jsonl")):
        cases, began, least = read(options.cases / f"{suite}.jsonl"), time.perf_counter(), floor.get(suite, 0)
        good = steady(cases) if options.lift else passed(cases, least, options.show)
        fell = fell or good < least
        rate, took = 100 * good / len(cases), time.perf_counter() - began
        print(f"{suite:26} {good:5}/{len(cases):<5} {rate:6.2f} %  floor {least:5}  {took:6.1f} s{'  FELL' * (good < least)}", flush=True)
        floor[suite] = max(good, least)
    if options.lift:
        FLOOR.write_text(json.dumps(floor, indent=1, sort_keys=True) + "\n")
    return int(fell)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
