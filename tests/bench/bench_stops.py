"""How soon a script stops: run.suspend and run.cancel, at random moments of scripts whose commands have much to do.

python tests/bench/bench_stops.py [--tries N] [--seed N] [--dump] [PART OF A NAME ...]

A machine that has other guests stops whole programs for tens of milliseconds at
times. A control, a process of its own that only sleeps half a millisecond again
and again, shows when: what it overslept while a try was waiting is printed beside
the worst try ("machine"), and the summary counts with and without it.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import subprocess
import sys
import threading
import time
from typing import Callable, Dict, Iterator, List, NamedTuple, Tuple

from eryxsh import Finished, LimitReached, Sandbox

BIG = "x=$(head -c 20000000 /dev/zero | tr '\\0' a); "

SCRIPTS: Dict[str, str] = {
    "loop": "while :; do :; done",
    "sleep": "sleep 1000",
    "functions": "f() { (( $1 == 0 )) || f $(($1 - 1)); }; while :; do x=$(f 300; echo $?); done",
    "yes-grep": "yes | grep x",
    "sort-zero": "sort /dev/zero",
    "tac-zero": "tac /dev/zero",
    "rev-zero": "rev /dev/zero",
    "awk-zero": "awk 1 /dev/zero",
    "sed-zero": "sed s/a/b/ /dev/zero",
    "grep-zero": "tr '\\0' a </dev/zero | grep 'a*b'",
    "jq-zero": "tr '\\0' 1 </dev/zero | jq .",
    "capture-zero": "x=$(cat /dev/zero)",
    "capture-yes": "x=$(yes)",
    "mapfile-yes": "yes | mapfile a",
    "read-zero": "tr '\\0' a </dev/zero | read x",
    "yes-sort": "yes | sort",
    "yes-tac": "yes | tac",
    "yes-shuf": "yes | shuf",
    "yes-uniq": "yes | sort | uniq -c | wc -l",
    "yes-jq": "yes 1 | jq -s length",
    "yes-tail": "yes | tail -c 300M | wc -c",
    "yes-awk": "yes | awk '{ s = s $0 } END { print length(s) }'",
    "yes-sed": "yes | sed ':a;N;$!ba;s/\\n/,/g'",
    "sha": "while :; do head -c 200000000 /dev/zero | sha256sum; done",
    "gzip": "cat /dev/zero | gzip | wc -c",
    "base64": "cat /dev/zero | base64 | wc -c",
    "doubling": "while :; do x=a; for i in {1..28}; do x=$x$x; done; done",
    "replace": BIG + "while :; do y=${x//a/bb}; done",
    "replace-glob": BIG + "while :; do y=${x//[a-c]/b}; done",
    "case": BIG + "while :; do y=${x^^}; done",
    "length": BIG + "while :; do y=${x:1000:15000000}; n=${#y}; done",
    "trim": BIG + "while :; do y=${x%%b*}; z=${x##*b}; done",
    "pattern": BIG + "while :; do [[ $x == *a*a*b ]]; done",
    "regex": BIG + "while :; do [[ $x =~ (a|aa)+b ]]; done",
    "quote": BIG + 'while :; do printf -v y %q "$x"; z=${x@Q}; done',
    "words": "while :; do echo {1..1000000} >/dev/null; done",
    "array": "while :; do a=({1..1000000}); done",
    "array-all": 'a=($(seq 1000000)); while :; do b=("${a[@]}"); c="${a[*]}"; printf "%s\\n" "${a[@]}" >/dev/null; done',
    "array-for": 'a=($(seq 1000000)); while :; do for i in "${a[@]}"; do break; done; done',
    "array-unset": "while :; do a=($(seq 300000)); unset a; done",
    "declare": "a=($(seq 300000)); while :; do declare -p a >/dev/null; set >/dev/null; done",
    "split": "x=$(seq 1000000); while :; do set -- $x; done",
    "mapfile": "seq 1000000 >f; while :; do mapfile -t a <f; done",
    "eval": "x=$(seq -s ';' -f ': %g' 50000); while :; do eval \"$x\"; done",
    "extglob": "shopt -s extglob; x=$(printf '%2000s' | tr ' ' a); while :; do y=${x//+(a|aa)b/c}; done",
    "printf-width": "while :; do printf -v x '%100000000s' a; done",
    "product": "while :; do echo {1..100}{1..100}{1..100} >/dev/null; done",
    "here-string": BIG + 'while :; do cat <<<"$x" | wc -c; done',
    "glob": "mkdir d; cd d; touch f{1..100000}; while :; do for i in *; do break; done; done",
    "find": "mkdir d; touch d/f{1..100000}; while :; do find d -name '*9' | wc -l; ls -l d | wc -l; cp -r d e; rm -r e; done",
    "diff": "while :; do seq 100000 >a; seq 2 100001 >b; diff a b >/dev/null; done",
    "diff-random": "seq 20000 | shuf >a; seq 20000 >b; while :; do diff a b | wc -l; done",
    "bc": "while :; do echo '2^1000000' | bc | wc -c; done",
    "factor": "while :; do factor 340282366920938463463374607431768211457; done",
    "awk-array": "while :; do seq 500000 | awk '{ a[NR] = $0 } END { n = asort(a); print n; delete a }'; done",
    "jq-sort": "while :; do seq 300000 | jq -s 'sort|length'; done",
    "column": "while :; do seq 200000 | column -c 200 | fold | wc -l; done",
    "join": "seq 300000 | sort >a; while :; do join a a | wc -l; comm a a | wc -l; done",
    "dd": "while :; do dd if=/dev/zero of=f bs=100M count=2 2>/dev/null; cp f g; cmp f g; cksum f; done",
    "jq-progress": "while :; do echo progress; seq 300000 | jq -s 'sort|length'; done",
    "jq-objects": "while :; do seq 100000 | jq -s 'map({(tostring): .}) | add | length'; done",
    "jq-group": "while :; do seq 300000 | jq -s 'group_by(. % 10) | map(length)' | wc -l; done",
    "bc-product": "while :; do echo 'x=3^400000; y=x*x; y%7' | bc; done",
    "awk-split": "while :; do seq 500000 | tr '\\n' ' ' | awk '{ n = split($0, a); print n }'; done",
    "awk-keys": "while :; do seq 500000 | awk '{ a[\"k\" $0] = 1 } END { print length(a) }'; done",
    "diff-large": "while :; do seq 1000000 >a; seq 2 1000001 >b; diff a b >/dev/null; done",
    "sed-long": "while :; do head -c 20000000 /dev/zero | tr '\\0' a | sed s/a/b/g | wc -c; done",
    "tar": "mkdir d; for i in {1..5000}; do echo $i >d/$i; done; while :; do tar czf t.tgz d; tar xzf t.tgz; done",
    "sort-numbers": "while :; do seq 500000 | shuf | sort -n | tail -n 1; done",
    "keyed": "while :; do declare -A m; for i in {1..300000}; do m[$i]=$i; done; for k in \"${!m[@]}\"; do :; done; unset m; done",
    "append": "s=; while :; do s+=xxxxxxxxxx; t=${s: -5}; done",
    "xargs": "while :; do seq 200000 | xargs echo | wc -c; done",
    "columns": "while :; do seq 500000 | paste - - - | cut -f2 | sort -u | wc -l; done",
    "find-exec": "mkdir d; touch d/{1..2000}; while :; do find d -type f -exec echo {} \\; | wc -l; done",
    "grep-files": "mkdir d; for i in {1..2000}; do seq 1000 >d/$i; done; while :; do grep -rn 999 d | wc -l; done",
}


WORST, MEDIAN = 20.0, 2.0  # milliseconds: what a suspension may take

CONTROL = """
import time
last = time.perf_counter()
while True:
    time.sleep(0.0005)
    now = time.perf_counter()
    if now - last > 0.002:
        print(last, now, flush=True)
    last = now
"""


class Control:
    """The spans in which a process that does nothing did not get to run, in seconds of time.perf_counter (one clock for all processes)."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.spans: List[Tuple[float, float]] = []
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def _read(self, lines: Iterator[str]) -> None:
        for line in lines:
            began, ended = line.split()
            self.spans.append((float(began), float(ended)))

    def overslept(self, began: float, ended: float) -> float:
        """The seconds between two times in which the control did not run."""
        return sum(max(0.0, min(ended, until) - max(began, since)) for since, until in list(self.spans))


@contextlib.contextmanager
def control() -> Iterator[Control]:
    """A control beside what is measured."""
    process = subprocess.Popen([sys.executable, "-c", CONTROL], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield Control(iter(process.stdout))
    finally:
        process.kill()
        process.wait()


class Stop(NamedTuple):
    """One try: when it was asked for and when it was done, in seconds, and what the dump after it took."""

    asked: float
    done: float
    dump: float = 0.0


class Figures:
    """The milliseconds of one script's stops."""

    def __init__(self, stops: List[Stop], beside: Control) -> None:
        time.sleep(0.01)  # the control may still have something to say about the last of them
        self.took = [(stop.done - stop.asked) * 1e3 for stop in stops] or [0.0]
        overslept = [beside.overslept(stop.asked, stop.done) * 1e3 for stop in stops] or [0.0]
        self.median = statistics.median(self.took)
        self.worst, self.machine = max(zip(self.took, overslept))
        self.own = max(took - late for took, late in zip(self.took, overslept))

    def __str__(self) -> str:
        return f"{self.median:9.2f} {self.worst:8.1f} {self.machine:8.1f}"


def soon(delay: float, what: Callable[[], object]) -> Tuple[threading.Thread, List[float]]:
    """A thread that does something after a delay, and when it began to."""
    began: List[float] = []

    def work() -> None:
        time.sleep(delay)
        began.append(time.perf_counter())
        what()

    thread = threading.Thread(target=work)
    thread.start()
    return thread, began


def suspend(script: str, delay: float, dump: bool) -> List[Stop]:
    """The suspension of a script after a delay; none if the script had ended."""
    with Sandbox(timeout=None) as sandbox:
        run = sandbox.commands.start(script)
        thread, asked = soon(delay, run.suspend)
        event = run.next()
        ended = time.perf_counter()
        thread.join()
        if isinstance(event, (Finished, LimitReached)):
            return []
        dumped = 0.0
        if dump:
            began = time.perf_counter()
            run.dump()
            dumped = time.perf_counter() - began
        run.cancel()
        return [Stop(asked[0], ended, dumped)]


def cancel(script: str, delay: float) -> Stop:
    """The end of a script by run.cancel after a delay."""
    with Sandbox(timeout=None) as sandbox:
        run = sandbox.commands.start(script)
        thread, asked = soon(delay, run.cancel)
        while not isinstance(run.next(), Finished):
            pass
        ended = time.perf_counter()
        thread.join()
        return Stop(asked[0], max(ended, asked[0]))


def main() -> None:
    """Print a row for each script, in milliseconds, and a summary."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--longest", type=float, default=0.5, help="seconds a script runs before it is stopped, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dump", action="store_true")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    columns = f"{'median':>9} {'worst':>8} {'machine':>8}"
    print(f"{'':<14} suspend {'':20} cancel\n{'ms':<14}{columns} {columns} {'dump':>8}")
    rows: List[Figures] = []
    with control() as beside:
        for name, script in SCRIPTS.items():
            if args.names and not any(part in name for part in args.names):
                continue
            stops: List[Stop] = []
            ends: List[Stop] = []
            for _ in range(args.tries):
                stops += suspend(script, chance.uniform(0.001, args.longest), args.dump)
                ends.append(cancel(script, chance.uniform(0.001, args.longest)))
            rows.append(Figures(stops, beside))
            dump = max([stop.dump * 1e3 for stop in stops], default=0.0)
            print(f"{name:<14}{rows[-1]} {Figures(ends, beside)} {dump:8.1f}", flush=True)
    print(f"{len(rows)} scripts; suspended within {WORST:g} ms: {sum(row.worst <= WORST for row in rows)}", end="")
    print(f", without what the control overslept: {sum(row.own <= WORST for row in rows)}", end="")
    print(f"; median under {MEDIAN:g} ms: {sum(row.median < MEDIAN for row in rows)}")


if __name__ == "__main__":
    main()
