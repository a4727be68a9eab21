package usage

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/usage"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
	"gatehouse/views/portal"

	views "gatehouse/views/portal/usage"
)

// Reader reads what was used; usage.Reader does.
type Reader interface {
	Overview(ctx context.Context, of account.CustomerID, span usage.Span, at time.Time) (usage.Overview, error)
	Hours(ctx context.Context, of account.CustomerID, f usage.Filter, after string, limit int) (lines []usage.Line, next string, err error)
}

// Pools knows how much of the month's tokens is used, and how the month will end; billing.Service does.
type Pools interface {
	frame.Pools
	Overview(ctx context.Context, of account.CustomerID) (billing.Overview, error)
}

// Deps are the parts that the section works with.
type Deps struct {
	Usage  Reader
	Pools  Pools
	Frames *frame.Frames
	Agents *roster.Roster
	Now    func() time.Time
}

// Pages answers the pages of the section.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Usage, account.Look, p.overview),
		frame.Get(views.BreakdownPath, account.Look, p.breakdown),
		frame.Get(views.CSVPath, account.Look, p.download),
	}
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{"usage": {Right: account.Look, Open: p.panel}}
}
