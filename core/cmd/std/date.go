package std

import (
	"io"
	"strings"
	"time"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/when"
	"eryxsh/core/zone"
	"eryxsh/vfs"
)

func date() *cmd.Command {
	return &cmd.Command{
		Name: "date", Summary: "display date and time in the given FORMAT", Usage: "date [OPTION]... [+FORMAT]\ndate [-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]",
		Options: []cmd.Option{
			{Short: 'd', Long: "date", Arg: cmd.Required, Meta: "STRING", Help: "display time described by STRING, not 'now'"},
			{Long: "debug", Help: "annotate the parsed date, and warn about questionable usage to stderr", Missing: true},
			{Short: 'f', Long: "file", Arg: cmd.Required, Meta: "DATEFILE", Help: "like --date; once for each line of DATEFILE"},
			{Short: 'I', Long: "iso-8601", Arg: cmd.Optional, Meta: "FMT", Help: "output date/time in ISO 8601 format: date, hours, minutes, seconds or ns"},
			{Long: "resolution", Help: "output the available resolution of timestamps"},
			{Short: 'R', Long: "rfc-email", Help: "output date and time in RFC 5322 format"},
			{Long: "rfc-2822", Help: "output date and time in RFC 5322 format"},
			{Long: "rfc-822", Help: "output date and time in RFC 5322 format"},
			{Long: "rfc-3339", Arg: cmd.Required, Meta: "FMT", Help: "output date/time in RFC 3339 format: date, seconds or ns"},
			{Short: 'r', Long: "reference", Arg: cmd.Required, Meta: "FILE", Help: "display the last modification time of FILE"},
			{Short: 's', Long: "set", Arg: cmd.Required, Meta: "STRING", Help: "set time described by STRING"},
			{Short: 'u', Long: "utc", Help: "print or set Coordinated Universal Time (UTC)"},
			{Long: "universal", Help: "print or set Coordinated Universal Time (UTC)"},
			{Long: "uct", Help: "print or set Coordinated Universal Time (UTC)"},
		},
		Class: cmd.Step, New: func() cmd.Program { return &dateProgram{} },
	}
}

type dateProgram struct {
	Lines  cmd.Lines `cbor:"1,keyasint,omitempty"` // of -f
	FD     int       `cbor:"2,keyasint,omitempty"`
	Opened bool      `cbor:"3,keyasint,omitempty"`
	Status int       `cbor:"4,keyasint,omitempty"`
}

// Step prints one date; with -f a turn's worth of lines.
func (p *dateProgram) Step(c *cmd.Ctx) cmd.Next {
	layout, status := dateLayout(c)
	if status != 0 {
		return cmd.Exit(status)
	}
	local := dateZone(c)
	file, hasFile := c.Flags.Last("f")
	if !hasFile {
		return cmd.Exit(dateOnce(c, layout, local))
	}
	if !p.Opened {
		p.Opened = true
		if file.Value != "-" {
			fd, err := c.Open(file.Value, vfs.O_RDONLY, 0)
			if err != nil {
				return cmd.Exit(c.Fail(file.Value, err))
			}
			p.FD = fd
		}
	}
	switch err := p.Lines.Fill(c, p.FD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	default:
		return cmd.Exit(c.Fail(file.Value, err))
	}
	for line, ok := p.Lines.Next('\n'); ok; line, ok = p.Lines.Next('\n') {
		p.Status |= showDate(c, string(line), layout, local)
	}
	if p.Lines.Ended() {
		return cmd.Exit(p.Status)
	}
	return cmd.Again()
}

func dateZone(c *cmd.Ctx) *clock.Zone {
	for _, f := range []string{"u", "universal", "uct"} {
		if c.Flags.Has(f) {
			return &clock.Zone{Loc: time.UTC}
		}
	}
	return clock.Local(c)
}

// showDate prints what a date string stands for.
func showDate(c *cmd.Ctx, s, layout string, local *clock.Zone) int {
	t, err := when.Parse(s, local.Time(c.Now()), zone.Named)
	if err != nil {
		c.Errorf("invalid date %s", quote.Locale(c, s))
		return 1
	}
	c.Out.WriteString(clock.Strftime(layout, t.In(local.Loc)) + "\n")
	return 0
}

func dateOnce(c *cmd.Ctx, layout string, local *clock.Zone) int {
	t := local.Time(c.Now())
	if d, ok := c.Flags.Last("d"); ok {
		return showDate(c, d.Value, layout, local)
	}
	if r, ok := c.Flags.Last("r"); ok {
		st, err := c.Stat(r.Value)
		if err != nil {
			return c.Fail(r.Value, err)
		}
		t = local.Time(st.Mtime)
	}
	if s, ok := c.Flags.Last("s"); ok {
		c.Errorf("cannot set date: Operation not permitted")
		showDate(c, s.Value, layout, local)
		return 1
	}
	c.Out.WriteString(clock.Strftime(layout, t) + "\n")
	return 0
}

// dateLayout is the output format that options and operands ask for.
func dateLayout(c *cmd.Ctx) (layout string, status int) {
	n := 0
	add := func(s string) { layout = s; n++ }
	sources := map[string]bool{}
	for _, f := range c.Flags {
		switch f.Name {
		case "I":
			i := 0
			if f.Has {
				var ok bool
				if i, ok = choice.Find(c, "--iso-8601", f.Value, "hours,minutes,date,seconds,ns"); !ok {
					return "", 1
				}
				i = []int{1, 2, 0, 3, 4}[i]
			}
			add([]string{"%Y-%m-%d", "%Y-%m-%dT%H%:z", "%Y-%m-%dT%H:%M%:z", "%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%dT%H:%M:%S,%N%:z"}[i])
		case "rfc-3339":
			i, ok := choice.Find(c, "--rfc-3339", f.Value, "date,seconds,ns")
			if !ok {
				return "", 1
			}
			add([]string{"%Y-%m-%d", "%Y-%m-%d %H:%M:%S%:z", "%Y-%m-%d %H:%M:%S.%N%:z"}[i])
		case "R", "rfc-2822", "rfc-822":
			add("%a, %d %b %Y %H:%M:%S %z")
		case "resolution":
			add("0.000000001")
			sources[f.Name] = true
		case "d", "f", "r":
			sources[f.Name] = true
		}
	}
	if n > 1 {
		c.Errorf("multiple output formats specified")
		return "", 1
	}
	switch {
	case len(sources) > 1:
		return "", c.UsageError("the options to specify dates for printing are mutually exclusive")
	case len(sources) == 1 && c.Flags.Has("s"):
		return "", c.UsageError("the options to print and set the time may not be used together")
	}
	for i, a := range c.Args {
		switch {
		case i > 0:
			return "", c.ExtraOperand(a)
		case strings.HasPrefix(a, "+"):
			if n > 0 {
				c.Errorf("multiple output formats specified")
				return "", 1
			}
			add(a[1:])
		case len(sources) > 0:
			return "", c.UsageError("the argument %s lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'", quote.Locale(c, a))
		default:
			if _, ok := setTime(a, clock.Local(c).Time(c.Now())); ok {
				c.Errorf("cannot set date: Operation not permitted")
			} else {
				c.Errorf("invalid date %s", quote.Locale(c, a))
			}
			return "", 1
		}
	}
	if n == 0 {
		layout = "%a %b %e %H:%M:%S %Z %Y"
	}
	return layout, 0
}

// setTime reads MMDDhhmm[[CC]YY][.ss].
func setTime(s string, now time.Time) (time.Time, bool) {
	main, _, _ := strings.Cut(s, ".")
	if len(main) > 8 {
		s = main[8:] + main[:8] + s[len(main):]
	}
	return posixTime(s, now)
}
