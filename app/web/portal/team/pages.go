package team

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
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

// Team holds the settings of the team; team.Service does.
type Team interface {
	signing.Settings
	signing.Team
}

// Deps are the parts that the pages work with.
type Deps struct {
	Chat    Chat
	Inbox   Inbox
	Secrets Secrets
	Team    Team
	Crew    Crew
	Tasks   Tasks
	Prices  Prices
	Frames  *frame.Frames
	Agents  *roster.Roster
	Now     func() time.Time
}

// Pages answers the pages of the agents.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and what their forms send.
func (p *Pages) Routes() []web.Route {
	const one = portal.Agents + "/:agent"
	return []web.Route{
		frame.Get(portal.Agents, account.Look, p.team), frame.Post(views.DefaultLevelPath, account.Manage, p.saveDefaultLevel),
		frame.Get(views.LibraryPath, account.Look, p.library), frame.Post(views.ChangePath, account.Manage, p.change),
		frame.Get(words.BusinessPath, account.Look, p.business), frame.Post(words.BusinessPath, account.Manage, p.chooseBusiness),
		frame.Get(views.NewPath, account.Manage, p.newAgent), frame.Post(views.NewPath, account.Manage, p.reviewNew),
		frame.Get(one+"/files", account.Manage, p.files),
		frame.Get(one+"/edit", account.Manage, p.edit), frame.Post(one+"/edit", account.Manage, p.review),
		frame.Get(one, account.Look, p.agent), frame.Post(one+"/off", account.Manage, p.saveOff),
		frame.Post(one+"/colleagues", account.Manage, p.saveColleagues), frame.Post(one+"/sandbox", account.Manage, p.saveSandbox),
		frame.Get(views.ToolsPath, account.Manage, p.tools), frame.Post(views.ToolsPath, account.Manage, p.saveTools),
		frame.Get(one+"/autonomy", account.Manage, p.autonomy), frame.Post(one+"/autonomy", account.Manage, p.saveAutonomy),
		frame.Get(one+"/external", account.Manage, p.external), frame.Post(one+"/external", account.Manage, p.saveExternal),
		frame.Get(one+"/model", account.Manage, p.model), frame.Post(one+"/model", account.Manage, p.saveModel),
		frame.Get(portal.Limits, account.Manage, p.limits), frame.Post(portal.Limits, account.Manage, p.saveLimits),
		frame.Post(portal.Limits+"/beyond", account.Manage, p.saveBeyond),
		frame.Post(views.ChatsPath, account.Manage, p.saveChats),
		frame.Post(portal.Limits+"/meaning", account.Manage, p.saveEmbeddings),
	}
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{"agents": {Right: account.Look, Open: p.teamPanel}, "agent": {Right: account.Look, Open: p.agentPanel}}
}
