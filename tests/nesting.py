"""Deep nesting in every language that a script can write, on a thread with a stack of 256 KiB.

    python tests/nesting.py                            10,000 deep
    python tests/nesting.py --sizes 100000 1000000     as deep as these

Each case begins something n times, closes it n times or not at all, and is given as a script, an argument, a file or a
variable. It may end in an answer or in an error, in time: what it may not do is end the process, hang, or end in an internal
error. A child runs the cases, so that its death is a result like another.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

STACK = 256 << 10
TIMEOUT = 1.0
PATIENCE = 20.0  # seconds for a case that should end after one: the machine has other work

# What a language nests: the opener, what is inside, and the closer.
SHELL = (
    *(("(", ":", ")"), ("((", "1", "))"), ("$(", ":", ")"), ("$((", "1", "))"), ("${a:-", "b", "}"), ("${a[", "1", "]}"), ("<(", ":", ")")),
    *(
        ("{ ", ":", "; }"),
        ("if :; then ", ":", "; fi"),
        ("while ", "false", "; do :; done"),
        ("case a in a) ", ":", ";; esac"),
        ("! ", ":", ""),
    ),
    *(
        ("f() { ", ":", "; }"),
        ("[[ ( ", "a", " ) ]]"),
        ("`", ":", "`"),
        ("\\`", ":", "\\`"),
        ("time ", ":", ""),
        ("eval ", ":", ""),
        ("{a,", "b", "}"),
    ),
    *(
        (": && ", ":", ""),
        (": | ", ":", ""),
        (":;", "", ""),
        ("a[", "1", "]=1"),
        ("coproc ", ":", ""),
        ('"$(', ":", ')"'),
        ("@(a|", "b", ")"),
    ),
)
ARITHMETIC = (
    ("(", "1", ")"),
    ("-", "1", ""),
    ("!", "1", ""),
    ("1?", "1", ":1"),
    ("1+", "1", ""),
    ("a[", "1", "]"),
    ("2**", "1", ""),
    ("1,", "1", ""),
    ("a=", "1", ""),
)
AWK = (
    *(
        ("(", "1", ")"),
        ("-", "1", ""),
        ("!", "1", ""),
        ("$", "1", ""),
        ("{", "", "}"),
        ("if(1)", "x", ""),
        ("while(0)", "x", ""),
        ("f(", "1", ")"),
        ("x[", "1", "]"),
    ),
    *(
        ("x=", "1", ""),
        ("1?", "1", ":1"),
        ("2^", "1", ""),
        ("1 ", "1", ""),
        ("length(", "1", ")"),
        ("++", "x", ""),
        ('"a" | getline ', "x", ""),
        ("/(", "a", ")/"),
    ),
)
JQ = (
    *(
        ("(", ".", ")"),
        ("[", ".", "]"),
        ("{a:", ".", "}"),
        ("-", "1", ""),
        (".|", ".", ""),
        (".[", "0", "]"),
        ("try ", ".", ""),
        ("if . then ", ".", " end"),
        ("def f: ", ".", "; f"),
    ),
    *(
        (". as $x|", ".", ""),
        ("reduce . as $x (", ".", ";.)"),
        ('"\\(', ".", ')"'),
        ("1+", "1", ""),
        (".a", "", ""),
        ("first(", ".", ")"),
        (".//", ".", ""),
        (". as [", "$x", "]|."),
    ),
)
BC = (
    ("(", "1", ")"),
    ("-", "1", ""),
    ("{", "1", "}"),
    ("if (1) ", "1", ""),
    ("a[", "1", "]"),
    ("sqrt(", "1", ")"),
    ("x=", "1", ""),
    ("1^", "1", ""),
    ("!", "1", ""),
)
WORDS = (
    ("( ", "a", " )"),
    ("\\( ", "a", " \\)"),
    ("! ", "a", ""),
    ("a -o ", "a", ""),
    ("a : ", "a", ""),
    ("-not ", "-true", ""),
    ("\\( -true -a ", "-true", " \\)"),
    ("1 + ", "1", ""),
)
REGEX = (
    *(
        ("(", "a", ")"),
        ("\\(", "a", "\\)"),
        ("(?:", "a", ")"),
        ("[", "a", "]"),
        ("a*", "", ""),
        ("a|", "a", ""),
        ("(a", "", "*)"),
        ("(?=", "a", ")"),
        ("a{2}", "", ""),
        ("((a{2})", "b", "){2}"),
    ),
    *(("(?i)", "a", ""), ("\\Q", "a", "\\E"), ("[[:alpha:]", "a", "]"), ("(?<a>", "a", ")"), ("^", "a", "$")),
)
GLOBS = (
    ("*(", "a", ")"),
    ("!(", "a", ")"),
    ("@(a|", "b", ")"),
    ("[", "a", "]"),
    ("[[:", "a", ":]]"),
    ("*", "a", ""),
    ("?", "a", ""),
    ("*/", "a", ""),
    ("{a,", "b", "}"),
    ("+(", "*", ")"),
)
FORMATS = (
    ("%s", "", ""),
    ("%%", "", ""),
    ("%(", "%Y", ")T"),
    ("%*", "d", ""),
    ("\\", "n", ""),
    ("%-", "d", ""),
    ("%5.", "d", ""),
    ("\\(", "a", "\\)"),
    ("%p%", "", ""),
)
SED = (
    ("{", "p", "}"),
    ("/a/{", "p", "}"),
    ("s/\\(", "a", "\\)/x/"),
    ("!", "p", ""),
    ("p;", "", ""),
    (":a;", "ba", ""),
    ("s/a/b/;", "", ""),
    ("1!", "p", ""),
    ("y/a/b/;", "", ""),
)
DATA = (("[", "1", "]"), ('{"a":', "1", "}"), ("[1,", "1", "]"), ("(", "a", ")"))

# How a script gives them: $x is the text, p a file of it.
USES: Sequence[Tuple[str, Sequence[Tuple[str, str, str]], Sequence[str]]] = (
    (
        "script",
        SHELL,
        ('eval "$x"', ". ./p", ': "${x@P}"', '[[ -v "c[$x]" ]]', 'alias a="$x"; shopt -s expand_aliases; eval a', 'trap "$x" EXIT'),
    ),
    ("arithmetic", ARITHMETIC, ("echo $((x))", 'let "$x"', "(( x ))", "[[ $x -eq 1 ]]", "declare -i i=$x", 'echo "${a:$x}"')),
    ("awk", AWK, ("awk 'BEGIN{f(1)} function f(x) {return x} {'\"$x\"'}' p", "awk -f p p")),
    ("jq", JQ, ('jq -n "$x"', "jq -nf p")),
    ("json", DATA, ("jq -c . p", "jq -s 'flatten|tojson|fromjson|length' p", "jq --stream -c . p", "tsort p", "jq -R 'fromjson?' p")),
    ("bc", BC, ("bc p", "bc -l <<< $x")),
    ("words", WORDS, ("expr $x", "test $x", "[ $x ]", "find . $x", 'eval "[[ $x ]]"', 'eval "find . $x"')),
    (
        "regex",
        REGEX,
        (
            *(f'{t} "$x" p' for t in ("grep", "grep -E", "grep -P", "rg", "expr a :", "csplit p", "nl -bp", "sed -n", "awk")),
            "[[ a =~ $x ]]",
            'jq -n --arg x "$x" \'"a"|test($x)\'',
            "grep -f p p",
            'sed -E "s/$x/a/" p',
            'find . -regex "$x"',
        ),
    ),
    (
        "globs",
        GLOBS,
        (
            "echo $x",
            "shopt -s extglob; [[ a == $x ]]; echo ${y#$x} ${y//$x}",
            "case a in $x) ;; esac",
            'eval "echo $x"',
            'find . -name "$x"',
            'compgen -G "$x"',
            'tar cf - --exclude="$x" p',
        ),
    ),
    (
        "formats",
        FORMATS,
        (
            'printf "$x" 1',
            'date +"$x"',
            'find . -printf "$x"',
            'stat -c "$x" p',
            "awk -v x=\"$x\" 'BEGIN{printf x}'",
            'echo -e "$x"',
            'seq -f "$x" 1',
            "printf '%b' \"$x\"",
            'tr "$x" a <p',
        ),
    ),
    ("sed", SED, ('sed "$x" p', "sed -f p p", 'sed -E "$x" p')),
)


def cases(sizes: Sequence[int]) -> Iterator[Tuple[str, str]]:
    """A name, and a script in which $x is the text and p a file of it."""
    for language, nestings, uses in USES:
        for begin, body, end in nestings:
            for n in sizes:
                for closed in (True, False):
                    for use in uses:
                        yield (
                            f"{language} {n} {begin} {'closed' if closed else 'open'}: {use}",
                            json.dumps([begin * n + (body + end * n if closed else ""), use]),
                        )


def serve() -> None:
    """The child: each case of a line is run on a thread with a small stack."""
    from eryxsh import EryxshError, Sandbox

    answer: Dict[str, object] = {}

    def run(text: str, use: str) -> None:
        with Sandbox() as sb:
            began = time.monotonic()
            try:
                sb.files.write("p", text + "\n")
                result = sb.commands.run("x=$(cat p); y=aaa\n" + use + "\n", timeout=TIMEOUT)
                answer.update(status=result.exit_code, error=str(result.error_class or ""), stderr=result.stderr[:200])
            except EryxshError as e:
                answer.update(status=-1, error=type(e).__name__, stderr=str(e)[:200])
            answer["seconds"] = time.monotonic() - began

    threading.stack_size(STACK)
    for line in sys.stdin:
        text, use = json.loads(line)
        answer.clear()
        thread = threading.Thread(target=run, args=(text, use))
        thread.start()
        thread.join()
        print(json.dumps(answer), flush=True)


class Child:
    """The process that runs the cases; another one takes its place when it has died."""

    def __init__(self) -> None:
        self.process: Optional[subprocess.Popen[str]] = None

    def end(self) -> None:
        """Ends it, if it is there."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def run(self, case: str) -> str:
        """What is wrong with a case, "" if nothing is."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        child = self.process
        assert child.stdin is not None
        assert child.stdout is not None
        timer = threading.Timer(PATIENCE, child.kill)
        timer.start()
        try:
            child.stdin.write(case + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            code = child.wait()
            self.end()
            return "hung" if code == -9 else f"the process died: {code}"
        answer = json.loads(line)
        if answer.get("error") == "INTERNAL" or answer.get("status") == 134 or "internal error" in str(answer.get("stderr")):
            return f"internal error: {answer.get('stderr')}"
        return "" if "status" in answer else "no answer"


def check(sizes: Sequence[int], part: int = 1, of: int = 1) -> Tuple[int, List[str]]:
    """Runs the cases, or every of-th from part on: how many there were, and what was wrong."""
    child, wrong, n = Child(), [], 0
    try:
        for i, (name, case) in enumerate(cases(sizes)):
            if i % of != part % of:
                continue
            n += 1
            why = child.run(case)
            if why:
                wrong.append(f"{name}: {why}")
    finally:
        child.end()
    return n, wrong


def main() -> int:
    """Runs what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--of", type=int, default=1, help="every so many cases")
    parser.add_argument("--serve", action="store_true")
    args = parser.parse_args()
    if args.serve:
        serve()
        return 0
    n, wrong = check(args.sizes, args.part, args.of)
    print("\n".join([*wrong, f"{n} cases, {len(wrong)} findings"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
