package ui_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/chromedp/chromedp"

	"gatehouse/static"
	"gatehouse/views/browsertest"
	"gatehouse/views/ui"
)

// policy is the content policy of every page: nothing inline, nothing from elsewhere.
const policy = "default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

// browser is one Chromium for all tests of this package.
var browser struct {
	once sync.Once
	ctx  context.Context
	stop func()
	tabs browsertest.Tabs
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.stop != nil {
		browser.stop()
		_ = os.RemoveAll(browser.dir)
	}
	os.Exit(code)
}

func chromium(t *testing.T) context.Context {
	t.Helper()
	browser.once.Do(startBrowser)
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	return browser.ctx
}

func startBrowser() {
	if browser.dir, browser.err = os.MkdirTemp("", "gatehouse-ui-"); browser.err != nil {
		return
	}
	browser.ctx, browser.stop, browser.err = browsertest.Start(chromedp.UserDataDir(browser.dir))
}

// page serves a component in a theme as the hub would.
func page(w http.ResponseWriter, r *http.Request, c templ.Component) {
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	req := ui.Request{CSRF: "token", Path: "/app/approvals", Now: now, Locale: r.URL.Query().Get("locale")}
	if err := c.Render(ui.With(r.Context(), req), w); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// hub serves the gallery with the real style and script, and whatever a test adds.
func hub(t *testing.T, more map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/stream/quiet", quietStream)
	mux.HandleFunc("/stream/refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, c := range gallery() {
		mux.HandleFunc("/gallery/"+name, func(w http.ResponseWriter, r *http.Request) { page(w, r, c) })
	}
	for path, h := range more {
		mux.HandleFunc(path, h)
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func quietStream(w http.ResponseWriter, r *http.Request) {
	startStream(w)
	<-r.Context().Done()
}

func startStream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write([]byte(": open\n\n"))
	_ = http.NewResponseController(w).Flush()
}

// tab is one page of the browser; an error on its console fails the test.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func open(t *testing.T, url string, width, height int64) *tab {
	t.Helper()
	ctx := browser.tabs.Lend(t, chromium(t))
	p := &tab{t: t, ctx: ctx}
	p.do(chromedp.EmulateViewport(width, height))
	go p.watch(chromedp.Console(ctx))
	p.do(chromedp.Navigate(url))
	return p
}

func (p *tab) watch(messages func(func(chromedp.ConsoleMessage, error) bool)) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if strings.Contains(fmt.Sprint(m.Type), "error") && !expected(m.Text) {
			p.t.Errorf("console: %s", m.Text)
		}
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// expected are the messages about requests that a test lets fail on purpose; the browser and htmx write them themselves.
func expected(text string) bool {
	return strings.Contains(text, "Failed to load resource") || strings.Contains(text, "Failed to fetch") || strings.Contains(text, "htmx:sse:error")
}

func ask[T any](p *tab, js string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// until waits for a JavaScript condition.
func (p *tab) until(js string) {
	p.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("!!("+js+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("never true: %s (%v)\n%s", js, err, ask[string](p, "document.activeElement.outerHTML.slice(0,200) + document.body.innerText.slice(0, 2000)"))
		}
		time.Sleep(10 * time.Millisecond) // the condition is asked of another process
	}
}

// keep writes a picture where the test's folder, or UI_SHOTS, is.
func (p *tab) keep(dir, name string) {
	p.t.Helper()
	whole := chromedp.FullScreenshot(100)
	if ask[bool](p, `!!document.querySelector("main.fill")`) {
		whole = chromedp.CaptureScreenshot()
	}
	png, err := chromedp.Run(p.ctx, whole)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		p.t.Fatal(err)
	}
}
