"""What once killed or held the host, each in a child that is watched. The long forms: tests/resources.py, tests/amplify.py."""

from __future__ import annotations

import sys

import pytest

import amplify
from watched import Child, Job

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sizes are those of /proc")

NUMBERS = (
    "expand -t 2147483647 <<< $'\\t' | head -c 5 | wc -c",
    "diff -y -W 100000000000000 <(echo a) <(echo b)",
    "seq 300000 >p; grep -F -f p <<< x; grep -f p -c p",
    "grep -E \"$(seq -s'|' 1 300000)\" <<< x",
    "split -n 3 /proc/version; cat x??",
    "printf -- '--- a\\n+++ b99999999999999999999999999999' | patch -R",
    "seq 5 >f; printf '9223372036854775807c9223372036854775807\\n< a\\n---\\n> b\\n' | patch f",
    "find . -maxdepth 0 -printf '%5.-1f %s %*d'",
    "awk -v x=\"$(yes -- ab | head -n 25000 | tr -d '\\n')\" 'BEGIN{y=x; gsub(/a/,x,y); print length(y)}'",
    "jq -n '\"a\"|test(\"'\"$(yes '${a[' | head -n 30000 | tr -d '\\n')\"'\")'",
)


@pytest.mark.parametrize("script", NUMBERS)
def test_the_host_lives(script: str) -> None:
    """What once killed or held the host ends in time and in memory."""
    with Child(cap=1 << 30, patience=6.0) as child:
        job = Job(script, timeout=2, memory=amplify.LIMIT, file_bytes=amplify.LIMIT)
        outcome = child.run(job)
    assert not outcome.died, outcome
    assert outcome.error != "INTERNAL", outcome
    assert outcome.seconds < 4, outcome
    assert outcome.grown < 4 * job.memory, outcome
