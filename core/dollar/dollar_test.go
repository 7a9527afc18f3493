package dollar

import "testing"

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                      `$''`,
		"a'b\\":                 `$'a\'b\\'`,
		"\a\b\x1b\f\n\r\t\v":    `$'\a\b\E\f\n\r\t\v'`,
		"\x01\x7f\x80é\u200b":   "$'\\001\\177\\200é\u200b'",
		"\u2028 \U000e0001\xc3": "$'\\342\\200\\250 \U000e0001\\303'",
	} {
		if got := Quote(s, false, nil); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}
