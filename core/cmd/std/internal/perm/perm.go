// Package perm reads file modes as chmod(1) does, octal and symbolic.
package perm

import (
	"errors"
	"strconv"
	"strings"

	"eryxsh/vfs"
)

// ErrInvalid says that a mode cannot be read.
var ErrInvalid = errors.New("invalid mode")

// Change is a parsed mode: what to do to a file's mode, in order.
type Change struct {
	steps []step
	// Octal says that the mode was a plain number.
	Octal bool
}

type step struct {
	who      vfs.Mode // the bits u, g, o and a stand for; 0: all, less the umask
	op       byte
	perms    vfs.Mode
	copyFrom byte // u, g or o: copy these permissions
	x        bool // X
	octal    bool
	mention  vfs.Mode // octal: the special bits that were written
}

const special = vfs.SetUID | vfs.SetGID | vfs.Sticky

// Parse reads a mode.
func Parse(s string) (Change, error) {
	if s == "" {
		return Change{}, ErrInvalid
	}
	if s[0] >= '0' && s[0] <= '7' {
		n, err := strconv.ParseUint(s, 8, 32)
		if err != nil || n > 0o7777 {
			return Change{}, ErrInvalid
		}
		mention := vfs.Mode(0o777) | vfs.Mode(n)&special
		if len(s) > 4 {
			mention = vfs.PermMask
		}
		return Change{Octal: true, steps: []step{{op: '=', perms: vfs.Mode(n), octal: true, who: vfs.PermMask, mention: mention}}}, nil
	}
	var c Change
	for _, clause := range strings.Split(s, ",") {
		i := 0
		var who vfs.Mode
	users:
		for ; i < len(clause); i++ {
			switch clause[i] {
			case 'u':
				who |= vfs.SetUID | 0o700
			case 'g':
				who |= vfs.SetGID | 0o070
			case 'o':
				who |= vfs.Sticky | 0o007
			case 'a':
				who |= vfs.PermMask
			default:
				break users
			}
		}
		if i == len(clause) {
			return c, ErrInvalid
		}
		for i < len(clause) {
			st, n, ok := action(clause[i:], who)
			if !ok {
				return c, ErrInvalid
			}
			c.steps = append(c.steps, st)
			i += n
		}
	}
	return c, nil
}

// action reads one operator and its permissions.
func action(s string, who vfs.Mode) (step, int, bool) {
	if strings.IndexByte("+-=", s[0]) < 0 {
		return step{}, 0, false
	}
	st := step{who: who, op: s[0]}
	i := 1
	if i < len(s) && s[i] >= '0' && s[i] <= '7' {
		j := i
		for j < len(s) && s[j] >= '0' && s[j] <= '7' {
			j++
		}
		n, err := strconv.ParseUint(s[i:j], 8, 32)
		if err != nil || n > 0o7777 || who != 0 || j != len(s) {
			return st, 0, false
		}
		st.octal, st.who, st.perms, st.mention = true, vfs.PermMask, vfs.Mode(n), vfs.PermMask
		return st, j, true
	}
	if i < len(s) && strings.IndexByte("ugo", s[i]) >= 0 {
		st.copyFrom = s[i]
		return st, 2, true
	}
	for ; i < len(s); i++ {
		switch s[i] {
		case 'r':
			st.perms |= 0o444
		case 'w':
			st.perms |= 0o222
		case 'x':
			st.perms |= 0o111
		case 'X':
			st.x = true
		case 's':
			st.perms |= vfs.SetUID | vfs.SetGID
		case 't':
			st.perms |= vfs.Sticky
		default:
			return st, i, true
		}
	}
	return st, i, true
}

// Apply gives the mode a file of mode old gets. A directory keeps its set-id
// bits unless the change names them.
func (c Change) Apply(old vfs.Mode, umask uint32) vfs.Mode {
	mode := old & vfs.PermMask
	dir := old.IsDir()
	for _, s := range c.steps {
		omit := vfs.Mode(0)
		if dir {
			omit = vfs.SetUID | vfs.SetGID
			if s.octal {
				omit &^= s.mention
			} else {
				omit &^= s.perms & special
			}
		}
		v := s.perms
		switch s.copyFrom {
		case 'u':
			v = spread(mode >> 6 & 7)
		case 'g':
			v = spread(mode >> 3 & 7)
		case 'o':
			v = spread(mode & 7)
		}
		if s.x && (dir || mode&0o111 != 0) {
			v |= 0o111
		}
		who := s.who
		if who != 0 {
			v &= who
		} else {
			v &^= vfs.Mode(umask)
		}
		if !s.octal || s.op != '=' {
			v &^= omit &^ s.perms
		}
		switch s.op {
		case '+':
			mode |= v
		case '-':
			mode &^= v
		case '=':
			keep := omit
			if who != 0 {
				keep |= ^who & vfs.PermMask
			}
			mode = mode&keep | v&^omit | v&s.perms
		}
	}
	return mode
}

func spread(v vfs.Mode) vfs.Mode { return v<<6 | v<<3 | v }

// String writes a mode as ls -l does: "drwxr-xr-x".
func String(m vfs.Mode) string {
	b := []byte("?rwxrwxrwx")
	switch m & vfs.TypeMask {
	case vfs.TypeDir:
		b[0] = 'd'
	case vfs.TypeFile:
		b[0] = '-'
	case vfs.TypeLink:
		b[0] = 'l'
	case vfs.TypeChar:
		b[0] = 'c'
	case vfs.TypeFifo:
		b[0] = 'p'
	case 0o140000:
		b[0] = 's'
	case 0o060000:
		b[0] = 'b'
	}
	for i := range 9 {
		if m>>(8-i)&1 == 0 {
			b[1+i] = '-'
		}
	}
	set := func(i int, bit vfs.Mode, x, none byte) {
		if m&bit != 0 {
			if b[i] == 'x' {
				b[i] = x
			} else {
				b[i] = none
			}
		}
	}
	set(3, vfs.SetUID, 's', 'S')
	set(6, vfs.SetGID, 's', 'S')
	set(9, vfs.Sticky, 't', 'T')
	return string(b)
}
