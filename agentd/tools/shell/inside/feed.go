package inside

import (
	"errors"
	"fmt"
	"io"
	"os"

	"mvdan.cc/sh/v3/syntax"
)

// maxFeeds is how many <( ) one command may have, and maxFeed how much each may print.
const (
	maxFeeds = 16
	maxFeed  = 16 << 20
)

// fed runs the commands in <( ) to their end and gives what they printed as a file in memory.
func (r *runner) fed(p *syntax.ProcSubst, s streams) (*os.File, error) {
	f, err := feed("")
	if err != nil {
		return nil, err
	}
	if err := r.printInto(f, p.Stmts, s); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (r *runner) printInto(w io.Writer, stmts []*syntax.Stmt, s streams) error {
	pr, pw, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("pipe: %w", err)
	}
	done := make(chan error, 1)
	sub := r.copy()
	go func() {
		sub.list(stmts, streams{s.in, pw, s.err})
		done <- pw.Close()
	}()
	n, err := io.Copy(w, io.LimitReader(pr, maxFeed+1))
	err = errors.Join(err, pr.Close(), <-done) // closing ends whoever still writes
	if n > maxFeed {
		return errors.New("a command in <( ) printed too much")
	}
	return err
}

// named makes what a <( ) prints a file that the program finds under a name.
func (r *runner) named(p *syntax.ProcSubst, s streams) (string, error) {
	if len(r.feeds) >= maxFeeds {
		return "", errors.New("too many <( ) in one command")
	}
	f, err := r.fed(p, s)
	if err != nil {
		return "", err
	}
	r.feeds = append(r.feeds, f)
	return feedName(len(r.feeds) - 1), nil
}

// feedName is the name of a further file of a program: those behind the first three.
func feedName(i int) string { return fmt.Sprintf("/proc/self/fd/%d", 3+i) }

// drop closes the files that a command had.
func (r *runner) drop() {
	for _, f := range r.feeds {
		_ = f.Close() // memory: nothing is lost
	}
	r.feeds = nil
}
