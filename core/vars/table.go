package vars

import (
	"slices"
	"strings"
)

// Table is the set of bindings of one process: an open-addressed hash table
// on pages of 16 slots. It is used by one thread at a time.
type Table struct {
	own    *token // nil right after a fork
	dirOwn bool   // pages is this table's alone
	pages  []*bindings
	mask   uint32 // slots - 1
	used   int    // slots taken, removed ones included
	n      int
	env    []string // Environ's answer; nil if it must be computed
	names  []string // Names' answer; nil if it must be computed
}

type bindings struct {
	own *token
	s   [16]binding
}

type binding struct {
	name string // "" if the slot was never taken
	v    *Var   // nil if the name was removed
	sum  uint32
}

// NewTable returns an empty table.
func NewTable() *Table {
	t := &Table{}
	t.resize(64)
	return t
}

func (t *Table) resize(slots int) {
	t.pages, t.mask, t.used, t.dirOwn = make([]*bindings, slots/16), uint32(slots-1), 0, true
	for i := range t.pages {
		t.pages[i] = &bindings{own: t.owner()}
	}
}

func (t *Table) owner() *token {
	if t.own == nil {
		t.own = &token{}
	}
	return t.own
}

// Fork returns a table with the same bindings, in O(1). Neither table sees
// later changes of the other. Every *Var owned so far is no longer owned.
func (t *Table) Fork() *Table {
	if t.own != nil {
		if t.own.changed {
			t.env = nil
		}
		t.own.shared = true
		t.own = nil
	}
	t.dirOwn = false
	c := *t
	return &c
}

// nameSum hashes a name: length and eight bytes are enough to tell the names
// of a script apart, longer ones pay for the rest.
func nameSum(s string) uint32 {
	h := uint32(2166136261) ^ uint32(len(s))
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h ^ h>>15
}

// slot returns the position of name, or of the free slot where it would go.
func (t *Table) slot(name string, sum uint32) (uint32, *binding) {
	for i := sum & t.mask; ; i = (i + 1) & t.mask {
		b := &t.pages[i>>4].s[i&15]
		if b.sum == sum && b.name == name || b.name == "" {
			return i, b
		}
	}
}

// Get returns the binding of name, nil if there is none.
func (t *Table) Get(name string) *Var {
	if name == "" {
		return nil
	}
	_, b := t.slot(name, nameSum(name))
	return b.v
}

// put stores v under name in a page that this table owns.
func (t *Table) put(name string, sum uint32, v *Var) {
	i, b := t.slot(name, sum)
	if b.name == "" {
		if v == nil {
			return
		}
		if (t.used+1)*4 > len(t.pages)*16*3 {
			t.rehash()
			i, b = t.slot(name, sum)
		}
	}
	own := t.owner()
	if !t.dirOwn {
		t.pages, t.dirOwn = slices.Clone(t.pages), true
	}
	p := t.pages[i>>4]
	if p.own != own {
		c := *p
		c.own = own
		p = &c
		t.pages[i>>4] = p
	}
	b = &p.s[i&15]
	if b.name == "" {
		b.name, b.sum = name, sum
		t.used++
	}
	switch {
	case b.v == nil && v != nil:
		t.n++
		t.names = nil
	case b.v != nil && v == nil:
		t.n--
		t.names = nil
	}
	b.v = v
}

// rehash drops the slots of removed names and doubles the table if it is full.
func (t *Table) rehash() {
	old, slots := t.pages, len(t.pages)*16
	for (t.n+1)*2 > slots {
		slots *= 2
	}
	t.resize(slots)
	for _, p := range old {
		for i := range p.s {
			if b := &p.s[i]; b.v != nil {
				j, _ := t.slot(b.name, b.sum)
				t.pages[j>>4].s[j&15] = *b
				t.used++
			}
		}
	}
}

// Own returns the binding of name for changing: copied first if another table
// or a Clone shares it, made without value if there is none.
func (t *Table) Own(name string) *Var {
	sum := nameSum(name)
	_, b := t.slot(name, sum)
	v := b.v
	if v != nil && v.own != nil && v.own == t.own {
		return v
	}
	if v == nil {
		v = &Var{own: t.owner()}
	} else {
		v = v.copyFor(t.owner())
	}
	t.put(name, sum, v)
	return v
}

// Bind replaces the binding of name by v and returns the one that was; nil
// stands for none in both.
func (t *Table) Bind(name string, v *Var) (old *Var) {
	if name == "" {
		return nil
	}
	sum := nameSum(name)
	_, b := t.slot(name, sum)
	old = b.v
	if old.Is(Export) || v.Is(Export) {
		t.env = nil
	}
	t.put(name, sum, v)
	return old
}

// Delete removes the binding of name.
func (t *Table) Delete(name string) { t.Bind(name, nil) }

// Len returns the number of bindings.
func (t *Table) Len() int { return t.n }

// Names returns the bound names, sorted. The slice is shared and must not be changed.
func (t *Table) Names() []string {
	if t.names != nil {
		return t.names
	}
	out := make([]string, 0, t.n)
	for _, p := range t.pages {
		for i := range p.s {
			if p.s[i].v != nil {
				out = append(out, p.s[i].name)
			}
		}
	}
	slices.Sort(out)
	t.names = out
	return out
}

// All iterates over the bindings sorted by name.
func (t *Table) All() func(yield func(string, *Var) bool) {
	return func(yield func(string, *Var) bool) {
		for _, name := range t.Names() {
			if v := t.Get(name); v != nil && !yield(name, v) {
				return
			}
		}
	}
}

// Since gives what makes base into this table: the bindings that are not equal,
// sorted by name, and the names that base has and this table has not.
func (t *Table) Since(base *Table) (changed []Record, gone []string) {
	for name, v := range t.All() {
		if old := base.Get(name); old == v || old != nil && v.equal(old) {
			continue
		}
		changed = append(changed, v.Record(name))
	}
	for _, name := range base.Names() {
		if t.Get(name) == nil {
			gone = append(gone, name)
		}
	}
	return changed, gone
}

// Environ returns "NAME=value" of the exported scalars that are set, sorted.
// The slice is shared and must not be changed.
func (t *Table) Environ() []string {
	if t.env != nil && (t.own == nil || !t.own.changed) {
		return t.env
	}
	env := []string{}
	for name, v := range t.All() {
		if v.Is(Export) && !v.IsArray() && v.IsSet() {
			var b strings.Builder
			b.Grow(len(name) + 1 + len(v.String()))
			b.WriteString(name)
			b.WriteByte('=')
			b.WriteString(v.String())
			env = append(env, b.String())
		}
	}
	t.env = env
	if t.own != nil {
		t.own.changed = false
	}
	return env
}
