package numbers

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Ledger is what the numbers of saved states mean in one version.
type Ledger struct {
	Roots   map[string]string // a record, or a utility whose state is saved → its struct
	Structs map[string][]Row  // by full name
	Groups  map[string][]Constant
}

// Row is a field of a struct.
type Row struct {
	Num  int // 0 in a struct that is an array
	Name string
	Kind string // as Kind gives it, structs by their full names
}

// String is the field as messages show it.
func (r Row) String() string { return r.Name + " " + shortKind(r.Kind) }

// Constant is a value with a meaning.
type Constant struct {
	Name  string
	Value int64
}

// Now describes this version. root is the folder of the module, whose sources have the constants.
func Now(root string) (*Ledger, error) {
	l := &Ledger{map[string]string{}, map[string][]Row{}, map[string][]Constant{}}
	seen := map[reflect.Type]bool{}
	add := func(name string, t reflect.Type) {
		l.Roots[name] = FullName(t)
		for _, s := range Structs(t, seen) {
			fields, _ := Fields(s)
			rows := make([]Row, len(fields))
			for i, f := range fields {
				rows[i] = Row{f.Num, f.Name, Kind(f.Type, FullName)}
			}
			l.Structs[FullName(s)] = rows
		}
	}
	for _, t := range append(Records(), Stored()...) {
		add(t.Name(), t)
	}
	programs := Programs()
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		add("utility "+name, programs[name])
	}
	src := newSources(root)
	for _, g := range Groups {
		all, _, err := src.constants(g)
		if err != nil {
			return nil, err
		}
		l.Groups[g.Name] = all
	}
	return l, nil
}

// String is the ledger as text, which Parse reads.
func (l *Ledger) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(l.Roots)) {
		fmt.Fprintf(&b, "root %s = %s\n", name, l.Roots[name])
	}
	for _, name := range slices.Sorted(maps.Keys(l.Structs)) {
		fmt.Fprintf(&b, "struct %s\n", name)
		for _, r := range l.Structs[name] {
			fmt.Fprintf(&b, "  %d %s %s\n", r.Num, r.Name, r.Kind)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Groups)) {
		fmt.Fprintf(&b, "constants %s\n", name)
		for _, c := range l.Groups[name] {
			fmt.Fprintf(&b, "  %d %s\n", c.Value, c.Name)
		}
	}
	return b.String()
}

// Parse reads what String gives.
func Parse(text string) (*Ledger, error) {
	l := &Ledger{map[string]string{}, map[string][]Row{}, map[string][]Constant{}}
	of, at := "", ""
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		what, rest, _ := strings.Cut(line, " ")
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		num, err := strconv.ParseInt(words[0], 10, 64)
		switch {
		case what == "root":
			name, t, _ := strings.Cut(rest, " = ")
			l.Roots[name] = t
		case what == "struct", what == "constants":
			of, at = what, rest
			if of == "struct" {
				l.Structs[at] = []Row{}
			}
		case what != "" || err != nil || of == "struct" && len(words) != 3 || of != "struct" && len(words) != 2:
			return nil, fmt.Errorf("line %d: %q", n+1, line)
		case of == "struct":
			l.Structs[at] = append(l.Structs[at], Row{int(num), words[1], words[2]})
		default:
			l.Groups[at] = append(l.Groups[at], Constant{words[1], num})
		}
	}
	return l, nil
}

// Compare says what an earlier version's numbers mean otherwise now, so that its blobs would be misread: a number that
// changed its meaning or its kind, or has none any more. What is new is no difference. Structs are followed from the roots, so that
// they may be called otherwise and stand elsewhere.
func Compare(old, now *Ledger) []string {
	c := comparison{old: old, now: now, seen: map[[2]string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(old.Roots)) {
		if now.Roots[name] == "" {
			c.bad("%s had a saved state, %s, and has none", name, shortKind(old.Roots[name]))
			continue
		}
		c.structs(old.Roots[name], now.Roots[name])
	}
	for _, name := range slices.Sorted(maps.Keys(old.Groups)) {
		c.constants(name)
	}
	return c.wrong
}

type comparison struct {
	old, now *Ledger
	seen     map[[2]string]bool
	wrong    []string
}

func (c *comparison) bad(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// structName finds the struct in a kind, if there is one.
var structName = regexp.MustCompile(`[\w/]+\.\w+`)

// shortKind is a kind with its structs by their short names.
func shortKind(kind string) string { return structName.ReplaceAllStringFunc(kind, short) }

// short is a struct as people know it: sort.Program.
func short(full string) string {
	pkg, name, _ := strings.Cut(path.Base(full), ".")
	return pkg + "." + strings.ToUpper(name[:1]) + name[1:]
}

func (c *comparison) structs(old, now string) {
	if c.seen[[2]string{old, now}] {
		return
	}
	c.seen[[2]string{old, now}] = true
	rows := map[string]Row{}
	for i, r := range c.now.Structs[now] {
		rows[key(r, i)] = r
	}
	for i, was := range c.old.Structs[old] {
		is, there := rows[key(was, i)]
		same := there && was.Name == is.Name && structName.ReplaceAllString(was.Kind, "*") == structName.ReplaceAllString(is.Kind, "*")
		switch {
		case !there:
			c.bad("%s field %d was '%s', and is gone", short(old), was.Num, was)
		case !same:
			c.bad("%s field %d was '%s', is now '%s'", short(old), was.Num, was, is)
		default:
			before, after := structName.FindAllString(was.Kind, -1), structName.FindAllString(is.Kind, -1)
			for j := range before {
				c.structs(before[j], after[j])
			}
		}
	}
}

// key finds a field again: by its number, in an array by its place.
func key(r Row, place int) string {
	if r.Num == 0 {
		return "place " + strconv.Itoa(place)
	}
	return strconv.Itoa(r.Num)
}

func (c *comparison) constants(name string) {
	now := map[int64]string{}
	for _, is := range c.now.Groups[name] {
		now[is.Value] = is.Name
	}
	for _, was := range c.old.Groups[name] {
		if now[was.Value] == "" {
			c.bad("%s %d was %s, and is gone", name, was.Value, was.Name)
		} else if now[was.Value] != was.Name {
			c.bad("%s %d was %s, is now %s", name, was.Value, was.Name, now[was.Value])
		}
	}
}
