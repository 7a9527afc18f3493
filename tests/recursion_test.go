package tests

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"eryxsh/tests/callgraph"
)

// counted matches what a depth is called, and limited what it is compared with.
var (
	counted = regexp.MustCompile(`(?i)^(depth|deep|nesting|level|runs|names|height|stackDepth)$|Depth$`)
	limited = regexp.MustCompile(`(?i)max|most|limit`)
)

// TestRecursion: every cycle of calls under core/, vfs/ and state/ goes through a function that counts
// how deep it is, or through one that is listed here with the reason why that is bounded. A Go
// stack that overflows ends the host's process, whatever the limits.
//
// A function counts if it compares what is named for a depth (depth, level, …Depth) with what is named
// for a limit (max…, …Limit), or calls a method enter or deeper, which does.
func TestRecursion(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all packages")
	}
	g, err := callgraph.Load("..", "eryxsh", "core", "vfs", "state")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	leave := func(f callgraph.Func) bool {
		if key, ok := isBounded(g.Name(f)); ok {
			used[key] = true
			return true
		}
		return counts(g.Body[f])
	}
	var all []string
	for _, set := range g.Cycles(leave) {
		var names []string
		for _, f := range set {
			names = append(names, g.Name(f))
		}
		slices.Sort(names)
		all = append(all, strings.Join(names, "\n\t\t"))
	}
	for key, why := range bounded {
		if !used[key] || why == "" {
			t.Errorf("%s is no more: take it out", key)
		}
	}
	slices.Sort(all)
	for _, names := range all {
		t.Errorf("these call each other, or themselves, and none counts how deep:\n\t\t%s", names)
	}
}

// counts reports whether a body compares a depth with a limit.
func counts(body *ast.BlockStmt) bool {
	found := false
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			switch n.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				found = found || mentions(n.X, counted) && mentions(n.Y, limited) || mentions(n.Y, counted) && mentions(n.X, limited)
			}
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 0 && (s.Sel.Name == "enter" || s.Sel.Name == "deeper") {
				found = true
			}
		}
		return !found
	})
	return found
}

// mentions reports whether a name in an expression matches.
func mentions(e ast.Expr, name *regexp.Regexp) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name.MatchString(id.Name) {
			found = true
		}
		return !found
	})
	return found
}

// bounded are functions that call themselves and do not count: why that is bounded. A name may end in *.
var bounded = map[string]string{
	"core/bignum.halve":            "halves its number",
	"core/bignum.multiply":         "halves its numbers (Karatsuba)",
	"core/bignum.divide":           "halves its numbers",
	"core/bignum.value":            "halves its digits",
	"core/cmd.checks":              "of a type, and none is inside itself",
	"core/cmd.wrongIn":             "of a type, and none is inside itself",
	"core/cmd/cmdtest.*":           "is for tests",
	"core/cmd/format.dater.*":      "%c and its like stand for layouts of the table, which hold none that holds another",
	"core/cmd/std.tailObsolete":    "letters behind one -, of maxCluster at most",
	"core/cmd/std/ls.palette.code": "asks for a link's target, which is no link",

	"core/host.Dir.enter":          "a path has PathMax bytes at most",
	"core/host.Dir.rules":          "reads a file of the host, which is no content of the tree",
	"core/ignore.either*":          "of two classes that are made before it",
	"core/overlay.PathError.Error": "of the host's error, which is none of these",
	"core/overlay.plan.changed":    "the host is asked for each path, which has PathMax bytes at most",
	"core/overlay.plan.drop":       "the host is asked for each path, which has PathMax bytes at most",
	"core/overlay.plan.keeps":      "the host is asked for each path, which has PathMax bytes at most",
	"core/overlay.plan.left":       "the host is asked for each path, which has PathMax bytes at most",
	"core/overlay.plan.tree":       "a path has PathMax bytes at most",
	"vfs.FS.copyUp":                "the directories of a path of the host, which has PathMax bytes at most",
	"vfs.FS.writeAfar":             "writes to what was copied up, which is the tree's own",

	"core/cmd/std/internal/awk.compiler.*":              "the tree is maxDepth high at most: parser.mk",
	"core/cmd/std/internal/awk.pure":                    "the tree is maxDepth high at most: parser.mk",
	"core/cmd/std/internal/awk.same":                    "the tree is maxDepth high at most: parser.mk",
	"core/cmd/std/internal/awk.text":                    "the text of a number in a format for numbers, which takes a number",
	"core/cmd/std/internal/awk.parser.optionalVariable": "a name, or what begins with $, which counts",
	"core/cmd/std/internal/jq.pattern.binds":            "the parser counts",
	"core/cmd/std/internal/jq.Program.deleteIn":         "a path has maxDepth keys at most",
	"core/cmd/std/internal/jq.Program.setPath":          "a path has maxDepth keys at most",
	"core/cmd/std/internal/jq.timeReader.field":         "%c and its like stand for layouts of the table, which hold none that holds another",

	"core/merge.pair.of":   "climbs in a loop, and asks only for what is the same",
	"core/merge.tree.rest": "what waited adds nothing that waits",

	"core/expand.Recorder.*":           "a Recorder's Env is the process's, never another Recorder",
	"core/shell.plainEnv.*":            "its Env is the process's",
	"core/expand.Matcher.alternatives": "a pattern is maxPatternDepth deep",
	"core/expand.reverseSeq":           "a pattern is maxPatternDepth deep",
	"core/expand.arithParser.binary":   "there are ten levels of operators; all else counts",
	"core/expand.calc.skip":            "the parser counts",
	"core/expand.braceTree.append":     "the reader counts",
	"core/expand.flatten":              "a word is maxDepth deep: reader.parts",
	"core/expand.partsNeed":            "a word is maxDepth deep: reader.parts",
	"core/expand.classFunc:*":          "a function made of another",
	"core/expand.eval.param":           "what a nameref stands for is an element, which is no plain parameter",
	"core/expand.eval.value":           "what a nameref stands for is an element, which is no nameref",
	"core/expand.Arith.eval":           "an expression within one is within its word, which is maxDepth deep",
	"core/expand.Sub.Resolve":          "a subscript's expression counts the names it evaluates",
	"core/expand.eval.resolve":         "a subscript's expression counts the names it evaluates",
	"core/expand.globber.walk":         "a path is maxPath long",
	"core/expand.masker.dquoted":       "what stands in double quotes is no double quote",
	"core/expand.masker.inner":         "what stands in double quotes is no double quote",

	"core/fault.Error.Error":       "of the error that it is made of, which is no other",
	"core/readline.node.*":         "a key sequence is as long as readline takes",
	"core/readline.Session.Source": "counts files in files",

	"core/regex.Regexp.*":      "the tree is maxDepth high: the parsers count",
	"core/regex.node.*":        "the tree is maxDepth high: the parsers count",
	"core/regex.compiler.*":    "the tree is maxDepth high: the parsers count; words of a trie are 500 units long",
	"core/regex.track.*":       "looks within looks are counted as nest",
	"core/regex.beginsAt":      "the tree is maxDepth high: the parsers count",
	"core/regex.class":         "a class made of others",
	"core/regex.perlClass":     "a class made of another",
	"core/regex.utf8Builder.*": "a character has four bytes",

	"core/shell.compiler.*":            "the tree is parseNodes deep: shallow",
	"core/shell.flatList.add":          "the tree is parseNodes deep: shallow",
	"core/shell.Machine.start":         "commands at the beginning of commands, of code that is parseNodes deep",
	"core/shell.direct.command":        "a function's body; what is in it is counted",
	"core/shell.Machine.testExpr":      "code is parseNodes deep",
	"core/shell.testExpr.decide":       "code is parseNodes deep",
	"core/shell.testText":              "code is parseNodes deep",
	"core/shell.Machine.biGetopts":     "begins once more with all of an argument",
	"core/shell.Machine.biHelp":        "help of help",
	"core/shell.Machine.compAction":    "an action made of others",
	"core/shell.Machine.redirectOne":   "a redirection that is two is done as the one and the other",
	"core/shell.Machine.stepTool":      "goes on at its next place",
	"core/shell.Machine.declareGlobal": "does once more, in the global scope, what is not global there",
	"core/shell.Machine.declareList":   "does once more what is printed as one",
	"core/shell.tester.decide":         "of fewer than five arguments",
	"core/shell.weighPlain":            "weighs no more than is left",

	"core/shell.Machine.execUtil": "a command that a utility becomes takes its first step when that has had its turn: Machine.rt.turning",
	"core/shell.sysCtx.Spawn":     "a command that is started takes its first step when no other has its turn: Machine.rt.turning",

	"state.shape.number":          "of a type",
	"state/internal/codec/gen.*":  "is for the build",
	"core/shell.Machine.inGlobal": "what it is given does its work there once, and is no longer asked for the global scope",
	"state/internal/numbers.*":    "is for tests, of types",

	"vfs.Generated.node":       "of the folders of /proc and /dev, which are three deep",
	"vfs.inode.same":           "compares contents, which are no inodes",
	"vfs/persist.mapNode.*":    "a hash has as many levels as it has bits",
	"vfs/persist.sortedNode.*": "a balanced tree",
	"vfs/persist.vecNode.*":    "a radix tree: 13 levels of 5 bits",
	"vfs/persist.diffNode":     "a radix tree: 13 levels of 5 bits",
}

// isBounded gives the entry of bounded for a function.
func isBounded(name string) (key string, ok bool) {
	if _, ok := bounded[name]; ok {
		return name, true
	}
	for key := range bounded {
		if head, ok := strings.CutSuffix(key, "*"); ok && strings.HasPrefix(name, head) {
			return key, true
		}
	}
	return "", false
}
