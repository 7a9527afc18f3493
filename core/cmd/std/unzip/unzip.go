// Package unzip is unzip: it lists, tests and extracts zip archives.
package unzip

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/inflate"
	"eryxsh/core/cmd/std/internal/prompt"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// Command is unzip. It reads its options itself: they may stand behind the archive.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "unzip", Acts: true, Summary: "list, test and extract compressed files in a ZIP archive", Raw: true, Short: true,
		Usage: "unzip [-cClnopqtvjZ1] file[.zip] [list] [-x xlist] [-d exdir]", Origin: "UnZip 6.00", Class: cmd.Step,
		New: func() cmd.Program { return &Program{} },
	}
}

// Program is a running unzip.
type Program struct {
	Begun   bool         `cbor:"1,keyasint,omitempty"`
	FD      int          `cbor:"2,keyasint,omitempty" holds:"count"` // of the archive
	Shift   int64        `cbor:"3,keyasint,omitempty"`
	Entries []entry      `cbor:"4,keyasint,omitempty"`
	I       int          `cbor:"5,keyasint,omitempty" holds:"in Entries"` // entries begun
	Status  int          `cbor:"6,keyasint,omitempty"`
	Found   []bool       `cbor:"7,keyasint,omitempty"` // by name of the command line
	Sum     totals       `cbor:"8,keyasint,omitempty"`
	Body    body         `cbor:"9,keyasint,omitempty"`
	Ask     prompt.Asker `cbor:"10,keyasint,omitempty"`
	Asking  bool         `cbor:"11,keyasint,omitempty"` // whether to replace the file of entry I
	Always  byte         `cbor:"12,keyasint,omitempty"` // 'A' or 'N': the answer to all further questions
	Dirs    []entry      `cbor:"13,keyasint,omitempty"` // get their times last
	Name    string       `cbor:"14,keyasint,omitempty"` // the archive's, as found
	Links   []string     `cbor:"15,keyasint,omitempty"` // symbolic links made: path, target, path, target

	o *options
}

// totals are for the last line of a list.
type totals struct {
	Size   int64 `cbor:"1,keyasint,omitempty"`
	Packed int64 `cbor:"2,keyasint,omitempty"`
	Count  int   `cbor:"3,keyasint,omitempty"`
}

// Wrong checks that a member that is being written was begun.
func (p *Program) Wrong(*cmd.Ctx) string {
	if p.I == 0 && (p.Asking || p.Body.Open) {
		return "a member that was not begun"
	}
	return ""
}

// body is the member whose data is being read.
type body struct {
	Open  bool            `cbor:"1,keyasint,omitempty"`
	Off   int64           `cbor:"2,keyasint,omitempty" holds:"count"` // in the archive, of what was not read yet
	Left  int64           `cbor:"3,keyasint,omitempty" holds:"count"` // bytes of it
	Raw   []byte          `cbor:"4,keyasint,omitempty"`               // read and not used
	Dec   inflate.Decoder `cbor:"5,keyasint,omitempty"`
	CRC   uint32          `cbor:"6,keyasint,omitempty"`
	Out   int             `cbor:"7,keyasint,omitempty" holds:"count"` // 1 stdout, 0 nowhere
	Path  string          `cbor:"8,keyasint,omitempty"`
	Link  []byte          `cbor:"9,keyasint,omitempty"` // the target of a symbolic link
	Ended bool            `cbor:"10,keyasint,omitempty"`
}

// options are the flags, read.
type options struct {
	archive, dir                    string
	names, exclude                  []string
	list, verbose, test, pipe, tell bool // -l -v -t -p -c
	bare                            bool // -Z1
	overwrite, never, junk, fold    bool
	quiet                           int
	zone                            *clock.Zone
}

const usage = "UnZip 6.00, as in eryxsh.\n\nUsage: unzip [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]\n"

// parse reads the arguments; status is that of an early end.
func parse(c *cmd.Ctx) (o *options, status int) {
	o = &options{zone: clock.Local(c)}
	excluding := false
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		if len(a) < 2 || a[0] != '-' {
			switch {
			case o.archive == "":
				o.archive = a
			case excluding:
				o.exclude = append(o.exclude, a)
			default:
				o.names = append(o.names, a)
			}
			continue
		}
		for j := 1; j < len(a); j++ {
			switch a[j] {
			case 'l':
				o.list = true
			case 'v':
				o.list, o.verbose = true, true
			case 't':
				o.test = true
			case 'p':
				o.pipe = true
			case 'c':
				o.tell = true
			case 'o':
				o.overwrite = true
			case 'n':
				o.never = true
			case 'j':
				o.junk = true
			case 'C':
				o.fold = true
			case 'q':
				o.quiet++
			case 'Z':
				if !strings.Contains(a, "1") {
					return nil, c.NotYet("option -Z")
				}
				o.bare = true
			case '1':
				if !o.bare {
					return nil, c.NotYet("option -1")
				}
			case 'x':
				excluding = true
			case 'd':
				if o.dir = a[j+1:]; o.dir == "" && i+1 < len(c.Args) {
					i++
					o.dir = c.Args[i]
				}
				j = len(a)
			default:
				return nil, c.NotYet("option -" + a[j:j+1])
			}
		}
	}
	if o.archive == "" {
		c.Out.WriteString(usage)
		if len(c.Args) > 0 {
			return nil, 10
		}
		return nil, 0
	}
	return o, 0
}

// Step does one turn: a block of a member, or some members.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		o, status := parse(c)
		if o == nil {
			return cmd.Exit(status)
		}
		p.o = o
		if p.Begun && len(p.Found) != len(o.names) {
			return c.Unfit("it is of other names")
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if !p.Begun {
		p.Begun = true
		if status := p.begin(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if p.Asking {
		if next, ok := p.replace(c); !ok {
			return next
		}
		return cmd.Again()
	}
	if p.Body.Open {
		return p.data(c)
	}
	for budget := c.Turn(walk.Turn / 4); budget > 0 && !p.Body.Open && !p.Asking; budget-- {
		if p.I >= len(p.Entries) {
			return p.end(c)
		}
		p.I++
		if e := &p.Entries[p.I-1]; p.wanted(e.Name) {
			p.member(c, e)
		}
	}
	return cmd.Again()
}

// begin opens the archive and says so.
func (p *Program) begin(c *cmd.Ctx) (status int) {
	o := p.o
	name, ok := p.find(c)
	if !ok {
		fmt.Fprintf(&c.Errout, "unzip:  cannot find or open %s, %s.zip or %s.ZIP.\n", name, name, name)
		return 9
	}
	p.Name = name
	if o.quiet == 0 && !o.pipe && !o.bare {
		c.Out.WriteString("Archive:  " + name + "\n")
	}
	if !p.directory(c) {
		c.Errout.WriteString("  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n" +
			"  latter case the central directory and zipfile comment will be found on\n  the last disk(s) of this archive.\n")
		fmt.Fprintf(&c.Errout, "unzip:  cannot find zipfile directory in one of %s or\n        %s.zip, and cannot find %s.ZIP, period.\n", name, name, name)
		return 9
	}
	if p.Shift > 0 {
		fmt.Fprintf(&c.Errout, "warning [%s]:  %d extra byte%s at beginning or within zipfile\n  (attempting to process anyway)\n", name, p.Shift, plural(p.Shift))
		p.Status = 1
	}
	p.Found = make([]bool, len(o.names))
	if o.list && o.quiet < 2 {
		c.Out.WriteString(heading(o.verbose))
	}
	if o.dir != "" && !o.list && !o.test && !o.pipe && !o.tell {
		c.Mkdir(strings.TrimSuffix(o.dir, "/"), 0o777) // it may be there
	}
	return 0
}

func heading(verbose bool) string {
	if verbose {
		return " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n--------  ------  ------- ---- ---------- ----- --------  ----\n"
	}
	return "  Length      Date    Time    Name\n---------  ---------- -----   ----\n"
}

// wanted reports whether the command line asks for a member.
func (p *Program) wanted(name string) bool {
	flags := fnmatch.Flags(0)
	if p.o.fold {
		flags = fnmatch.Fold
	}
	for _, x := range p.o.exclude {
		if fnmatch.Match(x, name, flags) {
			return false
		}
	}
	hit := len(p.o.names) == 0
	for i, n := range p.o.names {
		if fnmatch.Match(n, name, flags) {
			p.Found[i], hit = true, true
		}
	}
	return hit
}

// member lists a member, or begins with its data.
func (p *Program) member(c *cmd.Ctx, e *entry) {
	o := p.o
	p.Sum.Size, p.Sum.Packed, p.Sum.Count = p.Sum.Size+e.Size, p.Sum.Packed+e.packed(), p.Sum.Count+1
	switch {
	case o.bare:
		c.Out.WriteString(e.Name + "\n")
	case o.list:
		p.row(c, e)
	case o.test, o.pipe, o.tell:
		p.open(c, e, "")
	default:
		path, ok := p.target(c, e)
		switch {
		case !ok:
		case e.dir():
			p.directoryMade(c, e, path)
		default:
			st, err := c.Lstat(path)
			if err == nil && st.Mode.IsLink() && !o.overwrite && p.Always != 'A' {
				with := ""
				if _, err := c.Stat(path); err != nil {
					with = " with no real file"
				}
				fmt.Fprintf(&c.Out, "%s exists and is a symbolic link%s.\n", path, with)
			}
			if err == nil && !o.overwrite && p.Always != 'A' {
				p.Asking = !o.never && p.Always != 'N'
				return
			}
			p.open(c, e, path)
		}
	}
}

func (p *Program) row(c *cmd.Ctx, e *entry) {
	at := p.o.zone.Time(e.Mtime * 1e9).Format("2006-01-02 15:04")
	if !p.o.verbose {
		fmt.Fprintf(&c.Out, "%9d  %s   %s\n", e.Size, at, e.Name)
		return
	}
	method := "Stored"
	if e.Method == 8 {
		method = "Defl:N"
	}
	fmt.Fprintf(&c.Out, "%8d  %s %8d %3d%% %s %08x  %s\n", e.Size, method, e.packed(), saved(e.Size, e.packed()), at, e.CRC, e.Name)
}

// saved is how many per cent of size compression saved.
func saved(size, packed int64) int64 {
	if size == 0 {
		return 0
	}
	if packed > size {
		return -((packed-size)*1000/size + 5) / 10
	}
	return ((size-packed)*1000/size + 5) / 10
}

// target is where a member goes: never above the directory it is extracted to.
func (p *Program) target(c *cmd.Ctx, e *entry) (path string, ok bool) {
	name := e.Name
	if p.o.junk {
		if e.dir() {
			return "", false
		}
		name = walk.Base(name)
	}
	var parts []string
	for _, part := range strings.Split(strings.Trim(name, "/"), "/") {
		switch part {
		case "", ".":
		case "..":
			c.Errout.WriteString("warning:  skipped \"../\" path component(s) in " + e.Name + "\n")
			p.Status = max(p.Status, 1)
		default:
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "", false
	}
	path = strings.Join(parts, "/")
	if d := strings.TrimSuffix(p.o.dir, "/"); d != "" {
		path = d + "/" + path
	} else if p.o.dir != "" {
		path = "/" + path
	}
	return path, true
}

func (p *Program) directoryMade(c *cmd.Ctx, e *entry, path string) {
	_, err := c.Stat(path)
	if err != nil {
		parents(c, path)
		if err := c.Mkdir(path, 0o777); err != nil {
			p.cannot(c, path, err)
			return
		}
		if p.o.quiet == 0 {
			c.Out.WriteString("   creating: " + path + "/\n")
		}
	}
	d := *e
	d.Name = path
	p.Dirs = append(p.Dirs, d)
}

// parents makes the directories above a path.
func parents(c *cmd.Ctx, path string) {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			c.Mkdir(path[:i], 0o777) // what matters is whether the file can be made then
		}
	}
}

func (p *Program) cannot(c *cmd.Ctx, path string, err error) {
	fmt.Fprintf(&c.Errout, "error:  cannot create %s\n        %s\n", path, err)
	p.Status = max(p.Status, 50)
}

// replace asks what to do with a file that is there; false: the program returns next.
func (p *Program) replace(c *cmd.Ctx) (next cmd.Next, ok bool) {
	e := &p.Entries[p.I-1]
	path, _ := p.target(c, e)
	answer, got, next := p.Ask.Line(c, "replace "+path+"? [y]es, [n]o, [A]ll, [N]one, [r]ename: ")
	if !got {
		return next, false
	}
	switch {
	case len(answer) == 0 && p.Ask.Lines.Ended():
		c.Errout.WriteString(" NULL\n(EOF or read error, treating as \"[N]one\" ...)\n")
		p.Always, p.Asking, p.Status = 'N', false, max(p.Status, 1)
	case len(answer) > 0 && strings.IndexByte("nN", answer[0]) >= 0:
		p.Asking = false
		if answer[0] == 'N' {
			p.Always = 'N'
		}
	case len(answer) > 0 && strings.IndexByte("yA", answer[0]) >= 0:
		if p.Asking = false; answer[0] == 'A' {
			p.Always = 'A'
		}
		p.open(c, e, path)
	default:
		if len(answer) > 0 && answer[0] == 'r' {
			c.Unsupported("unzip rename")
		}
		fmt.Fprintf(&c.Errout, "error:  invalid response [%s]\n", answer)
	}
	return next, true
}

func plural(n int64) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// end writes the totals and what was not found, and gives directories their times.
func (p *Program) end(c *cmd.Ctx) cmd.Next {
	o, sum := p.o, p.Sum
	s := plural(int64(sum.Count))
	switch {
	case o.bare:
	case o.list && o.quiet < 2 && o.verbose:
		fmt.Fprintf(&c.Out, "--------          -------  ---                            -------\n%8d         %8d %3d%%                            %d file%s\n",
			sum.Size, sum.Packed, saved(sum.Size, sum.Packed), sum.Count, s)
	case o.list && o.quiet < 2:
		fmt.Fprintf(&c.Out, "---------                     -------\n%9d                     %d file%s\n", sum.Size, sum.Count, s)
	case o.test && p.Status == 0 && o.quiet < 2 && sum.Count > 0:
		if len(o.names) == 0 && len(o.exclude) == 0 {
			fmt.Fprintf(&c.Out, "No errors detected in compressed data of %s.\n", p.Name)
		} else {
			fmt.Fprintf(&c.Out, "No errors detected in %s for the %d file%s tested.\n", p.Name, sum.Count, s)
		}
	}
	if len(p.Links) > 0 && o.quiet == 0 {
		c.Out.WriteString("finishing deferred symbolic links:\n")
		for i := 0; i+1 < len(p.Links); i += 2 {
			fmt.Fprintf(&c.Out, "  %-22s -> %s\n", p.Links[i], p.Links[i+1])
		}
	}
	for i := len(p.Dirs) - 1; i >= 0; i-- {
		d := &p.Dirs[i]
		if d.Mode != 0 {
			c.Chmod(d.Name, d.Mode&0o777)
		}
		c.Utimes(d.Name, d.Mtime*1e9, d.Mtime*1e9, true)
	}
	for i, n := range o.names {
		if !p.Found[i] && !o.list {
			c.Errout.WriteString("caution: filename not matched:  " + n + "\n")
		}
		if !p.Found[i] {
			p.Status = max(p.Status, 11)
		}
	}
	return cmd.Exit(p.Status)
}

// open begins with a member's data.
func (p *Program) open(c *cmd.Ctx, e *entry, path string) {
	b := &p.Body
	*b = body{}
	head := p.at(c, e.Offset+p.Shift, 30)
	if len(head) < 30 || !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		fmt.Fprintf(&c.Errout, "file #%d:  bad zipfile offset (local header sig):  %d\n", p.I, e.Offset)
		p.Status = max(p.Status, 3)
		return
	}
	name := e.Name
	if path != "" {
		name = path
	}
	if e.Secret || e.Method != 0 && e.Method != 8 {
		why, status := fmt.Sprintf("unsupported compression method %d", e.Method), 81
		if e.Secret {
			why, status = "unable to get password", 5
		}
		fmt.Fprintf(&c.Errout, "   skipping: %-22s  %s\n", name, why)
		c.Unsupported("unzip " + why)
		p.Status = max(p.Status, status)
		return
	}
	b.Off = e.Offset + p.Shift + 30 + int64(head[26]) + int64(head[27])<<8 + int64(head[28]) + int64(head[29])<<8
	b.Left, b.Open, b.Path = e.Packed, true, path
	verb := " extracting"
	if e.Method == 8 {
		verb = "  inflating"
	}
	switch {
	case p.o.test:
		if p.o.quiet == 0 {
			fmt.Fprintf(&c.Out, "    testing: %-22s  ", e.Name)
		}
	case p.o.pipe, p.o.tell:
		if b.Out = 1; p.o.tell && p.o.quiet == 0 {
			fmt.Fprintf(&c.Out, "%s: %-22s  \n", verb, e.Name)
		}
	default:
		if st, err := c.Lstat(path); err == nil && !st.Mode.IsDir() {
			c.Unlink(path)
		}
		parents(c, path)
		if !e.link() {
			fd, err := c.Open(path, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o666)
			if err != nil {
				p.cannot(c, path, err)
				b.Open = false
				return
			}
			b.Out = fd
		} else {
			verb = "    linking"
		}
		if p.o.quiet == 0 {
			fmt.Fprintf(&c.Out, "%s: %-22s  ", verb, path)
			if !e.link() {
				c.Out.WriteByte('\n')
			}
		}
	}
}

// data takes a turn of the open member.
func (p *Program) data(c *cmd.Ctx) cmd.Next {
	b, e := &p.Body, &p.Entries[p.I-1]
	if b.Ended {
		if c.Pending() > c.Out.Len() && b.Out > 1 {
			return cmd.WaitWrite()
		}
		p.close(c, e)
		return cmd.Again()
	}
	if len(b.Raw) < 16<<10 && b.Left > 0 {
		got := p.at(c, b.Off, int(min(b.Left, cmd.Turn)))
		if len(got) == 0 {
			b.Left = 0
		}
		b.Off, b.Left = b.Off+int64(len(got)), max(0, b.Left-int64(len(got)))
		b.Raw = append(b.Raw, got...)
	}
	var out []byte
	var err error
	if e.Method == 0 {
		out, b.Raw = b.Raw, nil
		b.Ended = b.Left == 0
	} else {
		var used int
		out, used, err = b.Dec.Decode(b.Raw, b.Left == 0, nil, cmd.Turn)
		b.Raw = append([]byte(nil), b.Raw[used:]...)
		b.Ended = b.Dec.Done() || err != nil
	}
	b.CRC = crc32.Update(b.CRC, crc32.IEEETable, out)
	c.Hold(len(b.Raw) + 64<<10)
	switch {
	case e.link() && b.Path != "":
		b.Link = append(b.Link, out...)
		if len(b.Link) > 4096 {
			b.Ended = true
		}
	case b.Out == 1:
		c.Out.Write(out)
	case b.Out > 1:
		if werr := c.Write(b.Out, out); werr != nil {
			p.cannot(c, b.Path, werr)
			b.Ended = true
		}
	}
	if b.Ended && (err != nil || b.CRC != e.CRC) {
		c.Flush()
		if err != nil {
			fmt.Fprintf(&c.Errout, "  error:  invalid compressed data to inflate %s\n", e.Name)
		} else {
			fmt.Fprintf(&c.Errout, " bad CRC %08x  (should be %08x)\n", b.CRC, e.CRC)
		}
		p.Status = max(p.Status, 2)
	}
	return cmd.Again()
}

// close ends a member: its file gets its mode and time.
func (p *Program) close(c *cmd.Ctx, e *entry) {
	b := &p.Body
	switch {
	case p.o.test:
		if p.o.quiet == 0 && b.CRC == e.CRC {
			c.Out.WriteString(" OK\n")
		}
	case p.o.tell:
		if p.o.quiet == 0 {
			c.Out.WriteByte('\n')
		}
	case b.Path == "":
	case e.link():
		if p.o.quiet == 0 {
			c.Out.WriteString("-> " + string(b.Link) + " \n")
		}
		if err := c.Symlink(string(b.Link), b.Path); err != nil {
			p.cannot(c, b.Path, err)
		}
		p.Links = append(p.Links, b.Path, string(b.Link))
	default:
		c.Close(b.Out)
		if e.Mode != 0 {
			c.Chmod(b.Path, e.Mode&0o777&^c.Umask())
		}
		c.Utimes(b.Path, e.Mtime*int64(time.Second), e.Mtime*int64(time.Second), true)
	}
	p.Body = body{}
}
