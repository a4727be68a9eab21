package account

import (
	"context"
	"net/http"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/passkey"
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
	SetLocale(ctx context.Context, of account.CustomerID, id account.UserID, locale string, by audit.Actor) error
}

// Keys are the approver keys of the customer's server; approver.Service asks it about them.
type Keys interface {
	frame.Rings
	// Asking reads the keys, and the devices that wait to have one added.
	Asking(ctx context.Context, of account.CustomerID) (approver.Ring, []approver.Request, error)
	Ask(ctx context.Context, of account.CustomerID, r approver.Request) (approver.Request, error)
	Vouch(ctx context.Context, of account.CustomerID, keyID string, version int64, sig *wire.Signature, by wire.DecidedBy) error
	Refuse(ctx context.Context, of account.CustomerID, keyID string) error
	EnrolFor(ctx context.Context, of account.CustomerID, userID string, e wire.Enrolment) (wire.Enrolled, error)
	// People says whose the keys are, by key, as far as it is known.
	People(ctx context.Context, of account.CustomerID) (map[string]approver.Person, error)
	Revoke(ctx context.Context, of account.CustomerID, r wire.Revocation) (wire.ApproverState, error)
	NewRecovery(ctx context.Context, of account.CustomerID, a wire.RecoveryAsk) (wire.SealedRecovery, error)
	RecoveryKept(ctx context.Context, of account.CustomerID, a wire.RecoveryKept) error
	// Used says when keys of our staff allowed something last, by key.
	Used(ctx context.Context, of account.CustomerID) (map[string]time.Time, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Tokens   Tokens
	People   People
	Seconds  Seconds
	Passkeys *passkey.Service
	Keys     Keys
	Devices  Devices
	Archives Archives
	Known    Known
	Frames   *frame.Frames
}

// Pages answers the reader's settings and the devices that may approve.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and what their forms and script send.
func (p *Pages) Routes() []web.Route {
	own := append(append(p.signInRoutes(), p.secondRoutes()...), p.passkeyRoutes()...)
	return append(append(append(p.notificationRoutes(), p.dataRoutes()...), own...), []web.Route{
		frame.Get(portal.Settings, account.Look, p.settings), frame.Post(views.ZonePath, account.Manage, p.saveZone),
		frame.Post(views.LanguagePath, account.Look, p.saveLanguage),
		// it outlives the sign-in
		{Method: http.MethodPost, Path: views.TokensPath, For: web.Customer, Right: account.Look, Fresh: true, Do: p.issueToken},
		frame.Post(views.TokensPath+"/:id/revoke", account.Look, p.revokeToken),
		frame.Get(views.HerePath, account.Approve, p.here),
		frame.Get(portal.Approvers, account.Approve, p.approvers),
		frame.Post(portal.Approvers, account.Manage, p.enrolKey),
		frame.Post(portal.Approvers+"/:key/revoke", account.Manage, p.revokeKey),
		frame.Post(views.RecoveryNewPath, account.Manage, p.newRecovery),
		frame.Post(views.RecoveryKeptPath, account.Manage, p.recoveryKept),
		frame.Post(views.KeyRequestsPath, account.Approve, p.askForKey),
		frame.Post(views.KeyRequestsPath+"/:key/add", account.Manage, p.vouch),
		frame.Post(views.KeyRequestsPath+"/:key/refuse", account.Manage, p.refuseKey),
	}...)
}
