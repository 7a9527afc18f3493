"""The main job, end to end, on the source of Python's own standard library.

    python3 examples/main_job.py

makes a virtual environment beside this file, installs eryxsh from this checkout
(Go and a C compiler are fetched from PyPI where the machine has none), and works
in a sandbox as an agent would: it looks around, keeps state between calls,
forks twice and refactors differently, goes back to a snapshot, suspends a
script at a tool call and answers it in another process, exports and imports.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
VENV = ROOT / ".venv"


def set_up() -> None:
    """Install eryxsh into a virtual environment of its own and go on there."""
    python = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        print(f"making {VENV.name} and installing eryxsh into it (a minute or two the first time)", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)], check=True)
    raise SystemExit(subprocess.call([str(python), __file__, "--run"]))


def read_library() -> dict[str, bytes]:
    """The standard library's Python source: path in the sandbox to content."""
    top = pathlib.Path(sysconfig.get_paths()["stdlib"])
    files = {}
    for path in sorted(top.rglob("*.py")):
        parts = path.relative_to(top).parts
        if "site-packages" not in parts and "__pycache__" not in parts:
            files["/home/user/lib/" + "/".join(parts)] = path.read_bytes()
    return files


class Report:
    """Prints what happened and how long it took."""

    def __init__(self) -> None:
        self.start = time.perf_counter()
        self.at = self.start

    def __call__(self, what: str, *details: str) -> None:
        now = time.perf_counter()
        print(f"{(now - self.at) * 1e3:9.1f} ms  {what}")
        for line in details:
            for part in line.rstrip("\n").split("\n"):
                print(f"{'':14}{part}")
        self.at = time.perf_counter()

    def end(self) -> None:
        print(f"{(time.perf_counter() - self.start) * 1e3:9.1f} ms  in all")


EXPLORE = """
cd ~/lib
count() { find . -name "$1" | wc -l; }
lines() { cat "$@" | wc -l; }
echo "python files: $(count '*.py')"
echo "packages:     $(find . -mindepth 2 -maxdepth 2 -name __init__.py | wc -l)"
"""

LARGEST = """
find . -name '*.py' -printf '%s %P\\n' | sort -rn | head -5 | awk '{ printf "%8d  %s\\n", $1, $2 }'
"""

IMPORTS = """
grep -rhoE '^(import|from) [a-z_]+' --include='*.py' . | awk '{ n[$2]++ } END { for (m in n) print n[m], m }' |
    sort -k1,1nr -k2 | head -5
"""

DOCUMENTED = """
declare -A total documented
for dir in json email asyncio; do
    for f in "$dir"/*.py; do
        ((total[$dir]++))
        if head -n 1 "$f" | grep -qE '^r?["]{3}'; then ((documented[$dir]++)); fi
    done
done
for dir in "${!total[@]}"; do echo "$dir ${documented[$dir]:-0}/${total[$dir]}"; done | sort
"""

RENAME = r"""
sed -i 's/\bJSONDecodeError\b/JsonDecodeError/g' $(grep -rlw JSONDecodeError --include='*.py' .)
grep -rlw JsonDecodeError --include='*.py' . | wc -l
"""

HEADERS = r"""
for f in json/*.py; do
    { echo "# Part of the json package."; cat "$f"; } > "$f.new" && mv "$f.new" "$f"
done
head -qn 1 json/*.py | sort | uniq -c
"""

REVIEW = r"""
for f in json/decoder.py json/encoder.py json/tool.py; do
    verdict=$(wc -l < "$f" | approve --file "$f") || { echo "$f: refused"; continue; }
    echo "$f: $verdict"
done
"""

SECOND_PROCESS = r"""
import sys
from eryxsh import Run, Finished
blob = open(sys.argv[1], "rb").read()
run = Run.load(blob, tools={"approve": None})
while not isinstance(event := run.next(), Finished):
    name = event.args[-1]
    run.resume(event, stdout="looks good", exit_code=1 if name.endswith("tool.py") else 0)
print(run.result().stdout, end="")
"""


def main() -> None:
    """Run the job and report."""
    from eryxsh import Sandbox

    say = Report()
    files = read_library()
    size = sum(map(len, files.values()))
    say(f"read {len(files)} files, {size / 1e6:.1f} MB, from {sysconfig.get_paths()['stdlib']}")

    with Sandbox(limits=None, tools={"approve": None}) as sb:
        sb.files.write_many(files)
        say("uploaded them into a sandbox")

        def run(title: str, script: str, box: Sandbox = sb) -> str:
            result = box.commands.run(script, timeout=None).check()
            say(title, result.stdout)
            return result.stdout

        run("looked around; functions and the working directory stay for the next calls", EXPLORE)
        run("largest files: find | sort | head | awk", LARGEST)
        run("most imported modules: grep -r | awk | sort", IMPORTS)
        run("modules with a docstring: a loop over arrays", DOCUMENTED)

        before = sb.snapshot("before refactoring")
        one, two = sb.fork(2)
        say("took a snapshot and two forks")
        run("fork one renamed a class everywhere: grep -l | sed -i", RENAME, one)
        run("fork two put a header on each file of a package", HEADERS, two)
        two.close()
        assert "JsonDecodeError" in one.files.read_text("/home/user/lib/json/decoder.py")
        assert "JSONDecodeError" in sb.files.read_text("/home/user/lib/json/decoder.py")
        say("kept fork one, threw fork two away; the original is as it was")

        one.commands.run("rm -rf json email; lines() { :; }").check()
        one.restore(one.snapshots.list()[0].id)
        assert one.files.exists("/home/user/lib/json/decoder.py")
        one.commands.run(RENAME).check()
        say(f"deleted two packages and went back to snapshot {before!r}")

        review = one.commands.start(REVIEW)
        call = review.next()
        blob = review.dump()
        say(
            f"a script stopped inside $( ) in a loop, at the tool call {call.name} {call.args}",
            f"dumped: {len(blob) / 1e6:.1f} MB, files included",
        )
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.bin")
            path.write_bytes(blob)
            answered = subprocess.run([sys.executable, "-c", SECOND_PROCESS, str(path)], capture_output=True, text=True, check=True)
        say("another process loaded it, answered, and it ran on", answered.stdout)
        review.cancel()

        blob = one.export_state()
        copy = Sandbox.from_state(blob)
        assert copy.commands.run("cd json; pwd; type -t count").stdout == "/home/user/lib/json\nfunction\n"
        say(f"exported everything ({len(blob) / 1e6:.1f} MB) and imported it: functions, directory and all")
        copy.close()
        one.close()
    say.end()


if __name__ == "__main__":
    if sys.argv[1:] == ["--run"]:
        main()
    else:
        set_up()
