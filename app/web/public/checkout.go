package public

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/web"
	"gatehouse/app/web/firsttask"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	views "gatehouse/views/public"
)

// configure answers GET /checkout/configure: plan, region and kind of business. Its form leads to GET /checkout.
func (h *Handler) configure(c echo.Context) error {
	p := views.ConfigureProps{Plans: h.plans(), Kinds: firsttask.Kinds(web.Context(c)), Choice: choiceOf(c)}
	return web.Render(c, http.StatusOK, views.Configure(h.frame(c), p))
}

// choiceOf reads what was chosen so far from the address or the form; what is missing or unknown is the usual choice.
func choiceOf(c echo.Context) views.Choice {
	ch := views.Choice{Plan: c.FormValue("plan"), Region: c.FormValue("region"), BusinessType: c.FormValue("business_type")}
	if _, err := pricing.Find(pricing.PlanID(ch.Plan)); err != nil {
		ch.Plan = string(pricing.Build)
	}
	if ch.Region != string(order.NA) {
		ch.Region = string(order.EU)
	}
	return ch
}

// checkout answers GET /checkout: what is ordered and, for a newcomer, who orders.
func (h *Handler) checkout(c echo.Context) error {
	if has, err := h.hasOrder(c); has || err != nil {
		return orOnboard(c, err)
	}
	return h.showCheckout(c, http.StatusOK, nil)
}

// hasOrder says whether somebody signed in has an order already that was not cancelled: a customer has one server.
func (h *Handler) hasOrder(c echo.Context) (bool, error) {
	who := session.Of(c)
	if !who.Signed() {
		return false, nil
	}
	o, err := h.Orders.Of(c.Request().Context(), account.CustomerID(who.CustomerID))
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return false, nil
	}
	return err == nil && o.State != order.Cancelled, err
}

func orOnboard(c echo.Context, err error) error {
	if err != nil {
		return err
	}
	return web.SeeOther(c, views.OnboardPath)
}

// showCheckout renders the page with what was typed and what is wrong with it.
func (h *Handler) showCheckout(c echo.Context, status int, err error) error {
	choice := choiceOf(c)
	plan, findErr := pricing.FindIn(h.Orders.Plans(), pricing.PlanID(choice.Plan))
	if findErr != nil {
		return findErr
	}
	return web.Render(c, status, views.Checkout(h.frame(c), views.CheckoutProps{
		Choice: choice, Plan: planOf(plan), Ticket: ticketOf(c), ApproverKey: approverKeyOf(c), Passkey: passkeyOf(c),
		Snapshots: c.FormValue("snapshots") != "", Money: h.Payments.On(),
		Domain: c.FormValue("domain"), OwnDomain: h.Orders.Names.Own, AdminKey: adminKeyOf(c),
		Taken:    errors.Is(err, account.ErrEmailTaken),
		Business: c.FormValue("business"), Name: c.FormValue("name"), Email: c.FormValue("email"), Problems: problems(c, err),
	}))
}

// approverKeyOf is the key that the browser made when it first sent the form, to be used again; one that cannot be read is
// none.
func approverKeyOf(c echo.Context) string {
	key := c.FormValue("approver_key")
	if _, err := wire.ParseApproverKey(order.Order{Passkey: c.FormValue("approver_passkey")}.KeyKind(), key); err != nil {
		return ""
	}
	return key
}

// adminKeyOf is the SSH key as it was pasted. A private one is not sent back.
func adminKeyOf(c echo.Context) string {
	if typed := c.FormValue("admin_key"); !order.IsPrivateKey(typed) {
		return typed
	}
	return ""
}

// passkeyOf is the credential of that key, when it is a passkey.
func passkeyOf(c echo.Context) string {
	if approverKeyOf(c) == "" {
		return ""
	}
	return c.FormValue("approver_passkey")
}

// order answers POST /checkout: a newcomer is signed in at once. The order follows, paid by the built-in test checkout, or it follows
// its payment.
func (h *Handler) order(c echo.Context) error {
	if session.Of(c).Signed() {
		return h.orderAgain(c)
	}
	in := account.SignUp{
		Name: c.FormValue("name"), Business: c.FormValue("business"), Email: c.FormValue("email"),
		Password: c.FormValue("password"), TimeZone: c.FormValue("time_zone"),
		Locale: i18n.LocaleOf(web.Context(c)),
	}
	if h.Payments.On() {
		return h.signUpToPay(c, in)
	}
	user, err := h.signUp(c, in)
	if err != nil {
		return h.refuseCheckout(c, err)
	}
	return h.enterAs(c, user, views.OnboardPath)
}

// signUp orders for a newcomer. The same click sent twice answers the same: the second finds the ticket of the first.
func (h *Handler) signUp(c echo.Context, in account.SignUp) (account.User, error) {
	ctx, ticket := c.Request().Context(), c.FormValue("ticket")
	user, _, err := h.Orders.Checkout(ctx, in, orderChoice(c))
	if errors.Is(err, account.ErrEmailTaken) && h.repeats.has(ticket, account.Fold(in.Email), h.Now()) {
		if again, signErr := h.Accounts.SignIn(ctx, in.Email, in.Password); signErr == nil {
			return again, nil
		}
	}
	if err == nil {
		h.repeats.add(ticket, account.Fold(in.Email), h.Now())
	}
	return user, err
}

func orderChoice(c echo.Context) order.Choice {
	ch := choiceOf(c)
	return order.Choice{
		Plan: pricing.PlanID(ch.Plan), Region: order.Region(ch.Region), BusinessType: ch.BusinessType,
		ApproverKey: c.FormValue("approver_key"), Passkey: c.FormValue("approver_passkey"), ApproverBox: c.FormValue("approver_box"),
		Domain: c.FormValue("domain"), AdminKey: c.FormValue("admin_key"), Snapshots: c.FormValue("snapshots") != "",
	}
}

// orderAgain orders for a customer who is signed in and has no order, or one that was cancelled.
func (h *Handler) orderAgain(c echo.Context) error {
	return session.CheckCSRF(func(c echo.Context) error {
		ctx, who := c.Request().Context(), session.Of(c)
		if err := who.Rights().Require(account.Manage); err != nil {
			return err
		}
		if has, err := h.hasOrder(c); has || err != nil {
			return orOnboard(c, err)
		}
		of := account.CustomerID(who.CustomerID)
		user, err := h.Accounts.User(ctx, of, account.UserID(who.UserID))
		if err != nil {
			return err
		}
		if h.Payments.On() {
			if err := h.Payments.Begin(ctx, user, orderChoice(c)); err != nil {
				return h.refuseCheckout(c, err)
			}
			return h.goAndPay(c, of)
		}
		if _, err := h.Orders.Create(ctx, of, user, orderChoice(c)); err != nil {
			return h.refuseCheckout(c, err)
		}
		return web.SeeOther(c, views.OnboardPath)
	})(c)
}

// refuseCheckout shows the page again where the newcomer can mend it; other errors are the error page's.
func (h *Handler) refuseCheckout(c echo.Context, err error) error {
	switch fault.Of(err).Kind {
	case fault.Invalid, fault.TooMany:
		return h.showCheckout(c, web.StatusOf(fault.Of(err).Kind), err)
	}
	if errors.Is(err, account.ErrEmailTaken) {
		return h.showCheckout(c, http.StatusConflict, err)
	}
	return err
}

// done answers GET /checkout/done: what was ordered and what happens next.
func (h *Handler) done(c echo.Context) error {
	who := session.Of(c)
	o, err := h.Orders.Of(c.Request().Context(), account.CustomerID(who.CustomerID))
	if err != nil {
		return err
	}
	plan, err := pricing.Find(o.Plan)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Done(h.frame(c), views.DoneProps{Number: o.Number, Plan: plan.Name, Price: int64(o.Price), Email: who.Email, Money: o.RealMoney()}))
}
