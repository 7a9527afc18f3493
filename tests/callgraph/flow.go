package callgraph

import (
	"go/ast"
	"go/types"
	"strings"
)

// build finds who calls whom.
func (g *Graph) build(files []*ast.File) {
	for _, obj := range g.Info.Defs {
		if n, ok := obj.(*types.TypeName); ok {
			if t, ok := n.Type().(*types.Named); ok && !types.IsInterface(t) {
				g.named = append(g.named, t)
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body == nil {
					continue
				}
				fn := g.Info.Defs[d.Name].(*types.Func)
				g.Body[fn], g.things[fn] = d.Body, fn.Signature()
				g.walk(fn, d.Body)
			case *ast.GenDecl:
				g.walk(f.Name.Name, d) // what is done when the package begins
			}
		}
	}
	g.solve()
}

// solve lets function values flow until nothing changes.
func (g *Graph) solve() {
	for changed := true; changed; {
		changed = false
		for from, all := range g.flows {
			for to := range all {
				for f := range g.holds[from] {
					changed = g.hold(to, f) || changed
				}
			}
		}
		for _, c := range g.calls {
			for f := range g.holds[c.at] {
				if g.call(c.from, f) {
					changed = true
				}
				if g.things[f] != nil {
					changed = g.arguments(c.from, c.call, f, g.things[f]) || changed
				}
			}
		}
	}
}

func (g *Graph) call(from, to Func) bool {
	if fn, ok := to.(*types.Func); ok {
		to = fn.Origin()
	}
	if g.Calls[from] == nil {
		g.Calls[from] = map[Func]bool{}
	}
	if g.Calls[from][to] {
		return false
	}
	g.Calls[from][to] = true
	return true
}

func (g *Graph) hold(at place, f Func) bool {
	if g.holds[at] == nil {
		g.holds[at] = map[Func]bool{}
	}
	if g.holds[at][f] {
		return false
	}
	g.holds[at][f] = true
	return true
}

// flow says that the value of an expression may come to a place.
func (g *Graph) flow(e ast.Expr, to place) bool {
	if e == nil || to == nil {
		return false
	}
	fns, places := g.values(e)
	changed := false
	for _, f := range fns {
		changed = g.hold(to, f) || changed
	}
	for _, p := range places {
		if g.flows[p] == nil {
			g.flows[p] = map[place]bool{}
		}
		changed = changed || !g.flows[p][to]
		g.flows[p][to] = true
	}
	return changed
}

func signature(t types.Type) *types.Signature {
	if t == nil {
		return nil
	}
	s, _ := t.Underlying().(*types.Signature)
	return s
}

// any1 is the place of all function values with a signature that are kept where nobody looks further.
func any1(t types.Type) place {
	if s := signature(t); s != nil {
		return elements(types.TypeString(types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic()), func(p *types.Package) string { return p.Path() }))
	}
	return nil
}

// values gives the functions that an expression is, and the places it may be read from.
func (g *Graph) values(e ast.Expr) (fns []Func, from []place) {
	t := g.Info.Types[e].Type
	switch e := e.(type) {
	case *ast.ParenExpr:
		return g.values(e.X)
	case *ast.FuncLit:
		return []Func{e}, nil
	case *ast.Ident:
		switch o := g.Info.Uses[e].(type) {
		case *types.Func:
			return []Func{o.Origin()}, nil
		case *types.Var:
			return nil, []place{o.Origin()}
		}
		if o, ok := g.Info.Defs[e].(*types.Var); ok {
			return nil, []place{o}
		}
		return nil, nil
	case *ast.SelectorExpr:
		if s := g.Info.Selections[e]; s != nil {
			if v, ok := s.Obj().(*types.Var); ok {
				return nil, []place{v.Origin()}
			}
			return g.methods(s.Recv(), s.Obj().(*types.Func)), nil
		}
		return g.values(e.Sel)
	case *ast.CallExpr:
		if g.Info.Types[e.Fun].IsType() && len(e.Args) == 1 {
			return g.values(e.Args[0])
		}
		all, _ := g.values(e.Fun)
		for _, f := range all {
			from = append(from, result{f, 0})
		}
		return nil, append(from, any1(t))
	case *ast.IndexExpr:
		if fns, from := g.values(e.X); len(fns) > 0 { // an instance of a generic function
			return fns, from
		}
	case *ast.IndexListExpr:
		return g.values(e.X)
	}
	if p := any1(t); p != nil {
		return nil, []place{p}
	}
	return nil, nil
}

// methods gives what a call of a method reaches.
func (g *Graph) methods(recv types.Type, m *types.Func) (all []Func) {
	i, ok := m.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return []Func{m.Origin()}
	}
	if tp, ok := types.Unalias(recv).(*types.TypeParam); ok {
		i, _ = tp.Constraint().Underlying().(*types.Interface)
	}
	for _, t := range g.named {
		if f := g.implements(t, i, m.Name()); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// implements gives the method of a type that has all of an interface, by name.
func (g *Graph) implements(t *types.Named, i *types.Interface, name string) Func {
	if i == nil {
		return nil
	}
	ptr := types.NewPointer(t)
	if t.TypeParams().Len() == 0 && !types.Implements(ptr, i) {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(ptr, true, t.Obj().Pkg(), name)
	if f, ok := obj.(*types.Func); ok {
		if t.TypeParams().Len() > 0 && !hasAll(ptr, t.Obj().Pkg(), i) {
			return nil
		}
		return f.Origin()
	}
	return nil
}

func hasAll(t types.Type, pkg *types.Package, i *types.Interface) bool {
	for m := range i.Methods() {
		if obj, _, _ := types.LookupFieldOrMethod(t, true, pkg, m.Name()); obj == nil {
			return false
		}
	}
	return true
}

// walk notes the calls and flows of a function's body; literals in it are functions of their own.
func (g *Graph) walk(self Func, body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			g.outer[n] = self
			g.Body[n], g.things[n] = n.Body, g.Info.Types[n].Type.(*types.Signature)
			g.walk(n, n.Body)
			return false
		case *ast.CallExpr:
			g.called(self, n)
		case *ast.AssignStmt:
			g.assigned(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			var to []ast.Expr
			for _, id := range n.Names {
				to = append(to, id)
			}
			g.assigned(to, n.Values)
		case *ast.ReturnStmt:
			for i, e := range n.Results {
				if signature(g.Info.Types[e].Type) != nil {
					g.flow(e, result{self, i})
				}
			}
		case *ast.RangeStmt:
			g.ranged(self, n)
		case *ast.CompositeLit:
			g.composed(n)
		case *ast.SendStmt:
			g.flow(n.Value, any1(g.Info.Types[n.Value].Type))
		}
		return true
	})
}

// target is the place of an expression that is assigned to.
func (g *Graph) target(e ast.Expr, t types.Type) place {
	if _, at := g.values(e); len(at) == 1 {
		return at[0]
	}
	return any1(t)
}

func (g *Graph) assigned(to, from []ast.Expr) {
	if len(to) != len(from) {
		if len(from) == 1 { // several results
			if call, ok := from[0].(*ast.CallExpr); ok {
				fns, _ := g.values(call.Fun)
				for i, e := range to {
					for _, f := range fns {
						if at := g.target(e, g.typeOf(e)); at != nil && signature(g.typeOf(e)) != nil {
							r := result{f, i}
							if g.flows[r] == nil {
								g.flows[r] = map[place]bool{}
							}
							g.flows[r][at] = true
						}
					}
				}
			}
		}
		return
	}
	for i := range from {
		if t := g.typeOf(to[i]); signature(t) != nil {
			g.flow(from[i], g.target(to[i], t))
		} else if t := g.Info.Types[from[i]].Type; signature(t) != nil { // to an interface
			g.flow(from[i], any1(t))
		}
	}
}

func (g *Graph) typeOf(e ast.Expr) types.Type {
	if t := g.Info.Types[e].Type; t != nil {
		return t
	}
	if id, ok := e.(*ast.Ident); ok {
		if o := g.Info.Defs[id]; o != nil {
			return o.Type()
		}
		if o := g.Info.Uses[id]; o != nil {
			return o.Type()
		}
	}
	return nil
}

func (g *Graph) ranged(self Func, n *ast.RangeStmt) {
	t := g.Info.Types[n.X].Type
	if signature(t) != nil { // an iterator is called
		g.dynamic(self, n.X, nil)
		return
	}
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if e == nil {
			continue
		}
		if t := g.typeOf(e); signature(t) != nil {
			if at := g.target(e, t); at != nil {
				p := any1(t)
				if g.flows[p] == nil {
					g.flows[p] = map[place]bool{}
				}
				g.flows[p][at] = true
			}
		}
	}
}

func (g *Graph) composed(n *ast.CompositeLit) {
	t := g.Info.Types[n].Type.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	s, isStruct := t.(*types.Struct)
	for i, e := range n.Elts {
		v := e
		var at place
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			v = kv.Value
			if id, ok := kv.Key.(*ast.Ident); ok && isStruct {
				if f, ok := g.Info.Uses[id].(*types.Var); ok {
					at = f.Origin()
				}
			}
		} else if isStruct {
			at = s.Field(i).Origin()
		}
		vt := g.Info.Types[v].Type
		if signature(vt) == nil {
			continue
		}
		if at == nil {
			at = any1(vt)
		}
		g.flow(v, at)
	}
}

// dynamic notes the call of a function value.
func (g *Graph) dynamic(self Func, e ast.Expr, call *ast.CallExpr) {
	fns, from := g.values(e)
	for _, f := range fns {
		g.call(self, f)
		if s := g.things[f]; s != nil && call != nil {
			g.arguments(self, call, f, s)
		}
	}
	for _, p := range from {
		if p != nil {
			g.calls = append(g.calls, dynamic{self, p, call})
		}
	}
}

func (g *Graph) called(self Func, call *ast.CallExpr) {
	tv := g.Info.Types[call.Fun]
	if tv.IsType() {
		return
	}
	if tv.IsBuiltin() {
		for _, a := range call.Args { // append
			g.flow(a, any1(g.Info.Types[a].Type))
		}
		return
	}
	fns, from := g.values(call.Fun)
	for _, f := range fns {
		g.call(self, f)
		fn, declared := f.(*types.Func)
		if declared && !g.ours[fn.Pkg()] {
			g.outside(self, call, fn)
			continue
		}
		if s := signature(tv.Type); s != nil {
			if declared {
				s = fn.Origin().Signature()
			}
			g.arguments(self, call, f, s)
		}
	}
	for _, p := range from {
		if p != nil {
			g.calls = append(g.calls, dynamic{self, p, call})
		}
	}
}

// arguments lets the arguments of a call flow to the parameters.
func (g *Graph) arguments(_ Func, call *ast.CallExpr, _ Func, s *types.Signature) (changed bool) {
	if call == nil {
		return false
	}
	for i, a := range call.Args {
		t := g.Info.Types[a].Type
		if signature(t) == nil {
			continue
		}
		n := s.Params().Len()
		if i < n && !(s.Variadic() && i == n-1) && signature(s.Params().At(i).Type()) != nil {
			changed = g.flow(a, s.Params().At(i).Origin()) || changed
			continue
		}
		changed = g.flow(a, any1(t)) || changed
	}
	return changed
}

// outside says that a function of another module calls what it is given: functions, and the methods
// that the parameter's interface has, or for any those that package fmt looks for.
func (g *Graph) outside(self Func, call *ast.CallExpr, fn *types.Func) {
	s := fn.Signature()
	args := call.Args
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && g.Info.Selections[sel] != nil {
		args = append([]ast.Expr{}, args...)
	}
	for i, a := range args {
		t := g.Info.Types[a].Type
		if signature(t) != nil {
			g.dynamic(self, a, nil)
			continue
		}
		if s.Params().Len() == 0 {
			continue
		}
		param := s.Params().At(min(i, s.Params().Len()-1)).Type()
		if s.Variadic() && i >= s.Params().Len()-1 {
			if l, ok := param.(*types.Slice); ok {
				param = l.Elem()
			}
		}
		it, ok := param.Underlying().(*types.Interface)
		if !ok {
			continue
		}
		names := []string{"String", "Error", "Format", "GoString"}
		if it.NumMethods() > 0 {
			names = names[:0]
			for m := range it.Methods() {
				names = append(names, m.Name())
			}
		} else if !strings.HasPrefix(fn.Pkg().Path(), "fmt") {
			continue
		}
		for _, name := range names {
			if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name); obj != nil {
				if f, ok := obj.(*types.Func); ok && f.Exported() {
					for _, m := range g.methods(t, f) {
						g.call(self, m)
					}
				}
			}
		}
	}
}
