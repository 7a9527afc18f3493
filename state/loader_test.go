package state

import (
	"bytes"
	"sync"
	"testing"

	"eryxsh/core"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// varied are scripts whose states have much, little and nothing in common with
// one another and with what a sandbox begins with.
var varied = []string{
	"sleep 9", "x=1 y=2; sleep 9", "unset HOME PATH IFS; sleep 9", "for i in {1..90}; do declare v$i=$i; done; sleep 9",
	"unset ${!B*} ${!O*} ${!P*} 2>/dev/null; unset HOME USER TERM TZ SHELL; sleep 9", "export PATH=/x; readonly HOME; declare -A m=([a]=b); (x=2; sleep 9)",
	"echo a > /tmp/f; sleep 9", "echo a > /tmp/f; exec 3< /tmp/f; rm /tmp/f; sleep 9", "rm -r /etc; sleep 9", "cp /etc/passwd p; sleep 9",
	"chmod 700 ~; sleep 9", "mkdir -p a/b/c; for i in {1..50}; do echo $i > a/b/c/$i; done; sleep 9", "x=1 y=2; sleep 9",
}

// asleep gives a World that a template made, in the middle of a script.
func asleep(t testing.TB, templates *core.Templates, text string) *core.World {
	t.Helper()
	w, _, err := templates.New(core.Config{Limits: limit.Default(), Virtual: true, Start: epoch, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Begin(core.Start{Script: text}); err != nil {
		t.Fatal(err)
	}
	for n, now := 1<<20, int64(epoch); ; {
		if out, _ := w.Advance(stepHost{&n, &now}); out != shell.Sliced {
			return w
		}
	}
}

// What one Loader has in common between states changes none of them: what it
// loads is saved as what a Loader of its own loads, and as what was loaded.
func TestLoader(t *testing.T) {
	var templates core.Templates
	loader := NewLoader()
	shared := 0
	for range 2 {
		for _, text := range varied {
			data := export(t, asleep(t, &templates, text))
			w, _, err := loader.Import(data, nil, limit.Default())
			if err != nil {
				t.Fatal(text, err)
			}
			if w.M.Procs[0].Shell.Vars.Delta() != nil {
				shared++
			}
			w.Mark()
			if again := export(t, w); !bytes.Equal(again, data) {
				t.Errorf("%s: saved again it is different", text)
			}
			if again := export(t, imported(t, data)); !bytes.Equal(again, data) {
				t.Errorf("%s: loaded alone and saved again it is different", text)
			}
			if again := export(t, w.Fork(nil)); len(again) != len(data) {
				t.Errorf("%s: a fork of it is different", text)
			}
		}
	}
	if shared != 2*len(varied) || len(loader.trees) < 5 {
		t.Errorf("%d states share variables, %d trees are kept", shared, len(loader.trees))
	}
}

// A tree that is known is still too large for smaller limits.
func TestLoaderLimits(t *testing.T) {
	var templates core.Templates
	loader := NewLoader()
	data := export(t, asleep(t, &templates, "head -c 9000 /dev/zero > f; sleep 9"))
	for range 2 {
		if _, _, err := loader.Import(data, nil, limit.Default()); err != nil {
			t.Fatal(err)
		}
		small := limit.Default()
		small.FileBytes, small.Retained = 5000, 1
		if _, _, err := loader.Import(data, nil, small); err == nil {
			t.Error("more than the limit is loaded")
		}
	}
}

// Variables that take much memory are not kept beyond the sandbox that has them.
func TestLoaderForgetsLargeVariables(t *testing.T) {
	var templates core.Templates
	loader := NewLoader()
	for _, text := range []string{"printf -v x %0100000d 1; sleep 9", "declare -A m; for i in {1..9000}; do m[$i]=; done; sleep 9"} {
		if _, _, err := loader.Import(export(t, asleep(t, &templates, text)), nil, limit.Default()); err != nil {
			t.Fatal(err)
		}
		if loader.variables() != nil {
			t.Errorf("%s: the variables are kept", text)
		}
	}
}

// Many threads save and load what shares a template and a Loader.
func TestLoaderParallel(t *testing.T) {
	var templates core.Templates
	loader := NewLoader()
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j := range 2 * len(varied) {
				w := asleep(t, &templates, varied[(i*5+j)%len(varied)])
				data := export(t, w)
				got, _, err := loader.Import(data, nil, limit.Default())
				if err != nil {
					t.Error(err)
					return
				}
				got.M.Procs[0].Shell.Vars.Environ()
				blob, err := Export(got, nil)
				if err != nil || !bytes.Equal(blob.Bytes(), data) {
					t.Errorf("saved again it is different (%v)", err)
				}
				blob.Release()
				got.Cancel()
			}
		})
	}
	all.Wait()
}
