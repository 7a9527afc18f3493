// Package numbers knows the numbers that saved states consist of: those of the fields of every record and of every
// utility's state, and the constants among their values. It describes them for FORMAT.md, and compares them with what they were in
// an earlier version (a Ledger), whose blobs must still be read.
package numbers

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"eryxsh/core"
	"eryxsh/core/shell"
	"eryxsh/state/internal/record"
)

// Field is one saved field of a struct.
type Field struct {
	Owner reflect.Type
	Name  string
	Num   int // 0 in a struct that is saved as an array
	Type  reflect.Type
	Tag   string // the whole cbor tag
}

// Array reports whether a struct is saved as an array, without numbers.
func Array(t reflect.Type) bool {
	for i := range t.NumField() {
		if f := t.Field(i); f.Name == "_" && strings.Contains(f.Tag.Get("cbor"), "toarray") {
			return true
		}
	}
	return false
}

// Fields lists the saved fields of a struct by number, those of embedded structs among them, and says what is wrong with their tags.
func Fields(t reflect.Type) (all []Field, wrong []string) {
	array := Array(t)
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("cbor")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct && tag == "":
			inner, bad := Fields(f.Type)
			for j := range inner {
				inner[j].Owner = t
			}
			all, wrong = append(all, inner...), append(wrong, bad...)
			continue
		case !f.IsExported() || tag == "-":
			if !f.IsExported() && tag != "" && f.Name != "_" {
				wrong = append(wrong, f.Name+" has a tag and is not exported")
			}
			continue
		}
		n := 0
		if !array {
			num, rest, _ := strings.Cut(tag, ",")
			var err error
			if n, err = strconv.Atoi(num); err != nil || n < 1 {
				wrong = append(wrong, fmt.Sprintf("%s of %s has no number: `cbor:%q`", f.Name, t, tag))
			} else if !strings.HasPrefix(rest, "keyasint") {
				wrong = append(wrong, fmt.Sprintf("%s of %s: its number is no integer key", f.Name, t))
			}
		}
		all = append(all, Field{t, f.Name, n, f.Type, tag})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Num < all[j].Num })
	return all, wrong
}

// Records are the bodies of the records of a blob.
func Records() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[record.Header](), reflect.TypeFor[record.World](), reflect.TypeFor[record.Tree](), reflect.TypeFor[record.Inode](),
		reflect.TypeFor[shell.Image](), reflect.TypeFor[shell.ProcRecord]()}
}

// Stored are the records of a store that a blob does not have.
func Stored() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[record.File](), reflect.TypeFor[record.Commit](), reflect.TypeFor[record.Ref]()}
}

// Programs are the states of utilities in flight, by utility.
func Programs() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, name := range core.Registry.Names() {
		if def := core.Registry.Lookup(name); def.New != nil {
			all[name] = reflect.TypeOf(def.New()).Elem()
		}
	}
	return all
}

// Kind is what a value is called in FORMAT.md, its structs by the name that name gives.
func Kind(t reflect.Type, name func(reflect.Type) string) string {
	switch t.Kind() {
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "int"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "uint"
	case reflect.Float32, reflect.Float64:
		return "float"
	case reflect.String:
		return "bytes"
	case reflect.Pointer:
		return Kind(t.Elem(), name) + "?"
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[" + Kind(t.Elem(), name) + "]"
	case reflect.Map:
		return "{" + Kind(t.Key(), name) + ": " + Kind(t.Elem(), name) + "}"
	}
	return name(t)
}

// Structs lists the structs that are reached from a saved type, each before those inside it.
func Structs(t reflect.Type, seen map[reflect.Type]bool) (all []reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return Structs(t.Elem(), seen)
	case reflect.Struct:
		if seen[t] {
			return nil
		}
		seen[t] = true
		all = append(all, t)
		fields, _ := Fields(t)
		for _, f := range fields {
			all = append(all, Structs(f.Type, seen)...)
		}
	}
	return all
}

// FullName is a struct's name with its package's path in the module.
func FullName(t reflect.Type) string {
	return strings.TrimPrefix(t.PkgPath(), "eryxsh/") + "." + t.Name()
}
