"""Locks of a store: who keeps writing to a namespace.

A lock is a value under ``locks/``: its owner's host, process and when it expires. Who finds
one of its own host asks the system whether that process lives: a lock that a dead process
left is taken over at once. Of another host nobody can ask, so there a lock expires unless
its owner renews it. A lock keeps people from working past each other; that no save is lost
is for the compare-and-swap of the ref, with or without one.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import time
from typing import Any, Dict, Optional

from ._errors import ConflictError

EXPIRY = 60.0  # seconds without a renewal, for other hosts


class Lock:
    """A lock that is held: ``renew`` it before it expires, ``release`` it at the end."""

    __slots__ = ("_backend", "_key", "_name", "_pid", "_token", "_value", "due")

    def __init__(self, backend: Any, key: str, name: str) -> None:
        self._backend = backend
        self._key = key
        self._name = name
        self._pid = os.getpid()
        self._token = secrets.token_hex(8)
        self._value: Optional[bytes] = None
        self.due = 0.0  # on the monotonic clock: when it is to be renewed
        self._take()

    def _take(self) -> None:
        for _ in range(8):
            try:
                there: Optional[bytes] = bytes(self._backend.get(self._key))
            except KeyError:
                there = None
            if there is not None:
                owner = _read(there)
                if owner.get("token") != self._token and _alive(owner):
                    raise ConflictError(f"{self._name} is written by {_said(owner)}", path=self._name)
            if self._swap(there):
                return
        raise ConflictError(f"{self._name}: several take its lock at the same time", path=self._name)

    def _swap(self, there: Optional[bytes]) -> bool:
        value = json.dumps({**_here(), "token": self._token, "expires": time.time() + EXPIRY}).encode()
        if not self._backend.cas(self._key, there, value):
            return False
        self._value = value
        self.due = time.monotonic() + EXPIRY / 3
        return True

    def renew(self) -> None:
        """Hold it for longer. Raises ConflictError when somebody else has taken it."""
        if self._value is None or not self._swap(self._value):
            self._take()

    def release(self) -> None:
        """Give it back. A child made by fork leaves its parent's alone."""
        value, self._value = self._value, None
        if value is not None and os.getpid() == self._pid:
            with contextlib.suppress(Exception):  # it expires, or its process ends
                self._backend.cas(self._key, value, None)


def _here() -> Dict[str, Any]:
    pid = os.getpid()
    return {"host": socket.gethostname(), "boot": _boot(), "pid": pid, "started": _started(pid)}


def _boot() -> str:
    """What tells this start of this machine from others; containers of one machine tell each other by their host names."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
            return f.read().strip()
    except OSError:
        return ""


def _started(pid: int) -> str:
    """When a process began, for numbers are used again; empty where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _read(value: bytes) -> Dict[str, Any]:
    try:
        owner = json.loads(value)
    except ValueError:
        owner = None
    return owner if isinstance(owner, dict) else {}


def _alive(owner: Dict[str, Any]) -> bool:
    """Whether the owner of a lock still has it."""
    here = _here()
    if owner.get("host") == here["host"] and owner.get("boot") == here["boot"]:
        pid = owner.get("pid")
        if not isinstance(pid, int) or pid <= 0:
            return False
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # somebody else's, but it lives
        except OverflowError:
            return False
        return owner.get("started") == _started(pid)
    expires = owner.get("expires")
    return isinstance(expires, (int, float)) and time.time() < expires


def _said(owner: Dict[str, Any]) -> str:
    if owner.get("pid") == os.getpid() and owner.get("host") == socket.gethostname():
        return "another sandbox of this process, which is not closed"
    return f"process {owner.get('pid')} of {owner.get('host')}"
