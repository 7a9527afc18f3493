package sed

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
	"eryxsh/core/regex"
)

// errNoPattern is the fault of an empty expression with none before it.
type errNoPattern struct{}

func (errNoPattern) Error() string { return "no previous regular expression" }

// fault ends the program after a fault while running.
func (p *Program) fault(c *cmd.Ctx, err error) cmd.Next {
	c.Flush()
	if p.In.Temp != "" {
		c.Unlink(p.In.Temp)
	}
	if _, ok := err.(errNoPattern); ok {
		c.Errorf("%s%s", where(p.Sources, 0, 0), err)
		return cmd.Exit(1)
	}
	c.Errorf("%s", err)
	return cmd.Exit(4)
}

// match searches the pattern space.
func (p *Program) match(re *pattern) (bool, error) {
	r := p.regexp(re)
	if r == nil {
		return false, errNoPattern{}
	}
	is, err := r.Match(p.Space)
	p.work += r.Work()
	return is, err
}

// addressed reports whether the present line is at an address; ok is false if
// the program must return next.
func (p *Program) addressed(c *cmd.Ctx, a *address) (is bool, next cmd.Next, ok bool) {
	n := p.In.Number
	switch a.kind {
	case addrLine:
		return n == a.n, next, true
	case addrStep:
		return n >= a.n && (n-a.n)%a.step == 0, next, true
	case addrLast:
		return p.last(c)
	case addrRegex:
		is, err := p.match(a.re)
		if err != nil {
			return false, p.fault(c, err), false
		}
		return is, next, true
	}
	return false, next, true
}

// selected reports whether a command applies to the present line.
func (p *Program) selected(c *cmd.Ctx, pc int) (is bool, next cmd.Next, ok bool) {
	com := &p.script.commands[pc]
	if com.a1 == nil {
		return !com.not, next, true
	}
	if com.first() {
		return p.In.Number == 1, next, true
	}
	if com.a2 == nil {
		is, next, ok = p.addressed(c, com.a1)
	} else {
		is, next, ok = p.inRange(c, com, &p.Ranges[pc])
	}
	return is != com.not, next, ok
}

func (p *Program) inRange(c *cmd.Ctx, com *command, r *Range) (is bool, next cmd.Next, ok bool) {
	n := p.In.Number
	a1, a2 := com.a1, com.a2
	if r.Active {
		switch a2.kind {
		case addrLine:
			r.close(a1, n >= a2.n)
			return n <= a2.n, next, true
		case addrPlus, addrMult:
			r.close(a1, n >= r.End)
			return true, next, true
		}
		is, next, ok = p.addressed(c, a2)
		r.close(a1, ok && is)
		return true, next, ok
	}
	if a1.kind == addrLine {
		// The range begins at its line, or at the first one after it that the command sees.
		if r.Closed || n < a1.n {
			return false, next, true
		}
	} else if is, next, ok = p.addressed(c, a1); !ok || !is {
		return false, next, ok
	}
	switch a2.kind {
	case addrLine:
		if n >= a2.n {
			r.close(a1, true)
			return n == a2.n || n == a1.n || a1.kind != addrLine, next, true
		}
	case addrPlus:
		r.End = n + a2.n
		if a2.n == 0 {
			r.close(a1, true)
			return true, next, true
		}
	case addrMult:
		if a2.n == 0 {
			r.close(a1, true)
			return true, next, true
		}
		r.End = (n/a2.n + 1) * a2.n
	case addrLast:
		if is, next, ok = p.last(c); !ok {
			return false, next, false
		}
		if is {
			r.close(a1, true)
			return true, next, true
		}
	case addrStep:
		if n >= a2.n && (n-a2.n)%a2.step == 0 {
			r.close(a1, true)
			return true, next, true
		}
	}
	r.Active = true
	return true, next, true
}

// close ends a range if it is at its end. One that begins at a line number does not begin again.
func (r *Range) close(a1 *address, end bool) {
	if end {
		r.Active, r.Closed = false, a1.kind == addrLine
	}
}

// longScript is after how many commands of a script they are charged for: each may compile its pattern first.
const longScript = 1 << 6

// run executes commands until the cycle ends or the turn is used up.
func (p *Program) run(c *cmd.Ctx, left *int) (next cmd.Next, again bool) {
	commands := p.script.commands
	for p.Phase == phaseRun {
		if p.PC >= len(commands) {
			p.Phase = phaseEnd
			break
		}
		if *left <= 0 {
			return cmd.Again(), false
		}
		*left -= 1 + p.work/8
		p.work = 0
		if p.PC%longScript == longScript-1 {
			c.Charge(8 * longScript)
		}
		com := &commands[p.PC]
		if p.Stage == 0 {
			is, next, ok := p.selected(c, p.PC)
			if com.a1 != nil && (com.a1.kind == addrRegex || com.a2 != nil) {
				*left -= len(p.Space) / 64
			}
			if !ok {
				return next, false
			}
			if !is {
				p.PC++
				if com.name == '{' {
					p.PC = com.target
				}
				continue
			}
		}
		if next, ok := p.execute(c, com, left); !ok {
			return next, false
		}
	}
	return cmd.Next{}, true
}

// end ends the cycle.
func (p *Program) end(silent bool) {
	p.Phase, p.Silent, p.Stage = phaseEnd, silent, 0
}

// execute runs one command and moves PC. It is false if the program must return next.
func (p *Program) execute(c *cmd.Ctx, com *command, left *int) (next cmd.Next, ok bool) {
	pc := p.PC
	p.PC++
	switch com.name {
	case '{':
	case '=':
		p.number(c)
	case 'a':
		p.Queue = append(p.Queue, Append{Text: com.text})
	case 'i':
		p.inserted(c, com.text)
	case 'c':
		if com.a2 == nil || com.not || !p.Ranges[pc].Active {
			p.inserted(c, com.text)
		}
		p.end(true)
	case 'b':
		p.PC = com.target
	case 't', 'T':
		if p.Done == (com.name == 't') {
			p.PC = com.target
		}
		p.Done = false
	case 'd':
		p.end(true)
	case 'D':
		i := bytes.IndexByte(p.Space, p.o.delim)
		if i >= 0 {
			p.Space = append(p.Space[:0], p.Space[i+1:]...)
			p.Keep = true
			*left -= len(p.Space) / 64
		}
		p.end(true)
	case 'F':
		b := p.begin(c, 0)
		*b = append(append(*b, p.In.Name...), p.o.delim)
	case 'g':
		p.Space, p.Chomped = large.Push(p.Space[:0], p.Hold, c), !p.HoldBare
		*left -= len(p.Space) / 64
	case 'G':
		p.Space, p.Chomped = join(p.Space, p.o.delim, p.Hold, c), !p.HoldBare
		*left -= len(p.Hold) / 64
	case 'h':
		p.Hold, p.HoldBare = large.Push(p.Hold[:0], p.Space, c), !p.Chomped
		*left -= len(p.Space) / 64
	case 'H':
		p.Hold, p.HoldBare = join(p.Hold, p.o.delim, p.Space, c), !p.Chomped
		*left -= len(p.Space) / 64
	case 'x':
		p.Space, p.Hold = p.Hold, p.Space
		p.Chomped, p.HoldBare = !p.HoldBare, !p.Chomped
	case 'l':
		width := p.o.width
		if com.n >= 0 {
			width = int(min(com.n, 1<<30))
		}
		p.list(c, width)
	case 'n', 'N', 'e':
		return p.staged(c, com, left)
	case 'p':
		p.print(c, 0, p.Space)
	case 'P':
		p.line(c, 0)
	case 'q', 'Q':
		if com.n >= 0 && p.Status == 0 { // a file that could not be read counts for more
			p.Status = int(com.n & 255)
		}
		p.Quit, p.Quitting = true, com.name == 'q'
		p.end(com.name == 'Q')
		if com.name == 'Q' {
			p.Queue = nil
		}
	case 'r':
		if com.first() {
			return p.inserts(c, com, left)
		}
		p.Queue = append(p.Queue, Append{File: string(com.text)})
	case 'R':
		line, next, ok := p.readerLine(c, com.file)
		if !ok {
			p.PC = pc
			return next, false
		}
		if line != nil {
			p.Queue = append(p.Queue, Append{Text: line})
		}
	case 's':
		return p.substituted(c, com, left)
	case 'w':
		p.print(c, com.file+1, p.Space)
	case 'W':
		p.line(c, com.file+1)
	case 'y':
		p.transliterate(com)
		*left -= len(p.Space) / 16
	case 'z':
		p.Space = p.Space[:0]
	}
	return cmd.Next{}, true
}

// join adds a newline and more text. It doubles what is too small, so that
// gathering a whole file takes linear time.
func join(b []byte, delim byte, more []byte, m large.Meter) []byte {
	if need := len(b) + 1 + len(more); need > cap(b) {
		b = large.Room(b, 1+len(more), m)
	}
	return large.Push(append(b, delim), more, m)
}

// inserts copies a file at once. Stage is one more than the number of texts that go on waiting for the end of the cycle.
func (p *Program) inserts(c *cmd.Ctx, com *command, left *int) (cmd.Next, bool) {
	if p.Stage == 0 {
		p.Stage = 1 + len(p.Queue)
		p.Queue = append([]Append{{File: string(com.text)}}, p.Queue...)
	}
	next, ok := p.appended(c, left, p.Stage-1)
	if !ok {
		p.PC--
		return next, false
	}
	p.Stage = 0
	return cmd.Next{}, true
}

// line writes the pattern space up to its first newline.
func (p *Program) line(c *cmd.Ctx, out int) {
	i := bytes.IndexByte(p.Space, p.o.delim)
	if i < 0 {
		p.print(c, out, p.Space)
		return
	}
	p.work += i / 8
	b := p.begin(c, out)
	*b = append(large.Push(*b, p.Space[:i], c), p.o.delim)
}

// staged runs the commands that may have to wait in the middle: n, N and e.
// Stage says how far they are.
func (p *Program) staged(c *cmd.Ctx, com *command, left *int) (cmd.Next, bool) {
	p.PC--
	if com.name == 'e' {
		return p.command(c, com)
	}
	if p.Stage == 0 {
		is, next, ok := p.last(c)
		if !ok {
			return next, false
		}
		if is {
			p.PC++
			p.end(p.o.posix && com.name == 'N')
			return cmd.Next{}, true
		}
		if com.name == 'n' && !p.o.quiet {
			p.print(c, 0, p.Space)
		}
		p.Stage = 1
	}
	if p.Stage == 1 {
		if next, ok := p.appended(c, left, 0); !ok {
			return next, false
		}
		p.Stage = 2
	}
	joining := com.name == 'N'
	had := len(p.Space)
	if !joining {
		had = 0
	}
	got, next, ok := p.readLine(c, joining)
	if !ok {
		return next, false
	}
	p.Stage = 0
	*left -= 1 + (len(p.Space)-had)/64
	p.PC++
	if !got {
		p.end(false)
	}
	return cmd.Next{}, true
}

// transliterate does y.
func (p *Program) transliterate(com *command) {
	out := p.spare[:0]
	if len(p.Space) > large.Piece {
		out = large.Room(out, len(p.Space), p.meter)
	}
	for i, next := 0, large.Piece; i < len(p.Space); {
		if i >= next {
			p.meter.Charge(large.Piece >> 5)
			next = i + large.Piece
		}
		r := char(p.Space[i:], p.o.bytes)
		n := length(r)
		to, ok := com.pairs[r]
		switch {
		case !ok:
			out = append(out, p.Space[i:i+n]...)
		case to >= invalidByte:
			out = append(out, byte(to))
		default:
			out = utf8.AppendRune(out, to)
		}
		i += n
	}
	p.Space, p.spare = out, p.Space
	p.dropSpare()
}

// substituted does s.
func (p *Program) substituted(c *cmd.Ctx, com *command, left *int) (cmd.Next, bool) {
	s := com.sub
	if p.Stage > 0 { // the child of s///e is running
		return p.evaluate(c, com)
	}
	re := p.regexp(s.re)
	if re == nil {
		return p.fault(c, errNoPattern{}), false
	}
	if s.groups > re.NumSubexp() && !p.o.posix {
		c.Flush()
		c.Errorf("%sinvalid reference \\%d on `s' command's RHS", where(p.Sources, 0, 0), s.groups)
		return cmd.Exit(1), false
	}
	done, err := p.replace(re, s)
	p.work += re.Work()
	*left -= len(p.Space) / 16
	if err != nil {
		return p.fault(c, err), false
	}
	if !done {
		return cmd.Next{}, true
	}
	p.Done = true
	if s.eval {
		p.PC--
		return p.evaluate(c, com)
	}
	p.replaced(c, com)
	return cmd.Next{}, true
}

// replaced does what the flags p and w ask for.
func (p *Program) replaced(c *cmd.Ctx, com *command) {
	if com.sub.print > 0 {
		p.print(c, 0, p.Space)
	}
	if com.file >= 0 {
		p.print(c, com.file+1, p.Space)
	}
}

// manyMatches are charged for together.
const manyMatches = 1 << 10

// replace makes the new pattern space; done is false if nothing matched.
func (p *Program) replace(re *regex.Regexp, s *substitute) (done bool, err error) {
	need := 2 * (s.groups + 1)
	if cap(p.loc) < need {
		p.loc = make([]int, need)
	}
	loc := p.loc[:need]
	text, out := p.Space, p.spare[:0]
	if cap(out) < len(text) {
		out = large.Room(nil, len(text)+len(text)/4, p.meter)
	}
	start, count, lastEnd, tries, charged := 0, 0, -1, 0, 0
	for start <= len(text) {
		if tries++; tries%manyMatches == 0 || len(out)-charged > large.Piece {
			p.meter.Charge(2*(tries%manyMatches) + (len(out)-charged)>>8)
			tries, charged = 0, len(out)
			if len(out) > large.Piece {
				out = large.Room(out, large.Piece/2, p.meter)
			}
		}
		ok, err := re.Find(text, start, loc)
		if err != nil {
			return false, err
		}
		if !ok {
			break
		}
		from, to := loc[0], loc[1]
		out = large.Push(out, text[start:from], p.meter)
		start = to
		// An empty match right behind the last one does not count.
		if from < to || from != lastEnd {
			lastEnd = to
			if count++; count < s.number {
				out = large.Push(out, text[from:to], p.meter)
			} else {
				out = s.expand(out, text, loc, p.o.bytes, p.meter)
				done = true
				if !s.global {
					break
				}
			}
		}
		if from == to {
			if start >= len(text) {
				start++
				break
			}
			out = append(out, text[start]) // a byte: GNU sed finds empty matches inside of characters too
			start++
		}
	}
	if !done {
		p.spare = out
		p.dropSpare()
		return false, nil
	}
	if start < len(text) {
		out = large.Push(out, text[start:], p.meter)
	}
	p.Space, p.spare = out, text
	p.dropSpare()
	return true, nil
}

// muchSpare is from how many bytes on a buffer is not kept for the next line: nobody counts it.
const muchSpare = 1 << 20

func (p *Program) dropSpare() {
	if cap(p.spare) > muchSpare {
		p.spare = nil
	}
}

// expand adds the replacement of one match.
func (s *substitute) expand(out, text []byte, loc []int, bytes bool, m large.Meter) []byte {
	mode, once := caseKeep, caseKeep
	for _, part := range s.parts {
		piece := part.text
		switch part.shift {
		case caseUpper, caseLower:
			mode, once = part.shift, caseKeep
			continue
		case caseEnd:
			mode, once = caseKeep, caseKeep
			continue
		case caseUp1, caseLow1:
			once = part.shift
			continue
		}
		if g := part.group; g >= 0 {
			if piece = nil; loc[2*g] >= 0 {
				piece = text[loc[2*g]:loc[2*g+1]]
			}
		}
		if mode == caseKeep && once == caseKeep {
			out = large.Push(out, piece, m)
			continue
		}
		for most := len(piece) - large.Piece; len(piece) > 0; {
			if len(piece) <= most { // a piece is done
				m.Charge(large.Piece >> 4)
				out = large.Room(out, 2*large.Piece, m)
				most -= large.Piece
			}
			r, n := utf8.DecodeRune(piece)
			shift := mode
			if once != caseKeep {
				shift, once = once, caseKeep
			}
			switch {
			case bytes && piece[0] >= utf8.RuneSelf && shift != caseKeep:
				out, n = append(out, 0xff), 1 // what wctob makes of a byte that is no character in C
			case r == utf8.RuneError && n == 1:
				out = append(out, piece[0])
			case shift == caseUpper || shift == caseUp1:
				out = utf8.AppendRune(out, unicode.ToUpper(r))
			case shift == caseLower || shift == caseLow1:
				out = utf8.AppendRune(out, unicode.ToLower(r))
			default:
				out = append(out, piece[:n]...)
			}
			piece = piece[n:]
		}
	}
	return out
}

// childWait is a shell command being run by e or s///e.
type childWait struct {
	FD  int    `cbor:"1,keyasint,omitempty"`
	Out []byte `cbor:"2,keyasint,omitempty"`
}

// command does e.
func (p *Program) command(c *cmd.Ctx, com *command) (cmd.Next, bool) {
	line := com.text
	if len(line) == 0 {
		line = p.Space
	}
	out, next, ok := p.shell(c, string(line))
	if !ok {
		return next, false
	}
	p.PC++
	if len(com.text) > 0 {
		p.raw(c, out)
		return cmd.Next{}, true
	}
	p.take(out)
	p.Chomped = true
	return cmd.Next{}, true
}

// evaluate does s///e after the replacement.
func (p *Program) evaluate(c *cmd.Ctx, com *command) (cmd.Next, bool) {
	if p.Stage == 0 {
		if com.sub.print == printFirst {
			p.print(c, 0, p.Space)
		}
	} else {
		p.PC--
	}
	out, next, ok := p.shell(c, string(p.Space))
	if !ok {
		return next, false
	}
	p.PC++
	p.take(out)
	if com.sub.print != printFirst {
		p.replaced(c, com)
	}
	return cmd.Next{}, true
}

// take makes the output of a command the pattern space.
func (p *Program) take(out []byte) {
	if n := len(out); n > 0 && out[n-1] == p.o.delim {
		out = out[:n-1]
	}
	p.Space = append(p.Space[:0], out...)
}

// shell runs a command line and gives its output.
func (p *Program) shell(c *cmd.Ctx, line string) (out []byte, next cmd.Next, ok bool) {
	if p.Stage == 0 {
		p.flush(c)
		c.Flush()
		r, w, err := c.Pipe()
		if err != nil {
			return nil, p.fault(c, err), false
		}
		if _, err = c.Spawn(cmd.Spawn{Argv: []string{"sh", "-c", line}, Stdout: w}); err != nil {
			return nil, p.fault(c, err), false
		}
		c.Close(w)
		p.Child = childWait{FD: r}
		p.Stage = 1
	}
	if p.Stage == 1 {
		buf := make([]byte, 16<<10)
		n, err := c.Read(p.Child.FD, buf)
		p.Child.Out = large.Append(p.Child.Out, buf[:n])
		switch err {
		case nil:
			return nil, cmd.Again(), false
		case cmd.ErrBlocked:
			return nil, cmd.WaitRead(p.Child.FD), false
		case io.EOF:
		default:
			return nil, p.fault(c, err), false
		}
		c.Close(p.Child.FD)
		p.Stage = 2
	}
	if _, _, ended := c.Reap(); !ended {
		return nil, cmd.WaitChild(0), false
	}
	out = p.Child.Out
	p.Child, p.Stage = childWait{}, 0
	return out, cmd.Next{}, true
}
