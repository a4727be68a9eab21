package admin

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// Bills is what the console needs of billing; billing.Service has it.
type Bills interface {
	Book(ctx context.Context) (pricing.Book, error)
	Preview(ctx context.Context, e pricing.Entry, by audit.Actor) (billing.Effect, error)
	AddPrice(ctx context.Context, e pricing.Entry, by audit.Actor) error
	Summary(ctx context.Context) (billing.Summary, error)
	Choosable(ctx context.Context, of account.CustomerID) ([]billing.Choosable, error)
	Uncharged(ctx context.Context, of account.CustomerID) ([]billing.Uncharged, error)
	Invoices(ctx context.Context, f billing.Filter, ask page.Ask) (page.Of[billing.Invoice], error)
	Invoice(ctx context.Context, id billing.InvoiceID) (billing.Invoice, error)
	InvoicesOf(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[billing.Invoice], error)
	GiveUp(ctx context.Context, id billing.InvoiceID, by audit.Actor) error
	Credit(ctx context.Context, id billing.InvoiceID, net pricing.Cents, reason string, by audit.Actor) (billing.CreditNote, error)
	CreditNotes(ctx context.Context, id billing.InvoiceID) ([]billing.CreditNote, error)
	Overview(ctx context.Context, of account.CustomerID) (billing.Overview, error)
	Found(ctx context.Context, of account.CustomerID, multiplier int64, by audit.Actor) error
	Founders(ctx context.Context, ask page.Ask) (page.Of[billing.Founder], error)
	EndFounding(ctx context.Context, of account.CustomerID, by audit.Actor) error
	ChangePlan(ctx context.Context, of account.CustomerID, w billing.Wish, by audit.Actor) (billing.Period, error)
	Leaving(ctx context.Context, of account.CustomerID) (*billing.Leaving, error)
}

// prices answers GET /admin/prices.
func (h *Handler) prices(c echo.Context) error { return h.showPrices(c, http.StatusOK, sentPrice{}) }

// sentPrice is the form that was sent and is shown again: with what is wrong about it, or with what it would change.
type sentPrice struct {
	kind     pricing.Kind
	problems map[string]string
	effect   *views.PriceEffect
}

func (h *Handler) showPrices(c echo.Context, status int, sent sentPrice) error {
	book, err := h.Bills.Book(c.Request().Context())
	if err != nil {
		return err
	}
	p := views.Prices{May: may(c, staff.BillingManage)}
	if p.Rates, err = h.rateProps(c); err != nil {
		return err
	}
	for _, k := range priceKinds {
		g := views.PriceKind{Kind: string(k.kind), Rows: priceRows(web.Context(c), book, k, h.Now())}
		value := func(field string) string { return "" }
		if sent.kind == k.kind {
			g.Problems, g.Effect = sent.problems, sent.effect
			value = func(field string) string { return c.FormValue(views.PriceField(g.Kind, field)) }
		} else if k.name == "" {
			value = k.present(book, h.Now())
		}
		for _, f := range k.fields {
			g.Fields = append(g.Fields, views.PriceInput{Name: f, Value: value(f)})
		}
		p.Kinds = append(p.Kinds, g)
	}
	f, err := h.frame(c, "price.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(sent.problems) > 0
	return web.Render(c, status, views.PricesPage(f, p))
}

// priceRows are the entries of a kind that hold now or later, the newest of each name first.
func priceRows(ctx context.Context, book pricing.Book, k priceKind, now time.Time) (rows []views.PriceRow) {
	for _, name := range book.Names(k.kind) {
		held, _ := book.At(k.kind, name, now)
		for _, e := range book.Of(k.kind, name) {
			if e.ID != held.ID && !e.ValidFrom.After(now) {
				continue
			}
			rows = append(rows, views.PriceRow{
				Name: name, Value: k.tell(ctx, e), From: e.ValidFrom, Later: e.ValidFrom.After(now), By: e.ByName, Reason: e.Reason,
			})
		}
	}
	return rows
}

// setPrice answers POST /admin/prices: what an entry would change and, once that was seen, the entry.
func (h *Handler) setPrice(c echo.Context) error {
	i := slices.IndexFunc(priceKinds, func(k priceKind) bool { return string(k.kind) == c.FormValue("kind") })
	if i < 0 {
		return errNotFound
	}
	k := priceKinds[i]
	e, problems := k.read(func(field string) string { return c.FormValue(views.PriceField(string(k.kind), field)) })
	if len(problems) > 0 {
		return h.showPrices(c, http.StatusUnprocessableEntity, sentPrice{kind: k.kind, problems: problems})
	}
	ctx, by := c.Request().Context(), actorOf(c)
	if c.FormValue("act") == "add" {
		err := h.Bills.AddPrice(ctx, e, by)
		if err == nil {
			said(c, "price.added")
			return web.SeeOther(c, views.PricesPath+"#"+string(k.kind))
		}
		return h.priceRefused(c, k, err)
	}
	effect, err := h.Bills.Preview(ctx, e, by)
	if err != nil {
		return h.priceRefused(c, k, err)
	}
	return h.showPrices(c, http.StatusOK, sentPrice{kind: k.kind, effect: &views.PriceEffect{
		Customers: effect.Customers, Difference: int64(effect.Difference), Partial: effect.Partial, Unblocked: effect.Unblocked,
	}})
}

// priceRefused shows the form again with what is wrong.
func (h *Handler) priceRefused(c echo.Context, k priceKind, err error) error {
	switch f := web.Told(c, err); f.Kind {
	case fault.Invalid:
		return h.showPrices(c, http.StatusUnprocessableEntity, sentPrice{kind: k.kind, problems: f.Fields})
	case fault.Conflict:
		return h.showPrices(c, http.StatusConflict, sentPrice{kind: k.kind, problems: map[string]string{"from": f.Public}})
	}
	return err
}
