package jq

import (
	"math"
	"strings"
	"unicode/utf8"

	"eryxsh/core/large"
)

// operator is an operator between two values.
type operator uint8

const (
	opPlus operator = iota
	opMinus
	opTimes
	opDivide
	opModulo
	opEqual
	opUnequal
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
)

func operatorOf(s string) operator {
	for i, t := range [...]string{"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">="} {
		if s == t {
			return operator(i)
		}
	}
	panic("jq: no operator " + s)
}

// binary computes a op b.
func (p *Program) binary(op operator, a, b Value) (r Value, ok bool) {
	switch op {
	case opPlus:
		return p.plus(a, b)
	case opMinus:
		return p.minus(a, b)
	case opTimes:
		return p.times(a, b)
	case opDivide, opModulo:
		return p.divide(op, a, b)
	case opEqual:
		r = boolean(p.equal(a, b))
	case opUnequal:
		r = boolean(!p.equal(a, b))
	default:
		d := p.order(a, b)
		r = boolean(op == opLess && d < 0 || op == opLessEqual && d <= 0 || op == opGreater && d > 0 || op == opGreaterEqual && d >= 0)
	}
	return r, p.err.K == None
}

func (p *Program) mismatch(a, b Value, what string) (Value, bool) {
	return empty, p.raise("%s (%s) and %s (%s) cannot be %s", a.kindName(), p.brief(a), b.kindName(), p.brief(b), what)
}

func (p *Program) plus(a, b Value) (Value, bool) {
	h := &p.Heap
	switch {
	case a.K == Null:
		return b, true
	case b.K == Null:
		return a, true
	case a.K != b.K:
	case a.K == Number:
		return num(a.N + b.N), true
	case a.K == String:
		if len(a.S)+len(b.S) > maxText {
			return empty, p.raise("String is too long")
		}
		p.charge(len(b.S))
		return str(h.concat(a.S, b.S)), true
	case a.K == Array:
		x, y := h.items(a), h.items(b)
		if len(x)+len(y) > maxItems {
			return empty, p.raise("Array is too large")
		}
		p.charge(len(y))
		switch {
		case len(y) == 0:
			return a, true
		case len(x) == 0:
			return b, true
		case len(x) >= versioned && len(y) <= len(x)>>3+1:
			return h.extend(a, y), true
		}
		p.charge(len(x))
		return h.array(h.joined(x, y)), true
	case a.K == Object:
		return p.merge(a, b), true
	}
	return p.mismatch(a, b, "added")
}

// merge gives a with the pairs of b.
func (p *Program) merge(a, b Value) Value {
	h := &p.Heap
	n := len(h.items(b))
	if len(h.items(a)) == 0 {
		return b
	}
	for i := range n {
		m := h.node(b)
		a = h.put(a, m.Keys[i], m.Items[i])
		p.spend(8)
	}
	return a
}

func (p *Program) minus(a, b Value) (Value, bool) {
	switch {
	case a.K == Number && b.K == Number:
		return num(a.N - b.N), true
	case a.K == Array && b.K == Array:
		x, y := p.Heap.items(a), p.Heap.items(b)
		var items []Value
		for _, v := range x {
			keep := true
			for _, w := range y {
				if p.equal(v, w) {
					keep = false
					break
				}
			}
			if keep {
				items = p.add(items, v)
			}
		}
		return p.Heap.array(items), p.err.K == None
	}
	return p.mismatch(a, b, "subtracted")
}

func (p *Program) times(a, b Value) (Value, bool) {
	if a.K == Number && b.K == String {
		a, b = b, a
	}
	switch {
	case a.K == Number && b.K == Number:
		return num(a.N * b.N), true
	case a.K == String && b.K == Number:
		if !(b.N > 0) {
			return null, true
		}
		n := 1.0
		if b.N >= 1 {
			n = math.Trunc(b.N)
			if b.N > n {
				n++
			}
		}
		if n*float64(len(a.S)) > maxText {
			return empty, p.raise("Repeat string result too long")
		}
		return p.ownText(p.repeated(a.S, int(n))), true
	case a.K == Object && b.K == Object:
		return p.deepMerge(a, b, 0)
	}
	return p.mismatch(a, b, "multiplied")
}

// repeated gives a text n times.
func (p *Program) repeated(s string, n int) string {
	total := n * len(s)
	p.charge(total)
	if total <= large.Piece {
		return strings.Repeat(s, n)
	}
	part := s
	if k := large.Piece / len(s); k > 1 {
		part = strings.Repeat(s, k)
	}
	b := large.Builder{M: p}
	b.Exactly(total)
	for b.Len() < total {
		_, _ = b.WriteString(part[:min(len(part), total-b.Len())])
		p.charge(len(part) >> 4)
	}
	return b.String()
}

func (p *Program) deepMerge(a, b Value, depth int) (Value, bool) {
	if depth > maxDepth {
		return empty, p.raise("Object merge too deep")
	}
	h := &p.Heap
	for i := range len(h.items(b)) {
		m := h.node(b)
		k, v := m.Keys[i], m.Items[i]
		if v.K == Object {
			if old := h.get(a, k); old.K == Object {
				var ok bool
				if v, ok = p.deepMerge(old, v, depth+1); !ok {
					return empty, false
				}
			}
		}
		a = h.put(a, k, v)
		p.spend(12)
	}
	return a, true
}

func (p *Program) divide(op operator, a, b Value) (Value, bool) {
	switch {
	case a.K == String && b.K == String && op == opDivide:
		return p.splitText(a.S, b.S)
	case a.K != Number || b.K != Number:
	case op == opDivide:
		if b.N == 0 {
			return p.mismatch(a, b, "divided because the divisor is zero")
		}
		return num(a.N / b.N), true
	default:
		if math.IsNaN(a.N) || math.IsNaN(b.N) {
			return num(math.NaN()), true
		}
		y := toInt64(b.N)
		if y == 0 {
			return p.mismatch(a, b, "divided (remainder) because the divisor is zero")
		}
		x := toInt64(a.N)
		if y < 0 {
			y = -max(y, -math.MaxInt64)
		}
		neg := x < 0
		r := uint64(x)
		if neg {
			r = -r
		}
		r %= uint64(y)
		if neg {
			return num(-float64(r) + 0), true
		}
		return num(float64(r)), true
	}
	if op == opDivide {
		return p.mismatch(a, b, "divided")
	}
	return p.mismatch(a, b, "divided (remainder)")
}

func toInt64(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// splitText is / of strings and split/1.
func (p *Program) splitText(s, sep string) (Value, bool) {
	var items []Value
	switch {
	case s == "":
	case sep == "":
		for at := 0; at < len(s); {
			_, n := utf8.DecodeRuneInString(s[at:])
			items = p.add(items, str(s[at:at+n]))
			at += n
		}
	default:
		for at := 0; ; {
			i := large.Index(s[at:], sep, p)
			if i < 0 {
				items = p.add(items, str(s[at:]))
				break
			}
			items = p.add(items, str(s[at:at+i]))
			at += i + len(sep)
		}
	}
	p.charge(len(s))
	return p.list(items)
}
