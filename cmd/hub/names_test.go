package main

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/dns"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/provider/dnshost"
	"gatehouse/app/provider/dnshost/dnstest"
	"gatehouse/app/provider/dnslook"
	"gatehouse/app/web"
	"gatehouse/app/work"
	"gatehouse/db"
)

// TestAPI_names: a program of our staff has the records of an order's server made and the name servers asked, and the order goes on
// once all is right. Every answer fits the document of the API.
func TestAPI_names(t *testing.T) {
	t.Parallel()
	const zone = "hosted.example.net"
	pair, err := dnstest.StartPair(t.Context(), t.TempDir())
	ok(t, err)
	t.Cleanup(pair.Stop)
	ok(t, pair.AddZone(t.Context(), zone))
	w := newAPIWorld(t)
	api, err := dnshost.NewPowerDNS(pair.Servers[0].API, dnstest.Key)
	ok(t, err)
	w.orders.Names = dns.Policy{Zone: zone, Own: true}
	w.names.Provider = dnshost.PowerDNSName
	w.names.Records = &dnshost.Host{Provider: api, Zone: zone, Book: &db.DNSRecords{DB: w.db, Now: time.Now}}
	w.names.Lookout = &dnslook.Lookout{Resolver: pair.Resolver(), Port: pair.Port, Private: true, Wait: time.Second}
	_, o, err := w.orders.Checkout(t.Context(), account.SignUp{
		Name: "Somebody", Business: "Example Bakery", Email: "names@example.com", Password: "correct staple battery", TimeZone: "Europe/Vienna",
	}, order.Choice{Plan: "build"})
	ok(t, err)
	post := func(what string) (int, string) {
		return w.call(
			web.Route{Method: http.MethodPost, Path: "/api/v1/admin/orders/" + string(o.ID) + "/dns/" + what},
			apiCase{},
			w.staff,
		)
	}
	if status, text := post("verify"); status != http.StatusConflict || !strings.Contains(text, "nothing to check yet") {
		t.Errorf("before there is a server: %d %s", status, text)
	}
	for range 3 {
		srv, err := w.servers.Add(t.Context(), o.CustomerID, string(o.ID), o.Slug, "pool")
		ok(t, err)
		o, err = w.orders.Advance(t.Context(), work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State)}, "done", string(srv.ID))
		ok(t, err)
	}
	_, err = w.names.Settle(t.Context(), o, []netip.Addr{netip.MustParseAddr("192.0.2.1")}, func(...string) {})
	ok(t, err)
	if status, text := post("create"); status != http.StatusOK || !strings.Contains(text, `"status":"spreading"`) ||
		!strings.Contains(text, `"right":false`) {
		t.Errorf("made, and one server lags: %d %s", status, text)
	}
	if status, text := post("verify"); status != http.StatusTooManyRequests {
		t.Errorf("asked again at once: %d %s", status, text)
	}
	for _, r := range dns.Wanted(w.orders.Host(o), []netip.Addr{netip.MustParseAddr("192.0.2.1")}) {
		ok(t, pair.Servers[1].Set(t.Context(), zone, r.Name, r.Type, r.Value))
	}
	w.names.Now = func() time.Time { return time.Now().Add(time.Minute) }
	if status, text := post("verify"); status != http.StatusOK || !strings.Contains(text, `"right":true`) {
		t.Errorf("when all is right: %d %s", status, text)
	}
	now, err := w.orders.Find(t.Context(), o.ID)
	if err != nil || now.Attempt != o.Attempt+1 {
		t.Errorf("the order does not go on: %+v, %v", now, err)
	}
	all, err := w.audit.Find(t.Context(), audit.Filter{By: "clerk@example.net"}, page.Ask{})
	ok(t, err)
	if len(all.Items) != 2 || all.Items[0].Action != "order.name" || all.Items[1].Action != "order.dns" {
		t.Errorf("on record: %+v", all.Items)
	}
}
