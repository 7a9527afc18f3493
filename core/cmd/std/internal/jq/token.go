package jq

import (
	"bytes"
	"unicode/utf8"

	"eryxsh/core/large"
)

// longPart is how many bytes of a token or line without an end are set aside: a
// buffer that grows is copied and cleared in one go.
const longPart = 1 << 20

// aside sets a long token or line aside, of which nothing there is the end.
func (r *Reader) aside() {
	if r.Pos == 0 && r.part > 0 && r.scanned >= r.part && !r.eof {
		r.Parts = append(r.Parts, r.Buf[:r.scanned:r.scanned])
		r.Buf, r.scanned = bytes.Clone(r.Buf[r.scanned:]), 0
	}
}

// whole puts what was set aside before Buf again when its end has come, which ends
// tells: where in Buf, or how much of it holds no end. It is false when more bytes are needed.
func (r *Reader) whole(ends func(b []byte, from int) (int, bool)) bool {
	if len(r.Parts) == 0 {
		return true
	}
	at, ok := ends(r.Buf, r.scanned)
	if r.scanned = at; !ok && !r.eof {
		r.aside()
		return false
	}
	r.scanned += large.Size(r.Parts, nil)
	r.Buf, r.Parts = large.Whole(r.Parts, r.Buf, 0, r.meter()), nil
	return true
}

// meter is who hears of the work.
func (r *Reader) meter() large.Meter { return large.Or(r.work) }

// lineEnds looks for the end of a line.
func lineEnds(b []byte, from int) (int, bool) {
	if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
		return from + i, true
	}
	return len(b), false
}

// tokenEnds looks for the end of the token that was set aside.
func (r *Reader) tokenEnds(b []byte, from int) (int, bool) {
	if r.Parts[0][0] == '"' {
		return stringEnds(b, from)
	}
	for ; from < len(b); from++ {
		if !literal(b[from]) {
			return from, true
		}
	}
	return from, false
}

// stringEnds looks for the quote that ends a string, from a place on that no
// backslash is before. Without one it tells where to go on.
func stringEnds(b []byte, from int) (int, bool) {
	for ; from < len(b); from++ {
		switch b[from] {
		case '"':
			return from, true
		case '\\':
			if from++; from == len(b) {
				return from - 1, false
			}
		}
	}
	return from, false
}

// scanString reads a string with its quotes. n is its length in b: 0 if its end
// is not there, negative the place of a wrong escape.
func (r *Reader) scanString(b []byte) (s string, n int) {
	i := max(r.scanned, 1)
	plain := r.scanned == 0 // else what was seen before may be anything
	if plain {
		for high := byte(0); i < len(b) && b[i] != '\\' && i < large.Piece; i++ {
			c := b[i]
			if c == '"' && high < utf8.RuneSelf {
				return string(b[1:i]), i + 1
			}
			if c == '"' {
				break
			}
			high |= c
		}
	}
	plain = plain && i < large.Piece
	end, ok := i, false
	for until := i; !ok && until < len(b); {
		until = min(len(b), end+large.Piece)
		if end, ok = stringEnds(b[:until], end); !ok {
			r.meter().Charge(large.Piece >> 6)
		}
	}
	if !ok {
		r.scanned = end
		r.aside()
		return "", 0
	}
	r.scanned = 0
	s = large.Text(b[1:end], r.meter())
	if plain && b[i] != '\\' || !plain && large.Index(s, `\`, r.meter()) < 0 {
		return valid(s, r.meter()), end + 1
	}
	s, ok = unescape(s, r.meter())
	if !ok {
		return "", -(end + 1)
	}
	return s, end + 1
}
