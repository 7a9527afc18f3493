package when

import (
	"strings"
	"time"
)

type kind uint8

// Kinds of tokens; punctuation and 'T' stand for themselves.
const (
	tEnd kind = iota
	tNum
	tSigned
	tMonth
	tDay
	tOrdinal
	tUnit
	tShift
	tZone
	tMeridian
	tAgo
	tDST
)

type token struct {
	kind   kind
	value  int64
	ns     int64 // the part after the point
	digits int
	neg    bool
	frac   bool
	unit   byte // tUnit: Y M D h m s
	alone  bool // tZone: nothing belongs to it
}

func scan(s string, now time.Time) ([]token, error) {
	var toks []token
	for i := 0; i < len(s); {
		if len(toks) > maxTokens {
			return nil, ErrInvalid
		}
		c := s[i]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			i++
		case c == '(':
			depth := 0
			for ; i < len(s); i++ {
				if s[i] == '(' {
					depth++
				} else if s[i] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if depth > 0 {
				return nil, ErrInvalid
			}
			i++
		case c >= '0' && c <= '9' || c == '-' || c == '+':
			t, n, ok := number(s[i:])
			if !ok {
				return nil, ErrInvalid
			}
			i += n
			if t.kind != tEnd {
				toks = append(toks, t)
			}
		case letter(c):
			j := i
			for j < len(s) && (letter(s[j]) || s[j] == '.') {
				j++
			}
			t, ok := word(s[i:j], now)
			if !ok {
				return nil, ErrInvalid
			}
			toks = append(toks, t)
			i = j
		default:
			toks = append(toks, token{kind: kind(c)})
			i++
			if c < '!' || c > '@' {
				return nil, ErrInvalid
			}
		}
	}
	return toks, nil
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// number reads a number; a lone sign is skipped (kind tEnd).
func number(s string) (token, int, bool) {
	t := token{kind: tNum}
	i := 0
	if s[0] == '-' || s[0] == '+' {
		t.kind, t.neg = tSigned, s[0] == '-'
		i++
		for i < len(s) && (s[i] == ' ' || s[i] >= '\t' && s[i] <= '\r') {
			i++
		}
		if i == len(s) || s[i] < '0' || s[i] > '9' {
			return token{}, i, true
		}
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if t.value > 1<<59 {
			return t, 0, false
		}
		t.value = t.value*10 + int64(s[i]-'0')
		t.digits++
	}
	if i+1 < len(s) && (s[i] == '.' || s[i] == ',') && s[i+1] >= '0' && s[i+1] <= '9' {
		t.frac = true
		scale := int64(1e8)
		for i++; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			t.ns += int64(s[i]-'0') * scale
			scale /= 10
		}
	}
	if t.neg {
		t.value = -t.value
	}
	return t, i, true
}

const months = "january february march april may june july august september october november december "
const weekdays = "sunday monday tuesday wednesday thursday friday saturday "

// index finds a full name or its first three letters in a list.
func index(list, w string) (int64, bool) {
	if len(w) < 3 || strings.Contains(w, " ") {
		return 0, false
	}
	for i, n := range strings.Fields(list) {
		if n == w || len(w) == 3 && n[:3] == w {
			return int64(i), true
		}
	}
	return 0, false
}

func word(w string, now time.Time) (token, bool) {
	w = strings.ToLower(w)
	switch w {
	case "am", "a.m.":
		return token{kind: tMeridian, value: 1}, true
	case "pm", "p.m.":
		return token{kind: tMeridian, value: 2}, true
	case "t":
		return token{kind: 'T', value: -7 * 3600}, true
	case "dst":
		return token{kind: tDST}, true
	case "ago":
		return token{kind: tAgo, value: -1}, true
	case "hence":
		return token{kind: tAgo, value: 1}, true
	}
	short := w
	if len(w) == 4 && w[3] == '.' {
		short = w[:3]
	}
	if i, ok := index(months, short); ok {
		return token{kind: tMonth, value: i + 1}, true
	}
	if i, ok := index(weekdays, short); ok {
		return token{kind: tDay, value: i}, true
	}
	switch w {
	case "sept":
		return token{kind: tMonth, value: 9}, true
	case "tues":
		return token{kind: tDay, value: 2}, true
	case "wednes":
		return token{kind: tDay, value: 3}, true
	case "thur", "thurs":
		return token{kind: tDay, value: 4}, true
	}
	if t, ok := zoneWord(w, now); ok {
		return t, true
	}
	if t, ok := unit(w); ok {
		return t, true
	}
	if t, ok := relativeWord(w); ok {
		return t, true
	}
	if len(w) == 1 {
		return military(w[0])
	}
	if strings.Contains(w, ".") {
		return zoneWord(strings.ReplaceAll(w, ".", ""), now)
	}
	return token{}, false
}

func unit(w string) (token, bool) {
	switch strings.TrimSuffix(w, "s") {
	case "year":
		return token{kind: tUnit, value: 1, unit: 'Y'}, true
	case "month":
		return token{kind: tUnit, value: 1, unit: 'M'}, true
	case "fortnight":
		return token{kind: tUnit, value: 14, unit: 'D'}, true
	case "week":
		return token{kind: tUnit, value: 7, unit: 'D'}, true
	case "day":
		return token{kind: tUnit, value: 1, unit: 'D'}, true
	case "hour":
		return token{kind: tUnit, value: 1, unit: 'h'}, true
	case "minute", "min":
		return token{kind: tUnit, value: 1, unit: 'm'}, true
	case "second", "sec":
		return token{kind: tUnit, value: 1, unit: 's'}, true
	}
	return token{}, false
}

func relativeWord(w string) (token, bool) {
	switch w {
	case "tomorrow":
		return token{kind: tShift, value: 1}, true
	case "yesterday":
		return token{kind: tShift, value: -1}, true
	case "today", "now":
		return token{kind: tShift}, true
	case "last":
		return token{kind: tOrdinal, value: -1}, true
	case "this":
		return token{kind: tOrdinal}, true
	case "next":
		return token{kind: tOrdinal, value: 1}, true
	}
	for i, n := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth") {
		if n == w && i != 1 {
			return token{kind: tOrdinal, value: int64(i + 1)}, true
		}
	}
	return token{}, false
}

// zones are the names parse_datetime knows, hours east of Greenwich; a star marks summer time, which takes no offset.
const zones = "gmt=0 ut=0 utc=0 wet=0 west=1* bst=1* art=-3 brt=-3 brst=-2* nst=-3.5 ndt=-2.5* ast=-4 adt=-3* clt=-4 clst=-3* " +
	"est=-5 edt=-4* cst=-6 cdt=-5* mst=-7 mdt=-6* pst=-8 pdt=-7* akst=-9 akdt=-8* hst=-10 hast=-10 hadt=-9* sst=-12 wat=1 " +
	"cet=1 cest=2* met=1 mez=1 mest=2* mesz=2* eet=2 eest=3* cat=2 sast=2 eat=3 msk=3 msd=4* ist=5.5 sgt=8 kst=9 jst=9 gst=10 nzst=12 nzdt=13* "

func zoneWord(w string, now time.Time) (token, bool) {
	if i := strings.Index(" "+zones, " "+w+"="); i >= 0 {
		v, _, _ := strings.Cut(zones[i+len(w)+1:], " ")
		v, summer := strings.CutSuffix(v, "*")
		neg := strings.HasPrefix(v, "-")
		v = strings.TrimPrefix(v, "-")
		sec := int64(0)
		whole, half, _ := strings.Cut(v, ".")
		for _, c := range whole {
			sec = sec*10 + int64(c-'0')
		}
		sec *= 3600
		if half != "" {
			sec += 1800
		}
		if neg {
			sec = -sec
		}
		return token{kind: tZone, value: sec, alone: summer}, true
	}
	if name, off := now.Zone(); strings.EqualFold(name, w) {
		return token{kind: tZone, value: int64(off)}, true
	}
	return token{}, false
}

// military are the one-letter zones.
func military(c byte) (token, bool) {
	h := int64(0)
	switch {
	case c >= 'a' && c <= 'i':
		h = int64(c-'a') + 1
	case c >= 'k' && c <= 'm':
		h = int64(c-'k') + 10
	case c >= 'n' && c <= 'y' && c != 't':
		h = -int64(c-'n') - 1
	case c != 'z':
		return token{}, false
	}
	return token{kind: tZone, value: h * 3600}, true
}
