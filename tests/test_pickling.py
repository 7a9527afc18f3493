"""Pickles that refer to a store, pickles of runs, and ids of what several processes fork from one state."""

from __future__ import annotations

import os
import pathlib
import pickle
from typing import Any, Callable

import pytest

from eryxsh import RunGoneError, Sandbox, SandboxClosedError, Store, ToolCall

LARGE = 2_000_000


def shout(call: ToolCall) -> str:
    """At module level: a pickle finds it again."""
    return call.args[0].upper() + "\n"


@pytest.fixture
def store(tmp_path: pathlib.Path) -> Store:
    """A store that another process could open."""
    return Store(tmp_path / "store")


@pytest.fixture
def base() -> Sandbox:
    """A sandbox of some size."""
    return Sandbox(files={"/data": os.urandom(LARGE)}, tools={"shout": shout, "ask": None}, timeout=7)


def test_by_reference(store: Store, base: Sandbox, python: Callable[..., str]) -> None:
    """A namespace and a commit travel; another process has the same sandbox, with its tools and timeout."""
    base.commands.run("x=5")
    with store.references():
        small = pickle.dumps(base)
    assert len(small) < 1000
    assert len(pickle.dumps(base)) > LARGE  # outside it is by value
    other = pickle.loads(small)
    assert other.commands.run("echo $x; wc -c < /data; shout hi").stdout == f"5\n{LARGE}\nHI\n"
    assert other._timeout_ns == base._timeout_ns
    code = f"""
        import pickle, sys
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        sb = pickle.loads(bytes.fromhex({small.hex()!r}))
        print(sb.commands.run("echo $x; cksum < /data; shout hi").stdout, end="")
    """
    assert python(code) == base.commands.run("echo $x; cksum < /data; shout hi").stdout


def test_several_of_one_pickle(store: Store) -> None:
    """Sandboxes in one pickle stay different, one that is there twice stays one."""
    a, b = Sandbox(env={"who": "a"}), Sandbox(env={"who": "b"})
    with store.references():
        one, two, three = pickle.loads(pickle.dumps([a, b, a]))
    assert one is three
    assert [sb.commands.run("echo $who").stdout for sb in (one, two)] == ["a\n", "b\n"]
    assert len([n for n in store.namespaces() if n.startswith("pickle-")]) == 2


def test_over_a_base(store: Store, base: Sandbox) -> None:
    """What differs from the base travels, nothing is saved, and one that was not used travels on as it is."""
    commit = store.save(base, "base")
    held = store.load("base", tools={"shout": shout, "ask": None})
    fork = held.fork()
    fork.commands.run("echo new > /new; y=6")
    with store.references(f"base@{commit}"):
        small = pickle.dumps(fork)
        other = pickle.loads(small)
        again = pickle.dumps(other)
        assert pickle.loads(again).commands.run("echo $y").stdout == "6\n"
    assert len(small) < 4000
    assert abs(len(again) - len(small)) < 200
    assert store.namespaces() == ["base"]
    with store.references(f"base@{commit}"):
        stranger = pickle.dumps(Sandbox(files={"/own": "z" * 100_000}))
    assert len(store.namespaces()) == 2
    assert len(stranger) < 1000
    assert pickle.loads(stranger).commands.run("wc -c < /own").stdout == "100000\n"  # saved for itself
    assert other.commands.run("cat /new; echo $y; wc -c < /data; shout on").stdout == f"new\n6\n{LARGE}\nON\n"
    assert pickle.loads(small).commands.run("cat /new").stdout == "new\n"  # outside: with a base of its own


def test_runs(store: Store, base: Sandbox) -> None:
    """A suspended run travels with its sandbox, in each way, under its id; one that has ended with its result."""
    commit = store.save(base, "base")
    run = store.load("base", tools={"shout": shout, "ask": None}).commands.start("echo begin; a=$(ask); shout $a")
    call = run.next()
    assert isinstance(call, ToolCall)

    def finish(pickled: bytes) -> str:
        other = pickle.loads(pickled)
        assert other.id == run.id
        other.resume(call.call_id, stdout="yes")
        return str(other.drive().stdout)

    assert finish(pickle.dumps(run)) == "begin\nYES\n"
    with store.references():
        assert finish(pickle.dumps(run)) == "begin\nYES\n"
    with store.references(f"base@{commit}"):
        small = pickle.dumps(run)
        assert finish(small) == "begin\nYES\n"
    assert len(small) < 8000
    run.resume(call, stdout="no")
    result = run.drive()
    assert pickle.loads(pickle.dumps(run)).result() == result
    left = run.sandbox.commands.start("ask")
    left.sandbox.snapshot("before")
    left.cancel()
    gone = run.sandbox.commands.start("ask")
    run.sandbox.restore("before")
    with pytest.raises(RunGoneError):
        pickle.loads(pickle.dumps(gone))


def test_what_cannot_be_referred_to(store: Store, tmp_path: pathlib.Path) -> None:
    """A store in a dict says so; a base that makes no sense is a ValueError; one that is gone is an error at the first use."""
    with Store({}).references(), pytest.raises(TypeError, match="a dict is of this process alone"):
        pickle.dumps(Sandbox())
    with pytest.raises(ValueError, match="NAMESPACE@COMMIT"):
        store.references("base")
    with store.references():
        found = pickle.loads(pickle.dumps(Sandbox()))
        lost = pickle.loads(pickle.dumps(Sandbox()))
    found.close()
    assert found.closed
    with pytest.raises(SandboxClosedError):
        found.commands.run("true")
    for name in store.namespaces():
        store.delete(name)
    with pytest.raises(KeyError, match="has no state"):
        lost.commands.run("true")


def test_stores_pickle(store: Store) -> None:
    """A store is a place."""
    store.save(Sandbox(env={"x": "1"}), "n")
    with pickle.loads(pickle.dumps(store)) as other:
        assert other.identity == store.identity
        assert other.load("n").commands.run("echo $x").stdout == "1\n"


def first_call(sandbox: Sandbox) -> str:
    """The id of the next tool call."""
    call: Any = sandbox.commands.start("ask").next()
    return str(call.call_id)


def test_ids_of_forks_of_one_saved_state(store: Store) -> None:
    """Two processes that fork one saved state have different call ids if they give different seeds, also in a deterministic world."""
    for seed in (None, 5):
        store.save(Sandbox(tools={"ask": None}, seed=seed), "base")
        ids = {first_call(store.load("base").fork(reseed=i)) for i in range(50)}
        ids |= {first_call(fork) for fork in store.load("base").fork(50, reseed=50)}
        assert len(ids) == 100
        run = store.load("base").commands.start("ask")
        call: Any = run.next()
        kids = [store.load("base").fork(reseed=i) for i in range(3)]
        carried = {run.fork(reseed=i).pending()[0].call_id for i in range(3)}
        assert len(carried | {call.call_id} | {first_call(kid) for kid in kids}) == 7
        assert first_call(store.load("base").fork(reseed=3)) == first_call(store.load("base").fork(reseed=3))  # the same again


def test_one_store_for_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand sandboxes of one pickle, or of a thousand, open the place once: a connection each would be too many."""
    opened = []
    monkeypatch.setattr(Store, "__init__", lambda self, place, made=Store.__init__: (opened.append(place), made(self, place))[1])
    base = Sandbox()
    commit = store.save(base, "base")
    with store.references(f"base@{commit}"):
        pickles = [pickle.dumps(fork) for fork in base.fork(20)]
        pickled = pickle.dumps(base.fork(20))
        assert [sb.commands.run("echo hi").stdout for sb in pickle.loads(pickled)] == ["hi\n"] * 20
        assert opened == []
    assert [pickle.loads(one).commands.run("echo hi").stdout for one in pickles] == ["hi\n"] * 20
    assert len(opened) == 1
