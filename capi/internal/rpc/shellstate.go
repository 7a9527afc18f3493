package rpc

import (
	"strconv"
	"strings"

	"eryxsh/capi/internal/wire"
	"eryxsh/core"
	"eryxsh/core/fault"
)

// stateBefore begins the id of the state before a command of the history.
const stateBefore = "h"

// restore goes back to a snapshot, or to the state before a command.
func restore(w *core.World, id string, reseed *uint64) error {
	_, err := w.Find("restore", id)
	if index, wrong := strconv.Atoi(strings.TrimPrefix(id, stateBefore)); err != nil && wrong == nil && strings.HasPrefix(id, stateBefore) {
		if err := w.Rewind(index); err != nil {
			return err
		}
		if reseed != nil {
			w.M.Reseed(*reseed)
		}
		return nil
	}
	return w.Restore(id, reseed)
}

func stateMethods() []binding {
	return []binding{
		on("sandbox.analyze", analyze),
		on("env.get", func(c *call, p *wire.EnvNameParams) (*string, error) {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return nil, err
			}
			v, ok := b.M.Variables()[p.Name]
			if !ok {
				return nil, nil
			}
			s := v.String()
			return &s, nil
		}),
		does("env.set", func(c *call, p *wire.EnvSetParams) error {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return err
			}
			return setenv(b, p.Name, p.Value, false)
		}),
		on("env.unset", func(c *call, p *wire.EnvNameParams) (bool, error) {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return false, err
			}
			_, had := b.M.Variables()[p.Name]
			return had, setenv(b, p.Name, "", true)
		}),
		on("env.all", func(c *call, p *wire.EnvAllParams) (map[string]string, error) {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return nil, err
			}
			if p.Exported {
				return b.M.Exported(), nil
			}
			out := map[string]string{}
			for name, v := range b.M.Variables() {
				if !v.IsArray() {
					out[name] = v.String()
				}
			}
			return out, nil
		}),
		on("history.list", func(c *call, p *wire.HistoryListParams) ([]wire.HistoryEntry, error) {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return nil, err
			}
			log := b.Log
			if p.Limit < 0 {
				return nil, fault.New(fault.Invalid, "history", "", "a limit of %d is negative", p.Limit)
			}
			if p.Limit > 0 && p.Limit < len(log) {
				log = log[len(log)-p.Limit:]
			}
			out := make([]wire.HistoryEntry, len(log))
			for i, e := range log {
				out[i] = wire.HistoryEntry{Index: e.Index, Command: e.Command, Time: e.Time, Status: e.Status, Duration: e.Duration}
				if b.Restorable(e.Index) {
					out[i].Snapshot = stateBefore + strconv.Itoa(e.Index)
				}
			}
			return out, nil
		}),
		does("history.clear", func(c *call, p *wire.SandboxParams) error {
			b, err := c.hold(p.Sandbox)
			if err != nil {
				return err
			}
			b.ClearHistory()
			return nil
		}),
		does("history.restore", func(c *call, p *wire.HistoryRestoreParams) error {
			return c.replace(p.Sandbox, func(w *core.World) error { return w.Rewind(p.Index) })
		}),
	}
}

func setenv(b *sandbox, name, value string, unset bool) error {
	if err := b.M.Setenv(name, value, unset); err != nil {
		return &fault.Error{Kind: fault.Invalid, Op: "env", Path: name, Err: err}
	}
	return nil
}
