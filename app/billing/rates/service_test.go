package rates_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"gatehouse/app/attention"
	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/billing/rates"
	"gatehouse/app/pricing"
	"gatehouse/app/provider/ecb"
	"gatehouse/app/staff"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// bank answers on loopback as the European Central Bank does, or badly.
type bank struct {
	day, rate string
	status    int
	body      string // in the place of a table
	asked     int
}

func (b *bank) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	b.asked++
	w.WriteHeader(b.status)
	if b.body != "" {
		_, _ = io.WriteString(w, b.body)
		return
	}
	_, _ = fmt.Fprintf(w, `<Envelope><Cube><Cube time="%s"><Cube currency="USD" rate="%s"/></Cube></Cube></Envelope>`, b.day, b.rate)
}

// desk is a hub's rates, with the clock and the bank of the test. Only one goroutine asks.
type desk struct {
	*rates.Service
	t     *testing.T
	db    *db.DB
	bank  *bank
	bills *billing.Service
	now   time.Time
	off   bool
}

func open(t *testing.T, now string) *desk {
	t.Helper()
	d := &desk{t: t, db: dbtest.New(t), bank: &bank{status: http.StatusOK, rate: "1.25"}}
	d.at(now)
	srv := httptest.NewServer(d.bank)
	t.Cleanup(srv.Close)
	clock := func() time.Time { return d.now }
	d.bills = &billing.Service{Store: &db.Billing{DB: d.db, Jobs: dbtest.NoJobs{}}, Usage: &db.Usage{DB: d.db}, Now: clock}
	d.Service = &rates.Service{
		Prices: d.bills, Store: &db.RateLooks{DB: d.db}, Bank: ecb.Client{Address: func() string { return srv.URL }},
		On: func() bool { return !d.off }, Now: clock,
	}
	return d
}

func (d *desk) at(text string) {
	d.t.Helper()
	now, err := time.Parse(time.RFC3339, text)
	if err != nil {
		d.t.Fatal(err)
	}
	d.now = now
}

// due does what is due, and checks how many rates came, whether the bank was asked, and what is kept of the look.
func (d *desk) due(done int, asked bool, problem rates.Problem, alert bool) {
	d.t.Helper()
	before := d.bank.asked
	n, err := d.Due(d.t.Context())
	if err != nil || n != done || (d.bank.asked > before) != asked {
		d.t.Errorf("%s: %d rates, asked %d times, %v", d.now, n, d.bank.asked-before, err)
	}
	st, err := d.State(d.t.Context())
	if err != nil || st.Last.Problem != problem || st.Last.Alert != alert {
		d.t.Errorf("%s: %+v, %v", d.now, st.Last, err)
	}
	needs, err := (&db.Attention{DB: d.db}).Counts(d.t.Context(), attention.When{Now: d.now, Late: d.now, Soon: d.now})
	if err != nil || needs.NoRate != alert {
		d.t.Errorf("%s: somebody is told: %t, %v", d.now, needs.NoRate, err)
	}
}

// holds checks the rate that holds, and who entered it.
func (d *desk) holds(rate pricing.Rate, by string) {
	d.t.Helper()
	book, err := d.bills.Book(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	got, day, err := book.Rate(d.now)
	e, _ := book.At(pricing.KindRate, "USD", d.now)
	if err != nil || got != rate || e.ByName != by {
		d.t.Errorf("%s: %d of %s by %q, %v", d.now, got, day, e.ByName, err)
	}
}

// enter enters a rate as our staff do.
func (d *desk) enter(day string, rate pricing.Rate) {
	d.t.Helper()
	from, err := time.Parse(time.DateOnly, day)
	if err != nil {
		d.t.Fatal(err)
	}
	v, err := json.Marshal(rate)
	if err != nil {
		d.t.Fatal(err)
	}
	e := pricing.Entry{Kind: pricing.KindRate, Name: "USD", Value: v, ValidFrom: from, Reason: "By hand."}
	if err := d.bills.AddPrice(d.t.Context(), e, audit.Actor{Kind: audit.System, Name: "somebody"}); err != nil {
		d.t.Fatal(err)
	}
}

// TestDue: each working day has its rate, once, at 16:15 in Frankfurt; not before, not at the weekend.
func TestDue(t *testing.T) {
	t.Parallel()
	d := open(t, "2026-11-27T16:00:00Z") // a Friday
	d.bank.day = "2026-11-27"
	if st, err := d.State(t.Context()); err != nil || !st.Next.Equal(d.now) || !st.Last.At.IsZero() {
		t.Errorf("before the first look: %+v, %v", st, err)
	}
	d.due(1, true, "", false)
	d.holds(800_000, "ECB")
	for _, quiet := range []string{"2026-11-27T17:30:00Z", "2026-11-29T18:00:00Z", "2026-11-30T15:14:00Z"} {
		d.at(quiet)
		d.due(0, false, "", false)
	}
	st, err := d.State(t.Context())
	if want := time.Date(2026, 11, 30, 15, 15, 0, 0, time.UTC); err != nil || !st.Next.Equal(want) {
		t.Errorf("next at %s, %v", st.Next, err)
	}
	d.at("2026-11-30T15:15:00Z")
	d.due(0, true, "", false) // it is a little late
	d.at("2026-11-30T15:20:00Z")
	d.due(0, false, "", false) // and is not asked every minute
	d.bank.day, d.bank.rate = "2026-11-30", "1.00"
	d.at("2026-11-30T16:15:00Z")
	d.due(0, true, rates.Odd, true) // a quarter more
	d.bank.rate = "1.20"
	d.at("2026-11-30T17:15:00Z")
	d.due(1, true, "", false)
	d.holds(833_333, "ECB")
}

// TestDue_byHand: what our staff entered for a day stays, and nobody is asked.
func TestDue_byHand(t *testing.T) {
	t.Parallel()
	d := open(t, "2026-11-27T16:00:00Z")
	d.enter("2026-11-27", 910_000)
	d.bank.day = "2026-11-27"
	d.due(0, false, "", false)
	if _, err := d.Fetch(t.Context(), audit.Itself); err != nil {
		t.Error(err)
	}
	d.holds(910_000, "somebody")
	if _, err := d.Fetch(t.Context(), audit.Actor{Kind: audit.Staff, Role: string(staff.Support)}); err == nil {
		t.Error("support fetches rates")
	}
}

// TestDue_badly: an answer that is none is not stored and not asked for again within the hour; after three working days somebody is
// told, until a rate comes or is entered.
func TestDue_badly(t *testing.T) {
	t.Parallel()
	d := open(t, "2026-11-23T16:00:00Z") // a Monday
	d.bank.day = "2026-11-23"
	d.due(1, true, "", false)
	d.at("2026-11-24T16:00:00Z")
	d.bank.status = http.StatusInternalServerError
	d.due(0, true, rates.Unreachable, false)
	d.at("2026-11-24T16:30:00Z")
	d.due(0, false, rates.Unreachable, false)
	d.at("2026-11-25T16:00:00Z")
	d.bank.status, d.bank.body = http.StatusOK, "<!DOCTYPE html><title>Sorry</title>"
	d.due(0, true, rates.Unreadable, false)
	d.at("2026-11-26T16:00:00Z")
	d.bank.body, d.bank.day = "", "2026-11-10"
	d.due(0, true, rates.Old, true)
	d.holds(800_000, "ECB") // of a week
	d.at("2026-11-26T17:10:00Z")
	d.bank.day = "2026-12-24" // not yet
	d.due(0, true, rates.Unreadable, true)
	d.enter("2026-11-26", 820_000)
	d.at("2026-11-26T17:11:00Z")
	d.due(0, false, "", false)
	d.at("2026-11-27T16:00:00Z")
	d.bank.day, d.bank.rate = "2026-11-27", "0.0001"
	d.due(0, true, rates.Odd, true)
	d.off = true // our staff enter rates themselves
	d.due(0, false, "", false)
}
