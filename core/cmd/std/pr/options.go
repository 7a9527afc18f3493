package pr

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/locale"
)

// options is what the command line says, and what follows from it.
type options struct {
	columns, shown          int // that are asked for, and those of files that could be opened
	explicit, across, merge bool
	double, hat, escape     bool // -d, -c, -v
	untab, tabify           bool // tabs of the input are expanded, spaces of the output become tabs
	feed, join, truncate    bool
	numbered, counted       bool // -n; lines that are skipped count
	quiet, separated        bool
	extremities, keep       bool                              // headers and trailers are written; form feeds of the input are kept
	down, merged            bool                              // columns go down, files stand beside each other
	old                     struct{ width, sep, either bool } // -w, -s

	tabIn, tabOut, numberSep byte
	tabInWidth, tabOutWidth  int
	length, width, margin    int
	digits                   int
	first                    int32
	from, to                 uint64 // pages
	body                     int    // lines of a page without header and trailer
	perColumn, numberWidth   int
	separator, date          string
	header                   *string
}

// required are the options whose argument may be the next word, to tell operands from it.
const (
	required     = "DhlNowW"
	optional     = "Seins"
	requiredLong = " pages columns date-format header length first-line-number indent width page-width "
)

// ordered puts options before operands, as pr takes both in any order whatever POSIXLY_CORRECT says, and
// makes an option of +FIRST[:LAST].
func ordered(_ *cmd.Ctx, args []string) []string {
	var options, operands []string
	pages := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			operands = append(operands, args[i+1:]...)
			i = len(args)
		case strings.HasPrefix(a, "--"):
			options = append(options, a)
			pages = pages || strings.HasPrefix(a, "--pa") && !strings.HasPrefix(a, "--page-")
			if !strings.Contains(a, "=") && strings.Contains(requiredLong, " "+a[2:]) {
				if i++; i == len(args) {
					return options // which lacks an argument
				}
				options = append(options, args[i])
			}
		case len(a) > 1 && a[0] == '-':
			options = append(options, a)
			if k := strings.IndexAny(a[1:], required+optional) + 1; k == len(a)-1 && strings.IndexByte(required, a[k]) >= 0 {
				if i++; i == len(args) {
					return options
				}
				options = append(options, args[i])
			}
		case len(a) > 0 && a[0] == '+' && !pages:
			if _, _, ok, wrong := pageRange(a[1:]); ok || wrong != "" {
				options = append(options, "--pages="+mark+a[1:])
				pages = true
				continue
			}
			operands = append(operands, a)
		default:
			operands = append(operands, a)
		}
	}
	return append(append(options, "--"), operands...)
}

// mark stands before pages that were given as +FIRST: no argument has it.
const mark = "\x00"

// pageRange reads FIRST[:LAST]. It is not ok where that says no pages; wrong says that there is no number, NAME
// standing for the option.
func pageRange(s string) (from, to uint64, ok bool, wrong string) {
	from, rest, wrong := pageNumber(s)
	if wrong != "" || from == 0 {
		return 0, 0, false, wrong
	}
	to = math.MaxUint64
	if last, is := strings.CutPrefix(rest, ":"); is {
		if to, rest, wrong = pageNumber(last); wrong == "" && rest != "" {
			wrong = "invalid suffix in NAME argument '"
		}
		if wrong != "" { // the whole of it is named
			wrong = strings.TrimSuffix(wrong, last+"'") + s + "'"
		}
	}
	return from, to, wrong == "" && rest == "" && to >= from, wrong
}

// pageNumber reads a number at the beginning of s.
func pageNumber(s string) (n uint64, rest, wrong string) {
	t := strings.TrimPrefix(strings.TrimLeft(s, " \t\n\v\f\r"), "+")
	rest = strings.TrimLeft(t, "0123456789")
	if len(rest) == len(t) {
		return 0, "", "invalid NAME argument '" + s + "'"
	}
	n, err := strconv.ParseUint(t[:len(t)-len(rest)], 10, 64)
	if err != nil {
		return 0, "", "NAME argument '" + s + "' too large"
	}
	return n, rest, ""
}

// number reads an option's number, least at least.
func number(c *cmd.Ctx, s string, least int64, what string) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimLeft(s, " \t\n\v\f\r"), 10, 64)
	var why string
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (n > math.MaxInt32 || n < math.MinInt32/2 && n < least):
		why = ": Value too large for defined data type"
	case err == nil && n < least:
		why = ": Numerical result out of range"
	case err == nil:
		return int(n), true
	}
	c.Errorf("%s: %s%s", what, quote.Locale(c, s), why)
	return 0, false
}

// charAndNumber reads [CHAR][NUMBER] of -e, -i and -n.
func charAndNumber(c *cmd.Ctx, f cmd.Flag, char *byte, n *int) bool {
	s := f.Value
	if s != "" && (s[0] < '0' || s[0] > '9') {
		*char, s = s[0], s[1:]
	}
	if s == "" {
		return true
	}
	v, err := strconv.ParseInt(s, 10, 64)
	why := ""
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && v > math.MaxInt32:
		why = ": Value too large for defined data type"
	case err == nil && v > 0:
		*n = int(v)
		return true
	}
	c.Errorf("'-%s' extra characters or invalid number in the argument: %s%s", f.Name, quote.Locale(c, s), why)
	c.TryHelp()
	return false
}

// readOptions reads the command line.
func readOptions(c *cmd.Ctx) (o *options, status int) {
	o = &options{
		columns: 1, tabIn: '\t', tabOut: '\t', numberSep: '\t', tabInWidth: 8, tabOutWidth: 8,
		length: 66, width: 72, digits: 5, first: 1, counted: true, extremities: true, from: 1, to: math.MaxUint64, down: true,
	}
	count, follows := "", false // the digits of -COLUMN, which may stand apart
	for _, f := range c.Flags {
		if f.Name[0] >= '0' && f.Name[0] <= '9' {
			if !follows {
				count = ""
			}
			count, follows = count+f.Name, true
			continue
		}
		follows = false
		if f.Name == "columns" {
			count = ""
		}
		if !o.take(c, f) {
			return nil, 1
		}
	}
	if count != "" && !o.setColumns(c, count) {
		return nil, 1
	}
	if !c.Flags.Has("D") {
		o.date = "%Y-%m-%d %H:%M"
		if _, posix := c.Getenv("POSIXLY_CORRECT"); posix {
			if name := locale.Name(c.Getenv, "LC_TIME"); name == "C" || name == "POSIX" {
				o.date = "%b %e %H:%M %Y"
			}
		}
	}
	switch {
	case o.merge && o.explicit:
		c.Errorf("cannot specify number of columns when printing in parallel")
		return nil, 1
	case o.merge && o.across:
		c.Errorf("cannot specify both printing across and printing in parallel")
		return nil, 1
	}
	o.translate()
	return o, o.layout(c)
}

func (o *options) setColumns(c *cmd.Ctx, s string) (ok bool) {
	o.columns, ok = number(c, s, 1, "invalid number of columns")
	o.explicit = true
	return ok
}

// setPages reads --pages, or +FIRST.
func (o *options) setPages(c *cmd.Ctx, value string) (ok bool) {
	s, plus := strings.CutPrefix(value, mark)
	name := "--pages"
	if plus {
		name = "+"
	}
	var wrong string
	if o.from, o.to, ok, wrong = pageRange(s); wrong != "" {
		c.Errorf("%s", strings.Replace(wrong, "NAME", name, 1))
	} else if !ok {
		c.Errorf("invalid page range %s", quote.Locale(c, s))
	}
	return ok
}

// take reads one option.
func (o *options) take(c *cmd.Ctx, f cmd.Flag) (ok bool) {
	ok = true
	switch f.Name {
	case "pages":
		return o.setPages(c, f.Value)
	case "columns":
		return o.setColumns(c, f.Value)
	case "a":
		o.across, o.down = true, false
	case "c":
		o.hat = true
	case "d":
		o.double = true
	case "D":
		o.date = f.Value
	case "e":
		o.untab = true
		return charAndNumber(c, f, &o.tabIn, &o.tabInWidth)
	case "f", "F":
		o.feed = true
	case "h":
		o.header = &f.Value
	case "i":
		o.tabify = true
		return charAndNumber(c, f, &o.tabOut, &o.tabOutWidth)
	case "J":
		o.join = true
	case "l":
		o.length, ok = number(c, f.Value, 1, "'-l PAGE_LENGTH' invalid number of lines")
	case "m":
		o.merge, o.down = true, false
	case "n":
		o.numbered = true
		return charAndNumber(c, f, &o.numberSep, &o.digits)
	case "N":
		var n int
		o.counted = false
		n, ok = number(c, f.Value, math.MinInt32, "'-N NUMBER' invalid starting line number")
		o.first = int32(n)
	case "o":
		o.margin, ok = number(c, f.Value, 0, "'-o MARGIN' invalid line offset")
	case "r":
		o.quiet = true
	case "s":
		o.old.either, o.old.sep = true, true
		if !o.separated && f.Has {
			o.separator = f.Value
		}
	case "S":
		o.old.sep, o.separator, o.separated = false, f.Value, true
	case "t":
		o.extremities, o.keep = false, true
	case "T":
		o.extremities, o.keep = false, false
	case "v":
		o.escape = true
	case "w":
		var n int
		o.old.either, o.old.width = true, true
		if n, ok = number(c, f.Value, 1, "'-w PAGE_WIDTH' invalid number of characters"); !o.truncate {
			o.width = n
		}
	case "W":
		o.old.width, o.truncate = false, true
		o.width, ok = number(c, f.Value, 1, "'-W PAGE_WIDTH' invalid number of characters")
	}
	return ok
}

// translate says what POSIX's -w and -s mean in terms of -W, -S and -J.
func (o *options) translate() {
	many := o.merge || o.explicit
	switch {
	case !o.old.either:
	case o.old.width && many:
		o.truncate = true
		o.separated = o.separated || o.old.sep
	case o.old.width:
		o.join = true
	case o.separated || !o.old.sep || !many:
	case o.truncate:
		o.separated = true
	default:
		o.join = true
		o.separated = o.separator != ""
	}
}

// layout works out the widths and lengths of a page.
func (o *options) layout(c *cmd.Ctx) (status int) {
	if o.body = o.length - 2*trailer; o.body <= 0 {
		o.extremities, o.keep = false, true
	}
	if !o.extremities {
		o.body = o.length
	}
	if o.double {
		o.body /= 2
	}
	if o.merged = o.merge && len(c.Args) > 0; o.merged {
		o.columns = len(c.Args)
	}
	if o.columns > 1 {
		switch {
		case !o.separated:
			if o.separated, o.separator = true, " "; o.join {
				o.separator = "\t"
			}
		case !o.join && o.separator == "\t":
			o.separator = " "
		}
		o.truncate, o.tabify = true, true
		o.untab = o.untab || o.separator != "\t"
	} else {
		o.down = false
	}
	o.truncate = o.truncate && !o.join
	used := 0
	if o.numbered {
		if o.numberWidth = o.digits + 1; o.numberSep == '\t' {
			o.numberWidth = o.digits + 8 - o.digits%8
		}
		if o.merged {
			used = o.numberWidth
		}
	}
	separators := min((o.columns-1)*len(o.separator), math.MaxInt32)
	if o.perColumn = (o.width - used - separators) / o.columns; o.perColumn < 1 {
		c.Errorf("page width too narrow")
		return 1
	}
	return 0
}

// tooMuch reports whether a page of columns that go down has more characters than pr can count.
func (o *options) tooMuch() bool {
	lines := o.body * o.columns
	return o.down && (lines >= math.MaxInt32 || lines > math.MaxInt32/(o.perColumn+1))
}

// start is where column i begins, the first with room for a separator before it; 0 is anywhere.
func (o *options) start(i int) int {
	switch {
	case i == 0:
		return o.margin + len(o.separator)
	case !o.truncate:
		return 0
	}
	n := o.margin + i*(o.perColumn+len(o.separator))
	if o.merged && o.numbered {
		n += o.numberWidth
	}
	return n
}
