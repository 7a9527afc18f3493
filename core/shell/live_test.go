package shell

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// short keeps a program's output and stops one that writes without end.
type short struct{ bytes.Buffer }

const shortest = 1 << 20

func (s *short) Write(b []byte) (int, error) {
	if s.Len() > shortest {
		return 0, io.ErrShortWrite
	}
	return s.Buffer.Write(b)
}

// bashAnswer runs a script in the bash that is installed, in an empty directory.
func bashAnswer(t testing.TB, script string) (o outcome, ok bool) {
	dir, err := os.MkdirTemp("", "live")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", script)
	c.Dir = dir
	if os.Getuid() == 0 { // as in a sandbox
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1000}}
		_ = os.Chown(dir, 1000, 1000)
	}
	c.Env = []string{"HOME=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "TERM=dumb",
		"USER=user", "LOGNAME=user", "SHELL=/bin/bash"}
	var stdout, stderr short
	c.Stdout, c.Stderr = &stdout, &stderr
	c.WaitDelay = time.Second
	err = c.Run()
	status := c.ProcessState.ExitCode()
	if status < 0 {
		return o, false
	}
	_ = err
	if stdout.Len()+stderr.Len() >= shortest {
		return o, false
	}
	plain := func(b []byte) string { return strings.ReplaceAll(string(b), dir, "/home/user") }
	return outcome{stdout: plain(stdout.Bytes()), stderr: plain(stderr.Bytes()), status: status, files: hostFiles(dir)}, true
}

func needBash(t testing.TB) {
	if v, _ := exec.Command("bash", "-c", "echo ${BASH_VERSION%.*}").Output(); string(v) != "5.2\n" {
		t.Skipf("no bash 5.2 here: %q", v)
	}
}

// TestScriptsLive compares scripts with the bash that is installed:
//
//	LIVE=FILE go test ./core/shell -run TestScriptsLive
//
// FILE holds scripts between lines of %%; LIVE_ERR=1 compares standard error too.
func TestScriptsLive(t *testing.T) {
	path := os.Getenv("LIVE")
	if path == "" {
		t.Skip("by hand: LIVE=FILE")
	}
	needBash(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range strings.Split(string(data), "\n%%\n") {
		want, ok := bashAnswer(t, s)
		got, problem := runCase(corpusCase{Script: s})
		if !ok {
			t.Logf("%d: bash does not end", i)
			continue
		}
		same := problem == "" && got.stdout == want.stdout && got.status == want.status
		if os.Getenv("LIVE_ERR") != "" {
			same = same && got.stderr == want.stderr
		}
		if !same {
			t.Error(difference(fmt.Sprint(i), s, problem, got, want))
		}
	}
}

func difference(name, script, problem string, got, want outcome) string {
	text := fmt.Sprintf("=== %s %s\n%s\n", name, problem, script)
	if want.status != got.status {
		text += fmt.Sprintf("--- status want %d got %d\n", want.status, got.status)
	}
	for _, x := range []struct{ name, want, got string }{{"out", want.stdout, got.stdout}, {"err", want.stderr, got.stderr}, {"files", want.files, got.files}} {
		if x.want != x.got {
			text += fmt.Sprintf("--- %s want %q\n--- %s got  %q\n", x.name, x.want, x.name, x.got)
		}
	}
	return text
}
