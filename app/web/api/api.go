package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/chat"
	"gatehouse/app/job"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/once"
	"gatehouse/app/web/session"
)

// Chat is what the API needs of conversations; chat.Service has it.
type Chat interface {
	Send(ctx context.Context, of account.CustomerID, from wire.Origin, m chat.Message) (chat.Sent, error)
	Cancel(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (chat.Canceled, error)
	CancelAlone(ctx context.Context, of account.CustomerID, by wire.Origin, runID string) (chat.Canceled, error)
	Events(ctx context.Context, of account.CustomerID, runID string, from int64) (*chat.Stream, error)
	Receipts(ctx context.Context, of account.CustomerID, runID string) (wire.ReceiptsResult, error)
	Run(ctx context.Context, of account.CustomerID, runID string) (wire.Run, error)
	Runs(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.RunsResult, error)
	Sessions(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.SessionsResult, error)
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
	Echo(ctx context.Context, of account.CustomerID, body []byte) ([]byte, error)
}

// Inbox is what the API needs of approvals; approval.Service has it.
type Inbox interface {
	Get(ctx context.Context, of account.CustomerID, id string) (approval.Item, error)
	List(ctx context.Context, of account.CustomerID, q approval.Query) (page.Of[approval.Item], error)
	ListAll(ctx context.Context, q approval.Query) (page.Of[approval.Item], error)
	Pending(ctx context.Context, of account.CustomerID) (int, error)
	Decide(ctx context.Context, of account.CustomerID, id string, ans approval.Answer) (approval.Item, error)
}

// Keys is what the API needs of approver keys; approver.Service has it.
type Keys interface {
	Of(ctx context.Context, of account.CustomerID) (approver.Ring, error)
	EnrolFor(ctx context.Context, of account.CustomerID, userID string, e wire.Enrolment) (wire.Enrolled, error)
	Revoke(ctx context.Context, of account.CustomerID, r wire.Revocation) (wire.ApproverState, error)
}

// Servers is what the API needs of servers; server.Service has it.
type Servers interface {
	Of(ctx context.Context, of account.CustomerID) (server.Server, error)
	List(ctx context.Context, f server.Filter, ask page.Ask) (page.Of[server.Server], error)
	Find(ctx context.Context, id server.ID) (server.Server, error)
	Chart(ctx context.Context, id server.ID, span server.Span) (server.Chart, error)
	ChartOf(ctx context.Context, of account.CustomerID, span server.Span) (server.Chart, error)
}

// Commands has servers do something; server.Commands does.
type Commands interface {
	Send(ctx context.Context, id server.ID, verb wire.CommandVerb, container string, by audit.Actor) (server.Command, error)
	Of(ctx context.Context, id server.ID) ([]server.Command, error)
}

// Orders is what the API needs of orders; order.Service has it.
type Orders interface {
	List(ctx context.Context, f order.Filter, ask page.Ask) (page.Of[order.Order], error)
	Find(ctx context.Context, id order.ID) (order.Order, error)
	Do(ctx context.Context, of account.CustomerID, id order.ID, act order.Act, by audit.Actor) (order.Order, error)
	Alerts(ctx context.Context, limit int) (alerts []order.Alert, total int, err error)
	Lines(ctx context.Context, id order.ID, f order.LineFilter) ([]order.Line, error)
}

// Records is what the API needs of the record of changes; audit.Service has it.
type Records interface {
	Find(ctx context.Context, f audit.Filter, ask page.Ask) (page.Of[audit.Line], error)
}

// Jobs is what the API needs of the hub's background work; job.Service has it.
type Jobs interface {
	List(ctx context.Context, f job.Filter, ask job.Ask) (page.Of[job.Job], error)
	Act(ctx context.Context, id int64, act job.Act, by audit.Actor) (job.Job, error)
}

// Deps are the services behind the API.
type Deps struct {
	Chat       Chat
	Inbox      Inbox
	Keys       Keys
	Servers    Servers
	Commands   Commands
	Machines   Machines
	Providers  Providers
	Pool       Pool
	Orders     Orders
	Clientele  Clientele
	People     People
	Records    Records
	Staff      *staff.Service
	Jobs       Jobs
	Names      Names
	Settings   Settings
	Team       TeamSettings
	Codes      Codes
	Support    Support
	Bills      Bills
	Usage      Usage
	Memory     Memory
	Crew       Crew
	Tasks      Tasks
	Analyst    Analyst
	Margins    Margins
	Schedules  Schedules
	Hooks      Hooks
	Channels   Channels
	EventRules EventRules
	Needs      Needs
	Replays    once.Replays
	Now        func() time.Time
}

// handler answers the routes.
type handler struct{ Deps }

const root = "/api/v1"

// Routes are all routes of the API but that of servers.
func Routes(d Deps) []web.Route {
	h := &handler{d}
	routes := []web.Route{{Method: http.MethodGet, Path: "/api/openapi.json", For: web.Anyone, Do: openapi}}
	routes = append(routes, h.customer()...)
	return append(routes, h.admin()...)
}

func (h *handler) customer() []web.Route {
	route := func(method, path string, right account.Right, do echo.HandlerFunc) web.Route {
		return web.Route{
			Method: method, Path: root + "/customer" + path, For: web.CustomerToken, Right: right, Scope: string(account.ScopeCustomer),
			Limit: web.LimitAPI, Do: do,
		}
	}
	at := func(method, path string, right account.Right, do echo.HandlerFunc) web.Route {
		if method == http.MethodPost {
			do = h.once().Wrap(do)
		}
		return route(method, path, right, do)
	}
	events := at(http.MethodGet, "/chat/:run/events", account.Chat, h.events)
	events.Stream = true
	parts := slices.Concat(h.memoryRoutes(at), h.hookRoutes(at), h.channelRoutes(at), h.eventRuleRoutes(at), h.teamRoutes(at),
		h.businessRoutes(at))
	return append(parts, []web.Route{
		at(http.MethodGet, "/dashboard", account.Look, h.dashboard),
		at(http.MethodGet, "/billing", account.Manage, h.billing),
		at(http.MethodGet, "/billing/plans", account.Manage, h.plans),
		at(http.MethodGet, "/billing/plans/:plan", account.Manage, h.previewPlan),
		at(http.MethodPost, "/billing/plan", account.Manage, h.changePlan),
		at(http.MethodPost, "/billing/cancellation", account.Manage, h.cancelPlan),
		at(http.MethodDelete, "/billing/cancellation", account.Manage, h.keepPlan),
		at(http.MethodGet, "/server/metrics", account.Look, h.metrics),
		at(http.MethodGet, "/usage", account.Look, h.usage),
		at(http.MethodGet, "/usage/breakdown", account.Look, h.usageBreakdown),
		at(http.MethodGet, "/schedules", account.Look, h.schedules),
		at(http.MethodPost, "/schedules", account.Chat, h.createSchedule),
		at(http.MethodGet, "/schedules/settings", account.Look, h.scheduleSettings),
		at(http.MethodPut, "/schedules/settings", account.Chat, h.setSchedules),
		at(http.MethodGet, "/schedules/due", account.Look, h.schedulesDue),
		at(http.MethodGet, "/schedules/:id", account.Look, h.schedule),
		at(http.MethodPatch, "/schedules/:id", account.Chat, h.changeSchedule),
		at(http.MethodDelete, "/schedules/:id", account.Chat, h.deleteSchedule),
		at(http.MethodGet, "/schedules/:id/ticks", account.Look, h.scheduleTicks),
		at(http.MethodPost, "/schedules/:id/run", account.Chat, h.runSchedule),
		at(http.MethodPatch, "/schedules/:id/webhook", account.Manage, h.scheduleWebhook),
		at(http.MethodDelete, "/schedules/:id/webhook", account.Manage, h.dropScheduleWebhook),
		at(http.MethodPost, "/chat", account.Chat, h.postChat),
		at(http.MethodGet, "/chat/settings", account.Look, h.chatSettings),
		at(http.MethodPut, "/chat/settings", account.Manage, h.setChats),
		events,
		at(http.MethodGet, "/runs/:run", account.Look, h.run),
		at(http.MethodGet, "/runs/:run/receipts", account.Look, h.receipts),
		at(http.MethodPost, "/runs/:run/cancel", account.Chat, h.cancel),
		at(http.MethodGet, "/approvals", account.Look, h.approvals),
		at(http.MethodGet, "/approvals/:id", account.Look, h.approval),
		at(http.MethodPost, "/approvals/:id", account.Approve, h.decide),
		at(http.MethodGet, "/approver-keys", account.Look, h.approverKeys),
		at(http.MethodPost, "/approver-keys", account.Manage, h.enrolKey),
		at(http.MethodPost, "/approver-keys/:key/revoke", account.Manage, h.revokeKey),
		at(http.MethodGet, "/users", account.Look, h.users),
		at(http.MethodPost, "/users", account.Manage, h.inviteUser),
		at(http.MethodPatch, "/users/:id", account.Manage, h.setRights),
		at(http.MethodDelete, "/users/:id", account.Manage, h.removeUser),
		at(http.MethodGet, "/support-windows", account.Look, h.supportWindows),
		at(http.MethodPost, "/support-windows", account.Manage, h.openSupport),
		at(http.MethodDelete, "/support-windows/:id", account.Manage, h.endSupport),
		route(http.MethodPost, "/echo", account.Look, h.echo), // never once: the answer would be kept
	}...)
}

func (h *handler) admin() []web.Route {
	route := func(method, path string, needs staff.Permission, do echo.HandlerFunc) web.Route {
		return web.Route{
			Method: method, Path: root + "/admin" + path, For: web.StaffToken, Needs: needs,
			Scope: string(account.ScopeAdmin), Limit: web.LimitAPI, Do: do,
		}
	}
	at := func(path string, needs staff.Permission, do echo.HandlerFunc) web.Route {
		return route(http.MethodGet, path, needs, do)
	}
	own := slices.Concat(h.staffRoutes(), h.customerRoutes(), h.settingRoutes(route), h.machineRoutes(route), h.supportRoutes(),
		h.providerRoutes(route), h.poolRoutes(route))
	return append(own, []web.Route{
		at("/stats", staff.Own, h.adminStatistics),
		at("/orders", staff.OrdersRead, h.adminOrders),
		at("/servers", staff.ServersRead, h.adminServers), at("/servers/:id", staff.ServersRead, h.adminServer),
		at("/servers/:id/metrics", staff.ServersRead, h.adminMetrics),
		at("/servers/:id/commands", staff.ServersRead, h.adminCommands),
		route(http.MethodPost, "/servers/:id/command", staff.ServersCommand, h.once().Wrap(h.adminCommand)),
		at("/approvals", staff.ApprovalsRead, h.adminApprovals),
		at("/billing/summary", staff.BillingRead, h.adminBilling), at("/billing/history", staff.BillingRead, h.adminInvoices),
		at("/billing/overages", staff.BillingRead, h.adminOverages), at("/billing/founding", staff.BillingRead, h.adminFounders),
		at("/customers/:id/uncharged", staff.BillingRead, h.adminUncharged),
		at("/analytics/tokens", staff.AnalyticsRead, h.adminTokens), at("/analytics/costs", staff.AnalyticsRead, h.adminCosts),
		at("/analytics/customers", staff.AnalyticsRead, h.adminCustomerCosts),
		at("/analytics/months", staff.AnalyticsRead, h.adminMonths),
		at("/orders/alerts", staff.OrdersRead, h.adminOrderAlerts), at("/orders/:id", staff.OrdersRead, h.adminOrder),
		at("/orders/:id/logs", staff.OrdersRead, h.adminOrderLog),
		route(http.MethodPost, "/orders/:id/transition", staff.OrdersAct, h.onceCoded().Wrap(coded(h.adminOrderAct))),
		route(http.MethodPost, "/codes", staff.Own, h.once().Wrap(h.askCode)),
		at("/audit", staff.AuditRead, h.adminAudit), at("/jobs", staff.JobsManage, h.adminJobs),
		route(http.MethodPost, "/orders/:id/dns/create", staff.OrdersAct, h.once().Wrap(h.adminMakeName)),
		route(http.MethodPost, "/orders/:id/dns/verify", staff.OrdersAct, h.once().Wrap(h.adminCheckName)),
		route(http.MethodPost, "/jobs/:id", staff.JobsManage, h.once().Wrap(h.adminJobAct)),
	}...)
}

// once is how a POST happens once: keys belong to the person whose token it is.
func (h *handler) once() once.Guard {
	return once.Guard{Replays: h.Replays, Now: h.Now, Keep: once.Answered, Who: func(c echo.Context, _ []byte) string {
		who := session.Of(c)
		if who.IsStaff() {
			return "staff:" + who.StaffID
		}
		return "user:" + who.UserID
	}}
}

// customerOf is whose data a request may touch.
func customerOf(c echo.Context) account.CustomerID {
	return account.CustomerID(session.Of(c).CustomerID)
}

// originOf says who a request comes from.
func originOf(c echo.Context) wire.Origin {
	who := session.Of(c)
	return wire.Origin{UserID: who.UserID, Email: who.Email, Channel: "api", Address: c.RealIP(), Role: who.Role}
}
