package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// ExitError says that a script ended with another status than 0.
type ExitError struct {
	Status int
	Last   string // the last line that it printed
}

func (e *ExitError) Error() string {
	if e.Last == "" {
		return fmt.Sprintf("the script ended with status %d", e.Status)
	}
	return fmt.Sprintf("the script ended with status %d: %s", e.Status, e.Last)
}

// maxLine is how long a line of output may be, in bytes; longer ones are cut into several.
const maxLine = 4 << 10

// Run runs a script with bash as root. vars are put before it as variables: they travel on its standard input, so that no list
// of processes shows them. Each line that it prints, to either output, goes to lines. A status other than 0 is an *ExitError, a
// broken connection ErrUnreachable.
func (c *Conn) Run(ctx context.Context, script string, vars map[string]string, lines func(string)) error {
	s, err := c.client.NewSession()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer func() { _ = s.Close() }() // ended by then, or ended by this
	over := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer over()
	s.Stdin = strings.NewReader(prelude(vars) + script)
	out := &lineWriter{to: lines}
	s.Stdout, s.Stderr = out, out
	err = s.Run(c.shell())
	out.flush()
	var exit *ssh.ExitError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit):
		return &ExitError{Status: exit.ExitStatus(), Last: out.last}
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return nil
}

// shell is bash as root, whoever signed in.
func (c *Conn) shell() string {
	if c.client.User() == "root" {
		return "bash -s"
	}
	return "sudo -n bash -s"
}

// prelude sets the variables of a script. Single quotes keep everything but themselves.
func prelude(vars map[string]string) string {
	var b strings.Builder
	for name, value := range vars {
		b.WriteString(name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n")
	}
	return b.String()
}

// lineWriter cuts what a script prints into lines. Both outputs write to it.
type lineWriter struct {
	to func(string)

	mu   sync.Mutex
	part []byte
	last string
}

// Write takes a piece of output.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	for {
		line, rest, found := bytes.Cut(p, []byte("\n"))
		if !found {
			break
		}
		w.say(append(w.part, line...))
		w.part, p = nil, rest
	}
	w.part = append(w.part, p...)
	for len(w.part) > maxLine {
		w.say(w.part[:maxLine])
		w.part = w.part[maxLine:]
	}
	return n, nil
}

func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.say(w.part)
	w.part = nil
}

// say passes a line on as text: what only a terminal would show as progress is dropped.
func (w *lineWriter) say(line []byte) {
	if i := bytes.LastIndexByte(bytes.TrimRight(line, "\r"), '\r'); i >= 0 {
		line = line[i+1:]
	}
	text := strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD"))
	if text == "" {
		return
	}
	w.last = text
	w.to(text)
}

// Output runs a script and gives all that it printed, at most 1 MiB.
func (c *Conn) Output(ctx context.Context, script string, vars map[string]string) ([]string, error) {
	var all []string
	size := 0
	err := c.Run(ctx, script, vars, func(line string) {
		if size += len(line); size < 1<<20 {
			all = append(all, line)
		}
	})
	return all, err
}
