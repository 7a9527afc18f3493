package awk

import "math"

// Random is the generator behind rand, so that sequences are those of gawk: the
// additive feedback generator of random(3) with 63 words, and its numbers shuffled
// through a table (Bays and Durham), from which the number before picks the next.
type Random struct {
	Words []uint32 `cbor:"1,keyasint,omitempty"` // empty: not seeded yet
	Pos   int      `cbor:"2,keyasint,omitempty"`
	Table []uint32 `cbor:"3,keyasint,omitempty"`
	Last  uint32   `cbor:"4,keyasint,omitempty"`
	Seed  float64  `cbor:"5,keyasint"` // what the next srand returns
}

const (
	randomWords = 63
	randomTable = 512
)

// seed starts the sequence of srandom(n).
func (r *Random) seed(n uint32) {
	r.Words = make([]uint32, randomWords)
	x := int32(n)
	r.Words[0] = n
	for i := 1; i < randomWords; i++ {
		if x == 0 {
			x = 123459876
		}
		// 16807 * x mod 2^31-1 without overflow.
		hi, lo := x/127773, x%127773
		x = 16807*lo - 2836*hi
		if x < 0 {
			x += 0x7fffffff
		}
		r.Words[i] = uint32(x)
	}
	r.Pos = 0
	r.Table = make([]uint32, randomTable)
	for i := range r.Table {
		r.Table[i] = r.raw()
	}
	r.Last = r.raw()
	for range 10 * randomWords {
		r.word()
	}
}

// raw is the next number before shuffling: 31 bits.
func (r *Random) raw() uint32 {
	front := (r.Pos + 1) % randomWords
	r.Words[front] += r.Words[r.Pos]
	r.Pos = front
	return r.Words[front] >> 1
}

// word is random().
func (r *Random) word() uint32 {
	x := r.raw()
	place := &r.Table[r.Last%randomTable]
	r.Last, *place = *place, x
	return r.Last
}

// next is rand().
func (r *Random) next() float64 {
	if len(r.Words) == 0 {
		r.Seed = 1
		r.seed(1)
	}
	for {
		d1 := float64(r.word())
		d2 := float64(r.word())
		v := 0.5 + (d1/0x80000000+d2)/0x80000000
		v -= 0.5
		if v != 1 {
			return v
		}
	}
}

// reseed is srand(x): it gives the seed before.
func (r *Random) reseed(x float64) float64 {
	old := r.Seed
	if len(r.Words) == 0 {
		old = 1
	}
	r.Seed = math.Trunc(x)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		x = 0
	}
	r.seed(uint32(int64(math.Mod(x, 1<<32))))
	return old
}
