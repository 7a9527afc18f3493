package compare

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"eryxsh/core/fault"
	"eryxsh/core/linediff"
	"eryxsh/vfs"
)

// PatchOptions say what a patch is of.
type PatchOptions struct {
	Context int    // lines around a change
	Root    string // a directory: only what is below it, by names relative to it; empty is /
	Most    int64  // bytes of content it may take together; 0 is no bound
}

// Patch writes the files of a Difference as git's extended diff, which `git apply`
// and `patch -p1` take: modes, symbolic links, renames, removed and new files, and
// binary content. It has neither empty directories, owners nor times, and no FIFOs.
// Content beyond Most is a fault of kind Limit.
func (d *Difference) Patch(o PatchOptions) ([]byte, error) {
	p := &patcher{d: d, o: o, left: o.Most}
	if p.left <= 0 {
		p.left = math.MaxInt64
	}
	paths, moved := d.paths(path.Clean("/" + o.Root))
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		c := paths[name]
		if c.from != "" {
			if err := p.file(c.from, name, paths[c.from].was, c.is); err != nil {
				return nil, err
			}
		} else if !moved[name] {
			if err := p.file(name, name, c.was, c.is); err != nil {
				return nil, err
			}
		}
	}
	return p.out, nil
}

// ends are what a path has before and after; the zero Stat stands for nothing.
type ends struct {
	was, is vfs.Stat
	from    string // where it was moved from, if nothing was here before and nothing is there now
}

// paths lists every path below root that git would see change, by its name
// relative to root, and those that moved away.
func (d *Difference) paths(root string) (all map[string]ends, moved map[string]bool) {
	all, moved = map[string]ends{}, map[string]bool{}
	set := func(name string, change func(*ends)) (string, bool) {
		rel, inside := below(root, name)
		if inside {
			e := all[rel]
			change(&e)
			all[rel] = e
		}
		return rel, inside
	}
	var renames [][2]string
	for _, f := range d.everyFile() {
		from := f.Path
		if f.From != "" {
			from = f.From
		}
		to, inside := "", false
		if represented(f.After.Mode) {
			to, inside = set(f.Path, func(e *ends) { e.is = f.After })
		}
		if represented(f.Before.Mode) {
			if source, too := set(from, func(e *ends) { e.was = f.Before }); inside && too && f.From != "" {
				renames = append(renames, [2]string{source, to})
			}
		}
	}
	for _, r := range renames {
		source, target := all[r[0]], all[r[1]]
		if source.is.Mode == 0 && target.was.Mode == 0 && source.was.Mode&vfs.TypeMask == target.is.Mode&vfs.TypeMask {
			target.from = r[0]
			all[r[1]], moved[r[0]] = target, true
		}
	}
	return all, moved
}

// everyFile are the changed files, with those that a renamed directory took along.
func (d *Difference) everyFile() []File {
	all := slices.Clone(d.each)
	listed := map[string]bool{}
	for _, f := range d.each {
		if f.Kind != Removed {
			listed[f.Path] = true
		}
	}
	b := &d.after.Files
	for i := 0; i < len(all); i++ { // it grows by directories
		f := all[i]
		if f.Kind != Renamed || !f.After.Mode.IsDir() {
			continue
		}
		names, _ := b.ReadDirIno(f.After.Ino, "", 0)
		for _, n := range names {
			name := f.Path + "/" + n.Name
			st, err := b.StatIno(n.Ino)
			was, had := d.before.Files.StatIno(n.Ino)
			if err == nil && had == nil && !listed[name] {
				all = append(all, File{Kind: Renamed, Path: name, From: f.From + "/" + n.Name, Before: was, After: st})
			}
		}
	}
	return all
}

// below returns the name of a path relative to a directory it is below.
func below(root, name string) (string, bool) {
	if root == "/" {
		return strings.TrimPrefix(name, "/"), true
	}
	return strings.CutPrefix(name, root+"/")
}

// represented reports whether git knows files of a type.
func represented(m vfs.Mode) bool { return m.IsRegular() || m.IsLink() }

type patcher struct {
	d    *Difference
	o    PatchOptions
	out  []byte
	left int64
}

// file writes the change of one file; the zero Stat stands for none.
func (p *patcher) file(from, to string, was, is vfs.Stat) error {
	if was.Mode != 0 && is.Mode != 0 && was.Mode&vfs.TypeMask != is.Mode&vfs.TypeMask { // git removes and makes it
		if err := p.change(from, from, was, vfs.Stat{}); err != nil {
			return err
		}
		was, from = vfs.Stat{}, to
	}
	return p.change(from, to, was, is)
}

// change is file for what stays of one type.
func (p *patcher) change(from, to string, was, is vfs.Stat) error {
	if was.Mode == 0 && is.Mode == 0 {
		return nil
	}
	before, err := p.content(&p.d.before.Files, was)
	if err != nil {
		return err
	}
	after, err := p.content(&p.d.after.Files, is)
	if err != nil {
		return err
	}
	old, new := gitMode(was.Mode), gitMode(is.Mode)
	same := bytes.Equal(before, after)
	if was.Mode != 0 && is.Mode != 0 && from == to && old == new && same {
		return nil // owner, or a mode git does not keep
	}
	a, b := quoted("a/"+from), quoted("b/"+to)
	p.printf("diff --git %s %s\n", a, b)
	switch {
	case was.Mode == 0:
		p.printf("new file mode %s\n", new)
		a = "/dev/null"
	case is.Mode == 0:
		p.printf("deleted file mode %s\n", old)
		b = "/dev/null"
	case old != new:
		p.printf("old mode %s\nnew mode %s\n", old, new)
	}
	if was.Mode != 0 && is.Mode != 0 && from != to {
		p.printf("similarity index %d%%\nrename from %s\nrename to %s\n", similarity(before, after), quoted(from), quoted(to))
	}
	if same && was.Mode != 0 && is.Mode != 0 {
		return nil
	}
	mode := ""
	if old == new {
		mode = " " + new
	}
	p.printf("index %s..%s%s\n", blobID(before, was.Mode), blobID(after, is.Mode), mode)
	if same {
		return nil
	}
	if linediff.Binary(before) || linediff.Binary(after) {
		p.out = append(p.out, "GIT binary patch\n"...)
		p.out = appendLiteral(p.out, after)
		p.out = appendLiteral(p.out, before)
		return nil
	}
	p.printf("--- %s\n+++ %s\n", tabbed(a), tabbed(b))
	x, y := linediff.Split(before), linediff.Split(after)
	p.out = linediff.AppendUnified(p.out, x, y, linediff.Lines(x, y), p.o.Context)
	return nil
}

func (p *patcher) printf(format string, args ...any) { p.out = fmt.Appendf(p.out, format, args...) }

// content reads a file, or the target of a link.
func (p *patcher) content(fs *vfs.FS, st vfs.Stat) ([]byte, error) {
	if st.Mode == 0 {
		return nil, nil
	}
	if p.left -= st.Size; p.left < 0 {
		return nil, fault.New(fault.Limit, "patch", "", "the changed files have more than %d bytes", p.o.Most)
	}
	return fs.Content(st.Ino), nil
}

// gitMode is the mode git keeps of a file.
func gitMode(m vfs.Mode) string {
	switch {
	case m.IsLink():
		return "120000"
	case m&0o100 != 0:
		return "100755"
	}
	return "100644"
}

// blobID is the name git has for content; of no file it is all zeros.
func blobID(data []byte, mode vfs.Mode) string {
	if mode == 0 {
		return strings.Repeat("0", 2*sha1.Size)
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// similarity is about how much of two contents is the same, in percent.
func similarity(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 100
	}
	if linediff.Binary(a) || linediff.Binary(b) {
		return 0
	}
	x, y := linediff.Split(a), linediff.Split(b)
	kept := len(a)
	for _, c := range linediff.Lines(x, y) {
		for _, l := range x[c.A0:c.A1] {
			kept -= len(l)
		}
	}
	return min(99, kept*100/max(len(a), len(b), 1))
}

// quoted is a name as git writes it: in C's quotes if it has a byte that needs them.
func quoted(name string) string {
	plain := true
	for i := 0; i < len(name); i++ {
		if c := name[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			plain = false
		}
	}
	if plain {
		return name
	}
	out := []byte{'"'}
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case strings.IndexByte("\a\b\t\n\v\f\r", c) >= 0:
			out = append(out, '\\', "abtnvfr"[c-'\a'])
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < ' ' || c >= 0x7f:
			out = fmt.Appendf(out, `\%03o`, c)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}

// tabbed is a name of a head line: one with a blank ends with a tab, so that patch knows its end.
func tabbed(name string) string {
	if strings.ContainsRune(name, ' ') && name[0] != '"' {
		return name + "\t"
	}
	return name
}

// appendLiteral appends content in the form of git's binary patches: deflated,
// in lines of up to 52 bytes, each with its length and in base 85.
func appendLiteral(out, data []byte) []byte {
	out = fmt.Appendf(out, "literal %d\n", len(data))
	var deflated bytes.Buffer
	z := zlib.NewWriter(&deflated)
	_, _ = z.Write(data) // a buffer takes everything
	_ = z.Close()
	for rest := deflated.Bytes(); len(rest) > 0; {
		n := min(len(rest), 52)
		if n <= 26 {
			out = append(out, byte('A'+n-1))
		} else {
			out = append(out, byte('a'+n-27))
		}
		out = append(appendBase85(out, rest[:n]), '\n')
		rest = rest[n:]
	}
	return append(out, '\n')
}

const base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// appendBase85 appends groups of four bytes, the last filled with zeros, as five digits each.
func appendBase85(out, data []byte) []byte {
	for len(data) > 0 {
		var group [4]byte
		n := copy(group[:], data)
		v := uint32(group[0])<<24 | uint32(group[1])<<16 | uint32(group[2])<<8 | uint32(group[3])
		var digits [5]byte
		for i := 4; i >= 0; i-- {
			digits[i], v = base85[v%85], v/85
		}
		out, data = append(out, digits[:]...), data[n:]
	}
	return out
}
