package bc

import (
	"math/big"
	"testing"

	"eryxsh/core/large"
)

// TestDecimal: a number in halves has the digits of the whole.
func TestDecimal(t *testing.T) {
	ten := big.NewInt(10)
	for _, n := range []int64{0, 1, leafDigits - 1, leafDigits, leafDigits + 1, 2*leafDigits - 1, 2 * leafDigits, 2*leafDigits + 1, 4 * leafDigits, 5*leafDigits + 7, 9 * leafDigits} {
		power := new(big.Int).Exp(ten, big.NewInt(n), nil)
		for _, add := range []int64{-1, 0, 1} {
			v := new(big.Int).Add(power, big.NewInt(add))
			if got, want := decimal(v, large.Free), v.String(); got != want {
				t.Errorf("10^%d%+d: %d digits instead of %d", n, add, len(got), len(want))
			}
		}
		v := new(big.Int).Exp(big.NewInt(7), big.NewInt(n), nil)
		if got, want := decimal(v, large.Free), v.String(); got != want {
			t.Errorf("7^%d: %d digits instead of %d", n, len(got), len(want))
		}
	}
}
