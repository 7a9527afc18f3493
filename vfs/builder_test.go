package vfs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// dirOf, fileOf make records of small trees.
func dirOf(ino Ino, names ...Entry) Record {
	return Record{Ino: ino, Mode: TypeDir | 0o755, Names: names}
}
func fileOf(ino Ino, nlink uint32, pieces ...Piece) Record {
	r := Record{Ino: ino, Mode: TypeFile | 0o644, Nlink: nlink, Pieces: pieces}
	for _, p := range pieces {
		r.Size = p.Index*ChunkSize + int64(len(p.Data))
	}
	return r
}

func buildOf(next Ino, rs ...Record) (*FS, error) {
	b := NewBuilder(table(), Limits{Bytes: 100000, Files: 8, FileSize: 1 << 40})
	for _, r := range rs {
		if err := b.Add(r); err != nil {
			return nil, err
		}
	}
	return b.Finish(next)
}

func TestBuilderRefuses(t *testing.T) {
	x, big := []byte("x"), make([]byte, ChunkSize)
	with := func(r Record, change func(r *Record)) Record {
		change(&r)
		return r
	}
	f2, d2 := fileOf(2, 1), dirOf(2)
	top := func(names ...Entry) Record { return dirOf(1, names...) }
	a2 := Entry{"a", 2}
	for _, c := range []struct {
		want string // the error has these words
		next Ino
		rs   []Record
	}{
		{"no root", 5, nil},
		{"no root", 5, []Record{d2}},
		{"inode 1: the root is not", 5, []Record{fileOf(1, 0), d2}},
		{"inode 1: the root has a name", 5, []Record{top(Entry{"a", 1})}},
		{"next number", 2, []Record{top(a2), f2}},
		{"next number", 1 << 60, []Record{top(a2), f2}},
		{"file tree: number", 5, []Record{dirOf(0)}},
		{"number", 5, []Record{top(), fileOf(genBase+1, 1)}},
		{"inode 2: not in number order", 5, []Record{top(a2), f2, f2}},
		{"inode 1: not in number order", 5, []Record{f2, top(a2)}},
		{"unknown bits", 5, []Record{top(a2), with(f2, func(r *Record) { r.Mode |= 1 << 20 })}},
		{"no kind", 5, []Record{top(a2), with(f2, func(r *Record) { r.Mode = TypeChar | 0o600 })}},
		{"no kind", 5, []Record{top(a2), with(f2, func(r *Record) { r.Mode = 0o600 })}},
		{"names in what", 5, []Record{top(a2), with(f2, func(r *Record) { r.Names = []Entry{a2} })}},
		{"names in what", 5, []Record{top(a2), with(f2, func(r *Record) { r.Bins = true })}},
		{"content in what", 5, []Record{top(a2), with(d2, func(r *Record) { r.Size = 1 })}},
		{"target in what", 5, []Record{top(a2), with(f2, func(r *Record) { r.Target = "x" })}},
		{"pipe in what", 5, []Record{top(a2), with(f2, func(r *Record) { r.Fifo = 3 })}},
		{"link count in a directory", 5, []Record{top(a2), with(d2, func(r *Record) { r.Nlink = 2 })}},
		{"target of the link", 5, []Record{top(a2), {Ino: 2, Mode: TypeLink | 0o777, Nlink: 1}}},
		{"target of the link", 5, []Record{top(a2), {Ino: 2, Mode: TypeLink | 0o777, Nlink: 1, Target: "a\x00"}}},
		{"target of the link", 5, []Record{top(a2), {Ino: 2, Mode: TypeLink | 0o777, Nlink: 1, Target: strings.Repeat("x", 5000)}}},
		{"bad name \"\"", 5, []Record{top(Entry{"", 2}), f2}},
		{"bad name \"..\"", 5, []Record{top(Entry{"..", 2}), f2}},
		{"bad name \"a/b\"", 5, []Record{top(Entry{"a/b", 2}), f2}},
		{"bad name \"a\\x00\"", 5, []Record{top(Entry{"a\x00", 2}), f2}},
		{"bad name", 5, []Record{top(Entry{strings.Repeat("n", 256), 2}), f2}},
		{"out of order", 5, []Record{top(Entry{"b", 2}, Entry{"a", 3}), f2, fileOf(3, 1)}},
		{"out of order", 5, []Record{top(a2, Entry{"a", 3}), f2, fileOf(3, 1)}},
		{"covers nothing", 5, []Record{top(Entry{"a", 0})}},
		{"generated", 5, []Record{top(Entry{"a", FdIno(1)})}},
		{"is a generated one", 5, []Record{top(Entry{"dev", 2}), d2}},
		{"second directory", 5, []Record{with(top(), func(r *Record) { r.Bins = true })}},
		{"inode 3: second directory", 5, []Record{top(a2, Entry{"b", 3}), with(d2, func(r *Record) { r.Bins = true }), with(dirOf(3), func(r *Record) { r.Bins = true })}},
		{"not there", 5, []Record{top(a2)}},
		{"inode 2: directory with two names", 5, []Record{top(a2, Entry{"b", 2}), d2}},
		{"directory inside itself", 5, []Record{top(), dirOf(2, Entry{"a", 3}), dirOf(3, Entry{"b", 2})}},
		{"directory inside itself", 5, []Record{top(), dirOf(2, Entry{"a", 2})}},
		{"directory that nothing", 5, []Record{top(), d2}},
		{"directory that nothing", 5, []Record{top(), removed(2, 1, 0)}},
		{"parent that is no directory", 5, []Record{top(), removed(2, 9, 1)}},
		{"parent that is no directory", 5, []Record{top(a2), f2, removed(3, 2, 1)}},
		{"above itself", 5, []Record{top(), removed(2, 2, 1)}},
		{"above itself", 5, []Record{top(), removed(2, 3, 0), removed(3, 4, 0), removed(4, 2, 0)}},
		{"directory that nothing", 5, []Record{top(), with(dirOf(2, Entry{"a", 3}), func(r *Record) { r.Held = 1 }), fileOf(3, 1)}},
		{"inode 2: link count 2, but 1", 5, []Record{top(a2), fileOf(2, 2)}},
		{"inode 2: link count 1, but 2", 5, []Record{top(a2, Entry{"b", 2}), f2}},
		{"inode 2: file that nothing", 5, []Record{top(), fileOf(2, 0)}},
		{"hint", 5, []Record{top(a2), with(f2, func(r *Record) { r.Parent, r.Hint = 1, "a" })}},
		{"hint", 5, []Record{top(a2, Entry{"b", 2}), with(fileOf(2, 2), func(r *Record) { r.Parent = 1 })}},
		{"hint", 5, []Record{top(a2, Entry{"b", 2}), with(fileOf(2, 2), func(r *Record) { r.Parent, r.Hint = 1, "c" })}},
		{"hint", 5, []Record{top(a2, Entry{"b", 2}), with(fileOf(2, 2), func(r *Record) { r.Parent, r.Hint = 2, "a" })}},
		{"hint", 5, []Record{top(a2, Entry{"b", 2}), with(fileOf(2, 2), func(r *Record) { r.Parent, r.Hint = 9, "a" })}},
		{"too many links", 5, []Record{top(a2), fileOf(2, LinkMax+1)}},
		{"size", 5, []Record{top(a2), with(f2, func(r *Record) { r.Size = -1 })}},
		{"size", 5, []Record{top(a2), with(f2, func(r *Record) { r.Size = 1<<40 + 1 })}},
		{"chunk 0 has 0 bytes", 5, []Record{top(a2), fileOf(2, 1, Piece{0, nil})}},
		{"chunk 0 has 16385 bytes", 5, []Record{top(a2), fileOf(2, 1, Piece{0, make([]byte, ChunkSize+1)})}},
		{"chunk -1 is out of order", 5, []Record{top(a2), with(fileOf(2, 1, Piece{-1, x}), func(r *Record) { r.Size = 5 })}},
		{"chunk 1 is out of order", 5, []Record{top(a2), with(fileOf(2, 1, Piece{1, x}, Piece{1, x}), func(r *Record) { r.Size = 99999 })}},
		{"ends behind", 5, []Record{top(a2), with(fileOf(2, 1, Piece{0, x}), func(r *Record) { r.Size = 0 })}},
		{"ends behind", 5, []Record{top(a2), with(fileOf(2, 1, Piece{0, x}), func(r *Record) { r.Pieces[0].Index = 1 << 60 })}},
		{"stored bytes", 5, []Record{top(a2), fileOf(2, 1, Piece{0, big}, Piece{1, big}, Piece{2, big}, Piece{3, big}, Piece{4, big}, Piece{5, big}, Piece{6, big})}},
		{"more than 8 files", 20, slices.Concat([]Record{top()}, many(2, 8))},
		{"more than 8 files", 20, []Record{dirOf(1, manyNames(9)...), fileOf(2, 9)}},
	} {
		f, err := buildOf(c.next, c.rs...)
		var be *BuildError
		if f != nil || !errors.As(err, &be) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q: got %v, %v", c.want, f, err)
		}
	}
	for _, good := range [][]Record{{top(a2), f2}, {top(), removed(2, 3, 1), removed(3, 4, 0), removed(4, 1, 0)}, {top(a2), d2, removed(3, 2, 1)}} {
		if _, err := buildOf(5, good...); err != nil {
			t.Errorf("a good tree: %v", err)
		}
	}
}

// removed is a directory without a name, below parent.
func removed(ino, parent Ino, held uint32) Record {
	return Record{Ino: ino, Mode: TypeDir | 0o755, Held: held, Parent: parent}
}

func many(from Ino, n int) (rs []Record) {
	for i := range n {
		rs = append(rs, with0(from+Ino(i)))
	}
	return rs
}

func with0(ino Ino) Record {
	return Record{Ino: ino, Mode: TypeFile | 0o644, Held: 1}
}

func manyNames(n int) (all []Entry) {
	for i := range n {
		all = append(all, Entry{fmt.Sprint("n", i), 2})
	}
	return all
}

// TestBuilderSharesBytes checks that content is neither copied nor ever written
// to.
func TestBuilderSharesBytes(t *testing.T) {
	data := []byte("content")
	f, err := buildOf(5, dirOf(1, Entry{"a", 2}), fileOf(2, 1, Piece{0, data}))
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := f.Chunk(2, 0, 0)
	if &got[0] != &data[0] {
		t.Error("the content was copied")
	}
	f.WriteAt(2, []byte("C"), 0, 1)
	f.Append(2, []byte("!"), 1)
	f.TruncateIno(2, 3, 1)
	if string(data) != "content" {
		t.Errorf("the record's bytes became %q", data)
	}
	if f.Written() == 0 {
		t.Error("the copy does not count as written")
	}
}

// FuzzBuilder makes records from bytes and drives whatever tree comes out: it
// must be refused or be sound, and never panic.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte("d\x01\x01a\x02f\x02\x01\x05hello"))
	f.Add([]byte{'d', 1, 2, 'a', 2, 'b', 3, 'd', 2, 1, 'c', 3, 'f', 3, 2, 3})
	f.Add([]byte{'d', 1, 1, 'a', 2, 'l', 2, 1, '/', 'a'})
	f.Add([]byte{'d', 1, 0, 'p', 2, 0, 7, 'd', 3, 1, 'x', 3})
	f.Fuzz(func(t *testing.T, in []byte) {
		fs, err := buildOf(200, recordsOf(in)...)
		if err != nil {
			return
		}
		again := rebuild(t, fs)
		if d := Diff(fs, again); len(d) > 0 || fs.Usage() != again.Usage() {
			t.Fatalf("rebuilt it differs: %+v", d)
		}
		for _, r := range slices.Collect(fs.Records()) {
			p, ok := fs.Path(r.Ino)
			if !ok {
				continue
			}
			if at, err := fs.Lookup(root, p, false); at != r.Ino || err != nil {
				t.Fatalf("inode %d has the path %q, where %d is (%v)", r.Ino, p, at, err)
			}
			fs.Lookup(root, p, true)
			fs.Realpath(root, p+"/x/../y", MissingAny)
			fs.Rename(root, p, "/new", 1)
			fs.ReadAt(r.Ino, make([]byte, 100), 0, 1)
			fs.WriteAt(r.Ino, in, 9000, 1)
			fs.TruncateIno(r.Ino, 5, 1)
			fs.Unlink(root, "/new", 1)
			fs.Rmdir(root, "/new", 1)
		}
		for _, r := range slices.Collect(fs.Records()) {
			for range r.Held {
				fs.Release(r.Ino)
			}
		}
		rebuild(t, fs)
	})
}

// recordsOf reads records from bytes: a kind, a number, then what it has.
func recordsOf(in []byte) (rs []Record) {
	next := func() byte {
		if len(in) == 0 {
			return 0
		}
		b := in[0]
		in = in[1:]
		return b
	}
	take := func(n byte) []byte {
		k := min(int(n), len(in))
		b := in[:k:k]
		in = in[k:]
		return b
	}
	for len(in) > 0 && len(rs) < 20 {
		kind, r := next(), Record{Ino: Ino(next())}
		switch kind {
		case 'd':
			r.Mode = TypeDir | 0o755
			for range next() % 8 {
				r.Names = append(r.Names, Entry{string(take(1)), Ino(next())})
			}
			r.Bins = r.Ino == 9
		case 'f':
			r.Mode, r.Nlink = TypeFile|0o644, uint32(next())
			r.Pieces = []Piece{{int64(next() % 3), take(next())}}
			r.Size = r.Pieces[0].Index*ChunkSize + int64(len(r.Pieces[0].Data))
			if r.Nlink > 1 {
				r.Parent, r.Hint = Ino(next()), string(take(1))
			}
		case 'l':
			r.Mode, r.Nlink, r.Target = TypeLink|0o777, 1, string(take(next()))
		case 'p':
			r.Mode, r.Nlink, r.Fifo = TypeFifo|0o600, uint32(next()), uint64(next())
			r.Held = uint32(next() % 2)
		default:
			r.Mode, r.Held = Mode(kind)<<8, uint32(next()%2)
		}
		rs = append(rs, r)
	}
	return rs
}
