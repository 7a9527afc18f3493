package cmd_test

import (
	"fmt"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/cmdtest"
)

// numberLines prints every line of its input in brackets, with its file.
type numberLines struct {
	In cmd.Input `cbor:"1,keyasint,omitempty"`
}

func (p *numberLines) Step(c *cmd.Ctx) cmd.Next {
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	for line, ok := p.In.Next('\n'); ok; line, ok = p.In.Next('\n') {
		fmt.Fprintf(&c.Out, "%s[%s]%v\n", p.In.Name(c), line, p.In.Bare())
	}
	return cmd.Again()
}

func lister() *cmd.Command {
	return &cmd.Command{Name: "lister", Class: cmd.Step, OpenError: "cannot open 'NAME': WHY", New: func() cmd.Program { return &numberLines{} }}
}

// TestInput walks operands: lines do not run over the end of a file, and a bad file is reported and skipped.
func TestInput(t *testing.T) {
	got := cmdtest.Check(t, cmdtest.Run{
		Command: lister(), Args: []string{"a", "no such", "empty", "-", "b", "dir"}, Stdin: "in\nput",
		Files: map[string]string{"a": "1\n\n2", "empty": "", "b": "\n", "dir/": ""},
	})
	want := "a[1]false\na[]false\na[2]true\n-[in]false\n-[put]true\nb[]false\n"
	if got.Stdout != want || got.Status != 1 || got.Stderr != "lister: cannot open 'no such': No such file or directory\nlister: dir: Is a directory\n" {
		t.Error(got)
	}
}

// TestLongLine has a line far longer than a turn.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	got := cmdtest.Check(t, cmdtest.Run{Command: lister(), Stdin: "a\n" + long + "\nb\n"})
	if got.Stdout != "-[a]false\n-["+long+"]false\n-[b]false\n" {
		t.Errorf("%d bytes", len(got.Stdout))
	}
}

// countLines does nothing with its lines: the speed of Lines itself.
type countLines struct {
	In cmd.Input `cbor:"1,keyasint,omitempty"`
	N  int       `cbor:"2,keyasint,omitempty"`
}

func (p *countLines) Step(c *cmd.Ctx) cmd.Next {
	next, ok := p.In.Turn(c)
	if !ok {
		return next
	}
	for _, ok := p.In.Next('\n'); ok; _, ok = p.In.Next('\n') {
		p.N++
	}
	return cmd.Again()
}

func BenchmarkLines(b *testing.B) {
	in := strings.Repeat("a line of some thirty-odd bytes\n", 160_000)
	d := &cmd.Command{Name: "count", Class: cmd.Step, New: func() cmd.Program { return &countLines{} }}
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		cmdtest.Run{Command: d, Stdin: in}.Do(b)
	}
}
