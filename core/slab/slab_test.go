package slab

import "testing"

// TestApart: no two values handed out share memory, and none has room that another stands in.
func TestApart(t *testing.T) {
	var b Of[int]
	var all []*int
	for n := range 50 {
		all = append(all, b.One())
		s := b.Some(n)
		if len(s) != n || cap(s) != n {
			t.Fatalf("Some(%d) has length %d and capacity %d", n, len(s), cap(s))
		}
		for i := range s {
			all = append(all, &s[i])
		}
	}
	for i, p := range all {
		if *p != 0 {
			t.Fatalf("value %d was handed out before: %d", i, *p)
		}
		*p = i + 1
	}
	for i, p := range all {
		if *p != i+1 {
			t.Fatalf("value %d was written over: %d", i, *p)
		}
	}
}

// TestNil: without an Of values are made one by one.
func TestNil(t *testing.T) {
	var b *Of[string]
	if *b.One() != "" || len(b.Some(3)) != 3 {
		t.Fatal("a nil Of gives no zero values")
	}
}
