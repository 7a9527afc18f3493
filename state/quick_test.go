package state

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// some gives zero, a small, a large or a negative number.
func some(r *rand.Rand) int64 {
	return []int64{0, 0, 1, 23, 24, 255, 256, 65535, 65536, 1 << 32, 1<<63 - 1, -1, -300, -1 << 63}[r.IntN(14)]
}

func text(r *rand.Rand) string {
	return string(bytes.Repeat([]byte{byte(r.IntN(256))}, []int{0, 1, 23, 24, 300}[r.IntN(5)]))
}

func randomInode(r *rand.Rand) Inode {
	u := func() uint32 { return uint32(some(r)) }
	ino := Inode{Record: vfs.Record{Ino: vfs.Ino(some(r)), Mode: vfs.Mode(u()), Nlink: u(), UID: u(), GID: u(), Atime: some(r), Mtime: some(r), Ctime: some(r),
		Size: some(r), Target: text(r), Fifo: uint64(some(r)), Held: u(), Bins: r.IntN(2) == 0, Parent: vfs.Ino(some(r)), Hint: text(r)}}
	for range r.IntN(4) {
		ino.Record.Names = append(ino.Record.Names, vfs.Entry{Name: text(r), Ino: vfs.Ino(some(r))})
		ino.Chunks = append(ino.Chunks, ChunkRef{Index: some(r) & (1<<62 - 1), Chunk: r.IntN(1 << 20)})
	}
	return ino
}

func randomVar(r *rand.Rand) vars.Record {
	v := vars.Record{Name: text(r), Attrs: vars.Attr(some(r)), Set: r.IntN(2) == 0, Buckets: uint32(some(r)) & 0xfffff}
	if s := text(r); s != "" {
		v.Value = []byte(s)
	}
	for range r.IntN(4) {
		e := vars.Elem{Index: some(r)}
		if s := text(r); s != "" {
			e.Key, e.Value = []byte(s), []byte(s)
		}
		v.Elems = append(v.Elems, e)
	}
	return v
}

// TestQuick compares the codec of inodes and variables with the general one:
// the same bytes, the same values, and the same verdict on damaged bytes.
func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		ino, list := randomInode(r), []vars.Record{randomVar(r), randomVar(r)}
		compareQuick(t, r, appendInode(nil, &ino), ino, func(b []byte, x *Inode) ([]byte, error) { return readInode(b, x, &ledger{1 << 40}) })
		compareQuick(t, r, appendVars(nil, list), list, func(b []byte, x *[]vars.Record) (rest []byte, err error) {
			*x, rest, err = readVars(b, &ledger{1 << 40})
			return rest, err
		})
	}
}

func compareQuick[T any](t *testing.T, r *rand.Rand, data []byte, x T, read func([]byte, *T) ([]byte, error)) {
	t.Helper()
	want, err := encMode.Marshal(x)
	if err != nil || !bytes.Equal(data, want) {
		t.Fatalf("%+v\n%x, the general codec %x (%v)", x, data, want, err)
	}
	var got T
	rest, err := read(append(data, 7), &got)
	if err != nil || !reflect.DeepEqual(got, x) || len(rest) != 1 {
		t.Fatalf("%+v is read as %+v, rest %x, %v", x, got, rest, err)
	}
	// Damaged: whatever is read must be what the general decoder reads.
	data = bytes.Clone(data)
	if data[r.IntN(len(data))] ^= 1 << r.IntN(8); r.IntN(4) == 0 {
		data = data[:r.IntN(len(data))]
	}
	var quickly, generally T
	if rest, err = read(data, &quickly); err != nil {
		return // left to the general decoder
	}
	after, err := first(data, &generally)
	if err != nil || !reflect.DeepEqual(quickly, generally) || len(after) != len(rest) {
		t.Fatalf("%x is read as %+v, by the general codec as %+v (%v)", data, quickly, generally, err)
	}
}
