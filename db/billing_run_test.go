package db_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/order"
	"gatehouse/app/pricing"
	"gatehouse/app/server"
	"gatehouse/app/usage"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// till is a hub that bills one customer, whose clock the test moves.
type till struct {
	*billing.Service
	t      *testing.T
	db     *db.DB
	store  *db.Billing
	queue  *queue
	orders *order.Service
	of     account.CustomerID
	order  string
	srv    server.ID
	now    time.Time
	rev    int64
}

// clerk is one of our staff who may bill.
var clerk = audit.Actor{Kind: audit.Staff, ID: "00000000-0000-7000-8000-000000000001", Name: "clerk@gatehouse.example", Role: "ADMIN"}

func newTill(t *testing.T) *till {
	t.Helper()
	b := &till{t: t, db: fresh(t), queue: &queue{}, now: t0}
	b.store = &db.Billing{DB: b.db, Jobs: b.queue}
	n, srv := withServer(t, b.db)
	b.of, b.order, b.srv = n.Order.CustomerID, string(n.Order.ID), srv.ID
	for _, state := range []string{"AWAITING_SERVER", "SERVER_READY", "DNS_PENDING", "DNS_READY"} {
		b.exec("UPDATE orders SET state = ? WHERE id = ?", state, b.order)
	}
	b.exec("UPDATE orders SET state = 'PROVISIONING', server_id = ? WHERE id = ?", b.srv, b.order)
	clock := func() time.Time { return b.now }
	b.orders = &order.Service{
		Store: &db.Orders{DB: b.db, Jobs: b.queue}, Notify: untold{}, Codes: dbtest.Sure{}, Now: clock,
	}
	b.Service = &billing.Service{Store: b.store, Usage: &db.Usage{DB: b.db}, Orders: b.orders, Now: clock}
	return b
}

func (b *till) exec(q string, args ...any) {
	b.t.Helper()
	if _, err := b.db.ExecContext(b.t.Context(), q, args...); err != nil {
		b.t.Fatal(err)
	}
}

// ready has the server of the customer work from then on.
func (b *till) ready(at time.Time) {
	b.t.Helper()
	b.exec("UPDATE orders SET state = 'FULFILLED', fulfilled_at = ? WHERE id = ?", at, b.order)
}

// price adds to the book.
func (b *till) price(kind pricing.Kind, name, value string, from time.Time) {
	b.t.Helper()
	must(b.t, b.AddPrice(b.t.Context(), pricing.Entry{
		Kind: kind, Name: name, Value: json.RawMessage(value), ValidFrom: from, Reason: "For the test.",
	}, clerk))
}

// sells makes all known that an invoice needs.
func (b *till) sells() {
	b.price(pricing.KindSeller, "", `{"name": "Gatehouse Ltd", "address": "1 Street", "country": "AT", "vat_id": "ATU12345678",
		"due_days": 14}`, time.Time{})
	b.price(pricing.KindTax, "AT", `{"basis_points": 2000}`, time.Time{})
	b.price(pricing.KindModel, "small", `{"input": 150000, "output": 600000, "cache_read": 15000, "cache_write": 187500,
		"class": "included"}`, time.Time{})
	b.price(pricing.KindModel, "large", `{"input": 3000000, "output": 15000000, "cache_read": 300000, "cache_write": 3750000,
		"class": "premium"}`, time.Time{})
}

// uses has the server report what was used.
func (b *till) uses(hour time.Time, model string, key usage.Key, c usage.Counts) {
	b.t.Helper()
	b.rev++
	_, err := (&db.Usage{DB: b.db}).Keep(b.t.Context(), b.srv, []usage.Bucket{{
		Epoch: "one", Hour: hour, Agent: "secretary", Model: model, Profile: "p", Key: key, Revision: b.rev, Counts: c,
	}})
	must(b.t, err)
}

// at moves the clock and has everything done that is due.
func (b *till) at(now time.Time) {
	b.t.Helper()
	b.now = now
	for _, chore := range []func() (int, error){
		func() (int, error) { return b.EndDue(b.t.Context()) },
		func() (int, error) { return b.BeginDue(b.t.Context()) }, func() (int, error) { return b.CloseDue(b.t.Context()) },
		func() (int, error) { return b.BillDue(b.t.Context()) },
	} {
		if _, err := chore(); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *till) periods() (all []billing.Period) {
	b.t.Helper()
	rows, err := b.db.QueryContext(b.t.Context(), "SELECT id FROM billing_periods ORDER BY number")
	must(b.t, err)
	defer rows.Close()
	var ids []billing.PeriodID
	for rows.Next() {
		var v billing.PeriodID
		must(b.t, rows.Scan(&v))
		ids = append(ids, v)
	}
	must(b.t, rows.Err())
	for _, v := range ids {
		p, err := b.store.Period(b.t.Context(), v)
		must(b.t, err)
		all = append(all, p)
	}
	return all
}

func (b *till) invoiceOf(p billing.Period) billing.Invoice {
	b.t.Helper()
	was, err := b.store.BilledPeriod(b.t.Context(), p.ID)
	must(b.t, err)
	return was.Invoice
}

func (b *till) recomputes(p billing.Period) billing.Recomputed {
	b.t.Helper()
	r, err := b.Recompute(b.t.Context(), p.ID)
	must(b.t, err)
	return r
}

// exampleOf are the amounts of the example in docs/BILLING.md, in cents.
func exampleOf(t *testing.T) map[string]pricing.Cents {
	t.Helper()
	doc, err := os.ReadFile("../docs/BILLING.md")
	must(t, err)
	_, rest, _ := strings.Cut(string(doc), "| line | amount |\n| --- | --- |\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	out := map[string]pricing.Cents{}
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		if len(cells) != 2 {
			t.Fatalf("a row of the example: %q", row)
		}
		cents, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(cells[1]), ".", ""), 10, 64)
		must(t, err)
		out[strings.TrimSpace(cells[0])] = pricing.Cents(cents)
	}
	return out
}

// TestBillingRun_workedExample computes the example of docs/BILLING.md: every figure there stands here.
func TestBillingRun_workedExample(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.now = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	b.sells()
	b.ready(time.Date(2026, 3, 2, 9, 41, 0, 0, time.UTC))
	b.at(time.Date(2026, 3, 2, 9, 45, 0, 0, time.UTC))
	p := b.periods()[0]
	if p.From.Format(time.RFC3339) != "2026-03-02T09:00:00Z" || p.To.Format(time.RFC3339) != "2026-04-02T08:00:00Z" {
		t.Fatalf("from %s to %s: the clocks change in Vienna between them", p.From, p.To)
	}
	must(t, b.store.Choose(t.Context(), b.of, billing.Choice{Overage: true, At: b.now, ByKind: "user", ByName: "owner"}, audit.Entry{
		ID: id(t), At: b.now, By: audit.Itself, CustomerID: string(b.of), Action: "billing.overage", Target: string(b.of),
	}))
	b.uses(p.From.Add(24*time.Hour), "small", usage.House, usage.Counts{
		Input: 9_000_000, Output: 2_000_000, CacheRead: 20_000_000,
		Searches: 500,
	})
	b.uses(p.From.Add(48*time.Hour), "small", usage.House, usage.Counts{Input: 3_000_000, Output: 1_000_000})
	b.uses(p.From.Add(48*time.Hour), "large", usage.House, usage.Counts{Input: 200_000, Output: 50_000})
	b.uses(p.From.Add(48*time.Hour), "mine", usage.Own, usage.Counts{Input: 7_000_000})
	b.now = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	b.price(pricing.KindRate, "USD", "920000", time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	b.at(p.To)
	if all := b.periods(); len(all) != 2 || all[0].State != billing.Closed || all[1].From != p.To || all[1].State != billing.Active {
		t.Fatalf("%+v", all)
	}
	b.at(p.To.Add(billing.Settle))
	i := b.invoiceOf(p)
	type figure struct {
		kind billing.LineKind
		net  pricing.Cents
	}
	var got []figure
	for _, l := range i.Lines {
		got = append(got, figure{l.Kind, l.Net})
	}
	// 14,000,000 drawn on the first day, 4,000,000 on the second, of 15,000,000: three quarters of the second are beyond the pool.
	// 2,250,000 input and 750,000 output cost $0.7875, with 35 % $1.063125, in euros 97.81 cents.
	// 200,000 input and 50,000 output cost $1.35, with 10 % $1.485, in euros 136.62 cents.
	want := []figure{{billing.LinePlan, 45_00}, {billing.LineOverage, 98}, {billing.LinePremium, 1_37}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%v, want %v", got, want)
	}
	if i.Net != 47_35 || i.Tax != 9_47 || i.Total != 56_82 || i.Number != "2026-000001" || i.State != billing.Open {
		t.Errorf("%+v", i)
	}
	said := exampleOf(t)
	for line, cents := range map[string]pricing.Cents{
		"Plan Build": i.Lines[0].Net, "small, beyond the pool": i.Lines[1].Net, "large, premium model": i.Lines[2].Net,
		"sum without tax": i.Net, "tax, 20 %": i.Tax, "total": i.Total,
	} {
		if said[line] != cents {
			t.Errorf("the document says %d cents for %q, and it is %d", said[line], line, cents)
		}
	}
	if len(said) != 6 {
		t.Errorf("the document has other lines: %v", said)
	}
	if r := b.recomputes(p); !r.Same() {
		t.Errorf("computed again: %+v", r)
	}
	if n := b.queue.collects(); n != 1 {
		t.Errorf("jobs: %v", b.queue.items)
	}
	must(t, billing.TestCheckout{Bills: b.Service}.Collect(t.Context(), i.ID))
	if i, _ := b.Invoice(t.Context(), i.ID); i.State != billing.Paid || i.PaidBy != "test" {
		t.Errorf("%+v", i)
	}
}

// TestBillingRun_late: what is reported after the invoice stands on the next one, once, at the prices of its time; and a price that
// changes afterwards changes nothing.
func TestBillingRun_late(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.now = p.To
	b.price(pricing.KindRate, "USD", "1000000", p.To.Truncate(24*time.Hour))
	b.uses(t0.Add(time.Hour), "large", usage.House, usage.Counts{Output: 1_000_000})
	b.at(p.To.Add(billing.Settle))
	if i := b.invoiceOf(p); i.Net != 45_00+16_50 {
		t.Fatalf("%+v", i)
	}
	b.price(pricing.KindModel, "large", `{"input": 9000000, "output": 99000000, "cache_read": 0, "cache_write": 0, "class": "premium"}`,
		b.now)
	b.uses(t0.Add(time.Hour), "large", usage.House, usage.Counts{Output: 1_500_000})
	b.uses(t0.Add(2*time.Hour), "large", usage.House, usage.Counts{Output: 1})
	if r := b.recomputes(p); r.Same() || len(r.ToCome) != 1 || r.ToCome[0].Net != 8_25 || r.Net != r.Invoice.Net {
		t.Errorf("before the next invoice: %+v", r)
	}
	next := b.periods()[1]
	b.now = next.To
	b.price(pricing.KindRate, "USD", "1000000", next.To.Truncate(24*time.Hour))
	b.at(next.To.Add(billing.Settle))
	i := b.invoiceOf(next)
	if len(i.Lines) != 2 || i.Lines[1].Kind != billing.LineLate || i.Lines[1].Of != p.ID || i.Lines[1].Metered.Tokens.Output != 500_001 {
		t.Fatalf("%+v", i.Lines)
	}
	third := b.periods()[2]
	b.at(third.To.Add(billing.Settle))
	if i := b.invoiceOf(third); i.Net != 45_00 {
		t.Errorf("charged twice: %+v", i.Lines)
	}
	for _, p := range []billing.Period{p, next, third} {
		if r := b.recomputes(p); !r.Same() {
			t.Errorf("period %d computed again: %+v", p.Number, r)
		}
	}
}

// TestBillingRun_held: without a price, a rate, a seller or a tax rate nothing is guessed: the invoice waits, and says for what.
func TestBillingRun_held(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	b.uses(t0.Add(time.Hour), "unknown", usage.House, usage.Counts{Output: 1_000_000})
	waits := func(part string) {
		t.Helper()
		b.at(b.now.Add(time.Minute))
		if got := b.periods()[0]; got.State != billing.Closed || !strings.Contains(got.Held, part) {
			t.Fatalf("%s: %q", got.State, got.Held)
		}
	}
	b.at(p.To)
	b.now = p.To.Add(billing.Settle)
	waits("No price of the model unknown is kept.")
	waits("The details of the seller are not kept.")
	b.price(pricing.KindModel, "unknown", `{"input": 0, "output": 5000000, "cache_read": 0, "cache_write": 0, "class": "premium"}`, t0)
	waits("No exchange rate")
	b.price(pricing.KindRate, "USD", "900000", p.To.Truncate(24*time.Hour))
	b.price(pricing.KindSeller, "", `{"name": "Gatehouse Ltd", "address": "1 Street", "country": "AT", "vat_id": "ATU12345678"}`,
		time.Time{})
	waits("No tax rate of AT is kept.")
	must(t, b.SetAddress(t.Context(), b.of, billing.Address{Country: "DE", VATID: "DE 123456789"}, clerk))
	waits("The address of the customer is not known")
	waits("The address of the customer is not known")
	if n := b.letters(billing.LetterAddress); n != 1 {
		t.Errorf("%d letters ask for the address, want one", n)
	}
	asks := func(after time.Duration, want int) {
		t.Helper()
		b.now = b.now.Add(after)
		if n, err := b.AskAgain(t.Context()); n != want || err != nil {
			t.Errorf("%d months asked about again, want %d, %v", n, want, err)
		}
	}
	asks(6*24*time.Hour, 0)
	asks(24*time.Hour, 1)
	asks(time.Minute, 0)
	asks(7*24*time.Hour, 1)
	if n := b.letters(billing.LetterAddress); n != 3 {
		t.Errorf("%d letters ask for the address, want one each week", n)
	}
	must(t, b.SetAddress(t.Context(), b.of, billing.Address{
		Address: "1 Street\n10115 Berlin", Country: "DE", VATID: "DE 123456789",
	}, clerk))
	b.at(b.now.Add(time.Minute))
	asks(8*24*time.Hour, 0)
	i := b.invoiceOf(p)
	if !i.Terms.Reverse || i.Tax != 0 || i.Net != 45_00+5_18 || i.Total != i.Net { // $5, 15 %, 0.90: 517.5 cents
		t.Errorf("%+v", i)
	}
	wantErr(t, b.AddPrice(t.Context(), pricing.Entry{
		Kind: pricing.KindModel, Name: "unknown", Value: json.RawMessage(`{"class": "premium"}`), ValidFrom: t0,
		Reason: "A second thought.",
	}, clerk), billing.ErrPast)
}

// TestBillingRun_months: anniversaries of the 31st, of a leap day, and the month of somebody who leaves.
func TestBillingRun_months(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(time.Date(2027, 12, 31, 22, 30, 0, 0, time.UTC)) // 23:30 in Vienna
	b.at(time.Date(2028, 3, 31, 23, 0, 0, 0, time.UTC))
	for range 3 {
		b.at(b.now) // each look closes what is over by now
	}
	var ends []string
	for _, p := range b.periods() {
		ends = append(ends, p.To.Format("01-02T15"))
	}
	if got := strings.Join(ends, " "); got != "01-31T22 02-29T22 03-31T21 04-30T21" {
		t.Errorf("%s", got)
	}
	b.now = time.Date(2028, 4, 15, 20, 30, 0, 0, time.UTC) // half of the month: 15 of 30 days
	b.exec("UPDATE orders SET state = 'ENDED', end_reason = 'closed', ended_at = ?, release_at = ? WHERE id = ?", b.now,
		b.now.AddDate(0, 0, 30), b.order)
	b.at(b.now)
	b.at(time.Date(2028, 5, 10, 0, 0, 0, 0, time.UTC)) // the server is kept, and nothing more is charged
	all := b.periods()
	last := all[len(all)-1]
	if len(all) != 4 || last.State != billing.Billed || last.To.Format("01-02T15") != "04-15T21" {
		t.Fatalf("%+v", last)
	}
	if i := b.invoiceOf(last); i.Net != 22_50 || len(b.periods()) != 4 {
		t.Errorf("%+v", i)
	}
}

// TestBillingRun_planAndFounding: another plan is charged by the second from its hour on, and a founding member keeps the pool of a
// period that began before the end.
func TestBillingRun_planAndFounding(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	must(t, b.Found(t.Context(), b.of, 2, clerk))
	b.ready(t0)
	b.at(t0)
	p := b.periods()[0]
	half := p.From.Add(p.To.Sub(p.From) / 2).Truncate(time.Hour)
	b.now = half
	_, err := b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: pricing.Scale}, clerk)
	must(t, err)
	_, err = b.ChangePlan(t.Context(), b.of, billing.Wish{Plan: "gold"}, clerk)
	wantErr(t, err, pricing.ErrNoPlan)
	b.now = half.AddDate(0, 0, 1)
	o, err := b.Overview(t.Context(), b.of)
	must(t, err)
	if o.Draft.Pool < 39_900_000 || o.Draft.Pool > 40_100_000 || o.Period.Plan().Plan != pricing.Scale {
		t.Errorf("%+v", o.Draft)
	}
	must(t, b.EndFounding(t.Context(), b.of, clerk))
	b.at(p.To.Add(billing.Settle))
	i := b.invoiceOf(p)
	if len(i.Lines) != 2 || i.Net < 59_90 || i.Net > 60_10 || i.Lines[0].Times != 2 {
		t.Errorf("%+v", i.Lines)
	}
	if next := b.periods()[1]; next.Multiplier != 1 || next.Plan().Plan != pricing.Scale {
		t.Errorf("%+v", next)
	}
}

// TestBillingRun_preview: what a price would change is said before it does.
func TestBillingRun_preview(t *testing.T) {
	t.Parallel()
	b := newTill(t)
	b.sells()
	b.ready(t0)
	b.at(t0)
	b.now = t0.AddDate(0, 0, 1)
	b.price(pricing.KindRate, "USD", "1000000", b.now.Truncate(24*time.Hour))
	plan := pricing.Entry{
		Kind: pricing.KindPlan, Name: "build", Value: json.RawMessage(`{"name": "Build", "monthly": 4900, "pool": 1}`),
		Reason: "Dearer.",
	}
	got, err := b.Preview(t.Context(), plan, clerk)
	must(t, err)
	if got.Customers != 1 || got.Difference != 4_00 {
		t.Errorf("%+v", got)
	}
	model := pricing.Entry{
		Kind: pricing.KindModel, Name: "large", Reason: "Dearer.",
		Value: json.RawMessage(`{"input": 3000000, "output": 30000000, "cache_read": 0, "cache_write": 0, "class": "premium"}`),
	}
	b.uses(b.now.Add(time.Hour), "large", usage.House, usage.Counts{Output: 1_000_000})
	got, err = b.Preview(t.Context(), model, clerk)
	must(t, err)
	if got.Customers != 1 || got.Difference != 33_00-16_50 { // 10 % on both
		t.Errorf("%+v", got)
	}
	if before := b.periods()[0].Plan().Monthly; before != 45_00 {
		t.Errorf("a preview changed it: %d", before)
	}
	support := clerk
	support.Role = "SUPPORT"
	if err := b.AddPrice(t.Context(), plan, support); err == nil {
		t.Error("support changed a price")
	}
}
