package shell

import (
	"strings"
	"testing"
	"time"

	"eryxsh/core/expand"
)

// fuzzSeeds are texts that the parser, or what stands around it, reads by special rules.
var fuzzSeeds = []string{
	"echo a; echo b\nif true; then echo c; fi\n", "cat <<A; cat <<'B'\nx $y\nA\nz\nB\necho", "f() { local a=$1; echo \"${a:-$(echo `date`)}\"; }; f x &\n",
	"case $x in a|b) echo 1;& (c) ;; *) x=$((y+1)) ;;& esac", "a=(1 [3]=2 $(seq 3)); declare -A m=([k]=v); m[$i]+=x; let x=1 y++", "for ((i=0;i<3;i++)); do [[ $i -lt 2 && a == b* ]]; done",
	"echo $'a\\n' $\"b\" `echo \\`x\\``", "cat <<E\nunclosed", "x=$(cat <<E\na\nE)\n", "((a[1]++)); (( (1) ) )", "!(a|b)", "echo {1..3}{a,b} ~/x *.[ch]", "while :; do\n# a\n# b\ndone",
	"coproc X { :; }; time ! true | cat |& tr a b", "{fd}>f echo 2>&1 &>x <<<y", "export -- a-b=c; local a b=c; readonly -p", "echo ${x//a/${y#b}} ${!p*} ${a[@]:1:2} ${#a[*]} ${x@Q}", "\xff\x00\r\n\\\n", "((((", "$((((", "{ ( [[ ( !",
	"<<A&+\nA\n0", "a[1]=\na[2]+=\n<<A;=\nA\n",
}

// FuzzUnit: whatever a text is, it is read to its end or to an error, in steps
// forward; what it compiles to is found again by its addresses when the text of
// a unit is compiled anew, as a load does; and reading ahead gives the same units.
func FuzzUnit(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1<<14 {
			return
		}
		text := expand.Encode(script)
		began := time.Now()
		var a ahead
		for off, line := 0, 1; off < len(text); {
			u, next, err := nextUnit(nil, text, off, line)
			u2, next2, err2 := a.next(text, off, line)
			if (err == nil) != (err2 == nil) || (u == nil) != (u2 == nil) || next != next2 {
				t.Fatalf("at %d alone: %v to %d, %v; ahead: %v to %d, %v", off, u != nil, next, err, u2 != nil, next2, err2)
			}
			if err != nil || u == nil {
				break
			}
			if next <= off {
				t.Fatalf("from %d to %d", off, next)
			}
			same(t, u, u2)
			if v, err := loadUnit(u.Text, u.Line); err != nil {
				t.Fatalf("%q does not load: %v", u.Text, err)
			} else {
				same(t, u, v)
			}
			line += strings.Count(text[off:next], "\n")
			off = next
		}
		if d := time.Since(began); d > 10*time.Second {
			t.Fatalf("%d bytes take %s", len(text), d)
		}
	})
}

func same(t *testing.T, u, v *Unit) {
	t.Helper()
	if u.Text != v.Text || u.Line != v.Line || len(u.nodes) != len(v.nodes) {
		t.Fatalf("%q at line %d has %d nodes, %q at line %d %d", u.Text, u.Line, len(u.nodes), v.Text, v.Line, len(v.nodes))
	}
	for i, n := range u.nodes {
		a, b := n.at(), v.nodes[i].at()
		if a.addr != b.addr || a.line != b.line {
			t.Fatalf("%q: node %d is %v at line %d, or %v at line %d", u.Text, i, a.addr, a.line, b.addr, b.line)
		}
		if u.find(a.addr) != n {
			t.Fatalf("%q: node %v is not found", u.Text, a.addr)
		}
	}
}

// FuzzRun: whatever a script is, it runs to its end or to a limit, without a panic.
func FuzzRun(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1<<12 {
			return
		}
		m := newTestMachine()
		m.Limits.Steps, m.Limits.Memory, m.Limits.Output, m.Limits.Processes = 20_000, 16<<20, 1<<20, 64
		if err := m.Begin(Start{Script: string(script), RunID: "r"}); err != nil {
			return
		}
		began := time.Now()
		finish(m)
		if d := time.Since(began); d > 20*time.Second {
			t.Fatalf("it takes %s", d)
		}
	})
}
