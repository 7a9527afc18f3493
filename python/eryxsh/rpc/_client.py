"""Clients: whoever calls methods, with the sandboxes it made and the calls it is waiting for."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import threading
import weakref
from typing import Any, Dict, Iterable, List, Optional

from .. import EryxshError, Run, Sandbox, SandboxClosedError
from ._errors import CANCELLED, INVALID_PARAMS, INVALID_REQUEST, RpcError
from ._table import Method, bind, find
from ._values import shown


@dataclasses.dataclass(frozen=True)
class Options:
    """What whoever starts a server decides."""

    store: Any = None
    """Where sandboxes may persist; None: nowhere."""
    isolation: Any = None
    """As ``Sandbox(isolation=…)``, for every sandbox."""
    sandboxes: int = 64
    """Of one client."""
    request: int = 8 << 20
    """Bytes of one request or batch."""
    response: int = 64 << 20
    """Bytes of one answer."""
    pending: int = 4096
    """Requests of one client that are not answered yet."""
    connections: int = 64
    """Clients at a time."""


class Call:
    """One request that is being served, or waits to be."""

    def __init__(
        self, client: Client, method: Method, params: Dict[str, Any], given: Iterable[str], id: Any = None, *, answered: bool = True
    ) -> None:
        self.client = client
        self.method = method
        self.params = params
        self.given = frozenset(given)  # which parameters were not left out
        self.id = id
        self.answered = answered  # False for a notification
        self.hosted: Hosted = None  # type: ignore[assignment]  # set before it is served, unless it is "now"
        self.begun = False
        self.cancelled = False
        self.waits: Optional[Question] = None  # an answer of the client's it is waiting for
        self._run: Optional[Run] = None
        self._lock = threading.Lock()

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox it is about."""
        return self.hosted.live()

    def begin(self) -> None:
        """It is its turn; RpcError if it was cancelled before."""
        with self._lock:
            if self.cancelled:
                raise RpcError(CANCELLED, "the request was cancelled before it began")
            self.begun = True

    def drives(self, run: Run) -> None:
        """It drives a run from now on, which ``cancel`` ends: also one that came before there was a run."""
        self.hosted.run = run
        with self._lock:
            self._run = run
            cancelled = self.cancelled
        if cancelled:
            run.cancel()

    def cancel(self) -> None:
        """End it: from any thread, at once."""
        with self._lock:
            self.cancelled = True
            run, question = self._run, self.waits
        if run is not None:
            run.cancel()  # before the script is told that its tool failed: it would go on with that
        if question is not None:
            question.fail("the call was cancelled")

    def asks(self, question: Optional[Question]) -> None:
        """It waits for the client, or does no longer."""
        with self._lock:
            self.waits = question
            cancelled = self.cancelled
        if question is not None and cancelled:
            self.cancel()  # which did not know of the question, and may not have reached the run yet

    def output(self, stream: str, data: bytes) -> None:
        """Tell the client of output."""
        text, encoding = shown(data)
        self.client.notify("output", {"request_id": self.id, "stream": stream, "data": text, "encoding": encoding})


class Question:
    """A request of the server's to its client."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.message: Dict[str, Any] = {}

    def answer(self, message: Dict[str, Any]) -> None:
        """What the client has answered."""
        if not self.done.is_set():
            self.message = message
            self.done.set()

    def fail(self, why: str) -> None:
        """There will be no answer."""
        self.answer({"error": {"message": why}})

    def result(self) -> Any:
        """Wait for the answer; EryxshError for an error."""
        self.done.wait()
        if "error" in self.message:
            error = self.message["error"]
            said = error.get("message") if isinstance(error, dict) else error
            raise EryxshError(str(said))
        return self.message["result"]


class Hosted:
    """A sandbox of a client's."""

    def __init__(self, id: str, label: Optional[str], sandbox: Optional[Sandbox] = None) -> None:
        self.id = id  # empty for the one of `create`
        self.label = label
        self.created = datetime.datetime.now(datetime.timezone.utc)
        self.sandbox = sandbox
        self.run: Optional[Run] = None  # the youngest
        self.command_limit: Optional[int] = None
        self.storage = False  # what is offloaded goes to the client
        self.current: Optional[Call] = None
        self.lane: Any = None  # the server's

    def live(self) -> Sandbox:
        """The sandbox; SandboxClosedError when it is gone."""
        if self.sandbox is None:
            raise SandboxClosedError("the sandbox is closed")
        return self.sandbox

    @property
    def distant(self) -> bool:
        """Whether to use it is to ask the client, or to wait for a store."""
        return self.sandbox is not None and self.sandbox._away is not None

    def cancel(self) -> bool:
        """End what runs, or is suspended; whether there was something."""
        call, run = self.current, None
        with contextlib.suppress(SandboxClosedError):  # closed, or being closed: that ends what runs
            if call is not None:
                call.cancel()
            run = None if self.distant else self.live().runs.active()
            if run is not None and (call is None or call._run is None):
                (self.run if self.run is not None and self.run.id == run.id else run).cancel()
        return call is not None or run is not None

    def close(self) -> None:
        """Close the sandbox: a persistent one is saved."""
        sandbox, self.sandbox = self.sandbox, None
        self.run = None
        if sandbox is not None:
            sandbox.close()


class Client:
    """Whoever calls: in this process here, over a connection in ``_server``."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.root: Optional[Hosted] = None
        self.sandboxes: Dict[str, Hosted] = {}
        self.defaults: Dict[str, Any] = {}  # what `create` was given
        self.request_limit = options.request
        self._lock = threading.Lock()
        self._count = 0

    # Sandboxes.

    def find(self, sandbox_id: Optional[str]) -> Hosted:
        """The sandbox a request is about."""
        if sandbox_id is None:
            if self.root is None:
                raise RpcError(INVALID_REQUEST, "there is no sandbox yet: call create first, or give a sandboxId")
            return self.root
        found = self.sandboxes.get(sandbox_id)
        if found is None:
            raise RpcError(INVALID_PARAMS, f"there is no sandboxId {ascii(sandbox_id)[:80]}", path=sandbox_id[:80])
        return found

    def host(self, label: Optional[str] = None, sandbox: Optional[Sandbox] = None) -> Hosted:
        """Make room for one more sandbox; RpcError if there is none."""
        with self._lock:
            self._room()
            self._count += 1
            hosted = Hosted(str(self._count), label, sandbox)
            self.sandboxes[hosted.id] = hosted
            return hosted

    def host_root(self) -> Hosted:
        """Make room for the sandbox of ``create``; RpcError if it is there."""
        with self._lock:
            if self.root is not None:
                raise RpcError(INVALID_REQUEST, "create was called before: sandbox.create makes another sandbox")
            self._room()
            self.root = Hosted("", None)
            return self.root

    def _room(self) -> None:
        if len(self.sandboxes) + (self.root is not None) >= self.options.sandboxes:
            raise RpcError(INVALID_PARAMS, f"a client has at most {self.options.sandboxes} sandboxes", limit="sandboxes")

    def forget(self, hosted: Hosted) -> None:
        """A sandbox is gone."""
        with self._lock:
            if hosted is self.root:
                self.root = None
            else:
                self.sandboxes.pop(hosted.id, None)

    def everything(self) -> List[Hosted]:
        """All its sandboxes."""
        with self._lock:
            return [*([self.root] if self.root is not None else []), *self.sandboxes.values()]

    # What goes the other way.

    def notify(self, method: str, params: Dict[str, Any]) -> None:
        """Tell it something."""
        raise NotImplementedError

    def ask(self, call: Call, method: str, params: Dict[str, Any]) -> Any:
        """Ask it something for a call of its, and wait for the answer."""
        raise NotImplementedError

    def require_a_listener(self, what: str) -> None:
        """RpcError if nobody is there to hear."""

    def cancel_request(self, id: Any) -> bool:
        """End one of its requests; whether it was there."""
        return False

    def end(self) -> None:
        """It wants no more."""

    def check_token(self, token: str) -> None:
        """RpcError unless it is the right one."""


class _Here(Hosted):
    """The sandbox whose ``rpc`` was called: it must be free to go."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__("", None)
        self._weak = weakref.ref(sandbox)

    def live(self) -> Sandbox:
        """The sandbox."""
        sandbox = self._weak()
        if sandbox is None:
            raise SandboxClosedError("the sandbox is closed")
        return sandbox

    def cancel(self) -> bool:
        """End what runs; whether there was something."""
        runs = self.live().runs.active() is not None
        self.live().commands.cancel()
        return runs

    def close(self) -> None:
        """Close it."""
        self.live().close()


class Local(Client):
    """The methods in this process, for ``Sandbox.rpc``: the sandbox stands for the one of ``create``."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(Options())
        self.root = _Here(sandbox)

    def call(self, name: str, params: Dict[str, Any]) -> Any:
        """Call a method; what it raises is raised."""
        method = find(name)
        bound = bind(method, params)
        call = Call(self, method, bound, params)
        if method.on == "new":
            call.hosted = self.host_root() if name == "create" else self.host(bound.get("label"))
        elif method.on == "sandbox":
            call.hosted = self.find(bound["sandboxId"])
        try:
            return method.function(call, bound)
        except BaseException:
            if method.on == "new":
                self.forget(call.hosted)
            raise

    def require_a_listener(self, what: str) -> None:
        """Nobody listens in this process."""
        raise RpcError(INVALID_PARAMS, f"{what} is for clients of a server: in the process of the sandbox there are callbacks and tools")

    def end(self) -> None:
        """Close everything."""
        for hosted in self.everything():
            hosted.close()
