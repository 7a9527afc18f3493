package state

import (
	"archive/zip"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"eryxsh/core/shell"
)

// TestMakeGolden makes the blobs that hold every saved field, out of the scripts and points of the
// witness table: few and small ones that together have all fields set, all kinds of frames, waits and files, and each utility in
// flight. It is a command for the version that is to be remembered:
//
//	GOLDEN=testdata/v2 go test ./state -run TestMakeGolden
func TestMakeGolden(t *testing.T) {
	folder := os.Getenv("GOLDEN")
	if folder == "" {
		t.Skip("GOLDEN names the folder to write")
	}
	z, err := os.Create(filepath.Join(folder, "fields.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := zip.NewWriter(z)
	put := func(name string, data []byte) {
		f, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range covering(t, candidates(t)) {
		name := strings.ReplaceAll(c.row.Of, "/", "-") + "-" + strconv.Itoa(c.at)
		put(name+".blob", c.blob)
		put(name+".json", []byte(jsonOf(t, c.row)))
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// candidate is a script stopped at a safe point.
type candidate struct {
	at   int
	blob []byte
	row  goldenRow
	held map[string]bool
}

// candidates stops each script of the witness table where the table says, and each of a utility that the table has nothing of at all its points.
func candidates(t *testing.T) (all []candidate) {
	stops := map[string][]int{}
	for _, where := range table(t) {
		name, step, _ := strings.Cut(where, "\t")
		if n, _ := strconv.Atoi(step); n > 0 && !slices.Contains(stops[name], n) {
			stops[name] = append(stops[name], n)
		}
	}
	names, scripts := witnesses(t)
	for _, name := range names {
		s := scripts[name]
		at := stops[name]
		if strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "script/") {
			at = append(at, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30)
		}
		slices.Sort(at)
		all = append(all, s.candidates(t, slices.Compact(at))...)
	}
	return all
}

// mostBytes bounds a golden blob.
const mostBytes = 40_000

// candidates stops a script at points. What does not end the same way twice is left out.
func (s script) candidates(t *testing.T, at []int) (all []candidate) {
	c := &catcher{TB: t}
	defer func() {
		if x := recover(); x != nil {
			t.Logf("%s: %v", s.name, x)
		}
	}()
	w, p := s.begin(c), s.player()
	defer w.Close()
	if !w.Config.Virtual {
		return nil // it would sleep
	}
	done := 0
	for _, stop := range at {
		if p.advance(c, w, stop-done) {
			return all
		}
		done = stop
		blob := export(c, w)
		if len(blob) > mostBytes {
			continue
		}
		row := goldenRow{Script: s.text, Of: s.name, Stop: stop, Stdin: s.stdin, Short: s.short, Typed: slices.Clone(p.typed), Then: [][2]string{}, Files: map[string]string{}}
		if row.Typed == nil {
			row.Typed = []string{}
		}
		for path, data := range s.files {
			row.Files[path] = goldenText(data)
		}
		all = append(all, candidate{at: stop, blob: blob, row: row, held: holds(t, blob)})
	}
	return all
}

// holds lists what a blob has: saved fields that are set, and kinds of frames at their positions, nodes, waits, files, utilities.
func holds(t testing.TB, data []byte) map[string]bool {
	b := dissect(t, data)
	held := b.set()
	for i := range b.items {
		switch body := b.items[i].body.(type) {
		case *shell.Image:
			for _, f := range body.Files {
				held["file kind "+strconv.Itoa(int(f.Kind))] = true
			}
		case *shell.ProcRecord:
			held["wait "+strconv.Itoa(int(body.Process.Wait.Kind))] = true
			for _, f := range body.Funcs {
				held["node "+strconv.Itoa(int(f.Addr.Kind))] = true
			}
			for _, f := range body.Frames {
				held["frame "+strconv.Itoa(int(f.Frame.Kind))] = true
				held["frame "+strconv.Itoa(int(f.Frame.Kind))+" at "+strconv.Itoa(f.Frame.PC)] = true
				held["node "+strconv.Itoa(int(f.Addr.Kind))] = true
				if x := f.Frame.X; x != nil {
					for _, e := range x.Memo.Entries {
						held["memo "+strconv.Itoa(int(e.Kind))] = true
					}
					if x.Util != nil && f.Prog != nil {
						held["program "+x.Util.Name] = true
					}
				}
			}
		}
	}
	return held
}

// covering chooses few small ones that hold all that any of them does and that end in the same way twice.
func covering(t *testing.T, all []candidate) (chosen []candidate) {
	missing := map[string]bool{}
	for _, c := range all {
		maps.Copy(missing, c.held)
	}
	t.Logf("%d candidates hold %d things", len(all), len(missing))
	for len(missing) > 0 {
		best, most := -1, 0.0
		for i := range all {
			n := 0
			for key := range all[i].held {
				if missing[key] {
					n++
				} else {
					delete(all[i].held, key)
				}
			}
			if worth := float64(n) / float64(len(all[i].blob)+2000); worth > most {
				best, most = i, worth
			}
		}
		if best < 0 {
			break
		}
		c := &all[best]
		var err error
		if c.row.Expect, err = finishGolden(t, c.blob, c.row); err == nil {
			again, _ := finishGolden(t, c.blob, c.row)
			if jsonOf(t, again) == jsonOf(t, c.row.Expect) {
				chosen = append(chosen, *c)
				for key := range c.held {
					delete(missing, key)
				}
				continue
			}
		}
		t.Logf("%s at %d: not taken: %v", c.row.Of, c.at, err)
		c.held = nil
	}
	t.Logf("%d blobs; nothing holds %v", len(chosen), slices.Sorted(maps.Keys(missing)))
	return chosen
}
