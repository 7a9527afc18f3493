package std

import (
	"bytes"
	"strings"

	"eryxsh/core/cmd"
)

func head() *cmd.Command {
	return &cmd.Command{
		Name: "head", Summary: "print the first 10 lines of each FILE to standard output",
		Usage: "head [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'c', Long: "bytes", Arg: cmd.Required, Meta: "[-]NUM", Help: "print the first NUM bytes of each file; with the leading '-', all but the last NUM bytes"},
			{Short: 'n', Long: "lines", Arg: cmd.Required, Meta: "[-]NUM", Help: "print the first NUM lines instead of the first 10; with the leading '-', all but the last NUM lines"},
			{Short: 'q', Long: "quiet", Help: "never print headers giving file names"},
			{Short: 'q', Long: "silent", Help: "same as --quiet"},
			{Short: 'v', Long: "verbose", Help: "always print headers giving file names"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		},
		Class:     cmd.Step,
		Obsolete:  headObsolete,
		OpenError: "cannot open 'NAME' for reading: WHY",
		ReadError: "error reading 'NAME': WHY",
		New:       func() cmd.Program { return &headProgram{} },
	}
}

// headObsolete reads -5, -5c, -2kv as first argument.
func headObsolete(_ *cmd.Ctx, args []string) []string {
	if len(args) == 0 || len(args[0]) < 2 || args[0][0] != '-' {
		return args
	}
	i := 1
	for i < len(args[0]) && args[0][i] >= '0' && args[0][i] <= '9' {
		i++
	}
	if i == 1 {
		return args
	}
	opt, unit := "-n", ""
	var more []string
	for _, b := range []byte(args[0][i:]) {
		switch b {
		case 'c':
			opt = "-c"
		case 'b', 'k', 'm':
			opt, unit = "-c", string(b)
		case 'l':
			opt = "-n"
		case 'q', 'v', 'z':
			more = append(more, "-"+string(b))
		default:
			return args
		}
	}
	return append(append([]string{opt + args[0][1:i] + unit}, more...), args[1:]...)
}

// headProgram prints the first or all but the last lines or bytes of each file.
type headProgram struct {
	In     cmd.Input  `cbor:"1,keyasint,omitempty"`
	Left   int64      `cbor:"2,keyasint,omitempty" holds:"count"` // still to print of this file
	Keep   lineWindow `cbor:"3,keyasint,omitempty"`               // the last ones, of a negative NUM
	Titled int        `cbor:"4,keyasint,omitempty" holds:"count"` // operands whose header was considered
	Wrote  bool       `cbor:"5,keyasint,omitempty"`               // a header was printed

	opt *headOptions
}

type headOptions struct {
	bytes, elide, title bool
	num                 int64
	delim               byte
}

func (p *headProgram) options(c *cmd.Ctx) bool {
	o := &headOptions{num: 10, delim: '\n', title: len(c.Args) > 1}
	for _, f := range c.Flags {
		switch f.Name {
		case "c", "n":
			var ok bool
			o.bytes = f.Name == "c"
			what := "invalid number of lines"
			if o.bytes {
				what = "invalid number of bytes"
			}
			var v string
			v, o.elide = strings.CutPrefix(f.Value, "-")
			if o.num, ok = count(c, what, strings.TrimPrefix(v, "+")); !ok {
				return false
			}
		case "q":
			o.title = false
		case "v":
			o.title = true
		case "z":
			o.delim = 0
		}
	}
	p.opt = o
	return true
}

func (p *headProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil && !p.options(c) {
		return cmd.Exit(1)
	}
	o := p.opt
	next, ok := p.In.Turn(c)
	if p.In.Count > p.Titled && (ok || next.Op == cmd.OpWaitRead || next.Op == cmd.OpAgain) {
		p.Titled = p.In.Count
		p.Left, p.Keep = o.num, lineWindow{}
		fileTitle(c, &p.In.Operands, o.title, &p.Wrote)
	}
	if p.In.Opened && !o.elide && p.Left == 0 {
		p.finish(c)
		return cmd.Again()
	}
	if !ok {
		return next
	}
	switch {
	case o.bytes && o.elide:
		p.Keep.bytes(&c.Out, p.In.Take(), o.num)
	case o.bytes:
		data := p.In.Rest()
		data = data[:min(int64(len(data)), p.Left)]
		c.Out.Write(data)
		p.In.Skip(len(data))
		p.Left -= int64(len(data))
	case o.elide:
		p.Keep.lines(&c.Out, p.In.Take(), o.num, o.delim, p.In.EOF)
	default:
		p.lines(c, o.delim)
	}
	if o.elide && p.In.EOF { // who reads on gets what was kept back
		if n := p.Keep.size(); n > 0 {
			c.Seek(p.In.FD, int64(-n), 1) //nolint:errcheck // a pipe cannot
		}
		p.Keep = lineWindow{}
	}
	p.In.Kept = p.Keep.size()
	if !o.elide && p.Left == 0 {
		p.finish(c)
	}
	return cmd.Again()
}

// lines prints what is there of the first lines.
func (p *headProgram) lines(c *cmd.Ctx, delim byte) {
	data := p.In.Rest()
	n := 0
	for p.Left > 0 && n < len(data) {
		i := bytes.IndexByte(data[n:], delim)
		if i < 0 {
			n = len(data)
			break
		}
		n += i + 1
		p.Left--
	}
	c.Out.Write(data[:n])
	p.In.Skip(n)
}

// finish leaves a file of which enough was read. What was read too much is
// given back, so that another program can go on reading after head.
func (p *headProgram) finish(c *cmd.Ctx) {
	p.In.GiveBack(c)
	p.In.Operands.Close(c)
	p.In.Reset()
}

// fileTitle prints the header of the open file, after a blank line if it is not the first.
func fileTitle(c *cmd.Ctx, o *cmd.Operands, on bool, wrote *bool) {
	if !on {
		return
	}
	if *wrote {
		c.Out.WriteByte('\n')
	}
	*wrote = true
	name := o.Name(c)
	if name == "-" {
		name = "standard input"
	}
	c.Out.WriteString("==> " + name + " <==\n")
}

// lineWindow holds the last lines or bytes of a stream.
type lineWindow struct {
	Parts [][]byte `cbor:"1,keyasint,omitempty"`
	Pos   int      `cbor:"2,keyasint,omitempty"` // in the first part
	Count int64    `cbor:"3,keyasint,omitempty"` // line ends in it

	spare []byte // a part that is used no more
}

// Wrong checks that there is something in each part.
func (w *lineWindow) Wrong(*cmd.Ctx) string {
	for _, part := range w.Parts {
		if len(part) == 0 {
			return "an empty part of a text"
		}
	}
	if w.Pos != 0 && (len(w.Parts) == 0 || w.Pos < 0 || w.Pos >= len(w.Parts[0])) {
		return "a place outside a text"
	}
	return ""
}

// windowPart is how much of a window is in one piece, at least.
const windowPart = 1 << 18

// add appends data.
func (w *lineWindow) add(data []byte) {
	if len(data) == 0 {
		return
	}
	n := len(w.Parts)
	if n == 0 || len(w.Parts[n-1]) >= windowPart {
		w.Parts = append(w.Parts, w.spare[:0])
		w.spare = nil
		n++
	}
	w.Parts[n-1] = append(w.Parts[n-1], data...)
}

// size is how many bytes are in it.
func (w *lineWindow) size() int {
	n := -w.Pos
	for _, part := range w.Parts {
		n += len(part)
	}
	return n
}

// front is the beginning of what is in it, nil if there is nothing.
func (w *lineWindow) front() []byte {
	if len(w.Parts) == 0 {
		return nil
	}
	return w.Parts[0][w.Pos:]
}

// drop takes n bytes of the front away.
func (w *lineWindow) drop(n int) {
	if w.Pos += n; w.Pos == len(w.Parts[0]) {
		w.spare = w.Parts[0]
		w.Parts, w.Pos = w.Parts[1:], 0
	}
}

// bare reports whether it ends without a line end.
func (w *lineWindow) bare(delim byte) bool {
	n := len(w.Parts)
	return n > 0 && w.Parts[n-1][len(w.Parts[n-1])-1] != delim
}

// bytes writes all but the last n bytes, or forgets them if out is nil.
func (w *lineWindow) bytes(out *cmd.Buffer, data []byte, n int64) {
	w.add(data)
	for over := int64(w.size()) - n; over > 0; {
		some := w.front()
		some = some[:min(int64(len(some)), over)]
		if out != nil {
			out.Write(some)
		}
		over -= int64(len(some))
		w.drop(len(some))
	}
}

// lines writes all but the last n lines; the rest after the last line end counts as one at the end.
func (w *lineWindow) lines(out *cmd.Buffer, data []byte, n int64, delim byte, end bool) {
	w.add(data)
	w.Count += int64(bytes.Count(data, []byte{delim}))
	bare := end && w.bare(delim)
	for w.front() != nil && (n == 0 || w.over(n, bare)) {
		w.line(out, delim)
	}
}

// last forgets all but the last n lines; the bytes after the last line end are one of them.
func (w *lineWindow) last(data []byte, n int64, delim byte) {
	w.add(data)
	w.Count += int64(bytes.Count(data, []byte{delim}))
	bare := w.bare(delim)
	for w.front() != nil && w.over(n, bare) {
		w.line(nil, delim)
	}
}

// over reports whether there are more than n lines.
func (w *lineWindow) over(n int64, bare bool) bool {
	have := w.Count
	if bare {
		have++
	}
	return have > n
}

// line takes the first line, or what the first part has of it.
func (w *lineWindow) line(out *cmd.Buffer, delim byte) {
	some := w.front()
	if i := bytes.IndexByte(some, delim); i >= 0 {
		some = some[:i+1]
		w.Count--
	}
	if out != nil {
		out.Write(some)
	}
	w.drop(len(some))
}
