package admin

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
)

// keys answers GET /admin/keys: one's own approver keys, on all servers.
func (h *Handler) keys(c echo.Context) error { return h.showKeys(c, views.Keys{}) }

// keysOf answers GET /admin/keys/:id: one's own keys on a server, and the way to one.
func (h *Handler) keysOf(c echo.Context) error {
	s, err := h.standing(c)
	if err != nil {
		return err
	}
	owner, err := h.Accounts.Customer(c.Request().Context(), s.CustomerID)
	if err != nil {
		return err
	}
	return h.showKeys(c, views.Keys{Server: string(s.ID), Name: owner.Name + " · " + s.Slug})
}

// standing is the server in the path; one that was cut off takes no keys.
func (h *Handler) standing(c echo.Context) (server.Server, error) {
	v, err := id(c)
	if err != nil {
		return server.Server{}, err
	}
	s, err := h.Servers.Find(c.Request().Context(), server.ID(v))
	if err == nil && s.State == server.Revoked {
		err = errNotFound
	}
	return s, err
}

// showKeys adds the reader's keys to the page: on one server, or on all.
func (h *Handler) showKeys(c echo.Context, p views.Keys) error {
	all, err := h.Keys.OfStaff(c.Request().Context(), session.Of(c).StaffID)
	if err != nil {
		return err
	}
	p.Allows = may(c, staff.ApprovalsDecide)
	for _, k := range all {
		if p.Server != "" && p.Server != string(k.Server) {
			continue
		}
		list := &p.Over
		switch k.Standing {
		case approver.Enrolled:
			list = &p.Counts
		case approver.Asked:
			list = &p.Waiting
		}
		*list = append(*list, keyProps(k))
	}
	f, err := h.frame(c, "admin.keys.title", "", "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.KeysPage(f, p))
}

func keyProps(k approver.StaffKey) views.Key {
	return views.Key{
		ID: k.KeyID, Server: string(k.Server), Customer: k.Customer, Slug: k.Slug,
		Words: approver.Words(k.SPKI), Fingerprint: approver.Fingerprint(k.SPKI),
		Standing: string(k.Standing), At: k.At, Since: k.Since, Used: k.Used,
	}
}

// askForKey answers POST /admin/keys/:id, which only the script sends: it keeps the private key.
func (h *Handler) askForKey(c echo.Context) error {
	s, err := h.standing(c)
	if err != nil {
		return err
	}
	r := approver.Request{SPKI: c.FormValue("spki"), Kind: wire.KeyKind(c.FormValue("kind")), Credential: c.FormValue("credential")}
	if err := h.Keys.AskAsStaff(c.Request().Context(), s.CustomerID, r, actorOf(c)); err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, map[string]string{"state": string(approver.Asked)})
}
