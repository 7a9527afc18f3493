// Package tests holds the rules of the repository that a program can check.
package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// source is one Go file of the repository.
type source struct {
	path string // from the top, with slashes
	text string
	tree *ast.File
	set  *token.FileSet
}

func (s *source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// support reports code that only tests use.
func (s *source) support() bool { return s.test() || strings.HasPrefix(s.path, "core/cmd/cmdtest/") }

func (s *source) line(p token.Pos) int { return s.set.Position(p).Line }

func (s *source) imports() (paths []string) {
	for _, im := range s.tree.Imports {
		p, _ := strconv.Unquote(im.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

// sources parses every Go file of the repository.
func sources(t *testing.T) (all []*source) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // made and removed by a build beside this test
		}
		if name := d.Name(); d.IsDir() && p != ".." && (strings.HasPrefix(name, ".") || name == "vendor" || name == "build" || name == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return nil
		}
		tree, err := parser.ParseFile(set, p, text, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel("..", p)
		all = append(all, &source{filepath.ToSlash(rel), string(text), tree, set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("only %d Go files found: the test does not see the repository", len(all))
	}
	return all
}

// arrows are the layers, from left to right. A package may import those of
// layers to the right of its own, and those of its own layer.
var arrows = []struct {
	prefix string // of the import path
	layer  int
}{
	{"eryxsh/capi", 0},
	{"eryxsh/state", 1},
	{"eryxsh/core/shell", 3},
	{"eryxsh/core/expand", 4},
	{"eryxsh/core/cmd", 4},
	{"eryxsh/core/host", 5},
	{"eryxsh/core/ignore", 5},
	{"eryxsh/core/overlay", 5},
	{"eryxsh/core/vars", 5},
	{"eryxsh/core/regex", 5},
	{"eryxsh/core/zone", 5},
	{"eryxsh/core/limit", 5},
	{"eryxsh/core/fault", 5},
	{"eryxsh/core/slab", 5},
	{"eryxsh/core/large", 5},
	{"eryxsh/core/bignum", 5},
	{"eryxsh/core/dollar", 5},
	{"eryxsh/core/compare", 2},
	{"eryxsh/core/merge", 2},
	{"eryxsh/core/linediff", 5},
	{"eryxsh/core/locale", 5},
	{"eryxsh/core/readline", 5},
	{"eryxsh/core", 2},
	{"eryxsh/vfs", 6},
}

func layer(path string) int {
	for _, a := range arrows {
		if path == a.prefix || strings.HasPrefix(path, a.prefix+"/") && (a.prefix != "eryxsh/core") {
			return a.layer
		}
	}
	return -1
}

// TestArrows checks that imports point right only.
func TestArrows(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || strings.HasPrefix(s.path, "tests/") || strings.HasPrefix(s.path, "_") {
			continue
		}
		self := "eryxsh/" + s.path[:strings.LastIndexByte(s.path, '/')]
		from := layer(self)
		if from < 0 {
			t.Errorf("%s: its package has no layer: add it to the arrows", s.path)
			continue
		}
		for _, p := range s.imports() {
			if !strings.HasPrefix(p, "eryxsh") {
				continue
			}
			to := layer(p)
			switch {
			case to < 0:
				t.Errorf("%s imports %s, which has no layer", s.path, p)
			case to < from:
				t.Errorf("%s imports %s: to the left", s.path, p)
			case from == 4 && to == 4 && strings.HasPrefix(p, "eryxsh/core/cmd") != strings.HasPrefix(self, "eryxsh/core/cmd"):
				t.Errorf("%s imports %s: utilities and expansion do not know each other", s.path, p)
			}
		}
	}
}

// TestImports checks who may use which library, and that nothing under core/
// and vfs/ reaches for the host.
func TestImports(t *testing.T) {
	home := map[string][]string{ // the folders a library may be imported in
		"github.com/fxamacker/cbor": {"state/", "capi/internal/wire/"},
		"mvdan.cc/sh":               {"core/shell/", "core/expand/"},
		"C":                         {"capi/main.go"},
	}
	host := map[string]bool{"os": true, "os/exec": true, "os/signal": true, "os/user": true, "net": true, "net/http": true, "path/filepath": true,
		"math/rand": true, "math/rand/v2": true, "syscall": true, "unsafe": true, "runtime/debug": true, "plugin": true, "log": true}
	for _, s := range sources(t) {
		if s.support() {
			continue
		}
		for _, p := range s.imports() {
			for lib, places := range home {
				if p != lib && !strings.HasPrefix(p, lib+"/") {
					continue
				}
				ok := false
				for _, place := range places {
					ok = ok || strings.HasPrefix(s.path, place)
				}
				if !ok {
					t.Errorf("%s imports %s, which belongs to %s", s.path, p, strings.Join(places, ", "))
				}
			}
			if inCore(s) && host[p] && !(strings.HasPrefix(s.path, "core/host/") && (p == "os" || p == "path/filepath" || p == "syscall")) {
				t.Errorf("%s imports %s: the host does not exist under core/ and vfs/", s.path, p)
			}
		}
	}
}

func inCore(s *source) bool {
	return strings.HasPrefix(s.path, "core/") || strings.HasPrefix(s.path, "vfs/")
}

// TestNoConcurrency checks that core/ and vfs/ start no goroutine, use no
// channel and ask no clock; the fiber is the one exception.
func TestNoConcurrency(t *testing.T) {
	for _, s := range sources(t) {
		if !inCore(s) || s.support() {
			continue
		}
		fiber := s.path == "core/shell/fiber.go"
		say := func(n ast.Node, what string) { t.Errorf("%s:%d: %s", s.path, s.line(n.Pos()), what) }
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.GoStmt:
				if !fiber {
					say(n, "a goroutine")
				}
			case *ast.ChanType:
				if !fiber {
					say(n, "a channel")
				}
			case *ast.SelectStmt:
				if !fiber {
					say(n, "a select")
				}
			case *ast.SelectorExpr:
				pkg, _ := x.X.(*ast.Ident)
				if pkg == nil {
					return true
				}
				switch pkg.Name + "." + x.Sel.Name {
				case "iter.Pull", "iter.Pull2":
					say(n, "iter.Pull: fatal when resumed from another thread")
				case "time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.Tick", "time.NewTimer", "time.NewTicker", "time.AfterFunc":
					if !strings.HasPrefix(s.path, "core/host/") {
						say(n, "the clock comes from the World")
					}
				}
			}
			return true
		})
	}
}

// Sizes a reader can hold in the head.
const (
	maxFile   = 800
	maxFunc   = 120
	maxFields = 20
)

// long are the functions that may be longer than maxFunc: a dispatch.
var long = map[string]int{"core/cmd/std/internal/awk/vm.go:run": 220}

// TestSizes checks files, functions and structs.
func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		if n := strings.Count(s.text, "\n"); n > maxFile {
			t.Errorf("%s has %d lines, more than %d", s.path, n, maxFile)
		}
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				n, most := s.line(f.End())-s.line(f.Pos()), maxFunc
				if l, ok := long[s.path+":"+f.Name.Name]; ok {
					most = l
				}
				if n > most {
					t.Errorf("%s:%d: %s has %d lines, more than %d", s.path, s.line(f.Pos()), f.Name.Name, n, most)
				}
			}
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			if n := len(st.Fields.List); n > maxFields {
				t.Errorf("%s:%d: struct %s has %d lines of fields, more than %d", s.path, s.line(st.Pos()), spec.Name.Name, n, maxFields)
			}
			return true
		})
	}
}

// TestNames checks that exported names say what they are for and that no file
// or package is called after nothing.
func TestNames(t *testing.T) {
	empty := regexp.MustCompile(`(^|/|_)(utils?|common|helpers?|types|misc)(_test)?(/|\.go$)`)
	packages := map[string]bool{} // documented
	for _, s := range sources(t) {
		if empty.MatchString(s.path) {
			t.Errorf("%s is called after nothing in particular", s.path)
		}
		if s.test() {
			continue
		}
		dir := s.path[:strings.LastIndexByte(s.path, '/')]
		packages[dir] = packages[dir] || s.tree.Doc != nil
		if s.support() {
			continue
		}
		say := func(n ast.Node, name string) { t.Errorf("%s:%d: %s has no doc comment", s.path, s.line(n.Pos()), name) }
		for _, d := range s.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || ast.IsExported(receiver(d))) {
					say(d, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if d.Doc != nil {
						continue
					}
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.Name.IsExported() && spec.Doc == nil {
							say(spec, spec.Name.Name)
						}
					case *ast.ValueSpec:
						if spec.Names[0].IsExported() && spec.Doc == nil {
							say(spec, spec.Names[0].Name)
						}
					}
				}
			}
		}
	}
	for dir, documented := range packages {
		if !documented {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}

// receiver is the name of a method's type.
func receiver(d *ast.FuncDecl) string {
	x := d.Recv.List[0].Type
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.IndexListExpr:
			x = y.X
		case *ast.Ident:
			return y.Name
		default:
			return ""
		}
	}
}

// TestNothingLeft looks for what was put off.
func TestNothingLeft(t *testing.T) {
	marks := regexp.MustCompile(`\b(` + strings.Join([]string{"TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"}, "|") + `)\b`)
	for _, s := range sources(t) {
		for _, c := range s.tree.Comments {
			if marks.MatchString(c.Text()) {
				t.Errorf("%s:%d: %.80s", s.path, s.line(c.Pos()), c.Text())
			}
		}
	}
}

// TestState checks that packages under core/ and vfs/ keep nothing between
// two Worlds: a package variable there is a table that nobody writes to.
func TestState(t *testing.T) {
	vars := map[string]map[string]bool{} // of a folder
	all := sources(t)
	for _, s := range all {
		for _, d := range s.tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, spec := range g.Specs {
					for _, n := range spec.(*ast.ValueSpec).Names {
						if vars[folder(s)] == nil {
							vars[folder(s)] = map[string]bool{}
						}
						vars[folder(s)][n.Name] = true
					}
				}
			}
		}
	}
	for _, s := range all {
		if !inCore(s) || s.support() {
			continue
		}
		for _, d := range s.tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || f.Name.Name == "init" {
				continue
			}
			own := declared(f)
			ast.Inspect(f.Body, func(n ast.Node) bool {
				var targets []ast.Expr
				switch x := n.(type) {
				case *ast.AssignStmt:
					if x.Tok != token.DEFINE {
						targets = x.Lhs
					}
				case *ast.IncDecStmt:
					targets = []ast.Expr{x.X}
				}
				for _, target := range targets {
					if name := root(target); name != "_" && vars[folder(s)][name] && !own[name] {
						t.Errorf("%s:%d: %s writes to the package's %s", s.path, s.line(n.Pos()), f.Name.Name, name)
					}
				}
				return true
			})
		}
	}
}

func folder(s *source) string { return s.path[:strings.LastIndexByte(s.path, '/')] }

// declared are the names a function declares, wherever in it.
func declared(f *ast.FuncDecl) map[string]bool {
	own := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			for _, id := range x.Names {
				own[id.Name] = true
			}
		case *ast.ValueSpec:
			for _, id := range x.Names {
				own[id.Name] = true
			}
		case *ast.AssignStmt:
			if x.Tok == token.DEFINE {
				for _, l := range x.Lhs {
					own[root(l)] = true
				}
			}
		case *ast.RangeStmt:
			if x.Tok == token.DEFINE {
				own[root(x.Key)] = true
				if x.Value != nil {
					own[root(x.Value)] = true
				}
			}
		}
		return true
	})
	return own
}

// root is the name of the variable an expression stands for a part of.
func root(x ast.Expr) string {
	for {
		switch y := x.(type) {
		case *ast.Ident:
			return y.Name
		case *ast.IndexExpr:
			x = y.X
		case *ast.SelectorExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		default:
			return ""
		}
	}
}
