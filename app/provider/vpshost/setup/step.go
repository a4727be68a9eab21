package setup

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed steps/*.sh
var scripts embed.FS

// Step is one part of setting a machine up.
type Step struct {
	Number int
	Name   string // names it for good, in rows: "packages"
	script string
}

// names are the steps in their order. Stored in rows: never rename.
var names = []string{"packages", "docker", "conflicts", "nginx", "firewall", "admin", "ssh", "upgrades", "tools", "agentd", "leave"}

// The steps that need more than their script.
const (
	stepFirewall = "firewall" // knows by which port the hub comes
	stepSSH      = "ssh"      // after it the hub comes by another port
	stepTools    = "tools"    // needs the program: the first application is part of it
	stepAgentd   = "agentd"   // needs the program
	stepLeave    = "leave"    // takes the hub's way in away
)

// Steps lists all steps in their order.
func Steps() []Step {
	steps := make([]Step, len(names))
	for i, name := range names {
		steps[i] = Step{Number: i + 1, Name: name, script: read(fmt.Sprintf("%02d-%s", i+1, name))}
	}
	return steps
}

// read gives an embedded script. That each name has one, a test says.
func read(name string) string {
	text, err := scripts.ReadFile("steps/" + name + ".sh")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// About says in a sentence what the step does: the comment at the head of its script.
func (s Step) About() string {
	var words []string
	for line := range strings.Lines(s.script) {
		text, found := strings.CutPrefix(line, "# ")
		if !found || strings.HasPrefix(text, "shellcheck") {
			break
		}
		words = append(words, strings.TrimSpace(text))
	}
	return strings.Join(words, " ")
}

// Script is the step as it is read, for the plan of a set-up.
func (s Step) Script() string { return s.script }

// run is the script that checks the step or does it. The functions are read whole before the first of them runs, and what runs
// has no standard input: that is the script itself.
func (s Step) run(function string) string {
	return read("00-common") + "\n" + s.script + "\n" + function + " </dev/null\n"
}

func (s Step) check() string { return s.run("check") }
func (s Step) doIt() string  { return s.run("do_it") }
