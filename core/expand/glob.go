package expand

import (
	"slices"
	"strings"

	"eryxsh/core/large"
	"eryxsh/vfs"
)

// globbed is a field that has unquoted pattern characters.
type globbed struct {
	at      int    // in the fields
	pattern string // escaped
}

// paths replaces the fields that are patterns by the path names that match
// them. It comes after everything else: what a substitution in a later word
// made is found.
func (e *eval) paths() ([]string, error) {
	var out []string
	done := 0
	for _, g := range e.globs {
		found, err := globFlags(e.env, g.pattern, e.flags)
		if err != nil {
			return nil, err
		}
		out = large.Add(out, e.out[done:g.at], e.env)
		done = g.at + 1
		switch {
		case len(found) > 0:
			out = large.Add(out, found, e.env)
		case e.flags&FailGlob != 0:
			return nil, &Error{Kind: NoMatch, Text: "no match: " + e.out[g.at]}
		case e.flags&NullGlob == 0:
			out = append(out, e.out[g.at])
		}
	}
	return large.Add(out, e.out[done:], e.env), nil
}

// isPattern reports whether s, in the escaped form, contains a pattern.
func isPattern(s string, f Flags) bool {
	sets := brackets{s: s}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			if set, _ := sets.at(i); set != nil {
				return true
			}
		case '+', '@', '!':
			if f&ExtGlob != 0 && i+1 < len(s) && s[i+1] == '(' {
				return true
			}
		}
	}
	return false
}

// Glob returns the path names that match pattern, sorted; nil if none do. A
// backslash takes the meaning from the character after it.
func Glob(env Env, pattern string) ([]string, error) {
	return globFlags(env, pattern, env.Flags())
}

func globFlags(env Env, pattern string, f Flags) ([]string, error) {
	g := globber{env: env, flags: f}
	ignore := ""
	if v := env.Var("GLOBIGNORE"); v.IsSet() {
		if ignore = v.String(); ignore != "" {
			g.flags |= GlobSkipDots
		}
	}
	prefix := ""
	if n := len(strings.TrimRight(pattern, "/")); n > 0 && n+1 < len(pattern) {
		pattern = pattern[:n+1] // slashes at the end are one
	}
	for strings.HasPrefix(pattern, "/") {
		prefix += "/"
		pattern = pattern[1:]
	}
	if err := g.walk(prefix, splitPath(pattern), 0, false); err != nil {
		return nil, err
	}
	if ignore != "" {
		g.ignore(splitIgnore(ignore))
	}
	slices.Sort(g.found)
	return slices.Compact(g.found), nil
}

// splitIgnore cuts GLOBIGNORE at its colons, but not inside brackets.
func splitIgnore(s string) (list []string) {
	from := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if end := strings.IndexByte(s[i:], ']'); end > 0 {
				i += end
			}
		case ':':
			list = append(list, s[from:i])
			from = i + 1
		}
	}
	return append(list, s[from:])
}

// ignore drops the paths found that match one of the patterns, component by component.
func (g *globber) ignore(patterns []string) {
	f := g.flags & (ExtGlob | Bytes)
	if g.flags&NoCaseGlob != 0 {
		f |= NoCaseMatch
	}
	g.found = slices.DeleteFunc(g.found, func(path string) bool {
		names := strings.Split(path, "/")
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			parts := strings.Split(pattern, "/")
			if len(parts) != len(names) {
				return false
			}
			for i, part := range parts {
				if !NewMatcher(part, f).Metered(g.env).Match(names[i]) {
					return false
				}
			}
			return true
		})
	})
}

type globber struct {
	env   Env
	flags Flags
	found []string
	seen  int
}

// comp is one component of a path pattern, with the slashes after it.
type comp struct {
	text    string // escaped
	slashes string
	match   *Matcher
}

// splitPath cuts a pattern at its slashes, also those inside brackets.
func splitPath(s string) []comp {
	var out []comp
	for s != "" {
		n := strings.IndexByte(s, '/')
		if n < 0 {
			n = len(s)
		}
		m := n
		for m < len(s) && s[m] == '/' {
			m++
		}
		out = append(out, comp{text: strings.TrimSuffix(s[:n], "\x00"), slashes: s[n:m]})
		s = s[m:]
	}
	return out
}

const (
	dirPage     = 512
	maxPath     = 4096 // no file has a longer path
	maxGlobDeep = 128  // directories below each other for **
)

// walk matches the components below the directory prefix. matched: the a
// component of prefix was a pattern.
func (g *globber) walk(prefix string, comps []comp, deep int, matched bool) error {
	if len(prefix) > maxPath {
		return nil
	}
	if len(comps) == 0 {
		if _, err := g.stat(prefix, false); err == nil {
			g.found = append(g.found, prefix)
		}
		return nil
	}
	c := comps[0]
	if c.match == nil && !isPattern(c.text, g.flags) {
		path := prefix + unescape(c.text) + c.slashes
		if len(comps) == 1 {
			if _, err := g.stat(path, c.slashes != ""); err == nil {
				g.found = append(g.found, path)
			}
			return nil
		}
		return g.walk(path, comps[1:], deep, matched)
	}
	if c.text == "**" && g.flags&GlobStar != 0 {
		if st, err := g.stat(prefix, true); prefix != "" && len(comps) == 1 && err == nil && st.Mode.IsDir() {
			if matched {
				prefix = strings.TrimRight(prefix, "/")
			}
			g.found = append(g.found, prefix)
			if matched {
				prefix += "/"
			}
		}
		return g.star(prefix, comps, deep)
	}
	if c.match == nil {
		f := g.flags & (ExtGlob | Bytes)
		if g.flags&NoCaseGlob != 0 {
			f |= NoCaseMatch
		}
		c.match = MeteredMatcher(g.env, c.text, f)
		if err := c.match.Err(); err != nil {
			return err
		}
		comps = append([]comp{c}, comps[1:]...)
	}
	return g.each(prefix, func(d vfs.Dirent) error {
		if !g.visible(d.Name, c.text) || !c.match.Match(d.Name) {
			return nil
		}
		path := prefix + d.Name
		if len(comps) == 1 && c.slashes == "" {
			g.found = append(g.found, path)
			return nil
		}
		if !g.isDir(path, d) {
			return nil
		}
		if len(comps) == 1 {
			g.found = append(g.found, path+c.slashes)
			return nil
		}
		return g.walk(path+"/", comps[1:], deep, true)
	})
}

// star expands ** : this directory and all below it. Links to directories are
// not followed.
func (g *globber) star(prefix string, comps []comp, deep int) error {
	if deep > maxGlobDeep {
		return limitError("glob", "directories nested too deeply for **")
	}
	c, rest := comps[0], comps[1:]
	for len(rest) > 0 && rest[0].text == "**" { // **/** is **
		c, rest = rest[0], rest[1:]
	}
	last := len(rest) == 0
	if !last {
		if err := g.walk(prefix, rest, deep, true); err != nil {
			return err
		}
	}
	return g.each(prefix, func(d vfs.Dirent) error {
		if !g.visible(d.Name, "*") {
			return nil
		}
		path := prefix + d.Name
		dir := d.Type.IsDir()
		if last && (c.slashes == "" || g.isDir(path, d)) {
			g.found = append(g.found, path+c.slashes)
		}
		if !dir {
			return nil
		}
		return g.star(path+"/", append([]comp{c}, rest...), deep+1)
	})
}

// visible applies the rule for names that begin with a dot.
func (g *globber) visible(name, pattern string) bool {
	if name == "." || name == ".." {
		return strings.HasPrefix(pattern, ".") && g.flags&GlobSkipDots == 0
	}
	if name[0] != '.' || g.flags&DotGlob != 0 {
		return true
	}
	return strings.HasPrefix(pattern, ".") || strings.HasPrefix(pattern, "\\.")
}

func (g *globber) isDir(path string, d vfs.Dirent) bool {
	if d.Type.IsLink() {
		st, err := g.stat(path, true)
		return err == nil && st.Mode.IsDir()
	}
	return d.Type.IsDir()
}

func (g *globber) stat(path string, follow bool) (vfs.Stat, error) {
	g.env.Charge(1)
	return g.env.Stat(path, follow)
}

// each calls f with every entry of a directory; one that cannot be read has
// none.
func (g *globber) each(dir string, f func(vfs.Dirent) error) error {
	if dir == "" {
		dir = "."
	}
	if g.flags&GlobSkipDots == 0 {
		for _, name := range []string{".", ".."} {
			if err := f(vfs.Dirent{Name: name, Type: vfs.TypeDir}); err != nil {
				return err
			}
		}
	}
	after := ""
	for {
		list, err := g.env.ReadDir(dir, after, dirPage)
		if err == ErrNeed {
			return err
		}
		if err != nil || len(list) == 0 {
			return nil
		}
		g.env.Charge(len(list))
		if g.seen += len(list); g.seen > maxGlob {
			return limitError("glob", "too many directory entries in one path name expansion")
		}
		for _, d := range list {
			if d.Name == "" {
				continue
			}
			if err := f(d); err != nil {
				return err
			}
		}
		if len(list) < dirPage {
			return nil
		}
		after = list[len(list)-1].Name
	}
}

// unescape removes the backslashes of the escaped form.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b = append(b, s[i])
	}
	return string(b)
}
