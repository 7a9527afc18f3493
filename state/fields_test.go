package state

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"eryxsh/core"
	"eryxsh/state/internal/numbers"
)

// field is one saved field of one saved struct.
type field struct {
	owner reflect.Type
	name  string
	num   int // 0 in a struct that is an array
	typ   reflect.Type
	tag   string
	path  string // where the walk first met its struct
}

func (f field) String() string { return f.owner.String() + "." + f.name }

// walker collects the structs that are reached from saved types, and what is wrong with them.
type walker struct {
	structs map[reflect.Type][]field
	order   []reflect.Type
	above   map[reflect.Type]bool
	wrong   []string
}

func newWalker() *walker {
	return &walker{structs: map[reflect.Type][]field{}, above: map[reflect.Type]bool{}}
}

func (w *walker) bad(path, format string, args ...any) {
	w.wrong = append(w.wrong, path+": "+fmt.Sprintf(format, args...))
}

func (w *walker) walk(t reflect.Type, path, tag string) {
	switch t.Kind() {
	case reflect.Pointer:
		w.walk(t.Elem(), path, tag)
	case reflect.Slice, reflect.Array:
		w.walk(t.Elem(), path+"[]", "")
	case reflect.Map:
		switch t.Key().Kind() {
		case reflect.String, reflect.Int, reflect.Int64, reflect.Uint64, reflect.Uint8:
		default:
			w.bad(path, "map by %s", t.Key())
		}
		w.walk(t.Elem(), path+"{}", "")
	case reflect.Struct:
		w.record(t, path)
	case reflect.Float32, reflect.Float64:
		if strings.Contains(tag, "omitempty") {
			w.bad(path, "omitempty makes 0 out of -0")
		}
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.UnsafePointer, reflect.Uintptr, reflect.Complex64, reflect.Complex128:
		w.bad(path, "%s is no plain data", t)
	}
}

// record checks a struct and goes on into its fields.
func (w *walker) record(t reflect.Type, path string) {
	if w.above[t] {
		w.bad(path, "%s is inside itself: neither a save nor a copy has an end", t)
		return
	}
	if _, done := w.structs[t]; done {
		return
	}
	w.order = append(w.order, t)
	w.structs[t] = nil
	w.above[t] = true
	defer delete(w.above, t)
	w.structs[t] = w.fields(t, path)
	seen := map[int]string{}
	for _, f := range w.structs[t] {
		if f.num > 0 && seen[f.num] != "" {
			w.bad(path, "%s and %s both have the number %d", seen[f.num], f.name, f.num)
		}
		seen[f.num] = f.name
		w.walk(f.typ, path+"."+f.name, f.tag)
	}
}

// fields lists the saved fields of a struct, those of embedded structs among them.
func (w *walker) fields(t reflect.Type, path string) (all []field) {
	saved, wrong := numbers.Fields(t)
	for _, s := range wrong {
		w.bad(path, "%s", s)
	}
	for _, f := range saved {
		all = append(all, field{f.Owner, f.Name, f.Num, f.Type, f.Tag, path})
	}
	return all
}

// TestPlainData checks that everything saved is plain data with numbered fields.
func TestPlainData(t *testing.T) {
	w := newWalker()
	for _, r := range numbers.Records() {
		w.walk(r, r.Name(), "")
	}
	n := len(w.order)
	if n < 25 {
		t.Errorf("the walk reached %d structs only", n)
	}
	for name, p := range numbers.Programs() {
		w.walk(p, name, "")
	}
	if len(w.order) < n+40 {
		t.Errorf("the walk reached the states of %d utilities only", len(w.order)-n)
	}
	sort.Strings(w.wrong)
	for _, s := range w.wrong {
		t.Error(s)
	}
}

// TestProgramsBeginEmpty checks that New sets nothing that is saved: a zero
// is not saved, and what New had set would come back in its place.
func TestProgramsBeginEmpty(t *testing.T) {
	for _, name := range core.Registry.Names() {
		def := core.Registry.Lookup(name)
		if def.New == nil {
			continue
		}
		v := reflect.ValueOf(def.New()).Elem()
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() {
				t.Errorf("%s: New sets %s", name, f.Name)
			}
		}
	}
}

// TestWalkerSees makes sure that the walk finds what it looks for.
func TestWalkerSees(t *testing.T) {
	type inner struct{ X int }
	type loop struct {
		Next *loop `cbor:"1,keyasint"`
	}
	type wrong struct {
		Func  func()          `cbor:"1,keyasint"`
		Chan  chan int        `cbor:"2,keyasint"`
		Any   any             `cbor:"3,keyasint"`
		Zero  float64         `cbor:"4,keyasint,omitempty"`
		Same  int             `cbor:"4,keyasint"`
		Text  int             `cbor:"text"`
		Inner []inner         `cbor:"5,keyasint"`
		Loop  loop            `cbor:"6,keyasint"`
		Map   map[float64]int `cbor:"7,keyasint"`
	}
	w := newWalker()
	w.walk(reflect.TypeFor[wrong](), "wrong", "")
	if len(w.wrong) != 9 {
		t.Errorf("%d faults found:\n%s", len(w.wrong), strings.Join(w.wrong, "\n"))
	}
}
