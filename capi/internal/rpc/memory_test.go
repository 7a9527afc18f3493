package rpc

import (
	"math"
	"testing"
)

// The runtime's limit is below what the operating system lets the process have, with room for what is not the heap,
// and never so low that it would collect all the time for nothing.
func TestCapped(t *testing.T) {
	g := &governor{besides: 40 << 20}
	if most := g.capped(math.MaxInt64); most != math.MaxInt64 {
		t.Errorf("without a limit: %d", most)
	}
	for _, limit := range []int64{0, 1 << 20, 64 << 20, 256 << 20, 1 << 30, 1 << 40} {
		most := g.capped(limit)
		if most < ballastSize+overhead {
			t.Errorf("%d of %d is less than there is without any sandbox", most, limit)
		}
		if least := int64(ballastSize + overhead); most > least && most > limit-g.besides-limit/16 {
			t.Errorf("%d of %d leaves nothing for what is not the heap", most, limit)
		}
	}
}
