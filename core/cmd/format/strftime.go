package format

import (
	"strconv"
	"strings"
	"time"
)

// Strftime appends t by a layout of strftime(3) in the C locale, with the flags
// "_-0^#", widths, and the modifiers E and O. gnu adds what date has and the C
// library has not: %N, %:z, %::z, %:::z and %q.
func Strftime(dst []byte, layout string, t time.Time, gnu bool) []byte {
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' {
			dst = append(dst, layout[i])
			continue
		}
		n, out := timeField(dst, layout[i:], t, gnu)
		dst = out
		i += n - 1
	}
	return dst
}

// timeField writes the field at the start of s and gives its length.
func timeField(dst []byte, s string, t time.Time, gnu bool) (n int, out []byte) {
	f := field{t: t, gnu: gnu, width: -1}
	i := 1
	for i < len(s) && strings.IndexByte("_-0^#+", s[i]) >= 0 {
		switch s[i] {
		case '^':
			f.upper = true
		case '#':
			f.swap = true
		default:
			f.pad = s[i]
		}
		i++
	}
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		f.width = min(max(f.width, 0)*10+int(s[i]-'0'), 4096)
		i++
	}
	for i < len(s) && (s[i] == 'E' || s[i] == 'O') {
		i++
	}
	for gnu && i < len(s) && s[i] == ':' {
		f.colons++
		i++
	}
	if i == len(s) {
		return i, append(dst, s...)
	}
	f.verb = s[i]
	i++
	text, ok := f.text()
	if !ok {
		return i, append(dst, s[:i]...)
	}
	if f.upper || f.swap && strings.IndexByte("aAbBh", f.verb) >= 0 {
		text = strings.ToUpper(text)
	} else if f.swap && (f.verb == 'p' || f.verb == 'Z') {
		text = strings.ToLower(text)
	}
	return i, append(dst, text...)
}

// field is one conversion of a layout.
type field struct {
	t           time.Time
	verb, pad   byte
	width       int // -1: the usual one
	colons      int
	upper, swap bool
	gnu         bool
}

// num writes a number, usually n digits wide and padded with pad.
func (f *field) num(v, n int, pad byte) string {
	if f.pad == '-' {
		return strconv.Itoa(v)
	}
	switch f.pad {
	case '_':
		pad = ' '
	case '0', '+':
		pad = '0'
	}
	if f.width >= 0 {
		n = max(f.width, n)
	}
	s := strconv.Itoa(v)
	if v < 0 && pad == '0' {
		return "-" + strings.Repeat("0", max(0, n-len(s))) + s[1:]
	}
	return strings.Repeat(string(pad), max(0, n-len(s))) + s
}

// str pads text to the width that was asked for.
func (f *field) str(s string) string {
	pad := " "
	if f.pad == '0' || f.pad == '+' {
		pad = "0"
	}
	if f.pad == '-' {
		return s
	}
	return strings.Repeat(pad, max(0, f.width-len(s))) + s
}

// sub writes a layout made of others.
func (f *field) sub(layout string) string {
	return f.str(string(Strftime(nil, layout, f.t, f.gnu)))
}

func (f *field) text() (string, bool) {
	t := f.t
	switch f.verb {
	case 'a':
		return f.str(t.Weekday().String()[:3]), true
	case 'A':
		return f.str(t.Weekday().String()), true
	case 'b', 'h':
		return f.str(t.Month().String()[:3]), true
	case 'B':
		return f.str(t.Month().String()), true
	case 'c':
		return f.sub("%a %b %e %H:%M:%S %Y"), true
	case 'D', 'x':
		return f.sub("%m/%d/%y"), true
	case 'F':
		if f.pad == '-' || f.pad == '_' || f.width < 0 {
			return f.num(t.Year(), 4, '0') + t.Format("-01-02"), true
		}
		y := field{t: t, pad: '0', width: max(0, f.width-6)}
		return y.num(t.Year(), 0, '0') + t.Format("-01-02"), true
	case 'n':
		return "\n", true
	case 'p':
		return f.str(t.Format("PM")), true
	case 'P':
		return f.str(t.Format("pm")), true
	case 'r':
		return f.sub("%I:%M:%S %p"), true
	case 'R':
		return f.sub("%H:%M"), true
	case 't':
		return "\t", true
	case 'T', 'X':
		return f.sub("%H:%M:%S"), true
	case 'Z':
		name, _ := t.Zone()
		return f.str(name), true
	case '+':
		if f.gnu {
			return "", false
		}
		return f.sub("%a %b %e %H:%M:%S %Z %Y"), true
	case 'z':
		return f.zone(), true
	case '%':
		return "%", true
	}
	return f.number()
}

// number writes the numeric fields.
func (f *field) number() (string, bool) {
	t := f.t
	year, week := t.ISOWeek()
	hour := (t.Hour() + 11) % 12
	switch f.verb {
	case 'C':
		return f.num(floorDiv(t.Year(), 100), 2, '0'), true
	case 'd':
		return f.num(t.Day(), 2, '0'), true
	case 'e':
		return f.num(t.Day(), 2, ' '), true
	case 'g':
		return f.num(year-100*floorDiv(year, 100), 2, '0'), true
	case 'G':
		return f.num(year, 4, '0'), true
	case 'H':
		return f.num(t.Hour(), 2, '0'), true
	case 'I':
		return f.num(hour+1, 2, '0'), true
	case 'j':
		return f.num(t.YearDay(), 3, '0'), true
	case 'k':
		return f.num(t.Hour(), 2, ' '), true
	case 'l':
		return f.num(hour+1, 2, ' '), true
	case 'm':
		return f.num(int(t.Month()), 2, '0'), true
	case 'M':
		return f.num(t.Minute(), 2, '0'), true
	case 'N':
		return f.nanoseconds(), f.gnu
	case 'q':
		return f.num((int(t.Month())+2)/3, 1, '0'), f.gnu
	case 's':
		return f.num(int(t.Unix()), 1, '0'), true
	case 'S':
		return f.num(t.Second(), 2, '0'), true
	case 'u':
		return f.num((int(t.Weekday())+6)%7+1, 1, '0'), true
	case 'U':
		return f.num((t.YearDay()+6-int(t.Weekday()))/7, 2, '0'), true
	case 'V':
		return f.num(week, 2, '0'), true
	case 'w':
		return f.num(int(t.Weekday()), 1, '0'), true
	case 'W':
		return f.num((t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2, '0'), true
	case 'y':
		return f.num(t.Year()-100*floorDiv(t.Year(), 100), 2, '0'), true
	case 'Y':
		// The C library does not pad years; date pads to four digits.
		n := 1
		if f.gnu {
			n = 4
		}
		return f.num(t.Year(), n, '0'), true
	}
	return "", false
}

// nanoseconds writes %N: the width is how many digits are kept.
func (f *field) nanoseconds() string {
	s := strconv.Itoa(1e9 + f.t.Nanosecond())[1:]
	n := f.width
	if n <= 0 {
		n = 9
	}
	if f.pad == '-' {
		if s = strings.TrimRight(s[:min(n, 9)], "0"); s == "" {
			s = "0"
		}
		return s
	}
	if n <= 9 {
		return s[:n]
	}
	return s + strings.Repeat("0", n-9)
}

// zone writes %z and its forms with colons.
func (f *field) zone() string {
	_, off := f.t.Zone()
	sign := "+"
	if off < 0 {
		sign, off = "-", -off
	}
	two := func(v int) string { return strconv.Itoa(100 + v)[1:] }
	h, m, s := off/3600, off/60%60, off%60
	rest := two(m)
	switch {
	case f.colons == 1:
		rest = ":" + two(m)
	case f.colons == 2, f.colons == 3 && s != 0:
		rest = ":" + two(m) + ":" + two(s)
	case f.colons == 3 && m != 0:
		rest = ":" + two(m)
	case f.colons == 3:
		rest = ""
	}
	switch f.pad {
	case '-':
		return sign + strconv.Itoa(h) + rest
	case '_':
		text := sign + strconv.Itoa(h) + rest
		return strings.Repeat(" ", max(0, max(f.width, 2+1+len(rest))-len(text))) + text
	}
	text := two(h) + rest
	return sign + strings.Repeat("0", max(0, f.width-1-len(text))) + text
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && a < 0 {
		q--
	}
	return q
}
