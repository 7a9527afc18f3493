package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"reflect"
	"testing"

	"eryxsh/core"
	"eryxsh/core/shell"
)

// blob is a state taken apart, to be changed and put together again.
type blob struct {
	header Header
	items  []item
	extra  []byte // behind the last record
}

// item is one record; body points to its value.
type item struct {
	kind int
	body any
}

// bodyOf makes an empty body for a kind of record.
func bodyOf(kind int) any {
	switch kind {
	case RecChunk:
		return new([]byte)
	case RecWorld:
		return new(World)
	case RecTree:
		return new(Tree)
	case RecInode:
		return new(Inode)
	case RecMachine:
		return new(shell.Image)
	case RecProcess:
		return new(shell.ProcRecord)
	case RecEnd:
		return new(int)
	}
	return nil
}

// dissect takes a blob apart, down to the states of utilities.
func dissect(t testing.TB, data []byte) *blob {
	t.Helper()
	b := &blob{}
	rest, err := first(data[len(Magic):len(data)-sumSize], &b.header)
	if err != nil {
		t.Fatal(err)
	}
	for len(rest) > 0 {
		it := item{kind: int(rest[1])}
		if it.body = bodyOf(it.kind); it.body == nil {
			t.Fatalf("record of kind %d", it.kind)
		}
		if rest, err = first(rest[2:], it.body); err != nil {
			t.Fatal(err)
		}
		if p, ok := it.body.(*shell.ProcRecord); ok {
			for i := range p.Frames {
				prog, err := p.Frames[i].Program(core.Registry)
				if err != nil {
					t.Fatal(err)
				}
				if prog != nil {
					if err := decode(p.Frames[i].Data, prog); err != nil {
						t.Fatal(err)
					}
					p.Frames[i].Prog = prog
				}
			}
		}
		b.items = append(b.items, it)
	}
	return b
}

// join puts a blob together, with a checksum that is right, or signed with key.
func (b *blob) join(t testing.TB, key []byte) []byte {
	t.Helper()
	out := append([]byte(Magic), encoded(t, b.header)...)
	for _, it := range b.items {
		if p, ok := it.body.(*shell.ProcRecord); ok {
			for i := range p.Frames {
				if prog := p.Frames[i].Prog; prog != nil {
					p.Frames[i].Data = encoded(t, prog)
				}
			}
		}
		out = append(out, 0x82, byte(it.kind))
		out = append(out, encoded(t, it.body)...)
	}
	return seal(append(out, b.extra...), key)
}

// seal appends the checksum, or the signature, that is right for a blob's bytes.
func seal(body, key []byte) []byte {
	if key != nil {
		h := hmac.New(sha256.New, key)
		h.Write(body)
		return h.Sum(body)
	}
	sum := sha256.Sum256(body)
	return append(body, sum[:]...)
}

// resealed gives a blob whose bytes may have been changed the checksum that is right.
func resealed(data []byte) []byte {
	return seal(append([]byte(nil), data[:max(0, len(data)-sumSize)]...), nil)
}

func encoded(t testing.TB, x any) []byte {
	t.Helper()
	data, err := encMode.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// each calls visit with every struct of a saved value that is of a type, or of any if it is nil.
func each(v reflect.Value, of reflect.Type, visit func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			each(v.Elem(), of, visit)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			each(v.Index(i), of, visit)
		}
	case reflect.Array:
		for i := range v.Len() {
			each(v.Index(i), of, visit)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			c := reflect.New(v.Type().Elem()).Elem()
			c.Set(it.Value())
			each(c, of, visit)
			v.SetMapIndex(it.Key(), c)
		}
	case reflect.Struct:
		if of == nil || v.Type() == of {
			visit(v)
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && (f.Tag.Get("cbor") != "-" || f.Name == "Prog") {
				each(v.Field(i), of, visit)
			}
		}
	}
}

// without zeroes a field wherever it is saved; it reports whether any was set.
func (b *blob) without(f field) bool {
	changed := false
	visit := func(v reflect.Value) {
		x := v.FieldByName(f.name)
		if x.IsZero() {
			return
		}
		x.SetZero()
		changed = true
		if r, ok := v.Addr().Interface().(*shell.FrameRecord); ok && f.name == "Data" {
			r.Prog = nil
		}
	}
	if f.owner == reflect.TypeFor[Header]() {
		each(reflect.ValueOf(&b.header), f.owner, visit)
		return changed
	}
	for i := range b.items {
		each(reflect.ValueOf(b.items[i].body), f.owner, visit)
	}
	return changed
}

// numbered sets a number wherever it is saved; false if the field holds none, or nothing changes.
func (b *blob) numbered(f field, n int64) bool {
	changed := false
	visit := func(v reflect.Value) {
		x := v.FieldByName(f.name)
		switch x.Kind() {
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			if !x.OverflowInt(n) && x.Int() != n {
				x.SetInt(n)
				changed = true
			}
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			if !x.OverflowUint(uint64(n)) && x.Uint() != uint64(n) {
				x.SetUint(uint64(n))
				changed = true
			}
		case reflect.Slice:
			if x.Type().Elem().Kind() == reflect.Int && x.Len() > 0 {
				x.Index(0).SetInt(n)
				changed = true
			}
		}
	}
	for i := range b.items {
		each(reflect.ValueOf(b.items[i].body), f.owner, visit)
	}
	return changed
}

// set lists the fields that are not zero somewhere in a blob, as field.String names them.
func (b *blob) set() map[string]bool {
	all := map[string]bool{}
	visit := func(v reflect.Value) { b.mark(all, v, v.Type().String()) }
	each(reflect.ValueOf(&b.header), nil, visit)
	for i := range b.items {
		each(reflect.ValueOf(b.items[i].body), nil, visit)
	}
	return all
}

func (b *blob) mark(all map[string]bool, v reflect.Value, owner string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case f.Anonymous:
			b.mark(all, v.Field(i), owner)
		case f.IsExported() && !v.Field(i).IsZero():
			all[owner+"."+f.Name] = true
		}
	}
}
