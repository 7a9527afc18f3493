package format

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"eryxsh/core/large"
)

// units counts what it hears of.
type units int

func (u *units) Charge(n int) { *u += units(n) }

// TestQuote: what bash's printf %q writes, which is recorded; and what is in
// pieces is quoted as what is not.
func TestQuote(t *testing.T) {
	f, err := os.Open("../../expand/testdata/quote.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var row struct{ S, Q []byte }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		s := string(row.S)
		if got := Quote(s, false, nil); got != string(row.Q) {
			t.Errorf("%%q of %q: %q, want %q", s, got, row.Q)
		}
		if s == "" || strings.ContainsAny(s, "#~") {
			continue
		}
		var u units
		long, before := strings.Repeat(s, large.Piece/len(s)), strings.Repeat("é", large.Piece/2-1)
		want := strings.Repeat(Quote(s, false, nil), large.Piece/len(s))
		if strings.HasPrefix(want, "$'") {
			want = "$'" + before + strings.ReplaceAll(strings.ReplaceAll(want, "'$'", ""), "$'", "")
		} else {
			want = before + want
		}
		if got := Quote(before+long, false, &u); got != want || u == 0 {
			t.Errorf("%%q of many %q: %d bytes, want %d; %d units", s, len(got), len(want), u)
		}
	}
	if n < 40 {
		t.Fatalf("only %d lines", n)
	}
}
