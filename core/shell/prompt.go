package shell

import (
	"strings"
	"time"

	"eryxsh/core/cmd/format"
	"eryxsh/core/expand"
	"eryxsh/core/zone"
)

// prompt expands a prompt string: its backslash escapes, then parameters.
func (m *Machine) prompt(p *Process, s string) string {
	out, err := m.promptFor(p, m.env(p), s)
	if err != nil {
		return s
	}
	return out
}

// maxNested is how many expansions may begin within each other: prompts within prompts,
// values that are evaluated when they are assigned. Of what is within one, package expand keeps count.
const maxNested = 64

// deeper begins an expansion, perhaps within another; shallower ends it.
func (m *Machine) deeper() error {
	if m.rt.nested++; m.rt.nested > maxNested {
		return &expand.Error{Kind: expand.Limit, Name: "depth", Text: "expansion nested too deeply"}
	}
	return nil
}

func (m *Machine) shallower() { m.rt.nested-- }

// manyBytes are charged for when a prompt has become so much longer.
const manyBytes = 16 << 10

// promptFor expands a prompt, asking env for what its parameters and commands are.
func (m *Machine) promptFor(p *Process, env expand.Env, s string) (string, error) {
	defer m.shallower()
	if err := m.deeper(); err != nil {
		return "", err
	}
	var b strings.Builder
	for i, told := 0, 0; i < len(s); i++ {
		if b.Len()-told > manyBytes {
			told = b.Len()
			m.charge(manyBytes >> 5)
			m.hold(told)
		}
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'a':
			b.WriteByte(7)
		case 'e':
			b.WriteByte(27)
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case '[', ']':
		case '\\':
			b.WriteByte('\\')
		case 't', 'T', '@', 'A', 'd', 'D':
			var text string
			text, i = m.promptTime(p, s, i)
			b.WriteString(text)
		case '$':
			if m.Host.UID == 0 {
				b.WriteByte('#')
			} else {
				b.WriteString(`\$`)
			}
		case 'u':
			b.WriteString(m.Host.User)
		case 'h', 'H':
			b.WriteString(m.Host.Hostname)
		case 's':
			b.WriteString("bash")
		case 'v':
			b.WriteString("5.2")
		case 'V':
			b.WriteString("5.2.15")
		case 'w', 'W':
			dir := p.Cwd
			home := p.Shell.Vars.Get("HOME").String()
			switch {
			case dir == home && home != "":
				dir = "~"
			case s[i] == 'W':
				dir = dir[strings.LastIndexByte(dir, '/')+1:]
				if dir == "" {
					dir = "/"
				}
			case home != "" && strings.HasPrefix(dir, home+"/"):
				dir = "~" + dir[len(home):]
			}
			b.WriteString(dir)
		case 'j':
			b.WriteString(itoa(len(p.Shell.Jobs)))
		case '#', '!':
			b.WriteByte('1')
		default:
			if s[i] >= '0' && s[i] <= '7' {
				n, j := 0, i
				for j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7' {
					n = n*8 + int(s[j]-'0')
					j++
				}
				b.WriteByte(byte(n))
				i = j - 1
				continue
			}
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	if !p.Shell.Opts.on(OptPromptvars) {
		return b.String(), nil
	}
	out, err := expand.HereDoc(env, expand.CompilePrompt(env, b.String()))
	if e, ok := err.(*expand.Error); err == expand.ErrNeed || ok && e.Kind == expand.Limit {
		return "", err
	}
	if err != nil {
		return b.String(), nil
	}
	return out, nil
}

// promptTime does the escapes of a prompt that show the time; i is where the letter stands.
func (m *Machine) promptTime(p *Process, s string, i int) (string, int) {
	m.charge(16)
	layout := map[byte]string{'t': "%H:%M:%S", 'T': "%I:%M:%S", '@': "%I:%M %p", 'A': "%H:%M", 'd': "%a %b %d"}[s[i]]
	if s[i] == 'D' {
		end := -1
		if strings.HasPrefix(s[i:], "D{") {
			end = strings.IndexByte(s[i:], '}')
		}
		if end < 0 {
			return `\D`, i
		}
		if layout = s[i+2 : i+end]; layout == "" {
			layout = "%X"
		}
		i += end
	}
	return string(format.Strftime(nil, layout, time.Unix(0, m.now()).In(zone.Named(m.timeZone(p))), false)), i
}
