"""The command: ``eryxsh -c 'script'``, ``eryxsh script.sh args``, or a script on stdin."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, List, NamedTuple, NoReturn, Optional, Sequence, TextIO

if TYPE_CHECKING:
    from ._sandbox import Sandbox

USAGE = """\
Usage: eryxsh [OPTION]... [FILE [ARGUMENT]...]
       eryxsh [OPTION]... -c SCRIPT [NAME [ARGUMENT]...]
       eryxsh serve [--socket PATH | --port N] [OPTION]...
       eryxsh inspect [--verify] [PLACE [NAMESPACE]]

Run a bash script in a sandbox: an in-memory file system, no access to the host.
Without FILE the script is read from standard input. The exit status is the
script's; 130 after Ctrl-C, 124 after a timeout, 137 at a limit. serve, as the first
word, serves sandboxes by JSON-RPC ('eryxsh serve --help'), and inspect says what is in
a store or a blob ('eryxsh inspect --help'); ./serve and ./inspect are scripts.

  -c SCRIPT            run this text
      --timeout=SECONDS  stop it after so long (default: never)
      --hardened       limits for scripts nobody has read
      --help           print this and exit
      --version        print the version and exit

Of the host only FILE is read, which is copied into the sandbox, and standard input.
"""


class Request(NamedTuple):
    """What the command line asks for."""

    command: List[str]  # in the sandbox
    file: Optional[str]  # the script among its words
    timeout: Optional[float]
    hardened: bool


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command; its exit status.

    >>> main(["-c", "exit 3"])
    3
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["serve"]:
        from .rpc._command import main as serve

        return serve(words[1:])
    if words[:1] == ["inspect"]:
        from ._inspect import main as inspect

        return inspect(words[1:])
    try:
        request = _parse(words)
        if request is None:
            return 0
        return _run(request)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Nobody reads any more; what Python still holds must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141


def _parse(words: List[str]) -> Optional[Request]:
    timeout: Optional[float] = None
    hardened = False
    while words:
        word = words[0]
        if word == "--help":
            sys.stdout.write(USAGE)
            return None
        if word == "--version":
            from ._version import __version__

            sys.stdout.write(f"eryxsh {__version__}\n")
            return None
        if word == "--hardened":
            hardened = True
            del words[0]
        elif word == "--timeout" or word.startswith("--timeout="):
            text = word[len("--timeout=") :] if "=" in word else words[1] if len(words) > 1 else ""
            del words[: 1 if "=" in word else 2]
            timeout = _seconds(text)
        elif word == "-c":
            if len(words) < 2:
                _fail("-c: option requires an argument")
            return Request(["bash", *words], None, timeout, hardened)
        elif word == "--":
            del words[0]
            break
        elif word.startswith("-") and word != "-":
            _fail(f"unrecognized option '{word}'")
        else:
            break
    if not words or words[0] == "-":
        return Request(["bash", "-s", "--", *words[1:]], None, timeout, hardened)
    return Request(["bash", "--", *words], words[0], timeout, hardened)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not value > 0:
        _fail(f"--timeout: '{text}' is not a number of seconds")
    return value


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        _fail(f"{path}: {error.strerror}", 126 if os.path.exists(path) else 127)


def _run(request: Request) -> int:
    from . import PIPE, Finished, InputNeeded, Limits, Output, Sandbox

    content = None if request.file is None else _read(request.file)
    with Sandbox(limits=Limits.hardened() if request.hardened else None) as sandbox:
        command = request.command
        if request.file is not None and content is not None:
            command = _placed(sandbox, command, request.file, content)
        run = sandbox.commands.start(command, stdin=PIPE, timeout=request.timeout)
        for event in run.events():
            if isinstance(event, Output):
                _write(sys.stdout if event.stream == "stdout" else sys.stderr, event.data)
            elif isinstance(event, InputNeeded):
                run.resume(event, data=os.read(0, 65536))
            elif isinstance(event, Finished):
                return event.result.exit_code
        raise AssertionError("a run without tools ends")


def _placed(sandbox: Sandbox, command: List[str], path: str, content: bytes) -> List[str]:
    """Put the script where its name says it is, so that $0, BASH_SOURCE and messages are bash's."""
    try:
        sandbox.files.write(path, content)
        sandbox.files.chmod(path, 0o755)
        return command
    except OSError:  # /dev/fd/63: a name that no file of the sandbox can have
        script = content.decode("utf-8", "surrogateescape")
        return ["bash", "-c", script, *command[2:]]  # without "bash --"


def _write(stream: TextIO, data: bytes) -> None:
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()


def _fail(message: str, status: int = 2) -> NoReturn:
    sys.stderr.write(f"eryxsh: {message}\n")
    if status == 2:
        sys.stderr.write("Try 'eryxsh --help' for more information.\n")
    raise SystemExit(status)


if __name__ == "__main__":
    sys.exit(main())
