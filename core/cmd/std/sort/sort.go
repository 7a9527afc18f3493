// Package sort is the utility sort.
//
// Input is cut into runs of about 256 KiB. A turn that completes a run sorts
// it, and when all is read the runs are merged, 64 KiB of output a turn. The
// whole state is the runs as bytes, in order, and how far each has been
// merged. The index of lines that a turn works with is made from them again.
//
// A line in the index carries eight bytes of its first key, made so that their
// order never contradicts the order of the keys: most comparisons end there.
// Equal bytes may say that the keys are equal (exact), or that they must be
// compared in full.
package sort

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/large"
)

// Command is sort.
func Command() *cmd.Command {
	return &cmd.Command{
		Name: "sort", WriteError: "write failed: 'standard output': WHY\nNAME: write error", Summary: "write sorted concatenation of all FILE(s) to standard output",
		Obsolete: obsolete,
		Usage:    "sort [OPTION]... [FILE]...\nsort [OPTION]... --files0-from=F",
		Options: []cmd.Option{
			{Short: 'b', Long: "ignore-leading-blanks", Help: "ignore leading blanks"},
			{Short: 'd', Long: "dictionary-order", Help: "consider only blanks and alphanumeric characters"},
			{Short: 'f', Long: "ignore-case", Help: "fold lower case to upper case characters"},
			{Short: 'g', Long: "general-numeric-sort", Help: "compare according to general numerical value"},
			{Short: 'i', Long: "ignore-nonprinting", Help: "consider only printable characters"},
			{Short: 'M', Long: "month-sort", Help: "compare (unknown) < 'JAN' < ... < 'DEC'"},
			{Short: 'h', Long: "human-numeric-sort", Help: "compare human readable numbers (e.g., 2K 1G)"},
			{Short: 'n', Long: "numeric-sort", Help: "compare according to string numerical value"},
			{Short: 'R', Long: "random-sort", Help: "shuffle, but group identical keys"},
			{Long: "random-source", Arg: cmd.Required, Meta: "FILE", Help: "get random bytes from FILE", Missing: true},
			{Short: 'r', Long: "reverse", Help: "reverse the result of comparisons"},
			{Long: "sort", Arg: cmd.Required, Meta: "WORD", Help: "sort according to WORD: general-numeric -g, human-numeric -h, month -M, numeric -n, random -R, version -V"},
			{Short: 'V', Long: "version-sort", Help: "natural sort of (version) numbers within text"},
			{Long: "batch-size", Arg: cmd.Required, Meta: "NMERGE", Help: "(accepted, nothing to do)"},
			{Short: 'c', Help: "check for sorted input; do not sort"},
			{Long: "check", Arg: cmd.Optional, Meta: "WHEN", Help: "as -c; quiet, silent: as -C"},
			{Short: 'C', Help: "like -c, but do not report first bad line"},
			{Long: "compress-program", Arg: cmd.Required, Meta: "PROG", Help: "(accepted, nothing to do)"},
			{Long: "debug", Help: "annotate the part of the line used to sort", Missing: true},
			{Long: "files0-from", Arg: cmd.Required, Meta: "F", Help: "read input from the files specified by NUL-terminated names in file F"},
			{Short: 'k', Long: "key", Arg: cmd.Required, Meta: "KEYDEF", Help: "sort via a key; KEYDEF gives location and type"},
			{Short: 'm', Long: "merge", Help: "merge already sorted files; do not sort"},
			{Short: 'o', Long: "output", Arg: cmd.Required, Meta: "FILE", Help: "write result to FILE instead of standard output"},
			{Short: 's', Long: "stable", Help: "stabilize sort by disabling last-resort comparison"},
			{Short: 'S', Long: "buffer-size", Arg: cmd.Required, Meta: "SIZE", Help: "(accepted, nothing to do)"},
			{Short: 't', Long: "field-separator", Arg: cmd.Required, Meta: "SEP", Help: "use SEP instead of non-blank to blank transition"},
			{Short: 'T', Long: "temporary-directory", Arg: cmd.Required, Meta: "DIR", Help: "(accepted, nothing to do)"},
			{Long: "parallel", Arg: cmd.Required, Meta: "N", Help: "(accepted, nothing to do)"},
			{Short: 'u', Long: "unique", Help: "with -c, check for strict ordering; without -c, output only the first of an equal run"},
			{Short: 'y', Arg: cmd.Optional, Help: "(ignored)"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		},
		Class:     cmd.Step,
		Status:    2,
		ReadError: "read failed: NAME: WHY",
		New:       func() cmd.Program { return &program{} },
	}
}

// order is the command line: how lines compare and what happens to them.
type order struct {
	keys    []key
	tab     int // the separator, or -1
	reverse bool
	stable  bool
	unique  bool
	check   byte // 0, 'c' or 'C'
	merge   bool
	end     byte
	output  string
	files0  string
	salt    uint64
	plain   bool // no keys: lines compare as bytes
	fold    []byte

	work     large.Meter
	compares int // since the program was loaded
}

// parse reads the options; nil and a status if they are wrong.
func parse(c *cmd.Ctx) (*order, int) {
	o := &order{tab: -1, end: '\n'}
	var global key
	global.whole()
	fail := func(format string, args ...any) (*order, int) {
		c.Errorf(format, args...)
		return nil, 2
	}
	outputs := 0
	for _, f := range c.Flags {
		switch f.Name {
		case "b", "d", "f", "g", "i", "M", "h", "n", "R", "r", "V":
			global.option(f.Name[0])
		case "sort":
			i, ok := choice.Find(c, "--sort", f.Value, "general-numeric,human-numeric,month,numeric,random,version")
			if !ok {
				return nil, 1
			}
			global.option("ghMnRV"[i])
		case "c", "C", "check":
			how := f.Name[0]
			if f.Name == "check" && f.Has {
				i, ok := choice.Find(c, "--check", f.Value, "quiet silent,diagnose-first")
				if !ok {
					return nil, 1
				}
				how = "Cc"[i]
			}
			if o.check != 0 && o.check != how {
				return fail("options '-cC' are incompatible")
			}
			o.check = how
		case "k":
			k, message := parseKey(c, f.Value)
			if message != "" {
				return fail("%s", message)
			}
			o.keys = append(o.keys, k)
		case "m":
			o.merge = true
		case "o":
			if outputs > 0 && o.output != f.Value {
				return fail("multiple output files specified")
			}
			o.output = f.Value
			outputs++
		case "s":
			o.stable = true
		case "u":
			o.unique = true
		case "z":
			o.end = 0
		case "t":
			tab, message := parseTab(c, f.Value)
			if message != "" {
				return fail("%s", message)
			}
			if o.tab >= 0 && o.tab != tab {
				return fail("incompatible tabs")
			}
			o.tab = tab
		case "files0-from":
			o.files0 = f.Value
		case "parallel", "batch-size", "S":
			if message := accepted(c, f); message != "" {
				return fail("%s", message)
			}
		}
	}
	if o.check != 0 && outputs > 0 {
		return fail("options '-%co' are incompatible", o.check)
	}
	if o.check != 0 && len(c.Args) > 1 {
		return fail("extra operand %s not allowed with -%c", quote.Shell(c, c.Args[1]), o.check)
	}
	for i := range o.keys {
		if o.keys[i].plain() && !o.keys[i].reverse {
			o.keys[i].inherit(global)
		}
	}
	if len(o.keys) == 0 && !global.plain() {
		o.keys = append(o.keys, global)
	}
	for _, k := range o.keys {
		if bad := k.conflict(); bad != "" {
			return fail("options '-%s' are incompatible", bad)
		}
	}
	o.reverse = global.reverse
	o.plain = len(o.keys) == 0
	return o, 0
}

func parseTab(c quote.Charset, s string) (tab int, message string) {
	switch {
	case s == "":
		return 0, "empty tab"
	case s == `\0`:
		return 0, ""
	case len(s) > 1:
		return 0, "multi-character tab " + quote.Locale(c, s)
	}
	return int(s[0]), ""
}

// accepted checks the argument of an option that has no effect here.
func accepted(c quote.Charset, f cmd.Flag) (message string) {
	n := len(f.Value) - len(strings.TrimLeft(f.Value, "0123456789"))
	rest := f.Value[n:]
	switch f.Name {
	case "parallel":
		if n == 0 || rest != "" {
			return "invalid --parallel argument " + quote.Shell(c, f.Value)
		}
		if strings.Trim(f.Value, "0") == "" {
			return "number in parallel must be nonzero"
		}
	case "batch-size":
		if n == 0 || rest != "" {
			return "invalid --batch-size argument " + quote.Locale(c, f.Value)
		}
		if v := strings.TrimLeft(f.Value, "0"); v == "" || v == "1" {
			return "invalid --batch-size argument " + quote.Locale(c, f.Value) + "\nsort: minimum --batch-size argument is " + quote.Locale(c, "2")
		}
	case "S":
		if n == 0 || len(rest) > 1 || rest != "" && !strings.Contains("%bEGgKkMmPTtYZ", rest) {
			return "invalid -S argument " + quote.Shell(c, f.Value)
		}
	}
	return ""
}
