package std

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/core/regex"
	"eryxsh/vfs"
)

const grepUsage = "Usage: grep [OPTION]... PATTERNS [FILE]...\n"

func grep() *cmd.Command  { return grepNamed("grep") }
func egrep() *cmd.Command { return grepNamed("egrep") }
func fgrep() *cmd.Command { return grepNamed("fgrep") }

func grepNamed(name string) *cmd.Command {
	as := ""
	if name != "grep" { // a script around it
		as = "grep"
	}
	return &cmd.Command{
		Name: name, As: as, Summary: "print lines that match patterns",
		Usage:  name + " [OPTION]... PATTERNS [FILE]...",
		Origin: "GNU grep 3.8",
		Status: 2,
		Hint:   grepUsage + "Try 'grep --help' for more information.\n",
		Options: []cmd.Option{
			{Short: 'E', Long: "extended-regexp", Help: "PATTERNS are extended regular expressions"},
			{Short: 'F', Long: "fixed-strings", Help: "PATTERNS are strings"},
			{Short: 'G', Long: "basic-regexp", Help: "PATTERNS are basic regular expressions"},
			{Short: 'P', Long: "perl-regexp", Help: "PATTERNS are Perl regular expressions"},
			{Short: 'e', Long: "regexp", Arg: cmd.Required, Meta: "PATTERNS", Help: "use PATTERNS for matching"},
			{Short: 'f', Long: "file", Arg: cmd.Required, Meta: "FILE", Help: "take PATTERNS from FILE"},
			{Short: 'i', Long: "ignore-case", Help: "ignore case distinctions in patterns and data"},
			{Short: 'y', Help: "the same as -i"},
			{Long: "no-ignore-case", Help: "do not ignore case distinctions (default)"},
			{Short: 'w', Long: "word-regexp", Help: "match only whole words"},
			{Short: 'x', Long: "line-regexp", Help: "match only whole lines"},
			{Short: 'z', Long: "null-data", Help: "a data line ends in 0 byte, not newline"},
			{Short: 'v', Long: "invert-match", Help: "select non-matching lines"},
			{Short: 'V', Long: "version", Help: "display version information and exit"},
			{Short: 'm', Long: "max-count", Arg: cmd.Required, Meta: "NUM", Help: "stop after NUM selected lines"},
			{Short: 'b', Long: "byte-offset", Help: "print the byte offset with output lines"},
			{Short: 'n', Long: "line-number", Help: "print line number with output lines"},
			{Long: "line-buffered", Help: "flush output on every line"},
			{Short: 'H', Long: "with-filename", Help: "print file name with output lines"},
			{Short: 'h', Long: "no-filename", Help: "suppress the file name prefix on output"},
			{Long: "label", Arg: cmd.Required, Meta: "LABEL", Help: "use LABEL as the standard input file name prefix"},
			{Short: 'o', Long: "only-matching", Help: "show only nonempty parts of lines that match"},
			{Short: 'q', Long: "quiet", Help: "suppress all normal output"},
			{Short: 'q', Long: "silent", Help: "suppress all normal output"},
			{Long: "binary-files", Arg: cmd.Required, Meta: "TYPE", Help: "assume that binary files are TYPE: 'binary', 'text' or 'without-match'"},
			{Short: 'a', Long: "text", Help: "equivalent to --binary-files=text"},
			{Short: 'I', Help: "equivalent to --binary-files=without-match"},
			{Short: 'd', Long: "directories", Arg: cmd.Required, Meta: "ACTION", Help: "how to handle directories: 'read', 'recurse' or 'skip'"},
			{Short: 'D', Long: "devices", Arg: cmd.Required, Meta: "ACTION", Help: "how to handle devices, FIFOs and sockets: 'read' or 'skip'"},
			{Short: 'r', Long: "recursive", Help: "like --directories=recurse"},
			{Short: 'R', Long: "dereference-recursive", Help: "likewise, but follow all symlinks"},
			{Long: "include", Arg: cmd.Required, Meta: "GLOB", Help: "search only files that match GLOB (a file pattern)"},
			{Long: "exclude", Arg: cmd.Required, Meta: "GLOB", Help: "skip files that match GLOB"},
			{Long: "exclude-from", Arg: cmd.Required, Meta: "FILE", Help: "skip files that match any file pattern from FILE"},
			{Long: "exclude-dir", Arg: cmd.Required, Meta: "GLOB", Help: "skip directories that match GLOB"},
			{Short: 'L', Long: "files-without-match", Help: "print only names of FILEs with no selected lines"},
			{Short: 'l', Long: "files-with-matches", Help: "print only names of FILEs with selected lines"},
			{Short: 'c', Long: "count", Help: "print only a count of selected lines per FILE"},
			{Short: 'T', Long: "initial-tab", Help: "make tabs line up (if needed)"},
			{Short: 'Z', Long: "null", Help: "print 0 byte after FILE name"},
			{Short: 'B', Long: "before-context", Arg: cmd.Required, Meta: "NUM", Help: "print NUM lines of leading context"},
			{Short: 'A', Long: "after-context", Arg: cmd.Required, Meta: "NUM", Help: "print NUM lines of trailing context"},
			{Short: 'C', Long: "context", Arg: cmd.Required, Meta: "NUM", Help: "print NUM lines of output context; -NUM is the same"},
			{Long: "group-separator", Arg: cmd.Required, Meta: "SEP", Help: "print SEP on line between matches with context"},
			{Long: "no-group-separator", Help: "do not print separator for matches with context"},
			{Short: 's', Long: "no-messages", Help: "suppress error messages"},
			{Long: "color", Arg: cmd.Optional, Meta: "WHEN", Help: "use markers to highlight the matching strings: 'always', 'never' or 'auto'"},
			{Long: "colour", Arg: cmd.Optional, Meta: "WHEN", Help: "the same as --color"},
			{Short: 'U', Long: "binary", Help: "do not strip CR characters at EOL (MSDOS/Windows)"},
			{Short: 'u', Long: "unix-byte-offsets", Help: "has no effect"},
		},
		Class:    cmd.Step,
		Obsolete: grepDigits,
		New:      func() cmd.Program { return &grepProgram{} },
	}
}

// grepDigits turns -NUM, also inside of a bundle, into -C NUM.
func grepDigits(_ *cmd.Ctx, args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) < 2 || a[0] != '-' || a[1] == '-' {
			out = append(out, a)
			if slices.Contains([]string{"--regexp", "--file", "--label", "--group-separator"}, a) && i+1 < len(args) {
				i++
				out = append(out, args[i])
			}
			continue
		}
		rest, digits, j := []byte{'-'}, []byte(nil), 1
		for ; j < len(a); j++ {
			if a[j] >= '0' && a[j] <= '9' {
				digits = append(digits, a[j])
				continue
			}
			rest = append(rest, a[j])
			if strings.IndexByte("efmABCdDX", a[j]) >= 0 {
				rest = append(rest, a[j+1:]...)
				break
			}
		}
		if len(digits) > 0 {
			out = append(out, "-C", string(digits))
		}
		if len(rest) > 1 {
			out = append(out, string(rest))
		}
		if j == len(a)-1 && i+1 < len(args) { // the argument of the option is the next word
			i++
			out = append(out, args[i])
		}
	}
	return out
}

// What is printed of a file besides lines.
const (
	grepLines  uint8 = iota
	grepCounts       // -c
	grepListed       // -l
	grepOthers       // -L
)

// Kinds of --binary-files.
const (
	grepBinary uint8 = iota
	grepText
	grepWithoutMatch
)

// grepOptions are the options in the form the search needs; a cache.
type grepOptions struct {
	syntax        regex.Syntax
	fold          bool
	words, whole  bool
	invert        bool
	eol           byte
	max           int64 // -1 is no limit
	before, after int   // -1 is none: then there are no separators either
	print         uint8
	quiet         bool // no lines are printed
	silent        bool // -q
	only          bool
	binary        uint8
	recurse       bool
	follow        bool
	skipDirs      bool
	skipDevices   bool
	noMessages    bool
	oldOffsets    bool // -u, of which only a warning is left
	style         grepStyle
}

// grepProgram searches its operands, file by file and, below directories, in
// byte order of the names.
type grepProgram struct {
	Started  bool         `cbor:"1,keyasint,omitempty"`
	Patterns grepPatterns `cbor:"2,keyasint,omitempty"`
	Operand  int          `cbor:"3,keyasint,omitempty"`
	Implied  bool         `cbor:"4,keyasint,omitempty"` // the operand is not on the command line
	Dirs     []walk.Dir   `cbor:"5,keyasint,omitempty"`
	Inodes   []vfs.Ino    `cbor:"6,keyasint,omitempty" holds:"as Dirs"` // against loops with -R
	File     grepFile     `cbor:"7,keyasint,omitempty"`
	Matched  bool         `cbor:"8,keyasint,omitempty"`
	Failed   bool         `cbor:"9,keyasint,omitempty"`
	Used     bool         `cbor:"10,keyasint,omitempty"` // a group was printed: the next is separated

	o     *grepOptions
	re    *regex.Regexp
	fresh int // bytes of File.Buf known to hold no end of a line
	spent int // steps of matching in this turn
	most  int // of them
}

// Wrong checks the operand, and the places in the file at hand.
func (p *grepProgram) Wrong(c *cmd.Ctx) string {
	f := &p.File
	most := len(f.Buf)
	if len(f.Parts) > 0 {
		most = 0
	}
	if !f.Open {
		return c.BeyondArgs(p.Operand)
	}
	for _, at := range []int{f.Pos, f.Until, f.Counted, max(f.Printed, 0)} {
		if s := cmd.Beyond("a place in a buffer", at, most); s != "" {
			return s
		}
	}
	switch {
	case f.Printed < -1 || f.FD < 0 || f.Pending < 0 || f.Width < 0 || f.Width > 1<<20:
		return "a number that cannot be"
	}
	return c.BeyondArgs(p.Operand)
}

// Wrong checks that all patterns are there.
func (p *grepPatterns) Wrong(*cmd.Ctx) string {
	n := bytes.Count(p.Keys, []byte("\n"))
	for _, o := range p.Origins {
		if n -= o.Lines; o.Lines < 0 || n < 0 {
			return "patterns are missing"
		}
	}
	return ""
}

// grepPatterns is what is searched for, gathered from options and files.
type grepPatterns struct {
	Keys    []byte     `cbor:"1,keyasint,omitempty"` // each ended by a newline
	Origins []grepKeys `cbor:"2,keyasint,omitempty"`
	Globs   []string   `cbor:"3,keyasint,omitempty"`               // of --exclude-from
	Flag    int        `cbor:"4,keyasint,omitempty" holds:"count"` // options looked at
	Source  cmd.Lines  `cbor:"6,keyasint,omitempty"`               // a file of them being read
	FD      int        `cbor:"7,keyasint,omitempty"`               // of it; -1 is none
}

// grepKeys says where patterns come from, for messages.
type grepKeys struct {
	Name  string `cbor:"1,keyasint,omitempty"`
	Lines int    `cbor:"2,keyasint,omitempty"`
}

func (p *grepProgram) Step(c *cmd.Ctx) cmd.Next {
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.o == nil {
		o, status := grepReadOptions(c, p.Started)
		if o == nil {
			return cmd.Exit(status)
		}
		p.o = o
	}
	if !p.Started {
		p.Started, p.Patterns.FD = true, -1
		if p.o.oldOffsets {
			c.Errorf("warning: --unix-byte-offsets (-u) is obsolete")
		}
		if !c.Flags.Has("e") && !c.Flags.Has("f") {
			if len(c.Args) == 0 {
				return cmd.Exit(grepHint(c))
			}
			p.addKeys(c, "", []byte(c.Args[0]))
		}
	}
	if p.Patterns.Flag < len(c.Flags) {
		if next, ok := p.gather(c); !ok {
			return next
		}
	}
	if (p.o.max == 0 || p.hopeless()) && p.o.print != grepOthers {
		return cmd.Exit(1)
	}
	if p.re == nil {
		if !p.compile(c) {
			return cmd.Exit(2)
		}
	}
	defer func() {
		c.Charge((p.spent + p.re.Work()) / 8)
		p.spent = 0
	}()
	if p.File.Open {
		return p.search(c)
	}
	return p.advance(c)
}

// hopeless reports that no line of any file can be selected, which GNU grep sees at once.
func (p *grepProgram) hopeless() bool {
	if len(p.Patterns.Keys) == 0 {
		return !p.o.invert
	}
	return p.o.invert && len(p.Patterns.Keys) == 1 && !p.o.words && !p.o.whole
}

func (p *grepProgram) addKeys(c *cmd.Ctx, name string, keys []byte) {
	p.Patterns.Keys = append(large.Push(p.Patterns.Keys, keys, c), '\n')
	p.Patterns.Origins = append(p.Patterns.Origins, grepKeys{name, bytes.Count(keys, []byte("\n")) + 1})
	c.Hold(len(p.Patterns.Keys))
}

// gather collects the patterns of -e and -f and the globs of --exclude-from.
func (p *grepProgram) gather(c *cmd.Ctx) (cmd.Next, bool) {
	for p.Patterns.Flag < len(c.Flags) {
		f := c.Flags[p.Patterns.Flag]
		if f.Name == "e" {
			p.addKeys(c, "", []byte(f.Value))
		}
		if f.Name != "f" && f.Name != "exclude-from" {
			p.Patterns.Flag++
			continue
		}
		if p.Patterns.FD < 0 {
			if f.Value == "-" {
				p.Patterns.FD = 0
			} else {
				fd, err := c.Open(f.Value, vfs.O_RDONLY, 0)
				if err != nil {
					c.Errorf("%s: %s", f.Value, err)
					return cmd.Exit(2), false
				}
				p.Patterns.FD = fd
			}
			p.Patterns.Source.Reset()
		}
		p.Patterns.Source.Kept = len(p.Patterns.Keys)
		switch err := p.Patterns.Source.Fill(c, p.Patterns.FD); err {
		case nil:
			p.Patterns.Source.Whole(0) // there is no end of it before the file's: much is set aside
			return cmd.Again(), false
		case cmd.ErrBlocked:
			return cmd.WaitRead(p.Patterns.FD), false
		case io.EOF:
		default:
			c.Errorf("%s: %s", f.Value, err)
			return cmd.Exit(2), false
		}
		text := p.Patterns.Source.Take()
		p.Patterns.Source = cmd.Lines{}
		if p.Patterns.FD > 0 {
			c.Close(p.Patterns.FD)
		}
		p.Patterns.FD = -1
		if f.Name == "f" {
			if len(text) > 0 {
				p.addKeys(c, f.Value, bytes.TrimSuffix(text, []byte("\n")))
			}
		} else {
			for _, g := range strings.Split(string(text), "\n") {
				if g = strings.TrimRight(g, " \t\r"); g != "" && g[0] != '#' {
					p.Patterns.Globs = append(p.Patterns.Globs, g)
				}
			}
		}
		p.Patterns.Flag++
	}
	return cmd.Next{}, true
}

// compile makes the matcher; the words of refused patterns go to standard error.
func (p *grepProgram) compile(c *cmd.Ctx) bool {
	lines, n := p.Patterns.Keys, 0
	if len(lines) > 0 {
		lines = lines[:len(lines)-1]
		n = bytes.Count(lines, []byte("\n")) + 1
	}
	o := regex.Options{
		Syntax: p.o.syntax, Fold: p.o.fold, Records: true, EOL: p.o.eol, Words: p.o.words, Whole: p.o.whole,
		NoSub: true, Steps: c.RegexSteps(), Bytes: c.Bytes(), Charge: c.Charge, Need: c.Need,
	}
	if o.Syntax == regex.Perl && n > 1 {
		c.Errorf("the -P option only supports a single pattern")
		return false
	}
	compile := func() (*regex.Regexp, error) { return regex.CompileLines(lines, o) }
	if n == 0 {
		compile = func() (*regex.Regexp, error) { return regex.CompileAll(nil, o) }
	}
	re, err := compile()
	if err == nil {
		p.re = re
		if p.Operand == 0 && !p.File.Open {
			for _, w := range re.Warnings() {
				c.Errorf("warning: %s", w)
			}
		}
		return true
	}
	if errors.Is(err, regex.ClassSyntax) || errors.Is(err, regex.TooBig) || n > 10000 {
		c.Errorf("%s", err)
		return false
	}
	keys := bytes.Split(lines, []byte("\n"))
	first := 0
	for _, origin := range p.Patterns.Origins {
		for i := range origin.Lines {
			_, err := regex.Compile(keys[first+i], o)
			var e *regex.Error
			if !errors.As(err, &e) {
				continue
			}
			if e.Code == regex.Unsupported {
				c.Unsupported("grep -P " + e.What)
			}
			if origin.Name == "" {
				c.Errorf("%s", e)
			} else {
				c.Errorf("%s:%d: %s", origin.Name, i+1, e)
			}
		}
		first += origin.Lines
	}
	return false
}

// grepReadOptions reads the flags; nil if they are wrong, with the status. begun says that it did before, in a run that was moved.
func grepReadOptions(c *cmd.Ctx, begun bool) (*grepOptions, int) {
	o := &grepOptions{eol: '\n', max: -1, before: -1, after: -1}
	matcher, context := "", -1
	switch c.Def.Name {
	case "egrep":
		matcher = "E"
	case "fgrep":
		matcher = "F"
	}
	for _, f := range c.Flags {
		var err error
		switch f.Name {
		case "E", "F", "G", "P":
			if matcher != "" && matcher != f.Name {
				c.Errorf("conflicting matchers specified")
				return nil, 2
			}
			matcher = f.Name
		case "i", "y":
			o.fold = true
		case "no-ignore-case":
			o.fold = false
		case "w":
			o.words = true
		case "x":
			o.whole = true
		case "v":
			o.invert = true
		case "z":
			o.eol = 0
		case "m":
			if o.max, err = grepNumber(f.Value); err != nil {
				c.Errorf("invalid max count")
				return nil, 2
			}
		case "A", "B", "C":
			n, err := grepNumber(f.Value)
			if err != nil || n < 0 {
				c.Errorf("%s: invalid context length argument", f.Value)
				return nil, 2
			}
			v := int(min(n, 1<<31))
			switch f.Name {
			case "A":
				o.after = v
			case "B":
				o.before = v
			default:
				context = v
			}
		default:
			if status := o.more(c, f); status != 0 {
				return nil, status
			}
		}
	}
	if o.after < 0 {
		o.after = context
	}
	if o.before < 0 {
		o.before = context
	}
	switch matcher {
	case "E":
		o.syntax = regex.GrepExtended
	case "F":
		o.syntax = regex.Literal
	case "P":
		o.syntax = regex.Perl
	}
	o.quiet = o.silent || o.print != grepLines
	o.style.finish(c, o, begun)
	return o, 0
}

// more reads the flags that say what is searched and how it is shown.
func (o *grepOptions) more(c *cmd.Ctx, f cmd.Flag) int {
	s := &o.style
	switch f.Name {
	case "s":
		o.noMessages = true
	case "u":
		o.oldOffsets = true
	case "q":
		o.silent = true
	case "o":
		o.only = true
	case "c":
		if o.print == grepLines {
			o.print = grepCounts
		}
	case "l":
		o.print = grepListed
	case "L":
		o.print = grepOthers
	case "a":
		o.binary = grepText
	case "I":
		o.binary = grepWithoutMatch
	case "binary-files":
		switch f.Value {
		case "binary":
			o.binary = grepBinary
		case "text":
			o.binary = grepText
		case "without-match":
			o.binary = grepWithoutMatch
		default:
			c.Errorf("unknown binary-files type")
			return 2
		}
	case "r":
		o.recurse, o.follow = true, false
	case "R":
		o.recurse, o.follow = true, true
	case "d":
		switch f.Value {
		case "read":
			o.recurse, o.skipDirs = false, false
		case "recurse":
			o.recurse, o.follow = true, false
		case "skip":
			o.recurse, o.skipDirs = false, true
		default:
			c.Errorf("invalid argument %s for %s", quote.Locale(c, f.Value), quote.Locale(c, "--directories"))
			c.Errout.WriteString(quote.Marks(c, "Valid arguments are:\n  - ‘read’\n  - ‘recurse’\n  - ‘skip’\n") + c.Def.Hint)
			return 1
		}
	case "D":
		switch f.Value {
		case "read", "skip":
			o.skipDevices = f.Value == "skip"
		default:
			c.Errorf("unknown devices method")
			return 2
		}
	case "color", "colour":
		switch f.Value {
		case "always", "yes", "force":
			s.color = true
		case "", "never", "no", "none", "auto", "tty", "if-tty":
			s.color = false
		default:
			return grepHint(c)
		}
	default:
		s.flag(f)
	}
	return 0
}

// grepNumber reads a count; a too large one is the largest, as with GNU.
func grepNumber(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil
	}
	if n < 0 {
		n = -1
	}
	return n, err
}

// skipped applies --include, --exclude and --exclude-dir to a name.
func (p *grepProgram) skipped(c *cmd.Ctx, name string, command, dir bool) bool {
	match := func(glob string) bool {
		if dir {
			glob = strings.TrimRight(glob, "/")
			name = strings.TrimRight(name, "/")
		}
		if fnmatch.Match(glob, name, fnmatch.In(c)) {
			return true
		}
		if command {
			for i := 0; i+1 < len(name); i++ {
				if name[i] == '/' && name[i+1] != '/' && fnmatch.Match(glob, name[i+1:], fnmatch.In(c)) {
					return true
				}
			}
		}
		return false
	}
	verdict, first := false, true
	from := 0
	for _, f := range c.Flags {
		switch {
		case dir && f.Name == "exclude-dir":
			if match(f.Value) {
				return true
			}
		case !dir && (f.Name == "include" || f.Name == "exclude"):
			if first {
				verdict, first = f.Name == "include", false
			}
			if match(f.Value) {
				verdict = f.Name == "exclude"
			}
		case !dir && f.Name == "exclude-from" && from == 0:
			from++
			first = false
			for _, g := range p.Patterns.Globs {
				if match(g) {
					verdict = true
				}
			}
		}
	}
	return verdict
}

// advance goes to the next file.
func (p *grepProgram) advance(c *cmd.Ctx) cmd.Next {
	for budget := c.Turn(walk.Turn); budget > 0; budget-- {
		if n := len(p.Dirs); n > 0 {
			d := &p.Dirs[n-1]
			if !d.Full {
				if err := d.Fill(c, &budget); err != nil {
					p.complain(c, d.Path, err)
				}
				continue
			}
			name, typ, ok := d.Next()
			if !ok {
				p.Dirs, p.Inodes = p.Dirs[:n-1], p.Inodes[:n-1]
				continue
			}
			full := name
			if d.Path != "." || !p.Implied {
				full = walk.Join(d.Path, name)
			}
			if p.visit(c, full, name, typ, false) {
				return cmd.Again()
			}
			continue
		}
		args := c.Args
		if len(p.Patterns.Origins) > 0 && !c.Flags.Has("e") && !c.Flags.Has("f") {
			args = args[min(1, len(args)):]
		}
		implied := len(args) == 0
		if implied {
			args = []string{"-"}
			if p.o.recurse {
				args = []string{"."}
			}
		}
		if p.Operand >= len(args) {
			return p.exit()
		}
		name := args[p.Operand]
		p.Operand++
		p.Implied = implied
		if name == "-" {
			p.begin(c, "(standard input)", 0)
			return cmd.Again()
		}
		if p.visit(c, name, name, 0, true) {
			return cmd.Again()
		}
	}
	return cmd.Again()
}

// visit takes a file or a directory; it is true when a file was opened.
func (p *grepProgram) visit(c *cmd.Ctx, full, name string, typ vfs.Mode, command bool) bool {
	if !command && typ == vfs.TypeLink && !p.o.follow {
		return false
	}
	st, err := c.Stat(full)
	if err != nil {
		p.complain(c, full, err)
		return false
	}
	dir := st.Mode.IsDir()
	if !(command && p.Implied) && p.skipped(c, name, command, dir) {
		return false
	}
	if dir {
		switch {
		case p.o.recurse:
			if slices.Contains(p.Inodes, st.Ino) {
				c.Flush()
				if !p.o.noMessages {
					c.Errorf("%s: warning: recursive directory loop", full)
				}
				return false
			}
			if len(p.Dirs) >= walk.MaxDepth {
				p.complain(c, full, vfs.ENAMETOOLONG)
				return false
			}
			p.Dirs = append(p.Dirs, walk.Dir{Path: full})
			p.Inodes = append(p.Inodes, st.Ino)
		case !p.o.skipDirs:
			p.complain(c, full, vfs.EISDIR)
		}
		return false
	}
	if !st.Mode.IsRegular() && (p.o.skipDevices || !command && !c.Flags.Has("D")) {
		return false
	}
	fd, err := c.Open(full, vfs.O_RDONLY, 0)
	if err != nil {
		p.complain(c, full, err)
		return false
	}
	p.begin(c, full, fd)
	return true
}

// complain reports a file that cannot be searched.
func (p *grepProgram) complain(c *cmd.Ctx, name string, err error) {
	p.Failed = true
	if !p.o.noMessages {
		c.Flush()
		c.Errorf("%s: %s", name, err)
	}
}

func (p *grepProgram) exit() cmd.Next {
	switch {
	case p.Failed && !(p.o.silent && p.Matched):
		return cmd.Exit(2)
	case p.Matched:
		return cmd.Exit(0)
	}
	return cmd.Exit(1)
}

// exceeded is what is said when a match needs too many steps.
func (p *grepProgram) exceeded(c *cmd.Ctx) {
	what := regex.ErrSteps.Error()
	if p.o.syntax == regex.Perl {
		what = "exceeded PCRE's backtracking limit"
	}
	p.Failed = true
	c.Flush()
	c.Errorf("%s", fmt.Sprintf("%s: %s", p.File.Name, what))
}

func grepHint(c *cmd.Ctx) int {
	c.Errout.WriteString(c.Def.Hint)
	return 2
}
