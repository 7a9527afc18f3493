package std

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

// grepFile is the file being searched. Buf holds what may still be printed:
// the lines of leading context, then what has not been searched.
type grepFile struct {
	Open    bool   `cbor:"1,keyasint,omitempty"`
	Name    string `cbor:"2,keyasint,omitempty"`
	FD      int    `cbor:"3,keyasint,omitempty"`
	Buf     []byte `cbor:"4,keyasint,omitempty"`
	Pos     int    `cbor:"5,keyasint,omitempty"`  // searched up to here
	Printed int    `cbor:"6,keyasint,omitempty"`  // end of the last line printed; -1 is none
	Base    int64  `cbor:"7,keyasint,omitempty"`  // place of Buf in the file
	Lines   int64  `cbor:"8,keyasint,omitempty"`  // lines that end before Counted
	Counted int    `cbor:"9,keyasint,omitempty"`  // in Buf
	Count   int64  `cbor:"10,keyasint,omitempty"` // lines selected
	Pending int    `cbor:"11,keyasint,omitempty"` // lines of trailing context to print
	Binary  bool   `cbor:"13,keyasint,omitempty"` // it has a NUL: they end lines, and no line is printed
	Garbled bool   `cbor:"14,keyasint,omitempty"` // a selected line was not printed: the file is binary, or the line not UTF-8
	Width   int    `cbor:"15,keyasint,omitempty"` // of offsets with -T
	Same    bool   `cbor:"16,keyasint,omitempty"` // standard output
	Done    int64  `cbor:"17,keyasint,omitempty"` // place in the file after the last selected line
	Until   int    `cbor:"19,keyasint,omitempty"` // end of the lines in Buf that a turn did not get through; 0 is none
	// Parts are the beginning of a long line, before Buf: all places are 0 or none, as if Buf began with them.
	Parts [][]byte `cbor:"20,keyasint,omitempty"`

	eof bool // the last read said so; what is left then is one line, which takes no other turn
}

// begin takes a file.
func (p *grepProgram) begin(c *cmd.Ctx, name string, fd int) {
	buf := p.File.Buf[:0]
	p.File = grepFile{Open: true, Name: name, FD: fd, Buf: buf, Printed: -1}
	if name == "(standard input)" && fd == 0 && p.o.style.label != "" {
		p.File.Name = p.o.style.label
	}
	in, err := c.Fstat(fd)
	if err != nil {
		return
	}
	if p.o.style.tab {
		n := uint64(1<<63 - 1)
		if in.Mode.IsRegular() {
			n = uint64(in.Size)
			if p.o.style.number {
				n++
			}
		}
		p.File.Width = len(strconv.FormatUint(n, 10))
	}
	if fd == 0 && in.Mode.IsRegular() {
		if at, err := c.Seek(fd, 0, 1); err == nil {
			p.File.Base = at
		}
	}
	if !p.o.quiet && (p.o.max < 0 || p.o.max > 1) && in.Mode.IsRegular() {
		if out, err := c.Fstat(1); err == nil && out.Ino == in.Ino && out.Mode.IsRegular() {
			p.File.Same = true
		}
	}
}

// search reads once and searches the whole lines that are there.
func (p *grepProgram) search(c *cmd.Ctx) cmd.Next {
	f := &p.File
	if f.Same {
		p.Failed = true
		if !p.o.noMessages {
			c.Flush()
			c.Errorf("%s: input file is also the output", f.Name)
		}
		p.close(c)
		return cmd.Again()
	}
	if p.o.max == 0 {
		p.finish(c)
		return cmd.Again()
	}
	to := f.Until
	if to == 0 {
		if next, ok := p.fill(c); !ok {
			return next
		}
		to = len(f.Buf)
	}
	if !f.eof && f.Until == 0 {
		i := bytes.LastIndexByte(f.Buf[max(f.Pos, p.fresh):], p.o.eol)
		if i < 0 {
			p.fresh = len(f.Buf)
			f.aside(c.Turn(longLine))
			if len(f.Buf) == 0 {
				p.fresh = 0
			}
			return cmd.Again()
		}
		to = max(f.Pos, p.fresh) + i + 1 + f.gather(c)
		p.fresh = 0
	}
	p.spent, p.most = 0, c.Turn(grepTurn)
	stop, err := p.lines(c, to)
	if err != nil {
		p.exceeded(c)
		p.close(c)
		return cmd.Again()
	}
	if f.Until = 0; !stop && f.Pos < to {
		f.Until = to // the rest in another turn
	}
	if c.Out.Len() > 0 && p.o.style.flush {
		c.Flush()
	}
	if p.o.silent && p.Matched {
		return cmd.Exit(0)
	}
	if f.Until > 0 {
		return cmd.Again()
	}
	if stop || f.eof {
		p.finish(c)
		return cmd.Again()
	}
	p.trim()
	return cmd.Again()
}

// longLine is how much of a line is set aside at a time.
const longLine = 1 << 20

// aside puts what is there to the parts of a long line, if nothing before the line is needed any more.
func (f *grepFile) aside(most int) {
	if len(f.Buf) >= most && f.Pos == 0 && f.Printed <= 0 && f.Counted == 0 {
		f.Parts = append(f.Parts, f.Buf)
		f.Buf = nil
	}
}

// gather puts a long line together again, and gives how long its parts were.
func (f *grepFile) gather(m large.Meter) int {
	if len(f.Parts) == 0 {
		return 0
	}
	n := f.held() - len(f.Buf)
	f.Buf, f.Parts = large.Whole(f.Parts, f.Buf, cmd.Turn, m), nil
	return n
}

// held is how many bytes it holds.
func (f *grepFile) held() int { return large.Size(f.Parts, f.Buf) }

// fill reads into Buf.
func (p *grepProgram) fill(c *cmd.Ctx) (cmd.Next, bool) {
	f := &p.File
	n := len(f.Buf)
	if n > cmd.Turn || len(f.Parts) > 0 {
		c.Hold(f.held() + len(p.Patterns.Keys))
	}
	var err error
	f.Buf, err = c.ReadMore(f.FD, f.Buf)
	switch err {
	case nil:
	case io.EOF:
		f.eof = true
		n += f.gather(c)
		if n := len(f.Buf); n > f.Pos && f.Buf[n-1] != p.o.eol {
			f.Buf = append(f.Buf, p.o.eol)
		}
	case cmd.ErrBlocked:
		return cmd.WaitRead(f.FD), false
	default:
		p.complain(c, f.Name, err)
		p.close(c)
		return cmd.Again(), false
	}
	if p.o.binary == grepText || p.o.eol == 0 {
		return cmd.Next{}, true
	}
	fresh := f.Buf[n:]
	if !f.Binary {
		if bytes.IndexByte(fresh, 0) < 0 {
			return cmd.Next{}, true
		}
		if p.o.binary == grepWithoutMatch {
			f.Count = 0
			p.finish(c) // -c and -L name it as any without a match
			return cmd.Again(), false
		}
		f.Binary = true
	}
	for i := bytes.IndexByte(fresh, 0); i >= 0; i = bytes.IndexByte(fresh, 0) {
		fresh[i] = p.o.eol
		fresh = fresh[i+1:]
	}
	return cmd.Next{}, true
}

// lines searches Buf up to a place; stop says that the file is done with.
func (p *grepProgram) lines(c *cmd.Ctx, to int) (stop bool, err error) {
	f := &p.File
	text := f.Buf[:to]
	for f.Pos < to {
		if p.o.max >= 0 && f.Count >= p.o.max {
			return p.last(c, to), nil
		}
		if p.spent > p.most {
			return false, nil
		}
		s, e, seen, err := p.find(text, f.Pos)
		if err != nil {
			return true, err
		}
		if !p.o.invert {
			if s < 0 {
				f.Pos = seen
			} else if p.selected(c, s, e+1) {
				return true, nil
			}
			continue
		}
		until := seen
		for f.Pos < until {
			end := f.Pos + bytes.IndexByte(text[f.Pos:until], p.o.eol) + 1
			if p.o.print == grepCounts && p.o.max < 0 { // only their number counts
				f.Count += int64(bytes.Count(text[f.Pos:until], []byte{p.o.eol}))
				p.Matched = true
				f.Pos = until
				break
			}
			if p.selected(c, f.Pos, end) {
				return true, nil
			}
			if p.o.max >= 0 && f.Count >= p.o.max {
				return p.last(c, to), nil
			}
		}
		if s >= 0 {
			p.trailing(c, e+1)
			f.Pos = e + 1
		}
	}
	p.trailing(c, to)
	f.Pos = to
	return false, nil
}

// grepTurn is how many steps of slow matching one turn may take.
const grepTurn = 1 << 18

// find gives the first line that matches, and up to where none does: that is
// less than all of text if the turn is used up.
func (p *grepProgram) find(text []byte, from int) (start, end, seen int, err error) {
	for p.spent <= p.most {
		s, e, sure, err := p.re.FindLine(text, from)
		if err == nil && !sure {
			sure, err = p.re.Confirm(text[s:e])
		}
		p.spent += p.re.Work()
		switch {
		case err != nil:
			return -1, -1, from, err
		case s < 0:
			return -1, -1, len(text), nil
		case sure:
			return s, e, s, nil
		}
		from = e + 1
	}
	return -1, -1, min(from, len(text)), nil
}

// selected takes a selected line; it is true when no more are wanted.
func (p *grepProgram) selected(c *cmd.Ctx, s, e int) bool {
	f := &p.File
	f.Count++
	p.Matched = true
	if p.o.quiet || f.Binary {
		f.Pos = e
		if f.Binary && !p.o.quiet {
			f.Garbled, p.Used = true, true
		}
		if f.Garbled || p.o.print == grepListed || p.o.print == grepOthers || p.o.silent {
			return true
		}
		if p.o.max >= 0 && f.Count >= p.o.max {
			f.Done = f.Base + int64(e)
			return true
		}
		return false
	}
	p.trailing(c, s)
	from := s
	for n := p.o.before; n > 0 && from > max(f.Printed, 0); n-- {
		from = bytes.LastIndexByte(f.Buf[:from-1], p.o.eol) + 1
	}
	if (p.o.before >= 0 || p.o.after >= 0) && p.Used && from != f.Printed {
		p.o.style.group(c, p.o.eol)
	}
	for from < s {
		end := from + bytes.IndexByte(f.Buf[from:s], p.o.eol) + 1
		p.line(c, from, end, '-')
		from = end
	}
	p.line(c, s, e, ':')
	p.Used = true
	f.Pos = e
	f.Pending = max(p.o.after, 0)
	if p.o.max >= 0 && f.Count >= p.o.max {
		f.Done = f.Base + int64(e)
		return f.Pending == 0
	}
	return false
}

// last prints the trailing context of the last line that -m allows.
func (p *grepProgram) last(c *cmd.Ctx, to int) (stop bool) {
	p.trailing(c, to)
	p.File.Pos = to
	return p.File.Pending == 0
}

// trailing prints lines of trailing context that end at to or before.
func (p *grepProgram) trailing(c *cmd.Ctx, to int) {
	f := &p.File
	for f.Pending > 0 && f.Printed >= 0 && f.Printed < to {
		end := f.Printed + bytes.IndexByte(f.Buf[f.Printed:to], p.o.eol) + 1
		if !p.line(c, f.Printed, end, '-') {
			f.Pending = 0 // as with GNU: the context ends where it cannot be shown
			return
		}
		f.Pending--
	}
}

// line prints a line with its EOL; it is false for one that is not text.
func (p *grepProgram) line(c *cmd.Ctx, s, e int, sep byte) bool {
	f := &p.File
	text := f.Buf[s : e-1]
	if !p.o.only && p.o.binary != grepText && !c.Bytes() && !utf8.Valid(text) {
		f.Garbled = true
		return false
	}
	f.Printed = e
	if p.o.only && (sep == '-') != p.o.invert {
		return true
	}
	if p.o.style.number {
		f.Lines += int64(bytes.Count(f.Buf[f.Counted:s], []byte{p.o.eol}))
		f.Counted = s
	}
	p.o.style.line(c, p, text, f.Base+int64(s), sep)
	return true
}

// trim forgets what no later line can need.
func (p *grepProgram) trim() {
	f := &p.File
	keep := f.Pos
	for n := p.o.before; n > 0 && keep > max(f.Printed, 0); n-- {
		keep = bytes.LastIndexByte(f.Buf[:keep-1], p.o.eol) + 1
	}
	if f.Pending > 0 && f.Printed >= 0 {
		keep = min(keep, f.Printed)
	}
	if p.o.style.number && f.Counted < keep {
		f.Lines += int64(bytes.Count(f.Buf[f.Counted:keep], []byte{p.o.eol}))
		f.Counted = keep
	}
	n := copy(f.Buf, f.Buf[keep:])
	f.Buf = f.Buf[:n]
	f.Pos -= keep
	f.Base += int64(keep)
	f.Counted = max(f.Counted-keep, 0)
	if f.Printed >= 0 {
		// A line printed and gone is not adjacent to what follows.
		if f.Printed -= keep; f.Printed < 0 {
			f.Printed = -1
		}
	}
}

// finish prints what is said of a file as a whole.
func (p *grepProgram) finish(c *cmd.Ctx) {
	f := &p.File
	s := &p.o.style
	switch {
	case p.o.silent:
	case p.o.print == grepCounts:
		if s.withName(p, c) {
			s.name(c, f.Name, ':')
		}
		c.Out.B = strconv.AppendInt(c.Out.B, f.Count, 10)
		c.Out.WriteByte('\n')
	case p.o.print == grepListed && f.Count > 0, p.o.print == grepOthers && f.Count == 0:
		s.listed(c, f.Name)
	case !p.o.quiet && f.Garbled && p.o.binary == grepBinary:
		c.Flush()
		c.Errorf("%s: binary file matches", f.Name)
	}
	if f.Done > 0 && f.FD == 0 {
		c.Seek(0, f.Done, 0) // for who reads on after -m; not all can
	}
	p.close(c)
}

func (p *grepProgram) close(c *cmd.Ctx) {
	f := &p.File
	if f.Open && f.FD > 0 {
		c.Close(f.FD)
	}
	f.Open = false
	f.Buf, f.Parts, f.Pos, p.fresh = f.Buf[:0], nil, 0, 0
}

// grepStyle is how lines and names are shown.
type grepStyle struct {
	color              bool
	number, bytes      bool
	tab, null, flush   bool
	names              int8 // -1 -h, 1 -H
	label              string
	separator          string
	noSeparator        bool
	fn, ln, bn, se     string
	matchSel, matchCtx string
	lineSel, lineCtx   string
	reverse, noErase   bool
}

// flag reads the flags of output.
func (s *grepStyle) flag(f cmd.Flag) {
	switch f.Name {
	case "n":
		s.number = true
	case "b":
		s.bytes = true
	case "T":
		s.tab = true
	case "Z":
		s.null = true
	case "H":
		s.names = 1
	case "h":
		s.names = -1
	case "label":
		s.label = f.Value
	case "line-buffered":
		s.flush = true
	case "group-separator":
		s.separator, s.noSeparator = f.Value, false
	case "no-group-separator":
		s.noSeparator = true
	}
}

// finish settles colors and separators. What is wrong with them was said when grep had begun.
func (s *grepStyle) finish(c *cmd.Ctx, o *grepOptions, begun bool) {
	if !c.Flags.Has("group-separator") {
		s.separator = "--"
	}
	s.fn, s.ln, s.bn, s.se = "35", "32", "32", "36"
	s.matchSel, s.matchCtx = "01;31", "01;31"
	if !s.color {
		return
	}
	if old, ok := c.Getenv("GREP_COLOR"); ok && old != "" {
		if !begun {
			c.Errorf("warning: GREP_COLOR='%s' is deprecated; use GREP_COLORS='mt=%s'", old, old)
		}
		s.matchSel, s.matchCtx = old, old
	}
	env, _ := c.Getenv("GREP_COLORS")
	for _, part := range strings.Split(env, ":") {
		name, value, _ := strings.Cut(part, "=")
		if strings.Trim(value, "0123456789;") != "" {
			break
		}
		switch name {
		case "fn":
			s.fn = value
		case "ln":
			s.ln = value
		case "bn":
			s.bn = value
		case "se":
			s.se = value
		case "ms":
			s.matchSel = value
		case "mc":
			s.matchCtx = value
		case "mt":
			s.matchSel, s.matchCtx = value, value
		case "sl":
			s.lineSel = value
		case "cx":
			s.lineCtx = value
		case "rv":
			s.reverse = true
		case "ne":
			s.noErase = true
		}
	}
	if s.reverse && o.invert {
		s.lineSel, s.lineCtx = s.lineCtx, s.lineSel
	}
}

func (s *grepStyle) on(c *cmd.Ctx, sgr string) {
	if s.color && sgr != "" {
		c.Out.WriteString("\x1b[" + sgr + "m")
		if !s.noErase {
			c.Out.WriteString("\x1b[K")
		}
	}
}

func (s *grepStyle) off(c *cmd.Ctx, sgr string) {
	if s.color && sgr != "" {
		c.Out.WriteString("\x1b[m")
		if !s.noErase {
			c.Out.WriteString("\x1b[K")
		}
	}
}

func (s *grepStyle) sep(c *cmd.Ctx, sep byte) {
	s.on(c, s.se)
	c.Out.WriteByte(sep)
	s.off(c, s.se)
}

// withName reports whether lines have the name of the file before them.
func (s *grepStyle) withName(p *grepProgram, c *cmd.Ctx) bool {
	if s.names != 0 {
		return s.names > 0
	}
	n := len(c.Args)
	if !c.Flags.Has("e") && !c.Flags.Has("f") {
		n--
	}
	return n > 1 || len(p.Dirs) > 0
}

func (s *grepStyle) name(c *cmd.Ctx, name string, sep byte) {
	s.on(c, s.fn)
	c.Out.WriteString(name)
	s.off(c, s.fn)
	if s.null {
		c.Out.WriteByte(0)
	} else {
		s.sep(c, sep)
	}
}

func (s *grepStyle) listed(c *cmd.Ctx, name string) {
	s.on(c, s.fn)
	c.Out.WriteString(name)
	s.off(c, s.fn)
	if s.null {
		c.Out.WriteByte(0)
	} else {
		c.Out.WriteByte('\n')
	}
}

// group separates groups of lines.
func (s *grepStyle) group(c *cmd.Ctx, eol byte) {
	if s.noSeparator {
		return
	}
	s.on(c, s.se)
	c.Out.WriteString(s.separator)
	s.off(c, s.se)
	c.Out.WriteByte('\n')
}

func (s *grepStyle) offset(c *cmd.Ctx, n int64, width int, sgr string) {
	s.on(c, sgr)
	digits := strconv.FormatInt(n, 10)
	for i := len(digits); i < width; i++ {
		c.Out.WriteByte(' ')
	}
	c.Out.WriteString(digits)
	s.off(c, sgr)
}

// head prints what stands before a line, or before a match with -o.
func (s *grepStyle) head(c *cmd.Ctx, p *grepProgram, at int64, sep byte, empty bool) {
	named := s.withName(p, c)
	if named {
		s.name(c, p.File.Name, sep)
	}
	if s.number {
		s.offset(c, p.File.Lines+1, p.File.Width, s.ln)
		s.sep(c, sep)
	}
	if s.bytes {
		s.offset(c, at, p.File.Width, s.bn)
		s.sep(c, sep)
	}
	if s.tab && (named || s.number || s.bytes) && !empty {
		c.Out.WriteByte('\t')
	}
}

// line prints a line, or its matches with -o.
func (s *grepStyle) line(c *cmd.Ctx, p *grepProgram, text []byte, at int64, sep byte) {
	matching := (sep == ':') != p.o.invert
	lineSGR, matchSGR := s.lineSel, s.matchSel
	if sep == '-' {
		lineSGR, matchSGR = s.lineCtx, s.matchCtx
	}
	if !p.o.only {
		s.head(c, p, at, sep, len(text) == 0)
	}
	cur := 0
	if matching && (p.o.only || s.color && matchSGR != "") {
		var loc [2]int
		for from := 0; from <= len(text); {
			ok, err := p.re.Find(text, from, loc[:])
			if err != nil {
				p.exceeded(c)
				break
			}
			if !ok || loc[0] >= len(text) {
				break
			}
			if loc[0] == loc[1] {
				_, n := utf8.DecodeRune(text[loc[0]:])
				if c.Bytes() {
					n = 1
				}
				from = loc[0] + max(n, 1)
				continue
			}
			if p.o.only {
				p.piece(c, text[loc[0]:loc[1]], at+int64(loc[0]), sep, matchSGR)
			} else {
				s.on(c, lineSGR)
				c.Out.Write(text[cur:loc[0]])
				if loc[0] > cur {
					s.off(c, lineSGR)
				}
				s.on(c, matchSGR)
				c.Out.Write(text[loc[0]:loc[1]])
				s.off(c, matchSGR)
			}
			cur = loc[1]
			from = cur
		}
	}
	if p.o.only {
		return
	}
	if s.color && lineSGR != "" && cur < len(text) {
		s.on(c, lineSGR)
		c.Out.Write(text[cur:])
		s.off(c, lineSGR)
	} else {
		c.Out.Write(text[cur:])
	}
	c.Out.WriteByte(p.o.eol)
}

// piece prints a match of -o.
func (p *grepProgram) piece(c *cmd.Ctx, text []byte, at int64, sep byte, sgr string) {
	if p.o.binary != grepText && !c.Bytes() && !utf8.Valid(text) {
		p.File.Garbled = true
		return
	}
	s := &p.o.style
	s.head(c, p, at, sep, false)
	s.on(c, sgr)
	c.Out.Write(text)
	s.off(c, sgr)
	c.Out.WriteByte(p.o.eol)
}
