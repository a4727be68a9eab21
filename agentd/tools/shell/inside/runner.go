package inside

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
)

// runner walks the tree of a command. A copy of it is a subshell.
type runner struct {
	allowed    policy.Tier
	mine       *mine // what may be replaced; shared by all subshells
	env        policy.Env
	dir        string // working folder, absolute
	vars       *variables
	locals     []map[string]expand.Variable // what variables were before the functions that run made them theirs
	functions  map[string]*syntax.FuncDecl
	feeds      []*os.File // what <( ) printed for the command that starts
	options    options
	quieted    int // deep in conditions, where a failure ends nothing
	programEnv []string
	status     int
	leaves     leave
	levels     int // of loops to leave
}

// streams are where a command reads and writes.
type streams struct{ in, out, err *os.File }

func (r *runner) copy() *runner {
	c := *r
	c.vars, c.functions, c.locals, c.feeds = r.vars.copy(&c), maps.Clone(r.functions), slices.Clone(r.locals), nil
	return &c
}

// fail says why something did not work, as programs do.
func (r *runner) fail(s streams, status int, format string, a ...any) {
	fmt.Fprintf(s.err, format+"\n", a...) //nolint:errcheck // there is nobody else to tell
	r.status = status
}

func (r *runner) list(stmts []*syntax.Stmt, s streams) {
	for _, st := range stmts {
		if r.stmt(st, s); r.left() {
			return
		}
	}
}

// quiet runs a condition: that it fails ends nothing.
func (r *runner) quiet(f func()) {
	r.quieted++
	f()
	r.quieted--
}

func (r *runner) stmt(st *syntax.Stmt, s streams) {
	s, done, err := r.redirect(st.Redirs, s)
	defer done()
	if err != nil {
		r.fail(s, statusFailed, "%v", err)
		return
	}
	if st.Cmd == nil {
		r.status = 0
		return
	}
	if st.Negated {
		r.quiet(func() { r.command(st.Cmd, s) })
		if !r.left() {
			r.status = btoi(r.status == 0)
		}
		return
	}
	r.command(st.Cmd, s)
	if r.options.exit && r.status != 0 && r.quieted == 0 && !r.left() {
		r.leaves = leaveAll
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// command runs by the kind of node. What the classifier refuses does not get here; what it forgot ends here.
func (r *runner) command(c syntax.Command, s streams) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		r.call(c, s)
	case *syntax.BinaryCmd:
		r.binary(c, s)
	case *syntax.Subshell:
		sub := r.copy()
		sub.list(c.Stmts, s)
		r.status = sub.status
	case *syntax.Block:
		r.list(c.Stmts, s)
	case *syntax.IfClause:
		r.condition(c, s)
	case *syntax.WhileClause:
		r.while(c, s)
	case *syntax.ForClause:
		r.loop(c, s)
	default:
		r.compound(c, s)
	}
}

func (r *runner) compound(c syntax.Command, s streams) {
	switch c := c.(type) {
	case *syntax.TimeClause:
		r.time(c, s)
	case *syntax.CaseClause:
		r.cases(c, s)
	case *syntax.TestClause:
		yes, err := r.compare(c.X, s)
		r.answer(yes, err, s)
	case *syntax.ArithmCmd:
		n, err := r.change(c.X, s)
		r.answer(n != 0, err, s)
	case *syntax.FuncDecl:
		r.functions[c.Name.Value], r.status = c, 0
	case *syntax.DeclClause:
		r.declare(c, s)
	default:
		r.fail(s, statusRefused, "refused: this shell does not know %T", c)
	}
}

// answer is the status of a test.
func (r *runner) answer(yes bool, err error, s streams) {
	r.status = btoi(!yes)
	if err != nil {
		r.fail(s, statusUsage, "%v", err)
	}
}

func (r *runner) binary(c *syntax.BinaryCmd, s streams) {
	switch c.Op {
	case syntax.AndStmt:
		if r.quiet(func() { r.stmt(c.X, s) }); r.status == 0 && !r.left() {
			r.stmt(c.Y, s)
		}
	case syntax.OrStmt:
		if r.quiet(func() { r.stmt(c.X, s) }); r.status != 0 && !r.left() {
			r.stmt(c.Y, s)
		}
	default:
		r.pipe(c, s)
	}
}

func (r *runner) condition(c *syntax.IfClause, s streams) {
	for ; c != nil; c = c.Else {
		if len(c.Cond) > 0 { // the last else has none
			if r.quiet(func() { r.list(c.Cond, s) }); r.left() {
				return
			}
			if r.status != 0 {
				r.status = 0
				continue
			}
		}
		r.list(c.Then, s)
		return
	}
}

func (r *runner) time(c *syntax.TimeClause, s streams) {
	from := time.Now()
	if c.Stmt != nil {
		r.stmt(c.Stmt, s)
	}
	fmt.Fprintf(s.err, "real %.2f s\n", time.Since(from).Seconds()) //nolint:errcheck // only told
}
