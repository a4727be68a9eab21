package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones of customers, whatever the machine lacks

	"gatehouse/agentd"
)

// Exit codes besides 0 and 1.
const (
	exitUsage = 2
	exitHard  = 78 // starting again cannot help; service managers must not
)

// command is one subcommand. run answers errUsage when it was called wrongly.
type command struct {
	use  string // arguments, for the help
	help string // one line
	run  func(ctx context.Context, c *call) error
}

// call is how a command was called.
type call struct {
	args   []string
	flags  *flag.FlagSet
	in     io.Reader
	out    io.Writer
	errOut io.Writer
}

var (
	errUsage  = errors.New("wrong use")
	errBroken = errors.New("not as it should be") // said already; only the exit code is left
)

func main() {
	syscall.Umask(0o077)
	hideSecrets(os.Args[1:])
	signal.Ignore(syscall.SIGXFSZ)                              // a file that may not grow is an error of a write, not the end of the process
	slog.SetDefault(logger(os.Stderr, slog.LevelInfo.String())) // whoever is given no logger of its own
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run finds the command, runs it and gives the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	name, cmd, rest := find(args)
	if cmd == nil {
		return usage(name, rest, out, errOut)
	}
	c := &call{in: in, out: out, errOut: errOut, flags: flag.NewFlagSet("agentd "+name, flag.ContinueOnError)}
	c.flags.SetOutput(errOut)
	c.flags.Usage = func() { describe(name, *cmd, c.flags, out) }
	c.args = rest
	return exit(cmd.run(ctx, c), name, errOut)
}

func exit(err error, name string, errOut io.Writer) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errBroken):
		return 1
	}
	code := 1
	switch {
	case errors.Is(err, errUsage):
		code = exitUsage
	case agentd.Hard(err):
		code = exitHard
	}
	return say(errOut, "agentd "+name+": "+err.Error()+"\n", code)
}

// parse reads the flags of a command, which must leave n arguments.
func (c *call) parse(n int) error {
	if err := c.parseUpTo(n); err != nil || c.flags.NArg() == n {
		return err
	}
	return fmt.Errorf("%w: %d arguments instead of %d; see --help", errUsage, c.flags.NArg(), n)
}

// parseUpTo reads the flags of a command, which may leave up to n arguments.
func (c *call) parseUpTo(n int) error {
	if err := c.flags.Parse(c.args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if c.flags.NArg() > n {
		return fmt.Errorf("%w: %d arguments are more than %d; see --help", errUsage, c.flags.NArg(), n)
	}
	return nil
}
