package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// run gives what a command of the Go toolchain prints.
func run(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command("go", args...)
	c.Dir = ".."
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestNotice checks that NOTICE has, word for word, the licence of each module
// that is linked into the library, of Go itself, and of no other module.
func TestNotice(t *testing.T) {
	notice := read(t, "../NOTICE")
	linked := map[string]string{} // module to folder
	for line := range strings.Lines(run(t, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./capi")) {
		if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			linked[module] = dir
		}
	}
	if len(linked) < 3 {
		t.Fatalf("only %v is linked: the test does not see the library", linked)
	}
	for module, dir := range linked {
		_, section, ok := strings.Cut(notice, "\n== "+module+" ==\n\n")
		if !ok {
			t.Errorf("NOTICE does not name %s, which is linked", module)
			continue
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "LICENSE*")); len(files) == 0 {
			t.Errorf("%s has no licence in %s", module, dir)
		} else if !strings.HasPrefix(section, read(t, files[0])) {
			t.Errorf("NOTICE has another text than %s", files[0])
		}
		if more, _ := filepath.Glob(filepath.Join(dir, "NOTICE*")); len(more) > 0 {
			t.Errorf("%s has a notice of its own, which NOTICE must repeat", module)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^== (\S+\.\S+/\S+) ==$`).FindAllStringSubmatch(notice, -1) {
		if linked[m[1]] == "" {
			t.Errorf("NOTICE names %s, which is not linked", m[1])
		}
	}
	if text, err := os.ReadFile(filepath.Join(strings.TrimSpace(run(t, "env", "GOROOT")), "LICENSE")); err == nil && !strings.Contains(notice, string(text)) {
		t.Error("NOTICE has another text than Go's LICENSE")
	}
}

// TestNoticeOfTestData checks that each corpus, and each licence of one, has its row in NOTICE.
func TestNoticeOfTestData(t *testing.T) {
	_, section, ok := strings.Cut(read(t, "../NOTICE"), "\n== Test data (tests/corpora) ==\n")
	if !ok {
		t.Fatal("NOTICE has no section of the test data")
	}
	var data, licences []string
	for _, m := range regexp.MustCompile(`(?m)^  (\S+\.jsonl(?:\.gz)?) .* (\S+\.txt)$`).FindAllStringSubmatch(section, -1) {
		data, licences = append(data, m[1]), append(licences, m[2])
	}
	there := func(pattern string) (names []string) {
		files, _ := filepath.Glob("corpora/" + pattern)
		for _, f := range files {
			names = append(names, filepath.Base(f))
		}
		return names
	}
	slices.Sort(data)
	slices.Sort(licences)
	if want := there("*.jsonl*"); !slices.Equal(data, want) {
		t.Errorf("NOTICE names %v, tests/corpora has %v", data, want)
	}
	if want := there("LICENSES/*"); !slices.Equal(slices.Compact(licences), want) {
		t.Errorf("NOTICE names %v, tests/corpora/LICENSES has %v", licences, want)
	}
}

// TestTopLevel checks that nothing strays to the top of the repository: a
// .python-version or a bin/ there changes what python3 is for everyone who stands in it.
func TestTopLevel(t *testing.T) {
	may := strings.Fields(`.ci .gitattributes .github .gitignore CHANGELOG.md CONTRIBUTING.md LICENSE MANIFEST.in NOTICE README.md SECURITY.md
		_backend capi core docs examples go.mod go.sum mkdocs.yml pyproject.toml python setup.py state tests vfs`)
	c := exec.Command("git", "ls-files")
	c.Dir = ".."
	out, err := c.Output()
	if err != nil {
		t.Skip("not a checkout of git")
	}
	var seen []string
	for line := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(line), "/")
		if !slices.Contains(seen, top) {
			seen = append(seen, top)
		}
	}
	for _, name := range seen {
		if !slices.Contains(may, name) {
			t.Errorf("%s stands at the top of the repository: if it belongs there, add it to the list", name)
		}
	}
	for _, name := range []string{"LICENSE", "NOTICE", "README.md"} {
		if !slices.Contains(seen, name) {
			t.Errorf("%s is missing", name)
		}
	}
}
