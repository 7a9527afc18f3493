package std

import (
	"fmt"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/owner"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

func chown() *cmd.Command {
	return ownerCommand("chown", "change the owner and/or group of each FILE to OWNER and/or GROUP",
		"chown [OPTION]... [OWNER][:[GROUP]] FILE...\nchown [OPTION]... --reference=RFILE FILE...")
}

func chgrp() *cmd.Command {
	return ownerCommand("chgrp", "change the group of each FILE to GROUP",
		"chgrp [OPTION]... GROUP FILE...\nchgrp [OPTION]... --reference=RFILE FILE...")
}

func ownerCommand(name, summary, usage string) *cmd.Command {
	options := []cmd.Option{
		{Short: 'c', Long: "changes", Help: "like verbose but report only when a change is made"},
		{Short: 'f', Long: "silent", Help: "suppress most error messages"},
		{Long: "quiet", Help: "suppress most error messages"},
		{Short: 'v', Long: "verbose", Help: "output a diagnostic for every file processed"},
		{Long: "dereference", Help: "affect the referent of each symbolic link (this is the default)"},
		{Short: 'h', Long: "no-dereference", Help: "affect symbolic links instead of any referenced file"},
		{Long: "no-preserve-root", Help: "do not treat '/' specially (the default)"},
		{Long: "preserve-root", Help: "fail to operate recursively on '/'"},
		{Long: "reference", Arg: cmd.Required, Meta: "RFILE", Help: "use RFILE's owner and group"},
		{Short: 'R', Long: "recursive", Help: "operate on files and directories recursively"},
		{Short: 'H', Help: "if a command line argument is a symbolic link to a directory, traverse it"},
		{Short: 'L', Help: "traverse every symbolic link to a directory encountered"},
		{Short: 'P', Help: "do not traverse any symbolic links (default)"},
	}
	if name == "chown" {
		options = append(options, cmd.Option{Long: "from", Arg: cmd.Required, Meta: "CURRENT_OWNER:CURRENT_GROUP",
			Help: "change the owner and/or group of each file only if its current owner and/or group match"})
	}
	return &cmd.Command{Name: name, Summary: summary, Usage: usage, Options: options, Class: cmd.Step, New: func() cmd.Program { return &chownProgram{} }}
}

type chownProgram struct {
	I      int         `cbor:"1,keyasint,omitempty" holds:"operand"`
	Stack  []walk.Dir  `cbor:"2,keyasint,omitempty"`
	Status int         `cbor:"3,keyasint,omitempty"`
	Owners owner.Names `cbor:"4,keyasint,omitempty"`
}

// ids are an owner and a group; -1 leaves one as it is.
type ids struct {
	uid, gid    int
	user, group string // as they were given
}

// Step changes a turn's worth of files.
func (p *chownProgram) Step(c *cmd.Ctx) cmd.Next {
	files := c.Args
	to, from := ids{uid: -1, gid: -1}, ids{uid: -1, gid: -1}
	if ref, ok := c.Flags.Last("reference"); ok {
		if len(files) == 0 {
			return cmd.Exit(c.MissingOperand(""))
		}
		st, err := c.Stat(ref.Value)
		if err != nil {
			c.Errorf("failed to get attributes of %s: %s", quote.Shell(c, ref.Value), err)
			return cmd.Exit(1)
		}
		if to.gid = int(st.GID); c.Def.Name == "chown" {
			to.uid = int(st.UID)
		}
	} else {
		if len(files) == 0 {
			return cmd.Exit(c.MissingOperand(""))
		}
		if len(files) == 1 {
			return cmd.Exit(c.MissingOperand(files[0]))
		}
		var ok bool
		if to, ok = p.parse(c, files[0]); !ok {
			return cmd.Exit(1)
		}
		files = files[1:]
	}
	if f, has := c.Flags.Last("from"); has {
		var ok bool
		if from, ok = p.parse(c, f.Value); !ok {
			return cmd.Exit(1)
		}
	}
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		if n := len(p.Stack); n > 0 {
			top := &p.Stack[n-1]
			if !top.Full {
				if err := top.Fill(c, &budget); err != nil {
					p.fail(c, "cannot read directory %s: %s", quote.Shell(c, top.Path), err)
				}
			} else if name, _, ok := top.Next(); ok {
				p.change(c, to, from, walk.Join(top.Path, name), false)
			} else {
				p.Stack = p.Stack[:n-1]
			}
			continue
		}
		if p.I >= len(files) {
			return cmd.Exit(p.Status)
		}
		p.I++
		p.change(c, to, from, files[p.I-1], true)
	}
	return cmd.Again()
}

// parse reads OWNER, OWNER:GROUP, OWNER: and :GROUP; for chgrp a group.
func (p *chownProgram) parse(c *cmd.Ctx, s string) (ids, bool) {
	out := ids{uid: -1, gid: -1}
	user, group, colon := s, "", false
	if c.Def.Name == "chgrp" {
		user, group = "", s
	} else if user, group, colon = strings.Cut(s, ":"); !colon {
		if _, ok := p.Owners.UserID(c, s); !ok && strings.Contains(s, ".") {
			user, group, colon = strings.Cut(s, ".")
			c.Errorf("warning: '.' should be ':': %s", quote.Locale(c, s))
		}
	}
	if user != "" {
		id, ok := p.Owners.UserID(c, user)
		if !ok {
			c.Errorf("invalid user: %s", quote.Locale(c, s))
			return out, false
		}
		out.uid, out.user = int(id), user
		if colon && group == "" {
			if r, ok := owner.Lookup(c, p.Owners.User(c, id)); ok {
				out.gid = int(r.GID)
				out.group = p.Owners.Group(c, r.GID)
			} else {
				c.Errorf("invalid spec: %s", quote.Locale(c, s))
				return out, false
			}
		}
	}
	if group != "" {
		id, ok := p.Owners.GroupID(c, group)
		if !ok {
			c.Errorf("invalid group: %s", quote.Locale(c, s))
			return out, false
		}
		out.gid, out.group = int(id), group
	}
	return out, true
}

func (p *chownProgram) fail(c *cmd.Ctx, format string, args ...any) {
	if !c.Flags.Has("f") && !c.Flags.Has("quiet") {
		c.Errorf(format, args...)
	}
	p.Status = 1
}

// change changes one file; a directory is entered under -R.
func (p *chownProgram) change(c *cmd.Ctx, to, from ids, path string, command bool) {
	recursive := c.Flags.Has("R")
	mode := byte('P')
	for _, f := range c.Flags {
		if f.Name == "H" || f.Name == "L" || f.Name == "P" {
			mode = f.Name[0]
		}
	}
	follow := !c.Flags.Has("h") && (!recursive || mode == 'L' || mode == 'H' && command)
	st, err := c.Lstat(path)
	if err == nil && follow && st.Mode.IsLink() {
		if st, err = c.Stat(path); err != nil {
			p.fail(c, "cannot dereference %s: %s", quote.Shell(c, path), err)
			return
		}
	}
	if err != nil {
		p.fail(c, "cannot access %s: %s", quote.Shell(c, path), err)
		return
	}
	if recursive && c.Flags.Has("preserve-root") && path == "/" {
		p.fail(c, "it is dangerous to operate recursively on %s", quote.Shell(c, path))
		c.Errorf("use --no-preserve-root to override this failsafe")
		return
	}
	if (from.uid < 0 || uint32(from.uid) == st.UID) && (from.gid < 0 || uint32(from.gid) == st.GID) {
		p.set(c, to, path, st, follow)
	}
	if recursive && st.Mode.IsDir() {
		if len(p.Stack) >= walk.MaxDepth {
			p.fail(c, "cannot access %s: %s", quote.Shell(c, path), vfs.ENAMETOOLONG)
			return
		}
		p.Stack = append(p.Stack, walk.Dir{Path: path})
	}
}

func (p *chownProgram) set(c *cmd.Ctx, to ids, path string, st vfs.Stat, follow bool) {
	what := "ownership"
	if c.Def.Name == "chgrp" {
		what = "group"
	}
	if err := c.Chown(path, to.uid, to.gid, follow); err != nil {
		p.fail(c, "changing %s of %s: %s", what, quote.Shell(c, path), err)
		return
	}
	changed := to.uid >= 0 && uint32(to.uid) != st.UID || to.gid >= 0 && uint32(to.gid) != st.GID
	if !c.Flags.Has("v") && !(c.Flags.Has("c") && changed) {
		return
	}
	label := func(u, g string) string {
		switch {
		case c.Def.Name == "chgrp" || to.uid < 0:
			return g
		case to.gid < 0:
			return u
		}
		return u + ":" + g
	}
	was := label(p.Owners.User(c, st.UID), p.Owners.Group(c, st.GID))
	now := label(to.user, to.group)
	if c.Flags.Has("reference") {
		now = label(p.Owners.User(c, uint32(max(to.uid, 0))), p.Owners.Group(c, uint32(max(to.gid, 0))))
	}
	if changed {
		fmt.Fprintf(&c.Out, "changed %s of %s from %s to %s\n", what, quote.Shell(c, path), was, now)
	} else if to.uid < 0 && to.gid < 0 {
		fmt.Fprintf(&c.Out, "%s of %s retained\n", what, quote.Shell(c, path))
	} else {
		fmt.Fprintf(&c.Out, "%s of %s retained as %s\n", what, quote.Shell(c, path), was)
	}
}
