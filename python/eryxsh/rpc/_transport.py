"""Transports: standard input and output, a Unix socket, TCP on the loopback."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import stat
import threading
from typing import Callable, Iterator, Optional

from ._server import Connection, Server

_CHUNK = 1 << 16
_GREETING = 10.0  # seconds a client over TCP may take to show its token
_GRACE = 2.0  # seconds for what was asked before the end of the input


def lines(read: Callable[[], bytes], connection: Connection) -> Iterator[Optional[bytes]]:
    """The lines of a stream, without blank ones; None for one that is longer than a request may be."""
    buffer = bytearray()
    searched = 0
    skipping = False
    while True:
        chunk = read()
        if not chunk:
            break
        buffer += chunk
        while True:
            end = buffer.find(b"\n", searched)
            if end < 0:
                break
            line = bytes(buffer[:end])
            del buffer[: end + 1]
            searched = 0
            if skipping:
                skipping = False
            elif len(line) > connection.request_limit:
                yield None
            elif line.strip():
                yield line
        searched = len(buffer)
        if searched > connection.request_limit:
            if not skipping:
                yield None
            skipping = True
            buffer.clear()
            searched = 0
    if buffer.strip() and not skipping:
        yield bytes(buffer)


def converse(server: Server, connection: Connection, read: Callable[[], bytes], gone: Callable[[], bool]) -> None:
    """Serve a connection until its end."""
    try:
        with contextlib.suppress(OSError):  # a client that breaks off has ended
            for line in lines(read, connection):
                connection.receive(line)
                if connection.ending:
                    return
        connection.drain(_GRACE, gone)
    finally:
        server.disconnect(connection)


def stdio(server: Server, source: int, sink: int, stop: Callable[[], None]) -> None:
    """Serve the client at two file descriptors, on a thread; then stop."""

    def write(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(sink, view) :]

    connection = server.connect(write)
    if connection is None:
        raise AssertionError("a new server has room")
    known = connection

    def run() -> None:
        try:
            converse(server, known, lambda: os.read(source, _CHUNK), lambda: hung_up(sink))
        finally:
            stop()

    threading.Thread(target=run, name="eryxsh-rpc-stdio", daemon=True).start()


def hung_up(fd: int) -> bool:
    """Whether nobody is at the other end of a descriptor."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(fd, 0)  # POLLERR and POLLHUP come unasked
    return bool(poll.poll(0))


def listen(server: Server, listener: socket.socket, token: Optional[str]) -> None:
    """Serve whoever connects, each on a thread."""

    def run() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return  # it was closed
            threading.Thread(target=_greet, args=(server, client, token), name="eryxsh-rpc-client", daemon=True).start()

    threading.Thread(target=run, name="eryxsh-rpc-listen", daemon=True).start()


def _greet(server: Server, client: socket.socket, token: Optional[str]) -> None:
    with client:
        connection = server.connect(client.sendall, token)
        if connection is None:
            return
        if token is not None:
            client.settimeout(_GREETING)
        if client.family != getattr(socket, "AF_UNIX", None):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def read() -> bytes:
            return client.recv(_CHUNK)

        converse(server, connection, read, lambda: hung_up(client.fileno()))


def unix_socket(path: str) -> socket.socket:
    """A listening socket that this user alone can connect to. What a killed server left is replaced."""
    _make_way(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
        os.chmod(path, 0o600)
    except BaseException:
        listener.close()
        raise
    finally:
        os.umask(before)
    listener.listen(64)
    return listener


def _make_way(path: str) -> None:
    try:
        if not stat.S_ISSOCK(os.lstat(path).st_mode):
            raise FileExistsError(17, "it exists and is no socket", path)
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
    raise OSError(98, "another server listens there", path)


def loopback(port: int) -> socket.socket:
    """A listening socket that this machine alone can connect to; port 0 is any free one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
    except BaseException:
        listener.close()
        raise
    listener.listen(64)
    return listener
