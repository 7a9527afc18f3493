package std

import (
	"strconv"
	"strings"
	"time"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/cmd/std/internal/when"
	"eryxsh/core/zone"
	"eryxsh/vfs"
)

func touch() *cmd.Command {
	return &cmd.Command{
		Name: "touch", Acts: true, Summary: "update the access and modification times of each FILE to the current time", Usage: "touch [OPTION]... FILE...",
		Options: []cmd.Option{
			{Short: 'a', Help: "change only the access time"},
			{Short: 'c', Long: "no-create", Help: "do not create any files"},
			{Short: 'd', Long: "date", Arg: cmd.Required, Meta: "STRING", Help: "parse STRING and use it instead of current time"},
			{Short: 'f', Help: "(ignored)"},
			{Short: 'h', Long: "no-dereference", Help: "affect each symbolic link instead of any referenced file"},
			{Short: 'm', Help: "change only the modification time"},
			{Short: 'r', Long: "reference", Arg: cmd.Required, Meta: "FILE", Help: "use this file's times instead of current time"},
			{Short: 't', Arg: cmd.Required, Meta: "STAMP", Help: "use [[CC]YY]MMDDhhmm[.ss] instead of current time"},
			{Long: "time", Arg: cmd.Required, Meta: "WORD", Help: "change the specified time: access, atime, use (-a); modify, mtime (-m)"},
		},
		Class: cmd.Step,
		New:   func() cmd.Program { return &touchProgram{} },
	}
}

// touchProgram touches some files in a turn.
type touchProgram struct {
	I      int   `cbor:"1,keyasint,omitempty" holds:"operand"` // operands done
	Status int   `cbor:"2,keyasint,omitempty"`
	Begun  bool  `cbor:"3,keyasint,omitempty"`
	Stamp  stamp `cbor:"4,keyasint,omitempty"`
}

// stamp is the times that touch sets.
type stamp struct {
	Atime    int64 `cbor:"1,keyasint,omitempty"`
	Mtime    int64 `cbor:"2,keyasint,omitempty"`
	Access   bool  `cbor:"3,keyasint,omitempty"`
	Mod      bool  `cbor:"4,keyasint,omitempty"`
	NoCreate bool  `cbor:"5,keyasint,omitempty"`
	Follow   bool  `cbor:"6,keyasint,omitempty"`
}

func (p *touchProgram) Step(c *cmd.Ctx) cmd.Next {
	if !p.Begun {
		p.Begun = true
		if status := p.Stamp.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	for n := c.Turn(walk.Turn); p.I < len(c.Args) && n > 0; n-- {
		if !p.Stamp.touch(c, c.Args[p.I]) {
			p.Status = 1
		}
		p.I++
	}
	if p.I < len(c.Args) {
		return cmd.Again()
	}
	return cmd.Exit(p.Status)
}

// options reads the command line; the status of what is wrong in it.
func (s *stamp) options(c *cmd.Ctx) (status int) {
	*s = stamp{Access: c.Flags.Has("a"), Mod: c.Flags.Has("m"), NoCreate: c.Flags.Has("c") || c.Flags.Has("h"), Follow: !c.Flags.Has("h")}
	if w, ok := c.Flags.Last("time"); ok {
		i, ok := choice.Find(c, "--time", w.Value, "atime access use,mtime modify")
		if !ok {
			return 1
		}
		s.Access, s.Mod = s.Access || i == 0, s.Mod || i == 1
	}
	if !s.Access && !s.Mod {
		s.Access, s.Mod = true, true
	}
	s.Atime, s.Mtime = c.Now(), c.Now()
	local := clock.Local(c)
	_, hasT := c.Flags.Last("t")
	if hasT && (c.Flags.Has("d") || c.Flags.Has("r")) {
		return c.UsageError("cannot specify times from more than one source")
	}
	if r, ok := c.Flags.Last("r"); ok {
		st, err := c.Stat(r.Value)
		if !s.Follow {
			st, err = c.Lstat(r.Value)
		}
		if err != nil {
			c.Errorf("failed to get attributes of %s: %s", quote.Shell(c, r.Value), err)
			return 1
		}
		s.Atime, s.Mtime = st.Atime, st.Mtime
	}
	if d, ok := c.Flags.Last("d"); ok {
		for _, t := range []*int64{&s.Atime, &s.Mtime} {
			v, err := when.Parse(d.Value, local.Time(*t), zone.Named)
			if err != nil {
				c.Errorf("invalid date format %s", quote.Locale(c, d.Value))
				return 1
			}
			*t = v.UnixNano()
		}
	}
	if t, ok := c.Flags.Last("t"); ok {
		v, ok := posixTime(t.Value, local.Time(c.Now()))
		if !ok {
			c.Errorf("invalid date format %s", quote.Locale(c, t.Value))
			return 1
		}
		s.Atime, s.Mtime = v.UnixNano(), v.UnixNano()
	}
	if len(c.Args) == 0 {
		return c.UsageError("missing file operand")
	}
	return 0
}

func (s *stamp) touch(c *cmd.Ctx, name string) bool {
	if name == "-" {
		return true
	}
	var openErr error
	if !s.NoCreate {
		var fd int
		if fd, openErr = c.Open(name, vfs.O_WRONLY|vfs.O_CREAT, 0o666); openErr == nil {
			c.Close(fd)
		}
	}
	st, err := c.Stat(name)
	if !s.Follow {
		st, err = c.Lstat(name)
	}
	if err == nil {
		a, m := st.Atime, st.Mtime
		if s.Access {
			a = s.Atime
		}
		if s.Mod {
			m = s.Mtime
		}
		err = c.Utimes(name, a, m, s.Follow)
		openErr = nil
	}
	if err == nil || err == vfs.ENOENT && c.Flags.Has("c") {
		return true
	}
	if openErr != nil && openErr != vfs.EISDIR {
		c.Errorf("cannot touch %s: %s", quote.Shell(c, name), openErr)
	} else {
		c.Errorf("setting times of %s: %s", quote.Shell(c, name), err)
	}
	return false
}

// posixTime reads [[CC]YY]MMDDhhmm[.ss].
func posixTime(s string, now time.Time) (time.Time, bool) {
	main, sec, dotted := strings.Cut(s, ".")
	n := len(main)
	if n != 8 && n != 10 && n != 12 || dotted && len(sec) != 2 || strings.Trim(main+sec, "0123456789") != "" {
		return now, false
	}
	at := func(i int) int { v, _ := strconv.Atoi(main[i : i+2]); return v }
	year := now.Year()
	switch n {
	case 10:
		if year = 1900 + at(0); at(0) < 69 {
			year += 100
		}
	case 12:
		year = at(0)*100 + at(2)
	}
	ss, _ := strconv.Atoi(sec)
	mo, d, h, mi := at(n-8), at(n-6), at(n-4), at(n-2)
	t := time.Date(year, time.Month(mo), d, h, mi, ss, 0, now.Location())
	ok := mo >= 1 && mo <= 12 && t.Day() == d && h < 24 && mi < 60 && ss <= 60
	return t, ok
}
