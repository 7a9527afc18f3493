// Package csplit is the utility csplit, which cuts a file where lines match.
//
// All lines are collected first, because a pattern can cut before the line it
// matches. Then every use of a pattern is searched for, some lines a turn, and
// writes one output file.
package csplit

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/format"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/regex"
)

// Command is csplit.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "csplit", Acts: true, Summary: "output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ..., and output byte counts of each piece to standard output",
		Usage: "csplit [OPTION]... FILE PATTERN...",
		Options: []cmd.Option{
			{Short: 'b', Long: "suffix-format", Arg: cmd.Required, Meta: "FORMAT", Help: "use sprintf FORMAT instead of %02d"},
			{Short: 'f', Long: "prefix", Arg: cmd.Required, Meta: "PREFIX", Help: "use PREFIX instead of 'xx'"},
			{Short: 'k', Long: "keep-files", Help: "do not remove output files on errors"},
			{Long: "suppress-matched", Help: "suppress the lines matching PATTERN"},
			{Short: 'n', Long: "digits", Arg: cmd.Required, Meta: "DIGITS", Help: "use specified number of digits instead of 2"},
			{Short: 'q', Long: "quiet", Help: "do not print counts of output file sizes"},
			{Short: 's', Long: "silent", Help: "do not print counts of output file sizes"},
			{Short: 'z', Long: "elide-empty-files", Help: "remove empty output files"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &program{} },
	}
}

// pattern is an operand: a line number or an expression, and how often it is used.
type pattern struct {
	text    string // as typed, for messages
	line    int64  // 0 for an expression
	re      *regex.Regexp
	skip    bool // %…%: writes nothing
	offset  int64
	repeat  int64
	forever bool
}

type options struct {
	prefix, before, after       string // of a name, around the number
	spec                        format.Spec
	keep, suppress, quiet, tidy bool
	patterns                    []pattern
}

func (p *program) options(c *cmd.Ctx) (status int) {
	f := c.Flags
	o := &options{prefix: "xx", keep: f.Has("k"), suppress: f.Has("suppress-matched"), quiet: f.Has("s") || f.Has("q"), tidy: f.Has("z")}
	o.spec = format.Spec{Verb: 'd', Prec: -1, Zero: true, Width: 2}
	for _, x := range f {
		switch x.Name {
		case "f":
			o.prefix = x.Value
		case "n":
			n, err := strconv.Atoi(x.Value)
			if err != nil || n < 0 || n > 1000 {
				c.Errorf("invalid number: %s", quote.Locale(c, x.Value))
				return 1
			}
			o.spec.Width = n
		}
	}
	if x, ok := f.Last("b"); ok {
		if message := o.readFormat(x.Value); message != "" {
			c.Errorf("%s", message)
			return 1
		}
	}
	if len(c.Args) < 2 {
		after := ""
		if len(c.Args) == 1 {
			after = c.Args[0]
		}
		return c.MissingOperand(after)
	}
	p.opt = o
	return o.readPatterns(c, c.Args[1:], !p.Begun)
}

// readFormat reads -b; the result is a message or "".
func (o *options) readFormat(s string) (message string) {
	parts, verb, fault := format.Split(s, "diuoxX")
	switch fault {
	case format.TooMany:
		return "too many % conversion specifications in suffix"
	case format.Unfinished:
		return "missing conversion specifier in suffix"
	case format.Unknown:
		return "invalid conversion specifier in suffix: " + verb
	case format.Missing:
		return "missing % conversion specification in suffix"
	}
	if parts.Spec.Plus || parts.Spec.Space {
		sign := "+"
		if !parts.Spec.Plus {
			sign = " "
		}
		return "invalid conversion specifier in suffix: " + sign
	}
	o.before, o.spec, o.after = parts.Before, parts.Spec, parts.After
	return ""
}

// readPatterns reads the operands behind the file.
func (o *options) readPatterns(c *cmd.Ctx, args []string, warn bool) (status int) {
	last := int64(0)
	for i := 0; i < len(args); i++ {
		a := args[i]
		x := pattern{text: a}
		if a != "" && (a[0] == '/' || a[0] == '%') {
			if message := x.expression(c, a); message != "" {
				c.Errorf("%s", message)
				return 1
			}
		} else {
			n, err := strconv.ParseInt(a, 10, 64)
			switch {
			case err != nil || a[0] == '+' || a[0] == '-':
				c.Errorf("%s: invalid pattern", quote.Locale(c, a))
				return 1
			case n == 0:
				c.Errorf("%s: line number must be greater than zero", a)
				return 1
			case n < last:
				c.Errorf("line number %s is smaller than preceding line number, %d", quote.Locale(c, a), last)
				return 1
			case n == last && warn:
				c.Errorf("warning: line number %s is the same as preceding line number", quote.Locale(c, a))
			}
			x.line, last = n, n
		}
		if i+1 < len(args) && strings.HasPrefix(args[i+1], "{") {
			i++
			if message := x.count(c, args[i]); message != "" {
				c.Errorf("%s", message)
				return 1
			}
		}
		o.patterns = append(o.patterns, x)
	}
	return 0
}

func (x *pattern) expression(c *cmd.Ctx, a string) (message string) {
	end := strings.LastIndexByte(a, a[0])
	if end == 0 {
		return fmt.Sprintf("%s: closing delimiter '%c' missing", a, a[0])
	}
	x.skip = a[0] == '%'
	re, err := regex.Compile([]byte(a[1:end]), regex.Options{Syntax: regex.GrepBasic, Bytes: c.Bytes(), Steps: c.RegexSteps(), Charge: c.Charge, Need: c.Need})
	if err != nil {
		return quote.Locale(c, a) + ": invalid regular expression: " + err.Error()
	}
	x.re = re
	if off := a[end+1:]; off != "" {
		n, err := strconv.ParseInt(off, 10, 64)
		if err != nil {
			return quote.Locale(c, a) + ": integer expected after delimiter"
		}
		x.offset = n
	}
	return ""
}

// count reads {N} or {*}.
func (x *pattern) count(c *cmd.Ctx, a string) (message string) {
	if !strings.HasSuffix(a, "}") {
		return quote.Locale(c, a) + ": '}' is required in repeat count"
	}
	text := a[1 : len(a)-1]
	if text == "*" {
		x.forever = true
		return ""
	}
	n, err := strconv.ParseInt(text, 10, 62)
	if err != nil || n < 0 {
		return quote.Locale(c, a[:len(a)-1]) + "}: integer required between '{' and '}'"
	}
	x.repeat = n
	return ""
}

// name is the name of output i.
func (o *options) name(i int64) string {
	return o.prefix + o.before + string(o.spec.Int(nil, uint64(i))) + o.after
}

// times is the repetition a message speaks of: "" for the first use.
func times(n int64) string {
	if n == 0 {
		return ""
	}
	return " on repetition " + big.NewInt(n).String()
}
