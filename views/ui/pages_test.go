package ui_test

import (
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// sizes are the widths at which nothing may reach beyond the window.
var sizes = map[string][2]int64{"small": {320, 640}, "phone": {360, 780}, "tablet": {768, 1024}, "desktop": {1280, 900}}

// TestGallery opens every component in its real frame: no error on the console, nothing beyond the window at any
// width, nothing serious for axe, in both themes; a picture of each in the folder UI_SHOTS, when that is set.
func TestGallery(t *testing.T) {
	t.Parallel()
	chromium(t)
	url, dir := hub(t, nil), os.Getenv("UI_SHOTS")
	axe, err := os.ReadFile("testdata/axe/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	for name := range gallery() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, url+"/gallery/"+name, 1280, 900)
			p.do(chromedp.Evaluate[chromedp.Void](string(axe)))
			for _, theme := range []string{"light", "dark"} {
				p.do(chromedp.Evaluate[chromedp.Void]("document.documentElement.dataset.theme = " + strconv.Quote(theme)))
				for size, wh := range sizes {
					p.do(chromedp.EmulateViewport(wh[0], wh[1]))
					p.fits(size)
					if size == "phone" || size == "desktop" {
						p.accessible(theme, size)
						if dir != "" {
							p.keep(dir, name+"-"+size+"-"+theme)
						}
					}
				}
			}
		})
	}
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

// accessible fails on anything that axe calls serious or critical. The themes differ in nothing but colours.
func (p *tab) accessible(theme, size string) {
	p.t.Helper()
	rules := `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}`
	if theme == "dark" {
		rules = `{type: "rule", values: ["color-contrast"]}`
	}
	js := `axe.run({resultTypes: ["violations"], runOnly: ` + rules + `}).then(r => JSON.stringify(r.violations))`
	var found []violation
	if err := json.Unmarshal([]byte(ask[string](p, js)), &found); err != nil {
		p.t.Fatal(err)
	}
	for _, v := range found {
		report := p.t.Logf
		if v.Impact == "serious" || v.Impact == "critical" {
			report = p.t.Errorf
		}
		for _, n := range v.Nodes[:min(3, len(v.Nodes))] {
			report("%s %s: %s (%s): %s\n\t%s\n\t%s", theme, size, v.ID, v.Impact, v.Help, n.HTML, n.FailureSummary)
		}
	}
}
