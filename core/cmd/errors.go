package cmd

import (
	"errors"
	"fmt"
	"strings"

	"eryxsh/core/cmd/quote"
)

// ErrBlocked is what Read gives when there is nothing to read yet.
var ErrBlocked = errors.New("would block")

// Errorf writes "NAME: message\n" to standard error, where it comes in the order of the work: between what
// was written to standard output before and after it. Not so for tools that leave stdout in its buffer then.
func (c *Ctx) Errorf(format string, args ...any) {
	if c.Mute {
		return
	}
	flushes := c.Def != nil && c.Def.flushes()
	if flushes {
		c.Flush()
	}
	for _, a := range args {
		if s, ok := a.(string); ok && len(s) > 1<<20 {
			c.Need(2 * len(s))
		}
	}
	c.Errout.B = append(append(c.Errout.B, c.Name...), ": "...)
	c.Errout.B = fmt.Appendf(c.Errout.B, format, args...)
	c.Errout.B = append(c.Errout.B, '\n')
	if flushes && c.Write(2, c.Errout.B) == nil {
		c.Errout.B = c.Errout.B[:0]
	}
}

// flushes reports whether the tool's messages come from error(3), which flushes stdout first.
func (d *Command) flushes() bool {
	switch name, _, _ := strings.Cut(d.Origin, " "); {
	case d.Name == "factor" || d.Name == "tac": // whose output waits in a buffer that is not stdout's
		return false
	case d.Origin == "", d.Origin == "gzip 1.12", d.Origin == "debianutils 5.7": // these two write at once
		return true
	case name != "GNU":
		return false
	}
	for _, own := range []string{"GNU Awk", "GNU bc", "GNU patch", "GNU sed"} { // have their own words
		if strings.HasPrefix(d.Origin, own) {
			return false
		}
	}
	return true
}

// Fail writes "NAME: subject: reason\n" to standard error and returns 1. The
// subject is a file name: it is quoted where a shell would need quotes.
func (c *Ctx) Fail(subject string, err error) int {
	c.Errorf("%s: %s", c.file(subject), err)
	return 1
}

// file is the name of a file as the tool's messages have it.
func (c *Ctx) file(name string) string {
	if c.Def != nil && c.Def.Origin == "" { // GNU coreutils
		return quote.File(c, name)
	}
	return quote.Maybe(c, name)
}

// UsageError writes a message and the hint that GNU tools give after a wrong
// command line, and returns the utility's status for that.
func (c *Ctx) UsageError(format string, args ...any) int {
	c.Errorf(format, args...)
	return c.hint()
}

// hint writes the text after a usage error and returns its status.
func (c *Ctx) hint() int {
	if c.Def == nil {
		return 1
	}
	if c.Def.Hint != "" {
		c.Errout.WriteString(strings.ReplaceAll(c.Def.Hint, "NAME", c.Name))
	} else {
		fmt.Fprintf(&c.Errout, "Try '%s --help' for more information.\n", c.Name)
	}
	if c.Def.Status == 0 {
		return 1
	}
	return c.Def.Status
}

// MissingOperand is the usage error of a command without the operands it needs;
// after is the last operand there is, or "".
func (c *Ctx) MissingOperand(after string) int {
	if after != "" {
		return c.UsageError("missing operand after %s", quote.Locale(c, after))
	}
	return c.UsageError("missing operand")
}

// ExtraOperand is the usage error of an operand too many.
func (c *Ctx) ExtraOperand(operand string) int {
	return c.UsageError("extra operand %s", quote.Locale(c, operand))
}

// NotYet says that a form of the command line exists in the GNU tool and not
// here: loudly, so that no script takes a silent answer for a right one. It returns 2.
func (c *Ctx) NotYet(what string) int {
	name := base(c.Name)
	fmt.Fprintf(&c.Errout, "eryxsh: %s: %s: not yet\n", name, what)
	c.Unsupported(name + " " + what)
	return 2
}

// base is the last part of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// word fills a pattern of Command.OpenError.
func (c *Ctx) word(pattern, name string, err error) {
	if pattern == "" {
		pattern = "NAME: WHY"
	}
	text := strings.NewReplacer("'NAME'", quote.Shell(c, name), "NAME", c.file(name), "WHY", err.Error()).Replace(pattern)
	c.Errorf("%s", text)
}

// TryHelp writes the hint alone, after a message that was written already, and
// returns the utility's status for a wrong command line.
func (c *Ctx) TryHelp() int { return c.hint() }
