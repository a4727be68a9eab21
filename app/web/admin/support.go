package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/support"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	shared "gatehouse/views/portal"
	seen "gatehouse/views/portal/support"
)

// Support is what the console needs of support windows; support.Service has it.
type Support interface {
	Ask(ctx context.Context, id server.ID, r support.Request, by audit.Actor) (support.Window, error)
	OfServer(ctx context.Context, id server.ID, ask page.Ask) (page.Of[support.Window], error)
	FindOn(ctx context.Context, on server.ID, id string) (support.Window, error)
	Leave(ctx context.Context, on server.ID, id string, by audit.Actor) (support.Window, error)
	Look(ctx context.Context, on server.ID, l wire.SupportLook, by audit.Actor) (box []byte, err error)
	Looks(ctx context.Context, w support.Window) ([]support.Look, error)
}

// supportRoutes are those of support windows.
func (h *Handler) supportRoutes() []web.Route {
	route := func(method, path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: method, Path: views.ServersPath + "/:id/support" + path, For: web.Staff, Needs: staff.SupportUse, Do: do}
	}
	return []web.Route{
		route(http.MethodGet, "", h.support),
		route(http.MethodPost, "", h.askSupport),
		route(http.MethodPost, "/:window/leave", h.leaveSupport),
		route(http.MethodPost, "/:window/look", h.look),
	}
}

// support answers GET /admin/servers/:id/support: asking for a window, looking through one, and what there was.
func (h *Handler) support(c echo.Context) error {
	return h.showSupport(c, http.StatusOK, views.Support{})
}

func (h *Handler) showSupport(c echo.Context, status int, p views.Support) error {
	srv, err := h.standing(c)
	if err != nil {
		return err
	}
	owner, err := h.Accounts.Customer(c.Request().Context(), srv.CustomerID)
	if err != nil {
		return err
	}
	p.Server, p.Slug, p.Customer = string(srv.ID), srv.Slug, owner.Name
	if err := h.windows(c, srv.ID, &p); err != nil {
		return err
	}
	f, err := h.frame(c, "support.admin_title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(p.Problems) > 0
	return web.Render(c, status, views.SupportPage(f, p))
}

// windows adds the windows of a server to its page: those of the reader that wait or are open stand for themselves.
func (h *Handler) windows(c echo.Context, id server.ID, p *views.Support) error {
	ctx := c.Request().Context()
	all, err := h.Support.OfServer(ctx, id, page.Ask{After: c.QueryParam("after")})
	if err != nil {
		return err
	}
	for _, w := range all.Items {
		v := windowProps(w)
		p.Past = append(p.Past, v)
		switch {
		case w.StaffID != session.Of(c).StaffID:
		case w.State == support.Open && p.Open == nil:
			p.Open = &v
		case w.State == support.Asked && p.Waiting == nil:
			p.Waiting = &v
		}
	}
	p.Older = shared.NextPage(views.SupportPath(string(id)), url.Values{}, all.Next)
	shown := c.QueryParam("window")
	if shown == "" {
		return nil
	}
	w, err := h.Support.FindOn(ctx, id, shown)
	if err != nil {
		return err
	}
	looks, err := h.Support.Looks(ctx, w)
	v := windowProps(w)
	p.Lines = &v
	for _, l := range looks {
		p.Looks = append(p.Looks, seen.Look{Staff: l.Staff, See: string(l.See), At: l.At, Refused: l.Refused})
	}
	return err
}

func windowProps(w support.Window) views.Window {
	out := views.Window{
		ID: w.ID, Staff: w.Staff, Purpose: w.Purpose, Hours: w.Hours, State: string(w.State), Why: w.Why, Asked: w.AskedAt, Until: w.Until,
		KeyID: wire.ApproverKeyIDOf(w.SPKI), Words: approver.Words(w.SPKI), Fingerprint: approver.Fingerprint(w.SPKI),
	}
	for _, k := range w.What {
		out.What = append(out.What, string(k))
	}
	return out
}

// looking says whether a window on a server is open for the reader.
func (h *Handler) looking(c echo.Context, id server.ID) (bool, error) {
	var p views.Support
	err := h.windows(c, id, &p)
	return p.Open != nil, err
}

// askSupport answers POST /admin/servers/:id/support: the owner is asked. The script has added the key of this browser.
func (h *Handler) askSupport(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	typed := map[string]string{}
	for _, name := range []string{"purpose", "hours"} {
		typed[name] = c.FormValue(name)
	}
	r := support.Request{Purpose: typed["purpose"], Kind: wire.BrowserKey, SPKI: c.FormValue("spki")}
	r.Hours, _ = strconv.Atoi(typed["hours"]) // what is no number is refused as none
	for _, k := range wire.SupportKinds() {
		if name := "what_" + string(k); c.FormValue(name) != "" {
			typed[name] = "1"
			r.What = append(r.What, k)
		}
	}
	_, err = h.Support.Ask(c.Request().Context(), server.ID(v), r, actorOf(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		problems := f.Fields
		if len(problems) == 0 {
			problems = map[string]string{"": f.Public}
		}
		return h.showSupport(c, http.StatusUnprocessableEntity, views.Support{Typed: typed, Problems: problems})
	}
	if err != nil {
		return err
	}
	said(c, "support.now_asked")
	return web.SeeOther(c, views.SupportPath(v))
}

// leaveSupport answers POST /admin/servers/:id/support/:window/leave.
func (h *Handler) leaveSupport(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	if _, err := h.Support.Leave(c.Request().Context(), server.ID(v), c.Param("window"), actorOf(c)); err != nil {
		return err
	}
	said(c, "support.now_left")
	return web.SeeOther(c, views.SupportPath(v))
}

var errLook = fault.New(fault.Invalid, "support-look", "look cannot be read",
	"Your browser asked for something that cannot be read. Reload the page.")

// look answers POST /admin/servers/:id/support/:window/look, which only the script sends: it signs, and opens the box that comes.
func (h *Handler) look(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	l := wire.SupportLook{Window: c.Param("window"), BoxKey: c.FormValue("box_key")}
	if l.Signature, err = inbox.SignatureOf(c); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader([]byte(c.FormValue("ask"))))
	d.DisallowUnknownFields()
	if err := d.Decode(&l.Ask); err != nil {
		return errLook
	}
	box, err := h.Support.Look(c.Request().Context(), server.ID(v), l, actorOf(c))
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, "application/octet-stream", box)
}
