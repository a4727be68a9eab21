package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gatehouse/agentd/policy"
)

const (
	xargsInput = 16 << 20 // bytes that are read
	xargsWords = 500      // words of one command
	xargsBytes = 64 << 10
)

// xargs is done here, and not by the program of that name, because each command it makes must be looked at.
type xargs struct {
	items   func(string) ([]string, error)
	max     int    // words of one command
	replace string // stands for one line
	skip    bool   // no input, no command
	tell    bool
	file    string // is read instead of the input
	argv    []string
}

func (r *runner) xargs(args, env []string, s streams) {
	x, err := readXargs(args)
	if err != nil {
		r.fail(s, statusUsage, "xargs: %v", err)
		return
	}
	b, err := r.words(x, s)
	var items []string
	if err == nil {
		items, err = x.items(string(b))
	}
	if err != nil {
		r.fail(s, statusUsage, "xargs: %v", err)
		return
	}
	r.each(x, items, env, s)
}

// words is what the commands are made of, from the input or a file.
func (r *runner) words(x xargs, s streams) ([]byte, error) {
	in := s.in
	if x.file != "" {
		f, err := r.open(x.file, os.O_RDONLY, false)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, xargsInput+1))
	if err == nil && len(b) > xargsInput {
		err = errors.New("too much input")
	}
	return b, err
}

// each runs the command for one batch after the other. Like the program, it goes on after a failure and says so.
func (r *runner) each(x xargs, items, env []string, s streams) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		r.fail(s, statusFailed, "xargs: %v", err)
		return
	}
	defer null.Close()
	failed := 0
	for _, argv := range x.commands(items) {
		if x.tell {
			fmt.Fprintln(s.err, visible(argv)) //nolint:errcheck // only told
		}
		r.argv(argv, env, streams{null, s.out, s.err})
		switch {
		case r.status == statusRefused, r.status == statusNotFound:
			return
		case r.status != 0:
			failed = 123
		}
	}
	r.status = failed
}

// commands are the real commands, in order.
func (x xargs) commands(items []string) [][]string {
	if len(items) == 0 {
		if x.skip || x.replace != "" {
			return nil
		}
		return [][]string{x.argv}
	}
	var out [][]string
	for len(items) > 0 {
		n, size := 0, 0
		for n < len(items) && n < x.max && (n == 0 || size+len(items[n]) < xargsBytes) {
			size += len(items[n])
			n++
		}
		out = append(out, x.command(items[:n]))
		items = items[n:]
	}
	return out
}

func (x xargs) command(items []string) []string {
	if x.replace == "" {
		return append(append([]string{}, x.argv...), items...)
	}
	argv := make([]string, len(x.argv))
	for i, a := range x.argv {
		argv[i] = strings.ReplaceAll(a, x.replace, items[0])
	}
	return argv
}

// readXargs reads the words as the classifier does.
func readXargs(args []string) (xargs, error) {
	how, ok := policy.XargsWords(args)
	if !ok {
		return xargs{}, errors.New("this form is not known")
	}
	x := xargs{items: quoted, max: xargsWords, replace: how.Replace, skip: how.Skip, tell: how.Tell, file: how.File, argv: how.Command}
	if len(x.argv) == 0 {
		x.argv = []string{"echo"}
	}
	if how.Max > 0 {
		x.max = min(how.Max, xargsWords)
	}
	if how.Replace != "" {
		x.max = 1
	}
	switch {
	case how.Null:
		x.items = splitter("\x00")
	case how.Mark != "":
		x.items = splitter(how.Mark)
	case how.Lines || how.Replace != "":
		x.items = splitter("\n")
	}
	return x, nil
}

func splitter(sep string) func(string) ([]string, error) {
	return func(s string) ([]string, error) {
		s = strings.TrimSuffix(s, sep)
		if s == "" {
			return nil, nil
		}
		return strings.Split(s, sep), nil
	}
}

// quoted splits at blanks and line ends; quotes and backslashes hold words together, as the program does it.
func quoted(s string) ([]string, error) {
	var out []string
	var word strings.Builder
	in := false
	var quote rune
	escaped := false
	for _, c := range s {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\\':
			escaped, in = true, true
		case c == '"' || c == '\'':
			quote, in = c, true
		case strings.ContainsRune(" \t\n", c):
			if in {
				out = append(out, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(c)
			in = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if in {
		out = append(out, word.String())
	}
	return out, nil
}
