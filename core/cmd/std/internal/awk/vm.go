package awk

import (
	"math"
	"strconv"

	"eryxsh/core/large"
)

func itoa(n int) string { return strconv.Itoa(n) }

// run carries out instructions until the turn is used up or something blocks.
// Operations that block or are rare are methods: they find their operands at
// p.sp, and those that block answer false and leave the stack as it is.
func (p *Program) run() {
	pc, sp, budget := p.PC, p.sp, p.budget
	ins, st := p.code.ins, p.Stack
	for budget > 0 {
		budget--
		in := ins[pc]
		pc++
		switch in.op {
		case opConst:
			st[sp] = p.code.consts[in.a]
			sp++
		case opGlobal:
			v := &p.Globals[in.a]
			if v.K == Arr {
				p.PC = pc - 1
				p.scalarError(in.a)
			}
			switch v.K {
			case Maybe:
				v.look()
			case Untyped:
				v.K = Unassigned // it can no longer become an array
			}
			st[sp] = *v
			sp++
		case opLocal:
			v := p.local(in.a)
			if v.K >= Arr || v.K == Untyped {
				p.PC = pc - 1
				st[sp] = p.localScalar(in.a)
			} else {
				st[sp] = *v
			}
			sp++
		case opField:
			v := p.field(int(in.a))
			st[sp] = *v
			sp++
		case opPop:
			sp--
		case opSetTop:
			st[sp-1] = p.code.consts[in.a]
		case opArith:
			sp--
			x, y := &st[sp-1], &st[sp]
			a, b := x.num(), y.num()
			switch in.c {
			case '+':
				a += b
			case '-':
				a -= b
			case '*':
				a *= b
			default:
				p.PC = pc - 1
				a = p.divide(in.c, a, b, "")
			}
			*x = Value{K: Num, N: a}
		case opCompare:
			sp--
			st[sp-1] = boolean(p.compare(&st[sp-1], &st[sp], in.c))
		case opJumpCompare:
			sp -= 2
			if !p.compare(&st[sp], &st[sp+1], in.c) {
				pc = in.a
			}
		case opJump:
			pc = in.a
		case opJumpFalse:
			sp--
			if !st[sp].truth() {
				pc = in.a
			}
		case opJumpTrue:
			sp--
			if st[sp].truth() {
				pc = in.a
			}
		case opAnd:
			if st[sp-1].truth() {
				sp--
			} else {
				st[sp-1] = num(0)
				pc = in.a
			}
		case opOr:
			if st[sp-1].truth() {
				st[sp-1] = num(1)
				pc = in.a
			} else {
				sp--
			}
		case opBool:
			st[sp-1] = boolean(st[sp-1].truth())
		case opNot:
			st[sp-1] = boolean(!st[sp-1].truth())
		case opNeg:
			st[sp-1] = num(-st[sp-1].num())
		case opPlus:
			st[sp-1] = num(st[sp-1].num())
		case opMatchRecord:
			p.PC = pc - 1
			st[sp] = boolean(p.match(p.regex1(in.a), p.field(0).S))
			sp++
		case opStoreGlobal:
			v := &p.Globals[in.a]
			if v.K == Arr {
				p.PC = pc - 1
				p.scalarError(in.a)
			}
			*v = p.keep(&st[sp-1])
			if in.b&flagDrop != 0 {
				sp--
			} else {
				st[sp-1] = *v
			}
		case opStoreLocal:
			v := p.local(in.a)
			if v.K >= Arr {
				p.PC = pc - 1
				p.localScalar(in.a)
			}
			*v = p.keep(&st[sp-1])
			if in.b&flagDrop != 0 {
				sp--
			} else {
				st[sp-1] = *v
			}
		case opIncGlobal:
			v := &p.Globals[in.a]
			if v.K == Arr {
				p.PC = pc - 1
				p.scalarError(in.a)
			}
			old := v.num()
			*v = Value{K: Num, N: old + float64(int8(in.c))}
			if in.b&flagDrop == 0 {
				st[sp] = *v
				if in.b&flagPost != 0 {
					st[sp].N = old
				}
				sp++
			}
		case opIncLocal:
			v := p.local(in.a)
			if v.K >= Arr {
				p.PC = pc - 1
				p.localScalar(in.a)
			}
			old := v.num()
			*v = Value{K: Num, N: old + float64(int8(in.c))}
			if in.b&flagDrop == 0 {
				st[sp] = *v
				if in.b&flagPost != 0 {
					st[sp].N = old
				}
				sp++
			}
		case opAugGlobal:
			v := &p.Globals[in.a]
			p.PC = pc - 1
			if v.K == Arr {
				p.scalarError(in.a)
			}
			*v = p.augmented(v, &st[sp-1], in.c)
			st[sp-1] = *v
			if in.b&flagDrop != 0 {
				sp--
			}
		case opArr:
			at := sp
			if in.b != 0 {
				at--
				st[sp] = st[at]
			}
			st[at] = p.Globals[in.a]
			if st[at].K != Arr {
				p.PC = pc - 1
				st[at] = p.arrayAt(-1 - in.a)
			}
			sp++
		case opElem:
			sp--
			p.PC = pc - 1
			st[sp-1] = *p.elem(st[sp-1].R, &st[sp])
			if st[sp-1].K == Arr {
				p.elemScalarError(st[sp-1].R)
			}
		case opConcat:
			p.sp, p.budget = sp, budget
			p.concat(int(in.a))
			sp, budget = p.sp, p.budget
		case opForNext:
			it := &p.Iters[len(p.Iters)-1]
			if it.Pos == len(it.Keys) {
				pc = in.a
				break
			}
			st[sp] = it.Keys[it.Pos]
			it.Pos++
			sp++
		case opForPop:
			p.Iters = p.Iters[:len(p.Iters)-1]
		case opRangeOn:
			if p.Ranges[in.b] {
				pc = in.a
			}
		case opRangeSet:
			p.Ranges[in.b] = in.a != 0
		default:
			p.PC, p.sp, p.budget = pc-1, sp, budget
			if !p.slow(in) {
				return
			}
			pc, sp, budget = p.PC+1, p.sp, p.budget
			st = p.Stack
		}
	}
	p.PC, p.sp, p.budget = pc, sp, budget
}

// jump makes the next instruction the one at an address; only for slow operations.
func (p *Program) jump(to int32) { p.PC = to - 1 }

// slow carries out the instructions that are not in run. It is false when the
// instruction is to be run again in a later turn.
func (p *Program) slow(in instr) bool {
	switch in.op {
	case opSpecial:
		p.push(p.special(in.a))
	case opFieldDyn:
		v := p.field(p.fieldIndex(p.top(0)))
		*p.top(0) = *v
	case opElemArg:
		p.sp--
		*p.top(0) = p.elemArgument(p.top(0).R, &p.Stack[p.sp])
	case opPeekField:
		p.push(*p.field(p.fieldIndex(p.top(0))))
	case opPeekElem:
		v := *p.elem(p.top(1).R, p.top(0))
		if v.K == Arr {
			p.elemScalarError(v.R)
		}
		p.push(v)
	case opArrLocal:
		p.push(p.arrayAt(p.Frames[len(p.Frames)-1].Base + in.a))
		if in.b != 0 {
			*p.top(0), *p.top(1) = *p.top(1), *p.top(0)
		}
	case opSubArr:
		p.sp--
		p.subArray(p.top(0), &p.Stack[p.sp])
	case opArgGlobal, opArgLocal:
		p.argument(in)
	case opSubsep:
		p.subsep(int(in.a))
	case opStoreSpecial:
		p.setSpecial(in.a, *p.top(0))
		p.dropIf(in.b)
	case opStoreField, opStoreElem:
		p.storeAt(in)
	case opAugLocal, opAugSpecial, opAugField, opAugElem:
		p.augment(in)
	case opIncSpecial, opIncField, opIncElem:
		p.increment(in)
	case opAppendGlobal, opAppendLocal, opAppendElem:
		p.appendTo(in)
	case opMatch:
		p.sp--
		re := p.regexOf(p.top(-1))
		*p.top(0) = boolean(p.match(re, p.str(p.top(0))) != (in.b != 0))
	case opIn:
		p.sp--
		*p.top(0) = boolean(p.Heap[p.top(-1).R].find(p.key(p.top(0))) != nil)
	case opDelElem:
		p.sp -= 2
		p.deleteElem(p.Stack[p.sp].R, &p.Stack[p.sp+1])
	case opDelArr:
		p.sp--
		p.clearArray(p.Stack[p.sp].R)
	case opCase:
		p.caseOf(in)
	case opForIn:
		p.forIn()
	case opCall:
		p.call(in.a, int(in.b))
	case opIndirect:
		p.indirect(int(in.b))
	case opReturn:
		p.doReturn()
	default:
		return p.flow(in)
	}
	return true
}

// flow carries out what steers the program or does input and output.
func (p *Program) flow(in instr) bool {
	switch in.op {
	case opNext:
		if p.Phase != InMain || p.fileRule() {
			p.fatal("`next' cannot be called from a `%s' rule", p.phaseName())
		}
		p.unwind()
		p.jump(p.code.main)
	case opNextFile:
		return p.nextFile()
	case opExit:
		p.exit(in.b != 0)
	case opBegun:
		if in.b != 0 {
			p.close()
			return false
		}
		p.Phase = InMain
	case opMain:
		return p.mainRecord(in.a)
	case opEndRule:
		p.close()
		return false
	case opGetline:
		return p.getline(in)
	case opPrint, opPrintf:
		return p.print(in)
	case opBuiltin:
		return p.builtin(in)
	case opSub:
		p.substitute(in)
	}
	return true
}

func (p *Program) phaseName() string {
	if p.fileRule() && p.In.Stage == AfterBegin {
		return "BEGINFILE"
	} else if p.fileRule() {
		return "ENDFILE"
	}
	if p.Phase == InBegin {
		return "BEGIN"
	}
	return "END"
}

// fileRule reports whether a BEGINFILE or ENDFILE rule runs.
func (p *Program) fileRule() bool {
	for i := range p.Frames {
		if p.Frames[i].Func < 0 {
			return true
		}
	}
	return false
}

// unwind drops calls and lists that next and exit leave behind.
func (p *Program) unwind() {
	for len(p.Frames) > 0 {
		p.popFrame()
	}
	p.Iters, p.Sorts = p.Iters[:0], nil
	p.sp = 0
}

// exit runs END, or ends the program from END.
func (p *Program) exit(status bool) {
	if status {
		p.Status = int(int64(p.top(0).num())) & 255
	}
	p.unwind()
	p.replaceFile()
	if p.Phase == InEnd || p.code.endRules() == 0 {
		p.jump(int32(len(p.code.ins)) - 1)
		return
	}
	p.Phase = InEnd
	p.jump(p.code.end)
}

// endRules is how many instructions END has.
func (c *code) endRules() int { return len(c.ins) - 1 - int(c.end) }

func (p *Program) top(i int) *Value { return &p.Stack[p.sp-1-i] }

func (p *Program) push(v Value) {
	p.Stack[p.sp] = v
	p.sp++
}

func (p *Program) dropIf(flags int32) {
	if flags&flagDrop != 0 {
		p.sp--
	}
}

// str is a value as a string, by CONVFMT.
func (p *Program) str(v *Value) string { return text(v, p.conv.convfmt) }

// compare tells whether a and b stand in the relation c.
func (p *Program) compare(a, b *Value, c uint8) bool {
	var less, equal bool
	if a.numeric() && b.numeric() {
		x, y := a.N, b.N
		if math.IsNaN(x) || math.IsNaN(y) {
			// gawk puts NaN above every number.
			xn, yn := math.IsNaN(x), math.IsNaN(y)
			less, equal = !xn && yn, xn && yn
		} else {
			less, equal = x < y, x == y
		}
	} else {
		s, t := p.str(a), p.str(b)
		if p.conv.fold {
			s, t = p.foldCase(s), p.foldCase(t)
		}
		less, equal = s < t, s == t
	}
	switch c {
	case cmpLT:
		return less
	case cmpLE:
		return less || equal
	case cmpEQ:
		return equal
	case cmpNE:
		return !equal
	case cmpGE:
		return !less
	}
	return !less && !equal
}

// divide does the operators that can fail or are rare.
func (p *Program) divide(op uint8, a, b float64, assign string) float64 {
	if b == 0 && (op == '/' || op == '%') {
		switch {
		case assign != "":
			p.fatal("division by zero attempted in `%c='", op)
		case op == '%':
			p.fatal("division by zero attempted in `%%'")
		}
		p.fatal("division by zero attempted")
	}
	return arith(op, a, b)
}

// augmented is the value of v op= x.
func (p *Program) augmented(v, x *Value, op uint8) Value {
	a, b := v.num(), x.num()
	switch op {
	case '+':
		a += b
	case '-':
		a -= b
	case '*':
		a *= b
	default:
		a = p.divide(op, a, b, "=")
	}
	return Value{K: Num, N: a}
}

// maxString is the longest string a program may make.
const maxString = 1 << 28

// spend counts n bytes of work against the turn.
func (p *Program) spend(n int) {
	p.budget -= n >> 4
	p.fits(n)
}

// fits ends the program if a text of n bytes is too long to be made.
func (p *Program) fits(n int) {
	if n > maxString {
		p.fatal("string too long (limit %d bytes)", maxString)
	}
}

// concat joins the n values on top.
func (p *Program) concat(n int) {
	vs := p.Stack[p.sp-n : p.sp]
	p.sp -= n - 1
	if n == 2 {
		s, t := p.str(&vs[0]), p.str(&vs[1])
		p.spend(len(s) + len(t))
		if len(s)+len(t) > large.Piece {
			vs[0] = str(large.Join([]string{s, t}, "", p.c))
		} else {
			vs[0] = str(s + t)
		}
		return
	}
	size := 0
	for i := range vs {
		if vs[i].K == Num {
			vs[i] = str(p.str(&vs[i]))
		}
		size += len(vs[i].S)
	}
	p.spend(size)
	b := make([]byte, 0, size)
	for i := range vs {
		b = large.Push(b, vs[i].S, p.c)
	}
	vs[0] = str(large.Text(b, p.c))
}

// subsep joins the n subscripts on top.
func (p *Program) subsep(n int) {
	vs := p.Stack[p.sp-n : p.sp]
	p.sp -= n - 1
	b := p.text[:0]
	for i := range vs {
		if i > 0 {
			b = append(b, p.conv.subsep...)
		}
		if vs[i].K == Num {
			b = appendNumber(b, vs[i].N, p.conv.convfmt)
		} else {
			b = append(b, vs[i].S...)
		}
		p.fits(len(b))
	}
	p.text = b
	p.spend(len(b))
	vs[0] = str(string(b))
}

// caseOf tests the value of a switch against one case.
func (p *Program) caseOf(in instr) {
	k := p.code.consts[in.b]
	var ok bool
	if k.K == Pattern {
		ok = p.match(p.regexOf(&k), p.str(p.top(0)))
	} else {
		ok = p.top(0).numeric() == (k.K == Num) && p.compare(p.top(0), &k, cmpEQ)
	}
	if ok {
		p.sp--
		p.jump(in.a)
	}
}
