package state

import (
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
		t.Run(strconv.FormatInt(seed+int64(i), 10), func(t *testing.T) {
			text := strings.Join(scriptgen.Statements(seed+int64(i)), "\n") + "\n"
			t.Cleanup(func() {
				if t.Failed() {
					t.Log(text)
				}
			})
			s := script{name: "random", text: text}
			if i%2 > 0 {
				s.text, s.tools = withCalls(text), tools
			}
			if !s.ends(t, endless/10) { // a loop whose counter its body sets again
				t.Skip("it does not end")
			}
			stops += e.threeWays(t, s, e.all, e.sample, 1)
		})
	}
	t.Logf("%d scripts, moved at %d safe points", n, stops)
}

// withCalls makes calls of tools of some of a script's commands.
func withCalls(text string) string {
	words := strings.SplitAfter(strings.ReplaceAll(text, "cat ", "upper "), "echo ")
	for i := range words[:len(words)-1] {
		if i%3 == 0 {
			words[i] = strings.TrimSuffix(words[i], "echo ") + "fetch "
		}
	}
	return strings.Join(words, "")
}
