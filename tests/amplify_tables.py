"""Templates that are made of the code's own tables, for tests/amplify.py: nothing that a table knows is listed by hand.

Where what a language knows is a word (an option, a function, a primary), the words come from its table: --help, jq's
builtins, the Go source. Where it is a letter or a mark, every one is tried.
"""

from __future__ import annotations

import dataclasses
import os
import random
import re
import string
from typing import Callable, Dict, List, Tuple

from amplify_programs import PROGRAMS, REPEATED
from watched import Child, Job

# What is never started: they wait, or end the child's own shell.
SKIPPED = {"sleep", "yes", "exec", "exit", "logout", "wait", "suspend"}

CORE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "core")
TOOLS = "cmd/std/"


def words(file: str, form: str, least: int) -> List[str]:
    """The words of a table in the Go source. Fewer than there were say that the table is not where it was."""
    with open(os.path.join(CORE, file), encoding="utf-8") as source:
        found = sorted(set(re.findall(form, source.read())))
    if len(found) < least:
        raise LookupError(f"{file}: {len(found)} words of {form}")
    return found


def cases(file: str, least: int) -> List[str]:
    """The words that a switch of the Go source tells apart."""
    clauses = words(file, r'case ((?:"[^"]*"(?:, )?)+):', 1)
    found = sorted({w for clause in clauses for w in re.findall(r'"([^"\\]+)"', clause)})
    if len(found) < least:
        raise LookupError(f"{file}: {len(found)} words")
    return found


@dataclasses.dataclass(frozen=True)
class Book:
    """What all tables know."""

    utilities: Dict[str, List[str]]  # by name, the options that take an argument
    flags: Dict[str, List[str]]  # and those that do not
    jq: List[Tuple[str, int]]  # builtins with the number of arguments
    awk: List[Tuple[str, int, int]]  # functions with the least and the largest number
    words: Dict[str, List[str]]


def book(child: Child) -> Book:
    """Reads the tables: of options as --help prints them, of builtins in their usage, and those of the languages."""
    script = 'for c in /bin/*; do n=${c##*/}; echo "== $n"; $n --help </dev/null 2>/dev/null; done; '
    script += 'for b in $(compgen -b); do echo "== $b"; help $b 2>/dev/null; done; echo "== "; jq -nr "builtins[]"'
    utilities: Dict[str, List[str]] = {}
    flags: Dict[str, List[str]] = {}
    jq: List[Tuple[str, int]] = []
    name = ""
    for line in child.run(Job(script, timeout=20, shown=True)).stdout.splitlines():
        if line.startswith("== "):
            name = line[3:]
            if name and name not in SKIPPED and re.fullmatch(r"[\w.+\[-]+", name):
                utilities.setdefault(name, [])
                flags.setdefault(name, [])
        elif not name and "/" in line:
            jq.append((line.rpartition("/")[0], int(line.rpartition("/")[2])))
        elif name in utilities:
            for option in re.findall(r"^ +(?:(-\w), )?(--[\w-]+)\[?=|^ +(-\w)[ ,]+[A-Z]|\[(-\w) \w+\]", line):
                utilities[name] += [o for o in option if o]
            for flag in re.findall(r"^ +(?:(-\w), )?(--[\w-]+)(?: |$)|^ +(-\w) ", line):
                flags[name] += [o for o in flag if o]
            for letters in re.findall(r"\[-(\w{2,})\]", line):
                flags[name] += ["-" + c for c in letters]
    if len(utilities) < 150 or len(jq) < 150 or sum(map(len, utilities.values())) < 400:
        raise LookupError(f"{len(utilities)} commands, {sum(map(len, utilities.values()))} options, {len(jq)} builtins of jq")
    awk = words(TOOLS + "internal/awk/op.go", r'"(\w+)": +\{fn\w+, (\d+), (\w+)\}', 40)
    sed = words(TOOLS + "internal/sed/parse.go", r"case ('.'(?:, '.')*):", 10)
    return Book(
        utilities,
        flags,
        jq,
        [(f[0], int(f[1]), int(f[2]) if f[2].isdigit() else int(f[1]) + 3) for f in awk],
        {
            "awk": words(TOOLS + "internal/awk/lexer.go", r'"(\w+)": true', 20),
            "awk variable": words(TOOLS + "internal/awk/op.go", r'"([A-Z]{2,})"', 20),
            "bc": words(TOOLS + "bc/lex.go", r"(?<= )([a-z]{2,})(?= (?:[a-z]+ )*\"\n)", 15) + list(string.ascii_lowercase),
            "dd": cases(TOOLS + "dd.go", 10),
            "dd flag": words(TOOLS + "dd.go", r'[{ ]"([a-z_]{3,})"[,}]', 20),
            "expr": cases(TOOLS + "expr.go", 8),
            "find": cases(TOOLS + "find/predicate.go", 30),
            "jq format": cases(TOOLS + "internal/jq/textfuncs.go", 5),
            "jq operator": words(TOOLS + "internal/jq/binary.go", r'"([-+*/%=!<>]{1,2})"', 8),
            "sed": sorted({c for clause in sed for c in re.findall("'(.)'", clause)}),
            "test": cases(TOOLS + "test.go", 10),
        },
    )


VALUES = (*["@N@"] * 10, "f", "a", "@O@", "@N@,@N@", "@N@K", "+@N@", "", "@C@", "%@N@@C@", "@T@")


def value(r: random.Random) -> str:
    """A word of a script: a number, openers, a format, a long text."""
    v = r.choice(VALUES)
    return f'"{v}"' if "@T@" in v else f"'{v}'"


def an_option(r: random.Random, b: Book) -> str:
    name = r.choice([n for n, options in b.utilities.items() if options])
    option = r.choice(b.utilities[name])
    flag = r.choice(b.flags[name] or [""]) if r.random() < 0.3 else ""
    file = r.choice(("f", "f", "@F@"))
    return f"{name} {flag} {option}{'=' if option.startswith('--') else ' '}{value(r)} {file} f <f >/dev/null"


def a_flag(r: random.Random, b: Book) -> str:
    name = r.choice(list(b.utilities))
    flags = " ".join(r.sample(b.flags[name], min(len(b.flags[name]), r.choice((0, 1, 1, 2)))))
    return r.choice(
        (f"{name} {flags} @F@ >/dev/null", f"{name} {flags} <@F@ >/dev/null", f"{name} {flags} @F@ t >g", f"{name} {flags} f @F@ >g")
    )


def an_operand(r: random.Random, b: Book) -> str:
    name = r.choice(list(b.utilities))
    operand = r.choice(("'@N@'", "'@O@'", "'-@O@'", "'@N@,@N@'", "'-@C@@N@'", "'@C@=@N@'", '"@T@"', 'a="@T@"', "'@P@@N@'"))
    return f"{name} {operand} '@N@' <f >/dev/null"


def an_awk(r: random.Random, b: Book) -> str:
    def call(depth: int) -> str:
        name, least, most = r.choice(b.awk)
        args = ", ".join(argument(depth) for _ in range(r.randint(least, most)))
        return f"{name}({args})"

    def argument(depth: int) -> str:
        choices = ["x", "x", "@N@", "-1", "a", "/a*b/", '"%@N@@C@"', '"@C@"', "a[1]", "$1", "$0"]
        return call(depth - 1) if depth and r.random() < 0.3 else r.choice(choices)

    variable = r.choice(b.words["awk variable"])
    body = r.choice(
        (
            "BEGIN{a[1];print length(" + call(1) + ")}",
            'BEGIN{n=split(x,a,"");print ' + call(1) + "}",
            "{print " + call(2) + "}",
            f"BEGIN{{{variable}=x}}{{print $1,$2}}",
            f"BEGIN{{{variable}=@N@; print x 1.5, @N@; $0=x; $3=1; print NF}}",
            f"{{{r.choice(b.words['awk'])} @O@}}",
            "BEGIN{while(i++<@N@)x=x @C@ x; print length(x)}",
            "BEGIN{a[x]=1; for(k in a)" + call(0) + "}",
            'BEGIN{print x @P@ @N@, -x, x==x"a", (x x)>x, x~/(a|b)*c/, x in a}',
        )
    )
    return f"awk -v x=\"@T@\" '{body}' f"


def a_jq(r: random.Random, b: Book) -> str:
    def call(depth: int) -> str:
        name, argc = r.choice(b.jq)
        return f"{name}({';'.join(argument(depth) for _ in range(argc))})" if argc else name

    def argument(depth: int) -> str:
        choices = [
            ".",
            ".[]?",
            "@N@",
            "-1",
            '"a"',
            '"a*"',
            ".[0]?",
            "[1]",
            "[.]",
            "{a:.}",
            "range(@N@)",
            '"%@C@"',
            "empty",
            "null",
            "$x",
            '"g"',
        ]
        return call(depth - 1) if depth and r.random() < 0.3 else r.choice(choices)

    operator = r.choice([*b.words["jq operator"], "and", "or", "//", "|=", "as [$y]|", ","])
    form = r.choice(b.words["jq format"])
    program = r.choice(
        (
            call(1),
            call(1),
            call(1) + " | " + call(0),
            f"[limit(5;{call(1)})]",
            f"[.[]? | {call(0)}]",
            f". {operator} {argument(1)}",
            f"(.. | {argument(0)}) {operator} {argument(0)}",
            f"@{form}",
            f"reduce .[]? as $i (null; {call(0)})",
            f"[foreach .[]? as $i (0; . + 1; {call(0)})]",
            f"path({call(0)})",
            f"try {call(1)} catch .",
            f"def f: {call(0)} | f; f",
            f".[@N@:] |= {argument(0)}",
            f"input {operator} {argument(0)}",
        )
    )
    given = r.choice(
        (
            'echo "\\"@T@\\""',
            'seq 1 $(echo "@T@" | wc -c) | jq -s -c .',
            "jq -n '[range(@N@)|tostring]'",
            "echo '@N@'",
            "yes '[' | head -n 9000 | tr -d '\\n'; yes ']' | head -n 9000 | tr -d '\\n'",
            'yes \'{"a":[1,2]}\' | head -n $(echo "@T@" | wc -c)',
        )
    )
    return f"{{ {given}; }} | jq -c --arg x @N@ '{program}' | wc -c"


def a_bc(r: random.Random, b: Book) -> str:
    name = r.choice(b.words["bc"])
    a, c = (r.choice(("@N@", "-@N@", "@N@.@N@", "x", "y[@N@]", "scale", "7^@N@", "@O@1")) for _ in "ab")
    line = r.choice(
        (
            f"{name}({a})",
            f"{name}({a},{c})",
            f"{a} @P@ {c}",
            f"{name}={a};1/3;{c}",
            f"{name} ({a}) {c}",
            f"define z({a}){{{name} z({c})}};z(1)",
        )
    )
    return r.choice(
        (
            f"echo '{line}' | bc -l",
            f'x="@T@"; echo "x=${{#x}}; {line}" | bc',
            f'x="@T@"; echo "x=${{x//[^0-9]/7}}; {line}" | bc -l'.replace("{line}", line),
        )
    )


def a_find(r: random.Random, b: Book) -> str:
    def primary() -> str:
        name = r.choice([*b.words["find"], "newer@C@@C@"])
        return f"-{name} {r.choice(('', value(r), value(r), value(r) + ' {} ' + r.choice(('+', chr(92) + ';'))))}"

    glue = r.choice((" ", " -o ", " , ", " ! ", " -a "))
    return f"find {r.choice(('d', 'f', '.', '@F@'))} {glue.join(primary() for _ in range(r.randint(1, 3)))} >/dev/null"


def a_sed(r: random.Random, b: Book) -> str:
    c = r.choice(b.words["sed"])
    script = r.choice(
        (
            f"{c}",
            f"{c}@N@",
            f"@N@{c}",
            f"@N@,@N@{c} @N@",
            f"@N@~@N@{c}",
            f"{c} @O@",
            f"/@O@/{c}",
            f"$!{c}",
            f":a;{c};ba",
            f":a;{c};N;ta",
            f":a;{c};$!ba;{r.choice(b.words['sed'])}",
            f"s/a*/&&/g;{c};{r.choice(b.words['sed'])}",
            "s/@C@*/@C@&/@N@@C@",
            f"s/a/b/{c};{c}/x/y/",
            f"{c}/a/@O@/",
            "y/abc/@C@@C@@C@/",
            "s/\\(a*\\)*b/\\@C@\\1/g",
        )
    )
    option = r.choice(("", "", *b.flags["sed"]))
    return f"sed {option} '{script}' {r.choice(('f', '@F@', '@F@'))} >/dev/null"


def a_comparison(r: random.Random, b: Book) -> str:
    a, c = (r.choice(("'@N@'", '"@T@"', "'@O@'", "-@N@", "f")) for _ in "ab")
    operator = r.choice((*b.words["expr"], *b.words["test"], "@P@", "-@C@"))
    glue = r.choice(b.words["test"])
    return r.choice(
        (
            f"expr {a} '{operator}' {c}",
            f"expr '{operator}' {a} {c} {c}",
            f"expr {a} : {c}",
            f"test {a} '{operator}' {c}",
            f"[ {a} '{operator}' {c} '{glue}' '{operator}' {c} ]",
            f"[[ {a} {operator} {c} ]]",
            f"x={a}; [[ $x =~ @O@ ]]",
            f"x={a}; y={c}; echo $((x @P@ y)) $((x @P@ @N@))",
            f"test '{operator}' {a}",
        )
    )


def a_dd(r: random.Random, b: Book) -> str:
    words = [w for w in b.words["dd"] if w.endswith(("flag", "conv"))]
    numbers = [w for w in b.words["dd"] if w not in words and w != "if"]
    operands = [f"{r.choice(numbers)}={r.choice(('@N@', '@N@', '@N@', '1', '3', '@N@x@N@', '@N@k', '@O@'))}" for _ in range(2)]
    operands.append(f"{r.choice(words)}={','.join(r.sample(b.words['dd flag'], r.choice((1, 2))))}")
    return f"dd if={r.choice(('f', '@F@', '/dev/zero'))} of=g {' '.join(operands)}"


def an_expansion(r: random.Random, b: Book) -> str:
    argument = r.choice(("a", "$x", "@N@", "@O@", "a*", "?", "*b*", "[a-z]", "\\", "+(a)", "*(a|b)c", "@N@:@N@", "/", "@C@"))
    operator = r.choice(("@P@", "@", *(m * n for m in "#%/^,:" for n in (1, 1, 2, 2)), *(":" + m for m in "-+=?")))
    second = r.choice(("", "/$x", "/b", "/&&", ":@N@"))
    subject = r.choice(("x", "x", "!x", "#x", "@", "*", "a[@]", "a[*]", "!a[@]", "!a*", "1", "a[@N@]"))
    setup = r.choice(
        ('x="@T@"', 'set -- $(seq 2000); x="@T@"', 'a=($(seq 2000)); x="@T@"', 'IFS=@C@; x="@T@"', 'shopt -s extglob nocasematch; x="@T@"')
    )
    use = r.choice(
        (
            "y=${E}",
            'y=("${E}")',
            ": ${E}",
            'case "${E}" in *a) ;; esac',
            "for i in ${E}; do :; done",
            "[[ ${E} == *a ]]",
            'cat <<< "${E}" >/dev/null',
        )
    )
    return f"{setup}; {use.replace('E', f'{subject}{operator}{argument}{second}')}"


def a_format(r: random.Random, b: Book) -> str:
    form = "".join(
        f"%{r.choice(('', '-', '0', '+', '#', ' ', '_', '^'))}{r.choice(('', '@N@', '.@N@', '@N@.@N@', '*'))}{r.choice(('', 'h', 'l'))}@C@"
        for _ in range(2)
    )
    return (
        r.choice(
            (
                "date +'{}'",
                "date -d @@N@ +'{}'",
                "printf '{}' @N@ @N@ @N@ a",
                "printf '%({})T' @N@",
                "find d -printf '{}'",
                "stat -c '{}' f",
                "stat -f -c '{}' f",
                "hexdump -e '@N@/@N@ \"{}\"' f",
                "od -t @C@@N@ f",
                "ls -l --time-style='+{}' d",
                "du --time --time-style='+{}' d",
                "ps -o '@C@@C@@C@,{}'",
                "seq -f '{}' 3",
                "numfmt --format='{}' @N@ 1K",
                'awk \'BEGIN{{printf "{}", @N@, @N@, @N@; print strftime("{}", @N@)}}\'',
                'jq -n \'@N@ | strftime("{}"), ("1" | strptime("{}"))\'',
                'x=\'\\@C@\\@C@@N@\'; echo "${{x@P}}"; echo -e "$x"; printf "$x"; tr "$x" a <f',
                "split -b 2 --filter='{}' f; csplit -b '{}' f 2",
                "diff --old-line-format='{}' --line-format='{}' --GTYPE-group-format='{}' f d/f",
                "pr -D '{}' f; cut -c '@N@-' f; sort -k '1.@N@@C@' f",
                "env -S '\\@C@ @O@'; tar cf - --transform 's/a/b/@C@@N@' f | wc -c",
                "grep -P '(?@C@@C@@O@' f; grep -P '\\@C@{{@N@}}' f; grep -E '[[:@C@:]{{@N@,@N@}}' f",
            )
        )
        .replace("{}", form)
        .replace("{{", "{")
        .replace("}}", "}")
    )


def by_hand(r: random.Random, b: Book) -> str:
    return r.choice(PROGRAMS[r.choice(list(PROGRAMS))])


def repeating(r: random.Random, b: Book) -> str:
    return r.choice(REPEATED)


KINDS: Dict[str, Callable[[random.Random, Book], str]] = {
    "option": an_option,
    "flag": a_flag,
    "operand": an_operand,
    "awk": an_awk,
    "jq": a_jq,
    "bc": a_bc,
    "find": a_find,
    "sed": a_sed,
    "comparison": a_comparison,
    "dd": a_dd,
    "expansion": an_expansion,
    "format": a_format,
    "program": by_hand,
    "repeated": repeating,
}
WEIGHTS = {"option": 4, "repeated": 4, "flag": 4, "program": 3, "awk": 2, "jq": 2, "expansion": 2, "format": 2}
