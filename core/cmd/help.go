package cmd

import "strings"

// helpColumn is where the text of an option starts in --help.
const helpColumn = 29

// help is the text of --help, made from the table, of a command that was called by name.
func (d *Command) help(name string) string {
	var b strings.Builder
	usage := d.Usage
	if usage == "" {
		usage = d.Name + " [OPTION]..."
	}
	for i, line := range strings.Split(usage, "\n") {
		if rest, ok := strings.CutPrefix(line, d.Name); ok {
			line = name + rest
		}
		if i == 0 {
			b.WriteString("Usage: " + line + "\n")
		} else {
			b.WriteString("  or:  " + line + "\n")
		}
	}
	if d.Summary != "" {
		b.WriteString(strings.ToUpper(d.Summary[:1]) + d.Summary[1:] + ".\n")
	}
	b.WriteString("\n")
	for _, o := range d.table() {
		if o.Help == "" {
			continue
		}
		b.WriteString(o.help())
	}
	b.WriteString("\n" + name + " of eryxsh, which does what that of " + d.origin() + " does.\n")
	return b.String()
}

// help is the option's paragraph in --help.
func (o Option) help() string {
	s := "      "
	if o.Short != 0 {
		s = "  -" + string(o.Short)
		if o.Long != "" {
			s += ", "
		}
	}
	meta := o.Meta
	if meta == "" {
		meta = "ARG"
	}
	if o.Long != "" {
		s += "--" + o.Long
		meta = "=" + meta
	} else if o.Arg == Required {
		meta = " " + meta
	}
	switch o.Arg {
	case Required:
		s += meta
	case Optional:
		s += "[" + meta + "]"
	}
	text := o.Help
	if o.Missing {
		text = "(not yet) " + text
	}
	if len(s)+2 > helpColumn {
		s += "\n" + strings.Repeat(" ", helpColumn)
	} else {
		s += strings.Repeat(" ", helpColumn-len(s))
	}
	return s + text + "\n"
}

// version is the text of --version. Scripts look for the origin, as in 'mkdir ('*'coreutils) '*, and take what
// stands behind the last blank of the first line for the version.
func (d *Command) version() string {
	origin := d.origin()
	at := strings.LastIndexAny(origin, " -")
	if date := strings.Count(origin, "-") > 1; date {
		at = strings.IndexByte(origin, ' ')
	}
	return d.Name + " (eryxsh, as " + origin[:at] + ") " + strings.TrimPrefix(origin[at+1:], "v") + "\n"
}

func (d *Command) origin() string {
	if d.Origin == "" {
		return "GNU coreutils 9.1"
	}
	return d.Origin
}

// SoleHelp answers --help and --version for a Raw command, which knows them
// only as its one argument.
func (c *Ctx) SoleHelp() bool {
	if len(c.Args) != 1 {
		return false
	}
	switch c.Args[0] {
	case "--help":
		c.Out.WriteString(c.Def.help(c.Name))
	case "--version":
		c.Out.WriteString(c.Def.version())
	default:
		return false
	}
	return true
}
