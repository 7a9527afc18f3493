"""Connections that are used by one thread at a time, and by no child of the process that made them."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import Callable, Generic, Iterator, List, Tuple, TypeVar

from ._base import ForkLock

C = TypeVar("C")
_abandoned: List[object] = []  # what a parent process opened: neither used nor closed here


class Pool(Generic[C]):
    """As many connections as there are threads at work at the same time; those that are free are used again."""

    def __init__(self, connect: Callable[[], C], close: Callable[[C], None]) -> None:
        self._connect = connect
        self._close = close
        self._lock = ForkLock()
        self._pid = os.getpid()
        self._free: List[C] = []
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[C]:
        """A connection for this thread. After an exception it is closed: nobody knows what state it is in."""
        connection = self._take()
        pid = os.getpid()
        try:
            yield connection
        except BaseException:
            if pid == os.getpid():
                self._close(connection)
            raise
        self._give(connection, pid)

    def _take(self) -> C:
        with self._lock:
            self._check_fork()
            if self._free:
                return self._free.pop()
        return self._connect()

    def _give(self, connection: C, pid: int) -> None:
        with self._lock:
            self._check_fork()
            if pid == os.getpid() and not self._closed:
                self._free.append(connection)
                return
        if pid == os.getpid():
            self._close(connection)

    def _check_fork(self) -> None:
        if self._pid != os.getpid():
            _abandoned.append(self._free)
            self._pid, self._free = os.getpid(), []

    def close(self) -> None:
        """Close those that are free; one that is at work is closed when it is done."""
        with self._lock:
            self._check_fork()
            self._closed = True
            connections, self._free = self._free, []
        for connection in connections:
            self._close(connection)


def pieces(data: memoryview, size: int) -> Iterator[Tuple[int, memoryview]]:
    """(number, part) of a large value, each part of at most ``size`` bytes."""
    for number, start in enumerate(range(0, data.nbytes, size)):
        yield number, data[start : start + size]
