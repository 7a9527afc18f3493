"""Snapshots, restore and forks: O(1), independent, files and shell."""

from __future__ import annotations

from typing import List

import pytest

from eryxsh import Limits, QuotaExceededError, RunGoneError, Sandbox, SnapshotNotFoundError


def test_snapshot_and_restore() -> None:
    """Files, variables, functions, options and directory come back; more than once."""
    sb = Sandbox()
    sb.commands.run("x=1; f() { echo f1; }; cd /tmp; echo one > file; set -u; alias ll='ls -l'; umask 077")
    id = sb.snapshot()
    for _ in range(2):
        sb.commands.run("x=2; f() { echo f2; }; cd /; rm /tmp/file; set +u; unalias ll; umask 022; y=1")
        sb.restore(id)
        r = sb.commands.run("echo $x; f; pwd; cat /tmp/file; alias; umask; echo ${y-unset}")
        assert r.stdout == "1\nf1\n/tmp\none\nalias ll='ls -l'\n0077\nunset\n"
        assert sb.commands.run("echo $nope").exit_code == 127  # set -u


def test_unknown_and_dropped_ids() -> None:
    """They raise SnapshotNotFoundError, a KeyError, with the id; nothing changes."""
    sb = Sandbox()
    sb.commands.run("x=1")
    id = sb.snapshot("name")
    sb.snapshots.drop(id)
    for use in (lambda: sb.restore(id), lambda: sb.snapshots.drop(id), lambda: sb.restore("nonsense")):
        with pytest.raises(SnapshotNotFoundError) as caught:
            use()
        assert isinstance(caught.value, KeyError)
        assert caught.value.path
    assert sb.commands.run("echo $x").stdout == "1\n"


def test_list_and_tree() -> None:
    """Name, parent, size, the last command; the list survives a restore."""
    sb = Sandbox(files={"/data": b"x" * 1000})
    sb.commands.run("echo first")
    a = sb.snapshot("a")
    sb.commands.run("echo second")
    b = sb.snapshot()
    one, two = sb.snapshots.list()
    assert (one.id, one.name, one.parent, one.command) == (a, "a", None, "echo first")
    assert (two.id, two.name, two.parent, two.command) == (b, None, a, "echo second")
    assert one.size >= 1000
    assert one.created.tzinfo is not None
    assert sb.snapshots.tree() == f"{a} a  echo first\n  {b}  echo second\n"
    sb.restore(a)
    assert [s.id for s in sb.snapshots.list()] == [a, b]
    sb.restore(b)


def test_forks_are_independent() -> None:
    """Neither side sees the other's changes; closing the parent leaves the fork alive."""
    sb = Sandbox()
    sb.commands.run("x=parent; echo p > f")
    a, b = sb.fork(2)
    c = sb.fork()
    a.commands.run("x=a; echo a > f")
    b.files.write("f", b"b\n")
    look = "echo $x; cat f"
    assert [s.commands.run(look).stdout for s in (sb, a, b, c)] == ["parent\np\n", "a\na\n", "parent\nb\n", "parent\np\n"]
    sb.close()
    assert c.commands.run(look).stdout == "parent\np\n"
    with c.fork() as d:
        assert d.commands.run("echo in").stdout == "in\n"
    assert d.closed
    with pytest.raises(ValueError, match="count"):
        c.fork(0)


def test_random_numbers() -> None:
    """Restore and fork repeat the stream unless reseeded; a seed makes two sandboxes equal."""
    sb = Sandbox(seed=7)
    id = sb.snapshot()
    draw = "echo $RANDOM $RANDOM $RANDOM"
    first = sb.commands.run(draw).stdout
    sb.restore(id)
    assert sb.fork().commands.run(draw).stdout == first
    assert sb.commands.run(draw).stdout == first
    sb.restore(id, reseed=8)
    assert sb.commands.run(draw).stdout != first
    assert Sandbox(seed=7).commands.run(draw).stdout == first
    sb.restore(id)
    a, b = sb.fork(2, reseed=1)
    assert a.commands.run(draw).stdout != b.commands.run(draw).stdout
    assert Sandbox().commands.run(draw).stdout != Sandbox().commands.run(draw).stdout


def test_snapshot_while_a_run_waits() -> None:
    """The snapshot holds the run; after restore the old Run is gone and the new one goes on."""
    sb = Sandbox(tools={"ask": None})
    run = sb.commands.start("for i in 1 2; do echo $i: $(ask $i); done")
    call = run.next()
    id = sb.snapshot()
    run.resume(call, stdout="first way")  # type: ignore[arg-type]
    run.next()
    sb.restore(id)
    for use in (run.next, run.drive, run.pending, run.dump):
        with pytest.raises(RunGoneError):
            use()
    again = sb.runs.active()
    assert again is not None
    assert again.id != run.id
    (offered,) = again.pending()
    assert offered.call_id != call.call_id  # type: ignore[union-attr]
    again.resume(offered, stdout="second way")
    last = again.next()
    again.resume(last, stdout="end")  # type: ignore[arg-type]
    assert again.drive().stdout == "1: second way\n2: end\n"


def test_retained_bytes_are_a_limit() -> None:
    """Snapshots that would hold too much raise QuotaExceededError; what was kept stays."""
    sb = Sandbox(limits=Limits(retained=1_000_000))
    kept: List[str] = []

    def fill() -> None:
        for i in range(50):
            sb.files.write("/big", bytes([i]) * 200_000)
            kept.append(sb.snapshot())

    with pytest.raises(QuotaExceededError):
        fill()
    assert 2 <= len(kept) < 50
    sb.restore(kept[0])
    assert sb.files.read("/big")[:1] == b"\0"


def test_snapshots_do_not_grow_with_the_files() -> None:
    """A thousand snapshots and forks of a large sandbox take no more than those of an empty one would plausibly."""
    import time

    sb = Sandbox(files={f"/d/{i}": b"x" * 100 for i in range(5_000)}, limits=Limits.unlimited())
    started = time.perf_counter()
    for _ in range(1000):
        sb.snapshot()
        sb.fork().close()
    # A copy of 5,000 files a time would be minutes.
    assert time.perf_counter() - started < 10


def test_snapshots_are_a_tree() -> None:
    """The parent is the snapshot a state comes from, through restore, fork, export and undo; own bytes are what it has not."""
    sb = Sandbox(files={"/base": b"x" * 50_000})
    first = sb.snapshot("first")
    sb.files.write("/a", b"a" * 3000)
    left = sb.snapshot("left")
    sb.restore(first)
    sb.files.write("/b", b"b" * 4000)
    right = sb.snapshot("right")
    below = sb.snapshot()
    found = {s.id: s for s in sb.snapshots.list()}
    assert [found[id].parent for id in (first, left, right, below)] == [None, first, first, right]
    assert [found[id].own for id in (left, right, below)] == [3000, 4000, 0]
    assert found[first].own == found[first].size > 50_000
    assert sb.snapshots.tree().splitlines() == [f"{first} first", f"  {left} left", f"  {right} right", f"    {below}"]
    with Sandbox.from_state(sb.export_state()) as back:
        back.restore("left")
        again = back.snapshot()
        assert {s.id: s for s in back.snapshots.list()}[again].parent == left
    with sb.fork() as child:
        child.restore("left")
        last = child.snapshot()
        assert {s.id: s for s in child.snapshots.list()}[last].parent == left
    sb.commands.run("echo 1")
    sb.restore("left")
    sb.commands.run("echo 2")
    sb.undo()
    after = sb.snapshot()
    assert {s.id: s for s in sb.snapshots.list()}[after].parent == left
