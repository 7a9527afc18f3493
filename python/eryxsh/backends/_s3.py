"""Bytes in S3 and what speaks its API, by ``s3fs``.

``s3://bucket/a/prefix``, with ``endpoint_url=``, ``key=``, ``secret=`` and the other options of
``s3fs``. Swaps are conditional requests (``If-Match``, ``If-None-Match``): no lock, and any number
of machines may write. A service that does not know conditions would ignore them: the first swap
asks, and raises BackendError then.
"""

from __future__ import annotations

import asyncio
import email.utils
from functools import partial
from typing import Any, Dict, List, Optional, Tuple

from ._base import PAGE, Attempt
from ._fsspec import FsspecBackend, _is_key
from ._protocol import BackendError, MissingExtraError

try:
    import botocore.exceptions
    import fsspec.asyn
    import s3fs
except ImportError as _error:
    raise MissingExtraError("a store in S3 needs s3fs: pip install 'eryxsh[s3]'") from _error

_AT_ONCE = 64 << 20  # bytes: more goes up in parts, and becomes visible when all are there
_TOGETHER = 16  # requests under way at the same time
_SWAPS = 16  # how many swaps an object tells of
_REFUSED = (404, 409, 412)
_NO_TAG = '"00000000000000000000000000000000"'


class S3Backend(FsspecBackend):
    """A bucket of S3, or what begins with a prefix there.

    ``retry`` is for how many seconds what may pass is tried again; ``options`` are those of
    ``s3fs.S3FileSystem``. Raises BackendError when the bucket is not there.
    """

    def __init__(self, url: str, *, retry: float = 20.0, lock_seconds: float = 30.0, **options: Any) -> None:
        self._asked = {"put": False, "delete": False}  # whether the service refuses what it must
        super().__init__(url, retry=retry, lock_seconds=lock_seconds, **options)
        self._bucket, self._base, _ = self._system.split_path(self._root + "/x")
        self._base = self._base[:-1]
        self.shared = True
        self._retry_seconds = 0.0  # not for the first connection: a wrong URL is said at once
        self._call("open", None, self._check_bucket)
        self._retry_seconds = retry

    def _open(self) -> Tuple[Any, str]:
        options = dict(self._options)
        options.setdefault(
            "config_kwargs", {"retries": {"max_attempts": 0}}
        )  # it is tried again here: one that may have been made is known
        system = s3fs.S3FileSystem(skip_instance_cache=True, use_listings_cache=False, **options)
        system.retries = 1
        return system, s3fs.S3FileSystem._strip_protocol(self._url)

    def _check_bucket(self) -> None:
        self._fs.call_s3("list_objects_v2", Bucket=self._bucket, MaxKeys=1)

    def _transient(self, error: BaseException) -> bool:
        if isinstance(error, (botocore.exceptions.HTTPClientError, botocore.exceptions.ConnectionError)):
            return not isinstance(error, botocore.exceptions.ProxyConnectionError)
        return _status(error) in (409, 429, 500, 502, 503, 504) or super()._transient(error)

    def _absent(self, key: str, error: BaseException) -> KeyError:
        """For an object that is not there; when it is the bucket that is not, that is an error."""
        if _code(error) != "NoSuchKey":
            try:
                self._check_bucket()
            except FileNotFoundError as gone:
                raise BackendError(f"{self._name()}: the bucket is gone", key=key, backend=self._name(), cause=gone) from gone
        return KeyError(key)

    # --- reading ---

    def _get(self, key: str) -> bytes:
        return self._fetched(key)[0]

    def _fetched(self, key: str, **condition: Any) -> Tuple[bytes, str, Dict[str, str]]:
        """(content, tag, what was said with it), of one moment."""

        async def fetched() -> Tuple[bytes, str, Dict[str, str]]:
            answer = await self._fs._call_s3("get_object", Bucket=self._bucket, Key=self._base + key, **condition)
            async with answer["Body"] as body:
                return await body.read(), answer["ETag"], answer.get("Metadata", {})

        try:
            content: Tuple[bytes, str, Dict[str, str]] = fsspec.asyn.sync(self._fs.loop, fetched)
        except FileNotFoundError as error:
            raise self._absent(key, error) from None
        return content

    def _get_range(self, key: str, start: int, length: int) -> bytes:
        if not length:
            self._stat(key)
            return b""
        try:
            return self._fetched(key, Range=f"bytes={start}-{start + length - 1}")[0]
        except OSError as error:
            if _status(error) != 416:
                raise
            return b""

    def _get_many(self, keys: List[str]) -> Dict[str, bytes]:
        found = super()._get_many(keys)
        if keys and not found:
            self._check_bucket()
        return found

    def _stat(self, key: str) -> Tuple[int, float]:
        try:
            answer = self._fs.call_s3("head_object", Bucket=self._bucket, Key=self._base + key)
        except FileNotFoundError as error:
            raise self._absent(key, error) from None
        now = email.utils.parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
        return answer["ContentLength"], (now - answer["LastModified"]).total_seconds()

    def _walk(self, prefix: str) -> Any:
        return super(FsspecBackend, self)._walk(prefix)  # by pages

    def _page(self, prefix: str, after: str) -> List[str]:
        last = self._base + after if after else ""
        while True:
            answer = self._fs.call_s3(
                "list_objects_v2", Bucket=self._bucket, Prefix=self._base + prefix, MaxKeys=PAGE, **({"StartAfter": last} if last else {})
            )
            names = [entry["Key"] for entry in answer.get("Contents", [])]
            keys = [name[len(self._base) :] for name in names if _is_key(name[len(self._base) :])]
            if keys or not names or not answer.get("IsTruncated"):
                return keys
            last = names[-1]

    # --- writing ---

    def _write(self, path: str, data: bytes) -> None:
        if len(data) > _AT_ONCE:
            self._fs.pipe_file(path, data)
        else:
            self._fs.call_s3("put_object", Bucket=self._bucket, Key=self._fs.split_path(path)[1], Body=data)

    def _put_many(self, items: Dict[str, memoryview]) -> None:
        small = [key for key, data in items.items() if data.nbytes <= _AT_ONCE]
        for some in range(0, len(small), _TOGETHER):
            part = {key: items[key] for key in small[some : some + _TOGETHER]}
            self._call("put_many", None, partial(self._put_together, part))
        for key in items.keys() - set(small):
            self._put(key, items[key])

    def _put_together(self, items: Dict[str, memoryview]) -> None:
        async def put() -> List[Any]:
            places = [{"Bucket": self._bucket, "Key": self._base + key} for key in items]
            requests = [self._fs._call_s3("put_object", **place, Body=bytes(data)) for place, data in zip(places, items.values())]
            return await asyncio.gather(*requests, return_exceptions=True)

        for answer in fsspec.asyn.sync(self._fs.loop, put):
            if isinstance(answer, BaseException):
                raise answer

    def _delete(self, key: str) -> None:
        self._fs.call_s3("delete_object", Bucket=self._bucket, Key=self._base + key)

    def _delete_many(self, keys: List[str]) -> None:
        for some in range(0, len(keys), PAGE):
            objects = [{"Key": self._base + key} for key in keys[some : some + PAGE]]
            answer = self._fs.call_s3("delete_objects", Bucket=self._bucket, Delete={"Objects": objects, "Quiet": True})
            if answer.get("Errors"):
                first = answer["Errors"][0]
                raise OSError(f"{first.get('Key')}: {first.get('Message')}")

    # --- compare and swap, by conditions ---
    #
    # A request may be sent twice without our knowing (aiohttp does so when a connection breaks), so
    # "refused" may mean "made before". Each object therefore says which swaps made it what it is.

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        before: List[str] = []
        while True:
            tag, swaps, now = "", [], None
            try:
                now, tag, said = self._fetched(key)
                swaps = said.get("swaps", "").split()
            except KeyError:
                pass
            if attempt.id.hex in swaps:
                return True
            if now != old:
                known = swaps and (len(swaps) < _SWAPS or set(before) & set(swaps))  # all swaps since are there
                if attempt.sent and (new is None or not known):
                    raise self._unknown(key)
                return False
            if old is None and new is None:
                return True
            self._check_conditions("put" if new is not None else "delete")
            before, attempt.sent = swaps, True
            try:
                self._change(key, tag, new, [attempt.id.hex, *swaps[: _SWAPS - 1]])
                return True
            except OSError as error:
                if _status(error) not in _REFUSED:
                    raise

    def _change(self, key: str, tag: str, new: Optional[bytes], swaps: List[str]) -> None:
        place = {"Bucket": self._bucket, "Key": self._base + key}
        if new is None:
            self._fs.call_s3("delete_object", **place, IfMatch=tag)
        else:
            condition = {"IfMatch": tag} if tag else {"IfNoneMatch": "*"}
            self._fs.call_s3("put_object", **place, Body=new, Metadata={"swaps": " ".join(swaps)}, **condition)

    def _check_conditions(self, what: str) -> None:
        """Ask for what must be refused, once: a condition that is ignored would lose updates."""
        if self._asked[what]:
            return
        place = {"Bucket": self._bucket, "Key": self._base + ".eryxsh/conditions"}
        requests: List[Tuple[str, Dict[str, Any]]] = [("delete_object", {"IfMatch": _NO_TAG})]
        if what == "put":
            requests = [("put_object", {"Body": b"", "IfMatch": _NO_TAG}), ("put_object", {"Body": b"", "IfNoneMatch": "*"})]
        self._fs.call_s3("put_object", **place, Body=b"")
        for method, condition in requests:
            try:
                self._fs.call_s3(method, **place, **condition)
            except OSError as error:
                if _status(error) != 412:
                    raise
            else:
                name = next(name for name in condition if name != "Body")
                raise BackendError(
                    f"{self._name()}: this service, or the botocore here, ignores {name} of {method}: swaps would lose updates",
                    backend=self._name(),
                )
        self._asked[what] = True


def _response(error: Optional[BaseException]) -> Dict[str, Any]:
    """The answer of the service that an exception is about."""
    while error is not None:
        response = getattr(error, "response", None)
        if isinstance(response, dict):
            return response
        error = error.__cause__
    return {}


def _status(error: BaseException) -> Optional[int]:
    status: Optional[int] = _response(error).get("ResponseMetadata", {}).get("HTTPStatusCode")
    return status


def _code(error: BaseException) -> str:
    return str(_response(error).get("Error", {}).get("Code", ""))
