"""Exactly once: a process that drives a script is killed again and again.

    python tests/kills.py                  1,000 kills
    python tests/kills.py --kills 50 --seed 3

A child process drives a script with some forty tool calls, several of them pending at the
same time, saves the run at random moments, and is killed (SIGKILL) at a random one. The
next child loads what was saved last. Beside each state stand the ids of the calls that had
returned before it was saved, and of those that were pending. After each load, and until
the next save:

* no call that had returned before the save is offered again;
* what was pending is offered again, under the same ids and in the same order;
* a call that is offered twice without a kill between is an error.

When a script has ended, its output is that of a run that nobody killed, and another one
begins, with another seed.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
from typing import Any, Dict, List, NoReturn, Optional, Tuple

from eryxsh import Finished, Run, Sandbox, ToolCall

TOOLS = {"ask": None, "up": None, "flaky": None}

SCRIPT = r"""
trap 'echo "bye $(ask bye)"' EXIT
sum() { local total=0 n; for n; do r=$(ask "$n") && ((total += ${#r})); done; echo "$total"; }
for i in {1..4}; do echo "sum $(sum $i x$i)"; done
printf '%s\n' a b c d | while read -r l; do echo "$l $(printf '%s' "$l" | up | tr -d E)"; done | sort -r
ask one > one & ask two > two & { sleep 0.1; ask three; } > three &
wait; cat one two three
for i in {1..6}; do
    if flaky "$i"; then echo ok; else echo "status $?"; fi
done
printf '%s\n' {1..5} | xargs -n1 ask | paste -sd, > listed
find / -name listed -exec ask {} \;
eval 'x=$(ask "$RANDOM")'; echo "$x"
diff <(ask left) <(ask right)
: | up | up | wc -c
cat listed
"""


def reply(call: ToolCall) -> Dict[str, Any]:
    """An answer that depends on nothing but the call."""
    if call.name == "up":
        return {"stdout": call.stdin.upper() + b"E"}
    if call.name == "flaky":
        return {"exit_code": int(call.args[0]) % 3, "stderr": "flaky\n"}
    return {"stdout": f"<{' '.join(call.args)}>\n"}


def begin(seed: int) -> Run:
    """The script, in a world of its own."""
    return Sandbox(tools=TOOLS, clock="virtual", seed=seed, timeout=None).commands.start(SCRIPT, timeout=None)


class KillsError(AssertionError):
    """The promise was broken."""


class Life:
    """One process's share of a run."""

    def __init__(self, folder: pathlib.Path, seed: int, rng: random.Random) -> None:
        self.folder = folder
        self.rng = rng
        self.returned: List[str] = []
        saved = self._saved()
        if saved is None:
            self.run = begin(seed)
            return
        self.returned, pending, blob = saved
        self.run = Run.load(blob)
        if [call.call_id for call in self.run.pending()] != pending:
            raise KillsError(f"pending {self.run.pending()}, when it was saved {pending}")

    def _saved(self) -> Optional[Tuple[List[str], List[str], bytes]]:
        path = self.folder / "state"
        if not path.exists():
            return None
        head, _, blob = path.read_bytes().partition(b"\n")
        returned, pending = json.loads(head)
        return returned, pending, blob

    def save(self) -> None:
        """Replace the saved state."""
        pending = [call.call_id for call in self.run.pending()]
        new = self.folder / "new"
        new.write_bytes(json.dumps([self.returned, pending]).encode() + b"\n" + self.run.dump())
        new.replace(self.folder / "state")

    def live(self) -> None:
        """Drive the run to its end."""
        offered: List[str] = []
        while not isinstance(event := self.run.next(), Finished):
            if not isinstance(event, ToolCall):
                raise KillsError(f"unexpected {event}")
            if event.call_id in self.returned:
                raise KillsError(f"{event} had returned before the state was saved")
            if event.call_id in offered:
                raise KillsError(f"{event} was offered twice")
            offered.append(event.call_id)
            if self.rng.random() < 0.5:
                self.save()
            calls = [event]
            while self.rng.random() < 0.3 and len(self.run.pending()) > len(calls):
                other = self.run.next()  # answer several in another order
                if not isinstance(other, ToolCall) or other.call_id in [*self.returned, *offered]:
                    raise KillsError(f"{other} instead of another call")
                offered.append(other.call_id)
                calls.append(other)
            self.rng.shuffle(calls)
            for call in calls:
                self.run.resume(call, **reply(call))
                self.returned.append(call.call_id)
                if self.rng.random() < 0.5:
                    self.save()
            time.sleep(self.rng.random() * 0.001)
        done = self.folder / "done.new"
        done.write_bytes(event.result.stdout_bytes)
        done.replace(self.folder / "done")


def _child(folder: pathlib.Path, seed: int, rng: random.Random) -> NoReturn:
    status = 1
    try:
        Life(folder, seed, rng).live()
        status = 0
    except BaseException as error:
        (folder / "error").write_text(f"{type(error).__name__}: {error}")
    finally:
        os._exit(status)


def unkilled(seed: int) -> bytes:
    """What the script prints if nobody is killed."""
    run = begin(seed)
    while isinstance(event := run.next(), ToolCall):
        run.resume(event, **reply(event))
    return run.result().stdout_bytes


def story(folder: pathlib.Path, seed: int, kills: int, rng: random.Random) -> int:
    """One script from its beginning to its end; how often its process was killed (not more than so often)."""
    killed = 0
    while not (folder / "done").exists():
        child = os.fork()
        if child == 0:
            _child(folder, seed, random.Random(rng.random()))
        rng.random()  # the child has used this one
        if killed < kills:
            time.sleep(rng.uniform(0.005, 0.06))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise KillsError((folder / "error").read_text())
    return killed


def _in_child(folder: pathlib.Path, seed: int) -> bytes:
    """`unkilled` in a process of its own: this one forks, and so keeps out of the library."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            (folder / "plain").write_bytes(unkilled(seed))
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1]:
        raise KillsError("the plain run failed")
    return (folder / "plain").read_bytes()


def main(argv: List[str]) -> int:
    """Tell stories until there were enough kills; 1 if the promise was broken."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args(argv)
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    kills = scripts = 0
    try:
        while kills < options.kills:
            with tempfile.TemporaryDirectory() as name:
                folder, seed = pathlib.Path(name), options.seed + scripts
                want = _in_child(folder, seed)
                kills += story(folder, seed, options.kills - kills, rng)
                scripts += 1
                got = (folder / "done").read_bytes()
                if got != want:
                    raise KillsError(f"script {scripts} printed {got!r}, without kills {want!r}")
    except KillsError as error:
        print(f"after {kills} kills: {error}")
        return 1
    print(f"{kills} kills in {scripts} scripts: every call once, every pending one under its id, every output as without kills")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
