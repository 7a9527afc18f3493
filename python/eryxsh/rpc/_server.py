"""The server: connections, the order in which their requests are served, and the messages of JSON-RPC 2.0.

Each connection has sandboxes of its own. What is asked of one sandbox is served in order, on a thread that
exists while there is something; what is asked of different ones, at the same time. Whoever reads the
connection serves what is to happen at once, and what is over in no time where nothing else waits.
"""

from __future__ import annotations

import dataclasses
import hmac
import itertools
import json
import queue
import threading
import time
from typing import Any, Callable, Dict, List, NoReturn, Optional, Set

from .. import EryxshError
from ._client import Call, Client, Hosted, Options, Question
from ._errors import INVALID_REQUEST, PARSE_ERROR, SANDBOX_ERROR, UNAUTHORIZED, RpcError, error_of
from ._options import serving
from ._table import bind, find

_IDLE = 5.0  # seconds after which a thread with nothing to do goes
_PATIENCE = 2.0  # seconds until whoever closes a sandbox stops waiting for what runs in it
_SAVING = 60.0  # seconds a sandbox that is closed may take to be saved
_UNKNOWN_CLIENT = 4096  # bytes of a request before the token

Reply = Callable[[Optional[Dict[str, Any]]], None]
Work = Callable[[], None]


class Lane:
    """What is asked of one sandbox, one after another."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None
        self.length = 0  # how much is waiting or being served

    def put(self, work: Work) -> None:
        """Serve this when all before it is done."""
        with self._lock:
            self.length += 1
            self._waiting.put(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="eryxsh-rpc", daemon=True)
                self._thread.start()

    def done(self) -> None:
        """What is being served is over; the work itself says so, before it answers."""
        with self._lock:
            self.length -= 1

    def _run(self) -> None:
        while True:
            try:
                work = self._waiting.get(timeout=_IDLE)
            except queue.Empty:
                with self._lock:
                    if self._waiting.empty():
                        self._thread = None
                        return
                continue
            work()
            del work  # and with it what it holds


class Connection(Client):
    """A client at the other end of a stream of lines."""

    def __init__(self, options: Options, write: Callable[[bytes], None], token: Optional[str] = None) -> None:
        super().__init__(options)
        self.ending = False  # it is to be closed
        self._write = write
        self._token = token  # None: it is known
        self._sending = threading.Lock()
        self._deaf = False  # nobody reads any more
        self._calls: Set[Call] = set()
        self._waiting = 0  # those of them that are not served yet
        self._idle = threading.Condition()
        self._questions: Dict[str, Question] = {}
        self._numbers = itertools.count(1)
        if token is not None:
            self.request_limit = _UNKNOWN_CLIENT

    # What comes.

    def receive(self, line: Optional[bytes]) -> None:
        """A line has come; None is one that was too long."""
        if line is None:
            self._send({"id": None, "error": error_of(RpcError(PARSE_ERROR, "Request too large", limit="request"))})
            self._distrust()
            return
        try:
            message = json.loads(line.decode(), parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            self._send({"id": None, "error": error_of(RpcError(PARSE_ERROR, f"the line is not JSON: {error}"))})
            self._distrust()
            return
        if isinstance(message, list):
            self._batch(message)
        else:
            self._message(message, self._reply)

    def _distrust(self) -> None:
        if self._token is not None:
            self.ending = True

    def _batch(self, messages: List[Any]) -> None:
        if not messages:
            self._send({"id": None, "error": error_of(RpcError(INVALID_REQUEST, "the batch is empty"))})
            return
        if len(messages) > self.options.pending:
            why = f"the batch has more than {self.options.pending} requests"
            self._send({"id": None, "error": error_of(RpcError(INVALID_REQUEST, why, limit="pending"))})
            return
        left = len(messages)
        lock = threading.Lock()
        answers: List[Dict[str, Any]] = []

        def reply(answer: Optional[Dict[str, Any]]) -> None:
            nonlocal left
            with lock:
                left -= 1
                if answer is not None:
                    answers.append({"jsonrpc": "2.0", **answer})
                last = not left
            if last and answers:
                self._send_data(self._encoded(answers, None))

        for message in messages:
            self._message(message, reply)

    def _message(self, message: Any, reply: Reply) -> None:
        id = message.get("id") if isinstance(message, dict) else None
        try:
            if not isinstance(message, dict):
                raise RpcError(INVALID_REQUEST, "a request is an object")
            if "method" not in message and ("result" in message or "error" in message):
                self._answered(message)
                reply(None)
                return
            if isinstance(id, (bool, list, dict)):
                id = None
                raise RpcError(INVALID_REQUEST, "the id of a request is a string, a number or null")
            call = self._call(message, id)
        except RpcError as error:
            wrong = not isinstance(message, dict) or error.code == INVALID_REQUEST
            reply({"id": id, "error": error_of(error)} if wrong or "id" in message else None)
            return
        self._route(call, reply)

    def _call(self, message: Dict[str, Any], id: Any) -> Call:
        name, params = message.get("method"), message.get("params", {})
        if message.get("jsonrpc") != "2.0":
            raise RpcError(INVALID_REQUEST, 'a request has "jsonrpc": "2.0"')
        if not isinstance(name, str):
            raise RpcError(INVALID_REQUEST, "the method of a request is a string")
        if not isinstance(params, (dict, list)):
            raise RpcError(INVALID_REQUEST, "the params of a request are an object or an array")
        if self._token is not None and name != "authenticate":
            self.ending = True
            raise RpcError(UNAUTHORIZED, "the first request is authenticate, with the token of the server")
        method = find(name)
        bound = bind(method, params)
        given = params if isinstance(params, dict) else [p.name for p in method.params[: len(params)]]
        return Call(self, method, bound, given, id, answered="id" in message)

    def _answered(self, message: Dict[str, Any]) -> None:
        question = self._questions.get(str(message.get("id")))
        if question is not None:
            question.answer(message)

    # Where it is served.

    def _route(self, call: Call, reply: Reply) -> None:
        method = call.method
        if method.on == "now":
            self._serve(call, reply)
            return
        try:
            if self._waiting >= self.options.pending:
                raise RpcError(INVALID_REQUEST, f"{self.options.pending} requests wait already", limit="pending")
            if method.on == "new":
                call.hosted = self.host_root() if method.name == "create" else self.host(call.params["label"])
            else:
                call.hosted = self.find(call.params["sandboxId"])
        except RpcError as error:
            reply({"id": call.id, "error": error_of(error)} if call.answered else None)
            return
        lane = _lane(call.hosted)
        asking = call.hosted.current is not None and call.hosted.current.waits is not None
        if method.quick and (not lane.length or asking) and not call.hosted.distant:
            self._serve(call, reply)
            return
        with self._idle:
            self._calls.add(call)
            self._waiting += 1
        if asking and method.name.startswith("files."):
            Lane().put(lambda: self._serve(call, reply))
        else:
            lane.put(lambda: self._serve(call, reply, lane))

    def _serve(self, call: Call, reply: Reply, lane: Optional[Lane] = None) -> None:
        hosted = call.hosted
        try:
            if lane is not None:
                hosted.current = call
            answer = self._served(call)
        finally:
            if lane is not None:
                hosted.current = None
                lane.done()
        queued = call in self._calls
        if queued:
            with self._idle:
                self._waiting -= 1
        reply(answer if call.answered else None)
        if queued:
            with self._idle:
                self._calls.discard(call)
                self._idle.notify_all()

    def _served(self, call: Call) -> Dict[str, Any]:
        try:
            call.begin()
            with serving(call):
                return {"id": call.id, "result": call.method.function(call, call.params)}
        except BaseException as error:
            if call.method.on == "new":
                self.forget(call.hosted)
                call.hosted.close()
            return {"id": call.id, "error": error_of(error)}

    # What goes.

    def _reply(self, answer: Optional[Dict[str, Any]]) -> None:
        if answer is not None:
            self._send(answer)

    def _send(self, message: Dict[str, Any]) -> None:
        self._send_data(self._encoded({"jsonrpc": "2.0", **message}, message.get("id")))

    def _encoded(self, message: Any, id: Any) -> bytes:
        data = json.dumps(message, separators=(",", ":")).encode("ascii")
        if len(data) > self.options.response:
            why = f"an answer of {len(data)} bytes is more than {self.options.response}"
            error = error_of(RpcError(SANDBOX_ERROR, why, limit="response"))
            data = json.dumps({"jsonrpc": "2.0", "id": id, "error": error}).encode("ascii")
        return data + b"\n"

    def _send_data(self, data: bytes) -> None:
        with self._sending:
            if self._deaf:
                return
            try:
                self._write(data)
                return
            except OSError:
                self._deaf = True
        self.cancel_everything()

    def notify(self, method: str, params: Dict[str, Any]) -> None:
        """Tell the client something."""
        self._send({"method": method, "params": params})

    def ask(self, call: Call, method: str, params: Dict[str, Any]) -> Any:
        """Ask the client something for a call of its, and wait for the answer."""
        question, id = Question(), f"cb_{next(self._numbers)}"
        self._questions[id] = question
        try:
            call.asks(question)
            if self._deaf or self.ending:
                raise EryxshError("the client is gone")
            self._send({"id": id, "method": method, "params": params})
            return question.result()
        finally:
            call.asks(None)
            del self._questions[id]

    # The end.

    def check_token(self, token: str) -> None:
        """RpcError, and the end, unless it is the right one."""
        if self._token is None:
            return
        if not hmac.compare_digest(token.encode("utf-8", "surrogateescape"), self._token.encode()):
            self.ending = True
            raise RpcError(UNAUTHORIZED, "this is not the token of the server")
        self._token = None
        self.request_limit = self.options.request

    def cancel_request(self, id: Any) -> bool:
        """End one of the client's requests; whether it was there."""
        with self._idle:
            found = [call for call in self._calls if call.answered and call.id == id]
        for call in found:
            call.cancel()
        return bool(found)

    def cancel_everything(self) -> None:
        """Nobody waits for what runs any more."""
        with self._idle:
            calls = list(self._calls)
        for call in calls:
            call.cancel()

    def drain(self, seconds: float, gone: Callable[[], bool]) -> None:
        """Let what has come be served, for so long or until the client is gone."""
        end = time.monotonic() + seconds
        with self._idle:
            while self._calls and not self._deaf and not gone() and (left := end - time.monotonic()) > 0:
                self._idle.wait(min(left, 0.02))

    def end(self) -> None:
        """Cancel what runs and close the sandboxes; persistent ones are saved."""
        self.ending = True
        self.cancel_everything()
        closing = [(hosted, _closing(hosted)) for hosted in self.everything()]
        for hosted, closed in closing:
            if not closed.wait(_PATIENCE):
                hosted.cancel()
                hosted.close()  # who runs there is held up by a client that does not read
                closed.wait(_SAVING if hosted.sandbox is None and hosted.current is None else 0)
            self.forget(hosted)


def _lane(hosted: Hosted) -> Lane:
    if hosted.lane is None:
        hosted.lane = Lane()
    lane: Lane = hosted.lane
    return lane


def _closing(hosted: Hosted) -> threading.Event:
    """Close a sandbox when what was asked of it is over."""
    closed = threading.Event()
    lane = _lane(hosted)

    def close() -> None:
        try:
            hosted.close()
        finally:
            lane.done()
            closed.set()

    lane.put(close)
    return closed


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


class Server:
    """What all connections share: the options, and the store."""

    def __init__(self, options: Options) -> None:
        self.store: Any = None
        if options.store is not None:
            from .. import Store

            self.store = Store(options.store)
            options = dataclasses.replace(options, store=self.store)
        self.options = options
        self._connections: Set[Connection] = set()
        self._lock = threading.Lock()
        self._closed = False

    def connect(self, write: Callable[[bytes], None], token: Optional[str] = None) -> Optional[Connection]:
        """A connection for a client that has come; None if there are too many."""
        with self._lock:
            if self._closed or len(self._connections) >= self.options.connections:
                return None
            connection = Connection(self.options, write, token)
            self._connections.add(connection)
            return connection

    def disconnect(self, connection: Connection) -> None:
        """A client has gone."""
        connection.end()
        with self._lock:
            self._connections.discard(connection)

    def close(self) -> None:
        """Close all sandboxes of all clients."""
        with self._lock:
            self._closed = True
            connections = list(self._connections)
        for connection in connections:
            self.disconnect(connection)
        if self.store is not None:
            self.store.close()
