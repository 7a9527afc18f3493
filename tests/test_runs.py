"""Runs: a running script as a value: events, answers, dump and load, forks, limits, cancel."""

from __future__ import annotations

import copy
import datetime
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

from eryxsh import (
    PIPE,
    AlreadyResumedError,
    CapabilityError,
    Checkpoint,
    Event,
    Finished,
    InputNeeded,
    LimitReached,
    Limits,
    Output,
    Run,
    RunGoneError,
    RunSuspended,
    Sandbox,
    SandboxBusyError,
    SignatureError,
    Sleeping,
    StateError,
    Suspended,
    ToolCall,
    _wire,
)
from eryxsh._runs import AnyRun

NESTED = """
i=0
total=0
printf '%s\\n' one two three | while read -r word; do
  i=$((i + 1))
  answer=$(echo "[$(ask "$word" $i)]" | tr a-z A-Z) || exit
  echo "$i $word: $answer"
  total=$((total + ${#answer}))
  echo $total > total
done | sed 's/^/> /'
echo "end $i $(cat total) $(ask last)"
"""

EXPECTED = "> 1 one: [ANSWER TO ONE 1]\n> 2 two: [ANSWER TO TWO 2]\n> 3 three: [ANSWER TO THREE 3]\nend 0 53 answer to last\n"


def respond(call: ToolCall) -> str:
    return "answer to " + " ".join(call.args)


def test_the_example_of_the_documentation() -> None:
    """start, next, resume, drive."""
    sb = Sandbox(tools={"approve": None, "upload": None})
    sb.commands.run("touch a.csv b.csv c.csv")
    run = sb.commands.start('for f in *.csv; do r=$(approve "upload $f") || continue; upload "$f"; echo "$f $r"; done')
    log = []
    while not isinstance(event := run.next(), Finished):
        assert isinstance(event, ToolCall)
        log.append((event.name, event.args))
        run.resume(event, stdout="fine", exit_code=int(event.args == ["upload b.csv"]))
    assert log == [
        ("approve", ["upload a.csv"]),
        ("upload", ["a.csv"]),
        ("approve", ["upload b.csv"]),
        ("approve", ["upload c.csv"]),
        ("upload", ["c.csv"]),
    ]
    assert event.result.stdout == "finea.csv fine\nfinec.csv fine\n"
    assert run.result() == event.result
    assert run.next() == event


def test_suspended_deep_inside_in_another_process(python: Callable[..., str], tmp_path: Path) -> None:
    """In $( ) in a pipeline in a loop in a pipeline: every call is answered in a fresh process, same output."""
    (tmp_path / "script").write_text(NESTED)
    assert Sandbox(tools={"ask": respond}).commands.run(NESTED).stdout == EXPECTED
    step = f"""
    import pathlib, sys
    from eryxsh import Finished, Run, Sandbox
    here = pathlib.Path({str(tmp_path)!r})
    if not (here / "blob").exists():
        run = Sandbox(tools={{"ask": None}}).commands.start((here / "script").read_text())
    else:
        run = Run.load((here / "blob").read_bytes())
        (call,) = run.pending()
        run.resume(call.call_id, stdout="answer to " + " ".join(call.args))
    event = run.next()
    if isinstance(event, Finished):
        sys.stdout.write(event.result.stdout)
    else:
        (here / "blob").write_bytes(run.dump())
    """
    outputs = [python(step) for _ in range(5)]
    assert outputs == ["", "", "", "", EXPECTED]


def test_dump_at_every_call_and_load_here() -> None:
    """Loaded runs have fresh Python objects, the same ids, and everything written since start in their result."""
    run: Run = Sandbox(tools={"ask": None}).commands.start(NESTED)
    ids = []
    while isinstance(event := run.next(), ToolCall):
        ids.append(event.call_id)
        old, run = run, Run.load(run.dump())
        assert run.id == old.id
        assert [c.call_id for c in run.pending()] == [event.call_id]
        assert repr(run.pending()[0]) == repr(event)
        run.resume(event.call_id, stdout=respond(event))
    assert isinstance(event, Finished)
    assert event.result.stdout == EXPECTED
    assert len(set(ids)) == 4


def test_dumps_are_deterministic_and_do_not_grow() -> None:
    """The same run gives the same bytes, a loaded one too; a hundred answered calls leave nothing behind."""
    sb = Sandbox(tools={"ask": None}, clock="virtual", seed=1)
    run = sb.commands.start("while :; do x=$(ask); done")
    sizes = []
    for _ in range(100):
        call = run.next()
        blob = run.dump()
        assert blob == run.dump()
        sizes.append(len(blob))
        run.resume(call, stdout="x")  # type: ignore[arg-type]
    assert max(sizes[10:]) - min(sizes[10:]) < 200
    run.next()
    blob = run.dump()
    assert Run.load(blob).dump() == blob


def test_answered_once() -> None:
    """A second answer raises AlreadyResumedError with the id, also after load; an unknown id raises too."""
    run = Sandbox(tools={"ask": None}).commands.start("ask 1; ask 2")
    call = run.next()
    assert isinstance(call, ToolCall)
    run.resume(call, stdout="1")
    with pytest.raises(AlreadyResumedError) as caught:
        run.resume(call, stdout="again")
    assert caught.value.path == call.call_id
    run.next()
    loaded = Run.load(run.dump())
    with pytest.raises(AlreadyResumedError):
        loaded.resume(call.call_id, stdout="again")
    with pytest.raises(AlreadyResumedError, match="no-such-call"):
        loaded.resume("no-such-call", stdout="x")
    loaded.resume(loaded.pending()[0], stdout="2")
    assert loaded.drive().stdout == "12"


def test_error_as_an_answer() -> None:
    """error= is exit code 1, its text on stderr, and in tool_errors."""
    run = Sandbox(tools={"ask": None}).commands.start("ask || echo failed")
    problem = RuntimeError("denied by a person")
    run.resume(run.next(), error=problem)  # type: ignore[arg-type]
    r = run.drive()
    assert (r.stdout, r.stderr, r.tool_errors) == ("failed\n", "ask: denied by a person\n", [problem])


def test_several_pending_calls() -> None:
    """next gives each once, oldest first, then the oldest again; any order of answers is fine."""
    run = Sandbox(tools={"ask": None}).commands.start("ask 1 & ask 2 & ask 3 & wait; echo end")
    calls = [run.next() for _ in range(4)]
    assert [c.args for c in calls] == [["1"], ["2"], ["3"], ["1"]]  # type: ignore[union-attr]
    assert [c.args for c in run.pending()] == [["1"], ["2"], ["3"]]
    run.resume(calls[1], stdout="two ")  # type: ignore[arg-type]
    assert run.next().args == ["1"]  # type: ignore[union-attr]
    run.resume(calls[0], stdout="one ")  # type: ignore[arg-type]
    run.resume(calls[2], stdout="three ")  # type: ignore[arg-type]
    assert sorted(run.drive().stdout.split()) == ["end", "one", "three", "two"]


def test_drive_answers_what_it_can_first() -> None:
    """A call nobody answers does not keep registered functions from answering theirs."""
    done: List[str] = []
    sb = Sandbox(tools={"mine": lambda call: done.append(call.args[0]), "theirs": None})
    with pytest.raises(RunSuspended) as caught:
        sb.commands.run("theirs & mine 1; mine 2; wait; echo end")
    assert done == ["1", "2"]
    run = caught.value.run
    run.resume(run.pending()[0], stdout="")
    assert run.drive().stdout == "end\n"


def test_events_with_output() -> None:
    """Output comes in order between the other events and is then not in the result."""
    run = Sandbox(tools={"ask": None}).commands.start("echo a; echo b >&2; ask; echo c")
    seen: List[Any] = []
    for event in run.events():
        if isinstance(event, Output):
            seen.append((event.stream, event.text))
        elif isinstance(event, ToolCall):
            seen.append(event.name)
            run.resume(event, stdout="answer\n")
        else:
            assert isinstance(event, Finished)
            seen.append(event.result.stdout)
    assert seen == [("stdout", "a\n"), ("stderr", "b\n"), "ask", ("stdout", "answer\n"), ("stdout", "c\n"), ""] or seen == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        "ask",
        ("stdout", "answer\nc\n"),
        "",
    ]


def test_events_end_where_nobody_answers() -> None:
    """The iteration ends instead of offering the same calls for ever; the run can be dumped."""
    run = Sandbox(tools={"ask": None}).commands.start("ask 1 & ask 2; wait")
    assert sorted(e.args[0] for e in run.events() if isinstance(e, ToolCall)) == ["1", "2"]
    names = sorted(c.args[0] for c in run.pending())
    assert names == ["1", "2"]
    assert Run.load(run.dump()).pending()


def test_input() -> None:
    """stdin=PIPE: reads are events; b"" is the end."""
    run = Sandbox().commands.start("read -r a; echo got $a; cat; echo end", stdin=PIPE)
    event = run.next()
    assert isinstance(event, InputNeeded)
    with pytest.raises(TypeError, match="data"):
        run.resume(event, stdout="x")
    run.resume(event, data="first\nsecond\n")
    loaded = Run.load(run.dump())
    event = loaded.next()
    assert isinstance(event, InputNeeded)
    loaded.resume(event, data=b"third\n")
    event = loaded.next()
    with pytest.raises(RunSuspended):
        loaded.drive()
    loaded.resume(event, data=b"")  # type: ignore[arg-type]
    assert loaded.drive().stdout == "got first\nsecond\nthird\nend\n"


def test_limit_as_an_event() -> None:
    """on_limit="suspend": a budget or timeout waits for more."""
    sb = Sandbox(limits=Limits(steps=50_000))
    run = sb.commands.start("i=0; while ((i < 30000)); do ((i++)); done; echo $i", on_limit="suspend")
    event = run.next()
    assert event == LimitReached("steps")
    with pytest.raises(TypeError, match="steps"):
        run.resume(event)  # type: ignore[arg-type]
    run = Run.load(run.dump())
    for _ in range(100):
        run.resume(LimitReached("steps"), add={"steps": 50_000})
        event = run.next()
        if isinstance(event, Finished):
            break
    assert isinstance(event, Finished)
    assert event.result.stdout == "30000\n"
    with pytest.raises(ValueError, match="on_limit"):
        sb.commands.start("true", on_limit="explode")


def test_timeout_as_an_event() -> None:
    """The time that is left is counted, not a point in time: pending answers cost nothing."""
    run = Sandbox(tools={"ask": None}).commands.start("ask; sleep 0.3; echo end", timeout=0.2, on_limit="suspend")
    call = run.next()
    time.sleep(0.4)
    run.resume(call, stdout="")  # type: ignore[arg-type]
    event = run.next()
    assert event == LimitReached("timeout")
    run.resume(event, add={"timeout": 10})  # type: ignore[arg-type]
    assert run.drive().stdout == "end\n"


def test_sleeping() -> None:
    """next waits sleeps out; wait=False says until when; a dump in the middle of a sleep goes on sleeping."""
    run = Sandbox().commands.start("sleep 0.3; echo up")
    started = time.monotonic()
    event = run.next(wait=False)
    assert isinstance(event, Sleeping)
    assert 0 < event.seconds <= 0.3
    assert event.until.tzinfo is not None
    loaded = Run.load(run.dump())
    assert loaded.drive().stdout == "up\n"
    assert 0.2 < time.monotonic() - started < 5
    assert isinstance(run.next(), Finished)


def test_virtual_clock_waits_for_nothing() -> None:
    """A day of sleep takes no time and moves the clock."""
    sb = Sandbox(clock="virtual", timeout=None)
    started = time.monotonic()
    assert sb.commands.run("date +%F; sleep 86400; date +%F").stdout == "2000-01-01\n2000-01-02\n"
    assert time.monotonic() - started < 5
    assert sb.commands.run("sleep 100", timeout=10).exit_code == 124


def test_checkpoint() -> None:
    """The builtin is an event with a snapshot to go back to; drive goes on by itself."""
    sb = Sandbox()
    run = sb.commands.start("x=1; checkpoint here; x=2; echo $x")
    event = run.next()
    assert isinstance(event, Checkpoint)
    assert event.name == "here"
    assert run.drive().stdout == "2\n"
    assert sb.commands.run("checkpoint; echo on").stdout == "on\n"


def test_suspend_from_another_thread() -> None:
    """Run.suspend stops at the next step; drive raises RunSuspended; a loaded copy goes on."""
    sb = Sandbox()
    run = sb.commands.start("i=0; while [ ! -e /tmp/stop ]; do i=$((i + 1)); done; echo stopped")
    threading.Timer(0.1, run.suspend).start()
    assert isinstance(run.next(), Suspended)
    threading.Timer(0.1, run.suspend).start()
    with pytest.raises(RunSuspended):
        run.drive()
    loaded = Run.load(run.dump())
    loaded.sandbox.files.write("/tmp/stop", b"")
    assert loaded.drive().stdout == "stopped\n"
    sb.files.write("/tmp/stop", b"")
    assert run.drive().stdout == "stopped\n"


def test_forks_of_a_running_script() -> None:
    """Eight futures: own ids that name their origin, own files, the same past."""
    sb = Sandbox(tools={"choose": None}, seed=3)
    run = sb.commands.start("echo begin; c=$(choose); echo $c > choice; echo $RANDOM; echo chose $c")
    call = run.next()
    kids = run.fork(8)
    assert len({k.id for k in kids} | {run.id}) == 9
    results = []
    for i, kid in enumerate(kids):
        (mine,) = kid.pending()
        assert mine.forked_from == call.call_id  # type: ignore[union-attr]
        assert mine.call_id != call.call_id  # type: ignore[union-attr]
        kid.resume(mine, stdout=str(i))
        results.append(kid.drive().stdout)
        assert kid.sandbox.files.read("choice") == f"{i}\n".encode()
    assert len({r.split("\n")[1] for r in results}) == 1
    assert all(r.startswith("begin\n") and r.endswith(f"chose {i}\n") for i, r in enumerate(results))
    assert not sb.files.exists("choice")
    one = run.fork(reseed=9)
    one.resume(one.pending()[0], stdout="x")
    assert one.drive().stdout.split("\n")[1] != results[0].split("\n")[1]
    run.resume(call, stdout="own")  # type: ignore[arg-type]
    assert run.drive().stdout.endswith("chose own\n")
    with pytest.raises(RunGoneError):
        run.fork()


def test_loading_twice_is_a_retry() -> None:
    """The same ids on purpose; both go on independently."""
    run = Sandbox(tools={"ask": None}).commands.start("x=$(ask); echo $x > f; cat f")
    run.next()
    blob = run.dump()
    a, b = Run.load(blob), Run.load(blob)
    assert a.pending()[0].call_id == b.pending()[0].call_id
    a.resume(a.pending()[0], stdout="a")
    b.resume(b.pending()[0], stdout="b")
    assert (a.drive().stdout, b.drive().stdout) == ("a\n", "b\n")


def test_load_needs_the_callables() -> None:
    """A name that held a function must be in tools=; one registered as None needs nothing."""
    sb = Sandbox(tools={"held": lambda call: "h", "free": None})
    run = sb.commands.start("free; held")
    run.next()
    blob = run.dump()
    assert Sandbox.inspect(blob).kind == "run"
    assert Sandbox.inspect(blob).tools == ("held",)
    with pytest.raises(CapabilityError, match="held"):
        Run.load(blob)
    loaded = Run.load(blob, tools={"held": lambda call: "again"})
    loaded.resume(loaded.pending()[0], stdout="f")
    assert loaded.drive().stdout == "fagain"


def test_load_of_a_state_without_a_run() -> None:
    """It says how to load it instead."""
    with pytest.raises(StateError, match="from_state"):
        Run.load(Sandbox().export_state())


def test_signed_dumps() -> None:
    """A key must be the same on both sides."""
    run = Sandbox(tools={"ask": None}).commands.start("ask")
    run.next()
    blob = run.dump(key=b"secret")
    assert Run.load(blob, key=b"secret").pending()
    for key in (None, b"other"):
        with pytest.raises(SignatureError):
            Run.load(blob, key=key)
    with pytest.raises(SignatureError):
        Run.load(run.dump(), key=b"secret")


def test_cancel() -> None:
    """Status 130; what was done stays; a driven run ends from another thread."""
    sb = Sandbox(tools={"ask": None})
    run = sb.commands.start("echo 1 > f; ask; echo 2 > f")
    call = run.next()
    run.cancel()
    assert run.result().exit_code == 130
    assert run.result().error_class == "CANCELLED"
    run.cancel()
    assert sb.files.read("f") == b"1\n"
    with pytest.raises((RunGoneError, AlreadyResumedError)):
        run.resume(call)  # type: ignore[arg-type]
    run = sb.commands.start("sleep 100")
    threading.Timer(0.1, run.cancel).start()
    assert run.drive().exit_code == 130


def ended_by(run: Run, then: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the run end, and something happen, between what cancel leaves for its driver and its look whether there is one."""
    leave = Run._cancel

    def late(self: Run) -> bool:
        mine = leave(self)
        monkeypatch.undo()
        assert run.drive().exit_code == 130
        then()
        return mine

    monkeypatch.setattr(Run, "_cancel", late)


@pytest.mark.parametrize("cancel", [lambda sb, run: run.cancel(), lambda sb, run: sb.commands.cancel()], ids=["run", "sandbox"])
def test_cancel_of_a_run_that_is_just_ending(cancel: Callable[[Sandbox, Run], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no error that the run has ended, that another one has begun, or is being driven: that goes on, and is not waited for."""
    sb = Sandbox(timeout=None)
    run = sb.commands.start("while :; do :; done")
    ended_by(run, lambda: None, monkeypatch)
    cancel(sb, run)
    run = sb.commands.start("while :; do :; done")
    ended_by(run, lambda: sb.commands.start("read x"), monkeypatch)
    cancel(sb, run)
    active = sb.runs.active()
    assert active is not None
    active.cancel()
    run = sb.commands.start("while :; do :; done")
    thread = threading.Thread(target=lambda: sb.commands.run("echo > begun; while [ ! -e go ]; do sleep 0.01; done; echo > end"))

    def drive() -> None:
        thread.start()
        while not sb.files.exists("begun"):
            time.sleep(0.001)

    ended_by(run, drive, monkeypatch)
    cancel(sb, run)
    sb.files.write("go", b"")
    thread.join(30)
    assert sb.files.exists("end")


def test_cancel_of_a_run_that_its_driver_is_leaving(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its driver has made its last step when the note comes: nobody drives it on, and it is over all the same."""
    sb = Sandbox(tools={"ask": None})
    run = sb.commands.start("ask")
    event = AnyRun._event

    def leaving(self: AnyRun, step: Any) -> Event:
        run.cancel()
        return event(self, step)

    with monkeypatch.context() as patch:
        patch.setattr(AnyRun, "_event", leaving)
        run.next()
    assert sb.runs.active() is None
    assert sb.commands.run("echo on").stdout == "on\n"
    run.cancel()


def test_a_late_cancel_costs_the_next_run_nothing() -> None:
    """What was left for a run that is over ends no slice of another."""
    sb = Sandbox(timeout=None)
    over = sb.commands.start("true")
    over.drive()
    run = sb.commands.start("for ((i = 0; i < 20000; i++)); do :; done")
    _wire.run_cancel(sb._live(), run=over.id)
    slices = 0
    while _wire.run_step(sb._live(), run.id, slice_ns=1_000_000_000)["tag"] != _wire.DONE:
        slices += 1
    assert slices <= 2


def test_result_before_the_end() -> None:
    """result() of a run that goes on raises; dump of one that ended too."""
    sb = Sandbox()
    run = sb.commands.start("echo x")
    with pytest.raises(SandboxBusyError, match=run.id):
        run.result()
    assert sb.runs.active().id == run.id  # type: ignore[union-attr]
    assert run.drive().stdout == "x\n"
    assert sb.runs.active() is None
    assert run.pending() == []
    with pytest.raises(RunGoneError):
        run.dump()
    assert "ended" in repr(run)


def test_active_run_of_a_loaded_sandbox() -> None:
    """from_state and fork give the run back with what it wrote so far."""
    sb = Sandbox(tools={"ask": None})
    sb.commands.start("echo before; ask; echo after").next()
    for other in (Sandbox.from_state(sb.export_state()), sb.fork()):
        run = other.runs.active()
        assert run is not None
        run.resume(run.pending()[0], stdout="")
        assert run.drive().stdout == "before\nafter\n"


def test_events_that_need_no_answer() -> None:
    """resume refuses them."""
    run = Sandbox().commands.start("true")
    with pytest.raises(TypeError, match="Suspended"):
        run.resume(Suspended())  # type: ignore[arg-type]


def test_background_jobs_go_on_inside_later_calls() -> None:
    """A job frozen by an earlier call is no active run."""
    sb = Sandbox()
    sb.commands.run("(while [ ! -e /tmp/go ]; do sleep 0.01; done; echo job > /tmp/done) &")
    assert sb.runs.active() is None
    sb.files.write("/tmp/go", b"")
    assert sb.commands.run("wait; cat /tmp/done").stdout == "job\n"


BETWEEN: Dict[str, Callable[[Sandbox, Run], object]] = {
    "nothing": lambda sandbox, run: None,
    "pending": lambda sandbox, run: run.pending(),
    "dump": lambda sandbox, run: run.dump(),
    "snapshot": lambda sandbox, run: sandbox.snapshot(),
    "files": lambda sandbox, run: sandbox.files.write("/tmp/f", b"x"),
    "env": lambda sandbox, run: sandbox.env["A"],
    "suspend": lambda sandbox, run: run.suspend(),
}


@pytest.mark.parametrize("before", BETWEEN)
@pytest.mark.parametrize("after", BETWEEN)
def test_an_answer_is_there_for_all_that_comes_after_it(before: str, after: str) -> None:
    """Whatever the sandbox is asked for around an answer, the answer counts from then on, and once."""
    script = "export A=1; x=$(ask one); y=$(ask two); echo $x $y"
    with Sandbox(tools={"ask": None}) as sandbox:
        run = sandbox.commands.start(script)
        call = run.next()
        assert isinstance(call, ToolCall)
        BETWEEN[before](sandbox, run)
        if before == "suspend":
            assert isinstance(run.next(), Suspended)
        run.resume(call, stdout="1")
        BETWEEN[after](sandbox, run)
        with pytest.raises(AlreadyResumedError):
            run.resume(call, stdout="again")
        assert run.pending() == []
        fork = run.fork()
        with Run.load(run.dump(), tools={"ask": None}).sandbox as other:
            for going in (run, fork, other.runs.active()):
                assert going is not None
                event = going.next()
                while isinstance(event, Suspended):
                    event = going.next()
                assert isinstance(event, ToolCall)
                assert event.args == ["two"]
                going.resume(event, stdout="2")
                assert going.drive().stdout == "1 2\n"
        fork.sandbox.close()


def test_an_answer_that_nobody_waits_for_any_more() -> None:
    """A sandbox that goes back, is made anew or closed takes an answer along that was left for the next step."""
    with Sandbox(tools={"ask": None}) as sandbox:
        saved = sandbox.snapshot()
        for back in (lambda: sandbox.restore(saved), sandbox.reset):
            run = sandbox.commands.start("ask; echo end")
            call = run.next()
            assert isinstance(call, ToolCall)
            run.resume(call)
            back()
            with pytest.raises(RunGoneError):
                run.next()
            assert sandbox.commands.run("echo live").stdout == "live\n"


def test_a_copy_is_another_future() -> None:
    run = Sandbox(tools={"ask": None}).commands.start("echo $(ask)")
    call = run.next()
    for kid in (copy.copy(run), copy.deepcopy(run)):
        assert kid.id != run.id
        event = kid.next()
        assert isinstance(event, ToolCall)
        assert event.forked_from == call.call_id  # type: ignore[union-attr]
        kid.resume(event, stdout="kid")
        assert kid.drive().stdout == "kid\n"
    run.resume(call, stdout="mine")  # type: ignore[arg-type]
    assert run.drive() == copy.deepcopy(run).result()


def test_a_blob_says_when_it_was_made() -> None:
    start = datetime.datetime(2030, 1, 2, tzinfo=datetime.timezone.utc)
    run = Sandbox(tools={"ask": None}, clock=start).commands.start("sleep 5; ask")
    run.next()
    blob = run.dump()
    created = Sandbox.inspect(blob).created
    assert datetime.timedelta(seconds=5) <= created - start < datetime.timedelta(seconds=6)
    assert Run.load(blob).dump() == blob
    real = Sandbox.inspect(Sandbox().export_state()).created
    assert abs(real - datetime.datetime.now(datetime.timezone.utc)) < datetime.timedelta(minutes=5)
