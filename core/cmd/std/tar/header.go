package tar

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"eryxsh/vfs"
)

const blockSize = 512

// Types of members.
const (
	typeFile    = '0'
	typeLink    = '1'
	typeSymlink = '2'
	typeChar    = '3'
	typeDir     = '5'
	typeFifo    = '6'
)

// header is one member.
type header struct {
	Name  string
	Mode  uint32
	UID   int
	GID   int
	Size  int64
	Mtime int64 // ns
	Type  byte
	Link  string
	User  string
	Group string
}

func (h *header) vfsMode() vfs.Mode {
	t := vfs.TypeFile
	switch h.Type {
	case typeDir:
		t = vfs.TypeDir
	case typeSymlink:
		t = vfs.TypeLink
	case typeChar:
		t = vfs.TypeChar
	case typeFifo:
		t = vfs.TypeFifo
	}
	return t | vfs.Mode(h.Mode)
}

func putOctal(b []byte, v int64) {
	s := strconv.FormatInt(v, 8)
	if n := len(b) - 1; len(s) <= n {
		copy(b, strings.Repeat("0", n-len(s))+s)
		return
	}
	// Too large for octal: base 256, as GNU tar writes it.
	for i := len(b) - 1; i > 0; i-- {
		b[i] = byte(v)
		v >>= 8
	}
	b[0] = 0x80
}

// block is the member's own block with a name and a link text that fit.
func (h *header) block(format, name, prefix, link string) []byte {
	b := make([]byte, blockSize)
	copy(b[0:100], name)
	putOctal(b[100:108], int64(h.Mode))
	putOctal(b[108:116], int64(h.UID))
	putOctal(b[116:124], int64(h.GID))
	putOctal(b[124:136], h.Size)
	putOctal(b[136:148], h.Mtime/1e9)
	b[156] = h.Type
	copy(b[157:257], link)
	if format == "v7" {
		if h.Type == typeFile {
			b[156] = 0
		}
	} else {
		if format == "gnu" {
			copy(b[257:265], "ustar  \x00")
		} else {
			copy(b[257:265], "ustar\x0000")
			copy(b[345:500], prefix)
			putOctal(b[329:337], 0)
			putOctal(b[337:345], 0)
		}
		copy(b[265:296], h.User)
		copy(b[297:328], h.Group)
	}
	sum(b)
	return b
}

func sum(b []byte) {
	copy(b[148:156], "        ")
	n := 0
	for _, c := range b {
		n += int(c)
	}
	s := strconv.FormatInt(int64(n), 8)
	copy(b[148:156], strings.Repeat("0", 6-len(s))+s+"\x00 ")
}

func padded(s string) []byte {
	b := []byte(s)
	if n := len(b) % blockSize; n != 0 {
		b = append(b, make([]byte, blockSize-n)...)
	}
	return b
}

var errNameTooLong = errors.New("file name is too long (cannot be split); not dumped")

// encode writes the blocks that announce the member, in a format.
func (h *header) encode(format string) ([]byte, error) {
	name, prefix := h.Name, ""
	switch format {
	case "gnu":
		var out []byte
		for _, long := range []struct {
			typ  byte
			text string
		}{{'K', h.Link}, {'L', h.Name}} {
			if len(long.text) > 100 || len(long.text) == 100 && long.typ == 'L' {
				l := header{Name: "././@LongLink", Mode: 0o644, Size: int64(len(long.text) + 1), Type: long.typ, User: "root", Group: "root"}
				out = append(out, l.block(format, l.Name, "", "")...)
				out = append(out, padded(long.text+"\x00")...)
			}
		}
		return append(out, h.block(format, clip(h.Name, 100), "", clip(h.Link, 100))...), nil
	case "pax", "posix":
		var rec string
		add := func(k, v string) {
			n := len(k) + len(v) + 3
			n += len(strconv.Itoa(n + len(strconv.Itoa(n))))
			rec += strconv.Itoa(n) + " " + k + "=" + v + "\n"
		}
		if h.Mtime%1e9 != 0 {
			add("mtime", strconv.FormatInt(h.Mtime/1e9, 10)+"."+strings.TrimRight(strconv.FormatInt(1e9+h.Mtime%1e9, 10)[1:], "0"))
		}
		if len(name) > 100 {
			add("path", name)
		}
		if len(h.Link) > 100 {
			add("linkpath", h.Link)
		}
		var out []byte
		if rec != "" {
			x := header{Name: clip("PaxHeaders/"+name, 100), Mode: 0o644, Size: int64(len(rec)), Type: 'x'}
			out = append(x.block("ustar", x.Name, "", ""), padded(rec)...)
		}
		return append(out, h.block("ustar", clip(name, 100), "", clip(h.Link, 100))...), nil
	}
	if len(h.Link) > 100 {
		return nil, errors.New("link name is too long; not dumped")
	}
	switch {
	case format == "v7" && len(name) > 100:
		return nil, errors.New("file name is too long (max 99); not dumped")
	case len(name) > 256:
		return nil, errors.New("file name is too long (max 256); not dumped")
	case len(name) > 100:
		i := strings.LastIndexByte(name[:min(156, len(name)-1)], '/')
		if i <= 0 || len(name)-i-1 > 100 {
			return nil, errNameTooLong
		}
		prefix, name = name[:i], name[i+1:]
	}
	return h.block(format, name, prefix, h.Link), nil
}

func clip(s string, n int) string { return s[:min(n, len(s))] }

func text(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

func number(b []byte) int64 {
	if len(b) > 0 && b[0]&0x80 != 0 {
		v := int64(0)
		for _, c := range b[max(1, len(b)-8):] {
			v = v<<8 | int64(c)
		}
		return v
	}
	n, _ := strconv.ParseInt(strings.Trim(text(b), " \x00"), 8, 64)
	return n
}

// decode reads a member's block; ok is false if its checksum is wrong.
func decode(b []byte) (h header, ok bool) {
	want := number(b[148:156])
	n, signed := int64(0), int64(0)
	for i, c := range b[:blockSize] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		n += int64(c)
		signed += int64(int8(c))
	}
	if n != want && signed != want {
		return h, false
	}
	h = header{Name: text(b[:100]), Mode: uint32(number(b[100:108])) & 0o7777, UID: int(number(b[108:116])), GID: int(number(b[116:124])),
		Size: number(b[124:136]), Mtime: number(b[136:148]) * 1e9, Type: b[156], Link: text(b[157:257])}
	if bytes.HasPrefix(b[257:], []byte("ustar")) {
		h.User, h.Group = text(b[265:297]), text(b[297:329])
		if b[262] == 0 {
			if p := text(b[345:500]); p != "" {
				h.Name = p + "/" + h.Name
			}
		}
	}
	if h.Type == 0 || h.Type == '7' {
		h.Type = typeFile
	}
	if h.Type == typeFile && strings.HasSuffix(h.Name, "/") {
		h.Type = typeDir
	}
	if h.Size < 0 {
		return h, false
	}
	return h, true
}

// pax applies the records of an extended header.
func (h *header) pax(records string) {
	for records != "" {
		num, _, ok := strings.Cut(records, " ")
		n, err := strconv.Atoi(num)
		if !ok || err != nil || n <= len(num)+1 || n > len(records) {
			return
		}
		k, v, _ := strings.Cut(strings.TrimSuffix(records[len(num)+1:n], "\n"), "=")
		records = records[n:]
		switch k {
		case "path":
			h.Name = v
		case "linkpath":
			h.Link = v
		case "uname":
			h.User = v
		case "gname":
			h.Group = v
		case "size":
			if s, err := strconv.ParseInt(v, 10, 64); err == nil && s >= 0 {
				h.Size = s
			}
		case "uid", "gid":
			if s, err := strconv.Atoi(v); err == nil && k == "uid" {
				h.UID = s
			} else if err == nil {
				h.GID = s
			}
		case "mtime":
			sec, frac, _ := strings.Cut(v, ".")
			s, err := strconv.ParseInt(sec, 10, 64)
			if err == nil && s < 1<<33 && s > -(1<<33) {
				ns, _ := strconv.ParseInt((frac + "000000000")[:9], 10, 64)
				h.Mtime = s*1e9 + ns
			}
		}
	}
}
