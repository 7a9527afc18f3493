// Package child runs the one command that env, nice, nohup and timeout are given.
package child

import (
	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// Child is a command being run.
type Child struct {
	PID     int  `cbor:"1,keyasint,omitempty"`
	Started bool `cbor:"2,keyasint,omitempty"`
}

// Start spawns a command. On an error the status is what a shell gives: 126 or 127.
func (k *Child) Start(c *cmd.Ctx, s cmd.Spawn) (status int, err error) {
	pid, err := c.Spawn(s)
	if err != nil {
		if err == vfs.ENOENT {
			return 127, err
		}
		return 126, err
	}
	k.PID, k.Started = pid, true
	return 0, nil
}

// Ended gives the status of the command once it has ended.
func (k *Child) Ended(c *cmd.Ctx) (status int, ok bool) {
	for {
		pid, status, ok := c.Reap()
		if !ok {
			return 0, false
		}
		if pid == k.PID {
			return status, true
		}
	}
}
