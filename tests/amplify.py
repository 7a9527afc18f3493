"""Finds the small scripts that cost much: numbers, nested and unclosed openers, products of texts, everywhere a script can put them.

    python tests/amplify.py                          a minute of it
    python tests/amplify.py --minutes 60 --seed 7    an hour, from another seed
    python tests/amplify.py --mutate --minutes 60    the recorded cases, changed at random, instead
    python tests/amplify.py --one SCRIPT             one script, with what is wrong with it

Every option of every utility that takes an argument (as its --help names them, which comes out of the
option tables), every operand, every builtin, every operator of an expansion, awk, sed, jq, bc, find, the regular
expressions and the formats get what a script can say at
little cost: 0, 1, 2^31±1, 2^63±1, 10^14, -1; openers nested, repeated and left open; long texts times long texts, at sizes n,
2n, 4n and 8n. A child runs each with timeout=1 and memory=64 MiB, and the parent watches it: the host lives, the run ends by 1.1 s, no
more than twice the limit is taken, and nothing ends in an internal error. What fails is tried again by itself, and printed.
"""

from __future__ import annotations

import argparse
import random
import re
import shlex
import sys
import time
from typing import Dict, Iterator, List, Sequence, Tuple

from watched import MIB, Child, Job, Outcome

NUMBERS = (
    "0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "100000000000000",
    "1000000000",
)
SIZES = (1, 2, 4, 8)
BASE = 25_000  # parts of the smallest text
OPENERS = (
    "(",
    "[",
    "{",
    "$(",
    "${",
    "$((",
    "`",
    "<(",
    '"',
    "'",
    "((",
    "[[",
    "${a[",
    "${x:-",
    "${x/",
    "a[",
    "\\(",
    "*(",
    "@(",
    "{a,",
    "[[:",
    "[^",
    "if ",
    "case x in ",
    "$'",
    "<<",
    ";;",
    "&&",
    "|",
    "!",
    "-",
    "a=",
    "/",
    "\\",
    "%",
    "~",
    "!(",
    "-not ",
    "\\( ",
    "?",
    "*",
    "+",
    "{1,",
    "a|",
    ".[",
    ". as $x|",
    "try ",
    "def f: ",
    "function f(){",
    "x=",
    "1+",
    "2^",
    "--",
)
LIMIT = 64 * MIB
SETUP = "printf 'a b\\tc\\n1 2 3\\nx,y,z\\n' >f; mkdir d; cp f d; "
LATE = 0.1  # part of the timeout that a run may take beyond it
NOISE = 0.15  # seconds: another process of the machine

# What is never started: they wait, or end the child's own shell.
SKIPPED = {"sleep", "yes", "exec", "exit", "logout", "wait", "suspend"}


def text(part: str, n: int) -> str:
    """A substitution of n times a part, which costs a few bytes to write."""
    return f"$(yes -- {shlex.quote(part)} | head -n {n} | tr -d '\\n')"


# Programs with a hole: @N@ for a number, @O@ for openers, @T@ for a long text.
PROGRAMS: Dict[str, Sequence[str]] = {
    "expansion": (
        *tuple(
            f'x="@T@"; y=${{x{op}}}; echo ${{#y}}'
            for op in (
                "//a/$x",
                "//?/$x",
                "/#/$x",
                "/%/$x",
                "//a*/b",
                "#*a",
                "##*a",
                "%a*",
                "%%a*",
                "^^",
                ",,",
                "^^a",
                "@Q",
                "@E",
                "@A",
                "@U",
                "@K",
                ":@N@",
                ":0:@N@",
                ":-@O@",
                ":@N@:@N@",
                "#@O@",
                "//@O@/b",
                "@P",
            )
        ),
        'a=({1..20000}); x="@T@"; b=("${a[@]/#/$x}"); echo ${#b[@]}',
        'x="@O@"; echo "${x@P}"',
        'x="@O@"; [[ -v "c[$x]" ]]',
        'x="@O@"; printf -v "c[$x]" 1',
        'x="@O@"; compgen -W "$x"',
        'x="@O@"; eval "$x"',
        'x="@O@"; eval "echo $x"',
        'x="@O@"; declare "a=($x)"',
        'x="@O@"; [[ a == $x ]]',
        'x="@O@"; case a in $x) ;; esac',
        'x="@O@"; echo $x',
        'x="@O@"; : $((x))',
        'let "@O@1"',
        "echo $((@N@ @N@))",
        "echo $((@N@*@N@)) $((1<<@N@)) $((2**@N@)) $((@N@%-1)) $((-@N@/-1))",
        "a[@N@]=x; echo ${#a[@]} ${a[@N@]}",
        "a=([@N@]=x y z)",
        "set -- a b c; shift @N@; echo ${@:@N@:@N@}",
        "echo {1..@N@}",
        "echo {@N@..1..@N@}",
        "echo {a..z..@N@}",
        "for ((i=@N@;i<@N@;i+=@N@)); do :; done",
        'x="@T@"; IFS=a; y=($x); echo ${#y[@]}',
        'x="@T@"; [[ $x =~ (a*)*b ]]',
        'x="@T@"; [[ $x == *a*a*a*b ]]',
        'x="@T@"; read -r -a y <<< "$x"',
        'x="@T@"; test "$x" -eq 1',
        "ulimit -f @N@; ulimit -n @N@; echo x >g",
        "exec @N@>&1",
        "echo x >&@N@",
        "read -n @N@ x <f",
        "read -t 0@N@ x <f",
        "mapfile -n @N@ -O @N@ -s @N@ -c @N@ a <f",
        "printf -v x %@N@d 1",
        "umask @N@",
        "kill -@N@ 0; kill -0 @N@",
        "history @N@",
        "break @N@",
        "return @N@",
        'getopts "@T@" o -a',
    ),
    "printf": (
        "printf '%@N@d|%.@N@d|%@N@s|%.@N@s' 1 2 3 4",
        "printf '%*d %.*f' @N@ 1 @N@ 2",
        "printf '%d %u %x %f %c %b' @N@ @N@ @N@ @N@ @N@ @N@",
        "printf '%(%Y@T@)T' @N@",
        "printf '@O@%'",
        'printf "@T@" 1 2',
        "printf '%.@N@e %.@N@g %@N@a' 1 2 3",
    ),
    "awk": (
        "awk 'BEGIN{@O@}'",
        'awk "BEGIN{x=@O@1}"',
        "awk 'BEGIN{printf \"%@N@d %.@N@f\", 1, 2}'",
        'awk \'BEGIN{print substr("abc",@N@,@N@), index("a",@N@)}\'',
        "awk 'BEGIN{$@N@=1; print NF}'",
        "awk '{NF=@N@; print NF}' f",
        "awk -v x=\"@T@\" 'BEGIN{y=x; gsub(/a/,x,y); print length(y)}'",
        'awk -v x="@T@" \'BEGIN{n=split(x,a,""); print n}\'',
        "awk -v x=\"@T@\" 'BEGIN{print match(x,/(a*)*b/)}'",
        'awk -v x="@T@" \'BEGIN{print gensub(/a/,"&&&&",@N@,x)}\'',
        "awk 'BEGIN{print lshift(1,@N@), rshift(@N@,1), strftime(\"%c\",@N@), int(@N@), 2^@N@, @N@%0.1}'",
        "awk -v x=\"@T@\" '$0 ~ x' f",
        "awk -F \"@T@\" '{print $1}' f",
        "awk -F '@O@' '{print $1}' f",
        "awk -v FIELDWIDTHS='@N@ @N@' '{print $2}' f",
        "awk -v RS='@O@' 1 f",
        "awk -v OFS=\"@T@\" '{$1=$1; print length}' f",
        'awk \'BEGIN{CONVFMT="%.@N@g"; x=3.1 ""; print x}\'',
        "awk 'BEGIN{for(;;) a[i++]=i}'",
        "awk 'BEGIN{srand(@N@); print rand(); exit @N@}'",
    ),
    "sed": (
        "sed '@O@' f",
        "sed 's/@O@/x/' f",
        "sed -E 's/@O@/x/' f",
        "sed 's/a/@T@&/g' f",
        "sed 's/a/b/@N@' f",
        "sed '@N@p' f",
        "sed '1,+@N@p' f",
        "sed '@N@~@N@p' f",
        "sed '1,~@N@d' f",
        "sed 'l @N@' f",
        "sed 'q@N@' f",
        "sed 'y/@T@/@T@/' f",
        'echo "@T@" | sed "s/a/$(printf %1000s)/g" | wc -c',
        "echo \"@T@\" | sed ':a;s/^\\(a*\\)a/\\1/;ta' | wc -c",
        "sed ':a;s/.*/&&/;ta' f",
        "sed '{' ; sed '@O@}' f",
        "sed -l @N@ -n l f",
    ),
    "jq": (
        "jq -n '@O@'",
        "jq -n '\"a\"*@N@|length'",
        "jq -n '[range(@N@)]|length'",
        "jq -n '[limit(@N@;repeat(1))]|length'",
        "jq -n '.[@N@]=1|length'",
        "jq -n '[1,2,3][@N@:@N@]'",
        "jq -n '\"abc\"[@N@:@N@]'",
        "jq -n '@N@*@N@, @N@%@N@, pow(@N@;@N@), (@N@|tostring), (@N@|todate?)'",
        "jq -n '[splits(\"a\")?]'",
        'echo "\\"@T@\\"" | jq \'gsub("a";"bbbb")|length\'',
        'echo "\\"@T@\\"" | jq \'[splits("")]|length\'',
        'echo "\\"@T@\\"" | jq \'explode|implode|tojson|@base64|@base64d|@uri|length\'',
        "echo '@O@' | jq .",
        "echo '@O@1' | jq -c .",
        "jq -n '[range(20)]|[combinations(@N@)]?|length'",
        "jq -n '[nth(@N@;repeat(1))]'",
        "jq -n '[first(range(@N@))],[range(0;@N@;@N@)]|length'",
        "jq --indent @N@ . <<< '[1]'",
        "jq -n 'def f: [f]; f'",
        "jq -n '[[[1]]]|flatten(@N@)'",
        "jq -n '\"a\"|until(length > @N@;.+.)|length'",
        'jq -n \'"a"|ltrimstr("@T@")|test("@O@")\'',
        "jq -n 'setpath([@N@];1)|length'",
        "jq -n '[.[]?]|getpath([@N@,@N@])'",
        "jq -n '@N@|[splits(\"a\")?],ascii?,[@N@]|implode?'",
    ),
    "bc": (
        "echo '@O@1' | bc",
        "echo 'scale=@N@; 1/3' | bc",
        "echo '2^@N@' | bc",
        "echo 'ibase=@N@; obase=@N@; 255' | bc",
        "echo 'obase=@N@; 10^1000' | bc",
        "echo 'length(10^@N@)' | bc",
        "echo 'x[@N@]=1' | bc",
        "echo 'scale=@N@; sqrt(2)' | bc",
        "echo 's(@N@); e(@N@); l(@N@)' | bc -l",
        "echo '@T@*@T@' | tr a 7 | bc | wc -c",
        "echo 'define f(x){return f(x+1)} f(1)' | bc",
        "echo 'last=1;while(1)last=last*9' | bc",
    ),
    "find": (
        "find d @O@ -name f",
        "find d -maxdepth @N@ -mindepth @N@",
        "find d -size @N@c -o -size +@N@G -o -mtime @N@ -o -mmin @N@ -o -links @N@ -o -inum @N@ -o -uid @N@",
        "find d -printf '%@N@p %.@N@p %-@N@s %@N@d %@N@m\\n'",
        "find d -printf '@O@'",
        "find d -name \"@T@\" -o -path '@O@' -o -regex '@O@'",
        "find d -newermt @N@ -o -perm @N@ -o -perm /@N@",
    ),
    "regex": tuple(
        f"{tool} '@O@' f"
        for tool in (
            "grep",
            "grep -E",
            "grep -P",
            "grep -F",
            "rg",
            "expr abc :",
            "csplit f",
            "nl -b p",
            "sed -nE /@O@/p #",
            "grep -w",
            "grep -xi",
        )
    )
    + tuple(
        f'echo "@T@" | {tool} | wc -c'
        for tool in (
            "grep -E '(a*)*b'",
            "grep -o a",
            "grep -Eo '(a|b)[ab]{200}(a|b)'",
            "grep -P '(a+)+b'",
            "grep '\\(a*\\)*\\1b'",
            'grep -e "@T@"',
            "grep -E 'a{@N@}'",
            "grep -E 'a{1,@N@}'",
            'grep -i "@T@"',
            "rg -o 'a+?'",
            "rg 'a{@N@}'",
        )
    )
    + ("grep -m @N@ -A @N@ -B @N@ a f", "seq 200000 >p; grep -F -f p f; grep -f p f", "[[ abc =~ @O@ ]]"),
    "text": (
        "date +%@N@Y",
        "date -d @@N@",
        "date -d '@N@ days'",
        "date -d '@T@'",
        "touch -d @@N@ g",
        "dd if=f bs=@N@ count=@N@",
        "dd if=/dev/zero of=g bs=1 seek=@N@ count=1",
        "dd if=f skip=@N@ ibs=@N@ obs=@N@",
        "tr a '[b*@N@]' <f",
        "tr '@O@' x <f",
        'tr -d "@T@" <f',
        "seq @N@",
        "seq 1 @N@ @N@",
        "seq -w @N@ @N@",
        "seq -f %@N@g 3",
        "factor @N@ @N@1 @N@@N@",
        "numfmt @N@ @N@K",
        "expr @N@ '*' @N@ + @N@",
        "expr substr abc @N@ @N@",
        "expr '@O@'",
        "test '@O@'",
        "test '(' @O@ 1",
        "truncate -s @N@ g",
        "stat --printf '%@N@n%.@N@X@O@' f",
        "ls -w @N@ -T @N@ -C",
        "csplit f @N@",
        "csplit f 1 '{@N@}'",
        "csplit -n @N@ f 2",
        "printf '@O@' | patch",
        "printf -- '--- a\\n+++ f\\n@@ -@N@,@N@ +@N@,@N@ @@\\n-a\\n' | patch",
        "printf '@N@c@N@\\n< a\\n---\\n> b\\n' | patch f",
        "xargs -n @N@ -s @N@ -P @N@ echo <f",
        'echo "@T@" | xargs echo | wc -c',
        "shuf -i 0-@N@ -n @N@",
        "od -j @N@ -N @N@ -w@N@ f",
        "xxd -s @N@ -l @N@ -c @N@ f",
        "hexdump -e '@N@/@N@ \"%@N@d\"' f",
        "hexdump -e '@O@' f",
        "sort -k@N@.@N@,@N@ f",
        "cut -b@N@-,1-@N@ f",
        'cut -f1- -d, --output-delimiter="@T@" f',
        "join -j @N@ f f",
        "join -o 1.@N@,2.@N@ f f",
        'paste -d "@T@" f f',
        'X="@T@" envsubst <<< "@T@" | wc -c',
        'column -t -s "@T@" f',
        "base64 -w @N@ f",
        "timeout @N@ true",
        "nice -n @N@ true",
        "head -c @N@ f",
        "tail -n @N@ f",
        "head -n -@N@ f",
        "diff -y -W @N@ f d/f",
        "diff -U @N@ f d/f",
        "diff --line-format='%@N@l%c'@O@ f /dev/null",
        "expand -t @N@ f",
        "unexpand -t @N@,@N@ f",
        "fmt -w @N@ -g @N@ f",
        "fold -w @N@ f",
        "pr -w @N@ f",
        "nl -w @N@ -v @N@ -i @N@ f",
        "tar cf - --transform 's/@O@/x/' f | wc -c",
        "awk -f <(echo '@O@')",
        "iconv -f @T@ f",
        'getopt -o "@T@" -- -a',
        "envsubst '@O@' <f",
        "echo '@O@' | tsort",
        "split -b @N@ f",
        "split -n @N@ f",
        "split -l @N@ -a @N@ f",
        "split -n @N@/@N@ f",
        "mktemp @T@XXXX",
        'realpath "@T@"',
        'basename "@T@" "@T@"',
        "chmod @N@ f",
        "kill -l @N@",
        "sleep 0@N@",
        "tput cup @N@ @N@",
        "unzip f",
        "strings -n @N@ f",
        "cmp -i @N@ -n @N@ f d/f",
        "uniq -w @N@ -s @N@ -f @N@ f",
        'tac -s "@T@" f',
        'comm --output-delimiter="@T@" f f',
        "cksum -a @N@ f",
        "du -d @N@ -B @N@ -t @N@",
        "df -B @N@",
        "free -c @N@ -s 0",
        "tree -L @N@",
        "tail -f --pid=@N@ -s 0 f",
    ),
}


def fill(program: str, r: random.Random, size: int) -> str:
    """A program with its holes filled."""

    def hole(match: re.Match[str]) -> str:
        kind = match.group(1)
        if kind == "N":
            return r.choice(NUMBERS)
        if kind == "T":
            return text(r.choice(("a", "ab", "a ", "\\", "é")), BASE * size)
        o = r.choice(OPENERS)
        if r.random() < 0.3:
            o += r.choice(OPENERS)
        o = o.replace("'", "'\\''") if r.random() < 0.5 else o
        return o * r.choice((30, 1000, 10_000, BASE)) if len(o) * BASE < 200_000 else o * 1000

    return re.sub("@([NTO])@", hole, program)


def tables(child: Child) -> List[Tuple[str, List[str]]]:
    """Each utility with those of its options that take an argument, as its --help prints the option table."""
    script = 'for c in /bin/*; do n=${c##*/}; echo "== $n"; $n --help </dev/null 2>/dev/null; done; '
    script += 'for b in $(compgen -b); do echo "== $b"; done'
    answer = child.run(Job(script, timeout=20, shown=True)).stdout
    found: Dict[str, List[str]] = {}
    name = ""
    for line in answer.splitlines():
        if line.startswith("== "):
            name = line[3:]
            found.setdefault(name, [])
        for option in re.findall(r"^ +(?:(-\w), )?(--[\w-]+)\[?=|^ +(-\w)[ ,]+[A-Z]", line):
            found[name] += [o for o in option if o]
    return [(n, sorted(set(options))) for n, options in found.items() if n not in SKIPPED and re.fullmatch(r"[\w.+\[-]+", n)]


def cases(r: random.Random, commands: List[Tuple[str, List[str]]]) -> Iterator[Tuple[str, str]]:
    """Scripts without end: the name of what is tried, and the script."""
    options = [(name, o) for name, all_of_it in commands for o in all_of_it]
    programs = [(group, p) for group, all_of_it in PROGRAMS.items() for p in all_of_it]
    while True:
        r.shuffle(options)
        r.shuffle(programs)
        for (name, o), (group, p) in zip(options + options[: len(programs)], programs * (1 + len(options) // len(programs))):
            value = fill(r.choice(("@N@", "@N@", "@N@", "@O@", "@N@,@N@", "@N@K", "+@N@", "''")), r, 1)
            quoted = value if value.startswith("$(") else shlex.quote(value)
            join = "=" if o.startswith("--") else " "
            yield f"{name} {o}", f"{SETUP}{name} {o}{join}{quoted} f f <f >/dev/null"
            for size in SIZES if "@T@" in p else (1,):
                yield group, SETUP + fill(p, r, size)
        for name, _ in r.sample(commands, len(commands) // 4):
            operand = shlex.quote(fill(r.choice(("@N@", "@O@", "-@O@", "@N@,@N@")), r, 1))
            yield f"{name} operand", f"{SETUP}{name} {operand} {shlex.quote(fill('@N@', r, 1))} <f >/dev/null"


def mutated(r: random.Random) -> Iterator[Tuple[str, str]]:
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
        yield "mutated", s[:400_000]


def wrong(o: Outcome, job: Job) -> str:
    """What is wrong with an outcome, if anything is."""
    if o.died:
        return o.died
    if o.error == "INTERNAL" or o.status == 134 or "internal error" in o.stderr:
        return "internal error"
    if o.seconds > job.timeout * (1 + LATE) + NOISE:
        return f"late: {o.seconds:.2f} s"
    if o.grown > 2 * job.memory + 48 * MIB:
        return f"memory: {o.grown // MIB} MiB"
    return ""


def main() -> int:
    """Runs what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutate", action="store_true")
    parser.add_argument("--only", default="", help="what is tried has this in its name or its script")
    parser.add_argument("--one")
    args = parser.parse_args()
    with Child(cap=1 << 30, patience=4.0) as child:
        if args.one is not None:
            job = Job(args.one, timeout=1, memory=LIMIT, file_bytes=LIMIT // 2)
            o = child.run(job)
            print(o, wrong(o, job) or "nothing is wrong")
            return 1 if wrong(o, job) else 0
        r = random.Random(args.seed)
        print(f"seed {args.seed}", flush=True)
        source = mutated(r) if args.mutate else cases(r, tables(child))
        until, n, bad, seen = time.monotonic() + args.minutes * 60, 0, 0, set()
        for name, script in source:
            if time.monotonic() > until:
                break
            if args.only not in name + script:
                continue
            n += 1
            if n % 300 == 0:
                child.end()  # what is left of one run is no part of another's
            job = Job(script, timeout=1, memory=LIMIT, file_bytes=LIMIT // 2)
            why = wrong(child.run(job), job)
            if why:
                child.end()
                why = wrong(child.run(job), job)  # by itself
            if why:
                child.end()
                bad += 1
                shown = (name, why.split(":")[0])
                if shown not in seen or args.mutate:
                    seen.add(shown)
                    print(f"{name}: {why}\n    {script[:3000] if args.mutate else script.replace(SETUP, '')[:300]!r}", flush=True)
        print(f"{n} scripts, {bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
