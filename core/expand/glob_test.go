package expand

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"eryxsh/vfs"
)

// globTree is the directory the scripts of TestGlobs run in. A name that ends
// in a slash is a directory, one with an arrow a link.
var globTree = []string{
	"a", "b.txt", "c.txt", "B.TXT", ".hidden", ".dir/", ".dir/x", "d/", "d/e.txt", "d/f/", "d/f/g.txt", "d/f/.h", "d/f/g/", "d/f/g/deep.txt",
	"sp ace", "st*r", "q?", "[br]", "back\\slash", "é.txt", "link->d", "broken->nowhere", "1", "10", "2", "-dash", "z/", "empty/",
}

var globScripts = []string{
	"n *", "n *.txt", "n .*", "n ?", "n [a-c]*", "n [!a-c]*", "n d/*", "n */*.txt", "n */", "n d/f/*", "n */*/*", "n ./*.txt", "n d//*.txt", "n d/../*.txt",
	"n *nomatch*", "n \"*\".txt '*' \\*", "n st\\*r st\"*\"* \"st*\"r", "n [[]br]", "n \\[br] [br]", "n back\\\\* 'back\\'*", "n q\\? q[?]", "x='*.txt'; n $x \"$x\" $x.no",
	"x='st\\*r'; n $x; x='*\\**'; n $x", "n link/* link/ broken* link*/", "n */e.txt d/e.txt d/nope", "n é* ?.txt [é]*", "n *\\ *", "n sp\" \"* 's'p*", "n {a,b}* {d,z}/*", "n .d*/* .*/x", "n .[!.]* ..?*",
	"shopt -s nullglob\nn *nomatch* x; n *nomatch*", "shopt -s dotglob\nn *; n .*; n */x", "shopt -s failglob\nn *nomatch*", "shopt -s nocaseglob\nn b* *.TXT [b]*", "set -f; n * d/*",
	"shopt -s globstar\nn **", "shopt -s globstar\nn **/*.txt", "shopt -s globstar\nn **/", "shopt -s globstar\nn d/**", "shopt -s globstar\nn d/**/g*", "shopt -s globstar\nn **/f/** ", "shopt -s globstar\nshopt -s dotglob\nn **/*", "n **/*.txt ** ",
	"shopt -s globstar\nn **/**/g.txt", "shopt -s globstar\nn ./**/deep.txt **/nope", "shopt -s globstar\nn a** **.txt",
	"shopt -s extglob\nn @(a|b).txt @(b|c).txt !(*.txt|*.TXT) *(d|z) +([0-9]) ?(1)0", "shopt -s extglob\nn .!(hidden) !(d)/*", "shopt -s extglob\nn @(d|z)/!(e.txt)",
	"n [[:digit:]]* [[:upper:]]* [![:alnum:]]* [0-9]", "n -* ./-*", "n *[*]* *[?] *\\? *[[]*", "n d/[e]* d/[/]e d[/]e.txt [d/e]", "a=(*.txt); n \"${a[@]}\"; v=*.txt; n \"$v\"; n $v", "n *\"\" *'' \"\"* a\"\"", "n ${u:-*.txt} \"${u:-*.txt}\"",
}

func (sh *shell) addTree() {
	for _, f := range globTree {
		name, mode := f, vfs.TypeFile
		if strings.HasSuffix(f, "/") {
			name, mode = strings.TrimSuffix(f, "/"), vfs.TypeDir
		}
		if from, to, ok := strings.Cut(f, "->"); ok {
			name, mode = from, vfs.TypeLink
			sh.links = append(sh.links, [2]string{path.Join("/tmp/x", from), path.Join("/tmp/x", to)})
		}
		sh.files[path.Join("/tmp/x", name)] = mode
	}
}

func TestGlobs(t *testing.T) {
	const file = "testdata/glob.json"
	want := map[string][2]string{}
	if os.Getenv("EXPAND_RECORD") != "" {
		dir := t.TempDir()
		for _, f := range globTree {
			from, to, link := strings.Cut(f, "->")
			p := filepath.Join(dir, from)
			var err error
			switch {
			case link:
				err = os.Symlink(to, p)
			case strings.HasSuffix(f, "/"):
				err = os.MkdirAll(p, 0o755)
			default:
				err = os.WriteFile(p, nil, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range globScripts {
			cmd := exec.Command("bash", "-c", "n() { printf '[%d]' $#; for _a; do printf '<%s>' \"$_a\"; done; echo; }\n"+s)
			cmd.Dir, cmd.Env = dir, []string{"LC_ALL=C.UTF-8"}
			var msg strings.Builder
			cmd.Stderr = &msg
			out, _ := cmd.Output()
			m, _, _ := strings.Cut(msg.String(), "\n")
			if _, rest, ok := strings.Cut(m, ": line "); ok {
				_, m, _ = strings.Cut(rest, ": ")
			}
			want[s] = [2]string{string(out), m}
		}
		data, _ := json.MarshalIndent(want, "", " ")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, s := range globScripts {
		sh := newShell()
		sh.addTree()
		out, err := sh.run(s)
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		w, ok := want[s]
		if !ok || out != w[0] || msg != w[1] {
			t.Errorf("%s\n got %q %q\nwant %q %q", s, out, msg, w[0], w[1])
		}
	}
}
