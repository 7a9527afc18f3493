package vars

import (
	"errors"
	"slices"
)

// Record is a variable as plain data, for saving.
type Record struct {
	Name    string `cbor:"1,keyasint,omitempty"`
	Attrs   Attr   `cbor:"2,keyasint,omitempty"`
	Set     bool   `cbor:"3,keyasint,omitempty"` // a scalar has a value; an array was given one, if empty
	Value   string `cbor:"4,keyasint,omitempty"` // of a scalar
	Elems   []Elem `cbor:"5,keyasint,omitempty"` // in the order of Values
	Buckets uint32 `cbor:"6,keyasint,omitempty"` // of an associative array: its order depends on its largest size
}

// Elem is one array element: Index of an indexed array, Key of an
// associative one.
type Elem struct {
	Index int64  `cbor:"1,keyasint,omitempty"`
	Key   string `cbor:"2,keyasint,omitempty"`
	Value string `cbor:"3,keyasint,omitempty"`
}

var errRecord = errors.New("vars: damaged variable record")

// Record returns v as plain data under the given name.
func (v *Var) Record(name string) Record {
	r := Record{Name: name, Attrs: v.Attrs(), Set: v.Assigned()}
	switch {
	case v == nil:
	case v.list != nil:
		v.list.each(func(i int64, s string) { r.Elems = append(r.Elems, Elem{Index: i, Value: s}) })
	case v.hash != nil:
		v.hash.each(func(k, s string) { r.Elems = append(r.Elems, Elem{Key: k, Value: s}) })
		r.Buckets = v.hash.buckets
	case v.state&stSet != 0:
		r.Value = v.String()
	}
	return r
}

// equal reports whether two variables have the same record.
func (v *Var) equal(w *Var) bool {
	a, b := v.Record(""), w.Record("")
	return a.Attrs == b.Attrs && a.Set == b.Set && a.Buckets == b.Buckets && a.Value == b.Value && slices.Equal(a.Elems, b.Elems)
}

// FromRecord returns the variable that Record described, owned by no table.
// Records come from outside: one that no variable could have made is an error.
func FromRecord(r Record) (*Var, error) {
	v := &Var{attrs: r.Attrs}
	if r.Set {
		v.state = stSet
	} else if len(r.Elems) > 0 {
		return nil, errRecord
	}
	switch r.Attrs & (Indexed | Assoc) {
	case 0:
		if len(r.Elems) > 0 || r.Buckets != 0 {
			return nil, errRecord
		}
		if r.Set {
			v.setString(r.Value)
		}
		return v, nil
	case Indexed:
		v.list = &list{}
		own, last := &token{}, int64(-1)
		for _, e := range r.Elems {
			if e.Index <= last || e.Key != "" {
				return nil, errRecord
			}
			last = e.Index
			v.list.set(own, e.Index, e.Value)
		}
		return v, nil
	case Assoc:
		return v, v.fillAssoc(r)
	}
	return nil, errRecord
}

func (v *Var) fillAssoc(r Record) error {
	v.hash = &hash{}
	b, n := r.Buckets, len(r.Elems)
	if b == 0 {
		if n > 0 {
			return errRecord
		}
		return nil
	}
	size := uint32(firstBuckets)
	for size < b && size < 1<<28 {
		size *= 4
	}
	if size != b || n > int(b)*2 || b > 1<<24 && n < int(b)/64 {
		return errRecord
	}
	v.hash.resize(b)
	own := &token{}
	for i := n - 1; i >= 0; i-- { // the front of a chain comes last
		e := r.Elems[i]
		if _, dup := v.hash.get(e.Key); dup || e.Index != 0 {
			return errRecord
		}
		v.hash.set(own, e.Key, e.Value)
	}
	return nil
}
