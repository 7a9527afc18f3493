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

// factorProgram factors one number a turn.
type factorProgram struct {
	In     cmd.Lines `cbor:"1,keyasint,omitempty"`
	I      int       `cbor:"2,keyasint,omitempty"` // operands done
	Words  []string  `cbor:"3,keyasint,omitempty"` // of the line that was read
	Status int       `cbor:"4,keyasint,omitempty"`
}

func (p *factorProgram) Step(c *cmd.Ctx) cmd.Next {
	if len(c.Args) > 0 {
		if p.I == len(c.Args) {
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
		c.Errorf("%s is not a valid positive integer", quote.Locale(word))
		p.Status = 1
		return cmd.Again()
	}
	if len(text) > factorMaxDigits {
		return cmd.Exit(c.NotYet("numbers of more than 1000 digits"))
	}
	n, _ := new(big.Int).SetString(text, 10)
	f := factoring{c: c, budget: 200_000}
	f.split(n)
	if f.budget <= 0 {
		return cmd.Exit(c.NotYet("the factors of " + text))
	}
	sort.Slice(f.primes, func(i, j int) bool { return f.primes[i].Cmp(f.primes[j]) < 0 })
	c.Out.WriteString(n.String() + ":")
	for _, q := range f.primes {
		c.Out.WriteString(" " + q.String())
	}
	c.Out.WriteByte('\n')
	return cmd.Again()
}

// factoring is the work on one number.
type factoring struct {
	c      *cmd.Ctx
	primes []*big.Int
	budget int // steps of Pollard's rho; at 0 the number is too hard
}

// split finds the prime factors of n.
func (f *factoring) split(n *big.Int) {
	n = new(big.Int).Set(n)
	var q, r big.Int
	for d := int64(2); d < 1000 && n.BitLen() > 1; d++ {
		div := big.NewInt(d)
		for {
			if q.QuoRem(n, div, &r); r.Sign() != 0 {
				break
			}
			f.primes = append(f.primes, div)
			n.Set(&q)
		}
	}
	work := []*big.Int{n}
	for len(work) > 0 && f.budget > 0 {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		switch {
		case m.BitLen() <= 1:
		case m.ProbablyPrime(20):
			f.primes = append(f.primes, m)
		default:
			if d := f.rho(m); d != nil {
				work = append(work, d, new(big.Int).Quo(m, d))
			}
		}
	}
}

// rho finds a proper divisor of a composite number by Pollard's method with
// Brent's cycle search; nil if the budget is used up.
func (f *factoring) rho(n *big.Int) *big.Int {
	if s := new(big.Int).Sqrt(n); new(big.Int).Mul(s, s).Cmp(n) == 0 {
		return s
	}
	one := big.NewInt(1)
	for add := int64(1); f.budget > 0; add++ {
		y, a := big.NewInt(2), big.NewInt(add)
		x, product, g, diff := new(big.Int), big.NewInt(1), big.NewInt(1), new(big.Int)
		next := func(v *big.Int) {
			v.Mul(v, v)
			v.Add(v, a)
			v.Mod(v, n)
			f.budget--
		}
		saved := new(big.Int)
		for r := 1; g.Cmp(one) == 0 && f.budget > 0; r *= 2 {
			x.Set(y)
			for i := 0; i < r; i++ {
				next(y)
			}
			for k := 0; k < r && g.Cmp(one) == 0 && f.budget > 0; k += 128 {
				saved.Set(y)
				for i := 0; i < 128 && i < r-k; i++ {
					next(y)
					product.Mul(product, diff.Sub(x, y))
					product.Mod(product, n)
				}
				g.GCD(nil, nil, diff.Abs(product), n)
				f.c.Charge(256)
			}
		}
		if g.Cmp(n) == 0 { // several factors met at once: go back one by one
			for g.Set(one); g.Cmp(one) == 0 && f.budget > 0; {
				next(saved)
				g.GCD(nil, nil, diff.Abs(diff.Sub(x, saved)), n)
			}
		}
		if g.Cmp(one) != 0 && g.Cmp(n) != 0 {
			return g
		}
	}
	return nil
}
