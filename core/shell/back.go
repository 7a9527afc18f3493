package shell

import (
	"reflect"

	"eryxsh/vfs"
)

// A run cannot go on from the middle of a step. One that is to be suspended while
// a step takes long goes back to a point before it: to the beginning of the slice,
// since nothing of the slice has left the World yet. What was done since is done
// again when the run goes on, and as the state is the same, so is what it does.

// tooHeavy is how many bytes a point to come back to may copy at most: it takes
// about 100 µs, and longStep where steps take long: about 1 ms. Variables, files and
// captures are not copied; what pipes and commands in flight hold is.
const (
	tooHeavy = 1 << 18
	longStep = 1 << 21
)

// frameWeight is about what a copy of a frame takes: bytes.
const frameWeight = 256

// Point keeps the state as it is now, to come back to, in the memory of old,
// a point that nobody needs any more, or nil.
func (m *Machine) Point(old *Machine) *Machine {
	m.own()
	if old == nil {
		old = &Machine{FS: &vfs.FS{}}
	}
	return m.CopyInto(old)
}

// Light says whether a point costs little: not where commands in flight hold much,
// unless it must be made whatever the copy costs, and never while a codec is in
// flight, which would have to read its input again each time. long says that steps
// have taken long, so that a point may be worth more.
func (m *Machine) Light(must, long bool) bool {
	most := tooHeavy
	if long {
		most = longStep
	}
	weight := m.weight(most)
	return weight >= 0 && (must || weight < most)
}

// weight is what Point would copy: bytes, or at least most. It is negative while a codec is in flight.
func (m *Machine) weight(most int) int {
	n := 0
	for _, p := range m.Procs {
		n += len(p.Frames) * frameWeight
		for i := range p.Frames {
			x := p.Frames[i].X
			if x == nil {
				continue
			}
			n += len(x.Data)
			if u := x.Util; u != nil {
				if u.fiber != nil {
					return -1
				}
				if n += len(u.Out); u.Prog != nil && n < most {
					n = most - weighPlain(reflect.ValueOf(u.Prog).Elem(), most-n)
				}
			}
		}
		for _, q := range p.Queue {
			n += len(q.Data)
		}
	}
	for i := range m.Pipes {
		n += len(m.Pipes[i].Buf)
	}
	for i := range m.IO.Out {
		n += len(m.IO.Out[i].Data)
	}
	return n
}

// GoesBack says whether whoever moves the machine can go back to where the slice
// began: then a step may be given up for a suspension.
func (m *Machine) GoesBack(yes bool) { m.rt.goesBack = yes }

// givenUp is what unwinds a step whose run is to be suspended.
const givenUp = "given up"

// heldMuch is how many bytes a command holds from which on it may soon hold too many for a point.
const heldMuch = 1 << 16

// beginsToHold ends the slice after the step at hand if output waits: with that
// gone, the next slice has a point to go back to, for as long as there is no more of it.
func (m *Machine) beginsToHold() {
	if len(m.IO.Out) > 0 {
		m.rt.holding, m.rt.credit = true, 0
	}
}

// giveUp unwinds the step at hand for a suspension, if that is possible: a run
// that comes to the same step again ends it, else it might never get beyond it.
func (m *Machine) giveUp() {
	if m.rt.goesBack && m.Meter.Steps > m.Run.Retried {
		m.stop(givenUp)
	}
}

// ComeBack makes a point the state that goes on, in the place of gone, which was given up.
func (m *Machine) ComeBack(gone *Machine) {
	m.own()
	m.rt = &transient{}
	m.Run.Retried = gone.Meter.Steps
	gone.Close()
}

// Overdrew reports whether a step of the last slice took so long that the host
// was asked in its middle, or some may soon: a command began to hold much.
func (m *Machine) Overdrew() bool { return m.rt != nil && (m.rt.overdrew || m.rt.holding) }
