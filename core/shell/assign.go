package shell

import (
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/core/vars"
)

// assignSlow is assign for everything but a plain scalar.
func (m *Machine) assignSlow(p *Process, e expand.Env, name string, sub *expand.Sub, value string, add bool) error {
	t := p.Shell.Vars
	v, first := t.Get(name), name
	for i := 0; v.Is(vars.Nameref); i++ {
		target := v.String()
		if target == "" && sub == nil { // an empty nameref takes its target
			t.Own(name).SetString(value)
			return nil
		}
		if target == name || target == first {
			return m.inCircle(p, target, func() error { return m.assignSlow(p, e, target, sub, value, add) })
		}
		if i >= 8 {
			return circularError(name)
		}
		base, text := splitRef(target)
		if text != "" {
			sub = expand.SubText(m.env(p), text)
		}
		name = base
		v = t.Get(name)
	}
	if v.Is(vars.ReadOnly) {
		return readOnly(name)
	}
	if sub != nil && v.Is(vars.Special) {
		if done, err := m.assignTable(p, e, name, sub, value); done || err != nil {
			return err
		}
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
	add = add && !v.Is(whole)
	if sub == nil && v.IsArray() {
		sub = &expand.Sub{Text: "0", Resolved: true}
	}
	if sub != nil {
		return m.assignElement(p, e, name, sub, value, add)
	}
	if v == nil {
		m.retain(vars.BindingCost)
	}
	v = t.Own(name)
	m.retainMore(v, value, add)
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
	m.retain(len(value))
	if v.Is(vars.Assoc) {
		key, err := sub.Key(e, name)
		if err != nil {
			return err
		}
		m.retain(vars.KeyCost + len(key) - takenCost)
		if v = t.Own(name); add {
			old, _ := v.Key(key)
			m.growTo(v, old, value)
			v.AppendKey(key, value)
		} else {
			v.SetKey(key, value)
		}
		return nil
	}
	at, err := sub.Index(e, name, v)
	if err != nil {
		return err
	}
	v = t.Own(name)
	if !v.IsArray() {
		v.MakeIndexed()
	}
	if add {
		old, _ := v.Index(at)
		m.growTo(v, old, value)
		v.AppendIndex(at, value)
	} else {
		v.SetIndex(at, value)
	}
	return nil
}

// whole are the attributes that look at the whole value, also when something is appended.
const whole = vars.Integer | vars.Upper | vars.Lower | vars.Capital

// cast applies the integer and case attributes to a value: with add to the whole of it.
func (m *Machine) cast(e expand.Env, v *vars.Var, name string, sub *expand.Sub, value string, add bool) (string, error) {
	if v == nil {
		return value, nil
	}
	switch {
	case v.Is(vars.Integer):
		n, err := expand.EvalValue(e, value)
		if err != nil {
			return "", err
		}
		if add {
			old := v.String()
			if sub != nil {
				old, _ = m.element(e, v, name, sub)
			}
			o, err := expand.EvalValue(e, old)
			if err != nil {
				return "", err
			}
			n += o
		}
		return itoa(int(n)), nil
	case !v.Is(whole):
		return value, nil
	}
	if add {
		old := v.String()
		if sub != nil {
			var err error
			if old, err = m.element(e, v, name, sub); err != nil {
				return "", err
			}
		}
		value = old + value
	}
	switch {
	case v.Is(vars.Upper):
		return expand.ChangeCase(value, '^', true, e.Flags()&expand.Bytes != 0, e), nil
	case v.Is(vars.Lower):
		return expand.ChangeCase(value, ',', true, e.Flags()&expand.Bytes != 0, e), nil
	case v.Is(vars.Capital):
		bytes := e.Flags()&expand.Bytes != 0
		lower := expand.ChangeCase(value, ',', true, bytes, e)
		return expand.ChangeCase(lower, '^', false, bytes, e), nil
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
	if a.value != nil && a.sub == nil && !a.add && !p.Shell.Opts.on(OptXtrace) {
		if sum, ok := a.value.Arith(); ok && !sum.NeedsMemo() {
			n, err := sum.Eval(e)
			if err != nil {
				return err
			}
			return m.rt.env.AssignInt(a.name, n)
		}
	}
	if a.nested {
		return &expand.Error{Kind: expand.BadAssign, Text: a.name + "[" + a.sub.Text + "]: cannot assign list to array member"}
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
		m.trace(p, name+op+traceValue(value, p.Shell.bytes()))
	}
	if a.empty {
		return &expand.Error{Kind: expand.BadSubscript, Text: a.name + "[]: bad array subscript"}
	}
	return m.assignEnv(p, e, a.name, a.sub, value, a.add)
}

// assignList does name=( … ): all words are expanded before the variable changes.
func (m *Machine) assignList(p *Process, e expand.Env, name string, a *assign, attrs vars.Attr) error {
	t := p.Shell.Vars
	v, first := t.Get(name), name
	for i := 0; v.Is(vars.Nameref) && i < 8; i++ {
		if target := v.String(); target == name || target == first {
			return m.inCircle(p, target, func() error { return m.assignList(p, e, target, a, attrs) })
		}
		if name = v.String(); strings.HasSuffix(name, "]") {
			return &expand.Error{Kind: expand.BadAssign, Text: "`" + name + "': not a valid identifier"}
		}
		v = t.Get(name)
	}
	if v.Is(vars.ReadOnly) {
		return readOnly(name)
	}
	if v.Is(vars.Special) {
		if noAssign(name) {
			return errSilent
		}
		if done, err := m.assignSpecial(p, e, name, ""); done || err != nil {
			return err
		}
	}
	assoc := v.Is(vars.Assoc) || attrs&vars.Assoc != 0
	a, keyed := a.forKind(assoc)
	traced := p.Shell.Opts.on(OptXtrace)
	if traced && !a.decl && validName(name) {
		expand.Once(e, func() { m.trace(p, a.text()) })
	}
	if !keyed {
		words, err := m.listFields(e, a, assoc)
		if err != nil {
			return m.listFailed(t, name, a, err)
		}
		m.rt.split = words[:0]
		if traced && a.decl {
			m.traceList(p, a, words)
		}
		v = m.emptied(t, name, assoc, a.add, attrs)
		if assoc {
			m.retainAll(words)
			m.setPairs(p, v, a, words)
			return nil
		}
		return m.appendAll(p, e, name, v, words)
	}
	// every value first, then the subscripts one by one, which see what is there already
	values := make([][]string, len(a.array))
	keys := make([]*expand.Sub, len(a.array))
	for i, el := range a.array {
		var err error
		if keys[i], err = listKey(e, el, assoc); err != nil {
			return m.listFailed(t, name, a, err)
		}
		if el.sub == nil && !el.empty {
			values[i], err = expand.ListFields(e, nil, []*expand.Word{el.value})
		} else {
			s := ""
			if !assoc {
				s, err = m.value(e, el.value)
			} else if el.value != nil {
				s, err = expand.Untilded(e, el.value)
			}
			values[i] = []string{s}
		}
		if err != nil {
			return m.listFailed(t, name, a, err)
		}
	}
	if traced && a.decl {
		if err := m.traceKeyed(p, e, a, keys, values, assoc); err != nil {
			return err
		}
	}
	var old *vars.Var // what += adds to
	if v = t.Get(name); assoc && !a.add && v != nil && slices.ContainsFunc(a.array, func(el element) bool { return el.add }) {
		old = v.Clone()
	}
	next := m.emptied(t, name, assoc, a.add, attrs).MaxIndex() + 1
	for i, el := range a.array {
		var err error
		switch {
		case el.empty:
			told := values[i][0]
			if op, value, _ := strings.Cut(told, "="); a.decl && assoc {
				told = "['']" + op[len("[]"):] + "=" + single(value)
			}
			if err = m.report(p, "%s: bad array subscript", told); err != nil {
				return err
			}
			continue
		case el.sub == nil:
			next, err = m.listWords(p, e, name, el, a, values[i], next)
		case el.sub.All != 0 && !assoc:
			m.complain(p, "[%s%s%s: cannot assign to non-numeric index", el.sub.Text, el.op(), values[i][0])
			continue
		case keys[i].Text == "" && !assoc:
			if err = m.report(p, "[%s%s: bad array subscript", el.op(), values[i][0]); err != nil {
				return err
			}
			continue
		default:
			next, err = m.listElement(p, e, name, el, a, keys[i], values[i][0], old)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setPairs fills an associative array from a list of keys and values in turn.
func (m *Machine) setPairs(p *Process, v *vars.Var, a *assign, words []string) {
	for i := 0; i < len(words); i += 2 {
		value := ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		if words[i] == "" {
			told := a.words[i].Text()
			if a.decl {
				told = "''"
			}
			m.complain(p, "%s: bad array subscript", told)
			continue
		}
		v.SetKey(words[i], value)
	}
}

// listFields expands a list without subscripts. Keys and values of an
// associative array are not split.
func (m *Machine) listFields(e expand.Env, a *assign, assoc bool) (words []string, err error) {
	words = m.rt.split[:0]
	if !assoc {
		return expand.ListFields(e, words, a.words)
	}
	for _, w := range a.words {
		s, err := expand.Untilded(e, w)
		if err != nil {
			return words, err
		}
		words = append(words, s)
	}
	return words, nil
}

// listFailed is for a list whose words cannot be expanded: bash has already made the variable an array.
func (m *Machine) listFailed(t *vars.Table, name string, a *assign, err error) error {
	if err != expand.ErrNeed && !a.decl && !t.Get(name).IsArray() {
		t.Own(name).MakeIndexed()
		t.Own(name).SetAssigned()
	}
	return err
}

// forKind is the list as the kind of the variable reads it, and whether it has
// subscripts. One for an associative array that does not begin with a subscript
// is all words, keys and values in turn.
func (a *assign) forKind(assoc bool) (*assign, bool) {
	if !assoc {
		a = a.unbraced()
	}
	if keyed := a.keyed(); !assoc || !keyed || a.array[0].sub != nil || a.array[0].empty {
		return a, keyed
	}
	copied := *a
	copied.words = nil
	for _, el := range a.array {
		if el.whole != nil {
			copied.words = append(copied.words, el.whole)
		} else {
			copied.words = append(copied.words, el.value)
		}
	}
	return &copied, false
}

// unbraced is a list for an indexed array: with words where braces make some of its elements.
func (a *assign) unbraced() *assign {
	if !slices.ContainsFunc(a.array, func(e element) bool { return e.braced != nil }) {
		return a
	}
	copied := *a
	copied.array = slices.Clone(a.array)
	for i, e := range copied.array {
		if e.braced != nil {
			copied.array[i] = element{value: e.braced}
		}
	}
	if !copied.keyed() {
		copied.words = nil
		for _, e := range copied.array {
			copied.words = append(copied.words, e.value)
		}
	}
	return &copied
}

// traceList shows a list of a declaration with what its words have become.
func (m *Machine) traceList(p *Process, a *assign, words []string) {
	shown := make([]string, len(words))
	for i, s := range words {
		shown[i] = single(s)
	}
	m.traceItems(p, a, shown)
}

// traceKeyed is traceList for a list with subscripts.
func (m *Machine) traceKeyed(p *Process, e expand.Env, a *assign, keys []*expand.Sub, values [][]string, assoc bool) error {
	var shown []string
	for i, el := range a.array {
		key := ""
		if el.sub != nil {
			k := keys[i].Text
			if assoc && el.sub.Word != nil {
				var err error
				if k, err = expand.String(e, el.sub.Word); err != nil {
					return err
				}
			}
			key = "[" + single(k) + el.op()
		}
		for _, s := range values[i] {
			shown = append(shown, key+single(s))
		}
	}
	m.traceItems(p, a, shown)
	return nil
}

func (m *Machine) traceItems(p *Process, a *assign, shown []string) {
	name, op := a.name, "="
	if a.shown != "" {
		name = a.shown
	}
	if a.add {
		op = "+="
	}
	m.trace(p, name+op+"("+strings.Join(shown, " ")+")")
}

// single puts a text in single quotes; one that is a single quote gets a backslash, as in bash.
func single(s string) string {
	if s == "'" {
		return `\'`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// emptied gives the variable of a list assignment, owned, of the right kind, and empty unless add.
func (m *Machine) emptied(t *vars.Table, name string, assoc, add bool, attrs vars.Attr) *vars.Var {
	v := t.Own(name)
	v.SetAttrs(v.Attrs() | attrs&^(vars.Indexed|vars.Assoc))
	if !add {
		v.Clear()
	}
	if assoc {
		v.MakeAssoc()
	} else {
		v.MakeIndexed()
	}
	v.SetAssigned()
	return v
}

// appendAll puts words behind the last element.
func (m *Machine) appendAll(p *Process, e expand.Env, name string, v *vars.Var, words []string) error {
	m.retainAll(words)
	at := v.MaxIndex() + 1
	cast := v.Is(whole)
	for _, w := range words {
		if cast {
			var err error
			if w, err = m.cast(e, v, name, nil, w, false); err != nil {
				return err
			}
			v = p.Shell.Vars.Own(name)
		}
		v.SetIndex(at, w)
		if at++; at%manyValues == 0 {
			m.charge(manyValues)
		}
	}
	return nil
}

// manyValues of an array are charged for before there are more.
const manyValues = 1 << 10

// listWords puts the fields of one word of a list in place from index next.
func (m *Machine) listWords(p *Process, e expand.Env, name string, el element, a *assign, words []string, next int64) (int64, error) {
	list := p.Shell.Vars.Own(name)
	if list.Is(vars.Assoc) {
		told := el.value.Text() // as it is written
		if a.decl {
			name, told = a.name, single(told)
			if a.shown != "" {
				name = a.shown
			}
		}
		m.complain(p, "%s: %s: must use subscript when assigning associative array", name, told)
		return next, nil
	}
	m.retainAll(words)
	for _, s := range words {
		s, err := m.cast(e, list, name, nil, s, false)
		if err != nil {
			return next, err
		}
		p.Shell.Vars.Own(name).SetIndex(next, s)
		next++
	}
	return next, nil
}

// op is what stands between an element's subscript and its value.
func (el *element) op() string {
	if el.add {
		return "]+="
	}
	return "]="
}

// listKey is the subscript of an element as its list's words become it: that of
// an indexed array is expanded with the values, before it is calculated.
func listKey(e expand.Env, el element, assoc bool) (*expand.Sub, error) {
	sub := el.sub
	if assoc || sub == nil || sub.Word == nil || !strings.ContainsAny(sub.Text, "$`'\"\\") {
		return sub, nil
	}
	text, err := expand.String(e, sub.Word)
	return expand.SubText(e, text), err
}

// listElement does one [subscript]=value of a list; the next plain word goes
// behind it. In an associative array += adds to what the variable held before.
func (m *Machine) listElement(p *Process, e expand.Env, name string, el element, a *assign, sub *expand.Sub, value string, old *vars.Var) (int64, error) {
	at, err := sub.Resolve(e, name, p.Shell.Vars.Get(name))
	if x, ok := err.(*expand.Error); ok && x.Kind == expand.BadSubscript { // the others are still set
		shown, told := sub.Text, value
		if p.Shell.Vars.Get(name).Is(vars.Assoc) {
			if told = el.value.Text(); a.decl {
				shown, _ = expand.String(e, el.sub.Word)
				shown, told = single(shown), single(value)
			}
		}
		err = m.report(p, "[%s%s%s: bad array subscript", shown, el.op(), told)
		return p.Shell.Vars.Get(name).MaxIndex() + 1, err
	}
	if err != nil {
		return 0, err
	}
	list := p.Shell.Vars.Own(name)
	from := list
	if old != nil && el.add {
		from = old
	}
	if value, err = m.cast(e, from, name, at, value, el.add); err != nil {
		return 0, err
	}
	m.retain(len(value))
	list = p.Shell.Vars.Own(name)
	if list.Is(vars.Assoc) {
		m.retain(vars.KeyCost + len(at.Text) - takenCost)
	}
	add := el.add && !list.Is(whole)
	switch {
	case list.Is(vars.Assoc) && add:
		if !a.add {
			before, _ := old.Key(at.Text)
			m.growTo(list, before, value)
			list.SetKey(at.Text, before+value)
			break
		}
		before, _ := list.Key(at.Text)
		m.growTo(list, before, value)
		list.AppendKey(at.Text, value)
	case list.Is(vars.Assoc):
		list.SetKey(at.Text, value)
	case add:
		before, _ := list.Index(at.Num)
		m.growTo(list, before, value)
		list.AppendIndex(at.Num, value)
	default:
		list.SetIndex(at.Num, value)
	}
	return at.Num + 1, nil
}

// keyed reports whether an associative array's list gives [key]=value elements.
func (a *assign) keyed() bool {
	for _, el := range a.array {
		if el.sub != nil || el.empty {
			return true
		}
	}
	return false
}
