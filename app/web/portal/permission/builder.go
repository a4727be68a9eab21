package permission

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/permission/sentence"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/permission"
)

// saveRows answers POST /app/permissions: what the form of the rules makes of them, what that would have changed, and, once a
// person has seen it, that it is in force.
func (p *Pages) saveRows(c echo.Context) error {
	if c.FormValue("act") == actBack {
		return p.bringBack(c)
	}
	sent := sentProps(c)
	d := readDraft(sent.Text)
	if err := d.take(c); err != nil {
		return err
	}
	act := c.FormValue("act")
	d.do(act)
	d.settle()
	seen := sent.Text == d.text
	sent.Text = d.text
	if d.stuck != nil || act == "yaml" {
		return p.showText(c, sent, d.stuck)
	}
	sent.Rules = p.rulesProps(c, d)
	if act != "save" {
		return p.showDraft(c, http.StatusOK, d, sent)
	}
	if seen && len(d.faults) == 0 {
		return p.putInForce(c, sent)
	}
	sent.Rules.Unseen = len(d.faults) == 0
	return p.showDraft(c, http.StatusUnprocessableEntity, d, sent)
}

// showDraft shows rows with what they would have changed.
func (p *Pages) showDraft(c echo.Context, status int, d *draft, props views.Props) (err error) {
	if len(d.faults) == 0 {
		if props.Preview, err = p.previewOf(c.Request().Context(), frame.Customer(c), d.text); err != nil {
			return p.rulesRefused(c, props, err)
		}
	}
	return p.answer(c, status, props)
}

// showText shows the rules as text; stuck says why they are not shown as rows, where they were to be.
func (p *Pages) showText(c echo.Context, props views.Props, stuck error) (err error) {
	props.AsText = true
	var problems policy.Problems
	switch ctx := web.Context(c); {
	case errors.As(stuck, &problems):
		props.Preview = &views.PreviewProps{}
		for _, one := range problems {
			props.Preview.Problems = append(props.Preview.Problems, problemLine(ctx, wire.PermissionProblem(one)))
		}
		props.Refused = i18n.T(ctx, "rule.unreadable")
		return p.answer(c, http.StatusUnprocessableEntity, props)
	case stuck != nil:
		props.Refused = i18n.T(ctx, "rule.stuck")
		return p.answer(c, http.StatusUnprocessableEntity, props)
	}
	if props.Preview, err = p.previewOf(c.Request().Context(), frame.Customer(c), props.Text); err != nil {
		return p.rulesRefused(c, props, err)
	}
	return p.answer(c, http.StatusOK, props)
}

// answer gives the part of the page that has changed to htmx, and a whole page else.
func (p *Pages) answer(c echo.Context, status int, props views.Props) error {
	if !web.IsPartial(c) {
		return p.showRules(c, status, props)
	}
	if err := p.bind(c, &props); err != nil {
		return err
	}
	return web.Render(c, status, views.Work(props))
}

// rulesProps shows the rows of a draft, and what can be chosen in them.
func (p *Pages) rulesProps(c echo.Context, d *draft) *views.RulesProps {
	ctx, of := web.Context(c), frame.Customer(c)
	crew := p.crew(ctx, of)
	out := &views.RulesProps{Zone: session.Of(c).Zone().String(), Settings: settingsProps(d.doc.Settings())}
	for _, a := range crew {
		out.Agents = append(out.Agents, ui.Option{Value: a.ID, Label: cmp.Or(i18n.Say(ctx, a.Name), a.ID)})
		for _, t := range a.Tools {
			if !slices.Contains(out.Tools, t.Name) {
				out.Tools = append(out.Tools, t.Name)
			}
		}
	}
	slices.Sort(out.Tools)
	rows := d.doc.Rows()
	for n, row := range rows {
		one := ruleProps(n, row)
		one.Open, one.Fresh = slices.Contains(d.open, n), d.fresh != nil && *d.fresh == n
		one.Up, one.Down = n > 0 && rows[n-1].Channel == row.Channel, n+1 < len(rows) && rows[n+1].Channel == row.Channel
		one.AgentName, one.Gated = p.Agents.Agent(ctx, of, row.Agent).Name, gatedAt(crew, row)
		out.Rows = append(out.Rows, one)
	}
	for _, f := range d.faults {
		word := views.FaultWord(ctx, string(f.Kind), f.Text)
		if f.Row < 0 {
			if f.Field == "" {
				out.Faults = append(out.Faults, word)
			} else {
				out.Settings.Faults = append(out.Settings.Faults, word)
			}
			continue
		}
		r := &out.Rows[f.Row]
		r.Faults, r.Bad = append(r.Faults, word), append(r.Bad, f.Field)
	}
	return out
}

// crew are the agents with their tools; without the server, those that are remembered.
func (p *Pages) crew(ctx context.Context, of account.CustomerID) []wire.AgentInfo {
	ctx, cancel := frame.Asking(ctx)
	defer cancel()
	if got, err := p.Content.Agents(ctx, of); err == nil {
		p.Agents.Learn(of, got)
		return got.Items
	}
	var all []wire.AgentInfo
	for _, a := range p.Agents.All(ctx, of) {
		all = append(all, wire.AgentInfo{ID: a.ID, Name: a.Name})
	}
	return all
}

// gatedAt is where an agent is let send outside, when a rule allows what is asked all the same before that.
func gatedAt(crew []wire.AgentInfo, row sentence.Row) string {
	if row.Effect != "allow" {
		return ""
	}
	for _, a := range crew {
		for _, t := range a.Tools {
			if a.ID == row.Agent && t.Name == row.Tool && t.Outward && !t.Unlocked {
				return views.UnlockPath(a.ID)
			}
		}
	}
	return ""
}
