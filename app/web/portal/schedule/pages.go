package schedule

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/schedule"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"
	"gatehouse/app/welcome"
	"gatehouse/views/portal"

	views "gatehouse/views/portal/schedule"
)

// Schedules is what people do with schedules; schedule.Service does it.
type Schedules interface {
	List(ctx context.Context, of account.CustomerID, p wire.SchedulesParams) (wire.SchedulesResult, error)
	Find(ctx context.Context, of account.CustomerID, id string) (wire.Schedule, error)
	Ticks(ctx context.Context, of account.CustomerID, p wire.ScheduleTicksParams) (wire.ScheduleTicks, error)
	Failed(ctx context.Context, of account.CustomerID, p wire.SchedulesParams) (wire.ScheduleTicks, error)
	Due(ctx context.Context, of account.CustomerID, from, until time.Time) (wire.SchedulesDue, error)
	Read(ctx context.Context, of account.CustomerID, p wire.ScheduleReadParams) (wire.ScheduleReading, error)
	Create(ctx context.Context, of account.CustomerID, once string, p wire.ScheduleCreate) (wire.Schedule, error)
	Edit(ctx context.Context, of account.CustomerID, p wire.ScheduleEdit) (wire.Schedule, error)
	Do(ctx context.Context, of account.CustomerID, id string, act schedule.Act, by wire.Origin) (wire.Schedule, error)
	Run(ctx context.Context, of account.CustomerID, once, id string, by wire.Origin) (wire.ScheduleTick, error)
	Set(ctx context.Context, of account.CustomerID, p wire.ScheduleSettings) (wire.ScheduleSettings, error)
	Webhook(ctx context.Context, of account.CustomerID, c wire.WebhookChange) (wire.Schedule, error)
}

// Team says which agents there are; chat.Service does.
type Team interface {
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
}

// Tasks knows the first tasks of a customer; welcome.Service does.
type Tasks interface {
	Of(ctx context.Context, of account.CustomerID) (welcome.State, error)
	Done(ctx context.Context, of account.CustomerID, t welcome.Task) error
}

// Deps are the parts that the pages work with.
type Deps struct {
	Schedules Schedules
	Team      Team
	Tasks     Tasks
	Settings  signing.Settings
	Frames    *frame.Frames
	Agents    *roster.Roster
	Now       func() time.Time
}

// Pages answers the pages of schedules.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Schedules, account.Look, p.list),
		frame.Get(views.MonthPath, account.Look, p.month),
		frame.Get(views.FailedPath, account.Look, p.lost),
		frame.Post(views.QuietPath, account.Chat, p.quiet),
		frame.Get(views.NewPath, account.Chat, p.blank),
		frame.Post(views.NewPath, account.Chat, p.create),
		frame.Post(views.AllPath, account.Chat, p.all),
		frame.Get(views.Path(":id"), account.Look, p.one),
		frame.Get(views.EditPath(":id"), account.Chat, p.edit),
		frame.Post(views.EditPath(":id"), account.Chat, p.change),
		frame.Post(views.ActPath(":id"), account.Chat, p.act),
		frame.Post(views.WebhookPath(":id"), account.Manage, p.webhook),
	}
}
