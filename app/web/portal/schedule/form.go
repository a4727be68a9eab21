package schedule

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"

	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/app/welcome"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/schedule"
)

// blank answers GET /app/schedules/new.
func (p *Pages) blank(c echo.Context) error {
	f := views.Form{
		Agent: c.QueryParam("agent"), Does: views.Works, Once: uuid.NewString(),
		Watch: views.WatchDisk, By: views.ByWords, Is: "above", Value: "90", Tool: "shell",
	}
	if err := p.prepare(c, &f); err != nil {
		return err
	}
	return p.form(c, http.StatusOK, f)
}

// prepare fills the form with the first task that it was opened for. Nothing is saved by that.
func (p *Pages) prepare(c echo.Context, f *views.Form) error {
	state, err := p.Tasks.Of(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	win, ok := state.Business().Win(welcome.Task(c.QueryParam("win")))
	if !ok || win.When == nil {
		return nil
	}
	locale := i18n.LocaleOf(web.Context(c))
	f.Win, f.Agent, f.Spec, f.Task = string(win.Task), win.Agent, win.When.In(locale), win.Text.In(locale)
	if win.Reminder {
		f.Does = views.Reminds
	}
	return nil
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
		Watch: c.FormValue("watch"), Tool: c.FormValue("tool"), Args: c.FormValue("args"), By: c.FormValue("by"),
		Place: c.FormValue("place"), Is: c.FormValue("is"), Value: c.FormValue("value"), Win: c.FormValue("win"),
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
	case f.Does == views.Watches:
		return wire.ScheduleMonitor, "", nil
	}
	return r.Kind, "", nil
}

// diskArgs looks how full the disk is, in per cent.
const diskArgs = `{"command":"df --output=pcent /"}`

// watched is what a form has watched; nil where it watches nothing.
func watched(f views.Form) (*wire.ScheduleCondition, string) {
	if f.Does != views.Watches {
		return nil, ""
	}
	value, err := strconv.ParseFloat(strings.Replace(f.Value, ",", ".", 1), 64)
	if err != nil {
		return nil, "Write a number to compare with."
	}
	c := &wire.ScheduleCondition{Tool: "shell", Args: diskArgs, Is: f.Is, Value: value}
	if f.Watch == views.WatchDisk {
		return c, ""
	}
	c.Tool, c.Args = f.Tool, f.Args
	switch f.By {
	case views.ByPath:
		c.Path = f.Place
	case views.ByPattern:
		c.Pattern = f.Place
	default:
		c.Find = f.Place
	}
	return c, ""
}

// watching fills a form with what a monitor watches.
func watching(f *views.Form, c *wire.ScheduleCondition) {
	f.Does, f.Watch, f.Is = views.Watches, views.WatchDisk, c.Is
	f.Value = strconv.FormatFloat(c.Value, 'f', -1, 64)
	if c.Tool == "shell" && c.Args == diskArgs && c.Find+c.Path+c.Pattern == "" {
		return
	}
	f.Watch, f.Tool, f.Args, f.By, f.Place = views.WatchOwn, c.Tool, c.Args, views.ByWords, c.Find
	switch {
	case c.Path != "":
		f.By, f.Place = views.ByPath, c.Path
	case c.Pattern != "":
		f.By, f.Place = views.ByPattern, c.Pattern
	}
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
	condition, problem := watched(f)
	if problem != "" {
		return p.refused(c, f, "value", problem)
	}
	s, err := p.Schedules.Create(c.Request().Context(), frame.Customer(c), f.Once, wire.ScheduleCreate{
		Agent: f.Agent, Kind: kind, Spec: f.Spec, TimeZone: session.Of(c).Zone().String(), Title: f.Title, Task: f.Task,
		CatchUp: catchUp(f), By: frame.Origin(c), Condition: condition,
	})
	if err != nil {
		return p.failed(c, f, err)
	}
	if err := p.Tasks.Done(c.Request().Context(), frame.Customer(c), welcome.Task(f.Win)); err != nil {
		return err // sent again, the schedule is the same one
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
	if s.Condition != nil {
		watching(&f, s.Condition)
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
	if was.Kind == wire.ScheduleMonitor {
		f.Does = views.Watches
		var problem string
		if e.Condition, problem = watched(f); problem != "" {
			return p.refused(c, f, "value", problem)
		}
		if was.Condition != nil && *e.Condition == *was.Condition {
			e.Condition = nil // what held goes on holding
		}
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
