package codec

import (
	"bytes"
	"slices"
	"sort"
	"unsafe"

	"eryxsh/core/shell"
	"eryxsh/core/vars"
)

// Most variables of a shell are those that every shell begins with. Their
// records are made once for an origin, and compared with as one piece.

// spelling is an origin's variables as they are written.
type spelling struct {
	names []string
	data  []byte
	ends  []int   // of each record in data
	costs []int64 // what reading each charges
}

// begin is where a record begins.
func (s *spelling) begin(i int) int {
	if i == 0 {
		return 0
	}
	return s.ends[i-1]
}

// find is the position of a name, or of the first one above it.
func (s *spelling) find(name string) (i int, found bool) {
	i = sort.SearchStrings(s.names, name)
	return i, i < len(s.names) && s.names[i] == name
}

func spell(o *vars.Origin) *spelling {
	if s, ok := o.Kept().(*spelling); ok {
		return s
	}
	s, w := &spelling{}, writer{}
	for name, v := range o.All() {
		rec := v.Record(name)
		from := len(w.b)
		w.varsRecord(&rec)
		r := reader{data: w.b[from:], left: 1 << 62}
		r.varsRecord(&vars.Record{})
		s.names, s.ends, s.costs = append(s.names, name), append(s.ends, len(w.b)), append(s.costs, 1<<62-r.left)
	}
	s.data = slices.Clip(w.b)
	o.Keep(s)
	return s
}

// frame adds a frame where it stands in a machine.
func (w *writer) frame(at int, k byte, x *shell.FrameRecord) {
	w.key(at, k)
	if x.Live != nil {
		w.shellFrame(x.Live)
		return
	}
	w.shellFrame(&x.Frame)
}

func (r *reader) frame(x *shell.FrameRecord) { r.shellFrame(&x.Frame) }

// vars adds the variables of a process.
func (w *writer) vars(at int, k byte, x *shell.ProcRecord) {
	if x.Delta == nil {
		if w.list(at, k, len(x.Vars)) {
			for i := range x.Vars {
				w.varsRecord(&x.Vars[i])
			}
		}
		return
	}
	s, changed, gone := spell(x.Delta.Origin), x.Delta.Changed, x.Delta.Gone
	n := len(s.names) - len(gone)
	for i := range changed {
		if _, found := s.find(changed[i].Name); !found {
			n++
		}
	}
	if !w.list(at, k, n) {
		return
	}
	done := 0 // records of the origin that are written or left out
	for len(changed)+len(gone) > 0 {
		var new *vars.Record
		name := ""
		if len(gone) == 0 || len(changed) > 0 && changed[0].Name < gone[0] {
			new, name, changed = &changed[0], changed[0].Name, changed[1:]
		} else {
			name, gone = gone[0], gone[1:]
		}
		i, found := s.find(name)
		w.b = append(w.b, s.data[s.begin(done):s.begin(i)]...)
		if done = i; found {
			done++
		}
		if new != nil {
			w.varsRecord(new)
		}
	}
	w.b = append(w.b, s.data[s.begin(done):]...)
}

// vars reads the variables of a process: as a Delta, if most are the origin's.
func (r *reader) vars(x *shell.ProcRecord) {
	if at, left := r.at, r.left; r.origin != nil {
		if x.Delta = r.delta(); x.Delta != nil || r.bad {
			return
		}
		r.at, r.left = at, left
	}
	for i := range list(r, &x.Vars) {
		r.varsRecord(&x.Vars[i])
	}
}

// delta is nil if there is little in common.
func (r *reader) delta() *vars.Delta {
	s, d := spell(r.origin), &vars.Delta{Origin: r.origin}
	n := r.head(isList)
	if n > uint64(len(r.data)-r.at) {
		r.fail()
		return nil
	}
	r.take(int64(n) * int64(unsafe.Sizeof(vars.Record{})))
	i := 0
	for last := ""; n > 0 && !r.bad; n-- {
		if i < len(s.names) && bytes.HasPrefix(r.data[r.at:], s.data[s.begin(i):s.ends[i]]) {
			r.at += s.ends[i] - s.begin(i)
			r.take(s.costs[i])
			last = s.names[i]
			i++
			continue
		}
		var v vars.Record
		r.varsRecord(&v)
		if v.Name <= last { // out of order, or twice
			r.fail()
		}
		last = v.Name
		for ; i < len(s.names) && s.names[i] < last; i++ {
			d.Gone = append(d.Gone, s.names[i])
		}
		if i < len(s.names) && s.names[i] == last {
			i++
		}
		if d.Changed = append(d.Changed, v); !d.Small() {
			return nil
		}
	}
	if d.Gone = append(d.Gone, s.names[i:]...); !d.Small() {
		return nil
	}
	return d
}
