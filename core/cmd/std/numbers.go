package std

import (
	"strconv"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/size"
)

// padInt appends n, right aligned in width columns.
func padInt(out []byte, n int64, width int) []byte {
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], n, 10)
	for i := len(text); i < width; i++ {
		out = append(out, ' ')
	}
	return append(out, text...)
}

// multipliers are the suffixes head, tail, split and od accept after a number.
const multipliers = "bEGKkMmPTYZ0"

// count reads a number with an optional suffix for an option. If it is wrong
// it writes "NAME: what: ‘value’" and gives false.
func count(c *cmd.Ctx, what, value string) (int64, bool) {
	n, err := size.Parse(value, multipliers)
	if err == nil && (value[0] < '0' || value[0] > '9') {
		err = size.ErrInvalid
	}
	switch err {
	case nil:
		return n, true
	case size.ErrRange:
		c.Errorf("%s: %s: %s", what, quote.Locale(c, value), err)
	default:
		c.Errorf("%s: %s", what, quote.Locale(c, value))
	}
	return 0, false
}

// digits reports that s is one or more decimal digits.
func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
