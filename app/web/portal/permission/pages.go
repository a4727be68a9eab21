package permission

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
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

// Content lists content from outside that was flagged; chat.Service does.
type Content interface {
	Flagged(ctx context.Context, of account.CustomerID, p wire.FlaggedParams) (wire.FlaggedResult, error)
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
		frame.Get(portal.Permissions, p.rules), frame.Post(portal.Permissions, p.saveRules),
		frame.Post(views.CloseWindowPath, p.closeWindow),
		frame.Get(views.InsidePath, p.inside), frame.Post(views.InsidePath, p.saveInside),
		frame.Get(views.QuarantinePath, p.quarantine),
	}
}

// Topics are what its open pages show.
func (p *Pages) Topics() live.Topics { return live.Topics{"inside": p.insidePanel} }
