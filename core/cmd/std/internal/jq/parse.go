package jq

import (
	"bytes"
	"math"
	"slices"

	"eryxsh/core/large"
)

// maxDepth is how deep containers can be nested.
const maxDepth = 10000

// Open is a container that is being read.
type Open struct {
	Object bool  `cbor:"1,keyasint,omitempty"`
	Keyed  bool  `cbor:"2,keyasint,omitempty"` // a key was read and its value not yet
	Vals   int32 `cbor:"3,keyasint,omitempty"` // values below this belong to outer containers
	Keys   int32 `cbor:"4,keyasint,omitempty"`
	Count  int32 `cbor:"5,keyasint,omitempty"` // elements so far, in a stream
}

// Reader reads JSON texts, one after the other, from bytes that come in pieces.
type Reader struct {
	Buf    []byte   `cbor:"1,keyasint,omitempty"` // not yet read, from Pos on
	Pos    int      `cbor:"2,keyasint,omitempty"`
	Line   int      `cbor:"5,keyasint,omitempty"` // newlines before Buf
	Column int      `cbor:"6,keyasint,omitempty"` // bytes since the last of them
	Stack  []Open   `cbor:"7,keyasint,omitempty"`
	Vals   []Value  `cbor:"8,keyasint,omitempty"`
	Keys   []string `cbor:"9,keyasint,omitempty"`
	Next   Value    `cbor:"10,keyasint,omitempty"` // read, and not yet known what follows
	Begun  bool     `cbor:"14,keyasint,omitempty"` // with seq: a record separator was read
	Parts  [][]byte `cbor:"15,keyasint,omitempty"` // the beginning of a long token or line, before Buf; then Pos is 0

	stream  bool        // --stream
	seq     bool        // --seq: texts follow record separators, and what is before the first is no text
	eof     bool        // no more bytes will come
	event   Value       // of a stream, taken at once
	scanned int         // bytes of the token at Pos, or of Buf if there are Parts, known to hold no end
	part    int         // the least length of one of Parts; 0: there are none
	work    large.Meter // hears of what is done to a long token; may be nil
	names   [256]string // keys seen lately: equal ones share their text
	shapes  [64][]string
}

// verdict is what a Reader has to say.
type verdict uint8

const (
	gotNothing verdict = iota // more bytes are needed, or it is the end
	gotValue
	gotPause // enough for this turn
	gotError
)

// add puts bytes behind those not read.
func (r *Reader) add(b []byte) {
	if r.Pos > 0 {
		read := r.Buf[:r.Pos]
		if n := bytes.Count(read, []byte{'\n'}); n > 0 {
			r.Line += n
			r.Column = len(read) - 1 - bytes.LastIndexByte(read, '\n')
		} else {
			r.Column += len(read)
		}
		r.Buf = r.Buf[:copy(r.Buf, r.Buf[r.Pos:])]
		r.Pos = 0
	}
	r.Buf = large.Append(r.Buf, b)
}

// place is the position behind the bytes read so far.
func (r *Reader) place(at int) (line, column int) {
	read := r.Buf[:at]
	if n := bytes.Count(read, []byte{'\n'}); n > 0 {
		return r.Line + n + 1, len(read) - 1 - bytes.LastIndexByte(read, '\n')
	}
	return r.Line + 1, r.Column + len(read)
}

// lines is the number of lines of which something was read.
func (r *Reader) lines() int {
	line, column := r.place(r.Pos)
	if column == 0 || bytes.IndexByte(r.Buf[r.Pos:], '\n') < 0 && r.eof {
		return line - 1
	}
	return line
}

// fault is a syntax error with its place.
func (r *Reader) fault(msg string, at int, end bool) string {
	line, column := r.place(at)
	b := append([]byte(msg), " at "...)
	if end {
		b = append(b, "EOF at "...)
	}
	b = append(appendInt(append(b, "line "...), line), ", column "...)
	return string(appendInt(b, column))
}

// read goes on until a value is complete. limit bounds how far it gets in one call.
func (r *Reader) read(h *Heap, limit int) (v Value, got verdict, msg string) {
	if !r.whole(r.tokenEnds) {
		return empty, gotNothing, ""
	}
	b := r.Buf
	stop := r.Pos + limit
	if r.seq && !r.Begun {
		i := bytes.IndexByte(b[r.Pos:], 0x1e)
		if i < 0 {
			r.Pos = len(b)
			return empty, gotNothing, ""
		}
		r.Pos += i
		r.Begun = true
	}
	for r.Pos < len(b) {
		if r.Pos > stop {
			return empty, gotPause, ""
		}
		c := b[r.Pos]
		switch c {
		case ' ', '\t', '\n', '\r', 0x1e:
			r.Pos++
			continue
		case '"':
			s, n := r.scanString(b[r.Pos:])
			if n == 0 {
				if !r.eof {
					return empty, gotNothing, ""
				}
				r.Pos = len(b)
				return empty, gotError, r.fault("Unfinished string", len(b), true)
			}
			if n < 0 {
				return empty, gotError, r.fault("Invalid escape", r.Pos-n, false)
			}
			r.Pos += n
			if msg = r.value(h, str(s)); msg != "" {
				return empty, gotError, r.fault(msg, r.Pos, false)
			}
		case '[', '{', ']', '}', ',', ':':
			r.Pos++
			if r.stream {
				msg = r.streamToken(h, c)
			} else {
				msg = r.token(h, c)
			}
			if msg != "" {
				return empty, gotError, r.fault(msg, r.Pos, false)
			}
		default:
			end := r.Pos + max(r.scanned, 1)
			for end < len(b) && literal(b[end]) {
				end++
			}
			if end == len(b) && !r.eof {
				r.scanned = end - r.Pos
				r.aside()
				return empty, gotNothing, ""
			}
			r.scanned = 0
			if v, msg = word(b[r.Pos:end]); v.S != "" {
				h.look(8 * len(v.S)) // such a number is read slowly
			}
			if msg == "" {
				msg = r.value(h, v)
			}
			if msg != "" {
				r.Pos = min(end+1, len(b))
				return empty, gotError, r.fault(msg, r.Pos, end == len(b))
			}
			r.Pos = end
		}
		if r.event.K != None {
			v, r.event = r.event, empty
			return v, gotValue, ""
		}
		if len(r.Stack) == 0 && r.Next.K != None {
			v, r.Next = r.Next, empty
			return v, gotValue, ""
		}
	}
	if r.eof && len(r.Stack) > 0 {
		r.Stack = nil
		return empty, gotError, r.fault("Unfinished JSON term", len(b), true)
	}
	return empty, gotNothing, ""
}

func literal(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', '"', '[', ']', '{', '}', ',', ':', 0x1e:
		return false
	}
	return true
}

// word reads a literal: a number, true, false, null, nan.
func word(t []byte) (Value, string) {
	switch t[0] {
	case 't':
		if string(t) == "true" {
			return Value{K: True}, ""
		}
		return empty, "Invalid literal"
	case 'f':
		if string(t) == "false" {
			return Value{K: False}, ""
		}
		return empty, "Invalid literal"
	case '\'':
		return empty, "Invalid string literal; expected \", but got '"
	case 'n':
		switch string(t) {
		case "null":
			return null, ""
		case "nan":
			return num(math.NaN()), ""
		}
		return empty, "Invalid literal"
	}
	if v, ok := parseNumber(t); ok {
		return v, ""
	}
	return empty, "Invalid numeric literal"
}

// value takes a scalar.
func (r *Reader) value(h *Heap, v Value) string {
	if r.Next.K != None {
		return "Expected separator between values"
	}
	if r.stream {
		return r.streamValue(h, v)
	}
	r.Next = v
	return ""
}

// token takes a character of the structure.
func (r *Reader) token(h *Heap, c byte) string {
	var top *Open
	if n := len(r.Stack); n > 0 {
		top = &r.Stack[n-1]
	}
	switch c {
	case '[', '{':
		if len(r.Stack) >= maxDepth {
			return "Exceeds depth limit for parsing"
		}
		if r.Next.K != None {
			return "Expected separator between values"
		}
		r.Stack = append(r.Stack, Open{Object: c == '{', Vals: int32(len(r.Vals)), Keys: int32(len(r.Keys))})
	case ':':
		switch {
		case top == nil || !top.Object || top.Keyed:
			return "':' not as part of an object"
		case r.Next.K == None:
			return "Expected string key before ':'"
		case r.Next.K != String:
			return "Object keys must be strings"
		}
		r.Keys = append(more(r.Keys, r.work), r.name(r.Next.S))
		top.Keyed, r.Next = true, empty
	case ',':
		switch {
		case r.Next.K == None || top == nil:
			return "Expected value before ','"
		case top.Object && !top.Keyed:
			return "Objects must consist of key:value pairs"
		}
		r.push(r.Next)
		top.Keyed, r.Next = false, empty
	case ']':
		if top == nil || top.Object {
			return "Unmatched ']'"
		}
		if r.Next.K != None {
			r.push(r.Next)
		} else if len(r.Vals) > int(top.Vals) {
			return "Expected another array element"
		}
		r.Next = h.array(h.copyOf(r.Vals[top.Vals:]))
		r.Vals = r.Vals[:top.Vals]
		r.Stack = r.Stack[:len(r.Stack)-1]
	case '}':
		switch {
		case top == nil || !top.Object:
			return "Unmatched '}'"
		case r.Next.K != None && !top.Keyed:
			return "Objects must consist of key:value pairs"
		case r.Next.K != None:
			r.push(r.Next)
		case top.Keyed:
			return "Unmatched '}'"
		case len(r.Vals) > int(top.Vals):
			return "Expected another key-value pair"
		}
		r.Next = r.closeObject(h, r.Keys[top.Keys:], r.Vals[top.Vals:])
		r.Vals, r.Keys = r.Vals[:top.Vals], r.Keys[:top.Keys]
		r.Stack = r.Stack[:len(r.Stack)-1]
	}
	return ""
}

// push appends to Vals.
func (r *Reader) push(v Value) {
	r.Vals = append(more(r.Vals, r.work), v)
}

// name gives a key, the same string for equal ones where that is cheap.
func (r *Reader) name(s string) string {
	if len(s) == 0 || len(s) > 40 {
		return s
	}
	slot := &r.names[(int(s[0])*7+int(s[len(s)-1])*31+len(s)*13)&255]
	if *slot != s {
		*slot = s
	}
	return *slot
}

// closeObject makes an object; of equal keys the last value counts. Objects
// with the same keys in the same order share the list of them.
func (r *Reader) closeObject(h *Heap, keys []string, vals []Value) Value {
	if len(keys) == 0 {
		return h.object(nil, nil)
	}
	first, last := keys[0], keys[len(keys)-1]
	hash := len(keys)*5 + len(first)*3 + len(last)
	if len(last) > 0 {
		hash += int(last[0])
	}
	shape := &r.shapes[hash&63]
	if equalKeys(*shape, keys, h) {
		return h.object(*shape, h.copyOf(vals))
	}
	if distinct(keys, h) {
		*shape = large.List(keys, h.meter())
		return h.object(*shape, h.copyOf(vals))
	}
	at := map[string]int{}
	own, items := make([]string, 0, len(keys)), make([]Value, 0, len(keys))
	for i, k := range keys {
		h.look(32)
		if j, ok := at[k]; ok {
			items[j] = vals[i]
			continue
		}
		at[k] = len(own)
		own, items = append(own, k), append(items, vals[i])
	}
	return h.object(own, items)
}

func equalKeys(a, b []string, h *Heap) bool {
	if len(a) != len(b) {
		return false
	}
	for len(a) > manyValues {
		if !slices.Equal(a[:manyValues], b[:manyValues]) {
			return false
		}
		a, b = a[manyValues:], b[manyValues:]
		h.look(manyValues)
	}
	return slices.Equal(a, b)
}

func distinct(keys []string, h *Heap) bool {
	if len(keys) > linear {
		seen := make(map[string]bool, min(len(keys), firstIndex))
		for _, k := range keys {
			seen[k] = true
			h.look(32)
		}
		return len(seen) == len(keys)
	}
	for i := range keys {
		for j := range i {
			if keys[i] == keys[j] {
				return false
			}
		}
	}
	return true
}
