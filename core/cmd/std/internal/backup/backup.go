// Package backup names the backups that cp, mv, ln and install make of what they replace.
package backup

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/walk"
)

// Options are the rows of --backup, -b and -S.
func Options() []cmd.Option {
	return []cmd.Option{
		{Long: "backup", Arg: cmd.Optional, Meta: "CONTROL", Help: "make a backup of each existing destination file"},
		{Short: 'b', Help: "like --backup but does not accept an argument"},
		{Short: 'S', Long: "suffix", Arg: cmd.Required, Meta: "SUFFIX", Help: "override the usual backup suffix"},
	}
}

// Plan says how backups are named. Its zero value makes none.
type Plan struct {
	Kind   byte // 0 none, s simple, n numbered, e numbered if there are some already
	Suffix string
}

// Parse reads the flags and the environment; ok is false after an error message.
func Parse(c *cmd.Ctx) (p Plan, ok bool) {
	p.Suffix = "~"
	if s, _ := c.Getenv("SIMPLE_BACKUP_SUFFIX"); s != "" && !strings.Contains(s, "/") {
		p.Suffix = s
	}
	control, source := "", ""
	for _, f := range c.Flags {
		switch f.Name {
		case "b", "backup":
			p.Kind = 'e'
			if f.Has {
				control, source = f.Value, "backup type"
			}
		case "S":
			if p.Kind == 0 {
				p.Kind = 'e'
			}
			if f.Value != "" && !strings.Contains(f.Value, "/") {
				p.Suffix = f.Value
			}
		}
	}
	if p.Kind == 0 {
		return p, true
	}
	if control == "" {
		control, _ = c.Getenv("VERSION_CONTROL")
		source = "$VERSION_CONTROL"
	}
	switch control {
	case "":
	case "none", "off":
		p.Kind = 0
	case "numbered", "t":
		p.Kind = 'n'
	case "existing", "nil":
		p.Kind = 'e'
	case "simple", "never":
		p.Kind = 's'
	default:
		c.UsageError("%s", "invalid argument "+quote.Locale(c, control)+" for "+quote.Locale(c, source)+"\nValid arguments are:\n"+
			quote.Marks(c, "  - ‘none’, ‘off’\n  - ‘simple’, ‘never’\n  - ‘existing’, ‘nil’\n  - ‘numbered’, ‘t’"))
		return p, false
	}
	return p, true
}

// Name is what a file's backup is called.
func (p Plan) Name(c *cmd.Ctx, path string) string {
	if trimmed := strings.TrimRight(path, "/"); trimmed != "" {
		path = trimmed
	}
	if p.Kind == 's' {
		return path + p.Suffix
	}
	best, after := 0, ""
	dir, base := walk.Parent(path), walk.Base(path)+".~"
	for {
		l, err := c.ReadDir(dir, after, walk.Turn)
		if err != nil || len(l) == 0 {
			break
		}
		for _, e := range l {
			if n, ok := strings.CutPrefix(e.Name, base); ok && strings.HasSuffix(n, "~") {
				if v, err := strconv.Atoi(n[:len(n)-1]); err == nil {
					best = max(best, v)
				}
			}
		}
		after = l[len(l)-1].Name
	}
	if best == 0 && p.Kind == 'e' {
		return path + p.Suffix
	}
	return path + ".~" + strconv.Itoa(best+1) + "~"
}
