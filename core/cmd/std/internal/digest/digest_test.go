package digest

import (
	"encoding/hex"
	"strings"
	"testing"
)

// TestKnown holds digests that the standards publish, whole and with a save between bytes.
func TestKnown(t *testing.T) {
	for _, test := range []struct{ algorithm, in, want string }{
		{"blake2b", "abc", "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"},
		{"sm3", "abc", "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"},
		{"sm3", strings.Repeat("abcd", 16), "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732"},
		{"md5", "abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"sha1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{"crc", "123456789", "377a6011"},
	} {
		s := State{Algorithm: test.algorithm}
		s.Write([]byte(test.in))
		if got := hex.EncodeToString(s.Sum()); got != test.want {
			t.Errorf("%s of %q: %s, want %s", test.algorithm, test.in, got, test.want)
		}
		s = State{Algorithm: test.algorithm}
		for i := range len(test.in) {
			s.Write([]byte(test.in[i : i+1]))
			s.Save()
			s = State{Algorithm: s.Algorithm, Saved: s.Saved, Size: s.Size, Sum32: s.Sum32, Bits: s.Bits}
		}
		if got := hex.EncodeToString(s.Sum()); got != test.want {
			t.Errorf("%s of %q, saved: %s, want %s", test.algorithm, test.in, got, test.want)
		}
	}
}
