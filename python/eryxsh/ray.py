"""Sandboxes on Ray: forks of one base on many workers, and actors that hold a sandbox.

Base, workers and results meet in a store that all of them reach. The base is saved there once, and
a worker process loads it once and forks it for each item. What travels to an item and back is the
item and its result; of a sandbox or a suspended run it is what differs from the base.

``pip install 'eryxsh[ray]'``

>>> from eryxsh.ray import Pool                                                     # doctest: +SKIP
>>> with Pool(base, store="s3://bucket/store") as pool:                             # doctest: +SKIP
...     for result in pool.map('grep -c "$ITEM" /data/log', ["alice", "bob"]):
...         print(result.stdout)
"""

from __future__ import annotations

import collections
import concurrent.futures
import itertools
import secrets
import threading
import traceback
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

try:
    import ray
except ImportError as error:
    raise ImportError("eryxsh.ray needs Ray: pip install 'eryxsh[ray]'") from error

from ._commands import nanoseconds
from ._errors import RunGoneError, RunSuspended
from ._events import Checkpoint, Finished
from ._limits import DEFAULT_TIMEOUT
from ._persistence import Home
from ._pickling import References, address, store_at
from ._results import CommandResult
from ._runs import Run
from ._sandbox import Sandbox
from ._store import store_of
from ._tools import Suspend, Tool, ToolCall, registry

__all__ = ["Actor", "Pool", "Traffic"]

Work = Union[str, Callable[[Sandbox, Any], Any]]
"""A script, or a function that is given a sandbox and an item."""

Answers = List[Tuple[bool, Any]]
"""Of the items of a task: whether it went well, and the result or the exception."""

_BASES = 2  # that a worker process keeps
_AHEAD = 3  # tasks for each worker that are under way, so that none waits
_UNREAD = 16  # times as many may have ended and wait for the one before them
_MOST = 100  # items of a task, unless somebody says more


class Traffic(NamedTuple):
    """What went between a pool and its workers: items, and the bytes that were sent and received."""

    items: int
    sent: int
    received: int


class _Base(NamedTuple):
    """What a worker needs to make forks."""

    address: bytes  # of the store
    identity: str
    ref: str
    tools: Tuple[Dict[str, Any], ...]
    timeout_ns: Optional[int]


class _Task(NamedTuple):
    """What is done with items."""

    base: _Base
    work: Optional[Work]  # None: the items are runs, and go on
    job: Optional[str]


class Pool:
    """Workers of a Ray cluster that fork one base.

    ``base``: a Sandbox, which is saved, or NAMESPACE@COMMIT of a state in the store. ``store``: a
    Store, or what makes one, that all workers reach: a directory on a disk they share,
    ``postgresql://…``, ``redis://…``, ``s3://…``. ``workers``: how many tasks there are at a time; by
    default all CPUs of the cluster have one. ``tools``, ``timeout``: of a base that is not a Sandbox.
    ``seed``: each fork draws its random numbers from the next number from there on; None draws one.
    ``retries``: how often the items of a worker that died are given to another. ``options`` are those
    of ``ray.remote``. Ray is started, on this machine alone, unless it runs.

    The result of an item is what the function returns, or the CommandResult of the script; where a
    script waits for a tool that nobody there answers (None, or it raised Suspend), it is the suspended
    Run. Sandboxes and runs may be part of items and results; they come into memory when they are used.
    """

    def __init__(
        self,
        base: Union[Sandbox, str],
        *,
        store: Any,
        workers: Optional[int] = None,
        tools: Any = None,
        timeout: Optional[float] = DEFAULT_TIMEOUT,
        seed: Optional[int] = None,
        retries: int = 3,
        **options: Any,
    ) -> None:
        if workers is not None and workers < 1:
            raise ValueError(f"a pool of {workers} workers")
        self.store, self._own = store_of(store)
        if not self.store.backend.shared:
            raise ValueError(f"{self.store!r}: workers are other processes, and need a store that they reach, too")
        self._made: Optional[str] = None  # the namespace of the base, which ends with the pool
        self._seeds = itertools.count(secrets.randbits(62) if seed is None else seed)
        self._workers = workers
        self._retries = retries
        self._lock = threading.Lock()
        self._traffic = Traffic(0, 0, 0)
        if isinstance(base, Sandbox):
            if tools is not None or timeout is not DEFAULT_TIMEOUT:
                raise TypeError("a Sandbox has tools and a timeout of its own: tools= and timeout= go with NAMESPACE@COMMIT")
            self._made = f"ray-{secrets.token_hex(12)}"
            ref = f"{self._made}@{self.store.save(base, self._made)}"
            known, timeout_ns = base._tools, base._timeout_ns
        else:
            ref, known, timeout_ns = base, registry(tools), nanoseconds(timeout)
        self._references = References(self.store, ref, known)
        if isinstance(base, Sandbox) and base._place is None:
            self._references.hold(ref, base.fork())
        self._base = _Base(address(self.store), self.store.identity, ref, tuple(map(_described, known.values())), timeout_ns)
        if not ray.is_initialized():
            ray.init(include_dashboard=False, log_to_driver=False, logging_level="error")
        self._remote = ray.remote(_do).options(max_retries=retries, **options)

    def map(self, work: Work, items: Iterable[Any], *, job: Optional[str] = None, chunk: Optional[int] = None) -> Iterator[Any]:
        """The results of all items, in their order, each made in a fork of its own.

        ``work``: a function ``(sandbox, item)``, or a script that has the item as ``$ITEM``, or the
        variables of an item that is a mapping. What an item raised is raised in its place, and the
        iterator goes on behind it. ``chunk``: how many items go to a worker at a time; by default what
        keeps all of them busy, one with a ``job``.

        ``job`` is a name under which each item keeps its progress in the store: a script before each of
        its tool calls and at each ``checkpoint``, a function when it calls ``sandbox.save_state()``.
        When a worker dies, its items go on from there on another: a call that was answered is not made
        again, the one that was pending is made with the same ``call_id``, and a function is called again
        with the sandbox as it was saved. So do the items of a driver that died, with the same job and
        items in another pool. ``forget`` ends a job.

        Raises ray.exceptions.WorkerCrashedError for an item whose workers died more than ``retries`` times.
        """
        return self._map(work, items, job, chunk)

    def drive(self, runs: Iterable[Run], *, job: Optional[str] = None) -> Iterator[Any]:
        """Suspended runs go on on workers; gives each one's CommandResult, or the Run where it waits again.

        A run keeps its id and those of its calls. ``job`` as for ``map``.
        """
        return self._map(None, runs, job, 1)

    def submit(self, work: Work, item: Any = None, *, job: Optional[str] = None) -> concurrent.futures.Future[Any]:
        """The result of one item, as a Future."""
        answer: concurrent.futures.Future[Any] = concurrent.futures.Future()
        answer.set_running_or_notify_cancel()

        def done(sent: concurrent.futures.Future[bytes]) -> None:
            try:
                [(ok, value)] = self._answers(sent.result())
            except BaseException as failed:
                ok, value = False, failed
            if ok:
                answer.set_result(value)
            else:
                answer.set_exception(value)

        self._send(self._task(work, job), [(0, item)]).future().add_done_callback(done)
        return answer

    def actor(self, namespace: Optional[str] = None, **options: Any) -> Actor:
        """A process that holds a sandbox: a fork of the base, or what ``namespace`` of the store has.

        ``options`` are those of a Ray actor. Without a namespace it has one that ends with it.
        """
        return Actor(self, namespace, options)

    def forget(self, job: str) -> int:
        """Forget the progress of a job; gives of how many items there was some."""
        return sum(self.store.delete(name) for name in self.store.namespaces() if name.startswith(f"{job}/"))

    @property
    def traffic(self) -> Traffic:
        """What went to workers and came back so far, without the base, which each loads from the store."""
        return self._traffic

    def close(self) -> None:
        """End the pool: what it saved for itself goes, jobs stay. Twice is fine; Ray runs on.

        What came back and was not used yet is what differs from a base: use it before, unless the
        pool was given the base as a Sandbox.
        """
        made, self._made = self._made, None
        if made is not None:
            self.store.delete(made)
        if self._own:
            self.store.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Pool {self._base.ref[:40]} in {self.store!r}>"

    # How it is done.

    def _map(self, work: Optional[Work], items: Iterable[Any], job: Optional[str], chunk: Optional[int]) -> Iterator[Any]:
        if chunk is not None and chunk < 1:
            raise ValueError(f"map: chunks of {chunk}")
        cpus = int(ray.cluster_resources().get("CPU", 1))
        if chunk is None:
            size = len(items) if isinstance(items, Sequence) and job is None else 1
            chunk = min(max(size // (4 * (self._workers or cpus)), 1), _MOST)
        window = self._workers or max(cpus, 1) * _AHEAD
        return _Results(self, self._task(work, job), _chunks(items, chunk), window)

    def _task(self, work: Optional[Work], job: Optional[str]) -> Any:
        packed = ray.cloudpickle.dumps(_Task(self._base, work, job))
        self._count(0, len(packed), 0)
        return ray.put(packed)

    def _send(self, task: Any, chunk: List[Tuple[int, Any]]) -> Any:
        """Give numbered items to a worker; the answer is Ray's reference to what comes back."""
        with self._lock:
            seeds = list(itertools.islice(self._seeds, len(chunk)))
        with self._references.entered():
            packed = ray.cloudpickle.dumps([(number, seed, item) for seed, (number, item) in zip(seeds, chunk)])
        self._count(len(chunk), len(packed), 0)
        return self._remote.remote(task, packed)

    def _answers(self, packed: bytes) -> Answers:
        self._count(0, 0, len(packed))
        with self._references.entered():
            answers: Answers = ray.cloudpickle.loads(packed)
        return answers

    def _count(self, items: int, sent: int, received: int) -> None:
        with self._lock:
            before = self._traffic
            self._traffic = Traffic(before.items + items, before.sent + sent, before.received + received)


def _chunks(items: Iterable[Any], size: int) -> Iterator[List[Tuple[int, Any]]]:
    numbered = enumerate(items)
    while True:
        chunk = list(itertools.islice(numbered, size))
        if not chunk:
            return
        yield chunk


class _Results(Iterator[Any]):
    """What ``map`` gives: results in the order of the items, made in any."""

    def __init__(self, pool: Pool, task: Any, chunks: Iterator[List[Tuple[int, Any]]], window: int) -> None:
        self._pool = pool
        self._task = task
        self._chunks = chunks
        self._window = window
        self._order: Deque[Tuple[Any, int]] = collections.deque()  # tasks that are not read yet, and how many items they have
        self._flying: List[Any] = []
        self._ended: Set[Any] = set()
        self._ready: Deque[Tuple[bool, Any]] = collections.deque()
        self._fill()

    def _fill(self) -> None:
        while len(self._flying) < self._window and len(self._order) < self._window * _UNREAD:
            chunk = next(self._chunks, None)
            if chunk is None:
                return
            sent = self._pool._send(self._task, chunk)
            self._order.append((sent, len(chunk)))
            self._flying.append(sent)

    def __next__(self) -> Any:
        while not self._ready:
            if not self._order:
                raise StopIteration
            sent, count = self._order[0]
            while sent not in self._ended:
                done, self._flying = ray.wait(self._flying)
                self._ended.update(done)
                self._fill()
            self._order.popleft()
            self._ended.discard(sent)
            try:
                self._ready.extend(self._pool._answers(ray.get(sent)))
            except Exception as failed:  # its workers died
                self._ready.extend([(False, failed)] * count)
            self._fill()
        ok, value = self._ready.popleft()
        if ok:
            return value
        raise value


class Actor:
    """A sandbox in a worker process, saved before each answer; made by ``Pool.actor``.

    When its process dies, another one has the sandbox as it was saved, and does what was asked of the
    first: no command counts twice, no answered tool call is made again, and the pending one has its
    ``call_id``. Calls come one after another; the methods wait for their answers.
    """

    def __init__(self, pool: Pool, namespace: Optional[str], options: Mapping[str, Any]) -> None:
        self._pool = pool
        self._own = namespace is None
        self.namespace = f"actor-{secrets.token_hex(12)}" if namespace is None else namespace
        remote = ray.remote(_Holder).options(**{"max_restarts": -1, "max_task_retries": pool._retries, **options})
        self.handle = remote.remote(ray.cloudpickle.dumps(pool._base), self.namespace, next(pool._seeds))
        """Ray's own handle."""

    def run(self, command: Union[str, Sequence[str]], **options: Any) -> CommandResult:
        """Run a script; ``options`` are those of ``commands.start``.

        Raises RunSuspended at a tool call that nobody there answers; its ``run`` is a copy to look at,
        and ``resume`` answers.
        """
        result: CommandResult = self._ask("run", (command, options))
        return result

    def resume(self, call_id: str, **answer: Any) -> CommandResult:
        """Answer a tool call of a suspended run, as ``Run.resume`` does, and go on to its end. Raises RunSuspended, too."""
        result: CommandResult = self._ask("resume", (call_id, answer))
        return result

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What ``function(sandbox, *args)`` returns there."""
        return self._ask("call", (function, args))

    def _ask(self, method: str, what: Tuple[Any, ...]) -> Any:
        pool = self._pool
        with pool._references.entered():
            packed = ray.cloudpickle.dumps(what)
        pool._count(1, len(packed), 0)
        [(ok, value)] = pool._answers(ray.get(self.handle.do.remote(secrets.token_hex(8), method, packed)))
        if ok:
            return value
        raise value

    def close(self) -> None:
        """End the process. What it saved stays, if it was given a namespace. Twice is fine."""
        ray.kill(self.handle)
        if self._own:
            self._pool.store.delete(self.namespace)

    def __enter__(self) -> Actor:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Actor {self.namespace}>"


# In a worker.

_held: Dict[Tuple[str, str], References] = {}  # what the process has loaded, the last used behind


def _references(base: _Base) -> References:
    """The base, loaded once in this process."""
    key = base.identity, base.ref
    found = _held.pop(key, None)
    if found is None:
        while len(_held) >= _BASES:
            _held.pop(next(iter(_held))).release()
        found = References(store_at(base.address), base.ref, registry([Tool(**described) for described in base.tools]))
        sandbox = found.sandbox(base.ref)
        sandbox._timeout_ns = base.timeout_ns
    _held[key] = found
    return found


def _do(packed_task: bytes, packed: bytes) -> bytes:
    """Work on items; gives their answers."""
    task: _Task = ray.cloudpickle.loads(packed_task)
    references = _references(task.base)
    forks: List[Sandbox] = []
    with references.entered():
        answers: Answers = []
        for number, seed, item in ray.cloudpickle.loads(packed):
            try:
                sandbox = item.sandbox if task.work is None else references.sandbox(task.base.ref).fork(reseed=seed)
                forks.append(sandbox)
                answers.append((True, _one(task, sandbox, number, item)))
            except Exception as failed:
                answers.append((False, _told(failed)))
        given = _packed(answers)
    for sandbox in forks:
        sandbox.close()
    return given


def _one(task: _Task, sandbox: Sandbox, number: int, item: Any) -> Any:
    """The result of one item in its sandbox."""
    home = None
    if task.job is not None:
        sandbox._live()
        sandbox._home = home = Home("session", f"{task.job}/{number}", _references(task.base).store)
        home.load(sandbox._handle)
    if callable(task.work):
        return task.work(sandbox, item)
    run = sandbox.runs.active()
    if run is None and task.work is not None:
        run = sandbox.commands.start(task.work, env=_variables(item))
    if run is None:
        raise RunGoneError("there is no run in what was to be driven")
    return _driven(run, home)


def _variables(item: Any) -> Dict[str, str]:
    """An item as variables of a script."""
    pairs = item.items() if isinstance(item, Mapping) else [] if item is None else [("ITEM", item)]
    return {str(name): value if isinstance(value, str) else str(value) for name, value in pairs}


def _driven(run: Run, home: Optional[Home], note: str = "") -> Any:
    """Drive a run to its end, or to where nobody here can go on: the run then. It is saved before each tool call."""
    if home is None:
        try:
            return run.drive()
        except RunSuspended:
            return run
    declined: Set[str] = set()
    while True:
        event = run.next()
        if isinstance(event, Finished):
            return event.result
        if not isinstance(event, (Checkpoint, ToolCall)):
            return run
        home.save(run.sandbox._live(), note=note)
        if isinstance(event, ToolCall):
            if event.call_id in declined:
                return run
            try:
                if not run._answers(event.name):
                    raise Suspend()
                event.call()
            except Suspend:
                declined.add(event.call_id)


def _packed(answers: Answers) -> bytes:
    """Answers as bytes; what cannot travel is an error of its item."""
    try:
        return bytes(ray.cloudpickle.dumps(answers))
    except Exception:
        return bytes(ray.cloudpickle.dumps([_travels(answer) for answer in answers]))


def _travels(answer: Tuple[bool, Any]) -> Tuple[bool, Any]:
    try:
        ray.cloudpickle.loads(ray.cloudpickle.dumps(answer))
        return answer
    except Exception as failed:
        kind = "result" if answer[0] else "exception"
        return False, TypeError(f"the {kind} of an item does not pickle ({failed}): {answer[1]!r:.200}")


def _told(failed: Exception) -> Exception:
    """An exception with where it comes from, as far as that travels."""
    if hasattr(failed, "add_note"):
        failed.add_note("".join(traceback.format_exception(failed)))
    return failed


def _described(tool: Tool) -> Dict[str, Any]:
    """A tool as Ray moves it: functions that have no importable name, too."""
    return {name: getattr(tool, name) for name in Tool.__slots__}


class _Holder:
    """What an Actor is in its process.

    Each call has a token, which is in the notes of what it saves: ``during`` it, where a run waits for
    a tool, and ``after`` it. So a call that is made again, because the process before this one died,
    goes on from there; where that one had done it all, and only its answer was lost, it is done again
    from the state before.
    """

    def __init__(self, packed: bytes, namespace: str, seed: int) -> None:
        base: _Base = ray.cloudpickle.loads(packed)
        self._references = _references(base)
        self._sandbox = self._references.sandbox(base.ref).fork(reseed=seed)
        self._home = Home("session", namespace, self._references.store)
        if not self._home.load(self._sandbox._live()):
            self._home.save(self._sandbox._live())  # what the first call begins with
        self._sandbox._home = self._home
        self._first = True

    def do(self, token: str, method: str, packed: bytes) -> bytes:
        """One call; gives its answer."""
        with self._references.entered():
            again = self._first and self._under_way(token)
            self._first = False
            note = f"during {token}"
            try:
                value = getattr(self, f"_{method}")(again, note, *ray.cloudpickle.loads(packed))
                answer = True, value
            except Exception as failed:
                answer = False, _told(failed)
            self._home.save(self._sandbox._live(), note=f"after {token}", if_changed=True)
            return _packed([answer])

    def _under_way(self, token: str) -> bool:
        """Whether the process before this one had begun with a call, and saved that."""
        store, ref = self._home.store, self._home.ref
        last = store.log(self._home.namespace, limit=1)[0]
        if last.note == f"after {token}":
            assert ref is not None
            store.read(ref, commit=last.parents[0], sandbox=self._sandbox._live())
            last = store.log(self._home.namespace, limit=2)[1]
        return last.note == f"during {token}"

    def _run(self, again: bool, note: str, command: Any, options: Dict[str, Any]) -> CommandResult:
        run = self._sandbox.runs.active() if again else None
        return self._ended(run or self._sandbox.commands.start(command, **options), note)

    def _resume(self, again: bool, note: str, call_id: str, answer: Dict[str, Any]) -> CommandResult:
        run = self._sandbox.runs.active()
        if run is None:
            raise RunGoneError(f"no run waits for an answer to {call_id}", path=call_id)
        if not again:
            run.resume(call_id, **answer)
        return self._ended(run, note)

    def _ended(self, run: Run, note: str) -> CommandResult:
        result = _driven(run, self._home, note)
        if isinstance(result, Run):
            waiting = ", ".join(f"{call.name} ({call.call_id})" for call in result.pending())
            raise RunSuspended(f"the run {run.id} is suspended: {waiting or 'it waits'}", run=result, path=run.id)
        finished: CommandResult = result
        return finished

    def _call(self, again: bool, note: str, function: Callable[..., Any], args: Tuple[Any, ...]) -> Any:
        return function(self._sandbox, *args)
