package fnmatch

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		flags         Flags
		want          bool
	}{
		{"*.txt", "a.txt", 0, true}, {"*.txt", ".txt", 0, true}, {"*.txt", ".txt", Period, false}, {"*", "a/b", 0, true}, {"*", "a/b", Pathname, false},
		{"a*", "a/b", LeadingDir | Pathname, true}, {"a?c", "abc", 0, true}, {"a?c", "aéc", 0, true}, {"[a-c]x", "bx", 0, true}, {"[!a-c]x", "bx", 0, false},
		{"[^a]", "b", 0, true}, {"[]a]", "]", 0, true}, {"[[:digit:]]*", "7z", 0, true}, {"[[:upper:]]", "a", Fold, true}, {"ABC", "abc", Fold, true},
		{`\*`, "*", 0, true}, {`\*`, "a", 0, false}, {"[a", "[a", 0, true}, {"", "", 0, true}, {"", "a", 0, false}, {"a", "", 0, false}, {"**a**b*", "xxaxxb", 0, true},
		{"[z-a]", "m", 0, false}, {`[\]]`, "]", 0, true}, {"é", "é", 0, true}, {"\xff", "\xff", 0, true}, {"?", "\xff", 0, true}, {`a\`, "a", 0, false},
	} {
		if got := Match(c.pattern, c.name, c.flags); got != c.want {
			t.Errorf("Match(%q, %q, %d) = %v", c.pattern, c.name, c.flags, got)
		}
	}
}

// A pattern of many stars must not take more than a product of the lengths.
func TestStars(t *testing.T) {
	if Match(strings.Repeat("a*", 2000)+"b", strings.Repeat("a", 4000), 0) {
		t.Error("matched")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("[a-z]*", "abc", uint8(0))
	f.Fuzz(func(t *testing.T, pattern, name string, flags uint8) {
		Match(pattern, name, Flags(flags&15)) // must not panic or hang
	})
}
