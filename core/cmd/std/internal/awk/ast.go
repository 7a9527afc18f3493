package awk

// op names what a node of the syntax tree is.
type nodeKind uint8

const (
	// Expressions.
	nNumber nodeKind = iota + 1
	nString
	nRegex      // matched against $0
	nTypedRegex // a value
	nVar        // s: name; slot: where it lives
	nField      // $a
	nIndex      // a[list...]; a is nVar or nIndex
	nAssign     // a = b
	nAugment    // a op= b; s: operator
	nIncrement  // ++ or --: s; post: n != 0
	nUnary      // s: ! - +
	nBinary     // s: + - * / % ^
	nCompare    // s: < <= == != > >=
	nMatch      // s: ~ !~
	nAnd
	nOr
	nCond   // a ? b : c
	nConcat // list
	nIn     // (list) in a
	nGroup  // (a): keeps print (a)(b) and regex operands apart
	nCall   // s: function; list
	nIndirect
	nBuiltin // s: name; list
	nGetline // s: "" "<" "|" "|&"; a: variable or nil; b: file or command
	// Statements.
	nBlock
	nExpr
	nPrint  // list; s: redirection; b: its target
	nPrintf // the same
	nIf
	nWhile
	nDo
	nFor   // a; b; c: d
	nForIn // a: variable; b: array; d: body
	nSwitch
	nCase // a: value, nil for default; list: body
	nBreak
	nContinue
	nNext
	nNextFile
	nExit
	nReturn
	nDelete // a: nVar or nIndex
)

// node is one node of the syntax tree.
type node struct {
	kind       nodeKind
	s          string
	n          float64
	a, b, c, d *node
	list       []*node
	at         lexeme
	height     int // of the tree below: bounded, for those who walk it by recursion
}

// Rule kinds.
const (
	ruleMain = iota
	ruleBegin
	ruleEnd
	ruleBeginFile
	ruleEndFile
)

// rule is pattern { action }.
type rule struct {
	kind    int
	pattern *node // nil: every record
	end     *node // of a range
	body    *node // nil: print
	at      lexeme
}

// function is a user function as parsed.
type function struct {
	name   string
	params []string
	body   *node
	at     lexeme
}

// syntax is a parsed program.
type syntax struct {
	rules []rule
	funcs []*function
	warn  []string
}
