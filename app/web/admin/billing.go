package admin

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/pricing"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/bill"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/invoice"
)

// billingRoutes are those of invoices, of how customers are billed, and of prices.
func (h *Handler) billingRoutes() []web.Route {
	get := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodGet, Path: path, For: web.Staff, Needs: staff.BillingRead, Do: do}
	}
	post := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Staff, Needs: staff.BillingManage, Fresh: true, Do: do}
	}
	return []web.Route{
		get(views.BillingPath, h.billing),
		get(views.InvoicePath(":id"), h.invoice),
		get(views.InvoicePath(":id")+"/pdf", h.invoicePDF),
		get(invoice.XMLFile(views.InvoicePath(":id")), h.invoiceXML),
		get(invoice.CreditFile(views.InvoicePath(":id"), ":credit"), h.creditXML),
		post(views.InvoicePath(":id")+"/give-up", h.giveUp),
		post(views.InvoicePath(":id")+"/credit", h.credit),
		get(views.BillingOf(":id"), h.billingOf),
		get(views.UnchargedOf(":id"), h.uncharged), get(views.UnchargedFile(":id"), h.unchargedFile),
		post(views.BillingOf(":id")+"/plan", h.changePlan),
		post(views.BillingOf(":id")+"/founding", h.founding),
		get(views.PricesPath, h.prices),
		post(views.PricesPath, h.setPrice),
		post(views.RatePath, h.fetchRate),
	}
}

// billing answers GET /admin/billing: how billing stands, and the invoices of all customers.
func (h *Handler) billing(c echo.Context) error {
	w, err := wantedOf(c, "state")
	if err != nil {
		return err
	}
	f := billing.Filter{State: billing.State(w.narrow["state"])}
	if f.State == "overdue" {
		f = billing.Filter{Overdue: true}
	}
	ctx := c.Request().Context()
	of, err := h.Bills.Invoices(ctx, f, w.Ask)
	if err != nil {
		return err
	}
	sum, err := h.Bills.Summary(ctx)
	if err != nil {
		return err
	}
	p := views.Billing{
		List: listed(w, views.BillingPath, of, invoiceRow), Query: w.query(""), Running: sum.Running, Open: sumProps(sum.Open),
		Overdue: sumProps(sum.Overdue), Failed: sumProps(sum.Failed), Paid: sumProps(sum.PaidMonth), NoSeller: !sum.Seller,
		More: sum.WaitMore,
	}
	for _, v := range sum.Waiting {
		p.Waiting = append(p.Waiting, views.WaitingPeriod{Customer: string(v.CustomerID), Ended: v.To, Why: v.Held})
	}
	founders, err := h.Bills.Founders(ctx, page.Ask{After: c.QueryParam("founding"), Limit: page.MaxLimit})
	if err != nil {
		return err
	}
	for _, f := range founders.Items {
		p.Founders = append(p.Founders, views.Founder{
			Customer: string(f.CustomerID), Name: f.Customer, Multiplier: f.Multiplier, From: f.From, Until: f.Until,
		})
	}
	p.MoreFounders = founders.Next
	t := views.InvoiceTable(web.Context(c), p)
	return h.list(c, "bills.title", "", t, views.BillingPage(p))
}

func sumProps(s billing.Sum) views.Sum { return views.Sum{Count: s.Count, Total: int64(s.Total)} }

func invoiceRow(i billing.Invoice) views.InvoiceRow {
	return views.InvoiceRow{
		ID: string(i.ID), Number: i.Number, Customer: string(i.CustomerID), Name: i.Customer, State: string(i.State), Issued: i.IssuedAt,
		Due: i.DueAt, Total: int64(i.Total), Test: i.PaidBy == billing.PaidByTest,
	}
}

// oneInvoice finds the invoice of the path.
func (h *Handler) oneInvoice(c echo.Context) (billing.Invoice, error) {
	v, err := id(c)
	if err != nil {
		return billing.Invoice{}, err
	}
	return h.Bills.Invoice(c.Request().Context(), billing.InvoiceID(v))
}

// credited finds the invoice of the path, with the credit notes against it.
func (h *Handler) credited(c echo.Context) (i billing.Invoice, credits []billing.CreditNote, err error) {
	if i, err = h.oneInvoice(c); err == nil {
		credits, err = h.Bills.CreditNotes(c.Request().Context(), i.ID)
	}
	return i, credits, err
}

// invoice answers GET /admin/billing/invoices/:id.
func (h *Handler) invoice(c echo.Context) error { return h.showInvoice(c, http.StatusOK, nil) }

func (h *Handler) showInvoice(c echo.Context, status int, problems map[string]string) error {
	i, credits, err := h.credited(c)
	if err != nil {
		return err
	}
	p := views.InvoiceDetail{
		ID: string(i.ID), Customer: string(i.CustomerID), Invoice: bill.Props(i), Problems: problems,
		Amount: c.FormValue("amount"), Reason: c.FormValue("reason"),
	}
	bill.Credits(&p.Invoice, credits, i.Terms.Zone, views.InvoicePath(p.ID))
	left := i.Net
	for _, n := range credits {
		left -= n.Net
	}
	p.MayGiveUp = may(c, staff.BillingManage) && i.State == billing.Open
	p.Left, p.MayCredit = int64(left), may(c, staff.BillingManage) && left > 0
	if p.Amount == "" {
		p.Amount = plain(p.Left, 2)
	}
	f, err := h.frame(c, "bills.title", "", "")
	if err != nil {
		return err
	}
	f.Title, f.Failed = i18n.T(web.Context(c), "billing.invoice", "number", i.Number), len(problems) > 0
	return web.Render(c, status, views.InvoicePage(f, p))
}

// credit answers POST /admin/billing/invoices/:id/credit.
func (h *Handler) credit(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	net, ok := decimal(c.FormValue("amount"), 2)
	if !ok {
		net = 0 // which is refused
	}
	_, err = h.Bills.Credit(c.Request().Context(), billing.InvoiceID(v), pricing.Cents(net), c.FormValue("reason"), actorOf(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showInvoice(c, http.StatusUnprocessableEntity, f.Fields)
	}
	if err != nil {
		return err
	}
	said(c, "bills.now_credited")
	return web.SeeOther(c, views.InvoicePath(v))
}

// invoicePDF answers GET /admin/billing/invoices/:id/pdf.
func (h *Handler) invoicePDF(c echo.Context) error {
	i, credits, err := h.credited(c)
	if err != nil {
		return err
	}
	return bill.PDF(c, i, credits)
}

// invoiceXML answers GET /admin/billing/invoices/:id/xml.
func (h *Handler) invoiceXML(c echo.Context) error {
	i, err := h.oneInvoice(c)
	if err != nil {
		return err
	}
	return bill.XML(c, i)
}

// creditXML answers GET /admin/billing/invoices/:id/credits/:credit/xml.
func (h *Handler) creditXML(c echo.Context) error {
	i, credits, err := h.credited(c)
	if err != nil {
		return err
	}
	return bill.CreditXML(c, i, credits, c.Param("credit"))
}

// giveUp answers POST /admin/billing/invoices/:id/give-up.
func (h *Handler) giveUp(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	if err := h.Bills.GiveUp(c.Request().Context(), billing.InvoiceID(v), actorOf(c)); err != nil {
		return err
	}
	said(c, "bills.now_given_up")
	return web.SeeOther(c, views.InvoicePath(v))
}

// billingOf answers GET /admin/customers/:id/billing: how one customer is billed.
func (h *Handler) billingOf(c echo.Context) error { return h.showBillingOf(c, http.StatusOK, nil) }

func (h *Handler) showBillingOf(c echo.Context, status int, problems map[string]string) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	ctx, of := c.Request().Context(), account.CustomerID(v)
	o, err := h.Bills.Overview(ctx, of)
	if err != nil {
		return err
	}
	p := views.CustomerBilling{
		Customer: v, Name: o.Name, May: may(c, staff.BillingManage), Problems: problems, Typed: c.FormValue("multiplier"),
		FoundingUntil: o.Profile.FoundingUntil, Multiplier: o.Profile.Multiplier, Overage: o.Overage,
		Address: o.Profile.Address, Country: o.Profile.Country, VATID: o.Profile.VATID,
	}
	if o.Runs() {
		d := o.Draft
		p.PlanName = o.Period.Plan().Name
		p.Runs, p.Plan, p.Monthly, p.From, p.To = true, string(o.Period.Plan().Plan), int64(o.Period.Plan().Monthly), o.Period.From,
			o.Period.To
		p.Pool, p.Drawn, p.Forecast, p.Net, p.Held = d.Pool, d.Drawn, o.Outlook.Total, int64(d.Net()), d.Held
		p.Overages, p.Premium, p.Times = int64(d.Sum(billing.LineOverage)), int64(d.Sum(billing.LinePremium)), o.Period.Multiplier
	}
	if err := h.leaving(ctx, of, &p); err != nil {
		return err
	}
	if p.Runs && p.Leaving == nil {
		if p.Plans, err = h.plansFor(ctx, of); err != nil {
			return err
		}
	}
	all, err := h.Bills.InvoicesOf(ctx, of, page.Ask{Limit: 24})
	if err != nil {
		return err
	}
	for _, i := range all.Items {
		p.Invoices = append(p.Invoices, invoiceRow(i))
	}
	f, err := h.frame(c, "bills.title", "", "")
	if err != nil {
		return err
	}
	f.Title, f.Failed = o.Name, len(problems) > 0
	return web.Render(c, status, views.CustomerBillingPage(f, p))
}

// plansFor are the plans that a customer may be put on, and from when; none where the plan cannot be changed.
func (h *Handler) plansFor(ctx context.Context, of account.CustomerID) (all []views.PlanChoice, err error) {
	plans, err := h.Bills.Choosable(ctx, of)
	if fault.Of(err).Kind == fault.Conflict {
		return nil, nil
	}
	for _, v := range plans {
		all = append(all, views.PlanChoice{
			ID: string(v.ID), Name: v.Name, Monthly: int64(v.Monthly), Pool: v.Pool, Holds: v.Holds, Soonest: v.From, Unknown: v.Unknown,
		})
	}
	return all, err
}

// leaving adds that the plan ends or has ended.
func (h *Handler) leaving(ctx context.Context, of account.CustomerID, p *views.CustomerBilling) error {
	l, err := h.Bills.Leaving(ctx, of)
	if err != nil || l == nil {
		return err
	}
	p.Leaving = &views.Leaving{On: l.On, Erased: l.Erased, Over: l.Over}
	if l.Said != nil {
		p.Leaving.Who, p.Leaving.At = l.Said.By.Name, l.Said.At
	}
	return nil
}

// changePlan answers POST /admin/customers/:id/billing/plan.
func (h *Handler) changePlan(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	wish := billing.Wish{Plan: pricing.PlanID(c.FormValue("plan"))}
	_, err = h.Bills.ChangePlan(c.Request().Context(), account.CustomerID(v), wish, actorOf(c))
	return h.billed(c, v, err, "bills.now_plan")
}

// founding answers POST /admin/customers/:id/billing/founding: makes the customer a founding member, or ends that.
func (h *Handler) founding(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	ctx, of, by := c.Request().Context(), account.CustomerID(v), actorOf(c)
	if c.FormValue("act") == "end" {
		return h.billed(c, v, h.Bills.EndFounding(ctx, of, by), "bills.now_founding_end")
	}
	n, err := strconv.ParseInt(c.FormValue("multiplier"), 10, 64)
	if err != nil {
		n = 0 // which is refused
	}
	return h.billed(c, v, h.Bills.Found(ctx, of, n, by), "bills.now_founding")
}

// billed leads back to how a customer is billed, or shows it with what is wrong.
func (h *Handler) billed(c echo.Context, customer string, err error, done i18n.Key) error {
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showBillingOf(c, http.StatusUnprocessableEntity, f.Fields)
	}
	if err != nil {
		return err
	}
	said(c, done)
	return web.SeeOther(c, views.BillingOf(customer))
}
