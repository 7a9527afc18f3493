"""The directory backend: what outlives a power cut, full disks, refused writes, directories that vanish, locks of dead owners."""

from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import random
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import pytest

from disks import FailingLayer, ForgetfulDisk, PowerCut
from eryxsh.backends import BackendError, BackendUnavailableError, DirectoryBackend

State = Dict[str, bytes]


# --- power cuts ---

# (what is done, its arguments); values are unlike each other
WORK: List[Tuple[str, Tuple[Any, ...]]] = [
    ("put", ("packs/ab/one", b"first of one")),
    ("put", ("packs/ab/two", b"")),
    ("put", ("packs/cd/" + "long" * 60, b"x" * 100)),
    ("cas", ("refs/main", None, b"1")),
    ("cas", ("refs/main", b"1", b"22")),
    ("put", ("packs/ab/one", b"second of one, longer")),
    ("put_many", ({"packs/ef/three": b"33", "packs/ef/four": b"444", "packs/ab/two": b"2"},)),
    ("delete", ("packs/ab/one",)),
    ("cas", ("refs/main", b"22", None)),
    ("cas", ("refs/main", b"22", b"lost")),
    ("put", ("packs/ab/one", b"third of one")),
    ("delete_many", (["packs/ef/three", "packs/ab/two", "packs/none"],)),
    ("cas", ("refs/main", None, b"new")),
]


def model(state: State, what: str, arguments: Tuple[Any, ...]) -> Iterator[State]:
    """Each state that may be seen while this is done, the one before first and the one after last."""
    changes: Dict[str, Optional[bytes]] = {}
    if what == "put":
        changes[arguments[0]] = arguments[1]
    elif what == "put_many":
        changes.update(arguments[0])
    elif what == "delete":
        changes[arguments[0]] = None
    elif what == "delete_many":
        changes.update(dict.fromkeys(arguments[0]))
    elif state.get(arguments[0]) == arguments[1]:
        changes[arguments[0]] = arguments[2]
    keys = list(changes)
    for some in range(1 << len(keys)):
        new = dict(state)
        for n, key in enumerate(keys):
            value = changes[key]
            if some >> n & 1 and value is not None:
                new[key] = value
            elif some >> n & 1:
                new.pop(key, None)
        yield new


def content(backend: Any) -> State:
    """All that is there."""
    return {key: backend.get(key) for key in backend.list()}


def work_until_cut(disk: ForgetfulDisk) -> List[State]:
    """Do the work; gives the states that may be there after a power cut, the last acknowledged one first."""
    allowed: List[State] = [{}]
    try:
        backend = DirectoryBackend("/store", layer=disk)
        for what, arguments in WORK:
            allowed = list(model(allowed[0], what, arguments))
            getattr(backend, what)(*arguments)
            allowed = allowed[-1:]
            assert content(backend) == allowed[0]
    except PowerCut:
        pass
    return allowed


def test_power_cut_at_every_step() -> None:
    """What was acknowledged is there, what was not is there whole or not at all; and the store goes on."""
    whole = ForgetfulDisk()
    work_until_cut(whole)
    assert whole.steps > 90
    for cut in range(whole.steps + 1):
        rng = random.Random(cut)
        disk = ForgetfulDisk()
        disk.cut_at = cut
        allowed = work_until_cut(disk)
        for _ in range(60):
            left = DirectoryBackend("/store", layer=disk.after(rng))
            assert content(left) in allowed, f"cut at {cut}"
            left.put("packs/ab/one", b"after")
            assert left.cas("refs/after", None, b"1")
            assert left.get("packs/ab/one") == b"after"


@pytest.mark.parametrize("forgotten", ["fsync", "sync_folder"])
def test_the_disk_forgets(forgotten: str) -> None:
    """The test itself: without one kind of sync, acknowledged values are lost or broken."""

    class Careless(ForgetfulDisk):
        def create(self, path: str, data: memoryview) -> None:
            super().create(path, data)
            if forgotten == "fsync":
                self._file(path).synced = b""

        def sync_folder(self, path: str) -> None:
            if forgotten != "sync_folder":
                super().sync_folder(path)

    disk = Careless()
    allowed = work_until_cut(disk)

    def bad(seed: int) -> bool:
        try:
            return content(DirectoryBackend("/store", layer=disk.after(random.Random(seed)))) not in allowed
        except BackendError:
            return True

    assert any(bad(seed) for seed in range(100))


# --- errors of the system ---


def failure(work: Callable[[], Any]) -> Optional[BackendError]:
    """The error that this raises, if it does."""
    try:
        work()
    except BackendError as error:
        return error
    return None


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EIO, errno.EDQUOT, errno.EROFS])
@pytest.mark.parametrize(
    ("what", "arguments", "after"),
    [
        ("put", ("packs/a", b"new value"), b"new value"),
        ("cas", ("packs/a", b"old", b"new value"), b"new value"),
        ("put_many", ({"packs/a": b"new value"},), b"new value"),
        ("delete", ("packs/a",), None),
        ("cas", ("packs/a", b"old", None), None),
        ("put", ("packs/new/folder/b", b"new value"), b"new value"),
    ],
)
def test_every_failing_change(tmp_path: pathlib.Path, number: int, what: str, arguments: Tuple[Any, ...], after: Optional[bytes]) -> None:
    """A typed error with the system's own as its cause; the old value, or, when only the last sync failed, the new one."""
    layer = FailingLayer(number)
    backend = DirectoryBackend(tmp_path / "s", layer=layer)
    backend.put("packs/a", b"old")
    at = 0
    while True:
        for other in list(backend.list()):
            backend.delete(other)
        backend.put("packs/a", b"old")
        shutil.rmtree(tmp_path / "s" / "packs" / "new", ignore_errors=True)
        backend = DirectoryBackend(tmp_path / "s", layer=layer)
        layer.arm(at)
        error = failure(lambda: getattr(backend, what)(*arguments))  # noqa: B023
        if error is None:
            break
        failed, changed = layer.done[at], any(op in layer.done[:at] for op in ("rename", "unlink"))
        layer.arm(None)
        assert error.backend == str(tmp_path / "s")
        assert error.key == (arguments[0] if isinstance(arguments[0], str) else "packs/a")
        assert isinstance(error.cause, OSError)
        assert error.__cause__ is error.cause
        assert error.cause.errno == number
        expected: Dict[str, Optional[bytes]] = {"packs/a": b"old"}
        if changed and failed == "fsync":
            expected = {**expected, arguments[0] if isinstance(arguments[0], str) else "packs/a": after}
        assert content(backend) == {key: value for key, value in expected.items() if value is not None}
        assert os.listdir(tmp_path / "s" / ".eryxsh" / "tmp") == []
        at += 1
    assert at >= 3


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_every_failing_change_of_the_first_opening(tmp_path: pathlib.Path, number: int) -> None:
    """A typed error; the next opening makes what is missing."""
    at = 0
    while True:
        path = tmp_path / f"s{at}"
        layer = FailingLayer(number)
        layer.arm(at)
        error = failure(lambda: DirectoryBackend(path, layer=layer))  # noqa: B023
        if error is None:
            break
        assert isinstance(error.cause, OSError)
        backend = DirectoryBackend(path)
        backend.put("a", b"1")
        assert content(backend) == {"a": b"1"}
        at += 1
    assert at > 8


FULL = """
import errno, os, sys
from eryxsh import backends
ballast = os.path.join(sys.argv[2], "ballast")
with open(ballast, "wb") as file: file.write(b"x" * 500_000)
backend = backends.open(sys.argv[1])
kept = {}
try:
    for n in range(1000):
        backend.put(f"packs/{n}", bytes([n % 256]) * 50_000)
        kept[f"packs/{n}"] = bytes([n % 256]) * 50_000
    raise SystemExit("the disk was never full")
except backends.BackendError as error:
    assert "full" in str(error) or error.cause.errno == errno.ENOSPC, error
for _ in range(3):
    try: backend.put("packs/0", b"n" * 3_000_000)
    except backends.BackendError: pass
    else: raise SystemExit("3 MB on a disk of 2 MB")
assert len(kept) > 5
assert {key: backend.get(key) for key in backend.list()} == kept
backend.close()
backend = backends.open(sys.argv[1])
assert {key: backend.get(key) for key in backend.list()} == kept
if sys.argv[1].startswith("sqlite"): os.unlink(ballast)  # whose journal needs room even to delete
backend.delete_many(list(kept)[1:])
backend.put("packs/0", b"room again" * 10_000)
assert backend.get("packs/0") == b"room again" * 10_000
assert list(backend.list()) == ["packs/0"]
"""


@pytest.mark.parametrize("spec", ["{}/store", "sqlite:///{}/store.db"])
def test_a_disk_that_is_full(tmp_path: pathlib.Path, spec: str) -> None:
    """A real one, of 2 MB: a typed error, nothing half-written, and it works again when there is room."""
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("a small disk is mounted in a namespace: root on Linux")
    (tmp_path / "full.py").write_text(FULL)
    script = 'mount -t tmpfs -o size=2m tmpfs "$1" && exec "$2" "$3" "$4" "$1"'
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["unshare", "-m", "sh", "-c", script, "sh", str(disk), sys.executable, str(tmp_path / "full.py"), spec.format(disk)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if "mount" in done.stderr or "unshare" in done.stderr:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr


def as_nobody(work: Callable[[], None]) -> None:
    """Run it in a child that is not root, for whom modes count."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            if os.geteuid() == 0:
                os.setegid(65534)
                os.seteuid(65534)
            work()
            status = 0
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0


def test_permission_denied(tmp_path: pathlib.Path) -> None:
    """Whoever may read a store and not write it: reading works, each change is a typed error."""
    path = tmp_path / "s"
    DirectoryBackend(path, fsync=False).put("packs/a", b"old")
    for above in [tmp_path, *tmp_path.parents]:
        if above.name and above.owner() == path.owner() and above.name.startswith(("pytest", "test_")):
            above.chmod(0o755)
    for folder, _, files in os.walk(path):
        os.chmod(folder, 0o555)
        for name in files:
            os.chmod(os.path.join(folder, name), 0o444)

    def work() -> None:
        backend = DirectoryBackend(path)
        assert content(backend) == {"packs/a": b"old"}
        assert backend.stat("packs/a")[0] == 3
        changes: List[Callable[[], Any]] = [
            lambda: backend.put("packs/a", b"new"),
            lambda: backend.put("other", b"new"),
            lambda: backend.delete("packs/a"),
            lambda: backend.cas("packs/a", b"old", b"new"),
        ]
        for change in changes:
            error = failure(change)
            assert error is not None
            assert isinstance(error.cause, PermissionError), error

    as_nobody(work)
    assert content(DirectoryBackend(path)) == {"packs/a": b"old"}


# --- the directory ---


def test_modes(tmp_path: pathlib.Path) -> None:
    """The owner's alone, whatever the umask."""
    before = os.umask(0)
    try:
        backend = DirectoryBackend(tmp_path / "a" / "b c", fsync=False)
        backend.put("packs/ab/x", b"")
        backend.cas("refs/x", None, b"")
    finally:
        os.umask(before)
    for folder, folders, files in os.walk(tmp_path / "a"):
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700, folder
        assert folders or files or folder.endswith("tmp")
        for name in files:
            assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o600, name


@pytest.mark.parametrize("how", ["removed", "emptied", "a file"])
def test_a_directory_that_vanishes(tmp_path: pathlib.Path, how: str) -> None:
    """An error for everything: never an empty store, and nothing is made in its place."""
    path = tmp_path / "s"
    backend = DirectoryBackend(path, fsync=False)
    backend.put("packs/a", b"1")
    shutil.rmtree(path)
    if how == "emptied":
        path.mkdir()
    elif how == "a file":
        path.write_text("")
    uses: List[Callable[[], Any]] = [
        lambda: backend.get("packs/a"),
        lambda: backend.get_range("packs/a", 0, 1),
        lambda: backend.get_many(["packs/a"]),
        lambda: backend.stat("packs/a"),
        lambda: backend.put("packs/a", b"2"),
        lambda: backend.put_many({"packs/a": b"2"}),
        lambda: backend.delete("packs/a"),
        lambda: backend.cas("packs/a", None, b"2"),
        lambda: list(backend.list()),
        lambda: list(backend.list("packs/")),
        lambda: backend.sweep(),
    ]
    for use in uses:
        with pytest.raises(BackendError):
            use()
    assert not path.exists() or path.is_file() or not any(path.iterdir())


def test_folders_that_vanish(tmp_path: pathlib.Path) -> None:
    """Somebody tidied up empty folders: they are made again."""
    backend = DirectoryBackend(tmp_path / "s", fsync=False)
    backend.put("packs/ab/a", b"1")
    backend.delete("packs/ab/a")
    shutil.rmtree(tmp_path / "s" / "packs")
    backend.put("packs/ab/a", b"2")
    assert content(backend) == {"packs/ab/a": b"2"}


def test_what_is_no_store(tmp_path: pathlib.Path) -> None:
    """A directory with something else in it is refused, untouched; one of another version too; a file is."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "notes.txt").write_text("mine")
    with pytest.raises(BackendError, match=r"not a store, and not empty \(it has 'notes.txt'\)"):
        DirectoryBackend(tmp_path / "home")
    assert os.listdir(tmp_path / "home") == ["notes.txt"]
    DirectoryBackend(tmp_path / "s")
    (tmp_path / "s" / ".eryxsh" / "format").write_text("eryxsh directory 2\n")
    with pytest.raises(BackendError, match="another version"):
        DirectoryBackend(tmp_path / "s")
    (tmp_path / "file").write_text("")
    with pytest.raises(BackendError):
        DirectoryBackend(tmp_path / "file")
    (tmp_path / "disk" / "lost+found").mkdir(parents=True)
    DirectoryBackend(tmp_path / "disk").put("a", b"a new file system is empty enough")


def test_relative_path(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is of the directory where it was opened."""
    monkeypatch.chdir(tmp_path)
    backend = DirectoryBackend("s", fsync=False)
    monkeypatch.chdir("/")
    backend.put("a", b"1")
    assert (tmp_path / "s" / "a").read_bytes() == b"1"


def test_foreign_files_are_no_keys(tmp_path: pathlib.Path) -> None:
    """What others leave in a store is not listed."""
    backend = DirectoryBackend(tmp_path / "s", fsync=False)
    backend.put("packs/a", b"1")
    for name in (".DS_Store", "packs/.nfs0001", "packs/Upper", "packs/a+", "packs/ü", "+x"):
        (tmp_path / "s" / name).write_text("")
    (tmp_path / "s" / ".git").mkdir()
    (tmp_path / "s" / ".git" / "config").write_text("")
    assert list(backend.list()) == ["packs/a"]


def test_a_key_is_no_folder(tmp_path: pathlib.Path) -> None:
    """A file system cannot have both: a typed error, and the first stays."""
    backend = DirectoryBackend(tmp_path / "s", fsync=False)
    backend.put("a/b", b"1")
    for put in (lambda: backend.put("a", b"2"), lambda: backend.put("a/b/c", b"2")):
        with pytest.raises(BackendError):
            put()
    for key in ("a", "a/b/c"):
        with pytest.raises(KeyError):
            backend.get(key)
        with pytest.raises(KeyError):
            backend.stat(key)
        backend.delete(key)
    assert content(backend) == {"a/b": b"1"}


def test_leftovers(tmp_path: pathlib.Path) -> None:
    """Unfinished files of writers that died are removed when they are old, by the file system's clock."""
    backend = DirectoryBackend(tmp_path / "s", fsync=False)
    old, new = (tmp_path / "s" / ".eryxsh" / "tmp" / name for name in ("1-old", "1-new"))
    old.write_text("half a val")
    new.write_text("half a val")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    assert backend.sweep() == 1
    assert not old.exists()
    assert new.exists()
    os.utime(new, (time.time() - 7200, time.time() - 7200))
    DirectoryBackend(tmp_path / "s")
    assert not new.exists()
    assert list(backend.list()) == []


def test_age_is_by_the_clock_of_the_files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This process's clock may be wrong by hours."""
    monkeypatch.setattr(time, "time", lambda: 1_000.0)
    backend = DirectoryBackend(tmp_path / "s", fsync=False)
    backend.put("a", b"")
    assert backend.stat("a")[1] < 60


# --- locks ---

HOLD = """
import os, sys, time
from eryxsh.backends import DirectoryBackend
backend = DirectoryBackend(sys.argv[1])
with backend._locked("refs/a"):
    if sys.argv[2] == "fork" and os.fork() == 0:
        time.sleep(60)
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", ["alone", "fork"])
def test_lock_of_a_process(tmp_path: pathlib.Path, how: str) -> None:
    """It is waited for, not for ever; its owner's death frees it at once, even when a child was forked that lives."""
    DirectoryBackend(tmp_path / "s")
    command = [sys.executable, "-c", textwrap.dedent(HOLD), str(tmp_path / "s"), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == "held\n"
            backend = DirectoryBackend(tmp_path / "s", lock_timeout=0.3)
            with pytest.raises(BackendUnavailableError, match=r"refs/a: another process has held the lock for 0\.3 s"):
                backend.cas("refs/a", None, b"1")
            holder.kill()
            holder.wait()
            assert backend.cas("refs/a", None, b"1")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(holder.pid, signal.SIGKILL)
