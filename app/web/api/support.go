package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/support"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// Support is what the API needs of support windows; support.Service has it.
type Support interface {
	Ask(ctx context.Context, id server.ID, r support.Request, by audit.Actor) (support.Window, error)
	List(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[support.Window], error)
	OfServer(ctx context.Context, id server.ID, ask page.Ask) (page.Of[support.Window], error)
	Find(ctx context.Context, of account.CustomerID, id string) (support.Window, error)
	Open(
		ctx context.Context, of account.CustomerID, id string, version int64, sig *wire.Signature, as wire.DecidedBy, by audit.Actor,
	) (support.Window, error)
	Refuse(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (support.Window, error)
	Close(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (support.Window, error)
	Leave(ctx context.Context, on server.ID, id string, by audit.Actor) (support.Window, error)
	Look(ctx context.Context, on server.ID, l wire.SupportLook, by audit.Actor) (box []byte, err error)
}

// window is a support window.
type window struct {
	ID       string           `json:"id"`
	State    support.State    `json:"state"`
	Body     wire.SupportBody `json:"body"` // what the owner signs
	AskedAt  time.Time        `json:"asked_at"`
	OpenedAt *time.Time       `json:"opened_at"`
	Until    *time.Time       `json:"until"`
	EndedAt  *time.Time       `json:"ended_at"`
	Why      string           `json:"why"`
	EndedBy  string           `json:"ended_by"`
}

func windowOf(w support.Window) window {
	return window{
		ID: w.ID, State: w.State, Body: w.Body(), AskedAt: w.AskedAt, OpenedAt: unlessZero(w.OpenedAt), Until: unlessZero(w.Until),
		EndedAt: unlessZero(w.EndedAt), Why: w.Why, EndedBy: w.EndedBy,
	}
}

func unlessZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// supportWindows answers GET support-windows.
func (h *handler) supportWindows(c echo.Context) error {
	ask, err := asked(c)
	if err != nil {
		return err
	}
	all, err := h.Support.List(c.Request().Context(), customerOf(c), ask)
	return answer(c, all, err, windowOf)
}

// openRequest is the body of POST support-windows.
type openRequest struct {
	ID            string          `json:"id"`
	ConfigVersion int64           `json:"config_version"`
	Signature     *wire.Signature `json:"signature"`
}

// openSupport answers POST support-windows: the owner lets staff look. The server checks the signature.
func (h *handler) openSupport(c echo.Context) error {
	var in openRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	w, err := h.Support.Open(c.Request().Context(), customerOf(c), in.ID, in.ConfigVersion, in.Signature, decider(c), actorOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, windowOf(w))
}

// endSupport answers DELETE support-windows/{id}: one that is open is closed, one that waits is refused.
func (h *handler) endSupport(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	ctx, of := c.Request().Context(), customerOf(c)
	w, err := h.Support.Find(ctx, of, id)
	if err != nil {
		return err
	}
	end := h.Support.Close
	if w.State == support.Asked {
		end = h.Support.Refuse
	}
	if w, err = end(ctx, of, id, actorOf(c)); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, windowOf(w))
}

// supportRoutes are those of our staff about support windows.
func (h *handler) supportRoutes() []web.Route {
	route := func(method, path string, do echo.HandlerFunc) web.Route {
		return web.Route{
			Method: method, Path: root + "/admin/servers/:id/support-windows" + path, For: web.StaffToken, Needs: staff.SupportUse,
			Scope: string(account.ScopeAdmin), Limit: web.LimitAPI, Do: do,
		}
	}
	return []web.Route{
		route(http.MethodGet, "", h.adminSupportWindows),
		route(http.MethodPost, "", h.once().Wrap(h.adminAskSupport)),
		route(http.MethodDelete, "/:window", h.adminLeaveSupport),
		route(http.MethodPost, "/:window/looks", h.adminLook), // never once: the answer would be kept
	}
}

// adminSupportWindows answers GET admin/servers/{id}/support-windows.
func (h *handler) adminSupportWindows(c echo.Context) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	ask, err := asked(c)
	if err != nil {
		return err
	}
	if _, err := h.Servers.Find(c.Request().Context(), id); err != nil {
		return err
	}
	all, err := h.Support.OfServer(c.Request().Context(), id, ask)
	return answer(c, all, err, windowOf)
}

// askSupportRequest is the body of POST admin/servers/{id}/support-windows.
type askSupportRequest struct {
	Purpose string             `json:"purpose"`
	Hours   int                `json:"hours"`
	What    []wire.SupportKind `json:"what"`
	SPKI    string             `json:"spki"`
}

// adminAskSupport answers POST admin/servers/{id}/support-windows: the owner is asked.
func (h *handler) adminAskSupport(c echo.Context) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	var in askSupportRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	r := support.Request{Purpose: in.Purpose, Hours: in.Hours, What: in.What, Kind: wire.SoftwareKey, SPKI: in.SPKI}
	w, err := h.Support.Ask(c.Request().Context(), id, r, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, windowOf(w))
}

// adminLeaveSupport answers DELETE admin/servers/{id}/support-windows/{window}.
func (h *handler) adminLeaveSupport(c echo.Context) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	w, err := h.Support.Leave(c.Request().Context(), id, c.Param("window"), clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, windowOf(w))
}

// lookRequest is the body of POST admin/servers/{id}/support-windows/{window}/looks.
type lookRequest struct {
	Ask       wire.SupportAsk `json:"ask"`
	BoxKey    string          `json:"box_key"`
	Signature *wire.Signature `json:"signature"`
}

// adminLook answers POST admin/servers/{id}/support-windows/{window}/looks with a box that the key of the look opens.
func (h *handler) adminLook(c echo.Context) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	var in lookRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	l := wire.SupportLook{Window: c.Param("window"), Ask: in.Ask, BoxKey: in.BoxKey, Signature: in.Signature}
	box, err := h.Support.Look(c.Request().Context(), id, l, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string][]byte{"box": box})
}
