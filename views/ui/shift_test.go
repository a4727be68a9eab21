package ui_test

import "strings"

// watchShifts counts from now on how far what is in view moves by itself. The browser's own figure leaves out what moves
// within half a second of a key; here it counts, as answers may take longer. What became of a decided card takes the
// place of its content, so the inside of such a card does not count. It begins when what moved before has been drawn.
func (p *tab) watchShifts() {
	p.t.Helper()
	ask[bool](p, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => {
	window.shift = 0; window.shifted = [];
	const inside = s => s.node?.parentElement?.closest(".approval:not([data-state=pending])");
	window.shifts = list => list.filter(e => !e.sources.length || !e.sources.every(inside)).forEach(e => {
		window.shift += e.value;
		window.shifted.push(e.value.toFixed(4) + " " + e.sources.map(s => (s.node?.id || s.node?.className || s.node?.nodeName) + " from " + s.previousRect.top + " to " + s.currentRect.top).join(", "));
	});
	window.shiftWatch = new PerformanceObserver(list => window.shifts(list.getEntries()));
	window.shiftWatch.observe({type: "layout-shift"});
	return true; })`)
}

// wantStill fails when what is in view has moved by more than most since it was watched.
func (p *tab) wantStill(what string, most float64) {
	p.t.Helper()
	const settled = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => window.shifts(window.shiftWatch.takeRecords()))`
	if got := ask[float64](p, settled+`.then(() => window.shift)`); got > most {
		p.t.Errorf("%s: layout shift %.4f, want at most %.2f\n%s", what, got, most, strings.Join(ask[[]string](p, "window.shifted"), "\n"))
	}
}
