package large

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPieces: whatever the lengths, the result is that of the plain operation.
func TestPieces(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 3*Piece/16+1)
	for _, n := range []int{0, 1, Piece - 1, Piece, Piece + 1, 2*Piece + 1, 3 * Piece} {
		s := text[:n]
		b := []byte(s)
		if String(b) != s || Clone(s, Free) != s {
			t.Errorf("String or Clone of %d bytes", n)
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

// TestExtend: a list keeps its elements and has the room that is asked for, if it is long.
func TestExtend(t *testing.T) {
	for _, n := range []int{0, 1, 8*many - 1, 8 * many, 9*many + 1, 20 * many} {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		got := Extend(slices.Clip(list), 5, Free)
		if !slices.Equal(got, list) || n >= 8*many && cap(got)-len(got) < 5 {
			t.Errorf("%d elements became %d with room for %d", n, len(got), cap(got))
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

// TestPiecesOfCharacters: no piece ends within a character, whatever stands around it.
func TestPiecesOfCharacters(t *testing.T) {
	for _, tail := range []string{"é", "é\x80\x80\x80\x80\x80", "日\x80\x80\x80\x80", "😀\x80", "\x80\x80\x80\x80\x80\x80"} {
		for before := Piece - 2*len(tail); before <= Piece; before++ {
			s := strings.Repeat("a", before) + tail + strings.Repeat("b", 16)
			joined, n := "", 0
			for piece := range Pieces(s, Free) {
				joined += piece
				n += utf8.RuneCountInString(piece)
			}
			if joined != s || n != utf8.RuneCountInString(s) {
				t.Errorf("%q behind %d bytes: %d characters", tail, before, n)
			}
		}
	}
}

// TestIndex: a part is found wherever it lies, across the ends of pieces, too.
func TestIndex(t *testing.T) {
	for _, part := range []string{"", "b", "bcd", strings.Repeat("b", Piece+3)} {
		for _, at := range []int{0, Piece - 2, Piece - 1, Piece, Piece + 1, 2*Piece - 2, 3*Piece + 5} {
			s := strings.Repeat("a", at) + part + strings.Repeat("a", Piece)
			if got := Index(s, part, Free); got != strings.Index(s, part) {
				t.Errorf("%d bytes behind %d: %d", len(part), at, got)
			}
		}
		if got := Index(strings.Repeat("a", 3*Piece), part+"c", Free); got != -1 {
			t.Errorf("%d bytes that are not there: %d", len(part), got)
		}
	}
}

// keeper remembers what it was asked for.
type keeper struct{ now, most int }

func (k *keeper) Charge(int) {}

func (k *keeper) Need(n int) {
	k.now += n
	k.most = max(k.most, k.now)
}

// TestBuilderAsks: a Builder asks for all that it takes, an old buffer beside the new one, and gives the old ones back.
func TestBuilderAsks(t *testing.T) {
	const size = 40 << 20
	var k keeper
	b := Builder{M: &k}
	for b.Len() < size {
		switch b.Len() % 3 {
		case 0:
			_ = b.WriteByte('a')
		case 1:
			_, _ = b.WriteString(strings.Repeat("b", 1000))
		default:
			_, _ = b.Write(make([]byte, 3*Piece+1))
		}
	}
	if k.now < size || k.now > size*3/2 || k.most < size*3/2 || k.most > 5*size/2 {
		t.Errorf("%d MiB are asked for, %d at most", k.now>>20, k.most>>20)
	}
}
