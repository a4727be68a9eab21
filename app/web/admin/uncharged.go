package admin

import (
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
)

// uncharged answers GET /admin/customers/:id/uncharged: what of a customer's usage stands on no invoice, and why.
func (h *Handler) uncharged(c echo.Context) error {
	p, all, err := h.unchargedOf(c)
	if err != nil {
		return err
	}
	o, err := h.Bills.Overview(c.Request().Context(), account.CustomerID(p.Customer))
	if err != nil {
		return err
	}
	p.Name = o.Name
	for _, u := range all {
		p.Tokens += u.Tokens
		p.Rows = append(p.Rows, views.UnchargedRow{Why: string(u.Why), From: u.From, To: u.To, Tokens: u.Tokens})
	}
	return h.list(c, "uncharged.title", "", views.UnchargedTable(web.Context(c), p), views.UnchargedPage(p))
}

// unchargedFile answers GET /admin/customers/:id/uncharged.csv: the rows of the page.
func (h *Handler) unchargedFile(c echo.Context) error {
	p, all, err := h.unchargedOf(c)
	if err != nil {
		return err
	}
	t := newTable(c, "uncharged", h.Now(), []string{"customer_id", "from", "to", "tokens", "why", "period_id"})
	return write(t, all, func(u billing.Uncharged) []string {
		return []string{
			p.Customer, u.From.UTC().Format(time.RFC3339), u.To.UTC().Format(time.RFC3339), strconv.FormatInt(u.Tokens, 10), string(u.Why),
			string(u.Period),
		}
	})
}

// unchargedOf is what is asked for: of the customer of the path, for one reason, with a text in its days (UTC).
func (h *Handler) unchargedOf(c echo.Context) (p views.Uncharged, found []billing.Uncharged, err error) {
	if p.Customer, err = id(c); err != nil {
		return p, nil, err
	}
	w, err := wantedOf(c, "why")
	if err != nil {
		return p, nil, err
	}
	p.Search, p.Why, p.Query = w.Search, w.narrow["why"], w.query("")
	all, err := h.Bills.Uncharged(c.Request().Context(), account.CustomerID(p.Customer))
	for _, u := range all {
		days := u.From.UTC().Format(time.DateOnly) + " " + u.To.UTC().Format(time.DateOnly)
		if (p.Why == "" || p.Why == string(u.Why)) && strings.Contains(days, p.Search) {
			found = append(found, u)
		}
	}
	return p, found, err
}
