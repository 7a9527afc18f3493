package std

import (
	"regexp"
	"strings"
	"testing"

	"eryxsh/core/cmd/cmdtest"
)

// TestVersions: the first line of every --version is NAME (TEXT) VERSION, from which scripts take the version
// as the last word (sed 's/.* //') and the kind of tool by its text (autoconf's 'mkdir ('*'coreutils) '*, grep GNU).
func TestVersions(t *testing.T) {
	form := regexp.MustCompile(`^(\S+) \(.*\) ([0-9][-0-9.]*)$`)
	kinds := map[string]string{
		"mkdir": "coreutils) ", "install": "coreutils) ", "grep": "GNU grep", "sed": "GNU sed", "awk": "GNU Awk", "gawk": "GNU Awk",
		"tar": "GNU tar", "diff": "GNU diffutils", "find": "GNU findutils", "bc": "GNU bc", "patch": "GNU patch",
	}
	for _, d := range Commands() {
		if d.Raw && d.Run == nil {
			continue
		}
		r := cmdtest.Run{Command: d, Args: []string{"--version"}}.Do(t)
		first, _, _ := strings.Cut(r.Stdout, "\n")
		if d.Raw && !strings.Contains(first, "eryxsh, as") {
			continue // test, echo's like: an operand, or the tool's own words
		}
		if m := form.FindStringSubmatch(first); r.Status != 0 && d.Name != "false" || m == nil || m[1] != d.Name {
			t.Errorf("%s: %q, status %d", d.Name, first, r.Status)
		}
		if want := kinds[d.Name]; !strings.Contains(first, want) {
			t.Errorf("%s: %q without %q", d.Name, first, want)
		}
	}
}
