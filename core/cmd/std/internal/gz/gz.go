// Package gz writes and reads gzip streams (RFC 1952) as plain data, for gzip
// and tar -z.
//
// The writer compresses blocks of 256 KiB, each with the 32 KiB before it as a
// dictionary: what goes from one block to the next is bytes, not a compressor.
package gz

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"sync"

	"eryxsh/core/cmd/std/internal/inflate"
	"eryxsh/core/large"
)

const (
	block  = 256 << 10
	window = 32 << 10
)

// Writer compresses. Its zero value is ready.
type Writer struct {
	In   []byte `cbor:"1,keyasint,omitempty"` // not compressed yet
	Dict []byte `cbor:"2,keyasint,omitempty"`
	CRC  uint32 `cbor:"3,keyasint,omitempty"`
	Size uint32 `cbor:"4,keyasint,omitempty"`
	Out  int64  `cbor:"5,keyasint,omitempty"` // bytes written
}

// Header is the first bytes of a stream; name may be "", mtime (seconds) 0.
func (w *Writer) Header(name string, mtime int64, level int) []byte {
	h := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3}
	if mtime > 0 && mtime < 1<<32 {
		binary.LittleEndian.PutUint32(h[4:], uint32(mtime))
	}
	switch level {
	case 1:
		h[8] = 4
	case 9:
		h[8] = 2
	}
	if name != "" {
		h[3] = 8
		h = append(append(h, name...), 0)
	}
	w.Out = int64(len(h))
	return h
}

// Write takes p and gives the compressed blocks that are complete; last says that p is the end.
func (w *Writer) Write(p []byte, level int, last bool) []byte {
	w.CRC = crc32.Update(w.CRC, crc32.IEEETable, p)
	w.Size += uint32(len(p))
	w.In = large.Append(w.In, p)
	var out bytes.Buffer
	for len(w.In) >= block {
		w.compress(&out, w.In[:block], level, false)
		w.In = append([]byte(nil), w.In[block:]...)
	}
	if last {
		w.compress(&out, w.In, level, true)
		w.In, w.Dict = nil, nil
		var t [8]byte
		binary.LittleEndian.PutUint32(t[:], w.CRC)
		binary.LittleEndian.PutUint32(t[4:], w.Size)
		out.Write(t[:])
	}
	w.Out += int64(out.Len())
	return out.Bytes()
}

func (w *Writer) compress(out *bytes.Buffer, p []byte, level int, last bool) {
	var f *flate.Writer
	if len(w.Dict) == 0 {
		f, _ = fresh[level].Get().(*flate.Writer)
		defer func() { fresh[level].Put(f) }()
	}
	if f != nil {
		f.Reset(out)
	} else {
		f = compressor(out, level, w.Dict)
	}
	f.Write(p)
	if last {
		f.Close()
	} else {
		f.Flush()
	}
	w.Dict = append([]byte(nil), p[max(0, len(p)-window):]...)
}

// compressor compresses behind a dictionary. Levels are 1 to 9.
func compressor(out io.Writer, level int, dict []byte) *flate.Writer {
	f, err := flate.NewWriterDict(out, level, dict)
	if err != nil {
		panic("gz: level out of range")
	}
	return f
}

// fresh has compressors without a dictionary by level: to make one takes longer than to compress most files.
var fresh [10]sync.Pool

// Errors of Reader, in gzip's words.
var (
	ErrFormat   = errors.New("not in gzip format")
	ErrCRC      = errors.New("invalid compressed data--crc error")
	ErrLength   = errors.New("invalid compressed data--length error")
	ErrEOF      = inflate.ErrEOF
	ErrTrailing = errors.New("decompression OK, trailing garbage ignored")
)

// Phases of a Reader.
const (
	head = iota
	body
	tail
)

// Reader decompresses one stream of one or more members. Its zero value is ready.
type Reader struct {
	Raw   []byte          `cbor:"1,keyasint,omitempty"` // input not used yet
	EOF   bool            `cbor:"2,keyasint,omitempty"` // Raw is all there is
	Phase int             `cbor:"3,keyasint,omitempty" holds:"2"`
	Inf   inflate.Decoder `cbor:"4,keyasint,omitempty"`
	CRC   uint32          `cbor:"5,keyasint,omitempty"`
	Size  uint32          `cbor:"6,keyasint,omitempty"`
	Name  string          `cbor:"7,keyasint,omitempty"` // in the first header
	MTime uint32          `cbor:"8,keyasint,omitempty"`
	Count int             `cbor:"9,keyasint,omitempty" holds:"count"` // members begun
	In    int64           `cbor:"10,keyasint,omitempty"`
	Total int64           `cbor:"11,keyasint,omitempty"` // bytes of output

	over bool // the stream has ended
}

// Feed adds input.
func (r *Reader) Feed(p []byte) { r.Raw = large.Append(r.Raw, p); r.In += int64(len(p)) }

// Over reports that the stream has ended, by what Next has just given.
func (r *Reader) Over() bool { return r.over }

// Hungry reports whether more input is wanted before Next can go on.
func (r *Reader) Hungry() bool { return !r.EOF && len(r.Raw) < 16<<10 }

// Next gives some output, at most about 64 KiB. It gives none when it wants
// input or Over says so.
func (r *Reader) Next() ([]byte, error) {
	for {
		switch r.Phase {
		case head:
			if len(r.Raw) == 0 && r.EOF && r.Count > 0 {
				r.over = true
				return nil, nil
			}
			n, name, err := header(r.Raw, r.EOF)
			if err != nil {
				r.over = true
				if r.Count > 0 && err == ErrFormat {
					if len(bytes.Trim(r.Raw, "\x00")) == 0 {
						return nil, nil
					}
					return nil, ErrTrailing
				}
				return nil, err
			}
			if n == 0 {
				return nil, nil
			}
			if r.Count == 0 {
				r.Name, r.MTime = name, binary.LittleEndian.Uint32(r.Raw[4:])
			}
			r.Count++
			r.Raw = r.Raw[n:]
			r.Phase, r.Inf, r.CRC, r.Size = body, inflate.Decoder{}, 0, 0
		case body:
			out, used, err := r.Inf.Decode(r.Raw, r.EOF, nil, 64<<10)
			r.Raw = r.Raw[used:]
			r.CRC = crc32.Update(r.CRC, crc32.IEEETable, out)
			r.Size += uint32(len(out))
			r.Total += int64(len(out))
			if err != nil {
				r.over = true
				return out, err
			}
			if r.Inf.Done() {
				r.Phase = tail
			}
			if len(out) > 0 || !r.Inf.Done() {
				return out, nil
			}
		case tail:
			if len(r.Raw) < 8 {
				if !r.EOF {
					return nil, nil
				}
				r.over = true
				return nil, ErrEOF
			}
			crc, size := binary.LittleEndian.Uint32(r.Raw), binary.LittleEndian.Uint32(r.Raw[4:])
			r.Raw = r.Raw[8:]
			r.Phase = head
			if crc != r.CRC {
				r.over = true
				return nil, ErrCRC
			}
			if size != r.Size {
				r.over = true
				return nil, ErrLength
			}
		}
	}
}

// header gives the length of a member's header, 0 if more input is needed.
func header(b []byte, eof bool) (n int, name string, err error) {
	short := func() (int, string, error) {
		if eof {
			if len(b) < 2 || b[0] == 0x1f && b[1] == 0x8b {
				return 0, "", ErrEOF
			}
			return 0, "", ErrFormat
		}
		return 0, "", nil
	}
	if len(b) < 10 {
		return short()
	}
	if b[0] != 0x1f || b[1] != 0x8b || b[2] != 8 {
		return 0, "", ErrFormat
	}
	n = 10
	if b[3]&4 != 0 {
		if len(b) < n+2 {
			return short()
		}
		n += 2 + int(binary.LittleEndian.Uint16(b[n:]))
	}
	for _, bit := range []byte{8, 16} {
		if b[3]&bit == 0 {
			continue
		}
		if n > len(b) {
			return short()
		}
		i := bytes.IndexByte(b[n:], 0)
		if i < 0 {
			return short()
		}
		if bit == 8 {
			name = string(b[n : n+i])
		}
		n += i + 1
	}
	if b[3]&2 != 0 {
		n += 2
	}
	if n > len(b) {
		return short()
	}
	return n, name, nil
}
