package ls

import (
	"strings"

	"eryxsh/core/cmd"
	"eryxsh/core/cmd/quote"
	"eryxsh/core/cmd/std/internal/fnmatch"
	"eryxsh/vfs"
)

// palette is LS_COLORS over the built-in colours.
type palette struct {
	codes map[string]string
	exts  [][2]string // last wins
}

// newPalette reads LS_COLORS. One that no program wrote is refused, with complaints, and there are no colours at all.
func newPalette(c *cmd.Ctx) (*palette, []string) {
	p := &palette{codes: map[string]string{"lc": "\x1b[", "rc": "m", "rs": "0", "di": "01;34", "ln": "01;36", "pi": "33", "so": "01;35",
		"bd": "01;33", "cd": "01;33", "ex": "01;32", "su": "37;41", "sg": "30;43", "st": "37;44", "ow": "34;42", "tw": "30;42"}}
	env, _ := c.Getenv("LS_COLORS")
	for kv := range strings.SplitSeq(env, ":") {
		k, v, ok := strings.Cut(kv, "=")
		switch {
		case kv == "":
		case ok && strings.HasPrefix(k, "*"):
			p.exts = append(p.exts, [2]string{k[1:], unescape(v)})
		case ok && len(k) == 2 && strings.Contains(prefixes, " "+k+" "):
			p.codes[k] = unescape(v)
		default:
			const unparsable = "unparsable value for LS_COLORS environment variable"
			if ok && len(k) == 2 {
				return nil, []string{"unrecognized prefix: " + quote.Locale(c, k), unparsable}
			}
			return nil, []string{unparsable}
		}
	}
	return p, nil
}

// prefixes are what LS_COLORS may give colours to.
const prefixes = " lc rc ec rs no fi di ln pi so bd cd mi or ex do su sg st ow tw ca mh cl "

// colored reports whether a class has a colour.
func (p *palette) colored(class string) bool {
	v := p.codes[class]
	return v != "" && v != "0" && v != "00"
}

// normal begins what is shown in the colour of normal text, if that has one.
func (p *Program) normal(b *cmd.Buffer) {
	if pal := p.o.colors; pal != nil && pal.colored("no") {
		p.tint(b, pal.codes["no"])
	}
}

// tint writes an escape sequence; in front of the first of all the colours are set back.
func (p *Program) tint(b *cmd.Buffer, code string) {
	if !p.Colored {
		p.Colored = true
		b.WriteString(p.o.colors.wrap("rs"))
	}
	b.WriteString(p.o.colors.codes["lc"] + code + p.o.colors.codes["rc"])
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

// code is the colour of a name, which may be set and empty.
func (p *palette) code(name string, m vfs.Mode, e *entry, target bool) (code string, ok bool) {
	class := ""
	if target && m == 0 && p.colored("mi") {
		return p.codes["mi"], true
	}
	switch m & vfs.TypeMask {
	case vfs.TypeDir:
		class = "di"
		switch {
		case m&vfs.Sticky != 0 && m&0o002 != 0 && p.colored("tw"):
			class = "tw"
		case m&0o002 != 0 && p.colored("ow"):
			class = "ow"
		case m&vfs.Sticky != 0 && p.colored("st"):
			class = "st"
		}
	case vfs.TypeLink:
		class = "ln"
		if e.To == 0 && (p.colored("or") || p.codes["ln"] == "target") {
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
		case m&vfs.SetUID != 0 && p.colored("su"):
			class = "su"
		case m&vfs.SetGID != 0 && p.colored("sg"):
			class = "sg"
		case m&0o111 != 0 && p.colored("ex"):
			class = "ex"
		case e.Nlink > 1 && p.colored("mh") && !target:
			class = "mh"
		default:
			for i := len(p.exts) - 1; i >= 0; i-- {
				if strings.HasSuffix(strings.ToLower(name), strings.ToLower(p.exts[i][0])) {
					return p.exts[i][1], true
				}
			}
			class = "fi"
		}
	}
	code, ok = p.codes[class]
	return code, ok
}
