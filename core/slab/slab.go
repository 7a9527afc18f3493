// Package slab hands out values from blocks: compiling a script makes many
// small ones, and one at a time they cost more than what is written into them.
package slab

// most is how many values a block has at most. A block lives as long as any of
// its values does.
const most = 32

// Of hands out values of type T. Its blocks grow with what is asked for, so a
// few values waste nothing. A zero Of is ready, a nil one makes each by itself.
type Of[T any] struct {
	free []T
	size int
}

// One gives a zero value.
func (b *Of[T]) One() *T {
	if b == nil {
		return new(T)
	}
	if len(b.free) == 0 {
		b.more(1)
	}
	v := &b.free[0]
	b.free = b.free[1:]
	return v
}

// Some gives a slice of n zero values that has no room for more.
func (b *Of[T]) Some(n int) []T {
	if b == nil || n > most/2 {
		return make([]T, n)
	}
	if len(b.free) < n {
		b.more(n)
	}
	v := b.free[:n:n]
	b.free = b.free[n:]
	return v
}

// more makes the next block, for at least n.
func (b *Of[T]) more(n int) {
	b.size = max(n, min(2*b.size, most))
	b.free = make([]T, b.size)
}
