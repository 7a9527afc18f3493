"""``isolation="process"``: what kills the process of a sandbox ends in SandboxDiedError, and nothing else ends.

That the rest of the interface is the same there is for the other files, with ``pytest --isolation=process``.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from eryxsh import (
    AsyncSandbox,
    Isolation,
    Limits,
    NoAncestorError,
    Sandbox,
    SandboxClosedError,
    SandboxDiedError,
    StateError,
    Store,
)

LINUX = sys.platform == "linux"
LONG = "while :; do x=$((x+1)); done"


def pid_of(sandbox: Sandbox) -> int:
    assert sandbox.pid
    return sandbox.pid


def kill(sandbox: Sandbox, number: int = signal.SIGKILL) -> None:
    os.kill(pid_of(sandbox), number)


def state_of(pid: int) -> str:
    """The letter that Linux has for what a process does."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def gone(pid: int, within: float = 10.0) -> bool:
    """Whether a process ends soon, zombies not counted."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if LINUX and state_of(pid) == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False


@pytest.fixture
def sandbox():
    with Sandbox(isolation="process", files={"/f": "first\n"}, env={"A": "1"}) as made:
        yield made


# --- deaths ---


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSEGV", "SIGABRT", "SIGTERM", "SIGBUS"])
def test_a_signal_ends_the_sandbox_alone(sandbox, name):
    fork, other = sandbox.fork(), Sandbox(isolation="process")
    kill(sandbox, getattr(signal, name))
    assert gone(pid_of(sandbox))
    for dead in (sandbox, fork, sandbox):
        with pytest.raises(SandboxDiedError, match="has died") as caught:
            dead.commands.run("echo hi")
        with pytest.raises(SandboxDiedError):
            dead.files.read("/f")
    # Go answers some signals itself, with status 2
    assert (caught.value.signal, caught.value.exit_code) in ((name, None), (None, 2))
    assert caught.value.saved is None
    assert other.commands.run("echo on").stdout == "on\n"
    assert not sandbox.closed
    other.close()


@pytest.mark.parametrize("script", [LONG, "sleep 60", "echo hi | cat"])
def test_a_pending_run_is_told(sandbox, script):
    timer = threading.Timer(0.2, kill, (sandbox,))
    timer.start()
    with pytest.raises(SandboxDiedError) as caught:
        sandbox.commands.run(f"{script}; sleep 60")
    timer.join()
    assert caught.value.signal == "SIGKILL"


def test_pending_calls_of_several_threads_are_told(sandbox):
    forks = sandbox.fork(6)
    told = []

    def work(fork):
        try:
            fork.commands.run(LONG)
        except SandboxDiedError as error:
            told.append(error.signal)

    threads = [threading.Thread(target=work, args=(fork,)) for fork in forks]
    for thread in threads:
        thread.start()
    time.sleep(0.2)
    kill(sandbox)
    for thread in threads:
        thread.join(20)
    assert told == ["SIGKILL"] * 6


@pytest.mark.skipif(not LINUX, reason="the system bounds the memory of a process on Linux alone")
@pytest.mark.parametrize(
    "script",
    ["x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", "cat /dev/zero >f", 'a=(); while :; do a+=("$RANDOM $RANDOM $RANDOM $RANDOM"); done'],
)
def test_more_memory_than_the_cap(script):
    how = Isolation(memory=96 << 20)
    with Sandbox(isolation=how, limits=Limits.unlimited(), timeout=None) as sandbox:
        with pytest.raises(SandboxDiedError, match="more memory than the 96 MiB") as caught:
            # one word is bounded at 256 MiB whatever the limits: that comes after the cap
            sandbox.commands.run(script)
        assert caught.value.memory == 96 << 20
        sandbox.reset()
        assert sandbox.commands.run("echo back").stdout == "back\n"


@pytest.mark.skipif(not LINUX, reason="the system bounds the memory of a process on Linux alone")
def test_garbage_is_collected_before_the_cap():
    """No limit of the sandbox tells the collector to begin in time: the cap does. Half of it lives, the rest is garbage."""
    script = r"""
        a=(); for ((i = 0; i < 100; i++)); do a[i]=$(head -c 1000000 /dev/zero | tr '\0' x); done
        for ((i = 0; i < 200; i++)); do s=$(head -c 1000000 /dev/zero | tr '\0' y); done
        echo ${#a[@]} ${#s}
    """
    with Sandbox(isolation=Isolation(memory=256 << 20), limits=Limits.unlimited(), timeout=None) as sandbox:
        assert sandbox.commands.run(script).stdout == "100 1000000\n"


@pytest.mark.skipif(not LINUX, reason="the system bounds the memory of a process on Linux alone")
def test_a_file_that_does_not_fit(sandbox):
    small = Sandbox(isolation=Isolation(memory=64 << 20), limits=Limits.unlimited())
    with pytest.raises(SandboxDiedError, match="memory"):
        small.files.write("/big", bytes(300 << 20))
    small.close()


def test_a_process_that_hangs_is_ended():
    with Sandbox(isolation=Isolation(grace=0.5)) as sandbox:
        pid = pid_of(sandbox)
        kill(sandbox, signal.SIGSTOP)
        began = time.monotonic()
        for call in (lambda: sandbox.commands.run("echo hi"), lambda: sandbox.files.read("/etc/passwd")):
            with pytest.raises(SandboxDiedError, match="did not answer"):
                call()
        assert time.monotonic() - began < 15
        assert gone(pid)


def test_any_call_finds_out_that_a_process_hangs():
    sandbox = Sandbox(isolation=Isolation(grace=0.5))
    kill(sandbox, signal.SIGSTOP)
    with pytest.raises(SandboxDiedError, match="did not answer"):
        sandbox.export_state()
    sandbox.close()


def test_a_process_that_is_slow_but_lives_is_not_ended():
    with Sandbox(isolation=Isolation(grace=0.3)) as sandbox:
        timer = threading.Timer(0.15, kill, (sandbox, signal.SIGCONT))
        kill(sandbox, signal.SIGSTOP)
        timer.start()
        assert sandbox.commands.run("echo hi").stdout == "hi\n"
        timer.join()


# --- begin anew ---


def test_reset_begins_anew(sandbox):
    sandbox.commands.run("echo changed >/f; B=2")
    run = sandbox.commands.start("sleep 5")
    kill(sandbox)
    sandbox.reset()
    assert sandbox.commands.run("cat /f; echo $A.$B").stdout == "first\n1.\n"
    with pytest.raises(Exception, match="run"):
        run.next()


def test_tools_are_there_again():
    with Sandbox(isolation="process", tools={"one": lambda: "1"}) as sandbox:

        @sandbox.tool
        def two() -> str:
            return "2"

        kill(sandbox)
        sandbox.reset()
        assert sandbox.commands.run("one; two").stdout == "12"


def test_import_state_begins_anew(sandbox):
    sandbox.commands.run("echo kept >/f; x=5")
    blob = sandbox.export_state()
    kill(sandbox)
    with pytest.raises(StateError):
        sandbox.import_state(b"no state")
    sandbox.import_state(blob)
    assert sandbox.commands.run("cat /f; echo $x").stdout == "kept\n5\n"


@pytest.mark.parametrize("mode", ["session", "persistent"])
def test_the_last_saved_state_loads(mode):
    store: dict = {}
    with Sandbox(isolation="process", persistence=mode, store=store) as sandbox:
        sandbox.commands.run("echo kept >f; x=5")
        sandbox.save_state()
        saved = Store(store).log()[0].id
        sandbox.commands.run("echo lost >f")
        kill(sandbox)
        with pytest.raises(SandboxDiedError, match="load_state") as caught:
            sandbox.commands.run("echo hi")
        assert caught.value.saved == saved
        assert sandbox.load_state()
        assert sandbox.commands.run("cat f; echo $x").stdout == "kept\n5\n"
        sandbox.commands.run("echo again >f")
        sandbox.save_state()
    with Sandbox(isolation="process", persistence=mode, store=store) as sandbox:
        if mode == "session":
            sandbox.load_state()
        assert sandbox.files.read_text("f") == "again\n"


def test_closing_a_dead_one_says_what_is_lost():
    """A persistent sandbox is saved when it is closed; one that has died cannot be, and what was saved stays."""
    store: dict = {}
    sandbox = Sandbox(isolation="process", persistence="persistent", store=store)
    sandbox.commands.run("echo kept >f")
    sandbox.save_state()
    kill(sandbox)
    with pytest.raises(SandboxDiedError):
        sandbox.close()
    assert sandbox.closed
    with Sandbox(persistence="persistent", store=store) as back:
        assert back.files.read_text("f") == "kept\n"


# --- what is left behind ---


def test_nothing_is_left_behind(python):
    out = python("""
        import os, signal, threading
        from eryxsh import Sandbox, SandboxDiedError
        Sandbox(isolation="process").close()
        before = len(os.listdir("/dev/fd"))
        for n in range(12):
            sb = Sandbox(isolation="process")
            forks = sb.fork(3)
            threads = [threading.Thread(target=f.commands.run, args=("sleep 0.01; echo",)) for f in forks]
            [t.start() for t in threads]
            [t.join() for t in threads]
            if n % 3 == 0:
                os.kill(sb.pid, signal.SIGKILL)
                try:
                    sb.commands.run("echo hi")
                except SandboxDiedError as error:
                    assert error.signal == "SIGKILL"
                if n % 2:
                    sb.reset()
            if n % 4 == 0:
                del sb, forks, threads
            else:
                sb.close()
                [f.close() for f in forks]
        sb = forks = threads = None
        assert len(os.listdir("/dev/fd")) == before, (os.listdir("/dev/fd"), before)
        try:
            print(os.waitpid(-1, os.WNOHANG))
        except ChildProcessError:
            print("no child")
    """)
    assert out == "no child\n"


def test_forks_keep_the_process_and_the_last_ends_it(sandbox):
    pid, fork = pid_of(sandbox), sandbox.fork()
    diff = fork.diff()
    sandbox.close()
    assert fork.commands.run("cat /f").stdout == "first\n"
    fork.close()
    assert diff.patch() == ""
    del diff
    assert gone(pid)


def test_a_diff_keeps_what_it_shows(sandbox):
    sandbox.commands.run("echo second >>/f")
    diff = sandbox.diff()
    sandbox.close()
    assert "+second" in diff.patch()
    diff.close()


END = """
    import os, sys, signal
    from eryxsh import Sandbox
    sb = Sandbox(isolation="process")
    sb.commands.start("while :; do x=$((x+1)); done").next(wait=False) if {runs} else None
    print(sb.pid, flush=True)
    {end}
"""


@pytest.mark.parametrize(
    "end",
    [
        "os.kill(os.getpid(), signal.SIGKILL)",
        "os._exit(0)",
        "pass",
        "sys.exit(0)",
        "os.fork() or __import__('time').sleep(3); os._exit(0)",  # somebody else has what it had
    ],
)
def test_it_does_not_outlive_its_host(end):
    code = textwrap.dedent(END).format(end=end, runs=False)
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=60)
    assert gone(int(done.stdout), within=2)


def test_it_does_not_outlive_its_host_while_it_works():
    code = textwrap.dedent("""
        import os, threading, time
        from eryxsh import Sandbox
        sb = Sandbox(isolation="process")
        threading.Thread(target=sb.commands.run, args=("while :; do x=$((x+1)); done",), daemon=True).start()
        time.sleep(0.2)
        print(sb.pid, flush=True)
        os._exit(0)
    """)
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=60)
    assert gone(int(done.stdout), within=2)


def test_a_thread_that_ends_leaves_the_sandbox_it_made():
    made: list = []
    thread = threading.Thread(target=lambda: made.append(Sandbox(isolation="process")))
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert made[0].commands.run("echo hi").stdout == "hi\n"
    made[0].close()


# --- what the process is ---


@pytest.mark.skipif(not LINUX, reason="/proc")
def test_the_process_has_nothing_of_the_hosts(sandbox, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET", "s3cret")
    leak = os.open(tmp_path, os.O_RDONLY)
    os.set_inheritable(leak, True)
    with Sandbox(isolation="process") as other:
        other.commands.run("echo hi")
        proc = pathlib.Path(f"/proc/{pid_of(other)}")
        names = {word.partition(b"=")[0] for word in (proc / "environ").read_bytes().split(b"\0") if word}
        assert names <= {b"MALLOC_ARENA_MAX", b"LD_LIBRARY_PATH"}
        targets = [os.readlink(fd) for fd in (proc / "fd").iterdir()]
        fine = ("socket:", "/dev/null", "/memfd:eryxsh-errors", "anon_inode:", "/sys/fs/cgroup/")  # Go counts processors there
        assert all(t.startswith(fine) for t in targets), targets
        status = (proc / "status").read_text()
        assert "NoNewPrivs:\t1" in status
        assert os.getsid(pid_of(other)) == pid_of(other)
        limits = (proc / "limits").read_text()
        assert "Max address space         unlimited" not in limits
        assert "Max core file size        0 " in limits
    os.close(leak)


@pytest.mark.skipif(not LINUX, reason="/proc")
def test_the_host_loads_no_library_for_it(python):
    out = python("""
        import pathlib
        from eryxsh import Sandbox
        with Sandbox(isolation="process", files={"/f": "x"}) as sb:
            fork = sb.fork()
            assert fork.commands.run("cat /f").stdout == "x"
            snap = sb.snapshot()
            sb.files.write("/g", b"y" * 100_000)
            sb.restore(snap)
        assert "liberyxsh" not in pathlib.Path("/proc/self/maps").read_text()
        with Sandbox() as here:
            print(here.commands.run("echo both").stdout, end="")
    """)
    assert out == "both\n"


def test_a_host_without_standard_descriptors():
    code = "import os; os.closerange(0, 3)\n" + textwrap.dedent("""
        from eryxsh import Sandbox
        with Sandbox(isolation="process") as sb:
            assert sb.commands.run("echo hi").stdout == "hi\\n"
        os._exit(7)
    """)
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 7


def test_ctrl_c_is_the_hosts():
    """The terminal sends it to the whole group: the child is in another."""
    code = textwrap.dedent("""
        import os, signal
        from eryxsh import Sandbox
        sb = Sandbox(isolation="process")
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGINT))
        try:
            sb.commands.run("sleep 60")
        except KeyboardInterrupt:
            print(sb.commands.run("echo on").stdout, end="")
    """)
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=60, start_new_session=True)
    assert done.stdout == "on\n"


@pytest.mark.skipif(not LINUX, reason="/proc says when a process has stopped")
def test_a_signal_is_heard_while_a_call_takes_long():
    """Of a process that stands still nobody knows how long it takes; the handler does not have to wait for that."""

    def heard(*_):
        raise KeyboardInterrupt

    def read_with_an_alarm(sandbox):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        sandbox.files.read("/f")

    with Sandbox(isolation=Isolation(grace=30)) as sandbox:
        sandbox.files.write("/f", "x")
        took = []
        old = signal.signal(signal.SIGALRM, heard)
        try:
            for _ in range(3):
                kill(sandbox, signal.SIGSTOP)
                while state_of(pid_of(sandbox)) != "T":
                    time.sleep(0.001)
                began = time.monotonic()
                with pytest.raises(KeyboardInterrupt):
                    read_with_an_alarm(sandbox)
                took.append(time.monotonic() - began)
                kill(sandbox, signal.SIGCONT)
                assert sandbox.files.read_text("/f") == "x"
        finally:
            signal.signal(signal.SIGALRM, old)
        assert min(took) < 0.5


# --- the host's own fork ---


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_the_host_forks(python):
    out = python("""
        import os, warnings
        warnings.simplefilter("ignore")
        from eryxsh import ForkedSandboxError, Sandbox
        sb = Sandbox(isolation="process", files={"/f": "x"})
        run = sb.commands.start("echo hi")
        pid = os.fork()
        if pid == 0:
            try:
                sb.files.read("/f")
            except ForkedSandboxError:
                with Sandbox(isolation="process") as own:
                    ok = own.commands.run("echo own").stdout == "own\\n"
                sb.close()
                del sb, run, own
                os._exit(0 if ok else 3)
            os._exit(4)
        assert os.waitpid(pid, 0)[1] == 0
        print(sb.files.read_text("/f"), run.drive().stdout, sep="", end="")
    """)
    assert out == "xhi\n"


# --- the same interface ---


def test_isolation_is_checked():
    for wrong in ("thread", True, 1, {}):
        with pytest.raises(ValueError, match="isolation"):
            Sandbox(isolation=wrong)
    with pytest.raises(ValueError, match="memory"):
        Isolation(memory=5)
    with pytest.raises(ValueError, match="grace"):
        Isolation(grace=0)


def test_large_files_and_answers(sandbox):
    for size in (4096, 4097, 16368, 16384, 16385, 65000, 65536, 70_000, 20 << 20):
        data = os.urandom(size)
        sandbox.files.write("/d", data)
        assert sandbox.files.read("/d") == data
        assert sandbox.commands.run(["cat", "/d"]).stdout_bytes == data[: 16 << 20]
    sandbox.files.write_many({f"/many/{n}": b"x" for n in range(3000)})
    assert len(sandbox.files.list("/many")) == 3000


def test_many_threads_at_a_time(sandbox):
    forks = sandbox.fork(24)
    results: list = []

    def work(n):
        for _ in range(5):
            results.append(forks[n].commands.run(f"echo {n} >f; cat f").stdout == f"{n}\n")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 120


def test_close_ends_what_runs(sandbox):
    told: list = []

    def work():
        try:
            sandbox.commands.run(LONG)
        except SandboxClosedError as error:
            told.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.1)
    pid = pid_of(sandbox)
    sandbox.close()
    thread.join(20)
    assert not thread.is_alive()
    assert told
    assert gone(pid)


def test_merge_of_two_processes():
    base = Sandbox(isolation="process", files={"/w/list": "one\n"})
    ours = base.fork()
    theirs = Sandbox.from_state(base.export_state(), isolation="process")
    here = Sandbox.from_state(base.export_state())
    for n, other in enumerate((theirs, here)):
        other.commands.run(f"echo {n} >/w/part{n}")
        with pytest.raises(NoAncestorError):
            ours.merge(other)
        assert ours.merge(other, base=base).merged == [f"/w/part{n}"]
    assert ours.commands.run("cd /w; echo *").stdout == "list part0 part1\n"
    assert here.merge(ours, base=base).clean


def test_thin_packs_of_two_processes(sandbox):
    whole, before = sandbox.export_state(), sandbox.snapshot()
    sandbox.commands.run("echo new >/g")
    row = sandbox.export_state(have=[before])
    base = Sandbox.from_state(whole, isolation="process")
    for back in (Sandbox.from_state(row, base=base, isolation="process"), Sandbox.from_state(row, base=base)):
        assert back.commands.run("cat /f /g").stdout == "first\nnew\n"
        back.close()


def test_pickle_and_offload(sandbox):
    sandbox.commands.run("x=5")
    back = pickle.loads(pickle.dumps(sandbox))
    assert pid_of(back) != pid_of(sandbox)
    pid = pid_of(back)
    back.offload({})
    assert gone(pid)
    assert back.commands.run("echo $x; cat /f").stdout == "5\nfirst\n"
    assert pid_of(back) != pid
    back.close()


def test_runs_move_between_processes():
    with Sandbox(isolation="process", tools={"ask": None}) as sandbox:
        run = sandbox.commands.start("x=$(ask one); echo got $x")
        call = run.next()
        blob = run.dump()
    from eryxsh import Run

    loaded = Run.load(blob, tools={"ask": None}, isolation="process")
    again = loaded.next()
    assert again.call_id == call.call_id
    loaded.resume(again, stdout="answer")
    assert loaded.drive().stdout == "got answer\n"
    assert pid_of(loaded.sandbox)


def test_async():
    async def main():
        async with AsyncSandbox(isolation="process") as sandbox:
            assert (await sandbox.commands.run("echo hi")).stdout == "hi\n"
            task = asyncio.create_task(sandbox.commands.run(LONG, timeout=None))
            await asyncio.sleep(0.1)
            os.kill(sandbox.pid or 0, signal.SIGKILL)
            with pytest.raises(SandboxDiedError):
                await task
            await sandbox.reset()
            assert (await sandbox.commands.run("echo on")).stdout == "on\n"

    asyncio.run(main())


@pytest.mark.parametrize("isolation", [None, "process"])
def test_the_interpreter_ends_with_everything_saved(isolation, tmp_path, python):
    python(
        f"""
        import os
        from eryxsh import Sandbox
        sb = Sandbox(isolation={isolation!r}, persistence="persistent", store=os.environ["PLACE"])
        sb.commands.run("echo kept >f")
        """,
        env={"PLACE": str(tmp_path)},
    )
    with Sandbox(persistence="session", store=str(tmp_path)) as back:
        assert back.load_state()
        assert back.files.read_text("f") == "kept\n"
