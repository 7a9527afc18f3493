package std_test

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/cmdtest"
	"eryxsh/core/cmd/std"
)

// TestCorpus runs the cases of tests/cmd that are one plain command, without
// the machine: every way of cmdtest.Check gives what the real tools gave.
func TestCorpus(t *testing.T) {
	builtin := map[string]bool{"echo": true, "printf": true, "true": true, "false": true, "test": true, "[": true, "kill": true, "pwd": true}
	registry := cmd.NewRegistry(std.Commands())
	files, err := filepath.Glob("../../../tests/cmd/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus: ", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sections := cmdtest.Archive(t, string(data))
			silent := strings.Contains(string(data), "\n# no stderr\n")
			for _, s := range sections.Cases() {
				words, ok := cmdtest.Words(sections[s+".sh"])
				if !ok || builtin[words[0]] || registry.Lookup(path.Base(words[0])) == nil {
					continue
				}
				t.Run(s, func(t *testing.T) {
					r := cmdtest.Run{
						Command: registry.Lookup(path.Base(words[0])), Name: words[0], Args: words[1:],
						Stdin: sections[s+".stdin"], Files: sections.Files(s),
					}
					got := cmdtest.Check(t, r)
					status := 0
					if v := strings.TrimSpace(sections[s+".status"]); v != "" {
						if status, err = strconv.Atoi(v); err != nil {
							t.Fatal(err)
						}
					}
					if got.Stdout != sections[s+".out"] || !silent && got.Stderr != sections[s+".err"] || got.Status != status {
						t.Errorf("%q\ngot  %s\nwant status %d\nstdout %q\nstderr %q", words, got, status, sections[s+".out"], sections[s+".err"])
					}
				})
			}
		})
	}
}
