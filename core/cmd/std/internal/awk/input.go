package awk

import (
	"math"
	"strings"

	"eryxsh/vfs"
)

// Input is the main input: the files of ARGV one after the other.
type Input struct {
	Reader
	Arg   int     `cbor:"11,keyasint,omitempty"` // index in ARGV of the last operand taken
	Used  bool    `cbor:"12,keyasint,omitempty"` // an operand named a file
	NR    float64 `cbor:"14,keyasint"`
	FNR   float64 `cbor:"15,keyasint"`
	Stage Stage   `cbor:"16,keyasint,omitempty"`
	Bad   string  `cbor:"17,keyasint,omitempty"` // why the file cannot be opened, while BEGINFILE runs
	// InPlace is -i inplace: what is printed replaces the file; Temp is the new file, "" if none is written.
	InPlace bool   `cbor:"18,keyasint,omitempty"`
	Temp    string `cbor:"19,keyasint,omitempty"`
	Edited  string `cbor:"20,keyasint,omitempty"` // the file it replaces
}

// Stage is where the main input stands between two records.
type Stage uint8

// The stages.
const (
	NeedFile   Stage = iota // the next operand is to be taken
	AfterBegin              // BEGINFILE has been started
	Reading
	AfterEnd // ENDFILE has been started
)

// mainRecord makes the next record of the main input $0, or goes to END.
func (p *Program) mainRecord(end int32) bool {
	p.sp = 0
	rec, how := p.nextMain()
	switch how {
	case gotRecord:
		p.setRecord(input(rec))
	case gotBlocked:
		return false
	case gotCall:
	default:
		p.Phase = InEnd
		p.jump(end)
	}
	return true
}

// nextMain reads a record of the main input, going from file to file.
func (p *Program) nextMain() (string, got) {
	in := &p.In
	for {
		switch in.Stage {
		case NeedFile:
			if !p.openNext() {
				p.replaceFile()
				return "", gotEOF
			}
			in.Stage = AfterBegin
			if in.InPlace {
				p.replaceFile()
				p.edit()
			}
			if p.code.beginFile >= 0 {
				p.fileFrame(p.code.beginFile)
				return "", gotCall
			}
		case AfterBegin:
			if in.Bad != "" {
				name, why := p.Globals[slotFILENAME].S, in.Bad
				in.Bad, in.FNR = "", 0
				p.flushOut()
				p.c.Errorf("fatal: cannot open file `%s' for reading: %s", name, why)
				panic(abort{2})
			}
			in.Stage = Reading
		case Reading:
			rec, rt, how, err := p.record(&in.Reader)
			switch how {
			case gotRecord:
				in.NR++
				in.FNR++
				p.setRT(rt)
				return rec, gotRecord
			case gotBlocked:
				return "", gotBlocked
			case gotError:
				p.warn("error reading input file `%s': %s", p.Globals[slotFILENAME].S, err)
				p.Status = 2
			}
			p.endFile()
			if p.code.endFile >= 0 {
				p.fileFrame(p.code.endFile)
				return "", gotCall
			}
		case AfterEnd:
			in.Stage = NeedFile
		}
	}
}

func (p *Program) setRT(rt string) {
	if p.code.usesRT {
		p.Globals[slotRT] = str(strings.Clone(rt))
	}
}

// endFile closes the current file of the main input.
func (p *Program) endFile() {
	if p.In.FD != 0 {
		p.c.Close(p.In.FD)
	}
	p.In.Reader = Reader{}
	p.In.Stage = AfterEnd
}

// fileFrame calls the BEGINFILE or ENDFILE rules; the current instruction runs again after them.
func (p *Program) fileFrame(entry int32) {
	p.room(len(p.code.ins) + 16)
	p.Frames = append(p.Frames, Frame{Return: p.PC, Base: int32(p.sp), Iters: int32(len(p.Iters)), Func: -1})
	p.jump(entry)
}

// openNext takes operands until one is a file that can be read.
func (p *Program) openNext() bool {
	in := &p.In
	argv := p.Globals[slotARGV]
	for argv.K == Arr && in.Arg < math.MaxInt32 {
		// Look for the next subscript that is there: ARGC may be any number.
		next := int32(math.MaxInt32)
		p.Heap[argv.R].each(p.c, func(k Key, _ *Value) {
			if k.Int && int(k.I) > in.Arg {
				next = min(next, k.I)
			}
		})
		v := p.Heap[argv.R].find(Key{I: next, Int: true})
		if v == nil || float64(next) >= p.Globals[slotARGC].num() {
			break
		}
		in.Arg = int(next)
		arg := p.str(v)
		if arg == "" || p.assignOperand(arg) {
			continue
		}
		in.Used = true
		p.Globals[slotARGIND] = num(float64(in.Arg))
		if p.openMain(arg) {
			return true
		}
	}
	if in.Used {
		return false
	}
	in.Used = true
	in.Reader = Reader{FD: 0}
	p.Globals[slotFILENAME] = str("-")
	in.FNR = 0
	return true
}

// openMain opens a file of the main input. A directory is skipped, as in gawk.
func (p *Program) openMain(name string) bool {
	in := &p.In
	fd, bad := 0, ""
	if name != "-" && name != "/dev/stdin" {
		var err error
		fd, err = p.c.Open(name, vfs.O_RDONLY, 0)
		if err != nil {
			bad = err.Error()
		} else if st, err := p.c.Fstat(fd); err == nil && st.Mode.IsDir() {
			p.c.Close(fd)
			if p.code.beginFile < 0 {
				p.flushOut()
				p.c.Errorf("warning: command line argument `%s' is a directory: skipped", name)
				return false
			}
			fd, bad = 0, vfs.EISDIR.Error()
		}
	}
	if bad != "" && p.code.beginFile < 0 {
		p.flushOut()
		p.c.Errorf("fatal: cannot open file `%s' for reading: %s", name, bad)
		panic(abort{2})
	}
	in.Reader = Reader{FD: fd}
	in.Bad = bad
	p.Globals[slotFILENAME] = Value{K: Str, S: name}
	p.Globals[slotERRNO] = str(bad)
	in.FNR = 0
	return true
}

// assignOperand carries out an operand var=value. It is false if arg is not one.
func (p *Program) assignOperand(arg string) bool {
	name, value, ok := strings.Cut(arg, "=")
	if !ok || name == "" || !isLetter(name[0]) {
		return false
	}
	for i := 0; i < len(name); i++ {
		if !isLetter(name[i]) && !isDigit(name[i]) && name != "inplace::suffix" {
			return false
		}
	}
	p.assignVariable(name, value)
	return true
}

// assignVariable is -v and operands: the value may look like a number.
func (p *Program) assignVariable(name, value string) {
	for _, f := range p.code.funcs {
		if f.name == name {
			p.c.Errorf("fatal: cannot use function name `%s' as variable name", name)
			panic(abort{2})
		}
	}
	if _, ok := p.code.slots[name]; !ok {
		p.Extra = append(p.Extra, name)
	}
	slot := p.slotOf(name)
	for len(p.Globals) <= slot {
		p.Globals = append(p.Globals, Value{})
	}
	v := Value{S: unescape(value, p.oddOption), K: Maybe}
	if n := len(value) - 1; n > 2 && value[:2] == "@/" && value[n] == '/' {
		v = Value{S: value[2:n], K: Pattern}
	}
	if p.Globals[slot].K == Arr {
		p.scalarError(int32(slot))
	}
	if slot < slotPlain {
		p.setSpecial(int32(slot), v)
	} else {
		p.Globals[slot] = v
	}
}

// nextFile goes on with the next file.
func (p *Program) nextFile() bool {
	if p.Phase != InMain && p.In.Stage != AfterBegin {
		p.fatal("`nextfile' cannot be called from a `%s' rule", p.phaseName())
	}
	bad := p.In.Bad != ""
	p.In.Bad = ""
	p.unwind()
	p.endFile()
	p.jump(p.code.main)
	if bad {
		p.In.Stage = NeedFile
	} else if p.code.endFile >= 0 {
		p.PC = p.code.main
		p.fileFrame(p.code.endFile)
	}
	return true
}

// getline reads a record by one of the forms of getline. The stack is
//
//	[file or command] [address of the variable]
//
// After a record: with a variable (in.a >= 0) the record lies on top for the
// store that follows; without one $0 is set and the answer replaces the operand.
// Otherwise the operands go, the answer comes, and the store is jumped over.
func (p *Program) getline(in instr) bool {
	size := int(in.b)
	if size == 2 {
		p.elem(p.top(1).R, p.top(0)) // the element is made even if nothing is read
	}
	var rec string
	var how got
	if in.c == redirNone {
		rec, how = p.nextMain()
	} else {
		name := p.str(p.top(size))
		rec, how = p.nextFrom(in.c, name)
	}
	switch how {
	case gotBlocked:
		return false
	case gotCall:
		return true
	case gotRecord:
		if in.a >= 0 {
			p.push(input(rec))
			return true
		}
		p.setRecord(input(rec))
	}
	p.sp -= size
	if in.c != redirNone {
		p.sp--
	}
	switch how {
	case gotRecord:
		p.push(num(1))
	case gotEOF:
		p.push(num(0))
	default:
		p.push(num(-1))
	}
	if in.a >= 0 {
		p.jump(in.a)
	}
	return true
}
