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
)

// search finds witnesses for the fields that have none and writes the table.
// WITNESS_ONLY names fields by a part of their names. A field of a utility is
// asked only of scripts that name the utility, and only at the safe points at
// which it is set.
func search(t *testing.T, fields []field, rows map[string]string) {
	names, all := witnesses(t)
	left := map[string]field{}
	for _, f := range fields {
		if _, ok := rows[f.String()]; !ok && excused[f.String()] == "" && strings.Contains(f.String(), os.Getenv("WITNESS_ONLY")) {
			left[f.String()] = f
		}
	}
	users := users(fields)
	tries := map[string]int{}
	for _, name := range names {
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

// users gives, for each field that only utilities' states have, what a script
// that runs one of them says; fields of the shell have no entry.
func users(fields []field) map[string]*regexp.Regexp {
	names := map[string][]string{}
	for name, typ := range programTypes() {
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
const pointTries, allTries = 12, 3000

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
	frozen := s.freeze(c, stops)
	want, _ := s.plain(c)
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

// trace runs a script and gives the safe points at which each of the fields is set.
func (s script) trace(t testing.TB, fields map[string]field) map[string][]int {
	w, p := s.begin(t), s.player()
	defer w.Close()
	set := map[string][]int{}
	shell := false
	for _, f := range fields {
		shell = shell || !f.utility()
	}
	for step := 1; step < endless; step++ {
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
			inFlight(w, here)
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

// inFlight lists the fields that are set in the states of utilities in flight.
func inFlight(w *core.World, here map[string]bool) {
	b := &blob{}
	for _, p := range w.M.Procs {
		for i := range p.Frames {
			if x := p.Frames[i].X; x != nil && x.Util != nil && x.Util.Prog != nil {
				each(reflect.ValueOf(x.Util.Prog), nil, func(v reflect.Value) { b.mark(here, v, v.Type().String()) })
			}
		}
	}
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
