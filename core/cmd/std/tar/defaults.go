package tar

import (
	"strings"

	"eryxsh/core/cmd"
)

// defaults are the words of TAR_OPTIONS, which stand before those of the command line.
func defaults(c *cmd.Ctx) (words []string, closed bool) {
	text, _ := c.Getenv("TAR_OPTIONS")
	return splitWords(text)
}

// splitWords parts a text at its blanks; quotes and backslashes keep what is in or behind them.
func splitWords(text string) (words []string, closed bool) {
	var word strings.Builder
	var quote byte
	begun := false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\\' && quote != '\'' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			begun = true
		case quote != 0 && b == quote:
			quote = 0
		case quote == 0 && (b == '"' || b == '\''):
			quote, begun = b, true
		case quote == 0 && (b == ' ' || b == '\t' || b == '\n'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(b)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words, quote == 0
}

// wrongDefaults says what keeps TAR_OPTIONS from being options, and reports
// whether there is such a thing.
func wrongDefaults(c *cmd.Ctx) (status int, wrong bool) {
	_, closed := defaults(c)
	if !closed {
		c.Errorf("cannot split TAR_OPTIONS: missing closing quote")
		c.Errorf("Error is not recoverable: exiting now")
		return 2, true
	}
	given := canonical(c, nil)
	for i := 0; i < len(given); i++ {
		switch g := given[i]; {
		case strings.HasPrefix(g, chdir):
		case g == "--" && i+1 == len(given):
		case g[:min(1, len(g))] != "-" || g == "--" || g == "-":
			c.Errorf("non-option arguments in TAR_OPTIONS")
			c.Errout.WriteString(c.Def.Hint)
			return 2, true
		default:
			if takesNext(c, g) {
				i++
			}
		}
	}
	return 0, false
}

// takesNext reports whether the word behind an option is its argument.
func takesNext(c *cmd.Ctx, word string) bool {
	if !strings.HasPrefix(word, "--") {
		return len(word) == 2 && strings.IndexByte(withArgument, word[1]) >= 0
	}
	found := false
	for _, o := range c.Def.Options {
		if o.Long == word[2:] {
			return o.Arg == cmd.Required
		}
		if strings.HasPrefix(o.Long, word[2:]) { // an abbreviation, which is not ambiguous if it is right
			found = found || o.Arg == cmd.Required
		}
	}
	return found
}
