package scriptgen

import (
	"fmt"
	"strconv"
	"strings"
)

// statements is a script, statement by statement.
func (g *generator) statements() []string {
	if g.oneIn(2) {
		g.theme = theme(g.r.Intn(int(themes)))
	}
	out := g.setting()
	for range 2 + g.r.Intn(6) {
		out = append(out, g.command(2))
	}
	out = append(out, `echo "end $? $*"`)
	return append(out, g.pick("declare -p x y z n e a b m r u 2>&1", "declare -p x a m 2>&1; echo $-", "set +x; trap -p; declare -p a n", "declare -p a b y z 2>/dev/null; shopt -o errexit nounset"))
}

func (g *generator) value() string {
	return g.pick("a", "'b c'", "' a  b '", "'a:b'", "':a::b:'", "'a*b'", "'[ab]'", `'\a\\b'`, "abcabc", "'aébü'", "5", "-3", "007", "'1 + 2'", "'a&b'", `'"q"'`, `"it's"`, "$'\\t\\n a'", "hello.tar.gz", "/usr/lib/x", "n", "1", "'a[1]'", "'*'", "'~'", "'{a,b}'", "'$x'", "''", "'\\'", "-n", "'x y z'", "ab", "'A b'", "x", "$'a\\nb'", "'a\\tb'", "'?'")
}

// setting is what comes before a script's commands.
func (g *generator) setting() (out []string) {
	add := func(s string) { out = append(out, s) }
	for _, v := range []string{"x", "y", "z"} {
		if g.r.Intn(4) > 0 {
			add(v + "=" + g.value())
		}
	}
	add("n=" + g.pick("3", "1", "0", "2", "-1", "x", "'1+1'", "010"))
	if g.oneIn(3) {
		add("e=")
	}
	list := func() string { return g.many(0, 4, " ", g.value) }
	if g.oneIn(2) {
		add("a=(" + list() + ")")
	}
	if g.oneIn(4) {
		add("b=(" + list() + " [5]=five)")
	}
	if g.oneIn(3) {
		add("declare -A m=([k]=" + g.value() + " [j]='x y' ['k k']=3)")
	}
	if g.oneIn(3) {
		add("set -- " + list())
	}
	if g.oneIn(3) {
		add(g.pick("p=x q='a[1]'", "p=a q='m[k]'", "declare -n r=x; p=r", "declare -n r=a; p=y", "p='a[@]' q=u", "declare -n r='a[1]'", "s='a[*]'", "s=1 p='@'", "p=nosuch q='x y'"))
	}
	if g.oneIn(4) || g.theme == splitting {
		add("IFS=" + g.pick(":", "''", "' :'", "b", "': '", "'*'", "' '", "-", "$'\\n'", "é", "'ab'", "$' \\t\\n:'", "\\\\", "'\"'", "1", "$'\\001'"))
	}
	if g.oneIn(5) || g.theme == failing {
		add(g.pick("set -e", "set -u", "set -o pipefail", "set -eu", "set -eo pipefail", "shopt -s lastpipe", "set -f", "shopt -s nullglob", "shopt -s extglob", "set -E", "set -eE", "set -o posix", "shopt -s inherit_errexit; set -e", "set -T", "shopt -s failglob", "shopt -s globstar", "shopt -s dotglob", "shopt -s nocasematch", "set -a", "set -k", "set +B", "set -C", "shopt -s nocaseglob", "shopt -s xpg_echo", "shopt -s localvar_inherit", "shopt -s localvar_unset", "shopt -u patsub_replacement", "shopt -s assoc_expand_once"))
	}
	if g.oneIn(8) || g.theme == failing {
		add(g.pick("trap 'echo exit $?' EXIT", "trap 'echo err $? $LINENO' ERR", "trap 'echo ret $?' RETURN", "set -E; trap 'echo err $?' ERR", "trap 'echo dbg $LINENO' DEBUG", "trap 'echo \"d $BASH_COMMAND\"' DEBUG", "set -T; trap 'echo ret' RETURN", "trap 'echo x; false' EXIT", "trap 'echo $BASH_COMMAND $?' ERR", "trap 'echo usr; return 5 2>/dev/null' USR1", "trap '' ERR; trap 'exit 3' EXIT"))
	}
	if g.theme == globbing {
		add("mkdir -p d/e D; : >a >b >B >.h >foo.txt >'x y' >d/f >d/.g >d/e/f >'a*' >ab; ln -s d l")
	}
	if g.theme == tracing || g.oneIn(25) {
		add(g.pick("set -x", "set -x", "set -x", "PS4='+$LINENO '; set -x", "set -v"))
	}
	return out
}

func (g *generator) assignment() string {
	return g.pick("x", "y", "z", "x", "n", "e", "a[1]", "a[n]", "m[k]", "a[-1]", "a[0]", "b", "a", "r", "m[$x]", "m[k k]", "u[2]", "a[x]", "a[]", "m[]", "s") + g.pick("=", "=", "=", "+=") + g.pick("", g.word(), g.word(), g.value())
}

func (g *generator) list() string {
	return "(" + g.many(0, 4, " ", func() string {
		if g.oneIn(4) {
			return "[" + g.pick("0", "1", "n", "3", "k", "-1", "$x", "\"k k\"", "a", "n+1", "'x'", "@", "") + "]" + g.pick("=", "=", "+=") + g.word()
		}
		return g.word()
	}) + ")"
}

func (g *generator) declaration() string {
	word := g.pick("declare", "declare", "typeset", "local", "export", "readonly", "declare", "local")
	flags := ""
	if g.r.Intn(3) > 0 {
		flags = " " + g.pick("-a", "-A", "-i", "-l", "-u", "-r", "-x", "-n", "-g", "-p", "+x", "+i", "-ai", "-Ai", "+a", "-xi", "-f", "-F", "-I", "-gx", "-c", "+n", "-t", "-il", "-lu", "-ga", "+r", "-pa", "-pi", "-pA", "-n +x", "-z", "--", "-Aa", "+A", "-px", "-pn", "-fp")
	}
	return word + flags + g.many(1, 2, "", func() string {
		name := g.pick("x", "y", "z", "a", "m", "n", "v", "w", "r", "b")
		switch g.r.Intn(7) {
		case 0, 1:
			return " " + name
		case 2:
			return " " + name + g.pick("=", "+=") + g.list()
		case 3:
			return " " + g.pick("a[1]", "v[0]", "m[k]", "w[n]", "a[@]", "1x", "x-y", "a[", "", "-n", "v[1]", "'v w'", "r[0]") + "=" + g.plain()
		case 4:
			return " " + g.pick("\"x=$y\"", "$x=1", "x=1 y=$x", "'a=(1 2)'", "\"a=($x b)\"", "'m=([k]=1)'", "v=~", "v={a,b}", "v=$x", "v=\"$@\"", "v=$*")
		}
		return " " + name + g.pick("=", "=", "+=") + g.pick(g.word(), g.value(), "5", "n+1", "x")
	}) + g.pick("", "", "", "; declare -p v w x 2>&1", " 2>/dev/null")
}

func (g *generator) redirect() string {
	switch g.r.Intn(4) {
	case 0:
		return g.pick("> out", ">> out", "2>&1", ">&2", "< out", "2> err", "&> out", "&>> out", ">| out", "> out 2>&1", "2>&1 > out", "<> out", ">&out", "3>&1", "3> out", "3>&1 >&2 2>&3", "2>&-", ">&-", "<&-", "< nosuch", "> d/nosuch/x", "{fd}> out", "{fd}>&1", "3<&0", "10> out", "1<> out", ">& 2", "3>&1-", "4>&3", "2>/dev/null", "> $x", "> \"$x\"", "> $u", "> {a,b}", "> *", "<&$n", ">&\"$x\"", "> ''", "2>&1-", ">&3", "<&3", "3>&2 2>&1", "0<out", "{x}>&-", "{a[1]}> out", "> out > out2", "> out >> out")
	case 1:
		return "<<< " + g.word()
	}
	return g.pick("> out", "2>&1", "2>/dev/null", ">> out", "2> err", "> out 2>&1")
}

func (g *generator) heredoc() string {
	return g.pick("cat", "read x y", "cat -", "while read -r l; do echo \"[$l]\"; done", "mapfile -t b", "cat <&3 3", "read -r x", "{ read x; cat; }") + g.pick("<<", "<<", "<<-") + g.pick("E", "'E'", "\"E\"", "\\E") + g.pick("", "", " | cat", " > out") + "\n" + g.many(0, 3, "\n", func() string {
		return g.many(1, 3, "", func() string {
			if g.oneIn(2) {
				return g.pick("doc $x", "$(echo in)", "a\\$b `echo t`", "\ttab", "\\", "a\\\nb", "\"q\"", "'s $y'", "$", "\\\\", "${u-d}", "~ *", "\\a", "é", "E ", "`echo \\$x`", "$'a'", "\\\"")
			}
			return g.parameter(true)
		})
	}) + "\nE"
}

func (g *generator) builtin() string {
	switch g.r.Intn(13) {
	case 0, 1:
		return "printf " + g.pick("'<%s>\\n' ", "'%d|' ", "'%5s|%-5s|\\n' ", "%q\\\\n ", "'%b\\n' ", "'%c%c\\n' ", "'%x %o %X\\n' ", "'%.2f\\n' ", "'%05d\\n' ", "'%*d\\n' ", "-v y '%s' ", "-v 'a[1]' %d ", "'%s %%\\n' ", "'%.2s|\\n' ", "'%i %u\\n' ", "'%z\\n' ", "'%' ", "'%+d % d\\n' ", "'%e %g\\n' ", "'\\x41\\u00e9\\101\\n' ", "'%#x %#o\\n' ", "-- '%s\\n' ", "-v ", "'%Q\\n' ", "'%.3q\\n' ", "'%(%Y)T\\n' 0 ", "'%s' ", "'\\c%s' ", "'%b' 'a\\cb' ", "'a\\' ", "'%-*s|\\n' ", "'%.*s|\\n' ", "'%ld %hhd\\n' ", "'%5c|' ", "'%n' ") + g.many(0, 3, " ", func() string {
			return g.pick("\\'a", "0x1f", "010", "1.5", "abc", "-7", "'a b'", "$x", "\"$x\"", "''", "5", "'\\t'", "3x", "' 4'", "é", "\"'é\"", "99999999999999999999", "'a\\0b'", "+3", "1e2", "''")
		})
	case 2, 3:
		return "read " + g.pick("x", "-r x", "x y", "-a b", "-r x y z", "", "-d : x", "-n 2 x", "-N 3 x", "-rn 1 x", "-u 0 x", "-t 1 x", "-p p x", "-d '' x", "-s x", "a[1]", "1x", "-n", "-ra b", "-u 9 x", "m[k]", "-n 0 x", "x 2y", "-e x", "-i q x", "-d é x", "-r -a a", "n", "x x", "-q", "-t 0 x", "-n x y", "-d :") + " <<< " + g.pick("'a b c'", "' a  b '", "'a:b:c'", "'a\\ b c\\\\'", "$'x\\ty'", "\"$x\"", "''", "'é à'", "$'a\\nb'", "'\\'", "':a::b:'", "'  '", "'a\\tb'") + "; echo \"$? <$x> <$y> <$z> $REPLY\""
	case 4:
		return g.pick("mapfile", "mapfile -t", "readarray -t", "mapfile -n 1", "mapfile -s 1 -t", "mapfile -O 2 -t", "mapfile -d : -t", "mapfile -C 'echo cb' -c 1", "mapfile -tn2", "mapfile -O x", "mapfile -d ''") + g.pick("", " a", " b", " x", " m", " 1x", " n") + " <<< " + g.pick("$'a\\nb\\nc'", "a:b:c", "\"$x\"", "''") + "; echo $?"
	case 5:
		return g.pick("test", "[", "[", "[[", "[[") + "\x00" + " " + g.pick("-n ", "-z ", "! ", "-f ", "-d ", "-e ", "-v ", "-o ", "-R ", "-t ", "", "! -n ", "-a ", "( ") + g.plain() + g.pick("", "", " = a", " == a*", " != b", " -eq 1", " -lt n", " < b", " \\< b", " -a b", " -o ''", " )", " -ef a", " =~ a", " -nt a", " = ", " -gt 08", " && b", " || -n $x", " == @(a|b)", " =~ ^[a-z]+$", " -a ( b )", " -ge 1x", " > b", " a b", " = a b", " -eq ''")
	case 6:
		return "OPTIND=1; while getopts " + g.pick("ab:", ":ab:", "a", ":", "''", "a:b") + " o " + g.pick("-a -b v w", "-ab", "-abv", "-z", "-b", "-- -a", "a -a", "-a- b", "\"$@\"", "", "-:", "-b -- -a") + "; do echo \"$o $OPTARG $OPTIND\"; done; echo $? $OPTIND"
	case 7:
		return "echo " + g.pick("-n", "-e", "-ne", "-E", "-nx", "--", "-", "-en", "-n -e", "-nE") + " " + g.pick("'a\\tb'", "'\\x41\\0101\\u00e9'", "'a\\c b'", "$x", "'\\\\'", "'\\q'", "'a\\nb'", "\"$@\"", "'\\e'", "'\\1'", "'\\0'")
	case 8:
		return g.pick("shift", "shift 2", "shift 9", "shift x", "shift -1", "shift 1 2", "shift 0", "set --", "set -", "set -- -e", "set a b", "set +x -- y", "set -o nosuch", "set -Z", "set -- \"$@\" z", "set $x", "set -e +e", "shopt nosuch", "shopt -q extglob; echo $?", "shopt -p extglob dotglob", "set -o | head -3", "shopt -so errexit; echo $-; set +e", "shopt -u extglob", "shopt -s extglob", "set +o | grep glob")
	case 9:
		return g.pick("unset x", "unset 'a[0]'", "unset a", "unset -v y", "unset -f f0", "unset -n r", "unset 'm[k]'", "unset 'a[-1]'", "unset 'a[@]'", "unset r", "unset 1x", "unset -x", "unset 'a[9]'", "unset nosuch", "unset 'x[0]'", "unset 'x[1]'", "unset 'm[@]'", "unset -fv x", "unset", "unset -v 'a[n]'", "unset x y z", "unset 'a[-9]'", "unset 'r[0]'", "unset '' ")
	case 10:
		return g.pick("eval 'echo $x'", "eval echo '$y'", "eval \"x=$z\"", "eval ''", "eval 'false'", "eval 'if'", "eval 'echo a; return 3'", "eval '(exit 4)'", "eval -- 'echo b'", "eval -x", "eval 'echo $LINENO", "echo 'x=sourced; echo $# $1; return 5' > lib; . ./lib A", "echo 'echo \"$@\"' > lib; source lib", "echo 'false' > lib; . ./lib", ". nosuch", ". ", "eval 'echo \"$@\"'", "eval \"$x\"", "command eval 'echo c'", "builtin eval 'echo d'", "eval 'f() { echo new; }; f'", "eval $'echo a\\nfalse\\necho $?'", "let n+=1", "let 'n = 3' 'x = n * 2'; echo $?", "let 0; echo $?", "let", "let 1+", "let n++ n--", "let 'a[1]=3'", "let \"n = 1 / 0\"")
	case 11:
		return g.pick("type f0", "type -t echo f0 if nosuch x", "command -v echo cat if f0 nosuch", "command -V f0 2>&1", "type cd", "type -a echo | head -1", "declare -F", "declare -f f0", "alias", "alias k='echo al'", "unalias k", "unalias -a", "alias k", "hash", "umask", "umask 077; umask; umask -S", "umask u=rwx,g=; umask", "umask 9", "umask -p", "pwd | sed 's/.*/dir/'", "cd d && cd - > /dev/null; echo ${PWD##*/}", "cd nosuch", "cd a b", "cd ''", "pushd d > /dev/null; dirs -v | tail -1; popd", "dirs", "popd", "kill -l 9", "kill -l HUP 15 130", "kill", "kill -0 x", "kill -USR1 $$", "wait", "wait 1", "jobs", "times > /dev/null", "exec 3>&1; echo x >&3; exec 3>&-", "exec > out; echo y; exec 1>&2", "exec nosuch; echo $?", "(exec echo in)", "builtin echo b", "builtin nosuch", "command nosuch", "command -x", "enable -n echo; enable echo", "enable nosuch", "help nosuch", "caller", "caller 0", "bind 2>/dev/null", "history", "fg", "disown", "suspend", "logout", "ulimit -Z", "true x", "false --help", ": ${x:=d}", "let x=1", "trap", "trap - EXIT", "trap 'echo hup' HUP; kill -HUP $$", "trap x nosuch", "trap -l | head -1", "trap '' USR2", "trap -p EXIT", "trap -- 'echo a' EXIT", "trap 2", "exit 3 4", "exit x", "return", "break", "continue 2", "for i in 1; do break 1 2; done", "local x", "exit", "return 300 2>/dev/null; echo $?")
	}
	return g.pick("select x in a b; do echo \"$x $REPLY\"; break; done <<< ", "select x; do echo \"<$x>\"; done <<< ", "select x in $y; do echo $x; [ \"$x\" ] && break; done <<< ") + g.pick("1", "2", "9", "''", "$'\\n1'", "x", "$'3\\n2'")
}

func (g *generator) simple() string {
	n := g.r.Intn(24)
	switch g.theme {
	case builtin1:
		n += 8
	case arithmetic:
		if n < 6 {
			return g.pick("echo "+g.arithWord(), "(("+g.arith(3)+")); echo $? $n", "let \""+strings.ReplaceAll(g.arith(2), "\"", "")+"\"", "echo $(("+g.arith(3)+"))", "a["+g.arith(1)+"]=v", "echo ${a["+g.arith(1)+"]}", "echo ${x:"+g.arith(1)+"}", "[[ "+strings.NewReplacer(" ", "", "<", "-", ">", "-", "&", "+", "|", "-", "(", "", ")", "").Replace(g.arith(1))+" -lt 3 ]]; echo $?", "declare -i v="+strings.NewReplacer(" ", "", "<", "-", ">", "-", "&", "+", "|", "-", "(", "", ")", "").Replace(g.arith(1))+"; echo $v")
		}
	case arrays:
		if n < 8 {
			return g.choose(g.declaration, func() string { return g.pick("a", "b", "m", "x") + g.pick("=", "+=") + g.list() })
		}
	case redirections:
		if n < 8 {
			return g.choose(g.heredoc, func() string { return "echo " + g.words() + " " + g.many(1, 3, " ", g.redirect) }, func() string {
				return g.pick("exec ", "exec ", "", "{ echo a; echo b >&2; } ", "( echo c; echo d >&2 ) ", "cat ", "f0 ", "x=1 ", "eval 'echo e' ", "nosuch ", "printf '%s\\n' a b ") + g.redirect()
			})
		}
	}
	switch {
	case n < 5:
		return "echo " + g.words()
	case n < 7:
		return "printf '<%s>' " + g.words() + "; echo"
	case n < 10:
		return g.many(1, 2, " ", g.assignment)
	case n == 10:
		return g.pick("a", "b", "a", "m") + g.pick("=", "+=") + g.list()
	case n == 11:
		return "set -- " + g.words()
	case n == 12:
		return g.pick("true", "false", "(exit 3)", ":", "test -n \"$x\"", "[ \"$x\" = a ]", "[[ $x == a* ]]", "((n<3))", "let n+=1", "nosuch", "! true", "! false", "[[ -z $u && $x ]]", "((0))", "echo $_", ": a b; echo $_")
	case n == 13:
		if g.loops > 0 {
			return g.pick("break", "continue", "break 2", "continue 2")
		}
		return g.declaration()
	case n == 14:
		if g.inFn {
			return g.pick("return", "return 2", "return $?", "local x=$y", "local y", "echo ${FUNCNAME[*]} $#", "local a=(1 2)", "local -n r=x; r=ref", "unset x", "local x; unset x; echo ${x-unset}", "declare -g x=glob", "local -", "shift", "return 256", "return x", "local x=1; local x; echo $x", "set -- in fn", "echo ${BASH_LINENO[*]} $LINENO", "local IFS=:", "local -p", "local -a x", "local -i n=n+1", "local x=$1 y=$2", "local e=$(false); echo $?", "trap 'echo fret' RETURN", "exit 4", "local -I x; echo $x", "local m; echo ${m[k]}")
		}
		return g.declaration()
	case n == 15:
		if g.funcs > 0 {
			return g.pick("", "x=t ", "y=u z=v ", "x+=t ", "IFS=: ", "n=9 ") + "f" + strconv.Itoa(g.r.Intn(g.funcs)) + " " + g.words()
		}
		return g.builtin0()
	case n == 16:
		return g.assignment() + " " + g.pick("eval 'echo $x $y'", "printenv x", "bash -c 'echo $x-$y'", "true", "export x", "echo $x", ":", "read y <<< q", "unset x", "declare -p x", "local x", "nosuch", "command eval 'echo $x'", "readonly q", "env | grep -c '^x='", "set -- a", ". /dev/null", "exit 2", "return 2")
	case n == 17:
		return "echo " + g.words() + " " + g.redirect()
	case n == 18:
		return g.heredoc()
	case n == 19:
		return "echo " + g.word() + g.pick(" || echo no", " && echo yes", "; echo $?", "; echo ${PIPESTATUS[@]}", " | cat; echo ${PIPESTATUS[*]}", " | { read v; echo \"v=$v\"; }", " | tr a-z A-Z", " | wc -c", " | (exit 3) | true; echo ${PIPESTATUS[*]}", " | while read x y; do echo \"$y,$x\"; done; echo $x")
	case n == 20:
		return g.declaration()
	}
	return g.builtin0()
}

// builtin0 is a builtin's command line, with the bracket closed.
func (g *generator) builtin0() string {
	s := g.builtin()
	word, rest, ok := strings.Cut(s, "\x00")
	if !ok {
		return s
	}
	switch word {
	case "[":
		rest += " ]"
	case "[[":
		rest += " ]]"
	}
	return word + rest + "; echo $?"
}

func (g *generator) command(depth int) string {
	if depth <= 0 || g.r.Intn(5) < 3 {
		return g.simple()
	}
	body := func() string {
		s := g.command(depth - 1)
		if g.oneIn(3) {
			s += "\n" + g.command(depth-1)
		}
		return s + "\n"
	}
	loop := func() string {
		g.loops++
		defer func() { g.loops-- }()
		return body()
	}
	switch g.r.Intn(18) {
	case 0:
		return "if " + body() + "then " + body() + g.pick("", "else echo else\n", "elif true; then echo elif\n") + "fi"
	case 1:
		return "for " + g.pick("x", "y", "i", "n", "r", "a", "1x") + g.pick(" in "+g.words(), "", " in 1 2 3", " in") + "; do " + loop() + "done"
	case 2:
		return "k=0; " + g.pick("while ((k++<3))", "until [ $((++k)) -gt 3 ]", "while let 'k++<2'") + "; do " + loop() + "done"
	case 3:
		return "for ((i=0;i<" + g.pick("3", "2", "1/0", "x") + "&&i<5;i++)); do " + loop() + "done"
	case 4:
		return "case " + g.word() + " in " + g.pick("a*)", "(a|b)", g.pattern()+")") + " " + body() + g.pick(";;", ";&", ";;&") + "\n" + g.pick("?", "b|d*", "[0-9]", "''", "$x", "\"$x\"", "\\*", "@(a|b)*") + ") " + body() + ";;\n*) " + body() + "esac"
	case 5:
		return "( " + body() + ")" + g.pick("", " | cat", "; echo $?", " && echo ok")
	case 6:
		return "{ " + body() + "}" + g.pick("", " "+g.redirect(), " | cat", " 2>/dev/null", " || echo failed", " > out; cat out")
	case 7:
		return g.simple() + "\n" + g.simple() + g.pick(" && ", " || ") + g.simple()
	case 8:
		return "! " + g.pick("true", "false", "{ "+body()+"}", "( "+body()+")")
	case 9:
		return g.variable() + "=$(" + body() + ")"
	case 10, 11, 12:
		loops, in := g.loops, g.inFn
		g.loops, g.inFn = 0, true
		b := body()
		g.loops, g.inFn = loops, in
		s := fmt.Sprintf("f%d()"+g.pick(" {\n%s}", " (\n%s)", " {\n%s} 2>&1"), g.funcs, b)
		g.funcs++
		return s + fmt.Sprintf("\nf%d %s", g.funcs-1, g.words())
	case 13:
		return "[[ " + g.word() + g.pick(" == ", " != ", " < ", " =~ ", " -eq ", " = ", " > ", " -ne ") + g.pick("a*", "$x", "\"$y\"", "1", "b", g.pattern(), "(a)(b)?", "^.*$", "'a*'", "a|b", "$n") + " ]]" + g.pick("", "; echo $? \"${BASH_REMATCH[@]}\"", " && echo t || echo f")
	case 14:
		return "while read " + g.pick("-r l", "l", "x y", "-a b", "-d : x") + "; do " + loop() + "done <<< " + g.pick("\"a b\"", "\"$x\"", "$'1\\n2'", "'a:b:'")
	case 15:
		return "echo " + g.words() + g.pick(" | ", " |& ") + "while read x; do echo \"r $x\"; done"
	case 16:
		return g.pick("time ", "", "{ sleep 0.01; echo bg; } & wait $!; echo $?; ", "echo <(:) | sed 's/[0-9]*$/N/'; cat <(echo ps); ") + "true 2>/dev/null"
	}
	return "(( " + g.arith(2) + " )) " + g.pick("&& echo yes", "|| echo no", "; echo $?")
}

// mutated takes a token out of a script, doubles it or puts one in, so that
// it is likely to be wrong.
func (g *generator) mutated(script string) string {
	tokens := []string{";", "&", "&&", "||", "|", "(", ")", "{", "}", "do", "done", "if", "then", "fi", "else", "elif", "case", "esac", "in", ";;", "\n", "'", "\"", "`", "$(", "${", "}", "))", "((", "[[", "]]", "<", ">", "<<", "<<E", "for", "while", "!", "function", "time", "\\", "$((", "<(", "&>", ";&", "|&", "x=(", "f()", "coproc", "until", "select", "=", "#"}
	for range 1 + g.r.Intn(2) {
		cut := g.r.Intn(len(script))
		if at := strings.LastIndexAny(script[:cut], " \n"); at > 0 {
			cut = at
		}
		switch g.r.Intn(3) {
		case 0:
			if to := strings.IndexAny(script[cut+1:], " \n;)"); to >= 0 {
				script = script[:cut] + script[cut+1+to:]
			}
		default:
			script = script[:cut] + " " + g.pick(tokens...) + script[cut:]
		}
		if script == "" {
			script = ";"
		}
	}
	return script
}
