"""fork(): a child of a process that used the library loads a copy of its own; exit: nothing keeps the host waiting."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif("not hasattr(os, 'fork')", reason="no fork here")

CHILD = """
    import os, sys, warnings
    warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12: fork beside threads (Go's) is what is tested
    from eryxsh import _errors, _native, _wire

    def in_child(work):
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                work()
                status = 0
            except BaseException:
                import traceback
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(status)
        assert os.waitpid(pid, 0)[1] == 0

    def everything():
        assert _wire.system_ping(b"x" * 100_000) == b"x" * 100_000
        _wire.system_test("enable")
        for _ in range(20):
            _wire.system_test("bytes", n=8 << 20)
        _wire.system_gc()  # needs threads of its own: a dead runtime would hang here
        try:
            _wire.system_test("goroutine_panic")
        except _errors.EryxshError:
            pass
        assert _wire.system_stats()["collected"] > 0
"""


@pytest.fixture
def forking(python):
    import textwrap

    def run(code: str) -> str:
        return python(textwrap.dedent(CHILD) + textwrap.dedent(code), timeout=120)

    return run


def test_a_child_of_a_parent_that_only_imported(forking):
    forking("""
        in_child(everything)
        everything()
    """)


def test_a_child_of_a_parent_that_used_it_and_the_parent_goes_on(forking):
    forking("""
        everything()
        for _ in range(10):
            in_child(everything)
        everything()
    """)


def test_generations(forking):
    out = forking("""
        everything()
        handle = (_native._ext.generation() << 40) | 1

        def refuse():
            assert not _native.mine(handle)
            _native.discard(handle)
            assert not _native._ext.loaded()      # asking loads nothing
            try:
                _wire.sandbox_close(handle)
            except _errors.ForkedSandboxError as error:
                print("refused", flush=True)
            else:
                raise AssertionError

        in_child(refuse)
        assert _native.mine(handle)
        _wire.sandbox_close(handle)           # not open: nothing happens
        print("closed")
    """)
    assert out == "refused\nclosed\n"


def test_nested_forks_with_the_same_descriptor_numbers(forking):
    out = forking("""
        everything()

        def nest(depth):
            everything()
            assert _native._ext.generation() == depth
            if depth < 6:
                in_child(lambda: nest(depth + 1))
            else:
                print("deep")

        in_child(lambda: nest(1))
    """)
    assert out == "deep\n"


def test_siblings_and_a_fork_before_the_copy_was_loaded(forking):
    forking("""
        everything()
        def child():
            in_child(everything)      # this child has not loaded its copy yet
            everything()
            in_child(everything)
        for _ in range(3):
            in_child(child)
    """)


def test_fork_while_other_threads_are_inside(forking):
    forking("""
        import threading
        _wire.system_test("enable")
        stop = threading.Event()

        def busy():
            while not stop.is_set():
                _wire.system_test("bytes", n=200_000)
                _wire.system_ping(b"y" * 9000)

        threads = [threading.Thread(target=busy) for _ in range(3)]
        for t in threads: t.start()
        try:
            for _ in range(10):
                in_child(everything)
        finally:
            stop.set()
            for t in threads: t.join()
        everything()
    """)


def test_without_memfd_a_temporary_file_does(forking):
    forking("""
        import tempfile
        everything()
        del os.memfd_create
        def child():
            everything()
            assert not [n for n in os.listdir(tempfile.gettempdir()) if n.startswith("eryxsh-") and n.endswith(".so")
                        and os.stat(os.path.join(tempfile.gettempdir(), n)).st_uid == os.getuid()]
        in_child(child) if hasattr(os, "MFD_CLOEXEC") else everything()
    """)


def test_multiprocessing_pools(tmp_path):
    script = tmp_path / "pool.py"
    script.write_text(
        """
import multiprocessing, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from eryxsh import _wire

def work(n):
    _wire.system_gc()
    return _wire.system_ping(b"%d" % n)

if __name__ == "__main__":
    _wire.system_ping(b"")
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(work, range(20)) == [b"%d" % n for n in range(20)]
    print("ok")
"""
    )
    done = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


# --- the end ---


def test_exit_with_a_thread_inside_waits_but_not_for_long(python):
    start = time.monotonic()
    python("""
        import threading, time
        from eryxsh import _wire
        _wire.system_test("enable")
        thread = threading.Thread(target=_wire.system_test, args=("sleep",), kwargs={"n": 30 * 10**9}, daemon=True)
        thread.start()
        time.sleep(0.2)
    """)
    assert time.monotonic() - start < 20


def test_exit_with_threads_that_never_stop_calling(python):
    for _ in range(5):
        python("""
            import threading
            from eryxsh import _errors, _wire
            _wire.system_test("enable")
            def busy():
                try:
                    while True:
                        _wire.system_test("bytes", n=300_000)
                        _wire.system_ping(b"z" * 100)
                except _errors.SandboxClosedError:
                    pass
            for _ in range(4):
                threading.Thread(target=busy, daemon=True).start()
            import time; time.sleep(0.1)
        """)


def test_after_exit_began_calls_are_refused(python):
    out = python("""
        import atexit
        from eryxsh import _errors, _native, _wire
        def late():
            try:
                _wire.system_ping(b"")
            except _errors.SandboxClosedError:
                print("refused")
        atexit.register(late)          # runs after the package's own, which registers at the first call
        _native.before_exit(lambda: print("saved", _wire.system_ping(b"x")))
        _wire.system_ping(b"")
    """)
    assert out == "saved b'x'\nrefused\n"


def test_os_exit_and_a_killed_parent_leave_no_child(python):
    python("import os; from eryxsh import _wire; _wire.system_ping(b''); os._exit(0)")
    python("import sys; from eryxsh import _wire; _wire.system_ping(b''); sys.exit(3)", status=3)
