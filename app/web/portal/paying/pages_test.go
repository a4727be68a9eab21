package paying_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/web/portal/portaltest"
)

// owes gives a customer an invoice that could not be collected since then.
func owes(t *testing.T, h *portaltest.Hub, of portaltest.Customer, state string) {
	t.Helper()
	period, invoice := uuid.NewString(), uuid.NewString()
	exec := func(q string, args ...any) {
		_, err := h.DB.Pool.Exec(t.Context(), q, args...)
		portaltest.Must(t, err)
	}
	exec(`INSERT INTO billing_periods (id, customer_id, number, anchor, from_at, to_at, full_to, state, plans, closed_at, billed_at)
		VALUES ($1, $2, 1, '2026-01-01Z', '2026-01-01Z', '2026-02-01Z', '2026-02-01Z', 'BILLED', '[{}]', now(), now())`, period, of.ID)
	exec(`INSERT INTO invoices (id, number, customer_id, period_id, from_at, to_at, net, tax, total, currency, state, issued_at, due_at,
		lines, terms)
		VALUES ($1, '2026-000001', $2, $3, '2026-01-01Z', '2026-02-01Z', 5400, 0, 5400, 'EUR', 'open', now(), now(), '[]', '{}')`,
		invoice, of.ID, period)
	exec(`INSERT INTO dunnings (id, customer_id, invoice_id, state, tries, since, paused_at)
		VALUES (gen_random_uuid(), $1, $2, $3, 1, now(), CASE WHEN $3 <> 'past_due' THEN now() END)`, of.ID, invoice, state)
}

// TestPaying: while an invoice is not paid every page says so and leads to the payment; when it is paid, none does any more.
func TestPaying(t *testing.T) {
	t.Parallel()
	h := portaltest.StartPaid(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	if b.Get("/app/billing").Find("form[action='/app/billing/pay']").Length() != 0 {
		t.Error("a banner where nothing is due")
	}
	owes(t, h, of, "past_due")
	page := b.Get("/app/settings")
	portaltest.WantSound(t, "/app/settings", page.Document)
	forms := page.Find("form[action='/app/billing/pay']").Length()
	if text := page.Find("main").Text(); !strings.Contains(text, "could not be collected") || forms != 1 {
		t.Errorf("the page says nothing: %s", text)
	}
	h.Stripe.Away(true)
	if a := b.Post("/app/billing/pay", url.Values{}); a.Header.Get("Location") != "/app/billing" {
		t.Errorf("Stripe is away: %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if text := b.Get("/app/billing").Text(); !strings.Contains(text, "cannot be reached right now") {
		t.Error("it is not said that Stripe is away")
	}
	h.Stripe.Away(false)
	a := b.Post("/app/billing/pay", url.Values{})
	if at := a.Header.Get("Location"); a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(at, h.Stripe.URL+"/c/pay/") {
		t.Fatalf("%d to %q", a.StatusCode, at)
	}
	back, err := h.Stripe.Pay(h.Stripe.Sessions()[0], stripetest.ByCard)
	portaltest.Must(t, err)
	back = strings.TrimPrefix(back, h.URL)
	if a := h.Owner(t, h.NewCustomer(t)).Get(back); a.StatusCode != http.StatusNotFound {
		t.Errorf("somebody else's payment: %d", a.StatusCode)
	}
	if a := b.Get(back); a.Header.Get("Location") != "/app/billing" && a.StatusCode != http.StatusOK {
		t.Errorf("%d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	page = b.Get("/app/billing")
	portaltest.WantSound(t, "/app/billing", page.Document)
	main := page.Find("main").Text()
	if strings.Contains(main, "could not be collected") || !strings.Contains(main, "visa ending in 4242") {
		t.Errorf("after the payment: %s", main)
	}
	if at := b.Post("/app/billing/card", url.Values{}).Header.Get("Location"); !strings.HasPrefix(at, h.Stripe.URL+"/p/session/") {
		t.Errorf("to another card: %q", at)
	}
}

// TestPaying_paused: a team that is paused takes no messages and says why.
func TestPaying_paused(t *testing.T) {
	t.Parallel()
	h := portaltest.StartPaid(t)
	of := h.NewCustomer(t)
	b := h.Owner(t, of)
	owes(t, h, of, "paused")
	a := b.Post("/app/chat", url.Values{"text": {"hello"}})
	if a.StatusCode != http.StatusConflict || !strings.Contains(a.Text(), "Your team is paused because an invoice is not paid") {
		t.Errorf("%d %s", a.StatusCode, a.Text())
	}
	var queued int
	portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM link_out WHERE type = 'chat.message'").Scan(&queued))
	if queued != 0 {
		t.Errorf("%d messages wait for the server", queued)
	}
	if text := b.Get("/app/billing").Find("main").Text(); !strings.Contains(text, "Your team is paused") {
		t.Errorf("%s", text)
	}
}

// TestPaying_off: a hub without a payment provider says so.
func TestPaying_off(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	b := h.Owner(t, h.NewCustomer(t))
	if a := b.Post("/app/billing/card", url.Values{}); a.Header.Get("Location") != "/app/billing" {
		t.Errorf("%d", a.StatusCode)
	}
	if page := b.Get("/app/billing"); !strings.Contains(page.Text(), "No payments are taken here") || page.Find("#card").Length() != 0 {
		t.Errorf("%s", page.Find("main").Text())
	}
}
