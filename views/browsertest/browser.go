package browsertest

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/chromedp/chromedp"
)

// programs are the names that a browser may have on PATH. The shell without windows renders the same pages with half of the
// processor time, so it comes first.
var programs = []string{
	"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
}

// flags suit pages that are all ours, on a machine without a way to the Internet. A process for each site, a spare one and one
// for graphics would cost a third of the processor time. No tab is in the background: one that is gets less of it.
var flags = []string{
	"disable-background-networking", "disable-background-timer-throttling", "disable-backgrounding-occluded-windows",
	"disable-component-update", "disable-extensions", "disable-gpu", "disable-quic", "disable-renderer-backgrounding",
	"disable-site-isolation-trials", "disable-sync", "force-prefers-reduced-motion", "hide-scrollbars", "in-process-gpu",
	"no-first-run", "no-sandbox",
}

// Options start the browser of this machine, followed by more. The error says what to install.
func Options(more ...chromedp.ExecAllocatorOption) ([]chromedp.ExecAllocatorOption, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	all := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.Headless,
		chromedp.Flag("disable-features", "SpareRendererForSitePerProcess,BackForwardCache,Translate,OptimizationHints,MediaRouter"),
	}
	for _, f := range flags {
		all = append(all, chromedp.Flag(f, true))
	}
	return append(all, more...), nil
}

// tries is how often a browser is started: now and then, one ends while it starts, on whatever machine.
const tries = 3

// Start starts the browser of this machine. The context is its own, made for contexts of pages; stop ends the browser, and may
// be called after an error.
func Start(more ...chromedp.ExecAllocatorOption) (browser context.Context, stop func(), err error) {
	opts, err := Options(more...)
	if err != nil {
		return nil, func() {}, err
	}
	for range tries {
		alloc, end := chromedp.NewExecAllocator(context.Background(), opts...)
		browser, _ = chromedp.NewContext(alloc)
		if stop, err = end, chromedp.Do(browser); err == nil { // the first call owns the browser
			break
		}
		end()
	}
	return browser, stop, err
}

func find() (string, error) {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium on PATH under any of the names %s: install it, on Debian with the package %s",
		strings.Join(programs, ", "), programs[0])
}
