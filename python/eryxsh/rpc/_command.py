"""``eryxsh serve``: the command line of the server."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import signal
import sys
from typing import Any, Callable, Dict, List, NoReturn, Optional

from ._client import Options
from ._server import Server
from ._transport import listen, loopback, stdio, unix_socket

TOKEN = "ERYXSH_TOKEN"


def main(words: List[str]) -> int:
    """Serve until the client ends, or a signal; the exit status."""
    options = _parser().parse_args(words)
    limits = Options(
        store=options.store,
        isolation=options.isolation,
        sandboxes=options.max_sandboxes,
        request=options.max_request,
        response=options.max_response,
        pending=options.max_pending,
        connections=options.max_clients,
    )
    # A signal may come to any thread, and Python's handlers run on the main one alone: it waits at a pipe.
    wait, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    _signals(lambda *_: None)

    def stop() -> None:
        os.write(wake, b".")

    try:
        server = Server(limits)
    except Exception as error:
        _fail(f"{options.store}: {error}")
    try:
        with _open(server, options, stop):
            os.read(wait, 1)
    finally:
        server.close()
        _signals(signal.SIG_IGN)  # it ends anyway
    return 0


def _signals(handler: Any) -> None:
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eryxsh serve", description="Serve sandboxes by JSON-RPC 2.0, one message a line, on standard input and output by default."
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--stdio", action="store_true", help="standard input and output (the default)")
    place.add_argument("--socket", metavar="PATH", help="a Unix socket, for this user alone")
    place.add_argument("--port", metavar="N", type=_port, help="TCP on 127.0.0.1; 0 is any free port")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"where the token for TCP is read; without it from ${TOKEN}, and without that it is made and printed",
    )
    parser.add_argument("--store", metavar="PLACE", help="where persistent sandboxes are kept: a directory or the URL of a store")
    parser.add_argument("--isolation", choices=["process"], help="every sandbox is in a process of its own, and its forks with it")
    defaults = Options()
    for name, value, what in (
        ("sandboxes", defaults.sandboxes, "sandboxes of one client"),
        ("request", defaults.request, "bytes of one request"),
        ("response", defaults.response, "bytes of one answer"),
        ("pending", defaults.pending, "unanswered requests of one client"),
        ("clients", defaults.connections, "clients at a time"),
    ):
        parser.add_argument(f"--max-{name}", metavar="N", type=_count, default=value, help=f"{what} (default: {value})")
    return parser


def _open(server: Server, options: argparse.Namespace, stop: Callable[[], None]) -> contextlib.ExitStack:
    """Begin to serve; leaving the stack ends the listening."""
    stack = contextlib.ExitStack()
    if options.socket is None and options.port is None:
        # What else writes to standard output must not get between the messages.
        sink = os.dup(1)
        os.dup2(2, 1)
        stdio(server, 0, sink, stop)
        return stack
    token: Optional[str] = None
    place: Dict[str, Any]
    try:
        if options.socket is not None:
            path = os.path.abspath(options.socket)
            listener = unix_socket(path)
            stack.callback(_remove, path, os.lstat(path).st_ino)
            place = {"socket": path}
        else:
            given = _token(options.token_file)
            token = given or secrets.token_urlsafe(32)
            listener = loopback(options.port)
            place = {"host": "127.0.0.1", "port": listener.getsockname()[1], **({} if given else {"token": token})}
    except OSError as error:
        _fail(f"{error.filename or options.port}: {error.strerror}")
    stack.callback(listener.close)
    listen(server, listener, token)
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "method": "listening", "params": place}) + "\n")
    sys.stdout.flush()
    return stack


def _token(file: Optional[str]) -> Optional[str]:
    if file is None:
        token = os.environ.get(TOKEN)
    else:
        with open(file, encoding="utf-8") as opened:
            token = opened.read().strip()
    if token is not None and len(token) < 16:
        _fail("a token has at least 16 characters")
    return token


def _remove(path: str, inode: int) -> None:
    """Remove the socket, unless somebody has put another one there."""
    with contextlib.suppress(OSError):
        if os.lstat(path).st_ino == inode:
            os.unlink(path)


def _port(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 65535:
        raise ValueError(text)
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _fail(message: str) -> NoReturn:
    sys.stderr.write(f"eryxsh serve: {message}\n")
    raise SystemExit(1)
