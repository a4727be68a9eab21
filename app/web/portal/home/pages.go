package home

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/regain"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/welcome"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/home"
	words "gatehouse/views/welcome"
)

// Chat reads from the customer's server what the team is and did; chat.Service does.
type Chat interface {
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
	Runs(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.RunsResult, error)
}

// Inbox is what waits for the customer; approval.Service has it.
type Inbox interface {
	List(ctx context.Context, of account.CustomerID, q approval.Query) (page.Of[approval.Item], error)
}

// Secrets says which calls wait for a secret; credential.Service does.
type Secrets interface {
	Asked(ctx context.Context, of account.CustomerID) (wire.SecretRequestsResult, error)
}

// Channels knows who waits for a person by a channel; channel.Service does.
type Channels interface {
	List(ctx context.Context, of account.CustomerID) (wire.ChannelsResult, error)
}

// Tasks knows the first tasks of a customer; welcome.Service does.
type Tasks interface {
	Of(ctx context.Context, of account.CustomerID) (welcome.State, error)
	Dismiss(ctx context.Context, of account.CustomerID, t welcome.Task, back bool) error
	PutAway(ctx context.Context, of account.CustomerID, back bool) error
}

// Support counts what our staff ask to look at, and may now; support.Service does.
type Support interface {
	Standing(ctx context.Context, of account.CustomerID) (asked, open int, err error)
}

// Regain knows the case that lets an owner back in, and stops it; regain.Service does.
type Regain interface {
	Running(ctx context.Context, of account.CustomerID) (*regain.Case, error)
	Stop(ctx context.Context, of account.CustomerID, id string, by audit.Actor) error
}

// Deps are the parts that the home page works with.
type Deps struct {
	Chat    Chat
	Inbox   Inbox
	Secrets Secrets
	People  frame.People
	Tasks   Tasks
	Support Support
	Regain  Regain
	Pools   frame.Pools
	Keys    frame.Rings
	Frames  *frame.Frames
	Agents  *roster.Roster
	Now     func() time.Time

	Channels Channels
}

// Pages answers the home page.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Home, account.Look, p.home), frame.Post(words.DismissPath, account.Manage, p.dismiss),
		frame.Post(views.RegainStop, account.Look, p.stopRegain),
	}
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{"home": {Right: account.Look, Open: p.panel}}
}
