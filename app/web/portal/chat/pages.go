package chat

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/chat"
	"gatehouse/app/page"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"
	"gatehouse/app/welcome"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/chat"
)

// Chat carries conversations; chat.Service does.
type Chat interface {
	Send(ctx context.Context, of account.CustomerID, from wire.Origin, m chat.Message) (chat.Sent, error)
	Cancel(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (chat.Canceled, error)
	CancelAlone(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (chat.Canceled, error)
	Events(ctx context.Context, of account.CustomerID, runID string, from int64) (*chat.Stream, error)
	Sessions(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.SessionsResult, error)
	Session(ctx context.Context, of account.CustomerID, p wire.SessionParams) (wire.Session, error)
	Receipts(ctx context.Context, of account.CustomerID, runID string) (wire.ReceiptsResult, error)
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
	Rename(ctx context.Context, of account.CustomerID, id, title string) (wire.SessionInfo, error)
	Archive(ctx context.Context, of account.CustomerID, id string, archived bool) (wire.SessionInfo, error)
	Delete(ctx context.Context, of account.CustomerID, by wire.Origin, id string, sig *wire.Signature) error
}

// Inbox knows how questions of the team were answered; approval.Service does.
type Inbox interface {
	Get(ctx context.Context, of account.CustomerID, id string) (approval.Item, error)
	List(ctx context.Context, of account.CustomerID, q approval.Query) (page.Of[approval.Item], error)
}

// Team knows who is in the team; the section of the agents does.
type Team interface {
	// Known reports, by the error, whether an agent is in the team as far as the hub can say without its server.
	Known(ctx context.Context, of account.CustomerID, agent string) error
}

// Tasks knows the first tasks of a customer; welcome.Service does.
type Tasks interface {
	Of(ctx context.Context, of account.CustomerID) (welcome.State, error)
	Done(ctx context.Context, of account.CustomerID, t welcome.Task) error
}

// Deps are the parts that the pages work with.
type Deps struct {
	Chat   Chat
	Inbox  Inbox
	Team   Team
	Set    signing.Settings // of the team: what is signed is bound to them
	Frames *frame.Frames
	Agents *roster.Roster
	Tasks  Tasks
}

// Pages answers the conversations with the team.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and what their forms send.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Chat, account.Chat, p.newest), frame.Post(portal.Chat, account.Chat, p.send),
		frame.Get(portal.Chat+"/:session", account.Chat, p.one), frame.Get(portal.Chat+"/agent/:agent", account.Chat, p.newestOfAgent),
		frame.Get(portal.Conversations, account.Chat, p.list), frame.Post(portal.RunPath("")+":id/stop", account.Chat, p.stop),
		frame.Post(views.RenamePath(":session"), account.Chat, p.rename),
		frame.Post(views.ArchivePath(":session"), account.Chat, p.archive),
		frame.Get(views.DeletePath(":session"), account.Manage, p.askDelete),
		frame.Post(views.DeletePath(":session"), account.Manage, p.remove),
	}
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{"chat": {Right: account.Chat, Open: p.openTopic}}
}
