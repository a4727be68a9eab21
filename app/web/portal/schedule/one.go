package schedule

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/schedule"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"

	views "gatehouse/views/portal/schedule"
)

// one answers GET /app/schedules/:id: a schedule with its history.
func (p *Pages) one(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props, err := p.oneProps(ctx, c, c.Param("id"))
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "schedule.title"))
	}
	if err != nil {
		return err
	}
	if props.State != string(wire.ScheduleDeleted) {
		s, err := p.Schedules.Find(ctx, frame.Customer(c), props.ID)
		if err != nil {
			return err
		}
		if props.Signs, err = p.signs(c, s); err != nil {
			return err
		}
	}
	page := frame.Page{Title: props.Title}
	if props.After == "" {
		page.Topic = "schedule&id=" + props.ID // older pages of the history do not move
	}
	outer, err := p.Frames.Of(c, page)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.OnePage(outer, props))
}

// oneProps is a schedule with the page of its history that an address asks for.
func (p *Pages) oneProps(ctx context.Context, c echo.Context, id string) (props views.One, err error) {
	of, after := frame.Customer(c), c.QueryParam("after")
	s, err := p.Schedules.Find(ctx, of, id)
	if err != nil {
		return props, err
	}
	got, err := p.Schedules.Ticks(ctx, of, wire.ScheduleTicksParams{ID: id, After: after})
	if err != nil {
		return props, err
	}
	props = views.One{Schedule: p.props(c, s), After: after, More: got.Next, Once: uuid.NewString()}
	for _, t := range got.Items {
		props.Ticks = append(props.Ticks, tickProps(t))
	}
	return props, nil
}

var saidOf = map[schedule.Act]i18n.Key{
	schedule.Pause: "schedule.now_paused", schedule.Resume: "schedule.now_resumed", schedule.Delete: "schedule.now_deleted",
	schedule.Dismiss: "schedule.now_dismissed",
}

// act answers POST /app/schedules/:id/act: pauses, resumes, deletes, dismisses, or runs it now.
func (p *Pages) act(c echo.Context) error {
	ctx, of, id := c.Request().Context(), frame.Customer(c), c.Param("id")
	if c.FormValue("act") == "run" {
		if _, err := p.Schedules.Run(ctx, of, c.FormValue("once"), id, frame.Origin(c)); err != nil {
			return err
		}
		frame.Said(c, "schedule.now_runs")
		return web.SeeOther(c, views.Path(id))
	}
	act := schedule.Act(c.FormValue("act"))
	said, known := saidOf[act]
	if !known {
		return fault.Bad(map[string]string{"act": "Choose what to do."})
	}
	if _, err := p.Schedules.Do(ctx, of, id, act, frame.Origin(c)); err != nil {
		return err
	}
	frame.Said(c, said)
	if act == schedule.Delete {
		return web.SeeOther(c, portal.Schedules)
	}
	return web.SeeOther(c, views.Path(id))
}
