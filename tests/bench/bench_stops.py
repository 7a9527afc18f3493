"""How soon a script stops: run.suspend, run.cancel and the timeout, at random moments of scripts whose commands have much to do.

python tests/bench/bench_stops.py [--tries N] [--seed N] [--dump] [PART OF A NAME ...]
"""

from __future__ import annotations

import argparse
import random
import statistics
import threading
import time
from typing import Callable, Dict, List, Tuple

from eryxsh import Finished, LimitReached, Sandbox

BIG = "x=$(head -c 20000000 /dev/zero | tr '\\0' a); "

SCRIPTS: Dict[str, str] = {
    "loop": "while :; do :; done",
    "sleep": "sleep 1000",
    "functions": "f() { f; }; while :; do echo $(f 2>&1 | head -c 1); done",
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


def stop(script: str, delay: float, dump: bool) -> Tuple[float, float, bool]:
    """Seconds from run.suspend to Suspended, and of the dump after it, or (0, 0, False) if the script had ended."""
    with Sandbox(timeout=None) as sandbox:
        run = sandbox.commands.start(script)
        thread, asked = soon(delay, run.suspend)
        event = run.next()
        ended = time.perf_counter()
        thread.join()
        if isinstance(event, (Finished, LimitReached)):
            return 0, 0, False
        took = ended - asked[0]
        dumped = 0.0
        if dump:
            began = time.perf_counter()
            run.dump()
            dumped = time.perf_counter() - began
        run.cancel()
        return took, dumped, True


def cancel(script: str, delay: float) -> float:
    """Seconds from run.cancel to the end of the run."""
    with Sandbox(timeout=None) as sandbox:
        run = sandbox.commands.start(script)
        thread, asked = soon(delay, run.cancel)
        while not isinstance(run.next(), Finished):
            pass
        ended = time.perf_counter()
        thread.join()
        return max(ended - asked[0], 0)


def main() -> None:
    """Print a row for each script: milliseconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--longest", type=float, default=0.5, help="seconds a script runs before it is stopped, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dump", action="store_true")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    print(f"{'ms':<14} {'suspend median':>14} {'worst':>8} {'cancel median':>14} {'worst':>8} {'dump worst':>11}")
    for name, script in SCRIPTS.items():
        if args.names and not any(part in name for part in args.names):
            continue
        took, ends, dumps = [0.0], [0.0], [0.0]
        for _ in range(args.tries):
            seconds, dumped, stopped = stop(script, chance.uniform(0.001, args.longest), args.dump)
            if stopped:
                took.append(seconds * 1e3)
                dumps.append(dumped * 1e3)
            ends.append(cancel(script, chance.uniform(0.001, args.longest)) * 1e3)
        asked = f"{statistics.median(took):14.2f} {max(took):8.1f} {statistics.median(ends):14.2f} {max(ends):8.1f}"
        print(f"{name:<14} {asked} {max(dumps):11.1f}", flush=True)


if __name__ == "__main__":
    main()
