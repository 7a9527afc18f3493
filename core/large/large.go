// Package large moves much memory in pieces. One copy of hundreds of megabytes
// cannot be interrupted: while it lasts, a collection that wants to begin stops
// the other threads, too.
package large

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// Piece is how many bytes are copied at a time: well below 1 ms, even where all of its pages are new.
const Piece = 128 << 10

// Append is append(b, s...).
func Append[T string | []byte](b []byte, s T) []byte {
	if len(b)+len(s) <= Piece {
		return append(b, s...)
	}
	return appendMuch(b, s)
}

func appendMuch[T string | []byte](b []byte, s T) []byte { return Push(Grow(b, len(s)), s, Free) }

// Free is a Meter for who need not be able to stop.
const Free = free(0)

type free int

func (free) Charge(int) {}

// Or is m, or Free if there is none.
func Or(m Meter) Meter {
	if m == nil {
		return Free
	}
	return m
}

// pieceUnits is what copying a piece is charged for.
const pieceUnits = Piece >> 8

// Push is append(b, s...), with m charged meanwhile.
func Push[T string | []byte](b []byte, s T, m Meter) []byte {
	if len(b)+len(s) <= Piece {
		return append(b, s...)
	}
	b = Room(b, len(s), m)
	for len(s) > Piece {
		b = append(b, s[:Piece]...)
		s = s[Piece:]
		m.Charge(pieceUnits)
	}
	return append(b, s...)
}

// Grow gives b with room for n more bytes. It takes twice as much memory each
// time, so that appending stays linear.
func Grow(b []byte, n int) []byte { return Room(b, n, Free) }

// Room is Grow, with m charged meanwhile.
func Room(b []byte, n int, m Meter) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	grown := make([]byte, 0, max(len(b)+n, 2*len(b)))
	for len(b) > Piece {
		grown = append(grown, b[:Piece]...)
		b = b[Piece:]
		m.Charge(pieceUnits)
	}
	return append(grown, b...)
}

// String is string(b).
func String(b []byte) string { return Text(b, Free) }

// Text is string(b), with m charged meanwhile.
func Text(b []byte, m Meter) string {
	if len(b) <= Piece {
		return string(b)
	}
	var s strings.Builder
	s.Grow(len(b))
	add(&s, b, m)
	return s.String()
}

// Write appends s to a Builder that has room for it, with m charged meanwhile.
func Write(b *strings.Builder, s string, m Meter) {
	for len(s) > Piece {
		b.WriteString(s[:Piece])
		s = s[Piece:]
		m.Charge(pieceUnits)
	}
	b.WriteString(s)
}

// Clone is strings.Clone(s), with m charged meanwhile.
func Clone(s string, m Meter) string {
	if len(s) <= Piece {
		return strings.Clone(s)
	}
	return Join([]string{s}, "", m)
}

// Runes is utf8.RuneCountInString, with m charged meanwhile.
func Runes(s string, m Meter) int {
	n := 0
	for piece := range Pieces(s, m) {
		n += utf8.RuneCountInString(piece)
	}
	return n
}

// Index is strings.Index, with m charged meanwhile.
func Index(s, part string, m Meter) int {
	at, window := 0, max(Piece, 2*len(part))
	for ; len(s)-at > window; at += window - len(part) + 1 {
		if i := strings.Index(s[at:at+window], part); i >= 0 {
			return at + i
		}
		m.Charge(window >> 8)
	}
	if i := strings.Index(s[at:], part); i >= 0 {
		return at + i
	}
	return -1
}

// Meter hears of work, in units of about 100 ns, and may panic to end it.
type Meter interface {
	// Charge says that n units are to be done.
	Charge(n int)
}

// Pieces gives s in pieces, cut between characters. m, which may be nil if s is
// no longer than a piece, is charged before each of several.
func Pieces(s string, m Meter) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(s) > Piece {
			n := Piece
			for n > Piece-utf8.UTFMax && !utf8.RuneStart(s[n]) {
				n--
			}
			if !utf8.RuneStart(s[n]) { // no character is that long
				n = Piece
			}
			if m != nil {
				m.Charge(n >> 5)
			}
			if !yield(s[:n]) {
				return
			}
			s = s[n:]
		}
		yield(s)
	}
}

// many is how many strings are worth charging for.
const many = 1 << 10

// Join is strings.Join(list, sep), with m charged meanwhile.
func Join(list []string, sep string, m Meter) string {
	n := len(sep) * max(len(list)-1, 0)
	for _, s := range list {
		n += len(s)
	}
	if len(list) < many && n <= Piece {
		return strings.Join(list, sep)
	}
	var b strings.Builder
	b.Grow(n)
	for i, s := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		if i%many == many-1 {
			m.Charge(many >> 3)
		}
		Write(&b, s, m)
	}
	return b.String()
}

// Extend is slices.Grow(list, n) for a list that is appended to, with m charged
// meanwhile: a long list gets twice the room. A short one is left to append.
func Extend[T any](list []T, n int, m Meter) []T {
	if cap(list)-len(list) >= n || len(list)+n < 8*many {
		return list
	}
	return pushAll(make([]T, 0, 2*len(list)+n), list, m)
}

// List is append([]T(nil), list...), with m charged meanwhile: what a copy of a long
// list does for the collector, if that is at work, cannot be interrupted either.
func List[T any](list []T, m Meter) []T {
	if len(list) <= many {
		return append([]T(nil), list...)
	}
	return pushAll(make([]T, 0, len(list)), list, m)
}

// Add is append(to, list...), with m charged meanwhile.
func Add[T any](to, list []T, m Meter) []T {
	if len(to)+len(list) <= many {
		return append(to, list...)
	}
	return pushAll(Extend(to, len(list), m), list, m)
}

// pushAll appends a long list to one that has room for it.
func pushAll[T any](to, list []T, m Meter) []T {
	for len(list) > many {
		to = append(to, list[:many]...)
		list = list[many:]
		m.Charge(many >> 3)
	}
	m.Charge(len(list) >> 3)
	return append(to, list...)
}

// Size is how many bytes a buffer in parts holds, whose last part is b.
func Size(parts [][]byte, b []byte) int {
	n := len(b)
	for _, part := range parts {
		n += len(part)
	}
	return n
}

// Joined is a buffer in parts as a text, with m charged meanwhile.
func Joined(parts [][]byte, b []byte, m Meter) string {
	if len(parts) == 0 {
		return Text(b, m)
	}
	var s strings.Builder
	s.Grow(Size(parts, b))
	for _, part := range parts {
		add(&s, part, m)
	}
	add(&s, b, m)
	return s.String()
}

// add appends b to a Builder that has room for it.
func add(s *strings.Builder, b []byte, m Meter) {
	for len(b) > Piece {
		s.Write(b[:Piece])
		b = b[Piece:]
		m.Charge(pieceUnits)
	}
	s.Write(b)
}

// Whole puts a buffer in parts together, with room for more bytes and m charged meanwhile.
func Whole(parts [][]byte, b []byte, room int, m Meter) []byte {
	all := make([]byte, 0, Size(parts, b)+room)
	for _, part := range parts {
		all = Push(all, part, m)
	}
	return Push(all, b, m)
}
