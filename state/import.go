package state

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"reflect"
	"slices"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/core/vars"
	"eryxsh/state/internal/codec"
	"eryxsh/vfs"
)

func bad(format string, args ...any) error {
	return fault.New(fault.State, "import", "", format, args...)
}

// Inspect reads the header of a blob and checks its checksum, with the key if
// it is signed and key is given.
func Inspect(blob, key []byte) (Header, error) {
	h, _, err := open(blob, key, key == nil)
	return h, err
}

// headerCost bounds the memory a header may take.
const headerCost = 16 << 20

// open checks a blob's frame and gives its header and records.
func open(blob, key []byte, lenient bool) (h Header, records []byte, err error) {
	if len(blob) < len(Magic) || string(blob[:len(Magic)]) != Magic {
		return h, nil, bad("not an eryxsh state: it does not begin with the magic")
	}
	if len(blob) < len(Magic)+1+sumSize {
		return h, nil, bad("truncated: %d bytes", len(blob))
	}
	body, sum := blob[:len(blob)-sumSize], blob[len(blob)-sumSize:]
	rest, err := value(body[len(Magic):], &h, nil, &ledger{headerCost})
	if err != nil {
		return h, nil, bad("header: %s", err)
	}
	if h.Container > Container || h.MinReader > Schema {
		return h, nil, fault.New(fault.StateTooNew, "import", "", "written by a newer version: container %d and reader %d are needed, this one has %d and %d",
			h.Container, h.MinReader, Container, Schema)
	}
	if h.Container < 1 || h.Schema < 1 {
		return h, nil, bad("container %d, schema %d", h.Container, h.Schema)
	}
	if err := CheckSum(body, sum, key, h.Signed, lenient); err != nil {
		return h, nil, err
	}
	return h, rest, nil
}

// Sum begins the sum of a state's bytes: HMAC-SHA256 under a key, SHA-256 without one.
func Sum(key []byte) hash.Hash {
	if key != nil {
		return hmac.New(sha256.New, key)
	}
	return sha256.New()
}

// CheckSum checks the sum of a state's bytes, which are signed or not. lenient: what is signed is not looked at without a key.
func CheckSum(body, sum, key []byte, signed, lenient bool) error {
	switch {
	case signed && key == nil && lenient:
		return nil
	case signed && key == nil:
		return fault.New(fault.Signature, "import", "", "the state is signed: its key is needed")
	case !signed && key != nil:
		return fault.New(fault.Signature, "import", "", "the state is not signed and a key was given")
	}
	sha := Sum(key)
	sha.Write(body)
	switch {
	case hmac.Equal(sha.Sum(nil), sum):
		return nil
	case signed:
		return fault.New(fault.Signature, "import", "", "the signature does not match")
	}
	return bad("the checksum does not match: truncated or damaged")
}

// first decodes the first value of data and gives the rest.
func first(data []byte, into any) (rest []byte, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = errors.New("damaged")
		}
	}()
	return decMode.UnmarshalFirst(data, into)
}

func (l *Loader) read(blob, key []byte, lim limit.Limits) (*core.World, Header, error) {
	h, records, err := open(blob, key, false)
	if err != nil {
		return nil, h, err
	}
	im := &importer{schema: h.Schema, loader: l, rest: records, limits: lim, memory: ledger{RecordCost(lim)}}
	for {
		w, err := im.world()
		if err != nil {
			return nil, h, err
		}
		of, err := im.placed(w)
		if err != nil {
			return nil, h, err
		}
		if of == nil {
			if len(im.rest) > 0 {
				return nil, h, bad("%d bytes after the state", len(im.rest))
			}
			return w, h, nil
		}
	}
}

// RecordCost bounds the memory that the records of a blob may take beside the
// files: the limit memory is about single values, and a world has many.
func RecordCost(lim limit.Limits) int64 {
	m := lim.Memory
	if m <= 0 || m > 1<<40 {
		m = 1 << 30
	}
	return 4 * m
}

type importer struct {
	schema int
	loader *Loader
	rest   []byte
	limits limit.Limits
	memory ledger
	chunks [][]byte
	stored int64
	snaps  []*core.Snapshot
	begun  World // the record of the world at hand
	vars   int64 // memory of the record that has its variables
	inode  Inode
}

// next gives the kind of the next record and leaves its body at the front of rest.
func (im *importer) next() (kind int, err error) {
	if len(im.rest) < 3 || im.rest[0] != 0x82 || im.rest[1] >= 24 {
		return 0, bad("no record where one should be")
	}
	kind, im.rest = int(im.rest[1]), im.rest[2:]
	return kind, nil
}

// body decodes a record's body, once it is known what that will take.
func (im *importer) body(into any, what string) error {
	return im.read(into, nil, &im.memory, what)
}

func (im *importer) read(into any, origin *vars.Origin, book *ledger, what string) error {
	rest, err := value(im.rest, into, origin, book)
	if err != nil {
		return bad("%s: %s", what, err)
	}
	im.rest = rest
	return nil
}

// value reads the value at the front of data, charging what it takes, and gives
// what follows it. What is not as this code writes it is left to the general decoder.
// origin has the variables a first process may have.
func value(data []byte, into any, origin *vars.Origin, book *ledger) ([]byte, error) {
	if rest, err := quick(data, into, origin, book); err == nil {
		return rest, nil
	}
	v := reflect.ValueOf(into).Elem()
	v.SetZero()
	if err := book.charge(data, v.Type()); err != nil {
		return nil, err
	}
	return first(data, into)
}

// quick is value without the general decoder.
func quick(data []byte, into any, origin *vars.Origin, book *ledger) ([]byte, error) {
	switch x := into.(type) {
	case *Header:
		return codec.ReadHeader(data, x, &book.left)
	case *World:
		return codec.ReadWorld(data, x, &book.left)
	case *Tree:
		return codec.ReadTree(data, x, &book.left)
	case *Inode:
		return codec.ReadInode(data, x, &book.left)
	case *shell.Image:
		return codec.ReadImage(data, x, &book.left)
	case *shell.ProcRecord:
		return codec.ReadProcess(data, x, origin, &book.left)
	case *int:
		return codec.ReadCount(data, x, &book.left)
	}
	return nil, codec.ErrUnusual
}

func (im *importer) expect(kind int, into any, what string) error {
	k, err := im.next()
	if err != nil {
		return err
	}
	if k != kind {
		return bad("%s expected, record of kind %d found", what, k)
	}
	return im.body(into, what)
}

// chunk takes file bytes out of the blob.
func (im *importer) chunk() error {
	b := im.rest
	if len(b) == 0 || b[0]&0xe0 != 0x40 {
		return bad("chunk: not a byte string")
	}
	n, head := 0, 1
	switch b[0] & 0x1f {
	case 24:
		head = 2
	case 25:
		head = 3
	case 26:
		head = 5
	default:
		if b[0]&0x1f > 26 {
			return bad("chunk: too long")
		}
		n = int(b[0] & 0x1f)
	}
	if len(b) < head {
		return bad("chunk: truncated")
	}
	switch head {
	case 2:
		n = int(b[1])
	case 3:
		n = int(binary.BigEndian.Uint16(b[1:]))
	case 5:
		n = int(binary.BigEndian.Uint32(b[1:]))
	}
	if n == 0 || n > vfs.ChunkSize || n > len(b)-head {
		return bad("chunk of %d bytes", n)
	}
	if err := im.store(int64(n)); err != nil {
		return err
	}
	im.chunks = append(im.chunks, append(make([]byte, 0, n), b[head:head+n]...))
	im.rest = b[head+n:]
	return nil
}

// store counts bytes of files.
func (im *importer) store(n int64) error {
	im.stored += n
	return Room("import", im.stored, im.limits)
}

// Room is a Quota fault of op when so many bytes of files, those of snapshots among them, are more than the limits allow.
func Room(op string, stored int64, lim limit.Limits) error {
	if lim.FileBytes > 0 && stored > lim.FileBytes+lim.Retained {
		return fault.New(fault.Quota, op, "", "the files hold more than the limit file_bytes (%d)", lim.FileBytes)
	}
	return nil
}

// world reads one world: its tree, then its machine.
func (im *importer) world() (*core.World, error) {
	im.begun = World{}
	if err := im.expect(RecWorld, &im.begun, "world"); err != nil {
		return nil, err
	}
	fs, err := im.tree()
	if err != nil {
		return nil, err
	}
	return im.machine(fs)
}

// machine reads the records of a machine over its files, from behind the head
// of the first one, and the end of its world.
func (im *importer) machine(fs *vfs.FS) (*core.World, error) {
	img := &shell.Image{Paths: im.schema < 2}
	if err := im.body(img, "machine"); err != nil {
		return nil, err
	}
	if img.Machine == nil {
		return nil, bad("machine: empty")
	}
	for {
		kind, err := im.next()
		if err != nil {
			return nil, err
		}
		if kind == RecEnd {
			n := 0
			if err := im.body(&n, "end"); err != nil {
				return nil, err
			}
			if n != len(img.Procs) {
				return nil, bad("%d processes of %d", len(img.Procs), n)
			}
			break
		}
		if kind != RecProcess {
			return nil, bad("process expected, record of kind %d found", kind)
		}
		if err := im.process(img); err != nil {
			return nil, err
		}
	}
	m, err := shell.Load(img, fs, im.loader.lib)
	if err != nil {
		return nil, err
	}
	if img.Procs[0].Delta == nil && im.vars <= keptVars {
		im.loader.learnVars(m.Procs[0].Shell.Vars.SetOrigin())
	}
	rec := &im.begun
	if s := rec.Config.Limits.Wrong(); s != "" {
		return nil, bad("the configuration: %s", s)
	}
	if rec.Base != nil && rec.Base.Limits.Wrong() != "" {
		return nil, bad("the sandbox's own limits: %s", rec.Base.Limits.Wrong())
	}
	for _, c := range rec.Kept {
		if c.Stream != 1 && c.Stream != 2 {
			return nil, bad("kept output for stream %d", c.Stream)
		}
	}
	config := rec.Config // not the record, which would stay with it
	w := &core.World{M: m, Config: &config, Lineage: rec.Lineage, Forks: rec.Forks, Log: rec.Log, LogNext: rec.LogNext, Kept: rec.Kept, Keep: rec.Keep, At: rec.At}
	if rec.Base != nil {
		w.SetBaseLimits(rec.Base.Limits)
	}
	w.Restrict(im.limits)
	w.Loaded()
	return w, nil
}

func (im *importer) process(img *shell.Image) error {
	i, before := len(img.Procs), im.memory.left
	img.Procs = append(img.Procs, shell.ProcRecord{})
	p := &img.Procs[i]
	var origin *vars.Origin
	if i == 0 {
		origin = im.loader.variables()
	}
	if err := im.read(p, origin, &im.memory, "process"); err != nil {
		return err
	}
	if i == 0 {
		im.vars = before - im.memory.left
	}
	for j := range p.Frames {
		prog, err := p.Frames[j].Program(core.Registry)
		if err != nil {
			return err
		}
		if prog == nil {
			continue
		}
		if err := im.memory.charge(p.Frames[j].Data, reflect.TypeOf(prog).Elem()); err != nil {
			return bad("utility %s: %s", p.Frames[j].Frame.X.Util.Name, err)
		}
		if err := decode(p.Frames[j].Data, prog); err != nil {
			return bad("utility %s: %s", p.Frames[j].Frame.X.Util.Name, err)
		}
		p.Frames[j].Prog = prog
	}
	return nil
}

// tree reads chunks and inodes up to the machine's record.
func (im *importer) tree() (*vfs.FS, error) {
	var t Tree
	if err := im.expect(RecTree, &t, "tree"); err != nil {
		return nil, err
	}
	l := im.limits
	lim := vfs.Limits{Bytes: l.FileBytes, Files: l.Files, FileSize: l.FileSize}
	first := len(im.chunks) == 0 // chunks are numbered from 1
	if first {
		if known, fs := im.loader.known(im.rest, lim, t.Next); known != nil && im.store(known.stored) == nil {
			im.rest, im.chunks = im.rest[len(known.data)+2:], known.chunks
			return fs, nil
		}
	}
	data, next := im.rest, t.Next
	b := vfs.NewBuilder(core.Generated(), lim)
	for {
		kind, err := im.next()
		if err != nil {
			return nil, err
		}
		switch kind {
		case RecChunk:
			if err := im.chunk(); err != nil {
				return nil, err
			}
		case RecInode:
			if err := im.add(b); err != nil {
				return nil, err
			}
		case RecMachine:
			fs, err := b.Finish(next)
			if err != nil {
				return nil, bad("%s", err)
			}
			if n := len(data) - len(im.rest) - 2; first && n <= keptTree {
				im.chunks = slices.Clip(im.chunks)
				im.loader.learn(&tree{data: bytes.Clone(data[:n]), limits: lim, next: next, fs: fs.Fork(), chunks: im.chunks, stored: im.stored})
			}
			return fs, nil
		default:
			return nil, bad("record of kind %d among the files", kind)
		}
	}
}

// add takes an inode. The limits of the tree bound the sum of all.
func (im *importer) add(b *vfs.Builder) error {
	ino := &im.inode
	*ino = Inode{}
	if err := im.read(ino, nil, &ledger{RecordCost(im.limits)}, "inode"); err != nil {
		return err
	}
	for _, c := range ino.Chunks {
		if c.Chunk < 1 || c.Chunk > len(im.chunks) {
			return bad("inode %d refers to chunk %d of %d", ino.Record.Ino, c.Chunk, len(im.chunks))
		}
		ino.Record.Pieces = append(ino.Record.Pieces, vfs.Piece{Index: c.Index, Data: im.chunks[c.Chunk-1]})
	}
	return Built("import", b.Add(ino.Record))
}

// Built is the error of a builder of files as a fault of op. Files that are whole, and more than the limits allow, are a matter of quota.
func Built(op string, err error) error {
	var e *vfs.BuildError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && e.Over:
		return fault.New(fault.Quota, op, "", "%s: the limits allow no more", err)
	}
	return fault.New(fault.State, op, "", "%s", err)
}
