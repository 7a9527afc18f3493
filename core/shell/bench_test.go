package shell

import "testing"

// loops are what scripts spend their time in when no utility runs. N is what
// the figure is divided by: turns of the loop.
var loops = []struct {
	name   string
	n      int
	script string
	want   string
}{
	{"for", 10000, "for i in {1..10000}; do :; done; echo $i", "10000\n"},
	{"forSeq", 10000, "for i in $(seq 1 10000); do :; done; echo $i", "10000\n"},
	{"whileArith", 10000, "i=0; s=0; while ((i<10000)); do ((s+=i, i++)); done; echo $s", "49995000\n"},
	{"whileBracket", 10000, "i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done; echo $i", "10000\n"},
	{"whileTest", 10000, "i=0; while [[ $i -lt 10000 ]]; do i=$((i+1)); done; echo $i", "10000\n"},
	{"cFor", 10000, "s=0; for ((i=0;i<10000;i++)); do ((s+=i)); done; echo $s", "49995000\n"},
	{"function", 10000, "f() { local x=$1; r=$((x*2)); }; for ((i=0;i<10000;i++)); do f $i; done; echo $r", "19998\n"},
	{"fib", 753, `fib() { if (($1<2)); then echo $1; else echo $(( $(fib $(($1-1))) + $(fib $(($1-2))) )); fi; }; fib 12`, "144\n"},
	{"substitution", 1000, "for ((i=0;i<1000;i++)); do x=$(echo $i); done; echo $x", "999\n"},
	{"subshell", 1000, "for ((i=0;i<1000;i++)); do ( : ); done; echo $i", "1000\n"},
	{"appendString", 10000, "s=; for ((i=0;i<10000;i++)); do s+=x; done; echo ${#s}", "10000\n"},
	{"appendArray", 10000, "a=(); for ((i=0;i<10000;i++)); do a+=($i); done; echo ${#a[@]}", "10000\n"},
	{"sumArray", 10000, `a=({1..10000}); t=0; for x in "${a[@]}"; do ((t+=x)); done; echo $t`, "50005000\n"},
	{"element", 10000, `a=(); for ((i=0;i<10000;i++)); do a[i]=$i; t=${a[i]}; done; echo $t`, "9999\n"},
	{"countAssoc", 10000, "declare -A m; for ((i=0;i<10000;i++)); do k=$((i%100)); m[$k]=$(( ${m[$k]:-0} + 1 )); done; echo ${m[7]} ${#m[@]}", "100 100\n"},
	{"parameter", 10000, `p=/a/b/c/file.tar.gz; for ((i=0;i<10000;i++)); do b=${p##*/}; e=${b%%.*}; u=${e^^}; q=${p//\//:}; done; echo $u $q`, "FILE :a:b:c:file.tar.gz\n"},
	{"readPipe", 10000, "n=0; while read -r a b; do n=$((n+a)); done < <(seq 1 10000); echo $n", "50005000\n"},
	{"readFile", 10000, "seq 10000000 10009999 > f; n=0; while IFS= read -r l; do n=$((n+1)); done < f; echo $n", "10000\n"},
	{"case", 10000, `for i in {1..10000}; do case $i in *9) n=$i;; [0-4]*|x) :;; *) : ;; esac; done; echo $n`, "9999\n"},
	{"if", 10000, `n=0; for i in {1..10000}; do if [[ $i == *7* ]]; then n=$((n+1)); elif [ -z "$i" ]; then n=x; else :; fi; done; echo $n`, "3439\n"},
	{"printf", 10000, `for i in {1..10000}; do printf -v s '%05d' "$i"; done; echo $s`, "10000\n"},
	{"echo", 10000, `for i in {1..10000}; do echo "line $i"; done | tail -n 1`, "line 10000\n"},
	{"write", 1000, `for i in {1..1000}; do echo "line $i" >> f; done; wc -l < f`, "1000\n"},
	{"recursion", 2000, `f() { if (($1 > 0)); then f $(($1-1)); fi; }; f 2000; echo done`, "done\n"},
}

func BenchmarkLoop(b *testing.B) {
	for _, l := range loops {
		b.Run(l.name, func(b *testing.B) {
			b.ReportAllocs()
			var turns int64
			for b.Loop() {
				if got := runScript(l.script); got.stdout != l.want || got.stderr != "" {
					b.Fatalf("got %q, %q, want %q", got.stdout, got.stderr, l.want)
				}
				turns += int64(l.n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(turns), "ns/turn")
		})
	}
}
