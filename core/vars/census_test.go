package vars

import "testing"

// TestCensusOfASubshell: what a subshell has of its own counts by its content. A
// variable that was written and is what it was counts as one that was not.
func TestCensusOfASubshell(t *testing.T) {
	base := NewTable()
	base.Own("same").SetString("value")
	base.Own("list").SetIndex(3, "element")
	own := func(change func(*Table)) int64 {
		sub := base.Fork()
		change(sub)
		var c Census
		c.Table(sub, base)
		return c.Bytes
	}
	for name, c := range map[string]struct {
		change func(*Table)
		want   int64
	}{
		"nothing":     {func(*Table) {}, 0},
		"the same":    {func(t *Table) { t.Own("same").SetString("value"); t.Own("list").SetIndex(3, "element") }, 0},
		"another":     {func(t *Table) { t.Own("same").SetString("other1") }, 6},
		"a new one":   {func(t *Table) { t.Own("n").SetString("v") }, BindingCost + 2},
		"an element":  {func(t *Table) { t.Own("list").SetIndex(3, "e") }, elementCost + 1},
		"in a second": {func(t *Table) { t.Own("list").SetIndex(100, "e") }, elementCost + 1},
	} {
		if got := own(c.change); got != c.want {
			t.Errorf("%s: %d bytes, not %d", name, got, c.want)
		}
	}
}
