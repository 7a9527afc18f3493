// Package rg is ripgrep: it searches trees, leaving out what .gitignore, .ignore
// and .rgignore name, hidden files and binary ones. Files come in byte order, where ripgrep's threads have none.
package rg

import (
	"strconv"
	"strings"
	"unicode"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/regex"
)

// Command is rg.
func Command() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	v := func(short byte, long, meta, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: meta, Help: help}
	}
	later := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help, Missing: true}
	}
	return &cmd.Command{
		Name: "rg", Summary: "recursively search the current directory for lines matching a pattern", Origin: "ripgrep 13.0.0", Status: 2,
		Usage: "rg [OPTIONS] PATTERN [PATH ...]\nrg [OPTIONS] -e PATTERN ... [PATH ...]\nrg [OPTIONS] --files [PATH ...]\nrg --type-list",
		Options: []cmd.Option{
			v('e', "regexp", "PATTERN", "a pattern to search for"), v('f', "file", "FILE", "search for the patterns of a file"),
			o('i', "ignore-case", "search case insensitively"), o('s', "case-sensitive", "search case sensitively"),
			o('S', "smart-case", "ignore case where the pattern is all lower case"), o('F', "fixed-strings", "patterns are literal strings"),
			o('P', "pcre2", "patterns are those of Perl"), o('w', "word-regexp", "only matches between word boundaries"),
			o('x', "line-regexp", "only matches of whole lines"), o('v', "invert-match", "the lines that do not match"),
			o('n', "line-number", "show line numbers"), o('N', "no-line-number", "do not show line numbers"),
			o('c', "count", "the number of matching lines of each file"), o(0, "count-matches", "the number of matches of each file"),
			o('l', "files-with-matches", "the files that match"), o(0, "files-without-match", "the files that do not"),
			o('o', "only-matching", "only the parts of lines that match"), v('r', "replace", "TEXT", "show matches replaced by TEXT"),
			o('q', "quiet", "print nothing"), v('m', "max-count", "NUM", "at most so many lines of a file"),
			v('A', "after-context", "NUM", "lines after each match"), v('B', "before-context", "NUM", "lines before each match"),
			v('C', "context", "NUM", "lines around each match"), o(0, "passthru", "print every line"), o(0, "passthrough", "print every line"),
			v(0, "context-separator", "TEXT", "between groups of lines"), o(0, "no-context-separator", "none between groups of lines"),
			o('H', "with-filename", "show file names"), o('I', "no-filename", "show no file names"),
			o(0, "heading", "file names above their lines"), o(0, "no-heading", "file names before each line"),
			o('p', "pretty", "--heading and --line-number"), o(0, "column", "show columns"), o(0, "no-column", "do not show columns"),
			o('b', "byte-offset", "show byte offsets"), o(0, "vimgrep", "every match on a line of its own"), o('0', "null", "a NUL after file names"),
			o(0, "trim", "lines without leading blanks"), o('a', "text", "search binary files as text"), o(0, "binary", "search binary files"),
			v('g', "glob", "GLOB", "only files that match, or with ! those that do not"), v(0, "iglob", "GLOB", "the same, case insensitively"),
			v('t', "type", "TYPE", "only files of a type"), v('T', "type-not", "TYPE", "no files of a type"), o(0, "type-list", "list the types"),
			o(0, "files", "list the files that would be searched"), o('.', "hidden", "search hidden files"), o(0, "no-hidden", "do not search hidden files"),
			o(0, "no-ignore", "respect no ignore files"), o(0, "no-ignore-vcs", "respect no .gitignore"), o(0, "no-ignore-parent", "respect none of parent directories"),
			o(0, "no-ignore-dot", "respect no .ignore and .rgignore"), o(0, "no-require-git", "respect .gitignore outside of repositories"), o(0, "no-ignore-global", "has no effect"), o(0, "no-ignore-exclude", "has no effect"),
			o('u', "unrestricted", "less filtering: -u --no-ignore, -uu --hidden, -uuu --binary"), v(0, "ignore-file", "FILE", "more rules"),
			o('L', "follow", "follow symbolic links"), v('d', "max-depth", "NUM", "go down so far"), v(0, "maxdepth", "NUM", "go down so far"),
			v(0, "max-filesize", "NUM", "no larger files"), v(0, "sort", "KEY", "path or none"), v(0, "sortr", "KEY", "path, from the last"),
			v(0, "color", "WHEN", "never or auto"), v('j', "threads", "NUM", "has no effect"), o(0, "no-messages", "say nothing of files that cannot be read"),
			o(0, "no-config", "has no effect"), o(0, "line-buffered", "has no effect"), o(0, "block-buffered", "has no effect"), o(0, "mmap", "has no effect"), o(0, "no-mmap", "has no effect"),
			o(0, "one-file-system", "has no effect"), o(0, "no-unicode", "has no effect"), o('h', "help", "show this"), o('V', "version", "show the version"),
			later('U', "multiline", "matches over lines"), later(0, "json", "matches as JSON"), later('z', "search-zip", "search compressed files"),
			later(0, "stats", "statistics"), later(0, "crlf", "lines that end in CRLF"), later('E', "encoding", "text encoding"), later('M', "max-columns", "no longer lines"),
			later(0, "pre", "a command for each file"), later(0, "type-add", "a type"), later(0, "null-data", "lines that end in NUL"), later(0, "debug", "messages"),
		},
		Class: cmd.Step, New: func() cmd.Program { return &Program{} },
	}
}

// options are the flags in the form the search needs; a cache.
type options struct {
	pattern                            string
	syntax                             regex.Syntax
	fold, invert, only, quiet          bool
	replace                            *string
	numbers, columns, offsets, heading bool
	null, trim, text, passthru, each   bool
	names                              int8 // 1 shown, -1 not, 0 as needed
	show                               byte // 0 lines, 'c' counts, 'm' counts of matches, 'l' names, 'L' names of others, 'f' files
	max                                int64
	before, after, depth               int
	separator                          string
	separated                          bool
	hidden, binary, follow, last       bool
	noVCS, noDot, noParent, noGit      bool
	overrides                          []Rule
	only1                              bool // some override is a whitelist
	types, notTypes                    []string
	maxSize                            int64
	noMessages                         bool
	paths                              []string
}

// read makes the options; status is 0 where they are right.
func read(c *cmd.Ctx, files []string) (o *options, status int) {
	o = &options{syntax: regex.Perl, max: -1, separator: "--", separated: true, depth: -1, maxSize: -1}
	smart, words, whole := false, false, false
	var patterns []string
	level := 0
	fail := func(format string, args ...any) (*options, int) {
		c.Errorf(format, args...)
		return nil, 2
	}
	for _, f := range c.Flags {
		n, err := int64(0), error(nil)
		switch f.Name {
		case "m", "A", "B", "C", "d", "maxdepth":
			if n, err = strconv.ParseInt(f.Value, 10, 32); err != nil || n < 0 {
				return fail("error parsing flag %s: value is not a valid number: invalid digit found in string", f.Given)
			}
		}
		switch f.Name {
		case "e":
			patterns = append(patterns, f.Value)
		case "i":
			o.fold, smart = true, false
		case "s":
			o.fold, smart = false, false
		case "S":
			o.fold, smart = false, true
		case "F":
			o.syntax = regex.Literal
		case "w":
			words, whole = true, false
		case "x":
			whole, words = true, false
		case "m":
			o.max = n
		case "A":
			o.after = int(n)
		case "B":
			o.before = int(n)
		case "C":
			o.before, o.after = int(n), int(n)
		case "d", "maxdepth":
			o.depth = int(n)
		case "u":
			level++
		case "g", "iglob":
			r, ok := rule(f.Value)
			if !ok {
				continue
			}
			if f.Name == "iglob" {
				r.Glob = insensitive(r.Glob)
			}
			o.only1 = o.only1 || !r.Keep
			o.overrides = append(o.overrides, r)
		case "t", "T":
			globs, ok := typeGlobs(f.Value)
			if !ok {
				return fail("unrecognized file type: %s", f.Value)
			}
			if f.Name == "t" {
				o.types = append(o.types, globs...)
			} else {
				o.notTypes = append(o.notTypes, globs...)
			}
		case "max-filesize":
			if o.maxSize, err = fileSize(f.Value); err != nil {
				return fail("error parsing flag --max-filesize: invalid format for size '%s'", f.Value)
			}
		case "color":
			if f.Value == "always" || f.Value == "ansi" {
				return nil, c.NotYet("option --color=" + f.Value)
			}
		case "sort", "sortr":
			if f.Value != "path" && f.Value != "none" {
				return nil, c.NotYet("option --" + f.Name + "=" + f.Value)
			}
			o.last = f.Name == "sortr" && f.Value == "path"
		default:
			o.flag(f)
		}
	}
	o.noVCS, o.noDot, o.noParent = o.noVCS || level > 0, o.noDot || level > 0, o.noParent || level > 0
	o.hidden, o.binary = o.hidden || level > 1, o.binary || level > 2
	patterns = append(patterns, files...)
	o.paths = c.Args
	if len(patterns) == 0 && !c.Flags.Has("e") && !c.Flags.Has("f") && o.show != 'f' {
		if len(c.Args) == 0 {
			c.Errout.WriteString("error: The following required arguments were not provided:\n    <PATTERN>\n\nUSAGE:\n    \n    rg [OPTIONS] PATTERN [PATH ...]\n    rg [OPTIONS] -e PATTERN ... [PATH ...]\n    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]\n    rg [OPTIONS] --files [PATH ...]\n    rg [OPTIONS] --type-list\n    command | rg [OPTIONS] PATTERN\n\nFor more information try --help\n")
			return nil, 2
		}
		patterns, o.paths = c.Args[:1], c.Args[1:]
	}
	o.join(patterns, words, whole)
	if smart {
		o.fold = strings.IndexFunc(o.pattern, unicode.IsUpper) < 0
	}
	if c.Flags.Has("count-matches") || o.show == 'c' && o.only {
		o.show = 'm'
	}
	return o, 0
}

// flag reads the flags that are only switches.
func (o *options) flag(f cmd.Flag) {
	switch f.Name {
	case "v":
		o.invert = true
	case "n":
		o.numbers = true
	case "N":
		o.numbers = false
	case "c":
		o.show = 'c'
	case "l":
		o.show = 'l'
	case "files-without-match":
		o.show = 'L'
	case "files":
		o.show = 'f'
	case "o":
		o.only = true
	case "r":
		o.replace = &f.Value
	case "q":
		o.quiet = true
	case "passthru", "passthrough":
		o.passthru = true
	case "context-separator":
		o.separator, o.separated = f.Value, true
	case "no-context-separator":
		o.separated = false
	case "H":
		o.names = 1
	case "I":
		o.names = -1
	case "heading":
		o.heading = true
	case "no-heading":
		o.heading = false
	case "p":
		o.heading, o.numbers = true, true
	case "column":
		o.columns, o.numbers = true, true
	case "no-column":
		o.columns = false
	case "b":
		o.offsets = true
	case "vimgrep":
		o.each, o.columns, o.numbers = true, true, true
		o.names = 1
	case "0":
		o.null = true
	case "trim":
		o.trim = true
	case "a":
		o.text = true
	case "binary":
		o.binary = true
	case ".":
		o.hidden = true
	case "no-hidden":
		o.hidden = false
	case "no-ignore":
		o.noVCS, o.noDot, o.noParent = true, true, true
	case "no-ignore-vcs":
		o.noVCS = true
	case "no-ignore-dot":
		o.noDot = true
	case "no-ignore-parent":
		o.noParent = true
	case "no-require-git":
		o.noGit = true
	case "L":
		o.follow = true
	case "no-messages":
		o.noMessages = true
	}
}

// join makes one pattern of all.
func (o *options) join(patterns []string, words, whole bool) {
	if o.syntax == regex.Literal && len(patterns) == 1 && !words && !whole {
		o.pattern = patterns[0]
		return
	}
	parts := make([]string, len(patterns))
	for i, p := range patterns {
		if o.syntax == regex.Literal {
			p = literal(p)
		}
		if len(patterns) > 1 || words || whole {
			p = "(?:" + p + ")"
		}
		parts[i] = p
	}
	o.syntax = regex.Perl
	o.pattern = strings.Join(parts, "|")
	switch {
	case words:
		o.pattern = `(?<!\w)(?:` + o.pattern + `)(?!\w)`
	case whole:
		o.pattern = "^(?:" + o.pattern + ")$"
	}
}

// literal quotes a string for a pattern.
func literal(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$#&-~`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// insensitive makes a glob match letters of both cases.
func insensitive(glob string) string {
	var b strings.Builder
	for _, r := range glob {
		if unicode.IsLetter(r) {
			b.WriteString("[" + string(unicode.ToLower(r)) + string(unicode.ToUpper(r)) + "]")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func fileSize(s string) (int64, error) {
	unit := int64(1)
	switch {
	case strings.HasSuffix(s, "K"):
		unit = 1 << 10
	case strings.HasSuffix(s, "M"):
		unit = 1 << 20
	case strings.HasSuffix(s, "G"):
		unit = 1 << 30
	}
	n, err := strconv.ParseInt(strings.TrimRight(s, "KMG"), 10, 32)
	return n * unit, err
}

// refused names what Rust's regular expressions have not.
func refused(pattern string) string {
	for i := 0; i+1 < len(pattern); i++ {
		switch {
		case pattern[i] == '\\':
			if c := pattern[i+1]; c >= '1' && c <= '9' {
				return "backreferences are not supported"
			}
			i++
		case strings.HasPrefix(pattern[i:], "(?=") || strings.HasPrefix(pattern[i:], "(?!") ||
			strings.HasPrefix(pattern[i:], "(?<=") || strings.HasPrefix(pattern[i:], "(?<!"):
			return "look-around, including look-ahead and look-behind, is not supported"
		}
	}
	return ""
}

// Level is a directory being visited.
type Level struct {
	Dir   walk.Dir `cbor:"1,keyasint,omitempty"`
	Rules []Rule   `cbor:"2,keyasint,omitempty"` // of its ignore files, the weakest first
	Git   bool     `cbor:"3,keyasint,omitempty"` // in a repository
	Read  bool     `cbor:"4,keyasint,omitempty"` // Rules and Git are known
	Rel   string   `cbor:"5,keyasint,omitempty"` // its path below the root of the search
}
