package jq

// opcode is what an instruction does. The value stack is shown as (before → after), top last.
type opcode uint8

const (
	opConst      opcode = iota // (v → const a)
	opPush                     // (→ const a)
	opUnder                    // (v → const a, v)
	opPop                      // (v →)
	opDup                      // (v → v v)
	opSwap                     // (x y → y x)
	opJoin                     // (xa … x1 v → the texts joined)
	opLoad                     // (v → variable a of the scope b levels out)
	opLoadUnder                // (v → variable, v)
	opLoadMove                 // (v → variable), which becomes null
	opStore                    // (v →), into variable a
	opSet                      // variable a becomes const b
	opFalsy                    // (v → v), to a if v is false or null
	opGiveUp                   // back to the last fork if variable a is true
	opFork                     // come back to a
	opForkTry                  // come back to a with an error
	opTryEnd                   // errors from here on are not those of the try
	opForkAlt                  // come back to a if there is an error
	opForkLabel                // variable a becomes a new label
	opBacktrack                // to the last fork
	opJump                     // to a
	opBranch                   // (c v → v), to a if c is false or null
	opSubBegin                 // (v → v v), what follows is no part of a path
	opSubEnd                   // (v r → r v)
	opNest                     // what follows is no part of a path
	opUnnest                   // the end of that
	opIndex                    // (k v → v[k]); this and the next three give nothing on failure if b is optionalAccess
	opField                    // (v → v[const a])
	opSlice                    // (from to v → v[from:to])
	opEach                     // (v → each of its elements)
	opAppend                   // (v →), to the array in variable a
	opMakeObject               // (k1 v1 … ka va v → object)
	opCall                     // the function at a, defined b levels out
	opTailCall                 // the same, instead of the caller
	opCallParam                // the closure in variable a
	opTailParam                // the same, instead of the caller
	opClosure                  // a closure of the code at a, into the arguments
	opScope                    // begin of a function with a variables, b of them parameters
	opRet                      // end of a function; of the program: v is a result
	opNative                   // (xb … x1 v → result) of native a
	opBinary                   // (y x v → x op y)
	opPathBegin                // (v → saved registers, v)
	opPathEnd                  // (saved registers, v → path)
	opGetPath                  // (p v → v at p)
	opRange                    // (v → variable a, then one more) below variable a+1
	opBreak                    // to the label in variable a
	opSystem                   // (xb … x1 v → result) of what may wait: system a
)

// ins is one instruction.
type ins struct {
	op   opcode
	a, b int32
}

// code is a compiled program.
type code struct {
	ins    []ins
	consts []Value
	global map[string]int // variables given from outside, by slot of the outermost scope
}
