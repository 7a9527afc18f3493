"""Bytes in any file system that ``fsspec`` has: ``gs://``, ``abfs://``, ``sftp://``, ``memory://`` and others (S3 is in _s3.py).

An object store makes a value visible whole by itself; in other file systems it is written
beside its place and renamed. What outlives a power cut is what that system says.

Swaps: ``memory://`` is in this process alone. Where a file can be made only if there is none
(Google, Azure, SFTP, files), a swap holds a lock object in ``.eryxsh/locks`` with its owner's
name. The lock of a process of this machine that died is taken over at once, one that has not
changed for ``lock_seconds`` too; taking over reads, compares and removes in three requests, so
two that take over the same lock within milliseconds may both go on. ``put`` and ``delete`` take
no lock: what is swapped is changed by ``cas`` alone. Elsewhere swaps hold between the threads of
this process, and ``shared`` is False.
"""

from __future__ import annotations

import datetime
import errno
import json
import os
import secrets
import socket
import sys
import time
import zlib
from contextlib import contextmanager, suppress
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ._base import Attempt, Base, ForkLock, pauses
from ._protocol import BackendError, BackendUnavailableError, MissingExtraError, check_key

try:
    import fsspec
    import fsspec.asyn
except ImportError as _error:
    raise MissingExtraError("this kind of store needs fsspec: pip install 'eryxsh[fsspec]', for S3 'eryxsh[s3]'") from _error

_WHOLE = {"memory", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss", "s3", "s3a"}  # a value appears at once, or not
_EXCLUSIVE = {"gs": "pipe", "gcs": "pipe", "abfs": "pipe", "abfss": "pipe", "az": "pipe", "adl": "pipe"}  # how a file is made that is new
_EXCLUSIVE.update({"file": "open", "local": "open", "sftp": "open", "ssh": "open"})
_STRIPES = 64
_TIMES = ("LastModified", "last_modified", "updated", "modified", "mtime", "created")
_PASSING = (errno.EBUSY, getattr(errno, "EREMOTEIO", errno.EIO), errno.ECONNRESET, errno.EPIPE)
_memory = ForkLock()  # for swaps in file systems of this process


class FsspecBackend(Base):
    """A folder of a file system that ``fsspec`` opens.

    ``options`` are the file system's own (``token=``, ``endpoint_url=`` …). ``retry`` is for how many seconds
    what may pass is tried again, ``lock_seconds`` after how long the lock of another machine is taken over.
    """

    _failures = (Exception,)  # every file system has its own

    def __init__(self, url: str, *, retry: float = 20.0, lock_seconds: float = 30.0, **options: Any) -> None:
        super().__init__()
        self._url = url
        self._options = options
        self._retry = self._retry_seconds = retry
        self._lock_seconds = lock_seconds
        self._pid = os.getpid()
        self._protocol = url.partition("://")[0].lower()
        self._system, root = self._call("open", None, self._open)
        self._root = root.rstrip("/")
        self.shared = self._protocol in _EXCLUSIVE
        self._swap_lock = ForkLock()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (type(self), self._url, self._retry, self._lock_seconds, self._options)

    def _name(self) -> str:
        head, at, tail = self._url.partition("://")
        return head + at + tail.rpartition("@")[2]

    def _open(self) -> Tuple[Any, str]:
        # an instance of our own: its settings are nobody else's, and it works after a fork
        try:
            cls = fsspec.get_filesystem_class(self._protocol)
        except ImportError as error:
            extra = "'eryxsh[s3]'" if self._protocol in ("s3", "s3a") else "what fsspec asks for"
            raise MissingExtraError(f"{self._name()}: {error}: pip install {extra}") from error
        options = {**cls._get_kwargs_from_urls(self._url), **self._options}
        return cls(skip_instance_cache=True, use_listings_cache=False, **options), cls._strip_protocol(self._url)

    @property
    def _fs(self) -> Any:
        if self._pid != os.getpid():
            self._system, self._pid = self._open()[0], os.getpid()
        return self._system

    def _path(self, key: str) -> str:
        return f"{self._root}/{key}"

    def _transient(self, error: BaseException) -> bool:
        if isinstance(error, (ConnectionError, TimeoutError)) or (isinstance(error, OSError) and error.errno in _PASSING):
            return True
        network = sys.modules.get("aiohttp")
        return network is not None and isinstance(error, network.ClientConnectionError)

    # --- reading ---

    def _get(self, key: str) -> bytes:
        try:
            return bytes(self._fs.cat_file(self._path(key)))
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise KeyError(key) from None

    def _get_range(self, key: str, start: int, length: int) -> bytes:
        size = self._info(key)["size"]
        if start >= size or not length:
            return b""
        try:
            return bytes(self._fs.cat_file(self._path(key), start=start, end=min(size, start + length)))
        except FileNotFoundError:
            raise KeyError(key) from None

    def _get_many(self, keys: List[str]) -> Dict[str, bytes]:
        paths = {self._fs._strip_protocol(self._path(key)): key for key in keys}
        found = self._fs.cat(list(paths), on_error="return") if paths else {}
        values = {}
        for path, value in found.items():
            if isinstance(value, FileNotFoundError):
                continue
            if isinstance(value, BaseException):
                raise value
            values[paths[path]] = bytes(value)
        return values

    def _info(self, key: str) -> Dict[str, Any]:
        try:
            info: Dict[str, Any] = self._fs.info(self._path(key))
        except (FileNotFoundError, NotADirectoryError):
            raise KeyError(key) from None
        if info.get("type") == "directory":
            raise KeyError(key)
        return info

    def _stat(self, key: str) -> Tuple[int, float]:
        info = self._info(key)
        for name in _TIMES:
            if info.get(name) is not None:
                return info["size"], time.time() - _seconds(info[name])
        raise BackendError(f"{self._name()}: {key}: this file system does not say how old a file is", key=key, backend=self._name())

    def _walk(self, prefix: str) -> Iterator[str]:
        top = prefix.rpartition("/")[0]
        yield from self._below(f"{top}/" if top else "", prefix)

    def _below(self, before: str, prefix: str) -> Iterator[str]:
        """The keys in a folder, whose own part of them is ``before``."""
        folder = f"{self._root}/{before}".rstrip("/")
        self._fs.invalidate_cache(folder)
        try:
            entries = self._fs.ls(folder or "/", detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return
        for entry in entries:
            key = before + entry["name"].rstrip("/").rpartition("/")[2]
            inner = key + "/"
            if entry["type"] == "directory":
                if not inner.startswith(".") and (inner.startswith(prefix) or prefix.startswith(inner)):
                    yield from self._below(inner, prefix)
            elif key.startswith(prefix) and _is_key(key):
                yield key

    # --- writing ---

    def _put(self, key: str, data: memoryview) -> None:
        self._write(self._path(key), bytes(data))

    def _write(self, path: str, data: bytes) -> None:
        if self._protocol in _WHOLE:
            self._fs.pipe_file(path, data)
            return
        new = f"{self._root}/.eryxsh/tmp/{secrets.token_hex(16)}"
        self._fs.makedirs(new.rpartition("/")[0], exist_ok=True)
        try:
            self._fs.pipe_file(new, data)
            self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
            self._fs.mv(new, path)
        except BaseException:
            with suppress(Exception):
                self._fs.rm_file(new)
            raise

    def _delete(self, key: str) -> None:
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            self._fs.rm_file(self._path(key))

    # --- compare and swap, under a lock ---

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        with self._locked(key) as check:
            try:
                now: Optional[bytes] = self._get(key)
            except KeyError:
                now = None
            if attempt.sent and now == new:
                return True  # by an earlier try, whose answer was lost: nobody else had the lock between
            if now != old:
                return False
            check()
            attempt.sent = True
            if new is not None:
                self._write(self._path(key), new)
            elif now is not None:
                self._delete(key)
        return True

    @contextmanager
    def _locked(self, key: str) -> Iterator[Any]:
        """Nobody else swaps ``key``. Gives a function that raises when the lock may have been lost."""
        if self._protocol not in _EXCLUSIVE:
            with _memory if self._protocol == "memory" else self._swap_lock:
                yield lambda: None
            return
        path = f"{self._root}/.eryxsh/locks/{zlib.crc32(key.encode()) % _STRIPES:02x}"
        mine = json.dumps({"owner": secrets.token_hex(16), "host": _host(), "pid": os.getpid()}).encode()
        self._take(key, path, mine)
        taken = time.monotonic()

        def check() -> None:
            if time.monotonic() - taken > self._lock_seconds / 2 or self._owner(path) != mine:
                raise BackendUnavailableError(
                    f"{self._name()}: {key}: the lock was lost: nothing was changed", key=key, backend=self._name()
                )

        try:
            yield check
        finally:
            if self._owner(path) == mine:
                with suppress(FileNotFoundError):
                    self._fs.rm_file(path)

    def _take(self, key: str, path: str, mine: bytes) -> None:
        seen: Tuple[Optional[bytes], float] = (None, 0.0)
        for pause in pauses(2 * self._lock_seconds, first=0.002, most=0.05):
            if self._make(path, mine):
                return
            owner = self._owner(path)
            if owner is None:
                continue
            if owner != seen[0]:
                seen = owner, time.monotonic()
            if _dead(owner) or time.monotonic() - seen[1] > self._lock_seconds:
                if self._owner(path) == owner:
                    with suppress(FileNotFoundError):
                        self._fs.rm_file(path)
                continue
            time.sleep(pause)
        raise BackendUnavailableError(f"{self._name()}: {key}: others hold the lock", key=key, backend=self._name())

    def _make(self, path: str, data: bytes) -> bool:
        """Make a file that was not there; says whether."""
        try:
            if _EXCLUSIVE[self._protocol] == "pipe":
                self._fs.pipe_file(path, data, mode="create")
            else:
                self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
                with self._fs.open(path, "xb") as file:
                    file.write(data)
        except FileExistsError:
            return False
        return True

    def _owner(self, path: str) -> Optional[bytes]:
        try:
            return bytes(self._fs.cat_file(path))
        except FileNotFoundError:
            return None


def _host() -> str:
    """This machine, and the space of its process numbers that we see."""
    place = [socket.gethostname()]
    with suppress(OSError):
        place.append(os.readlink("/proc/self/ns/pid"))
    with suppress(OSError), open("/proc/sys/kernel/random/boot_id") as file:
        place.append(file.read().strip())
    return " ".join(place)


def _dead(owner: bytes) -> bool:
    """Whether the owner of a lock was a process here that is no more."""
    try:
        fields = json.loads(owner)
        if fields["host"] != _host():
            return False
        os.kill(fields["pid"], 0)
    except ProcessLookupError:
        return True
    except (ValueError, KeyError, TypeError, OSError):
        pass
    return False


def _seconds(moment: Any) -> float:
    """Seconds since 1970 of what a file system calls a time."""
    if isinstance(moment, str):
        moment = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    if isinstance(moment, datetime.datetime):
        return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)).timestamp()
    return float(moment)


def _is_key(text: str) -> bool:
    try:
        check_key(text)
    except ValueError:
        return False
    return True


def _again(cls: Any, url: str, retry: float, lock_seconds: float, options: Dict[str, Any]) -> Any:
    return cls(url, retry=retry, lock_seconds=lock_seconds, **options)
