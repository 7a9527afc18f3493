package codec

import "encoding/binary"

// writer adds values to bytes. The methods for a field take the place of its
// struct's head, in which they count it.
type writer struct{ b []byte }

// head adds the head of a value.
//
//go:noinline
func (w *writer) head(major byte, n uint64) {
	if n < 24 {
		w.b = append(w.b, major|byte(n))
		return
	}
	w.long(major, n)
}

func (w *writer) long(major byte, n uint64) {
	switch {
	case n < 1<<8:
		w.b = append(w.b, major|24, byte(n))
	case n < 1<<16:
		w.b = append(w.b, major|25, byte(n>>8), byte(n))
	case n < 1<<32:
		w.b = binary.BigEndian.AppendUint32(append(w.b, major|26), uint32(n))
	default:
		w.b = binary.BigEndian.AppendUint64(append(w.b, major|27), n)
	}
}

// Major types, in their place.
const (
	isUint  = 0 << 5
	isInt   = 1 << 5 // negative
	isBytes = 2 << 5
	isList  = 4 << 5
	isMap   = 5 << 5
	isFalse = 0xf4
	isTrue  = 0xf5
	isNull  = 0xf6
)

// begin adds the head of a struct that has no field yet. None has 24.
//
//go:noinline
func (w *writer) begin() (at int) {
	w.b = append(w.b, isMap)
	return len(w.b) - 1
}

//go:noinline
func (w *writer) key(at int, k byte) {
	w.b[at]++
	w.b = append(w.b, k)
}

//go:noinline
func (w *writer) putInt(v int64) {
	if v < 0 {
		w.head(isInt, uint64(^v))
		return
	}
	w.head(isUint, uint64(v))
}

//go:noinline
func (w *writer) putUint(v uint64) { w.head(isUint, v) }

func (w *writer) putBool(v bool) {
	if v {
		w.b = append(w.b, isTrue)
		return
	}
	w.b = append(w.b, isFalse)
}

//go:noinline
func (w *writer) putString(s string) {
	w.head(isBytes, uint64(len(s)))
	w.b = append(w.b, s...)
}

// putBytes tells no bytes from none at all.
func (w *writer) putBytes(s []byte) {
	if s == nil {
		w.b = append(w.b, isNull)
		return
	}
	w.head(isBytes, uint64(len(s)))
	w.b = append(w.b, s...)
}

// putList begins a list and tells an empty one from none at all.
func (w *writer) putList(n int, none bool) {
	if none {
		w.b = append(w.b, isNull)
		return
	}
	w.head(isList, uint64(n))
}

func (w *writer) int(at int, k byte, v int64) {
	if v != 0 {
		w.key(at, k)
		w.putInt(v)
	}
}

func (w *writer) uint(at int, k byte, v uint64) {
	if v != 0 {
		w.key(at, k)
		w.head(isUint, v)
	}
}

func (w *writer) bool(at int, k byte, v bool) {
	if v {
		w.b[at]++
		w.b = append(w.b, k, isTrue)
	}
}

func (w *writer) string(at int, k byte, s string) {
	if len(s) > 0 {
		w.key(at, k)
		w.putString(s)
	}
}

func (w *writer) bytes(at int, k byte, s []byte) {
	if len(s) > 0 {
		w.key(at, k)
		w.head(isBytes, uint64(len(s)))
		w.b = append(w.b, s...)
	}
}

// list begins a list that is a field; false if there is none.
func (w *writer) list(at int, k byte, n int) bool {
	if n == 0 {
		return false
	}
	w.key(at, k)
	w.head(isList, uint64(n))
	return true
}

func (w *writer) strings(at int, k byte, list []string) {
	if !w.list(at, k, len(list)) {
		return
	}
	for _, s := range list {
		w.putString(s)
	}
}

// table adds a map that is a field, in the order of its encoded keys: shorter ones first.
func (w *writer) table(at int, k byte, m map[string]string) {
	if len(m) == 0 {
		return
	}
	w.key(at, k)
	w.head(isMap, uint64(len(m)))
	for _, name := range inOrder(m) {
		w.putString(name)
		w.putString(m[name])
	}
}
