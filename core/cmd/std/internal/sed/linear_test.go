package sed

import (
	"fmt"
	"strings"
	"testing"

	"eryxsh/tests/growth"
)

// What reads a script takes time in proportion to it, whatever is opened in it.
func TestParseIsLinear(t *testing.T) {
	for _, head := range []string{"s/", "s/[", "s/\\[", "/", "/[^]", "y/", "s/a/", "a\\\n", "{", ""} {
		for _, unit := range []string{"[", "[:", "[[:", "[.a", "[=]", "[:a:]", "[[:a:]]", "\\", "\\(", "\\{", "\\n", "]", "&", "/", "\n", "{", "}", ";", "p;", "1,", "é", "a"} {
			growth.InProportion(t, fmt.Sprintf("%q and many %q", head, unit), 2000, func(n int) {
				_, _ = parse([]Source{{Text: []byte(head + strings.Repeat(unit, n) + "\\]]/x/")}}, options{})
			})
		}
	}
}
