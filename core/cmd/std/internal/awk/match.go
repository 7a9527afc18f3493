package awk

import (
	"errors"
	"strings"

	"eryxsh/core/large"
	"eryxsh/core/regex"
)

// maxCache is how many dynamic regular expressions are kept compiled.
const maxCache = 200

// regex1 is a constant regular expression.
func (p *Program) regex1(i int32) *regex.Regexp {
	if p.regex[i] == nil {
		p.regex[i] = p.compileRegex(p.code.regex[i])
	}
	return p.regex[i]
}

// regexOf is a value as a regular expression.
func (p *Program) regexOf(v *Value) *regex.Regexp {
	if v.K == Pattern && v.R > 0 {
		return p.regex1(v.R - 1)
	}
	s := p.str(v)
	re := p.cache[s]
	if re == nil {
		if len(p.cache) >= maxCache {
			clear(p.cache)
		}
		re = p.compileRegex(s)
		p.cache[strings.Clone(s)] = re
	}
	return re
}

func (p *Program) compileRegex(s string) *regex.Regexp {
	re, reason := p.tryRegex(s)
	if reason != "" {
		p.fatal("invalid regexp: %s: /%s/", reason, s)
	}
	return re
}

// checkRegexes compiles the constant regular expressions when the program begins.
func (p *Program) checkRegexes() {
	for i, s := range p.code.regex {
		p.PC = p.code.regexAt[i]
		re, reason := p.tryRegex(s)
		if reason != "" {
			p.c.Errorf("%serror: %s: /%s/", p.where(), reason, s)
			panic(abort{1})
		}
		p.regex[i] = re
	}
	p.PC = 0
}

// tryRegex compiles, or says why it cannot.
func (p *Program) tryRegex(s string) (*regex.Regexp, string) {
	re, err := regex.Compile([]byte(prepare(s, p.oddEscape)), regex.Options{Syntax: regex.Awk, Bytes: p.octets, Fold: p.conv.fold, Steps: p.c.RegexSteps(), Charge: p.c.Charge, Need: p.c.Need})
	if err != nil {
		reason := err.Error()
		var e *regex.Error
		if errors.As(err, &e) {
			reason = e.Code.Error()
		}
		return nil, reason
	}
	re.Meter(func(n int) { p.c.Charge(n) })
	return re, ""
}

// oddEscape warns, once for each, of an escape that a regular expression does not have.
func (p *Program) oddEscape(c byte) {
	if strings.IndexByte(p.Warned, c) < 0 {
		p.Warned += string(rune(c))
		if c == '8' || c == '9' { // which could have been meant as octal
			p.warn("regexp escape sequence `\\%c' treated as plain `%c'", c, c)
		} else {
			p.warn("regexp escape sequence `\\%c' is not a known regexp operator", c)
		}
	}
}

// bytes gives s as bytes, in a buffer that the next call uses again.
func (p *Program) bytes(s string) []byte {
	p.subject = large.Push(p.subject[:0], s, p.c)
	return p.subject
}

func (p *Program) match(re *regex.Regexp, s string) bool {
	ok, err := re.Match(p.bytes(s))
	p.matched(re, len(s), err)
	return ok
}

func (p *Program) find(re *regex.Regexp, b []byte, from int, loc []int) bool {
	ok, err := re.Find(b, from, loc)
	p.matched(re, 0, err)
	return ok
}

func (p *Program) matched(re *regex.Regexp, n int, err error) {
	p.budget -= n >> 6
	if w := re.Work(); w > 0 {
		p.c.Charge(w / 16)
	}
	if err != nil {
		p.fatal("regular expression: %s", err)
	}
}
