package find

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/walk"
)

// Limits of one command line of -exec … +.
const (
	maxChars = 128 << 10
	maxArgs  = 100_000
)

// command is an -exec.
type command struct {
	argv []string
	dir  bool // -execdir
	plus bool // … +
}

// exec runs the command for Cur, or adds Cur to its batch. It reports whether the value is known at once.
func (p *Program) exec(c *cmd.Ctx, pc int, k *command) bool {
	name, dir := p.Cur.Path, ""
	if k.dir {
		name, dir = "./"+walk.Base(p.Cur.Path), walk.Parent(p.Cur.Path)
		if p.Cur.Path == "/" {
			name, dir = "/", "/"
		}
	}
	if k.plus {
		p.Value = true
		b := p.batch(pc, dir)
		if b.chars+len(name)+1 > maxChars || len(b.Names) >= maxArgs {
			p.run(c, b)
			b = p.batch(pc, dir)
		}
		b.Names = append(b.Names, name)
		b.chars += len(name) + 1
		return p.Child == 0
	}
	argv := make([]string, len(k.argv))
	for i, a := range k.argv {
		argv[i] = strings.ReplaceAll(a, "{}", name)
	}
	p.spawn(c, argv, dir)
	if p.Child == 0 {
		p.Value = false
		return true
	}
	p.Plus = false
	return false
}

func (p *Program) batch(pc int, dir string) *batch {
	for i := range p.Batches {
		if b := &p.Batches[i]; b.PC == pc && b.Dir == dir {
			if b.chars == 0 {
				for _, name := range b.Names {
					b.chars += len(name) + 1
				}
			}
			return b
		}
	}
	p.Batches = append(p.Batches, batch{PC: pc, Dir: dir})
	return &p.Batches[len(p.Batches)-1]
}

// run starts the command of a batch and empties it.
func (p *Program) run(c *cmd.Ctx, b *batch) {
	k := p.x.prog[b.PC].exec
	argv := append([]string(nil), k.argv[:len(k.argv)-1]...)
	names, dir := b.Names, b.Dir
	b.Names, b.chars = nil, 0
	p.spawn(c, append(argv, names...), dir)
	p.Plus = true
	if p.Child == 0 {
		p.Status = 1
	}
}

// flushBatches starts the first command that waits in a batch for a directory at
// depth or below (0: any); false if there is none.
func (p *Program) flushBatches(c *cmd.Ctx, depth int) bool {
	for i := range p.Batches {
		if len(p.Batches[i].Names) > 0 && (depth == 0 || p.Batches[i].Dir != "") {
			p.run(c, &p.Batches[i])
			if p.Child != 0 {
				return true
			}
		}
	}
	return false
}

// leave runs what -execdir … + has collected when a directory is left.
func (p *Program) leave(c *cmd.Ctx, depth int) {
	p.flushBatches(c, depth+1)
	kept := p.Batches[:0]
	for _, b := range p.Batches {
		if len(b.Names) > 0 || b.Dir == "" {
			kept = append(kept, b)
		}
	}
	p.Batches = kept
}

func (p *Program) spawn(c *cmd.Ctx, argv []string, dir string) {
	c.Flush()
	pid, err := c.Spawn(cmd.Spawn{Argv: argv, Dir: dir, Stdin: -1})
	if err != nil {
		c.Errorf("%s: %s", quote.Locale(c, argv[0]), err)
		return
	}
	p.Child = pid
}

// reap takes in the command that runs; false while it does.
func (p *Program) reap(c *cmd.Ctx) bool {
	for {
		pid, status, ok := c.Reap()
		if !ok {
			return false
		}
		if pid != p.Child {
			continue
		}
		p.Child = 0
		if p.Plus {
			if status != 0 {
				p.Status = 1
			}
		} else {
			p.Value = status == 0
		}
		if p.Active && p.PC < len(p.x.prog) {
			p.PC++
		}
		return true
	}
}
