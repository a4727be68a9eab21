package public_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
	"gatehouse/app/provider/stripepay/stripetest"
	"gatehouse/app/work"
)

const hookSecret = "whsec_of_the_test"

// count is a number that the database answers.
func (h *hub) count(t *testing.T, query string) (n int) {
	t.Helper()
	if err := h.db.Pool.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// letters are how many mails of a kind were queued.
func (h *hub) letters(kind string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.asked {
		if m, is := w.(work.SendMail); is && m.Template == kind {
			n++
		}
	}
	return n
}

// local is a path of the hub in an address of its own.
func (h *hub) local(address string) string { return strings.TrimPrefix(address, h.url) }

// TestPay_inABrowser: from the plan to Stripe's page, back from it without having paid, a card that is declined, one that is not, and
// the order with the key that this browser made.
func TestPay_inABrowser(t *testing.T) {
	t.Parallel()
	h := startPaid(t)
	p := h.tab(t)
	p.open("/checkout?plan=build")
	shots := os.Getenv("GATEHOUSE_SHOTS")
	p.keep(shots, "pay-checkout", 1280)
	fields := map[string]string{"business": "The Bakery", "name": "The owner", "email": "owner@example.com", "password": password}
	for field, text := range fields {
		p.write("[name="+field+"]", text)
	}
	p.do(chromedp.Click(chromedp.CSS(`#checkout button[type=submit]`)))
	p.until("Stripe's page", `document.title === "Pay" && document.querySelector("#amount").innerText === "4500 eur"`)
	p.do(chromedp.Click(chromedp.CSS(`a`)))
	p.until("the order that waits", `location.pathname === "/checkout/pay" && document.querySelector("form#pay")`)
	p.keep(shots, "pay-wait", 390)
	p.inspect("pay-wait")
	if got := h.count(t, "SELECT count(*) FROM orders"); got != 0 {
		t.Errorf("%d orders before anything was paid", got)
	}
	p.open("/onboard")
	p.until("the same from the page of the order", `location.pathname === "/checkout/pay"`)
	p.do(chromedp.Click(chromedp.CSS(`form#pay button`)))
	p.until("Stripe's page", `document.title === "Pay"`)
	eval[bool](p, `window.before = true`)
	p.do(chromedp.Click(chromedp.CSS(`button[value=refused]`)))
	p.until("Stripe's page again", `document.title === "Pay" && !window.before`)
	p.do(chromedp.Click(chromedp.CSS(`button[value=card]`)))
	p.until("the live order", `location.pathname === "/onboard" && document.querySelector('.live[data-state=live]')`)
	if _, err := wire.ParseApproverKey(wire.BrowserKey, h.ordered(t)); err != nil {
		t.Errorf("the order lacks the browser's key: %v", err)
	}
	if n := len(h.stripe.Sessions()); n != 1 {
		t.Errorf("%d pages were made for one payment", n)
	}
	p.open("/checkout/done")
	p.until("the page of thanks", `document.readyState === "complete" && document.querySelector("main") !== null`)
	got := eval[string](p, `document.querySelector("main").innerText`)
	if !strings.Contains(got, "Stripe") || strings.Contains(got, "no money") {
		t.Errorf("the page of thanks: %s", got)
	}
}

func TestPay_stripeAway(t *testing.T) {
	t.Parallel()
	h := startPaid(t)
	b := h.browser(t)
	h.stripe.Away(true)
	if a := b.checkout("owner@example.com"); a.location() != "/checkout/pay?away=1" {
		t.Fatalf("%d to %q\n%s", a.StatusCode, a.location(), a.text)
	}
	if a := b.get("/checkout/pay?away=1"); !strings.Contains(a.text, "cannot be reached") {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
	if a := b.fill("/checkout/pay", "/checkout/pay"); a.location() != "/checkout/pay?away=1" {
		t.Errorf("still away: %d to %q", a.StatusCode, a.location())
	}
	if n := h.letters("payment_waiting"); n != 1 || h.letters("verify") != 1 {
		t.Errorf("%d letters with the way back", n)
	}
	h.stripe.Away(false)
	a := b.fill("/checkout/pay", "/checkout/pay")
	if !strings.HasPrefix(a.location(), h.stripe.URL) {
		t.Fatalf("%d to %q", a.StatusCode, a.location())
	}
	back, err := h.stripe.Pay(h.stripe.Sessions()[0], stripetest.ByCard)
	if err != nil {
		t.Fatal(err)
	}
	h.stripe.Away(true)
	if a := b.get(h.local(back)); a.StatusCode != http.StatusOK || !strings.Contains(a.text, "confirming your payment") {
		t.Errorf("paid, and Stripe is away: %d %s", a.StatusCode, a.text)
	}
	h.stripe.Away(false)
	if a := b.get(h.local(back)); a.location() != "/onboard" || h.count(t, "SELECT count(*) FROM orders WHERE paid_by = 'stripe'") != 1 {
		t.Errorf("paid: %d to %q", a.StatusCode, a.location())
	}
	if a := b.get(h.local(back)); a.location() != "/onboard" {
		t.Errorf("the same again: %d to %q", a.StatusCode, a.location())
	}
	other := h.browser(t)
	other.checkout("other@example.com")
	if a := other.get(h.local(back)); a.StatusCode != http.StatusNotFound {
		t.Errorf("somebody else's payment: %d", a.StatusCode)
	}
}

func TestPay_doubleClickAndBank(t *testing.T) {
	t.Parallel()
	h := startPaid(t)
	b, twin := h.browser(t), h.browser(t)
	ticket := b.get("/checkout").doc(t).Find("input[name=ticket]").AttrOr("value", "")
	fields := []string{
		"plan", "lite", "ticket", ticket, "business", "B", "name", "The owner", "email", "owner@example.com", "password", password,
	}
	if a := b.post("/checkout", fields...); !strings.HasPrefix(a.location(), h.stripe.URL) {
		t.Fatalf("first click: %d to %q", a.StatusCode, a.location())
	}
	if a := twin.post("/checkout", fields...); a.location() != "/checkout/pay" || twin.get("/app").StatusCode != 200 {
		t.Errorf("second click of the same form: %d to %q", a.StatusCode, a.location())
	}
	back, err := h.stripe.Pay(h.stripe.Sessions()[0], stripetest.ByDebit)
	if err != nil {
		t.Fatal(err)
	}
	if a := b.get(h.local(back)); a.location() != "/checkout/pay" {
		t.Errorf("a direct debit: %d to %q", a.StatusCode, a.location())
	}
	if a := b.get("/checkout/pay"); !strings.Contains(a.text, "Your bank is processing") || a.doc(t).Find("form#pay").Length() != 0 {
		t.Errorf("while the bank is at it: %s", a.text)
	}
	h.stripe.Settle(h.stripe.Intents()[0], false)
	if err := h.stripe.Deliver(h.url, hookSecret); err != nil {
		t.Fatal(err)
	}
	for _, e := range h.stripe.Events() {
		if err := h.payments.ReadEvent(t.Context(), e.ID); err != nil {
			t.Fatal(err)
		}
	}
	if a := b.get("/checkout/pay"); !strings.Contains(a.text, "declined") || a.doc(t).Find("form#pay").Length() != 1 {
		t.Errorf("the bank has refused: %s", a.text)
	}
}

// TestHook_onlyWhatStripeSent: what nobody signed, or somebody else, is refused and leaves nothing behind.
func TestHook_onlyWhatStripeSent(t *testing.T) {
	t.Parallel()
	h := startPaid(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	body := h.stripe.Events()[0].Body
	for what, c := range map[string]struct {
		body []byte
		sign string
		want string
	}{
		"no signature":     {body, "", "400 Bad Request"},
		"another's secret": {body, stripetest.Sign(body, "whsec_other", h.clock()), "400 Bad Request"},
		"old":              {body, stripetest.Sign(body, hookSecret, h.clock().Add(-6*time.Minute)), "400 Bad Request"},
		"too long":         {make([]byte, 300<<10), "", "413 Request Entity Too Large"},
	} {
		if err := stripetest.Send(h.url, c.body, c.sign); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n := h.count(t, "SELECT count(*) FROM stripe_events"); n != 0 {
		t.Errorf("%d events are kept", n)
	}
	for range 3 {
		if err := stripetest.Send(h.url, body, stripetest.Sign(body, hookSecret, h.clock())); err != nil {
			t.Error(err)
		}
	}
	if n := h.count(t, "SELECT count(*) FROM stripe_events"); n != 1 {
		t.Errorf("%d events are kept", n)
	}
	if n := h.count(t, "SELECT count(*) FROM stripe_events WHERE raw = '"+strings.ReplaceAll(string(body), "'", "''")+"'"); n != 1 {
		t.Error("the event is not kept as it came")
	}
}
