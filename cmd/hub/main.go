package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // time zones of customers, whatever the machine lacks
)

// command is one thing that the program does.
type command struct {
	name string
	args string // what follows the name, for --help
	says string // one line for --help
	run  func(ctx context.Context, c call) error
}

// call is how a command was called.
type call struct {
	args []string
	env  map[string]string
	in   io.Reader
	out  io.Writer
	err  io.Writer
}

func commands() []command {
	return []command{
		{"serve", "[--no-work]", "serve pages, API and links, and do queued work unless --no-work", serve},
		{"work", "", "do queued work only", workOnly},
		{"migrate", "", "bring the database to the schema of this program", migrate},
		{
			"dev",
			"[code|reset]",
			"run everything on this machine with a demo; code prints the staff sign-in code, reset moves the data aside",
			devCommand,
		},
		{
			"holds",
			"list | release SERVER --reason TEXT",
			"servers whose log broke with what is anchored of it; release one after a person has looked",
			holdsCommand,
		},
		{
			"billing", "quote | recompute --period ID | uncharged --customer ID",
			"read models as JSON lines and write what customers pay; compute an invoice again from what was used, and compare",
			billingCommand,
		},
		{"units", "[--dir DIR]", "print the systemd units, or write them into a folder", unitsCommand},
		{"image", "--to FILE [--agentd FILE] [--roots FILE]", "write a container image of this program and agentd", imageCommand},
		{"doctor", "[--json] [--mail-to ADDRESS]", "look at all that this hub needs, and say how to mend what is wrong", doctorCommand},
		{"backup", "[--to DIR] [--keep N] [--passphrase]", "back up database and key file, encrypted; the N newest stay", backupCommand},
		{
			"restore", "--from FILE --identity FILE|--passphrase [--check] [--replace]",
			"put a backup back into an empty database; --check only reads it, --replace replaces what is there", restoreCommand,
		},
		{
			"provision",
			"--dry-run --host HOST --order ID [--scripts] [--offline] [--port 22] [--login root]",
			"print the plan of setting up an order's machine; nothing is changed",
			provisionCommand,
		},
		{
			"staff",
			"create --email ADDRESS [--name NAME] --role ROLE",
			"add somebody to the staff; the password is read from standard input",
			staffCommand,
		},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	c := call{args: os.Args[1:], env: environ(os.Environ()), in: os.Stdin, out: os.Stdout, err: os.Stderr}
	spareSweeping(c.env)
	code := run(ctx, c)
	stop()
	os.Exit(code)
}

// errUsage says that the program was called wrongly.
var errUsage = errors.New("see: hub --help")

func run(ctx context.Context, c call) int {
	err := dispatch(ctx, c)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintln(c.err, "hub:", err)
		return 2
	}
	fmt.Fprintln(c.err, "hub:", err)
	return 1
}

func dispatch(ctx context.Context, c call) error {
	if err := c.withEnvFile(); err != nil {
		return err
	}
	if len(c.args) == 0 {
		printHelp(c.err)
		return fmt.Errorf("no command: %w", errUsage)
	}
	name := c.args[0]
	if name == "help" || isHelp(name) {
		printHelp(c.out)
		return nil
	}
	for _, cmd := range commands() {
		if cmd.name != name {
			continue
		}
		c.args = c.args[1:]
		if slices.ContainsFunc(c.args, isHelp) {
			fmt.Fprintf(c.out, "hub %s %s\n\n  %s\n\n%s", cmd.name, cmd.args, cmd.says, configTable())
			return nil
		}
		return cmd.run(ctx, c)
	}
	return fmt.Errorf("unknown command %q: %w", name, errUsage)
}

func isHelp(s string) bool { return s == "-h" || s == "-help" || s == "--help" }

func printHelp(w io.Writer) {
	fmt.Fprint(w, "The hub of Gatehouse.\n\nCommands:\n")
	for _, cmd := range commands() {
		fmt.Fprintf(w, "  hub %-60s %s\n", strings.TrimSpace(cmd.name+" "+cmd.args), cmd.says)
	}
	fmt.Fprint(w, "\nhub --env FILE COMMAND reads the variables from a file of NAME=value lines as well.\n\n", configTable())
}

// withEnvFile takes "--env FILE" off the front of the arguments and adds the variables of that file, as systemd's
// EnvironmentFile= does. What the environment says itself stands.
func (c *call) withEnvFile() error {
	if len(c.args) == 0 || c.args[0] != "--env" {
		return nil
	}
	if len(c.args) == 1 {
		return fmt.Errorf("--env FILE: name the file: %w", errUsage)
	}
	b, err := os.ReadFile(c.args[1])
	if err != nil {
		return fmt.Errorf("--env: %w", err)
	}
	env, err := envLines(string(b))
	if err != nil {
		return fmt.Errorf("--env %s: %w", c.args[1], err)
	}
	maps.Copy(env, c.env)
	c.args, c.env = c.args[2:], env
	return nil
}

// envLines reads NAME=value lines: comments and empty lines are passed over, quotes around a value are taken off.
func envLines(text string) (map[string]string, error) {
	env := map[string]string{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("line %d is not NAME=value", n)
		}
		value = strings.TrimSpace(value)
		if l := len(value); l > 1 && (value[0] == '"' || value[0] == '\'') && value[l-1] == value[0] {
			value = value[1 : l-1]
		}
		env[name] = value
	}
	return env, nil
}

// environ makes a map of NAME=value lines.
func environ(lines []string) map[string]string {
	env := make(map[string]string, len(lines))
	for _, l := range lines {
		name, value, _ := strings.Cut(l, "=")
		env[name] = value
	}
	return env
}
