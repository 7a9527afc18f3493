package store

// Parts of a long text are cut where its content says so, so that a change in
// one place moves no cut elsewhere: a rolling hash of the last bytes (Gear; Xia
// et al., "FastCDC", USENIX ATC 2016).
const (
	partLeast = 2 << 10
	partMost  = 16 << 10
	partMask  = 1<<12 - 1 // one byte of 4096 ends a part
)

// gear scrambles a byte.
var gear = func() (table [256]uint64) {
	x := uint64(0x9e3779b97f4a7c15)
	for i := range table {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		table[i] = x
	}
	return table
}()

// cut gives the size of the first part of a text.
func cut(text []byte) int {
	n := min(len(text), partMost)
	var h uint64
	for i := partLeast; i < n; i++ {
		h = h<<1 + gear[text[i]]
		if h>>40&partMask == 0 {
			return i + 1
		}
	}
	return n
}
