package admin

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/machine"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// AtProviders does things with machines at their providers; machine.Service does.
type AtProviders interface {
	View(ctx context.Context, srv server.Server) (machine.View, error)
	Do(ctx context.Context, id server.ID, w machine.Want, by audit.Actor) (machine.Act, error)
	AskLook(ctx context.Context, id server.ID, by audit.Actor) error
}

// machineRoutes are what is done with the machine of a server at its provider.
func (h *Handler) machineRoutes() []web.Route {
	at := func(path string, needs staff.Permission, verbs ...machine.Verb) web.Route {
		return web.Route{
			Method: http.MethodPost, Path: views.ServersPath + "/:id" + path, For: web.Staff, Needs: needs, Fresh: true,
			Do: h.coded(h.doWithMachine(verbs...)),
		}
	}
	return []web.Route{
		at("/power", staff.ServersPower, machine.On, machine.Off, machine.Reset),
		at("/rescue", staff.ServersPower, machine.RescueOn, machine.RescueOff),
		at("/snapshot", staff.ServersPower, machine.Take),
		at("/reinstall", staff.ServersDestroy, machine.Reinstall),
		at("/restore", staff.ServersDestroy, machine.Restore),
		at("/drop", staff.ServersDestroy, machine.Drop),
		{Method: http.MethodPost, Path: views.ServersPath + "/:id/look", For: web.Staff, Needs: staff.ServersPower, Do: h.lookAtMachine},
	}
}

// doWithMachine takes one of the verbs of a route.
func (h *Handler) doWithMachine(verbs ...machine.Verb) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := id(c)
		if err != nil {
			return err
		}
		w := machine.Want{Verb: verbs[0], Copy: c.FormValue("snapshot"), Key: c.FormValue("key")}
		for _, verb := range verbs {
			if string(verb) == c.FormValue("verb") {
				w.Verb = verb
			}
		}
		if string(w.Verb) != c.FormValue("verb") {
			return machine.ErrVerb
		}
		if _, err := h.Machines.Do(c.Request().Context(), server.ID(v), w, actorOf(c)); err != nil {
			return err
		}
		said(c, "machine.said_asked", "what", views.MachineVerbWord(web.Context(c), string(w.Verb)))
		return web.SeeOther(c, views.ServerPath(v))
	}
}

// lookAtMachine answers POST /admin/servers/:id/look.
func (h *Handler) lookAtMachine(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	if err := h.Machines.AskLook(c.Request().Context(), server.ID(v), actorOf(c)); err != nil {
		return err
	}
	said(c, "machine.looking")
	return web.SeeOther(c, views.ServerPath(v))
}

// atProvider is what is known of a server's machine at its provider.
func (h *Handler) atProvider(c echo.Context, srv server.Server) (views.AtProvider, error) {
	v, err := h.Machines.View(c.Request().Context(), srv)
	if err != nil {
		return views.AtProvider{}, err
	}
	p := views.AtProvider{
		Power: v.Can.Power, Rescue: v.Can.Rescue, RescueKey: v.Can.RescueKey, Reinstall: v.Can.Reinstall, Snapshots: v.Can.Snapshots,
		MaySwitch: may(c, staff.ServersPower), MayDestroy: may(c, staff.ServersDestroy),
		State: string(v.Seen.Power), InRescue: v.Rescue, SeenAt: v.Seen.At, Problem: v.Seen.Problem, Busy: v.Busy, Agreed: v.Agreed,
		LateSince: v.LateSince,
	}
	for _, m := range v.Seen.Measures {
		p.Measures = append(p.Measures, views.Measured{Name: m.Name, Avg: m.Avg, Max: m.Max})
	}
	for _, s := range v.Copies {
		p.Copies = append(p.Copies, views.SnapshotCopy{
			ID: s.ID, Name: s.Name, Size: s.Size, MadeAt: s.MadeAt, Daily: s.Daily(), Ready: s.Ready,
		})
	}
	for _, a := range v.Acts {
		p.Acts = append(p.Acts, views.MachineAct{
			ID: a.ID, Verb: string(a.Verb), Name: a.Name, By: a.By, State: string(a.State), Said: a.Said, At: a.At,
		})
	}
	return p, nil
}
