package shell

import (
	"fmt"
	"strings"

	"eryxsh/vfs"
)

// History is where the shell's history lives: in the World, one for the shell,
// Python and RPC. The machine asks through it.
type History interface {
	// Lines gives the commands from first to last, and the number of the first.
	Lines() (first int, commands []string)
	// Clear forgets all of them.
	Clear()
	// Add appends one.
	Add(command string)
	// Replace puts one where the command that runs would stand, as history -s and fc do.
	Replace(command string)
	// Remove forgets one by its number.
	Remove(number int) bool
}

// SetHistory gives the machine the World's history for the slice to come.
func (m *Machine) SetHistory(h History) {
	m.own()
	m.rt.history = h
}

func (m *Machine) biHistory(p *Process, argv []string) int {
	h := m.rt.history
	if h == nil {
		return 0
	}
	args := argv[1:]
	if len(args) > 0 && args[0] == "clear" {
		args = []string{"-c"}
	}
	if len(args) > 0 && args[0] == "list" {
		args = args[1:]
	}
	var flags, from string
	o := m.options(p, append([]string{"history"}, args...), "acd:npsrw")
	for c := o.next(); c != 0; c = o.next() {
		if c == 'd' {
			from = o.value
		}
		if strings.IndexByte(flags, c) < 0 {
			flags += string(c)
		}
	}
	if o.bad {
		return 2
	}
	args = o.args
	has := func(c string) bool { return strings.Contains(flags, c) }
	files := ""
	for _, c := range flags {
		if strings.ContainsRune("anrw", c) && !strings.ContainsRune(files, c) {
			files += string(c)
		}
	}
	switch {
	case len(files) > 1:
		m.complain(p, "history: cannot use more than one of -anrw")
		return 1
	case has("d"):
		return m.historyDelete(p, h, from)
	case has("c"):
		h.Clear()
		return 0
	case has("s"):
		if len(args) > 0 {
			h.Replace(strings.Join(args, " "))
		}
		return 0
	case has("p"):
		return m.historyExpand(p, h, args)
	case files != "":
		return m.historyFile(p, h, files, args)
	}
	return m.historyList(p, h, args)
}

func (m *Machine) historyList(p *Process, h History, args []string) int {
	first, lines := h.Lines()
	if len(args) > 0 {
		n, ok := expandInt(args[0])
		switch {
		case !ok:
			m.complain(p, "history: %s: numeric argument required", args[0])
			return 1
		case len(args) > 1:
			m.complain(p, "history: too many arguments")
			return m.abandon(p)
		}
		if n = max(n, -n); n < len(lines) {
			first, lines = first+len(lines)-n, lines[len(lines)-n:]
		}
	}
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "%5d  %s\n", first+i, l)
	}
	return m.out(p, "history", []byte(b.String()))
}

// historyDelete forgets one entry, or those of a range: N, -N from the end, N-M.
func (m *Machine) historyDelete(p *Process, h History, spec string) int {
	first, lines := h.Lines()
	at := func(s string) (int, bool) {
		n, ok := expandInt(s)
		if ok && n < 0 {
			n += first + len(lines)
		}
		return n, ok && n >= first && n < first+len(lines)
	}
	lo, hi := spec, spec
	if i := strings.IndexByte(strings.TrimLeft(spec, "-"), '-'); i >= 0 {
		i += len(spec) - len(strings.TrimLeft(spec, "-"))
		lo, hi = spec[:i], spec[i+1:]
	}
	from, ok := at(lo)
	to, ok2 := at(hi)
	if !ok || !ok2 || from > to {
		m.complain(p, "history: %s: history position out of range", spec)
		return 1
	}
	for n := to; n >= from; n-- {
		h.Remove(n)
	}
	return 0
}

// historyFile does -a, -n, -r and -w. What of a file has been read, and of the
// list been appended, is seen from where the one goes on where the other ends.
func (m *Machine) historyFile(p *Process, h History, op string, args []string) int {
	name := p.Shell.Vars.Get("HISTFILE").String()
	if len(args) > 0 {
		name = args[0]
	}
	if name == "" {
		return 0
	}
	_, lines := h.Lines()
	var kept []string
	text, err := m.slurp(p, name)
	if text = strings.TrimSuffix(text, "\n"); err == nil && text != "" {
		kept = strings.Split(text, "\n")
	}
	switch op {
	case "r", "n":
		if err != nil {
			return 1
		}
		if op == "n" {
			kept = kept[overlap(lines, kept):]
		}
		for _, l := range kept {
			h.Add(l)
		}
		return 0
	case "a":
		if lines = lines[overlap(kept, lines):]; len(lines) == 0 {
			return 0
		}
	}
	flags := vfs.O_WRONLY | vfs.O_CREAT | vfs.O_TRUNC
	if op == "a" {
		flags = vfs.O_WRONLY | vfs.O_CREAT | vfs.O_APPEND
	}
	file, err := m.open(p, name, flags, 0o600)
	if err != nil {
		return 1 // without a word, as bash does
	}
	defer m.unref(file)
	if len(lines) > 0 {
		if _, err = m.write(p, file, []byte(strings.Join(lines, "\n")+"\n")); err != nil {
			m.complain(p, "history: %s: %s", name, err)
			return 1
		}
	}
	return 0
}

// overlap is how many of b's first lines are a's last ones.
func overlap(a, b []string) int {
	for n := min(len(a), len(b)); n > 0; n-- {
		if strings.Join(a[len(a)-n:], "\n") == strings.Join(b[:n], "\n") {
			return n
		}
	}
	return 0
}

// historyExpand does history -p: each argument with its ! expanded, on a line.
func (m *Machine) historyExpand(p *Process, h History, args []string) int {
	var b strings.Builder
	for _, a := range args {
		text, wrong := expandHistory(h, a)
		if wrong != "" {
			m.complain(p, "history: %s: history expansion failed", a)
			return 1
		}
		b.WriteString(text + "\n")
	}
	return m.out(p, "history", []byte(b.String()))
}

// expandHistory expands the events of a text: !! !n !-n !text !?text?, each
// with a word of it: :n :^ :$ :* :n-m. wrong is an event that is not there.
func expandHistory(h History, s string) (out, wrong string) {
	first, lines := h.Lines()
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) && s[i+1] == '!' {
			b.WriteString(`\!`)
			i += 2
			continue
		}
		if s[i] != '!' || i+1 == len(s) || strings.IndexByte(" \t\n=(", s[i+1]) >= 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		start := i
		event, end, ok := historyEvent(first, lines, s, i+1)
		if ok {
			event, end, ok = historyWords(event, s, end)
		}
		if !ok {
			return "", s[start:]
		}
		b.WriteString(event)
		i = end
	}
	return b.String(), ""
}

// historyEvent finds the command that the event at s[i:] names.
func historyEvent(first int, lines []string, s string, i int) (event string, end int, ok bool) {
	number := func(n int) (string, bool) {
		if n -= first; n < 0 || n >= len(lines) {
			return "", false
		}
		return lines[n], true
	}
	last := func(match func(string) bool) (string, bool) {
		for j := len(lines) - 1; j >= 0; j-- {
			if match(lines[j]) {
				return lines[j], true
			}
		}
		return "", false
	}
	end = i
	switch c := s[i]; {
	case c == '!':
		event, ok = number(first + len(lines) - 1)
		return event, i + 1, ok
	case strings.IndexByte("$^*:", c) >= 0:
		event, ok = number(first + len(lines) - 1)
		return event, i, ok
	case c == '-' || c >= '0' && c <= '9':
		for end++; end < len(s) && s[end] >= '0' && s[end] <= '9'; end++ {
		}
		n, _ := expandInt(s[i:end])
		if c == '-' {
			n += first + len(lines)
		}
		event, ok = number(n)
	case c == '?':
		for end++; end < len(s) && s[end] != '?'; end++ {
		}
		part := s[i+1 : end]
		end = min(end+1, len(s))
		event, ok = last(func(l string) bool { return strings.Contains(l, part) })
	default:
		for end < len(s) && strings.IndexByte(" \t\n:^$*\"'", s[end]) < 0 {
			end++
		}
		event, ok = last(func(l string) bool { return strings.HasPrefix(l, s[i:end]) })
	}
	return event, end, ok
}

// historyWords takes the words out of an event that a designator at s[i:] names.
func historyWords(event, s string, i int) (string, int, bool) {
	if i >= len(s) || strings.IndexByte(":^$*", s[i]) < 0 {
		return event, i, true
	}
	if s[i] == ':' {
		if i++; i >= len(s) {
			return event, i, true
		}
	}
	words := strings.Fields(event)
	lastWord := len(words) - 1
	pick := func() (int, bool) {
		switch {
		case i < len(s) && s[i] == '^':
			i++
			return 1, true
		case i < len(s) && s[i] == '$':
			i++
			return lastWord, true
		}
		n, from := 0, i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' && i-from < 9 {
			n = n*10 + int(s[i]-'0')
			i++
		}
		return n, i > from
	}
	if s[i] == '*' {
		return strings.Join(words[min(1, len(words)):], " "), i + 1, true
	}
	lo, ok := pick()
	if !ok && (i >= len(s) || s[i] != '-') {
		return event, i, false
	}
	hi := lo
	if i < len(s) && s[i] == '-' {
		i++
		if hi, ok = pick(); !ok {
			hi = lastWord - 1
		}
	} else if i < len(s) && s[i] == '*' {
		i++
		hi = lastWord
	}
	if lo > hi || hi > lastWord || lo < 0 {
		return "", i, false
	}
	return strings.Join(words[lo:hi+1], " "), i, true
}
