package std

import (
	"math/big"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/format"
	"eryxsh/core/cmd/quote"
)

func seq() *cmd.Command {
	return &cmd.Command{
		Name: "seq", Summary: "print numbers from FIRST to LAST, in steps of INCREMENT",
		Usage: "seq [OPTION]... LAST\nseq [OPTION]... FIRST LAST\nseq [OPTION]... FIRST INCREMENT LAST",
		Options: []cmd.Option{
			{Short: 'f', Long: "format", Arg: cmd.Required, Meta: "FORMAT", Help: "use printf style floating-point FORMAT"},
			{Short: 's', Long: "separator", Arg: cmd.Required, Meta: "STRING", Help: "use STRING to separate numbers (default: \\n)"},
			{Short: 'w', Long: "equal-width", Help: "equalize width by padding with leading zeroes"},
		},
		Class:         cmd.Step,
		StopAtOperand: true,
		Obsolete:      seqNegative,
		New:           func() cmd.Program { return &seqProgram{} },
	}
}

// seqNegative ends the options before a negative number, as seq itself does.
func seqNegative(_ *cmd.Ctx, args []string) []string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--" || a == "" || a[0] != '-':
			return args
		case len(a) > 1 && (a[1] == '.' || a[1] >= '0' && a[1] <= '9' || strings.HasPrefix(a[1:], "inf")):
			out := append([]string{}, args[:i]...)
			return append(append(out, "--"), args[i:]...)
		case a == "-f" || a == "-s" || strings.HasPrefix(a, "--f") && !strings.Contains(a, "=") || strings.HasPrefix(a, "--s") && !strings.Contains(a, "="):
			i++
		}
	}
	return args
}

// seqProgram prints FIRST + I*INCREMENT for I from 0.
type seqProgram struct {
	I int64 `cbor:"1,keyasint,omitempty"` // numbers printed

	plan *seqPlan
}

// Wrong checks the count.
func (p *seqProgram) Wrong(*cmd.Ctx) string {
	if p.I < 0 || p.I > 1<<60 {
		return "a count of numbers that cannot be"
	}
	return ""
}

// seqPlan is the command line. Numbers are whole multiples of 10^-prec, exactly,
// unless they are too large for that: then first is nil.
type seqPlan struct {
	first, step, last big.Int // scaled by 10^prec
	endless           bool
	empty             bool
	small             bool // everything fits in an int64
	prec              int
	width             int // with zeros; 0: as they come
	sep               string
	minus             bool // FIRST is -0: a sign before the first number
	format            *seqFormat
	start, by, until  *big.Float // as long doubles, which -f shows; until is nil if endless
}

// seqFormat is -f: text around one conversion.
type seqFormat struct {
	before, after string
	spec          format.Spec
}

// seqNumber is an operand.
type seqNumber struct {
	value *big.Rat // nil is an infinity
	float *big.Float
	neg   bool // of an infinity
	width int
	prec  int // -1: unknown (a hexadecimal fraction)
}

func (p *seqProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.plan == nil {
		plan, status := seqParse(c)
		if plan == nil {
			return cmd.Exit(status)
		}
		p.plan = plan
	}
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	if p.plan.empty {
		return cmd.Exit(0)
	}
	var done bool
	if p.plan.small && p.plan.format == nil {
		done = p.integers(c)
	} else {
		done = p.numbers(c)
	}
	if done {
		c.Out.WriteByte('\n')
		return cmd.Exit(0)
	}
	return cmd.Again()
}

// integers prints numbers that fit in an int64 for one turn.
func (p *seqProgram) integers(c *cmd.Ctx) (done bool) {
	plan := p.plan
	step, last := plan.step.Int64(), plan.last.Int64()
	v := plan.first.Int64() + p.I*step
	out := c.Out.B
	end := len(out) + c.Turn(cmd.Turn)
	for len(out) < end {
		if !plan.endless && (step > 0 && v > last || step < 0 && v < last) {
			done = true
			break
		}
		if p.I > 0 {
			out = append(out, plan.sep...)
		} else if plan.minus {
			out = append(out, '-')
		}
		if v == 0 && plan.prec > 0 && p.I > 0 && plan.at(p.I).Signbit() {
			out = append(out, '-') // the error of the sum is below zero
			out = seqPlace(out, v, plan.prec, plan.width-1)
		} else {
			out = seqPlace(out, v, plan.prec, plan.width)
		}
		v += step
		p.I++
	}
	c.Out.B = out
	c.Charge(16)
	return done
}

// seqPlace writes v scaled by 10^prec with its point, zero padded to width.
func seqPlace(out []byte, v int64, prec, width int) []byte {
	if prec == 0 && width <= 1 {
		return strconv.AppendInt(out, v, 10)
	}
	var digits [40]byte
	i := len(digits)
	neg := v < 0
	u := uint64(v)
	if neg {
		u = -u
	}
	for n := 0; n <= prec || u > 0; n++ {
		if n == prec && prec > 0 {
			i--
			digits[i] = '.'
		}
		i--
		digits[i] = '0' + byte(u%10)
		u /= 10
	}
	if neg {
		out = append(out, '-')
		width--
	}
	for n := len(digits) - i; n < width; n++ {
		out = append(out, '0')
	}
	return append(out, digits[i:]...)
}

// numbers prints any numbers for one turn.
func (p *seqProgram) numbers(c *cmd.Ctx) (done bool) {
	plan := p.plan
	end := c.Out.Len() + c.Turn(cmd.Turn/4)
	var v big.Int
	for c.Out.Len() < end {
		v.Mul(&plan.step, big.NewInt(p.I))
		v.Add(&v, &plan.first)
		if plan.format != nil {
			if !p.formatted(c, &v) {
				return true
			}
			continue
		}
		if s := plan.step.Sign(); !plan.endless && (s > 0 && v.Cmp(&plan.last) > 0 || s < 0 && v.Cmp(&plan.last) < 0) {
			return true
		}
		if p.I > 0 {
			c.Out.WriteString(plan.sep)
		}
		p.I++
		c.Charge(10)
		text := new(big.Int).Abs(&v).String()
		if n := plan.prec + 1 - len(text); n > 0 {
			text = strings.Repeat("0", n) + text
		}
		if plan.prec > 0 {
			text = text[:len(text)-plan.prec] + "." + text[len(text)-plan.prec:]
		}
		sign := ""
		if v.Sign() < 0 {
			sign = "-"
		}
		if n := plan.width - len(text) - len(sign); n > 0 {
			text = strings.Repeat("0", n) + text
		}
		c.Out.WriteString(sign + text)
	}
	return false
}

// at is number i as seq computes it: a long double, with its errors.
func (plan *seqPlan) at(i int64) *big.Float {
	x := new(big.Float).SetPrec(64).SetInt64(i)
	x.Mul(x, plan.by)
	return x.Add(plan.start, x)
}

// formatted prints a number by -f; v is its exact value. It is false behind the
// last number, where one more is still printed if it looks like the last.
func (p *seqProgram) formatted(c *cmd.Ctx, v *big.Int) bool {
	plan := p.plan
	x := plan.at(p.I)
	text := string(plan.format.spec.Float(nil, format.BigFloat(x)))
	s := plan.step.Sign()
	if !plan.endless && (s > 0 && v.Cmp(&plan.last) > 0 || s < 0 && v.Cmp(&plan.last) < 0) {
		shown, n, _ := format.ParseFloat(text)
		beyond := new(big.Int).Sub(v, &plan.step) // the number before, which may be behind the last as well
		if c := beyond.Cmp(&plan.last); s > 0 && c > 0 || s < 0 && c < 0 {
			return false
		}
		if n != len(text) || shown.Big() == nil || shown.Big().Cmp(plan.until) != 0 || p.I == 0 ||
			string(plan.format.spec.Float(nil, format.BigFloat(plan.at(p.I-1)))) == text {
			return false
		}
	}
	if p.I > 0 {
		c.Out.WriteString(plan.sep)
	}
	p.I++
	c.Charge(20)
	c.Out.WriteString(plan.format.before + text + plan.format.after)
	return true
}

// seqParse reads the command line; nil and a status if it is wrong.
func seqParse(c *cmd.Ctx) (*seqPlan, int) {
	plan := &seqPlan{sep: "\n"}
	if f, ok := c.Flags.Last("s"); ok {
		plan.sep = f.Value
	}
	switch n := len(c.Args); {
	case n == 0:
		return nil, c.MissingOperand("")
	case n > 3:
		return nil, c.ExtraOperand(c.Args[3])
	}
	if f, ok := c.Flags.Last("f"); ok {
		if plan.format, ok = seqReadFormat(c, f.Value); !ok {
			return nil, 1
		}
		if c.Flags.Has("w") {
			return nil, c.UsageError("format string may not be specified when printing equal width strings")
		}
	}
	one := seqNumber{value: big.NewRat(1, 1), float: big.NewFloat(1), width: 1}
	given := []seqNumber{}
	for _, a := range c.Args {
		n, bad := seqReadNumber(a)
		if bad != "" {
			return nil, c.UsageError("invalid %s argument: %s", bad, quote.Locale(c, a))
		}
		given = append(given, n)
	}
	first, step, last := one, one, given[len(given)-1]
	if len(given) > 1 {
		first = given[0]
	}
	if len(given) == 3 {
		step = given[1]
		if step.value != nil && step.value.Sign() == 0 {
			return nil, c.UsageError("invalid Zero increment value: %s", quote.Locale(c, c.Args[1]))
		}
	}
	if first.value == nil || step.value == nil {
		return nil, c.NotYet("infinite FIRST or INCREMENT")
	}
	plan.prec = max(first.prec, step.prec)
	if plan.format != nil {
		plan.prec = max(plan.prec, last.prec)
	}
	seqScale(&plan.first, first.value, plan.prec)
	plan.start, plan.by, plan.until = first.float, step.float, last.float
	plan.minus = first.value.Sign() == 0 && len(c.Args) > 1 && strings.HasPrefix(c.Args[0], "-")
	seqScale(&plan.step, step.value, plan.prec)
	if last.value == nil {
		plan.endless = last.neg == (step.value.Sign() < 0)
		plan.empty = !plan.endless
	} else {
		seqFloor(&plan.last, last.value, plan.prec, step.value.Sign())
		cmp := plan.first.Cmp(&plan.last)
		plan.empty = step.value.Sign() > 0 && cmp > 0 || step.value.Sign() < 0 && cmp < 0
	}
	if c.Flags.Has("w") && last.value != nil {
		plan.width = seqWidth(first, step, last)
	}
	limit := big.NewInt(1 << 61)
	plan.small = plan.first.CmpAbs(limit) < 0 && plan.step.CmpAbs(limit) < 0 && plan.last.CmpAbs(limit) < 0
	return plan, 0
}

// seqWidth is the width of the widest number, as seq computes it from how FIRST and LAST are typed.
func seqWidth(first, step, last seqNumber) int {
	prec := max(first.prec, step.prec)
	a, b := first.width+prec-first.prec, last.width+prec-last.prec
	if last.prec > 0 && prec == 0 {
		b--
	}
	if last.prec == 0 && prec > 0 {
		b++
	}
	if first.prec == 0 && prec > 0 {
		a++
	}
	return max(a, b)
}

func seqScale(to *big.Int, v *big.Rat, prec int) {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(prec)), nil)
	r := new(big.Rat).Mul(v, new(big.Rat).SetInt(scale))
	to.Quo(r.Num(), r.Denom())
}

// seqFloor scales the last number, rounded towards the first.
func seqFloor(to *big.Int, v *big.Rat, prec, sign int) {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(prec)), nil)
	r := new(big.Rat).Mul(v, new(big.Rat).SetInt(scale))
	if sign > 0 {
		to.Div(r.Num(), r.Denom()) // Euclidean: the floor, as the denominator is positive
		return
	}
	n := new(big.Int).Neg(r.Num())
	to.Div(n, r.Denom())
	to.Neg(to)
}

// seqMaxDigits bounds the size of the numbers seq computes with.
const seqMaxDigits = 5000

// seqReadNumber reads an operand; bad names what it should have been.
func seqReadNumber(arg string) (n seqNumber, bad string) {
	const kind = "floating point"
	if len(arg) > seqMaxDigits {
		return n, kind
	}
	f, taken, _ := format.ParseFloat(arg)
	if taken == 0 || taken != len(arg) {
		return n, kind
	}
	if f.Big() == nil {
		return n, "‘not-a-number’"
	}
	if f.Big().IsInf() {
		return seqNumber{neg: f.Big().Signbit()}, ""
	}
	n.float = f.Big()
	text := strings.TrimLeft(arg, " \t\n\v\f\r+")
	if strings.ContainsAny(text, "xX") {
		r, _ := f.Big().Rat(nil)
		n.value = r
		if !r.IsInt() {
			_, frac, _ := strings.Cut(r.FloatString(64), ".")
			n.prec = len(strings.TrimRight(frac, "0"))
		}
		return n, ""
	}
	mant, exp := text, 0
	e := strings.IndexAny(text, "eE")
	if e >= 0 {
		mant = text[:e]
		neg := strings.HasPrefix(text[e+1:], "-")
		for _, d := range []byte(strings.TrimLeft(text[e+1:], "+-")) {
			if exp = exp*10 + int(d-'0'); exp > seqMaxDigits && neg { // nearer to zero than any number is
				n.value = new(big.Rat)
				return n, ""
			} else if exp > seqMaxDigits {
				return n, kind
			}
		}
		if neg {
			exp = -exp
		}
	}
	r, ok := new(big.Rat).SetString(mant)
	if !ok {
		return n, kind
	}
	ten := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exp, -exp))), nil))
	if exp < 0 {
		r.Quo(r, ten)
	} else {
		r.Mul(r, ten)
	}
	n.value = r
	n.width = len(mant)
	point := strings.IndexByte(mant, '.')
	frac := 0
	if point >= 0 {
		frac = len(mant) - point - 1
		switch {
		case frac == 0:
			n.width--
		case point == 0 || mant[point-1] == '-':
			n.width++
		}
	}
	n.prec = max(0, frac-exp)
	switch {
	case exp < 0:
		if point < 0 {
			n.width++
		} else if frac == 0 {
			n.width++
		}
		n.width -= exp
	case exp > 0:
		if point >= 0 && n.prec == 0 && frac > 0 {
			n.width--
		}
		n.width += exp - min(frac, exp)
	}
	return n, ""
}

// seqReadFormat reads the argument of -f.
func seqReadFormat(c *cmd.Ctx, text string) (*seqFormat, bool) {
	parts, verb, fault := format.Split(text, "aAeEfFgG")
	switch fault {
	case format.TooMany:
		c.Errorf("format %s has too many %% directives", quote.Locale(c, text))
	case format.Unfinished:
		c.Errorf("format %s ends in %%", quote.Locale(c, text))
	case format.Unknown:
		c.Errorf("format %s has unknown %%%s directive", quote.Locale(c, text), verb)
	case format.Missing:
		c.Errorf("format %s has no %% directive", quote.Locale(c, text))
	}
	return &seqFormat{before: parts.Before, after: parts.After, spec: parts.Spec}, fault == format.None
}
