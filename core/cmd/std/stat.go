package std

import (
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/owner"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/remove"
	"eryxsh/core/cmd/std/internal/size"
	"eryxsh/vfs"
)

func stat() *cmd.Command {
	return &cmd.Command{
		Name: "stat", Summary: "display file or file system status", Usage: "stat [OPTION]... FILE...",
		Options: []cmd.Option{
			{Short: 'L', Long: "dereference", Help: "follow links"},
			{Short: 'f', Long: "file-system", Help: "display file system status instead of file status"},
			{Long: "cached", Arg: cmd.Required, Meta: "MODE", Help: "specify how to use cached attributes: always, never, default"},
			{Short: 'c', Long: "format", Arg: cmd.Required, Meta: "FORMAT", Help: "use the specified FORMAT instead of the default; output a newline after each use of FORMAT"},
			{Long: "printf", Arg: cmd.Required, Meta: "FORMAT", Help: "like --format, but interpret backslash escapes, and do not output a mandatory trailing newline"},
			{Short: 't', Long: "terse", Help: "print the information in terse form"},
		},
		Run: runStat,
	}
}

const (
	statTerse   = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"
	statTerseFS = "%n %i %l %t %s %S %b %f %a %c %d\n"
	statLong    = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: %h\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n"
	statLongDev = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-11i Links: %-5h Device type: %Hr,%Lr\nAccess: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n"
	statLongFS  = "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\nBlock size: %-10s Fundamental block size: %S\nBlocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n"
	statDevice  = 1 // the number of the device of what is not in a mount
	statIOBlock = 4096
)

// statter prints files in one format.
type statter struct {
	c      *cmd.Ctx
	names  owner.Names
	zone   *clock.Zone
	escape bool
	fs     bool
	plain  bool // the standard format: names without quotes
}

func runStat(c *cmd.Ctx) int {
	if len(c.Args) == 0 {
		return c.MissingOperand("")
	}
	s := &statter{c: c, zone: clock.Local(c), fs: c.Flags.Has("f")}
	format, end := "", ""
	for _, f := range c.Flags {
		switch f.Name {
		case "c":
			format, end, s.escape = f.Value, "\n", false
		case "printf":
			format, end, s.escape = f.Value, "", true
		case "cached":
			if f.Value != "always" && f.Value != "never" && f.Value != "default" {
				return c.UsageError(quote.Marks(c, "invalid argument %s for %s\nValid arguments are:\n  - ‘default’\n  - ‘never’\n  - ‘always’"), quote.Locale(c, f.Value), quote.Locale(c, "--cached"))
			}
		}
	}
	status := 0
	for _, name := range c.Args {
		var st vfs.Stat
		var err error
		switch {
		case name == "-" && !s.fs:
			st, err = c.Fstat(0)
		case c.Flags.Has("L") || s.fs:
			st, err = c.Stat(name)
		default:
			st, err = c.Lstat(name)
		}
		if err != nil {
			if s.fs {
				c.Errorf("cannot read file system information for %s: %s", quote.Shell(c, name), err)
			} else {
				c.Errorf("cannot statx %s: %s", quote.Shell(c, name), err)
			}
			status = 1
			continue
		}
		use := format
		if s.plain = use == ""; s.plain {
			use = s.standard(st)
		}
		status |= s.print(use+end, name, st)
	}
	return status
}

func (s *statter) standard(st vfs.Stat) string {
	switch {
	case s.fs && s.c.Flags.Has("t"):
		return statTerseFS
	case s.fs:
		return statLongFS
	case s.c.Flags.Has("t"):
		return statTerse
	case st.Mode&vfs.TypeMask == vfs.TypeChar:
		return statLongDev
	}
	return statLong
}

// print writes one file in a format.
func (s *statter) print(format, name string, st vfs.Stat) int {
	b := &s.c.Out
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] == '%':
			j := i + 1
			for j < len(format) && strings.IndexByte("'-+ #0I", format[j]) >= 0 {
				j++
			}
			for j < len(format) && (format[j] >= '0' && format[j] <= '9' || format[j] == '.') {
				j++
			}
			flags := format[i+1 : j]
			if j == len(format) || format[j] == '\n' && j == len(format)-1 && !s.escape {
				if flags != "" {
					s.c.Errorf("%s: invalid directive", quote.Locale(s.c, format[i:j]))
					return 1
				}
				b.WriteByte('%')
				i = j - 1
				continue
			}
			mod := byte(0)
			if (format[j] == 'H' || format[j] == 'L') && j+1 < len(format) && (format[j+1] == 'd' || format[j+1] == 'r') {
				mod = format[j]
				j++
			}
			if format[j] == '%' {
				if flags != "" {
					s.c.Errorf("%s: invalid directive", quote.Locale(s.c, format[i:j+1]))
					return 1
				}
				b.WriteByte('%')
			} else if len(flags) < 8 {
				s.directive(flags, mod, format[j], name, st)
			}
			i = j
		case format[i] == '\\' && s.escape:
			i += s.backslash(format[i+1:])
		default:
			b.WriteByte(format[i])
		}
	}
	return 0
}

// backslash writes an escape of --printf and gives the length of what follows the backslash.
func (s *statter) backslash(t string) int {
	b := &s.c.Out
	if t == "" {
		s.c.Errorf("warning: backslash at end of format")
		b.WriteByte('\\')
		return 0
	}
	if k := strings.IndexByte("abefnrtv", t[0]); k >= 0 {
		b.WriteByte("\a\b\x1b\f\n\r\t\v"[k])
		return 1
	}
	digits := func(t string, max int, set string) (string, int) {
		n := 0
		for n < max && n < len(t) && strings.IndexByte(set, t[n]) >= 0 {
			n++
		}
		return t[:n], n
	}
	switch {
	case t[0] >= '0' && t[0] <= '7':
		d, n := digits(t, 3, "01234567")
		v, _ := strconv.ParseUint(d, 8, 16)
		b.WriteByte(byte(v))
		return n
	case t[0] == 'x':
		if d, n := digits(t[1:], 2, "0123456789abcdefABCDEF"); n > 0 {
			v, _ := strconv.ParseUint(d, 16, 8)
			b.WriteByte(byte(v))
			return n + 1
		}
		fallthrough
	default:
		if t[0] != '\\' && t[0] != '"' {
			s.c.Errorf("warning: unrecognized escape '\\%c'", t[0])
		}
		b.WriteByte(t[0])
	}
	return 1
}

func (s *statter) text(flags, v string) { fmt.Fprintf(&s.c.Out, "%"+strings.Trim(flags, "'I")+"s", v) }

func (s *statter) num(flags string, verb string, v uint64) {
	fmt.Fprintf(&s.c.Out, "%"+strings.Trim(flags, "'I")+verb, v)
}

func (s *statter) directive(flags string, mod, verb byte, name string, st vfs.Stat) {
	if s.fs {
		s.fileSystem(flags, verb, name)
		return
	}
	switch verb {
	case 'a':
		s.num(flags, "o", uint64(st.Mode&vfs.PermMask))
	case 'A':
		s.text(flags, perm.String(st.Mode))
	case 'b':
		s.num(flags, "d", uint64(size.Blocks(st)))
	case 'B':
		s.num(flags, "d", 512)
	case 'C':
		s.text(flags, "?")
	case 'd':
		n := device(st)
		if mod == 'H' {
			n = 0
		}
		s.num(flags, "d", n)
	case 'D':
		s.num(flags, "x", device(st))
	case 'f':
		s.num(flags, "x", uint64(st.Mode))
	case 'F':
		s.text(flags, remove.Kind(st))
	case 'g':
		s.num(flags, "d", uint64(st.GID))
	case 'G':
		s.text(flags, s.names.Group(s.c, st.GID))
	case 'h':
		s.num(flags, "d", uint64(st.Nlink))
	case 'i':
		s.num(flags, "d", uint64(st.Ino))
	case 'm':
		s.text(flags, "/")
	case 'n':
		s.text(flags, name)
	case 'N':
		q := func(name string) string {
			if s.plain {
				return name
			}
			return quote.Shell(s.c, name)
		}
		if st.Mode.IsLink() && !s.c.Flags.Has("L") {
			t, _ := s.c.Readlink(name)
			s.text(flags, q(name)+" -> "+q(t))
		} else {
			s.text(flags, q(name))
		}
	case 'o':
		s.num(flags, "d", statIOBlock)
	case 'r', 'R', 't', 'T':
		s.device(flags, mod, verb, st)
	case 's':
		s.num(flags, "d", uint64(st.Size))
	case 'u':
		s.num(flags, "d", uint64(st.UID))
	case 'U':
		s.text(flags, s.names.User(s.c, st.UID))
	case 'w':
		s.stamp(flags, st.Ctime, false)
	case 'W':
		s.stamp(flags, st.Ctime, true)
	case 'x':
		s.stamp(flags, st.Atime, false)
	case 'X':
		s.stamp(flags, st.Atime, true)
	case 'y':
		s.stamp(flags, st.Mtime, false)
	case 'Y':
		s.stamp(flags, st.Mtime, true)
	case 'z':
		s.stamp(flags, st.Ctime, false)
	case 'Z':
		s.stamp(flags, st.Ctime, true)
	default:
		s.c.Out.WriteByte('?')
	}
}

// stamp writes a time; as seconds, a precision gives the digits after the point.
func (s *statter) stamp(flags string, ns int64, seconds bool) {
	t := s.zone.Time(ns)
	if !seconds {
		s.text(flags, clock.Strftime("%Y-%m-%d %H:%M:%S.%N %z", t))
		return
	}
	width, prec, dotted := strings.Cut(flags, ".")
	v := strconv.FormatInt(t.Unix(), 10)
	if dotted {
		n := 9
		if prec != "" {
			n, _ = strconv.Atoi(prec)
		}
		if n > 0 {
			v += "." + (fmt.Sprintf("%09d", t.Nanosecond()) + strings.Repeat("0", 90))[:min(n, 90)]
		}
	}
	s.text(width, v)
}

func (s *statter) device(flags string, mod, verb byte, st vfs.Stat) {
	major, minor := uint64(0), uint64(0)
	switch st.Rdev {
	case vfs.DevNull:
		major, minor = 1, 3
	case vfs.DevZero:
		major, minor = 1, 5
	case vfs.DevFull:
		major, minor = 1, 7
	case vfs.DevRandom:
		major, minor = 1, 9
	case vfs.DevTTY:
		major, minor = 5, 0
	}
	switch {
	case verb == 't':
		s.num(flags, "x", major)
	case verb == 'T':
		s.num(flags, "x", minor)
	case mod == 'H':
		s.num(flags, "d", major)
	case mod == 'L':
		s.num(flags, "d", minor)
	case verb == 'R':
		s.num(flags, "x", major<<8|minor)
	default:
		s.num(flags, "d", major<<8|minor)
	}
}

// device is the number of the file system a file is in.
func device(st vfs.Stat) uint64 { return statDevice + uint64(st.Dev) }

func (s *statter) fileSystem(flags string, verb byte, name string) {
	all := s.c.Statfs()
	switch verb {
	case 'a', 'f':
		s.num(flags, "d", uint64(all.Bytes-all.BytesUsed)/statIOBlock)
	case 'b':
		s.num(flags, "d", uint64(all.Bytes)/statIOBlock)
	case 'c':
		s.num(flags, "d", uint64(all.Files))
	case 'd':
		s.num(flags, "d", uint64(all.Files-all.FilesUsed))
	case 'i':
		s.num(flags, "x", statDevice)
	case 'l':
		s.num(flags, "d", 255)
	case 'n':
		s.text(flags, name)
	case 's', 'S':
		s.num(flags, "d", statIOBlock)
	case 't':
		s.num(flags, "x", 0xef53)
	case 'T':
		s.text(flags, "ext2/ext3")
	default:
		s.c.Out.WriteByte('?')
	}
}
