"""Programs that people have, with their own tests, by our bash and by the machine's.

    python tests/programs.py [--archives FOLDER]... [--only NAME]... [--show N] [--check | --raise]

FOLDER has NAME.tar.xz of each program (by default $ERYXSH_PROGRAMS, or ../shared/corpora/programs beside
the repository), or Debian's NAME_VERSION.orig.tar.xz (apt-get source --download-only sed grep coreutils);
where it is not there is nothing to do. Each command of a program's tests runs
in a sandbox and in a place of the machine that is made like it: the same tree at
/home/user/NAME, uid 1000, the same environment, only the commands that the sandbox has, sh is bash.
That takes namespaces (root, Linux); without them it is a scratch folder and a PATH, and the
folder's name is taken out of the output. Status and stdout are compared, without the times
that a program measures. The table says how many commands were equal, and how many of the programs' own
tests passed on each side. --check fails if fewer commands are equal than
tests/corpora/programs.json says; --raise writes the numbers into it that have risen.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import json
import lzma
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from typing import Callable, Dict, Iterator, List, Optional, Pattern, Tuple

from eryxsh import Limits, Sandbox

TOP = pathlib.Path(__file__).resolve().parent.parent
FLOOR = TOP / "tests/corpora/programs.json"
OWN = TOP / "tests/programs"  # NAME: files of ours that stand in a program's tree as own/
ENVIRONMENT = {
    "HOME": "/home/user", "USER": "user", "LOGNAME": "user", "SHELL": "/bin/bash", "TERM": "dumb", "LC_ALL": "C.UTF-8",
    "TZ": "UTC", "PATH": "/usr/local/bin:/usr/bin:/bin",
}
HOME = "/home/user"
Found = Callable[[List[str]], Iterator[Tuple[str, str]]]


@dataclasses.dataclass
class Program:
    """How a program is tested: its commands, the time each may take, what is not compared, what counts its tests."""

    commands: Found
    seconds: float = 60.0
    unlike: str = r"(?!)"  # a pattern of what is a measured time
    passed: str = r"(?!)"  # a pattern of a line that says that a test passed
    total: Optional[Pattern[str]] = None  # or of one with their number
    needs: Tuple[str, ...] = ()  # other programs beside it


def each(pattern: str, command: str) -> Found:
    """One command for each file that matches: {} is its path."""

    def found(names: List[str]) -> Iterator[Tuple[str, str]]:
        for name in sorted(n for n in names if re.fullmatch(pattern, n)):
            yield name, command.replace("{}", shlex.quote(name))

    return found


def once(command: str) -> Found:
    """One command."""
    return lambda _: iter([("", command)])


def both(*found: Found) -> Found:
    """The commands of several."""
    return lambda names: (c for f in found for c in f(names))


TAP = r"^ok \d"
SHELLSPEC = re.compile(r"^(\d+) examples?, \d+ failure", re.M)
ARGUMENTS = ("", "-h", "-f1 --param=2 a b", "--no-such", "-- -x y")
# What is typed into a Lisp: the lines that are neither comments nor what is expected.
LINES = "step=$(basename {}); step=${step%.*}; grep -v '^;' impls/tests/$step.mal | grep . |"

# What autoconf says of the clocks is measured, and of /lib64 it is the machine's.
CLOCKS = "|".join(
    (
        r"(?<=timestamp resolution\.\.\. )[\d.]+",
        r"(?<=resolution=)[\d.]+",
        r"(?<=result: )0\.[\d]+$",
        r"(?<=timestamp\.\.\. )\d+T\d+Z",
        r"(?<=lib,)lib(64)?$",
    )
)
# The log of a configure script from its first test until it gives up.
CONFIGURED = "sed -n '/^## Core tests/,$p' config.log | sed '/^configure:[0-9]*: error/q'"
# A compiler that takes everything but what autoconf makes wrong to try it: its programs are true.
COMPILER = r"""mkdir bin; cat >bin/cc <<\EOF
#!/bin/sh
out=a.out kind=link file=
while test $# -gt 0; do
  case $1 in
  -o) out=$2 given=y; shift ;;
  -c) kind=compile ;;
  -E) kind=preprocess ;;
  --version) echo 'cc 1.0'; exit ;;
  *.c) file=$1 ;;
  esac
  shift
done
test -n "$file" || test -f conftest.o || exit 1
test -z "$file" || ! grep -q '^(void) strchr;$\|ac_nonexistent' "$file" || exit 1
case $kind in
preprocess) grep -v '^ *#' "$file" ;;
compile) base=${file##*/}; echo object >"${given:+$out}${given-${base%.c}.o}" ;;
link) printf '#!/bin/sh\nexit 0\n' >"$out"; chmod +x "$out" ;;
esac
EOF
echo 'echo GNU ld' >bin/ld; chmod +x bin/*; PATH=$PWD/bin:$PATH
"""


def configured(_: List[str]) -> Iterator[Tuple[str, str]]:
    """A configure script: its messages, a run until it wants a C compiler, and one by a compiler that takes everything."""
    for args in ("--help", "--help=short", "--version", "--no-such", "--prefix=rel", "--srcdir=/nowhere"):
        yield args, f"sh ./configure {args}"
    yield "no compiler", f"sh ./configure; e=$?; {CONFIGURED}; exit $e"
    made = "find . -newer bin/cc -type f ! -path './bin/*' ! -name 'config.l*' ! -name config.status | sort | xargs md5sum"
    run = f"sh ./configure --disable-dependency-tracking; e=$?; {CONFIGURED}; {made}; sh config.status --version; exit $e"
    yield "any compiler", COMPILER + run


FEATURES = """
    |--simple|--parallel|--jobs 2|--strict|--no-color|--run-all|--stop-on-failure|--failures-only|--repeat 2|--retry 2|--verbose
    |--show-skipped --show-incomplete|--output tap|--output json|--output junit|--no-output|--no-output-on-failure|--list|--list-tags
    |--list --list-format json|--tag slow|--exclude-tag slow --filter test_m|--random-order --seed 3|--shard 1/2
    |--sandbox|--no-snapshot-create|--fail-on-risky|--fail-on-flaky|--gha-annotations always|--no-such-option
""".strip().split("|")
MEASURED = "|".join(
    (
        r" *\d+(\.\d+)?\s?m?s\b|\d+m \d+s",
        r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*",
        r"(?<=ime=\")[\d.]+|(?<=timestamp=\")\d+|<td>\d+</td>",
        r"\"\w*(duration|time|ms)\w*\": *[\d.]+",
    )
)
REPORTS = ("log-junit", "report-html", "report-json", "report-md", "report-tap", "log-gha")


def bashunit(names: List[str]) -> Iterator[Tuple[str, str]]:
    """bashunit, whose archive has no tests: tests of ours that use all it offers, by each of its options."""
    run = "./bashunit own/features_test.sh --no-progress"
    for options in FEATURES:
        yield f"test {options.strip()}", f"{run} {options.strip()}"
    for report in REPORTS:
        yield report, f"{run} --{report} out >/dev/null; cat out"
    yield "twice", f"{run} >/dev/null; {run}; {run} --rerun-failed; {run} --snapshot-update; find own | sort"
    yield "bench", "{ ./bashunit bench own/work_bench.sh --report-json out; cat out; } | sed 's/ *[0-9][0-9.]* */N/g'"
    covered = "./bashunit own/covered_test.sh --no-progress --coverage --coverage-paths own/covered.sh --coverage-report-html html"
    yield "coverage", f"{covered} --coverage-report lcov --coverage-report-cobertura xml; cat lcov xml; cat html/*; ls html"
    yield "built", f"bash build.sh bin; md5sum bin/*; cd bin; cp -r ../own .; {run}"
    for command in ("", "test", "bench", "assert", "doc", "init", "watch", "upgrade"):
        yield f"{command} --help", f"./bashunit {command} --help"
    yield "init", "./bashunit init made; find made -type f | sort | xargs head -50; ./bashunit made"
    for name in sorted(n for n in names if re.fullmatch(r"src/(assert|doubles)/(?!duration|json)\w+\.sh", n)):
        yield name, f"bash own/assertions.sh $PWD/{name} $PWD/bashunit"


PROGRAMS: Dict[str, Program] = {
    "modernish": Program(once("bash bin/modernish --test -e"), 900, total=re.compile(r"(\d+) succeeded", re.M)),
    "shellspec": Program(
        each(r"spec/.*_spec\.sh", "./shellspec -s bash --no-banner {}"), 120, unlike=r"Finished in .*|^.*seed.*$", total=SHELLSPEC
    ),
    "bats-core": Program(each(r"test/[^/]*\.bats", "bin/bats --tap {}"), 120, unlike=r"in \d+(\.\d+)? ?(ms|sec|s)\b", passed=TAP),
    "bashunit": Program(
        bashunit,
        300,
        unlike=MEASURED,
        total=re.compile(r"^Tests: +(\d+) passed", re.M),
    ),
    "shunit2": Program(both(each(r"shunit2_.*_test\.sh", "sh {}"), each(r"shunit2_.*_test\.sh", "bash {}")), 60, passed=r"^test\w+$"),
    "rbenv": Program(each(r"test/[^/]*\.bats", "../bats-core/bin/bats --tap {}"), 60, passed=TAP, needs=("bats-core",)),
    "nvm": Program(
        each(r"test/fast/(?!(.*/)?(setup|teardown)(_dir)?$).*", 'cd "$(dirname {})" && bash "./$(basename {})" 2>/dev/null'),
        30,
    ),
    "getoptions": Program(
        both(
            *(each(r"examples/(?!bench|regenerate)[^/]*\.sh", f"sh {{}} {args}") for args in ARGUMENTS),
            each(r"spec/.*_spec\.sh", "../shellspec/shellspec -s bash --no-banner {}"),
        ),
        60,
        unlike=r"Finished in .*",
        total=SHELLSPEC,
        needs=("shellspec",),
    ),
    "events": Program(each(r"(README|specs/.*)\.md", "sed -n 's/^    [$>] //p' {} | bash")),
    # Its tests begin with a linter that is not what is tested.
    "pure-bash-bible": Program(once("shellcheck() { :; }; export -f shellcheck; bash test.sh"), 60, passed=r"✔"),
    "todo.txt-cli": Program(
        each(r"tests/t\d.*\.sh", "cd tests && sh ./$(basename {})"), 60, unlike=r"\t\d{4}-\d\d-\d\d .*$", passed=r"^\* +ok \d|^ok \d"
    ),
    "mal": Program(
        both(
            each(r"impls/bash/step[1-9A]_\w+\.sh", LINES + " (cd impls/bash && bash $step.sh)"),
            each(r"impls/awk/step[0-9A]_\w+\.awk", LINES + " (cd impls/awk && gawk -f $step.awk)"),
        ),
        90,
        passed=r"^(user> )",
    ),
    **{name: Program(configured, 120, passed=r"^checking .*", unlike=CLOCKS) for name in ("sed", "grep", "coreutils")},
}


@dataclasses.dataclass
class Answer:
    """What a command gave."""

    status: int
    out: str
    ended: bool = True  # by itself


# --- the sandbox ---


def archive_of(folders: List[pathlib.Path], name: str) -> Optional[pathlib.Path]:
    """The archive of a program: its own name's, or Debian's source."""
    found = (p for folder in folders for pattern in (f"{name}.tar.xz", f"{name}_*.orig.tar.xz") for p in sorted(folder.glob(pattern)))
    return next(found, None)


def planted(archives: Dict[str, pathlib.Path], names: List[str]) -> Sandbox:
    """A sandbox with the trees of programs in its home."""
    sandbox = Sandbox(env=ENVIRONMENT, timeout=None, limits=Limits(time=None, steps=None))
    for name in names:
        with lzma.open(archives[name]) as tree:
            sandbox.files.import_tar(tree.read(), HOME)
        sandbox.commands.run(f"[[ -e {name} ]] || mv {name}-[0-9]* {name}", cwd=HOME)
        for file in sorted((OWN / name).glob("*")):
            sandbox.files.write(f"{HOME}/{name}/own/{file.name}", file.read_bytes())
    return sandbox


def unpack(archive: pathlib.Path, name: str, to: pathlib.Path) -> None:
    """The tree of a program, as a folder of its name."""
    with tarfile.open(archive) as members:
        for member in members:
            member.uid = member.gid = 1000 if os.geteuid() == 0 else os.geteuid()
            member.uname = member.gname = ""
            members.extract(member, to)
    for versioned in to.glob(f"{name}-[0-9]*"):
        versioned.rename(to / name)
    if (OWN / name).is_dir():
        shutil.copytree(OWN / name, to / name / "own")


def by_ours(planted_in: Sandbox, name: str, command: str, seconds: float) -> Answer:
    """A command in a fork of the sandbox."""
    with planted_in.fork() as sandbox:
        done = sandbox.commands.run(command, cwd=f"{HOME}/{name}", timeout=seconds)
    return Answer(done.exit_code, done.stdout, done.error_class is None)


# --- the machine ---

UNSHARE = ("unshare", "-muip", "--fork", "--kill-child", "--mount-proc")
ENTER = r"""
set -e
mount --bind "$2" /mnt
mount -t tmpfs -o mode=755 home /home; mkdir "$HOME"; cp -a /mnt/tree/. "$HOME"; chown -R 1000:1000 "$HOME"
mount -t tmpfs -o mode=1777 tmp /tmp
for f in passwd group; do mount --bind /mnt/etc/$f /etc/$f; done
mount -t tmpfs local /usr/local; mkdir /usr/local/bin
hostname -F /mnt/etc/hostname
mount --bind /mnt/bin /usr/bin
cd "$HOME/$1"
/mnt/setpriv --reuid 1000 --regid 1000 --clear-groups -- /usr/bin/bash -c "$3" && exit 0 || exit $?
"""


class Machine:
    """The machine made like a sandbox, or the nearest to it."""

    def __init__(self, sandbox: Sandbox, folder: pathlib.Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "etc").mkdir()
        self.absent = []
        for name in sandbox.commands.run("ls /usr/bin").stdout.split():
            path = shutil.which("bash" if name == "sh" else name)
            if path is None:
                self.absent.append(name)
            else:
                shutil.copy2(os.path.realpath(path), folder / "bin" / name)
        for name in ("passwd", "group"):
            (folder / "etc" / name).write_bytes(sandbox.files.read(f"/etc/{name}"))
        (folder / "etc/hostname").write_text("sandbox\n")
        setpriv = shutil.which("setpriv")
        if setpriv:
            shutil.copy2(setpriv, folder / "setpriv")
        self.namespaces = bool(setpriv) and os.geteuid() == 0 and self._unshared("true").returncode == 0
        folder.chmod(0o755)

    @staticmethod
    def _unshared(*command: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*UNSHARE, *command], capture_output=True, check=False)

    def plant(self, archives: Dict[str, pathlib.Path], names: List[str]) -> None:
        """Have the trees of these programs, and no others."""
        shutil.rmtree(self.folder / "tree", ignore_errors=True)
        (self.folder / "tree").mkdir()
        for name in names:
            unpack(archives[name], name, self.folder / "tree")

    def run(self, name: str, command: str, seconds: float) -> Answer:
        """A command in a fresh copy of the trees."""
        if self.namespaces:
            args = [*UNSHARE, "bash", "-c", ENTER, "enter", name, str(self.folder), command]
            return self._finish(args, ENVIRONMENT, None, seconds)
        with tempfile.TemporaryDirectory() as home:
            shutil.copytree(self.folder / "tree", home, symlinks=True, dirs_exist_ok=True)
            near = {**ENVIRONMENT, "HOME": home, "PATH": str(self.folder / "bin")}
            found = self._finish([str(self.folder / "bin/bash"), "-c", command], near, f"{home}/{name}", seconds)
            return dataclasses.replace(found, out=found.out.replace(home, HOME))

    @staticmethod
    def _finish(args: List[str], env: Dict[str, str], cwd: Optional[str], seconds: float) -> Answer:
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(args, cwd=cwd, env=env, start_new_session=True, **streams) as p:  # type: ignore[call-overload]
            try:
                out, _ = p.communicate(timeout=seconds)
                return Answer(p.returncode, out.decode("utf-8", "surrogateescape"))
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                out, _ = p.communicate()
                return Answer(-1, out.decode("utf-8", "surrogateescape"), ended=False)


# --- the comparison ---


@dataclasses.dataclass
class Row:
    """The figures of a program."""

    commands: int = 0
    equal: int = 0
    slow: int = 0  # not ended in time, on one side or both
    theirs: int = 0  # tests passed
    ours: int = 0
    seconds: Tuple[float, float] = (0.0, 0.0)


def count(program: Program, out: str) -> int:
    """How many of its own tests a program says have passed."""
    if program.total is not None:
        return sum(int(next(g for g in m.groups() if g)) for m in program.total.finditer(out))
    return len(re.findall(program.passed, out, re.M))


def plain(program: Program, out: str) -> str:
    """Output without what was measured."""
    return re.sub(program.unlike, "TIME", out, flags=re.M)


def difference(theirs: Answer, ours: Answer, program: Program, most: int) -> str:
    """The first lines that differ."""
    if not theirs.ended or not ours.ended:
        return "      did not end in time: " + ", ".join(n for n, a in (("bash", theirs), ("ours", ours)) if not a.ended)
    lines = [] if theirs.status == ours.status else [f"status {theirs.status} and {ours.status}"]
    a, b = (plain(program, x.out).splitlines() for x in (theirs, ours))
    lines += [d for d in difflib.unified_diff(a, b, "bash", "ours", n=0, lineterm="") if d[:3] not in ("---", "+++", "@@ ")]
    return "\n".join(f"      {d:.160}" for d in lines[:most])


def compare(name: str, program: Program, archives: Dict[str, pathlib.Path], machine: Machine, show: int) -> Row:
    """Run a program's tests on both sides."""
    row, trees = Row(), [name, *program.needs]
    machine.plant(archives, trees)
    root = machine.folder / "tree" / name
    names = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
    with planted(archives, trees) as sandbox:
        for what, command in program.commands(names):
            began = time.perf_counter()
            theirs = machine.run(name, command, program.seconds)
            between = time.perf_counter()
            ours = by_ours(sandbox, name, command, program.seconds)
            row.seconds = (row.seconds[0] + between - began, row.seconds[1] + time.perf_counter() - between)
            ended = theirs.ended and ours.ended
            same = ended and theirs.status == ours.status and plain(program, theirs.out) == plain(program, ours.out)
            row.commands += 1
            row.equal += same
            row.slow += not ended
            row.theirs += count(program, theirs.out)
            row.ours += count(program, ours.out)
            if not same and show:
                print(f"   {name}: {what or command}\n{difference(theirs, ours, program, show)}", flush=True)
    return row


def main(argv: List[str]) -> int:
    """Run the programs that are there; with --check, 1 if one is worse than it was."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    near = os.environ.get("ERYXSH_PROGRAMS") or TOP.parent / "shared/corpora/programs"
    parser.add_argument("--archives", type=pathlib.Path, action="append", help="a folder of them; may be given again")
    parser.add_argument("--only", action="append", choices=sorted(PROGRAMS), help="one program; may be given again")
    parser.add_argument("--show", type=int, default=6, help="lines of each difference")
    parser.add_argument("--check", action="store_true", help="fail where fewer are equal than before")
    parser.add_argument("--raise", dest="lift", action="store_true", help="write risen numbers into programs.json")
    options = parser.parse_args(argv)
    folders = [p for p in options.archives or [pathlib.Path(near)] if p.is_dir()]
    if not folders:
        print(f"skipped: {', '.join(map(str, options.archives or [near]))} is not there")
        return 0
    archives = {name: path for name in PROGRAMS for path in [archive_of(folders, name)] if path}
    rows: Dict[str, Row] = {}
    with tempfile.TemporaryDirectory() as folder, Sandbox() as sandbox:
        machine = Machine(sandbox, pathlib.Path(folder))
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        print("the machine:", "namespaces, made like a sandbox" if machine.namespaces else "a scratch folder and a PATH (no namespaces)")
        print("commands it has not:", *machine.absent or ["none"])
        for name in options.only or PROGRAMS:
            if name not in archives:
                print(f"   {name}: skipped: no archive")
                continue
            rows[name] = row = compare(name, PROGRAMS[name], archives, machine, options.show)
            if not row.commands:
                print(f"   {name}: skipped: the archive has none of its tests")
    floor: Dict[str, int] = json.loads(FLOOR.read_text()) if FLOOR.exists() else {}
    print(f"{'program':16} {'equal':>11} {'floor':>6} {'not in time':>11} {'tests: bash':>12} {'ours':>6} {'s: bash':>8} {'ours':>7}")
    for name, r in rows.items():
        seconds = f"{r.seconds[0]:8.1f} {r.seconds[1]:7.1f}"
        print(f"{name:16} {r.equal:5}/{r.commands:<5} {floor.get(name, 0):6} {r.slow:11} {r.theirs:12} {r.ours:6} {seconds}")
    if options.lift:
        floor.update({name: max(r.equal, floor.get(name, 0)) for name, r in rows.items()})
        FLOOR.write_text(json.dumps(floor, indent=1, sort_keys=True) + "\n")
    return int(options.check and any(r.equal < floor.get(name, 0) for name, r in rows.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
