package merge

import (
	"maps"
	"slices"
	"strconv"

	"eryxsh/core/compare"
	"eryxsh/core/expand"
	"eryxsh/core/shell"
	"eryxsh/core/vars"
	"eryxsh/vfs/persist"
)

// state merges what the shell has: by name, and options one by one. The working
// directory is taken from theirs if only they went elsewhere.
func state(base, ours, theirs *shell.Mark, j *judge) (shell.Amendment, error) {
	a := shell.Amendment{Vars: map[string]*vars.Var{}, Funcs: map[string]*shell.Function{}, Aliases: map[string]*string{}}
	if err := variables(base, ours, theirs, j, a.Vars); err != nil {
		return a, err
	}
	if err := functions(base, ours, theirs, j, a.Funcs); err != nil {
		return a, err
	}
	if err := aliases(base, ours, theirs, j, a.Aliases); err != nil {
		return a, err
	}
	set := func(b, o, t uint64) uint64 { return o&^(b^t) | t&(b^t) }
	a.Opts = shell.Options{Lo: set(base.Opts.Lo, ours.Opts.Lo, theirs.Opts.Lo), Hi: set(base.Opts.Hi, ours.Opts.Hi, theirs.Opts.Hi)}
	if base.Cwd == ours.Cwd && theirs.Cwd != ours.Cwd {
		a.Cwd = theirs.Cwd
	}
	return a, nil
}

// three is what the base and the two sides have under a name, as text; nil: nothing.
type three struct{ base, ours, theirs []byte }

// settle says whether theirs is to be taken, or the data of the decision. is tells
// what is the same, shown is for people.
func (j *judge) settle(kind Kind, name string, is, shown three) (Decision, error) {
	equal := func(x, y []byte) bool { return (x == nil) == (y == nil) && string(x) == string(y) }
	switch {
	case equal(is.base, is.theirs), equal(is.ours, is.theirs):
		return Decision{Take: Ours}, nil
	case equal(is.base, is.ours):
		return Decision{Take: Theirs}, nil
	}
	return j.decide(&Conflict{Kind: kind, Path: name, Base: shown.base, Ours: shown.ours, Theirs: shown.theirs})
}

// names lists the names of all three in order, but for those that have the same
// under them in the base and in theirs.
func names[V comparable](base, theirs map[string]V) []string {
	all := map[string]bool{}
	for name, v := range theirs {
		if was, ok := base[name]; !ok || was != v {
			all[name] = true
		}
	}
	for name := range base {
		if _, ok := theirs[name]; !ok {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func variables(base, ours, theirs *shell.Mark, j *judge, out map[string]*vars.Var) error {
	b, o, t := shell.Variables(&base.Vars), shell.Variables(&ours.Vars), shell.Variables(&theirs.Vars)
	for _, name := range names(b, t) {
		if compare.Own(name) {
			continue
		}
		is := three{declared(b[name]), declared(o[name]), declared(t[name])}
		d, err := j.settle(Variable, name, is, three{value(b[name]), value(o[name]), value(t[name])})
		if err != nil {
			return err
		}
		switch d.Take {
		case Theirs:
			out[name] = nil
			if v := t[name]; v != nil {
				if out[name], err = vars.FromRecord(v.Record(name)); err != nil {
					return err
				}
			}
		case Write:
			attrs := vars.Attr(0)
			if v := o[name]; v != nil && !v.IsArray() {
				attrs = v.Attrs()
			}
			out[name] = vars.New(string(d.Data), attrs)
		}
	}
	return nil
}

// value is what a variable holds; of an array as declare -p shows it.
func value(v *vars.Var) []byte {
	switch {
	case v == nil:
		return nil
	case v.IsArray():
		return []byte(expand.DeclareValue(v, false, nil))
	}
	return append([]byte{}, v.String()...)
}

// declared is a value with the variable's attributes.
func declared(v *vars.Var) []byte {
	if v == nil {
		return nil
	}
	return append(strconv.AppendInt(nil, int64(v.Attrs()), 16), " "+expand.DeclareValue(v, false, nil)...)
}

// table gives a persistent map as one that is gone through by name.
func table[V any](m *persist.Map[V]) map[string]V { return maps.Collect(m.All()) }

func functions(base, ours, theirs *shell.Mark, j *judge, out map[string]*shell.Function) error {
	b, o, t := table(&base.Funcs), table(&ours.Funcs), table(&theirs.Funcs)
	text := func(f *shell.Function) []byte {
		if f == nil {
			return nil
		}
		return []byte(shell.FunctionText(f))
	}
	for _, name := range names(b, t) {
		v := three{text(b[name]), text(o[name]), text(t[name])}
		d, err := j.settle(Function, name, v, v)
		if err != nil {
			return err
		}
		if d.Take == Theirs {
			out[name] = t[name]
		}
	}
	return nil
}

func aliases(base, ours, theirs *shell.Mark, j *judge, out map[string]*string) error {
	b, o, t := table(&base.Aliases), table(&ours.Aliases), table(&theirs.Aliases)
	text := func(m map[string]string, name string) []byte {
		if s, ok := m[name]; ok {
			return append([]byte{}, s...)
		}
		return nil
	}
	for _, name := range names(b, t) {
		v := three{text(b, name), text(o, name), text(t, name)}
		d, err := j.settle(Alias, name, v, v)
		if err != nil {
			return err
		}
		switch d.Take {
		case Theirs:
			out[name] = nil
			if s, ok := t[name]; ok {
				out[name] = &s
			}
		case Write:
			s := string(d.Data)
			out[name] = &s
		}
	}
	return nil
}
