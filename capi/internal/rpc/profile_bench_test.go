package rpc

import (
	"os"
	"path/filepath"
	"testing"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/cmd/cmdtest"
)

// everyday is what most of the time of users goes to: loops of the shell, and
// pipelines over many lines.
var everyday = []string{
	"for i in $(seq 1 20000); do :; done",
	"i=0; s=0; while ((i<20000)); do ((s+=i, i++)); done",
	"i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done",
	"f() { local x=$1; r=$((x*2)); }; for ((i=0;i<10000;i++)); do f $i; done",
	"for ((i=0;i<5000;i++)); do x=$(echo $i); done",
	"for ((i=0;i<10000;i++)); do case $i in *9) :;; [0-4]*|x) :;; *) :;; esac; done",
	"for i in {1..10000}; do if [[ $i == *7* ]]; then n=$((n+1)); elif [ -z $i ]; then n=x; fi; done",
	"p=/a/b/c.tar.gz; for ((i=0;i<10000;i++)); do b=${p##*/}; e=${b%%.*}; u=${e^^}; done",
	"for ((i=0;i<10000;i++)); do a+=(x); m[i]=$i; s+=abc; done; declare -A h; for i in ${!m[@]}; do h[$i]=$i; done",
	"seq 20000 >f; while IFS= read -r l; do n=$((n+1)); done <f",
	"for i in {1..2000}; do printf '%05d %s\\n' $i x; echo line $i; done | wc -l",
	"seq 50000 | sort -rn | head -n 3; seq 20000 | shuf | sort | uniq -c | sort -rn | tail -n 2",
	"seq 20000 | awk '{ s += $1; a[$1 % 10]++ } END { print s, length(a) }'; seq 20000 | sed 's/1/x/g;/5$/d' | grep -c x",
	"seq 5000 | jq -s 'map(select(. % 2 == 0) * 2) | add'; seq 20000 | tr 0-9 a-j | cut -c1-2 | sort -u | wc -l",
	"mkdir d; for i in {1..200}; do echo $i >d/$i; done; grep -rl 7 d | wc -l; find d -name '*9' | xargs cat | wc -l; rm -r d",
}

// recorded are the scripts of the archives of tests, which use all of the shell and the utilities a little.
func recorded(b *testing.B) (all []string) {
	names, err := filepath.Glob("../../../tests/*/*.txtar")
	if err != nil || len(names) == 0 {
		b.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		sections := cmdtest.Archive(b, string(data))
		for _, c := range sections.Cases() {
			all = append(all, sections[c+".sh"])
		}
	}
	return all
}

// BenchmarkProfile is what capi/default.pgo is made of, with which the compiler
// lays the library out (https://go.dev/doc/pgo):
//
//	go test ./capi/internal/rpc -run '^$' -bench Profile -benchtime 60x -cpuprofile capi/default.pgo
//
// An old profile does no harm: what it does not know is compiled as without one.
func BenchmarkProfile(b *testing.B) {
	Tune()
	scripts := recorded(b)
	next := 0
	for b.Loop() {
		c := newClient(b)
		for _, script := range everyday {
			c.script(script)
		}
		for range 100 {
			c.script(scripts[next%len(scripts)])
			next++
		}
		c.calls("for ((i=0;i<10000;i++)); do t $i; done", false)
		c.calls("for ((i=0;i<5000;i++)); do r=$(t $i); done", false)
		c.calls("for ((i=0;i<500;i++)); do r=$(t $i); done", true)
	}
}

// script runs a script in a sandbox of its own.
func (c client) script(text string) {
	var h int64
	c.ask("sandbox.new", wire.NewParams{}, &h)
	c.ask("run.run", wire.StartParams{Sandbox: h, Script: text, Timeout: 1e9}, nil)
	c.ask("sandbox.close", wire.CloseParams{Sandbox: h}, nil)
}

// calls runs a script and answers its tool calls, in another sandbox each time if it moves.
func (c client) calls(script string, moves bool) {
	tools := []wire.Tool{{Name: "t", Held: true}}
	var h int64
	var run string
	c.ask("sandbox.new", wire.NewParams{Tools: tools}, &h)
	c.ask("run.start", wire.StartParams{Sandbox: h, Script: script}, &run)
	step := wire.StepParams{Sandbox: h, Run: run}
	for {
		var calls wire.Calls
		if tag := c.ask("run.step", step, &calls); tag == wire.TagDone {
			break
		} else if tag != wire.TagCalls {
			c.Fatalf("%s: tag %d", script, tag)
		}
		if moves {
			var to wire.Loaded
			blob := c.bytes("sandbox.export", wire.ExportParams{Sandbox: step.Sandbox})
			c.ask("sandbox.close", wire.CloseParams{Sandbox: step.Sandbox}, nil)
			c.ask("run.load", wire.FromStateParams{State: blob, Tools: tools}, &to)
			step.Sandbox = to.Sandbox
		}
		step.Call = calls.Calls[0].ID
	}
	c.ask("sandbox.close", wire.CloseParams{Sandbox: step.Sandbox}, nil)
}
