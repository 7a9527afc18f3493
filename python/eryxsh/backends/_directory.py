"""Bytes in files: one file for each key, in a directory.

A value is written to a file of its own in ``.eryxsh/tmp``, synced, renamed to its place,
and the directory synced: it is there whole or not at all, and once ``put`` has returned it
outlives a power cut. What changes a name holds one of 64 lock files in ``.eryxsh/locks``
(``flock``: the kernel frees the lock of a process that dies), so several processes, on
several machines where the file system has locks between machines (NFS 4), may write.

A key is its file's path; a part longer than 200 characters is a folder ``first 200+`` and
in it ``+the rest`` ('+' is in no key). The directory can be copied while nobody writes, with
``cp -a`` or ``rsync -a``, and ``aws s3 sync`` makes an ``s3://`` store of it.
"""

from __future__ import annotations

import errno
import os
import secrets
import time
import zlib
from contextlib import contextmanager, suppress
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple, Union

from ._base import Attempt, Base, ForkLock, pauses
from ._files import FileLayer
from ._protocol import BackendError, BackendUnavailableError, MissingExtraError, check_key

_OWN = ".eryxsh"  # no key begins with a dot
_MARK = b"eryxsh directory 1\n"
_STRIPES = 64
_PART = 200  # characters of a key's part in one file name
_LEFTOVER_SECONDS = 3600.0  # what a writer that died left behind is removed after this
_LOCK_SECONDS = 30.0
_CLOCK_SECONDS = 60.0  # how long the file system's clock is believed


def default_directory() -> str:
    """The user's data directory of this system, e.g. ``~/.local/share/eryxsh``, by ``platformdirs``."""
    try:
        from platformdirs import user_data_dir
    except ImportError as error:
        raise MissingExtraError(
            "the default store is in the user's data directory, which platformdirs knows: pip install 'eryxsh[store]', "
            "or say where: store='/a/directory'"
        ) from error
    folder: str = user_data_dir("eryxsh", appauthor=False)
    return folder


class DirectoryBackend(Base):
    """A directory, made (mode 0700) where it is not there; files are 0600.

    ``path`` None is the user's data directory. ``fsync=False`` waits for no disk: for
    tests, and for what may be lost with the machine. A directory that has something else
    in it is refused, and one that vanishes (an unmounted disk) is an error for every
    operation: never an empty store. Raises BackendError.
    """

    def __init__(
        self,
        path: Union[str, os.PathLike[str], None] = None,
        *,
        fsync: bool = True,
        lock_timeout: float = _LOCK_SECONDS,
        layer: Optional[FileLayer] = None,
    ) -> None:
        super().__init__()
        self.path = os.path.abspath(os.fspath(default_directory() if path is None else path))
        self._sync = fsync
        self._lock_seconds = lock_timeout
        self._files: FileLayer = FileLayer(fsync) if layer is None else layer
        self._settled: Set[str] = set()  # folders whose own names are known to be on the disk
        self._clock: Tuple[float, float] = (0.0, float("-inf"))  # the file system's time less ours, and when that was asked
        self._clock_lock = ForkLock()
        self._call("open", None, self._prepare)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (self.path, self._sync, self._lock_seconds)

    def _name(self) -> str:
        return self.path

    # --- the directory itself ---

    def _inside(self, *names: str) -> str:
        return os.path.join(self.path, _OWN, *names)

    def _prepare(self) -> None:
        if not self._marked():
            self._make_folder(self.path)
            other = [n for n, _ in self._files.scan(self.path) if not n.startswith(".") and n != "lost+found"]
            if other:
                raise BackendError(
                    f"{self.path}: not a store, and not empty (it has {sorted(other)[0]!r}): name an empty or a new directory",
                    backend=self._name(),
                )
            self._make_own()
            self._replace(self._inside("format"), memoryview(_MARK))
        else:
            with suppress(OSError):  # what may not be written to can be read
                self._make_own()  # git, and some archives, leave empty folders out
        self._sweep(_LEFTOVER_SECONDS)

    def _make_own(self) -> None:
        for folder in (self._inside(), self._inside("tmp"), self._inside("locks")):
            self._make_folder(folder)

    def _marked(self) -> bool:
        try:
            found = self._files.read(self._inside("format"))
        except FileNotFoundError:
            return False
        if found != _MARK:
            raise BackendError(f"{self.path}: a directory of another version: {found[:40]!r}", backend=self._name())
        return True

    def _make_folder(self, path: str) -> None:
        """Make a folder and those above it; its name is on the disk when this returns."""
        missing = []
        while self._files.kind(path) != "folder":
            missing.append(path)
            path = os.path.dirname(path)
        for folder in reversed(missing):
            try:
                self._files.mkdir(folder)
            except FileExistsError:
                if self._files.kind(folder) != "folder":
                    raise
            self._files.sync_folder(os.path.dirname(folder))

    def _check_there(self) -> None:
        """A name that is missing may mean that everything is: a disk was unmounted, the directory removed."""
        if not self._marked():
            raise BackendError(f"{self.path}: the directory is gone, or another is in its place", backend=self._name())

    def sweep(self, seconds: float = _LEFTOVER_SECONDS) -> int:
        """Remove the unfinished files, older than this, of writers that died; gives how many. Done at every opening too."""
        return self._call("sweep", None, lambda: self._sweep(seconds))

    def _sweep(self, seconds: float) -> int:
        removed = 0
        try:
            names = [name for name, _ in self._files.scan(self._inside("tmp"))]
        except FileNotFoundError:
            self._check_there()
            names = []
        for name in names:
            path = self._inside("tmp", name)
            try:
                if self._age(self._files.stat(path)[1]) > seconds:
                    self._files.unlink(path)
                    removed += 1
            except (FileNotFoundError, PermissionError):
                continue  # another was faster, or the file or the store is another user's
        return removed

    # --- keys and paths ---

    def _file(self, key: str) -> str:
        parts = []
        for part in key.split("/"):
            while len(part) > _PART:
                parts.append(part[:_PART] + "+")
                part = "+" + part[_PART:]
            parts.append(part)
        return os.path.join(self.path, *parts)

    def _walk(self, prefix: str) -> Iterator[str]:
        self._check_there()
        top = prefix.rpartition("/")[0]
        if top and not _is_key(top):
            return
        yield from self._below(self._file(top) if top else self.path, top + "/" if top else "", prefix)

    def _below(self, folder: str, before: str, prefix: str) -> Iterator[str]:
        """The keys in a folder, whose own part of them is ``before``."""
        folders = []
        try:
            for name, is_folder in self._files.scan(folder):
                key = _joined(before, name)
                if is_folder:
                    folders.append(name)
                elif key.startswith(prefix) and _is_key(key):
                    yield key
        except (FileNotFoundError, NotADirectoryError):
            self._check_there()
        for name in folders:
            inner = _joined(before, name[:-1] if name.endswith("+") else name + "/")
            if not inner.startswith(".") and (inner.startswith(prefix) or prefix.startswith(inner)):
                yield from self._below(os.path.join(folder, name), inner, prefix)

    # --- reading ---

    def _get(self, key: str) -> bytes:
        try:
            return self._files.read(self._file(key))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            self._check_there()
            raise KeyError(key) from None

    def _get_range(self, key: str, start: int, length: int) -> bytes:
        try:
            return self._files.read(self._file(key), start, length)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            self._check_there()
            raise KeyError(key) from None

    def _stat(self, key: str) -> Tuple[int, float]:
        path = self._file(key)
        try:
            size, changed = self._files.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            self._check_there()
            raise KeyError(key) from None
        if self._files.kind(path) == "folder":
            raise KeyError(key)
        return size, self._age(changed)

    def _age(self, changed: float) -> float:
        return time.time() + self._ahead() - changed

    def _ahead(self) -> float:
        """How far the clock that stamps the files is ahead of this process's: a file server has its own."""
        with self._clock_lock:
            ahead, asked = self._clock
            if time.monotonic() - asked > _CLOCK_SECONDS:
                try:
                    ahead = self._files.touch(self._inside("format")) - time.time()
                except PermissionError:
                    ahead = 0.0  # a store that may only be read
                self._clock = ahead, time.monotonic()
            return ahead

    # --- writing ---

    def _temporary(self) -> str:
        return self._inside("tmp", f"{os.getpid()}-{secrets.token_hex(8)}")

    @contextmanager
    def _written(self, data: memoryview) -> Iterator[str]:
        """A synced file with this content, under a name of its own; removed where it still has it in the end."""
        path = self._temporary()
        try:
            try:
                self._files.create(path, data)
            except FileNotFoundError:
                self._check_there()
                raise
            yield path
        except BaseException:
            with suppress(OSError):  # sweep() does it later; what matters is what happened before
                self._files.unlink(path)
            raise

    def _replace(self, path: str, data: memoryview) -> None:
        with self._written(data) as new:
            self._rename(new, path)
        self._files.sync_folder(os.path.dirname(path))

    def _rename(self, new: str, path: str) -> None:
        self._settle(os.path.dirname(path))
        try:
            self._files.rename(new, path)
        except FileNotFoundError:  # somebody removed folders: once more, or it is all gone
            self._check_there()
            self._settled.clear()
            self._settle(os.path.dirname(path))
            self._files.rename(new, path)

    def _settle(self, folder: str) -> None:
        """Make a folder where it is not there.

        If it is, another process may have made it and not yet synced its name: that is done here too, once.
        """
        if folder in self._settled or not folder.startswith(self.path + os.sep):
            return
        above = os.path.dirname(folder)
        self._settle(above)
        try:
            self._files.mkdir(folder)
        except FileExistsError:
            if self._files.kind(folder) != "folder":
                raise NotADirectoryError(errno.ENOTDIR, "a key is a folder of another key", folder) from None
        except FileNotFoundError:
            self._check_there()
            raise
        self._files.sync_folder(above)
        self._settled.add(folder)

    @contextmanager
    def _locked(self, key: str) -> Iterator[None]:
        """Nobody else changes what name ``key`` has, in any process."""
        path = self._inside("locks", f"{zlib.crc32(key.encode()) % _STRIPES:02x}")
        try:
            held = self._files.lock(path)
            waits = pauses(self._lock_seconds, first=0.0002, most=0.003)
            while held is None:
                pause = next(waits, None)
                if pause is None:
                    raise BackendUnavailableError(
                        f"{self.path}: {key}: another process has held the lock for {self._lock_seconds:g} s", key=key, backend=self._name()
                    )
                time.sleep(pause)
                held = self._files.lock(path)
        except FileNotFoundError:
            self._check_there()
            raise
        try:
            yield
        finally:
            self._files.unlock(held)

    def _put(self, key: str, data: memoryview) -> None:
        path = self._file(key)
        with self._written(data) as new, self._locked(key):
            self._rename(new, path)
        self._files.sync_folder(os.path.dirname(path))

    def _put_many(self, items: Dict[str, memoryview]) -> None:
        folders = set()
        for key, data in items.items():
            path = self._file(key)
            with self._written(data) as new, self._locked(key):
                self._rename(new, path)
            folders.add(os.path.dirname(path))
        for folder in folders:
            self._files.sync_folder(folder)

    def _delete(self, key: str) -> None:
        if self._remove(key):
            self._files.sync_folder(os.path.dirname(self._file(key)))

    def _delete_many(self, keys: List[str]) -> None:
        for folder in {os.path.dirname(self._file(key)) for key in keys if self._remove(key)}:
            self._files.sync_folder(folder)

    def _remove(self, key: str) -> bool:
        with self._locked(key):
            path = self._file(key)
            try:
                self._files.unlink(path)
            except OSError:
                if self._files.kind(path) == "file":
                    raise
                self._check_there()
                return False
        return True

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        path = self._file(key)
        with self._locked(key):
            try:
                now: Optional[bytes] = self._get(key)
            except KeyError:
                now = None
            if now != old:
                return False
            if new is not None:
                with self._written(memoryview(new)) as written:
                    self._rename(written, path)
            elif now is not None:
                self._files.unlink(path)
            else:
                return True
        self._files.sync_folder(os.path.dirname(path))
        return True


def _is_key(text: str) -> bool:
    try:
        check_key(text)
    except ValueError:
        return False
    return True


def _joined(before: str, name: str) -> str:
    """What a name adds to the key; '+' begins it exactly when it goes on with a part."""
    if not before or before.endswith("/"):
        return before + name
    return before + name[1:] if name.startswith("+") else f"{before}+{name}"  # the latter is not ours, and no key


def _again(path: str, fsync: bool, lock_timeout: float) -> DirectoryBackend:
    return DirectoryBackend(path, fsync=fsync, lock_timeout=lock_timeout)
