// Package vercmp orders file names by the numbers in them, as ls -v and sort -V do.
package vercmp

import "strings"

// Compare is negative, zero or positive as a sorts before, with or after b. It
// is gnulib's filevercmp: the empty string, "." and ".." and other names with a
// leading dot come first; a suffix like ".tar.gz" counts only between equals.
func Compare(a, b string) int {
	if a == "" || b == "" {
		return len(a) - len(b)
	}
	if a[0] == '.' {
		if b[0] != '.' {
			return -1
		}
		for _, special := range []string{".", ".."} {
			if a == special || b == special {
				if a == b {
					return 0
				}
				if a == special {
					return -1
				}
				return 1
			}
		}
	} else if b[0] == '.' {
		return 1
	}
	pa, pb := prefix(a), prefix(b)
	if pa == len(a) && pb == len(b) {
		return verrevcmp(a, b)
	}
	if r := verrevcmp(a[:pa], b[:pb]); r != 0 {
		return r
	}
	return verrevcmp(a, b)
}

// prefix is the length of s without its suffix (\.[A-Za-z~][A-Za-z0-9~]*)*$.
func prefix(s string) int {
	for i := 0; i < len(s); i++ {
		j := i
		for j+1 < len(s) && s[j] == '.' && (alpha(s[j+1]) || s[j+1] == '~') {
			for j += 2; j < len(s) && (alpha(s[j]) || digit(s[j]) || s[j] == '~'); j++ {
			}
		}
		if j == len(s) {
			return i
		}
		i = max(i, j-1)
	}
	return len(s)
}

func alpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

func order(s string, i int) int {
	if i == len(s) {
		return -1
	}
	c := s[i]
	switch {
	case digit(c):
		return 0
	case alpha(c):
		return int(c)
	case c == '~':
		return -2
	}
	return int(c) + 256
}

func verrevcmp(a, b string) int {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		for i < len(a) && !digit(a[i]) || j < len(b) && !digit(b[j]) {
			x, y := order(a, i), order(b, j)
			if x != y {
				return x - y
			}
			i++
			j++
		}
		na := strings.TrimLeft(a[min(i, len(a)):], "0")
		nb := strings.TrimLeft(b[min(j, len(b)):], "0")
		ka, kb := run(na), run(nb)
		if ka != kb {
			return ka - kb
		}
		if r := strings.Compare(na[:ka], nb[:kb]); r != 0 {
			return r
		}
		i, j = len(a)-len(na)+ka, len(b)-len(nb)+kb
	}
	return 0
}

func run(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}
