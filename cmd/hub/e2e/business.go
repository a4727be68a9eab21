package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Business is a tool of the business with an interface of its own, and the sign-ins that it was called with.
type Business struct {
	URL string

	mu     sync.Mutex
	signed []string
}

// StartBusiness answers every request with text.
func StartBusiness(t *testing.T, text string) *Business {
	t.Helper()
	b := &Business{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.signed = append(b.signed, r.Header.Get("Authorization"))
		b.mu.Unlock()
		_, _ = w.Write([]byte(text)) // a caller that left is no fault of ours
	}))
	t.Cleanup(srv.Close)
	b.URL = srv.URL
	return b
}

// Calls are the sign-ins so far.
func (b *Business) Calls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.signed...)
}

// Ask is a call of the tool that reads something.
func (b *Business) Ask() ToolCall {
	return Tool("http_request", map[string]any{"method": "GET", "url": b.URL + "/orders", "tool": "", "body": ""})
}

// Register makes the tools known to the demo's server; all of them sign in with one secret.
func (h *Hub) Register(t *testing.T, all map[string]*Business, ref string) {
	t.Helper()
	type entry map[string]any
	var tools []entry
	for name, b := range all {
		e := entry{"name": name, "internal_url": b.URL}
		if ref != "" {
			e["auth"] = entry{"type": "bearer", "ref": ref}
		}
		tools = append(tools, e)
	}
	text, err := json.Marshal(entry{"tools": tools})
	if err != nil {
		t.Fatal(err)
	}
	h.Own(t, h.Server("state", "tool-registry.json"), string(text), 0o600)
}
