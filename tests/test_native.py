"""The border: requests, answers, errors, loading, threads."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sys
import threading
import time

import pytest

from eryxsh import _errors, _native, _wire


@pytest.fixture
def misbehave():
    _wire.system_test("enable")
    return _wire.system_test


def test_ping_gives_the_payload_back_whatever_its_size():
    for size in (0, 1, 23, 24, 255, 256, 4095, 4096, 4097, 65535, 65536, 1 << 20):
        payload = os.urandom(size)
        assert _wire.system_ping(payload) == payload


def test_64_mib_go_through(misbehave):
    """A large answer is whole; what it costs is a benchmark's business."""
    for size in (4 << 20, 64 << 20):
        assert len(misbehave("bytes", n=size)) == size


def test_the_library_is_the_one_of_this_package():
    version = _wire.system_version()
    assert version["fingerprint"] == _wire.FINGERPRINT
    assert version["go"].startswith("go1.")


def test_stats_count_calls():
    before = _wire.system_stats()["calls"]
    _wire.system_ping(b"")
    assert _wire.system_stats()["calls"] == before + 2


def test_importing_loads_nothing(python):
    out = python("""
        import pathlib, sys
        from eryxsh import _errors, _native, _wire
        maps = pathlib.Path("/proc/self/maps")
        mapped = maps.read_text() if sys.platform == "linux" else ""
        assert "liberyxsh" not in mapped and "eryxsh._ext" not in sys.modules
        import threading, os
        threads = len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 1
        assert threads == 1, threads
        _wire.system_ping(b"")
        if sys.platform == "linux":
            assert "liberyxsh" in maps.read_text()
        print("ok")
    """)
    assert out == "ok\n"


# --- values ---


VALUES = [
    0, 23, 24, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**64 - 1, -1, -24, -25, -256, -257, -(2**63),
    True, False, None, "", "abc", "é\u20ac\U0001f600", "a\0b", "bad \udcff byte", b"", b"\0\xff", b"x" * 70000, "y" * 70000,
    1.5, -0.0, float("inf"), (), (1, (2, (b"3", "4"))), {}, {"a": {"b": (1, 2)}}, {1: 2, -1: b""},
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda v: repr(v)[:20])
def test_values_survive_the_codec(value):
    from eryxsh import _ext

    back = _ext.decode(_ext.encode(value), None)
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (2**64, OverflowError),
        (-(2**63) - 1, OverflowError),
        ("\ud800", UnicodeEncodeError),
        ({1, 2}, TypeError),
        (object(), TypeError),
        (bytearray(b"a"), TypeError),
    ],
    ids=lambda v: repr(v)[:20],
)
def test_values_that_have_no_form_are_refused(value, error):
    from eryxsh import _ext

    with pytest.raises(error):
        _ext.encode(value)
    with pytest.raises(error):
        _ext.encode([value])


def test_deep_values_are_refused_not_followed():
    from eryxsh import _ext

    deep: object = 1
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(ValueError, match="deep"):
        _ext.encode(deep)
    with pytest.raises(ValueError, match="well-formed"):
        _ext.decode(b"\x81" * 100_000 + b"\x01", None)
    loop: list = []
    loop.append(loop)
    with pytest.raises(ValueError, match="deep"):
        _ext.encode(loop)


def test_every_truncation_and_every_flipped_byte_is_an_error_or_a_value():
    from eryxsh import _ext

    body = _ext.encode({1: "run", 2: ((1, b"out\n"), (2, b"err")), 3: 130, 4: 1.5, 5: {"a": None}, 6: -7, 8: True})
    for end in range(len(body)):
        with pytest.raises(ValueError, match="well-formed"):
            _ext.decode(body[:end], None)
    with pytest.raises(ValueError, match="well-formed"):
        _ext.decode(body + b"\0", None)
    for at in range(len(body)):
        for flip in (1, 0x20, 0x80, 0xFF):
            mutant = body[:at] + bytes([body[at] ^ flip]) + body[at + 1 :]
            for shape in (None, _wire.SHAPES[_wire.DONE]):
                with contextlib.suppress(ValueError, TypeError, MemoryError):
                    _ext.decode(mutant, shape)


def test_a_declared_length_allocates_nothing():
    from eryxsh import _ext

    for major in (2, 3, 4, 5):
        with pytest.raises(ValueError, match="well-formed"):
            _ext.decode(bytes([major << 5 | 27]) + b"\x7f" + b"\xff" * 7, None)


def test_structs_have_every_field_and_their_own_dict():
    from eryxsh import _ext

    first = _ext.decode(_ext.encode({3: 7}), _wire.SHAPES[_wire.DONE])
    second = _ext.decode(_ext.encode({}), _wire.SHAPES[_wire.DONE])
    assert first["status"] == 7
    assert second["status"] == 0
    assert first.keys() == second.keys() >= {"tag", "run", "output", "error_class", "unsupported"}
    assert first["tag"] == _wire.DONE
    with pytest.raises(ValueError, match="well-formed"):
        _ext.decode(_ext.encode({99: 1}), _wire.SHAPES[_wire.DONE])


# --- errors ---


def test_a_panic_becomes_an_exception_that_names_the_place(misbehave):
    for op in ("panic", "goroutine_panic", "index"):
        with pytest.raises(_errors.EryxshError, match=r"internal error: .*system\.go:\d+") as caught:
            misbehave(op)
        assert "/" not in str(caught.value).split(" in ", 1)[1].replace("eryxsh/capi/internal/rpc", "")
    assert _wire.system_ping(b"alive") == b"alive"


def test_the_test_method_is_refused_until_it_is_enabled(python):
    python("""
        from eryxsh import _errors, _wire
        try:
            _wire.system_test("panic")
        except _errors.EryxshError as error:
            assert "not enabled" in str(error)
        else:
            raise AssertionError
    """)


@pytest.mark.parametrize(
    ("errno", "builtin"),
    [
        (2, FileNotFoundError),
        (13, PermissionError),
        (17, FileExistsError),
        (20, NotADirectoryError),
        (21, IsADirectoryError),
        (32, BrokenPipeError),
        (39, OSError),
        (40, OSError),
    ],
)
def test_file_errors_are_the_builtins(misbehave, errno, builtin):
    with pytest.raises(builtin) as caught:
        misbehave("file", n=errno)
    error = caught.value
    assert type(error) is builtin
    assert error.errno == errno
    assert error.path == error.filename == "/no/such"
    assert "/no/such" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.errno, again.path, str(again)) == (builtin, errno, "/no/such", str(error))


def test_every_kind_has_an_exception(misbehave):
    import builtins

    for kind, name in _wire.KINDS.items():
        expected = getattr(_errors, name, None) or getattr(builtins, name)
        with pytest.raises(expected) as caught:
            misbehave("kind", n=kind)
        assert caught.value.path == "/a"
        if name == "ParseError":
            assert (caught.value.line, caught.value.column) == (3, 7)
    with pytest.raises(_errors.EryxshError):  # a kind of a later version
        misbehave("kind", n=200)


def test_every_exception_survives_pickling():
    for name in _errors.__all__:
        cls = getattr(_errors, name)
        error = cls("it failed", path="/x") if name != "CommandError" else cls("it failed", result=(1, 2))
        error.extra = 5
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is cls
        assert str(again) == str(error) == "it failed"
        assert again.__dict__ == error.__dict__
        assert issubclass(cls, _errors.EryxshError)


def test_exceptions_are_caught_as_the_builtins_people_expect():
    for name, builtin in {
        "SnapshotNotFoundError": KeyError,
        "StateError": ValueError,
        "SignatureError": ValueError,
        "QuotaExceededError": OSError,
        "ConflictError": _errors.PersistenceError,
        "ParseError": ValueError,
        "CapabilityError": _errors.StateError,
    }.items():
        assert issubclass(getattr(_errors, name), builtin)
    quota = pickle.loads(pickle.dumps(_errors.QuotaExceededError("full", path="/f", limit="files", errno=28)))
    assert (quota.errno, quota.limit, quota.path, quota.filename) == (28, "files", "/f", "/f")


def test_requests_that_make_no_sense_are_errors():
    from eryxsh import _ext

    for method in ((0, 0, None, 0), (15, 0, None, 0), (10_000, 0, None, 0), (70_000, 0, None, 0)):
        with pytest.raises(_errors.EryxshError):
            _ext.call(method, ())
    with pytest.raises(_errors.EryxshError, match="parameters"):
        _ext.call((1, 0, None, 0), (b"", 0, "one too many"))
    with pytest.raises(TypeError, match=r"^op: a str is needed, not int$"):
        _ext.call((6, 0, None, 0), (5,))
    with pytest.raises(_errors.EryxshError, match="number"):
        _ext.call((-1, 0, None, 0), ())
    for bad in ((1,), "call", None, (1, 2)):
        with pytest.raises(TypeError):
            _ext.call(bad, ())
    with pytest.raises(TypeError):
        _ext.call((1, 0, None, 0), [b""])


# --- handles, threads, signals ---


def test_unknown_handles_are_closed_sandboxes_and_discarding_them_is_silent():
    for handle in (0, -1, 2**40 - 1):
        with pytest.raises(_errors.EryxshError):
            _wire.files_read(handle, "/x")
        _native.discard(handle)


def test_calls_of_many_threads_run_in_parallel_and_give_their_own_answers(misbehave):
    wrong = []

    def work(number: int) -> None:
        for i in range(200):
            payload = b"%d:%d" % (number, i) * (1 if i % 7 else 2000)
            if _wire.system_ping(payload) != payload:
                wrong.append(payload)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    start = time.perf_counter()
    sleepers = [threading.Thread(target=misbehave, args=("sleep",), kwargs={"n": 300_000_000}) for _ in range(8)]
    for thread in threads + sleepers:
        thread.start()
    for thread in threads + sleepers:
        thread.join()
    assert not wrong
    assert time.perf_counter() - start < 8 * 0.3  # one after the other would take longer than that


@pytest.mark.skipif("not hasattr(signal, 'setitimer')", reason="needs interval timers")
def test_signals_are_handled_while_another_thread_holds_the_sandbox(misbehave):
    class Tick(Exception):
        pass

    def tick(*_: object) -> None:
        raise Tick

    old = signal.signal(signal.SIGALRM, tick)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Tick):
            misbehave("again")  # answers "again" for ever
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_nothing_leaks(misbehave):
    payload = b"x" * 100_000
    names = ["a"] * 1000

    def work() -> None:
        for _ in range(200):
            _wire.system_ping(payload)
            with pytest.raises(TypeError, match="tools: "):
                _wire.sandbox_set_tools(0, tools=names)
            with pytest.raises(TypeError):
                _wire.sandbox_set_tools(0, tools=[*names, object()])  # type: ignore[list-item]

    def blocks() -> int:
        gc.collect()
        return sys.getallocatedblocks()

    work()
    before = blocks()
    work()
    assert blocks() - before < 200


# --- the environment of the host ---


@pytest.mark.parametrize("first", [True, False], ids=["enabled first", "loaded first"])
def test_faulthandler_reports_a_crash(python, first):
    enable = "import faulthandler; faulthandler.enable()"
    load = "from eryxsh import _wire; _wire.system_ping(b'')"
    lines = [enable, load] if first else [load, enable]
    python("\n".join([*lines, "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"]), status=-signal.SIGSEGV)


def test_panics_are_recovered_beside_faulthandler(python):
    python("""
        from eryxsh import _errors, _wire
        _wire.system_test("enable")
        import faulthandler; faulthandler.enable()
        for op in ("panic", "index", "goroutine_panic"):
            try:
                _wire.system_test(op)
            except _errors.EryxshError:
                pass
    """)


@pytest.mark.parametrize(
    "env",
    [{"GOGC": "off", "GOMEMLIMIT": "1"}, {"GODEBUG": "asyncpreemptoff=1"}, {"GOMAXPROCS": "1"}, {"GOTRACEBACK": "crash"}],
    ids=lambda e: ",".join(e),
)
def test_the_hosts_go_variables_change_nothing(python, env):
    python(
        """
        from eryxsh import _wire
        _wire.system_test("enable")
        for _ in range(50):
            _wire.system_test("bytes", n=8 << 20)
        assert 3 < _wire.system_stats()["collected"] < 400, _wire.system_stats()
        _wire.system_gc()
        assert _wire.system_stats()["heap"] < 64 << 20
        """,
        env=env,
    )


def test_python_keeps_its_signal_handlers(python):
    python("""
        import signal, subprocess, sys
        before = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGPIPE, signal.SIGHUP)}
        from eryxsh import _wire
        _wire.system_ping(b"")
        assert before == {s: signal.getsignal(s) for s in before}
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("no KeyboardInterrupt")
        assert subprocess.run([sys.executable, "-c", "pass"]).returncode == 0
    """)


def test_subinterpreters_work_or_say_why_not(python):
    out = python("""
        import sys
        from eryxsh import _wire
        assert _wire.system_ping(b"main") == b"main"
        try:
            import _interpreters as interpreters
            kinds = ("legacy", "isolated")
            create = interpreters.create
        except ImportError:
            try:
                import _xxsubinterpreters as interpreters
            except ImportError:
                print("legacy ok"); print("isolated ok"); sys.exit()
            kinds = ("legacy", "isolated")
            create = lambda kind: interpreters.create(isolated=kind == "isolated")
        code = (
            "try:\\n"
            " from eryxsh import _wire\\n"
            " assert _wire.system_ping(b'sub') == b'sub'\\n"
            "except ImportError as error:\\n"
            " assert 'GIL' in str(error), error\\n"
        )
        for kind in kinds:
            i = create(kind)
            failed = interpreters.run_string(i, code)
            assert failed is None, failed
            interpreters.destroy(i)
            print(kind, "ok")
    """)
    assert out == "legacy ok\nisolated ok\n"
