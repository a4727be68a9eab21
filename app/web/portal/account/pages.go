package account

import (
	"context"
	"net/http"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/account"
)

// Tokens gives out and ends API tokens; account.Tokens does.
type Tokens interface {
	List(ctx context.Context, of account.CustomerID) ([]account.Token, error)
	IssueToUser(ctx context.Context, u account.User, name string, life time.Duration, by audit.Actor) (string, account.Token, error)
	Revoke(ctx context.Context, of account.CustomerID, id string, by audit.Actor) error
}

// People are the accounts of the customer; account.Service has them.
type People interface {
	User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error)
	SetTimeZone(ctx context.Context, of account.CustomerID, zone string, by audit.Actor) error
}

// Keys are the approver keys of the customer's server; approver.Service asks it about them.
type Keys interface {
	// Asking reads the keys, and the devices that wait to have one added.
	Asking(ctx context.Context, of account.CustomerID) (approver.Ring, []approver.Request, error)
	Ask(ctx context.Context, of account.CustomerID, r approver.Request) (approver.Request, error)
	Vouch(ctx context.Context, of account.CustomerID, keyID string, version int64, sig *wire.Signature, by wire.DecidedBy) error
	Refuse(ctx context.Context, of account.CustomerID, keyID string) error
	Enrol(ctx context.Context, of account.CustomerID, e wire.Enrolment) (wire.Enrolled, error)
	Revoke(ctx context.Context, of account.CustomerID, r wire.Revocation) (wire.ApproverState, error)
	// Used says when keys of our staff allowed something last, by key.
	Used(ctx context.Context, of account.CustomerID) (map[string]time.Time, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Tokens Tokens
	People People
	Keys   Keys
	Frames *frame.Frames
}

// Pages answers the reader's settings and the devices that may approve.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and what their forms and script send.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Settings, p.settings), frame.Post(views.ZonePath, p.saveZone),
		{Method: http.MethodPost, Path: views.TokensPath, For: web.Customer, Fresh: true, Do: p.issueToken}, // it outlives the sign-in
		frame.Post(views.TokensPath+"/:id/revoke", p.revokeToken),
		frame.Get(views.HerePath, p.here), frame.Get(portal.Approvers, p.approvers), frame.Post(portal.Approvers, p.enrolKey),
		frame.Post(portal.Approvers+"/:key/revoke", p.revokeKey),
		frame.Post(views.KeyRequestsPath, p.askForKey), frame.Post(views.KeyRequestsPath+"/:key/add", p.vouch),
		frame.Post(views.KeyRequestsPath+"/:key/refuse", p.refuseKey),
	}
}
