package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Page is one tab.
type Page struct {
	T       *testing.T
	Ctx     context.Context
	Hub     *Hub
	Presses int // how often something was clicked, or Enter pressed
}

// NewPage opens an empty tab with no cookies. Anything the page writes to the console as an error fails the test.
func (h *Hub) NewPage(t *testing.T) *Page {
	t.Helper()
	root, err := chromium()
	if err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return h.page(t, browser.tabs.Lend(t, root))
}

// NewPageAlone is NewPage with a tab that no test has had or gets later, for what Tabs.Lend does not undo.
func (h *Hub) NewPageAlone(t *testing.T) *Page {
	t.Helper()
	root, err := chromium()
	if err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	ctx, cancel := chromedp.NewContext(root, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return h.page(t, ctx)
}

func (h *Hub) page(t *testing.T, ctx context.Context) *Page {
	t.Helper()
	p := &Page{T: t, Ctx: ctx, Hub: h}
	p.Do(chromedp.EmulateViewport(1280, 900))
	go p.watchConsole(chromedp.Console(ctx))
	return p
}

// Tab opens another tab that shares the cookies of p.
func (p *Page) Tab() *Page {
	p.T.Helper()
	id := chromedp.FromContext(p.Ctx).BrowserContextID
	ctx, cancel := chromedp.NewContext(p.Ctx, chromedp.WithExistingBrowserContext(id))
	p.T.Cleanup(cancel)
	q := &Page{T: p.T, Ctx: ctx, Hub: p.Hub}
	q.Do(chromedp.EmulateViewport(1280, 900))
	go q.watchConsole(chromedp.Console(ctx))
	return q
}

func (p *Page) watchConsole(messages func(func(chromedp.ConsoleMessage, error) bool)) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if strings.Contains(fmt.Sprint(m.Type), "error") && !saysOffline(m.Text) {
			p.T.Errorf("console: %s", m.Text)
		}
	}
}

// saysOffline reports whether a message of the console says only that the hub did not answer.
func saysOffline(message string) bool {
	for _, says := range []string{"net::ERR_", "htmx:sse:error:", "Failed to load resource"} {
		if strings.Contains(message, says) {
			return true
		}
	}
	return false
}

// Do takes steps in the browser; each must succeed.
func (p *Page) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.T.Helper()
	if err := chromedp.Do(p.Ctx, steps...); err != nil {
		p.T.Fatalf("browser: %v\n%s", err, p.Where())
	}
}

// Eval is the value of a JavaScript expression.
func Eval[T any](p *Page, js string) T {
	p.T.Helper()
	v, err := chromedp.Run(p.Ctx, chromedp.Evaluate[T](js))
	if err != nil {
		p.T.Fatalf("evaluate %s: %v", js, err)
	}
	return v
}

// Open goes to a path of the hub. Where the page says that the customer's server has not answered in time, as on a machine
// that others keep busy, it is loaded again, as the page offers.
func (p *Page) Open(path string) *Page {
	p.T.Helper()
	for end := time.Now().Add(WaitLimit); ; {
		p.Load(path)
		if slow, err := chromedp.Run(p.Ctx, chromedp.Evaluate[bool](`!!document.querySelector("#offline")`)); err != nil || !slow {
			return p // a page that has gone on by itself is another one
		}
		if time.Now().After(end) {
			p.T.Fatalf("not within %s: %s with what the server knows\n%s", WaitLimit, path, p.Where())
		}
	}
}

// Load goes to a path of the hub, once.
func (p *Page) Load(path string) {
	p.T.Helper()
	p.Do(chromedp.Navigate(p.Hub.URL(path)))
}

// Fetch is what a path answers to the page, without going there: for what would be saved as a file.
func (p *Page) Fetch(path string) string {
	p.T.Helper()
	return Eval[string](p, fmt.Sprintf(`(() => {
		const r = new XMLHttpRequest()
		r.open("GET", %q, false)
		r.send()
		return r.responseText
	})()`, path))
}

// Until waits until the JavaScript expression is true, across navigations. The longer it waits, the less often it asks: each
// answer costs the browser a layout.
func (p *Page) Until(what, js string) {
	p.T.Helper()
	began := time.Now()
	for {
		ok, err := chromedp.Run(p.Ctx, chromedp.Evaluate[bool]("!!("+js+")"))
		if err == nil && ok {
			return
		}
		waited := time.Since(began)
		if waited > WaitLimit {
			p.Shot("failed-" + strings.ReplaceAll(p.T.Name(), "/", "-"))
			p.T.Fatalf("not within %s: %s (%v)\n%s", WaitLimit, what, err, p.Where())
		}
		select {
		case <-p.Ctx.Done():
			p.T.Fatal(p.Ctx.Err())
		case <-time.After(min(max(20*time.Millisecond, waited/20), 200*time.Millisecond)):
		}
	}
}

// See waits until the text stands somewhere in the element.
func (p *Page) See(sel, text string) {
	p.T.Helper()
	shown := fmt.Sprintf("[...document.querySelectorAll(%s)].some(e => e.innerText.includes(%s))", Quote(sel), Quote(text))
	p.Until(fmt.Sprintf("%q in %s", text, sel), shown)
}

// Click waits until the element is there and at rest, and clicks it as a person would: nobody hits what still moves, as
// when something above it unfolds.
func (p *Page) Click(sel string) {
	p.T.Helper()
	p.Presses++
	p.onNode(sel, chromedp.Click(chromedp.CSS(sel)), func() {
		p.Until(sel+" to click", fmt.Sprintf(`(() => {
			const e = document.querySelector(%s), was = window.box
			window.box = e && JSON.stringify(e.getBoundingClientRect())
			return e && window.box === was
		})()`, Quote(sel)))
	})
}

// onNode does something to an element that ready has waited for. When the page has put another one in its place before
// anything was done to it, it begins again.
func (p *Page) onNode(sel string, act chromedp.Action[chromedp.Void], ready func()) {
	p.T.Helper()
	for end := time.Now().Add(WaitLimit); ; {
		ready()
		err := chromedp.Do(p.Ctx, act)
		if err == nil {
			return
		}
		if !wentAway(err) || time.Now().After(end) {
			p.T.Fatalf("browser: %s: %v\n%s", sel, err, p.Where())
		}
	}
}

// wentAway says whether the browser did not find the element any more, or not on the page: keys and clicks are sent only to
// what it finds.
func wentAway(err error) bool {
	for _, says := range []string{
		"Could not find node", "No node with given id", "Node is detached",
		"does not have a layout object", "Could not compute content quads", "invalid dimensions",
	} {
		if strings.Contains(err.Error(), says) {
			return true
		}
	}
	return false
}

// Write replaces the text of a field in one go, as pasting does: each key by itself would cost the browser a frame. A carriage
// return at the end is the key Enter.
func (p *Page) Write(sel, text string) {
	p.T.Helper()
	const written = `((e, text) => {
		e?.focus()
		if (!e || document.activeElement !== e) return false
		e.value = ""
		return !text || document.execCommand("insertText", false, text)
	})(document.querySelector(%s), %s)`
	text, enter := strings.CutSuffix(text, "\r")
	p.Until(sel+" to write in", fmt.Sprintf(written, Quote(sel), Quote(text)))
	if enter {
		p.Presses++
		p.onNode(sel, chromedp.SendKeys(chromedp.CSS(sel), "\r"), func() {})
	}
}

// Choose picks an option of the list that is called so, as a person does.
func (p *Page) Choose(field, value string) {
	p.T.Helper()
	p.Until("the list "+field, fmt.Sprintf(`(e => {
		if (!e) return false
		e.value = %[2]s
		e.dispatchEvent(new Event("change", {bubbles: true}))
		return e.value === %[2]s
	})(document.getElementById(%[1]s))`, Quote("f-"+field), Quote(value)))
}

// Leave clicks what leads to another page, or loads this one again, and waits until it is there.
func (p *Page) Leave(sel string) {
	p.T.Helper()
	Eval[bool](p, `window.here = true`)
	p.Click(sel)
	p.Until("the page after "+sel, `!window.here && document.readyState === "complete"`)
}

// Phone makes the window as small as a phone.
func (p *Page) Phone() { p.Do(chromedp.EmulateViewport(360, 800)) }

// Desktop makes the window large again.
func (p *Page) Desktop() { p.Do(chromedp.EmulateViewport(1280, 900)) }

// Where says what the page shows, for a failing test.
func (p *Page) Where() string {
	body, err := chromedp.Run(p.Ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText.slice(0, 3000)"))
	if err != nil {
		return err.Error()
	}
	return body
}

// Quote writes a string as JavaScript does.
func Quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(b)
}

// Say writes a message and sends it with Enter.
func (p *Page) Say(text string) {
	p.T.Helper()
	p.Write("#composer-text", text+"\r")
	p.See(".turn.person .bubble", text)
}
