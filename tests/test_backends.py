"""Every kind of backend gives the same answers: one suite for all, against real servers."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pathlib
import pickle
import pkgutil
import random
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Iterator, List

import pytest

import eryxsh.backends
from eryxsh import PersistenceError
from eryxsh.backends import BackendClosedError, BackendError, MissingExtraError
from places import AGELESS, KINDS, PROCESSES, Place, backend, place

assert backend
assert place  # fixtures

CHILD = pathlib.Path(__file__).with_name("backend_child.py")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test that takes a kind, for all kinds; one that takes processes, for those that several may open."""
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", PROCESSES if "child" in metafunc.fixturenames else list(KINDS))


@pytest.fixture
def child(kind: str, place: Place) -> Iterator[Callable[..., Any]]:
    """Starts a process that does something with the place: see backend_child.py."""
    started: List[Any] = []

    def start(role: str, *arguments: str) -> Any:
        what = json.dumps([kind, place.spec, place.options])
        command = [sys.executable, str(CHILD), what, role, *arguments]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        with process:
            process.kill()


def ended(process: Any) -> str:
    """What a child printed; it must have ended well."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return str(out)


# --- values ---


@pytest.mark.parametrize("size", [0, 1, 4096, 1_000_003, 16 << 20])
def test_round_trip(backend: Any, size: int) -> None:
    """Any bytes of any size come back; another value takes their place; then there is none."""
    first, second = random.Random(size).randbytes(size), b"\x00\xff\r\n" * 7
    backend.put("packs/ab/abcd.pack", first)
    assert backend.get("packs/ab/abcd.pack") == first
    assert type(backend.get("packs/ab/abcd.pack")) is bytes
    for start, length in [(0, size), (size // 2, 100), (max(0, size - 1), 100), (size, 5), (size + 9, 5), (0, 0)]:
        assert backend.get_range("packs/ab/abcd.pack", start, length) == first[start : start + length]
    backend.put("packs/ab/abcd.pack", second)
    assert backend.get("packs/ab/abcd.pack") == second
    assert backend.get_range("packs/ab/abcd.pack", 1, 4) == second[1:5]
    backend.delete("packs/ab/abcd.pack")
    with pytest.raises(KeyError, match=r"packs/ab/abcd\.pack"):
        backend.get("packs/ab/abcd.pack")


def test_absent(backend: Any) -> None:
    """What is not there is a KeyError, or nothing where nothing is asked for."""
    for _ in range(2):
        for read in (backend.get, lambda key: backend.get_range(key, 0, 1)):
            with pytest.raises(KeyError):
                read("a/b")
        backend.delete("a/b")
        assert backend.get_many(["a/b", "c"]) == {}
        assert list(backend.list()) == []
        assert list(backend.list("no/such")) == []
        backend.put("a/b", b"x")
        backend.delete("a/b")


def test_other_buffers(backend: Any) -> None:
    """bytearrays and memoryviews are values too; texts are not."""
    backend.put("a", bytearray(b"abc"))
    backend.put("b", memoryview(b"xabcx")[1:4])
    assert backend.get("a") == backend.get("b") == b"abc"
    with pytest.raises(TypeError):
        backend.put("c", "text")
    assert sorted(backend.list()) == ["a", "b"]


def test_value_is_a_copy(backend: Any) -> None:
    """Changing the buffer afterwards changes nothing."""
    buffer = bytearray(b"abc")
    backend.put("a", buffer)
    buffer[:] = b"xyz"
    assert backend.get("a") == b"abc"


def test_many(backend: Any) -> None:
    """Batches: what is absent is left out; an empty one is fine."""
    items = {f"packs/{i:03}": bytes([i % 256]) * i for i in range(300)}
    backend.put_many(items)
    assert backend.get_many([*items, "packs/none"]) == items
    backend.put_many(iter({"packs/000": b"new", "other": b""}.items()))
    assert backend.get_many(["packs/000", "other"]) == {"packs/000": b"new", "other": b""}
    backend.delete_many([f"packs/{i:03}" for i in range(100)] + ["packs/none"])
    assert sorted(backend.list("packs/")) == sorted(items)[100:]
    backend.put_many({})
    backend.delete_many([])
    assert backend.get_many([]) == {}


def test_stat(kind: str, backend: Any) -> None:
    """Sizes, and ages that begin again with each put."""
    backend.put("a", b"abc")
    if kind in AGELESS:
        with pytest.raises(BackendError, match="no method stat"):
            backend.stat("a")
        return
    size, age = backend.stat("a")
    assert size == 3
    assert 0 <= age < 30
    with pytest.raises(KeyError):
        backend.stat("b")


# --- names ---


def test_listing_is_exact(kind: str, backend: Any) -> None:
    """A prefix is a beginning, character by character: no pattern, no folder."""
    keys = ["a/b", "a_b", "a/bc", "a/b.c", "a%2fb", "ab", "a-b", "b/a/b", "a/d/e/f", "a%b", "%", "_", "a/b_c", "refs/%e2%82%ac/main"]
    keys += [
        "refs/a%2fb/main",
        "refs/a_b/main",
        "x" * 512,
        "y" * 255,
        "z/" + "y" * 300 + "/z",
        "w" * 201 + "/v",
        "w" * 200 + "v",
        "u" * 200 + "..x",
    ]
    if kind == "locks":
        keys = [key for key in keys if max(map(len, key.split("/"))) < 256]  # no file has a longer name
    backend.put_many({key: key.encode() for key in keys})
    assert sorted(backend.list()) == sorted(keys)
    prefixes = {key[:n] for key in keys for n in (*range(12), 199, 200, 201, 202, 255, 511, 512)} | {"c"}
    for prefix in sorted(prefixes):
        assert sorted(backend.list(prefix)) == sorted(k for k in keys if k.startswith(prefix)), prefix
    assert backend.get_many(keys) == {key: key.encode() for key in keys}


@pytest.mark.parametrize(
    "key",
    [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/../b",
        "./a",
        "a/.b",
        "A",
        "é",
        "a b",
        "a\n",
        "a\x00b",
        "a*",
        "x" * 513,
        "a+b",
        b"a",
        None,
        1,
    ],
)
def test_keys_that_are_none(backend: Any, key: Any) -> None:
    """A ValueError before anything is done."""
    for use in (backend.get, backend.delete, backend.stat, lambda k: backend.put(k, b""), lambda k: backend.cas(k, None, b"")):
        with pytest.raises(ValueError, match="not a key"):
            use(key)
    with pytest.raises(ValueError, match="not a key"):
        backend.get_many(["a", key])
    with pytest.raises(ValueError, match="not a key"):
        backend.put_many([("a", b""), (key, b"")])
    assert list(backend.list()) == []


def test_prefixes_that_are_none(backend: Any) -> None:
    """A ValueError at the call, not at the first key."""
    for prefix in ("A", "*", "a b", None):
        with pytest.raises(ValueError, match="not the beginning of a key"):
            backend.list(prefix)


def test_long_listing_while_changing(kind: str, backend: Any) -> None:
    """More keys than a page has; what stays is listed once, whatever else comes and goes."""
    keys = [f"packs/{i % 16:x}/{i:05}" for i in range(1100 if kind == "s3" else 2500)]
    backend.put_many(dict.fromkeys(keys, b""))
    listing = backend.list("packs/")
    some = [next(listing) for _ in range(10)]
    gone = [key for key in keys if key not in some][::7]
    backend.delete_many(gone)
    backend.put("packs/f/new", b"")
    found = some + list(listing)
    assert len(found) == len(set(found))
    assert set(keys) - set(gone) <= set(found)


# --- compare and swap ---


def test_swap(backend: Any) -> None:
    """Only what is expected is replaced; None is absent on either side."""
    assert backend.cas("r", None, b"1")
    assert not backend.cas("r", None, b"2")
    assert not backend.cas("r", b"0", b"2")
    assert not backend.cas("r", b"", b"2")
    assert not backend.cas("r", b"0", None)
    assert backend.get("r") == b"1"
    assert backend.cas("r", b"1", b"")
    assert backend.cas("r", b"", b"\x00\xff")
    assert backend.cas("r", b"\x00\xff", b"\x00\xff")
    assert not backend.cas("r", b"", None)
    assert backend.cas("r", b"\x00\xff", None)
    assert not backend.cas("r", b"x", None)
    assert backend.cas("r", None, None)
    assert list(backend.list()) == []
    backend.put("r", b"put")
    assert backend.cas("r", b"put", b"swapped")
    assert backend.get("r") == b"swapped"


def test_swap_of_much(backend: Any) -> None:
    """1 MiB is the most; what is larger is never equal."""
    most = b"x" * (1 << 20)
    assert backend.cas("r", None, most[:-64])
    assert backend.cas("r", most[:-64], b"")
    for arguments in ((None, most + b"x"), (most + b"x", None)):
        with pytest.raises(ValueError, match="at most"):
            backend.cas("r", *arguments)
    backend.put("large", b"x" * (9 << 20))
    assert not backend.cas("large", most, b"")
    assert not backend.cas("large", None, b"")
    assert not backend.cas("large", b"", None)
    assert len(backend.get("large")) == 9 << 20


def test_threads_count(kind: str, place: Place) -> None:
    """8 threads of one backend, 50 increments each: none is lost."""
    times = 5 if kind == "s3" else 50
    with place.open() as shared:
        together(8, lambda n: increment(shared, times))
        assert shared.get("counter") == b"%d" % (8 * times)


def test_processes_count(kind: str, place: Place, child: Any) -> None:
    """8 processes, 200 increments each: none is lost. ERYXSH_INCREMENTS=200: also where each is several slow requests."""
    times = int(os.environ.get("ERYXSH_INCREMENTS", {"s3": 5, "locks": 25}.get(kind, 200)))
    children = [child("count", str(times)) for _ in range(8)]
    for each in children:
        ended(each)
    with place.open() as opened:
        assert opened.get("counter") == b"%d" % (8 * times)


def increment(shared: Any, times: int) -> None:
    """Add 1 so many times, by compare and swap."""
    for _ in range(times):
        while True:
            try:
                old = shared.get("counter")
            except KeyError:
                old = None
            if shared.cas("counter", old, b"%d" % (int(old or 0) + 1)):
                break
            time.sleep(random.random() * 0.02)


def together(count: int, work: Callable[[int], None]) -> None:
    """Run it in so many threads; the first exception is raised here."""
    errors: List[BaseException] = []

    def run(n: int) -> None:
        try:
            work(n)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


# --- threads, forks, closing ---


def test_threads_put_and_get(backend: Any) -> None:
    """A value is always one that was put, whole."""
    backend.put("v", b"\x00" * 50_000)

    def work(n: int) -> None:
        for i in range(20):
            backend.put("v", bytes([n]) * 50_000)
            assert len(set(backend.get("v"))) == 1
            backend.put(f"own/{n}", b"%d" % i)
            assert backend.get(f"own/{n}") == b"%d" % i

    together(6, work)
    assert sorted(backend.list("own/")) == [f"own/{n}" for n in range(6)]


def test_fork(place: Place, child: Any) -> None:
    """A backend goes on in both processes after a fork; the child's end does not harm the parent's."""
    assert ended(child("fork")) == "ok\n"


def test_reopen(place: Place, child: Any) -> None:
    """What was put is there for another process, and after closing."""
    with place.open() as first:
        first.put("packs/a", b"kept")
    assert ended(child("get", "packs/a")) == "kept\n"
    with place.open() as second:
        assert second.get("packs/a") == b"kept"


def test_closed(place: Place) -> None:
    """Closing twice is fine; every other use is an error."""
    opened = place.open()
    opened.put("a", b"")
    opened.close()
    opened.close()
    uses: List[Callable[[], Any]] = [
        lambda: opened.get("a"),
        lambda: opened.put("a", b""),
        lambda: list(opened.list()),
        lambda: opened.delete("a"),
        lambda: opened.cas("a", None, b""),
        lambda: opened.stat("a"),
        lambda: opened.get_many(["a"]),
    ]
    for use in uses:
        with pytest.raises(BackendClosedError, match="closed"):
            use()
    assert issubclass(BackendClosedError, (PersistenceError, ValueError))


def test_pickle(place: Place, child: Any) -> None:
    """Another process unpickles a backend of the same place."""
    with place.open() as opened:
        opened.put("a", b"there")
        assert ended(child("unpickle", pickle.dumps(opened).hex())) == "there\n"


# --- open and import ---


def test_what_open_refuses() -> None:
    """Each with what to do instead."""
    with pytest.raises((ValueError, MissingExtraError), match=r"nosuch://.*sqlite://"):  # the latter without fsspec
        eryxsh.backends.open("nosuch://x")
    with pytest.raises(ValueError, match="empty"):
        eryxsh.backends.open("")
    with pytest.raises(TypeError, match="no method get, put, list, delete"):
        eryxsh.backends.open(object())
    with pytest.raises(TypeError, match="the class dict"):
        eryxsh.backends.open(dict)
    with pytest.raises(ValueError, match="another machine"):
        eryxsh.backends.open("file://host/dir")


def test_open_gives_a_backend_back() -> None:
    """As it is, and it is one by the protocol."""
    opened = eryxsh.backends.open({})
    assert eryxsh.backends.open(opened) is opened
    assert isinstance(opened, eryxsh.backends.Backend)


def test_default_directory(python: Callable[..., str], tmp_path: pathlib.Path) -> None:
    """The user's data directory; without platformdirs, an error that says what to install."""
    pytest.importorskip("platformdirs", reason="platformdirs is not installed: pip install 'eryxsh[store]'")
    out = python(
        """
        import eryxsh.backends as b
        with b.open() as backend:
            backend.put("a", b"x"); print(backend.path)
        """,
        env={"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)},
    ).strip()
    assert pathlib.Path(out).is_relative_to(tmp_path)
    assert os.path.basename(out) == "eryxsh"
    python(
        """
        import sys; sys.modules["platformdirs"] = None
        import eryxsh.backends as b
        try: b.open()
        except b.MissingExtraError as error: assert "pip install 'eryxsh[store]'" in str(error)
        else: raise SystemExit(1)
        """
    )


def test_missing_extras(python: Callable[..., str]) -> None:
    """Each says which command installs what it needs."""
    python(
        """
        import sys
        needs = {"psycopg": "postgres", "redis": "redis", "fsspec": "fsspec", "s3fs": "s3", "cryptography": "encryption"}
        for name in needs: sys.modules[name] = None
        import eryxsh.backends as b
        kinds = {"PostgresBackend": "postgres", "RedisBackend": "redis", "FsspecBackend": "fsspec"}
        kinds.update({"S3Backend": "s3", "Encrypted": "encryption"})
        for name, extra in kinds.items():
            try: getattr(b, name)
            except ImportError as error: assert isinstance(error, b.MissingExtraError) and f"eryxsh[{extra}]" in str(error), error
            else: raise SystemExit(name)
        """
    )


def test_import_is_lazy(python: Callable[..., str]) -> None:
    """``import eryxsh`` imports no backend and nothing that one needs; the package of backends no kind."""
    python(
        """
        import sys, eryxsh
        heavy = {"sqlite3", "fsspec", "redis", "psycopg", "s3fs", "cryptography", "platformdirs"}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        assert not {"hashlib", "logging", "tempfile"} & set(sys.modules)  # nor what few need
        assert not [m for m in sys.modules if m.startswith("eryxsh.backends")]
        import eryxsh.backends
        assert {m for m in sys.modules if m.startswith("eryxsh.backends")} == {"eryxsh.backends", "eryxsh.backends._protocol"}
        assert not heavy & set(sys.modules)
        """
    )


def test_every_exported_name() -> None:
    """Every name of __all__ is there, documented, and so are the public members of classes."""
    for name in eryxsh.backends.__all__:
        try:
            value = getattr(eryxsh.backends, name)
        except MissingExtraError:
            continue
        if callable(value):
            assert (value.__doc__ or "").strip(), name
        for member, attribute in vars(value).items() if isinstance(value, type) else ():
            if not member.startswith("_") and callable(attribute):
                assert (attribute.__doc__ or "").strip(), f"{name}.{member}"


@pytest.mark.parametrize("module", sorted(m.name for m in pkgutil.iter_modules(eryxsh.backends.__path__)))
def test_examples(module: str) -> None:
    """The examples in the docstrings print what they say."""
    try:
        imported = importlib.import_module(f"eryxsh.backends.{module}")
    except ImportError as error:
        pytest.skip(f"{module}: {error}")
    assert doctest.testmod(imported, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
