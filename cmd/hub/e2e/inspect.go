package e2e

import (
	"context"
	"hash/crc32"
	"os"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe is the source of the accessibility checker.
var axe = sync.OnceValues(func() (string, error) {
	source, err := os.ReadFile(Root + "/views/ui/testdata/axe/axe.min.js")
	return string(source), err
})

// look is one way to look at a page.
type look struct {
	theme string
	phone bool
}

// looks are the ways to look at a page. A page shows itself in one of four, and others in the other three; in the soak, and when
// pictures are taken, in all.
func looks(path string) []look {
	all := []look{{"light", false}, {"dark", true}, {"dark", false}, {"light", true}}
	if os.Getenv("GATEHOUSE_SOAK") != "" || os.Getenv("E2E_SHOTS") != "" {
		return all
	}
	i := crc32.ChecksumIEEE([]byte(slug(path))) % uint32(len(all))
	return all[i : i+1]
}

// InspectOpen looks at the page that is open.
func (p *Page) InspectOpen(path string) {
	p.T.Helper()
	p.loadAxe()
	for _, l := range looks(path) {
		p.Do(Scheme(l.theme))
		name := l.theme
		if p.Desktop(); l.phone {
			p.Phone()
			name += "-phone"
		}
		p.serious(path + " " + name)
		p.Shot("page-" + slug(path) + "-" + name)
	}
	for _, width := range []int64{320, 360, 768, 1280} {
		p.Do(chromedp.EmulateViewport(width, 800))
		if over := Eval[int](p, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
			p.T.Errorf("%s at %d px scrolls sideways by %d px", path, width, over)
		}
		if thin := Eval[string](p, squeezed); thin != "" {
			p.T.Errorf("%s at %d px stands letter by letter: %q", path, width, thin)
		}
	}
	p.Headed(path)
}

// Headed fails unless the page that is open has one heading and a title of its own.
func (p *Page) Headed(path string) {
	p.T.Helper()
	if n := Eval[int](p, `document.querySelectorAll("h1").length`); n != 1 {
		p.T.Errorf("%s has %d h1", path, n)
	}
	if !strings.Contains(Eval[string](p, "document.title"), "Gatehouse") {
		p.T.Errorf("%s has no title of its own", path)
	}
}

// loadAxe loads axe into the page once the page is whole: a link that is still being parsed has no text.
func (p *Page) loadAxe() {
	p.T.Helper()
	p.Until("the whole page", `document.readyState === "complete"`)
	source, err := axe()
	if err != nil {
		p.T.Fatal(err)
	}
	Eval[string](p, source+`;"loaded"`)
}

// Fits fails unless the page that is open, as large as it is now, is clean to axe and does not scroll sideways.
func (p *Page) Fits(what string) {
	p.T.Helper()
	p.loadAxe()
	p.serious(what)
	if over := Eval[int](p, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
		p.T.Errorf("%s scrolls sideways by %d px", what, over)
	}
}

// squeezed is what stands in a column too narrow for its words.
const squeezed = `[...document.querySelectorAll("main :is(p, li, dt, dd, td)")].find(e =>
	e.offsetWidth < 40 && e.textContent.trim().length > 15 && e.offsetHeight > 150)?.textContent.trim() ?? ""`

// violations are what axe finds serious or critical in the page that is open, and what stands outside every landmark. A part
// that the stream replaced while axe was looking has no text any more and does not count. No rule here asks axe to read the
// style sheets by itself, which costs as much as the rest.
const violations = `axe.run(document, {
	resultTypes: ["violations"],
	elementRef: true,
	preload: {assets: ["media"]},
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
	rules: {region: {enabled: true}},
}).then(r =>
	r.violations.filter(v => v.id === "region" || v.impact === "serious" || v.impact === "critical").map(v =>
		({...v, nodes: v.nodes.filter(n => n.element.isConnected)})).filter(v => v.nodes.length).map(v =>
		v.id + ": " + v.nodes.map(n => n.target.join(" ")).join(", ")))`

// serious reports what axe, which the page has loaded, finds serious or critical.
func (p *Page) serious(what string) {
	p.T.Helper()
	found, err := chromedp.Run(p.Ctx, chromedp.Evaluate[[]string](violations, chromedp.EvalAwaitPromise))
	if err != nil {
		p.T.Fatalf("axe on %s: %v", what, err)
	}
	for _, f := range found {
		p.T.Errorf("%s: %s", what, f)
	}
}

// Scheme says whether the reader's system is light or dark.
func Scheme(theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	})
}

func slug(path string) string {
	return strings.Trim(strings.NewReplacer("/", "-", "?", "-", "=", "-", " ", "-").Replace(path), "-")
}
