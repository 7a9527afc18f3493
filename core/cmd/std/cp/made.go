package cp

import "eryxsh/core/cmd"

// manyMade are charged for together.
const manyMade = 1 << 10

// index finds what is in a list that grows. The list is what is saved; the index follows it.
type index[E any, K comparable, V any] struct {
	known map[K]V
	n     int // of the list that are known
}

// of gives what is in a list; note puts an element of it there.
func (x *index[E, K, V]) of(c *cmd.Ctx, list []E, note func(known map[K]V, e E)) map[K]V {
	if x.known == nil {
		x.known = map[K]V{}
	}
	for ; x.n < len(list); x.n++ {
		if x.n%manyMade == manyMade-1 {
			c.Charge(2 * manyMade)
		}
		note(x.known, list[x.n])
	}
	return x.known
}

// sourcePaths finds the paths of an inode that was named.
type sourcePaths = index[made, uint64, []string]

func noteSource(known map[uint64][]string, m made) { known[m.Ino] = append(known[m.Ino], m.Dst) }

// paths finds a path.
type paths = index[string, string, bool]

func notePath(known map[string]bool, path string) { known[path] = true }

// destinations finds things made.
type destinations = index[made, made, bool]

func noteMade(known map[made]bool, m made) { known[m] = true }

// firstLinks finds where an inode went first; "" is nowhere any more.
type firstLinks = index[made, uint64, string]

func noteLink(known map[uint64]string, m made) { known[m.Ino] = m.Dst }
