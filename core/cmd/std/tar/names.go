package tar

import (
	"slices"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/vfs"
)

// A name that begins with a NUL, which no file name has, is what stands between the names: chdir with a directory
// is the argument of a -C, and mark with a letter and an argument is one of these.
const (
	chdir = "\x00"
	mark  = "\x00\x00"

	markRecurse = mark + "+"
	markFlat    = mark + "-"
	markExclude = mark + "x" // of a file of -T: its pattern
	markFile    = mark + "f" // --add-file: the name
	markList    = mark + "T" // of -T: where it was asked for, a NUL, the file
	markRead    = mark + "t" // the same, when it was read
	markPattern = mark + "X" // of -X: the file
)

// plain reports whether an operand is a name.
func plain(name string) bool { return !strings.HasPrefix(name, chdir) }

// layout gives the operands in their order, with the options between them that count from where they stand: those
// of the first files of -T and -X left out, which were read. idle are the options that nothing comes after.
func layout(c *cmd.Ctx, done int) (names, idle []string) {
	files, read := false, 0
	option := func(f cmd.Flag) {
		switch f.Name {
		case "T":
			if read++; read > done {
				names = append(names, markList+"command line\x00"+f.Value)
			}
			files, idle = true, nil
		case "X":
			if read++; read > done {
				names = append(names, markPattern+f.Value)
			}
		case "recursion", "no-recursion":
			names = append(names, recursion(f.Name))
			idle = append(idle, "--"+f.Name)
		case "exclude":
			idle = append(idle, "--exclude "+quote.Locale(c, f.Value))
		}
	}
	flags := c.Flags
	for i := 0; i <= len(c.Args); i++ {
		for len(flags) > 0 && (flags[0].After <= i || i == len(c.Args)) {
			option(flags[0])
			flags = flags[1:]
		}
		if i == len(c.Args) {
			break
		}
		name := c.Args[i]
		if file, ok := strings.CutPrefix(name, markFile); ok {
			name = file
		}
		if names = append(names, name); plain(name) {
			files, idle = true, nil
		} else {
			idle = append(idle, "-C "+quote.Locale(c, name[len(chdir):]))
		}
	}
	if !files {
		idle = nil
	}
	return names, idle
}

// idle reports the options that stand behind all that they could be for.
func (p *Program) idle(c *cmd.Ctx) {
	_, idle := layout(c, 0)
	if len(idle) == 0 {
		return
	}
	p.fail(c, "The following options were used after any non-optional arguments in archive create or update mode.  "+
		"These options are positional and affect only arguments that follow them.  Please, rearrange them properly.")
	for _, what := range idle {
		c.Errorf("%s has no effect", what)
	}
}

// recursion is the mark of an option's name.
func recursion(name string) string {
	if name == "recursion" {
		return markRecurse
	}
	return markFlat
}

// maxList bounds the files of -T and -X.
const maxList = 16 << 20

// lists reads the files of -T and -X, which may be pipes, and puts what they name where they were asked for.
func (p *Program) lists(c *cmd.Ctx) (next cmd.Next, ok bool) {
	if !p.Ordered {
		names, _ := layout(c, p.Lists)
		p.Names, p.Ordered = append(names, p.Names...), true
		p.Lists = 0
	}
	unread := func(n string) bool { return strings.HasPrefix(n, markList) || strings.HasPrefix(n, markPattern) }
	for i := slices.IndexFunc(p.Names, unread); i >= 0; i = slices.IndexFunc(p.Names, unread) {
		from, file, named := strings.Cut(p.Names[i][len(markList):], "\x00")
		if !named {
			file = from
		}
		if named && !p.List.Opened && p.already(c, from, file) {
			p.Names = slices.Delete(p.Names, i, i+1)
			continue
		}
		text, done, next, err := p.List.Read(c, file, maxList)
		if err != nil {
			p.fatal(c, "%s: Cannot open: %s", file, err)
			return cmd.Exit(2), false
		}
		if !done {
			return next, false
		}
		if named {
			p.Names[i] = markRead + from + "\x00" + file
			p.Names = slices.Insert(p.Names, i+1, p.named(c, file, string(text))...)
			continue
		}
		p.Names = slices.Delete(p.Names, i, i+1)
		for _, l := range strings.Split(string(text), "\n") {
			if l != "" {
				p.Exclude = append(p.Exclude, l)
			}
		}
	}
	return cmd.Next{}, true
}

// already reports, and says, that a file of -T was read before.
func (p *Program) already(c *cmd.Ctx, from, file string) bool {
	st, err := c.Stat(file)
	if err != nil || file == "-" {
		return false
	}
	for _, n := range p.Names {
		was, ok := strings.CutPrefix(n, markRead)
		if !ok {
			continue
		}
		first, path, _ := strings.Cut(was, "\x00")
		if other, err := c.Stat(path); path != "-" && err == nil && other.Ino == st.Ino && other.Dev == st.Dev {
			p.fail(c, "%s: file list requested from %s already read from %s", file, from, first)
			return true
		}
	}
	return false
}

// named are the names in a file of -T, and the marks of the options there.
func (p *Program) named(c *cmd.Ctx, file, text string) (names []string) {
	null := c.Flags.Has("null")
	verbatim, quoted := null, !null
	for _, f := range c.Flags {
		switch f.Name {
		case "verbatim-files-from", "no-verbatim-files-from":
			verbatim = f.Name[0] == 'v'
			quoted = !verbatim
		case "unquote", "no-unquote":
			quoted = f.Name[0] == 'u'
		}
	}
	for line := 1; text != ""; line++ {
		var l string
		if end := strings.IndexAny(text, "\n\x00"); !null && end >= 0 && text[end] == 0 {
			c.Errorf("%s: file name read contains nul character", escapeName(c, file))
			null = true
		}
		if l, text, _ = cutAt(text, null); l == "" {
			continue
		}
		if option := strings.TrimLeft(l, " \t"); !verbatim && strings.HasPrefix(option, "-") {
			marks, wrong := listOptions(file, option)
			if wrong != "" {
				p.fail(c, "%s:%d: %s", escapeName(c, file), line, wrong)
			}
			names = append(names, marks...)
			continue
		}
		if quoted {
			l = unquote(l)
		}
		names = append(names, l)
	}
	return names
}

// cutAt parts a text at the first newline, or NUL.
func cutAt(text string, null bool) (line, rest string, found bool) {
	if null {
		return strings.Cut(text, "\x00")
	}
	return strings.Cut(text, "\n")
}

// listOptions are the marks of a line of options in a file of -T; wrong says what is not one.
func listOptions(file, line string) (marks []string, wrong string) {
	words, closed := splitWords(line)
	if !closed {
		return nil, "cannot split line: missing closing quote"
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "--recursion" || word == "--no-recursion" {
			marks = append(marks, recursion(word[2:]))
			continue
		}
		name, value, has := strings.Cut(word, "=")
		if len(word) > 2 && word[0] == '-' && word[1] != '-' {
			name, value, has = word[:2], word[2:], true
		}
		kind, ok := map[string]string{
			"-C": chdir, "--directory": chdir, "-T": markList + file + "\x00", "--files-from": markList + file + "\x00",
			"--add-file": "", "--exclude": markExclude,
		}[name]
		if !ok {
			return marks, "unrecognized option"
		}
		if !has {
			if len(words) == 0 {
				return marks, "option requires an argument"
			}
			value, words = words[0], words[1:]
		}
		marks = append(marks, kind+value)
	}
	return marks, ""
}

// unquote reads the escapes of a name in a file of -T.
func unquote(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch at := strings.IndexByte(`\abfnrtv?`, s[i]); {
		case at >= 0:
			b.WriteByte("\\\a\b\f\n\r\t\v\x7f"[at])
		case s[i] >= '0' && s[i] <= '7':
			n, end := 0, min(i+3, len(s))
			for ; i < end && s[i] >= '0' && s[i] <= '7'; i++ {
				n = n*8 + int(s[i]-'0')
			}
			i--
			b.WriteByte(byte(n))
		default:
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String()
}

// marked carries out what stands between the names; false ends the program.
func (p *Program) marked(c *cmd.Ctx, name string) bool {
	switch {
	case name == markRecurse, name == markFlat:
		p.Create.Flat = name == markFlat
	case strings.HasPrefix(name, markExclude):
		p.Exclude = append(p.Exclude, name[len(markExclude):])
	case !strings.HasPrefix(name, mark):
		return p.chdir(c, name[len(chdir):])
	}
	return true
}

// recurses reports whether a directory is entered.
func (p *Program) recurses() bool {
	if p.Ordered {
		return !p.Create.Flat
	}
	return !p.o.flat // a state of a time when the option counted everywhere
}

// at is a path as seen from the -C directory.
func (p *Program) at(name string) string {
	if p.Dir == "" || strings.HasPrefix(name, "/") {
		return name
	}
	return p.Dir + "/" + name
}

// chdir enters a -C directory.
func (p *Program) chdir(c *cmd.Ctx, dir string) bool {
	to := p.at(dir)
	st, err := c.Stat(to)
	if err == nil && !st.Mode.IsDir() {
		err = vfs.ENOTDIR
	}
	if err != nil {
		p.fatal(c, "%s: Cannot open: %s", dir, err)
		return false
	}
	p.Dir = to
	return true
}

// operand is where what matches a name of -t or -x goes, and whether what is below it does.
type operand struct {
	dir  string
	flat bool
}

// operands are those of the names that are wanted of the archive.
func (p *Program) operands() []operand {
	if p.places != nil || len(p.Extract.Wanted) == 0 {
		return p.places
	}
	here := operand{}
	last := p.Dir
	p.Dir = ""
	for _, n := range p.Names {
		switch {
		case n == markRecurse, n == markFlat:
			here.flat = n == markFlat
		case strings.HasPrefix(n, mark):
		case plain(n):
			p.places = append(p.places, here)
		default:
			p.Dir = p.at(n[len(chdir):])
			here.dir = p.Dir
		}
	}
	p.Dir = last
	return p.places
}
