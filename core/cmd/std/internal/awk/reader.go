package awk

import (
	"bytes"
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

// Reader cuts a descriptor into records. What it has read is one string per
// read, and records are parts of it: no record is copied until it is kept.
type Reader struct {
	FD  int    `cbor:"1,keyasint,omitempty"`
	Buf string `cbor:"2,keyasint,omitempty"`
	EOF bool   `cbor:"5,keyasint,omitempty"`
	// Part collects reads while the record is long, so that it is copied a few times only.
	Part []byte `cbor:"7,keyasint,omitempty"`
	// Parts are the beginning of a record, before Buf, that is so long that nothing of it is copied until it ends.
	Parts []string `cbor:"8,keyasint,omitempty"`

	pos  int    // of the first byte not taken; 0 between two turns
	scan int    // bytes behind it known to hold no end of record
	raw  []byte // Buf from Pos on, for RS as a regular expression; empty: not made
}

// trim forgets what was taken.
func (r *Reader) trim() {
	r.Buf, r.pos = r.Buf[r.pos:], 0
	r.raw = nil
}

// longPart is how much of a record is set aside at a time.
const longPart = 1 << 20

// held is how many bytes it holds.
func (r *Reader) held() int {
	n := len(r.Buf) + len(r.Part)
	for _, part := range r.Parts {
		n += len(part)
	}
	return n
}

// gather puts a long record together again.
func (r *Reader) gather(m large.Meter) {
	var b strings.Builder
	b.Grow(r.held())
	for _, part := range r.Parts {
		large.Write(&b, part, m)
	}
	r.scan += b.Len()
	large.Write(&b, r.Buf[r.pos:], m)
	r.Buf, r.pos, r.Parts, r.raw = b.String(), 0, nil, nil
}

// got says how a read went.
type got uint8

const (
	gotRecord got = iota
	gotEOF
	gotError
	gotBlocked // Program.wait says what for: run the instruction again
	gotCall    // a frame was pushed: run the instruction again after it
)

// record takes the next record; rt is what ended it.
func (p *Program) record(r *Reader) (rec, rt string, how got, err error) {
	for {
		if rec, rt, ok := p.cutRecord(r); ok {
			return rec, rt, gotRecord, nil
		}
		if r.EOF {
			return "", "", gotEOF, nil
		}
		switch err := p.fill(r); err {
		case nil:
		case cmd.ErrBlocked:
			p.wait = cmd.WaitRead(r.FD)
			return "", "", gotBlocked, nil
		case errTurn:
			p.wait = cmd.Again()
			return "", "", gotBlocked, nil
		default:
			r.EOF = true
			return "", "", gotError, err
		}
	}
}

// errTurn says that the turn is over.
var errTurn = io.ErrNoProgress

// fill reads behind what has not been taken.
func (p *Program) fill(r *Reader) error {
	chunk := cmd.Borrow()
	defer chunk.Return()
	for {
		n, err := p.c.Read(r.FD, chunk[:])
		p.budget -= n>>2 + 1
		pending := len(r.Buf) - r.pos
		if most := p.c.Turn(longPart); n > 0 && pending >= most && len(p.conv.rs) == 1 && r.scan == pending && len(r.Part) == 0 {
			r.Parts = append(r.Parts, r.Buf[r.pos:])
			r.Buf, r.pos, r.scan, pending = "", 0, 0, 0
		}
		switch {
		case err == io.EOF:
			r.EOF = true
		case err == cmd.ErrBlocked && p.ends(r.Part):
		case err != nil:
			return err
		case pending > p.c.Turn(cmd.Turn) && len(r.Part)+n < pending:
			r.Part = large.Append(r.Part, chunk[:n])
			if p.budget <= 0 {
				return errTurn
			}
			continue
		}
		switch {
		case pending == 0 && len(r.Part) == 0:
			r.Buf = string(chunk[:n])
		default:
			r.Part = large.Append(r.Part, chunk[:n])
			var b strings.Builder
			b.Grow(pending + len(r.Part))
			large.Write(&b, r.Buf[r.pos:], p.c)
			b.Write(r.Part)
			r.Buf, r.Part = b.String(), nil
		}
		r.pos, r.raw = 0, nil
		if len(r.Parts) > 0 && p.budget <= 0 {
			return errTurn
		}
		return nil
	}
}

// ends reports whether a record may end in what was read.
func (p *Program) ends(part []byte) bool {
	rs := p.conv.rs
	return len(part) > 0 && (len(rs) != 1 || bytes.IndexByte(part, rs[0]) >= 0)
}

// cutRecord takes a whole record from what is there.
func (p *Program) cutRecord(r *Reader) (rec, rt string, ok bool) {
	rs := p.conv.rs
	if len(r.Parts) > 0 && (r.EOF || len(rs) != 1 || strings.IndexByte(r.Buf[r.pos+r.scan:], rs[0]) >= 0) {
		r.gather(p.c)
	}
	s := r.Buf[r.pos:]
	switch {
	case rs == "":
		return p.cutParagraph(r, s)
	case len(rs) == 1:
		i := strings.IndexByte(s[r.scan:], rs[0])
		if i >= 0 {
			i += r.scan
			r.pos, r.scan = r.pos+i+1, 0
			return s[:i], s[i : i+1], true
		}
		r.scan = len(s)
	default:
		if s == "" {
			break
		}
		v := p.Globals[slotRS]
		re := p.regexOf(&v)
		var loc [2]int
		if len(r.raw) != len(s) {
			r.raw = []byte(s)
		}
		b := r.raw
		from := 0
		for p.find(re, b, from, loc[:]) {
			if loc[1] == loc[0] { // an empty match ends nothing
				if loc[0] >= len(s) {
					break
				}
				from = loc[0] + p.offset(s[loc[0]:], 1)
				continue
			}
			if loc[1] == len(s) && !r.EOF {
				return "", "", false // it could go on
			}
			r.pos += loc[1]
			r.raw = r.raw[loc[1]:]
			return s[:loc[0]], s[loc[0]:loc[1]], true
		}
	}
	if !r.EOF || s == "" {
		return "", "", false
	}
	r.pos, r.scan = len(r.Buf), 0
	return s, "", true
}

// cutParagraph takes a record that ends at blank lines.
func (p *Program) cutParagraph(r *Reader, s string) (rec, rt string, ok bool) {
	n := 0
	for n < len(s) && s[n] == '\n' {
		n++
	}
	r.pos += n
	s = s[n:]
	r.scan = max(0, r.scan-n)
	i := strings.Index(s[r.scan:], "\n\n")
	if i >= 0 {
		i += r.scan
		end := i + 2
		for end < len(s) && s[end] == '\n' {
			end++
		}
		if end == len(s) && !r.EOF {
			r.scan = i
			return "", "", false
		}
		r.pos, r.scan = r.pos+end, 0
		return s[:i], s[i:end], true
	}
	r.scan = max(0, len(s)-1)
	if !r.EOF || s == "" {
		return "", "", false
	}
	r.pos, r.scan = len(r.Buf), 0
	rec = strings.TrimSuffix(s, "\n")
	return rec, s[len(rec):], true
}
