package rpc

import (
	"errors"
	"path"
	"strings"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
	"eryxsh/vfs"
)

// tree is the file system of a sandbox as the host uses it: as the sandbox's
// user, whom no mode stops. Paths are absolute.
type tree struct {
	*sandbox
	fs   *vfs.FS
	cred vfs.Cred
	now  int64
}

// tree holds a sandbox and gives its files.
func (c *call) tree(handle int64) (tree, error) {
	b, err := c.hold(handle)
	if err != nil {
		return tree{}, err
	}
	b.tick(c)
	return tree{b, b.M.FS, b.Cred(), b.M.Now()}, nil
}

// Path makes a path absolute; an empty one leads nowhere.
func (t tree) Path(p string) string {
	if p == "" {
		return ""
	}
	return t.World.Path(p)
}

// above is the directory a path's last name is in, as it is written.
func above(name string) string {
	name = strings.TrimRight(name, "/")
	return strings.TrimRight(name[:strings.LastIndexByte(name, '/')+1], "/")
}

// fail names what was done to which path in an error that does not yet.
func fail(op, path string, err error) error {
	var named *fault.Error
	if err == nil || errors.As(err, &named) {
		return err
	}
	kind := fault.File
	if err == vfs.ENOSPC || err == vfs.EDQUOT {
		kind = fault.Quota
	}
	return &fault.Error{Kind: kind, Op: op, Path: path, Err: err}
}

// asks binds a method that looks at a path.
func asks[R any](name string, f func(t tree, path string) (R, error)) binding {
	_, op, _ := strings.Cut(name, ".")
	return on(name, func(c *call, p *wire.PathParams) (R, error) {
		t, err := c.tree(p.Sandbox)
		if err != nil {
			var none R
			return none, err
		}
		r, err := f(t, t.Path(p.Path))
		return r, fail(op, p.Path, err)
	})
}

// acts binds a method that changes something at a path.
func acts[P any](name string, target func(p *P) (handle int64, path string), f func(t tree, path string, p *P) error) binding {
	_, op, _ := strings.Cut(name, ".")
	return does(name, func(c *call, p *P) error {
		handle, path := target(p)
		t, err := c.tree(handle)
		if err != nil {
			return err
		}
		return fail(op, path, f(t, t.Path(path), p))
	})
}

func fileMethods() []binding {
	return []binding{
		lends("files.read", func(c *call, p *wire.PathParams) (int, func([]byte) error, error) {
			return c.read("read", p.Sandbox, p.Path, 0, -1)
		}),
		lends("files.read_range", func(c *call, p *wire.ReadRangeParams) (int, func([]byte) error, error) {
			if p.Offset < 0 || p.Size < 0 {
				return 0, nil, fail("read", p.Path, vfs.EINVAL)
			}
			return c.read("read", p.Sandbox, p.Path, p.Offset, p.Size)
		}),
		does("files.write", write),
		does("files.append", appendTo),
		does("files.write_at", writeAt),
		does("files.write_many", writeMany),
		on("files.list", list),
		asks("files.stat", func(t tree, path string) (wire.FileInfo, error) {
			st, err := t.fs.Stat(t.cred, path)
			return t.info(path, st), err
		}),
		asks("files.lstat", func(t tree, path string) (wire.FileInfo, error) {
			st, err := t.fs.Lstat(t.cred, path)
			return t.info(path, st), err
		}),
		asks("files.exists", func(t tree, path string) (bool, error) {
			_, err := t.fs.Stat(t.cred, path)
			if err == vfs.ENOENT || err == vfs.ENOTDIR || err == vfs.ELOOP || err == vfs.ENAMETOOLONG {
				return false, nil
			}
			return err == nil, err
		}),
		acts("files.mkdir", func(p *wire.MkdirParams) (int64, string) { return p.Sandbox, p.Path }, mkdir),
		acts("files.rm", func(p *wire.RemoveParams) (int64, string) { return p.Sandbox, p.Path }, remove),
		acts("files.rename", source, func(t tree, path string, p *wire.FromToParams) error {
			return t.M.Removing(func() error { return t.fs.Rename(t.cred, path, t.Path(p.To), t.now) })
		}),
		acts("files.copy", func(p *wire.CopyParams) (int64, string) { return p.Sandbox, p.From }, copyTo),
		acts("files.chmod", func(p *wire.ChmodParams) (int64, string) { return p.Sandbox, p.Path }, func(t tree, path string, p *wire.ChmodParams) error {
			if p.Mode < 0 || p.Mode > int(vfs.PermMask) {
				return vfs.EINVAL
			}
			return t.fs.Chmod(t.cred, path, true, vfs.Mode(p.Mode), t.now)
		}),
		acts("files.symlink", func(p *wire.SymlinkParams) (int64, string) { return p.Sandbox, p.Path }, func(t tree, path string, p *wire.SymlinkParams) error {
			return t.fs.Symlink(t.cred, p.Target, path, t.now)
		}),
		acts("files.link", source, func(t tree, path string, p *wire.FromToParams) error {
			return t.fs.Link(t.cred, path, t.Path(p.To), false, t.now)
		}),
		asks("files.readlink", func(t tree, path string) (string, error) { return t.fs.Readlink(t.cred, path) }),
		on("files.glob", glob),
		acts("files.truncate", func(p *wire.TruncateParams) (int64, string) { return p.Sandbox, p.Path }, func(t tree, path string, p *wire.TruncateParams) error {
			return t.fs.Truncate(t.cred, path, p.Size, t.now)
		}),
		acts("files.utimes", func(p *wire.UtimesParams) (int64, string) { return p.Sandbox, p.Path }, func(t tree, path string, p *wire.UtimesParams) error {
			return t.fs.Utimes(t.cred, path, true, moment(p.Atime), moment(p.Mtime), t.now)
		}),
		asks("files.realpath", func(t tree, path string) (string, error) { return t.fs.Realpath(t.cred, path, vfs.MissingNone) }),
	}
}

func source(p *wire.FromToParams) (int64, string) { return p.Sandbox, p.From }

func moment(ns *int64) int64 {
	if ns == nil {
		return vfs.TimeNow
	}
	return *ns
}

// read lends size bytes from offset of a file, or all there are.
func (c *call) read(op string, handle int64, name string, offset, size int64) (int, func([]byte) error, error) {
	t, err := c.tree(handle)
	if err != nil {
		return 0, nil, err
	}
	ino, err := t.fs.Open(t.cred, t.Path(name), vfs.O_RDONLY, 0, t.now)
	if err != nil {
		return 0, nil, fail(op, name, err)
	}
	st, err := t.fs.StatIno(ino)
	if err != nil {
		return 0, nil, fail(op, name, err)
	}
	if ino.Generated() && !ino.Outside() { // its size is not known before it is made
		data, err := t.generated(ino, st)
		data = data[min(offset, int64(len(data))):]
		if size >= 0 {
			data = data[:min(size, int64(len(data)))]
		}
		return len(data), func(dst []byte) error { copy(dst, data); return nil }, fail(op, name, err)
	}
	if !st.Mode.IsRegular() {
		_, err := t.fs.ReadAt(ino, nil, 0, t.now)
		if _, _, chunkErr := t.fs.Chunk(ino, 0, t.now); err == nil {
			err = chunkErr
		}
		return 0, nil, fail(op, name, err)
	}
	n := max(st.Size-offset, 0)
	if size >= 0 {
		n = min(n, size)
	}
	if limit := t.M.Limits.Memory; limit > 0 && n > limit { // a sparse file may be larger than any memory
		return 0, nil, &fault.Error{Kind: fault.Limit, Op: op, Path: name, Err: errTooLarge}
	}
	return int(n), func(dst []byte) error {
		got, err := t.fs.ReadAt(ino, dst, offset, t.now)
		if err == nil && got != len(dst) {
			err = vfs.EINVAL
		}
		return err
	}, nil
}

// generated gives the whole content of a generated file; of a device, nothing.
func (t tree) generated(ino vfs.Ino, st vfs.Stat) ([]byte, error) {
	if !st.Mode.IsRegular() && !st.Mode.IsDir() {
		if st.Rdev == vfs.DevNull {
			return nil, nil
		}
		return nil, vfs.EINVAL
	}
	data, _, err := t.fs.Chunk(ino, 0, t.now)
	return data, err
}

// guarded runs a change that may fail half way, and takes it back if it does.
func (t *tree) guarded(change func() error) error {
	before := t.M.FS.Fork()
	err := change()
	if err != nil {
		t.M.FS, t.fs = before, before
	}
	return err
}

// open opens a file for writing, and makes it and its parents if it is not there.
func (t tree) open(name string, flags int, mode vfs.Mode) (vfs.Ino, error) {
	ino, err := t.fs.Open(t.cred, name, vfs.O_WRONLY|vfs.O_CREAT|flags, mode, t.now)
	if err != vfs.ENOENT {
		return ino, err
	}
	if dir := above(name); dir != "" {
		if err := t.Mkdir(dir, t.now); err != nil {
			return 0, err
		}
	}
	return t.fs.Open(t.cred, name, vfs.O_WRONLY|vfs.O_CREAT|flags, mode, t.now)
}

// put replaces or makes a file.
func (t tree) put(name string, data []byte, flags int, mode vfs.Mode) error {
	ino, err := t.open(name, vfs.O_TRUNC|flags, mode)
	if err != nil {
		return err
	}
	return t.fill(ino, data, 0)
}

// fill writes all of data to a file.
func (t tree) fill(ino vfs.Ino, data []byte, offset int64) error {
	if st, err := t.fs.StatIno(ino); err == nil && st.Rdev == vfs.DevNull {
		return nil
	}
	n, err := t.fs.WriteAt(ino, data, offset, t.now)
	if err == nil && n < len(data) {
		err = vfs.ENOSPC
	}
	return err
}

// tight reports whether a write of so many bytes may meet a limit.
func (t tree) tight(size int64) bool {
	l, u := t.fs.Limits(), t.fs.Usage()
	return l.Bytes > 0 && u.Bytes+size+vfs.ChunkSize > l.Bytes || l.FileSize > 0 && size > l.FileSize || l.Files > 0 && u.Files+vfs.PathMax > l.Files
}

func write(c *call, p *wire.WriteParams) error {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return err
	}
	data, flags, mode := c.data(p.Data), 0, vfs.Mode(0o644)
	if p.Mode < 0 || p.Mode > int(vfs.PermMask) {
		return fail("write", p.Path, vfs.EINVAL)
	}
	if p.Mode != 0 {
		mode = vfs.Mode(p.Mode)
	}
	if p.Exclusive {
		flags = vfs.O_EXCL
	}
	put := func() error { return t.put(t.Path(p.Path), data, flags, mode) }
	if t.tight(int64(len(data))) {
		return fail("write", p.Path, t.guarded(put))
	}
	return fail("write", p.Path, put())
}

func appendTo(c *call, p *wire.AppendParams) error {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return err
	}
	return fail("append", p.Path, t.guarded(func() error {
		ino, err := t.open(t.Path(p.Path), vfs.O_APPEND, 0o644)
		if err != nil {
			return err
		}
		data := c.data(p.Data)
		if st, err := t.fs.StatIno(ino); err == nil && st.Rdev == vfs.DevNull {
			return nil
		}
		n, err := t.fs.Append(ino, data, t.now)
		if err == nil && n < len(data) {
			err = vfs.ENOSPC
		}
		return err
	}))
}

func writeAt(c *call, p *wire.WriteAtParams) error {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return err
	}
	return fail("write", p.Path, t.guarded(func() error {
		ino, err := t.fs.Open(t.cred, t.Path(p.Path), vfs.O_WRONLY, 0, t.now)
		if err != nil {
			return err
		}
		return t.fill(ino, c.data(p.Data), p.Offset)
	}))
}

func writeMany(c *call, p *wire.WriteManyParams) error {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return err
	}
	return t.guarded(func() error {
		for _, name := range sorted(p.Files) {
			if err := t.put(t.Path(name), p.Files[name], 0, 0o644); err != nil {
				return fail("write", name, err)
			}
		}
		return nil
	})
}

func mkdir(t tree, name string, p *wire.MkdirParams) error {
	if st, err := t.fs.Stat(t.cred, name); err == nil {
		if st.Mode.IsDir() && p.ExistOK {
			return nil
		}
		return vfs.EEXIST
	}
	if p.Mode < 0 || p.Mode > int(vfs.PermMask) {
		return vfs.EINVAL
	}
	mode := vfs.Mode(0o755)
	if p.Mode != 0 {
		mode = vfs.Mode(p.Mode)
	}
	if dir := above(name); p.Parents && dir != "" {
		if err := t.Mkdir(dir, t.now); err != nil {
			return err
		}
	}
	return t.fs.Mkdir(t.cred, name, mode, t.now)
}

var typeNames = map[vfs.Mode]string{vfs.TypeFile: "file", vfs.TypeDir: "dir", vfs.TypeLink: "symlink", vfs.TypeFifo: "fifo", vfs.TypeChar: "device"}

func typeName(m vfs.Mode) string { return typeNames[m&vfs.TypeMask] }

// info describes a file found under an absolute path.
func (t tree) info(name string, st vfs.Stat) wire.FileInfo {
	if trimmed := strings.TrimRight(name, "/"); trimmed != "" {
		name = trimmed
	}
	f := wire.FileInfo{Name: path.Base(name), Path: name, Type: typeName(st.Mode), Size: st.Size, Mode: int(st.Mode & vfs.PermMask),
		Mtime: st.Mtime, Inode: int64(st.Ino), Links: int(st.Nlink), UID: int(st.UID), GID: int(st.GID), Atime: st.Atime}
	if st.Mode.IsLink() {
		f.Target, _ = t.fs.Readlink(t.cred, name)
	}
	return f
}
