package main

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"eryxsh/capi/internal/wire"
)

// model is the tables as the writers need them.
type model struct {
	methods []method
	structs []structure // results, in alphabetical order
	answers []wire.Answer
	kinds   []wire.KindRow
}

type method struct {
	wire.Method
	fields []field
}

type structure struct {
	name   string
	typ    reflect.Type
	fields []field
}

// field is one field of a struct or one parameter.
type field struct {
	key      int
	name     string // as Python has it
	typ      reflect.Type
	optional bool
	doc      string
}

var (
	blobType   = reflect.TypeFor[wire.Blob]()
	outputType = reflect.TypeFor[wire.Output]()
	bytesType  = reflect.TypeFor[[]byte]()
)

// reserved are the words of Python that a field might be called by.
var reserved = map[string]bool{"from": true, "import": true, "in": true, "is": true, "as": true, "with": true, "global": true, "pass": true, "del": true, "class": true, "def": true, "or": true, "and": true, "not": true, "if": true, "for": true, "return": true, "raise": true, "try": true, "while": true, "lambda": true, "yield": true, "async": true, "await": true, "tag": true}

// readTables reads the tables and checks what the rest relies on.
func readTables() (model, error) {
	m := model{answers: wire.Answers(), kinds: wire.Kinds()}
	found := map[reflect.Type]bool{}
	last := 0
	for _, row := range wire.Methods() {
		if row.Number <= last {
			return m, fmt.Errorf("%s: number %d does not follow %d", row.Name, row.Number, last)
		}
		last = row.Number
		fields, err := fieldsOf(reflect.TypeOf(row.Params))
		if err != nil {
			return m, fmt.Errorf("%s: %w", row.Name, err)
		}
		blobs := 0
		for i, f := range fields {
			if f.key != i+1 {
				return m, fmt.Errorf("%s: parameter %s has key %d, not %d", row.Name, f.name, f.key, i+1)
			}
			if f.typ == blobType {
				blobs++
			}
		}
		if blobs > 1 {
			return m, fmt.Errorf("%s: more than one Blob", row.Name)
		}
		m.methods = append(m.methods, method{row, fields})
		if row.Result != nil && reflect.TypeOf(row.Result) != outputType {
			collect(reflect.TypeOf(row.Result), found)
		}
	}
	for i, a := range m.answers {
		if a.Tag != wire.TagDone+wire.Tag(i) {
			return m, fmt.Errorf("answer %s has tag %d", a.Name, a.Tag)
		}
		collect(reflect.TypeOf(a.Body), found)
	}
	collect(reflect.TypeFor[wire.Error](), found)
	for t := range found {
		fields, err := fieldsOf(t)
		if err != nil {
			return m, fmt.Errorf("%s: %w", t.Name(), err)
		}
		m.structs = append(m.structs, structure{t.Name(), t, fields})
	}
	// a struct that others hold comes before them
	sort.Slice(m.structs, func(i, j int) bool {
		a, b := m.structs[i], m.structs[j]
		if da, db := depth(a.typ), depth(b.typ); da != db {
			return da < db
		}
		return a.name < b.name
	})
	return m, nil
}

// collect finds the structs that a type is made of.
func collect(t reflect.Type, found map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		collect(t.Elem(), found)
	case reflect.Map:
		collect(t.Elem(), found)
	case reflect.Struct:
		if isTuple(t) || found[t] {
			return
		}
		found[t] = true
		for i := range t.NumField() {
			if f := t.Field(i); f.Anonymous {
				for j := range f.Type.NumField() {
					collect(f.Type.Field(j).Type, found)
				}
			} else {
				collect(f.Type, found)
			}
		}
	}
}

// depth is how many levels of structs a type holds.
func depth(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return depth(t.Elem())
	case reflect.Struct:
		d := 0
		for i := range t.NumField() {
			d = max(d, depth(t.Field(i).Type))
		}
		return d + 1
	}
	return 0
}

func fieldsOf(t reflect.Type) ([]field, error) {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			inner, err := fieldsOf(f.Type)
			if err != nil {
				return nil, err
			}
			out = append(out, inner...)
			continue
		}
		parts := strings.Split(f.Tag.Get("cbor"), ",")
		key, err := strconv.Atoi(parts[0])
		if err != nil || len(parts) < 2 || parts[1] != "keyasint" {
			return nil, fmt.Errorf("field %s has no number", f.Name)
		}
		doc := f.Tag.Get("doc")
		if doc == "" {
			return nil, fmt.Errorf("field %s has no doc", f.Name)
		}
		name := f.Tag.Get("name")
		if name == "" {
			name = snake(f.Name)
		}
		if reserved[name] {
			return nil, fmt.Errorf("field %s: %s is a word of Python", f.Name, name)
		}
		out = append(out, field{key, name, f.Type, len(parts) > 2 && parts[2] == "omitempty", doc})
	}
	return out, nil
}

// snake makes stdout_truncated of StdoutTruncated and exist_ok of ExistOK.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// structOf is the struct a type is, or is a list or pointer of; nil if none.
func structOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && !isTuple(t) {
		return t
	}
	return nil
}

// isTuple reports whether a struct travels as an array.
func isTuple(t reflect.Type) bool {
	return t.NumField() > 0 && strings.Contains(t.Field(0).Tag.Get("cbor"), "toarray")
}
