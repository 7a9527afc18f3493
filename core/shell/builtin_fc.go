package shell

import (
	"fmt"
	"slices"
	"strings"

	"eryxsh/core/expand"
	"eryxsh/vfs"
)

// fcListed is how many commands fc -l shows if it is not told.
const fcListed = 16

// biFc lists commands of the history, or runs them again, edited or not.
func (m *Machine) biFc(p *Process, argv []string) int {
	list, bare, reverse, again, editor := false, false, false, false, ""
	o := m.options(p, argv, "e:lnrs")
	for len(o.args) > 0 && (o.rest != "" || len(o.args[0]) < 2 || o.args[0][1] < '0' || o.args[0][1] > '9') || o.rest != "" { // fc -1 is an operand
		c := o.next()
		if c == 0 {
			break
		}
		switch c {
		case 'l':
			list = true
		case 'n':
			bare = true
		case 'r':
			reverse = true
		case 's':
			again = true
		case 'e':
			editor = o.value
		}
	}
	if o.bad {
		return 2
	}
	args := o.args
	var h fcList
	if m.rt.history != nil {
		h.first, h.lines = m.rt.history.Lines()
	}
	if again || editor == "-" {
		return m.fcAgain(p, h, args)
	}
	if len(h.lines) == 0 {
		return 0
	}
	lo, hi := len(h.lines)-1, len(h.lines)-1
	if list {
		lo = max(0, len(h.lines)-fcListed)
	}
	ok := true
	if len(args) > 0 {
		if lo, ok = h.find(args[0]); ok && !list {
			hi = lo
		}
	}
	if ok && len(args) > 1 {
		hi, ok = h.find(args[1])
	}
	if !ok {
		m.complain(p, "fc: no command found")
		return 1
	}
	if lo > hi {
		lo, hi, reverse = hi, lo, !reverse
	}
	return m.fcRange(p, h, lo, hi, editor, list, bare, reverse)
}

// fcRange lists the commands of a range, or gives them to an editor and runs what it leaves.
func (m *Machine) fcRange(p *Process, h fcList, lo, hi int, editor string, list, bare, reverse bool) int {
	var out []string
	for i := lo; i <= hi; i++ {
		switch {
		case !list:
			out = append(out, h.lines[i]+"\n")
		case bare:
			out = append(out, "\t "+h.lines[i]+"\n")
		default:
			out = append(out, fmt.Sprintf("%d\t %s\n", h.first+i, h.lines[i]))
		}
	}
	if reverse {
		slices.Reverse(out)
	}
	if list {
		return m.out(p, "fc", []byte(strings.Join(out, "")))
	}
	return m.fcEdit(p, editor, strings.Join(out, ""))
}

// fcList is the history as fc sees it.
type fcList struct {
	first int
	lines []string
}

// find gives the place of a command by its number, its distance from the end, or its beginning.
func (h fcList) find(spec string) (int, bool) {
	if n, ok := expandInt(spec); ok {
		if n <= 0 {
			n += len(h.lines)
		} else {
			n -= h.first
		}
		return max(0, min(n, len(h.lines)-1)), true
	}
	for i := len(h.lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(h.lines[i], spec) {
			return i, true
		}
	}
	return 0, false
}

// fcAgain is fc -s: a command once more, with texts replaced.
func (m *Machine) fcAgain(p *Process, h fcList, args []string) int {
	var swaps [][2]string
	for len(args) > 0 {
		old, new, ok := strings.Cut(args[0], "=")
		if !ok {
			break
		}
		swaps, args = append(swaps, [2]string{old, new}), args[1:]
	}
	at, ok := len(h.lines)-1, len(h.lines) > 0
	if len(args) > 0 {
		at, ok = h.find(args[0])
	}
	if !ok || len(h.lines) == 0 {
		m.complain(p, "fc: no command found")
		return 1
	}
	text := h.lines[at]
	for _, s := range swaps {
		if s[0] != "" {
			text = strings.ReplaceAll(text, s[0], s[1])
		}
	}
	m.complainRaw(p, text+"\n")
	m.rt.history.Add(text)
	return m.biEval(p, []string{"eval", "--", text})
}

// fcEdit runs an editor on commands, then what it has made of them.
func (m *Machine) fcEdit(p *Process, editor, text string) int {
	for _, name := range []string{"FCEDIT", "EDITOR"} {
		if editor == "" {
			editor = p.Shell.Vars.Get(name).String()
		}
	}
	if editor == "" {
		editor = "vi"
	}
	path := fmt.Sprintf("/tmp/bash-fc.%d", m.Meter.Commands)
	file, err := m.open(p, path, vfs.O_WRONLY|vfs.O_CREAT|vfs.O_TRUNC, 0o600)
	if err == nil {
		_, err = m.write(p, file, []byte(text))
		m.unref(file)
	}
	if err != nil {
		m.complain(p, "fc: %s: cannot open temp file: %s", path, err)
		return 1
	}
	q := expand.QuoteAt(path, p.Shell.bytes(), nil)
	return m.biEval(p, []string{"eval", "--", editor + " " + q + " && { command cat " + q + " >&2; history -s \"$(command cat " + q + ")\"; eval \"$(command cat " + q + "; command rm -f " + q + ")\"; }"})
}
