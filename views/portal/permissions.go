package portal

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// The pages and forms about rules.
const (
	Permissions       = "/app/permissions"
	PermissionsWindow = "/app/permissions/windows/close"
)

// exampleRules shows what rules look like.
const exampleRules = `version: 1
tiers:
  social_post: critical_red
rules:
  - id: newsletter-by-day
    effect: ask
    tool: message
    limits: {hours: {from: "08:00", to: "18:00", zone: Europe/Berlin}}
    reason: Mail goes out while somebody is in the office
  - id: no-deletes-by-schedule
    effect: deny
    tier: [red]
    origin: [schedule]
channels:
  discord: {read_only: true}
`

// PermissionsProps is the page of rules.
type PermissionsProps struct {
	ServerID      string
	ConfigVersion int64 // that a signed change belongs to
	Version       int64 // of the rules in force
	Edit          string
	Text          string
	Reason        string
	Problem       string // why the file on the server is not in force
	Sent          bool   // a form was: what it brought is not to be lost
	Refused       string // why what was sent is not in force
	Unsigned      bool   // for want of a signature
	Problems      map[string]string
	Preview       *PreviewProps
	Guardian      GuardianProps
	Limits        []ui.Pair
	Windows       []WindowProps
	Versions      []RuleVersionProps
	Away          bool
}

// PreviewProps is what other rules would have changed.
type PreviewProps struct {
	Problems []string
	Checked  int
	Looser   int
	Loosens  bool
	Diff     string
	Changed  []ChangedProps
}

// ChangedProps is a past call that would have been decided otherwise.
type ChangedProps struct {
	Run, Summary, Agent, Tier, Before, After, Why string
	At                                            time.Time
}

// GuardianProps is how the second look at risky calls is set.
type GuardianProps struct {
	Mode                                string // on, off or ""
	On                                  bool
	Model                               string
	Allowed, Escalated, Blocked, Failed int
}

// WindowProps is a time in which a tool runs without being asked again.
type WindowProps struct {
	Approval, Agent, Tool, Tier, Destination, By string
	Until                                        time.Time
}

// RuleVersionProps is one version of the rules.
type RuleVersionProps struct {
	N                int64
	By, Reason, Text string
	At               time.Time
}

func guardianModes(ctx context.Context) []ui.Option {
	return []ui.Option{
		{Value: "", Label: i18n.T(ctx, "permission.guardian_auto")},
		{Value: "on", Label: i18n.T(ctx, "permission.guardian_on")},
		{Value: "off", Label: i18n.T(ctx, "permission.guardian_off")},
	}
}

func guardianKind(g GuardianProps) string {
	if g.On {
		return "ok"
	}
	return "off"
}

func guardianWord(ctx context.Context, g GuardianProps) string {
	if g.On {
		return i18n.T(ctx, "permission.guardian_is_on")
	}
	return i18n.T(ctx, "permission.guardian_is_off")
}

func guardianPairs(ctx context.Context, g GuardianProps) []ui.Pair {
	model := g.Model
	if model == "" {
		model = i18n.T(ctx, "permission.guardian_no_model")
	}
	return []ui.Pair{
		{Name: i18n.T(ctx, "permission.guardian_model"), Value: model},
		{Name: i18n.T(ctx, "permission.guardian_week"), Value: i18n.T(ctx, "permission.guardian_counts", "allowed", g.Allowed, "escalated", g.Escalated, "blocked", g.Blocked, "failed", g.Failed)},
	}
}

var budgets = map[string]i18n.Key{
	"deletes": "permission.budget_deletes", "changes": "permission.budget_changes", "files": "permission.budget_files",
	"bytes": "permission.budget_bytes", "recipients": "permission.budget_recipients", "money": "permission.budget_money",
}

// Budget is how much of something one run may do before a person looks.
func Budget(ctx context.Context, name string, most int64) ui.Pair {
	p := ui.Pair{Name: name, Value: ui.Count(most)}
	if key, ok := budgets[name]; ok {
		p.Name = i18n.T(ctx, key)
	}
	switch name {
	case "bytes":
		p.Value = ui.Bytes(most)
	case "money":
		p.Value = ui.Count(most/100) + fmt.Sprintf(".%02d", most%100)
	}
	return p
}

// Rate is how often an agent may use a tool of a tier; often reads "600/1m0s".
func Rate(ctx context.Context, tier, often string) ui.Pair {
	p := ui.Pair{Name: i18n.T(ctx, "permission.limit_rate", "tier", ui.TierWord(ctx, tier)), Value: often}
	n, per, _ := strings.Cut(often, "/")
	if d, err := time.ParseDuration(per); err == nil {
		p.Value = i18n.T(ctx, "permission.limit_often", "n", n, "time", ui.Duration(d))
	}
	return p
}

func previewKind(p PreviewProps) string {
	switch {
	case p.Loosens:
		return "warn"
	case len(p.Changed) > 0:
		return "info"
	}
	return "ok"
}

// previewWords says what a person has to know before saving.
func previewWords(ctx context.Context, p PreviewProps) string {
	switch {
	case p.Loosens && p.Looser == 0:
		return i18n.T(ctx, "permission.loosens_none")
	case p.Loosens:
		return i18n.T(ctx, "permission.loosens", "n", p.Looser)
	case len(p.Changed) == 0:
		return i18n.T(ctx, "permission.changes_none")
	}
	return i18n.T(ctx, "permission.changes", "n", len(p.Changed))
}

func effectKind(effect string) string {
	switch effect {
	case "allow":
		return "ok"
	case "deny":
		return "bad"
	}
	return "warn"
}

func changedTable(ctx context.Context, p PreviewProps) ui.Table {
	t := ui.Table{
		ID: "changed", Caption: i18n.T(ctx, "permission.preview_title"),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "permission.call"), Main: true},
			{Label: i18n.T(ctx, "portal.activity.agent")},
			{Label: i18n.T(ctx, "portal.activity.tier")},
			{Label: i18n.T(ctx, "permission.outcome")},
			{Label: i18n.T(ctx, "credential.when")},
		},
		Empty: ui.Empty{Kind: "done", Title: i18n.T(ctx, "permission.changes_none")},
	}
	for _, c := range p.Changed {
		t.Rows = append(t.Rows, ui.Row{Cells: []templ.Component{changedCall(c), ui.Text(c.Agent), ui.TierBadge(c.Tier), changedEffect(c), ui.Time(c.At)}})
	}
	return t
}
