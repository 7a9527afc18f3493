// Package compare says what differs between two states of one sandbox: files,
// variables, functions, the working directory. What the states share is
// skipped, so the cost follows the changes.
//
// A Difference holds both states, which cost little and do not change: a patch
// is made of them when somebody asks for it.
package compare

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/shell"
	"eryxsh/core/vars"
	"eryxsh/vfs"
	"eryxsh/vfs/persist"
)

// Difference is what changed from one state to another.
type Difference struct {
	Files     []File // in the order of their paths
	Variables []Value
	Functions []Value
	Dir       [2]string // the working directory, before and after

	before, after *shell.Mark
	each          []File // the same as Files, where a path may stand as removed and as come anew
}

// Kind says what happened to a file.
type Kind string

// The kinds of changes.
const (
	Added    Kind = "added"
	Modified Kind = "modified" // content, type, mode or owner
	Removed  Kind = "removed"
	Renamed  Kind = "renamed" // and maybe modified
)

// File is one changed path.
type File struct {
	Kind   Kind
	Path   string // where it is, or was if it is removed
	From   string // where a renamed file was
	Before vfs.Stat
	After  vfs.Stat // the zero Stat where there is none
}

// Value is a variable or function: nil where there is none. An array and a
// function are as declare -p and declare -f show them.
type Value struct {
	Name   string
	Before *string
	After  *string
}

// Marks compares two states.
func Marks(before, after *shell.Mark) *Difference {
	d := &Difference{before: before, after: after, Dir: [2]string{before.Cwd, after.Cwd}}
	d.each = files(&before.Files, &after.Files)
	d.Files = replaced(slices.Clone(d.each))
	d.Variables = variables(&before.Vars, &after.Vars)
	d.Functions = functions(&before.Funcs, &after.Funcs)
	return d
}

// files lists the changed paths. Inodes tell what was moved from what was made
// anew; names tell the several ones of a hard link apart.
func files(a, b *vfs.FS) []File {
	var out []File
	shared := map[vfs.Ino]File{} // modified, with several names
	for _, c := range vfs.Diff(a, b) {
		was, err := a.StatIno(c.Ino)
		if err != nil || c.Before == "" {
			was = vfs.Stat{}
		}
		is, err := b.StatIno(c.Ino)
		if err != nil || c.After == "" {
			is = vfs.Stat{}
		}
		if was.Mode.IsDir() || is.Mode.IsDir() {
			out = append(out, linked(a, b, c.Ino)...)
		}
		several := !was.Mode.IsDir() && !is.Mode.IsDir() && max(was.Nlink, is.Nlink) > 1
		f := File{Kind: Modified, Path: c.After, Before: was, After: is}
		switch {
		case several && (c.Before == "" || c.After == ""):
			continue // its names come and go with their directories
		case c.Before == "":
			f.Kind = Added
		case c.After == "":
			f.Kind, f.Path = Removed, c.Before
		case c.Before != c.After && !several:
			f.Kind, f.From = Renamed, c.Before
		case c.Content && !is.Mode.IsDir(), was.Mode != is.Mode, was.UID != is.UID, was.GID != is.GID:
			if several {
				shared[c.Ino] = f
				continue
			}
		default: // only times, or a directory's names, which are changes of their own
			continue
		}
		out = append(out, f)
	}
	out = append(out, everyName(a, b, shared)...)
	slices.SortStableFunc(out, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	return out
}

// everyName lists modified files under each of their names that they had before,
// which takes a look at every directory.
func everyName(a, b *vfs.FS, shared map[vfs.Ino]File) (out []File) {
	if len(shared) == 0 {
		return nil
	}
	cred := vfs.Cred{Root: true}
	for r := range b.Records() {
		for _, n := range r.Names {
			f, ok := shared[n.Ino]
			if !ok {
				continue
			}
			dir, ok := b.Path(r.Ino)
			if f.Path = strings.TrimSuffix(dir, "/") + "/" + n.Name; !ok {
				continue
			}
			if st, err := a.Lstat(cred, f.Path); err == nil && st.Ino == n.Ino { // else it is an added name
				out = append(out, f)
			}
		}
	}
	return out
}

// linked lists the names that files with several have lost and got in a directory.
func linked(a, b *vfs.FS, dir vfs.Ino) (out []File) {
	for _, n := range vfs.DiffNames(a, b, dir) {
		if f, ok := name(a, dir, n.Name, n.Before, b); ok {
			out = append(out, File{Kind: Removed, Path: f.Path, Before: f.After})
		}
		if f, ok := name(b, dir, n.Name, n.After, a); ok {
			out = append(out, f)
		}
	}
	return out
}

// name describes a name in a directory of fs, if its file has several there or in the other tree.
func name(fs *vfs.FS, dir vfs.Ino, name string, ino vfs.Ino, other *vfs.FS) (File, bool) {
	if ino == 0 {
		return File{}, false
	}
	st, err := fs.StatIno(ino)
	path, ok := fs.Path(dir)
	if err != nil || !ok || st.Mode.IsDir() {
		return File{}, false
	}
	links := st.Nlink
	if there, err := other.StatIno(ino); err == nil {
		links = max(links, there.Nlink)
	}
	if path != "/" {
		path += "/"
	}
	return File{Kind: Added, Path: path + name, After: st}, links > 1
}

// replaced makes one modified file of a removed and an added one of the same
// path: what an editor that writes a new file and renames it leaves behind.
func replaced(files []File) []File {
	out := files[:0]
	for _, f := range files {
		n := len(out)
		if n == 0 || out[n-1].Path != f.Path || (out[n-1].Kind == Removed) == (f.Kind == Removed) {
			out = append(out, f)
			continue
		}
		gone, come := out[n-1], f
		if f.Kind == Removed {
			gone, come = f, out[n-1]
		}
		if come.Kind == Added {
			come.Kind, come.Before = Modified, gone.Before
		}
		out[n-1] = come
	}
	return out
}

// Own reports whether the shell itself keeps changing a variable: what it holds is no work of anybody.
func Own(name string) bool { return slices.Contains(own, name) }

var own = []string{"_", "BASH_COMMAND", "LINENO", "RANDOM", "SECONDS", "PIPESTATUS", "BASH_EXECUTION_STRING", "OLDPWD", "PWD"}

func variables(a, b *vars.Table) []Value {
	before, after := shell.Variables(a), shell.Variables(b)
	text := func(v *vars.Var) *string {
		if v == nil {
			return nil
		}
		s := v.String()
		if v.IsArray() {
			s = expand.DeclareValue(v, false, nil)
		}
		return &s
	}
	var out []Value
	add := func(name string, x, y *vars.Var) {
		if Own(name) || x == y {
			return
		}
		if v := (Value{name, text(x), text(y)}); x == nil || y == nil || x.IsArray() != y.IsArray() || *v.Before != *v.After {
			out = append(out, v)
		}
	}
	for name, v := range after {
		add(name, before[name], v)
	}
	for name, v := range before {
		if after[name] == nil {
			add(name, v, nil)
		}
	}
	slices.SortFunc(out, func(x, y Value) int { return strings.Compare(x.Name, y.Name) })
	return out
}

func functions(a, b *persist.Map[*shell.Function]) []Value {
	text := func(m *persist.Map[*shell.Function], name string) *string {
		f, ok := m.Get(name)
		if !ok {
			return nil
		}
		s := shell.FunctionText(f)
		return &s
	}
	var out []Value
	for name, f := range b.Sorted() {
		if was, had := a.Get(name); !had || was != f {
			v := Value{name, text(a, name), text(b, name)}
			if v.Before == nil || *v.Before != *v.After {
				out = append(out, v)
			}
		}
	}
	for name := range a.Sorted() {
		if _, has := b.Get(name); !has {
			out = append(out, Value{Name: name, Before: text(a, name)})
		}
	}
	slices.SortFunc(out, func(x, y Value) int { return strings.Compare(x.Name, y.Name) })
	return out
}
