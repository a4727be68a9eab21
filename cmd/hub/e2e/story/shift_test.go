package story

import (
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gatehouse/cmd/hub/e2e"
)

// watchShifts counts from now on how far what is in view moves by itself, be it right after a click or later. What became
// of a decided card takes the place of its content, so the inside of such a card does not count. It begins when all that
// the page loads is there and what moved by that has been drawn.
func watchShifts(p *e2e.Page) {
	p.T.Helper()
	p.Until("a page that has loaded all", `document.readyState === "complete" && document.fonts.status === "loaded" &&
		document.querySelector("#live").dataset.state === "live"`)
	const watch = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
		window.shift = 0;
		const inside = s => s.node?.parentElement?.closest(".approval:not([data-state=pending])");
		window.shifts = list => list.filter(e => !e.sources.length || !e.sources.every(inside)).forEach(e => { window.shift += e.value });
		window.shiftWatch = new PerformanceObserver(list => window.shifts(list.getEntries()));
		window.shiftWatch.observe({type: "layout-shift"});
		return true;
	})`
	if _, err := chromedp.Run(p.Ctx, chromedp.Evaluate[bool](watch, chromedp.EvalAwaitPromise)); err != nil {
		p.T.Fatalf("layout shift: %v", err)
	}
}

// wantStill fails when what is in view has moved by more than most since it was watched.
func wantStill(p *e2e.Page, what string, most float64) {
	p.T.Helper()
	const settled = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
		window.shifts(window.shiftWatch.takeRecords())
		return window.shift
	})`
	got, err := chromedp.Run(p.Ctx, chromedp.Evaluate[float64](settled, chromedp.EvalAwaitPromise))
	if err != nil {
		p.T.Fatalf("layout shift: %v", err)
	}
	if got > most {
		p.T.Errorf("%s: layout shift %.4f, want at most %.2f", what, got, most)
	}
}

// keepStates notes on every page that this tab opens which states of an order it shows, and how often such a page is loaded.
func keepStates(p *e2e.Page) {
	p.T.Helper()
	const source = `addEventListener("DOMContentLoaded", () => {
		const seen = () => JSON.parse(sessionStorage.states || "[]");
		const note = () => {
			const state = document.querySelector("#progress")?.dataset.state;
			if (state && seen().at(-1) !== state) sessionStorage.states = JSON.stringify([...seen(), state]);
		};
		if (document.querySelector("#progress")) sessionStorage.loads = Number(sessionStorage.loads || 0) + 1;
		note();
		new MutationObserver(note).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"]});
	})`
	params := cdp.AddScriptToEvaluateOnNewDocumentParams{Source: source}
	if _, err := chromedp.Call(p.Ctx, cdp.AddScriptToEvaluateOnNewDocument, params); err != nil {
		p.T.Fatal(err)
	}
}
