package large

import (
	"bytes"
	"strings"
	"testing"
)

// TestPieces: whatever the lengths, the result is that of the plain operation.
func TestPieces(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 3*Piece/16+1)
	for _, n := range []int{0, 1, Piece - 1, Piece, Piece + 1, 2*Piece + 1, 3 * Piece} {
		s := text[:n]
		b := []byte(s)
		if String(b) != s || Clone(s) != s || Concat(s, s[:n/2]) != s+s[:n/2] {
			t.Errorf("String, Clone or Concat of %d bytes", n)
		}
		for _, m := range []int{0, 1, Piece, Piece + 1} {
			want := append(bytes.Clone(b), text[:m]...)
			if got := Append(bytes.Clone(b), text[:m]); !bytes.Equal(got, want) {
				t.Errorf("Append of %d to %d bytes", m, n)
			}
			if got := Grow(b, m); !bytes.Equal(got, b) || cap(got)-len(got) < m {
				t.Errorf("Grow of %d bytes by %d has %d and room for %d", n, m, len(got), cap(got)-len(got))
			}
		}
	}
}

// TestLinear: appending moves each byte a bounded number of times.
func TestLinear(t *testing.T) {
	var b []byte
	moved, last := 0, 0
	for range 64 << 10 {
		b = Append(b, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
		if cap(b) != last {
			moved, last = moved+len(b), cap(b)
		}
	}
	if moved > 8*len(b) {
		t.Errorf("%d bytes were moved for %d", moved, len(b))
	}
}

// TestAhead: a buffer that grows by small pieces has what was put into it, and
// nothing is left to copy when it is full.
func TestAhead(t *testing.T) {
	var a Ahead
	var b []byte
	for i := range 5 * Piece / 1000 {
		left := len(b) - len(a.next)
		was := cap(b)
		b = a.Room(b, 1000)
		if cap(b) != was && was > 4*Piece && left > 4000 {
			t.Fatalf("%d bytes were left to copy at %d", left, len(b))
		}
		for range 1000 {
			b = append(b, byte(i))
		}
	}
	for i := range b {
		if b[i] != byte(i/1000) {
			t.Fatalf("byte %d is %d", i, b[i])
		}
	}
	a.Forget()
	if got := a.Room(b, cap(b)); !bytes.Equal(got, b) {
		t.Error("another buffer than was given")
	}
}
