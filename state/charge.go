package state

import (
	"encoding/binary"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"eryxsh/core/vars"
)

// The decoder takes memory for an array as soon as it has seen that the bytes
// of its elements are there. An element of one byte may become hundreds: so
// what a record will take is counted before it is decoded.

var errCost = errors.New("holds more than the limit memory allows")

// ledger counts the memory that records will take.
type ledger struct{ left int64 }

// charge counts the value at the front of data as one of type t.
func (l *ledger) charge(data []byte, t reflect.Type) error {
	_, err := l.value(data, shapeOf(t), 0)
	return err
}

// shape is what charging needs to know of a type.
type shape struct {
	size    int64    // of one
	elem    *shape   // of a slice, an array, a map or a pointer
	fields  []*shape // of a struct, by number
	pointer bool
	buckets int // number of the field that says how large a table is, 0 if none
}

var shapes sync.Map // reflect.Type → *shape: made once a type

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := newShape(t, 0)
	shapes.Store(t, s)
	return s
}

// newShape describes a type. None is inside itself: a test walks all saved types.
func newShape(t reflect.Type, depth int) *shape {
	s := &shape{size: int64(t.Size())}
	if depth++; depth > maxNest {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		s.elem, s.pointer = newShape(t.Elem(), depth), true
	case reflect.Slice, reflect.Map:
		s.elem = newShape(t.Elem(), depth)
		if t.Kind() == reflect.Map {
			s.elem.size += int64(t.Key().Size()) + 16
		}
	case reflect.Array:
		e := *newShape(t.Elem(), depth)
		e.size = 0 // part of the array itself
		s.elem = &e
	case reflect.Struct:
		s.number(t, depth)
		if t == reflect.TypeFor[vars.Record]() {
			s.buckets = 6
		}
	}
	return s
}

func (s *shape) number(t reflect.Type, depth int) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("cbor")
		if f.Anonymous && tag == "" {
			s.number(f.Type, depth)
			continue
		}
		num, _, _ := strings.Cut(tag, ",")
		n, err := strconv.Atoi(num)
		if err != nil || n < 0 || n > 255 || !f.IsExported() {
			continue
		}
		for len(s.fields) <= n {
			s.fields = append(s.fields, nil)
		}
		s.fields[n] = newShape(f.Type, depth)
	}
}

// field is the shape of a struct's field, nil for one that is skipped.
func (s *shape) field(n uint64) *shape {
	if s == nil || n >= uint64(len(s.fields)) {
		return nil
	}
	return s.fields[n]
}

// value charges the value at the front of data and gives what follows it. A
// nil shape is a value that will not be kept.
func (l *ledger) value(data []byte, s *shape, depth int) ([]byte, error) {
	if depth > maxNest {
		return nil, errors.New("nested too deeply")
	}
	major, arg, data, err := head(data)
	if err != nil {
		return nil, err
	}
	if s != nil && s.pointer && major != 7 {
		if err := l.take(s.elem.size); err != nil {
			return nil, err
		}
		s = s.elem
	}
	switch major {
	case 2, 3:
		if arg > uint64(len(data)) {
			return nil, errors.New("truncated")
		}
		return data[arg:], l.take(int64(arg))
	case 4:
		return l.list(data, arg, s, depth)
	case 5:
		return l.pairs(data, arg, s, depth)
	case 6:
		return nil, errors.New("a tag")
	}
	return data, nil
}

func (l *ledger) list(data []byte, n uint64, s *shape, depth int) ([]byte, error) {
	if n > uint64(len(data)) {
		return nil, errors.New("truncated")
	}
	var elem *shape
	if s != nil && s.elem != nil {
		elem = s.elem
		if err := l.take(int64(n) * elem.size); err != nil {
			return nil, err
		}
	}
	var err error
	for range n {
		if data, err = l.value(data, elem, depth+1); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (l *ledger) pairs(data []byte, n uint64, s *shape, depth int) ([]byte, error) {
	if n > uint64(len(data)) {
		return nil, errors.New("truncated")
	}
	table := s != nil && s.fields == nil && s.elem != nil // a map, not a struct
	if table {
		if err := l.take(int64(n) * s.elem.size); err != nil {
			return nil, err
		}
	}
	for range n {
		major, key, _, err := head(data)
		if err != nil {
			return nil, err
		}
		if data, err = l.value(data, nil, depth+1); err != nil {
			return nil, err
		}
		inner := (*shape)(nil)
		switch {
		case table:
			inner = s.elem
		case major == 0:
			inner = s.field(key)
		}
		if s != nil && s.buckets > 0 && key == uint64(s.buckets) {
			if _, size, _, err := head(data); err == nil {
				if err := l.take(int64(min(size, 1<<40) / 8)); err != nil { // a pointer for 64
					return nil, err
				}
			}
		}
		if data, err = l.value(data, inner, depth+1); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (l *ledger) take(n int64) error {
	if n < 0 || n > l.left {
		return errCost
	}
	l.left -= n
	return nil
}

// head reads the head of a CBOR value: its major type and its argument.
func head(data []byte) (major byte, arg uint64, rest []byte, err error) {
	if len(data) == 0 {
		return 0, 0, nil, errors.New("truncated")
	}
	major, info := data[0]>>5, data[0]&31
	if info < 24 {
		return major, uint64(info), data[1:], nil
	}
	size := 1 << (info - 24)
	if info > 27 || len(data) <= size {
		return 0, 0, nil, errors.New("truncated, or of unknown length")
	}
	var b [8]byte
	copy(b[8-size:], data[1:1+size])
	return major, binary.BigEndian.Uint64(b[:]), data[1+size:], nil
}
