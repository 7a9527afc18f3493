"""Any object with the four methods, plain or ``async``, as a full backend."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
from typing import Any, AsyncIterator, Awaitable, Dict, Iterator, List, Optional, Tuple

from ._base import PAGE, Attempt, Base, ForkLock
from ._protocol import BackendError

_REQUIRED = ("get", "put", "list", "delete")
_abandoned: List[Any] = []  # loops of a parent process: theirs to close


def is_backend(candidate: Any) -> bool:
    """Whether an object has the four methods."""
    return all(callable(getattr(candidate, name, None)) for name in _REQUIRED)


class Loop:
    """An event loop on a thread of its own, started when it is needed, and again after a fork."""

    def __init__(self) -> None:
        self._lock = ForkLock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._pid = 0

    def run(self, awaitable: Awaitable[Any]) -> Any:
        """The result of an awaitable."""

        async def awaited() -> Any:
            return await awaitable

        future = asyncio.run_coroutine_threadsafe(awaited(), self._started())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is not None and self._pid != os.getpid():
                _abandoned.append(self._loop)
                self._loop = None
            if self._loop is None:
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                threading.Thread(target=_served, args=(self._loop,), name="eryxsh-backend", daemon=True).start()
            return self._loop

    def close(self) -> None:
        """Stop the loop; its thread ends soon after."""
        with self._lock:
            if self._loop is not None and self._pid == os.getpid():
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._loop = None


def _served(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


class Adapter(Base):
    """A full backend from any object with ``get``, ``put``, ``list`` and ``delete``, each of them plain or ``async``.

    What it has of the optional methods is used. Without ``cas``, swaps are atomic between
    the threads of this process alone, and ``shared`` is False. Without ``stat`` nobody
    knows an age: ``stat`` raises BackendError.
    """

    _failures = (Exception,)

    def __init__(self, backend: Any) -> None:
        super().__init__()
        missing = [name for name in _REQUIRED if not callable(getattr(backend, name, None))]
        if missing:
            raise TypeError(f"not a backend: a {type(backend).__name__} has no method {', '.join(missing)}")
        self.backend = backend
        self.shared = hasattr(backend, "cas")
        self._loop = Loop()
        self._lock = ForkLock()

    def __reduce__(self) -> Tuple[Any, ...]:
        return Adapter, (self.backend,)

    def _name(self) -> str:
        return f"a {type(self.backend).__name__}"

    def _ask(self, name: str, *arguments: Any) -> Any:
        answer = getattr(self.backend, name)(*arguments)
        return self._loop.run(answer) if inspect.isawaitable(answer) else answer

    def _bytes(self, name: str, key: str, *arguments: Any) -> bytes:
        answer = self._ask(name, key, *arguments)
        if not isinstance(answer, (bytes, bytearray, memoryview)):
            raise TypeError(f"{name} gave a {type(answer).__name__}, not bytes; what is absent is a KeyError")
        return bytes(answer)

    def _get(self, key: str) -> bytes:
        return self._bytes("get", key)

    def _put(self, key: str, data: memoryview) -> None:
        with self._lock if not self.shared else _unlocked:
            self._ask("put", key, bytes(data))

    def _delete(self, key: str) -> None:
        with self._lock if not self.shared else _unlocked:
            self._ask("delete", key)

    def _walk(self, prefix: str) -> Iterator[str]:
        keys = self._ask("list", prefix)
        if hasattr(keys, "__aiter__"):
            yield from self._pulled(keys.__aiter__())
        else:
            yield from keys

    def _pulled(self, keys: AsyncIterator[str]) -> Iterator[str]:
        async def some() -> List[str]:
            page: List[str] = []
            async for key in keys:
                page.append(key)
                if len(page) == PAGE:
                    break
            return page

        while page := self._loop.run(some()):
            yield from page

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        if self.shared:
            return bool(self._ask("cas", key, old, new))
        with self._lock:
            try:
                now: Optional[bytes] = self._get(key)
            except KeyError:
                now = None
            if now != old:
                return False
            if new is not None:
                self._ask("put", key, new)
            elif now is not None:
                self._ask("delete", key)
        return True

    def _get_range(self, key: str, start: int, length: int) -> bytes:
        if hasattr(self.backend, "get_range"):
            return self._bytes("get_range", key, start, length)
        return super()._get_range(key, start, length)

    def _get_many(self, keys: List[str]) -> Dict[str, bytes]:
        if hasattr(self.backend, "get_many"):
            return dict(self._ask("get_many", keys))
        return super()._get_many(keys)

    def _put_many(self, items: Dict[str, memoryview]) -> None:
        if hasattr(self.backend, "put_many"):
            self._ask("put_many", {key: bytes(data) for key, data in items.items()})
        else:
            super()._put_many(items)

    def _delete_many(self, keys: List[str]) -> None:
        if hasattr(self.backend, "delete_many"):
            self._ask("delete_many", keys)
        else:
            super()._delete_many(keys)

    def _stat(self, key: str) -> Tuple[int, float]:
        if not hasattr(self.backend, "stat"):
            raise BackendError(f"{self._name()}: it has no method stat, so nobody knows how old a value is", key=key, backend=self._name())
        size, age = self._ask("stat", key)
        return int(size), float(age)

    def _close(self) -> None:
        if hasattr(self.backend, "close"):
            self._ask("close")
        self._loop.close()


class _Unlocked:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


_unlocked = _Unlocked()
