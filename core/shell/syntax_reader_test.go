package shell

import (
	"strings"
	"testing"

	"eryxsh/core/expand"
)

// TestNoFault reads what scripts consist of as bash reads it: where the parser
// finds no error, there is none.
func TestNoFault(t *testing.T) {
	units, wrong := 0, 0
	for _, name := range []string{"oils", "mvdan", "gbash", "bashkit", "justbash"} {
		for _, c := range loadCorpus(t, name) {
			if c.Status == 2 || c.Status == 127 {
				continue // bash may have found one
			}
			text := expand.EncodeText(c.Script)
			for off, line := 0, 1; off < len(text); {
				u, next, err := nextUnit(nil, text, off, line)
				if err != nil || u == nil {
					break
				}
				units++
				if f := faultIn(nil, u.Text, u.Line, strings.Contains(text, "extglob")); f != nil {
					if wrong++; wrong < 40 {
						t.Errorf("%s: %s\n%s", c.ID, f.Text, u.Text)
					}
				}
				off = next
			}
		}
	}
	t.Logf("%d of %d", wrong, units)
}
