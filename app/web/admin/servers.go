package admin

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/graph"
	views "gatehouse/views/admin"
	"gatehouse/views/layout"
)

// servers answers GET /admin/servers: how many are in each state, and a list.
func (h *Handler) servers(c echo.Context) error {
	w, err := wantedOf(c, "state")
	if err != nil {
		return err
	}
	l, err := h.serverList(c.Request().Context(), w)
	if err != nil {
		return err
	}
	m, err := h.serverMap(c.Request().Context(), w.narrow["state"])
	if err != nil {
		return err
	}
	return h.list(c, "admin.servers.title", topicServers, views.ServerTable(web.Context(c), l), func(f layout.Frame) templ.Component {
		return views.ServersPage(f, m, l)
	})
}

func (h *Handler) serverList(ctx context.Context, w wanted) (views.List[views.Server], error) {
	of, err := h.Servers.List(ctx, server.Filter{State: server.State(w.narrow["state"])}, w.Ask)
	return listed(w, views.ServersPath, of, serverProps), err
}

// serverMap counts the servers of each state; chosen is the one that the list is narrowed to.
func (h *Handler) serverMap(ctx context.Context, chosen string) (views.ServerMap, error) {
	counts, err := h.Servers.Counts(ctx)
	m := views.ServerMap{Chosen: chosen}
	for _, s := range server.States() {
		m.States = append(m.States, views.StateCount{State: string(s), N: counts[s]})
	}
	return m, err
}

// server answers GET /admin/servers/:id.
func (h *Handler) server(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	p, err := h.oneServer(c, server.ID(v))
	if err != nil {
		return err
	}
	chart, err := h.Servers.Chart(c.Request().Context(), server.ID(v), graph.SpanOf(c.QueryParam("span")))
	if err != nil {
		return err
	}
	p.Charts = graph.Of(chart, views.ServerPath(v))
	f, err := h.frame(c, "admin.servers.title", topicServer, v)
	if err != nil {
		return err
	}
	f.Title = p.Slug
	return web.Render(c, http.StatusOK, views.ServerPage(f, p))
}

func (h *Handler) oneServer(c echo.Context, id server.ID) (views.Server, error) {
	ctx := c.Request().Context()
	s, err := h.Servers.Find(ctx, id)
	if err != nil {
		return views.Server{}, err
	}
	owner, err := h.Accounts.Customer(ctx, s.CustomerID)
	if err != nil {
		return views.Server{}, err
	}
	s.CustomerName = owner.Name
	p := serverProps(s)
	p.Keys, p.Support = may(c, staff.ApprovalsDecide), may(c, staff.SupportUse) && s.Registered()
	if p.Support {
		if p.Looking, err = h.looking(c, id); err != nil {
			return views.Server{}, err
		}
	}
	p.Commands, p.Destroys = may(c, staff.ServersCommand), may(c, staff.ServersDestroy)
	p.KeyID, p.KeySince = s.KeyID, s.OpensSince()
	if key, err := base64.RawURLEncoding.DecodeString(s.LinkKey); err == nil && len(key) > 0 {
		p.KeyID = wire.KeyID(key)
	}
	if p.Machine, err = h.atProvider(c, s); err != nil {
		return p, err
	}
	return p, h.commanded(ctx, &p)
}

// commanded adds what was commanded, and the containers as they were listed last.
func (h *Handler) commanded(ctx context.Context, p *views.Server) error {
	sent, err := h.Commands.Of(ctx, server.ID(p.ID))
	if err != nil {
		return err
	}
	for _, v := range sent {
		p.Sent = append(p.Sent, views.Command{
			ID: v.ID, Verb: string(v.Verb), Container: v.Container, By: v.By, State: string(v.State), Said: v.Said,
			At: v.At, Ended: v.EndedAt,
		})
	}
	listed, err := h.Commands.Listed(ctx, server.ID(p.ID))
	if err != nil {
		return err
	}
	p.Listed = listed.EndedAt
	for _, v := range listed.Containers {
		p.Containers = append(p.Containers, views.Container{ID: v.ID, Name: cmp.Or(v.Name, v.ID), Image: v.Image, State: v.State})
	}
	return nil
}

// command answers POST /admin/servers/:id/command.
func (h *Handler) command(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	verb := wire.CommandVerb(c.FormValue("verb"))
	if _, err := h.Commands.Send(c.Request().Context(), server.ID(v), verb, c.FormValue("container"), actorOf(c)); err != nil {
		return err
	}
	said(c, "fleet.sent", "what", views.VerbWord(web.Context(c), string(verb), c.FormValue("container")))
	return web.SeeOther(c, views.ServerPath(v))
}

// renewKey answers POST /admin/servers/:id/key.
func (h *Handler) renewKey(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	if err := h.Servers.RenewKey(c.Request().Context(), server.ID(v), actorOf(c)); err != nil {
		return err
	}
	said(c, "fleet.key_renewed")
	return web.SeeOther(c, views.ServerPath(v))
}

// cutOff answers POST /admin/servers/:id/cut.
func (h *Handler) cutOff(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	if err := h.Servers.CutOff(c.Request().Context(), server.ID(v), c.FormValue("name"), actorOf(c)); err != nil {
		return err
	}
	said(c, "fleet.cut_off")
	return web.SeeOther(c, views.ServerPath(v))
}
