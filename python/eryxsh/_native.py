"""The one Python file that touches the native module.

How the rest of the package calls the core
------------------------------------------

Through the functions of ``_wire.py``, which are generated from the method table,
typed, and documented there (and in ``capi/WIRE.md``)::

    from eryxsh import _native, _wire

    handle = _wire.sandbox_new(env={"A": "1"})          # an int
    data = _wire.files_read(handle, "/etc/passwd")      # bytes
    answer = _wire.run_run(handle, script="echo hi")    # a TypedDict with "tag"
    while answer["tag"] != _wire.DONE:
        if answer["tag"] == _wire.SLICE:
            answer = _wire.run_step(handle, answer["run"])
        elif answer["tag"] == _wire.CALLS: ...

* A method's required parameters are positional, the others keyword-only; ``None``
  is left out of the request. ``str`` is encoded with ``surrogateescape``, and
  results are decoded the same way; ``bytes`` must be ``bytes`` (convert a
  ``bytearray`` or ``memoryview`` first). Integers that are times are nanoseconds.
* Structs come back as dicts (``TypedDict``) in which every field is present;
  lists come back as tuples.
* Errors come back as exceptions (``_errors.py``). File errors are the builtins,
  picked by errno: ``FileNotFoundError`` and so on, with ``.path``.
* The methods that drive a run return within their slice (20 ms if none is given),
  so a loop in Python lets signal handlers run: Ctrl-C needs no more than that.
  A call that finds its sandbox held by another thread handles signals and asks
  again. The GIL is released in every call; calls on different sandboxes run in
  parallel.
* Nothing is loaded before the first call. After ``os.fork()`` the child loads a
  private copy at its first call; a handle made before the fork raises
  ``ForkedSandboxError`` there. ``mine(handle)`` asks without calling.
* A finalizer (``__del__``, ``weakref.finalize``, ``atexit``) uses ``discard(handle)``: it never
  raises, loads nothing, and does nothing to a handle of another process.
* When the interpreter ends, ``at_exit`` refuses new calls (they raise
  ``SandboxClosedError``), cancels every run and waits up to a second for the
  calls of other threads. Something that must be saved first registers with
  ``before_exit``.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import pathlib
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, List, Mapping, Optional, Tuple, TypeVar

from eryxsh import _errors

if TYPE_CHECKING:
    from eryxsh import _wire

T = TypeVar("T")

_GENERATION_SHIFT = 40
_FAR = 1 << 22  # generations from here on are those of other processes
_EXIT_WAIT = 1_000_000_000

_ext: Any = None  # eryxsh._ext once the first call was made
_lock = threading.Lock()
_used = False  # this process or one it was forked from has loaded the library
_before_exit: List[Callable[[], object]] = []
_at_end: List[Callable[[], object]] = []


class Method(Tuple[int, int, Any, int], Generic[T]):
    """A row of the method table: number, which parameter is the Blob, the result's shape, which parameter says what process it is for."""

    __slots__ = ()


def call(method: Method[T], arguments: Tuple[object, ...]) -> T:
    """Send a request; give the result, or raise what the core answered.

    Use it as ``_native.call``: once the library is loaded that is ``_ext.call``
    itself, and after a fork this function again.
    """
    where = arguments[method[3] - 1] if method[3] else None
    if _ext is None or not isinstance(where, int) or where >> _GENERATION_SHIFT < _FAR:
        _load()
    return _ext.call(method, arguments)  # type: ignore[no-any-return]


_call_at_first = call


def serve(
    method: Method[_wire.Answer],
    run: Tuple[int, str, Optional[int]],
    functions: Mapping[str, Callable[..., Any]],
    make: Callable[..., T],
    owner: object,
    take: Callable[[Tuple[Tuple[int, bytes], ...]], object],
    step: _wire.Answer,
) -> Tuple[_wire.Answer, Optional[T], object, Optional[BaseException]]:
    """Answer tool calls, one after another: see ``_ext.serve``."""
    return _ext.serve(method, run, functions, make, owner, take, step)  # type: ignore[no-any-return]


def mine(handle: int) -> bool:
    """Whether a handle was made by this process, or one it has started that lives, not by one it was forked from."""
    return _ext is not None and bool(_ext.mine(handle))


def together(a: int, b: int) -> bool:
    """Whether one process holds what two handles name (0: this process)."""
    far_a, far_b = a >> _GENERATION_SHIFT, b >> _GENERATION_SHIFT
    return far_a == far_b or max(far_a, far_b) < _FAR


def discard(handle: int, close: Optional[Callable[[int], object]] = None) -> None:
    """Close a sandbox, or what ``close`` does, from a finalizer: never raises, and loads nothing."""
    try:
        if mine(handle) and (_ext.loaded() or handle >> _GENERATION_SHIFT >= _FAR):
            from eryxsh import _wire

            (close or _wire.sandbox_close)(handle)
    except Exception:
        return  # a finalizer has nobody to tell; the memory goes with the process


def before_exit(function: Callable[[], object]) -> None:
    """Have a function called when the interpreter ends, while the library still answers.

    A forked child inherits it: the function asks ``mine(handle)`` first.
    """
    _before_exit.append(function)


def at_exit(wait: int = _EXIT_WAIT) -> bool:
    """Refuse new calls, cancel every run, wait (ns) for other threads; true if none is left inside."""
    for function in reversed(_before_exit):
        try:
            function()
        except Exception:
            sys.excepthook(*sys.exc_info())
    for function in _at_end:
        function()
    if _ext is None or not _ext.loaded():
        return True
    from eryxsh import _wire

    return _wire.system_shutdown(wait=wait)


def at_end(function: Callable[[], object]) -> None:
    """Have a function called when the interpreter ends, after what ``before_exit`` was told of."""
    _at_end.append(function)


def far(hooks: Tuple[Callable[..., object], ...]) -> Any:
    """The native module, ready for requests to other processes: see ``_isolation.py``. The library is not loaded for that."""
    global _ext
    from eryxsh import _wire

    with _lock:
        if _ext is None:
            _ext = _import()
        if not _ext.far_ready():
            _ext.far(_wire.SHAPES, _errors.from_wire, hooks)
            _when_it_ends()
    return _ext


def library() -> pathlib.Path:
    """Where the Go library is installed."""
    return pathlib.Path(__file__).with_name("liberyxsh.so")


def _load() -> None:
    global _ext, _used
    from eryxsh import _wire

    with _lock:
        if _ext is None:
            _ext = _import()
        if _ext.loaded():
            globals()["call"] = _ext.call
            return
        path = library()
        if not path.exists():
            raise ImportError(f"{path} is missing: the package was not built (pip install .)")

        def load(name: str) -> None:
            _ext.load(name, _wire.FINGERPRINT, _wire.SHAPES, _errors.from_wire)

        if _used:
            _load_copy(load)
        else:
            load(str(path))
            _used = True
            _when_it_ends()
        globals()["call"] = _ext.call


def _when_it_ends() -> None:
    if _ext.in_main():  # the end of a subinterpreter ends nothing for the others
        atexit.unregister(at_exit)
        atexit.register(at_exit)


def _import() -> Any:
    try:
        return importlib.import_module("eryxsh._ext")
    except ImportError as error:
        raise ImportError(
            f"eryxsh's native module cannot be used here ({error}): it needs CPython 3.9 or newer with the GIL, "
            "on Linux with glibc or macOS, and no subinterpreter with a GIL of its own",
            name="eryxsh._ext",
        ) from error


@contextlib.contextmanager
def _in_memory(content: bytes) -> Iterator[str]:
    with os.fdopen(os.memfd_create("eryxsh", os.MFD_CLOEXEC), "wb") as file:
        file.write(content)
        file.flush()
        yield f"/proc/{os.getpid()}/fd/{file.fileno()}"


@contextlib.contextmanager
def _in_a_file(content: bytes) -> Iterator[str]:
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="eryxsh-", suffix=".so") as file:
        file.write(content)
        file.flush()
        yield file.name


def _load_copy(load: Callable[[str], None]) -> None:
    """Load the library in a process whose parent had loaded it.

    The parent's Go runtime is in this process too, but without its threads. The
    loader knows a library by its path and its inode, so the copy needs both anew:
    /proc/self/fd/3 could be the name of an older copy, /proc/<pid>/fd/3 cannot.
    """
    content = library().read_bytes()
    try:
        with _in_memory(content) as path:
            load(path)
    except (AttributeError, OSError, ImportError):  # no memfd, no /proc, or no right to run either
        with _in_a_file(content) as path:
            load(path)


def _after_fork_in_child() -> None:
    global _lock
    _lock = threading.Lock()  # another thread may have held it
    globals()["call"] = _call_at_first


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
