package admin

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/signin"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// staffRoutes are the pages about our staff, and each one's own.
func (h *Handler) staffRoutes() []web.Route {
	at := func(method, path string, needs staff.Permission, fresh bool, do echo.HandlerFunc) web.Route {
		return web.Route{Method: method, Path: path, For: web.Staff, Needs: needs, Fresh: fresh, Do: do}
	}
	get, post := http.MethodGet, http.MethodPost
	invite := at(post, views.InvitePath, staff.StaffManage, true, h.invite)
	invite.Limit = web.LimitMail
	return []web.Route{
		at(get, views.StaffPath, staff.StaffManage, false, h.staffPage),
		at(get, views.InvitePath, staff.StaffManage, false, h.askInvite), invite,
		at(post, views.InvitationPath, staff.StaffManage, true, h.invitation),
		at(get, views.StaffPath+"/:id", staff.StaffManage, false, h.member),
		at(post, views.StaffPath+"/:id/act", staff.StaffManage, true, h.coded(h.actOnMember)),
		at(get, views.ProfilePath, staff.Own, false, h.profile),
		at(post, views.ProfileNamePath, staff.Own, false, h.saveName),
		at(post, views.LanguagePath, staff.Own, false, h.saveLanguage),
		at(post, views.PasswordPath, staff.Own, false, h.savePassword),
		at(post, views.CodesPath, staff.Own, true, h.newCodes),
		at(post, views.SecondPath, staff.Own, true, h.startSecond),
		at(get, views.SecondPath, staff.Own, false, h.newSecond),
		at(post, views.ConfirmPath, staff.Own, true, h.confirmSecond),
		at(post, views.SigninsPath, staff.Own, false, h.endSignin),
	}
}

// staffPage answers GET /admin/staff.
func (h *Handler) staffPage(c echo.Context) error {
	ctx := c.Request().Context()
	all, err := h.Staff.List(ctx)
	if err != nil {
		return err
	}
	open, err := h.Staff.Invitations(ctx)
	if err != nil {
		return err
	}
	l := permissions()
	for _, m := range all {
		l.Members = append(l.Members, memberProps(c, m))
	}
	for _, i := range open {
		l.Invitations = append(l.Invitations, h.invitationProps(c, i))
	}
	f, err := h.frame(c, "staff.title", "", "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.StaffPage(f, l))
}

// permissions is the table of what each role may do.
func permissions() (l views.StaffList) {
	for _, r := range staff.Roles() {
		l.Roles = append(l.Roles, string(r))
	}
	for _, p := range staff.Permissions() {
		g := views.Granted{Permission: string(p)}
		for _, r := range staff.Roles() {
			g.Roles = append(g.Roles, r.May(p))
		}
		l.May = append(l.May, g)
	}
	return l
}

func memberProps(c echo.Context, m staff.Member) views.Member {
	return views.Member{
		ID: string(m.ID), Name: m.Name, Email: m.Email, Role: string(m.Role), Second: !m.SecondAt.IsZero(),
		Since: m.CreatedAt, Seen: m.SeenAt, Off: m.OffAt, Self: string(m.ID) == session.Of(c).StaffID, Face: face(m),
	}
}

func (h *Handler) invitationProps(c echo.Context, i staff.Invitation) views.Invitation {
	return views.Invitation{
		ID: i.ID, Email: i.Email, Role: string(i.Role), By: i.ByName, Since: i.CreatedAt, Sent: i.SentAt, Until: i.ExpiresAt,
		Refused: !i.RefusedAt.IsZero(), Expired: !i.ExpiresAt.IsZero() && !h.Now().Before(i.ExpiresAt),
		Manages: staff.Role(session.Of(c).Role).Manages(i.Role),
	}
}

// givable are the roles that the reader may give.
func givable(c echo.Context) (roles []string) {
	for _, r := range staff.Roles() {
		if staff.Role(session.Of(c).Role).Manages(r) {
			roles = append(roles, string(r))
		}
	}
	return roles
}

// askInvite answers GET /admin/staff/invite.
func (h *Handler) askInvite(c echo.Context) error {
	return h.showInvite(c, http.StatusOK, views.InviteForm{Role: string(staff.Support), Language: i18n.LocaleOf(web.Context(c))})
}

func (h *Handler) showInvite(c echo.Context, status int, p views.InviteForm) error {
	p.Roles = givable(c)
	f, err := h.frame(c, "staff.invite.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(p.Problems) > 0
	return web.Render(c, status, views.InvitePage(f, p))
}

// invite answers POST /admin/staff/invite. That an address is taken is said: who invites may see the whole list.
func (h *Handler) invite(c echo.Context) error {
	p := views.InviteForm{Email: c.FormValue("email"), Role: c.FormValue("role"), Language: c.FormValue("language")}
	if !i18n.Offered(p.Language) {
		p.Language = i18n.LocaleOf(web.Context(c))
	}
	i, err := h.Staff.Invite(c.Request().Context(), p.Email, staff.Role(p.Role), p.Language, actorOf(c))
	switch f := web.Told(c, err); {
	case err == nil:
		said(c, "staff.said.invited", "email", i.Email)
		return web.SeeOther(c, views.StaffPath)
	case errors.Is(err, staff.ErrTaken):
		p.Problems = []ui.Problem{{Field: "email", Text: f.Public}}
	case f.Kind == fault.Invalid:
		p.Problems = problemsOf(f, "email", "role")
	default:
		return err
	}
	return h.showInvite(c, http.StatusUnprocessableEntity, p)
}

// problemsOf are the messages of a fault by field, in their order.
func problemsOf(f *fault.Fault, fields ...string) (all []ui.Problem) {
	for _, name := range fields {
		if text := f.Fields[name]; text != "" {
			all = append(all, ui.Problem{Field: name, Text: text})
		}
	}
	return all
}

// invitation answers POST /admin/staff/invitation: send it again, or take it back.
func (h *Handler) invitation(c echo.Context) error {
	ctx, id := c.Request().Context(), c.FormValue("id")
	var i staff.Invitation
	var err error
	key := i18n.Key("staff.said.invited")
	switch c.FormValue("act") {
	case "again":
		i, err = h.Staff.InviteAgain(ctx, id, actorOf(c))
	case "revoke":
		key = "staff.said.revoked"
		i, err = h.Staff.RevokeInvitation(ctx, id, actorOf(c))
	default:
		return errAct
	}
	if err != nil {
		return err
	}
	said(c, key, "email", i.Email)
	return web.SeeOther(c, views.StaffPath+"#invitations")
}

// member answers GET /admin/staff/:id.
func (h *Handler) member(c echo.Context) error { return h.showMember(c, http.StatusOK, nil) }

func (h *Handler) showMember(c echo.Context, status int, problems map[string]string) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	m, err := h.Staff.Find(c.Request().Context(), staff.ID(v))
	if err != nil {
		return err
	}
	p := views.MemberPage{Member: memberProps(c, m), Problems: problems}
	if !p.Self && staff.Role(session.Of(c).Role).Manages(m.Role) {
		p.Roles = givable(c)
	}
	f, err := h.frame(c, "staff.title", "", "")
	if err != nil {
		return err
	}
	f.Title, f.Failed = m.Name, len(problems) > 0
	return web.Render(c, status, views.MemberDetail(f, p))
}

// memberActs are what is said after each act on one of the staff.
var memberActs = map[string]i18n.Key{
	"role": "staff.said.role", "off": "staff.said.off", "on": "staff.said.on", "second": "staff.said.second",
	"sign_out": "staff.said.sign_out",
}

// actOnMember answers POST /admin/staff/:id/act.
func (h *Handler) actOnMember(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	m, err := h.Staff.Find(c.Request().Context(), staff.ID(v))
	if err != nil {
		return err
	}
	act := c.FormValue("act")
	err = h.doToMember(c, m.ID, act)
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid && len(f.Fields) > 0 {
		return h.showMember(c, http.StatusUnprocessableEntity, f.Fields)
	}
	if err != nil {
		return err
	}
	session.Changed(c, signin.Subject{StaffID: string(m.ID)})
	said(c, memberActs[act], "name", m.Name)
	return web.SeeOther(c, views.MemberPath(v))
}

func (h *Handler) doToMember(c echo.Context, id staff.ID, act string) (err error) {
	ctx, by := c.Request().Context(), actorOf(c)
	switch act {
	case "role":
		_, err = h.Staff.SetRole(ctx, id, staff.Role(c.FormValue("role")), by)
	case "off":
		_, err = h.Staff.SwitchOff(ctx, id, by)
	case "on":
		_, err = h.Staff.SwitchOn(ctx, id, by)
	case "second":
		_, err = h.Staff.ResetSecond(ctx, id, by)
	case "sign_out":
		err = h.Staff.EndSignins(ctx, id, by)
	default:
		return errMemberAct
	}
	return err
}

var errMemberAct = fault.New(fault.Invalid, "act", "unknown act on one of the staff",
	"You cannot do that with an account. Nothing was changed.")
