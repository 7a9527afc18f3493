package readline

import (
	"strconv"
	"strings"
)

// version is readline's, as $if compares it: 8.2.
const version = 82

// deepest is how deep files may include files.
const deepest = 32

// Source reads the lines of a file; name is the file's in messages.
func (s *Session) Source(text, name string) {
	if s.nested++; s.nested > deepest {
		s.Tell("files are included too deeply")
	} else {
		s.file, s.line = name, 0
		for line := range strings.Lines(text) {
			s.line++
			line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			s.Line(line)
		}
	}
	s.nested--
	s.file = "" // a file that includes another has no lines any more
}

func (s *Session) wrong(message string) {
	if s.file != "" {
		message = s.file + ": line " + strconv.Itoa(s.line) + ": " + message
	}
	s.Tell(message)
}

func (s *Session) leavesOut() bool {
	outs := s.Editor.Outs
	return len(outs) > 0 && outs[len(outs)-1]
}

// Line does what a line of a file says: a binding, a setting or a directive.
func (s *Session) Line(line string) {
	line, _, _ = strings.Cut(line, "\x00")
	line = strings.TrimLeft(line, " \t")
	switch {
	case line == "" || line[0] == '#':
		return
	case line[0] == '$':
		s.directive(line[1:])
		return
	case s.leavesOut():
		return
	}
	end := 0
	if line[0] == '"' {
		if end = skip(line, 1, '"'); end == len(line) {
			s.wrong(line + ": no closing `\"' in key binding")
			return
		}
		end++
	}
	if n := strings.IndexAny(line[end:], ": \t"); n >= 0 {
		end += n
	} else {
		end = len(line)
	}
	if end == 0 {
		s.wrong("`" + line + "': invalid key binding: missing key sequence")
		return
	}
	key, rest := line[:end], line[end:]
	same := strings.HasPrefix(rest, ":=")
	if rest != "" {
		rest = rest[1:]
	}
	if strings.EqualFold(key, "set") {
		s.setting(rest)
		return
	}
	to := strings.TrimLeft(rest, " \t")
	macro := to != "" && (to[0] == '\'' || to[0] == '"')
	from := 0
	if macro {
		if from = skip(to, 1, to[0]); from == len(to) {
			s.wrong("`" + to + "': missing closing quote for macro")
			return
		}
	}
	if n := strings.IndexAny(to[from:], " \t"); n >= 0 {
		to = to[:from+n]
	}
	switch {
	case same:
	case end == len(line):
		s.wrong(line + ": no key sequence terminator")
	case key[0] == '"':
		seq := key[1:skip(key, 1, '"')]
		if macro {
			s.bind(seq, toMacro, s.macro(to))
		} else {
			s.bind(seq, toFunction, function(to))
		}
	default:
		s.named(key, to, macro)
	}
}

// macro is the text of a quoted macro.
func (s *Session) macro(quoted string) string {
	text := quoted[1:]
	if text != "" && text[len(text)-1] == quoted[0] {
		text = text[:len(text)-1]
	}
	return translate(text, s.convertsMeta())
}

// keyNames are the names of keys that have one.
var keyNames = []struct {
	name string
	key  byte
}{
	{"DEL", rubout}, {"ESC", esc}, {"Escape", esc}, {"LFD", '\n'}, {"Newline", '\n'}, {"RET", '\r'}, {"Return", '\r'},
	{"Rubout", rubout}, {"SPC", ' '}, {"Space", ' '}, {"Tab", '\t'},
}

// named binds a key that is given by its name: Control-Meta-x, RETURN.
func (s *Session) named(name, to string, macro bool) {
	short := name[strings.LastIndexByte(name, '-')+1:]
	key := byte(0)
	if short != "" {
		key = short[0]
	}
	for _, k := range keyNames {
		if strings.EqualFold(k.name, short) {
			key = k.key
		}
	}
	modifiers, modified := strings.ToLower(name), false
	for _, p := range []string{"control-", "c-", "ctrl-"} {
		if !modified && strings.Contains(modifiers, p) {
			key, modified = upper(key)&31, true
		}
	}
	meta := strings.Contains(modifiers, "meta") || strings.Contains(modifiers, "m-")
	if meta {
		key |= 128
	}
	keys := string([]byte{key})
	if meta && s.convertsMeta() {
		keys = "\x1b" + string(rune(key&127))
	}
	switch {
	case !modified && !meta && short != name:
		s.wrong(name + ": unknown key modifier")
	case macro:
		s.bindKeys(keys, toMacro, s.macro(to))
	case strings.EqualFold(to, "prefix-meta"):
		s.bindKeys(keys, toMeta, "")
	default:
		s.bindKeys(keys, toFunction, function(to))
	}
}

// setting is what follows set: a variable and its value.
func (s *Session) setting(rest string) {
	name, value := word(strings.TrimLeft(rest, " \t"))
	if v, ok := find(switches, name); ok {
		s.Editor.turn(v.Name, strings.TrimRight(value, " \t"))
		return
	}
	v, ok := find(texts, name)
	if !ok {
		s.wrong(name + ": unknown variable name")
		return
	}
	if value != "" && value[0] == '"' {
		value = value[1:skip(value, 1, '"')]
	} else {
		value = strings.TrimRight(value, " \t")
	}
	if !s.Editor.set(v.Name, value) {
		s.wrong(v.Name + ": could not set value to `" + value + "'")
	}
}

// word cuts off the first word of a text.
func word(text string) (first, rest string) {
	n := strings.IndexAny(text, " \t")
	if n < 0 {
		return text, ""
	}
	return text[:n], strings.TrimLeft(text[n:], " \t")
}

// directive is a line that begins with $.
func (s *Session) directive(line string) {
	name, args := word(strings.TrimLeft(line, " \t"))
	e := s.Editor
	depth := len(e.Outs)
	switch strings.ToLower(name) {
	case "if":
		out := s.leavesOut()
		if !out {
			out = s.test(args)
		}
		e.Outs = append(e.Outs, out)
	case "else":
		switch {
		case depth == 0:
			s.wrong("$else found without matching $if")
		case depth == 1 || !e.Outs[depth-2]:
			e.Outs[depth-1] = !e.Outs[depth-1]
		}
	case "endif":
		if depth == 0 {
			s.wrong("$endif without matching $if")
			return
		}
		e.Outs = e.Outs[:depth-1]
	case "include":
		if s.leavesOut() || s.Read == nil {
			return
		}
		text, err := s.Read(args)
		if err != nil {
			text = ""
		}
		s.Source(text, args)
	default:
		s.wrong(name + ": unknown parser directive")
	}
}

// test reports whether the lines of an $if are left out.
func (s *Session) test(args string) (out bool) {
	first, _ := word(args)
	fold := strings.EqualFold
	switch {
	case hasPrefixFold(first, "term="):
		short, _, _ := strings.Cut(s.Terminal, "-")
		return !fold(first[5:], short) && !fold(first[5:], s.Terminal)
	case hasPrefixFold(first, "mode="):
		return !fold(first[5:], s.Editor.Value("editing-mode"))
	case hasPrefixFold(first, "version"):
		return !s.compareVersion(args[len("version"):])
	case fold(first, "bash"):
		return false
	}
	for _, list := range [][]Setting{switches, texts} {
		if v, ok := find(list, first); ok {
			return !s.compareValue(v.Name, args[len(first):])
		}
	}
	return true
}

// operator reads a comparison; without one it says which was expected.
func (s *Session) operator(text string, allowed []string, what string) (op, rest string, ok bool) {
	text = strings.TrimLeft(text, " \t")
	for _, op := range []string{"==", "!=", "<=", ">=", "=", "<", ">"} {
		rest, ok := strings.CutPrefix(text, op)
		if !ok {
			continue
		}
		for _, a := range allowed {
			if a == op {
				return op, strings.TrimLeft(rest, " \t"), true
			}
		}
	}
	if text == "" {
		text = "end-of-line"
	}
	s.wrong(what + " operator expected, found `" + text + "'")
	return "", "", false
}

func (s *Session) compareValue(name, text string) bool {
	op, rest, ok := s.operator(text, []string{"=", "==", "!="}, "equality comparison")
	if !ok {
		return false
	}
	if rest == "" {
		s.wrong("argument expected, found `'")
		return false
	}
	value, _ := word(rest)
	return strings.EqualFold(value, s.Editor.Value(name)) == (op != "!=")
}

func (s *Session) compareVersion(text string) bool {
	op, rest, ok := s.operator(text, []string{"=", "==", "!=", "<", "<=", ">", ">="}, "comparison")
	if !ok {
		return false
	}
	digits := func(t string) int { return len(t) - len(strings.TrimLeft(t, "0123456789")) }
	n := digits(rest)
	if n == 0 {
		s.wrong("numeric argument expected, found `" + rest + "'")
		return false
	}
	major, _ := strconv.Atoi(rest[:n])
	minor, tail := 0, rest[n:]
	if strings.HasPrefix(tail, ".") {
		k := digits(tail[1:])
		if k == 0 && len(tail) > 1 {
			s.wrong("numeric argument expected, found `" + rest + "'")
			return false
		}
		minor, _ = strconv.Atoi(tail[1 : 1+k])
		tail = tail[1+k:]
	}
	if after := strings.TrimLeft(tail, " \t"); after != "" && after[0] != '#' {
		s.wrong("trailing garbage on line: `" + tail + "'")
		return false
	}
	at := major*10 + minor
	switch op {
	case "!=":
		return version != at
	case "<":
		return version < at
	case "<=":
		return version <= at
	case ">":
		return version > at
	case ">=":
		return version >= at
	}
	return version == at
}
