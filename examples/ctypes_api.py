"""The C API through ctypes: what a language without a binding of its own would do.

    python examples/ctypes_api.py [LIBRARY]

LIBRARY is liberyxsh.so; without it the one of the installed package is taken. The
structs are those of capi/eryxsh.h. A script asks a question, is saved while it waits,
and gets its answer in another sandbox; then eight threads use one sandbox each.
"""

from __future__ import annotations

import concurrent.futures
import ctypes
import importlib.util
import pathlib
import sys
from ctypes import POINTER, Structure, byref, c_char, c_char_p, c_int, c_int32, c_int64, c_void_p, sizeof
from typing import Any, Tuple


class Text(Structure):
    """eryxsh_text, and eryxsh_buffer: bytes and how many they are."""

    _fields_ = (("data", c_void_p), ("size", c_int64))

    def __bytes__(self) -> bytes:
        return ctypes.string_at(self.data, self.size) if self.size else b""


class Error(Structure):
    """eryxsh_error."""

    _fields_ = (("code", c_int32), ("error_number", c_int32), ("line", c_int64), ("column", c_int64), ("message", c_char * 1024))


class Options(Structure):
    """eryxsh_options."""

    _fields_ = (
        *(("struct_size", c_int64), ("cwd", Text), ("user", Text), ("hostname", Text), ("env", c_void_p), ("env_count", c_int64)),
        *(("limits", c_void_p), ("limit_count", c_int64), ("tools", POINTER(Text)), ("tool_count", c_int64)),
        *(("virtual_clock", c_int32), ("has_seed", c_int32), ("seed", c_int64), ("interrupt", POINTER(c_int))),
    )


class Command(Structure):
    """eryxsh_command."""

    _fields_ = (
        *(("struct_size", c_int64), ("script", Text), ("argv", POINTER(Text)), ("argv_count", c_int64), ("input", Text)),
        *(("input_open", c_int32), ("suspend_on_limit", c_int32), ("env", c_void_p), ("env_count", c_int64), ("cwd", Text)),
        *(("timeout_ns", c_int64), ("limits", c_void_p), ("limit_count", c_int64)),
    )


class Result(Structure):
    """eryxsh_result."""

    _fields_ = (
        *(("exit_code", c_int32), ("out_cut", c_int32), ("err_cut", c_int32), ("reserved", c_int32), ("steps", c_int64)),
        *(("time_ns", c_int64), ("out", Text), ("err", Text), ("error_class", Text), ("limit", Text)),
        *(("unsupported", POINTER(Text)), ("unsupported_count", c_int64)),
        *(("tool_errors", POINTER(Text)), ("tool_error_count", c_int64)),
    )


class Event(Structure):
    """eryxsh_event."""

    _fields_ = (
        *(("kind", c_int32), ("fd", c_int32), ("result", POINTER(Result)), ("out", Text), ("err", Text), ("name", Text)),
        *(("call_id", Text), ("args", POINTER(Text)), ("arg_count", c_int64), ("input", Text), ("env", POINTER(Text))),
        *(("env_count", c_int64), ("cwd", Text), ("forked_from", Text), ("wait_ns", c_int64)),
    )


class Answer(Structure):
    """eryxsh_answer."""

    _fields_ = (
        *(("struct_size", c_int64), ("kind", c_int32), ("exit_code", c_int32), ("call_id", Text), ("out", Text), ("err", Text)),
        *(("error", Text), ("add", c_void_p), ("add_count", c_int64)),
    )


DONE, TOOL_CALL = 4, 6
SIGNATURES = {
    "eryxsh_new": (POINTER(Options), POINTER(c_int64)),
    "eryxsh_free": (c_int64,),
    "eryxsh_exec": (c_int64, POINTER(Command), POINTER(POINTER(Result))),
    "eryxsh_snapshot": (c_int64, Text, POINTER(POINTER(Text))),
    "eryxsh_restore": (c_int64, Text),
    "eryxsh_fork": (c_int64, POINTER(c_int64)),
    "eryxsh_export": (c_int64, Text, POINTER(POINTER(Text))),
    "eryxsh_import": (c_int64, Text, Text),
    "eryxsh_file_read": (c_int64, Text, POINTER(POINTER(Text))),
    "eryxsh_file_write": (c_int64, Text, Text),
    "eryxsh_run_start": (c_int64, POINTER(Command)),
    "eryxsh_run_next": (c_int64, c_int, POINTER(POINTER(Event))),
    "eryxsh_run_resume": (c_int64, POINTER(Answer)),
    "eryxsh_run_dump": (c_int64, Text, POINTER(POINTER(Text))),
    "eryxsh_run_load": (Text, Text, POINTER(Options), POINTER(c_int64)),
    "eryxsh_run_cancel": (c_int64,),
}


class EryxshError(Exception):
    """A function failed: its code, and the message of eryxsh_last_error."""


def text(data: bytes) -> Text:
    """Bytes of Python's, which live as long as the text."""
    made = Text(ctypes.cast(c_char_p(data), c_void_p), len(data))
    made.kept = data
    return made


def texts(*data: bytes) -> Any:
    """An array of them."""
    made = (Text * len(data))(*(text(d) for d in data))
    made.kept = data
    return made


def sized(struct: Any, **fields: Any) -> Any:
    """A struct that goes in: its size first, everything not named zero."""
    made = struct(struct_size=sizeof(struct), **fields)
    made.kept = fields
    return made


class Library:
    """The functions of eryxsh.h, each raising EryxshError when it fails."""

    def __init__(self, path: str) -> None:
        self.dll = ctypes.CDLL(path)
        self.dll.eryxsh_last_error.restype = POINTER(Error)
        self.dll.eryxsh_buffer_free.argtypes = (c_void_p,)
        self.dll.eryxsh_buffer_free.restype = None
        for name, arguments in SIGNATURES.items():
            getattr(self.dll, name).argtypes = arguments

    def call(self, name: str, *arguments: Any) -> None:
        """A function that gives nothing but its code."""
        code = getattr(self.dll, name)(*arguments)
        if code:
            raise EryxshError(code, self.dll.eryxsh_last_error().contents.message.decode())

    def handle(self, name: str, *arguments: Any) -> int:
        """A function that gives a sandbox."""
        made = c_int64()
        self.call(name, *arguments, byref(made))
        return made.value

    def taken(self, name: str, *arguments: Any) -> bytes:
        """A function that gives bytes: copied, and freed."""
        block = POINTER(Text)()
        self.call(name, *arguments, byref(block))
        try:
            return bytes(block.contents)
        finally:
            self.dll.eryxsh_buffer_free(block)

    def exec(self, sandbox: int, script: bytes, **fields: Any) -> Tuple[int, bytes, bytes]:
        """Run a script to its end: exit code, stdout, stderr."""
        block = POINTER(Result)()
        self.call("eryxsh_exec", sandbox, byref(sized(Command, script=text(script), **fields)), byref(block))
        try:
            r = block.contents
            return r.exit_code, bytes(r.out), bytes(r.err)
        finally:
            self.dll.eryxsh_buffer_free(block)

    def next(self, sandbox: int, wait: bool = True) -> Tuple[int, bytes, bytes]:
        """Go on to the next event: its kind, its name or output, the id of the call."""
        block = POINTER(Event)()
        self.call("eryxsh_run_next", sandbox, wait, byref(block))
        try:
            e = block.contents
            return e.kind, bytes(e.out if e.kind == DONE else e.name), bytes(e.call_id)
        finally:
            self.dll.eryxsh_buffer_free(block)


def installed() -> str:
    """The library of the package that is installed; the package itself is not imported."""
    spec = importlib.util.find_spec("eryxsh")
    if spec is None or spec.origin is None:
        raise SystemExit("eryxsh is not installed: name the library")
    return str(pathlib.Path(spec.origin).with_name("liberyxsh.so"))


def ask_and_answer(lib: Library) -> None:
    """A tool call that is answered in another sandbox."""
    options = sized(Options, tools=texts(b"approve"), tool_count=1)
    asking = lib.handle("eryxsh_new", byref(options))
    lib.call("eryxsh_run_start", asking, byref(sized(Command, script=text(b"x=1; a=$(approve) && echo answer: $a, x=$x"))))
    kind, name, call_id = lib.next(asking)
    assert (kind, name) == (TOOL_CALL, b"approve")
    blob = lib.taken("eryxsh_run_dump", asking, text(b""))
    lib.call("eryxsh_free", asking)

    going_on = lib.handle("eryxsh_run_load", text(blob), text(b""), byref(options))
    lib.call("eryxsh_run_resume", going_on, byref(sized(Answer, kind=TOOL_CALL, call_id=text(call_id), out=text(b"yes\n"))))
    kind, out, _ = lib.next(going_on)
    assert kind == DONE
    print(out.decode(), end="")
    lib.call("eryxsh_free", going_on)


def in_threads(lib: Library) -> None:
    """Eight threads, a fork each."""
    parent = lib.handle("eryxsh_new", None)
    lib.call("eryxsh_file_write", parent, text(b"numbers"), text(b"".join(b"%d\n" % n for n in range(1000))))

    def work(n: int) -> int:
        child = lib.handle("eryxsh_fork", parent)
        code, out, _ = lib.exec(child, b"awk -v m=%d '$1 %% m == 0 {s += $1} END {print s}' numbers" % n)
        lib.call("eryxsh_free", child)
        assert code == 0
        return int(out)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        sums = list(pool.map(work, range(1, 9)))
    assert sums == [sum(range(0, 1000, n)) for n in range(1, 9)]
    print("sums:", *sums)
    lib.call("eryxsh_free", parent)


def main() -> None:
    """Both, and an error."""
    lib = Library(sys.argv[1] if len(sys.argv) > 1 else installed())
    ask_and_answer(lib)
    in_threads(lib)
    try:
        lib.taken("eryxsh_file_read", lib.handle("eryxsh_new", None), text(b"/none"))
    except EryxshError as error:
        print("error", *error.args)


if __name__ == "__main__":
    main()
