package vars

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestScalar(t *testing.T) {
	tb := NewTable()
	if tb.Get("x").IsSet() || tb.Get("x").String() != "" || tb.Get("x").Len() != 0 {
		t.Fatal("a missing variable is unset and empty")
	}
	v := tb.Own("x")
	for _, c := range []struct {
		in  string
		n   int64
		num bool
	}{
		{"", 0, false}, {"0", 0, true}, {"-7", -7, true}, {"007", 0, false}, {"-0", 0, false}, {"+5", 0, false},
		{"123456789012345678", 123456789012345678, true}, {"1234567890123456789", 0, false}, {"12a", 0, false}, {" 1", 0, false}, {"-", 0, false},
	} {
		v.SetString(c.in)
		n, ok := v.Int()
		if ok != c.num || ok && n != c.n || v.String() != c.in || !v.IsSet() {
			t.Errorf("%q: %d %v %q", c.in, n, ok, v.String())
		}
	}
	v.SetInt(42)
	if s := v.String(); s != "42" {
		t.Errorf("SetInt: %q", s)
	}
	v.SetInt(43)
	if n, ok := v.Int(); n != 43 || !ok || v.String() != "43" {
		t.Error("SetInt after reading")
	}
	v.Clear()
	if v.IsSet() || v.String() != "" {
		t.Error("Clear")
	}
	var want strings.Builder
	for i := range 1000 {
		v.AppendString(fmt.Sprint(i, ";"))
		want.WriteString(fmt.Sprint(i, ";"))
	}
	c := v.Clone()
	v2 := tb.Own("x")
	v2.AppendString("more")
	if c.String() != want.String() || v2.String() != want.String()+"more" {
		t.Error("append across a clone")
	}
}

func TestForkIsolation(t *testing.T) {
	a := NewTable()
	for i := range 100 {
		a.Own(fmt.Sprint("v", i)).SetInt(int64(i))
	}
	arr := a.Own("arr")
	for i := range 1000 {
		arr.SetIndex(int64(i), fmt.Sprint(i))
	}
	m := a.Own("m")
	for i := range 3000 {
		m.SetKey(fmt.Sprint("k", i), fmt.Sprint(i))
	}
	before := dump(a)
	b := a.Fork()
	b.Own("v5").SetString("changed")
	b.Own("arr").SetIndex(500, "changed")
	b.Own("arr").UnsetIndex(501)
	b.Own("arr").SetIndex(1<<40, "far")
	b.Own("m").SetKey("k7", "changed")
	b.Own("m").SetKey("new", "1")
	b.Own("m").UnsetKey("k8")
	b.Delete("v6")
	b.Own("v200").SetString("new")
	if got := dump(a); got != before {
		t.Error("the child's writes are seen by the parent")
	}
	mid := dump(b)
	a.Own("v5").SetString("parent")
	a.Own("arr").SetIndex(500, "parent")
	a.Own("m").SetKey("k7", "parent")
	a.Own("m").UnsetKey("k9")
	a.Own("m").Clear()
	if got := dump(b); got != mid {
		t.Error("the parent's writes are seen by the child")
	}
	if v, _ := b.Get("m").Key("k7"); v != "changed" || b.Get("arr").MaxIndex() != 1<<40 || b.Get("v6") != nil {
		t.Error("the child lost its own writes")
	}
}

func dump(t *Table) string {
	var sb strings.Builder
	for name, v := range t.All() {
		fmt.Fprintf(&sb, "%v\n", v.Record(name))
	}
	return sb.String()
}

func TestStaleWritePanics(t *testing.T) {
	a := NewTable()
	v := a.Own("x")
	v.SetString("1")
	a.Fork()
	defer func() {
		if recover() == nil {
			t.Error("a write through a pointer from before the fork must not pass")
		}
	}()
	v.SetString("2")
}

func TestBindLocals(t *testing.T) {
	a := NewTable()
	a.Own("x").SetString("global")
	old := a.Bind("x", New("local", Export))
	if !slices.Equal(a.Environ(), []string{"x=local"}) {
		t.Error(a.Environ())
	}
	b := a.Fork()
	b.Own("x").AppendString("!")
	a.Bind("x", old)
	if a.Get("x").String() != "global" || b.Get("x").String() != "local!" || len(a.Environ()) != 0 {
		t.Error("rebinding after a fork")
	}
	a.Bind("x", nil)
	if a.Get("x") != nil || a.Len() != 0 {
		t.Error("Bind(nil)")
	}
}

func TestEnvironFollowsChanges(t *testing.T) {
	a := NewTable()
	v := a.Own("A")
	v.SetString("1")
	if len(a.Environ()) != 0 {
		t.Fatal("not exported")
	}
	v.SetAttrs(Export)
	if got := a.Environ(); !slices.Equal(got, []string{"A=1"}) {
		t.Fatal(got)
	}
	v.SetInt(2)
	b := a.Fork()
	if got := b.Environ(); !slices.Equal(got, []string{"A=2"}) {
		t.Fatal(got)
	}
	b.Own("A").SetInt(3)
	if got := a.Environ(); !slices.Equal(got, []string{"A=2"}) {
		t.Fatal(got)
	}
	if got := b.Environ(); !slices.Equal(got, []string{"A=3"}) {
		t.Fatal(got)
	}
}

func TestIndexedAgainstMap(t *testing.T) {
	v := NewTable().Own("a")
	v.MakeIndexed()
	model := map[int64]string{}
	x := uint32(1)
	for step := range 20000 {
		x = x*1664525 + 1013904223
		i := int64(x>>8) % 700
		if step%3 == 0 {
			i *= 1000
		}
		if x>>28 < 5 {
			v.UnsetIndex(i)
			delete(model, i)
		} else {
			v.SetIndex(i, fmt.Sprint(step))
			model[i] = fmt.Sprint(step)
		}
	}
	var idx []int64
	for i := range model {
		idx = append(idx, i)
	}
	slices.Sort(idx)
	var keys, vals []string
	for _, i := range idx {
		keys, vals = append(keys, fmt.Sprint(i)), append(vals, model[i])
		if s, ok := v.Index(i); !ok || s != model[i] {
			t.Fatalf("element %d: %q %v", i, s, ok)
		}
	}
	if !slices.Equal(v.Keys(), keys) || !slices.Equal(v.Values(), vals) || v.Len() != len(model) || v.MaxIndex() != idx[len(idx)-1] {
		t.Error("order or size")
	}
}

func TestKinds(t *testing.T) {
	tb := NewTable()
	v := tb.Own("x")
	v.SetString("s")
	v.SetIndex(3, "three")
	if got := v.Keys(); !slices.Equal(got, []string{"0", "3"}) || v.String() != "s" || !v.Is(Indexed) {
		t.Error(got)
	}
	v.AppendString("+")
	if v.String() != "s+" {
		t.Error(v.String())
	}
	w := tb.Own("y")
	w.SetString("s")
	w.MakeAssoc()
	if s, ok := w.Key("0"); s != "s" || !ok || w.String() != "s" || !w.Is(Assoc) {
		t.Error("scalar to assoc")
	}
	w.SetAttrs(Export | Indexed)
	if w.Is(Indexed) || !w.Is(Assoc) {
		t.Error("SetAttrs must not change the kind")
	}
}

func TestRecordRoundTrip(t *testing.T) {
	tb := NewTable()
	tb.Own("s").SetString("a\xff\x00b")
	tb.Own("unset").SetAttrs(Integer)
	tb.Own("emptied").SetIndex(1, "x")
	tb.Own("emptied").UnsetIndex(1)
	tb.Bind("declared", Declared(Assoc))
	tb.Own("arr").SetIndex(9, "x")
	tb.Own("arr").SetIndex(1<<50, "y")
	m := tb.Own("m")
	for i := range 5000 {
		m.SetKey(fmt.Sprint(i), "v")
	}
	for i := range 4990 {
		m.UnsetKey(fmt.Sprint(i))
	}
	for name, v := range tb.All() {
		r := v.Record(name)
		w, err := FromRecord(r)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := w.Record(name); !reflect.DeepEqual(got, r) {
			t.Errorf("%s: %v, want %v", name, got, r)
		}
	}
	for _, r := range []Record{
		{Attrs: Indexed | Assoc}, {Elems: []Elem{{}}}, {Attrs: Indexed, Set: true, Elems: []Elem{{Index: -1}}},
		{Attrs: Indexed, Set: true, Elems: []Elem{{Index: 1}, {Index: 1}}}, {Attrs: Indexed, Elems: []Elem{{Index: 1}}}, {Attrs: Assoc, Set: true, Elems: []Elem{{}}},
		{Attrs: Assoc, Buckets: 77}, {Attrs: Assoc, Buckets: 1 << 30}, {Attrs: Assoc, Set: true, Buckets: 1024, Elems: []Elem{{}, {}}},
	} {
		if _, err := FromRecord(r); err == nil {
			t.Errorf("%v must be refused", r)
		}
	}
}

func TestAssigned(t *testing.T) {
	tb := NewTable()
	tb.Bind("d", Declared(Indexed))
	v := tb.Own("d")
	if v.Assigned() || v.IsSet() || !v.IsArray() {
		t.Error("a declared array has no value")
	}
	v.SetString("x")
	if s, ok := v.Index(0); s != "x" || !ok || !v.Is(Indexed) {
		t.Error("a value for a declared array is its element 0")
	}
	v.UnsetIndex(0)
	if !v.Assigned() || v.IsSet() {
		t.Error("an array whose elements were removed was assigned")
	}
	v.Clear()
	if v.Assigned() {
		t.Error("Clear forgets the assignment")
	}
	v.SetAssigned()
	if !v.Assigned() || v.IsSet() || tb.Fork().Get("d").Clone().Assigned() != true {
		t.Error("an empty list is an assignment")
	}
}

func BenchmarkGet60(b *testing.B) {
	t := NewTable()
	for i := range 60 {
		t.Own(fmt.Sprint("VARIABLE_", i)).SetInt(int64(i))
	}
	t.Own("i").SetInt(1)
	for b.Loop() {
		if n, _ := t.Get("i").Int(); n != 1 {
			b.Fatal()
		}
	}
}

func BenchmarkForkWrite(b *testing.B) {
	t := NewTable()
	for i := range 60 {
		t.Own(fmt.Sprint("VARIABLE_", i)).SetInt(int64(i))
	}
	for b.Loop() {
		t.Fork().Own("VARIABLE_7").SetInt(1)
	}
}

func BenchmarkSetInt(b *testing.B) {
	t := NewTable()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		t.Own("i").SetInt(int64(i))
	}
}

func BenchmarkAppendElement(b *testing.B) {
	t := NewTable()
	b.ReportAllocs()
	for b.Loop() {
		v := t.Own("a")
		v.SetIndex(v.MaxIndex()+1, "x")
	}
}
