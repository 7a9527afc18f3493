package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

func mktemp() *cmd.Command {
	return &cmd.Command{
		Name: "mktemp", Summary: "create a temporary file or directory, safely, and print its name", Usage: "mktemp [OPTION]... [TEMPLATE]",
		Options: []cmd.Option{
			{Short: 'd', Long: "directory", Help: "create a directory, not a file"},
			{Short: 'u', Long: "dry-run", Help: "do not create anything; merely print a name (unsafe)"},
			{Short: 'q', Long: "quiet", Help: "suppress diagnostics about file/dir-creation failure"},
			{Long: "suffix", Arg: cmd.Required, Meta: "SUFF", Help: "append SUFF to TEMPLATE"},
			{Short: 'p', Arg: cmd.Required, Meta: "DIR", Help: "interpret TEMPLATE relative to DIR"},
			{Long: "tmpdir", Arg: cmd.Optional, Meta: "DIR", Help: "interpret TEMPLATE relative to DIR; if DIR is not specified, use $TMPDIR if set, else /tmp"},
			{Short: 't', Help: "interpret TEMPLATE as a single file name component, relative to a directory"},
		},
		Run: runMktemp,
	}
}

func runMktemp(c *cmd.Ctx) int {
	if len(c.Args) > 1 {
		return c.UsageError("too many templates")
	}
	fail := func(format string, args ...any) int {
		c.Errorf(format, args...)
		return 1
	}
	template, inTmp, dir := "tmp.XXXXXXXXXX", true, ""
	if len(c.Args) == 1 {
		template, inTmp = c.Args[0], false
	}
	for _, f := range c.Flags {
		switch f.Name {
		case "p", "tmpdir":
			inTmp, dir = true, f.Value
		case "t":
			inTmp = true
		}
	}
	suffix, hasSuffix := c.Flags.Last("suffix")
	end := suffix.Value
	if hasSuffix {
		if !strings.HasSuffix(template, "X") {
			return fail("with --suffix, template %s must end in X", quote.Locale(c, template))
		}
	} else {
		i := strings.LastIndexByte(template, 'X') + 1
		template, end = template[:i], template[i:]
		if i == 0 {
			template, end = end, ""
		}
	}
	if strings.Contains(end, "/") {
		return fail("invalid suffix %s, contains directory separator", quote.Locale(c, end))
	}
	xs := len(template) - len(strings.TrimRight(template, "X"))
	if xs < 3 {
		return fail("too few X's in template %s", quote.Locale(c, template+end))
	}
	if inTmp {
		tmp, _ := c.Getenv("TMPDIR")
		switch {
		case c.Flags.Has("t"):
			if strings.Contains(template, "/") {
				return fail("invalid template, %s, contains directory separator", quote.Locale(c, template+end))
			}
			if tmp != "" {
				dir = tmp
			}
		case dir == "":
			dir = tmp
			fallthrough
		default:
			if strings.HasPrefix(template, "/") {
				return fail("invalid template, %s; with --tmpdir, it may not be absolute", quote.Locale(c, template+end))
			}
		}
		if dir == "" {
			dir = "/tmp"
		}
		template = walk.Join(dir, template)
	}
	name, err := createTemp(c, template[:len(template)-xs], xs, end)
	if err != nil {
		if !c.Flags.Has("q") {
			kind := "file"
			if c.Flags.Has("d") {
				kind = "directory"
			}
			c.Errorf("failed to create %s via template %s: %s", kind, quote.Locale(c, template+end), err)
		}
		return 1
	}
	c.Out.WriteString(name + "\n")
	return 0
}

// createTemp makes a file or directory whose name is not taken, with n random characters.
func createTemp(c *cmd.Ctx, head string, n int, tail string) (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	for range 1000 {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[c.Rand()%uint64(len(letters))]
		}
		name := head + string(b) + tail
		var err error
		switch {
		case c.Flags.Has("u"):
			if _, e := c.Lstat(name); e == nil {
				err = vfs.EEXIST
			} else if e != vfs.ENOENT {
				err = e
			}
		case c.Flags.Has("d"):
			err = c.Mkdir(name, 0o700)
		default:
			var fd int
			if fd, err = c.Open(name, vfs.O_RDWR|vfs.O_CREAT|vfs.O_EXCL, 0o600); err == nil {
				c.Close(fd)
			}
		}
		if err != vfs.EEXIST {
			return name, err
		}
	}
	return "", vfs.EEXIST
}
