package ls

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"eryxsh/core/cmd/std/internal/vercmp"
	"eryxsh/vfs"
)

// sort puts the entries in the order the options ask for.
func (p *Program) sort() {
	o := p.o
	if o.sort == 'U' && !o.groupDirs {
		return
	}
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
	slices.SortStableFunc(p.Entries, func(a, b entry) int {
		if o.groupDirs {
			if da, db := dirLike(&a), dirLike(&b); da != db {
				if da {
					return -1
				}
				return 1
			}
		}
		r := by(&a, &b)
		if r == 0 && o.sort != 'U' {
			r = strings.Compare(a.Name, b.Name)
		}
		if o.reverse {
			r = -r
		}
		return r
	})
}

func dirLike(e *entry) bool { return e.mode().IsDir() || vfs.Mode(e.To).IsDir() }

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}
