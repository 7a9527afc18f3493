package wire

import (
	"encoding/binary"
	"math"
)

// The messages of a short command are coded here without reflection, which
// would take as long as the command. Both halves are shortcuts only: a request
// that is not of the plainest form is left to the general decoder, and what is
// appended is byte for byte what the general encoder would give.

// quickParams are parameters with a shortcut: at gives a pointer to the field
// with a key, or nil if it is not a plain one.
type quickParams interface{ at(key uint64) any }

func (p *StartParams) at(key uint64) any {
	switch key {
	case 1:
		return &p.Sandbox
	case 2:
		return &p.Script
	case 4:
		return &p.Stdin
	case 5:
		return &p.Pipe
	case 7:
		return &p.Dir
	case 8:
		return &p.Timeout
	case 10:
		return &p.Suspend
	case 11:
		return &p.Keep
	case 12:
		return &p.Slice
	case 13:
		return &p.Taken
	}
	return nil
}

func (p *StepParams) at(key uint64) any {
	switch key {
	case 1:
		return &p.Sandbox
	case 2:
		return &p.Run
	case 3:
		return &p.Slice
	case 5:
		return &p.Taken
	case 6:
		return &p.Call
	case 7:
		return &p.Stdout
	case 8:
		return &p.Stderr
	case 9:
		return &p.Status
	case 10:
		return &p.Error
	case 11:
		return &p.Number
	}
	return nil
}

func (p *AnswerParams) at(key uint64) any {
	switch key {
	case 1:
		return &p.Sandbox
	case 2:
		return &p.Run
	case 3:
		return &p.Call
	case 4:
		return &p.Stdout
	case 5:
		return &p.Stderr
	case 6:
		return &p.Status
	case 7:
		return &p.Error
	}
	return nil
}

func (p *RunParams) at(key uint64) any {
	switch key {
	case 1:
		return &p.Sandbox
	case 2:
		return &p.Run
	}
	return nil
}

func (p *SandboxParams) at(key uint64) any {
	if key == 1 {
		return &p.Sandbox
	}
	return nil
}

func (p *CloseParams) at(key uint64) any { return (*SandboxParams)(p).at(key) }

func (p *ExportParams) at(key uint64) any {
	switch key {
	case 1:
		return &p.Sandbox
	case 2:
		return &p.Key
	case 4:
		return &p.Run
	}
	return nil
}

func (p *FromStateParams) at(key uint64) any {
	switch key {
	case 1:
		return (*[]byte)(&p.State)
	case 2:
		return &p.Key
	}
	return nil
}

// Major types of CBOR.
const (
	majorUint = iota
	majorNegative
	majorBytes
	majorText
	majorArray
	majorMap
	_
	majorSimple
)

// quick decodes data into p and reports whether it could. If not, p may hold a part of it.
func quick(data []byte, p quickParams) bool {
	major, fields, data, ok := head(data)
	if !ok || major != majorMap {
		return false
	}
	last := uint64(0)
	for ; fields > 0; fields-- {
		var key, n uint64
		if major, key, data, ok = head(data); !ok || major != majorUint || key <= last {
			return false
		}
		last = key
		if major, n, data, ok = head(data); !ok {
			return false
		}
		text := major == majorBytes || major == majorText
		if text && n > uint64(len(data)) {
			return false
		}
		switch f := p.at(key).(type) {
		case *int64:
			ok = major == majorUint && n <= math.MaxInt64
			*f = int64(n)
		case *int:
			ok = major == majorUint && n <= math.MaxInt
			*f = int(n)
		case *bool:
			ok = major == majorSimple && (n == 20 || n == 21)
			*f = n == 21
		case *string:
			if ok = text; ok {
				*f, data = string(data[:n]), data[n:]
			}
		case *[]byte:
			if ok = major == majorBytes; ok {
				*f, data = append(make([]byte, 0, n), data[:n]...), data[n:]
			}
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return len(data) == 0
}

// head takes the beginning of a value off data. Simple values beyond one byte,
// floating-point numbers and indefinite lengths are not plain.
func head(data []byte) (major byte, n uint64, rest []byte, ok bool) {
	if len(data) == 0 {
		return 0, 0, nil, false
	}
	major, n, data = data[0]>>5, uint64(data[0]&31), data[1:]
	if n < 24 {
		return major, n, data, true
	}
	size := 1 << (n - 24)
	if n > 27 || major == majorSimple || len(data) < size {
		return 0, 0, nil, false
	}
	switch size {
	case 1:
		n = uint64(data[0])
	case 2:
		n = uint64(binary.BigEndian.Uint16(data))
	case 4:
		n = uint64(binary.BigEndian.Uint32(data))
	default:
		n = binary.BigEndian.Uint64(data)
	}
	return major, n, data[size:], true
}

// quickBody is a body with a shortcut.
type quickBody interface{ appendTo(b []byte) []byte }

func (d *Done) appendTo(b []byte) []byte {
	w := openMap(b)
	w.output(&d.Output)
	w.int(3, int64(d.Status))
	w.int(4, d.Steps)
	w.int(5, d.Time)
	w.text(6, d.ErrorClass)
	w.text(7, d.Limit)
	w.bool(8, d.StdoutTruncated)
	w.bool(9, d.StderrTruncated)
	w.texts(10, d.Unsupported)
	w.texts(11, d.ToolErrors)
	return w.b
}

func (s *Slice) appendTo(b []byte) []byte {
	w := openMap(b)
	w.output(&s.Output)
	return w.b
}

func (c *Calls) appendTo(b []byte) []byte {
	w := openMap(b)
	w.output(&c.Output)
	w.calls(3, c.Calls)
	return w.b
}

func (l *Loaded) appendTo(b []byte) []byte {
	w := openMap(b)
	w.output(&l.Output)
	w.key(3)
	w.number(l.Sandbox)
	return w.b
}

func (r *RunInfo) appendTo(b []byte) []byte {
	w := openMap(b)
	w.text(1, r.Run)
	w.text(2, r.Script)
	w.text(3, r.State)
	w.int(4, r.Started)
	w.int(5, r.Steps)
	w.calls(6, r.Calls)
	return w.b
}

func (c *Call) appendTo(b []byte) []byte {
	w := openMap(b)
	w.text(1, c.ID)
	w.text(2, c.Name)
	w.texts(3, c.Args)
	w.bytes(4, c.Stdin)
	w.bytes(5, c.Env)
	w.text(6, c.Dir)
	w.text(7, c.ForkedFrom)
	return w.b
}

// mapWriter appends a struct: a map of less than 24 pairs, without what is zero.
type mapWriter struct {
	b  []byte
	at int // of the map's head, which counts the pairs
}

func openMap(b []byte) mapWriter { return mapWriter{append(b, majorMap<<5), len(b)} }

func (w *mapWriter) head(major byte, n uint64) {
	switch major <<= 5; {
	case n < 24:
		w.b = append(w.b, major|byte(n))
	case n <= math.MaxUint8:
		w.b = append(w.b, major|24, byte(n))
	case n <= math.MaxUint16:
		w.b = binary.BigEndian.AppendUint16(append(w.b, major|25), uint16(n))
	case n <= math.MaxUint32:
		w.b = binary.BigEndian.AppendUint32(append(w.b, major|26), uint32(n))
	default:
		w.b = binary.BigEndian.AppendUint64(append(w.b, major|27), n)
	}
}

func (w *mapWriter) key(key byte) {
	w.b[w.at]++
	w.b = append(w.b, key)
}

func (w *mapWriter) number(n int64) {
	if n < 0 {
		w.head(majorNegative, uint64(-1-n))
		return
	}
	w.head(majorUint, uint64(n))
}

func (w *mapWriter) int(key byte, n int64) {
	if n != 0 {
		w.key(key)
		w.number(n)
	}
}

func (w *mapWriter) bool(key byte, v bool) {
	if v {
		w.key(key)
		w.b = append(w.b, majorSimple<<5|21)
	}
}

func (w *mapWriter) text(key byte, s string) {
	if s != "" {
		w.key(key)
		w.head(majorText, uint64(len(s)))
		w.b = append(w.b, s...)
	}
}

func (w *mapWriter) bytes(key byte, s []byte) {
	if len(s) > 0 {
		w.key(key)
		w.head(majorBytes, uint64(len(s)))
		w.b = append(w.b, s...)
	}
}

func (w *mapWriter) texts(key byte, list []string) {
	if len(list) == 0 {
		return
	}
	w.key(key)
	w.head(majorArray, uint64(len(list)))
	for _, s := range list {
		w.head(majorText, uint64(len(s)))
		w.b = append(w.b, s...)
	}
}

func (w *mapWriter) calls(key byte, list []Call) {
	if len(list) == 0 {
		return
	}
	w.key(key)
	w.head(majorArray, uint64(len(list)))
	for i := range list {
		w.b = list[i].appendTo(w.b)
	}
}

func (w *mapWriter) output(o *Output) {
	w.text(1, o.Run)
	if len(o.Output) == 0 {
		return
	}
	w.key(2)
	w.head(majorArray, uint64(len(o.Output)))
	for _, c := range o.Output {
		w.head(majorArray, 2)
		w.number(int64(c.FD))
		w.head(majorBytes, uint64(len(c.Data)))
		w.b = append(w.b, c.Data...)
	}
}
