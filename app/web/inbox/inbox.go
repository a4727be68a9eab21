package inbox

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/app/approver"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/session"
	"gatehouse/views/layout"
	"gatehouse/views/ui"

	views "gatehouse/views/inbox"
)

// Store is what is asked and decided; approval.Service has it. The methods without a customer are for staff.
type Store interface {
	Get(ctx context.Context, of account.CustomerID, id string) (approval.Item, error)
	List(ctx context.Context, of account.CustomerID, q approval.Query) (page.Of[approval.Item], error)
	Decide(ctx context.Context, of account.CustomerID, id string, ans approval.Answer) (approval.Item, error)
	Find(ctx context.Context, id string) (approval.Item, error)
	ListAll(ctx context.Context, q approval.Query) (page.Of[approval.Item], error)
	DecideAny(ctx context.Context, id string, ans approval.Answer) (approval.Item, error)
	PendingAll(ctx context.Context) (int, error)
}

// Contents reads the contents of an approval that was decided: then only the customer's server has them. chat.Service does it.
type Contents interface {
	Approval(ctx context.Context, of account.CustomerID, id string) (wire.Approval, error)
}

// Servers is Contents that also says what a list of them asked.
type Servers interface {
	Contents
	// Said gives the sentences of approvals by id, those that the server has.
	Said(ctx context.Context, of account.CustomerID, ids []string) (map[string]string, error)
}

// Live tells of approvals of all customers, for staff; relay.Relay does.
type Live interface {
	SubscribeAll(ctx context.Context) (*relay.Subscription, error)
}

// Keys says where one of our staff may allow; approver.Service does.
type Keys interface {
	OfStaff(ctx context.Context, staffID string) ([]approver.StaffKey, error)
}

// Framer gives the frame that a page stands in. stream is the address of what it keeps up to date.
type Framer func(c echo.Context, title, stream string) (layout.Frame, error)

// Deps are the parts that an inbox works with.
type Deps struct {
	Base    string       // where it is mounted: /app/approvals or /admin/approvals
	For     web.Audience // web.Customer or web.Staff
	Store   Store
	Servers Servers                   // customers only: staff never see contents
	People  People                    // customers only
	Live    Live                      // staff only: the portal has a stream of its own
	Keys    Keys                      // staff only
	KeysAt  func(id server.ID) string // staff only: the page on which they ask a server for a key
	Frame   Framer
	Stream  func(topic string) string                                               // customers only: address of the portal's stream
	Agent   func(ctx context.Context, of account.CustomerID, agent string) ui.Agent // how an agent is called
	Now     func() time.Time
	Log     *slog.Logger
}

// Inbox is one mounted inbox.
type Inbox struct{ Deps }

// New makes an inbox.
func New(d Deps) *Inbox { return &Inbox{d} }

// Routes are the inbox's pages and answers.
func (h *Inbox) Routes() []web.Route {
	var needs staff.Permission
	look, decide := account.Look, account.Approve
	if h.staff() {
		needs, look, decide = staff.ApprovalsRead, "", "" // and to deny; mayAnswer asks for more where somebody allows
	}
	routes := []web.Route{
		{Method: http.MethodGet, Path: h.Base, For: h.For, Needs: needs, Right: look, Do: h.list},
		{Method: http.MethodGet, Path: h.Base + "/history", For: h.For, Needs: needs, Right: look, Do: h.history},
		{Method: http.MethodGet, Path: h.Base + "/:id", For: h.For, Needs: needs, Right: look, Do: h.one},
		{Method: http.MethodPost, Path: h.Base + "/:id", For: h.For, Needs: needs, Right: decide, Do: h.decide},
	}
	if h.staff() {
		return append(routes, web.Route{
			Method: http.MethodGet, Path: h.Base + "/stream", For: h.For, Needs: needs, Do: h.stream, Stream: true,
		})
	}
	return append(routes,
		web.Route{Method: http.MethodGet, Path: h.Base + "/:id/edit", For: h.For, Right: account.Manage, Do: h.edit},
		web.Route{Method: http.MethodPost, Path: h.Base + "/:id/edit", For: h.For, Right: account.Manage, Do: h.saveEdit},
	)
}

func (h *Inbox) staff() bool { return h.For == web.Staff }

// look says how cards are drawn here; may is what staff who read them may do.
func (h *Inbox) look(ctx context.Context, of account.CustomerID, may leave) card.Look {
	return card.Look{
		Base: h.Base, Staff: h.staff(), Leave: may,
		Agent: func(agent string) ui.Agent { return h.Agent(ctx, of, agent) },
	}
}

func customer(c echo.Context) account.CustomerID {
	return account.CustomerID(session.Of(c).CustomerID)
}

// find reads an approval: the customer's own, or any for staff.
func (h *Inbox) find(c echo.Context) (approval.Item, error) {
	if h.staff() {
		return h.Store.Find(c.Request().Context(), c.Param("id"))
	}
	return h.Store.Get(c.Request().Context(), customer(c), c.Param("id"))
}

// query reads a list: the customer's own, or that of all for staff.
func (h *Inbox) query(c echo.Context, q approval.Query) (page.Of[approval.Item], error) {
	if h.staff() {
		return h.Store.ListAll(c.Request().Context(), q)
	}
	return h.Store.List(c.Request().Context(), customer(c), q)
}

// card draws an item with what it asks, from the server if the hub no longer has it.
func (h *Inbox) card(ctx context.Context, it approval.Item, may leave) views.CardProps {
	if h.staff() {
		return card.OfItem(ctx, it, h.look(ctx, it.CustomerID, may))
	}
	it = Filled(ctx, h.Servers, it)
	p := card.OfItem(ctx, it, h.look(ctx, it.CustomerID, may))
	p.Ran = ran(it.Approval)
	return p
}
