package admin

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"gatehouse/views/i18n"
	"gatehouse/views/ui"
)

// PaymentsOf is what one customer has paid.
func PaymentsOf(customer string) string { return CustomerPath(customer) + "/payments" }

// Payments is what a customer has paid. Amounts are cents.
type Payments struct {
	Customer, Name string
	May            bool // refund
	Paid           []Paid
	Back           []Back
	Disputes       []Disputed
	Unpaid         []NotPaid
	Events         []Reported

	Payment, Amount, Reason string // as typed
	Problems                map[string]string
}

// Paid is one payment.
type Paid struct {
	ID, State, Code, Intent string
	At                      time.Time
	Amount, Refunded, Left  int64
	ForOrder                bool // before the order; else an invoice
}

// Back is one refund.
type Back struct {
	At                           time.Time
	Amount                       int64
	Why, Reason, By, State, Code string
}

// Disputed is a payment that a bank takes back, or wants to.
type Disputed struct {
	ID, Reason, State string
	At, Due           time.Time
	Amount            int64
}

// NotPaid is what was not paid.
type NotPaid struct {
	ID, State, Invoice string
	Since              time.Time
}

// Reported is an event of Stripe.
type Reported struct {
	ID, Kind, Outcome string
	At                time.Time
	Done              bool
}

var (
	paidWords = map[string]i18n.Key{
		"asked": "payment.is_asked", "waiting": "payment.is_waiting", "processing": "payment.is_processing", "paid": "payment.is_paid",
		"failed": "payment.is_failed", "expired": "payment.is_expired",
	}
	paidKinds = map[string]string{"paid": "ok", "failed": "bad", "processing": "busy", "waiting": "busy", "asked": "busy", "expired": "off"}
	backWords = map[string]i18n.Key{"asked": "payment.back_asked", "done": "payment.back_done", "failed": "payment.back_failed"}
	backKinds = map[string]string{"asked": "busy", "done": "ok", "failed": "bad"}
	whyWords  = map[string]i18n.Key{
		"twice": "payment.why_twice", "cancelled": "payment.why_cancelled", "wrong": "payment.why_wrong", "staff": "payment.why_staff",
	}
	eventWords = map[string]i18n.Key{"done": "payment.event_done", "ignored": "payment.event_ignored", "not ours": "payment.event_foreign"}
)

func euros(ctx context.Context, cents int64) templ.Component {
	return ui.Text(i18n.Amount(ctx, cents) + " €")
}

func (p Payments) paid(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "payments", Caption: i18n.T(ctx, "payment.sheet"), Path: PaymentsOf(p.Customer),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "payment.at"), Main: true},
			{Label: i18n.T(ctx, "payment.for")},
			{Label: i18n.T(ctx, "payment.state")},
			{Label: i18n.T(ctx, "payment.amount"), Num: true},
			{Label: i18n.T(ctx, "payment.refunded"), Num: true},
			{Label: "Stripe"},
		},
		Empty: ui.Empty{Title: i18n.T(ctx, "payment.no_payments"), Body: i18n.T(ctx, "payment.no_payments_text")},
	}
	for _, one := range p.Paid {
		what := i18n.T(ctx, "payment.for_invoice")
		if one.ForOrder {
			what = i18n.T(ctx, "payment.for_order")
		}
		state := word(ctx, paidWords, one.State)
		if one.State == "failed" && one.Code != "" {
			state += " (" + one.Code + ")"
		}
		t.Rows = append(t.Rows, ui.Row{ID: "payment-" + one.ID, Cells: []templ.Component{
			ui.Time(one.At), ui.Text(what), ui.Status(paidKinds[one.State], state), euros(ctx, one.Amount), euros(ctx, one.Refunded),
			ui.Text(one.Intent),
		}})
	}
	return t
}

func (p Payments) back(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "refunds", Caption: i18n.T(ctx, "payment.refunds"), Path: PaymentsOf(p.Customer),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "payment.at"), Main: true},
			{Label: i18n.T(ctx, "payment.amount"), Num: true},
			{Label: i18n.T(ctx, "payment.why")},
			{Label: i18n.T(ctx, "payment.by")},
			{Label: i18n.T(ctx, "payment.state")},
		},
		Empty: ui.Empty{Title: i18n.T(ctx, "payment.no_refunds"), Body: i18n.T(ctx, "payment.no_refunds_text")},
	}
	for _, one := range p.Back {
		why := word(ctx, whyWords, one.Why)
		if one.Reason != "" {
			why += ": " + one.Reason
		}
		t.Rows = append(t.Rows, ui.Row{Cells: []templ.Component{
			ui.Time(one.At), euros(ctx, one.Amount), ui.Text(why), ui.Text(one.By),
			ui.Status(backKinds[one.State], word(ctx, backWords, one.State)),
		}})
	}
	return t
}

func (p Payments) disputes(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "disputes", Caption: i18n.T(ctx, "payment.disputes"), Path: PaymentsOf(p.Customer),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "payment.at"), Main: true},
			{Label: i18n.T(ctx, "payment.amount"), Num: true},
			{Label: i18n.T(ctx, "payment.why")},
			{Label: i18n.T(ctx, "payment.state")},
			{Label: i18n.T(ctx, "payment.due_by")},
		},
	}
	for _, one := range p.Disputes {
		due := ui.Text("")
		if !one.Due.IsZero() {
			due = ui.Time(one.Due)
		}
		t.Rows = append(t.Rows, ui.Row{Cells: []templ.Component{
			ui.Time(one.At), euros(ctx, one.Amount), ui.Text(one.Reason), ui.Text(one.State), due,
		}})
	}
	return t
}

func (p Payments) events(ctx context.Context) ui.Table {
	t := ui.Table{
		ID: "events", Caption: i18n.T(ctx, "payment.events"), Path: PaymentsOf(p.Customer),
		Cols: []ui.Col{
			{Label: i18n.T(ctx, "payment.at"), Main: true},
			{Label: i18n.T(ctx, "payment.event_kind")},
			{Label: i18n.T(ctx, "payment.state")},
			{Label: "Stripe"},
		},
		Empty: ui.Empty{Title: i18n.T(ctx, "payment.no_events"), Body: i18n.T(ctx, "payment.no_events_text")},
	}
	for _, one := range p.Events {
		state := ui.Status("busy", i18n.T(ctx, "payment.event_waits"))
		if one.Done {
			state = ui.Status("ok", word(ctx, eventWords, one.Outcome))
		}
		t.Rows = append(t.Rows, ui.Row{ID: "event-" + one.ID, Cells: []templ.Component{
			ui.Time(one.At), ui.Text(one.Kind), state, ui.Text(one.ID),
		}})
	}
	return t
}

// choices are the payments of which something can still go back.
func (p Payments) choices(ctx context.Context) []ui.Option {
	var all []ui.Option
	for _, one := range p.Paid {
		if one.Left > 0 {
			label := i18n.T(ctx, "payment.choice", "day", i18n.Date(ctx, one.At), "left", i18n.Amount(ctx, one.Left)+" €")
			all = append(all, ui.Option{Value: one.ID, Label: label})
		}
	}
	return all
}

func (p Payments) problems() []ui.Problem {
	var all []ui.Problem
	for _, name := range []string{"amount", "reason"} {
		if text := p.Problems[name]; text != "" {
			all = append(all, ui.Problem{Field: name, Text: text})
		}
	}
	return all
}

func (u NotPaid) kind() string {
	if u.State == "past_due" {
		return "warn"
	}
	return "bad"
}

func (u NotPaid) word() i18n.Key {
	switch {
	case u.State == "past_due":
		return "payment.unpaid_due"
	case u.Invoice == "":
		return "payment.unpaid_lost"
	}
	return "payment.unpaid_paused"
}
