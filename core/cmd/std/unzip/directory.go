package unzip

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// entry is a member of an archive, from its central directory.
type entry struct {
	Name   string `cbor:"1,keyasint,omitempty"`
	Method uint16 `cbor:"2,keyasint,omitempty"` // 0 stored, 8 deflated
	CRC    uint32 `cbor:"3,keyasint,omitempty"`
	Packed int64  `cbor:"4,keyasint,omitempty"` // bytes of its data, and with Secret of their header
	Size   int64  `cbor:"5,keyasint,omitempty"`
	Offset int64  `cbor:"6,keyasint,omitempty"` // of its local header
	Mode   uint32 `cbor:"7,keyasint,omitempty"` // as Unix has it, 0 if it is not known
	Mtime  int64  `cbor:"8,keyasint,omitempty"` // seconds since 1970
	Secret bool   `cbor:"9,keyasint,omitempty"` // encrypted
}

func (e *entry) dir() bool { return strings.HasSuffix(e.Name, "/") }

// link reports whether the member is a symbolic link, whose target is its data.
func (e *entry) link() bool { return e.Mode&0o170000 == 0o120000 }

// maxDirectory bounds a central directory.
const maxDirectory = 64 << 20

// directory reads the central directory of the open archive; the message is "" unless it has none.
func (p *Program) directory(c *cmd.Ctx) bool {
	st, err := c.Fstat(p.FD)
	if err != nil || !st.Mode.IsRegular() {
		return false
	}
	tail := p.at(c, max(0, st.Size-(66<<10)), int(min(st.Size, 66<<10)))
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || i+22 > len(tail) {
		return false
	}
	end := tail[i:]
	size, off := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	// What was put before the archive moves everything.
	p.Shift = st.Size - int64(len(end)) - size - off
	if size > maxDirectory || p.Shift < 0 {
		return false
	}
	b := p.at(c, off+p.Shift, int(size))
	for len(b) >= 46 && bytes.HasPrefix(b, []byte("PK\x01\x02")) {
		u16 := func(at int) int { return int(binary.LittleEndian.Uint16(b[at:])) }
		u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
		name, extra, comment := u16(28), u16(30), u16(32)
		whole := 46 + name + extra + comment
		if whole > len(b) {
			return false
		}
		e := entry{
			Name: string(b[46 : 46+name]), Method: uint16(u16(10)), CRC: u32(16), Packed: int64(u32(20)), Size: int64(u32(24)),
			Offset: int64(u32(42)), Secret: u16(8)&1 != 0,
		}
		if u16(4)>>8 == 3 {
			e.Mode = u32(38) >> 16
		}
		date, clock := u16(14), u16(12)
		e.Mtime = time.Date(1980+date>>9, time.Month(date>>5&15), date&31, clock>>11, clock>>5&63, clock&31*2, 0, p.o.zone.Time(0).Location()).Unix()
		for x := b[46+name : 46+name+extra]; len(x) >= 4; {
			n := int(binary.LittleEndian.Uint16(x[2:])) + 4
			if n > len(x) {
				break
			}
			if x[0] == 'U' && x[1] == 'T' && n >= 9 && x[4]&1 != 0 {
				e.Mtime = int64(int32(binary.LittleEndian.Uint32(x[5:])))
			}
			x = x[n:]
		}
		p.Entries = append(p.Entries, e)
		b = b[whole:]
	}
	c.Hold(len(p.Entries)*128 + int(size))
	return true
}

// at reads n bytes at an offset; fewer at the end of the file.
func (p *Program) at(c *cmd.Ctx, off int64, n int) []byte {
	if _, err := c.Seek(p.FD, off, 0); err != nil {
		return nil
	}
	b := make([]byte, n)
	got := 0
	for got < n {
		m, err := c.Read(p.FD, b[got:])
		if got += m; err != nil || m == 0 {
			break
		}
	}
	return b[:got]
}

// find opens the archive under its name, or with .zip behind it.
func (p *Program) find(c *cmd.Ctx) (name string, ok bool) {
	for _, suffix := range []string{"", ".zip", ".ZIP"} {
		name = p.o.archive + suffix
		if st, err := c.Stat(name); err != nil || st.Mode.IsDir() {
			continue
		}
		if fd, err := c.Open(name, vfs.O_RDONLY, 0); err == nil {
			p.FD = fd
			return name, true
		}
	}
	return p.o.archive, false
}

// packed is how many bytes the data takes, without the 12 bytes before what is encrypted.
func (e *entry) packed() int64 {
	if e.Secret {
		return e.Packed - 12
	}
	return e.Packed
}
