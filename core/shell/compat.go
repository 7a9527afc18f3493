package shell

// compatLevels are the versions of bash that BASH_COMPAT can name and this shell
// behaves like in what the manual's section on them says, oldest first.
//
// Left out: 32 (an interrupted list goes on), 40 (< and > of [[ ]] in the locale),
// 41 and 42 (quotes and time in posix mode), 51 (arithmetic that is expanded more than
// once, extglob in substitutions).
var compatLevels = []struct {
	opt   Option
	level int
}{
	{OptCompat31, 31}, {OptCompat32, 32}, {OptCompat40, 40}, {OptCompat41, 41}, {OptCompat42, 42}, {OptCompat43, 43},
	{OptCompat44, 44}, {optCompat50, 50}, {optCompat51, 51},
}

// newest is the level of a shell that imitates none.
const newest = 52

// imitated are the bits of all levels but the newest.
var imitated = func() (o Options) {
	for _, c := range compatLevels {
		o.set(c.opt, true)
	}
	return o
}()

// compat is the level of the shell: 31 to 52.
func (o *Options) compat() int {
	if o.Lo&imitated.Lo|o.Hi&imitated.Hi == 0 {
		return newest
	}
	for _, c := range compatLevels {
		if o.on(c.opt) {
			return c.level
		}
	}
	return newest
}

func (o *Options) setCompat(level int) {
	for _, c := range compatLevels {
		o.set(c.opt, c.level == level)
	}
}

// compatLevel reads a value of BASH_COMPAT: 4.2 or 42. ok is false where it names no version.
func compatLevel(value string) (level int, ok bool) {
	if value == "" {
		return newest, true
	}
	if len(value) == 3 && value[1] == '.' {
		value = value[:1] + value[2:]
	}
	n, ok := number(value)
	if !ok || len(value) != 2 || n < compatLevels[0].level || n > newest {
		return newest, false
	}
	for _, c := range compatLevels {
		if c.level >= n {
			return c.level, true
		}
	}
	return newest, true
}

// compatGiven makes the shell imitate the version BASH_COMPAT names.
func (m *Machine) compatGiven(p *Process) {
	value := p.Shell.Vars.Get("BASH_COMPAT").String()
	level, ok := compatLevel(value)
	if !ok {
		m.complain(p, "BASH_COMPAT: %s: compatibility value out of range", value)
	}
	p.Shell.Opts.setCompat(level)
}

// isCompat reports whether an option is one of compat31 to compat44.
func isCompat(o Option) bool { return o >= OptCompat31 && o <= OptCompat44 }
