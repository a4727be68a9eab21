package chat_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gatehouse/app/web/portal/portaltest"
)

func TestStop(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of, other := h.NewCustomer(t), h.NewCustomer(t)
	p := h.Link(t, of)
	h.Link(t, other)
	run, session := portaltest.NewID(), portaltest.NewID()
	p.Begin(run, session, "Something long")
	b := h.Owner(t, of)
	if got := b.Partial("/app/runs/"+run+"/stop", url.Values{}); got.StatusCode != http.StatusNoContent {
		t.Errorf("htmx got %d", got.StatusCode)
	}
	if got := b.Post("/app/runs/"+run+"/stop", url.Values{"back": {"/app/chat"}}); got.Header.Get("Location") != "/app/chat" {
		t.Errorf("a plain form is led to %q", got.Header.Get("Location"))
	}
	if got := b.Post("/app/runs/"+run+"/stop", url.Values{"back": {"//evil.example"}}); got.Header.Get("Location") != "/app/runs/"+run {
		t.Errorf("a plain form is led to %q", got.Header.Get("Location"))
	}
	if got := h.Owner(t, other).Partial("/app/runs/"+run+"/stop", url.Values{}); got.StatusCode != http.StatusNotFound {
		t.Errorf("another customer got %d", got.StatusCode)
	}
	if len(p.Canceled) != 3 {
		t.Errorf("the server stopped %d times", len(p.Canceled))
	}
}

// TestStop_notTakenYet: a message waits for a server that is back and has not taken it. Its Stop waits behind it, and the
// page says so; what never was said is not found all the same once nothing waits.
func TestStop_notTakenYet(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	p := h.Link(t, of)
	p.Away(t)
	b := h.Owner(t, of)
	got := b.Partial("/app/chat", url.Values{"session": {portaltest.NewID()}, "agent": {"dispatcher"}, "text": {"order flour for a year"}})
	p.Back(t)
	stop := regexp.MustCompile(`action="(/app/runs/[^/]+/stop)"`).FindStringSubmatch(got.Source)
	if len(stop) != 2 {
		t.Fatalf("no Stop: %s", got.Source)
	}
	if got := b.Partial(stop[1], url.Values{}); got.StatusCode != http.StatusOK || !strings.Contains(got.Source, "as soon as") {
		t.Errorf("got %d: %s", got.StatusCode, got.Source)
	}
	var waits string
	portaltest.Must(t, h.DB.Pool.QueryRow(t.Context(), "SELECT string_agg(type, ' ' ORDER BY seq) FROM link_out WHERE type IN ('chat.message', 'run.cancel')").Scan(&waits))
	if waits != "chat.message run.cancel" {
		t.Errorf("there waits %s", waits)
	}
	_, err := h.DB.Pool.Exec(t.Context(), "DELETE FROM link_out")
	portaltest.Must(t, err)
	if got := b.Partial(stop[1], url.Values{}); got.StatusCode != http.StatusNotFound {
		t.Errorf("a run that never was: %d", got.StatusCode)
	}
}
