package cmd

import (
	"fmt"
	"strings"

	"eryxsh/core/large"
)

// Parse reads the arguments after the command's name into c.Flags and c.Args,
// as getopt_long(3) does: options and operands in any order, "--" ends the
// options, short options can be bundled and can hold their argument, long ones
// can be abbreviated. It answers --help and --version itself.
//
// done says that the command is over with that status: help was asked for, or
// the command line is wrong. Parse depends on args, the table and
// POSIXLY_CORRECT alone, so a loaded program's Ctx is made by calling it again.
func Parse(c *Ctx, def *Command, args []string) (status int, done bool) {
	c.Def, c.Out.work, c.Errout.work = def, c, c
	if c.Name == "" {
		c.Name = def.Name
	}
	if def.As != "" {
		c.Name = def.As
	}
	typed := c.Name
	if def.Short {
		c.Name = base(c.Name)
	}
	if def.Raw {
		c.Args = args
		return 0, false
	}
	if def.Obsolete != nil {
		args = def.Obsolete(c, args)
	}
	p := parser{c: c, def: def, all: args, args: args, typed: typed}
	_, p.posix = c.Getenv("POSIXLY_CORRECT")
	p.posix = p.posix || def.StopAtOperand
	for !p.done && len(p.args) > 0 {
		arg := p.args[0]
		switch {
		case arg == "--":
			c.Args = large.Add(c.Args, p.args[1:], c)
			return 0, false
		case strings.HasPrefix(arg, "--"):
			p.args = p.args[1:]
			p.long(arg[2:])
		case len(arg) > 1 && arg[0] == '-':
			p.args = p.args[1:]
			p.short(arg[1:])
		case p.posix:
			c.Args = large.Add(c.Args, p.args, c)
			return 0, false
		default:
			if n := len(c.Args); n%manyArgs == manyArgs-1 {
				c.Charge(manyArgs / 16)
				c.Args = large.Extend(c.Args, 1, c)
			}
			c.Args = append(c.Args, arg)
			p.args = p.args[1:]
		}
	}
	return p.status, p.done
}

// manyArgs is how many operands are worth charging for.
const manyArgs = 1 << 10

// parser is one run of Parse.
type parser struct {
	c      *Ctx
	def    *Command
	typed  string // the name as it was typed, which getopt's own messages have
	all    []string
	args   []string // not looked at yet
	posix  bool
	status int
	done   bool
}

func (p *parser) fail(format string, args ...any) {
	fmt.Fprintf(&p.c.Errout, "%s: %s\n", p.typed, fmt.Sprintf(format, args...))
	if p.def.Advice != nil {
		p.def.Advice(p.c, p.all)
	}
	if p.status, p.done = p.c.hint(), true; p.def.Wrong != 0 {
		p.status = p.def.Wrong
	}
}

// short reads a bundle of short options, without its "-".
func (p *parser) short(s string) {
	for i := 0; i < len(s) && !p.done; i++ {
		o := p.def.byShort(s[i])
		if o == nil {
			p.c.Unsupported(base(p.c.Name) + " -" + s[i:i+1])
			p.fail("invalid option -- '%s'", s[i:i+1])
			return
		}
		f := Flag{Name: o.Name(), Given: "-" + s[i:i+1], After: len(p.c.Args)}
		rest := s[i+1:]
		switch {
		case o.Arg == NoArg:
			p.take(o, f)
			continue
		case rest != "":
			f.Value, f.Has = rest, true
		case o.Arg == Required:
			if len(p.args) == 0 {
				p.fail("option requires an argument -- '%s'", s[i:i+1])
				return
			}
			f.Value, f.Has = p.args[0], true
			p.args = p.args[1:]
		}
		p.take(o, f)
		return
	}
}

// long reads a long option, without its "--".
func (p *parser) long(s string) {
	name, value, has := strings.Cut(s, "=")
	found := p.def.byLong(name)
	if len(found) == 0 {
		p.c.Unsupported(base(p.c.Name) + " --" + name)
		p.fail("unrecognized option '--%s'", s)
		return
	}
	if len(found) > 1 {
		var b strings.Builder
		for _, o := range found {
			b.WriteString(" '--" + o.Long + "'")
		}
		p.fail("option '--%s' is ambiguous; possibilities:%s", s, b.String())
		return
	}
	o := found[0]
	f := Flag{Name: o.Name(), Value: value, Has: has, Given: "--" + o.Long, Cut: name != o.Long, After: len(p.c.Args)}
	switch {
	case has && o.Arg == NoArg:
		p.fail("option '--%s' doesn't allow an argument", o.Long)
		return
	case !has && o.Arg == Required:
		if len(p.args) == 0 {
			p.fail("option '--%s' requires an argument", o.Long)
			return
		}
		f.Value, f.Has = p.args[0], true
		p.args = p.args[1:]
	}
	p.take(o, f)
}

// take acts on an option that is there with what it needs.
func (p *parser) take(o *Option, f Flag) {
	switch {
	case o.Missing:
		name := f.Given
		if o.Long != "" {
			name = "--" + o.Long
		}
		p.status, p.done = p.c.NotYet("option "+name), true
	case o.Long == "help":
		p.c.Out.WriteString(p.def.help(p.c.Name))
		p.done = true
	case o.Long == "version":
		p.c.Out.WriteString(p.def.version())
		p.done = true
	default:
		p.c.Flags = append(p.c.Flags, f)
	}
}

func (d *Command) byShort(b byte) *Option {
	for i := range d.Options {
		if d.Options[i].Short == b && b != 0 {
			return &d.Options[i]
		}
	}
	return nil
}

// byLong finds the options a long name or an abbreviation can mean: more than
// one if it is ambiguous. Names of one option are not ambiguous.
func (d *Command) byLong(name string) []*Option {
	var found []*Option
	table := d.table()
	for i := range table {
		o := &table[i]
		if o.Long == "" || !strings.HasPrefix(o.Long, name) {
			continue
		}
		if o.Long == name {
			return []*Option{o}
		}
		found = append(found, o)
	}
	for _, o := range found[min(1, len(found)):] {
		if o.Name() != found[0].Name() || o.Arg != found[0].Arg {
			return found
		}
	}
	return found[:min(1, len(found))]
}

// table is the options with --help and --version, which every command has.
func (d *Command) table() []Option {
	table := d.Options[:len(d.Options):len(d.Options)]
	for _, o := range []Option{{Long: "help", Help: "display this help and exit"}, {Long: "version", Help: "output version information and exit"}} {
		has := false
		for i := range d.Options {
			has = has || d.Options[i].Long == o.Long
		}
		if !has {
			table = append(table, o)
		}
	}
	return table
}
