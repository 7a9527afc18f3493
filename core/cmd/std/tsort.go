package std

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

func tsort() *cmd.Command {
	return &cmd.Command{
		Name: "tsort", Summary: "write totally ordered list consistent with the partial ordering in FILE",
		Usage: "tsort [OPTION] [FILE]",
		Class: cmd.Step,
		New:   func() cmd.Program { return &tsortProgram{} },
	}
}

// tsortProgram collects its input, which is pairs of words, and sorts it in one turn at the end.
type tsortProgram struct {
	FD    int    `cbor:"2,keyasint,omitempty"`
	Begun bool   `cbor:"3,keyasint,omitempty"`
	All   []byte `cbor:"4,keyasint,omitempty"`

	in cmd.Lines // a turn takes all it reads
}

func (p *tsortProgram) Step(c *cmd.Ctx) cmd.Next {
	name := "-"
	if len(c.Args) > 0 {
		name = c.Args[0]
	}
	if !p.Begun {
		p.Begun = true
		if len(c.Args) > 1 {
			return cmd.Exit(c.ExtraOperand(c.Args[1]))
		}
		if name != "-" {
			fd, err := c.Open(name, vfs.O_RDONLY, 0)
			if err != nil {
				return cmd.Exit(c.Fail(name, err))
			}
			p.FD = fd
		}
	}
	p.in.Kept = len(p.All)
	switch err := p.in.Fill(c, p.FD); err {
	case nil, io.EOF:
	case cmd.ErrBlocked:
		return cmd.WaitRead(p.FD)
	default:
		c.Errorf("%s: read error: %s", quote.File(c, name), err)
		return cmd.Exit(1)
	}
	p.All = large.Push(p.All, p.in.Take(), c)
	if !p.in.Ended() {
		return cmd.Again()
	}
	items, even := tsortRead(c, p.All)
	if !even {
		c.Errorf("%s: input contains an odd number of tokens", quote.File(c, name))
		return cmd.Exit(1)
	}
	return cmd.Exit(tsortRun(c, name, items))
}

const (
	tsortMany = 1 << 9 // words that are charged for together
	tsortSize = 160    // what a word takes besides its text: its item, its places in the map and in a list
)

// tsortItem is a word in the graph.
type tsortItem struct {
	name  string
	count int          // words that must come before it
	next  []*tsortItem // words that come after it, the newest first in use
	link  *tsortItem   // in the queue, or in a loop being followed
	done  bool
}

// tsortRead makes the graph of a text: its words, sorted. It is not even if a word has no partner.
func tsortRead(c *cmd.Ctx, text []byte) (items []*tsortItem, even bool) {
	byName := map[string]*tsortItem{}
	var first *tsortItem
	n, asked := 0, 0
	for w := range bytes.FieldsSeq(text) {
		if n++; n%tsortMany == 0 {
			c.Charge(2 * tsortMany)
		}
		it := byName[string(w)]
		if it == nil {
			if len(byName) == asked {
				c.Need(tsortMany * tsortSize)
				asked += tsortMany
			}
			it = &tsortItem{name: string(w)}
			byName[it.name] = it
			items = append(large.Extend(items, 1, c), it)
		}
		switch {
		case n%2 != 0:
			first = it
		case first != it:
			first.next = append(large.Extend(first.next, 1, c), it)
			it.count++
		}
	}
	compared := 0
	slices.SortFunc(items, func(a, b *tsortItem) int {
		if compared++; compared%tsortMany == 0 {
			c.Charge(tsortMany)
		}
		return strings.Compare(a.name, b.name)
	})
	return items, n%2 == 0
}

// tsortRun prints the words in the order of GNU tsort: those that nothing must
// precede, sorted, then each one when its last predecessor is printed.
func tsortRun(c *cmd.Ctx, name string, items []*tsortItem) (status int) {
	left := len(items)
	for left > 0 {
		var queue []*tsortItem
		for i, it := range items {
			if i%tsortMany == tsortMany-1 {
				c.Charge(tsortMany / 4)
			}
			if it.count == 0 && !it.done {
				queue = append(large.Extend(queue, 1, c), it)
			}
		}
		for len(queue) > 0 {
			it := queue[0]
			queue = queue[1:]
			if left%tsortMany == 0 {
				c.Charge(2 * tsortMany)
			}
			c.Out.WriteString(it.name + "\n")
			it.done = true
			left--
			for i := len(it.next) - 1; i >= 0; i-- {
				n := it.next[i]
				if n.count--; n.count == 0 {
					queue = append(large.Extend(queue, 1, c), n)
				}
			}
		}
		if left > 0 {
			c.Errorf("%s: input contains a loop:", quote.File(c, name))
			status = 1
			tsortBreak(c, items)
		}
	}
	return status
}

// tsortBreak finds a loop, reports its words and removes one edge of it. It
// walks the words in order again and again, as GNU tsort does, so that the same
// edge goes.
func tsortBreak(c *cmd.Ctx, items []*tsortItem) {
	var loop *tsortItem
	for {
		for _, k := range items {
			if k.count == 0 {
				continue
			}
			if loop == nil {
				loop = k
				continue
			}
			for i := len(k.next) - 1; i >= 0; i-- {
				if k.next[i] != loop {
					continue
				}
				if k.link == nil {
					k.link, loop = loop, k
					break
				}
				for loop != nil {
					next := loop.link
					c.Errorf("%s", loop.name)
					if loop == k {
						k.next[i].count--
						k.next = append(k.next[:i], k.next[i+1:]...)
						break
					}
					loop.link = nil
					loop = next
				}
				for _, it := range items {
					it.link = nil
				}
				return
			}
		}
		c.Charge(len(items))
	}
}
