"""Finds the small scripts that cost much: numbers, nested and unclosed openers, products of texts, everywhere a script can put them.

    python tests/amplify.py                          a minute of it
    python tests/amplify.py --minutes 60 --seed 7    an hour, from another seed
    python tests/amplify.py --mutate --minutes 60    the recorded cases, changed at random, instead
    python tests/amplify.py --one SCRIPT             one script, with what is wrong with it

Every option, operand, builtin, operator of an expansion, the formats, awk, sed, jq, bc, find, dd, expr, test and the regular
expressions, out of the tables of the code (amplify_tables.py) and by hand (amplify_programs.py), get what a script can say at
little cost: 0, 1, 2^31±1, 2^63±1, 10^14, -1; openers nested, repeated and left open; long texts and files, and texts times texts, at sizes
n, 2n, 4n and 8n. A child runs each with timeout=1 and memory=64 MiB, and the parent watches it: the host lives, the run ends by 1.1 s, no
more than twice the limit is taken, nothing ends in an internal error, and time grows at most as n log n. What grows faster is tried
at larger sizes, until the run is ended in time: its work is more then, and is counted. What fails is tried again by itself, and printed.
Time is the processor's, so that a machine with other work is no finding; what waits for ever is ended by the parent, and is one.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
import time
from typing import Iterator, List, Sequence, Tuple

from amplify_programs import BASE, NUMBERS, OPENERS, SETUP, SIZES, fill, grows
from amplify_tables import KINDS, WEIGHTS, Book, book
from watched import MIB, Child, Job, Outcome

LIMIT = 64 * MIB
LATE = 0.1  # part of the timeout that a run may take beyond it
NOISE = 0.15  # seconds: another process of the machine
GROWTH = 2.5  # times n log n: what a measurement of the growth is allowed to be wrong by
LEAST = 0.05  # seconds: what takes less is not measured
FARTHER = (16, 32, 64)  # sizes that are tried where the growth is in doubt
STEEP = 3.0  # a doubling that is not n log n
Trial = Tuple[str, List[str]]  # the name of what is tried, and the scripts, of one size or of each


def trials(r: random.Random, b: Book) -> Iterator[Trial]:
    """What the tables and the templates make, without end."""
    kinds = [k for k in KINDS for _ in range(WEIGHTS.get(k, 1))]
    while True:
        kind = r.choice(kinds)
        template, seed = KINDS[kind](r, b), r.random()
        sizes = (*SIZES, *FARTHER) if grows(template) else SIZES[:1]
        yield kind, [fill(template, random.Random(seed), size) for size in sizes]


def mutated(r: random.Random) -> Iterator[Trial]:
    """The recorded cases, changed: bytes, tokens, doubled, spliced."""
    import corpora

    scripts = [c["script"] for suite in corpora.SUITES for c in corpora.cases(suite) if len(c["script"]) < 20_000]
    tokens = (
        list(OPENERS) + list(NUMBERS) + ["\n", ";", " ", "&", "|", "#", "$", "done", "fi", "}", ")", "]]", "))", "<<E\n", ">", "2>&1", "\0"]
    )
    while True:
        s = r.choice(scripts)
        for _ in range(r.randint(1, 6)):
            i, j = sorted((r.randint(0, len(s)), r.randint(0, len(s))))
            kind = r.randrange(6)
            if kind == 0:
                s = s[:i] + r.choice(tokens) + s[i:]
            elif kind == 1:
                s = s[:i] + s[min(j, i + 20) :]
            elif kind == 2:
                s = s[:i] + s[i:j] * r.choice((2, 3, 50)) + s[j:]
            elif kind == 3:
                other = r.choice(scripts)
                s = s[:i] + other[r.randint(0, len(other)) :]
            elif kind == 4:
                s = re.sub(r"\d+", lambda m: r.choice(NUMBERS) if r.random() < 0.3 else m.group(), s)
            else:
                s = s[:i] + r.choice(tokens) * r.choice((5, 100, 5000)) + s[i:]
        yield "mutated", [s[:400_000]]


def wrong(o: Outcome, job: Job) -> str:
    """What is wrong with an outcome, if anything is."""
    if o.died:
        return o.died
    if o.error == "INTERNAL" or o.status == 134 or "internal error" in o.stderr:
        return "internal error"
    if min(o.seconds - o.waited, o.cpu) > job.timeout * (1 + LATE) + NOISE:
        return f"late: {o.seconds:.2f} s, {o.waited:.2f} s of them without a processor"
    if o.grown > 2 * job.memory + 48 * MIB:
        return f"memory: {o.grown // MIB} MiB"
    return ""


def steep(small: Outcome, large: Outcome, times: int) -> bool:
    """Whether the time between two sizes grew faster than n log n, and enough to be measured."""
    if large.cpu < LEAST or large.error or small.error:
        return False
    n = BASE * SIZES[0]
    return large.cpu > GROWTH * max(small.cpu, LEAST / 4) * times * math.log(n * times) / math.log(n)


def short(script: str) -> str:
    """A script with what is repeated in it written once."""
    text = re.sub(r"(.{1,24}?)\1{19,}", lambda m: f"«{m.group(1)} * {len(m.group()) // len(m.group(1))}»", script, flags=re.DOTALL)
    return text if len(text) <= 2000 else f"{text[:1000]} … {text[-1000:]}"


class Bench:
    """Tries scripts in a child, one after the other."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.runs = 0

    def run(self, script: str) -> Tuple[Outcome, str]:
        """Runs a script, and once more by itself if something seems wrong: what is wrong with it."""
        self.runs += 1
        if self.runs % 300 == 0:
            self.child.end()  # what is left of one run is no part of another's
        job = Job(script, timeout=1, memory=LIMIT, file_bytes=LIMIT // 2)
        outcome = self.child.run(job)
        if wrong(outcome, job):
            self.child.end()
            outcome = self.child.run(job)
            self.child.end()
        return outcome, wrong(outcome, job)

    def trial(self, scripts: Sequence[str]) -> Tuple[str, str]:
        """What is wrong with a program at any of its sizes, and that script."""
        outcomes: List[Outcome] = []
        for script in scripts[: len(SIZES)]:
            outcome, why = self.run(script)
            outcomes.append(outcome)
            if why or outcome.error:
                return why, script  # what was ended is ended at a larger size, too
        if len(outcomes) < len(SIZES) or not steep(outcomes[0], outcomes[-1], SIZES[-1]):
            return "", ""
        before = outcomes[-1]
        for script in scripts[len(SIZES) :]:
            outcome, why = self.run(script)
            if why or outcome.error or outcome.cpu < STEEP * before.cpu:
                return why, script
            before = outcome
        return f"grows: {before.cpu:.2f} s, {outcomes[0].cpu:.3f} s for {1 / FARTHER[-1]:.3f} of it", scripts[-1]


def main() -> int:
    """Runs what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--mutate", action="store_true")
    parser.add_argument("--kind", default="", help="of these alone: " + ", ".join(KINDS))
    parser.add_argument("--only", default="", help="what is tried has this in its script")
    parser.add_argument("--save", default="", help="a directory for the scripts that fail")
    parser.add_argument("--one", help="a script, or @FILE")
    args = parser.parse_args()
    with Child(cap=1 << 30, patience=4.0) as child:
        bench = Bench(child)
        if args.one is not None:
            script = args.one
            if script.startswith("@"):
                with open(script[1:], encoding="utf-8", errors="surrogateescape") as file:
                    script = file.read()
            outcome, why = bench.run(script)
            print(outcome, why or "nothing is wrong")
            return 1 if why else 0
        r = random.Random(args.seed)
        print(f"seed {args.seed}", flush=True)
        source = mutated(r) if args.mutate else trials(r, book(child))
        until, bad = time.monotonic() + args.minutes * 60, 0
        for kind, scripts in source:
            if time.monotonic() > until:
                break
            if args.kind not in ("", kind) or args.only not in scripts[0]:
                continue
            why, script = bench.trial(scripts)
            if why:
                bad += 1
                print(f"{kind}: {why}\n    {short(script.replace(SETUP, ''))!r}", flush=True)
                if args.save:
                    with open(f"{args.save}/{bad}-{kind}.sh", "w", encoding="utf-8", errors="surrogateescape") as file:
                        file.write(script)
        print(f"{bench.runs} runs, {bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
