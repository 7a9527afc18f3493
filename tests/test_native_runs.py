"""Runs through the border: slices, signals, cancelling, tool calls, threads, the end of the process."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from eryxsh import _errors, _native, _wire

FOREVER = "while :; do :; done"


@pytest.fixture
def sandbox():
    handle = _wire.sandbox_new(seed=1)
    yield handle
    _wire.sandbox_close(handle)


def drive(handle: int, answer: _wire.Answer) -> tuple[bytes, _wire.Answer]:
    """Go on until something other than time is needed; give stdout and the last answer."""
    out = b""
    while True:
        out += b"".join(data for fd, data in answer["output"] if fd == 1)
        if answer["tag"] == _wire.SLEEPING:
            time.sleep(answer["wait"] / 1e9)
        elif answer["tag"] != _wire.SLICE:
            return out, answer
        answer = _wire.run_step(handle, answer["run"])


def run(handle: int, script: str, **options) -> tuple[bytes, _wire.Answer]:
    return drive(handle, _wire.run_run(handle, script=script, **options))


def test_one_call_runs_a_short_command(sandbox):
    answer = _wire.run_run(sandbox, script="echo hi; echo no >&2; exit 3")
    assert answer["tag"] == _wire.DONE
    assert answer["output"] == ((1, b"hi\n"), (2, b"no\n"))
    assert answer["status"] == 3
    assert answer["error_class"] == ""


def test_argv_is_not_parsed(sandbox):
    out, done = run(sandbox, "", argv=["printf", "%s|", "$HOME", "a b", "*"])
    assert out == b"$HOME|a b|*|"
    assert done["status"] == 0


def test_stdin_env_cwd(sandbox):
    out, _ = run(sandbox, "cat; echo $A; pwd", stdin=b"in\xff\n", env={"A": "v\udcff"}, cwd="/tmp")
    assert out == b"in\xff\nv\xff\n/tmp\n"
    out, _ = run(sandbox, "echo [$A]; pwd; cat")
    assert out == b"[]\n/home/user\n"


def test_a_slice_ends_in_time_and_the_script_goes_on(sandbox):
    start = time.perf_counter()
    answer = _wire.run_run(sandbox, script=FOREVER, slice_ns=5_000_000)
    assert answer["tag"] == _wire.SLICE
    for _ in range(5):
        answer = _wire.run_step(sandbox, answer["run"], slice_ns=5_000_000)
        assert answer["tag"] == _wire.SLICE
    assert time.perf_counter() - start < 6  # six slices of 5 ms, on a machine that may be busy
    _wire.run_cancel(sandbox)
    done = _wire.run_step(sandbox, answer["run"])
    assert (done["tag"], done["status"], done["error_class"]) == (_wire.DONE, 130, "CANCELLED")
    assert run(sandbox, "echo alive")[0] == b"alive\n"


def test_output_arrives_as_it_is_written(sandbox):
    answer = _wire.run_run(sandbox, script="echo one; sleep 0.01; echo two; sleep 0.01; echo three")
    seen = []
    while answer["tag"] != _wire.DONE:
        seen.append(b"".join(data for _, data in answer["output"]))
        time.sleep(answer.get("wait", 0) / 1e9)
        answer = _wire.run_step(sandbox, answer["run"])
    seen.append(b"".join(data for _, data in answer["output"]))
    assert [s for s in seen if s] == [b"one\n", b"two\n", b"three\n"]


def test_large_output_is_whole(sandbox):
    out, done = run(sandbox, "seq 400000")
    assert out == b"".join(b"%d\n" % n for n in range(1, 400001))
    assert not done["stdout_truncated"]


def test_a_second_run_is_busy_and_names_the_first(sandbox):
    first = _wire.run_run(sandbox, script=FOREVER, slice_ns=1_000_000)
    with pytest.raises(_errors.SandboxBusyError, match=first["run"]):
        _wire.run_run(sandbox, script="echo")
    assert _wire.run_active(sandbox)["run"] == first["run"]
    _wire.run_drop(sandbox, first["run"])
    assert _wire.run_active(sandbox)["run"] == ""
    assert run(sandbox, "echo now")[0] == b"now\n"


def test_a_run_that_is_not_there_is_gone(sandbox):
    with pytest.raises(_errors.RunGoneError):
        _wire.run_step(sandbox, "r0")
    with pytest.raises(_errors.RunGoneError):
        _wire.run_step(sandbox, "")
    snapshot = _wire.sandbox_snapshot(sandbox)
    answer = _wire.run_run(sandbox, script=FOREVER, slice_ns=1_000_000)
    _wire.sandbox_restore(sandbox, snapshot)
    with pytest.raises(_errors.RunGoneError):
        _wire.run_step(sandbox, answer["run"])


def test_the_last_answer_can_be_had_again(sandbox):
    done = _wire.run_run(sandbox, script="exit 7")
    again = _wire.run_step(sandbox, done["run"])
    assert (again["tag"], again["status"], again["output"]) == (_wire.DONE, 7, ())


def test_tool_calls_are_answered_once(sandbox):
    _wire.sandbox_set_tools(sandbox, tools=[("ask", True, "Ask somebody.")])
    answer = _wire.run_run(sandbox, script='printf q | ask one "t w o"; echo "status $?"; echo got=$(ask again)', env={"E": "1"})
    assert answer["tag"] == _wire.CALLS
    (call,) = answer["calls"]
    assert (call["name"], call["args"], call["stdin"], call["cwd"]) == ("ask", ("one", "t w o"), b"q", "/home/user")
    assert call["env"].startswith(b"E=1\0HOME=/home/user\0")
    assert _wire.run_step(sandbox, answer["run"])["tag"] == _wire.CALLS  # offered again until it is answered
    _wire.run_answer(sandbox, answer["run"], call["id"], stdout=b"yes\n", stderr=b"hm\n", status=4)
    with pytest.raises(_errors.AlreadyResumedError):
        _wire.run_answer(sandbox, answer["run"], call["id"], stdout=b"twice")
    out, answer = drive(sandbox, _wire.run_step(sandbox, answer["run"]))
    assert out == b"yes\nstatus 4\n"
    assert answer["calls"][0]["id"] != call["id"]
    _wire.run_answer(sandbox, answer["run"], answer["calls"][0]["id"], stdout=b"it\n", error="Oops")
    out, done = drive(sandbox, _wire.run_step(sandbox, answer["run"]))
    assert out == b"got=it\n"
    assert done["tool_errors"] == ("Oops",)


def test_a_fork_of_a_run_has_ids_of_its_own(sandbox):
    _wire.sandbox_set_tools(sandbox, tools=[("ask", False, "")])
    answer = _wire.run_run(sandbox, script="x=$(ask); echo $x")
    (kid,) = _wire.sandbox_fork(sandbox, 1)
    info = _wire.run_active(kid)
    assert info["run"] != answer["run"]
    assert info["calls"][0]["forked_from"] == answer["calls"][0]["id"] != info["calls"][0]["id"]
    for handle, active, said in ((kid, info, b"kid"), (sandbox, _wire.run_active(sandbox), b"parent")):
        _wire.run_answer(handle, active["run"], active["calls"][0]["id"], stdout=said)
        assert drive(handle, _wire.run_step(handle, active["run"]))[0] == said + b"\n"
    _wire.sandbox_close(kid)


def test_input_by_pieces(sandbox):
    answer = _wire.run_run(sandbox, script="read a; read b; echo $a-$b; cat", pipe=True)
    assert answer["tag"] == _wire.INPUT
    assert _wire.run_active(sandbox)["state"] == "input"
    _wire.run_input(sandbox, answer["run"], data=b"one\n")
    answer = _wire.run_step(sandbox, answer["run"])
    assert answer["tag"] == _wire.INPUT
    _wire.run_input(sandbox, answer["run"], data=b"two\nrest")
    out, answer = drive(sandbox, _wire.run_step(sandbox, answer["run"]))
    assert answer["tag"] == _wire.INPUT
    _wire.run_input(sandbox, answer["run"])
    rest, answer = drive(sandbox, _wire.run_step(sandbox, answer["run"]))
    assert answer["tag"] == _wire.DONE
    assert out + rest == b"one-two\nrest"


def test_timeouts_and_limits(sandbox):
    _, done = run(sandbox, FOREVER, timeout=50_000_000)
    assert (done["status"], done["error_class"]) == (124, "TIMEOUT")
    start = time.perf_counter()
    _, done = run(sandbox, "sleep 30", timeout=50_000_000)
    assert (done["status"], done["error_class"]) == (124, "TIMEOUT")
    assert time.perf_counter() - start < 10
    _, done = run(sandbox, FOREVER, limits={"steps": 5000})
    assert (done["status"], done["error_class"], done["limit"]) == (137, "LIMIT_EXCEEDED", "steps")
    with pytest.raises(ValueError, match="no limit"):
        _wire.run_run(sandbox, script="", limits={"nonsense": 1})
    assert run(sandbox, "echo alive")[0] == b"alive\n"


def test_a_budget_can_be_added_to(sandbox):
    used = _wire.sandbox_usage(sandbox)["steps"]
    script = "for ((i=0;i<2000;i++)); do :; done; echo $i"
    _, answer = run(sandbox, script, limits={"steps": used + 1000}, suspend_on_limit=True)
    assert (answer["tag"], answer["limit"]) == (_wire.LIMITED, "steps")
    _wire.run_add(sandbox, answer["run"], {"steps": 1_000_000})
    assert drive(sandbox, _wire.run_step(sandbox, answer["run"]))[0] == b"2000\n"


def test_checkpoints(sandbox):
    _, answer = run(sandbox, "checkpoint half; checkpoint; echo end")
    assert (answer["tag"], answer["name"]) == (_wire.CHECKPOINTED, "half")
    _, answer = drive(sandbox, _wire.run_step(sandbox, answer["run"]))
    assert (answer["tag"], answer["name"]) == (_wire.CHECKPOINTED, "")
    assert drive(sandbox, _wire.run_step(sandbox, answer["run"]))[0] == b"end\n"


def test_suspending_and_cancelling_from_another_thread(sandbox):
    answer = _wire.run_run(sandbox, script=FOREVER, slice_ns=1_000_000)
    threading.Timer(0.05, _wire.run_suspend, (sandbox,)).start()
    _, answer = drive(sandbox, answer)
    assert answer["tag"] == _wire.SUSPENDED
    threading.Timer(0.05, _wire.run_cancel, (sandbox,), {"run": answer["run"]}).start()
    _, answer = drive(sandbox, _wire.run_step(sandbox, answer["run"]))
    assert (answer["tag"], answer["status"]) == (_wire.DONE, 130)


def test_cancelling_nothing_does_nothing_to_the_next_run(sandbox):
    _wire.run_cancel(sandbox)
    _wire.run_suspend(sandbox)
    assert run(sandbox, "echo fine")[0] == b"fine\n"
    ended = _wire.run_run(sandbox, script="echo")["run"]
    answer = _wire.run_run(sandbox, script=FOREVER, slice_ns=1_000_000)
    _wire.run_cancel(sandbox, run=ended)  # of a run that has ended
    assert _wire.run_step(sandbox, answer["run"], slice_ns=1_000_000)["tag"] == _wire.SLICE
    _wire.run_drop(sandbox, answer["run"])


@pytest.mark.parametrize("script", [FOREVER, "sleep 60", "seq 1000000000 | sort | wc -l", "$(while :; do :; done)"])
def test_ctrl_c_is_prompt_and_the_sandbox_lives(sandbox, script):
    def interrupt() -> None:
        signal.raise_signal(signal.SIGINT)

    answer = _wire.run_run(sandbox, script=script)
    old = signal.signal(signal.SIGALRM, lambda *_: interrupt())
    start = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            drive(sandbox, answer)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert time.perf_counter() - start < 5
    _wire.run_cancel(sandbox)
    assert drive(sandbox, _wire.run_step(sandbox, answer["run"]))[1]["status"] == 130
    assert run(sandbox, "echo alive")[0] == b"alive\n"


def test_files_work_while_another_thread_drives(sandbox):
    answer = _wire.run_run(sandbox, script="while [ ! -e /tmp/stop ]; do echo x >> /tmp/log; done; echo stopped")
    result = []
    thread = threading.Thread(target=lambda: result.append(drive(sandbox, answer)))
    thread.start()
    try:
        for _ in range(20):
            assert _wire.files_exists(sandbox, "/tmp/log")
            _wire.files_write(sandbox, "/tmp/other", b"y" * 100_000)
            assert len(_wire.files_read(sandbox, "/tmp/other")) == 100_000
            kid = _wire.sandbox_fork(sandbox, 1)[0]
            _wire.sandbox_close(kid)
    finally:
        _wire.files_write(sandbox, "/tmp/stop", b"")
        thread.join(30)
    assert result[0][0] == b"stopped\n"


def test_closing_ends_the_run_of_another_thread():
    handle = _wire.sandbox_new()
    answer = _wire.run_run(handle, script=FOREVER)
    caught = []

    def work() -> None:
        try:
            drive(handle, answer)
        except _errors.SandboxClosedError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.05)
    _wire.sandbox_close(handle)
    thread.join(30)
    assert caught
    _wire.sandbox_close(handle)
    with pytest.raises(_errors.SandboxClosedError):
        _wire.files_read(handle, "/etc/passwd")


def test_sandboxes_of_many_threads(sandbox):
    handles = _wire.sandbox_fork(sandbox, 8, reseed=5)
    wrong = []

    def work(number: int, handle: int) -> None:
        for i in range(30):
            out, done = run(handle, f"for ((i=0;i<50;i++)); do x=$((x+{number})); done; echo $x")
            if (out, done["status"]) != (b"%d\n" % (50 * number * (i + 1)), 0):
                wrong.append((number, i, out))

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(handles)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    for handle in handles:
        _native.discard(handle)
        _native.discard(handle)


def test_memory_of_a_closed_sandbox_comes_back(python):
    python("""
        from eryxsh import _wire
        import time
        for _ in range(3):
            handle = _wire.sandbox_new()
            _wire.files_write(handle, "/big", b"x" * (200 << 20))
            _wire.sandbox_close(handle)
            deadline = time.monotonic() + 20
            while _wire.system_stats()["heap"] > 64 << 20 and time.monotonic() < deadline:
                time.sleep(0.05)
            assert _wire.system_stats()["heap"] < 64 << 20, _wire.system_stats()
    """)


def test_the_process_ends_with_runs_going_on(python):
    start = time.monotonic()
    python("""
        import threading, time
        from eryxsh import _errors, _wire

        def forever(script):
            handle = _wire.sandbox_new()
            answer = _wire.run_run(handle, script=script)
            try:
                while True:
                    answer = _wire.run_step(handle, answer["run"])
            except _errors.SandboxClosedError:
                pass

        for script in ("while :; do :; done", "sleep 100", "yes | sort | head -1", "while :; do echo x >> /tmp/x; done"):
            threading.Thread(target=forever, args=(script,), daemon=True).start()
        kept = _wire.sandbox_new()
        _wire.run_run(kept, script="while :; do :; done")
        time.sleep(0.3)
    """)
    assert time.monotonic() - start < 30
