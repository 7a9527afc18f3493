"""Stores: commits, names, sharing, care, and what a second reader makes of them."""

from __future__ import annotations

import datetime
import multiprocessing
import os
import random
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import pytest

import second_reader
from eryxsh import ConflictError, Limits, PersistenceError, Run, RunGoneError, Sandbox, StateError, Store
from eryxsh._errors import CapabilityError

Place = Dict[str, bytes]


def size(place: Place) -> int:
    return sum(map(len, place.values()))


def files_of(sb: Sandbox) -> Dict[str, Any]:
    return {
        f.path: (f.type, f.mode, f.target, sb.files.read(f.path) if f.type == "file" else None)
        for f in sb.files.list("/", recursive=True)
        if not f.path.startswith(("/dev", "/proc", "/usr/bin/", "/bin/"))
    }


def test_a_state_comes_back() -> None:
    store = Store({})
    with Sandbox() as sb:
        sb.files.write("/data/big", os.urandom(1_000_000))
        sb.commands.run(
            "x=5; a=(1 2 3); f() { echo $x; }; cd /tmp; ln -s /data/big link; mkdir -m 700 d; for i in {1..500}; do echo $i > d/$i; done"
        )
        sb.snapshot("before")
        sb.commands.run("rm d/1*")
        store.save(sb, "work")
        with store.load("work") as back:
            assert files_of(back) == files_of(sb)
            assert back.commands.run('f; echo "${a[@]}"; pwd').stdout == "5\n1 2 3\n/tmp\n"
            back.restore("before")
            assert back.files.exists("/tmp/d/1")


def test_a_save_writes_what_changed() -> None:
    place: Place = {}
    store = Store(place)
    with Sandbox() as sb:
        sb.files.write("/data", os.urandom(5_000_000))
        sb.commands.run("mkdir d; cd d; for i in {1..2000}; do echo $i > $i; done")
        store.save(sb)
        for command in ("echo new > 77", "x=1", "mkdir e", "mv 5 e/5", "rm 6"):
            sb.commands.run(command)
            before = size(place)
            store.save(sb)
            assert size(place) - before < 4096, command


def test_what_did_not_change_is_not_written_again() -> None:
    place: Place = {}
    with Sandbox(persistence="persistent", store=place, namespace="n") as sb:
        sb.commands.run("echo 1 > f")
    before = dict(place)
    with Sandbox(persistence="persistent", store=place, namespace="n") as sb:
        assert sb.files.read_text("f") == "1\n"
        sb.files.list("/")
    assert {k: v for k, v in place.items() if not k.startswith("locks/")} == {k: v for k, v in before.items() if not k.startswith("locks/")}


def test_the_log_and_older_states() -> None:
    store = Store({})
    with Sandbox() as sb:
        ids = []
        for i in range(30):
            sb.commands.run(f"echo {i} > f")
            ids.append(store.save(sb, note="ten" if i == 10 else ""))
    log = store.log()
    assert [c.id for c in log] == ids[::-1]
    assert [c.parents for c in log] == [(id,) for id in ids[-2::-1]] + [()]
    assert [c.command for c in log[:2]] == ["echo 29 > f", "echo 28 > f"]
    assert log[19].note == "ten"
    assert [c.id for c in store.log(limit=3)] == ids[:-4:-1]
    for i in (0, 7, 29):
        assert store.checkout(commit=ids[i]).files.read_text("f") == f"{i}\n"
    with pytest.raises(StateError):
        store.load(commit="00" * 32)
    with pytest.raises(KeyError):
        store.load("nobody")


def test_branches_and_tags() -> None:
    store = Store({})
    with Sandbox() as sb:
        sb.commands.run("echo 1 > f")
        first = store.save(sb, "n")
        sb.commands.run("echo 2 > f")
        store.save(sb, "n")
    store.branch("n", "other", at=first)
    store.tag("n", "v1", at=first)
    with pytest.raises(ConflictError):
        store.tag("n", "v1")
    with pytest.raises(ConflictError):
        store.branch("n", "main")
    with pytest.raises(KeyError):
        store.branch("n", "third", at="11" * 32)
    with store.load("n", branch="other") as sb:
        assert sb.files.read_text("f") == "1\n"
        sb.commands.run("echo 3 > f")
        store.save(sb, "n", branch="other")
    assert store.branches("n") == ["main", "other"]
    assert store.tags("n") == ["v1"]
    assert [store.load("n", branch=b).files.read_text("f") for b in ("main", "other")] == ["2\n", "3\n"]
    assert len(store.log("n", branch="other")) == 2
    assert store.load("n", tag="v1").files.read_text("f") == "1\n"
    assert store.delete("n", tag="v1")
    assert not store.delete("n", tag="v1")
    assert store.tags("n") == []
    assert store.verify() == []


def test_names_are_exact() -> None:
    store = Store({})
    names = ["a/b", "a_b", "A_B", "a b", "ä", "a%2fb", ".", "..", "a.b", "\udc80"]
    for name in names:
        with Sandbox(files={"/f": name.encode("utf-8", "surrogateescape")}) as sb:
            store.save(sb, name)
    assert store.namespaces() == sorted(names)
    for name in names:
        assert store.load(name).files.read("/f") == name.encode("utf-8", "surrogateescape")
    for bad in ("", "x" * 200):
        with pytest.raises(ValueError, match="namespace"):
            store.log(bad)


def test_namespaces_share_content() -> None:
    place: Place = {}
    store = Store(place)
    content = os.urandom(3_000_000)
    for i in range(5):
        with Sandbox(files={f"/file{i}": content}) as sb:
            store.save(sb, f"n{i}")
        assert size(place) < 3_200_000
    with Sandbox() as base:
        base.files.write("/base", os.urandom(2_000_000))
        store.save(base, "base")
        before = size(place)
        for i, child in enumerate(base.fork(5)):
            child.commands.run(f"echo {i} > f")
            store.save(child, f"child{i}")
        assert size(place) - before < 5 * 4096
    assert store.delete("n0")
    assert store.delete("base")
    store.gc(grace=0)
    assert store.verify() == []
    assert store.load("n4").files.read("/file4") == content
    assert store.load("child3").commands.run("cat f; wc -c < /base").stdout == "3\n2000000\n"


def test_gc_deletes_what_nothing_leads_to_and_nothing_else() -> None:
    place: Place = {}
    store = Store(place)
    with Sandbox(files={"/f": os.urandom(500_000)}) as sb:
        store.save(sb, "n")
    with Sandbox(files={"/f": os.urandom(400_000)}) as sb:
        store.save(sb, "m")
    store.delete("n")
    assert store.gc().packs == 0, "younger than the grace period"
    collected = store.gc(grace=0)
    assert collected.packs >= 1
    assert collected.bytes > 500_000
    assert 400_000 < size(place) < 450_000
    assert store.verify() == []
    assert store.gc(grace=0).packs == 0
    assert store.load("m").files.stat("/f").size == 400_000


def test_a_doomed_pack_is_not_used_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    place: Place = {}
    store = Store(place)
    content = os.urandom(500_000)
    with Sandbox(files={"/f": content}) as sb:
        store.save(sb, "n")
        base = sb.fork()
    store.delete("n")
    for key in [k for k in place if k.startswith("packs/")]:
        place["doomed/" + key.rpartition("/")[2]] = b""
    with Sandbox(files={"/g": content}) as sb:  # by hooks
        store.save(sb, "m")
    base.commands.run("echo 1 > x")  # by what it was forked from
    store.save(base, "k")
    store.gc(grace=0)
    assert store.verify() == []
    assert store.load("k").commands.run("cat x; wc -c < /f").stdout == "1\n500000\n"
    assert store.load("m").files.read("/g") == content


@pytest.mark.parametrize("kind", ["packs/", "refs/", "store"])
def test_no_flipped_bit_goes_unnoticed(kind: str) -> None:
    place: Place = {}
    store = Store(place)
    with Sandbox(files={"/f": os.urandom(40_000)}) as sb:
        sb.commands.run("mkdir d; touch d/{1..100}")
        store.save(sb)
        sb.commands.run("echo 1 > d/5")
        store.save(sb)
    assert store.verify() == []
    rng = random.Random(5)
    for key in [k for k in place if k.startswith(kind)]:
        whole = place[key]
        for _ in range(60):
            at, bit = rng.randrange(len(whole)), rng.randrange(8)
            place[key] = whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :]
            if kind == "store":
                if at < 15:
                    with pytest.raises(StateError):
                        Store(place).load()
                continue
            assert store.verify() != [], (key, at, bit)
            try:
                with Store(place).load() as back:  # a part that it does not need
                    assert back.files.stat("/f").size == 40_000
            except StateError:
                pass
        for cut in (0, 1, 20, len(whole) // 2, len(whole) - 1):
            place[key] = whole[:cut]
            if kind != "store":
                assert store.verify() != []
        place[key] = whole
    del place[next(k for k in place if k.startswith("packs/"))]
    assert "missing" in store.verify()[0]
    with pytest.raises(StateError, match="missing"):
        store.load()


def test_the_second_save_of_two_is_a_conflict() -> None:
    place: Place = {}
    one = Sandbox(persistence="session", store=place)
    two = Sandbox(persistence="session", store=place)
    one.commands.run("echo 1 > f")
    two.commands.run("echo 2 > f")
    one.save_state()
    with pytest.raises(ConflictError, match="default"):
        two.save_state()
    assert Store(place).load().files.read_text("f") == "1\n"
    assert two.load_state()
    assert two.files.read_text("f") == "1\n"
    two.commands.run("echo 2 > f")
    two.save_state()
    with pytest.raises(ConflictError):
        one.save_state()
    assert [c.command for c in Store(place).log()] == ["echo 2 > f", "echo 1 > f"]
    one.close()
    two.close()


def test_modes() -> None:
    place: Place = {}
    with Sandbox(persistence="session", store=place) as sb:
        assert not sb.load_state()
        sb.commands.run("x=1; echo 1 > f")
        sb.save_state(note="first")
        sb.commands.run("rm f")
    with Sandbox(persistence="session", store=place) as sb:
        assert not sb.files.exists("f"), "a session loads when it is told to"
        assert sb.load_state()
        assert sb.commands.run("echo $x; cat f").stdout == "1\n1\n"
        sb.clear_persisted_state()
        assert not sb.load_state()
        assert sb.files.exists("f")
    for wrong in ({"persistence": "sometimes"}, {"persistence": "session", "namespace": ""}):
        with pytest.raises(ValueError, match=r"persistence|namespace"):
            Sandbox(**wrong)  # type: ignore[arg-type]
    with pytest.raises(PersistenceError, match="ephemeral"):
        Sandbox(store=place)
    with Sandbox() as sb, pytest.raises(PersistenceError, match="session"):
        sb.save_state()


def test_a_persistent_sandbox_is_saved_by_itself() -> None:
    place: Place = {}
    store = Store(place)
    with Sandbox(persistence="persistent", store=store, files={"/given": "1"}) as sb:
        sb.commands.run("x=1")
        until(lambda: store.log())
        sb.env["y"] = "2"
        until(lambda: store.load().env.get("y") == "2")
        sb.files.write("/f", "3")
        until(lambda: store.load().files.exists("/f"))
        n = len(store.log())
        sb.commands.run("echo last > last")
    assert len(store.log()) == n + 1
    with Sandbox(persistence="persistent", store=store) as sb:
        assert sb.commands.run("echo $x $y; cat /given /f last").stdout == "1 2\n13last\n"
    fork = Sandbox(persistence="persistent", store=store).fork()
    fork.commands.run("echo fork > g")
    with pytest.raises(PersistenceError):
        fork.save_state()


def test_a_checkpoint_is_saved() -> None:
    store = Store({})
    with Sandbox(persistence="persistent", store=store) as sb:
        run = sb.commands.start("echo 1 > f; checkpoint here; echo 2 > f")
        while type(run.next()).__name__ != "Checkpoint":
            pass
        assert store.load().files.read_text("f") == "1\n"
        back = store.load().runs.active()
        assert back is not None
        back.drive()
        assert back.sandbox.files.read_text("f") == "2\n"


def until(true: Any, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.05)


def test_the_background_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from eryxsh import _persistence

    monkeypatch.setattr(_persistence, "_PATIENCE", 0.1)

    class Shaky(Dict[str, bytes]):
        broken = False

        def __setitem__(self, key: str, value: bytes) -> None:
            if self.broken and key.startswith("packs/"):
                raise OSError(28, "No space left on device")
            super().__setitem__(key, value)

    place = Shaky()
    with Sandbox(persistence="persistent", store=place) as sb:
        sb.commands.run("echo 1 > f")
        until(lambda: Store(place).log())
        place.broken = True
        sb.commands.run("echo 2 > f")
        time.sleep(1.6)
        assert Store(place).load().files.read_text("f") == "1\n"
        with pytest.raises(PersistenceError, match="space"):
            sb.save_state()
        place.broken = False
        until(lambda: Store(place).load().files.read_text("f") == "2\n")
        sb.commands.run("echo 3 > f")
        place.broken = True
        with pytest.raises(PersistenceError):
            sb.close()
        assert sb.closed
    assert Store(place).load().files.read_text("f") == "2\n"


def test_a_dropped_one_is_saved() -> None:
    place: Place = {}
    sb = Sandbox(persistence="persistent", store=place)
    sb.commands.run("echo 1 > f")
    del sb
    until(lambda: Store(place).log())
    assert Store(place).load().files.read_text("f") == "1\n"
    with Sandbox(persistence="persistent", store=place) as sb:
        sb.commands.run("echo 2 > f")


def test_what_cannot_be_read_is_not_overwritten() -> None:
    place: Place = {}
    with Sandbox(persistence="persistent", store=place, tools={"ask": lambda: "x"}) as sb:
        sb.commands.run("echo 1 > f")
    saved = {k: v for k, v in place.items() if k.startswith("packs")}
    with pytest.raises(CapabilityError, match="ask"):
        Sandbox(persistence="persistent", store=place)
    for key in saved:
        place[key] = b"rubbish"
    with pytest.raises(StateError):
        Sandbox(persistence="persistent", store=place)
    assert {k: v for k, v in place.items() if k.startswith("packs")} == dict.fromkeys(saved, b"rubbish")
    place.update(saved)
    with Sandbox(persistence="persistent", store=place, tools={"ask": lambda: "x"}) as sb:
        assert sb.commands.run("cat f; ask").stdout == "1\nx"


def test_a_state_never_lifts_a_limit() -> None:
    store = Store({})
    with Sandbox(limits=Limits(files=100_000), files={f"/d/{i}": "" for i in range(200)}) as sb:
        store.save(sb)
    with pytest.raises((StateError, OSError)):
        store.load(limits=Limits(files=100))
    with store.load(limits=Limits(steps=1000)) as sb:
        assert sb.info().limits["steps"] == 1000
        assert sb.commands.run("for ((;;)); do :; done").limit == "steps"


def test_a_suspended_run_is_saved() -> None:
    store = Store({})
    with Sandbox(tools={"ask": None}) as sb:
        run = sb.commands.start('for i in 1 2 3; do echo "$(ask $i)"; done')
        for i in (1, 2):
            call = run.next()
            run.resume(call, stdout=f"answer {i}\n")
        call = run.next()
        store.save(sb)
        assert store.log()[0].running
    with store.load() as back:
        run = back.runs.active()
        assert run is not None
        (again,) = run.pending()
        assert again.call_id == call.call_id
        run.resume(again, stdout="answer 3\n")
        assert run.drive().stdout == "answer 1\nanswer 2\nanswer 3\n"


def test_packs_stay_few() -> None:
    place: Place = {}
    store = Store(place)
    with Sandbox() as sb:
        for i in range(200):
            sb.commands.run(f"echo {i} > f{i % 7}")
            store.save(sb)
    info = store._ref("default")
    from eryxsh import _wire

    assert info is not None
    assert len(_wire.store_ref(info)["packs"]) < 30
    store.gc(grace=0)
    assert store.verify() == []
    assert len(store.log()) == 200
    assert len([k for k in place if k.startswith("packs/")]) < 30


def test_a_second_reader_agrees(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    with Sandbox() as sb:
        sb.files.write("/big", os.urandom(700_000))
        sb.commands.run(
            "mkdir d; cd d; for i in {1..3000}; do : > $i; done; truncate -s 100000 hole; echo end >> hole; "
            "ln hole second; ln -s hole link; head -c 129 /big > one"
        )
        store.save(sb, "a/B")
        for i in range(40):
            sb.commands.run(f"x={i}; a[{i}]=v; declare -A t; t[k{i}]=w{i}; echo {i} > {i}; rm -f {i + 100}; echo {i} >> /big")
            store.save(sb, "a/B")
        reader = second_reader.Reader(lambda key: (tmp_path / "store" / key).read_bytes(), "a/B")
        found = reader.files()
        for path, (kind, mode, target, content) in files_of(sb).items():
            assert path in found, path
            their_mode, their_content = found.pop(path)
            assert their_mode & 0o7777 == mode
            if kind != "dir":
                assert their_content == (content if content is not None else target.encode())
        assert all(path == "/" or path.startswith("/usr/bin") for path in found)
        variables = reader.variables()
        assert variables["x"] == b"39"
        assert variables["a"] == dict.fromkeys(range(40), b"v")
        assert variables["t"] == {f"k{i}".encode(): f"w{i}".encode() for i in range(40)}


def _saves(directory: str, seconds: float, results: Any) -> None:
    done = conflicts = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with Sandbox(persistence="session", store=directory, namespace="shared") as sb:
            sb.load_state()
            sb.commands.run(f"echo {os.getpid()} >> log")
            try:
                sb.save_state()
                done += 1
            except ConflictError:
                conflicts += 1
    results.put((os.getpid(), done, conflicts))


def test_no_save_of_several_processes_is_lost(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [context.Process(target=_saves, args=(str(tmp_path), 2.0, results)) for _ in range(3)]
    for worker in workers:
        worker.start()
    counts = {pid: done for pid, done, _ in (results.get(timeout=60) for _ in workers)}
    for worker in workers:
        worker.join(60)
    store = Store(tmp_path)
    lines = store.load("shared").files.read_text("log").split()
    assert {pid: lines.count(str(pid)) for pid in counts} == counts
    assert sum(counts.values()) == len(store.log("shared"))
    assert store.verify() == []


def test_threads_share_a_store() -> None:
    store = Store({})
    errors: List[BaseException] = []

    def work(name: str) -> None:
        try:
            with Sandbox() as sb:
                for i in range(10):
                    sb.commands.run(f"echo {i} > f; head -c 300000 /dev/urandom > g")
                    store.save(sb, name)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert store.verify() == []
    assert len(store.log("t2")) == 10


def test_thin_packs_are_what_changed() -> None:
    content = os.urandom(500_000)
    with Sandbox(files={"/big": content}) as sb:
        sb.commands.run("mkdir d; cd d; for i in {1..1000}; do echo $i > $i; done")
        rows = [sb.export_state()]
        for i in range(20):
            before = sb.snapshot()
            sb.commands.run(f"echo {i} > {i * 7 + 1}; rm -f {i + 500}; x={i}")
            rows.append(sb.export_state(have=[before]))
            assert len(rows[-1]) < 6000
            assert Sandbox.inspect(rows[-1]).kind == "thin"
        with Sandbox() as back:
            for row in rows:
                back.import_state(row, base=back)
            assert files_of(back) == files_of(sb)
            assert back.commands.run("echo $x; pwd").stdout == "19\n/home/user/d\n"
        with pytest.raises(StateError, match="base"):
            Sandbox.from_state(rows[1])
        with pytest.raises(StateError, match="missing"):
            Sandbox.from_state(rows[5], base=Sandbox())
        with pytest.raises(KeyError):
            sb.export_state(have=["nobody"])
        signed = sb.export_state(have=[before], key=b"k")
        assert Sandbox.from_state(signed, key=b"k", base=sb).files.read("/big") == content
        with pytest.raises(StateError):
            Sandbox.from_state(signed, base=sb)
        rng = random.Random(3)
        for _ in range(300):
            at = rng.randrange(len(rows[1]))
            with pytest.raises(StateError):
                Sandbox.from_state(rows[1][:at] + bytes([rows[1][at] ^ 1 << rng.randrange(8)]) + rows[1][at + 1 :], base=sb)
            with pytest.raises(StateError):
                Sandbox.from_state(rows[1][:at], base=sb)


def test_a_store_completes_a_thin_pack() -> None:
    store = Store({})
    with Sandbox(files={"/big": os.urandom(300_000)}) as sb:
        commit = store.save(sb, "n")
        sb.commands.run("echo 1 > f")
        row = sb.export_state(have=[commit])
        assert len(row) < 6000
        assert Sandbox.inspect(row).needs == (commit,)
        with Sandbox.from_state(row, base=store) as back:
            assert files_of(back) == files_of(sb)
    with pytest.raises(StateError, match="commit"):
        Sandbox.from_state(row, base=Store({}))


def test_offload_frees_the_memory_and_the_next_use_brings_it_back() -> None:
    place: Place = {}
    with Sandbox(files={"/big": os.urandom(400_000)}, tools={"ask": lambda: "yes\n"}, limits=Limits(steps=10**6)) as sb:
        sb.commands.run("x=5; cd /tmp; f() { ask; }")
        sb.snapshot("named")
        content = sb.files.read("/big")
        with pytest.raises(PersistenceError, match="ephemeral"):
            sb.offload()
        for use in (
            lambda: sb.commands.run("echo $x; pwd; f").stdout == "5\n/tmp\nyes\n",
            lambda: sb.files.read("/big") == content,
            lambda: sb.files.write("/other", "1") is None,
            lambda: sb.fork().commands.run("cat /other").stdout == "1",
            lambda: [s.name for s in sb.snapshots.list()] == ["named"],
            lambda: sb.commands.start("echo $x").drive().stdout == "5\n",
            lambda: sb.rehydrate() is None,
        ):
            sb.offload(place)
            assert not sb.closed
            assert size(place) > 400_000
            assert use()
            assert Store(place).namespaces() == []
            assert sb.info().limits["steps"] == 10**6
        sb.offload(place)
    assert sb.closed
    assert Store(place).namespaces() == []
    with Sandbox(persistence="persistent", store=place) as sb:
        sb.commands.run("echo 1 > f")
        sb.offload()
    assert Store(place).load().files.read_text("f") == "1\n"


def test_a_run_is_dumped_to_a_store() -> None:
    store = Store({})
    with Sandbox(files={"/big": os.urandom(400_000)}, tools={"ask": None}) as sb:
        run = sb.commands.start('for i in 1 2 3; do echo "$(ask $i)"; done')
        refs = []
        for i in (1, 2, 3):
            call = run.next()
            refs.append(run.dump(store=store))
            run.resume(call, stdout=f"{i}\n")
        run.drive()
        with pytest.raises(RunGoneError):
            run.dump(store=store)
        with pytest.raises(ValueError, match="key"):
            run.dump(key=b"k", store=store)  # type: ignore[call-overload]
    assert size(store.backend._dict if hasattr(store.backend, "_dict") else {}) < 450_000
    for at, ref in enumerate(refs):
        again = Run.load(ref, store=store)
        for i in range(at + 1, 4):
            again.resume(again.next(), stdout=f"{i}\n")
        assert again.drive().stdout == "1\n2\n3\n"
    with pytest.raises(ValueError, match="dump"):
        Run.load("rubbish", store=store)
    with pytest.raises(KeyError):
        Run.load("run-nobody@" + "00" * 32, store=store)


def forgets(place: Place, change: Callable[[Sandbox, int], None], saves: int) -> None:
    """Save so many changes, forget all but three commits, and look at what is left, twice."""
    store = Store(place)
    with Sandbox() as sb:
        for i in range(saves):
            change(sb, i)
            store.save(sb, "n")
        before = store.log("n")
        full = size(place)
        assert store.gc(grace=0, keep=3).commits == saves - 3
        assert [c.id for c in store.log("n")] == [c.id for c in before[:3]]
        assert store.verify() == []
        assert size(place) < full
        with store.load("n", commit=before[2].id) as old, store.load("n") as new:
            assert old.commands.run("cat log | wc -l").stdout == f"{saves - 2}\n"
            assert not sb.diff(b=None) or new.files.read("log") == sb.files.read("log")
        with pytest.raises(StateError):
            store.load("n", commit=before[3].id)
        fresh = size(place)
        change(sb, saves)
        store.save(sb, "n")  # goes on from what it knows, not from the beginning
        assert size(place) - fresh < 8192
        assert len(store.log("n")) == 4
        assert store.gc(grace=0, keep=3).commits == 1
        assert store.verify() == []
        with store.load("n") as loaded:
            assert loaded.files.read("log") == sb.files.read("log")


def test_gc_forgets_the_beginning_of_a_history() -> None:
    """What only forgotten commits had goes; what is kept is whole, deltas to what went included."""

    def small(sb: Sandbox, i: int) -> None:
        sb.commands.run(f"v{i}={i}; echo {i} >> log; echo {i} > f{i % 7}; rm -f f{(i + 3) % 7}")

    def large(sb: Sandbox, i: int) -> None:
        if i < 8:
            sb.files.write(f"/data{i % 2}", os.urandom(300_000))
        small(sb, i)

    forgets({}, small, 40)
    forgets({}, large, 12)


def test_gc_forgets_by_age_and_tags_keep_theirs() -> None:
    store = Store({})
    with Sandbox() as sb:
        for i in range(5):
            sb.commands.run(f"n={i}")
            store.save(sb, "n")
            if i == 1:
                store.tag("n", "one")
    day = datetime.timedelta(days=1)
    assert store.gc(grace=0, keep=day).commits == 0
    assert store.gc(grace=0, keep=datetime.timedelta()).commits == 4 + 1
    assert [len(store.log("n")), store.load("n", tag="one").commands.run("echo $n").stdout] == [1, "1\n"]
    assert store.verify() == []
    for wrong, error in ((0, ValueError), (-1, ValueError), ("3", TypeError), (True, TypeError), (2.5, TypeError)):
        with pytest.raises(error, match="keep"):
            store.gc(keep=wrong)  # type: ignore[arg-type]


def test_forgetting_while_others_save(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither loses what the other did, whoever comes first."""
    place: Place = {}
    store = Store(place)
    with Sandbox(persistence="session", namespace="n", store=store) as sb:
        for i in range(4):
            sb.commands.run(f"n={i}")
            sb.save_state()
        shorten = store._shorten

        def late(key: str, ref: Optional[bytes], most: int, since: int) -> int:
            sb.commands.run("n=late")
            sb.save_state()
            return shorten(key, ref, most, since)

        monkeypatch.setattr(store, "_shorten", late)
        assert store.gc(grace=0, keep=2).commits == 3
        sb.commands.run("m=5")
        sb.save_state()  # the ref was changed, the commit not: no conflict
    assert store.load("n").commands.run("echo $n$m").stdout == "late5\n"
    assert len(store.log("n")) == 3
    assert store.verify() == []


def test_a_state_of_several_packs() -> None:
    """More than fits into one pack of 64 MB: saved, changed, forgotten and loaded."""
    limits = Limits(file_bytes=1 << 30, memory=1 << 30)
    content = [random.Random(i).randbytes(36_000_000) for i in range(2)]
    place: Place = {}
    store = Store(place)
    with Sandbox(files={f"/f{i}": data for i, data in enumerate(content)}, limits=limits) as sb:
        store.save(sb)
        packs = {key: len(value) for key, value in place.items() if key.startswith("packs/")}
        assert len(packs) == 2
        assert max(packs.values()) > 64 << 20
        sb.commands.run("rm /f0; echo x > /new")
        store.save(sb)
    del content[0]
    assert store.gc(grace=0, keep=1).commits == 1
    assert size(place) < 40_000_000
    assert store.verify() == []
    with store.load(limits=limits) as sb:
        assert sb.files.read("/f1") == content[0]
        assert sb.commands.run("ls /f0; cat /new").stdout == "x\n"
        blob = sb.export_state()
    with Sandbox.from_state(blob, limits=limits) as sb:
        assert sb.files.read("/f1") == content[0]


def test_a_history_that_is_shortened_is_no_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    """gc(keep=…) between the beginning and the end of a save: it is made again on the shortened history."""
    store = Store({})
    with Sandbox(persistence="session", namespace="n", store=store) as sb:
        for i in range(4):
            sb.commands.run(f"n={i}")
            sb.save_state()
        cas, calls = store.backend.cas, []

        def late(key: str, old: Optional[bytes], new: Optional[bytes]) -> bool:
            monkeypatch.setattr(store.backend, "cas", cas)
            calls.append(store.gc(grace=0, keep=1).commits)
            return cas(key, old, new)

        monkeypatch.setattr(store.backend, "cas", late)
        sb.commands.run("n=last")
        sb.save_state()
    assert calls == [3]
    assert [c.command for c in store.log("n")] == ["n=last", "n=3"]
    assert store.load("n").commands.run("echo $n").stdout == "last\n"
    assert store.verify() == []
