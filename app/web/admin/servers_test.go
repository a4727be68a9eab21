package admin_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/order"
	"gatehouse/app/server"
)

// beaten is a registered server that has sent a heartbeat.
func (h *hub) beaten(t testing.TB, slug string, engine bool) server.Server {
	t.Helper()
	o := h.add(t, "The "+slug, slug+"@example.com", slug, order.Fulfilled)
	srv, err := h.servers.OfOrder(t.Context(), string(o.ID))
	must(t, err)
	pub, _, err := ed25519.GenerateKey(nil)
	must(t, err)
	seal, _, err := wire.NewSealKey()
	must(t, err)
	token, err := h.servers.Mint(t.Context(), srv.ID)
	must(t, err)
	h.servers.Configs = plain{}
	_, err = h.servers.Register(t.Context(), wire.RegisterRequest{
		Token: token, PublicKey: base64.RawURLEncoding.EncodeToString(pub), SealKey: seal, AgentdVersion: "1.2",
	}, "192.0.2.9")
	must(t, err)
	cpu := 0.25
	b := wire.Heartbeat{AgentdVersion: "1.2", CPU: &cpu, Cores: 2, MemTotal: 100, MemFree: 40, DiskTotal: 100, DiskFree: 7}
	if engine {
		b.Containers = &wire.Containers{Running: 1, Total: 2}
	}
	must(t, h.servers.Heartbeat(t.Context(), srv.ID, b))
	srv, err = h.servers.Find(t.Context(), srv.ID)
	must(t, err)
	return srv
}

type plain struct{}

func (plain) Current(context.Context, account.CustomerID) (wire.Config, error) {
	return wire.Config{Version: 1}, nil
}

// TestServers_map: the counts lead to the servers of a state, and the list tells how full their disks are.
func TestServers_map(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.beaten(t, "baker", false)
	page := h.doc(t, h.staff, "/admin/servers")
	if got := page.Find(`.state-map a[href="/admin/servers?state=online"]`).Text(); !containsAll(got, "1", "Online") {
		t.Errorf("online: %q", got)
	}
	holds(t, "the list", page.Find("#servers").Text(), []string{"baker", "93 %", "1.2"}, nil)
	online := h.doc(t, h.staff, "/admin/servers?state=online")
	holds(t, "those that are online", online.Find("#servers-results").Text(), []string{"baker"}, []string{"guest"})
	if online.Find(".state-map a[aria-current]").Length() != 1 {
		t.Error("the chosen state is not marked")
	}
	holds(t, "those on hold", h.doc(t, h.staff, "/admin/servers?state=held").Find("#servers-results").Text(), nil, []string{"baker"})
	if status, _ := h.get(t, h.staff, "/admin/servers?state=asleep"); status != http.StatusUnprocessableEntity {
		t.Errorf("a state that there is not: %d", status)
	}
}

// TestServer_charts: the page draws what was measured, for the span that is asked for, says the same in words and as a table.
func TestServer_charts(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.beaten(t, "baker", true)
	for _, span := range []string{"", "hour", "day", "week", "quarter"} {
		page := h.doc(t, h.staff, "/admin/servers/"+string(srv.ID)+"?span="+span)
		if label := page.Find("#chart-cpu svg[role=img]").AttrOr("aria-label", ""); !containsAll(label, "Processor", "25 %") {
			t.Errorf("%q: the chart says %q", span, label)
		}
		if page.Find("#chart-cpu .line").AttrOr("d", "") == "" || page.Find("#charts .gap").Length() == 0 {
			t.Errorf("%q: no line, or no gap", span)
		}
		if page.Find("#chart-net").Length() != 0 {
			t.Errorf("%q: what was not measured is drawn", span)
		}
		holds(t, "the table", page.Find("#charts table").Text(), []string{"25 %", "60 %", "93 %"}, nil)
	}
	if status, _ := h.get(t, h.staff, "/admin/servers/"+string(srv.ID)+"?span=year"); status != http.StatusUnprocessableEntity {
		t.Errorf("a span that there is not: %d", status)
	}
}

// TestServer_command: a command is signed, queued and on record, and the page tells how it ended; those who may not see none.
func TestServer_command(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.beaten(t, "baker", true)
	path := "/admin/servers/" + string(srv.ID)
	if n := h.doc(t, h.staff, path).Find("#command").Length(); n != 0 {
		t.Error("support is offered commands")
	}
	toast := h.toast(t, h.manager, path+"/command", url.Values{"verb": {"containers.list"}})
	holds(t, "sent", toast, []string{"List containers: sent"}, nil)
	sent, err := h.commands.Of(t.Context(), srv.ID)
	must(t, err)
	if len(sent) != 1 || sent[0].State != server.CommandSent || sent[0].By != "manager@example.com" {
		t.Fatalf("sent %+v", sent)
	}
	cmd, err := sent[0].Signed.Open(h.commands.Key.Public().(ed25519.PublicKey))
	if err != nil || cmd.ServerID != string(srv.ID) || cmd.Verb != wire.VerbContainers {
		t.Errorf("signed %+v, %v", cmd, err)
	}
	var audited int
	const count = "SELECT count(*) FROM audit_log WHERE action = 'server.command' AND target = $1"
	must(t, h.db.Pool.QueryRow(t.Context(), count, srv.ID).Scan(&audited))
	if audited != 1 || len(h.queued) == 0 {
		t.Errorf("%d records, %d jobs", audited, len(h.queued))
	}
	ended := sent[0]
	ended.State, ended.Said, ended.EndedAt = server.CommandDone, "1 containers.", time.Now().UTC()
	ended.Containers = []wire.ContainerInfo{{ID: "1", Name: "shop", Image: "shop:1", State: "running"}}
	must(t, h.commands.Store.End(t.Context(), ended))
	page := h.doc(t, h.manager, path)
	holds(t, "the page", page.Find("#commands").Text(), []string{"shop:1", "Running", "Done", "Stop shop", "manager@example.com"}, nil)
	refused := h.wants(t, http.StatusUnprocessableEntity, h.manager, path+"/command", "verb", "disk.wipe")
	holds(t, "an unknown one", refused, []string{"Nothing was sent"}, nil)
}

// TestServer_noEngine: where agentd cannot ask a container engine, the page says so and offers no list.
func TestServer_noEngine(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.beaten(t, "baker", false)
	page := h.doc(t, h.manager, "/admin/servers/"+string(srv.ID))
	holds(t, "the page", page.Find("#command").Text(), []string{"cannot ask a container engine"}, []string{"List containers"})
}

// TestServer_cut: an owner of the staff types the server's name to cut it off; nobody else is offered it.
func TestServer_cut(t *testing.T) {
	t.Parallel()
	h := start(t)
	srv := h.beaten(t, "baker", false)
	path := "/admin/servers/" + string(srv.ID)
	if h.doc(t, h.admin, path).Find("#cut").Length() != 0 {
		t.Error("an admin is offered it")
	}
	h.wants(t, http.StatusUnprocessableEntity, h.owner, path+"/cut", "name", "butcher")
	form := h.confirmed(t, h.owner, path+"/cut", url.Values{"name": {"baker"}})
	holds(t, "cut off", h.toast(t, h.owner, path+"/cut", form), []string{"The server is blocked"}, nil)
	if got, err := h.servers.Find(t.Context(), srv.ID); err != nil || got.State != server.Revoked {
		t.Errorf("%+v, %v", got.State, err)
	}
}

func containsAll(text string, all ...string) bool {
	for _, one := range all {
		if !strings.Contains(text, one) {
			return false
		}
	}
	return true
}
