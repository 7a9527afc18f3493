"""Output is delivered once: before a move or after it, and in whole characters."""

from __future__ import annotations

import asyncio
import pickle
from typing import Callable, Dict, List, Tuple

import pytest

from eryxsh import AsyncRun, AsyncSandbox, Checkpoint, Event, Finished, InputNeeded, Output, Run, RunSuspended, Sandbox, ToolCall
from eryxsh._results import pieces

SCRIPT = "echo a; echo b >&2; echo c; ask; echo d; checkpoint; echo e >&2; echo f"
STDOUT, STDERR = "a\nc\nd\nf\n", "b\ne\n"
TOOLS = {"ask": None}


def active(sandbox: Sandbox) -> Run:
    run = sandbox.runs.active()
    assert run is not None
    return run


def restored(run: Run) -> Run:
    """Of a fork, which goes elsewhere before it comes back to a snapshot."""
    there = run.sandbox.fork()
    kept = there.snapshot()
    list(active(there).events())
    there.restore(kept)
    return active(there)


WAYS: Dict[str, Callable[[Run], Run]] = {
    "dump": lambda run: Run.load(run.dump(), tools=TOOLS),
    "signed": lambda run: Run.load(run.dump(key=b"k"), key=b"k", tools=TOOLS),
    "export_state": lambda run: active(Sandbox.from_state(run.sandbox.export_state(), tools=TOOLS)),
    "fork": lambda run: run.fork(),
    "forks": lambda run: run.fork(2)[1],
    "fork of the sandbox": lambda run: active(run.sandbox.fork()),
    "snapshot": restored,
    "pickle": lambda run: active(pickle.loads(pickle.dumps(run.sandbox))),
}


def follow(run: Run, seen: List[Event], each: Callable[[], None]) -> None:
    """All events to the end; ``each`` is called at every one but the last, with which the run ends, and Finished."""
    going = True
    while going:
        for event in run.events():
            seen.append(event)
            if isinstance(event, Finished):
                going = False
            elif run.sandbox.runs.active() is not None:
                each()
                if isinstance(event, ToolCall):
                    run.resume(event)


def text(events: List[Event], stream: str) -> str:
    return "".join(e.text for e in events if isinstance(e, Output) and e.stream == stream)


@pytest.mark.parametrize("way", WAYS)
def test_moved_within_a_loop_over_events(way: str) -> None:
    move = WAYS[way]
    run = Sandbox(tools=TOOLS).commands.start(SCRIPT)
    moved: List[Tuple[Run, List[Event]]] = []
    seen: List[Event] = []
    follow(run, seen, lambda: moved.append((move(run), list(seen))))
    assert (text(seen, "stdout"), text(seen, "stderr")) == (STDOUT, STDERR)
    assert len(moved) == 7
    assert sum(isinstance(e, Checkpoint) for e in seen) == 1
    for by_events in (True, False):
        if not by_events:
            moved.clear()
            follow(again := Sandbox(tools=TOOLS).commands.start(SCRIPT), seen := [], lambda: moved.append((move(again), list(seen))))
        for there, before in moved:
            after = list(before)
            if by_events:
                follow(there, after, lambda: None)
                assert sum(isinstance(e, Checkpoint) for e in after) == 1
            else:
                if any(isinstance(c, ToolCall) for c in before[:-1]):
                    assert there.pending() == []
                elif there.pending() or isinstance(there.next(), ToolCall):
                    there.resume(there.pending()[0])
                there.drive()
            result = there.result()
            assert text(after, "stdout") + result.stdout == STDOUT
            assert text(after, "stderr") + result.stderr == STDERR


def test_moved_within_an_asynchronous_loop() -> None:
    async def main() -> None:
        async with AsyncSandbox(tools=TOOLS) as sandbox:
            run = await sandbox.commands.start(SCRIPT)
            moved: List[Tuple[AsyncRun, str, str]] = []
            out = err = ""
            async for event in run.events():
                if isinstance(event, Output):
                    out, err = (out + event.text, err) if event.stream == "stdout" else (out, err + event.text)
                    elsewhere = await AsyncSandbox.from_state(await sandbox.export_state(), tools=TOOLS)
                    loaded = await elsewhere.runs.active()
                    assert loaded is not None
                    moved += [(there, out, err) for there in (loaded, await AsyncRun.load(await run.dump(), tools=TOOLS), await run.fork())]
                if isinstance(event, ToolCall):
                    break
            assert len(moved) == 9
            for there, before, errors in moved:
                await there.resume(await there.next())  # type: ignore[arg-type]
                result = await there.drive()
                assert (before + result.stdout, errors + result.stderr) == (STDOUT, STDERR)

    asyncio.run(main())


def test_a_dump_after_events_was_left_for_next() -> None:
    run = Sandbox(tools=TOOLS).commands.start(SCRIPT)
    assert next(run.events()) == Output("stdout", b"a\n")
    call = run.next()
    assert isinstance(call, ToolCall)
    loaded = Run.load(run.dump())
    loaded.resume(call.call_id)
    result = loaded.drive()
    assert (result.stdout, result.stderr) == ("c\nd\nf\n", STDERR)


def test_input_is_asked_for_after_output_and_after_a_move() -> None:
    from eryxsh import PIPE

    run = Sandbox().commands.start("echo a; echo b >&2; read x; echo $x", stdin=PIPE)
    events = run.events()
    assert next(events) == Output("stdout", b"a\n")
    for there in (Run.load(run.dump()), run):
        seen = there.events()
        assert next(seen) == Output("stderr", b"b\n")
        wanted = next(seen)
        assert isinstance(wanted, InputNeeded)
        there.resume(wanted, data=b"x\n")
        assert [e for e in seen if isinstance(e, Output)] == [Output("stdout", b"x\n")]


def test_a_run_that_is_suspended_says_so_behind_its_output() -> None:
    run = Sandbox().commands.start("echo a; echo b >&2; checkpoint one; while :; do :; done")
    names = []
    for event in run.events():
        names.append(type(event).__name__)
        if isinstance(event, Checkpoint):
            assert event.name == "one"
            run.suspend()
        if names[-1] == "Suspended":
            break
    assert names == ["Output", "Output", "Checkpoint", "Suspended"]
    run.cancel()


def test_what_a_callback_has_not_been_given_is_in_what_it_saves() -> None:
    sandbox, saved, given = Sandbox(tools={"ask": lambda call: None}), [], {1: "", 2: ""}

    def take(stream: int, data: str) -> None:
        given[stream] += data
        saved.append((sandbox.export_state(), dict(given)))

    sandbox.commands.run(SCRIPT, on_stdout=lambda s: take(1, s), on_stderr=lambda s: take(2, s))
    assert given == {1: STDOUT, 2: STDERR}
    loaded = 0
    for blob, before in saved:
        there = Sandbox.from_state(blob, tools={"ask": lambda call: None}).runs.active()
        if there is None:  # it came with the end
            continue
        loaded += 1
        result = there.drive()
        assert (before[1] + result.stdout, before[2] + result.stderr) == (STDOUT, STDERR)
    assert loaded >= 3


def test_a_stream_without_a_callback_is_in_the_result_across_moves() -> None:
    seen: List[str] = []
    with pytest.raises(RunSuspended) as stopped:
        Sandbox(tools=TOOLS).commands.run("ask; " + SCRIPT, on_stdout=seen.append)
    run: Run = stopped.value.run
    run.resume(run.pending()[0])
    with pytest.raises(RunSuspended):
        run.drive()
    assert "".join(seen) == "a\nc\n"
    loaded = Run.load(Run.load(run.dump()).dump())
    loaded.resume(loaded.pending()[0])
    result = loaded.drive()
    assert (result.stdout, result.stderr) == ("d\nf\n", STDERR)


CUT = r"printf 'a\xc3'; printf '\xe2\x82' >&2; ask; printf '\xa9b\xf0\x9f'; printf '\xac!' >&2; ask; printf '\x98\x80\xe2'"
CUT_OUT, CUT_ERR = "a\u00e9b\U0001f600\udce2", "\u20ac!"


def test_a_character_written_in_two_halves_is_given_whole() -> None:
    seen: List[str] = []
    errors: List[str] = []
    Sandbox(tools={"ask": lambda call: None}).commands.run(CUT, on_stdout=seen.append, on_stderr=errors.append)
    assert (seen, errors) == (["a", "\u00e9b", "\U0001f600\udce2"], ["\u20ac!"])
    run = Sandbox(tools=TOOLS).commands.start(CUT)
    events: List[Event] = []
    follow(run, events, lambda: None)
    assert [e.text for e in events if isinstance(e, Output) and e.stream == "stdout"] == seen
    assert text(events, "stderr") == CUT_ERR


@pytest.mark.parametrize("stops", [1, 2])
def test_a_cut_character_goes_on_where_the_run_does(stops: int) -> None:
    seen: List[str] = []
    errors: List[str] = []
    with pytest.raises(RunSuspended) as stopped:
        Sandbox(tools=TOOLS).commands.run(CUT, on_stdout=seen.append, on_stderr=errors.append)
    run: Run = stopped.value.run
    if stops == 2:
        run.resume(run.pending()[0])
        with pytest.raises(RunSuspended):
            run.drive()
    kid, loaded = run.fork(), Run.load(run.dump())
    before, told = "".join(seen), "".join(errors)
    for there in (kid, loaded):
        while isinstance(call := there.next(), ToolCall):
            there.resume(call)
        assert (before + there.result().stdout, told + there.result().stderr) == (CUT_OUT, CUT_ERR)
    while isinstance(call := run.next(), ToolCall):
        run.resume(call)
    assert ("".join(seen), "".join(errors)) == (CUT_OUT, CUT_ERR)


def test_bytes_that_are_no_text_come_as_they_are() -> None:
    for data in (b"\xff\xc3", b"\x80\x80\x80\x80", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"a\xe2\x82\xc3\xa9\xe2", b"\xf4\x90\x80"):
        octal = "".join(f"\\{b:03o}" for b in data)
        for script in (f"printf '{octal}'; ask", f"ask; printf '{octal}'", "ask; " + "; ".join(f"printf '\\{b:03o}'; ask" for b in data)):
            seen: List[str] = []
            Sandbox(tools={"ask": lambda call: None}).commands.run(script, on_stdout=seen.append)
            assert "".join(seen) == data.decode("utf-8", "surrogateescape")


MANY = "for ((i = 0; i < 500; i++)); do echo out $i; echo error $i >&2; done"


def many(stream: str) -> str:
    return "".join(f"{stream} {i}\n" for i in range(500))


def test_many_pieces_come_together() -> None:
    """Short pieces of both streams are put together, and the order they were written in is kept."""
    sb = Sandbox()
    result = sb.commands.run(MANY)
    assert (result.stdout, result.stderr) == (many("out"), many("error"))
    run = Sandbox(tools=TOOLS).commands.start(f"{MANY}; ask")
    assert isinstance(run.next(), ToolCall)
    taken = run._chunks
    assert len(taken) < 500
    both = [(stream, b"%s %d\n" % (name, i)) for i in range(500) for stream, name in ((1, b"out"), (2, b"error"))]
    assert list(pieces(taken)) == both
    assert list(pieces([(1, b"a"), *taken, (2, b"z"), (1, b"y")])) == [(1, b"a"), *both, (2, b"z"), (1, b"y")]


@pytest.mark.parametrize("way", WAYS)
def test_many_pieces_of_a_run_that_moved(way: str) -> None:
    """What a run kept comes with it: in one for each stream, if it is much."""
    run = Sandbox(tools=TOOLS).commands.start(f"{MANY}; ask")
    assert isinstance(run.next(), ToolCall)
    moved = WAYS[way](run)
    moved.cancel()
    result = moved.result()
    assert (result.stdout, result.stderr) == (many("out"), many("error"))
