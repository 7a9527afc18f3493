package shell

import (
	"cmp"
	"slices"

	"eryxsh/core/expand"

	"mvdan.cc/sh/v3/syntax"
)

// Compiled code. A unit is what bash reads before it runs anything: the
// commands of one complete line, here-documents included. Its tree is made
// once, never changed, and shared by every machine that runs it.

// Unit is compiled text.
type Unit struct {
	Line  int    // line number of the unit's first line in its file
	Text  string // encoded as expand.Encode does
	body  *list
	nodes []node // by address
	warn  []warning
	ext   int                   // 1 + offset of the first ( of an extended pattern
	cond  int                   // 1 + offset of one in [[ ]] that needs extglob
	added int                   // newlines that are not in the text it was read from
	open  bool                  // a here-document of it ends with the text
	subst map[syntax.Node]*list // bodies of $( ) and <( ) by their syntax node
}

// warning is what the reader of a unit says before the unit runs.
type warning struct {
	line int
	text string
}

// NodeKind tells the nodes of a unit apart. Numbers are saved: append only.
type NodeKind uint8

// Kinds of compiled nodes.
const (
	NList NodeKind = iota + 1
	NStmt
	NSimple
	NIf
	NWhile
	NFor
	NCFor
	NCase
	NAndOr
	NPipe
	NSub
	NBlock
	NFunc
	NArith
	NTest
	NDecl
	NTime
	NCoproc
)

// address finds a node in its unit. N tells apart nodes with one kind and extent, in order of appearance.
type address struct {
	Kind  NodeKind `cbor:"1,keyasint"`
	Start uint32   `cbor:"2,keyasint,omitempty"`
	End   uint32   `cbor:"3,keyasint,omitempty"`
	N     uint32   `cbor:"4,keyasint,omitempty"`
}

// compare orders addresses; N does not count.
func (a address) compare(b address) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), cmp.Compare(a.Kind, b.Kind))
}

// find gives the node at an address, nil if there is none.
func (u *Unit) find(a address) node {
	i, _ := slices.BinarySearchFunc(u.nodes, a, func(n node, a address) int {
		return cmp.Or(n.at().addr.compare(a), cmp.Compare(n.at().addr.N, a.N))
	})
	if i < len(u.nodes) && u.nodes[i].at().addr == a {
		return u.nodes[i]
	}
	return nil
}

type place struct {
	unit *Unit
	addr address
	line int // in its file
}

func (p *place) at() *place { return p }

// node is a compiled command or list: what a frame can stand at.
type node interface{ at() *place }

type list struct {
	place
	stmts []*stmt
	stage bool // one statement that a process of its own runs
}

type stmt struct {
	place
	cmd        node // nil: redirections alone
	redirs     []*redir
	negated    bool
	background bool
	newline    bool  // it ends at a newline, not at ; or &
	outer      int   // line that the redirections of a compound command count to
	alone      *list // this statement by itself, for a process that runs only it
}

// text is the statement's source, for jobs and BASH_COMMAND.
func (p *place) text() string {
	t := p.unit.Text
	if int(p.addr.End) <= len(t) && p.addr.Start <= p.addr.End {
		return expand.Decode(t[p.addr.Start:p.addr.End])
	}
	return ""
}

type redir struct {
	op   syntax.RedirOperator
	fd   int    // -1: the operator's default
	name string // {name}>
	word *expand.Word
	doc  *expand.Word // here-document body
	// of a here-document, for declare -f: its delimiter, as written, and the text up to it
	delim, quotedDelim, body string
	memo                     bool
	implied                  bool // of |&, not written
}

type assign struct {
	name   string
	sub    *expand.Sub
	add    bool
	naked  bool         // declare x
	empty  bool         // a[]=, which fails when it is made
	list   bool         // =( )
	decl   bool         // of a declaration
	nested bool         // =( ) to an element, which fails
	value  *expand.Word // nil: empty
	word   *expand.Word // declare operand that is not an assignment as written
	array  []element
	words  []*expand.Word // of array, if no element has a subscript
	shown  string         // the name a trace shows, if it is not name
}

type element struct {
	empty bool // []=v, which is no element; value is all of it
	sub   *expand.Sub
	add   bool
	value *expand.Word

	whole *expand.Word // [i]=v as a word, behind an element without a subscript

	// braced is all of it as a word, if there are braces in the value: in an
	// indexed array they come first, and what they make is no element.
	braced *expand.Word
}

type simple struct {
	place
	assigns []*assign
	words   []*expand.Word
	redirs  []*redir
	builtin *builtin // if the first word is literally one
	memo    bool     // words hold a substitution
	plain   bool     // no assignments, no redirections, no substitution
	bare    bool     // assignments without a substitution and nothing else
	temp    bool     // assignments of scalars and a builtin, without substitutions and redirections
	arrays  bool     // an assignment holds a substitution
	keyword *simple  // what set -k makes of it, if one of its words looks like an assignment
}

type ifClause struct {
	place
	cond, then *list
	els        node // *ifClause, *list or nil
}

type whileClause struct {
	place
	until    bool
	cond, do *list
}

type forClause struct {
	place
	name  string
	in    bool
	words []*expand.Word
	memo  bool
	menu  bool // select
	outer int  // line that bash is on before it begins
	do    *list
}

type cFor struct {
	place
	init, cond, post *expand.Arith
	do               *list
}

type caseClause struct {
	place
	word *expand.Word
	arms []arm
	memo bool // a word or pattern holds a substitution
}

type arm struct {
	patterns []*expand.Word
	body     *list
	op       syntax.CaseOperator
}

// andOr is a chain, flat however long: ops[i] stands before stmts[i+1].
type andOr struct {
	place
	stmts []*stmt
	and   []bool
}

type pipeline struct {
	place
	stages []*stmt
	errs   []bool // stage i is followed by |&
}

type subshell struct {
	place
	body *list
	last int // line it ends on
}

type block struct {
	place
	body *list
}

type funcDecl struct {
	place
	name string
	body *stmt
}

type arithCmd struct {
	place
	expr *expand.Arith
	memo bool
}

type testCmd struct {
	place
	negated int // 1 + offset of the last !( that is no pattern without extglob
	expr    *testExpr
	memo    bool
}

// testExpr is [[ ]]: a word alone is -n.
type testExpr struct {
	op     string // "", "!", "(", "&&", "||", unary "-f", binary "==" …
	parens int    // how many it stands in
	not    bool   // an odd number of ! before an operand; "!" is one before parentheses
	x, y   *testExpr
	word   *expand.Word
	with   *expand.Word // right operand
}

type decl struct {
	place
	name    string
	args    []*assign
	written []*assign // as they stand in the text, before braces made several of one
	memo    bool
	redirs  []*redir
	set     *declaration // its options, if they are known now and nothing in it needs a frame
	first   int          // of args, the first that is no option; where set is there
}

type timeClause struct {
	place
	posix bool
	body  *stmt
}

type coproc struct {
	place
	name string
	body *stmt
}
