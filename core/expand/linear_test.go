package expand

import (
	"fmt"
	"strings"
	"testing"

	"eryxsh/tests/growth"
)

// repeatedUnits is what opens, continues or ends something in a word, alone and beside another.
var repeatedUnits = []string{
	"a", " ", "\n", "\\", "\\\n", "'", "\"", "`", "``", "$(:)", "$", "$(", ")", "${", "}", "${a:-", "$((", "))", "[", "]", "a[", "]=", "(", "=(", "=", ":", "~", "#", "<<",
	"<<E\n", ";", "&", "|", "!", "! ", "*", "?", "{", ",", "/", "%", "$'", "$\"", "@(", "((", "let ", "case ", "[[ ", "+", "$[", "$[-", "<(", ":~", "x=", "é",
	"a\\\n", "x=\\\n", "]\\\n[[", "=(\\\n~", "=-", "\\\n=-", "''", "'#,}${", "..<<", "*<<", "a[ ", "\"$[\"", "$[]$[", "a[$(", "${a[", "$((a[",
}

// What reads a text takes time in proportion to it, whatever is repeated in it.
func TestReadersAreLinear(t *testing.T) {
	readers := map[string]func(string){
		"Mask":      func(s string) { Mask(s, nil) },
		"MaskNames": func(s string) { MaskNames(s, nil) },
		"Hide":      func(s string) { Hide("let #\\\n"+s, nil) },
		"Unfold":    func(s string) { Unfold(s+"\\\n", nil) },
		"HereDelim": func(s string) { HereDelim(s) },
		"Text":      func(s string) { CompileText(nil, s) },
		"operand":   func(s string) { CompileText(nil, "\"${a:-"+s) },
		"shown":     func(s string) { CompileText(nil, "${a:+"+s+"}") },
		"Prompt":    func(s string) { CompilePrompt(nil, s) },
		"Arith":     func(s string) { ArithText(nil, s) },
		"Sub":       func(s string) { SubText(nil, s) },
		"Span":      func(s string) { CompileSpan(new(Word), NewSource(s), 0, len(s)) },
		"Split":     func(s string) { SplitQuoted(nil, s, " ") },
		"Matcher":   func(s string) { NewMatcher(s, ExtGlob) },
		"search":    func(s string) { NewMatcher("\x01"+s, NoCaseMatch).Replace(s, replacement{}, 0, true) },
	}
	n := 2000
	if testing.Short() {
		n = 1000
	}
	for name, read := range readers {
		for _, unit := range repeatedUnits {
			growth.InProportion(t, fmt.Sprintf("%s of %q", name, unit), n, func(n int) { read(strings.Repeat(unit, n)) })
		}
	}
}
