package rpc

import (
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"eryxsh/capi/internal/wire"
	"eryxsh/core"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// maxForks is how many forks one request may ask for.
const maxForks = 100_000

func sandboxMethods() []binding {
	return []binding{
		on("sandbox.new", newWorld),
		does("sandbox.close", func(c *call, p *wire.CloseParams) error { return c.close(p.Sandbox) }),
		on("sandbox.fork", forkWorld),
		on("sandbox.snapshot", func(c *call, p *wire.SnapshotParams) (string, error) {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return "", err
			}
			b.tick(c)
			s, err := b.Snapshot(p.Name)
			if err != nil {
				return "", err
			}
			return s.ID, nil
		}),
		does("sandbox.restore", func(c *call, p *wire.RestoreParams) error {
			return c.replace(p.Sandbox, func(w *core.World) error { return restore(w, p.Snapshot, seed(p.Reseed, 0)) })
		}),
		on("sandbox.snapshots", listSnapshots),
		does("sandbox.drop", func(c *call, p *wire.DropParams) error {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return err
			}
			return b.Drop(p.Snapshot)
		}),
		does("sandbox.undo", func(c *call, p *wire.UndoParams) error {
			return c.replace(p.Sandbox, func(w *core.World) error { return w.Undo(p.N) })
		}),
		does("sandbox.redo", func(c *call, p *wire.UndoParams) error {
			return c.replace(p.Sandbox, func(w *core.World) error { return w.Redo(p.N) })
		}),
		does("sandbox.reset", func(c *call, p *wire.SandboxParams) error {
			return c.replace(p.Sandbox, func(w *core.World) error {
				c.held.tick(c)
				if err := w.Reset(); err != nil {
					return err
				}
				c.held.origin, c.held.descent = w.Mark(), newDescent()
				return nil
			})
		}),
		on("sandbox.usage", usage),
		on("sandbox.info", info),
		does("sandbox.set_tools", func(c *call, p *wire.ToolsParams) error {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return err
			}
			if err := callable(p.Tools); err != nil {
				return err
			}
			b.setTools(tools(p.Tools))
			return nil
		}),
		does("sandbox.set_extension", setExtension),
		does("sandbox.mount", mount),
		does("sandbox.unmount", func(c *call, p *wire.MountPointParams) error {
			t, err := c.tree(p.Sandbox)
			if err != nil {
				return err
			}
			return fail("unmount", p.Path, t.World.Unmount(t.Path(p.Path)))
		}),
		on("sandbox.mounts", mounts),
		on("mount.diff", overlayDiff),
		on("mount.commit", overlayCommit),
		does("mount.discard", overlayDiscard),
	}
}

// seed is the i-th seed of a request that may give one.
func seed(given *int64, i int) *uint64 {
	if given == nil {
		return nil
	}
	n := uint64(*given) + uint64(i)
	return &n
}

// callable refuses a tool that no script could call: the shell means something else by its name.
func callable(given []wire.Tool) error {
	for _, t := range given {
		if what := shell.Meaning(t.Name); what != "" {
			return fault.New(fault.Invalid, "", t.Name, "a tool cannot be called %s: that is a %s of the shell", t.Name, what)
		}
	}
	return nil
}

func tools(given []wire.Tool) []shell.Tool {
	var out []shell.Tool
	for _, t := range given {
		out = append(out, shell.Tool{Name: t.Name, Held: t.Held, Help: t.Help})
	}
	return out
}

// setLimits changes limits by name.
func setLimits(l *limit.Limits, given map[string]int64) error {
	for _, name := range sorted(given) {
		if err := l.Set(name, given[name]); err != nil {
			return &fault.Error{Kind: fault.Invalid, Op: "limits", Path: name, Err: err}
		}
	}
	return nil
}

func newWorld(c *call, p *wire.NewParams) (int64, error) {
	config := core.Config{Env: p.Env, Cwd: p.Dir, User: p.User, Hostname: p.Hostname, Limits: limit.Default(), Virtual: p.Virtual,
		Files: p.Files, Tools: tools(p.Tools)}
	if err := setLimits(&config.Limits, p.Limits); err != nil {
		return 0, err
	}
	if err := callable(p.Tools); err != nil {
		return 0, err
	}
	switch {
	case p.Start != nil:
		config.Start = *p.Start
	case p.Virtual:
		config.Start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	default:
		config.Start = time.Now().UnixNano()
	}
	if p.Seed != nil {
		config.Seed = uint64(*p.Seed)
	} else {
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		config.Seed = binary.LittleEndian.Uint64(b[:])
	}
	w, origin, err := c.templates.New(config)
	if err != nil {
		return 0, err
	}
	return c.add(newSandbox(w, origin).bounded()), nil
}

func forkWorld(c *call, p *wire.ForkParams) ([]int64, error) {
	if p.Count < 1 || p.Count > maxForks {
		return nil, fault.New(fault.Invalid, "fork", "", "a count from 1 to %d is needed, not %d", maxForks, p.Count)
	}
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return nil, err
	}
	handles := make([]int64, p.Count)
	origin := b.Mark()
	past := b.descent.part(origin)
	for i := range handles {
		f := newSandbox(b.Fork(seed(p.Reseed, i)), origin)
		f.descent.past, f.descent.merged = past, b.descent.merged
		f.meter, f.bounds, f.saved, f.savedIn, f.had = b.meter, b.bounds, b.saved, b.savedIn, b.had
		handles[i] = c.add(f)
	}
	return handles, nil
}

// replace puts another state into a sandbox: its run is gone, and a panic that
// happened before is forgotten.
func (c *call) replace(handle int64, with func(*core.World) error) error {
	b, err := c.holdBroken(handle)
	if err != nil {
		return err
	}
	if err := with(b.World); err != nil {
		return err
	}
	b.changed()
	return nil
}

func listSnapshots(c *call, p *wire.SandboxParams) ([]wire.SnapshotInfo, error) {
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return nil, err
	}
	var out []wire.SnapshotInfo
	for _, s := range b.Snaps {
		out = append(out, wire.SnapshotInfo{ID: s.ID, Name: s.Name, Created: s.Created, Parent: s.Parent, Size: s.Size, Command: s.Command, Own: b.Own(s)})
	}
	return out, nil
}

func usage(c *call, p *wire.SandboxParams) (wire.Usage, error) {
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return wire.Usage{}, err
	}
	m, fs := b.M.Meter, b.M.FS.Usage()
	u := wire.Usage{Commands: m.Commands, Calls: m.Calls, Runs: m.Runs, Steps: m.Steps, Time: m.Time, Read: m.Read, Written: m.Written,
		Processes: m.Spawned, Files: fs.Files, Bytes: fs.Bytes}
	u.Retained = b.Retained()
	return u, nil
}

func info(c *call, p *wire.SandboxParams) (wire.Info, error) {
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return wire.Info{}, err
	}
	b.tick(c)
	i := wire.Info{User: b.M.Host.User, Hostname: b.M.Host.Hostname, Dir: b.M.Procs[0].Cwd, Status: b.M.Procs[0].Status, Now: b.M.Now(),
		Virtual: b.M.Clock.Virtual, Seed: int64(b.Config.Seed), Limits: map[string]int64{}, Commands: core.CommandNames()}
	if b.Going() {
		i.Run = b.M.RunID
	}
	for name := range b.M.Tools.Sorted() {
		i.Tools = append(i.Tools, name)
	}
	for _, row := range limit.Table() {
		i.Limits[row.Name] = *row.Field(&b.M.Limits)
	}
	return i, nil
}

// setTools replaces the tools, for a reset too.
func (b *sandbox) setTools(all []shell.Tool) {
	slices.SortFunc(all, func(x, y shell.Tool) int { return strings.Compare(x.Name, y.Name) })
	config := *b.Config
	config.Tools = all
	b.Config = &config
	b.M.SetTools(all)
}

func setExtension(c *call, p *wire.ToolInfoParams) error {
	if err := callable([]wire.Tool{{Name: p.Name}}); err != nil {
		return err
	}
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return err
	}
	help := []string{p.Description} // the first line is for the list, the others are for one tool
	if p.Help != "" {
		help = append(help, strings.TrimRight(p.Help, "\n"))
	} else {
		help = append(help, "Usage: "+cmp.Or(p.Usage, p.Name))
		if p.Description != "" {
			help = append(help, "", p.Description)
		}
		if len(p.Examples) > 0 {
			help = append(help, "", "Examples:\n  "+strings.Join(p.Examples, "\n  "))
		}
	}
	if p.Category != "" {
		help = append(help, "", "Category: "+p.Category)
	}
	described := shell.Tool{Name: p.Name, Help: cmp.Or(strings.Join(help, "\n"), p.Name)}
	var all []shell.Tool
	known := false
	for _, t := range b.M.Tools.Sorted() {
		if t.Name == p.Name {
			known, t.Help = true, described.Help
		}
		all = append(all, t)
	}
	if !known {
		all = append(all, described)
	}
	b.setTools(all)
	return nil
}
