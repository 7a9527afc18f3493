"""Bytes in a dict: for tests, and for hosts that keep a mapping of their own."""

from __future__ import annotations

import time
from typing import Any, Dict, Iterator, MutableMapping, Optional, Tuple

from ._base import Attempt, Base, ForkLock

_lock = ForkLock()  # one for all: two backends may be given the same dict


class DictBackend(Base):
    """A mapping from keys (str) to bytes, which is changed in place.

    Keeps nothing by itself: what the mapping keeps is kept. Ages count from the moment
    that this object put the value; what was there before it is as old as the object.

    >>> kept = {}
    >>> backend = DictBackend(kept)
    >>> backend.put("refs/a/main", b"1"), backend.cas("refs/a/main", b"1", b"2"), kept
    (None, True, {'refs/a/main': b'2'})
    """

    shared = False
    _failures = (Exception,)  # the mapping may be anything

    def __init__(self, mapping: Optional[MutableMapping[str, bytes]] = None) -> None:
        super().__init__()
        self.mapping: MutableMapping[str, bytes] = {} if mapping is None else mapping
        self._made = time.monotonic()
        self._times: Dict[str, float] = {}

    def _get(self, key: str) -> bytes:
        return self.mapping[key]

    def _put(self, key: str, data: memoryview) -> None:
        with _lock:
            self._set(key, bytes(data))

    def _delete(self, key: str) -> None:
        with _lock:
            self._set(key, None)

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        with _lock:
            if self.mapping.get(key) != old:
                return False
            self._set(key, new)
        return True

    def _set(self, key: str, data: Optional[bytes]) -> None:
        if data is None:
            self.mapping.pop(key, None)
            self._times.pop(key, None)
        else:
            self.mapping[key] = data
            self._times[key] = time.monotonic()

    def _walk(self, prefix: str) -> Iterator[str]:
        with _lock:
            keys = [key for key in self.mapping if key.startswith(prefix)]
        return iter(keys)

    def _stat(self, key: str) -> Tuple[int, float]:
        with _lock:
            return len(self.mapping[key]), time.monotonic() - self._times.get(key, self._made)

    def __reduce__(self) -> Tuple[Any, ...]:
        raise TypeError("a store in a dict is of this process alone: what is pickled cannot refer to it")

    def _name(self) -> str:
        return f"a {type(self.mapping).__name__}"
