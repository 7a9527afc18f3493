package shell

import (
	"fmt"
	"slices"
	"strconv"
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
	for o.rest != "" || len(o.args) > 0 && !fcDistance(o.args[0]) {
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
	if len(args) > 0 {
		if lo = h.find(args[0], list); !list {
			hi = lo
		} else if lo == len(h.lines) {
			lo = 0 // a list that would begin after the last shows them all
		}
	}
	if len(args) > 1 {
		hi = min(h.find(args[1], list), len(h.lines)-1)
	}
	switch {
	case lo == fcBeyond || hi == fcBeyond:
		m.complain(p, "fc: history specification out of range")
		return 1
	case lo < 0 || hi < 0:
		m.complain(p, "fc: no command found")
		return 1
	}
	if lo > hi {
		lo, hi, reverse = hi, lo, !reverse
	}
	return m.fcRange(p, h, lo, hi, editor, list, bare, reverse)
}

// fcDistance reports whether a word like an option is a distance from the end: -1.
func fcDistance(word string) bool {
	_, ok := expandInt(word)
	return ok && strings.HasPrefix(word, "-")
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

// fcNotFound and fcBeyond are places of commands that are not there.
const fcNotFound, fcBeyond = -1, -2

// find gives the place of a command by its number, its distance from the end, or its beginning.
// In a list a number beyond the last one is a place of its own.
func (h fcList) find(spec string, list bool) int {
	last := len(h.lines) - 1
	digits, back := strings.CutPrefix(spec, "-")
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	if digits != "" {
		n, _ := strconv.Atoi(digits)
		switch {
		case back && n == 0 && !list:
			return fcBeyond
		case back && n > 0:
			return max(0, last+1-n)
		case n == 0:
			return last
		case n-h.first > last && list:
			return last + 1
		}
		return max(0, min(n-h.first, last))
	}
	for i := len(h.lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(h.lines[i], spec) {
			return i
		}
	}
	return fcNotFound
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
	at := len(h.lines) - 1
	if len(args) > 0 {
		at = h.find(args[0], false)
	}
	if at < 0 || len(h.lines) == 0 {
		m.complain(p, "fc: no command found")
		return 1
	}
	text := h.lines[at]
	for _, s := range swaps {
		if s[0] == "" { // as bash does it: in place of each character
			text = strings.Repeat(s[1], len(text))
		} else {
			text = strings.ReplaceAll(text, s[0], s[1])
		}
	}
	m.complainRaw(p, text+"\n")
	m.rt.history.Replace(text)
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
