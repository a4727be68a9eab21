package server

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"

	"gatehouse/views/portal"
)

// Chat asks the customer's server something, to find out whether it answers; chat.Service does.
type Chat interface {
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
}

// Secrets reads the key that values are sealed for; credential.Service does.
type Secrets interface {
	Open(ctx context.Context, of account.CustomerID, p wire.SecretOpenParams) (wire.SecretOpening, error)
}

// Charts gives what the customer's server measured; server.Service does.
type Charts interface {
	ChartOf(ctx context.Context, of account.CustomerID, span server.Span) (server.Chart, error)
}

// Deps are the parts that the page works with.
type Deps struct {
	Chat     Chat
	Secrets  Secrets
	Charts   Charts
	Consents Consents
	Orders   Orders
	Frames   *frame.Frames
	Now      func() time.Time
}

// Pages answers the page of the server.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section.
func (p *Pages) Routes() []web.Route {
	return append(p.snapshotRoutes(), p.adminKeyRoute(), frame.Get(portal.Server, account.Look, p.page))
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{"server": {Right: account.Look, Open: p.panel}}
}
