package codec

import (
	"encoding/binary"
	"slices"
	"strings"
	"unsafe"

	"eryxsh/core/vars"
)

// reader reads what writer wrote. After its first mistake it reads nothing more.
type reader struct {
	data []byte
	at   int
	left int64 // memory that may be taken
	bad  bool
	cost bool // it is bad because of left

	origin *vars.Origin // most variables are as there, perhaps
}

func (r *reader) fail() {
	r.bad = true
	r.at = len(r.data)
}

func (r *reader) end(left *int64) ([]byte, error) {
	switch {
	case r.cost:
		return nil, ErrCost
	case r.bad:
		return nil, ErrUnusual
	}
	*left = r.left
	return r.data[r.at:], nil
}

// take charges memory.
func (r *reader) take(n int64) {
	if n < 0 || n > r.left {
		r.cost = true
		r.fail()
		return
	}
	r.left -= n
}

// head reads the head of a value of a major type.
func (r *reader) head(major byte) uint64 {
	if r.at >= len(r.data) {
		r.fail()
		return 0
	}
	b := r.data[r.at] - major
	if b < 24 {
		r.at++
		return uint64(b)
	}
	return r.long(b)
}

func (r *reader) long(info byte) uint64 {
	d := r.data[r.at+1:]
	switch {
	case info == 24 && len(d) >= 1:
		r.at += 2
		return uint64(d[0])
	case info == 25 && len(d) >= 2:
		r.at += 3
		return uint64(binary.BigEndian.Uint16(d))
	case info == 26 && len(d) >= 4:
		r.at += 5
		return uint64(binary.BigEndian.Uint32(d))
	case info == 27 && len(d) >= 8:
		r.at += 9
		return binary.BigEndian.Uint64(d)
	}
	r.fail()
	return 0
}

// begin reads the head of a struct.
func (r *reader) begin() uint64 { return r.head(isMap) }

// key reads the number of a field, which is above the one before it.
func (r *reader) key(last byte) byte {
	k := r.head(isUint)
	if k <= uint64(last) || k > 255 {
		r.fail()
		return 0
	}
	return byte(k)
}

func (r *reader) int() int64 {
	if r.at < len(r.data) && r.data[r.at]>>5 == isInt>>5 {
		n := r.head(isInt)
		if n > 1<<63-1 {
			r.fail()
		}
		return ^int64(n)
	}
	n := r.head(isUint)
	if n > 1<<63-1 {
		r.fail()
	}
	return int64(n)
}

func readInt[T ~int | ~int8 | ~int16 | ~int32 | ~int64](r *reader, p *T) {
	n := r.int()
	if *p = T(n); int64(*p) != n {
		r.fail()
	}
}

func readUint[T ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](r *reader, p *T) {
	n := r.head(isUint)
	if *p = T(n); uint64(*p) != n {
		r.fail()
	}
}

func (r *reader) bool(p *bool) {
	if r.at < len(r.data) && r.data[r.at]|1 == isTrue {
		*p = r.data[r.at] == isTrue
		r.at++
		return
	}
	r.fail()
}

// part gives a byte string as a part of data.
func (r *reader) part() []byte {
	n := r.head(isBytes)
	if n > uint64(len(r.data)-r.at) {
		r.fail()
		return nil
	}
	r.take(int64(n))
	if r.bad {
		return nil
	}
	r.at += int(n)
	return r.data[r.at-int(n) : r.at : r.at]
}

func (r *reader) string(p *string) { *p = string(r.part()) }

func (r *reader) bytes(p *[]byte) {
	if r.null() {
		return
	}
	b := r.part()
	*p = append(make([]byte, 0, len(b)), b...)
}

// null reads what stands for none at all.
func (r *reader) null() bool {
	if r.at < len(r.data) && r.data[r.at] == isNull {
		r.at++
		return true
	}
	return false
}

// fixed reads the head of a list that must have so many elements.
func (r *reader) fixed(n uint64) {
	if r.head(isList) != n {
		r.fail()
	}
}

// list reads the head of a list and makes room for it.
func list[T any](r *reader, p *[]T) []T {
	if r.null() {
		return nil
	}
	n := r.head(isList)
	if n > uint64(len(r.data)-r.at) {
		r.fail()
		return nil
	}
	r.take(int64(n) * int64(unsafe.Sizeof(*new(T))))
	if r.bad {
		return nil
	}
	*p = make([]T, n)
	return *p
}

func (r *reader) strings(p *[]string) {
	for i := range list(r, p) {
		r.string(&(*p)[i])
	}
}

// one makes room for what a pointer points to, nil if that is nothing.
func one[T any](r *reader, p **T) *T {
	if r.null() {
		return nil
	}
	r.take(int64(unsafe.Sizeof(**p)))
	if r.bad {
		return nil
	}
	*p = new(T)
	return *p
}

func inOrder(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, byKey)
	return names
}

// byKey compares names as their encodings do.
func byKey(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// pairSize is what an entry of a map is charged: a key, a value, and as much again for the table.
const pairSize = 48

func (r *reader) table(p *map[string]string) {
	if r.null() {
		return
	}
	n := r.head(isMap)
	if n > uint64(len(r.data)-r.at) {
		r.fail()
		return
	}
	r.take(int64(n) * pairSize)
	if r.bad {
		return
	}
	m := make(map[string]string, n)
	for last := ""; n > 0 && !r.bad; n-- {
		name, value := "", ""
		first := len(m) == 0
		r.string(&name)
		r.string(&value)
		if !first && byKey(last, name) >= 0 {
			r.fail()
		}
		m[name], last = value, name
	}
	*p = m
}
