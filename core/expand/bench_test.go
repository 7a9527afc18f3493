package expand

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// compileAll compiles the words of one simple command.
func compileAll(t testing.TB, script string) []*Word {
	f, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		t.Fatal(err)
	}
	src := NewSource(script, f)
	var ws []*Word
	for _, w := range f.Stmts[0].Cmd.(*syntax.CallExpr).Args {
		ws = append(ws, CompileWord(src, w))
	}
	return ws
}

func BenchmarkFields(b *testing.B) {
	for _, script := range []string{
		`[ $i -lt 100000 ]`, `echo "$i" x`, `echo $((i+1))`, `echo $(($i+1))`, `echo ${p##*/}`, `echo "${a[@]}"`,
		`echo "$p/$i"`, `echo ${a[$i]}`, `echo ${p%.*}.bak`, `echo "${u:-x}"`, `echo $list`,
	} {
		b.Run(script, func(b *testing.B) {
			sh := newShell()
			for i := range 60 {
				sh.vars.Own("VARIABLE_" + formatInt(int64(i))).SetString("x")
			}
			sh.vars.Own("i").SetInt(5)
			sh.vars.Own("p").SetString("/usr/share/doc/file.txt")
			sh.vars.Own("list").SetString("one two three four")
			for i := range 10 {
				sh.vars.Own("a").SetIndex(int64(i), "element")
			}
			ws := compileAll(b, script)
			var dst []string
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if dst, err = Fields(sh, dst[:0], ws); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkArith(b *testing.B) {
	for _, text := range []string{"i+1", "s+=i,i++", "i<100000", "a[i]*2+$i"} {
		b.Run(text, func(b *testing.B) {
			sh := newShell()
			sh.vars.Own("i").SetInt(5)
			sh.vars.Own("s").SetInt(5)
			sh.vars.Own("a").SetIndex(5, "7")
			a := ArithText(nil, text)
			b.ReportAllocs()
			for b.Loop() {
				sh.vars.Own("i").SetInt(5)
				if _, err := a.Eval(sh); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	script := `cp -r "$src/${name%.*}.txt" $dst/$((n+1))_{a,b}.txt`
	f, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		b.Fatal(err)
	}
	src := NewSource(script, f)
	b.ReportAllocs()
	for b.Loop() {
		for _, w := range f.Stmts[0].Cmd.(*syntax.CallExpr).Args {
			CompileWord(src, w)
		}
	}
}
