"""History: one list, for Python and the shell, saved, forked and bounded."""

from __future__ import annotations

import datetime

import pytest

from eryxsh import Limits, Sandbox, SnapshotNotFoundError


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
