package awk

import (
	"fmt"
	"slices"

	"eryxsh/vfs"
)

// edit begins to write the file that replaces the one being read (-i inplace).
func (p *Program) edit() {
	in := &p.In
	name := p.Globals[slotFILENAME].S
	if in.Bad != "" {
		return
	}
	st, err := p.c.Fstat(in.FD)
	if in.FD == 0 || err != nil || !st.Mode.IsRegular() {
		p.warn("inplace::begin: `%s' is not a regular file", name)
		return
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	tail := make([]byte, 6)
	for range 100 {
		for i, r := 0, p.c.Rand(); i < len(tail); i++ {
			tail[i] = letters[r%uint64(len(letters))]
			r /= uint64(len(letters))
		}
		temp := fmt.Sprintf("%s.gawk.%s", name, tail)
		var fd int
		if fd, err = p.c.Open(temp, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_EXCL, 0o600); err == nil {
			p.flushOut()
			p.c.Chmod(temp, uint32(st.Mode&0o7777))
			p.addStream(Stream{Kind: redirInPlace, Name: temp, FD: fd})
			in.Temp, in.Edited = temp, name
			return
		}
		if err != vfs.EEXIST {
			break
		}
	}
	p.fatal("inplace::begin: mkstemp `%s' failed (%s)", name, err)
}

// replaceFile puts what edit began in the place of the file it was read from.
func (p *Program) replaceFile() {
	in := &p.In
	if in.Temp == "" {
		return
	}
	temp, name := in.Temp, in.Edited
	in.Temp, in.Edited = "", ""
	i := slices.IndexFunc(p.Streams, func(s Stream) bool { return s.Kind == redirInPlace })
	if i < 0 {
		return
	}
	p.flush(&p.Streams[i])
	p.c.Close(p.Streams[i].FD)
	p.Streams = slices.Delete(p.Streams, i, i+1)
	suffix := ""
	for _, variable := range []string{"INPLACE_SUFFIX", "inplace::suffix"} {
		if slot, ok := p.code.slots[variable]; ok && slot < len(p.Globals) && p.Globals[slot].K != Arr {
			if s := text(&p.Globals[slot], p.conv.convfmt); s != "" {
				suffix = s
			}
		}
	}
	if suffix != "" {
		p.c.Unlink(name + suffix)
		if err := p.c.Link(name, name+suffix); err != nil {
			p.fatal("inplace::end: link(`%s', `%s') failed (%s)", name, name+suffix, err)
		}
	}
	if err := p.c.Rename(temp, name); err != nil {
		p.fatal("inplace::end: rename(`%s', `%s') failed (%s)", temp, name, err)
	}
}

// editing is the descriptor that children write to: that of the file being
// written with -i inplace, otherwise 0, which is standard output.
func (p *Program) editing() int {
	if p.In.Temp != "" {
		if s := p.stream(redirInPlace, p.In.Temp); s != nil {
			return s.FD
		}
	}
	return 0
}
