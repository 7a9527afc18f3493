package std

import (
	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/child"
	"eryxsh/core/cmd/std/internal/signals"
)

func timeout() *cmd.Command {
	return &cmd.Command{
		Name: "timeout", Summary: "start COMMAND, and kill it if still running after DURATION",
		Usage: "timeout [OPTION] DURATION COMMAND [ARG]...\ntimeout [OPTION]", StopAtOperand: true, Status: 125,
		Options: []cmd.Option{
			{Long: "preserve-status", Help: "exit with the same status as COMMAND, even when the command times out"},
			{Long: "foreground", Help: "do not time out children of COMMAND"},
			{Short: 'k', Long: "kill-after", Arg: cmd.Required, Meta: "DURATION", Help: "also send a KILL signal if COMMAND is still running this long after the initial signal was sent"},
			{Short: 's', Long: "signal", Arg: cmd.Required, Meta: "SIGNAL", Help: "specify the signal to be sent on timeout"},
			{Short: 'v', Long: "verbose", Help: "diagnose to stderr any signal sent upon timeout"},
		},
		Class: cmd.Step, New: func() cmd.Program { return &timeoutProgram{} },
	}
}

type timeoutProgram struct {
	Child  child.Child `cbor:"1,keyasint,omitempty"`
	Until  int64       `cbor:"2,keyasint,omitempty"` // 0: no limit
	After  float64     `cbor:"3,keyasint"`           // seconds from the signal to KILL
	Signal int         `cbor:"4,keyasint,omitempty"`
	Sent   bool        `cbor:"5,keyasint,omitempty"`
	Killed bool        `cbor:"6,keyasint,omitempty"`
}

// Step starts the command, then waits for its end or for the time.
func (p *timeoutProgram) Step(c *cmd.Ctx) cmd.Next {
	if !p.Child.Started {
		if status, ok := p.start(c); !ok {
			return cmd.Exit(status)
		}
		return cmd.WaitChild(p.Until)
	}
	if status, ok := p.Child.Ended(c); ok {
		switch {
		case !p.Sent || c.Flags.Has("preserve-status"):
			return cmd.Exit(status)
		case p.Killed && c.Flags.Has("foreground"):
			return cmd.Exit(128 + signals.KILL)
		case p.Killed: // KILL is for its process group, itself among them
			return cmd.Die(signals.KILL)
		}
		return cmd.Exit(124)
	}
	if p.Until != 0 && c.Now() >= p.Until {
		sig := p.Signal
		if p.Sent {
			sig = signals.KILL
		}
		if c.Flags.Has("v") {
			c.Errorf("sending signal %s to command %s", signals.Name(sig), quote.Locale(c, c.Args[1]))
		}
		c.Kill(p.Child.PID, sig)
		if sig != signals.KILL && sig != signals.CONT { // it may be stopped
			c.Kill(p.Child.PID, signals.CONT)
		}
		p.Sent, p.Killed, p.Until = true, sig == signals.KILL, 0
		if p.After > 0 && !p.Killed {
			p.Until = deadline(c, p.After)
		}
	}
	return cmd.WaitChild(p.Until)
}

func (p *timeoutProgram) start(c *cmd.Ctx) (status int, ok bool) {
	p.Signal = signals.TERM
	if s, has := c.Flags.Last("s"); has {
		if p.Signal, ok = signals.Parse(s.Value); !ok {
			return c.UsageError("%s: invalid signal", quote.Locale(c, s.Value)), false
		}
	}
	interval := func(s string) (float64, bool) {
		d, ok := duration(s)
		if !ok {
			status = c.UsageError("invalid time interval %s", quote.Locale(c, s))
		}
		return d, ok
	}
	if k, has := c.Flags.Last("k"); has {
		if p.After, ok = interval(k.Value); !ok {
			return status, false
		}
	}
	if len(c.Args) < 2 {
		c.Errout.WriteString("Try 'timeout --help' for more information.\n")
		return 125, false
	}
	d, ok := interval(c.Args[0])
	if !ok {
		return status, false
	}
	if d > 0 {
		p.Until = deadline(c, d)
	}
	argv := c.Args[1:]
	caught := []int{signals.ALRM, signals.INT, signals.QUIT, signals.HUP, signals.TERM, p.Signal, signals.TTIN, signals.TTOU}
	if status, err := p.Child.Start(c, cmd.Spawn{Argv: argv, Default: caught}); err != nil {
		c.Errorf("failed to run command %s: %s", quote.Locale(c, argv[0]), err)
		return status, false
	}
	return 0, true
}
