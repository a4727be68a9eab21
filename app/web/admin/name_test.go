package admin_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"gatehouse/app/dns"
	"gatehouse/app/naming"
	"gatehouse/app/order"
	"gatehouse/app/provider/dnshost"
	"gatehouse/app/provider/dnshost/dnstest"
	"gatehouse/app/provider/dnslook"
	"gatehouse/app/work"
	"gatehouse/db"
)

// TestName: the console shows what the hub made and what each server says, lets whoever may act make it again and ask, and shows
// others the same without a button. Names that need no records are not shown.
func TestName(t *testing.T) {
	t.Parallel()
	const zone = "hosted.example.net"
	pair, err := dnstest.StartPair(t.Context(), t.TempDir())
	must(t, err)
	t.Cleanup(pair.Stop)
	must(t, pair.AddZone(t.Context(), zone))
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	holds(t, "a name below localhost", h.page(t, pathOf(o)), nil, []string{`id="server-name"`})

	api, err := dnshost.NewPowerDNS(pair.Servers[0].API, dnstest.Key)
	must(t, err)
	h.orders.Names = dns.Policy{Zone: zone, Own: true}
	h.names.Provider = dnshost.PowerDNSName
	h.names.Records = &dnshost.Host{Provider: api, Zone: zone, Book: &db.DNSRecords{DB: h.db, Now: time.Now}}
	h.names.Lookout = &dnslook.Lookout{Resolver: pair.Resolver(), Port: pair.Port, Private: true, Wait: time.Second}
	if status, _ := h.actOnName(t, h.manager, o, "check", ""); status != http.StatusConflict {
		t.Errorf("asked before there is a server: %d", status)
	}
	for range 3 {
		o, err = h.orders.Advance(t.Context(), work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State)}, "done", h.reserved(t, o))
		must(t, err)
	}
	_, err = h.names.Settle(t.Context(), o, []netip.Addr{netip.MustParseAddr("192.0.2.1")}, func(...string) {})
	must(t, err)
	shown := []string{"some." + zone, "192.0.2.1", `data-record="spreading"`, "ns1." + zone, "ns2." + zone, "We ask again by ourselves at:"}
	holds(t, "for who may look", h.page(t, pathOf(o)), shown, []string{`value="check"`, `value="make"`, `value="rename"`})
	_, text := h.get(t, h.manager, pathOf(o))
	holds(t, "for who may act", text, append(shown, `value="check"`, `value="make"`, `value="rename"`), nil)

	if status, _ := h.actOnName(t, h.staff, o, "make", ""); status != http.StatusForbidden {
		t.Errorf("made by who may only look: %d", status)
	}
	if status, to := h.actOnName(t, h.manager, o, "make", ""); status != http.StatusSeeOther || to != pathOf(o) {
		t.Errorf("made again: %d to %q", status, to)
	}
	if status, _ := h.actOnName(t, h.manager, o, "rename", "x."+zone); status != http.StatusUnprocessableEntity {
		t.Errorf("a name under ours as one's own: %d", status)
	}
	if status, _ := h.actOnName(t, h.manager, o, "dance", ""); status != http.StatusUnprocessableEntity {
		t.Errorf("an act that is none: %d", status)
	}
	if status, _ := h.actOnName(t, h.manager, o, "rename", "Team.Example.org"); status != http.StatusSeeOther {
		t.Errorf("renamed: %d", status)
	}
	if o, err = h.orders.Find(t.Context(), o.ID); err != nil || o.Domain != "team.example.org" {
		t.Errorf("domain %q, %v", o.Domain, err)
	}
	state, err := h.names.Of(t.Context(), o)
	if err != nil || state.Provider != naming.Manual || state.Report != nil {
		t.Errorf("%+v, %v", state, err)
	}
	h.wantAudit(t, o, 2) // made, renamed
}

func (h *hub) actOnName(t *testing.T, secret string, o order.Order, act, domain string) (status int, to string) {
	t.Helper()
	return h.post(t, secret, pathOf(o)+"/name", url.Values{"act": {act}, "domain": {domain}, "csrf": {h.csrf(t, secret, o)}})
}

// reserved is the server that the rig made for an order.
func (h *hub) reserved(t *testing.T, o order.Order) string {
	t.Helper()
	s, err := h.servers.Of(t.Context(), o.CustomerID)
	must(t, err)
	return string(s.ID)
}
