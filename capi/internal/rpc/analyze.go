package rpc

import (
	"errors"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
)

// analyze reads a script without running it.
func analyze(c *call, p *wire.AnalyzeParams) (wire.Analysis, error) {
	b, err := c.hold(p.Sandbox)
	if err != nil {
		return wire.Analysis{}, err
	}
	found, err := b.M.Analyze(p.Script)
	var syntax *shell.SyntaxError
	if errors.As(err, &syntax) {
		f := &fault.Error{Kind: fault.Parse, Err: err, Line: syntax.Line, Col: syntax.Column}
		if syntax.Depth {
			f.Err = &limit.Reached{Name: "depth"}
		}
		return wire.Analysis{}, f
	}
	if err != nil {
		return wire.Analysis{}, err
	}
	var a wire.Analysis
	for _, f := range found {
		w := wire.AnalyzedCommand{Name: f.Name, Args: f.Args, Opaque: f.Opaque, Line: f.Line, Column: f.Column, Kind: f.Kind}
		for _, r := range f.Redirects {
			w.Redirects = append(w.Redirects, wire.Redirect{Op: r.Op, Target: r.Target, Opaque: r.Opaque})
		}
		a.Opaque = a.Opaque || f.Opaque
		a.Commands = append(a.Commands, w)
	}
	return a, nil
}
