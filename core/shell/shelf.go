package shell

import (
	"slices"

	"eryxsh/core/expand"
	"eryxsh/core/slab"
)

// shelf is where the code of units is put, in blocks. The units of one script
// share a shelf, one after the other.
type shelf struct {
	expand.Room
	lists    slab.Of[list]
	stmts    slab.Of[stmt]
	simples  slab.Of[simple]
	ifs      slab.Of[ifClause]
	andOrs   slab.Of[andOr]
	pipes    slab.Of[pipeline]
	tests    slab.Of[testCmd]
	exprs    slab.Of[testExpr]
	decls    slab.Of[decl]
	assigns  slab.Of[assign]
	redirs   slab.Of[redir]
	stmtRefs slab.Of[*stmt]
	wordRefs slab.Of[*expand.Word]
	assigned slab.Of[*assign]
	directed slab.Of[*redir]
	nodes    slab.Of[node]
	flags    slab.Of[bool]
	beingRead
}

// newShelf makes a shelf that tells a, which may be nil, of what is put there.
func newShelf(a expand.Account) *shelf {
	s := &shelf{}
	s.Account = a
	return s
}

// beingRead is what a shelf has for the unit that is read.
type beingRead struct {
	addressed []addressed // its nodes, in order of appearance
	compiler  compiler
}

// addressed is a node beside its address, which is compared often.
type addressed struct {
	address
	node node
}

// sortAddressed sorts a few nodes, the most, by moving each down to its place.
func sortAddressed(all []addressed) {
	if len(all) > 64 {
		slices.SortStableFunc(all, func(a, b addressed) int { return a.compare(b.address) })
		return
	}
	for i := 1; i < len(all); i++ {
		a, j := all[i], i
		for ; j > 0 && (a.Start < all[j-1].Start || a.Start == all[j-1].Start && a.compare(all[j-1].address) < 0); j-- {
			all[j] = all[j-1]
		}
		all[j] = a
	}
}

// number gives the nodes of a unit by their addresses, and tells apart those that share one.
func (s *shelf) number() []node {
	all := s.addressed
	for i := range all {
		all[i].address = all[i].node.at().addr
	}
	sortAddressed(all)
	nodes := s.nodes.Some(len(all))
	for i := range all {
		nodes[i] = all[i].node
		if i > 0 && all[i-1].address.compare(all[i].address) == 0 {
			all[i].N = all[i-1].N + 1
			nodes[i].at().addr.N = all[i].N
		}
	}
	clear(all)
	s.addressed = all[:0]
	return nodes
}
