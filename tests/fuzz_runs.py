"""A fuzzer of running scripts: generated scripts, random stop points, random tool answers.

    python tests/fuzz_runs.py                        30 minutes
    python tests/fuzz_runs.py --minutes 1 --seed 5
    python tests/fuzz_runs.py --seed 5 --one 17      script 17 of seed 5 again, shown, stopped after every step

Each script runs twice in a virtual world: once without a stop, and once moved between
two processes at random safe points and at each tool call, which the other process then
answers (tests/moved.py). Output, status, steps and the whole state at the end must be
the same bytes. The seed is printed; the exit status is 1 if anything differed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from typing import Callable, List

import moved

TOOLS = ("ask", "up")
FILES = {
    "in": "b 2\na 1\nc 3\nb 2\n",
    "in.json": '{"a":[1,2,{"b":"x"}],"c":null}\n',
    "d/e": "1\n2\n",
    "lib": "lib() { echo lib $1 $(ask lib); }\n",
}

# Words and commands without parts of their own.
PLAIN = (
    "a",
    "bc",
    "'d e'",
    "1",
    "*",
    "in",
    "{1..3}",
    "d/*",
    "~",
    "$'t\\tu'",
)
EXPANSIONS = (
    '"$x"',
    "$x",
    '"${a[@]}"',
    "${a[*]-}",
    "$#",
    "$?",
    "$1",
    "${x:-none}",
    "${x//a/A}",
    "${#x}",
    "${!a[@]}",
    "$RANDOM",
)
SOURCES = (
    "cat in",
    "seq 30",
    "printf '%s\\n' c a b",
    "jq -c '.a[]' in.json",
    "find . -name 'i*' | sort",
    "tail -n 2 in",
    "yes ab | head -n 40",
    "find d -type f -exec ask {} \\;",
    "awk '{ s += $2; print s, $1 }' in",
    "cat <(ask p) in",
    "tar cf - d | tar tf -",
    "gzip -c in | zcat",
    "sort -u in",
    "date +%s",
    "od -c in",
    "diff in lib",
    "env | sort | head -n 3",
    "declare -p x a",
    "history",
)
FILTERS = (
    "sort",
    "tac",
    "wc",
    "tr a-z A-Z",
    "sed 's/a/[&]/g; 2q'",
    "grep -n a",
    "cut -c1-3",
    "head -n 3",
    "tail -n 1",
    "rev",
    "uniq -c",
    "nl",
    "up",
    "up x",
    "xargs -n2 ask",
    "xargs -n1 echo",
    "tee log",
    "awk '{ print NR, $0 }'",
    "paste -sd,",
    "cat -A",
    "gzip | zcat",
    "jq -R .",
)
SIMPLE = (
    "true",
    "false",
    "(exit 3)",
    "read -r x y < in",
    "shift",
    "set -- p 'q r'",
    "unset x",
    "checkpoint c",
    "sleep 0.01",
    "cd d; cd ..",
    "kill -USR1 $$",
)
JOBS = (
    "ask one & ask two & wait",
    "ask bg &",
    "{ sleep 0.1; echo late; } &",
    "wait -n",
    "(ask sub; exit 2)",
    "timeout 1 sleep 3",
    "coproc cat; wait",
)
OTHERS = (
    "eval 'echo $x'",
    "source ./lib; lib 2",
    "bash -c 'echo $0 $1; ask in' n m",
    "let n+=1",
    "local l=1 2>&1",
    "printf -v x %03d 7",
    "mktemp -u",
)


# What a script may hold, in bytes: some double what they have until they meet the
# limit, and are moved with all of it, or go through it once for each thing it holds.
MEMORY = 2 << 20


class Writer:
    """Writes scripts that end."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.functions = 0
        self.loops = 0

    def one(self, *choices: str) -> str:
        """One of them."""
        return self.rng.choice(choices)

    def script(self) -> str:
        """A script of a few lines."""
        lines = [self.one("", "set -e", "set -u", "set -o pipefail", "shopt -s lastpipe", "set -f", "IFS=:", "set -E"), ". ./lib"]
        if self.rng.random() < 0.4:
            lines.append(f"trap '{self.trap()}' {self.one('EXIT', 'ERR', 'DEBUG', 'RETURN', 'USR1', 'EXIT')}")
        lines += [self.command(3) for _ in range(self.rng.randrange(2, 7))]
        lines.append('echo "end $? ${x-} ${a[*]-} $RANDOM"; ls -l --time-style=+%s . | cksum; jobs; wait')
        return "\n".join(lines) + "\n"

    def trap(self) -> str:
        """What a trap does; no quotes in it."""
        return self.one("echo trapped $?", "ask trap $?", "x=$(ask trap)", "echo ${x-} >> log", "return 0 2> /dev/null", ":")

    def word(self, depth: int) -> str:
        """A word, quoted where it must be."""
        kinds = [
            lambda: self.one(*PLAIN),
            lambda: self.one(*EXPANSIONS),
            lambda: f"$(({self.one('n++', 'n+=2', '1+1', 'RANDOM%3', 'n?1:2', '${#x}')}))",
        ]
        if depth > 0:
            kinds += [
                lambda: f"$(\n{self.command(depth - 1)}\n)",
                lambda: f'"$({self.command(depth - 1)}\n)"',
                lambda: f"<({self.command(depth - 1)}\n)",
            ]
        return self.rng.choice(kinds)()

    def words(self, depth: int) -> str:
        """One to three words."""
        return " ".join(self.word(depth) for _ in range(self.rng.randrange(1, 4)))

    def source(self, depth: int) -> str:
        """Something that prints."""
        return self.rng.choice(
            [
                lambda: f"echo {self.words(depth)}",
                lambda: f"ask {self.words(0)}",
                lambda: self.one(*SOURCES),
                lambda: self.one(*SOURCES),
                lambda: self.one(*SOURCES),
            ]
        )()

    def filter(self, depth: int) -> str:
        """Something that reads and prints."""
        return self.rng.choice(
            [
                lambda: self.one(*FILTERS),
                lambda: self.one(*FILTERS),
                lambda: "while read -r l; do " + self.line(depth) + ' echo "<$l>"; done',
                lambda: "{ read -r x; echo $x; cat; }",
                lambda: "( mapfile -t a; echo ${#a[@]} )",
            ]
        )()

    def line(self, depth: int) -> str:
        """A command inside a line, or nothing."""
        return self.command(depth - 1) + "\n" if depth > 0 and self.rng.random() < 0.5 else ""

    def simple(self, depth: int) -> str:
        """A simple command."""
        return self.rng.choice(
            [
                lambda: self.source(depth),
                lambda: f"x={self.word(depth)}",
                lambda: f"x=$({self.source(depth)})",
                lambda: f"a=({self.words(depth)})",
                lambda: f"a+=({self.one(*PLAIN)})",
                lambda: self.source(depth) + " " + self.one("> out", ">> log", "2>&1", "> /dev/null", "3>&1 >&3"),
                lambda: f"cat <<E\n$x $({self.source(0)}) $((n++))\nE",
                lambda: f"up <<< {self.word(0)}",
                lambda: self.one(*SIMPLE),
                lambda: self.one(*JOBS),
                lambda: f"f{self.rng.randrange(self.functions)} {self.words(depth)}" if self.functions else "lib 1",
                lambda: self.one(*OTHERS),
            ]
        )()

    def command(self, depth: int) -> str:
        """Any command."""
        if depth <= 0 or self.rng.random() < 0.35:
            return self.simple(depth - 1)

        k = f"k{self.loops}"

        def body() -> str:
            return "\n".join(self.command(depth - 1) for _ in range(self.rng.randrange(1, 3))) + "\n"

        kinds: List[Callable[[], str]] = [
            lambda: f"if {body()}then {body()}{self.one('', 'else echo no' + chr(10))}fi",
            lambda: f"for i in {self.words(1)}; do {body()}done",
            lambda: self.counted(f"for (({k}=0; {k}<3; {k}++)); do {{}}done", body),
            lambda: self.counted(f"{k}=0; while (({k}++ < 3)); do {{}}done", body),
            lambda: self.counted(f"{k}=0; until (({k}++ == 2)); do {{}}{self.one('continue', 'break', ':')}\ndone", body),
            lambda: f"case {self.word(1)} in a*) {body()};; [0-9]) {body()};& *) {body()}esac",
            lambda: f"( {body()})",
            lambda: f"{{ {body()}}} {self.one('', '> out', '2> log', '& wait', '| cat')}",
            lambda: f"{self.source(depth - 1)} | {self.filter(depth - 1)}",
            lambda: f"{self.source(depth - 1)} | {self.filter(depth - 1)} | {self.filter(0)}",
            lambda: f"{self.simple(0)} {self.one('&&', '||')} {{ {body()}}}",
            lambda: f"! {{ {body()}}}",
            lambda: f"while read -r l m; do {body()}done < <({self.source(0)} | head -n 2)",
            lambda: f"time {{ {body()}}} 2> /dev/null",
            self.function,
        ]
        return self.rng.choice(kinds)()

    def counted(self, loop: str, body: Callable[[], str]) -> str:
        """A loop with a counter of its own: no other one sets it back."""
        self.loops += 1
        return loop.format(body())

    def function(self) -> str:
        """A definition; calls come later, so that nothing recurs."""
        text = f"f{self.functions}() {{ local x=$1; {self.simple(0)}\n{self.command(1)}\n{self.one('', 'return 2')}\n}}"
        self.functions += 1
        return text


def case(seed: int, number: int) -> moved.Case:
    """A script of a seed."""
    rng = random.Random(f"{seed} {number}")
    return moved.Case(f"{seed}-{number}", (Writer(rng).script(),), FILES, {}, rng.choice([None, "typed\n"]), tools=TOOLS, memory=MEMORY)


def main(argv: List[str]) -> int:
    """Fuzz; 1 if something differed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--stops", type=int, default=8, help="random stops of each script, beside its calls")
    parser.add_argument("--one", type=int, help="only the script of this number, after every step")
    options = parser.parse_args(argv)
    print(f"seed {options.seed}", flush=True)
    pair = moved.Pair()
    end = time.monotonic() + options.minutes * 60
    count = differed = 0
    for number in [options.one] if options.one is not None else range(1 << 40):
        if options.one is None and time.monotonic() > end:
            break
        made = case(options.seed, number)
        if options.one is not None:
            print(made.scripts[0])
        difference = moved.compare(pair, made, moved.EVERY if options.one is not None else options.stops, options.seed)[1]
        count += 1
        if difference is not None:
            differed += 1
            print(f"script {number}: {difference}", flush=True)
    pair.close()
    print(f"fuzz: {count} scripts, {pair.moves} legs in two processes, {differed} differ when moved")
    return 1 if differed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
