package readline

import (
	"strconv"
	"strings"
)

// Setting is a variable of the editor that was set.
type Setting struct {
	Name  string `cbor:"1,keyasint,omitempty"` // as switches and texts spell it
	Value string `cbor:"2,keyasint,omitempty"`
}

// switches are the variables that are on or off, and what they are at first.
var switches = []Setting{
	{"bind-tty-special-chars", "on"}, {"blink-matching-paren", "off"}, {"byte-oriented", "off"}, {"colored-completion-prefix", "off"},
	{"colored-stats", "off"}, {"completion-ignore-case", "off"}, {"completion-map-case", "off"}, {"convert-meta", "off"},
	{"disable-completion", "off"}, {"echo-control-characters", "on"}, {"enable-active-region", "off"}, {"enable-bracketed-paste", "off"},
	{"enable-keypad", "off"}, {"enable-meta-key", "on"}, {"expand-tilde", "off"}, {"history-preserve-point", "off"},
	{"horizontal-scroll-mode", "off"}, {"input-meta", "on"}, {"mark-directories", "on"}, {"mark-modified-lines", "off"},
	{"mark-symlinked-directories", "off"}, {"match-hidden-files", "on"}, {"menu-complete-display-prefix", "off"}, {"meta-flag", "on"},
	{"output-meta", "on"}, {"page-completions", "on"}, {"prefer-visible-bell", "on"}, {"print-completions-horizontally", "off"},
	{"revert-all-at-newline", "off"}, {"show-all-if-ambiguous", "off"}, {"show-all-if-unmodified", "off"}, {"show-mode-in-prompt", "off"},
	{"skip-completed-text", "off"}, {"visible-stats", "off"},
}

// texts are the others. What editing-mode and keymap are is kept by itself.
var texts = []Setting{
	{"active-region-end-color", ""}, {"active-region-start-color", ""}, {"bell-style", "audible"}, {"comment-begin", "#"},
	{"completion-display-width", "-1"}, {"completion-prefix-display-length", "0"}, {"completion-query-items", "100"}, {"editing-mode", ""},
	{"emacs-mode-string", "@"}, {"history-size", "0"}, {"isearch-terminators", ""}, {"keymap", ""}, {"keyseq-timeout", "500"},
	{"vi-cmd-mode-string", "(cmd)"}, {"vi-ins-mode-string", "(ins)"},
}

// find is the variable of a name, whichever case it is in.
func find(list []Setting, name string) (Setting, bool) {
	for _, v := range list {
		if strings.EqualFold(v.Name, name) {
			return v, true
		}
	}
	return Setting{}, false
}

// Value is what a variable is set to.
func (e *Editor) Value(name string) string {
	switch name {
	case "editing-mode":
		if e.Vi {
			return "vi"
		}
		return "emacs"
	case "keymap":
		return keymapName(e.Keymap)
	case "meta-flag":
		name = "input-meta"
	}
	for _, list := range [][]Setting{e.Vars, switches, texts} {
		if v, ok := find(list, name); ok {
			return v.Value
		}
	}
	return ""
}

// set gives a variable a value, which it may refuse.
func (e *Editor) set(name, value string) (done bool) {
	switch name {
	case "editing-mode":
		vi := hasPrefixFold(value, "vi")
		if !vi && !hasPrefixFold(value, "emacs") {
			return false
		}
		e.Edit(vi)
		return true
	case "keymap":
		k, ok := keymapNamed(value)
		if ok {
			e.Keymap = k
		}
		return ok
	case "bell-style":
		switch value = strings.ToLower(value); value {
		case "":
			value = "audible"
		case "off":
			value = "none"
		case "audible", "visible", "none":
		default:
			return false
		}
	case "comment-begin":
		if value == "" {
			return false
		}
	case "completion-display-width":
		value = number(value, -1, -1<<31)
	case "completion-prefix-display-length", "keyseq-timeout":
		value = number(value, 0, 0)
	case "completion-query-items":
		value = number(value, 100, 0)
	case "history-size":
		value = number(value, 500, 0)
	case "emacs-mode-string", "vi-cmd-mode-string", "vi-ins-mode-string", "isearch-terminators":
		value, _, _ = strings.Cut(translate(value, false), "\x00")
	}
	e.put(name, value)
	return true
}

// turn sets a switch.
func (e *Editor) turn(name, value string) {
	on := value == "" || value == "1" || strings.EqualFold(value, "on")
	switch name {
	case "meta-flag":
		name = "input-meta"
	case "prefer-visible-bell":
		e.put("bell-style", map[bool]string{true: "visible", false: "audible"}[on])
	}
	e.put(name, map[bool]string{true: "on", false: "off"}[on])
}

func (e *Editor) put(name, value string) {
	vars := make([]Setting, 0, len(e.Vars)+1) // forks share the old ones
	for _, v := range e.Vars {
		if v.Name != name {
			vars = append(vars, v)
		}
	}
	e.Vars = append(vars, Setting{name, value})
}

// number reads one as atoi does: none where there is none, and at least least.
func number(s string, none, least int) string {
	if s == "" {
		return strconv.Itoa(none)
	}
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	end := 0
	for end < len(s) && ('0' <= s[end] && s[end] <= '9' || end == 0 && (s[0] == '-' || s[0] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(s[:end], 10, 32)
	return strconv.Itoa(max(int(n), least))
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
