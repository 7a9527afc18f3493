package format_test

import (
	"os"
	"strings"
	"testing"

	"eryxsh/core/cmd/cmdtest"
	"eryxsh/core/cmd/format"
	"eryxsh/core/large"
)

// TestBuiltins runs the cases of tests/cmd/printf.txtar and echo.txtar that
// are one call of the builtin with literal words, against what bash answered.
func TestBuiltins(t *testing.T) {
	for _, name := range []string{"printf", "echo"} {
		data, err := os.ReadFile("../../../tests/cmd/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		sections := cmdtest.Archive(t, string(data))
		ran := 0
		for _, s := range sections.Cases() {
			words, ok := cmdtest.Words(sections[s+".sh"])
			if !ok || words[0] != name || name == "printf" && (len(words) < 2 || words[1] == "-v" || words[1] == "-z") {
				continue
			}
			ran++
			t.Run(s, func(t *testing.T) {
				var out, errs []byte
				status := 0
				if name == "echo" {
					out = format.Echo(nil, words[1:], false, large.Free)
				} else {
					args := words[1:]
					if args[0] == "--" {
						args = args[1:]
					}
					r := format.Printer{}.Printf(nil, args[0], args[1:])
					out, status = r.Out, r.Status
					for _, e := range r.Errors {
						errs = append(errs, "bash: line 1: printf: "+e+"\n"...)
					}
				}
				want := 0
				if strings.TrimSpace(sections[s+".status"]) == "1" {
					want = 1
				}
				if string(out) != sections[s+".out"] || string(errs) != sections[s+".err"] || status != want {
					t.Errorf("%q\ngot  %d %q %q\nwant %d %q %q", words, status, out, errs, want, sections[s+".out"], sections[s+".err"])
				}
			})
		}
		if ran < 10 {
			t.Errorf("%s: only %d cases", name, ran)
		}
	}
}
