package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// assignSlow is assign for everything but a plain scalar.
func (m *Machine) assignSlow(p *Process, e expand.Env, name string, sub *expand.Sub, value string, add bool) error {
	t := p.Shell.Vars
	v := t.Get(name)
	for i := 0; v.Is(vars.Nameref); i++ {
		target := v.String()
		if target == "" && sub == nil { // an empty nameref takes its target
			t.Own(name).SetString(value)
			return nil
		}
		if i >= 8 || target == name {
			m.complain(p, "warning: %s: circular name reference", name)
			return &expand.Error{Kind: expand.ReadOnlyVar, Text: name + ": circular name reference"}
		}
		base, text := splitRef(target)
		if text != "" {
			sub = expand.SubText(text)
		}
		name = base
		v = t.Get(name)
	}
	if v.Is(vars.ReadOnly) {
		return readOnly(name)
	}
	if v == nil || v.Is(vars.Special) {
		if done, err := m.assignSpecial(p, e, name, value); done || err != nil {
			return err
		}
	}
	value, err := m.cast(e, v, name, sub, value, add)
	if err != nil {
		return err
	}
	add = add && !v.Is(vars.Integer)
	if sub == nil && v.IsArray() {
		if v.Is(vars.Assoc) {
			sub = &expand.Sub{Text: "0", Resolved: true}
		} else {
			sub = &expand.Sub{Text: "0", Resolved: true}
		}
	}
	if sub != nil {
		return m.assignElement(p, e, name, sub, value, add)
	}
	v = t.Own(name)
	if add {
		v.AppendString(value)
	} else {
		v.SetString(value)
	}
	if p.Shell.Opts.on(OptAllexport) {
		v.SetAttrs(v.Attrs() | vars.Export)
	}
	m.noticed(p, name)
	return nil
}

// assignElement sets one element; the kind of the variable decides what a subscript is.
func (m *Machine) assignElement(p *Process, e expand.Env, name string, sub *expand.Sub, value string, add bool) error {
	t := p.Shell.Vars
	v := t.Get(name)
	if sub.All != 0 && !v.Is(vars.Assoc) {
		return &expand.Error{Kind: expand.BadAssign, Text: name + "[" + string(sub.All) + "]: bad array subscript"}
	}
	at, err := sub.Resolve(e, name, v)
	if err != nil {
		return err
	}
	v = t.Own(name)
	if v.Is(vars.Assoc) {
		if add {
			v.AppendKey(at.Text, value)
		} else {
			v.SetKey(at.Text, value)
		}
		return nil
	}
	if !v.IsArray() {
		v.MakeIndexed()
	}
	if add {
		v.AppendIndex(at.Num, value)
	} else {
		v.SetIndex(at.Num, value)
	}
	return nil
}

// cast applies the integer and case attributes to a value.
func (m *Machine) cast(e expand.Env, v *vars.Var, name string, sub *expand.Sub, value string, add bool) (string, error) {
	if v == nil {
		return value, nil
	}
	switch {
	case v.Is(vars.Integer):
		n, err := expand.EvalString(e, value)
		if err != nil {
			return "", err
		}
		if add {
			old := v.String()
			if sub != nil {
				old, _ = m.element(e, v, name, sub)
			}
			o, err := expand.EvalString(e, old)
			if err != nil {
				return "", err
			}
			n += o
		}
		return itoa(int(n)), nil
	case v.Is(vars.Upper):
		return strings.ToUpper(value), nil
	case v.Is(vars.Lower):
		return strings.ToLower(value), nil
	case v.Is(vars.Capital):
		r, n := utf8.DecodeRuneInString(value)
		if r == utf8.RuneError {
			return value, nil
		}
		return string(unicode.ToUpper(r)) + strings.ToLower(value[n:]), nil
	}
	return value, nil
}

func (m *Machine) element(e expand.Env, v *vars.Var, name string, sub *expand.Sub) (string, error) {
	at, err := sub.Resolve(e, name, v)
	if err != nil {
		return "", err
	}
	if v.Is(vars.Assoc) {
		s, _ := v.Key(at.Text)
		return s, nil
	}
	s, _ := v.Index(at.Num)
	return s, nil
}

// assignNode makes one assignment of the script.
func (m *Machine) assignNode(p *Process, e expand.Env, a *assign) error {
	if a.list {
		return m.assignList(p, e, a.name, a, 0)
	}
	value, err := m.value(e, a.value)
	if err != nil {
		return err
	}
	if p.Shell.Opts.on(OptXtrace) {
		op := "="
		if a.add {
			op = "+="
		}
		name := a.name
		if a.sub != nil {
			name += "[" + a.sub.Text + "]"
		}
		m.trace(p, name+op+quoteTrace(value))
	}
	return m.assignEnv(p, e, a.name, a.sub, value, a.add)
}

// assignList does name=( … ): all words are expanded before the variable changes.
func (m *Machine) assignList(p *Process, e expand.Env, name string, a *assign, attrs vars.Attr) error {
	t := p.Shell.Vars
	v := t.Get(name)
	for i := 0; v.Is(vars.Nameref) && i < 8; i++ {
		name = v.String()
		v = t.Get(name)
	}
	if v.Is(vars.ReadOnly) {
		return readOnly(name)
	}
	assoc := v.Is(vars.Assoc) || attrs&vars.Assoc != 0
	type item struct {
		key   string
		index int64
		value string
		keyed bool
		add   bool
	}
	var items []item
	kind := v // decides what a subscript is
	if assoc && !v.Is(vars.Assoc) {
		kind = vars.NewTable().Own(name)
		kind.MakeAssoc()
	}
	next := int64(0)
	if a.add && v != nil && !assoc {
		next = v.MaxIndex() + 1
		if !v.IsArray() && v.IsSet() {
			next = 1
		}
	}
	if assoc && !a.keyed() {
		words, err := expand.Fields(e, nil, a.values())
		if err != nil {
			return err
		}
		for i := 0; i < len(words); i += 2 {
			it := item{key: words[i], keyed: true}
			if i+1 < len(words) {
				it.value = words[i+1]
			}
			items = append(items, it)
		}
	} else {
		for _, el := range a.array {
			if el.sub != nil {
				value, err := m.value(e, el.value)
				if err != nil {
					return err
				}
				at, err := el.sub.Resolve(e, name, kind)
				if err != nil {
					return err
				}
				it := item{keyed: true, value: value, add: el.add, key: at.Text, index: at.Num}
				next = it.index + 1
				items = append(items, it)
				continue
			}
			words, err := expand.Fields(e, nil, []*expand.Word{el.value})
			if err != nil {
				return err
			}
			if assoc {
				m.complain(p, "%s: %s: must use subscript when assigning associative array", name, strings.Join(words, " "))
				continue
			}
			for _, w := range words {
				items = append(items, item{index: next, value: w})
				next++
			}
		}
	}
	v = t.Own(name)
	if attrs != 0 {
		v.SetAttrs(v.Attrs() | attrs)
	}
	if !a.add {
		v.Clear()
	}
	if assoc {
		v.MakeAssoc()
	} else {
		v.MakeIndexed()
	}
	for _, it := range items {
		value, err := m.cast(e, v, name, nil, it.value, false)
		if err != nil {
			return err
		}
		v = t.Own(name)
		switch {
		case assoc && it.add:
			v.AppendKey(it.key, value)
		case assoc:
			v.SetKey(it.key, value)
		case it.add:
			v.AppendIndex(it.index, value)
		default:
			v.SetIndex(it.index, value)
		}
	}
	m.hold(len(items) * 48)
	return nil
}

// keyed reports whether an associative array's list gives [key]=value elements.
func (a *assign) keyed() bool {
	for _, el := range a.array {
		if el.sub != nil {
			return true
		}
	}
	return false
}

func (a *assign) values() []*expand.Word {
	ws := make([]*expand.Word, len(a.array))
	for i, el := range a.array {
		ws[i] = el.value
	}
	return ws
}
