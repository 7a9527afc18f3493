package jq

import (
	"strings"
	"unicode/utf8"

	"eryxsh/core/large"
	"eryxsh/core/regex"
)

var matchNatives = []native{
	{"_arguments", 1, matchArguments},
	{"_match", 3, matchText},
	{"_capture", 0, captureObject},
	{"split", 2, splitRegex},
}

// matcher is a compiled regular expression.
type matcher struct {
	re     *regex.Regexp
	names  []string // of groups from 1, "" if none
	global bool
	noVoid bool // empty matches do not count
}

// matchArguments makes [re, flags] of the only argument of match and others.
func matchArguments(p *Program, a []Value) (Value, bool) {
	v := a[1]
	switch {
	case v.K == String:
		return p.Heap.array([]Value{v, null}), true
	case v.K == Array && len(p.Heap.items(v)) > 1:
		return p.Heap.array(p.Heap.copyOf(p.Heap.items(v)[:2])), true
	case v.K == Array && len(p.Heap.items(v)) == 1:
		return p.Heap.array([]Value{p.Heap.items(v)[0], null}), true
	}
	return empty, p.raise("%s not a string or array", v.kindName())
}

// matcherOf compiles an expression with its flags, once.
func (p *Program) matcherOf(v, re, flags Value) (*matcher, bool) {
	switch {
	case v.K != String:
		return nil, p.raise("%s (%s) cannot be matched, as it is not a string", v.kindName(), p.brief(v))
	case re.K != String:
		return nil, p.raise("%s (%s) cannot be matched, as it is not a string", re.kindName(), p.brief(re))
	case flags.K != String && flags.K != Null:
		return nil, p.raise("%s (%s) is not a string", flags.kindName(), p.brief(flags))
	}
	key := flags.S + "/" + re.S
	if m := p.regexes[key]; m != nil {
		return m, true
	}
	m := &matcher{}
	o := regex.Options{Syntax: regex.Perl, Steps: p.c.RegexSteps(), Charge: p.c.Charge, Need: p.c.Need}
	inner := ""
	for _, f := range flags.S {
		switch f {
		case 'g':
			m.global = true
		case 'i':
			o.Fold = true
		case 'x':
			inner += "x"
		case 'p':
			inner += "s"
		case 's': // ^ and $ are the ends of the text: they always are
		case 'n':
			m.noVoid = true
		case 'l':
			p.c.Unsupported("jq regex flag l")
			return nil, p.raise("eryxsh: the regex flag l (longest match): not yet")
		default:
			return nil, p.raise("%s is not a valid modifier string", flags.S)
		}
	}
	pattern := "(?" + inner + "-m)" + re.S
	if strings.Contains(inner, "x") {
		pattern += "\n"
	}
	var err error
	if m.re, err = regex.Compile([]byte(pattern), o); err != nil {
		return nil, p.raise("%s (at offset 0) is not a valid regex: %s", re.S, err)
	}
	m.names = groupNames(re.S, m.re.NumSubexp())
	if p.regexes == nil || len(p.regexes) > 100 {
		p.regexes = map[string]*matcher{}
	}
	p.regexes[key] = m
	return m, true
}

// groupNames finds the names of groups in a pattern.
func groupNames(s string, n int) []string {
	names := make([]string, 0, n)
	class := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if i+1 < len(s) && s[i+1] == ']' {
				i++
			}
		case c == '(' && (i+1 == len(s) || s[i+1] != '?'):
			names = append(names, "")
		case c == '(':
			rest := strings.TrimPrefix(s[i+2:], "P")
			if len(rest) > 1 && rest[0] == '<' && rest[1] != '=' && rest[1] != '!' {
				name, _, _ := strings.Cut(rest[1:], ">")
				names = append(names, name)
			}
		}
	}
	for len(names) < n {
		names = append(names, "")
	}
	return names[:n]
}

// longText is the length of a text from which a single match may take long.
const longText = 1 << 10

// each calls f with every match.
func (m *matcher) each(p *Program, s string, f func(loc []int)) bool {
	loc := make([]int, 2*(m.re.NumSubexp()+1))
	text := large.Push(make([]byte, 0, len(s)), s, p)
	if len(text) > longText {
		m.re.Meter(p.Charge)
	}
	for from := 0; from <= len(text); {
		for i := range loc {
			loc[i] = -1
		}
		found, err := m.re.Find(text, from, loc)
		end := len(text)
		if found {
			end = loc[1]
		}
		p.charge(m.re.Work() + (end-from)/4 + 16)
		if err != nil {
			return p.raise("%s", err)
		}
		if !found {
			break
		}
		if !m.noVoid || loc[1] > loc[0] {
			f(loc)
		}
		if !m.global {
			break
		}
		from = loc[1]
		if loc[1] == loc[0] {
			_, n := utf8.DecodeRune(text[from:])
			from += max(n, 1)
		}
	}
	return true
}

func matchText(p *Program, a []Value) (Value, bool) {
	m, ok := p.matcherOf(a[0], a[1], a[2])
	if !ok {
		return empty, false
	}
	s := a[0].S
	if a[3].K == True {
		yes := false
		one := *m
		one.global = false
		ok := one.each(p, s, func([]int) { yes = true })
		return boolean(yes), ok
	}
	var list []Value
	at, counted := 0, 0
	ok = m.each(p, s, func(loc []int) {
		at += large.Runes(s[counted:loc[0]], p)
		counted = loc[0]
		var groups []Value
		for g := 1; g < len(loc)/2; g++ {
			groups = append(groups, p.group(s, loc, g, at, m.names[g-1]))
		}
		part := s[loc[0]:loc[1]]
		list = p.add(list, p.Heap.object(matchKeys, []Value{
			num(float64(at)), num(float64(large.Runes(part, p))), str(part), p.Heap.array(groups),
		}))
		p.spend(4 + 4*len(groups))
	})
	return p.Heap.array(list), ok
}

var matchKeys = []string{"offset", "length", "string", "captures"}
var groupKeys = []string{"offset", "length", "string", "name"}
var voidKeys = []string{"offset", "string", "length", "name"}

// group is a capture of a match that begins at the character base.
func (p *Program) group(s string, loc []int, g, base int, name string) Value {
	title := null
	if name != "" {
		title = str(name)
	}
	from, to := loc[2*g], loc[2*g+1]
	if from < 0 {
		return p.Heap.object(voidKeys, []Value{num(-1), null, num(0), title})
	}
	at := num(float64(base + large.Runes(s[loc[0]:max(from, loc[0])], p)))
	if from == to {
		return p.Heap.object(voidKeys, []Value{at, str(""), num(0), title})
	}
	return p.Heap.object(groupKeys, []Value{at, num(float64(large.Runes(s[from:to], p))), str(s[from:to]), title})
}

func captureObject(p *Program, a []Value) (Value, bool) {
	o := p.Heap.object(nil, nil)
	captures, ok := p.element(a[0], str("captures"))
	if !ok {
		return empty, false
	}
	for _, g := range p.Heap.items(captures.container()) {
		if name := p.Heap.get(g, "name"); name.K == String {
			o = p.Heap.put(o, name.S, p.Heap.get(g, "string"))
		}
	}
	return o, true
}

func splitRegex(p *Program, a []Value) (Value, bool) {
	flags := a[2]
	if flags.K == Null || flags.K == String {
		flags = str(flags.S + "g")
	}
	m, ok := p.matcherOf(a[0], a[1], flags)
	if !ok {
		return empty, false
	}
	var list []Value
	at := 0
	ok = m.each(p, a[0].S, func(loc []int) {
		list = p.add(list, str(a[0].S[at:loc[0]]))
		at = loc[1]
	})
	list = p.add(list, str(a[0].S[at:]))
	return p.Heap.array(list), ok
}
