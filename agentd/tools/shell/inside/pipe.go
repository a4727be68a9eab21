package inside

import (
	"os"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"gatehouse/agentd/policy"
)

// pipe runs all stages at once, each in a subshell, and takes the status of the last.
func (r *runner) pipe(c *syntax.BinaryCmd, s streams) {
	stages := policy.Stages(c)
	both := stderrToo(c, len(stages))
	var wg sync.WaitGroup
	in := s.in
	var subs []*runner
	for i, st := range stages {
		own, next := streams{in, s.out, s.err}, (*os.File)(nil)
		if i < len(stages)-1 {
			pr, pw, err := os.Pipe()
			if err != nil {
				r.fail(s, statusFailed, "pipe: %v", err)
				break
			}
			own.out, next = pw, pr
			if both[i] {
				own.err = pw
			}
		}
		sub := r.copy()
		wg.Go(func() { sub.stage(st, own, s) })
		subs = append(subs, sub)
		in = next
	}
	wg.Wait()
	for _, sub := range subs {
		if !r.options.pipe || sub.status != 0 || sub == subs[0] {
			r.status = sub.status
		}
	}
}

// stage runs one stage and closes its ends of the pipes, so that its neighbours see the end.
func (r *runner) stage(st *syntax.Stmt, own, shared streams) {
	r.stmt(st, own)
	if own.in != shared.in {
		_ = own.in.Close()
	}
	if own.out != shared.out {
		_ = own.out.Close()
	}
}

// stderrToo says for each stage whether |& stands behind it.
func stderrToo(c *syntax.BinaryCmd, n int) []bool {
	both := make([]bool, n)
	for i := n - 2; i >= 0; i-- {
		both[i] = c.Op == syntax.PipeAll
		if next, ok := c.X.Cmd.(*syntax.BinaryCmd); ok {
			c = next
		}
	}
	return both
}
