"""Servers that go away and come back, answers that are lost, memory that is full, and what large values leave behind."""

from __future__ import annotations

import contextlib
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional

import pytest

import servers
from eryxsh import backends
from eryxsh.backends import BackendError, BackendUnavailableError, SwapUnknownError
from kills_backends import KEPT
from places import KINDS, Place, unique

HERE = pathlib.Path(__file__).parent


def served(kind: str) -> Any:
    """The server of a kind, or a skip."""
    try:
        return getattr(servers, kind)()
    except servers.Unavailable as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("kind", KEPT)
def test_kills(kind: str, tmp_path: pathlib.Path) -> None:
    """50 kills at random instants; the long form is tests/kills_backends.py."""
    command = [sys.executable, str(HERE / "kills_backends.py"), "--kind", kind, "--kills", "50"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    if "skipped" in done.stdout:
        pytest.skip(done.stdout.strip())


# --- a server that goes away ---


@pytest.mark.parametrize("kind", ["postgres", "redis"])
def test_restarts_under_work(kind: str, tmp_path: pathlib.Path) -> None:
    """Killed and started again while two threads write: what was acknowledged is there, no swap is lost or made twice."""
    server = served(kind)
    backend = KINDS[kind](tmp_path, None).open()
    stop = threading.Event()
    put: Dict[str, bytes] = {}
    swapped, unknown, errors = [0], [0], []  # type: ignore[var-annotated]

    def work(name: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            key = f"packs/{name}/{number}"
            try:
                backend.put(key, b"%d" % number)
                put[key] = b"%d" % number
                swap()
            except Exception as error:
                errors.append(error)
                return

    turn = threading.Lock()  # the threads' own counting, not the swap's

    def swap() -> None:
        try:
            old: Optional[bytes] = backend.get("counter")
        except KeyError:
            old = None
        done = known(lambda: backend.cas("counter", old, b"%d" % (int(old or 0) + 1)))
        with turn:
            swapped[0] += done is True
            unknown[0] += done is None

    workers = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for worker in workers:
        worker.start()
    for n in range(6):
        time.sleep(0.15)
        server.restart((signal.SIGKILL, server.stop)[n % 2], down=0.1)
    time.sleep(0.1)
    stop.set()
    for worker in workers:
        worker.join()
    assert not errors
    assert len(put) > 20
    assert {key: backend.get(key) for key in put} == put
    assert backend.get_many(list(put)) == put
    assert set(put) | {"counter"} == set(backend.list())
    assert swapped[0] <= int(backend.get("counter")) <= swapped[0] + unknown[0]
    backend.close()


@pytest.mark.parametrize("kind", ["postgres", "redis", "s3"])
def test_down_for_long(kind: str, tmp_path: pathlib.Path) -> None:
    """A typed error after as long as was asked for; when the server is back, the same backend works."""
    server = served(kind)
    place = KINDS[kind](tmp_path, None)
    backend = place.open(retry=0.5)
    backend.put("a", b"1")
    server.kill()
    try:
        uses: List[Callable[[], Any]] = [lambda: backend.get("a"), lambda: backend.put("a", b"2"), lambda: list(backend.list())]
        for use in uses:
            started = time.monotonic()
            with pytest.raises(BackendUnavailableError) as caught:
                use()
            assert 0.4 < time.monotonic() - started < 20
            assert caught.value.cause is not None
        with pytest.raises(BackendUnavailableError):
            place.open()
    finally:
        server.start()
    if kind == "s3":
        with pytest.raises(KeyError):  # moto keeps nothing
            backend.get("a")
    else:
        assert backend.get("a") == b"1"
    backend.put("a", b"3")
    assert backend.get("a") == b"3"
    backend.close()


@pytest.mark.parametrize("kind", ["postgres", "redis"])
def test_back_in_time(kind: str, tmp_path: pathlib.Path) -> None:
    """A put that meets a server that is down waits for it."""
    server = served(kind)
    backend = KINDS[kind](tmp_path, None).open()
    backend.put("a", b"1")
    server.kill()
    timer = threading.Timer(0.5, server.start)
    timer.start()
    try:
        backend.put("a", b"2")
    finally:
        timer.join()
    assert backend.get("a") == b"2"
    backend.close()


# --- answers that are lost ---


class Proxy:
    """Stands between a client and a server; can close a connection in place of the next answer."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.loses: Optional[Callable[[], bool]] = None  # asked before an answer is passed on; once it is true, that one is lost
        self.lost = 0
        self.refuse = False  # close every connection
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.refuse:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self._port), timeout=60)
                client.settimeout(60)
                threading.Thread(target=self._connect, args=(client, server), daemon=True).start()

    def _connect(self, client: socket.socket, server: socket.socket) -> None:
        with client, server:
            back = threading.Thread(target=self._pass, args=(server, client, True), daemon=True)
            back.start()
            self._pass(client, server, False)
            back.join()

    def _pass(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if self.refuse:
                    break
                if answers and (loses := self.loses) is not None and loses():
                    self.loses = None
                    self.lost += 1
                    break
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Accept nobody any more."""
        self._listener.close()


@pytest.fixture(params=["postgres", "redis", "s3"])
def through(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[Any]:
    """(proxy, a backend through it, one past it)."""
    server = served(request.param)
    place = KINDS[request.param](tmp_path, None)
    port = int(server.url.rpartition(":")[2].partition("/")[0])
    proxy = Proxy(port)
    old, new = f"127.0.0.1:{port}", f"127.0.0.1:{proxy.port}"
    if request.param == "s3":
        other = Place(place.spec, {**place.options, "endpoint_url": server.url.replace(old, new)})
    else:
        other = Place(place.spec.replace(old, new), place.options)
    with other.open() as backend, place.open() as direct:
        backend.put("warm", b"")
        assert backend.cas("warm", b"", b"1")
        yield proxy, backend, direct
    proxy.close()


def known(swap: Callable[[], bool]) -> Optional[bool]:
    """What a swap says; None when it says that it is not known."""
    try:
        return swap()
    except SwapUnknownError as error:
        assert "not known" in str(error)  # noqa: PT017
        return None


def now() -> bool:
    """The next answer is lost."""
    return True


def test_lost_answers(through: Any) -> None:
    """Each is asked again; a swap that was made says so, and is made once."""
    proxy, backend, direct = through
    backend.put("a", b"1")
    asked: List[Callable[[], Any]] = [
        lambda: backend.put("a", b"2"),
        lambda: backend.get("a"),
        lambda: backend.delete("gone"),
        lambda: list(backend.list()),
        lambda: backend.put_many({"b": b"1", "c": b"2"}),
        lambda: backend.stat("a"),
    ]
    for n, ask in enumerate(asked):
        proxy.loses = now
        ask()
        assert proxy.lost == n + 1
    proxy.loses = now
    assert backend.cas("r", None, b"1") is True
    proxy.loses = now
    assert backend.cas("r", b"1", b"2") is True
    proxy.loses = now
    assert known(lambda: backend.cas("r", b"1", b"3")) in (False, None)
    assert direct.get("r") == b"2"
    assert direct.get_many(["a", "b", "c"]) == {"a": b"2", "b": b"1", "c": b"2"}


def test_connections_that_are_closed_for_a_while(through: Any) -> None:
    """What is asked meanwhile waits until they are not."""
    proxy, backend, direct = through
    backend.put("a", b"1")
    for work in (
        lambda: backend.put("a", b"2"),
        lambda: backend.cas("a", b"2", b"3"),
        lambda: backend.get("a"),
        lambda: list(backend.list()),
    ):
        proxy.refuse = True
        timer = threading.Timer(0.2, setattr, (proxy, "refuse", False))
        timer.start()
        work()
        timer.join()
    assert direct.get("a") == b"3"


@pytest.mark.parametrize("how", ["put", "cas"])
def test_lost_answer_of_a_swap_and_another_writer(through: Any, how: str) -> None:
    """True, or a typed error that says that it is not known: never False for one that was made."""
    proxy, backend, direct = through
    backend.put("r", b"1")

    def other() -> bool:
        if direct.get("r") != b"2":
            return False  # that was not the answer of the change
        if how == "put":
            direct.put("r", b"of another")
        else:
            assert direct.cas("r", b"2", b"of another")
        return True

    proxy.loses = other
    said = known(lambda: backend.cas("r", b"1", b"2"))
    assert said in (True, None)
    if how == "cas" and not isinstance(backend, backends.PostgresBackend):
        assert said is True  # Redis and S3 tell of the swaps before
    assert proxy.lost == 1
    assert direct.get("r") == b"of another"


def test_lost_answer_of_a_swap_that_deletes(through: Any) -> None:
    """The same, where nothing is left that could tell."""
    proxy, backend, direct = through
    backend.put("r", b"1")

    def gone() -> bool:
        return "r" not in list(direct.list())

    proxy.loses = gone
    assert known(lambda: backend.cas("r", b"1", None)) in (True, None)
    assert proxy.lost == 1
    assert gone()


# --- wrong places ---


def test_nobody_there() -> None:
    """Said at once, without the password."""
    port = servers.free_port()
    for kind, url in (
        ("psycopg", f"postgresql://me:hunter2@127.0.0.1:{port}/db"),
        ("redis", f"redis://me:hunter2@127.0.0.1:{port}/0"),
    ):
        pytest.importorskip(kind)
        started = time.monotonic()
        with pytest.raises(BackendUnavailableError) as caught:
            backends.open(url)
        assert time.monotonic() - started < 5
        assert "hunter2" not in str(caught.value) + repr(caught.value)


def test_wrong_names() -> None:
    """A database, a bucket, a table name that is none."""
    with pytest.raises(BackendError, match="nosuch"):
        backends.open(served("postgres").url.replace("/postgres", "/nosuch"))
    with pytest.raises(ValueError, match="not the name of a table"):
        backends.open(served("postgres").url, table='x"; DROP TABLE y')
    with pytest.raises(BackendError, match=r"(?i)bucket"):
        backends.open("s3://nosuch/x", endpoint_url=served("s3").url, key="k", secret="s")


def test_bucket_that_vanishes() -> None:
    """An error, not an empty store."""
    options = {"endpoint_url": served("s3").url, "key": "k", "secret": "s"}
    maker = backends.open("s3://bucket", **options)
    fs: Any = maker._fs  # type: ignore[attr-defined]
    name = f"b{unique()}"
    fs.call_s3("create_bucket", Bucket=name)
    with backends.open(f"s3://{name}/p", **options) as backend:
        backend.put("a", b"")
        backend.delete("a")
        fs.call_s3("delete_bucket", Bucket=name)
        uses: List[Callable[[], Any]] = [
            lambda: backend.get("a"),
            lambda: backend.stat("a"),
            lambda: list(backend.list()),
            lambda: backend.get_many(["a", "b"]),
            lambda: backend.cas("a", b"x", b"y"),
            lambda: backend.put("a", b""),
        ]
        for use in uses:
            with pytest.raises(BackendError):
                use()


def test_a_service_that_ignores_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is found out by the first swap, which changes nothing."""
    options = {"endpoint_url": served("s3").url, "key": "k", "secret": "s"}
    with backends.open(f"s3://bucket/{unique()}", **options) as backend:
        fs = backend._fs  # type: ignore[attr-defined]
        call = fs.call_s3
        monkeypatch.setattr(fs, "call_s3", lambda method, **kw: call(method, **{k: v for k, v in kw.items() if not k.startswith("If")}))
        backend.put("b", b"")
        for key, old, new in (("a", None, b"1"), ("b", b"", b"1"), ("b", b"", None)):
            with pytest.raises(BackendError, match="ignores If"):
                backend.cas(key, old, new)
        assert list(backend.list()) == ["b"]
        assert backend.get("b") == b""


# --- Redis alone ---


@pytest.fixture
def settings() -> Iterator[Any]:
    """Changes settings of the Redis server, until the end of the test."""
    url = served("redis").url
    import redis

    with redis.Redis.from_url(url) as client:
        yield client
        client.config_set("maxmemory", "0")
        client.config_set("maxmemory-policy", "noeviction")


def test_redis_that_throws_keys_away(settings: Any) -> None:
    """It is refused."""
    settings.config_set("maxmemory", "1gb")
    settings.config_set("maxmemory-policy", "allkeys-lru")
    with pytest.raises(BackendError, match="throws keys away"):
        backends.open(served("redis").url)
    settings.config_set("maxmemory-policy", "volatile-lru")
    backends.open(served("redis").url).close()


def test_redis_without_memory(settings: Any, tmp_path: pathlib.Path) -> None:
    """A typed error at once, and the old values stay."""
    with KINDS["redis"](tmp_path, None).open() as backend:
        backend.put("a", b"old")
        settings.config_set("maxmemory", "100kb")
        for change in (lambda: backend.put("a", b"new"), lambda: backend.cas("a", b"old", b"new"), lambda: backend.put_many({"b": b""})):
            with pytest.raises(BackendError) as caught:
                change()
            assert not isinstance(caught.value, BackendUnavailableError)
        assert backend.get("a") == b"old"
        backend.delete("a")
        settings.config_set("maxmemory", "0")
        assert list(backend.list()) == []


# --- large values ---

LARGE = (40 << 20) + 12_345


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "redis"])
def test_pieces(kind: str, tmp_path: pathlib.Path) -> None:
    """Ranges across the borders of pieces are exact; another value in their place, or a deletion, leaves none behind."""
    place = KINDS[kind](tmp_path, None)
    data = bytes(range(251)) * (LARGE // 251 + 1)
    data = data[:LARGE]
    with place.open() as backend:
        backend.put_many({"a": data, "b": b"small"})
        assert backend.get("a") == data
        assert backend.get_many(["a", "b"]) == {"a": data, "b": b"small"}
        assert backend.stat("a")[0] == LARGE
        for border in (2 << 20, 8 << 20, 16 << 20, 32 << 20, LARGE):
            for start, length in ((border - 3, 7), (border, 5), (border - 1, 1), (border - 2_000_000, 4_000_000), (border, 0)):
                assert backend.get_range("a", start, length) == data[start : start + length], (start, length)
        assert backend.get_range("a", 5, 1 << 30) == data[5:]
        assert rows(kind, place, backend) > 1
        backend.put("a", data[::-1])
        backend.put("a", b"small now")
        assert rows(kind, place, backend) == 0
        backend.put("a", data)
        assert backend.cas("a", b"small now", b"no") is False
        backend.delete("a")
        assert rows(kind, place, backend) == 0


def rows(kind: str, place: Place, backend: Any) -> int:
    """How many pieces there are."""
    if kind == "redis":
        return len(list(backend._client.scan_iter(match=f"{place.options['prefix']}p:*", count=10_000)))
    table = "pieces" if kind == "sqlite" else f"{place.options['table']}_pieces"
    with backend._pool.connection() as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_postgres_sweep(tmp_path: pathlib.Path) -> None:
    """Pieces that no value has are removed, and no other."""
    place = KINDS["postgres"](tmp_path, None)
    with place.open() as backend:
        backend.put("a", b"x" * (9 << 20))
        with backend._pool.connection() as connection:
            connection.execute(f"INSERT INTO {place.options['table']}_pieces VALUES (gen_random_uuid(), 0, 'x')")
        assert backend.sweep() == 1
        assert backend.sweep() == 0
        assert len(backend.get("a")) == 9 << 20


def test_postgres_statement_that_takes_too_long(tmp_path: pathlib.Path) -> None:
    """The server ends it: a typed error, and nothing is changed."""
    place = KINDS["postgres"](tmp_path, None)
    with place.open(timeout=0.3) as backend, place.open() as other:
        backend.put("a", b"old")
        with other._pool.connection() as connection, connection.transaction():
            connection.execute(f"SELECT * FROM {place.options['table']} FOR UPDATE")
            started = time.monotonic()
            with pytest.raises(BackendError, match="statement timeout"):
                backend.put("a", b"new")
            assert time.monotonic() - started < 10
        assert backend.get("a") == b"old"


def test_sqlite_files(tmp_path: pathlib.Path) -> None:
    """The owner's alone; another program's file, one that is no database, and one that vanishes are errors."""
    import sqlite3

    path = tmp_path / "new folder" / "store.db"
    with backends.open(f"sqlite:///{path}".replace(" ", "%20")) as backend:
        backend.put("a", b"1")
        assert {p.stat().st_mode & 0o777 for p in path.parent.iterdir()} == {0o600}
        path.rename(tmp_path / "elsewhere.db")
        uses: List[Callable[[], Any]] = [lambda: backend.get("a"), lambda: backend.put("a", b"2"), lambda: list(backend.list())]
        for use in uses:
            with pytest.raises(BackendError):
                use()
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE notes (text)")
    with pytest.raises(BackendError, match="something else"):
        backends.open(f"sqlite:///{other}")
    (tmp_path / "text.db").write_text("this is no database, it is a text " * 100)
    with pytest.raises(BackendError, match="not a database"):
        backends.open(f"sqlite:///{tmp_path}/text.db")
    for url in ("sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite://host/x", "sqlite:///x.db?mode=ro"):
        with pytest.raises(ValueError, match=r"SQLite file|in memory"):
            backends.open(url)


def test_lock_objects(tmp_path: pathlib.Path) -> None:
    """The lock of a dead process here is taken over at once, one of elsewhere when it has not changed for long."""
    pytest.importorskip("fsspec")
    backend = backends.FsspecBackend(f"local://{tmp_path}/s", lock_seconds=0.5)
    with backend._locked("refs/a"):
        (lock,) = (tmp_path / "s" / ".eryxsh" / "locks").iterdir()
        mine = lock.read_bytes()
    assert not lock.exists()
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    import json
    import os

    lock.write_text(json.dumps({**json.loads(mine), "pid": dead.pid}))
    started = time.monotonic()
    assert backend.cas("refs/a", None, b"1")
    assert time.monotonic() - started < 0.4
    for owner in (
        json.dumps({**json.loads(mine), "host": "elsewhere"}),
        json.dumps({**json.loads(mine), "pid": os.getpid()}),
        "",
        "half a",
    ):
        lock.write_text(owner)
        started = time.monotonic()
        assert backend.cas("refs/a", b"1", b"1")
        assert time.monotonic() - started > 0.4
    with backend._locked("refs/a") as check:
        check()
        lock.write_text("taken over")
        with pytest.raises(BackendUnavailableError, match="the lock was lost"):
            check()
    assert lock.read_text() == "taken over"
