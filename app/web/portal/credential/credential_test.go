package credential_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestCredential_livesElsewhere: what is changed in the external vault alone cannot be changed here, and the page says so.
func TestCredential_livesElsewhere(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	now := time.Now()
	here := wire.SecretInfo{
		Name: "crm.api_key", Kind: "api_key", Source: "owner", CreatedAt: now, RotatedAt: now,
		Versions: []wire.SecretVersion{{N: 2, State: "current", CreatedAt: now}, {N: 1, State: "former", CreatedAt: now}},
	}
	there := here
	there.Name, there.Source, there.Origin = "shop.api_key", "external", &wire.SecretOrigin{Path: "apps/shop", Field: "key"}
	h.Link(t, of).Vault = []wire.SecretInfo{here, there}
	b := h.Owner(t, of)
	for name, forms := range map[string]int{here.Name: 3, there.Name: 0} { // make, give, back to version 1
		page := b.Get("/app/credentials/" + name)
		if n := page.Find(`main form[action$="/rotate"], main form[action$="/rollback"]`).Length(); n != forms {
			t.Errorf("%s: %d forms that change the value, want %d", name, n, forms)
		}
		if says := strings.Contains(page.Find("#rotate").Text(), "another password store"); says != (forms == 0) {
			t.Errorf("%s: says that it lives elsewhere: %v", name, says)
		}
		portaltest.WantSound(t, name, page.Document)
	}
}

// TestCredential_whoActed: people are named by their address and agents as everywhere else, each once.
func TestCredential_whoActed(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	p.Vault = []wire.SecretInfo{{Name: "crm.api_key"}}
	for _, by := range []string{"owner owner@example.com", "member someone@example.com", "it-admin", "agentd", "operator", "staff us@example.com", ""} {
		p.Uses = append(p.Uses, wire.SecretAuditItem{Name: "crm.api_key", Act: "reveal", By: by})
	}
	p.Uses = append(p.Uses, wire.SecretAuditItem{Act: "fetch"}, wire.SecretAuditItem{Act: "source"})
	var got, acts []string
	rows := h.Owner(t, of).Get("/app/credentials/crm.api_key").Find("#secret-acts tbody tr")
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
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	b := h.Owner(t, of)
	form := url.Values{"new": {"crm.api_key"}, "length": {"32"}}
	if got := b.Post("/app/credentials/generate", form); got.StatusCode != http.StatusSeeOther {
		t.Fatalf("a new one: %d", got.StatusCode)
	}
	given := url.Values{"name": {"crm.api_key"}, "kind": {"api_key"}, "nonce": {"n"}, "box": {"sealed"}}
	for path, form := range map[string]url.Values{"/app/credentials/generate": form, "/app/credentials": given} {
		got := b.Post(path, form)
		said := got.Find("#add").Text()
		if got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(said, "A credential with this name already exists.") {
			t.Errorf("%s again: %d, %s", path, got.StatusCode, got.Find("#add").Text())
		}
	}
	form.Set("request", portaltest.NewID())
	if got := b.Post("/app/credentials/generate", form); got.StatusCode != http.StatusSeeOther {
		t.Errorf("for a call that waits: %d", got.StatusCode)
	}
	if n := len(p.Vault); n != 2 {
		t.Errorf("the server was asked for %d values, want 2", n)
	}
}

// TestCredentials_auditAlone: when only the record of accesses cannot be read, its panel alone says so.
func TestCredentials_auditAlone(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	for what, keep := range map[string]func(*portaltest.Peer){
		"left without an answer": func(p *portaltest.Peer) { p.HangAt(wire.MethodSecretsAudit) },
		"refused":                func(p *portaltest.Peer) { p.Fail(t, wire.MethodSecretsAudit, 100) },
	} {
		of := h.NewCustomer(t)
		p := h.Link(t, of)
		p.Vault = []wire.SecretInfo{{Name: "crm.api_key"}}
		keep(p)
		b := h.Owner(t, of)
		for path, holds := range map[string]string{"/app/credentials": "#credential-crm\\.api_key", "/app/credentials/crm.api_key": "#reveal form[data-server]"} {
			page := b.Get(path)
			if page.StatusCode != http.StatusOK || page.Find("#banner .offline").Length() != 0 || page.Find(holds).Length() != 1 {
				t.Fatalf("%s: %s: %d: %s", what, path, page.StatusCode, page.Find("#banner, main").Text())
			}
			if got := page.Find("#audit"); !strings.Contains(got.Text(), "could not show this") || got.Find("table").Length() != 0 {
				t.Errorf("%s: %s says %s", what, path, got.Text())
			}
			portaltest.WantSound(t, path, page.Document)
		}
	}
}

// TestCredential_refusedWhileAway: a form that was refused keeps its reason and what was typed, also when the server does
// not answer, and with it what a signature on the next try needs.
func TestCredential_refusedWhileAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	p.Away(t)
	b := h.Owner(t, of)
	const typed = "http_request nowhere"
	page := b.Post("/app/credentials/shop.api_key/bind", url.Values{"bindings": {typed}, "base": {"h1"}})
	if page.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(page.Find("#bindings-problems").Text(), "Line 1:") {
		t.Errorf("%d, and the page says %s", page.StatusCode, page.Find("main").Text())
	}
	form := page.Find("form[data-bind]")
	if got := form.Find("textarea[name=bindings]").Text(); strings.TrimSpace(got) != typed {
		t.Errorf("the form has %q", got)
	}
	if base, srv := form.Find("input[name=base]").AttrOr("value", ""), form.AttrOr("data-server", ""); base != "h1" || srv != string(of.Server) {
		t.Errorf("the form is for %q on %q", base, srv)
	}
	if text := page.Find("main").Text(); !strings.Contains(text, "Your server does not answer") || strings.Contains(text, "Nowhere yet") {
		t.Errorf("the page says %s", text)
	}
	portaltest.WantSound(t, "/app/credentials/shop.api_key/bind", page.Document)
	if n := b.Get("/app/credentials/shop.api_key").Find("form[data-bind]").Length(); n != 0 {
		t.Errorf("%d forms without what is bound", n)
	}
}

// TestCredential_boundWhileAway: places that the server could not take stand in the form again.
func TestCredential_boundWhileAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of).Away(t)
	const typed = "http_request https://blog.example.com header Authorization"
	page := h.Owner(t, of).Post("/app/credentials/shop.api_key/bind", url.Values{"bindings": {typed}, "base": {"h1"}, "signature": {portaltest.Signature()}})
	if text := page.Find("main .notice").Text(); page.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "did not answer") {
		t.Errorf("%d: %s", page.StatusCode, page.Find("main").Text())
	}
	if got := page.Find("form[data-bind] textarea[name=bindings]").Text(); strings.TrimSpace(got) != typed {
		t.Errorf("the form has %q", got)
	}
	portaltest.WantSound(t, "/app/credentials/shop.api_key/bind", page.Document)
}

// TestCredentials_refusedWhileAway: the same for the form that adds one.
func TestCredentials_refusedWhileAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of).HangAt(wire.MethodSecretsAsked)
	page := h.Owner(t, of).Post("/app/credentials", url.Values{"name": {"Crm key"}, "kind": {"token"}, "nonce": {"n"}, "box": {"sealed"}})
	if text := page.Find("main").Text(); page.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(text, "Unknown question.") || !strings.Contains(text, "Your server does not answer") {
		t.Errorf("%d, and the page says %s", page.StatusCode, text)
	}
	if got := page.Find("#add input#f-name").AttrOr("value", ""); got != "Crm key" {
		t.Errorf("the form has %q", got)
	}
	portaltest.WantSound(t, "/app/credentials", page.Document)
}

// TestCredentials_namedInWords: without the script the hub makes the technical name of what a person typed.
func TestCredentials_namedInWords(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of)
	b := h.Owner(t, of)
	for typed, want := range map[string]string{"Ghost cookie key": "ghost.cookie_key", "ghost.cookie": "ghost.cookie", "Ghost": "ghost.password"} {
		got := b.Post("/app/credentials/generate", url.Values{"new": {typed}, "length": {"32"}})
		if got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/app/credentials/"+want {
			t.Errorf("%q: %d, to %s", typed, got.StatusCode, got.Header.Get("Location"))
		}
	}
}
