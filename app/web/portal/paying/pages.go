package paying

import (
	"context"
	"errors"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/payment"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
)

// Payments is what the pages need of payments; payment.Service has it.
type Payments interface {
	On() bool
	Unpaid(ctx context.Context, of account.CustomerID) (payment.Dunning, bool, error)
	PayInvoice(ctx context.Context, by account.User, id billing.InvoiceID) (string, error)
	CardPage(ctx context.Context, by account.User) (string, error)
	Get(ctx context.Context, of account.CustomerID, id payment.ID) (payment.Payment, error)
	LookAt(ctx context.Context, id payment.ID) (payment.Payment, error)
}

// People knows who is signed in; account.Service does.
type People interface {
	User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Payments Payments
	People   People
}

// Pages answers what is done about payments.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes states every route of the section.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Post(portal.CardPath, account.Manage, p.card),
		frame.Post(portal.PayPath, account.Manage, p.pay),
		frame.Get(portal.PaidPattern, account.Manage, p.paid),
	}
}

// errOff says that nothing is paid here.
var errOff = fault.New(fault.Conflict, "payments-off", "no payment provider is set up",
	"No payments are taken here at the moment. Nothing was charged.")

func (p *Pages) who(c echo.Context) (account.User, error) {
	if !p.Payments.On() {
		return account.User{}, errOff
	}
	return p.People.User(c.Request().Context(), frame.Customer(c), account.UserID(session.Of(c).UserID))
}

// card answers POST /app/billing/card: on to the page where the means of payment are changed.
func (p *Pages) card(c echo.Context) error {
	by, err := p.who(c)
	if err != nil {
		return p.refused(c, err)
	}
	url, err := p.Payments.CardPage(c.Request().Context(), by)
	if err != nil {
		return p.refused(c, err)
	}
	return frame.GoTo(c, url)
}

// pay answers POST /app/billing/pay: on to the page where what is not paid is paid.
func (p *Pages) pay(c echo.Context) error {
	by, err := p.who(c)
	if err != nil {
		return p.refused(c, err)
	}
	ctx := c.Request().Context()
	d, open, err := p.Payments.Unpaid(ctx, by.CustomerID)
	if err != nil {
		return err
	}
	if !open || d.InvoiceID == "" {
		return frame.GoTo(c, portal.Billing)
	}
	url, err := p.Payments.PayInvoice(ctx, by, billing.InvoiceID(d.InvoiceID))
	if err != nil {
		return p.refused(c, err)
	}
	if url == "" {
		url = portal.Billing
	}
	return frame.GoTo(c, url)
}

// refused says on the page of billing what stands in the way, where that is nothing of ours.
func (p *Pages) refused(c echo.Context, err error) error {
	if !errors.Is(err, payment.ErrAway) && !errors.Is(err, payment.ErrUnderWay) && !errors.Is(err, errOff) {
		return err
	}
	web.Flash(c, "bad", web.Told(c, err).Public)
	return frame.GoTo(c, portal.Billing)
}

// paid answers GET /app/billing/paid/:id, where the provider's page sends who has paid an invoice.
func (p *Pages) paid(c echo.Context) error {
	ctx := c.Request().Context()
	pay, err := p.Payments.Get(ctx, frame.Customer(c), payment.ID(c.Param("id")))
	if err != nil {
		return err
	}
	if pay, err = p.Payments.LookAt(ctx, pay.ID); err != nil {
		return p.refused(c, err)
	}
	kind, said := "bad", i18n.Key("payment.not_paid")
	switch pay.State {
	case payment.Paid:
		kind, said = "ok", "payment.thanks"
	case payment.Processing:
		kind, said = "ok", "payment.thanks_bank"
	}
	web.Flash(c, kind, i18n.T(web.Context(c), said))
	return frame.GoTo(c, portal.Billing)
}
