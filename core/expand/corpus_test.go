package expand

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// TestCorpusCompiles compiles every word of the scripts named by
// EXPAND_CORPUS (JSON lines with a "script") and runs those the toy shell
// understands.
func TestCorpusCompiles(t *testing.T) {
	list := os.Getenv("EXPAND_CORPUS")
	if list == "" {
		t.Skip("set EXPAND_CORPUS to files of JSON lines")
	}
	scripts, refused, masked, words, ran, same := 0, 0, 0, 0, 0, 0
	for _, name := range strings.Fields(list) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<22)
		for sc.Scan() {
			var c struct {
				Script string `json:"script"`
				Want   string `json:"expect_stdout"`
			}
			if json.Unmarshal(sc.Bytes(), &c) != nil || c.Script == "" {
				continue
			}
			scripts++
			text := Encode([]byte(c.Script))
			file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
			if err != nil {
				if m, ok := Mask(text, nil); ok {
					if file, err = syntax.NewParser().Parse(strings.NewReader(m), ""); err == nil {
						masked++
					}
				}
			}
			if err != nil {
				refused++
				t.Logf("refused: %v: %.200q", err, c.Script)
				continue
			}
			src := NewSource(text, file)
			syntax.Walk(file, func(n syntax.Node) bool {
				if w, ok := n.(*syntax.Word); ok {
					words++
					CompileWord(src, w)
				}
				return true
			})
			out, _, ok := ours(c.Script, true)
			if !ok {
				continue
			}
			ran++
			if out == c.Want {
				same++
			} else {
				t.Logf("differs: %q\n got %q\nwant %q", c.Script, out, c.Want)
			}
		}
		f.Close()
	}
	t.Logf("%d scripts, %d refused, %d only masked, %d words, %d of %d the same", scripts, refused, masked, words, same, ran)
}
