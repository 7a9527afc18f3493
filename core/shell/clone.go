package shell

import (
	"reflect"

	"eryxsh/core/cmd"
)

// clonePlain copies a Program deeply into one that New has just made: its
// exported fields, which are plain data, and none of its caches, which it rebuilds.
func clonePlain(fresh, p cmd.Program) {
	copyPlain(reflect.ValueOf(fresh).Elem(), reflect.ValueOf(p).Elem(), 0)
}

// maxPlain bounds the nesting of plain data.
const maxPlain = 64

func copyPlain(dst, src reflect.Value, depth int) {
	if depth > maxPlain {
		panic("shell: a program's state is nested too deeply to copy")
	}
	switch src.Kind() {
	case reflect.Pointer:
		if src.IsNil() {
			dst.SetZero()
			return
		}
		dst.Set(reflect.New(src.Type().Elem()))
		copyPlain(dst.Elem(), src.Elem(), depth+1)
	case reflect.Struct:
		for i := range src.NumField() {
			if src.Type().Field(i).IsExported() {
				copyPlain(dst.Field(i), src.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if src.IsNil() {
			dst.SetZero()
			return
		}
		dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
		if flat(src.Type().Elem().Kind()) {
			reflect.Copy(dst, src)
			return
		}
		for i := range src.Len() {
			copyPlain(dst.Index(i), src.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range src.Len() {
			copyPlain(dst.Index(i), src.Index(i), depth+1)
		}
	case reflect.Map:
		if src.IsNil() {
			dst.SetZero()
			return
		}
		dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
		for it := src.MapRange(); it.Next(); {
			v := reflect.New(src.Type().Elem()).Elem()
			copyPlain(v, it.Value(), depth+1)
			dst.SetMapIndex(it.Key(), v)
		}
	default:
		dst.Set(src)
	}
}

// partWeight is about what it takes to copy a part of a program's state, in the
// time that so many bytes take.
const partWeight = 64

// weighPlain takes what a copy of a value weighs off an allowance. It stops
// where nothing is left of it.
func weighPlain(v reflect.Value, left int) int {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return left
		}
		return weighPlain(v.Elem(), left-partWeight)
	case reflect.Struct:
		for i := 0; i < v.NumField() && left > 0; i++ {
			if f := v.Field(i); f.CanInterface() { // it is exported
				left = weighPlain(f, left)
			}
		}
	case reflect.Slice, reflect.Array:
		if flat(v.Type().Elem().Kind()) {
			return left - partWeight - v.Len()*int(v.Type().Elem().Size())
		}
		if left -= v.Len() * partWeight; left > 0 && !allFlat(v.Type().Elem()) {
			for i := 0; i < v.Len() && left > 0; i++ {
				left = weighPlain(v.Index(i), left)
			}
		}
	case reflect.Map:
		left -= v.Len() * 2 * partWeight
		for it := v.MapRange(); left > 0 && it.Next(); {
			left = weighPlain(it.Value(), left)
		}
	}
	return left
}

func flat(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}

// allFlat reports whether a value of the type leads to no others.
func allFlat(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return flat(t.Kind())
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && !flat(f.Type.Kind()) {
			return false
		}
	}
	return true
}
