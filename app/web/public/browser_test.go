package public_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"gatehouse/views/browsertest"
)

// chromium starts one browser for all tests of this package. Its data is where it puts it itself, which is removed when the
// last of its processes is gone: some outlive the first.
var chromium = sync.OnceValues(func() (context.Context, error) {
	ctx, stop, err := browsertest.Start()
	stopChromium = stop
	return ctx, err
})

// tabs are those of the browser.
var tabs browsertest.Tabs

// stopChromium ends the browser, if one was started.
var stopChromium = func() {}

// tab is one page of Chromium with cookies of its own; an error on its console fails the test.
type tab struct {
	t   *testing.T
	hub *hub
	ctx context.Context
}

func (h *hub) tab(t *testing.T) *tab {
	t.Helper()
	browser, err := chromium()
	if err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	ctx := tabs.Lend(t, browser)
	p := &tab{t, h, ctx}
	p.do(chromedp.EmulateViewport(1280, 900))
	go p.watch(chromedp.Console(ctx))
	return p
}

// write puts text into an empty field in one go, as pasting does: each key by itself would cost the browser a frame.
func (p *tab) write(sel, text string) {
	p.t.Helper()
	const written = `document.querySelector(%q).focus(), document.execCommand("insertText", false, %q)`
	if !eval[bool](p, fmt.Sprintf(written, sel, text)) {
		p.t.Fatalf("%s takes no text", sel)
	}
}

// watch fails the test on what a page complains about. That an address answers 404 or 410 is no complaint.
func (p *tab) watch(messages func(func(chromedp.ConsoleMessage, error) bool)) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if strings.Contains(fmt.Sprint(m.Type), "error") && !strings.Contains(m.Text, "Failed to load resource") {
			p.t.Errorf("console: %s", m.Text)
		}
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("browser: %v", err)
	}
}

func eval[T any](p *tab, js string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("evaluate %.80s: %v", js, err)
	}
	return v
}

func (p *tab) open(path string) { p.t.Helper(); p.do(chromedp.Navigate(p.hub.url + path)) }

// until waits until the JavaScript expression is true, across navigations.
func (p *tab) until(what, js string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	for {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("!!("+js+")"))
		if err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("never came: %s (%v)\n%s", what, err, eval[string](p, "location.href + '\\n' + document.body.innerText.slice(0, 2000)"))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// as gives the tab the cookies of b.
func (p *tab) as(b *browser) {
	p.t.Helper()
	if b == nil {
		return
	}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.hub.url, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, c := range b.Jar.Cookies(r.URL) {
		if _, err := chromedp.Call(p.ctx, network.SetCookie, network.SetCookieParams{Name: c.Name, Value: c.Value, URL: p.hub.url}); err != nil {
			p.t.Fatal(err)
		}
	}
}

// keep writes a picture of the whole page into dir, when somebody wants to look.
func (p *tab) keep(dir, name string, width int64) {
	p.t.Helper()
	if dir == "" {
		return
	}
	p.do(chromedp.EmulateViewport(width, eval[int64](p, "document.documentElement.scrollHeight")))
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600)
	}
	if err != nil {
		p.t.Error(err)
	}
}
