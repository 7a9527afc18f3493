package find

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/size"
)

// piece is a part of a -printf format: text, or a directive.
type piece struct {
	text  string
	flags string // between % and the letter, width and precision included
	verb  byte   // 0: text
	time  byte   // of %A %B %C %T
}

type format struct {
	pieces []piece
	stop   bool // \c: nothing more
}

// format compiles the argument of -printf.
func (q *parser) format(s string) *format {
	f := &format{}
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			f.pieces = append(f.pieces, piece{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(s) && !f.stop; i++ {
		switch s[i] {
		case '\\':
			n := q.escape(&text, s[i+1:], f)
			i += n
		case '%':
			flush()
			p, n := q.directive(s[i+1:])
			f.pieces = append(f.pieces, p)
			i += n
		default:
			text.WriteByte(s[i])
		}
	}
	flush()
	return f
}

// escape reads what follows a backslash and gives its length.
func (q *parser) escape(b *strings.Builder, s string, f *format) int {
	if s == "" {
		if !q.p.Begun {
			q.c.Errorf("warning: escape `\\' followed by nothing at all")
		}
		b.WriteByte('\\')
		return 0
	}
	if i := strings.IndexByte("abfnrtv\\", s[0]); i >= 0 {
		b.WriteByte("\a\b\f\n\r\t\v\\"[i])
		return 1
	}
	switch {
	case s[0] == 'c':
		f.stop = true
	case s[0] >= '0' && s[0] <= '7':
		n, v := 0, 0
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			v = v*8 + int(s[n]-'0')
			n++
		}
		b.WriteByte(byte(v))
		return n
	default:
		if !q.p.Begun {
			q.c.Errorf("warning: unrecognized escape `\\%c'", s[0])
		}
		b.WriteString("\\" + s[:1])
	}
	return 1
}

// directive reads what follows a percent sign and gives its length.
func (q *parser) directive(s string) (piece, int) {
	if strings.HasPrefix(s, "%") {
		return piece{text: "%"}, 1
	}
	n := 0
	skip := func(of string) {
		for n < len(s) && strings.IndexByte(of, s[n]) >= 0 {
			n++
		}
	}
	skip("-+ #")
	if skip("0123456789"); strings.HasPrefix(s[n:], ".") {
		n++
		skip("0123456789")
	}
	if n == len(s) {
		q.fail("error: %% at end of format string")
		return piece{}, n
	}
	p := piece{flags: s[:n], verb: s[n]}
	if width, prec, _ := strings.Cut(strings.TrimLeft(p.flags, "-+ #0"), "."); len(width) > 4 || len(prec) > 4 {
		q.fail("error: the format directive `%%%s' is too wide", s[:n+1])
		return piece{}, n
	}
	switch p.verb {
	case 'A', 'B', 'C', 'T':
		if n+1 >= len(s) {
			q.fail("error: %% at end of format string")
			return piece{}, n
		}
		p.time = s[n+1]
		return p, n + 2
	}
	if strings.IndexByte("({[", p.verb) >= 0 {
		q.fail("error: the format directive `%%%c' is reserved for future use", p.verb)
		return piece{}, n
	}
	if strings.IndexByte("abcdDfFgGhHiklmMnpPsStuUyYZ", p.verb) < 0 {
		if !q.p.Begun {
			q.c.Errorf("warning: unrecognized format directive `%%%c'", p.verb)
		}
		return piece{text: "%" + s[:n+1]}, n + 1
	}
	return p, n + 1
}

// expand writes the format for Cur.
func (f *format) expand(p *Program, c *cmd.Ctx) string {
	var b strings.Builder
	for _, x := range f.pieces {
		if x.verb == 0 {
			b.WriteString(x.text)
			continue
		}
		if strings.IndexByte("fhHpPdy", x.verb) < 0 && !p.Cur.stat(c, p) {
			continue
		}
		if x.verb == 'd' {
			fmt.Fprintf(&b, "%"+x.flags+"d", p.Cur.Depth)
			continue
		}
		if x.verb == 'm' {
			fmt.Fprintf(&b, "%"+x.flags+"o", p.Cur.Facts.Mode&0o7777)
			continue
		}
		pad(&b, x.flags, p.field(c, x))
	}
	return b.String()
}

// pad writes s with the width and precision of a directive, as printf's %s does, in bytes.
func pad(b *strings.Builder, flags, s string) {
	width, prec, hasPrec := strings.Cut(strings.TrimLeft(flags, "+ #0-"), ".")
	if n, err := strconv.Atoi(prec); hasPrec && err == nil && n < len(s) {
		for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	n, _ := strconv.Atoi(width)
	fill := strings.Repeat(" ", max(0, n-len(s)))
	if strings.Contains(flags, "-") {
		b.WriteString(s + fill)
	} else {
		b.WriteString(fill + s)
	}
}

// field is the text of one directive.
func (p *Program) field(c *cmd.Ctx, x piece) string {
	e := &p.Cur
	f := &e.Facts
	switch x.verb {
	case 'a':
		return p.ctime(f.Atime)
	case 'c':
		return p.ctime(f.Ctime)
	case 't':
		return p.ctime(f.Mtime)
	case 'A':
		return p.timeField(f.Atime, x.time)
	case 'B', 'C':
		return p.timeField(f.Ctime, x.time)
	case 'T':
		return p.timeField(f.Mtime, x.time)
	case 'b':
		return strconv.FormatInt(size.Blocks(f.vfs()), 10)
	case 'k':
		return strconv.FormatInt((size.Blocks(f.vfs())+1)/2, 10)
	case 'D':
		return strconv.FormatUint(1+uint64(f.Dev), 10)
	case 'f':
		if b := base(e.Path); strings.HasSuffix(e.Path, "/") && b != "/" {
			return b + "/"
		}
		return base(e.Path)
	case 'F':
		return fsType(e.Path)
	case 'g':
		return p.Owners.Group(c, f.GID)
	case 'G':
		return strconv.Itoa(int(f.GID))
	case 'h':
		if path := strings.TrimRight(e.Path, "/"); len(path) > 1 { // d/ is in d, for GNU: one letter is not looked at
			return dirPart(path)
		}
		return dirPart(e.Path)
	case 'H':
		return e.Path[:e.Start]
	case 'i':
		return strconv.FormatUint(f.Ino, 10)
	case 'l':
		if e.mode().IsLink() {
			t, _ := c.Readlink(e.Path)
			return t
		}
		return ""
	case 'M':
		return perm.String(e.mode())
	case 'n':
		return strconv.Itoa(int(f.Nlink))
	case 'p':
		return e.Path
	case 'P':
		return strings.TrimPrefix(e.Path[e.Start:], "/")
	case 's':
		return strconv.FormatInt(f.Size, 10)
	case 'S':
		if f.Size == 0 {
			return "1"
		}
		return strconv.FormatFloat(float64(size.Blocks(f.vfs())*512)/float64(f.Size), 'g', 6, 64)
	case 'u':
		return p.Owners.User(c, f.UID)
	case 'U':
		return strconv.Itoa(int(f.UID))
	case 'y':
		return string(typeLetter(e.mode()))
	case 'Y':
		if !e.mode().IsLink() {
			return string(typeLetter(e.mode()))
		}
		st, err := c.Stat(e.Path)
		switch {
		case err == nil:
			return string(typeLetter(st.Mode))
		case err.Error() == "Too many levels of symbolic links":
			return "L"
		}
		return "N"
	}
	return ""
}

// ctime is the form of %t.
func (p *Program) ctime(ns int64) string {
	t := p.x.zone.Time(ns)
	return clock.Strftime("%a %b %e %H:%M:%S.%N0 %Y", t)
}

// timeField is %Tk and its like.
func (p *Program) timeField(ns int64, k byte) string {
	t := p.x.zone.Time(ns)
	switch k {
	case '@':
		return strconv.FormatInt(t.Unix(), 10) + clock.Strftime(".%N0", t)
	case '+':
		return clock.Strftime("%Y-%m-%d+%H:%M:%S.%N0", t)
	case 'S':
		return clock.Strftime("%S.%N0", t)
	case 'T', 'X':
		return clock.Strftime("%H:%M:%S.%N0", t)
	}
	return clock.Strftime("%"+string(k), t)
}
