package billing_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/billing"
	"gatehouse/app/pricing"
	"gatehouse/app/usage"
	"gatehouse/app/web/portal/portaltest"
	"gatehouse/db"
	"gatehouse/db/dbtest"
)

// seller is who issues the invoices of tests.
const seller = `{"name": "Gatehouse Ltd", "address": "1 Street", "country": "AT", "vat_id": "ATU12345678"}`

// billed gives a customer a billed month before the one that runs, both with usage, and returns the invoice.
func billed(t *testing.T, h *portaltest.Hub, of portaltest.Customer) billing.Invoice {
	t.Helper()
	store := &db.Billing{DB: h.DB, Jobs: dbtest.NoJobs{}}
	now := time.Now().UTC()
	s := &billing.Service{Store: store, Usage: &db.Usage{DB: h.DB}, Now: func() time.Time { return now }}
	begun := now.AddDate(0, -1, -3).Truncate(time.Hour)
	for _, state := range []string{"AWAITING_SERVER", "SERVER_READY", "DNS_PENDING", "DNS_READY"} {
		exec(t, h, "UPDATE orders SET state = $2 WHERE customer_id = $1", of.ID, state)
	}
	exec(t, h, "UPDATE orders SET state = 'PROVISIONING', server_id = $2 WHERE customer_id = $1", of.ID, of.Server)
	exec(t, h, "UPDATE orders SET state = 'FULFILLED', fulfilled_at = $2 WHERE customer_id = $1", of.ID, begun)
	if _, known := must(s.Book(t.Context())).At(pricing.KindSeller, "", now); !known {
		for _, e := range []pricing.Entry{
			{Kind: pricing.KindSeller, Value: json.RawMessage(seller)},
			{Kind: pricing.KindTax, Name: "AT", Value: json.RawMessage(`{"basis_points": 2000}`)},
			{
				Kind: pricing.KindModel, Name: "large", ValidFrom: begun,
				Value: json.RawMessage(`{"input": 3000000, "output": 15000000, "class": "premium"}`),
			},
			{
				Kind: pricing.KindModel, Name: "small", ValidFrom: begun,
				Value: json.RawMessage(`{"input": 150000, "output": 600000, "class": "included"}`),
			},
			{Kind: pricing.KindRate, Name: "USD", ValidFrom: now.AddDate(0, 0, -6), Value: json.RawMessage(`920000`)},
		} {
			e.Reason = "For the test."
			portaltest.Must(t, s.AddPrice(t.Context(), e, audit.Itself))
		}
	}
	_, err := (&db.Usage{DB: h.DB}).Keep(t.Context(), of.Server, []usage.Bucket{
		{
			Epoch: "e", Hour: begun.Add(time.Hour), Agent: "secretary", Model: "large", Profile: "p", Key: usage.House, Revision: 1,
			Counts: usage.Counts{Output: 100_000},
		},
		{
			Epoch: "e", Hour: now.Add(-time.Hour).Truncate(time.Hour), Agent: "secretary", Model: "small", Profile: "p", Key: usage.House,
			Revision: 2, Counts: usage.Counts{Input: 1_234_567},
		},
	})
	portaltest.Must(t, err)
	for _, do := range []func() (int, error){
		func() (int, error) { return s.BeginDue(t.Context()) }, func() (int, error) { return s.CloseDue(t.Context()) },
		func() (int, error) { return s.BillDue(t.Context()) },
	} {
		_, err := do()
		portaltest.Must(t, err)
	}
	var id billing.InvoiceID
	portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(), "SELECT id::text FROM invoices WHERE customer_id = $1", of.ID).Scan(&id))
	return must(s.Invoice(t.Context(), id))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func exec(t *testing.T, h *portaltest.Hub, q string, args ...any) {
	t.Helper()
	_, err := h.DB.Pool.Exec(t.Context(), q, args...)
	portaltest.Must(t, err)
}

// TestBilling: an owner sees the month that runs, the invoices, and each as page and PDF; nobody sees those of others.
func TestBilling(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	b := h.Owner(t, of)
	empty := b.Get("/app/billing")
	portaltest.WantSound(t, "/app/billing", empty.Document)
	if text := empty.Find("main").Text(); !strings.Contains(text, "begins when your server is ready") ||
		!strings.Contains(text, "No invoice yet") {
		t.Errorf("before there is anything: %s", text)
	}
	i, theirs := billed(t, h, of), billed(t, h, other)
	b = h.Owner(t, of)
	got := b.Get("/app/billing")
	portaltest.WantSound(t, "/app/billing", got.Document)
	for _, want := range []string{"Build, €45 a month", "1,234,567 of 15,000,000 tokens", i.Number, "Open"} {
		if !strings.Contains(got.Find("main").Text(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	path := "/app/billing/invoices/" + string(i.ID)
	shown := b.Get(path)
	portaltest.WantSound(t, path, shown.Document)
	for _, want := range []string{
		"Gatehouse Ltd", "Example Bakery", "large, premium model", "100,000 tokens at $15.00 a million",
		"plus 10 %, at 0.92", "46.52", "55.82",
	} {
		if !strings.Contains(shown.Find("main").Text(), want) {
			t.Errorf("the invoice lacks %q", want)
		}
	}
	file := b.Get(path + "/pdf")
	if file.StatusCode != http.StatusOK || file.Header.Get("Content-Type") != "application/pdf" {
		t.Errorf("PDF: %d, %s", file.StatusCode, file.Header.Get("Content-Type"))
	}
	_, _ = io.Copy(io.Discard, file.Body)
	if shown.Find(`a[href="`+path+`/xml"]`).Length() != 1 {
		t.Error("nothing leads to the e-invoice")
	}
	e := b.Get(path + "/xml")
	if e.StatusCode != http.StatusOK || !strings.HasPrefix(e.Header.Get("Content-Type"), "application/xml") {
		t.Errorf("e-invoice: %d, %s", e.StatusCode, e.Header.Get("Content-Type"))
	}
	for _, want := range []string{
		i.Number, "large, premium model", "100,000 tokens at $15.00 a million", "46.52", "9.30", "55.82",
		"ATU12345678", "To be paid until",
	} {
		if !strings.Contains(e.Text(), want) {
			t.Errorf("the e-invoice lacks %q", want)
		}
	}
	for _, p := range []string{
		"/app/billing/invoices/" + string(theirs.ID), "/app/billing/invoices/" + string(theirs.ID) + "/pdf",
		"/app/billing/invoices/" + string(theirs.ID) + "/xml", path + "/credits/none/xml",
		"/app/billing/invoices/none",
	} {
		if got := b.Get(p); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", p, got.StatusCode)
		}
	}
}

// TestBilling_overage: the page says what happens when the pool is empty, as the settings of the team have it, and leads to where
// that is changed.
func TestBilling_overage(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	billed(t, h, of)
	says := func() string { return b.Get("/app/billing").Find("#overage").Text() }
	if got := says(); !strings.Contains(got, "pauses until the next month") {
		t.Errorf("at first: %q", got)
	}
	set, err := h.Teams.State(t.Context(), of.ID)
	portaltest.Must(t, err)
	on := url.Values{"beyond": {"1"}, "version": {strconv.FormatInt(set.Next(), 10)}, "signature": {portaltest.Signature()}}
	if got := b.Post("/app/agents/limits/beyond", on); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("goes on: %d", got.StatusCode)
	}
	if got := says(); !strings.Contains(got, "works on") {
		t.Errorf("once the team goes on: %q", got)
	}
	if b.Get("/app/billing").Find(`#overage a[href="/app/agents/limits"]`).Length() != 1 {
		t.Error("nothing leads to the limits")
	}
}

// TestBilling_address: an address is checked before invoices show it.
func TestBilling_address(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	bad := b.Post("/app/billing/address", url.Values{"name": {"Bäckerei"}, "country": {"de"}, "vat_id": {"DE12"}})
	if bad.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(bad.Find("main").Text(), "no VAT id of that country") ||
		bad.Find("input[name=name]").AttrOr("value", "") != "Bäckerei" {
		t.Errorf("a wrong VAT id: %d", bad.StatusCode)
	}
	if got := b.Post("/app/billing/address", url.Values{
		"country": {"de"},
		"vat_id":  {"de 123 456 789"},
	}); got.StatusCode != http.StatusSeeOther {
		t.Errorf("address: %d", got.StatusCode)
	}
	if got := b.Get("/app/billing").Find("input[name=vat_id]").AttrOr("value", ""); got != "DE123456789" {
		t.Errorf("kept %q", got)
	}
}
