package sort

import (
	"bytes"
	"eryxsh/core/cmd/quote"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

// TestOrder: lines sorted by their prefixes, key after key, stand as they do
// when each two are compared by their whole keys.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	words := []string{"a", "", "abcdefg", "abcdefgh", "abcdefghi", "ABCDEFGHI", "zz-zz", "10", "9", "-3", "1.50", "1e3", "2K", "Jan", "v1.10", strings.Repeat("x", 600), strings.Repeat("x", 600) + "y"}
	keys := []string{"1", "2", "2,2", "1,1n", "2,3f", "3,3d", "2.3,2.5", "1fd", "2,2M", "3V", "2,2h", "1,2g", "2,2r", "2,2nr", "2b,2"}
	for range 60 {
		o := &order{tab: -1, end: '\n', stable: r.Intn(3) == 0, reverse: r.Intn(3) == 0}
		var said []string
		for range r.Intn(4) {
			said = append(said, keys[r.Intn(len(keys))])
			k, message := parseKey(quote.ByBytes(false), said[len(said)-1])
			if message != "" {
				t.Fatal(message)
			}
			o.keys = append(o.keys, k)
		}
		o.plain = len(o.keys) == 0
		var data []byte
		var lines []line
		for range 40 + r.Intn(3000) {
			off := len(data)
			for i := range 1 + r.Intn(3) {
				data = fmt.Appendf(data, "%*s", i, words[r.Intn(len(words))])
				if r.Intn(3) == 0 {
					data = fmt.Appendf(data, " %d", r.Intn(9))
				}
				data = append(data, ' ')
			}
			lines = append(lines, line{off: int32(off), n: int32(len(data) - off)})
		}
		for i := range lines {
			lines[i].set(o.item(data[lines[i].off : lines[i].off+lines[i].n]))
		}
		want := slices.Clone(lines)
		whole := func(l line) item {
			it := o.item(data[l.off : l.off+l.n])
			it.prefix, it.exact = 0, false
			return it
		}
		slices.SortStableFunc(want, func(a, b line) int {
			x, y := whole(a), whole(b)
			return o.compare(&x, &y)
		})
		kept := bytes.Clone(data)
		o.sort(data, lines, make([]line, len(lines)), 0, 0)
		if !bytes.Equal(kept, data) {
			t.Fatalf("%q: sorting writes to the lines", said)
		}
		for i := range lines {
			a, b := data[lines[i].off:][:lines[i].n], data[want[i].off:][:want[i].n]
			if !bytes.Equal(a, b) || o.stable && lines[i].off != want[i].off {
				t.Fatalf("%q, stable %v, reverse %v: line %d of %d is %.60q, not %.60q", said, o.stable, o.reverse, i, len(lines), a, b)
			}
		}
	}
}
