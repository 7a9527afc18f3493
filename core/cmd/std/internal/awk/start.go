package awk

import (
	"io"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// maxSource bounds the text of a program.
const maxSource = 8 << 20

// Options are awk's options.
func Options() []cmd.Option {
	return []cmd.Option{
		{Short: 'F', Long: "field-separator", Arg: cmd.Required, Meta: "fs", Help: "set FS"},
		{Short: 'v', Long: "assign", Arg: cmd.Required, Meta: "var=val", Help: "set a variable before the program begins"},
		{Short: 'f', Long: "file", Arg: cmd.Required, Meta: "progfile", Help: "read the program from a file"},
		{Short: 'e', Long: "source", Arg: cmd.Required, Meta: "'program-text'", Help: "take program text from the command line"},
		{Short: 'E', Long: "exec", Arg: cmd.Required, Meta: "file", Help: "like -f, and end the options"},
		{Short: 'b', Long: "characters-as-bytes", Help: "treat all data as bytes, whatever the locale"},
		{Short: 'c', Long: "traditional", Missing: true},
		{Short: 'd', Long: "dump-variables", Arg: cmd.Optional, Meta: "file", Missing: true},
		{Short: 'D', Long: "debug", Arg: cmd.Optional, Meta: "file", Missing: true},
		{Short: 'g', Long: "gen-pot", Missing: true},
		{Short: 'i', Long: "include", Arg: cmd.Required, Meta: "includefile", Help: "read a library first, as @include does"},
		{Short: 'I', Long: "trace", Missing: true},
		{Short: 'k', Long: "csv", Missing: true},
		{Short: 'l', Long: "load", Arg: cmd.Required, Meta: "library", Help: "have the functions of an extension: ordchr, readfile, time"},
		{Short: 'L', Long: "lint", Arg: cmd.Optional, Meta: "fatal", Missing: true},
		{Short: 'M', Long: "bignum", Missing: true},
		{Short: 'N', Long: "use-lc-numeric", Help: "no effect: the decimal point is a point"},
		{Short: 'n', Long: "non-decimal-data", Missing: true},
		{Short: 'o', Long: "pretty-print", Arg: cmd.Optional, Meta: "file", Missing: true},
		{Short: 'O', Long: "optimize", Help: "no effect: always on"},
		{Short: 'p', Long: "profile", Arg: cmd.Optional, Meta: "file", Missing: true},
		{Short: 'P', Long: "posix", Missing: true},
		{Short: 'r', Long: "re-interval", Help: "no effect: always on"},
		{Short: 's', Long: "no-optimize", Help: "no effect"},
		{Short: 'S', Long: "sandbox", Missing: true},
		{Short: 't', Long: "lint-old", Missing: true},
		{Short: 'h', Long: "help", Help: "display this help and exit"},
		{Short: 'V', Long: "version", Help: "output version information and exit"},
	}
}

// LongW turns POSIX's -W option into --option.
func LongW(_ *cmd.Ctx, args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "-W" && i+1 < len(args):
			i++
			out = append(out, "--"+args[i])
		case strings.HasPrefix(a, "-W") && len(a) > 2:
			out = append(out, "--"+a[2:])
		case a == "--" || len(a) < 2 || a[0] != '-':
			return append(out, args[i:]...)
		case i+1 < len(args) && len(a) == 2 && strings.IndexByte("FvfeEil", a[1]) >= 0:
			out = append(out, a, args[i+1])
			i++
		default:
			out = append(out, a)
		}
	}
	return out
}

// oddOption warns of an escape that means nothing in -F, -v or var=value.
func (p *Program) oddOption(c byte) {
	p.flushOut()
	p.c.Errorf("warning: escape sequence `\\%c' treated as plain `%c'", c, c)
}

// gather reads the files of -f and -E, which may be pipes. It is false when the
// program has to return next first.
func (p *Program) gather() (next cmd.Next, ok bool) {
	n := 0
	for _, f := range p.c.Flags {
		if f.Name != "f" && f.Name != "E" {
			continue
		}
		if n++; n <= len(p.Texts) {
			continue
		}
		name := f.Value
		if name == "/dev/stdin" {
			name = "-"
		}
		for _, try := range p.searched(name) {
			if _, err := p.c.Stat(try); err == nil {
				name = try
				break
			}
		}
		text, done, next, err := p.Source.Read(p.c, name, maxSource)
		if err != nil {
			p.c.Errorf("fatal: cannot open source file `%s' for reading: %s", f.Value, err)
			return cmd.Exit(2), false
		}
		if !done {
			return next, false
		}
		p.Texts = append(p.Texts, string(text))
	}
	return cmd.Next{}, true
}

// sources gathers the program text from -f, -e or the first operand.
func (p *Program) sources() (status int, ok bool) {
	in := includer{p: p, seen: map[string]bool{}}
	program, files := false, p.Texts
	p.Texts = nil
	for _, f := range p.c.Flags {
		switch f.Name {
		case "f", "E":
			in.seen[f.Value] = true
			in.add(f.Value, files[0])
			files = files[1:]
			program = true
		case "e":
			in.add("cmd. line", f.Value)
			program = true
		case "i":
			in.file(f.Value, "")
		case "l":
			in.unit(Unit{Name: "cmd. line", Text: "@load \"" + f.Value + "\"\n"})
		}
	}
	if !program {
		if len(p.c.Args) == 0 {
			p.c.Errout.WriteString("Usage: " + p.c.Name + " [POSIX or GNU style options] -f progfile [--] file ...\n" +
				"Usage: " + p.c.Name + " [POSIX or GNU style options] [--] 'program' file ...\n")
			return 1, false
		}
		in.add("cmd. line", p.c.Args[0])
	}
	if in.failed != 0 {
		return in.failed, false
	}
	if len(p.Units) > maxUnits {
		p.c.Errorf("fatal: more than 255 program files")
		return 2, false
	}
	return 0, true
}

// includer gathers program text and what it includes: each file once.
type includer struct {
	p      *Program
	seen   map[string]bool
	depth  int // of files in each other
	failed int // the exit status, 0 if nothing did
}

// maxUnits is how many texts a program may be of.
const maxUnits = 255

// add takes a text apart at its lines @include "file".
func (in *includer) add(name, text string) {
	in.depth++
	defer func() { in.depth-- }()
	if in.depth > maxUnits {
		in.p.c.Errorf("fatal: more than 255 program files")
		in.failed = 2
		return
	}
	from, line := 0, 0
	for pos, n := 0, 1; pos < len(text); n++ {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += pos + 1
		}
		if file, ok := includeLine(text[pos:end]); ok {
			in.unit(Unit{Name: name, Text: text[from:pos], Line: line})
			in.file(file, name+":"+itoa(n)+": ")
			from, line = end, n
		}
		pos = end
	}
	in.unit(Unit{Name: name, Text: text[from:], Line: line})
}

func (in *includer) unit(u Unit) {
	if u.Text != "" || len(in.p.Units) == 0 {
		in.p.Units = append(in.p.Units, u)
	}
}

// includeLine reads @include "file".
func includeLine(line string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "@include")
	if rest = strings.TrimSpace(rest); !ok || len(rest) < 3 || rest[0] != '"' {
		return "", false
	}
	name, tail, ok := strings.Cut(rest[1:], `"`)
	tail = strings.TrimSpace(tail)
	return name, ok && (tail == "" || tail[0] == '#' || tail[0] == ';')
}

// searched are the files that a program file of that name may be: along AWKPATH, then with .awk behind.
func (p *Program) searched(name string) []string {
	if name == "-" {
		return []string{name}
	}
	path, ok := p.c.Getenv("AWKPATH")
	if !ok {
		path = ".:/usr/share/awk"
	}
	var list []string
	for _, name := range [...]string{name, name + ".awk"} {
		if strings.Contains(name, "/") {
			list = append(list, name)
			continue
		}
		for _, dir := range strings.Split(path, ":") {
			switch dir {
			case "", ".":
				list = append(list, name)
			default:
				list = append(list, strings.TrimSuffix(dir, "/")+"/"+name)
			}
		}
	}
	return list
}

// file includes a file, looked for under its name and with .awk behind it.
func (in *includer) file(name, where string) {
	if in.seen[name] || len(in.seen) > 255 || len(in.p.Units) > 255 {
		return
	}
	in.seen[name] = true
	if name == "inplace" || name == "inplace.awk" {
		in.p.In.InPlace = true
		return
	}
	tries := in.p.searched(name)
	for i, try := range tries {
		text, err := in.p.readSource(try)
		if err == nil {
			in.add(name, text)
			return
		}
		if i == len(tries)-1 || err != vfs.ENOENT {
			kind := "error"
			if where == "" {
				kind = "fatal"
			}
			in.p.c.Errorf("%s%s: cannot open source file `%s' for reading: %s", where, kind, name, err)
			in.failed = 1
			if where == "" {
				in.failed = 2
			}
			return
		}
	}
}

// readSource reads an included file, which must be a file.
func (p *Program) readSource(name string) (string, error) {
	fd, err := p.c.Open(name, vfs.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer p.c.Close(fd)
	var b strings.Builder
	chunk := cmd.Borrow()
	defer chunk.Return()
	for b.Len() < maxSource {
		n, err := p.c.Read(fd, chunk[:])
		b.Write(chunk[:n])
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", vfs.EFBIG
}

// start sets the variables a program begins with.
func (p *Program) start() {
	set := func(slot int, v Value) { p.Globals[slot] = v }
	set(slotFS, str(" "))
	set(slotOFS, str(" "))
	set(slotORS, str("\n"))
	set(slotRS, str("\n"))
	set(slotSUBSEP, str("\x1c"))
	set(slotCONVFMT, str("%.6g"))
	set(slotOFMT, str("%.6g"))
	set(slotFIELDWIDTHS, str(""))
	set(slotFPAT, str("[^[:space:]]+"))
	set(slotIGNORECASE, num(0))
	set(slotRSTART, num(0))
	set(slotRLENGTH, num(0))
	set(slotFILENAME, str(""))
	set(slotARGIND, num(0))
	set(slotERRNO, str(""))
	set(slotRT, str(""))
	set(slotBINMODE, num(0))
	set(slotLINT, num(0))
	set(slotTEXTDOMAIN, str("messages"))
	p.Rec.V0 = absent()
	p.Rec.By = slotFS

	array := func(slot int) int32 {
		n := p.newArray(specialNames[slot], 0)
		p.Globals[slot] = Value{K: Arr, R: n}
		return n
	}
	env := array(slotENVIRON)
	for _, e := range p.c.Environ() {
		name, value, _ := strings.Cut(e, "=")
		p.put(env, stringKey(name), Value{S: value, K: Maybe})
	}
	info := array(slotPROCINFO)
	for _, x := range []struct {
		k string
		v Value
	}{
		{"version", str("5.2.1")}, {"strftime", str("%a %b %e %H:%M:%S %Z %Y")}, {"FS", str("FS")}, {"platform", str("posix")},
		{"uid", num(float64(p.c.UID()))}, {"euid", num(float64(p.c.UID()))}, {"gid", num(float64(p.c.GID()))},
		{"egid", num(float64(p.c.GID()))}, {"pid", num(float64(p.c.PID()))},
	} {
		p.put(info, Key{S: x.k}, x.v)
	}
	argv := array(slotARGV)
	args := p.c.Args
	if !p.c.Flags.Has("f") && !p.c.Flags.Has("e") && !p.c.Flags.Has("E") {
		args = args[1:]
	}
	p.put(argv, Key{I: 0, Int: true}, str(p.c.Name))
	for i, a := range args {
		if i%many == many-1 {
			p.c.Charge(many)
		}
		p.put(argv, Key{I: int32(i + 1), Int: true}, Value{S: a, K: Maybe})
	}
	set(slotARGC, num(float64(len(args)+1)))
	p.refresh()
	p.checkRegexes()
	for _, f := range p.c.Flags {
		switch f.Name {
		case "F":
			p.setSpecial(slotFS, str(unescape(f.Value, p.oddOption)))
		case "v":
			name, value, ok := strings.Cut(f.Value, "=")
			if !ok {
				p.c.Errorf("`%s' argument to `-v' not in `var=value' form", f.Value)
				panic(abort{1})
			}
			if !p.assignOperand(f.Value) {
				p.c.Errorf("fatal: `%s' is not a legal variable name", name)
				panic(abort{2})
			}
			_ = value
		}
	}
}
