// Package readline is what a script can see of bash's line editor: the key
// bindings and variables that the builtin bind sets and lists. No line is edited.
package readline

import (
	"slices"
	"strings"
)

// Editor is what differs from the defaults. Forks share it: a Session changes a copy.
type Editor struct {
	Binds  []Binding `cbor:"1,keyasint,omitempty"` // changes of the keymaps, oldest first
	Vars   []Setting `cbor:"2,keyasint,omitempty"` // variables, the last one set at the end
	Keymap int       `cbor:"3,keyasint,omitempty"` // the one at hand
	Vi     bool      `cbor:"4,keyasint,omitempty"` // the editing mode is vi
	Begun  bool      `cbor:"5,keyasint,omitempty"` // the user's file of bindings has been read
	Outs   []bool    `cbor:"6,keyasint,omitempty"` // for each open $if, whether lines are left out
}

// Wrong reports whether an Editor is none that commands could have made.
func (e *Editor) Wrong() bool {
	for _, b := range e.Binds {
		if b.Map < 0 || b.Map >= keymapCount || b.Kind >= toKeymap || len(b.Keys) > longestSequence || (b.Keys == "") != (b.Kind == dropped) {
			return true
		}
	}
	return e.Keymap < 0 || e.Keymap >= keymapCount
}

// Size is about how many bytes it takes.
func (e *Editor) Size() (n int64) {
	for _, b := range e.Binds {
		n += int64(len(b.Keys)+len(b.Text)) + 64
	}
	for _, v := range e.Vars {
		n += int64(len(v.Value)) + 32
	}
	return n + int64(len(e.Outs))
}

// Edit chooses the editing mode, as set -o vi and set -o emacs do.
func (e *Editor) Edit(vi bool) {
	if e.Vi, e.Keymap = vi, emacs; vi {
		e.Keymap = viInsert
	}
}

// Session is one use of an editor.
type Session struct {
	Editor *Editor
	// Tell is given what is wrong with a line.
	Tell func(message string)
	// Read gives the text of a file that a line includes.
	Read func(name string) (string, error)
	// Terminal is the value of TERM.
	Terminal string

	file   string // that is read, "" if none
	line   int
	nested int
}

// Begin opens a session with a copy of an editor; nil is one that has not been used.
func Begin(e *Editor) *Session {
	s := &Session{Editor: &Editor{}}
	if e != nil {
		*s.Editor = *e
	}
	s.Editor.Binds = slices.Clip(s.Editor.Binds)
	s.Editor.Outs = slices.Clone(s.Editor.Outs)
	return s
}

// End closes it: the editor, in which no change is left that a later one has undone.
func (s *Session) End() *Editor {
	e := s.Editor
	type place struct {
		keymap     int
		keys, text string
	}
	last := make(map[place]bool, len(e.Binds))
	var kept []Binding
	for _, b := range slices.Backward(e.Binds) {
		at := place{b.Map, b.Keys, ""}
		if b.Kind == dropped {
			at.text = b.Text
		}
		if !last[at] {
			last[at] = true
			kept = append(kept, b)
		}
	}
	if len(kept) < len(e.Binds) {
		slices.Reverse(kept)
		e.Binds = kept
	}
	return e
}

// Use makes the keymap of a name the one at hand and gives what puts the old one back.
func (s *Session) Use(name string) (back func(), ok bool) {
	old := s.Editor.Keymap
	k, ok := keymapNamed(name)
	if !ok {
		return func() {}, false
	}
	s.Editor.Keymap = k
	return func() { s.Editor.Keymap = old }, true
}

func (s *Session) convertsMeta() bool { return s.Editor.Value("convert-meta") == "on" }

func (s *Session) keymap() node { return newKeymaps(s.Editor.Binds)[s.Editor.Keymap] }

func (s *Session) bind(seq string, kind uint8, text string) {
	s.bindKeys(translate(seq, s.convertsMeta()), kind, text)
}

func (s *Session) bindKeys(keys string, kind uint8, text string) {
	switch {
	case len(keys) > longestSequence:
		s.Tell("key sequence too long")
	case keys != "":
		s.Editor.Binds = append(s.Editor.Binds, Binding{s.Editor.Keymap, keys, kind, text})
	}
}

// Keys gives the sequences a function of the keymap at hand is called by; known is false if there is no such function.
func (s *Session) Keys(name string) (keys []string, known bool) {
	f := function(name)
	return s.invoking()[f], f != ""
}

func (s *Session) invoking() map[string][]string {
	to, meta := map[string][]string{}, `\e`
	if s.convertsMeta() {
		meta = `\M-`
	}
	s.keymap().invoking(to, "", meta)
	return to
}

// Drop takes all keys of a function away; known is false if there is no such function.
func (s *Session) Drop(name string) (known bool) {
	f := function(name)
	if f != "" {
		s.Editor.Binds = append(s.Editor.Binds, Binding{s.Editor.Keymap, "", dropped, f})
	}
	return f != ""
}

// Remove takes what a key sequence is bound to away.
func (s *Session) Remove(seq string) {
	if keys := translate(seq, s.convertsMeta()); keys != "" {
		if _, ok := s.keymap().at(keys); ok {
			s.bindKeys(keys, toFunction, "")
		}
	}
}

// Command binds keys to a command of the shell: "KEYS": COMMAND. It says what is wrong with the line.
func (s *Session) Command(line string) (wrong string) {
	seq, end, wrong := isolate(line, 0, true)
	if wrong != "" {
		return wrong
	}
	colon := strings.IndexByte(line[end:], ':')
	if colon < 0 {
		return line + ": missing colon separator"
	}
	command, _, wrong := isolate(line, end+colon+1, false)
	if wrong == "" {
		s.bind(seq, toCommand, command)
	}
	return wrong
}

// isolate reads a part of a command's binding: what is quoted, or the rest.
func isolate(line string, at int, quoted bool) (part string, end int, wrong string) {
	for at < len(line) && blank(line[at]) {
		at++
	}
	if quoted && (at == len(line) || line[at] != '"') {
		return "", 0, line + ": first non-whitespace character is not `\"'"
	}
	if at == len(line) || line[at] != '"' && line[at] != '\'' {
		return line[at:], len(line), ""
	}
	end = skip(line, at+1, line[at])
	if end == len(line) {
		return "", 0, "no closing `" + line[at:at+1] + "' in " + line
	}
	return line[at+1 : end], end, ""
}

// skip finds an unquoted character from a place on, else the end.
func skip(s string, at int, c byte) int {
	for ; at < len(s) && s[at] != c; at++ {
		if s[at] == '\\' {
			at++
		}
	}
	return min(at, len(s))
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// Listing is what bind shows for one of its options l, p, P, v, V, s, S and X.
func (s *Session) Listing(option byte) string {
	var b strings.Builder
	switch option {
	case 'l':
		for _, f := range functions {
			b.WriteString(f + "\n")
		}
	case 'p', 'P':
		s.bindings(&b, option == 'p')
	case 'v', 'V':
		for _, list := range [][]Setting{switches, texts} {
			for _, v := range list {
				v.Value = s.Editor.Value(v.Name)
				switch {
				case v.Name == "isearch-terminators" && v.Value != "":
					v.Value = shown(v.Value)
				case v.Name == "isearch-terminators" || strings.HasPrefix(v.Name, "active-region-"):
					continue
				}
				if option == 'v' {
					b.WriteString("set " + v.Name + " " + v.Value + "\n")
				} else {
					b.WriteString(v.Name + " is set to `" + v.Value + "'\n")
				}
			}
		}
	case 's', 'X':
		kind := toMacro
		if option == 'X' {
			kind = toCommand
		}
		s.keymap().texts(kind, "", func(keys, text string) { b.WriteString(`"` + keys + `": "` + text + "\"\n") })
	case 'S':
		s.keymap().texts(toMacro, "", func(keys, text string) { b.WriteString(keys + " outputs " + text + "\n") })
	}
	return b.String()
}

func (s *Session) bindings(b *strings.Builder, again bool) {
	to := s.invoking()
	b.WriteString("\n")
	for _, f := range functions {
		keys := to[same(f)]
		switch {
		case again && len(keys) == 0:
			b.WriteString("# " + f + " (not bound)\n")
		case again:
			for _, k := range keys {
				b.WriteString(`"` + k + `": ` + f + "\n")
			}
		case len(keys) == 0:
			b.WriteString(f + " is not bound to any keys\n")
		default:
			b.WriteString(f + " can be found on " + Few(keys))
		}
	}
}

// Few is a line of at most five key sequences.
func Few(keys []string) string {
	line := `"` + strings.Join(keys[:min(5, len(keys))], `", "`) + `"`
	if len(keys) > 5 {
		return line + ", ...\n"
	}
	return line + ".\n"
}
