package inside

import (
	"errors"
	"fmt"
	"io"
	"os"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxSubst is how much of a command's output becomes words of another one.
const maxSubst = 1 << 20

// fields expands words to what a program gets.
func (r *runner) fields(words []*syntax.Word, s streams) ([]string, error) {
	fields, err := expand.Fields(r.config(s), words...)
	return fields, r.unset(err)
}

// literal expands a word to one text: the name of a redirection, the value of a variable.
func (r *runner) literal(w *syntax.Word, s streams) (string, error) {
	if w == nil {
		return "", nil
	}
	text, err := expand.Literal(r.config(s), w)
	return text, r.unset(err)
}

// unset ends all, after set -u, when a variable that is not set is used: what follows was written for one that is.
func (r *runner) unset(err error) error {
	var unset expand.UnsetParameterError
	if errors.As(err, &unset) {
		r.leaves = leaveAll
	}
	return err
}

func (r *runner) config(s streams) *expand.Config {
	return &expand.Config{
		Env: r.vars, ReadDir2: os.ReadDir, NoUnset: r.options.unset,
		CmdSubst:  func(w io.Writer, c *syntax.CmdSubst) error { return r.substitute(w, c, s) },
		ProcSubst: func(p *syntax.ProcSubst) (string, error) { return r.named(p, s) },
	}
}

// substitute runs the commands in $( ) and hands on what they print.
func (r *runner) substitute(w io.Writer, c *syntax.CmdSubst, s streams) error {
	pr, pw, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	sub := r.copy()
	done := make(chan error, 1)
	go func() {
		sub.list(c.Stmts, streams{s.in, pw, s.err})
		done <- pw.Close()
	}()
	n, err := io.Copy(w, io.LimitReader(pr, maxSubst+1))
	err = errors.Join(err, pr.Close(), <-done) // closing ends whoever still writes
	if n > maxSubst {
		return errors.New("a command in a command printed too much")
	}
	r.status = sub.status
	return err
}
