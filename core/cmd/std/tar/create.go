package tar

import (
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

// source is a directory being archived.
type source struct {
	Dir  walk.Dir `cbor:"1,keyasint,omitempty"`
	Name string   `cbor:"2,keyasint,omitempty"` // of its members
}

// linked remembers an inode with several links.
type linked struct {
	Ino  uint64 `cbor:"1,keyasint,omitempty"`
	Name string `cbor:"2,keyasint,omitempty"`
}

// creation is the state of making an archive.
type creation struct {
	I       int      `cbor:"1,keyasint,omitempty" holds:"count"`
	Stack   []source `cbor:"2,keyasint,omitempty"`
	FD      int      `cbor:"3,keyasint,omitempty"` // of the file being copied
	Open    bool     `cbor:"4,keyasint,omitempty"`
	Left    int64    `cbor:"5,keyasint,omitempty" holds:"count"` // bytes of it
	Size    int64    `cbor:"6,keyasint,omitempty" holds:"count"`
	Name    string   `cbor:"7,keyasint,omitempty"`
	Links   []linked `cbor:"8,keyasint,omitempty"`
	Written int64    `cbor:"9,keyasint,omitempty" holds:"count"`
	Trailer bool     `cbor:"10,keyasint,omitempty"`
	Head    bool     `cbor:"11,keyasint,omitempty"` // gzip's header is out
	Ready   bool     `cbor:"12,keyasint,omitempty"` // -r and -u: the end of the archive was found
	Ino     uint64   `cbor:"13,keyasint,omitempty"` // of the archive itself
	Remove  []string `cbor:"14,keyasint,omitempty"` // --remove-files
	Known   []known  `cbor:"15,keyasint,omitempty"` // -u: what the archive has
	Flat    bool     `cbor:"16,keyasint,omitempty"` // --no-recursion holds
}

// known is a member that the archive has.
type known struct {
	Name  string `cbor:"1,keyasint,omitempty"`
	Mtime int64  `cbor:"6,keyasint,omitempty"` // ns
}

// record is what the archive's length is a multiple of.
const record = 20 * blockSize

func (p *Program) emit(c *cmd.Ctx, b []byte, last bool) {
	p.Create.Written += int64(len(b))
	if p.o.gzip {
		var head []byte
		if !p.Create.Head {
			p.Create.Head = true
			head = p.Writer.Header("", 0, 6)
		}
		b = append(head, p.Writer.Write(b, 6, last)...)
	}
	if len(b) == 0 {
		return
	}
	if p.FD == 1 {
		c.Out.Write(b)
	} else if err := c.Write(p.FD, b); err != nil {
		p.fail(c, "%s: Cannot write: %s", p.o.archive, err)
	}
}

// createTurn is one turn of -c, -r and -u.
func (p *Program) createTurn(c *cmd.Ctx) cmd.Next {
	k := &p.Create
	if !k.Ready {
		if p.o.op != 'c' && p.FD > 2 {
			if done, next := p.findEnd(c); !done {
				return next
			}
		}
		k.Ready = true
		if st, err := c.Fstat(p.FD); err == nil && p.FD > 2 {
			k.Ino = uint64(st.Ino)
		}
	}
	for budget := c.Turn(walk.Turn / 2); budget > 0; budget-- {
		if k.Open {
			return p.copyFile(c)
		}
		n := len(k.Stack)
		switch {
		case n > 0:
			top := &k.Stack[n-1]
			if !top.Dir.Full {
				if err := top.Dir.Fill(c, &budget); err != nil {
					p.fail(c, "%s: Cannot open: %s", top.Dir.Path, err)
				}
			} else if name, _, ok := top.Dir.Next(); ok {
				p.add(c, walk.Join(top.Dir.Path, name), walk.Join(top.Name, name), false)
			} else {
				k.Stack = k.Stack[:n-1]
			}
		case k.I < len(p.Names):
			name := p.Names[k.I]
			k.I++
			if !plain(name) {
				if !p.marked(c, name) {
					return cmd.Exit(2)
				}
				break
			}
			p.add(c, p.at(name), name, true)
		case !k.Trailer:
			k.Trailer = true
			end := 2 * int64(blockSize)
			if over := (k.Written + end) % record; over != 0 {
				end += record - over
			}
			p.emit(c, make([]byte, end), true)
		default:
			if c.Pending() > c.Out.Len() {
				return cmd.WaitWrite()
			}
			p.idle(c)
			p.removeAdded(c)
			return p.exit(c)
		}
	}
	return cmd.Again()
}

// removeAdded is --remove-files: deepest first.
func (p *Program) removeAdded(c *cmd.Ctx) {
	for i := len(p.Create.Remove) - 1; i >= 0; i-- {
		path := p.Create.Remove[i]
		for strings.HasSuffix(path, "/.") { // a directory of -C
			path = path[:len(path)-2]
		}
		if c.Unlink(path) != nil {
			if err := c.Rmdir(path); err != nil {
				p.fail(c, "%s: Cannot rmdir: %s", path, err)
			}
		}
	}
}

// add writes the header of a file; its bytes follow in later turns.
func (p *Program) add(c *cmd.Ctx, path, name string, command bool) {
	k := &p.Create
	if p.excluded(name) {
		return
	}
	st, err := c.Lstat(path)
	if err == nil && p.o.follow {
		st, err = c.Stat(path)
	}
	if err != nil {
		p.fail(c, "%s: Cannot stat: %s", escapeName(c, name), err)
		return
	}
	if k.Ino != 0 && uint64(st.Ino) == k.Ino {
		c.Errorf("%s: file is the archive; not dumped", escapeName(c, name))
		return
	}
	h := header{Name: p.transformed(p.safe(c, name, false), typeFile), Mode: uint32(st.Mode & vfs.PermMask), UID: int(st.UID), GID: int(st.GID), Mtime: st.Mtime, Type: typeFile}
	switch st.Mode & vfs.TypeMask {
	case vfs.TypeDir:
		h.Type = typeDir
		if !strings.HasSuffix(h.Name, "/") {
			h.Name += "/"
		}
	case vfs.TypeLink:
		h.Type = typeSymlink
		h.Link, _ = c.Readlink(path)
		h.Link = p.transformed(h.Link, typeSymlink)
	case vfs.TypeFifo:
		h.Type = typeFifo
	case vfs.TypeChar:
		h.Type = typeChar
	case vfs.TypeFile:
		h.Size = st.Size
	}
	if p.o.op == 'u' && p.known(&h) {
		if h.Type == typeDir && p.recurses() {
			k.Stack = append(k.Stack, source{walk.Dir{Path: path}, name})
		}
		return
	}
	if st.Nlink > 1 && !st.Mode.IsDir() {
		if first := p.firstLink(uint64(st.Ino)); first != "" {
			h.Type, h.Link, h.Size = typeLink, p.transformed(p.safe(c, first, true), typeLink), 0
		} else {
			k.Links = append(k.Links, linked{uint64(st.Ino), name})
		}
	}
	p.force(c, &h)
	fd := -1
	if h.Type == typeFile {
		if fd, err = c.Open(path, vfs.O_RDONLY, 0); err != nil {
			p.fail(c, "%s: Cannot open: %s", escapeName(c, name), err)
			return
		}
	}
	b, err := h.encode(p.o.format)
	if err != nil {
		if h.Type == typeDir {
			name = strings.TrimSuffix(name, "/") + "/"
		}
		p.fail(c, "%s: %s", escapeName(c, name), err)
		if fd >= 0 {
			c.Close(fd)
		}
		return
	}
	if shown := name; p.o.verbose > 0 {
		if p.o.shown {
			shown = h.Name
		}
		p.said(c, &h, shown)
	}
	p.emit(c, b, false)
	if p.o.removeFiles {
		k.Remove = append(k.Remove, path)
	}
	switch {
	case h.Type == typeFile:
		k.FD, k.Open, k.Left, k.Size, k.Name = fd, true, h.Size, h.Size, name
	case h.Type == typeDir && p.recurses():
		if len(k.Stack) >= walk.MaxDepth {
			p.fail(c, "%s: Cannot open: %s", escapeName(c, name), vfs.ENAMETOOLONG)
			return
		}
		k.Stack = append(k.Stack, source{walk.Dir{Path: path}, name})
	}
}

func (p *Program) firstLink(ino uint64) string {
	for _, l := range p.Create.Links {
		if l.Ino == ino {
			return l.Name
		}
	}
	return ""
}

// known reports whether the archive has the member and it is not older (-u). A directory only stands for what is in it.
func (p *Program) known(h *header) bool {
	for i := len(p.Create.Known) - 1; i >= 0; i-- {
		if k := &p.Create.Known[i]; k.Name == h.Name {
			return h.Type == typeDir || k.Mtime/1e9 >= h.Mtime/1e9
		}
	}
	return false
}

// force applies --owner and its like.
func (p *Program) force(c *cmd.Ctx, h *header) {
	o := p.o
	h.User, h.Group = p.Owners.User(c, uint32(h.UID)), p.Owners.Group(c, uint32(h.GID))
	if !p.Owners.HasUser(c, uint32(h.UID)) {
		h.User = ""
	}
	if !p.Owners.HasGroup(c, uint32(h.GID)) {
		h.Group = ""
	}
	if o.uid >= 0 {
		h.UID, h.User = o.uid, o.user
	}
	if o.gid >= 0 {
		h.GID, h.Group = o.gid, o.group
	}
	if o.numeric {
		h.User, h.Group = "", ""
	}
	if o.mtime >= 0 {
		h.Mtime = o.mtime
	}
	if o.mode != nil {
		h.Mode = uint32(o.mode.Apply(h.vfsMode(), c.Umask()))
	}
}

// said writes the line of -v: to standard error if the archive is on standard output.
func (p *Program) said(c *cmd.Ctx, h *header, name string) {
	if p.o.verbose == 0 {
		return
	}
	shown := *h
	if shown.Name = name; h.Type == typeDir && !strings.HasSuffix(name, "/") {
		shown.Name += "/"
	}
	line := escapeName(c, shown.Name)
	if p.o.verbose > 1 {
		line = p.line(c, &shown)
	}
	if p.FD == 1 && p.o.op != 'x' && p.o.op != 't' {
		c.Errout.WriteString(line + "\n")
	} else {
		c.Out.WriteString(line + "\n")
	}
}

// copyFile copies one block of the open file.
func (p *Program) copyFile(c *cmd.Ctx) cmd.Next {
	k := &p.Create
	buf := make([]byte, min(int64(cmd.Turn), k.Left))
	n := 0
	switch {
	case k.FD < 0: // it has shrunk
		n = len(buf)
	case len(buf) > 0:
		var err error
		if n, err = c.Read(k.FD, buf); err == cmd.ErrBlocked {
			return cmd.WaitRead(k.FD)
		} else if err != nil {
			if err != io.EOF {
				p.fail(c, "%s: Read error at byte %d, while reading %d bytes: %s", escapeName(c, k.Name), k.Size-k.Left, len(buf), err)
			} else {
				c.Errorf("%s: File shrank by %d bytes; padding with zeros", escapeName(c, k.Name), k.Left)
				p.Status = max(p.Status, 1)
			}
			c.Close(k.FD)
			k.FD = -1
			n = len(buf)
			clear(buf)
		}
	}
	k.Left -= int64(n)
	buf = buf[:n]
	if k.Left == 0 {
		if over := k.Size % blockSize; over != 0 {
			buf = append(buf, make([]byte, blockSize-over)...)
		}
		if k.FD >= 0 {
			c.Close(k.FD)
		}
		k.Open = false
	}
	p.emit(c, buf, false)
	return cmd.Again()
}

// findEnd reads an existing archive up to its end, for -r and -u.
func (p *Program) findEnd(c *cmd.Ctx) (done bool, next cmd.Next) {
	k := &p.Create
	b := make([]byte, blockSize)
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		n, err := readFull(c, p.FD, b)
		if err == nil && n == blockSize {
			if h, ok := decode(b); ok {
				if h.Type != 'L' && h.Type != 'K' && h.Type != 'x' && h.Type != 'g' {
					k.Known = append(k.Known, known{h.Name, h.Mtime})
				}
				skip := (h.Size + blockSize - 1) / blockSize * blockSize
				if h.Type == typeLink || h.Type == typeDir || h.Type == typeSymlink {
					skip = 0
				}
				if _, err := c.Seek(p.FD, skip, io.SeekCurrent); err != nil {
					p.fatal(c, "%s: Cannot seek: %s", p.o.archive, err)
					return false, cmd.Exit(2)
				}
				k.Written += blockSize + skip
				continue
			}
			if strings.Trim(string(b), "\x00") != "" {
				p.fatal(c, "This does not look like a tar archive")
				return false, cmd.Exit(2)
			}
		}
		c.Seek(p.FD, k.Written, io.SeekStart)
		return true, next
	}
	return false, cmd.Again()
}

func readFull(c *cmd.Ctx, fd int, b []byte) (int, error) {
	n := 0
	for n < len(b) {
		m, err := c.Read(fd, b[n:])
		if m == 0 {
			if err == io.EOF {
				return n, nil
			}
			return n, err
		}
		n += m
	}
	return n, nil
}
