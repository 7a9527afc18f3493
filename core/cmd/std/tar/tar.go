// Package tar is tar.
//
// Making and reading an archive are two engines over the same Program: create.go
// walks trees and writes members, extract.go reads blocks and makes files. Both
// handle one block of data, or some entries, in a turn. The gzip layer is
// plain data too (internal/gz).
package tar

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/clock"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/gz"
	"eryxsh/core/cmd/std/internal/owner"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/when"
	"eryxsh/core/regex"
	"eryxsh/core/zone"
	"eryxsh/vfs"
)

// Command is tar.
func Command() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	req := func(short byte, long, meta, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: meta, Help: help}
	}
	lacking := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help, Missing: true}
	}
	return &cmd.Command{
		Name: "tar", Acts: true, WriteError: "-: Cannot write: WHY\nNAME: Error is not recoverable: exiting now", WriteStatus: 2, Summary: "save many files together into a single archive, and restore individual files from it", Usage: "tar [OPTION...] [FILE]...", Origin: "GNU tar 1.34",
		Status: 2, Wrong: 64, Hint: "Try 'tar --help' or 'tar --usage' for more information.\n",
		Options: []cmd.Option{
			o('c', "create", "create a new archive"), o('t', "list", "list the contents of an archive"), o('x', "extract", "extract files from an archive"),
			o(0, "get", "extract files from an archive"), o('r', "append", "append files to the end of an archive"),
			o('u', "update", "only append files newer than copy in archive"), lacking('A', "catenate", "append tar files to an archive"),
			lacking('d', "diff", "find differences between archive and file system"), lacking(0, "delete", "delete from the archive"),
			req('f', "file", "ARCHIVE", "use archive file ARCHIVE"), o('v', "verbose", "verbosely list files processed"), o('z', "gzip", "filter the archive through gzip"),
			o(0, "gunzip", "filter the archive through gzip"), o('a', "auto-compress", "use archive suffix to determine the compression program"),
			lacking('j', "bzip2", "filter the archive through bzip2"), lacking('J', "xz", "filter the archive through xz"), lacking(0, "zstd", "filter the archive through zstd"),
			lacking('Z', "compress", "filter the archive through compress"), o('p', "preserve-permissions", "extract information about file permissions"),
			o(0, "same-permissions", "extract information about file permissions"), o('O', "to-stdout", "extract files to standard output"),
			o('k', "keep-old-files", "don't replace existing files when extracting, treat them as errors"), o(0, "skip-old-files", "don't replace existing files when extracting, silently skip over them"),
			o(0, "overwrite", "overwrite existing files when extracting"), o('m', "touch", "don't extract file modified time"),
			o('h', "dereference", "follow symlinks; archive and dump the files they point to"), o('P', "absolute-names", "don't strip leading '/'s from file names"),
			req(0, "exclude", "PATTERN", "exclude files, given as a PATTERN"), req('X', "exclude-from", "FILE", "exclude patterns listed in FILE"),
			o(0, "exclude-vcs", "exclude version control system directories"), req('T', "files-from", "FILE", "get names to extract or create from FILE"),
			req(0, "strip-components", "NUMBER", "strip NUMBER leading components from file names on extraction"),
			req(0, "transform", "EXPRESSION", "use sed replace EXPRESSION to transform file names"), req(0, "xform", "EXPRESSION", "the same as --transform"),
			o(0, "show-transformed-names", "show file or archive names after transformation"), o(0, "show-stored-names", "show file or archive names after transformation"),
			o(0, "no-recursion", "avoid descending automatically in directories"), o(0, "recursion", "recurse into directories (default)"),
			o(0, "wildcards", "use wildcards (default for exclusion)"), o(0, "no-wildcards", "verbatim string matching"),
			o(0, "no-anchored", "patterns match after any '/' (default for exclusion)"), lacking(0, "anchored", "patterns match file name start"), o(0, "null", "-T reads null-terminated names"),
			o(0, "verbatim-files-from", "-T reads file names verbatim"), o(0, "no-verbatim-files-from", "-T treats file names starting with dash as options (default)"),
			o(0, "unquote", "unquote input file or member names (default)"), o(0, "no-unquote", "do not unquote input file or member names"),
			o('o', "old-archive", "when creating, the same as --format=v7; when extracting, as --no-same-owner"), o(0, "posix", "same as --format=posix"),
			req(0, "owner", "NAME", "force NAME as owner for added files"), req(0, "group", "NAME", "force NAME as group for added files"),
			req(0, "mode", "CHANGES", "force (symbolic) mode CHANGES for added files"), req(0, "mtime", "DATE-OR-FILE", "set mtime for added files from DATE-OR-FILE"),
			o(0, "numeric-owner", "always use numbers for user/group names"), req(0, "sort", "ORDER", "directory sorting order: none (default), name or inode"),
			req('H', "format", "FORMAT", "create archive of the given format: gnu, oldgnu, pax, posix, ustar, v7"), o(0, "same-owner", "try extracting files with the same ownership"),
			o(0, "no-same-owner", "extract files as yourself"), o(0, "no-same-permissions", "apply the user's umask when extracting permissions"), o('S', "sparse", "handle sparse files efficiently"),
			o('w', "interactive", "ask for confirmation for every action"), o(0, "remove-files", "remove files after adding them to the archive"), o(0, "totals", "print total bytes"),
			{Long: "one-top-level", Arg: cmd.Optional, Meta: "DIR", Help: "create a subdirectory to avoid having loose files extracted"},
			req('b', "blocking-factor", "BLOCKS", "BLOCKS x 512 bytes per record"), req(0, "warning", "KEYWORD", "warning control"), o(0, "force-local", "archive file is local even if it has a colon"),
			o('i', "ignore-zeros", "ignore zeroed blocks in archive (means EOF)"), o(0, "keep-newer-files", "don't replace existing files that are newer than their archive copies"),
		},
		Obsolete: canonical, Class: cmd.Step, New: func() cmd.Program { return &Program{} },
	}
}

// withArgument are the short options that take one.
const withArgument = "fCTXbHgVLNFIK"

// canonical rewrites tar's own forms of options: those of TAR_OPTIONS come first, a
// first word without a dash is a bundle whose arguments follow in order, and -C
// counts where it stands.
func canonical(c *cmd.Ctx, args []string) []string {
	words, _ := defaults(c)
	out := spread(nil, words)
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		rest := args[1:]
		for _, l := range args[0] {
			if strings.ContainsRune(withArgument, l) && len(rest) > 0 {
				out, rest = take(out, byte(l), rest[0]), rest[1:]
			} else {
				out = append(out, "-"+string(l))
			}
		}
		args = rest
	}
	return spread(out, args)
}

// spread adds words with every short option on its own, and -C with its argument.
func spread(out, args []string) []string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return append(out, args[i:]...)
		case a == "--directory" && i+1 < len(args):
			i++
			out = append(out, chdir+args[i])
		case strings.HasPrefix(a, "--directory="):
			out = append(out, chdir+a[len("--directory="):])
		case a == "--add-file" && i+1 < len(args):
			i++
			out = append(out, markFile+args[i])
		case strings.HasPrefix(a, "--add-file="):
			out = append(out, markFile+a[len("--add-file="):])
		case len(a) > 1 && a[0] == '-' && a[1] != '-':
			for j := 1; j < len(a); j++ {
				if strings.IndexByte(withArgument, a[j]) < 0 {
					out = append(out, "-"+a[j:j+1])
					continue
				}
				if v := a[j+1:]; v != "" {
					out = take(out, a[j], v)
				} else if i+1 < len(args) {
					i++
					out = take(out, a[j], args[i])
				} else {
					out = append(out, "-"+a[j:j+1])
				}
				break
			}
		default:
			out = append(out, a)
		}
	}
	return out
}

func take(out []string, letter byte, value string) []string {
	if letter == 'C' {
		return append(out, chdir+value)
	}
	return append(out, "-"+string(letter), value)
}

// options are the flags, read.
type options struct {
	op                                                                   byte // c t x r u
	archive                                                              string
	verbose                                                              int
	gzip, preserve, stdout, keep, skip, overwrite, touch, follow         bool
	absolute, flat, wildcards, numeric, removeFiles, keepNewer, anywhere bool
	exclude                                                              []string
	excludeAfter                                                         []int // operands before each of exclude
	excludeLiteral                                                       []bool
	strip                                                                int
	user, group                                                          string
	uid, gid                                                             int
	mode                                                                 *perm.Change
	mtime                                                                int64 // -1: the file's
	format, topLevel                                                     string
	zone                                                                 *clock.Zone
	transform                                                            []transform
	shown                                                                bool // -v and -t show names after --transform
}

// Program is a running tar.
type Program struct {
	Begun   bool        `cbor:"1,keyasint,omitempty"`
	FD      int         `cbor:"2,keyasint,omitempty" holds:"count"` // of the archive
	Status  int         `cbor:"3,keyasint,omitempty"`
	Names   []string    `cbor:"4,keyasint,omitempty"` // operands, with those of -T, and marks
	Exclude []string    `cbor:"5,keyasint,omitempty"` // of -X
	Dir     string      `cbor:"6,keyasint,omitempty"` // of the last -C, "" is here
	Said    string      `cbor:"7,keyasint,omitempty"` // warnings that were given
	Create  creation    `cbor:"8,keyasint,omitempty"`
	Extract reading     `cbor:"9,keyasint,omitempty"`
	Writer  gz.Writer   `cbor:"10,keyasint,omitempty"`
	Reader  gz.Reader   `cbor:"11,keyasint,omitempty"`
	Owners  owner.Names `cbor:"12,keyasint,omitempty"`
	Lists   int         `cbor:"13,keyasint,omitempty" holds:"count"` // files of -T and -X that were read, in a state that is not Ordered
	List    cmd.Whole   `cbor:"14,keyasint,omitempty"`               // the one being read
	Ordered bool        `cbor:"15,keyasint,omitempty"`               // Names has the operands, and marks of the options between them

	o      *options
	places []operand // of Extract.Wanted
}

// Step takes one turn.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if p.o == nil {
		o, status := parse(c, p)
		if o == nil {
			return cmd.Exit(status)
		}
		p.o = o
	}
	if !p.Begun {
		if next, ok := p.lists(c); !ok {
			return next
		}
		p.Begun = true
		if !p.open(c) {
			return cmd.Exit(2)
		}
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	switch p.o.op {
	case 't', 'x':
		return p.extractTurn(c)
	}
	return p.createTurn(c)
}

// exit ends the program with its status.
func (p *Program) exit(c *cmd.Ctx) cmd.Next {
	if p.Status == 2 {
		c.Errorf("Exiting with failure status due to previous errors")
	}
	return cmd.Exit(p.Status)
}

func (p *Program) fail(c *cmd.Ctx, format string, args ...any) {
	c.Errorf(format, args...)
	p.Status = 2
}

func (p *Program) fatal(c *cmd.Ctx, format string, args ...any) {
	c.Errorf(format, args...)
	c.Errorf("Error is not recoverable: exiting now")
}

// warnOnce writes a message the first time.
func (p *Program) warnOnce(c *cmd.Ctx, key byte, format string, args ...any) {
	if strings.IndexByte(p.Said, key) < 0 {
		p.Said += string(key)
		c.Errorf(format, args...)
	}
}

// makes reports whether members are written to the archive, and not taken from it.
func (o *options) makes() bool { return o.op == 'c' || o.op == 'r' || o.op == 'u' }

// open opens the archive and collects the operands.
func (p *Program) open(c *cmd.Ctx) bool {
	o := p.o
	files := slices.ContainsFunc(p.Names, plain)
	flags := vfs.O_RDONLY
	switch o.op {
	case 'c':
		if !files && !c.Flags.Has("T") {
			c.UsageError("Cowardly refusing to create an empty archive")
			return false
		}
		flags = vfs.O_WRONLY | vfs.O_CREAT | vfs.O_TRUNC
	case 'r', 'u':
		flags = vfs.O_RDWR | vfs.O_CREAT
	}
	if o.archive == "-" {
		if o.op == 'c' {
			p.FD = 1
		}
		return true
	}
	fd, err := c.Open(o.archive, flags, 0o666)
	if err != nil {
		p.fatal(c, "%s: Cannot open: %s", escapeName(c, o.archive), err)
		return false
	}
	p.FD = fd
	return true
}

// excluded reports whether a member is left out.
func (p *Program) excluded(name string) bool {
	name = strings.TrimSuffix(name, "/")
	for i, list := range [][]string{p.o.exclude, p.Exclude} {
		for j, x := range list {
			if i == 0 && p.o.makes() && j < len(p.o.excludeAfter) && p.o.excludeAfter[j] >= p.Create.I {
				continue // it stands behind the operand at hand
			}
			x = strings.TrimSuffix(x, "/")
			literal := i == 0 && j < len(p.o.excludeLiteral) && p.o.excludeLiteral[j]
			for rest := name; ; {
				if rest == x || strings.HasPrefix(rest, x+"/") || !literal && fnmatch.Match(x, rest, fnmatch.LeadingDir) {
					return true
				}
				i := strings.IndexByte(rest, '/')
				if i < 0 {
					break
				}
				rest = rest[i+1:]
			}
		}
	}
	return false
}

// line is a member as tar -tv writes it.
func (p *Program) line(c *cmd.Ctx, h *header) string {
	user, group := h.User, h.Group
	if user == "" || p.o.numeric {
		user = strconv.Itoa(h.UID)
	}
	if group == "" || p.o.numeric {
		group = strconv.Itoa(h.GID)
	}
	size := strconv.FormatInt(h.Size, 10)
	mode := perm.String(h.vfsMode())
	if h.Type == typeLink {
		mode = "h" + mode[1:]
	}
	who := user + "/" + group
	p.Extract.Width = max(p.Extract.Width, 18, len(who)+len(size))
	s := fmt.Sprintf("%s %s %*s %s %s", mode, who, p.Extract.Width-len(who), size,
		clock.Strftime("%Y-%m-%d %H:%M", p.o.zone.Time(h.Mtime)), escapeName(c, h.Name))
	switch h.Type {
	case typeSymlink:
		s += " -> " + escapeName(c, h.Link)
	case typeLink:
		s += " link to " + escapeName(c, h.Link)
	}
	return s
}

// escapeName writes a name as tar lists it: with C escapes.
func escapeName(c *cmd.Ctx, s string) string {
	return strings.ReplaceAll(quote.Escape(c, s), `\ `, " ")
}

// safe takes what is dangerous off a member's name: a leading / and everything up to "..".
func (p *Program) safe(c *cmd.Ctx, name string, link bool) string {
	if p.o.absolute {
		return name
	}
	cut := 0
	for i := 0; i+2 <= len(name); i++ {
		if name[i:i+2] == ".." && (i == 0 || name[i-1] == '/') && (i+2 == len(name) || name[i+2] == '/') {
			cut = min(i+3, len(name))
		}
	}
	for cut < len(name) && name[cut] == '/' {
		cut++
	}
	if cut == 0 {
		return name
	}
	what, key := "member names", byte('m')
	if link {
		what, key = "hard link targets", 'l'
	}
	p.warnOnce(c, key, "Removing leading `%s' from %s", name[:cut], what)
	if name = name[cut:]; name == "" {
		return "."
	}
	return name
}

// parse reads the flags; nil after an error.
func parse(c *cmd.Ctx, p *Program) (*options, int) {
	o := &options{archive: "-", mtime: -1, uid: -1, gid: -1, format: "gnu", zone: clock.Local(c)}
	if t, _ := c.Getenv("TAPE"); t != "" {
		o.archive = t
	}
	if status, wrong := wrongDefaults(c); wrong {
		return nil, status
	}
	auto, literal := false, false
	for _, f := range c.Flags {
		switch f.Name {
		case "c", "t", "x", "r", "u", "get":
			op := f.Name[0]
			if f.Name == "get" {
				op = 'x'
			}
			if o.op != 0 && o.op != op {
				return nil, c.UsageError("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
			}
			o.op = op
		case "f":
			o.archive = f.Value
		case "v":
			o.verbose++
		case "z", "gunzip":
			o.gzip = true
		case "a":
			auto = true
		case "p", "same-permissions":
			o.preserve = true
		case "no-same-permissions":
			o.preserve = false
		case "O":
			o.stdout = true
		case "k":
			o.keep = true
		case "no-anchored":
			o.anywhere = true
		case "skip-old-files":
			o.skip = true
		case "overwrite":
			o.overwrite = true
		case "keep-newer-files":
			o.keepNewer = true
		case "m":
			o.touch = true
		case "h":
			o.follow = true
		case "P":
			o.absolute = true
		case "exclude":
			o.exclude = append(o.exclude, f.Value)
			o.excludeAfter = append(o.excludeAfter, f.After)
			o.excludeLiteral = append(o.excludeLiteral, literal)
		case "exclude-vcs":
			o.exclude = append(o.exclude, strings.Fields(".git .gitignore .gitmodules .gitattributes .svn CVS .hg .hgignore .bzr RCS SCCS _darcs")...)
		case "transform", "xform":
			list, message := parseTransform(f.Value, regex.Options{Steps: c.RegexSteps(), Charge: c.Charge, Need: c.Need})
			if message != "" {
				return nil, c.UsageError("%s", message)
			}
			o.transform = append(o.transform, list...)
		case "show-transformed-names", "show-stored-names":
			o.shown = true
		case "no-recursion":
			o.flat = true
		case "recursion":
			o.flat = false
		case "wildcards":
			o.wildcards, literal = true, false
		case "no-wildcards":
			o.wildcards, literal = false, true
		case "X":
			if literal {
				return nil, c.NotYet("option " + f.Given + " after --no-wildcards")
			}
		case "o":
			if o.makes() {
				o.format = "v7"
			}
		case "posix":
			o.format = "posix"
		case "numeric-owner":
			o.numeric = true
		case "remove-files":
			o.removeFiles = true
		case "w", "totals", "i":
			return nil, c.NotYet("option " + f.Given)
		case "one-top-level":
			if o.topLevel = f.Value; !f.Has {
				o.topLevel = "\x00"
			}
		case "H":
			switch f.Value {
			case "gnu", "oldgnu":
				o.format = "gnu"
			case "pax", "posix", "ustar", "v7":
				o.format = f.Value
			default:
				return nil, c.UsageError("%s: Invalid archive format", f.Value)
			}
		default:
			if !o.value(c, p, f) {
				return nil, 2
			}
		}
	}
	if status := o.settle(c, auto); status != 0 {
		return nil, status
	}
	return o, 0
}

// settle completes the options with what follows from them together; a status that is not 0 is that of an error.
func (o *options) settle(c *cmd.Ctx, auto bool) (status int) {
	if o.op == 0 {
		return c.UsageError("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
	}
	if auto && o.op == 'c' {
		switch ext := path.Ext(o.archive); ext {
		case ".gz", ".tgz", ".taz":
			o.gzip = true
		case ".bz2", ".xz", ".zst", ".tbz2", ".txz", ".lzma", ".Z":
			return c.NotYet("compression for " + ext)
		}
	}
	if o.topLevel == "\x00" {
		base := path.Base(o.archive)
		for _, ext := range []string{".gz", ".tgz", ".tar"} {
			base = strings.TrimSuffix(base, ext)
		}
		o.topLevel = base
	}
	if o.gzip && (o.op == 'r' || o.op == 'u') {
		return c.UsageError("Cannot update compressed archives")
	}
	return 0
}

// warnings are the words of --warning, with or without "no-". None of what they
// are about is said here, so there is nothing to turn off.
const warnings = "all,alone-zero-block,bad-dumpdir,cachedir,contiguous-cast,file-changed,file-ignored,file-removed,file-shrank," +
	"file-unchanged,filename-with-nuls,ignore-archive,ignore-newer,new-directory,rename-directory,symlink-cast,timestamp,unknown-cast," +
	"unknown-keyword,xdev,decompress-program,existing-file,xattr-write,record-size,failed-read"

// value reads the flags whose argument needs reading.
func (o *options) value(c *cmd.Ctx, p *Program, f cmd.Flag) bool {
	switch f.Name {
	case "strip-components":
		n, err := strconv.Atoi(f.Value)
		if err != nil || n < 0 {
			c.UsageError("%s: Invalid number of elements", f.Value)
			return false
		}
		o.strip = n
	case "owner", "group":
		name, num, _ := strings.Cut(f.Value, ":")
		id, ok := p.Owners.UserID(c, name)
		if f.Name == "group" {
			id, ok = p.Owners.GroupID(c, name)
		}
		if n, err := strconv.Atoi(num); err == nil {
			id, ok = uint32(n), true
		}
		if !ok {
			c.Errorf("%s: Invalid %s", f.Value, f.Name)
			return false
		}
		if _, err := strconv.Atoi(name); err == nil {
			name = ""
		}
		if f.Name == "owner" {
			o.user, o.uid = name, int(id)
		} else {
			o.group, o.gid = name, int(id)
		}
	case "mode":
		ch, err := perm.Parse(f.Value)
		if err != nil {
			c.Errorf("Invalid mode given on option")
			return false
		}
		o.mode = &ch
	case "warning":
		if f.Value == "none" {
			break
		}
		if _, wrong := choice.Look(c, "--warning", strings.TrimPrefix(f.Value, "no-"), warnings); wrong != "" {
			c.Errorf("%s", wrong)
			return false
		}
	case "mtime":
		t, err := when.Parse(f.Value, o.zone.Time(c.Now()), zone.Named)
		if err == nil {
			o.mtime = t.UnixNano()
			break
		}
		st, serr := c.Stat(f.Value)
		if serr != nil {
			c.Errorf("Substituting %s for unknown date format %s", clock.Strftime("%Y-%m-%d %H:%M:%S", o.zone.Time(c.Now())), quote.Locale(c, f.Value))
			o.mtime = c.Now()
			break
		}
		o.mtime = st.Mtime
	}
	return true
}
