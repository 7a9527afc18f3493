"""Threads: one sandbox from several, many sandboxes at once, re-entry."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, List

import pytest

from eryxsh import Event, Finished, Run, Sandbox, SandboxBusyError, SandboxClosedError, Suspended, ToolCall


def test_one_sandbox_from_two_threads() -> None:
    """Commands wait their turn: each output is whole, every command ran."""
    sb = Sandbox()
    script = "echo a; i=0; while ((i < 3000)); do ((i++)); done; echo b; echo x >> /tmp/count"
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: sb.commands.run(script), range(40)))
    assert {r.stdout for r in results} == {"a\nb\n"}
    assert sb.files.read("/tmp/count") == b"x\n" * 40


def test_a_sleeping_run_is_waited_for() -> None:
    """A run that another thread drives through a sleep is not an error for the second."""
    sb = Sandbox()
    thread = threading.Thread(target=lambda: sb.commands.run("sleep 0.3; echo first > /tmp/f"))
    thread.start()
    time.sleep(0.1)
    assert sb.commands.run("cat /tmp/f").stdout == "first\n"
    thread.join()


def test_files_work_while_a_script_runs() -> None:
    """Between slices another thread reads, writes, snapshots and forks."""
    sb = Sandbox()
    thread = threading.Thread(target=lambda: sb.commands.run("while [ ! -e /tmp/stop ]; do echo x > /tmp/beat; done"))
    thread.start()
    try:
        time.sleep(0.05)
        sb.files.write("/tmp/a", b"1")
        assert sb.files.read("/tmp/a") == b"1"
        child = sb.fork()
        assert child.files.read("/tmp/a") == b"1"
        assert sb.snapshot()
        assert sb.export_state()
    finally:
        sb.files.write("/tmp/stop", b"")
        thread.join(10)
    assert not thread.is_alive()


def test_a_waiting_run_makes_others_busy() -> None:
    """While a started run waits for an answer, run and start name it."""
    sb = Sandbox(tools={"ask": None})
    run = sb.commands.start("ask; echo end")
    run.next()
    for use in (lambda: sb.commands.run("echo x"), lambda: sb.commands.start("echo x")):
        with pytest.raises(SandboxBusyError, match=run.id):
            use()
    run.resume(run.pending()[0], stdout="")
    assert run.drive().stdout == "end\n"
    assert sb.commands.run("echo x").stdout == "x\n"


def test_reentry_from_its_own_tool() -> None:
    """A tool that runs commands in its own sandbox gets SandboxBusyError, which is its failure; its files work."""
    errors: List[BaseException] = []

    def tool(call: ToolCall) -> str:
        call.files.write("/tmp/from-tool", b"ok\n")
        try:
            sb.commands.run("echo inner")
        except SandboxBusyError as error:
            errors.append(error)
            raise
        return "never"

    sb = Sandbox(tools={"tool": tool})
    r = sb.commands.run("tool; echo $?; cat /tmp/from-tool")
    assert r.stdout == "1\nok\n"
    assert len(errors) == 1
    assert r.tool_errors == errors
    assert "its own sandbox" in r.stderr


def test_tool_uses_another_sandbox() -> None:
    """Nested: a tool runs commands in another sandbox whose tool runs commands in a third."""
    third = Sandbox()
    second = Sandbox(tools={"deeper": lambda call: third.commands.run("echo third").stdout})
    first = Sandbox(tools={"deep": lambda call: second.commands.run("deeper; echo second").stdout})
    assert first.commands.run("deep; echo first").stdout == "third\nsecond\nfirst\n"


def test_many_sandboxes_in_parallel() -> None:
    """Eight threads with a sandbox each do not see each other."""

    def work(i: int) -> str:
        with Sandbox(env={"ME": str(i)}) as sb:
            return "".join(sb.commands.run(f"echo $ME > f; cat f; x{j}=1").stdout for j in range(30))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == [f"{i}\n" * 30 for i in range(16)]


def test_main_thread_goes_on_meanwhile() -> None:
    """The GIL is free while a script runs."""
    sb = Sandbox()
    thread = threading.Thread(target=lambda: sb.commands.run("i=0; while ((i < 400000)); do ((i++)); done"))
    ticks = 0
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        ticks += 1
    assert ticks > 5


def test_suspend_and_resume_from_another_thread() -> None:
    """The driver pauses, its clock stopped, and goes on."""
    sb = Sandbox(timeout=1)
    results = []
    thread = threading.Thread(
        target=lambda: results.append(sb.commands.run("while [ ! -e /tmp/stop ]; do echo x > /tmp/beat; done; echo end"))
    )
    thread.start()
    time.sleep(0.1)
    sb.suspend()
    time.sleep(0.1)
    sb.files.rm("/tmp/beat")
    time.sleep(1.2)  # longer than the timeout, which does not count now
    assert not sb.files.exists("/tmp/beat")
    assert thread.is_alive()
    sb.files.write("/tmp/stop", b"")
    sb.resume()
    thread.join(10)
    assert [r.stdout for r in results] == ["end\n"]
    sb.suspend()  # nothing runs: nothing happens
    assert sb.commands.run("echo on").stdout == "on\n"


LONG = {
    "steps": "i=0; while ((i < 600000)); do ((i++)); done; echo $i $RANDOM",
    "words": 'a=($(seq 60000)); for n in 1 2 3; do b=("${a[@]}"); set -- ${a[*]}; done; echo ${#b[@]} $# $RANDOM',
    "substitution": "x=$(head -c 3000000 /dev/zero | tr '\\0' a); y=${x//a/bc}; z=${y//[b-c]/d}; echo ${#z} $RANDOM | tee -a f; cat f",
    "heavy": "seq 40000 | awk '{ a[NR] = $0; s = s $0 } END { n = asort(a); print n, gsub(/1/, \"one\", s), length(s) }'; echo $RANDOM",
    "slurp": "seq 30000 | jq -s 'map(. * 2) | sort_by(-.) | [length, .[0], add]' -c; echo $RANDOM",
    "diff": "seq 30000 | tee a | sed s/7/x/ >b; diff a b | cksum; dd if=b of=c bs=8M status=none; cksum <c; echo $SECONDS",
    "output": "for i in {1..200}; do echo $i; x=$(seq $((i * 20)) | sort -r | tail -n 1); done; echo $x $RANDOM",
}


@pytest.mark.parametrize("name", LONG)
def test_suspended_at_any_moment(name: str) -> None:
    """In the middle of a step, too, and moved each time: the run comes to the same end."""

    def start() -> Run:
        return Sandbox(clock="virtual", seed=5, timeout=None).commands.start(LONG[name])

    plain = start().drive()
    assert plain.exit_code == 0
    assert plain.stdout
    moves = 0
    run = start()
    for n in range(1000):
        timer = threading.Timer(0.0005 * (1 + n % 13), run.suspend)
        timer.start()
        event: Event = run.next()
        timer.cancel()
        timer.join()
        if isinstance(event, Finished):
            break
        assert isinstance(event, Suspended)
        moves += 1
        run = Run.load(run.dump())
    assert moves > 1
    assert (run.result().stdout, run.result().stderr, run.result().exit_code) == (plain.stdout, plain.stderr, 0)


def test_cancel_and_close_end_a_pause() -> None:
    """A paused driver does not have to be resumed to be stopped."""
    for stop, code in ((lambda sb: sb.commands.cancel(), 130), (lambda sb: sb.close(), None)):
        sb = Sandbox()
        results: List[object] = []

        def work(sb: Sandbox = sb, results: List[object] = results) -> None:
            try:
                results.append(sb.commands.run("while :; do :; done").exit_code)
            except SandboxClosedError:
                results.append(None)

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.1)
        sb.suspend()
        time.sleep(0.1)
        assert thread.is_alive()
        stop(sb)
        thread.join(5)
        assert results == [code]


def test_finalizer_on_another_thread() -> None:
    """A sandbox may be dropped anywhere, also while its siblings work."""
    sandboxes = [Sandbox() for _ in range(50)]

    def drop(sb: Sandbox) -> None:
        sb.commands.run("echo x")

    with ThreadPoolExecutor(4) as pool:
        while sandboxes:
            pool.submit(drop, sandboxes.pop())


@pytest.mark.parametrize("what", ["run('while :; do :; done')", "run('sleep 1000')", "run('yes > /dev/null')", "start('read x').drive()"])
def test_a_daemon_thread_ends_with_the_interpreter(python: Callable[..., str], what: str) -> None:
    """Quietly, as CPython's own daemon threads do, whatever it was running."""
    code = f"""
        import threading, time
        from eryxsh import Sandbox
        begun = threading.Event()
        def work():
            sb = Sandbox(timeout=None, tools={{"begin": lambda call: begun.set()}})
            sb.commands.run("begin")
            while True:
                sb.commands.{what}
        threading.Thread(target=work, daemon=True).start()
        begun.wait()
        time.sleep(0.05)
        print("end")
        """
    assert python(code) == "end\n"
