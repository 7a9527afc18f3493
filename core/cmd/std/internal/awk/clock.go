package awk

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// clock is strftime, systime and mktime.
func (p *Program) clock(fn uint8, args []Value) Value {
	now := p.c.Now()
	switch fn {
	case fnSystime:
		return num(math.Floor(float64(now) / 1e9))
	case fnMktime:
		utc := len(args) > 1 && args[1].truth()
		return num(p.mktime(p.str(&args[0]), utc))
	}
	format := "%a %b %e %H:%M:%S %Z %Y"
	if info := p.Globals[slotPROCINFO]; info.K == Arr {
		if v := p.Heap[info.R].find(Key{S: "strftime"}); v != nil {
			format = p.str(v)
		}
	}
	at := time.Unix(0, now)
	if len(args) > 0 {
		format = p.str(&args[0])
	}
	if len(args) > 1 {
		n := args[1].num()
		if math.IsNaN(n) || math.Abs(n) > 1<<55 {
			p.fatal("strftime: second argument out of range for time_t")
		}
		at = time.Unix(int64(math.Floor(n)), 0)
	}
	if len(args) > 2 && args[2].truth() {
		at = at.In(time.FixedZone("GMT", 0))
	} else {
		at = at.In(p.zone())
	}
	b := strftime(nil, format, at)
	p.spend(len(b))
	return str(string(b))
}

// mktime reads "YYYY MM DD HH MM SS [DST]"; -1 if it is not that.
func (p *Program) mktime(s string, utc bool) float64 {
	words := strings.Fields(s)
	if len(words) < 6 {
		return -1
	}
	var n [6]int
	for i := range n {
		v, err := strconv.Atoi(words[i])
		if err != nil || v > 1<<31 || v < -1<<31 {
			return -1
		}
		n[i] = v
	}
	loc := time.UTC
	if !utc {
		loc = p.zone()
	}
	// A seventh number above 0 says that daylight saving time is in force; no zone here has one.
	if len(words) > 6 {
		if dst, err := strconv.Atoi(words[6]); err == nil && dst > 0 {
			n[3]--
		}
	}
	return float64(time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, loc).Unix())
}

// zone is the time zone of TZ: UTC unless it says otherwise.
func (p *Program) zone() *time.Location {
	tz, _ := p.c.Getenv("TZ")
	if env := p.Globals[slotENVIRON]; env.K == Arr {
		if v := p.Heap[env.R].find(Key{S: "TZ"}); v != nil {
			tz = p.str(v)
		}
	}
	return posixZone(tz)
}

// posixZone reads a POSIX TZ without daylight saving time: "EST5", "<+03>-3".
func posixZone(tz string) *time.Location {
	name, rest := "", ""
	if strings.HasPrefix(tz, "<") {
		name, rest, _ = strings.Cut(tz[1:], ">")
	} else {
		i := 0
		for i < len(tz) && isLetter(tz[i]) && tz[i] != '_' {
			i++
		}
		name, rest = tz[:i], tz[i:]
	}
	if len(name) < 3 || rest == "" {
		return time.UTC
	}
	sign := -1
	if rest[0] == '-' || rest[0] == '+' {
		if rest[0] == '-' {
			sign = 1
		}
		rest = rest[1:]
	}
	var part [3]int
	for i, w := range strings.SplitN(rest, ":", 3) {
		v, err := strconv.Atoi(w)
		if err != nil || v > 167 {
			return time.UTC
		}
		part[i] = v
	}
	return time.FixedZone(name, sign*(part[0]*3600+part[1]*60+part[2]))
}

// strftime appends t by a C format, in the C locale.
func strftime(b []byte, format string, t time.Time) []byte {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b = append(b, format[i])
			continue
		}
		start := i
		i++
		flag := byte(0)
		for i < len(format) && strings.IndexByte("_-0^#", format[i]) >= 0 {
			flag = format[i]
			i++
		}
		width := 0
		for i < len(format) && isDigit(format[i]) {
			width = min(width*10+int(format[i]-'0'), 1024)
			i++
		}
		for i < len(format) && (format[i] == 'E' || format[i] == 'O') {
			i++
		}
		if i == len(format) {
			return append(b, format[start:]...)
		}
		b = conversion(b, format[i], flag, width, t, format[start:i+1])
	}
	return b
}

// conversion appends one conversion of strftime.
func conversion(b []byte, c, flag byte, width int, t time.Time, raw string) []byte {
	number := func(n, digits int, fill byte) []byte {
		switch flag {
		case '-':
			digits = 0
		case '_':
			fill = ' '
		case '0':
			fill = '0'
		}
		s := strconv.Itoa(n)
		for k := len(s); k < max(digits, width); k++ {
			b = append(b, fill)
		}
		return append(b, s...)
	}
	word := func(s string) []byte {
		switch flag {
		case '^':
			s = strings.ToUpper(s)
		case '#':
			s = strings.ToUpper(s)
			if c == 'p' || c == 'Z' {
				s = strings.ToLower(s)
			}
		}
		for k := len(s); k < width; k++ {
			b = append(b, ' ')
		}
		return append(b, s...)
	}
	sub := func(f string) []byte { return word(string(strftime(nil, f, t))) }
	hour12 := (t.Hour()+11)%12 + 1
	year, week := t.ISOWeek()
	switch c {
	case 'a':
		return word(t.Weekday().String()[:3])
	case 'A':
		return word(t.Weekday().String())
	case 'b', 'h':
		return word(t.Month().String()[:3])
	case 'B':
		return word(t.Month().String())
	case 'c':
		return sub("%a %b %e %H:%M:%S %Y")
	case 'C':
		return number(t.Year()/100, 2, '0')
	case 'd':
		return number(t.Day(), 2, '0')
	case 'D', 'x':
		return sub("%m/%d/%y")
	case 'e':
		return number(t.Day(), 2, ' ')
	case 'F':
		return sub("%Y-%m-%d")
	case 'g':
		return number(year%100, 2, '0')
	case 'G':
		return number(year, 4, '0')
	case 'H':
		return number(t.Hour(), 2, '0')
	case 'I':
		return number(hour12, 2, '0')
	case 'j':
		return number(t.YearDay(), 3, '0')
	case 'k':
		return number(t.Hour(), 2, ' ')
	case 'l':
		return number(hour12, 2, ' ')
	case 'm':
		return number(int(t.Month()), 2, '0')
	case 'M':
		return number(t.Minute(), 2, '0')
	case 'n':
		return append(b, '\n')
	case 'p':
		return word(half(t, "AM", "PM"))
	case 'P':
		return word(half(t, "am", "pm"))
	case 'r':
		return sub("%I:%M:%S %p")
	case 'R':
		return sub("%H:%M")
	case 's':
		return append(b, strconv.FormatInt(t.Unix(), 10)...)
	case 'S':
		return number(t.Second(), 2, '0')
	case 't':
		return append(b, '\t')
	case 'T', 'X':
		return sub("%H:%M:%S")
	case 'u':
		return number((int(t.Weekday())+6)%7+1, 1, '0')
	case 'U':
		return number((t.YearDay()+6-int(t.Weekday()))/7, 2, '0')
	case 'V':
		return number(week, 2, '0')
	case 'w':
		return number(int(t.Weekday()), 1, '0')
	case 'W':
		return number((t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2, '0')
	case 'y':
		return number(t.Year()%100, 2, '0')
	case 'Y':
		return number(t.Year(), 1, '0')
	case 'z':
		return append(b, t.Format("-0700")...)
	case 'Z':
		name, _ := t.Zone()
		return word(name)
	case '%':
		return append(b, '%')
	}
	return append(b, raw...)
}

func half(t time.Time, am, pm string) string {
	if t.Hour() < 12 {
		return am
	}
	return pm
}
