package vars

// Census counts bytes of variables. What tables share after a fork is counted
// once. The zero value counts what nothing shares.
type Census struct {
	Bytes int64
	seen  map[any]bool     // parts counted, if several tables are; nil if one is
	long  map[int][]string // texts counted, by length
}

// NewCensus counts several tables.
func NewCensus() Census { return Census{seen: map[any]bool{}} }

// About what a part takes besides its text: bytes.
const (
	bindingCost = 128 // a name and its variable
	elementCost = 24  // of an indexed array
	keyCost     = 80  // of an associative array
)

func (c *Census) first(part any) bool {
	if c.seen == nil {
		return true
	}
	if c.seen[part] {
		return false
	}
	c.seen[part] = true
	return true
}

// longText is where a text is looked for among those counted: bytes.
const longText = 1 << 16

// Text counts a text. A long one that is the same as one before, a variable
// passed on as a parameter, counts once.
func (c *Census) Text(s string) {
	if len(s) >= longText {
		for _, t := range c.long[len(s)] {
			if s == t { // at once if it is the same memory
				return
			}
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

// Table counts all variables of t.
func (c *Census) Table(t *Table) {
	for _, s := range t.shelves {
		if s == nil || !c.first(s) {
			continue
		}
		for _, page := range s.p {
			if page == nil || !c.first(page) {
				continue
			}
			for i := range page.s {
				c.Bytes += int64(len(page.s[i].name))
				c.Var(page.s[i].v)
			}
		}
	}
}

// Var counts one variable; nil is none.
func (c *Census) Var(v *Var) {
	if v == nil {
		return
	}
	c.Bytes += bindingCost
	if v.build == nil {
		c.Text(v.str)
	} else if c.first(v.build) {
		c.Text(v.str)
		c.Bytes += int64(v.build.Cap() - v.build.Len())
	}
	if v.list != nil {
		for _, s := range v.list.dir {
			if c.first(s.c) {
				c.Bytes += elementCost * int64(cap(s.c.vals))
				for _, val := range s.c.vals {
					c.Bytes += int64(len(val))
				}
			}
		}
	}
	if v.hash != nil {
		for _, page := range v.hash.pages {
			if page == nil || !c.first(page) {
				continue
			}
			for _, n := range page.b {
				for ; n != nil; n = n.next {
					c.Bytes += keyCost + int64(len(n.key)+len(n.val))
				}
			}
		}
	}
}
