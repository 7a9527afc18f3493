package rpc

import (
	"strings"

	"eryxsh/capi/internal/wire"
	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/state"
	"eryxsh/state/store"
)

func blobMethods() []binding {
	return []binding{
		lends("sandbox.export", export),
		does("sandbox.import", importInto),
		on("sandbox.from_state", fromState),
		on("run.load", loadRun),
		on("sandbox.inspect", func(c *call, p *wire.InspectParams) (wire.StateInfo, error) {
			blob := c.data(p.State)
			h, needs, err := inspected(blob, p.Key)
			if err != nil {
				return wire.StateInfo{}, err
			}
			return wire.StateInfo{Kind: h.Kind, Version: h.Schema, Size: int64(len(blob)), Created: h.Created, Files: h.Files, Bytes: h.Bytes, Tools: h.Tools,
				Features: h.Features, Dropped: h.Dropped, Signed: h.Signed, Needs: needs}, nil
		}),
	}
}

func export(c *call, p *wire.ExportParams) (int, func([]byte) error, error) {
	b, err := c.hold(p.Sandbox)
	if err == nil && p.Run != "" && (b.M.RunID != p.Run || !b.Going()) {
		err = runGone(p.Run)
	}
	if err != nil {
		return 0, nil, err
	}
	if len(p.Have) > 0 {
		out, err := b.thin(p.Have, p.Key)
		return len(out), func(dst []byte) error {
			copy(dst, out)
			return nil
		}, err
	}
	var blob state.Blob
	if blob, err = state.Export(b.World, p.Key); err != nil {
		return 0, nil, err
	}
	return blob.Size, func(dst []byte) error {
		blob.CopyTo(dst)
		blob.Release()
		return nil
	}, nil
}

// load reads a blob and gives it the tools that are here.
func (c *call) load(blob, key []byte, lim limit.Limits, here []shell.Tool, base int64) (*core.World, error) {
	if store.IsThin(blob) {
		return c.loadThin(blob, key, lim, here, base)
	}
	w, h, err := c.loader.Import(blob, key, lim)
	if err != nil {
		return nil, err
	}
	return w, equip(w, h.Tools, here)
}

// equip gives a World that was loaded the tools that are here. One that held a
// callable when it was saved must be among them; one that did not travels.
func equip(w *core.World, held []string, here []shell.Tool) error {
	all := map[string]shell.Tool{}
	for name, t := range w.M.Tools.Sorted() {
		if !t.Held {
			all[name] = t
		}
	}
	for _, t := range here {
		all[t.Name] = t
	}
	var missing []string
	for _, name := range held {
		if _, ok := all[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fault.New(fault.Capability, "", missing[0], "the state needs functions for %s: give them with tools=", strings.Join(missing, ", "))
	}
	var list []shell.Tool
	for _, name := range sorted(all) {
		list = append(list, all[name])
	}
	w.Config.Tools = list // nobody shares it yet
	w.M.SetTools(list)
	return nil
}

func importInto(c *call, p *wire.ImportParams) error {
	b, err := c.holdBroken(p.Sandbox)
	if err != nil {
		return err
	}
	w, err := c.load(c.data(p.State), p.Key, b.most(), b.tools(), p.Base)
	if err != nil {
		return err
	}
	b.become(w)
	return nil
}

// most is what a state may hold that replaces the sandbox's own.
func (b *sandbox) most() limit.Limits {
	now := b.M.Limits
	if base := b.BaseLimits(); base != nil {
		now = *base
	}
	return b.bounds.Beyond(now) // by what resume(add=…) has given
}

// become takes over a World that was loaded.
func (b *sandbox) become(w *core.World) {
	w.Config.Limits = b.bounds
	b.World.Close()
	b.World = w
	b.changed()
	b.origin, b.descent = w.Mark(), newDescent()
}

func fromState(c *call, p *wire.FromStateParams) (int64, error) {
	w, err := c.world(p)
	if err != nil {
		return 0, err
	}
	return c.add(newSandbox(w, w.Mark()).bounded()), nil
}

func loadRun(c *call, p *wire.FromStateParams) (wire.Loaded, error) {
	w, err := c.world(p)
	if err == nil && !w.Going() {
		w.Close()
		err = fault.New(fault.State, "load", "", "the state holds no run: Sandbox.from_state loads it")
	}
	if err != nil {
		return wire.Loaded{}, err
	}
	loaded := wire.Loaded{Output: wire.Output{Run: w.M.RunID, Output: appendChunks(nil, w.Kept)}}
	loaded.Sandbox = c.add(newSandbox(w, w.Mark()).bounded())
	return loaded, nil
}

// world makes the World of a new sandbox out of a blob. Where the caller says nothing of limits, the default ones bound it.
func (c *call) world(p *wire.FromStateParams) (*core.World, error) {
	bounds := limit.Default()
	if err := setLimits(&bounds, p.Limits); err != nil {
		return nil, err
	}
	return c.load(c.data(p.State), p.Key, bounds, tools(p.Tools), p.Base)
}
