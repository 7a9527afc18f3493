"""History: one list, for Python and the shell, saved, forked and bounded."""

from __future__ import annotations

import datetime

import pytest

from eryxsh import Limits, Run, RunGoneError, Sandbox, SnapshotNotFoundError


def test_entries() -> None:
    """Each call is an entry with index, text, time, status and duration."""
    sb = Sandbox(clock=datetime.datetime(2020, 5, 6, 7, tzinfo=datetime.timezone.utc))
    sb.commands.run("echo a\necho b")
    sb.commands.run("sleep 2; exit 3")
    one, two = sb.history.list()
    assert (one.index, one.command, one.exit_code) == (1, "echo a\necho b", 0)
    assert (two.index, two.exit_code) == (2, 3)
    assert 2000 <= two.duration_ms < 2100
    assert one.timestamp.date() == datetime.date(2020, 5, 6)
    assert sb.history.list(limit=1) == [two]
    assert sb.history.list(limit=0) == []
    with pytest.raises(ValueError, match="limit"):
        sb.history.list(limit=-1)


def test_clear_goes_on_counting() -> None:
    """Indices are never reused."""
    sb = Sandbox()
    sb.commands.run("true")
    sb.history.clear()
    assert sb.history.list() == []
    sb.commands.run("false")
    assert [e.index for e in sb.history.list()] == [2]


def test_the_shell_sees_the_same() -> None:
    """history list, history clear and bash's history are this list."""
    sb = Sandbox()
    sb.commands.run("echo one")
    out = sb.commands.run("history").stdout
    assert "echo one" in out
    assert "echo one" in sb.commands.run("history list").stdout
    sb.commands.run("history clear")
    assert "echo one" not in [e.command for e in sb.history.list()]
    sb.commands.run("echo two")
    sb.commands.run("history -c")
    assert "echo two" not in [e.command for e in sb.history.list()]


def test_fc_stands_for_what_it_ran() -> None:
    """fc -s and history -s put another command in their own place: again and again they find that one, not themselves."""
    sb = Sandbox(tools={"ask": None})
    sb.commands.run("echo one")
    for _ in range(2):
        assert sb.commands.run("fc -s").stdout == "one\n"
    assert sb.commands.run("fc -s one=two").stdout == "two\n"
    assert sb.commands.run("FCEDIT='sed -i s/two/six/' fc").stdout == "six\n"
    assert sb.commands.run("history -s first; history -s second; history 2").stdout.split() == ["6", "first", "7", "second"]
    assert [e.command for e in sb.history.list()] == ["echo one"] * 3 + ["echo two", "echo six", "first", "second"]
    run = sb.commands.start("history -s other; ask; exit 3")
    run.next()
    loaded = Run.load(run.dump(), tools={"ask": None})
    loaded.resume(loaded.next(), stdout="")  # type: ignore[arg-type]
    assert loaded.drive().exit_code == 3
    with loaded.sandbox as again:
        last = again.history.list()[-1]
        assert (last.index, last.command, last.exit_code) == (8, "other", 3)
        assert again.commands.run("history -d 2; history -d 2; history -s x; history -c; history").stdout == ""
        assert again.commands.run("history 1").stdout == "    9  history -d 2; history -d 2; history -s x; history -c; history\n"


def test_deleting_goes_by_the_numbers_that_are_shown() -> None:
    """history -d twice takes what the list shows under these numbers."""
    sb = Sandbox()
    for word in "abcde":
        sb.commands.run(f": {word}")
    sb.commands.run("history -d 2; history -d 3")
    shown = sb.commands.run("history").stdout.split("\n")
    assert [line.split()[-1] for line in shown if " : " in line] == ["a", "c", "e"]


def test_bounded_saved_and_forked() -> None:
    """The oldest go; export, fork and snapshots carry it."""
    sb = Sandbox(limits=Limits(history=3))
    for i in range(5):
        sb.commands.run(f"echo {i}")
    assert [e.index for e in sb.history.list()] == [3, 4, 5]
    child = sb.fork()
    child.commands.run("echo child")
    assert [e.command for e in child.history.list()][-1] == "echo child"
    assert [e.index for e in sb.history.list()] == [3, 4, 5]
    loaded = Sandbox.from_state(sb.export_state())
    assert [(e.index, e.command) for e in loaded.history.list()] == [(e.index, e.command) for e in sb.history.list()]


def test_restore() -> None:
    """Back to before an entry ran, files and variables; an index that is not kept raises."""
    sb = Sandbox()
    sb.commands.run("x=1; echo 1 > f")
    sb.commands.run("x=2; echo 2 > f")
    sb.commands.run("x=3")
    sb.history.restore(2)
    assert sb.commands.run("echo $x; cat f").stdout == "1\n1\n"
    with pytest.raises(SnapshotNotFoundError):
        sb.history.restore(99)


def test_runs_are_entries_too() -> None:
    """A started run is recorded when it ends."""
    sb = Sandbox(tools={"ask": None})
    run = sb.commands.start("ask x")
    call = run.next()
    run.resume(call.call_id, exit_code=5)  # type: ignore[union-attr]
    assert run.drive().exit_code == 5
    assert [(e.command, e.exit_code) for e in sb.history.list()] == [("ask x", 5)]


def test_undo_and_redo() -> None:
    """Files, variables and cwd go back and forth, until something new is run."""
    sb = Sandbox()
    for i in range(4):
        sb.commands.run(f"n={i}; echo {i} >> /tmp/log; mkdir /tmp/d{i}; cd /tmp/d{i}")

    def look() -> str:
        with sb.fork() as twin:
            return twin.commands.run("echo $n; cat /tmp/log; pwd").stdout

    assert look() == "3\n0\n1\n2\n3\n/tmp/d3\n"
    sb.undo()
    assert look() == "2\n0\n1\n2\n/tmp/d2\n"
    sb.undo(2)
    assert look() == "0\n0\n/tmp/d0\n"
    assert [e.command[:3] for e in sb.history.list()] == ["n=0"]
    sb.redo()
    assert look() == "1\n0\n1\n/tmp/d1\n"
    sb.redo(2)
    assert look() == "3\n0\n1\n2\n3\n/tmp/d3\n"
    sb.history.restore(2)  # before the second: it can be taken back as well
    assert look() == "0\n0\n/tmp/d0\n"
    sb.redo(3)
    assert look().startswith("3\n")
    sb.undo(2)
    sb.commands.run("n=new")
    with pytest.raises(SnapshotNotFoundError, match="redo"):
        sb.redo()


def test_undo_of_what_is_not_there() -> None:
    """It says how many can be undone, and changes nothing."""
    sb = Sandbox(limits=Limits(undo=2))
    with pytest.raises(SnapshotNotFoundError, match="undo"):
        sb.undo()
    for i in range(3):
        sb.commands.run(f"n={i}")
    with pytest.raises(SnapshotNotFoundError, match="2 can be undone"):
        sb.undo(3)
    with pytest.raises(ValueError, match="from 1"):
        sb.undo(0)
    with pytest.raises(TypeError, match="int"):
        sb.redo("1")  # type: ignore[arg-type]
    assert sb.commands.run("echo $n").stdout == "2\n"


def test_undo_ends_what_runs() -> None:
    """A run that is going is the last command; its Run is gone."""
    sb = Sandbox(tools={"ask": None})
    sb.commands.run("echo one > /tmp/f")
    run = sb.commands.start("echo two > /tmp/f; ask; echo three > /tmp/f")
    run.next()
    sb.undo()
    assert sb.files.read("/tmp/f") == b"one\n"
    with pytest.raises(RunGoneError):
        run.next()
    assert sb.commands.run("cat /tmp/f").ok


def test_durations_are_true() -> None:
    """A command that ends within its first slice took time, too."""
    sb = Sandbox()
    result = sb.commands.run("seq 200000 | tail -n 1")
    assert sb.history.list()[-1].duration_ms >= result.execution_time_ms * 0.5 > 0
