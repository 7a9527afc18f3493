package awk

import (
	"math"
	mathbits "math/bits"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/large"
)

// builtin carries out a built-in function: in.a arguments are replaced by the value.
func (p *Program) builtin(in instr) bool {
	n := int(in.a)
	if in.c == fnAsort || in.c == fnAsorti {
		p.answer()
	}
	args := p.Stack[p.sp-n : p.sp]
	var v Value
	switch in.c {
	case fnLength:
		v = num(p.length(&args[0]))
	case fnSubstr:
		v = p.substr(args)
	case fnIndex:
		v = num(float64(p.index(p.str(&args[0]), p.str(&args[1]))))
	case fnSplit:
		v = num(p.splitInto(args, false))
	case fnPatsplit:
		v = num(p.splitInto(args, true))
	case fnMatch:
		v = num(p.matchAt(args))
	case fnGensub:
		v = p.gensub(args)
	case fnSprintf:
		b := p.format(nil, args)
		p.spend(len(b))
		v = str(large.Text(b, p.c))
	case fnTolower, fnToupper:
		s := p.str(&args[0])
		p.spend(len(s))
		if in.c == fnTolower {
			v = str(p.inCase(s, strings.ToLower))
		} else {
			v = str(p.inCase(s, strings.ToUpper))
		}
	case fnClose, fnFflush, fnSystem:
		var ok bool
		if v, ok = p.control(in.c, args); !ok {
			return false
		}
	case fnStrftime, fnSystime, fnMktime:
		v = p.clock(in.c, args)
	case fnAsort, fnAsorti:
		x, ok := p.asort(args, in.c == fnAsorti)
		if !ok {
			return true // this instruction is run again
		}
		v = num(x)
	case fnAnd, fnOr, fnXor, fnLshift, fnRshift, fnCompl:
		v = num(p.bits(in.c, args))
	case fnTypeof:
		v = str(p.typeOf(&args[0]))
	case fnIsarray:
		v = boolean(p.root(&args[0]).K == Arr)
	case fnOrd, fnChr, fnReadfile, fnGettimeofday:
		v = p.extension(in.c, args)
	case fnMkbool:
		v = boolean(args[0].truth())
	default:
		v = num(p.math(in.c, args))
	}
	p.sp -= n
	p.push(v)
	return true
}

// length is that of an array or of a string in characters.
func (p *Program) length(v *Value) float64 {
	v = p.root(v)
	switch v.K {
	case Arr:
		return float64(p.Heap[v.R].Len())
	case Untyped:
		v.K = Unassigned
	}
	s := p.str(v)
	p.checkText(s)
	return float64(p.runes(s))
}

func (p *Program) substr(args []Value) Value {
	s := p.str(&args[0])
	start := max(math.Trunc(args[1].num()), 1)
	end := math.Inf(1)
	if len(args) > 2 {
		end = start + math.Trunc(args[2].num())
	}
	if math.IsNaN(start) || math.IsNaN(end) {
		return str("")
	}
	if start > float64(len(s)) || end <= start {
		return str("")
	}
	from := int(start) - 1
	n := len(s)
	if end-start < float64(n) {
		n = int(end - start)
	}
	switch most := min(len(s), from+n); {
	case most > large.Piece && !p.octets:
		s = s[p.offset(s, from):]
		s = s[:p.offset(s, n)]
	case p.octets || ascii(s[:most]):
		s = s[from:most]
	default:
		p.checkText(s)
		s = s[p.offset(s, from):]
		s = s[:p.offset(s, n)]
	}
	return Value{S: s, K: Str, view: true}
}

// index is the place of t in s in characters from 1, 0 if it is not there.
func (p *Program) index(s, t string) int {
	if p.conv.fold {
		s, t = p.foldCase(s), p.foldCase(t)
	}
	p.checkText(s)
	p.checkText(t)
	p.budget -= len(s) >> 8
	i := large.Index(s, t, p.c)
	for i >= 0 && !p.octets && (insideRune(s, i) || insideRune(s, i+len(t))) {
		next := large.Index(s[i+1:], t, p.c)
		if next < 0 {
			return 0
		}
		i += 1 + next
	}
	if i < 0 {
		return 0
	}
	return p.runes(s[:i]) + 1
}

// splitInto is split and patsplit: text, array, separator, array of separators.
func (p *Program) splitInto(args []Value, pattern bool) float64 {
	s := large.Clone(p.str(&args[0]), p.c)
	p.spend(len(s) * 4)
	var by splitter
	switch {
	case pattern:
		fpat := &p.Globals[slotFPAT]
		if len(args) > 2 && args[2].K != Untyped {
			fpat = &args[2]
		}
		by = splitter{mode: splitPattern, re: p.regexOf(fpat)}
	case len(args) > 2 && args[2].K != Untyped:
		by = p.separator(&args[2])
	default:
		by = p.separator(&p.Globals[slotFS])
	}
	if len(args) > 3 && args[3].R == args[1].R {
		p.fatal("split: cannot use the same array for second and fourth args")
	}
	array := args[1].R
	p.clearArray(array)
	seps := int32(-1)
	if len(args) > 3 {
		seps = args[3].R
		p.clearArray(seps)
	}
	n := int32(0)
	if seps >= 0 && by.mode == splitBlank {
		if lead := s[:len(s)-len(strings.TrimLeft(s, " \t\n"))]; lead != "" {
			p.put(seps, Key{I: 0, Int: true}, str(lead))
		}
	}
	if seps >= 0 && pattern {
		var loc [2]int
		if p.find(by.re, p.bytes(s), 0, loc[:]) {
			p.put(seps, Key{I: 0, Int: true}, str(s[:loc[0]]))
		} else {
			p.put(seps, Key{I: 0, Int: true}, str(s))
		}
	}
	last := "" // the separator behind field n
	p.cut(&by, s, func(field, sep string) {
		if seps >= 0 && n > 0 {
			p.put(seps, Key{I: n, Int: true}, str(last))
		}
		if n++; n%many == 0 {
			p.c.Charge(2 * many)
		}
		p.put(array, Key{I: n, Int: true}, Value{S: field, K: Maybe})
		last = sep
	})
	if seps >= 0 && n > 0 && (pattern || by.mode == splitBlank && last != "") {
		p.put(seps, Key{I: n, Int: true}, str(last))
	}
	return float64(n)
}

// matchAt is match: it sets RSTART and RLENGTH, and the array if one is given.
func (p *Program) matchAt(args []Value) float64 {
	s := p.str(&args[0])
	re := p.regexOf(&args[1])
	b := p.bytes(s)
	var short [2]int
	loc := short[:]
	if len(args) > 2 {
		loc = make([]int, 2*(re.NumSubexp()+1))
	}
	ok := p.find(re, b, 0, loc)
	start, length := 0, -1
	if ok {
		p.checkText(s)
		start = p.runes(s[:loc[0]]) + 1
		length = p.runes(s[loc[0]:loc[1]])
	}
	if len(args) > 2 {
		array := args[2].R
		s = large.Clone(s, p.c)
		p.clearArray(array)
		for i := 0; ok && i < len(loc)/2; i++ {
			from, to := loc[2*i], loc[2*i+1]
			if from < 0 {
				continue
			}
			name := itoa(i)
			p.put(array, stringKey(name), Value{S: s[from:to], K: Maybe})
			p.put(array, Key{S: name + p.conv.subsep + "start"}, num(float64(p.runes(s[:from])+1)))
			p.put(array, Key{S: name + p.conv.subsep + "length"}, num(float64(p.runes(s[from:to]))))
		}
	}
	p.Globals[slotRSTART] = num(float64(start))
	p.Globals[slotRLENGTH] = num(float64(length))
	return float64(start)
}

// control is close, fflush and system. It is false while a child is waited for.
func (p *Program) control(fn uint8, args []Value) (Value, bool) {
	switch fn {
	case fnClose:
		how := ""
		if len(args) > 1 {
			how = p.str(&args[1])
		}
		n, ok := p.closeNamed(p.str(&args[0]), how)
		return num(n), ok
	case fnFflush:
		if len(args) == 0 || p.str(&args[0]) == "" {
			p.flushAll()
			return num(0), true
		}
		name := p.str(&args[0])
		if name == "/dev/stdout" || name == "/dev/stderr" {
			p.flushOut()
			return num(0), true
		}
		for i := range p.Streams {
			if s := &p.Streams[i]; s.Name == name && s.FD != 0 {
				p.flush(s)
				p.flushOut()
				return num(0), true
			}
		}
		p.warn("fflush: `%s' is not an open file, pipe or co-process", name)
		return num(-1), true
	}
	if p.Child == 0 {
		p.flushAll()
		pid, err := p.c.Spawn(cmd.Spawn{Argv: []string{"sh", "-c", p.str(&args[0])}, Env: p.environ(), Stdout: p.editing()})
		if err != nil {
			return num(-1), true
		}
		p.Child = pid
	}
	status, ok := p.ended(p.Child)
	if ok {
		p.Child = 0
	}
	return num(float64(status)), ok
}

// math is the numeric functions.
func (p *Program) math(fn uint8, args []Value) float64 {
	x := 0.0
	if len(args) > 0 {
		x = args[0].num()
	}
	switch fn {
	case fnInt:
		return math.Trunc(x)
	case fnSqrt:
		if x < 0 {
			p.warn("sqrt: received negative argument %s", numberText(x, "%.6g"))
			return math.Copysign(math.NaN(), -1)
		}
		return math.Sqrt(x)
	case fnExp:
		r := math.Exp(x)
		if (math.IsInf(r, 0) || r == 0) && !math.IsInf(x, 0) {
			p.warn("exp: argument %s is out of range", numberText(x, "%.6g"))
		}
		return r
	case fnLog:
		if x < 0 {
			p.warn("log: received negative argument %s", numberText(x, "%.6g"))
			return math.Copysign(math.NaN(), -1)
		}
		return math.Log(x)
	case fnSin:
		return math.Sin(x)
	case fnCos:
		return math.Cos(x)
	case fnAtan2:
		return math.Atan2(x, args[1].num())
	case fnRand:
		return p.Rand.next()
	case fnSrand:
		if len(args) == 0 {
			x = float64(p.c.Now() / 1e9)
		}
		return p.Rand.reseed(x)
	case fnStrtonum:
		return strtonum(&args[0])
	}
	p.fatal("built-in function %d is not there", fn)
	return 0
}

// strtonum reads a number as in program text: 0x and 0 prefixes count.
func strtonum(v *Value) float64 {
	if v.K == Num || v.K == Strnum {
		return v.N
	}
	s := v.S // a prefix counts at the very beginning only
	n := 0.0
	switch {
	case len(s) > 2 && s[0] == '0' && s[1]|32 == 'x' && isHex(s[2]):
		for i := 2; i < len(s) && isHex(s[i]); i++ {
			n = n*16 + float64(hexValue(s[i]))
		}
	case len(s) > 1 && s[0] == '0' && isDigit(s[1]):
		i := 1
		for i < len(s) && s[i] >= '0' && s[i] <= '7' {
			n = n*8 + float64(s[i]-'0')
			i++
		}
		if i < len(s) && (s[i] == '8' || s[i] == '9' || s[i] == '.' || s[i]|32 == 'e') {
			return leadingNumber(s)
		}
	default:
		return leadingNumber(s)
	}
	return n
}

var bitNames = map[uint8]string{fnAnd: "and", fnOr: "or", fnXor: "xor", fnLshift: "lshift", fnRshift: "rshift", fnCompl: "compl"}

// bits is the functions on bits: integers up to 2^53.
func (p *Program) bits(fn uint8, args []Value) float64 {
	var r uint64
	for i := range args {
		x := args[i].num()
		if x < 0 {
			if fn == fnAnd || fn == fnOr || fn == fnXor {
				p.fatal("%s: argument %d negative value %s is not allowed", bitNames[fn], i+1, numberText(x, "%.6g"))
			}
			if fn == fnCompl {
				p.fatal("compl(%.6f): negative value is not allowed", x)
			}
			p.fatal("%s(%.6f, %.6f): negative values are not allowed", bitNames[fn], args[0].num(), args[1].num())
		}
		u := uint64(min(x, 1<<63))
		switch {
		case fn == fnCompl:
			return truncated(^u)
		case i == 0:
			r = u
		case fn == fnAnd:
			r &= u
		case fn == fnOr:
			r |= u
		case fn == fnXor:
			r ^= u
		case fn == fnLshift:
			r <<= min(u, 64)
		case fn == fnRshift:
			r >>= min(u, 64)
		}
	}
	return truncated(r)
}

// truncated keeps the lowest bits that a number holds exactly, as gawk does.
func truncated(u uint64) float64 {
	if low := mathbits.TrailingZeros64(u); low < 11 {
		u &= 1<<(53+low) - 1
	}
	return float64(u)
}

// typeOf is typeof's word.
func (p *Program) typeOf(v *Value) string {
	v = p.root(v)
	if v.K == Maybe {
		v.look()
	}
	switch v.K {
	case Str:
		if v.R == isAbsent && v.S == "" {
			return "unassigned"
		}
	case Untyped:
		return "untyped"
	case Unassigned:
		return "unassigned"
	case Num:
		return "number"
	case Strnum:
		return "strnum"
	case Pattern:
		return "regexp"
	case Arr:
		return "array"
	}
	return "string"
}
