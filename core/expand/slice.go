package expand

import (
	"math"

	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// reaches reports whether an offset is not beyond the end of a list: else a slice is empty, whatever its length.
func (val *value) reaches(off int64, params bool) bool {
	size := int64(len(val.list)) // the largest offset
	switch {
	case params: // $0 is one of them
		size++
	case val.v.Is(vars.Indexed):
		size = val.v.MaxIndex()
	}
	if off < 0 {
		if off += size; val.v.Is(vars.Indexed) {
			off++ // which counts from behind the last
		}
	}
	return 0 <= off && off <= size
}

// slice implements ${x:offset:length}.
func (e *eval) slice(p *param, val value, quoted bool) error {
	if !val.many && !val.set || val.many && p.kind == parVar && len(val.list) == 0 {
		if val.many { // the numbers are not looked at
			return e.joined(p, quoted, nil, val.star && !p.here, quoted)
		}
		e.emit("", quoted)
		return nil
	}
	off, err := p.off.eval(e)
	n, hasLen := int64(0), p.len != nil
	if hasLen && err == nil {
		n, err = p.len.eval(e)
	}
	if bad, ok := err.(*Error); ok && bad.Kind == BadArith && !bad.Deep {
		bad.Text = p.shown() + ": " + bad.Text
	}
	if err != nil {
		return err
	}
	negative := func() error {
		return &Error{Kind: BadLength, Text: p.len.text + ": substring expression < 0"}
	}
	if val.many && p.kind == parVar && !val.v.IsArray() && len(val.list) == 1 {
		val.many, val.s = false, val.list[0]
	}
	if !val.many {
		bytes := e.bytes(val.s)
		size := int64(e.count(val.s, bytes))
		lo, hi, ok := cutRange(off, n, hasLen, size, true)
		if hi < lo && n < 0 {
			return negative()
		}
		if !ok || hi <= lo {
			e.emit("", quoted)
			return nil
		}
		e.emit(e.chars(val.s, int(lo), int(hi), bytes), quoted)
		return nil
	}
	if n < 0 && val.reaches(off, p.kind == parSpecial) {
		return negative()
	}
	if val.v.Is(vars.Indexed) {
		return e.joined(p, quoted, sliceIndexed(val.v, off, n, hasLen, e.env), val.star && !p.here, quoted)
	}
	l, first := val.list, int64(1) // $0 comes before them
	if p.kind != parSpecial {
		if first = 0; off > 0 { // an associative array counts from 1
			off--
		}
		if n == 0 {
			n = 1 // as bash does
		}
	}
	lo, hi, ok := cutRange(off, n, hasLen, first+int64(len(l)), false)
	switch {
	case !ok || hi <= lo:
		l = nil
	case lo < first:
		zero, _ := e.env.Param(0)
		l = large.Add([]string{zero}, l[:hi-1], e.env)
	default:
		l = l[lo-first : hi-first]
	}
	return e.joined(p, quoted, l, val.star && !p.here, quoted)
}

// cutRange turns offset and length into a range of 0…size.
func cutRange(off, n int64, hasLen bool, size int64, fromEnd bool) (lo, hi int64, ok bool) {
	if off < 0 {
		off += size
	}
	if off < 0 || off > size {
		return 0, 0, false
	}
	hi = size
	if hasLen {
		switch {
		case n < 0 && fromEnd:
			hi = size + n
		case n < size-off:
			hi = off + n
		}
	}
	return off, hi, true
}

// sliceIndexed takes n elements from the first index ≥ off on.
func sliceIndexed(v *vars.Var, off, n int64, hasLen bool, m large.Meter) []string {
	if off < 0 {
		if off += v.MaxIndex() + 1; off < 0 {
			return nil
		}
	}
	if !hasLen {
		n = math.MaxInt64
	}
	return v.ValuesFrom(off, max(n, 0), m)
}

// chars returns the characters lo…hi-1 of s.
func (e *eval) chars(s string, lo, hi int, bytes bool) string {
	if bytes || e.plain(s) >= hi {
		return stretch(s, lo, hi, e.env)
	}
	e.much(len(s))
	from, at := len(s), 0
	for i := range s {
		if at == lo {
			from = i
		}
		if at == hi {
			return stretch(s, from, i, e.env)
		}
		at++
	}
	return stretch(s, from, len(s), e.env)
}
