package main

import (
	"reflect"
	"strings"

	"eryxsh/state/internal/numbers"
)

// read writes the method that reads a struct.
func (g *generator) read(t reflect.Type) {
	g.line("\nfunc (r *reader) %s(x *%s) {", function(t), t)
	if numbers.Array(t) {
		fields := g.fields(t)
		g.line("r.fixed(%d)", len(fields))
		for _, f := range fields {
			g.get(f.typ, "x."+f.name)
		}
	} else {
		g.readFields(t, "x.")
	}
	g.line("}")
}

func (g *generator) readFields(t reflect.Type, x string) {
	g.line("last := byte(0)\nfor n := r.begin(); n > 0 && !r.bad; n-- {\nlast = r.key(last)\nswitch last {")
	for _, f := range g.fields(t) {
		g.line("case %d:", f.num)
		if special[t] == f.name {
			g.line("r.%s(%s)", lower(f.name), strings.TrimSuffix(x, "."))
			continue
		}
		g.get(f.typ, x+f.name)
		if extra := charged[t][f.name]; extra != "" {
			g.line("%s", extra)
		}
	}
	g.line("default:\nr.fail()\n}\n}")
}

// get reads a value into an expression.
func (g *generator) get(t reflect.Type, x string) {
	method, _ := number(t.Kind())
	switch {
	case method != "":
		g.line("read%s(r, %s)", method, pointer(x))
	case t.Kind() == reflect.Bool:
		g.line("r.bool(%s)", pointer(x))
	case t.Kind() == reflect.String:
		g.line("r.string(%s)", pointer(x))
	case isBytes(t):
		g.line("r.bytes(%s)", pointer(x))
	case isTable(t):
		g.line("r.table(%s)", pointer(x))
	case t.Kind() == reflect.Array:
		g.line("r.fixed(%d)", t.Len())
		g.line("for i := range %s {", x)
		g.get(t.Elem(), x+"[i]")
		g.line("}")
	case isStrings(t):
		g.line("r.strings(%s)", pointer(x))
	case t.Kind() == reflect.Slice:
		g.line("for i := range list(r, %s) {", pointer(x))
		g.get(t.Elem(), x+"[i]")
		g.line("}")
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && named(t.Elem()):
		g.line("if p := one(r, %s); p != nil {\nr.%s(p)\n}", pointer(x), function(t.Elem()))
	case t.Kind() == reflect.Struct && named(t):
		g.line("r.%s(%s)", function(t), pointer(x))
	case t.Kind() == reflect.Struct && !numbers.Array(t):
		g.line("{")
		g.readFields(t, x+".")
		g.line("}")
	default:
		g.bad("%s: %s cannot be read", x, t)
	}
}
