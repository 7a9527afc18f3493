// Package child runs the one command that env, nice, nohup, stdbuf and timeout are given.
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
		return failure(err), err
	}
	k.PID, k.Started = pid, true
	return 0, nil
}

// failure is the status of a command that cannot be started.
func failure(err error) int {
	if err == vfs.ENOENT {
		return 127
	}
	return 126
}

// Become makes the program that command, or says why it cannot be.
func Become(c *cmd.Ctx, s cmd.Spawn, message func(err error)) cmd.Next {
	if err := c.CanRun(s); err != nil {
		message(err)
		return cmd.Exit(failure(err))
	}
	return cmd.Exec(s)
}

// Waits reports whether a saved program of an older version waits for its command, and what it does next.
func (k *Child) Waits(c *cmd.Ctx) (cmd.Next, bool) {
	if !k.Started {
		return cmd.Next{}, false
	}
	if status, ok := k.Ended(c); ok {
		return cmd.Exit(status), true
	}
	return cmd.WaitChild(0), true
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
