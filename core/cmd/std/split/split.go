// Package split is the utility split, which cuts a file into others.
//
// The input is a stream of pieces (lines or bytes); a plan says which output a
// piece belongs to. Only the chunks of -n need the size of the input, so that it
// must be a file.
package split

import (
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
)

// Command is split.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "split", Acts: true, Summary: "output pieces of FILE to PREFIXaa, PREFIXab, ...",
		Usage: "split [OPTION]... [FILE [PREFIX]]",
		Options: []cmd.Option{
			{Short: 'a', Long: "suffix-length", Arg: cmd.Required, Meta: "N", Help: "generate suffixes of length N (default 2)"},
			{Long: "additional-suffix", Arg: cmd.Required, Meta: "SUFFIX", Help: "append an additional SUFFIX to file names"},
			{Short: 'b', Long: "bytes", Arg: cmd.Required, Meta: "SIZE", Help: "put SIZE bytes per output file"},
			{Short: 'C', Long: "line-bytes", Arg: cmd.Required, Meta: "SIZE", Help: "put at most SIZE bytes of records per output file"},
			{Short: 'd', Help: "use numeric suffixes starting at 0, not alphabetic"},
			{Long: "numeric-suffixes", Arg: cmd.Optional, Meta: "FROM", Help: "same as -d, but allow setting the start value"},
			{Short: 'x', Help: "use hex suffixes starting at 0, not alphabetic"},
			{Long: "hex-suffixes", Arg: cmd.Optional, Meta: "FROM", Help: "same as -x, but allow setting the start value"},
			{Short: 'e', Long: "elide-empty-files", Help: "do not generate empty output files with '-n'"},
			{Long: "filter", Arg: cmd.Required, Meta: "COMMAND", Help: "write to shell COMMAND; file name is $FILE", Missing: true},
			{Short: 'l', Long: "lines", Arg: cmd.Required, Meta: "NUMBER", Help: "put NUMBER lines/records per output file"},
			{Short: 'n', Long: "number", Arg: cmd.Required, Meta: "CHUNKS", Help: "generate CHUNKS output files: N, K/N, l/N, l/K/N, r/N, r/K/N"},
			{Short: 't', Long: "separator", Arg: cmd.Required, Meta: "SEP", Help: "use SEP instead of newline as the record separator; '\\0' specifies the NUL character"},
			{Short: 'u', Long: "unbuffered", Help: "immediately copy input to output with '-n r/...'"},
			{Long: "verbose", Help: "print a diagnostic just before each output file is opened"},
		},
		Class:    cmd.Step,
		Obsolete: obsolete,
		New:      func() cmd.Program { return &program{} },
	}
}

// obsolete reads -5 as -l 5.
func obsolete(_ *cmd.Ctx, args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "0123456789") == "" && (i == 0 || !strings.Contains(" -a -b -C -l -n -t ", " "+args[i-1]+" ")) {
			a = "-l" + a[1:]
		}
		out = append(out, a)
	}
	return out
}

// The ways to split.
const (
	byLines     = 'l'
	byBytes     = 'b'
	byLineBytes = 'C'
	byChunks    = 'n' // N and K/N
	byRecords   = 'r' // l/N and l/K/N
	roundRobin  = 'o' // r/N and r/K/N
)

type options struct {
	kind            byte
	size            int64 // lines or bytes a file, or chunks
	only            int64 // the one chunk to print, 0 for all
	sep             byte
	suffix          int  // letters, 0 for automatic
	auto            bool // names grow when they are used up
	alphabet        string
	start           uint64
	extra           string
	elide, verbose  bool
	name, prefix    string
	startText       string
	hasStart, sized bool
}

func (p *program) options(c *cmd.Ctx) (status int) {
	o := &options{kind: byLines, size: 1000, sep: '\n', auto: true, alphabet: "abcdefghijklmnopqrstuvwxyz", name: "-", prefix: "x"}
	kinds, sepSet := 0, false
	for _, f := range c.Flags {
		ok := true
		switch f.Name {
		case "l":
			o.kind = byLines
			o.size, ok = number(c, "invalid number of lines", f.Value, "")
		case "b":
			o.kind = byBytes
			o.size, ok = number(c, "invalid number of bytes", f.Value, "bEGKkMmPTYZ")
		case "C":
			o.kind = byLineBytes
			o.size, ok = number(c, "invalid number of bytes", f.Value, "bEGKkMmPTYZ")
		case "n":
			ok = o.chunks(c, f.Value)
		case "a":
			n, err := strconv.Atoi(f.Value)
			if err != nil || n < 0 || n > 1000 {
				c.Errorf("invalid suffix length: %s", quote.Locale(c, f.Value))
				return 1
			}
			o.suffix = n
			o.sized = true
		case "additional-suffix":
			if strings.Contains(f.Value, "/") {
				return c.UsageError("invalid suffix %s, contains directory separator", quote.Locale(c, f.Value))
			}
			o.extra = f.Value
		case "d", "numeric-suffixes", "x", "hex-suffixes":
			o.alphabet = "0123456789"
			if f.Name == "x" || f.Name == "hex-suffixes" {
				o.alphabet = "0123456789abcdef"
			}
			if f.Has {
				n, err := strconv.ParseUint(f.Value, len(o.alphabet), 62)
				if err != nil {
					what := "numerical"
					if len(o.alphabet) == 16 {
						what = "hexadecimal"
					}
					return c.UsageError("%s: invalid start value for %s suffix", quote.Locale(c, f.Value), what)
				}
				o.start, o.startText, o.hasStart = n, f.Value, true
			}
		case "e":
			o.elide = true
		case "verbose":
			o.verbose = true
		case "t":
			sep := byte(0)
			switch {
			case f.Value == "":
				c.Errorf("empty record separator")
				return 1
			case f.Value == `\0`:
			case len(f.Value) > 1:
				c.Errorf("multi-character separator %s", quote.Locale(c, f.Value))
				return 1
			default:
				sep = f.Value[0]
			}
			if sepSet && sep != o.sep {
				c.Errorf("multiple separator characters specified")
				return 1
			}
			o.sep, sepSet = sep, true
		}
		if !ok {
			return 1
		}
		if strings.Contains("lbCn", f.Name) {
			if kinds++; kinds > 1 {
				return c.UsageError("cannot split in more than one way")
			}
		}
	}
	if len(c.Args) > 2 {
		return c.ExtraOperand(c.Args[2])
	}
	if len(c.Args) > 0 {
		o.name = c.Args[0]
	}
	if len(c.Args) > 1 {
		o.prefix = c.Args[1]
	}
	p.opt = o
	return o.lengths(c)
}

// lengths decides how long the suffixes are.
func (o *options) lengths(c *cmd.Ctx) (status int) {
	if o.hasStart {
		o.auto = false
	}
	needed := 0
	if o.kind == byChunks || o.kind == byRecords || o.kind == roundRobin {
		last := uint64(o.size) - 1
		if o.hasStart && o.start < uint64(o.size) {
			last += o.start
		}
		for needed = 1; last >= uint64(len(o.alphabet)); needed++ {
			last /= uint64(len(o.alphabet))
		}
		o.auto = false
	}
	if o.suffix > 0 {
		if o.suffix < needed {
			c.Errorf("the suffix length needs to be at least %d", needed)
			return 1
		}
		o.auto = false
		return 0
	}
	o.suffix = max(2, needed)
	return 0
}

// number reads a number above 0.
func number(c *cmd.Ctx, what, s, units string) (int64, bool) {
	n, err := size.Parse(s, units)
	if s == "" || s[0] < '0' || s[0] > '9' {
		err = size.ErrInvalid
	}
	switch {
	case err == size.ErrRange:
		return 1<<62 - 1, true
	case err != nil:
		c.Errorf("%s: %s", what, quote.Locale(c, s))
		return 0, false
	case n == 0:
		c.Errorf("%s: %s: Numerical result out of range", what, quote.Locale(c, s))
		return 0, false
	}
	return n, true
}

// chunks reads the argument of -n.
func (o *options) chunks(c *cmd.Ctx, s string) bool {
	o.kind = byChunks
	if strings.HasPrefix(s, "l/") {
		o.kind, s = byRecords, s[2:]
	} else if strings.HasPrefix(s, "r/") {
		o.kind, s = roundRobin, s[2:]
	}
	k, n, both := strings.Cut(s, "/")
	if !both {
		n = k
	}
	var ok bool
	if o.size, ok = number(c, "invalid number of chunks", n, ""); !ok {
		return false
	}
	if both {
		if o.only, ok = number(c, "invalid chunk number", k, ""); !ok {
			return false
		}
		if o.only > o.size {
			c.Errorf("invalid chunk number: %s: Numerical result out of range", quote.Locale(c, k))
			return false
		}
	}
	if o.size > 1<<20 {
		c.Errorf("invalid number of chunks: %s: Numerical result out of range", quote.Locale(c, n))
		return false
	}
	return true
}

// fileName is the name of output i; false if the suffixes are used up.
func (o *options) fileName(i uint64) (string, bool) {
	base := uint64(len(o.alphabet))
	i += o.start
	width := o.suffix
	lead := ""
	if o.auto {
		last := o.alphabet[base-1:]
		for {
			count := base - 1
			for k := 1; k < width; k++ {
				if count *= base; count > 1<<56 {
					break
				}
			}
			if i < count {
				break
			}
			i -= count
			lead += last
			width++
		}
	}
	out := make([]byte, width)
	for k := width - 1; k >= 0; k-- {
		out[k] = o.alphabet[i%base]
		i /= base
	}
	return o.prefix + lead + string(out) + o.extra, i == 0
}
