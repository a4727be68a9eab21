package approval

import (
	"context"
	"log/slog"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
)

// Chat reads from the customer's server what an approval asked; chat.Service does.
type Chat interface {
	Approval(ctx context.Context, of account.CustomerID, id string) (wire.Approval, error)
	Said(ctx context.Context, of account.CustomerID, ids []string) (map[string]string, error)
}

// Deps are the parts that the inbox works with.
type Deps struct {
	Chat   Chat
	Inbox  inbox.Store
	People inbox.People
	Frames *frame.Frames
	Agents *roster.Roster
	Now    func() time.Time
	Log    *slog.Logger
}

// Pages is the customer's inbox.
type Pages struct {
	Deps
	inbox *inbox.Inbox
}

// New makes the section.
func New(d Deps) *Pages {
	return &Pages{d, inbox.New(inbox.Deps{
		Base: card.Portal, For: web.Customer, Store: d.Inbox, Servers: d.Chat, People: d.People, Frame: d.Frames.OfInbox,
		Stream: frame.StreamOf, Agent: d.Agents.Agent, Now: d.Now, Log: d.Log,
	})}
}

// Routes are the pages of the section.
func (p *Pages) Routes() []web.Route { return p.inbox.Routes() }

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{
		"approvals": {Right: account.Look, Open: p.openList}, "approval": {Right: account.Look, Open: p.openCard},
		"edit": {Right: account.Manage, Open: p.openEdit},
	}
}
