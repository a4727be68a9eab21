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

// messengers answers as it is told, and keeps what came.
type messengers struct {
	answer wire.ChannelAnswer
	err    error
	from   string
	got    wire.ChannelDelivery
}

func (m *messengers) Bring(_ context.Context, network string, d wire.ChannelDelivery) (wire.ChannelAnswer, error) {
	m.from, m.got = network, d
	return m.answer, m.err
}

const address = "/h/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ"

func bring(t *testing.T, m *messengers, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	e := echo.New()
	for _, r := range (&hook.Handler{Messengers: m}).Routes() {
		e.Add(r.Method, r.Path, r.Do)
	}
	req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	req.Header.Set("X-Hub-Signature-256", "sha256=00")
	req.Header.Set("Cookie", "session=y")
	req.RemoteAddr = "192.0.2.7:4711"
	rec := httptest.NewRecorder()
	e.ServeHTTP(rec, req)
	return rec
}

// TestBring: what a messenger brings goes to the server with its query, its body and the headers that prove it, and no other; the
// messenger gets the server's answer, which is never a page, or is told when to come again.
func TestBring(t *testing.T) {
	t.Parallel()
	m := &messengers{answer: wire.ChannelAnswer{Status: http.StatusOK, Type: "text/html", Body: []byte("<b>1158201444")}}
	got := bring(t, m, http.MethodGet, address+"?hub.mode=subscribe&hub.challenge=1", "")
	if got.Code != http.StatusOK || got.Body.String() != "<b>1158201444" {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	if got.Header().Get("Content-Type") != wire.ChannelText || got.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("a browser may take the answer for a page: %v", got.Header())
	}
	if m.got.Method != http.MethodGet || m.got.Query != "hub.mode=subscribe&hub.challenge=1" || "/h/"+m.got.Hook != address {
		t.Errorf("%+v", m.got)
	}
	m.answer.Type = wire.ChannelJSON
	got = bring(t, m, http.MethodPost, address, `{"x":1}`)
	if got.Header().Get("Content-Type") != wire.ChannelJSON || string(m.got.Body) != `{"x":1}` || m.from != "192.0.2.7" {
		t.Errorf("%v %s from %s", got.Header(), m.got.Body, m.from)
	}
	if len(m.got.Headers) != 1 || m.got.Headers["x-hub-signature-256"] != "sha256=00" {
		t.Errorf("%v", m.got.Headers)
	}
	m.got = wire.ChannelDelivery{}
	long := bring(t, m, http.MethodPost, address, strings.Repeat("x", wire.MaxChannelBody+1))
	if long.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("too long: %d", long.Code)
	}
	long = bring(t, m, http.MethodGet, address+"?"+strings.Repeat("x", wire.MaxChannelQuery+1), "")
	if long.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a query that is too long: %d", long.Code)
	}
	if m.got.Hook != "" {
		t.Error("what is too long goes to the server")
	}
}

// TestBring_no: an address that is nobody's is answered as a server answers one, and what cannot be carried may come again.
func TestBring_no(t *testing.T) {
	t.Parallel()
	long := make([]byte, wire.MaxChannelAnswer+1)
	for what, x := range map[string]struct {
		answer wire.ChannelAnswer
		err    error
		code   int
		after  string
	}{
		"nobody's":         {err: fault.New(fault.NotFound, "a", "b", "c"), code: http.StatusNotFound},
		"server away":      {err: fault.New(fault.Away, "a", "b", "c"), code: http.StatusServiceUnavailable, after: "60"},
		"too many":         {err: fault.New(fault.TooMany, "a", "b", "c"), code: http.StatusTooManyRequests, after: "1"},
		"an old server":    {err: fault.New(fault.Invalid, "a", "b", "c"), code: http.StatusServiceUnavailable, after: "60"},
		"no status":        {code: http.StatusServiceUnavailable, after: "60"},
		"a strange status": {answer: wire.ChannelAnswer{Status: 999}, code: http.StatusBadGateway},
		"a way elsewhere":  {answer: wire.ChannelAnswer{Status: 302}, code: http.StatusBadGateway},
		"a long answer":    {answer: wire.ChannelAnswer{Status: 200, Body: long}, code: http.StatusBadGateway},
	} {
		got := bring(t, &messengers{answer: x.answer, err: x.err}, http.MethodPost, address, "{}")
		if got.Code != x.code || got.Header().Get("Retry-After") != x.after {
			t.Errorf("%s: %d, Retry-After %q", what, got.Code, got.Header().Get("Retry-After"))
		}
	}
}
