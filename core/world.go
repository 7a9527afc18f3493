package core

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std"
	"eryxsh/core/fault"
	"eryxsh/core/limit"
	"eryxsh/core/shell"
	"eryxsh/vfs"
)

// Registry has every utility. It is immutable and shared by every World.
var Registry = cmd.NewRegistry(std.Commands())

// CommandNames lists what a sandbox can run by itself: builtins and utilities, sorted.
func CommandNames() []string {
	names := append(append(shell.BuiltinNames(), "bash", "sh"), Registry.Names()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// World is one sandbox.
type World struct {
	M       *shell.Machine
	Config  *Config // shared by forks: replaced, never changed
	Lineage uint64  // tells the run ids of forks, restored and loaded Worlds apart
	Forks   uint64  // forks and restores so far
	Log     []Entry
	LogNext int // index of the next history entry
	Snaps   []*Snapshot
	SnapSeq int64
	At      string        // id of the snapshot this state comes from, or empty
	Kept    []shell.Chunk // output of the run at hand, delivered and kept for a dump
	Keep    bool
	own     bool          // no fork has the same Kept
	saved   *limit.Limits // to be put back when the run ends
	made    int64         // by a template, and no command was begun since: 1 + held + turned then
	retry   *retry        // of the run at hand, or nil
	called  int64         // when its last slice ended with a call, by the host's clock; 0: it did not
	written
	timeline
}

// written is how much there is to go back to.
type written struct {
	held    int64       // bytes written since the newest snapshot
	turned  int64       // bytes written since the newest state in undo
	counted limit.Meter // when that was kept
}

// Config is what a World is made from; Reset makes it anew.
type Config struct {
	Env      map[string]string `cbor:"1,keyasint,omitempty"`
	Cwd      string            `cbor:"2,keyasint,omitempty"`
	User     string            `cbor:"3,keyasint,omitempty"`
	Hostname string            `cbor:"4,keyasint,omitempty"`
	Limits   limit.Limits      `cbor:"5,keyasint"`
	Virtual  bool              `cbor:"6,keyasint,omitempty"`
	Start    int64             `cbor:"7,keyasint,omitempty"` // ns since 1970: the virtual clock's beginning, or the host's time
	Seed     uint64            `cbor:"8,keyasint,omitempty"`
	Files    map[string][]byte `cbor:"-"` // the tree has them
	Tools    []shell.Tool      `cbor:"9,keyasint,omitempty"`
}

// Entry is a command of the history.
type Entry struct {
	Index    int    `cbor:"1,keyasint"`
	Command  string `cbor:"2,keyasint"`
	Time     int64  `cbor:"3,keyasint,omitempty"` // ns since 1970
	Status   int    `cbor:"4,keyasint,omitempty"`
	Duration int64  `cbor:"5,keyasint,omitempty"` // ns
}

// Snapshot is a saved state in memory. Forks have the same ones.
type Snapshot struct {
	ID      string
	Name    string
	Created int64
	Parent  string
	Size    int64
	Command string
	World   *World
	held    int64      // bytes written between the snapshot before it and it
	mu      sync.Mutex // sharing a World writes to it
}

// State returns the World as it was, the caller's own.
func (s *Snapshot) State() *World {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.World.share()
}

// Mark returns what a later state is compared with.
func (s *Snapshot) Mark() *shell.Mark { return s.State().Mark() }

// generated is the part of every tree that is never saved: /dev, /proc and the
// utilities' names. Its times are the World's own only in what /proc says.
var generated = vfs.NewGenerated(vfs.GeneratedTable{
	Bins: append(append([]string{}, Registry.Names()...), "bash", "sh"),
	Proc: []vfs.ProcFile{
		{Path: "version", Content: func(int64) []byte {
			return []byte("Linux version 6.1.0-eryxsh (sandbox) #1 SMP PREEMPT_DYNAMIC\n")
		}},
		{Path: "uptime", Content: func(now int64) []byte {
			s := now / 1e7 % 1e9
			return fmt.Appendf(nil, "%d.%02d %d.%02d\n", s/100, s%100, s/100, s%100)
		}},
		{Path: "meminfo", Content: func(int64) []byte {
			return []byte("MemTotal:        1048576 kB\nMemFree:          786432 kB\nMemAvailable:     786432 kB\nBuffers:               0 kB\nCached:                0 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n")
		}},
		{Path: "cpuinfo", Content: func(int64) []byte {
			return []byte("processor\t: 0\nvendor_id\t: eryxsh\nmodel name\t: eryxsh machine\ncpu cores\t: 1\n")
		}},
		{Path: "mounts", Content: func(int64) []byte {
			return []byte("eryxsh / eryxsh rw 0 0\nproc /proc proc ro 0 0\ndev /dev devtmpfs rw 0 0\n")
		}},
	},
	Mounts: "mounts",
	Time:   946684800e9,
})

// Generated is the part of every tree that is never saved.
func Generated() *vfs.Generated { return generated }

// New makes a World. Errors are a fault.Error of kind Invalid, File or Quota.
func New(c Config) (*World, error) {
	c.normalize()
	if err := c.fits(); err != nil {
		return nil, err
	}
	w, err := newBare(c)
	if err != nil {
		return nil, err
	}
	return w, w.dress(c)
}

// fits is a Quota fault if the environment is more than the limit memory.
func (c *Config) fits() error {
	if lim := c.Limits.Memory; lim > 0 && len(c.Env) > 0 {
		if n := shell.EnvSize(c.Env); n > lim {
			return fault.New(fault.Quota, "create", "env", "the environment takes %d bytes; the limit memory is %d", n, lim)
		}
	}
	return nil
}

// newBare makes a World of a normal Config, without what dress adds.
func newBare(c Config) (*World, error) {
	fs, err := newTree(c)
	if err != nil {
		return nil, err
	}
	env := defaultEnv(c.User)
	for k, v := range c.Env {
		env[k] = v
	}
	w := &World{Config: &c}
	w.M = shell.New(shell.Config{FS: fs, Registry: Registry, Env: env, Cwd: c.Cwd,
		Identity: shell.Identity{User: c.User, Hostname: c.Hostname, UID: userID, GID: userID},
		Clock:    shell.Clock{Virtual: c.Virtual, Now: c.Start}})
	return w, nil
}

// defaultEnv is the environment of a sandbox that is given none.
func defaultEnv(user string) map[string]string {
	return map[string]string{"HOME": "/home/" + user, "USER": user, "LOGNAME": user, "PATH": "/usr/local/bin:/usr/bin:/bin",
		"SHELL": "/bin/bash", "TERM": "dumb", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
}

// userID is the uid and gid of the sandbox's one user.
const userID = 1000

func (c *Config) normalize() {
	if c.User == "" {
		c.User = "user"
	}
	if c.Hostname == "" {
		c.Hostname = "sandbox"
	}
	if c.Cwd == "" {
		c.Cwd = "/home/" + c.User
	}
}

// newTree makes the files a sandbox starts with.
func newTree(c Config) (*vfs.FS, error) {
	now := c.Start
	fs := vfs.New(generated, vfs.Limits{}, now)
	owner := vfs.Cred{UID: userID, GID: userID, Root: true}
	fail := func(path string, err error) error {
		if err == nil || errors.Is(err, vfs.EEXIST) {
			return nil
		}
		return &fault.Error{Kind: fault.File, Op: "create", Path: path, Err: err}
	}
	for _, d := range []string{"/home", "/home/" + c.User, "/tmp", "/usr", "/usr/bin", "/usr/local", "/usr/local/bin", "/etc", "/var", "/var/tmp", "/var/log", "/opt"} {
		if err := fail(d, fs.Mkdir(owner, d, 0o755, now)); err != nil {
			return nil, err
		}
		_ = fs.Chown(owner, d, true, userID, userID, now)
	}
	_ = fs.Chown(owner, "/", true, userID, userID, now)
	_ = fs.Chmod(owner, "/tmp", true, 0o1777, now)
	_ = fs.Symlink(owner, "/usr/bin", "/bin", now)
	w := &World{M: &shell.Machine{FS: fs}}
	etc := map[string]string{
		"/etc/passwd":     "root:x:0:0:root:/root:/bin/bash\n" + c.User + ":x:1000:1000::/home/" + c.User + ":/bin/bash\n",
		"/etc/group":      "root:x:0:\n" + c.User + ":x:1000:\n",
		"/etc/hosts":      "127.0.0.1\tlocalhost\n127.0.1.1\t" + c.Hostname + "\n",
		"/etc/hostname":   c.Hostname + "\n",
		"/etc/os-release": "PRETTY_NAME=\"eryxsh sandbox\"\nNAME=\"eryxsh\"\nID=eryxsh\nID_LIKE=debian\nVERSION_ID=\"1\"\n",
	}
	for _, p := range sortedKeys(etc) {
		if err := w.write(p, []byte(etc[p]), now); err != nil {
			return nil, err
		}
	}
	if err := w.mkdirAll(c.Cwd, now); err != nil {
		return nil, err
	}
	return fs, nil
}

// mix scrambles a number (SplitMix64's finaliser).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Fork gives an independent World in O(1). A run that is suspended goes on in
// both: the fork's pending calls get ids of their own. reseed, if not nil,
// gives the fork another random stream, and ids that no fork with another seed
// has: processes that fork one saved state tell their forks apart by it.
func (w *World) Fork(reseed *uint64) *World {
	w.Forks++
	c := w.share()
	c.made = 0 // it has ids and maybe a seed of its own
	c.Lineage, c.Forks = mix(w.Lineage+w.Forks*0x9e3779b97f4a7c15), 0
	c.renew(reseed)
	return c
}

// share gives a World with the same state: O(1), nothing renamed.
func (w *World) share() *World {
	r := newRoom()
	w.view(&r.world)
	r.world.M = w.M.ForkInto(&r.machine)
	return &r.world
}

func newRoom() *room {
	r := &room{}
	r.machine.FS, r.world.M = &r.tree, &r.machine
	return r
}

// room is memory for a World with its parts, so that all of it is made at once.
type room struct {
	world   World
	machine shell.Machine
	tree    vfs.FS
}

// copyInto is share into the memory of a World that nobody needs any more.
func (w *World) copyInto(c *World) {
	m := c.M
	w.view(c)
	c.M = w.M.CopyInto(m)
}

// view makes c the same as w, machine and all.
func (w *World) view(c *World) {
	w.count()
	w.own = false
	*c = *w
	c.Log = w.Log[:len(w.Log):len(w.Log)]
	c.Snaps = w.Snaps[:len(w.Snaps):len(w.Snaps)]
	c.Kept = w.Kept[:len(w.Kept):len(w.Kept)]
	c.timeline, c.retry = timeline{entry: w.entry}, nil
}

// count notes what was written so far: a fork of the files counts from zero again.
func (w *World) count() {
	written := w.M.FS.Written()
	w.held += written
	w.turned += written
}

// Twin gives a World with the same state and the same ids, for whoever keeps only one of the two.
func (w *World) Twin() *World { return w.share() }

// renew gives the run at hand, and the calls it waits for, ids of this World.
func (w *World) renew(reseed *uint64) {
	if reseed != nil { // ids of its own, too: what was loaded twice counts its forks twice
		w.M.Reseed(*reseed)
		w.Lineage = mix(w.Lineage ^ mix(*reseed))
	}
	if w.Going() {
		w.M.Rename(w.runID())
	}
}

func (w *World) runID() string {
	var b [17]byte
	return string(strconv.AppendUint(append(b[:0], 'r'), mix(w.Lineage+uint64(w.M.Run.Seq)), 16))
}

// Snapshot keeps the state in memory, O(1). Beyond the limit of retained bytes
// it is a Quota fault.
func (w *World) Snapshot(name string) (*Snapshot, error) {
	if lim := w.M.Limits.Retained; lim > 0 {
		held := w.held + w.M.FS.Written()
		for _, s := range w.Snaps {
			held += s.held
		}
		if held > lim {
			return nil, fault.New(fault.Quota, "snapshot", name, "snapshots hold %d bytes; the limit retained is %d", held, lim)
		}
	}
	w.SnapSeq++
	s := &Snapshot{ID: "s" + strconv.FormatInt(w.SnapSeq, 10), Name: name, Created: w.M.Now(), Size: w.M.FS.Usage().Bytes, Parent: w.At}
	w.At = s.ID
	if n := len(w.Log); n > 0 {
		s.Command = w.Log[n-1].Command
	}
	s.World = w.share()
	s.held, w.held = w.held, 0
	w.Snaps = append(w.Snaps, s)
	return s, nil
}

// Own returns how many of the stored bytes of a snapshot's files the snapshot it came after has not.
func (w *World) Own(s *Snapshot) int64 {
	i := slices.IndexFunc(w.Snaps, func(p *Snapshot) bool { return p.ID == s.Parent })
	if i < 0 || w.Snaps[i] == s {
		return s.Size
	}
	return vfs.Unshared(w.Snaps[i].State().M.FS, s.State().M.FS)
}

// Retained is about how many bytes snapshots and undo hold beyond the live files.
func (w *World) Retained() int64 {
	held := w.past
	for _, s := range w.Snaps {
		held += s.held
	}
	return held
}

// Find returns the snapshot with an id, or else the newest with that name; what
// it is for is in the fault of kind NotFound.
func (w *World) Find(what, snapshot string) (*Snapshot, error) {
	i := slices.IndexFunc(w.Snaps, func(s *Snapshot) bool { return s.ID == snapshot })
	for n := len(w.Snaps) - 1; i < 0 && n >= 0 && snapshot != ""; n-- {
		if w.Snaps[n].Name == snapshot {
			i = n
		}
	}
	if i < 0 {
		return nil, fault.New(fault.NotFound, what, snapshot, "no such snapshot")
	}
	return w.Snaps[i], nil
}

// Restore goes back to a snapshot, by its id or its name: files, shell, history,
// and the run it may have been taken in. The list of snapshots stays.
func (w *World) Restore(snapshot string, reseed *uint64) error {
	s, err := w.Find("restore", snapshot)
	if err != nil {
		return err
	}
	w.forgetFuture()
	w.become(s.State(), reseed)
	return nil
}

// become takes over another World's state, keeping what belongs to this one.
func (w *World) become(from *World, reseed *uint64) {
	w.Forks++
	lineage, forks, snaps, seq := mix(w.Lineage+w.Forks*0x9e3779b97f4a7c15), w.Forks, w.Snaps, w.SnapSeq
	virtual, now := w.M.Clock.Virtual, w.M.Clock.Now
	w.M.Close()
	w.retry = nil
	line := w.timeline
	*w = *from.share()
	line.entry = w.entry
	w.Lineage, w.Forks, w.Snaps, w.SnapSeq, w.timeline = lineage, forks, snaps, seq, line
	if !virtual {
		w.M.Clock.Now = max(w.M.Clock.Now, now)
	}
	w.renew(reseed)
}

// Drop forgets a snapshot, by its id or its name.
func (w *World) Drop(snapshot string) error {
	gone, err := w.Find("drop", snapshot)
	if err != nil {
		return err
	}
	w.Snaps = slices.DeleteFunc(slices.Clone(w.Snaps), func(s *Snapshot) bool { return s == gone })
	return nil
}

// Reset makes the World as new.
func (w *World) Reset() error {
	c := *w.Config
	c.Seed = mix(w.Lineage)
	if !c.Virtual {
		c.Start = w.M.Now()
	} else {
		c.Seed = w.Config.Seed
	}
	n, err := New(c)
	if err != nil {
		return err
	}
	w.M.Close()
	w.Forks++
	n.Lineage = mix(w.Lineage + w.Forks*0x9e3779b97f4a7c15)
	n.Config.Seed = w.Config.Seed // its own: nobody shares it yet
	*w = *n
	return nil
}

// Close stops what only this process can hold: codecs in flight.
func (w *World) Close() { w.M.Close() }
