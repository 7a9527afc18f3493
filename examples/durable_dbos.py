"""A script as a DBOS workflow, with call_id as the idempotency key, killed again and again.

    pip install 'eryxsh[frameworks]'
    python examples/durable_dbos.py [--orders 8] [--kills 4] [--database URL]

DBOS keeps in a database which steps of a workflow have ended, and goes on behind the last one when a
process died. It knows nothing of what a step was in the middle of; a script that is suspended at a
tool call is that middle, as data. So each part of the script between two calls is a step, from one
commit of the store to the next, and each call is a workflow whose id is the ``call_id``: the part
that is done twice, because the process died before DBOS had noted it, makes the same call under the
same id, and DBOS gives the answer that it has. The bank is given the ``call_id``, too: whether it was
reached before the process died, only the bank can know.

The supervisor kills the worker (SIGKILL) at requests to the bank, and starts it anew.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from typing import List, Optional, TypedDict

from dbos import DBOS, SetWorkflowID

from eryxsh import Run, Sandbox, Store, ToolCall

SCRIPT = """
while IFS=, read -r order amount; do
    receipt=$(charge "$order" "$amount") && echo "$receipt" >> receipts && ((total += amount))
done < orders.csv
echo "charged $total in $(wc -l < receipts) orders"
"""
FOLDER = pathlib.Path(os.environ.get("ORDERS_FOLDER", "."))


class Part(TypedDict):
    """Where a part of the script ended: at a call, in a commit, or at the end."""

    run: str
    call_id: str
    args: List[str]
    output: str


def part(run: Run, store: Store) -> Part:
    """Go on to the next call."""
    with run.sandbox:
        event = run.next()
        if isinstance(event, ToolCall):
            return Part(run=run.dump(store=store), call_id=event.call_id, args=event.args, output="")
        return Part(run="", call_id="", args=[], output=run.result().check().stdout)


@DBOS.step()
def begin() -> Part:
    """The first part of the script."""
    files = {"/home/user/orders.csv": (FOLDER / "orders.csv").read_bytes()}
    with Store(FOLDER / "store") as store:
        return part(Sandbox(files=files, tools={"charge": None}, timeout=None).commands.start(SCRIPT), store)


@DBOS.step()
def go_on(before: Part, answer: str) -> Part:
    """The next part; done twice it is the same, with the same call_id at its end."""
    with Store(FOLDER / "store") as store:
        run = Run.load(before["run"], store=store, timeout=None)
        run.resume(before["call_id"], stdout=answer)
        return part(run, store)


@DBOS.step()
def ask_bank(call_id: str, order: str, amount: int) -> str:
    """The world outside, which remembers what it was asked under which id."""
    with bank() as db:
        db.execute("INSERT INTO requests VALUES (?, ?)", (call_id, os.getpid()))
        db.execute("INSERT OR IGNORE INTO charges VALUES (?, ?, ?)", (call_id, order, amount))
    db.close()
    time.sleep(0.1)  # the way back is long enough to die on it
    return f"receipt for {order}: {amount}"


@DBOS.workflow()
def charge(order: str, amount: str) -> str:
    """One tool call; its workflow id is the call_id."""
    return ask_bank(DBOS.workflow_id or "", order, int(amount))


@DBOS.workflow()
def shell() -> str:
    """The script, part by part."""
    now = begin()
    while now["call_id"]:
        with SetWorkflowID(now["call_id"]):
            receipt = charge(*now["args"])
        now = go_on(now, receipt)
    return now["output"]


def bank() -> sqlite3.Connection:
    """Its books."""
    db = sqlite3.connect(FOLDER / "bank.db", timeout=30)
    db.execute("CREATE TABLE IF NOT EXISTS charges (call_id TEXT PRIMARY KEY, bill TEXT, amount INTEGER)")
    db.execute("CREATE TABLE IF NOT EXISTS requests (call_id TEXT, life INTEGER)")
    return db


def worker(database: Optional[str]) -> None:
    """Begin the workflow, or go on with it."""
    url = database or f"sqlite:///{FOLDER}/dbos.db"
    DBOS(config={"name": "eryxsh-orders", "system_database_url": url, "log_level": "ERROR"})
    DBOS.launch()
    try:
        with SetWorkflowID(f"orders-{FOLDER.name}"):
            handle = DBOS.start_workflow(shell)
        (FOLDER / "done").write_text(handle.get_result())
    finally:
        DBOS.destroy()


def supervise(orders: int, kills: int, database: Optional[str]) -> int:
    """Kill the worker at requests to the bank, start it again, and look at the books."""
    (FOLDER / "orders.csv").write_text("".join(f"order-{i},{i % 7 + 1}\n" for i in range(orders)))
    killed = 0
    while not (FOLDER / "done").exists():
        command = [sys.executable, __file__, "--worker", *(["--database", database] if database else [])]
        process = subprocess.Popen(command, env={**os.environ, "ORDERS_FOLDER": str(FOLDER)})
        target = requests() + 2
        while process.poll() is None:
            if killed < kills and requests() >= target:
                process.send_signal(signal.SIGKILL)
                killed += 1
                break
            time.sleep(0.02)
        if process.wait() > 0:
            print(f"the worker failed with status {process.returncode}")
            return 1
    with bank() as db:
        charged = db.execute("SELECT bill, amount FROM charges ORDER BY rowid").fetchall()
        asked = db.execute("SELECT call_id, COUNT(*) FROM requests GROUP BY call_id").fetchall()
    db.close()
    assert charged == [(f"order-{i}", i % 7 + 1) for i in range(orders)], charged
    assert len(asked) == orders, asked
    assert sum(count for _, count in asked) <= orders + killed, asked
    output = (FOLDER / "done").read_text()
    assert output == f"charged {sum(amount for _, amount in charged)} in {orders} orders\n", output
    print(output, end="")
    again = sum(count > 1 for _, count in asked)
    print(f"{killed} kills; {len(charged)} charges, {again} of them asked for again under the same call_id")
    return 0


def requests() -> int:
    """How often the bank was asked."""
    with bank() as db:
        (count,) = db.execute("SELECT COUNT(*) FROM requests").fetchone()
    db.close()
    return int(count)


def main(arguments: List[str]) -> int:
    """The command line."""
    global FOLDER
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--orders", type=int, default=8)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--database", help="a URL of DBOS's, as postgresql://…; by default an SQLite file")
    parser.add_argument("--worker", action="store_true", help="be the worker")
    options = parser.parse_args(arguments)
    if options.worker:
        worker(options.database)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        return supervise(options.orders, options.kills, options.database)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
