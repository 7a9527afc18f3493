package std

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/owner"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/vercmp"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/vfs"
)

func tree() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	req := func(short byte, long, meta, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: meta, Help: help}
	}
	lack := func(m cmd.Option) cmd.Option { m.Missing = true; return m }
	return &cmd.Command{
		Name: "tree", Summary: "list contents of directories in a tree-like format", Usage: "tree [OPTION]... [DIRECTORY]...", Origin: "tree v2.1.0",
		Options: []cmd.Option{
			o('a', "", "all files are listed"), o('d', "", "list directories only"), o('f', "", "print the full path prefix for each file"),
			o('F', "", "append '/', '=', '*', '@', '|' or '>' as per ls -F"), o('i', "", "don't print indentation lines"), req('L', "", "level", "descend only level directories deep"),
			req('P', "", "pattern", "list only those files that match the pattern given"), req('I', "", "pattern", "do not list files that match the given pattern"),
			o(0, "noreport", "turn off file/directory count at end of tree listing"), o(0, "dirsfirst", "list directories before files"), o(0, "filesfirst", "list files before directories"),
			o('r', "", "reverse the order of the sort"), o('t', "", "sort files by last modification time"), o('U', "", "leave files unsorted"), o('v', "", "sort files alphanumerically by version"),
			o('s', "", "print the size in bytes of each file"), o('h', "", "print the size in a more human readable way"), o('p', "", "print the protections for each file"),
			o('u', "", "displays file owner or UID number"), o('g', "", "displays file group owner or GID number"), o('D', "", "print the date of last modification or (-c) status change"),
			o('n', "", "turn colorization off always"), o('N', "", "print non-printable characters as is"), o('q', "", "print non-printable characters as '?'"),
			o(0, "ignore-case", "ignore case when pattern matching"), o(0, "prune", "prune empty directories from the output"), req(0, "charset", "X", "use charset X for terminal output"),
			req(0, "filelimit", "#", "do not descend dirs with more than # files in them"), o('x', "", "stay on current filesystem only"),
			lack(o('J', "", "prints out a JSON representation of the tree")), lack(o('X', "", "prints out an XML representation of the tree")),
			lack(req('H', "", "baseHREF", "prints out HTML format")), lack(o('C', "", "turn colorization on always")), lack(o('l', "", "follow symbolic links like directories")),
			lack(o(0, "du", "compute size of directories by their contents")), lack(o(0, "matchdirs", "include directory names in -P pattern matching")),
		},
		Class: cmd.Step, New: func() cmd.Program { return &treeProgram{} },
	}
}

// treeEntry is one line to come.
type treeEntry struct {
	Name   string `cbor:"1,keyasint,omitempty"`
	Mode   uint32 `cbor:"2,keyasint,omitempty"`
	Size   int64  `cbor:"3,keyasint,omitempty"`
	Mtime  int64  `cbor:"4,keyasint,omitempty"`
	UID    uint32 `cbor:"5,keyasint,omitempty"`
	GID    uint32 `cbor:"6,keyasint,omitempty"`
	Target string `cbor:"7,keyasint,omitempty"`
	Dir    bool   `cbor:"8,keyasint,omitempty"` // what it is or leads to is a directory
}

// treeLevel is a directory being printed.
type treeLevel struct {
	Dir     walk.Dir    `cbor:"1,keyasint,omitempty"`
	Entries []treeEntry `cbor:"2,keyasint,omitempty"`
	I       int         `cbor:"3,keyasint,omitempty"`
	Ready   bool        `cbor:"4,keyasint,omitempty"` // Entries are complete and sorted
	Last    bool        `cbor:"5,keyasint,omitempty"` // it was its parent's last entry
}

type treeProgram struct {
	I      int         `cbor:"1,keyasint,omitempty"`
	Stack  []treeLevel `cbor:"2,keyasint,omitempty"`
	Dirs   int         `cbor:"3,keyasint,omitempty"`
	Files  int         `cbor:"4,keyasint,omitempty"`
	Status int         `cbor:"5,keyasint,omitempty"`
	Owners owner.Names `cbor:"6,keyasint,omitempty"`

	zone *clock.Zone
}

// Wrong checks the places in the directories.
func (p *treeProgram) Wrong(c *cmd.Ctx) string {
	for _, l := range p.Stack {
		if s := cmd.Beyond("a place in a directory", l.I, len(l.Entries)); s != "" {
			return s
		}
	}
	return c.BeyondArgs(p.I)
}

// Step prints a turn's worth of entries.
func (p *treeProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.zone == nil {
		p.zone = clock.Local(c)
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if l, ok := c.Flags.Last("L"); ok {
		if n, err := strconv.Atoi(l.Value); err != nil || n < 1 {
			c.Errout.WriteString("tree: Invalid level, must be greater than 0.\n")
			return cmd.Exit(1)
		}
	}
	if c.Flags.Has("prune") {
		return cmd.Exit(c.NotYet("option --prune"))
	}
	args := c.Args
	if len(args) == 0 {
		args = []string{"."}
	}
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		n := len(p.Stack)
		switch {
		case n > 0:
			p.level(c, &budget)
		case p.I < len(args):
			p.I++
			p.root(c, args[p.I-1])
		default:
			if !c.Flags.Has("noreport") {
				p.report(c)
			}
			return cmd.Exit(p.Status)
		}
	}
	return cmd.Again()
}

func (p *treeProgram) root(c *cmd.Ctx, path string) {
	st, err := c.Stat(path)
	c.Out.WriteString(path)
	if err != nil || !st.Mode.IsDir() {
		c.Out.WriteString("  [error opening dir]\n")
		p.Status = 2
		return
	}
	c.Out.WriteByte('\n')
	p.Dirs++
	p.Stack = append(p.Stack, treeLevel{Dir: walk.Dir{Path: path}})
}

// level takes the next entry of the top directory.
func (p *treeProgram) level(c *cmd.Ctx, budget *int) {
	top := &p.Stack[len(p.Stack)-1]
	switch {
	case !top.Dir.Full:
		if err := top.Dir.Fill(c, budget); err != nil {
			p.Status = 2
		}
	case !top.Ready:
		for ; *budget > 0; *budget-- {
			name, _, ok := top.Dir.Next()
			if !ok {
				top.Ready = true
				sortTree(c, top.Entries)
				top.Dir.Names, top.Dir.Types = nil, nil
				break
			}
			if e, ok := p.look(c, top.Dir.Path, name); ok {
				top.Entries = append(top.Entries, e)
			}
		}
	case top.I == len(top.Entries):
		p.Stack = p.Stack[:len(p.Stack)-1]
	default:
		e := top.Entries[top.I]
		top.I++
		p.entry(c, top, e, top.I == len(top.Entries))
	}
}

// look reads one entry; false if it is not shown.
func (p *treeProgram) look(c *cmd.Ctx, dir, name string) (treeEntry, bool) {
	if strings.HasPrefix(name, ".") && !c.Flags.Has("a") {
		return treeEntry{}, false
	}
	path := walk.Join(dir, name)
	st, err := c.Lstat(path)
	if err != nil {
		return treeEntry{}, false
	}
	e := treeEntry{Name: name, Mode: uint32(st.Mode), Size: st.Size, Mtime: st.Mtime, UID: st.UID, GID: st.GID, Dir: st.Mode.IsDir()}
	if st.Mode.IsLink() {
		e.Target, _ = c.Readlink(path)
		to, err := c.Stat(path)
		e.Dir = err == nil && to.Mode.IsDir()
	}
	fold := fnmatch.In(c)
	if c.Flags.Has("ignore-case") {
		fold |= fnmatch.Fold
	}
	match := func(patterns string) bool {
		for _, x := range strings.Split(patterns, "|") {
			if fnmatch.Match(strings.TrimSuffix(x, "/"), name, fold) {
				return true
			}
		}
		return false
	}
	wanted := false
	for _, f := range c.Flags {
		switch {
		case f.Name == "I" && match(f.Value):
			return e, false
		case f.Name == "P":
			wanted = wanted || match(f.Value)
		}
	}
	if c.Flags.Has("P") && !wanted && !st.Mode.IsDir() || c.Flags.Has("d") && !e.Dir {
		return e, false
	}
	return e, true
}

// entry prints one line, and enters a directory.
func (p *treeProgram) entry(c *cmd.Ctx, top *treeLevel, e treeEntry, last bool) {
	b := &c.Out
	nbsp, bar, tee, corner := "\u00a0", "│", "├── ", "└── "
	if cs, ok := c.Flags.Last("charset"); ok && !strings.HasPrefix(strings.ToUpper(cs.Value), "UTF") {
		nbsp, bar, tee, corner = " ", "|", "|-- ", "`-- "
	}
	if !c.Flags.Has("i") {
		for _, l := range p.Stack[1:] {
			if l.Last {
				b.WriteString("    ")
			} else {
				b.WriteString(bar + nbsp + nbsp + " ")
			}
		}
		if last {
			b.WriteString(corner)
		} else {
			b.WriteString(tee)
		}
	}
	p.columns(c, e)
	path := walk.Join(top.Dir.Path, e.Name)
	if c.Flags.Has("f") {
		b.WriteString(path)
	} else {
		b.WriteString(e.Name)
	}
	mode := vfs.Mode(e.Mode)
	if mode.IsLink() {
		b.WriteString(" -> " + e.Target)
	}
	if c.Flags.Has("F") {
		b.WriteString(treeSuffix(mode))
	}
	if e.Dir {
		p.Dirs++
	} else {
		p.Files++
	}
	deep := len(p.Stack)
	if l, ok := c.Flags.Last("L"); ok {
		if n, _ := strconv.Atoi(l.Value); deep >= n {
			b.WriteByte('\n')
			return
		}
	}
	if mode.IsDir() && deep < walk.MaxDepth {
		p.enter(c, path, last)
	}
	b.WriteByte('\n')
}

func treeSuffix(m vfs.Mode) string {
	switch {
	case m.IsDir():
		return "/"
	case m.IsRegular() && m&0o111 != 0:
		return "*"
	case m&vfs.TypeMask == vfs.TypeFifo:
		return "|"
	}
	return ""
}

// enter goes down into a directory unless it has too many entries.
func (p *treeProgram) enter(c *cmd.Ctx, path string, last bool) {
	if l, ok := c.Flags.Last("filelimit"); ok {
		limit, _ := strconv.Atoi(l.Value)
		if names, err := c.ReadDir(path, "", limit+1); err == nil && limit > 0 && len(names) > limit {
			fmt.Fprintf(&c.Out, "  [%d entries exceeds filelimit, not opening dir]", len(names))
			return
		}
	}
	if err := c.Access(path, vfs.R_OK); err != nil {
		c.Out.WriteString("  [error opening dir]")
		p.Status = 2
		return
	}
	p.Stack = append(p.Stack, treeLevel{Dir: walk.Dir{Path: path}, Last: last})
}

// columns are what goes in brackets before a name.
func (p *treeProgram) columns(c *cmd.Ctx, e treeEntry) {
	var f []string
	if c.Flags.Has("p") {
		f = append(f, perm.String(vfs.Mode(e.Mode)))
	}
	if c.Flags.Has("u") {
		f = append(f, fmt.Sprintf("%-8.32s", p.Owners.User(c, e.UID)))
	}
	if c.Flags.Has("g") {
		f = append(f, fmt.Sprintf("%-8.32s", p.Owners.Group(c, e.GID)))
	}
	switch {
	case c.Flags.Has("h"):
		f = append(f, fmt.Sprintf("%4s", treeHuman(e.Size)))
	case c.Flags.Has("s"):
		f = append(f, fmt.Sprintf("%11d", e.Size))
	}
	if c.Flags.Has("D") {
		layout := "%b %e %H:%M"
		if age := c.Now() - e.Mtime; age > 6*31*24*3600*1e9 || age < 0 {
			layout = "%b %e  %Y"
		}
		f = append(f, clock.Strftime(layout, p.zone.Time(e.Mtime)))
	}
	if f != nil {
		c.Out.WriteString("[" + strings.Join(f, " ") + "]  ")
	}
}

// treeHuman writes a size as tree -h does: rounded to the nearest.
func treeHuman(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10)
	}
	v := float64(n)
	i := -1
	for v >= 1024 && i < 5 {
		v /= 1024
		i++
	}
	if v < 10 {
		return fmt.Sprintf("%.1f%c", v, "KMGTPE"[i])
	}
	return fmt.Sprintf("%.0f%c", v, "KMGTPE"[i])
}

func (p *treeProgram) report(c *cmd.Ctx) {
	plural := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return strconv.Itoa(n) + " " + many
	}
	c.Out.WriteString("\n" + plural(p.Dirs, "directory", "directories"))
	if !c.Flags.Has("d") {
		c.Out.WriteString(", " + plural(p.Files, "file", "files"))
	}
	c.Out.WriteByte('\n')
}

// sortTree puts the entries of a directory in the order the flags ask for.
func sortTree(c *cmd.Ctx, l []treeEntry) {
	if c.Flags.Has("U") {
		return
	}
	slices.SortStableFunc(l, func(a, b treeEntry) int {
		if a.Dir != b.Dir && (c.Flags.Has("dirsfirst") || c.Flags.Has("filesfirst")) {
			if a.Dir == c.Flags.Has("dirsfirst") {
				return -1
			}
			return 1
		}
		r := 0
		switch {
		case c.Flags.Has("t"):
			r = cmp.Compare(a.Mtime, b.Mtime)
		case c.Flags.Has("v"):
			r = vercmp.Compare(a.Name, b.Name)
		}
		if r == 0 {
			r = strings.Compare(a.Name, b.Name)
		}
		if c.Flags.Has("r") {
			r = -r
		}
		return r
	})
}
