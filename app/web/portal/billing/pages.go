package billing

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/payment"
	"gatehouse/app/pricing"
	"gatehouse/app/web"
	"gatehouse/app/web/bill"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/invoice"
	"gatehouse/views/portal"
	views "gatehouse/views/portal/billing"
)

// Bills is what the pages need of billing; billing.Service has it.
type Bills interface {
	Overview(ctx context.Context, of account.CustomerID) (billing.Overview, error)
	InvoiceOf(ctx context.Context, of account.CustomerID, id billing.InvoiceID) (billing.Invoice, error)
	InvoicesOf(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[billing.Invoice], error)
	CreditNotes(ctx context.Context, id billing.InvoiceID) ([]billing.CreditNote, error)
	SetAddress(ctx context.Context, of account.CustomerID, a billing.Address, by audit.Actor) error
	Choosable(ctx context.Context, of account.CustomerID) ([]billing.Choosable, error)
	PreviewPlan(ctx context.Context, of account.CustomerID, plan pricing.PlanID) (billing.PlanChange, error)
	ChangePlan(ctx context.Context, of account.CustomerID, w billing.Wish, by audit.Actor) (billing.Period, error)
	Leaving(ctx context.Context, of account.CustomerID) (*billing.Leaving, error)
	WouldLeave(ctx context.Context, of account.CustomerID) (billing.Leaving, error)
	Cancel(ctx context.Context, of account.CustomerID, by audit.Actor) (billing.Cancellation, error)
	TakeBack(ctx context.Context, of account.CustomerID, by audit.Actor) (billing.Cancellation, error)
}

// Cards knows the means of payment on file; payment.Service does.
type Cards interface {
	On() bool
	Card(ctx context.Context, of account.CustomerID) (payment.Method, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Bills  Bills
	Cards  Cards
	Frames *frame.Frames
}

// Pages answers the pages of billing.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section.
func (p *Pages) Routes() []web.Route {
	return append(p.planRoutes(), []web.Route{
		frame.Get(portal.Billing, account.Manage, p.page),
		frame.Get(views.InvoicePath(":id"), account.Manage, p.invoice),
		frame.Get(views.PDFPath(":id"), account.Manage, p.pdf),
		frame.Get(invoice.XMLFile(views.InvoicePath(":id")), account.Manage, p.xml),
		frame.Get(invoice.CreditFile(views.InvoicePath(":id"), ":credit"), account.Manage, p.creditXML),
		frame.Post(views.AddressPath, account.Manage, p.address),
	}...)
}

// page answers GET /app/billing.
func (p *Pages) page(c echo.Context) error { return p.show(c, http.StatusOK, views.Props{}) }

func (p *Pages) show(c echo.Context, status int, props views.Props) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	o, err := p.Bills.Overview(ctx, of)
	if err != nil {
		return err
	}
	fill(&props, o)
	l, err := p.Bills.Leaving(ctx, of)
	if err != nil {
		return err
	}
	if l != nil {
		zone := zoneOf(o)
		props.Leaving = &views.Leaving{
			On: l.On.In(zone), Erased: l.Erased.In(zone), Closed: l.Closed.In(zone), Years: l.Years, Over: l.Over,
			Gone: l.Gone, Keep: l.Keep,
		}
	}
	all, err := p.Bills.InvoicesOf(ctx, of, page.Ask{After: c.QueryParam("after"), Limit: 24})
	if err != nil {
		return err
	}
	for _, i := range all.Items {
		v := bill.Props(i)
		props.Invoices = append(props.Invoices, views.Row{
			ID: string(i.ID), Number: v.Number, State: v.State, Issued: v.Issued, Due: v.Due, Total: v.Total, Test: v.Test,
		})
	}
	props.Older = portal.NextPage(portal.Billing, url.Values{}, all.Next)
	if p.Cards.On() {
		m, err := p.Cards.Card(ctx, of)
		if err != nil {
			return err
		}
		props.Card = &views.Card{Kind: m.Kind, Brand: m.Brand, Last4: m.Last4, Month: m.Month, Year: m.Year}
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "billing.title")})
	if err != nil {
		return err
	}
	outer.Failed = status != http.StatusOK
	return web.Render(c, status, views.Page(outer, props))
}

// fill adds how a customer's billing stands.
func fill(props *views.Props, o billing.Overview) {
	zone := zoneOf(o)
	if props.Typed == nil {
		props.Typed = map[string]string{
			"name": o.Profile.Name, "address": o.Profile.Address, "country": o.Profile.Country, "vat_id": o.Profile.VATID,
		}
	}
	props.Overage, props.NoAddress = o.Overage, o.NoAddress
	if !o.Profile.FoundingUntil.IsZero() {
		props.FoundingUntil = o.Profile.FoundingUntil.In(zone)
	}
	if props.Runs = o.Runs(); !props.Runs {
		return
	}
	plan, d := o.Period.Plan(), o.Draft
	props.Plan, props.Monthly, props.From, props.To = plan.Name, int64(plan.Monthly), o.Period.From.In(zone), o.Period.To.In(zone)
	props.Pool, props.Times, props.Over = frame.PoolOf(o), o.Period.Multiplier, d.Over
	props.Net, props.Held = int64(d.Net()), len(d.Held) > 0
	for _, l := range d.Lines {
		props.Lines = append(props.Lines, bill.Line(l, zone))
	}
}

// one finds the invoice of the path.
func (p *Pages) one(c echo.Context) (billing.Invoice, error) {
	id := c.Param("id")
	if uuid.Validate(id) != nil {
		return billing.Invoice{}, errNone
	}
	return p.Bills.InvoiceOf(c.Request().Context(), frame.Customer(c), billing.InvoiceID(id))
}

// credited finds the invoice of the path, with the credit notes against it.
func (p *Pages) credited(c echo.Context) (i billing.Invoice, credits []billing.CreditNote, err error) {
	if i, err = p.one(c); err == nil {
		credits, err = p.Bills.CreditNotes(c.Request().Context(), i.ID)
	}
	return i, credits, err
}

var errNone = fault.New(fault.NotFound, "not-found", "no such invoice",
	"We could not find this. It may have been removed, or the link is incomplete.")

// invoice answers GET /app/billing/invoices/:id.
func (p *Pages) invoice(c echo.Context) error {
	i, credits, err := p.credited(c)
	if err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "billing.invoice", "number", i.Number)})
	if err != nil {
		return err
	}
	props := bill.Props(i)
	bill.Credits(&props, credits, i.Terms.Zone, views.InvoicePath(string(i.ID)))
	return web.Render(c, http.StatusOK, views.InvoicePage(outer, string(i.ID), props))
}

// pdf answers GET /app/billing/invoices/:id/pdf.
func (p *Pages) pdf(c echo.Context) error {
	i, credits, err := p.credited(c)
	if err != nil {
		return err
	}
	return bill.PDF(c, i, credits)
}

// xml answers GET /app/billing/invoices/:id/xml.
func (p *Pages) xml(c echo.Context) error {
	i, err := p.one(c)
	if err != nil {
		return err
	}
	return bill.XML(c, i)
}

// creditXML answers GET /app/billing/invoices/:id/credits/:credit/xml.
func (p *Pages) creditXML(c echo.Context) error {
	i, credits, err := p.credited(c)
	if err != nil {
		return err
	}
	return bill.CreditXML(c, i, credits, c.Param("credit"))
}

// address answers POST /app/billing/address.
func (p *Pages) address(c echo.Context) error {
	a := billing.Address{
		Name: c.FormValue("name"), Address: c.FormValue("address"), Country: c.FormValue("country"), VATID: c.FormValue("vat_id"),
	}
	err := p.Bills.SetAddress(c.Request().Context(), frame.Customer(c), a, actor(c))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		typed := map[string]string{"name": a.Name, "address": a.Address, "country": a.Country, "vat_id": a.VATID}
		return p.show(c, http.StatusUnprocessableEntity, views.Props{Typed: typed, Problems: f.Fields})
	}
	if err != nil {
		return err
	}
	frame.Said(c, "billing.now_address")
	return frame.GoTo(c, portal.Billing)
}

func actor(c echo.Context) audit.Actor {
	who := session.Of(c)
	return audit.Actor{Kind: audit.User, ID: who.UserID, Name: who.Email, Address: c.RealIP()}
}
