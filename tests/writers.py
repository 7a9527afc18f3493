"""Processes that save one namespace at the same time: nothing acknowledged is lost, and what is not there was reported.

    python tests/writers.py [--seconds 60] [--writers 2] [--place PLACE] [--seed N]

Each process opens the namespace, by turns as a persistent sandbox that is saved in the background and as a
session that is saved when it says so, appends numbered lines to a file, and closes it. A line whose save was
acknowledged must be in the file in the end; one that is not there must be among those for which this process
was given a ConflictError; none is there twice, and those of a process stand in their order.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
from typing import Any, Dict, List

from eryxsh import ConflictError, Sandbox, Store, _persistence

NAMESPACE = "shared"


def session(sb: Sandbox, name: str, rng: random.Random, out: Dict[str, List[str]]) -> None:
    """Load, append, save."""
    sb.load_state()
    for i in range(rng.randint(1, 3)):
        line = f"{name}.{i}"
        sb.commands.run(f"echo {line} >> log")
        out["tried"].append(line)
        time.sleep(rng.random() * 0.01)
        sb.save_state()
        out["saved"].append(line)


def persistent(sb: Sandbox, name: str, rng: random.Random, out: Dict[str, List[str]]) -> List[str]:
    """Append while the background saves; the close that follows acknowledges them."""
    lines = [f"{name}.{i}" for i in range(rng.randint(1, 5))]
    for line in lines:
        sb.commands.run(f"echo {line} >> log")
        out["tried"].append(line)
        time.sleep(rng.random() * 0.06)
    return lines


def writer(who: str, place: str, seconds: float, seed: int) -> None:
    """Write for so long; then say what was tried, what was acknowledged, and how many conflicts were reported."""
    rng = random.Random(seed)
    logging.disable(logging.CRITICAL)  # the background reports what is reported at the close as well
    _persistence.QUIET, _persistence._LOOK, _persistence._PATIENCE = 0.02, 0.01, 0.05  # as often as can be
    out: Dict[str, Any] = {"tried": [], "saved": [], "told": [], "conflicts": 0}
    end, turn = time.monotonic() + seconds, 0
    with Store(place) as store:
        while time.monotonic() < end:
            turn += 1
            mode = rng.choice(["persistent", "session"])
            done: List[str] = []
            before = len(out["tried"])
            try:
                with Sandbox(persistence=mode, namespace=NAMESPACE, store=store) as sb:
                    if mode == "session":
                        session(sb, f"{who}.{turn}", rng, out)
                    else:
                        done = persistent(sb, f"{who}.{turn}", rng, out)
                out["saved"] += done
            except ConflictError:
                out["conflicts"] += 1
                out["told"] += out["tried"][before:]
                time.sleep(rng.random() * 0.02)
    print(json.dumps(out))


def campaign(place: str, seconds: float, writers: int, seed: int) -> str:
    """Let them write, and compare; what came of it."""
    processes = [
        subprocess.Popen(
            [sys.executable, __file__, "--writer", f"w{i}", "--place", place, "--seconds", str(seconds), "--seed", str(seed * 1000 + i)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for i in range(writers)
    ]
    outs = [json.loads(process.communicate()[0]) for process in processes]
    with Store(place) as store, store.load(NAMESPACE) as sb:
        there = sb.files.read_text("log").split()
        assert store.verify() == []
    known = set(there)
    assert len(known) == len(there), "a line is there twice"
    for i, out in enumerate(outs):
        lost = [line for line in out["saved"] if line not in known]
        assert not lost, f"acknowledged and gone: {lost[:5]}"
        mine = [line for line in there if line.startswith(f"w{i}.")]
        assert mine == [line for line in out["tried"] if line in known], "lines are not in their order"
        unsaid = set(out["tried"]) - known - set(out["told"])
        assert not unsaid, f"gone, and nobody was told: {sorted(unsaid)[:5]}"
    tried, saved = (sum(len(out[key]) for out in outs) for key in ("tried", "saved"))
    conflicts = sum(out["conflicts"] for out in outs)
    return f"{seconds:g} s: {tried} lines, {saved} acknowledged and all there, {len(there)} there, {conflicts} conflicts reported"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--place", help="a store that several processes may open; a new directory by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--writer", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.writer:
        writer(options.writer, options.place, options.seconds, options.seed)
        return
    with tempfile.TemporaryDirectory() as top:
        print(campaign(options.place or os.path.join(top, "store"), options.seconds, options.writers, options.seed))


if __name__ == "__main__":
    main()
