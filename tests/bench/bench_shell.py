"""Shell code beside the bash that is installed: loops, and shapes of cost.

    python tests/bench/bench_shell.py [NAME ...]

Both run each script in turn, several times; the shortest time of each counts.
Ours is a run in a live sandbox, bash's a process with its start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import Callable, Dict, List, Tuple

from eryxsh import Sandbox

ROUNDS = 5

# What a script does and how much of it: a second, larger amount shows whether the cost is linear.
SHAPES: Dict[str, Tuple[str, Tuple[int, ...]]] = {
    "for": ("for i in $(seq 1 {n}); do :; done", (100_000,)),
    "while_arith": ("i=0; s=0; while ((i<{n})); do ((s+=i, i++)); done", (100_000,)),
    "while_test": ("i=0; while [ $i -lt {n} ]; do i=$((i+1)); done", (100_000,)),
    "function": ("f() {{ local x=$1; r=$((x*2)); }}; for ((i=0;i<{n};i++)); do f $i; done", (20_000,)),
    "substitution": ("for ((i=0;i<{n};i++)); do x=$(echo $i); done", (1_000,)),
    "case": ("for ((i=0;i<{n};i++)); do case $i in *9) :;; [0-4]*|x) :;; *) :;; esac; done", (20_000,)),
    "parameters": ("p=/a/b/c.tar.gz; for ((i=0;i<{n};i++)); do b=${{p##*/}}; e=${{b%%.*}}; u=${{e^^}}; done", (20_000,)),
    "append_array": ("a=(); for ((i=0;i<{n};i++)); do a+=(x); done", (20_000, 200_000)),
    "append_string": ("s=; for ((i=0;i<{n};i++)); do s+=abcdefgh; done", (20_000, 200_000)),
    "associative": ("declare -A m; for ((i=0;i<{n};i++)); do m[$i]=$i; done", (20_000, 200_000)),
    "subshell_variables": ("for ((i=0;i<{n};i++)); do declare v$i=$i; done; for ((i=0;i<500;i++)); do ( : ); done", (10, 10_000)),
    "substitution_variables": ("for ((i=0;i<{n};i++)); do declare v$i=$i; done; for ((i=0;i<500;i++)); do x=$(:); done", (10, 10_000)),
    "read_lines": ("seq 10000000 $((10000000+{n}-1)) > $F; while IFS= read -r line; do :; done < $F", (100_000, 1_000_000)),
    "recursion": ("f() {{ if (($1 > 0)); then f $(($1-1)); fi; }}; f {n}", (1_000, 10_000)),
}

# Scripts of n lines that are read, compiled and run once: a line of each, or a head, a line and an end.
STARTS: Dict[str, Tuple[str, str, str]] = {
    "start_mixed": ("", "", ""),
    "start_assignments": ("", "v{i}=value{i}", ""),
    "start_commands": ("", ": arg{i} b c", ""),
    "start_echo": ("", 'echo "hello $USER number {i}" >/dev/null', ""),
    "start_functions": ("", 'f{i}() {{ local a=$1; [ -n "$a" ] || return {i}; echo "$a" | tr a-z A-Z; }}', ""),
    "start_one_function": ("f() {{", '  echo "line $i" {i}', "}}"),
    "start_one_case": ("case x in", '  a{i}) echo "hi $x" {i};;', "esac"),
    "start_nested_ifs": ("", "if [ -n x ]; then if false; then echo {i}; elif [ 1 = 2 ]; then :; else while false; do :; done; fi; fi", ""),
    "start_here_document": ("cat >/dev/null <<'EOF'", "line {i} of a document", "EOF"),
    "start_array": ("a=(", "  item{i}", ")"),
    "start_comments": ("", "# comment line {i} about something", ""),
    "start_comments_inside": ("if true; then :", "# comment line {i} about something", "fi"),
}


def script(name: str, n: int, file: str) -> str:
    """The script of a shape for one amount."""
    if name in SHAPES:
        return SHAPES[name][0].format(n=n).replace("$F", file)
    if name != "start_mixed":
        head, line, end = STARTS[name]
        return "\n".join([head.format(), *(line.format(i=i) for i in range(n)), end.format()]) + "\n"
    lines = []
    for i in range(n):
        if i % 2:
            lines.append(f'x{i % 50}="value $x{i % 7} {i % 99}"; [ "$x{i % 50}" = y ] && echo no || :')
        else:
            lines.append(f"if [[ $x1 == a* ]]; then y=$((x+{i})); fi")
    return "\n".join(lines) + "\n"


def shortest(works: List[Callable[[], object]]) -> List[float]:
    """The shortest time of each in seconds, taken in turn."""
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for i, work in enumerate(works):
            started = time.perf_counter()
            work()
            best[i] = min(best[i], time.perf_counter() - started)
    return best


def measure(name: str) -> None:
    """Print a line for each amount: both times and their ratio."""
    sandbox = Sandbox(timeout=None)
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        for n in SHAPES[name][1] if name in SHAPES else (10_000,):
            ours, path = script(name, n, "/tmp/lines"), os.path.join(folder, "script")
            with open(path, "w", encoding="utf-8") as file:
                file.write(script(name, n, os.path.join(folder, "lines")))

            def bash(path: str = path) -> None:
                # deep recursion ends bash itself, where its stack is small: it is measured up to there
                subprocess.run(["bash", "--norc", "--noprofile", path], capture_output=True, check=False)

            def here(text: str = ours) -> None:
                sandbox.commands.run(text).check()

            a, b = shortest([here, bash])
            print(f"{name:<24} {n:>9,}   eryxsh {a * 1e3:10.2f} ms   bash {b * 1e3:10.2f} ms   {a / b:8.3f}", flush=True)


def main(names: List[str]) -> None:
    """Measure the shapes of these names, by default all."""
    for name in names or [*SHAPES, *STARTS]:
        measure(name)


if __name__ == "__main__":
    main(sys.argv[1:])
