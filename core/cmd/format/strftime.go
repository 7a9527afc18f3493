package format

import (
	"strconv"
	"strings"
	"time"
)

// Strftime appends t by a layout of strftime(3) in the C locale: flags, widths
// and the modifiers E and O included. There are two, which agree only on
// the plain conversions: gnu is the one of date(1), which has %N, %q, %:z, %::z,
// %:::z and the flag "+" besides and pads years; otherwise it is the C library's, which
// awk and bash call.
func Strftime(dst []byte, layout string, t time.Time, gnu bool) []byte {
	d := dater{t: t, gnu: gnu, dst: dst, wide: -1}
	d.layout(layout)
	return d.dst
}

// dater writes one layout.
type dater struct {
	t    time.Time
	gnu  bool
	dst  []byte
	year byte // the flag of years in a layout that stands for %F or %D
	wide int  // the width of the first conversion of one that stands for %F; -1: none
	up   bool // the whole layout is in capitals
}

// field is one conversion.
type field struct {
	pad      byte // the flag: '_', '-', '0', '+' or 0
	up, swap bool // the flags '^' and '#'
	width    int  // -1: none
	mod      byte // 'E', 'O' or 0
	low      bool // small letters
}

func (d *dater) layout(s string) {
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			d.dst = append(d.dst, s[i])
			continue
		}
		i += d.conversion(s[i:]) - 1
	}
}

// conversion writes the conversion at the start of s and gives its length.
func (d *dater) conversion(s string) int {
	f := field{width: -1, up: d.up}
	flags := "_-0^#"
	if d.gnu {
		flags += "+"
	}
	i := 1
	for ; i < len(s) && strings.IndexByte(flags, s[i]) >= 0; i++ {
		switch s[i] {
		case '^':
			f.up = true
		case '#':
			f.swap = true
		default:
			f.pad = s[i]
		}
	}
	if i < len(s) && isDigit(s[i]) {
		f.width = 0
		for ; i < len(s) && isDigit(s[i]); i++ {
			f.width = min(f.width*10+int(s[i]-'0'), 4096)
		}
	} else if d.wide >= 0 {
		f.width, d.wide = d.wide, -1
	}
	if i < len(s) && (s[i] == 'E' || s[i] == 'O') {
		f.mod = s[i]
		i++
	}
	if i == len(s) { // the text is over before the conversion is
		d.add(f, s)
		return i
	}
	verb, colons := s[i], 0
	if verb == ':' && d.gnu {
		for i+colons < len(s) && s[i+colons] == ':' {
			colons++
		}
		if i+colons == len(s) || s[i+colons] != 'z' || colons > 3 {
			d.add(f, s[:i+1])
			return i + 1
		}
		i, verb = i+colons, 'z'
	}
	if verb == '%' && d.gnu && i > 1 { // what is before it is no conversion, and it begins the next
		d.add(f, s[:i])
		return i
	}
	if strings.IndexByte(d.refused(f.mod), verb) >= 0 || !d.word(f, verb) && !d.composed(f, verb) && !d.number(f, verb, colons) {
		f.up = f.up || f.swap && strings.IndexByte("bBh", verb) >= 0
		d.add(f, s[:i+1])
	}
	return i + 1
}

// refused are the conversions that do not take a modifier.
func (d *dater) refused(mod byte) string {
	switch {
	case mod == 0:
		return ""
	case mod == 'E' && d.gnu:
		return "aADFbBhdeHIkljmMNSUVgGWw"
	case mod == 'E':
		return "aADFbBhdeHIkljmMSUVgGWw"
	case d.gnu:
		return "aADFcxXY"
	}
	return "aADFcxXY"
}

// add writes text in the width of f.
func (d *dater) add(f field, s string) {
	fill := byte(' ')
	if f.pad == '0' || f.pad == '+' {
		fill = '0'
	}
	if f.pad != '-' || !d.gnu {
		d.fill(fill, f.width-len(s))
	}
	switch {
	case f.low:
		s = strings.ToLower(s)
	case f.up:
		s = strings.ToUpper(s)
	}
	d.dst = append(d.dst, s...)
}

func (d *dater) fill(b byte, n int) {
	for ; n > 0; n-- {
		d.dst = append(d.dst, b)
	}
}

// word writes a conversion that is a word.
func (d *dater) word(f field, verb byte) bool {
	s := ""
	switch verb {
	case 'a', 'A':
		s = d.t.Weekday().String()
	case 'b', 'h', 'B':
		s = d.t.Month().String()
	case 'p', 'P':
		s = d.t.Format("PM")
	case 'Z':
		s, _ = d.t.Zone()
	case 'n':
		s = "\n"
	case 't':
		s = "\t"
	case '%':
		s = "%"
	default:
		return false
	}
	switch verb {
	case 'a', 'b', 'h':
		s = s[:3]
		f.up = f.up || f.swap
	case 'A', 'B':
		f.up = f.up || f.swap
	case 'p', 'Z':
		f.low = f.swap
	case 'P':
		f.low = true
	}
	d.add(f, s)
	return true
}

// composed writes a conversion that stands for others.
func (d *dater) composed(f field, verb byte) bool {
	sub := dater{t: d.t, gnu: d.gnu, up: f.up, wide: -1}
	layout := ""
	if d.gnu && strings.IndexByte("cxX", verb) >= 0 {
		d.plain(f, "%"+string(verb))
		return true
	}
	switch verb {
	case 'c':
		layout = "%a %b %e %H:%M:%S %Y"
	case 'D', 'x':
		layout = "%m/%d/%y"
		if d.gnu && verb == 'D' {
			sub.year = f.pad
		}
	case 'F':
		layout = "%Y-%m-%d"
		if d.gnu && f.pad == 0 && f.width < 0 {
			sub.year, sub.wide = '+', 4
		} else if d.gnu {
			sub.year, sub.wide = f.pad, max(0, f.width-6)
			if f.pad == 0 {
				sub.year = '0'
			}
		}
	case 'r':
		layout = "%I:%M:%S %p"
	case 'R':
		layout = "%H:%M"
	case 'T', 'X':
		layout = "%H:%M:%S"
	default:
		return false
	}
	sub.layout(layout)
	d.add(f, string(sub.dst))
	return true
}

// number writes a conversion that is a number.
func (d *dater) number(f field, verb byte, colons int) bool {
	t := d.t
	week, iso := 0, 0
	switch verb {
	case 'V', 'g', 'G':
		iso, week = t.ISOWeek()
	}
	switch verb {
	case 'C':
		if d.gnu && t.Year() < 0 {
			d.years(f, verb, t.Year()/100, 2)
		} else {
			d.years(f, verb, floorDiv(t.Year(), 100), 2)
		}
	case 'd':
		d.digits(f, verb, t.Day(), 2)
	case 'e':
		d.spaced(f, verb, t.Day())
	case 'g':
		d.years(f, verb, d.short(iso), 2)
	case 'G':
		d.years(f, verb, iso, 4)
	case 'H':
		d.digits(f, verb, t.Hour(), 2)
	case 'I':
		d.digits(f, verb, (t.Hour()+11)%12+1, 2)
	case 'j':
		d.digits(f, verb, t.YearDay(), 3)
	case 'k':
		d.spaced(f, verb, t.Hour())
	case 'l':
		d.spaced(f, verb, (t.Hour()+11)%12+1)
	case 'm':
		d.digits(f, verb, int(t.Month()), 2)
	case 'M':
		d.digits(f, verb, t.Minute(), 2)
	case 's':
		d.seconds(f)
	case 'S':
		d.digits(f, verb, t.Second(), 2)
	case 'u':
		d.digits(f, verb, (int(t.Weekday())+6)%7+1, 1)
	case 'U':
		d.digits(f, verb, (t.YearDay()+6-int(t.Weekday()))/7, 2)
	case 'V':
		d.digits(f, verb, week, 2)
	case 'w':
		d.digits(f, verb, int(t.Weekday()), 1)
	case 'W':
		d.digits(f, verb, (t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2)
	case 'y':
		d.years(f, verb, d.short(t.Year()), 2)
	case 'Y':
		d.years(f, verb, t.Year(), 4)
	case 'z':
		d.zone(f, colons)
	case 'N', 'q':
		if d.gnu && verb == 'N' {
			d.nanoseconds(f)
		} else if d.gnu {
			d.digits(f, verb, (int(t.Month())+2)/3, 1)
		}
		return d.gnu
	default:
		return false
	}
	return true
}

// years writes a year or a part of one: date pads it, and marks with the flag
// "+" one of more digits than are usual; the C library pads %y and %g alone.
func (d *dater) years(f field, verb byte, v, digits int) {
	if !d.gnu {
		if strings.IndexByte("CGY", verb) >= 0 {
			digits = 1
		}
		d.digits(f, verb, v, digits)
		return
	}
	if f.pad == 0 {
		f.pad = d.year
	}
	if f.mod == 'E' {
		d.plain(f, "%E"+string(verb))
		return
	}
	if f.pad == '+' && f.mod == 0 && v >= 0 && (digits == 2 && v > 99 || digits == 4 && v > 9999 || digits < f.width) {
		d.signed(f, "+", strconv.Itoa(v), digits)
		return
	}
	d.digits(f, verb, v, digits)
}

// short is the last two digits of a year.
func (d *dater) short(year int) int {
	if d.gnu && year < 0 {
		return -(year % 100)
	}
	return year - 100*floorDiv(year, 100)
}

// plain writes a form that date leaves to the C library.
func (d *dater) plain(f field, layout string) {
	sub := dater{t: d.t, wide: -1}
	sub.layout(layout)
	d.add(f, string(sub.dst))
}

func (d *dater) spaced(f field, verb byte, v int) {
	if f.pad == 0 {
		f.pad = '_'
	}
	d.digits(f, verb, v, 2)
}

// digits writes a number of usually so many digits.
func (d *dater) digits(f field, verb byte, v, digits int) {
	if d.gnu && f.mod == 'O' && v >= 0 { // date leaves that form to the C library
		d.plain(f, "%O"+string(verb))
		return
	}
	sign, text := "", strconv.Itoa(v)
	if v < 0 {
		sign, text = "-", text[1:]
	}
	d.signed(f, sign, text, digits)
}

// signed pads a number between its sign and its digits, or before both.
func (d *dater) signed(f field, sign, text string, digits int) {
	if !d.gnu {
		if f.pad == '-' {
			d.add(f, sign+text)
			return
		}
		fill := byte('0')
		if f.pad == '_' {
			fill = ' '
		}
		n := max(0, max(digits, f.width)-len(sign)-len(text))
		if fill == ' ' {
			d.fill(fill, n)
			d.dst = append(d.dst, sign...)
		} else {
			d.dst = append(d.dst, sign...)
			d.fill(fill, n)
		}
		d.dst = append(d.dst, text...)
		return
	}
	if f.width < 0 {
		f.width = digits
	}
	short := max(0, f.width-len(sign)-len(text))
	switch f.pad {
	case '-':
		d.dst = append(append(d.dst, sign...), text...)
	case '_':
		d.fill(' ', short)
		d.dst = append(append(d.dst, sign...), text...)
	default:
		d.dst = append(d.dst, sign...)
		d.fill('0', short)
		d.dst = append(d.dst, text...)
	}
}

// seconds writes %s, whose width the C library fills with spaces.
func (d *dater) seconds(f field) {
	text := strconv.FormatInt(d.t.Unix(), 10)
	switch {
	case !d.gnu:
		d.add(f, text)
	case text[0] == '-':
		d.signed(f, "-", text[1:], 1)
	default:
		d.signed(f, "", text, 1)
	}
}

// nanoseconds writes %N: the width is how many digits are kept.
func (d *dater) nanoseconds(f field) {
	s := strconv.Itoa(1e9 + d.t.Nanosecond())[1:]
	n := f.width
	if n <= 0 {
		n = 9
	}
	kept := s[:min(n, 9)]
	if (f.pad == '-' && f.width >= 0) || f.pad == '_' { // %-N is what the clock counts, which is all
		if kept = strings.TrimRight(kept, "0"); kept == "" {
			kept = "0"
		}
	}
	d.dst = append(d.dst, kept...)
	switch f.pad {
	case '_':
		d.fill(' ', n-len(kept))
	case '-':
	default:
		d.fill('0', n-len(kept))
	}
}

// zone writes %z and its forms with colons.
func (d *dater) zone(f field, colons int) {
	_, off := d.t.Zone()
	sign := "+"
	if off < 0 {
		sign, off = "-", -off
	}
	two := func(v int) string { return strconv.Itoa(100 + v)[1:] }
	h, m, s := off/3600, off/60%60, off%60
	if !d.gnu {
		d.add(f, sign)
		d.signed(f, "", strconv.Itoa(h*100+m), 4)
		return
	}
	if f.mod == 'O' && sign == "+" {
		d.plain(f, "%Oz")
		return
	}
	rest, digits := two(m), 5
	switch {
	case colons == 1, colons == 3 && m != 0 && s == 0:
		rest, digits = ":"+two(m), 6
	case colons == 2, colons == 3 && s != 0:
		rest, digits = ":"+two(m)+":"+two(s), 9
	case colons == 3:
		rest, digits = "", 3
	}
	text := strconv.Itoa(h) + rest
	if colons == 0 {
		text = strconv.Itoa(h*100 + m)
	}
	d.signed(f, sign, text, digits)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && a < 0 {
		q--
	}
	return q
}
