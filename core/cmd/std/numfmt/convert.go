package numfmt

import (
	"fmt"
	"math/big"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/format"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
)

// The digits of a long double, and the most that are read or written.
const (
	maxUnscaled   = 18
	maxAcceptable = 33
	suffixes      = "KMGTPEZY"
)

func ld(v int64) *big.Float { return new(big.Float).SetPrec(64).SetInt64(v) }

func power(base int64, n int) *big.Float {
	v := ld(1)
	for ; n > 0; n-- {
		v.Mul(v, ld(base))
	}
	return v
}

// convert gives what stands for a field. A bad number stays as it is, or ends the program (false).
func (p *program) convert(c *cmd.Ctx, text string, field int) (out string, ok bool) {
	o := p.opt
	bad := func(format string, args ...any) (string, bool) {
		p.Failed = true
		if o.invalid != "ignore" {
			c.Errorf(format, args...)
		}
		return text, o.invalid != "abort"
	}
	if o.suffix != "" && len(text) > len(o.suffix) {
		text = strings.TrimSuffix(text, o.suffix)
	}
	number := strings.TrimLeft(text, " \t\n")
	pad := o.padding
	if o.autoPad && (len(number) < len(text) || field > 1) {
		pad = len(text)
	}
	v, prec, message := o.parse(number)
	if message != "" {
		return bad("%s", message)
	}
	if o.debug && digits(number) > maxUnscaled {
		c.Errorf("large input value %s: possible precision loss", quote.Locale(o.charset, number))
	}
	if o.fromUnit != 1 || o.toUnit != 1 {
		v.Mul(v, ld(o.fromUnit))
		v.Quo(v, ld(o.toUnit))
	}
	if o.prec >= 0 {
		prec = o.prec
	}
	general := func() string { return string(format.Spec{Verb: 'g', Prec: -1}.Float(nil, format.BigFloat(v))) }
	x := exponent(v)
	switch {
	case o.to == none && x+prec > maxUnscaled && prec > 0:
		return bad("value/precision too large to be printed: '%s/%d' (consider using --to)", general(), prec)
	case o.to == none && x+prec > maxUnscaled:
		return bad("value too large to be printed: '%s' (consider using --to)", general())
	case x > maxAcceptable-7:
		return bad("value too large to be printed: '%s' (cannot handle values > 999Y)", general())
	}
	out = o.human(v, prec) + o.suffix
	if n := pad - len(out); n > 0 {
		if o.left {
			out += large.Repeat(" ", n, c)
		} else {
			out = large.Repeat(" ", n, c) + out
		}
	}
	return o.before + out + o.after, true
}

// parse reads a number with its unit; message is "" if it is one.
func (o *options) parse(s string) (v *big.Float, prec int, message string) {
	rest := strings.TrimPrefix(s, "-")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	whole, frac := rest[:digits], ""
	rest = rest[digits:]
	invalid := "invalid number: " + quote.Locale(o.charset, s)
	if strings.HasPrefix(rest, ".") {
		n := len(rest) - 1 - len(strings.TrimLeft(rest[1:], "0123456789"))
		frac, rest = rest[1:1+n], rest[1+n:]
		if n == 0 {
			return nil, 0, invalid
		}
	} else if digits == 0 {
		return nil, 0, invalid
	}
	if len(strings.TrimLeft(whole, "0")) > maxAcceptable || len(frac) > maxAcceptable {
		return nil, 0, "value too large to be converted: " + quote.Locale(o.charset, s)
	}
	prec = len(frac)
	v, _, _ = big.ParseFloat("0"+whole+"."+frac+"0", 10, 64, big.ToNearestEven)
	if strings.HasPrefix(s, "-") {
		v.Neg(v)
	}
	missing := "missing 'i' suffix in input: " + quote.Locale(o.charset, s) + " (e.g Ki/Mi/Gi)"
	switch {
	case rest == "" && o.from == iecI:
		return nil, 0, missing
	case rest == "":
		return v, prec, ""
	}
	rest = strings.TrimLeft(rest, " \t")
	k := -1
	if rest != "" {
		k = strings.IndexByte(suffixes, rest[0])
	}
	switch {
	case k < 0:
		return nil, 0, "invalid suffix in input: " + quote.Locale(o.charset, s)
	case o.from == none:
		return nil, 0, "rejecting suffix in input: " + quote.Locale(o.charset, s) + " (consider using --from)"
	}
	rest = rest[1:]
	base := o.from.base()
	if o.from == auto && strings.HasPrefix(rest, "i") {
		base = 1024
		rest = rest[1:]
	}
	if o.from == iecI {
		if !strings.HasPrefix(rest, "i") {
			return nil, 0, missing
		}
		rest = rest[1:]
	}
	if rest != "" {
		return nil, 0, fmt.Sprintf("invalid suffix in input %s: %s", quote.Locale(o.charset, s), quote.Locale(o.charset, rest))
	}
	return v.Mul(v, power(base, k+1)), 0, ""
}

// digits counts those of a number that matter: not the zeros at its start.
func digits(s string) int {
	s = strings.TrimLeft(strings.TrimPrefix(s, "-"), "0")
	rest := strings.TrimLeft(s, "0123456789")
	n := len(s) - len(rest)
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		n += len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
	}
	return n
}

// exponent is how many digits v has before its point, less one; 0 below 10.
func exponent(v *big.Float) int {
	if v.MantExp(nil) <= 3 {
		return 0
	}
	_, n := normalize(v, 10)
	return n
}

// normalize divides v by base until it is below it, and counts how often.
func normalize(v *big.Float, base int64) (m *big.Float, n int) {
	m = new(big.Float).Copy(v)
	b := ld(base)
	for new(big.Float).Abs(m).Cmp(b) >= 0 {
		m.Quo(m, b)
		n++
	}
	return m, n
}

// human writes a number in the unit that fits it.
func (o *options) human(v *big.Float, prec int) string {
	spec := format.Spec{Verb: 'f', Zero: o.zeroWidth > 0, Width: o.zeroWidth}
	if o.to == none {
		spec.Prec = prec
		v = o.rounded(new(big.Float).Copy(v), prec)
		return string(spec.Float(nil, format.BigFloat(v)))
	}
	base := o.to.base()
	m, n := normalize(v, base)
	adjust := 0
	below := func(limit int64) bool { return new(big.Float).Abs(m).Cmp(ld(limit)) < 0 }
	if o.prec >= 0 {
		adjust = min(3*n, o.prec)
	} else if below(10) {
		adjust = 1
	}
	m = o.rounded(m, adjust)
	if !below(base) {
		m.Quo(m, ld(base))
		n++
	}
	if spec.Prec = o.prec; o.prec < 0 {
		spec.Prec = 0
		if m.Sign() != 0 && below(10) && n > 0 {
			spec.Prec = 1
		}
	}
	text := string(spec.Float(nil, format.BigFloat(m)))
	if n > 0 && n <= len(suffixes) {
		text += suffixes[n-1 : n]
		if o.to == iecI {
			text += "i"
		}
	}
	return text
}

// rounded rounds v to so many decimals in the chosen way.
func (o *options) rounded(v *big.Float, decimals int) *big.Float {
	scale := power(10, decimals)
	v.Mul(v, scale)
	whole, accuracy := v.Int(nil)
	away := false
	switch exact := accuracy == big.Exact; o.round {
	case "up":
		away = !exact && v.Sign() > 0
	case "down":
		away = !exact && v.Sign() < 0
	case "from-zero":
		away = !exact
	case "nearest":
		half := new(big.Float).Sub(v, new(big.Float).SetInt(whole))
		away = half.Abs(half).Cmp(big.NewFloat(0.5)) >= 0
	}
	if away {
		whole.Add(whole, big.NewInt(int64(v.Sign())))
	}
	r := new(big.Float).SetPrec(64).SetInt(whole)
	if whole.Sign() == 0 && v.Signbit() {
		r.SetInt64(0)
	}
	return r.Quo(r, scale)
}
