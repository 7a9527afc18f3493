"""Mounts: files of Python below a directory of the sandbox."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from pathlib import Path
from typing import Any, Callable, ClassVar, Dict, Iterator, List

import pytest

from eryxsh import DirEntry, FileStat, Limits, MemoryFS, Mount, QuotaExceededError, Sandbox, Store, VirtualFileSystem


def out(sb: Sandbox, command: str) -> str:
    result = sb.commands.run(command)
    return result.stdout + result.stderr


def refused(code: int, change: Callable[..., Any], *args: Any) -> None:
    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        change(*args)
    assert caught.value.errno == code


class Upper(VirtualFileSystem):
    """A file system made up as it is asked: each file holds its own path in capitals."""

    tree: ClassVar[Dict[str, List[str]]] = {"": ["a", "d"], "d": ["b", "e"], "d/e": []}

    def __init__(self) -> None:
        self.asked: List[str] = []

    def stat(self, path: str) -> FileStat:
        return FileStat("dir", 0) if path in self.tree else FileStat("file", len(path))

    def readdir(self, path: str) -> List[DirEntry]:
        return [DirEntry(n, "dir" if f"{path}/{n}".strip("/") in self.tree else "file") for n in self.tree[path]]

    def read_file(self, path: str) -> bytes:
        self.asked.append(path)
        return path.upper().encode()


def test_sources() -> None:
    """A dict, a MemoryFS and a subclass; all of it is read when it is mounted, and once."""
    made = Upper()
    sb = Sandbox(mounts={"/dict": {"a/b": "text", "c": b"\xff"}, "/made": made})
    sb.mount("/mem/here", MemoryFS({"x": "1"}, writable=True))
    assert made.asked == ["a", "d/b"]
    assert (
        out(sb, "cd /made; find . | sort; cat a d/b; cat /dict/a/b /mem/here/x; od -An -tx1 /dict/c")
        == ".\n./a\n./d\n./d/b\n./d/e\nAD/Btext1 ff\n"
    )
    assert made.asked == ["a", "d/b"]
    assert [(m.path, m.mode, m.source) for m in sb.mounts.values()] == [
        ("/dict", "ro", "dict"),
        ("/made", "ro", "Upper"),
        ("/mem/here", "rw", "MemoryFS"),
    ]
    assert list(sb.mounts) == ["/dict", "/made", "/mem/here"]
    mem = MemoryFS({"d/f": b"1"})
    assert (mem.exists("d"), mem.exists("e"), mem.stat("d/f"), mem.readdir("")) == (
        True,
        False,
        FileStat("file", 1),
        [DirEntry("d", "dir")],
    )
    with pytest.raises(PermissionError):
        mem.write_file("d/f", b"2")


def test_read_only_and_writable() -> None:
    sb = Sandbox(mounts={"/ro": {"f": "1", "d/g": "2"}, "/rw": MemoryFS({"f": "1"}, writable=True)})
    commands = (
        "echo x > /ro/f; echo x >> /ro/new; rm /ro/f; rmdir /ro/d; mkdir /ro/m; ln -s f /ro/l; ln /ro/f /ro/h; "
        "chmod 700 /ro/f; chmod 700 /ro; touch /ro/f; truncate -s 0 /ro/f; mv /ro/f /ro/k; mkfifo /ro/p"
    )
    for command in commands.split("; "):
        result = sb.commands.run(command)
        assert (result.exit_code, "Read-only file system" in result.stderr) == (1, True), (command, result)
    assert out(sb, "[ -w /ro/f ]; echo $?; [ -r /ro/f ]; echo $?") == "1\n0\n"
    refused(errno.EROFS, sb.files.write, "/ro/f", b"x")
    assert out(sb, "echo 2 >> /rw/f; mkdir /rw/d; ln /rw/f /rw/d/g; cat /rw/d/g; find /ro") == "12\n/ro\n/ro/d\n/ro/d/g\n/ro/f\n"


def test_another_file_system() -> None:
    """A mount has a device of its own: no rename and no link across, -xdev stops, mv copies."""
    sb = Sandbox(mounts={"/m": MemoryFS({"f": "1", "d/g": "2"}, writable=True), "/ro": {"x": "3"}})
    assert out(sb, "ln /m/f /tmp/f") == ("ln: failed to create hard link '/tmp/f' => '/m/f': Invalid cross-device link\n")
    refused(errno.EXDEV, sb.files.rename, "/m/f", "/tmp/f")
    assert out(
        sb,
        "ln -s t /m/d/l; chmod 640 /m/f; touch -d @5 /m/f; mv -v /m/f /m/d /tmp",
    ) == (
        "copied '/m/f' -> '/tmp/f'\nremoved '/m/f'\ncreated directory '/tmp/d'\n"
        "copied '/m/d/g' -> '/tmp/d/g'\ncopied '/m/d/l' -> '/tmp/d/l'\n"
        "removed '/m/d/g'\nremoved '/m/d/l'\nremoved directory '/m/d'\n"
    )
    assert out(sb, "stat -c '%a %Y %d' /tmp/f; cat /tmp/d/g; readlink /tmp/d/l; ls -A /m") == "640 5 1\n2t\n"
    assert out(sb, "mv /ro/x /tmp/y; cat /tmp/y") == "3mv: cannot remove '/ro/x': Read-only file system\n"
    assert out(sb, "mkdir -p /m/d/e; touch /m/d/e/k; mv /tmp/d /m").endswith("unable to remove target: Directory not empty\n")
    assert out(sb, "find / -xdev -path '/m*'; find /m -xdev -type f") == "/m\n/m/d/e/k\n"
    assert out(sb, "stat -c %d / /m /ro/x") == "1\n2\n3\n"
    assert out(sb, "rm -r /m; find /m; rmdir /ro; mv /ro /tmp; rm -rf --one-file-system /m/../ro/..//m") == (
        "/m\nrm: cannot remove '/m': Device or resource busy\nrmdir: failed to remove '/ro': Device or resource busy\n"
        "mv: cannot move '/ro' to '/tmp/ro': Device or resource busy\nrm: cannot remove '/m/../ro/..//m': Device or resource busy\n"
    )
    assert out(sb, "tail -n2 /proc/mounts") == "MemoryFS /m eryxsh rw 0 0\ndict /ro eryxsh ro 0 0\n"
    assert [line.split()[-1] for line in out(sb, "df; df /ro/x").splitlines()] == ["on", "/", "/m", "/ro", "on", "/ro"]


def test_unmount_gives_back_what_was_below() -> None:
    sb = Sandbox(files={"/data/old": "kept"})
    sb.mount("/data", {"new": "1"})
    sb.mount("/data", {"newer": "2"})
    assert out(sb, "ls /data") == "newer\n"
    sb.unmount("/data")
    assert out(sb, "ls /data") == "new\n"
    sb.commands.run("cd /data")
    refused(errno.EBUSY, sb.unmount, "/data")
    sb.commands.run("cd /; exec 3</data/new")
    refused(errno.EBUSY, sb.unmount, "/data")
    sb.commands.run("exec 3<&-")
    before = sb.usage().files
    sb.unmount("/data")
    assert (out(sb, "cat /data/old"), sb.usage().files, len(sb.mounts)) == ("kept", before - 2, 0)
    refused(errno.EINVAL, sb.unmount, "/data")
    refused(errno.ENOENT, sb.unmount, "/nope")


def test_all_or_nothing() -> None:
    sb = Sandbox(files={"/file": "x"}, limits=Limits(file_bytes=100_000), clock="virtual")
    state = sb.export_state()
    with pytest.raises(QuotaExceededError):
        sb.mount("/big", {"a": "1", "b": b"x" * 200_000})
    for path, source, error in (
        ("/file", {"a": "1"}, NotADirectoryError),
        ("/", {"a": "1"}, OSError),
        ("/proc", {"a": "1"}, OSError),
        ("/m", {"a": "1", "a/b": "2"}, OSError),
        ("/m", {"../a": "1"}, ValueError),
        ("/m", {"": "1"}, ValueError),
        ("/m", 5, TypeError),
        ("/m", {"a": 5}, TypeError),
    ):
        with pytest.raises(error):
            sb.mount(path, source)
        with pytest.raises(error):
            Sandbox(files={"/file": "x"}, mounts={path: source})
    assert sb.export_state() == state


def test_mounts_travel() -> None:
    """Files that Python gave are the sandbox's: in snapshots, forks, states and stores."""
    sb = Sandbox(files={"/data/old": "kept"}, mounts={"/data": MemoryFS({"f": "1"}, writable=True), "/ro": {"f": "2"}})
    begun = sb.snapshot()
    child = sb.fork()
    sb.commands.run("echo more > /data/f; cd /ro")
    blob = sb.export_state()
    loaded = Sandbox.from_state(blob)
    assert loaded.export_state() == blob
    assert out(loaded, "cat f /data/f; touch x") == "2more\ntouch: cannot touch 'x': Read-only file system\n"
    loaded.unmount("/data")
    assert out(loaded, "ls /data") == "old\n"
    assert out(child, "cat /data/f") == "1"
    sb.commands.run("cd /")
    sb.unmount("/ro")
    sb.restore(begun)
    assert (list(sb.mounts), out(sb, "cat /ro/f /data/f")) == (["/data", "/ro"], "21")
    store = Store({})
    store.save(sb, "x")
    again = store.load("x")
    assert (list(again.mounts), out(again, "cat /ro/f /data/f")) == (["/data", "/ro"], "21")
    sb.commands.run("rm /data/f")
    sb.unmount("/ro")
    sb.reset()
    assert (list(sb.mounts), out(sb, "cat /ro/f /data/f"), str(sb.diff())) == (["/data", "/ro"], "21", "no difference")


def test_what_is_kept_is_not_mounted_again() -> None:
    store = Store({})
    for expected in ("1", "1x", "1xx"):
        with Sandbox(persistence="persistent", store=store, mounts={"/m": MemoryFS({"f": "1"}, writable=True)}) as sb:
            assert (list(sb.mounts), out(sb, "cat /m/f; printf x >> /m/f")) == (["/m"], expected)


def test_a_directory_of_the_host(tmp_path: Path) -> None:
    """It is read when it is asked for, as it is then, and nothing is written to it."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "f").write_text("one\n")
    (tmp_path / "big").write_bytes(bytes(range(256)) * 4096)
    sb = Sandbox(mounts={"/repo": Mount.host(tmp_path)})
    assert out(sb, "cd /repo/d && cat f && pwd && ls -A .. && ls -A /repo/d/../d") == "one\n/repo/d\nbig\nd\nf\n"
    (tmp_path / "d" / "f").write_text("changed\n")
    (tmp_path / "d" / "new").touch()
    assert out(sb, "cat f; ls") == "changed\nf\nnew\n"
    assert sb.files.read("/repo/big") == bytes(range(256)) * 4096
    assert (
        out(sb, "wc -c < /repo/big; cp /repo/big /tmp; cmp /repo/big /tmp/big; du -a --apparent-size -b /repo/big")
        == "1048576\n1048576\t/repo/big\n"
    )
    before = sorted((p.name, p.stat().st_mtime_ns) for p in tmp_path.rglob("*"))
    for command in ("echo x > f", "rm f", "mkdir m", "mv f g", "touch f", "ln f g", "chmod 600 f", "ln -s a b", "rm -r /repo"):
        result = sb.commands.run(command)
        assert (result.exit_code, "Read-only" in result.stderr) == (1, True), result
    assert sorted((p.name, p.stat().st_mtime_ns) for p in tmp_path.rglob("*")) == before
    refused(errno.EBUSY, sb.unmount, "/repo")
    sb.commands.run("cd /")
    child = sb.fork()
    sb.unmount("/repo")
    assert out(sb, "ls -A /repo") == ""
    assert out(child, "ls /repo/d; grep -r chang /repo") == "f\nnew\n/repo/d/f:changed\n"
    with pytest.raises(FileNotFoundError):
        sb.mount("/x", Mount.host(tmp_path / "nope"))
    with pytest.raises(NotADirectoryError):
        sb.mount("/x", Mount.host(tmp_path / "big"))


def test_nothing_leads_out(tmp_path: Path) -> None:
    """Links are resolved in the sandbox's own tree; what is no file and no directory is not opened."""
    outside, inside = out_and_in(tmp_path)
    (inside / "abs").symlink_to(outside / "f")
    (inside / "rel").symlink_to("../out/f")
    (inside / "up").symlink_to("..")
    (inside / "etc").symlink_to("/etc")
    (inside / "proc").symlink_to("/proc/self/root/etc/shadow")
    os.mkfifo(inside / "fifo")
    sb = Sandbox(files={"/etc/mine": "mine\n"}, mounts={"/m": Mount.host(inside)})
    for path in ("abs", "rel", "l/f", "up/out/f", "../out/f", "proc", "l/../out/f"):
        result = sb.commands.run(f"cat /m/{path}")
        assert (result.exit_code, result.stdout) == (1, ""), path
        with pytest.raises(OSError, match=r"."):
            sb.files.read(f"/m/{path}")
    assert out(sb, "cat /m/etc/mine; readlink /m/rel; ls /m/up") == "mine\n../out/f\n" + out(sb, "ls /")
    assert out(sb, "timeout 5 cat /m/fifo; [ -p /m/fifo ] && echo is") == "is\ncat: /m/fifo: No such device or address\n"


def out_and_in(top: Path) -> tuple[Path, Path]:
    """Two directories: ``out`` with ``f``, and ``in`` with ``d/f`` and ``l``, a link to ``out``."""
    outside, inside = top / "out", top / "in"
    outside.mkdir()
    (outside / "f").write_text("secret\n")
    (inside / "d").mkdir(parents=True)
    (inside / "d" / "f").write_text("inside\n")
    (inside / "l").symlink_to(outside)
    return outside, inside


@contextlib.contextmanager
def becoming_a_link(top: Path) -> Iterator[None]:
    """Meanwhile ``d`` is swapped for the link ``l``, and back, again and again."""
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            os.rename(top / "d", top / "t")
            os.rename(top / "l", top / "d")
            os.rename(top / "d", top / "l")
            os.rename(top / "t", top / "d")

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_directory_that_becomes_a_link(tmp_path: Path) -> None:
    """A race: while it is read, a directory is swapped for a link that leads out, and back."""
    _, inside = out_and_in(tmp_path)
    with becoming_a_link(inside):
        sb = Sandbox(mounts={"/m": Mount.host(inside)})
        read = [out(sb, "cat /m/d/f; ls /m/d; grep -r . /m") for _ in range(300)]
    assert any("inside" in text for text in read)
    assert not any("secret" in text for text in read)


def test_a_host_that_is_given_again(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("its text\n")
    sb = Sandbox(mounts={"/m": Mount.host(tmp_path)})
    assert out(sb, "cd /m; exec 3< f; cat f") == "its text\n"
    sb.snapshot("was")
    blob = sb.export_state()
    assert b"its text" not in blob
    assert Sandbox.inspect(blob).dropped == ("mount /m: files of the host",)
    lost = Sandbox.from_state(blob)
    assert out(lost, "cat f; ls /m; cat <&3").count("No such device") == 3
    assert lost.mounts["/m"].missing
    lost.mount("/m", Mount.host(tmp_path))
    assert (out(lost, "cat f <&3"), lost.mounts["/m"].missing) == ("its text\n", False)
    lost.restore("was")
    assert out(lost, "cat f; cat <&3") == "its text\nits text\n"
    assert out(Sandbox.from_state(blob, mounts={"/m": Mount.host(tmp_path)}), "cat f; cat <&3") == "its text\nits text\n"
