package jq

import (
	"math"
	"strconv"
	"strings"
	"time"

	"eryxsh/core/cmd/std/internal/clock"
)

var dateNatives = []native{
	{"now", 0, func(p *Program, a []Value) (Value, bool) { return num(float64(p.c.Now()/1000) / 1e6), true }},
	{"mktime", 0, func(p *Program, a []Value) (Value, bool) {
		if a[0].K != Array {
			return empty, p.raise("mktime requires array of 6 numbers")
		}
		t, ok := p.broken(a[0], "mktime", time.UTC)
		return num(float64(t.Unix())), ok
	}},
	{"gmtime", 0, func(p *Program, a []Value) (Value, bool) { return p.breakDown(a[0], "gmtime", time.UTC) }},
	{"localtime", 0, func(p *Program, a []Value) (Value, bool) {
		return p.breakDown(a[0], "localtime", clock.Local(p.c).Loc)
	}},
	{"strftime", 1, func(p *Program, a []Value) (Value, bool) {
		return p.strftime(a[0], a[1], "strftime", time.UTC)
	}},
	{"strflocaltime", 1, func(p *Program, a []Value) (Value, bool) {
		return p.strftime(a[0], a[1], "strflocaltime", clock.Local(p.c).Loc)
	}},
	{"strptime", 1, strptime},
}

// breakDown makes [year, month, day, hours, minutes, seconds, weekday, yearday] of seconds since 1970.
func (p *Program) breakDown(v Value, name string, loc *time.Location) (Value, bool) {
	if v.K != Number {
		return empty, p.raise("%s() requires a number", name)
	}
	if math.IsNaN(v.N) || math.Abs(v.N) > 1e15 {
		return empty, p.raise("error converting number of seconds since epoch to datetime")
	}
	whole := math.Floor(v.N)
	t := time.Unix(int64(whole), 0).In(loc)
	return p.fields(t, float64(t.Second())+(v.N-whole)), true
}

func (p *Program) fields(t time.Time, seconds float64) Value {
	list := []Value{}
	for _, n := range [...]float64{
		float64(t.Year()), float64(t.Month() - 1), float64(t.Day()), float64(t.Hour()), float64(t.Minute()), seconds,
		float64(t.Weekday()), float64(t.YearDay() - 1),
	} {
		list = append(list, num(n))
	}
	return p.Heap.array(list)
}

// broken makes a time of what breakDown gives.
func (p *Program) broken(v Value, name string, loc *time.Location) (time.Time, bool) {
	items := p.Heap.items(v)
	if len(items) < 6 {
		return time.Time{}, p.raise("%s requires array of 6 numbers", name)
	}
	var n [6]int
	for i := range n {
		if items[i].K != Number {
			return time.Time{}, p.raise("%s requires parsed datetime inputs", name)
		}
		n[i] = clampInt(math.Trunc(items[i].N))
		if n[i] > 1e9 || n[i] < -1e9 {
			return time.Time{}, p.raise("invalid gmtime representation")
		}
	}
	return time.Date(n[0], time.Month(n[1]+1), n[2], n[3], n[4], n[5], 0, loc), true
}

func (p *Program) strftime(v, layout Value, name string, loc *time.Location) (Value, bool) {
	if v.K == Number {
		var ok bool
		if v, ok = p.breakDown(v, "gmtime", loc); !ok {
			return empty, false
		}
	}
	if v.K != Array {
		return empty, p.raise("%s/1 requires parsed datetime inputs", name)
	}
	if layout.K != String {
		return empty, p.raise("%s/1 requires a string format", name)
	}
	t, ok := p.broken(v, name+"/1", loc)
	if !ok {
		return empty, false
	}
	p.charge(len(layout.S) * 16)
	return str(clock.Strftime(layout.S, t)), true
}

// timeReader reads a time by a layout.
type timeReader struct {
	s                                      string
	year, month, day, hour, minute, second int
	yday                                   int
	pm, hasPM, hasDate, hasYDay, hasEpoch  bool
	hasYear, hasWDay                       bool
	wday                                   int
	epoch                                  int64
}

func strptime(p *Program, a []Value) (Value, bool) {
	v, layout := a[0], a[1]
	if v.K != String {
		return empty, p.raise("strptime/1 requires string inputs and arguments")
	}
	if layout.K != String {
		return empty, p.raise("strptime/1 requires string inputs and arguments")
	}
	r := timeReader{s: v.S, year: 1900, day: 0}
	if !r.read(layout.S, 0) || r.s != "" {
		return empty, p.raise("date \"%s\" does not match format \"%s\"", v.S, layout.S)
	}
	var t time.Time
	switch {
	case r.hasEpoch:
		t = time.Unix(r.epoch, 0).UTC()
	case r.hasYDay && !r.hasDate:
		t = time.Date(r.year, 1, 1+r.yday, r.hour, r.minute, r.second, 0, time.UTC)
	default:
		t = time.Date(r.year, time.Month(r.month+1), r.day, r.hour, r.minute, 0, 0, time.UTC)
		out := p.fields(t, float64(r.second))
		items := p.Heap.items(out)
		items[1], items[2] = num(float64(r.month)), num(float64(r.day))
		items[3], items[4] = num(float64(r.hour)), num(float64(r.minute))
		if !r.hasDate { // what strptime(3) leaves alone: day 0 of a year, or nothing at all
			items[0], items[7] = num(float64(r.year)), num(-1)
			if !r.hasYear {
				items[6], items[7] = num(8), num(367)
			}
		}
		if r.hasWDay {
			items[6] = num(float64(r.wday))
		}
		return out, true
	}
	return p.fields(t, float64(t.Second())), true
}

func (r *timeReader) number(most int) (int, bool) {
	r.s = strings.TrimLeft(r.s, " \t\n")
	i := 0
	for i < len(r.s) && i < most && digit(r.s[i]) {
		i++
	}
	n, err := strconv.Atoi(r.s[:i])
	r.s = r.s[i:]
	return n, err == nil
}

func (r *timeReader) name(names []string) (int, bool) {
	for i, name := range names {
		for _, form := range [...]string{name, name[:3]} {
			if len(r.s) >= len(form) && strings.EqualFold(r.s[:len(form)], form) {
				r.s = r.s[len(form):]
				return i, true
			}
		}
	}
	return 0, false
}

// read follows a layout; nested ones such as %T are read the same way.
func (r *timeReader) read(layout string, depth int) bool {
	if depth > 3 {
		return false
	}
	for i := 0; i < len(layout); i++ {
		c := layout[i]
		switch {
		case strings.IndexByte(" \t\n", c) >= 0:
			r.s = strings.TrimLeft(r.s, " \t\n\r\v\f")
			continue
		case c != '%' || i+1 == len(layout):
			if r.s == "" || r.s[0] != c {
				return false
			}
			r.s = r.s[1:]
			continue
		}
		i++
		for i+1 < len(layout) && strings.IndexByte("EO-_0^#", layout[i]) >= 0 {
			i++
		}
		if !r.field(layout[i], depth) {
			return false
		}
	}
	return true
}

func (r *timeReader) field(c byte, depth int) (ok bool) {
	months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	days := []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	n := 0
	switch c {
	case 'Y':
		r.year, ok = r.number(4)
		r.hasYear = true
	case 'm':
		n, ok = r.number(2)
		r.month, r.hasDate = n-1, true
		ok = ok && n >= 1 && n <= 12
	case 'd', 'e':
		r.day, ok = r.number(2)
		r.hasDate = true
		ok = ok && r.day >= 1 && r.day <= 31
	case 'H', 'k':
		r.hour, ok = r.number(2)
		ok = ok && r.hour < 24
	case 'I', 'l':
		n, ok = r.number(2)
		ok = ok && n >= 1 && n <= 12
		r.hour = n % 12
		if r.hasPM && r.pm {
			r.hour += 12
		}
	case 'M':
		r.minute, ok = r.number(2)
		ok = ok && r.minute < 60
	case 'S':
		r.second, ok = r.number(2)
		ok = ok && r.second <= 61
	case 'y':
		n, ok = r.number(2)
		r.year, r.hasYear = 1900+n, true
		if n < 69 {
			r.year += 100
		}
	case 'j':
		n, ok = r.number(3)
		r.yday, r.hasYDay = n-1, true
	case 'b', 'B', 'h':
		r.month, ok = r.name(months)
		r.hasDate = true
	case 'a', 'A':
		r.wday, ok = r.name(days)
		r.hasWDay = true
	case 'u', 'w':
		r.wday, ok = r.number(1)
		r.wday, r.hasWDay = r.wday%7, true
	case 'U', 'W', 'V', 'C', 'g':
		_, ok = r.number(2)
	case 'G':
		_, ok = r.number(4)
	case 'p', 'P':
		n, ok = r.name([]string{"AM ", "PM "})
		if !ok && len(r.s) >= 2 {
			if half := strings.ToUpper(r.s[:2]); half == "AM" || half == "PM" {
				n, ok = strings.Index("AP", half[:1]), true
				r.s = r.s[2:]
			}
		}
		r.hasPM, r.pm = true, n == 1
		if r.pm && r.hour < 12 {
			r.hour += 12
		}
	case 's':
		i := 0
		for i < len(r.s) && (digit(r.s[i]) || i == 0 && r.s[i] == '-') {
			i++
		}
		var err error
		r.epoch, err = strconv.ParseInt(r.s[:i], 10, 64)
		r.s, r.hasEpoch, ok = r.s[i:], true, err == nil
	case 'Z':
		i := 0
		for i < len(r.s) && letter(r.s[i]) {
			i++
		}
		r.s = r.s[i:]
		ok = true
	case 'z':
		ok = r.zone()
	case 'T':
		ok = r.read("%H:%M:%S", depth+1)
	case 'D':
		ok = r.read("%m/%d/%y", depth+1)
	case 'F':
		ok = r.read("%Y-%m-%d", depth+1)
	case 'R':
		ok = r.read("%H:%M", depth+1)
	case 'r':
		ok = r.read("%I:%M:%S %p", depth+1)
	case 'c':
		ok = r.read("%a %b %e %H:%M:%S %Y", depth+1)
	case 'x':
		ok = r.read("%m/%d/%y", depth+1)
	case 'X':
		ok = r.read("%H:%M:%S", depth+1)
	case 'n', 't':
		r.s = strings.TrimLeft(r.s, " \t\n\r\v\f")
		ok = true
	case '%':
		ok = strings.HasPrefix(r.s, "%")
		r.s = strings.TrimPrefix(r.s, "%")
	}
	return ok
}

// zone reads an offset; as with jq it does not change the time.
func (r *timeReader) zone() bool {
	r.s = strings.TrimLeft(r.s, " ")
	if strings.HasPrefix(r.s, "Z") {
		r.s = r.s[1:]
		return true
	}
	if r.s == "" || r.s[0] != '+' && r.s[0] != '-' {
		return false
	}
	r.s = r.s[1:]
	digits := 0
	for r.s != "" && digits < 4 && (digit(r.s[0]) || r.s[0] == ':' && digits == 2) {
		if r.s[0] != ':' {
			digits++
		}
		r.s = r.s[1:]
	}
	return digits == 2 || digits == 4
}
