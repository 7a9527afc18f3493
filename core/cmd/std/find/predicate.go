package find

import (
	"math"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/core/cmd/std/internal/perm"
	"eryxsh/core/cmd/std/internal/when"
	"eryxsh/core/regex"
	"eryxsh/core/zone"
	"eryxsh/vfs"
)

const day = int64(86400 * 1e9)

// predicate compiles one test, option or action.
func (q *parser) predicate(name string) {
	if len(name) < 2 || name[0] != '-' {
		q.stray(name)
		return
	}
	q.i++
	bare := strings.TrimPrefix(name, "-")
	switch {
	case q.option(bare, name), q.failed, q.action(bare, name), q.failed, q.nameTest(bare, name), q.failed, q.timeTest(bare, name), q.failed, q.statTest(bare, name):
	default:
		q.fail("unknown predicate `%s'", name)
	}
	q.last = name
}

// option compiles the options, which are always true.
func (q *parser) option(bare, name string) bool {
	x := q.x
	switch bare {
	case "maxdepth":
		x.maxDepth = q.level(name, q.arg(name))
	case "mindepth":
		x.minDepth = q.level(name, q.arg(name))
	case "depth", "d":
		x.depth = true
	case "follow":
		x.follow = 'L'
	case "daystart":
		if !q.daystart {
			q.daystart = true
			t := x.zone.Time(q.p.Now)
			q.origin = q.p.Now - int64(t.Hour()*3600+t.Minute()*60+t.Second())*1e9 - int64(t.Nanosecond()) + day
		}
	case "mount", "xdev":
		x.oneDevice = true
	case "noleaf", "warn", "nowarn", "ignore_readdir_race", "noignore_readdir_race":
	case "regextype":
		q.regexType(q.arg(name))
	case "help", "-help":
		q.c.Out.WriteString("Usage: find [-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]\n\nDefault path is the current directory; default expression is -print.\n")
		q.failed, q.status = true, 0
	case "version", "-version":
		q.c.Out.WriteString("find (GNU findutils) 4.9.0\n")
		q.failed, q.status = true, 0
	case "files0-from":
		q.status = q.c.NotYet("option " + name)
		q.failed = true
	default:
		return false
	}
	q.emit(inst{op: 'v'})
	return true
}

// action compiles what prints, runs or stops.
func (q *parser) action(bare, name string) bool {
	x := q.x
	file := -1
	if strings.HasPrefix(bare, "fprint") || bare == "fls" {
		if f := q.arg(name); !q.failed {
			file = q.output(f)
		}
		bare = bare[1:]
	}
	if q.failed {
		return true
	}
	switch bare {
	case "print":
		q.test(printer(file, '\n'))
	case "print0":
		q.test(printer(file, 0))
	case "printf":
		f := q.format(q.arg(name))
		q.test(func(p *Program, c *cmd.Ctx) bool { return p.write(c, file, f.expand(p, c)) })
	case "ls":
		q.test(func(p *Program, c *cmd.Ctx) bool { return p.write(c, file, p.ls(c)) })
	case "exec", "execdir":
		q.command(name)
	case "ok", "okdir":
		q.status, q.failed = q.c.NotYet("option "+name), true
	case "delete":
		x.depth = true
		q.test((*Program).remove)
	case "prune":
		q.test(func(p *Program, c *cmd.Ctx) bool { p.Prune = true; return true })
		return true
	case "quit":
		q.test(func(p *Program, c *cmd.Ctx) bool { p.Quit = true; return true })
		return true
	default:
		return false
	}
	x.action = true
	return true
}

// command compiles -exec.
func (q *parser) command(name string) {
	k := &command{dir: strings.HasSuffix(name, "dir")}
	start := q.i
	for ; q.i < len(q.args); q.i++ {
		a := q.args[q.i]
		if a == ";" {
			break
		}
		if a == "+" && q.i > start && q.args[q.i-1] == "{}" {
			k.plus = true
			break
		}
	}
	switch k.argv = q.args[start:q.i]; {
	case q.i == len(q.args):
		q.fail("missing argument to `%s'", name)
		return
	case len(k.argv) == 0:
		q.fail("invalid argument `%s' to `%s'", q.args[q.i], name)
		return
	}
	q.i++
	if k.plus {
		n := 0
		for _, a := range k.argv {
			if strings.Contains(a, "{}") {
				n++
			}
		}
		if n > 1 {
			q.fail("Only one instance of {} is supported with %s ... +", name)
			return
		}
		if len(k.argv) == 1 {
			q.fail("invalid argument `{}' to `%s'", name)
			return
		}
	}
	q.emit(inst{op: 't', exec: k})
}

// nameTest compiles the tests of names and links.
func (q *parser) nameTest(bare, name string) bool {
	fold := fnmatch.In(q.c)
	kind := bare
	switch bare {
	case "iname", "ilname", "ipath", "iwholename", "iregex":
		fold, kind = fold|fnmatch.Fold, bare[1:]
	}
	switch kind {
	case "name", "lname", "path", "wholename", "regex":
	case "samefile":
		ref := q.reference(q.arg(name), func(st vfs.Stat) int64 { return int64(st.Ino) })
		q.test(func(p *Program, c *cmd.Ctx) bool { return p.Cur.stat(c, p) && int64(p.Cur.Facts.Ino) == ref })
		return true
	default:
		return false
	}
	pat := q.arg(name)
	if q.failed {
		return true
	}
	switch kind {
	case "name":
		q.test(func(p *Program, c *cmd.Ctx) bool { return fnmatch.Match(pat, base(p.Cur.Path), fold) })
	case "lname":
		q.test(func(p *Program, c *cmd.Ctx) bool {
			if !p.Cur.mode().IsLink() {
				return false
			}
			t, err := c.Readlink(p.Cur.Path)
			return err == nil && fnmatch.Match(pat, t, fold)
		})
	case "regex":
		src := pat
		if q.emacs {
			src = emacs(pat)
		}
		re, err := regex.Compile([]byte(src), regex.Options{Syntax: q.syntax, Bytes: q.c.Bytes(), Fold: fold&fnmatch.Fold != 0, Whole: true, NoSub: true, Steps: q.c.RegexSteps(), Charge: q.c.Charge, Need: q.c.Need})
		if err != nil {
			q.fail("failed to compile regular expression '%s': %s", pat, err)
			return true
		}
		q.test(func(p *Program, c *cmd.Ctx) bool {
			ok, err := re.Match([]byte(p.Cur.Path))
			if err != nil {
				p.fail(c, p.Cur.Path, err)
			}
			return ok
		})
	default:
		q.test(func(p *Program, c *cmd.Ctx) bool { return fnmatch.Match(pat, p.Cur.Path, fold) })
	}
	return true
}

// base is the last component, as -name sees it: "/" for the root, no trailing slashes.
func base(path string) string {
	t := strings.TrimRight(path, "/")
	if t == "" {
		if path == "" {
			return ""
		}
		return "/"
	}
	return t[strings.LastIndexByte(t, '/')+1:]
}

// stamp gives a time of an entry: a, c or m; B, the birth, is taken to be c.
func stamp(f *facts, kind byte) int64 {
	switch kind {
	case 'a':
		return f.Atime
	case 'm':
		return f.Mtime
	}
	return f.Ctime
}

// timeTest compiles the tests of times.
func (q *parser) timeTest(bare, name string) bool {
	switch bare {
	case "amin", "cmin", "mmin", "atime", "ctime", "mtime":
		q.age(bare, name)
	case "newer", "anewer", "cnewer":
		kind := bare[0]
		if kind == 'n' {
			kind = 'm'
		}
		ref := q.reference(q.arg(name), func(st vfs.Stat) int64 { return st.Mtime })
		q.test(func(p *Program, c *cmd.Ctx) bool { return p.Cur.stat(c, p) && stamp(&p.Cur.Facts, kind) > ref })
	case "used":
		arg := q.arg(name)
		cmp := q.number(name, arg)
		q.test(func(p *Program, c *cmd.Ctx) bool {
			if !p.Cur.stat(c, p) {
				return false
			}
			d := p.Cur.Facts.Atime - p.Cur.Facts.Ctime
			if d <= 0 { // not read since it was changed: before the first day
				return cmp.ok(-1)
			}
			return cmp.ok((d - 1) / day)
		})
	default:
		if len(bare) != 7 || !strings.HasPrefix(bare, "newer") {
			return false
		}
		kind, from := bare[5], bare[6]
		if strings.IndexByte("aBcm", kind) < 0 || strings.IndexByte("aBcmt", from) < 0 {
			q.fail("invalid predicate `%s'", name)
			return true
		}
		arg := q.arg(name)
		if q.failed {
			return true
		}
		var ref int64
		if from == 't' {
			t, err := when.Parse(arg, q.x.zone.Time(q.p.Now), zone.Named)
			if err != nil {
				q.fail("I cannot figure out how to interpret %s as a date or time", quote.Locale(q.c, arg))
				return true
			}
			ref = t.UnixNano()
		} else {
			ref = q.reference(arg, func(st vfs.Stat) int64 {
				return stamp(&facts{Atime: st.Atime, Mtime: st.Mtime, Ctime: st.Ctime}, from)
			})
		}
		q.test(func(p *Program, c *cmd.Ctx) bool { return p.Cur.stat(c, p) && stamp(&p.Cur.Facts, kind) > ref })
	}
	return true
}

// age compiles -mtime N and -mmin N: N days or minutes ago, the exact form a window of one unit.
func (q *parser) age(bare, name string) {
	arg := q.arg(name)
	if q.failed {
		return
	}
	t, op := arg, byte(0)
	if t != "" && (t[0] == '+' || t[0] == '-') {
		op, t = t[0], t[1:]
	}
	n, err := strconv.ParseFloat(t, 64)
	if err != nil || math.IsNaN(n) || n > 1e9 || t[0] == '-' || t[0] == '+' {
		q.fail("invalid argument `%s' to `%s'", arg, name)
		return
	}
	unit := int64(60 * 1e9)
	origin := q.origin
	if strings.HasSuffix(bare, "time") {
		unit = day
		origin -= day
		if op == '-' {
			origin += day - 1e9
		}
	}
	ref := origin - int64(n*float64(unit))
	kind := bare[0]
	q.test(func(p *Program, c *cmd.Ctx) bool {
		if !p.Cur.stat(c, p) {
			return false
		}
		switch d := stamp(&p.Cur.Facts, kind) - ref; op {
		case '-':
			return d > 0
		case '+':
			return d < 0
		default:
			return d > 0 && d <= unit
		}
	})
}

// statTest compiles the tests of what stat says.
func (q *parser) statTest(bare, name string) bool {
	fact := func(f func(f *facts) bool) {
		q.test(func(p *Program, c *cmd.Ctx) bool { return p.Cur.stat(c, p) && f(&p.Cur.Facts) })
	}
	switch bare {
	case "true":
		q.emit(inst{op: 'v'})
	case "false":
		q.emit(inst{op: 's'})
	case "type", "xtype":
		q.types(bare, q.arg(name))
	case "size":
		q.size(q.arg(name))
	case "perm":
		q.perm(q.arg(name))
	case "empty":
		q.test((*Program).empty)
	case "links":
		k := q.number(name, q.arg(name))
		fact(func(f *facts) bool { return k.ok(int64(f.Nlink)) })
	case "inum":
		k := q.number(name, q.arg(name))
		fact(func(f *facts) bool { return k.ok(int64(f.Ino)) })
	case "uid":
		k := q.number(name, q.arg(name))
		fact(func(f *facts) bool { return k.ok(int64(f.UID)) })
	case "gid":
		k := q.number(name, q.arg(name))
		fact(func(f *facts) bool { return k.ok(int64(f.GID)) })
	case "user":
		s := q.arg(name)
		id, ok := q.p.Owners.UserID(q.c, s)
		if !ok && !q.failed {
			q.fail("%s is not the name of a known user", quote.Locale(q.c, s))
		}
		fact(func(f *facts) bool { return f.UID == id })
	case "group":
		s := q.arg(name)
		id, ok := q.p.Owners.GroupID(q.c, s)
		if !ok && !q.failed {
			q.fail("%s is not the name of an existing group", quote.Locale(q.c, s))
		}
		fact(func(f *facts) bool { return f.GID == id })
	case "nouser":
		q.test(func(p *Program, c *cmd.Ctx) bool { return p.Cur.stat(c, p) && !p.Owners.HasUser(c, p.Cur.Facts.UID) })
	case "nogroup":
		q.test(func(p *Program, c *cmd.Ctx) bool { return p.Cur.stat(c, p) && !p.Owners.HasGroup(c, p.Cur.Facts.GID) })
	case "readable", "writable", "executable":
		mode := map[byte]uint32{'r': vfs.R_OK, 'w': vfs.W_OK, 'e': vfs.X_OK}[bare[0]]
		q.test(func(p *Program, c *cmd.Ctx) bool { return c.Access(p.Cur.Path, mode) == nil })
	case "fstype":
		s := q.arg(name)
		q.test(func(p *Program, c *cmd.Ctx) bool { return s == fsType(p.Cur.Path) })
	case "context":
		q.status, q.failed = q.c.NotYet("option "+name), true
	default:
		return false
	}
	return true
}

// fsType is the made-up type of the file system of a path.
func fsType(path string) string {
	switch {
	case path == "/proc" || strings.HasPrefix(path, "/proc/"):
		return "proc"
	case path == "/dev" || strings.HasPrefix(path, "/dev/"):
		return "devtmpfs"
	}
	return "ext4"
}

func (q *parser) types(bare, arg string) {
	if q.failed {
		return
	}
	letters := strings.Split(arg, ",")
	for _, l := range letters {
		if len(l) == 0 || strings.IndexByte("bcdpflsD", l[0]) < 0 {
			if l == "" {
				q.fail("Last file type in list argument to -%s is missing, i.e., list is ending on: ','", bare)
			} else {
				q.fail("Unknown argument to -%s: %s", bare, l[:1])
			}
			return
		}
		if len(l) > 1 {
			q.fail("Must separate multiple arguments to -%s using: ','", bare)
			return
		}
		if strings.Count(arg, l) > 1 {
			q.fail("Duplicate file type '%s' in the argument list to -%s.", l, bare)
			return
		}
	}
	q.test(func(p *Program, c *cmd.Ctx) bool {
		m := p.Cur.mode()
		if bare == "xtype" {
			m = p.otherMode(c)
		}
		return strings.IndexByte(arg, typeLetter(m)) >= 0
	})
}

// otherMode is the mode on the other side of -L: of the target, or of the link itself under -L.
func (p *Program) otherMode(c *cmd.Ctx) vfs.Mode {
	if p.x.follow == 'L' || p.x.follow == 'H' && p.Cur.Depth == 0 {
		if st, err := c.Lstat(p.Cur.Path); err == nil {
			return st.Mode
		}
	} else if p.Cur.mode().IsLink() {
		if st, err := c.Stat(p.Cur.Path); err == nil {
			return st.Mode
		}
	}
	return p.Cur.mode()
}

func typeLetter(m vfs.Mode) byte {
	switch m & vfs.TypeMask {
	case vfs.TypeDir:
		return 'd'
	case vfs.TypeFile:
		return 'f'
	case vfs.TypeLink:
		return 'l'
	case vfs.TypeFifo:
		return 'p'
	case vfs.TypeChar:
		return 'c'
	case 0o060000:
		return 'b'
	case 0o140000:
		return 's'
	}
	return 'U'
}

func (q *parser) size(arg string) {
	if q.failed {
		return
	}
	num, unit := arg, int64(512)
	if arg != "" {
		units := map[byte]int64{'b': 512, 'c': 1, 'w': 2, 'k': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
		last := arg[len(arg)-1]
		if u, ok := units[last]; ok {
			num, unit = arg[:len(arg)-1], u
		} else if last < '0' || last > '9' {
			q.fail("invalid -size type `%c'", last)
			return
		}
	}
	cmp := comparison{}
	if num != "" && (num[0] == '+' || num[0] == '-') {
		cmp.op, num = num[0], num[1:]
	}
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || num[0] == '-' || num[0] == '+' {
		q.fail("Invalid argument `%s' to -size", arg)
		return
	}
	cmp.n = n
	q.test(func(p *Program, c *cmd.Ctx) bool {
		return p.Cur.stat(c, p) && cmp.ok((p.Cur.Facts.Size+unit-1)/unit)
	})
}

func (q *parser) perm(arg string) {
	if q.failed {
		return
	}
	how, s := byte(0), arg
	if s != "" && (s[0] == '-' || s[0] == '/') {
		how, s = s[0], s[1:]
	}
	ch, err := perm.Parse(s)
	if err != nil || s[0] == '+' && how == 0 && len(s) > 1 && s[1] >= '0' && s[1] <= '7' {
		q.fail("invalid mode %s", quote.Locale(q.c, arg))
		return
	}
	want, wantDir := ch.Apply(vfs.TypeFile, 0), ch.Apply(vfs.TypeDir, 0)
	q.test(func(p *Program, c *cmd.Ctx) bool {
		if !p.Cur.stat(c, p) {
			return false
		}
		m, w := vfs.Mode(p.Cur.Facts.Mode), want
		if m.IsDir() {
			w = wantDir
		}
		m &= vfs.PermMask
		switch how {
		case '-':
			return m&w == w
		case '/':
			return w == 0 || m&w != 0
		}
		return m == w
	})
}
