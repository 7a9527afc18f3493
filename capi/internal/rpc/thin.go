package rpc

import (
	"encoding/hex"

	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/state"
	"eryxsh/state/store"
)

// thin gives the sandbox's state without the files of states that the receiver has: snapshots by their ids or names, or
// the commit it was last saved or loaded as.
func (b *sandbox) thin(have []string, key []byte) ([]byte, error) {
	var worlds []*core.World
	var parents []store.ID
	for _, id := range have {
		if b.saved != nil && id == hex.EncodeToString(b.saved.Commit[:]) {
			parents = append(parents, b.saved.Commit)
			continue
		}
		s, err := b.Find("export", id)
		if err != nil {
			return nil, err
		}
		worlds = append(worlds, s.State())
	}
	if b.had == nil && b.saved != nil || len(parents) > 0 {
		b.had = b.saved.Had()
	}
	if len(worlds) > 0 {
		b.had = store.Having(b.had, worlds...)
	}
	return store.Thin(b.Twin(), b.had, parents, key)
}

// has looks at what the sandbox holds, as the base of a thin pack.
func (b *sandbox) has() *store.Have {
	if b.had == nil && b.saved != nil {
		b.had = b.saved.Had()
	}
	worlds := make([]*core.World, 0, len(b.Snaps)+1)
	for _, s := range b.Snaps {
		worlds = append(worlds, s.State())
	}
	b.had = store.Having(b.had, append(worlds, b.Twin())...)
	return b.had
}

// loadThin reads a thin pack over what a sandbox holds.
func (c *call) loadThin(blob, key []byte, lim limit.Limits, here []shell.Tool, base int64) (*core.World, error) {
	t, err := store.OpenThin(blob, key, false)
	if err != nil {
		return nil, err
	}
	if base == 0 {
		return nil, fault.New(fault.State, "import", "", "this is a thin pack: it needs what it was made without, as base=")
	}
	have, err := c.baseOf(base)
	if err != nil {
		return nil, err
	}
	l := store.NewLoad(t.Ref, lim)
	if err := t.Into(l, have); err != nil {
		return nil, err
	}
	want, err := l.Work()
	if err == nil && len(want) > 0 {
		err = fault.New(fault.State, "import", "", "the thin pack lacks bytes")
	}
	if err != nil {
		return nil, err
	}
	loaded, err := l.End(c.loader)
	if err != nil {
		return nil, err
	}
	return loaded.World, equip(loaded.World, loaded.Header.Tools, here)
}

// baseOf looks at a sandbox, which may be the one the call holds.
func (c *call) baseOf(handle int64) (*store.Have, error) {
	b, err := c.find(handle)
	if err != nil {
		return nil, err
	}
	if c.held == b {
		return b.has(), nil
	}
	if c.held != nil { // two locks: never wait for one with the other in hand
		select {
		case b.lock <- struct{}{}:
		default:
			return nil, errAgain
		}
	} else {
		b.lock <- struct{}{}
	}
	defer b.leave()
	if b.closed.Load() {
		return nil, errClosed()
	}
	return b.has(), nil
}

// inspected reads the header of a blob or a thin pack, and of one the commits of a store that it needs.
func inspected(blob, key []byte) (h state.Header, needs [][]byte, err error) {
	if !store.IsThin(blob) {
		h, err = state.Inspect(blob, key)
		return h, nil, err
	}
	t, err := store.OpenThin(blob, key, key == nil)
	if err != nil {
		return h, nil, err
	}
	c, err := t.Commit()
	h = c.Header
	h.Signed, h.Kind = t.Signed, "thin"
	return h, c.Parents, err
}
