"""Ctrl-C and cancel() in the middle of whatever can take long.

    python tests/interrupts.py                 all of it
    python tests/interrupts.py --only awk      what has this in its name

A child does something that takes seconds; a timer of its own sends SIGINT, or calls cancel(), and it says how
long that took to be heard, and whether the sandbox works afterwards. Time in which the process had no processor is the machine's.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Callable, Dict, Iterator, List, Tuple

from watched import waited

AFTER = 0.25  # seconds from the beginning to the signal
HEARD = 0.2  # and to the exception, at most
PATIENCE = 30.0

# Scripts of one long step, or of endless ones, by what takes long. b is a file of 14 MB, c one of one line, m a folder of many files.
SCRIPTS: Dict[str, str] = {
    "loop": "while :; do :; done",
    "arithmetic loop": "for ((;;)); do ((x++)); done",
    "sleep": "sleep 100",
    "wait": "sleep 100 & wait",
    "processes": "f() { f | f; }; while :; do ( f ); done",
    "braces": "while :; do : {1..9}{1..9}{1..9}{1..9}{1..9}{a,b}; done",
    "range": "while :; do : {1..200000}; done",
    "glob": "while :; do : m/*[0-9]*; done",
    "glob star": "shopt -s globstar; while :; do : **/*9; done",
    "replace": "x=$(<c); while :; do y=${x//a/bb}; done",
    "replace pattern": "x=$(<c); while :; do y=${x//[a-c]*([0-9])/b}; done",
    "remove": "x=$(<c); while :; do y=${x##*z} y=${x%%z*}; done",
    "case of letters": "x=$(<c); while :; do y=${x^^} y=${x@Q} y=${x@E}; done",
    "split": "x=$(<b); while :; do set -- $x; done",
    "elements": 'a=({1..300000}); while :; do b=("${a[@]/#/x}") c=("${a[@]^^}"); done',
    "match": "x=$(<c); while :; do [[ $x == *a*b*c*d*z ]]; [[ $x =~ (a*b)*z ]]; done",
    "parse": 'x=$(yes ": &&" | head -n 400000); while :; do eval "$x :"; done',
    "parse unclosed": 'x=$(yes "if :; then" | head -n 300000); while :; do eval "$x"; done',
    "here-document": 'x=$(<b); while :; do cat <<< "$x" >/dev/null; done',
    "read": "while :; do while read -r a d; do :; done <b; done",
    "mapfile": "while :; do mapfile -t a <b; done",
    "printf": "while :; do printf '%s %d\\n' {1..200000} >/dev/null; done",
    "declare": "a=({1..300000}); while :; do declare -p a >/dev/null; done",
    "awk": "awk 'BEGIN{for(;;)x++}'",
    "awk text": 'awk \'BEGIN{for(;;){x=sprintf("%9000000s",1); gsub(/ /,"b",x)}}\'',
    "awk array": "awk 'BEGIN{for(;;){split(\"\",a); for(i=0;i<1000000;i++)a[i]=i; n=asort(a)}}'",
    "sed": "sed ':a;s/x/y/;ba' b",
    "sed line": "while :; do sed 's/a/b/g;s/[0-9]*//g' c >/dev/null; done",
    "jq": "jq -n 'def f: f; f'",
    "jq sort": "jq -n '[range(3000000)|-.]|sort|group_by(.)|length'",
    "jq text": 'jq -n \'"a"*9000000|[splits("a")]|length\'',
    "bc": "echo '2^3000000' | bc",
    "bc loop": "echo 'while(1){x+=1}' | bc",
    "regular expression": "grep -E '((a|b)*c)*d' c; grep -P '(a+)+b' c; while :; do grep -o '[0-9]' b >/dev/null; done",
    "back reference": "grep -E '(.*)\\1\\1x' c",
    "find": "while :; do find / -regex '.*[0-9]z' >/dev/null; done",
    "diff": "seq 600000 >e; seq 600000 | sort -R >g; diff e g >/dev/null",
    "sort": "while :; do sort -R b | sort >/dev/null; done",
    "copy": "while :; do cp -r m n; rm -r n; done",
    "tar": "while :; do tar czf t.tgz m b; tar xzf t.tgz; done",
    "factor": "factor 340282366920938463463374607431768211457",
    "dd": "dd if=/dev/zero of=/dev/null bs=1000000000",
    "tail": "tail -f b >/dev/null",
    "input": "read x </dev/zero",
    "trap": "trap '' INT; while :; do :; done",
}


@dataclasses.dataclass
class Heard:
    """How an interruption went."""

    raised: str = ""
    seconds: float = 0.0  # from the signal to the exception
    waited: float = 0.0  # of them, without a processor
    usable: bool = False

    def wrong(self, wanted: str) -> str:
        """What is wrong with it."""
        if self.raised != wanted:
            return f"{self.raised or 'nothing'} came, not {wanted}"
        if self.seconds - self.waited > HEARD:
            return f"heard after {self.seconds:.2f} s"
        return "" if self.usable else "the sandbox does not work afterwards"


def interrupted(action: Callable[[], object], ask: Callable[[], object]) -> Heard:
    """Does something, asks it to stop meanwhile, and says how that went."""
    heard, asked, here = Heard(), [0.0, 0.0], threading.get_native_id()
    over = threading.Event()

    def timer() -> None:
        time.sleep(AFTER)
        asked[:] = [time.monotonic(), waited(here)]
        ask()
        while ask is not sigint and not over.wait(0.02):  # between two runs, nobody hears it
            ask()

    thread = threading.Thread(target=timer)
    thread.start()
    try:
        heard.raised = str(action())
    except BaseException as e:
        heard.raised = type(e).__name__
    now, late = time.monotonic(), waited(here)
    over.set()
    thread.join()
    heard.seconds, heard.waited = now - asked[0], max(0.0, late - asked[1])
    return heard


def sigint() -> None:
    """Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


def again(action: Callable[[], object]) -> Callable[[], object]:
    """An action, over and over: each time it is to be interruptible."""

    def forever() -> None:
        while True:
            action()

    return forever


def trials(only: str) -> Iterator[Tuple[str, Callable[[], Heard], str]]:
    """What is tried: a name, how, and what is to come."""
    from eryxsh import Sandbox

    sb = Sandbox(timeout=None, cwd="/")
    sb.commands.run(
        "echo ok >/k; seq 2000000 >b; tr -d '\\n' <b | head -c 3000000 | tr 0-4 a-e >c; mkdir m; cd m; seq 20000 | xargs touch; cd ..",
        check=True,
    )

    def usable(heard: Heard, box: Sandbox = sb) -> Heard:
        r = box.commands.run("echo on; wc -c </k", timeout=30)
        heard.usable = (r.stdout, r.exit_code) == ("on\n3\n", 0)
        return heard

    def of_script(script: str, cancelled: bool) -> Heard:
        def until_cancelled() -> int:
            while box.commands.run(f"{{ {script}\n}}").exit_code != 130:
                pass
            return 130

        with sb.fork() as box:  # none sees what another left
            return usable(interrupted(until_cancelled, box.commands.cancel if cancelled else sigint), box)

    def of_python(action: Callable[[], object]) -> Heard:
        return usable(interrupted(action, sigint))

    scripts = dict(SCRIPTS)
    for line in sb.commands.run("ls /bin").stdout.split():
        if line not in ("bash", "sh", "sleep", "["):
            scripts[line + " over and over"] = f"while :; do {line} b c m <b >/dev/null 2>&1; {line} <c >/dev/null 2>&1; done"
    for name, script in scripts.items():
        if only in name:
            yield f"Ctrl-C: {name}", functools.partial(of_script, script, False), "KeyboardInterrupt"
            yield f"cancel: {name}", functools.partial(of_script, script, True), "130"
    blob = sb.export_state()
    number = itertools.count()
    here = pathlib.Path(tempfile.mkdtemp())
    for i in range(3000):
        (here / f"{i}").write_bytes(b"x\n" * 3000)
    python: Dict[str, Callable[[], object]] = {
        "export_state": again(sb.export_state),
        "from_state": again(lambda: Sandbox.from_state(blob).close()),
        "snapshot and run": again(lambda: (sb.snapshot(), sb.commands.run("echo >>h"))),
        "fork": again(lambda: sb.fork().close()),
        "files.grep": again(lambda: sb.files.grep("[0-9]x", "/")),
        "files.glob": again(lambda: sb.files.glob("**/*9")),
        "files.walk": again(lambda: list(sb.files.walk("/"))),
        "files.list": again(lambda: sb.files.list("m", recursive=True)),
        "files.tree": again(lambda: sb.files.tree("m")),
        "files.to_dict": again(lambda: sb.files.to_dict("m")),
        "files.export_tar": again(sb.files.export_tar),
        "files.upload": again(lambda: sb.files.upload(here, "up")),
        "files.read": again(lambda: sb.files.read("b")),
        "files.write": again(lambda: sb.files.write("w", b"x" * 50_000_000)),
        "files.copy": again(lambda: sb.files.copy("m", f"k{next(number)}", recursive=True)),
        "a long script": again(lambda: sb.commands.run(":;" * 2_000_000)),
        "a large environment": again(lambda: sb.commands.run("true", env={f"v{i}": "x" for i in range(100_000)})),
        "new sandboxes": again(lambda: Sandbox().close()),
    }
    for name, action in python.items():
        if only in name:
            yield f"Ctrl-C: {name}", functools.partial(of_python, action), "KeyboardInterrupt"


def serve(only: str, of: int, skip: int) -> None:
    """The child: a line for each trial, before it and behind it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for i, (name, trial, wanted) in enumerate(trials(only)):
        if i < skip or i % of:
            continue
        print(json.dumps([i, name]), flush=True)
        heard = trial()
        print(json.dumps([i, name, heard.wrong(wanted), round(heard.seconds, 3)]), flush=True)


def check(only: str = "", shown: bool = False, of: int = 1) -> Tuple[int, List[str]]:
    """Tries everything, or one of so many: how many trials there were, and what was wrong."""
    n, wrong, skip = 0, [], 0
    while True:
        child = subprocess.Popen(
            [sys.executable, __file__, "--serve", "--only", only, "--of", str(of), "--skip", str(skip)], stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        name = ""
        while True:
            timer = threading.Timer(PATIENCE + (60 if not name else 0), child.kill)
            timer.start()
            line = child.stdout.readline()
            timer.cancel()
            if not line:
                break
            said = json.loads(line)
            skip, name = said[0] + 1, said[1]
            if len(said) > 2:
                n += 1
                if shown:
                    print(f"{said[3]:6.3f} {name} {said[2]}", flush=True)
                if said[2]:
                    wrong.append(f"{name}: {said[2]}")
                name = name + " (ended)"
        child.stdout.close()
        if child.wait() == 0:
            return n, wrong
        n += 1
        wrong.append(f"{name}: hung, or died: {child.returncode}")
        if not name:
            return n, wrong


def main() -> int:
    """Runs what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--of", type=int, default=1, help="one of so many")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--skip", type=int, default=0)
    args = parser.parse_args()
    if args.serve:
        serve(args.only, args.of, args.skip)
        return 0
    n, wrong = check(args.only, shown=True, of=args.of)
    print("\n".join([*wrong, f"{n} trials, {len(wrong)} findings"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
