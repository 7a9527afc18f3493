package std

import (
	"math"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
	"eryxsh/vfs"
)

func truncate() *cmd.Command {
	return &cmd.Command{
		Name: "truncate", Acts: true, Summary: "shrink or extend the size of each FILE to the specified size", Usage: "truncate OPTION... FILE...",
		Options: []cmd.Option{
			{Short: 'c', Long: "no-create", Help: "do not create any files"},
			{Short: 'o', Long: "io-blocks", Help: "treat SIZE as number of IO blocks instead of bytes"},
			{Short: 'r', Long: "reference", Arg: cmd.Required, Meta: "RFILE", Help: "base size on RFILE"},
			{Short: 's', Long: "size", Arg: cmd.Required, Meta: "SIZE", Help: "set or adjust the file size by SIZE bytes"},
		},
		Run: runTruncate,
	}
}

func runTruncate(c *cmd.Ctx) int {
	op := byte(0)
	var n int64
	s, hasSize := c.Flags.Last("s")
	if hasSize {
		t := strings.TrimLeft(s.Value, " \t")
		if t != "" && strings.IndexByte("<>/%", t[0]) >= 0 {
			op, t = t[0], strings.TrimLeft(t[1:], " \t")
		}
		neg := false
		if t != "" && (t[0] == '+' || t[0] == '-') {
			if op != 0 {
				return c.UsageError("multiple relative modifiers specified")
			}
			op, neg, t = '+', t[0] == '-', t[1:]
		}
		v, err := size.Parse(t, "EgGkKmMPtTYZ0")
		if err != nil || t[0] < '0' || t[0] > '9' {
			tail := ""
			if err == size.ErrRange {
				tail = ": " + err.Error()
			}
			c.Errorf("Invalid number: %s%s", quote.Locale(c, s.Value), tail)
			return 1
		}
		if (op == '/' || op == '%') && v == 0 {
			c.Errorf("division by zero")
			return 1
		}
		if n = v; neg {
			n = -v
		}
	}
	ref, hasRef := c.Flags.Last("r")
	switch {
	case hasRef && hasSize && op == 0:
		return c.UsageError("you must specify a relative %s with %s", quote.Locale(c, "--size"), quote.Locale(c, "--reference"))
	case !hasRef && !hasSize:
		return c.UsageError("you must specify either %s or %s", quote.Locale(c, "--size"), quote.Locale(c, "--reference"))
	case c.Flags.Has("o") && !hasSize:
		return c.UsageError("%s was specified but %s was not", quote.Locale(c, "--io-blocks"), quote.Locale(c, "--size"))
	case len(c.Args) == 0:
		return c.UsageError("missing file operand")
	}
	base := int64(-1)
	if hasRef {
		st, err := c.Stat(ref.Value)
		if err != nil {
			c.Errorf("cannot stat %s: %s", quote.Shell(c, ref.Value), err)
			return 1
		}
		base = st.Size
	}
	if c.Flags.Has("o") {
		n *= 4096
	}
	status := 0
	for _, name := range c.Args {
		status |= truncateFile(c, name, op, n, base)
	}
	return status
}

// truncateFile sets one file's size: n by op, from base, or the file's own size if base is -1.
func truncateFile(c *cmd.Ctx, name string, op byte, n, base int64) int {
	flags := vfs.O_WRONLY | vfs.O_CREAT
	if c.Flags.Has("c") {
		flags = vfs.O_WRONLY
	}
	fd, err := c.Open(name, flags, 0o666)
	if err != nil {
		if c.Flags.Has("c") && err == vfs.ENOENT {
			return 0
		}
		c.Errorf("cannot open %s for writing: %s", quote.Shell(c, name), err)
		return 1
	}
	st, err := c.Fstat(fd)
	c.Close(fd)
	if err != nil {
		return c.Fail(name, err)
	}
	if base < 0 {
		base = st.Size
	}
	want := n
	switch op {
	case 0:
		if !c.Flags.Has("s") {
			want = base
		}
	case '+':
		if n > 0 && base > math.MaxInt64-n {
			c.Errorf("overflow extending size of file %s", quote.Shell(c, name))
			return 1
		}
		want = max(base+n, 0)
	case '<':
		want = min(base, n)
	case '>':
		want = max(base, n)
	case '/':
		want = base / n * n
	case '%':
		want = (base + n - 1) / n * n
	}
	if err := c.Truncate(name, want); err != nil {
		c.Errorf("failed to truncate %s at %d bytes: %s", quote.Shell(c, name), want, err)
		return 1
	}
	return 0
}
