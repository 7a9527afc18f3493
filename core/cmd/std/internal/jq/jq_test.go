package jq_test

import (
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/cmdtest"
	"eryxsh/core/cmd/std/internal/jq"
)

func command() *cmd.Command {
	return &cmd.Command{Name: "jq", Class: cmd.Step, Status: 2, Raw: true, New: func() cmd.Program { return &jq.Program{} }}
}

// TestPrograms runs programs plainly, saved and loaded between all turns, and
// with turns of a few instructions.
func TestPrograms(t *testing.T) {
	for _, c := range []struct{ args, in, out, err string }{
		{`-c .`, `{"b":1,"a":[1,{"c":null}],"b":2}`, `{"b":2,"a":[1,{"c":null}]}`, ""},
		{`-c .[]`, "[1,[2],\"x\"]\n3", "1\n[2]\n\"x\"", "jq: error (at <stdin>:1): Cannot iterate over number (3)\n"},
		{`-c [.[]|select(.ok)|.n]|add`, `[{"ok":true,"n":1},{"n":5},{"ok":1,"n":2}]`, "3", ""},
		{`-nc [limit(5;repeat(1))]`, "", "[1,1,1,1,1]", ""},
		{`-nc reduce range(1000) as $i ({}; .[$i%50|tostring] += $i) | length, .["7"]`, "", "50\n9640", ""},
		{`-nc reduce range(300) as $i ([]; .[$i] = $i) | .[299], length`, "", "299\n300", ""},
		{`-nc reduce range(100) as $i ([[]]; . + [.[-1] + [$i]]) | [.[50,3][-1], (.[100]|length)]`, "", "[49,2,100]", ""},
		{`-nc [range(40)] as $a | [$a, ($a|.[3]=0), ($a|.[3]=1)] | [.[][3]]`, "", "[3,0,1]", ""},
		{`-nc def f: if . >= 30000 then . else .+1|f end; 0|f`, "", "30000", ""},
		{`-nc [label $f | range(10) | ., (select(. == 3) | break $f)]`, "", "[0,1,2,3]", ""},
		{`-nc try error("x") catch ("got " + .)`, "", `"got x"`, ""},
		{`-nc [.[]?], [(1,2) as $x | $x * 10], ([[1,2]] | .[] as [$a,$b] | $a + $b)`, "", "[]\n[10,20]\n3", ""},
		{`-nc [1,2,3,4] | (.[]|select(. > 2)) |= empty`, "", "[1,2]", ""},
		{`-nc {"a":[1,2]} | [paths], [paths(scalars)], [tostream]`, "", "[[\"a\"],[\"a\",0],[\"a\",1]]\n[[\"a\",0],[\"a\",1]]\n[[[\"a\",0],1],[[\"a\",1],2],[[\"a\",1]],[[\"a\"]]]", ""},
		{`-c --stream .`, `{"a":[1,{"b":2}],"c":[]}`, "[[\"a\",0],1]\n[[\"a\",1,\"b\"],2]\n[[\"a\",1,\"b\"]]\n[[\"a\",1]]\n[[\"c\"],[]]\n[[\"c\"]]", ""},
		{`-nc [inputs]`, "1 2 [3]", "[1,2,[3]]", ""},
		{`-nc input, input`, "1", "1", "jq: error (at <stdin>:0): No more inputs\n"},
		{`-Rc .`, "a\nb", "\"a\"\n\"b\"", ""},
		{`-Rsc .`, "a\nb", `"a\nb"`, ""},
		{`-sc .`, "1 2", "[1,2]", ""},
		{`-r .[]|@sh,@base64`, `["it's"]`, "'it'\\''s'\naXQncw==", ""},
		{`-c .`, "[1,\n2", "", "jq: parse error: Unfinished JSON term at EOF at line 2, column 1\n"},
		{`-c .`, "{a:1}", "", "jq: parse error: Invalid numeric literal at line 1, column 3\n"},
		{`-n {a b}`, "", "", "jq: error: syntax error, unexpected IDENT (Unix shell quoting issues?) at <top-level>, line 1:\n{a b}   \njq: 1 compile error\n"},
		{`-n nope(1)`, "", "", "jq: error: nope/1 is not defined at <top-level>, line 1:\nnope(1)\njq: 1 compile error\n"},
		{`-nc "aXbx" | [match("x";"gi").offset], gsub("(?<l>x)";"<\(.l)>";"i"), [splits("x";"i")]`, "", "[1,3]\n\"a<X>b<x>\"\n[\"a\",\"b\",\"\"]", ""},
		{`-c .`, "[1.000,1e1000,100000000000000000001,0.1,-0,1e-9]", "[1.000,1E+1000,100000000000000000001,0.1,-0,1E-9]", ""},
		{`-nc "10:20 5/3/2024"|strptime("%H:%M %d/%m/%Y")|mktime|todate`, "", `"2024-03-05T10:20:00Z"`, ""},
		{`-nc [.,1]|until(.[1]>3;[.[0],.[1]+1])`, "", "[null,4]", ""},
		{`-nc "x"|halt_error`, "", "", "x"},
	} {
		option, text, _ := strings.Cut(c.args, " ")
		args := []string{option, text}
		if option == "-c" && strings.HasPrefix(text, "--stream ") {
			args = []string{"-c", "--stream", text[9:]}
		}
		if option[0] != '-' {
			args = []string{c.args}
		}
		got := cmdtest.Check(t, cmdtest.Run{Command: command(), Args: args, Stdin: c.in})
		if strings.TrimSuffix(got.Stdout, "\n") != c.out || got.Stderr != c.err {
			t.Errorf("jq %s\ngot  %q %q\nwant %q %q", c.args, got.Stdout, got.Stderr, c.out, c.err)
		}
	}
}

// FuzzProgram runs any text for some turns: it must neither panic nor hang.
func FuzzProgram(f *testing.F) {
	for _, s := range []string{".", `[.[]|{a,b:.c}]`, `. as [$a] ?// $a|$a`, `"\(1)"`, `try error catch .`, `.[1:]|=[1]`, `def f(x): x|f(x); f(.)`, `path(..)`} {
		f.Add(s, `[1,{"a":2}]`)
	}
	f.Fuzz(func(t *testing.T, text, in string) {
		r := cmdtest.Run{Command: bounded(), Args: []string{"-c", "--", text}, Stdin: in}
		r.Do(t)
	})
}

// bounded is jq that ends after some turns.
func bounded() *cmd.Command {
	c := command()
	c.New = func() cmd.Program { return &fewTurns{p: &jq.Program{}, left: 3} }
	return c
}

type fewTurns struct {
	p    *jq.Program
	left int
}

func (f *fewTurns) Step(c *cmd.Ctx) cmd.Next {
	if f.left--; f.left < 0 {
		return cmd.Exit(0)
	}
	return f.p.Step(c)
}

func BenchmarkSelect(b *testing.B) {
	var s strings.Builder
	s.WriteByte('[')
	for i := range 60000 {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(`{"id":12345,"name":"some name here","ok":true,"score":17.5,"tags":["a","b"],"n":null}`)
	}
	s.WriteByte(']')
	b.SetBytes(int64(s.Len()))
	for range b.N {
		cmdtest.Run{Command: command(), Args: []string{"[.[] | select(.ok) | .score] | add"}, Stdin: s.String()}.Do(b)
	}
}
