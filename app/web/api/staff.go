package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

// staffRoutes are those about our own staff.
func (h *handler) staffRoutes() []web.Route {
	at := func(method, path string, do echo.HandlerFunc) web.Route {
		if method == http.MethodPost {
			do = h.once().Wrap(do)
		}
		return web.Route{
			Method: method, Path: root + "/admin" + path, For: web.StaffToken, Needs: staff.StaffManage,
			Scope: string(account.ScopeAdmin), Limit: web.LimitAPI, Do: do,
		}
	}
	return []web.Route{
		at(http.MethodGet, "/staff", h.adminStaff),
		at(http.MethodGet, "/staff/:id", h.adminMember),
		at(http.MethodPatch, "/staff/:id", coded(h.changeMember)),
		at(http.MethodGet, "/invitations", h.adminInvitations),
		at(http.MethodPost, "/invitations", h.invite),
		at(http.MethodDelete, "/invitations/:id", h.revokeInvitation),
	}
}

// staffMember is one of our staff.
type staffMember struct {
	ID        string     `json:"id"`
	Email     string     `json:"email"`
	Name      string     `json:"name"`
	Role      string     `json:"role"`
	TwoFactor bool       `json:"two_factor"` // false: it was reset and waits to be set up again
	Off       bool       `json:"off"`
	LastSeen  *time.Time `json:"last_seen"`
	CreatedAt time.Time  `json:"created_at"`
}

func memberOf(m staff.Member) staffMember {
	return staffMember{
		ID: string(m.ID), Email: m.Email, Name: m.Name, Role: string(m.Role), TwoFactor: !m.SecondAt.IsZero(), Off: !m.OffAt.IsZero(),
		LastSeen: moment(m.SeenAt), CreatedAt: m.CreatedAt,
	}
}

// moment is a time that may not have come.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// adminStaff answers GET admin/staff: all of them, they are few.
func (h *handler) adminStaff(c echo.Context) error {
	all, err := h.Staff.List(c.Request().Context())
	return answer(c, page.Of[staff.Member]{Items: all}, err, memberOf)
}

// adminMember answers GET admin/staff/{id}.
func (h *handler) adminMember(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	m, err := h.Staff.Find(c.Request().Context(), staff.ID(id))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, memberOf(m))
}

// memberChange is the body of PATCH admin/staff/{id}.
type memberChange struct {
	Role *string `json:"role"`
	Off  *bool   `json:"off"`
}

// changeMember answers PATCH admin/staff/{id}: another role, or off and on. One change at a time: either is done or not.
func (h *handler) changeMember(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in memberChange
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if (in.Role == nil) == (in.Off == nil) {
		return jsonbody.Bad("role or off must be given, not both.")
	}
	ctx, by, of := c.Request().Context(), clerk(c), staff.ID(id)
	var m staff.Member
	switch {
	case in.Role != nil:
		m, err = h.Staff.SetRole(ctx, of, staff.Role(*in.Role), by)
	case *in.Off:
		m, err = h.Staff.SwitchOff(ctx, of, by)
	default:
		m, err = h.Staff.SwitchOn(ctx, of, by)
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, memberOf(m))
}

// clerk is which of our staff a change is recorded as.
func clerk(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Role: who.Role, Address: c.RealIP()}
}

// adminInvitation is somebody who was asked to join.
type adminInvitation struct {
	ID        string     `json:"id"`
	Email     string     `json:"email"`
	Role      string     `json:"role"`
	InvitedBy string     `json:"invited_by"`
	CreatedAt time.Time  `json:"created_at"`
	SentAt    *time.Time `json:"sent_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

func invitationOf(i staff.Invitation) adminInvitation {
	return adminInvitation{
		ID: i.ID, Email: i.Email, Role: string(i.Role), InvitedBy: i.ByName, CreatedAt: i.CreatedAt,
		SentAt: moment(i.SentAt), ExpiresAt: moment(i.ExpiresAt),
	}
}

// adminInvitations answers GET admin/invitations: those that wait for an answer.
func (h *handler) adminInvitations(c echo.Context) error {
	all, err := h.Staff.Invitations(c.Request().Context())
	return answer(c, page.Of[staff.Invitation]{Items: all}, err, invitationOf)
}

// newInvitation is the body of POST admin/invitations.
type newInvitation struct {
	Email    string `json:"email"`
	Role     string `json:"role"`
	Language string `json:"language"`
}

// invite answers POST admin/invitations.
func (h *handler) invite(c echo.Context) error {
	var in newInvitation
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if in.Language != "" && in.Language != "en" && in.Language != "de" {
		return jsonbody.Bad("language must be en or de.")
	}
	i, err := h.Staff.Invite(c.Request().Context(), in.Email, staff.Role(in.Role), in.Language, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, invitationOf(i))
}

// revokeInvitation answers DELETE admin/invitations/{id}.
func (h *handler) revokeInvitation(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	if _, err := h.Staff.RevokeInvitation(c.Request().Context(), id, clerk(c)); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
