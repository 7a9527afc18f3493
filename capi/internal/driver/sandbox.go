package driver

import "eryxsh/capi/internal/wire"

// NewSandbox makes a sandbox and gives its handle.
func (d *Driver) NewSandbox(p wire.NewParams, interrupt Interrupt) (int64, error) {
	handle, err := value[int64](d, "sandbox.new", p, nil)
	if err == nil {
		d.add(handle, interrupt)
	}
	return handle, err
}

// Free ends a sandbox: whatever drives it finds out at once. 0, and one that is
// freed already, are fine.
func (d *Driver) Free(handle int64) error {
	s, err := d.session(handle)
	if err != nil {
		return nil
	}
	err = d.done(handle, "sandbox.close", wire.CloseParams{Sandbox: handle}, nil)
	d.mu.Lock()
	delete(d.sessions, handle)
	d.mu.Unlock()
	s.poke()
	return err
}

// Snapshot keeps the state as it is and gives the snapshot's id.
func (d *Driver) Snapshot(handle int64, name string) (string, error) {
	if _, err := d.session(handle); err != nil {
		return "", err
	}
	return value[string](d, "sandbox.snapshot", wire.SnapshotParams{Sandbox: handle, Name: name}, nil)
}

// Restore goes back to a snapshot; an active run is gone.
func (d *Driver) Restore(handle int64, id string) error {
	return d.done(handle, "sandbox.restore", wire.RestoreParams{Sandbox: handle, Snapshot: id}, nil)
}

// Fork makes an independent copy, which obeys the same interrupt.
func (d *Driver) Fork(handle int64) (int64, error) {
	s, err := d.session(handle)
	if err != nil {
		return 0, err
	}
	handles, err := value[[]int64](d, "sandbox.fork", wire.ForkParams{Sandbox: handle, Count: 1}, nil)
	if err != nil {
		return 0, err
	}
	d.add(handles[0], s.interrupt)
	return handles[0], nil
}

// Export gives everything as one blob.
func (d *Driver) Export(handle int64, key []byte, room Room) error {
	return d.bytes(handle, "sandbox.export", wire.ExportParams{Sandbox: handle, Key: key}, room)
}

// Import replaces everything by a blob, or fails and changes nothing.
func (d *Driver) Import(handle int64, blob, key []byte) error {
	return d.done(handle, "sandbox.import", wire.ImportParams{Sandbox: handle, Key: key}, given(blob))
}

// ReadFile gives a file's content.
func (d *Driver) ReadFile(handle int64, path string, room Room) error {
	return d.bytes(handle, "files.read", wire.PathParams{Sandbox: handle, Path: path}, room)
}

// WriteFile makes or replaces a file, and makes its parents.
func (d *Driver) WriteFile(handle int64, path string, data []byte) error {
	return d.done(handle, "files.write", wire.WriteParams{Sandbox: handle, Path: path}, given(data))
}

// given is a blob that is there even if it is empty.
func given(blob []byte) []byte {
	if blob == nil {
		return []byte{}
	}
	return blob
}
