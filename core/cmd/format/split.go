package format

import "strings"

// Parts are a format with one conversion: seq -f, csplit -b.
type Parts struct {
	Before, After string // with %% made %
	Spec          Spec
}

// Fault is what is wrong with a format for Split.
type Fault uint8

// The faults.
const (
	None       Fault = iota
	TooMany          // a second conversion
	Unfinished       // the format ends inside one
	Unknown          // its letter is not one of those allowed
	Missing          // there is none
)

// Split takes apart a format that must have exactly one conversion, with one of
// the letters in verbs, behind an L or not. verb is the letter found when it is Unknown.
func Split(text, verbs string) (parts Parts, verb string, fault Fault) {
	parts.Spec.Prec = -1
	var b strings.Builder
	seen := false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '%':
			b.WriteByte(text[i])
			continue
		case i+1 < len(text) && text[i+1] == '%':
			b.WriteByte('%')
			i++
			continue
		case seen:
			return parts, "", TooMany
		}
		seen = true
		parts.Before = b.String()
		b.Reset()
		spec, n := ParseSpec(text[i:])
		if i += n; i < len(text) && text[i] == 'L' && strings.IndexByte(verbs, 'L') < 0 {
			i++
		}
		if i >= len(text) {
			return parts, "", Unfinished
		}
		if strings.IndexByte(verbs, text[i]) < 0 {
			return parts, text[i : i+1], Unknown
		}
		spec.Verb = text[i]
		parts.Spec = spec
	}
	if !seen {
		return parts, "", Missing
	}
	parts.After = b.String()
	return parts, "", None
}
