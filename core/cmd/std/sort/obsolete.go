package sort

import (
	"fmt"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/posix2"
)

// obsolete reads +POS1 [-POS2], which count fields and characters from 0, as -k.
func obsolete(c *cmd.Ctx, args []string) []string {
	if posix2.Strict(c) {
		return args
	}
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return append(out, args[i:]...)
		case len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte("kotST", a[len(a)-1]) >= 0 && i+1 < len(args):
			out = append(out, a, args[i+1])
			i++
			continue
		case len(a) < 2 || a[0] != '+':
			out = append(out, a)
			continue
		}
		field, char, letters, ok := position(a[1:])
		if !ok || strings.Trim(letters, "bdfghiMnrRV") != "" {
			out = append(out, a)
			continue
		}
		key := fmt.Sprintf("-k%d.%d%s", field+1, char+1, letters)
		if i+1 < len(args) && len(args[i+1]) > 1 && args[i+1][0] == '-' && args[i+1][1] >= '0' && args[i+1][1] <= '9' {
			if field, char, letters, ok = position(args[i+1][1:]); ok {
				i++
				if char > 0 {
					field++
				}
				key += fmt.Sprintf(",%d.%d%s", field, char, letters)
			}
		}
		out = append(out, key)
	}
	return out
}

// position reads F[.C] and what stands behind.
func position(s string) (field, char int, rest string, ok bool) {
	number := func(s string) (int, string, bool) {
		n := len(s) - len(strings.TrimLeft(s, "0123456789"))
		v, err := strconv.Atoi(s[:n])
		return v, s[n:], err == nil
	}
	if field, rest, ok = number(s); ok && strings.HasPrefix(rest, ".") {
		char, rest, ok = number(rest[1:])
	}
	return field, char, rest, ok
}
