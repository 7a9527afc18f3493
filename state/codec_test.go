package state

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"eryxsh/core/shell"
	"eryxsh/state/internal/codec"
	"eryxsh/state/internal/numbers"
)

// some gives zero, a small, a large or a negative number.
func some(r *rand.Rand) int64 {
	return []int64{0, 0, 1, 23, 24, 255, 256, 65535, 65536, 1 << 32, 1<<63 - 1, -1, -300, -1 << 63}[r.IntN(14)]
}

// fill gives a value of any saved type; empty says that it may be one that is not saved.
func fill(r *rand.Rand, v reflect.Value, empty bool) {
	length := func() int { return []int{1, 1, 2, 3, 24}[r.IntN(5)] }
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(some(r))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(some(r)))
	case reflect.String:
		v.SetString(strings.Repeat(string(rune(r.IntN(256))), []int{0, 1, 11, 24, 300}[r.IntN(5)]))
	case reflect.Pointer:
		if r.IntN(4) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), true)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), true)
		}
	case reflect.Map:
		if r.IntN(2) == 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range length() {
				key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				fill(r, key, true)
				fill(r, elem, true)
				v.SetMapIndex(key, elem)
			}
		}
	case reflect.Slice:
		n := 0
		switch r.IntN(6) {
		case 0, 1:
			n = length()
		case 2:
			if !empty {
				return
			}
		default:
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(r, v.Index(i), true)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			tag := f.Tag.Get("cbor")
			if f.Anonymous && tag == "" || f.IsExported() && tag != "-" {
				fill(r, v.Field(i), !strings.HasSuffix(tag, "omitempty"))
			}
		}
	}
}

// quickly reads and writes a record as package codec does.
func quickly(x any) []byte {
	switch x := x.(type) {
	case *Header:
		return codec.AppendHeader(nil, x)
	case *World:
		return codec.AppendWorld(nil, x)
	case *Tree:
		return codec.AppendTree(nil, x)
	case *Inode:
		return codec.AppendInode(nil, x)
	case *shell.Image:
		return codec.AppendImage(nil, x)
	}
	return codec.AppendProcess(nil, x.(*shell.ProcRecord))
}

// TestCodec compares the generated codec with the general one, on records of
// random values: the same bytes, the same values, the same charge for memory,
// and the same verdict on damaged bytes.
func TestCodec(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 12_000 {
		types := numbers.Records()
		x := reflect.New(types[i%len(types)])
		fill(r, x.Elem(), true)
		compareCodecs(t, r, x.Interface())
	}
}

func compareCodecs(t *testing.T, r *rand.Rand, x any) {
	t.Helper()
	fresh := func() any { return reflect.New(reflect.TypeOf(x).Elem()).Interface() }
	data := quickly(x)
	want, err := encMode.Marshal(x)
	if err != nil || !bytes.Equal(data, want) {
		t.Fatalf("%T %+v\n%x, the general codec %x (%v)", x, x, data, want, err)
	}
	got, book := fresh(), ledger{1 << 50}
	rest, err := quick(append(data, 7), got, nil, &book)
	if err != nil || !reflect.DeepEqual(got, x) || len(rest) != 1 {
		t.Fatalf("%T %+v\nis read as %+v, rest %x, %v", x, x, got, rest, err)
	}
	general := ledger{1 << 50}
	if err := general.charge(data, reflect.TypeOf(x).Elem()); err != nil || general.left != book.left {
		t.Fatalf("%T %+v\nis charged %d, by the general way %d (%v)", x, x, 1<<50-book.left, 1<<50-general.left, err)
	}
	if taken := 1<<50 - book.left; taken > 0 {
		less := ledger{r.Int64N(taken)}
		if _, err := quick(data, fresh(), nil, &less); err != codec.ErrCost {
			t.Fatalf("%T %+v\nis read into less memory than it takes: %v", x, x, err)
		}
	}
	// Damaged: whatever is read must be what the general decoder reads.
	for range 4 {
		data := bytes.Clone(data)
		if data[r.IntN(len(data))] ^= 1 << r.IntN(8); r.IntN(4) == 0 {
			data = data[:r.IntN(len(data))]
		}
		a, b := fresh(), fresh()
		if rest, err = quick(data, a, nil, &ledger{1 << 50}); err != nil {
			continue // left to the general decoder
		}
		after, err := first(data, b)
		if err != nil || !reflect.DeepEqual(a, b) || len(after) != len(rest) {
			t.Fatalf("%T: %x is read as %+v, by the general codec as %+v (%v)", x, data, a, b, err)
		}
	}
}
