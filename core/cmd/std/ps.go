package std

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/clock"
)

// ps shows the processes of the sandbox in the columns of procps. Nothing is
// measured of them: time, memory and share of the processor are 0.
func ps() *cmd.Command {
	return &cmd.Command{
		Name: "ps", Summary: "report a snapshot of the current processes", Usage: "ps [options]", Origin: "procps-ng 4.0.2", Raw: true,
		Class: cmd.Step, New: newListing,
	}
}

// listing is ps, pgrep or pkill. It lets the others have a turn first: a command
// that has just been put into the background becomes what it is to run then.
type listing struct {
	Waited bool `cbor:"1,keyasint,omitempty"`
}

func newListing() cmd.Program { return &listing{} }

func (p *listing) Step(c *cmd.Ctx) cmd.Next {
	if !p.Waited {
		p.Waited = true
		return cmd.WaitWrite()
	}
	switch c.Def.Name {
	case "pgrep":
		return cmd.Exit(runPgrep(c))
	case "pkill":
		return cmd.Exit(runPkill(c))
	}
	return cmd.Exit(runPs(c))
}

func runPs(c *cmd.Ctx) int {
	l := psList{c: c}
	if status := l.options(c.Args); status >= 0 {
		return status
	}
	return l.print()
}

// psColumn is one of those that -o knows.
type psColumn struct {
	names string // what -o calls it
	head  string
	width int // negative: to the left
	text  func(l *psList, p *cmd.Process) string
}

var psColumns = []psColumn{
	{"pid tgid", "PID", 7, func(_ *psList, p *cmd.Process) string { return strconv.Itoa(p.PID) }},
	{"ppid", "PPID", 7, func(_ *psList, p *cmd.Process) string { return strconv.Itoa(p.PPID) }},
	{"pgid pgrp", "PGID", 7, func(_ *psList, p *cmd.Process) string { return strconv.Itoa(p.PGID) }},
	{"sid sess session", "SID", 7, func(l *psList, _ *cmd.Process) string { return strconv.Itoa(l.first) }},
	{"user uname euser ruser", "USER", -8, func(l *psList, _ *cmd.Process) string { return l.c.User() }},
	{"uid euid ruid", "UID", 5, func(l *psList, _ *cmd.Process) string { return strconv.Itoa(l.c.UID()) }},
	{"gid egid rgid", "GID", 5, func(l *psList, _ *cmd.Process) string { return strconv.Itoa(l.c.GID()) }},
	{"%cpu pcpu", "%CPU", 4, func(*psList, *cmd.Process) string { return "0.0" }},
	{"%mem pmem", "%MEM", 4, func(*psList, *cmd.Process) string { return "0.0" }},
	{"vsz vsize", "VSZ", 6, func(*psList, *cmd.Process) string { return "0" }},
	{"rss rssize rsz", "RSS", 5, func(*psList, *cmd.Process) string { return "0" }},
	{"c", "C", 2, func(*psList, *cmd.Process) string { return "0" }},
	{"ni nice", "NI", 3, func(*psList, *cmd.Process) string { return "0" }},
	{"tty tt tname", "TTY", -8, func(*psList, *cmd.Process) string { return "?" }},
	{"stat", "STAT", -4, func(_ *psList, p *cmd.Process) string { return psState(p) }},
	{"s state", "S", -1, func(_ *psList, p *cmd.Process) string { return psState(p) }},
	{"start", "STARTED", 8, func(l *psList, p *cmd.Process) string {
		return clock.Strftime("%H:%M:%S", clock.Local(l.c).Time(p.Started))
	}},
	{"stime start_time bsdstart", "STIME", 5, func(l *psList, p *cmd.Process) string {
		return clock.Strftime("%H:%M", clock.Local(l.c).Time(p.Started))
	}},
	{"lstart", "STARTED", 24, func(l *psList, p *cmd.Process) string {
		return clock.Strftime("%a %b %e %H:%M:%S %Y", clock.Local(l.c).Time(p.Started))
	}},
	{"etime", "ELAPSED", 11, func(l *psList, p *cmd.Process) string { return elapsed((l.c.Now() - p.Started) / 1e9) }},
	{"etimes", "ELAPSED", 7, func(l *psList, p *cmd.Process) string { return strconv.FormatInt((l.c.Now()-p.Started)/1e9, 10) }},
	{"time cputime", "TIME", 8, func(*psList, *cmd.Process) string { return "00:00:00" }},
	{"bsdtime", "TIME", 6, func(*psList, *cmd.Process) string { return "0:00" }},
	{"comm ucmd ucomm", "COMMAND", -15, func(_ *psList, p *cmd.Process) string { return shortName(p) }},
	{"args cmd command", "COMMAND", -27, func(_ *psList, p *cmd.Process) string { return strings.Join(p.Args, " ") }},
}

// The rows that options stand for, in the words of -o.
const (
	psPlain = "pid,tty,time,comm=CMD"
	psFull  = "user=UID,pid,ppid,c,stime,tty,time,args=CMD"
	psUser  = "user,pid,%cpu,%mem,vsz,rss,tty,stat,stime=START,bsdtime,args"
	psBSD   = "pid,tty,stat,bsdtime,args"
)

// psColumnOf is the place of a column in psColumns, -1 if there is none.
func psColumnOf(name string) int {
	return slices.IndexFunc(psColumns, func(k psColumn) bool { return slices.Contains(strings.Fields(k.names), name) })
}

// psItems are those of a list, with commas or blanks between them.
func psItems(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func psState(p *cmd.Process) string {
	if p.Waits {
		return "S"
	}
	return "R"
}

// elapsed writes seconds as [[DD-]hh:]mm:ss.
func elapsed(s int64) string {
	t := fmt.Sprintf("%02d:%02d", s/60%60, s%60)
	if s >= 3600 {
		t = fmt.Sprintf("%02d:", s/3600%24) + t
	}
	if s >= 86400 {
		t = fmt.Sprintf("%d-", s/86400) + t
	}
	return t
}

// shortName is the name that the kernel keeps of a command: 15 bytes.
func shortName(p *cmd.Process) string {
	name := p.Command()
	return name[:min(len(name), 15)]
}

// psList is what was asked for.
type psList struct {
	c       *cmd.Ctx
	format  []psColumn
	row     string // of an option such as -f
	bare    bool   // no header
	selects []func(p *cmd.Process) bool
	sort    string
	first   int // the number of the first process
}

// options reads them as procps does: -o, o and --format are one. It gives a status to end with, or -1.
func (l *psList) options(args []string) int {
	l.row = psPlain
	for i := 0; i < len(args); i++ {
		a := args[i]
		value := func(rest string) string { // what follows in the argument, or the next one
			if rest == "" && i+1 < len(args) {
				i++
				return args[i]
			}
			return rest
		}
		status := -1
		if long, ok := strings.CutPrefix(a, "--"); ok {
			name, rest, _ := strings.Cut(long, "=")
			status = l.long(name, func() string { return value(rest) })
		} else {
			status = l.letters(a, value)
		}
		if status >= 0 {
			return status
		}
	}
	if l.format == nil {
		return l.columns(l.row)
	}
	return -1
}

func (l *psList) long(name string, value func() string) int {
	switch name {
	case "pid":
		return l.pids(value(), func(p *cmd.Process) int { return p.PID })
	case "ppid":
		return l.pids(value(), func(p *cmd.Process) int { return p.PPID })
	case "format":
		return l.columns(value())
	case "sort":
		l.sort = value()
	case "user", "User":
		l.names(value(), func(*cmd.Process) string { return l.c.User() })
	case "no-headers", "no-headings", "no-heading", "noheaders", "noheader":
		l.bare = true
	case "headers", "cols", "columns", "width", "rows", "lines":
		if name != "headers" {
			value()
		}
	default:
		return l.c.NotYet("option --" + name)
	}
	return -1
}

// letters reads -ef, aux, -o LIST, p LIST, or the number of a process.
func (l *psList) letters(arg string, value func(string) string) int {
	if _, err := strconv.Atoi(arg); err == nil {
		return l.pids(arg, func(p *cmd.Process) int { return p.PID })
	}
	dash := strings.HasPrefix(arg, "-")
	opts := strings.TrimPrefix(arg, "-")
	for i := 0; i < len(opts); i++ {
		rest := opts[i+1:]
		switch o := opts[i]; {
		case o == 'o':
			return l.columns(value(rest))
		case o == 'p' || o == 'q':
			return l.pids(value(rest), func(p *cmd.Process) int { return p.PID })
		case dash && o == 'C':
			l.names(value(rest), func(p *cmd.Process) string { return shortName(p) })
			return -1
		case dash && (o == 'u' || o == 'U') && opts != "aux" && opts != "axu":
			l.names(value(rest), func(*cmd.Process) string { return l.c.User() })
			return -1
		case o == 'u':
			l.row = psUser
		case dash && o == 'f':
			l.row = psFull
		case o == 'x' || !dash && o == 'a':
			if l.row == psPlain {
				l.row = psBSD
			}
		case !dash && o == 'h':
			l.bare = true
		case strings.IndexByte("aAewF", o) >= 0:
		default:
			return l.c.NotYet("argument " + arg)
		}
	}
	return -1
}

// pids selects processes by a number of theirs.
func (l *psList) pids(list string, number func(*cmd.Process) int) int {
	var wanted []int
	for _, s := range psItems(list) {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			return l.refuse("process ID list syntax error")
		}
		wanted = append(wanted, n)
	}
	if len(wanted) == 0 {
		return l.refuse("list of process IDs must follow -p")
	}
	l.selects = append(l.selects, func(p *cmd.Process) bool { return slices.Contains(wanted, number(p)) })
	return -1
}

// names selects processes by a name of theirs.
func (l *psList) names(list string, name func(*cmd.Process) string) {
	wanted := psItems(list)
	l.selects = append(l.selects, func(p *cmd.Process) bool { return slices.Contains(wanted, name(p)) })
}

// columns reads "pid,comm=NAME,user:20".
func (l *psList) columns(list string) int {
	for _, item := range psItems(list) {
		name, head, named := strings.Cut(item, "=")
		name, width, wide := strings.Cut(name, ":")
		i := psColumnOf(name)
		n, err := strconv.Atoi(width)
		if i < 0 || wide && (err != nil || n <= 0 || n > 1000) {
			return l.refuse("unknown user-defined format specifier \"" + item + "\"")
		}
		k := psColumns[i]
		if named {
			k.head = head
		} else if name == "cmd" {
			k.head = "CMD"
		}
		if wide && k.width < 0 {
			n = -n
		}
		if wide {
			k.width = n
		}
		l.format = append(l.format, k)
	}
	return -1
}

func (l *psList) refuse(why string) int {
	l.c.Errout.WriteString("error: " + why + "\n\nUsage:\n ps [options]\n\n Try 'ps --help <simple|list|output|threads|misc|all>'\n" +
		"  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\nFor more details see ps(1).\n")
	return 1
}

// print writes the rows; the status says whether there is one.
func (l *psList) print() int {
	all := l.c.Processes()
	l.first = all[0].PID
	shown := all[:0:0]
	for i := range all {
		if len(l.selects) == 0 || slices.ContainsFunc(l.selects, func(ok func(*cmd.Process) bool) bool { return ok(&all[i]) }) {
			shown = append(shown, all[i])
		}
	}
	if status := l.order(shown); status >= 0 {
		return status
	}
	heads := make([]string, len(l.format))
	for i, k := range l.format {
		heads[i] = k.head
	}
	if !l.bare && strings.Join(heads, "") != "" {
		l.line(heads)
	}
	for i := range shown {
		cells := make([]string, len(l.format))
		for j, k := range l.format {
			cells[j] = k.text(l, &shown[i])
		}
		l.line(cells)
	}
	if len(shown) == 0 {
		return 1
	}
	return 0
}

// order sorts by the column that --sort names, -NAME the other way round.
func (l *psList) order(shown []cmd.Process) int {
	if l.sort == "" {
		return -1
	}
	name := strings.TrimLeft(l.sort, "+-")
	i := psColumnOf(name)
	if i < 0 {
		return l.refuse("unknown sort specifier")
	}
	k := psColumns[i]
	slices.SortStableFunc(shown, func(a, b cmd.Process) int {
		x, y := k.text(l, &a), k.text(l, &b)
		if k.width > 0 && len(x) != len(y) { // numbers
			x, y = fmt.Sprintf("%20s", x), fmt.Sprintf("%20s", y)
		}
		if l.sort[0] == '-' {
			x, y = y, x
		}
		return strings.Compare(x, y)
	})
	return -1
}

// line writes one; the last column is as wide as it is.
func (l *psList) line(cells []string) {
	for i, cell := range cells {
		width := l.format[i].width
		if i > 0 {
			l.c.Out.WriteString(" ")
		}
		if width < 0 && i == len(cells)-1 {
			width = 0
		}
		fmt.Fprintf(&l.c.Out, "%*s", width, cell)
	}
	l.c.Out.WriteString("\n")
}
