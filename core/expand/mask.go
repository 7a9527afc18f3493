package expand

import "strings"

// Mask returns text with everything blanked that this package reads by itself
// and the parser need not understand: arithmetic, the inside of ${…}, and
// subscripts before an assignment. Length, lines and command substitutions
// stay, so that the tree of the masked text fits the original, which is what
// belongs in Source.Text.
//
// It is for texts the parser refuses though bash runs them, such as
// "${m[two words]}", $(( $a $op $b )) or m[a b]=1, and for those where bash
// fails only when it gets there: $((1+)). ok is false if nothing was blanked. m, which
// may be nil, is charged.
func Mask(text string, m Account) (masked string, ok bool) { return mask(text, false, m) }

// MaskNames is Mask, and makes name[…] before an assignment one name, which the
// parser takes where bash finds out only later that it is wrong: a[]=1, or
// m[k]=1 before a command.
func MaskNames(text string, m Account) (masked string, ok bool) { return mask(text, true, m) }

func mask(text string, names bool, a Account) (masked string, ok bool) {
	m := masker{skipper: &skipper{s: text, meter: a}, out: []byte(text), names: names}
	m.commands(0)
	return string(m.out), m.done
}

// masker walks over shell text. It knows just enough of the grammar to tell
// code from quoted text, comments and here-documents.
type masker struct {
	*skipper
	out    []byte
	i      int
	done   bool
	dry    bool        // out is not wanted
	names  bool        // subscripts become part of the name
	hidden []hiding    // what the parser must not see
	closed bool        // the last commands() ended at its closing character
	here   []hereDelim // documents that begin after this line
	ended  endings     // of them
	folds  []int       // line continuations outside of single quotes
	back   int         // depth of `…`
	bodies [][2]int    // expansions in here-documents, for tokens
	tokens bool        // only those folds matter that stand in a token
	within bool        // folds are all that bash takes out: also those in ${…}, and in single quotes within `…`
}

func (m *masker) peek(n int) byte {
	if m.i+n < len(m.s) {
		return m.s[m.i+n]
	}
	return 0
}

func (m *masker) has(p string) bool { return strings.HasPrefix(m.s[m.i:], p) }

// commands reads up to the closing character, or to the end if that is 0.
func (m *masker) commands(closing byte) {
	defer m.leave()
	if !m.enter() {
		m.i = len(m.s)
	}
	m.closed = false
	cases, parens := 0, 0
	test := false  // inside [[ ]]
	start := true  // at the beginning of a word
	lists := false // in the words of a command of which name=( … ) is one
	for m.i < len(m.s) {
		c := m.s[m.i]
		if c == closing && (closing != ')' || parens == 0 && cases == 0) {
			m.i++
			m.closed = true
			return
		}
		if m.has("\\\n") { // neither begins a word nor is one
			m.char(false)
			continue
		}
		if start {
			if c == '#' {
				m.comment()
				continue
			}
			word := m.bare()
			switch word {
			case "case":
				cases++
			case "esac":
				cases = max(0, cases-1)
			case "[[":
				test = true
			case "]]":
				test = false
			case "let", "nameref": // no syntax to bash
				m.hide(m.i, m.i+1, '_')
			}
			if !lists {
				lists = word == "let" || word == "eval" || word == "alias"
			}
			if word == "!" && !test && m.twice() {
				continue
			}
			if !test && m.has("((") {
				m.i += 2
				m.expression("))")
				start = false
				continue
			}
			if m.subscript(true) {
				start = false
				continue
			}
		}
		start = false
		switch c {
		case ' ', '\t':
			start = true
			m.i++
		case ';', '&', '|':
			start, lists = true, false
			m.i++
		case '\n':
			start, lists = true, false
			m.i++
			m.hereDocs()
		case '(':
			if m.i > 0 && m.s[m.i-1] == '=' {
				if lists {
					m.list()
					continue
				}
				m.i++
				m.array()
				continue
			}
			parens++
			start, lists = true, false
			m.i++
		case ')':
			if parens > 0 {
				parens--
			}
			start, lists = true, false
			m.i++
		case '<':
			m.redirect()
		case '#':
			m.hash()
		default:
			m.char(false)
		}
	}
	m.closed = false
}

// twice blanks ! ! before a command, which does nothing.
func (m *masker) twice() bool {
	before := strings.TrimRight(m.s[:m.i], " \t")
	if before != "" && strings.IndexByte("\n;&|(", before[len(before)-1]) < 0 {
		switch before[strings.LastIndexAny(before, " \t\n;&|(")+1:] {
		case "if", "then", "elif", "else", "while", "until", "do", "{", "!", "time":
		default:
			return false
		}
	}
	j := m.i + 1
	for j < len(m.s) && (m.s[j] == ' ' || m.s[j] == '\t') {
		j++
	}
	if j+1 >= len(m.s) || m.s[j] != '!' || m.s[j+1] != ' ' && m.s[j+1] != '\t' {
		return false
	}
	m.blank(m.i, j+1, ' ', nil)
	m.i = j + 1
	return true
}

// hash steps over a # that begins no word.
func (m *masker) hash() {
	if !m.dry && m.i > 0 && strings.IndexByte("$<>", m.s[m.i-1]) < 0 {
		m.blank(m.i, m.i+1, '.', nil)
		m.hide(m.i, m.i+1, '.')
	}
	m.i++
}

// bare returns the unquoted word at the current position if it is followed by
// a separator: a possible keyword.
func (m *masker) bare() string {
	end := m.i
	for end < len(m.s) && strings.IndexByte(" \t\n;&|()<>", m.s[end]) < 0 {
		if strings.HasPrefix(m.s[end:], "\\\n") {
			end += 2
			continue
		}
		if strings.IndexByte("'\"\\$`", m.s[end]) >= 0 {
			return "?"
		}
		end++
	}
	if word := m.s[m.i:end]; strings.IndexByte(word, '\\') >= 0 {
		return strings.ReplaceAll(word, "\\\n", "")
	}
	return m.s[m.i:end]
}

func (m *masker) comment() {
	if n := strings.IndexByte(m.s[m.i:], '\n'); n >= 0 {
		m.i += n
	} else {
		m.i = len(m.s)
	}
	if m.s[m.i-1] == '\\' { // continues nothing
		m.hide(m.i-1, m.i, '.')
	}
}

// char steps over one character of a word, or over what it begins.
func (m *masker) char(dquote bool) {
	m.look(1)
	switch c := m.s[m.i]; {
	case c == '\\':
		if m.has("\\\n") {
			m.fold(dquote)
		}
		m.i = min(m.i+2, len(m.s))
	case c == '\'' && !dquote:
		m.skipSingle()
	case c == '"' && !dquote:
		m.i++
		m.dquoted()
	case c == '`':
		m.i++
		m.back++
		m.commands('`')
		m.back--
	case c == '$':
		m.dollar(dquote)
	default:
		m.i++
	}
}

func (m *masker) skipSingle() {
	from := m.i
	if n := strings.IndexByte(m.s[m.i+1:], '\''); n >= 0 {
		m.i += n + 2
	} else {
		m.i = len(m.s)
	}
	if m.within && m.back > 0 {
		for ; from < m.i; from++ {
			if strings.HasPrefix(m.s[from:m.i], "\\\n") {
				m.folds = append(m.folds, from)
			}
		}
	}
}

func (m *masker) dquoted() {
	for m.i < len(m.s) {
		if m.s[m.i] == '"' {
			m.i++
			return
		}
		m.char(true)
	}
}

func (m *masker) dollar(dquote bool) {
	switch {
	case m.has("$(("):
		if m.parens(m.i).arith {
			m.i += 3
			m.expression("))")
			return
		}
		m.i += 2
		m.commands(')')
	case m.has("$("):
		m.i += 2
		m.commands(')')
	case m.has("${"):
		m.i += 2
		m.parameter(dquote)
	case m.has("$["):
		m.i += 2
		m.expression("]")
	case m.has("$'") && !dquote:
		_, n := ansiC(m.s[m.i+2:])
		m.i += 2 + n
	default:
		m.i++
	}
}

// blank replaces the text from a position on, but keeps line ends and the
// pieces listed.
func (m *masker) blank(from, to int, fill byte, keep []span) {
	if m.dry {
		return
	}
	for j := from; j < to; j++ {
		if len(keep) > 0 && j == keep[0].from {
			j = keep[0].to - 1
			keep = keep[1:]
			continue
		}
		if m.out[j] != '\n' && m.out[j] != fill {
			m.out[j] = fill
			m.done = true
		}
	}
}

// inner steps over what a blanked text may contain and remembers commands.
func (m *masker) inner(keep []span, dquote bool) []span {
	from := m.i
	switch {
	case m.has("$(") && !m.has("$(("), m.has("`"):
		m.char(dquote)
		return append(keep, span{from, m.i})
	case m.has("$(("):
		m.i += 3
		k := m.region("))", true)
		return append(keep, k...)
	case m.has("${"):
		m.i += 2
		return append(keep, m.region("}", dquote && !m.within)...) // bash reads '…' as one piece there
	case m.has("\\"):
		if m.within && m.has("\\\n") {
			m.fold(false)
		}
		m.i = min(m.i+2, len(m.s))
	case m.has("\""):
		m.i++
		for m.i < len(m.s) && m.s[m.i] != '"' {
			keep = m.inner(keep, true)
		}
		m.i = min(m.i+1, len(m.s))
	case m.has("'") && !dquote:
		m.skipSingle()
	default:
		m.i++
	}
	return keep
}

// region reads up to the end of a bracketed text and returns the commands in
// it.
func (m *masker) region(end string, dquote bool) (keep []span) {
	defer m.leave()
	if !m.enter() {
		m.i = len(m.s)
	}
	open := map[byte]byte{')': '(', ']': '[', '}': 0}[end[0]]
	for n := 0; m.i < len(m.s); {
		if n == 0 && m.has(end) {
			m.i += len(end)
			return keep
		}
		switch c := m.s[m.i]; {
		case c == open:
			n++
			m.i++
		case c == end[0] && open != 0:
			n = max(0, n-1)
			m.i++
		default:
			keep = m.inner(keep, dquote)
		}
	}
	return keep
}

// expression blanks an arithmetic expression.
func (m *masker) expression(end string) {
	from := m.i
	keep := m.region(end, true)
	if m.i == len(m.s) && !strings.HasSuffix(m.s, end) {
		return // not closed: let the parser say so
	}
	to := m.i - len(end)
	if m.dry {
		return
	}
	if from == to && from >= 3 && end == "))" && m.s[from-3] == '$' { // $(())
		copy(m.out[from-2:], "{__}")
		m.done = true
		return
	}
	if strings.IndexByte(m.s[from:to], ';') >= 0 { // for ((…;…;…))
		keep = withSemicolons(from, to, m.s, keep)
	}
	m.blank(from, to, '0', keep)
	// The parser wants an operator before a line end inside the expression.
	last := to
	for last > from && (m.out[last-1] == '\n' || m.out[last-1] == ';') {
		last--
	}
	for j := from + 1; j < last; j++ {
		if m.out[j] == '\n' && m.out[j-1] == '0' {
			m.out[j-1] = '+'
		}
	}
}

// withSemicolons adds the semicolons outside of the commands to keep.
func withSemicolons(from, to int, s string, cmds []span) (out []span) {
	for j := from; j < to; j++ {
		if len(cmds) > 0 && j == cmds[0].from {
			out = append(out, cmds[0])
			j = cmds[0].to - 1
			cmds = cmds[1:]
		} else if s[j] == ';' {
			out = append(out, span{j, j + 1})
		}
	}
	return out
}

// parameter blanks the inside of ${…}.
func (m *masker) parameter(dquote bool) {
	from := m.i
	if m.peek(0) == '}' { // ${}
		m.i++
		if m.dry {
			return
		}
		copy(m.out[from-1:], "__")
		m.done = true
		return
	}
	keep := m.region("}", dquote && !m.within)
	to := m.i - 1
	if m.i > len(m.s) || to < from || m.s[to] != '}' || isName(m.s[from:to]) || to == from {
		return
	}
	if len(keep) > 0 && keep[0].from < from+2 {
		return
	}
	operand := len(keep) > 0 || strings.IndexByte(m.s[from:to], '\n') >= 0
	if operand && (to < from+2 || m.s[from] == '\n' || m.s[from+1] == '\n') {
		return
	}
	m.blank(from, to, '_', keep)
	if operand && !m.dry {
		m.out[from+1] = '-'
	}
}

// ahead is where the subscript that begins at i ends. Brackets that are not closed are looked
// for to the end of the text, which is not done for very many of them.
func (m *masker) ahead(i int) (end int, ok bool) {
	if m.sought > maxSought*len(m.s) {
		return len(m.s), false
	}
	end, ok = m.to(i)
	m.sought += end - i
	return end, ok
}

// maxSought is how many times the length of a text is looked through for ends of subscripts.
const maxSought = 16

// subscript blanks name[…]= at the current position, or […]= if not named.
func (m *masker) subscript(named bool) bool {
	j := m.i
	if named {
		if !nameStart(m.peek(0)) {
			return false
		}
		for j < len(m.s) && nameByte(m.s[j]) {
			j++
		}
	}
	if j >= len(m.s) || m.s[j] != '[' {
		return false
	}
	end, ok := m.ahead(j + 1)
	if !ok || end == j+1 && !(m.names && named) || !strings.HasPrefix(m.s[end+1:], "=") && !strings.HasPrefix(m.s[end+1:], "+=") {
		return false
	}
	m.i = j + 1
	keep := m.region("]", false)
	switch {
	case m.names && named && len(keep) == 0:
		m.blank(j, m.i, '_', nil)
	case !named && m.has("+"): // [i]+=v: the parser knows only [i]=v
		m.blank(j+1, m.i, '0', keep)
		if !m.dry {
			m.out[m.i] = ']'
		}
	default:
		m.blank(j+1, m.i-1, '0', keep)
	}
	for m.i < len(m.s) && (m.s[m.i] == '+' || m.s[m.i] == '=') {
		m.i++
		if m.s[m.i-1] == '=' {
			break
		}
	}
	if !named && m.has("=") { // [i]==v: the value is =v
		m.blank(m.i, m.i+1, '_', nil)
	}
	return true
}

// array reads the elements of name=( … ).
func (m *masker) array() {
	start := true
	for m.i < len(m.s) {
		c := m.s[m.i]
		if m.has("\\\n") {
			m.char(false)
			continue
		}
		if start {
			if c == '#' {
				m.comment()
				continue
			}
			if m.subscript(false) {
				start = false
				continue
			}
			if c == '=' || c == '[' { // a pattern: [0-9]*
				m.blank(m.i, m.i+1, '_', nil)
			}
			if m.has("[]=") || m.has("[]+=") {
				m.blank(m.i, m.i+2, '_', nil)
			}
		}
		start = false
		switch c {
		case ')':
			m.i++
			return
		case ' ', '\t', '\n':
			start = true
			m.i++
		case '#':
			m.hash()
		case '=': // behind a quote or an expansion: ("a"=b)
			m.blank(m.i, m.i+1, '_', nil)
			m.i++
		default:
			m.char(false)
		}
	}
}
