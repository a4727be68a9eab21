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

// TestPermissions_sentWhileAway: what was written comes back in its form when the server that should take it, or look at it,
// does not answer.
func TestPermissions_sentWhileAway(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	h.link(t, of).away(t)
	b := h.owner(t, of)
	const typed = "version: 1\nrules: []"
	for _, act := range []string{"save", "preview"} {
		id := newID()
		page := b.post("/app/permissions", url.Values{"act": {act}, "text": {typed}, "reason": {"A quiet week"}, "id": {id}, "base": {"7"}})
		if text := page.Find("main .notice").Text(); page.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "did not answer") {
			t.Errorf("%s: %d: %s", act, page.StatusCode, text)
		}
		form := page.Find("#rules-form")
		if got := form.Find("textarea[name=text]").Text(); strings.TrimSpace(got) != typed || form.Find("input[name=reason]").AttrOr("value", "") != "A quiet week" || form.Find("input[name=id]").AttrOr("value", "") != id {
			t.Errorf("%s: the form has %q", act, got)
		}
		wantSound(t, "/app/permissions", page.Document)
	}
}

// TestSignature_broken: whoever sends a signature that cannot be read is told so, whatever it was to be for.
func TestSignature_broken(t *testing.T) {
	t.Parallel()
	h := start(t)
	of := h.newCustomer(t)
	_, a, _ := h.demo(t, of)
	b := h.owner(t, of)
	for path, form := range map[string]url.Values{
		"/app/permissions":                   {"act": {"save"}, "text": {"version: 1"}, "id": {newID()}, "base": {"1"}},
		"/app/permissions/inside":            {"address": {"mate@example.net"}},
		"/app/agents/secretary/autonomy":     {"level": {"3"}},
		"/app/agents/secretary/external":     {"tool": {"message"}, "mode": {"autonomous"}},
		"/app/agents/default-level":          {"level": {"3"}},
		"/app/credentials/shop.api_key/bind": {"bindings": {"http_request https://blog.example.com header Authorization"}},
		path(a):                              answerTo(a, "allow_once"),
	} {
		form.Set("signature", "{broken")
		got := b.post(path, form)
		if text := got.Find("main").Text(); got.StatusCode != http.StatusBadRequest || !strings.Contains(text, "signature could not be read") {
			t.Errorf("%s: %d: %s", path, got.StatusCode, text)
		}
	}
}
