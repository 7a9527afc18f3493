package patch

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
)

// git is what the header lines of a "diff --git" section say besides.
type git struct {
	old, new         string // names of its first line
	some             bool   // one of the lines below it was there
	rename, copy     bool
	oldMode, newMode uint32 // 0 if it does not say
	binary           bool   // its hunks are git's own, of bytes
}

// begin reads "diff --git a/x b/x".
func (g *git) begin(l string) {
	names := strings.TrimRight(l[len("diff --git "):], "\r\n")
	if i := strings.Index(names, " b/"); i >= 0 {
		*g = git{old: names[:i], new: names[i+1:]}
	} else if old, new, ok := strings.Cut(names, " "); ok {
		*g = git{old: old, new: new}
	}
}

// header reads one of the lines below; it reports whether it is one.
func (g *git) header(k *change, l string) bool {
	mode := func() uint32 {
		f := strings.Fields(l)
		n, _ := strconv.ParseUint(f[len(f)-1], 8, 32)
		return uint32(n) & 0o777
	}
	switch {
	case g.old == "":
		return false
	case strings.HasPrefix(l, "old mode "):
		g.oldMode = mode()
	case strings.HasPrefix(l, "new mode "):
		g.newMode = mode()
	case strings.HasPrefix(l, "new file mode "):
		g.newMode, k.oldNone = mode(), true
	case strings.HasPrefix(l, "deleted file mode "):
		g.oldMode, k.newNone = mode(), true
	case strings.HasPrefix(l, "rename from "), strings.HasPrefix(l, "rename to "):
		g.rename = true
	case strings.HasPrefix(l, "copy from "), strings.HasPrefix(l, "copy to "):
		g.copy = true
	case strings.HasPrefix(l, "GIT binary patch"):
		g.binary = true
	case strings.HasPrefix(l, "index "):
	default:
		return false
	}
	g.some = true
	return true
}

// alone makes a change of a section without hunks; false if there is nothing to do.
func (g *git) alone(k *change, r *reader) bool {
	if !g.some {
		return false
	}
	k.old, k.new, k.format, k.line, k.end = g.old, g.new, 'u', r.num+1, r.pos
	return true
}

// moves reports whether the change gives its file another name.
func (g *git) moves() bool { return g.rename || g.copy }

// moved is the new name of a file that is renamed or copied, "" of others.
func (p *Program) moved(c *cmd.Ctx, k *change) string {
	if !k.git.moves() {
		return ""
	}
	name, _ := stripName(k.new, strip(c))
	return name
}

// strip is the value of -p, -1 without.
func strip(c *cmd.Ctx) int {
	n := -1
	if f, ok := c.Flags.Last("p"); ok {
		n, _ = strconv.Atoi(f.Value)
	}
	return n
}
