package permission_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/web/portal/portaltest"
)

// TestPermissions_refusedWhileAway: rules that were refused stay in the form with the reason, also when the server that
// has the others does not answer.
func TestPermissions_refusedWhileAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of).HangAt(wire.MethodPermissionsGet)
	b := h.Owner(t, of)
	const typed = "version: 1\nrules: nonsense"
	id := portaltest.NewID()
	for what, c := range map[string]struct {
		id, says string
		status   int
	}{
		"by the server": {id, "The rules were changed meanwhile.", http.StatusConflict},
		"by the hub":    {"", "This form is incomplete.", http.StatusBadRequest},
	} {
		page := b.Post("/app/permissions/yaml", url.Values{
			"act": {"save"}, "text": {typed}, "reason": {"A quiet week"}, "id": {c.id}, "base": {"7"},
		})
		text := page.Find("main").Text()
		if page.StatusCode != c.status || !strings.Contains(text, c.says) || !strings.Contains(text, "Your server does not answer") {
			t.Errorf("%s: %d: %s", what, page.StatusCode, text)
		}
		form := page.Find("#rules-form")
		if got := form.Find("textarea[name=text]").Text(); strings.TrimSpace(got) != typed || form.Find("input[name=reason]").AttrOr("value", "") != "A quiet week" {
			t.Errorf("%s: the form has %q", what, got)
		}
		if base, srv := form.Find("input[name=base]").AttrOr("value", ""), form.AttrOr("data-server", ""); base != "7" || srv != string(of.Server) {
			t.Errorf("%s: the form is based on %q, for %q", what, base, srv)
		}
		portaltest.WantSound(t, "/app/permissions/yaml", page.Document)
	}
	if n := b.Get("/app/permissions").Find("#rules-form").Length(); n != 0 {
		t.Errorf("%d forms without the rules in force", n)
	}
}

// TestPermissions_sentWhileAway: what was written comes back in its form when the server that should take it, or look at it,
// does not answer.
func TestPermissions_sentWhileAway(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	h.Link(t, of).Away(t)
	b := h.Owner(t, of)
	const typed = "version: 1\nrules: []"
	for _, act := range []string{"save", "preview"} {
		id := portaltest.NewID()
		page := b.Post("/app/permissions/yaml", url.Values{"act": {act}, "text": {typed}, "reason": {"A quiet week"}, "id": {id}, "base": {"7"}})
		if text := page.Find("main .notice").Text(); page.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "did not answer") {
			t.Errorf("%s: %d: %s", act, page.StatusCode, text)
		}
		form := page.Find("#rules-form")
		if got := form.Find("textarea[name=text]").Text(); strings.TrimSpace(got) != typed || form.Find("input[name=reason]").AttrOr("value", "") != "A quiet week" || form.Find("input[name=id]").AttrOr("value", "") != id {
			t.Errorf("%s: the form has %q", act, got)
		}
		portaltest.WantSound(t, "/app/permissions/yaml", page.Document)
	}
}
