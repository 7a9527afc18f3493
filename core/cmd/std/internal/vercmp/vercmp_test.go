package vercmp

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

// The order is that of GNU ls -av.
func TestCompare(t *testing.T) {
	want := []string{"", ".", "..", ".A", ".0", ".9", "0", "00", "1", "1.0", "1.0.1", "A_1", "a~", "a", "a.tar", "a.tar.gz", "a1", "a2.txt", "a10.txt", "a-1", "b-1.9.tgz", "b-1.10.tgz", "v1.2", "v1.9", "v1.10", "x y"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int { return cmp.Or(Compare(a, b), strings.Compare(a, b)) })
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
