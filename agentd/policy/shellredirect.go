package policy

import "mvdan.cc/sh/v3/syntax"

// redirect judges where a command reads from or writes to.
func (j *judge) redirect(r *syntax.Redirect) {
	if r.N != nil && r.N.Value != "0" && r.N.Value != "1" && r.N.Value != "2" {
		j.cannot("file descriptors other than 0, 1 and 2")
	}
	switch r.Op {
	case syntax.RdrIn:
		j.path(j.word(r.Word), false, nil)
	case syntax.RdrOut, syntax.RdrClob, syntax.RdrAll:
		j.output(j.word(r.Word), true)
	case syntax.AppOut, syntax.AppAll:
		j.output(j.word(r.Word), false)
	case syntax.DplOut, syntax.DplIn:
		j.duplicate(r)
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc != nil {
			j.word(r.Hdoc)
		}
	case syntax.WordHdoc:
		j.word(r.Word)
	default:
		j.cannot("this kind of redirection")
	}
}

// duplicate allows 2>&1 and its like between the first three descriptors.
func (j *judge) duplicate(r *syntax.Redirect) {
	switch to := j.word(r.Word); {
	case to.fixed && (to.text == "1" || to.text == "2") && r.Op == syntax.DplOut:
	default:
		j.cannot("this kind of redirection")
	}
}

// output judges writing to a file by the shell itself.
func (j *judge) output(a arg, truncates bool) {
	if a.fixed && a.text == "/dev/null" {
		return
	}
	if a.glob || !a.fixed {
		j.cannot("redirections to more than one plain name")
	}
	j.raise(Yellow, "It writes a file.")
	j.path(a, true, nil)
	if truncates {
		j.lost(a.text)
	}
}
