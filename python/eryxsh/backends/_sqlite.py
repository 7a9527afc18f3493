"""Bytes in an SQLite file, by the standard library.

``sqlite:///file.db`` is a file in the current directory, ``sqlite:////srv/file.db`` one with an
absolute path. The file is in WAL mode with ``synchronous=FULL``: what was put outlives a
power cut. Any number of processes of one machine may use it; SQLite's locks do not hold on
network file systems. On a full disk even ``delete`` needs room for the journal: make some first.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union
from urllib.parse import unquote

from ._base import PAGE, Attempt, Base, pauses
from ._pool import Pool, pieces
from ._protocol import BackendError

_INLINE = 1 << 20  # bytes of a value that are kept in its row; the rest is in pieces of this size
_VERSION = 1
_APPLICATION = 0x65727978  # "eryx"

_SCHEMA = f"""
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    size INTEGER NOT NULL,
    changed REAL NOT NULL,  -- seconds since 1970
    value BLOB              -- NULL: in pieces
);
CREATE UNIQUE INDEX entries_key ON entries (key);
CREATE TABLE pieces (entry INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX pieces_entry ON pieces (entry, number);
CREATE TRIGGER entries_deleted AFTER DELETE ON entries WHEN old.value IS NULL
    BEGIN DELETE FROM pieces WHERE entry = old.id; END;
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
"""


class SQLiteBackend(Base):
    """An SQLite file, made (mode 0600) where it is not there.

    ``place`` is a path or a ``sqlite:///`` URL; ``timeout`` is how many seconds to wait
    for other writers. Raises BackendError for a file that is something else.
    """

    _failures = (sqlite3.Error, OSError)

    def __init__(self, place: Union[str, os.PathLike[str]], *, timeout: float = 30.0) -> None:
        super().__init__()
        self.path = os.path.abspath(_path(place))
        self._retry_seconds = self._timeout = timeout
        self._file: Optional[Tuple[int, int]] = None
        self._pool: Pool[sqlite3.Connection] = Pool(self._connect, sqlite3.Connection.close)
        self._call("open", None, self._prepare)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (self.path, self._timeout)

    def _name(self) -> str:
        return self.path

    def _transient(self, error: BaseException) -> bool:
        return isinstance(error, sqlite3.OperationalError) and any(word in str(error) for word in ("is locked", "table is locked", "busy"))

    # --- connections and transactions ---

    def _prepare(self) -> None:
        os.makedirs(os.path.dirname(self.path), 0o700, exist_ok=True)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        with self._pool.connection() as connection:
            # this pragma does not wait for others
            waits = pauses(self._timeout)
            while True:
                try:
                    connection.execute("PRAGMA journal_mode=WAL")
                    break
                except sqlite3.OperationalError as error:
                    if not self._transient(error) or (pause := next(waits, None)) is None:
                        raise
                    time.sleep(pause)
            with _transaction(connection):
                self._make_tables(connection)
        self._file = self._identity()

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if (application, version) == (_APPLICATION, _VERSION):
            return
        if application or version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise BackendError(f"{self.path}: an SQLite file of something else, or of another version", backend=self.path)
        for statement in _statements(_SCHEMA):
            connection.execute(statement)

    def _connect(self) -> sqlite3.Connection:
        if self._file is not None and self._file != self._identity():
            raise BackendError(f"{self.path}: the file is gone, or another is in its place", backend=self.path)
        connection = sqlite3.connect(self.path, timeout=self._timeout, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA secure_delete=FAST")  # some systems' SQLite writes zeros over all that is deleted
            connection.execute(f"PRAGMA journal_size_limit={64 << 20}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _identity(self) -> Tuple[int, int]:
        info = os.stat(self.path)
        return info.st_dev, info.st_ino

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection to the file that has the name: SQLite itself would go on with one that was removed."""
        if self._file != self._identity():
            raise BackendError(f"{self.path}: another file is in its place", backend=self.path)
        with self._pool.connection() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._connection() as connection, _transaction(connection):
            yield connection

    # --- reading ---

    def _get(self, key: str) -> bytes:
        with self._connection() as connection:
            row = connection.execute("SELECT value FROM entries WHERE key = ?", (key,)).fetchone()
            if row is not None and row[0] is None:
                return self._joined(connection, key, 0, None)
        if row is None:
            raise KeyError(key)
        return bytes(row[0])

    def _get_range(self, key: str, start: int, length: int) -> bytes:
        with self._connection() as connection:
            row = connection.execute(
                "SELECT value IS NULL, substr(value, ?, ?) FROM entries WHERE key = ?", (start + 1, length, key)
            ).fetchone()
            if row is not None and row[0]:
                return self._joined(connection, key, start, length)
        if row is None:
            raise KeyError(key)
        return bytes(row[1] or b"")

    def _joined(self, connection: sqlite3.Connection, key: str, start: int, length: Optional[int]) -> bytes:
        """Bytes of a value in pieces, of one moment."""
        with _transaction(connection, "DEFERRED"):
            row = connection.execute("SELECT id, size, value FROM entries WHERE key = ?", (key,)).fetchone()
            if row is None:
                raise KeyError(key)
            entry, size, value = row
            end = size if length is None else min(size, start + length)
            if value is not None:
                return bytes(value[start:end])
            if start >= end:
                return b""
            first = start // _INLINE
            found = connection.execute(
                "SELECT data FROM pieces WHERE entry = ? AND number BETWEEN ? AND ? ORDER BY number", (entry, first, (end - 1) // _INLINE)
            )
            joined = b"".join([data for (data,) in found])
            return joined if length is None else joined[start - first * _INLINE : end - first * _INLINE]

    def _stat(self, key: str) -> Tuple[int, float]:
        with self._connection() as connection:
            row = connection.execute("SELECT size, changed FROM entries WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return row[0], time.time() - row[1]

    def _page(self, prefix: str, after: str) -> List[str]:
        with self._connection() as connection:
            rows = connection.execute(
                # one lower bound: SQLite seeks to the first it sees, and passes over the rest one by one
                f"SELECT key FROM entries WHERE key {'>' if after >= prefix else '>='} ? AND key < ? ORDER BY key LIMIT ?",
                (max(after, prefix), prefix + "\x7f", PAGE),
            )
            return [key for (key,) in rows]

    def _get_many(self, keys: List[str]) -> Dict[str, bytes]:
        found = {}
        with self._connection() as connection:
            for some in range(0, len(keys), 500):
                part = keys[some : some + 500]
                marks = ",".join("?" * len(part))
                for key, value in connection.execute(f"SELECT key, value FROM entries WHERE key IN ({marks})", part):
                    found[key] = value
        for key in [key for key, value in found.items() if value is None]:
            found.pop(key)
            found.update(super()._get_many([key]))
        return found

    # --- writing ---

    def _put(self, key: str, data: memoryview) -> None:
        with self._writing() as connection:
            _set(connection, key, data)

    def _put_many(self, items: Dict[str, memoryview]) -> None:
        with self._writing() as connection:
            for key, data in items.items():
                _set(connection, key, data)

    def _delete(self, key: str) -> None:
        self._delete_many([key])

    def _delete_many(self, keys: List[str]) -> None:
        with self._writing() as connection:
            connection.executemany("DELETE FROM entries WHERE key = ?", [(key,) for key in keys])

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        with self._writing() as connection:
            row = connection.execute("SELECT value FROM entries WHERE key = ?", (key,)).fetchone()
            if (row is None) != (old is None) or (row is not None and row[0] != old):
                return False
            if new is not None:
                _set(connection, key, memoryview(new))
            else:
                connection.execute("DELETE FROM entries WHERE key = ?", (key,))
        return True

    def _close(self) -> None:
        self._pool.close()


def _set(connection: sqlite3.Connection, key: str, data: memoryview) -> None:
    connection.execute("DELETE FROM entries WHERE key = ?", (key,))
    inline = None if data.nbytes > _INLINE else data if data.nbytes else b""  # an empty buffer may be taken for NULL
    entry = connection.execute(
        "INSERT INTO entries (key, size, changed, value) VALUES (?, ?, ?, ?)", (key, data.nbytes, time.time(), inline)
    ).lastrowid
    if inline is None:
        connection.executemany(
            "INSERT INTO pieces (entry, number, data) VALUES (?, ?, ?)", ((entry, number, piece) for number, piece in pieces(data, _INLINE))
        )


@contextmanager
def _transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: ``executescript`` would commit before it."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _path(place: Union[str, os.PathLike[str]]) -> str:
    text = os.fspath(place)
    scheme, separator, rest = text.partition("://")
    if not separator:
        path = text
    elif scheme.lower() == "sqlite" and rest.startswith("/") and len(rest) > 1 and "?" not in rest:
        path = unquote(rest[1:])
    else:
        raise ValueError(f"{text}: not an SQLite file: sqlite:///file.db in this directory, or sqlite:////an/absolute/path.db")
    if path == ":memory:":
        raise ValueError(f"{text}: a database in memory is for one connection alone: use a dict")
    return path


def _again(path: str, timeout: float) -> SQLiteBackend:
    return SQLiteBackend(path, timeout=timeout)
