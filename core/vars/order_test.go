package vars

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// The orders below are those bash 5.2.15 shows for the same assignments.
func TestAssocOrderIsBashs(t *testing.T) {
	tb := NewTable()
	s := tb.Own("s")
	for _, k := range []string{"a", "b", "c", "foo", "bar", "é", "x y"} {
		s.SetKey(k, "")
	}
	if got := strings.Join(s.Keys(), "|"); got != "c|b|a|foo|bar|x y|é" {
		t.Error(got)
	}

	m := tb.Own("m") // grows past 2048 entries, then shrinks: the buckets stay
	for i := range 3000 {
		m.SetKey(fmt.Sprint("key", i), "")
	}
	for i := 0; i < 3000; i += 3 {
		m.UnsetKey(fmt.Sprint("key", i))
	}
	fork := tb.Fork() // the order must survive copying
	m = fork.Own("m")
	for i := 0; i < 300; i += 3 {
		m.SetKey(fmt.Sprint("key", i), "again")
	}
	for _, k := range []string{"é", "日本", "\xff\xfe"} {
		m.SetKey(k, "")
	}
	keys := m.Keys()
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(keys, "\n")+"\n"))); sum != "ffe94f58aa95793960ce1abea3d29c6cf4d526614dad144e00cc0d5d5c4e7b33" {
		t.Errorf("%d keys, first %q", len(keys), keys[:20])
	}
	v, err := FromRecord(m.Record("m"))
	if err != nil || strings.Join(v.Keys(), "|") != strings.Join(keys, "|") {
		t.Errorf("the order is lost by saving: %v", err)
	}
}
