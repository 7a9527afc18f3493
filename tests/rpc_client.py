"""A client of ``eryxsh serve``, written from capi/RPC.md alone: nothing of eryxsh is imported."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import socket
import subprocess
import sys
import threading
from typing import Any, Callable


class RpcError(Exception):
    """The ``error`` of an answer."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code, self.message, self.data = error["code"], error["message"], error["data"]


class Client:
    """One connection: requests from any thread, answers as they come."""

    def __init__(self, read: Any, write: Callable[[bytes], Any], close: Callable[[], Any]) -> None:
        self.write, self.close = write, close
        self.outputs: dict[Any, list[tuple[str, str, str]]] = {}  # by request: stream, data, encoding
        self.on_output: Callable[[dict[str, Any]], Any] = lambda params: None
        self.handlers: dict[str, Callable[[dict[str, Any]], Any]] = {}  # of extensions by name, else by method
        self.strays: queue.Queue[Any] = queue.Queue()  # answers to nobody: to a batch, or with the id null
        self.ended = threading.Event()
        self._answers: dict[Any, queue.Queue[Any]] = {}
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, args=(read,), daemon=True).start()

    def send(self, message: Any) -> None:
        """Send a message as a line, or raw bytes as they are."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        with self._lock:
            self.write(data)

    def start(self, method: str, **params: Any) -> int:
        """Send a request; its id."""
        id = next(self._ids)
        self._answers[id] = queue.Queue()
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def wait(self, id: int, timeout: float = 30) -> Any:
        """The result of a request; RpcError if that is an error."""
        answer = self._answers[id].get(timeout=timeout)
        del self._answers[id]
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def call(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its result."""
        return self.wait(self.start(method, **params))

    def notify(self, method: str, **params: Any) -> None:
        """Send a request that is not answered."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def _listen(self, read: Any) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in read:
                self._take(json.loads(line))
        self.ended.set()

    def _take(self, message: Any) -> None:
        if isinstance(message, dict) and message.get("method") == "output":
            p = message["params"]
            self.outputs.setdefault(p["request_id"], []).append((p["stream"], p["data"], p["encoding"]))
            self.on_output(p)
        elif isinstance(message, dict) and "method" in message and "id" in message:
            threading.Thread(target=self._invoke, args=(message,), daemon=True).start()
        elif isinstance(message, dict) and message.get("id") in self._answers:
            self._answers[message["id"]].put(message)
        else:
            self.strays.put(message)

    def _invoke(self, message: dict[str, Any]) -> None:
        try:
            name = message["params"]["name"] if message["method"] == "extension.invoke" else message["method"]
            answer = {"result": self.handlers[name](message["params"])}
        except Exception as error:
            answer = {"error": {"code": -32603, "message": str(error)}}
        with contextlib.suppress(OSError, ValueError):  # it was closed meanwhile
            self.send({"jsonrpc": "2.0", "id": message["id"], **answer})


class Server:
    """``eryxsh serve`` as a process."""

    def __init__(self, *options: str, env: dict[str, str] | None = None) -> None:
        self.stdio = not {"--socket", "--port"} & set(options)
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "eryxsh", "serve", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        self.place: dict[str, Any] = {}
        self.closing: list[Callable[[], Any]] = []
        if not self.stdio:
            self.place = json.loads(self.process.stdout.readline())["params"]  # type: ignore[union-attr]

    def connect(self, token: str | None = None) -> Client:
        """A client; over TCP it shows the token."""
        if self.stdio:
            source, sink = self.process.stdin, self.process.stdout
            assert source is not None

            def write(data: bytes) -> None:
                source.write(data)
                source.flush()

            return Client(sink, write, source.close)
        stream = socket.socket(socket.AF_UNIX if "socket" in self.place else socket.AF_INET)
        stream.connect(self.place["socket"] if "socket" in self.place else (self.place["host"], self.place["port"]))

        def close() -> None:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
            stream.close()

        client = Client(stream.makefile("rb"), stream.sendall, close)
        self.closing.append(close)
        if "port" in self.place:
            client.call("authenticate", token=token or self.place["token"])
        return client

    def stop(self) -> int:
        """SIGTERM; the exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait(timeout=30)
        self.said = self.process.stderr.read().decode()  # type: ignore[union-attr]
        for close in self.closing:
            close()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        return status
