"""What all kinds share: checks of keys and values, typed errors, bounded retries, and the optional methods where a system has none."""

from __future__ import annotations

import os
import random
import threading
import time
import uuid
from functools import partial
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Tuple, Type, TypeVar

from .._errors import PersistenceError
from ._protocol import (
    SWAP_LIMIT,
    BackendClosedError,
    BackendError,
    BackendUnavailableError,
    Data,
    SwapUnknownError,
    check_key,
    check_prefix,
    check_value,
)

T = TypeVar("T")
PAGE = 1000  # keys of a listing that come in one round trip


class Attempt:
    """What tells one ``cas`` from all others, through all its tries: the answer of one that was made may have been lost."""

    def __init__(self) -> None:
        self.id = uuid.uuid4()
        self.sent = False  # whether a try may have reached the server


class Base:
    """A backend from a few operations of one system.

    A kind writes ``_get``, ``_put``, ``_delete``, ``_page`` or ``_walk``, and ``_swap``;
    it overrides ``_get_range``, ``_get_many``, ``_put_many``, ``_delete_many``, ``_stat``
    where its system does better than what stands here. Keys and values are checked before
    them, and their exceptions become BackendError after them. The operations may be tried
    more than once: they are written so that a second time does no harm.
    """

    shared = True
    _failures: Tuple[Type[BaseException], ...] = (OSError,)  # what the system raises
    _retry_seconds = 0.0  # how long a failure that may pass is tried again

    def __init__(self) -> None:
        self._closed = False

    # --- the protocol ---

    def get(self, key: str) -> bytes:
        """The value. Raises KeyError when there is none."""
        check_key(key)
        return self._call("get", key, lambda: self._get(key))

    def put(self, key: str, data: Data) -> None:
        """Make or replace a value: whole or not at all, and durable on return."""
        check_key(key)
        view = check_value(data)
        self._call("put", key, lambda: self._put(key, view))

    def list(self, prefix: str = "") -> Iterator[str]:
        """The keys that begin with ``prefix``, in any order, without loading values.

        What is put or deleted meanwhile may or may not be among them; what is there all
        the time comes exactly once.
        """
        check_prefix(prefix)
        self._check_open()
        return self._listed(prefix)

    def delete(self, key: str) -> None:
        """Remove a value. Nothing happens when there is none."""
        check_key(key)
        self._call("delete", key, lambda: self._delete(key))

    def cas(self, key: str, old: Optional[Data], new: Optional[Data]) -> bool:
        """Compare and swap, atomically: when the value is ``old``, make it ``new``; None is absent. Says whether it did.

        Both are at most 1 MiB.
        """
        check_key(key)
        before = None if old is None else bytes(check_value(old, SWAP_LIMIT))
        after = None if new is None else bytes(check_value(new, SWAP_LIMIT))
        attempt = Attempt()
        try:
            return self._call("cas", key, lambda: self._swap(key, before, after, attempt))
        except BackendUnavailableError as error:
            if attempt.sent and not isinstance(error, SwapUnknownError):
                raise self._unknown(key, error.cause) from error.cause
            raise

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """``get(key)[start:start + length]``: shorter, or empty, past the end. Raises KeyError when there is no value."""
        check_key(key)
        if start < 0 or length < 0:
            raise ValueError(f"start {start} and length {length} are not negative")
        return self._call("get_range", key, lambda: self._get_range(key, start, length))

    def get_many(self, keys: Iterable[str]) -> Dict[str, bytes]:
        """The values of those keys that exist."""
        wanted = [check_key(key) for key in keys]
        return self._call("get_many", _some(wanted), lambda: self._get_many(wanted))

    def put_many(self, items: Any) -> None:
        """Put each (key, value) of a mapping or of pairs: each whole, in no order; all are durable on return.

        When it raises, some may have been put.
        """
        pairs = items.items() if isinstance(items, Mapping) else items
        views = {check_key(key): check_value(data) for key, data in pairs}
        self._call("put_many", _some(list(views)), lambda: self._put_many(views))

    def delete_many(self, keys: Iterable[str]) -> None:
        """Delete each of these keys."""
        unwanted = [check_key(key) for key in keys]
        self._call("delete_many", _some(unwanted), lambda: self._delete_many(unwanted))

    def stat(self, key: str) -> Tuple[int, float]:
        """(size in bytes, seconds since it was put), by the clock of the place. Raises KeyError when there is none."""
        check_key(key)
        size, age = self._call("stat", key, lambda: self._stat(key))
        return size, max(0.0, age)

    def close(self) -> None:
        """Give back connections and files. Twice is fine; any other use afterwards raises BackendClosedError."""
        if not self._closed:
            self._closed = True
            self._close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name()!r})"

    # --- what a kind writes ---

    def _get(self, key: str) -> bytes:
        raise NotImplementedError

    def _put(self, key: str, data: memoryview) -> None:
        raise NotImplementedError

    def _delete(self, key: str) -> None:
        raise NotImplementedError

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        raise NotImplementedError

    def _page(self, prefix: str, after: str) -> List[str]:
        """The next keys of a listing, in the order of characters: those past ``after``; none at the end."""
        raise NotImplementedError

    def _walk(self, prefix: str) -> Iterator[str]:
        """A whole listing. By pages, so that a server that goes away between two is asked again for one."""
        last = ""
        while page := self._call("list", None, partial(self._page, prefix, last)):
            yield from page
            last = page[-1]

    def _stat(self, key: str) -> Tuple[int, float]:
        raise NotImplementedError

    def _get_range(self, key: str, start: int, length: int) -> bytes:
        return self._get(key)[start : start + length]

    def _get_many(self, keys: List[str]) -> Dict[str, bytes]:
        found = {}
        for key in keys:
            try:
                found[key] = self._get(key)
            except KeyError:
                continue
        return found

    def _put_many(self, items: Dict[str, memoryview]) -> None:
        for key, data in items.items():
            self._put(key, data)

    def _delete_many(self, keys: List[str]) -> None:
        for key in keys:
            self._delete(key)

    def _close(self) -> None:
        pass

    def _name(self) -> str:
        """The place, for messages: without passwords."""
        return type(self).__name__

    def _transient(self, error: BaseException) -> bool:
        """Whether the same may work in a moment: the connection was lost, the server is starting."""
        return False

    # --- errors and retries ---

    def _check_open(self) -> None:
        if self._closed:
            raise BackendClosedError(f"{self._name()}: closed", backend=self._name())

    def _call(self, op: str, key: Optional[str], work: Callable[[], T]) -> T:
        self._check_open()
        waits = pauses(self._retry_seconds)
        while True:
            try:
                return work()
            except (KeyError, PersistenceError):
                raise
            except self._failures as error:
                passing = self._transient(error)
                pause = next(waits, None) if passing else None
                if pause is None:
                    self._fail(op, key, error, passing)
            time.sleep(pause)

    def _fail(self, op: str, key: Optional[str], error: BaseException, passing: bool) -> NoReturn:
        cls = BackendUnavailableError if passing else BackendError
        about = f"{op} {key}" if key else op
        text = str(error).strip() or type(error).__name__
        raise cls(f"{self._name()}: {about}: {text}", key=key, backend=self._name(), cause=error) from error

    def _unknown(self, key: str, cause: Optional[BaseException] = None) -> SwapUnknownError:
        """For a ``cas`` whose answer was lost, when nothing tells any more what became of it."""
        text = f"{self._name()}: cas {key}: the connection was lost: whether the swap was made is not known"
        return SwapUnknownError(text, key=key, backend=self._name(), cause=cause)

    def _listed(self, prefix: str) -> Iterator[str]:
        try:
            yield from self._walk(prefix)
        except PersistenceError:
            raise
        except self._failures as error:
            self._fail("list", None, error, self._transient(error))


def pauses(seconds: float, first: float = 0.02, most: float = 1.0) -> Iterator[float]:
    """Waits between tries, in seconds: doubling, with jitter, until ``seconds`` have gone by."""
    end = time.monotonic() + seconds
    pause = first
    while (left := end - time.monotonic()) > 0:
        yield min(left, pause * random.uniform(0.5, 1.0))
        pause = min(most, pause * 2)


def _some(keys: List[str]) -> Optional[str]:
    return keys[0] if len(keys) == 1 else None


class ForkLock:
    """A lock between threads that is free in a forked child, whoever held it in the parent."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()

    def _here(self) -> threading.Lock:
        if self._pid != os.getpid():
            self._pid, self._lock = os.getpid(), threading.Lock()
        return self._lock

    def __enter__(self) -> None:
        self._here().acquire()

    def __exit__(self, *_: object) -> None:
        self._here().release()
