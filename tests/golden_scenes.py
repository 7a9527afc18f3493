"""The scenes of tests/golden.py: what a saved state can hold, one thing or a few at a time."""

from __future__ import annotations

from typing import List

from golden import Scene

_LOOK = (
    ("run", 'echo "$x|${a[*]}|$PWD|$-|$?"; declare -p x a m 2>&1; alias; trap; declare -F; jobs; dirs; umask; ulimit -n'),
    ("history", ""),
    ("snapshots", ""),
)
_PROCESSES = "jobs; wait; echo all done $?"

SCENES: List[Scene] = [
    # Nothing runs: what a sandbox is between two runs.
    Scene("state-empty", "true", "end", then=_LOOK),
    Scene(
        "state-variables",
        "x='a b'; declare -i n=3; declare -r r=9; declare -x e=1; declare -u up=abc; declare -l low=ABC; declare -c cap=abc 2>/dev/null; declare -t tr=1\n"
        "a=(1 'two words' [7]=seven); declare -ai ints=(1+1 2+2); declare -A m=([k]=v [other]=w ['a b']=c); declare -Ar ro=([x]=y); declare -a empty=(); declare -A none\n"
        "declare -n ref=x; declare -n el='a[1]'; declare unset_one; export EXPORTED=yes; readonly -a ra=(1 2); unset 'a[0]'; declare -xi both=4; nul=; bytes=$'\\xff\\x00z\\x80'",
        "end",
        then=(
            ("run", 'declare -p; n=n+1; up=xyz; echo $n $up; ref=changed; el=third; echo "$x ${a[*]} ${!a[@]} ${m[a b]}"; r=1; echo never'),
            ("run", "ra[0]=5; echo $?"),
            ("run", 'printf %s "$bytes" | od -c; unset -n ref; declare -p ref unset_one none'),
        ),
    ),
    Scene(
        "state-functions",
        'f() { local v=$1; echo "f $v" >&2; return 3; }\nfunction g { f "$@" | cat; } 2>&1\nh() ( exit 4 )\nexport -f f; readonly -f g; declare -ft h\n'
        "heredoc() { cat <<E; cat <<-'F'; }\nbody $1\nE\n\tquoted $1\n\tF\nrec() { (( $1 > 0 )) && { echo $1; rec $(( $1 - 1 )); }; }; shopt -s extglob; eg() { case $1 in +([0-9])) echo digits;; *) echo other;; esac; }",
        "end",
        then=(
            (
                "run",
                "declare -f; f 1; echo $?; g 2; h; echo $?; heredoc X; rec 3; eg 12; eg a; bash -c 'f from-child'; unset -f g; g() { :; }; declare -F",
            ),
        ),
    ),
    Scene(
        "state-options",
        "set -o pipefail; set -u -f; shopt -s nullglob dotglob globstar nocasematch expand_aliases; set +f; alias ll='ls -l' 'two=echo one two '; hash -p /bin/cat mycat; enable -n printf; umask 027; "
        "set -- p1 'p 2' p3; cd /tmp; pushd /usr >/dev/null; pushd /var > /dev/null; OPTIND=2; trap 'echo usr1' USR1; trap '' INT; trap 'echo bye' EXIT; trap 'echo err' ERR; trap 'echo dbg' DEBUG; trap 'echo ret' RETURN; trap - DEBUG; "
        "complete -W 'a b' -o nospace cmd; complete -F f -P p -S s other; bind 'set editing-mode vi'; bind '\"\\C-x\\C-r\": re-read-init-file'; ulimit -n 77; ulimit -S -c 0; exec 7>/tmp/seven; echo to seven >&7",
        "end",
        then=(
            (
                "run",
                'set -o; shopt; alias; hash -t mycat; enable -n; umask; echo $# "$2"; dirs -p; trap; complete -p; bind -v | head -3; ulimit -n; echo more >&7; cat /tmp/seven; kill -USR1 $$; false; echo $OPTIND',
            ),
            ("run", "two; shopt -u expand_aliases; echo $unset_variable; echo not reached"),
        ),
    ),
    Scene(
        "state-compat",
        "shopt -s compat44; BASH_COMPAT=4.2; set -o posix; POSIXLY_CORRECT=1",
        "end",
        then=(("run", "shopt | grep compat; echo $BASH_COMPAT; set -o | grep posix"),),
    ),
    Scene("state-restricted", "set -r; x=1", "end", then=(("run", "cd /tmp; echo $?; echo > f; echo $?; set +r; echo $-"),)),
    Scene(
        "state-errexit",
        "set -eE; f() { false; echo no; }; trap 'echo caught' ERR",
        "end",
        then=(("run", "f; echo never"), ("run", "if f; then echo if; fi; echo here")),
    ),
    Scene(
        "state-extdebug",
        "shopt -s extdebug; f() { g a b; }; g() { echo ${BASH_ARGV[*]} ${BASH_ARGC[*]}; }",
        "end",
        then=(("run", "f 1 2 3"),),
    ),
    Scene(
        "state-files",
        "mkdir -p d/e; echo content > d/f; ln d/f hard; ln -s d/f sym; ln -s nowhere dangling; ln -s d dirlink; mkfifo pipe; truncate -s 1T sparse; printf tail | dd of=sparse bs=1 seek=1000000 conv=notrunc status=none\n"
        "chmod 4755 hard; chmod 000 d/e; touch -d 2001-02-03 old; seq 5000 > big; head -c 20000 /dev/zero > zeros; mkdir 'name with space'; touch $'new\\nline' ./-dash; chmod 1777 'name with space'; : > empty",
        "end",
        then=(
            (
                "run",
                "ls -l | cut -d' ' -f1,2,5; stat -c '%n %h %s %F' -- *; cat sym; tail -c 4 <(head -c 1000004 sparse); md5sum big zeros; date -r old +%F; readlink sym dangling; test hard -ef d/f && echo same",
            ),
            ("run", "rm hard; cat d/f; stat -c %h d/f; echo more >> big; tail -n 2 big; rm -rf d; ls"),
        ),
    ),
    Scene(
        "state-descriptors",
        "echo line1 > f; echo line2 >> f; exec 3<f 4>g 5<>h 6</dev/null 7>/dev/full 8<<<here 9>&1; read -u 3 first; echo out >&4; rm f g; echo both >&5; exec {auto}>auto",
        "end",
        then=(
            (
                "run",
                "echo $first; read -u 3 x; echo $x; echo again >&4; cat <&5; cat <&8; echo full >&7; echo $?; echo $auto >&$auto; cat auto; ls -l /dev/fd/ | wc -l; cat /proc/self/fd/4; ls",
            ),
        ),
    ),
    Scene(
        "state-history",
        "x=now; false",
        "end",
        before=(
            ("run", "echo one"),
            ("run", "x=old; echo two > f"),
            ("snapshot", "first"),
            ("run", "false"),
            ("snapshot", "gone"),
            ("run", "rm f"),
            ("drop", "gone"),
            ("fork", ""),
            ("snapshot", "second"),
        ),
        then=(
            ("history", ""),
            ("snapshots", ""),
            ("run", "history | tail -3; echo $x; ls"),
            ("restore", "first"),
            ("run", "echo $x; ls; cat f"),
            ("restore", "second"),
            ("run", "echo $x; ls"),
            ("snapshot", "third"),
            ("snapshots", ""),
            ("reset", ""),
            ("run", 'echo "<$x>"; ls; pwd'),
        ),
    ),
    Scene(
        "state-shell-history",
        "set -o history; echo a; echo b; history -s made up; HISTSIZE=5; HISTCONTROL=ignoredups; fc -l 1>/dev/null",
        "end",
        then=(("run", "history; fc -l -2"),),
    ),
    Scene(
        "state-config",
        "echo $GIVEN",
        "end",
        options={"env": {"GIVEN": "yes", "LC_ALL": "C.UTF-8", "TZ": "UTC"}, "user": "ann", "hostname": "box", "cwd": "/srv/work"},
        limits={"depth": 321, "processes": 40, "file_size": 1 << 20, "memory": 64 << 20, "open_files": 50},
        then=(
            ("run", "whoami; hostname; pwd; echo ~ $GIVEN; id -un; head -c 2000000 /dev/zero > big; echo $?; cd /; GIVEN=no"),
            ("run", "f() { f; }; f"),
            ("reset", ""),
            ("run", "pwd; echo $GIVEN"),
        ),
    ),
    Scene("state-signed", "x=signed; echo f > f", "end", key="a secret", then=(("run", "echo $x; cat f"),)),
    Scene(
        "state-random",
        "a=$RANDOM$RANDOM; head -c 10 /dev/urandom | od -An -tx1; RANDOM=42",
        "end",
        then=(("run", "echo $RANDOM $RANDOM $SRANDOM; head -c 8 /dev/urandom | od -An -tx1; shuf -i 1-9; mktemp -u"),),
    ),
    Scene(
        "state-jobs",
        "sleep 1000 & { sleep 0.5; echo late; } & (exit 3) & sleep 0.1; echo $! > /dev/null",
        "end",
        then=(("run", "jobs; wait %2; echo $?; wait %3 2>/dev/null; kill %1; wait %1; echo $?"),),
    ),
    Scene(
        "state-coproc",
        'coproc UP { while read -r l; do echo "up $l"; done; }',
        "end",
        then=(("run", "echo one >&${UP[1]}; read -r -u ${UP[0]} got; echo $got; exec {UP[1]}>&-; wait $UP_PID; echo $?"),),
    ),
    Scene(
        "state-fifo",
        "mkfifo p; exec 3<>p; echo waiting >&3; (cat p > out &) ; sleep 0.1",
        "end",
        then=(("run", "exec 3>&-; sleep 0.1; cat out"),),
    ),
    Scene("state-tools", "x=1", "end", tools=("ask", "other"), then=(("run", "type ask; type -t other"),)),
    # A run is suspended at a tool call.
    Scene("call-pending", "echo before; x=$(ask 'a b' c <<< input | tr a-z A-Z); echo \"$x\"; ask last; echo $?", "call", tools=("ask",)),
    Scene("call-several", "ask 1 & ask 2 & { ask 3 | ask 4; } & wait; echo done", "4 after call", tools=("ask",), then=_LOOK),
    Scene("call-in-pipe", "seq 3 | while read x; do ask $x; done | sort -r | sed 's/^/> /'; echo ${PIPESTATUS[*]}", "call", tools=("ask",)),
    Scene("call-with-stdin", "seq 700 | ask count | wc", "call", tools=("ask",)),
    Scene(
        "call-in-function",
        "f() { local l=$1; trap 'echo ret' RETURN; for i in 1 2; do l+=$(ask $l $i); done; echo $l; }; f a b; f c",
        "3 after call",
        tools=("ask",),
    ),
    Scene(
        "call-after-output",
        "for i in 1 2 3; do echo out $i; echo err $i >&2; done; ask; echo tail",
        "call",
        tools=("ask",),
        start={"keep": True},
    ),
    Scene("call-env", "cd /tmp; A=1 B='2 3' ask env; echo $A", "call", tools=("ask",), start={"env": {"ONLY": "now"}, "cwd": "/"}),
    Scene(
        "call-xargs",
        "printf '%s\\n' a b c | xargs -n1 ask; find . -name '*.x' -exec ask {} \\; | sort",
        "call",
        tools=("ask",),
        files={"1.x": "", "d/2.x": ""},
    ),
    Scene("call-trap", "trap 'ask exiting' EXIT; trap 'ask usr' USR1; kill -USR1 $$; echo main; exit 3", "call", tools=("ask",)),
    Scene("call-signed", "echo $(ask); echo end", "call", tools=("ask",), key="another secret"),
    Scene(
        "call-snapshots",
        "echo $x > now; ask; cat now f",
        "call",
        tools=("ask",),
        before=(("run", "x=1; echo old > f"), ("snapshot", "kept")),
        then=(("restore", "kept"), ("run", "echo $x; cat f; ls")),
    ),
    Scene(
        "call-big-files",
        "seq 4000 > big; cp big copy; echo more >> copy; exec 5<big; rm big; ask; wc -l copy; tail -1 <&5; md5sum copy",
        "call",
        tools=("ask",),
    ),
    # Input is needed.
    Scene(
        "input-read",
        'read -r a; echo "<$a>"; while IFS=, read -ra l; do echo "[${l[1]}]"; done; echo end',
        "input",
        typed=("first\nse,c", "ond,x\nthi", "rd,y\nlast,z"),
    ),
    Scene("input-cat", "cat | tr a-z A-Z; echo end", "2 after input", typed=("one\ntw", "o\nthree", "\n")),
    Scene("input-select", 'select x in a b c; do echo "got $x"; [[ $x == c ]] && break; done', "2 after input", typed=("1\n", "3\n")),
    Scene("input-mapfile", "mapfile -t -c 1 -C 'echo cb' lines; echo ${#lines[@]}", "2 after input", typed=("one\ntw", "o\nth", "ree\n")),
    Scene("input-read-nchars", 'read -n 5 a; read -d : b; read -t 100 c; echo "$a|$b|$c"', "2 after input", typed=("ab", "cdefg", ":hi\n")),
    Scene(
        "input-script",
        "bash -s arg1 <<< 'echo $1; read x' ; bash",
        "2 after input",
        typed=("echo fr", "om stdin; x=5\nf() {\n", "echo $x\n}\n", "f\n"),
    ),
    # Time, limits, checkpoints.
    Scene(
        "sleeping",
        "echo before; sleep 5; date +%s; sleep 10 & wait; echo after $SECONDS",
        "",
        text="sleep",
        start={"timeout": 60_000_000_000},
    ),
    Scene("sleeping-real", "echo before; sleep 0.3; echo after", "3", real=True, start={"timeout": 60_000_000_000}),
    Scene("limit-steps", "for i in {1..30}; do echo $i; done", "limit", limits={"steps": 20}, start={"suspend_on_limit": True}),
    Scene(
        "limit-timeout", "while ((i++ < 5)); do sleep 1; echo $i; done", "limit", start={"suspend_on_limit": True, "timeout": 2_500_000_000}
    ),
    Scene(
        "limit-of-run",
        "f() { (($1)) && f $(($1 - 1)); }; f 9; checkpoint mid; f 30; echo rest",
        "mark",
        start={"limits": {"depth": 40, "processes": 9}},
        then=(("run", "ulimit -u; f() { (($1)) && f $(($1 - 1)); }; f 100; echo $?"),),
    ),
    Scene("checkpoint", "echo a; checkpoint one; echo b; checkpoint two; echo c", "mark"),
    Scene("timeout-running", "timeout 5 sh -c 'echo in; sleep 3; checkpoint x; sleep 9; echo never'; echo $?", "mark"),
    # What stands on the stack of a shell.
    Scene(
        "frames-compound",
        "if true; then while read l; do case $l in a*) for i in 1 2; do for ((j = 0; j < 2; j++)); do until false; do { ( checkpoint deep; echo $l$i$j ); break; }; done; done; done;; b) echo b;; esac; done <<< $'ax\\nb'; fi && echo and || echo or",
        "mark",
        then=_LOOK,
    ),
    Scene(
        "frames-heredoc",
        'cat <<A <<B; checkpoint x; cat <<C; echo "$(cat <<D\nin $(checkpoint y; echo D)\nD\n)"\na\nA\nb $HOME\nB\nc\nC\n',
        "mark",
        then=_LOOK,
    ),
    Scene(
        "frames-source",
        "echo 'echo sourced $1; checkpoint s; return 5; echo no' > lib; source ./lib arg; echo $?; eval 'checkpoint e; echo evaluated'; bash -c 'checkpoint c; echo $0 $1' zero one",
        "mark",
    ),
    Scene(
        "frames-script",
        "./s.sh a b; echo $?",
        "mark",
        files={"s.sh": "#!/bin/bash\necho $0 $#\ncheckpoint in-script\nfor x; do echo $x; done\nexit 4\n"},
    ),
    Scene(
        "frames-eval-trap",
        "trap 'checkpoint t; echo usr1 $?' USR1; (kill -USR1 $$); false; echo after $?; trap 'echo dbg $BASH_COMMAND' DEBUG; echo x; trap - DEBUG",
        "mark",
    ),
    Scene(
        "frames-err-exit", "set -eE; trap 'checkpoint e; echo err $?' ERR; trap 'echo exit $?' EXIT; f() { false; }; f; echo never", "mark"
    ),
    Scene(
        "frames-declare",
        "f() { declare -a v=($(checkpoint d; echo 1 2) 3); local -A m=([$(echo k)]=$(checkpoint e; echo v)); echo ${v[*]} ${m[k]}; export E=$(echo e); readonly R=$(checkpoint g; echo r); echo $E$R; }; f",
        "mark",
    ),
    Scene(
        "frames-arith",
        "(( x = $(checkpoint a; echo 3) + 1 )); echo $x; [[ $(checkpoint b; echo y) == y && -n $x ]] && echo yes; echo $(( x * $(checkpoint c; echo 2) ))",
        "mark",
    ),
    Scene("frames-time", "TIMEFORMAT=timed; time { checkpoint t; echo a | cat; }; ! { checkpoint n; false; }; echo $?", "mark"),
    Scene(
        "frames-coproc",
        "coproc { read x; checkpoint co; echo got $x; }; echo hi >&${COPROC[1]}; read -u ${COPROC[0]} y; echo $y; wait",
        "mark",
    ),
    Scene("frames-prompt", "PS4='+$(checkpoint p; echo p) '; set -x; echo traced; x=$(echo y); set +x", "mark"),
    Scene(
        "frames-compgen",
        "f() { checkpoint c; COMPREPLY=(one two); }; compgen -F f x; compgen -W '$(checkpoint w; echo a b)' a; compgen -C 'checkpoint z; echo made' q",
        "mark",
    ),
    Scene(
        "frames-substitution",
        "x=$(echo a; checkpoint s; printf '%5000s' z); echo ${#x}; n=0; echo $n $((n++)) $(checkpoint m; echo b) ${x:0:1} ~ $RANDOM `echo old`",
        "mark",
    ),
    Scene("frames-process-subst", "diff <(echo a; checkpoint p; echo b) <(echo a) > >(sed 's/^/# /'); cat <(cat <(echo nested))", "mark"),
    Scene(
        "frames-redirect",
        "{ echo a; checkpoint r; echo b >&2; } > out 2>&1 3< <(echo sub); cat out; exec 4>four; { checkpoint q; echo x >&4; } 4>&1; cat four",
        "mark",
    ),
    Scene("frames-wait", "(sleep 2; exit 3) & (sleep 1; exit 4) & wait -n; echo $?; wait; echo $?; checkpoint end", "6"),
    Scene("frames-exec", "(exec cat <<< x); exec 3>&1; (exec bash -c 'checkpoint in; echo became $$ >/dev/null; exit 6'); echo $?", "mark"),
    Scene(
        "frames-command",
        "command -p true; builtin eval 'checkpoint b'; command eval 'checkpoint c; echo d'; A=1 command eval 'echo $A'; echo $A",
        "mark",
    ),
    Scene(
        "frames-local-dash", 'f() { local -; set -f; local IFS=:; checkpoint d; echo * "$*"; }; f a b; echo *', "mark", files={"only": ""}
    ),
    Scene(
        "frames-getopts",
        "set -- -ab x -c rest; while getopts ab:c o; do echo $o $OPTARG; checkpoint $o; done; shift $((OPTIND - 1)); echo $*",
        "mark",
    ),
    Scene("frames-select", "select x in one two; do checkpoint s; echo $x; break; done <<< 2", "mark"),
    # Pipes and processes.
    Scene("pipe-full", "yes | { sleep 3; head -c 100000 | md5sum; }; echo ${PIPESTATUS[*]}", "12", limits={"pipe": 4096}),
    Scene("pipe-closed", "{ sleep 1; seq 20000; echo wrote $? >&2; } | { read x; exec <&-; sleep 2; echo $x; }", "14"),
    Scene("pipe-fifo-open", 'mkfifo p; (read x < p; echo "read $x") & sleep 1; echo hello > p; wait', "9"),
    Scene("pipe-fifo-writer", "mkfifo p; (echo from writer > p; echo w) & sleep 1; cat p; wait", "9"),
    Scene("pipe-chain", "seq 3000 | sort -rn | awk '{ s += $1; print s }' | sed -n '$p' | tee out | cat -n; cat out", "14", then=_LOOK),
    Scene(
        "processes-signals", "(trap 'echo term; exit 7' TERM; while :; do sleep 0.5; done) & p=$!; sleep 2; kill $p; wait $p; echo $?", "25"
    ),
    Scene("processes-stopped", "sleep 100 & kill -STOP $!; jobs; kill -CONT $!; kill $!; wait $!; echo $?", "8"),
    Scene("processes-nested", "( ( ( sleep 1; echo deep $BASH_SUBSHELL ) | cat ) & wait ); echo $( echo $( sleep 1; echo inner ) )", "11"),
    Scene("processes-background-end", f"sleep 3 & (sleep 1; exit 2) & {_PROCESSES}", "10"),
    Scene(
        "files-in-use",
        "seq 100 > f; exec 3<f; read -u 3 a; rm f; echo new > f; { read -u 3 b; sleep 1; cat <&3 | tail -1; } ; echo $a $b; cat f",
        "12",
    ),
    Scene(
        "files-appending",
        "for i in 1 2 3; do echo $i; sleep 1; done >> log & for j in a b; do echo $j >> log; sleep 1; done; wait; cat log",
        "20",
    ),
    Scene(
        "awk-getline-system",
        'awk \'BEGIN { while (("seq 3; sleep 1" | getline l) > 0) print l; system("sleep 1; echo sys"); print "x" | "sort -r; sleep 1"; print "y" | "sort -r; sleep 1"; close("sort -r; sleep 1"); while ((getline l < "f") > 0) n++; print n }\'',
        "14",
        files={"f": "1\n2\n"},
    ),
    Scene(
        "tar-flight",
        "tar czf - d | { sleep 1; tar tzvf - | wc -l; }; tar cf t d; tar xf t -C out; diff -r d out/d && echo same",
        "18",
        files={"d/a": "a" * 3000, "d/b": "b\n" * 900, "out/x": ""},
    ),
    Scene("xargs-parallel", "printf '%s\\n' 3 1 2 | xargs -P2 -I{} sh -c 'sleep {}; echo {}'", "20"),
    Scene(
        "find-exec",
        "find . -type f -exec sh -c 'sleep 1; echo $0' {} \\; -o -name d -prune -print | sort",
        "14",
        files={"a": "", "b": "", "d/c": ""},
    ),
    Scene("tail-follow", "(for i in 1 2 3; do echo $i >> f; sleep 1; done) & timeout 5 tail -f f; wait", "20", files={"f": "0\n"}),
    Scene(
        "nested-timeouts",
        "timeout 1 sleep 9; echo $?; timeout -s KILL 1 bash -c 'trap : TERM; sleep 5'; echo $?; (ulimit -t 100; nice -n 3 sleep 1); nohup sleep 1",
        "5",
    ),
    Scene("utility-mawk", "mawk '{ s += $1; print s }' | cat", "program mawk", typed=("1\n2", "0\n30", "\n")),
    Scene("utility-pkill", "sleep 100 & pkill -e sleep; wait $!; echo $?", "program pkill"),
    Scene(
        "files-generated",
        "exec 5</proc/version 6</dev/urandom; read -n 3 -u 5 a; head -c 3 <&6 >/dev/null; checkpoint x; read -u 5 b; echo $a${b:0:5}; head -c 4 <&6 | od -An -tx1",
        "mark",
    ),
    Scene(
        "memo-globs",
        'echo d/* $(checkpoint g; rm d/a; echo gone) d/*; echo f* ~ann "$(checkpoint h; echo x)"',
        "mark",
        files={"d/a": "", "d/b": "", "f1": ""},
    ),
    Scene("memo-tests", "[[ -f d/a && -d d && $(checkpoint t; rm -r d; echo y) == y && ! -e d/a ]]; echo $?", "mark", files={"d/a": ""}),
    Scene("wait-for-last", 'x=$(sleep 2 & echo a) && echo "<$x>"; echo end', "9"),
]
