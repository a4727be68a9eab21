package e2e

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gatehouse/views/browsertest"
)

// browser is one Chromium for all tests of a theme; each page has cookies of its own.
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

// ScriptsOff turns off the scripts of a page.
var ScriptsOff = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
})
