package jq

import "eryxsh/core/large"

// tail is a text that grew at its end; its spare room is used again when it grows more.
type tail struct{ b large.Builder }

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
			_, _ = t.WriteString(b)
			return t.String()
		}
	}
	h.turn = (h.turn + 1) % len(h.text)
	if len(a)+len(b) > large.Piece { // who knows whether the other long ones are still used
		for i := range h.text {
			if h.text[i].b.Len() > large.Piece {
				h.text[i] = tail{}
			}
		}
	}
	h.text[h.turn] = tail{large.Builder{M: m}}
	t := &h.text[h.turn].b
	t.Exactly(len(a) + len(b))
	_, _ = t.WriteString(a)
	_, _ = t.WriteString(b)
	return t.String()
}
