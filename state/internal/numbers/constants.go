package numbers

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

// Group is constants that stand together in the source, and whose values are saved.
type Group struct {
	Name  string // in FORMAT.md
	Dir   string // of the package, in the module
	First string // the first of them
	Of    string // the field whose values they are
}

// Groups are the constants whose values are saved. A test looks for fields of types with constants that are not here.
var Groups = []Group{
	{"FrameKind", "core/shell", "FScript", "shell.Frame.Kind"},
	{"NodeKind", "core/shell", "NList", "shell.address.Kind"},
	{"WaitKind", "core/shell", "Runs", "shell.Wait.Kind"},
	{"file kind", "core/shell", "FileRegular", "shell.OFD.Kind"},
	{"option bit", "core/shell", "OptAllexport", "shell.Options"},
	{"undo of arguments", "core/shell", "argsPushed", "shell.Undo.Args"},
	{"phase of FSimple", "core/shell", "simpleWords", "shell.Frame.PC"},
	{"phase of FCFor", "core/shell", "cforInit", "shell.Frame.PC"},
	{"phase of FTool", "core/shell", "toolReads", "shell.Frame.PC"},
	{"phase of FDecl", "core/shell", "declBegin", "shell.Frame.PC"},
	{"phase of FRead", "core/shell", "readLineNow", "shell.Frame.PC"},
	{"phase of FStdin", "core/shell", "stdinPrompt", "shell.Frame.PC"},
	{"phase of FCompgen", "core/shell", "compgenNames", "shell.Frame.PC"},
	{"EntryKind", "core/expand", "EntryVar", "expand.Entry.Kind"},
	{"reading of a variable", "core/expand", "varKept", "expand.Entry.Num"},
	{"attribute", "core/vars", "Export", "vars.Record.Attrs"},
	{"keymap", "core/readline", "emacs", "readline.Editor.Keymap"},
	{"binding", "core/readline", "toFunction", "readline.Binding.Kind"},
	{"record", "state", "RecChunk", "the kind of a record"},
	{"MountMode", "vfs", "MountReadOnly", "vfs.Mount.Mode"},
	{"phase of awk", "core/cmd/std/internal/awk", "InBegin", "awk.Program.Phase"},
	{"stage of awk's input", "core/cmd/std/internal/awk", "NeedFile", "awk.Input.Stage"},
	{"kind of an awk value", "core/cmd/std/internal/awk", "Untyped", "awk.Value.K"},
	{"shape of an awk array", "core/cmd/std/internal/awk", "ShapeNone", "awk.Array.Shape"},
	{"phase of jq", "core/cmd/std/internal/jq", "Starting", "jq.Program.Phase"},
	{"kind of a jq value", "core/cmd/std/internal/jq", "None", "jq.Value.K"},
	{"kind of a jq fork", "core/cmd/std/internal/jq", "ForkPlain", "jq.Fork.Kind"},
	{"phase of sed", "core/cmd/std/internal/sed", "phaseScript", "sed.Program.Phase"},
	{"phase of a gzip reader", "core/cmd/std/internal/gz", "head", "gz.Reader.Phase"},
	{"phase of ls", "core/cmd/std/ls", "phaseOperands", "ls.Program.Phase"},
	{"phase of patch", "core/cmd/std/patch", "phaseInput", "patch.Program.Phase"},
	{"phase of diff", "core/cmd/std/diff", "phaseNone", "diff.Program.Phase"},
	{"phase of join", "core/cmd/std", "joinCompare", "std.joinProgram.Phase"},
	{"phase of tac", "core/cmd/std", "tacReads", "std.tacProgram.Phase"},
	{"phase of pr", "core/cmd/std/pr", "opening", "pr.program.Phase"},
	{"status of a column of pr", "core/cmd/std/pr", "open", "pr.column.Status"},
	{"operation of bc", "core/cmd/std/bc", "opConst", "bc.Op.Code"},
}

// source is what is looked up in a package's source: constants, and what the comments say.
type source struct {
	values map[string]constant.Value
	blocks []*ast.GenDecl    // of constants
	fields map[string]string // "Struct.Field" → its comment
}

// sources are packages by folder, each read once.
type sources struct {
	root string
	read map[string]*source
}

func newSources(root string) *sources { return &sources{root, map[string]*source{}} }

// constants gives a group's constants, and a comment on each.
func (s *sources) constants(g Group) (all []Constant, comments []string, err error) {
	src, err := s.of(g.Dir)
	if err != nil {
		return nil, nil, err
	}
	for _, block := range src.blocks {
		if block.Specs[0].(*ast.ValueSpec).Names[0].Name != g.First {
			continue
		}
		for _, spec := range block.Specs {
			v := spec.(*ast.ValueSpec)
			c, ok := src.values[v.Names[0].Name]
			if !ok || strings.HasSuffix(v.Names[0].Name, "Count") {
				continue
			}
			n, exact := constant.Int64Val(constant.ToInt(c))
			if !exact {
				return nil, nil, fmt.Errorf("%s: %s is no number", g.Dir, v.Names[0].Name)
			}
			all, comments = append(all, Constant{v.Names[0].Name, n}), append(comments, remark(v.Comment))
		}
		return all, comments, nil
	}
	return nil, nil, fmt.Errorf("%s has no constants that begin with %s", g.Dir, g.First)
}

// of reads a package. What it imports is not looked at: no such constant needs it.
func (s *sources) of(dir string) (*source, error) {
	if src := s.read[dir]; src != nil {
		return src, nil
	}
	entries, err := os.ReadDir(filepath.Join(s.root, dir))
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	var parsed []*ast.File
	src := &source{map[string]constant.Value{}, nil, map[string]string{}}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, filepath.Join(s.root, dir, e.Name()), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		src.look(f)
		parsed = append(parsed, f)
	}
	config := types.Config{Error: func(error) {}, Importer: nowhere{}}
	pkg, _ := config.Check(dir, files, parsed, nil)
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() != constant.Unknown {
			src.values[name] = c.Val()
		}
	}
	s.read[dir] = src
	return src, nil
}

// look finds a file's blocks of constants and comments, and leaves out of it what constants do not need.
func (s *source) look(f *ast.File) {
	var kept []ast.Decl
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST && g.Tok != token.TYPE {
			continue
		}
		kept = append(kept, d)
		if g.Tok == token.CONST {
			s.blocks = append(s.blocks, g)
			continue
		}
		for _, spec := range g.Specs {
			t := spec.(*ast.TypeSpec)
			st, ok := t.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range st.Fields.List {
				for _, name := range field.Names {
					s.fields[t.Name.Name+"."+name.Name] = remark(field.Comment)
				}
			}
		}
	}
	f.Decls = kept
}

// remark is a comment behind a declaration, as one line of a table.
func remark(c *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(c.Text(), "\n", " ")), "|", "\\|")
}

type nowhere struct{}

func (nowhere) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("%s is not looked at", path)
}
