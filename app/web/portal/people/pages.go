package people

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/people"
)

// People are the people of the customer; account.Service has them.
type People interface {
	frame.People
	People(ctx context.Context, of account.CustomerID) ([]account.Person, error)
	Invitations(ctx context.Context, of account.CustomerID) ([]account.Invitation, error)
	Invite(ctx context.Context, of account.CustomerID, email string, chat, approve bool, by audit.Actor) (account.Invitation, error)
	InviteAgain(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (account.Invitation, error)
	Uninvite(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (account.Invitation, error)
	SetRights(ctx context.Context, of account.CustomerID, id account.UserID, r account.Rights, by audit.Actor) (account.User, error)
	Remove(ctx context.Context, of account.CustomerID, id account.UserID, by audit.Actor) (account.User, error)
}

// Keys are the approver keys of the customer's server; approver.Service has them.
type Keys interface {
	frame.Rings
	People(ctx context.Context, of account.CustomerID) (map[string]approver.Person, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	People People
	Keys   Keys
	Frames *frame.Frames
	Now    func() time.Time
}

// Pages answers the pages of people.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and their forms. What changes who may do what takes a sign-in of the last ten minutes;
// what mails strangers is limited.
func (p *Pages) Routes() []web.Route {
	const one = portal.People + "/:user"
	invitation := func(act string) string { return portal.People + "/invitations/:id/" + act }
	fresh := func(path string, right account.Right, limit web.Limit, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Customer, Right: right, Fresh: true, Limit: limit, Do: do}
	}
	return []web.Route{
		frame.Get(portal.People, account.Look, p.list), fresh(portal.People, account.Manage, web.LimitInvite, p.invite),
		fresh(invitation("again"), account.Manage, web.LimitInvite, p.again),
		frame.Post(invitation("revoke"), account.Manage, p.withdraw),
		frame.Get(views.LeavePath, account.Look, p.askLeave), fresh(views.LeavePath, account.Look, "", p.leave),
		frame.Get(one, account.Manage, p.one), fresh(one, account.Manage, "", p.saveRights),
		fresh(one+"/remove", account.Manage, "", p.remove),
	}
}
