package expand

import (
	"strconv"
	"strings"
)

// tildeUse says which tildes are expanded besides those that begin a word.
type tildeUse uint8

const (
	tildesInWords   tildeUse = iota // of a command: those of what looks like an assignment
	tildesAssigned                  // of a value: those after colons
	tildesInList                    // of name=( … ): none
	tildesInOperand                 // of a declaration: all of an assignment
	noTildes                        // of an associative array's list: none at all
)

// tilde expands ~, ~user, ~+, ~-, ~N; what is no such thing stays.
func (e *eval) tilde(p *part) {
	dir, ok := "", false
	inFields := e.goal == toFields && e.flags&Posix == 0 && e.tildes == tildesInWords
	if e.tildes != noTildes && (p.at == tildeStart || inFields && p.at != tildeColon || e.tildes == tildesAssigned && p.at != tildeEqual || e.tildes == tildesInOperand) {
		dir, ok = e.tildeDir(p.text)
	}
	if !ok {
		e.text("~"+p.text, hasMeta(p.text))
		return
	}
	if dir == "" { // HOME= gives an empty field, not none
		e.have = true
	}
	e.quote(dir)
}

func (e *eval) tildeDir(user string) (string, bool) {
	variable := func(name string) (string, bool) {
		if v := e.env.Var(name); v.IsSet() {
			return v.String(), true
		}
		return "", false
	}
	switch user {
	case "":
		if s, ok := variable("HOME"); ok {
			return s, true
		}
		return e.env.Home("")
	case "+":
		return variable("PWD")
	case "-":
		return variable("OLDPWD")
	}
	num := strings.TrimPrefix(user, "+")
	if neg := strings.HasPrefix(num, "-"); neg {
		num = num[1:]
		if n, err := strconv.Atoi(num); err == nil && num[0] != '+' && num[0] != '-' {
			return e.env.DirStack(-1 - n)
		}
	} else if n, err := strconv.Atoi(num); err == nil && num[0] != '+' {
		return e.env.DirStack(n)
	}
	return e.env.Home(user)
}

// Tilde expands the tilde that a text begins with, if it stands for a directory.
func Tilde(env Env, text string) string {
	user, _, _ := strings.Cut(text[1:], "/")
	dir, ok := (&eval{env: env}).tildeDir(user)
	if !ok {
		return text
	}
	return dir + text[1+len(user):]
}
