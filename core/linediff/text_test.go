package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// text makes a text of few kinds of lines, so that much of it repeats.
func text(r *rand.Rand, n, kinds int) []byte {
	var b bytes.Buffer
	for range n {
		fmt.Fprintf(&b, "line %d\n", r.IntN(kinds))
	}
	if b.Len() > 0 && r.IntN(4) == 0 {
		b.Truncate(b.Len() - 1)
	}
	return b.Bytes()
}

// edited changes a text in a few places.
func edited(r *rand.Rand, lines [][]byte) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		switch r.IntN(12) {
		case 0:
		case 1:
			fmt.Fprintf(&b, "new %d\n", r.IntN(9))
			b.Write(l)
		case 2:
			fmt.Fprintf(&b, "other %d\n", r.IntN(9))
		default:
			b.Write(l)
		}
	}
	return b.Bytes()
}

// rebuild makes b of a and the changes: the lines between them are a's.
func rebuild(a, b [][]byte, changes []Change) []byte {
	var out []byte
	at := 0
	for _, c := range changes {
		out = append(out, bytes.Join(a[at:c.A0], nil)...)
		out = append(out, bytes.Join(b[c.B0:c.B1], nil)...)
		at = c.A1
	}
	return append(out, bytes.Join(a[at:], nil)...)
}

// Whatever two texts are, the changes lead from the one to the other.
func TestLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		first := text(r, r.IntN(60), 1+r.IntN(20))
		second := edited(r, Split(first))
		if i%5 == 0 {
			second = text(r, r.IntN(60), 1+r.IntN(20))
		}
		a, b := Split(first), Split(second)
		changes := Lines(a, b)
		if got := rebuild(a, b, changes); !bytes.Equal(got, second) {
			t.Fatalf("%q to %q by %v gives %q", first, second, changes, got)
		}
		if bytes.Equal(first, second) && len(changes) > 0 {
			t.Fatalf("%q: %v", first, changes)
		}
	}
}

func TestUnified(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"nothing", "a\n", "a\n", ""},
		{"from nothing", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"newline", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"context", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
	} {
		a, b := Split([]byte(c.a)), Split([]byte(c.b))
		if got := string(AppendUnified(nil, a, b, Lines(a, b), 3)); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

func BenchmarkLinesUnlike(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := Split(text(r, 200_000, 50_000)), Split(text(r, 200_000, 50_000))
	for b.Loop() {
		Lines(x, y)
	}
}
