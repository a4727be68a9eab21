package memory

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// ChangePath is where acts on notes go.
const ChangePath = portal.Memory + "/change"

// Props is a page of notes.
type Props struct {
	Q, Agent, Origin string
	Held             bool // those that were put aside
	After            string
	Notes            []Note
	Next             string   // address of the page after
	Waiting          int      // notes that were put aside, of all agents
	LeftOut          []string // files that the server does not read
	Meaning          Meaning
	Away             bool
	Team             []ui.Option // whose notes there can be
	State            string      // the act that states something, as it is signed
	Signs            Signs
}

// Meaning is how the search by meaning stands.
type Meaning struct {
	Model        string // that says what notes mean; empty: it is off
	Known, Notes int
	Since        time.Time // when it paused; zero: it works
	Why          string
}

// Signs is what a signature is bound to.
type Signs struct {
	Server string
	Config int64 // version of the settings
}

// Note is one thing that is remembered.
type Note struct {
	ID, Of, Text, Origin string
	Core                 bool
	Day, At              time.Time // zero: nobody knows
	Run, By, Held        string
	File                 string
	Line                 int

	Correct, Confirm, Aside, Delete string // acts, as they are signed
}

// attrs make a form whose act is signed before it is sent. What always needs a signature is not sent without one.
func (s Signs) attrs(act string, always bool) templ.Attributes {
	return templ.Attributes{
		"data-change": "memory", "data-change-body": act, "data-server": s.Server, "data-version": strconv.FormatInt(s.Config, 10),
		"data-always": always,
	}
}

// origins are where notes can come from, with their words.
var origins = []struct {
	name  string
	label i18n.Key
}{
	{"owner", "memory.from_owner"}, {"agent", "memory.from_agent"}, {"outside", "memory.from_outside"}, {"file", "memory.from_file"},
}

// from says where a note comes from.
func (n Note) from(ctx context.Context) string {
	if n.Core {
		return i18n.T(ctx, "memory.core")
	}
	if n.Origin == "owner" {
		return i18n.T(ctx, "memory.confirmed")
	}
	for _, o := range origins {
		if o.name == n.Origin {
			return i18n.T(ctx, o.label)
		}
	}
	return n.Origin
}

// look is the kind of the badge that says where a note comes from.
func (n Note) look() string {
	switch {
	case n.Origin == "owner":
		return "ok"
	case n.Origin == "outside":
		return "warn"
	}
	return ""
}

func table(ctx context.Context, p Props) ui.Table {
	t := ui.Table{
		ID: "memory", Caption: i18n.T(ctx, "memory.caption"), Path: portal.Memory,
		Query:   url.Values{"q": {p.Q}, "agent": {p.Agent}, "origin": {p.Origin}},
		Search:  &ui.Search{Label: i18n.T(ctx, "memory.search"), Value: p.Q},
		Filters: filters(ctx, p),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "memory.note"), Main: true},
			{Label: i18n.T(ctx, "memory.of")},
			{Label: i18n.T(ctx, "memory.acts"), Hide: true},
		},
		Empty: empty(ctx, p),
		Pager: ui.Pager{Next: p.Next},
	}
	if p.Held {
		t.Keep = map[string]string{"held": "1"}
	}
	if p.After != "" {
		t.Pager.Prev = portal.Memory
	}
	for _, n := range p.Notes {
		cells := []templ.Component{says(n), ui.Text(n.Of), templ.NopComponent}
		if ui.MayManage(ctx) {
			cells[2] = acts(p.Signs, n)
		}
		t.Rows = append(t.Rows, ui.Row{ID: "note-" + n.ID, Cells: cells})
	}
	return t
}

func filters(ctx context.Context, p Props) []ui.Filter {
	all := ui.Option{Label: i18n.T(ctx, "memory.all")}
	from := []ui.Option{all}
	for _, o := range origins {
		from = append(from, ui.Option{Value: o.name, Label: i18n.T(ctx, o.label)})
	}
	return []ui.Filter{
		{Name: "agent", Label: i18n.T(ctx, "memory.of"), Value: p.Agent, Options: append([]ui.Option{all}, p.Team...)},
		{Name: "origin", Label: i18n.T(ctx, "memory.from"), Value: p.Origin, Options: from},
	}
}

// empty says why there is nothing.
func empty(ctx context.Context, p Props) ui.Empty {
	switch {
	case p.Q != "":
		return ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "memory.nomatch", "q", p.Q), Body: i18n.T(ctx, "memory.nomatch_more")}
	case p.Held:
		return ui.Empty{Kind: "done", Title: i18n.T(ctx, "memory.none_held"), Body: i18n.T(ctx, "memory.none_held_more")}
	case p.Agent != "" || p.Origin != "":
		return ui.Empty{Kind: "nomatch", Title: i18n.T(ctx, "memory.none_such"), Body: i18n.T(ctx, "memory.nomatch_more")}
	}
	return ui.Empty{Kind: "new", Title: i18n.T(ctx, "memory.empty"), Body: i18n.T(ctx, "memory.empty_more")}
}
