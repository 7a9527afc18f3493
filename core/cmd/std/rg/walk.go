package rg

import (
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// maxRules is how much of an ignore file is read.
const maxRules = 1 << 18

// advance goes to the next file.
func (p *Program) advance(c *cmd.Ctx) cmd.Next {
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		if n := len(p.Levels); n > 0 {
			l := &p.Levels[n-1]
			switch {
			case !l.Read:
				p.rules(c, l)
			case !l.Dir.Full:
				if err := l.Dir.Fill(c, &budget); err != nil {
					p.complain(c, l.Dir.Path, err)
				} else if l.Dir.Full && p.o.last {
					turnRound(&l.Dir)
				}
			default:
				name, typ, ok := l.Dir.Next()
				if !ok {
					p.Levels = p.Levels[:n-1]
				} else if p.visit(c, name, typ) {
					return cmd.Again()
				}
			}
			continue
		}
		if p.Operand >= len(p.paths) {
			return p.exit(c)
		}
		name := p.paths[p.Operand]
		p.Operand++
		if p.start(c, name) {
			return cmd.Again()
		}
	}
	return cmd.Again()
}

func turnRound(d *walk.Dir) {
	for i, j := 0, len(d.Names)-1; i < j; i, j = i+1, j-1 {
		d.Names[i], d.Names[j] = d.Names[j], d.Names[i]
		d.Types[i], d.Types[j] = d.Types[j], d.Types[i]
	}
}

// start takes an operand; it is true when a file was opened.
func (p *Program) start(c *cmd.Ctx, name string) bool {
	if name == "-" {
		p.open(c, "<stdin>", 0, true)
		return true
	}
	st, err := c.Stat(name)
	if err != nil {
		p.complain(c, name, err)
		return false
	}
	if !st.Mode.IsDir() {
		return p.take(c, name, true)
	}
	p.Above = nil
	git := false
	if !p.o.noParent {
		git = p.parents(c, name)
	}
	p.Levels = append(p.Levels, Level{Dir: walk.Dir{Path: name}, Git: git})
	return false
}

// parents reads the ignore files of the directories above one, and reports whether one is a repository.
func (p *Program) parents(c *cmd.Ctx, name string) (git bool) {
	full := name
	if !strings.HasPrefix(full, "/") {
		dir, err := c.Dir()
		if err != nil {
			return false
		}
		full = walk.Join(dir, name)
	}
	var parts []string
	for _, part := range strings.Split(full, "/") {
		switch part {
		case "", ".":
		case "..":
			parts = parts[:max(len(parts)-1, 0)]
		default:
			parts = append(parts, part)
		}
	}
	depth := 0 // how many of the parts are above the repository
	for i := len(parts); i >= 0; i-- {
		if _, err := c.Lstat("/" + strings.Join(append(parts[:i:i], ".git"), "/")); err == nil {
			depth = i + 1
			break
		}
	}
	for i := range parts {
		l := Level{Dir: walk.Dir{Path: "/" + strings.Join(parts[:i], "/")}, Git: depth > 0 && i >= depth-1, Rel: strings.Join(parts[i:], "/")}
		p.rules(c, &l)
		if len(l.Rules) > 0 {
			p.Above = append(p.Above, l)
		}
	}
	return depth > 0
}

// rules reads the ignore files of a directory.
func (p *Program) rules(c *cmd.Ctx, l *Level) {
	l.Read = true
	if len(p.Levels) > 1 {
		l.Git = p.Levels[len(p.Levels)-2].Git
	}
	if p.o.noVCS && p.o.noDot {
		return
	}
	if !l.Git {
		_, err := c.Lstat(walk.Join(l.Dir.Path, ".git"))
		l.Git = err == nil
	}
	if !p.o.noVCS && (l.Git || p.o.noGit) {
		l.Rules = append(l.Rules, ruleFile(c, walk.Join(l.Dir.Path, ".git/info/exclude"))...)
		l.Rules = append(l.Rules, ruleFile(c, walk.Join(l.Dir.Path, ".gitignore"))...)
	}
	if !p.o.noDot {
		l.Rules = append(l.Rules, ruleFile(c, walk.Join(l.Dir.Path, ".ignore"))...)
		l.Rules = append(l.Rules, ruleFile(c, walk.Join(l.Dir.Path, ".rgignore"))...)
	}
}

// ruleFile reads an ignore file, if there is one.
func ruleFile(c *cmd.Ctx, path string) (rules []Rule) {
	st, err := c.Stat(path)
	if err != nil || !st.Mode.IsRegular() {
		return nil
	}
	fd, err := c.Open(path, vfs.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	defer c.Close(fd)
	text, buf := []byte(nil), make([]byte, 4096)
	for len(text) < maxRules {
		n, err := c.Read(fd, buf)
		text = append(text, buf[:n]...)
		if err == io.EOF || err != nil {
			break
		}
	}
	for _, line := range strings.Split(string(text), "\n") {
		if r, ok := rule(line); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// visit takes a name of the innermost directory; it is true when a file was opened.
func (p *Program) visit(c *cmd.Ctx, name string, typ vfs.Mode) bool {
	l := &p.Levels[len(p.Levels)-1]
	full := walk.Join(l.Dir.Path, name)
	if l.Dir.Path == "./" { // nothing was said: names are shown without it
		full = name
	}
	st, err := c.Lstat(full)
	if err != nil {
		p.complain(c, full, err)
		return false
	}
	if typ == vfs.TypeLink {
		if !p.o.follow {
			return false
		}
		if st, err = c.Stat(full); err != nil {
			p.complain(c, full, err)
			return false
		}
	}
	rel := name
	if l.Rel != "" {
		rel = l.Rel + "/" + name
	}
	dir := st.Mode.IsDir()
	if p.left(c, rel, name, dir) {
		return false
	}
	if dir {
		if len(p.Levels) < walk.MaxDepth && (p.o.depth < 0 || len(p.Levels) < p.o.depth) && !(typ == vfs.TypeLink && p.looped(c, st.Ino)) {
			p.Levels = append(p.Levels, Level{Dir: walk.Dir{Path: full}, Rel: rel})
		}
		return false
	}
	if !st.Mode.IsRegular() || p.o.maxSize >= 0 && st.Size > p.o.maxSize {
		return false
	}
	if p.o.depth == 0 {
		return false
	}
	return p.take(c, full, false)
}

// looped reports that a directory is one of those around.
func (p *Program) looped(c *cmd.Ctx, ino vfs.Ino) bool {
	for _, l := range p.Levels {
		if st, err := c.Stat(l.Dir.Path); err == nil && st.Ino == ino {
			return true
		}
	}
	return false
}

// left reports that a file or a directory is left out: -g decides before ignore
// files, the innermost of those before others, types before hiddenness.
func (p *Program) left(c *cmd.Ctx, rel, name string, dir bool) bool {
	c.Charge(2)
	switch verdict(p.o.overrides, rel, dir) {
	case 1:
		return false // here a rule says what is wanted
	case -1:
		return true
	}
	if p.o.only1 && !dir {
		return true
	}
	kept := false
	found := func(rules []Rule, path string) bool {
		switch verdict(rules, path, dir) {
		case 1:
			return true
		case -1:
			kept = true
		}
		return false
	}
	for i := len(p.Levels) - 1; i >= 0 && !kept; i-- {
		l := &p.Levels[i]
		if len(l.Rules) > 0 && found(l.Rules, strings.TrimPrefix(strings.TrimPrefix(rel, l.Rel), "/")) {
			return true
		}
	}
	for i := len(p.Above) - 1; i >= 0 && !kept; i-- {
		if found(p.Above[i].Rules, p.Above[i].Rel+"/"+rel) {
			return true
		}
	}
	if !dir && (len(p.o.types) > 0 || len(p.o.notTypes) > 0) {
		for _, g := range p.o.notTypes {
			if globMatch(g, name) {
				return true
			}
		}
		for _, g := range p.o.types {
			if globMatch(g, name) {
				return false
			}
		}
		return len(p.o.types) > 0
	}
	return !kept && !p.o.hidden && strings.HasPrefix(name, ".")
}

// take opens a file, or lists it with --files.
func (p *Program) take(c *cmd.Ctx, full string, given bool) bool {
	if p.o.show == 'f' {
		p.Matched = true
		if p.o.quiet {
			return true
		}
		c.Out.WriteString(full)
		if p.o.null {
			c.Out.WriteByte(0)
		} else {
			c.Out.WriteByte('\n')
		}
		return false
	}
	fd, err := c.Open(full, vfs.O_RDONLY, 0)
	if err != nil {
		p.complain(c, full, err)
		return false
	}
	p.open(c, full, fd, given)
	return true
}

// complain reports a file that cannot be searched.
func (p *Program) complain(c *cmd.Ctx, name string, err error) {
	p.Failed = true
	if !p.o.noMessages {
		c.Flush()
		c.Errorf("%s: %s (os error %d)", name, err, errno(err))
	}
}

// errno is Linux's number of an error.
func errno(err error) int {
	switch err {
	case vfs.ENOENT:
		return 2
	case vfs.EACCES:
		return 13
	case vfs.ENOTDIR:
		return 20
	case vfs.EISDIR:
		return 21
	case vfs.ELOOP:
		return 40
	}
	return 5
}
