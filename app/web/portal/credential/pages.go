package credential

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/credential"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/credential"
)

// Credentials is what people do with the secrets of their server; credential.Service does it.
type Credentials interface {
	List(ctx context.Context, of account.CustomerID) (wire.SecretsResult, error)
	Asked(ctx context.Context, of account.CustomerID) (wire.SecretRequestsResult, error)
	Audit(ctx context.Context, of account.CustomerID, p wire.SecretAuditParams) (wire.SecretAuditResult, error)
	Open(ctx context.Context, of account.CustomerID, p wire.SecretOpenParams) (wire.SecretOpening, error)
	Provide(ctx context.Context, of account.CustomerID, p wire.SecretProvide) (wire.SecretInfo, error)
	Decline(ctx context.Context, of account.CustomerID, p wire.SecretDecline) (wire.SecretRequest, error)
	Generate(ctx context.Context, of account.CustomerID, p wire.SecretGenerate) (wire.SecretInfo, error)
	Rotate(ctx context.Context, of account.CustomerID, p wire.SecretRotate) (wire.SecretInfo, error)
	Rollback(ctx context.Context, of account.CustomerID, p wire.SecretRollback) (wire.SecretInfo, error)
	Bind(ctx context.Context, of account.CustomerID, p wire.SecretBind) (wire.SecretInfo, error)
	Delete(ctx context.Context, of account.CustomerID, p wire.SecretDelete) error
	Reveal(ctx context.Context, of account.CustomerID, p wire.SecretReveal, password string) (wire.SecretRevealed, error)
	Share(ctx context.Context, of account.CustomerID, l credential.Link, take string) (credential.Link, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Credentials Credentials
	Team        signing.Settings
	Frames      *frame.Frames
	Agents      *roster.Roster
}

// Pages answers the pages of secrets.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and what their forms and script ask for.
func (p *Pages) Routes() []web.Route {
	const one = portal.Credentials + "/:name"
	return []web.Route{
		frame.Get(portal.Credentials, account.Manage, p.list),
		frame.Post(portal.Credentials, account.Manage, p.provide),
		frame.Post(views.OpenPath, account.Manage, p.openSecret),
		frame.Post(views.GeneratePath, account.Manage, p.generate),
		frame.Post(views.DeclinePath, account.Manage, p.decline),
		frame.Post(views.SharePath, account.Manage, p.share),
		frame.Get(one, account.Manage, p.one),
		frame.Post(one+"/reveal", account.Manage, p.reveal),
		frame.Post(one+"/rotate", account.Manage, p.rotate),
		frame.Post(one+"/rollback", account.Manage, p.rollback), frame.Post(one+"/bind", account.Manage, p.bind),
		frame.Get(one+"/delete", account.Manage, p.askDelete), frame.Post(one+"/delete", account.Manage, p.remove),
	}
}
