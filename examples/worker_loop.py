"""A worker that may be killed at any time, and a supervisor that kills it.

    python examples/worker_loop.py [--seconds-between-kills 1] [--orders 60]

The worker runs a script that charges a list of orders through a tool. Whenever a call
comes it saves the running script, makes the call, answers, and goes on. The supervisor
kills it (SIGKILL, no warning) again and again and starts it anew from the last saved
state. At the end every order has been charged exactly once:

* a call that returned before a state was saved is never made again from that state;
* a call that was pending is offered again with the same ``call_id``. The worker may
  have died between the charge and the next save: only the bank can know, so the
  ``call_id`` is the idempotency key it is given.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from typing import List

from eryxsh import Finished, Run, Sandbox, ToolCall

SCRIPT = """
total=0
while IFS=, read -r order amount; do
    if receipt=$(charge "$order" "$amount"); then
        ((total += amount))
        echo "$receipt" >> receipts
    fi
    sleep 0.02
done < orders.csv
echo "charged $total in $(wc -l < receipts) orders"
"""


class Bank:
    """The outside world, with a memory of its own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.db = sqlite3.connect(folder / "bank.db", timeout=30)
        with self.db:
            self.db.execute("CREATE TABLE IF NOT EXISTS charges (call_id TEXT PRIMARY KEY, bill TEXT, amount INTEGER)")
            self.db.execute("CREATE TABLE IF NOT EXISTS requests (call_id TEXT, life INTEGER)")

    def charge(self, call_id: str, bill: str, amount: int) -> str:
        """Charge; asked again under the same id, it gives the same receipt and takes no money."""
        with self.db:
            self.db.execute("INSERT INTO requests VALUES (?, ?)", (call_id, os.getpid()))
            self.db.execute("INSERT OR IGNORE INTO charges VALUES (?, ?, ?)", (call_id, bill, amount))
        return f"receipt for {bill}: {amount}"


def save(run: Run, folder: pathlib.Path) -> None:
    """Replace the saved state, whole or not at all."""
    temporary = folder / "state.new"
    with temporary.open("wb") as file:
        file.write(run.dump())
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / "state")


def worker(folder: pathlib.Path) -> None:
    """Go on from the saved state, or begin."""
    state = folder / "state"
    bank = Bank(folder)
    if state.exists():
        run = Run.load(state.read_bytes(), tools={"charge": None})
    else:
        orders = (folder / "orders.csv").read_bytes()
        sandbox = Sandbox(files={"/home/user/orders.csv": orders}, tools={"charge": None}, timeout=None)
        run = sandbox.commands.start(SCRIPT)
    while not isinstance(event := run.next(), Finished):
        assert isinstance(event, ToolCall)
        save(run, folder)  # from here on this call is pending in the saved state
        bill, amount = event.args
        run.resume(event, stdout=bank.charge(event.call_id, bill, int(amount)))
    (folder / "done").write_text(event.result.stdout)


def supervise(folder: pathlib.Path, seconds: float, orders: int) -> int:
    """Start the worker and kill it until it has finished; say what the bank saw."""
    lines = [f"order-{i},{i % 7 + 1}" for i in range(orders)]
    (folder / "orders.csv").write_text("\n".join(lines) + "\n")
    lives = 0
    while not (folder / "done").exists():
        lives += 1
        process = subprocess.Popen([sys.executable, __file__, "--worker", str(folder)])
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        if process.returncode > 0:
            print(f"the worker failed with status {process.returncode}")
            return 1
    bank = Bank(folder).db
    charges = bank.execute("SELECT bill, amount FROM charges").fetchall()
    requests = bank.execute("SELECT call_id, COUNT(*) FROM requests GROUP BY call_id").fetchall()
    assert len(requests) == len(charges) == orders, (len(requests), len(charges))
    assert collections.Counter(bill for bill, _ in charges) == {f"order-{i}": 1 for i in range(orders)}
    output = (folder / "done").read_text()
    assert output == f"charged {sum(amount for _, amount in charges)} in {orders} orders\n", output
    print(output, end="")
    again = sum(count > 1 for _, count in requests)
    print(f"{lives} lives, {lives - 1} kills; {len(charges)} charges, {again} of them asked for again under the same call_id")
    return 0


def main(arguments: List[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--worker", type=pathlib.Path, help="be the worker, with its state in this folder")
    parser.add_argument("--seconds-between-kills", type=float, default=1.0, dest="seconds")
    parser.add_argument("--orders", type=int, default=120)
    options = parser.parse_args(arguments)
    if options.worker:
        worker(options.worker)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        status = supervise(pathlib.Path(folder), options.seconds, options.orders)
        print(f"{time.monotonic() - started:.1f} s")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
