package activity

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/chat"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"

	"gatehouse/views/portal"
)

// Chat reads from the customer's server what the team did, and sends the order that puts a file back; chat.Service does.
type Chat interface {
	Runs(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.RunsResult, error)
	Run(ctx context.Context, of account.CustomerID, runID string) (wire.Run, error)
	Receipts(ctx context.Context, of account.CustomerID, runID string) (wire.ReceiptsResult, error)
	Change(ctx context.Context, of account.CustomerID, callID string) (wire.Change, error)
	Send(ctx context.Context, of account.CustomerID, from wire.Origin, m chat.Message) (chat.Sent, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Chat   Chat
	Costs  Costs
	Frames *frame.Frames
	Agents *roster.Roster
	Now    func() time.Time
}

// Pages answers the pages about what the team did.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and what their forms send.
func (p *Pages) Routes() []web.Route {
	one := portal.RunPath("") + ":id"
	return []web.Route{
		frame.Get(portal.Activity, account.Look, p.feed),
		frame.Get(one, account.Look, p.run),
		frame.Get(one+"/talk", account.Look, p.conversation),
		frame.Get(one+"/evidence", account.Look, p.evidence),
		frame.Get(portal.PutBackPath(":call"), account.Chat, p.written), frame.Post(portal.PutBackPath(":call"), account.Chat, p.putBack),
	}
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{"activity": {Right: account.Look, Open: p.feedPanel}, "run": {Right: account.Look, Open: p.runPanel}}
}
