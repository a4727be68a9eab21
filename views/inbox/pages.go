package inbox

import (
	"context"
	"net/url"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// ListProps is what waits.
type ListProps struct {
	Base   string
	Staff  bool
	Tier   string // chosen filter; "" is all
	Agent  string // chosen filter; "" is all
	Search string // staff only: what was looked for
	Total  int    // of everything that waits and was found
	More   bool   // there may be more than is shown
	Tiers  []Choice
	Agents []Choice
	Cards  []CardProps
}

func (p ListProps) emptyTitle() i18n.Key {
	if p.Staff {
		return "inbox.empty_staff"
	}
	return "inbox.empty"
}

func (p ListProps) emptyBody() i18n.Key {
	if p.Staff {
		return "inbox.empty_staff_more"
	}
	return "inbox.empty_more"
}

// Choice is one value of a filter.
type Choice struct {
	Value, Label string
	Count        int
}

// ListID is where cards are added.
const ListID = "approvals"

func (p ListProps) filtered() bool { return p.Tier != "" || p.Agent != "" }

func (p ListProps) href(tier, agent string) string {
	q := url.Values{}
	if tier != "" {
		q.Set("tier", tier)
	}
	if agent != "" {
		q.Set("agent", agent)
	}
	if p.Search != "" {
		q.Set("q", p.Search)
	}
	if len(q) == 0 {
		return p.Base
	}
	return p.Base + "?" + q.Encode()
}

// HistoryProps is what was decided.
type HistoryProps struct {
	Base   string
	Staff  bool
	Tier   string
	Agent  string
	Search string // staff only: what was looked for
	Rows   []CardProps
	Next   string // cursor; "" at the end
}

func (p HistoryProps) next() string {
	if p.Next == "" {
		return ""
	}
	return HistoryPath(p.Base) + "?" + url.Values{"after": {p.Next}, "tier": {p.Tier}, "agent": {p.Agent}, "q": {p.Search}}.Encode()
}

// EditProps is an approval whose arguments are being changed.
type EditProps struct {
	Card    CardProps
	Fields  []FieldProps
	General string // what is wrong with the whole
	Over    string // what was decided meanwhile; empty: it can still run
	Kinds   string // JSON of the kind of each field, for the script that signs
	Risk    *RiskProps
}

// FieldProps is one argument: as proposed, and as it stands now.
type FieldProps struct {
	Name     string
	Kind     string // text, number, bool, json
	Value    string
	Proposal string
	Error    string
	Changed  bool
	Diff     string // unified, for texts of several lines
}

// RiskProps previews how the edited call would be judged.
type RiskProps struct {
	Tier  string
	Says  string
	Rises bool // it will be asked again
	Never bool // it may not run at all
}

func (p EditProps) problems() []ui.Problem {
	var out []ui.Problem
	if p.General != "" {
		out = append(out, ui.Problem{Text: p.General})
	}
	for _, f := range p.Fields {
		if f.Error != "" {
			out = append(out, ui.Problem{Field: f.field(), Text: f.Name + ": " + f.Error})
		}
	}
	return out
}

func (p EditProps) changes() int {
	n := 0
	for _, f := range p.Fields {
		if f.Changed {
			n++
		}
	}
	return n
}

func (f FieldProps) field() string { return "args." + f.Name }

// control is the field that an argument of this kind is edited in.
func (f FieldProps) control(ctx context.Context) ui.Field {
	out := ui.Field{Name: f.field(), Label: f.Name, Value: f.Value, Error: f.Error, Required: true}
	switch f.Kind {
	case "number":
		out.InputMode, out.Code = "decimal", true
	case "bool":
		out.Kind = "select"
		out.Options = []ui.Option{
			{Value: "true", Label: i18n.T(ctx, "inbox.edit.yes")}, {Value: "false", Label: i18n.T(ctx, "inbox.edit.no")},
		}
	case "json":
		out.Kind, out.Code, out.Rows = "textarea", true, 6
	default:
		out.Code = f.Name == "command" || f.Name == "path"
		if long(f.Proposal) || long(f.Value) || f.Name == "text" || f.Name == "content" {
			out.Kind, out.Rows = "textarea", 8
		}
	}
	return out
}

func long(s string) bool {
	for _, r := range s {
		if r == '\n' {
			return true
		}
	}
	return len(s) > 100
}

// ownDiff is the change that a person made to one argument.
func ownDiff(f FieldProps) []ui.DiffFile {
	d := ui.DiffFile{Path: f.Name, Hunks: ui.ParseUnified(f.Diff)}
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case "add":
				d.Added++
			case "del":
				d.Deleted++
			}
		}
	}
	return []ui.DiffFile{d}
}
