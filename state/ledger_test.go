package state

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"eryxsh/state/internal/numbers"
	"eryxsh/vfs"
)

// settled are differences from an earlier version that its reader knows of: what numbers.Compare says, and who reads the old
// meaning. Nothing else may differ.
var settled = map[string]string{}

// ledgers reads what the numbers meant in each earlier version, by folder.
func ledgers(t testing.TB) map[string]*numbers.Ledger {
	t.Helper()
	all := map[string]*numbers.Ledger{}
	paths, _ := filepath.Glob(goldenFolders + "/fields.txt")
	for _, p := range paths {
		l, err := numbers.Parse(string(fileOf(t, p)))
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		all[filepath.Base(filepath.Dir(p))] = l
	}
	if all["v1"] == nil {
		t.Fatal("there is no ledger of version 1")
	}
	return all
}

// ledgerText is what the numbers mean now, as text.
var ledgerText = sync.OnceValues(func() (string, error) {
	l, err := numbers.Now("..")
	if err != nil {
		return "", err
	}
	return l.String(), nil
})

func ledgerNow(t testing.TB) *numbers.Ledger {
	t.Helper()
	text, err := ledgerText()
	if err != nil {
		t.Fatal(err)
	}
	l, err := numbers.Parse(text)
	if err != nil || l.String() != text {
		t.Fatalf("the ledger as text is another one (%v)", err)
	}
	return l
}

// TestFieldsOfEarlierVersions checks that every number of an earlier version means what it meant: of fields and of constants.
func TestFieldsOfEarlierVersions(t *testing.T) {
	now := ledgerNow(t)
	met := map[string]bool{}
	for version, old := range ledgers(t) {
		for _, s := range numbers.Compare(old, now) {
			if met[s] = true; settled[s] == "" {
				t.Errorf("since %s: %s. Numbers are only ever added: a blob of %s would be misread", version, s, version)
			}
		}
	}
	for s := range settled {
		if !met[s] {
			t.Errorf("settled, and no difference: %s", s)
		}
	}
}

// TestFieldsSwapped swaps, changes and takes away numbers, each of which must be noticed by name.
func TestFieldsSwapped(t *testing.T) {
	now := ledgerNow(t)
	const sort = "core/cmd/std/sort.program"
	change := func(of string, do func(rows []numbers.Row) []numbers.Row) *numbers.Ledger {
		l := ledgerNow(t)
		l.Structs[of] = do(slices.Clone(l.Structs[of]))
		return l
	}
	frames := ledgerNow(t)
	kinds := frames.Groups["FrameKind"]
	kinds[4].Value, kinds[5].Value = kinds[5].Value, kinds[4].Value
	moved := ledgerNow(t)
	moved.Roots["utility sort"], moved.Structs["elsewhere.sorter"] = "elsewhere.sorter", moved.Structs[sort]
	delete(moved.Structs, sort)
	gone := ledgerNow(t)
	delete(gone.Roots, "utility sort")
	for _, c := range []struct {
		name string
		now  *numbers.Ledger
		want []string
	}{
		{"as it is", now, nil},
		{"moved and renamed", moved, nil},
		{"a field more", change(sort, func(r []numbers.Row) []numbers.Row { return append(r, numbers.Row{Num: 99, Name: "New", Kind: "int"}) }), nil},
		{"Total and Out swapped", change(sort, func(r []numbers.Row) []numbers.Row {
			r[5].Num, r[6].Num = r[6].Num, r[5].Num
			return r
		}), []string{"sort.Program field 6 was 'Total int', is now 'Out int'", "sort.Program field 7 was 'Out int', is now 'Total int'"}},
		{"another type", change(sort, func(r []numbers.Row) []numbers.Row { r[3].Kind = "[bytes]"; return r }),
			[]string{"sort.Program field 4 was 'Runs [sort.Run]', is now 'Runs [bytes]'"}},
		{"taken away", change(sort, func(r []numbers.Row) []numbers.Row { return r[1:] }), []string{"sort.Program field 1 was 'In cmd.Input', and is gone"}},
		{"inside another", change("core/cmd/std/sort.run", func(r []numbers.Row) []numbers.Row { r[1].Num = 77; return r }),
			[]string{"sort.Run field 2 was 'Pos int', and is gone"}},
		{"kinds of frames swapped", frames, []string{"FrameKind 5 was FIf, is now FWhile", "FrameKind 6 was FWhile, is now FIf"}},
		{"a utility without its state", gone, []string{"utility sort had a saved state, sort.Program, and has none"}},
	} {
		got := numbers.Compare(now, c.now)
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFieldsOfConstants checks that whoever saves a constant is in numbers.Groups.
func TestFieldsOfConstants(t *testing.T) {
	plain := map[reflect.Type]bool{ // without constants, or with those of a group
		reflect.TypeFor[vfs.Ino](): true, reflect.TypeFor[vfs.Mode](): true}
	of := map[string]bool{}
	for _, g := range numbers.Groups {
		of[g.Of] = true
	}
	for _, f := range savedFields() {
		if of[f.String()] && f.typ.PkgPath() != "" {
			plain[f.typ] = true
		}
	}
	for _, f := range savedFields() {
		typ := f.typ
		for typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array {
			typ = typ.Elem()
		}
		named := typ.PkgPath() != "" && (typ.Kind() >= reflect.Int && typ.Kind() <= reflect.Uint64) && !plain[typ]
		if (named || strings.HasSuffix(f.name, "Phase")) && !of[f.String()] {
			t.Errorf("%s holds constants that are not in numbers.Groups", f)
		}
	}
}
