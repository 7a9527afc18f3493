"""A process saves in a loop and is killed at a random instant; what it has said to be saved must be there.

    python tests/kills_store.py [--kills 1000] [--place directory|sqlite|redis|postgres|s3] [--seed N]

After each kill the store is opened again: ``verify`` is clean, the last acknowledged save is in the
history, with everything before it, and the next process goes on from there. Every tenth time rubbish is
collected, and the history shortened, while the child writes.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import random
import signal
import tempfile
import time
from typing import Any, Dict, NamedTuple, Tuple

from eryxsh import Sandbox, Store

NAMESPACE = "kills"
FRESH = multiprocessing.get_context("forkserver")  # children of a process that has imported what they need, and done nothing yet
FRESH.set_forkserver_preload(["__main__", "eryxsh._store", "s3fs", "redis", "psycopg"])  # those that are installed


class Place(NamedTuple):
    """What names a store, as plain data."""

    where: str
    options: Dict[str, Any]

    def store(self) -> Store:
        """Open it."""
        return Store(self.where, **self.options)


def child(place: Place, first: int, report: Any) -> None:
    """Save for ever; the number of each save that was acknowledged."""
    with place.store() as store, Sandbox(persistence="session", namespace=NAMESPACE, store=store) as sb:
        if not sb.load_state():
            sb.files.write("/base", os.urandom(300_000))
        n = first
        while True:
            n += 1
            sb.commands.run(
                f"n={n}; echo {n} >> log; echo {n} > f{n % 50}; rm -f f{(n + 7) % 50}; head -c {n % 9 * 5000} /dev/urandom > data"
            )
            sb.save_state()
            report.send(n)


def places(kind: str, top: str) -> Tuple[Place, Any]:
    """What names a store of a kind, and what must live while it is used."""
    if kind == "directory":
        return Place(os.path.join(top, "store"), {}), None
    if kind == "sqlite":
        return Place(f"sqlite:///{top}/store.db", {}), None
    import servers

    server = {"redis": servers.redis, "postgres": servers.postgres, "s3": servers.s3}[kind]()
    if kind == "s3":
        options = {"endpoint_url": server.url, "key": "test", "secret": "test", "client_kwargs": {"region_name": "us-east-1"}}
        return Place(f"s3://bucket/{os.urandom(4).hex()}", options), server
    return Place(server.url, {}), server


def once(place: Place, seen: int, rng: random.Random, collect: bool) -> int:
    """Start a child, kill it, and look; the number of the last save."""
    hearing, report = FRESH.Pipe(duplex=False)
    process = FRESH.Process(target=child, args=(place, seen, report))
    process.start()
    report.close()
    said = [hearing.recv()]  # it has begun
    time.sleep(rng.random() ** 2 * 0.4)
    if collect:
        with place.store() as store:
            store.gc(keep=20)
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    with contextlib.suppress(EOFError), hearing:
        while True:
            said.append(hearing.recv())
    acknowledged = said[-1]
    with place.store() as store:
        faults = store.verify(NAMESPACE)
        assert faults == [], faults
        with store.load(NAMESPACE) as sb:
            log = [int(line) for line in sb.files.read_text("log").split()]
            assert log == list(range(1, len(log) + 1)), "a save in the middle is gone"
            assert len(log) >= acknowledged, f"save {acknowledged} was acknowledged, {len(log)} is there"
            assert len(log) <= acknowledged + 1
            assert sb.files.stat("/base").size == 300_000
            assert sb.commands.run("echo $n").stdout == f"{len(log)}\n"
        return len(log)


def campaign(kind: str, kills: int, seed: int) -> int:
    """So many kills; how many saves survived them."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as top:
        place, server = places(kind, top)
        seen = 0
        for i in range(kills):
            seen = once(place, seen, rng, i % 10 == 9)
            if seen > (60 if kind == "s3" else 400):  # a history that is verified whole each time, by many requests, must not become long
                with place.store() as store:
                    store.delete(NAMESPACE)
                    store.gc(grace=0)
                seen = 0
        del server
        return seen


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--place", default="directory", choices=["directory", "sqlite", "redis", "postgres", "s3"])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    campaign(options.place, options.kills, options.seed)
    print(f"{options.kills} kills, {options.place}: every store opened, verified clean, every acknowledged save was there")


if __name__ == "__main__":
    main()
