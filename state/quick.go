package state

import (
	"encoding/binary"
	"errors"

	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// A blob consists for the most part of inodes and variables. They are written
// and read here without reflection, to and from the same bytes as by the general
// codec. What is not exactly as this file writes it is left to that.

// errUnusual leaves a record to the general decoder.
var errUnusual = errors.New("not as it is usually written")

// appendHead adds the head of a value.
func appendHead(b []byte, major byte, n uint64) []byte {
	major <<= 5
	switch {
	case n < 24:
		return append(b, major|byte(n))
	case n < 1<<8:
		return append(b, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, major|25), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(b, major|26), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, major|27), n)
}

// fields writes a struct: those of its fields that are not empty.
type fields struct {
	b  []byte
	at int // of the map's head
	n  int
}

func beginFields(b []byte) fields { return fields{b: append(b, 0xa0), at: len(b)} }

// end gives what was written. No struct here has 24 fields.
func (f *fields) end() []byte {
	f.b[f.at] |= byte(f.n)
	return f.b
}

func (f *fields) key(k uint64) {
	f.n++
	f.b = appendHead(f.b, 0, k)
}

func (f *fields) uint(k, v uint64) {
	if v != 0 {
		f.key(k)
		f.b = appendHead(f.b, 0, v)
	}
}

func (f *fields) int(k uint64, v int64) {
	switch {
	case v > 0:
		f.uint(k, uint64(v))
	case v < 0:
		f.key(k)
		f.b = appendHead(f.b, 1, uint64(^v))
	}
}

func (f *fields) bool(k uint64, v bool) {
	if v {
		f.key(k)
		f.b = append(f.b, 0xf5)
	}
}

func (f *fields) list(k uint64, n int) bool {
	if n > 0 {
		f.key(k)
		f.b = appendHead(f.b, 4, uint64(n))
	}
	return n > 0
}

func bytesField[T string | []byte](f *fields, k uint64, v T) {
	if len(v) > 0 {
		f.key(k)
		f.b = append(appendHead(f.b, 2, uint64(len(v))), v...)
	}
}

// appendInode writes an inode's record.
func appendInode(b []byte, ino *Inode) []byte {
	f := beginFields(b)
	f.key(1)
	r := &ino.Record
	in := beginFields(f.b)
	in.uint(1, uint64(r.Ino))
	in.uint(2, uint64(r.Mode))
	in.uint(3, uint64(r.Nlink))
	in.uint(4, uint64(r.UID))
	in.uint(5, uint64(r.GID))
	in.int(6, r.Atime)
	in.int(7, r.Mtime)
	in.int(8, r.Ctime)
	in.int(9, r.Size)
	bytesField(&in, 10, r.Target)
	in.uint(11, r.Fifo)
	if in.list(12, len(r.Names)) {
		for i := range r.Names {
			e := beginFields(in.b)
			bytesField(&e, 1, r.Names[i].Name)
			e.uint(2, uint64(r.Names[i].Ino))
			in.b = e.end()
		}
	}
	in.uint(14, uint64(r.Held))
	in.bool(15, r.Bins)
	in.uint(16, uint64(r.Parent))
	bytesField(&in, 17, r.Hint)
	f.b = in.end()
	if f.list(2, len(ino.Chunks)) {
		for _, c := range ino.Chunks {
			f.b = appendHead(f.b, 4, 2)
			f.b = appendHead(f.b, 0, uint64(c.Index))
			f.b = appendHead(f.b, 0, uint64(c.Chunk))
		}
	}
	return f.end()
}

// appendVars writes a list of variables.
func appendVars(b []byte, list []vars.Record) []byte {
	b = appendHead(b, 4, uint64(len(list)))
	for i := range list {
		r := &list[i]
		f := beginFields(b)
		bytesField(&f, 1, r.Name)
		f.uint(2, uint64(r.Attrs))
		f.bool(3, r.Set)
		bytesField(&f, 4, r.Value)
		if f.list(5, len(r.Elems)) {
			for _, x := range r.Elems {
				e := beginFields(f.b)
				e.int(1, x.Index)
				bytesField(&e, 2, x.Key)
				bytesField(&e, 3, x.Value)
				f.b = e.end()
			}
		}
		f.uint(6, uint64(r.Buckets))
		b = f.end()
	}
	return b
}

// quick reads what this file writes. After its first mistake it reads nothing more.
type quick struct {
	data []byte
	bad  bool
	fail error // the limit on memory, which the general decoder would meet, too
	book *ledger
}

func (q *quick) head(want byte) uint64 {
	major, n, rest, err := head(q.data)
	if q.bad || err != nil || major != want {
		q.bad = true
		return 0
	}
	q.data = rest
	return n
}

func (q *quick) bytes() []byte {
	n := q.head(2)
	if q.bad || n > uint64(len(q.data)) {
		q.bad = true
		return nil
	}
	q.take(int64(n))
	b := q.data[:n]
	q.data = q.data[n:]
	return b
}

func (q *quick) int() int64 {
	if len(q.data) > 0 && q.data[0]>>5 == 1 {
		n := q.head(1)
		if n > 1<<63-1 {
			q.bad = true
		}
		return ^int64(n)
	}
	n := q.head(0)
	if n > 1<<63-1 {
		q.bad = true
	}
	return int64(n)
}

func (q *quick) uint32() uint32 {
	n := q.head(0)
	if n > 1<<32-1 {
		q.bad = true
	}
	return uint32(n)
}

func (q *quick) bool() bool {
	if q.bad || len(q.data) == 0 || q.data[0] != 0xf5 {
		q.bad = true
		return false
	}
	q.data = q.data[1:]
	return true
}

// list begins a list whose elements take so much memory each.
func (q *quick) list(size int64) int {
	n := q.head(4)
	if n > uint64(len(q.data)) {
		q.bad = true
		return 0
	}
	q.take(int64(n) * size)
	if q.bad {
		return 0
	}
	return int(n)
}

func (q *quick) take(n int64) {
	if err := q.book.take(n); err != nil {
		q.bad, q.fail = true, err
	}
}

// each calls f for the number of each field of a struct. They come in their order, none twice.
func (q *quick) each(f func(k uint64)) {
	last := int64(-1)
	for n := q.head(5); n > 0 && !q.bad; n-- {
		k := q.head(0)
		if int64(k) <= last || k > 255 {
			q.bad = true
			return
		}
		last = int64(k)
		f(k)
	}
}

func (q *quick) err() error {
	switch {
	case q.fail != nil:
		return q.fail
	case q.bad:
		return errUnusual
	}
	return nil
}

// Sizes in memory, rounded up.
const (
	entrySize = 32
	refSize   = 16
	varSize   = 128
	elemSize  = 64
)

// readInode reads what appendInode wrote and gives what follows it.
func readInode(data []byte, ino *Inode, book *ledger) ([]byte, error) {
	q := &quick{data: data, book: book}
	q.each(func(k uint64) {
		switch k {
		case 1:
			q.record(&ino.Record)
		case 2:
			n := q.list(refSize)
			ino.Chunks = make([]ChunkRef, n)
			for i := range ino.Chunks {
				if q.head(4) != 2 {
					q.bad = true
				}
				c := &ino.Chunks[i]
				c.Index, c.Chunk = q.int(), int(q.int())
				if q.bad {
					return
				}
			}
		default:
			q.bad = true
		}
	})
	return q.data, q.err()
}

func (q *quick) record(r *vfs.Record) {
	q.each(func(k uint64) {
		switch k {
		case 1:
			r.Ino = vfs.Ino(q.head(0))
		case 2:
			r.Mode = vfs.Mode(q.uint32())
		case 3:
			r.Nlink = q.uint32()
		case 4:
			r.UID = q.uint32()
		case 5:
			r.GID = q.uint32()
		case 6:
			r.Atime = q.int()
		case 7:
			r.Mtime = q.int()
		case 8:
			r.Ctime = q.int()
		case 9:
			r.Size = q.int()
		case 10:
			r.Target = string(q.bytes())
		case 11:
			r.Fifo = q.head(0)
		case 12:
			r.Names = make([]vfs.Entry, q.list(entrySize))
			for i := range r.Names {
				q.each(func(k uint64) {
					switch k {
					case 1:
						r.Names[i].Name = string(q.bytes())
					case 2:
						r.Names[i].Ino = vfs.Ino(q.head(0))
					default:
						q.bad = true
					}
				})
				if q.bad {
					return
				}
			}
		case 14:
			r.Held = q.uint32()
		case 15:
			r.Bins = q.bool()
		case 16:
			r.Parent = vfs.Ino(q.head(0))
		case 17:
			r.Hint = string(q.bytes())
		default:
			q.bad = true
		}
	})
}

// readVars reads what appendVars wrote and gives what follows it. The values
// are parts of data: a variable is made of copies.
func readVars(data []byte, book *ledger) ([]vars.Record, []byte, error) {
	q := &quick{data: data, book: book}
	list := make([]vars.Record, q.list(varSize))
	for i := range list {
		if q.bad {
			break
		}
		q.variable(&list[i])
	}
	return list, q.data, q.err()
}

func (q *quick) variable(r *vars.Record) {
	q.each(func(k uint64) {
		switch k {
		case 1:
			r.Name = string(q.bytes())
		case 2:
			n := q.head(0)
			if r.Attrs = vars.Attr(n); uint64(r.Attrs) != n {
				q.bad = true
			}
		case 3:
			r.Set = q.bool()
		case 4:
			r.Value = q.bytes()
		case 5:
			r.Elems = make([]vars.Elem, q.list(elemSize))
			for i := range r.Elems {
				q.element(&r.Elems[i])
				if q.bad {
					return
				}
			}
		case 6:
			r.Buckets = q.uint32()
			q.take(int64(r.Buckets / 8))
		default:
			q.bad = true
		}
	})
}

func (q *quick) element(e *vars.Elem) {
	q.each(func(k uint64) {
		switch k {
		case 1:
			e.Index = q.int()
		case 2:
			e.Key = q.bytes()
		case 3:
			e.Value = q.bytes()
		default:
			q.bad = true
		}
	})
}
