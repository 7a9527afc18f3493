package vars

import "slices"

// Census counts bytes of variables by their content: the same state counts the
// same, whatever memory its parts have in common.
type Census struct {
	Bytes int64
	long  map[int][]string // texts counted, by length
}

// About what a part takes besides its text: bytes.
const (
	BindingCost = 128 // a name and its variable
	elementCost = 24  // of an indexed array
	KeyCost     = 80  // of an associative array
)

// longText is where a text is looked for among those counted: bytes.
const longText = 1 << 16

// Text counts a text. A long one that is the same as one before, a variable
// passed on as a parameter, counts once.
func (c *Census) Text(s string) {
	if len(s) >= longText {
		if slices.Contains(c.long[len(s)], s) { // at once if it is the same memory
			return
		}
		if c.long == nil {
			c.long = map[int][]string{}
		}
		c.long[len(s)] = append(c.long[len(s)], s)
	}
	c.Bytes += int64(len(s))
}

// Texts counts a list of texts.
func (c *Census) Texts(list []string) {
	c.Bytes += 16 * int64(len(list))
	for _, s := range list {
		c.Text(s)
	}
}

// Table counts the variables of t that base, if not nil, does not have: those of
// a subshell are counted as far as they are not its parent's.
func (c *Census) Table(t, base *Table) {
	for name, v := range t.All() {
		var old *Var
		if base != nil {
			old = base.Get(name)
		}
		if v == old {
			continue
		}
		if old == nil {
			c.Bytes += int64(len(name))
		}
		c.changed(v, old)
	}
}

// Var counts one variable; nil is none.
func (c *Census) Var(v *Var) {
	if v != nil {
		c.changed(v, nil)
	}
}

// changed counts what v has and old, if not nil, has not.
func (c *Census) changed(v, old *Var) {
	if old == nil {
		old = &Var{}
		c.Bytes += BindingCost
	}
	if !v.IsArray() {
		if s := v.String(); old.IsArray() || s != old.String() {
			c.Text(s)
		}
		return
	}
	if v.list != nil {
		c.list(v.list, old.list)
	}
	if v.hash != nil {
		c.hash(v.hash, old.hash)
	}
}

func (c *Census) list(l, old *list) {
	for _, s := range l.dir {
		if old != nil {
			if i, ok := old.find(s.base); ok {
				if o := old.dir[i].c; o == s.c || o.mask == s.c.mask && slices.Equal(o.vals, s.c.vals) {
					continue
				}
			}
		}
		c.Bytes += elementCost * int64(len(s.c.vals))
		for _, val := range s.c.vals {
			c.Bytes += int64(len(val))
		}
	}
}

func (c *Census) hash(h, old *hash) {
	for i, page := range h.pages {
		if page == nil || old != nil && old.buckets == h.buckets && old.pages[i] == page {
			continue
		}
		for _, n := range page.b {
			for ; n != nil; n = n.next {
				if old != nil {
					if val, ok := old.get(n.key); ok && val == n.val {
						continue
					}
				}
				c.Bytes += KeyCost + int64(len(n.key)+len(n.val))
			}
		}
	}
}
