package sed

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/regex"
)

// options say how a script is read.
type options struct {
	extended bool
	posix    bool
	sandbox  bool
	zero     bool // lines end in NUL
	bytes    bool // a character is a byte
	regex    regex.Options
}

const (
	eof = -1
	// maxBlocks bounds the nesting of { }.
	maxBlocks = 10000
)

type parser struct {
	o       options
	sources []Source
	at      int // source being read
	pos     int // in it
	out     *script
	blocks  []block
	labels  map[string]int
	read    map[string]int
	written map[string]int
}

// block is an open {.
type block struct{ command, at, pos int }

// parse reads a script. With an error it gives the files to write seen so far.
func parse(sources []Source, o options) (s *script, err error) {
	p := &parser{o: o, sources: sources, out: &script{}, labels: map[string]int{}, read: map[string]int{}, written: map[string]int{}}
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(*parseError)
			if !ok {
				panic(r)
			}
			s, err = &script{files: p.out.files}, fault
		}
	}()
	for p.at = range sources {
		if !p.sources[p.at].skipped() {
			p.pos = 0
			p.source()
		}
	}
	p.at = len(sources) - 1
	p.finish()
	return p.out, nil
}

// skipped reports that the text of a source was taken by the one before it (a\ at its end).
func (s *Source) skipped() bool { return s.Text == nil && s.Read }

func (p *parser) fail(what string) {
	panic(&parseError{text: where(p.sources, p.at, p.pos) + what})
}

// told charges for the commands of a long script, and asks for what they hold.
func (p *parser) told() {
	const many, work, size = 1 << 6, 100, 2 << 10 // of one with a pattern
	if n := len(p.out.commands); n%many == many-1 && p.o.regex.Charge != nil {
		p.o.regex.Charge(many * work)
		p.o.regex.Need(many * size)
	}
}

// next reads a byte of the source, or eof.
func (p *parser) next() int {
	if p.pos >= len(p.sources[p.at].Text) {
		return eof
	}
	p.pos++
	return int(p.sources[p.at].Text[p.pos-1])
}

// back puts a byte back.
func (p *parser) back(c int) {
	if c != eof {
		p.pos--
	}
}

func blank(c int) bool { return c == ' ' || c == '\t' }

func space(c int) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// nonblank reads the next byte that is not a blank.
func (p *parser) nonblank() int {
	c := p.next()
	for blank(c) {
		c = p.next()
	}
	return c
}

// number reads digits, the first of which is c.
func (p *parser) number(c int) int64 {
	n := int64(0)
	for ; c >= '0' && c <= '9'; c = p.next() {
		n = min(n*10+int64(c-'0'), 1<<60)
	}
	p.back(c)
	return n
}

// source reads the commands of one source.
func (p *parser) source() {
	text := p.sources[p.at].Text
	if p.at == 0 && bytes.HasPrefix(text, []byte("#n")) {
		p.out.quiet = true
	}
	for {
		c := p.next()
		for c == ';' || space(c) {
			c = p.next()
		}
		if c == eof {
			return
		}
		p.command(c)
	}
}

func (p *parser) command(c int) {
	p.told()
	cmd := command{n: -1, file: -1}
	cmd.a1 = p.address(c)
	if cmd.a1 != nil {
		if cmd.a1.kind == addrPlus || cmd.a1.kind == addrMult {
			p.fail("invalid usage of +N or ~N as first address")
		}
		c = p.nonblank()
		if c == ',' {
			c = p.nonblank()
			if cmd.a2 = p.address(c); cmd.a2 == nil {
				p.fail("unexpected `,'")
			}
			c = p.nonblank()
		}
		zero := cmd.a1.kind == addrLine && cmd.a1.n == 0
		if zero && !(cmd.a2 != nil && cmd.a2.kind == addrRegex || cmd.a2 == nil && c == 'r') || zero && p.o.posix {
			p.fail("invalid usage of line address 0")
		}
	}
	if c == '!' {
		cmd.not = true
		c = p.nonblank()
		if c == '!' {
			p.fail("multiple `!'s")
		}
	}
	if c == eof || c == '\n' && cmd.a1 != nil {
		p.fail("missing command")
	}
	cmd.name = byte(c)
	p.arguments(&cmd)
}

// address reads an address that begins with c; nil if there is none.
func (p *parser) address(c int) *address {
	switch {
	case c == '/' || c == '\\':
		if c == '\\' {
			if c = p.next(); c == eof {
				p.fail("unterminated address regex")
			}
		}
		re, ok := p.delimited(c, true)
		if !ok {
			p.fail("unterminated address regex")
		}
		fold, multi := false, false
		for {
			switch c = p.nonblank(); c {
			case 'I':
				fold = true
				continue
			case 'M':
				multi = true
				continue
			}
			p.back(c)
			break
		}
		return &address{kind: addrRegex, re: p.pattern(re, fold, multi)}
	case c >= '0' && c <= '9':
		a := &address{n: p.number(c)}
		if c = p.nonblank(); c != '~' || p.o.posix {
			p.back(c)
			return a
		}
		step := int64(0)
		if c = p.nonblank(); c >= '0' && c <= '9' {
			step = p.number(c)
		} else {
			p.back(c)
		}
		if step > 0 {
			a.kind, a.step = addrStep, step
		}
		return a
	case (c == '+' || c == '~') && !p.o.posix:
		a := &address{kind: addrPlus}
		if c == '~' {
			a.kind = addrMult
		}
		if c = p.nonblank(); c >= '0' && c <= '9' {
			a.n = p.number(c)
		} else {
			p.back(c)
		}
		return a
	case c == '$':
		return &address{kind: addrLast}
	}
	return nil
}

// pattern compiles a regular expression; an empty one is the last one used.
func (p *parser) pattern(text []byte, fold, multi bool) *pattern {
	if len(text) == 0 {
		if fold || multi {
			p.fail("cannot specify modifiers on empty regexp")
		}
		return &pattern{}
	}
	o := p.o.regex
	o.Syntax, o.Fold, o.Multiline, o.Records = regex.SedBasic, fold, multi, multi && p.o.zero
	if p.o.extended {
		o.Syntax = regex.SedExtended
	}
	re, err := regex.Compile(p.unescape(text), o)
	if err != nil {
		if e, ok := err.(*regex.Error); ok && e.Code == regex.ClassSyntax {
			panic(&parseError{text: err.Error(), panic: true})
		}
		p.fail(err.Error())
	}
	return &pattern{re: re}
}

// end reads the end of a command.
func (p *parser) end() {
	c := p.nonblank()
	switch c {
	case '}', '#':
		p.back(c)
	case eof, '\n', ';':
	case '\r':
		if n := p.next(); n != '\n' && n != eof {
			p.fail("extra characters after command")
		}
	default:
		p.fail("extra characters after command")
	}
}

// arguments reads what follows the name of a command and keeps the command.
func (p *parser) arguments(cmd *command) {
	switch cmd.name {
	case '#':
		if cmd.a1 != nil {
			p.fail("comments don't accept any addresses")
		}
		for c := p.next(); c != eof && c != '\n'; {
			c = p.next()
		}
		return
	case 'v':
		p.version(p.word(eof))
		p.end()
		return
	case '{':
		if len(p.blocks) >= maxBlocks {
			p.fail("too many blocks in each other")
		}
		p.blocks = append(p.blocks, block{len(p.out.commands), p.at, p.pos})
	case '}':
		if len(p.blocks) == 0 {
			p.fail("unexpected `}'")
		}
		if cmd.a1 != nil {
			p.fail("} doesn't want any addresses")
		}
		last := p.blocks[len(p.blocks)-1]
		p.blocks = p.blocks[:len(p.blocks)-1]
		p.out.commands[last.command].target = len(p.out.commands)
		p.end()
		return
	case 'e':
		p.sandboxed()
		c := p.nonblank()
		p.back(c)
		cmd.text = p.line()
	case 'a', 'i', 'c':
		cmd.text = p.text()
	case ':':
		if cmd.a1 != nil {
			p.fail(": doesn't want any addresses")
		}
		label := p.word('#')
		if len(label) == 0 {
			p.fail("\":\" lacks a label")
		}
		p.labels[string(label)] = len(p.out.commands)
		return
	case 'b', 't', 'T':
		cmd.text = p.word(eof)
	case 'q', 'Q':
		if cmd.a2 != nil {
			p.fail("command only uses one address")
		}
		fallthrough
	case 'l':
		if c := p.nonblank(); c >= '0' && c <= '9' && !p.o.posix {
			cmd.n = p.number(c)
		} else {
			p.back(c)
		}
		p.end()
	case 'r', 'R', 'w', 'W':
		p.sandboxed()
		p.file(cmd)
	case 's':
		p.substitution(cmd)
	case 'y':
		p.transliteration(cmd)
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
		p.end()
	default:
		p.fail("unknown command: `" + string(rune(cmd.name)) + "'")
	}
	p.out.commands = append(p.out.commands, *cmd)
}

func (p *parser) sandboxed() {
	if p.o.sandbox {
		p.fail("e/r/w commands disabled in sandbox mode")
	}
}

// version checks v VERSION: this is sed 4.9.
func (p *parser) version(want []byte) {
	have := [3]int{4, 9, 0}
	n, i := 0, 0
	for _, b := range append(want, '.') {
		switch {
		case b >= '0' && b <= '9':
			n = min(n*10+int(b-'0'), 1<<30)
			continue
		case b != '.' || i > 2:
			p.fail("invalid version")
		}
		if n != have[i] {
			if n > have[i] {
				p.fail("expected newer version of sed")
			}
			return
		}
		n = 0
		i++
	}
}

// word reads a label, which ends before a blank, ; } and what closes it.
func (p *parser) word(closing int) []byte {
	var out []byte
	c := p.nonblank()
	for ; c != eof && c != closing && c != ';' && c != '}' && !space(c); c = p.next() {
		out = append(out, byte(c))
	}
	p.back(c)
	return out
}

// line reads up to the end of the line.
func (p *parser) line() []byte {
	var out []byte
	for c := p.next(); c != eof && c != '\n'; c = p.next() {
		out = append(out, byte(c))
	}
	return out
}

// file reads the name of a file.
func (p *parser) file(cmd *command) {
	c := p.nonblank()
	p.back(c)
	at := p.pos
	name := p.line()
	if len(name) == 0 {
		p.pos = at
		p.fail("missing filename in r/R/w/W commands")
	}
	cmd.text = name
	switch cmd.name {
	case 'w', 'W':
		cmd.file = number(p.written, &p.out.files, string(name))
	case 'R':
		cmd.file = number(p.read, &p.out.reads, string(name))
	}
}

// number gives the place of a name in a list, where it is put if it is new.
func number(index map[string]int, list *[]string, name string) int {
	n, ok := index[name]
	if !ok {
		n = len(*list)
		index[name] = n
		*list = append(*list, name)
	}
	return n
}

// finish resolves blocks and labels.
func (p *parser) finish() {
	if n := len(p.blocks); n > 0 {
		open := p.blocks[n-1]
		p.at = open.at
		p.pos = 0
		if p.sources[p.at].File != "" {
			p.pos = open.pos
		}
		p.fail("unmatched `{'")
	}
	for i := range p.out.commands {
		cmd := &p.out.commands[i]
		if cmd.name != 'b' && cmd.name != 't' && cmd.name != 'T' {
			continue
		}
		cmd.target = len(p.out.commands)
		if len(cmd.text) > 0 {
			at, ok := p.labels[string(cmd.text)]
			if !ok {
				panic(&parseError{text: "can't find label for jump to `" + string(cmd.text) + "'", panic: true})
			}
			cmd.target = at
		}
	}
}

// text reads the text of a, i or c. A backslash at the end of an argument of -e
// goes on in the next one.
func (p *parser) text() []byte {
	c := p.nonblank()
	if c == eof {
		p.fail("expected \\ after `a', `c' or `i'")
	}
	if c == '\\' {
		if c = p.next(); c != '\n' {
			if c == eof && p.o.posix {
				p.fail("incomplete command")
			}
			if c == eof && !p.follow() {
				return nil
			}
			p.back(c)
		}
	} else {
		p.back(c)
	}
	var out []byte
	for {
		switch c = p.next(); c {
		case eof, '\n':
			return append(out, '\n')
		case '\\':
			if c = p.next(); c == eof {
				if !p.follow() {
					if p.sources[p.at].File != "" { // whose last newline the backslash was for
						out = append(out, '\n')
					}
					return append(out, '\n')
				}
				out = append(out, '\n')
				continue
			}
			if c == '\n' {
				out = append(out, '\n')
				continue
			}
			p.back(c)
			if r, ok := p.escape(); ok {
				out = append(out, r...)
				continue
			}
			c = p.next()
		}
		out = append(out, byte(c))
	}
}

// follow goes on in the next source, which is then not read as commands.
func (p *parser) follow() bool {
	if p.at+1 >= len(p.sources) {
		return false
	}
	p.sources = slices.Clone(p.sources)
	next := &p.sources[p.at+1]
	joined := append(append(slices.Clone(p.sources[p.at].Text), '\n'), next.Text...)
	p.pos++
	p.sources[p.at].Text = joined
	next.Text, next.Read = nil, true
	return true
}

// substitution reads s/…/…/flags.
func (p *parser) substitution(cmd *command) {
	delim := p.next()
	re, ok := p.delimited(delim, true)
	if !ok {
		p.fail("unterminated `s' command")
	}
	with, ok := p.delimited(delim, false)
	if !ok {
		p.fail("unterminated `s' command")
	}
	s := &substitute{}
	cmd.sub = s
	fold, multi := p.flags(cmd)
	s.re = p.pattern(re, fold, multi)
	p.replacement(s, with)
	if s.re.re != nil && !p.o.posix && s.groups > s.re.re.NumSubexp() {
		p.fail("invalid reference \\" + strconv.Itoa(s.groups) + " on `s' command's RHS")
	}
}

// flags reads the flags of s.
func (p *parser) flags(cmd *command) (fold, multi bool) {
	s := cmd.sub
	for {
		c := p.next()
		if p.o.posix && strings.IndexByte("iImMe", byte(c)) >= 0 && c != eof {
			p.fail("unknown option to `s'")
		}
		switch c {
		case ' ', '\t':
		case 'i', 'I':
			fold = true
		case 'm', 'M':
			multi = true
		case 'e':
			p.sandboxed()
			s.eval = true
			if s.print == 1 {
				s.print = printFirst
			}
		case 'p':
			if s.print > 0 {
				p.fail("multiple `p' options to `s' command")
			}
			s.print = 1
		case 'g':
			if s.global {
				p.fail("multiple `g' options to `s' command")
			}
			s.global = true
		case 'w':
			p.sandboxed()
			name := cmd.name
			cmd.name = 'w'
			p.file(cmd)
			cmd.name = name
			return fold, multi
		case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if s.number > 0 {
				p.fail("multiple number options to `s' command")
			}
			if s.number = int(p.number(c)); s.number == 0 {
				p.fail("number option to `s' command may not be zero")
			}
		case '}', '#':
			p.back(c)
			return fold, multi
		case eof, '\n', ';':
			return fold, multi
		case '\r':
			if n := p.next(); n == '\n' || n == eof {
				return fold, multi
			}
			fallthrough
		default:
			p.fail("unknown option to `s'")
		}
	}
}
