"""eryxsh.ray on a cluster of this machine: what travels, order, errors, runs, and workers that are killed."""

from __future__ import annotations

import os
import pathlib
import signal
import sqlite3
import threading
import time
from collections import Counter
from typing import Any, Callable, Iterator, List, Tuple

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray: Any = pytest.importorskip("ray", reason="Ray is not installed: pip install 'eryxsh[frameworks]'")

import servers  # noqa: E402
from eryxsh import CommandResult, ConflictError, Run, RunSuspended, Sandbox, Store, ToolCall  # noqa: E402
from eryxsh.ray import Actor, Pool  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning"), pytest.mark.filterwarnings("ignore::DeprecationWarning")]

SIZE = 8_000_000


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Two worker processes."""
    try:
        ray.init(**servers.ray())
    except servers.Unavailable as reason:
        pytest.skip(str(reason))
    yield
    ray.shutdown()


@pytest.fixture
def store(tmp_path: pathlib.Path) -> Iterator[Store]:
    """A place that all workers reach."""
    with Store(tmp_path / "store") as made:
        yield made


@pytest.fixture
def base() -> Sandbox:
    """A sandbox of some size."""
    return Sandbox(files={"/data": os.urandom(SIZE)}, env={"GREETING": "hello"})


def ledger(path: str) -> Callable[[ToolCall], str]:
    """A tool that keeps a book of its calls outside: who asked, under which id."""

    def charge(call: ToolCall) -> str:
        with sqlite3.connect(path, timeout=30) as book:
            book.execute("INSERT INTO asked VALUES (?, ?)", (call.call_id, os.getpid()))
            book.execute("INSERT OR IGNORE INTO charged VALUES (?, ?)", (call.call_id, call.args[0]))
        book.close()
        time.sleep(0.05)
        return f"receipt {call.args[0]}\n"

    return charge


class Book:
    """What the ledger has."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = str(path)
        self._all("CREATE TABLE asked (id TEXT, pid INTEGER)")
        self._all("CREATE TABLE charged (id TEXT PRIMARY KEY, what TEXT)")

    def _all(self, sql: str) -> List[Tuple[Any, ...]]:
        book = sqlite3.connect(self.path, timeout=30)
        with book:
            rows = book.execute(sql).fetchall()
        book.close()
        return rows

    def charged(self) -> Counter[str]:
        """How often each thing was charged."""
        return Counter(what for (what,) in self._all("SELECT what FROM charged"))

    def asked(self) -> List[Tuple[str, int]]:
        """Every request: its call_id and the process it came from."""
        return self._all("SELECT id, pid FROM asked ORDER BY rowid")

    def kill_at(self, counts: List[int]) -> threading.Thread:
        """Kill the process that made the n-th request, for each n."""

        def watch() -> None:
            for count in counts:
                while len(self.asked()) < count:
                    time.sleep(0.01)
                os.kill(self.asked()[-1][1], signal.SIGKILL)

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        return thread


@pytest.fixture
def book(tmp_path: pathlib.Path) -> Book:
    """An empty one."""
    return Book(tmp_path / "ledger.db")


SHOP = 'for i in 1 2 3 4 5 6; do receipt=$(charge "$ITEM-$i") && echo "$receipt" >> log; done; wc -l < log; echo $BASHPID'


def test_scripts_and_functions(store: Store, base: Sandbox) -> None:
    """Results in order, whatever the chunks; the base as it was; an item that fails fails alone."""
    base.commands.run("count() { wc -c < /data; }")
    with Pool(base, store=store, workers=2) as pool:
        for chunk in (None, 1, 7):
            results = list(pool.map('echo "$GREETING $ITEM $(count)"; echo more >> /data', range(20), chunk=chunk))
            assert [r.stdout for r in results] == [f"hello {i} {SIZE}\n" for i in range(20)]
        assert next(pool.map("echo $a$b", [{"a": 1, "b": "x"}])).stdout == "1x\n"

        def inverse(sandbox: Sandbox, item: int) -> Tuple[float, int]:
            return 1 / item, int(sandbox.commands.run("count").stdout)

        answers = pool.map(inverse, iter([2, 0, 4]))
        assert next(answers) == (0.5, SIZE)
        with pytest.raises(ZeroDivisionError):
            next(answers)
        assert list(answers) == [(0.25, SIZE)]
        assert pool.submit(inverse, 8).result(30) == (0.125, SIZE)
        with pytest.raises(TypeError, match="does not pickle"):
            pool.submit(lambda sandbox, item: threading.Lock()).result(30)
        assert list(pool.map("true", [])) == []
    assert store.namespaces() == []


def test_what_travels_is_the_difference(store: Store, base: Sandbox) -> None:
    """Sandboxes come back as what changed, and can be used and sent on; no fork has another's random numbers or ids."""
    with Pool(base, store=store, workers=2) as pool:

        def work(sandbox: Sandbox, item: int) -> Tuple[Sandbox, str]:
            return sandbox, sandbox.commands.run(f"echo {item} > /own; echo $RANDOM$RANDOM$RANDOM").stdout

        sandboxes, numbers = zip(*pool.map(work, range(100)))
        assert len(set(numbers)) == 100
        traffic = pool.traffic
        assert traffic.items == 100
        assert (traffic.sent + traffic.received) / 100 < 6000
        assert sandboxes[7].commands.run("cat /own; wc -c < /data; echo $GREETING").stdout == f"7\n{SIZE}\nhello\n"

        def later(sandbox: Sandbox, item: Sandbox) -> str:
            return item.commands.run("cat /own").stdout

        assert "".join(pool.map(later, sandboxes[::10])) == "".join(f"{i}\n" for i in range(0, 100, 10))
        assert (pool.traffic.sent - traffic.sent) / 10 < 8000
        drawn = list(pool.map("echo $RANDOM", range(3)))
    assert len({r.stdout for r in drawn} | set(numbers)) == 103
    assert sandboxes[8].commands.run("cat /own").stdout == "8\n"  # the pool was given the base: it is there still


def test_a_base_in_the_store(store: Store, tmp_path: pathlib.Path, book: Book) -> None:
    """A base by its commit; its tools and timeout are told."""
    commit = store.save(Sandbox(tools={"charge": lambda call: None}, env={"x": "1"}), "shop")
    with Pool(f"shop@{commit}", store=tmp_path / "store", tools={"charge": ledger(book.path)}, timeout=1) as pool:
        assert next(pool.map('echo $x; charge "$ITEM"; sleep 60', ["a"])).stdout == "1\nreceipt a\n"
    assert book.charged() == {"a": 1}
    assert store.namespaces() == ["shop"]


def test_seeds(store: Store) -> None:
    """The same seed draws the same numbers, whatever the workers."""
    seen = []
    for workers in (1, 2):
        with Pool(Sandbox(), store=store, workers=workers, seed=5) as pool:
            seen.append([r.stdout for r in pool.map("echo $RANDOM", range(10), chunk=workers)])
    assert seen[0] == seen[1]


def test_suspended_runs(store: Store, base: Sandbox) -> None:
    """A script that waits for an answer from outside comes back as a run, and goes on on a worker."""
    with Sandbox(files={"/data": os.urandom(SIZE)}, tools={"ask": None}) as asking, Pool(asking, store=store) as pool:
        runs: List[Run] = list(pool.map('echo "$ITEM: $(ask "$ITEM")"; echo "$(ask again)"', "abc"))
        ids = {run.pending()[0].call_id for run in runs}
        assert len(ids) == 3
        for run in runs:
            (call,) = run.pending()
            run.resume(call.call_id, stdout=f"<{call.args[0]}>")
        again: List[Run] = list(pool.drive(runs))
        assert [run.id for run in again] == [run.id for run in runs]
        assert not ids & {run.pending()[0].call_id for run in again}
        for run in again:
            run.resume(run.pending()[0].call_id, stdout="end")
        assert [r.stdout for r in pool.drive(again)] == [f"{c}: <{c}>\nend\n" for c in "abc"]
        assert pool.traffic.sent + pool.traffic.received < 200_000


def test_forks_of_a_suspended_run(store: Store) -> None:
    """A base may be a script in its middle: each fork goes on from there, its pending call under an id of its own."""
    with Sandbox(tools={"ask": None}, seed=3) as sandbox:
        sandbox.commands.start('x=before; y=$(ask); echo "$x $y"').next()

        def answer(fork: Sandbox, item: int) -> Tuple[str, str]:
            run = fork.runs.active()
            assert run is not None
            (call,) = run.pending()
            run.resume(call.call_id, stdout=str(item))
            return call.call_id, run.drive().stdout

        with Pool(sandbox, store=store, workers=2) as pool:
            ids, said = zip(*pool.map(answer, range(40), chunk=2))
    assert said == tuple(f"before {i}\n" for i in range(40))
    assert len(set(ids)) == 40


def test_killed_workers(store: Store, book: Book) -> None:
    """Runs go on elsewhere from where they were saved: every charge once, under one id, and no answered call again."""
    with Pool(Sandbox(tools={"charge": ledger(book.path)}), store=store, workers=2) as pool:
        watch = book.kill_at([5, 14, 22])
        results: List[CommandResult] = list(pool.map(SHOP, "abcdef", job="shop"))
        watch.join(30)
        assert not watch.is_alive()
        assert [r.stdout.split("\n")[0] for r in results] == ["6"] * 6
        assert book.charged() == {f"{c}-{i}": 1 for c in "abcdef" for i in range(1, 7)}
        asked = Counter(id for id, _ in book.asked())
        assert len(asked) == 36
        assert 36 <= sum(asked.values()) <= 36 + 2 * 3  # two workers, three kills: what was pending there, and no more
        assert len({pid for _, pid in book.asked()}) >= 4
        assert pool.forget("shop") == 6


def test_functions_go_on_from_what_they_saved(store: Store, book: Book) -> None:
    """A function is called again with the sandbox as it was saved."""
    with Pool(Sandbox(), store=store, workers=2) as pool:
        path = book.path

        def work(sandbox: Sandbox, item: str) -> str:
            while sandbox.commands.run("cat steps 2>/dev/null | wc -l").stdout != "6\n":
                sandbox.commands.run("echo step >> steps")
                sandbox.save_state()
                step = sandbox.commands.run("wc -l < steps").stdout.strip()
                with sqlite3.connect(path, timeout=30) as db:
                    db.execute("INSERT INTO asked VALUES (?, ?)", (f"{item}-{step}", os.getpid()))
                db.close()
                time.sleep(0.05)
            return sandbox.commands.run("wc -l < steps").stdout

        watch = book.kill_at([3, 11])
        assert list(pool.map(work, "abcd", job="steps")) == ["6\n"] * 4
        watch.join(30)
        assert not watch.is_alive()
        assert max(Counter(id for id, _ in book.asked()).values()) == 1  # no step twice


def test_a_driver_that_died(store: Store, book: Book) -> None:
    """Another pool with the same job goes on where the first was."""
    with Pool(Sandbox(tools={"charge": None}), store=store) as pool:
        run: Run = pool.submit(SHOP, "a", job="j").result(30)
        (call,) = run.pending()
    with Pool(Sandbox(tools={"charge": ledger(book.path)}), store=store) as pool:
        assert pool.submit(SHOP, "a", job="j").result(30).ok
    assert book.asked()[0][0] == call.call_id


def test_a_worker_that_always_dies(store: Store) -> None:
    """The error is Ray's, in the place of the item; the others have their results."""

    def work(sandbox: Sandbox, item: int) -> int:
        if item == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return item

    with Pool(Sandbox(), store=store, workers=2, retries=1) as pool:
        answers = pool.map(work, range(3), chunk=1)
        assert next(answers) == 0
        with pytest.raises(ray.exceptions.WorkerCrashedError):
            next(answers)
        assert list(answers) == [2]


def test_actors(store: Store, base: Sandbox) -> None:
    """A shell that lasts, in another process; functions; a namespace that outlives it."""
    with Pool(base, store=store) as pool:
        with pool.actor("mine") as actor:
            assert actor.run("x=1; cd /tmp; wc -c < /data").stdout == f"{SIZE}\n"
            assert actor.run("echo $x $PWD").stdout == "1 /tmp\n"
            assert actor.call(lambda sandbox, n: sandbox.commands.run(f"echo $((x + {n}))").stdout, 4) == "5\n"
            with pytest.raises(FileNotFoundError):
                actor.call(lambda sandbox: sandbox.files.read("/none"))
            assert actor.call(lambda sandbox: sandbox).commands.run("echo $x").stdout == "1\n"
        with pool.actor("mine") as actor:
            assert actor.run("echo $x").stdout == "1\n"
            other = pool.actor("mine")
            other.run("x=2")
            with pytest.raises(ConflictError):
                actor.run("x=3")
            other.close()
        with pool.actor() as actor:
            assert actor.run("echo $x$GREETING").stdout == "hello\n"
    assert store.namespaces() == ["mine"]
    assert store.load("mine").commands.run("echo $x").stdout == "2\n"


def test_killed_actor(store: Store, book: Book) -> None:
    """Killed while it works and while it waits: no command counts twice, each charge is made once."""
    with Pool(Sandbox(tools={"charge": ledger(book.path), "ask": None}), store=store) as pool, pool.actor("a") as actor:
        actor.run("n=1")
        os.kill(pid_of(actor), signal.SIGKILL)
        assert actor.run("echo $((++n))").stdout == "2\n"
        watch = book.kill_at([3, 6])
        first = actor.run("ITEM=a; ((n++)); " + SHOP)
        watch.join(30)
        assert not watch.is_alive()
        assert first.stdout.startswith("6\n")
        assert actor.run("echo $n").stdout == "3\n"
        assert book.charged() == {f"a-{i}": 1 for i in range(1, 7)}
        assert len({id for id, _ in book.asked()}) == 6
        with pytest.raises(RunSuspended) as waiting:
            actor.run("((n++)); a=$(ask name); ((n++)); charge $a; echo $n")
        (call,) = waiting.value.run.pending()
        os.kill(pid_of(actor), signal.SIGKILL)
        watch = book.kill_at([len(book.asked()) + 1])
        assert actor.resume(call.call_id, stdout="later").stdout.endswith("receipt later\n5\n")
        watch.join(30)
        assert not watch.is_alive()
        assert book.charged()["later"] == 1


def pid_of(actor: Actor) -> int:
    """The process that has the sandbox."""
    return int(actor.call(lambda sandbox: os.getpid()))


def test_an_answer_that_was_lost(store: Store, tmp_path: pathlib.Path) -> None:
    """A process that did it all, saved it, and died before it could say so: it is done again from the state before."""
    mark = tmp_path / "died"

    def dies_once(sandbox: Sandbox) -> str:
        sandbox.commands.run("((n++))")
        if not mark.exists():
            mark.write_text("")
            threading.Thread(target=die_after_save, args=(str(store.backend.path), "a"), daemon=True).start()  # type: ignore[attr-defined]
            sandbox.commands.run("true")
        return sandbox.commands.run("echo $n").stdout

    def die_after_save(path: str, namespace: str) -> None:
        with Store(path) as other:
            while not other.log(namespace, limit=1)[0].note.startswith("after"):
                pass
        os.kill(os.getpid(), signal.SIGKILL)

    with Pool(Sandbox(), store=store) as pool, pool.actor("a") as actor:
        assert actor.call(dies_once) == "1\n"
        assert mark.exists()
        assert actor.run("echo $n").stdout == "1\n"


def test_what_makes_no_sense(tmp_path: pathlib.Path) -> None:
    """Arguments that do not fit are refused before anything is saved."""
    with pytest.raises(ValueError, match="other processes"):
        Pool(Sandbox(), store={})
    with pytest.raises(ValueError, match="NAMESPACE@COMMIT"):
        Pool("base", store=tmp_path / "s")
    with pytest.raises(ValueError, match="a pool of 0"):
        Pool(Sandbox(), store=tmp_path / "s", workers=0)
    with pytest.raises(TypeError, match="of its own"):
        Pool(Sandbox(), store=tmp_path / "s", tools={})
    with Pool(Sandbox(), store=tmp_path / "s") as pool, pytest.raises(ValueError, match="chunks of 0"):
        pool.map("true", [1], chunk=0)
