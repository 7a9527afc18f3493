"""Open files: real Python file objects over the files of a sandbox.

The raw object knows the path and a position; ``io`` puts its buffers and text
layers on top. The file is found by its path at every operation.
"""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any, Optional

from . import _wire
from ._errors import os_error

if TYPE_CHECKING:
    from ._sandbox import Sandbox

_EISDIR = 21
_BUFFER = 64 << 10


class RawFile(io.RawIOBase):
    """An unbuffered file of a sandbox."""

    def __init__(self, sandbox: Sandbox, path: str, mode: str) -> None:
        super().__init__()
        self._sandbox = sandbox
        self.name = path
        self.mode = mode
        self._position = 0
        self._readable = "r" in mode or "+" in mode
        self._writable = "r" not in mode or "+" in mode
        self._appending = "a" in mode
        handle = sandbox._live()
        if "x" in mode:
            _wire.files_write(handle, path, b"", exclusive=True)
        elif "w" in mode:
            _wire.files_write(handle, path, b"")
        elif "a" in mode:
            _wire.files_append(handle, path, b"")
            self._position = self._size()
        elif _wire.files_stat(handle, path)["type"] == "dir":
            raise os_error(_EISDIR, "Is a directory", path)

    def _size(self) -> int:
        return _wire.files_stat(self._sandbox._live(), self.name)["size"]

    def _check(self, allowed: bool, what: str) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")
        if not allowed:
            raise io.UnsupportedOperation(what)

    def readable(self) -> bool:
        """Whether the mode allows reading."""
        return self._readable

    def writable(self) -> bool:
        """Whether the mode allows writing."""
        return self._writable

    def seekable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from the position; 0 at the end."""
        self._check(self._readable, "not readable")
        view = memoryview(buffer).cast("B")
        data = _wire.files_read_range(self._sandbox._live(), self.name, self._position, len(view))
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def readall(self) -> bytes:
        """Everything from the position."""
        self._check(self._readable, "not readable")
        data = _wire.files_read_range(self._sandbox._live(), self.name, self._position, max(self._size() - self._position, 0))
        self._position += len(data)
        return data

    def write(self, data: Any) -> int:
        """Write all of it at the position (at the end in append mode)."""
        self._check(self._writable, "not writable")
        content = bytes(data)
        handle = self._sandbox._live()
        if self._appending:
            _wire.files_append(handle, self.name, content)
            self._position = self._size()
        else:
            _wire.files_write_at(handle, self.name, content, self._position)
            self._position += len(content)
        return len(content)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position; behind the end is fine."""
        self._check(True, "")
        if whence not in (io.SEEK_SET, io.SEEK_CUR, io.SEEK_END):
            raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
        start = 0 if whence == io.SEEK_SET else self._position if whence == io.SEEK_CUR else self._size()
        if start + offset < 0:
            raise ValueError(f"negative seek position {start + offset}")
        self._position = start + offset
        return self._position

    def tell(self) -> int:
        """The position."""
        self._check(True, "")
        return self._position

    def truncate(self, size: Optional[int] = None) -> int:
        """Set the size, by default to the position; a longer file ends in a hole."""
        self._check(self._writable, "not writable")
        size = self._position if size is None else size
        _wire.files_truncate(self._sandbox._live(), self.name, size)
        return size

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.RawFile name={self.name!r} mode={self.mode!r}>"


def open_file(
    sandbox: Sandbox, path: str, mode: str, buffering: int, encoding: Optional[str], errors: Optional[str], newline: Optional[str]
) -> IO[Any]:
    """What ``open`` gives for these arguments, over a file of the sandbox."""
    letters = set(mode)
    if letters - set("rwaxbt+") or len(letters) != len(mode) or len(letters & set("rwax")) != 1 or {"b", "t"} <= letters:
        raise ValueError(f"invalid mode: {mode!r}")
    binary = "b" in letters
    if binary and (encoding is not None or errors is not None or newline is not None):
        raise ValueError("binary mode doesn't take an encoding, errors or newline argument")
    if buffering == 0 and not binary:
        raise ValueError("can't have unbuffered text I/O")
    if buffering == 1 and binary:
        buffering = -1
    raw = RawFile(sandbox, path, mode.replace("b", "").replace("t", ""))
    if buffering == 0:
        return raw  # type: ignore[return-value]  # typeshed's RawIOBase is no IO
    size = _BUFFER if buffering in (-1, 1) else buffering
    buffered: Any
    if "+" in letters:
        buffered = io.BufferedRandom(raw, size)
    elif "r" in letters:
        buffered = io.BufferedReader(raw, size)
    else:
        buffered = io.BufferedWriter(raw, size)
    if binary:
        return buffered  # type: ignore[no-any-return]
    text = io.TextIOWrapper(buffered, encoding or "utf-8", errors, newline, line_buffering=buffering == 1)
    text.mode = mode  # type: ignore[misc]  # as open() sets it
    return text
