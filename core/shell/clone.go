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

func flat(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}
