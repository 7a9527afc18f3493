// Package large moves much memory in pieces. One copy of hundreds of megabytes
// cannot be interrupted: while it lasts, a collection that wants to begin stops
// the other threads, too.
package large

import (
	"iter"
	"math"
	"reflect"
	"slices"
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

// doubling is up to where a buffer gets twice the room when it grows. A longer one gets a quarter
// more: what is appended is copied a few times more, and a limit of memory is not passed by far.
const doubling = 8 << 20

// much is from how many bytes on a Keeper is asked before they are taken.
const much = 1 << 20

// Ask asks for n bytes, if m is who to ask.
func Ask(m Meter, n int) {
	if n < much {
		return
	}
	if k, ok := m.(Keeper); ok {
		k.Need(n)
	}
}

// give says that n bytes that were asked for are garbage now.
func give(m Meter, n int) {
	if n < much {
		return
	}
	if k, ok := m.(Keeper); ok {
		k.Need(-n)
	}
}

// Grow gives b with room for n more bytes. It takes in proportion more memory each
// time, so that appending stays linear.
func Grow(b []byte, n int) []byte { return Room(b, n, Free) }

// Room is Grow, with m charged meanwhile.
func Room(b []byte, n int, m Meter) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	most, old := Roomier(len(b), n), cap(b)
	Ask(m, most)
	grown := make([]byte, 0, most)
	for len(b) > Piece {
		grown = append(grown, b[:Piece]...)
		b = b[Piece:]
		m.Charge(pieceUnits)
	}
	give(m, old)
	return append(grown, b...)
}

// Roomier is how much room a buffer of size bytes gets when it must take n more.
func Roomier(size, n int) int {
	most := size + n
	if most > doubling {
		return most + most/4
	}
	return max(most, 2*size)
}

// String is string(b).
func String(b []byte) string { return Text(b, Free) }

// Text is string(b), with m charged meanwhile.
func Text(b []byte, m Meter) string {
	if len(b) <= Piece {
		return string(b)
	}
	Ask(m, len(b))
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

// Keeper is a Meter that is also asked for memory before it is taken, and may panic
// if there is not so much.
type Keeper interface {
	Meter
	// Need says that n bytes are about to be taken; if n is negative, that so many which were asked for are garbage now.
	Need(n int)
}

// Builder is a strings.Builder that asks M, which may be nil, for what is much before
// it grows, and charges for what it copies.
type Builder struct {
	M Meter
	b strings.Builder
}

// Len is the number of bytes written.
func (b *Builder) Len() int { return b.b.Len() }

// Room makes room for n more bytes.
func (b *Builder) Room(n int) {
	RoomIn(&b.b, n, Or(b.M))
}

// RoomIn makes room in b for n more bytes, with m asked for what is much and charged meanwhile.
func RoomIn(b *strings.Builder, n int, m Meter) {
	if size := b.Len(); size+n <= Piece {
		b.Grow(n)
	} else if b.Cap()-size < n {
		resize(b, Roomier(size, n), m)
	}
}

// Exactly makes room for n more bytes, and not for more than those.
func (b *Builder) Exactly(n int) {
	if b.b.Cap()-b.b.Len() < n {
		resize(&b.b, b.b.Len()+n, Or(b.M))
	}
}

// resize gives b room for size bytes in all.
func resize(b *strings.Builder, size int, m Meter) {
	Ask(m, size)
	old, room := b.String(), b.Cap()
	b.Reset()
	b.Grow(size)
	Write(b, old, m)
	give(m, room)
}

// Write appends p.
func (b *Builder) Write(p []byte) (int, error) {
	if b.b.Cap()-b.b.Len() < len(p) {
		b.Room(len(p))
	}
	add(&b.b, p, Or(b.M))
	return len(p), nil
}

// WriteString appends s.
func (b *Builder) WriteString(s string) (int, error) {
	if b.b.Cap()-b.b.Len() < len(s) {
		b.Room(len(s))
	}
	if len(s) <= Piece {
		return b.b.WriteString(s)
	}
	Write(&b.b, s, Or(b.M))
	return len(s), nil
}

// WriteByte appends c.
func (b *Builder) WriteByte(c byte) error {
	if b.b.Cap() == b.b.Len() {
		b.Room(1)
	}
	return b.b.WriteByte(c)
}

// WriteRune appends r.
func (b *Builder) WriteRune(r rune) (int, error) {
	if b.b.Cap()-b.b.Len() < utf8.UTFMax {
		b.Room(utf8.UTFMax)
	}
	return b.b.WriteRune(r)
}

// String is what was written. It is not copied.
func (b *Builder) String() string { return b.b.String() }

// Pad appends n times c to b, with m asked for what is much and charged meanwhile; m may be nil.
func Pad(b []byte, c byte, n int, m Keeper) []byte {
	if n > Piece && m != nil {
		b = Room(b, n, m)
	}
	for n > 0 {
		k := min(n, Piece)
		b = slices.Grow(b, k)
		part := b[len(b) : len(b)+k]
		for i := range part {
			part[i] = c
		}
		b, n = b[:len(b)+k], n-k
		if n > 0 && m != nil {
			m.Charge(pieceUnits)
		}
	}
	return b
}

// Repeat is strings.Repeat(s, n), with m asked for what is much and charged meanwhile; m may be nil.
func Repeat(s string, n int, m Keeper) string {
	if len(s) == 0 || n <= 0 {
		return ""
	}
	if m == nil || n <= Piece/len(s) {
		return strings.Repeat(s, n)
	}
	size := len(s) * n
	if n > math.MaxInt/2/len(s) {
		size = math.MaxInt / 2
	}
	m.Need(size)
	part := strings.Repeat(s, max(1, Piece/len(s)))
	var b strings.Builder
	b.Grow(size)
	for ; size > 0; size -= min(size, len(part)) {
		Write(&b, part[:min(size, len(part))], m)
		m.Charge(pieceUnits)
	}
	return b.String()
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
	Ask(m, n)
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
// meanwhile: a long list gets twice the room, a very long one a quarter more. A short one is left to append.
func Extend[T any](list []T, n int, m Meter) []T {
	if cap(list)-len(list) >= n || len(list)+n < 8*many {
		return list
	}
	size := max(int(reflect.TypeFor[T]().Size()), 1)
	room := 2*len(list) + n
	if len(list) > doubling/size {
		room = len(list) + len(list)/4 + n
	}
	grown := pushAll(Empty[T](room, m), list, m)
	give(m, size*cap(list))
	return grown
}

// Empty makes an empty list with room for n elements, for which m is asked.
func Empty[T any](n int, m Meter) []T {
	if n >= much>>8 {
		Ask(m, n*int(reflect.TypeFor[T]().Size()))
	}
	return make([]T, 0, n)
}

// List is append([]T(nil), list...), with m charged meanwhile: what a copy of a long
// list does for the collector, if that is at work, cannot be interrupted either.
func List[T any](list []T, m Meter) []T {
	if len(list) <= many {
		return append([]T(nil), list...)
	}
	return pushAll(Empty[T](len(list), m), list, m)
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
	Ask(m, Size(parts, b))
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
	Ask(m, Size(parts, b))
	all := make([]byte, 0, Size(parts, b)+room)
	for _, part := range parts {
		all = Push(all, part, m)
	}
	return Push(all, b, m)
}
