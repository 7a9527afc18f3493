"""The file system as a directory backend sees it: every operation that changes something is one method here.

So a test can put another layer under it: one that fails at a chosen operation, or that
loses and reorders what was not synced.
"""

from __future__ import annotations

import fcntl
import os
import stat
import sys
from typing import Iterator, Optional, Set, Tuple

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600

_held: Set[int] = set()  # descriptors of locks that are held


def _forget_locks() -> None:
    # A lock belongs to all who inherited its descriptor: a child would keep it after its parent's death.
    for descriptor in list(_held):
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget_locks)


class FileLayer:
    """Operations on files by absolute path. All raise OSError."""

    def __init__(self, sync: bool = True) -> None:
        self.sync = sync

    # --- changes ---

    def mkdir(self, path: str) -> None:
        """Make one directory that is the owner's alone."""
        os.mkdir(path, PRIVATE_FOLDER)

    def create(self, path: str, data: memoryview) -> None:
        """Make a file that was not there, with this content, on the disk when it returns."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            while data.nbytes:
                data = data[self.write(descriptor, data) :]
            self.fsync(descriptor, path)
        finally:
            os.close(descriptor)

    def write(self, descriptor: int, data: memoryview) -> int:
        """Write some of the data; gives how many bytes."""
        return os.write(descriptor, data)

    def fsync(self, descriptor: int, path: str) -> None:
        """Wait until an open file or directory is on the disk; ``path`` is its name."""
        if not self.sync:
            return
        if sys.platform == "darwin":  # where fsync leaves it to the disk when to write
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        else:
            os.fsync(descriptor)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, in place of what had it."""
        os.rename(old, new)

    def unlink(self, path: str) -> None:
        """Remove a file."""
        os.unlink(path)

    def sync_folder(self, path: str) -> None:
        """Wait until the names in a directory are on the disk."""
        if not self.sync:
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.fsync(descriptor, path)
        finally:
            os.close(descriptor)

    def touch(self, path: str) -> float:
        """Stamp a file with the file system's time, which is given; nothing depends on it being kept."""
        os.utime(path)
        return os.stat(path).st_mtime

    # --- looking ---

    def read(self, path: str, start: int = 0, length: Optional[int] = None) -> bytes:
        """The content of a file, or ``length`` bytes from ``start``: of one version, whatever happens to the name meanwhile."""
        with open(path, "rb", buffering=0) as file:
            if length is None:
                return file.readall()
            length = max(0, min(length, os.fstat(file.fileno()).st_size - start))
            pieces = []
            while length:
                piece = os.pread(file.fileno(), length, start)
                if not piece:
                    break
                pieces.append(piece)
                start, length = start + len(piece), length - len(piece)
            return b"".join(pieces)

    def stat(self, path: str) -> Tuple[int, float]:
        """(bytes, time of the last change in the file system's seconds)."""
        info = os.stat(path)
        return info.st_size, info.st_mtime

    def kind(self, path: str) -> Optional[str]:
        """What is there: "folder", "file" (all that is no folder), or None."""
        try:
            return "folder" if stat.S_ISDIR(os.stat(path).st_mode) else "file"
        except (FileNotFoundError, NotADirectoryError):
            return None

    def scan(self, path: str) -> Iterator[Tuple[str, bool]]:
        """(name, whether it is a directory) of everything in a directory."""
        with os.scandir(path) as entries:
            for entry in entries:
                yield entry.name, entry.is_dir(follow_symlinks=False)

    # --- locks ---

    def lock(self, path: str) -> Optional[int]:
        """Take the lock of a file, made where it is not there; None when somebody else has it.

        The kernel frees it when its owner dies.
        """
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        _held.add(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException as error:
            _held.discard(descriptor)
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                return None
            raise
        return descriptor

    def unlock(self, descriptor: int) -> None:
        """Give a lock back, whoever inherited its descriptor."""
        if descriptor not in _held:
            return  # a child, forked while it was held
        _held.discard(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        finally:
            os.close(descriptor)
