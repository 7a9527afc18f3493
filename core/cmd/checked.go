package cmd

import (
	"fmt"
	"reflect"
	"sync"
)

// Checked is a part of a Program that can tell a state that no run of it leaves behind. A state out of a blob may be
// anybody's: what is wrong with it must be known before a turn relies on it.
type Checked interface {
	// Wrong says what cannot be so; empty if nothing.
	Wrong(c *Ctx) string
}

// Wrong asks all parts of a Program.
func Wrong(prog Program, c *Ctx) string { return wrongIn(reflect.ValueOf(prog), c) }

func wrongIn(v reflect.Value, c *Ctx) string {
	if !checks(v.Type()) {
		return ""
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return wrongIn(v.Elem(), c)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if s := wrongIn(v.Index(i), c); s != "" {
				return s
			}
		}
	case reflect.Struct:
		if own, ok := v.Addr().Interface().(Checked); ok {
			if s := own.Wrong(c); s != "" {
				return s
			}
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				if s := wrongIn(v.Field(i), c); s != "" {
					return s
				}
			}
		}
	}
	return ""
}

var checked sync.Map // reflect.Type → whether one of its parts is Checked

// checks reports whether values of a type have a Checked part. No saved type is inside itself.
func checks(t reflect.Type) bool {
	if known, ok := checked.Load(t); ok {
		return known.(bool)
	}
	found := false
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		found = checks(t.Elem())
	case reflect.Struct:
		found = reflect.PointerTo(t).Implements(reflect.TypeFor[Checked]())
		for i := range t.NumField() {
			if f := t.Field(i); !found && (f.Tag.Get("cbor") != "" && f.Tag.Get("cbor") != "-" || f.Anonymous && f.Type.Kind() == reflect.Struct) {
				found = checks(f.Type)
			}
		}
	}
	checked.Store(t, found)
	return found
}

// Beyond says that a number is not from 0 to most; empty if it is.
func Beyond(what string, n, most int) string {
	if n < 0 || n > most {
		return fmt.Sprintf("%s is %d, and not from 0 to %d", what, n, most)
	}
	return ""
}

// BeyondArgs says that a count of operands is not one there can be.
func (c *Ctx) BeyondArgs(n int) string { return Beyond("a count of operands", n, max(len(c.Args), 1)) }

// Wrong checks the place in the buffer.
func (l *Lines) Wrong(*Ctx) string {
	most := len(l.Buf)
	if len(l.Parts) > 0 {
		most = 0
	}
	if s := Beyond("a place in a buffer", l.Pos, most); s != "" {
		return s
	}
	return Beyond("a size", l.Kept, 1<<50)
}

// Wrong checks the counts.
func (o *Operands) Wrong(*Ctx) string {
	if o.I < 0 || o.FD < 0 || o.Count < 0 {
		return "a descriptor or a count is negative"
	}
	return ""
}
