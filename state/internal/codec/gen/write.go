package main

import (
	"reflect"
	"strings"

	"eryxsh/state/internal/numbers"
)

// write writes the method that adds a struct.
func (g *generator) write(t reflect.Type) {
	g.line("\nfunc (w *writer) %s(x *%s) {", function(t), t)
	if numbers.Array(t) {
		fields := g.fields(t)
		g.line("w.head(isList, %d)", len(fields))
		for _, f := range fields {
			g.put(f.typ, "x."+f.name)
		}
	} else {
		g.line("at := w.begin()")
		g.writeFields(t, "x.", "at")
	}
	g.line("}")
}

func (g *generator) writeFields(t reflect.Type, x, at string) {
	for _, f := range g.fields(t) {
		if special[t] == f.name {
			g.line("w.%s(%s, %d, %s)", lower(f.name), at, f.num, strings.TrimSuffix(x, "."))
			continue
		}
		if !f.empty {
			g.line("w.key(%s, %d)", at, f.num)
			g.put(f.typ, x+f.name)
			continue
		}
		g.writeField(f, x+f.name, at)
	}
}

// writeField adds a field that is left out when it is empty.
func (g *generator) writeField(f field, x, at string) {
	method, wide := number(f.typ.Kind())
	switch {
	case method != "":
		g.line("w.%s(%s, %d, %s)", strings.ToLower(method), at, f.num, converted(wide, f.typ, x))
	case f.typ.Kind() == reflect.Bool:
		g.line("w.bool(%s, %d, %s)", at, f.num, x)
	case f.typ.Kind() == reflect.String:
		g.line("w.string(%s, %d, %s)", at, f.num, converted("string", f.typ, x))
	case isBytes(f.typ):
		g.line("w.bytes(%s, %d, %s)", at, f.num, x)
	case isTable(f.typ):
		g.line("w.table(%s, %d, %s)", at, f.num, x)
	case isStrings(f.typ):
		g.line("w.strings(%s, %d, %s)", at, f.num, x)
	case f.typ.Kind() == reflect.Pointer:
		g.line("if %s != nil {", x)
		g.line("w.key(%s, %d)", at, f.num)
		g.put(f.typ.Elem(), "*"+x)
		g.line("}")
	case f.typ.Kind() == reflect.Slice:
		g.line("if w.list(%s, %d, len(%s)) {", at, f.num, x)
		g.elements(f.typ.Elem(), x)
		g.line("}")
	case f.typ.Kind() == reflect.Array: // never empty
		g.line("w.key(%s, %d)", at, f.num)
		g.put(f.typ, x)
	default:
		g.bad("%s: %s cannot be written", x, f.typ)
	}
}

func (g *generator) elements(elem reflect.Type, x string) {
	g.line("for i := range %s {", x)
	g.put(elem, x+"[i]")
	g.line("}")
}

// put adds a value.
func (g *generator) put(t reflect.Type, x string) {
	method, wide := number(t.Kind())
	switch {
	case method != "":
		g.line("w.put%s(%s)", method, converted(wide, t, x))
	case t.Kind() == reflect.Bool:
		g.line("w.putBool(%s)", x)
	case t.Kind() == reflect.String:
		g.line("w.putString(%s)", converted("string", t, x))
	case isBytes(t):
		g.line("w.putBytes(%s)", x)
	case t.Kind() == reflect.Array:
		g.line("w.head(isList, %d)", t.Len())
		g.elements(t.Elem(), x)
	case t.Kind() == reflect.Slice:
		g.line("w.putList(len(%s), %s == nil)", x, x)
		g.elements(t.Elem(), x)
	case t.Kind() == reflect.Pointer:
		g.line("if %s == nil {\nw.b = append(w.b, isNull)\n} else {", x)
		g.put(t.Elem(), "*"+x)
		g.line("}")
	case t.Kind() == reflect.Struct && named(t):
		g.line("w.%s(%s)", function(t), pointer(x))
	case t.Kind() == reflect.Struct && !numbers.Array(t):
		g.line("{\ninner := w.begin()")
		g.writeFields(t, x+".", "inner")
		g.line("}")
	default:
		g.bad("%s: %s cannot be written", x, t)
	}
}

// pointer is the address of an expression.
func pointer(x string) string {
	if p, ok := strings.CutPrefix(x, "*"); ok {
		return p
	}
	return "&" + x
}

// converted is an expression as a type.
func converted(want string, t reflect.Type, x string) string {
	if t.String() == want {
		return x
	}
	return want + "(" + x + ")"
}

// lower begins a name with a small letter.
func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }
