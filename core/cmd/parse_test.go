package cmd_test

import (
	"fmt"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/cmdtest"
)

// probe is a command that prints what Parse made of its arguments.
func probe(change func(*cmd.Command)) *cmd.Command {
	d := &cmd.Command{
		Name: "probe", Summary: "print its options", Usage: "probe [OPTION]...\nprobe --other", Class: cmd.Atomic, Status: 3,
		Options: []cmd.Option{
			{Short: 'a', Long: "all", Help: "all"},
			{Short: 'b', Help: "short only"},
			{Short: 'n', Long: "number", Arg: cmd.Required, Meta: "N", Help: "needs a value"},
			{Short: 'o', Long: "optional", Arg: cmd.Optional, Meta: "X", Help: "may have a value"},
			{Long: "only-long", Help: "long only"},
			{Short: 'q', Long: "quiet", Help: "quiet"}, {Short: 'q', Long: "quite", Help: "the same"},
			{Short: 'm', Long: "missing", Help: "not there", Missing: true},
		},
		Run: func(c *cmd.Ctx) int {
			for _, f := range c.Flags {
				fmt.Fprintf(&c.Out, "%s(%s)%q,%v ", f.Name, f.Given, f.Value, f.Has)
			}
			fmt.Fprintf(&c.Out, "%q", c.Args)
			return 0
		},
	}
	if change != nil {
		change(d)
	}
	return d
}

// TestParse holds the rules of getopt_long(3) and the words of its messages.
func TestParse(t *testing.T) {
	const try = "\nTry 'probe --help' for more information.\n"
	for _, test := range []struct{ args, out, err string }{
		{"", `[]`, ""},
		{"x -a y", `a(-a)"",false ["x" "y"]`, ""},
		{"-abn5 x", `a(-a)"",false b(-b)"",false n(-n)"5",true ["x"]`, ""},
		{"-n 5 -n6", `n(-n)"5",true n(-n)"6",true []`, ""},
		{"-n -a", `n(-n)"-a",true []`, ""},
		{"-a -- -b --x", `a(-a)"",false ["-b" "--x"]`, ""},
		{"x - -a", `a(-a)"",false ["x" "-"]`, ""},
		{"--number=7 --number 8", `n(--number)"7",true n(--number)"8",true []`, ""},
		{"--number=", `n(--number)"",true []`, ""},
		{"--num 7", `n(--number)"7",true []`, ""},
		{"-ox -o x --optional=y --optional z", `o(-o)"x",true o(-o)"",false o(--optional)"y",true o(--optional)"",false ["x" "z"]`, ""},
		{"--onl", `only-long(--only-long)"",false []`, ""},
		{"--qui", `q(--quiet)"",false []`, ""},
		{"--o", "", "probe: option '--o' is ambiguous; possibilities: '--optional' '--only-long'" + try},
		{"--opt=1 --al", `o(--optional)"1",true a(--all)"",false []`, ""},
		{"-z", "", "probe: invalid option -- 'z'" + try},
		{"-az", "", "probe: invalid option -- 'z'" + try},
		{"--zz=3", "", "probe: unrecognized option '--zz=3'" + try},
		{"-n", "", "probe: option requires an argument -- 'n'" + try},
		{"--number", "", "probe: option '--number' requires an argument" + try},
		{"--all=3", "", "probe: option '--all' doesn't allow an argument" + try},
	} {
		got := cmdtest.Run{Command: probe(nil), Args: strings.Fields(test.args)}.Do(t)
		status := 0
		if test.err != "" {
			status = 3
		}
		if got.Stdout != test.out || got.Stderr != test.err || got.Status != status {
			t.Errorf("%q: %s", test.args, got)
		}
	}
}

// TestParseStops covers commands whose options end at the first operand.
func TestParseStops(t *testing.T) {
	stop := probe(func(d *cmd.Command) { d.StopAtOperand = true })
	got := cmdtest.Run{Command: stop, Args: []string{"-a", "x", "-b"}}.Do(t)
	if got.Stdout != `a(-a)"",false ["x" "-b"]` {
		t.Error(got)
	}
	got = cmdtest.Run{Command: probe(nil), Args: []string{"x", "-b"}, Env: map[string]string{"POSIXLY_CORRECT": "1"}}.Do(t)
	if got.Stdout != `["x" "-b"]` {
		t.Error(got)
	}
	raw := probe(func(d *cmd.Command) { d.Raw = true })
	got = cmdtest.Run{Command: raw, Args: []string{"--help", "-z"}}.Do(t)
	if got.Stdout != `["--help" "-z"]` {
		t.Error(got)
	}
}

// TestMissing: an option that GNU has and we have not fails loudly and is reported.
func TestMissing(t *testing.T) {
	for _, arg := range []string{"-m", "--miss"} {
		got := cmdtest.Run{Command: probe(nil), Args: []string{arg}}.Do(t)
		if got.Status != 2 || got.Stderr != "eryxsh: probe: option --missing: not yet\n" || len(got.Unsupported) != 1 || got.Unsupported[0] != "probe option --missing" {
			t.Error(got)
		}
	}
}

// TestHelp makes --help and --version from the table.
func TestHelp(t *testing.T) {
	got := cmdtest.Run{Command: probe(nil), Args: []string{"-a", "--help"}}.Do(t)
	want := `Usage: probe [OPTION]...
  or:  probe --other
Print its options.

  -a, --all                  all
  -b                         short only
  -n, --number=N             needs a value
  -o, --optional[=X]         may have a value
      --only-long            long only
  -q, --quiet                quiet
  -q, --quite                the same
  -m, --missing              (not yet) not there
      --help                 display this help and exit
      --version              output version information and exit

probe of eryxsh, which does what that of GNU coreutils 9.1 does.
`
	if got.Stdout != want || got.Status != 0 {
		t.Error(got.Stdout)
	}
	got = cmdtest.Run{Command: probe(nil), Args: []string{"--ver"}}.Do(t)
	if got.Stdout != "probe (eryxsh, as GNU coreutils) 9.1\n" {
		t.Error(got)
	}
}

// TestRegistry: names are sorted, and a later list wins.
func TestRegistry(t *testing.T) {
	a, b, c := &cmd.Command{Name: "b"}, &cmd.Command{Name: "a"}, &cmd.Command{Name: "b", Summary: "new"}
	r := cmd.NewRegistry([]*cmd.Command{a, b}, []*cmd.Command{c})
	if fmt.Sprint(r.Names()) != "[a b]" || r.Lookup("b") != c || r.Lookup("x") != nil {
		t.Error(r.Names(), r.Lookup("b"))
	}
}
