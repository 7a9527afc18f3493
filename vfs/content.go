package vfs

// minCost is what a chunk past the first takes at least, so that a sparse file
// cannot hold many chunks for nothing.
const minCost = 256

// chunkCost is what chunk i of n bytes counts as stored.
func chunkCost(i int64, n int) int64 {
	if i > 0 && n > 0 {
		return max(int64(n), minCost)
	}
	return int64(n)
}

// chunk returns chunk i to be read; it may be empty.
func (in *inode) chunk(i int64) chunk {
	if i == 0 {
		return in.head
	}
	if in.more != nil {
		if c := in.more.chunks.At(i); c != nil {
			return *c
		}
	}
	return chunk{}
}

// fresh returns what the chunks from i on count for Written.
func (f *FS) fresh(in *inode, from int64) (sum int64) {
	if from == 0 && in.head.own == f.epoch {
		sum = chunkCost(0, len(in.head.b))
	}
	if in.more != nil {
		for i, c := range in.more.chunks.From(from) {
			if c.own == f.epoch {
				sum += chunkCost(i, len(c.b))
			}
		}
	}
	return sum
}

// file returns the inode of a regular file. EBADF: no such inode, or it has no
// content of its own; EISDIR.
func (f *FS) file(ino Ino) (*inode, error) {
	in := f.get(ino)
	switch {
	case in == nil:
		return nil, EBADF
	case in.mode.IsDir():
		return nil, EISDIR
	case !in.mode.IsRegular():
		return nil, EINVAL
	}
	return in, nil
}

// ReadAt reads from byte off of a regular file into p and returns how many
// bytes there were: like read(2), 0 at the end and fewer than asked only there.
// Holes read as zeros. now is for generated content. EBADF (no such inode),
// EISDIR, EINVAL (not a regular file, off negative).
func (f *FS) ReadAt(ino Ino, p []byte, off, now int64) (n int, err error) {
	for n < len(p) {
		data, hole, err := f.Chunk(ino, off+int64(n), now)
		if err != nil {
			return 0, err
		}
		switch {
		case data != nil:
			n += copy(p[n:], data)
		case hole > 0:
			z := p[n:min(int64(len(p)), int64(n)+hole)]
			clear(z)
			n += len(z)
		default:
			return n, nil
		}
	}
	return n, nil
}

// Chunk returns the stored bytes of a regular file from off to where their
// chunk ends, without copying: they must not be changed and are good until the
// next write to the file. Where nothing is stored, data is nil and hole is the
// number of zeros up to the next stored byte or the end of the file; both are
// empty at the end. The errors are those of ReadAt.
func (f *FS) Chunk(ino Ino, off, now int64) (data []byte, hole int64, err error) {
	if ino = f.near(ino); ino.Outside() {
		if _, err := f.connected(ino.outsideMount()); err != nil {
			return nil, 0, err
		}
	}
	in, err := f.file(ino)
	if err != nil {
		return nil, 0, err
	}
	if off < 0 {
		return nil, 0, EINVAL
	}
	if ino.Outside() {
		return f.outsideChunk(ino, in, off)
	}
	if ino.Generated() {
		b := f.gen.content(ino, in, now)
		if f.mounts != nil && ino == f.gen.table {
			b = append(b, f.mountLines()...)
		}
		if off >= int64(len(b)) {
			return nil, 0, nil
		}
		return b[off:], 0, nil
	}
	if off >= in.size {
		return nil, 0, nil
	}
	i, o := off/ChunkSize, int(off%ChunkSize)
	if b := in.chunk(i).b; o < len(b) {
		return b[o:], 0, nil
	}
	return nil, in.nextData(i+1) - off, nil
}

// nextData returns where chunk i or the first stored one after it begins, the
// size of the file when there is none.
func (in *inode) nextData(i int64) int64 {
	if i == 0 && len(in.head.b) > 0 {
		return 0
	}
	if in.more != nil {
		if at, ok := in.more.chunks.Next(i); ok {
			return at * ChunkSize
		}
	}
	return in.size
}

// SeekData returns the first offset from off on with stored bytes. ENXIO: none
// is left or off is not inside the file; else the errors of ReadAt.
func (f *FS) SeekData(ino Ino, off int64) (int64, error) {
	ino = f.near(ino)
	in, err := f.file(ino)
	switch {
	case err != nil:
		return 0, err
	case off < 0 || off >= in.size:
		return 0, ENXIO
	}
	i := off / ChunkSize
	if int(off%ChunkSize) < len(in.chunk(i).b) || ino.Outside() {
		return off, nil
	}
	if at := in.nextData(i + 1); at < in.size {
		return at, nil
	}
	return 0, ENXIO
}

// SeekHole returns the first offset from off on where nothing is stored; the
// end of the file counts as a hole. ENXIO: off is not inside the file; else the
// errors of ReadAt.
func (f *FS) SeekHole(ino Ino, off int64) (int64, error) {
	ino = f.near(ino)
	in, err := f.file(ino)
	switch {
	case err != nil:
		return 0, err
	case off < 0 || off >= in.size:
		return 0, ENXIO
	case ino.Outside():
		return in.size, nil
	}
	for {
		i := off / ChunkSize
		n := len(in.chunk(i).b)
		if int(off%ChunkSize) >= n {
			return off, nil
		}
		if off = min(in.size, i*ChunkSize+int64(n)); n < ChunkSize || off == in.size {
			return off, nil
		}
	}
}

// WriteAt writes p at byte off of a regular file, making it longer as needed,
// all of it or nothing. EBADF (no such inode), EISDIR, EINVAL (not a regular
// file, off negative), EROFS (generated), EFBIG (Limits.FileSize), ENOSPC
// (Limits.Bytes).
func (f *FS) WriteAt(ino Ino, p []byte, off, now int64) (int, error) {
	in, err := f.file(ino)
	if err != nil {
		return 0, err
	}
	return f.write(ino, in, p, off, now)
}

// Append writes p at the end of a regular file. The errors are those of
// WriteAt.
func (f *FS) Append(ino Ino, p []byte, now int64) (int, error) {
	in, err := f.file(ino)
	if err != nil {
		return 0, err
	}
	return f.write(ino, in, p, in.size, now)
}

func (f *FS) write(ino Ino, in *inode, p []byte, off, now int64) (int, error) {
	switch {
	case ino.Generated():
		return f.writeAfar(ino, in, p, off, now)
	case off < 0:
		return 0, EINVAL
	case len(p) == 0:
		return 0, nil
	case int64(len(p)) > f.maxSize()-off:
		return 0, EFBIG
	}
	end := off + int64(len(p))
	if f.limits.Bytes > 0 {
		var grow int64
		for i := off / ChunkSize; i*ChunkSize < end; i++ {
			old := len(in.chunk(i).b)
			grow += chunkCost(i, max(old, int(min(end-i*ChunkSize, ChunkSize)))) - chunkCost(i, old)
		}
		if err := f.room(grow, 0); err != nil {
			return 0, err
		}
	}
	if in.own != f.epoch {
		in = f.mut(ino)
	}
	lines := off == in.size && len(p) <= ChunkSize/8 // one of many small appends, likely
	for at, rest := off, p; len(rest) > 0; {
		o := int(at % ChunkSize)
		piece := rest[:min(len(rest), ChunkSize-o)]
		f.put(in, at/ChunkSize, o, piece, lines)
		rest = rest[len(piece):]
		at += int64(len(piece))
	}
	if end > in.size {
		f.usage.Logical += end - in.size
		in.size = end
	}
	in.mtime, in.ctime = now, now
	return len(p), nil
}

// writeAfar is write of what the tree does not have.
func (f *FS) writeAfar(ino Ino, in *inode, p []byte, off, now int64) (int, error) {
	if w := f.direct(in); w != nil {
		return f.writeDirect(w, ino, p, off)
	}
	if !f.overlaid(in) {
		return 0, EROFS
	}
	at, err := f.copyUp(ino, true)
	if err != nil {
		return 0, err
	}
	return f.write(at, f.native(at), p, off, now)
}

// maxSize is the most bytes a file may have.
func (f *FS) maxSize() int64 {
	if f.limits.FileSize > 0 {
		return min(f.limits.FileSize, MaxFileSize)
	}
	return MaxFileSize
}

// put stores p at byte o of chunk i of an owned inode. lines says that more is
// likely to follow.
func (f *FS) put(in *inode, i int64, o int, p []byte, lines bool) {
	c := &in.head
	if i > 0 {
		if in.more == nil {
			in.more = &more{}
		}
		c = in.more.chunks.Slot(f.epoch, i)
	}
	was := *c
	if lines && i > 0 && cap(c.b) == 0 && len(in.chunk(i-1).b) == ChunkSize {
		c.own, c.b = f.epoch, make([]byte, 0, ChunkSize)
	}
	old, end := len(c.b), o+len(p)
	switch {
	case c.own == f.epoch && end <= cap(c.b):
		if end > old {
			c.b = c.b[:end]
			if o > old {
				clear(c.b[old:o])
			}
		}
		copy(c.b[o:], p)
	case o == 0 && end >= old:
		c.b = append(make([]byte, 0, capacity(old, end)), p...)
	case end <= old:
		c.b = append([]byte(nil), c.b...)
		copy(c.b[o:], p)
	default:
		b := make([]byte, end, capacity(old, end))
		copy(b, c.b)
		copy(b[o:], p)
		c.b = b
	}
	c.own = f.epoch
	f.account(in, i, was, *c)
}

// capacity is the room for a chunk that grows from old bytes to end: exact at
// first, then doubling, so that appends are amortised O(1) and no file takes
// more than twice what it counts.
func capacity(old, end int) int {
	if old == 0 {
		return end
	}
	return min(ChunkSize, 2*end)
}

// account notes that chunk i of an owned inode was replaced.
func (f *FS) account(in *inode, i int64, was, is chunk) {
	a, b := chunkCost(i, len(was.b)), chunkCost(i, len(is.b))
	f.usage.Bytes += b - a
	if i > 0 {
		in.more.stored += b - a
	}
	if was.own == f.epoch {
		f.written -= a
	}
	if is.own == f.epoch {
		f.written += b
	}
}

// TruncateIno sets the size of a regular file: what is cut off is gone, what is
// added is a hole. EBADF (no such inode), EISDIR, EINVAL (not a regular file,
// size negative), EROFS (generated), EFBIG (Limits.FileSize).
func (f *FS) TruncateIno(ino Ino, size, now int64) error {
	in, err := f.file(ino)
	switch {
	case err != nil:
		return err
	case size < 0:
		return EINVAL
	case ino.Generated() && !f.overlaid(in) && f.direct(in) == nil:
		return EROFS
	case size > in.size && size > f.maxSize():
		return EFBIG
	}
	if w := f.direct(in); w != nil {
		return f.did(ino, w.Truncate(f.OutsidePath(ino), size))
	}
	if ino, err = f.changing(ino); err != nil {
		return err
	}
	in = f.mut(ino)
	if size < in.size {
		f.cut(in, size)
	}
	f.usage.Logical += size - in.size
	in.size, in.mtime, in.ctime = size, now, now
	return nil
}

// cut drops what an owned inode stores from byte size on.
func (f *FS) cut(in *inode, size int64) {
	first := (size + ChunkSize - 1) / ChunkSize // chunk dropped whole
	if m := in.more; m != nil && m.chunks.Max() >= max(first, 1) {
		for i, c := range m.chunks.From(max(first, 1)) {
			f.account(in, i, c, chunk{})
		}
		m.chunks.Truncate(f.epoch, max(first, 1))
	}
	i, o := size/ChunkSize, int(size%ChunkSize)
	c := in.chunk(i)
	if len(c.b) <= o {
		return
	}
	was := c
	switch {
	case o == 0: // only chunk 0 can still be there
		c = chunk{}
	case cap(c.b) > 2*o:
		c = chunk{f.epoch, append([]byte(nil), c.b[:o]...)}
	default:
		c.b = c.b[:o]
	}
	if i == 0 {
		in.head = c
	} else {
		in.more.chunks.Set(f.epoch, i, c)
	}
	f.account(in, i, was, c)
}
