package expand

import (
	"strings"
	"unicode/utf8"
)

// split appends the result of an unquoted expansion, cutting it into fields
// at the characters of IFS. White space in IFS separates and never makes an
// empty field; any other character ends a field, together with the white
// space around it.
func (e *eval) split(s string) {
	e.load()
	if e.ifs == "" {
		if s != "" {
			e.text(s, hasMeta(s))
		}
		return
	}
	if len(s) > 1<<12 {
		e.env.Charge(len(s) >> 6)
	}
	for s != "" {
		n := e.runLen(s)
		if n > 0 {
			e.text(s[:n], hasMeta(s[:n]))
			if s = s[n:]; s == "" {
				return
			}
		}
		c, w := decode(s, e.flags&Bytes != 0)
		s = s[w:]
		pending := e.begun()
		if c == ' ' || c == '\t' || c == '\n' {
			if pending {
				e.flush()
				e.wsEnd = true
			}
			continue
		}
		if pending || !e.wsEnd {
			e.flush()
		}
		e.wsEnd = false
	}
}

// runLen returns the length of the beginning of s that contains no separator.
func (e *eval) runLen(s string) int {
	if e.ifs == defaultIFS {
		for i := 0; i < len(s); i++ {
			if c := s[i]; c == ' ' || c == '\t' || c == '\n' {
				return i
			}
		}
		return len(s)
	}
	if e.flags&Bytes != 0 {
		return indexByteOf(s, e.ifs)
	}
	if n := strings.IndexAny(s, e.ifs); n >= 0 {
		return n
	}
	return len(s)
}

// indexByteOf is where s has the first byte that is one of list, its length if none.
func indexByteOf(s, list string) int {
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(list, s[i]) >= 0 {
			return i
		}
	}
	return len(s)
}

// SplitFields cuts a line as the read builtin does. At most max fields are
// made (0: as many as there are); the last one takes the rest of the line,
// inner separators included. Unless raw, a backslash takes the meaning from
// the character after it and is removed; one at the very end is dropped. bytes says
// that a character is a byte.
func SplitFields(s, ifs string, max int, raw, bytes bool) []string {
	return AppendSplit(nil, s, ifs, max, raw, bytes)
}

// AppendSplit is SplitFields behind dst.
func AppendSplit(dst []string, s, ifs string, max int, raw, bytes bool) []string {
	if raw || strings.IndexByte(s, '\\') < 0 {
		switch {
		case ifs == defaultIFS:
			return appendBlank(dst, s, max)
		case len(ifs) == 1 && ifs[0] > ' ' && ifs[0] < utf8.RuneSelf:
			return appendCut(dst, s, ifs[0], max)
		}
	}
	return append(dst, splitFields(s, ifs, max, raw, bytes)...)
}

// appendBlank splits at the blanks of the default IFS.
func appendBlank(dst []string, s string, max int) []string {
	for n := 1; ; n++ {
		for s != "" && isSpace(s[0]) {
			s = s[1:]
		}
		if s == "" {
			return dst
		}
		if n == max {
			for isSpace(s[len(s)-1]) {
				s = s[:len(s)-1]
			}
			return append(dst, s)
		}
		i := 1
		for i < len(s) && !isSpace(s[i]) {
			i++
		}
		dst = append(dst, s[:i])
		s = s[i:]
	}
}

// appendCut splits at one character that is no blank. A separator at the end
// makes no field, and the last of max fields loses one that is its only one.
func appendCut(dst []string, s string, sep byte, max int) []string {
	for n := 1; s != ""; n++ {
		i := strings.IndexByte(s, sep)
		switch {
		case i < 0, n == max && i < len(s)-1:
			return append(dst, s)
		case i == len(s)-1:
			return append(dst, s[:i])
		}
		dst = append(dst, s[:i])
		s = s[i+1:]
	}
	return dst
}

func splitFields(s, ifs string, max int, raw, bytes bool) []string {
	var out []string
	isSep := func(r rune) bool {
		if bytes && r >= lone {
			return strings.IndexByte(ifs, byte(r-lone)) >= 0
		}
		return r < lone && strings.ContainsRune(ifs, r)
	}
	isWS := func(r rune) bool { return (r == ' ' || r == '\t' || r == '\n') && isSep(r) }
	i := 0
	peek := func() (r rune, w int, esc bool) {
		if !raw && s[i] == '\\' {
			if i+1 >= len(s) {
				return 0, 1, true
			}
			r, w = decode(s[i+1:], bytes)
			return r, w + 1, true
		}
		r, w = decode(s[i:], bytes)
		return r, w, false
	}
	skipWS := func() {
		for i < len(s) {
			r, w, esc := peek()
			if esc || !isWS(r) {
				return
			}
			i += w
		}
	}
	skipWS()
	for i < len(s) {
		if max > 0 && len(out) == max-1 {
			return append(out, lastField(s[i:], isSep, isWS, raw, bytes))
		}
		var b strings.Builder
		sep := false
		for i < len(s) {
			r, w, esc := peek()
			if !esc && isSep(r) {
				sep = true
				break
			}
			if esc {
				b.WriteString(s[i+1 : i+w])
			} else {
				b.WriteString(s[i : i+w])
			}
			i += w
		}
		out = append(out, b.String())
		if sep {
			skipWS()
			if i < len(s) {
				if r, w, esc := peek(); !esc && isSep(r) && !isWS(r) {
					i += w
					skipWS()
				}
			}
		}
	}
	return out
}

// lastField takes the rest of a line: trailing white space goes, and so does a
// single separator after the only field that is left.
func lastField(s string, isSep, isWS func(rune) bool, raw, bytes bool) string {
	var b strings.Builder
	keep := 0     // length of b up to the last character that stays
	first := -1   // length of b at the first separator
	fields := 0   // separators that are followed by something
	pend := false // a separator was seen since the last ordinary character
	other := 0    // of them, not white space
	for i := 0; i < len(s); {
		if !raw && s[i] == '\\' {
			if i+1 >= len(s) {
				break
			}
			r, w := decode(s[i+1:], bytes)
			b.WriteString(s[i+1 : i+1+w])
			i += 1 + w
			if isWS(r) { // goes with the rest at the end
				continue
			}
			if pend {
				fields++
			}
			keep, pend, other = b.Len(), false, 0
			continue
		}
		r, w := decode(s[i:], bytes)
		b.WriteString(s[i : i+w])
		i += w
		switch {
		case !isSep(r):
			if pend {
				fields++
			}
			keep, pend, other = b.Len(), false, 0
		case isWS(r):
			if first < 0 {
				first = b.Len() - w
			}
			pend = true
		default:
			if first < 0 {
				first = b.Len() - w
			}
			if other++; other > 1 {
				fields++
			}
			keep, pend = b.Len(), true
		}
	}
	if keep == 0 && first < 0 { // nothing but escaped white space
		return b.String()
	}
	if fields == 0 && first >= 0 {
		return b.String()[:first]
	}
	return b.String()[:keep]
}

// SplitQuoted cuts a text made at run time at runs of the delimiters; one that
// is quoted, or inside an expansion, does not count. m is charged.
func SplitQuoted(m Account, s, delims string) (words []string) {
	k := skipper{s: s, meter: m}
	from := -1
	for i := 0; i < len(s); {
		if strings.IndexByte(delims, s[i]) >= 0 {
			if from >= 0 {
				words = append(words, s[from:i])
				from = -1
			}
			i++
			continue
		}
		if from < 0 {
			from = i
		}
		i = k.quoted(i, false)
	}
	if from >= 0 {
		words = append(words, s[from:])
	}
	return words
}
