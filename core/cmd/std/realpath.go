package std

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/canon"
	"eryxsh/vfs"
)

func realpath() *cmd.Command {
	return &cmd.Command{
		Name: "realpath", Summary: "print the resolved absolute file name", Usage: "realpath [OPTION]... FILE...",
		Options: []cmd.Option{
			{Short: 'e', Long: "canonicalize-existing", Help: "all components of the path must exist"},
			{Short: 'm', Long: "canonicalize-missing", Help: "no path components need exist or be a directory"},
			{Short: 'L', Long: "logical", Help: "resolve '..' components before symlinks"},
			{Short: 'P', Long: "physical", Help: "resolve symlinks as encountered (default)"},
			{Short: 'q', Long: "quiet", Help: "suppress most error messages"},
			{Long: "relative-to", Arg: cmd.Required, Meta: "DIR", Help: "print the resolved path relative to DIR"},
			{Long: "relative-base", Arg: cmd.Required, Meta: "DIR", Help: "print absolute paths unless paths below DIR"},
			{Short: 's', Long: "strip", Help: "don't expand symlinks"},
			{Long: "no-symlinks", Help: "don't expand symlinks"},
			{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline"},
		},
		Run: runRealpath,
	}
}

func runRealpath(c *cmd.Ctx) int {
	if len(c.Args) == 0 {
		return c.MissingOperand("")
	}
	mode, logical, strip := canon.AllButLast, false, false
	for _, f := range c.Flags {
		switch f.Name {
		case "e":
			mode = canon.Existing
		case "m":
			mode = canon.Missing
		case "L":
			logical = true
		case "P":
			logical, strip = false, false
		case "s", "no-symlinks":
			strip, logical = true, true
		}
	}
	dir := func(flag string) (string, bool) {
		f, ok := c.Flags.Last(flag)
		if !ok {
			return "", true
		}
		p, err := canon.Path(c, f.Value, mode, logical, strip)
		if err == nil && mode == canon.Existing {
			if st, serr := c.Stat(p); serr == nil && !st.Mode.IsDir() {
				err = vfs.ENOTDIR
			}
		}
		if err != nil {
			c.Errorf("%s: %s", quote.File(c, f.Value), err)
			return "", false
		}
		return p, true
	}
	to, ok1 := dir("relative-to")
	base, ok2 := dir("relative-base")
	if !ok1 || !ok2 {
		return 1
	}
	if base != "" && to == "" {
		to = base
	} else if base != "" && !below(to, base) {
		base, to = "", ""
	}
	status := 0
	for _, name := range c.Args {
		p, err := canon.Path(c, name, mode, logical, strip)
		if err != nil {
			status = 1
			if !c.Flags.Has("q") {
				c.Errorf("%s: %s", quote.File(c, name), err)
			}
			continue
		}
		if to != "" && (base == "" || below(p, base)) {
			p = relativePath(p, to)
		}
		c.Out.WriteString(p)
		c.Out.WriteByte(lineEnd(c))
	}
	return status
}

// below reports whether p is dir or under it; both are canonical.
func below(p, dir string) bool {
	return dir == "/" || p == dir || strings.HasPrefix(p, dir+"/")
}

// relativePath is p as seen from a directory; both are canonical.
func relativePath(p, from string) string {
	a, b := strings.Split(strings.Trim(p, "/"), "/"), strings.Split(strings.Trim(from, "/"), "/")
	if p == "/" {
		a = nil
	}
	if from == "/" {
		b = nil
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	s := strings.Repeat("../", len(b)-i) + strings.Join(a[i:], "/")
	if s = strings.TrimSuffix(s, "/"); s == "" {
		return "."
	}
	return s
}
