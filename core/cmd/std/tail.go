package std

import (
	"bytes"
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/choice"
	"eryxsh/core/cmd/std/internal/posix2"
)

func tail() *cmd.Command {
	digits := make([]cmd.Option, 10) // only the old forms have them: elsewhere they are refused
	for i := range digits {
		digits[i] = cmd.Option{Short: '0' + byte(i)}
	}
	return &cmd.Command{
		Name: "tail", Summary: "print the last 10 lines of each FILE to standard output",
		Usage: "tail [OPTION]... [FILE]...",
		Options: append([]cmd.Option{
			{Short: 'c', Long: "bytes", Arg: cmd.Required, Meta: "[+]NUM", Help: "output the last NUM bytes; or use -c +NUM to output starting with byte NUM of each file"},
			{Short: 'f', Long: "follow", Arg: cmd.Optional, Meta: "{name|descriptor}", Help: "output appended data as the file grows"},
			{Short: 'F', Help: "same as --follow=name --retry"},
			{Short: 'n', Long: "lines", Arg: cmd.Required, Meta: "[+]NUM", Help: "output the last NUM lines, instead of the last 10; or use -n +NUM to output starting with line NUM"},
			{Long: "max-unchanged-stats", Arg: cmd.Required, Meta: "N", Help: "(accepted, nothing to do)"},
			{Long: "pid", Arg: cmd.Required, Meta: "PID", Help: "with -f, terminate after process ID, PID dies"},
			{Short: 'q', Long: "quiet", Help: "never output headers giving file names"},
			{Short: 'q', Long: "silent", Help: "same as --quiet"},
			{Long: "retry", Help: "keep trying to open a file if it is inaccessible"},
			{Short: 's', Long: "sleep-interval", Arg: cmd.Required, Meta: "N", Help: "with -f, sleep for approximately N seconds (default 1.0) between iterations"},
			{Short: 'v', Long: "verbose", Help: "always output headers giving file names"},
			{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
		}, digits...),
		Class:     cmd.Step,
		Obsolete:  tailObsolete,
		OpenError: "cannot open 'NAME' for reading: WHY",
		ReadError: "error reading 'NAME': WHY",
		New:       func() cmd.Program { return &tailProgram{} },
	}
}

// tailObsolete reads the old forms, and parts -f from letters behind it.
func tailObsolete(c *cmd.Ctx, args []string) []string {
	out := make([]string, 0, len(args)+1)
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		if i == 0 && (len(args) == 1 || len(args) == 2 && (args[1] == "-" || !strings.HasPrefix(args[1], "-")) || len(args) <= 3 && args[1] == "--") {
			if form, ok := tailOldForm(a); ok && !(a[0] == '+' && posix2.Strict(c)) {
				out = append(out, form...)
				continue
			}
		}
		// A short f takes no value, though --follow does.
		if len(a) > 2 && len(a) <= maxCluster && a[0] == '-' && a[1] != '-' && (i == 0 || !tailTakesValue(args[i-1])) {
			if k := strings.IndexAny(a, "fcns"); k > 0 && a[k] == 'f' && k+1 < len(a) {
				out = append(out, a[:k+1])
				out = append(out, tailObsolete(c, []string{"-" + a[k+1:]})...)
				continue
			}
		}
		out = append(out, a)
	}
	return out
}

// maxCluster is how many letters behind one - are looked at.
const maxCluster = 64

func tailTakesValue(a string) bool {
	return a == "-c" || a == "-n" || a == "-s" || a == "--lines" || a == "--bytes" || a == "--pid" || a == "--sleep-interval"
}

// tailOldForm reads -5, -5f, -5c, +5 and -20lf.
func tailOldForm(a string) ([]string, bool) {
	if len(a) < 2 || a[0] != '-' && a[0] != '+' {
		return nil, false
	}
	i := 1
	for i < len(a) && a[i] >= '0' && a[i] <= '9' {
		i++
	}
	if i == 1 && a[0] == '-' && strings.IndexByte("bl", a[1]) < 0 { // the others are options
		return nil, false
	}
	num, rest, follow := a[1:i], a[i:], false
	if strings.HasSuffix(rest, "f") {
		follow, rest = true, rest[:len(rest)-1]
	}
	opt := "-n"
	switch rest {
	case "", "l":
	case "c":
		opt = "-c"
	case "b":
		opt, num = "-c", num+"b"
	default:
		return nil, false
	}
	if i == 1 {
		num = "10" + num
	}
	if a[0] == '+' {
		num = "+" + num
	}
	form := []string{opt + num}
	if follow {
		form = append(form, "-f")
	}
	return form, true
}

// tailProgram prints the ends of its files one after the other, then may follow them.
type tailProgram struct {
	In     cmd.Input    `cbor:"1,keyasint,omitempty"`
	Keep   lineWindow   `cbor:"2,keyasint,omitempty"`
	Skip   int64        `cbor:"3,keyasint,omitempty" holds:"count"` // lines or bytes not to print still (+NUM)
	Wrote  bool         `cbor:"5,keyasint,omitempty"`
	Back   int64        `cbor:"6,keyasint,omitempty" holds:"size"`  // searching backwards: the lowest place looked at
	Seek   bool         `cbor:"7,keyasint,omitempty"`               // searching backwards
	Found  int64        `cbor:"8,keyasint,omitempty" holds:"count"` // line ends seen behind Back
	Stream bool         `cbor:"9,keyasint,omitempty"`               // the place was found: print all that comes
	Files  []tailFollow `cbor:"10,keyasint,omitempty"`
	Follow bool         `cbor:"12,keyasint,omitempty"`               // all ends are printed, following
	Shown  int          `cbor:"13,keyasint,omitempty" holds:"count"` // 1 + the followed file printed last

	opt *tailOptions
}

type tailOptions struct {
	bytes, fromStart bool
	num              int64
	delim            byte
	title            bool
	follow, byName   bool
	retry            bool
	interval         int64
	pid              int
}

func (p *tailProgram) options(c *cmd.Ctx) (status int) {
	o := &tailOptions{num: 10, delim: '\n', title: len(c.Args) > 1, interval: 1e9}
	for _, f := range c.Flags {
		if len(f.Name) == 1 && f.Name[0] >= '0' && f.Name[0] <= '9' {
			c.Errorf("option used in invalid context -- %s", f.Name)
			return 1
		}
		switch f.Name {
		case "c", "n":
			o.bytes = f.Name == "c"
			what := "invalid number of lines"
			if o.bytes {
				what = "invalid number of bytes"
			}
			v := f.Value
			o.fromStart = strings.HasPrefix(v, "+")
			if o.fromStart || strings.HasPrefix(v, "-") {
				v = v[1:]
			}
			var ok bool
			if o.num, ok = count(c, what, v); !ok {
				return 1
			}
		case "f", "follow":
			o.follow = true
			if f.Has {
				i, ok := choice.Find(c, "--follow", f.Value, "descriptor,name")
				if !ok {
					return 1
				}
				o.byName = i == 1
			}
		case "F":
			o.follow, o.byName, o.retry = true, true, true
		case "retry":
			o.retry = true
		case "q":
			o.title = false
		case "v":
			o.title = true
		case "z":
			o.delim = 0
		case "s":
			ns, ok := seconds(f.Value)
			if !ok {
				c.Errorf("invalid number of seconds: %s", quote.Locale(c, f.Value))
				return 1
			}
			o.interval = max(ns, 1e6)
		case "pid":
			if !digits(f.Value) {
				c.Errorf("invalid PID: %s", quote.Locale(c, f.Value))
				return 1
			}
			for _, d := range []byte(f.Value) {
				o.pid = min(o.pid*10+int(d-'0'), 1<<40)
			}
		}
	}
	p.opt = o
	return 0
}

// seconds reads a number of seconds, which may have a fraction, as ns.
func seconds(s string) (ns int64, ok bool) {
	whole, frac, _ := strings.Cut(s, ".")
	if whole+frac == "" || !digits("0"+whole) || !digits("0"+frac) {
		return 0, false
	}
	for _, d := range []byte(whole) {
		if ns = ns*10 + int64(d-'0'); ns > 1e9 {
			ns = 1e9
		}
	}
	ns *= 1e9
	unit := int64(1e8)
	for _, d := range []byte(frac) {
		ns += int64(d-'0') * unit
		unit /= 10
	}
	return ns, true
}

func (p *tailProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.opt == nil {
		if status := p.options(c); status != 0 {
			return cmd.Exit(status)
		}
	}
	if p.Follow {
		return p.poll(c)
	}
	o := p.opt
	if o.num == 0 && !o.fromStart && !o.follow { // no file is even opened
		return cmd.Exit(0)
	}
	if !p.In.Opened {
		before := p.In.I
		if !p.In.Advance(c) {
			p.missed(c, before, len(c.Args))
			return p.ended(c)
		}
		p.missed(c, before, p.In.I-1)
		p.In.Lines.Reset()
		fileTitle(c, &p.In.Operands, o.title, &p.Wrote)
		p.Keep, p.Stream, p.Seek = lineWindow{}, false, false
		p.place(c)
	}
	if p.Seek {
		return p.search(c)
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	switch err := p.In.Fill(c, p.In.FD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		c.Flush()
		return cmd.WaitRead(p.In.FD)
	default:
		p.In.Operands.Fail(c, err)
		return cmd.Again()
	}
	data := p.In.Take()
	switch {
	case p.Stream:
		c.Out.Write(data)
	case o.fromStart:
		p.fromStart(c, data)
	case o.bytes:
		p.Keep.bytes(nil, data, o.num)
	default:
		p.Keep.last(data, o.num, o.delim)
	}
	p.In.Kept = p.Keep.size()
	if !p.In.EOF {
		return cmd.Again()
	}
	if rest := p.Keep.front(); rest != nil {
		rest = rest[:min(len(rest), c.Turn(2*cmd.Turn))]
		c.Out.Write(rest)
		p.Keep.drop(len(rest))
		p.In.Kept = p.Keep.size()
	}
	if p.Keep.front() == nil {
		p.Keep, p.In.Kept = lineWindow{}, 0
		p.keepOpen(c)
	}
	return cmd.Again()
}

// place decides how to find the end of a file: a regular file is searched
// backwards, anything else is read through.
func (p *tailProgram) place(c *cmd.Ctx) {
	o := p.opt
	p.Skip = 0
	if o.fromStart {
		p.Skip = max(0, o.num-1)
		return
	}
	st, err := c.Fstat(p.In.FD)
	at, seekErr := c.Seek(p.In.FD, 0, 1)
	if err != nil || seekErr != nil || !st.Mode.IsRegular() || st.Size-at < 4*cmd.Turn && !o.bytes {
		return
	}
	if o.bytes {
		c.Seek(p.In.FD, max(at, st.Size-o.num), 0) //nolint:errcheck // it worked above
		p.Stream = true
		return
	}
	p.Seek, p.Back, p.Found = true, st.Size, 0
}

// search looks at one block more of a regular file, backwards.
func (p *tailProgram) search(c *cmd.Ctx) cmd.Next {
	o := p.opt
	st, err := c.Fstat(p.In.FD)
	if err != nil || p.Back > st.Size {
		p.Seek = false
		return cmd.Again()
	}
	from := max(0, p.Back-cmd.Turn)
	block := make([]byte, p.Back-from)
	c.Seek(p.In.FD, from, 0) //nolint:errcheck // the file is regular
	for n := 0; n < len(block); {
		k, err := c.Read(p.In.FD, block[n:])
		if err != nil {
			break
		}
		n += k
	}
	if p.Back == st.Size && len(block) > 0 && block[len(block)-1] != o.delim {
		p.Found++
	}
	start := int64(-1)
	for i := len(block) - 1; i >= 0; {
		k := bytes.LastIndexByte(block[:i+1], o.delim)
		if k < 0 {
			break
		}
		if p.Found++; p.Found > o.num {
			start = from + int64(k) + 1
			break
		}
		i = k - 1
	}
	if o.num == 0 {
		start = st.Size
	}
	p.Back = from
	if start < 0 && from > 0 {
		return cmd.Again()
	}
	c.Seek(p.In.FD, max(0, start), 0) //nolint:errcheck // the file is regular
	p.Seek, p.Stream = false, true
	return cmd.Again()
}

// fromStart prints all but the first lines or bytes.
func (p *tailProgram) fromStart(c *cmd.Ctx, data []byte) {
	for p.Skip > 0 && len(data) > 0 {
		n := int(min(p.Skip, int64(len(data))))
		if p.opt.bytes {
			p.Skip -= int64(n)
		} else if n = bytes.IndexByte(data, p.opt.delim) + 1; n == 0 {
			return
		} else {
			p.Skip--
		}
		data = data[n:]
	}
	c.Out.Write(data)
}
