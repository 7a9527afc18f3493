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
    "x=$(yes '[=' | head -n 100000 | tr -d '\\n'); tr \"$x\" a; tr a \"$x\"; tr -d \"${x//=/a*}\"",
    "x=$(yes '[b*1048576]' | head -n 9000 | tr -d '\\n'); tr a \"$x\" <<< a",
    "x=$(yes '%(' | head -n 400000 | tr -d '\\n'); printf \"$x\"",
    "x=$(yes '$[' | head -n 300000 | tr -d '\\n'); echo \"${x@P}\" $((x)); eval \"echo $x\"",
    "x=$(yes 'a\\' | head -n 300000); eval \"echo $x\"",
    "shopt -s expand_aliases; alias e=:\n" + ": one two three four\n" * 20_000,
    "jq -n '\"a\"|test(\"'\"$(yes '${a[' | head -n 30000 | tr -d '\\n')\"'\")'",
)

MAKERS = (  # each once took more than twice the limit
    "x=a; while :; do x=${x/#/aaaaaaaa$x}; done",
    'x="a b"; while :; do x="${x@Q}${x@Q}"; done',
    'x=a; while :; do printf -v x %s%s "$x" "$x"; done',
    "while :; do s+=abcdefghijklmnopqrstuvwxyzabcdefghijkl$s; done",
    "f() { (f); }; f",
    'jq -n \'reduce range(40) as $i ("\\""; tojson)\' > /dev/null',
    "jq -n '{} | until(false; .[tostring]=.)'",
    "jq -n '\"a\"|until(false;.+.)'",
    "x=$(yes -- 'a ' | head -n 25000 | tr -d '\\n'); echo \"${x::" + ". as $x|" * 2000 + "}\"",  # a message that quotes it
    'awk \'BEGIN{x=sprintf("%100000s",""); gsub(/ /,x,x); print length(x)}\'',
    "x=$(printf %100000s); printf '%100000s\\n' | sed \"s/ /$x/g\" | wc -c",
    "x=$(printf %100000s); printf '%10000s\\n' | tr ' ' , | cut -d, -f1- --output-delimiter=\"$x\" | wc -c",
)


@pytest.mark.parametrize("script", MAKERS)
def test_memory_is_asked_for_first(script: str) -> None:
    """What makes long texts of short ones stays within twice the limit of memory."""
    with Child(cap=1 << 30, patience=6.0) as child:
        job = Job(script, timeout=3, memory=128 << 20)
        outcome = child.run(job)
    assert not outcome.died, outcome
    assert outcome.grown < 2 * job.memory, outcome


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
