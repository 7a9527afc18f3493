package regex

import (
	"bytes"
	"fmt"
	"testing"
)

func logText() []byte {
	var b bytes.Buffer
	for i := 0; i < 100000; i++ {
		status := 200
		if i%50 == 0 {
			status = 404
		} else if i%33 == 0 {
			status = 500
		}
		fmt.Fprintf(&b, "%d GET /a/%d status=%d time=%d\n", i, i%77, status, i%997)
	}
	return b.Bytes()
}

func BenchmarkFindLine(b *testing.B) {
	text := logText()
	for _, c := range []struct {
		pattern string
		o       Options
	}{
		{"status=(404|500)", Options{Syntax: GrepExtended}},
		{"7", Options{}},
		{"nothing here", Options{}},
		{"^9.*time=9", Options{}},
		{"[0-9]+ GET .*status=404", Options{Syntax: GrepExtended}},
		{"\\bGET\\b.*99$", Options{}},
		{"get", Options{Fold: true}},
		{"[^0-9]7[^0-9]", Options{}},
		{"\\(.\\)\\1\\1\\1", Options{}},
		{"(?<=status=)404", Options{Syntax: Perl}},
		{"time=\\d{3}$", Options{Syntax: Perl}},
	} {
		b.Run(c.pattern, func(b *testing.B) {
			c.o.Records, c.o.EOL, c.o.NoSub = true, '\n', true
			re, err := Compile([]byte(c.pattern), c.o)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				n = 0
				for at := 0; ; n++ {
					s, e, sure, err := re.FindLine(text, at)
					if err == nil && !sure {
						_, err = re.Confirm(text[s:e])
					}
					if err != nil {
						b.Fatal(err)
					}
					if s < 0 {
						break
					}
					at = e + 1
				}
			}
			b.ReportMetric(float64(n), "lines")
		})
	}
}

func BenchmarkFind(b *testing.B) {
	lines := bytes.Split(logText(), []byte("\n"))
	for _, p := range []string{"status=\\([0-9]*\\)", "\\(.*\\)=\\(.*\\)", "[a-z]*", "\\([0-9]*\\) \\([A-Z]*\\) \\([^ ]*\\)"} {
		b.Run(p, func(b *testing.B) {
			re, err := Compile([]byte(p), Options{Syntax: SedBasic})
			if err != nil {
				b.Fatal(err)
			}
			loc := make([]int, 2*(re.NumSubexp()+1))
			i := 0
			for b.Loop() {
				if _, err := re.Find(lines[i%len(lines)], 0, loc); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, p := range []string{"foo", "status=(404|500)", "[[:alpha:]_]\\w*", ".*"} {
		b.Run(p, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				re, err := Compile([]byte(p), Options{Syntax: GrepExtended})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := re.Match([]byte("foo bar status=404")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
