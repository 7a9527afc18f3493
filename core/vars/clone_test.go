package vars

import "testing"

// TestCloneKeepsArrays changes a variable after it was cloned: the clone shares its pieces.
func TestCloneKeepsArrays(t *testing.T) {
	tab := NewTable()
	a := tab.Own("a")
	a.MakeIndexed()
	for i := range int64(200) {
		a.SetIndex(i, "old")
	}
	m := tab.Own("m")
	m.MakeAssoc()
	m.SetKey("k", "old")
	list, hash := a.Clone(), m.Clone()
	tab.Own("a").SetIndex(3, "new")
	tab.Own("a").SetIndex(500, "new")
	tab.Own("m").SetKey("k", "new")
	tab.Own("m").SetKey("other", "new")
	if s, _ := list.Index(3); s != "old" || list.MaxIndex() != 199 {
		t.Errorf("the clone of a list has changed: %q, %d", s, list.MaxIndex())
	}
	if s, _ := hash.Key("k"); s != "old" || len(hash.Keys()) != 1 {
		t.Errorf("the clone of a hash has changed: %q, %q", s, hash.Keys())
	}
}
