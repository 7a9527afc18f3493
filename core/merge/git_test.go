package merge

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"eryxsh/vfs"
)

var root = vfs.Cred{UID: 1000, GID: 1000, Root: true}

// world is a tree of files that a test changes.
type world struct {
	*vfs.FS
	t *testing.T
}

func newWorld(t *testing.T) *world { return &world{vfs.New(nil, vfs.Limits{}, 1), t} }

func (w *world) fork() *world { return &world{w.Fork(), w.t} }

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) mkdirs(dir string) {
	for i := 1; i <= len(dir); i++ {
		if i == len(dir) || dir[i] == '/' {
			if err := w.Mkdir(root, dir[:i], 0o755, 1); err != nil && err != vfs.EEXIST {
				w.t.Fatal(dir, err)
			}
		}
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	w.mkdirs(path.Dir(name))
	ino, err := w.Open(root, name, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o644, 1)
	w.must(err)
	_, err = w.WriteAt(ino, []byte(text), 0, 1)
	w.must(err)
}

// files lists what git would: every file with its mode and content.
func (w *world) files() map[string]string {
	all := map[string]string{}
	todo := []string{"/"}
	for len(todo) > 0 {
		d := todo[0]
		todo = todo[1:]
		names, err := w.ReadDir(root, d, "", 0)
		w.must(err)
		for _, n := range names {
			p := path.Join(d, n.Name)
			st, err := w.StatIno(n.Ino)
			w.must(err)
			mode := "100644"
			switch {
			case n.Ino.Generated():
				continue
			case n.Type.IsDir():
				todo = append(todo, p)
				continue
			case n.Type.IsLink():
				mode = "120000"
			case st.Mode&0o100 != 0:
				mode = "100755"
			}
			all[p[1:]] = mode + " " + string(w.Content(n.Ino))
		}
	}
	return all
}

func (w *world) paths() []string {
	var all []string
	for p := range w.files() {
		all = append(all, p)
	}
	sort.Strings(all)
	return all
}

// both merges as git leaves it.
func both(base, ours, theirs *world) (*world, []*Conflict, error) {
	return merged(base, ours, theirs, Both)
}

func merged(base, ours, theirs *world, take Take) (*world, []*Conflict, error) {
	before, other, out := ours.fork(), theirs.fork(), ours.fork()
	all, _, err := Files(base.Fork(), before.FS, other.FS, out.FS, func(*Conflict) Decision { return Decision{Take: take} }, 2)
	return out, all, err
}

// repo is a git repository to compare with.
type repo struct {
	t   *testing.T
	dir string
	env []string
}

func newRepo(t *testing.T) *repo {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	r := &repo{t: t, dir: t.TempDir()}
	r.env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "HOME="+r.dir,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	r.git(nil, "init", "-q", ".")
	if out, code := r.run(nil, "merge-tree", "--write-tree", "-h"); code == 128 || bytes.Contains(out, []byte("unknown option")) {
		t.Skip("git has no merge-tree --write-tree")
	}
	for k, v := range map[string]string{"merge.conflictStyle": "diff3", "merge.directoryRenames": "true", "core.autocrlf": "false", "gc.auto": "0",
		"fastimport.unpackLimit": "0"} {
		r.git(nil, "config", k, v)
	}
	return r
}

func (r *repo) run(in io.Reader, args ...string) ([]byte, int) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, in
	out, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok {
		return out, exit.ExitCode()
	} else if err != nil {
		r.t.Fatal(err)
	}
	return out, 0
}

func (r *repo) git(in io.Reader, args ...string) []byte {
	r.t.Helper()
	out, code := r.run(in, args...)
	if code != 0 {
		r.t.Fatalf("git %v: %d: %s", args, code, out)
	}
	return out
}

// commit writes three trees as branches.
func (r *repo) commit(base, ours, theirs *world) {
	var b bytes.Buffer
	for i, w := range []*world{base, ours, theirs} {
		ref := []string{"base", "ours", "theirs"}[i]
		fmt.Fprintf(&b, "reset refs/heads/%s\ncommit refs/heads/%s\nmark :%d\ncommitter a <a@b> %d +0000\ndata 0\n", ref, ref, i+1, i+1)
		if i > 0 {
			fmt.Fprintf(&b, "from :1\n")
		}
		fmt.Fprintf(&b, "deleteall\n")
		all := w.files()
		for _, p := range w.paths() {
			text := all[p][7:]
			fmt.Fprintf(&b, "M %s inline %s\ndata %d\n%s\n", all[p][:6], p, len(text), text)
		}
	}
	b.WriteString("done\n")
	r.git(&b, "fast-import", "--quiet", "--force", "--done")
}

// merge gives what git makes of ours and theirs, and whether it was clean.
func (r *repo) merge() (files map[string]string, clean bool, says string) {
	out, code := r.run(nil, "merge-tree", "--write-tree", "ours", "theirs")
	if code > 1 {
		r.t.Fatalf("merge-tree: %s", out)
	}
	id, says, _ := strings.Cut(string(out), "\n")
	listed := r.git(nil, "ls-tree", "-r", "-z", id)
	files = map[string]string{}
	var ask bytes.Buffer
	var names, modes []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		if entry == "" {
			continue
		}
		head, name, _ := strings.Cut(entry, "\t")
		f := strings.Fields(head)
		names, modes = append(names, name), append(modes, f[0])
		fmt.Fprintln(&ask, f[2])
	}
	data := r.git(&ask, "cat-file", "--batch")
	for i, name := range names {
		head, rest, _ := bytes.Cut(data, []byte("\n"))
		n, _ := strconv.Atoi(strings.Fields(string(head))[2])
		files[name] = modes[i] + " " + string(rest[:n])
		data = rest[n+1:]
	}
	return files, code == 0 || onlySplit(says), says
}

var conflictLine = regexp.MustCompile(`(?m)^CONFLICT \(([^)]*)\)`)

// onlySplit reports whether all that git finds unclear is where a directory went whose files went to several. It guesses
// that from the files; ours has an identity, and what is added to it goes where it is, also where git counts no majority.
func onlySplit(says string) bool {
	found := conflictLine.FindAllStringSubmatch(says, -1)
	for _, c := range found {
		if c[1] != "directory rename split" {
			return false
		}
	}
	return len(found) > 0
}

var (
	baseLabel = regexp.MustCompile(`(?m)^\|{7} [^\n\r]*`)
	sideLabel = regexp.MustCompile(`(?m)^(<{7}|>{7}) (ours|theirs):[^\n\r]*`)
)

func plain(text string) string {
	return sideLabel.ReplaceAllString(baseLabel.ReplaceAllString(text, "||||||| base"), "$1 $2")
}

// difference says where two trees are not the same.
func difference(git, own map[string]string) string {
	var out strings.Builder
	var all []string
	for p := range git {
		all = append(all, p)
	}
	for p := range own {
		if _, ok := git[p]; !ok {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	for _, p := range all {
		g, inGit := git[p]
		o, inOwn := own[p]
		if inGit != inOwn || plain(g) != plain(o) {
			fmt.Fprintf(&out, "%s:\n--- git (%v)\n%s\n--- own (%v)\n%s\n", p, inGit, g, inOwn, o)
		}
	}
	return out.String()
}

// vandal changes trees at random.
type vandal struct {
	*rand.Rand
	serial int
}

func (v *vandal) line() string {
	if v.Intn(5) == 0 {
		return []string{"}", "", "\treturn", "end"}[v.Intn(4)] + "\n"
	}
	v.serial++
	return fmt.Sprintf("line %d of %d\n", v.serial, v.Intn(1000))
}

func (v *vandal) text(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(v.line())
	}
	return b.String()
}

// edit changes a few lines.
func (v *vandal) edit(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + v.Intn(3) {
		at := v.Intn(len(lines))
		switch v.Intn(4) {
		case 0:
			lines = slices.Insert(lines, at, v.line())
		case 1:
			lines[at] = v.line()
		case 2:
			lines = slices.Delete(lines, at, at+1)
		case 3:
			lines = slices.Insert(lines, at, v.line(), v.line())
		}
		if len(lines) == 0 {
			lines = []string{v.line()}
		}
	}
	return strings.Join(lines, "")
}

// work makes n changes of the kinds that are asked for.
func (v *vandal) work(w *world, n int, kinds string) {
	for range n {
		all := w.paths()
		if len(all) == 0 {
			return
		}
		p := "/" + all[v.Intn(len(all))]
		st, err := w.Lstat(root, p)
		w.must(err)
		switch kinds[v.Intn(len(kinds))] {
		case 'e':
			if st.Mode.IsRegular() {
				w.write(p, v.edit(string(w.Content(st.Ino))))
			}
		case 'E': // as an editor that writes a new file
			if st.Mode.IsRegular() {
				w.write(p+"#", v.edit(string(w.Content(st.Ino))))
				w.must(w.Rename(root, p+"#", p, 1))
			}
		case 'd':
			w.must(w.Unlink(root, p, 1))
			for d := path.Dir(p); d != "/"; d = path.Dir(d) {
				if w.Rmdir(root, d, 1) != nil {
					break
				}
			}
		case 'a':
			v.serial++
			name := fmt.Sprintf("%s/n%d", path.Dir(p), v.serial)
			w.write(name, v.text(3+v.Intn(10)))
		case 'b': // both sides may do it
			name := fmt.Sprintf("%s/both%d", path.Dir(p), v.Intn(2))
			if _, err := w.Lstat(root, name); err == vfs.ENOENT {
				w.write(name, v.text(1+v.Intn(4)))
			}
		case 'm':
			if st.Mode.IsRegular() {
				w.must(w.Chmod(root, p, false, st.Mode&0o777^0o111, 1))
			}
		case 'r':
			v.serial++
			w.must(w.Rename(root, p, fmt.Sprintf("%s/r%d", path.Dir("/"+all[v.Intn(len(all))]), v.serial), 1))
		case 'l':
			v.serial++
			w.must(w.Symlink(root, fmt.Sprintf("to%d", v.serial), fmt.Sprintf("%s/l%d", path.Dir(p), v.serial), 1))
		}
	}
}

func (v *vandal) base(t *testing.T) *world {
	w := newWorld(t)
	for i := range 8 {
		w.write(fmt.Sprintf("/%s/f%d", []string{"", "d", "d/e", "g"}[v.Intn(4)], i), v.text(6+v.Intn(20)))
	}
	return w
}

// TestAsGit: what git's merge of the same three trees gives is what ours gives,
// with the same conflicts between the same markers.
func TestAsGit(t *testing.T) {
	r := newRepo(t)
	rounds, first := 40, 0
	if n, err := strconv.Atoi(os.Getenv("MERGE_ROUNDS")); err == nil {
		rounds = n
	}
	if n, err := strconv.Atoi(os.Getenv("MERGE_FIRST")); err == nil {
		first = n
	}
	for _, kinds := range []string{"eeea", "eEm", "ead", "eabm", "eeedarml", "eeeadrbml"} {
		if only := os.Getenv("MERGE_KINDS"); only != "" && only != kinds {
			continue
		}
		t.Run(kinds, func(t *testing.T) {
			failed := 0
			for seed := range rounds {
				v := &vandal{Rand: rand.New(rand.NewSource(int64(first + seed)))}
				base := v.base(t)
				ours, theirs := base.fork(), base.fork()
				v.work(ours, 1+v.Intn(6), kinds)
				v.work(theirs, 1+v.Intn(6), kinds)
				r.commit(base, ours, theirs)
				git, clean, says := r.merge()
				own, conflicts, err := both(base, ours, theirs)
				if err != nil {
					t.Fatal(err)
				}
				var kinds []string
				for _, c := range conflicts {
					kinds = append(kinds, string(c.Kind)+" "+c.Path)
				}
				d := difference(git, own.files())
				if d == "" && clean == (len(conflicts) == 0) {
					continue
				}
				if failed++; failed > 2 {
					continue
				}
				t.Errorf("seed %d: clean %v, conflicts %q\n%s\ngit says: %s", first+seed, clean, kinds, d, says)
			}
			if failed > 0 {
				t.Errorf("%d of %d are not as git's", failed, rounds)
			}
		})
	}
}
