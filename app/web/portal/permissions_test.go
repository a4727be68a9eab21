package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestPermissions_refusedWhileAway: rules that were refused stay in the form with the reason, also when the server that
// has the others does not answer.
func TestPermissions_refusedWhileAway(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	h.link(t, of).hangsAt(wire.MethodPermissionsGet)
	b := h.owner(t, of)
	const typed = "version: 1\nrules: nonsense"
	id := newID()
	for what, c := range map[string]struct {
		id, says string
		status   int
	}{
		"by the server": {id, "Unknown question.", http.StatusUnprocessableEntity},
		"by the hub":    {"", "This form is incomplete.", http.StatusBadRequest},
	} {
		page := b.post("/app/permissions", url.Values{"act": {"save"}, "text": {typed}, "reason": {"A quiet week"}, "id": {c.id}, "base": {"7"}})
		text := page.Find("main").Text()
		if page.StatusCode != c.status || !strings.Contains(text, c.says) || !strings.Contains(text, "Your server is away") {
			t.Errorf("%s: %d: %s", what, page.StatusCode, text)
		}
		form := page.Find("#rules-form")
		if got := form.Find("textarea[name=text]").Text(); strings.TrimSpace(got) != typed || form.Find("input[name=reason]").AttrOr("value", "") != "A quiet week" {
			t.Errorf("%s: the form has %q", what, got)
		}
		if base, srv := form.Find("input[name=base]").AttrOr("value", ""), form.AttrOr("data-server", ""); base != "7" || srv != string(of.server) {
			t.Errorf("%s: the form is based on %q, for %q", what, base, srv)
		}
		wantSound(t, "/app/permissions", page.Document)
	}
	if n := b.get("/app/permissions").Find("#rules-form").Length(); n != 0 {
		t.Errorf("%d forms without the rules in force", n)
	}
}
