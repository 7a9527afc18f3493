"""What an encrypted backend hides, and what it refuses."""

from __future__ import annotations

import secrets
from typing import Any, Dict

import pytest

from eryxsh import PersistenceError

pytest.importorskip("cryptography", reason="cryptography is not installed: pip install 'eryxsh[encryption]'")

from eryxsh.backends import DecryptionError, DictBackend, Encrypted, open

KEY, OTHER = secrets.token_bytes(32), secrets.token_bytes(32)


def stored(plain: bytes = b"a secret") -> Dict[str, bytes]:
    """A dict with one encrypted value, under the name ``a``."""
    kept: Dict[str, bytes] = {}
    Encrypted(kept, KEY).put("a", plain)
    return kept


def test_nothing_is_plain() -> None:
    """Two encryptions of one value differ, and none has it in it; the size is known exactly."""
    first, second = stored()["a"], stored()["a"]
    assert first != second
    assert b"secret" not in first + second
    backend = Encrypted(stored(b"x" * 1000), KEY)
    assert backend.stat("a")[0] == 1000
    assert KEY not in repr(backend).encode()


def test_every_flipped_bit_is_refused() -> None:
    """In the head, the name of the key, the nonce, the content and the tag."""
    kept = stored()
    sealed = kept["a"]
    for i in range(len(sealed) * 8):
        kept["a"] = bytes(byte ^ (1 << i % 8 if i // 8 == n else 0) for n, byte in enumerate(sealed))
        with pytest.raises(DecryptionError) as caught:
            Encrypted(kept, KEY).get("a")
        assert caught.value.key == "a"
    for size in range(len(sealed)):
        kept["a"] = sealed[:size]
        with pytest.raises(DecryptionError):
            Encrypted(kept, KEY).get("a")


def test_values_stay_under_their_names() -> None:
    """One that is copied to another name is refused."""
    kept = stored()
    kept["b"] = kept["a"]
    with pytest.raises(DecryptionError, match="b: not what was written under this name"):
        Encrypted(kept, KEY).get("b")
    with pytest.raises(DecryptionError):
        Encrypted(kept, KEY).get_many(["a", "b"])


def test_wrong_key() -> None:
    """A typed error of every reading method, and nothing is overwritten by a swap."""
    kept = stored()
    before = dict(kept)
    backend = Encrypted(kept, OTHER)
    for use in (backend.get, lambda k: backend.get_range(k, 0, 1), lambda k: backend.cas(k, b"a secret", b"new")):
        with pytest.raises(DecryptionError, match="a key that is not among those given") as caught:
            use("a")
        assert isinstance(caught.value, PersistenceError)
    assert kept == before
    with pytest.raises(DecryptionError, match="not an encrypted value"):
        Encrypted({"a": b"plain text that is long enough to be something else"}, KEY).get("a")


def test_rotation() -> None:
    """The first key encrypts, all decrypt; ``reencrypt`` makes the old one needless."""
    kept = stored()
    large = b"x" * (2 << 20)
    Encrypted(kept, KEY).put("large", large)
    both = Encrypted(kept, [OTHER, KEY])
    both.put("b", b"new")
    assert both.get("a") == b"a secret"
    with pytest.raises(DecryptionError):
        Encrypted(kept, KEY).get("b")
    assert both.reencrypt() == 2
    assert both.reencrypt() == 0
    alone = Encrypted(kept, OTHER)
    assert [alone.get(key) for key in ("a", "b", "large")] == [b"a secret", b"new", large]


@pytest.mark.parametrize("keys", [b"", b"short", b"k" * 31, [], [KEY, b"short"]])
def test_bad_keys(keys: Any) -> None:
    """A ValueError, which does not print them."""
    with pytest.raises(ValueError, match="32 random bytes") as caught:
        Encrypted({}, keys)
    assert "short" not in str(caught.value)


def test_over_any_backend() -> None:
    """``open`` gives it back; what it is given may be a backend or what names one."""
    inner = DictBackend()
    backend = open(Encrypted(inner, KEY))
    backend.put("a", b"1")
    assert inner.get("a") != b"1"
    assert backend.get("a") == b"1"
    backend.close()
    with pytest.raises(PersistenceError, match="closed"):
        inner.get("a")
