package tar

import (
	"bytes"
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// delayed is what a directory gets when everything in it is there.
type delayed struct {
	Path  string `cbor:"1,keyasint,omitempty"`
	Mode  uint32 `cbor:"2,keyasint,omitempty"`
	Mtime int64  `cbor:"3,keyasint,omitempty"`
}

// extended is what members of the types L, K, x and g say about those that follow.
type extended struct {
	Text   []byte `cbor:"1,keyasint,omitempty"` // data of the one being read
	Long   string `cbor:"2,keyasint,omitempty"` // name for the next member
	Link   string `cbor:"3,keyasint,omitempty"`
	Pax    string `cbor:"4,keyasint,omitempty"`
	Global string `cbor:"5,keyasint,omitempty"`
}

// member is what its data being read still needs of a header.
type member struct {
	Mode  uint32 `cbor:"2,keyasint,omitempty"`
	Mtime int64  `cbor:"6,keyasint,omitempty"` // ns
	Type  byte   `cbor:"7,keyasint,omitempty"`
}

// reading is the state of reading an archive.
type reading struct {
	Raw     []byte    `cbor:"1,keyasint,omitempty"` // of the tar stream, not used yet
	EOF     bool      `cbor:"2,keyasint,omitempty"`
	Zipped  bool      `cbor:"3,keyasint,omitempty"`
	Looked  bool      `cbor:"4,keyasint,omitempty"` // Zipped is known
	Head    member    `cbor:"5,keyasint,omitempty"`
	Left    int64     `cbor:"6,keyasint,omitempty" holds:"count"` // bytes of the member's data
	Pad     int64     `cbor:"7,keyasint,omitempty" holds:"count"`
	Body    bool      `cbor:"8,keyasint,omitempty"`               // inside a member
	Out     int       `cbor:"9,keyasint,omitempty" holds:"count"` // where its data goes: 0 nowhere, 1 stdout
	Path    string    `cbor:"10,keyasint,omitempty"`
	Ext     extended  `cbor:"11,keyasint,omitempty"`
	Members int       `cbor:"16,keyasint,omitempty"`
	Found   []bool    `cbor:"17,keyasint,omitempty" holds:"as Wanted"` // by operand
	Dirs    []delayed `cbor:"18,keyasint,omitempty"`
	Ended   bool      `cbor:"19,keyasint,omitempty"`
	Width   int       `cbor:"20,keyasint,omitempty" holds:"64"` // of owner and size in -tv
	Wanted  []string  `cbor:"21,keyasint,omitempty"`
	Finish  bool      `cbor:"22,keyasint,omitempty"` // the open file wants its attributes
	Read    bool      `cbor:"23,keyasint,omitempty"` // operands were read
	Garbled bool      `cbor:"24,keyasint,omitempty"` // skipping to the next header
}

// extractTurn is one turn of -t and -x.
func (p *Program) extractTurn(c *cmd.Ctx) cmd.Next {
	r := &p.Extract
	if !r.Read {
		r.Read = true
		for _, n := range p.Names {
			if plain(n) {
				r.Wanted = append(r.Wanted, n)
			} else if !p.marked(c, n) {
				return cmd.Exit(2)
			}
		}
		if p.o.topLevel != "" && p.o.op == 'x' {
			p.parents(c, p.at(p.o.topLevel)+"/x")
		}
		r.Found = make([]bool, len(r.Wanted))
	}
	if r.Finish {
		if c.Pending() > c.Out.Len() {
			return cmd.WaitWrite()
		}
		p.finishFile(c)
	}
	for budget := c.Turn(walk.Turn / 2); budget > 0; budget-- {
		switch {
		case r.Ended:
			return p.endExtract(c)
		case r.Body && r.Left == 0 && r.Pad == 0:
			if !p.endMember(c) {
				return cmd.Again() // its last bytes are on their way
			}
		case r.Body && len(r.Raw) > 0:
			p.data(c)
		case !r.Body && len(r.Raw) >= blockSize:
			if !p.member(c) {
				return cmd.Exit(2)
			}
		case r.EOF:
			if len(r.Raw) == 0 && !r.Body && r.Members > 0 {
				r.Ended = true
				break
			}
			if r.Members == 0 && !r.Body {
				p.fail(c, "This does not look like a tar archive")
				return p.exit(c)
			}
			p.fatal(c, "Unexpected EOF in archive")
			return cmd.Exit(2)
		default:
			if ok, next := p.fill(c); !ok {
				return next
			}
			budget -= walk.Turn / 8
		}
	}
	c.Hold(len(r.Raw) + len(p.Reader.Raw) + 128<<10)
	return cmd.Again()
}

// fill reads more of the tar stream.
func (p *Program) fill(c *cmd.Ctx) (ok bool, next cmd.Next) {
	r := &p.Extract
	if r.Zipped && !p.Reader.Hungry() {
		return p.unzip(c)
	}
	page := cmd.Borrow()
	defer page.Return()
	n, err := c.Read(p.FD, page[:])
	switch {
	case err == cmd.ErrBlocked:
		return false, cmd.WaitRead(p.FD)
	case err != nil && err != io.EOF:
		p.fatal(c, "%s: Cannot read: %s", p.o.archive, err)
		return false, cmd.Exit(2)
	}
	buf := page[:n]
	if !r.Looked {
		r.Looked = true
		r.Zipped = p.o.gzip
		if bytes.HasPrefix(buf, []byte("\x1f\x8b")) && !r.Zipped {
			if p.FD == 0 {
				p.fatal(c, "Archive is compressed. Use -z option")
				return false, cmd.Exit(2)
			}
			r.Zipped = true
		}
		for magic, letter := range map[string]string{"BZh": "j", "\xfd7zXZ": "J"} {
			if bytes.HasPrefix(buf, []byte(magic)) {
				return false, cmd.Exit(c.NotYet("option -" + letter))
			}
		}
		if n == 0 && r.Zipped {
			c.Errout.WriteString("\ngzip: stdin: unexpected end of file\n")
			p.fatal(c, "Child returned status 1")
			return false, cmd.Exit(2)
		}
	}
	if r.Zipped {
		p.Reader.Feed(buf)
		p.Reader.EOF = n == 0
		return p.unzip(c)
	}
	r.Raw = append(r.Raw, buf...)
	r.EOF = n == 0
	return true, next
}

func (p *Program) unzip(c *cmd.Ctx) (ok bool, next cmd.Next) {
	r := &p.Extract
	out, err := p.Reader.Next()
	r.Raw = append(r.Raw, out...)
	if p.Reader.Over() {
		r.EOF = true
	}
	if err != nil {
		c.Errout.WriteString("\ngzip: stdin: " + err.Error() + "\n")
		if p.Reader.Total == 0 {
			p.fatal(c, "Child returned status 1")
			return false, cmd.Exit(2)
		}
		p.Status = 2
	}
	return true, next
}

// member reads a header block; false ends the program.
func (p *Program) member(c *cmd.Ctx) bool {
	r := &p.Extract
	b := r.Raw[:blockSize]
	r.Raw = r.Raw[blockSize:]
	if len(bytes.TrimLeft(b, "\x00")) == 0 {
		r.Ended = true
		return true
	}
	h, ok := decode(b)
	if !ok {
		if r.Members == 0 && !r.Garbled {
			c.Errorf("This does not look like a tar archive")
		}
		if !r.Garbled {
			p.fail(c, "Skipping to next header")
		}
		r.Garbled = true
		return true
	}
	r.Garbled = false
	r.Members++
	r.Body, r.Out, r.Path, r.Ext.Text = true, 0, "", nil
	switch h.Type {
	case 'L', 'K', 'x', 'g', 'X':
		if h.Size > 1<<20 {
			p.fatal(c, "extended header is too large")
			return false
		}
		r.Head, r.Left = member{Type: h.Type}, h.Size
		r.Pad = -h.Size & (blockSize - 1)
		return true
	}
	h.pax(r.Ext.Global)
	h.pax(r.Ext.Pax)
	if r.Ext.Long != "" {
		h.Name = r.Ext.Long
	}
	if r.Ext.Link != "" {
		h.Link = r.Ext.Link
	}
	if h.Type == typeFile && strings.HasSuffix(h.Name, "/") {
		h.Type = typeDir
	}
	r.Ext.Long, r.Ext.Link, r.Ext.Pax = "", "", ""
	r.Head = member{h.Mode, h.Mtime, h.Type}
	if r.Left = h.Size; h.Type != typeFile {
		r.Left = 0
	}
	r.Pad = -r.Left & (blockSize - 1)
	if !p.wanted(h.Name) || p.excluded(h.Name) {
		return true
	}
	if p.o.op == 't' {
		p.safe(c, h.Name, false) // for what it says
		if p.o.shown {
			h.Name = p.below(p.transformed(h.Name, typeFile))
		}
		p.said2(c, &h)
		return true
	}
	p.extract(c, &h)
	return true
}

// said2 writes a member's line of -t.
func (p *Program) said2(c *cmd.Ctx, h *header) {
	if p.o.verbose > 0 {
		c.Out.WriteString(p.line(c, h) + "\n")
	} else {
		c.Out.WriteString(escapeName(c, h.Name) + "\n")
	}
}

// wanted reports whether the operands name the member.
func (p *Program) wanted(name string) bool {
	r := &p.Extract
	if len(r.Wanted) == 0 {
		return true
	}
	name = strings.TrimSuffix(name, "/")
	hit := false
	for i, w := range r.Wanted {
		w = strings.TrimSuffix(w, "/")
		place := operand{dir: p.Dir}
		if ops := p.operands(); i < len(ops) { // a state may say something else
			place = ops[i]
		}
		flags := fnmatch.LeadingDir
		if place.flat {
			flags = 0
		}
		for rest, more := name, true; more; _, rest, more = strings.Cut(rest, "/") {
			if rest == w || !place.flat && strings.HasPrefix(rest, w+"/") || p.o.wildcards && fnmatch.Match(w, rest, flags) {
				if !hit {
					p.Dir = place.dir
				}
				r.Found[i], hit = true, true
			}
			if !p.o.anywhere {
				break
			}
		}
	}
	return hit
}

// stripped takes components off a name; "" if nothing is left.
func stripped(name string, n int) string {
	for ; n > 0; n-- {
		name = strings.TrimLeft(name, "/")
		i := strings.IndexByte(name, '/')
		if i < 0 {
			return ""
		}
		name = name[i+1:]
	}
	return name
}

// extract makes the member's file; its data follows.
func (p *Program) extract(c *cmd.Ctx, h *header) {
	r := &p.Extract
	name := h.Name
	if len(p.o.transform) > 0 {
		name = p.transformed(name, typeFile)
		if h.Type == typeSymlink || h.Type == typeLink {
			h.Link = p.transformed(h.Link, h.Type)
		}
		if name == "" {
			return
		}
	}
	if p.o.strip > 0 {
		if name = strings.TrimLeft(stripped(name, p.o.strip), "/"); name == "" {
			return
		}
	}
	if !p.o.absolute && strings.Contains("/"+name+"/", "/../") {
		p.fail(c, "%s: Member name contains '..', skipping.", escapeName(c, name))
		return
	}
	name = p.below(p.safe(c, name, false))
	if p.o.verbose > 0 {
		shown := *h
		shown.Name = name
		if !p.o.shown {
			shown.Name = h.Name
		}
		line := escapeName(c, shown.Name)
		if p.o.verbose > 1 {
			line = p.line(c, &shown)
		}
		if p.o.stdout {
			c.Errout.WriteString(line + "\n")
		} else {
			c.Out.WriteString(line + "\n")
		}
	}
	if p.o.stdout {
		if h.Type == typeFile {
			r.Out = 1
		}
		return
	}
	path := p.at(name)
	st, err := c.Lstat(strings.TrimSuffix(path, "/"))
	if err == nil && !(h.Type == typeDir && st.Mode.IsDir()) {
		switch {
		case h.Type == typeLink && p.itself(c, h, st):
			return
		case p.o.skip:
			return
		case p.o.keepNewer && st.Mtime >= h.Mtime:
			c.Errorf("Current %s is newer or same age", quote.Locale(c, name))
			return
		case p.o.keep:
			p.cannot(c, h, name, vfs.EEXIST)
			return
		case st.Mode.IsDir() && h.Type != typeDir:
			if err := c.Rmdir(path); err != nil {
				p.fail(c, "%s: Cannot open: %s", escapeName(c, name), vfs.EEXIST)
				return
			}
		case st.Mode.IsDir(), h.Type == typeChar, h.Type == '4':
		case p.o.overwrite && h.Type == typeFile && (st.Mode.IsRegular() || st.Mode.IsLink() && p.o.follow): // written into
		case h.Type == typeDir && st.Mode.IsLink():
			if to, err := c.Stat(path); err == nil && to.Mode.IsDir() && p.o.overwrite {
				return
			}
			c.Unlink(strings.TrimSuffix(path, "/"))
		default:
			c.Unlink(strings.TrimSuffix(path, "/"))
		}
	}
	if err := p.make(c, h, path); err == vfs.ENOENT {
		p.parents(c, path)
		err = p.make(c, h, path)
		if err != nil {
			p.cannot(c, h, name, err)
		}
	} else if err != nil {
		p.cannot(c, h, name, err)
	}
}

// below is a name under the directory of --one-top-level.
func (p *Program) below(name string) string {
	if top := p.o.topLevel; top != "" && name != top && !strings.HasPrefix(name, top+"/") {
		return top + "/" + strings.TrimPrefix(name, "./")
	}
	return name
}

// target is the file that a hard link is made to.
func (p *Program) target(c *cmd.Ctx, h *header) string {
	return p.at(p.safe(c, stripped(h.Link, p.o.strip), true))
}

// itself reports whether a hard link is to be made to what its own name already is: a file that was archived twice.
func (p *Program) itself(c *cmd.Ctx, h *header, st vfs.Stat) bool {
	to, err := c.Lstat(p.target(c, h))
	return err == nil && to.Ino == st.Ino && to.Dev == st.Dev
}

func (p *Program) cannot(c *cmd.Ctx, h *header, name string, err error) {
	switch h.Type {
	case typeDir:
		p.fail(c, "%s: Cannot mkdir: %s", escapeName(c, strings.TrimSuffix(name, "/")), err)
	case typeLink:
		p.fail(c, "%s: Cannot hard link to %s: %s", escapeName(c, name), quote.Marks(c, "‘")+escapeName(c, stripped(h.Link, p.o.strip))+quote.Marks(c, "’"), err)
	case typeSymlink:
		p.fail(c, "%s: Cannot create symlink to %s: %s", escapeName(c, name), quote.Marks(c, "‘")+escapeName(c, h.Link)+quote.Marks(c, "’"), err)
	default:
		p.fail(c, "%s: Cannot open: %s", escapeName(c, name), err)
	}
}

// parents makes the directories above a path.
func (p *Program) parents(c *cmd.Ctx, path string) {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' && path[i-1] != '/' {
			c.Mkdir(path[:i], 0o777) // what matters is whether the file can be made then
		}
	}
}

// mode is what an extracted file gets.
func (p *Program) mode(c *cmd.Ctx, mode uint32) uint32 {
	if p.o.preserve || c.UID() == 0 {
		return mode
	}
	return mode & 0o777 &^ c.Umask()
}

func (p *Program) make(c *cmd.Ctx, h *header, path string) error {
	r := &p.Extract
	switch h.Type {
	case typeDir:
		path = strings.TrimSuffix(path, "/")
		err := c.Mkdir(path, h.Mode|0o700)
		if err == vfs.EEXIST {
			if st, serr := c.Stat(path); serr == nil && st.Mode.IsDir() {
				err = nil
			}
		}
		if err == nil {
			r.Dirs = append(r.Dirs, delayed{path, p.mode(c, h.Mode), h.Mtime})
		}
		return err
	case typeSymlink:
		if err := c.Symlink(h.Link, path); err != nil {
			return err
		}
		if !p.o.touch {
			c.Utimes(path, c.Now(), h.Mtime, false)
		}
	case typeLink:
		return c.Link(p.target(c, h), path)
	case typeFifo:
		return c.Mkfifo(path, h.Mode)
	case typeChar, '4':
		return vfs.EPERM
	default:
		fd, err := c.Open(path, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, h.Mode&0o777)
		if err != nil {
			return err
		}
		r.Out, r.Path = fd, path
	}
	return nil
}

// data takes some bytes of the member.
func (p *Program) data(c *cmd.Ctx) {
	r := &p.Extract
	if r.Left == 0 {
		n := min(r.Pad, int64(len(r.Raw)))
		r.Raw, r.Pad = r.Raw[n:], r.Pad-n
		return
	}
	n := min(r.Left, int64(len(r.Raw)), cmd.Turn)
	b := r.Raw[:n]
	switch {
	case strings.IndexByte("LKxgX", r.Head.Type) >= 0:
		r.Ext.Text = append(r.Ext.Text, b...)
	case r.Out == 1:
		c.Out.Write(b)
	case r.Out > 2:
		if err := c.Write(r.Out, b); err != nil {
			p.fail(c, "%s: Cannot write: %s", escapeName(c, r.Path), err)
		}
	}
	r.Raw, r.Left = r.Raw[n:], r.Left-n
}

// endMember ends the member; false if its file must be written out first.
func (p *Program) endMember(c *cmd.Ctx) bool {
	r := &p.Extract
	r.Body = false
	switch r.Head.Type {
	case 'L':
		r.Ext.Long = strings.TrimRight(string(r.Ext.Text), "\x00")
	case 'K':
		r.Ext.Link = strings.TrimRight(string(r.Ext.Text), "\x00")
	case 'x', 'X':
		r.Ext.Pax = string(r.Ext.Text)
	case 'g':
		r.Ext.Global += string(r.Ext.Text)
	}
	if r.Out <= 2 {
		return true
	}
	r.Finish = true
	return false
}

func (p *Program) finishFile(c *cmd.Ctx) {
	r := &p.Extract
	r.Finish = false
	c.Close(r.Out)
	r.Out = 0
	c.Chmod(r.Path, p.mode(c, r.Head.Mode))
	if !p.o.touch {
		c.Utimes(r.Path, c.Now(), r.Head.Mtime, true)
	}
}

// endExtract sets the directories' attributes and reports operands that were not found.
func (p *Program) endExtract(c *cmd.Ctx) cmd.Next {
	r := &p.Extract
	for n := c.Turn(walk.Turn); len(r.Dirs) > 0 && n > 0; n-- {
		d := r.Dirs[len(r.Dirs)-1]
		r.Dirs = r.Dirs[:len(r.Dirs)-1]
		c.Chmod(d.Path, d.Mode)
		if !p.o.touch {
			c.Utimes(d.Path, c.Now(), d.Mtime, true)
		}
	}
	if len(r.Dirs) > 0 {
		return cmd.Again()
	}
	for i, w := range r.Wanted {
		if !r.Found[i] {
			p.fail(c, "%s: Not found in archive", escapeName(c, w))
		}
	}
	return p.exit(c)
}
