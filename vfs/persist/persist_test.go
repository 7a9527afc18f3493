package persist

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// branch is one version under test: a collection, its owner and the plain map
// it must be like.
type vecBranch struct {
	ep    Epoch
	vec   Vec[int]
	model map[int64]int
}

func (b *vecBranch) fork() *vecBranch {
	c := &vecBranch{NewEpoch(), b.vec, maps.Clone(b.model)}
	b.ep = NewEpoch()
	return c
}

func (b *vecBranch) check(t *testing.T) {
	t.Helper()
	got := map[int64]int{}
	last := int64(-1)
	for i, x := range b.vec.All() {
		if i <= last {
			t.Fatalf("All: %d after %d", i, last)
		}
		got[i], last = x, i
	}
	if d := cmp.Diff(b.model, got); d != "" {
		t.Fatalf("All (-model +vec):\n%s", d)
	}
	if b.vec.Len() != len(b.model) || b.vec.Max() != last {
		t.Fatalf("Len %d, Max %d; model %d, %d", b.vec.Len(), b.vec.Max(), len(b.model), last)
	}
}

// index favours runs, the edges of nodes and a few far ones.
func index(r *rand.Rand) int64 {
	switch r.Intn(10) {
	case 0:
		return r.Int63()
	case 1:
		return 1<<(5*r.Intn(12)) - 1 + int64(r.Intn(3))
	default:
		return int64(r.Intn(200))
	}
}

func TestVecIsAMap(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	live := []*vecBranch{{ep: NewEpoch(), model: map[int64]int{}}}
	for step := range 30000 {
		b := live[r.Intn(len(live))]
		i := index(r)
		switch op := r.Intn(20); {
		case op < 8:
			b.vec.Set(b.ep, i, step)
			b.model[i] = step
		case op < 10:
			if b.vec.Max() < 1<<62 {
				b.model[b.vec.Max()+1] = step
				b.vec.Append(b.ep, step)
			}
		case op < 14:
			_, had := b.model[i]
			if b.vec.Delete(b.ep, i) != had {
				t.Fatalf("step %d: Delete(%d) != %v", step, i, had)
			}
			delete(b.model, i)
		case op < 15:
			p := b.vec.Ref(b.ep, i)
			if _, had := b.model[i]; (p != nil) != had {
				t.Fatalf("step %d: Ref(%d) presence is not %v", step, i, had)
			}
			if p != nil {
				*p = -step
				b.model[i] = -step
			}
		case op < 16 && r.Intn(8) == 0:
			b.vec.Truncate(b.ep, i)
			maps.DeleteFunc(b.model, func(k int64, _ int) bool { return k >= i })
		case op < 17:
			at, ok := b.vec.Next(i)
			want, found := int64(0), false
			for k := range b.model {
				if k >= i && (!found || k < want) {
					want, found = k, true
				}
			}
			if at != want || ok != found {
				t.Fatalf("step %d: Next(%d) = %d, %v; want %d, %v", step, i, at, ok, want, found)
			}
		case op < 18 && len(live) < 6:
			live = append(live, b.fork())
		case op < 19 && len(live) > 2:
			live = slices.Delete(live, 0, 1)
		}
		if got, ok := b.vec.Get(i); ok != has(b.model, i) || got != b.model[i] {
			t.Fatalf("step %d: Get(%d) = %d, %v", step, i, got, ok)
		}
		if step%100 == 0 {
			for _, b := range live {
				b.check(t)
			}
			a, b := live[0], live[len(live)-1]
			checkDiff(t, a, b)
		}
	}
}

func has[K comparable, V any](m map[K]V, k K) bool {
	_, ok := m[k]
	return ok
}

func checkDiff(t *testing.T, a, b *vecBranch) {
	t.Helper()
	want, got := map[int64][2]int{}, map[int64][2]int{}
	for k, x := range a.model {
		if y, ok := b.model[k]; !ok || x != y {
			want[k] = [2]int{x, y}
		}
	}
	for k, y := range b.model {
		if !has(a.model, k) {
			want[k] = [2]int{0, y}
		}
	}
	DiffVec(&a.vec, &b.vec, func(x, y *int) bool { return *x == *y }, func(i int64, x, y *int) bool {
		var p [2]int
		if x != nil {
			p[0] = *x
		}
		if y != nil {
			p[1] = *y
		}
		got[i] = p
		return true
	})
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("DiffVec (-model +vec):\n%s", d)
	}
}

func TestVecSetOfAnOwnerAllocatesNothing(t *testing.T) {
	var v Vec[int]
	ep := NewEpoch()
	for i := range int64(1000) {
		v.Append(ep, int(i))
	}
	if n := testing.AllocsPerRun(100, func() { v.Set(ep, 500, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMapIsAMap(t *testing.T) {
	type branch struct {
		ep    Epoch
		m     Map[int]
		model map[string]int
	}
	r := rand.New(rand.NewSource(2))
	live := []*branch{{ep: NewEpoch(), model: map[string]int{}}}
	for step := range 30000 {
		b := live[r.Intn(len(live))]
		key := fmt.Sprintf("k%d", r.Intn(300))
		if r.Intn(4) == 0 {
			key += "-and-a-tail-longer-than-sixteen"
		}
		h := Hash(key)
		switch op := r.Intn(20); {
		case op < 9:
			b.m.Set(b.ep, key, step)
			b.model[key] = step
		case op < 15:
			if b.m.Delete(b.ep, key) != has(b.model, key) {
				t.Fatalf("step %d: Delete(%q)", step, key)
			}
			delete(b.model, key)
		case op < 16:
			if p := b.m.Ref(b.ep, h, key); p != nil {
				*p = -step
				b.model[key] = -step
			}
		case op < 17 && len(live) < 6:
			c := &branch{NewEpoch(), b.m, maps.Clone(b.model)}
			b.ep = NewEpoch()
			live = append(live, c)
		case op < 18 && len(live) > 2:
			live = slices.Delete(live, 0, 1)
		}
		if got, ok := b.m.Get(key); ok != has(b.model, key) || got != b.model[key] {
			t.Fatalf("step %d: Get(%q) = %d, %v", step, key, got, ok)
		}
		if step%100 == 0 {
			for _, b := range live {
				if d := cmp.Diff(b.model, maps.Collect(b.m.All())); d != "" || b.m.Len() != len(b.model) {
					t.Fatalf("Len %d, model %d (-model +map):\n%s", b.m.Len(), len(b.model), d)
				}
				if want := slices.Sorted(maps.Keys(b.model)); !slices.Equal(want, b.m.Keys()) {
					t.Fatalf("Keys %q, want %q", b.m.Keys(), want)
				}
				// The order of All follows from the keys alone.
				var again Map[int]
				for _, k := range b.m.Keys() {
					again.Set(1, k, b.model[k])
				}
				if !slices.Equal(order(&again), order(&b.m)) {
					t.Fatalf("step %d: the order depends on history", step)
				}
			}
		}
	}
}

func order(m *Map[int]) (keys []string) {
	for k := range m.All() {
		keys = append(keys, k)
	}
	return keys
}

// TestMapSurvivesEqualHashes drives the nodes below the last level with keys
// that claim one hash.
func TestMapSurvivesEqualHashes(t *testing.T) {
	var m Map[int]
	ep := NewEpoch()
	const h = 0xdeadbeefdeadbeef
	keys := []string{}
	// An entry that is pushed down goes by its real hash, so start at the bottom
	// of a chain made for h.
	m.root = chain[int](ep, h)
	for i := range 50 {
		key := fmt.Sprint("key", (i*37)%50)
		*m.Slot(ep, h, key) = i
		keys = append(keys, key)
	}
	if m.Len() != 50 {
		t.Fatalf("Len %d", m.Len())
	}
	old := m
	ep = NewEpoch()
	for i, key := range keys {
		p := m.At(h, key)
		if p == nil || *p != i {
			t.Fatalf("At(%q) = %v, want %d", key, p, i)
		}
		*m.Ref(ep, h, key) = -1
	}
	if p := old.At(h, keys[7]); *p != 7 {
		t.Errorf("the older version sees %d", *p)
	}
	if m.At(h, "absent") != nil || m.Ref(ep, h, "absent") != nil {
		t.Error("found an absent key")
	}
}

func chain[V any](ep Epoch, h uint64) *mapNode[V] {
	n := &mapNode[V]{own: ep}
	for s := 60; s >= 0; s -= mapBits {
		n = &mapNode[V]{own: ep, subs: 1 << (h >> s & (1<<mapBits - 1)), kids: []*mapNode[V]{n}}
	}
	return n
}

func TestHashIsFixed(t *testing.T) {
	// Names saved by one process are looked up by another.
	got := map[string]string{}
	for _, s := range []string{"", "a", "PATH", "BASH_VERSION", "a name that is longer than sixteen bytes"} {
		got[s] = fmt.Sprintf("%016x", Hash(s))
	}
	want := map[string]string{
		"":             "42bc986dc5eec4d3",
		"a":            "6cf84e5a2465e867",
		"PATH":         "ce82407e643dd99a",
		"BASH_VERSION": "c69664c06addcc49",
		"a name that is longer than sixteen bytes": "051149a1960e6fef",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	seen := map[uint64]string{}
	for i := range 100000 {
		s := fmt.Sprint("name", i)
		if o, dup := seen[Hash(s)]; dup {
			t.Fatalf("%q and %q collide", s, o)
		}
		seen[Hash(s)] = s
	}
}

func TestMapSetOfAnOwnerAllocatesNothing(t *testing.T) {
	m, ep, keys := filled(100)
	if n := testing.AllocsPerRun(100, func() { m.Set(ep, keys[50], 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func filled(n int) (m Map[int], ep Epoch, keys []string) {
	ep = NewEpoch()
	for i := range n {
		keys = append(keys, fmt.Sprintf("VARIABLE_%d", i))
		m.Set(ep, keys[i], i)
	}
	return m, ep, keys
}

func TestSortedIsASortedMap(t *testing.T) {
	type branch struct {
		ep    Epoch
		s     Sorted[int]
		model map[string]int
	}
	r := rand.New(rand.NewSource(3))
	live := []*branch{{ep: NewEpoch(), model: map[string]int{}}}
	for step := range 60000 {
		b := live[r.Intn(len(live))]
		key := fmt.Sprintf("%x", r.Intn(3000))
		grow := step/6000%2 == 0 // let trees get deep and empty again
		switch op := r.Intn(20); {
		case op < 6 || op < 14 && grow:
			b.s.Set(b.ep, key, step)
			b.model[key] = step
		case op < 17:
			if b.s.Delete(b.ep, key) != has(b.model, key) {
				t.Fatalf("step %d: Delete(%q)", step, key)
			}
			delete(b.model, key)
		case op < 18 && len(live) < 5:
			c := &branch{NewEpoch(), b.s, maps.Clone(b.model)}
			b.ep = NewEpoch()
			live = append(live, c)
		case op < 19 && len(live) > 2 && r.Intn(3) > 0:
			live = drop(live, r.Intn(len(live)))
		}
		if got, ok := b.s.Get(key); ok != has(b.model, key) || got != b.model[key] {
			t.Fatalf("step %d: Get(%q) = %d, %v", step, key, got, ok)
		}
		if step%500 != 0 {
			continue
		}
		for _, b := range live {
			want := slices.Sorted(maps.Keys(b.model))
			var got, after []string
			for k, v := range b.s.All() {
				if got = append(got, k); v != b.model[k] {
					t.Fatalf("step %d: %q is %d, want %d", step, k, v, b.model[k])
				}
			}
			if !slices.Equal(want, got) || b.s.Len() != len(want) {
				t.Fatalf("step %d: All has %d, Len %d, want %d", step, len(got), b.s.Len(), len(want))
			}
			for k := range b.s.After(key) {
				after = append(after, k)
			}
			i, found := slices.BinarySearch(want, key)
			if found {
				i++
			}
			if !slices.Equal(want[i:], after) {
				t.Fatalf("step %d: After(%q) = %q", step, key, after)
			}
			b.s.verify(t)
			var again Sorted[int]
			for k, v := range b.model {
				again.Set(1, k, v)
			}
			if !EqualSorted(&b.s, &again) {
				t.Fatalf("step %d: not equal to itself", step)
			}
			if len(want) > 0 {
				again.Set(1, want[r.Intn(len(want))], -1)
				if EqualSorted(&b.s, &again) {
					t.Fatalf("step %d: equal to another", step)
				}
			}
		}
	}
}

func drop[E any](s []E, i int) []E { return slices.Delete(s, i, i+1) }

// TestSortedShrinksInOrder removes names in the order they came, which empties
// nodes between full neighbours.
func TestSortedShrinksInOrder(t *testing.T) {
	var s Sorted[int]
	ep := NewEpoch()
	for i := range 10000 {
		s.Set(ep, fmt.Sprintf("%05d", i), i)
	}
	if n := len(s.root.kids); n > 10000/sortedMax/sortedMax+2 {
		t.Errorf("made in order, the root has %d children", n)
	}
	old := s
	ep = NewEpoch()
	for i := 3000; i < 9000; i++ {
		if !s.Delete(ep, fmt.Sprintf("%05d", i)) {
			t.Fatal(i)
		}
		if i%7 == 0 {
			s.verify(t)
		}
	}
	if s.Len() != 4000 || old.Len() != 10000 {
		t.Errorf("Len %d, before %d", s.Len(), old.Len())
	}
	checkRun(t, &old, 10000)
	// Thinned out at random, nodes join with neighbours that a fork shares.
	s = old
	order := rand.New(rand.NewSource(4)).Perm(10000)
	for at, i := range order {
		if at%500 == 0 {
			ep = NewEpoch() // what was written so far is shared from here on
			old = s
		}
		s.Delete(ep, fmt.Sprintf("%05d", i))
		if at%50 == 0 {
			s.verify(t)
			seen, last := 0, ""
			for k := range old.All() {
				if k <= last {
					t.Fatalf("after %d the older version has %q behind %q", at, k, last)
				}
				last = k
				seen++
			}
			if want := 10000 - at/500*500; seen != want || old.Len() != want {
				t.Fatalf("after %d the older version has %d, want %d", at, seen, want)
			}
		}
	}
	if s.Len() != 0 || s.root != nil {
		t.Errorf("%d left", s.Len())
	}
}

func checkRun(t *testing.T, s *Sorted[int], want int) {
	t.Helper()
	n := 0
	for _, v := range s.All() {
		if v != n {
			t.Fatalf("%d at %d", v, n)
		}
		n++
	}
	if n != want {
		t.Fatalf("%d keys, want %d", n, want)
	}
}

// verify checks the shape: all leaves equally deep, no empty node, no node too
// full, keys within what their parent says.
func (s *Sorted[V]) verify(t *testing.T) {
	t.Helper()
	depth := -1
	var visit func(n *sortedNode[V], d int, lo string)
	visit = func(n *sortedNode[V], d int, lo string) {
		if len(n.keys) == 0 || len(n.keys) > sortedMax || n.keys[0] < lo {
			t.Fatalf("node of %d keys from %q below %q", len(n.keys), n.keys[:min(1, len(n.keys))], lo)
		}
		if n.kids == nil {
			if depth >= 0 && depth != d || len(n.vals) != len(n.keys) {
				t.Fatalf("leaf at depth %d with %d values", d, len(n.vals))
			}
			depth = d
			return
		}
		if len(n.kids) != len(n.keys) || len(n.vals) > 0 {
			t.Fatalf("branch of %d keys, %d children", len(n.keys), len(n.kids))
		}
		for i, k := range n.kids {
			visit(k, d+1, n.keys[i])
		}
	}
	if s.root != nil {
		visit(s.root, 0, "")
	}
}

func BenchmarkMapGet(b *testing.B) {
	for _, n := range []int{10, 50, 100, 1000} {
		m, _, keys := filled(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := range b.N {
				m.Get(keys[i%n])
			}
		})
		h := Hash(keys[n/2])
		b.Run(fmt.Sprintf("%d hashed", n), func(b *testing.B) {
			for range b.N {
				m.At(h, keys[n/2])
			}
		})
	}
}

func BenchmarkMapSet(b *testing.B) {
	m, ep, keys := filled(100)
	b.ReportAllocs()
	for i := range b.N {
		m.Set(ep, keys[i%100], i)
	}
}

func BenchmarkMapForkSet(b *testing.B) {
	m, _, keys := filled(100)
	b.ReportAllocs()
	for i := range b.N {
		c := m
		c.Set(NewEpoch(), keys[i%100], i)
	}
}

func BenchmarkVecAppend(b *testing.B) {
	b.ReportAllocs()
	var v Vec[int]
	ep := NewEpoch()
	for i := range b.N {
		v.Append(ep, i)
	}
}

func BenchmarkVecGet(b *testing.B) {
	for _, n := range []int64{32, 1000, 1000000} {
		var v Vec[int]
		for i := range n {
			v.Append(1, int(i))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := range int64(b.N) {
				v.Get(i % n)
			}
		})
	}
}

func BenchmarkSortedGet(b *testing.B) {
	for _, n := range []int{10, 1000, 100000} {
		var s Sorted[int]
		var keys []string
		for i := range n {
			keys = append(keys, fmt.Sprintf("file%d.txt", i))
			s.Set(1, keys[i], i)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := range b.N {
				s.Get(keys[i%n])
			}
		})
	}
}

// DiffSorted gives what comparing key by key gives, and skips what is shared.
func TestDiffSorted(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range 200 {
		var a Sorted[int]
		ep := NewEpoch()
		for range r.Intn(3000) {
			a.Set(ep, strconv.Itoa(r.Intn(4000)), r.Intn(3))
		}
		b := a
		ep = NewEpoch()
		for range r.Intn(40) {
			if key := strconv.Itoa(r.Intn(4000)); r.Intn(2) == 0 {
				b.Set(ep, key, r.Intn(3))
			} else {
				b.Delete(ep, key)
			}
		}
		var want, got []string
		one := func(key string, x, y *int) string { return fmt.Sprint(key, " ", text(x), " ", text(y)) }
		for i := range 4000 {
			key := strconv.Itoa(i)
			x, inA := a.Get(key)
			y, inB := b.Get(key)
			switch {
			case inA && !inB:
				want = append(want, one(key, &x, nil))
			case inB && !inA:
				want = append(want, one(key, nil, &y))
			case inA && x != y:
				want = append(want, one(key, &x, &y))
			}
		}
		DiffSorted(&a, &b, func(key string, x, y *int) bool {
			got = append(got, one(key, x, y))
			return true
		})
		slices.Sort(want)
		if !slices.IsSortedFunc(got, func(x, y string) int { return strings.Compare(strings.Fields(x)[0], strings.Fields(y)[0]) }) {
			t.Fatal("not in order: ", got)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%v, not %v", got, want)
		}
	}
}

func text(x *int) string {
	if x == nil {
		return "-"
	}
	return strconv.Itoa(*x)
}

// Below and From are a search in the sorted list of keys.
func TestSortedNeighbours(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	var s Sorted[int]
	ep := NewEpoch()
	have := map[string]bool{}
	for range 5000 {
		key := fmt.Sprint(rng.Intn(3000))
		if rng.Intn(3) == 0 {
			s.Delete(ep, key)
			delete(have, key)
		} else {
			s.Set(ep, key, 1)
			have[key] = true
		}
	}
	keys := slices.Sorted(maps.Keys(have))
	for range 3000 {
		key := fmt.Sprint(rng.Intn(3000))
		i, _ := slices.BinarySearch(keys, key)
		got, ok := s.Below(key)
		if ok != (i > 0) || ok && got != keys[i-1] {
			t.Fatalf("below %q: %q %v", key, got, ok)
		}
		var rest []string
		for k := range s.From(key) {
			rest = append(rest, k)
		}
		if !slices.Equal(rest, keys[i:]) {
			t.Fatalf("from %q: %d of %d", key, len(rest), len(keys)-i)
		}
	}
}
