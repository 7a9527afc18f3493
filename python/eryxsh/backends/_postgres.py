"""Bytes in PostgreSQL, by ``psycopg`` 3: one table, and another for the pieces of large values.

``postgresql://user:password@host/database`` or any other connection string of libpq. The
two tables, ``eryxsh`` and ``eryxsh_pieces``, are made where they are not there. A lost
connection is made again, and what was under way is tried again, for ``retry`` seconds.
"""

from __future__ import annotations

import re
import uuid
from typing import Any, Dict, List, Optional, Tuple

from ._base import PAGE, Attempt, Base
from ._pool import Pool, pieces
from ._protocol import MissingExtraError

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg.sql import SQL, Composed, Identifier
except ImportError as _error:
    raise MissingExtraError("a store in PostgreSQL needs psycopg: pip install 'eryxsh[postgres]'") from _error

_PIECE = 8 << 20  # bytes: values up to here are in their row, larger ones in rows of this size

_SCHEMA = """
CREATE TABLE IF NOT EXISTS {entries} (
    key text COLLATE "C" PRIMARY KEY,
    size bigint NOT NULL,
    changed timestamptz NOT NULL DEFAULT clock_timestamp(),
    value bytea,      -- NULL: in pieces
    body uuid,        -- which pieces
    before uuid,      -- the pieces of the value before, until they are removed
    swap uuid         -- which swap wrote this, for one whose answer was lost
);
ALTER TABLE {entries} ALTER COLUMN value SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS {pieces} (body uuid NOT NULL, number integer NOT NULL, data bytea NOT NULL, PRIMARY KEY (body, number));
ALTER TABLE {pieces} ALTER COLUMN data SET STORAGE EXTERNAL
"""

_PUT = """
INSERT INTO {entries} AS old (key, size, value, body) VALUES (%s, %s, %s, %s)
ON CONFLICT (key) DO UPDATE SET size = excluded.size, value = excluded.value, body = excluded.body,
    changed = clock_timestamp(), swap = NULL, before = coalesce(old.body, old.before)
RETURNING before
"""

_TRANSIENT_STATES = ("08", "40", "53300", "57P")  # connection, rolled back, too many connections, shutting down or starting


class PostgresBackend(Base):
    """Tables in a PostgreSQL database.

    ``url`` is a ``postgresql://`` URL or another connection string of libpq; ``table``
    names the table, in the schema that comes first in the search path. ``retry`` is for
    how many seconds a lost connection is tried again, ``timeout`` how many seconds the
    server may take for one statement. Raises BackendError when the database is not there.
    """

    _failures = (psycopg.Error, OSError)

    def __init__(self, url: str, *, table: str = "eryxsh", retry: float = 20.0, timeout: float = 120.0) -> None:
        super().__init__()
        self._url = url
        self._table = table
        self._retry = retry
        self._timeout = timeout
        try:
            given: Dict[str, Any] = conninfo_to_dict(url)
        except psycopg.Error:
            raise ValueError(f"not a connection string of PostgreSQL: {url.rpartition('@')[2]}") from None  # not with the password
        if not re.fullmatch("[a-z_][a-z0-9_]{0,47}", table):
            raise ValueError(f"not the name of a table: {table!r}: letters, digits and '_', at most 48")
        self._place = make_conninfo(**{key: value for key, value in given.items() if key in ("host", "port", "dbname", "user")})
        defaults: Dict[str, Any] = {"connect_timeout": 10, "keepalives_idle": 30, "tcp_user_timeout": 60_000, "application_name": "eryxsh"}
        self._conninfo = make_conninfo(**{**defaults, **given})
        self._names = {"entries": Identifier(table), "pieces": Identifier(table + "_pieces")}
        self._pool: Pool[psycopg.Connection[Any]] = Pool(self._connect, _close)
        self._call("open", None, self._prepare)
        self._retry_seconds = retry  # not for the first connection: a wrong URL is said at once

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (self._url, self._table, self._retry, self._timeout)

    def _name(self) -> str:
        return f"PostgreSQL at {self._place}, table {self._table}"

    def _transient(self, error: BaseException) -> bool:
        if not isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
            return False
        state = getattr(error, "sqlstate", None)
        return state is None or state.startswith(_TRANSIENT_STATES)

    def _sql(self, text: str) -> Composed:
        return SQL(text).format(**self._names)

    # --- connections ---

    def _connect(self) -> psycopg.Connection[Any]:
        connection = psycopg.connect(self._conninfo, autocommit=True, prepare_threshold=None)
        try:
            # by statements, not by options of the connection, which poolers refuse
            connection.execute(
                "SELECT set_config('statement_timeout', %s, false), set_config('synchronous_commit', "
                "CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false)",
                (str(int(self._timeout * 1000)),),
            )
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self) -> None:
        with self._pool.connection() as connection:
            found = connection.execute(
                "SELECT to_regclass(%s), to_regclass(%s)", (f'"{self._table}"', f'"{self._table}_pieces"')
            ).fetchone()
            if found is not None and None not in found:
                return
            with connection.transaction():
                # "if not exists" alone fails when two do it at the same time
                connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", (self._table,))
                connection.execute(self._sql(_SCHEMA))

    def _all(self, text: str, values: Tuple[Any, ...]) -> List[Tuple[Any, ...]]:
        with self._pool.connection() as connection:
            rows: List[Tuple[Any, ...]] = connection.execute(self._sql(text), values, binary=True).fetchall()
        return rows

    def _one(self, text: str, values: Tuple[Any, ...]) -> Tuple[Any, ...]:
        """The row. Raises KeyError, of the last value, when there is none."""
        rows = self._all(text, values)
        if not rows:
            raise KeyError(values[-1])
        return rows[0]

    # --- reading ---

    def _get(self, key: str) -> bytes:
        while True:
            value, body, size = self._one("SELECT value, body, size FROM {entries} WHERE key = %s", (key,))
            if value is not None:
                return bytes(value)
            joined = b"".join([self._piece(body, number) for number in range(-(-size // _PIECE))])
            if len(joined) == size:
                return joined  # otherwise another value has taken its place meanwhile

    def _piece(self, body: Any, number: int, start: int = 0, length: int = _PIECE) -> bytes:
        rows = self._all(
            "SELECT substring(data FROM %s FOR %s) FROM {pieces} WHERE body = %s AND number = %s", (start + 1, length, body, number)
        )
        return bytes(rows[0][0]) if rows else b""

    def _get_range(self, key: str, start: int, length: int) -> bytes:
        while True:
            # no position in a value is above a 32-bit number, and what is past the end is empty
            value, body, size = self._one(
                "SELECT substring(value FROM %s FOR %s), body, size FROM {entries} WHERE key = %s",
                (min(start, 1 << 30) + 1, min(length, 1 << 30), key),
            )
            if value is not None:
                return bytes(value)
            end = min(size, start + length)
            parts = []
            at = start
            while at < end:
                number, offset = divmod(at, _PIECE)
                part = self._piece(body, number, offset, min(_PIECE - offset, end - at))
                if not part:
                    break
                parts.append(part)
                at += len(part)
            if at >= end:
                return b"".join(parts)

    def _get_many(self, keys: List[str]) -> Dict[str, bytes]:
        found = {}
        for some in range(0, len(keys), PAGE):
            rows = self._all("SELECT key, value FROM {entries} WHERE key = ANY(%s)", (keys[some : some + PAGE],))
            found.update(dict(rows))
        for key in [key for key, value in found.items() if value is None]:
            found.pop(key)
            found.update(super()._get_many([key]))
        return {key: bytes(value) for key, value in found.items()}

    def _stat(self, key: str) -> Tuple[int, float]:
        size, age = self._one("SELECT size, extract(epoch FROM clock_timestamp() - changed)::float8 FROM {entries} WHERE key = %s", (key,))
        return size, age

    def _page(self, prefix: str, after: str) -> List[str]:
        rows = self._all(
            "SELECT key FROM {entries} WHERE key > %s AND key >= %s AND key < %s ORDER BY key LIMIT %s",
            (after, prefix, prefix + "\x7f", PAGE),
        )
        return [key for (key,) in rows]

    # --- writing ---

    def _put(self, key: str, data: memoryview) -> None:
        with self._pool.connection() as connection:
            self._set(connection, key, data)

    def _put_many(self, items: Dict[str, memoryview]) -> None:
        keys = sorted(items)  # in one order, so that two batches cannot wait for each other
        with self._pool.connection() as connection, connection.transaction():
            small: List[str] = []
            for key in keys:
                if items[key].nbytes > _PIECE:
                    self._set(connection, key, items[key])
                else:
                    small.append(key)
                if sum(items[k].nbytes for k in small) > _PIECE:
                    self._set_small(connection, items, small)
                    small = []
            self._set_small(connection, items, small)

    def _set_small(self, connection: psycopg.Connection[Any], items: Dict[str, memoryview], keys: List[str]) -> None:
        """Values that are in their rows, in one round trip."""
        if not keys:
            return
        with connection.cursor(binary=True) as cursor:
            rows = [(key, items[key].nbytes, bytes(items[key]), None) for key in keys]
            cursor.executemany(self._sql(_PUT), rows, returning=True)
            before = [cursor.fetchone()]
            while cursor.nextset():
                before.append(cursor.fetchone())
        gone = [row[0] for row in before if row is not None and row[0] is not None]
        if gone:
            connection.execute(self._sql("DELETE FROM {pieces} WHERE body = ANY(%s)"), (gone,))

    def _set(self, connection: psycopg.Connection[Any], key: str, data: memoryview) -> None:
        if data.nbytes <= _PIECE:
            self._set_small(connection, {key: data}, [key])
            return
        body = uuid.uuid4()
        with connection.transaction():
            for number, piece in pieces(data, _PIECE):
                connection.execute(self._sql("INSERT INTO {pieces} VALUES (%s, %s, %s)"), (body, number, bytes(piece)))
            before = connection.execute(self._sql(_PUT), (key, data.nbytes, None, body), binary=True).fetchone()
            if before is not None and before[0] is not None:
                connection.execute(self._sql("DELETE FROM {pieces} WHERE body = %s"), (before[0],))

    def _delete(self, key: str) -> None:
        self._delete_many([key])

    def _delete_many(self, keys: List[str]) -> None:
        with self._pool.connection() as connection:
            connection.execute(
                self._sql(
                    "WITH gone AS (DELETE FROM {entries} WHERE key = ANY(%s) RETURNING body, before) "
                    "DELETE FROM {pieces} USING gone WHERE {pieces}.body IN (gone.body, gone.before)"
                ),
                (sorted(keys),),
            )

    # --- compare and swap: one statement each, which says by its row whether it did ---

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        with self._pool.connection() as connection:
            again, attempt.sent = attempt.sent, True
            if self._swapped(connection, key, old, new, attempt.id):
                return True
            if not again:
                return False
            row = connection.execute(self._sql("SELECT swap FROM {entries} WHERE key = %s"), (key,), binary=True).fetchone()
        if new is not None and row is not None and row[0] == attempt.id:
            return True
        raise self._unknown(key)

    def _swapped(self, connection: psycopg.Connection[Any], key: str, old: Optional[bytes], new: Optional[bytes], mark: uuid.UUID) -> bool:
        if old is None and new is None:
            row = connection.execute(self._sql("SELECT 1 FROM {entries} WHERE key = %s"), (key,)).fetchone()
            return row is None
        if old is None:
            assert new is not None
            statement = "INSERT INTO {entries} (key, size, value, swap) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING true"
            values: Tuple[Any, ...] = (key, len(new), new, mark)
        elif new is None:
            statement, values = "DELETE FROM {entries} WHERE key = %s AND value = %s RETURNING true", (key, old)
        else:
            change = "UPDATE {entries} SET value = %s, size = %s, swap = %s, changed = clock_timestamp()"
            statement = change + " WHERE key = %s AND value = %s RETURNING true"
            values = (new, len(new), mark, key, old)
        return connection.execute(self._sql(statement), values).fetchone() is not None

    def sweep(self) -> int:
        """Remove the pieces of values that were replaced by a process that died before removing them; gives how many."""

        def swept() -> int:
            with self._pool.connection() as connection:
                gone: int = connection.execute(
                    self._sql(
                        "DELETE FROM {pieces} p WHERE NOT EXISTS (SELECT 1 FROM {entries} e WHERE e.body = p.body OR e.before = p.body)"
                    )
                ).rowcount
            return gone

        return self._call("sweep", None, swept)

    def _close(self) -> None:
        self._pool.close()


def _close(connection: psycopg.Connection[Any]) -> None:
    connection.close()


def _again(url: str, table: str, retry: float, timeout: float) -> PostgresBackend:
    return PostgresBackend(url, table=table, retry=retry, timeout=timeout)
