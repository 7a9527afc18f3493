package rg

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/regex"
	"eryxsh/vfs"
)

// Program is a running rg.
type Program struct {
	Patterns []string `cbor:"1,keyasint,omitempty"`               // of files
	Flag     int      `cbor:"2,keyasint,omitempty" holds:"count"` // options looked at for files of patterns
	FD       int      `cbor:"3,keyasint,omitempty" holds:"count"` // of one being read
	Opened   bool     `cbor:"4,keyasint,omitempty"`
	Operand  int      `cbor:"5,keyasint,omitempty"`
	Levels   []Level  `cbor:"6,keyasint,omitempty"` // directories, the innermost last
	Above    []Level  `cbor:"7,keyasint,omitempty"` // those above the operand that have rules
	File     File     `cbor:"9,keyasint,omitempty"`
	Matched  bool     `cbor:"10,keyasint,omitempty"`
	Failed   bool     `cbor:"11,keyasint,omitempty"`
	Used     bool     `cbor:"12,keyasint,omitempty"` // something was printed
	Searched bool     `cbor:"13,keyasint,omitempty"` // a file was

	o     *options
	re    *regex.Regexp
	paths []string
	stdin int // 1 nothing was said and it is searched, 2 the directory is
	loc   []int
}

// Wrong checks the operand.
func (p *Program) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.Operand) }

// File is the file being searched.
type File struct {
	Open    bool      `cbor:"1,keyasint,omitempty"`
	Name    string    `cbor:"2,keyasint,omitempty"`
	FD      int       `cbor:"3,keyasint,omitempty" holds:"count"`
	Given   bool      `cbor:"4,keyasint,omitempty"` // on the command line
	Lines   cmd.Lines `cbor:"5,keyasint,omitempty"`
	Line    int64     `cbor:"6,keyasint,omitempty"` // number of the last one taken
	At      int64     `cbor:"7,keyasint,omitempty"` // where the next begins
	Count   int64     `cbor:"8,keyasint,omitempty"` // lines that matched
	Matches int64     `cbor:"9,keyasint,omitempty"`
	Before  []Line    `cbor:"10,keyasint,omitempty"`               // lines that may become context
	After   int       `cbor:"11,keyasint,omitempty" holds:"count"` // lines of context to print
	Last    int64     `cbor:"12,keyasint,omitempty"`               // number of the last line printed
	Shown   bool      `cbor:"13,keyasint,omitempty"`               // a line of it was printed
	NUL     int64     `cbor:"14,keyasint,omitempty"`               // 1 + where the first NUL is
}

// Line is a line that was read.
type Line struct {
	N    int64  `cbor:"1,keyasint,omitempty"`
	At   int64  `cbor:"2,keyasint,omitempty"`
	Text []byte `cbor:"3,keyasint,omitempty"`
}

// Step searches for a turn.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if c.Flags.Has("type-list") {
		for _, line := range strings.SplitAfter(types, "\n") {
			c.Out.WriteString(line)
		}
		return cmd.Exit(0)
	}
	if p.Flag < len(c.Flags) {
		return p.gather(c)
	}
	if p.o == nil {
		o, status := read(c, p.Patterns)
		if status != 0 {
			return cmd.Exit(status)
		}
		p.o = o
	}
	if p.re == nil && p.o.show != 'f' {
		if status := p.compile(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if p.paths == nil {
		p.paths = p.operands(c)
	}
	if p.re != nil {
		defer func() { c.Charge(p.re.Work() / 8) }()
	}
	if p.File.Open {
		return p.search(c)
	}
	return p.advance(c)
}

// gather reads the files of -f and --ignore-file.
func (p *Program) gather(c *cmd.Ctx) cmd.Next {
	f := c.Flags[p.Flag]
	if f.Name != "f" {
		if f.Name == "ignore-file" {
			return cmd.Exit(c.NotYet("option --ignore-file"))
		}
		p.Flag++
		return cmd.Again()
	}
	if !p.Opened {
		p.FD = 0
		if f.Value != "-" {
			fd, err := c.Open(f.Value, vfs.O_RDONLY, 0)
			if err != nil {
				c.Errorf("%s: %s (os error %d)", f.Value, err, errno(err))
				return cmd.Exit(2)
			}
			p.FD = fd
		}
		p.Opened = true
	}
	switch err := p.File.Lines.Fill(c, p.FD); err {
	case nil:
		return cmd.Again()
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	}
	if text := strings.TrimSuffix(string(p.File.Lines.Take()), "\n"); text != "" {
		p.Patterns = append(p.Patterns, strings.Split(text, "\n")...)
	}
	if p.FD > 0 {
		c.Close(p.FD)
	}
	p.File.Lines, p.Opened = cmd.Lines{}, false
	p.Flag++
	return cmd.Again()
}

func (p *Program) compile(c *cmd.Ctx) int {
	if p.o.syntax == regex.Perl && !c.Flags.Has("P") && !c.Flags.Has("w") && !c.Flags.Has("F") {
		if why := refused(p.o.pattern); why != "" {
			c.Errout.WriteString("regex parse error:\n    " + p.o.pattern + "\nerror: " + why + "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around.\n")
			return 2
		}
	}
	re, err := regex.Compile([]byte(p.o.pattern), regex.Options{Syntax: p.o.syntax, Fold: p.o.fold, NoSub: p.o.replace == nil, Steps: c.RegexSteps(), Charge: c.Charge, Need: c.Need})
	if err != nil {
		c.Errout.WriteString("regex parse error:\n    " + p.o.pattern + "\nerror: " + err.Error() + "\n")
		return 2
	}
	p.re = re
	p.loc = make([]int, 2*(re.NumSubexp()+1))
	return 0
}

// operands are what is searched: standard input if nothing is said and it can be read, the directory if it cannot.
func (p *Program) operands(c *cmd.Ctx) []string {
	if len(p.o.paths) > 0 {
		return p.o.paths
	}
	if p.stdin == 0 {
		p.stdin = 2
		if st, err := c.Fstat(0); err == nil && p.o.show != 'f' && (st.Mode.IsRegular() || st.Mode&vfs.TypeMask == vfs.TypeFifo) {
			p.stdin = 1
		}
	}
	if p.stdin == 1 {
		return []string{"-"}
	}
	return []string{"./"}
}

func (p *Program) open(c *cmd.Ctx, name string, fd int, given bool) {
	p.File = File{Open: true, Name: name, FD: fd, Given: given, Lines: cmd.Lines{Buf: p.File.Lines.Buf[:0]}}
	p.Searched = true
}

// search reads once and searches the lines that are there.
func (p *Program) search(c *cmd.Ctx) cmd.Next {
	f := &p.File
	f.Lines.Goes(c)
	if !f.Lines.More {
		switch err := f.Lines.Fill(c, f.FD); err {
		case nil, io.EOF:
		case cmd.ErrBlocked:
			return cmd.WaitRead(f.FD)
		default:
			p.complain(c, f.Name, err)
			p.close(c)
			return cmd.Again()
		}
		if p.o.show == 0 || p.o.show == 'c' || p.o.show == 'm' || p.o.show == 'l' || p.o.show == 'L' {
			if p.binary(c) {
				p.close(c)
				return cmd.Again()
			}
		}
	}
	for work := c.Turn(cmd.Turn); work > 0; {
		text, ok := f.Lines.Next('\n')
		if !ok {
			break
		}
		f.Line++
		at := f.At
		f.At += int64(len(text)) + 1
		work -= len(text) + 16
		if p.line(c, Line{f.Line, at, text}) {
			p.finish(c)
			if p.o.quiet && p.Matched {
				return p.exit(c)
			}
			return cmd.Again()
		}
	}
	if f.Lines.Ended() {
		p.finish(c)
	}
	return cmd.Again()
}

// binary looks for a NUL in what was read: a file that has one is left, unless it was named.
func (p *Program) binary(c *cmd.Ctx) bool {
	f := &p.File
	if p.o.text || f.NUL > 0 {
		return false
	}
	fresh := f.Lines.Buf[f.Lines.Pos:] // what is set aside of a long line was looked at
	i := bytes.IndexByte(fresh, 0)
	if i < 0 {
		return false
	}
	f.NUL = f.At + int64(f.Lines.Size()-len(f.Lines.Buf)+i) + 1
	if f.Given || p.o.binary {
		return false
	}
	if f.Shown {
		c.Out.WriteString(p.prefix() + "WARNING: stopped searching binary file after match (found \"\\0\" byte around offset " + strconv.FormatInt(f.NUL-1, 10) + ")\n")
	}
	return true
}

func (p *Program) prefix() string {
	if p.named() {
		return p.File.Name + ": "
	}
	return ""
}

// named reports whether names of files are shown.
func (p *Program) named() bool {
	if p.o.names != 0 {
		return p.o.names > 0
	}
	return len(p.paths) > 1 || len(p.Levels) > 0
}

// find gives the first match of a line from a place on.
func (p *Program) find(text []byte, from int) bool {
	ok, err := p.re.Find(text, from, p.loc)
	return ok && err == nil
}

// line takes a line; it is true when no more of the file are wanted.
func (p *Program) line(c *cmd.Ctx, l Line) (stop bool) {
	f := &p.File
	text := l.Text
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	if p.o.max >= 0 && f.Count >= p.o.max {
		if f.After == 0 {
			return true
		}
	} else if p.matches(text) != p.o.invert {
		f.Count++
		p.Matched = true
		switch {
		case p.o.quiet || p.o.show == 'l' || p.o.show == 'L':
			return true
		case p.o.show == 'c':
			return p.o.max >= 0 && f.Count >= p.o.max
		case p.o.show == 'm':
			p.count(text)
			return p.o.max >= 0 && f.Count >= p.o.max
		case f.NUL > 0 && !p.o.text:
			c.Out.WriteString(p.prefix() + "binary file matches (found \"\\0\" byte around offset " + strconv.FormatInt(f.NUL-1, 10) + ")\n")
			f.Shown = true
			return true
		}
		p.selected(c, l)
		return p.o.max >= 0 && f.Count >= p.o.max && f.After == 0
	}
	if p.o.show != 0 || p.o.quiet || f.NUL > 0 {
		return false
	}
	switch {
	case f.After > 0 || p.o.passthru:
		f.After = max(f.After-1, 0)
		p.print(c, l, '-')
	case p.o.before > 0:
		if len(f.Before) == p.o.before {
			f.Before = append(f.Before[:0], f.Before[1:]...)
		}
		f.Before = append(f.Before, Line{l.N, l.At, append([]byte(nil), l.Text...)})
	}
	return false
}

func (p *Program) matches(text []byte) bool {
	if p.o.replace != nil {
		return p.find(text, 0)
	}
	ok, err := p.re.Match(text)
	return ok && err == nil
}

// each calls f with every match of a line.
func (p *Program) each(text []byte, f func(s, e int)) {
	for from := 0; from <= len(text) && p.find(text, from); {
		s, e := p.loc[0], p.loc[1]
		f(s, e)
		if from = e; s == e {
			_, n := utf8.DecodeRune(text[e:])
			from += max(n, 1)
		}
	}
}

func (p *Program) count(text []byte) {
	if p.o.invert {
		p.File.Matches++
		return
	}
	p.each(text, func(int, int) { p.File.Matches++ })
}

// selected prints a line that matched, and the context before it.
func (p *Program) selected(c *cmd.Ctx, l Line) {
	f := &p.File
	for _, b := range f.Before {
		p.print(c, b, '-')
	}
	f.Before = f.Before[:0]
	p.print(c, l, ':')
	f.After = p.o.after
}

// print shows a line; sep is ':' behind what stands before a match, '-' of context.
func (p *Program) print(c *cmd.Ctx, l Line, sep byte) {
	f, o := &p.File, p.o
	context := o.before > 0 || o.after > 0
	switch {
	case o.heading && !f.Shown && p.named():
		if p.Used {
			c.Out.WriteByte('\n')
		}
		p.name(c, '\n')
	case context && o.separated && p.Used && (!f.Shown && !o.heading || f.Shown && f.Last+1 < l.N):
		c.Out.WriteString(o.separator + "\n")
	}
	f.Shown, p.Used, f.Last = true, true, l.N
	text := l.Text
	match := sep == ':' && !o.invert
	switch {
	case match && (o.only || o.each):
		p.each(text, func(s, e int) {
			piece := text[s:e]
			if o.replace != nil {
				piece = p.replaced(nil, text)
			}
			if o.each && !o.only {
				piece = text
			}
			p.head(c, l, sep, s)
			c.Out.Write(piece)
			c.Out.WriteByte('\n')
		})
		return
	case match && o.replace != nil:
		var out []byte
		last, first := 0, -1
		p.each(text, func(s, e int) {
			if first < 0 {
				first = s
			}
			out = p.replaced(append(out, text[last:s]...), text)
			last = e
		})
		p.head(c, l, sep, max(first, 0))
		text = append(out, text[last:]...)
	default:
		at := -1
		if match && o.columns && p.find(text, 0) {
			at = p.loc[0]
		}
		p.head(c, l, sep, at)
	}
	if o.trim {
		text = bytes.TrimLeft(text, " \t")
	}
	c.Out.Write(text)
	c.Out.WriteByte('\n')
}

// head prints what stands before a line: name, number, column, offset.
func (p *Program) head(c *cmd.Ctx, l Line, sep byte, at int) {
	if p.named() && !p.o.heading {
		p.name(c, sep)
	}
	number := func(n int64) {
		c.Out.B = append(strconv.AppendInt(c.Out.B, n, 10), sep)
	}
	if p.o.numbers {
		number(l.N)
	}
	if p.o.columns && at >= 0 {
		number(int64(at) + 1)
	}
	if p.o.offsets {
		if p.o.only {
			number(l.At + int64(max(at, 0)))
		} else {
			number(l.At)
		}
	}
}

func (p *Program) name(c *cmd.Ctx, end byte) {
	c.Out.WriteString(p.File.Name)
	if p.o.null {
		end = 0
	}
	c.Out.WriteByte(end)
}

// replaced appends what -r makes of the match in loc: $1, $name and ${…} stand for groups, $$ for a dollar.
func (p *Program) replaced(out, text []byte) []byte {
	with := *p.o.replace
	for i := 0; i < len(with); i++ {
		if with[i] != '$' || i+1 == len(with) {
			out = append(out, with[i])
			continue
		}
		if with[i+1] == '$' {
			out = append(out, '$')
			i++
			continue
		}
		name, n := "", 0
		if with[i+1] == '{' {
			if end := strings.IndexByte(with[i:], '}'); end > 0 {
				name, n = with[i+2:i+end], end
			}
		} else {
			for n+1 < len(with)-i && isWord(with[i+1+n]) {
				n++
			}
			name = with[i+1 : i+1+n]
		}
		if name == "" {
			out = append(out, '$')
			continue
		}
		i += n
		g, err := strconv.Atoi(name)
		if err != nil {
			g = p.group(name)
		}
		if g >= 0 && 2*g+1 < len(p.loc) && p.loc[2*g] >= 0 {
			out = append(out, text[p.loc[2*g]:p.loc[2*g+1]]...)
		}
	}
	return out
}

// group is the number of a named group of the pattern; -1 if there is none.
func (p *Program) group(name string) int {
	n := 0
	s := p.o.pattern
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[':
			for i++; i < len(s) && s[i] != ']'; i++ {
				if s[i] == '\\' {
					i++
				}
			}
		case s[i] == '(' && (i+1 == len(s) || s[i+1] != '?'):
			n++
		case strings.HasPrefix(s[i:], "(?P<") || strings.HasPrefix(s[i:], "(?<") && !strings.HasPrefix(s[i:], "(?<=") && !strings.HasPrefix(s[i:], "(?<!"):
			n++
			rest := s[i+strings.IndexByte(s[i:], '<')+1:]
			if got, _, _ := strings.Cut(rest, ">"); got == name {
				return n
			}
		}
	}
	return -1
}

func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// finish prints what is said of a file as a whole.
func (p *Program) finish(c *cmd.Ctx) {
	f := &p.File
	n := f.Count
	if p.o.show == 'm' {
		n = f.Matches
	}
	switch {
	case p.o.quiet:
	case p.o.show == 'c' || p.o.show == 'm':
		if n > 0 {
			if p.named() {
				p.name(c, ':')
			}
			c.Out.WriteString(strconv.FormatInt(n, 10) + "\n")
		}
	case p.o.show == 'l' && f.Count > 0, p.o.show == 'L' && f.Count == 0:
		p.name(c, '\n')
		p.Matched = true
	}
	p.close(c)
}

func (p *Program) close(c *cmd.Ctx) {
	if p.File.FD > 0 {
		c.Close(p.File.FD)
	}
	p.File.Open = false
}

// exit ends with the status: 0 something was found, 1 nothing, 2 a file could not be read.
func (p *Program) exit(c *cmd.Ctx) cmd.Next {
	if !p.Searched && !p.Failed && !p.Matched && p.stdin == 2 && p.o.show != 'f' && !p.o.noMessages {
		c.Errout.WriteString("No files were searched, which means ripgrep probably applied a filter you didn't expect.\nRunning with --debug will show why files are being skipped.\n")
	}
	switch {
	case p.Failed && !(p.o.quiet && p.Matched):
		return cmd.Exit(2)
	case p.Matched:
		return cmd.Exit(0)
	}
	return cmd.Exit(1)
}
