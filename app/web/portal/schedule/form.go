package schedule

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"

	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/schedule"
)

// blank answers GET /app/schedules/new.
func (p *Pages) blank(c echo.Context) error {
	return p.form(c, http.StatusOK, views.Form{Agent: c.QueryParam("agent"), Does: views.Works, Once: uuid.NewString()})
}

// form shows a form with what was typed.
func (p *Pages) form(c echo.Context, status int, f views.Form) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	title := i18n.T(web.Context(c), "schedule.new")
	if f.ID != "" {
		title = i18n.T(web.Context(c), "schedule.edit")
	}
	team, err := p.Team.Agents(ctx, frame.Customer(c))
	if frame.IsAway(err) {
		return p.Frames.Away(c, title)
	}
	if err != nil {
		return err
	}
	for _, a := range team.Items {
		f.Agents = append(f.Agents, ui.Option{Value: a.ID, Label: a.Name})
	}
	f.Zone = session.Of(c).Zone().String()
	outer, err := p.Frames.Of(c, frame.Page{Title: title})
	if err != nil {
		return err
	}
	outer.Failed = len(f.Problems) > 0
	return web.Render(c, status, views.FormPage(outer, f))
}

// typed is what a form brought.
func typed(c echo.Context) views.Form {
	version, _ := strconv.ParseInt(c.FormValue("version"), 10, 64) // of our own page; another one is a conflict
	return views.Form{
		ID: c.Param("id"), Version: version, Agent: c.FormValue("agent"), Does: c.FormValue("does"), Spec: c.FormValue("spec"),
		Title: c.FormValue("title"), Task: c.FormValue("task"), Skips: c.FormValue("skips") == "1", Once: c.FormValue("once"),
	}
}

// meant is which kind of schedule a form means, by what its time says. What can mean two things is asked back.
func (p *Pages) meant(c echo.Context, f views.Form) (kind wire.ScheduleKind, problem string, err error) {
	r, err := p.Schedules.Read(c.Request().Context(), frame.Customer(c), wire.ScheduleReadParams{
		Spec: f.Spec, TimeZone: session.Of(c).Zone().String(),
	})
	switch {
	case err != nil && !frame.IsAway(err) && !frame.IsOurs(err):
		return "", web.Told(c, err).Public, nil
	case err != nil:
		return "", "", err
	case r.Ask != "":
		return "", r.Ask, nil
	case f.Does == views.Reminds:
		return wire.ScheduleReminder, "", nil
	}
	return r.Kind, "", nil
}

// catchUp is what becomes of times that passed.
func catchUp(f views.Form) wire.CatchUp {
	if f.Skips {
		return wire.CatchUpSkip
	}
	return wire.CatchUpOnce
}

// create answers POST /app/schedules/new.
func (p *Pages) create(c echo.Context) error {
	f := typed(c)
	kind, problem, err := p.meant(c, f)
	if err != nil {
		return err
	}
	if problem != "" {
		return p.refused(c, f, "spec", problem)
	}
	s, err := p.Schedules.Create(c.Request().Context(), frame.Customer(c), f.Once, wire.ScheduleCreate{
		Agent: f.Agent, Kind: kind, Spec: f.Spec, TimeZone: session.Of(c).Zone().String(), Title: f.Title, Task: f.Task,
		CatchUp: catchUp(f), By: frame.Origin(c),
	})
	if err != nil {
		return p.failed(c, f, err)
	}
	frame.Said(c, "schedule.now_created", "says", s.Says)
	return web.SeeOther(c, views.Path(s.ID))
}

// failed shows the form again with what the server says of it.
func (p *Pages) failed(c echo.Context, f views.Form, err error) error {
	if frame.IsAway(err) || frame.IsOurs(err) {
		return err
	}
	return p.refused(c, f, "task", web.Told(c, err).Public)
}

func (p *Pages) refused(c echo.Context, f views.Form, field, problem string) error {
	f.Problems = map[string]string{field: problem}
	return p.form(c, http.StatusUnprocessableEntity, f)
}

// edit answers GET /app/schedules/:id/edit.
func (p *Pages) edit(c echo.Context) error {
	s, err := p.Schedules.Find(c.Request().Context(), frame.Customer(c), c.Param("id"))
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "schedule.edit"))
	}
	if err != nil {
		return err
	}
	f := views.Form{
		ID: s.ID, Version: s.Version, Agent: s.Agent, Does: views.Works, Spec: s.Spec, Title: s.Title, Task: s.Task,
		Skips: s.CatchUp == wire.CatchUpSkip,
	}
	if s.Kind == wire.ScheduleReminder {
		f.Does = views.Reminds
	}
	return p.form(c, http.StatusOK, f)
}

// change answers POST /app/schedules/:id/edit. The kind follows the time where that was written anew.
func (p *Pages) change(c echo.Context) error {
	f, ctx, of := typed(c), c.Request().Context(), frame.Customer(c)
	was, err := p.Schedules.Find(ctx, of, f.ID)
	if err != nil {
		return err
	}
	skips := catchUp(f)
	e := wire.ScheduleEdit{
		ID: f.ID, Version: f.Version, Agent: &f.Agent, Title: &f.Title, Task: &f.Task, CatchUp: &skips, By: frame.Origin(c),
	}
	if f.Spec != was.Spec {
		kind, problem, err := p.meant(c, f)
		if err != nil {
			return err
		}
		if problem != "" {
			return p.refused(c, f, "spec", problem)
		}
		e.Spec = &f.Spec
		if was.Kind != wire.ScheduleMonitor && was.Kind != wire.ScheduleHeartbeat {
			e.Kind = &kind
		}
	}
	s, err := p.Schedules.Edit(ctx, of, e)
	if err != nil {
		return p.failed(c, f, err)
	}
	frame.Said(c, "schedule.now_changed", "says", s.Says)
	return web.SeeOther(c, views.Path(s.ID))
}
