package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/core/vars"
	"eryxsh/vfs"
)

// busy is a script that has one of everything in flight when its tool is first called.
const busyText = `
alias a=b; trap 'echo bye' EXIT; set -- p1 p2; declare -A map=([k]=v); arr=(1 2 3); hash -p /bin/cat cat
f() { local l=1 arr; while read x; do fetch "$x" $l; done; }
exec 3>out 4<gone 5< <(echo sub); rm gone; mkfifo pipe; ln file hard; ln -s file sym
sleep 1000 & { seq 3000 | sort -n | awk '{print $1}' | f | cat > end; } & (trap 'x' USR1; read y < pipe) &
for i in 1 2; do if case $i in $(echo 1)) true;; esac; then y=$(cat <<E | tr a b; fetch now; echo "$i")
here
E
fi; done 2>&1 >&3
`

func busy(t testing.TB) *core.World {
	s := script{text: busyText, tools: tools, files: map[string][]byte{"file": bytes.Repeat([]byte("content "), 5000), "gone": []byte("g"), "d/e": nil}}
	w := s.begin(t)
	if _, err := w.Snapshot("kept"); err != nil {
		t.Fatal(err)
	}
	n, now := stride, int64(epoch)
	if out, _ := w.Advance(stepHost{&n, &now}); out != shell.Calls {
		t.Fatal("outcome ", out)
	}
	return w
}

// find gives the first body of a type that fits.
func find[T any](t testing.TB, b *blob, fits func(*T) bool) *T {
	t.Helper()
	for i := range b.items {
		if x, ok := b.items[i].body.(*T); ok && fits(x) {
			return x
		}
	}
	t.Fatalf("the blob has no such %T", *new(T))
	return nil
}

// last gives the machine of the state itself: those before it are of snapshots.
func last[T any](t testing.TB, b *blob) *T {
	t.Helper()
	for i := len(b.items) - 1; i >= 0; i-- {
		if x, ok := b.items[i].body.(*T); ok {
			return x
		}
	}
	t.Fatalf("the blob has no %T", *new(T))
	return nil
}

// frame gives the first frame of a kind and its process.
func frame(t testing.TB, b *blob, kind shell.FrameKind) (*shell.FrameRecord, *shell.ProcRecord) {
	t.Helper()
	var at int
	p := find(t, b, func(p *shell.ProcRecord) bool {
		for i := range p.Frames {
			if p.Frames[i].Frame.Kind == kind {
				at = i
				return true
			}
		}
		return false
	})
	return &p.Frames[at], p
}

// damages are changes to a good blob, and how Import must answer.
var damages = []struct {
	name string
	kind fault.Kind
	do   func(testing.TB, *blob)
}{
	{"container", fault.StateTooNew, func(t testing.TB, b *blob) { b.header.Container = Container + 1 }},
	{"reader", fault.StateTooNew, func(t testing.TB, b *blob) { b.header.MinReader = Schema + 1 }},
	{"no container", fault.State, func(t testing.TB, b *blob) { b.header.Container = 0 }},
	{"negative schema", fault.State, func(t testing.TB, b *blob) { b.header.Schema = -1 }},
	{"bytes behind", fault.State, func(t testing.TB, b *blob) { b.extra = []byte{0x82, 7, 0} }},
	{"no end", fault.State, func(t testing.TB, b *blob) { b.items = b.items[:len(b.items)-1] }},
	{"process missing", fault.State, func(t testing.TB, b *blob) { b.items = append(b.items[:len(b.items)-2], b.items[len(b.items)-1]) }},
	{"inode missing", fault.State, func(t testing.TB, b *blob) { drop(b, RecInode, 5) }},
	{"root missing", fault.State, func(t testing.TB, b *blob) { drop(b, RecInode, 0) }},
	{"chunk missing", fault.State, func(t testing.TB, b *blob) { drop(b, RecChunk, 0) }},
	{"no machine", fault.State, func(t testing.TB, b *blob) { last[shell.Image](t, b).Machine = nil }},
	{"no shell", fault.State, func(t testing.TB, b *blob) { last[shell.ProcRecord](t, b).Shell = nil }},
	{"no process", fault.State, func(t testing.TB, b *blob) { last[shell.ProcRecord](t, b).Process = nil }},

	{"chunk of nowhere", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Chunks[0].Chunk = 1 << 40 }},
	{"chunk of a future", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Chunks[0].Chunk = -1 }},
	{"chunk far behind", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Chunks[0].Index = 1 << 50 }},
	{"negative chunk", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Chunks[0].Index = -1 }},
	{"dangling name", fault.State, func(t testing.TB, b *blob) { dir(t, b).Record.Names[0].Ino = 1 << 30 }},
	{"generated name", fault.State, func(t testing.TB, b *blob) { dir(t, b).Record.Names[0].Ino = 1<<64 - 1 }},
	{"name with a slash", fault.State, func(t testing.TB, b *blob) { dir(t, b).Record.Names[0].Name = "../x" }},
	{"name twice", fault.State, func(t testing.TB, b *blob) {
		d := dir(t, b)
		d.Record.Names = append(d.Record.Names, d.Record.Names...)
	}},
	{"circle", fault.State, func(t testing.TB, b *blob) {
		d := dir(t, b)
		d.Record.Names = []vfs.Entry{{Name: "loop", Ino: d.Record.Ino}}
	}},
	{"links", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Record.Nlink = 7 }},
	{"size", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Record.Size = -1 }},
	{"huge size", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Record.Size = 1 << 62 }},
	{"mode", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Record.Mode = 0o770000 }},
	{"next inode", fault.State, func(t testing.TB, b *blob) { last[Tree](t, b).Next = 2 }},
	{"held", fault.State, func(t testing.TB, b *blob) { withChunks(t, b).Record.Held += 3 }},

	{"script drift", fault.Drift, func(t testing.TB, b *blob) { last[shell.Image](t, b).Units[0].Text = "echo (" }},
	{"another script", fault.Drift, func(t testing.TB, b *blob) {
		for i := range last[shell.Image](t, b).Units {
			last[shell.Image](t, b).Units[i].Text = "echo other\n"
		}
	}},
	{"deep script", fault.Drift, func(t testing.TB, b *blob) {
		last[shell.Image](t, b).Units[0].Text = string(bytes.Repeat([]byte("("), 100_000))
	}},
	{"unit of nowhere", fault.State, func(t testing.TB, b *blob) { f, _ := frame(t, b, shell.FFor); f.Unit = 1 << 30 }},
	{"frame to nowhere", fault.Drift, func(t testing.TB, b *blob) { f, _ := frame(t, b, shell.FFor); f.Addr.Start += 1 }},
	{"frame of another kind", fault.State, func(t testing.TB, b *blob) { f, _ := frame(t, b, shell.FFor); f.Frame.Kind = shell.FCase }},
	{"unknown frame", fault.State, func(t testing.TB, b *blob) { f, _ := frame(t, b, shell.FFor); f.Frame.Kind = 200 }},
	{"frame past its items", fault.State, func(t testing.TB, b *blob) { f, _ := frame(t, b, shell.FFor); f.Frame.I = 1 << 20 }},
	{"negative position", fault.State, func(t testing.TB, b *blob) { f, _ := frame(t, b, shell.FList); f.Frame.I = -1 }},
	{"no bottom", fault.State, func(t testing.TB, b *blob) { _, p := frame(t, b, shell.FFor); p.Frames = p.Frames[1:] }},
	{"bottom twice", fault.State, func(t testing.TB, b *blob) { _, p := frame(t, b, shell.FFor); p.Frames = append(p.Frames, p.Frames[0]) }},
	{"pipe past its bound", fault.State, func(t testing.TB, b *blob) { pipe(t, b).Buf = make([]byte, 100<<10) }},
	{"pipe ends", fault.State, func(t testing.TB, b *blob) { pipe(t, b).Readers++ }},
	{"references", fault.State, func(t testing.TB, b *blob) { last[shell.Image](t, b).Files[0].Refs++ }},
	{"negative references", fault.State, func(t testing.TB, b *blob) { last[shell.Image](t, b).Files[0].Refs = -1 }},
	{"offset", fault.State, func(t testing.TB, b *blob) { file(t, b, shell.FileRegular).Off = -1 }},
	{"offset past the end", fault.State, func(t testing.TB, b *blob) { file(t, b, shell.FileCapture).Off = 1 << 40 }},
	{"file of nowhere", fault.State, func(t testing.TB, b *blob) { file(t, b, shell.FileRegular).Ino = 1 << 40 }},
	{"file of a directory", fault.State, func(t testing.TB, b *blob) { file(t, b, shell.FileRegular).Ino = 1 }},
	{"pipe of nowhere", fault.State, func(t testing.TB, b *blob) { file(t, b, shell.FilePipe).Pipe = 1 << 20 }},
	{"unknown file", fault.State, func(t testing.TB, b *blob) { file(t, b, shell.FileRegular).Kind = 99 }},
	{"descriptor", fault.State, func(t testing.TB, b *blob) { last[shell.ProcRecord](t, b).Process.FDs[0].File = 1 << 20 }},
	{"descriptors out of order", fault.State, func(t testing.TB, b *blob) {
		d := last[shell.ProcRecord](t, b).Process.FDs
		d[0], d[1] = d[1], d[0]
	}},
	{"wait for a file", fault.State, func(t testing.TB, b *blob) {
		last[shell.ProcRecord](t, b).Process.Wait = shell.Wait{Kind: shell.WaitsRead, File: 1 << 20}
	}},
	{"made-up answer awaited", fault.State, func(t testing.TB, b *blob) {
		_, p := frame(t, b, shell.FUtil)
		p.Process.Wait = shell.Wait{Kind: shell.WaitsCall}
	}},
	{"process twice", fault.State, func(t testing.TB, b *blob) { last[shell.ProcRecord](t, b).Process.PID = 1 }},
	{"directory", fault.State, func(t testing.TB, b *blob) { last[shell.ProcRecord](t, b).Process.Cwd = "" }},
	{"made-up call", fault.State, func(t testing.TB, b *blob) {
		m := last[shell.Image](t, b)
		m.Calls = append(m.Calls, &shell.Call{ID: "made-up", PID: m.Calls[0].PID, Name: "fetch"})
	}},
	{"call of nobody", fault.State, func(t testing.TB, b *blob) { last[shell.Image](t, b).Calls[0].PID = 1 << 20 }},
	{"empty call", fault.State, func(t testing.TB, b *blob) { last[shell.Image](t, b).Calls[0] = nil }},
	{"negative budget", fault.State, func(t testing.TB, b *blob) { last[shell.Image](t, b).Machine.Meter.Steps = -1 << 40 }},
	{"negative limit", fault.State, func(t testing.TB, b *blob) { last[shell.Image](t, b).Machine.Limits.Depth = -1 }},
	{"utility of no name", fault.Capability, func(t testing.TB, b *blob) { f, _ := frame(t, b, shell.FUtil); f.Frame.X.Util.Name = "no-such" }},
	{"damaged utility", fault.State, func(t testing.TB, b *blob) {
		f, _ := frame(t, b, shell.FUtil)
		f.Prog, f.Data = nil, []byte{0x81, 0x01}
	}},
	{"damaged variable", fault.State, func(t testing.TB, b *blob) {
		find(t, b, func(p *shell.ProcRecord) bool { return len(p.Vars) > 0 }).Vars[0].Attrs = vars.Indexed | vars.Assoc
	}},
	{"huge table", fault.State, func(t testing.TB, b *blob) {
		p := last[shell.ProcRecord](t, b)
		for range 100_000 {
			p.Vars = append(p.Vars, vars.Record{Name: "m", Attrs: vars.Assoc, Set: true, Buckets: 1 << 24})
		}
	}},
	{"function of nowhere", fault.Drift, func(t testing.TB, b *blob) {
		find(t, b, func(p *shell.ProcRecord) bool { return len(p.Funcs) > 0 && p.Process.PID > 1 }).Funcs[0].Addr.End++
	}},
	{"many frames of nothing", fault.State, func(t testing.TB, b *blob) {
		p := last[shell.ProcRecord](t, b)
		p.Frames = append(p.Frames, make([]shell.FrameRecord, 1<<20)...)
	}},
}

func drop(b *blob, kind, nth int) {
	for i := range b.items {
		if b.items[i].kind == kind {
			if nth--; nth < 0 {
				b.items = append(b.items[:i:i], b.items[i+1:]...)
				return
			}
		}
	}
}

func withChunks(t testing.TB, b *blob) *Inode {
	return find(t, b, func(i *Inode) bool { return len(i.Chunks) > 0 && i.Record.Nlink == 1 })
}

func dir(t testing.TB, b *blob) *Inode {
	return find(t, b, func(i *Inode) bool { return i.Record.Ino > 1 && len(i.Record.Names) > 0 && !i.Record.Bins })
}

func pipe(t testing.TB, b *blob) *shell.Pipe {
	for i := range last[shell.Image](t, b).Pipes {
		if p := &last[shell.Image](t, b).Pipes[i]; p.Readers > 0 {
			return p
		}
	}
	t.Fatal("no pipe")
	return nil
}

func file(t testing.TB, b *blob, kind uint8) *shell.OFD {
	for i := range last[shell.Image](t, b).Files {
		if f := &last[shell.Image](t, b).Files[i]; f.Kind == kind && f.Refs > 0 {
			return f
		}
	}
	t.Fatal("no file of kind ", kind)
	return nil
}

func kindOf(err error) fault.Kind {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Kind
	}
	return fault.None
}

// TestDamage checks how Import answers to what is wrong in a blob whose
// checksum is right: the right kind of error, quickly, and nothing given out.
func TestDamage(t *testing.T) {
	w := busy(t)
	good := export(t, w)
	imported(t, good)
	for _, d := range damages {
		b := dissect(t, good)
		d.do(t, b)
		data := b.join(t, nil)
		if bytes.Equal(data, good) {
			t.Errorf("%s: changes nothing", d.name)
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		got, _, err := Import(data, nil, limit.Hardened())
		runtime.ReadMemStats(&after)
		if kindOf(err) != d.kind || got != nil {
			t.Errorf("%s: error %v of kind %d, want kind %d", d.name, err, kindOf(err), d.kind)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: took %v", d.name, took)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<30 {
			t.Errorf("%s: took %d bytes for a blob of %d", d.name, n, len(data))
		}
	}
	if again := export(t, w); !bytes.Equal(again, good) {
		t.Error("the world that was to be replaced has changed")
	}
}

// TestKeys checks signatures.
func TestKeys(t *testing.T) {
	w := script{text: "x=1"}.begin(t)
	key := []byte("secret")
	parts, err := Export(w, key)
	if err != nil {
		t.Fatal(err)
	}
	signed, plain := parts.Bytes(), export(t, w)
	flipped := append([]byte(nil), signed...)
	flipped[len(flipped)/2] ^= 1
	for _, c := range []struct {
		name string
		data []byte
		key  []byte
		want fault.Kind
	}{
		{"right", signed, key, fault.None}, {"unsigned", plain, nil, fault.None},
		{"no key", signed, nil, fault.Signature}, {"wrong key", signed, []byte("other"), fault.Signature}, {"empty key", signed, []byte{}, fault.Signature},
		{"key for unsigned", plain, key, fault.Signature}, {"flipped", flipped, key, fault.Signature},
		{"sealed without the key", resealed(signed), key, fault.Signature},
		{"checksum", append(plain[:len(plain)-1:len(plain)-1], plain[len(plain)-1]^1), nil, fault.State},
		{"empty", nil, nil, fault.State}, {"magic only", []byte(Magic), nil, fault.State}, {"another file", []byte("PK\x03\x04 and so on, long enough for a header and a sum"), nil, fault.State},
	} {
		_, _, err := Import(c.data, c.key, limit.Default())
		if kindOf(err) != c.want || (err == nil) != (c.want == fault.None) {
			t.Errorf("%s: %v (kind %d), want kind %d", c.name, err, kindOf(err), c.want)
		}
	}
	if h, err := Inspect(signed, nil); err != nil || !h.Signed || h.Kind != "run" {
		t.Errorf("inspect: %+v %v", h, err)
	}
	if _, err := Inspect(flipped, key); kindOf(err) != fault.Signature {
		t.Errorf("inspect with the key: %v", err)
	}
}

// TestLies gives arrays, strings and chunks lengths that are not there.
func TestLies(t *testing.T) {
	head := encoded(t, Header{Container: 1, Schema: 1, MinReader: 1, Kind: "state"})
	length := func(major byte, n uint64) []byte { return binary.BigEndian.AppendUint64([]byte{major<<5 | 27}, n) }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for kind := range 9 {
		for major := range byte(8) {
			for _, n := range []uint64{1 << 20, 1 << 31, 1 << 40, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
				for _, prefix := range [][]byte{nil, {0xa1, 0x01}, {0xa1, 0x01, 0xa1, 0x07}, {0xa1, 0x03}, {0xa1, 0x07}, {0xa1, 0x0b}} {
					body := append([]byte(Magic), head...)
					body = append(append(append(body, 0x82, byte(kind)), prefix...), length(major, n)...)
					body = append(body, bytes.Repeat([]byte{0xa0}, 100)...)
					if _, _, err := Import(seal(body, nil), nil, limit.Default()); err == nil {
						t.Error("a lie was believed")
					}
				}
			}
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
		t.Errorf("%d bytes were taken for lies", n)
	}
}

// survives imports bytes that may be anything, and runs what they give: errors
// are fine, panics and runs without end are not.
func survives(t testing.TB, data []byte, what string) (accepted bool) {
	t.Helper()
	defer func() {
		if x := recover(); x != nil {
			t.Errorf("%s: panic: %v\n%s", what, x, debug.Stack())
		}
	}()
	w, _, err := Import(data, nil, limit.Hardened())
	if err != nil {
		if k := kindOf(err); k == fault.None || k == fault.Panic {
			t.Errorf("%s: an error of no kind: %v", what, err)
		}
		return false
	}
	defer w.Close()
	p := script{}.player()
	c := catcher{TB: t}
	w.M.EachStep(true)
	func() {
		defer func() {
			if x := recover(); x != nil {
				if _, mine := x.(string); !mine {
					panic(x)
				}
			}
		}()
		p.loose = true
		p.move(&c, w, 300)
		w.M.EachStep(false)
		if w.M.Run.Active {
			w.Cancel()
		}
		if _, err := w.Begin(core.Start{Script: "echo $x; ls | cat; jobs; trap; f 2>&1"}); err == nil {
			p.move(&c, w, 20)
		}
	}()
	if parts, err := Export(w, nil); err == nil {
		if _, _, err := Import(parts.Bytes(), nil, limit.Default()); err != nil {
			t.Logf("%s: what it became cannot be loaded: %v", what, err)
		}
	}
	return true
}

// TestTruncated cuts a blob at many lengths.
func TestTruncated(t *testing.T) {
	good := export(t, busy(t))
	step := max(1, len(good)/500)
	for n := 0; n < len(good); n += step {
		if _, _, err := Import(good[:n], nil, limit.Default()); kindOf(err) != fault.State {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
		if n == len(good)-sumSize {
			continue // with a new checksum that is the whole blob again
		}
		if _, _, err := Import(seal(append([]byte(nil), good[:n]...), nil), nil, limit.Default()); kindOf(err) != fault.State {
			t.Errorf("cut to %d bytes and sealed: %v", n, err)
		}
	}
}

// TestFlipped changes single bytes of a blob and makes the checksum right.
func TestFlipped(t *testing.T) {
	e := effortOf(t)
	good := export(t, busy(t))
	accepted, tried := 0, 0
	positions := points(len(good)-sumSize, 0, 2000, e.seed)
	if e.full {
		positions = points(len(good)-sumSize, len(good), 0, e.seed)
	}
	for i, at := range positions {
		for _, flip := range []byte{1 << (i % 8), 0xff} {
			data := append([]byte(nil), good...)
			data[at] ^= flip
			if _, _, err := Import(data, nil, limit.Default()); err == nil {
				t.Errorf("byte %d: a flip was not noticed", at)
			}
			tried++
			if survives(t, resealed(data), fmt.Sprintf("byte %d ^ %#x", at, flip)) {
				accepted++
			}
		}
	}
	t.Logf("%d flips, %d of them make another world; seed %d", tried, accepted, e.seed)
}

// TestZeroed takes each saved field away, and sets numbers to strange ones.
func TestZeroed(t *testing.T) {
	good := export(t, busy(t))
	for _, f := range savedFields() {
		b := dissect(t, good)
		if b.without(f) {
			survives(t, b.join(t, nil), f.String()+" zeroed")
		}
		for _, n := range []int64{-1, 1, 3, 255, 1 << 20, 1 << 40, -1 << 63, 1<<63 - 1} {
			b := dissect(t, good)
			if b.numbered(f, n) {
				survives(t, b.join(t, nil), fmt.Sprintf("%s = %d", f, n))
			}
		}
	}
}

func FuzzImport(f *testing.F) {
	f.Add(export(f, busy(f)))
	f.Add(export(f, script{text: "x=1; echo $(echo a) | cat"}.begin(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		survives(t, data, "raw")
		if len(data) > sumSize {
			survives(t, resealed(data), "sealed")
		}
	})
}
