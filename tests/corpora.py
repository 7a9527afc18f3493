"""Scripts recorded from bash 5.2 and the GNU tools, and sessions recorded from agents, against a floor.

    python tests/corpora.py            compare the rates with tests/corpora/floor.json
    python tests/corpora.py --raise    write the rates into it where they have risen

The floor is the number of cases that passed before: a change that lets one suite fall
below it fails. Each case that does not pass stands in tests/corpora/known.txt, a name and
a reason; one that is not there fails the run, and so does one that is there and passes.
The list only shrinks: the floor has its length. A reason that begins with "needs" names a
command or an option we do not have; without those cases is the second rate.

Everything runs in this process, so a crash or a hang fails, too. The runners beside the
cases (tests/corpora/run.py, agent_sessions.py) compare with other shells and print each
difference.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import pathlib
import re
import sys
import time
from typing import Any, Dict, Iterator, List

from eryxsh import Sandbox

HERE = pathlib.Path(__file__).parent / "corpora"
FLOOR = HERE / "floor.json"
KNOWN = HERE / "known.txt"
SUITES = ("awk", "bashkit", "gbash", "jq", "justbash", "mvdan", "oils", "sed")
# The order in which a directory is read is not part of what bash promises.
UNORDERED = re.compile(r"\bfind\b|\bgrep\s+-\w*[rR]|\btar\b|\bdu\b|\brg\b|\bzip|\bunzip")


def cases(suite: str) -> Iterator[Any]:
    """The cases of a suite."""
    with (HERE / f"{suite}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def passes(case: Any) -> bool:
    """Whether a case gives what bash gave: stdout and exit status."""
    env = {"LC_ALL": "C.UTF-8", "TZ": "UTC", **(case.get("env") or {})}
    with Sandbox(env=env, timeout=8) as sb:
        for name, text in (case.get("files") or {}).items():
            path = os.path.normpath(os.path.join("/home/user", name))
            sb.files.write(path, text)
            if text.startswith("#!"):
                sb.files.chmod(path, 0o755)
        result = sb.commands.run(case["script"], stdin=case.get("stdin") or None)
        return result.stdout == case["expect_stdout"] and result.exit_code == case["expect_status"]


def known() -> Dict[str, str]:
    """The cases that do not pass, each with its reason."""
    rows = (line.split("\t", 1) for line in KNOWN.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return {row[0]: row[1] for row in rows}


def differences(suite: str, outcome: Dict[str, bool], listed: Dict[str, str]) -> List[str]:
    """What the outcome of a suite and the list of known failures disagree about."""
    wrong = [f"  not known: {name}" for name, good in outcome.items() if not good and name not in listed]
    wrong += [f"  stale, it passes: {name}" for name, good in outcome.items() if good and name in listed]
    return wrong + [f"  no such case: {name}" for name in listed if name.split("/")[0] == suite and name not in outcome]


def same(script: str, got: str, want: str) -> bool:
    """Whether two outputs are equal, up to the order of directories."""
    return got == want or bool(UNORDERED.search(script)) and sorted(got.splitlines()) == sorted(want.splitlines())


def session_passes(session: Any) -> bool:
    """Whether every call of a recorded session, and every file it left, is the same."""
    good = True
    with Sandbox(env={"HOME": "/home/user", "USER": "user", "TZ": "UTC"}, cwd="/home/user") as sb:
        for path, text in session["files"].items():
            sb.files.write(path, text.encode("utf-8", "surrogateescape"))
        for call in session["calls"]:
            result = sb.commands.run(call["script"], timeout=20)
            if call["compare"]:
                good = good and same(call["script"], result.stdout, call["stdout"]) and result.exit_code == call["rc"]
        for path, digest in session["after"].items():
            try:
                good = good and hashlib.sha256(sb.files.read(path)).hexdigest() == digest
            except OSError:
                good = False
    return good


def main(argv: List[str]) -> int:
    """Run the suites; 1 if one fell below its floor."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--raise", dest="lift", action="store_true", help="write risen rates into floor.json")
    parser.add_argument("suites", nargs="*", default=[*SUITES, "sessions"])
    options = parser.parse_args(argv)
    floor = json.loads(FLOOR.read_text()) if FLOOR.exists() else {}
    fell = passed = failed = 0
    listed = known()
    if len(listed) > floor.get("known", len(listed)):
        print(f"known.txt has {len(listed)} cases, more than {floor['known']}: it may only shrink")
        fell += 1
    for suite in options.suites:
        started = time.perf_counter()
        if suite == "sessions":
            with gzip.open(HERE / "agent_sessions.jsonl.gz", "rt", encoding="utf-8") as lines:
                outcome = [session_passes(json.loads(line)) for line in lines]
            wrong, lacking = [], 0
        else:
            named = {case["id"]: passes(case) for case in cases(suite)}
            outcome = list(named.values())
            wrong = differences(suite, named, listed)
            lacking = sum(not named[name] and listed[name].startswith("needs ") for name in named if name in listed)
        good = sum(outcome)
        passed, failed = passed + good, failed + len(outcome) - good
        below = good < floor.get(suite, 0)
        fell += below or bool(wrong)
        rate, took = 100 * good / len(outcome), time.perf_counter() - started
        verdict = "  FELL" if below else ""
        print(f"{suite:10} {good:5}/{len(outcome):<5} {rate:6.2f} %  floor {floor.get(suite, 0):5}  {took:5.1f} s{verdict}", flush=True)
        if lacking:
            rest = len(outcome) - lacking
            print(f"{'':10} {good:5}/{rest:<5} {100 * good / rest:6.2f} %  of those that need only what is there")
        for line in wrong:
            print(line)
        floor[suite] = max(good, floor.get(suite, 0))
    print(f"corpora: {passed} as bash gave them, {failed} not")
    if options.lift:
        floor["known"] = min(len(listed), floor.get("known", len(listed)))
        FLOOR.write_text(json.dumps(floor, indent=1, sort_keys=True) + "\n")
    return 1 if fell else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
