package permission

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/live"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/permission"
)

// Permissions is what people do with the rules of their team; permission.Service does it.
type Permissions interface {
	Get(ctx context.Context, of account.CustomerID) (wire.Permissions, error)
	Preview(ctx context.Context, of account.CustomerID, p wire.PermissionsTry) (wire.PermissionsPreview, error)
	Set(ctx context.Context, of account.CustomerID, p wire.PermissionsSet) (wire.Permissions, error)
	Windows(ctx context.Context, of account.CustomerID) (wire.WindowsResult, error)
	Close(ctx context.Context, of account.CustomerID, p wire.WindowClose) (wire.WindowsResult, error)
	Inside(ctx context.Context, of account.CustomerID) (wire.InsideResult, error)
	Limits(ctx context.Context, of account.CustomerID) (wire.LimitsResult, error)
	Guardian(ctx context.Context, of account.CustomerID) (wire.GuardianState, error)
}

// Content is what the server has of the team and its past; chat.Service asks for it.
type Content interface {
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
	Approval(ctx context.Context, of account.CustomerID, id string) (wire.Approval, error)
	Flagged(ctx context.Context, of account.CustomerID, p wire.FlaggedParams) (wire.FlaggedResult, error)
}

// Requests are what people were asked; approval.Service has them.
type Requests interface {
	Get(ctx context.Context, of account.CustomerID, id string) (approval.Item, error)
}

// Team holds the settings of the team; team.Service does.
type Team interface {
	signing.Settings
	signing.Team
}

// Deps are the parts that the pages work with.
type Deps struct {
	Permissions Permissions
	Content     Content
	Requests    Requests
	Team        Team
	Frames      *frame.Frames
	Agents      *roster.Roster
	Now         func() time.Time
}

// Pages answers the pages of what the team may do.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and what their forms send.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Permissions, account.Manage, p.rules), frame.Post(portal.Permissions, account.Manage, p.saveRows),
		frame.Get(views.TextPath, account.Manage, p.text), frame.Post(views.TextPath, account.Manage, p.saveText),
		frame.Post(views.CloseWindowPath, account.Manage, p.closeWindow),
		frame.Get(views.InsidePath, account.Manage, p.inside), frame.Post(views.InsidePath, account.Manage, p.saveInside),
		frame.Get(views.QuarantinePath, account.Manage, p.quarantine),
	}
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics {
	return live.Topics{"inside": {Right: account.Manage, Open: p.insidePanel}}
}
