package merge

import (
	"cmp"
	"slices"
	"testing"
)

// TestSort: whatever the lengths and the turns, the order is that of a stable
// sort, each turn is bounded, and a sort that is copied at any turn goes on.
func TestSort(t *testing.T) {
	for _, n := range []int{0, 1, 2, 15, 16, 17, 31, 33, 100, 1000, 4097} {
		for _, turn := range []int{1, 7, 300, 1 << 30} {
			keys := make([]int, n)
			x := uint32(n)
			for i := range keys {
				x = x*1664525 + 1013904223
				keys[i] = int(x>>16) % (n/2 + 1)
			}
			want := make([]int32, n)
			for i := range want {
				want[i] = int32(i)
			}
			slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
			var s Sort
			s.Begin(n)
			for {
				compared, budget := 0, turn
				done := s.Turn(func(a, b int32) int { compared++; return cmp.Compare(keys[a], keys[b]) }, &budget)
				if compared > 2*turn+2*shortest*shortest {
					t.Fatalf("%d things: %d comparisons in a turn of %d", n, compared, turn)
				}
				if done {
					break
				}
				s = Sort{Order: slices.Clone(s.Order), Next: slices.Clone(s.Next), Width: s.Width, Left: s.Left}
			}
			if !slices.Equal(s.Order, want) {
				t.Fatalf("%d things in turns of %d: another order", n, turn)
			}
		}
	}
}
