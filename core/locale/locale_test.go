package locale

import (
	"strings"
	"testing"
)

// TestBytes has what bash 5.2's ${#x}, gawk's length (by category) and wc -m (all or nothing) say of é in each environment.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		env             string
		all, byCategory bool
	}{
		{"", true, true},
		{"LANG=C.UTF-8", false, false},
		{"LANG=C.utf8", false, false},
		{"LC_ALL=C.UTF8", false, false},
		{"LC_ALL=C.Utf-8", false, false},
		{"LC_ALL=C.UTF-8@x", false, false},
		{"LC_ALL=c.UTF-8", true, true},
		{"LC_ALL=C.ISO8859-1", true, true},
		{"LC_ALL=en_US.UTF-8", true, true},
		{"LC_CTYPE=UTF-8", true, true},
		{"LANG=C LC_CTYPE=C.UTF-8", false, false},
		{"LANG=C.UTF-8 LC_CTYPE=xx", true, true},
		{"LANG=C.UTF-8 LC_TIME=xx", true, false},
		{"LANG=C.UTF-8 LC_PAPER=xx", true, false},
		{"LC_ALL=POSIX", true, true},
		{"LC_ALL=POSIX LANG=C.UTF-8", true, true},
		{"LC_ALL= LANG=C.UTF-8", false, false},
		{"LC_ALL=de LANG=C.UTF-8", true, true},
		{"LC_ALL=C.UTF-8 LANG=xx LC_CTYPE=yy", false, false},
	} {
		env := map[string]string{}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			env[name] = value
		}
		get := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
		if got := Bytes(get); got != c.all {
			t.Errorf("%s: Bytes %v", c.env, got)
		}
		if got := BytesByCategory(get); got != c.byCategory {
			t.Errorf("%s: BytesByCategory %v", c.env, got)
		}
	}
}
