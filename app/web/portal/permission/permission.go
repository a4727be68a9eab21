package permission

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/permission/sentence"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/permission"
)

// rules answers GET /app/permissions: the rules in force as sentences, or a former version, another guardian or a rule that is
// made of a request as a draft.
func (p *Pages) rules(c echo.Context) error {
	return p.showRules(c, http.StatusOK, views.Props{})
}

// text answers GET /app/permissions/yaml: the rules in force as text.
func (p *Pages) text(c echo.Context) error {
	return p.showRules(c, http.StatusOK, views.Props{AsText: true})
}

// showRules fills props in and shows them; what is set already is what a form brought.
func (p *Pages) showRules(c echo.Context, status int, props views.Props) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	err := p.fillRules(ctx, c, &props)
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	if err := p.bind(c, &props); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "permission.title"), Away: props.Away, Wide: true})
	if err != nil {
		return err
	}
	outer.Failed = status >= http.StatusBadRequest
	return web.Render(c, status, views.Page(outer, props))
}

// bind says what a signature over the rules is bound to.
func (p *Pages) bind(c echo.Context, props *views.Props) (err error) {
	props.ServerID, props.ConfigVersion, err = signing.BoundTo(c, p.Frames, p.Team)
	return err
}

func (p *Pages) fillRules(ctx context.Context, c echo.Context, props *views.Props) error {
	of := frame.Customer(c)
	now, err := p.Permissions.Get(ctx, of)
	if err != nil {
		return err
	}
	props.Version, props.Problem = now.Version, now.Problem
	props.Edit = cmp.Or(props.Edit, uuid.Must(uuid.NewV7()).String())
	props.Versions = ruleVersions(now.Versions)
	draft := false
	if !props.Sent {
		draft = p.draft(c, now, props)
		made, err := p.fillRows(ctx, c, props)
		if err != nil {
			return err
		}
		draft = draft || made
	}
	err = errors.Join(p.fillHolds(ctx, of, props), p.fillDraft(ctx, of, draft, props))
	if mode, tried := c.QueryParams()["guardian"]; tried {
		props.Guardian.Mode = mode[0] // the choice stays as it was made
	}
	return err
}

// fillRows shows the text as rows, unless it is to be shown as text, or has to be. made reports whether there is one more,
// made of a request.
func (p *Pages) fillRows(ctx context.Context, c echo.Context, props *views.Props) (made bool, err error) {
	if props.AsText {
		return false, nil
	}
	d := readDraft(props.Text)
	request := ""
	if from := c.QueryParam("from"); from != "" && d.stuck == nil {
		if request, err = p.always(ctx, c, from, d); err != nil {
			return false, err
		}
	}
	if d.settle(); d.stuck != nil {
		props.Refused, props.AsText = i18n.T(web.Context(c), "rule.stuck"), true
		return false, nil
	}
	props.Text, props.Rules = d.text, p.rulesProps(c, d)
	props.Rules.Made = request
	return request != "", nil
}

// always adds the rule that decides such requests from now on, and gives what was asked.
func (p *Pages) always(ctx context.Context, c echo.Context, id string, d *draft) (asked string, err error) {
	it, err := p.Requests.Get(c.Request().Context(), frame.Customer(c), id)
	if err != nil {
		return "", err
	}
	it = inbox.Filled(ctx, p.Content, it)
	d.add(sentence.For(sentence.Request{
		Agent: it.Agent, Tool: it.Tool, Tier: it.Tier, Args: it.Args, Denied: it.State == wire.ApprovalDenied,
	}))
	return cmp.Or(it.Summary, ui.ToolTitle(ctx, it.Tool)), nil
}

// draft puts what the address asks for into the editor: the rules in force, a former version, another guardian.
func (p *Pages) draft(c echo.Context, now wire.Permissions, props *views.Props) bool {
	props.Text = now.Text
	if n, err := strconv.ParseInt(c.QueryParam("version"), 10, 64); err == nil {
		i := slices.IndexFunc(now.Versions, func(v wire.PermissionVersion) bool { return v.Version == n })
		if i >= 0 {
			props.Text, props.Reason = now.Versions[i].Text, i18n.T(web.Context(c), "permission.back_to", "n", n)
			return true
		}
	}
	mode, set := c.QueryParams()["guardian"]
	if set && slices.Contains([]string{"", "on", "off"}, mode[0]) {
		text, err := policy.SetGuardian([]byte(now.Text), mode[0])
		if err != nil {
			return false // the rules in force can be read, or they would not be
		}
		props.Text = string(text)
		return true
	}
	return false
}

func (p *Pages) fillDraft(ctx context.Context, of account.CustomerID, draft bool, props *views.Props) (err error) {
	if draft {
		props.Preview, err = p.previewOf(ctx, of, props.Text)
	}
	return err
}

// fillHolds adds what holds besides the rules: guardian, limits and windows.
func (p *Pages) fillHolds(ctx context.Context, of account.CustomerID, props *views.Props) error {
	g, err := p.Permissions.Guardian(ctx, of)
	if err != nil {
		return err
	}
	l, err := p.Permissions.Limits(ctx, of)
	if err != nil {
		return err
	}
	w, err := p.Permissions.Windows(ctx, of)
	if err != nil {
		return err
	}
	props.Guardian = views.GuardianProps{
		Mode: g.Mode, On: g.On, Model: g.Model, Allowed: g.Allowed, Escalated: g.Escalated, Blocked: g.Blocked, Failed: g.Failed,
	}
	props.Limits, props.Windows = limitPairs(ctx, l), p.windowProps(ctx, of, w)
	return nil
}

func ruleVersions(all []wire.PermissionVersion) []views.VersionProps {
	out := make([]views.VersionProps, 0, len(all))
	for _, v := range all {
		out = append(out, views.VersionProps{N: v.Version, By: cmp.Or(v.By.Email, v.By.Channel), Reason: v.Reason, Text: v.Text, At: v.At})
	}
	return out
}

func (p *Pages) windowProps(ctx context.Context, of account.CustomerID, w wire.WindowsResult) []views.WindowProps {
	out := make([]views.WindowProps, 0, len(w.Items))
	for _, one := range w.Items {
		out = append(out, views.WindowProps{
			Approval: one.ApprovalID, Agent: p.Agents.Agent(ctx, of, one.Agent).Name, Tool: one.Tool, Tier: one.Tier, Destination: one.Destination,
			By: one.By.Name, Until: one.Until,
		})
	}
	return out
}

func limitPairs(ctx context.Context, l wire.LimitsResult) []ui.Pair {
	pairs := []ui.Pair{
		{Name: i18n.T(ctx, "permission.limit_pending"), Value: ui.Count(ctx, int64(l.PendingPerAgent))},
		{Name: i18n.T(ctx, "permission.limit_depth"), Value: ui.Count(ctx, int64(l.Depth))},
		{Name: i18n.T(ctx, "permission.limit_loop"), Value: ui.Count(ctx, int64(l.LoopWindow))},
	}
	for _, b := range l.Budgets {
		pairs = append(pairs, views.Budget(ctx, b.Name, b.Most))
	}
	var rates map[string]string
	if json.Unmarshal(l.Rates, &rates) == nil { // a server that says it in another form shows none
		for _, tier := range slices.Sorted(maps.Keys(rates)) {
			pairs = append(pairs, views.Rate(ctx, tier, rates[tier]))
		}
	}
	return pairs
}

func (p *Pages) previewOf(ctx context.Context, of account.CustomerID, text string) (*views.PreviewProps, error) {
	got, err := p.Permissions.Preview(ctx, of, wire.PermissionsTry{Text: text})
	if err != nil {
		return nil, err
	}
	out := &views.PreviewProps{
		Checked: got.Checked, Loosens: got.Loosens, Diff: got.Diff, More: len(got.Changed) >= mostChanged, Untimed: untimed(text),
	}
	for _, one := range got.Problems {
		out.Problems = append(out.Problems, problemLine(ctx, one))
	}
	for _, ch := range got.Changed {
		out.Changed = append(out.Changed, views.ChangedProps{
			Run: ch.RunID, Summary: ch.Summary, Agent: p.Agents.Agent(ctx, of, ch.Agent).Name,
			Tier: ch.Tier, Before: ch.Before, After: ch.After, Why: i18n.Say(ctx, ch.Why), At: ch.Time,
		})
	}
	return out, nil
}

// mostChanged is how many calls a server lists.
const mostChanged = 500

// untimed says whether a text has rules about when or how often: a replay leaves those out.
func untimed(text string) bool {
	m, err := policy.ParseManifest([]byte(text))
	if err != nil {
		return false // it is said what is wrong with it
	}
	rules := m.Rules
	for _, c := range m.Channels {
		rules = append(rules, c.Rules...)
	}
	return slices.ContainsFunc(rules, func(r policy.Rule) bool {
		return r.Limits.Hours != nil || !r.Limits.Rate.IsZero() || r.Limits.Cooldown > 0
	})
}

func problemLine(ctx context.Context, one wire.PermissionProblem) string {
	if one.Line == 0 {
		return i18n.Say(ctx, one.Text)
	}
	return i18n.T(ctx, "permission.at_line", "line", one.Line, "text", i18n.Say(ctx, one.Text))
}
