package std

import (
	"bytes"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

func tr() *cmd.Command {
	return &cmd.Command{
		Name: "tr", Summary: "translate, squeeze, and/or delete characters from standard input, writing to standard output",
		Usage: "tr [OPTION]... STRING1 [STRING2]",
		Options: []cmd.Option{
			{Short: 'c', Long: "complement", Help: "use the complement of STRING1"},
			{Short: 'C', Help: "same as -c"},
			{Short: 'd', Long: "delete", Help: "delete characters in STRING1, do not translate"},
			{Short: 's', Long: "squeeze-repeats", Help: "replace each sequence of a repeated character that is listed in the last specified STRING, with a single occurrence of that character"},
			{Short: 't', Long: "truncate-set1", Help: "first truncate STRING1 to length of STRING2"},
		},
		Class:         cmd.Step,
		StopAtOperand: true,
		New:           func() cmd.Program { return &trProgram{} },
	}
}

// trProgram maps bytes.
type trProgram struct {
	In    cmd.Lines `cbor:"1,keyasint,omitempty"`
	Begun bool      `cbor:"2,keyasint,omitempty"` // the operands were checked
	Last  int       `cbor:"3,keyasint,omitempty"` // 1 + the last byte written, for -s

	tables *trTables
}

// trTables say what happens to each byte.
type trTables struct {
	to              [256]byte
	remove, squeeze [256]bool
	plain           bool // only to matters
}

func (p *trProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.tables == nil {
		c.Mute = p.Begun
		tables, status := trParse(c)
		c.Mute = false
		if tables == nil {
			return cmd.Exit(status)
		}
		p.tables, p.Begun = tables, true
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.In.Ended() {
		return cmd.Exit(0)
	}
	switch err := p.In.Fill(c, 0); {
	case err == cmd.ErrBlocked:
		return cmd.WaitRead(0)
	case p.In.EOF:
	case err != nil:
		c.Errorf("read error: %s", err)
		return cmd.Exit(1)
	}
	c.Out.B = p.apply(c.Out.B, p.In.Take())
	return cmd.Again()
}

func (p *trProgram) apply(out, data []byte) []byte {
	t := p.tables
	if t.plain {
		n := len(out)
		out = append(out, data...)
		for i, b := range out[n:] {
			out[n+i] = t.to[b]
		}
		return out
	}
	last := p.Last
	for _, b := range data {
		if t.remove[b] {
			continue
		}
		b = t.to[b]
		if t.squeeze[b] && last == int(b)+1 {
			continue
		}
		last = int(b) + 1
		out = append(out, b)
	}
	p.Last = last
	return out
}

// trParse makes the tables; nil and a status if the operands are wrong.
func trParse(c *cmd.Ctx) (*trTables, int) {
	f := c.Flags
	complement, remove := f.Has("c") || f.Has("C"), f.Has("d")
	squeeze, truncate := f.Has("s"), f.Has("t")
	translate := !remove && (!squeeze || len(c.Args) == 2)
	least, most := 2, 2
	if remove == squeeze {
		least = 1 + b2i(remove)
	} else {
		least = 1
	}
	if !remove && !squeeze {
		least = 2
	}
	if remove && !squeeze {
		most = 1
	}
	switch {
	case len(c.Args) == 0:
		return nil, c.MissingOperand("")
	case len(c.Args) < least && remove:
		return nil, c.UsageError("missing operand after %s\nTwo strings must be given when both deleting and squeezing repeats.", quote.Locale(c, c.Args[0]))
	case len(c.Args) < least:
		return nil, c.UsageError("missing operand after %s\nTwo strings must be given when translating.", quote.Locale(c, c.Args[0]))
	case len(c.Args) > most && most == 1 && len(c.Args) == 2:
		return nil, c.UsageError("extra operand %s\nOnly one string may be given when deleting without squeezing repeats.", quote.Locale(c, c.Args[1]))
	case len(c.Args) > most:
		return nil, c.ExtraOperand(c.Args[most])
	}
	sets := make([]*trSet, len(c.Args))
	for i, arg := range c.Args {
		var ok bool
		if sets[i], ok = trReadSet(c, arg); !ok {
			return nil, 1
		}
	}
	one := sets[0]
	if one.repeats() > 0 {
		c.Errorf("the [c*] repeat construct may not appear in string1")
		return nil, 1
	}
	member := one.members(complement)
	t := &trTables{}
	for i := range t.to {
		t.to[i] = byte(i)
	}
	if len(sets) == 2 && translate {
		if !trMap(c, t, one, sets[1], complement, truncate, member) {
			return nil, 1
		}
	}
	if remove {
		t.remove = member
	}
	if squeeze {
		t.squeeze = member
		if len(sets) == 2 {
			if !translate && sets[1].repeats() > 0 {
				c.Errorf("the [c*] construct may appear in string2 only when translating")
				return nil, 1
			}
			t.squeeze = sets[1].members(false)
		}
	}
	t.plain = !remove && !squeeze
	return t, 0
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// trMap fills the table of a translation.
func trMap(c *cmd.Ctx, t *trTables, one, two *trSet, complement, truncate bool, member [256]bool) bool {
	from := one.bytes()
	if complement {
		from = from[:0]
		for i, in := range member {
			if in {
				from = append(from, byte(i))
			}
		}
	}
	if two.repeats() > 1 {
		c.Errorf("only one [c*] repeat construct may appear in string2")
		return false
	}
	two.fill(len(from))
	if two.equivalence {
		c.Errorf("[=c=] expressions may not appear in string2 when translating")
		return false
	}
	for _, e := range two.elements {
		if e.class != "" && e.class != "upper" && e.class != "lower" {
			c.Errorf("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'")
			return false
		}
	}
	if !complement && !trAligned(one, two) {
		c.Errorf("misaligned [:upper:] and/or [:lower:] construct")
		return false
	}
	to := two.bytes()
	if len(to) == 0 && !truncate {
		c.Errorf("when not truncating set1, string2 must be non-empty")
		return false
	}
	if len(from) > len(to) && len(to) > 0 && !truncate {
		if last := two.elements[len(two.elements)-1]; last.class != "" {
			c.Errorf("when translating with string1 longer than string2,\nthe latter string must not end with a character class")
			return false
		}
	}
	if complement && one.hasClass() && !trAllSame(to, len(from)) {
		c.Errorf("when translating with complemented character classes,\nstring2 must map all characters in the domain to one")
		return false
	}
	for i, b := range from {
		if i >= len(to) {
			if truncate {
				break
			}
			t.to[b] = to[len(to)-1]
			continue
		}
		t.to[b] = to[i]
	}
	return true
}

func trAllSame(to []byte, n int) bool {
	for i := 1; i < len(to) && i < n; i++ {
		if to[i] != to[0] {
			return false
		}
	}
	return true
}

// trAligned reports that every case class of two stands against one of one.
func trAligned(one, two *trSet) bool {
	starts := map[int]bool{}
	at := 0
	for _, e := range one.elements {
		if e.class == "upper" || e.class == "lower" {
			starts[at] = true
		}
		at += len(e.chars)
	}
	at = 0
	for _, e := range two.elements {
		if e.class != "" && !starts[at] {
			return false
		}
		at += len(e.chars)
	}
	return true
}

// trSet is an operand in pieces.
type trSet struct {
	elements    []trElement
	equivalence bool
}

// trElement is a run of bytes; class is its name if it is one, repeat is set
// for [c*], whose length comes from the other set.
type trElement struct {
	chars  []byte
	class  string
	repeat bool
}

func (s *trSet) repeats() (n int) {
	for _, e := range s.elements {
		n += b2i(e.repeat)
	}
	return n
}

func (s *trSet) hasClass() bool {
	for _, e := range s.elements {
		if e.class != "" {
			return true
		}
	}
	return false
}

// fill makes [c*] as long as the set needs to be for n bytes.
func (s *trSet) fill(n int) {
	rest := n - len(s.bytes())
	for i := range s.elements {
		if e := &s.elements[i]; e.repeat {
			b := e.chars[:1]
			rest += len(e.chars)
			e.chars = nil
			for ; rest > 0; rest-- {
				e.chars = append(e.chars, b[0])
			}
			if n == 0 {
				e.chars = b
			}
			e.repeat = false
		}
	}
}

func (s *trSet) bytes() (all []byte) {
	for _, e := range s.elements {
		all = append(all, e.chars...)
	}
	return all
}

func (s *trSet) members(complement bool) (in [256]bool) {
	for _, b := range s.bytes() {
		in[b] = true
	}
	if complement {
		for i := range in {
			in[i] = !in[i]
		}
	}
	return in
}

// trReadSet reads an operand; if it is wrong it says so.
func trReadSet(c *cmd.Ctx, text string) (*trSet, bool) {
	s := &trSet{}
	chars, escaped := trUnescape(c, text)
	r := trReader{set: s, chars: chars, escaped: escaped}
	is := func(i int, b byte) bool { return i < len(chars) && chars[i] == b && !escaped[i] }
	for i := 0; i < len(chars); {
		if is(i, '[') {
			n, ok := r.bracket(c, i)
			if !ok {
				return nil, false
			}
			if n > 0 {
				i += n
				continue
			}
		}
		if is(i+1, '-') && i+2 < len(chars) {
			lo, hi := chars[i], chars[i+2]
			if lo > hi {
				c.Errorf("range-endpoints of '%s-%s' are in reverse collating sequence order", trShow(lo), trShow(hi))
				return nil, false
			}
			var run []byte
			for b := int(lo); b <= int(hi); b++ {
				run = append(run, byte(b))
			}
			s.elements = append(s.elements, trElement{chars: run})
			i += 3
			continue
		}
		s.elements = append(s.elements, trElement{chars: chars[i : i+1]})
		i++
	}
	return s, true
}

func trShow(b byte) string {
	if b >= ' ' && b < 0x7f {
		return string(rune(b))
	}
	return "\\" + string([]byte{'0' + b>>6, '0' + b>>3&7, '0' + b&7})
}

// bracket reads [:class:], [=c=] or [c*n] at i; n is 0 if it is none of them.
func (r *trReader) bracket(c *cmd.Ctx, i int) (n int, ok bool) {
	repeats := i+3 < len(r.chars) && r.chars[i+2] == '*' && !r.escaped[i+2]
	if i+2 < len(r.chars) && (r.chars[i+1] == ':' || r.chars[i+1] == '=') && !r.escaped[i+1] {
		kind := r.chars[i+1]
		j := r.pair(kind, i+2)
		if j == i+2 && j+2 < len(r.chars) && r.chars[j+1] == kind { // [::] and [==]: the first may begin the closing pair of [=== ]
			j = r.pair(kind, j+1)
		}
		if j < len(r.chars) {
			switch e, ok := trNamed(kind, r.chars[i+2:j]); {
			case ok:
				r.set.equivalence = r.set.equivalence || kind == '='
				r.set.elements = append(r.set.elements, e)
				return j + 2 - i, true
			case !repeats || !r.counts(i+3):
				trNoName(c, kind, string(r.chars[i+2:j]))
				return 0, false
			}
		}
	}
	if !repeats {
		return 0, true
	}
	end := r.stop(i + 3)
	if end == len(r.chars) || r.escaped[end] { // not a count: the brackets are themselves
		return 0, true
	}
	digits := string(r.chars[i+3 : end])
	base, count := 10, 0
	if strings.HasPrefix(digits, "0") {
		base = 8
	}
	for _, d := range []byte(digits) {
		if d < '0' || int(d-'0') >= base {
			c.Errorf("invalid repeat count %s in [c*n] construct", quote.Locale(c, digits))
			return 0, false
		}
		if count = count*base + int(d-'0'); count > 1<<20 {
			count = 1 << 20
		}
	}
	e := trElement{repeat: count == 0, chars: r.chars[i+1 : i+2]}
	if count > 0 {
		r.held += count
		c.Hold(r.held)
		e.chars = bytes.Repeat(e.chars, count)
	}
	r.set.elements = append(r.set.elements, e)
	return end + 1 - i, true
}

// trReader reads an operand. Of what closes a bracket it knows where the next one is, so that each is looked for once.
type trReader struct {
	set     *trSet
	chars   []byte
	escaped []bool
	held    int    // bytes of [c*n]
	pairs   [2]int // of :] and =], where the next was found
	stops   int    // of ] and escaped characters
}

// pair is where the next unescaped :] or =] is from i on, or the length of the text; i never goes back.
func (r *trReader) pair(kind byte, i int) int {
	at := &r.pairs[b2i(kind == '=')]
	for *at = max(*at, i); *at+1 < len(r.chars); *at++ {
		if j := *at; r.chars[j] == kind && r.chars[j+1] == ']' && !r.escaped[j] && !r.escaped[j+1] {
			return j
		}
	}
	return len(r.chars)
}

// counts reports whether [c* goes on at i as a count does: with digits and ].
func (r *trReader) counts(i int) bool {
	for i < len(r.chars) && !r.escaped[i] && r.chars[i] >= '0' && r.chars[i] <= '9' {
		i++
	}
	return i < len(r.chars) && !r.escaped[i] && r.chars[i] == ']'
}

// stop is where the next ] or escaped character is from i on, or the length of the text; i never goes back.
func (r *trReader) stop(i int) int {
	for r.stops = max(r.stops, i); r.stops < len(r.chars); r.stops++ {
		if r.chars[r.stops] == ']' || r.escaped[r.stops] {
			break
		}
	}
	return min(r.stops, len(r.chars))
}

// trNamed is what [:name:] or [=c=] stands for.
func trNamed(kind byte, name []byte) (e trElement, ok bool) {
	if kind == '=' {
		return trElement{chars: name}, len(name) == 1
	}
	const longest = len("xdigit")
	if len(name) > longest {
		return trElement{}, false
	}
	members := trClass(string(name))
	return trElement{chars: members, class: string(name)}, members != nil
}

// trNoName says what is wrong with the name in a bracket.
func trNoName(c *cmd.Ctx, kind byte, name string) {
	switch {
	case kind == '=' && name == "":
		c.Errorf("missing equivalence class character '[==]'")
	case kind == '=':
		var b strings.Builder
		for _, char := range []byte(name) {
			if k := strings.IndexByte("\a\b\f\n\r\t\v\\", char); k >= 0 {
				b.WriteString("\\" + "abfnrtv\\"[k:k+1])
			} else {
				b.WriteString(trShow(char))
			}
		}
		c.Errorf("%s: equivalence class operand must be a single character", b.String())
	case name == "":
		c.Errorf("missing character class name '[::]'")
	default:
		c.Errorf("invalid character class %s", quote.Locale(c, quote.Bytewise(name)))
	}
}

// trUnescape reads the backslash escapes of an operand.
func trUnescape(c *cmd.Ctx, s string) (chars []byte, escaped []bool) {
	for i := 0; i < len(s); i++ {
		b, esc := s[i], false
		if b == '\\' {
			if i+1 == len(s) {
				c.Errorf("warning: an unescaped backslash at end of string is not portable")
			} else {
				i++
				esc = true
				if k := strings.IndexByte("abfnrtv\\", s[i]); k >= 0 {
					b = "\a\b\f\n\r\t\v\\"[k]
				} else if s[i] >= '0' && s[i] <= '7' {
					v, n := 0, 0
					for n < 3 && i+n < len(s) && s[i+n] >= '0' && s[i+n] <= '7' {
						next := v*8 + int(s[i+n]-'0')
						if next > 255 {
							c.Errorf("warning: the ambiguous octal escape \\%s is being\n\tinterpreted as the 2-byte sequence \\0%s, %s", s[i:i+3], s[i:i+2], s[i+2:i+3])
							break
						}
						v = next
						n++
					}
					i += n - 1
					b = byte(v)
				} else {
					b = s[i]
				}
			}
		}
		chars = append(chars, b)
		escaped = append(escaped, esc)
	}
	return chars, escaped
}

// trClass lists the bytes of a character class in the C locale; nil if there is no such class.
func trClass(name string) []byte {
	var in func(b byte) bool
	lower := func(b byte) bool { return b >= 'a' && b <= 'z' }
	upper := func(b byte) bool { return b >= 'A' && b <= 'Z' }
	digit := func(b byte) bool { return b >= '0' && b <= '9' }
	graph := func(b byte) bool { return b > ' ' && b < 0x7f }
	switch name {
	case "alnum":
		in = func(b byte) bool { return lower(b) || upper(b) || digit(b) }
	case "alpha":
		in = func(b byte) bool { return lower(b) || upper(b) }
	case "blank":
		in = func(b byte) bool { return b == ' ' || b == '\t' }
	case "cntrl":
		in = func(b byte) bool { return b < ' ' || b == 0x7f }
	case "digit":
		in = digit
	case "graph":
		in = graph
	case "lower":
		in = lower
	case "print":
		in = func(b byte) bool { return b >= ' ' && b < 0x7f }
	case "punct":
		in = func(b byte) bool { return graph(b) && !lower(b) && !upper(b) && !digit(b) }
	case "space":
		in = func(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }
	case "upper":
		in = upper
	case "xdigit":
		in = func(b byte) bool { return digit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' }
	default:
		return nil
	}
	all := []byte{}
	for i := 0; i < 256; i++ {
		if in(byte(i)) {
			all = append(all, byte(i))
		}
	}
	return all
}
