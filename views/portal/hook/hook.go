package hook

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

// Addresses of the section.
const (
	NewPath    = portal.Hooks + "/new"
	ChangePath = portal.Hooks + "/change" // where acts on hooks go
)

// Path is one hook.
func Path(id string) string { return portal.Hooks + "/" + url.PathEscape(id) }

// Hook is one hook.
type Hook struct {
	ID, Name, Agent, AgentID, Task, Proof, State, Session string

	PerMinute        int
	Last             *Received
	Created, Renewed time.Time
	By               string
}

// Received is something that came, or several of the same kind within a minute.
type Received struct {
	At                   time.Time
	Verdict, Reason, Run string
	Count, Size          int
}

// Signs is what a signature is bound to.
type Signs struct {
	Server string
	Config int64 // version of the settings
}

// List is all hooks and all rules on events.
type List struct {
	Items   []Hook
	Rules   []Rule
	NoRules bool // the server is too old for them
}

// One is a hook with a page of what came to it.
type One struct {
	Hook

	Address           string
	Came              []Received
	After, More       string
	Signs             Signs
	Team              []ui.Option
	Edit, Renew, Next string // acts as they are signed; Next pauses, or lets it go on
	Delete            string
}

// Form is a hook as it is typed.
type Form struct {
	Hook

	Address string // of a hook without its name
	Act     string
	Signs   Signs
	Team    []ui.Option
	Problem string
}

// attrs make a form whose act is written by the script and signed before it is sent.
func (s Signs) attrs(act string) templ.Attributes {
	return templ.Attributes{
		"data-change": "hook", "data-change-body": act, "data-server": s.Server, "data-version": strconv.FormatInt(s.Config, 10),
		"data-always": true, "data-hook": true, "data-open": "/app/credentials/open",
	}
}

var states = map[string]i18n.Key{"active": "hook.active", "paused": "hook.paused", "deleted": "hook.deleted"}

func (h Hook) state(ctx context.Context) templ.Component {
	return ui.Status(map[string]string{"active": "ok", "paused": "warn"}[h.State], i18n.T(ctx, states[h.State]))
}

var proofs = map[string]i18n.Key{"token": "hook.token", "signed": "hook.signed", "body": "hook.body"}

func proofOptions(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "token", Label: i18n.T(ctx, "hook.token"), Hint: i18n.T(ctx, "hook.token_hint")},
		{Value: "signed", Label: i18n.T(ctx, "hook.signed"), Hint: i18n.T(ctx, "hook.signed_hint")},
		{Value: "body", Label: i18n.T(ctx, "hook.body"), Hint: i18n.T(ctx, "hook.body_hint")},
	}
}

var verdicts = map[string]i18n.Key{
	"accepted": "hook.accepted", "refused": "hook.refused", "repeated": "hook.repeated", "too_many": "hook.too_many",
}

// became is what became of a delivery, in words.
func (r Received) became(ctx context.Context) templ.Component {
	kind := map[string]string{"accepted": "ok", "refused": "bad", "repeated": "off", "too_many": "warn"}[r.Verdict]
	text := i18n.T(ctx, verdicts[r.Verdict])
	if r.Count > 1 {
		text = i18n.T(ctx, "hook.times", "what", text, "n", r.Count)
	}
	return ui.Status(kind, text)
}

func (h Hook) agent(ctx context.Context) string {
	if h.AgentID == "" {
		return i18n.T(ctx, "hook.agent_named")
	}
	return h.Agent
}

func table(ctx context.Context, l List) ui.Table {
	t := ui.Table{
		ID: "hooks", Caption: i18n.T(ctx, "hook.title"), Path: portal.Hooks,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "hook.name"), Main: true},
			{Label: i18n.T(ctx, "hook.agent")},
			{Label: i18n.T(ctx, "hook.proof")},
			{Label: i18n.T(ctx, "hook.last")},
			{Label: i18n.T(ctx, "hook.state")},
		},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "hook.empty"), Body: i18n.T(ctx, "hook.empty_body")},
	}
	for _, h := range l.Items {
		last := ui.Text(i18n.T(ctx, "hook.nothing_yet"))
		if h.Last != nil {
			last = h.Last.became(ctx)
		}
		t.Rows = append(t.Rows, ui.Row{ID: "hook-" + h.ID, Cells: []templ.Component{
			ui.Link(Path(h.ID), h.Name), ui.Text(h.agent(ctx)), ui.Text(i18n.T(ctx, proofs[h.Proof])), last, h.state(ctx),
		}})
	}
	return t
}

// came lists what came.
func (o One) came(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "came", Caption: i18n.T(ctx, "hook.came"), Path: Path(o.ID),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "hook.at"), Main: true},
			{Label: i18n.T(ctx, "hook.became")},
			{Label: i18n.T(ctx, "hook.reason")},
			{Label: i18n.T(ctx, "hook.size")},
			{Label: i18n.T(ctx, "hook.run")},
		},
		Empty: ui.Empty{Kind: "new", Title: i18n.T(ctx, "hook.nothing"), Body: i18n.T(ctx, "hook.nothing_body")},
	}
	if o.After != "" {
		t.Pager.Prev = Path(o.ID)
	}
	t.Pager.Next = portal.NextPage(Path(o.ID), url.Values{}, o.More)
	for i, r := range o.Came {
		run := ui.Text("")
		if r.Run != "" {
			run = ui.Link(portal.RunPath(r.Run), i18n.T(ctx, "hook.run_open"))
		}
		t.Rows = append(t.Rows, ui.Row{ID: "came-" + strconv.Itoa(i), Cells: []templ.Component{
			ui.At(r.At), r.became(ctx), ui.Text(i18n.Say(ctx, r.Reason)), ui.Text(i18n.T(ctx, "hook.bytes", "n", r.Size)), run,
		}})
	}
	return t
}

func (o One) facts(ctx context.Context) []ui.Pair {
	return []ui.Pair{
		{Name: i18n.T(ctx, "hook.address"), Value: o.Address},
		{Name: i18n.T(ctx, "hook.proof"), Value: i18n.T(ctx, proofs[o.Proof])},
		{Name: i18n.T(ctx, "hook.agent"), Value: o.agent(ctx)},
		{Name: i18n.T(ctx, "hook.task"), Value: o.Task},
		{Name: i18n.T(ctx, "hook.rate"), Value: i18n.T(ctx, "hook.rate_value", "n", o.PerMinute)},
		{Name: i18n.T(ctx, "hook.state"), View: o.state(ctx)},
		{Name: i18n.T(ctx, "hook.made"), Value: o.By},
		{Name: i18n.T(ctx, "hook.renewed"), View: ui.At(o.Renewed)},
	}
}
