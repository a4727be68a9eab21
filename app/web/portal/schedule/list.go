package schedule

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/schedule"
)

// list answers GET /app/schedules: those that are due next first.
func (p *Pages) list(c echo.Context) error {
	ask := frame.ListParams(c)
	state := c.QueryParam("state")
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	of := frame.Customer(c)
	got, err := p.Schedules.List(ctx, of, wire.SchedulesParams{
		Q: ask.Q, Agent: ask.Agent, State: wire.ScheduleState(state), After: ask.After,
	})
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "schedule.title"))
	}
	if err != nil {
		return err
	}
	props := views.List{
		Q: ask.Q, Agent: ask.Agent, State: state, After: ask.After, Next: got.Next, Failed: got.Failed, Paused: got.Settings.Paused,
	}
	for _, a := range p.Agents.All(ctx, of) {
		props.Agents = append(props.Agents, ui.Option{Value: a.ID, Label: a.Name})
	}
	for _, s := range got.Items {
		props.Items = append(props.Items, p.props(c, s))
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, ui.TableResults(views.Table(web.Context(c), props)))
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "schedule.title")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ListPage(outer, props))
}

func (p *Pages) props(c echo.Context, s wire.Schedule) views.Schedule {
	v := views.Schedule{
		ID: s.ID, Agent: p.Agents.Agent(c.Request().Context(), frame.Customer(c), s.Agent).Name, Kind: string(s.Kind), Says: s.Says,
		TimeZone: s.TimeZone, Title: s.Title, Task: s.Task, State: string(s.State), Why: s.Why, Next: s.Next, Failed: s.Failed,
		Skips: s.CatchUp == wire.CatchUpSkip, Session: s.Session, Outside: len(s.Outside) > 0,
	}
	if s.Last != nil {
		last := tickProps(*s.Last)
		v.Last = &last
	}
	return v
}

func tickProps(t wire.ScheduleTick) views.Tick {
	return views.Tick{
		Due: t.Due, Verdict: string(t.Verdict), Outcome: string(t.Outcome), Reason: t.Reason, Run: t.RunID, Retry: t.RetryAt,
		Asked: t.Asked,
	}
}

// all answers POST /app/schedules/all: pauses all of them, or lets them go on.
func (p *Pages) all(c echo.Context) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	got, err := p.Schedules.List(ctx, of, wire.SchedulesParams{Limit: 1})
	if err != nil {
		return err
	}
	set := got.Settings
	set.Paused, set.By = c.FormValue("paused") == "on", frame.Origin(c)
	if _, err := p.Schedules.Set(ctx, of, set); err != nil {
		return err
	}
	said := i18n.Key("schedule.now_all_on")
	if set.Paused {
		said = "schedule.now_all_off"
	}
	frame.Said(c, said)
	return web.SeeOther(c, portal.Schedules)
}

// month answers GET /app/schedules/month: what is due, day by day.
func (p *Pages) month(c echo.Context) error {
	zone := session.Of(c).Zone()
	now := p.Now().In(zone)
	from := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, zone)
	if asked := c.QueryParam("month"); asked != "" {
		at, err := time.ParseInLocation("2006-01", asked, zone)
		if err != nil || at.Year() < 2000 || at.Year() > now.Year()+5 {
			return fault.Bad(map[string]string{"month": "Write a month as in 2026-11."})
		}
		from = at
	}
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	got, err := p.Schedules.Due(ctx, frame.Customer(c), from, from.AddDate(0, 1, 0))
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "schedule.month"))
	}
	if err != nil {
		return err
	}
	props := views.Month{From: from, More: got.More}
	for _, d := range got.Items {
		props.Add(d.Due.In(zone), views.Due{ID: d.Schedule, Title: d.Title, At: d.Due})
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "schedule.month")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.MonthPage(outer, props))
}
