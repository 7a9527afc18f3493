package format

import (
	"math/big"
	"strings"
	"testing"
)

// TestLongMantissa: a number of very many digits is the one all of them make, though only
// the first of them are read.
func TestLongMantissa(t *testing.T) {
	zeros := strings.Repeat("0", 30000)
	for _, s := range []string{
		"18446744073709551617." + zeros,       // half way: to the even neighbour
		"18446744073709551617." + zeros + "1", // a little above it
		"18446744073709551619." + zeros,
		"18446744073709551617" + zeros + "1.5e-30001",
		"-18446744073709551617" + zeros + "e-30000",
		"." + zeros + "18446744073709551617e30020",
		"0." + zeros + "18446744073709551617" + zeros + "1e+30020",
		zeros + "18446744073709551617" + zeros + "e-30000",
		"1" + zeros + "e-30000",
		strings.Repeat("7", 40000) + "e-39999",
		"9223372036854775808.50000000000000000000000000000000000000000000000000001",
		"-92233720368547758085.0000000000000000000000000000000000000000000000000001e-1",
		"0x10000000000000001." + zeros,
		"0x10000000000000001." + zeros + "1",
		"0x10000000000000001" + zeros + "1p-120000",
		"-0x." + zeros + "10000000000000001p+120000",
		"0x" + zeros + "123456789abcdef012345." + zeros,
	} {
		want := exactly(t, s)
		got, n, over := ParseFloat(s)
		if n != len(s) || over || got.Big().Cmp(want) != 0 {
			t.Errorf("%.40s…%s: %s instead of %s, %d bytes of %d", s, s[len(s)-10:], got.Big().Text('p', 0), want.Text('p', 0), n, len(s))
		}
	}
	if f, _, over := ParseFloat("1" + zeros); !over || !f.Big().IsInf() {
		t.Errorf("1 and %d zeros is %v", len(zeros), f.Big())
	}
	if f, _, over := ParseFloat("1" + zeros + "e9223372036854775807"); !over || !f.Big().IsInf() {
		t.Errorf("a number with the greatest exponent is %v", f.Big())
	}
	if f, _, _ := ParseFloat("." + zeros + "1"); f.Big().Sign() != 0 {
		t.Errorf("%d zeros behind the point and a 1 is %v", len(zeros), f.Big())
	}
}

// exactly is the number a text means, by way of a fraction.
func exactly(t *testing.T, s string) *big.Float {
	if strings.Contains(s, "0x") {
		if !strings.Contains(s, "p") {
			s += "p0"
		}
		f, _, err := big.ParseFloat(s, 0, 64, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatalf("%.40s… is no number", s)
	}
	return new(big.Float).SetPrec(64).SetRat(r)
}
