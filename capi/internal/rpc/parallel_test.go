package rpc

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"eryxsh/capi/internal/wire"
)

// Sandboxes that come from one template or one another share what they have in
// common, and run at the same time. The race detector sees what they should not.
func TestRelativesRunAtTheSameTime(t *testing.T) {
	c := newClient(t)
	var parent int64
	c.ask("sandbox.new", wire.NewParams{Tools: []wire.Tool{{Name: "ask"}}}, &parent)
	script := `f() { local x=$1; export Y$x=1; echo $x >> log; }; for i in 1 2 3; do f $i; done; [[ aab =~ (a+)b ]]; ` +
		`echo {1..3} $((i * 2)) ${BASH_REMATCH[1]} $(cat log | wc -l) "$(ask $i)"; sed -n 2p log; awk '{ s += $1 } END { print s }' log`
	want := "1 2 3 6 aa 3 yes\n2\n6\n"
	if got := c.play(t, parent, script); got != want {
		t.Fatalf("%q", got)
	}
	c.play(t, parent, "rm log")
	var forks []int64
	c.ask("sandbox.fork", wire.ForkParams{Sandbox: parent, Count: 8}, &forks)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			var fresh int64
			c.ask("sandbox.new", wire.NewParams{Tools: []wire.Tool{{Name: "ask"}}, Env: map[string]string{"N": fmt.Sprint(i)}}, &fresh)
			var again []int64
			for range 3 {
				for _, h := range []int64{fresh, forks[i]} {
					if got := c.play(t, h, script); got != want {
						t.Errorf("%q", got)
					}
					c.play(t, h, "rm log")
				}
				c.ask("sandbox.fork", wire.ForkParams{Sandbox: forks[i], Count: 2}, &again)
				c.play(t, again[0], script)
				c.ask("sandbox.close", wire.CloseParams{Sandbox: again[1]}, nil)
			}
		})
	}
	all.Wait()
}

// play runs a script, answering every tool call with yes, and gives its output.
func (c client) play(t *testing.T, h int64, script string) string {
	var out strings.Builder
	for reply := c.Call(c.request("run.run", wire.StartParams{Sandbox: h, Script: script}), nil); ; {
		var calls wire.Calls
		var done wire.Done
		into := any(&done)
		if reply.Tag != wire.TagDone {
			into = &calls // of a slice, the part they have in common
		}
		if err := wire.Params(reply.Body(), into); err != nil {
			t.Errorf("tag %d: %q: %v", reply.Tag, reply.Body(), err)
			return ""
		}
		for _, chunk := range append(calls.Output.Output, done.Output.Output...) {
			out.Write(chunk.Data)
		}
		tag := reply.Tag
		reply.Release()
		switch tag {
		case wire.TagDone:
			return out.String()
		case wire.TagCalls:
			reply = c.Call(c.request("run.step", wire.StepParams{Sandbox: h, Run: calls.Run, Call: calls.Calls[0].ID, Stdout: []byte("yes\n")}), nil)
		default:
			reply = c.Call(c.request("run.step", wire.StepParams{Sandbox: h, Run: calls.Run}), nil)
		}
	}
}
