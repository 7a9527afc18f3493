package perm

import (
	"testing"

	"eryxsh/vfs"
)

func TestApply(t *testing.T) {
	for _, c := range []struct {
		mode  string
		old   vfs.Mode
		umask uint32
		want  vfs.Mode
	}{
		{"755", vfs.TypeFile | 0o600, 0, 0o755}, {"u+x", vfs.TypeFile | 0o644, 0, 0o744}, {"+x", vfs.TypeFile | 0o600, 0o077, 0o700}, {"a=r", vfs.TypeFile | 0o755, 0, 0o444},
		{"go-rwx,u=rw", vfs.TypeFile | 0o777, 0, 0o600}, {"g=u", vfs.TypeFile | 0o640, 0, 0o660}, {"a+X", vfs.TypeFile | 0o600, 0, 0o600}, {"a+X", vfs.TypeDir | 0o600, 0, 0o711},
		{"u+s", vfs.TypeFile | 0o755, 0, 0o4755}, {"755", vfs.TypeDir | 0o2700, 0, 0o2755}, {"00755", vfs.TypeDir | 0o2700, 0, 0o755}, {"+t", vfs.TypeDir | 0o755, 0, 0o1755},
		{"u=rwx,g=rx,o=", vfs.TypeFile, 0, 0o750}, {"=", vfs.TypeFile | 0o777, 0, 0}, {"o+w-r", vfs.TypeFile | 0o644, 0, 0o642},
	} {
		ch, err := Parse(c.mode)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.mode, err)
			continue
		}
		if got := ch.Apply(c.old, c.umask); got != c.want {
			t.Errorf("%q of %o: %o, want %o", c.mode, c.old, got, c.want)
		}
	}
	for _, bad := range []string{"", "8", "999", "77777", "u", "u+q", ",", "u+x,", "x"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) succeeded", bad)
		}
	}
}

func TestString(t *testing.T) {
	for want, m := range map[string]vfs.Mode{"drwxr-xr-x": vfs.TypeDir | 0o755, "-rwsr-Sr-T": vfs.TypeFile | 0o7744, "lrwxrwxrwx": vfs.TypeLink | 0o777, "drwxrwxrwt": vfs.TypeDir | 0o1777} {
		if got := String(m); got != want {
			t.Errorf("String(%o) = %s, want %s", m, got, want)
		}
	}
}
