package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// commands in the order of the help.
var order = []string{
	"run", "llm-proxy", "containers", "certificate", "startpage", "wipe", "register", "doctor", "units", "check classify", "check redact",
	"check ingress", "check egress", "check guardian", "check permissions", "check schedule", "check when", "check memory",
	"receipts verify", "receipts export", "tools explain", "approver code", "approver recovery", "approver list",
}

// commands is filled in init: the help of a command mentions the others.
var commands map[string]command

func init() {
	commands = map[string]command{
		"run":               {"", "run the server until it is told to stop", runDaemon},
		"llm-proxy":         {"", "run the one process that reaches model providers, until it is told to stop", llmProxy},
		"containers":        {"", "let agentd ask the container engine a few questions, until it is told to stop", containersFilter},
		"certificate":       {"", "get the certificate of the server's name, or renew it when it is due", keepCertificate},
		"startpage":         {"--socket PATH --name NAME", "show the page of a new server, until it is told to stop", serveStartPage},
		"wipe":              {"", "erase this machine as the hub's signed command says; systemd starts it", wipeMachine},
		"register":          {"", "make this server known to the hub, with the one-time token", register},
		"doctor":            {"[--state DIR] [--data DIR] [--json]", "say what protection this machine gives, and how to mend what is missing", runDoctor},
		"check guardian":    {"[--url URL --model NAME --key-file FILE] [--within TIME] [-v]", "measure how a model tells plain steps from injected ones", checkGuardian},
		"check permissions": {"", "read a permissions.yaml from standard input and name every line that is wrong", checkPermissions},
		"units":             {"[--write DIR]", "print the systemd units of agentd and the model proxy with their firewall rules, or write them into a folder", writeUnits},
		"check classify":    {"[--root DIR] [--state DIR]", "judge calls of every tool: JSON lines in, JSON lines out, same order; nothing is run", checkClassify},
		"check redact":      {"", "take secrets out of texts: JSON lines {id,text,known} in, {id,text,findings} out, same order", checkRedact},
		"check ingress":     {"[--budget BYTES]", "mark outside content and name known tricks in it: JSON lines in, JSON lines out, same order", checkIngress},
		"check egress":      {"", "judge what is about to leave: JSON lines in, JSON lines out, same order", checkEgress},
		"check schedule":    {"", "list when schedules are due: JSON lines in, JSON lines out, same order", checkSchedule},
		"check when":        {"", "read what people write about times: JSON lines in, JSON lines out, same order", checkWhen},
		"check memory":      {"--dir DIR [--limit N]", "search a folder of notes: JSON lines in, JSON lines out, same order", checkMemory},
		"receipts verify":   {"[--state DIR]", "check the whole log; name the first record that does not hold", receiptsVerify},
		"receipts export":   {"[--state DIR] --run ID", "write the records of a run as JSON", receiptsExport},
		"tools explain":     {"[--state DIR] --agent A [--model M] [--origin O] [TOOL]", "say which tools an agent sees, and why not the others", toolsExplain},
		"approver code":     {"[--state DIR] [--key FILE]", "print a code that enrols one approver key", approverCode},
		"approver recovery": {"[--state DIR]", "print the code that enrols a key when all others are lost; the one before ends", approverRecovery},
		"approver list":     {"[--state DIR]", "list the keys that may allow", approverList},
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

// usage lists the commands, or those of one group: asked for, it is an answer, else a complaint.
func usage(name string, rest []string, out, errOut io.Writer) int {
	var b strings.Builder
	if group := namesOf(name); len(group) > 0 {
		list(&b, group)
		b.WriteString("\nagentd COMMAND --help says more.\n")
	} else {
		b.WriteString("agentd is the daemon on a customer's server.\n\n")
		list(&b, order)
		b.WriteString("\nagentd COMMAND --help says more. Settings come from the environment:\n\n")
		describeSettings(&b)
	}
	code := exitUsage
	if isHelp(name) || len(rest) > 0 && isHelp(rest[0]) && len(namesOf(name)) > 0 {
		errOut, code = out, 0
	}
	return say(errOut, b.String(), code)
}

func isHelp(word string) bool { return word == "help" || word == "--help" || word == "-h" }

// namesOf are the commands of a group, such as check.
func namesOf(group string) (names []string) {
	for _, n := range order {
		if strings.HasPrefix(n, group+" ") {
			names = append(names, n)
		}
	}
	return names
}

// list writes a line for each command.
func list(b *strings.Builder, names []string) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, n := range names {
		fmt.Fprintf(t, "  agentd %s\t%s\n", n, commands[n].help)
	}
	_ = t.Flush() // into memory
}

// say writes text and gives the exit code: the wanted one, or that of a writer that takes no more.
func say(out io.Writer, text string, code int) int {
	if _, err := io.WriteString(out, text); err != nil {
		return 1
	}
	return code
}

// describe is the help of one command.
func describe(name string, c command, flags *flag.FlagSet, out io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s.\n", strings.TrimSpace("agentd "+name+" "+c.use), strings.ToUpper(c.help[:1])+c.help[1:])
	flags.SetOutput(&b)
	flags.PrintDefaults()
	if name == "run" || name == "register" || name == "llm-proxy" || name == "containers" {
		b.WriteString("\nSettings from the environment:\n")
		describeSettings(&b)
	}
	say(out, b.String(), 0)
}
