package admin

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/audit"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/server"
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
	Retry(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (order.Order, error)
	Cancel(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (order.Order, error)
	Press(ctx context.Context, of account.CustomerID, id order.ID, by audit.Actor) (order.Order, error)
	SetMode(ctx context.Context, of account.CustomerID, id order.ID, m order.Mode, by audit.Actor) (order.Order, error)
}

// Servers is what the console needs of servers; server.Service has it.
type Servers interface {
	Find(ctx context.Context, id server.ID) (server.Server, error)
	Of(ctx context.Context, of account.CustomerID) (server.Server, error)
	List(ctx context.Context, ask page.Ask) (page.Of[server.Server], error)
}

// Accounts is what the console needs of accounts; account.Service has it.
type Accounts interface {
	Customer(ctx context.Context, id account.CustomerID) (account.Customer, error)
	Customers(ctx context.Context, ask page.Ask) (page.Of[account.Customer], error)
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

// Live is the live traffic of all customers; relay.Relay has it.
type Live interface {
	SubscribeAll(ctx context.Context) (*relay.Subscription, error)
}

// Handler answers the console's pages.
type Handler struct {
	Orders   Orders
	Servers  Servers
	Accounts Accounts
	Keys     Keys
	Inbox    Inbox
	Live     Live
	Now      func() time.Time
	Log      *slog.Logger

	LookAgain time.Duration // how often an open page is refreshed without a notice, which may be lost; zero: every 15 s
}

// Routes states every route of the package with its audience.
func (h *Handler) Routes() []web.Route {
	get := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodGet, Path: path, For: web.Staff, Do: do}
	}
	return []web.Route{
		get(views.HomePath, h.home),
		get(views.CustomersPath, h.customers),
		get(views.CustomersPath+"/:id", h.customer),
		get(views.OrdersPath, h.orders),
		get(views.OrdersPath+"/:id", h.order),
		{Method: http.MethodPost, Path: views.OrdersPath + "/:id/act", For: web.Staff, Do: h.act},
		get(views.ServersPath, h.servers),
		get(views.ServersPath+"/:id", h.server),
		get(views.KeysPath, h.keys),
		get(views.KeysPath+"/:id", h.keysOf),
		{Method: http.MethodPost, Path: views.KeysPath + "/:id", For: web.Staff, Do: h.askForKey},
		{Method: http.MethodGet, Path: views.StreamPath, For: web.Staff, Stream: true, Do: h.stream},
	}
}

// actorOf is who a change is recorded as.
func actorOf(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Address: c.RealIP()}
}
