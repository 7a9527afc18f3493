package ls

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/vfs"
)

// palette is LS_COLORS over the built-in colours.
type palette struct {
	codes map[string]string
	exts  [][2]string // last wins
}

func newPalette(c *cmd.Ctx) *palette {
	p := &palette{codes: map[string]string{"lc": "\x1b[", "rc": "m", "rs": "0", "di": "01;34", "ln": "01;36", "pi": "33", "so": "01;35",
		"bd": "01;33", "cd": "01;33", "ex": "01;32", "su": "37;41", "sg": "30;43", "st": "37;44", "ow": "34;42", "tw": "30;42"}}
	env, _ := c.Getenv("LS_COLORS")
	for _, kv := range strings.Split(env, ":") {
		k, v, ok := strings.Cut(kv, "=")
		switch {
		case !ok:
		case strings.HasPrefix(k, "*"):
			p.exts = append(p.exts, [2]string{k[1:], unescape(v)})
		default:
			p.codes[k] = unescape(v)
		}
	}
	return p
}

// terms are the terminals that the built-in colours are for.
const terms = "Eterm ansi *color* con[0-9]*x[0-9]* cons25 console cygwin *direct* dtterm gnome hurd jfbterm konsole kterm linux linux-c " +
	"mlterm putty rxvt* screen* st terminator tmux* vt100 xterm*"

// colorTerm reports whether colours can be shown: LS_COLORS or COLORTERM is set, or TERM is known.
func colorTerm(c *cmd.Ctx) bool {
	for _, name := range []string{"LS_COLORS", "COLORTERM"} {
		if v, _ := c.Getenv(name); v != "" {
			return true
		}
	}
	term, _ := c.Getenv("TERM")
	for _, t := range strings.Fields(terms) {
		if fnmatch.Match(t, term, 0) {
			return true
		}
	}
	return false
}

func unescape(s string) string {
	return strings.NewReplacer(`\e`, "\x1b", `\_`, " ", `\\`, `\`).Replace(s)
}

// wrap is the escape sequence of a class, "" if it has no colour.
func (p *palette) wrap(class string) string {
	return p.codes["lc"] + p.codes[class] + p.codes["rc"]
}

// code is the colour of a name; "" for none.
func (p *palette) code(name string, m vfs.Mode, e *entry, target bool) string {
	class := ""
	switch m & vfs.TypeMask {
	case vfs.TypeDir:
		class = "di"
		switch {
		case m&vfs.Sticky != 0 && m&0o002 != 0 && p.codes["tw"] != "":
			class = "tw"
		case m&0o002 != 0 && p.codes["ow"] != "":
			class = "ow"
		case m&vfs.Sticky != 0 && p.codes["st"] != "":
			class = "st"
		}
	case vfs.TypeLink:
		class = "ln"
		if e.To == 0 && p.codes["or"] != "" {
			class = "or"
		} else if p.codes["ln"] == "target" {
			return p.code(name, vfs.Mode(e.To), e, true)
		}
	case vfs.TypeFifo:
		class = "pi"
	case vfs.TypeChar:
		class = "cd"
	case vfs.TypeFile:
		switch {
		case m&vfs.SetUID != 0:
			class = "su"
		case m&vfs.SetGID != 0:
			class = "sg"
		case m&0o111 != 0:
			class = "ex"
		case e.Nlink > 1 && p.codes["mh"] != "" && !target:
			class = "mh"
		default:
			for i := len(p.exts) - 1; i >= 0; i-- {
				if strings.HasSuffix(strings.ToLower(name), strings.ToLower(p.exts[i][0])) {
					return p.exts[i][1]
				}
			}
			class = "fi"
		}
	}
	if v := p.codes[class]; strings.Trim(v, "0") != "" {
		return v
	}
	return ""
}
