// Package choice reads option arguments that are one of a list of words, which
// may be shortened while they stay clear.
package choice

import (
	"fmt"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

// Find gives the index of the group that word belongs to. Groups are separated
// by commas, words of one meaning by blanks. If there is none it writes GNU's
// message.
func Find(c *cmd.Ctx, option, word, list string) (int, bool) {
	n, wrong := Look(c, option, word, list)
	if wrong != "" {
		c.UsageError("%s", wrong)
	}
	return n, wrong == ""
}

// Look is Find for tools that say more or less than the message, which it
// returns; empty if there is such a group.
func Look(c *cmd.Ctx, option, word, list string) (n int, wrong string) {
	groups := strings.Split(list, ",")
	found := -1
	ambiguous := false
	for i, g := range groups {
		for _, w := range strings.Fields(g) {
			if w == word {
				return i, ""
			}
			if strings.HasPrefix(w, word) && word != "" {
				ambiguous = ambiguous || found >= 0 && found != i
				found = i
			}
		}
	}
	if found >= 0 && !ambiguous {
		return found, ""
	}
	what := "invalid"
	if ambiguous || word == "" {
		what = "ambiguous"
	}
	msg := fmt.Sprintf("%s argument %s for %s\nValid arguments are:", what, quote.Locale(c, word), quote.Locale(c, option))
	for _, g := range groups {
		var b []string
		for _, w := range strings.Fields(g) {
			b = append(b, quote.Locale(c, w))
		}
		msg += "\n  - " + strings.Join(b, ", ")
	}
	return 0, msg
}
