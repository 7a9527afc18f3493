"""Stores of every version are readable: see golden_store.py."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import second_reader
from eryxsh import Sandbox, Store
from golden_store import seen

STORES = sorted((Path(__file__).parent.parent / "state/testdata").glob("store*"))


@pytest.mark.parametrize("top", STORES, ids=lambda top: top.name)
def test_a_store_of_that_version_is_read(top: Path, tmp_path: Path) -> None:
    shutil.copytree(top / "store", tmp_path / "store", ignore=shutil.ignore_patterns("tmp"))  # as git does: it is empty
    expected = json.loads((top / "expected.json").read_text(encoding="ascii"))
    with Store(tmp_path / "store") as store:
        assert store.verify() == []
        assert sorted(expected) == store.namespaces()
        for namespace, commits in expected.items():
            assert [c.id for c in store.log(namespace)] == [id for id, _ in commits][::-1]
            for id, want in commits:
                with store.load(namespace, commit=id, tools={"ask": None}) as sb:
                    assert seen(sb) == want
        with store.load("work", tag="v1", tools={"ask": None}) as sb:
            assert seen(sb) == expected["work"][0][1]
        with store.load("work", branch="side", tools={"ask": None}) as sb:
            sb.commands.run("echo more > more")
            store.save(sb, "work", branch="side")
        with store.load("work", branch="side", tools={"ask": None}) as sb:
            assert sb.files.read_text("/data/more") == "more\n"
        assert store.verify() == []


@pytest.mark.parametrize("top", STORES, ids=lambda top: top.name)
def test_a_second_reader_reads_it(top: Path) -> None:
    reader = second_reader.Reader(lambda key: (top / "store" / key).read_bytes(), "work")
    assert reader.variables()["x"] == b"29"
    assert reader.files()["/data/log"][1] == "".join(f"{i}\n" for i in range(30)).encode()


def test_there_is_one() -> None:
    assert STORES
    with Sandbox(tools={"ask": None}) as sb:
        assert set(seen(sb)) == {"printed", "files", "history", "snapshots", "pending"}
