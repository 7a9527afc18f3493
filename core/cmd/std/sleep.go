package std

import (
	"math"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

func sleep() *cmd.Command {
	return &cmd.Command{
		Name: "sleep", Summary: "pause for NUMBER seconds; SUFFIX may be 's', 'm', 'h' or 'd'", Usage: "sleep NUMBER[SUFFIX]...",
		Class: cmd.Step, New: func() cmd.Program { return &sleepProgram{} },
	}
}

type sleepProgram struct {
	Until int64 `cbor:"1,keyasint,omitempty"`
}

// Step sleeps until the end has come: a wake-up before it goes on sleeping.
func (p *sleepProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.Until == 0 {
		if len(c.Args) == 0 {
			return cmd.Exit(c.MissingOperand(""))
		}
		total, bad := 0.0, 0
		for _, a := range c.Args {
			s, ok := duration(a)
			if !ok {
				c.Errorf("invalid time interval %s", quote.Locale(c, a))
				bad++
			}
			total += s
		}
		if bad > 0 {
			c.Errout.WriteString("Try 'sleep --help' for more information.\n")
			return cmd.Exit(1)
		}
		p.Until = deadline(c, total)
	}
	if c.Now() >= p.Until {
		return cmd.Exit(0)
	}
	return cmd.Sleep(p.Until)
}

// duration reads NUMBER[smhd] as seconds.
func duration(s string) (float64, bool) {
	unit := 1.0
	num := s
	if s != "" {
		switch s[len(s)-1] {
		case 's':
			num = s[:len(s)-1]
		case 'm':
			num, unit = s[:len(s)-1], 60
		case 'h':
			num, unit = s[:len(s)-1], 3600
		case 'd':
			num, unit = s[:len(s)-1], 86400
		}
	}
	v, err := strconv.ParseFloat(strings.TrimLeft(num, " \t\n"), 64)
	if err != nil && !math.IsInf(v, 0) || math.IsNaN(v) || v < 0 || strings.Contains(num, "_") {
		return 0, false
	}
	return v * unit, true
}

// deadline is the time some seconds from now, no later than the clock can say.
func deadline(c *cmd.Ctx, seconds float64) int64 {
	now := c.Now()
	if ns := math.Ceil(seconds * 1e9); ns < float64(math.MaxInt64-now)/2 {
		return now + int64(ns)
	}
	return math.MaxInt64
}
