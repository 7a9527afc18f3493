package cp

import "eryxsh/core/cmd"

// manyMade are charged for together.
const manyMade = 1 << 10

// destinations finds what is in a list of things made: each of them, and each
// without its inode. It follows a list that grows.
type destinations struct {
	known map[made]bool
	n     int // of the list that are known
}

// of gives what is in a list.
func (d *destinations) of(c *cmd.Ctx, list []made) map[made]bool {
	if d.known == nil {
		d.known = map[made]bool{}
	}
	for ; d.n < len(list); d.n++ {
		if d.n%manyMade == manyMade-1 {
			c.Charge(2 * manyMade)
		}
		d.known[list[d.n]], d.known[made{Dst: list[d.n].Dst}] = true, true
	}
	return d.known
}

// firstLinks finds where the first link of an inode went, in a list that grows.
type firstLinks struct {
	known map[uint64]string
	n     int
}

// of gives what is in a list.
func (f *firstLinks) of(c *cmd.Ctx, list []made) map[uint64]string {
	if f.known == nil {
		f.known = map[uint64]string{}
	}
	for ; f.n < len(list); f.n++ {
		if f.n%manyMade == manyMade-1 {
			c.Charge(manyMade)
		}
		f.known[list[f.n].Ino] = list[f.n].Dst
	}
	return f.known
}

// paths finds what is in a list of paths that grows.
type paths struct {
	known map[string]bool
	n     int
}

// of gives what is in a list.
func (p *paths) of(c *cmd.Ctx, list []string) map[string]bool {
	if p.known == nil {
		p.known = map[string]bool{}
	}
	for ; p.n < len(list); p.n++ {
		if p.n%manyMade == manyMade-1 {
			c.Charge(manyMade)
		}
		p.known[list[p.n]] = true
	}
	return p.known
}
