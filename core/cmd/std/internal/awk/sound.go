package awk

// sound makes what is not saved of arrays, and reports whether a loaded program fits its instructions and itself: every
// index is in range and every chain ends. It cannot tell whether the stack is
// what the instruction at PC expects: that shows when it runs.
func (p *Program) sound() bool {
	code := p.code
	inCode := func(pc int32) bool { return pc >= 0 && int(pc) < len(code.ins) }
	if !inCode(p.PC) || len(p.Globals) < len(code.names) || len(p.Ranges) != code.ranges || p.Phase > Closing {
		return false
	}
	base := int32(0)
	for _, f := range p.Frames {
		if !inCode(f.Return) || f.Base < base || f.Iters < 0 || int(f.Iters) > len(p.Iters) || f.Func < -1 || int(f.Func) >= len(code.funcs) {
			return false
		}
		if base = f.Base; f.Func >= 0 && int(base)+len(code.funcs[f.Func].params) > len(p.Stack) || int(base) > len(p.Stack) {
			return false
		}
	}
	for _, it := range p.Iters {
		if it.Pos < 0 || it.Pos > len(it.Keys) || !p.plain(it.Keys) {
			return false
		}
	}
	for _, s := range p.Sorts {
		if s.Width < 0 || s.I < 0 || s.J < 0 || s.I > len(s.From) || s.J > len(s.From) || len(s.To) > len(s.From) || !p.soundItems(s.From) || !p.soundItems(s.To) {
			return false
		}
	}
	for _, e := range p.Elems {
		if e.Array < 0 || int(e.Array) >= len(p.Heap) {
			return false
		}
	}
	for i := range p.Heap {
		if !p.soundArray(&p.Heap[i]) {
			return false
		}
		if p.Heap[i].Home == dead {
			p.free = append(p.free, int32(i))
		}
	}
	return p.references() && p.plain(p.Rec.Fields) && p.soundReaders()
}

// references checks variables and the stack: a reference leads down the stack,
// to a global variable or to an element, so that following it ends.
func (p *Program) references() bool {
	for i := range p.Stack {
		v := &p.Stack[i]
		if v.K > Ref || v.K == Arr && !p.inHeap(v.R) || v.K == Pattern && int(v.R) > len(p.code.regex) {
			return false
		}
		if v.K == Ref && (v.R < int32(-len(p.Globals)) || v.R >= int32(i) && (v.R < firstElem || int(v.R-firstElem) >= len(p.Elems))) {
			return false
		}
	}
	return p.plain(p.Globals)
}

func (p *Program) inHeap(i int32) bool { return i >= 0 && int(i) < len(p.Heap) }

// plain checks values that are no references.
func (p *Program) plain(list []Value) bool {
	for i := range list {
		v := &list[i]
		if v.K >= Ref || v.K == Arr && !p.inHeap(v.R) || v.R < 0 || v.K == Pattern && int(v.R) > len(p.code.regex) {
			return false
		}
	}
	return true
}

func (p *Program) soundItems(list []item) bool {
	for i := range list {
		if !p.plain([]Value{list[i].Key, list[i].Val}) {
			return false
		}
	}
	return true
}

func (p *Program) soundReaders() bool {
	n := len(p.Rand.Words)
	return p.In.Arg >= 0 && p.In.Stage <= AfterEnd && p.Rec.Pos >= 0 && p.Rec.Pos <= len(p.Rec.V0.S)+2 &&
		(n == 0 || n == randomWords && len(p.Rand.Table) == randomTable && p.Rand.Pos >= 0 && p.Rand.Pos < randomWords)
}

// soundArray checks the parts of an array.
func (p *Program) soundArray(a *Array) bool {
	if a.Shape > ShapeDenseStrings || !p.soundTable(&a.Table) || !p.soundPairs(&a.Pairs) {
		return false
	}
	dense, last := 0, int32(-1)
	for i := range a.Leaves {
		l := &a.Leaves[i]
		base, n := leafSpan(max(0, l.Base))
		if l.Base <= last || l.Base != base || len(l.Val) != 1<<n || len(l.Used) != (len(l.Val)+63)/64 || !p.plain(l.Val) {
			return false
		}
		last = l.Base
		a.room += len(l.Val)
		dense += int(l.N)
	}
	return dense == a.Dense && (a.Dense == 0 || a.Shape >= ShapeDense)
}

func (p *Program) soundTable(t *Table) bool {
	left, used := t.Len, make([]bool, len(t.Elems))
	for _, i := range t.Heads {
		for ; i != 0; i = t.Elems[i-1].Next {
			if left--; left < 0 || i < 0 || int(i) > len(t.Elems) || !p.plain([]Value{t.Elems[i-1].Val}) {
				return false
			}
			used[i-1] = true
		}
	}
	for i := range used {
		if !used[i] {
			t.Elems[i], t.free = Elem{Next: t.free}, int32(i+1)
		}
	}
	return left == 0
}

func (p *Program) soundPairs(t *Pairs) bool {
	left, used := t.Len, make([]bool, len(t.Links))
	for _, i := range t.Heads {
		for ; i != 0; i = t.Links[i-1].Next {
			if i < 0 || int(i) > len(t.Links) {
				return false
			}
			l := &t.Links[i-1]
			if left -= int(l.N); left < 0 || l.N < 1 || l.N > 2 || !p.plain(l.Val[:]) {
				return false
			}
			used[i-1] = true
		}
	}
	for i := range used {
		if !used[i] {
			t.release(int32(i + 1))
		}
	}
	return left == 0
}
