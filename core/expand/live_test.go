package expand

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestLive(t *testing.T) {
	file := os.Getenv("EXPAND_LIVE")
	if file == "" {
		t.Skip("set EXPAND_LIVE to a file of scripts separated by lines of ---")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	for _, script := range strings.Split(string(data), "\n---\n") {
		wantOut, wantErr := bash(t, script)
		sh := newShell()
		out, err := sh.run(script)
		msg := ""
		if err != nil {
			msg = err.Error()
		}
		if sh.warned != "" {
			msg = sh.warned
		}
		msg, _, _ = strings.Cut(msg, "\n")
		if out != wantOut || msg != wantErr {
			bad++
			t.Errorf("%s\n got %q %q\nwant %q %q", script, out, msg, wantOut, wantErr)
		}
	}
	t.Logf("%d bad", bad)
}
