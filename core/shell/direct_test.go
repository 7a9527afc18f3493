package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"eryxsh/core/expand"
	"eryxsh/tests/scriptgen"

	"mvdan.cc/sh/v3/syntax"
)

// show writes all that a unit consists of, so that two can be compared.
func (u *Unit) show() string {
	s := shower{u: u}
	fmt.Fprintf(&s.b, "%q line %d ext %d added %d open %v warn %v\n", u.Text, u.Line, u.ext, u.added, u.open, u.warn)
	for _, n := range u.nodes {
		fmt.Fprintf(&s.b, "%T %v line %d\n", n, n.at().addr, n.at().line)
	}
	s.value(reflect.ValueOf(u.body))
	return s.b.String()
}

type shower struct {
	u  *Unit
	b  strings.Builder
	in []uintptr // statements around the place that is shown: one stands in the list that is its own
}

func (s *shower) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			s.b.WriteString("nil")
			return
		}
		switch name := v.Type().String(); name {
		case "*shell.Unit":
			return
		case "*shell.builtin":
			fmt.Fprintf(&s.b, "builtin %x", v.Pointer())
			return
		case "*shell.stmt":
			if slices.Contains(s.in, v.Pointer()) {
				s.b.WriteString("itself")
				return
			}
			s.in = append(s.in, v.Pointer())
			defer func() { s.in = s.in[:len(s.in)-1] }()
		case "syntax.Node":
			n := reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem().Interface().(syntax.Node)
			fmt.Fprintf(&s.b, "%T %d %d ", n, s.u.at(n.Pos()), s.u.at(n.End()))
			if body := s.u.subst[n]; body != nil {
				s.value(reflect.ValueOf(body))
			}
			return
		}
		if v.Kind() == reflect.Interface {
			fmt.Fprintf(&s.b, "%s ", v.Elem().Type())
		}
		s.value(v.Elem())
	case reflect.Struct:
		s.b.WriteString("{")
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() && (f.Kind() != reflect.Slice || f.Len() > 0) {
				s.b.WriteString(v.Type().Field(i).Name + ":")
				s.value(f)
				s.b.WriteString(" ")
			}
		}
		s.b.WriteString("}")
	case reflect.Slice, reflect.Array:
		s.b.WriteString("[")
		for i := range v.Len() {
			s.value(v.Index(i))
			s.b.WriteString("\n")
		}
		s.b.WriteString("]")
	case reflect.String:
		fmt.Fprintf(&s.b, "%q", v.String())
	case reflect.Map:
		fmt.Fprintf(&s.b, "map of %d", v.Len())
	case reflect.Func:
		s.b.WriteString("func")
	default:
		fmt.Fprintf(&s.b, "%v", v)
	}
}

func (u *Unit) at(p syntax.Pos) int { return int(p.Offset()) }

// bothWays compiles a text unit by unit, directly and by way of a syntax tree,
// and gives how many bytes it read, and how many of them directly.
func bothWays(t *testing.T, id, script string) (all, direct int) {
	text := expand.EncodeText(script)
	to := &shelf{}
	for off, line := 0, 1; off < len(text); {
		start := skipComments(text, off)
		if start == len(text) {
			break
		}
		at := line + strings.Count(text[off:start], "\n")
		v, n, err := new(shelf).parsed(text[start:], at)
		u, k := to.direct(text[start:], at)
		switch {
		case u != nil && (err != nil || v == nil):
			if refused(u.Text) {
				t.Errorf("%s: %q is read directly; parsed: %v", id, u.Text, err)
			}
			return all, direct
		case u != nil && (k != n || u.show() != v.show()):
			a, b := u.show(), v.show()
			i := 0
			for i < min(len(a), len(b)) && a[i] == b[i] {
				i++
			}
			from := max(0, i-200)
			t.Errorf("%s: %q\ndirectly: …%s\n  parsed: …%s", id, u.Text, a[from:min(len(a), i+100)], b[from:min(len(b), i+100)])
			return all, direct
		case err != nil || v == nil:
			return all, direct
		case u != nil:
			direct += n
		case os.Getenv("DIRECT") != "":
			fmt.Printf("left: %q\n", v.Text)
		}
		all += n
		next := start + n
		line += strings.Count(text[off:next], "\n")
		off = next
	}
	return all, direct
}

// refused reports whether the bash that is installed, if one is, finds no syntax
// in a text: what the parser does not know, as ${?}= in a list, may be read directly.
func refused(text string) bool {
	var failed *exec.ExitError
	return errors.As(exec.Command("bash", "-n", "-c", "--", string(expand.Decode(text))).Run(), &failed)
}

// TestDirect: what is read directly is what is made of the parser's tree, in every script there is.
func TestDirect(t *testing.T) {
	all, direct := 0, 0
	add := func(id, script string) {
		a, d := bothWays(t, id, script)
		all, direct = all+a, direct+d
	}
	for i, s := range fuzzSeeds {
		add(fmt.Sprint("seed ", i), s)
	}
	for i, s := range directCases {
		add(fmt.Sprint("case ", i), s)
	}
	corpora, _ := filepath.Glob("../../tests/corpora/*.jsonl")
	for _, path := range corpora {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		for _, c := range loadCorpus(t, name) {
			add(name+" "+c.ID, c.Script)
		}
	}
	scripts, _ := filepath.Glob("../../tests/*/*.txtar")
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "\n-- ") {
			if _, script, ok := strings.Cut(part, " --\n"); ok {
				add(path, script)
			}
		}
	}
	for seed := range int64(1500) {
		add(fmt.Sprint("random ", seed), strings.Join(scriptgen.Statements(seed), "\n")+"\n")
	}
	t.Logf("%d of %d bytes are read directly", direct, all)
	if direct*2 < all {
		t.Errorf("only %d of %d bytes are read directly", direct, all)
	}
}

// directCases are forms that what is read directly and what is not come close to each other in.
var directCases = []string{
	"cat <<'E'\n\\\nE\n",
	"a && b || c && d\n! a | b |& c && ! d &\ne; f & g\n", "if a; then b; elif c; then d; else e; fi >f 2>&1\nwhile a; do b; done <f & until a\ndo b\ndone\n",
	"for i in 1 2 $x \"$y\"; do echo $i; done\nfor i; do :; done\nfor i do :; done\nfor i\nin a\ndo :; done\nfor ((i=0; i<3; i++)); do :; done\n",
	"case $x in\n# a\na|b) c;;\n(d) ;;\n*.x) e ;& # f\n[a-z]?) g ;;&\n*) h\nesac\ncase x in esac\ncase x in a) esac\n",
	"f() { a; } >b\nfunction g { a; }\nfunction h() ( a )\ni () {\n a\n}\n", "x=1 y=\"a b\" z= a+=b c[1]=2 d=(1 2 \"3 4\" $x) e\nx=(\n a # b\n c\n)\nx=a y=$b cmd arg k=v j=\"w $x\" k+=z\n",
	"cat <<E; cat <<-'F' | b\na $x ${y} $((1+2))\nE\n\tb $x\n\tF\ncat <<A && cat <<\\B\na\nA\nb\nB\ncat <<E\nE\nf() {\ncat <<E\na\nE\n}\n",
	"echo $(a) \"$(b \"$(c)\")\" $((1+$(d))) ${x:-$(e)}\nx=$(\n a\n b | c\n)\nif a $(b); then\n c \\\n d $(e\nf)\nfi\n",
	"[[ a == b && ! c || -f d ]] && e\n[[ ( a < b || -z $x ) && $y =~ ^a.*$ ]]\n[[ $x ]]; [[ a -nt b ]]\n", "(( a + b )) && ((c)); ( a; (b) )\n{ a; { b; }; }\n",
	"local x=1 y -r z=\"$a\" w=(1 2); export A; declare -A m; readonly B=2 >f; local -n r=$1\n", "a 2>&1 >>b <<<c 3<&- >|d &>e <>f 10>g\n>a\n2>b c\nx=1 >d\n>a b c >e\n",
	"a \\\n  b \\\n  c\n a # b\n  # c\nb\n", "echo 'a\nb' \"c\nd\" e\nf 'g\nh' $(i) 'j\nk'\n", "a\n", "a", "a;", "a &\n", "a # b", "a; # b\nc\n", "echo ${x} ${#x} ${x[1]} ${!x} ${x//a/b} \"${x:-a b}\" ${x:1:2} ${x%\"*\"} $'a\\n' $\"b\" $1 $@ $#\n",
	"a=b\\ c d\\;e f\\\\ \"g\\\"h\\$i\\\nj\"\n", "echo {a,b} {1..3} ~ ~/x a~ [a] !x a!b a=b =c -- - + @ % ^ : , . /\n", "declare x=~/a:~b y={1,2}; export PATH=$PATH:~/bin\n", "[[ -b #0 ]]\n", "[[ a = #b ]]\n", "echo \"a\"#b $(echo $x#c)\n", "cat <<E; b\nE\n", "# a \\\n# b\necho\n", "echo a \"\n\" $(echo x=1)\n", "f() { echo a \"\n\" $(echo $LINENO x=1; b y=2) c=3; }\n",
	"echo $# $#x \"$#\" a$# $((1+$#)) ${#}\n[ $# -gt 1 ]; x=$# # $#\ncase $# in $#) a;; esac\n", "let x=1 # c \\\necho b\nlet a<b\nnameref a=b\nexport let nameref\n",
	"cat <<-E <<'F'\n\ta \\\n\tb\n\tE\n\\\nF\ncat <<E\na\\\nE\nE\n", "if :; then :; fi; { :; } && ( : ) | [[ a ]] &\n",
}

func FuzzDirect(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	for _, s := range directCases {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) < 1<<12 {
			bothWays(t, "fuzz", expand.Encode(script))
		}
	})
}
