package shell

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"eryxsh/core/limit"
)

// TestCodeThatRanIsGarbage: a long script holds the code of the lines it is at, not that of all lines before them.
func TestCodeThatRanIsGarbage(t *testing.T) {
	plain := strings.Builder{}
	for i := range 20_000 {
		fmt.Fprintf(&plain, ": a%d $x; : b >/dev/null\n", i)
	}
	for name, script := range map[string]string{
		"lines":   plain.String(),
		"aliases": "shopt -s expand_aliases\n" + strings.Repeat("alias a-b='echo $x'\na-b X >/dev/null\n: b\nunalias a-b\n: c\n", 1000),
		"nested":  strings.Repeat("((:) )\n:\n", 2000),
	} {
		m := newTestMachine()
		m.Limits = limit.Default()
		if err := m.Begin(Start{Script: script + "while :; do :; done\n", RunID: "r"}); err != nil {
			t.Fatal(err)
		}
		before, left := live(), 3000
		m.Advance(impatientHost{left: &left})
		if grown := live() - before; grown > 10*len(script)+1<<20 {
			t.Errorf("%s: a script of %d bytes holds %d more when it has run", name, len(script), grown)
		}
		if !m.Run.Active {
			t.Errorf("%s: it ended", name)
		}
	}
}

// live is how many bytes are in use.
func live() int {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
