package driver

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"eryxsh/capi/internal/wire"
)

// The numbers of eryxsh.h are those of the tables: every kind of error, and
// every answer of a run that a caller can meet.
func TestHeaderHasTheNumbersOfTheTables(t *testing.T) {
	header, err := os.ReadFile("../../eryxsh.h")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^  ERYXSH_(\w+) = (\d+)`).FindAllStringSubmatch(string(header), -1) {
		have[m[1]], _ = strconv.Atoi(m[2])
	}
	want := map[string]int{"OK": 0, "SUSPENDED": Suspended, "NO_MEMORY": NoMemory, "DONE": int(wire.TagDone), "TOOL_CALL": int(wire.TagCalls),
		"SLEEPING": int(wire.TagSleeping), "INPUT": int(wire.TagInput), "LIMITED": int(wire.TagLimit), "CHECKPOINT": int(wire.TagCheckpoint)}
	for _, k := range wire.Kinds() {
		want[strings.ToUpper(k.Name)] = int(k.Kind)
	}
	for name, n := range want {
		if got, ok := have[name]; !ok || got != n {
			t.Errorf("ERYXSH_%s is %d (%v), in the tables %d", name, got, ok, n)
		}
	}
	for name := range have {
		if _, ok := want[name]; !ok {
			t.Errorf("ERYXSH_%s is in no table", name)
		}
	}
}
