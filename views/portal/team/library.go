package team

import (
	"context"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// LibraryProps is what the team can be made of.
type LibraryProps struct {
	Templates []Template
	Archived  []Template // agents of the owner's own that were put away
	Away      bool
	Signs     Signs
}

// Template is an agent that there can be.
type Template struct {
	Agent    ui.Agent
	About    string
	State    string // waiting, at_work, archived, taken
	Starters []string
	Needs    []Need
	Update   bool
	Broken   string
	Act      string // install or bring back, as it is signed; empty: neither
	Back     string // the page that shows what became of the act; empty: that of the agent
}

// Need is a tool that an agent's work stands on.
type Need struct{ Tool, For, Missing string }

// Signs is what a signature is bound to.
type Signs struct {
	Server string
	Config int64 // version of the settings
}

// attrs make a form whose act is signed before it is sent.
func (s Signs) attrs(act string) templ.Attributes {
	return templ.Attributes{
		"data-change": "team", "data-change-body": act, "data-server": s.Server, "data-version": strconv.FormatInt(s.Config, 10),
		"data-always": true,
	}
}

// FilesProps is what makes an agent what it is.
type FilesProps struct {
	Agent    ui.Agent
	Template bool // it comes from the library
	Broken   string
	Files    []File
	Updates  []UpdateFile
	Leave    string // the act that puts it away; empty: it stays
	Away     bool
	Signs    Signs
}

// File is one file of an agent.
type File struct {
	Name, Text string
	Edited     bool
}

// UpdateFile is a file that the owner has edited and whose template has changed.
type UpdateFile struct {
	Name, Yours, Shipped, Merged, Act string
	Conflicts                         int
}

var stateWords = map[string]i18n.Key{
	"at_work": "team.at_work", "archived": "team.archived", "taken": "team.taken", "waiting": "team.waiting",
}

func (t Template) stateWord(ctx context.Context) string { return i18n.T(ctx, stateWords[t.State]) }

func (t Template) stateLook() string {
	if t.State == "at_work" {
		return "ok"
	}
	return ""
}

// about says what a file is for.
func (f File) about(ctx context.Context) string { return i18n.T(ctx, fileWords[f.Name]) }

var fileWords = map[string]i18n.Key{
	"template.yaml": "team.file_template", "IDENTITY.md": "team.file_identity", "SOUL.md": "team.file_soul",
	"AGENTS.md": "team.file_agents", "TOOLS.md": "team.file_tools", "EXAMPLES.md": "team.file_examples",
}

// missing are the files that the agent could have and has not.
func (p FilesProps) missing() (all []string) {
	for _, name := range []string{"SOUL.md", "AGENTS.md", "TOOLS.md"} {
		if !slices.ContainsFunc(p.Files, func(f File) bool { return f.Name == name }) {
			all = append(all, name)
		}
	}
	return all
}
