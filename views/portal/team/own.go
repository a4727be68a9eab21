package team

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// NewPath is where the owner makes an agent.
const NewPath = portal.Agents + "/new"

// CopyPath is where the owner makes an agent as a copy of another.
func CopyPath(agent string) string { return NewPath + "?" + url.Values{"from": {agent}}.Encode() }

// EditPath is where the owner writes one file of an agent, with the text of an earlier version when one is named.
func EditPath(agent, file string, version int64) string {
	q := url.Values{"file": {file}}
	if version != 0 {
		q.Set("version", strconv.FormatInt(version, 10))
	}
	return portal.AgentPath(agent) + "/edit?" + q.Encode()
}

// AboutProps is what an agent is to people, as its form has it.
type AboutProps struct {
	Name, Role, Emoji, Description, Starters, Profile string
	Without                                           []string
	Profiles                                          []Profile
}

// Profile is a tool set that an agent can have.
type Profile struct {
	Name  string
	Tools []string
}

// Review is what saving would change, to be looked at and signed.
type Review struct {
	Diff ui.DiffFile
	Same bool   // nothing would
	HTML string // of Markdown, safe; empty: none
	Act  string
}

// Version is a text that a file had.
type Version struct {
	Number int64
	At     time.Time
	By     string
	Now    bool
	Shown  bool
}

// EditProps is one file of an agent in the editor. About is that of the description, whose form is another.
type EditProps struct {
	Agent    ui.Agent
	Away     bool
	Signs    Signs
	File     string
	Text     string
	About    *AboutProps
	Review   *Review
	Versions []Version
	Shown    int64 // the version whose text stands in the editor; 0: none
}

// NewProps is an agent that the owner is about to make.
type NewProps struct {
	Away   bool
	Signs  Signs
	From   ui.Agent   // whom it is a copy of; none without an ID
	Others []ui.Agent // who can be copied
	ID     string
	About  AboutProps
	Review *Review
}

func (p NewProps) from(ctx context.Context) []ui.Option {
	all := []ui.Option{{Label: i18n.T(ctx, "team.from_nothing")}}
	for _, a := range p.Others {
		all = append(all, ui.Option{Value: a.ID, Label: i18n.T(ctx, "team.from_copy", "agent", a.Name)})
	}
	return all
}

var profileWords = map[string][2]i18n.Key{
	"minimal":   {"team.profile_minimal", "team.profile_minimal_more"},
	"coding":    {"team.profile_coding", "team.profile_coding_more"},
	"messaging": {"team.profile_messaging", "team.profile_messaging_more"},
	"full":      {"team.profile_full", "team.profile_full_more"},
}

// profiles are the tool sets to choose from, the smallest first.
func (a AboutProps) profiles(ctx context.Context) (all []ui.Option) {
	for _, p := range a.sorted() {
		words := profileWords[p.Name]
		all = append(all, ui.Option{Value: p.Name, Label: i18n.T(ctx, words[0]), Hint: i18n.T(ctx, words[1])})
	}
	return all
}

func (a AboutProps) sorted() []Profile {
	return slices.SortedStableFunc(slices.Values(a.Profiles), func(x, y Profile) int { return len(x.Tools) - len(y.Tools) })
}

// tools are all that a profile gives.
func (a AboutProps) tools() (all []string) {
	for _, p := range a.Profiles {
		all = append(all, p.Tools...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (a AboutProps) has(tool string) bool { return !slices.Contains(a.Without, tool) }

// Lines are a description as text, for people to compare.
func (a AboutProps) Lines(ctx context.Context) string {
	var b strings.Builder
	say := func(key i18n.Key, text string) { b.WriteString(i18n.T(ctx, key) + ": " + text + "\n") }
	say("team.name", a.Name)
	say("team.emoji", a.Emoji)
	say("team.role", a.Role)
	say("team.description", a.Description)
	for s := range strings.Lines(a.Starters) {
		say("team.starter", strings.TrimSpace(s))
	}
	say("team.profile", i18n.T(ctx, profileWords[a.Profile][0]))
	for _, tool := range a.Without {
		say("team.without", ui.ToolTitle(ctx, tool)+" ("+tool+")")
	}
	return b.String()
}
