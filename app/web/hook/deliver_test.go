package hook_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web/hook"
)

// carrier answers as it is told, and keeps what came.
type carrier struct {
	answer wire.HookAnswer
	err    error
	server string
	from   string
	got    wire.HookDelivery
}

func (c *carrier) Deliver(_ context.Context, serverID, network string, d wire.HookDelivery) (wire.HookAnswer, error) {
	c.server, c.from, c.got = serverID, network, d
	return c.answer, c.err
}

const serverID = "01975000-0000-7000-8000-000000000001"

func send(t *testing.T, c *carrier, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	e := echo.New()
	for _, r := range (&hook.Handler{Hooks: c}).Routes() {
		e.Add(r.Method, r.Path, r.Do)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer x")
	req.Header.Set("Cookie", "session=y")
	req.RemoteAddr = "[2001:db8::7]:4711"
	rec := httptest.NewRecorder()
	e.ServeHTTP(rec, req)
	return rec
}

// TestDeliver: a delivery goes to the server that its address names, with the headers that prove it and no other; the sender gets that
// server's answer, or is told when to come again.
func TestDeliver(t *testing.T) {
	t.Parallel()
	c := &carrier{answer: wire.HookAnswer{Verdict: wire.HookAccepted, Status: http.StatusAccepted, RunID: "r"}}
	got := send(t, c, "/h/"+serverID+"/orders", "{}")
	if got.Code != http.StatusAccepted || !strings.Contains(got.Body.String(), `"run_id":"r"`) {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if c.from != "2001:db8::" {
		t.Errorf("it comes from %q", c.from)
	}
	if c.server != serverID || c.got.Name != "orders" || string(c.got.Body) != "{}" || len(c.got.Headers) != 1 {
		t.Errorf("%q %+v", c.server, c.got)
	}
	send(t, c, "/h/"+serverID+"/orders", strings.Repeat("x", 2*wire.MaxHookBody))
	if c.got.Body != nil || c.got.Size != wire.MaxHookBody+1 {
		t.Errorf("%d bytes of %d are carried", len(c.got.Body), c.got.Size)
	}
	for what, x := range map[string]struct {
		path  string
		err   error
		code  int
		after string
	}{
		"no server id":  {"/h/x/orders", nil, http.StatusNotFound, ""},
		"no name":       {"/h/" + serverID + "/A", nil, http.StatusNotFound, ""},
		"server away":   {"/h/" + serverID + "/orders", fault.New(fault.Away, "a", "b", "c"), http.StatusServiceUnavailable, "60"},
		"too many":      {"/h/" + serverID + "/orders", fault.New(fault.TooMany, "a", "b", "c"), http.StatusTooManyRequests, "1"},
		"an old server": {"/h/" + serverID + "/orders", fault.New(fault.Invalid, "a", "b", "c"), http.StatusServiceUnavailable, "60"},
	} {
		c := &carrier{err: x.err}
		if got := send(t, c, x.path, "{}"); got.Code != x.code || got.Header().Get("Retry-After") != x.after {
			t.Errorf("%s: %d, Retry-After %q", what, got.Code, got.Header().Get("Retry-After"))
		}
	}
}
