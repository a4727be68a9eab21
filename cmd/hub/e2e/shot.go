package e2e

import (
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// Shot keeps a picture of the whole page in E2E_SHOTS, when that is set.
func (p *Page) Shot(name string) {
	p.T.Helper()
	dir := os.Getenv("E2E_SHOTS")
	if dir == "" {
		return
	}
	p.Until("a page to take a picture of", `document.readyState === "complete" && document.documentElement.clientWidth`)
	png, err := chromedp.Run(p.Ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.T.Errorf("picture %s: %v", name, err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		p.T.Error(err)
	}
}

// Shots keeps pictures of the page in both sizes and both schemes.
func (p *Page) Shots(name string) {
	p.T.Helper()
	for _, s := range []string{"light", "dark"} {
		p.Do(Scheme(s))
		p.Shot(name + "-" + s)
		p.Phone()
		p.Shot(name + "-phone-" + s)
		p.Desktop()
	}
	p.Do(Scheme("light"))
}

// init makes the folder of pictures, when one is wanted.
func init() {
	if dir := os.Getenv("E2E_SHOTS"); dir != "" {
		_ = os.MkdirAll(dir, 0o755) // the first picture reports what is wrong with it
	}
}
