package std

import (
	"testing"

	"eryxsh/core/cmd/cmdtest"
	"eryxsh/vfs"
)

// TestTailFollow changes files while tail sleeps.
func TestTailFollow(t *testing.T) {
	cred := vfs.Cred{UID: 1000, GID: 1000}
	for _, test := range []struct {
		args        []string
		out, errout string
	}{
		{[]string{"-n1", "-f", "log"}, "b\nc\nd\nnew\n", "tail: log: file truncated\n"},
		{[]string{"-n1", "-F", "log"}, "b\nc\nd\nnew\nother\n", "tail: log: file truncated\ntail: 'log' has become inaccessible: No such file or directory\ntail: 'log' has appeared;  following new file\n"},
		{[]string{"-n1", "-F", "log", "late"}, "==> log <==\nb\nc\n\n==> late <==\nhi\n\n==> log <==\nd\nnew\nother\n", "tail: cannot open 'late' for reading: No such file or directory\ntail: 'late' has appeared;  following new file\ntail: log: file truncated\ntail: 'log' has become inaccessible: No such file or directory\ntail: 'log' has appeared;  following new file\n"},
	} {
		r := cmdtest.Run{Command: tail(), Args: test.args, Files: map[string]string{"log": "a\nb\n"}}
		r.Slept = func(fs *vfs.FS, times int) bool {
			add := func(name, data string) {
				ino, err := fs.Open(cred, cmdtest.Home+"/"+name, vfs.O_WRONLY|vfs.O_CREAT, 0o644, cmdtest.Epoch)
				if err != nil {
					t.Fatal(err)
				}
				fs.Append(ino, []byte(data), cmdtest.Epoch)
			}
			switch times {
			case 0:
				add("log", "c\n")
			case 1:
				add("late", "hi\n")
			case 2:
				add("log", "d\n")
			case 3:
				fs.Truncate(cred, cmdtest.Home+"/log", 0, cmdtest.Epoch)
			case 4:
				add("log", "new\n")
			case 5:
				fs.Unlink(cred, cmdtest.Home+"/log", cmdtest.Epoch)
			case 6:
				add("log", "other\n")
			}
			return times < 8
		}
		got := cmdtest.Check(t, r)
		if got.Stdout != test.out || got.Stderr != test.errout {
			t.Errorf("%q:\n%s", test.args, got)
		}
	}
}
