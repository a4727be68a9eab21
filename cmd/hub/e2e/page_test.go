package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"gatehouse/views/browsertest"
)

// browser is one Chromium for all tests; each page has cookies of its own.
var browser struct {
	once sync.Once
	ctx  context.Context
	stop context.CancelFunc
	err  error
}

func chromium() (context.Context, error) {
	browser.once.Do(func() {
		opts, err := browsertest.Options()
		if err != nil {
			browser.err = err
			return
		}
		alloc, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
		browser.ctx, browser.stop = alloc, cancel
		root, _ := chromedp.NewContext(alloc)
		browser.err = chromedp.Do(root) // the first call owns the browser
		browser.ctx = root
	})
	return browser.ctx, browser.err
}

// page is one tab.
type page struct {
	t   *testing.T
	ctx context.Context
	hub *hub
}

// newPage opens an empty tab with no cookies. Anything the page writes to the console as an error fails the test.
func (h *hub) newPage(t *testing.T) *page {
	t.Helper()
	root, err := chromium()
	if err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	ctx, cancel := chromedp.NewContext(root, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx, hub: h}
	p.do(chromedp.EmulateViewport(1280, 900))
	go p.watchConsole(chromedp.Console(ctx))
	return p
}

// sameBrowser opens another tab that shares the cookies of p.
func sameBrowser(p *page) *page {
	p.t.Helper()
	id := chromedp.FromContext(p.ctx).BrowserContextID
	ctx, cancel := chromedp.NewContext(p.ctx, chromedp.WithExistingBrowserContext(id))
	p.t.Cleanup(cancel)
	q := &page{t: p.t, ctx: ctx, hub: p.hub}
	q.do(chromedp.EmulateViewport(1280, 900))
	go q.watchConsole(chromedp.Console(ctx))
	return q
}

func (p *page) watchConsole(messages func(func(chromedp.ConsoleMessage, error) bool)) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if kind := fmt.Sprint(m.Type); strings.Contains(kind, "error") && !strings.Contains(m.Text, "net::ERR_") && !strings.Contains(m.Text, "htmx:sse:error: network error") && !strings.Contains(m.Text, "Failed to load resource") {
			p.t.Errorf("console: %s", m.Text)
		}
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("browser: %v\n%s", err, p.where())
	}
}

func eval[T any](p *page, js string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](js))
	if err != nil {
		p.t.Fatalf("evaluate %s: %v", js, err)
	}
	return v
}

// open goes to a path of the hub. Where the page says that the customer's server has not answered in time, as on a machine
// that others keep busy, it is loaded again, as the page offers.
func (p *page) open(path string) *page {
	p.t.Helper()
	for end := time.Now().Add(waitLimit); ; {
		p.load(path)
		if slow, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`!!document.querySelector("#offline")`)); err != nil || !slow {
			return p // a page that has gone on by itself is another one
		}
		if time.Now().After(end) {
			p.t.Fatalf("not within %s: %s with what the server knows\n%s", waitLimit, path, p.where())
		}
	}
}

// load goes to a path of the hub, once.
func (p *page) load(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.hub.URL(path)))
}

// until waits until the JavaScript expression is true, across navigations. The longer it waits, the less often it asks: each
// answer costs the browser a layout.
func (p *page) until(what, js string) {
	p.t.Helper()
	began := time.Now()
	for {
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("!!("+js+")"))
		if err == nil && ok {
			return
		}
		waited := time.Since(began)
		if waited > waitLimit {
			p.shot("failed-" + strings.ReplaceAll(p.t.Name(), "/", "-"))
			p.t.Fatalf("not within %s: %s (%v)\n%s", waitLimit, what, err, p.where())
		}
		select {
		case <-p.ctx.Done():
			p.t.Fatal(p.ctx.Err())
		case <-time.After(min(max(20*time.Millisecond, waited/20), 200*time.Millisecond)):
		}
	}
}

// see waits until the text stands somewhere in the element.
func (p *page) see(sel, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q in %s", text, sel), fmt.Sprintf("[...document.querySelectorAll(%s)].some(e => e.innerText.includes(%s))", quote(sel), quote(text)))
}

// click waits until the element is there and at rest, and clicks it as a person would: nobody hits what still moves, as
// when something above it unfolds.
func (p *page) click(sel string) {
	p.t.Helper()
	p.onNode(sel, chromedp.Click(chromedp.CSS(sel)), func() {
		p.until(sel+" to click", fmt.Sprintf(`(() => {
			const e = document.querySelector(%s), was = window.box
			window.box = e && JSON.stringify(e.getBoundingClientRect())
			return e && window.box === was
		})()`, quote(sel)))
	})
}

// onNode does something to an element that ready has waited for. When the page has put another one in its place before
// anything was done to it, it begins anew.
func (p *page) onNode(sel string, act chromedp.Action[chromedp.Void], ready func()) {
	p.t.Helper()
	for end := time.Now().Add(waitLimit); ; {
		ready()
		err := chromedp.Do(p.ctx, act)
		if err == nil {
			return
		}
		if !wentAway(err) || time.Now().After(end) {
			p.t.Fatalf("browser: %s: %v\n%s", sel, err, p.where())
		}
	}
}

// wentAway says whether the browser did not find the element any more, or not on the page: keys and clicks are sent only to
// what it finds.
func wentAway(err error) bool {
	for _, says := range []string{"Could not find node", "No node with given id", "Node is detached", "does not have a layout object", "Could not compute content quads", "invalid dimensions"} {
		if strings.Contains(err.Error(), says) {
			return true
		}
	}
	return false
}

// write replaces the text of a field by typing.
func (p *page) write(sel, text string) {
	p.t.Helper()
	p.onNode(sel, chromedp.SendKeys(chromedp.CSS(sel), text), func() {
		p.until(sel+" to write in", fmt.Sprintf("(e => { if (e) { e.focus(); e.value = '' } return e })(document.querySelector(%s))", quote(sel)))
	})
}

// shot keeps a picture of the whole page in E2E_SHOTS, when that is set.
func (p *page) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("E2E_SHOTS")
	if dir == "" {
		return
	}
	p.until("a page to take a picture of", `document.readyState === "complete" && document.documentElement.clientWidth`)
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Errorf("picture %s: %v", name, err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		p.t.Error(err)
	}
}

// phone makes the window as small as a phone; desktop makes it large again.
func (p *page) phone()   { p.do(chromedp.EmulateViewport(360, 800)) }
func (p *page) desktop() { p.do(chromedp.EmulateViewport(1280, 900)) }

// where says what the page shows, for a failing test.
func (p *page) where() string {
	body, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText.slice(0, 3000)"))
	if err != nil {
		return err.Error()
	}
	return body
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(b)
}
