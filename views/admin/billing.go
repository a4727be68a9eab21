package admin

import (
	"context"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/invoice"
	"gatehouse/views/ui"
)

// BillingPath is where our staff see the invoices of all customers.
const BillingPath = "/admin/billing"

// InvoicePath is one invoice.
func InvoicePath(id string) string { return BillingPath + "/invoices/" + id }

// BillingOf is how one customer is billed.
func BillingOf(customer string) string { return CustomerPath(customer) + "/billing" }

// Sum is how many there are, and what they come to in cents.
type Sum struct {
	Count int
	Total int64
}

// Billing is how billing stands, and a list of invoices.
type Billing struct {
	List                        List[InvoiceRow]
	Query                       url.Values
	Running                     int
	Waiting                     []WaitingPeriod
	More                        bool
	Open, Overdue, Failed, Paid Sum
	NoSeller                    bool
	Founders                    []Founder
	MoreFounders                string // cursor of the next page; empty at the end
}

// Founder is a customer that is a founding member.
type Founder struct {
	Customer, Name string
	Multiplier     int64
	From, Until    time.Time
}

func (p Billing) foundersTable(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "founders", Caption: i18n.T(ctx, "bills.founders"), Path: BillingPath,
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "bills.founders_who"), Main: true},
			{Label: i18n.T(ctx, "bills.founders_times"), Num: true},
			{Label: i18n.T(ctx, "bills.founders_since")},
			{Label: i18n.T(ctx, "bills.founders_until")},
		},
	}
	for _, f := range p.Founders {
		t.Rows = append(t.Rows, ui.Row{ID: "founder-" + f.Customer, Cells: []templ.Component{
			ui.Link(BillingOf(f.Customer), f.Name), ui.Text(i18n.T(ctx, "bills.founders_n", "n", f.Multiplier)),
			ui.Text(i18n.Date(ctx, f.From)), ui.Text(i18n.Date(ctx, f.Until)),
		}})
	}
	return t
}

// InvoiceRow is an invoice in a list.
type InvoiceRow struct {
	ID, Number, Customer, Name, State string
	Issued, Due                       time.Time
	Total                             int64
	Test                              bool
}

// WaitingPeriod is a month that cannot be billed yet.
type WaitingPeriod struct {
	Customer, Why string
	Ended         time.Time
}

// InvoiceDetail is one invoice as our staff see it.
type InvoiceDetail struct {
	ID, Customer         string
	Invoice              invoice.Props
	MayGiveUp, MayCredit bool   // the reader may
	Left                 int64  // cents without tax that are not credited
	Amount, Reason       string // as typed
	Problems             map[string]string
}

func (p InvoiceDetail) problems() (all []ui.Problem) {
	for _, name := range []string{"amount", "reason"} {
		if text := p.Problems[name]; text != "" {
			all = append(all, ui.Problem{Field: name, Text: text})
		}
	}
	return all
}

// CustomerBilling is how one customer is billed. Amounts are cents without tax.
type CustomerBilling struct {
	Customer, Name          string
	May                     bool
	Runs                    bool
	Plan, PlanName          string
	Monthly                 int64
	From, To                time.Time
	Pool, Drawn, Forecast   int64
	Times                   int64
	Net, Overages, Premium  int64
	Held                    []string
	Overage                 bool
	FoundingUntil           time.Time
	Multiplier              int64
	Address, Country, VATID string
	Invoices                []InvoiceRow
	Leaving                 *Leaving     // the plan ends or has ended; nil: neither
	Plans                   []PlanChoice // none: it cannot be changed
	Typed                   string
	Problems                map[string]string
}

// PlanChoice is a plan that a customer may be put on.
type PlanChoice struct {
	ID, Name string
	Monthly  int64 // cents
	Pool     int64
	Holds    bool      // it is the plan now
	Soonest  time.Time // when it can be chosen, as more is used than its pool; zero: now
	Unknown  bool      // it can be chosen when the server has reported what was used
}

// Leaving is that a customer's plan ends, or has ended.
type Leaving struct {
	On, Erased time.Time
	Over       bool
	Who        string // who cancelled it, while it has not ended
	At         time.Time
}

func (p Billing) stats(ctx context.Context) []ui.Stat {
	stat := func(label i18n.Key, s Sum, state, kind string) ui.Stat {
		v := ui.Stat{
			Label: i18n.T(ctx, label), Value: i18n.Amount(ctx, s.Total) + " €", Hint: i18n.T(ctx, "bills.count", "n", s.Count),
			Href: BillingPath + "?state=" + state,
		}
		if s.Count > 0 {
			v.Kind = kind
		}
		return v
	}
	return []ui.Stat{
		stat("bills.open", p.Open, "open", ""), stat("bills.overdue", p.Overdue, "overdue", "bad"),
		stat("bills.failed", p.Failed, "open", "warn"), stat("bills.paid", p.Paid, "paid", ""),
		{Label: i18n.T(ctx, "bills.running"), Value: i18n.Count(ctx, int64(p.Running))},
	}
}

// InvoiceTable is the list of invoices.
func InvoiceTable(ctx context.Context, p Billing) ui.Table {
	states := []ui.Option{{Label: i18n.T(ctx, "bills.all")}}
	for _, s := range []string{"open", "paid", "uncollectible", "void"} {
		states = append(states, ui.Option{Value: s, Label: invoice.StateText(ctx, s)})
	}
	states = append(states, ui.Option{Value: "overdue", Label: i18n.T(ctx, "bills.overdue")})
	t := invoiceTable(ctx, "invoices", p.List.Items, true)
	t.Path, t.Query, t.Search = BillingPath, p.Query, search(ctx, p.List.Search)
	t.Filters = []ui.Filter{{Name: "state", Label: i18n.T(ctx, "billing.state"), Value: p.List.State, Options: states}}
	t.Pager = pager(p.List.First, p.List.Next)
	t.Empty = empty(ctx, p.List.Search != "" || p.List.State != "", "billing.no_invoices", "bills.no_invoices")
	return t
}

func invoiceTable(ctx context.Context, id string, rows []InvoiceRow, named bool) ui.Table {
	t := ui.Table{ID: id, Caption: i18n.T(ctx, "billing.invoices"), Cols: []ui.Col{{Label: i18n.T(ctx, "billing.number"), Main: true}}}
	if named {
		t.Cols = append(t.Cols, ui.Col{Label: i18n.T(ctx, "admin.col.customer")})
	}
	t.Cols = append(t.Cols, ui.Col{Label: i18n.T(ctx, "billing.state")}, ui.Col{Label: i18n.T(ctx, "billing.issued")},
		ui.Col{Label: i18n.T(ctx, "billing.due")}, ui.Col{Label: i18n.T(ctx, "billing.total"), Num: true})
	for _, r := range rows {
		state := invoice.StateText(ctx, r.State)
		if r.Test {
			state = i18n.T(ctx, "billing.state_test")
		}
		cells := []templ.Component{ui.Link(InvoicePath(r.ID), r.Number)}
		if named {
			cells = append(cells, ui.Link(BillingOf(r.Customer), r.Name))
		}
		cells = append(cells, ui.Status(invoice.StateKind(r.State), state), ui.At(r.Issued), ui.At(r.Due),
			ui.Text(i18n.Amount(ctx, r.Total)+" €"))
		t.Rows = append(t.Rows, ui.Row{ID: "invoice-" + r.ID, Cells: cells})
	}
	t.Empty = ui.Empty{Kind: "new", Title: i18n.T(ctx, "billing.no_invoices"), Body: i18n.T(ctx, "bills.no_invoices")}
	return t
}

func (p CustomerBilling) facts(ctx context.Context) []ui.Pair {
	pairs := []ui.Pair{
		{Name: i18n.T(ctx, "billing.plan"), Value: i18n.T(ctx, "billing.plan_price", "plan", p.PlanName, "price",
			i18n.Euros(ctx, p.Monthly))},
		{Name: i18n.T(ctx, "bills.from"), View: ui.At(p.From)},
		{Name: i18n.T(ctx, "bills.to"), View: ui.At(p.To)},
		{Name: i18n.T(ctx, "billing.net"), Value: i18n.Amount(ctx, p.Net) + " €"},
		{Name: i18n.T(ctx, "bills.overages"), Value: i18n.Amount(ctx, p.Overages) + " €"},
		{Name: i18n.T(ctx, "bills.premium"), Value: i18n.Amount(ctx, p.Premium) + " €"},
	}
	choice := i18n.T(ctx, "billing.overage_pause")
	if p.Overage {
		choice = i18n.T(ctx, "billing.overage_continue")
	}
	return append(pairs, ui.Pair{Name: i18n.T(ctx, "billing.overage"), Value: choice})
}

func (p CustomerBilling) meter(ctx context.Context) ui.Meter {
	m := ui.Meter{
		Label: i18n.T(ctx, "billing.pool"), Used: p.Drawn, Full: p.Pool,
		Text: i18n.T(ctx, "billing.pool_text", "drawn", p.Drawn, "pool", p.Pool),
	}
	if p.Forecast > 0 {
		m.Hint = i18n.T(ctx, "billing.pool_forecast", "n", p.Forecast)
	}
	return m
}

func (p CustomerBilling) plans(ctx context.Context) (all []ui.Option) {
	for _, v := range p.Plans {
		all = append(all, ui.Option{
			Value: v.ID, Label: i18n.T(ctx, "plan.option", "plan", v.Name, "price", i18n.Euros(ctx, v.Monthly), "pool", v.Pool),
			Hint: v.hint(ctx), Disabled: v.Holds || v.Unknown || !v.Soonest.IsZero(),
		})
	}
	return all
}

// hint says why a plan cannot be chosen now.
func (v PlanChoice) hint(ctx context.Context) string {
	switch {
	case v.Holds:
		return i18n.T(ctx, "bills.plan_holds")
	case v.Unknown:
		return i18n.T(ctx, "bills.plan_unknown")
	case !v.Soonest.IsZero():
		return i18n.T(ctx, "bills.plan_soonest", "day", i18n.Date(ctx, v.Soonest))
	}
	return ""
}

func (p CustomerBilling) problems() (all []ui.Problem) {
	for _, name := range []string{"plan", "multiplier"} {
		if text := p.Problems[name]; text != "" {
			all = append(all, ui.Problem{Field: name, Text: text})
		}
	}
	return all
}

func (p CustomerBilling) founding() bool { return !p.FoundingUntil.IsZero() }

func orTwo(typed string) string {
	if typed == "" {
		return "2"
	}
	return typed
}
