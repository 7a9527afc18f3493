// Package ignore is the rules of gitignore(5), as git reads and applies them.
package ignore

import "strings"

// Rules are the lines of one ignore file, or of a list of patterns.
type Rules []rule

type rule struct {
	glob string
	keep bool // "!": not excluded after all
	dir  bool // only directories
	base bool // of a name, in whatever directory
}

// Parse reads the text of an ignore file.
func Parse(text string) (all Rules) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if end, ok := strings.CutSuffix(line, "\n"); ok {
			line = strings.TrimSuffix(end, "\r")
		}
		if line == "" || line[0] == '#' {
			continue
		}
		line = line[:trimmed(line)]
		var r rule
		line, r.keep = strings.CutPrefix(line, "!")
		line, r.dir = strings.CutSuffix(line, "/")
		r.base = !strings.Contains(line, "/")
		r.glob = strings.TrimPrefix(line, "/")
		all = append(all, r)
	}
	return all
}

// trimmed is the length of a line without the spaces at its end, but for one that is escaped.
func trimmed(line string) int {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return end
}

// Verdict is what the last rule says that a path below the rules' directory
// matches: whether it is excluded, and whether any matches at all.
func (all Rules) Verdict(path string, dir bool) (excluded, decided bool) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(all) - 1; i >= 0; i-- {
		r := all[i]
		if r.dir && !dir {
			continue
		}
		if r.base && match(r.glob, name, false) || !r.base && match(r.glob, path, true) {
			return !r.keep, true
		}
	}
	return false, false
}

// glob compares a pattern with a text as git's wildmatch does.
type glob struct {
	pattern, text string
	path          bool // "*", "?" and "[" do not match a slash
	depth         int  // "*" that are being tried
	known         map[[2]int]result
}

const (
	maxStars = 4096 // that are tried within each other: no path has a place for more
	fewStars = 4    // that are tried again rather than remembered
)

// result says of what does not match whether a longer "*" before it could help.
type result uint8

const (
	matches result = iota
	not
	notHere // before the next slash: no "*" helps, but "**" may
	never   // the text is too short
)

func match(pattern, text string, path bool) bool {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return pattern == text
	}
	g := &glob{pattern: pattern, text: text, path: path}
	return g.at(0, 0) == matches
}

// at compares the pattern from p on with the text from t on.
func (g *glob) at(p, t int) result {
	for ; p < len(g.pattern); p++ {
		c := g.pattern[p]
		if c == '*' {
			return g.star(p, t)
		}
		if t == len(g.text) {
			return never
		}
		switch c {
		case '?':
			if g.path && g.text[t] == '/' {
				return not
			}
		case '[':
			end, ok := class(g.pattern, p, g.text[t])
			if !ok || g.path && g.text[t] == '/' {
				return not
			}
			p = end
		case '\\':
			if p++; p == len(g.pattern) {
				return not
			}
			c = g.pattern[p]
			fallthrough
		default:
			if c != g.text[t] {
				return not
			}
		}
		t++
	}
	if t == len(g.text) {
		return matches
	}
	return not
}

// star is at where the pattern has one or more "*". What many of them have found is remembered: each
// would try all that is behind it again for each place of the text.
func (g *glob) star(p, t int) result {
	if r, ok := g.known[[2]int{p, t}]; ok {
		return r
	}
	if g.depth++; g.depth > maxStars {
		g.depth--
		return never
	}
	r := g.behind(p, t)
	if g.depth--; g.depth >= fewStars {
		if g.known == nil {
			g.known = map[[2]int]result{}
		}
		g.known[[2]int{p, t}] = r
	}
	return r
}

// behind is star where nothing is known. "**" between slashes, or at an end, matches slashes, too.
func (g *glob) behind(p, t int) result {
	end := p
	for end < len(g.pattern) && g.pattern[end] == '*' {
		end++
	}
	rest := g.pattern[end:]
	slashes := !g.path
	if g.path && end > p+1 && (p == 0 || g.pattern[p-1] == '/') && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		slashes = true
		if rest != "" && rest[0] == '/' && g.at(end+1, t) == matches {
			return matches
		}
	}
	if rest == "" {
		if slashes || strings.IndexByte(g.text[t:], '/') < 0 {
			return matches
		}
		return not
	}
	for ; t < len(g.text); t++ {
		if r := g.at(end, t); r != not && (!slashes || r != notHere) {
			return r
		}
		if g.text[t] == '/' && !slashes {
			return notHere
		}
	}
	return never
}

// class compares the "[…]" of a pattern at p with a byte: end is where its "]"
// is. One that is not closed, or has a class nobody knows, matches nothing.
func class(pattern string, p int, c byte) (end int, ok bool) {
	p++
	negated := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if negated {
		p++
	}
	matched, last, first := false, byte(0), true
	for ; p < len(pattern) && (pattern[p] != ']' || first); p++ {
		first = false
		x := pattern[p]
		switch {
		case x == '\\':
			if p++; p == len(pattern) {
				return 0, false
			}
			x = pattern[p]
			matched = matched || c == x
		case x == '-' && last != 0 && p+1 < len(pattern) && pattern[p+1] != ']':
			if p++; pattern[p] == '\\' {
				if p++; p == len(pattern) {
					return 0, false
				}
			}
			matched = matched || last <= c && c <= pattern[p]
			x = 0
		case strings.HasPrefix(pattern[p:], "[:"):
			size := strings.IndexByte(pattern[p+2:], ']')
			if size < 0 {
				return 0, false
			}
			name, closed := strings.CutSuffix(pattern[p+2:p+2+size], ":")
			if !closed { // a set that has a "["
				matched = matched || c == '['
				break
			}
			is := classes[name]
			if is == nil {
				return 0, false
			}
			matched = matched || is(c)
			p += 2 + size
			x = 0
		default:
			matched = matched || c == x
		}
		last = x
	}
	return p, p < len(pattern) && matched != negated
}

func within(lo, hi byte) func(byte) bool { return func(c byte) bool { return lo <= c && c <= hi } }

func either(a, b func(byte) bool) func(byte) bool { return func(c byte) bool { return a(c) || b(c) } }

var (
	digit = within('0', '9')
	upper = within('A', 'Z')
	lower = within('a', 'z')
	alpha = either(upper, lower)
	alnum = either(alpha, digit)
	blank = func(c byte) bool { return c == ' ' || c == '\t' }
	graph = within('!', '~')
)

// classes are the character classes of ASCII.
var classes = map[string]func(byte) bool{
	"alnum": alnum, "alpha": alpha, "blank": blank, "digit": digit, "graph": graph, "lower": lower, "upper": upper,
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"print":  within(' ', '~'),
	"punct":  func(c byte) bool { return graph(c) && !alnum(c) },
	"space":  either(blank, within('\n', '\r')),
	"xdigit": either(digit, either(within('a', 'f'), within('A', 'F'))),
}
