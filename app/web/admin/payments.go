package admin

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
)

// Payments is what the console needs of payments; payment.Service has it.
type Payments interface {
	SheetOf(ctx context.Context, of account.CustomerID) (payment.Sheet, error)
	RefundBy(ctx context.Context, of account.CustomerID, id payment.ID, amount pricing.Cents, reason string, by audit.Actor) error
	Forgive(ctx context.Context, of account.CustomerID, id, why string, by audit.Actor) error
}

func (h *Handler) paymentRoutes() []web.Route {
	do := func(act string, do echo.HandlerFunc) web.Route {
		return web.Route{
			Method: http.MethodPost, Path: views.PaymentsOf(":id") + act, For: web.Staff, Needs: staff.BillingManage, Fresh: true, Do: do,
		}
	}
	return []web.Route{
		{Method: http.MethodGet, Path: views.PaymentsOf(":id"), For: web.Staff, Needs: staff.BillingRead, Do: h.payments},
		do("/refund", h.refund),
		do("/forgive", h.forgive),
	}
}

// payments answers GET /admin/customers/:id/payments: what a customer has paid, and what Stripe has reported about it.
func (h *Handler) payments(c echo.Context) error { return h.showPayments(c, http.StatusOK, nil) }

func (h *Handler) showPayments(c echo.Context, status int, problems map[string]string) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	customer, err := h.Accounts.Customer(c.Request().Context(), account.CustomerID(v))
	if err != nil {
		return err
	}
	sheet, err := h.Payments.SheetOf(c.Request().Context(), customer.ID)
	if err != nil {
		return err
	}
	f, err := h.frame(c, "payment.sheet", "", "")
	if err != nil {
		return err
	}
	f.Title, f.Failed = customer.Name, len(problems) > 0
	p := paymentProps(sheet)
	p.Customer, p.Name, p.May, p.Problems = v, customer.Name, may(c, staff.BillingManage), problems
	p.Payment, p.Amount, p.Reason = c.FormValue("payment"), c.FormValue("amount"), c.FormValue("reason")
	return web.Render(c, status, views.PaymentsPage(f, p))
}

func paymentProps(s payment.Sheet) views.Payments {
	var p views.Payments
	for _, one := range s.Payments {
		p.Paid = append(p.Paid, views.Paid{
			ID: string(one.ID), At: one.CreatedAt, State: string(one.State), Code: one.Code, Amount: int64(one.Amount),
			Refunded: int64(one.Refunded), Left: int64(s.Left[one.ID]), Intent: one.Intent, ForOrder: one.CheckoutID != "",
		})
	}
	for _, one := range s.Refunds {
		p.Back = append(p.Back, views.Back{
			At: one.CreatedAt, Amount: int64(one.Amount), Why: string(one.Why), Reason: one.Reason, By: one.By, State: string(one.State),
			Code: one.Code,
		})
	}
	for _, one := range s.Disputes {
		p.Disputes = append(p.Disputes, views.Disputed{
			ID: one.ID, At: one.OpenedAt, Due: one.DueAt, Amount: int64(one.Amount), Reason: one.Reason, State: one.State,
		})
	}
	for _, one := range s.Unpaid {
		p.Unpaid = append(p.Unpaid, views.NotPaid{ID: one.ID, Since: one.Since, State: string(one.State), Invoice: one.InvoiceID})
	}
	for _, one := range s.Events {
		p.Events = append(p.Events, views.Reported{
			ID: one.ID, At: one.At, Kind: one.Kind, Outcome: one.Outcome, Done: !one.DoneAt.IsZero(),
		})
	}
	return p
}

// refund answers POST /admin/customers/:id/payments/refund: money goes back, with a reason.
func (h *Handler) refund(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	err = h.Payments.RefundBy(c.Request().Context(), account.CustomerID(v), payment.ID(c.FormValue("payment")),
		centsOf(c.FormValue("amount")), c.FormValue("reason"), actorOf(c))
	return h.paymentDone(c, v, err, "payment.now_refund")
}

// centsOf reads an amount of euros as people type it; what it cannot read is nothing, which is refused.
func centsOf(typed string) pricing.Cents {
	whole, part, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(typed), ",", "."), ".")
	if len(part) > 2 {
		return 0
	}
	n, err := strconv.ParseInt(whole+(part + "00")[:2], 10, 32)
	if err != nil {
		return 0
	}
	return pricing.Cents(n)
}

// forgive answers POST /admin/customers/:id/payments/forgive: the team goes on without the payment.
func (h *Handler) forgive(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	err = h.Payments.Forgive(c.Request().Context(), account.CustomerID(v), c.FormValue("unpaid"), c.FormValue("why"), actorOf(c))
	return h.paymentDone(c, v, err, "payment.now_forgive")
}

// paymentDone leads back to the payments of a customer, or shows them with what is wrong.
func (h *Handler) paymentDone(c echo.Context, customer string, err error, done i18n.Key) error {
	f := web.Told(c, err)
	switch {
	case err == nil:
		said(c, done)
		return web.SeeOther(c, views.PaymentsOf(customer))
	case f.Kind == fault.Invalid:
		return h.showPayments(c, http.StatusUnprocessableEntity, f.Fields)
	case f.Kind == fault.Conflict:
		return h.showPayments(c, http.StatusConflict, map[string]string{"amount": f.Public})
	}
	return err
}
