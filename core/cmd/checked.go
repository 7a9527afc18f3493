package cmd

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// A state out of a blob may be anybody's: what is wrong with it must be known before a turn relies on it. A saved field whose
// number or length the code relies on says in its tag what it holds:
//
//	holds:"operand"    a number of operands: up to those there are, and 1 where none stands for standard input
//	holds:"count"      a count or a descriptor: not negative
//	holds:"size"       a size or a place: not negative, and others can be added to it
//	holds:"5"          0 to 5: a phase
//	holds:"2 to 36"
//	holds:"in Buf"     a place in the field Buf beside it, or its end
//	holds:"of Files"   a place in the field Files, which has a member there (or none at all, and the place is 0)
//	holds:"as Names"   a list as long as the list Names
//
// What a tag cannot say is said by a method.

// Checked is a part of a Program that can tell a state that no run of it leaves behind.
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
		for _, r := range rulesOf(v.Type()) {
			if s := r.wrong(c, v); s != "" {
				return s
			}
		}
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
		found = reflect.PointerTo(t).Implements(reflect.TypeFor[Checked]()) || len(rulesOf(t)) > 0
		for i := range t.NumField() {
			if f := t.Field(i); !found && (f.Tag.Get("cbor") != "" && f.Tag.Get("cbor") != "-" || f.Anonymous && f.Type.Kind() == reflect.Struct) {
				found = checks(f.Type)
			}
		}
	}
	checked.Store(t, found)
	return found
}

// rule is what a field of a struct holds.
type rule struct {
	name   string
	field  int
	least  int64
	most   int64
	beside int // the field whose length bounds it; -1 is none
	end    bool
	length bool // its own length must be that of the other
	args   bool // the operands bound it
}

// endless is the most that a size can be: sums of some of them are numbers still.
const endless = 1 << 50

func (r *rule) wrong(c *Ctx, owner reflect.Value) string {
	v, most := owner.Field(r.field), r.most
	switch {
	case r.length:
		if n, want := v.Len(), owner.Field(r.beside).Len(); n != want {
			return fmt.Sprintf("%s has %d members, and not %d", r.name, n, want)
		}
		return ""
	case r.args:
		most = int64(max(len(c.Args), 1))
	case r.beside >= 0:
		most = int64(owner.Field(r.beside).Len())
		if !r.end && most > 0 {
			most--
		}
	}
	n := int64(math.MaxInt64)
	if v.CanInt() {
		n = v.Int()
	} else if u := v.Uint(); u < math.MaxInt64 {
		n = int64(u)
	}
	if n < r.least || n > most {
		return fmt.Sprintf("%s is %d, and not from %d to %d", r.name, n, r.least, most)
	}
	return ""
}

var rules sync.Map // reflect.Type → []rule

// rulesOf gives the rules of a struct's fields.
func rulesOf(t reflect.Type) []rule {
	if known, ok := rules.Load(t); ok {
		return known.([]rule)
	}
	var all []rule
	for i := range t.NumField() {
		if tag, ok := t.Field(i).Tag.Lookup("holds"); ok {
			all = append(all, ruleOf(t, i, tag))
		}
	}
	rules.Store(t, all)
	return all
}

// ruleOf reads a tag. One that says nothing is a fault of the program's, which every test of it shows.
func ruleOf(t reflect.Type, field int, tag string) rule {
	r := rule{name: t.Name() + "." + t.Field(field).Name, field: field, beside: -1, most: endless}
	how, other, two := strings.Cut(tag, " ")
	switch {
	case tag == "operand":
		r.args = true
	case tag == "size":
	case tag == "count":
		r.most = math.MaxInt64
	case how == "in" || how == "of" || how == "as":
		f, ok := t.FieldByName(other)
		if !ok {
			panic(fmt.Sprintf("%s holds %q", r.name, tag))
		}
		r.beside, r.end, r.length = f.Index[0], how == "in", how == "as"
	default:
		least, most, bounded := strings.Cut(tag, " to ")
		if !bounded {
			least, most = "0", tag
		}
		var err, worse error
		r.least, err = strconv.ParseInt(least, 10, 64)
		r.most, worse = strconv.ParseInt(most, 10, 64)
		if err != nil || worse != nil || two != bounded {
			panic(fmt.Sprintf("%s holds %q", r.name, tag))
		}
	}
	return r
}

// Unfit ends a program whose saved state does not fit what it is made from again: the text of a program, the lines of a file. What
// a load can see is said by Wrong.
func (c *Ctx) Unfit(what string) Next {
	c.Errorf("cannot go on from its saved state: %s", what)
	return Exit(unfitStatus)
}

// unfitStatus is what a program ends with that cannot go on: EX_DATAERR of sysexits.h.
const unfitStatus = 65

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
