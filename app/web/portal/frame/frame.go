package frame

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/payment"
	"gatehouse/app/recent"
	"gatehouse/app/server"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	"gatehouse/views/layout"
	"gatehouse/views/portal"
	"gatehouse/views/public"
	"gatehouse/views/ui"
)

// Inbox counts what waits for the customer; approval.Service does.
type Inbox interface {
	Pending(ctx context.Context, of account.CustomerID) (int, error)
}

// Servers knows the customer's server; server.Service does.
type Servers interface {
	Of(ctx context.Context, of account.CustomerID) (server.Server, error)
}

// Links says whether a server can be asked now; relay.Relay does.
type Links interface {
	Linked(ctx context.Context, serverID string) bool
}

// Dues says what a customer has not paid; payment.Service does.
type Dues interface {
	Unpaid(ctx context.Context, of account.CustomerID) (payment.Dunning, bool, error)
}

// Deps are the parts that frames are made from.
type Deps struct {
	Inbox   Inbox
	Servers Servers
	Links   Links
	Dues    Dues // nil: nothing is paid here
	Now     func() time.Time
}

// Frames makes the frames of the portal's pages.
type Frames struct {
	Deps
	statuses recent.Answers[account.CustomerID, status]
}

// New makes a maker of frames.
func New(d Deps) *Frames { return &Frames{Deps: d} }

// Page is what one page says about itself to the frame around it.
type Page struct {
	Title   string
	Topic   string // what the stream keeps up to date; "" for the menu alone
	Away    bool   // the server could not be asked just now
	Partial bool   // the topic is only a part of the page: when the server is back, the rest has to be loaded again
	Fill    bool   // as high as the window
	Wide    bool
}

// Of is what a page of the portal shows around its content.
func (f *Frames) Of(c echo.Context, p Page) (layout.Frame, error) {
	ctx, of := c.Request().Context(), Customer(c)
	pending, err := f.Inbox.Pending(ctx, of)
	if err != nil {
		return layout.Frame{}, err
	}
	now, err := f.status(ctx, of)
	if err != nil {
		return layout.Frame{}, err
	}
	who, here := session.Of(c), c.Request().URL.RequestURI()
	out := layout.Frame{
		Title: p.Title, User: layout.User{Name: who.Email, Of: who.Business}, Nav: menu(c, pending), Home: portal.Home,
		Stream: StreamOf(p.Topic), SignOut: public.SignOutPath, SignIn: public.SignInWith(here),
		Account: portal.Settings, Fill: p.Fill, Wide: p.Wide,
		Rehearsal: now.server.Beat != nil && now.server.Beat.Rehearsal,
	}
	if out.Unpaid, err = f.unpaid(c); err != nil {
		return layout.Frame{}, err
	}
	if said := web.TakeFlash(c); said != nil {
		out.Toasts = []ui.Toast{toast(c, *said)}
	}
	if p.Away || now.away {
		out.Offline = Offline(web.Context(c), now.server, here)
		out.Stream = awayStream(out.Stream, p.Away && (p.Topic == "" || p.Partial))
	}
	return out, nil
}

// unpaid is what every page says while an invoice is not paid. Who may manage the account is led on to the payment.
func (f *Frames) unpaid(c echo.Context) (*layout.Unpaid, error) {
	if f.Dues == nil {
		return nil, nil
	}
	d, open, err := f.Dues.Unpaid(c.Request().Context(), Customer(c))
	if err != nil || !open {
		return nil, err
	}
	u := &layout.Unpaid{Paused: d.State != payment.PastDue, PauseAt: d.PauseAt()}
	if session.Of(c).Rights().May(account.Manage) && d.InvoiceID != "" {
		u.Pay, u.Card = portal.PayPath, portal.CardPath
	}
	return u, nil
}

// OfInbox is the frame of a page of the inbox. stream is the address of what the page keeps up to date.
func (f *Frames) OfInbox(c echo.Context, title, stream string) (layout.Frame, error) {
	out, err := f.Of(c, Page{Title: title})
	if out.Stream = stream; out.Offline != nil {
		out.Stream = awayStream(stream, false)
	}
	return out, err
}

// Away answers with a page that nothing can be said on while the server is away.
func (f *Frames) Away(c echo.Context, title string) error {
	outer, err := f.Of(c, Page{Title: title, Away: true})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusServiceUnavailable, portal.AwayPage(outer, title))
}
