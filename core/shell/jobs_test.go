package shell

import (
	"fmt"
	"runtime"
	"testing"
)

// Four times the jobs take four times the memory, whether they end, are waited
// for one by one or are left asleep: none has a list of the others.
func TestManyJobsTakeAsMuchForEach(t *testing.T) {
	for _, script := range []string{
		"for i in {1..%d}; do sleep 1000 & done; exit 0",
		"for i in {1..%d}; do : & done; wait; echo $?",
		"for i in {1..%d}; do (exit 3) & p[i]=$!; done; wait ${p[@]}; echo $?",
		"for i in {1..%d}; do sleep 1 & done; for i in {1..%[1]d}; do wait -n; done; jobs",
	} {
		var took [2]uint64
		for i, n := range []int{400, 1600} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			runScript(fmt.Sprintf(script, n))
			runtime.ReadMemStats(&after)
			took[i] = after.TotalAlloc - before.TotalAlloc
		}
		if took[1] > 6*took[0] {
			t.Errorf("%s: 400 take %d bytes, 1600 take %d", script, took[0], took[1])
		}
	}
}
