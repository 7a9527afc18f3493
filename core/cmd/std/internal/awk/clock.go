package awk

import (
	"math"
	"strconv"
	"strings"
	"time"

	cformat "eryxsh/core/cmd/format"
	"eryxsh/core/zone"
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
	b := cformat.Strftime(nil, format, at, false)
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
	t, _ := zone.Date(n[0], n[1], n[2], n[3], n[4], n[5], loc)
	if len(words) > 6 { // whether daylight saving time is in force
		if dst, err := strconv.Atoi(words[6]); err == nil && dst > 0 && !t.IsDST() {
			t = t.Add(-time.Hour)
		} else if err == nil && dst == 0 && t.IsDST() {
			t = t.Add(time.Hour)
		}
	}
	return float64(t.Unix())
}

// zone is the time zone of TZ: UTC unless it says otherwise.
func (p *Program) zone() *time.Location {
	tz, _ := p.c.Getenv("TZ")
	if env := p.Globals[slotENVIRON]; env.K == Arr {
		if v := p.Heap[env.R].find(Key{S: "TZ"}); v != nil {
			tz = p.str(v)
		}
	}
	return zone.Named(tz)
}
