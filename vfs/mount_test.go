package vfs

import (
	"slices"
	"strings"
	"testing"
)

// mounted is a tree with a mount, one over it, and one inside.
func mounted(t testing.TB) *FS {
	t.Helper()
	f := New(table(), Limits{}, 0)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(f.Mkdir(root, "/a", 0o755, 1))
	must(f.Mkdir(root, "/a/below", 0o755, 1))
	for _, at := range []string{"/a", "/a"} {
		_, err := f.Mount(root, at, Mount{Kind: "k", Source: "s", Mode: MountWritable}, 0o755, 2)
		must(err)
		must(f.Mkdir(root, "/a/b", 0o755, 1))
	}
	_, err := f.Mount(root, "/a/b", Mount{Mode: MountWritable}, 0o700, 2)
	must(err)
	ino, err := f.Open(root, "/a/b/f", O_CREAT|O_WRONLY, 0o644, 3)
	must(err)
	_, err = f.WriteAt(ino, []byte("text"), 0, 3)
	must(err)
	must(f.Link(root, "/a/b/f", "/a/b/g", false, 3))
	return f
}

func rebuilt(records []Record, next Ino) (*FS, error) {
	b := NewBuilder(table(), Limits{})
	for _, r := range records {
		if err := b.Add(r); err != nil {
			return nil, err
		}
	}
	return b.Finish(next)
}

func TestMountsAreSaved(t *testing.T) {
	f := mounted(t)
	g, err := rebuilt(slices.Collect(f.Records()), f.NextIno())
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/a", "/a/b", "/a/b/f", "/a/b/.."} {
		a, err := f.Stat(root, path)
		b, err2 := g.Stat(root, path)
		if err != nil || err2 != nil || a != b {
			t.Errorf("%s: %+v %v, was %+v %v", path, b, err2, a, err)
		}
	}
	if f.Usage() != g.Usage() {
		t.Errorf("usage %+v, was %+v", g.Usage(), f.Usage())
	}
	for _, path := range []string{"/a/b", "/a", "/a"} {
		if err := g.Unmount(root, path); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	if _, err := g.Stat(root, "/a/below"); err != nil || g.Mounted() || g.Usage().Files != 5 {
		t.Errorf("after the last unmount: %v, %v, %+v", err, g.Mounts(), g.Usage())
	}
}

func TestUnmountIsRefused(t *testing.T) {
	f := mounted(t)
	if err := f.Unmount(root, "/a"); err != EBUSY {
		t.Errorf("a mount is inside: %v", err)
	}
	ino, _ := f.Lookup(root, "/a/b/f", true)
	f.Hold(ino)
	if err := f.Unmount(root, "/a/b"); err != EBUSY {
		t.Errorf("a file is open: %v", err)
	}
	f.Release(ino)
	if err := f.Unmount(root, "/a/b/f"); err != EINVAL {
		t.Errorf("no mount point: %v", err)
	}
	before := f.Fork()
	if err := f.Unmount(root, "/a/b"); err != nil {
		t.Error(err)
	}
	if _, err := before.Stat(root, "/a/b/f"); err != nil || len(before.Mounts()) != 3 {
		t.Errorf("a fork lost its mount: %v", err)
	}
}

func TestMountsThatNobodyCouldHaveSaved(t *testing.T) {
	f := mounted(t)
	tops := func(all []Record) (tops []*Record) {
		for i := range all {
			if all[i].Top != nil {
				m := *all[i].Top
				all[i].Top = &m
				tops = append(tops, &all[i])
			}
		}
		return tops
	}
	for _, c := range []struct {
		reason string
		damage func(tops []*Record)
	}{
		{"out of range", func(r []*Record) { r[0].Top.ID = 0 }},
		{"out of range", func(r []*Record) { r[0].Top.ID = maxMounts + 1 }},
		{"second mount", func(r []*Record) { r[0].Top.ID = r[2].Top.ID }},
		{"at no place", func(r []*Record) { r[0].Top.ID, r[1].Top.ID = r[1].Top.ID, r[0].Top.ID }},
		{"of mode", func(r []*Record) { r[0].Top.Mode = 99 }},
		{"over nothing", func(r []*Record) { r[0].Top.Covers = 0 }},
		{"over nothing", func(r []*Record) { r[0].Top.Covers = Root }},
		{"over nothing", func(r []*Record) { r[1].Top.Covers = r[1].Ino }},
		{"has a name", func(r []*Record) { r[1].Top.Covers = r[0].Top.Covers }},
		{"at no place", func(r []*Record) { r[1].Top = nil }},
		{"no directory", func(r []*Record) { r[1].Top.Covers = 1000 }},
		{"source", func(r []*Record) { r[0].Top.Source = "a\x00b" }},
		{"no directory that may", func(r []*Record) { r[0].Mode = TypeFifo; r[0].Names = nil }},
	} {
		all := slices.Collect(f.Records())
		c.damage(tops(all))
		if _, err := rebuilt(all, f.NextIno()); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}
