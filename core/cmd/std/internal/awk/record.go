package awk

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/large"
	"eryxsh/core/regex"
)

// Record is the record being worked on and what is known of its fields.
type Record struct {
	V0     Value   `cbor:"1,keyasint,omitempty"` // $0
	Fields []Value `cbor:"2,keyasint,omitempty"` // those split off so far
	// Pos is where splitting goes on in $0, plus 1; 0 when all fields are there.
	Pos   int  `cbor:"3,keyasint,omitempty"`
	Stale bool `cbor:"4,keyasint,omitempty"` // a field changed: $0 must be joined again
	// By is the slot of the variable that says how to split: FS, FIELDWIDTHS or FPAT, whichever was assigned last.
	By uint8 `cbor:"5,keyasint,omitempty"`
}

// splitMode is a way to find fields.
type splitMode uint8

const (
	splitBlank splitMode = iota // runs of blanks and newlines
	splitByte                   // one byte
	splitChars                  // every character
	splitRegex
	splitWidths
	splitPattern // FPAT
)

// splitter is a way to find fields, ready to use.
type splitter struct {
	mode    splitMode
	sep     byte
	newline bool // RS is "": newlines part fields too
	re      *regex.Regexp
	widths  []width
	fold    bool
	made    bool
}

// width is one entry of FIELDWIDTHS.
type width struct{ skip, n int } // n < 0: all the rest

// maxFields bounds the fields of a record, maxNF what NF or a field's number may be set to.
const (
	maxFields = 1 << 24
	maxNF     = 1 << 20
)

// setSplitter prepares how records are split from now on.
func (p *Program) setSplitter() {
	s := splitter{fold: p.conv.fold, made: true}
	switch int(p.Rec.By) {
	case slotFIELDWIDTHS:
		s.mode = splitWidths
		s.widths = p.fieldWidths(text(&p.Globals[slotFIELDWIDTHS], "%.6g"))
	case slotFPAT:
		s.mode = splitPattern
		s.re = p.regexOf(&p.Globals[slotFPAT])
	default:
		s = p.separator(&p.Globals[slotFS])
		s.newline = p.conv.rs == ""
		if s.mode == splitRegex && s.newline {
			fs := p.Globals[slotFS]
			v := str("(" + text(&fs, "%.6g") + ")|\n")
			s.re = p.regexOf(&v)
		}
	}
	p.split = s
}

// separator makes a splitter of a value of FS, or of split's third argument. A
// single letter is itself even with IGNORECASE.
func (p *Program) separator(v *Value) splitter {
	s := splitter{fold: p.conv.fold, made: true}
	fs := text(v, p.conv.convfmt)
	switch {
	case fs == " " && v.K != Pattern:
		s.mode = splitBlank
	case fs == "":
		s.mode = splitChars
	case len(fs) == 1 && (v.K != Pattern || strings.IndexByte(`\.[]()*+?{}|^$`, fs[0]) < 0):
		s.mode, s.sep = splitByte, fs[0]
	case len(fs) == 2 && fs[0] == '\\' && strings.IndexByte(`.[]()*+?{}|^$\/`, fs[1]) >= 0:
		s.mode, s.sep = splitByte, fs[1]
	case len(fs) == 3 && fs[0] == '[' && fs[2] == ']' && fs[1] != '^' && fs[1] != '\\' && fs[1] < utf8.RuneSelf && !s.fold:
		s.mode, s.sep = splitByte, fs[1]
	default:
		s.mode = splitRegex
		s.re = p.regexOf(v)
	}
	return s
}

// fieldWidths reads FIELDWIDTHS: widths, skip:width, and * for the rest.
func (p *Program) fieldWidths(s string) []width {
	var list []width
	words := strings.Fields(s)
	rest := s
	for i, w := range words {
		var f width
		rest = rest[strings.Index(rest, w):]
		near := rest
		rest = rest[len(w):]
		skip, n, ok := strings.Cut(w, ":")
		if !ok {
			skip, n = "0", w
		}
		var err1, err2 error
		f.skip, err1 = strconv.Atoi(skip)
		if n == "*" && i == len(words)-1 {
			f.n = -1
		} else if f.n, err2 = strconv.Atoi(n); f.n <= 0 && err2 == nil {
			err2 = strconv.ErrRange
		}
		if n == "*" && i < len(words)-1 && err1 == nil {
			p.fatal("`*' must be the last designator in FIELDWIDTHS")
		}
		if err1 == nil && ok {
			near = near[len(skip)+1:]
		}
		if err1 != nil || err2 != nil || f.skip < 0 {
			p.fatal("invalid FIELDWIDTHS value, for field %d, near `%s'", i+1, near)
		}
		list = append(list, f)
	}
	return list
}

// setRecord makes s the record; it may be a view.
func (p *Program) setRecord(v Value) {
	v.K, v.N = Maybe, 0
	p.Rec = Record{V0: v, Fields: p.Rec.Fields[:0], Pos: 1, By: p.Rec.By}
}

// field gives field i, which may be split off first. The pointer is good until
// the record changes.
func (p *Program) field(i int) *Value {
	r := &p.Rec
	if i == 0 {
		if r.Stale {
			p.join()
		}
		return &r.V0
	}
	if i > len(r.Fields) && r.Pos > 0 {
		p.splitTo(i)
	}
	if i > len(r.Fields) {
		p.none = absent()
		return &p.none
	}
	return &r.Fields[i-1]
}

func (p *Program) nf() int {
	p.splitAll()
	return len(p.Rec.Fields)
}

func (p *Program) splitAll() {
	if p.Rec.Pos > 0 {
		p.splitTo(maxFields)
	}
}

// splitTo splits off fields until there are n, or all.
func (p *Program) splitTo(n int) {
	r := &p.Rec
	for n-len(r.Fields) > manyMatches && r.Pos > 0 {
		r.Fields = large.Extend(r.Fields, manyMatches, p.c)
		p.splitSome(len(r.Fields) + manyMatches)
		p.c.Charge(manyMatches)
	}
	if r.Pos > 0 {
		p.splitSome(n)
	}
}

// splitSome is splitTo for a few fields.
func (p *Program) splitSome(n int) {
	r := &p.Rec
	s := r.V0.S
	switch p.split.mode {
	case splitBlank:
		i := r.Pos - 1
		for len(r.Fields) < n {
			for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') {
				i++
			}
			if i == len(s) {
				r.Pos = 0
				return
			}
			start := i
			for i < len(s) && s[i] != ' ' && s[i] != '\t' && s[i] != '\n' {
				i++
			}
			r.Fields = append(r.Fields, Value{S: s[start:i], K: Maybe, view: true})
		}
		r.Pos = i + 1
	case splitByte:
		if s == "" {
			r.Pos = 0
			return
		}
		i := r.Pos - 1
		for len(r.Fields) < n {
			var k int
			if p.split.newline {
				k = strings.IndexAny(s[i:], string(rune(p.split.sep))+"\n")
				if p.split.sep >= utf8.RuneSelf {
					k = indexEither(s[i:], p.split.sep, '\n')
				}
			} else {
				k = strings.IndexByte(s[i:], p.split.sep)
			}
			if k < 0 {
				r.Fields = append(r.Fields, Value{S: s[i:], K: Maybe, view: true})
				r.Pos = 0
				return
			}
			r.Fields = append(r.Fields, Value{S: s[i : i+k], K: Maybe, view: true})
			i += k + 1
		}
		r.Pos = i + 1
	default:
		r.Pos = 0
		p.spend(len(s))
		p.cut(&p.split, s, func(field, _ string) {
			if len(r.Fields)%many == many-1 {
				p.c.Charge(many)
				r.Fields = large.Extend(r.Fields, many, p.c)
			}
			r.Fields = append(r.Fields, Value{S: field, K: Maybe, view: true})
		})
	}
}

func indexEither(s string, a, b byte) int {
	for i := 0; i < len(s); i++ {
		if s[i] == a || s[i] == b {
			return i
		}
	}
	return -1
}

// cut finds the fields of s and the separator behind each.
func (p *Program) cut(by *splitter, s string, add func(field, sep string)) {
	if s == "" && by.mode != splitBlank {
		return
	}
	switch by.mode {
	case splitBlank:
		p.cutBlank(s, add)
	case splitByte:
		for {
			i := strings.IndexByte(s, by.sep)
			if by.newline {
				i = indexEither(s, by.sep, '\n')
			}
			if i < 0 {
				add(s, "")
				return
			}
			add(s[:i], s[i:i+1])
			s = s[i+1:]
		}
	case splitChars:
		for s != "" {
			n := p.offset(s, 1)
			add(s[:n], "")
			s = s[n:]
		}
	case splitRegex:
		p.cutRegex(by.re, s, add)
	case splitWidths:
		for _, w := range by.widths {
			s = s[p.offset(s, w.skip):]
			if s == "" {
				return
			}
			n := len(s)
			if w.n >= 0 {
				n = p.offset(s, w.n)
			}
			add(s[:n], "")
			s = s[n:]
		}
	case splitPattern:
		p.cutPattern(by.re, s, add)
	}
}

func (p *Program) cutBlank(s string, add func(field, sep string)) {
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
	i := 0
	for i < len(s) && blank(s[i]) {
		i++
	}
	for i < len(s) {
		start := i
		for i < len(s) && !blank(s[i]) {
			i++
		}
		end := i
		for i < len(s) && blank(s[i]) {
			i++
		}
		add(s[start:end], s[end:i])
	}
}

// cutRegex parts s at the matches of re; an empty match parts nothing.
func (p *Program) cutRegex(re *regex.Regexp, s string, add func(field, sep string)) {
	b := p.bytes(s)
	var loc [2]int
	start, from := 0, 0
	for p.find(re, b, from, loc[:]) {
		if loc[1] == loc[0] {
			if loc[1] >= len(s) {
				break
			}
			from = loc[1] + p.offset(s[loc[1]:], 1)
			continue
		}
		add(s[start:loc[0]], s[loc[0]:loc[1]])
		start, from = loc[1], loc[1]
	}
	add(s[start:], "")
}

// cutPattern finds the fields that match FPAT.
func (p *Program) cutPattern(re *regex.Regexp, s string, add func(field, sep string)) {
	b := p.bytes(s)
	var loc [2]int
	var have bool
	var field string
	end, from := 0, 0
	for from <= len(s) && p.find(re, b, from, loc[:]) {
		if loc[1] == loc[0] && have && loc[0] == end {
			// An empty field needs a separator before it.
			if from >= len(s) {
				break
			}
			from = loc[1] + p.offset(s[loc[1]:], 1)
			continue
		}
		if have {
			add(field, s[end:loc[0]])
		}
		have, field, end = true, s[loc[0]:loc[1]], loc[1]
		from = end
		if loc[1] == loc[0] {
			if from >= len(s) {
				break
			}
			from += p.offset(s[from:], 1)
		}
	}
	if have {
		add(field, s[end:])
	}
}

// join makes $0 of the fields.
func (p *Program) join() {
	r := &p.Rec
	b := p.text[:0]
	for i := range r.Fields {
		if i > 0 {
			b = append(b, p.conv.ofs...)
		}
		b = p.appendText(b, &r.Fields[i], p.conv.convfmt)
		p.fits(len(b))
		if i%many == many-1 {
			p.c.Charge(many / 4)
			b = p.ahead(b)
		}
	}
	p.text = b
	p.spend(len(b))
	r.V0, r.Stale = Value{S: large.Text(b, p.c), K: Maybe}, false
}

func (p *Program) appendText(b []byte, v *Value, format string) []byte {
	if v.K == Num {
		return appendNumber(b, v.N, format)
	}
	return large.Push(b, v.S, p.c)
}

// ahead gives a long text that is being made room for as much again, before append would have to.
func (p *Program) ahead(b []byte) []byte {
	if len(b) < large.Piece || cap(b)-len(b) > len(b)/8 {
		return b
	}
	return large.Room(b, len(b), p.c)
}

// setField assigns a field.
func (p *Program) setField(i int, v Value) {
	if i == 0 {
		stays := v.K == Str || v.K == Pattern // text, as "0" is true then
		v.S = text(&v, p.conv.convfmt)
		if p.setRecord(v); stays {
			p.Rec.V0.K = Str
		}
		return
	}
	p.splitAll()
	r := &p.Rec
	p.extend(i)
	r.Fields[i-1] = p.keep(&v)
	r.Stale = true
}

func (p *Program) extend(n int) {
	p.spend(n)
	r := &p.Rec
	for len(r.Fields) < n {
		if len(r.Fields)%many == many-1 {
			p.c.Charge(many / 16)
			r.Fields = large.Extend(r.Fields, many, p.c)
		}
		r.Fields = append(r.Fields, absent())
	}
}

func (p *Program) setNF(n float64) {
	if n < 0 {
		p.fatal("NF set to negative value")
	}
	if !(n <= maxNF) {
		p.fatal("NF set to more than %d", maxNF)
	}
	p.splitAll()
	r := &p.Rec
	p.extend(int(n))
	r.Fields = r.Fields[:int(n)]
	r.Stale = true
}
