// Package zone is the time zones that TZ can name. The database is part of the
// program: what a script prints never depends on the host's.
package zone

import (
	_ "embed" // of the database
	"encoding/binary"
	"strings"
	"time"
)

// database is every zone of the IANA database, made by TestDatabase: for each
// name in byte order its length (1 byte), the name, where its data is behind the table (4 bytes)
// and how long it is (2 bytes); a zero byte; the data, in the format of tzfile(5).
//
//go:embed zones.bin
var database string

// Named is the zone of a value of TZ, as tzset(3) understands it: a name of the
// database ("Europe/Paris"), a rule ("EST5EDT,M3.2.0,M11.1.0", "<+07>-7"),
// or else UTC, under what letters the value begins with. A leading colon says nothing.
func Named(tz string) *time.Location {
	tz = strings.TrimPrefix(tz, ":")
	if tz == "" || tz == "UTC" || tz == "UTC0" || tz == "Etc/UTC" {
		return time.UTC
	}
	if data, ok := find(tz); ok {
		if loc, err := time.LoadLocationFromTZData(tz, []byte(data)); err == nil {
			return loc
		}
	}
	name, rest := abbreviation(tz)
	offset, rest, ok := offsetOf(rest)
	switch {
	case !ok:
		return time.FixedZone(name, 0)
	case rest == "":
		return time.FixedZone(name, offset)
	}
	loc, err := time.LoadLocationFromTZData(tz, ruled(name, offset, tz))
	if err != nil {
		return time.FixedZone(name, offset)
	}
	return loc
}

// Date is a time by the clocks of a zone, as mktime(3) reads it: fields run over
// into the next, and a time that the clocks leave out (exists is false) is as much later as they jump.
func Date(year, month, day, hour, minute, second int, loc *time.Location) (t time.Time, exists bool) {
	t = time.Date(year, time.Month(month), day, hour, minute, second, 0, loc)
	_, offset := t.Zone()
	clock := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	jump := clock.Unix() - t.Unix() - int64(offset)
	return time.Unix(t.Unix()+max(jump, 0), 0).In(loc), jump == 0
}

// find is the data of a zone of the database.
func find(name string) (data string, ok bool) {
	at, start := 0, binary.BigEndian.Uint32([]byte(database[:4]))
	for at = 4; database[at] != 0; {
		n := int(database[at])
		entry := database[at+1 : at+7+n]
		at += 7 + n
		if entry[:n] == name {
			from := start + binary.BigEndian.Uint32([]byte(entry[n:]))
			return database[from : from+uint32(binary.BigEndian.Uint16([]byte(entry[n+4:])))], true
		}
	}
	return "", false
}

// abbreviation takes the name at the start of a rule: at least three letters,
// or anything between angle brackets; "" if there is none.
func abbreviation(s string) (name, rest string) {
	if strings.HasPrefix(s, "<") {
		if name, rest, ok := strings.Cut(s[1:], ">"); ok {
			return name, rest
		}
		return "", ""
	}
	n := 0
	for n < len(s) && (s[n]|0x20) >= 'a' && (s[n]|0x20) <= 'z' {
		n++
	}
	if n < 3 {
		return "", ""
	}
	return s[:n], s[n:]
}

// offsetOf takes "[+-]h[:m[:s]]", which counts westwards, and gives seconds east of UTC.
func offsetOf(s string) (seconds int, rest string, ok bool) {
	sign := -1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = 1
		}
		s = s[1:]
	}
	for i, unit := range []int{3600, 60, 1} {
		n, digits := 0, 0
		for digits < len(s) && digits < 4 && s[digits] >= '0' && s[digits] <= '9' {
			n = n*10 + int(s[digits]-'0')
			digits++
		}
		if digits == 0 {
			return 0, s, false
		}
		seconds += min(n, []int{24, 59, 59}[i]) * unit
		if s = s[digits:]; s == "" || s[0] != ':' {
			break
		}
		s = s[1:]
	}
	return sign * seconds, s, true
}

// ruled is a file of tzfile(5) that says no more than a rule does.
func ruled(name string, offset int, rule string) []byte {
	header := func(counts ...uint32) []byte {
		b := append([]byte("TZif2"), make([]byte, 15)...)
		for _, n := range counts {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		return b
	}
	b := append(header(0, 0, 0, 0, 0, 0), header(0, 0, 0, 0, 1, uint32(len(name)+1))...)
	b = binary.BigEndian.AppendUint32(b, uint32(int32(offset)))
	b = append(append(b, 0, 0), name...)
	return append(b, "\x00\n"+rule+"\n"...)
}
