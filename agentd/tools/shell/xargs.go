package shell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
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
	argv    []string
}

func (r *runner) xargs(args, env []string, s streams) {
	x, err := readXargs(args)
	if err != nil {
		r.fail(s, statusUsage, "xargs: %v", err)
		return
	}
	b, err := io.ReadAll(io.LimitReader(s.in, xargsInput+1))
	if err == nil && len(b) > xargsInput {
		err = errors.New("too much input")
	}
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

// readXargs reads the flags that the classifier understands.
func readXargs(args []string) (xargs, error) {
	x := xargs{items: quoted, max: xargsWords, argv: []string{"echo"}}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		flag, value := args[0], ""
		args = args[1:]
		switch flag {
		case "-n", "-L", "-P", "-I", "-d":
			if len(args) == 0 {
				return x, fmt.Errorf("%s lacks a value", flag)
			}
			value, args = args[0], args[1:]
		}
		if err := x.flag(flag, value); err != nil {
			return x, err
		}
	}
	if len(args) > 0 {
		x.argv = args
	}
	return x, nil
}

func (x *xargs) flag(flag, value string) error {
	switch flag {
	case "-0", "--null":
		x.items = splitter("\x00")
	case "-r", "--no-run-if-empty":
		x.skip = true
	case "-t":
		x.tell = true
	case "-n1":
		x.max = 1
	case "-L1":
		x.items, x.max = splitter("\n"), 1
	case "-n", "-L":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("%s %s is not a number", flag, value)
		}
		x.max = min(n, xargsWords)
		if flag == "-L" {
			x.items = splitter("\n")
		}
	case "-P": // one after the other will do
	case "-I{}":
		x.replace, x.items, x.max = "{}", splitter("\n"), 1
	case "-I":
		x.replace, x.items, x.max = value, splitter("\n"), 1
	case "-d":
		x.items = splitter(strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(value))
	default:
		return fmt.Errorf("%s is not known", flag)
	}
	return nil
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
