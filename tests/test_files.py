"""Files: content, names, changes, errors, and moving to and from the host."""

from __future__ import annotations

import datetime
import errno
import io
import os
import pathlib
import tarfile
from typing import Any

import pytest

from eryxsh import Limits, QuotaExceededError, Sandbox


@pytest.fixture
def sb() -> Sandbox:
    return Sandbox()


def test_write_and_read(sb: Sandbox) -> None:
    """Bytes, text, open files and iterables; parents are made; the shell sees the same."""
    sb.files.write("/a/b/c", b"\x00\xff")
    assert sb.files.read("/a/b/c") == b"\x00\xff"
    sb.files.write("/a/t", "é\n")
    assert sb.files.read_text("/a/t") == "é\n"
    assert sb.commands.run("cat /a/t").stdout == "é\n"
    sb.files.write("/a/t", io.BytesIO(b"from a file"))
    assert sb.files.read("/a/t") == b"from a file"
    sb.files.write("/a/t", io.StringIO("text"))
    assert sb.files.read("/a/t") == b"text"
    sb.files.write("/a/t", (bytes([i]) for i in range(3)))
    assert sb.files.read("/a/t") == b"\0\1\2"
    sb.files.write("/a/t", memoryview(b"view"))
    sb.files.append("/a/t", "+more")
    sb.files.append("/a/new/file", b"x")
    assert sb.files.read("/a/t") == b"view+more"
    assert sb.files.read("/a/new/file") == b"x"
    for bad in (3, {"a": 1}, [1], ["x"]):
        with pytest.raises(TypeError):
            sb.files.write("/a/t", bad)  # type: ignore[arg-type]
    assert sb.files.read("/a/t") == b"view+more"


def test_large_content(sb: Sandbox) -> None:
    """Content beyond every buffer arrives whole, in both directions."""
    data = bytes(range(256)) * 40_000
    sb.files.write("/big", data)
    assert sb.files.read("/big") == data
    assert sb.files.stat("/big").size == len(data)


def test_relative_paths_start_at_the_shells_directory(sb: Sandbox) -> None:
    """cd in the shell moves them."""
    sb.files.write("f", b"1")
    assert sb.files.read("/home/user/f") == b"1"
    sb.commands.run("cd /tmp")
    sb.files.write("f", b"2")
    assert sb.files.read("/tmp/f") == b"2"


def test_paths_of_other_types(sb: Sandbox) -> None:
    """PurePosixPath, SandboxPath and bytes name files; a host Path or None does not."""
    sb.files.write(pathlib.PurePosixPath("/tmp/p"), b"1")
    assert sb.files.read(sb.files.path("/tmp/p")) == b"1"
    assert sb.files.read(b"/tmp/p") == b"1"
    sb.files.write(b"/tmp/\xff", b"odd")
    assert sb.files.list("/tmp")[-1].name == "\udcff"
    assert sb.files.read("/tmp/\udcff") == b"odd"
    for bad in (None, 3, object()):
        with pytest.raises(TypeError, match="path"):
            sb.files.read(bad)  # type: ignore[arg-type]


def test_write_many_is_all_or_nothing(sb: Sandbox) -> None:
    """One that cannot be written leaves none."""
    sb.files.write_many({"/m/a": "1", "/m/b": b"2"})
    assert sb.files.to_dict("/m") == {"/m/a": b"1", "/m/b": b"2"}
    with pytest.raises(NotADirectoryError):
        sb.files.write_many([("/m/c", b"3"), ("/m/a/x", b"4")])
    assert sb.files.to_dict("/m") == {"/m/a": b"1", "/m/b": b"2"}


def test_list_and_stat(sb: Sandbox) -> None:
    """Entries in byte order with all their fields; links are not followed in a list, but by stat."""
    sb.commands.run("mkdir -p d/sub; printf abc > d/B; chmod 640 d/B; ln d/B d/a; ln -s B d/link; mkfifo d/pipe; echo > d/sub/deep")
    entries = sb.files.list("d")
    assert [(e.name, e.type) for e in entries] == [("B", "file"), ("a", "file"), ("link", "symlink"), ("pipe", "fifo"), ("sub", "dir")]
    b = entries[0]
    assert (b.path, b.size, b.mode, b.nlink, b.target) == ("/home/user/d/B", 3, 0o640, 2, None)
    assert b.inode == entries[1].inode
    now = datetime.datetime.now(datetime.timezone.utc)
    assert abs((now - b.mtime).total_seconds()) < 60
    assert entries[2].target == "B"
    assert sb.files.stat("d/link").type == "file"
    assert sb.files.stat("d/link", follow_symlinks=False).type == "symlink"
    assert [e.path for e in sb.files.list("d", recursive=True)][-2:] == ["/home/user/d/sub", "/home/user/d/sub/deep"]


def test_long_directories(sb: Sandbox) -> None:
    """Listings come in pages and are whole: 25,000 entries."""
    sb.files.write_many({f"/many/{i:05}": b"" for i in range(25_000)})
    names = [e.name for e in sb.files.list("/many")]
    assert names == [f"{i:05}" for i in range(25_000)]
    assert len(sb.files.list("/many", recursive=True)) == 25_000


def test_exists_and_kinds(sb: Sandbox) -> None:
    """Broken links do not exist; links are what they lead to; nothing is neither."""
    sb.commands.run("touch f; mkdir d; ln -s f lf; ln -s d ld; ln -s nowhere broken")
    ask = {n: (sb.files.exists(n), sb.files.is_file(n), sb.files.is_dir(n)) for n in ("f", "d", "lf", "ld", "broken", "nothing", "f/x")}
    assert ask == {
        "f": (True, True, False),
        "d": (True, False, True),
        "lf": (True, True, False),
        "ld": (True, False, True),
        "broken": (False, False, False),
        "nothing": (False, False, False),
        "f/x": (False, False, False),
    }


def test_changes(sb: Sandbox) -> None:
    """mkdir, rename, copy, chmod, links, touch, rm, rmdir."""
    f = sb.files
    f.mkdir("/x/y/z")
    f.mkdir("/x/y/z")
    with pytest.raises(FileExistsError):
        f.mkdir("/x/y", exist_ok=False)
    with pytest.raises(FileNotFoundError):
        f.mkdir("/q/r", parents=False)
    f.write("/x/a", b"1")
    f.chmod("/x/a", 0o600)
    f.rename("/x/a", "/x/b")
    f.copy("/x/b", "/x/c")
    assert f.stat("/x/c").mode == 0o600
    f.write("/x/c", b"22")
    assert (f.read("/x/b"), f.read("/x/c")) == (b"1", b"22")
    with pytest.raises(IsADirectoryError):
        f.copy("/x", "/copy")
    f.copy("/x", "/copy", recursive=True)
    assert f.to_dict("/copy") == {"/copy/b": b"1", "/copy/c": b"22"}
    f.symlink("b", "/x/s")
    assert f.readlink("/x/s") == "b"
    f.link("/x/b", "/x/h")
    assert f.stat("/x/h").inode == f.stat("/x/b").inode
    f.touch("/x/t")
    with pytest.raises(FileExistsError):
        f.touch("/x/t", exist_ok=False)
    before = f.stat("/x/b").mtime
    f.touch("/x/b")
    assert f.stat("/x/b").mtime >= before
    with pytest.raises(IsADirectoryError):
        f.rm("/x/y")
    with pytest.raises(OSError, match="not empty") as caught:
        f.rmdir("/x/y")
    assert caught.value.errno == errno.ENOTEMPTY
    f.rmdir("/x/y/z")
    f.rm("/x", recursive=True)
    assert not f.exists("/x")
    f.rm("/x", missing_ok=True)
    f.remove("/x", missing_ok=True)


@pytest.mark.parametrize(
    ("use", "error", "number"),
    [
        (lambda f: f.read("/no"), FileNotFoundError, errno.ENOENT),
        (lambda f: f.read("/tmp"), IsADirectoryError, errno.EISDIR),
        (lambda f: f.read("/etc/passwd/x"), NotADirectoryError, errno.ENOTDIR),
        (lambda f: f.write("/tmp", b""), IsADirectoryError, errno.EISDIR),
        (lambda f: f.append("/tmp", b""), IsADirectoryError, errno.EISDIR),
        (lambda f: f.list("/no"), FileNotFoundError, errno.ENOENT),
        (lambda f: f.list("/etc/passwd"), NotADirectoryError, errno.ENOTDIR),
        (lambda f: f.stat("/no"), FileNotFoundError, errno.ENOENT),
        (lambda f: f.rm("/no"), FileNotFoundError, errno.ENOENT),
        (lambda f: f.rename("/no", "/x"), FileNotFoundError, errno.ENOENT),
        (lambda f: f.copy("/no", "/x"), FileNotFoundError, errno.ENOENT),
        (lambda f: f.chmod("/no", 0o600), FileNotFoundError, errno.ENOENT),
        (lambda f: f.readlink("/tmp"), OSError, errno.EINVAL),
        (lambda f: f.symlink("x", "/tmp"), FileExistsError, errno.EEXIST),
        (lambda f: f.link("/no", "/x"), FileNotFoundError, errno.ENOENT),
        (lambda f: f.edit("/no", "a", "b"), FileNotFoundError, errno.ENOENT),
        (lambda f: f.read("/tmp/" + "x" * 300), OSError, errno.ENAMETOOLONG),
    ],
)
def test_errors_are_the_builtins(sb: Sandbox, use: Any, error: type, number: int) -> None:
    """With errno and .path, and the path in the message."""
    with pytest.raises(error) as caught:
        use(sb.files)
    assert caught.value.errno == number  # type: ignore[attr-defined]
    assert caught.value.path  # type: ignore[attr-defined]
    assert caught.value.path in str(caught.value)  # type: ignore[attr-defined]


def test_a_nul_in_a_path(sb: Sandbox) -> None:
    """It is refused everywhere, as Python refuses it, and never cuts the path short."""
    sb.files.write("/tmp/a", b"1")
    for use in (
        lambda: sb.files.read("/tmp/a\0b"),
        lambda: sb.files.write("/tmp/a\0b", b"2"),
        lambda: sb.files.list("/tmp\0"),
        lambda: sb.files.exists("/tmp/a\0"),
        lambda: sb.files.rm("/tmp/a\0b"),
        lambda: sb.files.mkdir("/tmp/d\0"),
        lambda: sb.files.rename("/tmp/a", "/tmp/b\0"),
        lambda: sb.files.open("/tmp/a\0", "w"),
        lambda: sb.commands.run("true", cwd="/tmp\0"),
        lambda: Sandbox(cwd="/a\0b"),
        lambda: Sandbox(files={"/a\0b": b""}),
    ):
        with pytest.raises((ValueError, OSError)):
            use()
    assert [e.name for e in sb.files.list("/tmp")] == ["a"]
    assert sb.files.read("/tmp/a") == b"1"


def test_devices(sb: Sandbox) -> None:
    """What has no end is refused instead of filling the memory; the rest is what it is."""
    assert sb.files.read("/dev/null") == b""
    assert sb.files.read("/proc/version").startswith(b"Linux")
    for path in ("/dev/zero", "/dev/urandom"):
        with pytest.raises((OSError, ValueError)):
            sb.files.read(path)
    sb.files.write("/dev/null", b"gone")
    with pytest.raises(OSError, match="/dev/full"):
        sb.files.write("/dev/full", b"x")


def test_modes_do_not_hold_python_back(sb: Sandbox) -> None:
    """The shell obeys mode bits, files does not."""
    sb.files.write("/tmp/secret", b"1")
    sb.files.chmod("/tmp/secret", 0)
    assert sb.commands.run("cat /tmp/secret").exit_code == 1
    assert sb.files.read("/tmp/secret") == b"1"


def test_quota(sb: Sandbox) -> None:
    """A write beyond the quota raises QuotaExceededError, an OSError, and changes nothing."""
    small = Sandbox(limits=Limits(file_bytes=100_000, files=100))
    small.files.write("/a", b"x" * 50_000)
    with pytest.raises(QuotaExceededError) as caught:
        small.files.write("/b", b"x" * 60_000)
    assert isinstance(caught.value, OSError)
    assert caught.value.errno in (errno.EDQUOT, errno.ENOSPC)
    assert small.files.read("/a") == b"x" * 50_000
    with pytest.raises(QuotaExceededError):
        small.files.write_many({f"/n/{i}": b"" for i in range(200)})


def test_glob(sb: Sandbox) -> None:
    """As the shell, with **."""
    sb.files.write_many({"/g/a.py": b"", "/g/b.txt": b"", "/g/s/c.py": b"", "/g/s/t/d.py": b""})
    assert sb.files.glob("/g/*.py") == ["/g/a.py"]
    assert sb.files.glob("/g/**/*.py") == ["/g/a.py", "/g/s/c.py", "/g/s/t/d.py"]
    assert sb.files.glob("/g/[ab].*") == ["/g/a.py", "/g/b.txt"]
    assert sb.files.glob("/none/*") == []


def test_grep(sb: Sandbox) -> None:
    """Lines with path and number, in path order; binary files are left out."""
    sb.files.write_many({"/g/a": "one\ntwo\n", "/g/b/c": "two words", "/g/bin": b"two\0"})
    assert [tuple(m) for m in sb.files.grep(r"^tw\w", "/g")] == [("/g/a", 2, "two"), ("/g/b/c", 1, "two words")]
    assert [m.line for m in sb.files.grep("one", "/g/a")] == [1]
    with pytest.raises(FileNotFoundError):
        sb.files.grep("x", "/no")


def test_edit(sb: Sandbox) -> None:
    """The text must occur as often as said, or nothing changes."""
    f = sb.files
    f.write("/e", "a b a\n")
    with pytest.raises(ValueError, match="occurs 2 times, not 1 time"):
        f.edit("/e", "a", "x")
    with pytest.raises(ValueError, match="occurs 0 times"):
        f.edit("/e", "zz", "x", count=None)
    with pytest.raises(ValueError, match="empty"):
        f.edit("/e", "", "x")
    assert f.read("/e") == b"a b a\n"
    assert f.edit("/e", "b", "B") == 1
    assert f.edit("/e", b"a", b"A", count=2) == 2
    assert f.edit("/e", "A", "é", count=None) == 2
    assert f.read_text("/e") == "é B é\n"


def test_walk_tree_and_to_dict(sb: Sandbox) -> None:
    """Deterministic text and dicts for snapshot tests; what every sandbox has is left out of /."""
    sb.files.write_many({"/w/b/two": b"2", "/w/a": b"1", "/w/b/c/three": b"3"})
    sb.files.symlink("a", "/w/link")
    assert list(sb.files.walk("/w")) == [("/w", ["b"], ["a", "link"]), ("/w/b", ["c"], ["two"]), ("/w/b/c", [], ["three"])]
    pruned = []
    for top, dirs, _ in sb.files.walk("/w"):
        pruned.append(top)
        dirs.clear()
    assert pruned == ["/w"]
    assert sb.files.tree("/w") == "/w\n  a\n  b/\n    c/\n      three\n    two\n  link -> a\n"
    assert sb.tree("/w") == sb.files.tree("/w")
    everything = sb.files.to_dict()
    assert [p for p in everything if p.startswith("/w")] == ["/w/a", "/w/b/c/three", "/w/b/two"]
    assert "/etc/passwd" in everything
    assert not any(p.startswith(("/proc", "/dev", "/bin", "/usr/bin")) for p in everything)


def test_upload_and_download(sb: Sandbox, tmp_path: pathlib.Path) -> None:
    """Files and directories, both ways, executable bits kept."""
    host = tmp_path / "in"
    (host / "sub").mkdir(parents=True)
    (host / "empty").mkdir()
    (host / "a.txt").write_bytes(b"A")
    (host / "sub" / "run.sh").write_text("echo ran\n")
    (host / "sub" / "run.sh").chmod(0o755)
    sb.files.upload(host, "/up")
    assert sb.commands.run("/up/sub/run.sh").stdout == "ran\n"
    assert sb.files.is_dir("/up/empty")
    sb.files.upload(str(host / "a.txt"), "/up/b.txt")
    out = tmp_path / "out"
    sb.files.download("/up", out)
    assert {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()} == {
        "a.txt": b"A",
        "b.txt": b"A",
        "sub/run.sh": b"echo ran\n",
    }
    assert (out / "sub" / "run.sh").stat().st_mode & 0o111
    assert (out / "empty").is_dir()
    sb.files.download("/up/a.txt", tmp_path / "one")
    assert (tmp_path / "one").read_bytes() == b"A"
    with pytest.raises(FileNotFoundError):
        sb.files.upload(tmp_path / "missing", "/x")
    with pytest.raises(FileNotFoundError):
        sb.files.download("/missing", tmp_path / "x")


def test_uploads_and_downloads_keep_permissions(sb: Sandbox, tmp_path: pathlib.Path) -> None:
    """Of a file alone as of those of a directory, and of directories."""
    host = tmp_path / "in"
    (host / "d").mkdir(parents=True)
    modes = {"d/key": 0o600, "d/run": 0o755, "d/plain": 0o644, "d/all": 0o666, "d": 0o700}
    for name, mode in modes.items():
        if name != "d":
            (host / name).write_bytes(b"x")
        (host / name).chmod(mode)
    sb.files.upload(host, "/up")
    assert {name: sb.files.stat(f"/up/{name}").mode & 0o777 for name in modes} == modes
    out = tmp_path / "out"
    sb.files.download("/up", out)
    assert {name: (out / name).stat().st_mode & 0o777 for name in modes} == modes
    for name in ("key", "run"):
        sb.files.upload(host / "d" / name, f"/{name}")
        assert sb.files.stat(f"/{name}").mode & 0o777 == modes[f"d/{name}"]
        sb.files.download(f"/{name}", tmp_path / name)
        assert (tmp_path / name).stat().st_mode & 0o777 == modes[f"d/{name}"]


def test_what_permissions_are_not_kept_of(sb: Sandbox, tmp_path: pathlib.Path) -> None:
    """What is no file and no directory is left out, a directory may be closed, and a device of the host stays as it is."""
    (tmp_path / "closed" / "empty").mkdir(parents=True)
    os.mkfifo(tmp_path / "fifo", 0o600)
    (tmp_path / "closed" / "f").write_bytes(b"x")
    (tmp_path / "closed").chmod(0o500)
    sb.files.upload(tmp_path, "/up")
    assert not sb.files.exists("/up/fifo")
    assert (sb.files.is_dir("/up/closed/empty"), sb.files.stat("/up/closed").mode & 0o777) == (True, 0o500)
    before = os.stat(os.devnull).st_mode
    sb.files.download("/up/closed/f", os.devnull)
    assert os.stat(os.devnull).st_mode == before


def test_download_stays_in_its_folder(sb: Sandbox, tmp_path: pathlib.Path) -> None:
    """What a script leaves there to be followed is not: links out of the folder, to be written through the second time, and pipes."""
    victim, out = tmp_path / "victim", tmp_path / "out"
    victim.write_text("mine")
    sb.commands.run(f"mkdir -p /d/sub; ln -s {victim} /d/x; ln -s {tmp_path} /d/sub/up; ln -s ../../victim /d/sub/v")
    sb.commands.run("mkfifo /d/p; echo a > /d/sub/a")
    sb.files.download("/d", out)
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*")) == ["sub", "sub/a"]
    sb.commands.run("cd /d; rm -r x sub/up sub/v; mkdir sub/up; echo owned | tee x sub/up/victim sub/v")
    sb.files.download("/d", out)
    assert victim.read_text() == "mine"
    assert not any(p.is_symlink() for p in out.rglob("*"))


def test_tar(sb: Sandbox) -> None:
    """An archive holds modes, links and hard links, and comes back the same in another sandbox."""
    sb.commands.run("mkdir -p /t/d; echo 1 > /t/d/f; chmod 750 /t/d/f; ln /t/d/f /t/h; ln -s d/f /t/s; mkdir /t/e")
    archive = sb.files.export_tar("/t")
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        assert tar.getnames() == ["d", "d/f", "e", "h", "s"]
    other = Sandbox()
    other.files.import_tar(archive, "/u")
    assert other.commands.run("cd /u; cat d/f h s; stat -c %a d/f; readlink s; ls -d e; [ d/f -ef h ]; echo $?").stdout == (
        "1\n1\n1\n750\nd/f\ne\n0\n"
    )
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        entry = tarfile.TarInfo("x/y")
        entry.size = 3
        tar.addfile(entry, io.BytesIO(b"abc"))
    other.files.import_tar(packed.getvalue(), "/v")
    assert other.files.read("/v/x/y") == b"abc"


@pytest.mark.parametrize("name", ["f", "./f", "d/../f"])
def test_tar_link_to_itself(sb: Sandbox, name: str) -> None:
    """A file that was archived twice is a hard link to itself, and stays; one to what is not there removes nothing."""
    packed, broken = io.BytesIO(), io.BytesIO()
    for out, target in (packed, name), (broken, "no"):
        with tarfile.open(fileobj=out, mode="w") as tar:
            for kind in (tarfile.REGTYPE, tarfile.LNKTYPE):
                entry = tarfile.TarInfo("f")
                entry.type, entry.linkname = kind, target
                entry.size = 3 if kind == tarfile.REGTYPE else 0
                tar.addfile(entry, io.BytesIO(b"abc"))
    sb.files.mkdir("/in/d")
    sb.files.import_tar(packed.getvalue(), "/in")
    assert sb.files.read("/in/f") == b"abc"
    with pytest.raises(FileNotFoundError):
        sb.files.import_tar(broken.getvalue(), "/in")
    assert sb.files.read("/in/f") == b"abc"


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil"])
def test_tar_names_that_leave(sb: Sandbox, name: str) -> None:
    """They are refused before anything is written."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for member in ("good", name):
            entry = tarfile.TarInfo(member)
            tar.addfile(entry, io.BytesIO(b""))
    with pytest.raises(ValueError, match="leaves"):
        sb.files.import_tar(packed.getvalue(), "/in")
    assert not sb.files.exists("/in")


def test_while_a_run_waits() -> None:
    """Files are live between the slices of a run: what Python writes the script reads."""
    sb = Sandbox(tools={"hold": None})
    run = sb.commands.start("echo 1 > f; hold; cat f")
    sb2 = run.sandbox
    call = run.next()
    assert sb2.files.read("f") == b"1\n"
    call.files.write("f", b"2\n")  # type: ignore[union-attr]
    run.resume(call)  # type: ignore[arg-type]
    assert run.drive().stdout == "2\n"


def test_a_directory_that_is_worked_in_is_removed_or_moved(sb: Sandbox) -> None:
    """The shell goes on in it, as when another process had done it."""
    sb.commands.run("mkdir -p p/q m; cd p/q")
    child = sb.fork()
    sb.files.rm("/home/user/p", recursive=True)
    gone = sb.commands.run("ls -a; mkdir x; cd ..; pwd; cd ..; pwd; ls")
    assert gone.stdout == "/home/user/p/q/..\n/home/user\nm\n"
    assert "cannot create directory" in gone.stderr
    assert "getcwd: cannot access parent directories" in gone.stderr
    assert child.commands.run("ls -d ../../p; pwd -P").stdout == "../../p\n/home/user/p/q\n"
    sb.commands.run("mkdir -p d/e; cd d/e")
    sb.files.rename("/home/user/d", "/home/user/f")
    sb.files.rename("/home/user/m", "/home/user/f/e")
    moved = sb.commands.run("ls -a; cd ..; pwd; pwd -P; ls")
    assert moved.stdout == "/home/user/f\n/home/user/f\ne\n"
