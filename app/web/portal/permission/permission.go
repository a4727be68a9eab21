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
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/permission"
)

// rules answers GET /app/permissions: the rules in force, or a former version or another guardian as a draft.
func (p *Pages) rules(c echo.Context) error {
	return p.showRules(c, http.StatusOK, views.Props{})
}

// showRules fills props in and shows them; what is set already is what a form brought.
func (p *Pages) showRules(c echo.Context, status int, props views.Props) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	err := p.fillRules(ctx, c, &props)
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	if props.ServerID, props.ConfigVersion, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "permission.title"), Away: props.Away, Wide: true})
	if err != nil {
		return err
	}
	outer.Failed = status >= http.StatusBadRequest
	return web.Render(c, status, views.Page(outer, props))
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
	draft := c.Request().Method == http.MethodGet && p.draft(c, now, props)
	err = errors.Join(p.fillHolds(ctx, of, props), p.fillDraft(ctx, of, draft, props))
	if mode, tried := c.QueryParams()["guardian"]; tried {
		props.Guardian.Mode = mode[0] // the choice stays as it was made
	}
	return err
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
	props.Limits, props.Windows = limitPairs(ctx, l), p.windowProps(of, w)
	return nil
}

func ruleVersions(all []wire.PermissionVersion) []views.VersionProps {
	out := make([]views.VersionProps, 0, len(all))
	for _, v := range all {
		out = append(out, views.VersionProps{N: v.Version, By: cmp.Or(v.By.Email, v.By.Channel), Reason: v.Reason, Text: v.Text, At: v.At})
	}
	return out
}

func (p *Pages) windowProps(of account.CustomerID, w wire.WindowsResult) []views.WindowProps {
	out := make([]views.WindowProps, 0, len(w.Items))
	for _, one := range w.Items {
		out = append(out, views.WindowProps{
			Approval: one.ApprovalID, Agent: p.Agents.Agent(of, one.Agent).Name, Tool: one.Tool, Tier: one.Tier, Destination: one.Destination,
			By: one.By.Name, Until: one.Until,
		})
	}
	return out
}

func limitPairs(ctx context.Context, l wire.LimitsResult) []ui.Pair {
	pairs := []ui.Pair{
		{Name: i18n.T(ctx, "permission.limit_pending"), Value: ui.Count(int64(l.PendingPerAgent))},
		{Name: i18n.T(ctx, "permission.limit_depth"), Value: ui.Count(int64(l.Depth))},
		{Name: i18n.T(ctx, "permission.limit_loop"), Value: ui.Count(int64(l.LoopWindow))},
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
	out := &views.PreviewProps{Checked: got.Checked, Looser: got.Looser, Loosens: got.Loosens, Diff: got.Diff}
	for _, one := range got.Problems {
		out.Problems = append(out.Problems, problemLine(ctx, one))
	}
	for _, ch := range got.Changed {
		out.Changed = append(out.Changed, views.ChangedProps{
			Run: ch.RunID, Summary: ch.Summary, Agent: p.Agents.Agent(of, ch.Agent).Name,
			Tier: ch.Tier, Before: ch.Before, After: ch.After, Why: ch.Why, At: ch.Time,
		})
	}
	return out, nil
}

func problemLine(ctx context.Context, one wire.PermissionProblem) string {
	if one.Line == 0 {
		return one.Text
	}
	return i18n.T(ctx, "permission.at_line", "line", one.Line, "text", one.Text)
}
