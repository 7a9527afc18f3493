// Package merge sorts in bounded turns: a merge sort from the bottom up, of
// numbers that stand for the things to be sorted, whose place is plain data.
package merge

import (
	"slices"

	"eryxsh/core/cmd"
)

// Sort is a sort at work, or what came of it. The zero value has not begun.
type Sort struct {
	Order []int32 `cbor:"1,keyasint,omitempty"` // of all things, in sorted runs of Width
	Next  []int32 `cbor:"2,keyasint,omitempty"` // its beginning in runs of twice the width
	Width int     `cbor:"3,keyasint,omitempty"` // 0: not begun; at least len(Order) at the end
	Left  int     `cbor:"4,keyasint,omitempty"` // taken of the first of the two runs that are being merged
}

// Wrong checks that the things are among those that are sorted, and the place in the two runs.
func (s *Sort) Wrong(*cmd.Ctx) string {
	n, at := len(s.Order), len(s.Next)
	for _, list := range [][]int32{s.Order, s.Next} {
		for _, k := range list {
			if k < 0 || int(k) >= n {
				return "a thing that is not among those to be sorted"
			}
		}
	}
	if at > n || s.Width <= 0 && n > 0 {
		return "a sort that has not begun"
	}
	if s.Width == 1 || at == n || s.Width >= n {
		return cmd.Beyond("what was taken of a run", s.Left, 0)
	}
	from := at - at%(2*s.Width)
	mid, to := min(from+s.Width, n), min(from+2*s.Width, n)
	if second := at - from - s.Left; s.Left < 0 || from+s.Left > mid || second < 0 || mid+second > to {
		return "a place that is not in the runs being merged"
	}
	return ""
}

// Of reports whether it sorts n things, or has not begun.
func (s *Sort) Of(n int) bool { return !s.Begun() || len(s.Order) == n }

// shortest is the length of the runs that are sorted at once.
const shortest = 16

// Begin begins to sort n things.
func (s *Sort) Begin(n int) {
	*s = Sort{Order: make([]int32, n), Next: make([]int32, 0, n), Width: 1}
	for i := range s.Order {
		s.Order[i] = int32(i)
	}
}

// Begun reports whether a sort is at work, or done.
func (s *Sort) Begun() bool { return s.Width > 0 }

// Turn goes on with the sort, by about as many comparisons as budget says,
// which is lessened by their number. Equal things stay in their order. It reports whether all is in order.
func (s *Sort) Turn(compare func(a, b int32) int, budget *int) bool {
	for s.Width < len(s.Order) {
		if *budget <= 0 {
			return false
		}
		if s.Width == 1 {
			s.short(compare, budget)
		} else {
			s.merge(compare, budget)
		}
		if len(s.Next) >= len(s.Order) {
			s.Order, s.Next = s.Next, s.Order[:0]
			s.Width *= 2
			if s.Width == 2 {
				s.Width = shortest
			}
		}
	}
	s.Next = nil
	return true
}

// short makes runs of the shortest length.
func (s *Sort) short(compare func(a, b int32) int, budget *int) {
	for len(s.Next) < len(s.Order) && *budget > 0 {
		from := len(s.Next)
		s.Next = append(s.Next, s.Order[from:min(from+shortest, len(s.Order))]...)
		slices.SortStableFunc(s.Next[from:], compare)
		*budget -= 4 * (len(s.Next) - from)
	}
}

// merge merges runs by pairs.
func (s *Sort) merge(compare func(a, b int32) int, budget *int) {
	n := len(s.Order)
	for len(s.Next) < n && *budget > 0 {
		at := len(s.Next)
		from := at - at%(2*s.Width)
		mid, to := min(from+s.Width, n), min(from+2*s.Width, n)
		if at == from && mid < to && compare(s.Order[mid-1], s.Order[mid]) <= 0 { // in order already
			s.Next = append(s.Next, s.Order[from:to]...)
			*budget -= 1 + (to-from)/16
			continue
		}
		i := from + s.Left
		j := mid + at - from - s.Left
		for i < mid && j < to && *budget > 0 {
			*budget--
			if compare(s.Order[i], s.Order[j]) <= 0 {
				s.Next = append(s.Next, s.Order[i])
				i++
			} else {
				s.Next = append(s.Next, s.Order[j])
				j++
			}
		}
		s.Left = i - from
		if i < mid && j < to {
			return
		}
		s.Next = append(append(s.Next, s.Order[i:mid]...), s.Order[j:to]...)
		*budget -= (mid - i + to - j) / 16
		s.Left = 0
	}
}
