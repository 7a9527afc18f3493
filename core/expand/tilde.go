package expand

import (
	"strconv"
	"strings"
)

// tilde expands ~, ~user, ~+, ~-, ~N; what is no such thing stays.
func (e *eval) tilde(p *part) {
	dir, ok := "", false
	inFields := e.goal == toFields && e.flags&Posix == 0
	if p.at == tildeStart || inFields && p.at != tildeColon || e.assign && p.at != tildeEqual {
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
