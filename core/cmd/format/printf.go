package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"eryxsh/core/zone"
	"unicode/utf8"
)

// Printer formats as printf does.
type Printer struct {
	GNU   bool        // the words and statuses of coreutils, not bash's
	Now   int64       // ns since 1970, for %(…)T
	Start int64       // when the shell started, for %(…)T with -2
	TZ    string      // the zone of %(…)T
	Work  large.Meter // hears of what takes long; may be nil
	Bytes bool        // a character is a byte, as in the C locale
}

// Result is what a printf wrote and complained about.
type Result struct {
	Out    []byte
	Errors []string // messages without "printf: ", in order
	Before []int    // of each message: how much of this call's output came before it
	Status int
	Assign []Assign // of %n, which only a shell can carry out
}

// Assign is a variable that %n sets to the number of bytes written before it.
type Assign struct {
	Name  string
	Value int
}

// Printf appends args formatted by format to dst; the format is used again while arguments are left.
func (e Printer) Printf(dst []byte, format string, args []string) Result {
	p := &printing{Printer: e, args: args, from: len(dst)}
	p.Out = dst
	for {
		left := len(p.args)
		if !p.pass(format) {
			return p.Result
		}
		p.tell()
		if len(p.args) == 0 {
			return p.Result
		}
		if len(p.args) == left {
			if e.GNU {
				p.say(quote.Marks(p.charset(), "warning: ignoring excess arguments, starting with ‘") + p.args[0] + quote.Marks(p.charset(), "’"))
			}
			return p.Result
		}
	}
}

// printing is one call of Printf.
type printing struct {
	Printer
	Result
	args  []string
	from  int         // where this call's output starts
	began int         // where this pass through the format starts
	told  int         // how much of the output Work has heard of
	pairs map[int]int // parentheses of the format, where %( is in it
}

// muchOutput is worth telling: bytes.
const muchOutput = 1 << 14

// holder is a Meter that is told how much is held, and may panic if that is too much.
type holder interface{ Hold(n int) }

// tell says what was done since it was said last.
func (p *printing) tell() {
	if n := len(p.Out) - p.told; p.Work != nil && n > muchOutput {
		p.told = len(p.Out)
		p.Work.Charge(n >> 5)
		if h, ok := p.Work.(holder); ok {
			h.Hold(len(p.Out))
		}
	}
}

// mode is that of escapes, in the locale.
func (p *printing) mode(m EscapeMode) EscapeMode {
	if p.Bytes {
		return m | ByBytes
	}
	return m
}

func (p *printing) charset() quote.Charset { return quote.ByBytes(p.Bytes) }

func (p *printing) fail(message string) {
	p.say(message)
	p.Status = 1
}

// say gives a message that does not change the status.
func (p *printing) say(message string) {
	p.Errors = append(p.Errors, message)
	p.Before = append(p.Before, len(p.Out)-p.from)
}

// next takes an argument.
func (p *printing) next() (string, bool) {
	if len(p.args) == 0 {
		return "", false
	}
	a := p.args[0]
	p.args = p.args[1:]
	return a, true
}

// pass goes through the format once; false ends everything.
func (p *printing) pass(format string) bool {
	p.began = len(p.Out)
	for i := 0; i < len(format); {
		switch b := format[i]; {
		case b == '\\' && i+1 < len(format):
			if format[i+1] == 'c' && p.GNU {
				return false
			}
			if problem := p.badCode(format[i:]); problem != "" {
				p.fail(problem)
				return false
			}
			var n int
			var problem string
			p.Out, n, problem = escape(p.Out, format[i:], p.mode(InFormat))
			if problem != "" {
				p.say(problem)
			}
			i += n
		case b != '%':
			n := strings.IndexAny(format[i:], "%\\")
			if n <= 0 {
				n = len(format) - i
				if b == '\\' {
					n = 1
				}
			}
			p.Out = large.Push(p.Out, format[i:i+n], large.Or(p.Work))
			i += n
		case i+1 < len(format) && format[i+1] == '%':
			p.Out = append(p.Out, '%')
			i += 2
		default:
			n, ok := p.directive(format[i:])
			if !ok {
				return false
			}
			i += n
		}
	}
	return true
}

// badCode checks an escape as coreutils does: \x needs a digit, \u and \U all of theirs and a character that C can name so.
func (p *printing) badCode(s string) (problem string) {
	most := 0
	switch s[1] {
	case 'x':
		most = 1
	case 'u':
		most = 4
	case 'U':
		most = 8
	}
	if !p.GNU || most == 0 {
		return ""
	}
	v, n := readDigits(s[2:], most, 16)
	switch {
	case n < most:
		return "missing hexadecimal number in escape"
	case most > 1 && (v <= 0x9f && v != '$' && v != '@' && v != '`' || v >= 0xd800 && v <= 0xdfff):
		return fmt.Sprintf("invalid universal character name \\%c%0*x", s[1], most, v)
	}
	return ""
}

// codes checks the escapes of an argument of %b; false ends all output, behind what stands before the bad one.
func (p *printing) codes(a string) bool {
	for i := 0; i+1 < len(a) && a[i:i+2] != `\c`; i++ {
		if a[i] != '\\' {
			continue
		}
		if problem := p.badCode(a[i:]); problem != "" {
			p.Out, _, _ = Unescape(p.Out, a[:i], p.mode(InB))
			p.fail(problem)
			return false
		}
		i++
	}
	return true
}

// directive does one conversion at the start of s and gives its length.
func (p *printing) directive(s string) (n int, ok bool) {
	spec := Spec{Prec: -1}
	i := spec.flags(s, 1)
	if spec.Width, i = p.number(s, i); spec.Width < 0 {
		spec.Minus, spec.Width = true, -spec.Width
	}
	if i < len(s) && s[i] == '.' {
		spec.Prec, i = p.number(s, i+1)
		spec.Prec = max(spec.Prec, -1)
	}
	if spec.Width > MaxWidth || spec.Prec > MaxWidth {
		p.fail("field width or precision too large")
		return 0, false
	}
	for i < len(s) && strings.IndexByte("hjlLtz", s[i]) >= 0 {
		i++
	}
	if i == len(s) {
		if p.GNU {
			p.fail(s + ": invalid conversion specification")
		} else {
			p.fail("`" + s + "': missing format character")
		}
		return 0, false
	}
	spec.Verb = s[i]
	bare := i == 1 // which %b and %q have to be
	if p.GNU && (!spec.allowed() || !bare && (s[i] == 'b' || s[i] == 'q')) {
		p.fail(s[:i+1] + ": invalid conversion specification")
		return 0, false
	}
	if s[i] == '(' && !p.GNU {
		return p.time(s, i, spec)
	}
	i++
	if !p.convert(s[:i], spec) {
		return 0, false
	}
	return i, p.Status >= 0
}

// number reads a width or precision, which may be "*".
func (p *printing) number(s string, i int) (v, end int) {
	if i < len(s) && s[i] == '*' {
		a, ok := p.next()
		if !ok {
			return 0, i + 1
		}
		n := p.integer(a, false)
		return int(min(max(int64(n), -MaxWidth-1), MaxWidth+1)), i + 1
	}
	return p.digits(s, i)
}

// flags reads the flags at i and gives where they end.
func (spec *Spec) flags(s string, i int) int {
	for ; i < len(s); i++ {
		switch s[i] {
		case '-':
			spec.Minus = true
		case '+':
			spec.Plus = true
		case ' ':
			spec.Space = true
		case '#':
			spec.Alt = true
		case '0':
			spec.Zero = true
		case '\'':
			spec.Grouped = true
		default:
			return i
		}
	}
	return i
}

func (p *printing) digits(s string, i int) (v, end int) {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		v = min(v*10+int(s[i]-'0'), MaxWidth+1)
		i++
	}
	return v, i
}

// allowed reports that coreutils takes these flags with the conversion.
func (spec *Spec) allowed() bool {
	switch spec.Verb {
	case 'c':
		return !spec.Alt && !spec.Zero && !spec.Grouped && spec.Prec < 0
	case 's':
		return !spec.Alt && !spec.Zero && !spec.Grouped
	case 'd', 'i', 'u':
		return !spec.Alt
	case 'o', 'x', 'X', 'a', 'A', 'e', 'E':
		return !spec.Grouped
	}
	return true
}

// convert writes one argument. False ends all output.
func (p *printing) convert(text string, spec Spec) bool {
	verb := spec.Verb
	if p.GNU && strings.IndexByte("SCnQ", verb) >= 0 {
		verb = '?'
	}
	switch verb {
	case 's', 'S':
		a, _ := p.next()
		p.text(spec, a)
	case 'c', 'C':
		a, _ := p.next()
		if a == "" {
			a = "\x00"
		}
		if len(a) > 1 {
			a = a[:1]
		}
		spec.Prec = -1
		p.text(spec, a)
	case 'b':
		a, _ := p.next()
		if p.GNU && !p.codes(a) {
			return false
		}
		b, stop, problem := Unescape(nil, a, p.mode(InB))
		if problem != "" {
			p.say(problem)
		}
		p.text(spec, string(b))
		return !stop
	case 'q', 'Q':
		a, given := p.next()
		if !given && p.GNU {
			p.text(spec, "")
			break
		}
		if verb == 'Q' && spec.Prec >= 0 {
			a, spec.Prec = a[:min(len(a), spec.Prec)], -1
		}
		if p.GNU {
			a = quote.Maybe(p.charset(), a)
		} else {
			a = Quote(a, p.Bytes, p.Work)
		}
		p.text(spec, a)
	case 'n':
		if a, ok := p.next(); ok {
			p.Assign = append(p.Assign, Assign{a, len(p.Out) - p.began})
			if !isName(a) {
				return false
			}
		}
	case 'd', 'i', 'o', 'u', 'x', 'X':
		a, ok := p.next()
		var v uint64
		if ok {
			v = p.integer(a, verb != 'd' && verb != 'i')
		}
		p.Out = spec.Int(p.Out, v)
	case 'a', 'A', 'e', 'E', 'f', 'F', 'g', 'G':
		a, ok := p.next()
		f := IntFloat(0)
		if ok {
			f = p.float(a)
		}
		p.Out = spec.Float(p.Out, f)
	default:
		if p.GNU {
			p.fail(text + ": invalid conversion specification")
		} else {
			p.fail("`" + text[len(text)-1:] + "': invalid format character")
		}
		return false
	}
	return true
}

// text writes a string in its field.
func (p *printing) text(spec Spec, a string) {
	if spec.Prec >= 0 && spec.Prec < len(a) {
		a = a[:spec.Prec]
	}
	n := spec.Width - len(a)
	if !spec.Minus {
		p.Out = appendRepeat(p.Out, ' ', n)
	}
	p.Out = large.Push(p.Out, a, large.Or(p.Work))
	if spec.Minus {
		p.Out = appendRepeat(p.Out, ' ', n)
	}
}

// Int appends v by one of the verbs diouxX; d and i take it as signed.
func (s Spec) Int(dst []byte, v uint64) []byte {
	neg := false
	base, prefix := 10, ""
	switch s.Verb {
	case 'd', 'i':
		if int64(v) < 0 {
			neg, v = true, -v
		}
	case 'o':
		base = 8
	case 'x':
		base, prefix = 16, "0x"
	case 'X':
		base, prefix = 16, "0X"
	}
	var space [24]byte
	text := strconv.AppendUint(space[:0], v, base)
	if s.Verb == 'X' {
		for i, b := range text {
			if b >= 'a' {
				text[i] = b - 32
			}
		}
	}
	if s.Prec == 0 && v == 0 {
		text = text[:0]
	}
	if !s.Alt || v == 0 {
		prefix = ""
	}
	if s.Verb == 'd' || s.Verb == 'i' {
		prefix = s.sign(neg)
	}
	if s.Alt && base == 8 && (len(text) == 0 || text[0] != '0') && s.Prec <= len(text) {
		text = append([]byte{'0'}, text...)
	}
	if s.Prec >= 0 {
		s.Zero = false
		if n := s.Prec - len(text); n > 0 {
			text = append(appendRepeat(nil, '0', n), text...)
		}
	}
	return s.pad(dst, prefix, text)
}

// integer reads an integer argument as strtoimax(3) with base 0 does; 'c is the code of a character.
func (p *printing) integer(a string, unsigned bool) uint64 {
	if a == "" {
		return 0
	}
	if a[0] == '\'' || a[0] == '"' {
		if p.GNU && len(a) == 1 {
			p.notNumber(a, "number", false)
			return 0
		}
		return uint64(p.character(a[1:]))
	}
	s := strings.TrimLeft(a, " \t\n\v\f\r")
	neg := false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		neg = s[0] == '-'
		s = s[1:]
	}
	base, kind, taken := uint32(10), "number", 0
	if len(s) > 1 && s[0] == '0' {
		base = 8
		if s[1] >= '0' && s[1] <= '9' {
			kind = "octal number"
		}
		if s[1]|0x20 == 'x' {
			kind = "hex number"
			base = 16
			s = s[2:]
		}
	}
	var v uint64
	over := false
	for taken < len(s) {
		d := digit(s[taken])
		if d >= base {
			break
		}
		next := v*uint64(base) + uint64(d)
		over = over || v > (1<<64-1)/uint64(base) || next < v
		v = next
		taken++
	}
	if taken == 0 || taken < len(s) {
		p.notNumber(a, kind, taken > 0 || base == 16)
	}
	switch {
	case !unsigned && neg && (over || v > 1<<63):
		v, over = 1<<63, true
	case !unsigned && !neg && (over || v > 1<<63-1):
		v, over = 1<<63-1, true
	case over:
		v = 1<<64 - 1
	case neg:
		v = -v
	}
	if over {
		p.outOfRange(a)
	}
	return v
}

// character is the code of a character constant's first character.
func (p *printing) character(s string) rune {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return 0
	}
	if p.Bytes || r == utf8.RuneError && n == 1 {
		r, n = rune(s[0]), 1
	}
	if p.GNU && n < len(s) {
		p.say("warning: " + s[n:] + ": character(s) following character constant have been ignored")
	}
	return r
}

func (p *printing) notNumber(a, kind string, some bool) {
	switch {
	case !p.GNU:
		p.fail(a + ": invalid " + kind)
	case some:
		p.fail(quote.Locale(p.charset(), a) + ": value not completely converted")
	default:
		p.fail(quote.Locale(p.charset(), a) + ": expected a numeric value")
	}
}

func (p *printing) outOfRange(a string) {
	if p.GNU {
		p.fail(quote.Locale(p.charset(), a) + ": Numerical result out of range")
	} else {
		p.say("warning: " + a + ": Numerical result out of range")
	}
}

// float reads a floating point argument.
func (p *printing) float(a string) Float {
	if a != "" && (a[0] == '\'' || a[0] == '"') {
		return IntFloat(int64(p.character(a[1:])))
	}
	f, n, over := ParseFloat(a)
	switch {
	case n == 0:
		f = IntFloat(0)
		if a != "" {
			p.notNumber(a, "number", false)
		}
	case n < len(a):
		p.notNumber(a, "number", true)
	case over:
		p.outOfRange(a)
	}
	return f
}

// time does %(layout)T at the start of s; open is the place of its parenthesis.
func (p *printing) time(s string, open int, spec Spec) (n int, ok bool) {
	i := p.closing(s, open)
	if i+1 >= len(s) || s[i+1] != 'T' {
		given := byte(' ')
		if i+1 < len(s) {
			given = s[i+1]
		}
		p.say("warning: `" + string(given) + "': invalid time format specification")
		p.Out = append(p.Out, s[:open+1]...)
		return open + 1, true
	}
	layout := s[open+1 : i]
	if layout == "" {
		layout = "%X"
	}
	at := time.Unix(0, p.Now)
	if a, ok := p.next(); ok {
		switch v := int64(p.integer(a, false)); v {
		case -1:
		case -2:
			at = time.Unix(0, p.Start)
		default:
			at = time.Unix(v, 0)
		}
	}
	text := Strftime(nil, layout, at.In(zone.Named(p.TZ)), false)
	if len(text) > maxTime {
		text = nil
	}
	p.text(spec, string(text))
	return i + 2, true
}

// closing is where the parenthesis at open of s, the rest of the format, is closed, its end if it is not. All are
// paired at once, by how far they are from the end: there may be many.
func (p *printing) closing(s string, open int) int {
	if p.pairs == nil {
		p.pairs = map[int]int{}
		var opened []int
		for i := open; i < len(s); i++ {
			if s[i] == '(' {
				opened = append(opened, i)
			} else if n := len(opened); s[i] == ')' && n > 0 {
				p.pairs[len(s)-opened[n-1]] = len(s) - i
				opened = opened[:n-1]
			}
		}
	}
	return len(s) - p.pairs[len(s)-open]
}

// maxTime is how long a %(…)T can be: bash's buffer for it has 128 bytes, and what does not fit in gives nothing.
const maxTime = 127

// ParseSpec reads the flags, width and precision of the conversion at the start
// of s, which is a '%', and gives where its length modifiers and verb begin.
// Width and precision are cut at MaxWidth.
func ParseSpec(s string) (spec Spec, n int) {
	p := &printing{}
	spec.Prec = -1
	n = spec.flags(s, 1)
	spec.Width, n = p.digits(s, n)
	if n < len(s) && s[n] == '.' {
		spec.Prec, n = p.digits(s, n+1)
	}
	spec.Width, spec.Prec = min(spec.Width, MaxWidth), min(spec.Prec, MaxWidth)
	return spec, n
}

// isName reports whether a text can name a variable.
func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
