package regex

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestManyWords: a list of many fixed strings finds what an automaton of them finds, whatever
// they are, with and without the rest that is no fixed string.
func TestManyWords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "b", "aa", "ab", "k", "K", "\u212a", "é", "É", "_", " ", "\xff", "\xc3", "1"}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	for range 3000 {
		var lines []string
		for range 1 + random.IntN(6) {
			line := text(1 + random.IntN(4))
			switch random.IntN(8) {
			case 0:
				line += "|" + text(1)
			case 1:
				line = "x*" + line
			case 2:
				line += line + line
			}
			lines = append(lines, line)
		}
		o := Options{Syntax: []Syntax{Literal, GrepBasic, GrepExtended}[random.IntN(3)], NoSub: true, Records: true, EOL: '\n',
			Fold: random.IntN(2) == 0, Words: random.IntN(3) == 0, Whole: random.IntN(4) == 0, Bytes: random.IntN(4) == 0}
		patterns := []byte(strings.Join(lines, "\n"))
		want, err := CompileAll(bytes.Split(patterns, []byte("\n")), o)
		got, gotErr := compileLines(patterns, o)
		if (err == nil) != (gotErr == nil) {
			t.Fatalf("%q %+v: %v, not %v", lines, o, gotErr, err)
		}
		for range 4 {
			b := []byte(text(random.IntN(8)) + "\n" + text(random.IntN(8)) + "\n" + text(random.IntN(8)) + "\n")
			if g, w := allLines(got, b), allLines(want, b); g != w {
				t.Fatalf("%q %+v in %q: lines %s, not %s", lines, o, b, g, w)
			}
			line, _, _ := bytes.Cut(b, []byte("\n"))
			for from := range len(line) + 1 {
				var g, w [2]int
				gok, _ := got.Find(line, from, g[:])
				wok, _ := want.Find(line, from, w[:])
				if gok != wok || gok && g != w {
					t.Fatalf("%q %+v in %q from %d: %v %v, not %v %v", lines, o, line, from, gok, g, wok, w)
				}
			}
			gok, _ := got.Match(line)
			if wok, _ := want.Match(line); gok != wok {
				t.Fatalf("%q %+v matches %q: %v, not %v", lines, o, line, gok, wok)
			}
		}
	}
}

func allLines(re *Regexp, b []byte) string {
	var out strings.Builder
	for from := 0; from < len(b); {
		s, e, sure, err := re.FindLine(b, from)
		if s < 0 || err != nil {
			break
		}
		if !sure {
			if sure, _ = re.Confirm(b[s:e]); !sure {
				from = e + 1
				continue
			}
		}
		fmt.Fprint(&out, s, "-", e, " ")
		from = e + 1
	}
	return out.String()
}

// TestWordsInOrder: the sorting of words that have much in common.
func TestWordsInOrder(t *testing.T) {
	long := strings.Repeat("ab", 5000)
	lines := []string{long, long + "c", long[:9999], "a", "ab", "b", long, ""}
	for i := range 3000 {
		lines = append(lines, fmt.Sprint(i*7919%10007))
	}
	w, rest := newWords([]byte(strings.Join(lines, "\n")), Options{Syntax: Literal})
	if len(rest) != 1 || len(w.at) != len(lines)-1 {
		t.Fatalf("%d words and %d others of %d", len(w.at), len(rest), len(lines))
	}
	word := func(at uint32) string { s, _, _ := strings.Cut(string(w.text[at:]), "\n"); return s }
	for i, at := range w.at[1:] {
		if a, b := word(w.at[i]), word(at); a > b {
			t.Fatalf("%.20q before %.20q", a, b)
		}
	}
}
