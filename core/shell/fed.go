package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Without job control an asynchronous command reads from /dev/null, unless something
// has given it another standard input. What counts as that is bash's own choice, and
// optFed remembers it: the last control structure with redirections says whether one
// of them was an input, of whatever descriptor, and that holds until the next one says
// otherwise, even behind its end; ( ) begins anew; a pipe always counts.

// feeds reports whether redirections give a command an input.
func feeds(rs []*redir) bool {
	for _, r := range rs {
		if r.name != "" {
			continue
		}
		switch r.op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			return true
		case syntax.DplIn: // a move, <&3-, is none
			if word := r.word.Text(); r.fd <= 0 && (word == "-" || !strings.HasSuffix(word, "-")) {
				return true
			}
		case syntax.DplOut:
			if r.fd == 0 && r.word.Text() == "-" {
				return true
			}
		}
	}
	return false
}

// controls reports whether a command is what bash calls a control structure.
func controls(n node) bool {
	switch n.(type) {
	case *forClause, *cFor, *caseClause, *whileClause, *ifClause, *block, *arithCmd, *testCmd:
		return true
	}
	return false
}

// starves reports whether a job that is started here, and is not a pipeline, reads from /dev/null.
func (p *Process) starves(st *stmt) bool {
	o := &p.Shell.Opts
	if o.on(optFed) || p.controlsJobs() || feeds(st.redirs) {
		return false
	}
	c, ok := st.cmd.(*simple)
	return !ok || !feeds(c.redirs)
}

// feedsSubshell reports whether a ( ) that begins here has an input of its own.
func (p *Process) feedsSubshell() bool {
	f := p.top()
	if f.Kind != FStmt {
		return false
	}
	return feeds(f.node.(*stmt).redirs) || p.standsAlone() && p.Shell.Opts.on(optFed)
}

// standsAlone reports whether the statement at the top is all that a process was started for.
func (p *Process) standsAlone() bool {
	n := len(p.Frames)
	st, ok := p.Frames[0].node.(*stmt)
	return ok && n > 2 && p.Frames[n-2].Kind == FList && p.Frames[n-2].node == node(st.alone)
}
