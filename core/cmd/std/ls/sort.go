package ls

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/merge"
	"eryxsh/core/cmd/std/internal/vercmp"
	"eryxsh/vfs"
)

// sort puts the entries in the order the options ask for; false while there is more to do in another turn.
func (p *Program) sort(c *cmd.Ctx, budget *int) bool {
	if p.o.sort == 'U' && !p.o.groupDirs {
		return true
	}
	by := p.o.order()
	if !p.Sort.Begun() {
		*budget -= len(p.Entries) / 64
		i := 1
		for ; i < len(p.Entries) && by(&p.Entries[i-1], &p.Entries[i]) <= 0; i++ {
			if i%manyEntries == 0 {
				c.Charge(manyEntries / 2)
			}
		}
		if i >= len(p.Entries) {
			return true
		}
		p.Sort.Begin(len(p.Entries))
	}
	was := *budget
	done := p.Sort.Turn(func(a, b int32) int { return by(&p.Entries[a], &p.Entries[b]) }, budget)
	c.Charge(was - *budget)
	if !done {
		return false
	}
	sorted := make([]entry, len(p.Entries))
	for i, k := range p.Sort.Order {
		if i%manyEntries == manyEntries-1 {
			c.Charge(manyEntries / 2)
		}
		sorted[i] = p.Entries[k]
	}
	p.Entries, p.Sort = sorted, merge.Sort{}
	return true
}

// manyEntries are charged for together.
const manyEntries = 1 << 10

// order compares two entries as the options ask for.
func (o *options) order() func(a, b *entry) int {
	var by func(a, b *entry) int
	switch o.sort {
	case 'U':
		by = func(a, b *entry) int { return 0 }
	case 't':
		by = func(a, b *entry) int { return cmp.Compare(b.Time, a.Time) }
	case 'S':
		by = func(a, b *entry) int { return cmp.Compare(b.Size, a.Size) }
	case 'X':
		by = func(a, b *entry) int { return strings.Compare(extension(a.Name), extension(b.Name)) }
	case 'v':
		by = func(a, b *entry) int { return vercmp.Compare(a.Name, b.Name) }
	case 'w':
		by = func(a, b *entry) int { return utf8.RuneCountInString(a.Name) - utf8.RuneCountInString(b.Name) }
	default:
		by = func(a, b *entry) int { return strings.Compare(a.Name, b.Name) }
	}
	return func(a, b *entry) int {
		if o.groupDirs {
			if da, db := dirLike(a), dirLike(b); da != db {
				if da {
					return -1
				}
				return 1
			}
		}
		r := by(a, b)
		if r == 0 && o.sort != 'U' {
			r = strings.Compare(a.Name, b.Name)
		}
		if o.reverse {
			r = -r
		}
		return r
	}
}

func dirLike(e *entry) bool { return e.mode().IsDir() || vfs.Mode(e.To).IsDir() }

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}
