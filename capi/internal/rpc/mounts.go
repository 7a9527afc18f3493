package rpc

import (
	"strings"

	"eryxsh/capi/internal/wire"
	"eryxsh/core/fault"
	"eryxsh/core/host"
	"eryxsh/vfs"
)

// mount puts files, or a directory of the host, in a place.
func mount(c *call, p *wire.MountParams) error {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return err
	}
	m := vfs.Mount{Kind: "eryxsh", Source: p.Source, Mode: vfs.MountReadOnly}
	switch {
	case p.Host != "" && p.Mode == "overlay":
		m.Mode = vfs.MountOverlay
	case p.Mode == "rw":
		m.Mode = vfs.MountWritable
	case p.Mode != "ro":
		return fault.New(fault.Invalid, "mount", p.Path, "mounted is ro or rw, a directory of the host also overlay, not %q", p.Mode)
	}
	if err := fail("mount", p.Path, t.guarded(func() error {
		if p.Host != "" {
			return t.MountHost(t.Path(p.Path), p.Host, m.Mode, host.Exclusion{Patterns: p.Exclude, Gitignore: p.Gitignore}, t.now)
		}
		return t.mountFiles(t.Path(p.Path), m, p)
	})); err != nil {
		return err
	}
	if p.Begin {
		t.M.EnterMounts()
		t.origin = t.Mark()
	}
	return nil
}

// mountFiles mounts files that are given. The mount is writable until they are there.
func (t tree) mountFiles(at string, m vfs.Mount, p *wire.MountParams) error {
	mode := m.Mode
	m.Mode = vfs.MountWritable
	if err := t.Mkdir(at, t.now); err != nil {
		return err
	}
	root, err := t.fs.Mount(t.cred, at, m, 0o755, t.now)
	if err != nil {
		return err
	}
	top := strings.TrimRight(at, "/")
	for _, dir := range p.Dirs {
		if err := t.Mkdir(top+"/"+dir, t.now); err != nil {
			return err
		}
	}
	for _, name := range sorted(p.Files) {
		if err := t.put(top+"/"+name, p.Files[name], vfs.O_EXCL, 0o644); err != nil {
			return fail("mount", top+"/"+name, err)
		}
	}
	t.fs.Remount(root, mode)
	return nil
}

func mounts(c *call, p *wire.SandboxParams) ([]wire.MountInfo, error) {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return nil, err
	}
	var all []wire.MountInfo
	for _, m := range t.fs.Mounts() {
		all = append(all, wire.MountInfo{Path: m.Path, Mode: m.Mode.String(), Source: m.Source, Missing: !m.Connected()})
	}
	return all, nil
}

// overlayDiff says what an overlay changed.
func overlayDiff(c *call, p *wire.MountPointParams) (wire.Diff, error) {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return wire.Diff{}, err
	}
	d, err := t.OverlayDiff(t.Path(p.Path))
	if err != nil {
		return wire.Diff{}, err
	}
	return c.describeDiff(d), nil
}

// overlayCommit writes it to the host.
func overlayCommit(c *call, p *wire.MountPointParams) ([]string, error) {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return nil, err
	}
	return t.World.Commit(t.Path(p.Path), t.now)
}

// overlayDiscard lets go of it.
func overlayDiscard(c *call, p *wire.DiscardParams) error {
	t, err := c.tree(p.Sandbox)
	if err != nil {
		return err
	}
	return fail("discard", p.Path, t.World.Discard(t.Path(p.Path), p.Below, t.now))
}
