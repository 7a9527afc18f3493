"""What a place for bytes must do: the ``Backend`` protocol, its keys, its limits and its errors."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, Iterator, Optional, Protocol, Tuple, Union, runtime_checkable

from .._errors import PersistenceError

KEY_LIMIT = 512  # characters
VALUE_LIMIT = 1 << 30  # bytes: 1 GiB
SWAP_LIMIT = 1 << 20  # bytes: what is compared and swapped is small

Data = Union[bytes, bytearray, memoryview]

_ALPHABET = "[a-z0-9%._/-]"
_KEY = re.compile(r"[a-z0-9%_-][a-z0-9%._-]*(?:/[a-z0-9%_-][a-z0-9%._-]*)*")
_PREFIX = re.compile(_ALPHABET + "*")


@runtime_checkable
class Backend(Protocol):
    """A place where bytes live under names. Any object with these four methods is one.

    Keys are texts of ``[a-z0-9%._/-]``, at most 512 characters, '/' between non-empty
    parts of which none begins with a dot; no key is a folder of another (``a`` beside
    ``a/b``). They are exact. Values are 0 bytes to 1 GiB. All methods may be called
    from several threads at the same time.

    The methods may also be ``async def``: they then run on an event loop of their own.

    More methods are used where they exist, with these shapes, and replaced where they
    do not (``eryxsh.backends.open``):

    * ``cas(key, old, new) -> bool``: compare and swap, atomically; None stands for absent;
    * ``get_range(key, start, length) -> bytes``: like ``get(key)[start:start + length]``;
    * ``get_many(keys) -> dict``, ``put_many(mapping)``, ``delete_many(keys)``;
    * ``stat(key) -> (size in bytes, age in seconds)``, by the clock of the place itself;
    * ``close()``.
    """

    def get(self, key: str) -> bytes:
        """The value. Raises KeyError when there is none."""

    def put(self, key: str, data: bytes) -> None:
        """Make or replace a value: whole or not at all, and durable on return."""

    def list(self, prefix: str = "") -> Iterator[str]:
        """The keys that begin with ``prefix``, in any order, without loading values."""

    def delete(self, key: str) -> None:
        """Remove a value. Nothing happens when there is none."""


class FullBackend(Protocol):
    """What ``eryxsh.backends.open`` gives: a ``Backend`` with every optional method."""

    @property
    def shared(self) -> bool:
        """Whether ``cas`` holds against other processes too, so that several may write at the same time."""

    def get(self, key: str) -> bytes:
        """The value. Raises KeyError when there is none."""

    def put(self, key: str, data: Data) -> None:
        """Make or replace a value: whole or not at all, and durable on return."""

    def list(self, prefix: str = "") -> Iterator[str]:
        """The keys that begin with ``prefix``, in any order, without loading values."""

    def delete(self, key: str) -> None:
        """Remove a value. Nothing happens when there is none."""

    def cas(self, key: str, old: Optional[bytes], new: Optional[bytes]) -> bool:
        """Compare and swap: when the value is ``old`` (None: absent), make it ``new`` (None: delete it). Says whether it did."""

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """``get(key)[start:start + length]``: shorter, or empty, past the end."""

    def get_many(self, keys: Iterable[str]) -> Dict[str, bytes]:
        """The values of those keys that exist."""

    def put_many(self, items: Any) -> None:
        """Put each (key, value) of a mapping or of pairs: each whole, in no order; all are durable on return."""

    def delete_many(self, keys: Iterable[str]) -> None:
        """Delete each of these keys."""

    def stat(self, key: str) -> Tuple[int, float]:
        """(size in bytes, age in seconds). Raises KeyError when there is none."""

    def close(self) -> None:
        """Give back connections and files. Twice is fine."""


class BackendError(PersistenceError):
    """A place for bytes failed; what was there before is still there, whole.

    ``.key`` is the key it was about (or None), ``.backend`` names the place, ``.cause`` is
    the exception of the system below (an OSError for "disk full", the driver's own for a
    database), or None. It is ``__cause__`` too.
    """

    def __init__(
        self, message: str = "", *, key: Optional[str] = None, backend: Optional[str] = None, cause: Optional[BaseException] = None
    ) -> None:
        super().__init__(message, path=key)
        self.key = key
        self.backend = backend
        self.cause = cause


class BackendUnavailableError(BackendError):
    """The place did not answer, again and again: a server that is down, a lock that is held. Later may work."""


class SwapUnknownError(BackendUnavailableError):
    """The connection was lost during a ``cas``, and whether the swap was made is not known: read the value again."""


class BackendClosedError(BackendError, ValueError):
    """The backend was closed. A ``ValueError``, as for a closed file."""


class DecryptionError(BackendError):
    """A value was encrypted under a key that is not here, or is not what was written."""


class MissingExtraError(PersistenceError, ImportError):
    """The Python package that this kind of store needs is not installed; the message has the command."""


def check_key(key: str) -> str:
    """The key itself. Raises ValueError for one that is not allowed.

    >>> check_key("refs/my%20work/main")
    'refs/my%20work/main'
    """
    if not isinstance(key, str) or len(key) > KEY_LIMIT or not _KEY.fullmatch(key):
        raise ValueError(f"not a key: {_short(key)}: at most {KEY_LIMIT} of {_ALPHABET}, parts not empty and not beginning with a dot")
    return key


def check_prefix(prefix: str) -> str:
    """The prefix itself: any beginning of a key. Raises ValueError for another."""
    if not isinstance(prefix, str) or len(prefix) > KEY_LIMIT or not _PREFIX.fullmatch(prefix):
        raise ValueError(f"not the beginning of a key: {_short(prefix)}: at most {KEY_LIMIT} of {_ALPHABET}")
    return prefix


def check_value(data: Data, limit: int = VALUE_LIMIT) -> memoryview:
    """The bytes of a value. Raises TypeError for what is not bytes, ValueError for too many."""
    view = memoryview(data).cast("B")
    if view.nbytes > limit:
        raise ValueError(f"a value of {view.nbytes} bytes: at most {limit} here")
    return view


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:60] + "…"


for _error in (BackendError, BackendUnavailableError, SwapUnknownError, BackendClosedError, DecryptionError, MissingExtraError):
    _error.__module__ = "eryxsh.backends"  # as users import them
