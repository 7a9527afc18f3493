"""Scripts that take all the memory they can, and how much of the host's memory that was.

    python tests/resources.py                  every script, in a process of its own: memory=128 MiB, file_bytes=64 MiB, timeout=6
    python tests/resources.py --only jq        those whose text or group contains it
    python tests/resources.py --short          one of each group, at a quarter of the limits

For each the peak of the resident memory beyond the start, divided by the limit `memory`, worst first. The exit status is 1 if
one is above 2, did not end in time, died, or ended in an internal error. Linux only: the sizes are those of /proc.
"""

from __future__ import annotations

import argparse
import sys
from typing import Dict, Iterator, List, Tuple

from watched import MIB, Child, Job, Outcome, table

MOST = 2.0  # times the limit
SLACK = 0.3  # seconds that a run may take beyond its timeout: the collector's, mostly

SCRIPTS: Dict[str, Tuple[str, ...]] = {
    "variables": (
        "x=x; while :; do x+=$x; done",
        "x=x; while :; do x=$x$x; done",
        'x=x; while :; do x="$x$x"; done',
        "x=a; while :; do x=${x//a/aaaaaaaaaa}; done",
        "x=a; while :; do x=${x/#/aaaaaaaa$x}; done",
        'x="a b"; while :; do x="${x@Q}${x@Q}"; done',
        "x=a; while :; do x=${x^^}${x,,}; done",
        'x=a; while :; do x="${x:0}${x:0}"; done',
        'x=a; while :; do printf -v x %s%s "$x" "$x"; done',
        "while :; do s+=abcdefghijklmnopqrstuvwxyzabcdefghijkl; done",
        "i=0; while :; do printf -v v$((i++)) x; done",
        "i=0; while :; do declare -g v$((i++))=x; done",
        'i=0; while :; do eval "v$((i++))=x"; done',
        'f() { local x=$1$1; f "$x"; }; f ab',
        "f() { local x$1=$1; f $(($1+1)); }; f 1",
        "while :; do export BIG$((i++))=$(printf %100000s); done",
        "i=0; while :; do alias a$((i++))=xxxxxxxxxxxxxxxxxxxxxxxxxx; done",
        'i=0; while :; do eval "f$((i++)) () { echo a; echo b; }"; done',
        "i=0; while :; do hash -p /bin/x h$((i++)); done",
    ),
    "arrays": (
        'a=(x); while :; do a+=("${a[@]}"); done',
        'a=(x); while :; do a=("${a[@]}" "${a[@]}"); done',
        "i=0; while :; do a[i++]=x; done",
        "i=0; while :; do a[i+=1000000007]=x; done",
        "declare -A h; i=0; while :; do h[$((i++))]=x; done",
        "declare -A h; x=k; while :; do x+=$x; h[$x]=$x; done",
        'set -- x; while :; do set -- "$@" "$@"; done',
        "a=({1..20000}); x=$(printf '%100000s'); b=(\"${a[@]/#/$x}\")",
        "a=({1..20000}); x=$(printf '%100000s'); b=(\"${a[@]/%/$x}\")",
        "a=({1..20000}); x=$(printf '%100000s'); b=(\"${a[@]//[0-9]/$x}\")",
        'a=({1..1000000}); while :; do a=("${a[@]}" "${a[@]%0}"); done',
        "mapfile -t a < <(yes)",
        "mapfile a < <(yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)",
        "read -r x < <(yes | tr -d '\\n')",
        "read -ra a < <(yes | tr '\\n' ' ')",
        "read -N 1000000000 x < /dev/zero",
        "a=({1..10000000})",
        "IFS=,; x=$(yes a, | tr -d '\\n'); a=($x)",
        "x=$(seq -s ' ' 1000000); a=($x $x $x $x $x $x $x $x $x $x $x $x $x $x $x $x)",
        "pushd /tmp >/dev/null; while :; do pushd +0 >/dev/null; done",
    ),
    "expansion": (
        "echo {1..100000000}",
        "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "for i in {1..100000000}; do :; done",
        "x=$(printf '%10000000s'); y=${x// /$x}",
        "x=$(printf '%1000000s'); y=${x//?/$x}",
        "x=$(printf '%100000s'); y=${x//?/$x}",
        "x=$(yes); echo ${#x}",
        "x=$(cat /dev/zero | tr '\\0' a)",
        "x=`yes`",
        "cat <<< $(yes)",
        "x=$(printf '%10000000s'); cat <<< \"$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x\"",
        "x=$(printf '%5000000s'); echo \"$x\"{1..100}",
        "x=$(printf '%5000000s' | tr ' ' a); [[ $x$x$x$x =~ (a*)(a*)(a*) ]]; y=${BASH_REMATCH[*]}",
        "x=$(printf '%5000000s' | tr ' ' '\\001'); while :; do x=${x@Q}; done",
        "touch a{1..20000}; x=(*); while :; do x+=(*); done",
        "mkdir -p a/b/c/d; touch a/b/c/d/{1..3000}; y=(); while :; do y+=(**/*); done",
        "shopt -s globstar; touch a{1..15000}; for i in 1 2 3 4 5 6 7 8 9; do echo * * * * * * * * * * * * > /dev/null; done",
        "printf '%s' {1..5000000}",
        "eval \"x=($(seq 3000000 | tr '\\n' ' '))\"",
        "eval \"$(yes 'echo a;' | head -c 30000000)\"",
        "f() { echo $(f); }; f",
        "f() { eval f; }; f",
        "f() { f; }; f",
        "f() { (f); }; f",
        "f() { f | f & }; f",
        "f() { cat <(f); }; f",
        "trap 'trap' EXIT; x=$(printf %50000000s); trap \"echo $x\" EXIT; trap -p > /dev/null",
    ),
    "shell": (
        "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done",
        "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >&2; done",
        "yes",
        "yes >&2",
        "yes > f",
        "yes | tee a b c d > /dev/null",
        "i=0; while :; do : > f$((i++)); done",
        "i=0; while :; do mkdir d$((i++)); done",
        "i=0; while :; do mkdir d; cd d; done",
        "i=0; while :; do ln -s x l$((i++)); done",
        "while :; do sleep 100 & done",
        "while :; do exec {fd}< /dev/null; done",
        "while :; do cat < <(sleep 5) & done",
        "coproc yes; sleep 3",
        'set -o history; while :; do history -s "$(printf %10000s)"; done',
        "printf '%1000000000s'",
        "printf '%.1000000000d' 1",
        "printf -v x '%*s' 1000000000 a",
        "printf '%1000000000d %1000000000f' 1 2 > /dev/null",
        "echo $((10**18)){1..3000000}",
        "x=$(printf %30000000s); declare -p x > /dev/null; set > /dev/null",
        'x=$(printf %30000000s); f() { echo "$1"; }; f "$x$x" > /dev/null; f "$x$x$x$x$x"',
        'compgen -W "$(seq 3000000)" > /dev/null',
        'x=$(printf %20000000s); select y in "$x" "$x" "$x" "$x" "$x" "$x" "$x"; do break; done <<< 1',
    ),
    "jq": (
        'jq -n \'reduce range(40) as $i ("\\""; tojson)\' > /dev/null',
        'jq -n \'("a"*1e7)|gsub("a";"b"*16)|length\'',
        'jq -n \'["a"*1e7|splits("")]|length\'',
        "yes | jq -Rs length",
        "jq -n '(\"a\"*5e7)|explode|length'",
        "jq -n '[combinations(20)]' <<< '[[0,1]]'",
        "jq -n '[[0,1]|combinations(24)]|length'",
        "jq -n '\"a\"|until(false;.+.)'",
        "jq -n '\"a\"*1e9|length'",
        "jq -n '[range(1e9)]|length'",
        "jq -n '[limit(1e9;repeat(1))]|length'",
        "jq -n '{} | until(false; .[tostring]=.)'",
        "jq -n '[1]|until(false;.+.)|length'",
        "jq -n '[1]|until(false;[.,.])|length'",
        "jq -n '[recurse([.,.])]|length'",
        "jq -n '(\"ab\"*1e7)|explode|implode|length'",
        "jq -n '(\"a\"*3e7)|@base64|@base64d|length'",
        "jq -n '(\"<\"*3e7)|@html|length'",
        "jq -n '(\" \"*3e7)|@uri|length'",
        "jq -n '[range(3e6)]|tojson|fromjson|length'",
        'jq -n \'[range(3e6)|tostring]|join(",")|split(",")|length\'',
        "jq -n '[range(3e6)]|map({a:.})|group_by(.a)|length'",
        "jq -n '[range(3e6)]|sort_by(-.)|unique|length'",
        "jq -n 'def f: [f]; f'",
        "jq -n 'def f(x): f(x+1); f(0)'",
        "jq -n '[range(1e6)]|to_entries|from_entries' 2> /dev/null",
        "jq -n '[range(1000)]|[paths]|[combinations]' > /dev/null",
        'jq -n \'["a"*1e6|match("a";"g")]|length\'',
        'jq -n \'["a"*1e6|scan(".")]|length\'',
        'jq -n \'"a"*1e6|ascii_upcase|test("(A*)*B")\'',
        "seq 3000000 | jq -s length",
        "jq -n '[range(1e6)]|[.,.,.,.,.,.,.,.]|flatten|length'",
        "jq -n '[range(1e6)]|transpose' 2> /dev/null",
        "jq -n '.[1e8]=1|length'",
        "jq -n 'setpath([1e8];1)|length'",
        "jq -n '[range(2e6)]|walk(.)|length'",
        "jq -n '[range(2e6)]|tostream|length' > /dev/null",
        "jq -n '[range(1e5)|tostring|{(.):.}]|add|length'",
    ),
    "awk": (
        "awk 'BEGIN{x=\"a\"; while(1) x=x x}'",
        'awk \'BEGIN{x="a"; while(1) gsub(/a/,"aaaaaaaaaa",x)}\'',
        'awk \'BEGIN{x="a"; while(1) x=gensub(/a/,"aaaaaaaaaa","g",x)}\'',
        "awk 'BEGIN{while(1) a[i++]=i}'",
        "awk 'BEGIN{while(1) a[i++]=\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" i}'",
        'awk \'BEGIN{printf "%1000000000s", "a"}\'',
        "awk 'BEGIN{x=sprintf(\"%1000000000d\", 1)}'",
        'awk \'BEGIN{x=sprintf("%100000s",""); gsub(/ /,x,x); print length(x)}\'',
        "awk 'BEGIN{$100000000=1; print NF}'",
        "awk 'BEGIN{NF=100000000; print length($0)}'",
        'awk \'BEGIN{x=sprintf("%10000000s",""); n=split(x,a,""); print n}\'',
        'awk \'BEGIN{x=sprintf("%10000000s",""); n=split(x,a,/ /); print n}\'',
        "awk 'function f(x){return f(x+1)} BEGIN{f(1)}'",
        "awk 'function f(x){return f(x x)} BEGIN{f(\"ab\")}'",
        "yes | tr -d '\\n' | awk '{print length}'",
        "yes | awk '{a[NR]=$0}'",
        "yes | awk '{s=s $0}'",
        "yes | awk 'BEGIN{RS=\"z\"}{print length}'",
        "awk 'BEGIN{while(1) print \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}'",
        'awk \'BEGIN{x=sprintf("%30000000s",""); x=toupper(x) tolower(x) substr(x,2) substr(x,3); print length(x)}\'',
        "awk 'BEGIN{while(1) print i++ > (\"f\" i)}'",
        "seq 3000000 | awk '{a[NR]=$0} END{n=asort(a,b); print n}'",
    ),
    "sed": (
        "echo a | sed ':a;s/.*/&&/;ta'",
        "echo a | sed ':a;G;ba'",
        "echo a | sed ':a;H;G;h;ba'",
        "yes | sed ':a;N;ba'",
        "yes | tr -d '\\n' | sed s/a/b/",
        "x=$(printf %100000s); printf '%100000s\\n' | sed \"s/ /$x/g\" | wc -c",
        "printf '%100000s\\n' | sed 's/ /&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&/g;s/ /&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&/g' | wc -c",
        "echo a | sed ':a;s/^/aaaaaaaa/;s/.*/\\U&\\E&/;ba'",
        "yes | sed -n H",
        "yes | sed -s '1!G;h;$!d'",
        "yes | sed 'i\\'$'\\n''aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' > /dev/null",
    ),
    "text": (
        "yes | sort",
        "yes | tac",
        "seq 10000000 | sort -R > /dev/null",
        "seq 10000000 | shuf > /dev/null",
        "shuf -i 1-100000000 > /dev/null",
        "shuf -i 1-1000000000 -n 100000000 > /dev/null",
        "cat /dev/zero | sort | wc -c",
        "cat /dev/zero | tac",
        "cat /dev/zero | rev",
        "cat /dev/zero | cut -c1",
        "cat /dev/zero | fold -w 10 > /dev/null",
        "cat /dev/zero | grep a",
        "cat /dev/zero | head -n 1 | wc",
        "cat /dev/zero | tail -n 1",
        "cat /dev/zero | tail -c 1000000000",
        "cat /dev/zero | head -c -1000000000",
        "yes | tail -n 1000000000",
        "yes | head -n -1000000000",
        "yes | uniq -d",
        "yes | column -t",
        "yes | column -c 1000000000",
        "yes | tr -d '\\n' | fmt",
        "yes | fmt -w 2500 > /dev/null",
        "yes a b | tsort",
        "seq 3000000 | awk '{print $1, $1+1}' | tsort > /dev/null",
        "seq 2000000 > p; grep -F -f p <<< x",
        "seq 2000000 > p; grep -f p <<< x",
        "grep -E \"$(seq -s'|' 1 300000)\" <<< x",
        "x=$(printf %100000s); X=$x envsubst <<< \"$(yes '$X' | head -10000 | tr -d '\\n')\" | wc -c",
        "x=$(printf %100000s); printf '%10000s\\n' | tr ' ' , | cut -d, -f1- --output-delimiter=\"$x\" | wc -c",
        "expand -t 2147483647 <<< $'\\t'",
        "expand -t 100000000 <<< $'\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t\\t'",
        "nl -w 1000000000 <<< a",
        "seq -w 1 999999999999 > /dev/null",
        "seq -f '%1000000000g' 1 3",
        "diff -y -W 100000000000000 <(echo a) <(echo b)",
        "diff -y -W 1000000000 <(seq 100) <(seq 2 101)",
        "seq 500000 > a; seq 2 3 1500000 > b; diff a b | wc -l",
        "yes | head -c 60000000 > a; cp a b; echo >> b; diff a b",
        "yes | head -c 40000000 | csplit - '/z/'",
        "seq 10000000 | csplit -n 10 - 3 '{*}'",
        "yes | split -l 1 -a 10",
        "yes | paste -s -d ' '",
        "yes | xargs echo | wc",
        "yes | xargs -n 100000000 echo",
        "yes | tr '\\n' ' ' | xargs -s 131072 echo > /dev/null",
        "join <(yes a | head -20000) <(yes a | head -20000) | wc -l",
        "printf '%10000000s' | od -An -v -tx1 | wc -c",
        "printf '%10000000s' | xxd | xxd -r | wc -c",
        "printf '%30000000s' | base64 -w 0 | base64 -d | wc -c",
        "printf '%10000000s' | hexdump -C > /dev/null",
        "printf 'a\\n%.0s' {1..3000000} | sort -u",
        "echo '2^100000000' | bc",
        "echo 'scale=100000000; 1/3' | bc",
        "echo 'while(1) x[i++]=i' | bc",
        "echo 'x=2; while(1) x=x*x' | bc",
        "factor 99999999999999999999999999999999999999999999999999999999999977",
        "seq 1e7 | numfmt --padding 100000 > /dev/null",
        "date -d '@1' +%1000000000Y",
        "find / -printf '%1000000000p'",
        "stat --printf '%1000000000n' /",
        "ls -w 1000000000 -C /; ls -T 1000000000 /",
        "tr a '[b*1000000000]' <<< a",
        "dd if=/dev/zero bs=10G count=1 | wc -c",
        "dd if=/dev/zero of=f bs=1M count=100000",
        "truncate -s 100G f; cat f | wc -c",
        "truncate -s 1T f; sort f",
        "truncate -s 1T f; tac f",
        "truncate -s 1G f; x=$(< f)",
        "truncate -s 1G f; tar cf - f | wc -c",
        "truncate -s 1G f; gzip -c f | gzip -dc | gzip -c | gzip -dc | wc -c",
        "truncate -s 1G f; cp f g; cmp f g; md5sum f",
        "truncate -s 1G f; patch < f; diff f /dev/null; grep -c x f",
        "yes | gzip | gzip -d | wc -c",
        "cat /dev/urandom | gzip > f",
        "cat /dev/zero | xxd -c 256 -p > /dev/null",
        "cat /dev/zero | strings",
        "yes | tr -d '\\n' | wc -L",
        "yes | cat -A | tail -1",
        "cat /dev/urandom | iconv -f latin1 -t utf8 | tail -c 1",
        "x=$(head -c 3000000 /dev/urandom | od -An -v -tx1 | tr -d ' \\n'); grep -Eo '(0|1)[0-9a-f]{200}(0|1)' <<< \"$x\" | wc",
        "patch <(:) < <(printf -- '--- a\\n+++ b\\n@@ -1,99999999999 +1 @@\\n'; yes -- -a)",
        "mkdir d; cd d; touch {1..50000}; ls -lR / | tail -1; find / | sort | tail -1; tree / | tail -1; du -a / | tail -1",
        "rg -c . <(yes | head -c 50000000)",
        "test $(yes) = a",
        "expr \"$(yes | head -c 50000000)\" : '.*'",
        'env -i "$(yes | head -c 50000000)" env',
    ),
}


def scripts(short: bool, only: str) -> Iterator[Tuple[str, str]]:
    """Each group's name with each of its scripts; of a short run only some."""
    for group, all_of_it in SCRIPTS.items():
        for script in all_of_it[:: len(all_of_it) // 3 if short else 1]:
            if only in script or only == group:
                yield group, script


def wrong(outcome: Outcome, job: Job) -> str:
    """What is wrong with how a script ended, if anything is."""
    if outcome.died:
        return outcome.died
    if outcome.error == "INTERNAL" or outcome.status == 134 or "internal error" in outcome.stderr:
        return "internal error"
    if outcome.seconds > job.timeout * 1.1 + SLACK:
        return "late"
    return "memory" if outcome.grown > MOST * job.memory else ""


def run(short: bool = False, only: str = "", show: bool = False) -> List[Tuple[Outcome, str, str]]:
    """Runs the scripts; each outcome with what is wrong with it, and the script, worst first."""
    outcomes = []
    for group, script in scripts(short, only):
        job = Job(script, timeout=1.5, memory=32 * MIB, file_bytes=16 * MIB) if short else Job(script, timeout=6)
        with Child() as child:
            outcome = child.run(job)
        outcomes.append((outcome, wrong(outcome, job), script))
        if show:
            print(f"{outcome.grown / job.memory:5.2f} {outcome.seconds:5.1f} {group}: {script[:100]}", file=sys.stderr, flush=True)
    return sorted(outcomes, key=lambda o: (not o[0].died, -o[0].grown))


def main() -> int:
    """Runs what the command line says and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a few of each group, at a quarter of the limits")
    parser.add_argument("--only", default="", help="those whose text contains this, or the group of that name")
    parser.add_argument("--show", action="store_true", help="each as it ends, on standard error")
    args = parser.parse_args()
    outcomes = run(args.short, args.only, args.show)
    memory = 32 * MIB if args.short else Job("").memory
    rows = [["x limit", "MiB", "seconds", "status", "ended by", "", "script"]]
    for o, bad, script in outcomes:
        by = o.error or ("" if o.status is not None else o.died)
        rows.append([f"{o.grown / memory:.2f}", str(o.grown // MIB), f"{o.seconds:.1f}", str(o.status), by, bad, script[:140]])
    print(table(rows))
    failed = sum(bool(bad) for _, bad, _ in outcomes)
    worst = max((o.grown / memory for o, _, _ in outcomes), default=0.0)
    print(f"{len(outcomes)} scripts, {failed} wrong, the worst {worst:.2f} x the limit")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
