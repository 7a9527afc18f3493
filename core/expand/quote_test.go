package expand

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// lines decodes a file of JSON lines recorded from bash.
func lines[T any](t *testing.T, name string) []T {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []T
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if len(all) < 40 {
		t.Fatalf("%s: only %d lines", name, len(all))
	}
	return all
}

func TestQuotingStyles(t *testing.T) {
	type row struct{ S, Q, At, Declare, Key []byte }
	for _, r := range lines[row](t, "testdata/quote.jsonl") {
		s := string(r.S)
		if got := QuoteAt(s, false, nil); got != string(r.At) {
			t.Errorf("@Q of %q: %q, want %q", s, got, r.At)
		}
		if got := QuoteDeclare(s, false, nil); got != string(r.Declare) {
			t.Errorf("declare -p of %q: %q, want %q", s, got, r.Declare)
		}
		if got := QuoteKey("k"+s, false); got != string(r.Key) {
			t.Errorf("key %q: %q, want %q", "k"+s, got, r.Key)
		}
	}
}

func TestSplitFieldsAsRead(t *testing.T) {
	type row struct {
		IFS  string
		Max  int
		Raw  bool
		Line string
		Want []string
	}
	for _, r := range lines[row](t, "testdata/read.jsonl") {
		got := SplitFields(r.Line, r.IFS, r.Max, r.Raw, false)
		for len(got) < r.Max || r.Max == 0 && len(got) == 0 {
			got = append(got, "")
		}
		if !slices.Equal(got, r.Want) {
			t.Errorf("IFS=%q max %d raw %v %q: %q, want %q", r.IFS, r.Max, r.Raw, r.Line, got, r.Want)
		}
	}
}
