package vars

import "sync/atomic"

// Origin is a table as it was at some time, from which others came by forks.
// What they still have in common with it need not be looked at, saved or
// loaded piece by piece. It does not change, and any number of threads may use it.
type Origin struct {
	table Table
	kept  atomic.Pointer[any]
}

// SetOrigin makes the table as it is now the origin of itself and of all its
// later forks.
func (t *Table) SetOrigin() *Origin {
	o := &Origin{}
	t.ForkTo(&o.table)
	o.table.origin = nil
	t.origin = o
	return o
}

// Origin returns the table's origin, nil if it has none.
func (t *Table) Origin() *Origin { return t.origin }

// Fork returns a table with the bindings of the origin.
func (o *Origin) Fork() *Table {
	t := o.table
	t.origin = o
	return &t
}

// All iterates over the bindings sorted by name.
func (o *Origin) All() func(yield func(string, *Var) bool) { return o.table.All() }

// Len returns the number of bindings.
func (o *Origin) Len() int { return o.table.n }

// Kept returns what Keep was given, nil if nothing.
func (o *Origin) Kept() any {
	if p := o.kept.Load(); p != nil {
		return *p
	}
	return nil
}

// Keep keeps something that follows from the bindings.
func (o *Origin) Keep(x any) { o.kept.Store(&x) }

// Delta is a table as what differs from an origin: by name, each name once.
type Delta struct {
	Origin  *Origin
	Changed []Record
	Gone    []string // of the origin's names
}

// Delta gives the table as what differs from its origin, nil if it has none or
// has little in common with it.
func (t *Table) Delta() *Delta {
	if t.origin == nil {
		return nil
	}
	d := &Delta{Origin: t.origin}
	d.Changed, d.Gone = t.Since(&t.origin.table)
	if !d.Small() {
		return nil
	}
	return d
}

// Unchanged reports whether every binding is the origin's.
func (t *Table) Unchanged() bool {
	if t.origin == nil {
		return false
	}
	changed, gone := t.Since(&t.origin.table)
	return len(changed)+len(gone) == 0
}

// Small reports whether most of the origin's bindings are as they were.
func (d *Delta) Small() bool { return len(d.Changed)+len(d.Gone) <= d.Origin.Len()/2 }
