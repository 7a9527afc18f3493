package patch

import (
	"eryxsh/core/cmd"
)

// move is a file that a change gives, and where it came from.
type move struct {
	From   string `cbor:"1,keyasint,omitempty"`
	To     string `cbor:"2,keyasint,omitempty"` // "" if the change only takes a file away
	Text   []byte `cbor:"3,keyasint,omitempty"`
	Mode   uint32 `cbor:"4,keyasint,omitempty"`
	Chmod  bool   `cbor:"5,keyasint,omitempty"` // Mode is known
	Fresh  bool   `cbor:"6,keyasint,omitempty"` // its directories may have to be made
	Remove bool   `cbor:"7,keyasint,omitempty"` // From goes
}

// result writes the file a change gives, under its new name if it has one.
func (p *Program) result(c *cmd.Ctx, k *change, out string, text []byte) {
	v := move{From: out, To: out, Text: text, Mode: p.Mode, Chmod: p.Exists}
	if to := p.moved(c, k); to != "" {
		v.To = at(c, to)
	}
	v.Fresh = !p.Exists || v.To != v.From
	if k.git.newMode != 0 {
		v.Mode, v.Chmod = k.git.newMode&^c.Umask(), true
	}
	v.Remove = k.git.rename && v.To != v.From
	p.put(c, k, v)
}

// put does what a change asks for. The files of a git diff may trade their names, so from its first rename on all is
// done at its end, when everything was read.
func (p *Program) put(c *cmd.Ctx, k *change, v move) {
	p.Later = append(p.Later, v)
	if !k.git.moves() && len(p.Later) == 1 {
		p.settle(c)
	}
}

// gives reports whether a change before gives a file that is there: it is written before it changes once more.
func (p *Program) gives(path string) bool {
	for _, v := range p.Later {
		if v.To == path {
			return true
		}
	}
	return false
}

// settle writes what waits. Only then old names go, unless they are new ones, too.
func (p *Program) settle(c *cmd.Ctx) {
	taken := map[string]bool{}
	for _, v := range p.Later {
		if v.To == "" {
			continue
		}
		taken[v.To] = true
		if v.Fresh {
			makeParents(c, v.To)
		}
		if !p.store(c, v.To, v.Text, 0o666) {
			taken[v.From] = true // which stays, as its content has no other place
		} else if v.Chmod {
			c.Chmod(v.To, v.Mode)
		}
	}
	for _, v := range p.Later {
		if v.Remove && !taken[v.From] {
			p.remove(c, v.From)
		}
	}
	p.Later = nil
}

// makeParents makes the directories above a file; if one cannot be made the file cannot either, and says so.
func makeParents(c *cmd.Ctx, path string) {
	for i := 1; i < len(path); i++ {
		if path[i] == '/' {
			c.Mkdir(path[:i], 0o777)
		}
	}
}
