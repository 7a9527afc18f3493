package shell

import (
	"strings"

	"eryxsh/core/expand"
)

// helpTopics are what help knows: a command and its synopsis, in the order of its list.
var helpTopics = [][2]string{
	{"%", "job_spec [&]"},
	{"(( ... ))", "(( expression ))"},
	{".", ". filename [arguments]"},
	{":", ":"},
	{"[", "[ arg... ]"},
	{"[[ ... ]]", "[[ expression ]]"},
	{"alias", "alias [-p] [name[=value] ... ]"},
	{"bg", "bg [job_spec ...]"},
	{"bind", "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]"},
	{"break", "break [n]"},
	{"builtin", "builtin [shell-builtin [arg ...]]"},
	{"caller", "caller [expr]"},
	{"case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac"},
	{"cd", "cd [-L|[-P [-e]] [-@]] [dir]"},
	{"command", "command [-pVv] command [arg ...]"},
	{"compgen", "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]"},
	{"complete", "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]"},
	{"compopt", "compopt [-o|+o option] [-DEI] [name ...]"},
	{"continue", "continue [n]"},
	{"coproc", "coproc [NAME] command [redirections]"},
	{"declare", "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]"},
	{"dirs", "dirs [-clpv] [+N] [-N]"},
	{"disown", "disown [-h] [-ar] [jobspec ... | pid ...]"},
	{"echo", "echo [-neE] [arg ...]"},
	{"enable", "enable [-a] [-dnps] [-f filename] [name ...]"},
	{"eval", "eval [arg ...]"},
	{"exec", "exec [-cl] [-a name] [command [argument ...]] [redirection ...]"},
	{"exit", "exit [n]"},
	{"export", "export [-fn] [name[=value] ...] or export -p"},
	{"false", "false"},
	{"fc", "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]"},
	{"fg", "fg [job_spec]"},
	{"for", "for NAME [in WORDS ... ] ; do COMMANDS; done"},
	{"for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done"},
	{"function", "function name { COMMANDS ; } or name () { COMMANDS ; }"},
	{"getopts", "getopts optstring name [arg ...]"},
	{"hash", "hash [-lr] [-p pathname] [-dt] [name ...]"},
	{"help", "help [-dms] [pattern ...]"},
	{"history", "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]"},
	{"if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi"},
	{"jobs", "jobs [-lnprs] [jobspec ...] or jobs -x command [args]"},
	{"kill", "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]"},
	{"let", "let arg [arg ...]"},
	{"local", "local [option] name[=value] ..."},
	{"logout", "logout [n]"},
	{"mapfile", "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"},
	{"popd", "popd [-n] [+N | -N]"},
	{"printf", "printf [-v var] format [arguments]"},
	{"pushd", "pushd [-n] [+N | -N | dir]"},
	{"pwd", "pwd [-LP]"},
	{"read", "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]"},
	{"readarray", "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"},
	{"readonly", "readonly [-aAf] [name[=value] ...] or readonly -p"},
	{"return", "return [n]"},
	{"select", "select NAME [in WORDS ... ;] do COMMANDS; done"},
	{"set", "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]"},
	{"shift", "shift [n]"},
	{"shopt", "shopt [-pqsu] [-o] [optname ...]"},
	{"source", "source filename [arguments]"},
	{"suspend", "suspend [-f]"},
	{"test", "test [expr]"},
	{"time", "time [-p] pipeline"},
	{"times", "times"},
	{"trap", "trap [-lp] [[arg] signal_spec ...]"},
	{"true", "true"},
	{"type", "type [-afptP] name [name ...]"},
	{"typeset", "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]"},
	{"ulimit", "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]"},
	{"umask", "umask [-p] [-S] [mode]"},
	{"unalias", "unalias [-a] name [name ...]"},
	{"unset", "unset [-f] [-v] [-n] [name ...]"},
	{"until", "until COMMANDS; do COMMANDS-2; done"},
	{"variables", "variables - Names and meanings of some shell variables"},
	{"wait", "wait [-fn] [-p var] [id ...]"},
	{"while", "while COMMANDS; do COMMANDS-2; done"},
	{"{ ... }", "{ COMMANDS ; }"},
}

// biHelp shows synopses; the descriptions are bash's manual's.
func (m *Machine) biHelp(p *Process, argv []string) int {
	args := argv[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		for i := 1; i < len(a); i++ {
			switch a[i] {
			case 's':
			case 'd', 'm':
				m.complain(p, "eryxsh: help: option -%c: not yet", a[i])
				return 2
			default:
				return m.usage(p, "help", "-"+a[i:i+1], "help [-dms] [pattern ...]")
			}
		}
	}
	if len(args) == 0 {
		return m.out(p, "help", []byte(m.helpList(p)))
	}
	var b strings.Builder
	if strings.ContainsAny(args[0], "*?[") {
		b.WriteString("Shell commands matching keyword")
		if len(args) > 1 {
			b.WriteByte('s')
		}
		b.WriteString(" `" + strings.Join(args, ", ") + "'\n\n")
	}
	head := b.Len()
	for _, pattern := range args {
		match := expand.NewMatcher(pattern, 0)
		exact := false
		for _, t := range helpTopics {
			exact = exact || t[0] == pattern
		}
		for _, t := range helpTopics {
			if t[0] == pattern || !exact && (match.Match(t[0]) || strings.HasPrefix(t[0], pattern)) {
				b.WriteString(t[0] + ": " + t[1] + "\n")
			}
		}
	}
	if b.Len() == head {
		last := args[len(args)-1]
		m.complain(p, "help: no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.", last, last, last)
		return 1
	}
	return m.out(p, "help", []byte(b.String()))
}

// helpList is the list of all topics in two columns, a star at what enable -n has taken away.
func (m *Machine) helpList(p *Process) string {
	const width = 40
	var b strings.Builder
	b.WriteString("GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n" +
		"These shell commands are defined internally.\n\n" +
		"A star (*) next to a name means that the command is disabled.\n\n")
	entry := func(t [2]string) string {
		s := t[1]
		if len(s) > width-3 {
			s = s[:width-4] + ">"
		}
		star := " "
		if p.disabled(t[0]) {
			star = "*"
		}
		return star + s
	}
	half := (len(helpTopics) + 1) / 2
	for i := range half {
		left := entry(helpTopics[i])
		b.WriteString(left)
		if i+half < len(helpTopics) {
			b.WriteString(strings.Repeat(" ", width-len(left)) + entry(helpTopics[i+half]))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
