// Package scriptgen makes random scripts from a grammar of the language, for
// tests that compare two ways to run one: here and in bash, at once and moved
// between steps.
//
// Scripts end, write nothing outside their directory, and print nothing that
// depends on time, process numbers or the order of parallel processes. One in
// twelve is damaged, so that it is likely to be wrong.
package scriptgen

import (
	"math/rand"
	"strings"
)

// Statements gives the script of a seed, statement by statement.
func Statements(seed int64) []string {
	g := generator{r: rand.New(rand.NewSource(seed))}
	list := g.statements()
	if g.oneIn(12) {
		list = []string{g.mutated(strings.Join(list, "\n"))}
	}
	return list
}
