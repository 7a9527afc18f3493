package rpc

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
	"eryxsh/vfs"
)

// What the table has and nothing does yet. A method leaves this list, it does
// not come to it.
var unboundMethods []string

func TestEveryMethodIsBound(t *testing.T) {
	bound := map[string]bool{}
	for _, b := range bindings() {
		bound[b.name] = true
	}
	c := newClient(t)
	for _, m := range wire.Methods() {
		if bound[m.Name] == slices.Contains(unboundMethods, m.Name) {
			t.Errorf("%s: bound is %v", m.Name, bound[m.Name])
		}
		if !bound[m.Name] && c.kind(m.Name, m.Params) != fault.Unsupported {
			t.Errorf("%s does not say that it is not supported", m.Name)
		}
	}
}

// sandbox makes a sandbox with a clock and a random stream of its own.
func (c client) sandbox() int64 {
	c.Helper()
	var h int64
	seed := int64(1)
	if tag := c.ask("sandbox.new", wire.NewParams{Virtual: true, Seed: &seed}, &h); tag != wire.TagValue {
		c.Fatalf("sandbox.new: tag %d", tag)
	}
	return h
}

// must sends a request that may not fail.
func (c client) must(method string, params, into any) {
	c.Helper()
	reply := c.Call(c.request(method, params), nil)
	if reply.Tag == wire.TagError {
		c.Fatalf("%s %+v: %q", method, params, reply.Body())
	}
	reply.Release()
	if into != nil {
		c.ask(method, params, into)
	}
}

// bytes sends a request whose answer is bytes.
func (c client) bytes(method string, params any) []byte {
	c.Helper()
	reply := c.Call(c.request(method, params), nil)
	defer reply.Release()
	if reply.Tag != wire.TagBytes {
		c.Fatalf("%s: tag %d: %q", method, reply.Tag, reply.Body())
	}
	b := make([]byte, reply.Len())
	if err := reply.CopyTo(b); err != nil {
		c.Fatal(err)
	}
	return b
}

func (c client) write(h int64, path, data string) {
	c.Helper()
	c.must("files.write", wire.WriteParams{Sandbox: h, Path: path, Data: wire.Blob(data)}, nil)
}

func (c client) read(h int64, path string) string {
	c.Helper()
	return string(c.bytes("files.read", wire.PathParams{Sandbox: h, Path: path}))
}

// errno gives the errno and path of a request's error.
func (c client) errno(method string, params any) (vfs.Errno, string) {
	c.Helper()
	var e wire.Error
	if tag := c.ask(method, params, &e); tag != wire.TagError {
		return 0, ""
	}
	return vfs.Errno(e.Errno), e.Path
}

func TestFileErrorsNameTheFile(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	c.write(h, "/d/f", "x")
	c.must("files.symlink", wire.SymlinkParams{Sandbox: h, Target: "loop", Path: "/loop"}, nil)
	at := func(p string) wire.PathParams { return wire.PathParams{Sandbox: h, Path: p} }
	for i, row := range []struct {
		method string
		params any
		errno  vfs.Errno
		path   string
	}{
		{"files.read", at("/none"), vfs.ENOENT, "/none"},
		{"files.read", at("/d"), vfs.EISDIR, "/d"},
		{"files.read", at("/d/f/x"), vfs.ENOTDIR, "/d/f/x"},
		{"files.read", at("/loop"), vfs.ELOOP, "/loop"},
		{"files.read", at("/dev/zero"), vfs.EINVAL, "/dev/zero"},
		{"files.read", at("/proc"), vfs.EISDIR, "/proc"},
		{"files.read_range", wire.ReadRangeParams{Sandbox: h, Path: "/d/f", Offset: -1, Size: 1}, vfs.EINVAL, "/d/f"},
		{"files.write", wire.WriteParams{Sandbox: h, Path: "/d"}, vfs.EISDIR, "/d"},
		{"files.write", wire.WriteParams{Sandbox: h, Path: "/d/f", Exclusive: true}, vfs.EEXIST, "/d/f"},
		{"files.write", wire.WriteParams{Sandbox: h, Path: "/d/g", Mode: 1 << 20}, vfs.EINVAL, "/d/g"},
		{"files.write", wire.WriteParams{Sandbox: h, Path: "/proc/x"}, vfs.EROFS, "/proc/x"},
		{"files.write_at", wire.WriteAtParams{Sandbox: h, Path: "/none"}, vfs.ENOENT, "/none"},
		{"files.write_at", wire.WriteAtParams{Sandbox: h, Path: "/d/f", Offset: -1, Data: wire.Blob("x")}, vfs.EINVAL, "/d/f"},
		{"files.list", wire.ListParams{Sandbox: h, Path: "/d/f"}, vfs.ENOTDIR, "/d/f"},
		{"files.stat", at("/none"), vfs.ENOENT, "/none"},
		{"files.mkdir", wire.MkdirParams{Sandbox: h, Path: "/d"}, vfs.EEXIST, "/d"},
		{"files.mkdir", wire.MkdirParams{Sandbox: h, Path: "/d/f", ExistOK: true}, vfs.EEXIST, "/d/f"},
		{"files.mkdir", wire.MkdirParams{Sandbox: h, Path: "/p/q"}, vfs.ENOENT, "/p/q"},
		{"files.rm", wire.RemoveParams{Sandbox: h, Path: "/d"}, vfs.EISDIR, "/d"},
		{"files.rm", wire.RemoveParams{Sandbox: h, Path: "/none"}, vfs.ENOENT, "/none"},
		{"files.rename", wire.FromToParams{Sandbox: h, From: "/none", To: "/x"}, vfs.ENOENT, "/none"},
		{"files.copy", wire.CopyParams{Sandbox: h, From: "/d", To: "/e"}, vfs.EISDIR, "/d"},
		{"files.copy", wire.CopyParams{Sandbox: h, From: "/none", To: "/e"}, vfs.ENOENT, "/none"},
		{"files.readlink", at("/d/f"), vfs.EINVAL, "/d/f"},
		{"files.truncate", wire.TruncateParams{Sandbox: h, Path: "/d/f", Size: -1}, vfs.EINVAL, "/d/f"},
		{"files.chmod", wire.ChmodParams{Sandbox: h, Path: "/d/f", Mode: -1}, vfs.EINVAL, "/d/f"},
		{"files.realpath", at("/none"), vfs.ENOENT, "/none"},
		{"files.stat", at(""), vfs.ENOENT, ""},
		{"files.write", wire.WriteParams{Sandbox: h}, vfs.ENOENT, ""},
		{"files.list", wire.ListParams{Sandbox: h}, vfs.ENOENT, ""},
	} {
		if errno, path := c.errno(row.method, row.params); errno != row.errno || path != row.path {
			t.Errorf("%d: %s %+v: %v %q, want %v %q", i, row.method, row.params, errno, path, row.errno, row.path)
		}
	}
	if c.read(h, "/d/f") != "x" {
		t.Error("a failed call changed the file")
	}
}

func TestFilesRoundTrip(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	big := strings.Repeat("0123456789abcdef", 70_000)
	c.write(h, "a/b/../c", "relative") // to /home/user; parents as they are written
	c.write(h, "/big", big)
	if got := c.read(h, "/big"); got != big {
		t.Errorf("%d bytes", len(got))
	}
	part := func(off, n int64) string {
		return string(c.bytes("files.read_range", wire.ReadRangeParams{Sandbox: h, Path: "/big", Offset: off, Size: n}))
	}
	end := int64(len(big))
	if part(16, 4) != "0123" || part(end-2, 100) != "ef" || part(end, 5) != "" || part(end+9, 5) != "" || part(0, 0) != "" {
		t.Error("a part is wrong")
	}
	c.must("files.write_at", wire.WriteAtParams{Sandbox: h, Path: "/big", Data: wire.Blob("ZZ"), Offset: 20_000}, nil)
	c.must("files.append", wire.AppendParams{Sandbox: h, Path: "/big", Data: wire.Blob("end")}, nil)
	if got := c.read(h, "/big"); got != big[:20_000]+"ZZ"+big[20_002:]+"end" {
		t.Error("writing a part or appending went wrong")
	}
	c.must("files.truncate", wire.TruncateParams{Sandbox: h, Path: "/big", Size: 3}, nil)
	c.must("files.truncate", wire.TruncateParams{Sandbox: h, Path: "/big", Size: 5}, nil)
	if got := c.read(h, "/big"); got != "012\x00\x00" {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(c.read(h, "/proc/version"), "Linux") || c.read(h, "/dev/null") != "" {
		t.Error("generated files do not read")
	}
	c.write(h, "/dev/null", "gone")
	mode := wire.WriteParams{Sandbox: h, Path: "/m", Data: wire.Blob("m"), Mode: 0o600}
	c.must("files.write", mode, nil)
	var st wire.FileInfo
	c.must("files.stat", wire.PathParams{Sandbox: h, Path: "/m"}, &st)
	if st.Mode != 0o600 || st.UID != 1000 || st.Type != "file" || st.Size != 1 || st.Name != "m" || st.Path != "/m" {
		t.Errorf("%+v", st)
	}
}

func TestReadingASparseFileIsBounded(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	c.write(h, "/sparse", "")
	c.must("files.truncate", wire.TruncateParams{Sandbox: h, Path: "/sparse", Size: 1 << 41}, nil)
	if k := c.kind("files.read", wire.PathParams{Sandbox: h, Path: "/sparse"}); k != fault.Limit {
		t.Errorf("kind %d", k)
	}
	got := c.bytes("files.read_range", wire.ReadRangeParams{Sandbox: h, Path: "/sparse", Offset: 1 << 40, Size: 10})
	if !bytes.Equal(got, make([]byte, 10)) {
		t.Errorf("%q", got)
	}
	c.must("files.copy", wire.CopyParams{Sandbox: h, From: "/sparse", To: "/again"}, nil)
	var u wire.Usage
	if c.must("sandbox.usage", wire.SandboxParams{Sandbox: h}, &u); u.Bytes > 1<<20 {
		t.Errorf("the copy of a hole takes %d bytes", u.Bytes)
	}
}

func TestAWriteThatDoesNotFitChangesNothing(t *testing.T) {
	c := newClient(t)
	var h int64
	c.ask("sandbox.new", wire.NewParams{Limits: map[string]int64{"file_bytes": 200_000}}, &h)
	c.write(h, "/f", strings.Repeat("a", 100_000))
	huge := wire.Blob(strings.Repeat("b", 300_000))
	for name, params := range map[string]any{
		"files.write":      wire.WriteParams{Sandbox: h, Path: "/f", Data: huge},
		"files.append":     wire.AppendParams{Sandbox: h, Path: "/f", Data: huge},
		"files.write_at":   wire.WriteAtParams{Sandbox: h, Path: "/f", Data: huge},
		"files.write_many": wire.WriteManyParams{Sandbox: h, Files: map[string][]byte{"/f": []byte("small"), "/g": huge}},
	} {
		var e wire.Error
		if tag := c.ask(name, params, &e); tag != wire.TagError || fault.Kind(e.Kind) != fault.Quota || vfs.Errno(e.Errno) != vfs.ENOSPC {
			t.Errorf("%s: tag %d, %+v", name, tag, e)
		}
		if got := c.read(h, "/f"); got != strings.Repeat("a", 100_000) {
			t.Errorf("%s left %d bytes in the file", name, len(got))
		}
	}
	if errno, _ := c.errno("files.stat", wire.PathParams{Sandbox: h, Path: "/g"}); errno != vfs.ENOENT {
		t.Error("write_many left a file behind")
	}
}

func (c client) list(p wire.ListParams) (paths []string) {
	c.Helper()
	for {
		var page wire.Page
		c.must("files.list", p, &page)
		for _, e := range page.Entries {
			paths = append(paths, e.Path)
		}
		if page.Next == "" {
			return paths
		}
		p.After = page.Next
	}
}

func TestPagesOfAListing(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	var flat, deep []string
	for i := range 30 {
		dir := fmt.Sprintf("/t/d%02d", i)
		flat, deep = append(flat, dir), append(deep, dir)
		for j := range 3 {
			c.write(h, fmt.Sprintf("%s/s/f%d", dir, j), "x")
		}
		deep = append(deep, dir+"/s", dir+"/s/f0", dir+"/s/f1", dir+"/s/f2")
	}
	c.must("files.symlink", wire.SymlinkParams{Sandbox: h, Target: "/t", Path: "/t/z"}, nil)
	flat, deep = append(flat, "/t/z"), append(deep, "/t/z")
	for _, limit := range []int{0, 1, 2, 3, 7, 1000} {
		for _, root := range []string{"/t", "/t/", "/t//"} {
			if got := c.list(wire.ListParams{Sandbox: h, Path: root, Limit: limit}); !slices.Equal(got, flat) {
				t.Errorf("limit %d: %q", limit, got)
			}
			if got := c.list(wire.ListParams{Sandbox: h, Path: root, Limit: limit, Recursive: true}); !slices.Equal(got, deep) {
				t.Errorf("recursive, limit %d: %q", limit, got)
			}
		}
	}
	if k := c.kind("files.list", wire.ListParams{Sandbox: h, Path: "/t", After: "/elsewhere"}); k != fault.Invalid {
		t.Errorf("kind %d", k)
	}
	root := c.list(wire.ListParams{Sandbox: h, Path: "/", Limit: 2})
	if !slices.Contains(root, "/t") || !slices.IsSorted(root) || len(root) < 8 {
		t.Errorf("%q", root)
	}
}

func TestTreesAreRemovedAndCopied(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	deep := "/t" + strings.Repeat("/d", 1900)
	c.write(h, deep+"/f", "bottom")
	c.write(h, "/t/x", "top")
	c.must("files.symlink", wire.SymlinkParams{Sandbox: h, Target: "x", Path: "/t/l"}, nil)
	c.must("files.chmod", wire.ChmodParams{Sandbox: h, Path: "/t/x", Mode: 0o741}, nil)
	c.must("files.copy", wire.CopyParams{Sandbox: h, From: "/t", To: "/u", Recursive: true}, nil)
	if c.read(h, strings.Replace(deep, "/t", "/u", 1)+"/f") != "bottom" || c.read(h, "/u/l") != "top" {
		t.Error("the copy is not the same")
	}
	var st wire.FileInfo
	if c.must("files.lstat", wire.PathParams{Sandbox: h, Path: "/u/l"}, &st); st.Type != "symlink" || st.Target != "x" {
		t.Errorf("%+v", st)
	}
	if c.must("files.stat", wire.PathParams{Sandbox: h, Path: "/u/x"}, &st); st.Mode != 0o741 {
		t.Errorf("%+v", st)
	}
	if k := c.kind("files.copy", wire.CopyParams{Sandbox: h, From: "/t", To: "/t/d/copy", Recursive: true}); k != fault.Invalid {
		t.Errorf("into itself: kind %d", k)
	}
	if k := c.kind("files.copy", wire.CopyParams{Sandbox: h, From: "/t/x", To: "/t/l"}); k != fault.Invalid {
		t.Errorf("onto itself: kind %d", k)
	}
	if c.read(h, "/t/x") != "top" {
		t.Error("copying onto itself lost the file")
	}
	for range 2 {
		c.ask("files.rm", wire.RemoveParams{Sandbox: h, Path: "/t", Recursive: true, MissingOK: true}, nil)
	}
	if errno, _ := c.errno("files.stat", wire.PathParams{Sandbox: h, Path: "/t"}); errno != vfs.ENOENT {
		t.Error("the tree is still there")
	}
	if c.read(h, "/u/x") != "top" {
		t.Error("the copy went with it")
	}
}

func TestGlob(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	for _, f := range []string{"/g/a.txt", "/g/b.txt", "/g/.hidden.txt", "/g/sub/c.txt", "/g/sub/deep/d.txt", "/g/.dot/e.txt", "/g/x[1]", "rel.txt"} {
		c.write(h, f, "")
	}
	c.must("files.symlink", wire.SymlinkParams{Sandbox: h, Target: "/g/sub", Path: "/g/link"}, nil)
	for pattern, want := range map[string][]string{
		"/g/*.txt":      {"/g/a.txt", "/g/b.txt"},
		"/g/.*.txt":     {"/g/.hidden.txt"},
		"/g/*/c.txt":    {"/g/link/c.txt", "/g/sub/c.txt"},
		"/g/**/*.txt":   {"/g/a.txt", "/g/b.txt", "/g/sub/c.txt", "/g/sub/deep/d.txt"},
		"/g/**":         {"/g", "/g/a.txt", "/g/b.txt", "/g/link", "/g/sub", "/g/sub/c.txt", "/g/sub/deep", "/g/sub/deep/d.txt", "/g/x[1]"},
		"/g/**/**/d.*":  {"/g/sub/deep/d.txt"},
		"/g/[ab].txt":   {"/g/a.txt", "/g/b.txt"},
		"/g/@(a|b).txt": {"/g/a.txt", "/g/b.txt"},
		`/g/x\[1]`:      {"/g/x[1]"},
		"/g/*/":         {"/g/link", "/g/sub"},
		"*.txt":         {"rel.txt"},
		"rel.txt":       {"rel.txt"},
		"**/rel.*":      {"rel.txt"},
		"/none/*":       nil,
		"/g/a.txt/*":    nil,
		"":              nil,
	} {
		var got []string
		if c.must("files.glob", wire.GlobParams{Sandbox: h, Pattern: pattern}, &got); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	for _, f := range []string{"/keep", "/change", "/move", "/remove", "/replace"} {
		c.write(h, f, "1234")
	}
	var id string
	c.ask("sandbox.snapshot", wire.SnapshotParams{Sandbox: h}, &id)
	c.write(h, "/change", "12345")
	c.write(h, "/new", "123")
	c.must("files.rename", wire.FromToParams{Sandbox: h, From: "/move", To: "/moved"}, nil)
	c.must("files.rm", wire.RemoveParams{Sandbox: h, Path: "/remove"}, nil)
	c.write(h, "/tmp/r", "12")
	c.must("files.rename", wire.FromToParams{Sandbox: h, From: "/tmp/r", To: "/replace"}, nil)
	c.run(h, "x=1; export y=2; unset y; a=(p q); f() { :; }; cd /tmp")
	var d wire.Diff
	c.must("sandbox.diff", wire.DiffParams{Sandbox: h, A: id}, &d)
	want := []wire.DiffFile{
		{Change: "modified", Path: "/change", Type: "file", Before: 4, After: 5, ModeBefore: 0o644, ModeAfter: 0o644},
		{Change: "renamed", Path: "/moved", From: "/move", Type: "file", Before: 4, After: 4, ModeBefore: 0o644, ModeAfter: 0o644},
		{Change: "added", Path: "/new", Type: "file", After: 3, ModeAfter: 0o644},
		{Change: "removed", Path: "/remove", Type: "file", Before: 4, ModeBefore: 0o644},
		{Change: "modified", Path: "/replace", Type: "file", Before: 4, After: 2, ModeBefore: 0o644, ModeAfter: 0o644},
	}
	if !slices.Equal(d.Files, want) {
		t.Errorf("files: %+v", d.Files)
	}
	if v := d.Variables; len(v) != 2 || v[0].Name != "a" || *v[0].After != `([0]="p" [1]="q")` || v[1].Name != "x" || *v[1].After != "1" || v[1].Before != nil {
		t.Errorf("variables: %+v", v)
	}
	if f := d.Functions; len(f) != 1 || f[0].Name != "f" || f[0].Before != nil || d.DirBefore != "/home/user" || d.DirAfter != "/tmp" {
		t.Errorf("%+v", d)
	}
	var back wire.Diff
	c.ask("sandbox.snapshot", wire.SnapshotParams{Sandbox: h}, &id)
	c.must("sandbox.diff", wire.DiffParams{Sandbox: h, A: id, B: id}, &back)
	if len(back.Files)+len(back.Variables)+len(back.Functions) != 0 || back.DirAfter != "" {
		t.Errorf("a state differs from itself: %+v", back)
	}
	if k := c.kind("sandbox.diff", wire.DiffParams{Sandbox: h, A: "none"}); k != fault.NotFound {
		t.Errorf("kind %d", k)
	}
}

// run runs a script to its end and gives its output and status.
func (c client) run(h int64, script string) (string, int) {
	c.Helper()
	reply := c.Call(c.request("run.run", wire.StartParams{Sandbox: h, Script: script, Slice: int64(time.Second)}), nil)
	defer reply.Release()
	if reply.Tag != wire.TagDone {
		c.Fatalf("%s: tag %d: %q", script, reply.Tag, reply.Body())
	}
	var d wire.Done
	if err := decode(reply.Body(), &d); err != nil {
		c.Fatal(err)
	}
	var out bytes.Buffer
	for _, chunk := range d.Output.Output {
		out.Write(chunk.Data)
	}
	return out.String(), d.Status
}

func TestSnapshotsUndoHistory(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	c.run(h, "x=1; echo one > /tmp/f")
	var id string
	c.ask("sandbox.snapshot", wire.SnapshotParams{Sandbox: h, Name: "first"}, &id)
	c.run(h, "x=2; echo two > /tmp/f")
	c.run(h, "x=3")
	c.must("sandbox.undo", wire.UndoParams{Sandbox: h, N: 1}, nil)
	if out, _ := c.run(h, "echo $x; cat /tmp/f"); out != "2\ntwo\n" {
		t.Errorf("after undo: %q", out)
	}
	c.must("sandbox.restore", wire.RestoreParams{Sandbox: h, Snapshot: id}, nil)
	if out, _ := c.run(h, "echo $x; cat /tmp/f"); out != "1\none\n" {
		t.Errorf("after restore: %q", out)
	}
	var log []wire.HistoryEntry
	c.must("history.list", wire.HistoryListParams{Sandbox: h, Limit: 1}, &log)
	if len(log) != 1 || log[0].Command != "echo $x; cat /tmp/f" || log[0].Snapshot == "" {
		t.Fatalf("%+v", log)
	}
	c.run(h, "x=9")
	c.must("sandbox.restore", wire.RestoreParams{Sandbox: h, Snapshot: log[0].Snapshot}, nil)
	if out, _ := c.run(h, "echo $x"); out != "1\n" {
		t.Errorf("after restoring a state of the history: %q", out)
	}
	for method, params := range map[string]any{
		"sandbox.undo":    wire.UndoParams{Sandbox: h, N: 10_000},
		"sandbox.restore": wire.RestoreParams{Sandbox: h, Snapshot: "s99"},
		"sandbox.drop":    wire.DropParams{Sandbox: h, Snapshot: "s99"},
		"history.restore": wire.HistoryRestoreParams{Sandbox: h, Index: 99},
	} {
		if k := c.kind(method, params); k != fault.NotFound {
			t.Errorf("%s: kind %d", method, k)
		}
	}
	c.must("sandbox.drop", wire.DropParams{Sandbox: h, Snapshot: id}, nil)
	c.must("history.clear", wire.SandboxParams{Sandbox: h}, nil)
	if c.must("history.list", wire.HistoryListParams{Sandbox: h}, &log); len(log) != 0 {
		t.Errorf("%+v", log)
	}
}

func TestStates(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	c.must("sandbox.set_tools", wire.ToolsParams{Sandbox: h, Tools: []wire.Tool{{Name: "held", Held: true}, {Name: "free"}}}, nil)
	c.run(h, "x=1; echo one > /tmp/f")
	key := []byte("secret")
	blob := c.bytes("sandbox.export", wire.ExportParams{Sandbox: h, Key: key})
	for name, p := range map[string]struct {
		params wire.FromStateParams
		kind   fault.Kind
	}{
		"no tool":   {wire.FromStateParams{State: blob, Key: key}, fault.Capability},
		"no key":    {wire.FromStateParams{State: blob}, fault.Signature},
		"wrong key": {wire.FromStateParams{State: blob, Key: []byte("other")}, fault.Signature},
		"truncated": {wire.FromStateParams{State: blob[:len(blob)/2], Key: key}, fault.Signature},
		"no state":  {wire.FromStateParams{State: wire.Blob("hello"), Key: key}, fault.State},
		"no limit":  {wire.FromStateParams{State: blob, Key: key, Limits: map[string]int64{"x": 1}}, fault.Invalid},
	} {
		if k := c.kind("sandbox.from_state", p.params); k != p.kind {
			t.Errorf("%s: kind %d, want %d", name, k, p.kind)
		}
	}
	var k int64
	c.ask("sandbox.from_state", wire.FromStateParams{State: blob, Key: key, Tools: []wire.Tool{{Name: "held", Held: true}}}, &k)
	if out, _ := c.run(k, "echo $x; cat /tmp/f; type -t free"); !strings.HasPrefix(out, "1\none\n") {
		t.Errorf("%q", out)
	}
	c.run(h, "x=2; rm /tmp/f")
	if kind := c.kind("sandbox.import", wire.ImportParams{Sandbox: h, State: blob[:100], Key: key}); kind == fault.None {
		t.Error("half a state was imported")
	}
	if out, _ := c.run(h, "echo $x"); out != "2\n" {
		t.Errorf("a failed import changed the state: %q", out)
	}
	c.must("sandbox.import", wire.ImportParams{Sandbox: h, State: blob, Key: key}, nil)
	if again := c.bytes("sandbox.export", wire.ExportParams{Sandbox: h, Key: key}); !bytes.Equal(again, blob) {
		t.Error("what was imported is not what was exported")
	}
}

// A panic in a sandbox closes it for everything but getting out of it.
func TestASandboxIsNotTrustedAfterAPanic(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	var id string
	c.ask("sandbox.snapshot", wire.SnapshotParams{Sandbox: h}, &id)
	b, err := c.find(h)
	if err != nil {
		t.Fatal(err)
	}
	machine := b.M
	b.M = nil // as if something had left it so
	if k := c.kind("files.read", wire.PathParams{Sandbox: h, Path: "/x"}); k != fault.Panic {
		t.Errorf("kind %d", k)
	}
	b.M = machine
	if k := c.kind("files.read", wire.PathParams{Sandbox: h, Path: "/x"}); k != fault.Internal {
		t.Errorf("the sandbox is still used: kind %d", k)
	}
	c.must("sandbox.restore", wire.RestoreParams{Sandbox: h, Snapshot: id}, nil)
	if out, _ := c.run(h, "echo back"); out != "back\n" {
		t.Errorf("%q", out)
	}
}

// No way of ending a run leaves a goroutine of a codec behind.
func TestGoroutinesEnd(t *testing.T) {
	c := newClient(t)
	before := runtime.NumGoroutine()
	for i := range 8 {
		h := c.sandbox()
		var r wire.Slice
		c.ask("run.run", wire.StartParams{Sandbox: h, Script: "yes | gzip -c | gunzip | cat > /dev/null", Slice: int64(5 * time.Millisecond)}, &r)
		switch i % 3 {
		case 0:
			c.must("run.drop", wire.RunParams{Sandbox: h, Run: r.Run}, nil)
		case 1:
			c.must("sandbox.reset", wire.SandboxParams{Sandbox: h}, nil)
		}
		c.must("sandbox.close", wire.CloseParams{Sandbox: h}, nil)
	}
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// A virtual world depends on nothing but its input: the same bytes, time budgets included.
func TestVirtualWorldsRepeat(t *testing.T) {
	c := newClient(t)
	story := func() []byte {
		h := c.sandbox()
		c.run(h, "echo $RANDOM; sleep 3; date +%s%N; touch f")
		time.Sleep(time.Millisecond)
		c.write(h, "/g", "x")
		return c.bytes("sandbox.export", wire.ExportParams{Sandbox: h})
	}
	if first := story(); !bytes.Equal(first, story()) {
		t.Error("the same story left another state")
	}
}

// In the middle of a long step the host is asked whether it wants the run to end, about once in a slice's length.
func TestWantedInTheMiddleOfAStep(t *testing.T) {
	c := newClient(t)
	h := c.sandbox()
	script := "x=$'" + strings.Repeat(": &&\\n", 1_000_000) + " :'; eval \"$x\"; echo end"
	asked := 0
	run := func(wanted func() bool) wire.Done {
		began, request := time.Now(), c.request("run.run", wire.StartParams{Sandbox: h, Script: script, Slice: int64(time.Second)})
		for {
			reply := c.CallUntil(wanted, request, nil)
			switch reply.Tag {
			case wire.TagSlice:
				var info wire.RunInfo
				c.ask("run.active", wire.SandboxParams{Sandbox: h}, &info)
				request = c.request("run.step", wire.StepParams{Sandbox: h, Run: info.Run})
				continue
			case wire.TagDone:
				var done wire.Done
				if err := wire.Params(reply.Body(), &done); err != nil {
					t.Fatal(err)
				}
				if most := int(time.Since(began)/usualSlice) + 1; asked > most {
					t.Errorf("asked %d times, and there were %d slices", asked, most)
				}
				return done
			}
			t.Fatalf("an answer of kind %d", reply.Tag)
		}
	}
	if done := run(func() bool { asked++; return false }); done.Status != 0 || asked == 0 {
		t.Errorf("asked %d times, status %d", asked, done.Status)
	}
	asked = 0
	if done := run(func() bool { asked++; return asked == 2 }); done.Status != 130 || asked != 2 {
		t.Errorf("it ended with %d after %d questions", done.Status, asked)
	}
}
