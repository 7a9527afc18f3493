#!/usr/bin/env python3
"""Fill the expectations of tests/cmd/*.txtar and tests/script/*.txtar from the real bash and tools.

    python3 tests/record.py NAME...        all cases of the archives called NAME
    python3 tests/record.py --new NAME...  only cases that have no expectation yet
    python3 tests/record.py --check        change nothing, say what is different (exit 1)

A case NAME of an archive is made of these sections:

    -- NAME.sh --      the script (needed)
    -- NAME.stdin --   standard input (empty if absent)
    -- NAME/path --    a file, made below the home directory before the run
    -- NAME.out --     expected standard output       (recorded; absent: empty)
    -- NAME.err --     expected standard error        (recorded; absent: empty)
    -- NAME.status --  expected exit status           (recorded; absent: 0)

A section with " (quoted)" behind its name holds lines of the form "text\\n" with
the escapes \\n \\r \\t \\\\ \\" \\xNN; their concatenation is the content. It is
used where the content is not text or does not end in a newline.

Scripts run with an empty directory as HOME and working directory, LC_ALL=C.UTF-8,
TZ=UTC, umask 022. An archive whose comment has a line "# no stderr" is recorded
without .err sections: nothing is then said about standard error.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = [Path(__file__).parent / "cmd", Path(__file__).parent / "script"]
MARKER = re.compile(rb"^-- (.+?) --$", re.M)
QUOTED = " (quoted)"


def parse(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Split an archive into its comment and its sections, in order."""
    marks = list(MARKER.finditer(data))
    comment = data[: marks[0].start()] if marks else data
    sections = {}
    for i, mark in enumerate(marks):
        end = marks[i + 1].start() if i + 1 < len(marks) else len(data)
        name, body = mark[1].decode(), data[mark.end() + 1 : end]
        if name.endswith(QUOTED):
            name = name[: -len(QUOTED)]
            body = b"".join(ast.literal_eval("b" + line) for line in body.decode().splitlines() if line)
        if name in sections:
            sys.exit(f"section {name} is there twice")
        sections[name] = body
    return comment, sections


def plain(body: bytes) -> bool:
    """Whether a section can hold body as it is."""
    if body and not body.endswith(b"\n") or MARKER.search(body) or b"\r" in body or b"\0" in body:
        return False
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def quote(line: bytes) -> str:
    """One line as a double-quoted string."""
    named = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\", 34: '\\"'}
    return '"' + "".join(named.get(b) or (chr(b) if 32 <= b < 127 else f"\\x{b:02x}") for b in line) + '"'


def render(comment: bytes, sections: dict[str, bytes]) -> bytes:
    """The archive as text; parse(render(x)) == x."""
    out = [comment]
    for name, body in sections.items():
        if plain(body):
            out.append(f"-- {name} --\n".encode() + body)
        else:
            lines = "".join(quote(line) + "\n" for line in body.splitlines(keepends=True) or [b""])
            out.append(f"-- {name}{QUOTED} --\n{lines}".encode())
    return b"".join(out)


def run(case: str, sections: dict[str, bytes]) -> dict[str, bytes]:
    """Run a case on this machine's bash and give its expectations."""
    with tempfile.TemporaryDirectory() as home:
        for name, body in sections.items():
            if name.startswith(case + "/"):
                path = Path(home, name[len(case) + 1 :])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(body)
        env = {"HOME": home, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "USER": "user", "PWD": home}
        done = subprocess.run(
            ["bash", "-c", sections[case + ".sh"].decode(errors="surrogateescape")],
            input=sections.get(case + ".stdin", b""), capture_output=True, cwd=home, env=env, timeout=60, umask=0o022,
            start_new_session=True,  # a script may kill its group
        )
        here = home.encode()
        found = {".out": done.stdout.replace(here, b"/home/user"), ".err": done.stderr.replace(here, b"/home/user")}
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        if status:
            found[".status"] = b"%d\n" % status
    return {suffix: body for suffix, body in found.items() if body}


def record(path: Path, only_new: bool) -> bytes:
    """The archive with fresh expectations."""
    comment, sections = parse(path.read_bytes())
    silent = b"# no stderr" in comment.splitlines()
    result: dict[str, bytes] = {}
    for name, body in sections.items():
        case = name.split("/")[0] if "/" in name else name.rpartition(".")[0]
        if not name.endswith(".sh") or "/" in name:
            if not name.endswith((".out", ".err", ".status")) or "/" in name:
                result[name] = body
            continue
        result[name] = body
        keep = {s: sections[case + s] for s in (".out", ".err", ".status") if case + s in sections}
        found = keep if only_new and keep else run(case, sections)
        if silent:
            found.pop(".err", None)
        for part in [n for n in sections if n == case + ".stdin" or n.startswith(case + "/")]:
            result[part] = sections[part]
        result.update({case + suffix: text for suffix, text in found.items()})
    return render(comment, result)


def main() -> int:
    """Record or check the archives named on the command line, all by default."""
    flags = {a for a in sys.argv[1:] if a.startswith("--")}
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    if unknown := flags - {"--new", "--check"}:
        print(__doc__)
        return int(unknown != {"--help"})
    wrong = 0
    for path in [p for folder in FOLDERS for p in sorted(folder.glob("*.txtar")) if not names or p.stem in names]:
        data = record(path, "--new" in flags)
        if data == path.read_bytes():
            continue
        if "--check" in flags:
            print(f"{path.name}: the tools here say something else")
            wrong = 1
        else:
            path.write_bytes(data)
            print(f"{path.name}: recorded")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
