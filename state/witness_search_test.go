package state

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"eryxsh/core"
	"eryxsh/state/internal/numbers"
)

// search finds witnesses for the fields that have none and writes the table.
// WITNESS_ONLY names fields by a part of their names, "none" those that have no row; WITNESS_SCRIPT the scripts
// to try. A field of a utility is asked only of scripts that name the utility, and only at the safe points at
// which it is set.
func search(t *testing.T, fields []field, rows map[string]string) {
	names, all := witnesses(t)
	var wanted []field
	for _, f := range fields {
		only := os.Getenv("WITNESS_ONLY")
		if excused[f.String()] == "" && (only == "none" && rows[f.String()] == "" || strings.Contains(f.String(), only)) {
			wanted = append(wanted, f)
		}
	}
	forget(t, wanted, rows, all)
	left := map[string]field{}
	for _, f := range wanted {
		if _, ok := rows[f.String()]; !ok {
			left[f.String()] = f
		}
	}
	users := users(fields)
	tries := map[string]int{}
	for _, name := range names {
		if !strings.Contains(name, os.Getenv("WITNESS_SCRIPT")) {
			continue
		}
		s := all[name]
		here := map[string]field{}
		for key, f := range left {
			if tries[key] < allTries && (users[key] == nil || users[key].MatchString(s.text)) {
				here[key] = f
			}
		}
		found := s.search(t, here, tries)
		for key, at := range found {
			rows[key] = name + "\t" + strconv.Itoa(at)
			delete(left, key)
		}
		if len(found) > 0 {
			t.Logf("%s: %d fields left", name, len(left))
			writeTable(t, fields, rows)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("nobody misses %s (tried in %d places)", key, tries[key])
	}
}

// forget takes the rows that are no longer true off the table: their fields are looked for anew.
func forget(t testing.TB, fields []field, rows map[string]string, all map[string]script) {
	byScript := map[string][]field{}
	for _, f := range fields {
		if where, ok := rows[f.String()]; ok {
			name, _, _ := strings.Cut(where, "\t")
			byScript[name] = append(byScript[name], f)
		}
	}
	for name, fields := range byScript {
		all[name].again(t, fields, rows)
	}
}

// again puts right the rows of a script whose steps have moved, and takes those away that it is no witness of.
func (s script) again(t testing.TB, fields []field, rows map[string]string) {
	missing := fields
	defer func() {
		if x := recover(); x != nil {
			t.Logf("%s: %v", s.name, x)
		}
		for _, f := range missing {
			delete(rows, f.String())
		}
	}()
	c := &catcher{TB: t}
	want := s.plain(c)
	missing = s.testify(c, fields, rows)
	for len(missing) > 0 {
		f := missing[0]
		at := s.find(c, f, want)
		if at == 0 {
			delete(rows, f.String())
		} else {
			rows[f.String()] = s.name + "\t" + strconv.Itoa(at)
		}
		missing = missing[1:]
	}
}

// users gives, for each field that only utilities' states have, what a script
// that runs one of them says; fields of the shell have no entry.
func users(fields []field) map[string]*regexp.Regexp {
	names := map[string][]string{}
	for name, typ := range numbers.Programs() {
		w := newWalker()
		w.walk(typ, name, "")
		for _, of := range w.structs {
			for _, f := range of {
				names[f.String()] = append(names[f.String()], regexp.QuoteMeta(name))
			}
		}
	}
	all := map[string]*regexp.Regexp{}
	for _, f := range fields {
		if f.utility() {
			all[f.String()] = regexp.MustCompile(`\b(` + strings.Join(names[f.String()], "|") + `)\b`)
		}
	}
	return all
}

// pointTries is how often a field is tried in one script, allTries in all.
const pointTries, allTries = 16, 2000

// search tries the fields on one script: it gives the safe points at which their loss is noticed.
func (s script) search(t testing.TB, fields map[string]field, tries map[string]int) (found map[string]int) {
	found = map[string]int{}
	if len(fields) == 0 {
		return found
	}
	defer func() {
		if x := recover(); x != nil {
			t.Logf("%s: %v", s.name, x)
		}
	}()
	c := &catcher{TB: t}
	set := s.trace(c, fields)
	if len(set) == 0 {
		return found
	}
	at := map[int][]string{}
	for key, steps := range set {
		for _, i := range spread(len(steps), pointTries) {
			at[steps[i]] = append(at[steps[i]], key)
		}
	}
	stops := slices.Sorted(maps.Keys(at))
	want := s.plain(c)
	frozen := s.freeze(c, stops, want)
	for _, stop := range stops {
		z, ok := frozen[stop]
		if !ok {
			continue
		}
		slices.Sort(at[stop])
		for _, key := range at[stop] {
			if found[key] > 0 {
				continue
			}
			missed, tried := s.misses(c, z.player, z.data, fields[key], want)
			if tried {
				tries[key]++
			}
			if missed {
				found[key] = stop
			}
		}
	}
	return found
}

// spread chooses up to most of the numbers below n, the first and the last among them.
func spread(n, most int) (all []int) {
	if n <= most {
		most = n
	}
	for i := range most {
		if most == 1 {
			return []int{0}
		}
		all = append(all, i*(n-1)/(most-1))
	}
	return all
}

// longest is how many steps a script may take to be a witness.
const longest = 5000

// trace runs a script and gives the safe points at which each of the fields is set.
func (s script) trace(t testing.TB, fields map[string]field) map[string][]int {
	w, p := s.begin(t), s.player()
	defer w.Close()
	set, k := map[string][]int{}, newSeeker(fields)
	shell := false
	for _, f := range fields {
		shell = shell || !f.utility()
	}
	for step := 1; ; step++ {
		if step > longest {
			t.Fatal("takes too long")
		}
		ended := p.advance(t, w, 1)
		here := map[string]bool{}
		if shell {
			if w.Keep {
				w.Take()
			}
			if step < 300 || step%50 == 0 || ended {
				here = dissect(t, export(t, w)).set()
			}
		} else {
			here = k.inFlight(w)
		}
		for key := range here {
			if _, ok := fields[key]; ok {
				set[key] = append(set[key], step)
			}
		}
		if ended {
			break
		}
	}
	return set
}

// seeker looks for fields that are set, and goes only where they can be.
type seeker struct {
	fields map[reflect.Type][]wantedField
	leads  map[reflect.Type]bool // whether a type can hold one of them
	here   map[string]bool       // those found
}

type wantedField struct {
	key   string
	index []int
}

func newSeeker(fields map[string]field) *seeker {
	k := &seeker{fields: map[reflect.Type][]wantedField{}, leads: map[reflect.Type]bool{}}
	for key, f := range fields {
		sf, _ := f.owner.FieldByName(f.name)
		k.fields[f.owner] = append(k.fields[f.owner], wantedField{key, sf.Index})
	}
	return k
}

// inFlight lists the fields that are set in the states of utilities in flight.
func (k *seeker) inFlight(w *core.World) map[string]bool {
	k.here = map[string]bool{}
	for _, p := range w.M.Procs {
		for i := range p.Frames {
			if x := p.Frames[i].X; x != nil && x.Util != nil && x.Util.Prog != nil {
				k.visit(reflect.ValueOf(x.Util.Prog))
			}
		}
	}
	return k.here
}

func (k *seeker) visit(v reflect.Value) {
	if !k.leadsOn(v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			k.visit(v.Elem())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			k.visit(v.Index(i))
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			k.visit(it.Value())
		}
	case reflect.Struct:
		for _, f := range k.fields[v.Type()] {
			if !v.FieldByIndex(f.index).IsZero() {
				k.here[f.key] = true
			}
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("cbor") != "-" {
				k.visit(v.Field(i))
			}
		}
	}
}

func (k *seeker) leadsOn(t reflect.Type) bool {
	leads, known := k.leads[t]
	if known {
		return leads
	}
	k.leads[t] = false // saved types are not inside themselves
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		leads = k.leadsOn(t.Elem())
	case reflect.Struct:
		leads = len(k.fields[t]) > 0
		for i := range t.NumField() {
			leads = t.Field(i).IsExported() && k.leadsOn(t.Field(i).Type) || leads
		}
	}
	k.leads[t] = leads
	return leads
}

func writeTable(t testing.TB, fields []field, rows map[string]string) {
	var b strings.Builder
	b.WriteString("# Which script notices the loss of a saved field, and the safe point at which it was lost. WITNESS=search fills this in.\n")
	for _, f := range fields {
		if where, ok := rows[f.String()]; ok {
			fmt.Fprintf(&b, "%s\t%s\n", f, where)
		}
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(witnessFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
