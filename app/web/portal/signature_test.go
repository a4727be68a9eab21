package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

// TestSignature_broken: whoever sends a signature that cannot be read is told so, whatever it was to be for.
func TestSignature_broken(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	_, a, _ := h.Demo(t, of)
	b := h.Owner(t, of)
	for path, form := range map[string]url.Values{
		"/app/permissions":                   {"act": {"save"}, "text": {"version: 1"}, "id": {portaltest.NewID()}, "base": {"1"}},
		"/app/permissions/yaml":              {"act": {"save"}, "text": {"version: 1"}, "id": {portaltest.NewID()}, "base": {"1"}},
		"/app/permissions/inside":            {"address": {"mate@example.net"}},
		"/app/agents/secretary/autonomy":     {"level": {"3"}},
		"/app/agents/secretary/external":     {"tool": {"message"}, "mode": {"autonomous"}},
		"/app/agents/limits/beyond":          {"beyond": {"1"}},
		"/app/agents/limits/meaning":         {"model": {"vectors"}},
		"/app/agents/limits":                 {"tokens": {"500000"}},
		"/app/agents/tools":                  {"tool": {"shell"}, "rule": {"denied"}, "on": {"0"}},
		"/app/agents/secretary/sandbox":      {"only": {"0"}},
		"/app/agents/secretary/model":        {"model": {"complex"}},
		"/app/agents/default-level":          {"level": {"3"}},
		"/app/credentials/shop.api_key/bind": {"bindings": {"http_request https://blog.example.com header Authorization"}},
		portaltest.ApprovalPath(a):           portaltest.AnswerTo(a, "allow_once"),
	} {
		form.Set("signature", "{broken")
		got := b.Post(path, form)
		if text := got.Find("main").Text(); got.StatusCode != http.StatusBadRequest || !strings.Contains(text, "signature could not be read") {
			t.Errorf("%s: %d: %s", path, got.StatusCode, text)
		}
	}
}
