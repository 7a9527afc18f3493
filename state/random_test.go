package state

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"eryxsh/tests/scriptgen"
)

// TestRandomScripts freezes, reloads and forks scripts that nobody wrote: what
// the corpora's authors did not think of. More of them, from another seed:
//
//	SCRIPTS=5000 SEED=1 go test ./state -run TestRandomScripts
func TestRandomScripts(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("SCRIPTS"))
	if n == 0 {
		n = 120
	}
	seed, _ := strconv.ParseInt(os.Getenv("SEED"), 10, 64)
	e := effortOf(t)
	stops := 0
	for i := range n {
		text := strings.Join(scriptgen.Statements(seed+int64(i)), "\n") + "\n"
		stops += e.threeWays(t, script{name: fmt.Sprint("seed ", seed+int64(i)), text: text}, e.all, e.sample, 1)
		if t.Failed() {
			t.Logf("%s", text)
			return
		}
	}
	t.Logf("%d scripts, moved at %d safe points", n, stops)
}
