package public_test

import (
	"encoding/json"
	"hash/crc32"
	"os"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/seeded"
	"gatehouse/app/credential"
	"gatehouse/app/order"
	"gatehouse/app/work"
)

// look is one page in one state, and who looks at it.
type look struct {
	name, path string
	as         *browser
}

// looks are the pages of this package, each in the states that it can be in. The hub has an order that failed and one
// on its way.
func (h *hub) looks(t *testing.T) []look {
	t.Helper()
	h.member(t)
	again := h.setUpLink(t)
	owner, half := h.browser(t), h.browser(t)
	owner.checkout("owner@example.com")
	half.post("/admin/auth/sign-in", "email", "clerk@example.com", "password", password)
	h.advance(t, h.customer(t), order.DNSPending)
	view, _ := h.link(t, credential.LinkView)
	give, _ := h.link(t, credential.LinkGive)
	reset, err := h.accounts.Letter(t.Context(), work.SendMail{Template: "reset", UserID: h.user(t)})
	if err != nil {
		t.Fatal(err)
	}
	link, err := h.accounts.Letter(t.Context(), work.SendMail{Template: "sign_in", UserID: h.user(t)})
	if err != nil {
		t.Fatal(err)
	}
	h.newSecond(t, "half@example.com")
	half.post("/auth/sign-in", "email", "half@example.com", "password", password)
	return []look{
		{"home", "/", nil},
		{"home-signed-in", "/", owner},
		{"pricing", "/pricing", nil},
		{"security", "/security", nil},
		{"status", "/status", nil},
		{"help", "/help", nil},
		{"help-found", "/help?q=levels", nil},
		{"help-article", "/help/levels", nil},
		{"configure", "/checkout/configure?plan=build", nil},
		{"checkout", "/checkout?plan=build", nil},
		{"done", "/checkout/done", owner},
		{"onboard", "/onboard", owner},
		{"sign-in", "/auth/sign-in", nil},
		{"sign-in-again", "/auth/sign-in?again=1", owner},
		{"signed-out", "/auth/signed-out", nil},
		{"link", "/auth/link/" + link.Token, nil},
		{"link-sent", "/auth/link", nil},
		{"forgot", "/auth/forgot", nil},
		{"forgot-sent", "/auth/forgot?sent=1", nil},
		{"verify", "/auth/verify/x", nil},
		{"reset", "/auth/reset/" + reset.Token, nil},
		{"link-gone", "/auth/reset/x", nil},
		{"secret-view", "/s/" + view.ID, nil},
		{"secret-give", "/s/" + give.ID, owner},
		{"secret-gone", "/s/x", nil},
		{"staff", "/admin/auth/sign-in", nil},
		{"second", "/admin/auth/2fa", half},
		{"second-again", again, nil},
		{"customer-second", "/auth/second", half},
		{"missing", "/nothing/here", nil},
	}
}

// TestPages_inABrowser opens every page: no complaint on the console, nothing beyond the window at any width, nothing
// serious for axe. PUBLIC_SHOTS names a folder for pictures.
func TestPages_inABrowser(t *testing.T) {
	t.Parallel()
	h := start(t)
	tabs := map[*browser]*tab{} // a tab with cookies of its own costs as much as five pages
	for _, l := range seeded.Part(t, h.looks(t)) {
		if tabs[l.as] == nil {
			tabs[l.as] = h.tab(t)
			tabs[l.as].as(l.as)
		}
		t.Run(l.name, func(t *testing.T) {
			p := &tab{t, h, tabs[l.as].ctx}
			p.open(l.path)
			if at := eval[string](p, "location.pathname + location.search"); at != l.path {
				t.Errorf("the page leads to %s", at)
			}
			p.inspect(l.name)
		})
	}
}

// way is one way to look at a page.
type way struct {
	theme string
	width int64
}

// ways are the ways to look at a page. A page shows itself in one of four, and others in the other three; in the soak, and when
// pictures are taken, in all.
func ways(name string) []way {
	all := []way{{"light", 1280}, {"dark", 360}, {"dark", 1280}, {"light", 360}}
	if os.Getenv("GATEHOUSE_SOAK") != "" || os.Getenv("PUBLIC_SHOTS") != "" {
		return all
	}
	i := crc32.ChecksumIEEE([]byte(name)) % uint32(len(all))
	return all[i : i+1]
}

// inspect looks at the page that is open.
func (p *tab) inspect(name string) {
	p.t.Helper()
	axe, err := os.ReadFile("../../../views/ui/testdata/axe/axe.min.js")
	if err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.Evaluate[chromedp.Void](string(axe)))
	for _, w := range ways(name) {
		p.do(chromedp.Evaluate[chromedp.Void]("document.documentElement.dataset.theme = " + strconv.Quote(w.theme)))
		p.do(chromedp.EmulateViewport(w.width, 900))
		p.accessible(w.theme)
		p.keep(os.Getenv("PUBLIC_SHOTS"), name+"-"+strconv.FormatInt(w.width, 10)+"-"+w.theme, w.width)
	}
	for _, width := range []int64{320, 360, 390, 768, 1280} {
		p.do(chromedp.EmulateViewport(width, 900))
		p.fits(width)
	}
}

// fits fails when the page can be scrolled sideways.
func (p *tab) fits(width int64) {
	p.t.Helper()
	if got := eval[int64](p, "document.documentElement.scrollWidth"); got > width {
		p.t.Errorf("%d px wide in a window of %d", got, width)
	}
}

// accessible fails on anything that axe calls serious or critical, and on what stands outside every landmark.
func (p *tab) accessible(theme string) {
	p.t.Helper()
	const js = `axe.run({
		resultTypes: ["violations"],
		preload: {assets: ["media"]},
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	}).then(r => JSON.stringify(r.violations))`
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML string }
	}
	if err := json.Unmarshal([]byte(eval[string](p, js)), &found); err != nil {
		p.t.Fatal(err)
	}
	for _, v := range found {
		if v.ID == "region" || v.Impact == "serious" || v.Impact == "critical" {
			p.t.Errorf("%s: %s: %s\n\t%s", theme, v.ID, v.Help, v.Nodes[0].HTML)
		}
	}
}

// TestOrder_inABrowser is a newcomer's way from the landing page into the portal, by hand: states change in front of
// the reader without a reload, nothing on the page moves, and at its end stands the way into the portal.
func TestOrder_inABrowser(t *testing.T) {
	t.Parallel()
	h := start(t)
	p := h.tab(t)
	p.open("/")
	p.do(chromedp.Click(chromedp.CSS(`.hero a[href="/pricing"]`)))
	p.until("the plans", `document.querySelector('a[href*="plan=build"]')`)
	p.do(chromedp.Click(chromedp.CSS(`a[href*="plan=build"]`)))
	p.until("the choice", `document.querySelector('[name=plan][value=build]:checked')`)
	p.do(chromedp.Click(chromedp.CSS(`main button[type=submit]`)))
	p.until("the checkout", `document.querySelector('#checkout')`)
	for field, text := range map[string]string{"business": "The Bakery", "name": "The owner", "email": "owner@example.com", "password": password} {
		p.do(chromedp.SendKeys(chromedp.CSS("[name="+field+"]"), text))
	}
	p.do(chromedp.Click(chromedp.CSS(`#checkout button[type=submit]`)))
	p.until("the live order", `location.pathname === "/onboard" && document.querySelector('.live[data-state=live]')`)
	var zone string
	if err := h.db.Pool.QueryRow(t.Context(), "SELECT time_zone FROM customers").Scan(&zone); err != nil || zone != eval[string](p, "Intl.DateTimeFormat().resolvedOptions().timeZone") {
		t.Errorf("time zone %q, %v; want the browser's", zone, err)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`window.same = 1; window.moved = 0;
		new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) window.moved += e.value })).observe({ type: "layout-shift" })`))
	for _, s := range order.Path()[1:] {
		h.advance(t, h.customer(t), s)
		p.until(string(s), `document.querySelector('#progress[data-state=`+string(s)+`]')`)
	}
	if eval[bool](p, "window.same !== 1") {
		t.Error("the page was loaded anew")
	}
	if moved := eval[float64](p, "window.moved"); moved > 0.01 {
		t.Errorf("layout shift %.4f over the whole order, want at most 0.01", moved)
	}
	eval[bool](p, `document.querySelector('#progress a[href="/app"]').click() ?? true`)
	p.until("the portal", `location.pathname === "/app"`)
}

// TestSignOut_reachesOpenPages: the page that watches an order says in words that its sign-in is over, and stops asking.
func TestSignOut_reachesOpenPages(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	p := h.tab(t)
	p.as(b)
	p.open("/onboard")
	p.until("the live order", `document.querySelector('.live[data-state=live]')`)
	b.post("/auth/sign-out-everywhere", "csrf", b.get("/app/token").text)
	p.until("the page to know", `document.querySelector('.live[data-state=out] a[href="/auth/sign-in"]').checkVisibility()`)
}

// TestOnboard_failureInABrowser: a failed step shows its reason where it failed.
func TestOnboard_failureInABrowser(t *testing.T) {
	t.Parallel()
	h := start(t)
	b := h.browser(t)
	b.checkout("owner@example.com")
	p := h.tab(t)
	p.as(b)
	p.open("/onboard")
	p.until("the live order", `document.querySelector('.live[data-state=live]')`)
	o, err := h.orders.Of(t.Context(), h.customer(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.orders.Fail(t.Context(), work.AdvanceOrder{OrderID: string(o.ID), Step: string(o.State), Attempt: o.Attempt}, "The payment could not be read."); err != nil {
		t.Fatal(err)
	}
	p.until("the reason", `document.querySelector('li[data-state=failed]')?.innerText.includes("could not be read")`)
}
