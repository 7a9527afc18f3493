package shell

import (
	"fmt"
	"strings"
	"testing"

	"eryxsh/core/limit"
)

// impatientHost ends the run when it has been asked often: a script that nobody is asked about holds the test.
type impatientHost struct {
	testHost
	left *int
}

func (h impatientHost) Expired() bool {
	*h.left--
	return *h.left < 0
}

func (h impatientHost) Midway() Midway {
	if *h.left--; *h.left < 0 {
		return OutOfTime
	}
	return GoOn
}

// hostile runs a script with the default limits until it ends or has done a certain work.
func hostile(t *testing.T, script string) outcome {
	t.Helper()
	m := newTestMachine()
	m.Limits = limit.Default()
	left := 3_000
	if err := m.Begin(Start{Script: script, RunID: "r"}); err != nil {
		t.Fatal(err)
	}
	for left >= 0 {
		if out, _ := m.Advance(impatientHost{left: &left}); out == Done {
			break
		}
	}
	if m.Run.Active {
		m.Expire(limit.Timeout)
	}
	got := result(m)
	if strings.Contains(got.stderr, "internal error") || strings.Contains(got.stderr, "parser:") {
		t.Errorf("%.60q: %.200s", script, got.stderr)
	}
	return got
}

// nestings begin something in a script, and closers end it.
var nestings = []struct{ open, body, closing string }{
	{"(", ":", ")"}, {"((", "1", "))"}, {"$(", ":", ")"}, {"\"$(", ":", ")\""}, {"$((", "1", "))"}, {"\"$((", "1", "))\""}, {"$((1+", "1", "))"},
	{"${a:-", "b", "}"}, {"\"${a:-", "b", "}\""}, {"${a/", "b", "}"}, {"${a#", "b", "}"}, {"${a[", "1", "]}"}, {"a[", "1", "]=1"}, {"a[${a[", "1", "]}]=1"},
	{"a=(", "1", ")"}, {"<(", ":", ")"}, {">(", ":", ")"}, {"{ ", ":", "; }"}, {"{", "a,b", "}"}, {"{a,", "b", "}"}, {"if :; then ", ":", "; fi"},
	{"if ", ":", "; then :; fi"}, {"while ", "false", "; do :; done"}, {"while false; do ", ":", "; done"}, {"for i in; do ", ":", "; done"},
	{"for ((;0;)); do ", ":", "; done"}, {"case a in b) ", ":", ";; esac"}, {"select i in; do ", ":", "; done"}, {"f() { ", ":", "; }"}, {"f() ", "{ :; }", ""},
	{"function f { ", ":", "; }"}, {"[[ ! ", "a", " ]]"}, {"[[ ( ", "a", " ) ]]"}, {"! ", ":", ""}, {"time ", ":", ""}, {"coproc ", ":", ""}, {"eval ", ":", ""},
	{": && ", ":", ""}, {": | ", ":", ""}, {"[[ a && ", "a", ""}, {"`", ":", "`"}, {"\\`", "", ""}, {"\"", "a", "\""}, {"'", "a", "'"}, {"$'", "a", "'"},
	{"$[", "1", "]"}, {"cat <<E\n$(", ":", ")\nE\n"}, {"@(", "a", ")"}, {"!(", "a", ")"}, {"if :; then :; elif ", ":", "; fi"}, {"a#", "", ""}, {"a[ ", "", ""},
	{"<<a ", "", ""}, {"(( echo $((f ", "", ""}, {"'(\"$(\"'", "", ""}, {"\\\n", "", ""}, {"a\\\n", "", ""}, {"# \n", "", ""}, {"\n", "", ""}, {"x=1 ", "", ""}, {">a ", "", ""},
	{"let a=", "1", ""}, {"declare a=(", "1", ")"}, {"~", "", ""}, {"$", "", ""}, {"=", "", ""}, {"[", "", ""}, {"]", "", ""}, {"}", "", ""}, {";", "", ""}, {";;", "", ""}, {"&", "", ""}, {"|", "", ""},
	{"$(a[", "", ")"}, {"\"$(a[$(", ":", ""}, {"${a[$(b[", "1", ""}, {"a#", "'", ""}, {"''", "", " '("}, {"[[:", "", "]"}, {"[", "", "\\]"}, {"$'", "", "$"},
}

// TestNesting: whatever nests or repeats in a script, closed or not, ends in an answer or an
// error, never in the host's death, in time that the limits bound.
func TestNesting(t *testing.T) {
	sizes := []int{40}
	if !testing.Short() {
		sizes = append(sizes, 10_000)
	}
	for _, n := range sizes {
		for _, k := range nestings {
			for _, before := range []string{"", "echo "} {
				hostile(t, before+strings.Repeat(k.open, n)+k.body+strings.Repeat(k.closing, n))
				hostile(t, before+strings.Repeat(k.open, n))
			}
		}
	}
}

// runtimeTexts are places where a text made at run time is read: $x is it.
var runtimeTexts = []string{
	`: "${x@P}"`, `[[ -v "c[$x]" ]]`, `printf -v "c[$x]" 1`, `read "c[$x]" <<< 1`, `compgen -W "$x"`, `unset "c[$x]"`, `declare "c[$x]=1"`, `test -v "c[$x]"`,
	`: $((x))`, `let "$x"`, `(( c[$x] ))`, `declare -i i=$x`, `: ${!x}`, `declare -n r="$x"; : $r`, `eval "$x"`, `. /dev/stdin <<< "$x"`, `trap "$x" EXIT`, `alias a="$x"; shopt -s expand_aliases`,
	`[[ a == $x ]]`, `[[ a =~ $x ]]`, `case a in $x) ;; esac`, `: ${y#$x} ${y//$x/z}`, `: $x`, `PS4=$x; set -x; :`, `shopt -s extglob; [[ a == $x ]]; : $x`, `mapfile -t "c" <<< "$x"`,
	`declare -f f; f() { eval "$x"; }; declare -f f`, `complete -F "$x" a`, `printf "$x"`, `echo -e "$x"`, `: "${x@E}" "${x@Q}" "${x@A}"`, `IFS=$x; : $*`, `set -- $x`, `export "$x"`, `history -s "$x"`,
}

// TestNestingAtRunTime: the same where such a text is the value of a variable.
func TestNestingAtRunTime(t *testing.T) {
	if testing.Short() {
		t.Skip("many scripts")
	}
	sizes := []int{40}
	for _, n := range sizes {
		for _, k := range nestings {
			text := strings.Repeat(k.open, n)
			for _, x := range []string{text, text + k.body + strings.Repeat(k.closing, n)} {
				var b strings.Builder
				fmt.Fprintf(&b, "y=aaa; x='%s'\n", strings.ReplaceAll(x, "'", `'\''`))
				for _, use := range runtimeTexts {
					b.WriteString("( " + use + " ) </dev/null >/dev/null 2>&1\n")
				}
				hostile(t, b.String())
			}
		}
	}
}

// TestWithinThemselves: what reads itself when it is expanded ends.
func TestWithinThemselves(t *testing.T) {
	for _, script := range []string{
		`x='${x@P}'; echo "${x@P}"`, `PS4='${PS4@P}'; set -x; :`, `PS4='$(:)${PS4@P}'; set -x; :`, `x='a[x]'; echo $((x))`, `x='x+x'; (( x ))`,
		`declare -n r1='r2[0]' r2='r1[0]'; echo $r1; r1=3; (( r1++ )); unset r1`, `declare -n a=b b=c c=a; a=1; echo $a`,
		`declare -i i; x='a[${i:=$x}]'; (( x ))`, `f() { f; }; f`, `f() { eval f; }; f`,
		`builtin ` + strings.Repeat("builtin ", 1000) + `echo`, `command ` + strings.Repeat("command ", 1000) + `echo`, strings.Repeat("builtin command ", 1000) + "echo",
	} {
		hostile(t, script)
	}
}

// TestMultiplied: what an expansion makes of two texts is asked for before it is made.
func TestMultiplied(t *testing.T) {
	if testing.Short() {
		t.Skip("texts of 10 MB")
	}
	const long = "x=$(printf '%10000000s'); a=({1..20000})\n"
	for _, script := range []string{
		`y=${x// /$x}`, `y=${x//?/$x}`, `y=${x/#/$x}${x/%/$x}`, `y=${x//[ ]/&$x}`, `b=("${a[@]/#/$x}")`, `b=("${a[@]/%/$x}")`, `b=("${a[@]//[0-9]/$x}")`, `b="${a[*]//[0-9]/$x}"`,
		`printf -v y "%s$x" "${a[@]}"`,
	} {
		m := newTestMachine()
		m.Limits = limit.Default()
		m.Limits.Memory = 128 << 20
		if err := m.Begin(Start{Script: long + script, RunID: "r"}); err != nil {
			t.Fatal(err)
		}
		left := 50_000
		for left >= 0 && m.Run.Active {
			m.Advance(impatientHost{left: &left})
		}
	}
}

// Wherever a text is cut off because it nests too deeply, the parser comes to an end.
func TestTooDeepAnywhere(t *testing.T) {
	for _, head := range []string{"(b", "{ b", "b", "a=(b", "b \"", "case b in (b", "[[ b", "((b"} {
		for _, unit := range []string{"${a[\\", "${a[", "$((a[", "\"$(", "`\\`", "$(b ", "<(", "@(", "{ b;", "(b;"} {
			for pad := range len(unit) {
				hostile(t, "alias a="+strings.Repeat("a", pad)+"\n"+head+strings.Repeat(unit, 1200)+"'\n")
			}
		}
	}
}
