package store

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"sync"
)

// PackID is the identity of a pack: the first 16 bytes of the SHA-256 of its index.
type PackID [16]byte

// String is the id in hexadecimal.
func (id PackID) String() string { return hex.EncodeToString(id[:]) }

// The fixed parts of a pack.
const (
	PackMagic   = "ERYXPK\r\n" // first bytes
	packFooter  = 4            // size of the index, big-endian: last bytes
	blockSize   = 64 << 10     // a block of small objects ends at the first object behind it
	packMost    = 64 << 20     // a pack ends at the first block behind it
	deflateFlag = 1            // of a block that is compressed (RFC 1951)
	objectMost  = 1 << 30      // bytes of one object
	deflateMost = 1032         // bytes that one byte can become (RFC 1951: 258 by two bits)
)

// packer makes packs of objects as they come: bytes of files, then the small
// ones, then the index, so that whoever reads the end has all but the files.
type packer struct {
	packs   []*Pack
	have    map[ID]bool // given
	known   map[ID]bool // in other packs that are within reach
	chunks  []chunk
	blocks  []smallBlock
	pending []object // of the open block
	open    []byte
}

// chunk is bytes of a file that wait for their place.
type chunk struct {
	id   ID
	body []byte
}

type smallBlock struct {
	data    []byte
	raw     int
	objects []object
}

type object struct {
	id    ID
	kind  Kind
	depth uint8 // 0: whole; else a delta to one of a lower depth: its id, then the delta
	size  int
}

// Pack is a pack that was made, in parts that have to be copied out. Bytes of
// files are not among its own: they are the tree's.
type Pack struct {
	ID      PackID
	Size    int64 // bytes
	Objects int
	parts   [][]byte
	blocks  []byte // of the index
	objects []byte
	nblocks int
	last    int // block of the last object
}

// CopyTo writes the bytes of the pack to memory of the caller's, which has room
// for Size.
func (p *Pack) CopyTo(dst []byte) {
	for _, part := range p.parts {
		dst = dst[copy(dst, part):]
	}
}

func newPacker() *packer { return &packer{have: map[ID]bool{}, known: map[ID]bool{}} }

// smallChunk is the size below which several chunks share a block.
const smallChunk = 1024

// chunk adds bytes of a file, which stay where they are.
func (k *packer) chunk(id ID, body []byte) {
	switch {
	case k.have[id]:
		return
	case len(body) < smallChunk:
		k.small(object{id, KindChunk, 0, len(body)}, body)
	default:
		k.chunks = append(k.chunks, chunk{id, body})
	}
	k.have[id] = true
}

// add adds any other object, as a delta to another where that is shorter and
// the way to a whole one not too long. It returns the length of that way.
func (k *packer) add(kind Kind, id ID, body []byte, base *former) (depth uint8) {
	if k.have[id] {
		return deltaMost // not known: the next one is whole
	}
	k.have[id] = true
	if base != nil && base.depth < deltaMost {
		if was := base.body(); was != nil {
			delta := appendDelta(append([]byte(nil), base.id[:]...), was, body)
			if len(delta) < len(body)/2 {
				k.small(object{id, kind, base.depth + 1, len(delta)}, delta)
				return base.depth + 1
			}
		}
	}
	k.small(object{id, kind, 0, len(body)}, body)
	return 0
}

// former is the object that stood where another stands now.
type former struct {
	id    ID
	depth uint8         // of deltas down to a whole one
	body  func() []byte // nil: not known any more
}

// deltaMost is how many deltas lead to a whole object.
const deltaMost = 16

func (k *packer) small(o object, stored []byte) {
	k.pending = append(k.pending, o)
	if k.open = append(k.open, stored...); len(k.open) >= blockSize {
		k.flush()
	}
}

// flush ends the open block.
func (k *packer) flush() {
	if len(k.pending) == 0 {
		return
	}
	b := smallBlock{data: deflate(k.open), raw: len(k.open), objects: k.pending}
	if len(b.data) >= len(k.open) {
		b.data, b.raw = append([]byte(nil), k.open...), 0
	}
	k.blocks = append(k.blocks, b)
	k.pending, k.open = nil, k.open[:0]
}

// presses are compressors that nobody uses: to make one costs more than most saves.
var presses = sync.Pool{New: func() any {
	press, _ := flate.NewWriter(nil, flate.BestSpeed) // its level is a good one
	return press
}}

func deflate(raw []byte) []byte {
	var out bytes.Buffer
	press := presses.Get().(*flate.Writer)
	defer presses.Put(press)
	press.Reset(&out)
	_, _ = press.Write(raw) // a Buffer takes everything
	_ = press.Close()
	return out.Bytes()
}

// pack gives the pack that takes the next block.
func (k *packer) pack() *Pack {
	if n := len(k.packs); n > 0 && k.packs[n-1].Size < packMost {
		return k.packs[n-1]
	}
	p := &Pack{}
	p.put([]byte(PackMagic))
	k.packs = append(k.packs, p)
	return p
}

// end makes the packs of all that is not known.
func (k *packer) end() []*Pack {
	k.flush()
	for _, c := range k.chunks {
		if !k.known[c.id] {
			p := k.pack()
			p.block(len(c.body), 0, c.body)
			p.object(object{c.id, KindChunk, 0, len(c.body)})
		}
	}
	for _, b := range k.blocks {
		p := k.pack()
		p.block(len(b.data), b.raw, b.data)
		for _, o := range b.objects {
			p.object(o)
		}
	}
	for _, p := range k.packs {
		p.end()
	}
	return k.packs
}

func (p *Pack) put(b []byte) {
	p.parts = append(p.parts, b)
	p.Size += int64(len(b))
}

func (p *Pack) block(stored, raw int, data []byte) {
	if raw > 0 {
		p.blocks = binary.AppendUvarint(p.blocks, uint64(stored)<<1|deflateFlag)
		p.blocks = binary.AppendUvarint(p.blocks, uint64(raw))
	} else {
		p.blocks = binary.AppendUvarint(p.blocks, uint64(stored)<<1)
	}
	p.nblocks++
	p.put(data)
}

// object adds what stands in the last block behind those before.
func (p *Pack) object(o object) {
	block := p.nblocks - 1
	p.objects = append(append(p.objects, o.id[:]...), byte(o.kind), o.depth)
	p.objects = binary.AppendUvarint(p.objects, uint64(block-p.last))
	p.objects = binary.AppendUvarint(p.objects, uint64(o.size))
	p.last = block
	p.Objects++
}

// end adds the index and its size.
func (p *Pack) end() {
	index := binary.AppendUvarint(nil, uint64(p.nblocks))
	index = append(index, p.blocks...)
	index = binary.AppendUvarint(index, uint64(p.Objects))
	index = append(index, p.objects...)
	p.ID = indexID(index)
	p.put(binary.BigEndian.AppendUint32(index, uint32(len(index))))
	p.blocks, p.objects = nil, nil
}

// place says where an object is in a pack.
type place struct {
	block, from, size int
	kind              Kind
	depth             uint8
}

// block says where a block is.
type block struct {
	at     int64 // in the pack
	stored int
	raw    int // 0: it is stored as it is
}

func (b block) size() int {
	if b.raw > 0 {
		return b.raw
	}
	return b.stored
}

// Index is what a pack says of itself.
type Index struct {
	ID      PackID
	blocks  []block
	objects map[ID]place
	order   []ID
}

// IndexSize gives the bytes at the end of a pack that are its index, from its
// last four.
func IndexSize(last []byte) int64 {
	if len(last) < packFooter {
		return 0
	}
	return packFooter + int64(binary.BigEndian.Uint32(last[len(last)-packFooter:]))
}

// packID gives the id of a pack from its bytes, or the last of them; ok is false if they have no index.
func packID(last []byte) (id PackID, ok bool) {
	n := IndexSize(last)
	if n == 0 || n > int64(len(last)) {
		return id, false
	}
	return indexID(last[int64(len(last))-n : len(last)-packFooter]), true
}

// indexID is the id of the pack that has an index.
func indexID(index []byte) PackID {
	digest := sha256.Sum256(index)
	return PackID(digest[:len(PackID{})])
}

// ReadIndex reads the index at the end of a pack of size bytes, of which it is
// given the last ones.
func ReadIndex(id PackID, size int64, last []byte) (*Index, error) {
	n := IndexSize(last)
	if n > int64(len(last)) || n > size-int64(len(PackMagic)) || n == 0 {
		return nil, damaged("pack %s: its index is truncated", id)
	}
	data := last[int64(len(last))-n : len(last)-packFooter]
	if indexID(data) != id {
		return nil, damaged("pack %s: its index is damaged", id)
	}
	x := &Index{ID: id}
	if err := x.read(data, size-n); err != nil {
		return nil, err
	}
	return x, nil
}

func (x *Index) read(data []byte, end int64) error {
	bad := func() error { return damaged("pack %s: its index makes no sense", x.ID) }
	n, data, ok := number(data)
	if !ok || n > uint64(len(data)) {
		return bad()
	}
	at := int64(len(PackMagic))
	x.blocks = make([]block, n)
	for i := range x.blocks {
		var stored, raw uint64
		if stored, data, ok = number(data); !ok {
			return bad()
		}
		if stored&deflateFlag != 0 {
			if raw, data, ok = number(data); !ok || raw == 0 || raw > deflateMost*(stored>>1)+64 || raw > objectMost+blockSize {
				return bad()
			}
		}
		if stored >>= 1; stored > uint64(end-at) {
			return bad()
		}
		x.blocks[i] = block{at, int(stored), int(raw)}
		at += int64(stored)
	}
	if n, data, ok = number(data); !ok || at != end || n > uint64(len(data))/(34+2) {
		return bad()
	}
	x.objects = make(map[ID]place, n)
	x.order = make([]ID, n)
	now := place{}
	for i := range x.order {
		if len(data) < 34 || Kind(data[32]) >= kindEnd || data[33] > deltaMost {
			return bad()
		}
		id := ID(data[:32])
		kind, depth := Kind(data[32]), data[33]
		var skip, size uint64
		if skip, data, ok = number(data[34:]); !ok || skip > uint64(len(x.blocks)) {
			return bad()
		}
		if size, data, ok = number(data); !ok {
			return bad()
		}
		if skip > 0 {
			now.block, now.from = now.block+int(skip), 0
		}
		if now.block >= len(x.blocks) || size > uint64(x.blocks[now.block].size()-now.from) {
			return bad()
		}
		x.order[i] = id
		x.objects[id] = place{now.block, now.from, int(size), kind, depth}
		now.from += int(size)
	}
	if len(data) > 0 {
		return bad()
	}
	return nil
}

// inflate gives the bytes of a block.
func (b block) inflate(stored []byte) ([]byte, error) {
	if b.raw == 0 {
		return stored, nil
	}
	out := make([]byte, b.raw)
	r := flate.NewReader(bytes.NewReader(stored))
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, damaged("a block does not decompress: %s", err)
	}
	return out, nil
}
