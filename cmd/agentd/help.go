package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// commands in the order of the help.
var order = []string{"run", "register", "doctor", "check classify", "receipts verify", "receipts export", "tools explain"}

// commands is filled in init: the help of a command mentions the others.
var commands map[string]command

func init() {
	commands = map[string]command{
		"run":             {"", "run the server until it is told to stop", runDaemon},
		"register":        {"", "make this server known to the hub, with the one-time token", register},
		"doctor":          {"[--state DIR] [--data DIR] [--json]", "say what protection this machine gives, and how to mend what is missing", runDoctor},
		"check classify":  {"[--root DIR]", "judge calls: JSON lines in, JSON lines out, same order", checkClassify},
		"receipts verify": {"[--state DIR]", "check the whole log; name the first record that does not hold", receiptsVerify},
		"receipts export": {"[--state DIR] --run ID", "write the records of a run as JSON", receiptsExport},
		"tools explain":   {"[--state DIR] --agent A TOOL", "say why an agent sees a tool or does not, and what it may do with it", toolsExplain},
	}
}

// find reads the command of one or two words.
func find(args []string) (name string, cmd *command, rest []string) {
	for n := min(2, len(args)); n > 0; n-- {
		name = strings.Join(args[:n], " ")
		if c, ok := commands[name]; ok {
			return name, &c, args[n:]
		}
	}
	if len(args) > 0 {
		return args[0], nil, args[1:]
	}
	return "", nil, nil
}

// usage lists the commands: asked for, it is an answer, else a complaint.
func usage(name string, out, errOut io.Writer) int {
	asked := name == "help" || name == "--help" || name == "-h"
	if !asked {
		out = errOut
	}
	fmt.Fprint(out, "agentd is the daemon on a customer's server.\n\n")
	for _, n := range order {
		fmt.Fprintf(out, "  agentd %-16s %s\n", n, commands[n].help)
	}
	fmt.Fprint(out, "\nagentd COMMAND --help says more. Settings come from the environment:\n\n")
	describeSettings(out)
	if asked {
		return 0
	}
	return exitUsage
}

// describe is the help of one command.
func describe(name string, c command, flags *flag.FlagSet, out io.Writer) {
	fmt.Fprintf(out, "agentd %s %s\n\n%s.\n", name, c.use, strings.ToUpper(c.help[:1])+c.help[1:])
	flags.SetOutput(out)
	flags.PrintDefaults()
	if name == "run" || name == "register" {
		fmt.Fprintln(out, "\nSettings from the environment:")
		describeSettings(out)
	}
}
