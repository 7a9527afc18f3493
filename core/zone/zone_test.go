package zone

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"
)

// TestDatabase checks that every zone can be read. ZONES=write makes zones.bin
// again out of the database that comes with Go.
func TestDatabase(t *testing.T) {
	if os.Getenv("ZONES") == "write" {
		write(t)
		t.Skip("written")
	}
	count, before := 0, ""
	for at := 4; database[at] != 0; count++ {
		n := int(database[at])
		name := database[at+1 : at+1+n]
		at += 7 + n
		if name <= before {
			t.Errorf("%q comes after %q", name, before)
		}
		before = name
		data, ok := find(name)
		if !ok || !strings.HasPrefix(data, "TZif") {
			t.Fatalf("%s is not there", name)
		}
		if _, err := time.LoadLocationFromTZData(name, []byte(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if count < 500 {
		t.Errorf("only %d zones", count)
	}
}

// TestDate holds what mktime(3) makes of the hours around a change of the clocks.
func TestDate(t *testing.T) {
	loc := Named("America/New_York")
	for _, c := range []struct {
		month, day, hour int
		want             int64
		exists           bool
	}{{3, 10, 1, 1710052200, true}, {3, 10, 2, 1710055800, false}, {3, 10, 3, 1710055800, true}, {11, 3, 1, 1730611800, true}, {11, 2, 25, 1730611800, true}} {
		got, exists := Date(2024, c.month, c.day, c.hour, 30, 0, loc)
		if got.Unix() != c.want || exists != c.exists {
			t.Errorf("%d/%d %d:30: %d %v", c.month, c.day, c.hour, got.Unix(), exists)
		}
	}
}

// TestNamed holds what glibc's tzset(3) gives for each value.
func TestNamed(t *testing.T) {
	const july, january = 1720000000, 1705320000
	for _, c := range []struct {
		tz, summer, winter string
	}{
		{"", "09:46 UTC +0000", "12:00 UTC +0000"},
		{"UTC", "09:46 UTC +0000", "12:00 UTC +0000"},
		{"America/New_York", "05:46 EDT -0400", "07:00 EST -0500"},
		{":America/New_York", "05:46 EDT -0400", "07:00 EST -0500"},
		{"US/Pacific", "02:46 PDT -0700", "04:00 PST -0800"},
		{"Europe/Paris", "11:46 CEST +0200", "13:00 CET +0100"},
		{"Australia/Sydney", "19:46 AEST +1000", "23:00 AEDT +1100"},
		{"Asia/Kolkata", "15:16 IST +0530", "17:30 IST +0530"},
		{"Japan", "18:46 JST +0900", "21:00 JST +0900"},
		{"Etc/GMT+5", "04:46 -05 -0500", "07:00 -05 -0500"},
		{"EST5EDT", "05:46 EDT -0400", "07:00 EST -0500"},
		{"EST5EDT,M3.2.0,M11.1.0", "05:46 EDT -0400", "07:00 EST -0500"},
		{"AAA5BBB", "05:46 BBB -0400", "07:00 AAA -0500"},
		{"<+07>-7", "16:46 +07 +0700", "19:00 +07 +0700"},
		{"GMT+5:30", "04:16 GMT -0530", "06:30 GMT -0530"},
		{"ABC+25", "09:46 ABC -2400", "12:00 ABC -2400"},
		{"Foo/Bar", "09:46 Foo +0000", "12:00 Foo +0000"},
		{"america/new_york", "09:46 america +0000", "12:00 america +0000"},
	} {
		for at, want := range map[int64]string{july: c.summer, january: c.winter} {
			if got := time.Unix(at, 0).In(Named(c.tz)).Format("15:04 MST -0700"); got != want {
				t.Errorf("TZ=%s: %s, want %s", c.tz, got, want)
			}
		}
	}
}

// write makes zones.bin.
func write(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	from, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	sort.Slice(from.File, func(i, j int) bool { return from.File[i].Name < from.File[j].Name })
	var table, data []byte
	seen := map[string]int{}
	for _, f := range from.File {
		if f.FileInfo().IsDir() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || !bytes.HasPrefix(text, []byte("TZif")) {
			t.Fatalf("%s: %v", f.Name, err)
		}
		at, ok := seen[string(text)]
		if !ok {
			at = len(data)
			seen[string(text)] = at
			data = append(data, text...)
		}
		table = append(append(table, byte(len(f.Name))), f.Name...)
		table = binary.BigEndian.AppendUint32(table, uint32(at))
		table = binary.BigEndian.AppendUint16(table, uint16(len(text)))
	}
	table = append(table, 0)
	all := binary.BigEndian.AppendUint32(nil, uint32(4+len(table)))
	if err := os.WriteFile("zones.bin", append(append(all, table...), data...), 0o644); err != nil {
		t.Fatal(err)
	}
}
