package rpc

import (
	"strings"
	"testing"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
)

// A script whose third step has much to do.
const longStep = "shopt -s extglob; echo a; x=$(head -c 3000 /dev/zero | tr '\\0' a)\ny=${x//+(a|aa)b/c}\necho ${#y}"

// anyReply is what the answers of a run have in common, and the end's.
type anyReply struct {
	wire.Done
	tag wire.Tag
}

// drive sends a request of a run as the C side does, which asks again when another has the sandbox.
func (c client) drive(method string, params any) (r anyReply) {
	c.Helper()
	for r.tag = wire.TagAgain; r.tag == wire.TagAgain; {
		r = anyReply{}
		reply := c.Call(c.request(method, params), nil)
		if r.tag = reply.Tag; r.tag != wire.TagAgain {
			if err := wire.Params(reply.Body(), &r.Done); err != nil && r.tag == wire.TagDone {
				c.Fatal(err)
			}
		}
		reply.Release()
	}
	return r
}

// midway starts a script and drives it until a call has left it in the middle of a step.
func (c client) midway(script string, timeout time.Duration) (h int64, b *sandbox, run, out string) {
	c.Helper()
	c.ask("sandbox.new", wire.NewParams{}, &h)
	b, _ = c.find(h)
	c.ask("run.start", wire.StartParams{Sandbox: h, Script: script, Timeout: int64(timeout)}, &run)
	for b.flight.Load() == nil || b.flight.Load().place.Load() != alone {
		r := c.drive("run.step", wire.StepParams{Sandbox: h, Run: run, Slice: int64(time.Millisecond)})
		if out += text(r); r.tag != wire.TagSlice {
			c.Fatalf("tag %d before a step that takes long", r.tag)
		}
	}
	return h, b, run, out
}

func text(r anyReply) string {
	var out strings.Builder
	for _, chunk := range r.Output.Output {
		out.Write(chunk.Data)
	}
	return out.String()
}

// TestSuspendInTheMiddleOfAStep: the answer does not wait for the end of the
// step; whoever wants the sandbox waits for it, and the run goes on from there.
func TestSuspendInTheMiddleOfAStep(t *testing.T) {
	for _, how := range []string{"go on", "look", "twice"} {
		t.Run(how, func(t *testing.T) {
			c := newClient(t)
			h, b, run, out := c.midway(longStep, 0)
			for range map[string]int{"twice": 2}[how] + 1 {
				f := b.flight.Load()
				c.ask("run.suspend", wire.CancelParams{Sandbox: h}, nil)
				if r := c.drive("run.step", wire.StepParams{Sandbox: h, Run: run}); r.tag != wire.TagSuspended || text(r) != "" {
					t.Fatalf("tag %d, %q", r.tag, text(r))
				}
				if f != b.flight.Load() {
					t.Fatal("it was not left in the middle of the step")
				}
			}
			if how == "look" {
				var info wire.RunInfo
				for c.ask("run.active", wire.SandboxParams{Sandbox: h}, &info) == wire.TagAgain {
				}
				if info.Run != run || b.flight.Load() != nil {
					t.Fatalf("%+v, in flight: %v", info, b.flight.Load() != nil)
				}
			}
			for {
				r := c.drive("run.step", wire.StepParams{Sandbox: h, Run: run})
				if out += text(r); r.tag == wire.TagDone {
					break
				}
			}
			if out != "a\n3000\n" {
				t.Errorf("%q", out)
			}
		})
	}
}

// TestRestIsNoTime: what a suspended run rests does not count.
func TestRestIsNoTime(t *testing.T) {
	c := newClient(t)
	began := time.Now()
	h, _, run, _ := c.midway(longStep, 0)
	c.ask("run.suspend", wire.CancelParams{Sandbox: h}, nil)
	c.drive("run.step", wire.StepParams{Sandbox: h, Run: run})
	const rest = time.Second
	time.Sleep(rest)
	var r anyReply
	for r.tag != wire.TagDone {
		r = c.drive("run.step", wire.StepParams{Sandbox: h, Run: run})
	}
	if all := time.Since(began); r.Status != 0 || time.Duration(r.Time) > all-rest/2 { // it goes on for a moment until it rests
		t.Errorf("status %d, %v of %v", r.Status, time.Duration(r.Time), all)
	}
}

// TestEndInTheMiddleOfAStep: a cancel, a timeout and the sandbox's end give a step up.
func TestEndInTheMiddleOfAStep(t *testing.T) {
	const never = longStep + "; x=$x$x$x$x; y=${x//+(a|aa)b/c}"
	t.Run("cancel", func(t *testing.T) {
		c := newClient(t)
		h, b, run, _ := c.midway(never, 0)
		f := b.flight.Load()
		c.ask("run.cancel", wire.CancelParams{Sandbox: h, Run: run}, nil)
		<-f.landed // while nobody attends it
		var r anyReply
		for r.tag != wire.TagDone {
			r = c.drive("run.step", wire.StepParams{Sandbox: h, Run: run})
		}
		if r.Status != 130 || r.ErrorClass != "CANCELLED" {
			t.Errorf("%+v", r.Done)
		}
		if r := c.drive("run.run", wire.StartParams{Sandbox: h, Script: "echo b"}); text(r) != "b\n" {
			t.Errorf("the sandbox is of no use: %q", text(r))
		}
	})
	t.Run("timeout", func(t *testing.T) {
		c := newClient(t)
		h, _, run, _ := c.midway(never, 100*time.Millisecond)
		var r anyReply
		for r.tag != wire.TagDone {
			r = c.drive("run.step", wire.StepParams{Sandbox: h, Run: run})
		}
		if r.Status != 124 || r.ErrorClass != "TIMEOUT" {
			t.Errorf("%+v", r.Done)
		}
	})
	t.Run("close", func(t *testing.T) {
		c := newClient(t)
		h, b, run, _ := c.midway(never, 0)
		f := b.flight.Load()
		c.ask("run.suspend", wire.CancelParams{Sandbox: h, Run: run}, nil)
		c.drive("run.step", wire.StepParams{Sandbox: h, Run: run})
		c.ask("sandbox.close", wire.CloseParams{Sandbox: h}, nil)
		<-f.landed
		if kind := c.kind("run.step", wire.StepParams{Sandbox: h, Run: run}); kind != fault.Closed {
			t.Errorf("kind %d", kind)
		}
	})
}

// TestFirstStepIsLong: a run that has just been started goes on the caller's
// thread for a moment. A step that takes long there is begun again in flight,
// and what the slice had done before it is done once.
func TestFirstStepIsLong(t *testing.T) {
	const script = "shopt -s extglob; history -s one; i=$((i + 1)); echo $i >>f; y=${x//+(a|aa)b/c}; echo ${#y}; cat f"
	env := map[string]string{"x": strings.Repeat("a", 3000)}
	c := newClient(t)
	var all [2]anyReply
	var out [2]string
	left := false // in the middle of the step
	for i := range all {
		var h int64
		var run string
		c.ask("sandbox.new", wire.NewParams{}, &h)
		b, _ := c.find(h)
		if i == 0 {
			all[i] = c.drive("run.run", wire.StartParams{Sandbox: h, Script: script, Env: env})
			run = all[i].Run
			out[i] = text(all[i])
		} else {
			c.ask("run.start", wire.StartParams{Sandbox: h, Script: script, Env: env}, &run)
		}
		for all[i].tag != wire.TagDone {
			all[i] = c.drive("run.step", wire.StepParams{Sandbox: h, Run: run, Slice: int64(3 * time.Millisecond)})
			out[i] += text(all[i])
			left = left || b.flight.Load() != nil
		}
		if n := len(b.Log); n != 2 {
			t.Errorf("%d entries in the history", n)
		}
	}
	if !left {
		t.Error("every call waited for the end of the step")
	}
	if out[0] != "3000\n1\n" || out[1] != out[0] || all[0].Steps != all[1].Steps {
		t.Errorf("%q after %d steps, and %q after %d", out[0], all[0].Steps, out[1], all[1].Steps)
	}
}
