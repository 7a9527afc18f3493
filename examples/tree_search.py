"""A tree search over a running script: fork it at a call, answer each branch differently, keep the best.

    python examples/tree_search.py [--beam 4]

The script packs parcels into eight vans. It asks ``pick`` which van takes the next
parcel. There the running script is forked eight ways, each branch gets another answer
and runs on to its next question, in a file system and with variables of its own. The
best few are kept, the others closed. The script knows nothing of the search.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import List, Tuple

from eryxsh import CommandResult, Finished, Run, Sandbox, ToolCall

VANS = 8
PARCELS = [97, 91, 88, 83, 79, 71, 67, 64, 61, 53, 47, 44, 41, 37, 31, 29, 23, 19, 17, 13, 11, 7, 5, 3]

SCRIPT = """
set -euo pipefail
declare -a load=(0 0 0 0 0 0 0 0)
parcels=0
while read -r weight; do
    van=$(pick "$weight" "${load[*]}")
    ((load[van] += weight, ++parcels))
    printf '%s\\n' "$weight" >> "van-$van"
    printf '%s\\n' "${load[*]}" > loads
done < parcels
for van in {0..7}; do
    [ ! -e "van-$van" ] || echo "van $van: $(paste -sd+ "van-$van") = ${load[van]}"
done
"""


def spread(run: Run) -> Tuple[int, int]:
    """How uneven a branch is so far: its heaviest van, then the sum of squares. Read from its own file."""
    loads = [int(load) for load in run.sandbox.files.read_text("/home/user/loads").split()]
    return max(loads), sum(load * load for load in loads)


def search(run: Run, beam: int) -> Tuple[CommandResult, int]:
    """The result of the best branch, and how many there were."""
    kept, branches = [run], 0
    while True:
        grown: List[Run] = []
        for parent in kept:
            [call] = parent.pending()
            for van, kid in enumerate(parent.fork(VANS)):
                [mine] = kid.pending()
                assert mine.forked_from == call.call_id != mine.call_id
                kid.resume(mine, stdout=str(van))
                event = kid.next()
                branches += 1
                grown.append(kid)
            parent.sandbox.close()
        grown.sort(key=spread)
        kept, lost = grown[:beam], grown[beam:]
        for kid in lost:
            kid.sandbox.close()
        if isinstance(event, Finished):  # all branches have answered equally many questions
            return kept[0].result(), branches


def main(arguments: List[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--beam", type=int, default=4, help="branches kept at each call")
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    sandbox = Sandbox(files={"/home/user/parcels": "".join(f"{weight}\n" for weight in PARCELS)}, tools={"pick": None})
    run = sandbox.commands.start(SCRIPT)
    assert isinstance(run.next(), ToolCall)
    best, branches = search(run, options.beam)
    took = time.perf_counter() - started
    print(best.check().stdout, end="")
    heaviest = max(int(line.rpartition(" ")[2]) for line in best.stdout.splitlines())
    even = -(-sum(PARCELS) // VANS)
    print(f"heaviest van {heaviest}; no packing can be below {even}")
    print(f"{branches} futures of the running script in {took * 1e3:.0f} ms, {took / branches * 1e6:.0f} us each")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
