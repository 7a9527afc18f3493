"""What part "package" of tests/run.sh looks for in the sdist and in what was installed from it.

    python tests/packaged.py SDIST SITE

SDIST is the archive, SITE the folder that pip installed it into.
"""

from __future__ import annotations

import email.message
import importlib.metadata
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
from typing import List

TOP = pathlib.Path(__file__).parent.parent
LICENCES = ("LICENSE", "NOTICE")


def in_sdist(names: List[str]) -> List[str]:
    """What is wrong with the names in the sdist, its folder left out."""
    needed = (*LICENCES, "README.md", "go.mod", "capi/main.go", "capi/eryxsh.h", "vendor/modules.txt")
    wrong = [f"the sdist lacks {name}" for name in needed if name not in names]
    stray = re.compile(r"(^|/)(tests?|testdata|examples)/|_test\.go$|\.(so|pyc)$")
    return wrong + [f"the sdist has {name}" for name in names if stray.search(name) and not name.startswith("vendor/")]


def in_metadata(data: email.message.Message, description: str) -> List[str]:
    """What is wrong with the metadata."""
    want = {
        "License-Expression": ["MIT"],
        "License-File": list(LICENCES),
        "Description-Content-Type": ["text/markdown"],
        "Author": ["the eryxsh authors"],
    }
    wrong = [f"{name} is {data.get_all(name)}, not {value}" for name, value in want.items() if data.get_all(name) != value]
    if description.strip() != (TOP / "README.md").read_text(encoding="utf-8").strip():
        wrong.append("the description is not the README")
    return wrong


def in_site(site: pathlib.Path) -> List[str]:
    """What is wrong with an installed package."""
    (found,) = importlib.metadata.distributions(path=[str(site)])
    folder = next(site.glob("eryxsh-*.dist-info"))
    data = email.message_from_string((folder / "METADATA").read_text(encoding="utf-8"))
    wrong = in_metadata(data, str(data.get_payload()))
    for name in LICENCES:
        if (folder / "licenses" / name).read_text(encoding="utf-8") != (TOP / name).read_text(encoding="utf-8"):
            wrong.append(f"the installed {name} is another")
    tops = {str(f).split("/")[0] for f in found.files or ()}
    if tops - {"eryxsh", folder.name, "..", "bin"}:
        wrong.append(f"it installs {sorted(tops)}")
    return wrong


def in_library(package: pathlib.Path) -> List[str]:
    """What is wrong with the library for a C program: it comes with its header, and exports its functions and nothing else."""
    header = (TOP / "capi/eryxsh.h").read_text(encoding="utf-8")
    if (package / "eryxsh.h").read_text(encoding="utf-8") != header:
        return ["the installed eryxsh.h is another"]
    if sys.platform != "linux" or not shutil.which("nm"):
        print("skipped: what the library exports is looked at on Linux, with nm")
        return []
    told = subprocess.run(["nm", "-D", "--defined-only", str(package / "liberyxsh.so")], capture_output=True, text=True, check=True).stdout
    have = {line.split()[2] for line in told.splitlines()}
    want = {"eryx_init", "eryx_call", "eryx_fetch", "eryx_release", "eryx_attend", *re.findall(r"\b(eryxsh_\w+)\(", header)}
    return [f"the library exports {name}" for name in sorted(have - want)] + [f"it does not export {name}" for name in sorted(want - have)]


def main(sdist: str, site: str) -> int:
    """Print what is wrong; 1 if anything is."""
    with tarfile.open(sdist) as archive:
        names = [m.name.partition("/")[2] for m in archive if m.isfile()]
    wrong = in_sdist(names) + in_site(pathlib.Path(site)) + in_library(pathlib.Path(site) / "eryxsh")
    print("\n".join(wrong) if wrong else f"{len(names)} files, {', '.join(LICENCES)}, metadata, header and exports: as they should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
