package shell

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"eryxsh/core/limit"
)

// gapHost measures how long the machine runs without asking it, and without
// coming to a safe point at which it asks, and finds out where.
type gapHost struct {
	testHost
	began time.Time
	asks  gap // between two questions of any kind: what cancel and a timeout wait for
	steps gap // between two after a step: what suspend waits for
}

// gap is a time between two events.
type gap struct {
	from    atomic.Int64 // of the one at hand, ns since gapHost.began
	longest time.Duration
	used    time.Duration // of the processor, when the one at hand began
	where   string        // the innermost functions of the longest
	seen    string        // those of the one at hand
}

// ends the gap at hand and begins another.
func (g *gap) ends(used time.Duration, now time.Duration) {
	if length := used - g.used; length > g.longest {
		g.longest, g.where = length, g.seen
		if length > 5*time.Millisecond {
			stack := make([]byte, 1<<14)
			g.where += "; it ended in " + innermost(string(stack[:runtime.Stack(stack, false)]))
		}
	}
	g.used, g.seen = used, ""
	g.from.Store(int64(now))
}

// cpuTime is what the thread has used of the processor: another process that
// has it meanwhile does not count.
func cpuTime() time.Duration {
	var u syscall.Rusage
	const thread = 1
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (h *gapHost) Expired() bool {
	used, now := cpuTime(), time.Since(h.began)
	h.asks.ends(used, now)
	h.steps.ends(used, now)
	return false
}

func (h *gapHost) Midway() Midway {
	h.asks.ends(cpuTime(), time.Since(h.began))
	return GoOn
}

// watch looks where the machine is while it does not ask, until done is closed.
func (h *gapHost) watch(done chan struct{}) {
	stack := make([]byte, 1<<16)
	for {
		select {
		case <-done:
			return
		case <-time.After(time.Millisecond):
		}
		now := time.Since(h.began)
		asks, steps := now-time.Duration(h.asks.from.Load()), now-time.Duration(h.steps.from.Load())
		if max(asks, steps) > 2*time.Millisecond {
			where := ""
			for one := range strings.SplitSeq(string(stack[:runtime.Stack(stack, true)]), "\n\n") {
				if strings.Contains(one, "Advance(") {
					where = innermost(one)
				}
			}
			if asks > 2*time.Millisecond {
				h.asks.seen = where
			}
			if steps > 2*time.Millisecond {
				h.steps.seen = where
			}
		}
	}
}

// innermost gives the last functions of ours in a stack.
func innermost(stack string) string {
	var names []string
	for line := range strings.Lines(stack) {
		name, _, ok := strings.Cut(strings.TrimSpace(line), "(0x")
		if ok && strings.HasPrefix(name, "eryxsh/") && !strings.Contains(name, "gapHost") && !strings.Contains(name, "gap).") && len(names) < 6 {
			names = append(names, name[strings.LastIndexByte(name, '/')+1:])
		}
	}
	return strings.Join(names, " < ")
}

// longWork are scripts of which a single command has much to do.
var longWork = []struct{ name, script string }{
	{"range_for", "for i in {1..100000000}; do break; done"},
	{"range_for_million", "for i in {1..1000000}; do :; done"},
	{"range_words", "echo {1..1000000} >/dev/null"},
	{"range_words_huge", "echo {1..100000000} >/dev/null"},
	{"range_array", "a=({1..1000000})"},
	{"range_product", "for i in {1..1000}{1..1000}; do break; done"},
	{"printf_width", "printf -v x '%1000000000s' a"},
	{"printf_width_out", "printf '%100000000s' a >/dev/null"},
	{"printf_repeat", "printf '%s\\n' {1..100000} >/dev/null"},
	{"replace_all", "x=$(head -c 10000000 /dev/zero | tr '\\0' a); y=${x//a/bb}"},
	{"replace_glob", "x=$(head -c 5000000 /dev/zero | tr '\\0' a); y=${x//[a-c]/b}"},
	{"case_all", "x=$(head -c 10000000 /dev/zero | tr '\\0' a); y=${x^^}"},
	{"trim", "x=$(head -c 10000000 /dev/zero | tr '\\0' a); y=${x%%b*}"},
	{"trim_quadratic", "x=$(head -c 100000 /dev/zero | tr '\\0' a); y=${x##*ab}; y=${x%%*b*}"},
	{"substitution_100MB", "x=$(head -c 20000000 /dev/zero | tr '\\0' a)"},
	{"regex", "x=$(head -c 5000000 /dev/zero | tr '\\0' a); [[ $x =~ (a|aa)+b ]]"},
	{"pattern", "x=$(head -c 5000000 /dev/zero | tr '\\0' a); [[ $x == *a*a*b ]]"},
	{"extglob", "shopt -s extglob; x=$(head -c 30000 /dev/zero | tr '\\0' a); [[ $x == +(a|aa)b ]]"},
	{"extglob_replace", "shopt -s extglob; x=$(head -c 2000 /dev/zero | tr '\\0' a); y=${x//+(a|aa)b/c}"},
	{"split", "x=$(seq 1000000); set -- $x"},
	{"array_split", "a=($(seq 1000000)); b=(\"${a[@]}\"); c=\"${a[*]}\""},
	{"mapfile", "seq 1000000 > f; mapfile -t a < f"},
	{"read_long", "head -c 10000000 /dev/zero | tr '\\0' a > f; read -r x < f; read -N 1000000 y < f"},
	{"quote", "x=$(head -c 20000000 /dev/zero | tr '\\0' a); printf -v y %q \"$x\"; z=${x@Q}"},
	{"length", "x=$(head -c 10000000 /dev/zero | tr '\\0' a); n=${#x}; y=${x:1000000:5000000}"},
	{"arith_power", "((x=2**62)); for ((i=0;i<100000;i++)); do ((x=2**i)); done"},
	{"glob", "mkdir d; cd d; touch f{1..20000}; for i in *; do :; done"},
	{"sort_zero", "sort /dev/zero"},
	{"tac_zero", "tac /dev/zero"},
	{"rev_zero", "rev /dev/zero"},
	{"awk_zero", "awk 1 /dev/zero"},
	{"sed_zero", "sed s/a/b/ /dev/zero"},
	{"grep_endless", "tr '\\0' a </dev/zero | grep 'a*b'"},
	{"cut_zero", "cut -f2 /dev/zero"},
	{"fold_zero", "fold -s /dev/zero | head -c 10000000 | wc -c"},
	{"uniq_zero", "uniq /dev/zero"},
	{"jq_zero", "tr '\\0' 1 </dev/zero | jq ."},
	{"tac_lines", "yes | head -c 100000000 | tac | wc -c"},
	{"tail_lines", "yes | head -c 400000000 | tail -c 300M | wc -c"},
	{"sort_yes", "yes | head -n 5000000 | sort | uniq -c"},
	{"shuf_yes", "yes | head -n 5000000 | shuf | wc -l"},
	{"sort_lines", "seq 1000000 | sort -r >/dev/null"},
	{"sort_numbers", "seq 1000000 | sort -n >/dev/null"},
	{"tail_bytes", "head -c 50000000 /dev/zero | tail -c 30M | wc -c"},
	{"tac", "seq 1000000 | tac >/dev/null"},
	{"shuf", "seq 1000000 | shuf >/dev/null"},
	{"awk_delete", "seq 500000 | awk '{a[NR]=$0} END {delete a; print length(a)}'"},
	{"awk_split", "seq 500000 | tr '\\n' ' ' | awk '{n=split($0, a); print n, NF, length(a)}'"},
	{"awk_for_in", "seq 500000 | awk '{a[NR]=$0} END {for (i in a) break; print i}'"},
	{"awk_asorti", "seq 500000 | awk '{a[NR]=$0} END {n=asorti(a, b); print n}'"},
	{"awk_gsub", "head -c 20000000 /dev/zero | tr '\\0' a | awk '{gsub(/a/, \"bb\"); print length($0), toupper($0) == $0}'"},
	{"awk_array", "seq 500000 | awk '{a[NR]=$0} END {n=asort(a); for (i=1;i<=n;i++) s+=a[i]; print s}'"},
	{"sed_slurp", "seq 500000 | sed ':a;N;$!ba;s/\\n/,/g' | wc -c"},
	{"grep_long_line", "head -c 10000000 /dev/zero | tr '\\0' a | grep -c 'a*b'"},
	{"tr_long", "head -c 20000000 /dev/zero | tr '\\0' a | wc -c"},
	{"here_string", "x=$(head -c 10000000 /dev/zero | tr '\\0' a); cat <<<\"$x\" | wc -c"},
	{"eval_long", "x=$(seq -f 'v%g=1' 100000); eval \"$x\""},
	{"one_big_list", "x=$(seq -s ';' -f ': %g' 50000); eval \"$x\""},
	{"declare_print", "a=($(seq 300000)); declare -p a >/dev/null; set >/dev/null"},
	{"unset_array", "a=($(seq 1000000)); unset a; "},
	{"jq_sort", "seq 300000 | jq -s 'sort|length'"},
	{"jq_from_entries", "jq -n '[range(300000)|{key:tostring,value:.}]|from_entries|to_entries|length'"},
	{"jq_add_arrays", "jq -n '[range(500)|[range(1000)]]|add|flatten|length'"},
	{"jq_minus", "jq -n '[range(20000)] as $a|$a-($a|map(tostring))|length'"},
	{"jq_json", "jq -n '\"a\\u00e9\\\"b\"*10000000|tojson|fromjson|length'"},
	{"jq_sh", "jq -n '[range(500000)|tostring]|(@csv|length),(@sh|length)'"},
	{"jq_indices", "jq -n '\"abcde\"*4000000|(indices(\"cd\")|length),(split(\"e\")|length)'"},
	{"jq_match", "jq -n '\"ab,\"*200000|[match(\"(a)(b)\";\"g\")]|length'"},
	{"jq_case", "jq -n '\"abcDEF\"*8000000|ascii_downcase|@base64|length'"},
	{"jq_delete", "jq -n '[range(300000)]|del(.[]|select(.%2==0))|length'"},
	{"jq_slurpfile", "seq 1000000 >f; jq -n --slurpfile a f '$a|length'"},
	{"cp_big", "head -c 50000000 /dev/zero > f; cp f g; cmp f g; cksum f"},
	{"sum", "head -c 100000000 /dev/zero | sha256sum"},
	{"diff", "seq 100000 > a; seq 2 100001 > b; diff a b >/dev/null"},
	{"diff_random", "seq 20000 | shuf > a; seq 20000 > b; diff a b | wc -l"},
	{"gzip", "seq 500000 | gzip -c | gzip -dc | wc -l"},
	{"comm_join", "seq 300000 | sort > a; join a a | wc -l; comm a a | wc -l"},
	{"fold_column", "seq 200000 | column -c 200 | fold | wc -l"},
	{"find_wide", "mkdir d; cd d; touch f{1..30000}; find . -name '*9' | wc -l; ls -l | wc -l; rm -r ../d"},
	{"ls_wide", "mkdir d; touch d/f{1..100000}; ls -l d | wc -l; ls d | wc -l"},
	{"find_name", "mkdir d; touch d/f{1..100000}; find d -name '*9' | wc -l"},
	{"cp_wide", "mkdir d; touch d/f{1..100000}; cp -r d e"},
	{"rm_wide", "mkdir d; touch d/f{1..100000}; rm -r d"},
	{"du_wide", "mkdir d; touch d/f{1..100000}; du -a d | wc -l; tar cf t d; tree d | wc -l"},
	{"dd", "dd if=/dev/zero of=f bs=100M count=2 2>/dev/null; cp f g; cmp f g; cksum f"},
	{"bc", "echo '2^1000000' | bc | wc -c"},
	{"factor", "factor 340282366920938463463374607431768211457"},
	// Utilities over very many lines, files, arguments or elements.
	{"column_table", "seq 200000 | paste - - - - | column -t | wc -l"},
	{"awk_asort_delete", "seq 500000 | awk '{ a[NR] = $0 } END { n = asort(a); print n; delete a }'"},
	{"awk_keys", "awk 'BEGIN { for (i = 0; i < 1000000; i++) a[\"k\" i] = i; for (k in a) n++; delete a; print n }'"},
	{"awk_fields", "seq 1000000 | tr '\\n' ' ' | awk '{ $1 = \"q\"; print length($0); NF = 1000000; $500000 = \"x\"; print NF }'"},
	{"awk_split_regex", "seq 500000 | tr '\\n' ',' | awk '{ n = split($0, a, /,+/, s); print n, length(s) }'"},
	{"awk_long_text", "head -c 30000000 /dev/zero | tr '\\0' a | awk '{ x = substr($0, 5); print length(x), index(x, \"ab\"), match(x, /a+b/) }'"},
	{"sed_replace_all", "head -c 30000000 /dev/zero | tr '\\0' a | sed 's/a/é/g;y/é/b/;h;G' | wc -c"},
	{"ls_many", "mkdir d; cd d; touch f{1..100000}; ls -ltr . | wc -l; ls -C | wc -l; ls -d * | wc -l"},
	{"cp_many", "mkdir d e g; cd d; touch f{1..30000}; cp * ../e; mv * ../g; ln ../g/* ."},
	{"tsort", "seq 200000 > a; seq 2 200001 > b; paste a b | tsort | wc -l"},
	{"sort_versions", "seq 300000 | shuf | sort -V | wc -l; yes | head -n 5000000 | sort -u"},
	{"diff_long", "seq 300000 > a; sed 's/7$/x/' a > b; diff a b > p; patch -s a p; cmp a b"},
	{"fmt", "seq 300000 | tr '\\n' ' ' | fmt -w 2000 | wc -l"},
	{"rev_long", "head -c 30000000 /dev/zero | tr '\\0' a | rev | nl | wc -c"},
	{"jq_slurp", "yes 1 | head -n 3000000 | jq -s length"},
	{"jq_group", "seq 300000 | jq -s 'group_by(. % 10) | map(length)' | wc -l"},
	{"bc_product", "echo 'x=3^400000; y=x*x; y%7; y/x' | bc | wc -c"},
	{"array_for", "a=($(seq 1000000)); for i in \"${a[@]}\"; do break; done; for i in \"${a[@]}\"; do break; done"},
	{"arguments", "env printf '%s\\n' {1..300000} | wc -l; /bin/echo {1..300000} | wc -c; shuf -e {1..300000} | wc -l"},
}

// BenchmarkLongest is the longest time between two questions of scripts whose
// commands have much to do, and between two safe points: how long cancel and a
// limit may wait, and how long suspend.
func BenchmarkLongest(b *testing.B) {
	for _, w := range longWork {
		b.Run(w.name, func(b *testing.B) {
			var asks, steps time.Duration
			for b.Loop() {
				m := newTestMachine()
				m.Limits = limit.Default()
				m.Limits.Steps = 20_000_000
				if err := m.Begin(Start{Script: w.script, RunID: "r"}); err != nil {
					b.Fatal(err)
				}
				h, done := &gapHost{began: time.Now()}, make(chan struct{})
				var watch sync.WaitGroup
				watch.Go(func() { h.watch(done) })
				runtime.LockOSThread()
				h.asks.used = cpuTime()
				h.steps.used = h.asks.used
				_, _ = m.Advance(h)
				h.Expired()
				runtime.UnlockOSThread()
				close(done)
				watch.Wait()
				asks, steps = max(asks, h.asks.longest), max(steps, h.steps.longest)
				b.Logf("question %v: %s", h.asks.longest, h.asks.where)
				b.Logf("step     %v: %s", h.steps.longest, h.steps.where)
				if got := result(m); got.stderr != "" || got.limit != "" {
					b.Logf("%.100s limit %q", got.stderr, got.limit)
				}
			}
			b.ReportMetric(float64(asks.Microseconds())/1000, "ms/question")
			b.ReportMetric(float64(steps.Microseconds())/1000, "ms/step")
		})
	}
}
