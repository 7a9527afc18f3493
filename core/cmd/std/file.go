package std

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	stdsync "sync"
	"time"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/cell"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/vfs"
)

func file() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	return &cmd.Command{
		Name: "file", Summary: "determine type of FILEs", Usage: "file [OPTION...] [FILE...]", Short: true, Origin: "file-5.44",
		Options: []cmd.Option{
			o('b', "brief", "do not prepend filenames to output lines"), o('i', "mime", "output MIME type strings (--mime-type and --mime-encoding)"),
			o(0, "mime-type", "output the MIME type"), o(0, "mime-encoding", "output the MIME encoding"), o('L', "dereference", "follow symlinks"),
			o('h', "no-dereference", "don't follow symlinks (default)"), o('N', "no-pad", "do not pad output"), o('0', "print0", "terminate filenames with ASCII NUL"),
			{Short: 'F', Long: "separator", Arg: cmd.Required, Meta: "STRING", Help: "use string as separator instead of ':'"}, o('E', "", "on filesystem errors, issue an error message and exit"),
			o('n', "no-buffer", "do not buffer output"), o('s', "special-files", "treat special files as ordinary ones"), o('r', "raw", "don't translate unprintable chars"),
			{Short: 'f', Long: "files-from", Arg: cmd.Required, Meta: "FILE", Help: "read the filenames to be examined from FILE", Missing: true},
			{Short: 'z', Long: "uncompress", Help: "try to look inside compressed files", Missing: true},
			{Short: 'm', Long: "magic-file", Arg: cmd.Required, Meta: "LIST", Help: "use LIST as a colon-separated list of magic number files", Missing: true},
		},
		Class: cmd.Step, New: func() cmd.Program { return &fileProgram{} },
	}
}

// fileBytes is how much of a file is looked at.
const fileBytes = 64 << 10

type fileProgram struct {
	I    int    `cbor:"1,keyasint,omitempty"`
	Head []byte `cbor:"2,keyasint,omitempty"` // of standard input

	pad int // the width of the longest name, plus 1; 0: not known
}

// Wrong checks the operand.
func (p *fileProgram) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.I) }

// kindOf is what a file is.
type kindOf struct{ text, mime, charset string }

// Step looks at one file.
func (p *fileProgram) Step(c *cmd.Ctx) cmd.Next {
	if len(c.Args) == 0 {
		c.Errout.WriteString("Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]\n            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]\n            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]\n            <file> ...\n       file -C [-m <magicfiles>]\n       file [--help]\n")
		return cmd.Exit(1)
	}
	if p.I >= len(c.Args) {
		return cmd.Exit(0)
	}
	name := c.Args[p.I]
	var k kindOf
	if name == "-" {
		for len(p.Head) < fileBytes {
			n, err := len(p.Head), error(nil)
			if p.Head, err = c.ReadMore(0, p.Head); err == cmd.ErrBlocked {
				return cmd.WaitRead(0)
			}
			if len(p.Head) == n {
				break
			}
		}
		k = sniff(p.Head[:min(len(p.Head), fileBytes)])
		name = "/dev/stdin"
	} else {
		k = p.look(c, name)
	}
	p.I++
	text := k.text
	switch {
	case c.Flags.Has("i"):
		text = k.mime + "; charset=" + k.charset
	case c.Flags.Has("mime-type"):
		text = k.mime
	case c.Flags.Has("mime-encoding"):
		text = k.charset
	}
	if k.mime == "" {
		text = k.text
	}
	if !c.Flags.Has("b") {
		sep := ":"
		if f, ok := c.Flags.Last("F"); ok {
			sep = f.Value
		}
		if p.pad == 0 {
			for i, a := range c.Args {
				if i%1024 == 1023 {
					c.Charge(1024)
				}
				p.pad = max(p.pad, cell.String(a, c.Bytes())+1)
			}
		}
		c.Out.WriteString(name)
		if c.Flags.Has("0") {
			c.Out.WriteByte(0)
		}
		c.Out.WriteString(sep + " ")
		if !c.Flags.Has("N") && name != "/dev/stdin" {
			c.Out.WriteString(strings.Repeat(" ", p.pad-1-cell.String(name, c.Bytes())))
		}
	}
	c.Out.WriteString(text + "\n")
	return cmd.Again()
}

func (p *fileProgram) look(c *cmd.Ctx, name string) kindOf {
	st, err := c.Lstat(name)
	if err == nil && c.Flags.Has("L") {
		st, err = c.Stat(name)
	}
	if err != nil {
		return kindOf{text: fmt.Sprintf("cannot open `%s' (%s)", name, err)}
	}
	special := ""
	if st.Mode&vfs.SetUID != 0 {
		special += "setuid "
	}
	if st.Mode&vfs.SetGID != 0 {
		special += "setgid "
	}
	if st.Mode&vfs.Sticky != 0 {
		special += "sticky "
	}
	switch st.Mode & vfs.TypeMask {
	case vfs.TypeDir:
		return kindOf{special + "directory", "inode/directory", "binary"}
	case vfs.TypeFifo:
		return kindOf{special + "fifo (named pipe)", "inode/fifo", "binary"}
	case vfs.TypeChar:
		return kindOf{special + "character special", "inode/chardevice", "binary"}
	case vfs.TypeLink:
		target, _ := c.Readlink(name)
		if _, err := c.Stat(name); err != nil {
			return kindOf{special + "broken symbolic link to " + target, "inode/symlink", "binary"}
		}
		return kindOf{special + "symbolic link to " + target, "inode/symlink", "binary"}
	}
	fd, err := c.Open(name, vfs.O_RDONLY, 0)
	if err != nil {
		return kindOf{text: "regular file, no read permission", mime: "inode/x-empty", charset: "binary"}
	}
	defer c.Close(fd)
	var head []byte
	for err == nil && len(head) < fileBytes {
		head, err = c.ReadMore(fd, head)
	}
	k := sniff(head[:min(len(head), fileBytes)])
	k.text = special + k.text
	return k
}

// magics are files known by their first bytes.
var magics = []struct{ magic, text, mime string }{
	{"\x89PNG\r\n\x1a\n", "PNG image data", "image/png"}, {"GIF8", "GIF image data", "image/gif"}, {"\xff\xd8\xff", "JPEG image data", "image/jpeg"},
	{"%PDF-", "PDF document", "application/pdf"}, {"PK\x03\x04", "Zip archive data, at least v2.0 to extract, compression method=deflate", "application/zip"},
	{"BZh", "bzip2 compressed data", "application/x-bzip2"}, {"\xfd7zXZ\x00", "XZ compressed data", "application/x-xz"}, {"\x28\xb5\x2f\xfd", "Zstandard compressed data (v0.8+)", "application/zstd"},
	{"\x7fELF", "ELF", "application/x-executable"}, {"SQLite format 3\x00", "SQLite 3.x database", "application/vnd.sqlite3"}, {"RIFF", "RIFF (little-endian) data", "application/octet-stream"},
	{"\x00asm", "WebAssembly (wasm) binary module version 0x1 (MVP)", "application/wasm"}, {"OggS", "Ogg data", "application/ogg"}, {"ID3", "Audio file with ID3", "audio/mpeg"},
}

// sniff tells a file's type by its content.
func sniff(b []byte) kindOf {
	switch {
	case len(b) == 0:
		return kindOf{"empty", "inode/x-empty", "binary"}
	case bytes.HasPrefix(b, []byte("\x1f\x8b")) && len(b) > 10:
		return gzipKind(b)
	case len(b) > 262 && string(b[257:262]) == "ustar":
		if b[262] == ' ' {
			return kindOf{"POSIX tar archive (GNU)", "application/x-tar", "binary"}
		}
		return kindOf{"POSIX tar archive", "application/x-tar", "binary"}
	}
	for _, m := range magics {
		if bytes.HasPrefix(b, []byte(m.magic)) {
			return kindOf{describe(m.text, b), m.mime, "binary"}
		}
	}
	return textKind(b)
}

// describe adds what the headers of some formats say.
func describe(text string, b []byte) string {
	switch {
	case strings.HasPrefix(text, "PNG") && len(b) > 28:
		color := map[byte]string{0: "grayscale", 2: "RGB", 3: "colormap", 4: "gray+alpha", 6: "RGBA"}[b[25]]
		depth := fmt.Sprintf("%d-bit ", b[24])
		if b[25] != 0 && b[25] != 3 {
			depth += "/color "
		}
		inter := "non-interlaced"
		if b[28] == 1 {
			inter = "interlaced"
		}
		return fmt.Sprintf("PNG image data, %d x %d, %s, %s", binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:]),
			strings.Replace(depth, "-bit /color ", "-bit/color ", 1)+color, inter)
	case strings.HasPrefix(text, "GIF") && len(b) > 10:
		return fmt.Sprintf("GIF image data, version %s, %d x %d", b[3:6], binary.LittleEndian.Uint16(b[6:]), binary.LittleEndian.Uint16(b[8:]))
	case strings.HasPrefix(text, "PDF") && len(b) > 8:
		return "PDF document, version " + string(b[5:8])
	case strings.HasPrefix(text, "bzip2") && len(b) > 4:
		return "bzip2 compressed data, block size = " + string(b[3:4]) + "00k"
	}
	return text
}

func gzipKind(b []byte) kindOf {
	s := "gzip compressed data"
	if b[3]&8 != 0 {
		if i := bytes.IndexByte(b[10:], 0); i >= 0 {
			s += ", was \"" + string(b[10:10+i]) + "\""
		}
	}
	if t := binary.LittleEndian.Uint32(b[4:]); t != 0 {
		s += ", last modified: " + clock.Strftime("%a %b %e %H:%M:%S %Y", time.Unix(int64(t), 0).UTC())
	}
	switch b[8] {
	case 2:
		s += ", max compression"
	case 4:
		s += ", max speed"
	}
	if b[9] == 3 {
		s += ", from Unix"
	}
	if len(b) < fileBytes {
		n := binary.LittleEndian.Uint32(b[len(b)-4:])
		s += fmt.Sprintf(", original size modulo 2^32 %d", n)
	}
	return kindOf{s, "application/gzip", "binary"}
}

// textKind tells texts apart.
func textKind(b []byte) kindOf {
	charset, enc := encoding(b)
	if charset == "" {
		return kindOf{"data", "application/octet-stream", "binary"}
	}
	what, mime := "", "text/plain"
	body := bytes.TrimSpace(b)
	switch {
	case bytes.HasPrefix(b, []byte("#!")):
		what, mime = interpreter(b)
		if what != "" {
			enc += " executable"
		}
	case len(b) < fileBytes && len(body) > 1 && (body[0] == '{' || body[0] == '[') && json.Valid(body):
		return kindOf{"JSON text data", "application/json", charset}
	case bytes.HasPrefix(body, []byte("<?xml")):
		what, mime = "XML 1.0 document", "text/xml"
	case hasFold(body, "<!doctype html") || hasFold(body, "<html"):
		what, mime = "HTML document", "text/html"
	case isCSV(b):
		return kindOf{"CSV text", "text/csv", charset}
	case pythonLines().Match(b[:min(len(b), magicText)]):
		what, mime = "Python script", "text/x-script.python"
		enc += " executable"
	case docString().Match(b[:min(len(b), magicText)]):
		what = "Python script"
		enc += " executable"
	case bytes.HasPrefix(b, []byte("#include")) || bytes.Contains(b, []byte("\n#include")):
		what, mime = "C source", "text/x-c"
	case bytes.HasPrefix(b, []byte("diff ")) || bytes.HasPrefix(b, []byte("--- ")) && bytes.Contains(b, []byte("\n+++ ")):
		what, mime = "unified diff output", "text/x-diff"
	}
	if what != "" {
		what += ", "
	}
	return kindOf{what + enc + lineNotes(b), mime, charset}
}

func hasFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}

// encoding is the character set of a text and how file calls it; "" for what is not text.
func encoding(b []byte) (charset, name string) {
	ascii := true
	for _, c := range b {
		switch {
		case c >= utf8.RuneSelf:
			ascii = false
		case c < 7 || c > 13 && c < 27 || c > 27 && c < 32 || c == 127:
			return "", ""
		}
	}
	if ascii {
		return "us-ascii", "ASCII text"
	}
	bom := bytes.HasPrefix(b, []byte("\xef\xbb\xbf"))
	valid := b
	if len(b) == fileBytes {
		valid = b[:len(b)-4]
		for len(valid) > 0 && !utf8.RuneStart(b[len(valid)]) {
			valid = valid[:len(valid)-1]
		}
	}
	switch {
	case utf8.Valid(valid) && bom:
		return "utf-8", "Unicode text, UTF-8 (with BOM) text"
	case utf8.Valid(valid):
		return "utf-8", "Unicode text, UTF-8 text"
	}
	for _, c := range b {
		if c >= 0x80 && c < 0xa0 {
			return "unknown-8bit", "Non-ISO extended-ASCII text"
		}
	}
	return "iso-8859-1", "ISO-8859 text"
}

// interpreter names a script by its first line.
func interpreter(b []byte) (what, mime string) {
	l, _, _ := bytes.Cut(b, []byte("\n"))
	f := strings.Fields(strings.TrimPrefix(string(l), "#!"))
	if len(f) == 0 {
		return "", "text/plain"
	}
	name := f[0][strings.LastIndexByte(f[0], '/')+1:]
	if name == "env" && len(f) > 1 {
		name = f[1]
	}
	switch {
	case name == "bash":
		return "Bourne-Again shell script", "text/x-shellscript"
	case name == "sh" || name == "dash":
		return "POSIX shell script", "text/x-shellscript"
	case strings.HasPrefix(name, "python"):
		return "Python script", "text/x-script.python"
	case name == "perl":
		return "Perl script text executable", "text/x-perl"
	case name == "node":
		return "Node.js script", "application/javascript"
	case name == "ruby":
		return "Ruby script", "text/x-ruby"
	case name == "awk" || name == "gawk":
		return "awk script", "text/x-awk"
	}
	return "a " + strings.Join(f, " ") + " script", "text/plain"
}

// lineNotes is what is unusual about the lines of a text.
func lineNotes(b []byte) string {
	s := ""
	crlf, lf, cr := bytes.Count(b, []byte("\r\n")), bytes.Count(b, []byte("\n")), bytes.Count(b, []byte("\r"))
	longest := 0
	for _, l := range bytes.FieldsFunc(b, func(r rune) bool { return r == '\n' || r == '\r' }) {
		longest = max(longest, len(l))
	}
	if longest > 300 {
		s += fmt.Sprintf(", with very long lines (%d)", longest)
	}
	switch {
	case lf == 0 && cr == 0:
		s += ", with no line terminators"
	case crlf == lf && cr == crlf:
		s += ", with CRLF line terminators"
	case crlf > 0:
		s += ", with CRLF, LF line terminators"
	case lf == 0:
		s += ", with CR line terminators"
	}
	if bytes.IndexByte(b, 27) >= 0 {
		s += ", with escape sequences"
	}
	return s
}

// isCSV reports whether the first lines have the same number, more than none, of commas.
func isCSV(b []byte) bool {
	fields, first, lines := 0, 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = quoted(b, i+1) - 1
		case ',':
			fields++
		case '\n':
			if lines++; lines == 10 {
				return first > 0 && first == fields
			}
			if first == 0 {
				first = fields
			}
			if fields == 0 || first != fields {
				return false
			}
			fields = 0
		}
	}
	return first > 0 && lines > 2
}

// quoted gives the place behind a quoted field whose text begins at i; two quotes are one of its characters.
func quoted(b []byte, i int) int {
	for open := true; i < len(b); i++ {
		if b[i] == '"' {
			open = !open
		} else if !open {
			break
		}
	}
	return i
}

// pythonLines are lines that file's magic takes for Python.
var pythonLines = lazily(`(?m)^from[ \t]+[A-Za-z0-9_.]+[ \t]+import.*$` +
	`|^class [_A-Za-z]+(\(.*\))? *:([ \t]+pass)?$` +
	`|^[ \t]{0,50}def {1,50}[_a-zA-Z]{1,100}\([A-Za-z*_, ]*\):$` +
	`|def __init__[^\x00]{0,64}self|if __name__[^\x00]{0,64}__main__` +
	`|try:[^\x00]*(finally:|\n[ \t]*except.*:$)`)

// docString is one more, for which the magic names no type.
var docString = lazily(`(?m)"""[^\x00]*"""$`)

// lazily compiles an expression when it is first asked for, not when the program starts.
func lazily(expr string) func() *regexp.Regexp {
	return stdsync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// magicText is how far into a file text is looked for, in bytes.
const magicText = 4096
