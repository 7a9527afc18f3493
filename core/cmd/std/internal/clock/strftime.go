package clock

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxWidth bounds the width of one field.
const maxWidth = 4096

// Strftime writes a time as date(1) does: %[flag][width][E|O]letter with the
// flags _ - 0 + ^ and #. What is not a directive is copied.
func Strftime(layout string, t time.Time) string {
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		start := i
		var f field
		for i++; i < len(layout) && strings.IndexByte("_-0+^#", layout[i]) >= 0; i++ {
			switch layout[i] {
			case '^':
				f.upper = true
			case '#':
				f.swap = true
			default:
				f.pad = layout[i]
			}
		}
		for ; i < len(layout) && layout[i] >= '0' && layout[i] <= '9'; i++ {
			f.width = min(f.width*10+int(layout[i]-'0'), maxWidth)
		}
		colons := 0
		for i < len(layout) && layout[i] == ':' {
			colons++
			i++
		}
		if i < len(layout) && (layout[i] == 'E' || layout[i] == 'O') {
			i++
		}
		if i >= len(layout) {
			b.WriteString(layout[start:])
			break
		}
		if colons > 0 && layout[i] != 'z' || !f.directive(&b, layout[i], colons, t) {
			b.WriteString(layout[start : i+1])
		}
	}
	return b.String()
}

// field is one directive's flags.
type field struct {
	pad         byte // 0: the directive's own
	width       int
	upper, swap bool
}

func (f field) text(b *strings.Builder, s string) {
	if f.upper {
		s = strings.ToUpper(s)
	}
	pad := " "
	if f.pad == '0' || f.pad == '+' {
		pad = "0"
	}
	if n := f.width - len(s); n > 0 && f.pad != '-' {
		b.WriteString(strings.Repeat(pad, n))
	}
	b.WriteString(s)
}

// number writes a number with at least digits digits.
func (f field) number(b *strings.Builder, n int64, digits int, pad byte) {
	if f.pad != 0 {
		pad = f.pad
	}
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	} else if pad == '+' && (len(s) > digits || f.width > digits) {
		sign = "+"
	}
	w := max(digits, f.width) - len(sign)
	switch {
	case pad == '-':
		b.WriteString(sign + s)
	case pad == '_':
		b.WriteString(strings.Repeat(" ", max(0, w-len(s))) + sign + s)
	default:
		b.WriteString(sign + strings.Repeat("0", max(0, w-len(s))) + s)
	}
}

func (f field) composed(b *strings.Builder, layout string, t time.Time) {
	f.text(b, Strftime(layout, t))
}

func hour12(t time.Time) int64 { return int64((t.Hour()+11)%12 + 1) }

// directive writes one directive; false if there is none of that letter.
func (f field) directive(b *strings.Builder, c byte, colons int, t time.Time) bool {
	if f.swap && strings.IndexByte("aAbBh", c) >= 0 {
		f.upper = true
	}
	switch c {
	case '%':
		f.text(b, "%")
	case 'n':
		f.text(b, "\n")
	case 't':
		f.text(b, "\t")
	case 'a':
		f.text(b, t.Weekday().String()[:3])
	case 'A':
		f.text(b, t.Weekday().String())
	case 'b', 'h':
		f.text(b, t.Month().String()[:3])
	case 'B':
		f.text(b, t.Month().String())
	case 'c':
		f.composed(b, "%a %b %e %H:%M:%S %Y", t)
	case 'D', 'x':
		f.composed(b, "%m/%d/%y", t)
	case 'F':
		f.isoDate(b, t)
	case 'T', 'X':
		f.composed(b, "%H:%M:%S", t)
	case 'R':
		f.composed(b, "%H:%M", t)
	case 'r':
		f.composed(b, "%I:%M:%S %p", t)
	case 'p', 'P':
		s := "AM"
		if t.Hour() >= 12 {
			s = "PM"
		}
		if c == 'P' || f.swap {
			s = strings.ToLower(s)
		}
		f.text(b, s)
	case 'Z':
		s, _ := t.Zone()
		if f.swap {
			s = strings.ToLower(s)
		}
		f.text(b, s)
	case 'z':
		return f.offset(b, colons, t)
	case 'N':
		f.nanoseconds(b, t)
	default:
		return f.numeric(b, c, t)
	}
	return true
}

func (f field) numeric(b *strings.Builder, c byte, t time.Time) bool {
	year, month, day := t.Date()
	isoYear, isoWeek := t.ISOWeek()
	wday := int(t.Weekday())
	num := func(n, digits int, pad byte) { f.number(b, int64(n), digits, pad) }
	switch c {
	case 'C':
		num(floor(year, 100), 2, '0')
	case 'd':
		num(day, 2, '0')
	case 'e':
		num(day, 2, '_')
	case 'g':
		num(((isoYear%100)+100)%100, 2, '0')
	case 'G':
		num(isoYear, 4, '0')
	case 'H':
		num(t.Hour(), 2, '0')
	case 'I':
		num(int(hour12(t)), 2, '0')
	case 'j':
		num(t.YearDay(), 3, '0')
	case 'k':
		num(t.Hour(), 2, '_')
	case 'l':
		num(int(hour12(t)), 2, '_')
	case 'm':
		num(int(month), 2, '0')
	case 'M':
		num(t.Minute(), 2, '0')
	case 'q':
		num((int(month)+2)/3, 1, '0')
	case 's':
		f.number(b, t.Unix(), 1, '0')
	case 'S':
		num(t.Second(), 2, '0')
	case 'u':
		num((wday+6)%7+1, 1, '0')
	case 'U':
		num((t.YearDay()+6-wday)/7, 2, '0')
	case 'V':
		num(isoWeek, 2, '0')
	case 'w':
		num(wday, 1, '0')
	case 'W':
		num((t.YearDay()+6-(wday+6)%7)/7, 2, '0')
	case 'y':
		num(((year%100)+100)%100, 2, '0')
	case 'Y':
		num(year, 4, '0')
	default:
		return false
	}
	return true
}

func floor(a, n int) int {
	if a < 0 {
		return -((n - 1 - a) / n)
	}
	return a / n
}

// isoDate is %F: a width is the width of the whole, taken by the year.
func (f field) isoDate(b *strings.Builder, t time.Time) {
	y := field{pad: f.pad, width: max(f.width-6, 0)}
	if y.pad == 0 {
		y.pad = '+'
	}
	y.number(b, int64(t.Year()), 4, '+')
	b.WriteString(Strftime("-%m-%d", t))
}

// nanoseconds is %N: a width is a precision.
func (f field) nanoseconds(b *strings.Builder, t time.Time) {
	s := fmt.Sprintf("%09d", t.Nanosecond())
	switch n := f.width; {
	case n > 9:
		s += strings.Repeat("0", n-9)
	case n > 0:
		s = s[:n]
	}
	if f.pad == '_' {
		trimmed := s[:1] + strings.TrimRight(s[1:], "0")
		s = trimmed + strings.Repeat(" ", len(s)-len(trimmed))
	}
	b.WriteString(s)
}

// offset is %z, %:z, %::z and %:::z.
func (f field) offset(b *strings.Builder, colons int, t time.Time) bool {
	_, off := t.Zone()
	sign := byte('+')
	if off < 0 {
		sign, off = '-', -off
	}
	h, m, s := off/3600, off/60%60, off%60
	if colons == 3 {
		switch {
		case s != 0:
			colons = 2
		case m != 0:
			colons = 1
		}
	}
	tail := ""
	switch colons {
	case 0:
		h, tail = h*100+m, ""
	case 1:
		tail = fmt.Sprintf(":%02d", m)
	case 2:
		tail = fmt.Sprintf(":%02d:%02d", m, s)
	case 3:
	default:
		return false
	}
	least := 2
	if colons == 0 {
		least = 4
	}
	w := max(f.width-1-len(tail), least)
	switch f.pad {
	case '-':
		fmt.Fprintf(b, "%c%d%s", sign, h, tail)
	case '_':
		hs := string(sign) + strconv.Itoa(h)
		b.WriteString(strings.Repeat(" ", max(0, w+1-len(hs))) + hs + tail)
	default:
		fmt.Fprintf(b, "%c%0*d%s", sign, w, h, tail)
	}
	return true
}
