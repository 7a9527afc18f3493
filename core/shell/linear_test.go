package shell

import (
	"fmt"
	"strings"
	"testing"

	"eryxsh/tests/growth"
)

// Whatever begins, repeats in and ends a script, reading it takes time in proportion, and so does saying what is wrong with it.
func TestScriptsAreReadInProportion(t *testing.T) {
	heads := []string{"", "a=(", "(", "((", "$(", "{ ", "if ", "case x in ", "[[ ", "f() ", "cat <<E\n", "\"", "eval '", "shopt -s extglob\n"}
	units := []string{"\\*\n", "#\n", "a\n", ":;", "\n", "a=1\n", "<<E\n", "((a) )\n", "!(:)\n", "a) b;;\n", "\\\n", "( ", "{ :;}\n", "declare a=(", "time ! :\n", "x|", "&", "b${a[\\", "b${", "b$((", "b\"$(", "b`\\", "<(", "@("}
	tails := []string{"", ";;)", "\n)", "\"'"}
	for _, head := range heads {
		for _, unit := range units {
			for _, tail := range tails {
				growth.InProportion(t, fmt.Sprintf("%q, many %q, %q", head, unit, tail), 300, func(n int) { hostile(t, head+strings.Repeat(unit, n)+tail) })
			}
		}
	}
}
