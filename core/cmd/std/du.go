package std

import (
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/size"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

func du() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	req := func(short byte, long, meta, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: meta, Help: help}
	}
	return &cmd.Command{
		Name: "du", WriteError: "write error", Summary: "summarize disk usage of the set of FILEs, recursively for directories", Usage: "du [OPTION]... [FILE]...\ndu [OPTION]... --files0-from=F",
		Options: []cmd.Option{
			o('0', "null", "end each output line with NUL, not newline"), o('a', "all", "write counts for all files, not just directories"),
			o(0, "apparent-size", "print apparent sizes rather than device usage"), req('B', "block-size", "SIZE", "scale sizes by SIZE before printing them"),
			o('b', "bytes", "equivalent to '--apparent-size --block-size=1'"), o('c', "total", "produce a grand total"),
			o('D', "dereference-args", "dereference only symlinks that are listed on the command line"), o('H', "", "equivalent to --dereference-args (-D)"),
			req('d', "max-depth", "N", "print the total for a directory only if it is N or fewer levels below the command line argument"),
			{Long: "files0-from", Arg: cmd.Required, Meta: "F", Help: "summarize device usage of the NUL-terminated file names specified in file F", Missing: true},
			o('h', "human-readable", "print sizes in human readable format"), o(0, "inodes", "list inode usage information instead of block usage"),
			o('k', "", "like --block-size=1K"), o('L', "dereference", "dereference all symbolic links"), o('l', "count-links", "count sizes many times if hard linked"),
			o('m', "", "like --block-size=1M"), o('P', "no-dereference", "don't follow any symbolic links (this is the default)"),
			o('S', "separate-dirs", "for directories do not include size of subdirectories"), o(0, "si", "like -h, but use powers of 1000 not 1024"),
			o('s', "summarize", "display only a total for each argument"), req('t', "threshold", "SIZE", "exclude entries smaller than SIZE if positive, or entries greater than SIZE if negative"),
			{Long: "time", Arg: cmd.Optional, Meta: "WORD", Help: "show time of the last modification of any file in the directory, or any of its subdirectories"},
			req(0, "time-style", "STYLE", "show times using STYLE: full-iso, long-iso, iso, or +FORMAT"),
			{Short: 'X', Long: "exclude-from", Arg: cmd.Required, Meta: "FILE", Help: "exclude files that match any pattern in FILE", Missing: true},
			req(0, "exclude", "PATTERN", "exclude files that match PATTERN"), o('x', "one-file-system", "skip directories on different file systems"),
		},
		Class: cmd.Step, New: func() cmd.Program { return &duProgram{} },
	}
}

// duLevel is a directory being summed up.
type duLevel struct {
	Dir  walk.Dir `cbor:"1,keyasint,omitempty"`
	Own  int64    `cbor:"2,keyasint,omitempty"` // of its files and itself
	Sub  int64    `cbor:"3,keyasint,omitempty"` // of its subdirectories
	Time int64    `cbor:"4,keyasint,omitempty"` // the latest below
	Dev  uint32   `cbor:"5,keyasint,omitempty"` // its file system
}

type duProgram struct {
	I      int       `cbor:"1,keyasint,omitempty"`
	Stack  []duLevel `cbor:"2,keyasint,omitempty"`
	Total  int64     `cbor:"3,keyasint,omitempty"`
	Seen   []uint64  `cbor:"4,keyasint,omitempty"` // sorted inodes that have been counted
	Status int       `cbor:"5,keyasint,omitempty"`
	Time   int64     `cbor:"6,keyasint,omitempty"`

	o *duOptions
}

// Wrong checks the operand.
func (p *duProgram) Wrong(c *cmd.Ctx) string { return c.BeyondArgs(p.I) }

type duOptions struct {
	all, apparent, total, inodes, links, separate bool
	oneDevice                                     bool
	follow                                        byte
	depth                                         int // -1: any
	block                                         size.Block
	threshold                                     int64
	time                                          byte
	style                                         string
	exclude                                       []string
	end                                           byte
	zone                                          *clock.Zone
}

// Step sums up a turn's worth of entries.
func (p *duProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		c.Mute = p.I > 0
		o, status := duParse(c)
		c.Mute = false
		if o == nil {
			return cmd.Exit(status)
		}
		p.o = o
	}
	args := c.Args
	if len(args) == 0 {
		args = []string{"."}
	}
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		n := len(p.Stack)
		switch {
		case n > 0:
			top := &p.Stack[n-1]
			if !top.Dir.Full {
				if err := top.Dir.Fill(c, &budget); err != nil {
					c.Errorf("cannot read directory %s: %s", quote.Shell(c, top.Dir.Path), err)
					p.Status = 1
				}
			} else if name, _, ok := top.Dir.Next(); ok {
				p.entry(c, walk.Join(top.Dir.Path, name), false)
			} else {
				p.leave(c)
			}
		case p.I >= len(args):
			if p.o.total {
				p.print(c, p.Total, p.Time, "total", 0, true)
			}
			return cmd.Exit(p.Status)
		default:
			p.I++
			p.entry(c, args[p.I-1], true)
		}
	}
	return cmd.Again()
}

// entry counts a file, or enters a directory.
func (p *duProgram) entry(c *cmd.Ctx, path string, command bool) {
	for _, x := range p.o.exclude {
		if fnmatch.Match(x, path, fnmatch.In(c)) || fnmatch.Match(x, walk.Base(path), fnmatch.In(c)) {
			return
		}
	}
	st, err := c.Lstat(path)
	if p.o.follow == 'L' || p.o.follow == 'H' && command {
		st, err = c.Stat(path)
	}
	if err != nil {
		c.Errorf("cannot access %s: %s", quote.Shell(c, path), err)
		p.Status = 1
		return
	}
	if p.o.oneDevice && len(p.Stack) > 0 && st.Dev != p.Stack[0].Dev {
		return
	}
	if i, seen := slices.BinarySearch(p.Seen, uint64(st.Ino)); !p.o.links && (st.Nlink > 1 && !st.Mode.IsDir() || p.o.follow == 'L' || len(c.Args) > 1) {
		if seen {
			return
		}
		p.Seen = slices.Insert(p.Seen, i, uint64(st.Ino))
		c.Hold(8 * len(p.Seen))
	}
	var when int64
	switch p.o.time {
	case 'a':
		when = st.Atime
	case 'c':
		when = st.Ctime
	default:
		when = st.Mtime
	}
	n := p.measure(st)
	if st.Mode.IsDir() && len(p.Stack) < walk.MaxDepth {
		p.Stack = append(p.Stack, duLevel{Dir: walk.Dir{Path: path}, Own: n, Time: when, Dev: st.Dev})
		return
	}
	if len(p.Stack) > 0 {
		top := &p.Stack[len(p.Stack)-1]
		top.Own += n
		top.Time = max(top.Time, when)
	} else {
		p.Total += n
		p.Time = max(p.Time, when)
	}
	p.print(c, n, when, path, len(p.Stack), command || p.o.all)
}

func (p *duProgram) measure(st vfs.Stat) int64 {
	switch {
	case p.o.inodes:
		return 1
	case p.o.apparent:
		return st.Size
	}
	return size.Blocks(st) * 512
}

// leave ends the top directory.
func (p *duProgram) leave(c *cmd.Ctx) {
	n := len(p.Stack) - 1
	l := p.Stack[n]
	p.Stack = p.Stack[:n]
	sum := l.Own + l.Sub
	if n > 0 {
		p.Stack[n-1].Sub += sum
		p.Stack[n-1].Time = max(p.Stack[n-1].Time, l.Time)
	} else {
		p.Total += sum
		p.Time = max(p.Time, l.Time)
	}
	if p.o.separate {
		sum = l.Own
	}
	p.print(c, sum, l.Time, l.Dir.Path, n, true)
}

func (p *duProgram) print(c *cmd.Ctx, n, when int64, name string, depth int, wanted bool) {
	if !wanted || p.o.depth >= 0 && depth > p.o.depth {
		return
	}
	if t := p.o.threshold; t > 0 && n < t || t < 0 && n > -t {
		return
	}
	if p.o.inodes {
		c.Out.WriteString(strconv.FormatInt(n, 10))
	} else {
		c.Out.WriteString(p.o.block.Format(n))
	}
	if p.o.time != 0 {
		c.Out.WriteString("\t" + clock.Strftime(p.o.style, p.o.zone.Time(when)))
	}
	c.Out.WriteString("\t" + name)
	c.Out.WriteByte(p.o.end)
}

func duParse(c *cmd.Ctx) (*duOptions, int) {
	block, _ := size.FromEnvironment(c.Getenv, "DU_BLOCK_SIZE")
	o := &duOptions{depth: -1, block: block, end: '\n', style: "%Y-%m-%d %H:%M", zone: clock.Local(c)}
	summarize := false
	for _, f := range c.Flags {
		switch f.Name {
		case "0":
			o.end = 0
		case "a":
			o.all = true
		case "apparent-size":
			o.apparent = true
		case "B":
			b, err := size.ParseBlock(f.Value)
			if err != nil {
				c.Errorf("invalid -B argument %s", quote.Shell(c, f.Value))
				return nil, 1
			}
			o.block = b
		case "b":
			o.apparent, o.block = true, size.Block{Unit: 1}
		case "c":
			o.total = true
		case "D", "H":
			o.follow = 'H'
		case "L", "P":
			o.follow = f.Name[0]
		case "d":
			n, err := strconv.Atoi(f.Value)
			if err != nil || n < 0 {
				return nil, c.UsageError("invalid maximum depth %s", quote.Locale(c, f.Value))
			}
			o.depth = n
		case "h":
			o.block = size.Block{Unit: 1, Human: 1024}
		case "si":
			o.block = size.Block{Unit: 1, Human: 1000}
		case "inodes":
			o.inodes = true
		case "k":
			o.block = size.Block{Unit: 1024}
		case "m":
			o.block = size.Block{Unit: 1 << 20}
		case "l":
			o.links = true
		case "S":
			o.separate = true
		case "x":
			o.oneDevice = true
		case "s":
			summarize = true
		case "t":
			v, err := size.Parse(strings.TrimPrefix(f.Value, "-"), "EGKkMPTYZ")
			if err != nil {
				c.Errorf("invalid -t argument %s", quote.Shell(c, f.Value))
				return nil, 1
			}
			if v == 0 && strings.HasPrefix(f.Value, "-") {
				c.Errorf("invalid --threshold argument %s", quote.Shell(c, f.Value))
				return nil, 1
			}
			if o.threshold = v; strings.HasPrefix(f.Value, "-") {
				o.threshold = -v
			}
		case "time":
			o.time = 'm'
			switch f.Value {
			case "":
			case "atime", "access", "use":
				o.time = 'a'
			case "ctime", "status":
				o.time = 'c'
			default:
				return nil, c.UsageError(quote.Marks(c, "invalid argument %s for %s\nValid arguments are:\n  - ‘atime’, ‘access’, ‘use’\n  - ‘ctime’, ‘status’"), quote.Locale(c, f.Value), quote.Locale(c, "--time"))
			}
		case "time-style":
			switch f.Value {
			case "full-iso":
				o.style = "%Y-%m-%d %H:%M:%S.%N %z"
			case "long-iso":
			case "iso":
				o.style = "%Y-%m-%d"
			default:
				if !strings.HasPrefix(f.Value, "+") {
					return nil, c.UsageError(quote.Marks(c, "invalid argument %s for %s\nValid arguments are:\n  - ‘full-iso’\n  - ‘long-iso’\n  - ‘iso’"), quote.Locale(c, f.Value), quote.Locale(c, "time style"))
				}
				o.style = f.Value[1:]
			}
		case "exclude":
			o.exclude = append(o.exclude, f.Value)
		}
	}
	if summarize {
		if o.all {
			return nil, c.UsageError("cannot both summarize and show all entries")
		}
		if o.depth > 0 {
			c.Errorf("warning: summarizing conflicts with --max-depth=%d", o.depth)
			c.Errout.WriteString("Try 'du --help' for more information.\n")
			return nil, 1
		}
		if o.depth == 0 {
			c.Errorf("warning: summarizing is the same as using --max-depth=0")
		}
		o.depth = 0
	}
	return o, 0
}
