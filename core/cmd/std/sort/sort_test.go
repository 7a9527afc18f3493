package sort_test

import (
	"fmt"
	"strings"
	"testing"

	"eryxsh/core/cmd/cmdtest"
	"eryxsh/core/cmd/std/sort"
)

// lines makes n lines of about 26 bytes in no order.
func lines(n int) string {
	var b strings.Builder
	x := uint32(1)
	for i := 0; i < n; i++ {
		x = x*1664525 + 1013904223
		fmt.Fprintf(&b, "%08x user%04d %9d\n", x, x>>8%1000, x>>4%1000000)
	}
	return b.String()
}

// TestManyRuns sorts more than fits one run, with ties that -s keeps in order.
func TestManyRuns(t *testing.T) {
	in := lines(30000)
	for _, args := range [][]string{nil, {"-r"}, {"-k3,3n"}, {"-s", "-k2,2"}, {"-u", "-k2,2"}, {"-k2,2", "-k3,3nr"}} {
		got := cmdtest.Run{Command: sort.Command(), Args: args, Stdin: in}.Do(t)
		moved := cmdtest.Run{Command: sort.Command(), Args: args, Stdin: in, Reload: true}.Do(t)
		if got.Stdout != moved.Stdout {
			t.Errorf("%q: another answer after loads", args)
		}
		check := cmdtest.Run{Command: sort.Command(), Args: append([]string{"-c"}, args...), Stdin: got.Stdout}.Do(t)
		if check.Status != 0 {
			t.Errorf("%q: %s", args, check.Stderr)
		}
		if args == nil && len(got.Stdout) != len(in) {
			t.Errorf("%d bytes of %d", len(got.Stdout), len(in))
		}
	}
}

func BenchmarkSort(b *testing.B) {
	in := lines(100000)
	for _, args := range [][]string{{}, {"-k3,3n"}, {"-k2,2"}, {"-n"}} {
		b.Run(strings.Join(append([]string{"sort"}, args...), " "), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				cmdtest.Run{Command: sort.Command(), Args: args, Stdin: in}.Do(b)
			}
		})
	}
}
