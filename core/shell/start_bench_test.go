package shell

import (
	"fmt"
	"strings"
	"testing"
)

// longScript is n lines of what scripts begin with: nothing of it runs twice.
func longScript(n int) string {
	var b strings.Builder
	for i := range n {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "if [[ $x1 == a* ]]; then y=$((x+%d)); fi\n", i)
		case 1:
			fmt.Fprintf(&b, "x%d=\"value $x%d %d\"; [ \"$x%d\" = y ] && echo no || :\n", i%50, i%7, i%99, i%50)
		case 2:
			fmt.Fprintf(&b, "f%d() { local a=$1; echo \"$a\" | tr a-z A-Z; }\n", i)
		case 3:
			b.WriteString("# what the next lines are for\n")
		}
	}
	return b.String()
}

// BenchmarkStart is a script of 10,000 lines: parsing, compiling, running each once.
func BenchmarkStart(b *testing.B) {
	script := longScript(10_000)
	b.ReportAllocs()
	for b.Loop() {
		if got := runScript(script); got.status != 0 || got.stderr != "" {
			b.Fatalf("status %d, %q", got.status, got.stderr)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/line")
}
