"""export_state and from_state: what comes back is what went, byte for byte."""

from __future__ import annotations

import random
from typing import List

import pytest

from eryxsh import Finished, Limits, Sandbox, ToolCall

COMMANDS = [
    "echo $RANDOM > f$((RANDOM % 9))",
    "rm -f f$((RANDOM % 9))",
    "truncate -s $((RANDOM % 9)) f$((RANDOM % 9))",
    "echo $RANDOM >> f$((RANDOM % 9))",
    "printf 'x%.0s' {1..40000} > chunky",
    "truncate -s $((RANDOM % 40000)) chunky",
    "printf yyy >> chunky",
    "dd if=/dev/zero of=chunky bs=1 count=2 seek=5000 conv=notrunc 2> /dev/null",
    "cp chunky d 2> /dev/null",
    "x$((RANDOM % 5))=$RANDOM; a[RANDOM % 100]=1; declare -A h; h[$RANDOM]=1",
    "unset x$((RANDOM % 5))",
    "f() { echo $RANDOM; }; alias a$RANDOM=b; shopt -s extglob; set -- a b $RANDOM",
    "mkdir -p d$((RANDOM % 4)); cd d$((RANDOM % 4)) 2> /dev/null",
    "cd; ln -f f1 l 2> /dev/null; ln -sf f2 s; mkfifo p$RANDOM",
    "exec 3> log; echo hi >&3",
    "(sleep 5; echo z) &",
    "trap 'echo x' USR1; history -c",
]
SCRIPTS = [
    "for i in 1 2 3; do r=$(ask $i); echo got $r >> log; truncate -s 3 log; done",
    "x=1; f() { local y=2; ask in | tr a-z A-Z; echo $y; }; f; ask again > out",
    "(ask sub; echo done) & ask main; wait; sort <(ask s) | cat",
    "eval 'ask e; eval \"ask ee\"'; while read l; do ask $l < /dev/null; done <<< $'a\\nb'",
]


@pytest.mark.parametrize("size", [3, 10, 5000, 16383, 20000])
@pytest.mark.parametrize("then", ["", "truncate -s +1 f", "echo -n zz >> f"])
def test_a_file_cut_after_a_snapshot(size: int, then: str) -> None:
    """The snapshot has the whole of it, the sandbox what is left."""
    sb = Sandbox(files={"f": "x" * size})
    sb.snapshot("kept")
    assert sb.commands.run(f"truncate -s -2 f; {then}").ok
    blob = sb.export_state()
    back = Sandbox.from_state(blob)
    assert back.export_state() == blob
    assert back.files.read("f") == sb.files.read("f")
    back.restore(back.snapshots.list()[0].id)
    assert back.files.read("f") == b"x" * size


@pytest.mark.parametrize("seed", range(25))
def test_whatever_was_done(seed: int) -> None:
    """Random commands, snapshots, restores and forks."""
    r = random.Random(seed)
    sb = Sandbox(seed=seed, clock=r.choice(["real", "virtual"]))
    ids: List[str] = []
    for _ in range(r.randrange(4, 25)):
        what = r.random()
        if what < 0.7:
            sb.commands.run(r.choice(COMMANDS), timeout=5)
        elif what < 0.85:
            ids.append(sb.snapshot(r.choice([None, "one", "two"])))
        elif what < 0.92 and ids:
            sb.restore(r.choice(ids), reseed=r.choice([None, 5]))
        elif what < 0.96:
            sb = sb.fork()
        else:
            sb = Sandbox.from_state(sb.export_state())
        ids = [s.id for s in sb.snapshots.list()]
    _same(sb)


@pytest.mark.parametrize("seed", range(25))
def test_while_a_run_waits(seed: int) -> None:
    """The same in the middle of a script that calls tools, which snapshots hold too."""
    r = random.Random(seed)
    sb = Sandbox(seed=seed, tools={"ask": None}, clock=r.choice(["real", "virtual"]))
    run = sb.commands.start(r.choice(SCRIPTS), limits=r.choice([None, Limits(depth=99)]), env={"Q": "1"}, cwd=r.choice([None, "/tmp"]))
    for _ in range(r.randrange(2, 12)):
        if r.random() < 0.3:
            sb.snapshot(r.choice(["one", "two"]))
        event = run.next(wait=False)
        if isinstance(event, ToolCall):
            run.resume(event, stdout=r.choice(["yes\n", "", "a b"]))
        elif isinstance(event, Finished):
            break
        _same(sb)
    run.cancel()
    _same(sb)


def _same(sb: Sandbox) -> None:
    blob = sb.export_state()
    assert Sandbox.from_state(blob).export_state() == blob == sb.export_state()
