package schedule

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
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
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props, err := p.listProps(ctx, c)
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "schedule.title"))
	}
	if err != nil {
		return err
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, ui.TableResults(views.Table(web.Context(c), props)))
	}
	page := frame.Page{Title: i18n.T(web.Context(c), "schedule.title")}
	if props.After == "" {
		page.Topic = "schedules&" + props.Query().Encode() // later pages do not move
	}
	outer, err := p.Frames.Of(c, page)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ListPage(outer, props))
}

// listProps is the list that an address asks for.
func (p *Pages) listProps(ctx context.Context, c echo.Context) (props views.List, err error) {
	ask, state, of := frame.ListParams(c), c.QueryParam("state"), frame.Customer(c)
	got, err := p.Schedules.List(ctx, of, wire.SchedulesParams{
		Q: ask.Q, Agent: ask.Agent, State: wire.ScheduleState(state), After: ask.After,
	})
	if err != nil {
		return props, err
	}
	props = views.List{
		Q: ask.Q, Agent: ask.Agent, State: state, After: ask.After, Next: got.Next, Failed: got.Failed, Paused: got.Settings.Paused,
		QuietFrom: got.Settings.QuietFrom, QuietTo: got.Settings.QuietTo,
	}
	for _, a := range p.Agents.All(ctx, of) {
		props.Agents = append(props.Agents, ui.Option{Value: a.ID, Label: a.Name})
	}
	for _, s := range got.Items {
		props.Items = append(props.Items, p.props(c, s))
	}
	if ask.Q+ask.Agent+ask.After+state == "" && !hasBriefing(ctx, got.Items) {
		props.Briefing = uuid.NewString()
	}
	return props, nil
}

// hasBriefing says whether one of these is the daily briefing, in whichever language it was set up.
func hasBriefing(ctx context.Context, all []wire.Schedule) bool {
	return slices.ContainsFunc(all, func(s wire.Schedule) bool {
		return slices.ContainsFunc(i18n.Languages, func(l i18n.Language) bool {
			return s.Task == i18n.T(i18n.With(ctx, l.Locale), "schedule.briefing_task")
		})
	})
}

func (p *Pages) props(c echo.Context, s wire.Schedule) views.Schedule {
	v := views.Schedule{
		ID: s.ID, Agent: p.Agents.Agent(c.Request().Context(), frame.Customer(c), s.Agent).Name, Kind: string(s.Kind), Says: s.Says,
		TimeZone: s.TimeZone, Title: s.Title, Task: s.Task, State: string(s.State), Why: s.Why, Next: s.Next, Failed: s.Failed,
		Skips: s.CatchUp == wire.CatchUpSkip, Session: s.Session, Outside: len(s.Outside) > 0,
	}
	if k := s.Condition; k != nil {
		v.Watched = fmt.Sprintf("%s %s %s: %s %s", k.Tool, k.Args, k.Find+k.Path+k.Pattern, i18n.T(web.Context(c), comparisons[k.Is]),
			strconv.FormatFloat(k.Value, 'f', -1, 64))
	}
	if s.Last != nil {
		last := tickProps(*s.Last)
		v.Last = &last
	}
	if w := s.Webhook; w != nil {
		v.Webhook = &views.Webhook{Shown: w.Shown, By: w.By.Name, Stale: w.Stale, Updated: w.Updated}
	}
	return v
}

// comparisons are what a number can be.
var comparisons = map[string]i18n.Key{"above": "schedule.is_above", "below": "schedule.is_below", "equal": "schedule.is_equal"}

func tickProps(t wire.ScheduleTick) views.Tick {
	return views.Tick{
		Due: t.Due, Verdict: string(t.Verdict), Outcome: string(t.Outcome), Reason: t.Reason, Run: t.RunID, Retry: t.RetryAt,
		Asked: t.Asked, Delivery: deliveryProps(t.Delivery),
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

// quiet answers POST /app/schedules/quiet: when nothing that comes by an interval disturbs; both empty: never.
func (p *Pages) quiet(c echo.Context) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	got, err := p.Schedules.List(ctx, of, wire.SchedulesParams{Limit: 1})
	if err != nil {
		return err
	}
	set := got.Settings
	set.QuietFrom, set.QuietTo, set.By = c.FormValue("from"), c.FormValue("to"), frame.Origin(c)
	if _, err := p.Schedules.Set(ctx, of, set); err != nil {
		return err
	}
	said := i18n.Key("schedule.now_quiet")
	if set.QuietFrom == "" {
		said = "schedule.now_not_quiet"
	}
	frame.Said(c, said)
	return web.SeeOther(c, portal.Schedules)
}

// lost answers GET /app/schedules/failed: what failed for good, of all schedules, newest first.
func (p *Pages) lost(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	of := frame.Customer(c)
	got, err := p.Schedules.Failed(ctx, of, wire.SchedulesParams{After: c.QueryParam("after")})
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "schedule.failed_title"))
	}
	if err != nil {
		return err
	}
	props := views.Failed{After: c.QueryParam("after"), More: got.Next}
	names := map[string]string{}
	for _, t := range got.Items {
		if _, known := names[t.Schedule]; !known {
			s, err := p.Schedules.Find(ctx, of, t.Schedule)
			if err != nil {
				return err
			}
			names[t.Schedule] = s.Title
		}
		props.Ticks = append(props.Ticks, views.FailedTick{Tick: tickProps(t), ID: t.Schedule, Title: names[t.Schedule]})
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "schedule.failed_title")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.FailedPage(outer, props))
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
