package public_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/chromedp"

	"gatehouse/agentd/seeded"
	"gatehouse/app/dns"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/provider/dnshost/dnstest"
	"gatehouse/app/provider/dnslook"
)

const ownZone = "bakery.example.com"

// named is a hub whose customers may bring a domain of their own, with real name servers.
func named(t *testing.T) (*hub, *dnstest.Pair) {
	t.Helper()
	pair, err := dnstest.StartPair(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pair.Stop)
	if err := pair.AddZone(t.Context(), ownZone); err != nil {
		t.Fatal(err)
	}
	h := start(t)
	h.orders.Names = dns.Policy{Zone: "hosted.example.net", Own: true}
	h.names.Provider, h.names.Issuer = naming.Manual, "letsencrypt.org"
	h.names.Lookout = &dnslook.Lookout{Resolver: pair.Resolver(), Port: pair.Port, Private: true, Wait: time.Second}
	return h, pair
}

// waits takes the customer's order to where it waits for its name, and does what the hub's worker does there once.
func (h *hub) waits(t *testing.T) order.Order {
	t.Helper()
	of := h.customer(t)
	o, err := h.orders.Of(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	if o.State != order.DNSPending {
		for _, s := range []order.State{order.AwaitingServer, order.ServerReady, order.DNSPending} {
			h.advance(t, of, s)
		}
	}
	if o, err = h.orders.Of(t.Context(), of); err == nil {
		_, err = h.names.Settle(t.Context(), o, []netip.Addr{netip.MustParseAddr("192.0.2.1")}, func(...string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// record is what the page says of a record.
func record(doc *goquery.Document, status string) string {
	return doc.Find(`#server-name [data-record="` + status + `"]`).First().Text()
}

// TestName_withoutScript: an order with a domain of one's own, from the checkout to all name servers saying the right thing, by
// plain forms.
func TestName_withoutScript(t *testing.T) {
	t.Parallel()
	h, pair := named(t)
	ctx := t.Context()
	b := h.browser(t)
	wrong := b.fill("/checkout?plan=build", "/checkout", "business", "The Bakery", "name", "The owner", "email", "owner@example.com",
		"password", password, "domain", "our bakery")
	if in := wrong.doc(t).Find("input[name=domain]"); wrong.StatusCode != http.StatusUnprocessableEntity ||
		in.AttrOr("value", "") != "our bakery" ||
		in.AttrOr("aria-invalid", "") != "true" {
		t.Fatalf("what is no domain: %d %s", wrong.StatusCode, in.AttrOr("value", ""))
	}
	a := b.fill("/checkout?plan=build", "/checkout", "business", "The Bakery", "name", "The owner", "email", "owner@example.com",
		"password", password, "time_zone", "Europe/Berlin", "domain", "Shop."+ownZone)
	if a.location() != "/onboard" {
		t.Fatalf("checkout: %d %s", a.StatusCode, a.text)
	}
	if text := b.get("/onboard").doc(t).Find("#server-name").Text(); !strings.Contains(text, "as soon as a server is reserved") {
		t.Errorf("before there is a server: %s", text)
	}
	h.waits(t)
	page := b.get("/onboard").doc(t)
	if text := record(page, "missing"); !strings.Contains(text, "shop."+ownZone) || !strings.Contains(text, "192.0.2.1") ||
		!strings.Contains(text, "300 seconds") {
		t.Errorf("what to enter: %q", text)
	}
	if page.Find("#server-name li[data-server]").Length() != 2 || page.Find("#server-name time").Length() != 2 {
		t.Errorf("what each server said, and when it is asked again: %s", page.Find("#server-name").Text())
	}
	if a := b.fill("/onboard", "/onboard/name", "act", "rename", "domain", "co.uk"); a.StatusCode != http.StatusUnprocessableEntity ||
		!strings.Contains(a.text, "Everybody") {
		t.Errorf("everybody's domain: %d", a.StatusCode)
	}
	if a := b.fill("/onboard", "/onboard/name", "act", "rename", "domain", "team."+ownZone); a.location() != "/onboard" {
		t.Fatalf("another domain: %d %s", a.StatusCode, a.text)
	}
	o := h.waits(t)
	if o.Domain != "team."+ownZone {
		t.Fatalf("domain %q", o.Domain)
	}
	for _, name := range []string{o.Domain, "*." + o.Domain} {
		if err := pair.Set(ctx, ownZone, name, "A", "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := pair.Set(ctx, ownZone, o.Domain, "AAAA", "2001:db8::9"); err != nil {
		t.Fatal(err)
	}
	h.pass(time.Minute)
	if a := b.fill("/onboard", "/onboard/name", "act", "check"); a.location() != "/onboard" {
		t.Fatalf("check: %d %s", a.StatusCode, a.text)
	}
	page = b.get("/onboard").doc(t)
	if page.Find("#server-name [data-record=right]").Length() != 2 ||
		!strings.Contains(page.Find("[data-remark=leftover]").Text(), "2001:db8::9") {
		t.Errorf("an old record: %s", page.Find("#server-name").Text())
	}
	if err := pair.Set(ctx, ownZone, o.Domain, "AAAA"); err != nil {
		t.Fatal(err)
	}
	h.pass(time.Minute)
	b.fill("/onboard", "/onboard/name", "act", "check")
	if text := b.get("/onboard").doc(t).Find("#server-name").Text(); !strings.Contains(text, "There is nothing to do.") {
		t.Errorf("when all is right: %s", text)
	}
	now, err := h.orders.Of(ctx, o.CustomerID)
	if err != nil || now.Attempt != o.Attempt+1 {
		t.Errorf("the order does not go on: attempt %d, %v", now.Attempt, err)
	}
}

// TestName_inABrowser: the page at each width, in both themes and languages, with everything wrong that can be; it follows what the
// hub finds without a reload, and what is being typed stays.
func TestName_inABrowser(t *testing.T) {
	seeded.Turn(t)
	t.Parallel()
	h, pair := named(t)
	ctx := t.Context()
	const host = "a-rather-long-name-for-a-team." + ownZone
	for name, value := range map[string]string{host: "CNAME old.example.org", "*." + host: "A 203.0.113.9", ownZone: `CAA 0 issue "other.example"`} {
		kind, v, _ := strings.Cut(value, " ")
		if err := pair.Set(ctx, ownZone, name, kind, v); err != nil {
			t.Fatal(err)
		}
	}
	b := h.browser(t)
	b.fill("/checkout?plan=build", "/checkout", "business", "The Bakery", "name", "The owner", "email", "owner@example.com",
		"password", password, "time_zone", "Europe/Berlin", "domain", host)
	h.waits(t)
	p := h.tab(t)
	p.as(b)
	for _, lang := range []string{"en", "de"} {
		b.post("/language", "language", lang, "next", "/onboard")
		p.as(b)
		p.open("/onboard")
		if got := eval[string](p, "document.documentElement.lang"); got != lang {
			t.Errorf("page in %q, want %q", got, lang)
		}
		p.until("the live order", `document.querySelector('.live[data-state=live]')`)
		p.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach(d => d.open = true)`))
		p.inspect("name-" + lang)
	}
	p.write("[name=domain]", "x")
	p.do(chromedp.Evaluate[chromedp.Void]("window.same = 1"))
	if err := pair.Set(ctx, ownZone, host, "CNAME"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{host, "*." + host} {
		if err := pair.Set(ctx, ownZone, name, "A", "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	h.pass(time.Minute)
	h.waits(t)
	p.until("what the hub found", `document.querySelectorAll("#server-name [data-record=right]").length === 2`)
	if eval[bool](p, `window.same !== 1 || !document.querySelector("[name=domain]").value.includes("x")`) {
		t.Error("what was typed is gone")
	}
}
