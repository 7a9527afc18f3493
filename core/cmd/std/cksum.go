package std

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/digest"
)

func cksum() *cmd.Command {
	d := digestCommand("cksum", "", "print or verify checksums")
	d.Summary = "print or verify checksums; by default use the 32 bit CRC algorithm"
	d.Options = append([]cmd.Option{
		{Short: 'a', Long: "algorithm", Arg: cmd.Required, Meta: "TYPE", Help: "select the digest type to use: bsd, sysv, crc, md5, sha1, sha224, sha256, sha384, sha512, blake2b, sm3"},
		{Short: 'l', Long: "length", Arg: cmd.Required, Meta: "BITS", Help: "digest length in bits; a multiple of 8, for blake2b"},
		{Long: "untagged", Help: "create a reversed style checksum, without digest type"},
		{Long: "debug", Help: "(accepted, nothing to do)"},
	}, d.Options[2:]...)
	return d
}

func md5sum() *cmd.Command {
	return digestCommand("md5sum", "md5", "print or check MD5 (128-bit) checksums")
}
func sha1sum() *cmd.Command {
	return digestCommand("sha1sum", "sha1", "print or check SHA1 (160-bit) checksums")
}
func sha224sum() *cmd.Command {
	return digestCommand("sha224sum", "sha224", "print or check SHA224 (224-bit) checksums")
}
func sha256sum() *cmd.Command {
	return digestCommand("sha256sum", "sha256", "print or check SHA256 (256-bit) checksums")
}
func sha384sum() *cmd.Command {
	return digestCommand("sha384sum", "sha384", "print or check SHA384 (384-bit) checksums")
}
func sha512sum() *cmd.Command {
	return digestCommand("sha512sum", "sha512", "print or check SHA512 (512-bit) checksums")
}

func b2sum() *cmd.Command {
	d := digestCommand("b2sum", "blake2b", "print or check BLAKE2b (512-bit) checksums")
	d.Options = append(d.Options, cmd.Option{Short: 'l', Long: "length", Arg: cmd.Required, Meta: "BITS", Help: "digest length in bits; a multiple of 8"})
	return d
}

// digestCommand is a utility that prints or checks digests of one algorithm; "" is cksum.
func digestCommand(name, algorithm, summary string) *cmd.Command {
	return &cmd.Command{
		Name: name, Summary: summary, Usage: name + " [OPTION]... [FILE]...",
		Options: []cmd.Option{
			{Short: 'b', Long: "binary", Help: "read in binary mode"},
			{Short: 't', Long: "text", Help: "read in text mode (default)"},
			{Short: 'c', Long: "check", Help: "read checksums from the FILEs and check them"},
			{Long: "tag", Help: "create a BSD-style checksum"},
			{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline, and disable file name escaping"},
			{Long: "ignore-missing", Help: "don't fail or report status for missing files"},
			{Long: "quiet", Help: "don't print OK for each successfully verified file"},
			{Long: "status", Help: "don't output anything, status code shows success"},
			{Long: "strict", Help: "exit non-zero for improperly formatted checksum lines"},
			{Short: 'w', Long: "warn", Help: "warn about improperly formatted checksum lines"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &digestProgram{fixed: algorithm} },
	}
}

// digestProgram computes digests of its operands, or checks lists of them.
type digestProgram struct {
	In    cmd.Input    `cbor:"1,keyasint,omitempty"`
	State digest.State `cbor:"2,keyasint,omitempty"`
	Check digestCheck  `cbor:"3,keyasint,omitempty"`

	fixed string // the algorithm of the command; "" for cksum
	opt   *digestOptions
}

// Wrong checks that a file that is compared with a list has a checksum.
func (p *digestProgram) Wrong(*cmd.Ctx) string {
	if p.Check.Open && p.State.Algorithm == "" {
		return "a checksum of no kind"
	}
	return ""
}

type digestOptions struct {
	algorithm                    string
	bits                         int
	check, tag, binary, zero     bool
	ignoreMissing, quiet, status bool
	strict, warn                 bool
}

func (p *digestProgram) options(c *cmd.Ctx) (status int) {
	f := c.Flags
	o := &digestOptions{
		algorithm: p.fixed, check: f.Has("c"), tag: f.Has("tag"), binary: f.Has("b"), zero: f.Has("z"),
		ignoreMissing: f.Has("ignore-missing"), quiet: f.Has("quiet"), status: f.Has("status"),
		strict: f.Has("strict"), warn: f.Has("w"),
	}
	given := o.algorithm != ""
	if p.fixed == "" {
		o.algorithm = "crc"
		o.tag = !f.Has("untagged")
		if a, ok := f.Last("a"); ok {
			i, ok := choice.Find(c, "--algorithm", a.Value, strings.Join(digest.Names(), ","))
			if !ok {
				return 1
			}
			o.algorithm, given = digest.Names()[i], true
		}
	}
	if l, ok := f.Last("l"); ok {
		n, ok := 0, digits(l.Value)
		for _, d := range []byte(l.Value) {
			n = min(n*10+int(d-'0'), 1<<30)
		}
		switch {
		case !ok:
			c.Errorf("invalid length: %s", quote.Locale(c, l.Value))
			return 1
		case n%8 != 0:
			c.Errorf("invalid length: %s\n%s: length is not a multiple of 8", quote.Locale(c, l.Value), c.Name)
			return 1
		case n > 512 && o.algorithm == "blake2b":
			c.Errorf("invalid length: %s\n%s: maximum digest length for %s is 512 bits", quote.Locale(c, l.Value), c.Name, quote.Locale(c, "BLAKE2b"))
			return 1
		case o.algorithm != "blake2b":
			c.Errorf("--length is only supported with --algorithm=blake2b")
			return 1
		}
		o.bits = n
	}
	only := func(on bool, name string) bool {
		if on && !o.check {
			c.UsageError("the --%s option is meaningful only when verifying checksums", name)
			return true
		}
		return false
	}
	switch {
	case f.Has("tag") && f.Has("t") && p.fixed != "":
		return c.UsageError("--tag does not support --text mode")
	case f.Has("tag") && o.check:
		return c.UsageError("the --tag option is meaningless when verifying checksums")
	case o.check && (f.Has("b") || f.Has("t")):
		return c.UsageError("the --binary and --text options are meaningless when verifying checksums")
	case o.check && o.zero:
		return c.UsageError("the --zero option is not supported when verifying checksums")
	case p.fixed == "" && o.check && given && digest.Bits(o.algorithm) == 0:
		c.Errorf("--check is not supported with --algorithm={bsd,sysv,crc}")
		return 1
	case only(o.ignoreMissing, "ignore-missing"), only(o.status, "status"), only(o.warn, "warn"), only(o.quiet, "quiet"), only(o.strict, "strict"):
		return 1
	}
	if o.check && !given {
		o.algorithm = ""
	}
	p.opt = o
	return 0
}

func (p *digestProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if p.opt.check {
		return p.check(c)
	}
	next, ok := p.In.Turn(c)
	if !ok {
		if !p.In.Opened {
			p.State = digest.State{}
		}
		return next
	}
	if p.State.Algorithm == "" {
		p.State = digest.State{Algorithm: p.opt.algorithm, Bits: p.opt.bits}
	}
	data := p.In.Take()
	p.State.Write(data)
	c.Charge(len(data) / 64)
	if !p.In.Ended() {
		p.State.Save()
		return cmd.Again()
	}
	name := p.In.Name(c)
	if len(c.Args) == 0 && digest.Bits(p.opt.algorithm) == 0 {
		name = ""
	}
	p.opt.print(c, &p.State, name)
	p.State = digest.State{}
	return cmd.Again()
}

// tags are the names of the algorithms in tagged lines.
func digestTag(algorithm string, bits int) string {
	switch algorithm {
	case "blake2b":
		if bits != 0 && bits != 512 {
			return fmt.Sprintf("BLAKE2b-%d", bits)
		}
		return "BLAKE2b"
	}
	return strings.ToUpper(algorithm)
}

// print writes the line of a file; name "" leaves it out.
func (o *digestOptions) print(c *cmd.Ctx, s *digest.State, name string) {
	sum := s.Sum()
	if digest.Bits(s.Algorithm) == 0 {
		v := binary.BigEndian.Uint32(sum)
		switch s.Algorithm {
		case "bsd":
			fmt.Fprintf(&c.Out, "%05d %5d", v, (s.Size+1023)/1024)
		case "sysv":
			fmt.Fprintf(&c.Out, "%d %d", v, (s.Size+511)/512)
		default:
			fmt.Fprintf(&c.Out, "%d %d", v, s.Size)
		}
		if name != "" {
			c.Out.WriteString(" " + name)
		}
	} else {
		if !o.zero && strings.ContainsAny(name, "\\\n\r") {
			c.Out.WriteByte('\\')
			name = strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\r", "\\r").Replace(name)
		}
		mark := " "
		if o.binary {
			mark = "*"
		}
		if o.tag {
			fmt.Fprintf(&c.Out, "%s (%s) = %x", digestTag(s.Algorithm, s.Bits), name, sum)
		} else {
			fmt.Fprintf(&c.Out, "%x %s%s", sum, mark, name)
		}
	}
	if o.zero {
		c.Out.WriteByte(0)
	} else {
		c.Out.WriteByte('\n')
	}
}

// digestCheck is the state of a check.
type digestCheck struct {
	FD       int    `cbor:"2,keyasint,omitempty"`
	Name     string `cbor:"3,keyasint,omitempty"`
	Want     []byte `cbor:"4,keyasint,omitempty"`
	Open     bool   `cbor:"5,keyasint,omitempty"`
	Line     int    `cbor:"6,keyasint,omitempty"`
	Good     int    `cbor:"7,keyasint,omitempty"` // lines that could be read
	Bad      int    `cbor:"8,keyasint,omitempty"`
	Unread   int    `cbor:"9,keyasint,omitempty"`
	Mismatch int    `cbor:"10,keyasint,omitempty"`
	Matched  int    `cbor:"11,keyasint,omitempty"`
	Status   int    `cbor:"12,keyasint,omitempty"`

	file cmd.Lines // the one being verified: a turn takes all it reads
}

// check verifies one line of a list, or a part of its file.
func (p *digestProgram) check(c *cmd.Ctx) cmd.Next {
	k := &p.Check
	if k.Open {
		return p.verify(c)
	}
	next, ok := p.In.Turn(c)
	if !ok {
		if next.Op == cmd.OpExit {
			return cmd.Exit(max(next.Status, k.Status))
		}
		return next
	}
	for n := 0; n < 64; n++ {
		line, ok := p.In.Next('\n')
		if !ok {
			break
		}
		k.Line++
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if !p.line(c, string(line)) {
			k.Bad++
			if p.opt.warn {
				label := strings.ToUpper(p.opt.algorithm)
				if p.fixed == "" {
					label = "CKSUM"
				}
				if p.opt.algorithm == "blake2b" {
					label = "BLAKE2b"
				}
				c.Errorf("%s: %d: improperly formatted %s checksum line", quote.File(c, p.listName(c)), k.Line, label)
			}
			continue
		}
		if k.Open {
			return cmd.Again()
		}
	}
	if p.In.Ended() {
		p.summary(c)
	}
	return cmd.Again()
}

func (p *digestProgram) listName(c *cmd.Ctx) string {
	if name := p.In.Name(c); name != "-" {
		return name
	}
	return "standard input"
}

// line reads a line of a list and opens its file; false if it is not such a line.
func (p *digestProgram) line(c *cmd.Ctx, line string) bool {
	k := &p.Check
	algorithm, bits, name, want, ok := digestLine(line, p.opt.algorithm)
	if !ok {
		return false
	}
	k.Good++
	p.State = digest.State{Algorithm: algorithm, Bits: bits}
	k.Name, k.Want = name, want
	if name == "-" {
		k.FD = 0
	} else {
		fd, err := c.Open(name, 0, 0)
		if err != nil {
			if p.opt.ignoreMissing {
				return true
			}
			p.unread(c, err)
			return true
		}
		k.FD = fd
	}
	k.Open = true
	k.file.Reset()
	return true
}

func (p *digestProgram) unread(c *cmd.Ctx, err error) {
	c.Fail(p.Check.Name, err)
	p.Check.Unread++
	if !p.opt.status {
		c.Out.WriteString(p.Check.Name + ": FAILED open or read\n")
	}
}

// verify reads the file of a line for one turn.
func (p *digestProgram) verify(c *cmd.Ctx) cmd.Next {
	k := &p.Check
	switch err := k.file.Fill(c, k.FD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(k.FD)
	default:
		p.unread(c, err)
		p.closeFile(c)
		return cmd.Again()
	}
	p.State.Write(k.file.Take())
	if !k.file.Ended() {
		p.State.Save()
		return cmd.Again()
	}
	same := string(p.State.Sum()) == string(k.Want)
	if same {
		k.Matched++
	} else {
		k.Mismatch++
	}
	if !p.opt.status && (!same || !p.opt.quiet) {
		name := k.Name
		if strings.Contains(name, "\n") {
			c.Out.WriteByte('\\')
			name = strings.ReplaceAll(strings.ReplaceAll(name, "\\", "\\\\"), "\n", "\\n")
		}
		c.Out.WriteString(name + map[bool]string{true: ": OK\n", false: ": FAILED\n"}[same])
	}
	p.closeFile(c)
	return cmd.Again()
}

func (p *digestProgram) closeFile(c *cmd.Ctx) {
	if p.Check.FD > 0 {
		c.Close(p.Check.FD)
	}
	p.Check.Open = false
	p.State = digest.State{}
	if p.In.Ended() {
		p.summary(c)
	}
}

// summary reports what was wrong with a list.
func (p *digestProgram) summary(c *cmd.Ctx) {
	k, o := &p.Check, p.opt
	count := func(n int, one, many string) {
		switch {
		case n == 1:
			c.Errorf("WARNING: 1 %s", one)
		case n > 1:
			c.Errorf("WARNING: %d %s", n, many)
		}
	}
	name := quote.File(c, p.listName(c))
	switch {
	case k.Good == 0:
		c.Errorf("%s: no properly formatted checksum lines found", name)
	default:
		if !o.status {
			count(k.Bad, "line is improperly formatted", "lines are improperly formatted")
			count(k.Unread, "listed file could not be read", "listed files could not be read")
			count(k.Mismatch, "computed checksum did NOT match", "computed checksums did NOT match")
		}
		if o.ignoreMissing && k.Matched+k.Mismatch == 0 && !o.status {
			c.Errorf("%s: no file was verified", name)
		}
	}
	if k.Good == 0 || k.Mismatch > 0 || k.Unread > 0 || o.strict && k.Bad > 0 || o.ignoreMissing && k.Matched+k.Mismatch == 0 {
		k.Status = 1
	}
	*k = digestCheck{Status: k.Status}
}

// digestLine reads a line of a list, tagged or not. algorithm "" takes it from the tag.
func digestLine(line, algorithm string) (found string, bits int, name string, want []byte, ok bool) {
	line = strings.TrimLeft(strings.TrimSuffix(line, "\r"), " \t")
	escaped := strings.HasPrefix(line, "\\")
	line = strings.TrimPrefix(line, "\\")
	digestText := ""
	for _, a := range digest.Names() {
		tag := digestTag(a, 0)
		if digest.Bits(a) == 0 || !strings.HasPrefix(line, tag) || algorithm != "" && a != algorithm {
			continue
		}
		rest := line[len(tag):]
		if a == "blake2b" && strings.HasPrefix(rest, "-") {
			n := 0
			rest = rest[1:]
			for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
				n = min(n*10+int(rest[0]-'0'), 1<<20)
				rest = rest[1:]
			}
			if bits = n; n == 0 || n > 512 || n%8 != 0 {
				return "", 0, "", nil, false
			}
		}
		rest = strings.TrimPrefix(rest, " ")
		end := strings.LastIndex(rest, ")")
		if !strings.HasPrefix(rest, "(") || end < 0 {
			continue
		}
		found, name = a, rest[1:end]
		rest = strings.TrimLeft(rest[end+1:], " \t")
		if !strings.HasPrefix(rest, "=") {
			return "", 0, "", nil, false
		}
		digestText = strings.TrimLeft(rest[1:], " \t")
		break
	}
	if found == "" {
		if algorithm == "" {
			return "", 0, "", nil, false
		}
		n := strings.IndexAny(line, " \t")
		if n < 0 || n+2 > len(line) {
			return "", 0, "", nil, false
		}
		found, digestText, name = algorithm, line[:n], line[n+1:]
		if name != "" && (name[0] == ' ' || name[0] == '*') {
			name = name[1:]
		}
		if found == "blake2b" {
			bits = 4 * len(digestText)
		}
	}
	if escaped {
		name = strings.NewReplacer("\\\\", "\\", "\\n", "\n", "\\r", "\r").Replace(name)
	}
	size := digest.Bits(found)
	if found == "blake2b" && bits != 0 {
		size = bits
	}
	want, err := hex.DecodeString(digestText)
	if err != nil || len(want)*8 != size || size == 0 || size > 512 || name == "" {
		return "", 0, "", nil, false
	}
	return found, bits, name, want, true
}
