package sort

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"eryxsh/core/cmd/format"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/vercmp"
)

// key is a -k: where it begins and ends in a line, and how it compares.
type key struct {
	from, fromChar int // fields and bytes to skip; from is -1 for the whole line
	to, toChar     int // to is -1 for the end of the line
	skipFrom       bool
	skipTo         bool
	kind           byte // one of n g h M V R, or 0 for text
	dictionary     bool
	printing       bool
	fold           bool
	reverse        bool
	mixed          string // kinds that were asked for besides
}

func (k *key) whole() { k.from, k.to = -1, -1 }

// plain reports that nothing was said about how the key compares, but perhaps -r.
func (k *key) plain() bool {
	return k.kind == 0 && !k.dictionary && !k.printing && !k.fold && !k.skipFrom && !k.skipTo
}

// inherit takes the ordering of the global options.
func (k *key) inherit(g key) {
	k.kind, k.mixed, k.dictionary, k.printing = g.kind, g.mixed, g.dictionary, g.printing
	k.fold, k.reverse, k.skipFrom, k.skipTo = g.fold, g.reverse, g.skipFrom, g.skipTo
}

// option is one ordering letter.
func (k *key) option(b byte) bool {
	switch b {
	case 'b':
		k.skipFrom, k.skipTo = true, true
	case 'd':
		k.dictionary = true
	case 'f':
		k.fold = true
	case 'i':
		k.printing = true
	case 'r':
		k.reverse = true
	case 'g', 'h', 'M', 'n', 'R', 'V':
		if k.kind != 0 && k.kind != b && strings.IndexByte(k.mixed, k.kind) < 0 {
			k.mixed += string(k.kind)
		}
		k.kind = b
	default:
		return false
	}
	return true
}

// conflict names the options that exclude each other, or is "".
func (k *key) conflict() string {
	kinds := k.mixed
	if k.kind != 0 {
		kinds += string(k.kind)
	}
	has := func(b byte) bool { return strings.IndexByte(kinds, b) >= 0 }
	count := btoi(has('g')) + btoi(has('h')) + btoi(has('M')) + btoi(has('n'))
	if count+btoi(has('R') || has('V') || k.dictionary || k.printing) <= 1 {
		return ""
	}
	var out []byte
	for _, b := range []byte("dfghiMnRV") {
		if has(b) || b == 'd' && k.dictionary || b == 'f' && k.fold || b == 'i' && k.printing && !k.dictionary {
			out = append(out, b)
		}
	}
	return string(out)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// parseKey reads POS1[,POS2]; message is an error text or "".
func parseKey(c quote.Charset, s string) (k key, message string) {
	k.whole()
	bad := func(why string) (key, string) {
		return k, why + ": invalid field specification " + quote.Locale(c, s)
	}
	rest, n, ok := leading(s)
	if !ok {
		return k, "invalid number at field start: invalid count at start of " + quote.Locale(c, s)
	}
	if n == 0 {
		return bad("field number is zero")
	}
	k.from = n - 1
	if strings.HasPrefix(rest, ".") {
		at := rest[1:]
		if rest, n, ok = leading(at); !ok {
			return k, "invalid number after '.': invalid count at start of " + quote.Locale(c, at)
		}
		if n == 0 {
			return bad("character offset is zero")
		}
		k.fromChar = n - 1
	}
	for rest != "" && rest[0] != ',' && rest[0] != 'b' && k.option(rest[0]) || rest != "" && rest[0] == 'b' {
		k.skipFrom = k.skipFrom || rest[0] == 'b'
		rest = rest[1:]
	}
	if strings.HasPrefix(rest, ",") {
		at := rest[1:]
		if rest, n, ok = leading(at); !ok {
			return k, "invalid number after ',': invalid count at start of " + quote.Locale(c, at)
		}
		if n == 0 {
			return bad("field number is zero")
		}
		k.to = n - 1
		if strings.HasPrefix(rest, ".") {
			at := rest[1:]
			if rest, k.toChar, ok = leading(at); !ok {
				return k, "invalid number after '.': invalid count at start of " + quote.Locale(c, at)
			}
		}
		for rest != "" && rest[0] != ',' && rest[0] != 'b' && k.option(rest[0]) || rest != "" && rest[0] == 'b' {
			k.skipTo = k.skipTo || rest[0] == 'b'
			rest = rest[1:]
		}
	}
	if rest != "" {
		return bad("stray character in field spec")
	}
	return k, ""
}

// leading reads the number at the start of s.
func leading(s string) (rest string, n int, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		n = min(n*10+int(s[i]-'0'), 1<<40)
		i++
	}
	return s[i:], n, i > 0
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

// skip moves i past n fields of line. With a separator it stops before the last
// field's separator if it is told to.
func skip(line []byte, i, n, tab int, keepLast bool) int {
	for ; n > 0 && i < len(line); n-- {
		if tab >= 0 {
			j := bytes.IndexByte(line[i:], byte(tab))
			if j < 0 {
				return len(line)
			}
			i += j
			if n > 1 || !keepLast {
				i++
			}
			continue
		}
		for i < len(line) && blank(line[i]) {
			i++
		}
		for i < len(line) && !blank(line[i]) {
			i++
		}
	}
	return i
}

// of gives the part of line that the key is.
func (k *key) of(line []byte, tab int) []byte {
	from := 0
	if k.from > 0 {
		from = skip(line, 0, k.from, tab, false)
	}
	if k.skipFrom {
		for from < len(line) && blank(line[from]) {
			from++
		}
	}
	from = min(len(line), from+k.fromChar)
	to := len(line)
	if k.to >= 0 {
		fields := k.to
		if k.toChar == 0 {
			fields++
		}
		to = skip(line, 0, fields, tab, k.toChar == 0)
		if k.toChar > 0 {
			if k.skipTo {
				for to < len(line) && blank(line[to]) {
					to++
				}
			}
			to = min(len(line), to+k.toChar)
		}
	}
	return line[from:max(from, to)]
}

// alters reports that the key does not compare as it stands there.
func (k *key) alters() bool { return k.dictionary || k.printing || k.fold }

// text gives the key as it compares as text: without what is ignored, in upper case.
func (k *key) text(s, space []byte) []byte {
	if !k.alters() {
		return s
	}
	for _, b := range s {
		if !k.ignores(b) {
			space = append(space, k.folded(b))
		}
	}
	return space
}

func alnum(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// prefix gives eight bytes that order as the keys do as far as they differ, and
// whether equal ones mean equal keys.
func (k *key) prefix(s []byte, o *order) (p uint64, exact bool) {
	switch k.kind {
	case 'n':
		return numberPrefix(s)
	case 'h':
		return uint64(humanRank(s) + 64), false
	case 'g':
		return generalPrefix(s), false
	case 'M':
		return uint64(month(s)), true
	case 'V':
		return 0, false
	case 'R':
		return o.hash(k.text(s, nil)), false
	}
	if k.alters() {
		s = k.text(s, o.fold[:0])
		o.fold = s
	}
	return textPrefix(s)
}

// prefixed is how many bytes of a text are in its prefix.
const prefixed = 7

// textPrefix is the first seven bytes and the length up to eight.
func textPrefix(s []byte) (p uint64, exact bool) {
	if len(s) > 7 {
		return uint64(s[0])<<56 | uint64(s[1])<<48 | uint64(s[2])<<40 | uint64(s[3])<<32 |
			uint64(s[4])<<24 | uint64(s[5])<<16 | uint64(s[6])<<8 | 8, false
	}
	for i, b := range s {
		p |= uint64(b) << (56 - 8*i)
	}
	return p | uint64(len(s)), true
}

// compare orders two keys; -r is not applied.
func (k *key) compare(a, b []byte, o *order) int {
	switch k.kind {
	case 'n':
		return compareNumbers(a, b)
	case 'h':
		if x, y := humanRank(a), humanRank(b); x != y {
			return x - y
		}
		return compareNumbers(a, b)
	case 'g':
		return compareGeneral(a, b)
	case 'M':
		return month(a) - month(b)
	case 'V':
		return vercmp.Compare(string(k.text(a, nil)), string(k.text(b, nil)))
	case 'R':
		a, b = k.text(a, nil), k.text(b, nil)
		if x, y := o.hash(a), o.hash(b); x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return bytes.Compare(a, b)
	}
	if k.alters() {
		return k.compareText(a, b)
	}
	return bytes.Compare(a, b)
}

// compareText compares a and b as text gives them.
func (k *key) compareText(a, b []byte) int {
	i, j := 0, 0
	for {
		for i < len(a) && k.ignores(a[i]) {
			i++
		}
		for j < len(b) && k.ignores(b[j]) {
			j++
		}
		switch {
		case i == len(a) && j == len(b):
			return 0
		case i == len(a):
			return -1
		case j == len(b):
			return 1
		}
		if x, y := k.folded(a[i]), k.folded(b[j]); x != y {
			return int(x) - int(y)
		}
		i, j = i+1, j+1
	}
}

// ignores reports whether -d or -i leaves b out.
func (k *key) ignores(b byte) bool {
	return k.dictionary && !blank(b) && !alnum(b) || k.printing && !k.dictionary && (b < ' ' || b >= 0x7f)
}

// folded is b as -f compares it.
func (k *key) folded(b byte) byte {
	if k.fold && b >= 'a' && b <= 'z' {
		b -= 32
	}
	return b
}

// number splits the number at the start of s: sign, digits before and after the point, without idle zeros.
func number(s []byte) (neg bool, whole, frac []byte) {
	i := 0
	for i < len(s) && blank(s[i]) {
		i++
	}
	if i < len(s) && s[i] == '-' {
		neg = true
		i++
	}
	for i < len(s) && s[i] == '0' {
		i++
	}
	from := i
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	whole = s[from:i]
	if i < len(s) && s[i] == '.' {
		from = i + 1
		i++
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		frac = s[from:i]
		for len(frac) > 0 && frac[len(frac)-1] == '0' {
			frac = frac[:len(frac)-1]
		}
	}
	return neg && len(whole)+len(frac) > 0, whole, frac
}

// numberPrefix is a number in billionths, or from a billion on its whole part
// behind all of those, moved so that negative numbers come first.
func numberPrefix(s []byte) (p uint64, exact bool) {
	neg, whole, frac := number(s)
	const middle, digits, large = 1 << 63, 9, 1e18
	v := uint64(2 * large)
	switch {
	case len(whole) <= digits:
		v = decimal(whole, digits)
		for i := range digits {
			if v *= 10; i < len(frac) {
				v += uint64(frac[i] - '0')
			}
		}
		exact = len(frac) <= digits
	case len(whole) <= 2*digits:
		v = large + decimal(whole, 2*digits)
		exact = len(frac) == 0
	}
	if neg {
		return middle - v, exact
	}
	return middle + v, exact
}

// decimal is the value of at most n digits.
func decimal(s []byte, n int) (v uint64) {
	for _, b := range s[:min(n, len(s))] {
		v = v*10 + uint64(b-'0')
	}
	return v
}

func compareNumbers(a, b []byte) int {
	an, aw, af := number(a)
	bn, bw, bf := number(b)
	if an != bn {
		return btoi(bn) - btoi(an)
	}
	r := len(aw) - len(bw)
	if r == 0 {
		r = bytes.Compare(aw, bw)
	}
	if r == 0 {
		r = bytes.Compare(af, bf)
	}
	if an {
		return -r
	}
	return r
}

// humanRank is the rank of the unit behind a number, negative for a negative number.
func humanRank(s []byte) (rank int) {
	neg, whole, frac := number(s)
	if len(whole)+len(frac) == 0 {
		return 0
	}
	i := 0
	for i < len(s) && (blank(s[i]) || s[i] == '-') {
		i++
	}
	for point := false; i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' && !point); i++ {
		point = point || s[i] == '.'
	}
	if i < len(s) {
		u := s[i]
		if u == 'k' {
			u = 'K'
		}
		rank = strings.IndexByte("KMGTPEZYRQ", u) + 1
	}
	if neg {
		return -rank
	}
	return rank
}

// month is 1 for JAN to 12 for DEC, 0 for anything else.
func month(s []byte) int {
	s = bytes.TrimLeft(s, " \t\n")
	if len(s) < 3 {
		return 0
	}
	i := strings.Index("JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", strings.ToUpper(string(s[:3])))
	if i < 0 || i%3 != 0 {
		return 0
	}
	return i/3 + 1
}

// float64 reads the number at the start of s as -g does; ok is false if there is none.
func float(s []byte) (v float64, ok bool) {
	s = bytes.TrimLeft(s, " \t\n\v\f\r")
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || strings.IndexByte("+-.eE", s[i]) >= 0) {
		i++
	}
	if i == len(s) || !alnum(s[i]) {
		if v, err := strconv.ParseFloat(string(s[:i]), 64); err == nil {
			return v, true
		}
	}
	f, n, _ := format.ParseFloat(string(s))
	switch {
	case n == 0:
		return 0, false
	case f.Big() == nil:
		return math.NaN(), true
	}
	v, _ = f.Big().Float64()
	return v, true
}

// generalPrefix orders what is no number, then NaN, then the numbers.
func generalPrefix(s []byte) uint64 {
	v, ok := float(s)
	switch {
	case !ok:
		return 0
	case math.IsNaN(v):
		return 1
	case v == 0:
		v = 0
	}
	bits := math.Float64bits(v)
	if bits>>63 != 0 {
		if v == 0 {
			return 1 << 63
		}
		return ^bits
	}
	return bits | 1<<63
}

func compareGeneral(a, b []byte) int {
	x, y := generalPrefix(a), generalPrefix(b)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x <= 1 || bytes.Equal(a, b):
		return 0
	}
	f, _, _ := format.ParseFloat(string(a))
	g, _, _ := format.ParseFloat(string(b))
	if f.Big() == nil || g.Big() == nil {
		return 0
	}
	return f.Big().Cmp(g.Big())
}

// hash mixes a key for -R.
func (o *order) hash(s []byte) uint64 {
	h := o.salt ^ 0xcbf29ce484222325
	for _, b := range s {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}
