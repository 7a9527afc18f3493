package sed

import (
	"strings"
	"testing"
	"time"
)

// What reads a script takes time in proportion to it, whatever is opened in it: ten times the script takes about ten times as
// long, and what is quadratic a hundred times. The bound leaves room for a busy machine.
func TestParseIsLinear(t *testing.T) {
	for _, head := range []string{"s/", "s/[", "s/\\[", "/", "/[^]", "y/", "s/a/", "a\\\n", "{", ""} {
		for _, unit := range []string{"[", "[:", "[[:", "[.a", "[=]", "[:a:]", "[[:a:]]", "\\", "\\(", "\\{", "\\n", "]", "&", "/", "\n", "{", "}", ";", "p;", "1,", "é", "a"} {
			took := func(n int) time.Duration {
				text := head + strings.Repeat(unit, n) + "\\]]/x/"
				start := time.Now()
				_, _ = parse([]Source{{Text: []byte(text)}}, options{})
				return time.Since(start)
			}
			for left := 9; ; left-- { // what is quadratic is so each time
				one := max(took(2000), 200*time.Microsecond)
				ten := took(20_000)
				if ten <= 50*one {
					break
				}
				if left == 0 {
					t.Errorf("%q: ten times %q takes %.0f times as long: %s", head, unit, float64(ten)/float64(one), ten)
					break
				}
			}
		}
	}
}
