package cmd

import (
	"sync"

	"eryxsh/core/large"
)

// Page is room for what one Read gives. Most files are much smaller than what a
// program asks for at a time, and to make such room, and to clear it, takes longer
// than many a command: so programs have it in turn.
type Page [Turn]byte

var pages = sync.Pool{New: func() any { return new(Page) }}

// Borrow gives a Page for as long as a Step takes: it is returned before.
func Borrow() *Page { return pages.Get().(*Page) }

// Return gives a Page back.
func (p *Page) Return() { pages.Put(p) }

// ReadMore reads at most Turn bytes from fd behind b. b grows by what has come, and
// once that was much has room for more.
func (c *Ctx) ReadMore(fd int, b []byte) ([]byte, error) {
	if cap(b)-len(b) >= Turn || len(b) >= Turn {
		b = large.Grow(b, Turn)
		n, err := c.Read(fd, b[len(b):len(b)+Turn])
		return b[:len(b)+n], err
	}
	page := Borrow()
	defer page.Return()
	n, err := c.Read(fd, page[:])
	if n == Turn {
		b = append(make([]byte, 0, len(b)+2*Turn), b...)
	}
	return append(b, page[:n]...), err
}
