package rpc

import (
	"slices"
	"sort"
	"strings"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/expand"
	"eryxsh/core/fault"
	"eryxsh/core/shell"
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// side is one of two states that are compared.
type side struct {
	files *vfs.FS
	vars  *vars.Table
	funcs *persist.Map[*shell.Function]
	dir   string
}

func sideOf(m *shell.Machine) side {
	p := m.Procs[0]
	return side{m.FS, p.Shell.Vars, &p.Shell.Funcs, p.Cwd}
}

// side gives the state of a snapshot id; empty is otherwise.
func (b *sandbox) side(id string, otherwise side) (side, error) {
	if id == "" {
		return otherwise, nil
	}
	for _, s := range b.Snaps {
		if s.ID == id {
			return sideOf(s.World.M), nil
		}
	}
	return side{}, fault.New(fault.NotFound, "diff", id, "no such snapshot")
}

func diff(c *call, p *wire.DiffParams) (wire.Diff, error) {
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return wire.Diff{}, err
	}
	o := b.origin
	before, err := b.side(p.A, side{&o.Files, &o.Vars, &o.Funcs, o.Cwd})
	if err != nil {
		return wire.Diff{}, err
	}
	after, err := b.side(p.B, sideOf(b.M))
	if err != nil {
		return wire.Diff{}, err
	}
	d := wire.Diff{Files: changedFiles(before.files, after.files), Variables: changedVariables(before.vars, after.vars), Functions: changedFunctions(before.funcs, after.funcs)}
	if after.dir != before.dir {
		d.Dir = after.dir
	}
	return d, nil
}

func changedFiles(a, b *vfs.FS) []wire.DiffFile {
	var out []wire.DiffFile
	for _, c := range vfs.Diff(a, b) {
		was, errA := a.StatIno(c.Ino)
		is, errB := b.StatIno(c.Ino)
		f := wire.DiffFile{Path: c.After}
		if c.Before != "" && errA == nil && was.Mode.IsRegular() {
			f.Before = was.Size
		}
		if c.After != "" && errB == nil && is.Mode.IsRegular() {
			f.After = is.Size
		}
		f.Type = typeName(is.Mode)
		switch {
		case c.Before == "":
			f.Change = "added"
		case c.After == "":
			f.Change, f.Path, f.Type = "removed", c.Before, typeName(was.Mode)
		case c.Before != c.After:
			f.Change, f.From = "renamed", c.Before
		case c.Content && !is.Mode.IsDir(), was.Mode != is.Mode, was.UID != is.UID, was.GID != is.GID:
			f.Change = "modified"
		default: // only times, or a directory's names, which are changes of their own
			continue
		}
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return replaced(out)
}

// replaced makes one modified file of a removed and an added one of the same
// path: what an editor that writes a new file and renames it leaves behind.
func replaced(files []wire.DiffFile) []wire.DiffFile {
	out := files[:0]
	for _, f := range files {
		if n := len(out); n > 0 && out[n-1].Path == f.Path && (out[n-1].Change == "removed") != (f.Change == "removed") {
			gone, come := out[n-1], f
			if f.Change == "removed" {
				gone, come = f, out[n-1]
			}
			if come.Change == "added" {
				come.Change = "modified"
			}
			if come.Before == 0 {
				come.Before = gone.Before
			}
			out[n-1] = come
			continue
		}
		out = append(out, f)
	}
	return out
}

// own are the variables the shell itself keeps changing.
var own = []string{"_", "BASH_COMMAND", "LINENO", "RANDOM", "SECONDS", "PIPESTATUS", "BASH_EXECUTION_STRING", "OLDPWD", "PWD"}

func changedVariables(a, b *vars.Table) map[string]*string {
	before, after := shell.Variables(a), shell.Variables(b)
	out := map[string]*string{}
	for name, v := range after {
		old, had := before[name]
		if slices.Contains(own, name) || had && (old == v || expand.DeclareValue(old, false, nil) == expand.DeclareValue(v, false, nil)) {
			continue
		}
		s := v.String()
		if v.IsArray() {
			s = expand.DeclareValue(v, false, nil)
		}
		out[name] = &s
	}
	for name := range before {
		if _, has := after[name]; !has && !slices.Contains(own, name) {
			out[name] = nil
		}
	}
	return out
}

func changedFunctions(before, after *persist.Map[*shell.Function]) []string {
	var out []string
	for name, f := range after.Sorted() {
		if old, had := before.Get(name); !had || old != f {
			out = append(out, name)
		}
	}
	for name := range before.Sorted() {
		if _, has := after.Get(name); !has {
			out = append(out, name)
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}
