// Package bignum is the arithmetic of math/big for numbers of any length, in
// steps between which a Meter hears of the work: a single product of two numbers
// of a million digits takes long enough to hold up a suspension.
//
// Long numbers are halved until math/big does the rest: products as Karatsuba
// has it, quotients by recursive division (Brent and Zimmermann, Modern Computer
// Arithmetic, 1.4.3), roots from half the digits, other bases by powers of the
// base (Knuth, The Art of Computer Programming 2, 4.4).
package bignum

import (
	"math/big"
	"math/bits"

	"eryxsh/core/large"
)

// leaf is how many words math/big gets at a time: a product of two such numbers
// takes about 0.1 ms.
const leaf = 1024

// leafUnits is what that is charged for.
const leafUnits = 1000

func words(x *big.Int) int { return len(x.Bits()) }

// low is the lowest k words of a number that is not negative, and high is the
// others. Both share its memory and are only read.
func low(x *big.Int, k int) *big.Int { return new(big.Int).SetBits(x.Bits()[:min(k, words(x))]) }

func high(x *big.Int, k int) *big.Int { return new(big.Int).SetBits(x.Bits()[min(k, words(x)):]) }

// up is x times 2 to the power of k words.
func up(x *big.Int, k int) *big.Int { return new(big.Int).Lsh(x, uint(k)*bits.UintSize) }

// Mul is the product of x and y.
func Mul(x, y *big.Int, m large.Meter) *big.Int {
	if words(x) <= leaf && words(y) <= leaf {
		return new(big.Int).Mul(x, y)
	}
	a := new(big.Int).Abs(x)
	b := a
	if x != y {
		b = new(big.Int).Abs(y)
	}
	product := multiply(a, b, m)
	if x.Sign()*y.Sign() < 0 {
		product.Neg(product)
	}
	return product
}

// multiply is the product of numbers that are not negative.
func multiply(x, y *big.Int, m large.Meter) *big.Int {
	if words(x) < words(y) {
		x, y = y, x
	}
	n, l := words(x), words(y)
	if n <= leaf || l <= 16 {
		m.Charge(1 + leafUnits*n*l/(leaf*leaf))
		return new(big.Int).Mul(x, y)
	}
	k := (n + 1) / 2
	x1, x0 := high(x, k), low(x, k)
	if l <= k {
		product := up(multiply(x1, y, m), k)
		return product.Add(product, multiply(x0, y, m))
	}
	y1, y0, sums := x1, x0, new(big.Int).Add(x1, x0)
	other := sums
	if x != y {
		y1, y0 = high(y, k), low(y, k)
		other = new(big.Int).Add(y1, y0)
	}
	top, bottom, middle := multiply(x1, y1, m), multiply(x0, y0, m), multiply(sums, other, m)
	middle.Sub(middle, top).Sub(middle, bottom)
	m.Charge(1 + n>>6)
	product := up(top, k)
	product = up(product.Add(product, middle), k)
	return product.Add(product, bottom)
}

// QuoRem is the quotient of x and y, cut off, and what remains, of x's sign. y is not 0.
func QuoRem(x, y *big.Int, m large.Meter) (q, r *big.Int) {
	if words(x)-words(y) <= leaf && words(y) <= leaf || words(y) == 1 {
		m.Charge(1 + words(x)>>6)
		return new(big.Int).QuoRem(x, y, new(big.Int))
	}
	shift := uint(-y.BitLen() & (bits.UintSize - 1)) // divide wants the top bit
	a, b := new(big.Int).Abs(x), new(big.Int).Abs(y)
	q, r = divide(a.Lsh(a, shift), b.Lsh(b, shift), m)
	r = r.Rsh(r, shift)
	if x.Sign() < 0 {
		r.Neg(r)
	}
	if x.Sign()*y.Sign() < 0 {
		q.Neg(q)
	}
	return q, r
}

// Quo is the quotient of x and y, cut off. y is not 0.
func Quo(x, y *big.Int, m large.Meter) *big.Int {
	q, _ := QuoRem(x, y, m)
	return q
}

// divide divides numbers that are not negative; b's highest word has its top bit.
func divide(a, b *big.Int, m large.Meter) (q, r *big.Int) {
	n, d := words(b), words(a)-words(b)
	switch {
	case a.Cmp(b) < 0:
		return new(big.Int), new(big.Int).Set(a)
	case n <= leaf && d <= leaf:
		m.Charge(1 + leafUnits*2*n*(d+1)/(leaf*leaf))
		return new(big.Int).QuoRem(a, b, new(big.Int))
	case d > max(n, leaf):
		return divideLong(a, b, max(n, leaf), m)
	case n > d+1: // few digits of the quotient, for which few of b's suffice
		return divideStep(a, b, n-d-1, 0, m)
	}
	k := d / 2
	q1, r1 := divideStep(a, b, k, k, m)
	q0, r := divideStep(r1, b, k, 0, m)
	q1 = up(q1, k)
	return q1.Add(q1, q0), r
}

// divideLong divides size words of a at a time, from the highest.
func divideLong(a, b *big.Int, size int, m large.Meter) (q, r *big.Int) {
	q, r = new(big.Int), new(big.Int)
	for at := (words(a) - 1) / size * size; at >= 0; at -= size {
		r = up(r, size)
		part, rest := divide(r.Add(r, low(high(a, at), size)), b, m)
		q = up(q, size)
		q.Add(q, part)
		r = rest
	}
	return q, r
}

// divideStep divides a by b times 2 to the power of skip words. The quotient is
// guessed without the lowest k words of b; the guess is at most a little too large.
func divideStep(a, b *big.Int, k, skip int, m large.Meter) (q, r *big.Int) {
	q, rest := divide(high(a, k+skip), high(b, k), m)
	r = up(rest, k)
	r.Add(r, low(high(a, skip), k)).Sub(r, multiply(q, low(b, k), m))
	for one := big.NewInt(1); r.Sign() < 0; r.Add(r, b) {
		q.Sub(q, one)
	}
	if skip > 0 {
		r = up(r, skip)
		r.Add(r, low(a, skip))
	}
	return q, r
}

// Pow is x to the power of n.
func Pow(x *big.Int, n uint64, m large.Meter) *big.Int {
	if x.Sign() == 0 || n == 0 {
		return new(big.Int).Exp(x, new(big.Int).SetUint64(n), nil)
	}
	twos := x.TrailingZeroBits()
	odd := new(big.Int).Rsh(x, twos)
	power := new(big.Int).Set(odd)
	for i := bits.Len64(n) - 2; i >= 0; i-- {
		power = Mul(power, power, m)
		if n>>i&1 == 1 {
			power = Mul(power, odd, m)
		}
	}
	return power.Lsh(power, twos*uint(n))
}

// Sqrt is the square root of x, which is not negative, cut off.
//
// The digits double from round to round, each of which is one of Newton's, with
// as many digits as are right after it; the last may give one too much.
func Sqrt(x *big.Int, m large.Meter) *big.Int {
	if words(x) <= leaf {
		return new(big.Int).Sqrt(x)
	}
	half := uint(x.BitLen()-1) / 2
	root, had := big.NewInt(1), uint(0)
	for i := bits.Len(half) - 1; i >= 0; i-- {
		have := half >> i
		q := Quo(new(big.Int).Rsh(x, 2*half-had-have+1), root, m)
		root = q.Add(q, new(big.Int).Lsh(root, have-had-1))
		had = have
	}
	if Mul(root, root, m).Cmp(x) > 0 {
		root.Sub(root, big.NewInt(1))
	}
	return root
}
