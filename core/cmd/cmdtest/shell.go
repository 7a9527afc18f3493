package cmdtest

import (
	"path"
	"sort"
	"strings"
	"testing"

	"eryxsh/core/cmd"
	"eryxsh/vfs"
)

// Shell runs the simplest of scripts: commands of literal words, one after
// the other by ";", in pipelines by "|", with "<", ">" and ">>", and with "?"
// and "*" in words. It stands in for the machine where a case checks
// what utilities left in files.
type Shell struct {
	Lookup  func(name string) *cmd.Command
	Mode    Run // Reload and Split, and the world
	t       testing.TB
	result  Result
	spawned bool // a command asked for a child
}

// Script runs a script; ok is false if it needs more of a shell than there is.
func (s *Shell) Script(t testing.TB, script string) (r Result, ok bool) {
	t.Helper()
	s.t = t
	lists, ok := s.parse(script)
	if !ok {
		return r, false
	}
	if s.Mode.FS == nil {
		s.Mode.FS = NewFS(t)
	}
	writeFiles(t, s.Mode.FS, s.Mode.Files)
	s.result.FS = s.Mode.FS
	stdin := s.Mode.Stdin
	for _, pipeline := range lists {
		in := stdin
		for i, c := range pipeline {
			out := s.command(c, in)
			if c.in == "" && i == 0 {
				stdin = "" // the first to read standard input reads it all
			}
			in = out
		}
		s.result.Stdout += in
	}
	return s.result, true
}

// Runs reports that Script can run a script.
func (s *Shell) Runs(script string) bool {
	_, ok := s.parse(script)
	return ok
}

// shellCommand is a command with its redirections.
type shellCommand struct {
	words   []string
	in, out string
	appends bool
}

// command runs one command and gives what it wrote for the next in the pipeline.
func (s *Shell) command(c shellCommand, in string) (out string) {
	s.t.Helper()
	run := s.Mode
	run.Files = nil
	run.Stdin = in
	run.Spawn = func(cmd.Spawn, string) (string, int) {
		s.spawned = true
		return "", 0
	}
	if c.in != "" {
		data, ok := Tree(s.t, run.FS)[c.in]
		if !ok {
			s.t.Fatalf("no file %s", c.in)
		}
		run.Stdin = data
	}
	words := s.expand(c.words)
	if c.out != "" && c.out != "/dev/null" && !c.appends {
		WriteFile(s.t, run.FS, c.out, "") // before the command reads
	}
	run.Command, run.Name, run.Args = s.Lookup(path.Base(words[0])), words[0], words[1:]
	r := run.Do(s.t)
	s.spawned = s.spawned || r.Refused
	s.result.Stderr += r.Stderr
	s.result.Status = r.Status
	s.result.Unsupported = append(s.result.Unsupported, r.Unsupported...)
	if c.out == "" {
		return r.Stdout
	}
	before := ""
	if c.appends {
		before = Tree(s.t, run.FS)[c.out]
	}
	if c.out != "/dev/null" {
		WriteFile(s.t, run.FS, c.out, before+r.Stdout)
	}
	return ""
}

// expand replaces the words with "?" or "*" that match files; a NUL before either is a quote.
func (s *Shell) expand(words []string) (out []string) {
	for _, w := range words {
		if !strings.ContainsAny(w, "\x01\x02") {
			out = append(out, w)
			continue
		}
		pattern := strings.NewReplacer("\x01", "?", "\x02", "*").Replace(w)
		var found []string
		for name := range Tree(s.t, s.Mode.FS) {
			if ok, _ := path.Match(pattern, name); ok {
				found = append(found, name)
			}
		}
		sort.Strings(found)
		if found == nil {
			found = []string{pattern}
		}
		out = append(out, found...)
	}
	return out
}

// parse cuts a script into pipelines of commands that are all known.
func (s *Shell) parse(script string) (lists [][]shellCommand, ok bool) {
	var pipeline []shellCommand
	var now shellCommand
	target := (*string)(nil)
	var word strings.Builder
	open := false
	endWord := func() bool {
		if !open {
			return true
		}
		w := word.String()
		word.Reset()
		open = false
		if target != nil {
			*target, target = w, nil
			return !strings.ContainsAny(w, "\x01\x02")
		}
		now.words = append(now.words, w)
		return true
	}
	endCommand := func() bool {
		if !endWord() || target != nil || len(now.words) == 0 || !s.knows(now.words[0]) {
			return false
		}
		for _, w := range now.words {
			if w == now.out && w != "" { // reads what it writes
				return false
			}
			if w == "inf" || w == "-f" && now.words[0] == "tail" { // never ends by itself
				return false
			}
		}
		pipeline = append(pipeline, now)
		now = shellCommand{}
		return true
	}
	script = strings.TrimSuffix(script, "\n")
	for i := 0; i < len(script); i++ {
		switch b := script[i]; b {
		case ' ':
			if !endWord() {
				return nil, false
			}
			continue
		case '\'':
			n := strings.IndexByte(script[i+1:], '\'')
			if n < 0 || len(now.words) == 0 {
				return nil, false
			}
			word.WriteString(script[i+1 : i+1+n])
			i += n + 1
		case '|', ';':
			if !endCommand() {
				return nil, false
			}
			if b == ';' {
				lists = append(lists, pipeline)
				pipeline = nil
			}
			continue
		case '<', '>':
			if open || target != nil {
				return nil, false
			}
			if target = &now.in; b == '>' {
				target = &now.out
				if i+1 < len(script) && script[i+1] == '>' {
					now.appends = true
					i++
				}
			}
			continue
		case '?', '*':
			word.WriteByte(map[byte]byte{'?': 1, '*': 2}[b])
		case '\\', '"', '$', '`', '\n', '&', '(', ')', '[', ']', '{', '}', '~', '#', '!', '=':
			if b != '=' && b != '!' && b != '~' && b != '#' || !open && b != '=' || len(now.words) == 0 {
				return nil, false
			}
			word.WriteByte(b)
		default:
			word.WriteByte(b)
		}
		open = true
	}
	if !endCommand() {
		return nil, false
	}
	return append(lists, pipeline), true
}

// knows reports that a command can be run here: it ends by itself, and no builtin of the shell has its name.
func (s *Shell) knows(name string) bool {
	switch name {
	case "yes", "test", "kill", "pwd", "cd", "set", "read", "env", "timeout", "xargs":
		return false
	}
	return s.Lookup(path.Base(name)) != nil
}

// CheckScript is Check for a script of Shell. ok is false if it cannot be run here: it needs more of a shell, or children.
func CheckScript(t testing.TB, lookup func(name string) *cmd.Command, script string, r Run) (first Result, ok bool) {
	t.Helper()
	for i, mode := range modes() {
		q := r
		q.Reload, q.Split = mode.reload, mode.split
		q.FS = (*vfs.FS)(nil)
		s := Shell{Lookup: lookup, Mode: q}
		got, ok := s.Script(t, script)
		if !ok || s.spawned {
			return got, false
		}
		if i == 0 {
			first = got
			continue
		}
		same(t, script, mode, first, got)
	}
	return first, true
}
