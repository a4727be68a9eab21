package policy

import "fmt"

// judge gathers the worst of what it is shown, and why.
type judge struct {
	env      Env
	tier     Tier
	why      string
	commands int
	writes   []string
	merges   []string
	trees    []string
	programs []string
	stranger string // a program that is not known
	scanning bool   // looking for known commands behind an unknown one
	filed    bool   // docker compose is told to read a certain file
	scope    *scope
	input    origin // of what the command reads
}

// raise lifts the tier, never lowers it. The reason of the worst stays.
func (j *judge) raise(t Tier, why string) {
	if t.Rank() > j.tier.Rank() {
		j.tier, j.why = t, why
	}
}

// cannot refuses a form that this shell does not run.
func (j *judge) cannot(what string) {
	j.raise(Forbidden, "This shell does not know "+what+".")
}

func (j *judge) class(command string) Class {
	action := "server.shell.run"
	switch j.tier {
	case Green:
		action = "server.shell.read"
	case Yellow:
		action = "server.shell.write"
	}
	c := Class{Tier: j.tier, Action: action, Says: "Run " + visible(command), Why: j.why}
	if j.tier == Forbidden {
		c.Says = j.why
	}
	return c
}

// count refuses endless lists.
func (j *judge) count() {
	if j.commands++; j.commands > maxCommands {
		j.raise(Forbidden, fmt.Sprintf("More than %d commands in one text.", maxCommands))
	}
}
