package std

import (
	"testing"

	"eryxsh/core/cmd"
)

// TestHolds: the tags of all programs can be read, and a program that has not begun is none that no run leaves behind.
func TestHolds(t *testing.T) {
	for _, d := range Commands() {
		if d.New == nil {
			continue
		}
		if said := cmd.Wrong(d.New(), &cmd.Ctx{Def: d, Name: d.Name}); said != "" {
			t.Errorf("%s: %s", d.Name, said)
		}
	}
}
