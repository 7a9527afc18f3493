package std

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

func dd() *cmd.Command {
	return &cmd.Command{
		Name: "dd", Acts: true, Summary: "copy a file, converting and formatting according to the operands", Usage: "dd [OPERAND]...\ndd OPTION",
		Class: cmd.Step, New: func() cmd.Program { return &ddProgram{} },
	}
}

// ddProgram copies blocks.
type ddProgram struct {
	Begun   bool   `cbor:"1,keyasint,omitempty"`
	In      int    `cbor:"2,keyasint,omitempty"`
	Out     int    `cbor:"3,keyasint,omitempty"` // 0 is standard output
	Skip    int64  `cbor:"4,keyasint,omitempty"` // bytes of the input still to pass over
	Block   []byte `cbor:"5,keyasint,omitempty"` // read, and less than a block
	Rest    []byte `cbor:"6,keyasint,omitempty"` // for output, and less than a block
	Read    int64  `cbor:"7,keyasint,omitempty"` // whole blocks
	Short   int64  `cbor:"8,keyasint,omitempty"` // others
	Bytes   int64  `cbor:"9,keyasint,omitempty"` // taken from the input
	Wrote   int64  `cbor:"10,keyasint,omitempty"`
	Partial int64  `cbor:"11,keyasint,omitempty"`
	Written int64  `cbor:"12,keyasint,omitempty"` // bytes
	Started int64  `cbor:"13,keyasint,omitempty"`
	Status  int    `cbor:"14,keyasint,omitempty"`
	Ended   bool   `cbor:"15,keyasint,omitempty"`
	Passed  int64  `cbor:"16,keyasint,omitempty"` // bytes of the block at hand that were written as they came
	Failed  bool   `cbor:"17,keyasint,omitempty"` // to write: the block at hand is read to its end and no more
	Gap     bool   `cbor:"18,keyasint,omitempty"` // of conv=sparse: the last block was passed over, not written

	o *ddOptions
}

// ddOptions are the operands; a cache.
type ddOptions struct {
	input, output string
	ibs, obs      int64
	joined        bool  // bs was given: short reads are written as they come
	count         int64 // -1: all
	skip, seek    int64
	status        string
	conv          map[string]bool
	iflag, oflag  map[string]bool
}

func (p *ddProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		o, status := ddRead(c)
		if status != 0 {
			return cmd.Exit(status)
		}
		p.o = o
	}
	if !p.Begun {
		if status := p.begin(c); status != 0 {
			return cmd.Exit(status)
		}
		return cmd.Again()
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	c.Hold(len(p.Block) + len(p.Rest))
	if p.Ended {
		return p.finish(c)
	}
	return p.copy(c)
}

// ddNumber reads N[SUFFIX][xN…]; a B at the end says that bytes are counted.
func ddNumber(c *cmd.Ctx, s string) (n int64, err error) {
	n = 1
	for parts := strings.Split(s, "x"); len(parts) > 0; parts = parts[1:] {
		part := parts[0]
		if part == "0" && len(parts) > 1 {
			c.Errorf("warning: %s is a zero multiplier; use %s if that is intended", quote.Locale(c, "0x"), quote.Locale(c, "00x"))
		}
		v, err := size.Parse(part, "bcwkKMGTPEZY")
		if err != nil || part[0] < '0' || part[0] > '9' {
			if err == nil {
				err = size.ErrInvalid
			}
			return 0, err
		}
		if v > 0 && n > (1<<62)/v {
			return 0, size.ErrRange
		}
		n *= v
	}
	return n, nil
}

var (
	ddConversions = []string{"ascii", "ebcdic", "ibm", "block", "unblock", "lcase", "ucase", "sparse", "swab", "sync", "excl", "nocreat", "notrunc", "noerror", "fdatasync", "fsync"}
	ddFlags       = []string{"append", "direct", "directory", "dsync", "sync", "fullblock", "nonblock", "noatime", "nocache", "noctty", "nofollow", "count_bytes", "skip_bytes", "seek_bytes"}
	ddMissing     = []string{"ascii", "ebcdic", "ibm", "block", "unblock", "directory", "nofollow"}
)

func ddRead(c *cmd.Ctx) (o *ddOptions, status int) {
	o = &ddOptions{ibs: 512, obs: 512, count: -1, conv: map[string]bool{}, iflag: map[string]bool{}, oflag: map[string]bool{}}
	words := func(into map[string]bool, list string, known []string, what string) bool {
		for _, w := range strings.Split(list, ",") {
			ok := false
			for _, k := range known {
				ok = ok || k == w
			}
			if !ok {
				status = c.UsageError("invalid %s: %s", what, quote.Locale(c, w))
				return false
			}
			for _, m := range ddMissing {
				if m == w {
					status = c.NotYet(what + " " + w)
					return false
				}
			}
			into[w] = true
		}
		return true
	}
	for _, a := range c.Args {
		name, value, ok := strings.Cut(a, "=")
		if !ok {
			return nil, c.UsageError("unrecognized operand %s", quote.Locale(c, a))
		}
		switch name {
		case "if":
			o.input = value
		case "of":
			o.output = value
		case "conv":
			if !words(o.conv, value, ddConversions, "conversion") {
				return nil, status
			}
		case "iflag":
			if !words(o.iflag, value, ddFlags, "input flag") {
				return nil, status
			}
		case "oflag":
			if !words(o.oflag, value, ddFlags, "output flag") {
				return nil, status
			}
		case "status":
			if value != "none" && value != "noxfer" && value != "progress" {
				return nil, c.UsageError("invalid status level: %s", quote.Locale(c, value))
			}
			o.status = value
		default:
			if status := o.number(c, a, name, value); status != 0 {
				return nil, status
			}
		}
	}
	if o.conv["lcase"] && o.conv["ucase"] {
		c.Errorf("cannot combine lcase and ucase")
		return nil, 1
	}
	if o.conv["excl"] && o.conv["nocreat"] {
		c.Errorf("cannot combine excl and nocreat")
		return nil, 1
	}
	if o.iflag["direct"] && o.iflag["nocache"] || o.oflag["direct"] && o.oflag["nocache"] {
		c.Errorf("cannot combine direct and nocache")
		return nil, 1
	}
	return o, 0
}

// number reads an operand that is a number.
func (o *ddOptions) number(c *cmd.Ctx, operand, name, value string) int {
	n, err := ddNumber(c, value)
	bytes := strings.HasSuffix(value, "B") && len(value) > 1 && value[len(value)-2] >= '0' && value[len(value)-2] <= '9'
	if bytes {
		n, err = ddNumber(c, value[:len(value)-1])
	}
	switch name {
	case "bs", "ibs", "obs":
		if err == nil && n == 0 {
			err = size.ErrInvalid
		}
		if err == nil && n > 1<<30 {
			err = size.ErrRange
		}
		switch { // bs goes before the other two
		case name == "bs":
			o.ibs, o.obs, o.joined = n, n, true
		case o.joined:
		case name == "ibs":
			o.ibs = n
		default:
			o.obs = n
		}
	case "count":
		o.count, o.iflag["count_bytes"] = n, o.iflag["count_bytes"] || bytes
	case "skip", "iseek":
		o.skip, o.iflag["skip_bytes"] = n, o.iflag["skip_bytes"] || bytes
	case "seek", "oseek":
		o.seek, o.oflag["seek_bytes"] = n, o.oflag["seek_bytes"] || bytes
	case "cbs":
		return c.NotYet("cbs")
	default:
		return c.UsageError("unrecognized operand %s", quote.Locale(c, operand))
	}
	if err != nil {
		text := "invalid number: " + quote.Locale(c, value)
		if errors.Is(err, size.ErrRange) {
			text += ": " + err.Error()
		}
		c.Errorf("%s", text)
		return 1
	}
	return 0
}

// begin opens both files and goes to where the copy starts.
func (p *ddProgram) begin(c *cmd.Ctx) int {
	o := p.o
	p.Begun, p.Started = true, c.Now()
	failed := func(name string, err error) int {
		c.Errorf("failed to open %s: %s", quote.Shell(c, name), err)
		return 1
	}
	if o.input != "" {
		fd, err := c.Open(o.input, vfs.O_RDONLY, 0)
		if err != nil {
			return failed(o.input, err)
		}
		p.In = fd
	}
	p.Skip, p.Out = o.skip, 1
	if !o.iflag["skip_bytes"] {
		p.Skip *= o.ibs
	}
	seek := o.seek
	if !o.oflag["seek_bytes"] {
		seek *= o.obs
	}
	if o.output != "" {
		flags := vfs.O_WRONLY | vfs.O_CREAT
		switch {
		case o.conv["nocreat"]:
			flags = vfs.O_WRONLY
		case o.conv["excl"]:
			flags |= vfs.O_EXCL
		}
		if o.oflag["append"] {
			flags |= vfs.O_APPEND
		}
		if !o.conv["notrunc"] && seek == 0 && !o.oflag["append"] {
			flags |= vfs.O_TRUNC
		}
		fd, err := c.Open(o.output, flags, 0o666)
		if err != nil {
			return failed(o.output, err)
		}
		p.Out = fd
		if st, err := c.Fstat(fd); err == nil && st.Mode.IsRegular() && seek > 0 && !o.conv["notrunc"] {
			if err := c.Truncate(o.output, seek); err != nil {
				c.Errorf("failed to truncate to %d bytes in output file %s: %s", seek, quote.Shell(c, o.output), err)
				return 1
			}
		}
	}
	if seek > 0 {
		if _, err := c.Seek(p.Out, seek, 1); err != nil {
			c.Errorf("%s: cannot seek: %s", quote.Shell(c, p.outName()), err)
			return 1
		}
	}
	return p.skipAhead(c)
}

// skipAhead passes over the input by a seek, where it can be.
func (p *ddProgram) skipAhead(c *cmd.Ctx) int {
	st, err := c.Fstat(p.In)
	if p.Skip == 0 || err != nil || !st.Mode.IsRegular() {
		return 0
	}
	at, err := c.Seek(p.In, 0, 1)
	if err != nil {
		return 0
	}
	if at+p.Skip > st.Size {
		p.cannotSkip(c)
	}
	if _, err := c.Seek(p.In, min(p.Skip, max(st.Size-at, 0)), 1); err == nil {
		p.Skip = 0
	}
	return 0
}

func (p *ddProgram) cannotSkip(c *cmd.Ctx) {
	name := p.o.input
	if name == "" {
		name = "standard input"
	}
	if p.o.status != "none" {
		c.Errorf("%s: cannot skip to specified offset", quote.File(c, name))
	}
}

func (p *ddProgram) outName() string {
	if p.o.output == "" {
		return "standard output"
	}
	return p.o.output
}

// copy reads once.
func (p *ddProgram) copy(c *cmd.Ctx) cmd.Next {
	o := p.o
	want := o.ibs - p.size()
	switch {
	case p.Skip > 0:
		want = min(p.Skip, o.ibs)
	case o.count >= 0 && o.iflag["count_bytes"]:
		want = min(want, o.count-p.Bytes-p.size())
	case o.count >= 0 && p.Read+p.Short >= o.count:
		want = 0
	}
	if want <= 0 && p.size() == 0 {
		p.Ended = true
		return cmd.Again()
	}
	buf := make([]byte, min(max(want, 0), 8*cmd.Turn))
	n, err := c.Read(p.In, buf)
	switch err {
	case nil:
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.In)
	case io.EOF:
		if p.Skip > 0 {
			p.cannotSkip(c)
		}
		p.take(c)
		p.Ended = true
		return cmd.Again()
	default:
		name := o.input
		if name == "" {
			name = "standard input"
		}
		c.Errorf("error reading %s: %s", quote.Shell(c, name), err)
		p.Status, p.Ended = 1, true
		return cmd.Again()
	}
	if p.Skip > 0 {
		p.Skip -= int64(n)
		return cmd.Again()
	}
	p.Block = large.Push(p.Block, buf[:n], c)
	whole := p.size() == o.ibs
	inFull := int64(n) == int64(len(buf)) && !whole // a large block comes in several turns
	if whole || !o.iflag["fullblock"] && !inFull || o.iflag["count_bytes"] && p.size()+p.Bytes == o.count {
		p.take(c)
	} else if o.passes() {
		p.pass(c, p.Block)
		p.Block = p.Block[:0]
	}
	return cmd.Again()
}

// size is how much of the block at hand was read.
func (p *ddProgram) size() int64 { return p.Passed + int64(len(p.Block)) }

// passes says that the parts of a block are written as they come: a large one need not be held.
func (o *ddOptions) passes() bool { return o.joined && !o.conv["swab"] && o.ibs > 8*cmd.Turn }

// pass writes a part of the block at hand.
func (p *ddProgram) pass(c *cmd.Ctx, b []byte) {
	p.convert(b)
	if !p.Failed {
		p.Failed = !p.put(c, b, "error writing")
	}
	p.Passed += int64(len(b))
}

// take converts and writes the block that was read.
func (p *ddProgram) take(c *cmd.Ctx) {
	o, size := p.o, p.size()
	if size == 0 {
		return
	}
	p.Bytes += size
	pad := int64(0)
	if size == o.ibs {
		p.Read++
	} else {
		p.Short++
		if o.conv["sync"] {
			pad = o.ibs - size
		}
	}
	b := p.Block
	p.Block = p.Block[:0]
	if o.passes() {
		p.pass(c, b)
		for zeros := make([]byte, min(pad, cmd.Turn)); pad > 0 && !p.Failed; pad -= min(pad, cmd.Turn) {
			p.pass(c, zeros[:min(pad, cmd.Turn)])
		}
		if !p.Failed {
			p.wrote(p.Passed)
		}
		p.Passed, p.Ended = 0, p.Failed
		return
	}
	b = append(b, make([]byte, pad)...)
	p.convert(b)
	if o.joined {
		p.write(c, b, "error writing")
		return
	}
	p.Rest = large.Push(p.Rest, b, c)
	at := int64(0)
	for ; int64(len(p.Rest))-at >= o.obs && !p.Ended; at += o.obs {
		p.write(c, p.Rest[at:at+o.obs], "writing to")
	}
	if at > 0 && !p.Ended {
		p.Rest = append(p.Rest[:0], p.Rest[at:]...)
	}
}

// convert does what conv= wants.
func (p *ddProgram) convert(b []byte) {
	switch conv := p.o.conv; {
	case conv["lcase"]:
		for i, x := range b {
			if x >= 'A' && x <= 'Z' {
				b[i] = x + 32
			}
		}
	case conv["ucase"]:
		for i, x := range b {
			if x >= 'a' && x <= 'z' {
				b[i] = x - 32
			}
		}
	}
	if p.o.conv["swab"] {
		for i := 0; i+1 < len(b); i += 2 {
			b[i], b[i+1] = b[i+1], b[i]
		}
	}
}

// write writes a block. doing is what a message calls that.
func (p *ddProgram) write(c *cmd.Ctx, b []byte, doing string) {
	if p.put(c, b, doing) {
		p.wrote(int64(len(b)))
	} else {
		p.Rest, p.Ended = nil, true
	}
}

// wrote counts a block.
func (p *ddProgram) wrote(n int64) {
	p.Written += n
	if n == p.o.obs {
		p.Wrote++
	} else {
		p.Partial++
	}
}

// put writes bytes. It is false after an error.
func (p *ddProgram) put(c *cmd.Ctx, b []byte, doing string) bool {
	if p.o.conv["sparse"] {
		c.Flush()
		if p.Gap = len(bytes.TrimLeft(b, "\x00")) == 0; p.Gap {
			if _, err := c.Seek(p.Out, int64(len(b)), 1); err == nil {
				return true
			}
			p.Gap = false
		}
	}
	for len(b) > 0 {
		n := min(len(b), 8*cmd.Turn)
		if err := c.Write(p.Out, b[:n]); err != nil {
			if err != vfs.EPIPE { // which a signal tells
				c.Errorf("%s %s: %s", doing, quote.Shell(c, p.outName()), err)
			}
			p.Status = 1
			return false
		}
		b = b[n:]
	}
	return true
}

// finish writes what is left and says how much was copied.
func (p *ddProgram) finish(c *cmd.Ctx) cmd.Next {
	if len(p.Rest) > 0 {
		p.write(c, p.Rest, "error writing")
		p.Rest = nil
	}
	if p.Gap && p.Status == 0 {
		p.close(c)
	}
	if p.o.status == "none" {
		return cmd.Exit(p.Status)
	}
	fmt.Fprintf(&c.Errout, "%d+%d records in\n%d+%d records out\n", p.Read, p.Short, p.Wrote, p.Partial)
	if p.o.status != "noxfer" {
		c.Errout.WriteString(ddAmount(p.Written) + ddSpeed(p.Written, c.Now()-p.Started))
	}
	return cmd.Exit(p.Status)
}

// close gives an output that ends in a hole its size.
func (p *ddProgram) close(c *cmd.Ctx) {
	st, err := c.Fstat(p.Out)
	at, serr := c.Seek(p.Out, 0, 1)
	if err != nil || serr != nil || !st.Mode.IsRegular() || st.Size >= at {
		return
	}
	if p.o.output != "" {
		err = c.Truncate(p.o.output, at)
	} else if _, err = c.Seek(p.Out, -1, 1); err == nil {
		err = c.Write(p.Out, []byte{0})
	}
	if err != nil {
		c.Errorf("failed to truncate to %d bytes in output file %s: %s", at, quote.Shell(c, p.outName()), err)
		p.Status = 1
	}
}

// ddAmount is how many bytes were copied.
func ddAmount(n int64) string {
	s := strconv.FormatInt(n, 10) + " byte"
	if n != 1 {
		s += "s"
	}
	if n >= 1000 {
		s += " (" + ddScaled(float64(n), 1000) + "B"
		if n >= 1024 {
			s += ", " + ddScaled(float64(n), 1024) + "iB"
		}
		s += ")"
	}
	return s + " copied"
}

// ddScaled is a number in the largest unit that it has one of.
func ddScaled(v, base float64) string {
	letters, i := " kMGTPE", 0
	if base == 1024 {
		letters = " KMGTPE"
	}
	for v >= base && i < len(letters)-1 {
		v /= base
		i++
	}
	form := "%.0f"
	if v < 9.95 {
		form = "%.1f"
	}
	return fmt.Sprintf(form, v) + " " + letters[i:i+1]
}

func ddSpeed(n, ns int64) string {
	sec := float64(max(ns, 1)) / 1e9
	rate := ddScaled(float64(n)/sec, 1000)
	if rate[len(rate)-1] == ' ' {
		rate = fmt.Sprintf("%.1f k", float64(n)/sec/1000)
	}
	return fmt.Sprintf(", %.6g s, %sB/s\n", sec, rate)
}
