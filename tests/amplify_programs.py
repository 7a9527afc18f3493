"""The templates that tests/amplify.py fills, by hand: those of the tables are in amplify_tables.py.

Holes: @N@ a number, @O@ openers, @R@ as many as the size says, @T@ a long text, @F@ a long file, @C@ a
character, @P@ a mark or two.
"""

from __future__ import annotations

import random
import re
import shlex
import string
from typing import Dict, Sequence

NUMBERS = (
    "0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "100000000000000",
    "1000000000",
)
SIZES = (1, 2, 4, 8)
BASE = 25_000  # parts of the smallest text
REPEATS = 5_000  # and of the smallest script
OPENERS = (
    "(",
    "[",
    "{",
    "$(",
    "${",
    "$((",
    "`",
    "<(",
    '"',
    "'",
    "((",
    "[[",
    "${a[",
    "${x:-",
    "${x/",
    "a[",
    "\\(",
    "*(",
    "@(",
    "{a,",
    "[[:",
    "[^",
    "if ",
    "case x in ",
    "$'",
    "<<",
    ";;",
    "&&",
    "|",
    "!",
    "-",
    "a=",
    "/",
    "\\",
    "%",
    "~",
    "!(",
    "-not ",
    "\\( ",
    "?",
    "*",
    "+",
    "{1,",
    "a|",
    ".[",
    ". as $x|",
    "try ",
    "def f: ",
    "function f(){",
    "x=",
    "1+",
    "2^",
    "--",
)
SETUP = "printf 'a b\\tc\\n1 2 3\\nx,y,z\\n' >f; mkdir d; cp f d; "


def text(part: str, n: int) -> str:
    """A substitution of n times a part, which costs a few bytes to write."""
    return f"$(yes -- {shlex.quote(part)} | head -n {n} | tr -d '\\n')"


# Files of n parts, in t: lines, numbers, one line with and without words, NULs, and a directory of many.
FILES = (
    "yes 'a b 7' | head -n {n} >t",
    "seq {n} >t",
    "yes ab | head -n {n} | tr -d '\\n' >t",
    "yes 'x ' | head -n {n} | tr -d '\\n' >t",
    "head -c {n} /dev/zero >t",
    "yes '' | head -n {n} >t",
    "mkdir t; cd t; seq {few} | xargs touch; cd ..",
)

PROGRAMS: Dict[str, Sequence[str]] = {
    "expansion": (
        *tuple(
            f'x="@T@"; y=${{x{op}}}; echo ${{#y}}'
            for op in (
                "//a/$x",
                "//?/$x",
                "/#/$x",
                "/%/$x",
                "//a*/b",
                "#*a",
                "##*a",
                "%a*",
                "%%a*",
                "^^",
                ",,",
                "^^a",
                "@Q",
                "@E",
                "@A",
                "@U",
                "@K",
                ":@N@",
                ":0:@N@",
                ":-@O@",
                ":@N@:@N@",
                "#@O@",
                "//@O@/b",
                "@P",
            )
        ),
        'a=({1..20000}); x="@T@"; b=("${a[@]/#/$x}"); echo ${#b[@]}',
        'x="@O@"; echo "${x@P}"',
        'x="@O@"; [[ -v "c[$x]" ]]',
        'x="@O@"; printf -v "c[$x]" 1',
        'x="@O@"; compgen -W "$x"',
        'x="@O@"; eval "$x"',
        'x="@O@"; eval "echo $x"',
        'x="@O@"; declare "a=($x)"',
        'x="@O@"; [[ a == $x ]]',
        'x="@O@"; case a in $x) ;; esac',
        'x="@O@"; echo $x',
        'x="@O@"; : $((x))',
        'let "@O@1"',
        "echo $((@N@ @N@))",
        "echo $((@N@*@N@)) $((1<<@N@)) $((2**@N@)) $((@N@%-1)) $((-@N@/-1))",
        "a[@N@]=x; echo ${#a[@]} ${a[@N@]}",
        "a=([@N@]=x y z)",
        "set -- a b c; shift @N@; echo ${@:@N@:@N@}",
        "echo {1..@N@}",
        "echo {@N@..1..@N@}",
        "echo {a..z..@N@}",
        "for ((i=@N@;i<@N@;i+=@N@)); do :; done",
        'x="@T@"; IFS=a; y=($x); echo ${#y[@]}',
        'x="@T@"; [[ $x =~ (a*)*b ]]',
        'x="@T@"; [[ $x == *a*a*a*b ]]',
        'x="@T@"; read -r -a y <<< "$x"',
        'x="@T@"; test "$x" -eq 1',
        "ulimit -f @N@; ulimit -n @N@; echo x >g",
        "exec @N@>&1",
        "echo x >&@N@",
        "read -n @N@ x <f",
        "read -t 0@N@ x <f",
        "mapfile -n @N@ -O @N@ -s @N@ -c @N@ a <f",
        "printf -v x %@N@d 1",
        "umask @N@",
        "kill -@N@ 0; kill -0 @N@",
        "history @N@",
        "break @N@",
        "return @N@",
        'getopts "@T@" o -a',
    ),
    "printf": (
        "printf '%@N@d|%.@N@d|%@N@s|%.@N@s' 1 2 3 4",
        "printf '%*d %.*f' @N@ 1 @N@ 2",
        "printf '%d %u %x %f %c %b' @N@ @N@ @N@ @N@ @N@ @N@",
        "printf '%(%Y@T@)T' @N@",
        "printf '@O@%'",
        'printf "@T@" 1 2',
        "printf '%.@N@e %.@N@g %@N@a' 1 2 3",
    ),
    "awk": (
        "awk 'BEGIN{@O@}'",
        'awk "BEGIN{x=@O@1}"',
        "awk 'BEGIN{printf \"%@N@d %.@N@f\", 1, 2}'",
        'awk \'BEGIN{print substr("abc",@N@,@N@), index("a",@N@)}\'',
        "awk 'BEGIN{$@N@=1; print NF}'",
        "awk '{NF=@N@; print NF}' f",
        "awk -v x=\"@T@\" 'BEGIN{y=x; gsub(/a/,x,y); print length(y)}'",
        'awk -v x="@T@" \'BEGIN{n=split(x,a,""); print n}\'',
        "awk -v x=\"@T@\" 'BEGIN{print match(x,/(a*)*b/)}'",
        'awk -v x="@T@" \'BEGIN{print gensub(/a/,"&&&&",@N@,x)}\'',
        "awk 'BEGIN{print lshift(1,@N@), rshift(@N@,1), strftime(\"%c\",@N@), int(@N@), 2^@N@, @N@%0.1}'",
        "awk -v x=\"@T@\" '$0 ~ x' f",
        "awk -F \"@T@\" '{print $1}' f",
        "awk -F '@O@' '{print $1}' f",
        "awk -v FIELDWIDTHS='@N@ @N@' '{print $2}' f",
        "awk -v RS='@O@' 1 f",
        "awk -v OFS=\"@T@\" '{$1=$1; print length}' f",
        'awk \'BEGIN{CONVFMT="%.@N@g"; x=3.1 ""; print x}\'',
        "awk 'BEGIN{for(;;) a[i++]=i}'",
        "awk 'BEGIN{srand(@N@); print rand(); exit @N@}'",
    ),
    "sed": (
        "sed '@O@' f",
        "sed 's/@O@/x/' f",
        "sed -E 's/@O@/x/' f",
        "sed 's/a/@T@&/g' f",
        "sed 's/a/b/@N@' f",
        "sed '@N@p' f",
        "sed '1,+@N@p' f",
        "sed '@N@~@N@p' f",
        "sed '1,~@N@d' f",
        "sed 'l @N@' f",
        "sed 'q@N@' f",
        "sed 'y/@T@/@T@/' f",
        'echo "@T@" | sed "s/a/$(printf %1000s)/g" | wc -c',
        "echo \"@T@\" | sed ':a;s/^\\(a*\\)a/\\1/;ta' | wc -c",
        "sed ':a;s/.*/&&/;ta' f",
        "sed '{' ; sed '@O@}' f",
        "sed -l @N@ -n l f",
    ),
    "jq": (
        "jq -n '@O@'",
        "jq -n '\"a\"*@N@|length'",
        "jq -n '[range(@N@)]|length'",
        "jq -n '[limit(@N@;repeat(1))]|length'",
        "jq -n '.[@N@]=1|length'",
        "jq -n '[1,2,3][@N@:@N@]'",
        "jq -n '\"abc\"[@N@:@N@]'",
        "jq -n '@N@*@N@, @N@%@N@, pow(@N@;@N@), (@N@|tostring), (@N@|todate?)'",
        "jq -n '[splits(\"a\")?]'",
        'echo "\\"@T@\\"" | jq \'gsub("a";"bbbb")|length\'',
        'echo "\\"@T@\\"" | jq \'[splits("")]|length\'',
        'echo "\\"@T@\\"" | jq \'explode|implode|tojson|@base64|@base64d|@uri|length\'',
        "echo '@O@' | jq .",
        "echo '@O@1' | jq -c .",
        "jq -n '[range(20)]|[combinations(@N@)]?|length'",
        "jq -n '[nth(@N@;repeat(1))]'",
        "jq -n '[first(range(@N@))],[range(0;@N@;@N@)]|length'",
        "jq --indent @N@ . <<< '[1]'",
        "jq -n 'def f: [f]; f'",
        "jq -n '[[[1]]]|flatten(@N@)'",
        "jq -n '\"a\"|until(length > @N@;.+.)|length'",
        'jq -n \'"a"|ltrimstr("@T@")|test("@O@")\'',
        "jq -n 'setpath([@N@];1)|length'",
        "jq -n '[.[]?]|getpath([@N@,@N@])'",
        "jq -n '@N@|[splits(\"a\")?],ascii?,[@N@]|implode?'",
    ),
    "bc": (
        "echo '@O@1' | bc",
        "echo 'scale=@N@; 1/3' | bc",
        "echo '2^@N@' | bc",
        "echo 'ibase=@N@; obase=@N@; 255' | bc",
        "echo 'obase=@N@; 10^1000' | bc",
        "echo 'length(10^@N@)' | bc",
        "echo 'x[@N@]=1' | bc",
        "echo 'scale=@N@; sqrt(2)' | bc",
        "echo 's(@N@); e(@N@); l(@N@)' | bc -l",
        "echo '@T@*@T@' | tr a 7 | bc | wc -c",
        "echo 'define f(x){return f(x+1)} f(1)' | bc",
        "echo 'last=1;while(1)last=last*9' | bc",
    ),
    "find": (
        "find d @O@ -name f",
        "find d -maxdepth @N@ -mindepth @N@",
        "find d -size @N@c -o -size +@N@G -o -mtime @N@ -o -mmin @N@ -o -links @N@ -o -inum @N@ -o -uid @N@",
        "find d -printf '%@N@p %.@N@p %-@N@s %@N@d %@N@m\\n'",
        "find d -printf '@O@'",
        "find d -name \"@T@\" -o -path '@O@' -o -regex '@O@'",
        "find d -newermt @N@ -o -perm @N@ -o -perm /@N@",
    ),
    "regex": tuple(
        f"{tool} '@O@' f"
        for tool in (
            "grep",
            "grep -E",
            "grep -P",
            "grep -F",
            "rg",
            "expr abc :",
            "csplit f",
            "nl -b p",
            "sed -nE /@O@/p #",
            "grep -w",
            "grep -xi",
        )
    )
    + tuple(
        f'echo "@T@" | {tool} | wc -c'
        for tool in (
            "grep -E '(a*)*b'",
            "grep -o a",
            "grep -Eo '(a|b)[ab]{200}(a|b)'",
            "grep -P '(a+)+b'",
            "grep '\\(a*\\)*\\1b'",
            'grep -e "@T@"',
            "grep -E 'a{@N@}'",
            "grep -E 'a{1,@N@}'",
            'grep -i "@T@"',
            "rg -o 'a+?'",
            "rg 'a{@N@}'",
        )
    )
    + ("grep -m @N@ -A @N@ -B @N@ a f", "seq 200000 >p; grep -F -f p f; grep -f p f", "[[ abc =~ @O@ ]]"),
    "text": (
        "date +%@N@Y",
        "date -d @@N@",
        "date -d '@N@ days'",
        "date -d '@T@'",
        "touch -d @@N@ g",
        "dd if=f bs=@N@ count=@N@",
        "dd if=/dev/zero of=g bs=1 seek=@N@ count=1",
        "dd if=f skip=@N@ ibs=@N@ obs=@N@",
        "tr a '[b*@N@]' <f",
        "tr '@O@' x <f",
        'tr -d "@T@" <f',
        "seq @N@",
        "seq 1 @N@ @N@",
        "seq -w @N@ @N@",
        "seq -f %@N@g 3",
        "factor @N@ @N@1 @N@@N@",
        "numfmt @N@ @N@K",
        "expr @N@ '*' @N@ + @N@",
        "expr substr abc @N@ @N@",
        "expr '@O@'",
        "test '@O@'",
        "test '(' @O@ 1",
        "truncate -s @N@ g",
        "stat --printf '%@N@n%.@N@X@O@' f",
        "ls -w @N@ -T @N@ -C",
        "csplit f @N@",
        "csplit f 1 '{@N@}'",
        "csplit -n @N@ f 2",
        "printf '@O@' | patch",
        "printf -- '--- a\\n+++ f\\n@@ -@N@,@N@ +@N@,@N@ @@\\n-a\\n' | patch",
        "printf '@N@c@N@\\n< a\\n---\\n> b\\n' | patch f",
        "xargs -n @N@ -s @N@ -P @N@ echo <f",
        'echo "@T@" | xargs echo | wc -c',
        "shuf -i 0-@N@ -n @N@",
        "od -j @N@ -N @N@ -w@N@ f",
        "xxd -s @N@ -l @N@ -c @N@ f",
        "hexdump -e '@N@/@N@ \"%@N@d\"' f",
        "hexdump -e '@O@' f",
        "sort -k@N@.@N@,@N@ f",
        "cut -b@N@-,1-@N@ f",
        'cut -f1- -d, --output-delimiter="@T@" f',
        "join -j @N@ f f",
        "join -o 1.@N@,2.@N@ f f",
        'paste -d "@T@" f f',
        'X="@T@" envsubst <<< "@T@" | wc -c',
        'column -t -s "@T@" f',
        "base64 -w @N@ f",
        "timeout @N@ true",
        "nice -n @N@ true",
        "head -c @N@ f",
        "tail -n @N@ f",
        "head -n -@N@ f",
        "diff -y -W @N@ f d/f",
        "diff -U @N@ f d/f",
        "diff --line-format='%@N@l%c'@O@ f /dev/null",
        "expand -t @N@ f",
        "unexpand -t @N@,@N@ f",
        "fmt -w @N@ -g @N@ f",
        "fold -w @N@ f",
        "pr -w @N@ f",
        "nl -w @N@ -v @N@ -i @N@ f",
        "tar cf - --transform 's/@O@/x/' f | wc -c",
        "awk -f <(echo '@O@')",
        "iconv -f @T@ f",
        'getopt -o "@T@" -- -a',
        "envsubst '@O@' <f",
        "echo '@O@' | tsort",
        "split -b @N@ f",
        "split -n @N@ f",
        "split -l @N@ -a @N@ f",
        "split -n @N@/@N@ f",
        "mktemp @T@XXXX",
        'realpath "@T@"',
        'basename "@T@" "@T@"',
        "chmod @N@ f",
        "kill -l @N@",
        "sleep 0@N@",
        "tput cup @N@ @N@",
        "unzip f",
        "strings -n @N@ f",
        "cmp -i @N@ -n @N@ f d/f",
        "uniq -w @N@ -s @N@ -f @N@ f",
        'tac -s "@T@" f',
        'comm --output-delimiter="@T@" f f',
        "cksum -a @N@ f",
        "du -d @N@ -B @N@ -t @N@",
        "df -B @N@",
        "free -c @N@ -s 0",
        "tree -L @N@",
        "tail -f --pid=@N@ -s 0 f",
    ),
}


# Where a script or a program of a tool has as many parts as it likes.
REPEATED = (
    *(
        "echo @R@",
        "@R@",
        "x=@R@",
        'echo "@R@"',
        "cat <<E\n@R@\nE\n",
        "[[ a == @R@ ]]",
        "[[ a =~ @R@ ]]",
        "case a in @R@) ;; esac",
        "echo $((@R@))",
    ),
    *(
        "x='@R@'; echo ${y//$x} ${x@P} ${x@Q} ${x@E}; [[ $y == $x ]]",
        "eval '@R@'",
        "f() { @R@; }",
        "a=(@R@)",
        "echo $(@R@)",
        "echo `@R@`",
        "((@R@))",
    ),
    *(
        'x=\'@R@\'; [[ a =~ $x ]]; echo $((x)); [[ -v $x ]]; printf "$x"; read -a z <<< "$x"',
        "alias a='@R@'; shopt -s expand_aliases\na\n",
        "GLOBIGNORE='@R@'; echo *",
    ),
    *(
        "awk '@R@' f",
        "awk 'BEGIN{@R@}'",
        "sed '@R@' f",
        "jq -n '@R@'",
        "echo '@R@' | jq -c .",
        "echo '@R@' | bc",
        "grep '@R@' f",
        "grep -E '@R@' f",
        "grep -P '@R@' f",
    ),
    *(
        "grep -F '@R@' f",
        "expr @R@",
        "expr a : '@R@'",
        "test @R@",
        "find d @R@",
        "find d -name '@R@' -o -regex '@R@'",
        "find d -printf '@R@'",
        "printf '@R@' a",
    ),
    *(
        "tr '@R@' x <f",
        "date -d '@R@'",
        "date +'@R@'",
        "sed 's/@R@/x/' f",
        "sed 's/a/@R@/' f",
        "echo '@R@' >p; patch f <p",
        "sort -k '@R@' f",
        "cut -f '@R@' f",
        "stat -c '@R@' f",
    ),
    *(
        "echo '@R@' | xargs echo",
        "hexdump -e '@R@' f",
        "echo '@R@' | tsort",
        "echo '@R@' >p; tar tf p; gzip -t p; unzip p",
        "echo '@R@' >p; grep -f p f; sed -f p f; awk -f p f",
    ),
    *(
        "seq -f '@R@' 3",
        "numfmt --format '@R@' 1",
        "ls --time-style='+@R@' -l",
        "envsubst '@R@' <f",
        "env -S '@R@'",
        "getopt -o '@R@' -- -a",
        "csplit f '@R@'",
        "rg '@R@' f",
        "nl -b 'p@R@' f",
    ),
    *(
        "dirname '@R@'; basename '@R@'; realpath '@R@'; mkdir -p '@R@'",
        "cd '@R@'; echo @R@/*",
        "export x='@R@'; env; declare -p x",
        "basename '@R@' '@R@'",
        "column -t -s '@R@' f",
        "iconv -f '@R@' f",
    ),
)
ENDS = ("", "", "", "a", "'a'", "\\]", "|a", "(b", "]", ")", "}", "'", '"', "$", "\\", "/", ";;", "\n")
CLOSERS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "$(": ")",
    "${": "}",
    "$((": "))",
    "((": "))",
    "\\(": "\\)",
    "${x:-": "}",
    "[[": "]]",
    "{a,": "}",
    "*(": ")",
    "if ": "; then :; fi",
}


def repeated(r: random.Random, size: int) -> str:
    """An opener, or several, as often as the size says, with something before and behind it, closed or not."""
    unit = r.choice((*OPENERS, *string.punctuation)) + r.choice(("", "", "", r.choice(OPENERS), " ", "a", "\n"))
    begin, end, closed = r.choice(ENDS), r.choice(ENDS), r.random() < 0.3
    n = min(REPEATS, 100_000 // len(unit)) * size
    return begin + unit * n + (CLOSERS.get(unit, "") * n if closed else "") + end


def fill(template: str, r: random.Random, size: int) -> str:
    """A template with its holes filled, for one size: the same random choices make the same program of another size."""
    setup = SETUP

    def hole(match: re.Match[str]) -> str:
        nonlocal setup
        kind = match.group(1)
        if kind == "N":
            return r.choice(NUMBERS)
        if kind == "R":
            return repeated(r, size)
        if kind == "T":
            return text(r.choice(("a", "ab", "a ", "\\", "é")), BASE * size)
        if kind == "F":
            setup += r.choice(FILES).format(n=BASE * size, few=BASE * size // 50) + "; "
            return "t"
        if kind == "C":
            return r.choice(string.ascii_letters + string.digits + "!#%&()*+,-./:;<=>?@[]^_{|}~")
        if kind == "P":
            return "".join(r.choices("!#%&*+,-./:<=>?@^|~", k=r.randint(1, 2)))
        o = r.choice(OPENERS)
        if r.random() < 0.3:
            o += r.choice(OPENERS)
        o = o.replace("'", "'\\''") if r.random() < 0.5 else o
        return o * r.choice((30, 1000, 10_000, BASE)) if len(o) * BASE < 200_000 else o * 1000

    filled = re.sub("@([NTOFCPR])@", hole, template)
    return setup + filled


def grows(template: str) -> bool:
    """Whether a size makes a difference to a template."""
    return any(hole in template for hole in ("@R@", "@T@", "@F@"))
