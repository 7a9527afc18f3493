package std

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/cell"
	"eryxsh/vfs"
)

func wc() *cmd.Command {
	return &cmd.Command{
		Name: "wc", WriteError: "write error", Summary: "print newline, word, and byte counts for each FILE",
		Usage: "wc [OPTION]... [FILE]...\nwc [OPTION]... --files0-from=F",
		Options: []cmd.Option{
			{Short: 'c', Long: "bytes", Help: "print the byte counts"},
			{Short: 'm', Long: "chars", Help: "print the character counts"},
			{Short: 'l', Long: "lines", Help: "print the newline counts"},
			{Long: "files0-from", Arg: cmd.Required, Meta: "F", Help: "read input from the files specified by NUL-terminated names in file F"},
			{Short: 'L', Long: "max-line-length", Help: "print the maximum display width"},
			{Short: 'w', Long: "words", Help: "print the word counts"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &wcProgram{} },
	}
}

// wcCounts are the five counts in the order they are printed.
type wcCounts struct {
	Lines int64 `cbor:"1,keyasint,omitempty"`
	Words int64 `cbor:"2,keyasint,omitempty"`
	Chars int64 `cbor:"3,keyasint,omitempty"`
	Bytes int64 `cbor:"4,keyasint,omitempty"`
	Width int64 `cbor:"5,keyasint,omitempty"`
}

// wcProgram counts one file after the other.
type wcProgram struct {
	In     cmd.Input `cbor:"1,keyasint,omitempty"`
	Names  nameList  `cbor:"2,keyasint,omitempty"`            // of --files0-from
	Field  int       `cbor:"3,keyasint,omitempty" holds:"32"` // columns of a count; 0 before the first turn
	Now    wcCounts  `cbor:"4,keyasint,omitempty"`            // of the open file
	Total  wcCounts  `cbor:"5,keyasint,omitempty"`
	InWord bool      `cbor:"6,keyasint,omitempty"`
	Column int64     `cbor:"7,keyasint,omitempty"`

	show wcShow
}

// wcShow is what to print.
type wcShow struct{ set, lines, words, chars, bytes, width bool }

func (p *wcProgram) options(c *cmd.Ctx) {
	f := c.Flags
	p.show = wcShow{true, f.Has("l"), f.Has("w"), f.Has("m"), f.Has("c"), f.Has("L")}
	if s := &p.show; !s.lines && !s.words && !s.chars && !s.bytes && !s.width {
		s.lines, s.words, s.bytes = true, true, true
	}
}

func (p *wcProgram) Step(c *cmd.Ctx) cmd.Next {
	if !p.show.set {
		p.options(c)
	}
	if f, ok := c.Flags.Last("files0-from"); ok {
		if !p.Names.Done {
			return p.Names.step(c, f.Value)
		}
		c.Args = p.Names.List
		if len(c.Args) == 0 {
			p.Names.complain(c, f.Value)
			if p.Names.Count > 1 {
				p.Field = 1
				p.print(c, p.Total, "total")
			}
			return cmd.Exit(p.Names.Status)
		}
	}
	if p.Field == 0 {
		p.Field = p.columns(c)
	}
	next, ok := p.In.Turn(c)
	if !ok {
		if next.Op == cmd.OpExit {
			if len(c.Args) > 1 || p.Names.Count > 1 {
				p.print(c, p.Total, "total")
			}
			p.Names.complain(c, c.Flags.Value("files0-from"))
			return cmd.Exit(max(p.In.Status, p.Names.Status))
		}
		if next.Op == cmd.OpAgain && !p.In.Opened { // a directory: it counts, as nothing
			p.finish(c)
		}
		return next
	}
	if !p.sized(c) {
		p.count(c)
	}
	if p.In.Ended() {
		p.finish(c)
	}
	return cmd.Again()
}

// sized counts the bytes of a regular file by its size, as GNU wc does where a size can be believed: unless it is a
// multiple of a page. The descriptor stays where it was, for who reads it next.
func (p *wcProgram) sized(c *cmd.Ctx) bool {
	if s := &p.show; s.lines || s.words || s.chars || s.width || p.Now.Bytes > 0 {
		return false
	}
	st, err := c.Fstat(p.In.FD)
	if err != nil || !st.Mode.IsRegular() || st.Size%4096 == 0 {
		return false
	}
	n := len(p.In.Take())
	at, err := c.Seek(p.In.FD, int64(-n), 1)
	if err != nil {
		p.Now.Bytes = int64(n)
		return true
	}
	p.Now.Bytes = max(st.Size-at, 0)
	p.In.EOF = true
	return true
}

// finish prints the line of the file that was read.
func (p *wcProgram) finish(c *cmd.Ctx) {
	p.Now.Width = max(p.Now.Width, p.Column)
	name := p.In.Name(c)
	if len(c.Args) == 0 {
		name = ""
	}
	p.print(c, p.Now, name)
	p.Total.Lines += p.Now.Lines
	p.Total.Words += p.Now.Words
	p.Total.Chars += p.Now.Chars
	p.Total.Bytes += p.Now.Bytes
	p.Total.Width = max(p.Total.Width, p.Now.Width)
	p.Now, p.InWord, p.Column = wcCounts{}, false, 0
}

// columns is the width GNU wc gives its counts: enough for the sum of the
// sizes of the regular files, seven if there is another file.
func (p *wcProgram) columns(c *cmd.Ctx) int {
	shown := 0
	for _, on := range []bool{p.show.lines, p.show.words, p.show.chars, p.show.bytes, p.show.width} {
		if on {
			shown++
		}
	}
	names := c.Args
	if c.Flags.Has("files0-from") { // names that come one by one are not looked at before
		if st, err := c.Fstat(p.Names.FD); err != nil || !st.Mode.IsRegular() {
			return 1
		}
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	if len(names) == 1 && shown == 1 || p.piped(c) {
		return 1
	}
	width, sum := 1, int64(0)
	for _, name := range names {
		var st vfs.Stat
		var err error
		if name == "-" {
			st, err = c.Fstat(0)
		} else {
			st, err = c.Stat(name)
		}
		switch {
		case err != nil:
		case st.Mode.IsRegular():
			sum += st.Size
		default:
			width = 7
		}
	}
	return max(width, len(strconv.FormatInt(sum, 10)))
}

// piped reports whether --files0-from names something other than a file, whose
// names GNU wc does not know beforehand.
func (p *wcProgram) piped(c *cmd.Ctx) bool {
	f, ok := c.Flags.Last("files0-from")
	if !ok {
		return false
	}
	st, err := c.Fstat(p.Names.FD)
	return f.Value != "" && (err != nil || !st.Mode.IsRegular())
}

func (p *wcProgram) print(c *cmd.Ctx, n wcCounts, name string) {
	first := true
	field := func(on bool, v int64) {
		if !on {
			return
		}
		if !first {
			c.Out.WriteByte(' ')
		}
		first = false
		c.Out.B = padInt(c.Out.B, v, p.Field)
	}
	field(p.show.lines, n.Lines)
	field(p.show.words, n.Words)
	field(p.show.chars, n.Chars)
	field(p.show.bytes, n.Bytes)
	field(p.show.width, n.Width)
	if name != "" {
		c.Out.WriteByte(' ')
		if bytes.IndexByte([]byte(name), '\n') >= 0 {
			name = quote.Maybe(c, name)
		}
		c.Out.WriteString(name)
	}
	c.Out.WriteByte('\n')
}

// count takes what has been read.
func (p *wcProgram) count(c *cmd.Ctx) {
	if !p.show.words && !p.show.width && !p.show.chars {
		data := p.In.Take()
		p.Now.Bytes += int64(len(data))
		if p.show.lines {
			p.Now.Lines += int64(bytes.Count(data, []byte{'\n'}))
		}
		return
	}
	data := p.In.Rest()
	n := p.text(data, p.In.EOF, c.Bytes())
	p.Now.Bytes += int64(n)
	p.In.Skip(n)
	c.Charge(n / 200)
}

// text counts characters, and gives how many bytes it took: all but the
// beginning of a character that goes on in what is read next.
func (p *wcProgram) text(data []byte, end, bytes bool) int {
	lines, words, chars := p.Now.Lines, p.Now.Words, p.Now.Chars
	inWord := p.InWord
	i := 0
	for i < len(data) {
		b := data[i]
		if b >= utf8.RuneSelf && bytes {
			i++
			chars++
			continue
		}
		if b >= utf8.RuneSelf {
			if !end && !utf8.FullRune(data[i:]) {
				break
			}
			r, n := utf8.DecodeRune(data[i:])
			i += n
			if r == utf8.RuneError && n == 1 {
				continue
			}
			chars++
			w := cell.Width(r)
			if w < 0 {
				continue
			}
			p.Column += int64(w)
			space := unicode.IsSpace(r) || r == 0x2060
			if !space && !inWord {
				words++
			}
			inWord = !space
			continue
		}
		i++
		chars++
		if b > ' ' && b < 0x7f {
			p.Column++
			if !inWord {
				words++
				inWord = true
			}
			continue
		}
		switch b {
		case ' ':
			p.Column++
			inWord = false
		case '\n':
			lines++
			inWord = false
			fallthrough
		case '\r', '\f':
			p.Now.Width = max(p.Now.Width, p.Column)
			p.Column = 0
			inWord = false
		case '\t':
			p.Column += 8 - p.Column%8
			inWord = false
		case '\v':
			inWord = false
		}
	}
	p.Now.Lines, p.Now.Words, p.Now.Chars, p.InWord = lines, words, chars, inWord
	return i
}
