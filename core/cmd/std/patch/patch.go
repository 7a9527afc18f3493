// Package patch is patch.
//
// The patch is read whole, then its files are taken one by one: read in turns,
// changed in one, written. Hunks are looked for where the patch says, then
// further away, then with less of their context (fuzz).
package patch

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/walk"
	"eryxsh/core/large"
	"eryxsh/vfs"
)

// maxInput bounds the patch, and each file it changes.
const maxInput = 128 << 20

// Command is patch.
func Command() *cmd.Command {
	o := func(short byte, long, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Help: help}
	}
	req := func(short byte, long, meta, help string) cmd.Option {
		return cmd.Option{Short: short, Long: long, Arg: cmd.Required, Meta: meta, Help: help}
	}
	lack := func(m cmd.Option) cmd.Option { m.Missing = true; return m }
	return &cmd.Command{
		Name: "patch", Acts: true, Summary: "apply a diff file to an original", Usage: "patch [OPTION]... [ORIGFILE [PATCHFILE]]", Origin: "GNU patch 2.7.6", Status: 2,
		Hint: "NAME: Try 'NAME --help' for more information.\n",
		Options: []cmd.Option{
			req('p', "strip", "NUM", "strip NUM leading components from file names"), req('F', "fuzz", "LINES", "set the fuzz factor to LINES for inexact matching"),
			o('l', "ignore-whitespace", "ignore white space changes between patch and input"), o('c', "context", "interpret the patch as a context difference"),
			lack(o('e', "ed", "interpret the patch as an ed script")), o('n', "normal", "interpret the patch as a normal difference"), o('u', "unified", "interpret the patch as a unified difference"),
			o('N', "forward", "ignore patches that appear to be reversed or already applied"), o('R', "reverse", "assume patches were created with old and new files swapped"),
			req('i', "input", "PATCHFILE", "read patch from PATCHFILE instead of stdin"), req('o', "output", "FILE", "output patched files to FILE"),
			req('r', "reject-file", "FILE", "output rejects to FILE"), lack(req('D', "ifdef", "NAME", "make merged if-then-else output using NAME")), lack(o(0, "merge", "merge using conflict markers")),
			o('E', "remove-empty-files", "remove output files that are empty after patching"), o('b', "backup", "back up the original contents of each file"),
			o(0, "no-backup-if-mismatch", "back up mismatches only if otherwise requested"), o(0, "backup-if-mismatch", "back up if the patch does not match exactly"),
			req('z', "suffix", "SUFFIX", "append SUFFIX to backup file names"), req('B', "prefix", "PREFIX", "prepend PREFIX to backup file names"),
			req('Y', "basename-prefix", "PREFIX", "prepend PREFIX to backup file basenames"), req(0, "read-only", "BEHAVIOR", "how to handle read-only input files: 'ignore', 'warn', 'fail'"), o('t', "batch", "ask no questions; skip bad-Prereq patches; assume reversed"),
			o('f', "force", "like -t, but ignore bad-Prereq patches, and assume unreversed"), o('s', "quiet", "work silently unless an error occurs"), o(0, "silent", "work silently unless an error occurs"),
			o(0, "verbose", "output extra information about the work being done"), o(0, "dry-run", "do not actually change any files; just print what would happen"),
			o(0, "posix", "conform to the POSIX standard"), req('d', "directory", "DIR", "change the working directory to DIR first"), o(0, "binary", "read and write data in binary mode"),
			req(0, "reject-format", "FORMAT", "create 'context' or 'unified' rejects"), o(0, "follow-symlinks", "follow symlinks to files to be patched"), o('T', "set-time", "set times of patched files"), o('Z', "set-utc", "set times of patched files"),
		},
		Class: cmd.Step, New: func() cmd.Program { return &Program{} },
	}
}

// Phases of a Program.
const (
	phaseInput = iota
	phaseNext
	phaseRead
	phaseWrite
)

// Program is a running patch.
type Program struct {
	Phase  int    `cbor:"1,keyasint,omitempty"`
	FD     int    `cbor:"2,keyasint,omitempty"`
	Opened bool   `cbor:"3,keyasint,omitempty"`
	Patch  []byte `cbor:"4,keyasint,omitempty"`
	Pos    int    `cbor:"5,keyasint,omitempty"`
	Line   int    `cbor:"6,keyasint,omitempty"`
	Status int    `cbor:"7,keyasint,omitempty"`
	Target string `cbor:"8,keyasint,omitempty"`
	Exists bool   `cbor:"9,keyasint,omitempty"`
	Mode   uint32 `cbor:"10,keyasint,omitempty"`
	Text   []byte `cbor:"11,keyasint,omitempty"` // of the target
	Some   bool   `cbor:"12,keyasint,omitempty"` // a change was found
	Later  []move `cbor:"13,keyasint,omitempty"` // of the files of a git diff, what is yet to be written
}

// Wrong checks the place in the patch.
func (p *Program) Wrong(*cmd.Ctx) string {
	if p.Phase < phaseInput || p.Phase > phaseWrite || p.FD < 0 || p.Phase > phaseNext && p.Pos >= len(p.Patch) {
		return "a phase that cannot be"
	}
	return cmd.Beyond("a place in a patch", p.Pos, len(p.Patch))
}

// Step takes one turn.
func (p *Program) Step(c *cmd.Ctx) cmd.Next {
	if c.Pending() > cmd.Turn {
		return cmd.WaitWrite()
	}
	switch p.Phase {
	case phaseInput:
		return p.input(c)
	case phaseNext:
		return p.find(c)
	case phaseRead:
		return p.read(c)
	}
	return p.change(c)
}

// at is a path as seen from the -d directory.
func at(c *cmd.Ctx, path string) string {
	if d := c.Flags.Value("d"); d != "" && !strings.HasPrefix(path, "/") {
		return walk.Join(d, path)
	}
	return path
}

func (p *Program) fatal(c *cmd.Ctx, format string, args ...any) cmd.Next {
	c.Flush()
	fmt.Fprintf(&c.Errout, "patch: **** "+format+"\n", args...)
	return cmd.Exit(2)
}

func quiet(c *cmd.Ctx) bool { return c.Flags.Has("s") || c.Flags.Has("silent") }

func (p *Program) say(c *cmd.Ctx, format string, args ...any) {
	fmt.Fprintf(&c.Out, format+"\n", args...)
}

// input reads the patch.
func (p *Program) input(c *cmd.Ctx) cmd.Next {
	if !p.Opened {
		p.Opened = true
		for _, f := range c.Flags {
			switch {
			case f.Name == "reject-format" && f.Value != "context" && f.Value != "unified",
				f.Name == "read-only" && f.Value != "ignore" && f.Value != "warn" && f.Value != "fail":
				return cmd.Exit(c.TryHelp())
			case f.Name == "B" && f.Value == "":
				return p.fatal(c, "backup prefix is empty")
			case f.Name == "Y" && f.Value == "":
				return p.fatal(c, "backup basename prefix is empty")
			case f.Name == "z" && f.Value == "":
				return p.fatal(c, "backup suffix is empty")
			}
		}
		name := c.Flags.Value("i")
		switch {
		case len(c.Args) > 2:
			return cmd.Exit(c.UsageError("%s: extra operand", c.Args[2]))
		case len(c.Args) == 2:
			name = c.Args[1]
		}
		if d := c.Flags.Value("d"); d != "" {
			if st, err := c.Stat(d); err != nil || !st.Mode.IsDir() {
				if err == nil {
					err = vfs.ENOTDIR
				}
				return p.fatal(c, "Can't change to directory %s : %s", d, err)
			}
		}
		if name != "" && name != "-" {
			fd, err := c.Open(at(c, name), vfs.O_RDONLY, 0)
			if err != nil {
				return p.fatal(c, "Can't open patch file %s : %s", name, err)
			}
			p.FD = fd
		}
	}
	more, next := fill(c, p.FD, &p.Patch)
	if !more {
		if next.Op == cmd.OpExit {
			p.Phase = phaseNext
			return cmd.Again()
		}
		return next
	}
	return cmd.Again()
}

// fill reads one block; at the end more is false and next is an exit.
func fill(c *cmd.Ctx, fd int, into *[]byte) (more bool, next cmd.Next) {
	buf := cmd.Borrow()
	defer buf.Return()
	n, err := c.Read(fd, buf[:])
	switch {
	case err == cmd.ErrBlocked:
		return false, cmd.WaitRead(fd)
	case err == io.EOF || err != nil || len(*into) > maxInput:
		return false, cmd.Exit(0)
	}
	*into = large.Push(*into, buf[:n], c)
	c.Hold(2 * len(*into))
	return true, next
}

// current parses the change at p.Pos.
func (p *Program) current(c *cmd.Ctx) *change {
	k := parse(p.Patch, p.Pos, p.Line, c.Flags.Has("binary"), c)
	if k != nil && c.Flags.Has("R") {
		k.reverse()
	}
	return k
}

// skip goes on behind a change.
func (p *Program) skip(k *change) {
	p.Line += bytes.Count(p.Patch[p.Pos:k.end], []byte("\n"))
	p.Pos, p.Phase, p.Text, p.Target = k.end, phaseNext, nil, ""
}

// torn is said of a line without a newline each time it is met.
const torn = "patch unexpectedly ends in middle of line"

// find takes the next change and opens its file.
func (p *Program) find(c *cmd.Ctx) cmd.Next {
	k := p.current(c)
	if k == nil || k.git.old == "" {
		p.settle(c)
	}
	if k == nil {
		if rest := p.Patch[p.Pos:]; len(rest) > 0 && rest[len(rest)-1] != '\n' && p.Some {
			p.say(c, torn)
		}
		if !p.Some && len(bytes.TrimSpace(p.Patch)) > 0 {
			return p.fatal(c, "Only garbage was found in the patch input.")
		}
		return cmd.Exit(p.Status)
	}
	p.Some = true
	if k.crlf && !quiet(c) {
		p.say(c, "(Stripping trailing CRs from patch; use --binary to disable.)")
	}
	name := p.choose(c, k)
	if name == "" && k.git.moves() {
		p.say(c, "Cannot rename file without two valid file names")
		p.Status = max(p.Status, 1)
		p.skip(k)
		return cmd.Again()
	}
	if name == "" {
		p.missing(c, k)
		return cmd.Again()
	}
	if k.wrong != "" && k.format != 'u' {
		if !quiet(c) && k.format != 'c' {
			p.say(c, "patching file %s", quote.Maybe(c, name))
		}
		return p.fatal(c, "%s", k.wrong)
	}
	p.Target = name
	if to := p.moved(c, k); p.gives(at(c, to)) || to == "" && p.gives(at(c, name)) {
		p.settle(c)
	}
	if k.git.binary {
		p.say(c, "File %s: git binary diffs are not supported.", quote.Maybe(c, name))
		p.Status = max(p.Status, 1)
		p.skip(k)
		return cmd.Again()
	}
	look := c.Lstat
	if c.Flags.Has("follow-symlinks") {
		look = c.Stat
	}
	st, err := look(at(c, name))
	p.Exists = err == nil
	p.Text = nil
	if p.Exists {
		if !st.Mode.IsRegular() {
			p.say(c, "File %s is not a regular file -- refusing to patch", name)
			p.ignored(c, k, true)
			return cmd.Again()
		}
		if !p.mayWrite(c, name) {
			p.ignored(c, k, true)
			return cmd.Again()
		}
		p.Mode = uint32(st.Mode & 0o7777)
		fd, err := c.Open(at(c, name), vfs.O_RDONLY, 0)
		if err != nil {
			return p.fatal(c, "Can't open file %s : %s", name, err)
		}
		p.FD, p.Phase = fd, phaseRead
		return cmd.Again()
	}
	p.Mode, p.Phase = 0, phaseWrite
	return cmd.Again()
}

func (p *Program) read(c *cmd.Ctx) cmd.Next {
	more, next := fill(c, p.FD, &p.Text)
	if more || next.Op != cmd.OpExit {
		if more {
			return cmd.Again()
		}
		return next
	}
	c.Close(p.FD)
	p.Phase = phaseWrite
	return cmd.Again()
}

// mayWrite says that a file is read-only; it reports whether that is no hindrance.
func (p *Program) mayWrite(c *cmd.Ctx, name string) bool {
	if how := c.Flags.Value("read-only"); how == "ignore" || c.Access(at(c, name), vfs.W_OK) == nil {
		return true
	} else if how == "fail" {
		p.say(c, "File %s is read-only; refusing to patch", quote.Maybe(c, name))
		return false
	}
	p.say(c, "File %s is read-only; trying to patch anyway", quote.Maybe(c, name))
	return true
}

// backupName is where the original of a file goes.
func backupName(c *cmd.Ctx, path string) string {
	prefix, base, suffix := c.Flags.Value("B"), c.Flags.Value("Y"), c.Flags.Value("z")
	if prefix+base+suffix == "" {
		return path + ".orig"
	}
	i := strings.LastIndexByte(path, '/') + 1
	return prefix + path[:i] + base + path[i:] + suffix
}

// stripName takes leading components off a name; ok is false if it has not so many.
func stripName(name string, n int) (string, bool) {
	if n < 0 {
		return walk.Base(name), name != ""
	}
	for ; n > 0; n-- {
		i := strings.IndexByte(name, '/')
		if i < 0 {
			return "", false
		}
		name = strings.TrimLeft(name[i:], "/")
	}
	return name, name != ""
}

// choose picks the file that a change is for; "" if there is none.
func (p *Program) choose(c *cmd.Ctx, k *change) string {
	if len(c.Args) > 0 {
		return c.Args[0]
	}
	strip, ignored := strip(c), ""
	var names []string
	list := []string{k.old, k.new, k.index}
	switch {
	case k.git.moves():
		list = list[:1]
	case c.Flags.Has("R"):
		list[0], list[1] = k.new, k.old // as the patch has them
	}
	for _, n := range list {
		if n == "" || n == "/dev/null" {
			continue
		}
		s, ok := stripName(n, strip)
		if ok && dangerous(s) {
			if ignored != s {
				p.say(c, "Ignoring potentially dangerous file name %s", s)
			}
			ignored = s
		} else if ok {
			names = append(names, s)
		}
	}
	best := ""
	for _, n := range names {
		if _, err := c.Stat(at(c, n)); err == nil && (best == "" || better(n, best)) {
			best = n
		}
	}
	if best != "" {
		return best
	}
	if (k.oldNone || k.adds()) && k.new != "" {
		if s, ok := stripName(k.new, strip); ok && !dangerous(s) {
			return s
		}
	}
	return ""
}

// dangerous reports whether a name leads out of the directory.
func dangerous(name string) bool {
	return strings.HasPrefix(name, "/") || strings.Contains("/"+name+"/", "/../")
}

// better reports whether a is to be preferred: fewer components, shorter base, shorter.
func better(a, b string) bool {
	if x, y := strings.Count(a, "/"), strings.Count(b, "/"); x != y {
		return x < y
	}
	if x, y := len(walk.Base(a)), len(walk.Base(b)); x != y {
		return x < y
	}
	return len(a) < len(b)
}

// missing reports that no file was found for a change.
func (p *Program) missing(c *cmd.Ctx, k *change) {
	p.say(c, "can't find file to patch at input line %d", k.line)
	if _, ok := c.Flags.Last("p"); ok {
		p.say(c, "Perhaps you used the wrong -p or --strip option?")
	} else {
		p.say(c, "Perhaps you should have used the -p or --strip option?")
	}
	if len(k.head) > 0 {
		p.say(c, "The text leading up to this was:\n--------------------------")
		for _, l := range k.head {
			p.say(c, "|%s", strings.TrimRight(l, "\n"))
		}
		p.say(c, "--------------------------")
	}
	if c.Flags.Has("f") || c.Flags.Has("t") {
		p.say(c, "No file to patch.  Skipping patch.")
	} else {
		p.say(c, "File to patch: \nSkip this patch? [y] \nSkipping patch.")
	}
	p.ignored(c, k, false)
}

// ignored ends a change that was not tried.
func (p *Program) ignored(c *cmd.Ctx, k *change, save bool) {
	s := "s"
	if len(k.hunks) == 1 {
		s = ""
	}
	m := fmt.Sprintf("%d out of %d hunk%s ignored", len(k.hunks), len(k.hunks), s)
	if save && !c.Flags.Has("dry-run") {
		var all []int
		for i := range k.hunks {
			all = append(all, i)
		}
		name := p.rejectName(c)
		m += " -- saving rejects to file " + name
		p.store(c, at(c, name), k.rejected(all, c.Flags.Value("reject-format")), 0o666)
	}
	p.say(c, "%s", m)
	p.Status = max(p.Status, 1)
	p.skip(k)
}

func (p *Program) rejectName(c *cmd.Ctx) string {
	if r, ok := c.Flags.Last("r"); ok {
		return r.Value
	}
	if o, ok := c.Flags.Last("o"); ok {
		return o.Value + ".rej"
	}
	return p.Target + ".rej"
}

// change applies the change to the text and writes the file.
func (p *Program) change(c *cmd.Ctx) cmd.Next {
	k := p.current(c)
	if k == nil {
		return c.Unfit("there is no change")
	}
	taken := k.oldNone && len(p.Text) > 0
	if taken && !p.created(c, k) {
		return cmd.Again()
	}
	verb := "patching"
	if c.Flags.Has("dry-run") {
		verb = "checking"
	}
	shown := quote.Maybe(c, p.Target)
	if o, ok := c.Flags.Last("o"); ok {
		shown = quote.Maybe(c, o.Value) + " (read from " + shown + ")"
	} else if to := p.moved(c, k); to != "" {
		how := "renamed"
		if k.git.copy {
			how = "copied"
		}
		shown = quote.Maybe(c, to) + " (" + how + " from " + shown + ")"
	}
	if !quiet(c) {
		p.say(c, "%s file %s", verb, shown)
	}
	if k.torn > 0 && k.wrong == "" {
		p.say(c, torn)
	}
	fuzz := 2
	if f, ok := c.Flags.Last("F"); ok {
		fuzz, _ = strconv.Atoi(f.Value)
	}
	loose := c.Flags.Has("l")
	if !taken && k.wrong == "" && k.fitsReversed(c, p.Text, fuzz, loose) && !c.Flags.Has("f") {
		if p.reversed(c) {
			p.ignored(c, k, true)
			return cmd.Again()
		}
		k.hunks = large.List(k.hunks, c)
		k.reverse()
	}
	res := k.apply(c, p.Text, fuzz, loose, c.Flags.Has("verbose"))
	if k.oldNone && len(p.Text) > 0 { // what creates a file fits no other
		res = outcome{text: p.Text}
		for i := range k.hunks {
			res.rejects = append(res.rejects, i)
			res.messages = append(res.messages, fmt.Sprintf("Hunk #%d FAILED at 1.", i+1))
		}
	}
	for _, m := range res.messages {
		if !quiet(c) {
			p.say(c, "%s", m)
		}
	}
	if k.wrong != "" { // what could be read was tried, and is not kept
		if k.torn > 0 {
			p.say(c, torn)
		}
		return p.fatal(c, "%s", k.wrong)
	}
	if k.tornAfter > 0 {
		p.say(c, torn)
	}
	if !p.Exists && len(c.Args) > 0 && !k.oldNone {
		return p.fatal(c, "Can't reopen file %s : %s", p.Target, vfs.ENOENT)
	}
	p.write(c, k, res)
	p.skip(k)
	return cmd.Again()
}

// created says that a file to be created is there; it reports whether the change is tried all the same.
func (p *Program) created(c *cmd.Ctx, k *change) bool {
	text := "The next patch would create the file " + quote.Maybe(c, p.Target) + ",\nwhich already exists!  "
	switch {
	case c.Flags.Has("f"):
		p.say(c, "%sApplying it anyway.", text)
		return true
	case c.Flags.Has("t"):
		p.say(c, "%sAssuming -R.", text)
		k.hunks = large.List(k.hunks, c)
		k.reverse()
		return true
	case c.Flags.Has("N"):
		p.say(c, "%sSkipping patch.", text)
	default:
		p.say(c, "%sAssume -R? [n] \nApply anyway? [n] \nSkipping patch.", text)
	}
	p.ignored(c, k, false)
	return false
}

// reversed says that a patch seems to be applied already; it reports whether it is skipped.
func (p *Program) reversed(c *cmd.Ctx) bool {
	skipping := "\nSkipping patch."
	if quiet(c) {
		skipping = ""
	}
	which := "Reversed (or previously applied)"
	if c.Flags.Has("R") {
		which = "Unreversed (or previously applied)"
		if c.Flags.Has("t") {
			p.say(c, "Unreversed patch detected!  Ignoring -R.")
			return false
		}
		which = "Unreversed"
	}
	switch {
	case c.Flags.Has("N"):
		p.say(c, "%s patch detected!  Skipping patch.", which)
	case c.Flags.Has("t"):
		p.say(c, "%s patch detected!  Assuming -R.", which)
		return false
	case c.Flags.Has("R"):
		p.say(c, "%s patch detected!  Ignore -R? [n] \nApply anyway? [n] "+skipping, which)
	default:
		p.say(c, "%s patch detected!  Assume -R? [n] \nApply anyway? [n] "+skipping, which)
	}
	return true
}

// write stores the result of a change.
func (p *Program) write(c *cmd.Ctx, k *change, res outcome) {
	dry := c.Flags.Has("dry-run")
	if k.newNone && len(res.rejects) > 0 && len(res.text) > 0 {
		p.say(c, "Not deleting file %s as content differs from patch", quote.Maybe(c, p.Target))
		p.Status = max(p.Status, 1)
	}
	if n := len(res.rejects); n > 0 {
		s := "s"
		if len(k.hunks) == 1 {
			s = ""
		}
		m := fmt.Sprintf("%d out of %d hunk%s FAILED", n, len(k.hunks), s)
		if name := p.rejectName(c); !dry && name != "-" {
			m += " -- saving rejects to file " + quote.Maybe(c, name)
			p.store(c, at(c, name), k.rejected(res.rejects, c.Flags.Value("reject-format")), 0o666)
		}
		p.say(c, "%s", m)
		p.Status = max(p.Status, 1)
	}
	if dry {
		return
	}
	out := at(c, p.Target)
	if o, ok := c.Flags.Last("o"); ok {
		if o.Value == "-" {
			c.Out.Write(res.text)
			return
		}
		out = at(c, o.Value)
		p.store(c, out, res.text, 0o666)
		return
	}
	mismatch := (res.mismatch || len(res.rejects) > 0) && !c.Flags.Has("no-backup-if-mismatch") && !c.Flags.Has("posix")
	if c.Flags.Has("b") || mismatch {
		saved := backupName(c, out)
		makeParents(c, saved)
		mode := p.Mode
		if !p.Exists {
			mode = 0o666 &^ c.Umask()
		}
		if p.store(c, saved, p.Text, 0o666) {
			c.Chmod(saved, mode)
		}
	}
	if len(res.text) == 0 && (k.newNone && len(res.rejects) == 0 || c.Flags.Has("E")) {
		p.put(c, k, move{From: out, Remove: true})
		return
	}
	if len(res.rejects) == len(k.hunks) && len(k.hunks) > 0 {
		return
	}
	p.result(c, k, out, res.text)
}

// remove takes a file away, and the directories that are empty then.
func (p *Program) remove(c *cmd.Ctx, path string) {
	c.Unlink(path)
	for dir := walk.Parent(path); dir != "." && dir != "/" && c.Rmdir(dir) == nil; dir = walk.Parent(dir) {
	}
}

// store writes a file anew, or leaves it as it is: what is there goes when all is written, and other links keep it.
func (p *Program) store(c *cmd.Ctx, path string, text []byte, mode uint32) bool {
	into := path
	st, err := c.Lstat(path)
	if o, given := c.Flags.Last("o"); err != nil || !given || at(c, o.Value) != path {
		into = temporary(c, path)
	} else if st.Nlink > 1 && st.Mode.IsRegular() {
		c.Unlink(path)
	}
	fd, err := c.Open(into, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, mode)
	if err == nil {
		err = c.Write(fd, text)
		c.Close(fd)
	}
	if err == nil && into != path {
		err = c.Rename(into, path)
	}
	if err != nil {
		if into != path {
			c.Unlink(into)
		}
		c.Flush()
		fmt.Fprintf(&c.Errout, "patch: **** Can't create file %s : %s\n", path, err)
		p.Status = 2
	}
	return err == nil
}

// temporary is a name beside a file that nothing has.
func temporary(c *cmd.Ctx, path string) string {
	i := strings.LastIndexByte(path, '/') + 1
	for n := 0; ; n++ {
		name := path[:i] + ".po" + strconv.Itoa(n)
		if _, err := c.Lstat(name); err != nil {
			return name
		}
	}
}
