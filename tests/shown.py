"""Scripts of this machine as bash reads them: ``bash -n``, and ``declare -f`` of a function around each.

Usage: python tests/shown.py [FOLDER...]    (/etc /usr/bin /usr/lib /usr/share by default)

Nothing of a script runs. Each is written into a sandbox and given to its bash
and to the machine's; output, messages and status have to be the same.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from typing import Iterator, List, Tuple

from eryxsh import Sandbox

FOLDERS = ["/etc", "/usr/bin", "/usr/lib", "/usr/share"]
MOST = 1_000_000  # bytes of a script
SHELL = re.compile(rb"#! ?\S*(/bash|/sh|/dash|env bash|env sh)\b")
Answer = Tuple[bytes, bytes, int]


def scripts(folders: List[str]) -> Iterator[Tuple[str, bytes]]:
    """Path and text of every shell script, each text once."""
    seen = set()
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(place, name)
                if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > MOST or not os.access(path, os.R_OK):
                    continue
                with open(path, "rb") as file:
                    text = file.read(80)
                    if not SHELL.match(text) and not name.endswith((".sh", ".bash")) and not place.endswith("/completions"):
                        continue
                    text += file.read()
                if b"\0" not in text and text not in seen:
                    seen.add(text)
                    yield path, text


def asked(sandbox: Sandbox, folder: str, command: str, text: bytes) -> Tuple[Answer, Answer]:
    """The machine's answer and ours."""
    path = os.path.join(folder, "script")
    with open(path, "wb") as file:
        file.write(text)
    sandbox.files.write(path, text)
    theirs = subprocess.run(command, shell=True, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    ours = sandbox.commands.run(command, cwd=folder)
    out, err = (s.encode("utf-8", "surrogateescape") for s in (ours.stdout, ours.stderr))
    return (theirs.stdout, theirs.stderr, theirs.returncode), (out, err, ours.exit_code)


def difference(theirs: Answer, ours: Answer) -> str:
    """The first line that differs."""
    for a, b in zip(theirs[:2], ours[:2]):
        if a != b:
            one, other = (s.decode("utf-8", "replace").split("\n") for s in (a, b))
            at = next((i for i, (x, y) in enumerate(zip(one, other)) if x != y), min(len(one), len(other)))
            shown = [lines[at].strip()[:150] if at < len(lines) else "" for lines in (one, other)]
            return f"line {at + 1}\n    bash: {shown[0]}\n    ours: {shown[1]}"
    return f"status {theirs[2]} and {ours[2]}"


def main(folders: List[str]) -> int:
    """Compare them all; how many differ is the last line."""
    many = wrong = 0
    with tempfile.TemporaryDirectory() as folder, Sandbox(timeout=60) as sandbox:
        for path, text in scripts(folders or FOLDERS):
            many += 1
            around = b"shopt -s extglob\nf() {\n" + text + b"\n}\ndeclare -f f\n"
            for command, given in (("bash -O extglob -n script", text), ("bash script", around)):
                theirs, ours = asked(sandbox, folder, command, given)
                if theirs[2] and command == "bash script":
                    continue  # what is no body of a function might run
                if theirs != ours:
                    wrong += 1
                    print(f"{path}: {command}: {difference(theirs, ours)}", flush=True)
                    break
    print(f"{many} scripts, {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
