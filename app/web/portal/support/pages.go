package support

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/support"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/views/portal"
)

// Windows are the support windows of customers; support.Service has them.
type Windows interface {
	List(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[support.Window], error)
	Find(ctx context.Context, of account.CustomerID, id string) (support.Window, error)
	Open(
		ctx context.Context, of account.CustomerID, id string, version int64, sig *wire.Signature, as wire.DecidedBy, by audit.Actor,
	) (support.Window, error)
	Refuse(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (support.Window, error)
	Close(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (support.Window, error)
	Looks(ctx context.Context, w support.Window) ([]support.Look, error)
	Seen(ctx context.Context, w support.Window) ([]support.Look, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Windows Windows
	Keys    frame.Rings
	Frames  *frame.Frames
	Now     func() time.Time
}

// Pages answers the pages of support windows.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Support, account.Look, p.list),
		frame.Get(portal.Support+"/:id", account.Look, p.one),
		frame.Post(portal.Support+"/:id/open", account.Manage, p.open),
		frame.Post(portal.Support+"/:id/refuse", account.Manage, p.refuse),
		frame.Post(portal.Support+"/:id/close", account.Manage, p.close),
	}
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{
		"support":        {Right: account.Look, Open: p.panel},
		"support-window": {Right: account.Look, Open: p.panelOfOne},
	}
}
