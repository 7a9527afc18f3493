"""Values encrypted before they reach any other backend, by ``cryptography``'s AES-GCM.

A stored value is ``EX1`` and a zero byte, 8 bytes that say which key, a random nonce of 12,
and what AES-GCM makes of the value: 40 bytes more than it. The name is authenticated with
it, so a value that is moved to another name, cut or changed is refused. Names, sizes and
times are not hidden.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from ._base import Attempt, Base
from ._protocol import VALUE_LIMIT, DecryptionError, FullBackend, MissingExtraError

try:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
except ImportError as _error:
    raise MissingExtraError("an encrypted store needs cryptography: pip install 'eryxsh[encryption]'") from _error

_MAGIC = b"EX1\0"
_NAME = 8
_NONCE = 12
_HEAD = len(_MAGIC) + _NAME + _NONCE
OVERHEAD = _HEAD + 16  # bytes; the last are AES-GCM's tag


class Encrypted(Base):
    """Another backend with encrypted values.

    ``keys`` is a key of 32 bytes (16 and 24 do too), e.g. of ``secrets.token_bytes(32)``, or a list of them: the first
    encrypts, all decrypt, so a new key goes in front and the old ones stay until ``reencrypt`` has been through. One key is
    good for some 4,000,000,000 values. ``get_range`` reads and checks the whole value.

    Closing it closes the other backend. Raises DecryptionError, and never plain bytes, for what it cannot verify.
    """

    def __init__(self, backend: Any, keys: Union[bytes, Sequence[bytes]]) -> None:
        from . import open as open_backend

        super().__init__()
        self._inner: FullBackend = open_backend(backend)
        self._keys = [bytes(keys)] if isinstance(keys, (bytes, bytearray)) else [bytes(key) for key in keys]
        if not self._keys or any(len(key) not in (16, 24, 32) for key in self._keys):
            raise ValueError("a key is 32 random bytes (or 24, or 16), e.g. secrets.token_bytes(32)")
        self._ciphers = {_key_name(key): AESGCM(key) for key in self._keys}
        self._first = _key_name(self._keys[0])
        self.shared = self._inner.shared

    def __reduce__(self) -> Tuple[Any, ...]:
        return Encrypted, (self._inner, self._keys)

    def _name(self) -> str:
        return f"encrypted: {self._inner!r}"

    # --- values ---

    def _seal(self, key: str, data: Union[bytes, memoryview]) -> bytes:
        if len(data) > VALUE_LIMIT - OVERHEAD:
            raise ValueError(f"a value of {len(data)} bytes: at most {VALUE_LIMIT - OVERHEAD} when it is encrypted")
        head = _MAGIC + self._first
        nonce = os.urandom(_NONCE)
        return b"".join((head, nonce, self._ciphers[self._first].encrypt(nonce, data, head + key.encode())))

    def _unseal(self, key: str, sealed: bytes) -> bytes:
        view = memoryview(sealed)
        head, name, nonce = bytes(view[: len(_MAGIC) + _NAME]), bytes(view[len(_MAGIC) : len(_MAGIC) + _NAME]), view[_HEAD - _NONCE : _HEAD]
        if not head.startswith(_MAGIC) or len(sealed) < OVERHEAD:
            raise self._refused(key, "not an encrypted value")
        cipher = self._ciphers.get(name)
        if cipher is None:
            raise self._refused(key, "encrypted under a key that is not among those given")
        try:
            plain: bytes = cipher.decrypt(nonce, view[_HEAD:], head + key.encode())
        except InvalidTag as error:
            raise self._refused(key, "not what was written under this name: it was changed, cut or moved", error) from error
        return plain

    def _refused(self, key: str, text: str, cause: Optional[BaseException] = None) -> DecryptionError:
        return DecryptionError(f"{self._name()}: {key}: {text}", key=key, backend=self._name(), cause=cause)

    # --- operations ---

    def _get(self, key: str) -> bytes:
        return self._unseal(key, self._inner.get(key))

    def _get_many(self, keys: List[str]) -> Dict[str, bytes]:
        return {key: self._unseal(key, sealed) for key, sealed in self._inner.get_many(keys).items()}

    def _put(self, key: str, data: memoryview) -> None:
        self._inner.put(key, self._seal(key, data))

    def _put_many(self, items: Dict[str, memoryview]) -> None:
        self._inner.put_many({key: self._seal(key, data) for key, data in items.items()})

    def _delete(self, key: str) -> None:
        self._inner.delete(key)

    def _delete_many(self, keys: List[str]) -> None:
        self._inner.delete_many(keys)

    def _walk(self, prefix: str) -> Iterator[str]:
        return self._inner.list(prefix)

    def _stat(self, key: str) -> Tuple[int, float]:
        size, age = self._inner.stat(key)
        return max(0, size - OVERHEAD), age

    def _swap(self, key: str, old: Optional[bytes], new: Optional[bytes], attempt: Attempt) -> bool:
        # two encryptions of one value differ: what is swapped is the very bytes that were read
        while True:
            sealed: Optional[bytes] = None
            try:
                sealed = self._inner.get(key)
                now: Optional[bytes] = self._unseal(key, sealed)
            except KeyError:
                now = None
            if now != old:
                return False
            if self._inner.cas(key, sealed, None if new is None else self._seal(key, new)):
                return True

    def reencrypt(self, prefix: str = "") -> int:
        """Encrypt under the first key what is under another; gives how many values were.

        May run beside writers, but for values of more than 1 MiB that are overwritten meanwhile.
        """
        changed = 0
        for key in list(self.list(prefix)):
            try:
                sealed = self._inner.get(key)
            except KeyError:
                continue
            plain = self._unseal(key, sealed)
            if sealed.startswith(_MAGIC + self._first):
                continue
            self._replace(key, sealed, plain)
            changed += 1
        return changed

    def _replace(self, key: str, sealed: bytes, plain: bytes) -> None:
        new = self._seal(key, plain)
        if max(len(sealed), len(new)) <= 1 << 20:
            self._inner.cas(key, sealed, new)  # where somebody wrote meanwhile, it is under the first key
        else:
            self._inner.put(key, new)

    def _close(self) -> None:
        self._inner.close()


def _key_name(key: bytes) -> bytes:
    return hmac.new(key, b"eryxsh: the name of this key", hashlib.sha256).digest()[:_NAME]
