package cmd

import (
	"math"
	"testing"
)

// held has a field for each thing a tag can say.
type held struct {
	Operand int      `cbor:"1,keyasint" holds:"operand"`
	Count   int64    `cbor:"2,keyasint" holds:"count"`
	Size    uint64   `cbor:"3,keyasint" holds:"size"`
	Phase   uint8    `cbor:"4,keyasint" holds:"5"`
	Base    int      `cbor:"5,keyasint" holds:"2 to 36"`
	Buf     []byte   `cbor:"6,keyasint"`
	Pos     int      `cbor:"7,keyasint" holds:"in Buf"`
	Index   int      `cbor:"8,keyasint" holds:"of Buf"`
	Marks   []bool   `cbor:"9,keyasint" holds:"as Buf"`
	Inner   []within `cbor:"10,keyasint"`
	Any     int      `cbor:"11,keyasint"`
}

type within struct {
	N int `cbor:"1,keyasint" holds:"7"`
}

func (*held) Step(*Ctx) Next { return Exit(0) }

// TestHolds: what the tags of a struct say is what is checked of it, also inside lists.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   int
		right  bool
		change func(*held)
	}{
		{"as it is", 3, true, func(*held) {}},
		{"any number", 3, true, func(h *held) { h.Any = math.MinInt }},
		{"all operands", 3, true, func(h *held) { h.Operand = 3 }},
		{"an operand too many", 3, false, func(h *held) { h.Operand = 4 }},
		{"standard input", 0, true, func(h *held) { h.Operand = 1 }},
		{"two of none", 0, false, func(h *held) { h.Operand = 2 }},
		{"an operand before the first", 3, false, func(h *held) { h.Operand = -1 }},
		{"many", 3, true, func(h *held) { h.Count = math.MaxInt64 }},
		{"less than none", 3, false, func(h *held) { h.Count = -1 }},
		{"large", 3, true, func(h *held) { h.Size = 1 << 50 }},
		{"too large", 3, false, func(h *held) { h.Size = 1<<50 + 1 }},
		{"largest", 3, false, func(h *held) { h.Size = math.MaxUint64 }},
		{"last phase", 3, true, func(h *held) { h.Phase = 5 }},
		{"no phase", 3, false, func(h *held) { h.Phase = 6 }},
		{"greatest base", 3, true, func(h *held) { h.Base = 36 }},
		{"base one", 3, false, func(h *held) { h.Base = 1 }},
		{"end of a buffer", 3, true, func(h *held) { h.Pos = 4 }},
		{"behind it", 3, false, func(h *held) { h.Pos = 5 }},
		{"last of a list", 3, true, func(h *held) { h.Index = 3 }},
		{"end of a list", 3, false, func(h *held) { h.Index = 4 }},
		{"first of nothing", 3, true, func(h *held) { h.Buf, h.Marks = nil, nil }},
		{"lists of two lengths", 3, false, func(h *held) { h.Marks = nil }},
		{"inside", 3, true, func(h *held) { h.Inner = []within{{}, {7}} }},
		{"wrong inside", 3, false, func(h *held) { h.Inner = []within{{}, {8}} }},
	} {
		h := &held{Base: 10, Buf: []byte("text"), Marks: make([]bool, 4)}
		c.change(h)
		if said := Wrong(h, &Ctx{Args: make([]string, c.args)}); (said == "") != c.right {
			t.Errorf("%s: %q", c.name, said)
		}
	}
}
