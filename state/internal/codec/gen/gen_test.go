package main

import (
	"reflect"
	"strings"
	"testing"
)

// The generated files in the tree are those of today's structs.
func TestGeneratedFilesAreFresh(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if old := stale("..", files); len(old) > 0 {
		t.Errorf("stale, run `go generate ./state/internal/codec`: %q", old)
	}
	files[0].content = append(files[0].content, '\n')
	if old := stale("..", files); len(old) != 1 {
		t.Errorf("a changed file is not seen: %q", old)
	}
}

// What the generator cannot write is an error, not left out.
func TestUnknownKinds(t *testing.T) {
	type number struct {
		Far int `cbor:"24,keyasint"`
	}
	type float struct {
		F float64 `cbor:"1,keyasint"`
	}
	type table struct {
		M map[int]int `cbor:"1,keyasint,omitempty"`
	}
	for _, v := range []any{number{}, float{}, table{}} {
		g := &generator{done: map[reflect.Type]bool{}, out: &strings.Builder{}}
		g.write(reflect.TypeOf(v))
		if g.err == nil {
			t.Errorf("%T is taken: %s", v, g.out)
		}
		g.err = nil
		if g.read(reflect.TypeOf(v)); g.err == nil {
			t.Errorf("%T is taken: %s", v, g.out)
		}
	}
}
