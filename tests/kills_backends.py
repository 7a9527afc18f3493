"""Whole or not at all: a process that writes is killed again and again.

    python tests/kills_backends.py                              1,000 kills of each kind that this machine has
    python tests/kills_backends.py --kind sqlite --kills 50 --seed 3

A child puts, swaps and deletes without a pause, says after each what was acknowledged, and
is killed (SIGKILL) at a random instant. Then, by a new connection: every value is one that
was put, whole; what was acknowledged last is there, or the one that was under way; nothing
else is listed; and the next child goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
from typing import Any, Dict, List, NoReturn, Optional, Tuple

import pytest

import servers
from places import KINDS, Place

KEPT = ("directory", "sqlite", "postgres", "redis", "locks")
SIZES = (0, 1, 100, 5_000, 70_000, 1_500_000)  # the last one is in pieces in SQLite
KEYS = tuple(f"packs/{n:02x}/{n}" for n in range(6))


class KillsError(AssertionError):
    """The promise was broken."""


def value(number: int, most: int = 1 << 30) -> bytes:
    """The value that is put as the n-th: its number, its size, its content, its sum."""
    size = min(most, SIZES[number * 7919 % len(SIZES)])
    body = random.Random(number).randbytes(min(size, 64)) * (size // 64 + 1)
    head = b"%d %d " % (number, size) + body[:size]
    return head + hashlib.sha256(head).digest()


def number_of(data: bytes) -> int:
    """Which value it is. Raises KillsError for what was never put."""
    if len(data) < 32 or hashlib.sha256(data[:-32]).digest() != data[-32:]:
        raise KillsError(f"a value of {len(data)} bytes that nobody put: {data[:40]!r}")
    return int(data.split(b" ", 1)[0])


def write(place: Place, first: int, report: int) -> NoReturn:
    """Work until killed: each line is what begins, then that it is done."""
    status = 1
    try:
        backend = place.open()
        number = first
        os.write(report, b"open\n")
        while True:
            number += 1
            key = KEYS[number % len(KEYS)]
            what = ("put", "put", "put", "delete", "swap", "many")[number % 11 % 6]
            os.write(report, f"{what} {key} {number}\n".encode())
            if what == "put":
                backend.put(key, value(number))
            elif what == "delete":
                backend.delete(key)
            elif what == "many":
                backend.put_many({k: value(number) for k in KEYS[:3]})
            else:
                swap(backend, number)
            os.write(report, b"done\n")
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def swap(backend: Any, number: int) -> None:
    """Count in the ref, as a store moves its refs."""
    try:
        old: Optional[bytes] = backend.get("refs/main")
    except KeyError:
        old = None
    if not backend.cas("refs/main", old, value(number, 5_000)):
        raise KillsError("a swap failed, and nobody else writes")


class State:
    """What may be there: for each key the numbers of the values that it may have; None is absent."""

    def __init__(self) -> None:
        self.keys: Dict[str, List[Optional[int]]] = {}
        self.last = 0

    def follow(self, lines: List[str]) -> None:
        """Take in what a child said."""
        for n, line in enumerate(lines):
            if line in ("open", "done"):
                continue
            what, key, text = line.split()
            self.last = int(text)
            done = n + 1 < len(lines)
            new = None if what == "delete" else self.last
            for changed in KEYS[:3] if what == "many" else ["refs/main"] if what == "swap" else [key]:
                self.keys[changed] = [new] if done else [*self.keys.get(changed, [None]), new]

    def check(self, place: Place) -> None:
        """Compare with what is there, by a new connection; afterwards that is what may be there."""
        servers.settle(place.spec)
        with place.open() as backend:
            there = {key: number_of(backend.get(key)) for key in backend.list()}
            for key in KEYS:
                if key in there and number_of(backend.get_range(key, 0, 1 << 30)) != there[key]:
                    raise KillsError(f"{key}: its range is another value")
        for key in {*there, *self.keys}:
            may = self.keys.get(key, [None])
            if there.get(key) not in may:
                raise KillsError(f"{key} is {there.get(key)}, and not one of {may}")
            self.keys[key] = [there.get(key)]


def kill_once(place: Place, state: State, rng: random.Random) -> bool:
    """One child, from its start to its death. Says whether it was killed at work."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        write(place, state.last, writing)
    os.close(writing)
    with open(reading, "rb", buffering=0) as report:
        said = report.read(5)
        time.sleep(rng.random() ** 2 * 0.1)
        os.kill(pid, signal.SIGKILL)
        said += report.readall()
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status):
        raise KillsError(f"the child ended by itself: {status}")
    lines = said.decode().splitlines()
    state.follow(lines)
    state.check(place)
    return bool(lines) and lines[-1] not in ("open", "done")


def run(kind: str, kills: int, seed: int) -> Tuple[int, int]:
    """Kill so many times; gives (how many while something was under way, how many changes were acknowledged)."""
    rng = random.Random(seed)
    state = State()
    with tempfile.TemporaryDirectory() as folder:
        place = KINDS[kind](pathlib.Path(folder), None)
        place.open().close()
        at_work = sum(kill_once(place, state, rng) for _ in range(kills))
    return at_work, state.last


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=KEPT, action="append")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for kind in arguments.kind or KEPT:
        started = time.monotonic()
        try:
            at_work, changes = run(kind, arguments.kills, arguments.seed)
        except pytest.skip.Exception as reason:
            print(f"{kind}: skipped: {reason}", flush=True)
            continue
        seconds = time.monotonic() - started
        print(
            f"{kind}: {arguments.kills} kills, {at_work} of them in the middle of a change; {changes} changes; {seconds:.0f} s", flush=True
        )


if __name__ == "__main__":
    try:
        main()
    except KillsError as broken:
        sys.exit(f"broken: {broken}")
