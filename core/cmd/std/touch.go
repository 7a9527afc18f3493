package std

import (
	"strconv"
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

func touch() *cmd.Command {
	return &cmd.Command{
		Name: "touch", Summary: "update the access and modification times of each FILE to the current time", Usage: "touch [OPTION]... FILE...",
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
		Run: runTouch,
	}
}

// stamp is the times that touch sets.
type stamp struct {
	atime, mtime int64
	access, mod  bool
	noCreate     bool
	follow       bool
}

func runTouch(c *cmd.Ctx) int {
	s := stamp{access: c.Flags.Has("a"), mod: c.Flags.Has("m"), noCreate: c.Flags.Has("c") || c.Flags.Has("h"), follow: !c.Flags.Has("h")}
	if w, ok := c.Flags.Last("time"); ok {
		i, ok := choice.Find(c, "--time", w.Value, "atime access use,mtime modify")
		if !ok {
			return 1
		}
		s.access, s.mod = s.access || i == 0, s.mod || i == 1
	}
	if !s.access && !s.mod {
		s.access, s.mod = true, true
	}
	s.atime, s.mtime = c.Now(), c.Now()
	local := clock.Local(c)
	_, hasT := c.Flags.Last("t")
	if hasT && (c.Flags.Has("d") || c.Flags.Has("r")) {
		return c.UsageError("cannot specify times from more than one source")
	}
	if r, ok := c.Flags.Last("r"); ok {
		st, err := c.Stat(r.Value)
		if !s.follow {
			st, err = c.Lstat(r.Value)
		}
		if err != nil {
			c.Errorf("failed to get attributes of %s: %s", quote.Shell(r.Value), err)
			return 1
		}
		s.atime, s.mtime = st.Atime, st.Mtime
	}
	if d, ok := c.Flags.Last("d"); ok {
		for _, t := range []*int64{&s.atime, &s.mtime} {
			v, err := when.Parse(d.Value, local.Time(*t), zone.Named)
			if err != nil {
				c.Errorf("invalid date format %s", quote.Locale(d.Value))
				return 1
			}
			*t = v.UnixNano()
		}
	}
	if t, ok := c.Flags.Last("t"); ok {
		v, ok := posixTime(t.Value, local.Time(c.Now()))
		if !ok {
			c.Errorf("invalid date format %s", quote.Locale(t.Value))
			return 1
		}
		s.atime, s.mtime = v.UnixNano(), v.UnixNano()
	}
	if len(c.Args) == 0 {
		return c.UsageError("missing file operand")
	}
	status := 0
	for _, name := range c.Args {
		if !s.touch(c, name) {
			status = 1
		}
	}
	return status
}

func (s stamp) touch(c *cmd.Ctx, name string) bool {
	if name == "-" {
		return true
	}
	var openErr error
	if !s.noCreate {
		var fd int
		if fd, openErr = c.Open(name, vfs.O_WRONLY|vfs.O_CREAT, 0o666); openErr == nil {
			c.Close(fd)
		}
	}
	st, err := c.Stat(name)
	if !s.follow {
		st, err = c.Lstat(name)
	}
	if err == nil {
		a, m := st.Atime, st.Mtime
		if s.access {
			a = s.atime
		}
		if s.mod {
			m = s.mtime
		}
		err = c.Utimes(name, a, m, s.follow)
		openErr = nil
	}
	if err == nil || s.noCreate && err == vfs.ENOENT {
		return true
	}
	if openErr != nil {
		c.Errorf("cannot touch %s: %s", quote.Shell(name), openErr)
	} else {
		c.Errorf("setting times of %s: %s", quote.Shell(name), err)
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
