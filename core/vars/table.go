package vars

import (
	"slices"
	"strings"
	"sync/atomic"
)

// Table is the set of bindings of one process: an open-addressed hash table
// on pages of 8 slots, 32 pages to a shelf, so that the first write after a
// fork copies little however many variables there are. It is used by one
// thread at a time.
type Table struct {
	own     *token // nil right after a fork
	dirOwn  bool   // shelves is this table's alone
	shelves []*shelf
	mask    uint32 // slots - 1
	used    int    // slots taken, removed ones included
	n       int
	env     *answer // Environ's; nil or empty if it must be computed
	names   *answer // Names'
	origin  *Origin // what this table came from, nil if that is not known
}

// answer is a list that follows from a table's bindings. Forks have it in
// common for as long as it is the same for them, whichever computes it first.
type answer struct{ list atomic.Pointer[[]string] }

// get gives the list, nil if nobody has computed it.
func (a *answer) get() []string {
	if a == nil {
		return nil
	}
	if list := a.list.Load(); list != nil {
		return *list
	}
	return nil
}

// Sizes, in powers of two.
const (
	pageSlots  = 8
	shelfPages = 32
	shelfSlots = pageSlots * shelfPages
)

type shelf struct {
	own *token
	p   [shelfPages]*bindings
}

type bindings struct {
	own *token
	s   [pageSlots]binding
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
	t.shelves, t.mask, t.used, t.dirOwn = make([]*shelf, (slots+shelfSlots-1)/shelfSlots), uint32(slots-1), 0, true
	own := t.owner()
	for i := range t.shelves {
		t.shelves[i] = &shelf{own: own}
	}
	for i := 0; i < slots; i += pageSlots {
		t.shelves[i/shelfSlots].p[i/pageSlots%shelfPages] = &bindings{own: own}
	}
}

// at returns slot i to be read.
func (t *Table) at(i uint32) *binding {
	return &t.shelves[i/shelfSlots].p[i/pageSlots%shelfPages].s[i%pageSlots]
}

// write returns slot i, on a page that this table owns.
func (t *Table) write(i uint32) *binding {
	own := t.owner()
	if !t.dirOwn {
		t.shelves, t.dirOwn = slices.Clone(t.shelves), true
	}
	h := t.shelves[i/shelfSlots]
	if h.own != own {
		h = &shelf{own: own, p: h.p}
		t.shelves[i/shelfSlots] = h
	}
	p := h.p[i/pageSlots%shelfPages]
	if p.own != own {
		p = &bindings{own: own, s: p.s}
		h.p[i/pageSlots%shelfPages] = p
	}
	return &p.s[i%pageSlots]
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
	c := new(Table)
	t.ForkTo(c)
	return c
}

// ForkTo is Fork into memory of the caller's.
func (t *Table) ForkTo(c *Table) {
	t.Seal()
	*c = *t
}

// Seal gives up what the table owns. Until it is changed again, any number of
// threads may fork it at a time.
func (t *Table) Seal() {
	if t.own != nil {
		if t.own.changed {
			t.env = nil
		}
		t.own.shared = true
		t.own = nil
	}
	if t.dirOwn {
		t.dirOwn = false
	}
	if t.env == nil {
		t.env = &answer{}
	}
	if t.names == nil {
		t.names = &answer{}
	}
}

// endOfName is how much of a long name is hashed at its begin and at its end. A function may have a
// local of a long name at each of its levels, and they are all undone at once.
const endOfName = 256

// nameSum hashes a name.
func nameSum(s string) uint32 {
	h := uint32(2166136261) ^ uint32(len(s))
	if len(s) > 2*endOfName {
		h = hashed(h, s[:endOfName])
		s = s[len(s)-endOfName:]
	}
	h = hashed(h, s)
	return h ^ h>>15
}

// hashed is FNV-1a of s, from h on.
func hashed(h uint32, s string) uint32 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// slot returns the position of name, or of the free slot where it would go.
func (t *Table) slot(name string, sum uint32) (uint32, *binding) {
	for i := sum & t.mask; ; i = (i + 1) & t.mask {
		b := t.at(i)
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
		if (t.used+1)*4 > (int(t.mask)+1)*3 {
			t.rehash()
			i, _ = t.slot(name, sum)
		}
	}
	b = t.write(i)
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
	old, slots := *t, int(t.mask)+1
	for (t.n+1)*2 > slots {
		slots *= 2
	}
	t.resize(slots)
	for i := range old.mask + 1 {
		if b := old.at(i); b.v != nil {
			j, _ := t.slot(b.name, b.sum)
			*t.at(j) = *b
			t.used++
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

// Owned is Own for a name whose binding Get has just given as v: most are
// owned already and need no second search.
func (t *Table) Owned(name string, v *Var) *Var {
	if v != nil && v.own != nil && v.own == t.own {
		return v
	}
	return t.Own(name)
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

// Fresh binds name to a variable without value or attributes, owned, and
// returns the binding that was.
func (t *Table) Fresh(name string) (old, v *Var) {
	v = &Var{own: t.owner()}
	return t.Bind(name, v), v
}

// Delete removes the binding of name.
func (t *Table) Delete(name string) { t.Bind(name, nil) }

// Len returns the number of bindings.
func (t *Table) Len() int { return t.n }

// Names returns the bound names, sorted. The slice is shared and must not be changed.
func (t *Table) Names() []string {
	if names := t.names.get(); names != nil {
		return names
	}
	out := make([]string, 0, t.n)
	for i := range t.mask + 1 {
		if b := t.at(i); b.v != nil {
			out = append(out, b.name)
		}
	}
	slices.Sort(out)
	if t.names == nil {
		t.names = &answer{}
	}
	t.names.list.Store(&out)
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
// sorted by name, and the names that base has and this table has not. Pages that
// the two share are not looked at.
func (t *Table) Since(base *Table) (changed []Record, gone []string) {
	for i := uint32(0); i <= t.mask; i++ {
		if i%pageSlots == 0 && base.shares(t, i) {
			i += pageSlots - 1
			continue
		}
		b := t.at(i)
		if b.v == nil {
			continue
		}
		if _, o := base.slot(b.name, b.sum); o.v != b.v && (o.v == nil || !b.v.equal(o.v)) {
			changed = append(changed, b.v.Record(b.name))
		}
	}
	for i := uint32(0); i <= base.mask; i++ {
		if i%pageSlots == 0 && t.shares(base, i) {
			i += pageSlots - 1
			continue
		}
		if b := base.at(i); b.v != nil {
			if _, o := t.slot(b.name, b.sum); o.v == nil {
				gone = append(gone, b.name)
			}
		}
	}
	slices.SortFunc(changed, func(a, b Record) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(gone)
	return changed, gone
}

// shares reports whether two tables have the page of slot i in common.
func (t *Table) shares(u *Table, i uint32) bool {
	return t.mask == u.mask && t.shelves[i/shelfSlots].p[i/pageSlots%shelfPages] == u.shelves[i/shelfSlots].p[i/pageSlots%shelfPages]
}

// Environ returns "NAME=value" of the exported scalars that are set, sorted.
// The slice is shared and must not be changed.
func (t *Table) Environ() []string {
	stale := t.own != nil && t.own.changed
	if env := t.env.get(); env != nil && !stale {
		return env
	}
	env := []string{}
	size := 0
	for name, v := range t.All() {
		if v.Is(Export) && !v.IsArray() && v.IsSet() {
			env = append(env, name)
			size += len(name) + 1 + len(v.String())
		}
	}
	var b strings.Builder // all of them in one piece
	b.Grow(size)
	for i, name := range env {
		from := b.Len()
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(t.Get(name).String())
		env[i] = b.String()[from:]
	}
	if stale || t.env == nil {
		t.env = &answer{}
	}
	if stale {
		t.own.changed = false
	}
	t.env.list.Store(&env)
	return env
}
