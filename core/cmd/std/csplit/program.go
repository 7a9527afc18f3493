package csplit

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// program collects the input, then applies one pattern after the other.
type program struct {
	FD      int    `cbor:"2,keyasint,omitempty" holds:"count"`
	Begun   bool   `cbor:"3,keyasint,omitempty"`
	Rest    []byte `cbor:"4,keyasint,omitempty"`              // the lines from First on
	First   int64  `cbor:"5,keyasint,omitempty" holds:"size"` // the number of the first line not written, from 1
	Current int64  `cbor:"6,keyasint,omitempty" holds:"size"` // the line searched last
	Pattern int    `cbor:"8,keyasint,omitempty" holds:"operand"`
	Times   int64  `cbor:"9,keyasint,omitempty" holds:"count"`  // uses of the pattern that are done
	Files   int64  `cbor:"10,keyasint,omitempty" holds:"count"` // outputs made
	Read    bool   `cbor:"13,keyasint,omitempty"`               // all input is there

	opt   *options
	in    cmd.Lines // a turn takes all it reads
	out   int       // the open output, 0 if none is: an output is opened and closed in one turn
	bytes int64     // in it
	at    int       // where the line after Current begins; 0 is not known
}

// turnLines is how many lines a turn searches.
const turnLines = 2000

// Step collects for a turn, or searches for a turn.
func (p *program) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if !p.Begun {
		p.Begun, p.First = true, 1
		if name := c.Args[0]; name != "-" {
			fd, err := c.Open(name, vfs.O_RDONLY, 0)
			if err != nil {
				c.Errorf("cannot open %s for reading: %s", quote.Shell(c, name), err)
				return cmd.Exit(1)
			}
			p.FD = fd
		}
	}
	if !p.Read {
		return p.collect(c)
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.Pattern >= len(p.opt.patterns) {
		if !p.create(c) || !p.take(c, len(p.Rest)) || !p.close(c) {
			return p.fail(c)
		}
		return cmd.Exit(0)
	}
	x := &p.opt.patterns[p.Pattern]
	done, ok := false, false
	if x.line > 0 && p.First == 1 && len(p.Rest) == 0 { // csplit leaves the empty file there
		if p.create(c) {
			c.Errorf("input disappeared")
		}
		return cmd.Exit(1)
	}
	if x.line > 0 {
		done, ok = p.lineNumber(c, x)
	} else {
		var status int
		if done, status = p.search(c, x); status >= 0 {
			return cmd.Exit(status)
		}
		ok = status != failed
	}
	switch {
	case !ok:
		return p.fail(c)
	case done:
		if p.Times++; !x.forever && p.Times > x.repeat {
			p.Pattern, p.Times = p.Pattern+1, 0
		}
	}
	return cmd.Again()
}

func (p *program) collect(c *cmd.Ctx) cmd.Next {
	p.in.Kept = len(p.Rest)
	switch err := p.in.Fill(c, p.FD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	default:
		return cmd.Exit(c.Fail(c.Args[0], err))
	}
	p.Rest = large.Push(p.Rest, p.in.Take(), c)
	p.Read = p.in.Ended()
	return cmd.Again()
}

// lineNumber writes the lines before a line number.
func (p *program) lineNumber(c *cmd.Ctx, x *pattern) (done, ok bool) {
	to := x.line * (p.Times + 1)
	if !p.create(c) {
		return false, false
	}
	bad := func() (done, ok bool) {
		held(c, "%s: line number out of range%s", quote.Locale(c, x.text), times(p.Times))
		return false, false
	}
	if p.opt.suppress && p.over() {
		return bad()
	}
	n := p.offset(to - p.First)
	if !p.take(c, n) {
		return false, false
	}
	if n > 0 {
		p.Current = p.First - 1
	}
	if p.First < to {
		return bad()
	}
	if !p.close(c) {
		return false, false
	}
	if p.opt.suppress {
		p.drop()
		p.Current = p.First - 1
	} else if p.over() {
		return bad()
	}
	p.at = 0
	return true, true
}

// over reports that there is no line behind the one searched last.
func (p *program) over() bool {
	return p.offset(p.Current+1-p.First) >= len(p.Rest)
}

// The answers of search that are no exit status.
const (
	going  = -1
	failed = -2
)

// search looks for an expression and writes the lines before its place.
func (p *program) search(c *cmd.Ctx, x *pattern) (done bool, status int) {
	if p.at == 0 && p.Current+1 > p.First {
		p.at = p.offset(p.Current + 1 - p.First)
	}
	for n := c.Turn(turnLines); ; n-- {
		if n == 0 {
			return false, going
		}
		if p.Current+1 < p.First || p.at >= len(p.Rest) {
			return false, p.missing(c, x)
		}
		p.Current++
		line := p.Rest[p.at:]
		end := bytes.IndexByte(line, '\n')
		if end < 0 {
			end = len(line)
		}
		p.at += min(end+1, len(line))
		found, err := x.re.Match(line[:end])
		if err != nil {
			c.Errorf("error in regular expression search")
			return false, failed
		}
		if found {
			break
		}
	}
	c.Charge(turnLines / 10)
	if !x.skip && !p.create(c) {
		return false, failed
	}
	at := p.Current + x.offset
	n := p.offset(at - p.First)
	if at < p.First || n < 0 {
		if at >= p.First {
			p.takeOrDrop(c, x, len(p.Rest))
		}
		c.Errorf("%s: line number out of range", quote.Locale(c, x.text))
		return false, failed
	}
	if !p.takeOrDrop(c, x, n) {
		return false, failed
	}
	if p.First < at {
		c.Errorf("%s: line number out of range", quote.Locale(c, x.text))
		return false, failed
	}
	if !x.skip && !p.close(c) {
		return false, failed
	}
	if x.offset > 0 {
		p.Current = at
	}
	if p.opt.suppress {
		p.drop()
	}
	p.at = 0
	return true, going
}

// held writes a message by fprintf: the sizes written so far stay in their buffer, behind it.
func held(c *cmd.Ctx, format string, args ...any) {
	fmt.Fprintf(&c.Errout, c.Name+": "+format+"\n", args...)
}

// missing is an expression without a match: the end for {*}, else an error
// after the rest was written.
func (p *program) missing(c *cmd.Ctx, x *pattern) (status int) {
	if !x.forever {
		held(c, "%s: match not found%s", quote.Locale(c, x.text), times(p.Times))
	}
	if !x.skip && (!p.create(c) || !p.take(c, len(p.Rest)) || !p.close(c)) {
		return failed
	}
	if x.forever {
		return 0
	}
	return failed
}

// offset is where the line n lines behind First begins; the end if there are not so many.
func (p *program) offset(n int64) (at int) {
	for ; n > 0 && at < len(p.Rest); n-- {
		i := bytes.IndexByte(p.Rest[at:], '\n')
		if i < 0 {
			return len(p.Rest)
		}
		at += i + 1
	}
	return at
}

// takeOrDrop takes n bytes into the output, or nowhere for %…%.
func (p *program) takeOrDrop(c *cmd.Ctx, x *pattern, n int) bool {
	if x.skip {
		p.advance(n)
		return true
	}
	return p.take(c, n)
}

// take writes n bytes to the open output.
func (p *program) take(c *cmd.Ctx, n int) bool {
	if n > 0 {
		if err := c.Write(p.out, p.Rest[:n]); err != nil {
			c.Fail(p.opt.name(p.Files-1), err)
			return false
		}
	}
	p.bytes += int64(n)
	p.advance(n)
	return true
}

// advance leaves n bytes behind.
func (p *program) advance(n int) {
	p.First += int64(bytes.Count(p.Rest[:n], []byte{'\n'}))
	if n > 0 && p.Rest[n-1] != '\n' {
		p.First++
	}
	p.Rest = p.Rest[n:]
	p.at = 0
}

// drop leaves the first line behind.
func (p *program) drop() { p.advance(p.offset(1)) }

func (p *program) create(c *cmd.Ctx) bool {
	name := p.opt.name(p.Files)
	fd, err := c.Open(name, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
	if err != nil {
		c.Fail(name, err)
		return false
	}
	p.Files++
	p.out, p.bytes = fd, 0
	return true
}

// close ends the open output and prints its size.
func (p *program) close(c *cmd.Ctx) bool {
	if p.out == 0 {
		return true
	}
	c.Close(p.out)
	p.out = 0
	if p.bytes == 0 && p.opt.tidy {
		p.Files--
		c.Unlink(p.opt.name(p.Files))
	} else if !p.opt.quiet {
		c.Out.B = append(strconv.AppendInt(c.Out.B, p.bytes, 10), '\n')
	}
	return true
}

// fail ends after an error: the outputs go, unless -k keeps them.
func (p *program) fail(c *cmd.Ctx) cmd.Next {
	p.close(c)
	for i := int64(0); i < p.Files && !p.opt.keep; i++ {
		c.Unlink(p.opt.name(i))
	}
	return cmd.Exit(1)
}
