package bignum

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"eryxsh/core/large"
)

// random is a number of about n words; some have many ones or zeros.
func random(r *rand.Rand, n int) *big.Int {
	v := new(big.Int)
	if n == 0 {
		return v
	}
	all := make([]big.Word, n)
	kind := r.IntN(4)
	for i := range all {
		switch kind {
		case 0:
			all[i] = ^big.Word(0)
		case 1:
			all[i] = 0
		default:
			all[i] = big.Word(r.Uint64())
		}
	}
	all[n-1] |= big.Word(r.Uint64()>>r.IntN(64)) | 1
	v.SetBits(all)
	if r.IntN(4) == 0 {
		v.Neg(v)
	}
	return v
}

var sizes = []int{0, 1, 2, 15, 17, leaf - 1, leaf, leaf + 1, 2 * leaf, 2*leaf + 3, 3*leaf - 1, 5*leaf + 7, 9 * leaf}

func same(t *testing.T, what string, got, want *big.Int, x, y int) {
	t.Helper()
	if got.Cmp(want) != 0 {
		t.Fatalf("%s of %d and %d words: %d bits instead of %d, or others", what, x, y, got.BitLen(), want.BitLen())
	}
}

// TestAsBig: products, quotients and roots are those of math/big, and nothing changes an operand.
func TestAsBig(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		for _, l := range sizes {
			x, y := random(r, n), random(r, l)
			hadX, hadY := new(big.Int).Set(x), new(big.Int).Set(y)
			same(t, "product", Mul(x, y, large.Free), new(big.Int).Mul(x, y), n, l)
			if l > 0 {
				q, rest := QuoRem(x, y, large.Free)
				wantQ, wantR := new(big.Int).QuoRem(x, y, new(big.Int))
				same(t, "quotient", q, wantQ, n, l)
				same(t, "remainder", rest, wantR, n, l)
				exact, rest := QuoRem(new(big.Int).Mul(x, y), y, large.Free)
				same(t, "exact quotient", exact, x, n, l)
				same(t, "no remainder", rest, new(big.Int), n, l)
			}
			same(t, "first operand", x, hadX, n, l)
			same(t, "second operand", y, hadY, n, l)
		}
		x := random(r, n)
		x.Abs(x)
		same(t, "square", Mul(x, x, large.Free), new(big.Int).Mul(x, x), n, n)
		same(t, "root", Sqrt(x, large.Free), new(big.Int).Sqrt(x), n, 0)
		square := new(big.Int).Mul(x, x)
		same(t, "root of a square", Sqrt(square, large.Free), x, n, 0)
		if square.Sign() > 0 {
			less := new(big.Int).Sub(square, big.NewInt(1))
			same(t, "root of less than a square", Sqrt(less, large.Free), new(big.Int).Sqrt(less), n, 0)
		}
	}
}

func TestPow(t *testing.T) {
	for _, x := range []int64{-6, -1, 0, 1, 2, 3, 10, 48} {
		for _, n := range []uint64{0, 1, 2, 3, 64, 1000, 40001} {
			same(t, "power", Pow(big.NewInt(x), n, large.Free), new(big.Int).Exp(big.NewInt(x), new(big.Int).SetUint64(n), nil), int(x), int(n))
		}
	}
}

// TestText: digits in parts are those of the whole, and read back they are the number.
func TestText(t *testing.T) {
	for _, base := range []int{2, 3, 7, 10, 16, 36} {
		per := perLeaf(int64(base))
		for _, n := range []int{0, 1, per - 1, per, per + 1, 2*per - 1, 2 * per, 2*per + 1, 4 * per, 5*per + 7} {
			power := new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(n)), nil)
			for _, add := range []int64{-1, 0, 1} {
				v := new(big.Int).Add(power, big.NewInt(add))
				checkText(t, v, base)
				checkText(t, v.Neg(v), base)
			}
			checkText(t, new(big.Int).Exp(big.NewInt(11), big.NewInt(int64(n)), nil), base)
		}
	}
}

func checkText(t *testing.T, v *big.Int, base int) {
	t.Helper()
	want := v.Text(base)
	if got := Text(v, base, large.Free); got != want {
		t.Fatalf("base %d: %d digits instead of %d, or others", base, len(got), len(want))
	}
	if back, ok := Parse(want, base, large.Free); !ok || back.Cmp(v) != 0 {
		t.Fatalf("base %d: %d digits read back otherwise", base, len(want))
	}
	if v.Sign() < 0 {
		return
	}
	digits := []byte{}
	for _, d := range Digits(v, int64(base), large.Free) {
		digits = append(digits, "0123456789abcdefghijklmnopqrstuvwxyz"[d])
	}
	if v.Sign() > 0 && string(digits) != want || v.Sign() == 0 && len(digits) > 0 {
		t.Fatalf("base %d: digits of a number of %d are others", base, len(want))
	}
}

// TestParseBad: what is no number is none, wherever the fault is.
func TestParseBad(t *testing.T) {
	good := make([]byte, 3*perLeaf(10))
	for i := range good {
		good[i] = '7'
	}
	for at := 0; at < len(good); at += 1000 {
		for _, bad := range "-+_ax " {
			if at == 0 && (bad == '-' || bad == '+') {
				continue
			}
			s := append([]byte(nil), good...)
			s[at] = byte(bad)
			if _, ok := Parse(string(s), 10, large.Free); ok {
				t.Errorf("%q at %d is taken as a digit", bad, at)
			}
		}
	}
}

func BenchmarkMul(b *testing.B) {
	for _, n := range []uint64{leaf, 10 * leaf, 100 * leaf} {
		x, y := Pow(big.NewInt(3), 40*n, large.Free), Pow(big.NewInt(7), 23*n, large.Free)
		b.Run("ours", func(b *testing.B) {
			for b.Loop() {
				Mul(x, y, large.Free)
			}
		})
		b.Run("big", func(b *testing.B) {
			for b.Loop() {
				new(big.Int).Mul(x, y)
			}
		})
		z := new(big.Int).Mul(x, y)
		z.Sub(z, big.NewInt(1))
		b.Run("quotient", func(b *testing.B) {
			for b.Loop() {
				QuoRem(z, y, large.Free)
			}
		})
		b.Run("big quotient", func(b *testing.B) {
			for b.Loop() {
				new(big.Int).QuoRem(z, y, new(big.Int))
			}
		})
	}
}
