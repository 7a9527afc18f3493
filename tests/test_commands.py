"""Commands: run's arguments and results, callbacks, timeouts, cancel."""

from __future__ import annotations

import pickle
import threading
import time
from typing import Any, List

import pytest

from eryxsh import PIPE, CommandError, Limits, Run, Sandbox, SandboxBusyError, SandboxClosedError, ToolCall


@pytest.fixture
def sb() -> Sandbox:
    return Sandbox()


def test_streams_and_status(sb: Sandbox) -> None:
    """stdout, stderr and the exit code are apart, bytes are safe, times and steps are counted."""
    r = sb.commands.run("echo out; printf 'b\\xffx' >&2; exit 3")
    assert (r.stdout, r.stderr_bytes, r.exit_code, r.ok) == ("out\n", b"b\xffx", 3, False)
    assert r.stderr.encode("utf-8", "surrogateescape") == b"b\xffx"
    assert r.error_class is None
    assert r.limit is None
    assert r.truncated == {"stdout": False, "stderr": False}
    assert r.tool_errors == []
    assert r.steps > 0
    assert r.execution_time_ms >= 0


def test_state_stays_between_calls(sb: Sandbox) -> None:
    """Variables, functions, directory, options and $? stay; exit ends the call only."""
    sb.commands.run("x=1; f() { echo f$x; }; cd /tmp; set -u; false")
    r = sb.commands.run("echo $?; f; pwd; echo $-")
    assert r.stdout.splitlines()[:3] == ["1", "f1", "/tmp"]
    assert "u" in r.stdout.splitlines()[3]
    assert sb.commands.run("exit 4").exit_code == 4
    assert sb.commands.run("f").stdout == "f1\n"


def test_stdin(sb: Sandbox) -> None:
    """None is end of file; str and bytes are all of the input; later calls do not see what was left."""
    assert sb.commands.run("cat; echo $?").stdout == "0\n"
    assert sb.commands.run("cat", stdin="é\n").stdout_bytes == "é\n".encode()
    assert sb.commands.run("read -r a; echo [$a]", stdin=b"one\ntwo\n").stdout == "[one]\n"
    assert sb.commands.run("cat", stdin=bytearray(b"x")).stdout == "x"
    assert sb.commands.run("cat").stdout == ""
    with pytest.raises(TypeError):
        sb.commands.run("cat", stdin=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="start"):
        sb.commands.run("cat", stdin=PIPE)


def test_env_and_cwd_hold_for_one_call(sb: Sandbox) -> None:
    """They are seen by the call's commands and gone afterwards."""
    sb.files.mkdir("/work/dir")
    r = sb.commands.run("echo $A; pwd; env | grep ^A=", env={"A": "1 2"}, cwd="/work/dir")
    assert r.stdout == "1 2\n/work/dir\nA=1 2\n"
    assert sb.commands.run("echo [$A]; pwd").stdout == "[]\n/home/user\n"
    with pytest.raises(TypeError, match="env"):
        sb.commands.run("true", env={"A": 1})  # type: ignore[dict-item]
    with pytest.raises(FileNotFoundError):
        sb.commands.run("true", cwd="/no/such")


def test_a_list_is_not_parsed(sb: Sandbox) -> None:
    """Words stay as they are; builtins, functions and utilities are found."""
    sb.files.write("/data/a b", "x\nxx\ny\n")
    assert sb.commands.run(["grep", "-c", "x", "/data/a b"]).stdout == "2\n"
    assert sb.commands.run(["echo", "$HOME", "*", ";", "a'b"]).stdout == "$HOME * ; a'b\n"
    sb.commands.run('f() { echo $# "$1"; }')
    assert sb.commands.run(("f", "a b", "c")).stdout == "2 a b\n"
    assert sb.commands.run(["no-such-command"]).exit_code == 127
    for bad in ([], b"echo", ["echo", 1]):
        with pytest.raises((TypeError, ValueError)):
            sb.commands.run(bad)  # type: ignore[arg-type]


def test_a_str_of_another_class_is_a_script(sb: Sandbox) -> None:
    """It is not taken for a list of letters."""

    class Text(str):
        pass

    assert sb.commands.run(Text("echo hi")).stdout == "hi\n"
    sb.files.write(Text("/tmp/t"), b"x")
    assert sb.files.read(Text("/tmp/t")) == b"x"


def test_check(sb: Sandbox) -> None:
    """check=True and check() raise with the result and the last line of stderr."""
    with pytest.raises(CommandError, match="exit code 3: two") as caught:
        sb.commands.run("echo one >&2; echo two >&2; exit 3", check=True)
    assert caught.value.result.exit_code == 3
    assert sb.commands.run("true", check=True).check().ok
    with pytest.raises(CommandError, match="TIMEOUT"):
        sb.commands.run("sleep 10", timeout=0.05, check=True)


def test_syntax_error_is_a_status(sb: Sandbox) -> None:
    """What is complete before it runs; then status 2 in bash's words; no exception."""
    r = sb.commands.run("echo first\nif then\n")
    assert (r.stdout, r.exit_code) == ("first\n", 2)
    assert "syntax error" in r.stderr
    assert sb.commands.run("echo ok").stdout == "ok\n"


@pytest.mark.parametrize("script", ["while :; do :; done", "sleep 100", "yes > /dev/null", "read -r x < <(sleep 50)"])
def test_timeout(sb: Sandbox, script: str) -> None:
    """124, TIMEOUT, what was written is kept, and the sandbox goes on."""
    started = time.monotonic()
    r = sb.commands.run(f"echo before; {script}; echo after", timeout=0.2)
    assert (r.exit_code, r.error_class, r.stdout) == (124, "TIMEOUT", "before\n")
    assert time.monotonic() - started < 5
    assert sb.commands.run("echo on").stdout == "on\n"


def test_timeout_of_the_sandbox() -> None:
    """The constructor's timeout is the default; None lifts it; nonsense is refused."""
    sb = Sandbox(timeout=0.1)
    assert sb.commands.run("sleep 60").exit_code == 124
    assert sb.commands.run("sleep 0.3; echo x", timeout=None).stdout == "x\n"
    for bad in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="timeout"):
            sb.commands.run("true", timeout=bad)
        with pytest.raises(ValueError, match="timeout"):
            Sandbox(timeout=bad)
    with pytest.raises(TypeError, match="timeout"):
        sb.commands.run("true", timeout="1")  # type: ignore[arg-type]


def test_callbacks_in_order(sb: Sandbox) -> None:
    """Both callbacks see the order of the writes; the result holds what no callback took."""
    seen: List[Any] = []
    script = "echo a; echo b >&2; echo c; sleep 0.01; echo d"
    r = sb.commands.run(script, on_stdout=lambda s: seen.append((1, s)), on_stderr=lambda s: seen.append((2, s)))
    merged: List[Any] = []
    for stream, text in seen:
        if merged and merged[-1][0] == stream:
            merged[-1][1] += text
        else:
            merged.append([stream, text])
    assert merged == [[1, "a\n"], [2, "b\n"], [1, "c\nd\n"]]
    assert (r.stdout, r.stderr) == ("", "")
    r = sb.commands.run(script, on_stdout=lambda s: None)
    assert (r.stdout, r.stderr) == ("", "b\n")


def test_callbacks_decode_incrementally(sb: Sandbox) -> None:
    """A character split over two writes arrives whole; a cut one at the end arrives as surrogates."""
    seen: List[str] = []
    sb.commands.run(r"printf '\xe2\x82'; sleep 0.01; printf '\xac|'; printf '\xe2\x82'", on_stdout=seen.append)
    assert "".join(seen) == "€|\udce2\udc82"


def test_callback_that_raises(sb: Sandbox) -> None:
    """Its exception propagates, the script stops there, the sandbox goes on."""

    class Stop(Exception):
        pass

    def stop(text: str) -> None:
        raise Stop(text)

    with pytest.raises(Stop, match="begin"):
        sb.commands.run("echo begin; while :; do echo x; done; touch /tmp/reached", on_stdout=stop)
    assert sb.commands.run("echo on; ls /tmp").stdout == "on\n"
    assert sb.runs.active() is None


def test_callback_uses_its_own_sandbox(sb: Sandbox) -> None:
    """commands raises SandboxBusyError, files and snapshots work, another sandbox works."""
    other = Sandbox()
    seen: List[object] = []

    def look(text: str) -> None:
        with pytest.raises(SandboxBusyError):
            sb.commands.run("echo inner")
        with pytest.raises(SandboxBusyError):
            sb.commands.start("echo inner")
        seen.append((sb.files.read("/tmp/f"), other.commands.run("echo other").stdout, bool(sb.snapshot())))

    sb.commands.run("echo content > /tmp/f; echo now; sleep 0.01", on_stdout=look)
    assert seen == [(b"content\n", "other\n", True)]


@pytest.mark.parametrize("script", ["while :; do :; done", "sleep 100", "yes > /dev/null", "sort /dev/zero", "cat < <(sleep 60)"])
def test_cancel_from_a_thread(sb: Sandbox, script: str) -> None:
    """130, CANCELLED, partial output, soon; the sandbox goes on."""
    threading.Timer(0.1, sb.commands.cancel).start()
    started = time.monotonic()
    r = sb.commands.run(f"echo before; {script}; echo after")
    assert (r.exit_code, r.error_class, r.stdout) == (130, "CANCELLED", "before\n")
    assert time.monotonic() - started < 2
    assert sb.commands.run("echo on").stdout == "on\n"


def test_cancel_of_nothing(sb: Sandbox) -> None:
    """It does nothing, and nothing is left for the next call."""
    sb.commands.cancel()
    assert sb.commands.run("echo x").exit_code == 0


def test_cancel_of_a_waiting_run() -> None:
    """A run that nobody drives ends too."""
    sb = Sandbox(tools={"ask": None})
    run = sb.commands.start("ask; echo after")
    run.next()
    sb.commands.cancel()
    assert sb.runs.active() is None
    assert sb.commands.run("echo on").stdout == "on\n"


def test_memory_limit_is_named(sb: Sandbox) -> None:
    """A runaway string ends with the limit's name."""
    r = sb.commands.run("x=0123456789abcdef; while :; do x=$x$x; done", limits=Limits(memory=10 << 20))
    assert (r.exit_code, r.error_class, r.limit) == (137, "LIMIT_EXCEEDED", "memory")
    assert sb.commands.run("echo on").stdout == "on\n"


def test_unsupported_is_loud_and_recorded(sb: Sandbox) -> None:
    """An option that does not exist is on the result even when stderr is thrown away."""
    r = sb.commands.run("grep --no-such-option x /dev/null 2>/dev/null; echo $?")
    assert r.stdout == "2\n"
    assert any("no-such-option" in u for u in r.unsupported)


def test_result_is_a_value(sb: Sandbox) -> None:
    """Results compare by what was written and how it ended, print without times, and pickle."""
    a, b = sb.commands.run("echo x; exit 1"), sb.commands.run("echo x; exit 1")
    assert a == b
    assert hash(a) == hash(b)
    assert a != sb.commands.run("echo y; exit 1")
    assert repr(a) == "CommandResult(exit_code=1, stdout='x\\n', stderr='')"
    assert pickle.loads(pickle.dumps(a)) == a
    assert pickle.loads(pickle.dumps(a)).steps == a.steps


def test_big_output(sb: Sandbox) -> None:
    """Ten megabytes arrive whole."""
    r = sb.commands.run("yes 0123456789abcde | head -c 10000000")
    assert len(r.stdout_bytes) == 10_000_000
    assert r.stdout_bytes == (b"0123456789abcde\n" * 625_000)


def test_closed(sb: Sandbox) -> None:
    """Every use of a closed sandbox raises SandboxClosedError; closing again is fine."""
    commands, files, env = sb.commands, sb.files, sb.env
    run = sb.commands.start("echo x")
    sb.close()
    sb.close()
    sb.kill()
    sb.destroy()
    for use in (
        lambda: commands.run("true"),
        lambda: commands.start("true"),
        lambda: commands.cancel(),
        lambda: files.read("/etc/passwd"),
        lambda: files.write("/x", b""),
        lambda: files.exists("/"),
        lambda: env.all(),
        lambda: sb.snapshot(),
        lambda: sb.fork(),
        lambda: sb.export_state(),
        lambda: sb.reset(),
        lambda: sb.history.list(),
        lambda: sb.snapshots.list(),
        lambda: sb.runs.active(),
        lambda: sb.usage(),
        lambda: sb.__enter__(),
        lambda: run.next(),
        lambda: run.drive(),
        lambda: run.dump(),
    ):
        with pytest.raises(SandboxClosedError):
            use()
    assert sb.closed


def test_close_while_it_runs(sb: Sandbox) -> None:
    """Another thread's close ends the run with SandboxClosedError, also out of a sleep."""
    for script in ("while :; do :; done", "sleep 100"):
        sandbox = Sandbox()
        threading.Timer(0.1, sandbox.close).start()
        started = time.monotonic()
        with pytest.raises(SandboxClosedError):
            sandbox.commands.run(script)
        assert time.monotonic() - started < 2


def test_streams_are_the_callers_in_every_run() -> None:
    """What exec makes of 0, 1 and 2 ends with the run; what it opens besides stays open."""
    with Sandbox() as sb:
        assert sb.commands.run("exec >f 2>&1 </dev/null 3>g; echo a; exec >/dev/tty || true; echo b >&3").stdout == ""
        result = sb.commands.run("echo c; echo d >&2; echo e >&3; cat - f g", stdin="in\n")
        assert (result.stdout.splitlines()[:3], result.stderr) == (["c", "in", "a"], "d\n")
        assert result.stdout.endswith("\nb\ne\n")
        sb.commands.run("exec <&- >&- 2>&- 4>&1")
        assert sb.commands.run("cat; echo x >&2", stdin="y").stdout == "y"
        assert sb.fork().commands.run("echo z").stdout == "z\n"


def test_streams_of_a_moved_run_are_its_own() -> None:
    with Sandbox(tools={"t": None}) as sb:
        run = sb.commands.start("exec >f; echo 1; t; echo 2")
        call = run.next()
        assert isinstance(call, ToolCall)
        moved = Run.load(run.dump())
        moved.resume(call.call_id)
        assert moved.drive().stdout == ""
        assert moved.sandbox.commands.run("cat f").stdout == "1\n2\n"
