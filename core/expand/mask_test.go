package expand

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// Scripts bash accepts, or refuses only when it gets there, and the parser
// does not.
func TestMaskMakesParsable(t *testing.T) {
	for _, s := range []string{
		"echo ${m[foo bar]}", "echo \"${m[$k x]}\"", "echo $(( $a $op $b ))", "(( $a $op $b ))", "echo $((1+)) $(())", "echo ${x!}",
		"echo ${m[a.b]} ${m[]}", "m[foo bar]=1", "m[a b]+=1", "declare -A m=([foo bar]=1 [b]=2)", "echo $((2 3))",
		"echo $((a ? b : c = 3))", "echo $(( 1 + # c\n 2))", "echo ${m[$(cmd) x y]} $(( $(cmd) $(cmd2) 3 ))",
		"for ((i=0; i $op 3; i++)); do :; done", "cat <<E\n${m[a b]} $((1 2))\nE\n", "cat <<'E'\n$((\nE\necho $((1+))",
		"x=$(case a in a) echo ${m[b c]};; esac); echo $((1+))", "[[ ((a == b)) ]] && echo $((3--5))", "echo `echo ${m[a b]}`",
		"a=(\n # ( comment\n [x y]=1 [z]=$((1 2))\n)", "f() { local m[x y]=3; }", "echo '${x' \"'\" $((1 2))", "echo $'a\\'${' $((1 2))",
	} {
		if _, err := syntax.NewParser().Parse(strings.NewReader(s), ""); err == nil {
			t.Errorf("%q: the parser takes it as it is", s)
		}
		m, ok := Mask(s, nil)
		if !ok || len(m) != len(s) || strings.Count(m, "\n") != strings.Count(s, "\n") {
			t.Errorf("%q: masked %q", s, m)
		}
		if _, err := syntax.NewParser().Parse(strings.NewReader(m), ""); err != nil {
			t.Errorf("%q: masked %q: %v", s, m, err)
		}
	}
}

// What is masked must still be read from the source: commands inside keep
// their nodes.
func TestMaskKeepsCommands(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"declare -A m=([a b]=1 [x y]=2); k=x; echo ${m[a b]} ${m[$k y]} ${m[$(echo x) y]}", "1 2 2\n"},
		{"op=+; echo $(( 1 $op $(echo 2) ))", "3\n"},
		{"declare -A m; m[two words]=7; m[$(echo a) b]+=8; echo \"${m[two words]} ${m[a b]}\"", "7 8\n"},
		{"x=5; (( x $(echo '*=') 3 )); echo $x", "15\n"},
	} {
		sh := newShell()
		if out, err := sh.run(c.script); out != c.want || err != nil {
			t.Errorf("%s: %q %v, want %q", c.script, out, err, c.want)
		}
	}
}
