// Package vars holds shell variables: their attributes, values and arrays.
//
// A Table is the set of bindings of one process. It is persistent: Fork costs
// O(1), and what two tables share is copied piece by piece when one of them
// writes. Ownership is a token: a Table has one, every page of bindings,
// variable, array chunk and hash page remembers the token of the table that
// made it, and only a piece whose token is the table's own may be changed in
// place. Fork drops the token of both sides.
//
// A *Var got from Table.Get is read only. Table.Own returns one that may be
// changed until the next Fork. Locals need nothing special: Table.Bind
// replaces a binding and hands back the old one, to be bound again on return.
//
// Values are byte strings. Associative arrays iterate in the order bash 5.2
// has, which scripts see in "${!m[@]}"; everything else iterates sorted.
package vars

import (
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/large"
)

// Attr is a set of variable attributes.
type Attr uint16

// The attributes of declare, and Special for variables whose value the shell
// computes at each reading (RANDOM, SECONDS, LINENO …).
const (
	Export Attr = 1 << iota
	ReadOnly
	Integer
	Lower
	Upper
	Capital
	Nameref
	Trace
	Indexed
	Assoc
	Special
)

// token marks what one table may change in place. shared is set by Fork: from
// then on nothing that carries the token may change, caches included.
type token struct {
	shared  bool
	changed bool // an exported variable changed since Environ was computed
}

const (
	stSet  uint8 = 1 << iota // a scalar has a value; an array was given one, if empty
	stNum                    // num is the value as a plain decimal integer
	stLazy                   // str is not made yet from num
)

// Var is one variable. The zero Var is unset and has no attributes.
type Var struct {
	own   *token
	attrs Attr
	state uint8
	num   int64
	str   string
	build *strings.Builder // backs str while it grows by AppendString
	list  *list
	hash  *hash
}

// New returns a scalar that no table owns, for values computed on the fly and
// for Table.Bind.
func New(value string, a Attr) *Var {
	v := &Var{attrs: a &^ (Indexed | Assoc)}
	v.setString(value)
	return v
}

// NewInt is New for a number.
func NewInt(n int64, a Attr) *Var {
	return &Var{attrs: a &^ (Indexed | Assoc), state: stSet | stNum | stLazy, num: n}
}

// NewList returns an indexed array that no table owns.
func NewList(values []string, a Attr) *Var {
	v, own := &Var{state: stSet, attrs: a&^Assoc | Indexed, list: &list{}}, &token{}
	for i, s := range values {
		v.list.set(own, int64(i), s)
	}
	return v
}

// Attrs returns the attributes; those of a nil Var are none.
func (v *Var) Attrs() Attr {
	if v == nil {
		return 0
	}
	return v.attrs
}

// Is reports whether v has any attribute of a.
func (v *Var) Is(a Attr) bool { return v != nil && v.attrs&a != 0 }

// IsArray reports whether v is an indexed or associative array.
func (v *Var) IsArray() bool { return v != nil && v.attrs&(Indexed|Assoc) != 0 }

// IsSet reports whether v has a value: a scalar that was assigned, an array
// with an element. A nil Var has none.
func (v *Var) IsSet() bool {
	if v.IsArray() {
		return v.Len() > 0
	}
	return v != nil && v.state&stSet != 0
}

// String returns the scalar value; of an array that of element 0 or key "0".
func (v *Var) String() string {
	if v == nil {
		return ""
	}
	if v.state&stLazy != 0 {
		s := strconv.FormatInt(v.num, 10)
		if v.own != nil && !v.own.shared {
			v.str, v.state = s, v.state&^stLazy
		}
		return s
	}
	switch {
	case v.list != nil:
		s, _ := v.list.get(0)
		return s
	case v.hash != nil:
		s, _ := v.hash.get("0")
		return s
	}
	return v.str
}

// Int returns the value of a scalar that is a decimal integer without leading
// zeros or plus sign and fits 18 digits: the form that means the same number
// everywhere in arithmetic.
func (v *Var) Int() (int64, bool) {
	if v == nil {
		return 0, false
	}
	return v.num, v.state&stNum != 0
}

// plainInt parses the form described at Int.
func plainInt(s string) (int64, bool) {
	if len(s) == 0 || len(s) > 19 {
		return 0, false
	}
	i, neg := 0, s[0] == '-'
	if neg {
		i = 1
	}
	if i == len(s) || len(s)-i > 18 || s[i] == '0' && (len(s) > i+1 || neg) {
		return 0, false
	}
	var n int64
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	if neg {
		n = -n
	}
	return n, true
}

// Len returns the number of elements; a scalar that is set has one.
func (v *Var) Len() int {
	switch {
	case v == nil:
		return 0
	case v.list != nil:
		return v.list.n
	case v.hash != nil:
		return v.hash.n
	case v.state&stSet != 0:
		return 1
	}
	return 0
}

// Index returns element i of an indexed array. A scalar is its own element 0.
func (v *Var) Index(i int64) (string, bool) {
	switch {
	case v == nil:
		return "", false
	case v.list != nil:
		return v.list.get(i)
	case v.hash != nil:
		return v.hash.get(strconv.FormatInt(i, 10))
	case i == 0 && v.state&stSet != 0:
		return v.String(), true
	}
	return "", false
}

// Key returns the element of an associative array.
func (v *Var) Key(k string) (string, bool) {
	if v == nil || v.hash == nil {
		return "", false
	}
	return v.hash.get(k)
}

// MaxIndex returns the highest index in use, -1 if there is none.
func (v *Var) MaxIndex() int64 {
	switch {
	case v == nil:
		return -1
	case v.list != nil:
		return v.list.max()
	case v.hash == nil && v.state&stSet != 0:
		return 0
	}
	return -1
}

// Values returns the elements: by ascending index, or in the hash order of
// bash. The slice is the caller's.
func (v *Var) Values() []string { return v.AppendValues(nil) }

// AppendValues is Values into dst.
func (v *Var) AppendValues(dst []string) []string {
	switch {
	case v == nil:
		return dst
	case v.list != nil:
		return v.list.values(dst)
	case v.hash != nil:
		v.hash.each(func(_, s string) { dst = append(dst, s) })
		return dst
	case v.state&stSet != 0:
		return append(dst, v.String())
	}
	return dst
}

// AllValues is AppendValues, with m charged meanwhile: there may be very many.
func (v *Var) AllValues(dst []string, m large.Meter) []string {
	n := v.Len()
	dst = slices.Grow(large.Extend(dst, n, m), n)
	switch {
	case v == nil || v.list == nil && v.hash == nil:
		return v.AppendValues(dst)
	case v.list != nil:
		for _, s := range v.list.dir {
			dst = append(dst, s.c.vals...)
			m.Charge(len(s.c.vals) >> 3)
		}
	default:
		v.hash.each(func(_, s string) {
			if dst = append(dst, s); len(dst)%manyKeys == 0 {
				m.Charge(manyKeys >> 1)
			}
		})
	}
	return dst
}

// Keys returns the indices or keys in the order of Values.
func (v *Var) Keys() []string { return v.AllKeys(large.Free) }

// First returns the first elements of Values, most at most.
func (v *Var) First(most int) []string {
	switch {
	case v == nil || v.list == nil && v.hash == nil:
		return v.Values()[:min(v.Len(), most)]
	case v.list != nil:
		return v.list.from(0, most, large.Free)
	}
	return v.hash.first(most)
}

// manyKeys are charged for at a time.
const manyKeys = 1 << 10

// AllKeys is Keys, with m charged meanwhile: there may be very many.
func (v *Var) AllKeys(m large.Meter) []string {
	out := make([]string, 0, v.Len())
	add := func(key string) {
		if out = append(out, key); len(out)%manyKeys == 0 {
			m.Charge(manyKeys)
		}
	}
	switch {
	case v == nil:
	case v.list != nil:
		v.list.each(func(i int64, _ string) { add(strconv.FormatInt(i, 10)) })
	case v.hash != nil:
		v.hash.each(func(k, _ string) { add(k) })
	case v.state&stSet != 0:
		out = append(out, "0")
	}
	return out
}

// Clone returns a copy that no table owns, in O(1) but for arrays, whose pieces
// it visits. From then on v itself is not owned either: Own copies it before
// the next change.
func (v *Var) Clone() *Var {
	if v == nil {
		return nil
	}
	if v.own != nil && !v.own.shared {
		if v.state&stLazy != 0 {
			_ = v.String()
		}
		if v.list != nil {
			v.list.release()
		}
		if v.hash != nil {
			v.hash.release()
		}
		v.own = nil
	}
	c := *v
	c.own, c.build = nil, nil
	return &c
}

// copyFor returns a copy owned through t. Array pieces keep their own tokens
// and are copied as they are written; only the directories are copied now.
func (v *Var) copyFor(t *token) *Var {
	c := *v
	c.own, c.build = t, nil
	if c.list != nil {
		c.list = c.list.clone()
	}
	if c.hash != nil {
		c.hash = c.hash.clone()
	}
	return &c
}

// writable panics if v may be seen by another table: changing it would be
// seen there. It is a bug of the caller, never of a script.
func (v *Var) writable() {
	if v.own == nil || v.own.shared {
		panic("vars: change of a variable that is not owned")
	}
	if v.attrs&Export != 0 {
		v.own.changed = true
	}
}

func (v *Var) setString(s string) {
	v.str, v.build, v.state = s, nil, stSet
	if len(s) > 0 && s[0] <= '9' {
		if n, ok := plainInt(s); ok {
			v.num, v.state = n, stSet|stNum
		}
	}
}

// SetString assigns a scalar; of an array element 0 or key "0".
func (v *Var) SetString(s string) {
	v.writable()
	switch {
	case v.list != nil:
		v.SetIndex(0, s)
	case v.hash != nil:
		v.SetKey("0", s)
	default:
		v.setString(s)
	}
}

// SetInt is SetString of the decimal form of n, made only when it is read.
func (v *Var) SetInt(n int64) {
	v.writable()
	if v.list != nil || v.hash != nil {
		v.SetString(strconv.FormatInt(n, 10))
		return
	}
	v.num, v.build, v.state = n, nil, stSet|stNum|stLazy
}

// AppendString adds s at the end, in amortised O(len(s)).
func (v *Var) AppendString(s string) {
	v.writable()
	switch {
	case v.list != nil:
		v.AppendIndex(0, s)
	case v.hash != nil:
		v.AppendKey("0", s)
	case s == "" && v.state&stSet != 0:
	default:
		old := v.String()
		if len(old)+len(s) < 64 {
			v.setString(old + s)
			return
		}
		v.str, v.state = v.grown(old, s), stSet
	}
}

// grown is old+s. What was grown last is grown in place; a Builder never
// changes the bytes it has handed out.
func (v *Var) grown(old, s string) string {
	if len(old)+len(s) < 64 {
		return old + s
	}
	if n := v.Growth(old, s); n > 0 {
		v.build = new(strings.Builder)
		v.build.Grow(n)
		large.Write(v.build, old, large.Free)
	}
	large.Write(v.build, s, large.Free)
	return v.build.String()
}

// Growth is how many bytes are taken to put s behind old, the value or an element, besides those of old; 0 if it can be
// done in place.
func (v *Var) Growth(old, s string) int {
	b := v.build
	if b != nil && b.Len() > 0 && b.Len() == len(old) && b.Cap()-len(old) >= len(s) && b.String() == old { // equal strings in one place compare at once
		return 0
	}
	return large.Roomier(len(old)+len(s), 0)
}

// SetIndex assigns element i ≥ 0 of an indexed array; a scalar becomes one.
func (v *Var) SetIndex(i int64, s string) {
	v.writable()
	v.makeIndexed()
	v.list.set(v.own, i, s)
	v.state |= stSet
}

// AppendIndex adds s to the end of element i.
func (v *Var) AppendIndex(i int64, s string) {
	old, _ := v.Index(i)
	v.writable()
	v.SetIndex(i, v.grown(old, s))
}

// SetKey assigns an element of an associative array; another kind becomes one.
func (v *Var) SetKey(k, s string) {
	v.writable()
	v.makeAssoc()
	v.hash.set(v.own, k, s)
	v.state |= stSet
}

// AppendKey adds s to the end of the element.
func (v *Var) AppendKey(k, s string) {
	old, _ := v.Key(k)
	v.writable()
	v.SetKey(k, v.grown(old, s))
}

// UnsetIndex removes element i, if there is one.
func (v *Var) UnsetIndex(i int64) {
	v.writable()
	if v.list != nil {
		v.list.unset(v.own, i)
	} else if v.hash == nil && i == 0 {
		v.Clear()
	}
}

// UnsetKey removes the element, if there is one.
func (v *Var) UnsetKey(k string) {
	v.writable()
	if v.hash != nil {
		v.hash.unset(v.own, k)
	}
}

// Clear removes the value and every element and keeps the attributes.
func (v *Var) Clear() {
	v.writable()
	v.str, v.build, v.state, v.num = "", nil, 0, 0
	if v.list != nil {
		v.list = &list{}
	}
	if v.hash != nil {
		h := &hash{}
		if v.hash.buckets > 0 { // bash keeps the size, which decides the order
			h.resize(v.hash.buckets)
		}
		v.hash = h
	}
}

// MakeIndexed turns v into an indexed array; a scalar value becomes element 0.
func (v *Var) MakeIndexed() { v.writable(); v.makeIndexed() }

func (v *Var) makeIndexed() {
	if v.list != nil {
		return
	}
	scalar := v.list == nil && v.hash == nil
	old, set := v.String(), v.state&stSet != 0
	v.list, v.hash, v.attrs = &list{}, nil, v.attrs&^Assoc|Indexed
	v.str, v.build, v.state = "", nil, v.state&stSet
	if set && scalar {
		v.list.set(v.own, 0, old)
	}
}

// MakeAssoc turns v into an associative array; a scalar value becomes key "0".
func (v *Var) MakeAssoc() { v.writable(); v.makeAssoc() }

func (v *Var) makeAssoc() {
	if v.hash != nil {
		return
	}
	scalar := v.list == nil && v.hash == nil
	old, set := v.String(), v.state&stSet != 0
	v.hash, v.list, v.attrs = &hash{}, nil, v.attrs&^Indexed|Assoc
	v.str, v.build, v.state = "", nil, v.state&stSet
	if set && scalar {
		v.hash.set(v.own, "0", old)
	}
}

// SetAttrs replaces the attributes. Indexed and Assoc follow the value and
// cannot be changed here.
func (v *Var) SetAttrs(a Attr) {
	v.writable()
	kind := v.attrs & (Indexed | Assoc)
	if (v.attrs|a)&Export != 0 {
		v.own.changed = true
	}
	v.attrs = a&^(Indexed|Assoc) | kind
}

// ValuesFrom returns the first elements of an indexed array with index ≥ i, most
// at most, with m charged meanwhile.
func (v *Var) ValuesFrom(i, most int64, m large.Meter) []string {
	if v == nil || v.list == nil {
		return nil
	}
	return v.list.from(i, int(min(most, int64(v.list.n))), m)
}
