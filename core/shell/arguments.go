package shell

import (
	"slices"

	"eryxsh/core/large"
	"eryxsh/core/vars"
)

// Arguments are those of the calls at hand, for BASH_ARGV and BASH_ARGC. Calls are
// added while extdebug is set; the shell's own arguments when they are first asked for.
type Arguments struct {
	Words  []string `cbor:"1,keyasint,omitempty"` // of the outermost call first
	Counts []int    `cbor:"2,keyasint,omitempty"` // how many of them each call has
	Begun  bool     `cbor:"3,keyasint,omitempty"` // the shell's own have been added
}

// Values of Undo.Args: what a call that ends takes away.
const (
	argsPushed   = 1 // its arguments
	argsSourced  = 2 // the innermost arguments, if extdebug is set then
	argsFileName = 3 // the name of the file, which was pushed as the only argument
)

// clone is a for another shell.
func (a *Arguments) clone() *Arguments {
	if a == nil {
		return nil
	}
	return &Arguments{slices.Clip(a.Words), slices.Clip(a.Counts), a.Begun}
}

// args gives the arguments to change.
func (s *Shell) args() *Arguments {
	if s.Args == nil {
		s.Args = &Arguments{}
	}
	return s.Args
}

func (a *Arguments) push(words []string) {
	a.Words = large.Add(a.Words, words, large.Free)
	a.Counts = append(a.Counts, len(words))
}

func (a *Arguments) pop() {
	if a == nil || len(a.Counts) == 0 {
		return
	}
	n := len(a.Counts) - 1
	keep := len(a.Words) - a.Counts[n]
	a.Words, a.Counts = a.Words[:keep:keep], a.Counts[:n:n] // forks have the rest
}

// begin adds the shell's own arguments, once.
func (s *Shell) begin() { s.beginWith(s.Params) }

// beginWith is begin with others for the shell's own.
func (s *Shell) beginWith(own []string) {
	if a := s.args(); !a.Begun {
		a.Begun = true
		a.push(own)
	}
}

// askArguments is for the moment BASH_ARGV or BASH_ARGC is asked for: outside
// functions the shell's own arguments are there then.
func (m *Machine) askArguments(p *Process) {
	if !p.Shell.Opts.on(OptExtdebug) && p.enclosing() < 0 {
		p.Shell.begin()
	}
}

// arguments is what BASH_ARGV or BASH_ARGC holds, the innermost call first.
func (s *Shell) arguments(name string, keep vars.Attr) *vars.Var {
	var list []string
	switch {
	case s.Args == nil:
	case name == "BASH_ARGV":
		list = slices.Clone(s.Args.Words)
	default:
		for _, n := range s.Args.Counts {
			list = append(list, itoa(n))
		}
	}
	slices.Reverse(list)
	return vars.NewList(list, keep)
}

// wrong reports whether they could not have been collected.
func (a *Arguments) wrong() bool {
	if a == nil {
		return false
	}
	n := 0
	for _, c := range a.Counts {
		if c < 0 || c > len(a.Words)-n {
			return true
		}
		n += c
	}
	return n != len(a.Words)
}
