"""SandboxPath: pathlib's names over a sandbox."""

from __future__ import annotations

import os

import pytest

from eryxsh import Sandbox, SandboxPath


@pytest.fixture
def sb() -> Sandbox:
    return Sandbox()


def test_pure_parts(sb: Sandbox) -> None:
    """Joining, names and parents, as PurePosixPath."""
    p = sb.files.path("/data") / "x" / "log.tar.gz"
    assert (str(p), p.name, p.stem, p.suffix, p.suffixes) == ("/data/x/log.tar.gz", "log.tar.gz", "log.tar", ".gz", [".tar", ".gz"])
    assert p.parts == ("/", "data", "x", "log.tar.gz")
    assert p.parent == sb.files.path("/data/x")
    assert [str(q) for q in p.parents] == ["/data/x", "/data", "/"]
    assert str(p.with_name("a")) == "/data/x/a"
    assert str(p.with_suffix(".xz")) == "/data/x/log.tar.xz"
    assert str(p.with_stem("s")) == "/data/x/s.gz"
    assert str(p.relative_to("/data")) == "x/log.tar.gz"
    assert p.is_relative_to("/data")
    assert p.is_absolute()
    assert p.match("*.gz")
    assert str("/y" / sb.files.path("z")) == "/y/z"
    assert str(p.joinpath("a", "b")) == "/data/x/log.tar.gz/a/b"
    assert p.as_posix() == str(p)
    assert {p, sb.files.path("/data/x/log.tar.gz")} == {p}
    assert p != sb.fork().files.path("/data/x/log.tar.gz")
    assert sorted([sb.files.path("b"), sb.files.path("a")])[0].name == "a"
    assert repr(p) == "SandboxPath('/data/x/log.tar.gz')"
    assert str(sb.files.path("f", cwd="/c")) == "/c/f"


def test_content_and_directories(sb: Sandbox) -> None:
    """Reading, writing, listing, globbing, walking."""
    d = sb.files.path("/p")
    d.mkdir()
    with pytest.raises(FileExistsError):
        d.mkdir()
    with pytest.raises(FileNotFoundError):
        (d / "a" / "b").mkdir()
    (d / "a" / "b").mkdir(parents=True)
    f = d / "f.txt"
    assert f.write_text("é") == 1
    assert f.write_bytes(b"one\n") == 4
    assert (f.read_text(), f.read_bytes()) == ("one\n", b"one\n")
    with f.open("a") as stream:
        stream.write("two\n")
    assert f.read_text() == "one\ntwo\n"
    (d / "a" / "g.txt").touch()
    assert [str(x) for x in d.iterdir()] == ["/p/a", "/p/f.txt"]
    assert [str(x) for x in d.glob("*.txt")] == ["/p/f.txt"]
    assert [str(x) for x in d.rglob("*.txt")] == ["/p/a/g.txt", "/p/f.txt"]
    assert [(str(t), ds, fs) for t, ds, fs in d.walk()] == [("/p", ["a"], ["f.txt"]), ("/p/a", ["b"], ["g.txt"]), ("/p/a/b", [], [])]
    assert f.stat().size == 8
    assert (f.exists(), f.is_file(), f.is_dir(), f.is_symlink()) == (True, True, False, False)


def test_links_and_changes(sb: Sandbox) -> None:
    """Links, renames, modes, removal."""
    f = sb.files.path("/tmp/f")
    f.touch()
    link = sb.files.path("/tmp/l")
    link.symlink_to("f")
    assert link.is_symlink()
    assert str(link.readlink()) == "f"
    assert link.resolve() == f
    assert link.lstat().type == "symlink"
    assert link.samefile(f)
    hard = sb.files.path("/tmp/h")
    hard.hardlink_to(f)
    assert hard.samefile(f)
    assert str(sb.files.path("/tmp/../tmp/no/such").resolve()) == "/tmp/no/such"
    f.chmod(0o600)
    assert f.stat().mode == 0o600
    g = f.rename("/tmp/g")
    assert isinstance(g, SandboxPath)
    assert g.exists()
    assert not f.exists()
    g.unlink()
    with pytest.raises(FileNotFoundError):
        g.unlink()
    g.unlink(missing_ok=True)
    with pytest.raises(IsADirectoryError):
        sb.files.path("/tmp").unlink()
    empty = sb.files.path("/tmp/e")
    empty.mkdir()
    empty.rmdir()
    assert not empty.exists()


def test_it_is_no_host_path(sb: Sandbox) -> None:
    """The host's open() cannot take it for one of its own files."""
    with pytest.raises(TypeError):
        os.fspath(sb.files.path("/etc/passwd"))  # type: ignore[call-overload]
