package shell

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"
	"unicode/utf8"
)

func outputOf(parts ...string) []Chunk {
	var out []Chunk
	for _, p := range parts {
		out = append(out, Chunk{int(p[0] - '0'), []byte(p[1:])})
	}
	return out
}

func told(out []Chunk) []string {
	var parts []string
	for _, c := range out {
		parts = append(parts, string(rune('0'+c.Stream))+string(c.Data))
	}
	return parts
}

func TestOutputComesInWholeCharacters(t *testing.T) {
	for _, c := range []struct{ written, given, waits, last []string }{
		{written: []string{"1a", "2b", "1c"}, given: []string{"1a", "2b", "1c"}},
		{written: []string{"1\xc3"}, waits: []string{"1\xc3"}, last: []string{"1\xc3"}},
		{written: []string{"1a\xe2\x82", "2b", "1\xacc"}, given: []string{"1a", "2b", "1\xe2\x82\xacc"}},
		{written: []string{"1\xf0", "2\xf0\x9f", "1\x9f", "2\x98\x80", "1\x98"}, given: []string{"2\xf0\x9f\x98\x80"}, waits: []string{"1\xf0\x9f\x98"}, last: []string{"1\xf0\x9f\x98"}},
		{written: []string{"1a\xc3", "2\xe2", "1b\xc3"}, given: []string{"1a", "1\xc3b"}, waits: []string{"2\xe2", "1\xc3"}, last: []string{"2\xe2", "1\xc3"}},
		{written: []string{"1\xff", "2\x80\x80\x80\x80", "1\xed\xa0", "2\xc0"}, given: []string{"1\xff", "2\x80\x80\x80\x80", "1\xed\xa0", "2\xc0"}},
	} {
		m := &Machine{rt: &transient{}}
		m.Run.Active = true
		m.IO.Out = outputOf(c.written...)
		if got := told(m.TakeOutput()); !slices.Equal(got, c.given) || !slices.Equal(told(m.IO.Out), c.waits) {
			t.Errorf("%q: gave %q, %q waits; want %q, %q", c.written, got, told(m.IO.Out), c.given, c.waits)
		}
		m.Run.Active = false
		if got := told(m.TakeOutput()); !slices.Equal(got, c.last) || m.IO.Out != nil {
			t.Errorf("%q: gave %q at the end, want %q", c.written, got, c.last)
		}
	}
}

// Whenever output is taken, all of it comes, each stream in order, and never a
// cut character but one that is never finished.
func TestOutputTakenAtAnyTime(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	texts := [2]string{"aé€\U0001f600", "z\U0001f601öx"}
	for range 2000 {
		m := &Machine{rt: &transient{}}
		m.Run.Active = true
		var want, got [2][]byte
		take := func(out []Chunk) {
			for _, c := range out {
				if !utf8.Valid(c.Data) {
					t.Fatalf("a cut character: %q", c.Data)
				}
				got[c.Stream-1] = append(got[c.Stream-1], c.Data...)
			}
		}
		for range r.Intn(30) {
			s := r.Intn(2)
			n := len(want[s]) % len(texts[s])
			part := texts[s][n:min(n+1+r.Intn(4), len(texts[s]))]
			want[s] = append(want[s], part...)
			m.IO.Out = append(m.IO.Out, Chunk{s + 1, []byte(part)})
			switch r.Intn(4) {
			case 0:
				take(m.TakeOutput())
			case 1:
				if c, ok := m.TakeChunk(); ok {
					take([]Chunk{c})
				}
			}
		}
		m.Run.Active = false
		for _, c := range m.TakeOutput() {
			got[c.Stream-1] = append(got[c.Stream-1], c.Data...)
		}
		for s := range want {
			if !bytes.Equal(got[s], want[s]) {
				t.Fatalf("stream %d: got %q, want %q", s+1, got[s], want[s])
			}
		}
	}
}
