package shell

import (
	"sort"

	"eryxsh/core/expand"
)

// Option is a shell option of set -o or shopt. Numbers are saved: append only.
type Option uint8

// The options of set -o, then those of shopt.
const (
	OptAllexport Option = iota
	OptBraceexpand
	OptEmacs
	OptErrexit
	OptErrtrace
	OptFunctrace
	OptHashall
	OptHistexpand
	OptHistory
	OptIgnoreeof
	OptInteractiveComments
	OptKeyword
	OptMonitor
	OptNoClobber
	OptNoExec
	OptNoGlob
	OptNoLog
	OptNotify
	OptNoUnset
	OptOneCmd
	OptPhysical
	OptPipefail
	OptPosix
	OptPrivileged
	OptVerbose
	OptVi
	OptXtrace
	// shopt
	OptAutocd
	OptAssocExpandOnce
	OptCdableVars
	OptCdspell
	OptCheckhash
	OptCheckjobs
	OptCheckwinsize
	OptCmdhist
	OptCompat31
	OptCompat32
	OptCompat40
	OptCompat41
	OptCompat42
	OptCompat43
	OptCompat44
	OptCompleteFullquote
	OptDirexpand
	OptDirspell
	OptDotglob
	OptExecfail
	OptExpandAliases
	OptExtdebug
	OptExtglob
	OptExtquote
	OptFailglob
	OptForceFignore
	OptGlobasciiranges
	OptGlobskipdots
	OptGlobstar
	OptGnuErrfmt
	OptHistappend
	OptHistreedit
	OptHistverify
	OptHostcomplete
	OptHuponexit
	OptInheritErrexit
	OptInteractiveComm
	OptLastpipe
	OptLithist
	OptLocalvarInherit
	OptLocalvarUnset
	OptLoginShell
	OptMailwarn
	OptNoEmptyCmdCompletion
	OptNocaseglob
	OptNocasematch
	OptNoexpandTranslation
	OptNullglob
	OptPatsubReplacement
	OptProgcomp
	OptProgcompAlias
	OptPromptvars
	OptRestrictedShell
	OptShiftVerbose
	OptSourcepath
	OptVarredirClose
	OptXpgEcho
	optCount
	optStopped     Option = 118 // not an option: a signal has stopped the process, until SIGCONT
	optNoInt       Option = 119 // not an option: SIGINT does nothing, as an asynchronous command begins
	optNoQuit      Option = 120 // not an option: SIGQUIT does nothing, as in every bash that was not forked
	optFed         Option = 121 // not an option: a command around has redirected or piped stdin, which & then leaves
	optRestricted  Option = 122 // not an option: set -r, which nothing undoes
	optCompat51    Option = 123 // not an option: BASH_COMPAT is 51
	optCompat50    Option = 124 // not an option: BASH_COMPAT is 50
	optStdin       Option = 125 // not an option: the script comes from standard input
	optInteractive Option = 126 // not an option: -i was given
	optBytes       Option = 127 // not an option: the locale is C, so that bytes are characters
)

// Options is a set of options.
type Options struct {
	Lo uint64 `cbor:"1,keyasint,omitempty"`
	Hi uint64 `cbor:"2,keyasint,omitempty"`
}

func (o *Options) on(x Option) bool {
	if x < 64 {
		return o.Lo&(1<<x) != 0
	}
	return o.Hi&(1<<(x-64)) != 0
}

// posixSets are the options that go with POSIX mode.
var posixSets = [...]Option{OptInteractiveComments, OptSourcepath, OptInheritErrexit, OptExpandAliases, OptShiftVerbose}

// posix enters or leaves POSIX mode, with the options that go with it.
func (o *Options) posix(on bool) {
	o.set(OptPosix, on)
	if on {
		o.set(OptInteractiveComments, true)
		o.set(OptSourcepath, true)
		o.set(OptInheritErrexit, true)
	}
	o.set(OptExpandAliases, on || o.on(optInteractive))
	o.set(OptShiftVerbose, on)
}

// take sets options as they are in another set.
func (o *Options) take(from *Options, which []Option) {
	for _, x := range which {
		o.set(x, from.on(x))
	}
}

func (o *Options) set(x Option, v bool) {
	o.put(x, v)
	switch x { // set -o and shopt have it under one name each
	case OptInteractiveComments:
		o.put(OptInteractiveComm, v)
	case OptInteractiveComm:
		o.put(OptInteractiveComments, v)
	}
}

func (o *Options) put(x Option, v bool) {
	w, bit := &o.Lo, uint64(1)<<(x%64)
	if x >= 64 {
		w = &o.Hi
	}
	if v {
		*w |= bit
	} else {
		*w &^= bit
	}
}

type optionName struct {
	opt    Option
	name   string
	letter byte
	on     bool // in a fresh bash -c
}

// setOptions are those of set -o, by name.
var setOptions = []optionName{
	{OptAllexport, "allexport", 'a', false}, {OptBraceexpand, "braceexpand", 'B', true}, {OptEmacs, "emacs", 0, false},
	{OptErrexit, "errexit", 'e', false}, {OptErrtrace, "errtrace", 'E', false}, {OptFunctrace, "functrace", 'T', false},
	{OptHashall, "hashall", 'h', true}, {OptHistexpand, "histexpand", 'H', false}, {OptHistory, "history", 0, false},
	{OptIgnoreeof, "ignoreeof", 0, false}, {OptInteractiveComments, "interactive-comments", 0, true}, {OptKeyword, "keyword", 'k', false},
	{OptMonitor, "monitor", 'm', false}, {OptNoClobber, "noclobber", 'C', false}, {OptNoExec, "noexec", 'n', false},
	{OptNoGlob, "noglob", 'f', false}, {OptNoLog, "nolog", 0, false}, {OptNotify, "notify", 'b', false},
	{OptNoUnset, "nounset", 'u', false}, {OptOneCmd, "onecmd", 't', false}, {OptPhysical, "physical", 'P', false},
	{OptPipefail, "pipefail", 0, false}, {OptPosix, "posix", 0, false}, {OptPrivileged, "privileged", 'p', false},
	{OptVerbose, "verbose", 'v', false}, {OptVi, "vi", 0, false}, {OptXtrace, "xtrace", 'x', false},
}

// shoptOptions are those of shopt, by name.
var shoptOptions = []optionName{
	{OptAutocd, "autocd", 0, false}, {OptAssocExpandOnce, "assoc_expand_once", 0, false}, {OptCdableVars, "cdable_vars", 0, false},
	{OptCdspell, "cdspell", 0, false}, {OptCheckhash, "checkhash", 0, false}, {OptCheckjobs, "checkjobs", 0, false},
	{OptCheckwinsize, "checkwinsize", 0, true}, {OptCmdhist, "cmdhist", 0, true}, {OptCompat31, "compat31", 0, false},
	{OptCompat32, "compat32", 0, false}, {OptCompat40, "compat40", 0, false}, {OptCompat41, "compat41", 0, false},
	{OptCompat42, "compat42", 0, false}, {OptCompat43, "compat43", 0, false}, {OptCompat44, "compat44", 0, false},
	{OptCompleteFullquote, "complete_fullquote", 0, true}, {OptDirexpand, "direxpand", 0, false}, {OptDirspell, "dirspell", 0, false},
	{OptDotglob, "dotglob", 0, false}, {OptExecfail, "execfail", 0, false}, {OptExpandAliases, "expand_aliases", 0, false},
	{OptExtdebug, "extdebug", 0, false}, {OptExtglob, "extglob", 0, false}, {OptExtquote, "extquote", 0, true},
	{OptFailglob, "failglob", 0, false}, {OptForceFignore, "force_fignore", 0, true}, {OptGlobasciiranges, "globasciiranges", 0, true},
	{OptGlobskipdots, "globskipdots", 0, true}, {OptGlobstar, "globstar", 0, false}, {OptGnuErrfmt, "gnu_errfmt", 0, false},
	{OptHistappend, "histappend", 0, false}, {OptHistreedit, "histreedit", 0, false}, {OptHistverify, "histverify", 0, false},
	{OptHostcomplete, "hostcomplete", 0, true}, {OptHuponexit, "huponexit", 0, false}, {OptInheritErrexit, "inherit_errexit", 0, false},
	{OptInteractiveComm, "interactive_comments", 0, true}, {OptLastpipe, "lastpipe", 0, false}, {OptLithist, "lithist", 0, false},
	{OptLocalvarInherit, "localvar_inherit", 0, false}, {OptLocalvarUnset, "localvar_unset", 0, false}, {OptLoginShell, "login_shell", 0, false},
	{OptMailwarn, "mailwarn", 0, false}, {OptNoEmptyCmdCompletion, "no_empty_cmd_completion", 0, false}, {OptNocaseglob, "nocaseglob", 0, false},
	{OptNocasematch, "nocasematch", 0, false}, {OptNoexpandTranslation, "noexpand_translation", 0, false}, {OptNullglob, "nullglob", 0, false},
	{OptPatsubReplacement, "patsub_replacement", 0, true}, {OptProgcomp, "progcomp", 0, true}, {OptProgcompAlias, "progcomp_alias", 0, false},
	{OptPromptvars, "promptvars", 0, true}, {OptRestrictedShell, "restricted_shell", 0, false}, {OptShiftVerbose, "shift_verbose", 0, false},
	{OptSourcepath, "sourcepath", 0, true}, {OptVarredirClose, "varredir_close", 0, false}, {OptXpgEcho, "xpg_echo", 0, false},
}

func defaultOptions() (o Options) {
	for _, list := range [][]optionName{setOptions, shoptOptions} {
		for _, n := range list {
			o.set(n.opt, n.on)
		}
	}
	return o
}

func findOption(list []optionName, name string) (optionName, bool) {
	for _, n := range list {
		if n.name == name {
			return n, true
		}
	}
	return optionName{}, false
}

func optionByLetter(c byte) (optionName, bool) {
	for _, n := range setOptions {
		if n.letter == c && c != 0 {
			return n, true
		}
	}
	return optionName{}, false
}

// letters is $-; command says that there was a -c.
func (o *Options) letters(command bool) string {
	b := []byte{}
	for _, n := range setOptions {
		if n.letter != 0 && o.on(n.opt) {
			b = append(b, n.letter)
		}
	}
	if o.on(optInteractive) {
		b = append(b, 'i')
	}
	if o.on(optRestricted) {
		b = append(b, 'r')
	}
	sort.Slice(b, func(i, j int) bool {
		li, lj := b[i]|32, b[j]|32
		lower := func(c byte) bool { return c >= 'a' }
		if lower(b[i]) != lower(b[j]) {
			return lower(b[i])
		}
		return li < lj
	})
	switch {
	case command:
		b = append(b, 'c')
	case o.on(optStdin):
		b = append(b, 's')
	}
	return string(b)
}

// flags are the options expansion looks at.
func (o *Options) flags() expand.Flags {
	f := expand.Flags(0)
	for _, x := range expandFlags {
		if o.on(x.opt) {
			f |= x.flag
		}
	}
	switch level := o.compat(); {
	case level <= 42:
		f |= expand.RawReplacement | expand.PlainAssign
	case level <= 51:
		f |= expand.PlainAssign
	}
	return f
}

var expandFlags = []struct {
	opt  Option
	flag expand.Flags
}{
	{OptNoGlob, expand.NoGlob}, {OptNoUnset, expand.NoUnset}, {OptExtglob, expand.ExtGlob}, {OptGlobstar, expand.GlobStar},
	{OptDotglob, expand.DotGlob}, {OptNullglob, expand.NullGlob}, {OptFailglob, expand.FailGlob}, {OptNocaseglob, expand.NoCaseGlob},
	{OptNocasematch, expand.NoCaseMatch}, {OptPatsubReplacement, expand.PatSubReplacement}, {OptPosix, expand.Posix},
	{OptBraceexpand, expand.BraceExpand}, {OptGlobasciiranges, expand.GlobASCIIRanges}, {OptGlobskipdots, expand.GlobSkipDots}, {optBytes, expand.Bytes},
}
