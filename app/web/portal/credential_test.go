package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
)

// TestCredential_livesElsewhere: what is changed in the external vault alone cannot be changed here, and the page says so.
func TestCredential_livesElsewhere(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	now := time.Now()
	here := wire.SecretInfo{
		Name: "crm.api_key", Kind: "api_key", Source: "owner", CreatedAt: now, RotatedAt: now,
		Versions: []wire.SecretVersion{{N: 2, State: "current", CreatedAt: now}, {N: 1, State: "former", CreatedAt: now}},
	}
	there := here
	there.Name, there.Source, there.Origin = "shop.api_key", "external", &wire.SecretOrigin{Path: "apps/shop", Field: "key"}
	h.link(t, of).vault = []wire.SecretInfo{here, there}
	b := h.owner(t, of)
	for name, forms := range map[string]int{here.Name: 3, there.Name: 0} { // make, give, back to version 1
		page := b.get("/app/credentials/" + name)
		if n := page.Find(`main form[action$="/rotate"], main form[action$="/rollback"]`).Length(); n != forms {
			t.Errorf("%s: %d forms that change the value, want %d", name, n, forms)
		}
		if says := strings.Contains(page.Find("#rotate").Text(), "external vault"); says != (forms == 0) {
			t.Errorf("%s: says that it lives elsewhere: %v", name, says)
		}
		wantSound(t, name, page.Document)
	}
}

// TestCredential_whoActed: people are named by their address and agents as everywhere else, each once.
func TestCredential_whoActed(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	p.vault = []wire.SecretInfo{{Name: "crm.api_key"}}
	for _, by := range []string{"owner owner@example.com", "member someone@example.com", "it-admin", "agentd", "operator", "staff us@example.com", ""} {
		p.uses = append(p.uses, wire.SecretAuditItem{Name: "crm.api_key", Act: "reveal", By: by})
	}
	p.uses = append(p.uses, wire.SecretAuditItem{Act: "fetch"}, wire.SecretAuditItem{Act: "source"})
	var got, acts []string
	rows := h.owner(t, of).get("/app/credentials/crm.api_key").Find("#secret-acts tbody tr")
	for i := range rows.Length() {
		acts = append(acts, strings.TrimSpace(rows.Eq(i).Children().Eq(0).Text()))
		got = append(got, strings.TrimSpace(rows.Eq(i).Children().Eq(1).Text()))
	}
	want := "owner@example.com,someone@example.com,IT admin,agentd,Operator,staff us@example.com,,,"
	if strings.Join(got, ",") != want {
		t.Errorf("%q, want %q", strings.Join(got, ","), want)
	}
	if strings.Join(acts[7:], ",") != "Fetched,Source changed" {
		t.Errorf("acts without words: %q", acts)
	}
}

// TestCredentials_addNewOnesOnly: a form that adds a credential replaces none, also when it comes twice; a call that waits
// gets its value whatever the vault holds.
func TestCredentials_addNewOnesOnly(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	p := h.link(t, of)
	b := h.owner(t, of)
	form := url.Values{"new": {"crm.api_key"}, "length": {"32"}}
	if got := b.post("/app/credentials/generate", form); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("a new one: %d", got.StatusCode)
	}
	given := url.Values{"name": {"crm.api_key"}, "kind": {"api_key"}, "nonce": {"n"}, "box": {"sealed"}}
	for path, form := range map[string]url.Values{"/app/credentials/generate": form, "/app/credentials": given} {
		got := b.post(path, form)
		if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.Find("#add").Text(), "There is a credential of this name already.") {
			t.Errorf("%s again: %d, %s", path, got.StatusCode, got.Find("#add").Text())
		}
	}
	form.Set("request", newID())
	if got := b.post("/app/credentials/generate", form); got.StatusCode != http.StatusSeeOther {
		t.Errorf("for a call that waits: %d", got.StatusCode)
	}
	if n := len(p.vault); n != 2 {
		t.Errorf("the server was asked for %d values, want 2", n)
	}
}
