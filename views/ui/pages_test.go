package ui_test

import (
	"encoding/json"
	"hash/crc32"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"gatehouse/agentd/seeded"
)

// sizes are the widths at which nothing may reach beyond the window.
var sizes = map[string][2]int64{"small": {320, 640}, "phone": {360, 780}, "tablet": {768, 1024}, "desktop": {1280, 900}}

// TestGallery opens every component in its real frame: no error on the console, nothing beyond the window at any
// width, nothing serious for axe; a picture of each in the folder UI_SHOTS, when that is set.
func TestGallery(t *testing.T) {
	t.Parallel()
	url, dir := hub(t, nil), os.Getenv("UI_SHOTS")
	axe, err := os.ReadFile("testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	all := open(t, url+"/gallery/bare", 1280, 900) // a tab for each would cost more than what is looked at
	for _, name := range seeded.Part(t, slices.Sorted(maps.Keys(gallery()))) {
		t.Run(name, func(t *testing.T) {
			p := &tab{t: t, ctx: all.ctx}
			p.do(chromedp.Navigate(url + "/gallery/" + name))
			p.do(chromedp.Evaluate[chromedp.Void](string(axe)))
			for _, w := range ways(name) {
				p.do(chromedp.Evaluate[chromedp.Void]("document.documentElement.dataset.theme = " + strconv.Quote(w.theme)))
				p.do(chromedp.EmulateViewport(sizes[w.size][0], sizes[w.size][1]))
				p.accessible(w.theme, w.size)
				if dir != "" {
					p.keep(dir, name+"-"+w.size+"-"+w.theme)
				}
			}
			for size, wh := range sizes {
				p.do(chromedp.EmulateViewport(wh[0], wh[1]))
				p.fits(size)
			}
		})
	}
}

// way is one way to look at a component.
type way struct{ theme, size string }

// ways are the ways to look at a component. It shows itself in one of four, and others in the other three; in the soak, and when
// pictures are taken, in all.
func ways(name string) []way {
	all := []way{{"light", "desktop"}, {"dark", "phone"}, {"dark", "desktop"}, {"light", "phone"}}
	if os.Getenv("GATEHOUSE_SOAK") != "" || os.Getenv("UI_SHOTS") != "" {
		return all
	}
	i := crc32.ChecksumIEEE([]byte(name)) % uint32(len(all))
	return all[i : i+1]
}

// TestGallery_roomToGrow: with texts that are two fifths longer nothing reaches beyond a phone.
func TestGallery_roomToGrow(t *testing.T) {
	t.Parallel()
	url := hub(t, nil)
	p := open(t, url+"/gallery/bare", 360, 780)
	for name := range gallery() {
		p.do(chromedp.Navigate(url + "/gallery/" + name + "?locale=en-XA"))
		p.until(`document.readyState === "complete"`)
		p.fits(name)
	}
}

// fits fails when the page can be scrolled sideways, and names what reaches out.
func (p *tab) fits(size string) {
	p.t.Helper()
	const js = `(() => { const w = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= w) return "";
		return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > w + 1 && !e.closest(".table-scroll, .diff-scroll, .tabs, pre, .sr, .log-scroll"))
			.slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join("\n") || "something"; })()`
	if out := ask[string](p, js); out != "" {
		p.t.Errorf("%s: reaches beyond the window:\n%s", size, out)
	}
}

// violation is what axe finds wrong.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML, FailureSummary string }
}

// accessible fails on anything that axe calls serious or critical, and on what stands outside every landmark.
func (p *tab) accessible(theme, size string) {
	p.t.Helper()
	const js = `axe.run({
		resultTypes: ["violations"],
		preload: {assets: ["media"]},
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	}).then(r => JSON.stringify(r.violations))`
	var found []violation
	if err := json.Unmarshal([]byte(ask[string](p, js)), &found); err != nil {
		p.t.Fatal(err)
	}
	for _, v := range found {
		report := p.t.Logf
		if v.ID == "region" || v.Impact == "serious" || v.Impact == "critical" {
			report = p.t.Errorf
		}
		for _, n := range v.Nodes[:min(3, len(v.Nodes))] {
			report("%s %s: %s (%s): %s\n\t%s\n\t%s", theme, size, v.ID, v.Impact, v.Help, n.HTML, n.FailureSummary)
		}
	}
}
