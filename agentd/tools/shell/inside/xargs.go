package inside

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gatehouse/agentd/policy"
)

const (
	xargsInput = 16 << 20 // bytes that are read
	xargsWords = 500      // words of one command
	xargsBytes = 64 << 10
)

// xargs is done here, and not by the program of that name, because each command it makes must be looked at. Its words are
// read as the classifier reads them.
func (r *runner) xargs(words, env []string, s streams) {
	x, ok := policy.XargsWords(words)
	if !ok {
		r.fail(s, statusUsage, "xargs: this form is not known")
		return
	}
	items, err := r.items(x, s)
	if err != nil {
		r.fail(s, statusUsage, "xargs: %v", err)
		return
	}
	r.each(x, items, env, s)
}

// items are the words that the commands are made of, from the input or a file.
func (r *runner) items(x policy.Xargs, s streams) ([]string, error) {
	in := s.in
	if x.File != "" {
		f, err := r.open(x.File, os.O_RDONLY, false)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, xargsInput+1))
	if err != nil {
		return nil, err
	}
	if len(b) > xargsInput {
		return nil, errors.New("too much input")
	}
	switch {
	case x.Null:
		return parted(string(b), "\x00"), nil
	case x.Mark != "":
		return parted(string(b), x.Mark), nil
	case x.Lines || x.Replace != "":
		return parted(string(b), "\n"), nil
	}
	return quoted(string(b))
}

// each runs the command for one batch after the other. Like the program, it goes on after a failure and says so.
func (r *runner) each(x policy.Xargs, items, env []string, s streams) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		r.fail(s, statusFailed, "xargs: %v", err)
		return
	}
	defer null.Close()
	failed := 0
	for _, argv := range commands(x, items) {
		if x.Tell {
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
func commands(x policy.Xargs, items []string) [][]string {
	if len(x.Command) == 0 {
		x.Command = []string{"echo"}
	}
	if len(items) == 0 {
		if x.Skip || x.Replace != "" {
			return nil
		}
		return [][]string{x.Command}
	}
	most := xargsWords
	switch {
	case x.Replace != "":
		most = 1
	case x.Max > 0:
		most = min(x.Max, xargsWords)
	}
	var out [][]string
	for len(items) > 0 {
		n, size := 0, 0
		for n < len(items) && n < most && (n == 0 || size+len(items[n]) < xargsBytes) {
			size += len(items[n])
			n++
		}
		out = append(out, command(x, items[:n]))
		items = items[n:]
	}
	return out
}

func command(x policy.Xargs, items []string) []string {
	if x.Replace == "" {
		return slices.Concat(x.Command, items)
	}
	argv := make([]string, len(x.Command))
	for i, a := range x.Command {
		argv[i] = strings.ReplaceAll(a, x.Replace, items[0])
	}
	return argv
}
