package jq

// exprOp says what an expr is.
type exprOp uint8

const (
	xIdentity exprOp = iota
	xRecurse         // ..
	xIndex           // a[b]; field names are literals
	xSlice           // a[b:c]
	xIter            // a[]
	xLit             // v
	xString          // args, each made text by the format s and joined
	xFormat          // @s
	xArray           // [a]
	xObject          // args are keys and values in turn
	xNeg
	xPipe
	xComma
	xBin // a s b
	xAnd
	xOr
	xAlt      // a // b
	xUpdate   // a |= b
	xAssign   // a = b
	xOpAssign // a s= b
	xIf       // if a then b else c
	xTry      // try a catch b
	xReduce   // reduce a as pats (b; c)
	xForeach  // foreach a as pats (b; c; d)
	xFunc     // def; a
	xCall     // s(args)
	xVar      // $s
	xBind     // a as pats | b
	xLabel    // label $s | a
	xBreak
)

// expr is a node of the tree of a program.
type expr struct {
	op         exprOp
	s          string
	v          Value
	a, b, c, d *expr
	args       []*expr
	pats       []*pattern
	def        *definition
	pos        int
	opt        bool // of xIndex, xSlice and xIter: with ? behind, a failing access gives nothing
}

// definition is def name(params): body;
type definition struct {
	name   string
	params []string // with a $ if they are values
	body   *expr
}

// pattern is one side of a destructuring.
type pattern struct {
	name  string     // $name
	items []*pattern // [items]
	keys  []patternKey
}

// patternKey is one pair of an object pattern.
type patternKey struct {
	bind string // {$name} also binds it
	key  *expr
	val  *pattern // nil if there is none
}

// binds lists the variables of a pattern.
func (p *pattern) binds(list []string) []string {
	if p.name != "" {
		list = append(list, p.name)
	}
	for _, q := range p.items {
		list = q.binds(list)
	}
	for _, k := range p.keys {
		if k.bind != "" {
			list = append(list, k.bind)
		}
		if k.val != nil {
			list = k.val.binds(list)
		}
	}
	return list
}
