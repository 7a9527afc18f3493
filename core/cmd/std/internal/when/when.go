// Package when reads dates as GNU date -d and touch -d do: "yesterday",
// "2 days ago", "next monday", "2024-01-15 10:30 UTC", "@123".
//
// It is the grammar of parse_datetime(3) by hand: a date is a run of items
// (a time, a date, a weekday, a zone, relative amounts, a bare number), each at
// most once except relative ones. Its surprises are kept: in
// "10:00 +2 days" the +2 is a zone and "days" is one day.
package when

import (
	"errors"
	"strings"
	"time"

	"eryxsh/core/zone"
)

// ErrInvalid says that a date cannot be read.
var ErrInvalid = errors.New("invalid date")

// maxTokens bounds the work for one date.
const maxTokens = 1000

// Parse reads s; what it leaves out comes from now, in now's zone.
// named finds a time zone by its TZ value, for a leading TZ="…"; it may be nil.
func Parse(s string, now time.Time, named func(string) *time.Location) (time.Time, error) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	if t, ok := strings.CutPrefix(s, `TZ="`); ok {
		name, rest, ok := strings.Cut(t, `"`)
		if !ok || named == nil {
			return time.Time{}, ErrInvalid
		}
		loc := named(name)
		if loc == nil {
			return time.Time{}, ErrInvalid
		}
		now, s = now.In(loc), rest
	}
	toks, err := scan(s, now)
	if err != nil {
		return time.Time{}, err
	}
	p := &parser{toks: toks, now: now}
	if len(toks) > 1 && toks[0].kind == '@' {
		t := toks[1]
		if (t.kind != tNum && t.kind != tSigned) || len(toks) != 2 {
			return time.Time{}, ErrInvalid
		}
		ns := t.ns
		if t.neg {
			ns = -ns
		}
		return time.Unix(t.value, ns).In(now.Location()), nil
	}
	for p.i < len(p.toks) {
		if !p.item() {
			return time.Time{}, ErrInvalid
		}
	}
	return p.resolve()
}

// relative amounts.
type relative struct {
	year, month, day, hour, minute, second, ns int64
}

func (r *relative) add(o relative, f int64) {
	r.year += o.year * f
	r.month += o.month * f
	r.day += o.day * f
	r.hour += o.hour * f
	r.minute += o.minute * f
	r.second += o.second * f
	r.ns += o.ns * f
}

type parser struct {
	toks []token
	i    int
	now  time.Time

	times, dates, days, zones, rels int

	year             token
	month, day       int64
	hour, min, sec   int64
	ns               int64
	meridian         int64 // 0: 24 hours, 1: am, 2: pm
	dayOrd, weekday  int64
	offset           int64 // seconds east, if zones
	rel              relative
	yearSet, timeSet bool
}

func (p *parser) peek(n int) token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return token{kind: tEnd}
}

// is reports whether the next tokens are of these kinds.
func (p *parser) is(kinds ...kind) bool {
	for n, k := range kinds {
		if p.peek(n).kind != k {
			return false
		}
	}
	return true
}

func (p *parser) take() token { t := p.peek(0); p.i++; return t }

func (p *parser) item() bool {
	switch t := p.peek(0); t.kind {
	case tNum:
		return p.number()
	case tSigned:
		return p.relunit()
	case tMonth:
		return p.monthFirst()
	case tDay:
		p.take()
		p.dayOrd, p.weekday = 0, t.value
		p.days++
		if p.is(',') {
			p.take()
		}
		return true
	case tOrdinal:
		if p.peek(1).kind == tDay {
			p.dayOrd, p.weekday = t.value, p.peek(1).value
			p.days++
			p.i += 2
			return true
		}
		return p.relunit()
	case tUnit:
		return p.relunit()
	case tShift:
		p.take()
		p.rel.day += t.value
		p.rels++
		return true
	case tZone, 'T':
		return p.zone()
	}
	return false
}

func (p *parser) zone() bool {
	t := p.take()
	p.zones++
	p.offset = t.value
	switch {
	case t.alone:
	case p.is(tSigned, tUnit):
		return p.attached()
	case p.is(tSigned) && t.kind == tZone:
		return p.zoneOffset(t.value)
	case p.is(tDST):
		p.take()
		p.offset += 3600
	}
	return true
}

// zoneOffset reads +hh, +hhmm or +hh:mm.
func (p *parser) zoneOffset(base int64) bool {
	t := p.take()
	if t.frac {
		return false
	}
	v := t.value
	if v < 0 {
		v = -v
	}
	var min int64
	switch {
	case p.is(':', tNum):
		p.take()
		m := p.take()
		if m.frac {
			return false
		}
		min = v*60 + m.value
	case t.digits <= 2:
		min = v * 60
	default:
		min = v/100*60 + v%100
	}
	if min > 24*60 {
		return false
	}
	if t.neg {
		min = -min
	}
	p.offset = base + min*60
	return true
}

// number reads what begins with an unsigned number.
func (p *parser) number() bool {
	t := p.peek(0)
	next := p.peek(1)
	if t.frac && next.kind != tUnit {
		return false
	}
	switch next.kind {
	case tMeridian:
		p.i += 2
		p.setTime(t.value, 0, 0, 0, next.value)
		return true
	case ':':
		return p.clock()
	case '/':
		return p.slashes()
	case tMonth:
		return p.dayMonth()
	case tDay:
		p.i += 2
		p.dayOrd, p.weekday = t.value, next.value
		p.days++
		return true
	case tUnit:
		return p.relunit()
	case tSigned:
		return p.numberSigned()
	}
	p.take()
	p.bare(t)
	return true
}

// numberSigned reads an ISO date, a number with an amount, or an hour with a zone.
func (p *parser) numberSigned() bool {
	t := p.take()
	switch {
	case p.is(tSigned, tSigned):
		m, d := p.take(), p.take()
		if !m.neg || !d.neg || m.frac || d.frac {
			return false
		}
		p.setDate(t, -m.value, -d.value)
		if p.is('T', tNum) {
			p.take()
			switch p.peek(1).kind {
			case ':':
				return p.clock()
			case tSigned:
				h := p.take()
				p.setTime(h.value, 0, 0, 0, 0)
				p.zones++
				return p.zoneOffset(0)
			}
			return false
		}
		return true
	case p.is(tSigned, tUnit):
		p.bare(t)
		return p.attached()
	}
	p.setTime(t.value, 0, 0, 0, 0)
	p.zones++
	return p.zoneOffset(0)
}

// clock reads hh:mm[:ss[.frac]] [am|pm|zone offset].
func (p *parser) clock() bool {
	h := p.take()
	p.take()
	if !p.is(tNum) {
		return false
	}
	m := p.take()
	if m.frac || h.frac {
		return false
	}
	var s token
	if p.is(':', tNum) {
		p.take()
		s = p.take()
	}
	mer := int64(0)
	switch {
	case p.is(tMeridian):
		mer = p.take().value
	case p.is(tSigned):
		p.zones++
		if !p.zoneOffset(0) {
			return false
		}
	}
	p.setTime(h.value, m.value, s.value, s.ns, mer)
	return true
}

// slashes reads m/d, m/d/y and y/m/d.
func (p *parser) slashes() bool {
	a := p.take()
	p.take()
	if !p.is(tNum) {
		return false
	}
	b := p.take()
	if !p.is('/') {
		p.dates++
		p.month, p.day = a.value, b.value
		return true
	}
	p.take()
	if !p.is(tNum) {
		return false
	}
	c := p.take()
	if a.digits >= 4 {
		p.setDate(a, b.value, c.value)
	} else {
		p.setDate(c, a.value, b.value)
	}
	return true
}

// dayMonth reads "17 June", "17 June 1992", "17-JUN-1992".
func (p *parser) dayMonth() bool {
	d, m := p.take(), p.take()
	switch {
	case p.is(tSigned) && p.peek(1).kind != tUnit:
		y := p.take()
		y.value = -y.value
		p.setDate(y, m.value, d.value)
	case p.is(tNum):
		if p.peek(0).frac {
			return false
		}
		p.setDate(p.take(), m.value, d.value)
	default:
		p.dates++
		p.month, p.day = m.value, d.value
	}
	return true
}

// monthFirst reads "June 17", "June 17, 1992", "JUN-17-1992".
func (p *parser) monthFirst() bool {
	m := p.take()
	switch {
	case p.is(tSigned, tSigned):
		d, y := p.take(), p.take()
		y.value = -y.value
		p.setDate(y, m.value, -d.value)
	case p.is(tNum, ',', tNum):
		d := p.take()
		p.take()
		p.setDate(p.take(), m.value, d.value)
	case p.is(tNum):
		p.dates++
		p.month, p.day = m.value, p.take().value
	default:
		return false
	}
	return true
}

func (p *parser) setDate(year token, month, day int64) {
	p.dates++
	p.year, p.yearSet, p.month, p.day = year, true, month, day
}

func (p *parser) setTime(h, m, s, ns, mer int64) {
	p.times++
	p.timeSet = true
	p.hour, p.min, p.sec, p.ns, p.meridian = h, m, s, ns, mer
}

// attached reads a signed amount right behind a zone or a bare number. The grammar takes it with that, and no "ago" after it.
func (p *parser) attached() bool { return p.relunit() && p.toks[p.i-1].kind != tAgo }

// relunit reads one amount: "2 days", "+1 week", "next month", "hour", and "ago".
func (p *parser) relunit() bool {
	n := token{value: 1}
	if !p.is(tUnit) {
		n = p.take()
	}
	if !p.is(tUnit) {
		return false
	}
	u := p.take()
	if n.frac && u.unit != 's' {
		return false
	}
	v := n.value * u.value
	var r relative
	switch u.unit {
	case 'Y':
		r.year = v
	case 'M':
		r.month = v
	case 'D':
		r.day = v
	case 'h':
		r.hour = v
	case 'm':
		r.minute = v
	case 's':
		r.second, r.ns = v, n.ns
		if n.neg {
			r.ns = -n.ns
		}
	}
	f := int64(1)
	if p.is(tAgo) {
		f = p.take().value
	}
	p.rel.add(r, f)
	p.rels++
	return true
}

// bare is a number alone: a year, yyyymmdd or hhmm.
func (p *parser) bare(t token) {
	switch {
	case p.dates > 0 && !p.yearSet && p.rels == 0 && (p.times > 0 || t.digits > 2):
		p.year, p.yearSet = t, true
	case t.digits > 4:
		p.dates++
		p.day, p.month = t.value%100, t.value/100%100
		p.year, p.yearSet = token{value: t.value / 10000, digits: t.digits - 4}, true
	case t.digits <= 2:
		p.setTime(t.value, 0, 0, 0, 0)
	default:
		p.setTime(t.value/100, t.value%100, 0, 0, 0)
	}
}

func (p *parser) resolve() (time.Time, error) {
	if p.times > 1 || p.dates > 1 || p.days > 1 || p.zones > 1 {
		return time.Time{}, ErrInvalid
	}
	now := p.now
	y, mo, d := int64(now.Year()), int64(now.Month()), int64(now.Day())
	if p.dates > 0 {
		mo, d = p.month, p.day
		if p.yearSet {
			if y = p.year.value; p.year.digits == 2 {
				if y += 1900; p.year.value < 69 {
					y += 100
				}
			}
		}
	}
	var h, mi, s, ns int64
	switch {
	case p.timeSet:
		h, mi, s, ns = p.hour, p.min, p.sec, p.ns
		if p.meridian != 0 {
			if h < 1 || h > 12 {
				return time.Time{}, ErrInvalid
			}
			h %= 12
			if p.meridian == 2 {
				h += 12
			}
		}
	case p.rels > 0 && p.dates == 0 && p.days == 0:
		h, mi, s, ns = int64(now.Hour()), int64(now.Minute()), int64(now.Second()), int64(now.Nanosecond())
	}
	if mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 || mi > 59 || s > 60 || y < -(1<<40) || y > 1<<31 {
		return time.Time{}, ErrInvalid
	}
	loc := now.Location()
	if p.zones > 0 {
		loc = time.FixedZone("", int(p.offset))
	}
	t, exists := zone.Date(int(y), int(mo), int(d), int(h), int(mi), int(s), loc)
	if !exists || t.Day() != int(d) || t.Hour() != int(h) && p.zones > 0 || t.Second() != int(s) {
		return time.Time{}, ErrInvalid
	}
	if p.days > 0 && p.dates == 0 {
		wd := int64(t.Weekday())
		n := (p.weekday-wd+7)%7 + 7*p.dayOrd
		if p.dayOrd > 0 && wd != p.weekday {
			n -= 7
		}
		t, _ = zone.Date(t.Year(), int(t.Month()), t.Day()+int(n), t.Hour(), t.Minute(), t.Second(), loc)
	}
	r := p.rel
	for _, v := range []int64{r.year, r.month, r.day, r.hour, r.minute, r.second} {
		if v > 1<<40 || v < -(1<<40) {
			return time.Time{}, ErrInvalid
		}
	}
	if r.year|r.month|r.day != 0 {
		t, _ = zone.Date(t.Year()+int(r.year), int(t.Month())+int(r.month), t.Day()+int(r.day), t.Hour(), t.Minute(), t.Second(), loc)
	}
	if p.times == 0 && p.dates == 0 && p.days == 0 && p.zones == 0 && t.IsDST() != now.IsDST() {
		// What is only relative keeps to the summer or winter time of now.
		shift := time.Hour
		if now.IsDST() {
			shift = -shift
		}
		t = t.Add(shift)
	}
	sec := t.Unix() + r.hour*3600 + r.minute*60 + r.second
	return time.Unix(sec, ns+r.ns).In(now.Location()), nil
}
