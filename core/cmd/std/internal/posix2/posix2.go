// Package posix2 says whether the old syntax of some utilities counts: sort +1, uniq +1, tail +1.
package posix2

import (
	"strconv"

	"eryxsh/core/cmd"
)

// Strict reports that _POSIX2_VERSION asks for POSIX 1003.1-2001, which took the forms with + away;
// the versions before and after it have them.
func Strict(c *cmd.Ctx) bool {
	s, _ := c.Getenv("_POSIX2_VERSION")
	n, err := strconv.Atoi(s)
	return err == nil && n >= 200112 && n < 200809
}
