// Package callgraph tells which functions of a module may call which, from the types alone: no
// program is run, and nothing but the standard library is needed.
//
// It errs on the side of calls that never happen. A call through an interface may reach the method
// of every type that has the interface's methods. A function value may be whatever flows into the
// variable, parameter, field or result it is read from, in any instance and at any time; what is kept
// in slices and maps is told apart by its signature alone. What is given to a function of another
// module is called there.
package callgraph

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Func is a function: a *types.Func, or a *ast.FuncLit.
type Func any

// Graph is the calls of the packages that were read.
type Graph struct {
	Fset  *token.FileSet
	Info  *types.Info
	Calls map[Func]map[Func]bool
	Body  map[Func]*ast.BlockStmt

	ours   map[*types.Package]bool
	named  []*types.Named
	outer  map[*ast.FuncLit]Func   // what a function literal stands in
	holds  map[place]map[Func]bool // the functions that a place may hold
	flows  map[place]map[place]bool
	calls  []dynamic
	things map[Func]*types.Signature
}

// place is where a function value may be kept: a *types.Var, a result, or all elements of a signature.
type place any

type result struct {
	of Func
	n  int
}

type elements string

// dynamic is a call of a function value.
type dynamic struct {
	from Func
	at   place
	call *ast.CallExpr
}

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
	Standard                bool
}

// Load reads the packages below the folders of the module called name, in the directory dir.
func Load(dir, name string, folders ...string) (*Graph, error) {
	args := []string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,CgoFiles,Standard"}
	for _, f := range folders {
		args = append(args, "./"+f+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	g := &Graph{Fset: token.NewFileSet(), Calls: map[Func]map[Func]bool{}, Body: map[Func]*ast.BlockStmt{}, ours: map[*types.Package]bool{},
		outer: map[*ast.FuncLit]Func{}, holds: map[place]map[Func]bool{}, flows: map[place]map[place]bool{}, things: map[Func]*types.Signature{},
		Info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}}}
	im := &mixed{exports: map[string]string{}, ours: map[string]*types.Package{}}
	im.gc = importer.ForCompiler(g.Fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(im.exports[path]) })
	var files []*ast.File
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); { // dependencies come first
		var p listed
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		if p.ImportPath != name && !strings.HasPrefix(p.ImportPath, name+"/") {
			im.exports[p.ImportPath] = p.Export
			continue
		}
		read, err := g.check(p, im)
		if err != nil {
			return nil, err
		}
		files = append(files, read...)
	}
	g.build(files)
	return g, nil
}

// mixed imports our packages from their source and all others from what the compiler has made.
type mixed struct {
	gc      types.Importer
	exports map[string]string
	ours    map[string]*types.Package
}

func (m *mixed) Import(path string) (*types.Package, error) {
	if p := m.ours[path]; p != nil {
		return p, nil
	}
	return m.gc.Import(path)
}

func (g *Graph) check(p listed, im *mixed) ([]*ast.File, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(g.Fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: im}
	pkg, err := conf.Check(p.ImportPath, g.Fset, files, g.Info)
	if err != nil {
		return nil, err
	}
	im.ours[p.ImportPath], g.ours[pkg] = pkg, true
	return files, nil
}

// Name is what a function is called: package.Type.method, and of a literal the function around it and its line.
func (g *Graph) Name(f Func) string {
	if lit, ok := f.(*ast.FuncLit); ok {
		return fmt.Sprintf("%s:func@%d", g.Name(g.outer[lit]), g.Fset.Position(lit.Pos()).Line)
	}
	fn, ok := f.(*types.Func)
	if !ok {
		return "init"
	}
	name := fn.Name()
	if r := fn.Signature().Recv(); r != nil {
		t := r.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	_, path, _ := strings.Cut(fn.Pkg().Path(), "/")
	return path + "." + name
}

// Cycles gives the sets of functions that may call each other, or themselves. Through a function
// for which leave is true no cycle goes.
func (g *Graph) Cycles(leave func(Func) bool) [][]Func {
	t := tarjan{g: g, leave: leave, index: map[Func]int{}, low: map[Func]int{}, on: map[Func]bool{}}
	for f := range g.Body {
		if _, seen := t.index[f]; !seen && !leave(f) {
			t.visit(f)
		}
	}
	return t.found
}

// tarjan finds strongly connected components.
type tarjan struct {
	g     *Graph
	leave func(Func) bool
	index map[Func]int
	low   map[Func]int
	on    map[Func]bool
	stack []Func
	found [][]Func
}

func (t *tarjan) visit(f Func) {
	t.index[f], t.low[f] = len(t.index), len(t.index)
	t.stack = append(t.stack, f)
	t.on[f] = true
	for to := range t.g.Calls[f] {
		if t.leave(to) {
			continue
		}
		if _, seen := t.index[to]; !seen {
			t.visit(to)
			t.low[f] = min(t.low[f], t.low[to])
		} else if t.on[to] {
			t.low[f] = min(t.low[f], t.index[to])
		}
	}
	if t.low[f] != t.index[f] {
		return
	}
	var all []Func
	for {
		last := t.stack[len(t.stack)-1]
		t.stack, t.on[last] = t.stack[:len(t.stack)-1], false
		all = append(all, last)
		if last == f {
			break
		}
	}
	if len(all) > 1 || t.g.Calls[f][f] {
		t.found = append(t.found, all)
	}
}
