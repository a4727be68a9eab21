package main

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/app/audit"
	"gatehouse/app/provider/vpshost/netcup/netcuptest"
	"gatehouse/app/providers"
	"gatehouse/app/staff"
)

// standing is what the list of providers says of one.
func (c clerk) standing(name string) map[string]any {
	c.w.t.Helper()
	for _, one := range c.asks(http.MethodGet, "/providers", "", 200)["items"].([]any) {
		if p := one.(map[string]any); p["name"] == name {
			return p
		}
	}
	c.w.t.Fatalf("no provider %s", name)
	return nil
}

// TestAPI_providers: programs connect netcup, adopt machines and hand them out within the same rules as people do on the page.
func TestAPI_providers(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	panel := netcuptest.New(t, 2)
	w.parts.netcup.URL = panel.URL
	admin := w.clerk(staff.Owner)
	for _, name := range []string{"netcup", "hetzner", "pool", "local"} {
		admin.standing(name)
	}
	if p := admin.standing("netcup"); p["state"] != "not_connected" || p["check"] != nil {
		t.Errorf("not connected: %v", p)
	}
	if p := admin.standing("hetzner"); p["state"] != "no_key" || p["free"] != nil {
		t.Errorf("without a token: %v", p)
	}
	w.clerk(staff.Support).asks("GET", "/providers", "", 403)
	admin.asks("GET", "/providers/netcup/others", "", 409)
	admin.asks("POST", "/providers/netcup", `{"action":"burn"}`, 400)
	admin.asks("POST", "/providers/netcup", `{"action":"disconnect"}`, 409)
	admin.asks("POST", "/providers/pool/check", "", 404)

	panel.Fail(netcuptest.Fault{Method: http.MethodPost, Path: "/realms/", Status: 502})
	admin.asks("POST", "/providers/netcup", `{"action":"connect"}`, 503)
	ask := admin.asks("POST", "/providers/netcup", `{"action":"connect"}`, 200)["ask"].(map[string]any)
	if ask["code"] != "ABCD-EFGH" || ask["state"] != "waiting" || admin.standing("netcup")["state"] != "asking" {
		t.Errorf("asked: %v", ask)
	}
	panel.Approve()
	w.parts.providers.Now = func() time.Time { return time.Now().Add(6 * time.Second) } // the pause that netcup wants is over
	if l := admin.asks("GET", "/providers/netcup", "", 200); l["connected"] != true || l["account"] != netcuptest.Customer {
		t.Errorf("connected: %v", l)
	}
	if c := admin.asks("POST", "/providers/netcup/check", "", 200); c["ok"] != true || !strings.Contains(c["text"].(string), "2") {
		t.Errorf("checked: %v", c)
	}
	if p := admin.standing("netcup"); p["state"] != "none_free" || p["check"].(map[string]any)["ok"] != true {
		t.Errorf("with nothing adopted: %v", p)
	}
	w.adoptedMachines(admin, panel.Servers()[0].ID)
	if l := admin.asks("POST", "/providers/netcup", `{"action":"disconnect"}`, 200); l["connected"] != false || l["ended_there"] != true {
		t.Errorf("disconnected: %v", l)
	}
}

// adoptedMachines adopts the machine, hands it out and gives it up.
func (w *apiWorld) adoptedMachines(admin clerk, number int64) {
	t, n := w.t, strconv.FormatInt(number, 10)
	if all := admin.asks("GET", "/providers/netcup/others", "", 200)["items"].([]any); len(all) != 2 {
		t.Errorf("in the account: %v", all)
	}
	admin.asks("POST", "/providers/netcup/machines", `{"number":`+n+`,"plan":"build","color":"red"}`, 400)
	m := admin.asks("POST", "/providers/netcup/machines", `{"number":`+n+`,"plan":"build"}`, 201)
	if m["state"] != "held" || m["region"] != "eu" {
		t.Errorf("adopted: %v", m)
	}
	admin.asks("POST", "/providers/netcup/machines", `{"number":`+n+`}`, 409)
	at := "/providers/netcup/machines/" + n
	admin.asks("POST", at, `{"action":"burn"}`, 422)
	admin.asks("POST", at, `{"action":"free"}`, 200)
	admin.asks("POST", at, `{"action":"free"}`, 409)
	if p := admin.standing("netcup"); p["state"] != "ready" || p["free"] != 1.0 {
		t.Errorf("with a free machine: %v", p)
	}
	_, err := w.adopted.Take(t.Context(), string(w.mine.server), "eu", "build", time.Now())
	ok(t, err)
	admin.asks("DELETE", at, "", 409)
	admin.asks("POST", at, `{"action":"wipe"}`, 409)
	all := admin.asks("GET", "/providers/netcup/machines", "", 200)["items"].([]any)
	if m := all[0].(map[string]any); m["state"] != "taken" || m["server_id"] != string(w.mine.server) {
		t.Errorf("taken: %v", m)
	}
	_, err = w.adopted.Change(t.Context(), number, func(_ context.Context, m *providers.Machine) (*audit.Entry, error) {
		m.Move(providers.NeedsHands, time.Now())
		return nil, nil
	})
	ok(t, err)
	if m := admin.asks("POST", at, `{"action":"wipe"}`, 403); m["type"] != "code-needed" {
		t.Errorf("without a code: %v", m)
	}
	admin.asks("POST", "/codes", `{"action":"netcup.wipe","object":"9`+n+`"}`, 404)
	admin.asks("POST", "/codes", `{"action":"netcup.wipe","object":"`+n+`"}`, 202)
	admin.code = w.mailedCode("v2202600000001")
	if m := admin.asks("POST", at, `{"action":"wipe"}`, 200); m["state"] != "wiping" {
		t.Errorf("with the code: %v", m)
	}
	admin.asks("DELETE", at, "", 204)
	admin.asks("DELETE", at, "", 404)
	admin.asks("POST", "/providers/netcup/machines/x", `{"action":"hold"}`, 404)
}

// TestAPI_ownMachines: programs add machines of our own, look at them, hold them back and, with a mailed code, take them off the list.
func TestAPI_ownMachines(t *testing.T) {
	t.Parallel()
	w := newAPIWorld(t)
	admin := w.clerk(staff.Owner)
	w.clerk(staff.Support).asks("GET", "/pool", "", 403)
	if key := admin.asks("GET", "/pool/key", "", 200)["public_key"].(string); !strings.HasPrefix(key, "ssh-ed25519 ") {
		t.Errorf("the hub's key: %s", key)
	}
	port := closedPort(t)
	body := `{"name":"first","address":"127.0.0.1","port":"` + port + `","region":"eu"}`
	m := admin.asks("POST", "/pool", body, 201)
	if m["state"] != "held" || !strings.Contains(m["problem"].(string), "does not answer over SSH") || m["login"] != "root" {
		t.Errorf("added: %v", m)
	}
	admin.asks("POST", "/pool", body, 409)
	admin.asks("POST", "/pool", `{"name":"","address":"bad address","region":"eu"}`, 422)
	at := "/pool/" + m["id"].(string)
	admin.asks("POST", at, `{"action":"burn"}`, 400)
	admin.asks("POST", at, `{"action":"free"}`, 200)
	if p := admin.standing("pool"); p["state"] != "ready" || p["free"] != 1.0 {
		t.Errorf("with a free machine: %v", p)
	}
	admin.asks("POST", at, `{"action":"hold"}`, 200)
	admin.asks("POST", at, `{"action":"hold"}`, 409)
	if m := admin.asks("POST", at, `{"action":"check"}`, 200); m["problem"] == nil {
		t.Errorf("looked at: %v", m)
	}
	key := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFJ9zLZ3cVvD0yYb7bGZ1n0uJc2QJtWm8y0y0Q0q0k0e"
	admin.asks("PATCH", at, `{"host_key":"no key"}`, 422)
	if m := admin.asks("PATCH", at, `{"host_key":"`+key+` somebody"}`, 200); m["host_key"] != key || m["problem"] == nil {
		t.Errorf("with another key: %v", m)
	}
	if m := admin.asks("PATCH", at, `{"host_key":""}`, 200); m["host_key"] != nil {
		t.Errorf("without a key: %v", m)
	}
	if all := admin.asks("GET", "/pool", "", 200)["items"].([]any); len(all) != 1 {
		t.Errorf("in the pool: %v", all)
	}
	if m := admin.asks("DELETE", at, "", 403); m["type"] != "code-needed" {
		t.Errorf("without a code: %v", m)
	}
	admin.asks("POST", "/codes", `{"action":"pool.remove","object":"`+m["id"].(string)+`"}`, 202)
	admin.code = w.mailedCode("first")
	admin.asks("DELETE", at, "", 204)
	admin.asks("GET", at, "", 404)
	admin.asks("POST", "/codes", `{"action":"pool.remove","object":"`+m["id"].(string)+`"}`, 404)
}

// closedPort is a port of this machine where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	ok(t, err)
	ok(t, l.Close())
	return port
}
