package awk

import (
	"math"
	"strconv"
	"strings"

	"eryxsh/core/large"
)

// local is a parameter of the running function.
func (p *Program) local(i int32) *Value {
	return &p.Stack[p.Frames[len(p.Frames)-1].Base+i]
}

// firstElem is the first reference that is an index in Program.Elems.
const firstElem = 1 << 30

// ElemRef is an untyped element that was passed to a function.
type ElemRef struct {
	Array int32 `cbor:"1,keyasint,omitempty"`
	Key   Key   `cbor:"2,keyasint,omitempty"`
}

// at is the place a reference names: a stack slot, -1-i for global i, or firstElem+i
// for an element. The pointer is good until the array changes.
func (p *Program) at(ref int32) *Value {
	switch {
	case ref < 0:
		return &p.Globals[-1-ref]
	case ref < firstElem:
		return &p.Stack[ref]
	}
	e := p.Elems[ref-firstElem]
	v, isNew := p.Heap[e.Array].add(e.Key, p.c)
	if isNew { // it was deleted meanwhile
		p.Held += 64 + len(e.Key.S)
	}
	return v
}

// elemArgument gives an element as an argument: one without a type by reference.
func (p *Program) elemArgument(array int32, sub *Value) Value {
	v := p.elem(array, sub)
	if v.K != Untyped || len(p.Elems) >= maxFrames {
		return *v
	}
	k := p.key(sub)
	if sub.view {
		k.S = strings.Clone(k.S)
	}
	p.Elems = append(p.Elems, ElemRef{Array: array, Key: k})
	return Value{K: Ref, R: int32(firstElem + len(p.Elems) - 1)}
}

// root follows references to the variable an untyped parameter stands for.
func (p *Program) root(v *Value) *Value {
	for v.K == Ref {
		v = p.at(v.R)
	}
	return v
}

// localScalar reads a parameter that nobody assigned: it, and the variable it
// stands for, can no longer become an array.
func (p *Program) localScalar(i int32) Value {
	v := p.root(p.local(i))
	if v.K == Untyped {
		v.K = Unassigned
	}
	if v.K != Arr {
		return Value{K: Unassigned}
	}
	name := p.code.funcs[p.Frames[len(p.Frames)-1].Func].params[i]
	if n := p.Heap[v.R].Name; n != "" && n != name {
		name += " (from " + n + ")"
	}
	p.fatal("attempt to use array `%s' in a scalar context", name)
	return Value{}
}

// scalarError ends the program: an array is used as a scalar.
func (p *Program) scalarError(slot int32) {
	p.fatal("attempt to use array `%s' in a scalar context", p.code.names[slot])
}

func (p *Program) elemScalarError(array int32) {
	p.fatal("attempt to use array `%s' in a scalar context", p.Heap[array].Name)
}

// newArray makes an array and gives its number.
func (p *Program) newArray(name string, home int32) int32 {
	p.Held += 200
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		p.Heap[i] = Array{Name: name, Home: home}
		return i
	}
	p.Heap = append(large.Extend(p.Heap, 1, p.c), Array{Name: name, Home: home})
	return int32(len(p.Heap) - 1)
}

// arrayAt gives the array a variable holds; an untyped variable becomes one,
// there where it really lives.
func (p *Program) arrayAt(ref int32) Value {
	own := ref
	v := p.at(ref)
	for v.K == Ref {
		ref = v.R
		v = p.at(ref)
	}
	if v.K == Arr {
		return *v
	}
	if v.K != Untyped {
		kind := "scalar"
		if own >= 0 {
			kind = "scalar parameter"
		}
		p.fatal("attempt to use %s `%s' as an array", kind, p.variableName(own))
	}
	name, home := p.variableName(ref), max(0, ref+1)
	if ref >= firstElem {
		home = 0
	}
	n := p.newArray(name, home)
	*p.at(ref) = Value{K: Arr, R: n}
	return Value{K: Arr, R: n}
}

// variableName is the name of the variable at a reference.
func (p *Program) variableName(ref int32) string {
	if ref < 0 {
		return p.code.names[-1-ref]
	}
	if ref >= firstElem {
		e := p.Elems[ref-firstElem]
		return p.Heap[e.Array].Name + `["` + e.Key.text() + `"]`
	}
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if f := p.Frames[i]; f.Func >= 0 && f.Base <= ref {
			if params := p.code.funcs[f.Func].params; int(ref-f.Base) < len(params) {
				return params[ref-f.Base]
			}
		}
	}
	return ""
}

// subArray replaces the array at v by its element under sub, which must be an array.
func (p *Program) subArray(v, sub *Value) {
	parent := v.R
	k := p.key(sub)
	e := p.Heap[parent].find(k)
	if e == nil {
		p.addElem(parent, k, sub)
		e = p.Heap[parent].find(k)
	}
	if e.K == Arr {
		*v = *e
		return
	}
	name := p.Heap[parent].Name + `["` + k.text() + `"]`
	if e.K != Untyped && e.K != Unassigned {
		p.fatal("attempt to use scalar `%s' as an array", name)
	}
	n := p.newArray(name, 0)
	*p.Heap[parent].find(k) = Value{K: Arr, R: n}
	*v = Value{K: Arr, R: n}
}

// key makes a subscript of a value.
func (p *Program) key(v *Value) Key {
	if v.K == Num {
		if i := int32(v.N); float64(i) == v.N {
			return Key{I: i, Int: true}
		}
		return stringKey(numberText(v.N, p.conv.convfmt))
	}
	return stringKey(v.S)
}

// elem gives an element, which is made if it is not there. The pointer is good
// until the next change of the array.
func (p *Program) elem(array int32, sub *Value) *Value {
	k := p.key(sub)
	if v := p.Heap[array].find(k); v != nil {
		if v.K == Maybe {
			v.look()
		}
		return v
	}
	return p.addElem(array, k, sub)
}

func (p *Program) addElem(array int32, k Key, sub *Value) *Value {
	if !k.Int && sub.view {
		k.S = strings.Clone(k.S)
	}
	v, _ := p.Heap[array].add(k, p.c)
	p.Held += 64 + len(k.S)
	return v
}

// setElem stores into an element and keeps count of the bytes.
func (p *Program) setElem(v *Value, x Value) {
	if v.K == Arr {
		p.elemScalarError(v.R)
	}
	p.Held += len(x.S) - len(v.S)
	*v = p.keep(&x)
}

// put stores under a subscript of an array that holds no arrays.
func (p *Program) put(array int32, k Key, x Value) {
	v, isNew := p.Heap[array].add(k, p.c)
	if isNew {
		p.Held += 64 + len(k.S)
	}
	p.setElem(v, x)
	if p.Held-p.told > muchHeld {
		p.told = p.Held
		p.c.Hold(p.held())
	}
}

// muchHeld is how many bytes a single instruction puts into arrays before the machine is told: split can put very many.
const muchHeld = 4 << 20

// release frees arrays and all arrays in them.
func (p *Program) release(list []int32) {
	for len(list) > 0 {
		i := list[len(list)-1]
		list = list[:len(list)-1]
		a := &p.Heap[i]
		list = p.members(a, list)
		*a = Array{Home: dead}
		p.free = append(p.free, i)
		p.Held -= 200
	}
}

// members takes the bytes of an array's elements off the count and appends the arrays in it.
func (p *Program) members(a *Array, list []int32) []int32 {
	p.c.Charge(1)
	seen := 0
	off := func(v *Value) {
		if seen++; seen%many == 0 {
			p.c.Charge(many / 16)
		}
		p.Held -= len(v.S)
		if v.K == Arr {
			list = append(large.Extend(list, 1, p.c), v.R)
		}
	}
	p.Held -= 64 * a.Len()
	for i := range a.Table.Elems {
		e := &a.Table.Elems[i]
		p.Held -= len(e.Key)
		off(&e.Val)
	}
	for i := range a.Pairs.Links {
		l := &a.Pairs.Links[i]
		off(&l.Val[0])
		off(&l.Val[1])
	}
	for i := range a.Leaves {
		l := &a.Leaves[i]
		for j := range l.Val {
			off(&l.Val[j])
		}
	}
	return list
}

func (p *Program) clearArray(array int32) {
	list := p.members(&p.Heap[array], nil)
	p.Heap[array].clear()
	p.release(list)
}

func (p *Program) deleteElem(array int32, sub *Value) {
	k := p.key(sub)
	v, ok := p.Heap[array].remove(k)
	if !ok {
		return
	}
	p.Held -= 64 + len(k.S) + len(v.S)
	if v.K == Arr {
		p.release([]int32{v.R})
	}
}

// special is NF, NR or FNR.
func (p *Program) special(slot int32) Value {
	switch slot {
	case slotNF:
		return num(float64(p.nf()))
	case slotNR:
		return num(p.In.NR)
	}
	return num(p.In.FNR)
}

// setSpecial assigns a variable that acts when it is assigned.
func (p *Program) setSpecial(slot int32, v Value) {
	v = p.keep(&v)
	switch slot {
	case slotNF:
		p.setNF(v.num())
		return
	case slotNR:
		p.In.NR = v.num()
		return
	case slotFNR:
		p.In.FNR = v.num()
		return
	case slotFS, slotFIELDWIDTHS, slotFPAT, slotIGNORECASE, slotRS:
		p.splitAll() // the record was read under the old rules
	case slotOFS:
		p.field(0)
	}
	p.Globals[slot] = v
	switch slot {
	case slotFS, slotFIELDWIDTHS, slotFPAT:
		p.Rec.By = uint8(slot)
		if info := p.Globals[slotPROCINFO]; info.K == Arr {
			p.put(info.R, Key{S: "FS"}, str(specialNames[slot]))
		}
	}
	p.refresh()
}

// refresh reads the variables that say how to split and to format.
func (p *Program) refresh() {
	s := func(slot int) string { return text(&p.Globals[slot], "%.6g") }
	p.conv = formats{convfmt: s(slotCONVFMT), ofmt: s(slotOFMT), ofs: s(slotOFS), ors: s(slotORS),
		subsep: s(slotSUBSEP), rs: s(slotRS)}
	if len(p.conv.rs) == 1 && p.Globals[slotRS].K == Pattern {
		p.conv.rs = "(" + p.conv.rs + ")" // not the character itself
	}
	fold := p.Globals[slotIGNORECASE]
	if p.conv.fold = fold.truth(); p.conv.fold != p.split.fold {
		clear(p.regex)
		clear(p.cache)
	}
	p.setSplitter()
}

// storeAt stores into a field or an element; see the stack notes in op.go.
func (p *Program) storeAt(in instr) {
	n := 1
	if in.op == opStoreElem {
		n = 2
	}
	val, addr := p.top(n), p.Stack[p.sp-n:p.sp]
	if in.b&flagAddrFirst != 0 {
		val, addr = p.top(0), p.Stack[p.sp-n-1:p.sp-1]
	}
	v := *val
	if n == 1 {
		p.setField(p.fieldIndex(&addr[0]), v)
	} else {
		p.setElem(p.elem(addr[0].R, &addr[1]), v)
	}
	p.sp -= n
	if in.b&flagDrop != 0 {
		p.sp--
	} else {
		*p.top(0) = v
	}
}

// augment does op= on what run does not.
func (p *Program) augment(in instr) {
	switch in.op {
	case opAugLocal:
		v := p.local(in.a)
		if v.K >= Arr {
			p.localScalar(in.a)
		}
		*v = p.augmented(v, p.top(0), in.c)
		*p.top(0) = *v
	case opAugSpecial:
		old := p.readSpecial(in.a)
		x := p.augmented(&old, p.top(0), in.c)
		p.setSpecial(in.a, x)
		*p.top(0) = x
	case opAugField:
		i := p.fieldIndex(p.top(0))
		p.sp--
		x := p.augmented(p.field(i), p.top(0), in.c)
		p.setField(i, x)
		*p.top(0) = x
	case opAugElem:
		p.sp -= 2
		v := p.elem(p.top(-1).R, p.top(-2))
		if v.K == Arr {
			p.elemScalarError(v.R)
		}
		x := p.augmented(v, p.top(0), in.c)
		p.Held -= len(v.S)
		*v, *p.top(0) = x, x
	}
	p.dropIf(in.b)
}

func (p *Program) readSpecial(slot int32) Value {
	if slot <= slotFNR {
		return p.special(slot)
	}
	return p.Globals[slot]
}

// appendTo does x = x v.
func (p *Program) appendTo(in instr) {
	var v *Value
	switch in.op {
	case opAppendGlobal:
		v = &p.Globals[in.a]
		if v.K == Arr {
			p.scalarError(in.a)
		}
	case opAppendLocal:
		v = p.local(in.a)
		if v.K >= Arr {
			p.localScalar(in.a)
			*v = Value{}
		}
	default:
		p.sp -= 2
		v = p.elem(p.top(-1).R, p.top(-2))
		if v.K == Arr {
			p.elemScalarError(v.R)
		}
	}
	old, more := p.str(v), p.str(p.top(0))
	p.spend(len(more))
	if in.op == opAppendElem {
		p.Held += len(more)
	}
	*v = str(p.grow(old, more))
	*p.top(0) = *v
	p.dropIf(in.b)
}

// grow is s + more. A long s that was made by grow is not copied: its builder
// still has it, and room behind it.
func (p *Program) grow(s, more string) string {
	n := len(s) + len(more)
	p.fits(n)
	if n < 256 {
		return s + more
	}
	for i := range p.tails {
		// Comparing a string with itself looks at nothing but its address.
		if b := &p.tails[i]; b.Len() == len(s) && b.String() == s {
			if b.Cap()-b.Len() >= len(more) || n < large.Piece {
				b.WriteString(more)
				return b.String()
			}
			return p.roomy(b, s, more)
		}
	}
	p.spend(n)
	b := &p.tails[p.tail]
	p.tail = (p.tail + 1) % len(p.tails)
	return p.roomy(b, s, more)
}

// roomy makes s + more in b, with as much room behind it.
func (p *Program) roomy(b *strings.Builder, s, more string) string {
	*b = strings.Builder{}
	room := large.Roomier(len(s)+len(more), 0)
	if room > large.Piece { // who knows whether the other long ones are still used
		for i := range p.tails {
			if p.tails[i].Len() > large.Piece {
				p.tails[i] = strings.Builder{}
			}
		}
		large.Ask(p.c, room)
	}
	b.Grow(room)
	large.Write(b, s, p.c)
	large.Write(b, more, p.c)
	return b.String()
}

// increment does ++ and -- on what run does not.
func (p *Program) increment(in instr) {
	d := float64(int8(in.c))
	var old float64
	switch in.op {
	case opIncSpecial:
		v := p.readSpecial(in.a)
		old = v.num()
		p.setSpecial(in.a, num(old+d))
	case opIncField:
		i := p.fieldIndex(p.top(0))
		p.sp--
		old = p.field(i).num()
		p.setField(i, num(old+d))
	case opIncElem:
		p.sp -= 2
		v := p.elem(p.top(-1).R, p.top(-2))
		if v.K == Arr {
			p.elemScalarError(v.R)
		}
		old = v.num()
		p.Held -= len(v.S)
		*v = num(old + d)
	}
	if in.b&flagDrop != 0 {
		return
	}
	if in.b&flagPost == 0 {
		old += d
	}
	p.push(num(old))
}

// fieldIndex is a value as the number of a field.
func (p *Program) fieldIndex(v *Value) int {
	n := v.num()
	if n < 0 || math.IsNaN(n) {
		p.fatal("attempt to access field %d", int(n))
	}
	if n > maxNF {
		p.fatal("attempt to access field %s: the limit is %d", strconv.FormatFloat(n, 'f', 0, 64), maxNF)
	}
	return int(n)
}
