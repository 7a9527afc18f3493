// Package gzip is gzip, gunzip and zcat.
package gzip

import (
	"fmt"
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/gz"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// Command is gzip.
func Command() *cmd.Command { return command("gzip", "compress or uncompress FILEs") }

// Gunzip is gunzip: gzip -d.
func Gunzip() *cmd.Command { return command("gunzip", "uncompress FILEs") }

// Zcat is zcat: gzip -cd.
func Zcat() *cmd.Command { return command("zcat", "uncompress FILEs to standard output") }

func command(name, summary string) *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	options := []cmd.Option{
		o('a', "ascii", "ascii text; convert end-of-line using local conventions"), o('c', "stdout", "write on standard output, keep original files unchanged"),
		o(0, "to-stdout", "write on standard output, keep original files unchanged"), o('d', "decompress", "decompress"), o(0, "uncompress", "decompress"),
		o('f', "force", "force overwrite of output file and compress links"), o('k', "keep", "keep (don't delete) input files"),
		o('l', "list", "list compressed file contents"), o('n', "no-name", "do not save or restore the original name and timestamp"),
		o('N', "name", "save or restore the original name and timestamp"), o('q', "quiet", "suppress all warnings"),
		o('r', "recursive", "operate recursively on directories"), o(0, "rsyncable", "make rsync-friendly archive"),
		{Short: 'S', Long: "suffix", Arg: cmd.Required, Meta: "SUF", Help: "use suffix SUF on compressed files"},
		o(0, "synchronous", "synchronous output (safer if system crashes, but slower)"), o('t', "test", "test compressed file integrity"),
		o('v', "verbose", "verbose mode"), o('1', "fast", "compress faster"), o('9', "best", "compress better"),
	}
	for b := byte('2'); b < '9'; b++ {
		options = append(options, o(b, "", "compress faster or better"))
	}
	as := ""
	if name != "gzip" { // a script around it
		as = "gzip"
	}
	return &cmd.Command{Name: name, As: as, Short: true, Summary: summary, Usage: name + " [OPTION]... [FILE]...", Options: options,
		Origin: "gzip 1.12", Hint: "Try `gzip --help' for more information.\n", Class: cmd.Step, New: func() cmd.Program { return &Program{} }}
}

// Program is a running gzip.
type Program struct {
	I      int        `cbor:"1,keyasint,omitempty" holds:"operand"`
	Stack  []walk.Dir `cbor:"2,keyasint,omitempty"` // of -r
	Status int        `cbor:"3,keyasint,omitempty"`

	Open   bool      `cbor:"4,keyasint,omitempty"` // a file is being worked on
	Name   string    `cbor:"5,keyasint,omitempty"`
	Target string    `cbor:"6,keyasint,omitempty"` // "" is standard output
	In     int       `cbor:"7,keyasint,omitempty" holds:"count"`
	Out    int       `cbor:"8,keyasint,omitempty" holds:"count"`
	Mode   uint32    `cbor:"9,keyasint,omitempty"`
	Atime  int64     `cbor:"10,keyasint,omitempty"`
	Mtime  int64     `cbor:"11,keyasint,omitempty"`
	Writer gz.Writer `cbor:"12,keyasint,omitempty"`
	Reader gz.Reader `cbor:"13,keyasint,omitempty"`
	Begun  bool      `cbor:"14,keyasint,omitempty"` // the header is out
	Plain  bool      `cbor:"15,keyasint,omitempty"` // -dcf on what is not compressed: copied
	Ended  bool      `cbor:"16,keyasint,omitempty"` // all is written, the rest is to tidy up
	Total  totals    `cbor:"17,keyasint,omitempty"` // of -l
	Read   int64     `cbor:"18,keyasint,omitempty"`

	o *options
}

// totals are for the last line of a list.
type totals struct {
	Count  int   `cbor:"1,keyasint,omitempty" holds:"count"` // rows
	Packed int64 `cbor:"2,keyasint,omitempty"`
	Plain  int64 `cbor:"3,keyasint,omitempty"`
	Head   int64 `cbor:"4,keyasint,omitempty"` // bytes around the data of the last file: gzip takes them off the sum
}

type options struct {
	decompress, stdout, force, keep, list, noName, name, quiet, recursive, test, verbose bool
	suffix                                                                               string
	level                                                                                int
}

func parse(c *cmd.Ctx) *options {
	o := &options{suffix: ".gz", level: 6}
	switch c.Def.Name {
	case "gunzip":
		o.decompress = true
	case "zcat":
		o.decompress, o.stdout = true, true
	}
	for _, f := range c.Flags {
		switch f.Name {
		case "c", "to-stdout":
			o.stdout = true
		case "d", "uncompress":
			o.decompress = true
		case "f":
			o.force = true
		case "k":
			o.keep = true
		case "l":
			o.list, o.decompress = true, true
		case "n":
			o.noName, o.name = true, false
		case "N":
			o.noName, o.name = false, true
		case "q":
			o.quiet, o.verbose = true, false
		case "r":
			o.recursive = true
		case "S":
			o.suffix = f.Value
		case "t":
			o.test, o.decompress = true, true
		case "v":
			o.verbose, o.quiet = true, false
		case "1", "2", "3", "4", "5", "6", "7", "8", "9":
			o.level = int(f.Name[0] - '0')
		}
	}
	return o
}

// Step compresses or decompresses one block, or takes the next file.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		if p.o = parse(c); p.o.list && p.o.verbose {
			return cmd.Exit(c.NotYet("option -v with -l"))
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.Open {
		return p.work(c)
	}
	budget := c.Turn(walk.Turn / 4)
	for ; budget > 0 && !p.Open; budget-- {
		if n := len(p.Stack); n > 0 {
			top := &p.Stack[n-1]
			if !top.Full {
				if err := top.Fill(c, &budget); err != nil {
					p.fail(c, 1, "%s: %s", top.Path, err)
				}
			} else if name, _, ok := top.Next(); ok {
				p.file(c, walk.Join(top.Path, name))
			} else {
				p.Stack = p.Stack[:n-1]
			}
			continue
		}
		args := c.Args
		if len(args) == 0 {
			args = []string{"-"}
		}
		if p.I >= len(args) {
			if t := p.Total; p.o.list && !p.o.quiet && len(args) > 1 && t.Packed > 0 && t.Plain > 0 {
				fmt.Fprintf(&c.Out, "%19d %19d %s (totals)\n", t.Packed, t.Plain, ratio(t.Plain, t.Packed-t.Head))
			}
			return cmd.Exit(p.Status)
		}
		p.I++
		if name := args[p.I-1]; name == "-" {
			p.begin(c, "", 0, vfs.Stat{})
		} else {
			p.file(c, name)
		}
	}
	return cmd.Again()
}

// fail writes a message; status 1 is an error, 2 a warning.
func (p *Program) fail(c *cmd.Ctx, status int, format string, args ...any) {
	if status == 1 || !p.o.quiet {
		c.Errorf(format, args...)
	}
	if p.Status != 1 {
		p.Status = status
	}
}

// file begins with a named file.
func (p *Program) file(c *cmd.Ctx, name string) {
	st, err := c.Lstat(name)
	if err == vfs.ENOENT && p.o.decompress {
		if s, serr := c.Lstat(name + p.o.suffix); serr == nil {
			name, st, err = name+p.o.suffix, s, nil
		}
	}
	if err == nil && st.Mode.IsLink() && (p.o.stdout || p.o.force || p.o.test || p.o.list) {
		st, err = c.Stat(name)
	}
	if err != nil {
		if p.o.decompress && err == vfs.ENOENT && !strings.HasSuffix(name, p.o.suffix) {
			name += p.o.suffix
		}
		p.fail(c, 1, "%s: %s", name, err)
		return
	}
	switch {
	case st.Mode.IsDir():
		if p.o.recursive && len(p.Stack) < walk.MaxDepth {
			p.Stack = append(p.Stack, walk.Dir{Path: name})
			return
		}
		p.fail(c, 2, "%s is a directory -- ignored", name)
		return
	case st.Mode.IsLink():
		p.fail(c, 1, "%s: %s", name, vfs.ELOOP)
		return
	case !st.Mode.IsRegular() && !p.o.stdout:
		p.fail(c, 2, "%s is not a directory or a regular file - ignored", name)
		return
	case !p.o.stdout && !p.o.test && !p.o.list && !p.o.force && st.Nlink > 1:
		s := "s"
		if st.Nlink == 2 {
			s = ""
		}
		p.fail(c, 2, "%s has %d other link%s -- file ignored", name, st.Nlink-1, s)
		return
	}
	if p.o.decompress && !p.o.list && !p.o.test && !p.o.stdout {
		if stripped(name, p.o.suffix) == "" {
			if !(p.o.recursive && p.o.quiet) {
				p.fail(c, 2, "%s: unknown suffix -- ignored", name)
			}
			return
		}
	}
	if !p.o.decompress && !p.o.force && !p.o.stdout && hasSuffix(name, p.o.suffix) {
		if !p.o.quiet {
			c.Errorf("%s already has %s suffix -- unchanged", name, p.o.suffix)
		}
		return
	}
	fd, err := c.Open(name, vfs.O_RDONLY, 0)
	if err != nil {
		p.fail(c, 1, "%s: %s", name, err)
		return
	}
	p.begin(c, name, fd, st)
}

func hasSuffix(name, suffix string) bool {
	for _, s := range []string{suffix, ".gz", ".z", ".tgz", ".taz", "-gz", "-z", "_z"} {
		if strings.HasSuffix(strings.ToLower(name), s) && len(walk.Base(name)) > len(s) {
			return true
		}
	}
	return false
}

// stripped is a compressed file's name without its suffix, "" if it has none.
func stripped(name, suffix string) string {
	base := walk.Base(name)
	for _, s := range []string{suffix, ".gz", ".z", "-gz", "-z", "_z", ".Z"} {
		if s != "" && strings.HasSuffix(base, s) && len(base) > len(s) {
			return name[:len(name)-len(s)]
		}
	}
	for _, s := range []string{".tgz", ".taz"} {
		if strings.HasSuffix(base, s) && len(base) > len(s) {
			return name[:len(name)-len(s)] + ".tar"
		}
	}
	return ""
}

// begin sets up the work on one input; its output is opened when the header is known.
func (p *Program) begin(c *cmd.Ctx, name string, fd int, st vfs.Stat) {
	p.Open, p.Name, p.In, p.Out = true, name, fd, 1
	p.Writer, p.Reader, p.Begun, p.Plain, p.Ended, p.Read, p.Target = gz.Writer{}, gz.Reader{}, false, false, false, 0, ""
	p.Mode, p.Atime, p.Mtime = uint32(st.Mode&0o777), st.Atime, st.Mtime
	if name == "" || p.o.stdout || p.o.test || p.o.list {
		return
	}
	if p.o.decompress {
		p.Target = stripped(name, p.o.suffix)
	} else {
		p.Target = name + p.o.suffix
	}
	if _, err := c.Lstat(p.Target); err == nil {
		if !p.o.force {
			p.fail(c, 2, "%s already exists;\tnot overwritten", p.Target)
			p.close(c)
			return
		}
		c.Unlink(p.Target)
	}
	out, err := c.Open(p.Target, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_EXCL, 0o600)
	if err != nil {
		p.fail(c, 1, "%s: %s", p.Target, err)
		p.close(c)
		return
	}
	p.Out = out
}

func (p *Program) close(c *cmd.Ctx) {
	if p.Name != "" {
		c.Close(p.In)
	}
	if p.Out > 2 {
		c.Close(p.Out)
	}
	p.Open = false
}

// emit writes output.
func (p *Program) emit(c *cmd.Ctx, b []byte) {
	if len(b) == 0 || p.o.test || p.o.list {
		return
	}
	if p.Out == 1 {
		c.Out.Write(b)
		return
	}
	if err := c.Write(p.Out, b); err != nil {
		p.abandon(c, 1, "%s: %s", p.Target, err)
	}
}

// abandon gives up the file, and takes away what was written of it.
func (p *Program) abandon(c *cmd.Ctx, status int, format string, args ...any) {
	p.fail(c, status, format, args...)
	p.close(c)
	if p.Target != "" {
		c.Unlink(p.Target)
	}
}

// label is what messages call the input.
func (p *Program) label() string {
	if p.Name == "" {
		return "stdin"
	}
	return p.Name
}

// work does one block.
func (p *Program) work(c *cmd.Ctx) cmd.Next {
	if p.Ended {
		return p.finish(c)
	}
	if p.o.decompress && !p.Plain && !p.Reader.Hungry() {
		p.inflate(c)
		return cmd.Again()
	}
	buf := cmd.Borrow()
	defer buf.Return()
	n, err := c.Read(p.In, buf[:])
	switch {
	case err == cmd.ErrBlocked:
		return cmd.WaitRead(p.In)
	case err != nil && err != io.EOF:
		p.abandon(c, 1, "%s: %s", p.label(), err)
		return cmd.Again()
	}
	end := n == 0
	p.Read += int64(n)
	switch {
	case p.Plain:
		p.emit(c, buf[:n])
		p.Ended = end
	case p.o.decompress:
		p.Reader.Feed(buf[:n])
		p.Reader.EOF = end
		p.inflate(c)
	default:
		if !p.Begun {
			p.Begun = true
			name, mtime := walk.Base(p.Name), p.Mtime/1e9
			if p.o.noName {
				name, mtime = "", 0
			}
			p.emit(c, p.Writer.Header(name, mtime, p.o.level))
		}
		if p.Open {
			p.emit(c, p.Writer.Write(buf[:n], p.o.level, end))
			p.Ended = end
		}
	}
	c.Hold(len(p.Writer.In) + len(p.Writer.Dict) + len(p.Reader.Raw) + 128<<10)
	return cmd.Again()
}

// inflate takes a turn of decompression.
func (p *Program) inflate(c *cmd.Ctx) {
	r := &p.Reader
	if r.Count == 0 && p.o.stdout && p.o.force && len(r.Raw) >= 2 && (r.Raw[0] != 0x1f || r.Raw[1] != 0x8b) {
		p.Plain = true
		p.emit(c, r.Raw)
		p.Ended, r.Raw = r.EOF, nil
		return
	}
	out, err := r.Next()
	p.emit(c, out)
	if !p.Open {
		return
	}
	if err != nil && !(err == gz.ErrTrailing && p.o.quiet) {
		c.Flush()
		c.Errout.WriteByte('\n')
	}
	switch {
	case err == gz.ErrTrailing:
		p.fail(c, 2, "%s: %s", p.label(), err)
		p.Ended = true
	case err != nil:
		p.abandon(c, 1, "%s: %s", p.label(), err)
	case r.Over():
		p.Ended = true
	}
}

// finish tidies up after a file: times and mode of the new one, removal of the old one.
func (p *Program) finish(c *cmd.Ctx) cmd.Next {
	if c.Pending() > c.Out.Len() && p.Out > 2 {
		return cmd.WaitWrite()
	}
	p.close(c)
	in, out := p.Read, p.Writer.Out
	if p.o.decompress {
		in, out = p.Reader.Total, p.Reader.In
	}
	if p.o.list {
		p.row(c, out, in)
		return cmd.Again()
	}
	if in > 0 { // the header and what ends the file do not count
		name := p.Reader.Name
		if !p.o.decompress && !p.o.noName {
			name = walk.Base(p.Name)
		}
		if out -= 18 + int64(len(name)); name != "" {
			out--
		}
	}
	how := "replaced with"
	if p.o.keep {
		how = "created"
	}
	if p.Target != "" {
		mtime := p.Mtime
		if p.o.name && p.o.decompress {
			if p.Reader.MTime != 0 {
				mtime = int64(p.Reader.MTime) * 1e9
			}
			if n := p.Reader.Name; n != "" && walk.Base(n) == n {
				to := walk.Join(walk.Parent(p.Target), n)
				if walk.Parent(p.Target) == "." && !strings.HasPrefix(p.Target, "./") {
					to = n
				}
				if _, err := c.Lstat(to); err == nil && to != p.Target && !p.o.force {
					p.fail(c, 2, "%s already exists;\tnot overwritten", to)
					c.Unlink(p.Target)
					return cmd.Again()
				}
				if c.Rename(p.Target, to) == nil {
					p.Target = to
				}
			}
		}
		c.Chmod(p.Target, p.Mode)
		c.Utimes(p.Target, p.Atime, mtime, true)
		if !p.o.keep {
			if err := c.Unlink(p.Name); err != nil {
				p.fail(c, 2, "%s: %s", p.Name, err)
			}
		}
	}
	if p.o.verbose {
		switch {
		case p.o.test:
			fmt.Fprintf(&c.Errout, "%s:\t OK\n", p.label())
		case p.Target != "":
			fmt.Fprintf(&c.Errout, "%s:\t%s -- %s %s\n", p.Name, ratio(in, out), how, p.Target)
		case p.Name == "":
			fmt.Fprintf(&c.Errout, "%s\n", ratio(in, out))
		default:
			fmt.Fprintf(&c.Errout, "%s:\t%s\n", p.Name, ratio(in, out))
		}
	}
	return cmd.Again()
}

// ratio is the part that compression saved.
func ratio(plain, packed int64) string {
	if plain == 0 {
		return "  0.0%"
	}
	return fmt.Sprintf("%5.1f%%", 100*float64(plain-packed)/float64(plain))
}

// row is the line of -l.
func (p *Program) row(c *cmd.Ctx, packed, plain int64) {
	if p.Total.Count == 0 && !p.o.quiet {
		fmt.Fprintf(&c.Out, "%19s %19s  ratio uncompressed_name\n", "compressed", "uncompressed")
	}
	name := "stdout"
	if p.Name != "" {
		name = stripped(p.Name, p.o.suffix)
	}
	header := packed
	if plain > 0 {
		header -= 18 + int64(len(p.Reader.Name))
		if p.Reader.Name != "" {
			header--
		}
	}
	fmt.Fprintf(&c.Out, "%19d %19d %s %s\n", packed, plain, ratio(plain, header), name)
	t := &p.Total
	t.Count, t.Packed, t.Plain, t.Head = t.Count+1, t.Packed+packed, t.Plain+plain, packed-header
}
