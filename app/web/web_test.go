package web

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"gatehouse/app/signin"
	"gatehouse/app/web/session"
)

// edge is a hub's HTTP edge under test, with what it logged and measured.
type edge struct {
	echo  *echo.Echo
	log   *lockedBuffer
	reg   *prometheus.Registry
	ready error
}

// lockedBuffer lets a test read the log while a server writes it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// noSignins is for requests without a cookie: they never reach the store, and a test fails here if they do.
type noSignins struct{ signin.Store }

func newEdge(t *testing.T, cfg Config, routes ...Route) *edge {
	t.Helper()
	e := &edge{log: &lockedBuffer{}, reg: prometheus.NewRegistry()}
	if cfg.PublicURL == "" {
		cfg = Config{Addr: "127.0.0.1:0", PublicURL: "http://localhost:8080"}
	}
	var err error
	e.echo, err = New(cfg, Deps{
		Sessions: session.New(signin.Desk{Store: noSignins{}, Now: time.Now}, nil, cfg.BehindTLS),
		Static:   http.NotFoundHandler(),
		Ready:    func(context.Context) error { return e.ready },
		Log:      slog.New(slog.NewJSONHandler(e.log, nil)),
		Metrics:  e.reg,
		Now:      time.Now,
	}, routes...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// do sends one request to the edge, as seen from this machine under its own name.
func (e *edge) do(method, path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	r.Host = "localhost:8080"
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	e.echo.ServeHTTP(w, r)
	return w
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func answer(text string) echo.HandlerFunc {
	return func(c echo.Context) error { return c.String(http.StatusOK, text) }
}

func TestNew_refusesWhatWouldServeInTheClear(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cfg Config
		ok  bool
	}{
		"loopback":                {Config{"127.0.0.1:8080", "http://localhost:8080", false}, true},
		"loopback, IPv6":          {Config{"[::1]:8080", "http://localhost:8080", false}, true},
		"localhost":               {Config{"localhost:8080", "http://localhost:8080", false}, true},
		"all addresses":           {Config{"0.0.0.0:8080", "http://localhost:8080", false}, false},
		"no host":                 {Config{":8080", "http://localhost:8080", false}, false},
		"a network address":       {Config{"192.0.2.7:8080", "http://localhost:8080", false}, false},
		"behind TLS":              {Config{"0.0.0.0:8080", "https://hub.example", true}, true},
		"behind TLS, http public": {Config{"0.0.0.0:8080", "http://hub.example", true}, false},
		"https without the word":  {Config{"127.0.0.1:8080", "https://hub.example", false}, false},
		"public with a path":      {Config{"127.0.0.1:8080", "http://localhost:8080/hub", false}, false},
		"public is no address":    {Config{"127.0.0.1:8080", "localhost", false}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := c.cfg.Check(); (err == nil) != c.ok {
				t.Errorf("Check() = %v, want ok %v", err, c.ok)
			}
		})
	}
}

func TestEdge_headersOnEveryAnswer(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/boom", For: Open, Do: func(echo.Context) error { panic("boom") }})
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/healthz", 200},
		{"HEAD", "/healthz", 200},
		{"GET", "/nothing", 404},
		{"GET", "/api/v1/nothing", 404},
		{"DELETE", "/healthz", 405},
		{"TRACE", "/healthz", 405},
		{"BREW", "/healthz", 405},
		{"GET", "/boom", 500},
	} {
		w := e.do(c.method, c.path)
		if w.Code != c.status {
			t.Errorf("%s %s: status %d, want %d", c.method, c.path, w.Code, c.status)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' https://checkout.stripe.com https://billing.stripe.com",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Server": "",
			"Strict-Transport-Security": "", "Access-Control-Allow-Origin": "",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s %s: %s = %q, want %q", c.method, c.path, name, got, want)
			}
		}
		if w.Header().Get("X-Request-Id") == "" || w.Header().Get("Permissions-Policy") == "" {
			t.Errorf("%s %s: no request id or permissions policy", c.method, c.path)
		}
	}
}

func TestEdge_HSTSBehindTLSOnly(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{Addr: "0.0.0.0:80", PublicURL: "https://hub.example", BehindTLS: true})
	if got := e.do("GET", "/healthz").Header().Get("Strict-Transport-Security"); got != "max-age=31536000; includeSubDomains" {
		t.Errorf("HSTS = %q", got)
	}
}

func TestEdge_crossSite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*http.Request)
		status int
	}{
		"same origin":         {header("Sec-Fetch-Site", "same-origin"), 200},
		"typed or no browser": {func(*http.Request) {}, 200},
		"own origin":          {header("Origin", "http://localhost:8080"), 200},
		"cross-site":          {header("Sec-Fetch-Site", "cross-site"), 403},
		"same-site":           {header("Sec-Fetch-Site", "same-site"), 403},
		"foreign origin":      {header("Origin", "https://evil.test"), 403},
		"opaque origin":       {header("Origin", "null"), 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := false
			e := newEdge(t, Config{}, Route{Method: "POST", Path: "/act", For: Open, Do: func(c echo.Context) error {
				ran = true
				return c.NoContent(http.StatusOK)
			}})
			if w := e.do("POST", "/act", c.change); w.Code != c.status || ran != (c.status == 200) {
				t.Errorf("status %d, handler ran %v; want %d", w.Code, ran, c.status)
			}
		})
	}
}

func TestEdge_foreignHostReadsNothing(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/page", For: Open, Do: answer("secret")})
	for host, status := range map[string]int{
		"localhost:8080": 200, "127.0.0.1:8080": 200, "[::1]:8080": 200, "demo.localhost:8080": 200,
		"evil.test:8080": 421, "localhost.evil.test": 421, "": 421,
	} {
		w := e.do("GET", "/page", func(r *http.Request) { r.Host = host })
		if w.Code != status || strings.Contains(w.Body.String(), "secret") != (status == 200) {
			t.Errorf("host %q: status %d, want %d", host, w.Code, status)
		}
	}
}

func TestEdge_bodyLimit(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "POST", Path: "/act", For: Open, Do: func(c echo.Context) error {
		if _, err := c.FormParams(); err != nil {
			return err
		}
		return c.NoContent(http.StatusOK)
	}})
	send := func(n int, known bool) int {
		return e.do("POST", "/act", func(r *http.Request) {
			big := httptest.NewRequest("POST", "/act", strings.NewReader("a="+strings.Repeat("x", n)))
			r.Body, r.ContentLength = big.Body, big.ContentLength
			if !known {
				r.ContentLength = -1
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}).Code
	}
	for _, known := range []bool{true, false} {
		if got := send(1000, known); got != 200 {
			t.Errorf("1 KB, length known %v: %d", known, got)
		}
		if got := send(maxBody+1, known); got != http.StatusRequestEntityTooLarge {
			t.Errorf("over the limit, length known %v: %d, want 413", known, got)
		}
	}
}

func TestEdge_headerFlood(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{})
	w := e.do("GET", "/healthz", func(r *http.Request) {
		for i := range maxHeaders + 1 {
			r.Header.Set("X-"+strings.Repeat("a", i+1), "1")
		}
	})
	if w.Code != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d, want 431", w.Code)
	}
}

func TestEdge_logsOnceWithoutSecrets(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{}, Route{Method: "GET", Path: "/auth/reset/:t", For: Open, Do: answer("ok")})
	e.do("GET", "/auth/reset/tokentoken?q=queryquery", header("Cookie", "sid=cookiecookie"), header("Authorization", "Bearer gth_bearer"),
		header("User-Agent", "x\r\n{\"level\":\"ERROR\"}"))
	log := e.log.String()
	for _, secret := range []string{"tokentoken", "queryquery", "cookiecookie", "gth_bearer"} {
		if strings.Contains(log, secret) {
			t.Errorf("log holds %q: %s", secret, log)
		}
	}
	if strings.Count(log, "\n") != 1 || !strings.Contains(log, `"route":"/auth/reset/:t"`) {
		t.Errorf("want one line that names the route: %s", log)
	}
}

func TestEdge_measuresByRoute(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{})
	e.do("GET", "/healthz")
	e.do("GET", "/nothing/here")
	got, err := e.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, f := range got {
		text.WriteString(f.String())
	}
	if !strings.Contains(text.String(), "/healthz") || strings.Contains(text.String(), "/nothing/here") {
		t.Errorf("metrics must name routes and never addresses: %s", text.String())
	}
}

func TestEdge_readiness(t *testing.T) {
	t.Parallel()
	e := newEdge(t, Config{})
	if w := e.do("GET", "/readyz"); w.Code != 200 {
		t.Errorf("ready: %d", w.Code)
	}
	e.ready = errors.New("postgres at 10.0.0.7 is away")
	w := e.do("GET", "/readyz")
	if w.Code != 503 || strings.Contains(w.Body.String(), "10.0.0.7") {
		t.Errorf("not ready: %d %q, want 503 without the cause", w.Code, w.Body)
	}
	if !strings.Contains(e.log.String(), "10.0.0.7") {
		t.Error("the cause is not in the log")
	}
	if w := e.do("GET", "/healthz"); w.Code != 200 {
		t.Errorf("healthz while not ready: %d", w.Code)
	}
}
