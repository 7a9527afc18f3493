package vars

// hash is an associative array laid out as bash's: chains behind a power of
// two of buckets, 1024 at first, four times as many whenever there are two
// entries to a bucket; a new entry goes to the front of its chain. Iteration
// in bucket order is what "${!m[@]}" shows. Buckets live on pages of 64, so
// that a write after a fork copies the page directory and one page.
type hash struct {
	pages   []*page
	buckets uint32 // 0 until the first entry
	n       int
}

const firstBuckets = 1024

type page struct {
	own *token
	b   [64]*node
}

type node struct {
	own  *token
	key  string
	val  string
	sum  uint32
	next *node
}

// sum is bash's hash_string: FNV-1 over signed chars.
func sum(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h *= 16777619
		h ^= uint32(int32(int8(s[i])))
	}
	return h
}

// Hash is bash's hash of a name, which orders what it keeps in tables.
func Hash(s string) uint32 { return sum(s) }

func (h *hash) clone() *hash {
	c := *h
	c.pages = append([]*page(nil), h.pages...)
	return &c
}

// release makes every page and entry nobody's, so that whoever writes one copies it first.
func (h *hash) release() {
	for _, p := range h.pages {
		if p == nil || p.own == nil || p.own.shared {
			continue
		}
		p.own = nil
		for _, n := range p.b {
			for ; n != nil; n = n.next {
				if n.own != nil && !n.own.shared {
					n.own = nil
				}
			}
		}
	}
}

func (h *hash) find(k string, s uint32) *node {
	if h.buckets == 0 {
		return nil
	}
	b := s & (h.buckets - 1)
	p := h.pages[b>>6]
	if p == nil {
		return nil
	}
	for n := p.b[b&63]; n != nil; n = n.next {
		if n.sum == s && n.key == k {
			return n
		}
	}
	return nil
}

func (h *hash) get(k string) (string, bool) {
	if n := h.find(k, sum(k)); n != nil {
		return n.val, true
	}
	return "", false
}

// bucket returns the head of the chain of s on a page owned by t.
func (h *hash) bucket(t *token, s uint32) **node {
	b := s & (h.buckets - 1)
	p := h.pages[b>>6]
	switch {
	case p == nil:
		p = &page{own: t}
		h.pages[b>>6] = p
	case p.own != t:
		c := *p
		c.own = t
		p = &c
		h.pages[b>>6] = p
	}
	return &p.b[b&63]
}

func (h *hash) resize(buckets uint32) {
	h.buckets, h.pages = buckets, make([]*page, buckets/64)
}

func (h *hash) set(t *token, k, v string) {
	s := sum(k)
	if n := h.find(k, s); n != nil {
		if n.own == t {
			n.val = v
			return
		}
		h.chain(t, s, n).val = v
		return
	}
	if h.buckets == 0 {
		h.resize(firstBuckets)
	} else if h.n >= int(h.buckets)*2 {
		h.grow(t)
	}
	head := h.bucket(t, s)
	*head = &node{own: t, key: k, val: v, sum: s, next: *head}
	h.n++
}

// chain makes the chain up to n changeable by t and returns n's copy.
func (h *hash) chain(t *token, s uint32, n *node) *node {
	at := h.bucket(t, s)
	for {
		c := *at
		if c.own != t {
			d := *c
			d.own = t
			*at = &d
		}
		if c == n {
			return *at
		}
		at = &(*at).next
	}
}

func (h *hash) grow(t *token) {
	old := *h
	h.resize(old.buckets * 4)
	for _, p := range old.pages {
		if p == nil {
			continue
		}
		for _, n := range p.b {
			for ; n != nil; n = n.next {
				head := h.bucket(t, n.sum)
				*head = &node{own: t, key: n.key, val: n.val, sum: n.sum, next: *head}
			}
		}
	}
}

func (h *hash) unset(t *token, k string) {
	s := sum(k)
	n := h.find(k, s)
	if n == nil {
		return
	}
	at := h.bucket(t, s)
	for *at != n {
		if c := *at; c.own != t {
			d := *c
			d.own = t
			*at = &d
		}
		at = &(*at).next
	}
	*at = n.next
	h.n--
}

// first returns the first values, most at most.
func (h *hash) first(most int) []string {
	out := make([]string, 0, min(h.n, most))
	for _, p := range h.pages {
		if p == nil {
			continue
		}
		for _, n := range p.b {
			for ; n != nil; n = n.next {
				if len(out) == most {
					return out
				}
				out = append(out, n.val)
			}
		}
	}
	return out
}

func (h *hash) each(f func(k, v string)) {
	for _, p := range h.pages {
		if p == nil {
			continue
		}
		for _, n := range p.b {
			for ; n != nil; n = n.next {
				f(n.key, n.val)
			}
		}
	}
}
