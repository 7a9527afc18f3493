// Package diff is diff.
//
// The comparison is GNU diff's own (discard_confusing_lines, the two-way search
// of compareseq, shift_boundaries), because which of several right answers is
// printed is part of what a user sees. The search keeps an explicit stack of
// spans, so that it can stop after any of them.
package diff

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/core/linediff"
	"eryxsh/core/regex"
	"eryxsh/vfs"
)

// maxFile bounds what is compared: both files are in memory.
const maxFile = 512 << 20

// Command is diff.
func Command() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	req := func(short byte, long, meta, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: meta, Help: help}
	}
	lack := func(m cmd.Option) cmd.Option { m.Missing = true; return m }
	options := []cmd.Option{
		o(0, "normal", "output a normal diff (the default)"), o('q', "brief", "report only when files differ"), o('s', "report-identical-files", "report when two files are the same"),
		{Short: 'c', Help: "output 3 lines of copied context"}, req('C', "", "NUM", "output NUM lines of copied context"), {Long: "context", Arg: cmd.Optional, Meta: "NUM", Help: "output NUM (default 3) lines of copied context"},
		{Short: 'u', Help: "output 3 lines of unified context"}, req('U', "", "NUM", "output NUM lines of unified context"), {Long: "unified", Arg: cmd.Optional, Meta: "NUM", Help: "output NUM (default 3) lines of unified context"},
		o('e', "ed", "output an ed script"), o('n', "rcs", "output an RCS format diff"), o('y', "side-by-side", "output in two columns"),
		req('W', "width", "NUM", "output at most NUM print columns"), o(0, "left-column", "output only the left column of common lines"),
		o(0, "suppress-common-lines", "do not output common lines"), o('p', "show-c-function", "show which C function each change is in"),
		req('F', "show-function-line", "RE", "show the most recent line matching RE"), req('L', "label", "LABEL", "use LABEL instead of file name and timestamp"),
		o('t', "expand-tabs", "expand tabs to spaces in output"), o('T', "initial-tab", "make tabs line up by prepending a tab"),
		lack(req(0, "tabsize", "NUM", "tab stops every NUM print columns")), o(0, "suppress-blank-empty", "suppress space or tab before empty output lines"),
		lack(o('l', "paginate", "pass output through 'pr' to paginate it")), o('r', "recursive", "recursively compare any subdirectories found"),
		o(0, "no-dereference", "don't follow symbolic links"), o('N', "new-file", "treat absent files as empty"), o('P', "unidirectional-new-file", "treat absent first files as empty"),
		lack(o(0, "ignore-file-name-case", "ignore case when comparing file names")), req('x', "exclude", "PAT", "exclude files that match PAT"),
		lack(req('X', "exclude-from", "FILE", "exclude files that match any pattern in FILE")), lack(req('S', "starting-file", "FILE", "start with FILE when comparing directories")),
		lack(req(0, "from-file", "FILE1", "compare FILE1 to all operands")), lack(req(0, "to-file", "FILE2", "compare all operands to FILE2")),
		o('i', "ignore-case", "ignore case differences in file contents"), o('E', "ignore-tab-expansion", "ignore changes due to tab expansion"),
		o('Z', "ignore-trailing-space", "ignore white space at line end"), o('b', "ignore-space-change", "ignore changes in the amount of white space"),
		o('w', "ignore-all-space", "ignore all white space"), o('B', "ignore-blank-lines", "ignore changes where lines are all blank"),
		req('I', "ignore-matching-lines", "RE", "ignore changes where all lines match RE"), o('a', "text", "treat all files as text"),
		o(0, "strip-trailing-cr", "strip trailing carriage return on input"), lack(req('D', "ifdef", "NAME", "output merged file with '#ifdef NAME' diffs")),
		o('d', "minimal", "try hard to find a smaller set of changes"), req(0, "horizon-lines", "NUM", "keep NUM lines of the common prefix and suffix"),
		o('H', "speed-large-files", "assume large files and many scattered small changes"), {Long: "color", Arg: cmd.Optional, Meta: "WHEN", Help: "color output; WHEN is 'never', 'always', or 'auto'"},
	}
	options = append(options, req(0, "lines", "NUM", "NUM lines of context, if there is context"), req(0, "given", "OPTIONS", "the options as they were typed"))
	for _, n := range strings.Fields(formatOptions) {
		options = append(options, req(0, n, "FMT", "format output with FMT"))
	}
	return &cmd.Command{
		Name: "diff", WriteError: "standard output: WHY", Summary: "compare FILES line by line", Usage: "diff [OPTION]... FILES", Origin: "GNU diffutils 3.8", Status: 2,
		Hint: "NAME: Try 'NAME --help' for more information.\n", Options: options, Obsolete: givenOptions,
		Class: cmd.Step, New: func() cmd.Program { return &Program{} },
	}
}

// formatOptions set the formats of lines and groups.
const formatOptions = "line-format old-line-format new-line-format unchanged-line-format old-group-format new-group-format unchanged-group-format changed-group-format"

// givenOptions rewrites -NUM, the number of context lines, and keeps the options
// as they were typed: they head each pair of files of two directories.
func givenOptions(c *cmd.Ctx, args []string) []string {
	var out []string
	given := ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			out = append(out, args[i:]...)
			break
		}
		if len(a) < 2 || a[0] != '-' {
			out = append(out, a)
			continue
		}
		given += " " + quote.Maybe(c, a)
		if rest := strings.TrimRight(a, "0123456789"); a[1] != '-' && rest != a && strings.Trim(rest, "-abcdefghijklmnopqrstuvwxyzBEHNPTZ") == "" {
			out = append(out, "--lines="+a[len(rest):])
			if a = rest; a == "-" {
				continue
			}
		}
		out = append(out, a)
		takes := len(a) == 2 && strings.Contains("CUWFxXSIDL", a[1:]) || strings.HasPrefix(a, "--") && !strings.Contains(a, "=") &&
			strings.Contains(" --label --exclude --exclude-from --starting-file --show-function-line --ignore-matching-lines --horizon-lines ", " "+a+" ")
		if takes && i+1 < len(args) {
			i++
			out = append(out, args[i])
			given += " " + quote.Maybe(c, args[i])
		}
	}
	if given == "" {
		return out
	}
	return append([]string{"--given=" + given}, out...)
}

type options struct {
	format                                           byte // n normal, u, c, e, r (rcs), y, i (formats), q
	context                                          int
	same, recursive, newFile, newFirst, text, noLink bool
	fold, allSpace, space, trailing, tabs, blank, cr bool
	minimal, expand, initialTab, noBlankEmpty        bool
	labels, exclude                                  []string
	function, ignore                                 *regex.Regexp
	zone                                             *clock.Zone
	columns                                          *columns
	formats                                          *formats
}

// file is one side of the pair being compared.
type file struct {
	Path  string `cbor:"1,keyasint,omitempty"`
	FD    int    `cbor:"2,keyasint,omitempty" holds:"count"`
	Data  []byte `cbor:"4,keyasint,omitempty"`
	End   bool   `cbor:"5,keyasint,omitempty"`
	Mtime int64  `cbor:"6,keyasint,omitempty"`
	Mark  []byte `cbor:"8,keyasint,omitempty"` // which lines have changed, by line + 1

	none bool // it is not there and taken to be empty
}

// level is a pair of directories being compared.
type level struct {
	A walk.Dir `cbor:"1,keyasint,omitempty"`
	B walk.Dir `cbor:"2,keyasint,omitempty"`
}

// Phases of comparing a pair.
const (
	phaseNone = iota
	phaseRead
	phaseSearch
	phasePrint
)

// Program is a running diff.
type Program struct {
	Begun  bool            `cbor:"1,keyasint,omitempty"`
	Status int             `cbor:"2,keyasint,omitempty"`
	Stack  []level         `cbor:"3,keyasint,omitempty"`
	Files  [2]file         `cbor:"4,keyasint,omitempty"`
	Phase  int             `cbor:"5,keyasint,omitempty" holds:"3"`
	Spans  []linediff.Span `cbor:"6,keyasint,omitempty"`
	Hunk   int             `cbor:"7,keyasint,omitempty" holds:"count"` // the next change to print
	Inside bool            `cbor:"8,keyasint,omitempty"`               // the pair is of a directory: it has a heading

	o      *options
	s      *scan
	prefix int // lines common at the start and left out
}

// Step takes one turn.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		o, status := parse(c)
		if o == nil {
			return cmd.Exit(status)
		}
		p.o = o
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if !p.Begun {
		p.Begun = true
		if !p.begin(c) {
			return cmd.Exit(2)
		}
	}
	switch p.Phase {
	case phaseRead:
		return p.read(c)
	case phaseSearch:
		return p.search(c)
	case phasePrint:
		return p.print(c)
	}
	for budget := c.Turn(walk.Turn); budget > 0 && p.Phase == phaseNone; budget-- {
		if len(p.Stack) == 0 {
			return cmd.Exit(p.Status)
		}
		p.entry(c, &budget)
	}
	return cmd.Again()
}

func (p *Program) trouble(c *cmd.Ctx, name string, err error) {
	c.Errorf("%s: %s", name, err)
	p.Status = 2
}

// begin looks at the two operands.
func (p *Program) begin(c *cmd.Ctx) bool {
	switch n := len(c.Args); {
	case n == 0:
		c.UsageError("missing operand after %s", quote.Shell(c, c.Name))
		return false
	case n == 1:
		c.UsageError("missing operand after %s", quote.Shell(c, c.Args[0]))
		return false
	case n > 2:
		c.UsageError("extra operand %s", quote.Shell(c, c.Args[2]))
		return false
	}
	a, b := c.Args[0], c.Args[1]
	p.Inside = false
	if a != "-" && b != "-" {
		sa, ea := p.stat(c, a)
		sb, eb := p.stat(c, b)
		switch {
		case ea == nil && eb == nil && sa.Mode.IsDir() && !sb.Mode.IsDir():
			a = walk.Join(a, walk.Base(b))
		case ea == nil && eb == nil && !sa.Mode.IsDir() && sb.Mode.IsDir():
			b = walk.Join(b, walk.Base(a))
		}
	}
	p.pair(c, a, b, false)
	return true
}

func (p *Program) stat(c *cmd.Ctx, path string) (vfs.Stat, error) {
	if path == "-" {
		return c.Fstat(0)
	}
	if p.o.noLink {
		return c.Lstat(path)
	}
	return c.Stat(path)
}

// pair begins to compare two paths; inside says that they were found in directories.
func (p *Program) pair(c *cmd.Ctx, a, b string, inside bool) {
	p.Inside = inside
	var st [2]vfs.Stat
	paths := [2]string{a, b}
	p.Files = [2]file{}
	bad := false
	for i, path := range paths {
		var err error
		p.Files[i] = file{Path: path}
		if st[i], err = p.stat(c, path); err != nil {
			other, oerr := p.stat(c, paths[1-i])
			if err == vfs.ENOENT && oerr == nil && (p.o.newFile || p.o.newFirst && i == 0) {
				p.Files[i].none = true
				st[i] = vfs.Stat{Mode: other.Mode}
				continue
			}
			p.trouble(c, path, err)
			bad = true
		}
		if p.Files[i].Mtime = st[i].Mtime; path == "-" && !st[i].Mode.IsRegular() {
			p.Files[i].Mtime = c.Now()
		}
	}
	if bad {
		return
	}
	switch da, db := st[0].Mode.IsDir(), st[1].Mode.IsDir(); {
	case da && db && st[0].Ino == st[1].Ino: // the same: there is nothing to say
		return
	case da && db:
		if inside && !p.o.recursive {
			c.Out.WriteString("Common subdirectories: " + a + " and " + b + "\n")
			return
		}
		if len(p.Stack) >= walk.MaxDepth {
			p.trouble(c, a, vfs.ENAMETOOLONG)
			return
		}
		p.Stack = append(p.Stack, level{walk.Dir{Path: a, Full: p.Files[0].none}, walk.Dir{Path: b, Full: p.Files[1].none}})
		return
	case da != db || p.o.noLink && st[0].Mode&vfs.TypeMask != st[1].Mode&vfs.TypeMask:
		c.Out.WriteString("File " + a + " is a " + kind(st[0]) + " while file " + b + " is a " + kind(st[1]) + "\n")
		p.Status = max(p.Status, 1)
		return
	case p.o.noLink && st[0].Mode.IsLink():
		ta, _ := c.Readlink(a)
		tb, _ := c.Readlink(b)
		if ta != tb {
			c.Out.WriteString("Symbolic links " + a + " and " + b + " differ\n")
			p.Status = max(p.Status, 1)
		}
		return
	}
	for i := range p.Files {
		f := &p.Files[i]
		switch {
		case f.none:
			f.End = true
		case f.Path == "-":
		default:
			fd, err := c.Open(f.Path, vfs.O_RDONLY, 0)
			if err != nil {
				p.trouble(c, f.Path, err)
				bad = true
				continue
			}
			f.FD = fd
		}
	}
	if bad {
		p.close(c)
		return
	}
	p.Phase = phaseRead
}

func kind(st vfs.Stat) string {
	switch st.Mode & vfs.TypeMask {
	case vfs.TypeDir:
		return "directory"
	case vfs.TypeLink:
		return "symbolic link"
	case vfs.TypeFifo:
		return "fifo"
	case vfs.TypeChar:
		return "character special file"
	}
	if st.Size == 0 {
		return "regular empty file"
	}
	return "regular file"
}

func (p *Program) close(c *cmd.Ctx) {
	for i := range p.Files {
		if f := &p.Files[i]; f.FD != 0 {
			c.Close(f.FD)
		}
	}
	p.Files, p.Phase, p.Spans, p.Hunk, p.s = [2]file{}, phaseNone, nil, 0, nil
}

// entry takes the next name of the top pair of directories.
func (p *Program) entry(c *cmd.Ctx, budget *int) {
	top := &p.Stack[len(p.Stack)-1]
	for _, d := range []*walk.Dir{&top.A, &top.B} {
		if !d.Full {
			if err := d.Fill(c, budget); err != nil {
				p.trouble(c, d.Path, err)
			}
			return
		}
	}
	a, _, okA := top.A.Next()
	b, _, okB := top.B.Next()
	switch {
	case !okA && !okB:
		p.Stack = p.Stack[:len(p.Stack)-1]
		return
	case okA && (!okB || a < b):
		if okB {
			top.B.I--
		}
		p.alone(c, top, a, 0)
	case okB && (!okA || b < a):
		if okA {
			top.A.I--
		}
		p.alone(c, top, b, 1)
	case !p.excluded(c, a):
		p.pair(c, walk.Join(top.A.Path, a), walk.Join(top.B.Path, a), true)
	}
}

func (p *Program) excluded(c *cmd.Ctx, name string) bool {
	for _, x := range p.o.exclude {
		if fnmatch.Match(x, name, fnmatch.In(c)) {
			return true
		}
	}
	return false
}

// alone handles a name that is in one directory only.
func (p *Program) alone(c *cmd.Ctx, l *level, name string, side int) {
	if p.excluded(c, name) {
		return
	}
	if p.o.newFile || p.o.newFirst && side == 1 {
		a, b := walk.Join(l.A.Path, name), walk.Join(l.B.Path, name)
		if st, err := p.stat(c, [2]string{a, b}[side]); err == nil && st.Mode.IsDir() && !p.o.recursive {
			c.Out.WriteString("Common subdirectories: " + a + " and " + b + "\n")
			return
		}
		p.pair(c, a, b, true)
		return
	}
	dir := l.A.Path
	if side == 1 {
		dir = l.B.Path
	}
	c.Out.WriteString("Only in " + dir + ": " + name + "\n")
	p.Status = max(p.Status, 1)
}

// read takes in some of the two files.
func (p *Program) read(c *cmd.Ctx) cmd.Next {
	for i := range p.Files {
		f := &p.Files[i]
		if f.End {
			continue
		}
		if i == 1 && f.Path == "-" && p.Files[0].Path == "-" {
			f.Data, f.End = p.Files[0].Data, true // both are standard input
			continue
		}
		buf := cmd.Borrow()
		defer buf.Return() // this is the only one: each way ends the turn or finds the end
		n, err := c.Read(f.FD, buf[:])
		switch {
		case err == cmd.ErrBlocked:
			return cmd.WaitRead(f.FD)
		case err == io.EOF:
			f.End = true
			continue
		case err != nil:
			p.trouble(c, f.Path, err)
			p.close(c)
			return cmd.Again()
		}
		f.Data = large.Append(f.Data, buf[:n])
		c.Hold(2 * (len(p.Files[0].Data) + len(p.Files[1].Data)))
		if len(f.Data) > maxFile {
			p.trouble(c, f.Path, vfs.EFBIG)
			p.close(c)
		}
		return cmd.Again()
	}
	p.ready(c)
	return cmd.Again()
}

// ready decides what is to do with two files that have been read.
func (p *Program) ready(c *cmd.Ctx) {
	a, b := &p.Files[0], &p.Files[1]
	equal := bytes.Equal(a.Data, b.Data)
	binary := !p.o.text && (isBinary(a.Data) || isBinary(b.Data))
	if !equal && binary {
		if p.o.format == 'q' {
			c.Out.WriteString("Files " + a.Path + " and " + b.Path + " differ\n")
			p.Status = max(p.Status, 1)
		} else {
			c.Out.WriteString("Binary files " + a.Path + " and " + b.Path + " differ\n")
			p.Status = max(p.Status, 1)
		}
		p.close(c)
		return
	}
	if equal && (!p.o.showsAll() || binary) {
		p.identical(c)
		return
	}
	p.Phase = phaseSearch
}

// showsAll reports whether lines that are the same are printed too.
func (o *options) showsAll() bool {
	return o.format == 'y' && !o.columns.suppressSame || o.format == 'i'
}

func (p *Program) identical(c *cmd.Ctx) {
	if p.o.same {
		c.Out.WriteString("Files " + p.Files[0].Path + " and " + p.Files[1].Path + " are identical\n")
	}
	p.close(c)
}

func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 32<<10)], 0) >= 0 }

func parse(c *cmd.Ctx) (*options, int) {
	o := &options{format: 'n', zone: clock.Local(c)}
	lines, explicit := -1, false // of -NUM, which counts less than -U and -C
	formats := map[byte]bool{}
	set := func(b byte) { o.format = b; formats[b] = true }
	pattern := func(s string) (*regex.Regexp, bool) {
		re, err := regex.Compile([]byte(s), regex.Options{Syntax: regex.GrepBasic, Bytes: c.Bytes(), NoSub: true, Steps: c.RegexSteps(), Charge: c.Charge, Need: c.Need})
		if err != nil {
			c.Errorf("%s: %s", s, err)
		}
		return re, err == nil
	}
	ok, wide := true, 130
	for _, f := range c.Flags {
		if strings.Contains(" "+formatOptions+" ", " "+f.Name+" ") {
			if o.formats == nil {
				o.formats = newFormats()
			}
			o.formats.set(f.Name, f.Value)
			set('i')
			continue
		}
		switch f.Name {
		case "normal":
			set('n')
		case "c", "C", "context", "u", "U", "unified", "lines":
			if f.Name != "lines" {
				set(f.Name[0] | 0x20)
			}
			if f.Has {
				n, err := strconv.Atoi(f.Value)
				if err != nil || n < 0 {
					c.UsageError("invalid context length '%s'", f.Value)
					return nil, 2
				}
				if f.Name == "lines" {
					lines = n
					break
				}
				o.context, explicit = max(o.context, n), true
			} else {
				o.context = max(o.context, 3)
			}
		case "y":
			set('y')
		case "W":
			n, err := strconv.Atoi(f.Value)
			if err != nil || n < 1 {
				return nil, c.UsageError("invalid width '%s'", f.Value)
			}
			wide = n
		case "e":
			set('e')
		case "n":
			set('r')
		case "s":
			o.same = true
		case "p":
			o.function, ok = pattern("^[[:alpha:]$_]")
		case "F":
			o.function, ok = pattern(f.Value)
		case "I":
			o.ignore, ok = pattern(f.Value)
		case "L":
			o.labels = append(o.labels, f.Value)
		case "t":
			o.expand = true
		case "T":
			o.initialTab = true
		case "suppress-blank-empty":
			o.noBlankEmpty = true
		case "r":
			o.recursive = true
		case "no-dereference":
			o.noLink = true
		case "N":
			o.newFile = true
		case "P":
			o.newFirst = true
		case "x":
			o.exclude = append(o.exclude, f.Value)
		case "i":
			o.fold = true
		case "E":
			o.tabs = true
		case "Z":
			o.trailing = true
		case "b":
			o.space = true
		case "w":
			o.allSpace = true
		case "B":
			o.blank = true
		case "a":
			o.text = true
		case "strip-trailing-cr":
			o.cr = true
		case "d":
			o.minimal = true
		case "color":
			if f.Value == "always" || !f.Has {
				return nil, c.NotYet("option --color=always")
			}
		}
		if !ok {
			return nil, 2
		}
	}
	if len(formats) == 0 && c.Flags.Has("p") {
		set('c')
		o.context = 3
	}
	o.columns = newColumns(wide, o.expand, c.Bytes())
	o.settle(c, lines, explicit)
	if len(formats) > 1 {
		return nil, c.UsageError("conflicting output style options")
	}
	return o, 0
}

// settle fixes what depends on several options: lines is -NUM, or -1, which an explicit -U or -C can only widen.
func (o *options) settle(c *cmd.Ctx, lines int, explicit bool) {
	if lines >= 0 && (o.context < lines || !explicit) {
		o.context = lines
	}
	if c.Flags.Has("q") {
		o.format = 'q'
	}
	o.columns.leftOnly, o.columns.suppressSame = c.Flags.Has("left-column"), c.Flags.Has("suppress-common-lines")
	if o.formats != nil {
		o.formats.settle()
	}
}
