"""Bytes in Redis (5 or newer, or Valkey), by ``redis-py``.

``redis://host/0``, ``rediss://`` (TLS), ``unix:///path/to/socket``. Every key of Redis begins
with ``prefix``, so a database may be shared. Each change is one script of the server: a value,
its time and its entry in the sorted set of keys change together.

Redis keeps what its configuration says: ``appendonly yes`` with ``appendfsync always`` outlives a
power cut, ``everysec`` (Redis's default then) may lose the last second of one, and without
``appendonly`` the end of the server is the end of what came after the last dump. A server that
throws keys away when its memory is full (``maxmemory-policy allkeys-…``) is refused.
"""

from __future__ import annotations

import uuid
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import urlsplit

from ._base import PAGE, Attempt, Base
from ._pool import pieces
from ._protocol import BackendError, MissingExtraError

try:
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
except ImportError as _error:
    raise MissingExtraError("a store in Redis needs redis-py: pip install 'eryxsh[redis]'") from _error

_PIECE = 16 << 20  # bytes: larger values are in pieces, so that no command keeps the server long
_BATCH = 32 << 20  # bytes sent at once
_UNFINISHED_SECONDS = 86_400  # pieces that no value has are kept so long
_MARK_SECONDS = 600  # how long a swap is known after it was made

# KEYS: value, keys, times, bodies, what all begin with. A body is "id count size".
_COMMON = """
local key = ARGV[1]
local function drop_pieces()
  local body = redis.call('HGET', KEYS[4], key)
  if body then
    local id, count = string.match(body, '^(%S+) (%d+) ')
    for n = 0, tonumber(count) - 1 do redis.call('UNLINK', KEYS[5] .. 'p:' .. id .. ':' .. n) end
    redis.call('HDEL', KEYS[4], key)
  end
end
local function set(value)
  local now = redis.call('TIME')
  drop_pieces()
  redis.call('SET', KEYS[1], value)
  redis.call('ZADD', KEYS[2], 0, key)
  redis.call('HSET', KEYS[3], key, now[1] .. '.' .. string.format('%06d', now[2]))
end
local function delete()
  drop_pieces()
  redis.call('UNLINK', KEYS[1])
  redis.call('ZREM', KEYS[2], key)
  redis.call('HDEL', KEYS[3], key)
end
"""

# Reading is by scripts too: a transaction is refused when the memory is full, even one that only reads.
_GET = "return {redis.call('GET', KEYS[1]), redis.call('HGET', KEYS[4], ARGV[1])}"
_GET_RANGE = """
if redis.call('EXISTS', KEYS[1]) == 1 then return {redis.call('GETRANGE', KEYS[1], ARGV[2], ARGV[3]), false} end
return {false, redis.call('HGET', KEYS[4], ARGV[1])}
"""
_STAT = (
    "return {redis.call('STRLEN', KEYS[1]), redis.call('HGET', KEYS[4], ARGV[1]), redis.call('HGET', KEYS[3], ARGV[1]), redis.call('TIME')}"
)

_PUT = _COMMON + "set(ARGV[2])"

_PUT_LARGE = (
    _COMMON
    + """
local id, count = string.match(ARGV[2], '^(%S+) (%d+) ')
for n = 0, tonumber(count) - 1 do
  if redis.call('PERSIST', KEYS[5] .. 'p:' .. id .. ':' .. n) == 0 then return redis.error_reply('a piece is gone') end
end
set('')
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[4], key, ARGV[2])
"""
)

_DELETE = _COMMON + "delete()"

# ARGV: key, whether there is an old value, it, whether there is a new one, it, the mark of this swap
_SWAP = (
    _COMMON
    + """
local mark = KEYS[5] .. 'm:' .. ARGV[6]
if redis.call('EXISTS', mark) == 1 then return 1 end
local now = redis.call('GET', KEYS[1])
if not now and redis.call('HEXISTS', KEYS[4], key) == 1 then return 0 end
if ARGV[2] == '0' and now then return 0 end
if ARGV[2] == '1' and now ~= ARGV[3] then return 0 end
if ARGV[4] == '1' then set(ARGV[5]) elseif now then delete() end
redis.call('SET', mark, '', 'EX', """
    + str(_MARK_SECONDS)
    + """)
return 1
"""
)


class RedisBackend(Base):
    """Keys of a Redis database that begin with ``prefix``.

    ``retry`` is for how many seconds a lost connection is tried again, ``timeout`` how
    many seconds the server may take for one answer. Raises BackendError when the server
    is not there, or may throw away what it was given.
    """

    _failures = (redis.RedisError, OSError)

    def __init__(self, url: str, *, prefix: str = "eryxsh:", retry: float = 20.0, timeout: float = 60.0) -> None:
        super().__init__()
        self._url = url
        self._prefix = prefix
        self._retry = retry
        self._timeout = timeout
        self._client: Any = redis.Redis.from_url(
            url,
            decode_responses=False,
            socket_timeout=timeout,
            socket_connect_timeout=min(10.0, timeout),
            health_check_interval=30,
            retry=Retry(NoBackoff(), 0),
        )
        self._scripts = {text: self._client.register_script(text) for text in (_GET, _GET_RANGE, _STAT, _PUT, _PUT_LARGE, _DELETE, _SWAP)}
        self._call("open", None, self._check_kept)
        self._retry_seconds = retry  # not for the first connection: a wrong URL is said at once

    def __reduce__(self) -> Tuple[Any, ...]:
        return _again, (self._url, self._prefix, self._retry, self._timeout)

    def _name(self) -> str:
        parts = urlsplit(self._url)
        return f"Redis at {parts.netloc.rpartition('@')[2]}{parts.path}, prefix {self._prefix}"

    def _transient(self, error: BaseException) -> bool:
        if isinstance(error, (redis.AuthenticationError, redis.exceptions.AuthorizationError)):
            return False
        passing = (redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError, OSError)
        return isinstance(error, passing) or str(error).startswith(("LOADING", "MASTERDOWN", "TRYAGAIN", "BUSY "))

    def _check_kept(self) -> None:
        self._client.ping()
        try:
            settings = {name: self._client.config_get(name).get(name, "") for name in ("maxmemory", "maxmemory-policy")}
        except redis.ResponseError:
            return  # managed servers do not say
        if settings["maxmemory"] not in ("0", "") and settings["maxmemory-policy"].startswith("allkeys"):
            raise BackendError(
                f"{self._name()}: it throws keys away when its memory is full (maxmemory-policy {settings['maxmemory-policy']}): "
                "a store needs noeviction, or volatile-…",
                backend=self._name(),
            )

    # --- names ---

    def _value(self, key: str) -> str:
        return f"{self._prefix}v:{key}"

    def _piece_key(self, body: str, number: int) -> str:
        return f"{self._prefix}p:{body}:{number}"

    @property
    def _keys(self) -> str:
        return f"{self._prefix}keys"

    @property
    def _times(self) -> str:
        return f"{self._prefix}times"

    @property
    def _bodies(self) -> str:
        return f"{self._prefix}bodies"

    def _run(self, text: str, key: str, *values: Any, client: Any = None) -> Any:
        names = [self._value(key), self._keys, self._times, self._bodies, self._prefix]
        return self._scripts[text](keys=names, args=[key, *values], client=client)

    # --- reading ---

    def _get(self, key: str) -> bytes:
        while True:
            value, body = self._run(_GET, key)
            if value is not None:
                return bytes(value)
            if body is None:
                raise KeyError(key)
            name, count, size = body.decode().split()
            joined = b"".join([self._client.get(self._piece_key(name, n)) or b"" for n in range(int(count))])
            if len(joined) == int(size):
                return joined  # otherwise another value has taken its place meanwhile

    def _get_range(self, key: str, start: int, length: int) -> bytes:
        while True:
            part, body = self._run(_GET_RANGE, key, start, start + max(length, 1) - 1)
            if part is not None:
                return bytes(part) if length else b""
            if body is None:
                raise KeyError(key)
            name, _, size = body.decode().split()
            at, end = start, min(int(size), start + length)
            parts = []
            while at < end:
                number, offset = divmod(at, _PIECE)
                part = self._client.getrange(self._piece_key(name, number), offset, min(_PIECE, offset + end - at) - 1)
                if not part:
                    break  # another value has taken its place
                parts.append(part)
                at += len(part)
            if at >= end:
                return b"".join(parts)

    def _get_many(self, keys: List[str]) -> Dict[str, bytes]:
        found: Dict[str, bytes] = {}
        for some in range(0, len(keys), PAGE):
            part = keys[some : some + PAGE]
            values = self._client.mget([self._value(key) for key in part])
            found.update({key: value for key, value in zip(part, values) if value is not None})
            absent = [key for key, value in zip(part, values) if value is None]
            if absent:
                bodies = self._client.hmget(self._bodies, absent)
                found.update(super()._get_many([key for key, body in zip(absent, bodies) if body is not None]))
        return found

    def _stat(self, key: str) -> Tuple[int, float]:
        size, body, changed, now = self._run(_STAT, key)
        if changed is None:
            raise KeyError(key)
        return int(body.split()[2]) if body else size, int(now[0]) + int(now[1]) / 1e6 - float(changed)

    def _page(self, prefix: str, after: str) -> List[str]:
        first = f"({after}" if after else f"[{prefix}" if prefix else "-"
        return [key.decode() for key in self._client.zrangebylex(self._keys, first, f"({prefix}\x7f", 0, PAGE)]

    # --- writing ---

    def _put(self, key: str, data: memoryview) -> None:
        if data.nbytes <= _PIECE:
            self._run(_PUT, key, bytes(data))
            return
        body, count = uuid.uuid4().hex, 0
        for number, piece in pieces(data, _PIECE):
            self._client.set(self._piece_key(body, number), bytes(piece), ex=_UNFINISHED_SECONDS)
            count += 1
        self._run(_PUT_LARGE, key, f"{body} {count} {data.nbytes}")

    def _put_many(self, items: Dict[str, memoryview]) -> None:
        small = {key: data for key, data in items.items() if data.nbytes <= _PIECE}
        for batch in _batches(small):
            with self._client.pipeline(transaction=False) as commands:
                for key in batch:
                    self._run(_PUT, key, bytes(small[key]), client=commands)
                commands.execute()
        for key in items.keys() - small.keys():
            self._put(key, items[key])

    def _delete(self, key: str) -> None:
        self._run(_DELETE, key)

    def _delete_many(self, keys: List[str]) -> None:
        for some in range(0, len(keys), PAGE):
            with self._client.pipeline(transaction=False) as commands:
                for key in keys[some : some + PAGE]:
                    self._run(_DELETE, key, client=commands)
                commands.execute()

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        values = [b"0" if old is None else b"1", old or b"", b"0" if new is None else b"1", new or b""]
        attempt.sent = True
        return bool(self._run(_SWAP, key, *values, attempt.id.hex))

    def _close(self) -> None:
        self._client.close()


def _batches(items: Dict[str, memoryview]) -> List[List[str]]:
    """Keys of at most so many values and bytes each."""
    batches: List[List[str]] = []
    size = 0
    for key, data in items.items():
        if not batches or len(batches[-1]) == PAGE or size + data.nbytes > _BATCH:
            batches.append([])
            size = 0
        batches[-1].append(key)
        size += data.nbytes
    return batches


def _again(url: str, prefix: str, retry: float, timeout: float) -> RedisBackend:
    return RedisBackend(url, prefix=prefix, retry=retry, timeout=timeout)
