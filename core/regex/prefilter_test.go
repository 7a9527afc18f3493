package regex

import (
	"math/rand"
	"strings"
	"testing"
)

// TestPrefilter: looking ahead for where a match may begin finds the lines that
// looking at each byte does.
func TestPrefilter(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	pick := func(from ...string) string { return from[r.Intn(len(from))] }
	var pattern func(depth int) string
	pattern = func(depth int) string {
		switch n := r.Intn(10); {
		case depth > 3 || n < 4:
			return pick("a", "b", "É", "é", "ERROR", "Warn", "[[:upper:]]", "[[:lower:]]", "[[:alpha:]]", "[A-C]", "[0-9]", ".", `\w`, `\b`, `\<`, "[^a]", "1", "22", "^", "$", "-")
		case n < 7:
			return pattern(depth+1) + pattern(depth+1)
		case n < 9:
			return "(" + pattern(depth+1) + "|" + pattern(depth+1) + ")"
		}
		return "(" + pattern(depth+1) + ")" + pick("*", "+", "?", "{2}")
	}
	looked := 0
	for range 400 {
		var b strings.Builder
		for range 300 {
			b.WriteString(pick("ab", "Ab", "É", "é", "ñ", "Ω", "1", "22", " ", "-", "_", "xyxyxyxyxyxyxyxyxyxy", "ERROR", "error", "Warn", "K", "\n", "\xff", "\n"))
		}
		text := []byte(b.String())
		o := Options{Syntax: GrepExtended, Records: true, EOL: '\n', Fold: r.Intn(3) == 0, Words: r.Intn(5) == 0}
		p := pattern(0)
		lines := func(ahead bool) (found []int) {
			re, err := Compile([]byte(p), o)
			if err != nil {
				return nil
			}
			for from := 0; from < len(text); {
				if re.first == nil || re.first.p != re.prog {
					re.first = newDFA(re.prog, false)
					re.first.accel = re.first.accel && ahead
					if re.first.accel {
						looked++
					}
				}
				start, end, _, err := re.FindLine(text, from)
				if err != nil {
					t.Fatal(err)
				}
				if start < 0 {
					break
				}
				found = append(found, start)
				from = end + 1
			}
			return found
		}
		if with, without := lines(true), lines(false); len(with) != len(without) {
			t.Fatalf("%q finds %d lines, %d without looking ahead, in %q", p, len(with), len(without), text)
		}
	}
	if looked < 100 {
		t.Errorf("only %d looked ahead", looked)
	}
}
