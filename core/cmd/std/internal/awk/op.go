package awk

// opcode is what an instruction does. Stack effects are written (before -- after), top last.
type opcode uint8

const (
	opNop       opcode = iota
	opConst            // ( -- consts[A])
	opGlobal           // ( -- v)
	opLocal            // ( -- v)
	opSpecial          // ( -- NF, NR or FNR)
	opField            // ( -- $A)
	opFieldDyn         // (i -- $i)
	opElem             // (arr sub -- v)
	opElemArg          // the same, but a subarray may come out
	opPeekField        // (i -- i $i)
	opPeekElem         // (arr sub -- arr sub v)
	opArr              // ( -- arr) global A
	opArrLocal         // ( -- arr) local A
	opSubArr           // (arr sub -- arr)
	opArgGlobal        // ( -- v) by reference if it is or may become an array
	opArgLocal
	opSubsep // (v1 … vA -- s)
	opPop
	opSetTop // (v -- consts[A])

	// Stores: B holds the store flags. (val addr… -- val), with addrFirst (addr… val -- val).
	opStoreGlobal
	opStoreLocal
	opStoreSpecial
	opStoreField
	opStoreElem
	// Augmented: (val addr… -- val); C is the operator.
	opAugGlobal
	opAugLocal
	opAugSpecial
	opAugField
	opAugElem
	// Increments: (addr… -- val); C is 1 or -1 as uint8, B may hold flagPost.
	opIncGlobal
	opIncLocal
	opIncSpecial
	opIncField
	opIncElem

	// x = x v and a[i] = a[i] v, without a copy of the old text: (v addr… -- val). B: flags.
	opAppendGlobal
	opAppendLocal
	opAppendElem

	opArith // (a b -- a·b) C is the operator
	opNeg
	opPlus
	opNot
	opBool
	opCompare     // (a b -- bool) C is the comparison
	opJumpCompare // (a b -- ) jump to A if the comparison C does not hold
	opConcat      // (v1 … vA -- s)
	opMatchRecord // ( -- bool) $0 ~ regex A
	opMatch       // (s re -- bool) B: negated
	opIn          // (sub arr -- bool)
	opDelElem     // (arr sub -- )
	opDelArr      // (arr -- )

	opJump
	opJumpFalse // (v -- )
	opJumpTrue  // (v -- )
	opAnd       // (v -- 0) and jump if false, else (v -- )
	opOr        // (v -- 1) and jump if true, else (v -- )
	opCase      // (v -- ) and jump to A if v is consts[B], else (v -- v)
	opRangeOn   // jump to A if range B is active
	opRangeSet  // range B becomes A != 0

	opForIn   // (arr -- )
	opForNext // ( -- key), or jump to A at the end
	opForPop

	opCall     // (args… -- ) function A with B arguments
	opIndirect // (name args… -- ) B arguments
	opReturn   // (v -- )
	opNext
	opNextFile
	opExit    // B: with a status (v -- )
	opMain    // read a record, or jump to A at the end of input
	opEndRule // all of END is done
	opBegun   // BEGIN is done: jump to A if there is nothing to read input for

	opGetline // see getline.go
	opPrint   // (args… [target] -- ) A arguments, C redirection
	opPrintf
	opBuiltin // (args… -- v) builtin C, A arguments
	opSub     // (re repl [addr…] target -- re repl addr new) or jump to A with (… -- 0)
)

// Flags in B of stores and increments.
const (
	flagDrop      = 1 // leave nothing on the stack
	flagAddrFirst = 2
	flagPost      = 4
)

// instr is one instruction.
type instr struct {
	op   opcode
	c    uint8
	a, b int32
}

// Comparisons, in C of opCompare.
const (
	cmpLT = iota
	cmpLE
	cmpEQ
	cmpNE
	cmpGE
	cmpGT
)

// code is a compiled program. It is never saved: the source is.
type code struct {
	ins     []instr
	lines   []int32 // per instruction: line<<8 | unit
	consts  []Value
	regex   []string // constant regular expressions
	regexAt []int32  // the instruction that uses each first
	funcs   []funcCode
	names   []string // of globals
	slots   map[string]int
	ranges  int
	units   []Unit
	warn    []string

	main, end          int32 // addresses
	beginFile, endFile int32 // -1: none
	usesRT             bool
	hasMain            bool
}

// funcCode is a compiled user function.
type funcCode struct {
	name   string
	params []string
	entry  int32
	room   int // stack it may need
}

// Slots of the special variables. The first three are kept as counters, those
// before slotPlain act when they are assigned.
const (
	slotNF = iota
	slotNR
	slotFNR
	slotFS
	slotOFS
	slotORS
	slotRS
	slotSUBSEP
	slotCONVFMT
	slotOFMT
	slotFIELDWIDTHS
	slotFPAT
	slotIGNORECASE
	slotRSTART
	slotRLENGTH
	slotFILENAME
	slotENVIRON
	slotARGC
	slotARGV
	slotARGIND
	slotERRNO
	slotRT
	slotPROCINFO
	slotBINMODE
	slotLINT
	slotTEXTDOMAIN
	slotSYMTAB
	slotFUNCTAB
	numSpecial

	slotPlain = slotRSTART
)

var specialNames = [numSpecial]string{"NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT",
	"FIELDWIDTHS", "FPAT", "IGNORECASE", "RSTART", "RLENGTH", "FILENAME", "ENVIRON", "ARGC", "ARGV", "ARGIND",
	"ERRNO", "RT", "PROCINFO", "BINMODE", "LINT", "TEXTDOMAIN", "SYMTAB", "FUNCTAB"}

// specialSlot is the slot of a special variable, or -1.
func specialSlot(name string) int {
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return -1
	}
	for i, n := range specialNames {
		if n == name {
			return i
		}
	}
	return -1
}

// builtin is a built-in function's identity and how many arguments it takes.
type builtin struct {
	op       uint8
	min, max int
}

// Built-in functions.
const (
	fnLength = iota + 1
	fnSubstr
	fnIndex
	fnSplit
	fnPatsplit
	fnMatch
	fnSub
	fnGsub
	fnGensub
	fnSprintf
	fnTolower
	fnToupper
	fnInt
	fnSqrt
	fnExp
	fnLog
	fnSin
	fnCos
	fnAtan2
	fnRand
	fnSrand
	fnClose
	fnFflush
	fnSystem
	fnStrtonum
	fnStrftime
	fnSystime
	fnMktime
	fnAsort
	fnAsorti
	fnAnd
	fnOr
	fnXor
	fnLshift
	fnRshift
	fnCompl
	fnTypeof
	fnIsarray
	fnMkbool
	fnDcgettext
	fnDcngettext
	fnBindtextdomain
	fnOrd
	fnChr
	fnReadfile
	fnGettimeofday
	fnSleep
)

const manyArgs = 1 << 20

var builtins = map[string]builtin{
	"length": {fnLength, 0, 1}, "substr": {fnSubstr, 2, 3}, "index": {fnIndex, 2, 2}, "split": {fnSplit, 2, 4},
	"patsplit": {fnPatsplit, 2, 4}, "match": {fnMatch, 2, 3}, "sub": {fnSub, 2, 3}, "gsub": {fnGsub, 2, 3},
	"gensub": {fnGensub, 3, 4}, "sprintf": {fnSprintf, 1, manyArgs}, "tolower": {fnTolower, 1, 1},
	"toupper": {fnToupper, 1, 1}, "int": {fnInt, 1, 1}, "sqrt": {fnSqrt, 1, 1}, "exp": {fnExp, 1, 1},
	"log": {fnLog, 1, 1}, "sin": {fnSin, 1, 1}, "cos": {fnCos, 1, 1}, "atan2": {fnAtan2, 2, 2}, "rand": {fnRand, 0, 0},
	"srand": {fnSrand, 0, 1}, "close": {fnClose, 1, 2}, "fflush": {fnFflush, 0, 1}, "system": {fnSystem, 1, 1},
	"strtonum": {fnStrtonum, 1, 1}, "strftime": {fnStrftime, 0, 3}, "systime": {fnSystime, 0, 0},
	"mktime": {fnMktime, 1, 2}, "asort": {fnAsort, 1, 3}, "asorti": {fnAsorti, 1, 3}, "and": {fnAnd, 2, manyArgs},
	"or": {fnOr, 2, manyArgs}, "xor": {fnXor, 2, manyArgs}, "lshift": {fnLshift, 2, 2}, "rshift": {fnRshift, 2, 2},
	"compl": {fnCompl, 1, 1}, "typeof": {fnTypeof, 1, 2}, "isarray": {fnIsarray, 1, 1}, "mkbool": {fnMkbool, 1, 1},
	"dcgettext": {fnDcgettext, 1, 3}, "dcngettext": {fnDcngettext, 1, 5}, "bindtextdomain": {fnBindtextdomain, 1, 2},
}
