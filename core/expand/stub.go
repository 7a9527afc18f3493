package expand

import (
	"mvdan.cc/sh/v3/syntax"
)

// Source is one parsed unit.
type Source struct {
	// Text is the unit's text as parsed: encoded.
	Text   string
	quoted []span
}

type span struct{ from, to int }

// NewSource returns the Source of text whose statements are given; they are
// looked at only to find old-style command substitutions.
func NewSource(text string, nodes ...syntax.Node) *Source { return &Source{Text: text} }

type Sub struct {
	Text     string
	Word     *Word
	All      byte
	Resolved bool
	Num      int64
}

type Word struct {
	Assign bool
}

func CompileWord(src *Source, w *syntax.Word) *Word                   { return &Word{} }
func CompileHereDoc(src *Source, w *syntax.Word, dash bool) *Word     { return &Word{} }
func CompileText(text string) *Word                                   { return &Word{} }
func CompileSub(src *Source, from, to int, nodes ...syntax.Node) *Sub { return &Sub{} }
func (w *Word) NeedsMemo() bool                                       { return false }
func (w *Word) Literal() (string, bool)                               { return "", false }
func Fields(env Env, dst []string, ws []*Word) ([]string, error)      { return dst, nil }
func String(env Env, w *Word) (string, error)                         { return "", nil }
func Redirect(env Env, w *Word) (string, error)                       { return "", nil }
func Pattern(env Env, w *Word) (string, error)                        { return "", nil }
func Regexp(env Env, w *Word) (string, error)                         { return "", nil }
func HereDoc(env Env, w *Word) (string, error)                        { return "", nil }

type Arith struct{}

func CompileArith(src *Source, from, to int, nodes ...syntax.Node) *Arith { return &Arith{} }
func ArithText(text string) *Arith                                        { return &Arith{} }
func (a *Arith) NeedsMemo() bool                                          { return false }
func (a *Arith) Eval(env Env) (int64, error)                              { return 0, nil }
func EvalString(env Env, s string) (int64, error)                         { return 0, nil }
func (s *Sub) Index(env Env, name string) (int64, error)                  { return 0, nil }
func (s *Sub) Key(env Env) (string, error)                                { return "", nil }
func Brace(s string) []string                                             { return nil }
func Quote(s string) string                                               { return s }
func QuoteAt(s string) string                                             { return s }
func QuoteDeclare(s string) string                                        { return s }
func AnsiC(s string) string                                               { return s }
func Glob(env Env, pattern string) ([]string, error)                      { return nil, nil }
func Match(pattern, s string, flags Flags) bool                           { return false }
func SplitFields(s, ifs string, max int, raw bool) []string               { return nil }
