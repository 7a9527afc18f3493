package std_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/cmdtest"
	"eryxsh/core/cmd/std"
)

// TestCorpus runs the cases of tests/cmd that need no more of a shell than
// cmdtest.Shell has: every way of cmdtest.Check gives what the real tools gave.
func TestCorpus(t *testing.T) {
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
				script := sections[s+".sh"]
				world := cmdtest.Run{Stdin: sections[s+".stdin"], Files: sections.Files(s)}
				if (name == "echo" || name == "printf") && !strings.HasPrefix(script, "/") {
					continue // the shell's own: tested in core/cmd/format
				}
				if !(&cmdtest.Shell{Lookup: registry.Lookup}).Runs(script) {
					continue
				}
				t.Run(s, func(t *testing.T) {
					got, ok := cmdtest.CheckScript(t, registry.Lookup, script, world)
					if !ok {
						t.Skip("needs the machine")
					}
					status := 0
					if v := strings.TrimSpace(sections[s+".status"]); v != "" {
						if status, err = strconv.Atoi(v); err != nil {
							t.Fatal(err)
						}
					}
					if got.Stdout != sections[s+".out"] || !silent && got.Stderr != sections[s+".err"] || got.Status != status {
						t.Errorf("%s\ngot  %s\nwant status %d\nstdout %q\nstderr %q", script, got, status, sections[s+".out"], sections[s+".err"])
					}
				})
			}
		})
	}
}
