package store

import (
	"encoding/binary"
	"errors"
)

// A delta gives a body by what it has in common with another: the size of the
// body, then steps. A step is a number n: n>>1 bytes are copied from an offset
// of the other body, which follows, if n is odd; else they follow themselves.
// Numbers are as binary.Uvarint reads them.

// window is how many bytes must be alike for a copy that is not at an end.
const window = 12

// appendDelta adds the delta that makes body of base.
func appendDelta(out, base, body []byte) []byte {
	out = binary.AppendUvarint(out, uint64(len(body)))
	head := common(base, body)
	if head > 0 {
		out = copied(out, 0, head)
	}
	most := min(len(base), len(body)) - head
	tail := 0
	for tail < most && base[len(base)-1-tail] == body[len(body)-1-tail] {
		tail++
	}
	out = between(out, base, body[head:len(body)-tail])
	if tail > 0 {
		out = copied(out, len(base)-tail, tail)
	}
	return out
}

func copied(out []byte, from, n int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(out, uint64(n)<<1|1), uint64(from))
}

func literal(out, text []byte) []byte {
	if len(text) == 0 {
		return out
	}
	return append(binary.AppendUvarint(out, uint64(len(text))<<1), text...)
}

// common is how many bytes two texts begin with alike.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// between adds the steps for what is between the ends.
func between(out, base, text []byte) []byte {
	if len(text) <= window {
		return literal(out, text)
	}
	places := make(map[uint64]int, len(base)/4)
	for i := 0; i+window <= len(base); i += 4 {
		if k := binary.LittleEndian.Uint64(base[i:]); places[k] == 0 {
			places[k] = i + 1
		}
	}
	from := 0 // what is not written yet begins here
	for i := 0; i+window <= len(text); {
		at := places[binary.LittleEndian.Uint64(text[i:])] - 1
		if at < 0 {
			i++
			continue
		}
		n := common(base[at:], text[i:])
		if n < window {
			i++
			continue
		}
		for i > from && at > 0 && base[at-1] == text[i-1] {
			i, at, n = i-1, at-1, n+1
		}
		out = copied(literal(out, text[from:i]), at, n)
		i += n
		from = i
	}
	return literal(out, text[from:])
}

var errDelta = errors.New("damaged delta")

// applyDelta makes the body of at most most bytes.
func applyDelta(base, delta []byte, most int) ([]byte, error) {
	size, delta, ok := number(delta)
	if !ok || size > uint64(most) {
		return nil, errDelta
	}
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		var n, from uint64
		if n, delta, ok = number(delta); !ok || n>>1 > size-uint64(len(out)) {
			return nil, errDelta
		}
		copies := n&1 != 0
		n >>= 1
		if copies {
			if from, delta, ok = number(delta); !ok || from > uint64(len(base)) || n > uint64(len(base))-from {
				return nil, errDelta
			}
			out = append(out, base[from:from+n]...)
			continue
		}
		if n > uint64(len(delta)) {
			return nil, errDelta
		}
		out, delta = append(out, delta[:n]...), delta[n:]
	}
	if uint64(len(out)) != size {
		return nil, errDelta
	}
	return out, nil
}

// number reads a number at the front of data.
func number(data []byte) (n uint64, rest []byte, ok bool) {
	n, size := binary.Uvarint(data)
	if size <= 0 {
		return 0, data, false
	}
	return n, data[size:], true
}
