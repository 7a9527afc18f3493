package ls

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/size"
)

func table() []cmd.Option {
	o := func(short byte, long string, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	req := func(short byte, long, meta, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: meta, Help: help}
	}
	opt := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Optional, Meta: "WHEN", Help: help}
	}
	missing := func(m cmd.Option) cmd.Option { m.Missing = true; return m }
	return []cmd.Option{
		o('a', "all", "do not ignore entries starting with ."),
		o('A', "almost-all", "do not list implied . and .."),
		o(0, "author", "with -l, print the author of each file"),
		o('b', "escape", "print C-style escapes for nongraphic characters"),
		req(0, "block-size", "SIZE", "with -l, scale sizes by SIZE when printing them"),
		o('B', "ignore-backups", "do not list implied entries ending with ~"),
		o('c', "", "with -lt: sort by, and show, ctime"),
		o('C', "", "list entries by columns"),
		opt(0, "color", "color the output WHEN"),
		o('d', "directory", "list directories themselves, not their contents"),
		missing(o('D', "dired", "generate output designed for Emacs' dired mode")),
		o('f', "", "list all entries in directory order"),
		{Short: 'F', Help: "append indicator (one of */=>@|) to entries"},
		opt(0, "classify", "append indicator (one of */=>@|) to entries WHEN"),
		o(0, "file-type", "likewise, except do not append '*'"),
		req(0, "format", "WORD", "across -x, commas -m, horizontal -x, long -l, single-column -1, verbose -l, vertical -C"),
		o(0, "full-time", "like -l --time-style=full-iso"),
		o('g', "", "like -l, but do not list owner"),
		o(0, "group-directories-first", "group directories before files"),
		o('G', "no-group", "in a long listing, don't print group names"),
		o('h', "human-readable", "with -l and -s, print sizes like 1K 234M 2G etc."),
		o(0, "si", "likewise, but use powers of 1000 not 1024"),
		o('H', "dereference-command-line", "follow symbolic links listed on the command line"),
		o(0, "dereference-command-line-symlink-to-dir", "follow each command line symbolic link that points to a directory"),
		req(0, "hide", "PATTERN", "do not list implied entries matching shell PATTERN"),
		missing(opt(0, "hyperlink", "hyperlink file names WHEN")),
		req(0, "indicator-style", "WORD", "append indicator with style WORD to entry names: none, slash (-p), file-type, classify (-F)"),
		o('i', "inode", "print the index number of each file"),
		req('I', "ignore", "PATTERN", "do not list implied entries matching shell PATTERN"),
		o('k', "kibibytes", "default to 1024-byte blocks for disk usage"),
		o('l', "", "use a long listing format"),
		o('L', "dereference", "when showing file information for a symbolic link, show information for the file it references"),
		o('m', "", "fill width with a comma separated list of entries"),
		o('n', "numeric-uid-gid", "like -l, but list numeric user and group IDs"),
		o('N', "literal", "print entry names without quoting"),
		o('o', "", "like -l, but do not list group information"),
		o('p', "", "append / indicator to directories"),
		o('q', "hide-control-chars", "print ? instead of nongraphic characters"),
		o(0, "show-control-chars", "show nongraphic characters as-is"),
		o('Q', "quote-name", "enclose entry names in double quotes"),
		req(0, "quoting-style", "WORD", "use quoting style WORD for entry names: literal, locale, shell, shell-always, shell-escape, shell-escape-always, c, escape"),
		o('r', "reverse", "reverse order while sorting"),
		o('R', "recursive", "list subdirectories recursively"),
		o('s', "size", "print the allocated size of each file, in blocks"),
		o('S', "", "sort by file size, largest first"),
		req(0, "sort", "WORD", "sort by WORD instead of name: none (-U), size (-S), time (-t), version (-v), extension (-X), width"),
		req(0, "time", "WORD", "change the default of using modification times: access time (-u): atime, access, use; change time (-c): ctime, status; birth time: birth, creation"),
		req(0, "time-style", "TIME_STYLE", "time/date format with -l"),
		o('t', "", "sort by time, newest first"),
		req('T', "tabsize", "COLS", "assume tab stops at each COLS instead of 8"),
		o('u', "", "with -lt: sort by, and show, access time"),
		o('U', "", "do not sort; list entries in directory order"),
		o('v', "", "natural sort of (version) numbers within text"),
		req('w', "width", "COLS", "set output width to COLS. 0 means no limit"),
		o('x', "", "list entries by lines instead of by columns"),
		o('X', "", "sort alphabetically by entry extension"),
		o('Z', "context", "print any security context of each file"),
		o(0, "zero", "end each output line with NUL, not newline"),
		o('1', "", "list one file per line"),
	}
}

// What -H, -L and their like make of links.
const (
	derefUnset = iota
	derefNever
	derefCommand
	derefCommandDir
	derefAlways
)

// options are the flags of one run, read.
type options struct {
	charset                                               quote.Charset
	all, almost, directory, recursive, reverse, groupDirs bool
	inode, blocks, context, author                        bool
	noOwner, noGroup, numeric                             bool
	format                                                byte // l 1 C x m
	sort                                                  byte // n t S X v U w
	time                                                  byte // m a c b
	indicator                                             byte // 0 p(slash) t(file-type) F
	deref                                                 int
	quoting                                               string
	hideControl                                           bool
	hide, ignore                                          []string
	block, fileBlock                                      size.Block
	style                                                 [2]string // recent, old
	width, tab                                            int
	eol                                                   byte
	colors                                                *palette
	complaints                                            []string // about LS_COLORS
	zone                                                  *clock.Zone
	now                                                   int64
}

func (o *options) long() bool { return o.format == 'l' }

// needStat reports whether more than names and types is shown or sorted by.
func (o *options) needStat() bool {
	return o.long() || o.blocks || o.inode || o.sort == 't' || o.sort == 'S' || o.indicator == 'F' || o.indicator == 't' ||
		o.colors != nil || o.groupDirs || o.context || o.deref == derefAlways && (o.recursive || o.indicator != 0)
}

func (o *options) needLink() bool {
	return o.long() || o.colors != nil || o.groupDirs || o.deref == derefCommandDir
}

func match(patterns []string, name string, f fnmatch.Flags) bool {
	for _, p := range patterns {
		if fnmatch.Match(p, name, fnmatch.Period|f) {
			return true
		}
	}
	return false
}

// parse reads the flags; on an error it has written the message and gives nil.
func parse(c *cmd.Ctx) (*options, int) {
	o := &options{charset: c, time: 'm', eol: '\n', width: 80, tab: 8, block: size.Block{Unit: 1024}, fileBlock: size.Block{Unit: 1}, now: c.Now()}
	if b, given := size.FromEnvironment(c.Getenv, "LS_BLOCK_SIZE"); given {
		o.block, o.fileBlock = b, b
	} else {
		o.block = b
	}
	if w, ok := c.Getenv("COLUMNS"); ok {
		if n, err := strconv.Atoi(w); err == nil && n > 0 {
			o.width = n
		}
	}
	o.quoting = "literal"
	if c.Def.Name == "dir" {
		o.format, o.quoting = 'C', "escape"
	}
	style, zero := "", false
	if s, ok := c.Getenv("TIME_STYLE"); ok {
		style = s
	}
	for _, f := range c.Flags {
		if status := o.flag(c, f, &style, &zero); status != 0 {
			return nil, status
		}
	}
	if o.format == 0 {
		o.format = '1'
	}
	if o.sort == 0 {
		o.sort = 'n'
		if !o.long() && o.time != 'm' {
			o.sort = 't'
		}
	}
	if o.deref == derefUnset {
		o.deref = derefCommandDir
		if o.directory || o.indicator == 'F' || o.long() {
			o.deref = derefNever
		}
	}
	if zero && o.format != 'l' {
		o.format = '1'
	}
	o.zone = clock.Local(c)
	if !o.long() {
		return o, 0
	}
	if status := o.timeStyle(c, style); status != 0 {
		return nil, status
	}
	return o, 0
}

// letters are the flags that only set something.
func (o *options) letter(name byte) bool {
	switch name {
	case 'a':
		o.all = true
	case 'A':
		o.all, o.almost = false, true
	case 'b':
		o.quoting = "escape"
	case 'B':
		o.ignore = append(o.ignore, "*~", ".*~")
	case 'c':
		o.time = 'c'
	case 'd':
		o.directory = true
	case 'f':
		o.all, o.sort, o.colors, o.blocks = true, 'U', nil, false
		if o.format == 'l' {
			o.format = 0
		}
	case 'F':
		o.indicator = 'F'
	case 'g':
		o.format, o.noOwner = 'l', true
	case 'G':
		o.noGroup = true
	case 'h':
		o.block = size.Block{Unit: 1, Human: 1024}
		o.fileBlock = o.block
	case 'H':
		o.deref = derefCommand
	case 'i':
		o.inode = true
	case 'k':
		o.block = size.Block{Unit: 1024}
	case 'L':
		o.deref = derefAlways
	case 'l', 'C', 'x', 'm':
		o.format = name
	case '1':
		if o.format != 'l' {
			o.format = '1'
		}
	case 'n':
		o.format, o.numeric = 'l', true
	case 'N':
		o.quoting = "literal"
	case 'o':
		o.format, o.noGroup = 'l', true
	case 'p':
		o.indicator = 'p'
	case 'q':
		o.hideControl = true
	case 'Q':
		o.quoting = "c"
	case 'r':
		o.reverse = true
	case 'R':
		o.recursive = true
	case 's':
		o.blocks = true
	case 'S', 't', 'U', 'v', 'X':
		o.sort = name
	case 'u':
		o.time = 'a'
	case 'Z':
		o.context = true
	default:
		return false
	}
	return true
}

// flag reads one flag; it gives the exit status of an error, else 0.
func (o *options) flag(c *cmd.Ctx, f cmd.Flag, style *string, zero *bool) int {
	if len(f.Name) == 1 && o.letter(f.Name[0]) {
		return 0
	}
	switch f.Name {
	case "author":
		o.author = true
	case "full-time":
		o.format, *style = 'l', "full-iso"
	case "si":
		o.block = size.Block{Unit: 1, Human: 1000}
		o.fileBlock = o.block
	case "group-directories-first":
		o.groupDirs = true
	case "dereference-command-line-symlink-to-dir":
		o.deref = derefCommandDir
	case "file-type":
		o.indicator = 't'
	case "show-control-chars":
		o.hideControl = false
	case "hide":
		o.hide = append(o.hide, f.Value)
	case "I":
		o.ignore = append(o.ignore, f.Value)
	case "time-style":
		*style = f.Value
	case "zero":
		*zero, o.eol, o.quoting, o.hideControl, o.colors = true, 0, "literal", false, nil
	case "block-size":
		b, err := size.ParseBlock(f.Value)
		if err != nil {
			c.Errorf("invalid --block-size argument %s", quote.Shell(c, f.Value))
			return 2
		}
		o.block, o.fileBlock = b, b
	case "w", "T":
		n, err := strconv.ParseInt(f.Value, 0, 32)
		if errors.Is(err, strconv.ErrRange) && f.Value[0] != '-' { // as good as no limit
			n, err = 0, nil
		}
		if err != nil || n < 0 {
			what := "line width"
			if f.Name == "T" {
				what = "tab size"
			}
			c.Errorf("invalid %s: %s", what, quote.Locale(c, f.Value))
			return 2
		}
		if f.Name == "w" {
			o.width = int(n)
		} else {
			o.tab = int(n)
		}
	default:
		return o.word(c, f)
	}
	return 0
}

// word reads the flags whose argument is one of a list.
func (o *options) word(c *cmd.Ctx, f cmd.Flag) int {
	when := func() (bool, bool) {
		if !f.Has {
			return true, true
		}
		i, ok := choice.Find(c, "--"+f.Name, f.Value, "always yes force,never no none,auto tty if-tty")
		return i == 0, ok
	}
	pick := func(list, values string) (byte, bool) {
		i, ok := choice.Find(c, "--"+f.Name, f.Value, list)
		if !ok {
			return 0, false
		}
		return values[i], true
	}
	ok, on := false, false
	switch f.Name {
	case "color":
		if on, ok = when(); ok {
			o.colors = nil
			if on && colorTerm(c) {
				o.colors, o.complaints = newPalette(c)
			}
		}
	case "classify":
		if on, ok = when(); on {
			o.indicator = 'F'
		}
	case "format":
		o.format, ok = pick("verbose long,commas,horizontal across,vertical,single-column", "lmxC1")
	case "sort":
		o.sort, ok = pick("none,time,size,extension,version,width", "UtSXvw")
	case "time":
		o.time, ok = pick("atime access use,ctime status,birth creation", "acb")
	case "indicator-style":
		o.indicator, ok = pick("none,slash,file-type,classify", "\x00ptF")
	case "quoting-style":
		const styles = "literal,shell,shell-always,shell-escape,shell-escape-always,c,c-maybe,escape,locale,clocale"
		var i int
		if i, ok = choice.Find(c, "--quoting-style", f.Value, styles); ok {
			o.quoting = strings.Split(styles, ",")[i]
		}
	}
	if !ok {
		return 1
	}
	return 0
}

func (o *options) timeStyle(c *cmd.Ctx, s string) int {
	s = strings.TrimPrefix(s, "posix-")
	switch {
	case strings.HasPrefix(s, "+"):
		old, recent, two := strings.Cut(s[1:], "\n")
		if !two {
			recent = old
		}
		o.style = [2]string{recent, old}
	case s == "" || strings.HasPrefix("locale", s):
		o.style = [2]string{"%b %e %H:%M", "%b %e  %Y"}
	case strings.HasPrefix("full-iso", s):
		o.style = [2]string{"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M:%S.%N %z"}
	case len(s) > 1 && strings.HasPrefix("long-iso", s):
		o.style = [2]string{"%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M"}
	case strings.HasPrefix("iso", s):
		o.style = [2]string{"%m-%d %H:%M", "%Y-%m-%d "}
	default:
		c.Errorf("invalid argument %s for %s", quote.Locale(c, s), quote.Locale(c, "time style"))
		c.Errout.WriteString("Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n" +
			"  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n")
		fmt.Fprintf(&c.Errout, "Try '%s --help' for more information.\n", c.Name)
		return 2
	}
	return 0
}
