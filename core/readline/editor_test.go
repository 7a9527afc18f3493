package readline

import (
	"strings"
	"testing"
)

func session(told *[]string) *Session {
	s := Begin(nil)
	s.Tell = func(m string) { *told = append(*told, m) }
	return s
}

// Every default binding is of a function there is, and none is lost on the way.
func TestDefaults(t *testing.T) {
	var told []string
	s := session(&told)
	s.Source(defaults, "defaults")
	if len(told) > 0 {
		t.Fatal(told)
	}
	for _, b := range s.Editor.Binds {
		if b.Text == "" {
			t.Errorf("%q is bound to no function", b.Keys)
		}
	}
	if n := strings.Count(defaults, "\n\""); n != len(s.Editor.Binds) {
		t.Errorf("%d bindings of %d lines", len(s.Editor.Binds), n)
	}
}

// What a long session leaves is as large as what it bound.
func TestKeptChanges(t *testing.T) {
	var told []string
	e := &Editor{}
	for range 1000 {
		s := Begin(e)
		s.Line(`"\C-xa": abort`)
		s.Line(`"\C-xa": "text"`)
		s.Line("set bell-style none")
		s.Drop("undo")
		e = s.End()
	}
	if len(e.Binds) != 2 || len(e.Vars) != 1 || e.Wrong() {
		t.Errorf("%+v", e)
	}
	s := session(&told)
	s.Editor = e
	if got := s.Listing('s'); got != "\"\\C-xa\": \"text\"\n" {
		t.Error(got)
	}
}

// Hostile input ends in a message.
func TestDepths(t *testing.T) {
	var told []string
	s := session(&told)
	s.Read = func(string) (string, error) { return "$include me\n", nil }
	s.Line("$include me")
	s.Line(`"` + strings.Repeat("x", 1<<20) + `": abort`)
	if len(told) != 2 || len(s.Editor.Binds) != 0 {
		t.Error(told, len(s.Editor.Binds))
	}
	for _, e := range []Editor{{Keymap: -1}, {Keymap: keymapCount}, {Binds: []Binding{{Map: 9, Keys: "x"}}}, {Binds: []Binding{{}}},
		{Binds: []Binding{{Keys: "x", Kind: toKeymap}}}, {Binds: []Binding{{Keys: strings.Repeat("x", longestSequence+1)}}}} {
		if !e.Wrong() {
			t.Errorf("%+v is taken", e)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add(`"\C-xa\M-\C-b": "text"`)
	f.Add("Control-Meta-x: abort")
	f.Add("$if version >= 8.2")
	f.Add("set bell-style visible")
	f.Fuzz(func(t *testing.T, line string) {
		s := Begin(nil)
		s.Tell = func(string) {}
		s.Source(line, "x")
		_ = s.Command(line)
		s.Remove(line)
		e := s.End()
		if e.Wrong() {
			t.Fatalf("%+v", e)
		}
		for _, c := range []byte("lpPvVsSX") {
			s.Listing(c)
		}
	})
}
