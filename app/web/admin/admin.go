package admin

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/job"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/passkey"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/vpshost/setup"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/takeout"
	"gatehouse/app/tune"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
)

// Orders is what the console needs of orders; order.Service has it.
type Orders interface {
	Find(ctx context.Context, id order.ID) (order.Order, error)
	Of(ctx context.Context, of account.CustomerID) (order.Order, error)
	List(ctx context.Context, f order.Filter, ask page.Ask) (page.Of[order.Order], error)
	Events(ctx context.Context, of account.CustomerID, id order.ID, after int64) ([]order.Event, error)
	// Do does what somebody pressed. The order that it answers with is the one to look at next.
	Do(ctx context.Context, of account.CustomerID, id order.ID, act order.Act, by audit.Actor) (order.Order, error)
	// Alerts lists the orders that need one of our staff.
	Alerts(ctx context.Context, limit int) (alerts []order.Alert, total int, err error)
	// Late says whether an order takes longer than was promised.
	Late(o order.Order) bool
	// Lines lists the log of an order after a line.
	Lines(ctx context.Context, id order.ID, f order.LineFilter) ([]order.Line, error)
	SetDomain(ctx context.Context, of account.CustomerID, id order.ID, typed string, by audit.Actor) (order.Order, error)
	// Plans lists the plans as they are sold now.
	Plans() []pricing.Plan
}

// Servers is what the console needs of servers; server.Service has it.
type Servers interface {
	Find(ctx context.Context, id server.ID) (server.Server, error)
	Of(ctx context.Context, of account.CustomerID) (server.Server, error)
	List(ctx context.Context, f server.Filter, ask page.Ask) (page.Of[server.Server], error)
	Counts(ctx context.Context) (map[server.State]int, error)
	Chart(ctx context.Context, id server.ID, span server.Span) (server.Chart, error)
	Agents(ctx context.Context, id server.ID) ([]wire.AgentInfo, error)
	RenewKey(ctx context.Context, id server.ID, by audit.Actor) error
	CutOff(ctx context.Context, id server.ID, typed string, by audit.Actor) error
}

// Commands has servers do something; server.Commands does.
type Commands interface {
	Send(ctx context.Context, id server.ID, verb wire.CommandVerb, container string, by audit.Actor) (server.Command, error)
	Of(ctx context.Context, id server.ID) ([]server.Command, error)
	Listed(ctx context.Context, id server.ID) (server.Command, error)
}

// Setups says how far setting servers up is; db.Setups does.
type Setups interface {
	// Notes lists what became of each step, of each the newest attempt, in the order in which they began.
	Notes(ctx context.Context, serverID string) ([]setup.Note, error)
}

// Accounts is what the console needs of accounts; account.Service has it.
type Accounts interface {
	Customer(ctx context.Context, id account.CustomerID) (account.Customer, error)
	Users(ctx context.Context, of account.CustomerID) ([]account.User, error)
}

// Keys are the approver keys of our staff; approver.Service has them.
type Keys interface {
	OfStaff(ctx context.Context, staffID string) ([]approver.StaffKey, error)
	AskAsStaff(ctx context.Context, of account.CustomerID, r approver.Request, by audit.Actor) error
}

// Inbox counts approvals; approval.Service has it.
type Inbox interface {
	PendingAll(ctx context.Context) (int, error)
}

// Records is the record of changes; audit.Service has it.
type Records interface {
	audit.Reader
	Export(ctx context.Context, f audit.Filter, search string, by audit.Actor, each func([]audit.Line) error) error
}

// Jobs is the hub's background work; job.Service has it.
type Jobs interface {
	Board(ctx context.Context) (job.Board, error)
	List(ctx context.Context, f job.Filter, ask job.Ask) (page.Of[job.Job], error)
	Act(ctx context.Context, id int64, act job.Act, by audit.Actor) (job.Job, error)
	Pause(ctx context.Context, queue string, paused bool, by audit.Actor) error
}

// Live is the live traffic of all customers; relay.Relay has it.
type Live interface {
	SubscribeAll(ctx context.Context) (*relay.Subscription, error)
}

// Handler answers the console's pages.
type Handler struct {
	Orders    Orders
	Servers   Servers
	Commands  Commands
	Machines  AtProviders
	Accounts  Accounts
	Pool      Machines
	Rentals   Providers
	Setups    Setups
	Keys      Keys
	Inbox     Inbox
	Records   Records
	Exports   takeout.Desk
	Needs     Needs
	Settings  Settings
	Clientele Clientele
	Closing   Closing
	Tokens    *staff.Tokens
	Names     Names
	Codes     Codes
	Passkeys  *passkey.Service
	Support   Support
	Regain    Regain
	Rings     Rings
	Bills     Bills
	Rates     Rates
	Payments  Payments
	Analyst   Analyst
	Margins   Margins
	Jobs      Jobs
	Live      Live
	Staff     *staff.Service
	Sessions  *session.Manager
	Now       func() time.Time
	Log       *slog.Logger

	Providers []string             // where servers can be set up
	Places    tune.Value[[]string] // Providers, where our staff may change them

	LookAgain time.Duration // how often an open page is refreshed without a notice, which may be lost; zero: every 15 s
}

// Routes states every route of the package with its audience.
func (h *Handler) Routes() []web.Route {
	get := func(path string, needs staff.Permission, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodGet, Path: path, For: web.Staff, Needs: needs, Do: do}
	}
	post := func(path string, needs staff.Permission, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Staff, Needs: needs, Do: do}
	}
	fresh := func(path string, needs staff.Permission, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Staff, Needs: needs, Fresh: true, Do: do}
	}
	own := slices.Concat(h.staffRoutes(), h.consoleRoutes(), h.passkeyRoutes(), h.machineRoutes(), h.supportRoutes(), h.regainRoutes(),
		h.billingRoutes(), h.paymentRoutes(), h.providerRoutes())
	return append(own, []web.Route{
		get(views.HomePath, staff.OrdersRead, h.home),
		get(views.OrdersPath, staff.OrdersRead, h.orders),
		get(views.OrdersPath+"/:id", staff.OrdersRead, h.order),
		get(views.AlertsPath, staff.OrdersRead, h.alerts),
		post(views.OrdersPath+"/:id/act", staff.OrdersAct, h.coded(h.act)),
		get(views.OrdersPath+"/:id/log", staff.OrdersRead, h.logText),
		post(views.OrdersPath+"/:id/name", staff.OrdersAct, h.actOnName),
		get(views.ServersPath, staff.ServersRead, h.servers),
		get(views.ServersPath+"/:id", staff.ServersRead, h.server),
		fresh(views.ServersPath+"/:id/command", staff.ServersCommand, h.command),
		fresh(views.ServersPath+"/:id/key", staff.ServersCommand, h.renewKey),
		fresh(views.ServersPath+"/:id/cut", staff.ServersDestroy, h.coded(h.cutOff)),
		get(views.PoolPath, staff.PoolManage, h.pool),
		post(views.PoolPath, staff.PoolManage, h.addMachine),
		post(views.PoolPath+"/:id", staff.PoolManage, h.coded(h.actOnMachine)),
		get(views.KeysPath, staff.ApprovalsRead, h.keys),
		get(views.KeysPath+"/:id", staff.ApprovalsRead, h.keysOf),
		post(views.KeysPath+"/:id", staff.ApprovalsDecide, h.askForKey),
		get(views.TokensPath, staff.Own, h.tokens),
		{Method: http.MethodPost, Path: views.NewTokenPath, For: web.Staff, Needs: staff.Own, Fresh: true, Do: h.issueToken},
		// it outlives the sign-in
		post(views.TokensPath+"/:id/revoke", staff.Own, h.revokeToken),
		get(views.JobsPath, staff.JobsManage, h.jobs),
		post(views.JobsPath+"/:id/act", staff.JobsManage, h.jobAct),
		post(views.JobsPath+"/queues/:name", staff.JobsManage, h.queueAct),
		get(views.AuditPath, staff.AuditRead, h.audit),
		get(views.UsagePath, staff.AnalyticsRead, h.usage),
		get(views.MarginsPath, staff.AnalyticsRead, h.margins), get(views.MarginsFile, staff.AnalyticsRead, h.marginsFile),
		{Method: http.MethodPost, Path: views.AuditExportPath, For: web.Staff, Needs: staff.AuditRead, Stream: true, Do: h.exportAudit},
		{Method: http.MethodGet, Path: views.StreamPath, For: web.Staff, Needs: staff.Own, Stream: true, Do: h.stream},
	}...)
}

// actorOf is who a change is recorded as.
func actorOf(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Role: who.Role, Address: c.RealIP()}
}

// may says whether the role of who asks includes p.
func may(c echo.Context, p staff.Permission) bool { return staff.Role(session.Of(c).Role).May(p) }
