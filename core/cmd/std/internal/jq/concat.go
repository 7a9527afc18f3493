package jq

import (
	"strings"

	"eryxsh/core/large"
)

// tail is a text that grew at its end; its spare room is used again when it grows more.
type tail struct{ b strings.Builder }

// concat joins two strings. A left side that was the result of the last
// concatenations is not copied again.
func (h *Heap) concat(a, b string) string {
	switch {
	case b == "":
		return a
	case a == "":
		return b
	}
	h.Size += len(a) + len(b) // whether a is copied or not
	if len(a)+len(b) < 64 {
		return a + b
	}
	m := h.meter()
	for i := range h.text {
		if t := &h.text[i].b; t.Len() == len(a) && sameText(t.String(), a, m) {
			room(t, len(b), m)
			large.Write(t, b, m)
			return t.String()
		}
	}
	h.turn = (h.turn + 1) % len(h.text)
	t := &h.text[h.turn].b
	t.Reset()
	t.Grow(len(a) + 2*len(b))
	large.Write(t, a, m)
	large.Write(t, b, m)
	return t.String()
}
