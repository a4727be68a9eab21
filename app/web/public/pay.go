package public

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
	"gatehouse/app/signin"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/public"
)

// signUpToPay answers POST /checkout of a newcomer where orders are paid first: the account is made, its person is signed in, and
// the browser goes on to the page of payment.
func (h *Handler) signUpToPay(c echo.Context, in account.SignUp) error {
	ctx, ticket := c.Request().Context(), c.FormValue("ticket")
	user, err := h.Payments.SignUp(ctx, in, orderChoice(c))
	if errors.Is(err, account.ErrEmailTaken) && h.repeats.has(ticket, account.Fold(in.Email), h.Now()) {
		if again, signErr := h.Accounts.SignIn(ctx, in.Email, in.Password); signErr == nil {
			return h.enterAs(c, again, views.PayPath)
		}
	}
	if err != nil {
		return h.refuseCheckout(c, err)
	}
	h.repeats.add(ticket, account.Fold(in.Email), h.Now())
	who := signin.Subject{CustomerID: string(user.CustomerID), UserID: string(user.ID)}
	if err := h.Sessions.Open(c, signin.Customer, who); err != nil {
		return err
	}
	return h.goAndPay(c, user.CustomerID)
}

// goAndPay sends the browser to the page of payment. Where that cannot be reached, everything is kept, and the hub's own page says
// so, as does a mail.
func (h *Handler) goAndPay(c echo.Context, of account.CustomerID) error {
	ctx := c.Request().Context()
	url, err := h.Payments.Pay(ctx, of)
	switch {
	case errors.Is(err, payment.ErrNothing):
		return web.SeeOther(c, views.OnboardPath)
	case errors.Is(err, payment.ErrAway):
		if err := h.Payments.TellLater(ctx, of); err != nil {
			return err
		}
		return web.SeeOther(c, views.PayAwayPath)
	case err != nil:
		return err
	case url == "":
		return web.SeeOther(c, views.PayPath)
	}
	return web.SeeOther(c, url)
}

// toPay answers GET /checkout/pay: the order that waits for its payment.
func (h *Handler) toPay(c echo.Context) error {
	if has, err := h.hasOrder(c); has || err != nil {
		return orOnboard(c, err)
	}
	co, p, err := h.waiting(c)
	if errors.Is(err, payment.ErrNothing) {
		return web.SeeOther(c, views.OnboardPath)
	}
	if err != nil {
		return err
	}
	return h.showPay(c, co, p)
}

func (h *Handler) showPay(c echo.Context, co payment.Checkout, p payment.Payment) error {
	plan, err := pricing.Find(co.Choice.Plan)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Pay(h.frame(c), views.PayProps{
		Plan: plan.Name, PlanID: string(plan.ID), Price: int64(co.Price), Away: c.QueryParam("away") != "",
		Bank: p.State == payment.Processing, Declined: p.State == payment.Failed,
	}))
}

// waiting is the order of who is signed in that waits. A hub without payments has none.
func (h *Handler) waiting(c echo.Context) (payment.Checkout, payment.Payment, error) {
	if !h.Payments.On() {
		return payment.Checkout{}, payment.Payment{}, payment.ErrNothing
	}
	return h.Payments.Waiting(c.Request().Context(), account.CustomerID(session.Of(c).CustomerID))
}

// pay answers POST /checkout/pay: on to the page of payment.
func (h *Handler) pay(c echo.Context) error {
	if has, err := h.hasOrder(c); has || err != nil {
		return orOnboard(c, err)
	}
	if !h.Payments.On() {
		return web.SeeOther(c, views.OnboardPath)
	}
	return h.goAndPay(c, account.CustomerID(session.Of(c).CustomerID))
}

// paid answers GET /checkout/return/:id, where the page of payment sends who has paid. What the address says is not believed: the
// provider is asked. It may have been a repeat: the order is made once.
func (h *Handler) paid(c echo.Context) error {
	ctx, of := c.Request().Context(), account.CustomerID(session.Of(c).CustomerID)
	if !h.Payments.On() {
		return web.SeeOther(c, views.OnboardPath)
	}
	p, err := h.Payments.Get(ctx, of, payment.ID(c.Param("id")))
	if err != nil {
		return err
	}
	p, err = h.Payments.LookAt(ctx, p.ID)
	if errors.Is(err, payment.ErrAway) {
		return web.Render(c, http.StatusOK, views.Confirming(h.frame(c)))
	}
	if err != nil {
		return err
	}
	if p.State == payment.Paid {
		return web.SeeOther(c, views.OnboardPath)
	}
	return web.SeeOther(c, views.PayPath)
}

// orPay shows the order that waits for its payment where there is no order yet.
func (h *Handler) orPay(c echo.Context) error {
	_, _, err := h.waiting(c)
	switch {
	case err == nil:
		return web.SeeOther(c, views.PayPath)
	case fault.Of(err).Kind == fault.NotFound:
		return web.Render(c, http.StatusOK, views.NoOrder(h.frame(c)))
	}
	return err
}
