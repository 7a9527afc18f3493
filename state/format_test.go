package state

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"eryxsh/state/internal/numbers"
)

// kindName is how FORMAT.md calls a type.
func kindName(t reflect.Type) string { return numbers.Kind(t, structName) }

func structName(t reflect.Type) string {
	name := t.Name()
	if strings.HasPrefix(t.String(), "vfs.") && name == "Record" {
		return "InodeRecord"
	}
	if strings.HasPrefix(t.String(), "vfs.") && name == "Entry" {
		return "Name"
	}
	if strings.HasPrefix(t.String(), "vars.") && name == "Record" {
		return "Variable"
	}
	if strings.HasPrefix(t.String(), "expand.") && name == "Entry" {
		return "MemoEntry"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

var (
	section  = regexp.MustCompile("^### `(\\w+)`")
	fieldRow = regexp.MustCompile("^\\| (\\d+|–) \\| (\\w+) \\| `([^`]+)` \\| (.+) \\|$")
	constRow = regexp.MustCompile("^\\| `(\\w+)` \\| `?([^|`]+)`? \\| (.+) \\|$")
)

// TestFormat compares the tables of FORMAT.md with the code.
func TestFormat(t *testing.T) {
	data, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	written := map[string][]string{}
	constants := map[string]string{}
	at := ""
	byHand, _, _ := strings.Cut(string(data), numbers.Mark)
	for _, line := range strings.Split(byHand, "\n") {
		if m := section.FindStringSubmatch(line); m != nil {
			at = m[1]
			written[at] = nil
		} else if m := fieldRow.FindStringSubmatch(line); m != nil {
			written[at] = append(written[at], fmt.Sprintf("%s %s %s", m[1], m[2], m[3]))
		} else if m := constRow.FindStringSubmatch(line); m != nil {
			constants[m[1]] = strings.TrimSpace(m[2])
		}
	}
	for name, want := range map[string]string{"Magic": strconv.Quote(Magic), "Container": strconv.Itoa(Container), "Schema": strconv.Itoa(Schema), "MinReader": strconv.Itoa(MinReader),
		"RecChunk": strconv.Itoa(RecChunk), "RecWorld": strconv.Itoa(RecWorld), "RecTree": strconv.Itoa(RecTree), "RecInode": strconv.Itoa(RecInode),
		"RecMachine": strconv.Itoa(RecMachine), "RecProcess": strconv.Itoa(RecProcess), "RecEnd": strconv.Itoa(RecEnd), "sumSize": strconv.Itoa(sumSize),
		"maxItems": strconv.Itoa(maxItems), "maxNest": strconv.Itoa(maxNest), "ChunkSize": strconv.Itoa(16 << 10), "headerCost": strconv.Itoa(headerCost)} {
		if constants[name] != want {
			t.Errorf("%s is %q in FORMAT.md and %s in the code", name, constants[name], want)
		}
		delete(constants, name)
	}
	for name := range constants {
		t.Errorf("FORMAT.md has %s, which the code has not", name)
	}
	if fresh, err := numbers.Format(data, ".."); err != nil || !bytes.Equal(fresh, data) {
		t.Errorf("FORMAT.md is stale, run `go generate ./state/internal/codec` (%v)", err)
	}
	w := newWalker()
	for _, r := range append(numbers.Records(), numbers.Stored()...) {
		w.walk(r, r.Name(), "")
	}
	known := map[string]bool{}
	for _, st := range w.order {
		name := structName(st)
		known[name] = true
		var rows []string
		for _, f := range w.structs[st] {
			num := strconv.Itoa(f.num)
			if f.num == 0 {
				num = "–"
			}
			rows = append(rows, fmt.Sprintf("%s %s %s", num, f.name, kindName(f.typ)))
		}
		if got, want := strings.Join(written[name], "\n"), strings.Join(rows, "\n"); got != want {
			a, b := firstDifference(got, want)
			t.Errorf("%s: FORMAT.md has %q where the code has %q", name, a, b)
		}
	}
	for name := range written {
		if !known[name] {
			t.Errorf("FORMAT.md describes %s, which is not saved", name)
		}
	}
	if os.Getenv("FORMAT") != "" { // the tables as the code has them, to be completed by hand
		for _, st := range w.order {
			fmt.Printf("\n### `%s`\n\n| number | field | kind | meaning |\n|---|---|---|---|\n", structName(st))
			for _, f := range w.structs[st] {
				fmt.Printf("| %d | %s | `%s` | @@%s.%s |\n", f.num, f.name, kindName(f.typ), st.String(), f.name)
			}
		}
	}
}
