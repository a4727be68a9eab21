package e2e

import (
	"context"
	"sync"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gatehouse/views/browsertest"
)

// browser is one Chromium for all tests of a theme; each page has cookies of its own.
var browser struct {
	once sync.Once
	ctx  context.Context
	stop func()
	tabs browsertest.Tabs
	err  error
}

func chromium() (context.Context, error) {
	browser.once.Do(func() {
		browser.ctx, browser.stop, browser.err = browsertest.Start()
	})
	return browser.ctx, browser.err
}

// ScriptsOff turns off the scripts of a page.
var ScriptsOff = chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return err
})

// Speaks sets the languages that a browser asks for, such as "de-DE,de".
func Speaks(languages string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		version, err := chromedp.CallBrowser(ctx, cdpbrowser.GetVersion, cdp.Empty{})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{
			UserAgent: version.UserAgent, AcceptLanguage: languages,
		})
		return err
	})
}
