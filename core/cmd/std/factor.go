package std

import (
	"io"
	"math/big"
	"sort"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
)

func factor() *cmd.Command {
	return &cmd.Command{
		Name: "factor", Summary: "print the prime factors of each specified integer NUMBER",
		Usage: "factor [NUMBER]...\nfactor OPTION",
		Class: cmd.Step,
		New:   func() cmd.Program { return &factorProgram{} },
	}
}

// factorProgram factors one number after the other.
type factorProgram struct {
	In     cmd.Lines `cbor:"1,keyasint,omitempty"`
	I      int       `cbor:"2,keyasint,omitempty" holds:"operand"` // operands done
	Words  []string  `cbor:"3,keyasint,omitempty"`                 // of the line that was read
	Status int       `cbor:"4,keyasint,omitempty"`
	Num    factoring `cbor:"5,keyasint,omitempty"`
}

func (p *factorProgram) Step(c *cmd.Ctx) cmd.Next {
	if p.Num.Text != "" {
		return p.goOn(c)
	}
	if len(c.Args) > 0 {
		if p.I >= len(c.Args) {
			return cmd.Exit(p.Status)
		}
		p.I++
		return p.one(c, strings.TrimSpace(c.Args[p.I-1]))
	}
	if len(p.Words) > 0 {
		word := p.Words[0]
		p.Words = p.Words[1:]
		return p.one(c, word)
	}
	if line, ok := p.In.Next('\n'); ok {
		p.Words = strings.Fields(string(line))
		return cmd.Again()
	}
	if p.In.Ended() {
		return cmd.Exit(p.Status)
	}
	switch err := p.In.Fill(c, 0); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(0)
	default:
		c.Errorf("error reading input: %s", err)
		return cmd.Exit(1)
	}
	return cmd.Again()
}

// factorMaxDigits bounds a number: beyond, not even dividing it is quick.
const factorMaxDigits = 1000

func (p *factorProgram) one(c *cmd.Ctx, word string) cmd.Next {
	text := strings.TrimPrefix(word, "+")
	if !digits(text) {
		c.Errorf("%s is not a valid positive integer", quote.Locale(c, word))
		p.Status = 1
		return cmd.Again()
	}
	if len(text) > factorMaxDigits {
		return cmd.Exit(c.NotYet("numbers of more than 1000 digits"))
	}
	p.Num = factoring{Text: text, Left: 200_000}
	n, _ := new(big.Int).SetString(text, 10)
	p.Num.small(n)
	return p.goOn(c)
}

// goOn works on a number for a turn.
func (p *factorProgram) goOn(c *cmd.Ctx) cmd.Next {
	f := &p.Num
	if !f.turn(c) {
		return cmd.Again()
	}
	if f.Left <= 0 {
		return cmd.Exit(c.NotYet("the factors of " + f.Text))
	}
	primes := make([]*big.Int, len(f.Primes))
	for i, b := range f.Primes {
		primes[i] = new(big.Int).SetBytes(b)
	}
	sort.Slice(primes, func(i, j int) bool { return primes[i].Cmp(primes[j]) < 0 })
	n, _ := new(big.Int).SetString(f.Text, 10)
	c.Out.WriteString(n.String() + ":")
	for _, q := range primes {
		c.Out.WriteString(" " + q.String())
	}
	c.Out.WriteByte('\n')
	*f = factoring{}
	return cmd.Again()
}

// factoring is the work on one number.
type factoring struct {
	Text   string   `cbor:"1,keyasint,omitempty"` // the number; "" is none
	Primes [][]byte `cbor:"2,keyasint,omitempty"`
	Work   [][]byte `cbor:"3,keyasint,omitempty"`               // what has to be factored still, the last first
	Left   int      `cbor:"4,keyasint,omitempty" holds:"count"` // steps of Pollard's rho; at 0 the number is too hard
	Rho    rho      `cbor:"5,keyasint,omitempty"`               // the work on the last of Work, known to be composite
}

// factorTurn is how many steps of Pollard's rho a turn takes.
const factorTurn = 2048

// small takes the prime factors below 1000 out of n.
func (f *factoring) small(n *big.Int) {
	var q, r big.Int
	for d := int64(2); d < 1000 && n.BitLen() > 1; d++ {
		div := big.NewInt(d)
		for {
			if q.QuoRem(n, div, &r); r.Sign() != 0 {
				break
			}
			f.Primes = append(f.Primes, div.Bytes())
			n.Set(&q)
		}
	}
	f.Work = [][]byte{n.Bytes()}
}

// turn goes on for a turn, and reports whether all is done, or Left used up.
func (f *factoring) turn(c *cmd.Ctx) bool {
	budget := c.Turn(factorTurn)
	for len(f.Work) > 0 && f.Left > 0 {
		if budget <= 0 {
			return false
		}
		last := len(f.Work) - 1
		m := new(big.Int).SetBytes(f.Work[last])
		switch {
		case f.Rho.Add > 0:
			was := budget
			d := f.Rho.turn(m, &budget)
			f.Left -= was - budget
			c.Charge(2 * (was - budget))
			if d != nil {
				f.Work[last] = d.Bytes()
				f.Work = append(f.Work, new(big.Int).Quo(m, d).Bytes())
				f.Rho = rho{}
			}
		case m.BitLen() <= 1:
			f.Work = f.Work[:last]
		default:
			budget -= m.BitLen()
			c.Charge(m.BitLen())
			if m.ProbablyPrime(20) {
				f.Primes = append(f.Primes, m.Bytes())
				f.Work = f.Work[:last]
			} else {
				f.Rho = rho{Add: 1}
			}
		}
	}
	return true
}

// Wrong checks that there are numbers to work on.
func (f *factoring) Wrong(*cmd.Ctx) string {
	if f.Text != "" && (!digits(f.Text) || len(f.Text) > factorMaxDigits) {
		return "no number to factor"
	}
	for _, b := range f.Work {
		if len(b) > factorMaxDigits {
			return "a factor is longer than the number"
		}
	}
	if n := len(f.Work); f.Rho.Add != 0 && n > 0 && new(big.Int).SetBytes(f.Work[n-1]).BitLen() <= 1 {
		return "nothing is left to factor"
	}
	return ""
}

// rho is the search for a proper divisor of a composite number by Pollard's method with Brent's cycle search.
type rho struct {
	Add     int64  `cbor:"1,keyasint,omitempty"`              // of the sequence v*v+Add; 0: there is no search
	R       int    `cbor:"2,keyasint,omitempty" holds:"size"` // length of the part of the sequence; 0: not begun
	K       int    `cbor:"3,keyasint,omitempty" holds:"size"` // steps of the part: first R to come to it, then R in it
	X       []byte `cbor:"4,keyasint,omitempty"`
	Y       []byte `cbor:"5,keyasint,omitempty"`
	Product []byte `cbor:"6,keyasint,omitempty"` // of all differences
}

// rhoBatch is how many differences are looked at together.
const rhoBatch = 128

// turn goes on until a divisor is found or the budget is used up; then it gives nil.
func (h *rho) turn(n *big.Int, budget *int) *big.Int {
	if s := new(big.Int).Sqrt(n); new(big.Int).Mul(s, s).Cmp(n) == 0 {
		return s
	}
	one, g, diff := big.NewInt(1), big.NewInt(1), new(big.Int)
	if h.R == 0 {
		h.R, h.K, h.X, h.Y, h.Product = 1, 0, []byte{2}, []byte{2}, []byte{1}
	}
	x, y, product := new(big.Int).SetBytes(h.X), new(big.Int).SetBytes(h.Y), new(big.Int).SetBytes(h.Product)
	a := big.NewInt(h.Add)
	next := func(v *big.Int) {
		v.Mul(v, v)
		v.Add(v, a)
		v.Mod(v, n)
		*budget--
	}
	saved := new(big.Int)
	for *budget > 0 && g.Cmp(one) == 0 {
		if h.K < h.R {
			next(y)
			h.K++
			continue
		}
		saved.Set(y)
		for i := 0; i < rhoBatch && h.K < 2*h.R; i++ {
			next(y)
			product.Mul(product, diff.Sub(x, y))
			product.Mod(product, n)
			h.K++
		}
		g.GCD(nil, nil, diff.Abs(product), n)
		if h.K >= 2*h.R {
			if g.Cmp(one) == 0 {
				x.Set(y)
			}
			h.R, h.K = 2*h.R, 0
		}
	}
	met := g.Cmp(n) == 0
	if met { // several factors met at once: go back one by one
		g.Set(one)
		for i := 0; i < rhoBatch && g.Cmp(one) == 0; i++ {
			next(saved)
			g.GCD(nil, nil, diff.Abs(diff.Sub(x, saved)), n)
		}
	}
	switch {
	case g.Cmp(one) == 0 && !met:
		h.X, h.Y, h.Product = x.Bytes(), y.Bytes(), product.Bytes()
	case g.Cmp(n) != 0:
		return g
	default:
		*h = rho{Add: h.Add + 1}
	}
	return nil
}
