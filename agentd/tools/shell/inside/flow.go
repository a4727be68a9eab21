package inside

import (
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// What a command wants to leave: the rest of what runs is passed over until that is reached.
type leave int

const (
	leaveNothing  leave = iota
	leaveBreak          // the loop, or r.levels of them
	leaveContinue       // this turn of the loop
	leaveFunction
	leaveAll
)

func (r *runner) left() bool { return r.leaves != leaveNothing }

// turn says, behind one turn of a loop, whether it ends.
func (r *runner) turn() (ends bool) {
	switch r.leaves {
	case leaveNothing:
		return false
	case leaveBreak, leaveContinue:
		if r.levels--; r.levels > 0 {
			return true // it means a loop further out
		}
		ends = r.leaves == leaveBreak
		r.leaves = leaveNothing
		return ends
	}
	return true
}

func (r *runner) while(c *syntax.WhileClause, s streams) {
	status := 0
	for {
		r.quiet(func() { r.list(c.Cond, s) })
		if r.left() {
			if r.turn() {
				return
			}
			continue
		}
		if (r.status == 0) == c.Until {
			r.status = status
			return
		}
		r.list(c.Do, s)
		if r.turn() {
			return
		}
		status = r.status
	}
}

func (r *runner) loop(c *syntax.ForClause, s streams) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		r.every(l, c.Do, s)
	case *syntax.CStyleLoop:
		r.count(l, c.Do, s)
	default:
		r.fail(s, statusRefused, "refused: this shell does not know this kind of loop")
	}
}

func (r *runner) every(l *syntax.WordIter, do []*syntax.Stmt, s streams) {
	items := r.vars.params
	if l.InPos.IsValid() {
		var err error
		if items, err = r.fields(l.Items, s); err != nil {
			r.fail(s, statusFailed, "%v", err)
			return
		}
	}
	r.status = 0
	for _, item := range items {
		r.vars.values[l.Name.Value] = text(item)
		r.list(do, s)
		if r.turn() {
			return
		}
	}
}

// count runs for ((start; while; step)).
func (r *runner) count(l *syntax.CStyleLoop, do []*syntax.Stmt, s streams) {
	_, err := r.change(l.Init, s)
	r.status = 0
	for err == nil {
		var on int
		if on, err = r.arithm(l.Cond, s); err != nil || on == 0 {
			break
		}
		r.list(do, s)
		if r.turn() {
			return
		}
		_, err = r.change(l.Post, s)
	}
	if err != nil {
		r.fail(s, statusFailed, "%v", err)
	}
}

// cases runs what stands behind the first pattern that fits.
func (r *runner) cases(c *syntax.CaseClause, s streams) {
	word, err := r.literal(c.Word, s)
	fits := false
	r.status = 0
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			if fits || err != nil {
				break
			}
			fits, err = r.fits(word, p, s)
		}
		if err != nil {
			r.fail(s, statusFailed, "%v", err)
			return
		}
		if !fits {
			continue
		}
		if r.list(item.Stmts, s); item.Op == syntax.Break || r.left() {
			return
		}
		fits = item.Op == syntax.Fallthrough
	}
}

// fits says whether a text is one that a pattern describes.
func (r *runner) fits(s string, w *syntax.Word, st streams) (bool, error) {
	pat, err := expand.Pattern(r.config(st), w)
	if err != nil {
		return false, err
	}
	expr, err := pattern.Regexp(pat, pattern.EntireString)
	if err != nil {
		return false, err
	}
	return matches(expr, s)
}
