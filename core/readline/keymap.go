package readline

import (
	_ "embed" // of the defaults
	"fmt"
	"strings"
)

//go:embed defaults.inputrc
var defaults string

// The keymaps, by what a Binding's Map says. Numbers are saved: append only.
const (
	emacs = iota
	emacsMeta
	emacsCtlx
	viMove
	viInsert
	keymapCount
)

// keymapNames are the names of the keymaps; the first of each is the one that is shown.
var keymapNames = []struct {
	name   string
	keymap int
}{
	{"emacs", emacs}, {"emacs-standard", emacs}, {"emacs-meta", emacsMeta}, {"emacs-ctlx", emacsCtlx},
	{"vi", viMove}, {"vi-move", viMove}, {"vi-command", viMove}, {"vi-insert", viInsert},
}

func keymapNamed(name string) (int, bool) {
	for _, k := range keymapNames {
		if strings.EqualFold(k.name, name) {
			return k.keymap, true
		}
	}
	return 0, false
}

func keymapName(n int) string {
	for _, k := range keymapNames {
		if k.keymap == n {
			return k.name
		}
	}
	return ""
}

// What a key is bound to. Numbers are saved: append only.
const (
	toFunction uint8 = iota // Text is its name, "" for none
	toMacro                 // Text is typed
	toCommand               // Text is run by the shell
	toMeta                  // the keymap emacs-meta
	dropped                 // not a binding: the function Text lost all its keys
	toKeymap                // in a node only: more keys follow
)

// Binding is a change of a keymap.
type Binding struct {
	Map  int    `cbor:"1,keyasint,omitempty"` // the keymap, by its number
	Keys string `cbor:"2,keyasint,omitempty"` // the keys, one byte each
	Kind uint8  `cbor:"3,keyasint,omitempty"` // what they are bound to
	Text string `cbor:"4,keyasint,omitempty"` // its name, or the text itself
}

const (
	esc    = 0x1b
	rubout = 0x7f
	others = 256 // the key of a node that stands for those not in it
	// A sequence may be this long: listing goes as deep.
	longestSequence = 1000
)

// node is a keymap: what each key is bound to.
type node map[int]entry

type entry struct {
	kind uint8
	text string
	next node
}

// keymaps are all of them, as the changes have made them.
type keymaps [keymapCount]node

// newKeymaps makes the default ones with the changes.
func newKeymaps(changes []Binding) *keymaps {
	k := &keymaps{}
	for i := range k {
		k[i] = node{}
	}
	k[emacs][esc] = entry{kind: toKeymap, next: k[emacsMeta]}
	k[emacs]['X'&31] = entry{kind: toKeymap, next: k[emacsCtlx]}
	for c := 1; c < 256; c++ {
		if c >= ' ' && c != rubout {
			k[emacs][c] = entry{text: "self-insert"}
		}
		k[viInsert][c] = entry{text: "self-insert"}
	}
	for c := 'A'; c <= 'Z'; c++ {
		k[emacsMeta][int(c)] = entry{text: "do-lowercase-version"}
		k[emacsCtlx][int(c)] = entry{text: "do-lowercase-version"}
	}
	fresh := Session{Editor: &Editor{}, Tell: func(string) {}}
	fresh.Source(defaults, "")
	for _, list := range [][]Binding{fresh.Editor.Binds, changes} {
		for i := range list {
			k.change(&list[i])
		}
	}
	return k
}

func (k *keymaps) change(b *Binding) {
	switch b.Kind {
	case dropped:
		k[b.Map].drop(b.Text)
	case toMeta:
		k[b.Map].bind(b.Keys, entry{kind: toKeymap, next: k[emacsMeta]})
	default:
		k[b.Map].bind(b.Keys, entry{kind: b.Kind, text: b.Text})
	}
}

// bind gives keys a meaning. A key that had one and now begins a longer sequence
// keeps it for the case that another key follows; it gets it back when the sequence is gone.
func (n node) bind(keys string, to entry) {
	before, key := n, 0
	for i := 0; i < len(keys)-1; i++ {
		key, before = int(keys[i]), n
		old := n[key]
		if old.kind == toKeymap {
			n = old.next
			continue
		}
		next := node{}
		if old.bound() && old.text != "do-lowercase-version" {
			next[others] = old
		}
		n[key] = entry{kind: toKeymap, next: next}
		n = next
	}
	last := int(keys[len(keys)-1])
	if n[last].kind == toKeymap && to.kind != toKeymap {
		n[last].next[others] = to
		return
	}
	n[last] = to
	if to.bound() {
		return
	}
	delete(n, last)
	if shadowed, ok := n[others]; ok && len(n) == 1 && shadowed.kind != toMacro && len(keys) > 1 {
		before[key] = shadowed
	}
}

func (e entry) bound() bool { return e.kind != toFunction || e.text != "" }

// drop takes a function's keys away.
func (n node) drop(name string) {
	for key := 0; key <= others; key++ {
		switch e, ok := n[key]; {
		case !ok:
		case e.kind == toKeymap:
			e.next.drop(name)
		case e.kind == toFunction && e.text == name:
			delete(n, key)
		}
	}
}

// at is what keys are bound to: with ok false, nothing.
func (n node) at(keys string) (e entry, ok bool) {
	for i := range len(keys) {
		if e, ok = n[int(keys[i])]; !ok || i+1 < len(keys) && e.kind != toKeymap {
			return entry{}, false
		}
		n = e.next
	}
	if e.kind == toKeymap {
		e, ok = n[others]
	}
	return e, ok && e.bound()
}

// invoking adds each function's keys in the order of the keys.
func (n node) invoking(to map[string][]string, prefix, meta string) {
	for key := 0; key <= others; key++ {
		switch e, ok := n[key]; {
		case !ok:
		case e.kind == toFunction:
			to[e.text] = append(to[e.text], prefix+keyName(key))
		case e.kind != toKeymap:
		case key == esc:
			e.next.invoking(to, prefix+meta, meta)
		case key < ' ' || key == rubout:
			e.next.invoking(to, prefix+keyName(key), meta)
		default:
			e.next.invoking(to, prefix+escaped(byte(key)), meta)
		}
	}
}

// texts goes through the macros, or the commands, in the order of the keys.
func (n node) texts(kind uint8, prefix string, give func(keys, text string)) {
	for key := 0; key <= others; key++ {
		switch e, ok := n[key]; {
		case !ok:
		case e.kind == kind:
			give(prefix+keyName(key), shown(e.text))
		case e.kind == toKeymap:
			e.next.texts(kind, prefix+keyName(key), give)
		}
	}
}

// keyName is a key as listings show it.
func keyName(key int) string {
	switch {
	case key == esc:
		return `\e`
	case key == rubout:
		return `\C-?`
	case key < ' ':
		return `\C-` + escaped(lower(byte(key)|'@'))
	case key > rubout:
		return fmt.Sprintf(`\%03o`, key&255)
	}
	return escaped(byte(key))
}

// shown is a macro's text as listings show it.
func shown(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c > rubout {
			b.WriteByte(c)
		} else {
			b.WriteString(keyName(int(c)))
		}
	}
	return b.String()
}

func escaped(c byte) string {
	if c == '\\' || c == '"' {
		return `\` + string(rune(c))
	}
	return string([]byte{c})
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 32
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c &^ 32
	}
	return c
}

// translate reads a key sequence. meta says that a byte above 127 is ESC and its lower half.
func translate(seq string, meta bool) string {
	out := make([]byte, 0, len(seq))
	control, high := false, false
	for i := 0; i < len(seq); i++ {
		c := seq[i]
		if c == '\\' && i+1 < len(seq) {
			i++
			if c = seq[i]; i+1 < len(seq) && seq[i+1] == '-' && (c == 'C' || c == 'M') {
				control, high = control || c == 'C', high || c == 'M'
				i++
				continue
			}
			var used int
			c, used = escape(seq[i:])
			i += used - 1
		}
		if control {
			if c == '?' {
				c = rubout
			} else {
				c = upper(c) & 31
			}
		}
		if high {
			c |= 128
		}
		control, high = false, false
		if c > rubout && meta {
			out = append(out, esc)
			c &= 127
		}
		out = append(out, c)
	}
	return string(out)
}

// escape reads what stands behind a backslash, which is not at the end.
func escape(s string) (c byte, used int) {
	if i := strings.IndexByte(`abdefnrtv`, s[0]); i >= 0 {
		return "\a\b\x7f\x1b\f\n\r\t\v"[i], 1
	}
	if s[0] == 'x' {
		n := 0
		for used = 1; used < len(s) && used < 3; used++ {
			d := strings.IndexByte("0123456789abcdef", lower(s[used]))
			if d < 0 {
				break
			}
			n = n<<4 | d
		}
		if used == 1 {
			return 'x', 1
		}
		return byte(n), used
	}
	n := 0
	for used < len(s) && used < 3 && '0' <= s[used] && s[used] <= '7' {
		n = n<<3 | int(s[used]-'0')
		used++
	}
	if used == 0 {
		return s[0], 1
	}
	return byte(n), used
}
